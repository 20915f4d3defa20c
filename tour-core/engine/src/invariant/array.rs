//! Candidates about all elements of an array, or a part of it: `a[k] == 0` for all `k` from 0 to below `i`.
//!
//! They speak of one index, a ghost that the program does not know (see `term::forall`), so that no quantifier is needed.
//! How an index becomes a position in the array, say by a sign extension or a multiplication with the size of elements,
//! is read off the program: each access has a *shape*, its index with the ghost in place of the largest part that is
//! a number of the program.

use super::houdini::{Candidates, World, keep_inductive};
use super::template::compared;
use crate::context::Engine;
use crate::heuristics::ArrayLimits;
use std::collections::{BTreeMap, BTreeSet};
use tour_evidence::verdict::UnknownReason;
use tour_logic::term::{Base, BaseId, Elem, Op, Sort, TermId, Terms};
use tour_model::block::{Known, NodeId};

/// Finds invariants about arrays in three steps, so that only what says something is asked for: which parts of arrays are
/// always empty; what all elements of the others are equal to; how those that are equal to nothing compare.
pub fn discover(engine: &mut Engine, nodes: &[NodeId]) -> Result<usize, UnknownReason> {
    let mut accesses = Accesses::new(engine.heuristics.invariants.arrays);
    let mut numbers: BTreeMap<NodeId, BTreeSet<BaseId>> = BTreeMap::new();
    for &node in nodes {
        engine.check_interrupt()?;
        let block = engine.block(node, &Known::default());
        for exit in &block.exits {
            accesses.note(engine, exit.formula);
            let symbols = engine.terms.free_symbols(exit.formula).into_iter().map(|symbol| symbol.base);
            let own = symbols.filter(|base| is_number(engine, *base));
            numbers.entry(node).or_default().extend(own);
        }
    }
    if let Some(start) = engine.blocks.unfolding.start() {
        numbers.remove(&start);
    }
    let mut found = 0;
    for step in [Step::Empty, Step::Equal, Step::Compared] {
        if !accesses.all.is_empty() {
            let mut candidates = Candidates::new();
            for (&node, numbers) in &numbers {
                candidates.insert(node, accesses.candidates(engine, node, numbers, step));
            }
            found += keep_inductive(engine, candidates, World::Whole)?;
        }
    }
    Ok(found)
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Step {
    Empty,
    Equal,
    Compared,
}

fn is_number(engine: &Engine, base: BaseId) -> bool {
    let sort = engine.terms.base(base).sort;
    matches!(sort, Sort::BitVec(8..)) && engine.blocks.encoder.is_number(base) && !engine.terms.is_ghost(base)
}

/// An array, and how it is indexed.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Access {
    array: BaseId,
    ghost: BaseId,
    /// The index with the ghost.
    shape: TermId,
}

impl Access {
    /// The element at the ghost.
    fn element(&self, terms: &mut Terms) -> TermId {
        let array = terms.var(self.array, 0);
        terms.select(array, self.shape)
    }
}

/// What the blocks of a program do with arrays.
struct Accesses {
    limits: ArrayLimits,
    all: BTreeSet<Access>,
    /// Constants that are stored.
    stored: BTreeSet<TermId>,
    /// Constants that variables are compared with.
    compared: BTreeMap<BaseId, BTreeSet<TermId>>,
}

impl Accesses {
    fn new(limits: ArrayLimits) -> Accesses {
        Accesses { limits, all: BTreeSet::new(), stored: BTreeSet::new(), compared: BTreeMap::new() }
    }

    /// Notes what a formula says.
    fn note(&mut self, engine: &mut Engine, formula: TermId) {
        for term in engine.terms.postorder(&[formula]) {
            if !matches!(engine.terms.op(term), Op::Select | Op::Store) {
                continue;
            }
            let args = engine.terms.args(term).to_vec();
            let constant = args.get(2).filter(|value| engine.terms.value(**value).is_some());
            self.stored.extend(constant);
            if let Some(array) = root(&engine.terms, args[0])
                && let Some((ghost, shape)) = shape(engine, args[1])
            {
                self.all.insert(Access { array, ghost, shape });
            }
        }
        compared(&engine.terms, formula, &mut self.compared);
    }

