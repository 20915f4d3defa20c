//! Analyses: each tries to prove a program or to find a violation.
//!
//! | file | what |
//! |---|---|
//! | `reachability` | no error location is connected with the entry: a proof by the graph alone |
//! | `concrete` | a short bug hunt: the program is executed with a few inputs |
//! | `lazy` | lazy abstraction with predicates, with explicit values, and with both |
//! | `bmc`, `induction` | bounded model checking and k-induction; `unroll` is what they share |
//! | `cegar`, `arg`, `waitlist`, `engine` | what these are made of |
//! | `options` | what a user can choose |
//! | `certificate` | the independent checker of proofs |
//!
//! [`verify`] runs them in order, cheapest first, and believes no one: a proof's certificate is checked and a
//! violation is executed before it is passed on.

mod arg;
mod bmc;
mod cegar;
mod certificate;
mod concrete;
mod engine;
mod induction;
mod lazy;
mod options;
mod reachability;
mod unroll;
mod waitlist;

pub use arg::{Arg, ArgId, ArgNode, Arrival};
pub use bmc::Bmc;
pub use cegar::{Cegar, Ending};
pub use concrete::{Concrete, Recorder, steps};
pub use engine::{BlockEncoding, Engine, unknown};
pub use induction::KInduction;
pub use lazy::{Predicate, Product, Value};
pub use options::{Kind, Options};
pub use reachability::Reachability;
pub use waitlist::{Order, Rank, Waitlist};

use crate::limits::Interrupt;
use crate::program::{Program, Rule};
use crate::stats::Statistics;
use crate::verdict::{UnknownReason, Verdict};
use std::time::Instant;

/// What every analysis is given.
#[derive(Clone, Debug, Default)]
pub struct Context {
    /// Long loops poll it.
    pub interrupt: Interrupt,
    /// What the analysis reports about its own work.
    pub stats: Statistics,
}

/// One way to get to a verdict.
pub trait Analysis {
    /// Its name, in results and statistics.
    fn name(&self) -> &'static str;

    /// Analyses the program.
    fn run(&self, program: &Program, context: &Context) -> Verdict;
}

/// Leaves only the checks of these rules, and adds those that the program does not state itself: see
/// [`crate::instrument`].
pub fn select_rules(program: &mut Program, rules: &[Rule]) {
    crate::instrument::select(program, rules);
}

/// Runs all analyses until one decides.
pub fn verify(program: &Program, context: &Context) -> Verdict {
    verify_with(program, context, &Options::default())
}

/// Runs the analyses that the options ask for until one decides.
pub fn verify_with(program: &Program, context: &Context, options: &Options) -> Verdict {
    let mut verdict = Verdict::Unknown(UnknownReason::Inconclusive);
    for analysis in chosen(options) {
        let start = Instant::now();
        let mut result = analysis.run(program, context);
        if options.certify {
            result = certified(program, result, context);
        }
        context.stats.add_time("analysis-time", start.elapsed());
        if result.is_decided() {
            return result;
        }
        verdict = more_telling(verdict, result);
        if let Err(stop) = context.interrupt.check() {
            return more_telling(verdict, Verdict::Unknown(UnknownReason::Stopped(stop)));
        }
    }
    verdict
}

fn chosen(options: &Options) -> Vec<Box<dyn Analysis>> {
    let own = options.clone();
    match options.analysis {
        Kind::Predicate => vec![Box::new(Predicate(own))],
        Kind::Value => vec![Box::new(Value(own))],
        Kind::Product => vec![Box::new(Product(own))],
        Kind::Bmc => vec![Box::new(Bmc(own))],
        Kind::KInduction => vec![Box::new(KInduction(own))],
        Kind::Auto => vec![Box::new(Reachability), Box::new(Concrete::default()), Box::new(Product(own))],
    }
}

/// The verdict, if its evidence holds.
fn certified(program: &Program, verdict: Verdict, context: &Context) -> Verdict {
    let Verdict::Proved(proof) = &verdict else { return verdict };
    match certificate::check(program, &proof.certificate, &context.interrupt) {
        Ok(()) => verdict,
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
fn more_telling(old: Verdict, new: Verdict) -> Verdict {
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
