//! How the abstraction of a block's end is computed: Cartesian, Boolean, or combined.
//!
//! The Boolean abstraction of n independent predicates has 2^n satisfying assignments. So enumeration has a limit; beyond
//! it, predicates that share no variable are taken to be independent, and each group of those that do is enumerated by
//! itself. The result is coarser then, and says so.

use super::region::{PredId, Region, Regions};
use crate::context::Engine;
use rustc_hash::FxHashMap;
use tour_evidence::verdict::UnknownReason;
use tour_ir::choice::Choice;
use tour_logic::smt::{SatResult, Solver};
use tour_logic::term::{BaseId, TermId, Value};
use tour_model::block::Exit;

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

impl Choice for Abstraction {
    fn all() -> Vec<(Abstraction, &'static str, &'static str)> {
        vec![
            (Abstraction::Cartesian, "cartesian", "The strongest conjunction of predicates"),
            (Abstraction::Boolean, "boolean", "The strongest Boolean combination of predicates"),
            (Abstraction::Combined, "combined", "Cartesian first, Boolean for what is left"),
        ]
    }
}

/// What an abstraction came to.
#[derive(Clone)]
pub struct Abstracted {
    /// The region; `None` if there is no successor.
    pub region: Option<Region>,
    /// It is not the strongest one: there would have been too many assignments.
    pub coarse: bool,
}

impl Abstraction {
    /// The abstraction of the block together with `given` (formulas over its instances), by enumerating at most `limit`
    /// assignments at a time.
    pub fn compute(
        self,
        regions: &Regions,
        engine: &mut Engine,
        given: &[TermId],
        exit: &Exit,
        preds: &[(PredId, TermId)],
        limit: usize,
    ) -> Result<Abstracted, UnknownReason> {
        let (cube, open) = literals(engine, exit, preds);
        if open.is_empty() {
            let whole: Vec<TermId> = given.iter().copied().chain([exit.formula]).collect();
            let whole = engine.terms.and(&whole);
            if engine.terms.is_evident(whole) {
                return Ok(Abstracted { region: Some(regions.cube(&cube)), coarse: false });
            }
        }
        engine.ask(exit.formula, |engine, solver| {
            for &fact in given {
                solver.assert(&engine.terms, fact);
            }
            if !is_sat(solver.check(&engine.terms, &[]))? {
                return Ok(Abstracted { region: None, coarse: false });
            }
            if open.is_empty() {
                return Ok(Abstracted { region: Some(regions.cube(&cube)), coarse: false });
            }
            let (region, coarse) = self.enumerate(regions, engine, solver, (cube, open), preds, limit)?;
            Ok(Abstracted { region: Some(region), coarse })
        })
    }

    /// The predicates that the solver, which is satisfiable, allows at the end of the block; and whether that is coarse.
    fn enumerate(
        self,
        regions: &Regions,
        engine: &mut Engine,
        solver: &mut dyn Solver,
        (mut cube, open): (Cube, Literals),
        preds: &[(PredId, TermId)],
        limit: usize,
    ) -> Result<(Region, bool), UnknownReason> {
        let model = valuation(engine, solver, &open)?;
        let (implied, open) = match self {
            Abstraction::Boolean if open.len() == 1 => backbone(engine, solver, open, model)?,
            Abstraction::Boolean => (Vec::new(), open),
            Abstraction::Cartesian | Abstraction::Combined => backbone(engine, solver, open, model)?,
        };
        cube.extend(implied);
        let mut known = regions.cube(&cube);
        if self == Abstraction::Cartesian || open.is_empty() {
            return Ok((known, false));
        }
        if let Some(region) = all_sat(regions, engine, solver, &open, limit)? {
            return Ok((known.and(&region), false));
        }
        for group in groups(engine, preds, &open) {
            if let Some(region) = all_sat(regions, engine, solver, &group, limit)? {
                known = known.and(&region);
            }
        }
        Ok((known, true))
    }
}

/// The predicates that have a clear value at the end of a block, and the others as they are there.
fn literals(engine: &mut Engine, exit: &Exit, preds: &[(PredId, TermId)]) -> (Cube, Literals) {
    let (mut cube, mut open) = (Cube::new(), Literals::with_capacity(preds.len()));
    for &(id, pred) in preds {
        let literal = exit.path.ssa.evaluate(&mut engine.terms, pred);
        match engine.terms.value(literal) {
            Some(value) => cube.push((id, *value == Value::Bool(true))),
            None => open.push((id, literal)),
        }
    }
    (cube, open)
}

/// Splits literals so that predicates of different groups share no variable.
fn groups(engine: &Engine, preds: &[(PredId, TermId)], literals: &[(PredId, TermId)]) -> Vec<Literals> {
    let formulas: FxHashMap<PredId, TermId> = preds.iter().copied().collect();
    let mut groups: Vec<(Vec<BaseId>, Literals)> = Vec::new();
    for &literal in literals {
        let mut bases: Vec<BaseId> =
            engine.terms.free_symbols(formulas[&literal.0]).iter().map(|s| s.base).collect();
        let mut members = vec![literal];
        groups.retain_mut(|(others, group)| {
            let joined = others.iter().any(|base| bases.contains(base));
            if joined {
                bases.append(others);
                members.append(group);
            }
            !joined
        });
        groups.push((bases, members));
    }
    groups.into_iter().map(|(_, members)| members).collect()
}

/// Predicates, as they are at the end of a block.
type Literals = Vec<(PredId, TermId)>;

/// Literals with their values.
type Cube = Vec<(PredId, bool)>;

/// The values of literals in the solver's model.
fn valuation(
    engine: &mut Engine,
    solver: &mut dyn Solver,
    literals: &[(PredId, TermId)],
) -> Result<Vec<bool>, UnknownReason> {
    let literals: Vec<TermId> = literals.iter().map(|(_, literal)| *literal).collect();
    let values = solver.values(&engine.terms, &literals).map_err(crate::context::unknown)?;
    let values: Option<Vec<bool>> = values.into_iter().map(|value| value?.as_bool()).collect();
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

/// All satisfying assignments of the literals, if there are not too many. The solver is satisfiable.
fn all_sat(
    regions: &Regions,
    engine: &mut Engine,
    solver: &mut dyn Solver,
    literals: &[(PredId, TermId)],
    limit: usize,
) -> Result<Option<Region>, UnknownReason> {
    solver.push();
    let cubes = cubes(engine, solver, literals, limit);
    solver.pop();
    Ok(cubes?.map(|cubes| regions.dnf(&cubes)))
}

fn cubes(
    engine: &mut Engine,
    solver: &mut dyn Solver,
    literals: &[(PredId, TermId)],
    limit: usize,
) -> Result<Option<Vec<Cube>>, UnknownReason> {
    let mut cubes = Vec::new();
    while is_sat(solver.check(&engine.terms, &[]))? {
        engine.check_interrupt()?;
        if cubes.len() == limit {
            return Ok(None);
        }
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
    Ok(Some(cubes))
}

pub(super) fn is_sat(result: SatResult) -> Result<bool, UnknownReason> {
    match result {
        SatResult::Sat => Ok(true),
        SatResult::Unsat => Ok(false),
        SatResult::Unknown(why) => Err(crate::context::unknown(why)),
    }
}
