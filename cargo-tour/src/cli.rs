//! The command line.

use crate::coverage::CoverageArgs;
use crate::packages::{
    CaptureArgs, CleanArgs, DoctorArgs, FfiArgs, InitArgs, ListArgs, NewHarnessArgs, PackageArgs, ReplayArgs,
    VERIFY_HELP, VerifyArgs,
};
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, Parser, Subcommand, ValueEnum};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use tour::analysis::{Algorithm, DomainKind, Kind, Options};
use tour::bam::Partition;
use tour::cegar::Order;
use tour::choice::Choice;
use tour::context::BlockEncoding;
use tour::directed::select::Model;
use tour::directed::{Focus, MetricChoice};
use tour::domain::Sharing;
use tour::domain::predicate::Abstraction;
use tour::heuristics::Heuristics;
use tour::program::{DataModel, Rule};
use tour::refine::Strategy;
use tour::result::EngineChoices;
use tour::sema::UndefinedPolicy;
use tour::slice::Branches;
use tour::smt::Backend;
use tour::threads::{Coi, Por};
use tour_syntax::units::{self, Limit};

const EXAMPLES: &str = "\
Examples:
  Verify the harnesses of the package in this folder:
      cargo tour verify
  Prove a program, or find inputs that break it:
      cargo tour check ring.c
  Several files make one program; 32-bit types; at most a minute and 2 GiB:
      cargo tour check main.c ring.c --data-model ilp32 --timeout 60s --memory 2G
  For a script: exit code 0 proved, 1 violated, 3 unknown; details as JSON:
      cargo tour check ring.c --json > result.json
  Look at the control-flow automaton:
      cargo tour cfa ring.c --format svg -o ring.svg";

/// What `--property` can name, from the registry of rules, and the rest.
fn check_help() -> String {
    let line = |rule: &Rule| format!("  {:<20}{}\n", rule.id(), rule.help());
    let stated: String = Rule::STATED.iter().map(line).collect();
    let others: String = Rule::ALL.iter().filter(|rule| !Rule::STATED.contains(rule)).map(line).collect();
    format!(
        "What is checked if nothing is said, by SV-COMP's conventions:\n{stated}\
         What else --property can name:\n{others}{CHECK_HELP}"
    )
}

const CHECK_HELP: &str = "\
Groups: memory-safety (null-deref to memory-leak), undefined-behaviour (null-deref to vla-length, but
memory-leak); and SV-COMP's names valid-deref, valid-free, valid-memtrack, valid-memsafety,
no-overflow, no-data-race.
Inputs are the values of __VERIFIER_nondet_int() and its kin; __VERIFIER_assume(e) restricts them.

The last line of standard output is the verdict:
  VERDICT: SAFE               no run of the program violates a property       exit code 0
  VERDICT: UNSAFE             a run that does was found, and executed         exit code 1
  VERDICT: UNKNOWN (reason)   neither was shown                               exit code 3
Other exit codes: 2 usage error or unreadable input, 4 nothing to verify (no `main`),
5 proved, but below a coverage gate, 70 a bug in tour, 130 interrupted. With --json the document takes the place of the line.

Examples:
  cargo tour check ring.c
  cargo tour check ring.c -I include -D NDEBUG=1 --timeout 5m
  cargo tour check driver.c --property unreach-call --undefined unknown
  cargo tour check ring.c --property memory-safety --property signed-overflow";

const EXPLAIN_HELP: &str = "\
The violation is found first, as by `check` or `verify`. Then each technique looks for lines that may be wrong, and their
rankings are combined. The closest successful run is one that really happens: the solver finds its inputs and the
interpreter executes it.

Exit code: 1 a violation is explained, 0 there is none, 3 neither was shown.

Examples:
  cargo tour explain ring.c
  cargo tour explain ring.c --technique adm -v
  cargo tour explain proofs::pop --json";

const RUN_HELP: &str = "\
The program is executed step by step, with the exact values and memory layout that the verifier assumes.
Each __VERIFIER_nondet_*() and each call of a function without a body takes the next input; when they
are used up, and for whatever else the program does not determine, the value is zero.

