//! Floating-point values: exact IEEE `float` and `double`, held as bit patterns.
//!
//! Operations on `float` are done in `double` and rounded: for `+ - * /` and the square root that gives the correctly rounded `float`,
//! because a `double` has more than twice as many digits.

use super::image::Repr;
use super::outcome::{Step, Undefined, undefined, unsupported};
use super::value::Value;
use tour_ir::program::{BinOp, FloatResult, IntType, float_binary};

/// The number of a value of floating type.
pub(super) fn number(repr: Repr, value: Value) -> f64 {
    match repr {
        Repr::Float32 => f64::from(f32::from_bits(value.bits as u32)),
        _ => f64::from_bits(value.bits as u64),
    }
}

/// A number rounded to a floating type.
pub(super) fn value(repr: Repr, number: f64) -> Value {
    Value::int(match repr {
        Repr::Float32 => u128::from((number as f32).to_bits()),
        _ => u128::from(number.to_bits()),
    })
}

/// `-a`: flips the sign, of a NaN too.
pub(super) fn negate(repr: Repr, a: Value) -> Value {
    match repr {
        Repr::Float32 => Value::int(a.bits ^ 1 << 31),
        _ => Value::int(a.bits ^ 1 << 63),
    }
}

/// `|a|`: clears the sign, of a NaN too. Its payload stays what it was, known or not.
pub(super) fn absolute(repr: Repr, a: Value) -> Value {
    let sign = match repr {
        Repr::Float32 => 1 << 31,
        _ => 1 << 63,
    };
    Value { bits: a.bits & !sign, origin: a.origin }
}

/// `a op b` of operands of one floating type.
pub(super) fn binary(op: BinOp, repr: Repr, a: Value, b: Value) -> Step<Value> {
    match float_binary(op, number(repr, a), number(repr, b)) {
        Some(FloatResult::Number(result)) => Ok(value(repr, result)),
        Some(FloatResult::Truth(holds)) => Ok(Value::bool(holds)),
        None => unsupported(format!("operator {} on floats", op.symbol())),
    }
}

/// An integer converted to a floating type, rounded once.
pub(super) fn from_int(int: IntType, bits: u128, to: Repr) -> Value {
    let wide = int.extend(bits);
    match (to, int.signed) {
        (Repr::Float32, true) => Value::int((wide as i128 as f32).to_bits().into()),
        (Repr::Float32, false) => Value::int((wide as f32).to_bits().into()),
        (_, true) => Value::int((wide as i128 as f64).to_bits().into()),
        (_, false) => Value::int((wide as f64).to_bits().into()),
    }
}

/// A float converted to an integer type: truncated (C 6.3.1.4); to `_Bool` by comparing with zero.
pub(super) fn to_int(number: f64, int: IntType) -> Step<Value> {
    if int.bits == 1 && !int.signed {
        return Ok(Value::bool(number != 0.0));
    }
    let whole = number.trunc();
    let (low, high) = if int.signed {
        (-(2f64.powi(int.bits as i32 - 1)), 2f64.powi(int.bits as i32 - 1))
    } else {
        (0.0, 2f64.powi(int.bits as i32))
    };
    if whole >= low && whole < high {
        let bits = if int.signed { whole as i128 as u128 } else { whole as u128 };
        Ok(Value::int(int.wrap(bits)))
    } else {
        undefined(Undefined::FloatToInt)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conversions_truncate_and_reject_what_does_not_fit() {
        let check = |number: f64, int: IntType, want: Option<i128>| {
            assert_eq!(to_int(number, int).ok().map(|v| int.to_i128(v.bits)), want, "{number}");
        };
        check(-1.9, IntType::signed(32), Some(-1));
        check(-0.9, IntType::unsigned(32), Some(0));
        check(-1.0, IntType::unsigned(32), None);
        check(2147483647.5, IntType::signed(32), Some(2147483647));
        check(2147483648.0, IntType::signed(32), None);
        check(f64::NAN, IntType::signed(64), None);
        check(0.1, IntType::unsigned(1), Some(1));
        check(1e19, IntType::unsigned(64), Some(10_000_000_000_000_000_000));
    }

    #[test]
    fn floats_are_rounded_once() {
        let third =
            binary(BinOp::Div, Repr::Float32, value(Repr::Float32, 1.0), value(Repr::Float32, 3.0)).unwrap();
        assert_eq!(f32::from_bits(third.bits as u32), 1.0 / 3.0);
        // 2^53 + 2^29 + 1 rounds differently by way of double.
        let bits = (1u128 << 53) + (1 << 29) + 1;
        let direct = from_int(IntType::signed(64), bits, Repr::Float32);
        assert_eq!(f32::from_bits(direct.bits as u32), bits as f32);
    }
}
