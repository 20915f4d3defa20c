//! The algorithm: nested abstract reachability with a cache (Wonisch and Wehrheim 2012; with recursion, Beyer and
//! Friedberger 2018).
//!
//! ```text
//! stack := [the program's entry]; loop:
//!     level := top of the stack; if nothing waits in it: pop
//!     take a node of its waitlist; for each way out of its block:
//!         error: flatten the path through all levels; feasible: a violation; else refine and cut
//!         call:  reduce the state; look it up in the cache; if it is new: push its level
//!                for each exit of the callee's level: expand it, add the state after the call
//!         loop:  the same for the head of a loop, if loops are blocks
//!         exit:  all who use this level get a new state
//!         other: as in lazy abstraction
//! until the stack is empty: a proof
//! ```
//!
//! A call whose level is on the stack already (recursion) uses the exits that are there so far, none at first. Each new
//! exit goes to all its users, so that the levels of a recursion grow to their common fixpoint. The stack is a list: deep
//! chains of calls need no stack of the machine.

use super::alike::Alike;
use super::cache::closures;
use super::call::Call;
use super::effects::{Effects, effects};
use super::level::{Level, LevelId};
use super::reducer::Reducer;
use super::tour::Tour;
use super::unit::{LoopUnits, Partition, Unit};
use crate::analysis::{ArgId, Arrival, Engine, Order};
use index_vec::IndexVec;
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;
use std::rc::Rc;
use tour_evidence::verdict::UnknownReason;
use tour_ir::cfa::{CallGraph, LocKind, Order as Postorder};
use tour_ir::program::{CheckId, FnId};
use tour_logic::term::BaseId;
use tour_model::block::{Block, Exit, Target, Walk};

/// What the analysis has done.
#[derive(Clone, Copy, Debug, Default)]
pub struct Counts {
    /// Calls whose block was found in the cache, analysed completely.
    pub hits: u64,
    /// Calls whose block was found in the cache, but not analysed to the end.
    pub partial_hits: u64,
    /// Calls whose block had to be analysed.
    pub misses: u64,
    /// Most levels on the stack.
    pub depth: u64,
    /// Exits that went back to a call inside of the same recursion.
    pub iterations: u64,
    /// Refinements.
    pub refinements: u64,
    /// How often the search began again.
    pub restarts: u64,
    /// Posts that were like one before.
    pub alike: u64,
}

/// The algorithm's state.
pub struct Bam<'e, 'p, D: Reducer> {
    pub(super) engine: &'e mut Engine<'p>,
    pub(super) domain: &'e mut D,
    pub(super) effects: IndexVec<FnId, Effects>,
    /// The functions that a function may call, directly or not, and itself.
    pub(super) closure: IndexVec<FnId, Rc<[FnId]>>,
    /// The loops that are blocks too.
    pub(super) loops: LoopUnits,
    /// Functions that may call themselves, perhaps through others.
    pub(super) recursive: IndexVec<FnId, bool>,
    /// Locations by function.
    pub(super) locs: Postorder,
    pub(super) levels: IndexVec<LevelId, Level<D::State>>,
    /// Block, reduced state, reduced precision.
    pub(super) cache: FxHashMap<(Unit, D::State, u64), LevelId>,
    /// Levels that are worked on, the current one last.
    pub(super) stack: Vec<LevelId>,
    /// Variables whose old values summaries of a function speak of.
    pub(super) olds: IndexVec<FnId, BTreeSet<BaseId>>,
    /// How often the precision of a function was changed.
    pub(super) changes: IndexVec<FnId, u64>,
    /// Levels that the program's entry uses, directly or not; to be computed again if `None`.
    pub(super) live: Option<Vec<bool>>,
    /// Why the program can't be proved any more.
    pub(super) stuck: Option<UnknownReason>,
    pub(super) order: Order,
    /// Distances, if the search is directed.
    pub(super) tour: Option<Tour>,
    pub(super) use_cache: bool,
    /// Posts that were computed.
    pub(super) posts: FxHashMap<Alike, Vec<D::State>>,
    /// Variables that the precision speaks of.
    pub(super) tracked: BTreeSet<BaseId>,
    pub counts: Counts,
}

/// A check that is violated, and how.
pub type Found = Option<(CheckId, Walk)>;

