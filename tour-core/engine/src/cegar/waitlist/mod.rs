//! Which abstract state is looked at next.

mod orders;

pub use orders::{Order, Ordering};

use super::arg::{Arg, ArgId};
use crate::directed::Dist;
use orders::{Key, Waiting};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// What orders look at.
#[derive(Clone, Copy, Debug, Default)]
pub struct Rank {
    /// Reverse post order number of the location in its function.
    pub rpo: u32,
    /// Depth of the call stack.
    pub call_depth: u32,
    /// How deep the recursion is: orders that follow the control flow must not unfold it for ever.
    pub recursion: u32,
    /// How far it is to an error, if the search is directed.
    pub distance: Dist,
}

/// States that wait for their successors to be computed. Deterministic: equal ranks come out by the order's own rule,
/// last by insertion.
#[derive(Debug)]
pub struct Waitlist {
    order: Order,
    heap: BinaryHeap<Reverse<(Key, u64, ArgId)>>,
    pushed: u64,
    random: u64,
}

impl Waitlist {
    /// An empty list with an order, and the seed of pseudo-random numbers.
    pub fn new(order: Order, seed: u64) -> Waitlist {
        Waitlist { order, heap: BinaryHeap::new(), pushed: 0, random: seed | 1 }
    }

    /// Its order.
    pub fn order(&self) -> Order {
        self.order
    }

    /// An empty one with the same order.
    pub fn empty(&self) -> Waitlist {
        Waitlist::new(self.order, self.random)
    }

    /// The same for tuples of locations.
    pub fn of_tuples(self) -> Waitlist {
        Waitlist { order: self.order.of_tuples(), ..self }
    }

    /// Adds a state.
    pub fn push(&mut self, id: ArgId, rank: Rank) {
        self.pushed += 1;
        // xorshift64: a fixed sequence for a fixed seed.
        self.random ^= self.random << 13;
        self.random ^= self.random >> 7;
        self.random ^= self.random << 17;
        let key = self.order.key(&Waiting { rank, pushed: self.pushed, random: self.random });
        // Within one class, the newest first: it continues the path that is being followed.
        self.heap.push(Reverse((key, u64::MAX - self.pushed, id)));
    }

    /// The list itself, leaving an empty one with the same order.
    pub fn take(&mut self) -> Waitlist {
        let empty = self.empty();
        std::mem::replace(self, empty)
    }

    /// Ranks have changed: puts all states into their new order.
    pub fn rank_anew(&mut self, mut rank: impl FnMut(ArgId) -> Rank) {
        let (order, random) = (self.order, self.random);
        let again = |Reverse((_, newest, id)): Reverse<(Key, u64, ArgId)>| {
            let state = Waiting { rank: rank(id), pushed: u64::MAX - newest, random };
            Reverse((order.key(&state), newest, id))
        };
        self.heap = self.heap.drain().map(again).collect();
    }

    /// Takes the next state.
    pub fn pop(&mut self) -> Option<ArgId> {
        self.heap.pop().map(|Reverse((_, _, id))| id)
    }

    /// Takes the next state that still waits.
    pub fn pop_waiting<S>(&mut self, arg: &Arg<S>) -> Option<ArgId> {
        std::iter::from_fn(|| self.pop()).find(|node| arg.is_waiting(*node))
    }

    /// What the next state is sorted by first: for a directed order, its distance.
    pub fn first(&self) -> Option<u64> {
        self.heap.peek().map(|Reverse((key, _, _))| key.0)
    }

    /// Nothing waits.
    pub fn is_empty(&self) -> bool {
        self.heap.is_empty()
    }

    /// How many wait.
    pub fn len(&self) -> usize {
        self.heap.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(order: Order, expect: [usize; 4]) {
        let mut list = Waitlist::new(order, 1);
        // (rpo, call depth, distance) in order of arrival
        for (i, (rpo, call_depth, distance)) in
            [(3, 0, 1), (1, 0, 2), (2, 1, 2), (1, 0, 2)].into_iter().enumerate()
        {
            list.push(ArgId::new(i), Rank { rpo, call_depth, recursion: 0, distance: Dist::new(distance) });
        }
        let got: Vec<_> = std::iter::from_fn(|| list.pop()).map(|id| id.index()).collect();
        assert_eq!(got, expect, "{order:?}");
    }

    #[test]
    fn orders() {
        check(Order::DFS, [3, 2, 1, 0]);
        check(Order::BFS, [0, 1, 2, 3]);
        check(Order::RPO, [3, 1, 2, 0]);
        check(Order::TOPOLOGICAL, [2, 3, 1, 0]);
        check(Order::TOUR, [0, 2, 3, 1]);
    }

    #[test]
    fn new_ranks_give_a_new_order() {
        let mut list = Waitlist::new(Order::TOUR, 1);
        let rank = |distance| Rank { distance: Dist::new(distance), ..Rank::default() };
        (0..4).for_each(|i| list.push(ArgId::new(i), rank(i as u32)));
        list.rank_anew(|id| rank(if id.index() < 2 { 7 } else { 5 }));
        let got: Vec<_> = std::iter::from_fn(|| list.pop()).map(|id| id.index()).collect();
        assert_eq!(got, [3, 2, 1, 0]);
    }

    #[test]
    fn random_is_a_function_of_its_seed() {
        let run = |seed| {
            let mut list = Waitlist::new(Order::RANDOM, seed);
            (0..20).for_each(|i| list.push(ArgId::new(i), Rank::default()));
            std::iter::from_fn(|| list.pop()).map(|id| id.index()).collect::<Vec<_>>()
        };
        assert_eq!(run(1), run(1));
        assert_ne!(run(2), run(4));
    }
}
