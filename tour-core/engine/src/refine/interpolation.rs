//! Sequence interpolation at block boundaries.
//!
//! The back end finds the interpolants (Z3 as a chain of Horn clauses, since it has no interpolation of its own). Their
//! atoms become predicates.

use super::Refiner;
use crate::context::Engine;
use crate::path::AbstractPath;
use tour_evidence::verdict::UnknownReason;
use tour_logic::smt::QueryLimits;
use tour_logic::term::TermId;

/// Interpolants of the block formulas.
pub struct Interpolation {
    /// Steps of the solver for one path.
    pub limits: QueryLimits,
}

impl Refiner for Interpolation {
    fn name(&self) -> &'static str {
        "interpolation"
    }

    fn refine(
        &mut self,
        engine: &mut Engine,
        path: &AbstractPath,
    ) -> Result<Vec<Vec<TermId>>, UnknownReason> {
        let interpolants = engine
            .smt
            .interpolate(&mut engine.terms, &path.formulas, self.limits)
            .map_err(crate::context::unknown)?
            .unwrap_or_default();
        Ok(interpolants
            .into_iter()
            .map(|interpolant| {
                let state = engine.terms.rename(interpolant, |s| s.with_index(0));
                engine.terms.atoms(state)
            })
            .collect())
    }
}
