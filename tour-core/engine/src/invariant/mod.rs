//! Loop invariants that are guessed and then proved: candidates from templates, and Houdini's algorithm (Flanagan and
//! Leino, FME 2001), which keeps the largest set of candidates that is inductive.
//!
//! What is found is assumed by every block that begins there. It comes with the proof, where the independent checker
//! verifies it again.

mod affine;
mod array;
mod concise;
mod houdini;
mod linear;
mod memory;
mod objects;
mod samples;
mod sift;
mod template;
mod walks;

use crate::context::Engine;
use houdini::World;
use tour_evidence::verdict::UnknownReason;
use tour_model::block::NodeId;

/// How much trouble is taken.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Effort {
    /// Bounds, and relations between two variables.
    Quick,
    /// Sums and linear equations as well, which are hard to tell of words of bits.
    Thorough,
}

/// Finds invariants at nodes, and makes the blocks assume them. Returns how many there are.
pub fn discover(engine: &mut Engine, nodes: &[NodeId], effort: Effort) -> Result<usize, UnknownReason> {
    let limits = engine.heuristics.invariants.effort;
    let search = |engine: &mut Engine| {
        let candidates = template::candidates(engine, nodes, effort)?;
        let found = houdini::keep_inductive(engine, candidates, World::Whole)?;
        // Those about elements of arrays build on what is known of their indices by then.
        let found = found + array::discover(engine, nodes)?;
        Ok(found + objects::discover(engine, nodes)?)
    };
    match effort {
        Effort::Quick => engine.limited(limits.max_quick_steps, search),
        Effort::Thorough => engine.limited(limits.max_thorough_steps, search),
    }
}
