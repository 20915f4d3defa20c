//! Formulas about a smaller world: words of one width, and those that begin with such a word, made narrower.
//!
//! Numbers of objects are so wide that no run uses them up, and so costly for a solver, which looks at each bit. What is
//! said of them (which are equal, which is the smaller one, which is the next) hardly ever depends on how many there
//! are. It can: an answer about the smaller world is a good guess, and nothing more.

use super::arena::{TermId, Terms};
use super::op::Op;
use super::sort::{Elem, Sort};
use super::value::Value;
use super::walk::Memo;

/// Makes words narrower.
pub struct Narrow {
    from: u32,
    to: u32,
    /// Widths of what may follow such a word in a wider one.
    tail: u32,
    memo: Memo,
}

impl Narrow {
    /// Words of `from` bits become words of `to` bits; alone, or before `tail` bits.
    pub fn new(from: u32, to: u32, tail: u32) -> Narrow {
        Narrow { from, to, tail, memo: Memo::default() }
    }

    fn width(&self, bits: u32) -> u32 {
        if bits == self.from || bits == self.from + self.tail { bits - self.from + self.to } else { bits }
    }

    fn sort(&self, sort: Sort) -> Sort {
        match sort {
            Sort::BitVec(bits) => Sort::BitVec(self.width(bits)),
            Sort::Array { index, elem } => {
                let elem = match elem {
                    Elem::BitVec(bits) => Elem::BitVec(self.width(bits)),
                    Elem::Float(format) => Elem::Float(format),
                };
                Sort::Array { index: self.width(index), elem }
            }
            Sort::Bool | Sort::Int | Sort::Float(_) => sort,
        }
    }

    /// The same number in fewer bits, if it is small, or almost as large as can be.
    fn number(&self, bits: u32, value: u128) -> Option<u128> {
        let low = bits - self.from;
        let (word, rest) = (value >> low, value & ((1 << low) - 1));
        let large = (1 << self.from) - word <= 8;
        let small = word < (1 << self.to) - 8;
        (large || small).then_some((word & ((1 << self.to) - 1)) << low | rest)
    }

    /// The term or one of its arguments is of a sort that changes.
    fn is_about(&self, terms: &Terms, term: TermId) -> bool {
        let changes = |term: &TermId| self.sort(terms.sort(*term)) != terms.sort(*term);
        changes(&term) || terms.args(term).iter().any(changes)
    }

    /// A term about the smaller world; `None` if it does something else with such words than to compare and to count.
    pub fn term(&mut self, terms: &mut Terms, term: TermId) -> Option<TermId> {
        for id in terms.postorder(&[term]) {
            if self.memo.contains_key(&id) {
                continue;
            }
            let (old, op) = (terms.sort(id), terms.op(id));
            let args: Vec<TermId> = terms.args(id).iter().map(|arg| self.memo[arg]).collect();
            let changed = args[..] != *terms.args(id) || self.sort(old) != old;
            let new = match (op, terms.value(id)) {
                _ if !changed => id,
                (Op::Var(symbol), _) => {
                    let base = terms.base(symbol.base);
                    let (name, sort, signed) = (base.name.to_string(), self.sort(base.sort), base.signed);
                    let base = terms.declare(&name, sort, signed);
                    terms.var(base, symbol.index)
                }
                (_, Some(Value::Bv(bv))) => {
                    let (bits, value) = (bv.bits, self.number(bv.bits, bv.value)?);
                    terms.bv(self.width(bits), value)
                }
                (Op::ConstArray(index), _) => terms.const_array(self.width(index), args[0]),
                (Op::Extract { hi, lo }, _) => {
                    let bits = terms.width(terms.args(id)[0]);
                    let shift = bits - self.width(bits);
                    let whole = (hi + 1, lo + self.from) == (bits, bits);
                    match shift {
                        0 => terms.extract(args[0], hi, lo),
                        _ if hi < bits - self.from => terms.extract(args[0], hi, lo),
                        _ if whole => terms.extract(args[0], hi - shift, lo),
                        _ => return None,
                    }
                }
                (
                    Op::Eq
                    | Op::Ite
                    | Op::BvUle
                    | Op::BvAdd
                    | Op::BvNeg
                    | Op::BvMul
                    | Op::Select
                    | Op::Store
                    | Op::Splice
                    | Op::Concat
                    | Op::And
                    | Op::Or
                    | Op::Not,
                    _,
                ) => terms.build(op, &args),
                // Something else, of other words.
                _ if !self.is_about(terms, id) => terms.build(op, &args),
                _ => return None,
            };
            if terms.sort(new) != self.sort(old) {
                return None;
            }
            self.memo.insert(id, new);
        }
        Some(self.memo[&term])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_become_narrower() {
        let t = &mut Terms::new();
        let [p, q] = ["p", "q"].map(|name| t.declare(name, Sort::BitVec(48), false));
        let next = t.declare("next", Sort::Array { index: 80, elem: Elem::BitVec(48) }, false);
        let (p, q, next, four) = (t.var(p, 1), t.var(q, 1), t.var(next, 1), t.bv(32, 4));
        let (one, last) = (t.bv(48, 1), t.bv(48, u128::MAX));
        let at = t.concat(p, four);
        let (read, after) = (t.select(next, at), t.bv_add(q, one));
        let (same, small) = (t.eq(read, after), t.bv_ult(p, last));
        let both = t.and2(same, small);
        let mut narrow = Narrow::new(48, 8, 32);
        let new = narrow.term(t, both).expect("a smaller world");
        assert_eq!(t.show(both), "next@1[concat(p@1, 4)] == q@1 + 1 && p@1 != -1");
        assert_eq!(t.show(new), "next@1[concat(p@1, 4)] == q@1 + 1 && p@1 != 255");
        assert!(t.free_symbols(new).iter().all(|s| t.free_symbols(both).iter().all(|o| o.base != s.base)));
        // Half of a word means nothing there.
        let (half, zero) = (t.extract(p, 23, 0), t.bv(24, 0));
        let half = t.eq(half, zero);
        assert_eq!(narrow.term(t, half), None);
        // Neither does a number in the middle.
        let (middle, many) = (t.bv(48, 1 << 20), q);
        let middle = t.eq(many, middle);
        assert_eq!(narrow.term(t, middle), None);
    }
}
