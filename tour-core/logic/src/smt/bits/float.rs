//! Floating-point numbers as words: the bit patterns of IEEE 754, rounded to nearest even.
//!
//! There is one NaN, as in [`Float`]: what could be another one is replaced by it. An operation takes numbers apart,
//! computes an exact result (or one whose last bit says whether something is missing below it), and rounds that.

use super::gates::{Gates, Lit};
use super::words::{Word, constant, extended, negated};
use crate::term::{Float, FloatSort};

/// A number taken apart.
struct Parts {
    sign: Lit,
    nan: Lit,
    infinite: Lit,
    zero: Lit,
    /// The biased exponent, signed and wide enough for sums; that of subnormal numbers is one.
    exponent: Word,
    /// With the hidden bit, which is zero for subnormal numbers.
    significand: Word,
}

/// An exact number that is not rounded yet.
struct Exact {
    sign: Lit,
    /// The biased exponent (of the format that it is rounded to) if the highest bit is the leading one.
    exponent: Word,
    /// Not zero.
    significand: Word,
}

/// Bits of the exponent and of the significand with its hidden bit.
fn format(sort: FloatSort) -> (usize, usize) {
    let (exponent, significand) = sort.format();
    (exponent as usize, significand as usize)
}

fn bias(sort: FloatSort) -> u128 {
    (1 << (format(sort).0 - 1)) - 1
}

/// The bits of signed exponents: sums of two, and of the largest format.
const EXPONENT: usize = 14;

fn signed(value: i128) -> Word {
    constant(EXPONENT as u32, value as u128)
}

fn nan(sort: FloatSort) -> Word {
    constant(sort.bits(), u128::from(Float::round(sort, f64::NAN).bits()))
}

impl Gates {
    /// A bit pattern; all that are no number become one.
    pub fn float(&mut self, sort: FloatSort, bits: &[Lit]) -> Word {
        let is_nan = self.is_nan(sort, bits);
        self.choose(is_nan, &nan(sort), bits)
    }

    fn is_nan(&mut self, sort: FloatSort, bits: &[Lit]) -> Lit {
        let (_, significand) = format(sort);
        let above = &bits[significand - 1..bits.len() - 1];
        let highest = self.and_all(above.iter().copied());
        let some = self.is_nonzero(&bits[..significand - 1]);
        self.and(highest, some)
    }

    fn take_apart(&mut self, sort: FloatSort, bits: &[Lit]) -> Parts {
        let (_, width) = format(sort);
        let (fraction, above) = bits.split_at(width - 1);
        let (exponent, sign) = above.split_at(above.len() - 1);
        let highest = self.and_all(exponent.iter().copied());
        let normal = self.is_nonzero(exponent);
        let some = self.is_nonzero(fraction);
        let mut biased = extended(exponent, EXPONENT, Lit::NO);
        biased[0] = self.or(biased[0], !normal);
        let mut significand = Word::from_slice(fraction);
        significand.push(normal);
        Parts {
            sign: sign[0],
            nan: self.and(highest, some),
            infinite: self.and(highest, !some),
            zero: self.and(!normal, !some),
            exponent: biased,
            significand,
        }
    }

    /// Without leading zeros, and how many there were.
    fn normalized(&mut self, word: &[Lit]) -> (Word, Word) {
        let mut word = Word::from_slice(word);
        let mut zeros = constant(EXPONENT as u32, 0);
        let stages = (word.len() - 1).checked_ilog2().map_or(0, |log| log as usize + 1);
        for stage in (0..stages).rev() {
            let far = 1 << stage;
            let top = self.is_zero(&word[word.len() - far..]);
            let moved: Word =
                (0..word.len()).map(|i| if i < far { Lit::NO } else { word[i - far] }).collect();
            word = self.choose(top, &moved, &word);
            zeros[stage] = top;
        }
        (word, zeros)
    }

    /// `a >> by`; the lowest bit is one if something was lost.
    fn shift_right_sticky(&mut self, a: &[Lit], by: &[Lit]) -> Word {
        let mut word = Word::from_slice(a);
        let mut stage = 0;
        while stage < by.len() && 1usize << stage < a.len() {
            let far = 1usize << stage;
            let lost = self.is_nonzero(&word[..=far.min(word.len() - 1)]);
            let mut moved: Word =
                (0..word.len()).map(|i| word.get(i + far).copied().unwrap_or(Lit::NO)).collect();
            moved[0] = lost;
            word = self.choose(by[stage], &moved, &word);
            stage += 1;
        }
        let is_far = self.is_nonzero(&by[stage..]);
        let some = self.is_nonzero(&word);
        let nothing = extended(&[some], word.len(), Lit::NO);
        self.choose(is_far, &nothing, &word)
    }

