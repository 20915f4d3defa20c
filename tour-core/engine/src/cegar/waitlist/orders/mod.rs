//! The orders of the waitlist: one a file, one line each in the list.

use super::Rank;
use std::fmt;
use tour_ir::choice::Choice;

/// Files and what is in them.
macro_rules! orders {
    ($($file:ident::$order:ident,)*) => {
        $(mod $file;)*

        /// All orders, as users see them.
        const ALL: &[&dyn Ordering] = &[$(&$file::$order),*];
    };
}

// In the order of the help.
orders! {
    dfs::Dfs,
    bfs::Bfs,
    rpo::Rpo,
    topological::Topological,
    random::Random,
    tour::Tour,
}

/// What the waitlist is sorted by: the smallest is next. Equal keys: the newest first, which continues the path that is
/// being followed.
pub type Key = (u64, u64);

/// A state as orders see it.
pub struct Waiting {
    /// Where it stands.
    pub rank: Rank,
    /// How many were put on the list before it.
    pub pushed: u64,
    /// A pseudo-random number, which depends on the seed and on `pushed` alone.
    pub random: u64,
}

/// Which state is looked at next.
pub trait Ordering: Send + Sync {
    /// The name that users write.
    fn name(&self) -> &'static str;

    /// What it does, in half a sentence.
    fn help(&self) -> &'static str;

    /// The key of a state.
    fn key(&self, state: &Waiting) -> Key;

    /// It looks at distances to errors.
    fn is_directed(&self) -> bool {
        false
    }

    /// It looks at locations of one automaton. Tuples of locations have none: for threads, it is depth first.
    fn is_by_location(&self) -> bool {
        false
    }
}

/// An order.
#[derive(Clone, Copy)]
pub struct Order(&'static dyn Ordering);

impl Order {
    /// Depth first: the newest state.
    pub const DFS: Order = Order(&dfs::Dfs);
    /// Breadth first: the oldest state.
    pub const BFS: Order = Order(&bfs::Bfs);
    /// By reverse post order of the location: states before a join come before the join.
    pub const RPO: Order = Order(&rpo::Rpo);
    /// Callees before their callers go on, then reverse post order.
    pub const TOPOLOGICAL: Order = Order(&topological::Topological);
    /// By a pseudo-random number.
    pub const RANDOM: Order = Order(&random::Random);
    /// The nearest to an error first (see [`crate::directed`]).
    pub const TOUR: Order = Order(&tour::Tour);

    /// It looks at distances to errors.
    pub fn is_directed(self) -> bool {
        self.0.is_directed()
    }

    /// The order for tuples of locations.
    pub fn of_tuples(self) -> Order {
        if self.0.is_by_location() { Order::DFS } else { self }
    }

    /// The key of a state.
    pub fn key(self, state: &Waiting) -> Key {
        self.0.key(state)
    }
}

impl Choice for Order {
    fn all() -> Vec<(Order, &'static str, &'static str)> {
        ALL.iter().map(|order| (Order(*order), order.name(), order.help())).collect()
    }
}

impl PartialEq for Order {
    fn eq(&self, other: &Order) -> bool {
        self.0.name() == other.0.name()
    }
}

impl Eq for Order {}

impl fmt::Debug for Order {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(self.0.name())
    }
}

/// Deeper calls first, then reverse post order.
fn inner_first(rank: &Rank) -> u64 {
    u64::from(u32::MAX - rank.call_depth) << 32 | u64::from(rank.rpo)
}
