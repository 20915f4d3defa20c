//! Formulas that hold for every value of a variable.
//!
//! A *ghost* is a variable that the program knows nothing of, so that no step changes it. A formula with a ghost that is
//! shown to be inductive, whatever the ghost's value, holds for all of its values at once: `0 <= ∀k && ∀k < i` implies
//! `a[∀k] == 0` says that the first `i` elements are zero, without a quantifier. To make use of it, other terms are put in
//! the ghost's place: those at which a formula looks into arrays.

use super::arena::{BaseId, Symbol, TermId, Terms};
use super::op::Op;
use super::sort::Sort;
use super::walk::Memo;
use crate::tuning::InstanceLimits;
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

/// No variable of a program has such a name.
const GHOST: &str = "∀k";

/// An element of an array that a formula speaks of.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Look {
    /// The variable of the array, before anything was stored to it; `None` if it is made of several.
    array: Option<BaseId>,
    index: TermId,
}

impl Look {
    /// Both may be about the same array.
    fn may_meet(&self, other: &Look) -> bool {
        self.array.is_none() || other.array.is_none() || self.array == other.array
    }
}

impl Terms {
    /// The ghost of a sort.
    pub fn ghost(&mut self, sort: Sort, signed: bool) -> BaseId {
        self.declare(GHOST, sort, signed)
    }

    /// Is it a ghost?
    pub fn is_ghost(&self, base: BaseId) -> bool {
        &*self.base(base).name == GHOST
    }

    /// The ghosts in a formula.
    pub fn ghosts(&self, formula: TermId) -> Vec<Symbol> {
        self.free_symbols(formula).into_iter().filter(|symbol| self.is_ghost(symbol.base)).collect()
    }

    /// Where formulas look into arrays, or store into them.
    fn looks(&self, formulas: &[TermId]) -> Vec<Look> {
        let mut seen = BTreeSet::new();
        let mut looks = Vec::new();
        for term in self.postorder(formulas) {
            if let (Op::Select | Op::Store, &[mut array, index, ..]) = (self.op(term), self.args(term)) {
                while self.op(array) == Op::Store {
                    array = self.args(array)[0];
                }
                let look = Look { array: self.as_symbol(array).map(|symbol| symbol.base), index };
                if seen.insert(look) {
                    looks.push(look);
                }
            }
        }
        looks
    }

    /// Formulas that hold for all values of their ghosts, at the indices at which `about` looks into the same arrays.
    /// Formulas without a ghost, or with several, have no instances.
    pub fn instances(
        &mut self,
        limits: &InstanceLimits,
        formulas: &[TermId],
        about: &[TermId],
    ) -> Vec<TermId> {
        let universal: Vec<(TermId, Symbol)> = formulas
            .iter()
            .filter_map(|formula| match self.ghosts(*formula).as_slice() {
                &[ghost] => Some((*formula, ghost)),
                _ => None,
            })
            .collect();
        if universal.is_empty() {
            return Vec::new();
        }
        let mut looks = self.looks(about);
        looks.retain(|look| self.ghosts(look.index).is_empty());
        // Many formulas look into arrays in the same way.
        let mut solved: FxHashMap<(TermId, TermId), Option<TermId>> = FxHashMap::default();
        let mut found = Vec::new();
        for (formula, ghost) in universal {
            let mut shapes = self.looks(&[formula]);
            shapes.retain(|shape| self.mentions(shape.index, ghost));
            let mut at = BTreeSet::new();
            for look in &looks {
                for shape in shapes.iter().filter(|shape| shape.may_meet(look)) {
                    let key = (shape.index, look.index);
                    let term = match solved.get(&key) {
                        Some(term) => *term,
                        None => {
                            let term = self.solve(shape.index, ghost, look.index);
                            *solved.entry(key).or_insert(term)
                        }
                    };
                    at.extend(term);
                }
            }
            for term in at.into_iter().take(limits.max_instances) {
                found.push(self.replace(formula, ghost, term));
            }
        }
        found.truncate(limits.max_instances_of_question);
        found
    }

    /// Lemmas, true of all arrays, that make questions about a ghost's element easy: where the ghost's index is another
    /// one of these formulas, the elements are the same. Solvers that find out about equal indices bit by bit may try
    /// all of them.
    pub fn lemmas(&mut self, limits: &InstanceLimits, formulas: &[TermId]) -> Vec<TermId> {
        let (mut ghostly, mut plain) = (Vec::new(), BTreeSet::new());
        for term in self.postorder(formulas) {
            if let (Op::Select | Op::Store, &[array, index, ..]) = (self.op(term), self.args(term)) {
                if self.ghosts(index).is_empty() {
                    plain.insert(index);
                } else if self.op(term) == Op::Select {
                    ghostly.push((array, index, term));
                }
            }
        }
        let mut lemmas = Vec::new();
        for (array, at, element) in ghostly {
            for &index in plain.iter().filter(|index| self.sort(**index) == self.sort(at)).collect::<Vec<_>>()
            {
                let other = self.select(array, index);
                let (here, same) = (self.eq(at, index), self.eq(element, other));
                lemmas.push(self.implies(here, same));
            }
        }
        lemmas.truncate(limits.max_lemmas);
        lemmas
    }

