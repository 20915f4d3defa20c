//! Programs as transition systems: points-to regions, formulas of operations, blocks, the rules that are checked, threads.

pub mod block;
pub mod copies;
pub mod encode;
pub mod instrument;
pub mod regions;
pub mod slice;
pub mod threads;
pub mod tuning;
