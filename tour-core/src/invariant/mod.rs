//! Loop invariants that are guessed and then proved: candidates from templates, and Houdini's algorithm (Flanagan and
//! Leino, FME 2001), which keeps the largest set of candidates that is inductive.
//!
//! What is found is assumed by every block that begins there. It comes with the proof, where the independent checker
//! verifies it again.

mod houdini;
mod memory;
mod template;

use crate::analysis::Engine;
use crate::block::NodeId;
use crate::verdict::UnknownReason;

/// Finds invariants at nodes, and makes the blocks assume them. Returns how many there are.
pub fn discover(engine: &mut Engine, nodes: &[NodeId]) -> Result<usize, UnknownReason> {
    let candidates = template::candidates(engine, nodes)?;
    houdini::keep_inductive(engine, candidates)
}
