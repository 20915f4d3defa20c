//! Paths: conjunctions over SSA instances, merged where control flow joins (ABE, "adjustable-block encoding").

use imbl::ordmap::DiffItem;
use std::collections::BTreeSet;
use std::rc::Rc;
use tour_logic::term::{BaseId, Op, Symbol, TermId, Terms};

/// The current instance of each variable. Instance 1 is the value at the beginning; index 0 is kept for state
/// formulas. Where the path determines a value, it is known here too, so that what follows is encoded with the
/// constant (constant propagation).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ssa {
    instances: imbl::OrdMap<BaseId, u32>,
    known: imbl::OrdMap<BaseId, TermId>,
    /// What instances were made of: arrays by stores, so that reading an element that was stored gives its value; in a
    /// functional path, all others too.
    made: imbl::OrdMap<BaseId, TermId>,
    /// Every value is a term over inputs. Such paths have no conjuncts but conditions.
    functional: bool,
}

impl Ssa {
    /// The current instance of a variable.
    pub fn index(&self, base: BaseId) -> u32 {
        self.instances.get(&base).copied().unwrap_or(1)
    }

    /// The current instance as a symbol.
    pub fn symbol(&self, base: BaseId) -> Symbol {
        Symbol { base, index: self.index(base) }
    }

    /// The current value: a constant or the stores of an array if that is known, else the current instance.
    pub fn value(&self, terms: &mut Terms, base: BaseId) -> TermId {
        let known = self.known(base).or_else(|| self.made.get(&base).copied());
        known.unwrap_or_else(|| terms.symbol(self.symbol(base)))
    }

    /// The constant that the current instance is, if the path determines it.
    pub fn known(&self, base: BaseId) -> Option<TermId> {
        self.known.get(&base).copied()
    }

    /// The stores that the current instance of an array was made by, if they are known.
    pub fn array(&self, base: BaseId) -> Option<TermId> {
        self.made.get(&base).copied()
    }

    /// Values are terms over inputs; see [`Path::functional`].
    pub fn is_functional(&self) -> bool {
        self.functional
    }

    /// A new instance, which is nothing but a name for a value.
    pub fn define(&mut self, terms: &Terms, base: BaseId, value: TermId) {
        self.bump(base);
        match terms.value(value) {
            Some(_) => self.known.insert(base, value),
            None => self.made.insert(base, value),
        };
    }

    /// A state formula (all indices 0) over the current values.
    pub fn evaluate(&self, terms: &mut Terms, formula: TermId) -> TermId {
        let mut memo = Default::default();
        terms.substitute(formula, &mut memo, |terms, term| {
            let symbol = terms.as_symbol(term)?;
            Some(self.value(terms, symbol.base))
        })
    }

    /// Forgets which values are known: what follows speaks of instances again, so that a formula shows what a value
    /// was made of.
    pub fn forget_known(&mut self) {
        self.known = imbl::OrdMap::new();
        self.made = imbl::OrdMap::new();
    }

    /// A new instance.
    pub fn bump(&mut self, base: BaseId) -> Symbol {
        let index = self.index(base) + 1;
        self.instances.insert(base, index);
        self.known.remove(&base);
        self.made.remove(&base);
        Symbol { base, index }
    }

    /// Learns from a fact about current instances that one of them is a constant, or an array with known elements.
    fn learn(&mut self, terms: &Terms, fact: TermId) {
        if terms.op(fact) != Op::Eq {
            return;
        }
        let &[a, b] = terms.args(fact) else { return };
        for (variable, constant) in [(a, b), (b, a)] {
            if let Some(symbol) = terms.as_symbol(variable)
                && self.index(symbol.base) == symbol.index
            {
                if terms.value(constant).is_some() {
                    self.known.insert(symbol.base, constant);
                } else if matches!(terms.op(constant), Op::Store | Op::Splice | Op::ConstArray(_)) {
                    self.made.insert(symbol.base, constant);
                }
            }
        }
    }

