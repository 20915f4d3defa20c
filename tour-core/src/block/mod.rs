//! Blocks: the loop-free parts of a program that one abstraction step goes through (seed: large-block encoding).
//!
//! A block begins at a node of the [`Unfolding`] and ends where the [`BlockOperator`] says: at every node (SBE), at the
//! nodes that summarisation keeps (LBE), at loop heads, functions or after so many steps (ABE). Each way out is an
//! [`Exit`] with its path formula, in which control-flow joins are disjunctions. A block depends on where it begins
//! and on the values that are known there, so it is made once for each.

mod builder;
mod known;
mod operator;
mod summarise;
mod unfolding;
mod walk;

pub use builder::Blocks;
pub use known::Known;
pub use operator::BlockOperator;
pub use summarise::{BlockOp, BlockOpId, Summary, summarise};
pub use unfolding::{Frame, Node, NodeId, StackId, Step, Transition, Unfolding};
pub use walk::{Asked, Walk};

use crate::cfa::EdgeId;
use crate::encode::Path;
use crate::program::CheckId;
use crate::term::TermId;
use rustc_hash::FxHashMap;

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
}
