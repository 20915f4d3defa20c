//! C's conversions (C11 6.3), made explicit as casts, and the operators on converted operands.
//!
//! Everything here folds integer constants as it goes: what the source computes with constants alone is one
//! constant in the program, so that a condition like `sizeof(long) == 8` leaves no branch behind.

use super::fold::{self, Const};
use super::{Fail, Lower, Sema};
use crate::front::Family;
use tour_ir::program::{
    BinOp, ExprId, ExprKind, FloatKind, IntKind, Op, Place, PlaceKind, QualType, Quals, RecordKind, Type,
    TypeId, UnOp, Unsupported,
};
use tour_ir::source::Span;

impl Sema<'_> {
    /// `int`
    pub(crate) fn int_ty(&mut self) -> TypeId {
        self.program.types.int(IntKind::Int)
    }

    /// A constant `int`.
    pub(crate) fn int(&mut self, value: i128, span: Span) -> ExprId {
        let ty = self.int_ty();
        self.program.int(value, ty, span)
    }

    /// A constant of type `size_t`.
    pub(crate) fn size(&mut self, value: u64, span: Span) -> ExprId {
        let ty = self.program.types.size_t();
        self.program.int(i128::from(value), ty, span)
    }

    /// The width of the bit-field that an expression reads.
    pub(crate) fn bit_field_width(&self, value: ExprId) -> Option<u32> {
        let ExprKind::Load(place) = self.program.exprs[value].kind else { return None };
        Some(self.program.bit_field(place)?.width)
    }

    /// The value as an operand: a bit-field is promoted by its own width, all else is left alone.
    pub(crate) fn whole(&mut self, value: ExprId, span: Span) -> ExprId {
        let Some(width) = self.bit_field_width(value) else { return value };
        let declared = self.ty(value);
        let Some(int) = self.program.types.int_type(declared) else { return value };
        let kind = if width < 32 || (width == 32 && int.signed) {
            IntKind::Int
        } else if width == 32 {
            IntKind::UInt
        } else if width < int.bits && self.has_field_types(span) {
            IntKind::Field { bits: width as u8, signed: int.signed }
        } else {
            return value;
        };
        let ty = self.program.types.int(kind);
        self.program.cast(value, ty, span)
    }

    /// A bit-field wider than `int` has a type of its own width: so in gcc, while clang takes the declared type.
    fn has_field_types(&mut self, span: Span) -> bool {
        match self.unit.family {
            Some(Family::Gcc) => true,
            Some(Family::Clang) => false,
            None => {
                let message =
                    "compilers differ in the type of this bit-field, which is wider than `int`".into();
                self.shared.at_start.push((Unsupported { kind: "bit-field", message }, span));
                false
            }
        }
    }

    /// The integer promotions (C11 6.3.1.1).
    pub(crate) fn promote(&mut self, value: ExprId, span: Span) -> Lower<ExprId> {
        let value = self.whole(value, span);
        let ty = self.program.types.promote(self.ty(value));
        self.convert(value, ty, span)
    }

    /// The default argument promotions (C11 6.5.2.2).
    pub fn promote_argument(&mut self, value: ExprId, span: Span) -> Lower<ExprId> {
        let value = self.whole(value, span);
        let ty = self.program.types.promote_argument(self.ty(value));
        self.convert(value, ty, span)
    }

    /// The usual arithmetic conversions: both operands in their common type.
    pub(crate) fn balance(&mut self, a: ExprId, b: ExprId, span: Span) -> Lower<(ExprId, ExprId, TypeId)> {
        let (a, b) = (self.promote(a, span)?, self.promote(b, span)?);
        match self.program.types.usual_arithmetic(self.ty(a), self.ty(b)) {
            Some(ty) => Ok((self.convert(a, ty, span)?, self.convert(b, ty, span)?, ty)),
            None => self.bad_operands(&[a, b], span),
        }
    }

    /// Operands that an operator does not take: an error, or a type that we do not model.
    pub(crate) fn bad_operands<T>(&self, operands: &[ExprId], span: Span) -> Lower<T> {
        for &operand in operands {
            if let Type::Opaque { name, .. } = &self.program.types[self.ty(operand)] {
                let message = format!("values of type `{name}` are not modelled");
                return Fail::unsupported("opaque-type", message, span);
            }
        }
        let shown: Vec<_> =
            operands.iter().map(|e| format!("`{}`", self.program.show_type(self.ty(*e)))).collect();
        Fail::error(
            "this operator does not take such operands",
            span,
            format!("of type {}", shown.join(" and ")),
        )
    }

    /// Conversion of a scalar to a scalar type, by assignment or cast. (Of anything else: see `coerce`.)
    pub(crate) fn convert(&mut self, value: ExprId, to: TypeId, span: Span) -> Lower<ExprId> {
        let from = self.ty(value);
        if from == to {
            return Ok(value);
        }
        if let Some(kind) = self.fold_conversion(value, to) {
            return Ok(self.program.add_expr(kind, to, span));
        }
        let types = &self.program.types;
        let node = &self.program.exprs[value];
        let is_pointer = |ty: TypeId| matches!(types[ty], Type::Pointer(_));
        let is_float = |ty: TypeId| matches!(types[ty], Type::Float(_));
        if !types.is_scalar(from)
            || !types.is_scalar(to)
            || (is_pointer(from) && is_float(to))
            || (is_float(from) && is_pointer(to))
        {
            return self.bad_conversion(value, to, span);
        }
        // A pointer cast twice is cast once: no bits are lost between pointers.
        let value = match node.kind {
            ExprKind::Cast(inner) if is_pointer(from) && is_pointer(to) && is_pointer(self.ty(inner)) => {
                inner
            }
            _ => value,
        };
        let value = self.shallow(value, span)?;
        Ok(self.program.cast(value, to, span))
    }

    /// A constant converted to a scalar type, if the result is exact or rounded as the target does.
    fn fold_conversion(&self, value: ExprId, to: TypeId) -> Option<ExprKind> {
        let (from, program) = (self.ty(value), &self.program);
        match (&program.exprs[value].kind, &program.types[to]) {
            (&ExprKind::Int(bits), _) => match fold::convert(program, Const::Int(bits), from, to)? {
                Const::Int(bits) => Some(ExprKind::Int(bits)),
                // How others are rounded is known when the program runs.
                number @ Const::Float(value) => (fold::convert(program, number, to, from)
                    == Some(Const::Int(bits)))
                .then_some(ExprKind::Float(value)),
                Const::Address { .. } => None,
            },
            // Constants of the wide formats are exact.
            (&ExprKind::Float(number), Type::Float(FloatKind::Float | FloatKind::Double)) => {
                match fold::convert(program, Const::Float(number), from, to)? {
                    Const::Float(number) => Some(ExprKind::Float(number)),
                    Const::Int(_) | Const::Address { .. } => None,
                }
            }
            _ => None,
        }
    }

    fn bad_conversion<T>(&self, value: ExprId, to: TypeId, span: Span) -> Lower<T> {
        let from = self.ty(value);
        for ty in [from, to] {
            if let Type::Opaque { name, .. } = &self.program.types[ty] {
                let message = format!("values of type `{name}` are not modelled");
                return Fail::unsupported("opaque-type", message, span);
            }
        }
        Fail::error(
            format!(
                "a value of type `{}` cannot be converted to `{}`",
                self.program.show_type(from),
                self.program.show_type(to)
            ),
            span,
            "here",
        )
    }

    /// Conversion as if by assignment (C11 6.5.16.1), of values of any type.
    pub(crate) fn coerce(&mut self, value: ExprId, to: TypeId, span: Span) -> Lower<ExprId> {
        let from = self.ty(value);
        if from == to {
            return Ok(value);
        }
        match (&self.program.types[from], &self.program.types[to]) {
            (Type::Record(a), Type::Record(b)) => {
                // The same record, declared in two units.
                let (a, b) = (&self.program.types.records[*a], &self.program.types.records[*b]);
                if let ExprKind::Load(place) = self.program.exprs[value].kind
                    && a.tag == b.tag
                    && a.kind == b.kind
                    && a.size == b.size
                {
                    let address = self.address(place, span)?;
                    let pointer = self.program.types.pointer(to);
                    let address = self.convert(address, pointer, span)?;
                    let place =
                        self.program.places.push(Place { kind: PlaceKind::Deref(address), ty: to, span });
                    return Ok(self.program.load(place, span));
                }
                self.bad_conversion(value, to, span)
            }
            (_, Type::Record(id)) if self.program.types.records[*id].kind == RecordKind::Union => {
                self.make_union(value, to, span)
            }
            _ => self.convert(value, to, span),
        }
    }

    /// A cast to a union, or an argument for a transparent union: the member of the value's type is set.
    fn make_union(&mut self, value: ExprId, to: TypeId, span: Span) -> Lower<ExprId> {
        let Type::Record(id) = self.program.types[to] else { return self.bad_conversion(value, to, span) };
        let from = self.ty(value);
        let types = &self.program.types;
        let fields = &types.records[id].fields;
        let same = |ty: TypeId| ty == from;
        let alike = |ty: TypeId| {
            types.pointee(ty).is_some() && (types.pointee(from).is_some() || types.is_integer(from))
        };
        let Some(index) = (fields.iter().position(|f| same(f.ty.ty)))
            .or_else(|| fields.iter().position(|f| alike(f.ty.ty)))
        else {
            return self.bad_conversion(value, to, span);
        };
        let ty = fields[index].ty.ty;
        let value = self.convert(value, ty, span)?;
        let temp = self.temp(to, span)?;
        let place = self.program.var_place(temp, span);
        let field = self.program.places.push(Place { kind: PlaceKind::Field(place, index as u32), ty, span });
        self.emit(Op::Assign(field, value), span)?;
        Ok(self.program.load(place, span))
    }

    /// `a op b` where both have type `operands` already.
    pub(crate) fn operate(
        &mut self,
        op: BinOp,
        a: ExprId,
        b: ExprId,
        ty: TypeId,
        span: Span,
    ) -> Lower<ExprId> {
        if let (Some(x), Some(y)) = (self.program.const_value(a), self.program.const_value(b))
            && let (Some(int), Some(count)) =
                (self.program.types.bits_of(self.ty(a)), self.program.types.bits_of(self.ty(b)))
        {
            let folded = match op {
                // A negative or too large count is undefined: it is left for the analyses to see.
                BinOp::Shl | BinOp::Shr
                    if count.to_i128(y) < 0 || count.to_i128(y) >= i128::from(int.bits) =>
                {
                    None
                }
                // So is the overflow of a signed operation.
                _ if int.overflows(op, x, y) => None,
                _ => int.binary(op, x, y),
            };
            if let Some(bits) = folded {
                return Ok(self.program.add_expr(ExprKind::Int(bits), ty, span));
            }
        }
        let (a, b) = (self.shallow(a, span)?, self.shallow(b, span)?);
        Ok(self.program.binary(op, a, b, ty, span))
    }

    /// `-a`, `~a` on a promoted operand.
    pub(crate) fn negate(&mut self, op: UnOp, a: ExprId, span: Span) -> Lower<ExprId> {
        let ty = self.ty(a);
        match (self.program.exprs[a].kind.clone(), self.program.types.int_type(ty)) {
            // An overflow is left for the analyses to see.
            (ExprKind::Int(bits), Some(int)) if op == UnOp::BitNot || !int.signed || bits != int.min() => {
                let bits = match op {
                    UnOp::Neg => int.neg(bits),
                    UnOp::BitNot | UnOp::Sqrt | UnOp::Abs => int.not(bits),
                };
                Ok(self.program.add_expr(ExprKind::Int(bits), ty, span))
            }
            // A NaN with a sign stands for one that was computed.
            (ExprKind::Float(number), None) if op == UnOp::Neg && !number.is_nan() => {
                Ok(self.program.add_expr(ExprKind::Float(-number), ty, span))
            }
            _ => {
                let a = self.shallow(a, span)?;
                Ok(self.program.add_expr(ExprKind::Unary(op, a), ty, span))
            }
        }
    }

    /// `a op b` as C means it, for all binary operators that evaluate both operands and change nothing.
    pub(crate) fn binary(&mut self, op: BinOp, a: ExprId, b: ExprId, span: Span) -> Lower<ExprId> {
        let pointers = [a, b].map(|e| self.program.types.pointee(self.ty(e)).is_some());
        let integers = [a, b].map(|e| self.program.types.is_integer(self.ty(e)));
        match op {
            BinOp::Add if pointers[0] && integers[1] => self.offset(a, b, span),
            BinOp::Add if integers[0] && pointers[1] => self.offset(b, a, span),
            BinOp::Sub if pointers[0] && integers[1] => {
                let ptrdiff = self.program.types.ptrdiff_t();
                let b = self.promote(b, span)?;
                let b = self.convert(b, ptrdiff, span)?;
                let b = self.negate(UnOp::Neg, b, span)?;
                self.offset(a, b, span)
            }
            BinOp::Sub if pointers == [true, true] => {
                let b = self.convert(b, self.ty(a), span)?;
                let ty = self.program.types.ptrdiff_t();
                let (a, b) = (self.shallow(a, span)?, self.shallow(b, span)?);
                Ok(self.program.binary(BinOp::PtrDiff, a, b, ty, span))
            }
            _ if op.is_comparison() => {
                let int = self.int_ty();
                let (a, b) = match pointers {
                    [true, true] => {
                        let ty = self.common_pointer(a, b);
                        (self.convert(a, ty, span)?, self.convert(b, ty, span)?)
                    }
                    [true, false] => (a, self.convert(b, self.ty(a), span)?),
                    [false, true] => (self.convert(a, self.ty(b), span)?, b),
                    [false, false] => {
                        let (a, b, _) = self.balance(a, b, span)?;
                        self.pointer_and_null(op, a, b, span).unwrap_or((a, b))
                    }
                };
                self.operate(op, a, b, int, span)
            }
            BinOp::Shl | BinOp::Shr => {
                let (a, b) = (self.promote(a, span)?, self.promote(b, span)?);
                if !integers[0] || !integers[1] {
                    return self.bad_operands(&[a, b], span);
                }
                self.operate(op, a, b, self.ty(a), span)
            }
            BinOp::And | BinOp::Or | BinOp::Xor | BinOp::Rem if !integers[0] || !integers[1] => {
                self.bad_operands(&[a, b], span)
            }
            _ => {
                let (a, b, ty) = self.balance(a, b, span)?;
                self.operate(op, a, b, ty, span)
            }
        }
    }

    /// `(uintptr_t) p == 0` asks whether `p` is null, which is known of more pointers than their addresses are.
    fn pointer_and_null(&mut self, op: BinOp, a: ExprId, b: ExprId, span: Span) -> Option<(ExprId, ExprId)> {
        if !matches!(op, BinOp::Eq | BinOp::Ne) {
            return None;
        }
        let (number, zero) = if self.program.const_value(b) == Some(0) { (a, b) } else { (b, a) };
        let ExprKind::Cast(pointer) = self.program.exprs[number].kind else { return None };
        let wide = self.program.types.bits_of(self.ty(number))?.bits >= self.program.model.pointer_bits();
        self.program.types.pointee(self.ty(pointer))?;
        if !wide || self.program.const_value(zero) != Some(0) {
            return None;
        }
        let null = self.program.int(0, self.ty(pointer), span);
        Some((pointer, null))
    }

    /// `pointer + index`
    pub(crate) fn offset(&mut self, pointer: ExprId, index: ExprId, span: Span) -> Lower<ExprId> {
        let ptrdiff = self.program.types.ptrdiff_t();
        let index = self.promote(index, span)?;
        let index = self.convert(index, ptrdiff, span)?;
        if self.program.const_value(index) == Some(0) {
            return Ok(pointer);
        }
        let ty = self.ty(pointer);
        // A constant address stays one, as in `offsetof` written by hand.
        if let (Some(at), Some(by)) = (self.program.const_value(pointer), self.program.const_value(index))
            && let (Some(to), Some(int)) =
                (self.program.types.pointee(ty), self.program.types.bits_of(ptrdiff))
            && let Some(size) = self.step_size(to.ty)
        {
            let by = int.to_i128(by).wrapping_mul(i128::from(size));
            return Ok(self.program.int((at as i128).wrapping_add(by), ty, span));
        }
        let (pointer, index) = (self.shallow(pointer, span)?, self.shallow(index, span)?);
        Ok(self.program.binary(BinOp::PtrAdd, pointer, index, ty, span))
    }

    /// How far `p + 1` is from `p`.
    pub(crate) fn step_size(&self, pointee: TypeId) -> Option<u64> {
        match self.program.types[pointee] {
            Type::Void | Type::Function(_) => Some(1),
            _ => self.program.types.size(pointee),
        }
    }

    /// The value is a null pointer constant.
    pub(crate) fn is_null(&self, value: ExprId) -> bool {
        let types = &self.program.types;
        self.program.const_value(value) == Some(0)
            && match types[self.ty(value)] {
                Type::Pointer(to) => matches!(types[to.ty], Type::Void),
                _ => types.is_integer(self.ty(value)),
            }
    }

    /// The type in which two pointers are compared or chosen from (C11 6.5.15).
    pub(crate) fn common_pointer(&mut self, a: ExprId, b: ExprId) -> TypeId {
        let (ta, tb) = (self.ty(a), self.ty(b));
        if ta == tb || self.is_null(b) {
            return ta;
        }
        if self.is_null(a) {
            return tb;
        }
        match (self.program.types.pointee(ta), self.program.types.pointee(tb)) {
            (Some(x), Some(y)) => {
                let quals = x.quals.union(y.quals);
                let void = |ty: TypeId| matches!(self.program.types[ty], Type::Void);
                let ty = if void(y.ty) && !void(x.ty) { y.ty } else { x.ty };
                self.program.types.pointer(QualType { ty, quals })
            }
            (Some(_), None) => ta,
            (None, _) => tb,
        }
    }

    /// The type of `c ? a : b` for operands that are values.
    pub(crate) fn common_type(&mut self, a: ExprId, b: ExprId, span: Span) -> Lower<TypeId> {
        let (ta, tb) = (self.ty(a), self.ty(b));
        let types = &self.program.types;
        if types.pointee(ta).is_some() || types.pointee(tb).is_some() {
            return Ok(self.common_pointer(a, b));
        }
        if types.is_scalar(ta) && types.is_scalar(tb) {
            return Ok(self.balance(a, b, span)?.2);
        }
        if ta == tb { Ok(ta) } else { self.bad_operands(&[a, b], span) }
    }

    /// `value != 0` as an `int`; a comparison is that already.
    pub(crate) fn truth(&mut self, value: ExprId, span: Span) -> Lower<ExprId> {
        match self.program.exprs[value].kind {
            ExprKind::Binary(op, ..) if op.is_comparison() => Ok(value),
            _ => self.compare_zero(BinOp::Ne, value, span),
        }
    }

    /// `!value`
    pub(crate) fn not(&mut self, value: ExprId, span: Span) -> Lower<ExprId> {
        if let ExprKind::Binary(op, a, b) = self.program.exprs[value].kind
            && let Some(negated) = op.negated()
            && !matches!(self.program.type_of(a), Type::Float(_))
        {
            let ty = self.ty(value);
            return Ok(self.program.binary(negated, a, b, ty, span));
        }
        self.compare_zero(BinOp::Eq, value, span)
    }

    fn compare_zero(&mut self, op: BinOp, value: ExprId, span: Span) -> Lower<ExprId> {
        let value = self.promote(value, span)?;
        let int = self.int_ty();
        let ty = self.ty(value);
        let zero = match self.program.types[ty] {
            Type::Float(_) => self.program.add_expr(ExprKind::Float(0.0), ty, span),
            Type::Int(_) | Type::Pointer(_) => self.program.int(0, ty, span),
            _ => return self.bad_operands(&[value], span),
        };
        self.operate(op, value, zero, int, span)
    }

    /// The qualifiers with which a place is accessed.
    pub(crate) fn place_quals(&self, place: tour_ir::program::PlaceId) -> Quals {
        self.program.place_quals(place)
    }
}
