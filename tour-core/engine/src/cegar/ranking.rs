//! Where a node stands in the program, for the orders of the waitlist.

use super::waitlist::Rank;
use crate::context::Engine;
use crate::directed::{Directed, Dist};
use std::sync::Arc;
use tour_ir::cfa::Order as PostOrder;
use tour_ir::prepared::Prepared;
use tour_model::block::{NodeId, Target};

/// Ranks of nodes.
pub struct Ranking {
    order: Arc<PostOrder>,
    /// How far nodes are from an error, if the search is directed.
    directed: Option<Directed>,
}

impl Ranking {
    /// Of the nodes of a program.
    pub fn new(program: &Prepared, directed: Option<Directed>) -> Ranking {
        Ranking { order: program.fact(), directed }
    }

    /// How far a node is from an error; `None` if the search is not directed.
    pub fn distance(&mut self, engine: &Engine, node: NodeId) -> Option<Dist> {
        Some(self.directed.as_mut()?.learned(&engine.blocks.unfolding, node))
    }

    /// A path to an error through these nodes is infeasible: the search looks elsewhere first.
    pub fn refute(&mut self, nodes: impl IntoIterator<Item = NodeId>) {
        if let Some(directed) = &mut self.directed {
            directed.refute(nodes);
        }
    }

    /// What waitlist orders look at.
    pub fn rank(&mut self, engine: &Engine, target: Target) -> Rank {
        match target {
            Target::Node(node) => Rank {
                distance: self.distance(engine, node).unwrap_or_default(),
                rpo: self.order.number(engine.blocks.unfolding.loc(node)).unwrap_or(u32::MAX),
                call_depth: engine.blocks.unfolding.frame(node).depth,
                recursion: engine.blocks.unfolding.frame(node).instance,
            },
            Target::Error(_) | Target::Unsupported(_) => Rank::default(),
        }
    }
}
