//! Harnesses in Rust: found, lowered, verified, replayed.

pub mod harness;
pub mod native;
