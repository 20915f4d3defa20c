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
use crate::bam::{Bam, shared_local};
use crate::cfa::CallGraph;
use crate::limits::{Interrupt, StopReason};
use crate::program::Program;
use crate::stats::Statistics;
use crate::verdict::{UnknownReason, Verdict, Violation};
use std::borrow::Cow;
use std::sync::mpsc;
use std::thread;

/// Steps of the solver in the first round: lazy abstraction, then k-induction, which either works out soon or not at all,
/// then block-abstraction memoization, for programs with recursion only, which the others unfold for ever.
const FIRST_BUDGET: [u64; 3] = [1_000_000, 300_000, 1_000_000];

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
        let mut search = Search { program: Cow::Borrowed(program), context, violated: false };
        let mut verdict = Verdict::Unknown(UnknownReason::Inconclusive);
        let quick: [&dyn Analysis; 2] = [&Reachability, &Concrete::default()];
        for analysis in quick {
            let result = search.repeat(analysis);
            if result.is_decided() {
                return result;
            }
            verdict = more_telling(verdict, result);
        }
        let mut ended = FIRST_BUDGET.map(|_| false);
        let calls = CallGraph::of(program);
        let recursive =
            calls.reachable_bodies(program).any(|f| calls.is_recursive(f)) && shared_local(program).is_none();
        let mut round = 0u32;
        loop {
            let lanes: Vec<(usize, Lane)> =
                self.lanes(round, recursive).into_iter().enumerate().filter(|(i, _)| !ended[*i]).collect();
            if lanes.is_empty() {
                break;
            }
            context.stats.set("rounds", u64::from(round) + 1);
            let mut news = false;
            for Answer { lane, verdict: result, found } in self.round(&lanes, round, &search) {
                news |= search.close(found);
                if result.is_decided() {
                    return result;
                }
                ended[lane] = !matches!(result, Verdict::Unknown(UnknownReason::Inconclusive));
                verdict = more_telling(verdict, result);
            }
            if let Err(stop) = context.interrupt.check() {
                return Verdict::Unknown(UnknownReason::Stopped(stop));
            }
            // Nothing can be proved any more, and violations that are not deep have been looked for.
            if round > 0 && matches!(verdict, Verdict::Unknown(UnknownReason::Unsupported { .. })) {
                break;
            }
            // Who has something to repair does not wait for the last word on everything else.
            match (search.violated, news) {
                (true, false) => break,
                (true, true) => ended = FIRST_BUDGET.map(|_| false),
                (false, _) => round += 1,
            }
        }
        verdict
    }
}

/// The program with the checks closed that were found violated.
struct Search<'p> {
    program: Cow<'p, Program>,
    context: &'p Context,
    violated: bool,
}

impl Search<'_> {
    /// Runs an analysis until it finds no more violations, or to the first one if that is enough.
    fn repeat(&mut self, analysis: &dyn Analysis) -> Verdict {
        loop {
            match watched(analysis, &self.program, self.context) {
                Verdict::Violated(violation) if self.context.goals.go_on() => self.close(vec![*violation]),
                verdict => return verdict,
            };
        }
    }

    /// Notes violations, and closes their checks. False if there are none.
    fn close(&mut self, mut found: Vec<Violation>) -> bool {
        found.retain(|violation| {
            self.program.cfa.error_at(self.program.checks[violation.check].loc).is_some()
        });
        for violation in &found {
            self.program.to_mut().close(violation.check);
            self.context.goals.found(violation.clone());
        }
        self.violated |= !found.is_empty();
        !found.is_empty()
    }
}

/// What an analysis of a round has found out.
struct Answer {
    lane: usize,
    verdict: Verdict,
    found: Vec<Violation>,
}

/// What a lane may spend in a round.
fn budget(lane: usize, round: u32) -> Option<u64> {
    Some(FIRST_BUDGET[lane].saturating_mul(GROWTH.saturating_pow(round)))
}

/// What an analysis of a round is given.
fn for_lane(context: &Context, lane: usize, round: u32, interrupt: Interrupt) -> Context {
    Context {
        interrupt,
        stats: Statistics::default(),
        budget: budget(lane, round),
        watch: context.watch.clone(),
        goals: context.goals.fork(),
    }
}

impl Portfolio {
    /// The analyses of a round, by rank.
    fn lanes(&self, round: u32, recursive: bool) -> Vec<Lane> {
        let own = self.0.clone();
        // What diverges without invariants gets them in later rounds.
        let product = Options { invariants: round > 0, ..own.clone() };
        let mut lanes: Vec<Lane> = vec![Box::new(Product(product)), Box::new(KInduction(own.clone()))];
        if recursive {
            lanes.push(Box::new(Bam(own)));
        }
        lanes
    }

    /// Runs the analyses of a round. The last result is the one that counts if it is decided.
    fn round(&self, lanes: &[(usize, Lane)], round: u32, search: &Search) -> Vec<Answer> {
        let parallel = round > 0 && thread::available_parallelism().is_ok_and(|n| n.get() > 1);
        if !parallel || lanes.len() == 1 {
            return self.one_by_one(lanes, round, search);
        }
        let context = search.context;
        let stop: Vec<Interrupt> = lanes.iter().map(|_| context.interrupt.child()).collect();
        let mut results: Vec<Option<(Answer, Statistics)>> = lanes.iter().map(|_| None).collect();
        thread::scope(|scope| {
            let (done, arrivals) = mpsc::channel();
            for (rank, (lane, analysis)) in lanes.iter().enumerate() {
                let done = done.clone();
                let own = for_lane(context, *lane, round, stop[rank].clone());
                let worker = thread::Builder::new().name(analysis.name().into()).stack_size(16 << 20);
                let spawned = worker.spawn_scoped(scope, move || {
                    let answer = self.answer(*lane, analysis.as_ref(), &search.program, &own);
                    // The receiver waits for all lanes.
                    let _ = done.send((rank, answer, own.stats));
                });
                if spawned.is_err() {
                    stop[rank].stop(StopReason::Cancelled);
                }
            }
            drop(done);
            for (rank, answer, stats) in arrivals {
                if answer.verdict.is_decided() {
                    // Lanes of a lower rank can't change the answer any more.
                    stop[rank + 1..].iter().for_each(|s| s.stop(StopReason::Cancelled));
                }
                results[rank] = Some((answer, stats));
            }
        });
        let mut out = Vec::new();
        for (answer, stats) in results.into_iter().flatten() {
            let decided = answer.verdict.is_decided();
            context.stats.take_over(&stats);
            out.push(answer);
            if decided {
                break;
            }
        }
        out
    }

    fn one_by_one(&self, lanes: &[(usize, Lane)], round: u32, search: &Search) -> Vec<Answer> {
        let mut out = Vec::new();
        for (lane, analysis) in lanes {
            let own = for_lane(search.context, *lane, round, search.context.interrupt.clone());
            let answer = self.answer(*lane, analysis.as_ref(), &search.program, &own);
            search.context.stats.take_over(&own.stats);
            let decided = answer.verdict.is_decided();
            out.push(answer);
            if decided || search.context.interrupt.reason().is_some() {
                break;
            }
        }
        out
    }

    fn answer(&self, lane: usize, analysis: &dyn Analysis, program: &Program, context: &Context) -> Answer {
        let verdict = self.certified(program, watched(analysis, program, context), context);
        Answer { lane, verdict, found: context.goals.take() }
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
