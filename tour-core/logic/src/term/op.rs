//! Operators.

use super::arena::{ConstId, Symbol};
use super::sort::{Elem, FloatSort, Sort};

/// What a node is. The number and sorts of the arguments follow from it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Op {
    /// A variable.
    Var(Symbol),
    /// A constant, see [`super::Terms::value`].
    Const(ConstId),

    /// `!a`
    Not,
    /// `a && b && …`
    And,
    /// `a || b || …`
    Or,
    /// `a == b`, of any one sort. On floats it is identity (NaN equals itself, `0.0` differs from `-0.0`).
    Eq,
    /// `a ? b : c`
    Ite,

    /// `-a`
    BvNeg,
    /// `~a`
    BvNot,
    /// `a + b`
    BvAdd,
    /// `a * b`
    BvMul,
    /// Unsigned `a / b`; all ones for `b == 0`.
    BvUdiv,
    /// Unsigned `a % b`; `a` for `b == 0`.
    BvUrem,
    /// Signed `a / b`, towards zero; 1 or -1 for `b == 0`.
    BvSdiv,
    /// Signed `a % b`, with the sign of `a`; `a` for `b == 0`.
    BvSrem,
    /// `a & b`
    BvAnd,
    /// `a | b`
    BvOr,
    /// `a ^ b`
    BvXor,
    /// `a << b`; 0 if `b` is the width or more.
    BvShl,
    /// `a >> b`, filled with zeros.
    BvLshr,
    /// `a >> b`, filled with the sign.
    BvAshr,
    /// Unsigned `a <= b`
    BvUle,
    /// Signed `a <= b`
    BvSle,
    /// `a` above `b`.
    Concat,
    /// Bits `lo..=hi`.
    Extract {
        /// Highest bit.
        hi: u32,
        /// Lowest bit.
        lo: u32,
    },
    /// This many zeros above.
    ZeroExt(u32),
    /// This many copies of the sign above.
    SignExt(u32),

    /// `a[i]`
    Select,
    /// `a` with `v` at `i`.
    Store,
    /// An array, indexed by bit-vectors of this width, that has the argument everywhere.
    ConstArray(u32),
    /// `a`, with elements from `i` on those of `b` from `j` on: arguments `a`, `b`, `i`, `j`, and how many.
    Splice,

    /// `-a`
    FpNeg,
    /// The square root, to nearest even like all of these.
    FpSqrt,
    /// `a + b`
    FpAdd,
    /// `a - b`
    FpSub,
    /// `a * b`
    FpMul,
    /// `a / b`
    FpDiv,
    /// C's `a == b`
    FpEq,
    /// `a < b`
    FpLt,
    /// `a <= b`
    FpLe,
    /// To another format, to nearest even.
    FpToFp(FloatSort),
    /// From a signed bit-vector, to nearest even.
    FpFromSigned(FloatSort),
    /// From an unsigned bit-vector, to nearest even.
    FpFromUnsigned(FloatSort),
    /// To a signed bit-vector of this width, towards zero; unspecified if the result does not fit.
    FpToSigned(u32),
    /// To an unsigned bit-vector of this width, towards zero; unspecified if the result does not fit.
    FpToUnsigned(u32),
    /// From its bit pattern.
    FpFromBits(FloatSort),

    /// `a + b`
    IntAdd,
    /// `a * b`
    IntMul,
    /// Rounded so that the remainder is not negative; unspecified for `b == 0`.
    IntDiv,
    /// Not negative; unspecified for `b == 0`.
    IntMod,
    /// `a <= b`
    IntLe,
}

impl Op {
    /// The order of its two arguments does not matter.
    pub fn is_commutative(self) -> bool {
        matches!(
            self,
            Op::Eq
                | Op::BvAdd
                | Op::BvMul
                | Op::BvAnd
                | Op::BvOr
                | Op::BvXor
                | Op::FpAdd
                | Op::FpMul
                | Op::FpEq
                | Op::IntAdd
                | Op::IntMul
        )
    }

    /// The sort of a node with arguments of these sorts; `None` for leaves, which know theirs themselves.
    pub(super) fn result(self, args: &[Sort]) -> Option<Sort> {
        let width = |i: usize| match args[i] {
            Sort::BitVec(bits) => bits,
            other => unreachable!("{self:?} of {other}"),
        };
        Some(match self {
            Op::Var(_) | Op::Const(_) => return None,
            Op::Not | Op::And | Op::Or | Op::Eq | Op::BvUle | Op::BvSle | Op::IntLe => Sort::Bool,
            Op::FpEq | Op::FpLt | Op::FpLe => Sort::Bool,
            Op::Ite => args[1],
            Op::BvNeg | Op::BvNot | Op::BvAdd | Op::BvMul | Op::BvUdiv | Op::BvUrem => args[0],
            Op::BvSdiv | Op::BvSrem | Op::BvAnd | Op::BvOr | Op::BvXor => args[0],
            Op::BvShl | Op::BvLshr | Op::BvAshr => args[0],
            Op::Concat => Sort::BitVec(width(0) + width(1)),
            Op::Extract { hi, lo } => Sort::BitVec(hi - lo + 1),
            Op::ZeroExt(by) | Op::SignExt(by) => Sort::BitVec(width(0) + by),
            Op::Select => match args[0] {
                Sort::Array { elem, .. } => elem.sort(),
                other => unreachable!("select of {other}"),
            },
            Op::Store | Op::Splice => args[0],
            Op::ConstArray(index) => {
                let elem = args[0].as_elem().unwrap_or(Elem::BitVec(1));
                Sort::Array { index, elem }
            }
            Op::FpNeg | Op::FpSqrt | Op::FpAdd | Op::FpSub | Op::FpMul | Op::FpDiv => args[0],
            Op::FpToFp(to) | Op::FpFromSigned(to) | Op::FpFromUnsigned(to) | Op::FpFromBits(to) => {
                Sort::Float(to)
            }
            Op::FpToSigned(bits) | Op::FpToUnsigned(bits) => Sort::BitVec(bits),
            Op::IntAdd | Op::IntMul | Op::IntDiv | Op::IntMod => Sort::Int,
        })
    }
}
