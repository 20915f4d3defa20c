//! Values that fit one variable, and places.

use super::Emitter;
use super::layout::SECOND;
use crate::harness::lower::hir::{Expr, Kind};
use crate::harness::lower::ty::{Int, Ty};
use tour_c::sema::{Fail, Lower};
use tour_ir::program::{BinOp, ExprId, ExprKind, IntKind, PlaceId, PlaceKind, Storage, UnOp};
use tour_ir::source::Span;

impl Emitter<'_, '_> {
    /// The value of an expression of scalar type.
    pub(super) fn value(&mut self, expr: &Expr) -> Lower<ExprId> {
        stacker::maybe_grow(64 * 1024, 1024 * 1024, || self.scalar(expr))
    }

    fn scalar(&mut self, expr: &Expr) -> Lower<ExprId> {
        let span = expr.span;
        match &expr.kind {
            Kind::Int(value) => self.number(*value, &expr.ty, span),
            Kind::Bool(value) => self.number(u128::from(*value), &Ty::Bool, span),
            Kind::Zeroed | Kind::Unit => self.number(0, &expr.ty, span),
            Kind::Local(_)
            | Kind::Global(_)
            | Kind::Field(..)
            | Kind::Index(..)
            | Kind::Deref(_)
            | Kind::Init(_) => {
                let place = self.place(expr)?;
                let place = self.sema.shallow_place(place, span)?;
                let value = self.sema.program.load(place, span);
                let ty = self.c_type(&expr.ty, span)?;
                Ok(self.sema.program.cast(value, ty, span))
            }
            Kind::Bytes(bytes) => self.bytes(bytes, &expr.ty, span),
            Kind::Neg(operand) => self.negate(operand, span),
            Kind::Not(operand) => {
                let value = self.value(operand)?;
                if operand.ty == Ty::Bool {
                    let zero = self.number(0, &Ty::Bool, span)?;
                    let equal = self.compare(BinOp::Eq, value, zero, span);
                    return self.boolean(equal, span);
                }
                let ty = self.sema.ty(value);
                Ok(self.sema.program.add_expr(ExprKind::Unary(UnOp::BitNot, value), ty, span))
            }
            Kind::Binary(op, left, right) => self.binary(*op, left, right, span),
            Kind::Compare(op, left, right) if left.ty.is_scalar() => {
                let compared = self.comparison(*op, left, right, span)?;
                self.boolean(compared, span)
            }
            Kind::Compare(..) | Kind::And(..) | Kind::Or(..) => self.decide(expr),
            Kind::Cast(operand) | Kind::Coerce(operand) => {
                let value = self.value(operand)?;
                let ty = self.c_type(&expr.ty, span)?;
                let value = self.sema.shallow(value, span)?;
                Ok(self.sema.program.cast(value, ty, span))
            }
            Kind::AddrOf(operand) => {
                let place = self.place(operand)?;
                let address = self.sema.address(place, span)?;
                let ty = self.c_type(&expr.ty, span)?;
                Ok(self.sema.program.cast(address, ty, span))
            }
            Kind::AsPtr(operand) => {
                let pointer = self.start(operand, span)?;
                let ty = self.c_type(&expr.ty, span)?;
                Ok(self.sema.program.cast(pointer, ty, span))
            }
            Kind::Len(operand) => self.length(operand, span),
            Kind::Offset(pointer, by, backwards) => {
                let pointer = self.value(pointer)?;
                let mark = self.sema.mark();
                let by = self.value(by)?;
                let pointer = self.sema.keep(pointer, mark, span)?;
                let ptrdiff = self.sema.program.types.ptrdiff_t();
                let mut by = self.sema.program.cast(by, ptrdiff, span);
                if *backwards {
                    by = self.sema.program.add_expr(ExprKind::Unary(UnOp::Neg, by), ptrdiff, span);
                }
                self.pointer_add(pointer, by, span)
            }
            Kind::SizeOf(ty) => {
                let ty = self.c_type(ty, span)?;
                match self.sema.program.types.size(ty) {
                    Some(size) => self.number(u128::from(size), &expr.ty, span),
                    None => Fail::error("the size of this type is not known", span, "here"),
                }
            }
            Kind::Method(..)
            | Kind::Any(_)
            | Kind::Call(..)
            | Kind::Block(..)
            | Kind::Labelled(..)
            | Kind::If(..)
            | Kind::Match(..)
            | Kind::Loop(..)
            | Kind::Break(..)
            | Kind::Continue(_)
            | Kind::Return(_)
            | Kind::Panic(_)
            | Kind::Undefined => {
                let temp = self.temp(&expr.ty, span)?;
                self.store(temp, expr)?;
                Ok(self.sema.program.load(temp, span))
            }
            Kind::Assign(..)
            | Kind::AssignOp(..)
            | Kind::Slice { .. }
            | Kind::Array(_)
            | Kind::Repeat(..)
            | Kind::Record(..)
            | Kind::Some(_)
            | Kind::None
            | Kind::While(..)
            | Kind::For(_)
            | Kind::Assume(_)
            | Kind::Assert(..)
            | Kind::AssertEq(..) => Fail::error("this has no value that can be used here", span, "here"),
        }
    }

