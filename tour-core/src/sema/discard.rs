//! Values that nobody uses: `*p;` still reads, and `a / b;` still divides.
//!
//! What an expression is lowered to has no edge of its own, so that of a discarded one nothing would be left, and no
//! check either. Where evaluating it could go wrong, its value is saved into a temporary.

use super::expr::Value;
use super::{Lower, Sema};
use crate::front::{PIECE_PREFIX, Tree};
use crate::program::{BinOp, ExprId, ExprKind, PlaceKind, Type};
use crate::source::Span;
use lang_c::ast::{BinaryOperator, Expression, UnaryOperator};
use lang_c::span::Node;

impl Sema<'_> {
    /// Lowers an expression for its side effects alone.
    pub fn effect(&mut self, expr: &Node<Expression>) -> Lower<()> {
        if let Expression::Identifier(name) = &expr.node
            && name.node.name.starts_with(PIECE_PREFIX)
            && let Some(lowered) = self.in_piece(&name.node.name, |sema, tree| match tree {
                Tree::Expression(inner) => Some(sema.effect(inner)),
                Tree::Statement(_) | Tree::External(_) => None,
            })
            && let Some(lowered) = lowered
        {
            return lowered;
        }
        let value = self.value(expr, false)?;
        if self.current.is_some() && is_computed(&expr.node) {
            self.discard(value, self.span(expr.span))?;
        }
        Ok(())
    }

    fn discard(&mut self, value: Value, span: Span) -> Lower<()> {
        let value = match value {
            Value::Rvalue(value) => value,
            Value::Place(place) => match self.program.types[self.program.places[place].ty] {
                // There is no value, or only an address.
                Type::Void | Type::Array(..) | Type::Function(_) => return Ok(()),
                _ => self.load(place, span)?,
            },
            Value::Function(_) | Value::Void => return Ok(()),
        };
        if self.may_fail(value) { self.save(value, span).map(drop) } else { Ok(()) }
    }

    /// To evaluate it may violate something. That a variable is named is no use of its value: `(void)unused` is common.
    fn may_fail(&self, value: ExprId) -> bool {
        match self.program.exprs[value].kind {
            ExprKind::Int(_) | ExprKind::Float(_) | ExprKind::Zeroed | ExprKind::FnAddr(_) => false,
            ExprKind::Load(place) | ExprKind::AddrOf(place) => {
                !matches!(self.program.places[place].kind, PlaceKind::Var(_))
            }
            ExprKind::Unary(..) | ExprKind::Fact(..) => true,
            ExprKind::Binary(op, a, b) => {
                let safe = op.is_comparison() || matches!(op, BinOp::And | BinOp::Or | BinOp::Xor);
                !safe || self.may_fail(a) || self.may_fail(b)
            }
            ExprKind::Cast(inner) => self.may_fail(inner),
        }
    }
}

/// The expression computes a value; others store one, name one, or pass on that of a part which sees to it itself.
fn is_computed(expr: &Expression) -> bool {
    match expr {
        Expression::Member(_) => true,
        Expression::UnaryOperator(unary) => matches!(
            unary.node.operator.node,
            UnaryOperator::Indirection
                | UnaryOperator::Plus
                | UnaryOperator::Minus
                | UnaryOperator::Complement
                | UnaryOperator::Negate
        ),
        Expression::BinaryOperator(binary) => matches!(
            binary.node.operator.node,
            BinaryOperator::Index
                | BinaryOperator::Multiply
                | BinaryOperator::Divide
                | BinaryOperator::Modulo
                | BinaryOperator::Plus
                | BinaryOperator::Minus
                | BinaryOperator::ShiftLeft
                | BinaryOperator::ShiftRight
                | BinaryOperator::Less
                | BinaryOperator::Greater
                | BinaryOperator::LessOrEqual
                | BinaryOperator::GreaterOrEqual
                | BinaryOperator::Equals
                | BinaryOperator::NotEquals
                | BinaryOperator::BitwiseAnd
                | BinaryOperator::BitwiseXor
                | BinaryOperator::BitwiseOr
        ),
        _ => false,
    }
}
