//! Houdini: candidates that are not inductive together are dropped until the rest is.

use crate::analysis::{Engine, unknown};
use crate::block::{Known, NodeId, Target};
use crate::encode::{Ssa, instantiate};
use crate::smt::{SatResult, Solver};
use crate::term::TermId;
use crate::verdict::UnknownReason;
use std::collections::BTreeMap;

/// State formulas at nodes.
pub type Candidates = BTreeMap<NodeId, Vec<TermId>>;

/// Keeps the candidates that hold at the beginning and are kept by every block, given the others.
pub fn keep_inductive(engine: &mut Engine, mut candidates: Candidates) -> Result<usize, UnknownReason> {
    let Some(start) = engine.blocks.unfolding.start() else { return Ok(0) };
    // Blocks whose premises have changed are looked at again.
    let mut waiting: Vec<NodeId> = candidates.keys().copied().collect();
    waiting.push(start);
    waiting.sort_unstable();
    waiting.dedup();
    while let Some(node) = waiting.pop() {
        let block = engine.block(node, &Known::default());
        for exit in &block.exits {
            let Target::Node(to) = exit.to else { continue };
            if candidates.get(&to).is_none_or(Vec::is_empty) {
                continue;
            }
            let given = candidates.get(&node).cloned().unwrap_or_default();
            let claims = candidates.get(&to).cloned().unwrap_or_default();
            let kept = engine.ask(exit.formula, |engine, solver| {
                for premise in given {
                    let premise = instantiate(&mut engine.terms, premise, &Ssa::default());
                    solver.assert(&engine.terms, premise);
                }
                let mut left: Vec<(TermId, TermId)> = Vec::with_capacity(claims.len());
                for claim in claims {
                    left.push((claim, exit.path.ssa.evaluate(&mut engine.terms, claim)));
                }
                left.retain(|(_, after)| *after != engine.terms.no());
                loop {
                    engine.check_interrupt()?;
                    let mut broken = Vec::with_capacity(left.len());
                    for (_, after) in &left {
                        broken.push(engine.terms.not(*after));
                    }
                    let any = engine.terms.or(&broken);
                    match solver.check(&engine.terms, &[any]) {
                        SatResult::Unsat => return Ok(left),
                        SatResult::Sat => {
                            let model = solver.model(&engine.terms).map_err(unknown)?;
                            let before = left.len();
                            left.retain(|(_, after)| engine.terms.holds(*after, &model) != Some(false));
                            if left.len() == before {
                                // The model does not tell which, as where it says little of arrays.
                                return one_by_one(engine, solver, left);
                            }
                        }
                        // Too hard to tell of all together.
                        SatResult::Unknown(_) => return one_by_one(engine, solver, left),
                    }
                }
            })?;
            let kept: Vec<TermId> = kept.into_iter().map(|(claim, _)| claim).collect();
            let dropped = candidates.get(&to).is_some_and(|old| old.len() != kept.len());
            candidates.insert(to, kept);
            if dropped && !waiting.contains(&to) {
                waiting.push(to);
            }
        }
    }
    let mut count = 0;
    for (node, claims) in candidates {
        count += claims.len();
        if !claims.is_empty() {
            let invariant = engine.terms.and(&claims);
            engine.blocks.assume(node, invariant);
        }
    }
    Ok(count)
}

/// So many claims may be too hard to tell before the rest is not asked for any more.
const PATIENCE: usize = 8;

/// The claims that hold, each asked for alone.
fn one_by_one(
    engine: &mut Engine,
    solver: &mut dyn Solver,
    claims: Vec<(TermId, TermId)>,
) -> Result<Vec<(TermId, TermId)>, UnknownReason> {
    let mut kept = Vec::with_capacity(claims.len());
    let mut hard = 0;
    for (claim, after) in claims {
        engine.check_interrupt()?;
        let broken = engine.terms.not(after);
        match solver.check(&engine.terms, &[broken]) {
            SatResult::Unsat => kept.push((claim, after)),
            SatResult::Sat => {}
            SatResult::Unknown(_) if hard == PATIENCE => break,
            SatResult::Unknown(_) => hard += 1,
        }
    }
    Ok(kept)
}
