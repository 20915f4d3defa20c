//! Explicit-state search: the values of the variables that matter, edge by edge, without a solver `[EXPLICIT]`, `[SLICED]`.
//!
//! A state is a location under a call stack with the values of tracked variables. What an edge does to it is evaluated
//! (`transfer`); a condition that is open is taken both ways, and teaches the value of a variable that it compares with
//! a known one. States are in hash tables (`table`), and covered by equal ones and by those that know less. The precision
//! says for each location which variables are tracked; where a path to an error is infeasible, variables are added along
//! the cheapest slice that excludes it (`slice`), so that each refinement makes progress until all variables are
//! tracked that the path needs. Only a path that values do not exclude is a question to the solver. If it has no run either,
//! the program can't be proved by values, and the search goes on for violations.
//!
//! It is a [`System`] of the one loop ([`crate::cegar`]): what the loop adds to an edge is less than what the edge costs.
//! The states of [`crate::domain::value`], which the solver enumerates at the ends of large blocks, have the same form.

mod cost;
mod live;
mod slice;
mod table;
mod transfer;

use crate::cegar::feasibility::{self, Feasibility, Part};
use crate::cegar::{ArgId, Arrival, Examined, Graph, System, is_error};
use crate::context::{Engine, Event};
use crate::path::AbstractPath;
use cost::Costs;
use index_vec::IndexVec;
use live::Live;
use rustc_hash::FxHashMap;
use slice::Slice;
use std::collections::BTreeSet;
use std::rc::Rc;
use table::Table;
use tour_evidence::verdict::UnknownReason;
use tour_ir::cfa::LocId;
use tour_ir::program::CheckId;
use tour_logic::term::{BaseId, Given};
use tour_model::block::{Known, NodeId, Target, Walk};
use transfer::Transfer;

/// A graph with more states is given up: it protects memory, a state takes about 250 bytes.
const MAX_STATES: usize = 3_000_000;

/// The system.
pub struct Explicit<'e, 'p> {
    /// Terms, solver, blocks.
    pub engine: &'e mut Engine<'p>,
    /// The graph.
    pub graph: Graph<Known>,
    /// The variables that are tracked at each location, ascending.
    tracked: IndexVec<LocId, Vec<BaseId>>,
    /// How many refinements have added each variable.
    added: FxHashMap<BaseId, u32>,
    live: Live<'p>,
    costs: Costs,
    given: Given,
    transfers: IndexVec<NodeId, Option<Rc<Transfer>>>,
    table: Table,
    /// How many edges were taken.
    pub edges: u64,
}

/// Observers are told of edges, whatever a state knows.
const WHOLE: &dyn Fn(&Known) -> Known = &|_| Known::default();

/// An infeasible path: its nodes, and the slices that exclude it by values.
pub struct Path {
    nodes: Vec<ArgId>,
    slices: Vec<Slice>,
}

impl<'e, 'p> Explicit<'e, 'p> {
    /// Nothing but the entry is reached.
    pub fn new(engine: &'e mut Engine<'p>, graph: Graph<Known>) -> Self {
        let program = engine.program();
        let mut system = Explicit {
            graph,
            tracked: IndexVec::from_vec(vec![Vec::new(); program.cfa.locs.len()]),
            added: FxHashMap::default(),
            live: Live::of(program),
            costs: Costs::of(program),
            given: Given::default(),
            transfers: IndexVec::new(),
            table: Table::default(),
            edges: 0,
            engine,
        };
        if let Some(start) = system.engine.blocks.unfolding.start() {
            let root = system.graph.add(system.engine, WHOLE, Target::Node(start), Known::default(), None, 0);
            system.wait(root);
        }
        system
    }

    /// From now on, a check that was found violated does not count.
    pub fn close(&mut self, check: CheckId) {
        self.engine.blocks.close(check);
    }

    /// How many variables are tracked anywhere.
    pub fn tracked(&self) -> usize {
        self.tracked.iter().flatten().collect::<BTreeSet<_>>().len()
    }

