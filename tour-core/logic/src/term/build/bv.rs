//! Bit-vector arithmetic, bit operations, and their structure. Comparisons are in `bv_cmp`.

use crate::term::sort::MAX_BITS;
use crate::term::{Bv, Op, TermId, Terms};

impl Terms {
    /// `-a`
    pub fn bv_neg(&mut self, a: TermId) -> TermId {
        if let Some(folded) = self.fold(Op::BvNeg, &[a]) {
            return folded;
        }
        if let Some(inner) = self.unary(Op::BvNeg, a) {
            return inner;
        }
        if let Some((x, c)) = self.with_const(Op::BvAdd, a) {
            let (minus_x, minus_c) = (self.bv_neg(x), self.bv(c.bits, c.value.wrapping_neg()));
            return self.bv_add(minus_x, minus_c);
        }
        if let Some((x, c)) = self.with_const(Op::BvMul, a) {
            let minus_c = self.bv(c.bits, c.value.wrapping_neg());
            return self.bv_mul(x, minus_c);
        }
        self.node(Op::BvNeg, &[a])
    }

    /// `~a`
    pub fn bv_not(&mut self, a: TermId) -> TermId {
        if let Some(folded) = self.fold(Op::BvNot, &[a]) {
            return folded;
        }
        self.unary(Op::BvNot, a).unwrap_or_else(|| self.node(Op::BvNot, &[a]))
    }

    /// `a + b`
    pub fn bv_add(&mut self, a: TermId, b: TermId) -> TermId {
        let (a, b) = match self.canonical(Op::BvAdd, a, b) {
            Ok(folded) => return folded,
            Err(ordered) => ordered,
        };
        if let Some(c) = self.as_bv(b) {
            if c.value == 0 {
                return a;
            }
            if let Some((x, d)) = self.with_const(Op::BvAdd, a) {
                let sum = self.bv(c.bits, c.value.wrapping_add(d.value));
                return self.bv_add(x, sum);
            }
            if let Some(pushed) = self.through_ite(a, |t, branch| t.bv_add(branch, b)) {
                return pushed;
            }
            return self.node(Op::BvAdd, &[a, b]);
        }
        // Constants move outwards, where they meet: (x + c) + y is (x + y) + c.
        for (inner, other) in [(a, b), (b, a)] {
            if let Some((x, c)) = self.with_const(Op::BvAdd, inner) {
                let (sum, c) = (self.bv_add(x, other), self.bv(c.bits, c.value));
                return self.bv_add(sum, c);
            }
        }
        for (x, y) in [(a, b), (b, a)] {
            if self.unary(Op::BvNeg, x) == Some(y) {
                let bits = self.width(x);
                return self.bv(bits, 0);
            }
            // (p + q) + -q is p.
            if let (Some((p, q)), Some(minus)) = (self.binary(Op::BvAdd, x), self.unary(Op::BvNeg, y)) {
                if minus == q {
                    return p;
                }
                if minus == p {
                    return q;
                }
            }
        }
        if a == b {
            let two = self.bv(self.width(a), 2);
            return if self.width(a) == 1 { self.bv(1, 0) } else { self.bv_mul(a, two) };
        }
        self.node(Op::BvAdd, &[a, b])
    }

    /// `a - b`
    pub fn bv_sub(&mut self, a: TermId, b: TermId) -> TermId {
        if a == b {
            let bits = self.width(a);
            return self.bv(bits, 0);
        }
        let minus = self.bv_neg(b);
        self.bv_add(a, minus)
    }

    /// `a * b`
    pub fn bv_mul(&mut self, a: TermId, b: TermId) -> TermId {
        let (a, b) = match self.canonical(Op::BvMul, a, b) {
            Ok(folded) => return folded,
            Err(ordered) => ordered,
        };
        if let Some(c) = self.as_bv(b) {
            if c.value == 0 {
                return b;
            }
            if c.value == 1 {
                return a;
            }
            if c.is_ones() {
                return self.bv_neg(a);
            }
            if let Some((x, d)) = self.with_const(Op::BvMul, a) {
                let product = self.bv(c.bits, c.value.wrapping_mul(d.value));
                return self.bv_mul(x, product);
            }
            if let Some(x) = self.unary(Op::BvNeg, a) {
                let minus = self.bv(c.bits, c.value.wrapping_neg());
                return self.bv_mul(x, minus);
            }
        }
        self.node(Op::BvMul, &[a, b])
    }

    /// Unsigned `a / b`
    pub fn bv_udiv(&mut self, a: TermId, b: TermId) -> TermId {
        self.divide(Op::BvUdiv, a, b)
    }

