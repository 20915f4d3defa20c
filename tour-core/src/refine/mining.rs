//! Predicate mining: conditions of the path itself that speak of the state at a block boundary.
//!
//! An atom of the path's formulas whose variables all have their current instance at a boundary was either decided
//! before it and still holds, or will be decided after it before anything changes. Tracking it there keeps what the path
//! knew. Cheap, needs no proof, and finds the conditions that programmers wrote.

use super::Refiner;
use crate::analysis::Engine;
use crate::domain::AbstractPath;
use crate::term::TermId;
use crate::verdict::UnknownReason;
use std::collections::BTreeSet;

/// Atoms of the path at the boundaries where they speak of the current state.
pub struct Mining;

impl Refiner for Mining {
    fn name(&self) -> &'static str {
        "mining"
    }

    fn refine(
        &mut self,
        engine: &mut Engine,
        path: &AbstractPath,
    ) -> Result<Vec<Vec<TermId>>, UnknownReason> {
        let mut atoms = BTreeSet::new();
        for &formula in &path.formulas {
            atoms.extend(engine.terms.atoms(formula));
        }
        let atoms: Vec<_> = atoms
            .into_iter()
            .map(|atom| (atom, engine.terms.free_symbols(atom)))
            .filter(|a| !a.1.is_empty())
            .collect();
        let mut found = Vec::with_capacity(path.sites.len());
        for ssa in path.ssa.iter().take(path.sites.len()) {
            let here: Vec<TermId> = atoms
                .iter()
                .filter(|(_, symbols)| symbols.iter().all(|s| ssa.index(s.base) == s.index))
                .map(|(atom, _)| *atom)
                .collect();
            found.push(here.into_iter().map(|atom| engine.terms.rename(atom, |s| s.with_index(0))).collect());
        }
        Ok(found)
    }
}
