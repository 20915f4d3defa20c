//! The portfolio: what `--analysis auto` does.
//!
//! First what costs next to nothing: the graph, and a few runs. Then rounds: in each round every analysis that has not
//! come to an end is granted a budget, several times that of the round before, and goes on where it was. Budgets are
//! counted in steps of the solver, not in time, so that the same program always gets the same answer by the same
//! analysis. From the second round on the analyses run side by side if there are cores for it; among those that decide,
//! the first by rank counts, so that this does not change the answer either.

use super::slice::OfSlice;
use super::{
    Algorithm, Analysis, Bam, Bmc, Concrete, ExplicitState, Hunt, Interleavings, KInduction, Kind, Lazy,
    Options, Reachability, RunBounds, Schedules, certified, more_informative, watched,
};
use crate::context::Context;
use crate::heuristics::HuntLimits;
use std::borrow::Cow;
use std::sync::{Mutex, PoisonError};
use std::thread::{self, Scope};
use tour_evidence::verdict::{UnknownReason, Verdict, Violation};
use tour_ir::budget::{Budget, Refused};
use tour_ir::cfa::CallGraph;
use tour_ir::limits::StopReason;
use tour_ir::prepared::Prepared;
use tour_ir::stats::Statistics;

/// The portfolio.
#[derive(Clone, Debug, Default)]
pub struct Portfolio(pub Options);

impl Analysis for Portfolio {
    fn name(&self) -> &'static str {
        "auto"
    }

    fn run(&self, program: &Prepared, context: &Context) -> Verdict {
        let mut search = Search { program: Cow::Borrowed(program), context, violated: false };
        let mut verdict = Verdict::Unknown(UnknownReason::Inconclusive);
        let hunts = Hunts::default();
        let heuristics = &context.heuristics;
        let quick: &[&dyn Analysis] = match program.threads.is_empty() {
            true => &[&Reachability, &Concrete::default(), &hunts.inputs.beginning(&heuristics.hunt)],
            false => &[&hunts.schedules.round(heuristics.schedules.first_steps)],
        };
        for &analysis in quick {
            let result = search.repeat(analysis);
            if result.is_decided() {
                return result;
            }
            verdict = more_informative(verdict, result);
        }
        let program = search.program.clone();
        let lanes = self.lanes(&program, context);
        thread::scope(|scope| {
            let verdict = self.rounds(scope, &lanes, &program, &hunts, &mut search, verdict);
            // Who is still waiting, or working, is not needed any more.
            lanes.iter().for_each(|lane| lane.context.interrupt.stop(StopReason::Cancelled));
            verdict
        })
    }
}

impl Portfolio {
    /// The analyses, by rank, with what they may spend in the first round: lazy abstraction, then explicit-state search,
    /// which asks the solver next to nothing and costs little where it does not work out, then bounded model checking,
    /// which is all that a program with short loops needs, then k-induction, which either works out soon or not at all,
    /// then block-abstraction memoization, for programs with recursion only, which the others unfold for ever. Programs
    /// with threads have analyses of their own: explicit values of all variables, which is enough for small programs and
    /// costs no refinement; values and predicates; and explicit values alone, which never stop to tell values apart, and
    /// so come to an end where loops do.
    fn lanes(&self, program: &Prepared, context: &Context) -> Vec<Lane> {
        let own = || self.0.clone();
        let budgets = &context.heuristics.portfolio;
        if !program.threads.is_empty() {
            let of = |analysis| Box::new(Interleavings(Options { analysis, ..own() }));
            return vec![
                Lane::new(of(Kind::EXPLICIT), budgets.explicit_steps, context),
                Lane::new(of(Kind::PRODUCT), budgets.threads_product_steps, context),
                Lane::new(of(Kind::VALUE), budgets.threads_value_steps, context),
            ];
        }
        let short = Bmc { options: own(), patience: Some(context.heuristics.bmc.max_steps_on_long_runs) };
        let lane = |algorithm: Algorithm, analysis: Box<dyn Analysis + Send + Sync>, steps: u64| {
            let analysis = match self.0.slice {
                true => Box::new(OfSlice::new(algorithm, analysis)),
                false => analysis,
            };
            Lane::new(analysis, steps, context)
        };
        let product = Lazy(Options { analysis: Kind::PRODUCT, ..own() });
        let values = Box::new(ExplicitState(own()));
        let mut lanes = vec![
            lane(Algorithm::Lazy, Box::new(product), budgets.product_steps),
            lane(Algorithm::ExplicitState, values, budgets.explicit_state_steps).once(),
            lane(Algorithm::Bmc, Box::new(short), budgets.bmc_steps).once(),
            lane(Algorithm::KInduction, Box::new(KInduction(own())), budgets.induction_steps),
        ];
        let calls = program.fact::<CallGraph>();
        let recursive = calls.reachable_bodies(program).any(|f| calls.is_recursive(f));
        if recursive {
            lanes.push(lane(Algorithm::Bam, Box::new(Bam(own())), budgets.bam_steps));
        }
        lanes
    }

