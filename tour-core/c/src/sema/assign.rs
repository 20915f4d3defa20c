//! Assignments, compound assignments, `++` and `--`.

use super::expr::Value;
use super::{Lower, Sema};
use lang_c::ast::Expression;
use lang_c::span::Node;
use tour_ir::program::{BinOp, ExprId, PlaceId};
use tour_ir::source::Span;

impl Sema<'_> {
    /// `lhs = rhs`
    pub(crate) fn assign(
        &mut self,
        lhs: &Node<Expression>,
        rhs: &Node<Expression>,
        used: bool,
        span: Span,
    ) -> Lower<Value> {
        let place = self.place(lhs)?;
        self.assign_to(place, rhs, used, span)
    }

    /// `place = rhs`
    pub(crate) fn assign_to(
        &mut self,
        place: PlaceId,
        rhs: &Node<Expression>,
        used: bool,
        span: Span,
    ) -> Lower<Value> {
        if let Expression::Call(call) = &rhs.node
            && self.already(rhs).is_none()
            && self.is_fixed(place)
            && self.program.bit_field(place).is_none()
            && !(used && self.is_shared_place(place))
        {
            // The result of a call goes straight where it belongs.
            let value = self.call_into(call, place)?;
            return match value {
                None => self.stored(place, used, span),
                Some(value) => {
                    let value = self.use_value(value, span)?;
                    self.assign_value(place, value, used, span)
                }
            };
        }
        let mark = self.mark();
        let value = self.rvalue(rhs)?;
        let place = self.keep_place(place, mark, span)?;
        self.assign_value(place, value, used, span)
    }

    /// `place = value`, and what that gives.
    fn assign_value(&mut self, place: PlaceId, value: ExprId, used: bool, span: Span) -> Lower<Value> {
        let ty = self.program.places[place].ty;
        let value = self.coerce(value, ty, span)?;
        if !used {
            self.store(place, value, span)?;
            return Ok(Value::Void);
        }
        if self.program.bit_field(place).is_some() {
            // Only the bits that fit are the result: it is read back.
            let place = self.fix_place(place, span)?;
            self.store(place, value, span)?;
            return self.load(place, span).map(Value::Rvalue);
        }
        if !self.reads_memory(value) {
            self.store(place, value, span)?;
            return Ok(Value::Rvalue(value));
        }
        if self.is_fixed(place) && !self.is_shared_place(place) {
            self.store(place, value, span)?;
            return self.stored(place, used, span);
        }
        let value = self.save(value, span)?;
        self.store(place, value, span)?;
        Ok(Value::Rvalue(value))
    }

    /// What was just stored in a place.
    fn stored(&mut self, place: PlaceId, used: bool, span: Span) -> Lower<Value> {
        if used { self.load(place, span).map(Value::Rvalue) } else { Ok(Value::Void) }
    }

    /// `lhs op= rhs`
    pub(crate) fn assign_op(
        &mut self,
        op: BinOp,
        lhs: &Node<Expression>,
        rhs: &Node<Expression>,
        used: bool,
        span: Span,
    ) -> Lower<Value> {
        let place = self.place(lhs)?;
        if self.place_quals(place).atomic {
            let place = self.fix_place(place, span)?;
            let value = self.rvalue(rhs)?;
            let value = self.fix(value, span)?;
            let (_, new) = self.update_atomically(op, place, value, span)?;
            return Ok(if used { Value::Rvalue(new) } else { Value::Void });
        }
        let place = self.steady_place(place, span)?;
        let old = match self.already(lhs) {
            Some(value) => self.use_value(value, span)?,
            None => self.load(place, span)?,
        };
        let mark = self.mark();
        let value = self.rvalue(rhs)?;
        let old = self.keep(old, mark, span)?;
        let place = self.keep_place(place, mark, span)?;
        let value = self.binary(op, old, value, span)?;
        self.assign_value(place, value, used, span)
    }

    /// `x++`, `--x` and so on.
    pub(crate) fn step_by_one(
        &mut self,
        operand: &Node<Expression>,
        op: BinOp,
        postfix: bool,
        used: bool,
        span: Span,
    ) -> Lower<Value> {
        let place = self.place(operand)?;
        let one = self.int(1, span);
        if self.place_quals(place).atomic {
            let place = self.fix_place(place, span)?;
            let (old, new) = self.update_atomically(op, place, one, span)?;
            return Ok(match used {
                true => Value::Rvalue(if postfix { old } else { new }),
                false => Value::Void,
            });
        }
        let place = self.steady_place(place, span)?;
        let old = self.load(place, span)?;
        if !(postfix && used) {
            let value = self.binary(op, old, one, span)?;
            return self.assign_value(place, value, used, span);
        }
        let old = self.save(old, span)?;
        let value = self.binary(op, old, one, span)?;
        self.assign_value(place, value, false, span)?;
        Ok(Value::Rvalue(old))
    }
}
