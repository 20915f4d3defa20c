//! A violation that an analysis found, executed by the interpreter; and its inputs made small, for people.

mod complete;
mod recorder;
mod shrink;

pub use recorder::{Recorder, steps};
pub use shrink::{Again, shrink, shrink_all};

use crate::context::Context;
use crate::heuristics::ConfirmationLimits;
use std::collections::VecDeque;
use tour_evidence::verdict::{UnknownReason, Verdict, Violation};
use tour_interp::interp::{Image, Inputs, Options, Outcome, Random, Request, Scheduled, Trace, Why};
use tour_ir::prepared::Prepared;
use tour_ir::program::{CheckId, ThreadId};
use tour_model::block::{Asked, Step, Walk};

/// Runs the program with the values of a walk. The verdict is a violation only if the run ends at the check.
///
/// Where the walk does not say what memory holds that was never written, it is zero first, then some other bytes.
pub fn confirm(
    program: &Prepared,
    limits: &ConfirmationLimits,
    analysis: &'static str,
    check: CheckId,
    walk: &Walk,
) -> Verdict {
    let image = Image::of(program);
    let mut verdict = attempt(&image, limits, analysis, check, walk, Unwritten::Zero);
    for seed in 0..limits.unwritten_contents {
        if verdict.is_decided() {
            break;
        }
        let memory = match seed {
            0 => Unwritten::Ones,
            _ => Unwritten::Random(Random::new(seed)),
        };
        match attempt(&image, limits, analysis, check, walk, memory) {
            found @ Verdict::Violated(_) => verdict = found,
            Verdict::Proved(_) | Verdict::Unknown(_) => {}
        }
    }
    match (verdict, program.whole()) {
        (Verdict::Violated(found), Some(whole)) => complete::complete(whole, limits, *found),
        (verdict, _) => verdict,
    }
}

/// Confirms a violation that an analysis found. `None`: it is noted, and others are looked for; otherwise how the analysis
/// ends.
pub fn ends(
    program: &Prepared,
    context: &Context,
    analysis: &'static str,
    check: CheckId,
    walk: &Walk,
) -> Option<Verdict> {
    match confirm(program, &context.heuristics.confirmation, analysis, check, walk) {
        Verdict::Violated(violation) if context.goals.go_on() => {
            context.goals.found(*violation);
            None
        }
        verdict => Some(verdict),
    }
}

/// What memory holds that was never written.
enum Unwritten {
    Zero,
    Ones,
    Random(Random),
}

fn attempt(
    image: &Image,
    limits: &ConfirmationLimits,
    analysis: &'static str,
    check: CheckId,
    walk: &Walk,
    unwritten: Unwritten,
) -> Verdict {
    let program = image.program();
    let inputs = FromWalk { unwritten, ..FromWalk::new(walk) };
    let mut recorder = Recorder::new(Box::new(inputs));
    let mut trace = Trace::default();
    let options = Options { max_steps: limits.max_steps, ..Options::default() };
    let run = image.run(&mut recorder, &options, &mut trace);
    match run.outcome {
        Outcome::Error(reached) if reached == check => Verdict::Violated(Box::new(Violation {
            check,
            analysis,
            inputs: recorder.taken,
            trace: steps(program, &trace),
        })),
        other => Verdict::Unknown(UnknownReason::Unconfirmed { check, why: describe(&other) }),
    }
}

/// Runs a program with threads by a schedule, with the values of a walk. The verdict is a violation only if the run ends
/// at the check.
pub fn confirm_schedule(
    program: &Prepared,
    limits: &ConfirmationLimits,
    analysis: &'static str,
    check: CheckId,
    walk: &Walk,
    schedule: &[(ThreadId, u32)],
) -> Verdict {
    let mut steps_left = walk.steps.iter();
    let mut scheduled = Vec::with_capacity(walk.steps.len());
    for &(thread, count) in schedule {
        scheduled.extend(steps_left.by_ref().take(count as usize).map(|step| {
            let edge = match *step {
                Step::Edge(edge) | Step::Enter { call: edge, .. } | Step::BadCall(edge) => Some(edge),
                Step::Leave { .. } => None,
            };
            Scheduled { thread, edge }
        }));
    }
    confirm_run(program, limits, analysis, check, Box::new(FromWalk::new(walk)), &scheduled)
}

