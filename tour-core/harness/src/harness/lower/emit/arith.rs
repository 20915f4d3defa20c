//! Arithmetic: what Rust panics on is a check, the rest is done on bits.

use super::Emitter;
use crate::harness::lower::hir::Expr;
use crate::harness::lower::ty::{Int, Ty};
use tour_c::sema::{Fail, Lower};
use tour_ir::program::{BinOp, ExprId, ExprKind, IntKind, IntType, UnOp};
use tour_ir::source::Span;

/// Width and sign, for computing with constants.
pub(super) fn int_type(int: Int) -> IntType {
    IntType { bits: int.bits, signed: int.signed }
}

fn unsigned(int: Int) -> Int {
    Int { signed: false, ..int }
}

impl Emitter<'_, '_> {
    /// `a op b` with Rust's checks.
    pub(super) fn operate(
        &mut self,
        op: BinOp,
        (a, a_ty): (ExprId, &Ty),
        (b, b_ty): (ExprId, &Ty),
        span: Span,
    ) -> Lower<ExprId> {
        let (a, b) = (self.sema.shallow(a, span)?, self.sema.shallow(b, span)?);
        let int = match a_ty {
            Ty::Int(int) => *int,
            Ty::Bool => return self.logic(op, a, b, span),
            _ => return Fail::error("arithmetic on something that is no integer", span, "here"),
        };
        match op {
            BinOp::And | BinOp::Or | BinOp::Xor => {}
            BinOp::Add | BinOp::Sub | BinOp::Mul => {
                if let Some(overflow) = self.overflow(op, a, b, int, span)? {
                    let verb = match op {
                        BinOp::Add => "add",
                        BinOp::Sub => "subtract",
                        _ => "multiply",
                    };
                    self.fails_if(overflow, format!("attempt to {verb} with overflow"), span)?;
                }
            }
            BinOp::Div | BinOp::Rem => self.check_division(op, a, b, int, span)?,
            BinOp::Shl | BinOp::Shr => {
                let side = if op == BinOp::Shl { "left" } else { "right" };
                let Ty::Int(count) = b_ty else {
                    return Fail::error("a shift by something that is no integer", span, "here");
                };
                if let Some(bad) = self.bad_count(b, *count, int, span)? {
                    self.fails_if(bad, format!("attempt to shift {side} with overflow"), span)?;
                }
            }
            _ => return Fail::error("this is no arithmetic", span, "here"),
        }
        self.wrapped(op, a, b, int, span)
    }

    /// `&`, `|` and `^` of booleans.
    fn logic(&mut self, op: BinOp, a: ExprId, b: ExprId, span: Span) -> Lower<ExprId> {
        let int = self.sema.program.types.int(IntKind::Int);
        let (a, b) = (self.sema.program.cast(a, int, span), self.sema.program.cast(b, int, span));
        let op = match op {
            BinOp::And => BinOp::And,
            BinOp::Or => BinOp::Or,
            BinOp::Xor => BinOp::Xor,
            _ => return Fail::error("this operator is not for booleans", span, "here"),
        };
        let value = self.sema.program.binary(op, a, b, int, span);
        self.boolean(value, span)
    }

    fn constant(&self, expr: ExprId, int: Int) -> Option<i128> {
        let bits = self.sema.program.const_value(expr)?;
        // The largest numbers of 128 bits are not worth a special case.
        (int.bits < 128).then(|| int_type(int).to_i128(bits))
    }

    /// An integer constant of a type.
    fn literal(&mut self, value: i128, int: Int, span: Span) -> Lower<ExprId> {
        self.number(value as u128, &Ty::Int(int), span)
    }

    fn max(&mut self, int: Int, span: Span) -> Lower<ExprId> {
        self.number(int_type(int).max(), &Ty::Int(int), span)
    }

    pub(super) fn min(&mut self, int: Int, span: Span) -> Lower<ExprId> {
        self.number(int_type(int).min(), &Ty::Int(int), span)
    }

    fn or(&mut self, a: ExprId, b: ExprId, span: Span) -> ExprId {
        let int = self.sema.program.types.int(IntKind::Int);
        self.sema.program.binary(BinOp::Or, a, b, int, span)
    }

