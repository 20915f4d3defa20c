//! Analyses: each tries to prove a program or to find a violation.
//!
//! | file | what |
//! |---|---|
//! | `reachability` | no error location is connected with the entry: a proof by the graph alone |
//! | `concrete` | a short bug hunt: the program is executed with a few inputs |
//! | `hunt` | a longer one: inputs that led somewhere new are changed, those near an error first |
//! | `schedules` | the same for programs with threads: schedules and inputs are drawn |
//! | `explicit_state` | explicit-state search: values of the variables that matter, edge by edge |
//! | `lazy` | lazy abstraction with predicates, with explicit values, and with both |
//! | `bam` | block-abstraction memoization |
//! | `interleavings` | lazy abstraction of programs with threads |
//! | `bmc`, `unwind` | bounded model checking: runs with few rounds of each loop, executed symbolically |
//! | `induction`, `unroll` | k-induction: runs of a number of blocks, layer by layer |
//! | `slice` | analyses of what the checks depend on, instead of the whole program |
//! | `options` | what a user can choose |
//! | `kind`, `domains` | algorithms, and the abstract domains that they work in |
//! | `edges` | what analyses that execute programs tell observers |
//! | `search_log` | the search, written down |
//! | `undefined_run` | programs without a defined run |
//! | `vacuous` | what no run gets to |
//!
//! [`verify`] runs them in order, cheapest first, and believes no one: a proof's certificate is checked and a
//! violation is executed before it is passed on.

mod bam;
mod bmc;
mod concrete;
mod domains;
mod edges;
mod explicit_state;
mod hunt;
mod induction;
mod interleavings;
mod kind;
mod lazy;
mod options;
mod portfolio;
mod reachability;
mod schedules;
mod search_log;
mod slice;
mod undefined_run;
mod unroll;
mod unwind;
mod vacuous;

pub use bam::Bam;
pub use bmc::Bmc;
pub use concrete::{Concrete, RunBounds};
pub use domains::DomainKind;
pub use explicit_state::ExplicitState;
pub use hunt::Hunt;
pub use induction::KInduction;
pub use interleavings::Interleavings;
pub use kind::{Algorithm, Kind, NoSuchKind, combinations};
pub use lazy::Lazy;
pub use options::Options;
pub use portfolio::Portfolio;
pub use reachability::Reachability;
pub use schedules::Schedules;
pub use search_log::{SearchLog, Step};
pub use vacuous::contradiction;
pub use vacuous::{is_excluded, taken};

use crate::context::{Context, Event, Findings, Goals, closed};
use crate::heuristics::Heuristics;
use std::borrow::Cow;
use std::time::Instant;
use tour_evidence::evidence::Certificate;
use tour_evidence::verdict::{Proof, UnknownReason, Verdict};
use tour_ir::prepared::Prepared;
use tour_ir::program::{Program, Rule};
use tour_model::threads;

/// One way to get to a verdict.
pub trait Analysis {
    /// Its name, in results and statistics.
    fn name(&self) -> &'static str;

    /// Analyses the program.
    fn run(&self, program: &Prepared, context: &Context) -> Verdict;
}

/// A program with the checks of these rules alone, those that it does not state itself included
/// ([`tour_model::instrument`]), and its threads made explicit.
pub fn prepare(program: Program, rules: &[Rule]) -> Prepared {
    prepare_tuned(program, rules, &Heuristics::default(), None)
}

/// The same, with a bound on the number of threads for each place that creates them in a loop.
pub fn prepare_with(program: Program, rules: &[Rule], bound: u32) -> Prepared {
    prepare_tuned(program, rules, &Heuristics::default(), Some(bound))
}

/// The same, with other tuning values, and perhaps a bound on the number of threads.
pub fn prepare_tuned(
    mut program: Program,
    rules: &[Rule],
    heuristics: &Heuristics,
    bound: Option<u32>,
) -> Prepared {
    let limits = &heuristics.preparation;
    threads::separate_reads(&mut program, rules);
    tour_model::instrument::select_tuned(&mut program, rules, limits);
    let with = |mut program: Program, bound: u32| {
        threads::unfold(&mut program, rules, limits, bound);
        Prepared::new(program)
    };
    if bound.is_some() || !threads::creates_threads(&program) {
        return with(program, bound.unwrap_or(limits.max_threads_of_place));
    }
    let few = with(program.clone(), limits.max_threads_of_place);
    // Where a run creates more, more are followed, if these are enough for it.
    if !few.threads.is_empty() && schedules::creates_too_many(&few, heuristics) {
        let more = with(program, limits.max_threads_if_needed);
        if !schedules::creates_too_many(&more, heuristics) {
            return more;
        }
    }
    few
}

/// Runs all analyses until one decides.
pub fn verify(program: &Prepared, context: &Context) -> Verdict {
    verify_with(program, context, &Options::default())
}

