//! Mathematical integers. Constants are 128 bits wide; what would not fit is left as it is.

use crate::term::{Op, TermId, Terms};

impl Terms {
    /// `a + b`
    pub fn int_add(&mut self, a: TermId, b: TermId) -> TermId {
        if let Some(folded) = self.fold(Op::IntAdd, &[a, b]) {
            return folded;
        }
        let (a, b) = self.ordered(a, b);
        if let Some(c) = self.as_int(b) {
            if c == 0 {
                return a;
            }
            if let Some((x, d)) = self.with_int(Op::IntAdd, a)
                && let Some(sum) = c.checked_add(d)
            {
                let sum = self.int(sum);
                return self.int_add(x, sum);
            }
            return self.node(Op::IntAdd, &[a, b]);
        }
        for (inner, other) in [(a, b), (b, a)] {
            if let Some((x, c)) = self.with_int(Op::IntAdd, inner) {
                let (sum, c) = (self.int_add(x, other), self.int(c));
                return self.int_add(sum, c);
            }
        }
        for (x, y) in [(a, b), (b, a)] {
            if self.with_int(Op::IntMul, x) == Some((y, -1)) {
                return self.int(0);
            }
        }
        self.node(Op::IntAdd, &[a, b])
    }

    /// `-a`
    pub fn int_neg(&mut self, a: TermId) -> TermId {
        let minus = self.int(-1);
        self.int_mul(a, minus)
    }

    /// `a - b`
    pub fn int_sub(&mut self, a: TermId, b: TermId) -> TermId {
        let minus = self.int_neg(b);
        self.int_add(a, minus)
    }

    /// `a * b`
    pub fn int_mul(&mut self, a: TermId, b: TermId) -> TermId {
        if let Some(folded) = self.fold(Op::IntMul, &[a, b]) {
            return folded;
        }
        let (a, b) = self.ordered(a, b);
        if let Some(c) = self.as_int(b) {
            if c == 0 {
                return b;
            }
            if c == 1 {
                return a;
            }
            if let Some((x, d)) = self.with_int(Op::IntMul, a)
                && let Some(product) = c.checked_mul(d)
            {
                let product = self.int(product);
                return self.int_mul(x, product);
            }
            // Linear terms are sums: c * (x + d) is c * x + c * d.
            if let Some((x, d)) = self.with_int(Op::IntAdd, a)
                && let Some(product) = c.checked_mul(d)
            {
                let (scaled, product) = (self.int_mul(x, b), self.int(product));
                return self.int_add(scaled, product);
            }
        }
        self.node(Op::IntMul, &[a, b])
    }

    /// The quotient that leaves a remainder of 0 or more.
    pub fn int_div(&mut self, a: TermId, b: TermId) -> TermId {
        if let Some(folded) = self.fold(Op::IntDiv, &[a, b]) {
            return folded;
        }
        if self.as_int(b) == Some(1) { a } else { self.node(Op::IntDiv, &[a, b]) }
    }

    /// The remainder, 0 or more.
    pub fn int_mod(&mut self, a: TermId, b: TermId) -> TermId {
        if let Some(folded) = self.fold(Op::IntMod, &[a, b]) {
            return folded;
        }
        if self.as_int(b) == Some(1) { self.int(0) } else { self.node(Op::IntMod, &[a, b]) }
    }

    /// `a <= b`
    pub fn int_le(&mut self, a: TermId, b: TermId) -> TermId {
        if a == b {
            return self.yes();
        }
        if let Some(folded) = self.fold(Op::IntLe, &[a, b]) {
            return folded;
        }
        if let Some(c) = self.as_int(a)
            && let Some(below) = c.checked_sub(1)
        {
            let below = self.int(below);
            let le = self.int_le(b, below);
            return self.not(le);
        }
        if let Some(c) = self.as_int(b)
            && let Some((x, d)) = self.with_int(Op::IntAdd, a)
            && let Some(bound) = c.checked_sub(d)
        {
            let bound = self.int(bound);
            return self.int_le(x, bound);
        }
        self.node(Op::IntLe, &[a, b])
    }

    /// `a < b`
    pub fn int_lt(&mut self, a: TermId, b: TermId) -> TermId {
        let ge = self.int_le(b, a);
        self.not(ge)
    }

    /// `a == b` for different terms in canonical order.
    pub(super) fn int_eq(&mut self, a: TermId, b: TermId) -> TermId {
        if let Some(c) = self.as_int(b)
            && let Some((x, d)) = self.with_int(Op::IntAdd, a)
            && let Some(rest) = c.checked_sub(d)
        {
            let rest = self.int(rest);
            return self.eq(x, rest);
        }
        self.node(Op::Eq, &[a, b])
    }

    /// For `x op c` with a constant `c`: both.
    fn with_int(&self, op: Op, term: TermId) -> Option<(TermId, i128)> {
        let (x, c) = self.binary(op, term)?;
        Some((x, self.as_int(c)?))
    }
}
