//! Lazy abstraction over interleavings (`[COI]` Algorithm 1 within counterexample-guided refinement, §3.3).
//!
//! A state is a tuple of locations and an abstract state of the data. From each state, the next actions of the threads in
//! its source set are explored, with statements that nothing observes replaced. The graph keeps original actions: paths
//! are checked, and the precision is refined, with those alone.
//!
//! | file | what |
//! |---|---|
//! | `expansion` | what is explored from a state |
//! | `reduce`, `sleep` | what is simplified, and left out |
//! | `relevance` | what of a state is looked at |
//! | `cover` | states that may cover others |
//! | `cut` | what a refinement removes |
//! | `path` | paths to errors, races and deadlocks |
//! | `distance` | how far tuples are from errors |
//! | `shown` | what observers are told |

mod cover;
mod cut;
mod distance;
mod expansion;
mod path;
mod reduce;
mod relevance;
mod shown;
mod sleep;

pub use distance::Distances;

use crate::cegar::certificate::thread_invariants;
use crate::cegar::{Arg, ArgId, Examined, Rank, System, Waitlist};
use crate::context::Engine;
use crate::directed::Dist;
use crate::domain::Domain;
use crate::path::AbstractPath;
use cover::Reached;
use expansion::{Expansion, Way};
use relevance::Relevance;
use rustc_hash::FxHashMap;
use shown::Shown;
use std::time::{Duration, Instant};
use tour_evidence::evidence::ThreadInvariants;
use tour_evidence::verdict::UnknownReason;
use tour_ir::cfa::EdgeId;
use tour_ir::program::{CheckId, ThreadId};
use tour_model::block::{NodeId, Replacements, Target, Walk};
use tour_model::threads::footprint::Bits;
use tour_model::threads::{Coi, Flows, Interleaving, Por, TupleId};

/// How a node of the graph was reached.
#[derive(Clone, Debug)]
pub struct Move {
    /// The thread that moved.
    pub thread: ThreadId,
    /// A step of control, or the way out of a block.
    pub(super) what: What,
}

#[derive(Clone, Debug)]
pub(super) enum What {
    Control(EdgeId),
    Exit { from: NodeId, target: Target },
}

/// A check that a feasible interleaving leads to.
pub struct Broken {
    /// The check.
    pub check: CheckId,
    /// The steps and inputs.
    pub walk: Walk,
    /// Which thread takes how many of the steps.
    pub schedule: Vec<(ThreadId, u32)>,
    /// The steps that race: what threads are about to do at the end.
    pub poised: Vec<(ThreadId, EdgeId)>,
}

/// What is left out.
#[derive(Clone, Copy, Debug)]
pub struct Reductions {
    /// Interleavings.
    pub por: Por,
    /// Statements.
    pub coi: Coi,
}

impl Reductions {
    /// The strongest of these that a certificate can leave out, too.
    pub fn certifiable(self) -> Reductions {
        Reductions {
            por: if self.por == Por::Sleep { Por::Static } else { self.por },
            coi: if self.coi == Coi::PorCoi { Coi::On } else { self.coi },
        }
    }

    /// What was left out is what a certificate can leave out, too.
    pub fn is_certifiable(self) -> bool {
        self.coi != Coi::PorCoi && self.por != Por::Sleep
    }
}

/// Counters of a run.
#[derive(Clone, Copy, Debug, Default)]
pub struct Counts {
    /// Statements whose successors were computed.
    pub statements: u64,
    /// Those replaced by nothing.
    pub nops: u64,
    /// Those replaced by `havoc`.
    pub havocs: u64,
    /// Time to compute successors; those that were computed before are looked up.
    pub successors: Duration,
    /// Time for the reductions themselves.
    pub reduction: Duration,
}

