//! Nested abstract reachability with a cache (`[BAM]`; with recursion, `[BAM-R]`): the system that [`crate::cegar`] explores.
//!
//! ```text
//! pop:    in a directed search the nearest state of all levels [TOUR Figure 7.3, line 4], otherwise the next one of the
//!         level that was opened last; levels in which nothing waits are closed
//! errors: as in lazy abstraction; the path is flattened through all levels
//! expand: call:  reduce the state; look it up in the cache; if it is new: open its level
//!                for each exit of the callee's level: expand it, add the state after the call
//!         loop:  the same for the head of a loop, if loops are blocks
//!         exit:  all who use this level get a new state
//!         other: as in lazy abstraction; calls wait as all states do
//! ```
//!
//! A call whose level is open already (recursion) uses the exits that are there so far, none at first. Each new
//! exit goes to all its users, so that the levels of a recursion grow to their common fixpoint. Open levels are a list:
//! deep chains of calls need no stack of the machine.

use super::alike::Alike;
use super::cache::closures;
use super::call::Call;
use super::counterexample::NestedPath;
use super::effects::{Effects, effects};
use super::level::{Level, LevelId};
use super::reducer::Reducer;
use super::tour::Tour;
use super::unit::{LoopUnits, Partition, Unit};
use crate::cegar::{ArgId, Arrival, Examined, Ranking, System, Waitlist, is_error};
use crate::context::Engine;
use crate::path::AbstractPath;
use index_vec::IndexVec;
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;
use std::rc::Rc;
use std::sync::Arc;
use tour_evidence::verdict::UnknownReason;
use tour_ir::cfa::{CallGraph, LocKind, LoopId, Order as Postorder};
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
    /// How often the search began again.
    pub restarts: u64,
    /// Posts that were like one before.
    pub alike: u64,
    /// How often it was asked whether a state covers another one.
    pub coverage_checks: u64,
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
    pub(super) locs: Arc<Postorder>,
    pub(super) levels: IndexVec<LevelId, Level<D::State>>,
    /// Block, reduced state, reduced precision.
    pub(super) cache: FxHashMap<(Unit, D::State, u64), LevelId>,
    /// Levels that are worked on, the one opened last at the end.
    pub(super) stack: Vec<LevelId>,
    /// Variables whose old values summaries of a function speak of.
    pub(super) olds: IndexVec<FnId, BTreeSet<BaseId>>,
    /// How often the precision of a function was changed.
    pub(super) changes: IndexVec<FnId, u64>,
    /// Levels that the program's entry uses, directly or not; to be computed again if `None`.
    pub(super) live: Option<Vec<bool>>,
    pub(super) ranking: Ranking,
    /// An empty one.
    pub(super) waitlist: Waitlist,
    /// Distances, if the search is directed.
    pub(super) tour: Option<Tour>,
    pub(super) use_cache: bool,
    /// Posts that were computed.
    pub(super) posts: FxHashMap<Alike, Vec<D::State>>,
    /// Variables that the precision speaks of.
    pub(super) tracked: BTreeSet<BaseId>,
    /// Counters.
    pub counts: Counts,
}

/// What waits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Work {
    /// The successors of a node of a level.
    Node(LevelId, ArgId),
    /// A return that may lead to an error, or to what is not modelled: the level and node of the call, and the exit of
    /// the callee.
    Return(LevelId, ArgId, ArgId),
}

/// What comes after a state of a level.
enum Next {
    /// The callee of a call.
    Call(Call),
    /// A loop that is a block.
    Loop(LoopId),
    /// What follows the level, wherever it is used.
    Exit,
    /// What its block leads to.
    Block,
}

/// A way to an error.
pub enum Way<S> {
    /// Out of a node's block.
    Out(Target),
    /// Back from a callee that was entered in a state.
    Back(S, Box<Exit>),
}

