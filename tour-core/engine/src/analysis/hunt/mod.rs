//! A directed bug hunt: the program is executed again and again, with inputs that led somewhere new, changed a little.
//!
//! It is a greybox fuzzer on top of the interpreter. A run is worth keeping if it takes an edge that no run took before,
//! or takes one far more often. Half of the time the run that is changed is one that came nearest to an error by the
//! distance of TOUR's search; otherwise any. All bounds are numbers of steps, and all choices come from one
//! seed, so that the same program always gets the same answer.

pub(super) mod draw;

use super::Analysis;
use super::edges::emit_edges;
use crate::confirm::{Recorder, steps};
use crate::context::Context;
use crate::directed::{Dist, Distances, Metric};
use crate::heuristics::HuntLimits;
use draw::Draw;
use index_vec::IndexVec;
use std::sync::{Mutex, PoisonError};
use tour_evidence::verdict::{UnknownReason, Verdict, Violation};
use tour_interp::interp::{Image, Observer, Options, Outcome, Random, Trace, Write};
use tour_ir::cfa::EdgeId;
use tour_ir::prepared::Prepared;

/// What has been learned so far. It is kept from round to round.
#[derive(Default)]
pub struct Hunt(Mutex<State>);

impl Hunt {
    /// Goes on for a number of steps.
    pub fn round(&self, steps: u64) -> Round<'_> {
        Round { hunt: self, steps, patience: u64::MAX }
    }

    /// A short beginning, which ends as soon as nothing new is found.
    pub fn beginning(&self, limits: &HuntLimits) -> Round<'_> {
        Round { hunt: self, steps: limits.first_hunt_steps, patience: limits.max_fruitless_runs }
    }
}

#[derive(Default)]
struct State {
    kept: Vec<Kept>,
    /// How often edges were taken in one run: a bit for each order of magnitude.
    seen: IndexVec<EdgeId, u32>,
    runs: u64,
}

/// A run that led somewhere new.
struct Kept {
    inputs: Vec<u128>,
    nearest: Dist,
}

/// A part of the hunt.
pub struct Round<'a> {
    hunt: &'a Hunt,
    steps: u64,
    /// Runs in a row that may lead nowhere new.
    patience: u64,
}

impl Analysis for Round<'_> {
    fn name(&self) -> &'static str {
        "hunt"
    }

    fn run(&self, program: &Prepared, context: &Context) -> Verdict {
        let mut state = self.hunt.0.lock().unwrap_or_else(PoisonError::into_inner);
        let state = &mut *state;
        let edges = program.cfa.edges.len();
        state.seen.resize(edges, 0);
        let image = Image::of(program);
        let limits = &context.heuristics.hunt;
        let numbers = draw::numbers(program, limits);
        let mut watch = Footprints::new(program);
        // Programs that run for ever are cut off, the later the longer the hunt is.
        let short = (self.steps / limits.short_run_share).clamp(limits.min_run_steps, limits.max_run_steps);
        let (mut left, mut nothing) = (self.steps, 0);
        while left > 0 && nothing < self.patience && context.interrupt.reason().is_none() {
            let mut random = Random::new(state.runs.wrapping_mul(0x9e37_79b9).wrapping_add(1));
            // Now and then a far longer run with nothing but new inputs.
            let is_long = state.runs.is_multiple_of(limits.long_run_every);
            let bound = if is_long { self.steps / limits.long_run_share } else { short };
            let mut inputs = if is_long { Vec::new() } else { state.pick(&mut random) };
            draw::change(&mut inputs, &numbers, &mut random);
            let habit = if is_long { state.runs / limits.long_run_every } else { random.word() };
            let mut draw = Draw::new(&inputs, &numbers, habit, random.word());
            let run = image.run(&mut draw, &limits.run_options(bound.min(left)), &mut watch);
            let taken = std::mem::take(&mut draw.taken);
            state.runs += 1;
            left = left.saturating_sub(run.steps.max(limits.min_run_cost));
            if let Outcome::Error(_) = run.outcome {
                watch.emit(program, context, state);
                return violation(&image, taken, &limits.run_options(bound));
            }
            let (new, nearest) = watch.end(&mut state.seen);
            nothing = if new { 0 } else { nothing + 1 };
            if new && taken.len() <= limits.max_kept_inputs {
                state.keep(Kept { inputs: taken, nearest }, limits.max_kept_runs, &mut random);
            }
        }
        watch.emit(program, context, state);
        Verdict::Unknown(UnknownReason::Inconclusive)
    }
}

