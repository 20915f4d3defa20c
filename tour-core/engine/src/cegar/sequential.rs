//! Programs without threads, calls unfolded: one graph, whose nodes are where blocks end.

use super::arg::{Arg, ArgId, Arrival};
use super::emit::{self, Place};
use super::feasibility::{self, Feasibility, Part};
use super::ranking::Ranking;
use super::waitlist::Waitlist;
use super::{Examined, System};
use crate::context::{Engine, Event};
use crate::domain::Domain;
use crate::path::AbstractPath;
use std::rc::Rc;
use tour_evidence::verdict::UnknownReason;
use tour_ir::cfa::Visit;
use tour_ir::program::CheckId;
use tour_model::block::{Block, NodeId, Target, Walk};

/// The system.
pub struct Sequential<'e, 'p, D: Domain> {
    /// Terms, solver, blocks.
    pub engine: &'e mut Engine<'p>,
    /// The domain of its states.
    pub domain: &'e mut D,
    /// The graph.
    pub arg: Arg<D::State>,
    /// How often it was asked whether a state covers another one.
    pub coverage_checks: u64,
    ranking: Ranking,
    waitlist: Waitlist,
}

impl<'e, 'p, D: Domain> Sequential<'e, 'p, D> {
    /// Nothing but the entry is reached.
    pub fn new(engine: &'e mut Engine<'p>, domain: &'e mut D, waitlist: Waitlist, ranking: Ranking) -> Self {
        let mut system =
            Sequential { engine, domain, arg: Arg::default(), coverage_checks: 0, ranking, waitlist };
        system.start();
        system
    }

    /// Begins anew, with the precision that was found so far.
    pub fn start(&mut self) {
        self.arg = Arg::default();
        self.waitlist.take();
        let Some(start) = self.engine.blocks.unfolding.start() else { return };
        let initial = self.domain.initial();
        let root = self.arg.add(Target::Node(start), initial, None, 0);
        self.emit_reached(root, None);
        self.push(root);
    }

    /// From now on, a check that was found violated does not count.
    pub fn close(&mut self, check: CheckId) {
        self.engine.blocks.close(check);
    }

    /// Shows the graph to who wants to see it.
    pub fn emit_graph(&mut self) {
        let Sequential { engine, domain, arg, .. } = self;
        emit::graph(engine, *domain, arg, |engine, id| place(engine, arg, id));
    }

    /// The block that begins at a node.
    fn block(&mut self, node: ArgId) -> Option<Rc<Block>> {
        let Target::Node(at) = self.arg.node(node).at else { return None };
        let known = self.domain.known(&self.arg.node(node).state);
        Some(self.engine.block(at, &known))
    }

    /// Adds the successors of a node through one way out of its block.
    fn reach(&mut self, node: ArgId, block: &Block, target: usize) -> Result<(), UnknownReason> {
        let exit = &block.exits[target];
        let state = self.arg.node(node).state.clone();
        let site = self.engine.site(exit.to);
        let stamp = site.map_or(0, |site| self.domain.stamp(site));
        for successor in self.domain.post(self.engine, &state, exit, site)? {
            let arrival = Arrival { parent: node, target: target as u32 };
            let child = self.arg.add(exit.to, successor, Some(arrival), stamp);
            self.emit_reached(child, Some(block));
            if !self.is_covered(child) {
                self.push(child);
            }
        }
        Ok(())
    }

    fn remove(&mut self, node: ArgId) {
        self.emit_removed(node);
        for uncovered in self.arg.remove(node) {
            self.push(uncovered);
        }
    }

    fn watched(&self, node: ArgId) -> Option<Place> {
        if self.engine.watch.is_on() { place(self.engine, &self.arg, node) } else { None }
    }

    fn emit_reached(&self, node: ArgId, block: Option<&Block>) {
        let Some(place) = self.watched(node) else { return };
        let trail = block.map_or(Vec::new(), |block| block.trail(Some(self.arg.node(node).at)));
        emit::reached(self.engine, place, &trail);
    }

    fn emit_removed(&mut self, root: ArgId) {
        if !self.engine.watch.is_on() {
            return;
        }
        for node in self.arg.subtree(root) {
            let Some(place) = self.watched(node) else { continue };
            let parent = self.arg.node(node).arrival.and_then(|arrival| self.block(arrival.parent));
            let trail: Vec<Visit> =
                parent.map_or(Vec::new(), |block| block.trail(Some(self.arg.node(node).at)));
            let own = if self.arg.node(node).expanded { self.block(node) } else { None };
            let ended = own.map_or(Vec::new(), |block| block.trail(None));
            emit::removed(self.engine, place, &trail, &ended);
        }
    }
}

fn place<S>(engine: &Engine, arg: &Arg<S>, node: ArgId) -> Option<Place> {
    let Target::Node(at) = arg.node(node).at else { return None };
    let (at, call_depth) = engine.place(at);
    Some(Place { at, call_depth })
}

fn node_of(target: Target) -> Option<NodeId> {
    match target {
        Target::Node(node) => Some(node),
        Target::Error(_) | Target::Unsupported(_) => None,
    }
}

