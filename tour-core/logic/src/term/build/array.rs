//! Arrays.

use crate::term::{Op, Sort, TermId, Terms};
use std::collections::BTreeMap;

/// How many stores a read looks behind.
/// Normal form: the engine and the checker of evidence must build the same terms.
const LOOK: usize = 2048;

/// How many elements of its own a closed array has.
/// Normal form: the engine and the checker of evidence must build the same terms.
const CLOSED: usize = 256;

/// How many choices between arrays it looks into.
/// Normal form: the engine and the checker of evidence must build the same terms.
const DEEP: u32 = 512;

impl Terms {
    /// `array[index]`
    pub fn select(&mut self, array: TermId, index: TermId) -> TermId {
        self.select_within(array, index, DEEP)
    }

    /// The same, through a number of choices between arrays.
    fn select_within(&mut self, array: TermId, index: TermId, deep: u32) -> TermId {
        let mut array = array;
        for _ in 0..LOOK {
            match self.op(array) {
                Op::ConstArray(_) => return self.args(array)[0],
                // An element that is known by its index is the same on both sides, most of the time.
                Op::Ite if deep > 0 && self.as_bv(index).is_some() => {
                    if let Some(&known) = self.chosen.get(&(array, index)) {
                        return known;
                    }
                    let &[condition, yes, no] = self.args(array) else { break };
                    let yes = self.select_within(yes, index, deep - 1);
                    let no = self.select_within(no, index, deep - 1);
                    let element = self.ite(condition, yes, no);
                    self.chosen.insert((array, index), element);
                    return element;
                }
                Op::Splice => {
                    let &[outside, inside, at, from, count] = self.args(array) else {
                        unreachable!("splice has five arguments")
                    };
                    let (is_inside, within) = self.spliced(index, at, from, count);
                    if is_inside == self.yes() {
                        return self.select_within(inside, within, deep);
                    }
                    if is_inside != self.no() {
                        break;
                    }
                    array = outside;
                }
                Op::Store => {
                    let &[inner, at, value] = self.args(array) else {
                        unreachable!("store has three arguments")
                    };
                    if at == index {
                        return value;
                    }
                    if !self.differ(at, index) {
                        break;
                    }
                    array = inner;
                }
                _ => break,
            }
        }
        self.node(Op::Select, &[array, index])
    }

    /// `array` with `value` at `index`.
    pub fn store(&mut self, array: TermId, index: TermId, value: TermId) -> TermId {
        // Writing back what was read changes nothing.
        if self.binary(Op::Select, value) == Some((array, index)) {
            return array;
        }
        match self.op(array) {
            Op::Store if self.args(array)[1] == index => {
                let inner = self.args(array)[0];
                self.store(inner, index, value)
            }
            Op::ConstArray(_) if self.args(array)[0] == value => array,
            _ => self.node(Op::Store, &[array, index, value]),
        }
    }

    /// An array, indexed by bit-vectors of `index` bits, that has `value` everywhere.
    pub fn const_array(&mut self, index: u32, value: TermId) -> TermId {
        debug_assert!(self.sort(value).as_elem().is_some());
        self.node(Op::ConstArray(index), &[value])
    }

    /// `array`, with `count` elements from index `at` on those of `other` from index `from` on.
    pub fn splice(
        &mut self,
        array: TermId,
        other: TermId,
        at: TermId,
        from: TermId,
        count: TermId,
    ) -> TermId {
        match self.as_bv(count).map(|count| count.value) {
            Some(0) => array,
            _ if array == other && at == from => array,
            _ => self.node(Op::Splice, &[array, other, at, from, count]),
        }
    }

    /// Whether an index is among those that are replaced, and the index in the other array.
    pub(in crate::term) fn spliced(
        &mut self,
        index: TermId,
        at: TermId,
        from: TermId,
        count: TermId,
    ) -> (TermId, TermId) {
        let distance = self.bv_sub(index, at);
        (self.bv_ult(distance, count), self.bv_add(from, distance))
    }

