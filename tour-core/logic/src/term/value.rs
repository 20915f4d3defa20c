//! Constants.

use super::sort::{FloatSort, Sort};
use imbl::OrdMap;
use std::sync::Arc;
use tour_ir::program::IntType;

/// A bit-vector constant.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Bv {
    /// Width, 1 to 128.
    pub bits: u32,
    /// The bits, zero-extended.
    pub value: u128,
}

impl Bv {
    /// `value`, cut to `bits`.
    pub fn new(bits: u32, value: u128) -> Bv {
        Bv { bits, value: IntType::unsigned(bits).wrap(value) }
    }

    /// Read in two's complement.
    pub fn signed(self) -> i128 {
        IntType::signed(self.bits).to_i128(self.value)
    }

    /// All bits are one.
    pub fn is_ones(self) -> bool {
        self.value == IntType::unsigned(self.bits).mask()
    }
}

/// A floating-point constant, by its bit pattern. All NaNs are one value, as in SMT-LIB.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Float {
    /// Its format.
    pub sort: FloatSort,
    bits: u64,
}

impl Float {
    /// A `float`.
    pub fn f32(value: f32) -> Float {
        let value = if value.is_nan() { f32::NAN } else { value };
        Float { sort: FloatSort::F32, bits: u64::from(value.to_bits()) }
    }

    /// A `double`.
    pub fn f64(value: f64) -> Float {
        let value = if value.is_nan() { f64::NAN } else { value };
        Float { sort: FloatSort::F64, bits: value.to_bits() }
    }

    /// The number of the given format that is nearest to `value`.
    pub fn round(sort: FloatSort, value: f64) -> Float {
        match sort {
            FloatSort::F32 => Float::f32(value as f32),
            FloatSort::F64 => Float::f64(value),
        }
    }

    /// From a bit pattern.
    pub fn from_bits(sort: FloatSort, bits: u64) -> Float {
        match sort {
            FloatSort::F32 => Float::f32(f32::from_bits(bits as u32)),
            FloatSort::F64 => Float::f64(f64::from_bits(bits)),
        }
    }

    /// The bit pattern.
    pub fn bits(self) -> u64 {
        self.bits
    }

    /// The number; exact for both formats.
    pub fn to_f64(self) -> f64 {
        match self.sort {
            FloatSort::F32 => f64::from(f32::from_bits(self.bits as u32)),
            FloatSort::F64 => f64::from_bits(self.bits),
        }
    }

    /// Applies an operation in this number's own format.
    pub fn binary(self, other: Float, single: fn(f32, f32) -> f32, double: fn(f64, f64) -> f64) -> Float {
        match self.sort {
            FloatSort::F32 => {
                Float::f32(single(f32::from_bits(self.bits as u32), f32::from_bits(other.bits as u32)))
            }
            FloatSort::F64 => Float::f64(double(f64::from_bits(self.bits), f64::from_bits(other.bits))),
        }
    }

    /// Truncated to an integer of `bits` bits, if the result fits.
    pub fn to_int(self, ty: IntType) -> Option<u128> {
        let truncated = self.to_f64().trunc();
        // A saturating cast: anything that fits in neither 128-bit type is out of range for `ty` as well.
        if ty.signed {
            let value = truncated as i128;
            let fits = truncated.is_finite() && value as f64 == truncated && value != i128::MAX;
            (fits && ty.to_i128(value as u128) == value).then(|| ty.wrap(value as u128))
        } else {
            let value = truncated as u128;
            let fits = truncated.is_finite() && value as f64 == truncated && value != u128::MAX;
            (fits && ty.wrap(value) == value).then_some(value)
        }
    }
}

/// The value of an array: finitely many entries and a default.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct ArrayValue {
    /// Everywhere else.
    pub default: Value,
    /// By index. Arrays that differ in a few entries share the others.
    pub entries: OrdMap<u128, Value>,
}

impl ArrayValue {
    /// The element at an index.
    pub fn select(&self, index: u128) -> &Value {
        self.entries.get(&index).unwrap_or(&self.default)
    }
}

/// The value of a term.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Value {
    /// A truth value.
    Bool(bool),
    /// A bit-vector.
    Bv(Bv),
    /// An integer.
    Int(i128),
    /// A floating-point number.
    Float(Float),
    /// An array.
    Array(Arc<ArrayValue>),
}

impl Value {
    /// A bit-vector.
    pub fn bv(bits: u32, value: u128) -> Value {
        Value::Bv(Bv::new(bits, value))
    }

    /// The truth value.
    pub fn as_bool(&self) -> Option<bool> {
        match self {
            Value::Bool(b) => Some(*b),
            _ => None,
        }
    }

    /// The bit-vector.
    pub fn as_bv(&self) -> Option<Bv> {
        match self {
            Value::Bv(bv) => Some(*bv),
            _ => None,
        }
    }

    /// All zero, of a sort.
    pub fn zero(sort: Sort) -> Value {
        match sort {
            Sort::Bool => Value::Bool(false),
            Sort::Int => Value::Int(0),
            Sort::BitVec(bits) => Value::bv(bits, 0),
            Sort::Float(format) => Value::Float(Float::from_bits(format, 0)),
            Sort::Array { elem, .. } => Value::Array(Arc::new(ArrayValue {
                default: Value::zero(elem.sort()),
                entries: OrdMap::new(),
            })),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floats_truncate_to_what_fits() {
        let check = |value: f64, ty: IntType, want: Option<i128>| {
            assert_eq!(Float::f64(value).to_int(ty).map(|v| ty.to_i128(v)), want, "{value} to {ty:?}");
        };
        check(-1.9, IntType::signed(32), Some(-1));
        check(-0.9, IntType::unsigned(32), Some(0));
        check(-1.0, IntType::unsigned(32), None);
        check(2147483647.5, IntType::signed(32), Some(2147483647));
        check(2147483648.0, IntType::signed(32), None);
        check(-2147483648.9, IntType::signed(32), Some(-2147483648));
        check(f64::NAN, IntType::signed(32), None);
        check(f64::INFINITY, IntType::unsigned(128), None);
        check(1e40, IntType::signed(128), None);
    }

    #[test]
    fn all_nans_are_one() {
        assert_eq!(Float::from_bits(FloatSort::F32, 0x7fc0_0001), Float::f32(f32::NAN));
        assert_ne!(Float::f64(0.0), Float::f64(-0.0));
    }
}
