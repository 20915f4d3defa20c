//! Predicate mining: conditions of the path itself that speak of the state at a block boundary.
//!
//! An atom of the path's formulas whose variables all have their current instance at a boundary was either decided
//! before it and still holds, or will be decided after it before anything changes. Tracking it there keeps what the path
//! knew. Cheap, needs no interpolant, and finds the conditions that programmers wrote.
//!
//! The atoms about variables that the path needs at the boundary (see [`interface_core`]) come first; all others are a
//! last resort.

use super::{Refiner, interface_core};
use crate::context::Engine;
use crate::path::AbstractPath;
use std::collections::BTreeSet;
use tour_evidence::verdict::UnknownReason;
use tour_logic::term::{BaseId, Symbol, TermId};

/// Atoms of the path at the boundaries where they speak of variables that the path needs there.
pub struct NeededAtoms;

/// Atoms of the path at the boundaries where they speak of the current state.
pub struct Mining;

impl Refiner for NeededAtoms {
    fn name(&self) -> &'static str {
        "needed-atoms"
    }

    fn refine(
        &mut self,
        engine: &mut Engine,
        path: &AbstractPath,
    ) -> Result<Vec<Vec<TermId>>, UnknownReason> {
        let needed = interface_core(engine, path)?;
        Ok(mine(engine, path, |i, base| needed[i].contains(&base)))
    }
}

impl Refiner for Mining {
    fn name(&self) -> &'static str {
        "mining"
    }

    fn refine(
        &mut self,
        engine: &mut Engine,
        path: &AbstractPath,
    ) -> Result<Vec<Vec<TermId>>, UnknownReason> {
        Ok(mine(engine, path, |_, _| true))
    }
}

/// The atoms at each boundary whose variables have their current instance there and are wanted.
fn mine(
    engine: &mut Engine,
    path: &AbstractPath,
    wanted: impl Fn(usize, BaseId) -> bool,
) -> Vec<Vec<TermId>> {
    let mut atoms = BTreeSet::new();
    for &formula in &path.formulas {
        atoms.extend(engine.terms.atoms(formula));
    }
    let atoms: Vec<(TermId, BTreeSet<Symbol>)> = atoms
        .into_iter()
        .map(|atom| (atom, engine.terms.free_symbols(atom)))
        .filter(|(_, symbols)| !symbols.is_empty())
        .collect();
    let mut found = Vec::with_capacity(path.sites.len());
    for (i, ssa) in path.ssa.iter().take(path.sites.len()).enumerate() {
        let here = atoms
            .iter()
            .filter(|(_, symbols)| symbols.iter().all(|s| ssa.index(s.base) == s.index && wanted(i, s.base)));
        let here: Vec<TermId> = here.map(|(atom, _)| *atom).collect();
        found.push(here.into_iter().map(|atom| engine.terms.rename(atom, |s| s.with_index(0))).collect());
    }
    found
}
