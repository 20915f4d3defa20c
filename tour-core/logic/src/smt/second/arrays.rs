//! Formulas without arrays, for second opinions: each element that is read gets a name, and what is said of the names are
//! instances of the axioms of arrays. So a model of the formula is one of the result, whose names are the elements.
//!
//! Analyses have arrays taken away by [`Reads`](crate::term::Reads), which makes nested choices. This is apart from it on
//! purpose: an error there does not check itself.

use crate::term::{ArrayValue, Assignment, Memo, Op, Sort, TermId, Terms, Value};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// How many elements get a name, and how many pairs of them are compared: there is no answer beyond that. It protects
/// memory.
const MAX_NAMES: usize = 1 << 18;

/// The elements that formulas read. It belongs to one arena.
#[derive(Default)]
pub struct Arrays {
    /// Terms without arrays in them; of an array, the array with indices and elements that have none.
    plain: Memo,
    /// Elements by array and index.
    elements: FxHashMap<(TermId, TermId), TermId>,
    /// What is read from variables: index and name.
    reads: FxHashMap<TermId, Vec<(TermId, TermId)>>,
    /// Instances of axioms.
    axioms: Vec<TermId>,
    compared: usize,
}

impl Arrays {
    /// A formula without arrays that is satisfiable if this one is. `None` if it compares arrays, or reads too much.
    pub fn remove(&mut self, terms: &mut Terms, formula: TermId) -> Option<TermId> {
        for term in terms.postorder(&[formula]) {
            let args: SmallVec<[TermId; 5]> = terms.args(term).iter().map(|arg| self.plain[arg]).collect();
            let is_array = |arg: &TermId| matches!(terms.sort(*arg), Sort::Array { .. });
            let plain = match terms.op(term) {
                Op::Select => self.element(terms, args[0], args[1])?,
                Op::Eq if args.iter().any(is_array) => return None,
                _ if args[..] == *terms.args(term) => term,
                op => terms.build(op, &args),
            };
            self.plain.insert(term, plain);
        }
        let mut all = self.axioms.clone();
        all.push(self.plain[&formula]);
        Some(terms.and(&all))
    }

    /// The name of an element, whose value the axioms say. What it needs of other arrays is looked at first.
    fn element(&mut self, terms: &mut Terms, array: TermId, index: TermId) -> Option<TermId> {
        let mut open = vec![(array, index)];
        while let Some(&(array, index)) = open.last() {
            if self.elements.contains_key(&(array, index)) {
                open.pop();
                continue;
            }
            if self.elements.len() > MAX_NAMES {
                return None;
            }
            let args: SmallVec<[TermId; 5]> = terms.args(array).iter().copied().collect();
            // A condition, and where the element is found if it holds, and if not.
            let (condition, yes, no) = match (terms.op(array), &args[..]) {
                (Op::Var(_), _) => {
                    let name = self.variable(terms, array, index)?;
                    self.elements.insert((array, index), name);
                    continue;
                }
                (Op::ConstArray(_), &[value]) => {
                    self.elements.insert((array, index), value);
                    continue;
                }
                (Op::Store, &[before, at, value]) => {
                    (terms.eq(at, index), Found::Is(value), Found::In(before, index))
                }
                (Op::Ite, &[condition, yes, no]) => (condition, Found::In(yes, index), Found::In(no, index)),
                (Op::Splice, &[outside, inside, at, from, count]) => {
                    let distance = terms.bv_sub(index, at);
                    let is_inside = terms.bv_ult(distance, count);
                    let within = terms.bv_add(from, distance);
                    (is_inside, Found::In(inside, within), Found::In(outside, index))
                }
                _ => return None,
            };
            let sides: SmallVec<[Found; 2]> = [(yes, terms.no()), (no, terms.yes())]
                .into_iter()
                .filter(|(_, never)| condition != *never)
                .map(|(side, _)| side)
                .collect();
            let before = open.len();
            for side in &sides {
                if let Found::In(array, index) = side
                    && !self.elements.contains_key(&(*array, *index))
                {
                    open.push((*array, *index));
                }
            }
            if open.len() > before {
                continue;
            }
            let value = |side: &Found| match side {
                Found::Is(value) => *value,
                Found::In(array, index) => self.elements[&(*array, *index)],
            };
            let element = match sides[..] {
                [yes, no] if value(&yes) != value(&no) => {
                    let (yes, no) = (value(&yes), value(&no));
                    let name = self.name(terms, array)?;
                    let (is_yes, is_no) = (terms.eq(name, yes), terms.eq(name, no));
                    self.axioms.push(terms.implies(condition, is_yes));
                    self.axioms.push(terms.or2(condition, is_no));
                    name
                }
                [side, ..] => value(&side),
                [] => return None,
            };
            self.elements.insert((array, index), element);
        }
        self.elements.get(&(array, index)).copied()
    }

