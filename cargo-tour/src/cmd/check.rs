//! `cargo tour check`: verify a C program.

use super::{explain as suspects, results};
use crate::cli::{CheckArgs, ProgramArgs, ReplayWhen};
use crate::exit::Exit;
use crate::load::{self, Rejected};
use crate::progress::Progress;
use crate::term::{Term, say, tell};
use crate::{coverage, crash, job};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};
use tour::analysis::{self};
use tour::context::{Context, Findings, Watch};
use tour::coverage::{Collector, Coverage};
use tour::fault::{self, Localisation};
use tour::limits::{Ended, StopReason, supervise};
use tour::native::{self, Replay};
use tour::prepared::Prepared;
use tour::program::{Program, Rule};
use tour::report::explain::{self, Explanation, For};
use tour::report::record::Record;
use tour::report::{interleaving, json};
use tour::source::{Diagnostic, Span};
use tour::verdict::{Input, InputOrigin, UnknownReason, Verdict, Violation};

/// How many inputs are shown without `-v`, and how many a command to replay has at most.
const SHOWN_INPUTS: usize = 10;
const REPLAYED_INPUTS: usize = 40;

/// Steps of the solver that each technique may make to find suspects; `cargo tour explain` has more.
const SUSPECTS_BUDGET: u64 = 200_000;

const LEFT_OUT: &str = "… (all with -v)";

/// Verifies and tells the result.
pub fn run(args: CheckArgs, term: Term) -> Exit {
    let start = Instant::now();
    if args.record_history.is_some() && !args.engine.is_one_metric() {
        tell("error: --record-history needs --search tour and a --metric: st, bb, lh or lf");
        return Exit::Usage;
    }
    if let Some(why) = args.engine.contradiction() {
        tell(&format!("error: {why}"));
        return Exit::Usage;
    }
    let search = args.explain_search.is_some().then(|| Arc::new(analysis::SearchLog::default()));
    let mut context = Context { solver: args.engine.solver, ..Context::default() };
    if let Some(search) = &search {
        context.watch = Watch::new(search.clone());
    }
    job::stop_on_ctrl_c(&context.interrupt);
    tour::smt::leave_to_exit();
    // The worker leaves the program here, so that a result can be told even if the worker is stuck.
    let loaded = Arc::new(OnceLock::new());
    let collector = Arc::new(OnceLock::new());
    let progress = args.progress.then(|| Progress::start(collector.clone()));
    let found = Arc::new(Found::default());
    let (worker_args, worker_context) = (args.clone(), context.clone());
    let (worker_loaded, worker_collector) = (loaded.clone(), collector.clone());
    let worker_found = found.clone();
    let ended = supervise(args.limits.limits(), &context.interrupt, move || {
        verify(&worker_args, &term, &worker_context, &worker_loaded, &worker_collector, &worker_found)
    });
    let result = match ended {
        Ended::Returned(result) => result,
        // What was decided stays so, whatever became of the search for suspects.
        Ended::Stuck(_) | Ended::Panicked if found.findings.get().is_some() => Ok(found
            .findings
            .get()
            .cloned()
            .unwrap_or_else(|| Verdict::Unknown(UnknownReason::Inconclusive).into())),
        Ended::Stuck(reason) => {
            job::end_children();
            Ok(Verdict::Unknown(UnknownReason::Stopped(reason)).into())
        }
        Ended::Panicked => {
            crash::report_panic();
            Ok(Verdict::Unknown(UnknownReason::Internal("see the bug report".into())).into())
        }
    };
    drop(progress);
    let time = start.elapsed();
    context.stats.set("time", time);
    if let Some(usage) = memory_stats::memory_stats() {
        context.stats.set("memory-mib", usage.physical_mem as u64 >> 20);
    }
    let cpu_time = job::cpu_time().unwrap_or(time);
    context.stats.set("cpu-time", cpu_time);
    let collector = collector.get().map(Arc::as_ref);
    let faults = found.faults.get();
    let contradiction = found.contradiction.get().copied();
    let program = loaded.get().map(Arc::as_ref);
    let replays = match (&result, program) {
        (Ok(findings), Some(program)) if args.replay == ReplayWhen::Native => {
            replays(&args, program, &findings.violations)
        }
        _ => Vec::new(),
    };
    let replays = &replays;
    let teller =
        Teller { args: &args, term, time, context: &context, collector, faults, contradiction, replays };
    match result {
        Ok(findings) => {
            let exit = teller.tell(program, &findings);
            let searched = program.map_or(Ok(()), |program| {
                let verdict = findings.verdict();
                results::write_search(&args, program, &verdict, cpu_time, search.as_deref())
            });
            searched.err().unwrap_or(exit)
        }
        Err(rejected) => teller.tell_rejected(&rejected),
    }
}

