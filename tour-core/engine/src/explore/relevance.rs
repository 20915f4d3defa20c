//! What of a state is looked at: by the next action of a thread, and by any action that may still come.

use super::Explorer;
use crate::domain::Domain;
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;
use std::time::Instant;
use tour_evidence::verdict::UnknownReason;
use tour_ir::program::Program;
use tour_logic::term::BaseId;
use tour_model::block::{Block, Blocks, Known, NodeId};
use tour_model::threads::coi::shared;
use tour_model::threads::footprint::{Bits, Footprints};
use tour_model::threads::live::Live;
use tour_model::threads::{Interleaving, TupleId};

/// Successors that were computed, by the way out of a block and what is wanted after it; with the block, so that it stays
/// where it is.
type Posts<S> = FxHashMap<(*const Block, usize, *const Bits), (Rc<Block>, Vec<S>)>;

/// What steps look at, as far as it was asked for.
pub(super) struct Relevance<S> {
    live: Live,
    /// What states at a tuple speak of, one set for all tuples where it is the same.
    wanted_at: FxHashMap<TupleId, Rc<Bits>>,
    sets: FxHashSet<Rc<Bits>>,
    /// What the domain was last told to look at.
    focus: Option<*const Bits>,
    posts: Posts<S>,
    /// What the steps of a block touch, by where it begins.
    touched: FxHashMap<NodeId, Rc<Bits>>,
    /// What of the footprints a variable of the formulas is part of.
    numbers: FxHashMap<BaseId, Option<u32>>,
}

impl<S> Relevance<S> {
    pub fn new(program: &Program, threads: &mut Interleaving) -> Relevance<S> {
        let live = Live::of(program, &mut threads.prints, &threads.graph);
        Relevance {
            live,
            wanted_at: FxHashMap::default(),
            sets: FxHashSet::default(),
            focus: None,
            posts: FxHashMap::default(),
            touched: FxHashMap::default(),
            numbers: FxHashMap::default(),
        }
    }

    /// Notes what variables are part of.
    pub fn number(&mut self, blocks: &Blocks, prints: &mut Footprints, bases: impl Iterator<Item = BaseId>) {
        for base in bases {
            self.numbers.entry(base).or_insert_with(|| {
                blocks.encoder.cell_of(base).and_then(shared).map(|what| prints.number(what))
            });
        }
    }

    /// Another precision counts: what is observed may be something else.
    pub fn forget(&mut self) {
        self.wanted_at.clear();
        self.posts.clear();
        self.sets.clear();
        self.focus = None;
    }

    fn unique(&mut self, set: Rc<Bits>) -> Rc<Bits> {
        match self.sets.get(&set) {
            Some(known) => known.clone(),
            None => {
                self.sets.insert(set.clone());
                set
            }
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
        let bases = known.iter().map(|(base, _)| base);
        self.relevance.number(&self.engine.blocks, &mut self.threads.prints, bases);
        let touched = &self.relevance.touched[&at];
        known.split(|base| self.relevance.is_in(touched, base))
    }

    /// What states at a tuple need to speak of: what may still be read; where statements are reduced, by steps that a
    /// condition observes.
    pub(super) fn wanted(&mut self, tuple: TupleId) -> Rc<Bits> {
        if let Some(known) = self.relevance.wanted_at.get(&tuple) {
            return known.clone();
        }
        let clock = Instant::now();
        let places = self.threads.get(tuple);
        let mut wanted = self.relevance.live.at(&self.engine.blocks, &places);
        if let Some(flows) = &mut self.flows {
            wanted.retain_all(&flows.observed(&self.threads, &self.engine.blocks, &places).reads);
        }
        let wanted = Rc::new(wanted);
        let wanted = self.relevance.unique(wanted);
        self.relevance.wanted_at.insert(tuple, wanted.clone());
        self.counts.reduction += clock.elapsed();
        wanted
    }

    /// The same of a state.
    pub(super) fn still_read(&mut self, state: D::State, wanted: &Bits) -> D::State {
        let known = self.domain.known(&state);
        if known.is_empty() {
            return state;
        }
        let bases = known.iter().map(|(base, _)| base);
        self.relevance.number(&self.engine.blocks, &mut self.threads.prints, bases);
        self.domain.only(state, &|base| self.relevance.is_in(wanted, base))
    }

    /// The states after a way out of a block, as far as they are wanted at a tuple.
    pub(super) fn successors(
        &mut self,
        state: &D::State,
        block: &Rc<Block>,
        exit: usize,
        wanted: &Rc<Bits>,
    ) -> Result<Vec<D::State>, UnknownReason> {
        // The block was made for what is known.
        let key = (Rc::as_ptr(block), exit, Rc::as_ptr(wanted));
        let is_known = self.domain.is_known(state);
        if is_known && let Some((_, states)) = self.relevance.posts.get(&key) {
            return Ok(states.clone());
        }
        let clock = self.clock();
        let way = &block.exits[exit];
        let site = self.engine.site(way.to);
        if self.flows.is_some() && self.relevance.focus != Some(Rc::as_ptr(wanted)) {
            self.relevance.focus = Some(Rc::as_ptr(wanted));
            self.domain.focus(&|base| self.relevance.is_in(wanted, base));
        }
        let states = self.domain.post(self.engine, state, way, site)?;
        self.counts.successors += self.since(clock);
        if is_known {
            self.relevance.posts.insert(key, (block.clone(), states.clone()));
        }
        Ok(states)
    }
}
