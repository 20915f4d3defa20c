//! Blocks, branches, conditions and patterns.

use super::layout::SECOND;
use super::{Emitter, Point};
use crate::harness::lower::hir::{Arm, Cond, Expr, Kind, Pattern, Stmt};
use crate::harness::lower::ty::{Int, Ty};
use tour_c::sema::{Fail, Lower};
use tour_ir::program::{BinOp, ExprId, IntType, Op, PlaceId, Rule};
use tour_ir::source::Span;

/// Arrays up to this length are compared element by element.
const COMPARED: u64 = 4096;

impl Emitter<'_, '_> {
    /// An expression that is made of control flow: its value goes to `dest`, if someone wants it.
    pub(super) fn control(&mut self, expr: &Expr, dest: Option<PlaceId>) -> Lower<()> {
        let span = expr.span;
        match &expr.kind {
            Kind::Block(stmts, tail) => {
                for stmt in stmts {
                    self.statement(stmt)?;
                }
                match tail {
                    Some(tail) => self.result(tail, dest),
                    None => Ok(()),
                }
            }
            Kind::If(cond, then, other) => {
                let (yes, no, done) =
                    (self.sema.point(span)?, self.sema.point(span)?, self.sema.point(span)?);
                self.cond(cond, yes, no)?;
                self.sema.go_on(yes);
                self.result(then, dest)?;
                self.sema.jump(done, span)?;
                self.sema.go_on(no);
                if let Some(other) = other {
                    self.result(other, dest)?;
                }
                self.sema.jump(done, span)?;
                self.arrive(done);
                Ok(())
            }
            Kind::Match(value, arms) => self.select(value, arms, dest, span),
            Kind::Labelled(..) | Kind::Loop(..) | Kind::While(..) | Kind::For(_) => {
                self.repetition(expr, dest)
            }
            Kind::Break(..) | Kind::Continue(_) => self.jump(expr),
            Kind::Return(value) => match value {
                Some(value) => self.return_value(value),
                None => self.sema.emit_return(None, span),
            },
            Kind::Call(callee, args) => self.call(callee, args, &expr.ty, dest, span),
            Kind::Assume(cond) => {
                if self.is_harness {
                    self.sites.assumes = self.sites.assumes.or(Some(span));
                }
                let (yes, no) = (self.sema.point(span)?, self.sema.current(span)?.graph.blocked());
                self.condition(cond, yes, no)?;
                self.sema.go_on(yes);
                Ok(())
            }
            Kind::Assert(cond, message) => {
                self.claim(message, span)?;
                let (yes, no) = (self.sema.point(span)?, self.sema.point(span)?);
                self.condition(cond, yes, no)?;
                self.fail_at(no, yes, message, span)
            }
            Kind::AssertEq(left, right, equal, message) => {
                self.claim(message, span)?;
                let (same, other) = (self.sema.point(span)?, self.sema.point(span)?);
                self.equality(left, right, same, other, span)?;
                let (good, bad) = if *equal { (same, other) } else { (other, same) };
                self.fail_at(bad, good, message, span)
            }
            Kind::Panic(message) => self.sema.violation(Rule::Assert, message.clone(), span),
            _ => Fail::error("this is no control flow", span, "here"),
        }
    }

    /// The value of an expression, wherever it goes.
    pub(super) fn result(&mut self, expr: &Expr, dest: Option<PlaceId>) -> Lower<()> {
        match dest {
            Some(dest) if expr.ty != Ty::Unit => self.store(dest, expr),
            _ => self.effect(expr),
        }
    }

    /// Goes on where several ways meet, if any of them gets there.
    pub(super) fn arrive(&mut self, point: Point) {
        self.sema.go_on(point);
    }

    fn fail_at(&mut self, bad: Point, good: Point, message: &str, span: Span) -> Lower<()> {
        self.sema.go_on(bad);
        self.sema.violation(Rule::Assert, message.to_owned(), span)?;
        self.sema.go_on(good);
        Ok(())
    }

