//! Formulas that are satisfiable at first sight: no solver has to be asked.
//!
//! A conjunct is as good as gone if a variable of which no other conjunct speaks can be chosen so that it holds, whatever
//! the values of the others are: `x == e`, `x != e`, `x <= e`. What was said of the others there counts no more, so that
//! they may be the next to be chosen. If nothing is left, there is a solution.

use super::arena::{Symbol, TermId, Terms};
use super::op::Op;
use super::value::Value;
use std::collections::BTreeSet;

/// Longer conjunctions and larger formulas are left to solvers.
/// It keeps a shortcut cheaper than the question.
const MAX_PARTS: usize = 64;
/// The same.
const MAX_SIZE: usize = 1000;

impl Terms {
    /// The formula has a solution; one for which this is false may have one, too.
    pub fn is_evident(&self, formula: TermId) -> bool {
        let parts = self.conjuncts(formula);
        // What holds for all values of a variable is not a matter of choice.
        if parts.len() > MAX_PARTS
            || self.postorder(&[formula]).len() > MAX_SIZE
            || !self.ghosts(formula).is_empty()
        {
            return false;
        }
        let mut parts: Vec<(TermId, BTreeSet<Symbol>)> =
            parts.into_iter().map(|part| (part, self.free_symbols(part))).collect();
        while !parts.is_empty() {
            let speaks = |symbol: &Symbol| parts.iter().filter(|(_, own)| own.contains(symbol)).count();
            let done = parts.iter().position(|(part, own)| {
                own.iter().any(|symbol| speaks(symbol) == 1 && self.can_choose(*part, *symbol))
            });
            let Some(done) = done else { return false };
            parts.swap_remove(done);
        }
        true
    }

    /// Whatever the values of other variables are, there is one of this variable with which the formula holds.
    fn can_choose(&self, formula: TermId, symbol: Symbol) -> bool {
        let is = |term: TermId| self.as_symbol(term) == Some(symbol);
        // One side is the variable, and the other does not depend on it.
        let stands_alone = |a: TermId, b: TermId| is(a) && !self.free_symbols(b).contains(&symbol);
        let against = |a: TermId, b: TermId| stands_alone(a, b) || stands_alone(b, a);
        match (self.op(formula), self.args(formula)) {
            (Op::Var(_), _) => is(formula),
            (Op::Eq | Op::BvUle | Op::BvSle, &[a, b]) => against(a, b),
            (Op::Or, args) => args.iter().any(|part| self.can_choose(*part, symbol)),
            (Op::Not, &[inner]) => match (self.op(inner), self.args(inner)) {
                (Op::Var(_), _) => is(inner),
                (Op::Eq, &[a, b]) => against(a, b),
                // More than a constant that is not the largest one, or less than one that is not the smallest.
                (op @ (Op::BvUle | Op::BvSle), &[a, b]) => {
                    let signed = op == Op::BvSle;
                    is(a) && self.leaves_room(b, signed, true) || is(b) && self.leaves_room(a, signed, false)
                }
                _ => false,
            },
            _ => false,
        }
    }

    /// The term is a constant that is not the largest (or smallest) number of its width.
    fn leaves_room(&self, constant: TermId, signed: bool, above: bool) -> bool {
        let Some(Value::Bv(bv)) = self.value(constant) else { return false };
        let sign = 1u128 << (bv.bits - 1);
        let mask = sign | (sign - 1);
        let limit = match (signed, above) {
            (false, true) => mask,
            (false, false) => 0,
            (true, true) => mask ^ sign,
            (true, false) => sign,
        };
        bv.value != limit
    }
}

#[cfg(test)]
mod tests {
    use crate::term::{Sort, TermId, Terms};

    /// Is the conjunction evident that these parts of `x`, `y`, `z` make?
    fn check(parts: impl Fn(&mut Terms, [TermId; 3]) -> Vec<TermId>, expected: bool) {
        let mut t = Terms::new();
        let vars = ["x", "y", "z"].map(|name| {
            let base = t.declare(name, Sort::BitVec(8), false);
            t.var(base, 1)
        });
        let parts = parts(&mut t, vars);
        let formula = t.and(&parts);
        assert_eq!(t.is_evident(formula), expected, "{}", t.show(formula));
    }

    #[test]
    fn what_can_be_chosen_is() {
        check(|_, _| vec![], true);
        // A definition, and a condition on what is defined.
        check(
            |t, [x, y, _]| {
                let (one, two) = (t.bv(8, 1), t.bv(8, 2));
                let sum = t.bv_add(x, one);
                let same = t.eq(y, two);
                vec![t.eq(y, sum), t.not(same)]
            },
            false,
        );
        check(
            |t, [x, y, z]| {
                let sum = t.bv_add(x, y);
                let three = t.bv(8, 3);
                vec![t.eq(z, sum), t.bv_ult(x, three), t.bv_ule(y, three)]
            },
            true,
        );
        // Nothing is below zero or above the largest number.
        for (number, expected) in [(0, false), (1, true)] {
            check(
                |t, [x, y, _]| {
                    let bound = t.bv(8, number);
                    let zero = t.bv(8, 0);
                    let small = t.bv_ult(x, bound);
                    vec![small, t.eq(y, zero)]
                },
                expected,
            );
        }
        for (number, expected) in [(0x7f, false), (0x80, true)] {
            check(
                |t, [x, _, _]| {
                    let bound = t.bv(8, number);
                    vec![t.bv_slt(bound, x)]
                },
                expected,
            );
        }
        // Two conditions on one variable are left to solvers.
        check(|t, [x, y, z]| vec![t.bv_ult(x, y), t.bv_ult(y, z), t.bv_ult(z, x)], false);
    }
}