/// Runs a program with threads by a schedule. The verdict is a violation only if the run ends at the check.
pub fn confirm_run(
    program: &Prepared,
    limits: &ConfirmationLimits,
    analysis: &'static str,
    check: CheckId,
    inputs: Box<dyn Inputs>,
    scheduled: &[Scheduled],
) -> Verdict {
    let image = Image::of(program);
    let mut recorder = Recorder::new(inputs);
    let mut trace = Trace::default();
    let options = Options { max_steps: limits.max_steps, ..Options::default() };
    let run = image.run_schedule(&mut recorder, &options, &mut trace, scheduled);
    match run.outcome {
        Outcome::Error(reached) if reached == check => {
            let mut trace = steps(program, &trace);
            let threads = scheduled.iter().filter(|s| s.edge.is_some()).map(|s| s.thread);
            for (step, thread) in trace.iter_mut().zip(threads) {
                step.thread = thread.index() as u32;
            }
            Verdict::Violated(Box::new(Violation { check, analysis, inputs: recorder.taken, trace }))
        }
        other => Verdict::Unknown(UnknownReason::Unconfirmed { check, why: describe(&other) }),
    }
}

/// How the run ended instead.
fn describe(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Error(_) => "the run fails another check".into(),
        Outcome::Exited(_) | Outcome::Ended => "the run ends without it".into(),
        Outcome::AssumeFailed(_) => "the run is excluded by an assumption".into(),
        Outcome::Undefined { kind, .. } => {
            format!("the run has undefined behaviour before: {}", kind.describe())
        }
        Outcome::Unsupported { what, .. } => format!("the interpreter can't execute the run: {what}"),
        Outcome::OutOfInputs { .. } => "the run asks for more inputs".into(),
        Outcome::Limit(_) => "the run is too long for the interpreter".into(),
    }
}

/// The values of a walk, handed out to the edges that they belong to. Other values that the walk does not know are zero.
pub struct FromWalk {
    asked: VecDeque<Asked>,
    memory: VecDeque<Asked>,
    unwritten: Unwritten,
}

impl FromWalk {
    /// The values of a walk.
    pub fn new(walk: &Walk) -> FromWalk {
        FromWalk {
            asked: walk.asked.iter().copied().collect(),
            memory: walk.unwritten.iter().copied().collect(),
            unwritten: Unwritten::Zero,
        }
    }
}

impl Inputs for FromWalk {
    fn next(&mut self, request: &Request) -> Option<u128> {
        let fits = |asked: &Asked| match request.why {
            Why::Havoc(_) => asked.edge == request.edge && asked.declared.is_none(),
            Why::Parameter(var) => asked.edge.is_none() && asked.declared == Some(var),
            Why::Declared(var) => asked.edge == request.edge && asked.declared == Some(var),
            Why::Unwritten => false,
        };
        let known = match request.why {
            Why::Unwritten => self.memory.iter().position(|asked| asked.edge == request.edge),
            Why::Havoc(_) | Why::Parameter(_) | Why::Declared(_) => None,
        };
        if let Some(known) = known {
            return self.memory.remove(known).map(|asked| asked.bits);
        }
        match self.asked.front() {
            _ if request.why == Why::Unwritten => match &mut self.unwritten {
                Unwritten::Zero => Some(0),
                Unwritten::Ones => Some(1),
                Unwritten::Random(random) => random.next(request),
            },
            Some(asked) if fits(asked) => self.asked.pop_front().map(|a| a.bits),
            _ => Some(0),
        }
    }
}
