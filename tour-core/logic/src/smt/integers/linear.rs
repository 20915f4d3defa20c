//! Sums of integers.

use crate::term::{TermId, Terms};

/// `c0 + c1 * t1 + c2 * t2 + …` of integer terms, which stands for a word of bits modulo a power of two.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Linear {
    /// By term; no coefficient is zero.
    parts: Vec<(TermId, i128)>,
    constant: i128,
}

impl Linear {
    pub fn constant(constant: i128) -> Linear {
        Linear { parts: Vec::new(), constant }
    }

    pub fn term(term: TermId) -> Linear {
        Linear { parts: vec![(term, 1)], constant: 0 }
    }

    /// The number that it is, if it has no terms.
    pub fn as_constant(&self) -> Option<i128> {
        self.parts.is_empty().then_some(self.constant)
    }

    /// `self + factor * other`; `None` if numbers become too large.
    pub fn plus(&self, other: &Linear, factor: i128) -> Option<Linear> {
        let constant = self.constant.checked_add(other.constant.checked_mul(factor)?)?;
        let mut parts = Vec::with_capacity(self.parts.len() + other.parts.len());
        let (mut left, mut right) = (self.parts.iter().peekable(), other.parts.iter().peekable());
        loop {
            let (term, coefficient) = match (left.peek(), right.peek()) {
                (Some(&&(a, x)), Some(&&(b, y))) if a == b => {
                    left.next();
                    right.next();
                    (a, x.checked_add(y.checked_mul(factor)?)?)
                }
                (Some(&&(a, x)), Some(&&(b, _))) if a < b => {
                    left.next();
                    (a, x)
                }
                (Some(&&(a, x)), None) => {
                    left.next();
                    (a, x)
                }
                (_, Some(&&(b, y))) => {
                    right.next();
                    (b, y.checked_mul(factor)?)
                }
                (None, None) => break,
            };
            if coefficient != 0 {
                parts.push((term, coefficient));
            }
        }
        Some(Linear { parts, constant })
    }

    /// The same modulo `2^bits`, with the smallest numbers.
    pub fn reduced(mut self, bits: u32) -> Linear {
        let reduce = |number: i128| {
            let modulus = 1i128 << bits;
            let low = number.rem_euclid(modulus);
            if low >= modulus / 2 { low - modulus } else { low }
        };
        for (_, coefficient) in &mut self.parts {
            *coefficient = reduce(*coefficient);
        }
        self.parts.retain(|(_, coefficient)| *coefficient != 0);
        self.constant = reduce(self.constant);
        self
    }

    /// What two sums have in common, and what is left of each.
    pub fn split(&self, other: &Linear) -> (Linear, Linear, Linear) {
        let (mut common, mut left, mut right) = (Linear::default(), self.clone(), other.clone());
        common.parts = self.parts.iter().filter(|part| other.parts.contains(part)).copied().collect();
        left.parts.retain(|part| !common.parts.contains(part));
        right.parts.retain(|part| !common.parts.contains(part));
        (common, left, right)
    }

    /// The smallest and the largest value, given those of the terms.
    pub fn range(&self, of: impl Fn(TermId) -> (i128, i128)) -> Option<(i128, i128)> {
        let (mut low, mut high) = (self.constant, self.constant);
        for &(term, coefficient) in &self.parts {
            let (least, most) = of(term);
            let ends = (least.checked_mul(coefficient)?, most.checked_mul(coefficient)?);
            low = low.checked_add(ends.0.min(ends.1))?;
            high = high.checked_add(ends.0.max(ends.1))?;
        }
        Some((low, high))
    }

    /// As an integer term.
    pub fn build(&self, ints: &mut Terms) -> TermId {
        let mut sum = ints.int(self.constant);
        for &(term, coefficient) in &self.parts {
            let coefficient = ints.int(coefficient);
            let part = ints.int_mul(term, coefficient);
            sum = ints.int_add(sum, part);
        }
        sum
    }
}