impl State {
    /// The inputs of a run that is to be changed.
    fn pick(&self, random: &mut Random) -> Vec<u128> {
        // Something entirely new, now and then.
        if self.kept.is_empty() || random.word().is_multiple_of(8) {
            return Vec::new();
        }
        let any = random.word() as usize;
        let picked = match random.word() % 2 {
            0 => any % self.kept.len(),
            _ => {
                let nearest = self.kept.iter().map(|kept| kept.nearest).min();
                let near: Vec<usize> =
                    (0..self.kept.len()).filter(|i| Some(self.kept[*i].nearest) == nearest).collect();
                near[any % near.len()]
            }
        };
        self.kept[picked].inputs.clone()
    }

    fn keep(&mut self, kept: Kept, max: usize, random: &mut Random) {
        if self.kept.len() < max {
            self.kept.push(kept);
        } else {
            let place = random.word() as usize % max;
            self.kept[place] = kept;
        }
    }
}

/// Which edges a run takes, how often, and how near to an error it comes.
struct Footprints {
    counts: IndexVec<EdgeId, u32>,
    /// Edges with a count.
    taken: Vec<EdgeId>,
    distances: IndexVec<EdgeId, Dist>,
}

impl Footprints {
    fn new(program: &Prepared) -> Footprints {
        let distances = Distances::of(program, Metric::Bb, &[]);
        let edges = program.cfa.edges.iter();
        Footprints {
            counts: index_vec::index_vec![0; program.cfa.edges.len()],
            taken: Vec::new(),
            distances: edges.map(|edge| distances.abs_dist(edge.to)).collect(),
        }
    }

    /// Ends a run: did it lead somewhere new, and how near to an error?
    fn end(&mut self, seen: &mut IndexVec<EdgeId, u32>) -> (bool, Dist) {
        let (mut new, mut nearest) = (false, Dist::INFINITE);
        for edge in self.taken.drain(..) {
            let magnitude = 1 << std::mem::take(&mut self.counts[edge]).ilog2();
            new |= seen[edge] & magnitude == 0;
            seen[edge] |= magnitude;
            nearest = nearest.min(self.distances[edge]);
        }
        (new, nearest)
    }

    fn emit(mut self, program: &Prepared, context: &Context, state: &mut State) {
        self.end(&mut state.seen);
        if context.watch.is_on() {
            let taken = state.seen.iter_enumerated().filter(|(_, seen)| **seen != 0);
            emit_edges(program, &context.watch, taken.map(|(edge, _)| edge));
        }
        context.stats.set("hunt-runs", state.runs);
        context.stats.set("hunt-kept", state.kept.len());
    }
}

impl Observer for Footprints {
    const WRITES: bool = false;

    fn edge(&mut self, edge: EdgeId, _: u32) {
        let count = &mut self.counts[edge];
        if *count == 0 {
            self.taken.push(edge);
        }
        *count = count.saturating_add(1);
    }

    fn write(&mut self, _: Write) {}
}

/// Executes the run that found an error once more, with everything recorded.
fn violation(image: &Image, inputs: Vec<u128>, options: &Options) -> Verdict {
    let mut recorder = Recorder::new(Box::new(Again(inputs.into_iter())));
    let mut trace = Trace::default();
    let run = image.run(&mut recorder, options, &mut trace);
    match run.outcome {
        Outcome::Error(check) => Verdict::Violated(Box::new(Violation {
            check,
            analysis: "hunt",
            inputs: recorder.taken,
            trace: steps(image.program(), &trace),
        })),
        other => {
            let why = format!("a run that found an error did not find it again: {other:?}");
            Verdict::Unknown(UnknownReason::Internal(why))
        }
    }
}

/// Exactly these inputs.
struct Again(std::vec::IntoIter<u128>);

impl tour_interp::interp::Inputs for Again {
    fn next(&mut self, _: &tour_interp::interp::Request) -> Option<u128> {
        self.0.next()
    }
}

#[cfg(test)]
mod tests;