fn verify(
    args: &CheckArgs,
    term: &Term,
    context: &Context,
    loaded: &OnceLock<Arc<Prepared>>,
    collector: &OnceLock<Arc<Collector>>,
    found: &Found,
) -> Result<Findings, Rejected> {
    let start = Instant::now();
    let program = match load::program(&args.program, term) {
        Ok(program) => program,
        // The compiler was killed, or reading was cut short: that is no fault of the program's.
        Err(rejected) => match context.interrupt.reason() {
            Some(reason) => return Ok(Verdict::Unknown(UnknownReason::Stopped(reason)).into()),
            None => return Err(rejected),
        },
    };
    let program = match args.engine.threads {
        Some(bound) => analysis::prepare_with(program, &args.rules(), bound),
        None => analysis::prepare(program, &args.rules()),
    };
    let stats = &context.stats;
    stats.set("front-end-time", start.elapsed());
    stats.set("functions", program.functions.iter().filter(|f| f.body.is_some()).count());
    stats.set("locations", program.cfa.locs.len());
    stats.set("edges", program.cfa.edges.len());
    stats.set("checks", selected(&program, &args.rules()));
    let program = Arc::new(program);
    let _ = loaded.set(program.clone());
    let watch = args.coverage.settings().map_or_else(
        || context.watch.clone(),
        |settings| context.watch.with(collector.get_or_init(|| Collector::new(&program, settings)).clone()),
    );
    let context = Context { watch, ..context.clone() };
    let options = args.engine.options();
    let findings: Findings = match args.all {
        true => analysis::verify_all(&program, &context, &options),
        false => analysis::verify_with(&program, &context, &options).into(),
    };
    if let Some(violation) = findings.violations.first().filter(|_| program.threads.is_empty()) {
        let _ = found.findings.set(findings.clone());
        let start = Instant::now();
        let options = fault::Options { budget: SUSPECTS_BUDGET, ..fault::Options::default() };
        let faults = fault::localise(&program, violation, &context, &options);
        stats.set("localisation-time", start.elapsed());
        let _ = found.faults.set(faults);
    }
    if let Verdict::Proved(_) = findings.verdict() {
        let _ = found.findings.set(findings.clone());
        if let Some(span) = analysis::contradiction(&program, &context) {
            let _ = found.contradiction.set(span);
        }
    }
    Ok(findings)
}

/// What native runs show of violations.
fn replays(args: &CheckArgs, program: &Program, violations: &[Violation]) -> Vec<Replay> {
    let (units, options) = (load::units(&args.program), load::options(&args.program));
    violations.iter().map(|violation| native::replay(program, violation, &units, &options)).collect()
}

/// What the worker leaves when it has a verdict: looking for suspects comes after it.
#[derive(Default)]
struct Found {
    findings: OnceLock<Findings>,
    /// Of the first violation.
    faults: OnceLock<Localisation>,
    /// An assumption that no run of a proved program gets past.
    contradiction: OnceLock<Span>,
}

