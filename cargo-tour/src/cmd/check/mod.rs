//! `cargo tour check`: verify a C program.
//!
//! | file | what |
//! |---|---|
//! | `show` | the result for people |
//! | `results` | the result in files for other programs |

mod results;
mod show;

use crate::cli::{CheckArgs, ProgramArgs, ReplayWhen};
use crate::exit::Exit;
use crate::load::{self, Rejected};
use crate::progress::Progress;
use crate::term::{Term, print_error, print_line};
use crate::{coverage, crash, job};
use show::Show;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};
use tour::analysis;
use tour::confirm::shrink_all;
use tour::context::{Context, Findings, Watch};
use tour::coverage::{Collector, Coverage};
use tour::fault;
use tour::limits::{Ended, supervise};
use tour::native;
use tour::prepared::Prepared;
use tour::report::build::{self, AsC, Evidence};
use tour::report::json::CheckDocument;
use tour::report::places::Places;
use tour::report::record::Record;
use tour::result::{CheckedProgram, Claim, ClaimResult, Localisation, Status};
use tour::source::{Diagnostic, Span};
use tour::stats::Statistics;
use tour::verdict::{UnknownReason, Verdict};
use tour::visible::visible_in;

/// Steps of the solver that each technique may make to find suspects; `cargo tour explain` has more.
const SUSPECTS_BUDGET: u64 = 200_000;

