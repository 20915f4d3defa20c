//! The nearest to an error first ([TOUR §3.2]); at the same distance as in `topological`.
//!
//! An error in a recursive function is as near in every call of it: each level counts as a step, so that the search does
//! not descend for ever.

use super::{Key, Ordering, Waiting, inner_first};

pub struct Tour;

impl Ordering for Tour {
    fn name(&self) -> &'static str {
        "tour"
    }

    fn help(&self) -> &'static str {
        "The nearest to an error, see --metric and --focus"
    }

    fn key(&self, Waiting { rank, .. }: &Waiting) -> Key {
        match rank.distance.steps() {
            Some(steps) => (u64::from(steps) + u64::from(rank.recursion), inner_first(rank)),
            None => (u64::MAX, inner_first(rank)),
        }
    }

    fn is_directed(&self) -> bool {
        true
    }
}