impl<'e, 'p, D: Reducer> Bam<'e, 'p, D> {
    /// Nothing reached yet. Without the cache, only blocks on the stack are used again.
    pub fn new(
        engine: &'e mut Engine<'p>,
        domain: &'e mut D,
        order: Order,
        tour: Option<Tour>,
        partition: Partition,
        use_cache: bool,
    ) -> Self {
        let program = engine.program();
        let calls = CallGraph::of(program);
        let nothing = |_| Default::default();
        let effects = effects(engine);
        Bam {
            loops: LoopUnits::of(engine, &effects, partition, |f| calls.is_reachable(f)),
            effects,
            closure: closures(program, &calls),
            recursive: program.functions.indices().map(|f| calls.is_recursive(f)).collect(),
            locs: Postorder::of(program),
            engine,
            domain,
            levels: IndexVec::new(),
            cache: FxHashMap::default(),
            stack: Vec::new(),
            olds: program.functions.indices().map(nothing).collect(),
            changes: program.functions.indices().map(|_| 0).collect(),
            live: None,
            stuck: None,
            order,
            tour,
            use_cache,
            posts: FxHashMap::default(),
            tracked: BTreeSet::new(),
            counts: Counts::default(),
        }
    }

    /// From now on, a check that was found violated does not count.
    pub fn close(&mut self, check: CheckId) {
        self.engine.blocks.close(check);
    }

    /// Searches until there is a violation, or nothing is left. After a violation, it goes on where it was.
    pub fn explore(&mut self) -> Result<Found, UnknownReason> {
        if self.levels.is_empty() && !self.begin() {
            return Ok(None);
        }
        loop {
            self.engine.expand()?;
            let Some(&level) = self.stack.last() else { return Ok(None) };
            if !self.levels[level].has_work() || !self.is_live(level) {
                self.stack.pop();
                self.levels[level].open = false;
                continue;
            }
            if let Some((call, exit)) = self.levels[level].doubts.pop() {
                if let Some(found) = self.doubt(level, call, exit)? {
                    return Ok(Some(found));
                }
                continue;
            }
            let Some(node) = self.next(level) else { continue };
            let of = self.levels[level].arg.node(node);
            let waiting = !of.expanded && of.covered_by.is_none() && self.levels[level].arg.is_live(node);
            if waiting && let Some(found) = self.expand(level, node)? {
                return Ok(Some(found));
            }
        }
    }

    /// The program's entry is reached; false if it has no body.
    pub(super) fn begin(&mut self) -> bool {
        let Some(start) = self.engine.blocks.unfolding.start() else { return false };
        let stack = self.engine.blocks.unfolding.get(start).stack;
        let unit = Unit { stack, function: self.engine.program().entry, within: None };
        let initial = self.domain.initial();
        let first = self.levels.push(Level::new(unit, 0, Target::Node(start), initial, self.order));
        if let Some(tour) = &mut self.tour {
            tour.begin(first);
        }
        self.wait(first, self.levels[first].root);
        true
    }

    /// Puts a node on the waitlist of its level.
    pub(super) fn wait(&mut self, level: LevelId, node: ArgId) {
        let rank = self.rank(level, node);
        self.levels[level].waitlist.push(node, rank);
        self.wake(level);
    }

    /// The block that begins at a node, and what it says of the beginning of its function.
    pub(super) fn block(&mut self, level: LevelId, node: ArgId) -> Option<Rc<Block>> {
        let Target::Node(at) = self.levels[level].arg.node(node).at else { return None };
        let known = self.domain.known(&self.levels[level].arg.node(node).state);
        Some(self.engine.block(at, &known))
    }

    /// A way out of a node's block. Where a function begins, old values are the current ones.
    pub(super) fn way(&mut self, level: LevelId, node: ArgId, exit: &Exit) -> Exit {
        let mut exit = exit.clone();
        let Level { unit: Unit { function, within, .. }, root, .. } = self.levels[level];
        // The program's own run has no old values: it begins with the initial ones.
        if node != root || level.index() == 0 || within.is_some() || self.olds[function].is_empty() {
            return exit;
        }
        let Engine { terms, blocks, .. } = &mut *self.engine;
        for &base in &self.olds[function] {
            let old = blocks.encoder.old(terms, base);
            let (old, value) = (terms.var(old, 1), terms.var(base, 1));
            let fact = terms.eq(old, value);
            exit.path.add(terms, fact);
        }
        exit.formula = exit.path.formula(terms);
        exit
    }

