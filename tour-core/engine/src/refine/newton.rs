//! Newton-style refinement: strongest postconditions along an unsatisfiable core of the path, projected onto what the
//! rest of the path still looks at (Dietsch et al., ESEC/FSE 2017, with model-based projection for quantifiers).
//!
//! Only the parts of the block formulas that are in the core are looked at. From the first block on, the postcondition at
//! each boundary is kept as a cube: an implicant of the blocks so far in a model of them, from which the variables that
//! are not live are projected away. Its atoms are the predicates.

use super::Refiner;
use crate::context::{Engine, unknown};
use crate::path::AbstractPath;
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;
use tour_evidence::verdict::UnknownReason;
use tour_logic::smt::{Purpose, SatResult};
use tour_logic::term::{Assignment, Op, Sort, Symbol, TermId, Terms};

/// Unsatisfiable core, strongest postconditions, live variables.
pub struct Newton;

impl Refiner for Newton {
    fn name(&self) -> &'static str {
        "newton"
    }

    fn refine(
        &mut self,
        engine: &mut Engine,
        path: &AbstractPath,
    ) -> Result<Vec<Vec<TermId>>, UnknownReason> {
        let core = core(engine, path)?;
        let mut found = Vec::with_capacity(path.sites.len());
        let mut post = engine.terms.yes();
        for i in 0..path.sites.len() {
            engine.check_interrupt()?;
            post = engine.terms.and2(post, core[i]);
            let model = engine.smt.find_model(&engine.terms, post, Purpose::Refinement).map_err(unknown)?;
            // Nothing has to be known behind the block that makes the path infeasible.
            let Some(model) = model else { break };
            let live: BTreeSet<Symbol> =
                core[i + 1..].iter().flat_map(|f| engine.terms.free_symbols(*f)).collect();
            let cube = implicant(&mut engine.terms, post, &model);
            let away: Vec<Symbol> =
                engine.terms.free_symbols(cube).into_iter().filter(|s| !live.contains(s)).collect();
            post = engine.smt.project(&mut engine.terms, cube, &away, &model).map_err(unknown)?;
            let state = engine.terms.rename(post, |s| s.with_index(0));
            found.push(engine.terms.atoms(state));
        }
        Ok(found)
    }
}

/// The conjuncts of each block that are in an unsatisfiable core.
fn core(engine: &mut Engine, path: &AbstractPath) -> Result<Vec<TermId>, UnknownReason> {
    let mut solver = engine.smt.solver(Purpose::Refinement);
    let mut block_of: FxHashMap<TermId, usize> = FxHashMap::default();
    let mut assumptions = Vec::new();
    for (i, &formula) in path.formulas.iter().enumerate() {
        for conjunct in engine.terms.conjuncts(formula) {
            if block_of.insert(conjunct, i).is_none() {
                assumptions.push(conjunct);
            }
        }
    }
    let used = match solver.check(&engine.terms, &assumptions) {
        SatResult::Unsat => solver.unsat_core(&engine.terms),
        SatResult::Sat => return Err(UnknownReason::Internal("an infeasible path became feasible".into())),
        SatResult::Unknown(why) => return Err(unknown(why)),
    };
    let mut parts = vec![Vec::new(); path.formulas.len()];
    for conjunct in used {
        parts[block_of[&conjunct]].push(conjunct);
    }
    Ok(parts.iter().map(|p| engine.terms.and(p)).collect())
}

/// A conjunction of literals that holds in the model and implies the formula, which holds in the model.
pub fn implicant(terms: &mut Terms, formula: TermId, model: &Assignment) -> TermId {
    let mut literals = Vec::new();
    let mut seen = BTreeSet::new();
    // A formula and the value that it has.
    let mut work = vec![(formula, true)];
    while let Some((term, value)) = work.pop() {
        if !seen.insert((term, value)) {
            continue;
        }
        let args = terms.args(term).to_vec();
        match (terms.op(term), value) {
            (Op::Not, _) => work.push((args[0], !value)),
            (Op::And, true) | (Op::Or, false) => work.extend(args.into_iter().map(|a| (a, value))),
            // One part is enough.
            (Op::And, false) | (Op::Or, true) => {
                let part = args.into_iter().find(|a| terms.holds(*a, model) == Some(value));
                work.extend(part.map(|a| (a, value)));
            }
            (Op::Ite, _) if terms.sort(term) == Sort::Bool => {
                let holds = terms.holds(args[0], model) == Some(true);
                work.push((args[0], holds));
                work.push((if holds { args[1] } else { args[2] }, value));
            }
            (Op::Eq, _) if terms.sort(args[0]) == Sort::Bool => {
                work.extend(args.into_iter().map(|a| (a, terms.holds(a, model) == Some(true))));
            }
            _ => literals.push(if value { term } else { terms.not(term) }),
        }
    }
    literals.reverse();
    terms.and(&literals)
}

#[cfg(test)]
mod tests {
    use super::*;
    use tour_logic::smt::{QueryLimits, Smt, Z3};
    use tour_logic::term::random::{Rng, draw};

    #[test]
    fn an_implicant_implies_the_formula_and_has_no_disjunction() {
        let mut rng = Rng(5);
        let mut t = Terms::new();
        let z3 = Z3::new(QueryLimits { steps: Some(50_000) }, Default::default());
        let mut found = 0;
        for _ in 0..60 {
            let [a, b, c] = [(); 3].map(|()| draw(&mut t, &mut rng, Sort::Bool, 2).simple);
            let (either, other) = (t.or2(a, b), t.ite(c, a, b));
            let formula = t.and2(either, other);
            let Ok(Some(model)) = z3.find_model(&t, formula, Purpose::Refinement) else { continue };
            if t.holds(formula, &model) != Some(true) {
                continue;
            }
            let cube = implicant(&mut t, formula, &model);
            assert_eq!(t.holds(cube, &model), Some(true), "{}", t.show(formula));
            assert!(t.conjuncts(cube).iter().all(|l| t.op(*l) != Op::Or), "{}", t.show(cube));
            let not = t.not(formula);
            let outside = t.and2(cube, not);
            assert_ne!(z3.check(&t, outside, Purpose::Refinement), SatResult::Sat, "{}", t.show(formula));
            found += 1;
        }
        assert!(found > 20, "{found}");
    }
}
