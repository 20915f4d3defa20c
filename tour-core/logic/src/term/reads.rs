//! Formulas without arrays, for a solver that knows nothing but bits.
//!
//! What is read behind stores is a choice among what was stored and what was there before; what is read from an array
//! variable is a variable of its own for each index, and where two indices may be equal, equal indices have equal
//! elements (Ackermann's reduction). The result is satisfiable, together with the facts about elements, just if the
//! formula is.

use super::arena::{BaseId, Symbol, TermId, Terms};
use super::eval::Evaluation;
use super::op::Op;
use super::sort::Sort;
use super::value::{ArrayValue, Value};
use super::{Assignment, Memo};
use crate::tuning::SolverLimits;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::borrow::Cow;

/// What was read so far. It belongs to one arena.
#[derive(Default)]
pub struct Reads {
    tuning: SolverLimits,
    /// Formulas and their parts, without arrays; arrays are those whose indices and elements have none in them.
    done: Memo,
    /// Elements, by array and index.
    elements: FxHashMap<(TermId, TermId), TermId>,
    /// What was read from array variables: the index, and the variable that stands for the element.
    variables: FxHashMap<TermId, Vec<(TermId, Symbol)>>,
    /// Nothing is said of equal indices until a model has different elements there, see [`Reads::conflicts`].
    lazy: bool,
    /// What was read of array variables since this was last asked for, if it is.
    asked: Vec<(TermId, TermId, TermId)>,
    /// What holds for elements and names, and has not been asked for yet.
    facts: Vec<TermId>,
    compared: usize,
    /// Large terms and their names; how large others are, counting names as one.
    names: FxHashMap<TermId, TermId>,
    sizes: FxHashMap<TermId, u32>,
}

/// How many elements are looked up; more are left to a solver that knows arrays.
/// It protects memory.
const MAX_ELEMENTS: usize = 1 << 20;

impl Reads {
    /// Nothing was read yet.
    pub fn new(tuning: SolverLimits) -> Reads {
        Reads { tuning, ..Reads::default() }
    }

    /// Reads that say nothing of equal indices until a model has different elements there.
    pub(super) fn lazy(tuning: SolverLimits) -> Reads {
        Reads { lazy: true, ..Reads::new(tuning) }
    }

    /// What was read of array variables since this was last asked for: the array, the index, and the element. Only lazy
    /// reads tell.
    pub(super) fn asked(&mut self) -> Vec<(TermId, TermId, TermId)> {
        std::mem::take(&mut self.asked)
    }

    /// That equal indices have equal elements, where a model has it otherwise.
    pub(super) fn conflicts(&self, terms: &mut Terms, model: &Assignment) -> Vec<TermId> {
        let mut pairs = Vec::new();
        let mut evaluation = Evaluation::new(terms, Cow::Borrowed(model));
        let mut arrays: Vec<&TermId> = self.variables.keys().collect();
        arrays.sort_unstable();
        for array in arrays {
            let mut first: FxHashMap<Value, (TermId, Symbol, Option<Value>)> = FxHashMap::default();
            for &(index, element) in &self.variables[array] {
                let Some(at) = evaluation.value(index) else { continue };
                let value = model.get(element).cloned();
                match first.get(&at) {
                    None => _ = first.insert(at, (index, element, value)),
                    Some((_, _, other)) if *other == value => {}
                    Some(&(other, before, _)) => pairs.push(((other, index), (before, element))),
                }
            }
        }
        let fact = |((i, j), (a, b)): ((TermId, TermId), (Symbol, Symbol))| {
            let (a, b) = (terms.symbol(a), terms.symbol(b));
            let (same, equal) = (terms.eq(i, j), terms.eq(a, b));
            terms.implies(same, equal)
        };
        pairs.into_iter().map(fact).collect()
    }

    /// How many elements were looked up.
    pub(super) fn len(&self) -> usize {
        self.elements.len()
    }

    /// The formula without arrays; of an array, the array without others in it. `None` if it compares arrays, or reads
    /// too much.
    pub fn without_arrays(&mut self, terms: &mut Terms, formula: TermId) -> Option<TermId> {
        if terms.is_bits(formula) {
            return Some(formula);
        }
        let mut stack = vec![(formula, false)];
        while let Some((term, ready)) = stack.pop() {
            if self.done.contains_key(&term) {
                continue;
            }
            if terms.is_bits(term) {
                self.done.insert(term, term);
                continue;
            }
            if !ready {
                stack.push((term, true));
                stack.extend(terms.args(term).iter().map(|&arg| (arg, false)));
                continue;
            }
            let args: SmallVec<[TermId; 5]> = terms.args(term).iter().map(|arg| self.done[arg]).collect();
            let is_array = |id: &TermId| matches!(terms.sort(*id), Sort::Array { .. });
            let new = match terms.op(term) {
                Op::Select => self.element(terms, args[0], args[1])?,
                Op::Eq if args.iter().any(is_array) => return None,
                _ if args[..] == *terms.args(term) => term,
                op => terms.build(op, &args),
            };
            self.done.insert(term, new);
        }
        self.done.get(&formula).copied()
    }

