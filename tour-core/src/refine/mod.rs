//! Refinement: from an infeasible path to predicates that exclude it. One strategy, one file.

mod constants;
mod interpolation;
mod mining;

pub use constants::Constants;
pub use interpolation::Interpolation;
pub use mining::Mining;

use crate::analysis::Engine;
use crate::domain::AbstractPath;
use crate::term::TermId;
use crate::verdict::UnknownReason;

/// A strategy.
pub trait Refiner {
    /// Its name, in options and statistics.
    fn name(&self) -> &'static str;

    /// State formulas to track at the end of each block but the last. The path is infeasible.
    fn refine(&mut self, engine: &mut Engine, path: &AbstractPath)
    -> Result<Vec<Vec<TermId>>, UnknownReason>;
}