/// What is needed to tell a result.
struct Teller<'a> {
    args: &'a CheckArgs,
    term: Term,
    time: Duration,
    context: &'a Context,
    collector: Option<&'a Collector>,
    faults: Option<&'a Localisation>,
    contradiction: Option<Span>,
    /// Of the violations, in their order, if native runs were asked for.
    replays: &'a [Replay],
}

impl Teller<'_> {
    fn outcome(&self) -> json::Outcome {
        let ProgramArgs { files, data_model, .. } = &self.args.program;
        let files = files.iter().map(|f| f.display().to_string()).collect();
        json::Outcome::new(files, *data_model).statistics(&self.context.stats)
    }

    fn tell(&self, program: Option<&Prepared>, findings: &Findings) -> Exit {
        let verdict = &findings.verdict();
        let coverage = self.coverage(program, findings);
        if self.args.wants_json() {
            print_json(&match (program, verdict) {
                (Some(program), _) => {
                    let outcome = self.outcome().findings(program, &self.args.rules(), findings);
                    let mut outcome = outcome.faults(self.faults).replays(self.replays);
                    let vacuous = self.vacuous().map(|d| json::Message::new(&d, &program.sources));
                    outcome.diagnostics.extend(vacuous);
                    outcome
                }
                (None, Verdict::Unknown(reason)) => self.outcome().unknown(reason),
                (None, _) => self.outcome(),
            });
        } else {
            if !self.term.quiet {
                self.explain(program, findings);
                self.explain_coverage(verdict, coverage.as_ref());
            }
            self.statistics();
            if let Some(Err(failed)) =
                coverage.as_ref().map(|coverage| self.args.coverage.output.compare(coverage))
            {
                return failed;
            }
            say(format_args!("VERDICT: {verdict}"));
        }
        if let Err(failed) = results::write(self.args, program, findings, self.faults, self.time) {
            return failed;
        }
        let below = match self.coverage_results(program, verdict, coverage) {
            Ok(below) => below,
            Err(failed) => return failed,
        };
        match verdict {
            Verdict::Proved(_) if below => Exit::Vacuous,
            Verdict::Proved(_) => Exit::Success,
            Verdict::Violated(_) => Exit::Violated,
            Verdict::Unknown(UnknownReason::Stopped(StopReason::Cancelled)) => Exit::Interrupted,
            Verdict::Unknown(UnknownReason::Internal(_)) => Exit::Internal,
            Verdict::Unknown(_) => Exit::Unknown,
        }
    }

    /// What was collected. The time that it took is a statistic.
    fn coverage(&self, program: Option<&Prepared>, findings: &Findings) -> Option<Coverage> {
        let (collector, program) = (self.collector?, program?);
        let coverage = collector.coverage(program, findings);
        for (id, share) in collector.glance().measures {
            self.context.stats.set(id, share);
        }
        self.context.stats.set("coverage-time", collector.cost());
        Some(coverage)
    }

    fn explain_coverage(&self, verdict: &Verdict, coverage: Option<&Coverage>) {
        let Some(coverage) = coverage else { return };
        if let Verdict::Unknown(_) = verdict {
            coverage::explain_unknown(coverage);
        }
        coverage::summary(&self.term, coverage);
    }

    /// Writes what was asked for. True if a gate is not passed.
    fn coverage_results(
        &self,
        program: Option<&Prepared>,
        verdict: &Verdict,
        coverage: Option<Coverage>,
    ) -> Result<bool, Exit> {
        let (Some(coverage), Some(program), Some(collector)) = (coverage, program, self.collector) else {
            return Ok(false);
        };
        let args = &self.args.coverage.output;
        let below = args.is_below_a_gate(&coverage);
        if !args.wants_files() {
            return Ok(below);
        }
        let record = Record::new(&self.files(), program, &self.args.rules(), verdict, coverage)
            .statistics(&self.context.stats)
            .graph(&collector.graph())
            .faults(self.faults);
        args.write(&Record { time: self.time.as_secs_f64(), ..record })?;
        Ok(below)
    }

    fn tell_rejected(&self, rejected: &Rejected) -> Exit {
        let reason = match rejected.exit {
            Exit::Nothing => UnknownReason::NothingToVerify,
            _ => UnknownReason::Invalid,
        };
        if self.args.wants_json() {
            let mut outcome = self.outcome().unknown(&reason);
            outcome.diagnostics =
                rejected.diagnostics.iter().map(|d| json::Message::new(d, &rejected.sources)).collect();
            print_json(&outcome);
        }
        rejected.show(&self.term);
        if !self.args.wants_json() {
            self.statistics();
            say(format_args!("VERDICT: {}", Verdict::Unknown(reason)));
        }
        rejected.exit
    }

    /// For people: the status line and what led to the verdict.
    fn explain(&self, program: Option<&Prepared>, findings: &Findings) {
        let verdict = &findings.verdict();
        let (word, good) = match verdict {
            Verdict::Proved(_) => ("PROVED", Some(true)),
            Verdict::Violated(_) => ("VIOLATED", Some(false)),
            Verdict::Unknown(_) => ("UNKNOWN", None),
        };
        let checks = program.map(|p| count(selected(p, &self.args.rules()), "check")).unwrap_or_default();
        let status = self.term.status(word, good);
        say(format_args!("{status} [{:>8.3}s] {}  {checks}", self.time.as_secs_f64(), self.files()));
        let Some(program) = program else { return };
        match verdict {
            Verdict::Proved(proof) => {
                if self.term.verbose {
                    say(format_args!("    proved by {}, certificate checked", proof.analysis));
                }
                if let Some(vacuous) = self.vacuous() {
                    self.term.diagnostic(&vacuous, &program.sources);
                }
            }
            Verdict::Violated(_) => {
                for (i, violation) in findings.violations.iter().enumerate() {
                    self.violation(program, violation, self.faults.filter(|_| i == 0));
                    if let Some(replay) = self.replays.get(i) {
                        say(format_args!("    {}", replay.describe()));
                    }
                }
                if self.args.all {
                    self.others(program, findings);
                }
            }
            Verdict::Unknown(reason) => self.reason(program, reason),
        }
        if !program.assumptions.is_empty() {
            say("Assumptions:");
        }
        for assumption in &program.assumptions {
            say(format_args!("    {}: {}", program.sources.display(assumption.span), assumption.text));
        }
    }

    /// The proof says less than it seems to.
    fn vacuous(&self) -> Option<Diagnostic> {
        let message = "no run gets past an assumption: nothing behind it is checked";
        let label = "contradicts what is assumed or known before";
        Some(Diagnostic::warning("tour::vacuous", message).label(self.contradiction?, label))
    }

    /// What is known of the checks that are not violated.
    fn others(&self, program: &Program, findings: &Findings) {
        let (violated, rest) = (findings.violations.len(), &findings.rest);
        let others = selected(program, &self.args.rules()) - violated;
        let checks = |n| count(n, "check");
        match (others, rest) {
            (0, _) => say(format_args!("{} violated", checks(violated))),
            (_, Verdict::Proved(_)) => {
                say(format_args!("{} violated, {} proved", checks(violated), checks(others)));
            }
            (_, Verdict::Violated(_) | Verdict::Unknown(_)) => {
                say(format_args!("{} violated, {} undecided", checks(violated), checks(others)));
            }
        }
    }

    /// A violation of a program with threads: its run, one column a thread.
    fn interleaving(&self, program: &Program, violation: &Violation) {
        let check = &program.checks[violation.check];
        let diagnostic = Diagnostic::error(check.rule.code(), check.rule.describe())
            .label(check.span, format!("{}: reached by the interleaving below", check.message));
        self.term.diagnostic(&diagnostic, &program.sources);
        say("Interleaving, one column a thread:");
        for row in interleaving(program, &violation.trace) {
            say(format_args!("    {row}"));
        }
    }

    fn violation(&self, program: &Program, violation: &Violation, faults: Option<&Localisation>) {
        if !program.threads.is_empty() {
            self.interleaving(program, violation);
            return;
        }
        let mut explained = explain::violation(program, violation);
        let command = format!("cargo tour explain {}", self.files());
        let here = std::env::current_dir().unwrap_or_default();
        if let Some(summary) = faults.and_then(|faults| faults.summary(&command, &here)) {
            explained.diagnostic = explained.diagnostic.help(summary);
        }
        self.term.diagnostic(&explained.diagnostic, &program.sources);
        if self.term.verbose {
            suspects::failed(faults);
        }
        self.inputs(program, violation, &explained);
        if self.term.verbose {
            say("Trace (the steps that matter are marked):");
            for (i, step) in violation.trace.iter().enumerate() {
                let mark = if explained.steps.binary_search(&i).is_ok() { '*' } else { ' ' };
                say(format_args!("  {mark} {}", load::show_step(program, step)));
            }
        } else {
            let of = count(violation.trace.len(), "step");
            say(format_args!("    {} of {of} matter; -v shows all", explained.steps.len()));
        }
    }

    fn inputs(&self, program: &Program, violation: &Violation, explained: &Explanation) {
        let inputs = explained.told(violation);
        if inputs.is_empty() {
            return;
        }
        say("Inputs, in the order in which they are asked for:");
        for input in shown(&inputs, self.term.verbose) {
            let Some(input) = input else {
                say(format_args!("    {LEFT_OUT}"));
                continue;
            };
            let ty = input.ty.map_or("byte".into(), |ty| program.show_type(ty));
            let place = input.edge.map_or("parameter".into(), |edge| {
                let edge = &program.cfa.edges[edge];
                format!("{}: {}", program.sources.display(edge.span), program.show_op(&edge.op))
            });
            say(format_args!("    {} ({ty})  {place}", input.show(program)));
        }
        let given = |input: &&Input| matches!(input.origin, InputOrigin::Nondet | InputOrigin::Undefined);
        if inputs.len() <= REPLAYED_INPUTS && inputs.iter().all(given) {
            let values: Vec<String> = inputs.iter().map(|input| input.show(program)).collect();
            say(format_args!("Replay: cargo tour run {} --input {}", self.files(), values.join(",")));
        }
    }

    fn files(&self) -> String {
        let files: Vec<_> = self.args.program.files.iter().map(|f| f.display().to_string()).collect();
        files.join(" ")
    }

    fn reason(&self, program: &Program, reason: &UnknownReason) {
        if let UnknownReason::Internal(what) = reason {
            return crash::report_internal(what);
        }
        let others = explain::other_unsupported(program, reason, For::Check);
        for diagnostic in explain::unknown(program, reason, For::Check).iter().chain(&others) {
            self.term.diagnostic(diagnostic, &program.sources);
        }
    }

    fn statistics(&self) {
        if self.args.stats && !self.args.wants_json() {
            say("Statistics:");
            for (name, value) in self.context.stats.rows() {
                say(format_args!("    {name:<24} {value}"));
            }
        }
    }
}

fn print_json(outcome: &json::Outcome) {
    match serde_json::to_string_pretty(outcome) {
        Ok(text) => say(text),
        Err(error) => crash::report_internal(&format!("the result is no JSON: {error}")),
    }
}

/// The ends of a long list, with `None` for what is left out.
fn shown<T>(items: &[T], all: bool) -> Vec<Option<&T>> {
    if all || items.len() <= SHOWN_INPUTS {
        return items.iter().map(Some).collect();
    }
    let half = SHOWN_INPUTS / 2;
    let (head, tail) = (&items[..half], &items[items.len() - half..]);
    head.iter().map(Some).chain([None]).chain(tail.iter().map(Some)).collect()
}

/// How many checks the rules have.
fn selected(program: &Program, rules: &[Rule]) -> usize {
    program.checks.iter().filter(|check| rules.contains(&check.rule)).count()
}

fn count(n: usize, what: &str) -> String {
    if n == 1 { format!("1 {what}") } else { format!("{n} {what}s") }
}
