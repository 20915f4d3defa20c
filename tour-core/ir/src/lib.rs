//! The typed program: texts, types, expressions, automata; and what every layer needs: limits, budgets, statistics.

pub mod budget;
pub mod cfa;
pub mod choice;
pub mod limits;
pub mod prepared;
pub mod program;
pub mod source;
pub mod stats;
pub mod tuning;

/// The version of tour, which everything that is kept on disk carries.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");