    fn transfer(&mut self, node: NodeId) -> Rc<Transfer> {
        while self.transfers.len_idx() <= node {
            self.transfers.push(None);
        }
        match &self.transfers[node] {
            Some(transfer) => transfer.clone(),
            None => {
                let transfer = Rc::new(Transfer::of(self.engine, node));
                self.transfers[node] = Some(transfer.clone());
                transfer
            }
        }
    }

    /// The node waits, and may cover others.
    fn wait(&mut self, node: ArgId) {
        let of = self.graph.arg.node(node);
        let Target::Node(at) = of.at else { return };
        self.table.add(at, &of.state, node);
        self.push(node);
    }

    /// Adds the successor of a node by one way, if there is one.
    fn reach(&mut self, node: ArgId, transfer: &Transfer, index: usize) {
        let way = &transfer.ways[index];
        let Target::Node(to) = way.to else { return };
        self.edges += 1;
        let terms = &mut self.engine.terms;
        let state = &self.graph.arg.node(node).state;
        let Ok(learned) = way.learned(terms, &mut self.given, state) else { return };
        let tracked = &self.tracked[self.engine.blocks.unfolding.loc(to)];
        let after = way.post(terms, &mut self.given, state, &learned, Some(tracked));
        let arrival = Arrival { parent: node, target: index as u32 };
        let child = self.graph.add(self.engine, WHOLE, way.to, after, Some(arrival), 0);
        if !self.is_covered(child) {
            self.wait(child);
        }
    }

    /// The steps of the path to a node, and by a way on.
    fn steps(&mut self, nodes: &[ArgId], way: usize) -> Vec<slice::PathStep> {
        let mut steps = Vec::with_capacity(nodes.len());
        for (i, &node) in nodes.iter().enumerate() {
            let Target::Node(at) = self.graph.arg.node(node).at else { continue };
            let taken = nodes.get(i + 1).and_then(|next| self.graph.arg.node(*next).arrival);
            let way = taken.map_or(way, |arrival| arrival.target as usize);
            steps.push((self.transfer(at), way));
        }
        steps
    }
}

impl<'p> System<'p> for Explicit<'_, 'p> {
    type Node = ArgId;
    /// Which of the node's ways.
    type Way = usize;
    type Run = (CheckId, Walk);
    type Path = Path;

    fn state_cost(&self) -> u64 {
        self.engine.heuristics.explicit.state_cost
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
        let of = self.graph.arg.node(node);
        let Target::Node(at) = of.at else { return false };
        let is_there = |by: ArgId| {
            by != node && self.graph.arg.is_live(by) && self.graph.arg.node(by).covered_by.is_none()
        };
        let Some(by) = self.table.covering(at, &of.state, is_there) else { return false };
        self.graph.cover(self.engine, node, by);
        true
    }

    fn errors(&mut self, node: ArgId, modelled: bool) -> Result<Vec<usize>, UnknownReason> {
        let Target::Node(at) = self.graph.arg.node(node).at else { return Ok(Vec::new()) };
        let transfer = self.transfer(at);
        self.graph.visit(self.engine, WHOLE, node);
        if !transfer.has_errors {
            return Ok(Vec::new());
        }
        let ways = transfer.ways.iter().enumerate();
        Ok(ways.filter(|(_, way)| is_error(self.engine, way.to, modelled)).map(|(i, _)| i).collect())
    }

    fn reaches(&mut self, node: ArgId, way: &usize) -> Result<bool, UnknownReason> {
        let Target::Node(at) = self.graph.arg.node(node).at else { return Ok(false) };
        let transfer = self.transfer(at);
        let state = &self.graph.arg.node(node).state;
        Ok(transfer.ways[*way].learned(&mut self.engine.terms, &mut self.given, state).is_ok())
    }