    /// The formula with names for its large parts, so that what two formulas have in common is looked at once. The facts
    /// say what the names stand for.
    pub fn with_names(&mut self, terms: &mut Terms, formula: TermId) -> TermId {
        let mut stack = vec![(formula, false)];
        while let Some((term, ready)) = stack.pop() {
            if self.names.contains_key(&term) {
                continue;
            }
            if terms.args(term).is_empty() {
                self.names.insert(term, term);
                self.sizes.insert(term, 1);
                continue;
            }
            if !ready {
                stack.push((term, true));
                stack.extend(terms.args(term).iter().map(|&arg| (arg, false)));
                continue;
            }
            let args: SmallVec<[TermId; 4]> = terms.args(term).iter().map(|arg| self.names[arg]).collect();
            let mut new =
                if args[..] == *terms.args(term) { term } else { terms.build(terms.op(term), &args) };
            let mut size = 1 + terms.args(term).iter().map(|arg| self.sizes[arg]).sum::<u32>();
            if size >= self.tuning.min_named_size && !matches!(terms.sort(term), Sort::Array { .. }) {
                let base = terms.declare("name", terms.sort(term), false);
                let name = terms.var(base, self.names.len() as u32);
                self.facts.push(terms.eq(name, new));
                (new, size) = (name, 1);
            }
            self.names.insert(term, new);
            self.sizes.insert(term, size);
        }
        self.names[&formula]
    }

    /// What holds for the elements and names that are new since this was last asked for.
    pub fn take_facts(&mut self) -> Vec<TermId> {
        std::mem::take(&mut self.facts)
    }

    /// Adds the values of array variables to a model of formulas without arrays.
    pub fn complete(&self, terms: &Terms, model: &mut Assignment) {
        for (array, reads) in &self.variables {
            let Some(symbol) = terms.as_symbol(*array) else { continue };
            let read = reads.iter().filter_map(|(index, element)| {
                Some((terms.eval(*index, model)?.as_bv()?.value, model.get(*element)?.clone()))
            });
            let entries: imbl::OrdMap<u128, Value> = read.collect();
            if let Some((_, default)) = entries.get_max().cloned() {
                model.set(symbol, Value::Array(ArrayValue { default, entries }.into()));
            }
        }
    }

    /// An element of an array, which has no arrays in its indices and elements.
    pub(super) fn element(&mut self, terms: &mut Terms, array: TermId, index: TermId) -> Option<TermId> {
        let (wanted, mut stack) = ((array, index), vec![(array, index, false)]);
        while let Some((array, index, ready)) = stack.pop() {
            if self.elements.contains_key(&(array, index)) {
                continue;
            }
            let args: SmallVec<[TermId; 5]> = terms.args(array).iter().copied().collect();
            let value = match (terms.op(array), &args[..], ready) {
                (Op::ConstArray(_), &[value], _) => value,
                (Op::Store, &[_, at, value], _) if at == index => value,
                (Op::Store, &[before, ..], false) => {
                    stack.extend([(array, index, true), (before, index, false)]);
                    continue;
                }
                (Op::Store, &[before, at, value], true) => {
                    let before = self.elements[&(before, index)];
                    let same = terms.eq(at, index);
                    terms.ite(same, value, before)
                }
                (Op::Splice, &[outside, inside, at, from, count], ready) => {
                    let (is_inside, within) = terms.spliced(index, at, from, count);
                    if !ready {
                        let needed = [(inside, within, terms.no()), (outside, index, terms.yes())];
                        stack.push((array, index, true));
                        let needed = needed.into_iter().filter(|(.., never)| is_inside != *never);
                        stack.extend(needed.map(|(array, index, _)| (array, index, false)));
                        continue;
                    }
                    match (self.elements.get(&(inside, within)), self.elements.get(&(outside, index))) {
                        (Some(&inside), Some(&outside)) => terms.ite(is_inside, inside, outside),
                        (Some(&only), None) | (None, Some(&only)) => only,
                        (None, None) => return None,
                    }
                }
                (Op::Ite, &[_, yes, no], false) => {
                    stack.extend([(array, index, true), (yes, index, false), (no, index, false)]);
                    continue;
                }
                (Op::Ite, &[condition, yes, no], true) => {
                    let (yes, no) = (self.elements[&(yes, index)], self.elements[&(no, index)]);
                    terms.ite(condition, yes, no)
                }
                (Op::Var(_), ..) => self.variable(terms, array, index)?,
                _ => return None,
            };
            self.elements.insert((array, index), value);
        }
        (self.elements.len() < MAX_ELEMENTS).then(|| self.elements[&wanted])
    }

    /// The variable that stands for an element of an array variable.
    fn variable(&mut self, terms: &mut Terms, array: TermId, index: TermId) -> Option<TermId> {
        let Sort::Array { elem, .. } = terms.sort(array) else { return None };
        let base: BaseId = terms.declare("element", elem.sort(), false);
        let symbol = Symbol { base, index: self.elements.len() as u32 };
        let new = terms.symbol(symbol);
        let before = self.variables.entry(array).or_default();
        if self.lazy {
            before.push((index, symbol));
            self.asked.push((array, index, new));
            return Some(new);
        }
        for &(other, element) in before.iter() {
            let same = terms.eq(other, index);
            if same == terms.no() {
                continue;
            }
            self.compared += 1;
            let element = terms.symbol(element);
            let equal = terms.eq(element, new);
            self.facts.push(terms.implies(same, equal));
        }
        before.push((index, symbol));
        (self.compared < self.tuning.max_compared_reads).then_some(new)
    }
}