Exit code: 0 the program ended, 1 it violated a property, 3 it could not be executed to its end.

Examples:
  cargo tour run ring.c --input 7,-1,0x10
  cargo tour run ring.c --input 7 --input -1 --trace";

const TRAIN_HELP: &str = "\
A history has a JSON object a line, one for each run of `check` with --search tour, a --metric and
--record-history. Programs count that were run with all four metrics, that some metric solved, and for
which it matters: by at least the threshold, or because another metric failed.

Examples:
  for metric in st bb lh lf; do
      cargo tour check ring.c --analysis product --search tour --metric $metric --record-history runs.jsonl
  done
  cargo tour train runs.jsonl --out model.json
  cargo tour check other.c --search tour --metric-model model.json";

/// Verify the C inside Rust crates.
///
/// `cargo tour` proves that a C program can't violate its properties, or finds inputs for which it does. It is a
/// software model checker that runs in this process.
#[derive(Debug, Parser)]
#[command(name = "cargo tour", bin_name = "cargo tour", version, after_help = EXAMPLES)]
#[command(propagate_version = true, max_term_width = 100, subcommand_required = true)]
pub struct Cli {
    #[command(flatten)]
    pub output: OutputArgs,
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Verify the harnesses of a package, with the C that its build compiles
    #[command(after_long_help = VERIFY_HELP)]
    Verify(VerifyArgs),
    /// Set a package up: the dev-dependency, a first harness, tour.toml
    Init(InitArgs),
    /// Declare the functions of a C header, and write a first harness for each
    NewHarness(NewHarnessArgs),
    /// List the harnesses of a package
    List(ListArgs),
    /// Show which C a package's build compiles, and write compile_commands.json
    Capture(CaptureArgs),
    /// Compare the `extern "C"` declarations of a package with the C that its build compiles
    Ffi(FfiArgs),
    /// Run a harness natively with inputs that violate it
    Replay(ReplayArgs),
    /// Remove what tour keeps in the target directory
    Clean(CleanArgs),
    /// Look at the results of earlier runs
    Cache(CacheArgs),
    /// Verify a C program from its entry function
    #[command(after_long_help = check_help())]
    Check(CheckArgs),
    /// Explain a violation: which lines may be wrong
    #[command(after_long_help = EXPLAIN_HELP)]
    #[command(mut_arg("files", |arg| arg
        .value_name("FILE.c|HARNESS")
        .help("C files of a program, or the name of a harness or a part that only one has")))]
    Explain(ExplainArgs),
    /// Put small faults into C and see whether the program's properties, or the harnesses of a package, notice
    #[command(mut_arg("files", |arg| arg
        .required(false)
        .value_name("FILE.c|HARNESS")
        .help("C files of a program, or a part of the names of harnesses [default: all harnesses]")))]
    Mutants(MutantsArgs),
    /// Make the HTML report of the last run of `verify`, or of saved runs
    Report(ReportArgs),
    /// Show the control-flow automata of a C program
    Cfa(CfaArgs),
    /// Print the 25 features of a C program that strategies are chosen by
    Features(FeaturesArgs),
    /// Learn from a history of runs which metric of --search tour suits which program
    #[command(after_long_help = TRAIN_HELP)]
    Train(TrainArgs),
    /// Execute a C program in the interpreter with given inputs
    #[command(after_long_help = RUN_HELP)]
    Run(RunArgs),
    /// Show what tour finds on this machine, and what the build of a package compiles
    Doctor(DoctorArgs),
    /// Verify one harness: what the command starts for each
    #[command(hide = true)]
    Worker(RequestArgs),
    /// Say whether a harness holds: what `cargo test` asks
    #[command(hide = true)]
    Answer(RequestArgs),
    /// Exercise the machinery of internal errors
    #[command(hide = true)]
    Crash,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Output")]
