//! A violation that an analysis found, executed by the interpreter.

use crate::analysis::{Recorder, steps};
use crate::block::{Asked, Walk};
use crate::interp::{Image, Inputs, Options, Outcome, Request, Trace, Why};
use crate::program::{CheckId, Program};
use crate::verdict::{UnknownReason, Verdict, Violation};
use std::collections::VecDeque;

/// Runs the program with the values of a walk. The verdict is a violation only if the run ends at the check.
pub fn confirm(program: &Program, analysis: &'static str, check: CheckId, walk: &Walk) -> Verdict {
    let image = Image::new(program);
    let inputs = FromWalk { asked: walk.asked.iter().copied().collect() };
    let mut recorder = Recorder::new(Box::new(inputs));
    let mut trace = Trace::default();
    let options = Options { max_steps: 100_000_000, ..Options::default() };
    let run = image.run(&mut recorder, &options, &mut trace);
    match run.outcome {
        Outcome::Error(reached) if reached == check => Verdict::Violated(Box::new(Violation {
            check,
            analysis,
            inputs: recorder.taken,
            trace: steps(program, &trace),
        })),
        other => Verdict::Unknown(UnknownReason::Unconfirmed {
            check,
            why: crate::evidence::replay::describe(&other),
        }),
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

/// The values of a walk, handed out to the edges that they belong to. What the walk does not know is zero.
struct FromWalk {
    asked: VecDeque<Asked>,
}

impl Inputs for FromWalk {
    fn next(&mut self, request: &Request) -> Option<u128> {
        let fits = |asked: &Asked| match request.why {
            Why::Havoc(_) => asked.edge == request.edge && asked.declared.is_none(),
            Why::Parameter(var) => asked.edge.is_none() && asked.declared == Some(var),
            Why::Declared(var) => asked.edge == request.edge && asked.declared == Some(var),
            Why::Unwritten => false,
        };
        match self.asked.front() {
            Some(asked) if fits(asked) => self.asked.pop_front().map(|a| a.bits),
            _ => Some(0),
        }
    }
}
