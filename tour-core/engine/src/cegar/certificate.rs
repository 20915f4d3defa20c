//! What an analysis found as a certificate, which holds nothing of the analysis.

use super::arg::Arg;
use crate::context::Engine;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::sync::Arc;
use tour_evidence::evidence::{
    Contract, ExplicitStates, Invariants, Point, State, Summaries, ThreadInvariants, copied,
};
use tour_logic::term::{BaseId, Copy, TermId, Terms};
use tour_model::block::{Known, NodeId, Target, Unfolding};
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

/// The states of a complete graph of explicit values.
pub fn states(engine: &Engine, arg: &Arg<Known>) -> ExplicitStates {
    let mut terms = Terms::new();
    let mut copy = Copy::default();
    // Terms of values alone have no variables: these are declared here.
    let mut bases: BTreeMap<BaseId, BaseId> = BTreeMap::new();
    let mut points: FxHashMap<NodeId, Vec<State>> = FxHashMap::default();
    for (_, node) in arg.nodes() {
        // Those that others cover say nothing that these don't.
        let (Target::Node(at), None) = (node.at, node.covered_by) else { continue };
        let state = node.state.iter().map(|(base, value)| {
            let declared = *bases.entry(base).or_insert_with(|| {
                let of = engine.terms.base(base);
                terms.declare(&of.name, of.sort, of.signed)
            });
            (declared, copy.term(&engine.terms, &mut terms, value))
        });
        let state = state.collect();
        points.entry(at).or_default().push(state);
    }
    let cell = |(from, to): (&BaseId, &BaseId)| Some((*to, engine.blocks.encoder.cell_of(*from)?.clone()));
    let cells = bases.iter().filter_map(cell).collect();
    let at = points.into_iter().map(|(node, states)| (point_of(&engine.blocks.unfolding, node), states));
    ExplicitStates { at: at.collect(), cells, terms: Arc::new(terms) }
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

/// The location and call context of a node.
fn point_of(unfolding: &Unfolding, node: NodeId) -> Point {
    let mut calls = Vec::new();
    let mut frame = unfolding.frame(node);
    while let Some((stack, call)) = frame.caller {
        calls.push((call, frame.function));
        frame = unfolding.frame_of(stack);
    }
    calls.reverse();
    Point { calls, loc: unfolding.loc(node), atomic: unfolding.get(node).atomic }
}