    fn statement(&mut self, stmt: &Stmt) -> Lower<()> {
        match stmt {
            Stmt::Expr(value) => self.effect(value),
            Stmt::Let(local, value) => {
                let span = self.body.locals[*local].span;
                let Some(var) = self.locals[*local] else {
                    return value.as_ref().map_or(Ok(()), |value| self.effect(value));
                };
                match value {
                    None => self.sema.emit(Op::Declare(var), span),
                    Some(value) => {
                        let place = self.sema.program.var_place(var, span);
                        self.store(place, value)
                    }
                }
            }
            Stmt::LetTuple(locals, value) => {
                let from = self.materialise(value)?;
                for (index, local) in locals.iter().enumerate() {
                    let Some(var) = local.and_then(|local| self.locals[local]) else { continue };
                    let part = self.step(from, index as u32, value.span)?;
                    let place = self.sema.program.var_place(var, value.span);
                    let part = self.sema.program.load(part, value.span);
                    self.assign(place, part, value.span)?;
                }
                Ok(())
            }
        }
    }

    /// Branches on an expression of type `bool`.
    pub(super) fn condition(&mut self, expr: &Expr, yes: Point, no: Point) -> Lower<()> {
        stacker::maybe_grow(64 * 1024, 1024 * 1024, || {
            let span = expr.span;
            match &expr.kind {
                Kind::And(a, b) => {
                    let middle = self.sema.point(span)?;
                    self.condition(a, middle, no)?;
                    self.sema.go_on(middle);
                    self.condition(b, yes, no)
                }
                Kind::Or(a, b) => {
                    let middle = self.sema.point(span)?;
                    self.condition(a, yes, middle)?;
                    self.sema.go_on(middle);
                    self.condition(b, yes, no)
                }
                Kind::Not(inner) if inner.ty == Ty::Bool => self.condition(inner, no, yes),
                Kind::Compare(op @ (BinOp::Eq | BinOp::Ne), a, b) if !a.ty.is_scalar() => {
                    let (same, other) = if *op == BinOp::Eq { (yes, no) } else { (no, yes) };
                    self.equality(a, b, same, other, span)
                }
                Kind::Compare(op, a, b) => {
                    let condition = self.comparison(*op, a, b, span)?;
                    self.sema.branch(condition, yes, no, span)
                }
                Kind::Bool(true) => self.sema.jump(yes, span),
                Kind::Bool(false) => self.sema.jump(no, span),
                _ => {
                    let value = self.value(expr)?;
                    self.sema.branch(value, yes, no, span)
                }
            }
        })
    }

    /// A condition as a value.
    pub(super) fn decide(&mut self, expr: &Expr) -> Lower<ExprId> {
        let span = expr.span;
        let temp = self.temp(&Ty::Bool, span)?;
        let (yes, no, done) = (self.sema.point(span)?, self.sema.point(span)?, self.sema.point(span)?);
        self.condition(expr, yes, no)?;
        for (at, value) in [(yes, 1), (no, 0)] {
            self.sema.go_on(at);
            let value = self.number(value, &Ty::Bool, span)?;
            self.assign(temp, value, span)?;
            self.sema.jump(done, span)?;
        }
        self.sema.go_on(done);
        Ok(self.sema.program.load(temp, span))
    }

    /// Branches on whether two values are equal.
    fn equality(&mut self, left: &Expr, right: &Expr, same: Point, other: Point, span: Span) -> Lower<()> {
        if left.ty.is_scalar() {
            let condition = self.comparison(BinOp::Eq, left, right, span)?;
            return self.sema.branch(condition, same, other, span);
        }
        if left.ty == Ty::Unit {
            self.effect(left)?;
            self.effect(right)?;
            return self.sema.jump(same, span);
        }
        let a = self.materialise(left)?;
        let b = self.materialise(right)?;
        self.equal_places(a, b, &left.ty, other, span)?;
        self.sema.jump(same, span)
    }

