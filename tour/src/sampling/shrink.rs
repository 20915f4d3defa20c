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
    pairs(scalars, &now, &mut cases);
    cases
}

/// The most cases with two values changed: there are many pairs in an array.
const MAX_PAIRS: usize = 2_000;

/// Two values of one type that depend on each other: what one gives up on its way to zero is taken from the other as well, or
/// given to it.
fn pairs(scalars: &[Scalar], now: &[u128], cases: &mut Vec<Vec<u128>>) {
    let (weight, most) = (weigh(scalars, now), cases.len() + MAX_PAIRS);
    for (i, one) in scalars.iter().enumerate() {
        for (j, two) in scalars.iter().enumerate() {
            if i == j || one.width != two.width || one.signed != two.signed || one.bits == 0 || two.bits == 0
            {
                continue;
            }
            let (magnitude, is_negative) = magnitude(*one, one.bits);
            let mask = u128::MAX >> (128 - one.width);
            let halves = std::iter::successors(Some(magnitude / 2), |step| Some(step / 2));
            let steps = halves.take_while(|step| *step > 0);
            for step in [magnitude, magnitude - 1].into_iter().chain(steps) {
                if cases.len() >= most {
                    return;
                }
                let by = if is_negative { step.wrapping_neg() } else { step };
                for other in [two.bits.wrapping_sub(by), two.bits.wrapping_add(by)] {
                    let mut case = now.to_vec();
                    case[i] = one.bits.wrapping_sub(by) & mask;
                    case[j] = other & mask;
                    if weigh(scalars, &case) < weight {
                        cases.push(case);
                    }
                }
            }
        }
    }
}

/// How far values are from zero: how many are not, how many bits they take, their sum, and how many are negative; of equal
/// sums, that of a limit and little counts less.
fn weigh(scalars: &[Scalar], values: &[u128]) -> (usize, u32, u128, usize, u128) {
    let mut weight = (0, 0, 0u128, 0, u128::MAX);
    for (scalar, bits) in scalars.iter().zip(values) {
        let (magnitude, is_negative) = magnitude(*scalar, *bits);
        weight.0 += usize::from(magnitude != 0);
        weight.1 += 128 - magnitude.leading_zeros();
        weight.2 = weight.2.saturating_add(magnitude);
        weight.3 += usize::from(is_negative);
        weight.4 = weight.4.min(u128::MAX - magnitude);
    }
    weight
}

/// The distance of a value from zero, and whether it is below.
fn magnitude(scalar: Scalar, bits: u128) -> (u128, bool) {
    let unused = 128 - scalar.width;
    let value = if scalar.signed { ((bits << unused) as i128) >> unused } else { 0 };
    if value < 0 {
        (value.unsigned_abs(), true)
    } else {
        (bits, false)
    }
}

/// Values between zero and this one, those near zero first; of a negative one its opposite before.
fn nearer_to_zero(scalar: Scalar) -> Vec<u128> {
    let mask = u128::MAX >> (128 - scalar.width);
    let (magnitude, is_negative) = magnitude(scalar, scalar.bits);
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
        assert_eq!(shrunk(&[200, 250, 3], 8, false, |x| x[0] + x[1] > 255), [1, 255, 0]);
        assert_eq!(shrunk(&[200, 200], 8, false, |x| x[0] == x[1] && x[0] > 5), [6, 6]);
        assert_eq!(shrunk(&[bits(70_000), bits(70_003)], 32, true, |x| x[0] > 0 && x[1] == x[0] + 3), [1, 4]);
        assert_eq!(shrunk(&[9; 40], 8, false, |x| x[17] >= 5)[17], 5);
        assert_eq!(shrunk(&[u128::MAX], 128, true, |x| x[0] == -1), [-1]);
    }
}