    fn rounds<'s, 'e>(
        &'e self,
        scope: &'s Scope<'s, 'e>,
        lanes: &'e [Lane],
        program: &'e Prepared,
        hunts: &Hunts,
        search: &mut Search,
        mut verdict: Verdict,
    ) -> Verdict {
        let context = search.context;
        let cores = thread::available_parallelism().map_or(1, |n| n.get());
        let mut live: Vec<&Lane> = lanes.iter().collect();
        // Rounds, and those in which budgets have grown.
        let (mut round, mut grown) = (0u64, 0u32);
        while !live.is_empty() {
            context.stats.set("rounds", round + 1);
            let start = |lane: &&'e Lane| {
                if round == 0 {
                    self.spawn(scope, lane, program);
                }
                lane.grant(grown);
            };
            let parallel = round > 0 && cores > 1;
            if parallel {
                live.iter().for_each(start);
            }
            let mut news = false;
            let mut left = Vec::with_capacity(live.len());
            let others = live.clone();
            for lane in live {
                if !parallel {
                    start(&lane);
                }
                // A proof is a proof, whoever has it first; which run is shown for a violation does not hang on time.
                let proved = || others.iter().find(|other| other.has_proved());
                if let Some((lane, proof)) = lane.until_spent(proved).and_then(|l| l.result().map(|r| (l, r)))
                {
                    context.stats.take_over(&lane.context.stats);
                    return proof;
                }
                context.stats.take_over(&lane.context.stats);
                news |= search.close(lane.context.goals.found_so_far());
                match lane.result() {
                    Some(result) if result.is_decided() => return result,
                    Some(result) => verdict = more_informative(verdict, result),
                    None => left.push(lane),
                }
            }
            live = left;
            if let Err(stop) = context.interrupt.check() {
                return Verdict::Unknown(UnknownReason::Stopped(stop));
            }
            for analysis in hunts.after(program, &context.heuristics.hunt, round) {
                match search.repeat(analysis.as_ref()) {
                    result if result.is_decided() => return result,
                    result => verdict = more_informative(verdict, result),
                }
            }
            // Nothing can be proved any more, and violations that are not deep have been looked for.
            if round > 0 && matches!(verdict, Verdict::Unknown(UnknownReason::Unsupported { .. })) {
                break;
            }
            // Who has something to repair does not wait for the last word on everything else.
            match (search.violated, news) {
                (true, false) => break,
                (true, true) => {}
                (false, _) => grown += 1,
            }
            round += 1;
        }
        verdict
    }

    /// Starts an analysis, which waits for its budget.
    fn spawn<'s, 'e>(&'e self, scope: &'s Scope<'s, 'e>, lane: &'e Lane, program: &'e Prepared) {
        let worker = thread::Builder::new().name(lane.analysis.name().into()).stack_size(16 << 20);
        let spawned = worker.spawn_scoped(scope, || {
            let _ended = Ended(&lane.context.budget);
            let verdict = lane.run(program);
            let verdict = if self.0.certify { certified(program, verdict, &lane.context) } else { verdict };
            *lane.verdict.lock().unwrap_or_else(PoisonError::into_inner) = Some(verdict);
        });
        if spawned.is_err() {
            lane.context.budget.end();
        }
    }
}

/// What looks for violations by running the program.
#[derive(Default)]
struct Hunts {
    inputs: Hunt,
    schedules: Schedules,
}

