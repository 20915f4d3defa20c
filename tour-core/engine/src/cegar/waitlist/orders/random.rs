//! Pseudo-random: the same seed, the same order.

use super::{Key, Ordering, Waiting};

pub struct Random;

impl Ordering for Random {
    fn name(&self) -> &'static str {
        "random"
    }

    fn help(&self) -> &'static str {
        "By pseudo-random numbers, see --seed"
    }

    fn key(&self, state: &Waiting) -> Key {
        (state.random, 0)
    }
}
