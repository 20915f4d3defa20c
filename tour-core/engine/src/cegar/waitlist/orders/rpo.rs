//! Reverse post order of locations; recursion is not unfolded for ever.

use super::{Key, Ordering, Waiting};

pub struct Rpo;

impl Ordering for Rpo {
    fn name(&self) -> &'static str {
        "rpo"
    }

    fn help(&self) -> &'static str {
        "By reverse post order of the location"
    }

    fn key(&self, state: &Waiting) -> Key {
        (state.rank.recursion.into(), state.rank.rpo.into())
    }

    fn is_by_location(&self) -> bool {
        true
    }
}