impl Hunts {
    /// Those that follow a round.
    fn after(&self, program: &Prepared, limits: &HuntLimits, round: u64) -> Vec<Box<dyn Analysis + '_>> {
        if !program.threads.is_empty() {
            return vec![Box::new(self.schedules.round(limits.steps_after(round)))];
        }
        // A few runs that are far longer than the first ones, for loops that count far. What the solver has unrolled by
        // then is short of that.
        let longer = RunBounds::long_after(limits, round);
        let longer = longer.map(|bounds| Box::new(Concrete(Some(bounds))) as Box<dyn Analysis>);
        longer.into_iter().chain([Box::new(self.inputs.round(limits.steps_after(round))) as _]).collect()
    }
}

/// Notes the end of an analysis, even if it panics: others wait for it.
struct Ended<'a>(&'a Budget);

impl Drop for Ended<'_> {
    fn drop(&mut self) {
        self.0.end();
    }
}

/// An analysis that goes on from round to round.
struct Lane {
    analysis: Box<dyn Analysis + Send + Sync>,
    /// What it may spend in the first round.
    first: u64,
    /// If it ends without an answer, there is nothing more that it could do.
    once: bool,
    context: Context,
    /// What it has come to.
    verdict: Mutex<Option<Verdict>>,
}

impl Lane {
    fn new(analysis: Box<dyn Analysis + Send + Sync>, first: u64, context: &Context) -> Lane {
        let context = Context {
            interrupt: context.interrupt.child(),
            stats: Statistics::default(),
            budget: Budget::metered(),
            watch: context.watch.clone(),
            solver: context.solver,
            goals: context.goals.fork(),
            heuristics: context.heuristics.clone(),
        };
        Lane { analysis, first, once: false, context, verdict: Mutex::new(None) }
    }

    /// It is not started again with more to spend.
    fn once(self) -> Lane {
        Lane { once: true, ..self }
    }

    fn grant(&self, grown: u32) {
        let granted = self.context.budget.granted().unwrap_or(0);
        let more =
            self.first.saturating_mul(self.context.heuristics.portfolio.budget_growth.saturating_pow(grown));
        self.context.budget.grant(granted.saturating_add(more));
    }

    /// Runs the analysis. If a single question was too hard for what is granted, it is asked again with more.
    fn run(&self, program: &Prepared) -> Verdict {
        loop {
            let granted = self.context.budget.granted().unwrap_or(0);
            match watched(self.analysis.as_ref(), program, &self.context) {
                Verdict::Unknown(UnknownReason::Inconclusive) if !self.once => {
                    if let Err(Refused::Stopped(stop)) =
                        self.context.budget.wait(granted + 1, &self.context.interrupt)
                    {
                        return Verdict::Unknown(UnknownReason::Stopped(stop));
                    }
                }
                verdict => return verdict,
            }
        }
    }

    /// Waits until it has ended or waits itself, or until another one `proved` the program.
    fn until_spent<'l>(&self, proved: impl Fn() -> Option<&'l &'l Lane>) -> Option<&'l Lane> {
        while !self.context.budget.is_spent_soon() {
            if let Some(other) = proved() {
                return Some(other);
            }
        }
        None
    }

    /// It has ended with a proof.
    fn has_proved(&self) -> bool {
        matches!(self.result(), Some(Verdict::Proved(_)))
    }

    /// What it has come to, if it has ended.
    fn result(&self) -> Option<Verdict> {
        let verdict = self.verdict.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let failed = || Verdict::Unknown(UnknownReason::Inconclusive);
        self.context.budget.has_ended().then(|| verdict.unwrap_or_else(failed))
    }
}

/// The program with the checks closed that were found violated.
struct Search<'p> {
    program: Cow<'p, Prepared>,
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

    /// Notes violations, and closes their checks. False if none of them is new.
    fn close(&mut self, mut found: Vec<Violation>) -> bool {
        found.retain(|violation| {
            self.program.cfa.error_at(self.program.checks[violation.check].loc).is_some()
        });
        for violation in &found {
            self.program.to_mut().change(|program| program.close(violation.check));
            self.context.goals.found(violation.clone());
        }
        self.violated |= !found.is_empty();
        !found.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tour_ir::cfa::testing::prepared;

    /// What must be the same in every run: all but times.
    fn outcome(text: &str) -> (String, Vec<String>) {
        let program = prepared(text);
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
