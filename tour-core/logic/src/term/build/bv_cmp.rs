//! Comparisons of bit-vectors, in the canonical forms `x == c`, `x <= c`, `x <= y` and their negations.

use crate::term::{Op, TermId, Terms};
use tour_ir::program::IntType;

impl Terms {
    /// Unsigned `a <= b`
    pub fn bv_ule(&mut self, a: TermId, b: TermId) -> TermId {
        self.bv_le(false, a, b)
    }

    /// Unsigned `a < b`
    pub fn bv_ult(&mut self, a: TermId, b: TermId) -> TermId {
        let ge = self.bv_le(false, b, a);
        self.not(ge)
    }

    /// Signed `a <= b`
    pub fn bv_sle(&mut self, a: TermId, b: TermId) -> TermId {
        self.bv_le(true, a, b)
    }

    /// Signed `a < b`
    pub fn bv_slt(&mut self, a: TermId, b: TermId) -> TermId {
        let ge = self.bv_le(true, b, a);
        self.not(ge)
    }

    /// `a <= b`, signed or unsigned.
    pub fn bv_le(&mut self, signed: bool, a: TermId, b: TermId) -> TermId {
        debug_assert_eq!(self.sort(a), self.sort(b));
        let op = if signed { Op::BvSle } else { Op::BvUle };
        if a == b {
            return self.yes();
        }
        if let Some(folded) = self.fold(op, &[a, b]) {
            return folded;
        }
        let ty = IntType { bits: self.width(a), signed };
        if let Some(c) = self.as_bv(b) {
            return self.bv_le_const(ty, a, c.value);
        }
        if let Some(c) = self.as_bv(a) {
            // c <= x is !(x <= c - 1), unless there is no smaller number.
            if c.value == ty.min() {
                return self.yes();
            }
            let le = self.bv_le_const(ty, b, ty.wrap(c.value.wrapping_sub(1)));
            return self.not(le);
        }
        // Extensions of the same kind from the same width keep the order.
        match (self.op(a), self.op(b)) {
            (Op::ZeroExt(m), Op::ZeroExt(n)) if m == n => {
                let (x, y) = (self.args(a)[0], self.args(b)[0]);
                return self.bv_le(false, x, y);
            }
            (Op::SignExt(m), Op::SignExt(n)) if m == n => {
                let (x, y) = (self.args(a)[0], self.args(b)[0]);
                return self.bv_le(signed, x, y);
            }
            _ => {}
        }
        self.node(op, &[a, b])
    }

    /// `a <= c` in type `ty`, where `a` is no constant.
    fn bv_le_const(&mut self, ty: IntType, a: TermId, c: u128) -> TermId {
        if c == ty.max() {
            return self.yes();
        }
        if c == ty.min() {
            let least = self.bv(ty.bits, c);
            return self.eq(a, least);
        }
        match self.op(a) {
            Op::ZeroExt(_) => {
                let x = self.args(a)[0];
                let inner = IntType::unsigned(self.width(x));
                // The extended value is not negative in either reading of the wider type.
                if ty.signed && ty.to_i128(c) < 0 {
                    return self.no();
                }
                if c >= inner.max() {
                    return self.yes();
                }
                return self.bv_le_const(inner, x, c);
            }
            Op::SignExt(_) if ty.signed => {
                let x = self.args(a)[0];
                let inner = IntType::signed(self.width(x));
                let c = ty.to_i128(c);
                if c >= inner.to_i128(inner.max()) {
                    return self.yes();
                }
                if c < inner.to_i128(inner.min()) {
                    return self.no();
                }
                return self.bv_le_const(inner, x, inner.wrap(c as u128));
            }
            _ => {}
        }
        let bound = self.bv(ty.bits, c);
        let compared = |t: &mut Terms, branch: TermId| t.bv_le(ty.signed, branch, bound);
        if let Some(pushed) = self.through_ite(a, compared) {
            return pushed;
        }
        // One below the top: everything but the top.
        if c == ty.wrap(ty.max().wrapping_sub(1)) {
            let top = self.bv(ty.bits, ty.max());
            let is_top = self.eq(a, top);
            return self.not(is_top);
        }
        self.node(if ty.signed { Op::BvSle } else { Op::BvUle }, &[a, bound])
    }