    /// What is asked for at a node.
    fn candidates(
        &self,
        engine: &mut Engine,
        node: NodeId,
        numbers: &BTreeSet<BaseId>,
        step: Step,
    ) -> Vec<TermId> {
        let invariant = engine.blocks.invariant(node).unwrap_or(engine.terms.yes());
        let known: BTreeSet<TermId> = engine.terms.conjuncts(invariant).into_iter().collect();
        let terms = &mut engine.terms;
        let mut found = Vec::new();
        for (i, access) in self.all.iter().take(self.limits.max_arrays).enumerate() {
            let mut equal = self.copies(terms, access);
            let mut compared = Vec::new();
            if i < self.limits.max_compared_arrays {
                equal.extend(self.equalities(terms, access, numbers));
                compared = self.comparisons(terms, access, numbers);
            }
            for part in self.parts(terms, access, numbers) {
                let empty = terms.not(part);
                let mut all_of = |claims: &[TermId]| -> Vec<TermId> {
                    claims.iter().map(|claim| terms.implies(part, *claim)).collect()
                };
                let equal = all_of(&equal);
                match step {
                    Step::Empty => found.push(empty),
                    _ if known.contains(&empty) => {}
                    Step::Equal => found.extend(equal),
                    Step::Compared if equal.iter().any(|claim| known.contains(claim)) => {}
                    Step::Compared => found.extend(all_of(&compared)),
                }
            }
        }
        let (yes, no) = (terms.yes(), terms.no());
        let mut seen = BTreeSet::new();
        found.retain(|f| *f != yes && *f != no && seen.insert(*f));
        found
    }

    /// The constants of a sort.
    fn constants(&self, terms: &Terms, sort: Sort) -> BTreeSet<TermId> {
        self.compared.values().flatten().copied().filter(|c| terms.sort(*c) == sort).collect()
    }

    /// The variables of a sort, as terms.
    fn of_sort(&self, terms: &mut Terms, numbers: &BTreeSet<BaseId>, sort: Sort) -> Vec<TermId> {
        let mut found: Vec<BaseId> =
            numbers.iter().copied().filter(|n| terms.base(*n).sort == sort).collect();
        found.truncate(self.limits.max_bounds);
        found.into_iter().map(|number| terms.var(number, 0)).collect()
    }

    /// The parts of an array: from the beginning to a bound, and from one bound to another.
    fn parts(&self, terms: &mut Terms, access: &Access, numbers: &BTreeSet<BaseId>) -> Vec<TermId> {
        let &Base { sort, signed, .. } = terms.base(access.ghost);
        let Sort::BitVec(bits) = sort else { return Vec::new() };
        let ghost = terms.var(access.ghost, 0);
        let (zero, one) = (terms.bv(bits, 0), terms.bv(bits, 1));
        let variables = self.of_sort(terms, numbers, sort);
        let mut fixed: BTreeSet<TermId> = BTreeSet::new();
        for constant in self.constants(terms, sort) {
            // `x < c` is `x <= c - 1`, to the terms.
            fixed.extend([constant, terms.bv_add(constant, one)]);
        }
        fixed.retain(|c| terms.as_bv(*c).is_some_and(|c| if signed { c.signed() > 1 } else { c.value > 1 }));
        let fixed: Vec<TermId> = fixed.into_iter().rev().take(self.limits.max_constants).collect();
        let from_zero = terms.bv_le(signed, zero, ghost);
        let mut parts = Vec::new();
        for &bound in variables.iter().chain(&fixed) {
            let below = below(terms, signed, ghost, bound);
            parts.push(terms.and2(from_zero, below));
        }
        // What a loop has left behind that counts down.
        for &low in variables.iter().take(self.limits.max_low_bounds) {
            let highs = fixed.iter().chain(&variables).filter(|high| **high != low);
            for &high in highs.take(self.limits.max_high_bounds) {
                let above = below(terms, signed, low, ghost);
                let below = below(terms, signed, ghost, high);
                parts.push(terms.and2(above, below));
            }
        }
        parts
    }

