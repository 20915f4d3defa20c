//! From a violation of a slice to one of the whole program.
//!
//! The run of the slice says which of its edges are taken, and which inputs they are given. What the whole program does in
//! between takes inputs that nobody knows: zeros first, then others, by a search that keeps what gets furthest along the
//! slice's run.

use super::Recorder;
use super::recorder::steps;
use crate::heuristics::ConfirmationLimits;
use rustc_hash::FxHashMap;
use std::collections::VecDeque;
use tour_evidence::verdict::{UnknownReason, Verdict, Violation};
use tour_interp::interp::{Image, Inputs, Observer, Options, Outcome, Random, Request, Trace, Why, Write};
use tour_ir::cfa::EdgeId;
use tour_ir::prepared::Prepared;

/// A run of the whole program that violates the check as the slice does, if one is found.
pub(super) fn complete(whole: &Prepared, limits: &ConfirmationLimits, found: Violation) -> Verdict {
    let image = Image::of(whole);
    let mut given: FxHashMap<Option<EdgeId>, VecDeque<u128>> = FxHashMap::default();
    for input in &found.inputs {
        given.entry(input.edge).or_default().push_back(input.bits);
    }
    let way: Vec<EdgeId> = found.trace.iter().map(|step| step.edge).collect();
    let (mut best, mut furthest) = (Vec::new(), 0);
    let mut left = limits.completion_steps;
    for attempt in 0..limits.completions {
        let mut random = Random::new(attempt);
        let mut prefix: Vec<u128> = best.clone();
        if attempt > 1 {
            prefix.truncate(random.word() as usize % (prefix.len() + 1));
        }
        let inputs = Between { given: given.clone(), prefix, used: Vec::new(), attempt, random };
        let options = Options { max_steps: left.min(limits.max_steps), ..Options::default() };
        let mut progress = Progress { way: &way, at: 0 };
        let mut between = inputs.clone();
        let run = image.run(&mut between, &options, &mut progress);
        if run.outcome == Outcome::Error(found.check) {
            let mut recorder = Recorder::new(Box::new(inputs));
            let mut trace = Trace::default();
            image.run(&mut recorder, &options, &mut trace);
            let trace = steps(whole, &trace);
            return Verdict::Violated(Box::new(Violation { inputs: recorder.taken, trace, ..found }));
        }
        if progress.at >= furthest {
            (best, furthest) = (between.used, progress.at);
        }
        left = left.saturating_sub(run.steps.max(1));
        if left == 0 {
            break;
        }
    }
    let why = "no run of the whole program was found that does what its slice does".into();
    Verdict::Unknown(UnknownReason::Unconfirmed { check: found.check, why })
}

/// The inputs of the slice where it asks for them, others elsewhere.
#[derive(Clone)]
struct Between {
    given: FxHashMap<Option<EdgeId>, VecDeque<u128>>,
    /// What is given to the others first.
    prefix: Vec<u128>,
    /// What was given to the others.
    used: Vec<u128>,
    attempt: u64,
    random: Random,
}

impl Inputs for Between {
    fn next(&mut self, request: &Request) -> Option<u128> {
        if let Some(bits) = self.given.get_mut(&request.edge).and_then(VecDeque::pop_front) {
            return Some(bits);
        }
        if let Why::Declared(_) | Why::Unwritten = request.why {
            return Some(0);
        }
        let bits = match (self.prefix.get(self.used.len()), self.attempt) {
            (Some(&bits), _) => bits,
            (None, 0) => 0,
            (None, 1) => 1,
            (None, _) => self.random.draw(request.bits),
        };
        self.used.push(bits);
        Some(bits)
    }
}

/// How far a run gets along the edges of another.
struct Progress<'a> {
    way: &'a [EdgeId],
    at: usize,
}

impl Observer for Progress<'_> {
    const WRITES: bool = false;

    fn edge(&mut self, edge: EdgeId, _: u32) {
        if self.way.get(self.at) == Some(&edge) {
            self.at += 1;
        }
    }

    fn write(&mut self, _: Write) {}
}