    /// The path is followed with the values of all variables; the solver is asked only if these allow it.
    fn examine(&mut self, node: ArgId, way: usize) -> Result<Examined<Self::Run, Path>, UnknownReason> {
        let nodes = self.graph.arg.path(node);
        let steps = self.steps(&nodes, way);
        let max = self.engine.heuristics.explicit.max_sliced_prefixes;
        let slices = slice::slices(self.engine, &mut self.given, &self.costs, &steps, max);
        if !slices.is_empty() {
            return Ok(Examined::Infeasible(Path { nodes, slices }, AbstractPath::default()));
        }
        let mut parts = Vec::with_capacity(nodes.len());
        for (&node, (transfer, way)) in nodes.iter().zip(&steps) {
            let Target::Node(at) = self.graph.arg.node(node).at else { continue };
            let block = self.engine.block(at, &Known::default());
            parts.push(Part::Block { block, to: transfer.ways[*way].to, scope: None });
        }
        let Some((transfer, way)) = steps.last() else { return Ok(Examined::Refined) };
        Ok(match feasibility::check(self.engine, &parts)? {
            // More than values is needed to exclude it. Others may be runs.
            Feasibility::Infeasible(_) => Examined::Unprovable(UnknownReason::NoProgress),
            Feasibility::Feasible(walk, _) => Examined::run(self.engine, transfer.ways[*way].to, walk),
        })
    }

    fn expand(&mut self, node: ArgId) -> Result<(), UnknownReason> {
        if self.graph.arg.len() > MAX_STATES {
            return Err(UnknownReason::Inconclusive);
        }
        let Target::Node(at) = self.graph.arg.node(node).at else { return Ok(()) };
        let transfer = self.transfer(at);
        self.graph.expand(self.engine, WHOLE, node);
        for way in 0..transfer.ways.len() {
            self.reach(node, &transfer, way);
        }
        Ok(())
    }

    /// Tracks the variables of the cheapest slice.
    fn refine(&mut self, path: &Path, _: &AbstractPath) -> Result<Option<usize>, UnknownReason> {
        // Of equally cheap ones, that which leaves most of the graph as it is.
        let cheapest = |slice: &&Slice| (slice.score, std::cmp::Reverse(slice.first));
        let Some(slice) = path.slices.iter().min_by_key(cheapest) else { return Ok(None) };
        let (mut first, mut new) = (None, BTreeSet::new());
        for (i, needed) in slice.needed.iter().enumerate() {
            let node = slice.first + i;
            let of = self.graph.arg.node(path.nodes[node]);
            let Target::Node(at) = of.at else { continue };
            let loc = self.engine.blocks.unfolding.loc(at);
            for &base in needed {
                // It may be tracked by now, and not have been when the state was computed.
                if of.state.get(base).is_none() {
                    first = first.or(node.checked_sub(1));
                }
                if track(self.engine, &mut self.tracked, loc, base) {
                    new.insert(base);
                }
            }
        }
        for base in new {
            let times = self.added.entry(base).or_default();
            *times += 1;
            // What comes back again and again is needed on other paths, too.
            if *times == self.engine.heuristics.explicit.local_refinements
                && let Some(var) = self.engine.blocks.encoder.scalar(base)
            {
                for loc in self.live.locations(var) {
                    track(self.engine, &mut self.tracked, loc, base);
                }
                first = Some(0);
            }
        }
        Ok(first)
    }

    fn cut(&mut self, path: &Path, first: usize) -> Result<(), UnknownReason> {
        let Some(removed) = self.graph.cut(self.engine, WHOLE, &path.nodes, first) else { return Ok(()) };
        for uncovered in removed.uncovered {
            if !self.is_covered(uncovered) {
                self.wait(uncovered);
            }
        }
        let Arrival { parent, target } = removed.arrival;
        if let Some(at) = self.graph.at(parent) {
            let transfer = self.transfer(at);
            self.reach(parent, &transfer, target as usize);
        }
        Ok(())
    }

    /// A slice says by itself where states are older than the precision.
    fn first_stale(&mut self, _: &Path) -> Option<usize> {
        None
    }
}

/// Tracks a variable at a location. False if it is tracked there.
fn track(engine: &Engine, tracked: &mut IndexVec<LocId, Vec<BaseId>>, loc: LocId, base: BaseId) -> bool {
    let Err(place) = tracked[loc].binary_search(&base) else { return false };
    tracked[loc].insert(place, base);
    if engine.watch.is_on() {
        let variables = engine.blocks.encoder.variables_of(base);
        engine.watch.emit(&Event::Tracked { at: loc, variables: &variables });
    }
    true
}
