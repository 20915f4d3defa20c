//! The queue of Dijkstra's algorithm, with the distances found so far.

use super::dist::Dist;
use index_vec::IndexVec;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use tour_ir::cfa::LocId;

/// Locations by their tentative distance. A location may be queued several times; all but the nearest are stale.
pub(crate) struct Queue {
    dist: IndexVec<LocId, Dist>,
    heap: BinaryHeap<Reverse<(Dist, LocId)>>,
}

impl Queue {
    /// All of `len` locations infinitely far.
    pub fn new(len: usize) -> Queue {
        Queue { dist: (0..len).map(|_| Dist::INFINITE).collect(), heap: BinaryHeap::new() }
    }

    /// The distance found so far.
    pub fn dist(&self, loc: LocId) -> Dist {
        self.dist[loc]
    }

    /// There is a path of this length to the location.
    pub fn relax(&mut self, loc: LocId, dist: Dist) {
        if dist < self.dist[loc] {
            self.dist[loc] = dist;
            self.heap.push(Reverse((dist, loc)));
        }
    }

    /// The nearest location that is not settled yet, which settles it.
    pub fn pop(&mut self) -> Option<(LocId, Dist)> {
        while let Some(Reverse((dist, loc))) = self.heap.pop() {
            if dist == self.dist[loc] {
                return Some((loc, dist));
            }
        }
        None
    }

    /// The distances.
    pub fn finish(self) -> IndexVec<LocId, Dist> {
        self.dist
    }
}
