//! Products and quotients of words.

use super::gates::{Gates, Lit};
use super::words::{Word, constant, extended, negated, number};

impl Gates {
    /// `a * b`
    pub fn mul(&mut self, a: &[Lit], b: &[Lit]) -> Word {
        match (number(a), number(b)) {
            (_, Some(b)) => self.times(a, b),
            (Some(a), None) => self.times(b, a),
            (None, None) => {
                // Rows of constants fold away.
                let constants = |word: &[Lit]| word.iter().filter(|bit| bit.is_constant()).count();
                let (a, b) = if constants(a) > constants(b) { (b, a) } else { (a, b) };
                let width = a.len();
                let mut product = self.masked(b[0], a);
                for (i, &bit) in b.iter().enumerate().skip(1) {
                    let row = self.masked(bit, &a[..width - i]);
                    let sum = self.add(&product[i..], &row);
                    product.truncate(i);
                    product.extend(sum);
                }
                product
            }
        }
    }

    /// `a` times a constant: a sum of few shifted words, some of them subtracted (in the non-adjacent form of the
    /// constant, no two neighbouring digits are not zero).
    fn times(&mut self, a: &[Lit], factor: u128) -> Word {
        let width = a.len();
        let mut product = constant(width as u32, 0);
        let mut rest = factor;
        for i in 0..width {
            let digit = if rest & 1 == 0 { 0 } else { rest & 3 };
            let sum = match digit {
                0 => None,
                1 => Some(self.sum(&product[i..], &a[..width - i], Lit::NO).0),
                // Three is four minus one; the four is carried on. At the top, both are the same.
                _ => Some(self.sum(&product[i..], &negated(&a[..width - i]), Lit::YES).0),
            };
            if let Some(sum) = sum {
                product.truncate(i);
                product.extend(sum);
            }
            rest = (rest >> 1).wrapping_add(u128::from(digit == 3));
        }
        product
    }

    /// Unsigned quotient and remainder; all ones and `a` if `b` is zero.
    ///
    /// Long division, bit by bit. What is left of `a` before a step is below `b`, and has as many bits as there were
    /// steps: the bits of `b` above these are just compared with zero.
    pub fn divide(&mut self, a: &[Lit], b: &[Lit]) -> (Word, Word) {
        let width = a.len();
        if let Some(divisor) = number(b).filter(|divisor| divisor.is_power_of_two()) {
            let by = divisor.trailing_zeros() as usize;
            return (extended(&a[by..], width, Lit::NO), extended(&a[..by], width, Lit::NO));
        }
        let mut quotient = constant(width as u32, 0);
        let mut left = Word::new();
        let mut is_small = vec![Lit::YES; width + 1];
        for i in (0..width).rev() {
            is_small[i] = self.and(is_small[i + 1], !b[i]);
        }
        for i in (0..width).rev() {
            // Twice of what is left and the next bit; it may be one bit wider than before.
            left.insert(0, a[i]);
            let wide = left.len();
            let (difference, fits) = self.sum(&left, &negated(&b[..wide]), Lit::YES);
            let bit = self.and(fits, is_small[wide]);
            quotient[i] = bit;
            left = self.choose(bit, &difference, &left);
        }
        (quotient, left)
    }

    /// Signed quotient, towards zero, and remainder, with the sign of `a`.
    pub fn divide_signed(&mut self, a: &[Lit], b: &[Lit]) -> (Word, Word) {
        let sign = |word: &[Lit]| word.last().copied().unwrap_or(Lit::NO);
        let (sign_a, sign_b) = (sign(a), sign(b));
        let (size_a, size_b) = (self.negate_if(sign_a, a), self.negate_if(sign_b, b));
        let (quotient, remainder) = self.divide(&size_a, &size_b);
        let differ = self.xor(sign_a, sign_b);
        (self.negate_if(differ, &quotient), self.negate_if(sign_a, &remainder))
    }
}
