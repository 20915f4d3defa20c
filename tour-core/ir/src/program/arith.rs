//! Machine integers: the one place that knows how C arithmetic on bits works.
//!
//! A value of an integer type is its bit pattern, zero-extended in a `u128`.

use super::BinOp;

/// Width and sign.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct IntType {
    /// 1 to 128.
    pub bits: u32,
    /// Two's complement.
    pub signed: bool,
}

impl IntType {
    /// An unsigned type.
    pub fn unsigned(bits: u32) -> IntType {
        IntType { bits, signed: false }
    }

    /// A signed type.
    pub fn signed(bits: u32) -> IntType {
        IntType { bits, signed: true }
    }

    /// All ones.
    pub fn mask(self) -> u128 {
        if self.bits >= 128 { u128::MAX } else { (1 << self.bits) - 1 }
    }

    /// The low bits: conversion to this type. (`_Bool` is converted by comparing with zero, not by this.)
    pub fn wrap(self, value: u128) -> u128 {
        value & self.mask()
    }

    /// The bit pattern read as a number of this type. Values of an unsigned 128-bit type above `i128::MAX` come out
    /// negative.
    pub fn to_i128(self, bits: u128) -> i128 {
        let bits = self.wrap(bits);
        if self.signed && self.bits < 128 && bits >> (self.bits - 1) & 1 == 1 {
            (bits | !self.mask()) as i128
        } else {
            bits as i128
        }
    }

    /// Sign- or zero-extended to 128 bits.
    pub fn extend(self, bits: u128) -> u128 {
        self.to_i128(bits) as u128
    }

    /// The bit pattern of the smallest value.
    pub fn min(self) -> u128 {
        if self.signed { 1 << (self.bits - 1) } else { 0 }
    }

    /// The bit pattern of the largest value.
    pub fn max(self) -> u128 {
        if self.signed { self.mask() >> 1 } else { self.mask() }
    }

    /// Converts a bit pattern of this type to type `to` (C 6.3.1.3; to `_Bool` by comparing with zero).
    pub fn convert(self, bits: u128, to: IntType) -> u128 {
        if to.bits == 1 && !to.signed { u128::from(self.wrap(bits) != 0) } else { to.wrap(self.extend(bits)) }
    }

    /// `-a`, wrapping.
    pub fn neg(self, a: u128) -> u128 {
        self.wrap(a.wrapping_neg())
    }

    /// `~a`
    pub fn not(self, a: u128) -> u128 {
        self.wrap(!a)
    }

    /// `a < b` in this type.
    pub fn less(self, a: u128, b: u128) -> bool {
        if self.signed { self.to_i128(a) < self.to_i128(b) } else { self.wrap(a) < self.wrap(b) }
    }

    /// Whether the exact result of `a op b` does not fit this type, if it is signed. For a left shift, `b` is the count,
    /// and a negative `a` does not fit either.
    pub fn overflows(self, op: BinOp, a: u128, b: u128) -> bool {
        if !self.signed {
            return false;
        }
        let (x, y) = (self.to_i128(a), self.to_i128(b));
        let exact = match op {
            BinOp::Add => x.checked_add(y),
            BinOp::Sub => x.checked_sub(y),
            BinOp::Mul => x.checked_mul(y),
            BinOp::Div | BinOp::Rem => return y == -1 && self.wrap(a) == self.min(),
            BinOp::Shl => {
                let room =
                    u32::try_from(b).ok().filter(|count| *count < self.bits).map(|count| self.max() >> count);
                return x < 0 || room.is_none_or(|room| self.wrap(a) > room);
            }
            _ => return false,
        };
        exact.is_none_or(|exact| self.to_i128(self.wrap(exact as u128)) != exact)
    }