    /// Variables that are not at instance 1, ascending.
    pub fn written(&self) -> impl Iterator<Item = (BaseId, u32)> + '_ {
        self.instances.iter().map(|(b, i)| (*b, *i))
    }

    /// Continues `self` with what happened in `block`, which began with all variables at instance 1.
    pub fn then(&self, block: &Ssa) -> Ssa {
        let mut all = self.clone();
        for (base, index) in block.written() {
            all.instances.insert(base, self.index(base) + index - 1);
        }
        all.known = block.known.clone();
        // Their terms speak of the block's own instances.
        all.made = imbl::OrdMap::new();
        all
    }

    /// Renames a symbol of a block that began with all variables at instance 1, so that the block continues `self`.
    pub fn shift(&self, symbol: Symbol) -> Symbol {
        symbol.with_index(self.index(symbol.base) + symbol.index - 1)
    }
}

/// A conjunct and those before it. Paths with a common beginning share it.
#[derive(Debug)]
struct Conjunct {
    term: TermId,
    before: Option<Rc<Conjunct>>,
    length: u32,
}

/// Long lists are dropped without recursion.
impl Drop for Conjunct {
    fn drop(&mut self) {
        let mut next = self.before.take();
        while let Some(rc) = next {
            next = Rc::try_unwrap(rc).ok().and_then(|mut c| c.before.take());
        }
    }
}

/// What a run through the program means.
#[derive(Clone, Debug, Default)]
pub struct Path {
    conjuncts: Option<Rc<Conjunct>>,
    /// Current instances.
    pub ssa: Ssa,
}

impl Path {
    /// A path on which each value is a term over inputs, as symbolic execution has it: what is assigned is remembered
    /// and not said by a conjunct, and where paths merge, values are chosen by the condition of one of them. Formulas
    /// are larger, but constants stay constants for as long as all paths agree, and a solver for bits has no
    /// equations to solve.
    pub fn functional() -> Path {
        Path { conjuncts: None, ssa: Ssa { functional: true, ..Ssa::default() } }
    }

    /// Adds a conjunct.
    pub fn add(&mut self, terms: &Terms, term: TermId) {
        if term == terms.yes() {
            return;
        }
        self.ssa.learn(terms, term);
        let before = self.conjuncts.take();
        let length = before.as_ref().map_or(0, |c| c.length) + 1;
        self.conjuncts = Some(Rc::new(Conjunct { term, before, length }));
    }

    /// The conjunction is trivially false.
    pub fn is_false(&self, terms: &Terms) -> bool {
        self.conjuncts.as_ref().is_some_and(|c| c.term == terms.no())
    }

    /// How many conjuncts there are.
    pub fn length(&self) -> usize {
        self.conjuncts.as_ref().map_or(0, |c| c.length as usize)
    }

    /// The conjuncts, first to last.
    pub fn conjuncts(&self) -> Vec<TermId> {
        since(&self.conjuncts, 0)
    }

    /// The conjuncts that were added to `earlier`, of which this path is a continuation.
    pub fn since(&self, earlier: &Path) -> Vec<TermId> {
        since(&self.conjuncts, earlier.conjuncts.as_ref().map_or(0, |c| c.length))
    }

    /// The conjunction.
    pub fn formula(&self, terms: &mut Terms) -> TermId {
        let conjuncts = self.conjuncts();
        terms.and(&conjuncts)
    }

