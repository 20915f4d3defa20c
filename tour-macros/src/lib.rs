//! Procedural macros of `tour`.
