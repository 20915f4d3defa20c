//! Programs without threads, calls unfolded: one graph, whose nodes are where blocks end.

use super::arg::{ArgId, Arrival};
use super::emit;
use super::feasibility::{self, Feasibility, Part};
use super::graph::Graph;
use super::{Examined, System, is_error};
use crate::context::Engine;
use crate::domain::Domain;
use crate::path::AbstractPath;
use std::rc::Rc;
use tour_evidence::verdict::UnknownReason;
use tour_ir::program::CheckId;
use tour_model::block::{Block, Target, Walk};

/// The system.
pub struct Sequential<'e, 'p, D: Domain> {
    /// Terms, solver, blocks.
    pub engine: &'e mut Engine<'p>,
    /// The domain of its states.
    pub domain: &'e mut D,
    /// The graph.
    pub graph: Graph<D::State>,
    /// How often it was asked whether a state covers another one.
    pub coverage_checks: u64,
}

impl<'e, 'p, D: Domain> Sequential<'e, 'p, D> {
    /// Nothing but the entry is reached.
    pub fn new(engine: &'e mut Engine<'p>, domain: &'e mut D, graph: Graph<D::State>) -> Self {
        let mut system = Sequential { engine, domain, graph, coverage_checks: 0 };
        system.start();
        system
    }

    /// Begins anew, with the precision that was found so far.
    pub fn start(&mut self) {
        self.graph.clear();
        let Some(start) = self.engine.blocks.unfolding.start() else { return };
        let initial = self.domain.initial();
        let root = self.add(Target::Node(start), initial, None, 0);
        self.push(root);
    }

    /// From now on, a check that was found violated does not count.
    pub fn close(&mut self, check: CheckId) {
        self.engine.blocks.close(check);
    }

    /// Shows the graph to who wants to see it.
    pub fn emit_graph(&mut self) {
        let Sequential { engine, domain, graph, .. } = self;
        emit::graph(engine, *domain, &graph.arg, |engine, id| graph.place(engine, id));
    }

    /// The block that begins at a node.
    fn block(&mut self, node: ArgId) -> Option<Rc<Block>> {
        self.graph.block(self.engine, node, &|state| self.domain.known(state))
    }

    fn add(&mut self, at: Target, state: D::State, arrival: Option<Arrival>, stamp: u64) -> ArgId {
        let known = |state: &D::State| self.domain.known(state);
        self.graph.add(self.engine, &known, at, state, arrival, stamp)
    }

    fn state(&self, node: ArgId) -> D::State {
        self.graph.arg.node(node).state.clone()
    }

    /// Adds the successors of a node through one way out of its block.
    fn reach(&mut self, node: ArgId, block: &Block, target: usize) -> Result<(), UnknownReason> {
        let exit = &block.exits[target];
        let state = self.state(node);
        let site = self.engine.site(exit.to);
        let stamp = site.map_or(0, |site| self.domain.stamp(site));
        for successor in self.domain.post(self.engine, &state, exit, site)? {
            let arrival = Arrival { parent: node, target: target as u32 };
            let child = self.add(exit.to, successor, Some(arrival), stamp);
            if !self.is_covered(child) {
                self.push(child);
            }
        }
        Ok(())
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
        self.graph.pop()
    }

    fn push(&mut self, node: ArgId) {
        self.graph.push(self.engine, node);
    }

    fn is_covered(&mut self, node: ArgId) -> bool {
        let state = &self.graph.arg.node(node).state;
        let by = self.graph.arg.candidates(node).find(|by| {
            self.coverage_checks += 1;
            self.domain.covers(&self.graph.arg.node(*by).state, state)
        });
        if let Some(by) = by {
            self.graph.cover(self.engine, node, by);
        }
        by.is_some()
    }

    fn errors(&mut self, node: ArgId, modelled: bool) -> Result<Vec<usize>, UnknownReason> {
        let Some(block) = self.block(node) else { return Ok(Vec::new()) };
        self.graph.visit(self.engine, &|state| self.domain.known(state), node);
        let exits = block.exits.iter().enumerate();
        Ok(exits.filter(|(_, exit)| is_error(self.engine, exit.to, modelled)).map(|(i, _)| i).collect())
    }

    fn reaches(&mut self, node: ArgId, way: &usize) -> Result<bool, UnknownReason> {
        let Some(block) = self.block(node) else { return Ok(false) };
        let state = self.state(node);
        Ok(!self.domain.post(self.engine, &state, &block.exits[*way], None)?.is_empty())
    }

    fn examine(&mut self, node: ArgId, way: usize) -> Result<Examined<Self::Run, Vec<ArgId>>, UnknownReason> {
        let nodes = self.graph.arg.path(node);
        let mut parts = Vec::with_capacity(nodes.len());
        for pair in nodes.windows(2) {
            let (Some(block), to) = (self.block(pair[0]), self.graph.arg.node(pair[1]).at) else { continue };
            parts.push(Part::Block { block, to, scope: None });
        }
        let Some(block) = self.block(node) else { return Ok(Examined::Refined) };
        let to = block.exits[way].to;
        parts.push(Part::Block { block, to, scope: None });
        Ok(match feasibility::check(self.engine, &parts)? {
            Feasibility::Infeasible(formulas) => Examined::Infeasible(nodes, formulas),
            Feasibility::Feasible(walk, _) => Examined::run(self.engine, to, walk),
        })
    }

    fn expand(&mut self, node: ArgId) -> Result<(), UnknownReason> {
        let Some(block) = self.block(node) else { return Ok(()) };
        self.graph.expand(self.engine, &|state| self.domain.known(state), node);
        for i in (0..block.exits.len()).filter(|i| block.exits[*i].to.node().is_some()) {
            self.reach(node, &block, i)?;
        }
        Ok(())
    }

    fn refine(&mut self, _: &Vec<ArgId>, formulas: &AbstractPath) -> Result<Option<usize>, UnknownReason> {
        self.domain.refine(self.engine, formulas)
    }

    fn cut(&mut self, nodes: &Vec<ArgId>, first: usize) -> Result<(), UnknownReason> {
        let known = |state: &D::State| self.domain.known(state);
        let Some(removed) = self.graph.cut(self.engine, &known, nodes, first) else { return Ok(()) };
        for uncovered in removed.uncovered {
            self.push(uncovered);
        }
        let Arrival { parent, target } = removed.arrival;
        match self.block(parent) {
            Some(block) => self.reach(parent, &block, target as usize),
            None => Ok(()),
        }
    }

    fn first_stale(&mut self, nodes: &Vec<ArgId>) -> Option<usize> {
        nodes[1..].iter().position(|id| {
            let node = self.graph.arg.node(*id);
            self.engine.site(node.at).is_some_and(|site| node.stamp != self.domain.stamp(site))
        })
    }
}
