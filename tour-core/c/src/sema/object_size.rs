//! `__builtin_object_size`: how many bytes are left of the object that a pointer points into.
//!
//! A compiler answers for what it knows, which depends on how much it optimises. Where gcc and clang agree at all levels
//! (the address of a variable or of a part of it, with constant indices), that is the answer; anywhere else the value
//! is one that nobody computes here.

use super::expr::Value;
use super::fold::{Base, Const, fold};
use super::{Lower, Sema};
use lang_c::ast::{BinaryOperator, Expression};
use lang_c::span::Node;
use tour_ir::program::{ArrayLen, ExprId, ExprKind, HavocOrigin, Op, PlaceKind, Storage, VarId};
use tour_ir::source::Span;

impl Sema<'_> {
    /// The answer for a pointer and a kind from 0 to 3: bit 0 asks for the closest part instead of the whole object.
    pub(super) fn object_size(&mut self, pointer: &Node<Expression>, kind: i128, span: Span) -> Lower<Value> {
        let (known, _) = self.scratch(|sema| {
            let value = sema.rvalue(pointer)?;
            let sum = matches!(&pointer.node, Expression::BinaryOperator(binary)
                if matches!(binary.node.operator.node, BinaryOperator::Plus | BinaryOperator::Minus));
            Ok(match kind & 1 {
                0 => sema.left_of_object(value),
                _ if sum => None,
                _ => sema.left_of_part(value),
            })
        })?;
        if let Some(size) = known {
            return Ok(Value::Rvalue(self.size(size, span)));
        }
        let size_t = self.program.types.size_t();
        let temp = self.temp(size_t, span)?;
        let place = self.program.var_place(temp, span);
        self.emit(Op::Havoc(place, HavocOrigin::Uncomputed), span)?;
        Ok(Value::Rvalue(self.program.load(place, span)))
    }

    fn left_of_object(&self, pointer: ExprId) -> Option<u64> {
        let Const::Address { base: Base::Var(var), offset } = fold(self.program, pointer)? else {
            return None;
        };
        let size = self.size_of_var(var)?;
        let offset = u64::try_from(offset).ok()?;
        Some(size.saturating_sub(offset))
    }

    fn left_of_part(&self, pointer: ExprId) -> Option<u64> {
        let mut pointer = pointer;
        while let ExprKind::Cast(inner) = self.program.exprs[pointer].kind {
            pointer = inner;
        }
        let ExprKind::AddrOf(place) = self.program.exprs[pointer].kind else { return None };
        // Only where the whole object is known.
        self.left_of_object(pointer)?;
        if self.program.is_in_union(place) {
            return None;
        }
        match self.program.places[place].kind {
            PlaceKind::Var(var) => self.size_of_var(var),
            PlaceKind::Field(..) => self.program.types.size(self.program.places[place].ty),
            PlaceKind::Index(array, index) => {
                let array = &self.program.places[array];
                let (of, ArrayLen::Fixed(count)) = self.program.types.element(array.ty)? else { return None };
                if !matches!(array.kind, PlaceKind::Var(_) | PlaceKind::Field(..)) {
                    return None;
                }
                let Const::Int(index) = fold(self.program, index)? else { return None };
                let left = count.checked_sub(u64::try_from(index).ok()?)?;
                self.program.types.size(of.ty)?.checked_mul(left)
            }
            PlaceKind::Deref(_) => None,
        }
    }

    /// The size of a variable; of compound literals, compilers disagree.
    fn size_of_var(&self, var: VarId) -> Option<u64> {
        let var = &self.program.vars[var];
        let literal = var.name.starts_with('(') || matches!(var.storage, Storage::Temp(_));
        if literal { None } else { self.program.types.object_size(var.ty.ty) }
    }
}
