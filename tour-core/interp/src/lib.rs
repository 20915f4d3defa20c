//! The concrete interpreter.

pub mod interp;
