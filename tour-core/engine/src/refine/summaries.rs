//! Interpolants for summaries of calls: what a call that has returned does, whatever came before it.
//!
//! For nested words, an interpolant at the return of a call should speak of the callee only (Heizmann et al., POPL
//! 2010). So the blocks of the call come first in the sequence, and all blocks before and after it are one formula behind
//! them: what they share are values at the entry of the callee and at its exit. The former are *old* values
//! ([`tour_model::encode::Cell::Old`]) in the predicates.

use super::Refiner;
use crate::context::Engine;
use crate::path::AbstractPath;
use tour_evidence::verdict::UnknownReason;
use tour_ir::cfa::LocKind;
use tour_logic::smt::QueryLimits;
use tour_logic::term::{Symbol, TermId};

/// Interpolants of calls, each for itself.
pub struct CallSummaries {
    /// Steps of the solver for one call.
    pub limits: QueryLimits,
}

impl Refiner for CallSummaries {
    fn name(&self) -> &'static str {
        "call-summaries"
    }

    fn refine(
        &mut self,
        engine: &mut Engine,
        path: &AbstractPath,
    ) -> Result<Vec<Vec<TermId>>, UnknownReason> {
        let mut found = vec![Vec::new(); path.sites.len()];
        let program = engine.program();
        let is_exit = |i: &usize| program.cfa.locs[path.sites[*i].loc].kind == LocKind::Exit;
        let calls: Vec<(usize, usize)> = (0..path.scopes.len())
            .filter(is_exit)
            .filter_map(|exit| Some((path.scopes[exit].entered?, exit)))
            .collect();
        for &(entered, exit) in calls.iter().rev().take(engine.heuristics.bam.max_summarised_calls) {
            engine.check_interrupt()?;
            // The ends of the callee's own blocks; what it calls lies in between.
            let ends: Vec<usize> =
                (entered + 1..=exit).filter(|i| path.scopes[*i].entered == Some(entered)).collect();
            let mut formulas = Vec::with_capacity(ends.len() + 1);
            let mut from = entered + 1;
            for &end in &ends {
                formulas.push(engine.terms.and(&path.formulas[from..=end]));
                from = end + 1;
            }
            let around: Vec<TermId> =
                path.formulas[..=entered].iter().chain(&path.formulas[from..]).copied().collect();
            formulas.push(engine.terms.and(&around));
            let Ok(Some(interpolants)) = engine.smt.interpolate(&mut engine.terms, &formulas, self.limits)
            else {
                continue;
            };
            for (interpolant, &end) in interpolants.into_iter().zip(&ends) {
                for atom in engine.terms.atoms(interpolant) {
                    found[end].extend(about_callee(engine, path, entered, end, atom));
                }
            }
        }
        Ok(found)
    }
}

/// An atom over instances at the entry and at the end of a block of the callee, as a state formula with old values.
fn about_callee(
    engine: &mut Engine,
    path: &AbstractPath,
    entered: usize,
    end: usize,
    atom: TermId,
) -> Option<TermId> {
    let mut names = Vec::new();
    for symbol in engine.terms.free_symbols(atom) {
        let base = symbol.base;
        let name = if path.ssa[end].index(base) == symbol.index {
            base
        } else if path.ssa[entered].index(base) == symbol.index {
            engine.blocks.encoder.old(&mut engine.terms, base)
        } else {
            return None;
        };
        names.push((symbol, name));
    }
    let renamed = |s: Symbol| match names.iter().find(|n| n.0 == s) {
        Some(&(_, base)) => Symbol { base, index: 0 },
        None => s,
    };
    Some(engine.terms.rename(atom, renamed))
}