impl<'e, 'p, D: Reducer> Bam<'e, 'p, D> {
    /// Nothing reached yet. Without the cache, only blocks on the stack are used again.
    pub fn new(
        engine: &'e mut Engine<'p>,
        domain: &'e mut D,
        waitlist: Waitlist,
        tour: Option<Tour>,
        partition: Partition,
        use_cache: bool,
    ) -> Self {
        let program = engine.program();
        let calls = program.fact::<CallGraph>();
        let nothing = |_| Default::default();
        let effects = effects(engine);
        let mut bam = Bam {
            loops: LoopUnits::of(engine, &effects, partition, |f| calls.is_reachable(f)),
            effects,
            closure: closures(program, &calls),
            recursive: program.functions.indices().map(|f| calls.is_recursive(f)).collect(),
            locs: program.fact(),
            engine,
            domain,
            levels: IndexVec::new(),
            cache: FxHashMap::default(),
            stack: Vec::new(),
            olds: program.functions.indices().map(nothing).collect(),
            changes: program.functions.indices().map(|_| 0).collect(),
            live: None,
            ranking: Ranking::new(program, None),
            waitlist,
            tour,
            use_cache,
            posts: FxHashMap::default(),
            tracked: BTreeSet::new(),
            counts: Counts::default(),
        };
        bam.begin();
        bam
    }

    /// From now on, a check that was found violated does not count.
    pub fn close(&mut self, check: CheckId) {
        self.engine.blocks.close(check);
    }

