//! `tour`: a software model checker for the C inside Rust crates.
//!
//! The library is built in layers, each a module that knows only those before it:
//!
//! [`source`] → [`front`] → [`sema`] → [`program`] + [`cfa`] → [`interp`] and the engine.
//!
//! It prints nothing and ends no process: it returns values and [`source::Diagnostic`]s, which a front end such as
//! `cargo-tour` shows. ARCHITECTURE.md at the top of the repository has the map and the invariants.

pub mod analysis;
pub mod bam;
pub mod block;
pub mod budget;
pub mod capture;
pub mod cfa;
pub mod config;
pub mod copies;
pub mod coverage;
pub mod directed;
pub mod domain;
pub mod encode;
pub mod evidence;
pub mod explore;
pub mod fault;
pub mod front;
pub mod harness;
pub mod instrument;
pub mod interp;
pub mod invariant;
pub mod limits;
mod load;
pub mod native;
pub mod program;
pub mod protocol;
pub mod refine;
pub mod regions;
pub mod report;
pub mod sema;
pub mod smt;
pub mod source;
pub mod stats;
pub mod term;
pub mod threads;
pub mod verdict;

pub use harness::{Arbitrary, any, assume};
pub use load::{FrontError, LoadOptions, load, load_with_notes};
pub use tour_macros::{Arbitrary, spec, verify};

/// The version of tour, which everything that is kept on disk carries.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");
