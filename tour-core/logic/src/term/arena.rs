//! The arena: nodes, constants, symbols, and the table that makes equal terms one.

use super::op::Op;
use super::sort::{MAX_BITS, Sort};
use super::value::{Bv, Value};
use index_vec::IndexVec;
use rustc_hash::{FxHashMap, FxHasher};
use std::hash::{Hash, Hasher};
use std::sync::atomic::{AtomicU64, Ordering};

index_vec::define_index_type! {
    /// A term. Equal terms of one arena have equal ids.
    pub struct TermId = u32;
    DEBUG_FORMAT = "t{}";
}
index_vec::define_index_type! {
    /// A declared variable, without its SSA index.
    pub struct BaseId = u32;
    DEBUG_FORMAT = "base{}";
}
index_vec::define_index_type! {
    /// A constant, see [`Terms::value`].
    pub struct ConstId = u32;
}

/// A variable in a formula: a declared variable and its SSA index. Index 0 is the variable itself, as in predicates
/// and other state formulas; instances in path formulas count from 1.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Symbol {
    /// The variable.
    pub base: BaseId,
    /// Its SSA index.
    pub index: u32,
}

impl Symbol {
    /// The variable with another index.
    pub fn with_index(self, index: u32) -> Symbol {
        Symbol { index, ..self }
    }
}

/// A declared variable.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Base {
    /// Its name, for people.
    pub name: Box<str>,
    /// Its sort.
    pub sort: Sort,
    /// How its bits are meant. It changes nothing in the logic: it is for printing, and a hint for encodings in
    /// integers.
    pub signed: bool,
}

#[derive(Clone, Copy, Debug)]
struct Node {
    op: Op,
    sort: Sort,
    first_arg: u32,
    args: u32,
    /// Nothing but truth values and bit-vectors is in it.
    bits: bool,
}

/// All terms.
#[derive(Debug)]
pub struct Terms {
    /// Ids of different arenas must not be mixed; this tells the arenas apart.
    arena: u64,
    nodes: IndexVec<TermId, Node>,
    args: Vec<TermId>,
    /// Open addressing, linear probing; `EMPTY` or the index of a node. At most half full.
    table: Vec<u32>,
    consts: IndexVec<ConstId, Value>,
    const_ids: FxHashMap<Value, ConstId>,
    bases: IndexVec<BaseId, Base>,
    base_ids: FxHashMap<Base, BaseId>,
    /// Elements of choices between arrays, see [`Terms::select`].
    pub(super) chosen: FxHashMap<(TermId, TermId), TermId>,
}

const EMPTY: u32 = u32::MAX;
const NO: TermId = TermId { _raw: 0 };
const YES: TermId = TermId { _raw: 1 };

impl Default for Terms {
    fn default() -> Terms {
        Terms::new()
    }
}

impl Terms {
    /// An arena with nothing but `false` and `true`.
    pub fn new() -> Terms {
        static ARENAS: AtomicU64 = AtomicU64::new(0);
        let mut terms = Terms {
            arena: ARENAS.fetch_add(1, Ordering::Relaxed),
            nodes: IndexVec::new(),
            args: Vec::new(),
            table: vec![EMPTY; 1 << 10],
            consts: IndexVec::new(),
            const_ids: FxHashMap::default(),
            bases: IndexVec::new(),
            base_ids: FxHashMap::default(),
            chosen: FxHashMap::default(),
        };
        for value in [false, true] {
            terms.constant(Value::Bool(value));
        }
        terms
    }

    /// Different for each arena of this process.
    pub fn arena(&self) -> u64 {
        self.arena
    }

    /// How many terms there are.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Never: `false` and `true` are always there.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// Declares a variable; the same one again if name, sort and sign are the same.
    pub fn declare(&mut self, name: &str, sort: Sort, signed: bool) -> BaseId {
        let base = Base { name: name.into(), sort, signed };
        if let Some(&id) = self.base_ids.get(&base) {
            return id;
        }
        let id = self.bases.push(base.clone());
        self.base_ids.insert(base, id);
        id
    }

    /// A declared variable.
    pub fn base(&self, base: BaseId) -> &Base {
        &self.bases[base]
    }

    /// How many variables are declared.
    pub fn base_count(&self) -> usize {
        self.bases.len()
    }

    /// A variable with an SSA index as a term.
    pub fn var(&mut self, base: BaseId, index: u32) -> TermId {
        self.symbol(Symbol { base, index })
    }

    /// A symbol as a term.
    pub fn symbol(&mut self, symbol: Symbol) -> TermId {
        let sort = self.bases[symbol.base].sort;
        self.intern(Op::Var(symbol), &[], sort)
    }

    /// A constant.
    ///
    /// # Panics
    /// If it is an array: those are made with [`Terms::const_array`] and [`Terms::store`].
    pub fn constant(&mut self, value: Value) -> TermId {
        let sort = match &value {
            Value::Bool(_) => Sort::Bool,
            Value::Bv(bv) => {
                debug_assert!((1..=MAX_BITS).contains(&bv.bits), "{bv:?}");
                Sort::BitVec(bv.bits)
            }
            Value::Int(_) => Sort::Int,
            Value::Float(float) => Sort::Float(float.sort),
            Value::Array(_) => panic!("an array is no constant term"),
        };
        let id = match self.const_ids.get(&value) {
            Some(&id) => id,
            None => {
                let id = self.consts.push(value.clone());
                self.const_ids.insert(value, id);
                id
            }
        };
        self.intern(Op::Const(id), &[], sort)
    }

    pub(super) fn constant_of(&mut self, id: ConstId) -> TermId {
        let value = self.consts[id].clone();
        self.constant(value)
    }

