//! The cone of influence: what of a formula matters to the question whether it can be satisfied.
//!
//! Most of a block's formula says what variables are at its end: `x@4 == x@3 + 1`. If nothing speaks of `x@4`, its value
//! can always be chosen, and the equation says nothing. This is how it is left out, with all that only it speaks of. A
//! global table that a program initialises and that the question is not about costs nothing then.
//!
//! So a solution of what is left becomes one of the whole formula: choose sides that hold, then compute the values of the
//! defined variables one after the other (see [`Definitions`]).

use super::arena::{TermId, Terms};
use super::definitions::Definitions;
use super::eval::{Assignment, Evaluation};
use super::op::Op;
use super::value::Value;
use rustc_hash::FxHashSet;
use std::borrow::Cow;

/// Formulas that hold together, and what of them is needed.
pub struct Cone {
    definitions: Definitions,
    /// Terms that are needed.
    needed: FxHashSet<TermId>,
}

impl Cone {
    /// What is needed to know whether these formulas hold together.
    pub fn of(terms: &Terms, formulas: &[TermId]) -> Cone {
        let mut cone =
            Cone { definitions: Definitions::of(terms, formulas, 1), needed: FxHashSet::default() };
        for leaf in cone.definitions.leaves.clone() {
            if cone.definitions.of_leaf(terms, leaf).is_none() {
                cone.need(terms, leaf);
            }
        }
        cone
    }

    /// Somebody asks about a term. True if that needs more than what was needed before.
    pub fn need(&mut self, terms: &Terms, term: TermId) -> bool {
        let mut more = false;
        let mut stack = vec![term];
        while let Some(term) = stack.pop() {
            if !self.needed.insert(term) {
                continue;
            }
            stack.extend(terms.args(term).iter().filter(|arg| !self.needed.contains(arg)));
            if let Some(values) = self.definitions.values.get(&term) {
                more = true;
                stack.extend(values);
            }
        }
        more
    }

    /// Everything is needed.
    pub fn need_all(&mut self) {
        self.needed.extend(self.definitions.order.iter().copied());
    }

    /// Nothing is left out.
    pub fn is_whole(&self) -> bool {
        self.definitions.order.iter().all(|variable| self.needed.contains(variable))
    }

    /// Whether a term speaks of something that is left out.
    pub fn leaves_out(&self, terms: &Terms, term: TermId) -> bool {
        let mut seen = FxHashSet::default();
        let mut stack = vec![term];
        while let Some(term) = stack.pop() {
            if self.needed.contains(&term) || !seen.insert(term) {
                continue;
            }
            if self.definitions.values.contains_key(&term) {
                return true;
            }
            stack.extend(terms.args(term));
        }
        false
    }

    /// The formulas.
    pub fn roots(&self) -> &[TermId] {
        &self.definitions.roots
    }

    /// Their conjunctions and disjunctions, arguments before those that use them.
    pub fn connectives(&self) -> &[TermId] {
        &self.definitions.connectives
    }

    /// Whether a part of the formulas that is no connective is left out: it holds, one way or another.
    pub fn is_left_out(&self, terms: &Terms, leaf: TermId) -> bool {
        self.definitions.of_leaf(terms, leaf).is_some_and(|(variable, _)| !self.needed.contains(&variable))
    }

    /// What is left consists of nothing but truth values and bit-vectors.
    pub fn is_bits(&self, terms: &Terms) -> bool {
        let is_connective = |term: &TermId| matches!(terms.op(*term), Op::And | Op::Or);
        let leaves =
            self.definitions.connectives.iter().flat_map(|c| terms.args(*c)).chain(&self.definitions.roots);
        leaves.filter(|leaf| !is_connective(leaf)).all(|l| terms.is_bits(*l) || self.is_left_out(terms, *l))
    }

