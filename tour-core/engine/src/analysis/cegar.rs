//! Counterexample-guided abstraction refinement over lazy abstraction (Beyer et al. 2009, §II.C).
//!
//! ```text
//! loop:
//!     take a node from the waitlist; for each way out of its block:
//!         successor := post(node); if it is an error and the path is feasible: a violation
//!                                  if the path is infeasible: refine, cut below the pivot
//!         unless a reached node covers the successor: put it on the waitlist
//! until the waitlist is empty: a proof
//! ```

use super::arg::{Arg, ArgId, Arrival};
use super::engine::{Engine, unknown};
use super::observe::Event;
use super::waitlist::{Order, Waitlist};
use crate::domain::{AbstractPath, Domain};
use std::rc::Rc;
use tour_evidence::verdict::UnknownReason;
use tour_ir::program::CheckId;
use tour_logic::smt::{Purpose, Smt};
use tour_logic::term::Assignment;
use tour_model::block::{Block, Target, Walk};
use tour_model::encode::Ssa;

/// How an analysis ended.
pub enum Ending {
    /// The graph is complete and has no error.
    Complete,
    /// A feasible path leads to a check.
    Error(CheckId, Walk),
    /// It takes long: it may go on, or start anew with more help.
    Long,
    /// Neither.
    Unknown(UnknownReason),
}

/// Counters of a run.
#[derive(Clone, Copy, Debug, Default)]
pub struct Counts {
    /// Refinements.
    pub refinements: u64,
    /// Nodes expanded.
    pub expanded: u64,
    /// Nodes covered.
    pub covered: u64,
    /// Live nodes of the abstract reachability graph, at the end.
    pub nodes: u64,
}

/// The algorithm's state.
pub struct Cegar<'e, 'p, D: Domain> {
    pub(super) engine: &'e mut Engine<'p>,
    pub(super) domain: &'e mut D,
    pub(super) arg: Arg<D::State>,
    waitlist: Waitlist,
    /// Why the program can't be proved any more: something that we do not model is reached.
    stuck: Option<UnknownReason>,
    /// Counters.
    pub counts: Counts,
}

/// Why exploration stops before its end.
enum Stop {
    Error(CheckId, Walk),
    Long,
}

/// What a path that leads to an error turned out to be.
enum Feasibility {
    Feasible(Walk),
    Infeasible(AbstractPath),
}

impl<'e, 'p, D: Domain> Cegar<'e, 'p, D> {
    /// Nothing reached yet.
    pub fn new(engine: &'e mut Engine<'p>, domain: &'e mut D, order: Order) -> Cegar<'e, 'p, D> {
        Cegar {
            engine,
            domain,
            arg: Arg::default(),
            waitlist: Waitlist::new(order),
            stuck: None,
            counts: Counts::default(),
        }
    }

    /// Runs to an end. After an error, it goes on where it was: see [`Cegar::close`].
    pub fn run(&mut self) -> Ending {
        let found = self.explore();
        self.tell_graph();
        self.counts.nodes = self.arg.len() as u64;
        match found {
            Err(reason) => Ending::Unknown(reason),
            Ok(Some(Stop::Error(check, walk))) => Ending::Error(check, walk),
            Ok(Some(Stop::Long)) => Ending::Long,
            Ok(None) => match self.stuck.take() {
                Some(reason) => Ending::Unknown(reason),
                None => Ending::Complete,
            },
        }
    }

    /// From now on, a check that was found violated does not count.
    pub fn close(&mut self, check: CheckId) {
        self.engine.blocks.close(check);
    }

    /// Begins again, with the precision that was found so far.
    pub fn start_anew(&mut self) {
        let order = self.waitlist.order();
        (self.arg, self.waitlist) = (Arg::default(), Waitlist::new(order));
    }

    /// The reachability graph, and what it was made with.
    pub fn parts(&mut self) -> (&Arg<D::State>, &mut Engine<'p>, &mut D) {
        (&self.arg, self.engine, self.domain)
    }

