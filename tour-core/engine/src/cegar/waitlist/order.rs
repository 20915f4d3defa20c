//! The orders of the waitlist.

use super::{Key, Rank};

/// An order.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Order {
    /// The newest state first.
    Dfs,
    /// The oldest state first.
    Bfs,
    /// By reverse post order of the location: states before a join come before the join.
    ReversePostOrder,
    /// Callees before their callers go on, then reverse post order.
    Topological,
    /// By a pseudo-random number from a seed.
    Random(u64),
    /// The nearest to an error first (see [`crate::directed`]); at the same distance as in `Topological`.
    Tour,
}

impl Order {
    /// The key of a state: the smallest is next. `pushed` counts insertions, `random` is a pseudo-random number.
    pub(super) fn key(self, rank: Rank, pushed: u64, random: u64) -> Key {
        let inner_first = u64::from(u32::MAX - rank.call_depth) << 32 | u64::from(rank.rpo);
        match self {
            Order::Dfs => (0, 0),
            Order::Bfs => (pushed, 0),
            Order::ReversePostOrder => (rank.recursion.into(), rank.rpo.into()),
            Order::Topological => (rank.recursion.into(), inner_first),
            Order::Random(_) => (random, 0),
            // An error in a recursive function is as near in every call of it: each level counts as a step, so that the
            // search does not descend for ever.
            Order::Tour => match rank.distance.steps() {
                Some(steps) => (u64::from(steps) + u64::from(rank.recursion), inner_first),
                None => (u64::MAX, inner_first),
            },
        }
    }
}
