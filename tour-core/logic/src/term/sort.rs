//! Sorts.

use std::fmt;

/// Bit-vectors are at most this wide.
pub const MAX_BITS: u32 = 128;

/// The sort of a term.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Sort {
    /// Truth values.
    Bool,
    /// Mathematical integers.
    Int,
    /// Bit-vectors of this width, 1 to 128.
    BitVec(u32),
    /// IEEE floating-point numbers.
    Float(FloatSort),
    /// Arrays indexed by bit-vectors.
    Array {
        /// Width of the index.
        index: u32,
        /// Sort of the elements.
        elem: Elem,
    },
}

/// Floating-point formats.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum FloatSort {
    /// `float`: 8 bits of exponent, 24 of significand.
    F32,
    /// `double`: 11 bits of exponent, 53 of significand.
    F64,
}

impl FloatSort {
    /// Bits of the exponent and of the significand (with the hidden bit).
    pub fn format(self) -> (u32, u32) {
        match self {
            FloatSort::F32 => (8, 24),
            FloatSort::F64 => (11, 53),
        }
    }

    /// Bits in memory.
    pub fn bits(self) -> u32 {
        let (exponent, significand) = self.format();
        exponent + significand
    }
}

/// What an array can hold.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Elem {
    /// Bit-vectors of this width.
    BitVec(u32),
    /// Floating-point numbers.
    Float(FloatSort),
}

impl Elem {
    /// As a sort.
    pub fn sort(self) -> Sort {
        match self {
            Elem::BitVec(bits) => Sort::BitVec(bits),
            Elem::Float(format) => Sort::Float(format),
        }
    }
}

impl Sort {
    /// As the sort of an array's elements.
    pub fn as_elem(self) -> Option<Elem> {
        match self {
            Sort::BitVec(bits) => Some(Elem::BitVec(bits)),
            Sort::Float(format) => Some(Elem::Float(format)),
            Sort::Bool | Sort::Int | Sort::Array { .. } => None,
        }
    }
}

impl fmt::Display for Sort {
    /// As in SMT-LIB.
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Sort::Bool => f.write_str("Bool"),
            Sort::Int => f.write_str("Int"),
            Sort::BitVec(bits) => write!(f, "(_ BitVec {bits})"),
            Sort::Float(format) => {
                let (exponent, significand) = format.format();
                write!(f, "(_ FloatingPoint {exponent} {significand})")
            }
            Sort::Array { index, elem } => write!(f, "(Array (_ BitVec {index}) {})", elem.sort()),
        }
    }
}
