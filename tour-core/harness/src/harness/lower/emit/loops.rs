//! Loops.

use super::{Emitter, LoopFrame};
use crate::harness::lower::hir::{Expr, For, Kind};
use crate::harness::lower::ty::Ty;
use tour_c::sema::{Fail, Lower};
use tour_ir::program::{BinOp, PlaceId, Storage};
use tour_ir::source::Span;

impl Emitter<'_, '_> {
    pub(super) fn repetition(&mut self, expr: &Expr, dest: Option<PlaceId>) -> Lower<()> {
        let span = expr.span;
        match &expr.kind {
            Kind::Labelled(id, value) => {
                let done = self.sema.point(span)?;
                self.loops.insert(*id, LoopFrame { leave: done, again: done, result: dest });
                self.result(value, dest)?;
                self.sema.jump(done, span)?;
                self.arrive(done);
                Ok(())
            }
            Kind::Loop(id, body) => {
                let (head, done) = (self.sema.point(span)?, self.sema.point(span)?);
                self.loops.insert(*id, LoopFrame { leave: done, again: head, result: dest });
                self.sema.jump(head, span)?;
                self.sema.go_on(head);
                self.effect(body)?;
                self.sema.jump(head, span)?;
                self.arrive(done);
                Ok(())
            }
            Kind::While(id, cond, body) => {
                let (head, inside, done) =
                    (self.sema.point(span)?, self.sema.point(span)?, self.sema.point(span)?);
                self.loops.insert(*id, LoopFrame { leave: done, again: head, result: None });
                self.sema.jump(head, span)?;
                self.sema.go_on(head);
                self.cond(cond, inside, done)?;
                self.sema.go_on(inside);
                self.effect(body)?;
                self.sema.jump(head, span)?;
                self.arrive(done);
                Ok(())
            }
            Kind::For(parts) => self.for_loop(parts, span),
            _ => Fail::error("this is no loop", span, "here"),
        }
    }

    /// A variable that a loop counts with.
    pub(super) fn counter(&mut self, ty: &Ty, span: Span) -> Lower<PlaceId> {
        let ty = self.c_type(ty, span)?;
        let function = self.sema.current(span)?.function;
        let var = self.sema.add_local("$counter".into(), ty.into(), Storage::Local(function), span);
        Ok(self.sema.program.var_place(var, span))
    }

    /// Upwards, the variable of the loop itself counts where the body can't change it.
    fn for_loop(&mut self, parts: &For, span: Span) -> Lower<()> {
        let For { id, local, mutable, low, high, inclusive, reversed, body } = parts;
        let Ty::Int(int) = low.ty else {
            return Fail::error("a `for` loop runs over integers in a harness", span, "here");
        };
        let first = self.value(low)?;
        let first = self.sema.save(first, low.span)?;
        let last = self.value(high)?;
        let last = self.sema.save(last, high.span)?;
        let own = local.and_then(|local| self.locals[local]);
        let counter = match own {
            Some(var) if !mutable && (!reversed || *inclusive) => self.sema.program.var_place(var, span),
            _ => self.counter(&low.ty, span)?,
        };
        let seen = match own {
            Some(var) => Some(self.sema.program.var_place(var, span)).filter(|seen| {
                self.sema.program.places[*seen].kind != self.sema.program.places[counter].kind
            }),
            None => None,
        };
        let (head, inside, again, done) =
            (self.sema.point(span)?, self.sema.point(span)?, self.sema.point(span)?, self.sema.point(span)?);
        self.loops.insert(*id, LoopFrame { leave: done, again, result: None });
        self.assign(counter, if *reversed { last } else { first }, span)?;
        let empty = |emitter: &mut Self, op| {
            // An empty range is never entered.
            let nonempty = emitter.compare(op, first, last, span);
            let enter = emitter.sema.point(span)?;
            emitter.sema.branch(nonempty, enter, done, span)?;
            emitter.sema.go_on(enter);
            Lower::Ok(())
        };
        if *inclusive {
            empty(self, BinOp::Le)?;
        }
        self.sema.jump(head, span)?;
        self.sema.go_on(head);
        let at = self.sema.program.load(counter, span);
        let one = self.number(1, &low.ty, span)?;
        match (inclusive, reversed) {
            (true, _) => self.sema.jump(inside, span)?,
            (false, false) => {
                let more = self.compare(BinOp::Lt, at, last, span);
                self.sema.branch(more, inside, done, span)?;
            }
            (false, true) => {
                let more = self.compare(BinOp::Gt, at, first, span);
                self.sema.branch(more, inside, done, span)?;
            }
        }
        self.sema.go_on(inside);
        if *reversed && !inclusive {
            let less = self.wrapped(BinOp::Sub, at, one, int, span)?;
            self.assign(counter, less, span)?;
        }
        if let Some(seen) = seen {
            let value = self.sema.program.load(counter, span);
            self.assign(seen, value, span)?;
        }
        self.effect(body)?;
        self.sema.jump(again, span)?;
        self.sema.go_on(again);
        if *inclusive {
            // The end itself counts, and there may be no number behind it.
            let end = if *reversed { first } else { last };
            let at_end = self.compare(BinOp::Eq, at, end, span);
            let onward = self.sema.point(span)?;
            self.sema.branch(at_end, done, onward, span)?;
            self.sema.go_on(onward);
        }
        if *inclusive || !reversed {
            let op = if *reversed { BinOp::Sub } else { BinOp::Add };
            let next = self.wrapped(op, at, one, int, span)?;
            self.assign(counter, next, span)?;
        }
        self.sema.jump(head, span)?;
        self.arrive(done);
        Ok(())
    }

    /// `break` and `continue`.
    pub(super) fn jump(&mut self, expr: &Expr) -> Lower<()> {
        let span = expr.span;
        let (id, value) = match &expr.kind {
            Kind::Break(id, value) => (id, value.as_deref()),
            Kind::Continue(id) => (id, None),
            _ => return Fail::error("this is no jump", span, "here"),
        };
        let Some(frame) = self.loops.get(id) else {
            return Fail::error("this jump leads nowhere", span, "here");
        };
        let (leave, again, result) = (frame.leave, frame.again, frame.result);
        if let Some(value) = value {
            self.result(value, result)?;
        }
        let to = if let Kind::Break(..) = expr.kind { leave } else { again };
        self.sema.jump(to, span)
    }
}
