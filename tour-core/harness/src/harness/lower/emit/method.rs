//! Methods of integers and `Option`.

use super::Emitter;
use super::arith::int_type;
use super::layout::SECOND;
use crate::harness::lower::hir::{Expr, Method};
use crate::harness::lower::ty::{Int, Ty};
use tour_c::sema::{Fail, Lower};
use tour_ir::program::{BinOp, ExprId, IntKind, PlaceId};
use tour_ir::source::Span;

impl Emitter<'_, '_> {
    /// Stores what a method gives.
    pub(super) fn method(
        &mut self,
        method: Method,
        receiver: &Expr,
        args: &[Expr],
        whole: &Expr,
        dest: PlaceId,
    ) -> Lower<()> {
        let span = whole.span;
        match method {
            Method::Unwrap | Method::UnwrapOr | Method::IsSome | Method::IsNone => {
                return self.option_method(method, receiver, args, dest, span);
            }
            _ => {}
        }
        let Ty::Int(int) = receiver.ty else {
            return Fail::error("this is a method of integers", span, "used on something else");
        };
        let mut values = vec![self.value(receiver)?];
        for arg in args {
            let mark = self.sema.mark();
            let value = self.value(arg)?;
            for earlier in &mut values {
                *earlier = self.sema.keep(*earlier, mark, span)?;
            }
            values.push(value);
        }
        // Methods use their operands more than once.
        for value in &mut values {
            *value = self.sema.fix(*value, span)?;
            *value = self.sema.shallow(*value, span)?;
        }
        let a = values[0];
        let b = values.get(1).copied().unwrap_or(a);
        let zero = self.number(0, &receiver.ty, span)?;
        match method {
            Method::Wrapping(op @ (BinOp::Div | BinOp::Rem)) => {
                self.wrapping_division(op, a, b, int, dest, span)
            }
            Method::Wrapping(op) => {
                let b = if matches!(op, BinOp::Shl | BinOp::Shr) { self.masked(b, int, span)? } else { b };
                let value = self.wrapped(op, a, b, int, span)?;
                self.assign(dest, value, span)
            }
            Method::WrappingNeg => {
                let value = self.wrapped_neg(a, int, span)?;
                self.assign(dest, value, span)
            }
            Method::Checked(op) => self.checked(op, a, b, int, dest, span),
            Method::CheckedNeg => {
                let bad = match int.signed {
                    true => {
                        let min = self.min(int, span)?;
                        self.compare(BinOp::Eq, a, min, span)
                    }
                    false => self.compare(BinOp::Ne, a, zero, span),
                };
                let value = self.wrapped_neg(a, int, span)?;
                self.optional(bad, value, dest, span)
            }
            Method::Overflowing(op) => {
                let over = match self.overflow(op, a, b, int, span)? {
                    Some(over) => self.boolean(over, span)?,
                    None => self.number(0, &Ty::Bool, span)?,
                };
                let value = self.wrapped(op, a, b, int, span)?;
                let (first, second) = (self.step(dest, 0, span)?, self.step(dest, SECOND, span)?);
                self.assign(second, over, span)?;
                self.assign(first, value, span)
            }
            Method::Saturating(op) => self.saturating(op, a, b, int, dest, span),
            Method::Abs => {
                let min = self.min(int, span)?;
                let over = self.compare(BinOp::Eq, a, min, span);
                self.fails_if(over, "attempt to negate with overflow", span)?;
                self.absolute(a, int, dest, span)
            }
            Method::WrappingAbs | Method::UnsignedAbs => self.absolute(a, int, dest, span),
            Method::AbsDiff => {
                let (less, other) =
                    (self.wrapped(BinOp::Sub, b, a, int, span)?, self.wrapped(BinOp::Sub, a, b, int, span)?);
                let condition = self.compare(BinOp::Lt, a, b, span);
                self.choose(condition, less, other, dest, span)
            }
            Method::Min => {
                let condition = self.compare(BinOp::Lt, b, a, span);
                self.choose(condition, b, a, dest, span)
            }
            Method::Max => {
                let condition = self.compare(BinOp::Lt, b, a, span);
                self.choose(condition, a, b, dest, span)
            }
            Method::Clamp => {
                let high = values.get(2).copied().unwrap_or(b);
                let wrong = self.compare(BinOp::Gt, b, high, span);
                self.fails_if(wrong, "assertion failed: min <= max", span)?;
                let below = self.compare(BinOp::Lt, a, b, span);
                let above = self.compare(BinOp::Gt, a, high, span);
                self.choose(above, high, a, dest, span)?;
                let (yes, done) = (self.sema.point(span)?, self.sema.point(span)?);
                self.sema.branch(below, yes, done, span)?;
                self.sema.go_on(yes);
                self.assign(dest, b, span)?;
                self.sema.jump(done, span)?;
                self.sema.go_on(done);
                Ok(())
            }
            Method::Rotate(left) => self.rotate(left, a, b, int, dest, span),
            Method::IsPowerOfTwo => {
                let one = self.number(1, &receiver.ty, span)?;
                let less = self.wrapped(BinOp::Sub, a, one, int, span)?;
                let common = self.wrapped(BinOp::And, a, less, int, span)?;
                let (x, y) =
                    (self.compare(BinOp::Eq, common, zero, span), self.compare(BinOp::Ne, a, zero, span));
                let ty = self.sema.program.types.int(IntKind::Int);
                let both = self.sema.program.binary(BinOp::And, x, y, ty, span);
                let value = self.boolean(both, span)?;
                self.assign(dest, value, span)
            }
            Method::IsPositive | Method::IsNegative => {
                let op = if method == Method::IsPositive { BinOp::Gt } else { BinOp::Lt };
                let value = self.compare(op, a, zero, span);
                let value = self.boolean(value, span)?;
                self.assign(dest, value, span)
            }
            Method::Unwrap | Method::UnwrapOr | Method::IsSome | Method::IsNone => Ok(()),
        }
    }

