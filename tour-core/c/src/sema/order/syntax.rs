//! What the form of an expression says of its order.

use super::super::operator::assigns;
use crate::front::{ParsedUnit, Tree};
use lang_c::ast::{Expression, UnaryOperator};
use lang_c::span::Node;

/// The expression has parts whose order could matter: more than one does something.
pub(super) fn is_worth_it(unit: &ParsedUnit, exprs: &[&Node<Expression>]) -> bool {
    let mut effects = 0;
    let mut todo: Vec<&Node<Expression>> = exprs.to_vec();
    while let Some(expr) = todo.pop() {
        match &expr.node {
            Expression::Identifier(name) => {
                if let Some(piece) = unit.piece_named(&name.node.name)
                    && let Tree::Expression(inner) = &unit.pieces[piece].tree
                {
                    todo.push(inner);
                }
            }
            Expression::Member(member) => todo.push(&member.node.expression),
            Expression::Call(call) => {
                effects += 1;
                todo.push(&call.node.callee);
                todo.extend(&call.node.arguments);
            }
            Expression::UnaryOperator(unary) => {
                effects += usize::from(matches!(
                    unary.node.operator.node,
                    UnaryOperator::PostIncrement
                        | UnaryOperator::PostDecrement
                        | UnaryOperator::PreIncrement
                        | UnaryOperator::PreDecrement
                ));
                todo.push(&unary.node.operand);
            }
            Expression::Cast(cast) => todo.push(&cast.node.expression),
            Expression::BinaryOperator(binary) => {
                let operator = &binary.node.operator.node;
                effects += usize::from(assigns(operator));
                todo.extend([&*binary.node.lhs, &*binary.node.rhs]);
            }
            Expression::Conditional(c) => {
                todo.extend([&*c.node.condition, &*c.node.then_expression, &*c.node.else_expression]);
            }
            Expression::Comma(parts) => todo.extend(parts.iter()),
            Expression::VaArg(_) | Expression::Statement(_) | Expression::CompoundLiteral(_) => effects += 2,
            Expression::GenericSelection(_) => effects += 2,
            Expression::Constant(_)
            | Expression::StringLiteral(_)
            | Expression::SizeOfTy(_)
            | Expression::SizeOfVal(_)
            | Expression::AlignOf(_)
            | Expression::OffsetOf(_) => {}
        }
    }
    // One alone comes after its operands, unless it is an operand itself.
    match exprs {
        [expr] => effects > 1 || effects == 1 && !does_something(expr),
        _ => effects > 0,
    }
}

/// The outermost operator does something.
pub(super) fn does_something(expr: &Node<Expression>) -> bool {
    match &expr.node {
        Expression::Call(_) => true,
        Expression::UnaryOperator(unary) => matches!(
            unary.node.operator.node,
            UnaryOperator::PostIncrement
                | UnaryOperator::PostDecrement
                | UnaryOperator::PreIncrement
                | UnaryOperator::PreDecrement
        ),
        Expression::BinaryOperator(binary) => {
            let operator = &binary.node.operator.node;
            assigns(operator)
        }
        _ => false,
    }
}

/// The place that an event accesses.
pub(super) fn accessed(expr: &Node<Expression>) -> &Node<Expression> {
    match &expr.node {
        Expression::UnaryOperator(unary) if does_something(expr) => &unary.node.operand,
        Expression::BinaryOperator(binary) if does_something(expr) => &binary.node.lhs,
        Expression::VaArg(arg) => &arg.node.va_list,
        _ => expr,
    }
}

pub(super) fn key(expr: &Node<Expression>) -> usize {
    std::ptr::from_ref(expr) as usize
}

/// The expression has statements in it, which cannot be lowered twice.
pub(super) fn has_statements(unit: &ParsedUnit, expr: &Node<Expression>) -> bool {
    let text = |expr: &Expression| matches!(expr, Expression::Statement(_));
    let mut todo = vec![expr];
    while let Some(expr) = todo.pop() {
        if text(&expr.node) {
            return true;
        }
        match &expr.node {
            Expression::Identifier(name) => {
                if let Some(piece) = unit.piece_named(&name.node.name) {
                    match &unit.pieces[piece].tree {
                        Tree::Expression(inner) => todo.push(inner),
                        Tree::Statement(_) | Tree::External(_) => return true,
                    }
                }
            }
            Expression::Member(member) => todo.push(&member.node.expression),
            Expression::Call(call) => {
                todo.push(&call.node.callee);
                todo.extend(&call.node.arguments);
            }
            Expression::UnaryOperator(unary) => todo.push(&unary.node.operand),
            Expression::Cast(cast) => todo.push(&cast.node.expression),
            Expression::BinaryOperator(binary) => todo.extend([&*binary.node.lhs, &*binary.node.rhs]),
            Expression::Conditional(c) => {
                todo.extend([&*c.node.condition, &*c.node.then_expression, &*c.node.else_expression]);
            }
            Expression::Comma(parts) => todo.extend(parts.iter()),
            // Their objects would be others each time.
            Expression::CompoundLiteral(_) | Expression::GenericSelection(_) => return true,
            _ => {}
        }
    }
    false
}
