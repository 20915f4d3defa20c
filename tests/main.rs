//! Tests of the real binary: what a user or a script sees.

#[cfg(unix)]
mod action;
mod bad_input;
mod browser;
#[cfg(unix)]
mod changes;
mod check;
mod coverage;
mod docs;
mod explain;
mod extensions;
mod graph;
mod json;
mod language;
mod layers;
mod limits;
mod missing;
mod report;
mod search;
mod support;
mod thin;
mod verify;
