//! Blocks: the loop-free parts of a program that one abstraction step goes through (`[LBE]`, `[ABE]`).
//!
//! A block begins at a node of the [`Unfolding`] and ends where the [`BlockOperator`] says: at every node (SBE), at the
//! nodes that summarisation keeps (LBE), at loop heads, functions or after a number of steps (ABE). Each way out is an
//! [`Exit`] with its path formula, in which control-flow joins are disjunctions. A block depends on where it begins
//! and on the values that are known there, so it is made once for each.

mod builder;
mod known;
mod operator;
mod summarise;
mod unfolding;
mod walk;

pub use builder::{Blocks, Replaced, Replacements};
pub use known::Known;
pub use operator::{BlockOperator, Visible};
pub use unfolding::{Frame, Node, NodeId, StackId, Step, Transition, Unfolding};
pub use walk::bits_of;
pub use walk::{Asked, Walk};

use crate::encode::Path;
use rustc_hash::{FxHashMap, FxHashSet};
use tour_ir::cfa::Visit;
use tour_ir::cfa::{EdgeId, LocId};
use tour_ir::program::CheckId;
use tour_logic::term::TermId;

/// Where a block leads.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Target {
    /// A node, where the next block begins.
    Node(NodeId),
    /// The error location of a check.
    Error(CheckId),
    /// An edge that we do not model.
    Unsupported(EdgeId),
}

impl Target {
    /// The node, if it is one.
    pub fn node(self) -> Option<NodeId> {
        match self {
            Target::Node(node) => Some(node),
            Target::Error(_) | Target::Unsupported(_) => None,
        }
    }
}

/// A way out of a block.
#[derive(Clone, Debug)]
pub struct Exit {
    /// Where to.
    pub to: Target,
    /// What happened since the beginning of the block, all variables at instance 1 there.
    pub path: Path,
    /// The conjunction of the path.
    pub formula: TermId,
}

/// A block.
#[derive(Clone, Debug)]
pub struct Block {
    /// Where it begins.
    pub from: NodeId,
    /// The ways out, in the order of control flow.
    pub exits: Vec<Exit>,
    /// The nodes inside, with the merged path that leads to each.
    inner: FxHashMap<NodeId, Path>,
    /// The transitions that were followed, in the order of control flow.
    followed: Vec<Followed>,
}

/// A transition inside of a block.
#[derive(Clone, Copy, Debug)]
struct Followed {
    from: NodeId,
    edge: EdgeId,
    /// The location that it leads to.
    loc: Option<LocId>,
    to: Reaches,
}

/// Where a transition inside of a block leads.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Reaches {
    /// A node inside.
    Inner(NodeId),
    /// Out of the block.
    Out(Target),
    /// The program ends.
    End,
}

impl Block {
    /// The edges that the block goes through.
    pub fn visits(&self) -> Vec<Visit> {
        self.followed.iter().map(|f| Visit { edge: f.edge, to: f.loc }).collect()
    }

    /// The edges of the block from which one of its targets can be reached; `None`: those that lead to none.
    pub fn trail(&self, to: Option<Target>) -> Vec<Visit> {
        // Each node is followed after all its predecessors: one pass backwards sees its successors first.
        let mut leads: FxHashSet<NodeId> = FxHashSet::default();
        let mut trail = Vec::new();
        for f in self.followed.iter().rev() {
            let there = match f.to {
                Reaches::Inner(node) => leads.contains(&node),
                Reaches::Out(target) => to.is_none_or(|to| to == target),
                Reaches::End => false,
            };
            if there {
                leads.insert(f.from);
            }
            if there == to.is_some() {
                trail.push(Visit { edge: f.edge, to: f.loc });
            }
        }
        trail.reverse();
        trail
    }
}
