//! What a function, with all that it calls, reads and writes: the variables of its block `[BAM]`.
//!
//! Each edge is encoded once for itself; what its formula mentions is read, what gets a new instance is written.

use crate::context::Engine;
use index_vec::IndexVec;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;
use std::rc::Rc;
use tour_ir::cfa::{CallGraph, LocId};
use tour_ir::program::FnId;
use tour_logic::term::BaseId;
use tour_model::block::{NodeId, Step};
use tour_model::encode::Path;

/// What a call of a function can change and look at.
#[derive(Clone, Debug, Default)]
pub struct Effects {
    /// Variables that it may write: of its own frame (as frame 0), and those that all functions share.
    pub written: BTreeSet<BaseId>,
    /// Variables that it may read or write.
    pub relevant: Rc<FxHashSet<BaseId>>,
    /// Variables of its own frame.
    pub frame: BTreeSet<BaseId>,
}

/// The effects of all functions that the program may call.
pub fn effects(engine: &mut Engine) -> IndexVec<FnId, Effects> {
    let program = engine.program();
    let calls = program.fact::<CallGraph>();
    let mut locs: FxHashMap<FnId, Vec<LocId>> = FxHashMap::default();
    for (loc, at) in program.cfa.locs.iter_enumerated() {
        locs.entry(at.function).or_default().push(loc);
    }
    let mut all: IndexVec<FnId, Effects> = program.functions.iter().map(|_| Effects::default()).collect();
    for component in calls.components() {
        let mut written = BTreeSet::new();
        let mut relevant = FxHashSet::default();
        for &function in component.iter().filter(|f| calls.is_reachable(**f)) {
            if program.functions[function].body.is_none() {
                continue;
            }
            let own = own_effects(engine, function, locs.get(&function).map_or(&[], Vec::as_slice));
            written.extend(own.written.iter().filter(|b| !own.frame.contains(b)));
            relevant.extend(own.relevant.iter().filter(|b| !own.frame.contains(b)));
            for (callee, _) in calls.callees(function).into_iter().filter(|c| !component.contains(&c.0)) {
                let of = &all[callee];
                written.extend(of.written.iter().filter(|b| !of.frame.contains(b)));
                relevant.extend(of.relevant.iter().filter(|b| !of.frame.contains(b)));
            }
            all[function] = own;
        }
        for &function in component {
            let own = &mut all[function];
            own.written.extend(&written);
            Rc::make_mut(&mut own.relevant).extend(&relevant);
        }
    }
    all
}

/// The effects of a loop of a function: of its edges, and of the functions that they call.
pub fn effects_of_loop(
    engine: &mut Engine,
    functions: &IndexVec<FnId, Effects>,
    function: FnId,
    members: &[LocId],
) -> Effects {
    let mut own = own_effects(engine, function, members);
    let root = engine.blocks.unfolding.root(function);
    let mut relevant = (*own.relevant).clone();
    for &loc in members {
        let node = engine.blocks.unfolding.at(root, loc);
        for transition in engine.blocks.unfolding.successors(node).to_vec() {
            let Step::Enter { callee, .. } = transition.step else { continue };
            let of = &functions[callee];
            own.written.extend(of.written.iter().filter(|b| !of.frame.contains(b)));
            relevant.extend(of.relevant.iter().filter(|b| !of.frame.contains(b)));
        }
    }
    own.relevant = Rc::new(relevant);
    own
}

/// What the edges of one function do.
fn own_effects(engine: &mut Engine, function: FnId, locs: &[LocId]) -> Effects {
    let root = engine.blocks.unfolding.root(function);
    let mut effects = Effects::default();
    let mut relevant = FxHashSet::default();
    for &loc in locs {
        let node = engine.blocks.unfolding.at(root, loc);
        for transition in engine.blocks.unfolding.successors(node).to_vec() {
            step(engine, function, node, transition.step, &mut effects, &mut relevant);
            if let Step::Enter { call, callee, .. } = transition.step {
                let stack = engine.blocks.unfolding.enter(root, call, callee);
                let Some(body) = engine.program().functions[callee].body else { continue };
                let exit = engine.blocks.unfolding.at(stack, body.exit);
                step(engine, function, exit, Step::Leave { call, callee }, &mut effects, &mut relevant);
            }
        }
    }
    effects.relevant = Rc::new(relevant);
    effects
}

fn step(
    engine: &mut Engine,
    function: FnId,
    node: NodeId,
    step: Step,
    effects: &mut Effects,
    relevant: &mut FxHashSet<BaseId>,
) {
    let program = engine.program();
    let Engine { terms, blocks, .. } = engine;
    let mut path = Path::default();
    // Behind something that is not modelled no run goes on.
    let _ = blocks.step(terms, &mut path, node, step);
    blocks.encoder.take_obligations();
    let written: BTreeSet<BaseId> = path.ssa.written().map(|(base, _)| base).collect();
    let formula = path.formula(terms);
    let mentioned = terms.free_symbols(formula).into_iter().map(|s| s.base);
    for base in mentioned.chain(written.iter().copied()).collect::<BTreeSet<_>>() {
        let Some(cell) = blocks.encoder.cell_of(base) else { continue };
        match cell.frame(program) {
            None => {}
            Some((of, 0)) if of == function => {
                effects.frame.insert(base);
            }
            // The frame of a callee.
            Some(_) => continue,
        }
        relevant.insert(base);
        if written.contains(&base) {
            effects.written.insert(base);
        }
    }
}
