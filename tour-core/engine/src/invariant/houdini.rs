//! Houdini: candidates that are not inductive together are dropped until the rest is.

use super::concise::concise;
use crate::context::{Engine, unknown};
use std::collections::BTreeMap;
use tour_evidence::verdict::UnknownReason;
use tour_logic::smt::{SatResult, Solver};
use tour_logic::term::{Narrow, Op, Solved, Sort, TermId, Terms};
use tour_model::block::{Exit, Known, NodeId, Target};
use tour_model::encode::{Ssa, instantiate};
use tour_model::regions::OBJECT_BITS;

/// State formulas at nodes.
pub type Candidates = BTreeMap<NodeId, Vec<TermId>>;

/// In which world questions are asked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum World {
    /// That of the program.
    Whole,
    /// One with few objects: what is kept is most likely inductive in the whole world too, which the check of the proof
    /// finds out.
    Small,
}

/// Keeps the candidates that hold at the beginning and are kept by every block, given the others.
pub fn keep_inductive(
    engine: &mut Engine,
    mut candidates: Candidates,
    world: World,
) -> Result<usize, UnknownReason> {
    let Some(start) = engine.blocks.unfolding.start() else { return Ok(0) };
    // Blocks whose premises have changed are looked at again.
    let mut waiting: Vec<NodeId> = candidates.keys().copied().collect();
    waiting.push(start);
    waiting.sort_unstable();
    waiting.dedup();
    while let Some(node) = waiting.pop() {
        let block = engine.block(node, &Known::default());
        for exit in &block.exits {
            let Target::Node(to) = exit.to else { continue };
            if candidates.get(&to).is_none_or(Vec::is_empty) {
                continue;
            }
            let given = candidates.get(&node).cloned().unwrap_or_default();
            let known = universal(engine, node);
            let mut kept = candidates.get(&to).cloned().unwrap_or_default();
            for way in ways(engine, exit.formula) {
                kept = keep(engine, exit, way, &given, &known, kept, world)?;
            }
            let dropped = candidates.get(&to).is_some_and(|old| old.len() != kept.len());
            candidates.insert(to, kept);
            if dropped && !waiting.contains(&to) {
                waiting.push(to);
            }
        }
    }
    let mut count = 0;
    for (node, mut claims) in candidates {
        if !claims.is_empty() {
            // They may hang on what was found before.
            let before = engine.blocks.invariant(node).map(|known| engine.terms.conjuncts(known));
            claims.extend(before.into_iter().flatten());
            let claims = concise(engine, claims);
            count += claims.len();
            let invariant = engine.terms.and(&claims);
            engine.blocks.assume(node, invariant);
        }
    }
    Ok(count)
}

/// The claims that hold at the end of a way out of a block, given premises, and what is known for all values of a ghost.
fn keep(
    engine: &mut Engine,
    exit: &Exit,
    way: TermId,
    given: &[TermId],
    known: &[TermId],
    claims: Vec<TermId>,
    world: World,
) -> Result<Vec<TermId>, UnknownReason> {
    let instances = engine.heuristics.invariants.instances;
    let mut solved = Solved::of(&mut engine.terms, way);
    let terms = &mut engine.terms;
    if solved.formula == terms.no() {
        return Ok(claims);
    }
    let mut first = |facts: &[TermId]| -> Vec<TermId> {
        let mut made = Vec::with_capacity(facts.len());
        for &fact in facts {
            let fact = instantiate(terms, fact, &Ssa::default());
            made.push(solved.apply(terms, fact));
        }
        made
    };
    let (mut premises, known) = (first(given), first(known));
    let mut after = Vec::with_capacity(claims.len());
    for claim in claims {
        let value = exit.path.ssa.evaluate(terms, claim);
        after.push(Claim { claim, after: solved.apply(terms, value) });
    }
    after.retain(|claim| claim.after != terms.no());
    let about: Vec<TermId> = after.iter().map(|c| c.after).chain([solved.formula]).collect();
    // What holds for all indices holds for those that the block and the claims use.
    let facts: Vec<TermId> = premises.iter().chain(&known).copied().collect();
    premises.extend(terms.instances(&instances, &facts, &about));
    premises.extend(terms.lemmas(&instances, &about));
    let mut formula = solved.formula;
    let limits = engine.heuristics.invariants.questions;
    if world == World::Small {
        let mut narrow =
            Narrow::new(OBJECT_BITS, limits.small_world_bits, engine.program().model.pointer_bits());
        let terms = &mut engine.terms;
        // Premises that have no meaning there are done without.
        let mut all = |terms: &mut Terms, formulas: Vec<TermId>| -> Vec<TermId> {
            formulas.into_iter().filter_map(|formula| narrow.term(terms, formula)).collect()
        };
        let parts = terms.conjuncts(formula);
        let parts = all(terms, parts);
        formula = terms.and(&parts);
        premises = all(terms, premises);
        after.retain_mut(|claim| match all(terms, vec![claim.after]).first() {
            Some(after) => {
                claim.after = *after;
                true
            }
            None => false,
        });
    }
    let kept = engine.ask(formula, |engine, solver| {
        for premise in premises {
            solver.assert(&engine.terms, premise);
        }
        let mut patience = limits.max_hard_questions;
        kept(engine, solver, after, &mut patience)
    })?;
    Ok(kept.into_iter().map(|kept| kept.claim).collect())
}