    /// A new name for an element of an array.
    fn name(&mut self, terms: &mut Terms, array: TermId) -> Option<TermId> {
        let Sort::Array { elem, .. } = terms.sort(array) else { return None };
        let base = terms.declare("an element read", elem.sort(), false);
        Some(terms.var(base, self.elements.len() as u32))
    }

    /// The name of an element of a variable: it is that of another one if the indices are equal.
    fn variable(&mut self, terms: &mut Terms, array: TermId, index: TermId) -> Option<TermId> {
        let name = self.name(terms, array)?;
        let reads = self.reads.entry(array).or_default();
        for &(other, element) in reads.iter() {
            let same = terms.eq(other, index);
            if same != terms.no() {
                let equal = terms.eq(element, name);
                self.axioms.push(terms.implies(same, equal));
                self.compared += 1;
            }
        }
        reads.push((index, name));
        (self.compared < MAX_NAMES).then_some(name)
    }

    /// Adds the values of array variables to a model of formulas without arrays.
    pub fn complete(&self, terms: &Terms, model: &mut Assignment) {
        for (array, reads) in &self.reads {
            let Some(symbol) = terms.as_symbol(*array) else { continue };
            let read = reads.iter().filter_map(|(index, name)| {
                Some((terms.eval(*index, model)?.as_bv()?.value, terms.eval(*name, model)?))
            });
            let entries: imbl::OrdMap<u128, Value> = read.collect();
            if let Some((_, default)) = entries.get_max().cloned() {
                model.set(symbol, Value::Array(ArrayValue { default, entries }.into()));
            }
        }
    }
}

/// Where an element is found.
#[derive(Clone, Copy)]
enum Found {
    Is(TermId),
    In(TermId, TermId),
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::smt::{Purpose, QueryLimits, SatResult, Smt, Z3};
    use crate::term::random::{Rng, draw};
    use tour_ir::limits::Interrupt;

    #[test]
    fn satisfiable_just_if_the_formula_is() {
        let mut answers = [0; 2];
        for seed in 0..150 {
            let (mut t, mut rng) = (Terms::new(), Rng(seed));
            let formulas = [(); 3].map(|()| draw(&mut t, &mut rng, Sort::Bool, 4).raw);
            let formula = t.and(&formulas);
            if t.is_bits(formula) {
                continue;
            }
            let mut arrays = Arrays::default();
            let Some(plain) = arrays.remove(&mut t, formula) else { continue };
            let z3 = Z3::bare(Default::default(), QueryLimits { steps: Some(5_000) }, Interrupt::default());
            let expected = z3.check(&t, formula, Purpose::Certificate);
            match z3.find_model(&t, plain, Purpose::Certificate) {
                Ok(Some(mut model)) => {
                    arrays.complete(&t, &mut model);
                    assert_ne!(t.holds(formula, &model), Some(false), "seed {seed}");
                    assert_ne!(expected, SatResult::Unsat, "seed {seed}");
                    answers[0] += 1;
                }
                Ok(None) => {
                    assert_ne!(expected, SatResult::Sat, "seed {seed}");
                    answers[1] += 1;
                }
                Err(_) => {}
            }
        }
        assert!(answers.iter().all(|n| *n > 3), "{answers:?}");
    }
}
