//! A bug hunt for programs with threads: the program is executed again and again, with other schedules and other inputs.
//!
//! Most bugs of threads need few switches at the right places, so that schedules are drawn by habits that differ in how
//! often, and where, threads are interrupted: see [`habit`]. All bounds are numbers of steps, and all choices come from
//! one seed, so that the same program always gets the same answer.

mod habit;

use super::Analysis;
use super::edges::emit_edges;
use super::hunt::draw::{self, Draw};
use crate::context::Context;
use crate::heuristics::Heuristics;
use habit::Drawn;
use index_vec::IndexVec;
use std::sync::{Mutex, PoisonError};
use tour_evidence::verdict::{UnknownReason, Verdict};
use tour_interp::interp::{Image, Inputs, Observer, Options, Outcome, Random, Request, Write};
use tour_ir::cfa::EdgeId;
use tour_ir::prepared::Prepared;
use tour_ir::program::Builtin;
use tour_model::block::Visible;
use tour_model::threads::builtin_of;
use tour_model::threads::footprint::Footprints;
use tour_model::threads::graph::{ThreadGraph, about};

/// What has been learned so far. It is kept from round to round.
#[derive(Default)]
pub struct Schedules(Mutex<State>);

#[derive(Default)]
struct State {
    runs: u64,
    /// Turns of threads in the longest run.
    turns: u64,
    seen: IndexVec<EdgeId, bool>,
}

/// A part of the hunt.
pub struct Round<'a> {
    hunt: &'a Schedules,
    steps: u64,
}

impl Schedules {
    /// Goes on for a number of steps.
    pub fn round(&self, steps: u64) -> Round<'_> {
        Round { hunt: self, steps }
    }
}

impl Analysis for Round<'_> {
    fn name(&self) -> &'static str {
        "schedules"
    }

    fn run(&self, program: &Prepared, context: &Context) -> Verdict {
        // Rules that are a matter of where several threads are need more than a run that reaches an error.
        if !program.threads.races.is_empty() || program.threads.deadlock.is_some() {
            return Verdict::Unknown(UnknownReason::Inconclusive);
        }
        let mut state = self.hunt.0.lock().unwrap_or_else(PoisonError::into_inner);
        let state = &mut *state;
        state.seen.resize(program.cfa.edges.len(), false);
        let visible = ThreadGraph::of(program, &mut Footprints::prepared(program)).visible;
        let verdict = self.runs(program, &visible, context, state);
        if context.watch.is_on() {
            let taken = state.seen.iter_enumerated().filter(|(_, seen)| **seen);
            emit_edges(program, &context.watch, taken.map(|(edge, _)| edge));
        }
        context.stats.set("schedules", state.runs);
        verdict
    }
}

impl Round<'_> {
    fn runs(&self, program: &Prepared, visible: &Visible, context: &Context, state: &mut State) -> Verdict {
        let image = Image::of(program);
        let limits = &context.heuristics.schedules;
        let numbers = draw::numbers(program, &context.heuristics.hunt);
        let short =
            (self.steps / limits.short_run_share).clamp(limits.min_run_steps, limits.max_short_run_steps);
        let mut left = self.steps;
        while left > 0 && context.interrupt.reason().is_none() {
            let mut random = Random::new(state.runs.wrapping_mul(0x9e37_79b9).wrapping_add(1));
            // Programs that run for ever are cut off; now and then later than usual.
            let every = limits.long_run_every;
            let is_long = state.runs % every == every - 1;
            let bound = if is_long { (self.steps / every).min(limits.max_run_steps) } else { short };
            let mut scheduler = Drawn::new(state.runs, state.turns, random.word());
            let mut inputs = Draw::new(&[], &numbers, random.word(), random.word());
            let (max_steps, max_memory) = (bound.min(left), limits.max_memory);
            let options = Options { max_steps, max_memory, ..Options::default() };
            let mut seen = Seen(&mut state.seen);
            let (run, schedule) =
                image.run_threads(&mut inputs, &options, &mut seen, visible, &mut scheduler);
            state.runs += 1;
            state.turns = state.turns.max(scheduler.turns);
            left = left.saturating_sub(run.steps.max(limits.min_run_cost));
            if let Outcome::Error(check) = run.outcome {
                let inputs = Box::new(Again(inputs.taken.into_iter()));
                return crate::confirm::confirm_run(
                    program,
                    &context.heuristics.confirmation,
                    self.name(),
                    check,
                    inputs,
                    &schedule,
                );
            }
        }
        Verdict::Unknown(UnknownReason::Inconclusive)
    }
}

/// A run of the program creates more threads at some place than are followed.
pub(super) fn creates_too_many(program: &Prepared, heuristics: &Heuristics) -> bool {
    let visible = ThreadGraph::of(program, &mut Footprints::prepared(program)).visible;
    let mut seen = index_vec::index_vec![false; program.cfa.edges.len()];
    let numbers = draw::numbers(program, &heuristics.hunt);
    let mut inputs = Draw::new(&[], &numbers, 1, 1);
    let options = Options {
        max_steps: heuristics.preparation.probe_steps,
        max_memory: heuristics.schedules.max_memory,
        ..Options::default()
    };
    let mut scheduler = Drawn::new(0, 0, 1);
    Image::of(program).run_threads(&mut inputs, &options, &mut Seen(&mut seen), &visible, &mut scheduler);
    // The start of no thread in particular is where all have been started.
    seen.iter_enumerated().any(|(edge, seen)| {
        *seen
            && builtin_of(program, &program.cfa.edges[edge].op) == Some(Builtin::ThreadStart)
            && about(program, edge, 0).is_none()
    })
}

/// The edges that were taken.
struct Seen<'a>(&'a mut IndexVec<EdgeId, bool>);

impl Observer for Seen<'_> {
    const WRITES: bool = false;

    fn edge(&mut self, edge: EdgeId, _: u32) {
        self.0[edge] = true;
    }

    fn write(&mut self, _: Write) {}
}

/// Exactly these inputs.
struct Again(std::vec::IntoIter<u128>);

impl Inputs for Again {
    fn next(&mut self, _: &Request) -> Option<u128> {
        self.0.next()
    }
}