/// Runs the analysis that the options ask for.
pub fn verify_with(program: &Prepared, context: &Context, options: &Options) -> Verdict {
    let start = Instant::now();
    let analysis = match options.analysis.analysis(!program.threads.is_empty(), options) {
        // The portfolio has its own way with slices: it runs the whole program, too.
        Ok(analysis) if options.slice && options.analysis != Kind::AUTO => {
            Box::new(slice::OfSlice::new(options.analysis.algorithm, analysis))
        }
        Ok(analysis) => analysis,
        Err(none) => {
            let (kind, message) = ("analysis".to_owned(), none.to_string());
            let span = program.functions[program.entry].span;
            return Verdict::Unknown(UnknownReason::Unsupported { kind, message, span });
        }
    };
    let result = watched(analysis.as_ref(), program, context);
    context.stats.add_time("analysis-time", start.elapsed());
    // The portfolio has looked at the certificates of its analyses, but for those that cost next to nothing.
    let seen = options.analysis == Kind::AUTO
        && matches!(
            &result,
            Verdict::Proved(Proof {
                certificate: Certificate::Invariants(_)
                    | Certificate::Summaries(_)
                    | Certificate::States(_)
                    | Certificate::Interleavings(_)
                    | Certificate::Unrolled { .. }
                    | Certificate::KInduction { .. }
                    | Certificate::Slice { .. },
                ..
            })
        );
    let result = if options.certify && !seen { certified(program, result, context) } else { result };
    let result = match result {
        Verdict::Proved(_) if program.threads.is_empty() => {
            undefined_run::undefined_run(program).map_or(result, Verdict::Unknown)
        }
        _ => result,
    };
    match (&result, context.interrupt.reason()) {
        (Verdict::Unknown(_), Some(stop)) => {
            more_informative(result, Verdict::Unknown(UnknownReason::Stopped(stop)))
        }
        _ => result,
    }
}

/// Runs an analysis; who watches is told its name.
fn watched(analysis: &dyn Analysis, program: &Prepared, context: &Context) -> Verdict {
    let own = Context { watch: context.watch.of(analysis.name()), ..context.clone() };
    own.watch.emit(&Event::Begins);
    let verdict = analysis.run(program, &own);
    own.watch.emit(&Event::Ends { verdict: &verdict });
    verdict
}

/// Decides every check: goes on after a violation, and says what is known of the others.
pub fn verify_all(program: &Prepared, context: &Context, options: &Options) -> Findings {
    let context = Context { goals: Goals::all(), ..context.clone() };
    let mut violations = Vec::new();
    let mut program = Cow::Borrowed(program);
    loop {
        let verdict = verify_with(&program, &context, options);
        let mut new = context.goals.take();
        let rest = match verdict {
            Verdict::Violated(violation) => {
                new.push(*violation);
                None
            }
            rest => Some(rest),
        };
        program = closed(program, &new);
        violations.append(&mut new);
        if let Some(rest) = rest {
            violations.sort_by_key(|violation| violation.check);
            return Findings { violations, rest };
        }
    }
}

/// The verdict, if its evidence holds.
pub(crate) fn certified(program: &Prepared, verdict: Verdict, context: &Context) -> Verdict {
    let Verdict::Proved(proof) = &verdict else { return verdict };
    let start = Instant::now();
    let rest = context.goals.rest(program);
    let checked = tour_evidence::evidence::check_certificate(&rest, &proof.certificate, &context.interrupt);
    context.stats.add_time("certificate-time", start.elapsed());
    match checked {
        Ok(opinions) => {
            let all = opinions.circuits + opinions.z3 + opinions.integers;
            context.stats.add("certificate-questions", all);
            context.stats.add("certificate-questions-z3", opinions.z3);
            context.stats.add("certificate-questions-integers", opinions.integers);
            verdict
        }
        // A checker that was cut short has not shown anything.
        Err(why) => Verdict::Unknown(match context.interrupt.reason() {
            Some(stop) => UnknownReason::Stopped(stop),
            None => {
                let analysis = proof.analysis;
                UnknownReason::Internal(format!(
                    "the certificate of analysis {analysis} does not hold: {why}"
                ))
            }
        }),
    }
}

/// Of two verdicts without an answer, the one that says more to the user.
fn more_informative(old: Verdict, new: Verdict) -> Verdict {
    let rank = |verdict: &Verdict| match verdict {
        Verdict::Proved(_) | Verdict::Violated(_) => 7,
        Verdict::Unknown(UnknownReason::Internal(_)) => 6,
        Verdict::Unknown(UnknownReason::Stopped(_)) => 5,
        Verdict::Unknown(UnknownReason::Unsupported { .. } | UnknownReason::Undefined { .. }) => 4,
        Verdict::Unknown(
            UnknownReason::Unconfirmed { .. } | UnknownReason::Solver(_) | UnknownReason::NoProgress,
        ) => 3,
        Verdict::Unknown(UnknownReason::Invalid | UnknownReason::NothingToVerify) => 1,
        Verdict::Unknown(UnknownReason::Inconclusive) => 0,
    };
    if rank(&new) >= rank(&old) { new } else { old }
}
