//! The orders of the waitlist.

use super::Rank;

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
}

impl Order {
    /// The key of a state: the smallest is next. `pushed` counts insertions, `random` is a pseudo-random number.
    pub(super) fn key(self, rank: Rank, pushed: u64, random: u64) -> u64 {
        match self {
            Order::Dfs => 0,
            Order::Bfs => pushed,
            Order::ReversePostOrder => u64::from(rank.recursion) << 32 | u64::from(rank.rpo),
            Order::Topological => {
                u64::from(rank.recursion) << 52
                    | u64::from(0xf_ffff - rank.call_depth.min(0xf_ffff)) << 32
                    | u64::from(rank.rpo)
            }
            Order::Random(_) => random,
        }
    }
}
