//! Which equations of formulas define variables.
//!
//! Equations stand between conjunctions and disjunctions (control flow that joins), never below a negation. Whichever
//! sides of the disjunctions are chosen, a *defined* variable is said to be equal to at most one value, and no value leads
//! back to its variable.

use super::arena::{TermId, Terms};
use super::op::Op;
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

/// Formulas that hold together, and what they define.
pub struct Definitions {
    /// The formulas.
    pub roots: Vec<TermId>,
    /// Their conjunctions and disjunctions, arguments before those that use them.
    pub connectives: Vec<TermId>,
    /// What is between the connectives, in the order in which it is met.
    pub leaves: Vec<TermId>,
    /// What may be equal to each defined variable.
    pub values: FxHashMap<TermId, Values>,
    /// The defined variables; those that its values speak of come before each.
    pub order: Vec<TermId>,
}

pub type Values = SmallVec<[TermId; 2]>;

impl Definitions {
    /// What formulas that hold together define. Nothing that stands in two places does, unless there is `patience`: how
    /// many times everything may be looked at, on average.
    pub fn of(terms: &Terms, formulas: &[TermId], patience: usize) -> Definitions {
        let mut outline = Outline { patience, ..Outline::default() };
        for &formula in formulas {
            outline.visit(terms, formula);
        }
        let Outline { mut values, connectives, leaves, .. } = outline;
        let order = sorted(terms, &mut values);
        Definitions { roots: formulas.to_vec(), connectives, leaves, values, order }
    }

    /// The variable that an equation defines, and its value.
    pub fn of_leaf(&self, terms: &Terms, leaf: TermId) -> Option<(TermId, TermId)> {
        equation(terms, leaf).filter(|(variable, _)| self.values.contains_key(variable))
    }

    /// What is chosen of formulas that hold, given what is true of their leaves: for each defined variable its value.
    /// `None` if they do not hold.
    pub fn chosen(
        &self,
        terms: &Terms,
        mut is_true: impl FnMut(TermId) -> bool,
    ) -> Option<FxHashMap<TermId, TermId>> {
        let mut holds: FxHashMap<TermId, bool> = FxHashMap::default();
        let mut truth = |holds: &FxHashMap<TermId, bool>, term: TermId| match holds.get(&term) {
            Some(known) => *known,
            None => is_true(term),
        };
        for &connective in &self.connectives {
            let mut args = terms.args(connective).iter();
            let value = match terms.op(connective) {
                Op::And => args.all(|arg| truth(&holds, *arg)),
                _ => args.any(|arg| truth(&holds, *arg)),
            };
            holds.insert(connective, value);
        }
        let mut chosen: FxHashMap<TermId, TermId> = FxHashMap::default();
        let mut stack = self.roots.clone();
        while let Some(term) = stack.pop() {
            match terms.op(term) {
                _ if !truth(&holds, term) => return None,
                Op::And => stack.extend(terms.args(term)),
                Op::Or => stack.extend(terms.args(term).iter().find(|arg| truth(&holds, **arg))),
                _ => chosen.extend(self.of_leaf(terms, term)),
            }
        }
        Some(chosen)
    }
}

/// An equation between a variable and a value. Of two variables, the later instance is the defined one.
fn equation(terms: &Terms, leaf: TermId) -> Option<(TermId, TermId)> {
    let (Op::Eq, &[a, b]) = (terms.op(leaf), terms.args(leaf)) else { return None };
    let age = |term: TermId| terms.as_symbol(term).map(|s| (s.index, term));
    let (variable, value) = if age(a) > age(b) { (a, b) } else { (b, a) };
    terms.as_symbol(variable).map(|_| (variable, value))
}

/// The connectives of formulas, and the equations between them.
#[derive(Default)]
struct Outline {
    connectives: Vec<TermId>,
    /// What is between the connectives, each once.
    leaves: Vec<TermId>,
    values: FxHashMap<TermId, Values>,
    seen: FxHashSet<TermId>,
    /// When an equation with a variable was met last.
    met: FxHashMap<TermId, usize>,
    /// Variables that are equal to two things at once.
    spoiled: FxHashSet<TermId>,
    /// Connectives whose equations define nothing.
    plain: FxHashSet<TermId>,
    patience: usize,
    time: usize,
}

