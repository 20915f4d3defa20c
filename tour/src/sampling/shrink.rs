//! From an input that fails to a small one that fails in the same way.

use super::journal::Scalar;
use super::{Failure, How};

/// The largest number of steps.
const STEPS: usize = 300;

/// Tries smaller inputs as long as one of them still fails as the first did. `first` finds one among several.
pub(super) fn smallest(failure: Failure, first: impl Fn(&[Vec<u128>], &How) -> Option<Failure>) -> Failure {
    let mut best = failure;
    for _ in 0..STEPS {
        match first(&smaller(&best.case.scalars), &best.how) {
            Some(found) => best = found,
            None => break,
        }
    }
    best
}

/// Inputs that are smaller, the boldest first.
fn smaller(scalars: &[Scalar]) -> Vec<Vec<u128>> {
    let now: Vec<u128> = scalars.iter().map(|scalar| scalar.bits).collect();
    let mut cases = Vec::new();
    // Parts of it zero: all, halves, quarters, …
    let mut size = now.len();
    while size > 0 {
        for start in (0..now.len()).step_by(size) {
            let mut case = now.clone();
            let end = (start + size).min(now.len());
            if case[start..end].iter().any(|bits| *bits != 0) {
                case[start..end].fill(0);
                cases.push(case);
            }
        }
        size /= 2;
    }
    for (i, scalar) in scalars.iter().enumerate() {
        for bits in nearer_to_zero(*scalar) {
            let mut case = now.clone();
            case[i] = bits;
            cases.push(case);
        }
    }
    cases
}

/// Values between zero and this one, those near zero first; of a negative one its opposite before.
fn nearer_to_zero(scalar: Scalar) -> Vec<u128> {
    let unused = 128 - scalar.width;
    let mask = u128::MAX >> unused;
    let value = if scalar.signed { ((scalar.bits << unused) as i128) >> unused } else { 0 };
    let is_negative = value < 0;
    let magnitude = if is_negative { value.unsigned_abs() } else { scalar.bits };
    let with_sign = |magnitude: u128| if is_negative { magnitude.wrapping_neg() & mask } else { magnitude };
    let mut values = Vec::new();
    if is_negative && magnitude <= mask >> 1 {
        values.push(magnitude);
    }
    // Half of the way back, then half of what is left, …
    let mut step = magnitude / 2;
    while step > 0 {
        values.push(with_sign(magnitude - step));
        step /= 2;
    }
    values
}

#[cfg(test)]
mod tests {
    use super::super::journal::Case;
    use super::*;

    fn shrunk(bits: &[u128], width: u32, signed: bool, fails: impl Fn(&[i128]) -> bool) -> Vec<i128> {
        let scalars = |bits: &[u128]| -> Vec<Scalar> {
            bits.iter().map(|bits| Scalar { bits: *bits, width, signed }).collect()
        };
        let numbers = |bits: &[u128]| -> Vec<i128> {
            let unused = 128 - width;
            bits.iter().map(|b| if signed { ((b << unused) as i128) >> unused } else { *b as i128 }).collect()
        };
        let failure = |bits: &[u128]| Failure {
            how: How::Died("x".into()),
            case: Case { scalars: scalars(bits), ..Case::default() },
        };
        assert!(fails(&numbers(bits)));
        let smallest = smallest(failure(bits), |cases, _| {
            cases.iter().find(|case| fails(&numbers(case))).map(|case| failure(case))
        });
        let bits: Vec<u128> = smallest.case.scalars.iter().map(|scalar| scalar.bits).collect();
        numbers(&bits)
    }

    #[test]
    fn failing_inputs_become_small() {
        let bits = |value: i32| u128::from(value as u32);
        assert_eq!(shrunk(&[bits(-2_147_483_645)], 32, true, |x| x[0] < 0), [-1]);
        assert_eq!(shrunk(&[bits(i32::MIN)], 32, true, |x| x[0] < -1000), [-1001]);
        assert_eq!(shrunk(&[bits(i32::MIN), 7], 32, true, |x| x[0] != 0), [1, 0]);
        assert_eq!(shrunk(&[200, 250, 3], 8, false, |x| x[0] + x[1] > 255), [6, 250, 0]);
        assert_eq!(shrunk(&[9; 40], 8, false, |x| x[17] >= 5)[17], 5);
        assert_eq!(shrunk(&[u128::MAX], 128, true, |x| x[0] == -1), [-1]);
    }
}