    /// `a op b`, wrapping, where both have this type (for shifts, `b` is the count as a non-negative number, and a
    /// count of `bits` or more shifts everything out). Comparisons give 0 or 1. `None`: division by zero, or an
    /// operator on pointers.
    pub fn binary(self, op: BinOp, a: u128, b: u128) -> Option<u128> {
        let bool = |b: bool| Some(u128::from(b));
        match op {
            BinOp::Add => Some(self.wrap(a.wrapping_add(b))),
            BinOp::Sub => Some(self.wrap(a.wrapping_sub(b))),
            BinOp::Mul => Some(self.wrap(a.wrapping_mul(b))),
            BinOp::Div | BinOp::Rem if self.wrap(b) == 0 => None,
            BinOp::Div if self.signed => {
                Some(self.wrap(self.to_i128(a).wrapping_div(self.to_i128(b)) as u128))
            }
            BinOp::Div => Some(self.wrap(a) / self.wrap(b)),
            BinOp::Rem if self.signed => {
                Some(self.wrap(self.to_i128(a).wrapping_rem(self.to_i128(b)) as u128))
            }
            BinOp::Rem => Some(self.wrap(a) % self.wrap(b)),
            BinOp::And => Some(a & b),
            BinOp::Or => Some(a | b),
            BinOp::Xor => Some(a ^ b),
            BinOp::Shl if b >= u128::from(self.bits) => Some(0),
            BinOp::Shl => Some(self.wrap(a << b)),
            BinOp::Shr if self.signed => {
                Some(self.wrap((self.to_i128(a) >> b.min(u128::from(self.bits - 1))) as u128))
            }
            BinOp::Shr if b >= u128::from(self.bits) => Some(0),
            BinOp::Shr => Some(self.wrap(a) >> b),
            BinOp::Eq => bool(self.wrap(a) == self.wrap(b)),
            BinOp::Ne => bool(self.wrap(a) != self.wrap(b)),
            BinOp::Lt => bool(self.less(a, b)),
            BinOp::Le => bool(!self.less(b, a)),
            BinOp::Gt => bool(self.less(b, a)),
            BinOp::Ge => bool(!self.less(a, b)),
            BinOp::PtrAdd | BinOp::PtrDiff => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const I8: IntType = IntType { bits: 8, signed: true };
    const U8: IntType = IntType { bits: 8, signed: false };
    const BOOL: IntType = IntType { bits: 1, signed: false };

    #[test]
    fn arithmetic_wraps_and_knows_its_sign() {
        let check = |ty: IntType, op, a: i128, b: i128, want: Option<i128>| {
            let got = ty.binary(op, ty.wrap(a as u128), ty.wrap(b as u128)).map(|v| ty.to_i128(v));
            assert_eq!(got, want, "{a} {op:?} {b} in {ty:?}");
        };
        check(I8, BinOp::Add, 127, 1, Some(-128));
        check(U8, BinOp::Add, 255, 1, Some(0));
        check(I8, BinOp::Div, -128, -1, Some(-128));
        check(I8, BinOp::Div, -7, 2, Some(-3));
        check(I8, BinOp::Rem, -7, 2, Some(-1));
        check(I8, BinOp::Div, 1, 0, None);
        check(I8, BinOp::Shr, -8, 1, Some(-4));
        check(U8, BinOp::Shr, 0xf8, 1, Some(0x7c));
        check(U8, BinOp::Shl, 1, 8, Some(0));
        check(I8, BinOp::Lt, -1, 0, Some(1));
        check(U8, BinOp::Lt, 255, 0, Some(0));
    }

    #[test]
    fn overflow_is_of_signed_types_alone() {
        let check = |ty: IntType, op, a: i128, b: i128, want: bool| {
            assert_eq!(
                ty.overflows(op, ty.wrap(a as u128), ty.wrap(b as u128)),
                want,
                "{a} {op:?} {b} in {ty:?}"
            );
        };
        check(I8, BinOp::Add, 127, 1, true);
        check(I8, BinOp::Add, 127, -1, false);
        check(U8, BinOp::Add, 255, 1, false);
        check(I8, BinOp::Sub, -128, 1, true);
        check(I8, BinOp::Mul, -128, -1, true);
        check(I8, BinOp::Mul, 64, -2, false);
        check(I8, BinOp::Div, -128, -1, true);
        check(I8, BinOp::Rem, -128, -1, true);
        check(I8, BinOp::Shl, 1, 7, true);
        check(I8, BinOp::Shl, 1, 6, false);
        check(I8, BinOp::Shl, -1, 0, true);
    }

    #[test]
    fn conversion_extends_by_the_source_and_cuts_to_the_target() {
        assert_eq!(I8.convert(0xff, IntType::unsigned(32)), 0xffff_ffff);
        assert_eq!(U8.convert(0xff, IntType::signed(32)), 0xff);
        assert_eq!(IntType::unsigned(32).convert(0x100, BOOL), 1);
        assert_eq!(IntType::unsigned(32).convert(0x100, U8), 0);
    }
}