pub struct OutputArgs {
    /// Colours and line drawing
    #[arg(
        long,
        global = true,
        value_name = "WHEN",
        default_value = "auto",
        env = "CARGO_TERM_COLOR",
        hide_env = true
    )]
    pub color: Color,
    /// Say less: only errors and the verdict
    #[arg(short, long, global = true)]
    pub quiet: bool,
    /// Say more: whole traces, notes
    #[arg(short, long, global = true, conflicts_with = "quiet")]
    pub verbose: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Color {
    /// If the output is a terminal and NO_COLOR is not set
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

/// Which program, and how to read it.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Program")]
pub struct ProgramArgs {
    /// C files, preprocessed or not; several are linked into one program
    #[arg(required = true, value_name = "FILE.c", help_heading = clap::builder::Resettable::Reset)]
    pub files: Vec<PathBuf>,
    /// The function where execution begins
    #[arg(long, value_name = "FUNCTION", default_value = "main")]
    pub entry: String,
    /// Sizes of int, long and pointers
    #[arg(long, value_name = "MODEL", default_value = host_model(), value_parser = choice::<DataModel>())]
    pub data_model: DataModel,
    /// Define a macro
    #[arg(short = 'D', value_name = "NAME[=VALUE]")]
    pub define: Vec<String>,
    /// Look for headers there
    #[arg(short = 'I', value_name = "DIR")]
    pub include: Vec<PathBuf>,
    /// Further flags for the preprocessor, quoted as in a shell
    #[arg(long, value_name = "FLAGS", allow_hyphen_values = true, value_parser = flags)]
    pub cflags: Vec<Flags>,
    /// The C compiler that preprocesses [default: $CC, or cc]
    #[arg(long, value_name = "PROGRAM")]
    pub cc: Option<PathBuf>,
    /// What a function without a body does
    #[arg(long, value_name = "WHAT", default_value = "nondet", value_parser = choice::<UndefinedPolicy>())]
    pub undefined: UndefinedPolicy,
    /// Let malloc, calloc and realloc fail: each call may give null
    #[arg(long)]
    pub malloc_may_fail: bool,
}

/// Words of one `--cflags`.
#[derive(Clone, Debug)]
pub struct Flags(pub Vec<String>);

fn flags(text: &str) -> Result<Flags, String> {
    shlex::split(text).map(Flags).ok_or_else(|| "a quote is not closed".into())
}

fn host_model() -> &'static str {
    let model = if cfg!(target_pointer_width = "32") { DataModel::Ilp32 } else { DataModel::Lp64 };
    model.name()
}

/// The rules of one `--property`.
#[derive(Clone, Debug)]
pub struct Property(pub Vec<Rule>);

fn property() -> impl TypedValueParser<Value = Property> {
    PossibleValuesParser::new(Rule::names()).map(|name| Property(Rule::named(&name).unwrap_or_default()))
}

#[derive(Clone, Debug, Args)]
pub struct CacheArgs {
    /// What to do
    #[command(subcommand)]
    pub command: CacheCommand,
}

#[derive(Clone, Debug, Subcommand)]
pub enum CacheCommand {
    /// Check the seal of each result that is kept
    Verify {
        /// Path of a Cargo.toml
        #[arg(long, value_name = "PATH")]
        manifest_path: Option<PathBuf>,
    },
}

