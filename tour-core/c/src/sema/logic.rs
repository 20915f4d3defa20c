//! Short circuits: conditions, `&&`, `||`, `?:` become branches of the automaton.

use super::expr::{Value, is_logical, with_stack};
use super::graph::Point;
use super::{Fail, Lower, Sema};
use crate::front::{PIECE_PREFIX, Tree};
use lang_c::ast::{
    BinaryOperator, BinaryOperatorExpression, ConditionalExpression, Expression, UnaryOperator,
};
use lang_c::span::Node;
use tour_ir::program::{BinOp, ExprId, ExprKind, Op, Type};
use tour_ir::source::Span;

impl Sema<'_> {
    /// Goes to `yes` if the expression is non-zero and to `no` if it is zero.
    pub(crate) fn condition(&mut self, expr: &Node<Expression>, yes: Point, no: Point) -> Lower<()> {
        with_stack(|| self.condition_of(expr, yes, no))
    }

    fn condition_of(&mut self, expr: &Node<Expression>, yes: Point, no: Point) -> Lower<()> {
        let span = self.span(expr.span);
        match &expr.node {
            _ if self.already(expr).is_some() => self.plain_condition(expr, yes, no, span),
            Expression::BinaryOperator(binary) if is_logical(expr) => {
                self.apart(|sema| sema.logical_condition(binary, yes, no, span))
            }
            Expression::UnaryOperator(unary) if unary.node.operator.node == UnaryOperator::Negate => {
                self.condition(&unary.node.operand, no, yes)
            }
            Expression::Comma(parts) if !parts.is_empty() => self.apart(|sema| {
                for part in &parts[..parts.len() - 1] {
                    sema.effect(part)?;
                }
                sema.condition(&parts[parts.len() - 1], yes, no)
            }),
            Expression::Conditional(c) if !is_same(&c.node.then_expression) => self.apart(|sema| {
                let (then, other) = (sema.point(span)?, sema.point(span)?);
                sema.condition(&c.node.condition, then, other)?;
                sema.go_on(then);
                sema.condition(&c.node.then_expression, yes, no)?;
                sema.go_on(other);
                sema.condition(&c.node.else_expression, yes, no)
            }),
            Expression::Call(call) if self.is_expect(call) && !call.node.arguments.is_empty() => {
                for hint in &call.node.arguments[1..] {
                    self.effect(hint)?;
                }
                self.condition(&call.node.arguments[0], yes, no)
            }
            Expression::Identifier(name) if name.node.name.starts_with(PIECE_PREFIX) => {
                let lowered = self.in_piece(&name.node.name, |sema, tree| match tree {
                    Tree::Expression(inner) => sema.condition(inner, yes, no),
                    Tree::Statement(_) | Tree::External(_) => {
                        Fail::error("a statement stands where a value is needed", span, "here")
                    }
                });
                match lowered {
                    Some(lowered) => lowered,
                    None => self.plain_condition(expr, yes, no, span),
                }
            }
            _ => self.plain_condition(expr, yes, no, span),
        }
    }

    /// `a && b`, `a || b` as a branch.
    fn logical_condition(
        &mut self,
        binary: &Node<BinaryOperatorExpression>,
        yes: Point,
        no: Point,
        span: Span,
    ) -> Lower<()> {
        let middle = self.point(span)?;
        if binary.node.operator.node == BinaryOperator::LogicalAnd {
            self.condition(&binary.node.lhs, middle, no)?;
        } else {
            self.condition(&binary.node.lhs, yes, middle)?;
        }
        self.go_on(middle);
        self.condition(&binary.node.rhs, yes, no)
    }

    fn plain_condition(&mut self, expr: &Node<Expression>, yes: Point, no: Point, span: Span) -> Lower<()> {
        let value = self.rvalue(expr)?;
        self.branch_on(value, yes, no, span)
    }

    /// Goes to `yes` if the value is non-zero and to `no` if it is zero.
    pub(crate) fn branch_on(&mut self, value: ExprId, yes: Point, no: Point, span: Span) -> Lower<()> {
        if !self.program.types.is_scalar(self.ty(value)) {
            return self.bad_operands(&[value], span);
        }
        let (value, truth) = self.bare_condition(value);
        let (yes, no) = if truth { (yes, no) } else { (no, yes) };
        match self.constant_truth(value) {
            Some(true) => self.jump(yes, span),
            Some(false) => self.jump(no, span),
            None => self.branch(value, yes, no, span),
        }
    }

    /// The expression is a constant, and whether it is non-zero.
    pub(crate) fn constant_truth(&self, value: ExprId) -> Option<bool> {
        match self.program.exprs[value].kind {
            ExprKind::Int(bits) => Some(bits != 0),
            ExprKind::Float(number) => Some(number != 0.0),
            ExprKind::FnAddr(_) => Some(true),
            _ => None,
        }
    }

    /// The condition without what does not change whether it is zero (widening casts, `!= 0` of a comparison), and
    /// whether it is that or its opposite.
    fn bare_condition(&self, mut value: ExprId) -> (ExprId, bool) {
        let is_comparison = |e: ExprId| match self.program.exprs[e].kind {
            ExprKind::Binary(op, ..) => op.is_comparison(),
            _ => false,
        };
        let mut truth = true;
        loop {
            value = self.under_widening_casts(value);
            match self.program.exprs[value].kind {
                ExprKind::Binary(op @ (BinOp::Eq | BinOp::Ne), a, b)
                    if self.program.const_value(b) == Some(0) =>
                {
                    let inner = self.under_widening_casts(a);
                    if !is_comparison(inner) {
                        return (value, truth);
                    }
                    value = inner;
                    truth ^= op == BinOp::Eq;
                }
                _ => return (value, truth),
            }
        }
    }

    /// The operand under casts that keep it zero or not: to a type that is at least as wide, or to `_Bool`.
    fn under_widening_casts(&self, mut value: ExprId) -> ExprId {
        let bits = |e| self.program.int_type_of(e).map(|int| int.bits);
        while let ExprKind::Cast(inner) = self.program.exprs[value].kind {
            match (bits(inner), bits(value)) {
                (Some(from), Some(to)) if from <= to || to == 1 => value = inner,
                _ => break,
            }
        }
        value
    }

    /// `a && b`, `a || b` as a value.
    pub(crate) fn logical(
        &mut self,
        binary: &Node<BinaryOperatorExpression>,
        used: bool,
        span: Span,
    ) -> Lower<Value> {
        let is_and = binary.node.operator.node == BinaryOperator::LogicalAnd;
        if self.current.is_some() && used {
            let condition = |sema: &mut Self, yes, no| sema.logical_condition(binary, yes, no, span);
            return self.truth_value(condition, true, span);
        }
        if self.current.is_some() {
            // Only whether the right side is evaluated matters.
            let (rhs, join) = (self.point(span)?, self.point(span)?);
            let (yes, no) = if is_and { (rhs, join) } else { (join, rhs) };
            self.condition(&binary.node.lhs, yes, no)?;
            self.go_on(rhs);
            self.effect(&binary.node.rhs)?;
            self.jump(join, span)?;
            self.go_on(join);
            return Ok(Value::Void);
        }
        // Without edges, only what constants decide.
        let lhs = self.rvalue(&binary.node.lhs)?;
        match self.constant_truth(lhs) {
            Some(lhs) if lhs != is_and => Ok(Value::Rvalue(self.int(i128::from(lhs), span))),
            Some(_) => {
                let rhs = self.rvalue(&binary.node.rhs)?;
                self.truth(rhs, span).map(Value::Rvalue)
            }
            None => Fail::error("this is not a constant expression", span, "depends on what is not constant"),
        }
    }

    /// 1 or 0: whether a condition holds (`truth`) or not.
    pub(crate) fn truth_value(
        &mut self,
        condition: impl FnOnce(&mut Self, Point, Point) -> Lower<()>,
        truth: bool,
        span: Span,
    ) -> Lower<Value> {
        let (yes, no, join) = (self.point(span)?, self.point(span)?, self.point(span)?);
        condition(self, yes, no)?;
        let int = self.int_ty();
        let temp = self.temp(int, span)?;
        let place = self.program.var_place(temp, span);
        for (point, value) in [(yes, truth), (no, !truth)] {
            self.go_on(point);
            let value = self.int(i128::from(value), span);
            self.emit_to(Op::Assign(place, value), join, span)?;
        }
        self.go_on(join);
        Ok(Value::Rvalue(self.program.load(place, span)))
    }

    /// `c ? a : b`
    pub(crate) fn conditional(&mut self, c: &ConditionalExpression, used: bool, span: Span) -> Lower<Value> {
        if self.current.is_none() {
            return self.constant_conditional(c, span);
        }
        let (then, other, join) = (self.point(span)?, self.point(span)?, self.point(span)?);
        let since = self.current(span)?.graph.edge_count();
        let same = is_same(&c.then_expression);
        if same {
            // `a ?: b`: the value of the condition is the result.
            let value = self.rvalue(&c.condition)?;
            let value = self.fix(value, span)?;
            self.branch_on(value, then, other, span)?;
            self.current(span)?.same.push(value);
        } else {
            self.condition(&c.condition, then, other)?;
        }
        let graph = &self.current(span)?.graph;
        let decided = match [then, other].map(|point| graph.is_target(point, since)) {
            [true, false] => Some(true),
            [false, true] => Some(false),
            [true, true] | [false, false] => None,
        };
        // Both sides first, for only then is the type of the result known; then each side goes on from its end.
        self.go_on(then);
        let a = self.branch_value(&c.then_expression, used);
        if same {
            self.current(span)?.same.pop();
        }
        let a = a?;
        let then_end = self.current(span)?.at;
        self.go_on(other);
        let b = self.branch_value(&c.else_expression, used)?;
        let other_end = self.current(span)?.at;
        let (a, b) = match (a, b) {
            (Some(a), Some(b)) => (a, b),
            _ => {
                for end in [then_end, other_end] {
                    self.current(span)?.at = end;
                    self.jump(join, span)?;
                }
                self.go_on(join);
                return Ok(Value::Void);
            }
        };
        // Conversions made to find the common type may save deep operands: they belong to the first side's end, and
        // are made again on each.
        self.current(span)?.at = None;
        let ty = self.common_type(a, b, span)?;
        if let Some(truth) = decided {
            // A constant chose: there is only one value.
            let (end, value) = if truth { (then_end, a) } else { (other_end, b) };
            self.current(span)?.at = end;
            let value = self.whole(value, span);
            return self.coerce(value, ty, span).map(Value::Rvalue);
        }
        let temp = self.temp(ty, span)?;
        let place = self.program.var_place(temp, span);
        for (end, value) in [(then_end, a), (other_end, b)] {
            self.current(span)?.at = end;
            let value = self.whole(value, span);
            let value = self.coerce(value, ty, span)?;
            self.emit_to(Op::Assign(place, value), join, span)?;
        }
        self.go_on(join);
        Ok(Value::Rvalue(self.program.load(place, span)))
    }

    /// One side of `?:`; `None` if it has no value or none is needed.
    fn branch_value(&mut self, expr: &Node<Expression>, used: bool) -> Lower<Option<ExprId>> {
        if !used {
            return self.effect(expr).map(|()| None);
        }
        let value = self.value(expr, used)?;
        let span = self.span(expr.span);
        match value {
            Value::Void => Ok(None),
            Value::Place(place)
                if matches!(self.program.types[self.program.places[place].ty], Type::Void) =>
            {
                Ok(None)
            }
            value => self.use_value(value, span).map(Some),
        }
    }

    /// `c ? a : b` where there can be no edges.
    fn constant_conditional(&mut self, c: &ConditionalExpression, span: Span) -> Lower<Value> {
        let condition = self.rvalue(&c.condition)?;
        let Some(truth) = self.constant_truth(condition) else {
            return Fail::error("this is not a constant expression", span, "depends on what is not constant");
        };
        if is_same(&c.then_expression) && truth {
            return Ok(Value::Rvalue(condition));
        }
        let (chosen, other) = match truth {
            true => (&c.then_expression, &c.else_expression),
            false => (&c.else_expression, &c.then_expression),
        };
        let chosen = self.rvalue(chosen)?;
        // The other side only matters for the type, and need not be constant for that.
        let Ok(other) = self.rvalue(other) else { return Ok(Value::Rvalue(chosen)) };
        let ty = if truth {
            self.common_type(chosen, other, span)?
        } else {
            self.common_type(other, chosen, span)?
        };
        self.coerce(chosen, ty, span).map(Value::Rvalue)
    }
}

fn is_same(expr: &Node<Expression>) -> bool {
    matches!(&expr.node, Expression::Identifier(name) if name.node.name == "__tour_same")
}
