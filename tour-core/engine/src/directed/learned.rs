//! A semantic distance: the static one, with what refinement has shown (`[TOUR]` leaves it to future work).
//!
//! A path to an error that turned out to be infeasible makes all nodes on it that were refined look one step farther
//! away. Where the graph is near to an error but values keep it out, the search turns to other places for a while.

use rustc_hash::FxHashMap;
use tour_model::block::NodeId;

/// What was learned about nodes.
#[derive(Clone, Debug)]
pub struct Learned {
    on: bool,
    refuted: FxHashMap<NodeId, u32>,
}

impl Learned {
    /// Nothing yet; and never, if it is not on.
    pub fn new(on: bool) -> Learned {
        Learned { on, refuted: FxHashMap::default() }
    }

    /// A path to an error through these nodes is infeasible.
    pub fn refute(&mut self, nodes: impl IntoIterator<Item = NodeId>) {
        for node in nodes.into_iter().filter(|_| self.on) {
            *self.refuted.entry(node).or_default() += 1;
        }
    }

    /// How much farther a node is than the graph says.
    pub fn farther(&self, node: NodeId) -> u32 {
        self.refuted.get(&node).copied().unwrap_or(0)
    }
}
