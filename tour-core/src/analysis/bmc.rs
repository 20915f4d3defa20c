//! Bounded model checking: all runs of at most so many blocks.
//!
//! It finds violations that are not too deep. If at some depth no run is left, it is a proof.

use super::engine::Engine;
use super::options::Options;
use super::unroll::Unrolling;
use super::{Analysis, Context};
use crate::block::Target;
use crate::evidence;
use crate::program::Program;
use crate::smt::{Purpose, Smt};
use crate::verdict::{Certificate, Proof, UnknownReason, Verdict};

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
        verdict.unwrap_or_else(Verdict::Unknown)
    }
}

/// Looks at deeper and deeper runs.
pub(super) fn bounded(
    engine: &mut Engine,
    name: &'static str,
    max_depth: usize,
    context: &Context,
) -> Result<Verdict, UnknownReason> {
    let Some(start) = engine.blocks.unfolding.start() else { return Err(UnknownReason::NothingToVerify) };
    let beginning = engine.blocks.beginning(&mut engine.terms, start);
    let mut unrolling = Unrolling::new(start, beginning, Purpose::Feasibility);
    let mut stuck = None;
    while unrolling.depth() < max_depth {
        engine.check_interrupt()?;
        for (end, path) in unrolling.unroll(engine)? {
            if !engine.blocks.counts(end)
                || (stuck.is_some() && !matches!(end, Target::Error(_)))
                || !unrolling.is_feasible(engine, &path)?
            {
                continue;
            }
            match end {
                Target::Error(check) => {
                    let walk = unrolling.run(engine, &path)?;
                    match evidence::confirm(engine.program(), name, check, &walk) {
                        Verdict::Violated(violation) if context.goals.go_on() => {
                            context.goals.found(*violation);
                            engine.blocks.close(check);
                        }
                        verdict => return Ok(verdict),
                    }
                }
                Target::Unsupported(edge) => stuck = Some(engine.unsupported(edge)),
                Target::Node(_) => {}
            }
        }
        context.stats.set("depth", unrolling.depth());
        unrolling.prune(engine)?;
        if unrolling.frontier.is_empty() {
            return match stuck {
                Some(reason) => Err(reason),
                None => {
                    let certificate = Certificate::Unrolled { depth: unrolling.depth() };
                    Ok(Verdict::Proved(Proof { analysis: name, certificate }))
                }
            };
        }
    }
    Err(stuck.unwrap_or(UnknownReason::Inconclusive))
}
