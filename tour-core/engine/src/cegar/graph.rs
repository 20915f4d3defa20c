//! The graph of a program whose calls are unfolded: what is reached, what waits, and what observers are told of both.

use super::arg::{Arg, ArgId, Arrival};
use super::emit::{self, Place};
use super::ranking::Ranking;
use super::waitlist::Waitlist;
use crate::context::Engine;
use std::rc::Rc;
use tour_ir::cfa::Visit;
use tour_model::block::{Block, Known, NodeId, Target};

/// A graph that grows.
pub struct Graph<S> {
    /// What is reached.
    pub arg: Arg<S>,
    waitlist: Waitlist,
    ranking: Ranking,
}

/// The values that a state knows: blocks are specialised for them.
pub type KnownOf<'a, S> = &'a dyn Fn(&S) -> Known;

/// What a refinement has removed.
pub struct Removed {
    /// How the first of the removed nodes was reached.
    pub arrival: Arrival,
    /// Nodes elsewhere that were covered by removed ones.
    pub uncovered: Vec<ArgId>,
}

impl<S> Graph<S> {
    /// Nothing is reached.
    pub fn new(waitlist: Waitlist, ranking: Ranking) -> Graph<S> {
        Graph { arg: Arg::default(), waitlist, ranking }
    }

    /// Nothing is reached any more.
    pub fn clear(&mut self) {
        self.arg = Arg::default();
        self.waitlist.take();
    }

    /// The next node that waits.
    pub fn pop(&mut self) -> Option<ArgId> {
        self.waitlist.pop_waiting(&self.arg)
    }

    /// The node waits.
    pub fn push(&mut self, engine: &Engine, node: ArgId) {
        let rank = self.ranking.rank(engine, self.arg.node(node).at);
        self.waitlist.push(node, rank);
    }

    /// The block that begins at a node.
    pub fn block(&self, engine: &mut Engine, node: ArgId, known: KnownOf<S>) -> Option<Rc<Block>> {
        let of = self.arg.node(node);
        of.at.node().map(|at| engine.block(at, &known(&of.state)))
    }

    /// Adds a node that was computed with so much precision.
    pub fn add(
        &mut self,
        engine: &mut Engine,
        known: KnownOf<S>,
        at: Target,
        state: S,
        arrival: Option<Arrival>,
        stamp: u64,
    ) -> ArgId {
        let node = self.arg.add(at, state, arrival, stamp);
        if let Some(place) = self.watched(engine, node) {
            let trail = self.trail_into(engine, known, node);
            emit::reached(engine, place, &trail);
        }
        node
    }

    /// A node is covered by another one.
    pub fn cover(&mut self, engine: &Engine, node: ArgId, by: ArgId) {
        self.arg.cover(node, by);
        if let Some(place) = self.watched(engine, node) {
            emit::covered(engine, place);
        }
    }

    /// The block of a node is gone through, whether it is expanded then or leads to an error.
    pub fn visit(&self, engine: &mut Engine, known: KnownOf<S>, node: ArgId) {
        if engine.watch.is_on()
            && let Some(block) = self.block(engine, node, known)
        {
            emit::visited(engine, &block.visits());
        }
    }

    /// The successors of a node are about to be added.
    pub fn expand(&mut self, engine: &mut Engine, known: KnownOf<S>, node: ArgId) {
        let of = self.arg.node_mut(node);
        of.expanded = true;
        let at = of.at.node();
        if let Some(place) = self.watched(engine, node) {
            let distance = at.and_then(|at| self.ranking.distance(engine, at));
            let ended = self.trail(engine, known, node, None);
            emit::expanded(engine, place, distance, &ended);
        }
    }

    /// The precision has changed after block `first` of a path, which ends at its node `first + 1`: that goes, with all
    /// that is below it.
    pub fn cut(
        &mut self,
        engine: &mut Engine,
        known: KnownOf<S>,
        nodes: &[ArgId],
        first: usize,
    ) -> Option<Removed> {
        let below = &nodes[first + 1..];
        self.ranking.refute(below.iter().filter_map(|id| self.arg.node(*id).at.node()));
        let pivot = *below.first()?;
        let arrival = self.arg.node(pivot).arrival?;
        if engine.watch.is_on() {
            for node in self.arg.subtree(pivot) {
                self.emit_removed(engine, known, node);
            }
        }
        Some(Removed { arrival, uncovered: self.arg.remove(pivot) })
    }

    fn emit_removed(&self, engine: &mut Engine, known: KnownOf<S>, node: ArgId) {
        let Some(place) = self.watched(engine, node) else { return };
        let trail = self.trail_into(engine, known, node);
        let is_expanded = self.arg.node(node).expanded;
        let ended = if is_expanded { self.trail(engine, known, node, None) } else { Vec::new() };
        emit::removed(engine, place, &trail, &ended);
    }

    /// Where a node is.
    pub fn place(&self, engine: &Engine, node: ArgId) -> Option<Place> {
        let (at, call_depth) = engine.place(self.arg.node(node).at.node()?);
        Some(Place { at, call_depth })
    }

    /// Where it is, if someone wants to know.
    fn watched(&self, engine: &Engine, node: ArgId) -> Option<Place> {
        if engine.watch.is_on() { self.place(engine, node) } else { None }
    }

    /// The edges of a node's block that lead to a target, or to none.
    fn trail(&self, engine: &mut Engine, known: KnownOf<S>, node: ArgId, to: Option<Target>) -> Vec<Visit> {
        self.block(engine, node, known).map_or(Vec::new(), |block| block.trail(to))
    }

    fn trail_into(&self, engine: &mut Engine, known: KnownOf<S>, node: ArgId) -> Vec<Visit> {
        let of = self.arg.node(node);
        of.arrival.map_or(Vec::new(), |arrival| self.trail(engine, known, arrival.parent, Some(of.at)))
    }

    /// The program nodes of the graph's nodes.
    pub fn at(&self, node: ArgId) -> Option<NodeId> {
        self.arg.node(node).at.node()
    }
}
