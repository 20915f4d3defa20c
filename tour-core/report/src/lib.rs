//! What users are told: coverage, suspects, explanations, files for other programs.

pub mod coverage;
pub mod fault;
pub mod report;
