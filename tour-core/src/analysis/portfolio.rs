//! The portfolio: what `--analysis auto` does.
//!
//! First what costs next to nothing: the graph, and a few runs. Then rounds: in each round every analysis that has not
//! come to an end of its own gets a budget, eight times that of the round before. Budgets are counted in steps of the
//! solver, not in time, so that the same program always gets the same answer by the same analysis. From the second round
//! on the analyses of a round run side by side if there are cores for it; among those that decide, the first by rank
//! counts, so that this does not change the answer either.

use super::options::Options;
use super::{
    Analysis, Concrete, Context, KInduction, Product, Reachability, certified, more_telling, watched,
};
use crate::limits::{Interrupt, StopReason};
use crate::program::Program;
use crate::stats::Statistics;
use crate::verdict::{UnknownReason, Verdict};
use std::sync::mpsc;
use std::thread;

/// Steps of the solver in the first round: lazy abstraction, then k-induction, which either works out soon or not at all.
const FIRST_BUDGET: [u64; 2] = [1_000_000, 300_000];

/// The budget grows by this factor from round to round.
const GROWTH: u64 = 8;

/// The portfolio.
#[derive(Clone, Debug, Default)]
pub struct Portfolio(pub Options);

/// An analysis that has come to an end of its own is not run again.
type Lane = Box<dyn Analysis + Send + Sync>;

impl Analysis for Portfolio {
    fn name(&self) -> &'static str {
        "auto"
    }

    fn run(&self, program: &Program, context: &Context) -> Verdict {
        let mut verdict = Verdict::Unknown(UnknownReason::Inconclusive);
        let quick: [&dyn Analysis; 2] = [&Reachability, &Concrete::default()];
        for analysis in quick {
            let result = watched(analysis, program, context);
            if result.is_decided() {
                return result;
            }
            verdict = more_telling(verdict, result);
        }
        let mut ended = FIRST_BUDGET.map(|_| false);
        for round in 0u32.. {
            let lanes: Vec<(usize, Lane)> =
                self.lanes(round).into_iter().enumerate().filter(|(i, _)| !ended[*i]).collect();
            if lanes.is_empty() {
                break;
            }
            context.stats.set("rounds", u64::from(round) + 1);
            for (i, result) in self.round(&lanes, round, program, context) {
                if result.is_decided() {
                    return result;
                }
                ended[i] = !matches!(result, Verdict::Unknown(UnknownReason::Inconclusive));
                verdict = more_telling(verdict, result);
            }
            if let Err(stop) = context.interrupt.check() {
                return Verdict::Unknown(UnknownReason::Stopped(stop));
            }
            // Nothing can be proved any more, and violations that are not deep have been looked for.
            if round > 0 && matches!(verdict, Verdict::Unknown(UnknownReason::Unsupported { .. })) {
                break;
            }
        }
        verdict
    }
}

/// What a lane may spend in a round.
fn budget(lane: usize, round: u32) -> Option<u64> {
    Some(FIRST_BUDGET[lane].saturating_mul(GROWTH.saturating_pow(round)))
}

impl Portfolio {
    /// The analyses of a round, by rank.
    fn lanes(&self, round: u32) -> Vec<Lane> {
        let own = self.0.clone();
        // What diverges without invariants gets them in later rounds.
        let product = Options { invariants: round > 0, ..own.clone() };
        vec![Box::new(Product(product)), Box::new(KInduction(own))]
    }

