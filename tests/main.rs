//! Tests of the real binary: what a user or a script sees.

mod bad_input;
mod check;
mod docs;
mod explain;
mod graph;
mod harness;
mod json;
mod limits;
mod search;
mod support;
mod verify;