    /// Unsigned `a % b`
    pub fn bv_urem(&mut self, a: TermId, b: TermId) -> TermId {
        self.divide(Op::BvUrem, a, b)
    }

    /// Signed `a / b`
    pub fn bv_sdiv(&mut self, a: TermId, b: TermId) -> TermId {
        self.divide(Op::BvSdiv, a, b)
    }

    /// Signed `a % b`
    pub fn bv_srem(&mut self, a: TermId, b: TermId) -> TermId {
        self.divide(Op::BvSrem, a, b)
    }

    fn divide(&mut self, op: Op, a: TermId, b: TermId) -> TermId {
        if let Some(folded) = self.fold(op, &[a, b]) {
            return folded;
        }
        let one = self.as_bv(b).is_some_and(|c| c.value == 1 && c.bits > 1);
        match op {
            Op::BvUdiv | Op::BvSdiv if one => a,
            Op::BvUrem | Op::BvSrem if one => self.bv(self.width(a), 0),
            _ => self.node(op, &[a, b]),
        }
    }

    /// `a & b`
    pub fn bv_and(&mut self, a: TermId, b: TermId) -> TermId {
        self.bitwise(Op::BvAnd, a, b)
    }

    /// `a | b`
    pub fn bv_or(&mut self, a: TermId, b: TermId) -> TermId {
        self.bitwise(Op::BvOr, a, b)
    }

    /// `a ^ b`
    pub fn bv_xor(&mut self, a: TermId, b: TermId) -> TermId {
        self.bitwise(Op::BvXor, a, b)
    }

    fn bitwise(&mut self, op: Op, a: TermId, b: TermId) -> TermId {
        let (a, b) = match self.canonical(op, a, b) {
            Ok(folded) => return folded,
            Err(ordered) => ordered,
        };
        let bits = self.width(a);
        if a == b {
            return if op == Op::BvXor { self.bv(bits, 0) } else { a };
        }
        if self.unary(Op::BvNot, a) == Some(b) || self.unary(Op::BvNot, b) == Some(a) {
            return self.bv(bits, if op == Op::BvAnd { 0 } else { u128::MAX });
        }
        if let Some(c) = self.as_bv(b) {
            match op {
                Op::BvAnd if c.value == 0 => return b,
                Op::BvOr if c.is_ones() => return b,
                Op::BvAnd if c.is_ones() => return a,
                Op::BvOr | Op::BvXor if c.value == 0 => return a,
                Op::BvXor if c.is_ones() => return self.bv_not(a),
                _ => {}
            }
            if let Some((x, d)) = self.with_const(op, a) {
                let d = self.bv(bits, d.value);
                let both = self.bitwise(op, b, d);
                return self.bitwise(op, x, both);
            }
            if let Some(pushed) = self.through_ite(a, |t, branch| t.bitwise(op, branch, b)) {
                return pushed;
            }
        }
        self.node(op, &[a, b])
    }

    /// `a << b`
    pub fn bv_shl(&mut self, a: TermId, b: TermId) -> TermId {
        self.shift(Op::BvShl, a, b)
    }

    /// `a >> b`, filled with zeros.
    pub fn bv_lshr(&mut self, a: TermId, b: TermId) -> TermId {
        self.shift(Op::BvLshr, a, b)
    }

    /// `a >> b`, filled with the sign.
    pub fn bv_ashr(&mut self, a: TermId, b: TermId) -> TermId {
        self.shift(Op::BvAshr, a, b)
    }

    fn shift(&mut self, op: Op, a: TermId, b: TermId) -> TermId {
        if let Some(folded) = self.fold(op, &[a, b]) {
            return folded;
        }
        if self.as_bv(a).is_some_and(|c| c.value == 0) || self.as_bv(b).is_some_and(|c| c.value == 0) {
            return a;
        }
        if let Some(c) = self.as_bv(b)
            && c.value >= u128::from(c.bits)
        {
            return if op == Op::BvAshr {
                let last = self.bv(c.bits, u128::from(c.bits) - 1);
                self.shift(op, a, last)
            } else {
                self.bv(c.bits, 0)
            };
        }
        self.node(op, &[a, b])
    }

    /// `a` above `b`.
    pub fn concat(&mut self, a: TermId, b: TermId) -> TermId {
        let (above, below) = (self.width(a), self.width(b));
        debug_assert!(above + below <= MAX_BITS);
        if let Some(folded) = self.fold(Op::Concat, &[a, b]) {
            return folded;
        }
        if self.as_bv(a).is_some_and(|c| c.value == 0) {
            return self.zero_ext(b, above);
        }
        if let (Op::Extract { hi, lo }, Op::Extract { hi: next, lo: end }) = (self.op(a), self.op(b))
            && lo == next + 1
            && self.args(a)[0] == self.args(b)[0]
        {
            let whole = self.args(a)[0];
            return self.extract(whole, hi, end);
        }
        self.node(Op::Concat, &[a, b])
    }

