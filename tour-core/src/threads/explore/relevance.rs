//! What of a state is looked at: by the next action of a thread, and by any action that may still come.

use super::Explorer;
use crate::block::{Blocks, Known, NodeId};
use crate::domain::Domain;
use crate::program::Program;
use crate::term::BaseId;
use crate::threads::coi::shared;
use crate::threads::footprint::{Bits, Footprints};
use crate::threads::interleaving::{Interleaving, TupleId};
use crate::threads::live::Live;
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// What steps look at, as far as it was asked for.
pub(super) struct Relevance {
    live: Live,
    live_at: FxHashMap<TupleId, Rc<Bits>>,
    /// What the steps of a block touch, by where it begins.
    touched: FxHashMap<NodeId, Rc<Bits>>,
    /// What of the footprints a variable of the formulas is part of.
    numbers: FxHashMap<BaseId, Option<u32>>,
}

impl Relevance {
    pub fn new(program: &Program, threads: &mut Interleaving) -> Relevance {
        let live = Live::of(program, &mut threads.prints, &threads.graph);
        Relevance {
            live,
            live_at: FxHashMap::default(),
            touched: FxHashMap::default(),
            numbers: FxHashMap::default(),
        }
    }

    /// Notes what the variables of a state are part of.
    fn number_all(&mut self, blocks: &Blocks, prints: &mut Footprints, known: &Known) {
        for (base, _) in known.iter() {
            self.numbers.entry(base).or_insert_with(|| {
                blocks.encoder.cell_of(base).and_then(shared).map(|what| prints.number(what))
            });
        }
    }

    /// The variable is part of one of these; or of nothing that is known.
    fn is_in(&self, all: &Bits, base: BaseId) -> bool {
        self.numbers.get(&base).copied().flatten().is_none_or(|number| all.contains(number))
    }
}

impl<D: Domain> Explorer<'_, '_, D> {
    /// The known values that a thread's next action looks at, and the others.
    pub(super) fn looked_at(&mut self, at: NodeId, state: &D::State) -> (Known, Known) {
        let known = self.domain.known(state);
        if known.is_empty() {
            return (known.clone(), known);
        }
        if !self.relevance.touched.contains_key(&at) {
            let mut all = Bits::default();
            for (_, transition) in self.engine.blocks.steps(at).iter() {
                let print = self.threads.prints.of(transition.step);
                all.union(&print.reads);
                all.union(&print.writes);
            }
            self.relevance.touched.insert(at, Rc::new(all));
        }
        self.relevance.number_all(&self.engine.blocks, &mut self.threads.prints, &known);
        let touched = &self.relevance.touched[&at];
        known.split(|base| self.relevance.is_in(touched, base))
    }

    /// What may still be read of a state at a tuple.
    pub(super) fn still_read(&mut self, state: D::State, tuple: TupleId) -> D::State {
        let known = self.domain.known(&state);
        if known.is_empty() {
            return state;
        }
        if !self.relevance.live_at.contains_key(&tuple) {
            let live = self.relevance.live.at(&self.engine.blocks, &self.threads.get(tuple));
            self.relevance.live_at.insert(tuple, Rc::new(live));
        }
        self.relevance.number_all(&self.engine.blocks, &mut self.threads.prints, &known);
        let live = &self.relevance.live_at[&tuple];
        self.domain.only(state, &|base| self.relevance.is_in(live, base))
    }
}
