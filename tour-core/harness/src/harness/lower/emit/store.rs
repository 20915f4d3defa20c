//! Storing a value of any type, and doing something for its effect alone.

use super::Emitter;
use super::layout::SECOND;
use crate::harness::lower::hir::{Expr, Kind};
use crate::harness::lower::ty::{Int, Ty};
use tour_c::sema::{Fail, Lower};
use tour_ir::program::{BinOp, ExprId, ExprKind, HavocOrigin, Op, PlaceId, PlaceKind};
use tour_ir::source::Span;

/// Arrays up to this length are filled without a loop.
const UNROLLED: u64 = 64;

impl Emitter<'_, '_> {
    /// Evaluates an expression and drops its value.
    pub(super) fn effect(&mut self, expr: &Expr) -> Lower<()> {
        stacker::maybe_grow(64 * 1024, 1024 * 1024, || match &expr.kind {
            Kind::Block(..)
            | Kind::Labelled(..)
            | Kind::If(..)
            | Kind::Match(..)
            | Kind::Loop(..)
            | Kind::While(..)
            | Kind::For(_)
            | Kind::Break(..)
            | Kind::Continue(_)
            | Kind::Return(_)
            | Kind::Call(..)
            | Kind::Assume(_)
            | Kind::Assert(..)
            | Kind::AssertEq(..)
            | Kind::Panic(_) => self.control(expr, None),
            Kind::Assign(place, value) => self.assignment(place, value, expr.span),
            Kind::AssignOp(op, place, value) => {
                // Both are integers: the right side is evaluated first.
                let right = self.value(value)?;
                let mark = self.sema.mark();
                let target = self.place(place)?;
                let right = self.sema.keep(right, mark, expr.span)?;
                let target = self.sema.fix_place(target, expr.span)?;
                let left = self.sema.program.load(target, expr.span);
                let result = self.operate(*op, (left, &place.ty), (right, &value.ty), expr.span)?;
                self.assign(target, result, expr.span)
            }
            Kind::Unit => Ok(()),
            Kind::Local(id) if self.locals.get(*id).copied().flatten().is_none() => Ok(()),
            _ if expr.ty.is_scalar() => self.value(expr).map(|_| ()),
            _ if expr.ty == Ty::Unit => {
                Fail::error("this is not supported as a statement", expr.span, "here")
            }
            _ => self.place(expr).map(|_| ()),
        })
    }

    fn assignment(&mut self, place: &Expr, value: &Expr, span: Span) -> Lower<()> {
        if value.ty == Ty::Unit {
            return self.effect(value);
        }
        if value.ty.is_scalar() {
            let result = self.value(value)?;
            let mark = self.sema.mark();
            let target = self.place(place)?;
            let result = self.sema.keep(result, mark, span)?;
            return self.assign(target, result, span);
        }
        // The value may read what it is stored to.
        let from = match &value.kind {
            Kind::Local(_) => self.place(value)?,
            _ => self.materialise(value)?,
        };
        let target = self.place(place)?;
        let loaded = self.sema.program.load(from, span);
        self.assign(target, loaded, span)
    }

    /// Stores a value into a place that the value does not read.
    pub(super) fn store(&mut self, dest: PlaceId, expr: &Expr) -> Lower<()> {
        stacker::maybe_grow(64 * 1024, 1024 * 1024, || self.store_value(dest, expr))
    }

