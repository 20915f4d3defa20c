//! The states of control of a program with threads: where each thread is. What can happen next is decided here as far as
//! control decides it; the rest is up to the data.

use super::footprint::{Footprint, Footprints, Shared};
use super::graph::{ThreadGraph, about};
use super::{Por, builtin_of};
use crate::block::{Blocks, NodeId, Step};
use index_vec::IndexVec;
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;
use tour_ir::cfa::{EdgeId, LocId};
use tour_ir::program::{Builtin, Program, ThreadId};

index_vec::define_index_type! {
    /// A tuple of locations.
    pub struct TupleId = u32;
    DEBUG_FORMAT = "s{}";
}

/// Where each thread is; `None` if it was not started yet.
pub type Tuple = Box<[Option<NodeId>]>;

/// What is known of the next action of a thread at a node: its steps up to where other threads may take over.
#[derive(Debug)]
pub struct Next {
    /// What it accesses, with all of an atomic section that it begins.
    pub print: Footprint,
    /// It may lead to the head of a loop.
    pub closes: bool,
    /// It waits for the end of one of these threads.
    pub waits: Option<Vec<ThreadId>>,
    /// Its next step is about other threads and has no other effect.
    pub control: bool,
    /// Whatever the data, it can happen, and does not end the program.
    pub sure: bool,
}

/// Do all threads wait?
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Deadlock {
    /// One can go on, or all have ended.
    No,
    /// That depends on which thread one of them waits for.
    Perhaps,
    /// They do.
    Yes,
}

/// The interleavings of a program.
pub struct Interleaving<'p> {
    program: &'p Program,
    /// What steps access.
    pub prints: Footprints<'p>,
    /// Where threads can get to.
    pub graph: ThreadGraph,
    ends: IndexVec<ThreadId, (NodeId, NodeId)>,
    tuples: IndexVec<TupleId, Rc<Tuple>>,
    ids: FxHashMap<Rc<Tuple>, TupleId>,
    next: FxHashMap<NodeId, Rc<Next>>,
    sources: FxHashMap<TupleId, Rc<[ThreadId]>>,
}