impl<'p, D: Domain> System<'p> for Sequential<'_, 'p, D> {
    type Node = ArgId;
    /// Which way out of the node's block.
    type Way = usize;
    type Run = (CheckId, Walk);
    type Path = Vec<ArgId>;

    fn state_cost(&self) -> u64 {
        self.engine.heuristics.portfolio.state_cost
    }

    fn engine(&mut self) -> &mut Engine<'p> {
        self.engine
    }

    fn pop(&mut self) -> Option<ArgId> {
        while let Some(node) = self.waitlist.pop() {
            if self.arg.is_waiting(node) {
                return Some(node);
            }
        }
        None
    }

    fn push(&mut self, node: ArgId) {
        let rank = self.ranking.rank(self.engine, self.arg.node(node).at);
        self.waitlist.push(node, rank);
    }

    fn is_covered(&mut self, node: ArgId) -> bool {
        let covers = |by: &D::State, state: &D::State| {
            self.coverage_checks += 1;
            self.domain.covers(by, state)
        };
        let is_covered = self.arg.try_cover(node, covers);
        if is_covered && let Some(place) = self.watched(node) {
            emit::covered(self.engine, place);
        }
        is_covered
    }

    fn errors(&mut self, node: ArgId, modelled: bool) -> Result<Vec<usize>, UnknownReason> {
        let Some(block) = self.block(node) else { return Ok(Vec::new()) };
        if self.engine.watch.is_on() {
            self.engine.watch.emit(&Event::Visited { visits: &block.visits() });
        }
        let is_error = |to: Target| match to {
            Target::Node(_) => false,
            Target::Error(_) => self.engine.blocks.counts(to),
            Target::Unsupported(_) => !modelled && self.engine.blocks.counts(to),
        };
        Ok((0..block.exits.len()).filter(|i| is_error(block.exits[*i].to)).collect())
    }

    fn reaches(&mut self, node: ArgId, way: &usize) -> Result<bool, UnknownReason> {
        let Some(block) = self.block(node) else { return Ok(false) };
        let state = self.arg.node(node).state.clone();
        Ok(!self.domain.post(self.engine, &state, &block.exits[*way], None)?.is_empty())
    }

    fn examine(&mut self, node: ArgId, way: usize) -> Result<Examined<Self::Run, Vec<ArgId>>, UnknownReason> {
        let nodes = self.arg.path(node);
        let mut parts = Vec::with_capacity(nodes.len());
        for pair in nodes.windows(2) {
            let (Some(block), to) = (self.block(pair[0]), self.arg.node(pair[1]).at) else { continue };
            parts.push(Part::Block { block, to, scope: None });
        }
        let Some(block) = self.block(node) else { return Ok(Examined::Refined) };
        let to = block.exits[way].to;
        parts.push(Part::Block { block, to, scope: None });
        Ok(match feasibility::check(self.engine, &parts)? {
            Feasibility::Infeasible(formulas) => Examined::Infeasible(nodes, formulas),
            Feasibility::Feasible(walk, _) => match to {
                Target::Error(check) => Examined::Violation((check, walk)),
                Target::Unsupported(edge) => Examined::Unprovable(self.engine.unsupported(edge)),
                Target::Node(_) => Examined::Refined,
            },
        })
    }

    fn expand(&mut self, node: ArgId) -> Result<(), UnknownReason> {
        let Some(block) = self.block(node) else { return Ok(()) };
        self.arg.node_mut(node).expanded = true;
        if let Some(place) = self.watched(node) {
            let distance = self.ranking.distance(self.engine, block.from);
            emit::expanded(self.engine, place, distance, &block.trail(None));
        }
        for i in (0..block.exits.len()).filter(|i| matches!(block.exits[*i].to, Target::Node(_))) {
            self.reach(node, &block, i)?;
        }
        Ok(())
    }

    fn refine(&mut self, _: &Vec<ArgId>, formulas: &AbstractPath) -> Result<Option<usize>, UnknownReason> {
        self.domain.refine(self.engine, formulas)
    }

    /// Block i of a path ends at its node i + 1.
    fn cut(&mut self, nodes: &Vec<ArgId>, first: usize) -> Result<(), UnknownReason> {
        let below = &nodes[first + 1..];
        self.ranking.refute(below.iter().filter_map(|id| node_of(self.arg.node(*id).at)));
        let Some(&pivot) = below.first() else { return Ok(()) };
        let Some(Arrival { parent, target }) = self.arg.node(pivot).arrival else { return Ok(()) };
        self.remove(pivot);
        match self.block(parent) {
            Some(block) => self.reach(parent, &block, target as usize),
            None => Ok(()),
        }
    }

    fn first_stale(&mut self, nodes: &Vec<ArgId>) -> Option<usize> {
        nodes[1..].iter().position(|id| {
            let node = self.arg.node(*id);
            self.engine.site(node.at).is_some_and(|site| node.stamp != self.domain.stamp(site))
        })
    }
}