    /// Runs the analyses of a round. The last result is the one that counts if it is decided.
    fn round(
        &self,
        lanes: &[(usize, Lane)],
        round: u32,
        program: &Program,
        context: &Context,
    ) -> Vec<(usize, Verdict)> {
        let parallel = round > 0 && thread::available_parallelism().is_ok_and(|n| n.get() > 1);
        if !parallel || lanes.len() == 1 {
            return self.one_by_one(lanes, round, program, context);
        }
        let stop: Vec<Interrupt> = lanes.iter().map(|_| context.interrupt.child()).collect();
        let mut results: Vec<Option<(Verdict, Statistics)>> = lanes.iter().map(|_| None).collect();
        thread::scope(|scope| {
            let (done, arrivals) = mpsc::channel();
            for (lane, (i, analysis)) in lanes.iter().enumerate() {
                let done = done.clone();
                let own = Context {
                    interrupt: stop[lane].clone(),
                    stats: Statistics::default(),
                    budget: budget(*i, round),
                    watch: context.watch.clone(),
                };
                let worker = thread::Builder::new().name(analysis.name().into()).stack_size(16 << 20);
                let spawned = worker.spawn_scoped(scope, move || {
                    let verdict = self.certified(program, watched(analysis.as_ref(), program, &own), &own);
                    // The receiver waits for all lanes.
                    let _ = done.send((lane, verdict, own.stats));
                });
                if spawned.is_err() {
                    stop[lane].stop(StopReason::Cancelled);
                }
            }
            drop(done);
            for (lane, verdict, stats) in arrivals {
                if verdict.is_decided() {
                    // Lanes of a lower rank can't change the answer any more.
                    stop[lane + 1..].iter().for_each(|s| s.stop(StopReason::Cancelled));
                }
                results[lane] = Some((verdict, stats));
            }
        });
        let mut out = Vec::new();
        for ((i, _), result) in lanes.iter().zip(results) {
            let Some((verdict, stats)) = result else { continue };
            let decided = verdict.is_decided();
            context.stats.take_over(&stats);
            out.push((*i, verdict));
            if decided {
                break;
            }
        }
        out
    }

    fn one_by_one(
        &self,
        lanes: &[(usize, Lane)],
        round: u32,
        program: &Program,
        context: &Context,
    ) -> Vec<(usize, Verdict)> {
        let mut out = Vec::new();
        for (i, analysis) in lanes {
            let own = Context {
                stats: Statistics::default(),
                budget: budget(*i, round),
                interrupt: context.interrupt.clone(),
                watch: context.watch.clone(),
            };
            let verdict = self.certified(program, watched(analysis.as_ref(), program, &own), &own);
            context.stats.take_over(&own.stats);
            let decided = verdict.is_decided();
            out.push((*i, verdict));
            if decided || context.interrupt.reason().is_some() {
                break;
            }
        }
        out
    }

    /// A proof that does not hold must not stop the others.
    fn certified(&self, program: &Program, verdict: Verdict, context: &Context) -> Verdict {
        if self.0.certify { certified(program, verdict, context) } else { verdict }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cfa::testing::sample;

    /// What must be the same in every run: all but times.
    fn outcome(text: &str) -> (String, Vec<String>) {
        let program = sample(text).program;
        let context = Context::default();
        let verdict = Portfolio::default().run(&program, &context);
        let is_time = |name: &str| name.ends_with("-time");
        let rows = context.stats.rows();
        let rows = rows.iter().filter(|(name, _)| !is_time(name)).map(|(n, v)| format!("{n}={v}"));
        (verdict.to_string(), rows.collect())
    }

    #[test]
    fn the_same_program_gets_the_same_answer_and_statistics() {
        for (text, expect) in [
            (
                "fn main(): 1->5 n = nondet; 5->2 x = 0; 2->3 [x < n]; 3->2 x = x + 1; 2->4 [!(x < n)];
                            4->6 [n > 0]; 4->exit [!(n > 0)]; 6->error [x > n]; 6->exit [!(x > n)]",
                "SAFE",
            ),
            ("fn main(): 1->2 x = nondet; 2->error [x == 77777]; 2->exit [!(x == 77777)]", "UNSAFE"),
        ] {
            let first = outcome(text);
            assert_eq!(first.0, expect);
            assert_eq!(first, outcome(text));
        }
    }
}