    /// One of two values.
    fn choose(&mut self, condition: ExprId, yes: ExprId, no: ExprId, dest: PlaceId, span: Span) -> Lower<()> {
        let (a, b, done) = (self.sema.point(span)?, self.sema.point(span)?, self.sema.point(span)?);
        self.sema.branch(condition, a, b, span)?;
        for (at, value) in [(a, yes), (b, no)] {
            self.sema.go_on(at);
            self.assign(dest, value, span)?;
            self.sema.jump(done, span)?;
        }
        self.sema.go_on(done);
        Ok(())
    }

    fn absolute(&mut self, a: ExprId, int: Int, dest: PlaceId, span: Span) -> Lower<()> {
        let zero = self.number(0, &Ty::Int(int), span)?;
        let negative = self.compare(BinOp::Lt, a, zero, span);
        let other = self.wrapped_neg(a, int, span)?;
        self.choose(negative, other, a, dest, span)
    }

    /// `Some(value)`, or `None` if `bad`.
    fn optional(&mut self, bad: ExprId, value: ExprId, dest: PlaceId, span: Span) -> Lower<()> {
        let (none, some, done) = (self.sema.point(span)?, self.sema.point(span)?, self.sema.point(span)?);
        self.sema.branch(bad, none, some, span)?;
        let (flag, inner) = (self.step(dest, 0, span)?, self.step(dest, SECOND, span)?);
        let (no, yes) = (self.number(0, &Ty::Bool, span)?, self.number(1, &Ty::Bool, span)?);
        self.sema.go_on(none);
        self.assign(flag, no, span)?;
        self.sema.jump(done, span)?;
        self.sema.go_on(some);
        self.assign(flag, yes, span)?;
        self.assign(inner, value, span)?;
        self.sema.jump(done, span)?;
        self.sema.go_on(done);
        Ok(())
    }

