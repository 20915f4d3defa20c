//! The result of a claim as plain data, and how the command and test executables exchange it.
//!
//! A user's test executable links this crate: it depends on nothing but serde.

pub mod protocol;
pub mod result;
pub mod visible;
