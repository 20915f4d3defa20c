//! The verifier: a software model checker for the C inside Rust crates.
//!
//! The library is built of crates in layers, each of which knows only those before it; here are their modules under one
//! roof. It prints nothing and ends no process: it returns values and [`source::Diagnostic`]s, which a front end such as
//! `cargo-tour` shows. ARCHITECTURE.md at the top of the repository has the map and the invariants.

pub use tour_c::{FrontError, LoadOptions, front, load, load_with_notes, sema};
pub use tour_capture::{capture, config};
pub use tour_engine::{
    analysis, bam, cegar, confirm, context, directed, domain, explicit, explore, heuristics, invariant, path,
    refine,
};
pub use tour_evidence::{evidence, verdict};
pub use tour_harness::{harness, native};
pub use tour_interp::interp;
pub use tour_ir::{VERSION, budget, cfa, choice, limits, prepared, program, source, stats};
pub use tour_logic::{smt, term};
pub use tour_model::{block, copies, encode, instrument, regions, slice, threads};
pub use tour_protocol::{protocol, result, visible};
pub use tour_report::{coverage, fault, report};
