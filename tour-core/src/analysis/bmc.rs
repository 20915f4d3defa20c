//! Bounded model checking: all runs in which no loop makes more than so many rounds, then more.
//!
//! It finds violations that are not too deep. If at some bound no run is left that would go on, it is a proof.

use super::engine::Engine;
use super::options::Options;
use super::unwind::{Failing, Questions, Unwinding};
use super::{Analysis, Context};
use crate::block::Target;
use crate::cfa::Turns;
use crate::evidence;
use crate::program::Program;
use crate::smt::Smt;
use crate::verdict::{Certificate, Proof, UnknownReason, Verdict};

/// How many rounds of a loop are looked at first, and how many times more then.
const FIRST: usize = 4;
const GROWTH: usize = 4;

/// Bounded model checking.
#[derive(Clone, Debug, Default)]
pub struct Bmc(pub Options);

impl Analysis for Bmc {
    fn name(&self) -> &'static str {
        "bmc"
    }

    fn run(&self, program: &Program, context: &Context) -> Verdict {
        let mut engine = Engine::new(program, context, self.0.block);
        let verdict = bounded(&mut engine, self.name(), self.0.max_depth, context);
        engine.smt.stats().publish(&context.stats);
        context.stats.set("solver-steps", engine.smt.spent());
        verdict.unwrap_or_else(Verdict::Unknown)
    }
}

/// Looks at longer and longer runs, up to so many rounds of a loop.
pub(super) fn bounded(
    engine: &mut Engine,
    name: &'static str,
    max_rounds: usize,
    context: &Context,
) -> Result<Verdict, UnknownReason> {
    let turns = Turns::of(engine.program());
    let mut questions = Questions::new(engine);
    let mut rounds = FIRST.min(max_rounds);
    loop {
        context.stats.set("unwinding", rounds);
        if let Some(verdict) = unwind(engine, name, rounds, &turns, &mut questions, context)? {
            return Ok(verdict);
        }
        if rounds >= max_rounds {
            return Err(UnknownReason::Inconclusive);
        }
        rounds = rounds.saturating_mul(GROWTH).min(max_rounds);
    }
}

/// Looks at all runs with so many rounds of a loop. `None` if there are longer ones.
fn unwind(
    engine: &mut Engine,
    name: &'static str,
    rounds: usize,
    turns: &Turns,
    questions: &mut Questions,
    context: &Context,
) -> Result<Option<Verdict>, UnknownReason> {
    let Some(start) = engine.blocks.unfolding.start() else { return Err(UnknownReason::NothingToVerify) };
    let mut unwinding = Unwinding::new(engine, turns, start, rounds);
    let mut stuck: Option<UnknownReason> = None;
    let mut goes_on = true;
    while goes_on {
        engine.check_interrupt()?;
        goes_on = unwinding.advance(engine, questions)?;
        if goes_on && !unwinding.is_time_to_ask() {
            continue;
        }
        // After something that is not modelled, only violations count.
        let is_done = |engine: &Engine, to: Target| match to {
            Target::Error(_) => !engine.blocks.counts(to),
            Target::Unsupported(_) | Target::Node(_) => stuck.is_some(),
        };
        while let Some(failing) = unwinding.failing(engine, questions, is_done)? {
            match failing {
                Failing::Error(check, walk) => match evidence::confirm(engine.program(), name, check, &walk) {
                    Verdict::Violated(violation) if context.goals.go_on() => {
                        context.goals.found(*violation);
                        engine.blocks.close(check);
                    }
                    verdict => return Ok(Some(verdict)),
                },
                Failing::Unsupported(edge) => {
                    stuck = Some(engine.unsupported(edge));
                    break;
                }
            }
        }
    }
    context.stats.set("depth", unwinding.depth());
    match (stuck, unwinding.cut) {
        (Some(reason), _) => Err(reason),
        (None, true) => Ok(None),
        (None, false) => {
            let certificate = Certificate::Unrolled { depth: unwinding.depth() };
            Ok(Some(Verdict::Proved(Proof { analysis: name, certificate })))
        }
    }
}