/// A connective that is being visited.
struct Frame {
    connective: TermId,
    entered: usize,
    /// It is visited for the first time.
    is_new: bool,
    next: usize,
}

impl Outline {
    /// Notes a formula that holds together with those before.
    fn visit(&mut self, terms: &Terms, formula: TermId) {
        let mut frames: Vec<Frame> = Vec::new();
        let mut next = Some(formula);
        loop {
            if let Some(term) = next.take() {
                self.time += 1;
                match terms.op(term) {
                    Op::And | Op::Or => {
                        let is_new = self.seen.insert(term);
                        match is_new || self.time < self.patience * self.seen.len() {
                            true => {
                                let entered = self.time;
                                frames.push(Frame { connective: term, entered, is_new, next: 0 });
                            }
                            false => self.spoil(terms, term),
                        }
                    }
                    _ => self.leaf(terms, term, &frames),
                }
            }
            let Some(frame) = frames.last_mut() else { return };
            next = terms.args(frame.connective).get(frame.next).copied();
            frame.next += 1;
            if next.is_none() {
                if frame.is_new {
                    self.connectives.push(frame.connective);
                }
                frames.pop();
            }
        }
    }

    fn leaf(&mut self, terms: &Terms, leaf: TermId, frames: &[Frame]) {
        if self.seen.insert(leaf) {
            self.leaves.push(leaf);
        }
        let Some((variable, value)) = equation(terms, leaf) else { return };
        if let Some(before) = self.met.insert(variable, self.time) {
            // The innermost connective that both equations are in; outside of all, formulas hold together.
            let around = frames[..frames.partition_point(|frame| frame.entered <= before)].last();
            if around.is_none_or(|frame| terms.op(frame.connective) == Op::And) {
                self.spoiled.insert(variable);
            }
        }
        match self.spoiled.contains(&variable) {
            true => _ = self.values.remove(&variable),
            false => {
                let values = self.values.entry(variable).or_default();
                if !values.contains(&value) {
                    values.push(value);
                }
            }
        }
    }

    fn spoil(&mut self, terms: &Terms, connective: TermId) {
        let mut stack = vec![connective];
        while let Some(term) = stack.pop() {
            match terms.op(term) {
                Op::And | Op::Or if self.plain.insert(term) => stack.extend(terms.args(term)),
                Op::And | Op::Or => {}
                _ => {
                    if let Some((variable, _)) = equation(terms, term) {
                        self.spoiled.insert(variable);
                        self.values.remove(&variable);
                    }
                }
            }
        }
    }
}

/// The defined variables, such that the values of each speak only of those before it. A variable whose value leads back
/// to it is not defined.
fn sorted(terms: &Terms, values: &mut FxHashMap<TermId, Values>) -> Vec<TermId> {
    let mut order = Vec::new();
    let mut done: FxHashMap<TermId, bool> = FxHashMap::default();
    let mut variables: Vec<TermId> = values.keys().copied().collect();
    variables.sort_unstable();
    // The flag says that what it is made of has been visited.
    let mut stack: Vec<(TermId, bool)> = Vec::new();
    // The defined variables on the stack that are being visited.
    let mut open: Vec<TermId> = Vec::new();
    for variable in variables {
        stack.push((variable, false));
        while let Some((term, visited)) = stack.pop() {
            if visited {
                done.insert(term, true);
                if open.last() == Some(&term) {
                    open.pop();
                    if values.contains_key(&term) {
                        order.push(term);
                    }
                }
                continue;
            }
            match done.get(&term) {
                Some(true) => continue,
                // A circle: terms have none, so that a definition is part of it.
                Some(false) => {
                    if let Some(last) = open.last() {
                        values.remove(last);
                    }
                    continue;
                }
                None => {}
            }
            done.insert(term, false);
            stack.push((term, true));
            stack.extend(terms.args(term).iter().map(|arg| (*arg, false)));
            if let Some(of) = values.get(&term) {
                open.push(term);
                stack.extend(of.iter().map(|value| (*value, false)));
            }
        }
    }
    order
}