#[derive(Clone, Debug, Args)]
pub struct CheckArgs {
    #[command(flatten)]
    pub program: ProgramArgs,
    /// Check this property or group of properties; may be repeated [default: unreach-call and assert]
    #[arg(long, value_name = "PROPERTY", value_parser = property(), hide_possible_values = true)]
    #[arg(help_heading = "Property")]
    pub property: Vec<Property>,
    /// Go on after a violation: report every check that can be violated, and prove the others
    #[arg(long, help_heading = "Property")]
    pub all: bool,
    /// Compile the program and run it with the inputs of a violation
    #[arg(long, value_name = "WHEN", default_value = "never", help_heading = "Property")]
    pub replay: ReplayWhen,
    #[command(flatten)]
    pub engine: EngineArgs,
    /// Another tuning value: AREA.FIELD=VALUE, see docs/src/heuristics.md; may be repeated
    #[arg(long, value_name = "AREA.FIELD=VALUE", hide = true)]
    pub set: Vec<String>,
    #[command(flatten)]
    pub limits: LimitArgs,
    /// Form of the result
    #[arg(long, value_name = "FORMAT", default_value = "human", help_heading = "Output")]
    pub message_format: MessageFormat,
    /// Short for --message-format json
    #[arg(long, conflicts_with = "message_format", help_heading = "Output")]
    pub json: bool,
    /// Print statistics
    #[arg(long, help_heading = "Output")]
    pub stats: bool,
    /// Write the verdict as a witness of SV-COMP, format 2.0
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub witness: Option<PathBuf>,
    /// Write the result as SARIF
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub sarif: Option<PathBuf>,
    /// Write the result as JUnit XML
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub junit: Option<PathBuf>,
    /// Write which states the search expanded, in which order and at which distance, as JSON
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub explain_search: Option<PathBuf>,
    /// Add the result of a run with --search tour and a --metric to a history that `cargo tour train` learns from
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub record_history: Option<PathBuf>,
    /// Show coverage and refinements while running
    #[arg(long, help_heading = "Output")]
    pub progress: bool,
    #[command(flatten)]
    pub coverage: CoverageArgs,
}

impl CheckArgs {
    /// The tuning values.
    pub fn heuristics(&self) -> Result<Heuristics, String> {
        let mut heuristics = Heuristics::default();
        for change in &self.set {
            let (name, value) = change.split_once('=').unwrap_or((change, ""));
            heuristics.set(name.trim(), value.trim())?;
        }
        Ok(heuristics)
    }

    /// The result goes out as JSON.
    pub fn wants_json(&self) -> bool {
        self.json || self.message_format == MessageFormat::Json
    }

    /// The selected rules.
    pub fn rules(&self) -> Vec<Rule> {
        rules(&self.property)
    }
}

/// The rules of several `--property`; those that a program states, if there is none.
pub fn rules(properties: &[Property]) -> Vec<Rule> {
    let named = |rule: &Rule| properties.iter().any(|property| property.0.contains(rule));
    match properties {
        [] => Rule::STATED.to_vec(),
        _ => Rule::ALL.into_iter().filter(named).collect(),
    }
}

#[derive(Clone, Debug, Args)]
pub struct MutantsArgs {
    #[command(flatten)]
    pub program: ProgramArgs,
    /// Check this property or group of properties; may be repeated [default: unreach-call and assert]
    #[arg(long, value_name = "PROPERTY", value_parser = property(), hide_possible_values = true)]
    #[arg(help_heading = "Property")]
    pub property: Vec<Property>,
    #[command(flatten)]
    pub engine: EngineArgs,
    /// The largest number of mutants, which are spread over the program
    #[arg(long, value_name = "N", default_value_t = 100, help_heading = "Mutants")]
    pub max: usize,
    /// Time for each of them
    #[arg(long, value_name = "TIME", default_value = "10s", value_parser = units::duration, help_heading = "Mutants")]
    pub timeout: Limit<Duration>,
    /// Exit with code 5 if fewer per cent of the decided mutants are noticed
    #[arg(long, value_name = "PERCENT", help_heading = "Mutants")]
    pub fail_under: Option<f64>,
    #[command(flatten)]
    pub packages: PackageArgs,
}

#[derive(Clone, Debug, Args)]
pub struct ReportArgs {
    /// Runs saved by `cargo tour check --report FILE.json` [default: those of the last `cargo tour verify`]
    #[arg(value_name = "RECORD.json")]
    pub records: Vec<PathBuf>,
    /// Only harnesses with this in their name
    #[arg(long, value_name = "NAME")]
    pub harness: Option<String>,
    /// Write the page here [default: target/tour/report.html, or beside the first record]
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Show the page in a browser
    #[arg(long)]
    pub open: bool,
}

/// Whether a violation is run natively.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ReplayWhen {
    /// Nothing of the program is executed
    Never,
    /// By the compiler's program, under limits, with sanitizers where the property is theirs
    Native,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum MessageFormat {
    /// For people; the last line is the verdict
    Human,
    /// One JSON document
    Json,
}

