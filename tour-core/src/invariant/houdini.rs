//! Houdini: candidates that are not inductive together are dropped until the rest is.

use super::concise::concise;
use crate::analysis::{Engine, unknown};
use crate::block::{Known, NodeId, Target};
use crate::encode::{Ssa, instantiate};
use crate::smt::{SatResult, Solver};
use crate::term::{Solved, TermId};
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
            let mut solved = Solved::of(&mut engine.terms, exit.formula);
            let kept = engine.ask(solved.formula, |engine, solver| {
                let terms = &mut engine.terms;
                let mut premises = Vec::with_capacity(given.len());
                for premise in given {
                    let premise = instantiate(terms, premise, &Ssa::default());
                    premises.push(solved.apply(terms, premise));
                }
                // What holds for all indices holds for those that the block uses.
                premises.extend(terms.instances(&premises, solved.formula));
                for premise in premises {
                    solver.assert(terms, premise);
                }
                let mut after = Vec::with_capacity(claims.len());
                for claim in claims {
                    let value = exit.path.ssa.evaluate(terms, claim);
                    after.push(Claim { claim, after: solved.apply(terms, value) });
                }
                after.retain(|claim| claim.after != engine.terms.no());
                let about: Vec<TermId> = after.iter().map(|c| c.after).chain([solved.formula]).collect();
                for lemma in engine.terms.lemmas(&about) {
                    solver.assert(&engine.terms, lemma);
                }
                let mut patience = PATIENCE;
                kept(engine, solver, after, &mut patience)
            })?;
            let kept: Vec<TermId> = kept.into_iter().map(|kept| kept.claim).collect();
            let dropped = candidates.get(&to).is_some_and(|old| old.len() != kept.len());
            candidates.insert(to, kept);
            if dropped && !waiting.contains(&to) {
                waiting.push(to);
            }
        }
    }
    let mut count = 0;
    for (node, mut claims) in candidates {
        if !claims.is_empty() {
            // They may hang on what was found before.
            let before = engine.blocks.invariant(node).map(|known| engine.terms.conjuncts(known));
            claims.extend(before.into_iter().flatten());
            let claims = concise(engine, claims);
            count += claims.len();
            let invariant = engine.terms.and(&claims);
            engine.blocks.assume(node, invariant);
        }
    }
    Ok(count)
}

/// So many questions may be too hard before what is left is given up.
const PATIENCE: usize = 32;

/// A claim about a node.
struct Claim {
    claim: TermId,
    /// The same at the end of a block that leads there.
    after: TermId,
}

/// The claims that hold at the end of a block. What is too hard to tell of many together is asked of each half.
fn kept(
    engine: &mut Engine,
    solver: &mut dyn Solver,
    mut claims: Vec<Claim>,
    patience: &mut usize,
) -> Result<Vec<Claim>, UnknownReason> {
    loop {
        engine.check_interrupt()?;
        if claims.is_empty() || *patience == 0 {
            return Ok(Vec::new());
        }
        let mut broken = Vec::with_capacity(claims.len());
        for claim in &claims {
            broken.push(engine.terms.not(claim.after));
        }
        let any = engine.terms.or(&broken);
        match solver.check(&engine.terms, &[any]) {
            SatResult::Unsat => return Ok(claims),
            SatResult::Sat => {
                let after: Vec<TermId> = claims.iter().map(|claim| claim.after).collect();
                let values = solver.values(&engine.terms, &after).map_err(unknown)?;
                let (before, mut values) = (claims.len(), values.into_iter());
                claims.retain(|_| values.next().flatten().and_then(|value| value.as_bool()) != Some(false));
                if claims.len() < before {
                    continue;
                }
                // The model does not tell which, as where it says little of arrays.
            }
            SatResult::Unknown(_) => *patience -= 1,
        }
        if claims.len() == 1 {
            return Ok(Vec::new());
        }
        let half = claims.split_off(claims.len() / 2);
        let mut all = kept(engine, solver, claims, patience)?;
        all.extend(kept(engine, solver, half, patience)?);
        return Ok(all);
    }
}
