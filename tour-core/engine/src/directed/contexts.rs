//! Distances under call contexts [TOUR §3.2.2]: the error behind a function's return is as far as the call says.
//!
//! dist(s) = min(rel-dist, abs-dist). `[TOUR]` has rel-dist = exit-dist' + dist(call(s)): the distance of the call, less
//! what of the callee lies behind. That is right if the shortest way from the call leads through the callee and out
//! again. If it ends at an error *inside* the callee, the sum is too small, even negative: at the exit of such a callee
//! the search would believe that it is there. So here rel-dist is made from the other end, exit-dist plus the distance of
//! what follows the call, which is the same number in the first case and right in the second.

use super::dist::Dist;
use super::distances::Distances;
use super::learned::Learned;
use index_vec::IndexVec;
use tour_model::block::{NodeId, StackId, Unfolding};

/// Distances of the nodes of an unfolding.
#[derive(Clone, Debug)]
pub struct Directed {
    /// The annotated program.
    pub distances: Distances,
    /// What is left to go after the return from the top frame of a stack, as far as asked for.
    after: IndexVec<StackId, Option<Dist>>,
    /// What refinement has found out.
    learned: Learned,
}

impl Directed {
    /// Nothing asked for yet.
    pub fn new(distances: Distances, learned: Learned) -> Directed {
        Directed { distances, after: IndexVec::new(), learned }
    }

    /// The distance of a node: the length of the shortest path from there to an error location.
    pub fn dist(&mut self, unfolding: &Unfolding, node: NodeId) -> Dist {
        let node = unfolding.get(node);
        let after = self.after(unfolding, node.stack);
        self.distances.dist(node.loc, after)
    }

    /// The distance with what refinement has found out.
    pub fn learned(&mut self, unfolding: &Unfolding, node: NodeId) -> Dist {
        self.dist(unfolding, node) + self.learned.farther(node)
    }

    /// A path to an error through these nodes is infeasible.
    pub fn refute(&mut self, nodes: impl IntoIterator<Item = NodeId>) {
        self.learned.refute(nodes);
    }

    /// What is left to go after the return from a stack's top frame. Constant time for a stack seen before, and for one
    /// that was opened on it.
    pub fn after(&mut self, unfolding: &Unfolding, stack: StackId) -> Dist {
        let mut open = Vec::new();
        let mut at = stack;
        let mut after = loop {
            if let Some(Some(known)) = self.after.get(at) {
                break *known;
            }
            let Some((below, call)) = unfolding.frame_of(at).caller else {
                // Behind the entry function's return there is nothing.
                break self.remember(at, Dist::INFINITE);
            };
            open.push((at, call));
            at = below;
        };
        while let Some((stack, call)) = open.pop() {
            let to = unfolding.program().cfa.edges[call].to;
            let dist = self.distances.after_return(to, after);
            after = self.remember(stack, dist);
        }
        after
    }

    fn remember(&mut self, stack: StackId, dist: Dist) -> Dist {
        if self.after.len() <= stack.index() {
            self.after.resize(stack.index() + 1, None);
        }
        self.after[stack] = Some(dist);
        dist
    }
}