    /// Either of two paths. What they have in common at the beginning is kept once; a variable with different
    /// instances gets the larger one on both sides.
    pub fn merge(terms: &mut Terms, a: &Path, b: &Path) -> Path {
        if a.is_false(terms) {
            return b.clone();
        }
        if b.is_false(terms) {
            return a.clone();
        }
        let common = common_prefix(&a.conjuncts, &b.conjuncts);
        let length = common.as_ref().map_or(0, |c| c.length);
        let mut side_a = since(&a.conjuncts, length);
        let mut side_b = since(&b.conjuncts, length);
        let mut ssa = a.ssa.clone();
        if a.ssa.functional {
            let of_a = terms.and(&side_a);
            let of_b = terms.and(&side_b);
            // Paths part by a condition that is first on both of them.
            let condition = match (side_a.first(), side_b.first()) {
                (Some(&first), Some(&other)) if terms.not(first) == other => first,
                _ => of_a,
            };
            let mut merged = Path { conjuncts: common, ssa: merge_values(terms, condition, &a.ssa, &b.ssa) };
            let either = terms.or2(of_a, of_b);
            merged.add(terms, either);
            return merged;
        }
        for item in a.ssa.instances.diff(&b.ssa.instances) {
            let (base, ia, ib) = match item {
                DiffItem::Add(base, ib) => (*base, 1, *ib),
                DiffItem::Remove(base, ia) => (*base, *ia, 1),
                DiffItem::Update { old, new } => (*old.0, *old.1, *new.1),
            };
            let (side, own, max) = if ia < ib { (&mut side_a, ia, ib) } else { (&mut side_b, ib, ia) };
            let (own, new) = (terms.var(base, own), terms.var(base, max));
            side.push(terms.eq(new, own));
            ssa.instances.insert(base, max);
        }
        for (of_a, of_b, both) in
            [(&a.ssa.known, &b.ssa.known, &mut ssa.known), (&a.ssa.made, &b.ssa.made, &mut ssa.made)]
        {
            for item in of_a.diff(of_b) {
                match item {
                    DiffItem::Add(..) => {}
                    DiffItem::Remove(base, _) | DiffItem::Update { old: (base, _), .. } => {
                        both.remove(base);
                    }
                }
            }
        }
        let (side_a, side_b) = (terms.and(&side_a), terms.and(&side_b));
        let either = terms.or2(side_a, side_b);
        let mut merged = Path { conjuncts: common, ssa };
        merged.add(terms, either);
        merged
    }
}

/// The values of either of two functional paths: those of `a` if the condition holds.
fn merge_values(terms: &mut Terms, condition: TermId, a: &Ssa, b: &Ssa) -> Ssa {
    let mut differ: BTreeSet<BaseId> = differing(&a.instances, &b.instances).collect();
    differ.extend(differing(&a.known, &b.known));
    differ.extend(differing(&a.made, &b.made));
    let mut merged = a.clone();
    for base in differ {
        if a.index(base) < b.index(base) {
            merged.instances.insert(base, b.index(base));
        }
        let (of_a, of_b) = (a.value(terms, base), b.value(terms, base));
        let value = terms.ite(condition, of_a, of_b);
        merged.known.remove(&base);
        merged.made.remove(&base);
        match terms.value(value) {
            Some(_) => merged.known.insert(base, value),
            None => merged.made.insert(base, value),
        };
    }
    merged
}

/// The keys that two maps have different values for.
fn differing<'m, T: PartialEq>(
    a: &'m imbl::OrdMap<BaseId, T>,
    b: &'m imbl::OrdMap<BaseId, T>,
) -> impl Iterator<Item = BaseId> + 'm {
    a.diff(b).map(|item| match item {
        DiffItem::Add(base, _) | DiffItem::Remove(base, _) | DiffItem::Update { old: (base, _), .. } => *base,
    })
}

/// The conjuncts after the first `length`.
fn since(list: &Option<Rc<Conjunct>>, length: u32) -> Vec<TermId> {
    let mut out = Vec::new();
    let mut next = list.as_ref();
    while let Some(c) = next {
        if c.length <= length {
            break;
        }
        out.push(c.term);
        next = c.before.as_ref();
    }
    out.reverse();
    out
}

