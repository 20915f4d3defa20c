//! How the abstraction of a block's end is computed: Cartesian, Boolean, or combined.

use super::region::{PredId, Region, Regions};
use crate::analysis::Engine;
use crate::block::Exit;
use crate::smt::{SatResult, Solver};
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
    /// The abstraction of the block together with `given` (formulas over its instances); `None` if that is
    /// unsatisfiable.
    pub fn compute(
        self,
        regions: &Regions,
        engine: &mut Engine,
        given: &[TermId],
        exit: &Exit,
        preds: &[(PredId, TermId)],
    ) -> Result<Option<Region>, UnknownReason> {
        engine.ask(exit.formula, |engine, solver| {
            for &fact in given {
                solver.assert(&engine.terms, fact);
            }
            if !is_sat(solver.check(&engine.terms, &[]))? {
                return Ok(None);
            }
            self.enumerate(regions, engine, solver, exit, preds).map(Some)
        })
    }

    /// The predicates that the solver, which is satisfiable, allows at the end of the block.
    fn enumerate(
        self,
        regions: &Regions,
        engine: &mut Engine,
        solver: &mut dyn Solver,
        exit: &Exit,
        preds: &[(PredId, TermId)],
    ) -> Result<Region, UnknownReason> {
        let mut cube = Vec::new();
        let mut open = Vec::with_capacity(preds.len());
        for &(id, pred) in preds {
            let literal = exit.path.ssa.evaluate(&mut engine.terms, pred);
            match engine.terms.value(literal) {
                Some(value) => cube.push((id, *value == Value::Bool(true))),
                None => open.push((id, literal)),
            }
        }
        if open.is_empty() {
            return Ok(regions.cube(&cube));
        }
        let model = valuation(engine, solver, &open)?;
        let (implied, open) = match self {
            Abstraction::Boolean if open.len() == 1 => backbone(engine, solver, open, model)?,
            Abstraction::Boolean => (Vec::new(), open),
            Abstraction::Cartesian | Abstraction::Combined => backbone(engine, solver, open, model)?,
        };
        cube.extend(implied);
        let known = regions.cube(&cube);
        if self == Abstraction::Cartesian || open.is_empty() {
            return Ok(known);
        }
        Ok(known.and(&all_sat(regions, engine, solver, &open)?))
    }
}

/// Literals with their values.
type Cube = Vec<(PredId, bool)>;

/// The values of literals in the solver's model.
fn valuation(
    engine: &mut Engine,
    solver: &mut dyn Solver,
    literals: &[(PredId, TermId)],
) -> Result<Vec<bool>, UnknownReason> {
    let model = solver.model(&engine.terms).map_err(crate::analysis::unknown)?;
    let value = |&(_, literal): &(PredId, TermId)| engine.terms.holds(literal, &model);
    let values: Option<Vec<bool>> = literals.iter().map(value).collect();
    values.ok_or_else(|| UnknownReason::Solver("a model does not determine a predicate".into()))
}

/// Splits literals into those that have the same value in all models, and the others. Each query asks for a model in
/// which any literal has another value than in the models so far.
fn backbone(
    engine: &mut Engine,
    solver: &mut dyn Solver,
    literals: Vec<(PredId, TermId)>,
    model: Vec<bool>,
) -> Result<(Cube, Vec<(PredId, TermId)>), UnknownReason> {
    let mut same: Vec<(PredId, TermId, bool)> =
        literals.iter().zip(model).map(|(&(id, literal), value)| (id, literal, value)).collect();
    while !same.is_empty() {
        let mut flipped = Vec::with_capacity(same.len());
        for &(_, literal, value) in &same {
            flipped.push(if value { engine.terms.not(literal) } else { literal });
        }
        let any = engine.terms.or(&flipped);
        if !is_sat(solver.check(&engine.terms, &[any]))? {
            break;
        }
        let asked: Vec<(PredId, TermId)> = same.iter().map(|s| (s.0, s.1)).collect();
        let mut values = valuation(engine, solver, &asked)?.into_iter();
        same.retain(|s| values.next() == Some(s.2));
    }
    let left = literals.into_iter().filter(|(id, _)| same.iter().all(|s| s.0 != *id)).collect();
    Ok((same.into_iter().map(|(id, _, value)| (id, value)).collect(), left))
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
        let values = valuation(engine, solver, literals)?;
        let mut cube = Vec::with_capacity(literals.len());
        let mut blocking = Vec::with_capacity(literals.len());
        for (&(id, literal), value) in literals.iter().zip(values) {
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
