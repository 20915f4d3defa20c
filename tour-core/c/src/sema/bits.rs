//! Builtins on bits and with overflow checks, as arithmetic that every analysis knows.

use super::expr::Value;
use super::{Fail, Lower, Sema};
use lang_c::ast::Expression;
use lang_c::span::Node;
use tour_ir::program::{BinOp, ExprId, IntKind, Rule, TypeId, UnOp};
use tour_ir::source::Span;

impl Sema<'_> {
    /// `__builtin_clz` and the like.
    pub(crate) fn bit_call(
        &mut self,
        name: &str,
        args: &[Node<Expression>],
        span: Span,
    ) -> Lower<Option<Value>> {
        let [arg] = args else { return Ok(None) };
        let (family, kind) = match name {
            "bswap16" => ("bswap", IntKind::UShort),
            "bswap32" => ("bswap", IntKind::UInt),
            "bswap64" => ("bswap", IntKind::ULongLong),
            _ => {
                let (stem, kind) = if let Some(stem) = name.strip_suffix("ll") {
                    (stem, IntKind::ULongLong)
                } else if let Some(stem) = name.strip_suffix('l') {
                    (stem, IntKind::ULong)
                } else {
                    (name, IntKind::UInt)
                };
                match stem {
                    "clz" | "ctz" | "popcount" | "parity" | "ffs" | "clrsb" => (stem, kind),
                    _ => return Ok(None),
                }
            }
        };
        let ty = self.program.types.int(kind);
        let value = self.rvalue(arg)?;
        let value = self.promote(value, span)?;
        let value = self.convert(value, ty, span)?;
        let value = self.fix(value, span)?;
        let int = self.int_ty();
        if matches!(family, "clz" | "ctz") && self.program.const_value(value).is_none_or(|bits| bits == 0) {
            let zero = self.program.int(0, ty, span);
            let none = self.binary(BinOp::Eq, value, zero, span)?;
            let message = format!("`__builtin_{name}` is asked for the bits of zero");
            self.undefined_if(none, Rule::BitCountOfZero, message, span)?;
        }
        let result = match family {
            "bswap" => return self.swap_bytes(value, ty, span).map(|v| Some(Value::Rvalue(v))),
            "popcount" => self.count_ones(value, ty, span)?,
            "parity" => {
                let count = self.count_ones(value, ty, span)?;
                self.with_constant(BinOp::And, count, 1, ty, span)?
            }
            "ctz" => {
                // The bits below the lowest one.
                let below = self.with_constant(BinOp::Sub, value, 1, ty, span)?;
                let not = self.negate(UnOp::BitNot, value, span)?;
                let mask = self.operate(BinOp::And, not, below, ty, span)?;
                self.count_ones(mask, ty, span)?
            }
            "ffs" => {
                // The bits up to the lowest one; none of zero.
                let below = self.with_constant(BinOp::Sub, value, 1, ty, span)?;
                let mask = self.operate(BinOp::Xor, value, below, ty, span)?;
                let count = self.count_ones(mask, ty, span)?;
                let zero = self.program.int(0, ty, span);
                let some = self.binary(BinOp::Ne, value, zero, span)?;
                let some = self.convert(some, ty, span)?;
                self.operate(BinOp::Mul, count, some, ty, span)?
            }
            "clz" => {
                // All bits below the highest one, set; what is left are the leading zeros.
                let filled = self.fill_down(value, ty, span)?;
                let rest = self.negate(UnOp::BitNot, filled, span)?;
                self.count_ones(rest, ty, span)?
            }
            _ => {
                // Leading bits equal to the sign: leading zeros of the value, inverted if negative, without the sign.
                let bits = self.bits(ty);
                let sign = self.with_constant(BinOp::Shr, value, i128::from(bits - 1), ty, span)?;
                let zero = self.program.int(0, ty, span);
                let ones = self.operate(BinOp::Sub, zero, sign, ty, span)?;
                let folded = self.operate(BinOp::Xor, value, ones, ty, span)?;
                let folded = self.fix(folded, span)?;
                let filled = self.fill_down(folded, ty, span)?;
                let rest = self.negate(UnOp::BitNot, filled, span)?;
                let count = self.count_ones(rest, ty, span)?;
                self.with_constant(BinOp::Sub, count, 1, ty, span)?
            }
        };
        self.convert(result, int, span).map(|v| Some(Value::Rvalue(v)))
    }

    fn bits(&self, ty: TypeId) -> u32 {
        self.program.types.int_type(ty).map_or(32, |int| int.bits)
    }

    /// `a op constant` in type `ty`.
    fn with_constant(
        &mut self,
        op: BinOp,
        a: ExprId,
        constant: i128,
        ty: TypeId,
        span: Span,
    ) -> Lower<ExprId> {
        let count = matches!(op, BinOp::Shl | BinOp::Shr);
        let constant = if count { self.int(constant, span) } else { self.program.int(constant, ty, span) };
        self.operate(op, a, constant, ty, span)
    }

    /// How many bits of an unsigned value are set, by adding neighbours. Each step is saved: it is used twice.
    fn count_ones(&mut self, value: ExprId, ty: TypeId, span: Span) -> Lower<ExprId> {
        let bits = self.bits(ty);
        let mut value = self.fix_always(value, span)?;
        let mut width = 1;
        while width < bits {
            // `width` ones, `width` zeros, and so on.
            let mask = (0..bits).filter(|bit| bit / width % 2 == 0).fold(0u128, |mask, bit| mask | 1 << bit);
            let low = self.with_constant(BinOp::And, value, mask as i128, ty, span)?;
            let high = self.with_constant(BinOp::Shr, value, i128::from(width), ty, span)?;
            let high = self.with_constant(BinOp::And, high, mask as i128, ty, span)?;
            let sum = self.operate(BinOp::Add, low, high, ty, span)?;
            value = self.fix_always(sum, span)?;
            width *= 2;
        }
        Ok(value)
    }

    /// The value with all bits below its highest one set.
    fn fill_down(&mut self, value: ExprId, ty: TypeId, span: Span) -> Lower<ExprId> {
        let mut value = self.fix_always(value, span)?;
        let mut width = 1;
        while width < self.bits(ty) {
            let shifted = self.with_constant(BinOp::Shr, value, i128::from(width), ty, span)?;
            let filled = self.operate(BinOp::Or, value, shifted, ty, span)?;
            value = self.fix_always(filled, span)?;
            width *= 2;
        }
        Ok(value)
    }

    /// A constant, or saved in a temporary.
    fn fix_always(&mut self, value: ExprId, span: Span) -> Lower<ExprId> {
        if self.program.const_value(value).is_some() { Ok(value) } else { self.save(value, span) }
    }

    fn swap_bytes(&mut self, value: ExprId, ty: TypeId, span: Span) -> Lower<ExprId> {
        let bytes = self.bits(ty) / 8;
        let wide = self.program.types.int(if bytes < 4 {
            IntKind::UInt
        } else {
            self.program.types.int_kind(ty).unwrap_or(IntKind::UInt)
        });
        let value = self.convert(value, wide, span)?;
        let value = self.fix_always(value, span)?;
        let mut result = self.program.int(0, wide, span);
        for byte in 0..bytes {
            let part = self.with_constant(BinOp::Shr, value, i128::from(8 * byte), wide, span)?;
            let part = self.with_constant(BinOp::And, part, 0xff, wide, span)?;
            let part =
                self.with_constant(BinOp::Shl, part, i128::from(8 * (bytes - 1 - byte)), wide, span)?;
            result = self.operate(BinOp::Or, result, part, wide, span)?;
        }
        self.convert(result, ty, span)
    }

    /// `__builtin_add_overflow(a, b, &r)` and the like: computed exactly in 128 bits, then compared.
    pub(crate) fn overflow_call(
        &mut self,
        name: &str,
        args: &[Node<Expression>],
        span: Span,
    ) -> Lower<Option<Value>> {
        let (stem, predicate) = match (name.strip_suffix("_overflow"), name.strip_suffix("_overflow_p")) {
            (Some(stem), _) => (stem, false),
            (None, Some(stem)) => (stem, true),
            (None, None) => return Ok(None),
        };
        // `add`, or `saddl`: with the sign of the type, the operator, and the length of the type.
        let (stem, fixed) = match (stem.get(..1), stem.get(1..4), stem.get(4..)) {
            (Some("s"), Some(stem), Some("")) => (stem, Some(IntKind::Int)),
            (Some("u"), Some(stem), Some("")) => (stem, Some(IntKind::UInt)),
            (Some("s"), Some(stem), Some("l")) => (stem, Some(IntKind::Long)),
            (Some("u"), Some(stem), Some("l")) => (stem, Some(IntKind::ULong)),
            (Some("s"), Some(stem), Some("ll")) => (stem, Some(IntKind::LongLong)),
            (Some("u"), Some(stem), Some("ll")) => (stem, Some(IntKind::ULongLong)),
            _ => (stem, None),
        };
        let Some(op @ (BinOp::Add | BinOp::Sub | BinOp::Mul)) = BinOp::from_name(stem) else {
            return Ok(None);
        };
        let [a, b, result] = args else { return Ok(None) };
        let mut operands = Vec::with_capacity(3);
        for arg in [a, b, result] {
            let mark = self.mark();
            let value = self.rvalue(arg)?;
            for earlier in &mut operands {
                *earlier = self.keep(*earlier, mark, span)?;
            }
            let value = match fixed {
                Some(kind) if operands.len() < 2 => {
                    let ty = self.program.types.int(kind);
                    self.convert(value, ty, span)?
                }
                _ => self.whole(value, span),
            };
            operands.push(value);
        }
        let (a, b, result) = (operands[0], operands[1], operands[2]);
        let target = if predicate {
            Some(self.ty(result))
        } else {
            self.program.types.pointee(self.ty(result)).map(|to| to.ty)
        };
        let Some(target) = target.filter(|ty| self.program.types.is_integer(*ty)) else {
            return self.bad_operands(&[result], span);
        };
        let width = |ty: TypeId| self.program.types.int_type(ty);
        let (Some(wa), Some(wb)) = (width(self.ty(a)), width(self.ty(b))) else {
            return self.bad_operands(&[a, b], span);
        };
        if wa.bits > 64 || wb.bits > 64 || self.bits(target) > 64 {
            return Fail::unsupported("builtin", "overflow checks of 128-bit numbers are not modelled", span);
        }
        // The product of two unsigned 64-bit numbers needs all 128 bits; everything else fits a signed one.
        let unsigned = op == BinOp::Mul && !wa.signed && !wb.signed;
        let wide = self.program.types.int(if unsigned { IntKind::UInt128 } else { IntKind::Int128 });
        let (a, b) = (self.convert(a, wide, span)?, self.convert(b, wide, span)?);
        let exact = self.operate(op, a, b, wide, span)?;
        let exact = self.fix_always(exact, span)?;
        let cut = self.convert(exact, target, span)?;
        let back = self.convert(cut, wide, span)?;
        let overflows = self.binary(BinOp::Ne, back, exact, span)?;
        let bool = self.program.types.int(IntKind::Bool);
        let overflows = self.convert(overflows, bool, span)?;
        if !predicate && let Value::Place(place) = self.dereference(result, span)? {
            self.store(place, cut, span)?;
        }
        Ok(Some(Value::Rvalue(overflows)))
    }
}