/// The system of interleavings.
pub struct Explorer<'e, 'p, D: Domain> {
    pub(super) engine: &'e mut Engine<'p>,
    pub(super) domain: &'e mut D,
    /// The interleavings.
    pub threads: Interleaving<'p>,
    flows: Option<Flows>,
    /// What is left out.
    pub reductions: Reductions,
    /// The graph.
    pub arg: Arg<D::State>,
    pub(super) moves: FxHashMap<ArgId, Move>,
    waitlist: Waitlist,
    reached: Reached,
    /// The threads that are not explored from a state, because others like it were: see [`sleep`].
    sleeps: FxHashMap<ArgId, Bits>,
    /// Successors that were not added because a node of the graph covers them: their parents, by that node.
    dropped: FxHashMap<ArgId, Vec<ArgId>>,
    /// How far tuples are from errors, if the search is directed.
    distances: Option<Distances>,
    /// The steps that are replaced, in the precision of the graph.
    simplified: FxHashMap<(TupleId, ThreadId), Replacements>,
    /// What of states is looked at.
    relevance: Relevance<D::State>,
    /// The state that is worked on, between its errors and its successors.
    expansion: Option<Expansion<D::State>>,
    /// What observers were told of the graph.
    shown: Shown,
    /// Counters.
    pub counts: Counts,
}

impl<'e, 'p, D: Domain> Explorer<'e, 'p, D> {
    /// Nothing but the start is reached. With distances if the search is directed.
    pub fn new(
        engine: &'e mut Engine<'p>,
        domain: &'e mut D,
        mut threads: Interleaving<'p>,
        waitlist: Waitlist,
        distances: Option<Distances>,
        reductions: Reductions,
    ) -> Explorer<'e, 'p, D> {
        // Tuples have no order of their own.
        let waitlist = waitlist.of_tuples();
        let relevance = Relevance::new(engine.program(), &mut threads);
        let max_walk = engine.heuristics.exploration.max_data_flow_walk;
        let flows =
            (reductions.coi != Coi::Off).then(|| Flows::new(engine.program(), &mut threads, max_walk));
        let mut explorer = Explorer {
            engine,
            domain,
            threads,
            flows,
            reductions,
            arg: Arg::default(),
            moves: FxHashMap::default(),
            waitlist,
            reached: Reached::default(),
            sleeps: FxHashMap::default(),
            dropped: FxHashMap::default(),
            distances,
            simplified: FxHashMap::default(),
            relevance,
            expansion: None,
            shown: Shown::default(),
            counts: Counts::default(),
        };
        explorer.start();
        explorer
    }

    /// The tuple of a node.
    pub fn tuple_of(target: Target) -> Option<TupleId> {
        target.node().map(|node| TupleId::new(node.index()))
    }

    /// Begins anew, in the precision that was found.
    pub fn start(&mut self) {
        self.emit_all_removed();
        self.arg = Arg::default();
        self.moves.clear();
        self.waitlist.take();
        self.reached.clear();
        self.sleeps.clear();
        self.dropped.clear();
        self.simplified.clear();
        self.set_precision();
        let initial = self.domain.initial();
        let tuple = self.threads.initial();
        let root = self.arg.add(Target::Node(NodeId::new(tuple.index())), initial, None, 0);
        self.wait(root);
    }

    /// The precision of the domain has changed.
    fn set_precision(&mut self) {
        self.relevance.forget();
        self.domain.focus(&|_| true);
        if let Some(flows) = &mut self.flows {
            let clock = Instant::now();
            let tracked = (!self.domain.tracks_everything()).then(|| self.domain.tracked(&self.engine.terms));
            flows.set_precision(&mut self.threads, &self.engine.blocks.encoder, tracked.as_ref());
            let bases = tracked.into_iter().flatten();
            self.relevance.number(&self.engine.blocks, &mut self.threads.prints, bases);
            self.counts.reduction += clock.elapsed();
        }
    }

    /// The state's successors are to be computed.
    fn wait(&mut self, node: ArgId) {
        let Some(tuple) = Self::tuple_of(self.arg.node(node).at) else { return };
        let known = self.domain.known(&self.arg.node(node).state);
        self.reached.add(tuple, &known, node);
        self.push(node);
    }

    fn clock(&self) -> Clock {
        Clock { time: Instant::now(), start: self.engine.smt.start_time() }
    }

    /// What it took, without the start of the solver.
    fn since(&self, clock: Clock) -> Duration {
        let started = self.engine.smt.start_time() - clock.start;
        clock.time.elapsed().saturating_sub(started)
    }

    /// The states of a complete graph, as evidence.
    pub fn invariants(&mut self, por: Por) -> ThreadInvariants {
        let Explorer { engine, domain, threads, arg, .. } = self;
        thread_invariants(engine, threads, por, arg, |terms, state| domain.formula(terms, state))
    }