    fn explore(&mut self) -> Result<Option<Stop>, UnknownReason> {
        if self.arg.is_empty() {
            let Some(start) = self.engine.blocks.unfolding.start() else { return Ok(None) };
            let initial = self.domain.initial();
            let root = self.arg.add(Target::Node(start), initial, None);
            self.tell_reached(root, None);
            self.waitlist.push(root, self.engine.rank(Target::Node(start)));
        }
        while let Some(node) = self.waitlist.pop() {
            self.engine.expand()?;
            if self.engine.has_waited() {
                self.waitlist.push(node, self.engine.rank(self.arg.node(node).at));
                return Ok(Some(Stop::Long));
            }
            let waiting = self.arg.is_live(node)
                && !self.arg.node(node).expanded
                && self.arg.node(node).covered_by.is_none();
            if waiting && let Some((check, walk)) = self.expand(node)? {
                return Ok(Some(Stop::Error(check, walk)));
            }
        }
        Ok(None)
    }

    /// Computes the successors of a node: errors first, since they may change the node itself.
    fn expand(&mut self, node: ArgId) -> Result<Option<(CheckId, Walk)>, UnknownReason> {
        if self.is_covered(node) {
            return Ok(None);
        }
        let Some(block) = self.block(node) else { return Ok(None) };
        self.counts.expanded += 1;
        if self.engine.watch.is_on() {
            self.engine.watch.tell(&Event::Visited { visits: &block.visits() });
        }
        let is_error = |target: &Target| !matches!(target, Target::Node(_));
        let errors = block.exits.iter().enumerate().filter(|(_, e)| is_error(&e.to));
        for (i, exit) in errors {
            if !self.engine.blocks.counts(exit.to) {
                continue;
            }
            if self.stuck.is_some() && matches!(exit.to, Target::Unsupported(_)) {
                continue;
            }
            let state = self.arg.node(node).state.clone();
            if self.domain.post(self.engine, &state, exit, None)?.is_empty() {
                continue;
            }
            match self.feasibility(node, i)? {
                Feasibility::Feasible(walk) => match exit.to {
                    Target::Error(check) => {
                        // Its other ways out are still to be looked at.
                        self.waitlist.push(node, self.engine.rank(self.arg.node(node).at));
                        return Ok(Some((check, walk)));
                    }
                    Target::Unsupported(edge) => self.stuck = Some(self.engine.unsupported(edge)),
                    Target::Node(_) => {}
                },
                Feasibility::Infeasible(path) => {
                    self.refine(node, &path)?;
                    return Ok(None);
                }
            }
        }
        self.arg.node_mut(node).expanded = true;
        self.tell_expanded(node, &block);
        for i in (0..block.exits.len()).filter(|i| !is_error(&block.exits[*i].to)) {
            self.reach(node, &block, i)?;
        }
        Ok(None)
    }

    /// The block that begins at a node.
    pub(super) fn block(&mut self, node: ArgId) -> Option<Rc<Block>> {
        let Target::Node(at) = self.arg.node(node).at else { return None };
        let known = self.domain.known(&self.arg.node(node).state);
        Some(self.engine.block(at, &known))
    }

    /// Adds the successors of a node through one way out of its block.
    fn reach(&mut self, node: ArgId, block: &Block, target: usize) -> Result<(), UnknownReason> {
        let exit = &block.exits[target];
        let state = self.arg.node(node).state.clone();
        let site = self.engine.site(exit.to);
        for successor in self.domain.post(self.engine, &state, exit, site)? {
            let arrival = Arrival { parent: node, target: target as u32 };
            let child = self.arg.add(exit.to, successor, Some(arrival));
            self.tell_reached(child, Some(block));
            if !self.is_covered(child) {
                self.waitlist.push(child, self.engine.rank(exit.to));
            }
        }
        Ok(())
    }