    /// A condition that holds if the operation overflows; `None` if it can't. Where an operand is a constant, or the
    /// type is unsigned, the condition is a comparison with the operand itself: it says more to people and to the
    /// engine than one about wider integers.
    pub(super) fn overflow(
        &mut self,
        op: BinOp,
        a: ExprId,
        b: ExprId,
        int: Int,
        span: Span,
    ) -> Lower<Option<ExprId>> {
        let (low, high) =
            (int_type(int).to_i128(int_type(int).min()), int_type(int).to_i128(int_type(int).max()));
        let known = self.constant(b, int);
        Ok(Some(match (op, known, int.signed) {
            (BinOp::Add | BinOp::Sub, Some(0), _) => return Ok(None),
            (BinOp::Sub, _, false) => self.compare(BinOp::Lt, a, b, span),
            (BinOp::Add, Some(c), _) | (BinOp::Sub, Some(c), _) => {
                let up = (op == BinOp::Add) == (c > 0);
                let by = c.abs();
                let bound = self.literal(if up { high - by } else { low + by }, int, span)?;
                self.compare(if up { BinOp::Gt } else { BinOp::Lt }, a, bound, span)
            }
            (BinOp::Add, None, false) => {
                let max = self.max(int, span)?;
                let ty = self.sema.ty(max);
                let room = self.sema.program.binary(BinOp::Sub, max, b, ty, span);
                self.compare(BinOp::Gt, a, room, span)
            }
            (BinOp::Add | BinOp::Sub, None, true) => {
                // The sign of the result is wrong.
                let result = self.wrapped(op, a, b, int, span)?;
                let other = if op == BinOp::Add { result } else { a };
                let (x, y) = (self.bits(BinOp::Xor, a, result, span), self.bits(BinOp::Xor, b, other, span));
                let both = self.bits(BinOp::And, x, y, span);
                let zero = self.literal(0, int, span)?;
                self.compare(BinOp::Lt, both, zero, span)
            }
            (BinOp::Mul, Some(0 | 1), _) => return Ok(None),
            (BinOp::Mul, Some(c), false) => {
                let bound = self.literal(high / c, int, span)?;
                self.compare(BinOp::Gt, a, bound, span)
            }
            (BinOp::Mul, Some(-1), true) => {
                let min = self.min(int, span)?;
                self.compare(BinOp::Eq, a, min, span)
            }
            (BinOp::Mul, Some(c), true) => {
                let (up, down) = if c > 0 { (high / c, low / c) } else { (low / c, high / c) };
                let (up, down) = (self.literal(up, int, span)?, self.literal(down, int, span)?);
                let (above, below) =
                    (self.compare(BinOp::Gt, a, up, span), self.compare(BinOp::Lt, a, down, span));
                self.or(above, below, span)
            }
            (BinOp::Mul, None, _) if int.bits < 128 => self.wide_overflow(a, b, int, span)?,
            (BinOp::Mul, None, _) => self.huge_overflow(a, b, int, span)?,
            _ => return Ok(None),
        }))
    }

    fn bits(&mut self, op: BinOp, a: ExprId, b: ExprId, span: Span) -> ExprId {
        let ty = self.sema.ty(a);
        self.sema.program.binary(op, a, b, ty, span)
    }

    /// The product in twice the width is not that of the type.
    fn wide_overflow(&mut self, a: ExprId, b: ExprId, int: Int, span: Span) -> Lower<ExprId> {
        let wide = Int { bits: (int.bits * 2).max(32), signed: int.signed, size: false };
        let (narrow, wide) = (self.c_type(&Ty::Int(int), span)?, self.c_type(&Ty::Int(wide), span)?);
        let (a, b) = (self.sema.program.cast(a, wide, span), self.sema.program.cast(b, wide, span));
        let product = self.sema.program.binary(BinOp::Mul, a, b, wide, span);
        let cut = self.sema.program.cast(product, narrow, span);
        let again = self.sema.program.cast(cut, wide, span);
        Ok(self.compare(BinOp::Ne, again, product, span))
    }

    /// No type is wider: dividing the product must give the factor back.
    fn huge_overflow(&mut self, a: ExprId, b: ExprId, int: Int, span: Span) -> Lower<ExprId> {
        let flag = self.temp(&Ty::Bool, span)?;
        let (zero, ty) = (self.literal(0, int, span)?, self.c_type(&Ty::Int(int), span)?);
        let no = self.number(0, &Ty::Bool, span)?;
        self.assign(flag, no, span)?;
        let (divide, done) = (self.sema.point(span)?, self.sema.point(span)?);
        let nonzero = self.compare(BinOp::Ne, b, zero, span);
        self.sema.branch(nonzero, divide, done, span)?;
        self.sema.go_on(divide);
        if int.signed {
            let (minus, other) = (self.sema.point(span)?, self.sema.point(span)?);
            let one = self.literal(-1, int, span)?;
            let is_minus = self.compare(BinOp::Eq, b, one, span);
            self.sema.branch(is_minus, minus, other, span)?;
            self.sema.go_on(minus);
            let min = self.min(int, span)?;
            let over = self.compare(BinOp::Eq, a, min, span);
            let over = self.boolean(over, span)?;
            self.assign(flag, over, span)?;
            self.sema.jump(done, span)?;
            self.sema.go_on(other);
        }
        let product = self.wrapped(BinOp::Mul, a, b, int, span)?;
        let product = self.sema.save(product, span)?;
        let back = self.sema.program.binary(BinOp::Div, product, b, ty, span);
        let over = self.compare(BinOp::Ne, back, a, span);
        let over = self.boolean(over, span)?;
        self.assign(flag, over, span)?;
        self.sema.jump(done, span)?;
        self.sema.go_on(done);
        Ok(self.sema.program.load(flag, span))
    }