    /// The program's entry is reached.
    pub(super) fn begin(&mut self) {
        let Some(start) = self.engine.blocks.unfolding.start() else { return };
        let stack = self.engine.blocks.unfolding.get(start).stack;
        let unit = Unit { stack, function: self.engine.program().entry, within: None };
        let initial = self.domain.initial();
        let first =
            self.levels.push(Level::new(unit, 0, Target::Node(start), initial, self.waitlist.empty()));
        if let Some(tour) = &mut self.tour {
            tour.begin(first);
        }
        self.wait(first, self.levels[first].root);
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

    /// The call that a state makes, if it is one.
    pub(super) fn call_at(&self, level: LevelId, node: ArgId) -> Option<Call> {
        let Target::Node(at) = self.levels[level].arg.node(node).at else { return None };
        Call::at(self.engine, at)
    }

    fn next_of(&self, level: LevelId, node: ArgId) -> Next {
        let Target::Node(at) = self.levels[level].arg.node(node).at else { return Next::Block };
        let (loc, unit) = (self.engine.blocks.unfolding.loc(at), self.levels[level].unit);
        if let Some(call) = Call::at(self.engine, at) {
            Next::Call(call)
        } else if self.loops.is_left(unit, loc) || self.engine.program().cfa.locs[loc].kind == LocKind::Exit {
            Next::Exit
        } else {
            self.loops.entered(unit, loc).map_or(Next::Block, Next::Loop)
        }
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
                    self.add_call(level, exit.to, entry, arrival);
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
        let stamp = self.stamp_of(at);
        let child = self.levels[level].arg.add(at, state, Some(arrival), stamp);
        if let Some(exit) = from {
            self.levels[level].returns.insert(child, exit);
        }
        self.emit_reached(level, child);
        if !self.cover(level, child) {
            self.wait(level, child);
        }
    }

    /// How much precision there is now at a place.
    pub(super) fn stamp_of(&self, at: Target) -> u64 {
        self.engine.site(at).map_or(0, |site| self.domain.stamp(site))
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

    /// Covers a node by another one of its level, if there is one that covers it.
    fn cover(&mut self, level: LevelId, node: ArgId) -> bool {
        let covers = |by: &D::State, state: &D::State| {
            self.counts.coverage_checks += 1;
            self.domain.covers(by, state)
        };
        let is_covered = self.levels[level].arg.try_cover(node, covers);
        if is_covered {
            self.emit_covered(level, node);
        }
        is_covered
    }

    /// It still has to be done.
    pub(super) fn is_waiting(&self, work: Work) -> bool {
        match work {
            Work::Node(level, node) => {
                self.levels.get(level).is_some_and(|of| of.arg.contains(node) && of.arg.is_waiting(node))
            }
            Work::Return(level, call, exit) => (self.levels.get(level))
                .and_then(|of| of.calls.get(&call))
                .is_some_and(|callee| self.levels[*callee].arg.is_live(exit)),
        }
    }
}

impl<'p, D: Reducer> System<'p> for Bam<'_, 'p, D> {
    type Node = Work;
    type Way = Way<D::State>;
    type Run = (CheckId, Walk);
    type Path = NestedPath;

    fn state_cost(&self) -> u64 {
        self.engine.heuristics.portfolio.state_cost
    }

    fn engine(&mut self) -> &mut Engine<'p> {
        self.engine
    }

    fn pop(&mut self) -> Option<Work> {
        while let Some(level) = self.next_level() {
            let of = &mut self.levels[level];
            let work = match of.doubts.pop() {
                Some((call, exit)) => Some(Work::Return(level, call, exit)),
                None => of.waitlist.pop().map(|node| Work::Node(level, node)),
            };
            if let Some(work) = work.filter(|work| self.is_waiting(*work)) {
                return Some(work);
            }
        }
        None
    }

    fn push(&mut self, work: Work) {
        match work {
            Work::Node(level, node) => self.wait(level, node),
            Work::Return(level, call, exit) => {
                self.levels[level].doubts.push((call, exit));
                self.wake(level);
            }
        }
    }

    fn is_covered(&mut self, work: Work) -> bool {
        match work {
            // Where a call returns to depends on what its caller knows.
            Work::Node(level, node) => self.call_at(level, node).is_none() && self.cover(level, node),
            Work::Return(..) => false,
        }
    }

    fn errors(&mut self, work: Work, modelled: bool) -> Result<Vec<Way<D::State>>, UnknownReason> {
        Ok(match work {
            Work::Node(level, node) => {
                if !matches!(self.next_of(level, node), Next::Block) {
                    return Ok(Vec::new());
                }
                let Some(block) = self.block(level, node) else { return Ok(Vec::new()) };
                let errors =
                    block.exits.iter().map(|exit| exit.to).filter(|to| is_error(self.engine, *to, modelled));
                errors.map(Way::Out).collect()
            }
            Work::Return(level, call, exit) => {
                let Some((state, ways)) = self.round_trip(level, call, exit) else { return Ok(Vec::new()) };
                let errors = ways.into_iter().filter(|way| is_error(self.engine, way.to, modelled));
                errors.map(|way| Way::Back(state.clone(), Box::new(way))).collect()
            }
        })
    }

    fn reaches(&mut self, work: Work, way: &Way<D::State>) -> Result<bool, UnknownReason> {
        match (work, way) {
            (Work::Node(level, node), Way::Out(to)) => {
                let Some(block) = self.block(level, node) else { return Ok(false) };
                let Some(exit) = block.exits.iter().find(|exit| exit.to == *to) else { return Ok(false) };
                let state = self.levels[level].arg.node(node).state.clone();
                let way = self.way(level, node, exit);
                Ok(!self.post(&state, &way, None)?.is_empty())
            }
            (_, Way::Back(state, way)) => Ok(!self.post(state, way, None)?.is_empty()),
            (Work::Return(..), Way::Out(_)) => Ok(false),
        }
    }

    fn examine(
        &mut self,
        work: Work,
        way: Way<D::State>,
    ) -> Result<Examined<Self::Run, NestedPath>, UnknownReason> {
        let target = match way {
            Way::Out(to) => to,
            Way::Back(_, exit) => exit.to,
        };
        self.examine_path(work, target)
    }

    fn expand(&mut self, work: Work) -> Result<(), UnknownReason> {
        let Work::Node(level, node) = work else { return Ok(()) };
        self.levels[level].arg.node_mut(node).expanded = true;
        match self.next_of(level, node) {
            Next::Call(call) => self.enter(level, node, call),
            Next::Loop(id) => self.enter_loop(level, node, id),
            Next::Exit => self.leave(level, node),
            Next::Block => {
                let Some(block) = self.block(level, node) else { return Ok(()) };
                self.emit_expanded(level, node, &block);
                for i in (0..block.exits.len()).filter(|i| matches!(block.exits[*i].to, Target::Node(_))) {
                    self.reach(level, node, &block, i)?;
                }
                Ok(())
            }
        }
    }

    fn refine(&mut self, _: &NestedPath, formulas: &AbstractPath) -> Result<Option<usize>, UnknownReason> {
        self.domain.refine(self.engine, formulas)
    }

    fn cut(&mut self, path: &NestedPath, first: usize) -> Result<(), UnknownReason> {
        self.cut_path(path, first)
    }

    fn first_stale(&mut self, path: &NestedPath) -> Option<usize> {
        path.hops.iter().position(|hop| {
            let node = self.levels[hop.level].arg.node(hop.node);
            node.stamp != self.stamp_of(node.at)
        })
    }

    /// What a loop's block loses of relations to variables outside may be what is missing.
    fn simplify_less(&mut self) -> Result<bool, UnknownReason> {
        let simplified = self.loops.give_up();
        if simplified {
            self.restart();
        }
        Ok(simplified)
    }
}
