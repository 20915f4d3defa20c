//! Verification coverage `[COVERAGE]`: what has the verifier looked at,
//! when, and what not.
//!
//! A [`Collector`] watches the analyses ([`tour_engine::context::observe`]). What it keeps only grows, so that every measure
//! is a curve over time that never falls; [`Coverage`] is the result, plain data.
//!
//! | file | what |
//! |---|---|
//! | `universe` | what there is to cover: statement lines, variables, locations |
//! | `measure/*` | the measures, one file each |
//! | `collector` | from events to measures, visits, times and predicates |
//! | `series` | values over time, thinned |
//! | `lanes` | what each analysis has reached, and where its time went |
//! | `checks` | property coverage: what became of each check |
//! | `result` | the result |
//! | `merge` | several runs together |
//! | `export/*` | lcov, Cobertura |
//! | `delta` | the difference to a saved result, gates |
//! | `mutation` | small faults that properties should notice |
//!
//! A new measure is a new file in `measure` and a line in [`measure::all`].

mod checks;
mod collector;
pub mod delta;
pub mod export;
mod lanes;
pub mod measure;
mod merge;
pub mod mutation;
mod result;
mod series;
#[cfg(test)]
mod tests;
mod universe;

pub use checks::{CheckCoverage, CheckStatus};
pub use collector::{Collector, Glance, Settings};
pub use merge::merge;
pub use result::{
    Coverage, FileCoverage, FunctionCoverage, HotSpot, LineCoverage, LineState, LocationCoverage,
    MeasureValue, Phase, Predicate, VariableCoverage,
};
pub use series::Series;
pub use universe::{LineId, Universe};
