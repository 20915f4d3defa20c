//! Formulas and the solvers that answer questions about them.

pub mod smt;
pub mod term;
pub mod tuning;
