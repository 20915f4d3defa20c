//! The operators of the syntax, as what they compute.

use lang_c::ast::BinaryOperator;
use tour_ir::program::BinOp;

/// What a binary operator computes, and whether it assigns that to its left operand; `None` if it is no arithmetic.
pub(crate) fn operator_of(operator: &BinaryOperator) -> Option<(BinOp, bool)> {
    Some(match operator {
        BinaryOperator::Multiply => (BinOp::Mul, false),
        BinaryOperator::Divide => (BinOp::Div, false),
        BinaryOperator::Modulo => (BinOp::Rem, false),
        BinaryOperator::Plus => (BinOp::Add, false),
        BinaryOperator::Minus => (BinOp::Sub, false),
        BinaryOperator::ShiftLeft => (BinOp::Shl, false),
        BinaryOperator::ShiftRight => (BinOp::Shr, false),
        BinaryOperator::Less => (BinOp::Lt, false),
        BinaryOperator::Greater => (BinOp::Gt, false),
        BinaryOperator::LessOrEqual => (BinOp::Le, false),
        BinaryOperator::GreaterOrEqual => (BinOp::Ge, false),
        BinaryOperator::Equals => (BinOp::Eq, false),
        BinaryOperator::NotEquals => (BinOp::Ne, false),
        BinaryOperator::BitwiseAnd => (BinOp::And, false),
        BinaryOperator::BitwiseXor => (BinOp::Xor, false),
        BinaryOperator::BitwiseOr => (BinOp::Or, false),
        BinaryOperator::AssignMultiply => (BinOp::Mul, true),
        BinaryOperator::AssignDivide => (BinOp::Div, true),
        BinaryOperator::AssignModulo => (BinOp::Rem, true),
        BinaryOperator::AssignPlus => (BinOp::Add, true),
        BinaryOperator::AssignMinus => (BinOp::Sub, true),
        BinaryOperator::AssignShiftLeft => (BinOp::Shl, true),
        BinaryOperator::AssignShiftRight => (BinOp::Shr, true),
        BinaryOperator::AssignBitwiseAnd => (BinOp::And, true),
        BinaryOperator::AssignBitwiseXor => (BinOp::Xor, true),
        BinaryOperator::AssignBitwiseOr => (BinOp::Or, true),
        BinaryOperator::Index
        | BinaryOperator::LogicalAnd
        | BinaryOperator::LogicalOr
        | BinaryOperator::Assign => return None,
    })
}

/// `+=` and the like.
pub(crate) fn is_compound_assignment(operator: &BinaryOperator) -> bool {
    matches!(operator_of(operator), Some((_, true)))
}

/// The operator writes to its left operand.
pub(crate) fn assigns(operator: &BinaryOperator) -> bool {
    *operator == BinaryOperator::Assign || is_compound_assignment(operator)
}