    /// The formula with a term in place of a symbol.
    pub fn replace(&mut self, formula: TermId, symbol: Symbol, term: TermId) -> TermId {
        self.substitute(formula, &mut Memo::default(), |terms, t| {
            (terms.as_symbol(t) == Some(symbol)).then_some(term)
        })
    }

    fn mentions(&self, term: TermId, symbol: Symbol) -> bool {
        self.postorder(&[term]).into_iter().any(|t| self.as_symbol(t) == Some(symbol))
    }

    /// A term with which, in place of the ghost, an index of this shape becomes another index.
    fn solve(&mut self, shape: TermId, ghost: Symbol, index: TermId) -> Option<TermId> {
        if self.sort(shape) != self.sort(index) {
            return None;
        }
        if self.as_symbol(shape) == Some(ghost) {
            return Some(index);
        }
        let sort = self.base(ghost.base).sort;
        // The largest parts first.
        let mut parts: Vec<TermId> = self.postorder(&[index]);
        parts.retain(|part| self.sort(*part) == sort);
        parts.extend(self.as_bv(index).and_then(|value| self.divided(shape, ghost, value.value)));
        parts.into_iter().rev().find(|part| self.replace(shape, ghost, *part) == index)
    }

    /// The constant for which an index, which is linear in the ghost, becomes a number.
    fn divided(&mut self, shape: TermId, ghost: Symbol, number: u128) -> Option<TermId> {
        let Sort::BitVec(bits) = self.base(ghost.base).sort else { return None };
        let at = |terms: &mut Terms, value: u128| {
            let value = terms.bv(bits, value);
            let index = terms.replace(shape, ghost, value);
            Some(terms.as_bv(index)?.value)
        };
        let (first, second) = (at(self, 0)?, at(self, 1)?);
        let (step, distance) = (second.checked_sub(first)?, number.checked_sub(first)?);
        (step > 0 && distance % step == 0).then(|| self.bv(bits, distance / step))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::term::Elem;

    /// The instances of `k < n implies a[index(k)] == 7` for what a formula says of an array.
    fn check(
        index: fn(&mut Terms, TermId) -> TermId,
        about: fn(&mut Terms, TermId, TermId) -> TermId,
        expect: &[&str],
    ) {
        let t = &mut Terms::new();
        let ghost = t.ghost(Sort::BitVec(32), true);
        let array = t.declare("a", Sort::Array { index: 64, elem: Elem::BitVec(32) }, true);
        let (i, n) = (t.declare("i", Sort::BitVec(32), true), t.declare("n", Sort::BitVec(32), true));
        let (ghost, array, i, n) = (t.var(ghost, 0), t.var(array, 0), t.var(i, 0), t.var(n, 0));
        let seven = t.bv(32, 7);
        let at = index(t, ghost);
        let element = t.select(array, at);
        let is_seven = t.eq(element, seven);
        let beyond = t.bv_sle(n, ghost);
        let claim = t.or2(beyond, is_seven);
        let about = about(t, array, i);
        let found: Vec<String> = t
            .instances(&InstanceLimits::default(), &[claim], &[about])
            .into_iter()
            .map(|f| t.show(f))
            .collect();
        assert_eq!(found, expect);
    }

    fn wide(t: &mut Terms, term: TermId) -> TermId {
        t.resize(term, 64, true)
    }

    fn scaled(t: &mut Terms, term: TermId) -> TermId {
        let (wide, four) = (wide(t, term), t.bv(64, 4));
        t.bv_mul(wide, four)
    }

    fn is_zero(t: &mut Terms, array: TermId, index: TermId) -> TermId {
        let (element, zero) = (t.select(array, index), t.bv(32, 0));
        t.eq(element, zero)
    }

    #[test]
    fn indices_that_are_used() {
        let at_i = |t: &mut Terms, a: TermId, i: TermId| {
            let index = wide(t, i);
            is_zero(t, a, index)
        };
        check(wide, at_i, &["n <= i || a[s64(i)] == 7"]);
        check(scaled, at_i, &[]);
        let at_next = |t: &mut Terms, a: TermId, i: TermId| {
            let one = t.bv(32, 1);
            let next = t.bv_add(i, one);
            let index = scaled(t, next);
            is_zero(t, a, index)
        };
        check(scaled, at_next, &["n <= i + 1 || a[s64(i + 1) * 4] == 7"]);
        let at_12 = |t: &mut Terms, a: TermId, _: TermId| {
            let index = t.bv(64, 12);
            is_zero(t, a, index)
        };
        check(scaled, at_12, &["n <= 3 || a[12] == 7"]);
        check(wide, at_12, &["n <= 12 || a[12] == 7"]);
    }
}