    /// The nearest number.
    fn rounded(&mut self, sort: FloatSort, exact: &Exact) -> Word {
        let (exponent_bits, width) = format(sort);
        let (normal, zeros) = self.normalized(&exact.significand);
        let exponent = self.sub(&exact.exponent, &zeros);
        // The significand, one bit below it, and whether there is more.
        let mut kept: Word = if normal.len() < width + 2 {
            let mut padded = constant((width + 2 - normal.len()) as u32, 0);
            padded.extend_from_slice(&normal);
            padded
        } else {
            Word::from_slice(&normal[normal.len() - width - 2..])
        };
        if normal.len() > width + 2 {
            kept[0] = self.is_nonzero(&normal[..=normal.len() - width - 2]);
        }
        // Subnormal numbers have the smallest exponent, and zeros in front.
        let one = signed(1);
        let is_normal = self.at_most_signed(&one, &exponent);
        let missing = self.sub(&one, &exponent);
        let missing = self.masked(!is_normal, &missing);
        let kept = self.shift_right_sticky(&kept, &missing);
        let up = self.or(kept[2], kept[0]);
        let up = self.and(kept[1], up);
        // The hidden bit is added to an exponent that is one too small; a carry goes where it should.
        let field = self.sub(&exponent, &one);
        let field = self.masked(is_normal, &field[..exponent_bits]);
        let mut above = constant(width as u32 - 1, 0);
        above.extend_from_slice(&field);
        let (packed, _) = self.sum(&above, &extended(&kept[2..], above.len(), Lit::NO), up);
        let is_large = self.at_most_signed(&signed((1 << exponent_bits) - 1), &exponent);
        let infinity = self.infinity(sort, exact.sign);
        let mut number = packed;
        number.push(exact.sign);
        self.choose(is_large, &infinity, &number)
    }

    fn infinity(&self, sort: FloatSort, sign: Lit) -> Word {
        let (exponent, width) = format(sort);
        let mut word = constant(width as u32 - 1, 0);
        word.extend((0..exponent).map(|_| Lit::YES));
        word.push(sign);
        word
    }

    /// What an operation results in: not a number, infinite or zero if so, in this order, or else the nearest number.
    fn result(&mut self, sort: FloatSort, [is_nan, infinite, zero]: [Lit; 3], exact: &Exact) -> Word {
        let number = self.rounded(sort, exact);
        let nothing = extended(&[], number.len() - 1, Lit::NO);
        let nothing: Word = nothing.iter().copied().chain([exact.sign]).collect();
        let number = self.choose(zero, &nothing, &number);
        let infinity = self.infinity(sort, exact.sign);
        let number = self.choose(infinite, &infinity, &number);
        self.choose(is_nan, &nan(sort), &number)
    }

    /// `-a`
    pub fn float_neg(&mut self, sort: FloatSort, a: &[Lit]) -> Word {
        let is_nan = self.is_nan(sort, a);
        let mut word = Word::from_slice(a);
        if let Some(sign) = word.last_mut() {
            *sign = self.xor(*sign, !is_nan);
        }
        word
    }

    /// `a + b`
    pub fn float_add(&mut self, sort: FloatSort, a: &[Lit], b: &[Lit]) -> Word {
        let (_, width) = format(sort);
        // The larger one first.
        let size = a.len() - 1;
        let swap = !self.at_most(&b[..size], &a[..size]);
        let (large, small) = (self.choose(swap, b, a), self.choose(swap, a, b));
        let (large, small) = (self.take_apart(sort, &large), self.take_apart(sort, &small));
        let apart = self.sub(&large.exponent, &small.exponent);
        // Three bits below are enough to round.
        let below = |significand: &[Lit]| -> Word {
            [Lit::NO; 3].iter().chain(significand).copied().chain([Lit::NO]).collect()
        };
        let moved = self.shift_right_sticky(&below(&small.significand), &apart[..format(sort).0]);
        let minus = self.xor(large.sign, small.sign);
        let summand: Word = moved.iter().map(|bit| self.xor(*bit, minus)).collect();
        let (sum, _) = self.sum(&below(&large.significand), &summand, minus);
        debug_assert_eq!(sum.len(), width + 4);
        let zero = self.is_zero(&sum);
        let both_negative = self.and(large.sign, small.sign);
        // The sum of opposite numbers is positive.
        let sign = self.ite(zero, both_negative, large.sign);
        let exponent = self.add(&large.exponent, &signed(1));
        let opposite = self.and_all([large.infinite, small.infinite, minus]);
        let is_nan = self.or_all([large.nan, small.nan, opposite]);
        self.result(sort, [is_nan, large.infinite, zero], &Exact { sign, exponent, significand: sum })
    }