    /// A count that is negative, or not less than the width; `None` if it is a constant that is fine.
    pub(super) fn bad_count(&mut self, b: ExprId, count: Int, int: Int, span: Span) -> Lower<Option<ExprId>> {
        if self.constant(b, count).is_some_and(|c| (0..i128::from(int.bits)).contains(&c)) {
            return Ok(None);
        }
        let ty = self.c_type(&Ty::Int(unsigned(count)), span)?;
        let b = self.sema.program.cast(b, ty, span);
        let width = self.literal(i128::from(int.bits), unsigned(count), span)?;
        Ok(Some(self.compare(BinOp::Ge, b, width, span)))
    }

    fn check_division(&mut self, op: BinOp, a: ExprId, b: ExprId, int: Int, span: Span) -> Lower<()> {
        let known = self.constant(b, int);
        let (verb, what) = if op == BinOp::Div {
            ("divide", "divide")
        } else {
            ("calculate the remainder", "calculate the remainder")
        };
        if known.is_none_or(|c| c == 0) {
            let zero = self.literal(0, int, span)?;
            let bad = self.compare(BinOp::Eq, b, zero, span);
            let message = match op {
                BinOp::Div => format!("attempt to {verb} by zero"),
                _ => format!("attempt to {what} with a divisor of zero"),
            };
            self.fails_if(bad, message, span)?;
        }
        if int.signed && known.is_none_or(|c| c == -1) {
            let over = self.quotient_overflow(a, b, int, span)?;
            self.fails_if(over, format!("attempt to {verb} with overflow"), span)?;
        }
        Ok(())
    }

    /// The smallest number divided by -1.
    pub(super) fn quotient_overflow(&mut self, a: ExprId, b: ExprId, int: Int, span: Span) -> Lower<ExprId> {
        let (min, one) = (self.min(int, span)?, self.literal(-1, int, span)?);
        let (x, y) = (self.compare(BinOp::Eq, a, min, span), self.compare(BinOp::Eq, b, one, span));
        let ty = self.sema.program.types.int(IntKind::Int);
        Ok(self.sema.program.binary(BinOp::And, x, y, ty, span))
    }

    /// `a op b`, wrapping; divisions must have been checked, and the count of a shift must be less than the width.
    pub(super) fn wrapped(&mut self, op: BinOp, a: ExprId, b: ExprId, int: Int, span: Span) -> Lower<ExprId> {
        let own = self.c_type(&Ty::Int(int), span)?;
        let bits = self.c_type(&Ty::Int(unsigned(int)), span)?;
        let program = &mut self.sema.program;
        let value = match op {
            BinOp::Div | BinOp::Rem => {
                let (a, b) = (program.cast(a, own, span), program.cast(b, own, span));
                return Ok(program.binary(op, a, b, own, span));
            }
            BinOp::Shr => {
                let count = program.types.int(IntKind::Int);
                let (a, b) = (program.cast(a, own, span), program.cast(b, count, span));
                return Ok(program.binary(BinOp::Shr, a, b, own, span));
            }
            BinOp::Shl => {
                let count = program.types.int(IntKind::Int);
                let (a, b) = (program.cast(a, bits, span), program.cast(b, count, span));
                program.binary(BinOp::Shl, a, b, bits, span)
            }
            _ => {
                let (a, b) = (program.cast(a, bits, span), program.cast(b, bits, span));
                program.binary(op, a, b, bits, span)
            }
        };
        Ok(program.cast(value, own, span))
    }

    pub(super) fn negate(&mut self, operand: &Expr, span: Span) -> Lower<ExprId> {
        let Ty::Int(int) = operand.ty else {
            return Fail::error("this can't be negated in a harness", span, "no integer");
        };
        let value = self.value(operand)?;
        // A literal is negative as a whole: `-128i8`.
        if let Some(bits) = self.sema.program.const_value(value) {
            return self.number(int_type(int).neg(bits), &operand.ty, span);
        }
        let value = self.sema.shallow(value, span)?;
        let min = self.min(int, span)?;
        let over = self.compare(BinOp::Eq, value, min, span);
        self.fails_if(over, "attempt to negate with overflow", span)?;
        self.wrapped_neg(value, int, span)
    }

    pub(super) fn wrapped_neg(&mut self, value: ExprId, int: Int, span: Span) -> Lower<ExprId> {
        let (own, bits) = (self.c_type(&Ty::Int(int), span)?, self.c_type(&Ty::Int(unsigned(int)), span)?);
        let value = self.sema.program.cast(value, bits, span);
        let negative = self.sema.program.add_expr(ExprKind::Unary(UnOp::Neg, value), bits, span);
        Ok(self.sema.program.cast(negative, own, span))
    }
}
