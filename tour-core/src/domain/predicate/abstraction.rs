//! How the abstraction of a block's end is computed: Cartesian, Boolean, or combined.

use super::region::{PredId, Region, Regions};
use crate::analysis::Engine;
use crate::block::Exit;
use crate::encode::{Ssa, instantiate};
use crate::smt::{Purpose, SatResult, Smt, Solver};
use crate::term::{TermId, Value};
use crate::verdict::UnknownReason;

/// The kind of abstraction.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Abstraction {
    /// The strongest conjunction of predicates and negated predicates.
    Cartesian,
    /// The strongest Boolean combination of predicates, by enumerating all satisfying assignments.
    #[default]
    Boolean,
    /// Cartesian first, Boolean on the predicates that are left.
    Combined,
}

impl Abstraction {
    /// The abstraction of `before` (a state formula) followed by the block; `None` if it is unsatisfiable.
    pub fn compute(
        self,
        regions: &Regions,
        engine: &mut Engine,
        before: TermId,
        exit: &Exit,
        preds: &[(PredId, TermId)],
    ) -> Result<Option<Region>, UnknownReason> {
        let start = instantiate(&mut engine.terms, before, &Ssa::default());
        let mut solver = engine.smt.solver(Purpose::Abstraction);
        solver.assert(&engine.terms, exit.formula);
        solver.assert(&engine.terms, start);
        if !is_sat(solver.check(&engine.terms, &[]))? {
            return Ok(None);
        }
        let mut cube = Vec::new();
        let mut open = Vec::with_capacity(preds.len());
        for &(id, pred) in preds {
            let literal = exit.path.ssa.evaluate(&mut engine.terms, pred);
            match engine.terms.value(literal) {
                Some(value) => cube.push((id, *value == Value::Bool(true))),
                None => open.push((id, literal)),
            }
        }
        if self != Abstraction::Boolean {
            let mut left = Vec::new();
            for (id, literal) in open {
                let negated = engine.terms.not(literal);
                if !is_sat(solver.check(&engine.terms, &[negated]))? {
                    cube.push((id, true));
                } else if !is_sat(solver.check(&engine.terms, &[literal]))? {
                    cube.push((id, false));
                } else {
                    left.push((id, literal));
                }
            }
            open = left;
        }
        let known = regions.cube(&cube);
        if self == Abstraction::Cartesian || open.is_empty() {
            return Ok(Some(known));
        }
        Ok(Some(known.and(&all_sat(regions, engine, solver.as_mut(), &open)?)))
    }
}

/// All satisfying assignments of the literals. The solver is satisfiable.
fn all_sat(
    regions: &Regions,
    engine: &mut Engine,
    solver: &mut dyn Solver,
    literals: &[(PredId, TermId)],
) -> Result<Region, UnknownReason> {
    let mut cubes = Vec::new();
    while is_sat(solver.check(&engine.terms, &[]))? {
        engine.check_interrupt()?;
        let model = solver.model(&engine.terms).map_err(crate::analysis::unknown)?;
        let mut cube = Vec::with_capacity(literals.len());
        let mut blocking = Vec::with_capacity(literals.len());
        for &(id, literal) in literals {
            let Some(value) = engine.terms.holds(literal, &model) else {
                return Err(UnknownReason::Solver("a model does not determine a predicate".into()));
            };
            cube.push((id, value));
            blocking.push(if value { engine.terms.not(literal) } else { literal });
        }
        cubes.push(cube);
        let block = engine.terms.or(&blocking);
        solver.assert(&engine.terms, block);
    }
    Ok(regions.dnf(&cubes))
}

pub(super) fn is_sat(result: SatResult) -> Result<bool, UnknownReason> {
    match result {
        SatResult::Sat => Ok(true),
        SatResult::Unsat => Ok(false),
        SatResult::Unknown(why) => Err(crate::analysis::unknown(why)),
    }
}