    /// A number of a type.
    pub(super) fn number(&mut self, value: u128, ty: &Ty, span: Span) -> Lower<ExprId> {
        let ty = self.c_type(ty, span)?;
        Ok(self.sema.program.int(value as i128, ty, span))
    }

    /// A condition as a `bool`.
    pub(super) fn boolean(&mut self, condition: ExprId, span: Span) -> Lower<ExprId> {
        let bool = self.sema.program.types.int(IntKind::Bool);
        let condition = self.sema.shallow(condition, span)?;
        Ok(self.sema.program.cast(condition, bool, span))
    }

    /// A comparison, as a condition of C.
    pub(super) fn compare(&mut self, op: BinOp, a: ExprId, b: ExprId, span: Span) -> ExprId {
        let int = self.sema.program.types.int(IntKind::Int);
        self.sema.program.binary(op, a, b, int, span)
    }

    /// The values of two operands, in order.
    pub(super) fn operands(&mut self, left: &Expr, right: &Expr, span: Span) -> Lower<(ExprId, ExprId)> {
        let a = self.value(left)?;
        let mark = self.sema.mark();
        let b = self.value(right)?;
        let a = self.sema.keep(a, mark, span)?;
        Ok((self.sema.shallow(a, span)?, self.sema.shallow(b, span)?))
    }

    /// A comparison of scalars, as a condition of C.
    pub(super) fn comparison(&mut self, op: BinOp, left: &Expr, right: &Expr, span: Span) -> Lower<ExprId> {
        let (a, b) = self.operands(left, right, span)?;
        let ordered = !matches!(op, BinOp::Eq | BinOp::Ne);
        // The order of pointers is that of their addresses.
        let (a, b) = if ordered && matches!(left.ty, Ty::Ptr(..)) {
            let size = self.sema.program.types.size_t();
            (self.sema.program.cast(a, size, span), self.sema.program.cast(b, size, span))
        } else if left.ty == Ty::Bool {
            let int = self.sema.program.types.int(IntKind::Int);
            (self.sema.program.cast(a, int, span), self.sema.program.cast(b, int, span))
        } else {
            let ty = self.sema.ty(a);
            (a, self.sema.program.cast(b, ty, span))
        };
        Ok(self.compare(op, a, b, span))
    }

    fn binary(&mut self, op: BinOp, left: &Expr, right: &Expr, span: Span) -> Lower<ExprId> {
        let (a, b) = self.operands(left, right, span)?;
        self.operate(op, (a, &left.ty), (b, &right.ty), span)
    }