    fn checked(&mut self, op: BinOp, a: ExprId, b: ExprId, int: Int, dest: PlaceId, span: Span) -> Lower<()> {
        let never = self.sema.program.types.int(IntKind::Int);
        let bad = match op {
            BinOp::Add | BinOp::Sub | BinOp::Mul => self.overflow(op, a, b, int, span)?,
            BinOp::Shl | BinOp::Shr => self.bad_count(b, Int { signed: false, ..Int::I32 }, int, span)?,
            BinOp::Div | BinOp::Rem => {
                let zero = self.number(0, &Ty::Int(int), span)?;
                let by_zero = self.compare(BinOp::Eq, b, zero, span);
                // The quotient is computed only where it exists.
                let flag = self.step(dest, 0, span)?;
                let no = self.number(0, &Ty::Bool, span)?;
                self.assign(flag, no, span)?;
                let (some, done) = (self.sema.point(span)?, self.sema.point(span)?);
                self.sema.branch(by_zero, done, some, span)?;
                self.sema.go_on(some);
                let over = match int.signed {
                    true => self.quotient_overflow(a, b, int, span)?,
                    false => self.sema.program.int(0, never, span),
                };
                let fine = self.sema.point(span)?;
                self.sema.branch(over, done, fine, span)?;
                self.sema.go_on(fine);
                let value = self.wrapped(op, a, b, int, span)?;
                let (inner, yes) = (self.step(dest, SECOND, span)?, self.number(1, &Ty::Bool, span)?);
                self.assign(inner, value, span)?;
                self.assign(flag, yes, span)?;
                self.sema.jump(done, span)?;
                self.sema.go_on(done);
                return Ok(());
            }
            _ => None,
        };
        let bad = match bad {
            Some(bad) => self.sema.fix(bad, span)?,
            None => self.sema.program.int(0, never, span),
        };
        let value = self.wrapped(op, a, b, int, span)?;
        self.optional(bad, value, dest, span)
    }

    fn wrapping_division(
        &mut self,
        op: BinOp,
        a: ExprId,
        b: ExprId,
        int: Int,
        dest: PlaceId,
        span: Span,
    ) -> Lower<()> {
        let zero = self.number(0, &Ty::Int(int), span)?;
        let by_zero = self.compare(BinOp::Eq, b, zero, span);
        let message = if op == BinOp::Div {
            "attempt to divide by zero"
        } else {
            "attempt to calculate the remainder with a divisor of zero"
        };
        self.fails_if(by_zero, message, span)?;
        if !int.signed {
            let value = self.wrapped(op, a, b, int, span)?;
            return self.assign(dest, value, span);
        }
        // The smallest number divided by -1 wraps to itself.
        let over = self.quotient_overflow(a, b, int, span)?;
        let (special, usual, done) = (self.sema.point(span)?, self.sema.point(span)?, self.sema.point(span)?);
        self.sema.branch(over, special, usual, span)?;
        self.sema.go_on(special);
        self.assign(dest, if op == BinOp::Div { a } else { zero }, span)?;
        self.sema.jump(done, span)?;
        self.sema.go_on(usual);
        let value = self.wrapped(op, a, b, int, span)?;
        self.assign(dest, value, span)?;
        self.sema.jump(done, span)?;
        self.sema.go_on(done);
        Ok(())
    }

    fn saturating(
        &mut self,
        op: BinOp,
        a: ExprId,
        b: ExprId,
        int: Int,
        dest: PlaceId,
        span: Span,
    ) -> Lower<()> {
        let value = self.wrapped(op, a, b, int, span)?;
        let Some(over) = self.overflow(op, a, b, int, span)? else {
            return self.assign(dest, value, span);
        };
        let (max, min) = (self.number(int_type(int).max(), &Ty::Int(int), span)?, self.min(int, span)?);
        let (full, usual, done) = (self.sema.point(span)?, self.sema.point(span)?, self.sema.point(span)?);
        self.sema.branch(over, full, usual, span)?;
        self.sema.go_on(usual);
        self.assign(dest, value, span)?;
        self.sema.jump(done, span)?;
        self.sema.go_on(full);
        let zero = self.number(0, &Ty::Int(int), span)?;
        if !int.signed {
            self.assign(dest, if op == BinOp::Sub { min } else { max }, span)?;
        } else {
            let b_negative = self.compare(BinOp::Lt, b, zero, span);
            match op {
                BinOp::Add => self.choose(b_negative, min, max, dest, span)?,
                BinOp::Sub => self.choose(b_negative, max, min, dest, span)?,
                _ => {
                    let a_negative = self.compare(BinOp::Lt, a, zero, span);
                    let differ = self.compare(BinOp::Ne, a_negative, b_negative, span);
                    self.choose(differ, min, max, dest, span)?;
                }
            }
        }
        self.sema.jump(done, span)?;
        self.sema.go_on(done);
        Ok(())
    }

