//! The analyses: abstract domains, refinement, invariants, directed search, and their portfolio.

pub mod analysis;
pub mod bam;
pub mod cegar;
pub mod confirm;
pub mod context;
pub mod directed;
pub mod domain;
pub mod explicit;
pub mod explore;
pub mod heuristics;
pub mod invariant;
pub mod path;
pub mod refine;