    /// `pointer + by` elements.
    pub(super) fn pointer_add(&mut self, pointer: ExprId, by: ExprId, span: Span) -> Lower<ExprId> {
        let (pointer, by) = (self.sema.shallow(pointer, span)?, self.sema.shallow(by, span)?);
        let ty = self.sema.ty(pointer);
        Ok(self.sema.program.binary(BinOp::PtrAdd, pointer, by, ty, span))
    }

    /// The place of an expression; a value goes into a temporary.
    pub(super) fn place(&mut self, expr: &Expr) -> Lower<PlaceId> {
        stacker::maybe_grow(64 * 1024, 1024 * 1024, || self.place_of(expr))
    }

    fn place_of(&mut self, expr: &Expr) -> Lower<PlaceId> {
        let span = expr.span;
        match &expr.kind {
            Kind::Local(id) => match self.locals.get(*id).copied().flatten() {
                Some(var) => Ok(self.sema.program.var_place(var, span)),
                None => Fail::error("this variable has no value", span, "of type `()`"),
            },
            Kind::Global(symbol) => self.global(symbol, span),
            Kind::Init(inner) => self.place(inner),
            Kind::Field(base, index) => {
                let base = self.place(base)?;
                self.step(base, *index as u32, span)
            }
            Kind::Deref(pointer) => {
                let value = self.value(pointer)?;
                let ty = self.c_type(&expr.ty, span)?;
                self.target(value, ty, span)
            }
            Kind::Index(base, at) => self.element(base, at, span),
            Kind::Block(stmts, Some(tail)) if stmts.is_empty() => self.place(tail),
            _ => self.materialise(expr),
        }
    }

    /// A field of a record.
    pub(super) fn step(&mut self, base: PlaceId, index: u32, span: Span) -> Lower<PlaceId> {
        let program = &self.sema.program;
        let field = match program.types[program.places[base].ty] {
            tour_ir::program::Type::Record(id) => program.types.records[id].fields.get(index as usize),
            _ => None,
        };
        match field.map(|field| field.ty.ty) {
            Some(ty) => Ok(self.sema.add_place(PlaceKind::Field(base, index), ty, span)),
            None => Fail::error("this field is not known", span, "here"),
        }
    }

    /// What a pointer points to.
    pub(super) fn target(
        &mut self,
        pointer: ExprId,
        ty: tour_ir::program::TypeId,
        span: Span,
    ) -> Lower<PlaceId> {
        if let ExprKind::AddrOf(place) = self.sema.program.exprs[pointer].kind
            && self.sema.program.places[place].ty == ty
        {
            return Ok(place);
        }
        let pointer = self.sema.shallow(pointer, span)?;
        let wanted = self.sema.program.types.pointer(ty);
        let pointer = self.sema.program.cast(pointer, wanted, span);
        Ok(self.sema.add_place(PlaceKind::Deref(pointer), ty, span))
    }

    /// A temporary with the value of an expression.
    pub(super) fn materialise(&mut self, expr: &Expr) -> Lower<PlaceId> {
        let temp = self.temp(&expr.ty, expr.span)?;
        self.store(temp, expr)?;
        Ok(temp)
    }

    /// The parts of a slice's reference.
    pub(super) fn fat(&mut self, base: &Expr, span: Span) -> Lower<(ExprId, ExprId)> {
        let place = self.place(base)?;
        let (pointer, len) = (self.step(place, 0, span)?, self.step(place, SECOND, span)?);
        Ok((self.sema.program.load(pointer, span), self.sema.program.load(len, span)))
    }

    /// The address of the first element.
    pub(super) fn start(&mut self, base: &Expr, span: Span) -> Lower<ExprId> {
        match &base.ty {
            Ty::Array(..) => {
                let place = self.place(base)?;
                self.sema.decay(place, span)
            }
            _ => Ok(self.fat(base, span)?.0),
        }
    }