    /// Computes the successors of a node: errors first, since they may change the node itself.
    fn expand(&mut self, level: LevelId, node: ArgId) -> Result<Found, UnknownReason> {
        if self.is_covered(level, node) {
            return Ok(None);
        }
        if self.is_exit(level, node) {
            self.levels[level].arg.node_mut(node).expanded = true;
            self.leave(level, node)?;
            return Ok(None);
        }
        if let Some(id) = self.loop_entered(level, node) {
            self.enter_loop(level, node, id)?;
            return Ok(None);
        }
        let Some(block) = self.block(level, node) else { return Ok(None) };
        for exit in block.exits.iter().filter(|exit| !matches!(exit.to, Target::Node(_))) {
            let skip = self.stuck.is_some() && matches!(exit.to, Target::Unsupported(_));
            if skip || !self.engine.blocks.counts(exit.to) {
                continue;
            }
            let state = self.levels[level].arg.node(node).state.clone();
            let way = self.way(level, node, exit);
            if self.post(&state, &way, None)?.is_empty() {
                continue;
            }
            let restarts = self.counts.restarts;
            match self.examine(level, node, None, exit.to)? {
                Some(walk) => match exit.to {
                    Target::Error(check) => {
                        // Its other ways out are still to be looked at.
                        self.wait(level, node);
                        return Ok(Some((check, walk)));
                    }
                    Target::Unsupported(edge) => self.stuck = Some(self.engine.unsupported(edge)),
                    Target::Node(_) => {}
                },
                None => {
                    // It may be reached in another context.
                    if restarts == self.counts.restarts && self.levels[level].arg.is_live(node) {
                        self.wait(level, node);
                    }
                    return Ok(None);
                }
            }
        }
        self.levels[level].arg.node_mut(node).expanded = true;
        self.tell_expanded(level, node, &block);
        for i in (0..block.exits.len()).filter(|i| matches!(block.exits[*i].to, Target::Node(_))) {
            self.reach(level, node, &block, i)?;
        }
        Ok(None)
    }

    fn is_exit(&self, level: LevelId, node: ArgId) -> bool {
        let Target::Node(at) = self.levels[level].arg.node(node).at else { return false };
        let loc = self.engine.blocks.unfolding.loc(at);
        let unit = self.levels[level].unit;
        let ends = self.loops.is_left(unit, loc) || self.engine.program().cfa.locs[loc].kind == LocKind::Exit;
        ends && Call::at(self.engine, at).is_none()
    }

    /// Adds the successors of a node through one way out of its block.
    pub(super) fn reach(
        &mut self,
        level: LevelId,
        node: ArgId,
        block: &Block,
        target: usize,
    ) -> Result<(), UnknownReason> {
        let exit = self.way(level, node, &block.exits[target]);
        let Target::Node(to) = exit.to else { return Ok(()) };
        let state = self.levels[level].arg.node(node).state.clone();
        let site = self.engine.site(exit.to);
        let arrival = Arrival { parent: node, target: target as u32 };
        match Call::at(self.engine, to) {
            None => {
                for successor in self.post(&state, &exit, site)? {
                    self.add(level, exit.to, successor, arrival, None);
                }
            }
            Some(call) => {
                let olds: Vec<BaseId> = self.olds[call.callee].iter().copied().collect();
                let into = call.entering(self.engine, &exit, &self.effects[call.callee], &olds);
                for entry in self.post(&state, &into, site)? {
                    self.call(level, exit.to, entry, arrival)?;
                }
            }
        }
        Ok(())
    }

    /// Adds a state. `from` is the callee's exit that it comes from.
    pub(super) fn add(
        &mut self,
        level: LevelId,
        at: Target,
        state: D::State,
        arrival: Arrival,
        from: Option<ArgId>,
    ) {
        let child = self.levels[level].arg.add(at, state, Some(arrival));
        self.stamp(level, child);
        if let Some(exit) = from {
            self.levels[level].returns.insert(child, exit);
        }
        self.tell_reached(level, child);
        if !self.is_covered(level, child) {
            self.wait(level, child);
        }
    }

    pub(super) fn stamp(&mut self, level: LevelId, node: ArgId) {
        let stamp = self.stamp_now(level, node);
        self.levels[level].stamps.insert(node, stamp);
    }

    /// How much precision there is now where a node is.
    pub(super) fn stamp_now(&self, level: LevelId, node: ArgId) -> u64 {
        self.engine.site(self.levels[level].arg.node(node).at).map_or(0, |site| self.domain.stamp(site))
    }

    /// Begins again, with the precision that there is.
    pub(super) fn restart(&mut self) {
        self.counts.restarts += 1;
        self.levels.clear();
        self.cache.clear();
        self.stack.clear();
        self.live = None;
        if let Some(tour) = &mut self.tour {
            tour.forget();
        }
        self.begin();
    }

    /// Covers a node by another one, if there is one that covers it.
    fn is_covered(&mut self, level: LevelId, node: ArgId) -> bool {
        let arg = &self.levels[level].arg;
        let candidates: Vec<ArgId> = arg.candidates(node).collect();
        for candidate in candidates {
            let arg = &self.levels[level].arg;
            if self.domain.covers(&arg.node(candidate).state, &arg.node(node).state) {
                self.levels[level].arg.cover(node, candidate);
                self.tell_covered(level, node);
                return true;
            }
        }
        false
    }
}