    /// Goes on if what is in two places is equal.
    fn equal_places(&mut self, a: PlaceId, b: PlaceId, ty: &Ty, other: Point, span: Span) -> Lower<()> {
        match ty {
            Ty::Array(of, n) => {
                if *n > COMPARED {
                    return Fail::error(
                        "these arrays are too long to be compared",
                        span,
                        format!("{n} elements"),
                    );
                }
                for i in 0..*n {
                    let index = self.usize(i, span)?;
                    let (x, y) = (self.item(a, index, span)?, self.item(b, index, span)?);
                    self.equal_places(x, y, of, other, span)?;
                }
                Ok(())
            }
            Ty::Tuple(of) => {
                for (i, ty) in of.iter().enumerate() {
                    let (x, y) = (self.step(a, i as u32, span)?, self.step(b, i as u32, span)?);
                    self.equal_places(x, y, ty, other, span)?;
                }
                Ok(())
            }
            Ty::Option(of) => {
                let (x, y) = (self.step(a, 0, span)?, self.step(b, 0, span)?);
                self.equal_places(x, y, &Ty::Bool, other, span)?;
                let (both, done) = (self.sema.point(span)?, self.sema.point(span)?);
                let some = self.sema.program.load(x, span);
                self.sema.branch(some, both, done, span)?;
                self.sema.go_on(both);
                let (x, y) = (self.step(a, SECOND, span)?, self.step(b, SECOND, span)?);
                self.equal_places(x, y, of, other, span)?;
                self.sema.jump(done, span)?;
                self.sema.go_on(done);
                Ok(())
            }
            Ty::Unit => Ok(()),
            _ if ty.is_scalar() => {
                let (x, y) = (self.sema.program.load(a, span), self.sema.program.load(b, span));
                let equal = self.compare(BinOp::Eq, x, y, span);
                let good = self.sema.point(span)?;
                self.sema.branch(equal, good, other, span)?;
                self.sema.go_on(good);
                Ok(())
            }
            _ => Fail::error("these values can't be compared in a harness", span, "compare their parts"),
        }
    }

    /// A condition that may bind.
    pub(super) fn cond(&mut self, cond: &Cond, yes: Point, no: Point) -> Lower<()> {
        match cond {
            Cond::Expr(expr) => self.condition(expr, yes, no),
            Cond::Let(pattern, value) => {
                let place = self.scrutinee(value)?;
                self.pattern(pattern, place, &value.ty, no, value.span)?;
                self.sema.jump(yes, value.span)
            }
            Cond::And(a, b) => {
                let span = self.body.span;
                let middle = self.sema.point(span)?;
                self.cond(a, middle, no)?;
                self.sema.go_on(middle);
                self.cond(b, yes, no)
            }
        }
    }

    fn scrutinee(&mut self, value: &Expr) -> Lower<Option<PlaceId>> {
        if value.ty == Ty::Unit {
            self.effect(value)?;
            return Ok(None);
        }
        self.materialise(value).map(Some)
    }

    fn select(&mut self, value: &Expr, arms: &[Arm], dest: Option<PlaceId>, span: Span) -> Lower<()> {
        let place = self.scrutinee(value)?;
        let done = self.sema.point(span)?;
        for arm in arms {
            let next = self.sema.point(span)?;
            self.pattern(&arm.pattern, place, &value.ty, next, arm.body.span)?;
            if let Some(guard) = &arm.guard {
                let yes = self.sema.point(span)?;
                self.condition(guard, yes, next)?;
                self.sema.go_on(yes);
            }
            self.result(&arm.body, dest)?;
            self.sema.jump(done, span)?;
            self.sema.go_on(next);
        }
        // The compiler has seen that one arm always fits.
        let never = self.sema.current(span)?.graph.blocked();
        self.sema.jump(never, span)?;
        self.arrive(done);
        Ok(())
    }