/// A formula as a few whose disjunction it is, in none of which there is a choice between arrays: equations between arrays
/// are solved at once where they are certain, and hard to deal with otherwise.
pub(super) fn ways(engine: &mut Engine, formula: TermId) -> Vec<TermId> {
    let max_cases = engine.heuristics.invariants.questions.max_cases;
    let terms = &mut engine.terms;
    let (mut done, mut waiting) = (Vec::new(), vec![formula]);
    while let Some(way) = waiting.pop() {
        let mut parts = terms.conjuncts(way);
        match parts.iter().position(|part| terms.op(*part) == Op::Or && equates_arrays(terms, *part)) {
            None => done.push(way),
            Some(choice) => {
                let choice = parts.swap_remove(choice);
                for one in terms.args(choice).to_vec() {
                    parts.push(one);
                    waiting.push(terms.and(&parts));
                    parts.pop();
                }
            }
        }
        if done.len() + waiting.len() > max_cases {
            return vec![formula];
        }
    }
    done
}

fn equates_arrays(terms: &Terms, formula: TermId) -> bool {
    terms.postorder(&[formula]).into_iter().any(|term| {
        let arg = terms.args(term).first();
        terms.op(term) == Op::Eq && arg.is_some_and(|arg| matches!(terms.sort(*arg), Sort::Array { .. }))
    })
}

/// What is known at a node for all values of a ghost.
fn universal(engine: &Engine, node: NodeId) -> Vec<TermId> {
    let Some(invariant) = engine.blocks.invariant(node) else { return Vec::new() };
    let mut facts = engine.terms.conjuncts(invariant);
    facts.retain(|fact| !engine.terms.ghosts(*fact).is_empty());
    facts
}

/// A claim about a node.
struct Claim {
    claim: TermId,
    /// The same at the end of a block that leads there.
    after: TermId,
}

/// The claims that hold at the end of a block. What is too hard to tell of many together is asked of each half.
fn kept(
    engine: &mut Engine,
    solver: &mut dyn Solver,
    mut claims: Vec<Claim>,
    patience: &mut usize,
) -> Result<Vec<Claim>, UnknownReason> {
    loop {
        engine.check_interrupt()?;
        if claims.is_empty() || *patience == 0 {
            return Ok(Vec::new());
        }
        let mut broken = Vec::with_capacity(claims.len());
        for claim in &claims {
            broken.push(engine.terms.not(claim.after));
        }
        let any = engine.terms.or(&broken);
        match solver.check(&engine.terms, &[any]) {
            SatResult::Unsat => return Ok(claims),
            SatResult::Sat => {
                let after: Vec<TermId> = claims.iter().map(|claim| claim.after).collect();
                let values = solver.values(&engine.terms, &after).map_err(unknown)?;
                let (before, mut values) = (claims.len(), values.into_iter());
                claims.retain(|_| values.next().flatten().and_then(|value| value.as_bool()) != Some(false));
                if claims.len() < before {
                    continue;
                }
                // The model does not tell which, as where it says little of arrays.
            }
            SatResult::Unknown(_) => *patience -= 1,
        }
        if claims.len() == 1 {
            return Ok(Vec::new());
        }
        let half = claims.split_off(claims.len() / 2);
        let mut all = kept(engine, solver, claims, patience)?;
        all.extend(kept(engine, solver, half, patience)?);
        return Ok(all);
    }
}