    /// `a * b`
    pub fn float_mul(&mut self, sort: FloatSort, a: &[Lit], b: &[Lit]) -> Word {
        let (_, width) = format(sort);
        let (a, b) = (self.take_apart(sort, a), self.take_apart(sort, b));
        let wide = |significand: &[Lit]| extended(significand, 2 * width, Lit::NO);
        let product = self.mul(&wide(&a.significand), &wide(&b.significand));
        let exponent = self.add(&a.exponent, &b.exponent);
        let exponent = self.add(&exponent, &signed(1 - bias(sort) as i128));
        let sign = self.xor(a.sign, b.sign);
        let infinite = self.or(a.infinite, b.infinite);
        let zero = self.or(a.zero, b.zero);
        let lost = self.and(infinite, zero);
        let is_nan = self.or_all([a.nan, b.nan, lost]);
        self.result(sort, [is_nan, infinite, zero], &Exact { sign, exponent, significand: product })
    }

    /// `a / b`
    pub fn float_div(&mut self, sort: FloatSort, a: &[Lit], b: &[Lit]) -> Word {
        let (_, width) = format(sort);
        let (a, b) = (self.take_apart(sort, a), self.take_apart(sort, b));
        let (dividend, zeros_a) = self.normalized(&a.significand);
        let (divisor, zeros_b) = self.normalized(&b.significand);
        let divisor = extended(&divisor, width + 1, Lit::NO);
        // The quotient is between a half and two: its bits from that of one on, and whether something is left.
        let mut left = extended(&dividend, width + 1, Lit::NO);
        let mut quotient = Word::new();
        for _ in 0..width + 2 {
            let (difference, fits) = self.sum(&left, &negated(&divisor), Lit::YES);
            quotient.insert(0, fits);
            left = self.choose(fits, &difference, &left);
            left.insert(0, Lit::NO);
            left.truncate(width + 1);
        }
        quotient.insert(0, self.is_nonzero(&left));
        let exponent_a = self.sub(&a.exponent, &zeros_a);
        let exponent_b = self.sub(&b.exponent, &zeros_b);
        let exponent = self.sub(&exponent_a, &exponent_b);
        let exponent = self.add(&exponent, &signed(bias(sort) as i128));
        let sign = self.xor(a.sign, b.sign);
        let (infinities, zeros) = (self.and(a.infinite, b.infinite), self.and(a.zero, b.zero));
        let is_nan = self.or_all([a.nan, b.nan, infinities, zeros]);
        let infinite = self.or(a.infinite, b.zero);
        let zero = self.or(a.zero, b.infinite);
        self.result(sort, [is_nan, infinite, zero], &Exact { sign, exponent, significand: quotient })
    }

    /// The square root.
    pub fn float_sqrt(&mut self, sort: FloatSort, a: &[Lit]) -> Word {
        let (_, width) = format(sort);
        let a = self.take_apart(sort, a);
        let (significand, zeros) = self.normalized(&a.significand);
        let exponent = self.sub(&a.exponent, &zeros);
        // Half of the exponent without its bias, rounded down; where it is odd, the significand counts twice.
        let unbiased = self.add(&exponent, &signed(-(bias(sort) as i128)));
        let odd = unbiased[0];
        let half: Word = unbiased[1..].iter().chain(unbiased.last()).copied().collect();
        let exponent = self.add(&half, &signed(bias(sort) as i128));
        let once = extended(&significand, width + 1, Lit::NO);
        let twice: Word = [Lit::NO].iter().chain(&significand).copied().collect();
        let radicand = self.choose(odd, &twice, &once);
        // Digit by digit, from the first two bits on: what is left, and twice the root so far with a one behind it.
        // The point is between two pairs.
        let mut digits: Word = constant(width as u32 + 3, 0);
        digits.extend_from_slice(&radicand);
        let (mut root, mut left) = (Word::new(), Word::new());
        for pair in digits.chunks(2).rev() {
            left = pair.iter().chain(&left).copied().collect();
            let mut trial: Word = [Lit::YES, Lit::NO].iter().chain(&root).copied().collect();
            let wide = left.len().max(trial.len());
            left = extended(&left, wide, Lit::NO);
            trial = extended(&trial, wide, Lit::NO);
            let (difference, fits) = self.sum(&left, &negated(&trial), Lit::YES);
            left = self.choose(fits, &difference, &left);
            root.insert(0, fits);
            // What is left is at most twice the root.
            left.truncate(root.len() + 1);
        }
        root.insert(0, self.is_nonzero(&left));
        let negative = self.and(a.sign, !a.zero);
        let is_nan = self.or(a.nan, negative);
        self.result(sort, [is_nan, a.infinite, a.zero], &Exact { sign: a.sign, exponent, significand: root })
    }