    /// Goes on if the value in a place fits a pattern, with its names bound.
    fn pattern(
        &mut self,
        pattern: &Pattern,
        place: Option<PlaceId>,
        ty: &Ty,
        other: Point,
        span: Span,
    ) -> Lower<()> {
        let Some(at) = place else { return Ok(()) };
        match pattern {
            Pattern::Wild => Ok(()),
            Pattern::Bind(local) => {
                let Some(var) = self.locals[*local] else { return Ok(()) };
                let target = self.sema.program.var_place(var, span);
                let value = self.sema.program.load(at, span);
                self.assign(target, value, span)
            }
            Pattern::Bool(wanted) => {
                let value = self.sema.program.load(at, span);
                let good = self.sema.point(span)?;
                let (yes, no) = if *wanted { (good, other) } else { (other, good) };
                self.sema.branch(value, yes, no, span)?;
                self.sema.go_on(good);
                Ok(())
            }
            Pattern::Range(low, high) => {
                let Ty::Int(int) = *ty else {
                    return Fail::error("a number as a pattern for something else", span, "here");
                };
                let value = self.sema.program.load(at, span);
                if let (Some(a), Some(b)) = (low, high)
                    && a == b
                {
                    return self.require(BinOp::Eq, value, *a, int, other, span);
                }
                if let Some(low) = low {
                    self.require(BinOp::Ge, value, *low, int, other, span)?;
                }
                match high {
                    Some(high) => self.require(BinOp::Le, value, *high, int, other, span),
                    None => Ok(()),
                }
            }
            Pattern::Large(number) => {
                let Ty::Int(int) = *ty else {
                    return Fail::error("a number as a pattern for something else", span, "here");
                };
                let value = self.sema.program.load(at, span);
                self.require(BinOp::Eq, value, *number as i128, int, other, span)
            }
            Pattern::None | Pattern::Some(_) => {
                let flag = self.step(at, 0, span)?;
                let some = self.sema.program.load(flag, span);
                let good = self.sema.point(span)?;
                let Pattern::Some(inner) = pattern else {
                    self.sema.branch(some, other, good, span)?;
                    self.sema.go_on(good);
                    return Ok(());
                };
                self.sema.branch(some, good, other, span)?;
                self.sema.go_on(good);
                let Ty::Option(of) = ty else {
                    return Fail::error("`Some` as a pattern for something else", span, "here");
                };
                let value = match **of {
                    Ty::Unit => None,
                    _ => Some(self.step(at, SECOND, span)?),
                };
                self.pattern(inner, value, of, other, span)
            }
            Pattern::Tuple(parts) => {
                let Ty::Tuple(of) = ty else {
                    return Fail::error("a tuple as a pattern for something else", span, "here");
                };
                for (i, (part, ty)) in parts.iter().zip(of).enumerate() {
                    let value = self.step(at, i as u32, span)?;
                    self.pattern(part, Some(value), ty, other, span)?;
                }
                Ok(())
            }
            Pattern::Or(cases) => {
                let done = self.sema.point(span)?;
                for case in cases {
                    let next = self.sema.point(span)?;
                    self.pattern(case, place, ty, next, span)?;
                    self.sema.jump(done, span)?;
                    self.sema.go_on(next);
                }
                self.sema.jump(other, span)?;
                self.sema.go_on(done);
                Ok(())
            }
        }
    }

    fn require(
        &mut self,
        op: BinOp,
        value: ExprId,
        bound: i128,
        int: Int,
        other: Point,
        span: Span,
    ) -> Lower<()> {
        let int_type = IntType { bits: int.bits, signed: int.signed };
        let bound = self.number(int_type.wrap(bound as u128), &Ty::Int(int), span)?;
        let fits = self.compare(op, value, bound, span);
        let good = self.sema.point(span)?;
        self.sema.branch(fits, good, other, span)?;
        self.sema.go_on(good);
        Ok(())
    }
}