    /// The element at the ghost is that of another array.
    fn copies(&self, terms: &mut Terms, access: &Access) -> Vec<TermId> {
        let array = terms.var(access.array, 0);
        let element = terms.select(array, access.shape);
        let others =
            self.all.iter().filter(|other| other.array > access.array && other.shape == access.shape);
        let mut claims = Vec::new();
        for other in others {
            let other = terms.var(other.array, 0);
            if terms.sort(other) == terms.sort(array) {
                let other = terms.select(other, access.shape);
                claims.push(terms.eq(element, other));
            }
        }
        claims
    }

    /// The element at the ghost is its index, a constant that is stored somewhere, or a variable.
    fn equalities(&self, terms: &mut Terms, access: &Access, numbers: &BTreeSet<BaseId>) -> Vec<TermId> {
        let element = access.element(terms);
        let sort = terms.sort(element);
        let Sort::BitVec(bits) = sort else { return Vec::new() };
        let stored: Vec<TermId> = self.stored.iter().copied().filter(|c| terms.sort(*c) == sort).collect();
        let mut values: BTreeSet<TermId> = stored.into_iter().take(self.limits.max_constants).collect();
        values.insert(terms.bv(bits, 0));
        values.extend(self.of_sort(terms, numbers, sort));
        values.insert(terms.var(access.ghost, 0));
        values.retain(|value| terms.sort(*value) == sort);
        values.into_iter().map(|value| terms.eq(element, value)).collect()
    }

    /// How the element at the ghost compares with variables and constants.
    fn comparisons(&self, terms: &mut Terms, access: &Access, numbers: &BTreeSet<BaseId>) -> Vec<TermId> {
        let signed = terms.base(access.array).signed;
        let element = access.element(terms);
        let sort = terms.sort(element);
        let Sort::BitVec(bits) = sort else { return Vec::new() };
        let variables = self.of_sort(terms, numbers, sort).into_iter().take(self.limits.max_comparisons);
        let mut others: BTreeSet<TermId> = variables.collect();
        others.extend(self.constants(terms, sort).into_iter().take(self.limits.max_comparisons));
        others.insert(terms.bv(bits, 0));
        let mut claims = Vec::new();
        for other in others {
            let equal = terms.eq(element, other);
            claims.push(terms.not(equal));
            claims.push(terms.bv_le(signed, element, other));
            claims.push(terms.bv_le(signed, other, element));
        }
        claims
    }
}

fn below(terms: &mut Terms, signed: bool, a: TermId, b: TermId) -> TermId {
    let not = terms.bv_le(signed, b, a);
    terms.not(not)
}

/// The variable of an array that may have been stored to.
fn root(terms: &Terms, mut array: TermId) -> Option<BaseId> {
    while terms.op(array) == Op::Store {
        array = terms.args(array)[0];
    }
    let base = terms.as_symbol(array)?.base;
    match terms.base(base).sort {
        Sort::Array { elem: Elem::BitVec(_), .. } => Some(base),
        _ => None,
    }
}

/// The index with a ghost in place of its largest part that is a number of the program, and the ghost.
fn shape(engine: &mut Engine, index: TermId) -> Option<(BaseId, TermId)> {
    let symbols = engine.terms.free_symbols(index);
    let symbol = symbols.first().filter(|s| symbols.len() == 1 && is_number(engine, s.base))?;
    let terms = &mut engine.terms;
    let &Base { sort, signed, .. } = terms.base(symbol.base);
    let part = part(terms, index, sort)?;
    let base = terms.ghost(sort, signed);
    let ghost = terms.var(base, 0);
    let shape = terms.substitute(index, &mut Default::default(), |_, term| (term == part).then_some(ghost));
    Some((base, shape))
}

/// The largest part of a sort, without a multiplication by a constant.
fn part(terms: &Terms, mut index: TermId, sort: Sort) -> Option<TermId> {
    loop {
        let args = terms.args(index);
        match terms.op(index) {
            Op::BvMul if terms.value(*args.last()?).is_some() => index = args[0],
            Op::SignExt(_) | Op::ZeroExt(_) if terms.sort(index) != sort => index = args[0],
            _ => return (terms.sort(index) == sort).then_some(index),
        }
    }
}
