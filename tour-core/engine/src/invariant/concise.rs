//! Invariants without those that follow from others: `x <= 7` says nothing beside `x == 3`.
//!
//! What is found is assumed by every block and asked for in every certificate, so that each invariant costs in every
//! question; of the bounds that templates give, a few say it all.

use crate::context::Engine;
use std::cmp::Reverse;
use tour_logic::smt::{Purpose, QueryLimits, SatResult};
use tour_logic::term::{Op, TermId, Terms};

/// The claims that say as much as all of them. Only bounds, and comparisons of two variables, are looked at: whether
/// others follow can be hard to tell.
pub fn concise(engine: &mut Engine, claims: Vec<TermId>) -> Vec<TermId> {
    let (mut bounds, mut kept): (Vec<TermId>, Vec<TermId>) =
        claims.into_iter().partition(|claim| is_bound(&engine.terms, *claim));
    // Those that say most first, so that others follow.
    bounds.sort_by_key(|claim| (rank(&engine.terms, *claim), Reverse(*claim)));
    let limits = engine.smt.limits();
    engine
        .smt
        .set_limits(QueryLimits { steps: Some(engine.heuristics.invariants.questions.max_redundancy_steps) });
    let mut solver = engine.smt.solver(Purpose::Refinement);
    let mut first = Vec::with_capacity(bounds.len());
    for claim in bounds {
        let denied = engine.terms.not(claim);
        if solver.check(&engine.terms, &[denied]) != SatResult::Unsat {
            solver.assert(&engine.terms, claim);
            first.push(claim);
        }
    }
    // Once more from the other end, for what came before those that it follows from.
    let mut solver = engine.smt.solver(Purpose::Refinement);
    for i in (0..first.len()).rev() {
        let denied = engine.terms.not(first[i]);
        let others = first.iter().enumerate().filter(|(k, _)| *k != i).map(|(_, other)| *other);
        if solver.check(&engine.terms, &others.chain([denied]).collect::<Vec<_>>()) == SatResult::Unsat {
            first.remove(i);
        }
    }
    engine.smt.set_limits(limits);
    kept.extend(first);
    kept
}

/// It compares a variable with a constant or with another variable.
fn is_bound(terms: &Terms, claim: TermId) -> bool {
    let atom = terms.unary(Op::Not, claim).unwrap_or(claim);
    let is_simple = |side: &TermId| terms.value(*side).is_some() || terms.as_symbol(*side).is_some();
    matches!(terms.op(atom), Op::Eq | Op::BvUle | Op::BvSle) && terms.args(atom).iter().all(is_simple)
}

/// Equations say more than comparisons, and these more than what is left out by `!=`.
fn rank(terms: &Terms, claim: TermId) -> u8 {
    match (terms.op(claim), terms.unary(Op::Not, claim)) {
        (Op::Eq, _) => 0,
        (_, Some(atom)) if terms.op(atom) == Op::Eq => 2,
        _ => 1,
    }
}