    /// A model of what is left, with values for the variables that are left out, so that the formulas hold. `None` if
    /// these can't be told: what is left does not hold, or a value depends on something unspecified.
    pub fn complete(&self, terms: &Terms, model: Assignment) -> Option<Assignment> {
        let mut evaluation = Evaluation::new(terms, Cow::Owned(model));
        let mut chosen = self.definitions.chosen(terms, |leaf| {
            self.is_left_out(terms, leaf) || evaluation.value(leaf).and_then(|v| v.as_bool()) == Some(true)
        })?;
        chosen.retain(|variable, _| !self.needed.contains(variable));
        for variable in &self.definitions.order {
            if let Some(value) = chosen.get(variable)
                && let Some(symbol) = terms.as_symbol(*variable)
            {
                let value: Value = evaluation.value(*value)?;
                evaluation.set(symbol, value);
            }
        }
        Some(evaluation.into_assignment())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::term::random::{Rng, equations};
    use crate::term::{Sort, Symbol};

    /// What is left out of formulas between which a question asks about `about`.
    fn check(formulas: &[&str], about: &[(&str, u32)], expect: &[&str]) {
        let mut t = Terms::new();
        let formulas: Vec<TermId> = formulas.iter().map(|text| parse(&mut t, text)).collect();
        let mut cone = Cone::of(&t, &formulas);
        for (name, index) in about {
            let base = t.declare(name, Sort::BitVec(8), false);
            let variable = t.var(base, *index);
            cone.need(&t, variable);
        }
        let leaves: Vec<TermId> = cone.connectives().iter().flat_map(|c| t.args(*c)).copied().collect();
        let leaves = leaves.into_iter().chain(formulas).filter(|leaf| cone.is_left_out(&t, *leaf));
        let mut found: Vec<String> = leaves.map(|leaf| t.show(leaf)).collect();
        found.sort();
        found.dedup();
        assert_eq!(found, expect);
    }

    /// `x2 = x1 + 1 & (y1 <= x1 | y2 = 3)`: variables are a letter and an instance, `+` adds a number, `&` binds tighter
    /// than `|`.
    fn parse(t: &mut Terms, text: &str) -> TermId {
        let text = text.trim();
        let mut depth = 0;
        for split in ['|', '&'] {
            let at = text.char_indices().find(|(_, c)| {
                depth += i32::from(*c == '(') - i32::from(*c == ')');
                depth == 0 && *c == split
            });
            if let Some((at, _)) = at {
                let (a, b) = (parse(t, &text[..at]), parse(t, &text[at + 1..]));
                return if split == '|' { t.or2(a, b) } else { t.and2(a, b) };
            }
        }
        if let Some(inside) = text.strip_prefix('(').and_then(|text| text.strip_suffix(')')) {
            return parse(t, inside);
        }
        if let Some((a, b)) = text.split_once("<=") {
            let (a, b) = (word(t, a), word(t, b));
            return t.bv_ule(a, b);
        }
        let (a, b) = text.split_once('=').expect("an equation");
        let (a, b) = (word(t, a), word(t, b));
        t.eq(a, b)
    }

    fn word(t: &mut Terms, text: &str) -> TermId {
        if let Some((a, b)) = text.split_once('+') {
            let (a, b) = (word(t, a), word(t, b));
            return t.bv_add(a, b);
        }
        let text = text.trim();
        match text.parse() {
            Ok(number) => t.bv(8, number),
            Err(_) => {
                let base = t.declare(&text[..1], Sort::BitVec(8), false);
                t.var(base, text[1..].parse().expect("an instance"))
            }
        }
    }

    #[test]
    fn definitions_that_nothing_speaks_of_are_left_out() {
        check(&["x2 = x1 + 1 & y2 = x2 + z1"], &[], &["x@2 == x@1 + 1", "y@2 == x@2 + z@1"]);
        check(&["x2 = x1 + 1 & y2 = x2 + z1"], &[("x", 2)], &["y@2 == x@2 + z@1"]);
        check(&["x2 = x1 + 1 & y2 = x2 + z1"], &[("y", 2)], &[]);
        check(&["x2 = x1 + 1 & y2 = x2 + z1 & 3 <= y2"], &[], &[]);
        check(&["x2 = x1 + 1", "3 <= x2"], &[], &[]);
    }

    #[test]
    fn each_side_may_define_a_variable_once() {
        let sides = "x1 <= 4 & x2 = 1 | 5 <= x1 & x2 = y1";
        check(&[sides], &[], &["x@2 == 1", "x@2 == y@1"]);
        check(&[sides], &[("y", 1)], &["x@2 == 1", "x@2 == y@1"]);
        check(&[sides], &[("x", 2)], &[]);
        check(&[sides, "x2 = z1"], &[], &[]);
        check(&["x2 = 1 & x2 = z1"], &[], &[]);
        check(&["(x2 = 1 | y2 = 1) & (x2 = z1 | y1 <= 3)"], &[], &["y@2 == 1"]);
    }

    #[test]
    fn circles_define_nothing() {
        check(&["x1 = y1 + 1 & y1 = x1 + 2"], &[], &[]);
        check(&["x1 = y1 + 1 & y1 = z1 + 2 & z1 = x1 + 3 & x2 = x1"], &[], &["x@1 == x@2"]);
    }

    #[test]
    fn a_model_of_what_is_left_becomes_one_of_all() {
        let mut rng = Rng(1);
        let (mut completed, mut left_out) = (0, 0);
        for _ in 0..3000 {
            let t = &mut Terms::new();
            let formulas = [equations(t, &mut rng, 3), equations(t, &mut rng, 2)];
            let mut cone = Cone::of(t, &formulas);
            if rng.below(2) == 0 {
                let base = t.declare("x", Sort::BitVec(2), false);
                let variable = t.var(base, 3);
                cone.need(t, variable);
            }
            for _ in 0..8 {
                let mut model = Assignment::default();
                for symbol in formulas.iter().flat_map(|f| t.free_symbols(*f)).collect::<Vec<Symbol>>() {
                    model.set(symbol, Value::bv(2, rng.below(4) as u128));
                }
                if let Some(model) = cone.complete(t, model) {
                    completed += 1;
                    left_out += usize::from(!cone.is_whole());
                    for formula in formulas {
                        assert_eq!(t.holds(formula, &model), Some(true), "{}", t.show(formula));
                    }
                }
            }
        }
        assert!(completed > 1000 && left_out > 200, "{completed} {left_out}");
    }
}
