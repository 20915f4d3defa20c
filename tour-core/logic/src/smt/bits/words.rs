//! Words, lowest bit first: comparison, sums, shifts, choices.

use super::gates::{Gates, Lit};
use smallvec::SmallVec;

/// The bits of a value, lowest first.
pub type Word = SmallVec<[Lit; 32]>;

/// The number that a word of constants stands for.
pub fn number(word: &[Lit]) -> Option<u128> {
    if !word.iter().all(|bit| bit.is_constant()) {
        return None;
    }
    Some(word.iter().rev().fold(0, |number, bit| number << 1 | u128::from(*bit == Lit::YES)))
}

/// A constant.
pub fn constant(bits: u32, value: u128) -> Word {
    (0..bits).map(|i| Lit::constant(value >> i & 1 == 1)).collect()
}

/// With this bit above until it is so wide.
pub fn extended(word: &[Lit], bits: usize, above: Lit) -> Word {
    let mut word = Word::from_slice(word);
    word.resize(bits, above);
    word
}

/// All bits negated.
pub fn negated(word: &[Lit]) -> Word {
    word.iter().map(|bit| !*bit).collect()
}

impl Gates {
    /// Bit by bit.
    pub fn each(&mut self, a: &[Lit], b: &[Lit], gate: impl Fn(&mut Gates, Lit, Lit) -> Lit) -> Word {
        a.iter().zip(b).map(|(a, b)| gate(self, *a, *b)).collect()
    }

    /// `cond ? yes : no`
    pub fn choose(&mut self, cond: Lit, yes: &[Lit], no: &[Lit]) -> Word {
        yes.iter().zip(no).map(|(yes, no)| self.ite(cond, *yes, *no)).collect()
    }

    /// `word`, or zero unless `cond`.
    pub fn masked(&mut self, cond: Lit, word: &[Lit]) -> Word {
        word.iter().map(|bit| self.and(cond, *bit)).collect()
    }

    /// `a == b`
    pub fn equal(&mut self, a: &[Lit], b: &[Lit]) -> Lit {
        let bits = self.each(a, b, Gates::same);
        self.and_all(bits)
    }

    /// All bits are zero.
    pub fn is_zero(&mut self, word: &[Lit]) -> Lit {
        self.and_all(word.iter().map(|bit| !*bit))
    }

    /// Some bit is one.
    pub fn is_nonzero(&mut self, word: &[Lit]) -> Lit {
        !self.is_zero(word)
    }

    /// `a + b + carry`, and the carry out.
    pub fn sum(&mut self, a: &[Lit], b: &[Lit], carry: Lit) -> (Word, Lit) {
        let mut carry = carry;
        let mut sum = Word::new();
        for (&a, &b) in a.iter().zip(b) {
            sum.push(self.xor3(a, b, carry));
            carry = self.majority(a, b, carry);
        }
        (sum, carry)
    }

    /// `a + b`
    pub fn add(&mut self, a: &[Lit], b: &[Lit]) -> Word {
        self.sum(a, b, Lit::NO).0
    }

    /// `a - b`
    pub fn sub(&mut self, a: &[Lit], b: &[Lit]) -> Word {
        self.sum(a, &negated(b), Lit::YES).0
    }

    /// `-a`
    pub fn neg(&mut self, a: &[Lit]) -> Word {
        self.sum(&constant(a.len() as u32, 0), &negated(a), Lit::YES).0
    }

    /// `a + 1` if so.
    pub fn increment(&mut self, a: &[Lit], carry: Lit) -> Word {
        self.sum(a, &constant(a.len() as u32, 0), carry).0
    }

    /// `-a` if so.
    pub fn negate_if(&mut self, cond: Lit, a: &[Lit]) -> Word {
        let flipped: Word = a.iter().map(|bit| self.xor(cond, *bit)).collect();
        self.increment(&flipped, cond)
    }

    /// Unsigned `a <= b`: `b - a` borrows nothing.
    pub fn at_most(&mut self, a: &[Lit], b: &[Lit]) -> Lit {
        a.iter().zip(b).fold(Lit::YES, |carry, (a, b)| self.majority(!*a, *b, carry))
    }

    /// Signed `a <= b`
    pub fn at_most_signed(&mut self, a: &[Lit], b: &[Lit]) -> Lit {
        let flip = |word: &[Lit]| {
            let mut word = Word::from_slice(word);
            if let Some(sign) = word.last_mut() {
                *sign = !*sign;
            }
            word
        };
        self.at_most(&flip(a), &flip(b))
    }

    /// `a << by`: zeros come in, and all are gone if `by` is the width or more.
    pub fn shift_left(&mut self, a: &[Lit], by: &[Lit]) -> Word {
        let reversed: Word = a.iter().rev().copied().collect();
        let mut shifted = self.shift_right(&reversed, by, Lit::NO);
        shifted.reverse();
        shifted
    }

    /// `a >> by`; `above` comes in, and is everywhere if `by` is the width or more.
    pub fn shift_right(&mut self, a: &[Lit], by: &[Lit], above: Lit) -> Word {
        let mut word = Word::from_slice(a);
        let mut stage = 0;
        while stage < by.len() && 1usize << stage < a.len() {
            let far = 1usize << stage;
            word = (0..word.len())
                .map(|i| {
                    let from = word.get(i + far).copied().unwrap_or(above);
                    self.ite(by[stage], from, word[i])
                })
                .collect();
            stage += 1;
        }
        // What the stages can't do is too far in any case.
        let is_far = self.is_nonzero(&by[stage..]);
        word.iter().map(|bit| self.ite(is_far, above, *bit)).collect()
    }
}
