//! What an analysis found as a certificate, which holds nothing of the analysis.

use super::arg::Arg;
use crate::context::Engine;
use std::collections::BTreeMap;
use std::sync::Arc;
use tour_evidence::evidence::{Contract, Invariants, Point, Summaries, ThreadInvariants, copied, point_of};
use tour_logic::term::{BaseId, Copy, TermId, Terms};
use tour_model::block::Target;
use tour_model::encode::Cell;
use tour_model::threads::{Interleaving, Por, TupleId};

/// The disjunction of the states of a complete reachability graph at each of its nodes.
pub fn invariants<'s, S: 's>(
    engine: &mut Engine,
    nodes: impl Iterator<Item = (Target, &'s S)>,
    mut formula: impl FnMut(&mut Terms, &S) -> TermId,
) -> Invariants {
    let mut at: BTreeMap<Point, Vec<TermId>> = BTreeMap::new();
    for (target, state) in nodes {
        let Target::Node(node) = target else { continue };
        let point = point_of(&engine.blocks.unfolding, node);
        let mut state = formula(&mut engine.terms, state);
        if let Some(invariant) = engine.blocks.invariant(node) {
            state = engine.terms.and2(state, invariant);
        }
        at.entry(point).or_default().push(state);
    }
    let at: BTreeMap<Point, TermId> =
        at.into_iter().map(|(point, states)| (point, engine.terms.or(&states))).collect();
    let mut terms = Terms::new();
    let mut copy = Copy::default();
    let at = at.into_iter().map(|(p, f)| (p, copy.term(&engine.terms, &mut terms, f))).collect();
    let cells = cells(engine, &copy);
    Invariants { terms: Arc::new(terms), cells, at }
}

/// Copies contracts out of the arena of an analysis.
pub fn summaries(engine: &Engine, contracts: Vec<Contract>) -> Summaries {
    let mut terms = Terms::new();
    let mut copy = Copy::default();
    let contracts = copied(contracts, |f| copy.term(&engine.terms, &mut terms, f));
    let cells = cells(engine, &copy);
    Summaries { terms: Arc::new(terms), cells, contracts }
}

/// The states of a complete graph at each of its tuples.
pub fn thread_invariants<S>(
    engine: &mut Engine,
    threads: &mut Interleaving,
    por: Por,
    arg: &Arg<S>,
    mut formula: impl FnMut(&mut Terms, &S) -> TermId,
) -> ThreadInvariants {
    let mut states: BTreeMap<TupleId, Vec<TermId>> = BTreeMap::new();
    for (_, node) in arg.nodes() {
        // Those that others cover say nothing that these don't.
        if let (Target::Node(id), None) = (node.at, node.covered_by) {
            let state = formula(&mut engine.terms, &node.state);
            states.entry(TupleId::new(id.index())).or_default().push(state);
        }
    }
    let mut terms = Terms::new();
    let mut copy = Copy::default();
    let mut at = BTreeMap::new();
    for (id, mut states) in states {
        states.sort_unstable();
        states.dedup();
        let states = states.into_iter().map(|s| copy.term(&engine.terms, &mut terms, s)).collect();
        let tuple = threads.get(id);
        let places = tuple.iter().map(|n| n.map(|n| point_of(&engine.blocks.unfolding, n))).collect();
        let explored = threads.explored(&mut engine.blocks, id, por).to_vec();
        at.insert(places, (states, explored));
    }
    let cells = cells(engine, &copy);
    ThreadInvariants { terms: Arc::new(terms), cells, at }
}

/// What the variables of copied formulas stand for.
fn cells(engine: &Engine, copy: &Copy) -> Vec<(BaseId, Cell)> {
    (copy.bases.iter())
        .filter_map(|(from, to)| Some((*to, engine.blocks.encoder.cell_of(*from)?.clone())))
        .collect()
}