    /// `a == b` for different terms in canonical order.
    pub(super) fn bv_eq(&mut self, a: TermId, b: TermId) -> TermId {
        if let Some(c) = self.as_bv(b) {
            return self.bv_eq_const(a, b, c.value);
        }
        match (self.op(a), self.op(b)) {
            (Op::ZeroExt(m), Op::ZeroExt(n)) | (Op::SignExt(m), Op::SignExt(n)) if m == n => {
                let (x, y) = (self.args(a)[0], self.args(b)[0]);
                return self.eq(x, y);
            }
            (Op::BvNeg, Op::BvNeg) | (Op::BvNot, Op::BvNot) => {
                let (x, y) = (self.args(a)[0], self.args(b)[0]);
                return self.eq(x, y);
            }
            (Op::BvAdd, Op::BvAdd) => {
                // x + c == y + d moves one constant to the side.
                if let (Some((x, c)), Some((y, d))) =
                    (self.with_const(Op::BvAdd, a), self.with_const(Op::BvAdd, b))
                {
                    let difference = self.bv(c.bits, d.value.wrapping_sub(c.value));
                    let right = self.bv_add(y, difference);
                    return self.eq(x, right);
                }
            }
            _ => {}
        }
        // x == x + y is y == 0.
        for (x, sum) in [(a, b), (b, a)] {
            if let Some((p, q)) = self.binary(Op::BvAdd, sum)
                && (p == x || q == x)
            {
                let rest = if p == x { q } else { p };
                let zero = self.bv(self.width(x), 0);
                return self.eq(rest, zero);
            }
        }
        self.node(Op::Eq, &[a, b])
    }

    /// `a == c`, where `a` is no constant and `b` is the term of `c`.
    fn bv_eq_const(&mut self, a: TermId, b: TermId, c: u128) -> TermId {
        let bits = self.width(a);
        match self.op(a) {
            Op::ZeroExt(_) | Op::SignExt(_) => {
                let signed = matches!(self.op(a), Op::SignExt(_));
                let x = self.args(a)[0];
                let inner = IntType { bits: self.width(x), signed };
                let cut = inner.wrap(c);
                if IntType::unsigned(bits).wrap(inner.extend(cut)) != c {
                    return self.no();
                }
                let cut = self.bv(inner.bits, cut);
                return self.eq(x, cut);
            }
            Op::BvNeg => {
                let (x, c) = (self.args(a)[0], self.bv(bits, c.wrapping_neg()));
                return self.eq(x, c);
            }
            Op::BvNot => {
                let (x, c) = (self.args(a)[0], self.bv(bits, !c));
                return self.eq(x, c);
            }
            Op::BvAdd => {
                if let Some((x, d)) = self.with_const(Op::BvAdd, a) {
                    let c = self.bv(bits, c.wrapping_sub(d.value));
                    return self.eq(x, c);
                }
            }
            // The high bits are zero: a bound.
            Op::Extract { hi, lo } if c == 0 && lo > 0 => {
                let x = self.args(a)[0];
                let width = self.width(x);
                if hi + 1 == width {
                    let bound = self.bv(width, (1 << lo) - 1);
                    return self.bv_ule(x, bound);
                }
            }
            Op::BvXor => {
                if let Some((x, d)) = self.with_const(Op::BvXor, a) {
                    let c = self.bv(bits, c ^ d.value);
                    return self.eq(x, c);
                }
            }
            _ => {}
        }
        if let Some(pushed) = self.through_ite(a, |t, branch| t.eq(branch, b)) {
            return pushed;
        }
        if bits == 1 && c == 0 {
            // One bit has two values: only `== 1` is used.
            let one = self.bv(1, 1);
            let set = self.eq(a, one);
            return self.not(set);
        }
        self.node(Op::Eq, &[a, b])
    }
}
