//! Traversals. All keep their own stack: a formula may be far deeper than the machine's stack.

use super::arena::{Symbol, TermId, Terms};
use super::op::Op;
use super::sort::Sort;
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;
use std::collections::BTreeSet;

/// Results of a substitution by term, so that several formulas share the work. It belongs to one substitution.
pub type Memo = FxHashMap<TermId, TermId>;

impl Terms {
    /// All terms below (and with) the roots, each once, arguments before the terms that use them.
    pub fn postorder(&self, roots: &[TermId]) -> Vec<TermId> {
        let mut order = Vec::new();
        let mut seen = FxHashSet::default();
        // The flag says that the arguments have been visited.
        let mut stack: Vec<(TermId, bool)> = roots.iter().rev().map(|&r| (r, false)).collect();
        while let Some((term, done)) = stack.pop() {
            if done {
                order.push(term);
            } else if seen.insert(term) {
                stack.push((term, true));
                stack.extend(self.args(term).iter().rev().filter(|a| !seen.contains(a)).map(|&a| (a, false)));
            }
        }
        order
    }

    /// The variables of a term.
    pub fn free_symbols(&self, term: TermId) -> BTreeSet<Symbol> {
        self.postorder(&[term]).into_iter().filter_map(|t| self.as_symbol(t)).collect()
    }

    /// The atoms of a formula, in order of first appearance: its largest parts of sort `Bool` that are no
    /// connective. Constants are none.
    pub fn atoms(&self, formula: TermId) -> Vec<TermId> {
        let mut atoms = Vec::new();
        let mut seen = FxHashSet::default();
        let mut stack = vec![formula];
        while let Some(term) = stack.pop() {
            if !seen.insert(term) {
                continue;
            }
            if self.is_connective(term) {
                let bools = self.args(term).iter().rev().filter(|&&a| self.sort(a) == Sort::Bool);
                stack.extend(bools);
            } else if self.value(term).is_none() {
                atoms.push(term);
            }
        }
        atoms
    }

    /// A formula made of formulas: not an atom and not a constant.
    pub fn is_connective(&self, term: TermId) -> bool {
        match self.op(term) {
            Op::Not | Op::And | Op::Or => true,
            Op::Eq => self.sort(self.args(term)[0]) == Sort::Bool,
            Op::Ite => self.sort(term) == Sort::Bool,
            _ => false,
        }
    }

    /// A variable of sort `Bool` or its negation.
    pub fn is_literal(&self, term: TermId) -> bool {
        let atom = self.unary(Op::Not, term).unwrap_or(term);
        self.sort(atom) == Sort::Bool && self.as_symbol(atom).is_some()
    }

    /// The conjuncts of a formula, nested conjunctions taken apart.
    pub fn conjuncts(&self, formula: TermId) -> Vec<TermId> {
        let mut parts = Vec::new();
        let mut seen = FxHashSet::default();
        let mut stack = vec![formula];
        while let Some(term) = stack.pop() {
            if !seen.insert(term) || term == self.yes() {
                continue;
            }
            match self.op(term) {
                Op::And => stack.extend(self.args(term).iter().rev()),
                _ => parts.push(term),
            }
        }
        parts
    }

    /// The term with terms replaced as `replace` says (and what it says is not looked into again). `memo` keeps
    /// results for further calls with the same `replace`.
    pub fn substitute(
        &mut self,
        term: TermId,
        memo: &mut Memo,
        mut replace: impl FnMut(&mut Terms, TermId) -> Option<TermId>,
    ) -> TermId {
        let mut stack = vec![(term, false)];
        while let Some((term, done)) = stack.pop() {
            if memo.contains_key(&term) {
                continue;
            }
            if !done {
                if let Some(replaced) = replace(self, term) {
                    memo.insert(term, replaced);
                } else if self.args(term).is_empty() {
                    memo.insert(term, term);
                } else {
                    stack.push((term, true));
                    stack.extend(self.args(term).iter().map(|&a| (a, false)));
                }
                continue;
            }
            let args: SmallVec<[TermId; 4]> = self.args(term).iter().map(|a| memo[a]).collect();
            let new = if args[..] == *self.args(term) { term } else { self.build(self.op(term), &args) };
            memo.insert(term, new);
        }
        memo[&term]
    }

    /// The term with all variables renamed.
    pub fn rename(&mut self, term: TermId, rename: impl FnMut(Symbol) -> Symbol) -> TermId {
        self.rename_with(term, &mut Memo::default(), rename)
    }

    /// [`Terms::rename`] with a memo that further calls with the same renaming share.
    pub fn rename_with(
        &mut self,
        term: TermId,
        memo: &mut Memo,
        mut rename: impl FnMut(Symbol) -> Symbol,
    ) -> TermId {
        self.substitute(term, memo, |terms, t| {
            let symbol = terms.as_symbol(t)?;
            let new = rename(symbol);
            debug_assert_eq!(terms.base(symbol.base).sort, terms.base(new.base).sort);
            Some(terms.symbol(new))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn atoms_and_conjuncts() {
        let mut t = Terms::new();
        let (x, p) = (t.declare("x", Sort::BitVec(8), false), t.declare("p", Sort::Bool, false));
        let (x, p, c) = (t.var(x, 0), t.var(p, 0), t.bv(8, 3));
        let le = t.bv_ule(x, c);
        let eq = t.eq(x, c);
        let not_eq = t.not(eq);
        let both = t.eq(p, le);
        let formula = t.and(&[both, not_eq]);
        let mut atoms = t.atoms(formula);
        atoms.sort();
        let mut expected = vec![p, le, eq];
        expected.sort();
        assert_eq!(atoms, expected);
        assert_eq!(t.conjuncts(formula).len(), 2);
        assert!(t.conjuncts(t.yes()).is_empty());
        assert!(t.atoms(t.no()).is_empty());
    }

    #[test]
    fn substitution_simplifies() {
        let mut t = Terms::new();
        let x = t.declare("x", Sort::BitVec(8), false);
        let (x1, x2, c) = (t.var(x, 1), t.var(x, 2), t.bv(8, 3));
        let formula = t.bv_ule(x1, x2);
        let three = t.substitute(formula, &mut Memo::default(), |_, term| (term == x2).then_some(c));
        assert_eq!(t.show(three), "x@1 <= 3");
        let same = t.rename(formula, |s| s.with_index(0));
        assert_eq!(same, t.yes());
    }
}