    /// How many elements there are.
    pub(super) fn length(&mut self, base: &Expr, span: Span) -> Lower<ExprId> {
        match &base.ty {
            Ty::Array(_, n) => {
                let usize = Ty::Int(Int::usize(self.sema.program.model));
                self.number(u128::from(*n), &usize, span)
            }
            _ => Ok(self.fat(base, span)?.1),
        }
    }

    fn element(&mut self, base: &Expr, at: &Expr, span: Span) -> Lower<PlaceId> {
        let message = "index out of bounds";
        if let Ty::Array(..) = base.ty {
            let array = self.place(base)?;
            let mark = self.sema.mark();
            let index = self.value(at)?;
            let array = self.sema.keep_place(array, mark, span)?;
            let len = self.length(base, span)?;
            let index = self.sema.shallow(index, span)?;
            let outside = self.compare(BinOp::Ge, index, len, span);
            if self
                .sema
                .program
                .const_value(index)
                .is_none_or(|i| i >= self.sema.program.const_value(len).unwrap_or(0))
            {
                self.fails_if(outside, message, span)?;
            }
            return self.item(array, index, span);
        }
        let (pointer, len) = self.fat(base, span)?;
        let mark = self.sema.mark();
        let index = self.value(at)?;
        let pointer = self.sema.keep(pointer, mark, span)?;
        let len = self.sema.keep(len, mark, span)?;
        let index = self.sema.shallow(index, span)?;
        let outside = self.compare(BinOp::Ge, index, len, span);
        self.fails_if(outside, message, span)?;
        let ptrdiff = self.sema.program.types.ptrdiff_t();
        let by = self.sema.program.cast(index, ptrdiff, span);
        let pointer = self.pointer_add(pointer, by, span)?;
        let ty = match self.sema.program.types.pointee(self.sema.ty(pointer)) {
            Some(to) => to.ty,
            None => return Fail::error("this is no slice", span, "here"),
        };
        self.target(pointer, ty, span)
    }

    /// An element of an array; the index is within it.
    pub(super) fn item(&mut self, array: PlaceId, index: ExprId, span: Span) -> Lower<PlaceId> {
        let Some((of, _)) = self.sema.program.types.element(self.sema.program.places[array].ty) else {
            return Fail::error("this is no array", span, "here");
        };
        let ptrdiff = self.sema.program.types.ptrdiff_t();
        let index = match self.sema.program.const_value(index) {
            Some(value) => self.sema.program.int(value as i128, ptrdiff, span),
            None => self.sema.program.cast(index, ptrdiff, span),
        };
        Ok(self.sema.add_place(PlaceKind::Index(array, index), of.ty, span))
    }

    /// A variable of the C program.
    fn global(&mut self, symbol: &str, span: Span) -> Lower<PlaceId> {
        let found = self
            .sema
            .program
            .vars
            .iter_enumerated()
            .find(|(_, var)| var.name == symbol && matches!(var.storage, Storage::Global { .. }));
        match found.map(|(id, _)| id) {
            Some(var) => Ok(self.sema.program.var_place(var, span)),
            None => {
                Fail::error(format!("the C defines no variable `{symbol}`"), span, "declared in Rust only")
            }
        }
    }

    /// Bytes that never change, as a variable with static storage.
    fn bytes(&mut self, bytes: &[u8], ty: &Ty, span: Span) -> Lower<ExprId> {
        let array = match ty.pointee() {
            Some(array) => self.c_type(array, span)?,
            None => return Fail::error("these bytes have no type", span, "here"),
        };
        let var = self.sema.add_local("$bytes".into(), array.into(), Storage::Literal, span);
        let place = self.sema.program.var_place(var, span);
        let item = tour_ir::program::InitItem::Bytes { place, bytes: bytes.into() };
        self.sema.program.vars[var].init = Some(tour_ir::program::Init { items: vec![item] });
        self.sema.program.globals.push(var);
        let address = self.sema.address(place, span)?;
        let ty = self.c_type(ty, span)?;
        Ok(self.sema.program.cast(address, ty, span))
    }
}