    /// Covers a node by another one, if there is one that covers it.
    fn is_covered(&mut self, node: ArgId) -> bool {
        let candidates: Vec<ArgId> = self.arg.candidates(node).collect();
        for candidate in candidates {
            // An unexpanded node must not be covered by one that waits for it.
            let (by, state) = (&self.arg.node(candidate).state.clone(), &self.arg.node(node).state.clone());
            if self.domain.covers(by, state) {
                self.arg.cover(node, candidate);
                self.counts.covered += 1;
                self.tell_covered(node);
                return true;
            }
        }
        false
    }

    /// The path from the root to `node` and through exit `last` of its block, checked exactly.
    fn feasibility(&mut self, node: ArgId, last: usize) -> Result<Feasibility, UnknownReason> {
        let nodes = self.arg.path(node);
        let mut exits: Vec<(ArgId, usize)> = Vec::with_capacity(nodes.len());
        for &child in &nodes[1..] {
            if let Some(arrival) = self.arg.node(child).arrival {
                exits.push((arrival.parent, arrival.target as usize));
            }
        }
        exits.push((node, last));
        let mut path = AbstractPath::default();
        let mut ssa = Ssa::default();
        let mut before = Vec::with_capacity(exits.len());
        for &(from, exit) in &exits {
            let Some(block) = self.block(from) else { continue };
            let exit = &block.exits[exit];
            let formula = self.engine.terms.rename(exit.formula, |s| ssa.shift(s));
            path.formulas.push(formula);
            path.sites.extend(self.engine.site(exit.to));
            before.push(ssa.clone());
            ssa = ssa.then(&exit.path.ssa);
            path.ssa.push(ssa.clone());
        }
        let whole = self.engine.terms.and(&path.formulas);
        let model =
            self.engine.smt.find_model(&self.engine.terms, whole, Purpose::Feasibility).map_err(unknown)?;
        match model {
            None => Ok(Feasibility::Infeasible(path)),
            Some(model) => Ok(Feasibility::Feasible(self.follow(&exits, &before, &model)?)),
        }
    }

    /// The run that a model describes.
    fn follow(
        &mut self,
        exits: &[(ArgId, usize)],
        before: &[Ssa],
        model: &Assignment,
    ) -> Result<Walk, UnknownReason> {
        let mut walk = {
            let Engine { terms, blocks, .. } = &mut *self.engine;
            Walk::from_entry(blocks, terms, model)
        };
        for (&(from, exit), before) in exits.iter().zip(before) {
            let Some(block) = self.block(from) else { continue };
            let to = block.exits[exit].to;
            let Engine { terms, blocks, .. } = &mut *self.engine;
            if !walk.follow(blocks, terms, &block, to, before, model) {
                return Err(UnknownReason::Internal("a model does not describe a run of the program".into()));
            }
        }
        Ok(walk)
    }

    /// Refines, and cuts the graph below the first node whose precision changed.
    fn refine(&mut self, node: ArgId, path: &AbstractPath) -> Result<(), UnknownReason> {
        self.counts.refinements += 1;
        self.engine.watch.tell(&Event::Refinement { blocks: path.formulas.len() });
        let Some(pivot) = self.domain.refine(self.engine, path)? else {
            return Err(UnknownReason::NoProgress);
        };
        // Block i ends at node i + 1 of the path.
        let nodes = self.arg.path(node);
        let at = |id: &ArgId| match self.arg.node(*id).at {
            Target::Node(node) => Some(node),
            Target::Error(_) | Target::Unsupported(_) => None,
        };
        self.engine.refute(nodes[pivot + 1..].iter().filter_map(at));
        let pivot = nodes[pivot + 1];
        let Some(Arrival { parent, target }) = self.arg.node(pivot).arrival else { return Ok(()) };
        self.remove(pivot);
        match self.block(parent) {
            Some(block) => self.reach(parent, &block, target as usize),
            None => Ok(()),
        }
    }

    fn remove(&mut self, node: ArgId) {
        self.tell_removed(node);
        for uncovered in self.arg.remove(node) {
            self.waitlist.push(uncovered, self.engine.rank(self.arg.node(uncovered).at));
        }
    }
}
