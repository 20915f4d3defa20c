//! Arrays.

use crate::term::{Op, Sort, TermId, Terms};

/// How many stores a read looks behind.
const LOOK: usize = 64;

impl Terms {
    /// `array[index]`
    pub fn select(&mut self, array: TermId, index: TermId) -> TermId {
        let mut array = array;
        for _ in 0..LOOK {
            match self.op(array) {
                Op::ConstArray(_) => return self.args(array)[0],
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

    /// Two indices that can't be equal: different constants, or the same term plus different constants.
    fn differ(&self, a: TermId, b: TermId) -> bool {
        let split = |t: TermId| match (self.as_bv(t), self.with_const(Op::BvAdd, t)) {
            (Some(c), _) => (None, c.value),
            (None, Some((x, c))) => (Some(x), c.value),
            (None, None) => (Some(t), 0),
        };
        debug_assert!(matches!(self.sort(a), Sort::BitVec(_)));
        let ((x, c), (y, d)) = (split(a), split(b));
        x == y && c != d
    }
}