/// Verifies and shows the result.
pub fn run(args: CheckArgs, term: Term) -> Exit {
    let start = Instant::now();
    if args.record_history.is_some() && !args.engine.is_one_metric() {
        print_error("error: --record-history needs --search tour and a --metric: st, bb, lh or lf");
        return Exit::Usage;
    }
    if let Some(why) = args.engine.contradiction() {
        print_error(format_args!("error: {why}"));
        return Exit::Usage;
    }
    let heuristics = match args.heuristics() {
        Ok(heuristics) => Arc::new(heuristics),
        Err(why) => {
            print_error(format_args!("error: --set: {why}"));
            return Exit::Usage;
        }
    };
    let search = args.explain_search.is_some().then(|| Arc::new(analysis::SearchLog::default()));
    let mut context = Context { solver: args.engine.solver, heuristics, ..Context::default() };
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
    let ended = match ended {
        Ended::Returned(ended) => ended,
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
    let program = loaded.get().map(Arc::as_ref);
    let findings = match ended {
        Ok(findings) => findings,
        Err(rejected) => return reject(&args, term, &rejected, time, &context.stats),
    };
    let mut result = result(&args, program, &findings, &found);
    result.time = time.as_secs_f64();
    let coverage = collector.get().zip(program).map(|(collector, program)| {
        let coverage = collector.coverage(program, &findings);
        // What was collected, and the time that it took, are statistics.
        collector.glance().measures.iter().for_each(|(id, share)| context.stats.set(id, *share));
        context.stats.set("coverage-time", collector.cost());
        coverage
    });
    result.statistics = build::statistics(&context.stats);
    let written = show(&args, term, &result, program, coverage.as_ref(), &context.stats)
        .and_then(|()| results::write(&args, program, &findings.verdict(), &result))
        .and_then(|()| match (coverage, program, collector.get()) {
            (Some(coverage), Some(program), Some(collector)) => {
                let violation = findings.violations.first();
                let record = || {
                    Record::new(&result, program, violation, coverage.clone())
                        .statistics(&context.stats)
                        .graph(&collector.graph())
                };
                covered(&args, &coverage, record)
            }
            _ => Ok(false),
        });
    let exit = match written {
        Ok(is_below) => exit_of(&result, is_below),
        Err(failed) => failed,
    };
    let searched = program.map_or(Ok(()), |program| {
        results::write_search(&args, program, result.verdict() != "UNKNOWN", cpu_time, search.as_deref())
    });
    searched.err().unwrap_or(exit)
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
    let bound = args.engine.threads;
    let program = analysis::prepare_tuned(program, &args.rules(), &context.heuristics, bound);
    let stats = &context.stats;
    stats.set("front-end-time", start.elapsed());
    stats.set("functions", program.functions.iter().filter(|f| f.body.is_some()).count());
    stats.set("locations", program.cfa.locs.len());
    stats.set("edges", program.cfa.edges.len());
    let rules = args.rules();
    stats.set("checks", program.checks.iter().filter(|check| rules.contains(&check.rule)).count());
    let program = Arc::new(program);
    let _ = loaded.set(program.clone());
    let watch = args.coverage.settings().map_or_else(
        || context.watch.clone(),
        |settings| context.watch.with(collector.get_or_init(|| Collector::new(&program, settings)).clone()),
    );
    let context = Context { watch, ..context.clone() };
    let options = args.engine.options();
    let options =
        analysis::Options { slice: options.slice && !args.coverage.output.is_asked_for(), ..options };
    let mut findings: Findings = match args.all {
        true => analysis::verify_all(&program, &context, &options),
        false => analysis::verify_with(&program, &context, &options).into(),
    };
    // Suspects are looked for around the run that was found: zeros and ones, which people like to see, tell less of a fault.
    let first = findings.violations.first().cloned();
    shrink_all(&program, &mut findings, &context);
    if let Some(violation) = first.filter(|_| program.threads.is_empty()) {
        let _ = found.findings.set(findings.clone());
        let start = Instant::now();
        let options = fault::Options { budget: SUSPECTS_BUDGET, ..fault::Options::default() };
        let faults = fault::localise(&program, &violation, &context, &options);
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

/// What the worker leaves when it has a verdict: looking for suspects comes after it.
#[derive(Default)]
struct Found {
    findings: OnceLock<Findings>,
    /// Of the first violation.
    faults: OnceLock<Localisation>,
    /// An assumption that no run of a proved program gets past.
    contradiction: OnceLock<Span>,
}

/// The claim that is checked.
fn claim(args: &CheckArgs) -> Claim {
    let ProgramArgs { files, entry, data_model, .. } = &args.program;
    Claim::Program(CheckedProgram {
        files: files.iter().map(|file| file.display().to_string()).collect(),
        entry: entry.clone(),
        data_model: format!("{data_model:?}").to_lowercase(),
        directory: std::env::current_dir().unwrap_or_default(),
    })
}

/// All that became of a program.
fn result(args: &CheckArgs, program: Option<&Prepared>, findings: &Findings, found: &Found) -> ClaimResult {
    let claim = claim(args);
    let Some(program) = program else {
        return match &findings.rest {
            Verdict::Unknown(reason) => build::unknown(claim, reason),
            _ => build::unknown(claim, &UnknownReason::Inconclusive),
        };
    };
    let mut places = Places::new(&program.sources);
    let certified = !args.engine.no_certify;
    let evidence = Evidence { program, rules: &args.rules(), findings, certified };
    let explain = format!("cargo tour explain {}", claim.name());
    let mut result = build::result(claim, &evidence, &AsC(program), &mut places);
    if let Some(faults) = found.faults.get() {
        let here = std::env::current_dir().unwrap_or_default();
        build::add_faults(&mut result, faults, &explain, &here);
    }
    if let Some(&span) = found.contradiction.get() {
        // The proof says less than it seems to.
        let message = "no run gets past an assumption: nothing behind it is checked";
        let label = "contradicts what is assumed or known before";
        let vacuous = Diagnostic::warning("tour::vacuous", message).label(span, label);
        result.diagnostics.push(places.message(&vacuous));
    }
    if args.replay == ReplayWhen::Native {
        let (units, options) = (load::units(&args.program), load::options(&args.program));
        for (shown, violation) in result.violations.iter_mut().zip(&findings.violations) {
            shown.replay = native::replay(program, violation, &units, &options);
        }
    }
    visible_in(&result)
}

/// Prints a result: as JSON, or for people.
fn show(
    args: &CheckArgs,
    term: Term,
    result: &ClaimResult,
    program: Option<&Prepared>,
    coverage: Option<&Coverage>,
    stats: &Statistics,
) -> Result<(), Exit> {
    if args.wants_json() {
        print_json(result);
        return Ok(());
    }
    if !term.quiet {
        Show { term, result, sources: program.map(|p| &p.sources), all: args.all }.result();
        if let Some(coverage) = coverage {
            if result.status == Status::Unknown {
                coverage::explain_unknown(coverage);
            }
            coverage::summary(&term, coverage, stats);
        }
    }
    statistics(args, stats);
    coverage.map_or(Ok(()), |coverage| args.coverage.output.compare(coverage))?;
    print_line(format_args!("VERDICT: {}", result.verdict_line()));
    Ok(())
}

/// Shows why there is no program.
fn reject(args: &CheckArgs, term: Term, rejected: &Rejected, time: Duration, stats: &Statistics) -> Exit {
    let invalid = build::invalid(claim(args), &rejected.diagnostics, &rejected.sources);
    let (status, reason) = match rejected.exit {
        Exit::Nothing => (Status::Unknown, UnknownReason::NothingToVerify),
        _ => (Status::Invalid, UnknownReason::Invalid),
    };
    let result = ClaimResult {
        status,
        reason: reason.to_string(),
        kind: Some(reason.kind().to_owned()),
        statistics: build::statistics(stats),
        time: time.as_secs_f64(),
        ..invalid
    };
    let result = visible_in(&result);
    if args.wants_json() {
        print_json(&result);
    }
    rejected.show(&term);
    if !args.wants_json() {
        statistics(args, stats);
        print_line(format_args!("VERDICT: {}", result.verdict_line()));
    }
    let written = results::write(args, None, &Verdict::Unknown(reason), &result);
    written.err().unwrap_or(rejected.exit)
}

/// Writes what was asked for about coverage. True if a gate is not passed.
fn covered(args: &CheckArgs, coverage: &Coverage, record: impl FnOnce() -> Record) -> Result<bool, Exit> {
    let output = &args.coverage.output;
    let is_below = output.is_below_a_gate(coverage);
    if output.wants_files() {
        output.write(&record())?;
    }
    Ok(is_below)
}

fn exit_of(result: &ClaimResult, is_below_a_gate: bool) -> Exit {
    match (result.status, result.kind.as_deref()) {
        (Status::Proved, _) if is_below_a_gate => Exit::Vacuous,
        (Status::Proved, _) => Exit::Success,
        (Status::Violated, _) => Exit::Violated,
        (_, Some("cancelled")) => Exit::Interrupted,
        (_, Some("internal-error")) => Exit::Internal,
        _ => Exit::Unknown,
    }
}

fn statistics(args: &CheckArgs, stats: &Statistics) {
    if args.stats && !args.wants_json() {
        print_line("Statistics:");
        for (name, value) in stats.rows() {
            print_line(format_args!("    {name:<24} {value}"));
        }
    }
}

fn print_json(result: &ClaimResult) {
    match serde_json::to_string_pretty(&CheckDocument::from(result)) {
        Ok(text) => print_line(text),
        Err(error) => crash::report_internal(&format!("the result is no JSON: {error}")),
    }
}
