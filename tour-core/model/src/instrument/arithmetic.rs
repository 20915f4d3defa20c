//! Integer arithmetic: signed overflow, unsigned wrap-around, division by zero, shifts.

use super::walk::Walk;
use super::{Condition, range};
use tour_ir::program::{BinOp, ExprId, IntKind, IntType, Rule, UnOp};

impl Walk<'_> {
    /// `op a`
    pub fn unary(&mut self, expr: ExprId, op: UnOp, a: ExprId) {
        let Some(int) = self.program().int_type_of(a) else { return };
        if op != UnOp::Neg {
            return;
        }
        let values = range::of(self.program(), a);
        if int.signed {
            let least = int.to_i128(int.min());
            if values.is_none_or(|(low, _)| low == least) {
                let condition = self.build(expr).test_int(BinOp::Eq, a, least);
                self.overflow(expr, condition);
            }
        } else if values != Some((0, 0)) {
            let condition = self.build(expr).test_int(BinOp::Ne, a, 0);
            self.wraps(expr, condition);
        }
    }

    /// `a op b`
    pub fn binary(&mut self, expr: ExprId, op: BinOp, a: ExprId, b: ExprId) {
        let Some(int) = self.program().int_type_of(a) else {
            return self.pointers(expr, op, a, b);
        };
        match op {
            BinOp::Add | BinOp::Sub | BinOp::Mul => self.sum_or_product(expr, op, int, a, b),
            BinOp::Div | BinOp::Rem => self.division(expr, int, a, b),
            BinOp::Shl | BinOp::Shr => self.shift(expr, op, int, a, b),
            _ => {}
        }
    }

    fn sum_or_product(&mut self, expr: ExprId, op: BinOp, int: IntType, a: ExprId, b: ExprId) {
        if !self.wants(if int.signed { Rule::SignedOverflow } else { Rule::UnsignedWrap }) {
            return;
        }
        let ranges = (range::of(self.program(), a), range::of(self.program(), b));
        if let (Some(x), Some(y)) = ranges
            && let (Some(exact), Some(whole)) = (range::exact(op, x, y), range::whole(int))
            && range::inside(exact, whole)
        {
            return;
        }
        let condition = match self.by_constant(expr, op, int, a, b) {
            Some(condition) => condition,
            None if !int.signed => self.unsigned(expr, op, int, a, b),
            None if int.bits <= 64 => self.wider(expr, op, int, a, b),
            None => self.in_place(expr, op, int, a, b),
        };
        if int.signed {
            self.overflow(expr, condition);
        } else {
            self.wraps(expr, condition);
        }
    }

    /// One operand is a constant: a comparison of the other.
    fn by_constant(
        &mut self,
        expr: ExprId,
        op: BinOp,
        int: IntType,
        a: ExprId,
        b: ExprId,
    ) -> Option<Condition> {
        let (least, most) = range::whole(int)?;
        let constant = |expr| self.program().const_value(expr).map(|bits| int.to_i128(bits));
        let (other, low, high) = match (op, constant(a), constant(b)) {
            (BinOp::Add, Some(c), None) => (b, least.checked_sub(c), most.checked_sub(c)),
            (BinOp::Add, None, Some(c)) => (a, least.checked_sub(c), most.checked_sub(c)),
            (BinOp::Sub, None, Some(c)) => (a, least.checked_add(c), most.checked_add(c)),
            (BinOp::Sub, Some(c), None) => (b, c.checked_sub(most), c.checked_sub(least)),
            (BinOp::Mul, Some(c), None) | (BinOp::Mul, None, Some(c)) if c != 0 => {
                let other = if constant(a).is_none() { a } else { b };
                let (x, y) = (least.checked_div(c)?, most.checked_div(c)?);
                (other, Some(x.min(y)), Some(x.max(y)))
            }
            _ => return None,
        };
        let (low, high) = (low.unwrap_or(i128::MIN).max(least), high.unwrap_or(i128::MAX).min(most));
        let (from, to) = range::of(self.program(), other)?;
        let mut build = self.build(expr);
        let mut parts = Vec::new();
        if from < low {
            parts.push(build.test_int(BinOp::Lt, other, low));
        }
        if to > high {
            parts.push(build.test_int(BinOp::Gt, other, high));
        }
        Some(Condition::Any(parts))
    }

    /// The result in a type that is wide enough is out of range.
    fn wider(&mut self, expr: ExprId, op: BinOp, int: IntType, a: ExprId, b: ExprId) -> Condition {
        let wide = if int.bits <= 32 { IntKind::LongLong } else { IntKind::Int128 };
        let result = self.result_in(expr, op, a, b, wide);
        let (least, most) = (int.to_i128(int.min()), int.to_i128(int.max()));
        let mut build = self.build(expr);
        Condition::Any(vec![
            build.test_int(BinOp::Lt, result, least),
            build.test_int(BinOp::Gt, result, most),
        ])
    }

    fn result_in(&mut self, expr: ExprId, op: BinOp, a: ExprId, b: ExprId, kind: IntKind) -> ExprId {
        let mut build = self.build(expr);
        let wide = build.program.types.int(kind);
        let (a, b) = (build.cast(a, wide), build.cast(b, wide));
        build.arithmetic(op, a, b)
    }

    fn unsigned(&mut self, expr: ExprId, op: BinOp, int: IntType, a: ExprId, b: ExprId) -> Condition {
        match op {
            BinOp::Sub => self.build(expr).test(BinOp::Lt, a, b),
            BinOp::Add => {
                let mut build = self.build(expr);
                let sum = build.arithmetic(BinOp::Add, a, b);
                build.test(BinOp::Lt, sum, a)
            }
            _ if int.bits <= 64 => {
                let wide = if int.bits <= 32 { IntKind::ULongLong } else { IntKind::UInt128 };
                let result = self.result_in(expr, op, a, b, wide);
                self.build(expr).test_int(BinOp::Gt, result, int.max() as i128)
            }
            _ => {
                // a * b > max if b > max / a
                let mut build = self.build(expr);
                let ty = build.ty(a);
                let most = build.int(int.max() as i128, ty);
                let room = build.arithmetic(BinOp::Div, most, a);
                Condition::All(vec![build.test_int(BinOp::Ne, a, 0), build.test(BinOp::Gt, b, room)])
            }
        }
    }

    /// There is no wider type: cases by the sign of `b`.
    fn in_place(&mut self, expr: ExprId, op: BinOp, int: IntType, a: ExprId, b: ExprId) -> Condition {
        let (opposite, grows, shrinks) = match op {
            BinOp::Add => (BinOp::Sub, BinOp::Gt, BinOp::Lt),
            BinOp::Sub => (BinOp::Add, BinOp::Lt, BinOp::Gt),
            _ => {
                let what = "a product of 128-bit integers, which is not checked for overflow";
                return Condition::Unknown(what.into());
            }
        };
        let mut build = self.build(expr);
        let ty = build.ty(a);
        let mut case = |sign, bound: u128, beyond| {
            let bound = build.int(int.to_i128(bound), ty);
            let bound = build.arithmetic(opposite, bound, b);
            Condition::All(vec![build.test_int(sign, b, 0), build.test(beyond, a, bound)])
        };
        Condition::Any(vec![case(grows, int.max(), BinOp::Gt), case(shrinks, int.min(), BinOp::Lt)])
    }

    fn division(&mut self, expr: ExprId, int: IntType, a: ExprId, b: ExprId) {
        let divisor = self.program().const_value(b).map(|bits| int.to_i128(bits));
        let can_be = |value: i128, range: Option<(i128, i128)>| {
            range.is_none_or(|(low, high)| low <= value && value <= high)
        };
        let (dividends, divisors) = (range::of(self.program(), a), range::of(self.program(), b));
        if divisor.is_none_or(|d| d == 0) && can_be(0, divisors) {
            let condition = self.build(expr).test_int(BinOp::Eq, b, 0);
            let message = format!("{} divides by zero", self.quoted(expr));
            self.violates(Rule::DivisionByZero, condition, message, expr);
        }
        let least = int.to_i128(int.min());
        if int.signed && can_be(-1, divisors) && can_be(least, dividends) {
            let mut build = self.build(expr);
            let mut parts = vec![build.test_int(BinOp::Eq, b, -1), build.test_int(BinOp::Eq, a, least)];
            if divisor.is_some() {
                parts.remove(0);
            }
            // The quotient does not wrap around: the division traps.
            if self.checks(Rule::SignedOverflow) {
                self.overflow(expr, Condition::All(parts));
            } else {
                let message = format!("the result of {} does not fit", self.quoted(expr));
                self.undefined(Condition::All(parts), message, expr);
            }
        }
    }

    fn shift(&mut self, expr: ExprId, op: BinOp, int: IntType, a: ExprId, count: ExprId) {
        if !self.wants(Rule::ShiftOutOfRange) {
            return;
        }
        let width = i128::from(int.bits);
        let counts = range::of(self.program(), count);
        let shown = self.quoted(expr);
        let mut parts = Vec::new();
        if counts.is_none_or(|(low, _)| low < 0) {
            parts.push(self.build(expr).test_int(BinOp::Lt, count, 0));
        }
        if counts.is_none_or(|(_, high)| high >= width) {
            parts.push(self.build(expr).test_int(BinOp::Ge, count, width));
        }
        let message = format!("{shown} shifts by a count that is not in 0..{width}");
        self.violates(Rule::ShiftOutOfRange, Condition::Any(parts), message, expr);
        // Compilers shift bits into the sign and out of it.
        if op != BinOp::Shl || !int.signed || !self.checks(Rule::ShiftOutOfRange) {
            return;
        }
        let values = range::of(self.program(), a);
        let mut parts = Vec::new();
        if values.is_none_or(|(low, _)| low < 0) {
            parts.push(self.build(expr).test_int(BinOp::Lt, a, 0));
        }
        let fits = |value: i128, count: i128| {
            u32::try_from(count)
                .ok()
                .filter(|n| *n < int.bits)
                .is_some_and(|n| value <= (int.max() >> n) as i128)
        };
        if !matches!((values, counts), (Some((_, high)), Some((_, count))) if fits(high, count)) {
            let mut build = self.build(expr);
            let ty = build.ty(a);
            let most = build.int(int.max() as i128, ty);
            let room = build.program.binary(BinOp::Shr, most, count, ty, build.span);
            parts.push(build.test(BinOp::Gt, a, room));
        }
        let ty = self.program().show_type(self.program().exprs[expr].ty);
        let message = format!("the result of {shown} does not fit `{ty}`");
        self.violates(Rule::ShiftOutOfRange, Condition::Any(parts), message, expr);
    }

    fn overflow(&mut self, expr: ExprId, condition: Condition) {
        let ty = self.program().show_type(self.program().exprs[expr].ty);
        let message = format!("{} overflows `{ty}`", self.quoted(expr));
        self.violates(Rule::SignedOverflow, condition, message, expr);
    }

    fn wraps(&mut self, expr: ExprId, condition: Condition) {
        let ty = self.program().show_type(self.program().exprs[expr].ty);
        let message = format!("{} wraps around in `{ty}`", self.quoted(expr));
        self.violates(Rule::UnsignedWrap, condition, message, expr);
    }
}