    /// Bits `lo..=hi` of `a`.
    pub fn extract(&mut self, a: TermId, hi: u32, lo: u32) -> TermId {
        let width = self.width(a);
        debug_assert!(lo <= hi && hi < width);
        if hi - lo + 1 == width {
            return a;
        }
        let op = Op::Extract { hi, lo };
        if let Some(folded) = self.fold(op, &[a]) {
            return folded;
        }
        match self.op(a) {
            Op::Extract { lo: inner, .. } => {
                let x = self.args(a)[0];
                return self.extract(x, hi + inner, lo + inner);
            }
            Op::Concat => {
                let (above, below) = (self.args(a)[0], self.args(a)[1]);
                let split = self.width(below);
                if hi < split {
                    return self.extract(below, hi, lo);
                }
                if lo >= split {
                    return self.extract(above, hi - split, lo - split);
                }
            }
            Op::ZeroExt(_) | Op::SignExt(_) => {
                let x = self.args(a)[0];
                let inner = self.width(x);
                if hi < inner {
                    return self.extract(x, hi, lo);
                }
                if lo >= inner && matches!(self.op(a), Op::ZeroExt(_)) {
                    return self.bv(hi - lo + 1, 0);
                }
                if lo == 0 {
                    let by = hi + 1 - inner;
                    return if matches!(self.op(a), Op::ZeroExt(_)) {
                        self.zero_ext(x, by)
                    } else {
                        self.sign_ext(x, by)
                    };
                }
            }
            _ => {}
        }
        if let Some(pushed) = self.through_ite(a, |t, branch| t.extract(branch, hi, lo)) {
            return pushed;
        }
        self.node(op, &[a])
    }

    /// `by` zeros above `a`.
    pub fn zero_ext(&mut self, a: TermId, by: u32) -> TermId {
        debug_assert!(self.width(a) + by <= MAX_BITS);
        if by == 0 {
            return a;
        }
        if let Some(folded) = self.fold(Op::ZeroExt(by), &[a]) {
            return folded;
        }
        if let Op::ZeroExt(inner) = self.op(a) {
            let x = self.args(a)[0];
            return self.zero_ext(x, by + inner);
        }
        if let Some(pushed) = self.through_ite(a, |t, branch| t.zero_ext(branch, by)) {
            return pushed;
        }
        self.node(Op::ZeroExt(by), &[a])
    }

    /// `by` copies of the sign above `a`.
    pub fn sign_ext(&mut self, a: TermId, by: u32) -> TermId {
        debug_assert!(self.width(a) + by <= MAX_BITS);
        if by == 0 {
            return a;
        }
        if let Some(folded) = self.fold(Op::SignExt(by), &[a]) {
            return folded;
        }
        match self.op(a) {
            Op::SignExt(inner) => {
                let x = self.args(a)[0];
                return self.sign_ext(x, by + inner);
            }
            Op::ZeroExt(inner) => {
                let x = self.args(a)[0];
                return self.zero_ext(x, by + inner);
            }
            _ => {}
        }
        if let Some(pushed) = self.through_ite(a, |t, branch| t.sign_ext(branch, by)) {
            return pushed;
        }
        self.node(Op::SignExt(by), &[a])
    }

    /// Cut or extended to `bits`.
    pub fn resize(&mut self, a: TermId, bits: u32, signed: bool) -> TermId {
        let width = self.width(a);
        if bits <= width {
            self.extract(a, bits - 1, 0)
        } else if signed {
            self.sign_ext(a, bits - width)
        } else {
            self.zero_ext(a, bits - width)
        }
    }

    /// For `x op c` with a constant `c`: both.
    pub(super) fn with_const(&self, op: Op, term: TermId) -> Option<(TermId, Bv)> {
        let (x, c) = self.binary(op, term)?;
        Some((x, self.as_bv(c)?))
    }

    /// The folded result of a commutative operator on constants, or the arguments in canonical order.
    fn canonical(&mut self, op: Op, a: TermId, b: TermId) -> Result<TermId, (TermId, TermId)> {
        debug_assert_eq!(self.sort(a), self.sort(b));
        match self.fold(op, &[a, b]) {
            Some(folded) => Ok(folded),
            None => Err(self.ordered(a, b)),
        }
    }
}