    /// A count modulo the width.
    fn masked(&mut self, count: ExprId, int: Int, span: Span) -> Lower<ExprId> {
        let ty = self.sema.ty(count);
        let mask = self.sema.program.int(i128::from(int.bits - 1), ty, span);
        Ok(self.sema.program.binary(BinOp::And, count, mask, ty, span))
    }

    fn rotate(
        &mut self,
        left: bool,
        a: ExprId,
        by: ExprId,
        int: Int,
        dest: PlaceId,
        span: Span,
    ) -> Lower<()> {
        let bits = Int { signed: false, ..int };
        let ty = self.c_type(&Ty::Int(bits), span)?;
        let a = self.sema.program.cast(a, ty, span);
        let by = self.masked(by, int, span)?;
        let count = self.sema.ty(by);
        let width = self.sema.program.int(i128::from(int.bits), count, span);
        let rest = self.sema.program.binary(BinOp::Sub, width, by, count, span);
        // A rotation by nothing would shift by the whole width.
        let rest = self.masked(rest, int, span)?;
        let (there, back) = if left { (BinOp::Shl, BinOp::Shr) } else { (BinOp::Shr, BinOp::Shl) };
        let x = self.wrapped(there, a, by, bits, span)?;
        let y = self.wrapped(back, a, rest, bits, span)?;
        let value = self.wrapped(BinOp::Or, x, y, bits, span)?;
        self.assign(dest, value, span)
    }

    fn option_method(
        &mut self,
        method: Method,
        receiver: &Expr,
        args: &[Expr],
        dest: PlaceId,
        span: Span,
    ) -> Lower<()> {
        let place = self.place(receiver)?;
        let place = self.sema.fix_place(place, span)?;
        let flag = self.step(place, 0, span)?;
        let some = self.sema.program.load(flag, span);
        let inner = self.step(place, SECOND, span)?;
        match method {
            Method::IsSome => self.assign(dest, some, span),
            Method::IsNone => {
                let zero = self.number(0, &Ty::Bool, span)?;
                let none = self.compare(BinOp::Eq, some, zero, span);
                let none = self.boolean(none, span)?;
                self.assign(dest, none, span)
            }
            Method::UnwrapOr => {
                let Some(other) = args.first() else {
                    return Fail::error("this call lacks an argument", span, "here");
                };
                // The other value is computed in any case.
                let other = self.materialise(other)?;
                let (yes, no, done) =
                    (self.sema.point(span)?, self.sema.point(span)?, self.sema.point(span)?);
                self.sema.branch(some, yes, no, span)?;
                for (at, from) in [(yes, inner), (no, other)] {
                    self.sema.go_on(at);
                    let value = self.sema.program.load(from, span);
                    self.assign(dest, value, span)?;
                    self.sema.jump(done, span)?;
                }
                self.sema.go_on(done);
                Ok(())
            }
            _ => {
                let zero = self.number(0, &Ty::Bool, span)?;
                let none = self.compare(BinOp::Eq, some, zero, span);
                self.fails_if(none, "called `unwrap` on a `None` value", span)?;
                let value = self.sema.program.load(inner, span);
                self.assign(dest, value, span)
            }
        }
    }
}