    /// How much precision there is now where a move leads.
    fn stamp(&self, moved: &Move) -> u64 {
        match moved.what {
            What::Exit { target, .. } => self.engine.site(target).map_or(0, |site| self.domain.stamp(site)),
            What::Control(_) => 0,
        }
    }
}

impl<'p, D: Domain> System<'p> for Explorer<'_, 'p, D> {
    type Node = ArgId;
    type Way = Way;
    type Run = Broken;
    type Path = Vec<ArgId>;

    /// Values may diverge without asking the solver.
    fn state_cost(&self) -> u64 {
        self.engine.heuristics.exploration.state_cost
    }

    fn engine(&mut self) -> &mut Engine<'p> {
        self.engine
    }

    fn pop(&mut self) -> Option<ArgId> {
        self.waitlist.pop_waiting(&self.arg)
    }

    fn push(&mut self, node: ArgId) {
        let distance = match (&self.distances, Self::tuple_of(self.arg.node(node).at)) {
            (Some(distances), Some(tuple)) => distances.of_tuple(&self.threads, &self.engine.blocks, tuple),
            _ => Dist::default(),
        };
        self.waitlist.push(node, Rank { distance, ..Rank::default() });
    }

    fn is_covered(&mut self, node: ArgId) -> bool {
        let Some(tuple) = Self::tuple_of(self.arg.node(node).at) else { return false };
        let known = self.domain.known(&self.arg.node(node).state);
        for candidate in self.reached.candidates(tuple, &known) {
            let (by, state) = (self.arg.node(candidate), self.arg.node(node));
            if candidate != node
                && by.covered_by.is_none()
                && self.sleeps_less(candidate, node)
                && self.domain.covers(&by.state, &state.state)
            {
                self.arg.cover(node, candidate);
                return true;
            }
        }
        false
    }

    fn errors(&mut self, node: ArgId, modelled: bool) -> Result<Vec<Way>, UnknownReason> {
        let Some(tuple) = Self::tuple_of(self.arg.node(node).at) else { return Ok(Vec::new()) };
        let mut ways = self.broken_rules(tuple, modelled);
        let expansion = self.expansion(node, tuple);
        ways.extend(expansion.errors(modelled));
        self.expansion = Some(expansion);
        Ok(ways)
    }

    fn reaches(&mut self, node: ArgId, way: &Way) -> Result<bool, UnknownReason> {
        let Way::Exit { block, exit, .. } = way else { return Ok(true) };
        let state = self.arg.node(node).state.clone();
        let clock = self.clock();
        let reached = !self.domain.post(self.engine, &state, &block.exits[*exit], None)?.is_empty();
        self.counts.successors += self.since(clock);
        Ok(reached)
    }

    fn examine(&mut self, node: ArgId, way: Way) -> Result<Examined<Broken, Vec<ArgId>>, UnknownReason> {
        self.examine_way(node, way)
    }

    fn expand(&mut self, node: ArgId) -> Result<(), UnknownReason> {
        match self.expansion.take() {
            Some(expansion) => self.add_successors(node, expansion),
            None => Ok(()),
        }
    }

    fn refine(&mut self, _: &Vec<ArgId>, formulas: &AbstractPath) -> Result<Option<usize>, UnknownReason> {
        self.domain.refine(self.engine, formulas)
    }

    fn cut(&mut self, nodes: &Vec<ArgId>, first: usize) -> Result<(), UnknownReason> {
        self.cut_below(nodes, first);
        Ok(())
    }

    fn first_stale(&mut self, nodes: &Vec<ArgId>) -> Option<usize> {
        let moved = nodes.iter().filter_map(|id| Some((id, self.moves.get(id)?)));
        let mut blocks = moved.filter(|(_, moved)| matches!(moved.what, What::Exit { .. }));
        blocks.position(|(id, moved)| self.arg.node(*id).stamp != self.stamp(moved))
    }

    /// A predicate may need a value that no condition observes ([COI §3.3]).
    fn simplify_less(&mut self) -> Result<bool, UnknownReason> {
        let simplified = self.flows.take().is_some();
        if simplified {
            self.start();
        }
        Ok(simplified)
    }
}

/// When something began, and what the solver's start had taken by then.
#[derive(Clone, Copy)]
struct Clock {
    time: Instant,
    start: Duration,
}