impl<'p> Interleaving<'p> {
    /// The interleavings of the program of these blocks; `None` if a thread has no body.
    pub fn new(
        blocks: &mut Blocks<'p>,
        prints: Footprints<'p>,
        graph: ThreadGraph,
    ) -> Option<Interleaving<'p>> {
        let program = blocks.unfolding.program();
        let ends =
            program.threads.all.indices().map(|t| blocks.unfolding.ends_of(t)).collect::<Option<_>>()?;
        Some(Interleaving {
            program,
            prints,
            graph,
            ends,
            tuples: IndexVec::new(),
            ids: FxHashMap::default(),
            next: FxHashMap::default(),
            sources: FxHashMap::default(),
        })
    }

    /// Only the first thread is there, at its beginning.
    pub fn initial(&mut self) -> TupleId {
        let mut tuple: Tuple = vec![None; self.ends.len()].into();
        tuple[0] = Some(self.ends[ThreadId::new(0)].0);
        self.intern(tuple)
    }

    fn intern(&mut self, tuple: Tuple) -> TupleId {
        let tuple = Rc::new(tuple);
        if let Some(&id) = self.ids.get(&tuple) {
            return id;
        }
        let id = self.tuples.push(tuple.clone());
        self.ids.insert(tuple, id);
        id
    }

    /// Where each thread is.
    pub fn get(&self, id: TupleId) -> Rc<Tuple> {
        self.tuples[id].clone()
    }

    /// How many tuples were seen.
    pub fn len(&self) -> usize {
        self.tuples.len()
    }

    /// No tuple was seen.
    pub fn is_empty(&self) -> bool {
        self.tuples.is_empty()
    }

    /// The thread goes to a node.
    pub fn moved(&mut self, id: TupleId, thread: ThreadId, to: NodeId) -> TupleId {
        let mut tuple = (*self.tuples[id]).clone();
        tuple[thread.index()] = Some(to);
        self.intern(tuple)
    }

    /// The thread has begun and has not ended.
    fn is_running(&self, tuple: &Tuple, thread: ThreadId) -> bool {
        tuple[thread.index()].is_some_and(|node| node != self.ends[thread].1)
    }

    fn has_ended(&self, tuple: &Tuple, thread: ThreadId) -> bool {
        tuple[thread.index()] == Some(self.ends[thread].1)
    }

    /// The threads that have begun and not ended.
    pub fn running(&self, id: TupleId) -> Vec<ThreadId> {
        let tuple = &self.tuples[id];
        self.ends.indices().filter(|t| self.is_running(tuple, *t)).collect()
    }

    /// The thread may still begin: the one that starts it can get there.
    pub fn may_start(&self, blocks: &Blocks, tuple: &Tuple, thread: ThreadId) -> bool {
        self.graph.started_at[thread].iter().any(|&loc| {
            let starter = super::graph::thread_at(self.program, loc);
            match tuple[starter.index()] {
                Some(node) => self.graph.may_reach(blocks.unfolding.loc(node), loc),
                None => starter != thread && self.may_start(blocks, tuple, starter),
            }
        })
    }

    /// Where a thread is, or will begin, as far as it still can do anything.
    pub fn position(&self, blocks: &Blocks, tuple: &Tuple, thread: ThreadId) -> Option<LocId> {
        match tuple[thread.index()] {
            Some(node) => Some(blocks.unfolding.loc(node)),
            None if self.may_start(blocks, tuple, thread) => Some(blocks.unfolding.loc(self.ends[thread].0)),
            None => None,
        }
    }

    /// The next action of a thread at a node.
    pub fn next(&mut self, blocks: &mut Blocks, node: NodeId) -> Rc<Next> {
        if let Some(known) = self.next.get(&node) {
            return known.clone();
        }
        let thread = super::graph::thread_at(self.program, blocks.unfolding.loc(node));
        let mut print = Footprint::default();
        let mut closes = false;
        let mut sure = true;
        let mut work = vec![node];
        let mut seen = FxHashSet::default();
        seen.insert(node);
        while let Some(at) = work.pop() {
            sure &= super::progress::goes_on(self.program, blocks.unfolding.loc(at));
            for transition in blocks.unfolding.successors(at).to_vec() {
                print.add(&self.prints.of(transition.step));
                let Some(to) = transition.to else { continue };
                closes |= blocks.is_loop_head(to);
                if to == self.ends[thread].1 {
                    print.writes.insert(self.prints.number(Shared::Ended(thread)));
                }
                let inside = blocks.unfolding.get(to).atomic > 0;
                sure &= !self.waits_at(blocks, to);
                // It may turn around in there forever.
                sure &= !(inside && blocks.is_loop_head(to));
                if (inside || !blocks.ends_at(to)) && seen.insert(to) {
                    work.push(to);
                }
            }
        }
        let control = self.is_control(blocks, node);
        let waits = self.waits(blocks, node);
        let next = Rc::new(Next { print, closes, waits, control, sure });
        self.next.insert(node, next.clone());
        next
    }

    /// The action begins an atomic section that goes on only when one of these threads has ended.
    fn waits(&self, blocks: &mut Blocks, node: NodeId) -> Option<Vec<ThreadId>> {
        let &[begin] = blocks.unfolding.successors(node) else { return None };
        let mut all = Vec::new();
        for transition in blocks.unfolding.successors(begin.to?).to_vec() {
            match self.control(transition.step) {
                Some(Builtin::ThreadFinished) => all.extend(about(self.program, transition.step.edge(), 0)),
                Some(_) => return None,
                // What is waited for is no thread: that is not modelled, whatever else happens.
                None => {}
            }
        }
        (!all.is_empty()).then_some(all)
    }

    fn control(&self, step: Step) -> Option<Builtin> {
        let Step::Edge(edge) = step else { return None };
        let builtin = builtin_of(self.program, &self.program.cfa.edges[edge].op)?;
        matches!(builtin, Builtin::ThreadStart | Builtin::ThreadFinished).then_some(builtin)
    }

    fn is_control(&self, blocks: &mut Blocks, node: NodeId) -> bool {
        blocks.unfolding.successors(node).to_vec().iter().any(|t| self.control(t.step).is_some())
    }

    /// The steps of control that a thread can take: which edge, and what comes of it.
    pub fn control_steps(
        &mut self,
        blocks: &mut Blocks,
        id: TupleId,
        thread: ThreadId,
    ) -> Vec<(EdgeId, TupleId)> {
        let tuple = self.get(id);
        let Some(node) = tuple[thread.index()] else { return Vec::new() };
        let mut out = Vec::new();
        for transition in blocks.unfolding.successors(node).to_vec() {
            let edge = transition.step.edge();
            let Some(to) = transition.to else { continue };
            let after = match self.control(transition.step) {
                Some(Builtin::ThreadStart) => {
                    let (new, previous) = (about(self.program, edge, 0), about(self.program, edge, 1));
                    let before = previous.filter(|p| Some(*p) != new);
                    let free = new.is_none_or(|new| tuple[new.index()].is_none());
                    if !free || before.is_some_and(|p| tuple[p.index()].is_none()) {
                        continue;
                    }
                    let moved = self.moved(id, thread, to);
                    match new {
                        Some(new) => self.moved(moved, new, self.ends[new].0),
                        None => moved,
                    }
                }
                Some(_) => {
                    let Some(other) = about(self.program, edge, 0) else { continue };
                    if !self.has_ended(&tuple, other) {
                        continue;
                    }
                    self.moved(id, thread, to)
                }
                None => self.moved(id, thread, to),
            };
            out.push((edge, after));
        }
        out
    }

    /// The thread whose atomic section is open.
    pub fn exclusive(&self, blocks: &Blocks, id: TupleId) -> Option<ThreadId> {
        let tuple = &self.tuples[id];
        let inside =
            |t: &ThreadId| tuple[t.index()].is_some_and(|node| blocks.unfolding.get(node).atomic > 0);
        self.running(id).into_iter().find(inside)
    }

    /// A node where a thread waits that can't go on.
    pub fn waits_at(&self, blocks: &Blocks, node: NodeId) -> bool {
        self.graph.visible.blocked.contains(&blocks.unfolding.loc(node))
    }

    /// Some thread waits that can't go on: the others do nothing any more but the same.
    pub fn is_standstill(&self, blocks: &Blocks, id: TupleId) -> bool {
        let tuple = &self.tuples[id];
        let waits = |t: &ThreadId| tuple[t.index()].is_some_and(|node| self.waits_at(blocks, node));
        !self.graph.visible.blocked.is_empty() && self.running(id).iter().any(waits)
    }

    /// Whether all threads wait: for what only others could do, or for the end of threads.
    pub fn deadlock(&mut self, blocks: &mut Blocks, id: TupleId) -> Deadlock {
        if self.program.threads.deadlock.is_none() {
            return Deadlock::No;
        }
        let tuple = self.get(id);
        let running = self.running(id);
        let mut found = if running.is_empty() { Deadlock::No } else { Deadlock::Yes };
        for thread in running {
            let Some(node) = tuple[thread.index()] else { continue };
            if self.waits_at(blocks, node) {
                continue;
            }
            let next = self.next(blocks, node);
            let own = match &next.waits {
                Some(all) if all.iter().all(|t| !self.has_ended(&tuple, *t)) => Deadlock::Yes,
                // It may wait for one of those that have ended.
                Some(all) if all.iter().any(|t| !self.has_ended(&tuple, *t)) => Deadlock::Perhaps,
                _ => Deadlock::No,
            };
            found = found.min(own);
        }
        found
    }

    /// The thread that has to wait next, if others do and can't go on: the first that does not wait yet.
    fn next_to_wait(&mut self, blocks: &mut Blocks, id: TupleId) -> Vec<ThreadId> {
        let tuple = self.get(id);
        let running = self.running(id);
        for thread in running {
            let Some(node) = tuple[thread.index()].filter(|node| !self.waits_at(blocks, *node)) else {
                continue;
            };
            let next = self.next(blocks, node);
            let joins =
                next.waits.as_ref().is_some_and(|all| all.iter().any(|t| !self.has_ended(&tuple, *t)));
            if !joins {
                return vec![thread];
            }
        }
        Vec::new()
    }

    /// The threads whose actions are explored from a tuple.
    pub fn explored(&mut self, blocks: &mut Blocks, id: TupleId, por: Por) -> Rc<[ThreadId]> {
        if let Some(known) = self.sources.get(&id) {
            return known.clone();
        }
        let set: Rc<[ThreadId]> = match (self.exclusive(blocks, id), por) {
            _ if self.is_standstill(blocks, id) => self.next_to_wait(blocks, id).into(),
            (Some(thread), _) => vec![thread].into(),
            (None, Por::None) => self.running(id).into(),
            (None, Por::Static | Por::Sleep) => {
                super::por::source_set(self, blocks, id, &FxHashMap::default()).into()
            }
        };
        self.sources.insert(id, set.clone());
        set
    }

    /// The next action can happen whatever the data: one that waits for the end of threads, when all have ended.
    pub fn is_sure(&self, tuple: &Tuple, next: &Next) -> bool {
        match &next.waits {
            Some(all) => all.iter().all(|t| self.has_ended(tuple, *t)),
            None => next.sure,
        }
    }

    /// The thread is at a wait for threads that have all not ended: it can't go on.
    pub fn is_blocked(&self, tuple: &Tuple, next: &Next) -> bool {
        next.waits.as_ref().is_some_and(|all| all.iter().all(|t| !self.has_ended(tuple, *t)))
    }
}