/// Reads a model for the selection of metrics.
fn model(path: &str) -> Result<Arc<Model>, String> {
    let text = std::fs::read_to_string(path).map_err(|error| error.to_string())?;
    let wrong = |error| format!("{error}; make a model with `cargo tour train`");
    Model::parse(&text).map(Arc::new).map_err(wrong)
}

/// How the program is analysed.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Analysis")]
pub struct EngineArgs {
    /// The analysis: an algorithm, or an abstract domain for lazy abstraction
    #[arg(long, value_name = "ANALYSIS", default_value = "auto", value_parser = analyses())]
    pub analysis: String,
    /// The abstract domain of --analysis lazy and bam [default: product]
    #[arg(long, value_name = "DOMAIN", value_parser = choice::<DomainKind>())]
    pub domain: Option<DomainKind>,
    /// What --analysis bam analyses once: functions, or loops too
    #[arg(long, value_name = "BLOCKS", default_value = "functions", value_parser = choice::<Partition>())]
    pub memoize: Partition,
    /// Analyse a function anew at each of its calls (--analysis bam)
    #[arg(long)]
    pub no_cache: bool,
    /// Which parts of the program one step of abstraction goes through
    /// (sbe, lbe, abe:loops, abe:functions, abe:threshold=N)
    #[arg(long, value_name = "BLOCKS", default_value = "abe:loops")]
    pub block: BlockEncoding,
    /// How precise an abstraction by predicates is
    #[arg(long, value_name = "KIND", default_value = "boolean", value_parser = choice::<Abstraction>())]
    pub abstraction: Abstraction,
    /// Which abstract state is looked at next
    #[arg(long, value_name = "ORDER", default_value = "rpo", value_parser = choice::<Order>())]
    pub search: Order,
    /// How --search tour measures distances to errors
    #[arg(long, value_name = "METRIC", default_value = "auto", value_parser = choice::<MetricChoice>())]
    pub metric: MetricChoice,
    /// Choose by this model, made by `cargo tour train`, instead of the one in the binary
    #[arg(long, value_name = "FILE", value_parser = model)]
    pub metric_model: Option<Arc<Model>>,
    /// Where --search tour goes first: FILE:LINE of a check, or a property; may be repeated [default: all]
    #[arg(long, value_name = "WHERE")]
    pub focus: Vec<Focus>,
    /// Distances of --search tour grow where paths to an error turn out to be infeasible
    #[arg(long)]
    pub learn_distance: bool,
    /// The seed of --search random
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
    /// How predicates are found; several are tried in this order [default: all]
    #[arg(long, value_name = "STRATEGY", value_delimiter = ',', value_parser = choice::<Strategy>())]
    pub refinement: Vec<Strategy>,
    /// Who shares the predicates found at a location
    #[arg(long, value_name = "SCOPE", default_value = "location", value_parser = choice::<Sharing>())]
    pub sharing: Sharing,
    /// Look for invariants by templates before lazy abstraction begins
    #[arg(long)]
    pub invariants: bool,
    /// How many rounds of a loop bounded model checking goes, and how many blocks k-induction [default: no bound]
    #[arg(long, value_name = "N")]
    pub depth: Option<usize>,
    /// Who answers questions about formulas
    #[arg(long, value_name = "SOLVER", default_value = "z3", value_parser = choice::<Backend>())]
    pub solver: Backend,
    /// Analyse the whole program, not slices of it first (what its checks depend on)
    #[arg(long)]
    pub no_slice: bool,
    /// Do not check the certificates of proofs by independent code: the verdict is `SAFE (not certified)`
    #[arg(long)]
    pub no_certify: bool,
    /// The largest number of threads for each place that creates them in a loop; 0: threads are not followed [default: 8, or 32
    /// if a run needs them]
    #[arg(long, value_name = "N")]
    pub threads: Option<u32>,
    /// Which interleavings of threads are left out
    #[arg(long, value_name = "REDUCTION", default_value = "static", value_parser = choice::<Por>())]
    pub por: Por,
    /// Which statements of threads are simplified
    #[arg(long, value_name = "REDUCTION", default_value = "on", value_parser = choice::<Coi>())]
    pub coi: Coi,
}