    fn store_value(&mut self, dest: PlaceId, expr: &Expr) -> Lower<()> {
        let span = expr.span;
        match &expr.kind {
            Kind::Block(..)
            | Kind::Labelled(..)
            | Kind::If(..)
            | Kind::Match(..)
            | Kind::Loop(..)
            | Kind::Break(..)
            | Kind::Continue(_)
            | Kind::Return(_)
            | Kind::Call(..)
            | Kind::Panic(_) => self.control(expr, Some(dest)),
            Kind::Any(name) => self.input(dest, name, &expr.ty, span),
            Kind::Undefined => self.undefined(dest, span),
            Kind::Method(method, receiver, args) => self.method(*method, receiver, args, expr, dest),
            _ if expr.ty.is_scalar() => {
                let value = self.value(expr)?;
                self.assign(dest, value, span)
            }
            Kind::Zeroed => {
                let ty = self.sema.program.places[dest].ty;
                let zeros = self.sema.program.add_expr(ExprKind::Zeroed, ty, span);
                self.sema.emit(Op::Assign(dest, zeros), span)
            }
            Kind::Array(items) => {
                for (i, item) in items.iter().enumerate() {
                    let index = self.usize(i as u64, span)?;
                    let place = self.item(dest, index, span)?;
                    self.store(place, item)?;
                }
                Ok(())
            }
            Kind::Repeat(item, n) => self.repeat(dest, item, *n, span),
            Kind::Record(fields, rest) => self.record(dest, fields, rest.as_deref(), span),
            Kind::Some(value) => {
                let (some, inner) = (self.step(dest, 0, span)?, self.step(dest, SECOND, span)?);
                self.store(inner, value)?;
                let yes = self.number(1, &Ty::Bool, span)?;
                self.assign(some, yes, span)
            }
            Kind::None => {
                let some = self.step(dest, 0, span)?;
                let no = self.number(0, &Ty::Bool, span)?;
                self.assign(some, no, span)
            }
            Kind::Coerce(inner) if expr.ty.is_fat() && !inner.ty.is_fat() => {
                let pointer = self.value(inner)?;
                let n = match inner.ty.pointee() {
                    Some(Ty::Array(_, n)) => *n,
                    _ => return Fail::error("this is no array", span, "here"),
                };
                let len = self.usize(n, span)?;
                self.fat_value(dest, pointer, len, span)
            }
            Kind::Coerce(inner) => self.store(dest, inner),
            Kind::Slice { base, low, high, inclusive } => {
                self.slice(dest, base, low.as_deref(), high.as_deref(), *inclusive, span)
            }
            Kind::Local(_)
            | Kind::Global(_)
            | Kind::Field(..)
            | Kind::Index(..)
            | Kind::Deref(_)
            | Kind::Init(_) => {
                let from = self.place(expr)?;
                let value = self.sema.program.load(from, span);
                self.sema.emit(Op::Assign(dest, value), span)
            }
            _ => Fail::error("this value is not supported in a harness", span, "here"),
        }
    }

    pub(super) fn usize(&mut self, value: u64, span: Span) -> Lower<ExprId> {
        let usize = Ty::Int(Int::usize(self.sema.program.model));
        self.number(u128::from(value), &usize, span)
    }

    /// Nothing is known of what is there.
    pub(super) fn undefined(&mut self, dest: PlaceId, span: Span) -> Lower<()> {
        match self.sema.program.places[dest].kind {
            PlaceKind::Var(var) => self.sema.emit(Op::Declare(var), span),
            PlaceKind::Deref(_) | PlaceKind::Field(..) | PlaceKind::Index(..) => {
                self.sema.emit(Op::Havoc(dest, HavocOrigin::Indeterminate), span)
            }
        }
    }

    fn fat_value(&mut self, dest: PlaceId, pointer: ExprId, len: ExprId, span: Span) -> Lower<()> {
        let (to, count) = (self.step(dest, 0, span)?, self.step(dest, SECOND, span)?);
        self.assign(to, pointer, span)?;
        self.assign(count, len, span)
    }

