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
//!         exit:  all calls that use this level get a new state
//!         other: as in lazy abstraction
//! until the stack is empty: a proof
//! ```
//!
//! A call whose level is on the stack already (recursion) uses the exits that are there so far, none at first. Each new
//! exit goes to all its users, so that the levels of a recursion grow to their common fixpoint. The stack is a list: deep
//! chains of calls need no stack of the machine.

use super::call::Call;
use super::effects::{Effects, effects};
use super::level::{Level, LevelId};
use super::reducer::Reducer;
use crate::analysis::{ArgId, Arrival, Engine, Order};
use crate::block::{Block, Exit, StackId, Target, Walk};
use crate::cfa::{CallGraph, LocKind, Order as Postorder};
use crate::domain::Site;
use crate::program::{CheckId, FnId};
use crate::term::BaseId;
use crate::verdict::UnknownReason;
use index_vec::IndexVec;
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;
use std::rc::Rc;

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
}

/// The algorithm's state.
pub struct Bam<'e, 'p, D: Reducer> {
    pub(super) engine: &'e mut Engine<'p>,
    pub(super) domain: &'e mut D,
    pub(super) effects: IndexVec<FnId, Effects>,
    /// The functions that a function may call, directly or not, and itself.
    pub(super) closure: IndexVec<FnId, Rc<[FnId]>>,
    /// Functions that may call themselves, perhaps through others.
    pub(super) recursive: IndexVec<FnId, bool>,
    /// Locations by function.
    pub(super) locs: Postorder,
    pub(super) levels: IndexVec<LevelId, Level<D::State>>,
    /// Block, reduced state, reduced precision.
    cache: FxHashMap<(StackId, D::State, u64), LevelId>,
    /// Levels that are worked on, the current one last.
    stack: Vec<LevelId>,
    /// Variables whose old values summaries of a function speak of.
    pub(super) olds: IndexVec<FnId, BTreeSet<BaseId>>,
    /// How often the precision of a function was changed.
    pub(super) changes: IndexVec<FnId, u64>,
    /// Levels that the program's entry uses, directly or not; to be computed again if `None`.
    live: Option<Vec<bool>>,
    /// Why the program can't be proved any more.
    pub(super) stuck: Option<UnknownReason>,
    order: Order,
    use_cache: bool,
    pub counts: Counts,
}

/// A check that is violated, and how.
pub type Found = Option<(CheckId, Walk)>;

impl<'e, 'p, D: Reducer> Bam<'e, 'p, D> {
    /// Nothing reached yet. Without the cache, only blocks on the stack are used again.
    pub fn new(engine: &'e mut Engine<'p>, domain: &'e mut D, order: Order, use_cache: bool) -> Self {
        let program = engine.program();
        let calls = CallGraph::of(program);
        let nothing = |_| Default::default();
        Bam {
            effects: effects(engine),
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
            use_cache,
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
            self.engine.check_interrupt()?;
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
            let Some(node) = self.levels[level].waitlist.pop() else { continue };
            let of = self.levels[level].arg.node(node);
            let waiting = !of.expanded && of.covered_by.is_none() && self.levels[level].arg.is_live(node);
            if waiting && let Some(found) = self.expand(level, node)? {
                return Ok(Some(found));
            }
        }
    }

    /// The program's entry is reached; false if it has no body.
    fn begin(&mut self) -> bool {
        let Some(start) = self.engine.blocks.unfolding.start() else { return false };
        let main = self.engine.blocks.unfolding.get(start).stack;
        let (entry, initial) = (self.engine.program().entry, self.domain.initial());
        let first = self.levels.push(Level::new(main, entry, 0, Target::Node(start), initial, self.order));
        self.wait(first, self.levels[first].root);
        true
    }

    /// A level from which nothing leads to the program's entry is not worked on; it stays in the cache.
    fn is_live(&mut self, level: LevelId) -> bool {
        if self.live.as_ref().is_none_or(|live| live.len() <= level.index()) {
            let mut live = vec![false; self.levels.len()];
            live[0] = true;
            let mut work = vec![LevelId::new(0)];
            while let Some(level) = work.pop() {
                for &callee in self.levels[level].calls.values() {
                    if !std::mem::replace(&mut live[callee.index()], true) {
                        work.push(callee);
                    }
                }
            }
            self.live = Some(live);
        }
        self.live.as_ref().is_some_and(|live| live[level.index()])
    }