impl EngineArgs {
    /// The search is directed by one metric that the user chose.
    pub fn is_one_metric(&self) -> bool {
        self.search.is_directed() && self.metric != MetricChoice::Auto
    }

    /// What is wrong with the combination, if anything.
    pub fn contradiction(&self) -> Option<String> {
        let named = &self.analysis;
        let Some(kind) = Kind::named(named, self.domain) else {
            let domain = self.domain.map_or("", Choice::name);
            return Some(format!(
                "--analysis {named} is lazy abstraction in that domain, not in --domain {domain}"
            ));
        };
        let exists = [false, true].iter().any(|threads| kind.analysis(*threads, &Options::default()).is_ok());
        (!exists)
            .then(|| kind.analysis(false, &Options::default()).err().map_or(String::new(), |e| e.to_string()))
    }

    /// As the engine has it.
    pub fn options(&self) -> Options {
        let defaults = Options::default();
        Options {
            analysis: Kind::named(&self.analysis, self.domain).unwrap_or_default(),
            partition: self.memoize,
            cache: !self.no_cache,
            block: self.block,
            abstraction: self.abstraction,
            search: self.search,
            seed: self.seed,
            metric: self.metric,
            metric_model: self.metric_model.clone(),
            focus: self.focus.clone(),
            learn_distance: self.learn_distance,
            refinement: match self.refinement.is_empty() {
                true => defaults.refinement,
                false => self.refinement.clone(),
            },
            sharing: self.sharing,
            invariants: self.invariants,
            max_depth: self.depth.unwrap_or(defaults.max_depth),
            certify: !self.no_certify,
            slice: !self.no_slice,
            por: self.por,
            coi: self.coi,
        }
    }
}

/// What of it can be said for harnesses, too: names that are resolved when a harness is verified, since attributes and
/// tour.toml can say them as well.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Analysis")]
pub struct ChoiceArgs {
    /// The analysis: an algorithm, or an abstract domain for lazy abstraction [default: auto]
    #[arg(long, value_name = "ANALYSIS", value_parser = analyses(), hide_possible_values = true)]
    pub analysis: Option<String>,
    /// The abstract domain of --analysis lazy and bam
    #[arg(long, value_name = "DOMAIN", value_parser = names::<DomainKind>())]
    pub domain: Option<String>,
    /// Which abstract state is looked at next
    #[arg(long, value_name = "ORDER", value_parser = names::<Order>(), hide_possible_values = true)]
    pub search: Option<String>,
    /// How --search tour measures distances to errors
    #[arg(long, value_name = "METRIC", value_parser = names::<MetricChoice>(), hide_possible_values = true)]
    pub metric: Option<String>,
    /// Which parts of the program one step of abstraction goes through
    #[arg(long, value_name = "BLOCKS", value_parser = blocks)]
    pub block: Option<String>,
    /// Do not check the certificates of proofs by independent code: what is proved is `(not certified)`, exit code 3
    #[arg(long)]
    pub no_certify: bool,
}

impl ChoiceArgs {
    /// As they travel to workers.
    pub fn choices(&self) -> EngineChoices {
        let ChoiceArgs { analysis, domain, search, metric, block, no_certify } = self.clone();
        EngineChoices { analysis, domain, search, metric, block, certify: no_certify.then_some(false) }
    }
}

/// The names of a choice.
fn names<T: Choice>() -> PossibleValuesParser {
    let names = T::all().into_iter().map(|(_, name, help)| PossibleValue::new(name).help(help));
    PossibleValuesParser::new(names.collect::<Vec<_>>())
}

/// Blocks, looked at and kept as they were written.
fn blocks(text: &str) -> Result<String, String> {
    text.parse::<BlockEncoding>().map(|_| text.to_owned()).map_err(|error| error.to_string())
}

/// Names that the library knows, with what they do.
fn choice<T: Choice>() -> impl TypedValueParser<Value = T> {
    let names = T::all().into_iter().map(|(_, name, help)| PossibleValue::new(name).help(help));
    PossibleValuesParser::new(names)
        .try_map(|name| T::named(&name).ok_or_else(|| format!("there is no `{name}`")))
}

