//! Simplification in context, for formulas that are kept and looked at again and again.
//!
//! A part of a conjunction is simplified under the assumption that the other parts hold, a part of a disjunction
//! under the assumption that they do not; what is implied or contradicted there disappears. The atoms stay as they
//! are: a solver's own rewriting would break them up into bits.

use super::{Purpose, SatResult, Smt, Solver, Unknown};
use crate::term::{Op, TermId, Terms};

/// Below this nesting of connectives, parts stay as they are.
const DEPTH: u32 = 32;

/// An equivalent formula without parts that are redundant. It takes about two queries for each part.
pub fn simplify(
    smt: &dyn Smt,
    terms: &mut Terms,
    formula: TermId,
    purpose: Purpose,
) -> Result<TermId, Unknown> {
    let mut solver = smt.solver(purpose);
    part(&mut *solver, terms, formula, DEPTH)
}

/// Simplifies a formula under what the solver holds.
fn part(solver: &mut dyn Solver, terms: &mut Terms, formula: TermId, depth: u32) -> Result<TermId, Unknown> {
    if !possible(solver, terms, formula)? {
        return Ok(terms.no());
    }
    let negated = terms.not(formula);
    if !possible(solver, terms, negated)? {
        return Ok(terms.yes());
    }
    let op = terms.op(formula);
    match op {
        _ if depth == 0 => Ok(formula),
        Op::Not => {
            let inner = terms.args(formula)[0];
            let inner = part(solver, terms, inner, depth - 1)?;
            Ok(terms.not(inner))
        }
        Op::And | Op::Or => {
            let mut parts = terms.args(formula).to_vec();
            for i in 0..parts.len() {
                solver.push();
                for (_, &other) in parts.iter().enumerate().filter(|(j, _)| *j != i) {
                    let given = if op == Op::And { other } else { terms.not(other) };
                    solver.assert(terms, given);
                }
                let simplified = part(solver, terms, parts[i], depth - 1);
                solver.pop();
                parts[i] = simplified?;
            }
            Ok(terms.build(op, &parts))
        }
        _ => Ok(formula),
    }
}

fn possible(solver: &mut dyn Solver, terms: &Terms, formula: TermId) -> Result<bool, Unknown> {
    match solver.check(terms, &[formula]) {
        SatResult::Sat => Ok(true),
        SatResult::Unsat => Ok(false),
        SatResult::Unknown(why) => Err(why),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::smt::{QueryLimits, Z3};
    use crate::term::Sort;
    use crate::term::random::{Rng, draw};

    #[test]
    fn redundant_parts_disappear() {
        let mut t = Terms::new();
        let (x, y) = (t.declare("x", Sort::BitVec(8), false), t.declare("y", Sort::BitVec(8), false));
        let (x, y, three, five) = (t.var(x, 0), t.var(y, 0), t.bv(8, 3), t.bv(8, 5));
        let (le3, le5, eq) = (t.bv_ule(x, three), t.bv_ule(x, five), t.eq(x, y));
        let (ge5, either) = (t.not(le5), t.or2(le5, eq));
        let (both, any, none) = (t.and2(le3, either), t.or2(le3, le5), t.and2(le3, ge5));
        let z3 = Z3::new(QueryLimits::default(), Default::default());
        for (formula, want) in [(both, le3), (any, le5), (none, t.no()), (eq, eq)] {
            assert_eq!(simplify(&z3, &mut t, formula, Purpose::Refinement), Ok(want), "{}", t.show(formula));
        }
    }

    #[test]
    fn the_result_is_equivalent() {
        let mut rng = Rng(11);
        let mut t = Terms::new();
        let z3 = Z3::new(QueryLimits { steps: Some(50_000) }, Default::default());
        let mut smaller = 0;
        for _ in 0..30 {
            let [a, b, c] = [(); 3].map(|()| draw(&mut t, &mut rng, Sort::Bool, 1).simple);
            let (both, either) = (t.and2(a, b), t.or2(b, c));
            let again = t.and2(a, either);
            let formula = t.or2(both, again);
            let Ok(simple) = simplify(&z3, &mut t, formula, Purpose::Refinement) else { continue };
            let same = t.eq(simple, formula);
            let differ = t.not(same);
            assert_ne!(z3.check(&t, differ, Purpose::Certificate), SatResult::Sat, "{}", t.show(formula));
            smaller += usize::from(t.size(simple) < t.size(formula));
        }
        assert!(smaller > 5, "{smaller}");
    }
}