    /// Levels that the program's entry uses.
    pub fn live_levels(&mut self) -> Vec<LevelId> {
        let all: Vec<LevelId> = self.levels.indices().collect();
        all.into_iter().filter(|&level| self.is_live(level)).collect()
    }

    /// The users of levels have changed.
    pub(super) fn users_changed(&mut self) {
        self.live = None;
        // What is dead now may wait under another user.
        for level in self.live_levels() {
            if self.levels[level].has_work() {
                self.wake(level);
            }
        }
    }

    /// How many levels are below the current one.
    pub(super) fn depth(&self) -> u32 {
        self.stack.len().saturating_sub(1) as u32
    }

    /// Puts a level on the stack; the current one goes on first.
    fn wake(&mut self, level: LevelId) {
        let below = self.stack.len().saturating_sub(1);
        self.put(below, level);
    }

    /// Puts a level on the stack; it goes on first.
    fn open(&mut self, level: LevelId) {
        self.put(self.stack.len(), level);
    }

    fn put(&mut self, position: usize, level: LevelId) {
        if !std::mem::replace(&mut self.levels[level].open, true) {
            self.stack.insert(position, level);
            self.counts.depth = self.counts.depth.max(self.stack.len() as u64);
        }
    }

    /// Puts a node on the waitlist of its level.
    pub(super) fn wait(&mut self, level: LevelId, node: ArgId) {
        let rank = self.engine.rank(self.levels[level].arg.node(node).at);
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
    fn way(&mut self, level: LevelId, node: ArgId, exit: &Exit) -> Exit {
        let mut exit = exit.clone();
        let Level { function, root, .. } = self.levels[level];
        // The program's own run has no old values: it begins with the initial ones.
        if node != root || level.index() == 0 || self.olds[function].is_empty() {
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
        let Some(block) = self.block(level, node) else { return Ok(None) };
        for exit in block.exits.iter().filter(|exit| !matches!(exit.to, Target::Node(_))) {
            let skip = self.stuck.is_some() && matches!(exit.to, Target::Unsupported(_));
            if skip || !self.engine.blocks.counts(exit.to) {
                continue;
            }
            let state = self.levels[level].arg.node(node).state.clone();
            let way = self.way(level, node, exit);
            if self.domain.post(self.engine, &state, &way, None)?.is_empty() {
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
        self.engine.program().cfa.locs[loc].kind == LocKind::Exit && Call::at(self.engine, at).is_none()
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
                for successor in self.domain.post(self.engine, &state, &exit, site)? {
                    self.add(level, exit.to, successor, arrival, None);
                }
            }
            Some(call) => {
                let olds: Vec<BaseId> = self.olds[call.callee].iter().copied().collect();
                let into = call.entering(self.engine, &exit, &self.effects[call.callee], &olds);
                for entry in self.domain.post(self.engine, &state, &into, site)? {
                    self.call(level, exit.to, entry, arrival)?;
                }
            }
        }
        Ok(())
    }

    /// Adds a state. `from` is the callee's exit that it comes from.
    fn add(&mut self, level: LevelId, at: Target, state: D::State, arrival: Arrival, from: Option<ArgId>) {
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

    fn stamp(&mut self, level: LevelId, node: ArgId) {
        let stamp = self.stamp_now(level, node);
        self.levels[level].stamps.insert(node, stamp);
    }

    /// How much precision there is now where a node is.
    pub(super) fn stamp_now(&self, level: LevelId, node: ArgId) -> u64 {
        self.engine.site(self.levels[level].arg.node(node).at).map_or(0, |site| self.domain.stamp(site))
    }

    /// How much precision there is now in a function and those that it calls.
    pub(super) fn precision(&self, function: FnId) -> u64 {
        self.closure[function].iter().map(|f| self.changes[*f]).sum()
    }

    /// Adds a call, and finds the level of its callee.
    fn call(
        &mut self,
        level: LevelId,
        at: Target,
        state: D::State,
        arrival: Arrival,
    ) -> Result<(), UnknownReason> {
        let Target::Node(entry) = at else { return Ok(()) };
        let Some(call) = Call::at(self.engine, entry) else { return Ok(()) };
        let of = &self.levels[level];
        let again = (of.arg.node(arrival.parent).children.iter()).any(|&sibling| {
            let sibling = of.arg.node(sibling);
            sibling.arrival == Some(arrival) && sibling.state == state
        });
        if again {
            return Ok(());
        }
        let relevant = self.effects[call.callee].relevant.clone();
        let reduced = self.domain.reduce(&self.engine.terms, &state, &|base| relevant.contains(&base));
        let node = self.levels[level].arg.add(at, state, Some(arrival));
        self.levels[level].arg.node_mut(node).expanded = true;
        self.stamp(level, node);
        self.tell_reached(level, node);
        let callee = self.level_of(call.callee, reduced);
        self.levels[level].calls.insert(node, callee);
        self.levels[callee].users.insert((level, node));
        if let Some(live) = &mut self.live {
            live.resize(self.levels.len(), false);
            let was = std::mem::replace(&mut live[callee.index()], true);
            if !was && !self.levels[callee].calls.is_empty() {
                // It was given up, and with it perhaps what it calls.
                self.users_changed();
            }
        }
        if self.levels[callee].has_work() {
            self.open(callee);
        }
        for exit in self.levels[callee].exits.clone() {
            self.come_back(level, node, exit)?;
        }
        Ok(())
    }

    /// The level of a function that is entered in a reduced state: from the cache, or a new one.
    fn level_of(&mut self, function: FnId, state: D::State) -> LevelId {
        let block = self.engine.blocks.unfolding.root(function);
        let key = (block, state, self.precision(function));
        if let Some(&level) = self.cache.get(&key)
            && (self.use_cache || self.levels[level].open)
        {
            match self.levels[level].has_work() {
                false => self.counts.hits += 1,
                true => self.counts.partial_hits += 1,
            }
            return level;
        }
        self.counts.misses += 1;
        let entry = match self.engine.program().functions[function].body {
            Some(body) => Target::Node(self.engine.blocks.unfolding.at(block, body.entry)),
            None => unreachable!("only functions with a body are entered"),
        };
        let new = Level::new(block, function, key.2, entry, key.1.clone(), self.order);
        let level = self.levels.push(new);
        let root = self.levels[level].root;
        let rank = self.engine.rank(entry);
        self.levels[level].waitlist.push(root, rank);
        self.cache.insert(key, level);
        level
    }

    /// A level was refined: it stands for the precision that there is now.
    pub(super) fn renew(&mut self, level: LevelId) {
        let of = &self.levels[level];
        let (block, function, state) = (of.block, of.function, of.entry().clone());
        let (old, new) = (of.precision, self.precision(function));
        if old == new || level.index() == 0 {
            return;
        }
        self.levels[level].precision = new;
        if self.cache.get(&(block, state.clone(), old)) == Some(&level) {
            self.cache.remove(&(block, state.clone(), old));
        }
        self.cache.entry((block, state, new)).or_insert(level);
    }

    /// A state in which a level is left: its users go on with it.
    fn leave(&mut self, level: LevelId, exit: ArgId) -> Result<(), UnknownReason> {
        self.levels[level].exits.push(exit);
        for (user, call) in self.levels[level].users.clone() {
            // A user that is still worked on inside of this level.
            let above = self.stack.iter().rev().take_while(|l| **l != level).any(|l| *l == user);
            self.counts.iterations += u64::from(user == level || above);
            self.come_back(user, call, exit)?;
        }
        Ok(())
    }

    /// The call's way in, the callee's exit and the way back to the caller, as one.
    pub(super) fn round_trip(&mut self, level: LevelId, node: ArgId, exit: ArgId) -> Vec<Exit> {
        let of = &self.levels[level];
        let (Some(Arrival { parent, target }), Target::Node(entry)) =
            (of.arg.node(node).arrival, of.arg.node(node).at)
        else {
            return Vec::new();
        };
        let (Some(call), Some(block)) = (Call::at(self.engine, entry), self.block(level, parent)) else {
            return Vec::new();
        };
        let into = self.way(level, parent, &block.exits[target as usize]);
        let callee = &self.levels[self.levels[level].calls[&node]];
        let begin = self.domain.formula(&mut self.engine.terms, &self.levels[level].arg.node(node).state);
        let end = self.domain.formula(&mut self.engine.terms, &callee.arg.node(exit).state);
        let stack = self.levels[level].block;
        let to = self.engine.program().cfa.edges[call.edge].to;
        let back = self.engine.blocks.unfolding.at(stack, to);
        call.through(self.engine, &into, &self.effects[call.callee], begin, end, back)
    }

    /// Expands an exit of a callee: adds the states after the call.
    pub(super) fn come_back(
        &mut self,
        level: LevelId,
        node: ArgId,
        exit: ArgId,
    ) -> Result<(), UnknownReason> {
        let Some(Arrival { parent, .. }) = self.levels[level].arg.node(node).arrival else { return Ok(()) };
        let state = self.levels[level].arg.node(parent).state.clone();
        let arrival = Arrival { parent: node, target: 0 };
        for way in self.round_trip(level, node, exit) {
            match way.to {
                Target::Node(_) => {
                    let site: Option<Site> = self.engine.site(way.to);
                    for successor in self.domain.post(self.engine, &state, &way, site)? {
                        self.add(level, way.to, successor, arrival, Some(exit));
                    }
                }
                Target::Error(_) | Target::Unsupported(_) => {
                    self.levels[level].doubts.push((node, exit));
                    self.wake(level);
                }
            }
        }
        Ok(())
    }

    /// A return may lead to an error, or to what is not modelled: does it?
    fn doubt(&mut self, level: LevelId, node: ArgId, exit: ArgId) -> Result<Found, UnknownReason> {
        let callee = self.levels[level].calls.get(&node).copied();
        let Some(callee) = callee.filter(|c| self.levels[*c].arg.is_live(exit)) else { return Ok(None) };
        let Some(Arrival { parent, .. }) = self.levels[level].arg.node(node).arrival else { return Ok(None) };
        let state = self.levels[level].arg.node(parent).state.clone();
        for way in self.round_trip(level, node, exit) {
            let skip = match way.to {
                Target::Node(_) => true,
                Target::Unsupported(_) => self.stuck.is_some(),
                Target::Error(_) => !self.engine.blocks.counts(way.to),
            };
            if skip || self.domain.post(self.engine, &state, &way, None)?.is_empty() {
                continue;
            }
            let restarts = self.counts.restarts;
            match self.examine(level, node, Some(exit), way.to)? {
                Some(walk) => match way.to {
                    Target::Error(check) => {
                        self.levels[level].doubts.push((node, exit));
                        return Ok(Some((check, walk)));
                    }
                    Target::Unsupported(edge) => self.stuck = Some(self.engine.unsupported(edge)),
                    Target::Node(_) => {}
                },
                None => {
                    // It may be reached in another context.
                    if restarts == self.counts.restarts
                        && self.levels[level].calls.get(&node) == Some(&callee)
                        && self.levels[callee].arg.is_live(exit)
                    {
                        self.levels[level].doubts.push((node, exit));
                        self.wake(level);
                    }
                    return Ok(None);
                }
            }
        }
        Ok(None)
    }

    /// Begins again, with the precision that there is.
    pub(super) fn restart(&mut self) {
        self.counts.restarts += 1;
        self.levels.clear();
        self.cache.clear();
        self.stack.clear();
        self.live = None;
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

/// For each function, those that it may call, directly or not, and itself.
fn closures(program: &crate::program::Program, calls: &CallGraph) -> IndexVec<FnId, Rc<[FnId]>> {
    let mut all: IndexVec<FnId, Rc<[FnId]>> = program.functions.iter().map(|_| Vec::new().into()).collect();
    for component in calls.components() {
        let mut below: BTreeSet<FnId> = component.iter().copied().collect();
        for &function in component {
            for (callee, _) in calls.callees(function) {
                below.extend(all[callee].iter());
            }
        }
        let below: Rc<[FnId]> = below.into_iter().collect();
        for &function in component {
            all[function] = below.clone();
        }
    }
    all
}