    fn slice(
        &mut self,
        dest: PlaceId,
        base: &Expr,
        low: Option<&Expr>,
        high: Option<&Expr>,
        inclusive: bool,
        span: Span,
    ) -> Lower<()> {
        let pointer = self.start(base, span)?;
        let len = self.length(base, span)?;
        let mark = self.sema.mark();
        let low = match low {
            Some(low) => self.value(low)?,
            None => self.usize(0, span)?,
        };
        let between = self.sema.mark();
        let high = match high {
            Some(high) => self.value(high)?,
            None => len,
        };
        let low = self.sema.keep(low, between, span)?;
        let (pointer, len) = (self.sema.keep(pointer, mark, span)?, self.sema.keep(len, mark, span)?);
        let usize = Ty::Int(Int::usize(self.sema.program.model));
        let high = if inclusive {
            let one = self.usize(1, span)?;
            self.operate(BinOp::Add, (high, &usize), (one, &usize), span)?
        } else {
            high
        };
        let backwards = self.compare(BinOp::Gt, low, high, span);
        self.fails_if(backwards, "slice index starts behind its end", span)?;
        let outside = self.compare(BinOp::Gt, high, len, span);
        self.fails_if(outside, "range end index out of range for slice", span)?;
        let size = self.sema.program.types.size_t();
        let count = self.sema.program.binary(BinOp::Sub, high, low, size, span);
        let ptrdiff = self.sema.program.types.ptrdiff_t();
        let by = self.sema.program.cast(low, ptrdiff, span);
        let pointer = self.pointer_add(pointer, by, span)?;
        self.fat_value(dest, pointer, count, span)
    }

    fn repeat(&mut self, dest: PlaceId, item: &Expr, n: u64, span: Span) -> Lower<()> {
        if matches!(item.kind, Kind::Int(0) | Kind::Bool(false)) {
            let ty = self.sema.program.places[dest].ty;
            let zeros = self.sema.program.add_expr(ExprKind::Zeroed, ty, span);
            return self.sema.emit(Op::Assign(dest, zeros), span);
        }
        let one = self.materialise(item)?;
        if n <= UNROLLED {
            for i in 0..n {
                let index = self.usize(i, span)?;
                let place = self.item(dest, index, span)?;
                let value = self.sema.program.load(one, span);
                self.assign(place, value, span)?;
            }
            return Ok(());
        }
        let usize = Ty::Int(Int::usize(self.sema.program.model));
        let counter = self.counter(&usize, span)?;
        let zero = self.usize(0, span)?;
        self.assign(counter, zero, span)?;
        let (head, body, done) = (self.sema.point(span)?, self.sema.point(span)?, self.sema.point(span)?);
        self.sema.jump(head, span)?;
        self.sema.go_on(head);
        let at = self.sema.program.load(counter, span);
        let len = self.usize(n, span)?;
        let more = self.compare(BinOp::Lt, at, len, span);
        self.sema.branch(more, body, done, span)?;
        self.sema.go_on(body);
        let place = self.item(dest, at, span)?;
        let value = self.sema.program.load(one, span);
        self.assign(place, value, span)?;
        let (step, size) = (self.usize(1, span)?, self.sema.program.types.size_t());
        let next = self.sema.program.binary(BinOp::Add, at, step, size, span);
        self.assign(counter, next, span)?;
        self.sema.jump(head, span)?;
        self.sema.go_on(done);
        Ok(())
    }

    fn record(
        &mut self,
        dest: PlaceId,
        fields: &[(usize, Expr)],
        rest: Option<&Expr>,
        span: Span,
    ) -> Lower<()> {
        let Some(rest) = rest else {
            for (index, value) in fields {
                if value.ty == Ty::Unit {
                    self.effect(value)?;
                    continue;
                }
                let place = self.step(dest, *index as u32, span)?;
                self.store(place, value)?;
            }
            return Ok(());
        };
        // Fields are evaluated before what the others come from.
        let mut values = Vec::with_capacity(fields.len());
        for (index, value) in fields {
            values.push((*index, self.materialise(value)?));
        }
        self.store(dest, rest)?;
        for (index, from) in values {
            let place = self.step(dest, index as u32, span)?;
            let value = self.sema.program.load(from, span);
            self.assign(place, value, span)?;
        }
        Ok(())
    }
}
