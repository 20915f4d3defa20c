//! Equations in a conjunction, solved: a variable that equals something is replaced by it everywhere.
//!
//! A solver that keeps its assertions for further questions does not do so. But that two reads of an array are the same
//! read, or that a step forward and a step back make no difference to a sum, is seen at once after it, and hard to see
//! before.

use super::{Memo, Op, TermId, Terms};

/// A formula without the variables that its equations determine.
pub struct Solved {
    /// What is left of the formula: it is satisfiable if, and only if, the formula is.
    pub formula: TermId,
    /// What terms become.
    memo: Memo,
}

impl Solved {
    /// Solves the equations among the conjuncts of a formula.
    pub fn of(terms: &mut Terms, formula: TermId) -> Solved {
        let mut values = Memo::default();
        let mut order = Vec::new();
        for part in terms.conjuncts(formula) {
            if equation(terms, part).is_none() {
                continue;
            }
            let part = terms.substitute(part, &mut Memo::default(), |_, term| values.get(&term).copied());
            if let Some((variable, value)) = equation(terms, part) {
                values.insert(variable, value);
                order.push((variable, value));
            }
        }
        // A value may speak of variables that were solved later.
        let mut memo = Memo::default();
        for (variable, value) in order.into_iter().rev() {
            let value = terms.substitute(value, &mut memo, |_, _| None);
            memo.insert(variable, value);
        }
        let formula = terms.substitute(formula, &mut memo, |_, _| None);
        Solved { formula, memo }
    }

    /// A term about the same variables, without those that were solved.
    pub fn apply(&mut self, terms: &mut Terms, term: TermId) -> TermId {
        terms.substitute(term, &mut self.memo, |_, _| None)
    }
}

/// The variable that an equation determines, and its value. Of two variables it is the later instance.
fn equation(terms: &Terms, formula: TermId) -> Option<(TermId, TermId)> {
    let (Op::Eq, &[a, b]) = (terms.op(formula), terms.args(formula)) else { return None };
    let index = |term: TermId| terms.as_symbol(term).map(|symbol| symbol.index);
    let (variable, value) = if index(a) >= index(b) { (a, b) } else { (b, a) };
    let symbol = terms.as_symbol(variable)?;
    (!terms.free_symbols(value).contains(&symbol)).then_some((variable, value))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::term::Sort;

    #[test]
    fn equations_are_solved() {
        let mut t = Terms::new();
        let [x, y, z] = ["x", "y", "z"].map(|name| t.declare(name, Sort::BitVec(8), false));
        let one = t.bv(8, 1);
        let ([x1, x2], [y1, y2], z1) = ([t.var(x, 1), t.var(x, 2)], [t.var(y, 1), t.var(y, 2)], t.var(z, 1));
        let (up, down) = (t.bv_add(x1, one), t.bv_sub(y1, one));
        let (first, second, third) = (t.eq(x2, up), t.eq(down, y2), t.eq(z1, x1));
        let small = t.bv_ule(x2, z1);
        let formula = t.and(&[first, second, third, small]);
        let mut solved = Solved::of(&mut t, formula);
        let sum = t.bv_add(x2, y2);
        let sum = solved.apply(&mut t, sum);
        for (term, shown) in [(solved.formula, "z@1 + 1 <= z@1"), (sum, "y@1 + z@1")] {
            assert_eq!(t.show(term), shown);
        }
    }

    #[test]
    fn a_circle_is_an_equation_of_one_variable() {
        let mut t = Terms::new();
        let [x, y] = ["x", "y"].map(|name| t.declare(name, Sort::BitVec(8), false));
        let (one, x, y) = (t.bv(8, 1), t.var(x, 1), t.var(y, 1));
        let (after_x, square) = (t.bv_add(x, one), t.bv_mul(y, y));
        let (first, second) = (t.eq(x, square), t.eq(y, after_x));
        let formula = t.and(&[first, second]);
        let solved = Solved::of(&mut t, formula);
        assert_eq!(t.free_symbols(solved.formula).len(), 1);
    }
}
