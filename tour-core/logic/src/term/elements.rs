//! Elements in place of arrays, where equations define arrays: a question about memory as one about words.
//!
//! Blocks say `a@3 == store(a@2, i, v)`, in one of the ways that lead to their end. A solver that knows arrays looks at
//! every index of every one of them; but a question asks for a few elements, and what these are follows from the same
//! few elements of the arrays before. So each read of `a@3` at `j` is a variable, and the equation becomes one about it:
//! `a@3[j] == (i == j ? v : a@2[j])`. What nobody reads costs nothing, nor does what was stored there.
//!
//! That equal indices have equal elements is said only where a model has it otherwise (lemmas on demand). Every formula
//! that is made follows from those that were given, so *unsatisfiable* is certain; a model becomes one of the given
//! formulas by computing the defined variables one after the other, and whether it is one is then found out by evaluation.

use super::arena::{TermId, Terms};
use super::definitions::Definitions;
use super::eval::{Assignment, Evaluation};
use super::op::Op;
use super::reads::Reads;
use super::sort::Sort;
use crate::tuning::SolverLimits;
use rustc_hash::{FxHashMap, FxHashSet};
use std::borrow::Cow;

/// Formulas that hold together, by the elements of their arrays.
pub struct Elements {
    definitions: Definitions,
    reads: Reads,
    /// More elements are left to a solver that knows arrays.
    max_elements: usize,
    /// Terms without arrays that were looked at; a defined variable among them is needed.
    seen: FxHashSet<TermId>,
    /// What an equation of arrays says of the elements that are read.
    equations: FxHashMap<(TermId, TermId), Vec<TermId>>,
    /// What was found to matter of equal indices.
    facts: Vec<TermId>,
    /// What was not looked at yet.
    waiting: Vec<TermId>,
    /// Something was added to what the formulas say.
    has_grown: bool,
}

impl Elements {
    /// Formulas that hold together. `None` if they compare arrays, or read too much.
    pub fn of(terms: &mut Terms, tuning: SolverLimits, formulas: &[TermId]) -> Option<Elements> {
        let definitions = Definitions::of(terms, formulas, tuning.definition_visits);
        let mut elements = Elements {
            reads: Reads::lazy(tuning),
            max_elements: tuning.max_elements,
            definitions,
            seen: FxHashSet::default(),
            equations: FxHashMap::default(),
            facts: Vec::new(),
            waiting: Vec::new(),
            has_grown: false,
        };
        for leaf in elements.definitions.leaves.clone() {
            if elements.definitions.of_leaf(terms, leaf).is_none() {
                let leaf = elements.reads.without_arrays(terms, leaf)?;
                elements.waiting.push(leaf);
            }
        }
        elements.look_around(terms)?;
        Some(elements)
    }

    /// Whether there are any arrays.
    pub fn has_arrays(&self, terms: &Terms) -> bool {
        let is_array = |variable: &TermId| matches!(terms.sort(*variable), Sort::Array { .. });
        self.reads.len() > 0 || self.definitions.order.iter().any(is_array)
    }

    /// Another formula about the same variables, without arrays. `None` if it compares arrays, or reads too much.
    pub fn ask(&mut self, terms: &mut Terms, formula: TermId) -> Option<TermId> {
        let formula = self.reads.without_arrays(terms, formula)?;
        self.waiting.push(formula);
        self.look_around(terms)?;
        Some(formula)
    }

    /// Finds the defined variables and elements that are needed, and what these need.
    fn look_around(&mut self, terms: &mut Terms) -> Option<()> {
        loop {
            while let Some(term) = self.waiting.pop() {
                if !self.seen.insert(term) {
                    continue;
                }
                self.waiting.extend(terms.args(term).iter().filter(|arg| !self.seen.contains(arg)));
                if let Some(values) = self.definitions.values.get(&term) {
                    self.has_grown = true;
                    for &value in values {
                        self.waiting.push(self.reads.without_arrays(terms, value)?);
                    }
                }
            }
            let asked = self.reads.asked();
            if asked.is_empty() && self.waiting.is_empty() {
                return Some(());
            }
            for (array, index, element) in asked {
                self.waiting.push(index);
                for &value in self.definitions.values.get(&array).into_iter().flatten() {
                    let before = self.reads.without_arrays(terms, value)?;
                    let before = self.reads.element(terms, before, index)?;
                    let equation = terms.eq(element, before);
                    self.equations.entry((array, value)).or_default().push(equation);
                    self.waiting.push(equation);
                    self.has_grown = true;
                }
            }
            if self.reads.len() > self.max_elements {
                return None;
            }
        }
    }

