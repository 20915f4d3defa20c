//! Constants: variables that have one value at a block boundary on every run of the path so far.
//!
//! Where a path leaves a variable with one value only, tracking `variable == value` there is what explicit-value
//! analysis would do. It needs no interpolant, only a model and one query for each variable that the rest of the path
//! looks at.

use super::Refiner;
use crate::context::{Engine, unknown};
use crate::path::AbstractPath;
use std::collections::BTreeSet;
use tour_evidence::verdict::UnknownReason;
use tour_logic::smt::{Purpose, SatResult};
use tour_logic::term::{Sort, Symbol, TermId};

/// Equalities with constants.
pub struct Constants;

impl Refiner for Constants {
    fn name(&self) -> &'static str {
        "constants"
    }

    fn refine(
        &mut self,
        engine: &mut Engine,
        path: &AbstractPath,
    ) -> Result<Vec<Vec<TermId>>, UnknownReason> {
        let symbols: Vec<BTreeSet<Symbol>> =
            path.formulas.iter().map(|&f| engine.terms.free_symbols(f)).collect();
        let mut solver = engine.smt.solver(Purpose::Refinement);
        let mut found = Vec::with_capacity(path.sites.len());
        for i in 0..path.sites.len() {
            engine.check_interrupt()?;
            solver.assert(&engine.terms, path.formulas[i]);
            let mut here = Vec::new();
            match solver.check(&engine.terms, &[]) {
                SatResult::Sat => {}
                // The path is infeasible up to here already: nothing has to be known behind it.
                SatResult::Unsat => break,
                SatResult::Unknown(why) => return Err(unknown(why)),
            }
            let live: BTreeSet<Symbol> = (symbols[i + 1..].iter().flatten())
                .filter(|s| path.ssa[i].index(s.base) == s.index)
                .filter(|s| matches!(engine.terms.base(s.base).sort, Sort::BitVec(_)))
                .copied()
                .collect();
            let live: Vec<TermId> = live.into_iter().map(|symbol| engine.terms.symbol(symbol)).collect();
            let values = solver.values(&engine.terms, &live).map_err(unknown)?;
            for (variable, value) in live.into_iter().zip(values) {
                let Some(value) = value else { continue };
                let value = engine.terms.constant(value);
                let equal = engine.terms.eq(variable, value);
                let other = engine.terms.not(equal);
                if solver.check(&engine.terms, &[other]) == SatResult::Unsat {
                    here.push(engine.terms.rename(equal, |s| s.with_index(0)));
                }
            }
            found.push(here);
        }
        Ok(found)
    }
}
