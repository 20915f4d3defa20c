//! The simplifying constructors.
//!
//! Each looks only at its arguments and, at most, at theirs: construction stays cheap however large the terms are.

mod array;
mod bool;
mod bv;
mod bv_cmp;
mod float;
mod int;

use super::arena::{TermId, Terms};
use super::eval::apply;
use super::op::Op;
use super::value::Value;

impl Terms {
    /// The simplified term for an operator with the given arguments (sorts must fit). A leaf is itself.
    pub fn build(&mut self, op: Op, args: &[TermId]) -> TermId {
        match op {
            Op::Var(symbol) => self.symbol(symbol),
            Op::Const(id) => self.constant_of(id),
            Op::Not => self.not(args[0]),
            Op::And => self.and(args),
            Op::Or => self.or(args),
            Op::Eq => self.eq(args[0], args[1]),
            Op::Ite => self.ite(args[0], args[1], args[2]),
            Op::BvNeg => self.bv_neg(args[0]),
            Op::BvNot => self.bv_not(args[0]),
            Op::BvAdd => self.bv_add(args[0], args[1]),
            Op::BvMul => self.bv_mul(args[0], args[1]),
            Op::BvUdiv => self.bv_udiv(args[0], args[1]),
            Op::BvUrem => self.bv_urem(args[0], args[1]),
            Op::BvSdiv => self.bv_sdiv(args[0], args[1]),
            Op::BvSrem => self.bv_srem(args[0], args[1]),
            Op::BvAnd => self.bv_and(args[0], args[1]),
            Op::BvOr => self.bv_or(args[0], args[1]),
            Op::BvXor => self.bv_xor(args[0], args[1]),
            Op::BvShl => self.bv_shl(args[0], args[1]),
            Op::BvLshr => self.bv_lshr(args[0], args[1]),
            Op::BvAshr => self.bv_ashr(args[0], args[1]),
            Op::BvUle => self.bv_ule(args[0], args[1]),
            Op::BvSle => self.bv_sle(args[0], args[1]),
            Op::Concat => self.concat(args[0], args[1]),
            Op::Extract { hi, lo } => self.extract(args[0], hi, lo),
            Op::ZeroExt(by) => self.zero_ext(args[0], by),
            Op::SignExt(by) => self.sign_ext(args[0], by),
            Op::Select => self.select(args[0], args[1]),
            Op::Store => self.store(args[0], args[1], args[2]),
            Op::ConstArray(index) => self.const_array(index, args[0]),
            Op::Splice => self.splice(args[0], args[1], args[2], args[3], args[4]),
            Op::FpNeg | Op::FpSqrt | Op::FpAdd | Op::FpSub | Op::FpMul | Op::FpDiv => self.float_op(op, args),
            Op::FpEq | Op::FpLt | Op::FpLe => self.float_op(op, args),
            Op::FpToFp(_) | Op::FpFromSigned(_) | Op::FpFromUnsigned(_) => self.float_op(op, args),
            Op::FpToSigned(_) | Op::FpToUnsigned(_) | Op::FpFromBits(_) => self.float_op(op, args),
            Op::IntAdd => self.int_add(args[0], args[1]),
            Op::IntMul => self.int_mul(args[0], args[1]),
            Op::IntDiv => self.int_div(args[0], args[1]),
            Op::IntMod => self.int_mod(args[0], args[1]),
            Op::IntLe => self.int_le(args[0], args[1]),
        }
    }

    /// The value of an operator on constants, if all arguments are constants and the result is specified.
    fn fold(&mut self, op: Op, args: &[TermId]) -> Option<TermId> {
        let values: smallvec::SmallVec<[Value; 2]> =
            args.iter().map(|&a| self.value(a).cloned()).collect::<Option<_>>()?;
        let value = apply(op, &values)?;
        Some(self.constant(value))
    }

    /// For `ite(c, constant, constant)`: applies `f` to both branches. Comparisons in C give such terms.
    fn through_ite(
        &mut self,
        term: TermId,
        mut f: impl FnMut(&mut Terms, TermId) -> TermId,
    ) -> Option<TermId> {
        if self.op(term) != Op::Ite {
            return None;
        }
        let &[cond, yes, no] = self.args(term) else { unreachable!("ite has three arguments") };
        if self.value(yes).is_none() || self.value(no).is_none() {
            return None;
        }
        let (yes, no) = (f(self, yes), f(self, no));
        Some(self.ite(cond, yes, no))
    }

    /// The arguments of a commutative operator in canonical order: constants last, otherwise ascending.
    fn ordered(&self, a: TermId, b: TermId) -> (TermId, TermId) {
        let key = |t: TermId| (self.value(t).is_some(), t);
        if key(b) < key(a) { (b, a) } else { (a, b) }
    }
}

#[cfg(test)]
mod tests;
