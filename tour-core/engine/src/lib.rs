//! The analyses: abstract domains, refinement, invariants, directed search, and their portfolio.

pub mod analysis;
pub mod bam;
pub mod directed;
pub mod domain;
pub mod explore;
pub mod invariant;
pub mod refine;