    /// C's `a == b`
    pub fn float_equal(&mut self, sort: FloatSort, a: &[Lit], b: &[Lit]) -> Lit {
        let same = self.equal(a, b);
        let (a, b) = (self.take_apart(sort, a), self.take_apart(sort, b));
        let zeros = self.and(a.zero, b.zero);
        let same = self.or(same, zeros);
        self.and_all([same, !a.nan, !b.nan])
    }

    /// `a < b`
    pub fn float_less(&mut self, sort: FloatSort, a: &[Lit], b: &[Lit]) -> Lit {
        let size = a.len() - 1;
        let (up, down) = (!self.at_most(&b[..size], &a[..size]), !self.at_most(&a[..size], &b[..size]));
        let (a, b) = (self.take_apart(sort, a), self.take_apart(sort, b));
        let zeros = self.and(a.zero, b.zero);
        let negative = self.or(!b.sign, down);
        let positive = self.and(!b.sign, up);
        let less = self.ite(a.sign, negative, positive);
        self.and_all([less, !zeros, !a.nan, !b.nan])
    }

    /// `a <= b`
    pub fn float_at_most(&mut self, sort: FloatSort, a: &[Lit], b: &[Lit]) -> Lit {
        let (less, same) = (self.float_less(sort, a, b), self.float_equal(sort, a, b));
        self.or(less, same)
    }

    /// The nearest number of another format.
    pub fn float_to_float(&mut self, from: FloatSort, to: FloatSort, a: &[Lit]) -> Word {
        let a = self.take_apart(from, a);
        let exponent = self.add(&a.exponent, &signed(bias(to) as i128 - bias(from) as i128));
        let exact = Exact { sign: a.sign, exponent, significand: a.significand };
        self.result(to, [a.nan, a.infinite, a.zero], &exact)
    }

    /// The number nearest to an integer.
    pub fn float_from_int(&mut self, to: FloatSort, a: &[Lit], is_signed: bool) -> Word {
        let sign = a.last().copied().filter(|_| is_signed).unwrap_or(Lit::NO);
        let size = self.negate_if(sign, a);
        let zero = self.is_zero(&size);
        let exponent = signed(bias(to) as i128 + a.len() as i128 - 1);
        self.result(to, [Lit::NO, Lit::NO, zero], &Exact { sign, exponent, significand: size })
    }

    /// An integer of `bits` bits, towards zero, and whether that is the number without its fraction.
    pub fn float_to_int(&mut self, from: FloatSort, a: &[Lit], bits: usize, is_signed: bool) -> (Word, Lit) {
        let (_, width) = format(from);
        let a = self.take_apart(from, a);
        // How many bits of the significand are before the point.
        let before = self.add(&a.exponent, &signed(1 - bias(from) as i128));
        let is_small = !self.at_most_signed(&signed(1), &before);
        let is_large = !self.at_most_signed(&before, &signed(bits as i128));
        let moved = self.shift_left(&extended(&a.significand, width + bits, Lit::NO), &before);
        let size = self.masked(!is_small, &moved[width..]);
        let some = self.is_nonzero(&size);
        let number = self.negate_if(a.sign, &size);
        let is_wrong = if is_signed {
            // The sign of the result is that of the number, unless it is zero.
            let differ = self.xor(number[bits - 1], a.sign);
            self.and(differ, some)
        } else {
            self.and(a.sign, some)
        };
        let is_large = self.and(is_large, !is_small);
        let fits = self.and_all([!a.nan, !a.infinite, !is_large, !is_wrong]);
        (number, fits)
    }
}