    /// Whether the formulas say more than when this was last asked for.
    pub fn has_grown(&mut self) -> bool {
        std::mem::take(&mut self.has_grown)
    }

    /// The formulas, as far as they matter, without arrays.
    pub fn formulas(&mut self, terms: &mut Terms) -> Vec<TermId> {
        let mut made: FxHashMap<TermId, Option<TermId>> = FxHashMap::default();
        for leaf in self.definitions.leaves.clone() {
            made.insert(leaf, self.leaf(terms, leaf));
        }
        for &connective in &self.definitions.connectives {
            let parts = terms.args(connective).iter().map(|arg| made[arg]);
            let new = match terms.op(connective) {
                Op::And => {
                    let parts: Vec<TermId> = parts.flatten().collect();
                    (!parts.is_empty()).then(|| terms.and(&parts))
                }
                // If one side holds whatever is chosen, all of it does.
                _ => parts.collect::<Option<Vec<TermId>>>().map(|parts| terms.or(&parts)),
            };
            made.insert(connective, new);
        }
        self.definitions
            .roots
            .iter()
            .filter_map(|root| made[root])
            .chain(self.facts.iter().copied())
            .collect()
    }

    /// A part of the formulas that is no connective, without arrays. `None` if it defines what is not needed.
    fn leaf(&mut self, terms: &mut Terms, leaf: TermId) -> Option<TermId> {
        let Some((variable, value)) = self.definitions.of_leaf(terms, leaf) else {
            return self.reads.without_arrays(terms, leaf);
        };
        if let Sort::Array { .. } = terms.sort(variable) {
            return self.equations.get(&(variable, value)).map(|equations| terms.and(equations));
        }
        if !self.seen.contains(&variable) {
            return None;
        }
        let value = self.reads.without_arrays(terms, value)?;
        Some(terms.eq(variable, value))
    }

    /// What a model of the formulas without arrays violates: that equal indices have equal elements.
    pub fn conflicts(&mut self, terms: &mut Terms, model: &Assignment) -> Vec<TermId> {
        let facts = self.reads.conflicts(terms, model);
        self.facts.extend(&facts);
        facts
    }

    /// A model of the given formulas, made of one of the formulas without arrays. `None` if it can't be told, or is none.
    pub fn complete(&mut self, terms: &mut Terms, mut model: Assignment) -> Option<Assignment> {
        let leaves: FxHashMap<TermId, Option<TermId>> =
            self.definitions.leaves.clone().into_iter().map(|leaf| (leaf, self.leaf(terms, leaf))).collect();
        let mut words = Evaluation::new(terms, Cow::Borrowed(&model));
        let chosen = self.definitions.chosen(terms, |leaf| {
            leaves[&leaf].is_none_or(|leaf| words.value(leaf).and_then(|v| v.as_bool()) == Some(true))
        })?;
        self.reads.complete(terms, &mut model);
        let mut evaluation = Evaluation::new(terms, Cow::Owned(model));
        for variable in &self.definitions.order {
            if let Some(value) = chosen.get(variable)
                && let Some(symbol) = terms.as_symbol(*variable)
            {
                let value = evaluation.value(*value)?;
                evaluation.set(symbol, value);
            }
        }
        let mut roots = self.definitions.roots.iter();
        let holds = roots.all(|root| evaluation.value(*root).and_then(|v| v.as_bool()) == Some(true));
        holds.then(|| evaluation.into_assignment())
    }
}