    /// An array whose elements are all constants, in the one form that such an array has: stores by ascending index, none
    /// of what is there anyway. `None` if it is something else, or has more than a few hundred elements of its own.
    pub fn closed_array(&mut self, array: TermId) -> Option<TermId> {
        let mut elements: BTreeMap<u128, (TermId, TermId)> = BTreeMap::new();
        let mut inner = array;
        while self.op(inner) == Op::Store {
            let &[below, index, value] = self.args(inner) else { return None };
            self.value(value)?;
            elements.entry(self.as_bv(index)?.value).or_insert((index, value));
            if elements.len() > CLOSED {
                return None;
            }
            inner = below;
        }
        let Op::ConstArray(_) = self.op(inner) else { return None };
        let default = self.args(inner)[0];
        self.value(default)?;
        for (index, value) in elements.into_values() {
            if value != default {
                inner = self.store(inner, index, value);
            }
        }
        Some(inner)
    }

    /// The array has that form.
    pub fn is_closed_array(&self, array: TermId) -> bool {
        let mut inner = array;
        let mut above = None;
        while let (Op::Store, &[below, index, value]) = (self.op(inner), self.args(inner)) {
            let Some(index) = self.as_bv(index).map(|bv| bv.value) else { return false };
            if self.value(value).is_none() || above.is_some_and(|above| index >= above) {
                return false;
            }
            above = Some(index);
            inner = below;
        }
        matches!(self.op(inner), Op::ConstArray(_)) && self.value(self.args(inner)[0]).is_some()
    }

    /// Two indices that can't be equal: different constants, the same term plus different constants, or
    /// concatenations of which one part can't be equal.
    fn differ(&self, a: TermId, b: TermId) -> bool {
        debug_assert!(matches!(self.sort(a), Sort::BitVec(_)));
        self.apart(Slice::all(a), Slice::all(b), 0)
    }

    fn apart(&self, a: Slice, b: Slice, depth: usize) -> bool {
        if depth > 4 {
            return false;
        }
        // Concatenations are compared part by part; the other side may be one too, or a constant.
        for (whole, other) in [(a, b), (b, a)] {
            if let (Op::Concat, None) = (self.op(whole.term), whole.bits) {
                let (high, low) = (self.args(whole.term)[0], self.args(whole.term)[1]);
                let split = self.width(low);
                let Some((other_high, other_low)) = self.cut(other, split) else { return false };
                return self.apart(Slice::all(high), other_high, depth + 1)
                    || self.apart(Slice::all(low), other_low, depth + 1);
            }
        }
        let base = |slice: Slice| match (self.slice_value(slice), slice.bits) {
            (Some(c), _) => Some((None, c)),
            (None, Some(_)) => None,
            (None, None) => Some(match self.with_const(Op::BvAdd, slice.term) {
                Some((x, c)) => (Some(x), c.value),
                None => (Some(slice.term), 0),
            }),
        };
        match (base(a), base(b)) {
            (Some((x, c)), Some((y, d))) => x == y && c != d,
            _ => false,
        }
    }

    /// The bits above and below `split`, if they are parts or constants.
    fn cut(&self, slice: Slice, split: u32) -> Option<(Slice, Slice)> {
        let term = slice.term;
        if let (Op::Concat, None) = (self.op(term), slice.bits) {
            let (high, low) = (self.args(term)[0], self.args(term)[1]);
            return (self.width(low) == split).then_some((Slice::all(high), Slice::all(low)));
        }
        self.as_bv(term)?;
        let (hi, lo) = slice.bits.unwrap_or((self.width(term) - 1, 0));
        Some((Slice { term, bits: Some((hi, lo + split)) }, Slice { term, bits: Some((lo + split - 1, lo)) }))
    }

    fn slice_value(&self, slice: Slice) -> Option<u128> {
        let value = self.as_bv(slice.term)?.value;
        Some(match slice.bits {
            None => value,
            Some((hi, lo)) => {
                let width = hi - lo + 1;
                let mask = if width >= 128 { u128::MAX } else { (1 << width) - 1 };
                value >> lo & mask
            }
        })
    }
}

/// A term, or some bits of a constant.
#[derive(Clone, Copy)]
struct Slice {
    term: TermId,
    bits: Option<(u32, u32)>,
}

impl Slice {
    fn all(term: TermId) -> Slice {
        Slice { term, bits: None }
    }
}