    /// `true` or `false`
    pub fn bool(&self, value: bool) -> TermId {
        if value { YES } else { NO }
    }

    /// `true`
    pub fn yes(&self) -> TermId {
        YES
    }

    /// `false`
    pub fn no(&self) -> TermId {
        NO
    }

    /// The bit-vector `value`, cut to `bits`.
    pub fn bv(&mut self, bits: u32, value: u128) -> TermId {
        self.constant(Value::bv(bits, value))
    }

    /// A mathematical integer.
    pub fn int(&mut self, value: i128) -> TermId {
        self.constant(Value::Int(value))
    }

    /// The operator of a term.
    pub fn op(&self, term: TermId) -> Op {
        self.nodes[term].op
    }

    /// The arguments of a term.
    pub fn args(&self, term: TermId) -> &[TermId] {
        let node = &self.nodes[term];
        &self.args[node.first_arg as usize..(node.first_arg + node.args) as usize]
    }

    /// The sort of a term.
    pub fn sort(&self, term: TermId) -> Sort {
        self.nodes[term].sort
    }

    /// The term is made of nothing but truth values and bit-vectors.
    pub fn is_bits(&self, term: TermId) -> bool {
        self.nodes[term].bits
    }

    /// The width of a term that is a bit-vector.
    ///
    /// # Panics
    /// If it is not one.
    pub fn width(&self, term: TermId) -> u32 {
        match self.sort(term) {
            Sort::BitVec(bits) => bits,
            other => panic!("{other} is no bit-vector"),
        }
    }

    /// The value of a constant term.
    pub fn value(&self, term: TermId) -> Option<&Value> {
        match self.op(term) {
            Op::Const(id) => Some(&self.consts[id]),
            _ => None,
        }
    }

    /// The value of a constant bit-vector.
    pub fn as_bv(&self, term: TermId) -> Option<Bv> {
        self.value(term)?.as_bv()
    }

    /// The value of a constant integer.
    pub fn as_int(&self, term: TermId) -> Option<i128> {
        match self.value(term)? {
            Value::Int(value) => Some(*value),
            _ => None,
        }
    }

    /// The symbol of a variable.
    pub fn as_symbol(&self, term: TermId) -> Option<Symbol> {
        match self.op(term) {
            Op::Var(symbol) => Some(symbol),
            _ => None,
        }
    }

    /// The argument of an operator with one argument, if the term is one of these.
    pub fn unary(&self, op: Op, term: TermId) -> Option<TermId> {
        (self.op(term) == op).then(|| self.args(term)[0])
    }

    /// Both arguments of an operator with two arguments, if the term is one of these.
    pub(super) fn binary(&self, op: Op, term: TermId) -> Option<(TermId, TermId)> {
        (self.op(term) == op).then(|| (self.args(term)[0], self.args(term)[1]))
    }

    /// The node with this operator and these arguments, without any simplification.
    pub(crate) fn node(&mut self, op: Op, args: &[TermId]) -> TermId {
        let sorts: smallvec::SmallVec<[Sort; 3]> = args.iter().take(3).map(|&a| self.sort(a)).collect();
        match op.result(&sorts) {
            Some(sort) => self.intern(op, args, sort),
            None => unreachable!("leaves have constructors of their own"),
        }
    }

    fn intern(&mut self, op: Op, args: &[TermId], sort: Sort) -> TermId {
        let mut at = self.slot(op, args);
        loop {
            match self.table[at] {
                EMPTY => break,
                index => {
                    let id = TermId::new(index as usize);
                    if self.op(id) == op && self.args(id) == args && self.sort(id) == sort {
                        return id;
                    }
                }
            }
            at = (at + 1) & (self.table.len() - 1);
        }
        let first_arg = self.args.len() as u32;
        self.args.extend_from_slice(args);
        let bits = matches!(sort, Sort::Bool | Sort::BitVec(_)) && args.iter().all(|a| self.nodes[*a].bits);
        let id = self.nodes.push(Node { op, sort, first_arg, args: args.len() as u32, bits });
        self.table[at] = id.index() as u32;
        if self.nodes.len() * 2 > self.table.len() {
            self.grow();
        }
        id
    }

    fn slot(&self, op: Op, args: &[TermId]) -> usize {
        let mut hasher = FxHasher::default();
        op.hash(&mut hasher);
        for arg in args {
            arg.index().hash(&mut hasher);
        }
        // The low bits of FxHasher are weak before `finish` spreads them, and the table uses low bits.
        let hash = hasher.finish();
        (hash ^ hash >> 32) as usize & (self.table.len() - 1)
    }

    fn grow(&mut self) {
        self.table = vec![EMPTY; self.table.len() * 2];
        for id in self.nodes.indices() {
            let mut at = self.slot(self.op(id), self.args(id));
            while self.table[at] != EMPTY {
                at = (at + 1) & (self.table.len() - 1);
            }
            self.table[at] = id.index() as u32;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_terms_are_one() {
        let mut t = Terms::new();
        let x = t.declare("x", Sort::BitVec(32), true);
        assert_eq!(x, t.declare("x", Sort::BitVec(32), true));
        assert_ne!(x, t.declare("x", Sort::BitVec(16), true));
        let ids: Vec<_> = (0..5000).map(|i| t.var(x, i)).collect();
        let again: Vec<_> = (0..5000).map(|i| t.var(x, i)).collect();
        assert_eq!(ids, again);
        assert_eq!(t.as_symbol(ids[7]), Some(Symbol { base: x, index: 7 }));
        let (a, b) = (t.bv(8, 0x1ff), t.bv(8, 0xff));
        assert_eq!(a, b);
        assert_eq!(t.constant(Value::Bool(true)), t.yes());
    }
}