/// Techniques of fault localisation.
fn techniques() -> PossibleValuesParser {
    let all = PossibleValue::new("all").help("All of these together");
    let each = tour::fault::techniques();
    let each = each.iter().map(|technique| PossibleValue::new(technique.id()).help(technique.help()));
    PossibleValuesParser::new(each.chain([all]).collect::<Vec<_>>())
}

/// Algorithms, and domains of lazy abstraction.
fn analyses() -> PossibleValuesParser {
    let algorithms = Algorithm::all().into_iter().map(|(_, name, help)| (name, help));
    let domains = DomainKind::all().into_iter().map(|(_, name, help)| (name, help));
    let domains =
        domains.map(|(name, help)| PossibleValue::new(name).help(format!("lazy abstraction: {help}")));
    PossibleValuesParser::new(
        algorithms.map(|(name, help)| PossibleValue::new(name).help(help)).chain(domains),
    )
}

#[derive(Clone, Copy, Debug, Args)]
#[command(next_help_heading = "Limits")]
pub struct LimitArgs {
    /// Stop after this time with the verdict UNKNOWN (timeout): 60s, 2m 30s, none
    #[arg(long, value_name = "TIME", default_value = "15m", value_parser = units::duration)]
    pub timeout: Limit<Duration>,
    /// Stop at this much memory with the verdict UNKNOWN (out of memory): 4G, 512M, none [default: three
    /// quarters of the machine's]
    #[arg(long, value_name = "SIZE", value_parser = units::size)]
    pub memory: Option<Limit<u64>>,
}

/// A request of the protocol.
#[derive(Clone, Debug, Args)]
pub struct RequestArgs {
    /// The file
    pub request: PathBuf,
}

#[derive(Clone, Debug, Args)]
pub struct ExplainArgs {
    #[command(flatten)]
    pub program: ProgramArgs,
    /// Find suspects by this technique; may be repeated [default: all]
    #[arg(long, value_name = "TECHNIQUE", value_delimiter = ',', help_heading = "Localisation")]
    #[arg(value_parser = techniques())]
    pub technique: Vec<String>,
    /// How much a predicate counts that holds in one of two aligned states only (adm)
    #[arg(long, value_name = "N", default_value_t = 1, help_heading = "Localisation")]
    #[arg(value_parser = clap::value_parser!(u32).range(0..=100))]
    pub weight_predicate: u32,
    /// How much a step counts that is not aligned (adm)
    #[arg(long, value_name = "N", default_value_t = 2, help_heading = "Localisation")]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=100))]
    pub weight_unaligned: u32,
    /// Check this property or group of properties; may be repeated [default: unreach-call and assert]
    #[arg(long, value_name = "PROPERTY", value_parser = property(), hide_possible_values = true)]
    #[arg(help_heading = "Property")]
    pub property: Vec<Property>,
    #[command(flatten)]
    pub packages: PackageArgs,
    #[command(flatten)]
    pub limits: LimitArgs,
    /// Print the suspects as JSON
    #[arg(long, help_heading = "Output")]
    pub json: bool,
}

impl ExplainArgs {
    /// The selected rules.
    pub fn rules(&self) -> Vec<Rule> {
        rules(&self.property)
    }

    /// Ids of the techniques; none for all.
    pub fn techniques(&self) -> Vec<String> {
        match self.technique.iter().any(|technique| technique == "all") {
            true => Vec::new(),
            false => self.technique.clone(),
        }
    }
}