fn common_prefix(a: &Option<Rc<Conjunct>>, b: &Option<Rc<Conjunct>>) -> Option<Rc<Conjunct>> {
    let (mut a, mut b) = (a.as_ref()?, b.as_ref()?);
    while !Rc::ptr_eq(a, b) {
        if a.length >= b.length {
            a = a.before.as_ref()?;
        } else {
            b = b.before.as_ref()?;
        }
    }
    Some(a.clone())
}

#[cfg(test)]
mod tests {
    use super::*;
    use tour_logic::term::Sort;

    #[test]
    fn merging_keeps_the_common_beginning_once() {
        let mut t = Terms::new();
        let x = t.declare("x", Sort::BitVec(8), false);
        let assign = |t: &mut Terms, path: &mut Path, value: u128| {
            let new = path.ssa.bump(x);
            let (new, value) = (t.symbol(new), t.bv(8, value));
            let eq = t.eq(new, value);
            path.add(t, eq);
        };
        let mut start = Path::default();
        assign(&mut t, &mut start, 1);
        let (mut a, mut b) = (start.clone(), start.clone());
        assign(&mut t, &mut a, 2);
        assign(&mut t, &mut b, 3);
        assign(&mut t, &mut b, 4);
        let merged = Path::merge(&mut t, &a, &b);
        let shown: Vec<_> = merged.conjuncts().iter().map(|c| t.show(*c)).collect();
        assert_eq!(shown, ["x@2 == 1", "x@3 == 2 && x@3 == x@4 || x@3 == 3 && x@4 == 4"]);
        assert_eq!(merged.ssa.index(x), 4);
    }

    #[test]
    fn values_of_functional_paths_are_chosen_by_the_condition_that_parts_them() {
        let mut t = Terms::new();
        let [x, y, c] = ["x", "y", "c"].map(|name| t.declare(name, Sort::BitVec(8), false));
        let (zero, one, two) = (t.bv(8, 0), t.bv(8, 1), t.bv(8, 2));
        let c = t.var(c, 1);
        let positive = t.bv_ult(zero, c);
        let mut start = Path::functional();
        start.ssa.define(&t, x, one);
        let (mut a, mut b) = (start.clone(), start);
        a.add(&t, positive);
        a.ssa.define(&t, x, two);
        a.ssa.define(&t, y, one);
        let other = t.not(positive);
        b.add(&t, other);
        b.ssa.define(&t, y, one);
        let merged = Path::merge(&mut t, &a, &b);
        // Nothing is left of the condition but what it chooses.
        assert!(merged.conjuncts().is_empty());
        let value = merged.ssa.value(&mut t, x);
        assert_eq!(t.show(value), "c@1 == 0 ? 1 : 2");
        assert_eq!(merged.ssa.known(y), Some(one));
        assert_eq!((merged.ssa.index(x), merged.ssa.index(y)), (3, 2));
    }

    #[test]
    fn a_block_continues_a_path() {
        let mut t = Terms::new();
        let x = t.declare("x", Sort::BitVec(8), false);
        let y = t.declare("y", Sort::BitVec(8), false);
        let (mut before, mut block) = (Ssa::default(), Ssa::default());
        before.bump(x);
        before.bump(x); // x@3
        block.bump(x); // x@2 of the block
        block.bump(y);
        let all = before.then(&block);
        assert_eq!((all.index(x), all.index(y)), (4, 2));
        assert_eq!(before.shift(Symbol { base: x, index: 2 }).index, 4);
        assert_eq!(before.shift(Symbol { base: y, index: 1 }).index, 1);
    }

    #[test]
    fn long_paths_are_dropped_without_recursion() {
        let mut t = Terms::new();
        let x = t.declare("x", Sort::Bool, false);
        let mut path = Path::default();
        for i in 0..300_000 {
            let v = t.var(x, i);
            path.add(&t, v);
        }
        assert_eq!(path.conjuncts().len(), 300_000);
    }
}
