//! Invariants without those that follow from others: `x <= 7` says nothing beside `x == 3`.
//!
//! What is found is assumed by every block and asked for in every certificate, so that each invariant costs in every
//! question; of those that templates give, a few say it all.

use crate::analysis::Engine;
use crate::smt::{Purpose, QueryLimits, SatResult, Smt};
use crate::term::{Op, TermId, Terms};
use std::cmp::Reverse;

/// Steps of the solver for one question: whether a claim follows is clear soon, or not worth it.
const STEPS: u32 = 20_000;

/// The claims that say as much as all of them. Claims about arrays are kept.
pub fn concise(engine: &mut Engine, mut claims: Vec<TermId>) -> Vec<TermId> {
    let limits = engine.smt.limits();
    engine.smt.set_limits(QueryLimits { steps: Some(STEPS) });
    // Those that say most first, so that others follow; then once more from the other end, for what came too early.
    claims.sort_by_key(|claim| (rank(&engine.terms, *claim), Reverse(*claim)));
    let mut solver = engine.smt.solver(Purpose::Refinement);
    let mut kept: Vec<TermId> = Vec::new();
    for claim in claims {
        let denied = engine.terms.not(claim);
        let plain = engine.terms.is_bits(claim);
        if plain && solver.check(&engine.terms, &[denied]) == SatResult::Unsat {
            continue;
        }
        kept.push(claim);
        if plain {
            solver.assert(&engine.terms, claim);
        }
    }
    let mut solver = engine.smt.solver(Purpose::Refinement);
    for i in (0..kept.len()).rev() {
        let claim = kept[i];
        if !engine.terms.is_bits(claim) {
            continue;
        }
        let denied = engine.terms.not(claim);
        let others = kept.iter().enumerate().filter(|(k, other)| *k != i && engine.terms.is_bits(**other));
        let given: Vec<TermId> = others.map(|(_, other)| *other).chain([denied]).collect();
        if solver.check(&engine.terms, &given) == SatResult::Unsat {
            kept.remove(i);
        }
    }
    engine.smt.set_limits(limits);
    kept
}

/// Equations say more than comparisons, and these more than what is left out by `!=`.
fn rank(terms: &Terms, claim: TermId) -> u8 {
    match terms.op(claim) {
        Op::Eq => 0,
        Op::Not if terms.args(claim).first().is_some_and(|arg| terms.op(*arg) == Op::Eq) => 2,
        _ => 1,
    }
}
