//! Floating-point operators.

use super::BinOp;

/// What an operator gives.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum FloatResult {
    /// A number, not yet rounded to the type of the operands.
    Number(f64),
    /// A truth value.
    Truth(bool),
}

/// `a op b`, of numbers of one type with at most the digits of a `double`; `None` if there is no such operator on floating
/// numbers.
///
/// A `double` has more than twice as many digits as a `float`: rounding the result to `float` gives the nearest one.
pub fn float_binary(op: BinOp, a: f64, b: f64) -> Option<FloatResult> {
    Some(match op {
        BinOp::Add => FloatResult::Number(a + b),
        BinOp::Sub => FloatResult::Number(a - b),
        BinOp::Mul => FloatResult::Number(a * b),
        BinOp::Div => FloatResult::Number(a / b),
        BinOp::Eq => FloatResult::Truth(a == b),
        BinOp::Ne => FloatResult::Truth(a != b),
        BinOp::Lt => FloatResult::Truth(a < b),
        BinOp::Le => FloatResult::Truth(a <= b),
        BinOp::Gt => FloatResult::Truth(a > b),
        BinOp::Ge => FloatResult::Truth(a >= b),
        BinOp::Rem
        | BinOp::And
        | BinOp::Or
        | BinOp::Xor
        | BinOp::Shl
        | BinOp::Shr
        | BinOp::PtrAdd
        | BinOp::PtrDiff => return None,
    })
}