#[derive(Clone, Debug, Args)]
pub struct CfaArgs {
    #[command(flatten)]
    pub program: ProgramArgs,
    /// Form of the graph
    #[arg(long, value_name = "FORMAT", default_value = "dot", help_heading = "Graph")]
    pub format: GraphFormat,
    /// Only this function
    #[arg(long, value_name = "NAME", help_heading = "Graph")]
    pub function: Option<String>,
    /// Only what the checks of `unreach-call` and `assert` depend on, with all conditions that decide what runs get to, or
    /// with those alone that are about the same data
    #[arg(long, value_name = "SLICE", num_args = 0..=1, require_equals = true, default_missing_value = "full", value_parser = choice::<Branches>(), help_heading = "Graph")]
    pub sliced: Option<Branches>,
    /// Write to this file instead of standard output
    #[arg(short, long, value_name = "FILE", help_heading = "Graph")]
    pub output: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum GraphFormat {
    /// Graphviz
    Dot,
    /// For programs
    Json,
    /// A picture
    Svg,
}

#[derive(Clone, Debug, Args)]
pub struct FeaturesArgs {
    #[command(flatten)]
    pub program: ProgramArgs,
    /// As a JSON object
    #[arg(long, help_heading = "Output")]
    pub json: bool,
}

#[derive(Clone, Debug, Args)]
pub struct TrainArgs {
    /// Histories
    #[arg(required = true, value_name = "HISTORY")]
    pub history: Vec<PathBuf>,
    /// Leave out programs for which the metric makes a smaller difference: 40s, none
    #[arg(long, value_name = "TIME", default_value = "1s", value_parser = units::duration)]
    pub threshold: Limit<Duration>,
    /// Write the model to this file
    #[arg(long, value_name = "MODEL")]
    pub out: Option<PathBuf>,
}

#[derive(Clone, Debug, Args)]
pub struct RunArgs {
    #[command(flatten)]
    pub program: ProgramArgs,
    /// Values for __VERIFIER_nondet_*(), in order: 7,-1,0x10
    #[arg(
        long,
        value_name = "VALUES",
        allow_hyphen_values = true,
        value_delimiter = ',',
        help_heading = "Execution"
    )]
    #[arg(value_parser = input)]
    pub input: Vec<Number>,
    /// Give up after this number of steps
    #[arg(long, value_name = "N", default_value_t = 10_000_000, help_heading = "Execution")]
    pub steps: u64,
    /// Show every step
    #[arg(long, help_heading = "Execution")]
    pub trace: bool,
    #[command(flatten)]
    pub limits: LimitArgs,
}

/// A number that the user gave.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Number {
    /// `7`, `-1`, `0x10`
    Int(i128),
    /// `1.5`
    Float(f64),
}

/// A decimal or `0x` number with an optional sign, or a floating one.
fn input(text: &str) -> Result<Number, String> {
    let text = text.trim();
    let (negative, digits) = match text.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, text),
    };
    let value = match digits.strip_prefix("0x") {
        Some(hex) => i128::from_str_radix(hex, 16),
        None => digits.parse(),
    };
    match (value, text.parse()) {
        (Ok(value), _) => Ok(Number::Int(if negative { -value } else { value })),
        (Err(_), Ok(value)) => Ok(Number::Float(value)),
        (Err(_), Err(_)) => Err("an input is a number such as 7, -1, 0x10 or 1.5".into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;
    use expect_test::expect_file;

    #[test]
    fn the_command_line_is_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn the_reference_in_the_book_is_what_the_command_says() {
        let mut text = String::from(
            "# Command reference\n\nWhat `--help` says. Generated: a test keeps it up to date.\n",
        );
        describe(Cli::command(), &mut text);
        expect_file!["../../docs/src/reference.md"].assert_eq(&text);
    }

    fn describe(mut command: clap::Command, text: &mut String) {
        command.build();
        let name = command.get_bin_name().unwrap_or_default().to_owned();
        let help = command.clone().term_width(100).render_long_help().to_string();
        let help: Vec<&str> = help.lines().map(str::trim_end).collect();
        text.push_str(&format!("\n## `{name}`\n\n```text\n{}\n```\n", help.join("\n").trim_end()));
        for inner in command.get_subcommands().filter(|c| !c.is_hide_set() && c.get_name() != "help") {
            describe(inner.clone(), text);
        }
    }

    #[test]
    fn inputs_are_numbers() {
        assert_eq!(input("-1"), Ok(Number::Int(-1)));
        assert_eq!(input(" 0x10"), Ok(Number::Int(16)));
        assert_eq!(input("-1.5"), Ok(Number::Float(-1.5)));
        assert!(input("x").is_err());
        assert!(input("").is_err());
    }
}
