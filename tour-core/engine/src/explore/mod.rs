//! Lazy abstraction over interleavings: the seed's Algorithm 1 within counterexample-guided refinement (§3.3).
//!
//! A state is a tuple of locations and an abstract state of the data. From each state, the next actions of the threads in
//! its source set are explored, with statements that nothing observes replaced. The graph keeps original actions: paths
//! are checked, and the precision is refined, with those alone.

mod cover;
mod distance;
mod path;
mod reduce;
mod relevance;
mod sleep;
mod tell;

pub use distance::Distances;

use crate::analysis::{Arg, ArgId, Arrival, Engine, Options, Order, Rank, Waitlist};
use crate::directed::Dist;
use crate::domain::{Domain, Site};
use cover::Reached;
use path::Feasibility;
use relevance::Relevance;
use rustc_hash::FxHashMap;
use std::rc::Rc;
use std::time::{Duration, Instant};
use tell::{Told, Trails};
use tour_evidence::verdict::UnknownReason;
use tour_ir::cfa::EdgeId;
use tour_ir::program::{CheckId, ThreadId};
use tour_model::block::{Block, NodeId, Replacements, Target, Walk};
use tour_model::threads::footprint::Bits;
use tour_model::threads::{Coi, Flows, Interleaving, Por, TupleId};

/// What the successors of a state cost besides the solver, in its steps: values may diverge without asking it.
const EXPANSION: u64 = 20;

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

/// How the exploration ended.
pub enum Ended<S> {
    /// The graph is complete and has no error.
    Complete(Arg<S>),
    /// A feasible interleaving leads to a check.
    Error(Broken),
    /// Neither.
    Unknown(UnknownReason),
}

/// Counters of a run.
#[derive(Clone, Copy, Debug, Default)]
pub struct Counts {
    /// Refinements.
    pub refinements: u64,
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

/// The algorithm's state.
pub struct Explorer<'e, 'p, D: Domain> {
    pub(super) engine: &'e mut Engine<'p>,
    pub(super) domain: &'e mut D,
    /// The interleavings.
    pub threads: Interleaving<'p>,
    flows: Option<Flows>,
    por: Por,
    coi: Coi,
    pub(super) arg: Arg<D::State>,
    pub(super) moves: FxHashMap<ArgId, Move>,
    waitlist: Waitlist,
    reached: Reached,
    /// The threads that are not explored from a state, because others like it were: see [`sleep`].
    sleeps: FxHashMap<ArgId, Bits>,
    /// How far tuples are from errors, if the search is directed.
    distances: Option<Distances>,
    stuck: Option<UnknownReason>,
    /// The steps that are replaced, in the precision of the graph.
    simplified: FxHashMap<(TupleId, ThreadId), Replacements>,
    /// What of states is looked at.
    relevance: Relevance<D::State>,
    /// What an observer was told of the graph.
    told: Vec<Told>,
    pub(super) trails: Trails,
    /// Counters.
    pub counts: Counts,
}

impl<'e, 'p, D: Domain> Explorer<'e, 'p, D> {
    /// Nothing reached yet.
    pub fn new(
        engine: &'e mut Engine<'p>,
        domain: &'e mut D,
        mut threads: Interleaving<'p>,
        options: &Options,
    ) -> Explorer<'e, 'p, D> {
        let &Options { por, coi, search, .. } = options;
        // Tuples have no order of their own.
        let order = match search {
            Order::ReversePostOrder | Order::Topological | Order::Dfs => Order::Dfs,
            Order::Bfs | Order::Random(_) | Order::Tour => search,
        };
        let distances = (order == Order::Tour).then(|| Distances::of(engine.program(), &threads.graph));
        let relevance = Relevance::new(engine.program(), &mut threads);
        let flows = (coi != Coi::Off).then(|| Flows::new(engine.program(), &mut threads));
        Explorer {
            engine,
            domain,
            threads,
            flows,
            por,
            coi,
            arg: Arg::default(),
            moves: FxHashMap::default(),
            waitlist: Waitlist::new(order),
            reached: Reached::default(),
            sleeps: FxHashMap::default(),
            distances,
            stuck: None,
            simplified: FxHashMap::default(),
            relevance,
            told: Vec::new(),
            trails: Trails::default(),
            counts: Counts::default(),
        }
    }

    /// Runs to the end.
    pub fn run(&mut self) -> Ended<D::State> {
        let explored = self.explore();
        self.tell_graph();
        match explored {
            Err(reason) => Ended::Unknown(reason),
            Ok(Some(broken)) => Ended::Error(broken),
            Ok(None) => match self.stuck.take() {
                Some(reason) => Ended::Unknown(reason),
                None => Ended::Complete(std::mem::take(&mut self.arg)),
            },
        }
    }

    /// What was left out is what a certificate can leave out, too.
    pub fn is_certifiable(&self) -> bool {
        self.coi != Coi::PorCoi && self.por != Por::Sleep
    }

    /// Explores once more, in the precision that was found, leaving out only what a certificate can. Counters stay as
    /// they are.
    pub fn again(&mut self) -> Ended<D::State> {
        let counts = self.counts;
        if self.coi == Coi::PorCoi {
            self.coi = Coi::On;
        }
        if self.por == Por::Sleep {
            self.por = Por::Static;
        }
        let ended = self.run();
        self.counts = counts;
        ended
    }

    /// The interleavings, for a certificate.
    pub fn into_threads(self) -> Interleaving<'p> {
        self.threads
    }

    /// The tuple of a node.
    pub fn tuple_of(target: Target) -> Option<TupleId> {
        match target {
            Target::Node(node) => Some(TupleId::new(node.index())),
            Target::Error(_) | Target::Unsupported(_) => None,
        }
    }

    fn start(&mut self) {
        self.tell_removed();
        self.arg = Arg::default();
        self.moves.clear();
        self.waitlist.take();
        self.reached.clear();
        self.sleeps.clear();
        self.simplified.clear();
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
        let initial = self.domain.initial();
        let tuple = self.threads.initial();
        let root = self.arg.add(Target::Node(NodeId::new(tuple.index())), initial, None);
        self.wait(root, tuple);
    }

    /// The state's successors are to be computed.
    fn wait(&mut self, node: ArgId, tuple: TupleId) {
        let known = self.domain.known(&self.arg.node(node).state);
        self.reached.add(tuple, &known, node);
        let distances = self.distances.as_ref();
        let distance =
            distances.map_or(Dist::default(), |d| d.of_tuple(&self.threads, &self.engine.blocks, tuple));
        self.waitlist.push(node, Rank { distance, ..Rank::default() });
    }

    fn explore(&mut self) -> Result<Option<Broken>, UnknownReason> {
        self.start();
        while let Some(node) = self.waitlist.pop() {
            self.engine.spend(EXPANSION);
            self.engine.check_interrupt()?;
            if self.arg.node(node).covered_by.is_some() || self.close(node) {
                continue;
            }
            if let Some(found) = self.expand(node)? {
                match found {
                    Found::Error(broken) => return Ok(Some(broken)),
                    // What was simplified may be observed now: all is computed again.
                    Found::Refined => self.start(),
                }
            }
        }
        Ok(None)
    }

    fn expand(&mut self, node: ArgId) -> Result<Option<Found>, UnknownReason> {
        let Some(tuple) = Self::tuple_of(self.arg.node(node).at) else { return Ok(None) };
        if let Some(found) = self.rules_at(node, tuple)? {
            return Ok(Some(found));
        }
        let standstill = self.threads.is_standstill(&self.engine.blocks, tuple);
        let clock = Instant::now();
        let mut explored = self.threads.explored(&mut self.engine.blocks, tuple, self.por);
        let mut replaced: FxHashMap<ThreadId, Replacements> = FxHashMap::default();
        if self.flows.is_some() {
            for &thread in explored.iter() {
                let steps = self.simplified(tuple, thread);
                replaced.insert(thread, steps);
            }
            if self.coi == Coi::PorCoi && self.por != Por::None && explored.len() > 1 && !self.has_rules() {
                explored = self.explored_again(tuple, &explored, &replaced);
            }
        }
        let asleep = self.asleep(node, &explored);
        self.counts.reduction += clock.elapsed();
        // Errors first: they may end it.
        let mut ways = Vec::new();
        let mut blocks: Vec<Rc<Block>> = Vec::new();
        let state = self.arg.node(node).state.clone();
        for &thread in explored.iter() {
            let Some(at) = self.threads.get(tuple)[thread.index()] else { continue };
            if asleep.contains(thread.index() as u32) {
                continue;
            }
            let next = self.threads.next(&mut self.engine.blocks, at);
            if next.control && !standstill {
                for (edge, to) in self.threads.control_steps(&mut self.engine.blocks, tuple, thread) {
                    ways.push((Move { thread, what: What::Control(edge) }, to, None));
                }
                continue;
            }
            let (known, rest) = self.looked_at(at, &state);
            let steps = replaced.get(&thread).cloned().unwrap_or_default();
            self.count(at, &steps);
            let block = self.simplified_block(at, &known, steps);
            self.tell_block(&block);
            blocks.push(block.clone());
            for (i, exit) in block.exits.iter().enumerate() {
                let what = What::Exit { from: at, target: exit.to };
                let arrival = Move { thread, what };
                match exit.to {
                    // The others only wait.
                    Target::Node(to) if standstill && !self.threads.waits_at(&self.engine.blocks, to) => {}
                    Target::Error(_) | Target::Unsupported(_) if standstill => {}
                    Target::Node(to) => {
                        let to = self.threads.moved(tuple, thread, to);
                        ways.push((arrival, to, Some((block.clone(), i, rest.clone()))));
                    }
                    Target::Unsupported(_) if self.stuck.is_some() => {}
                    Target::Error(_) | Target::Unsupported(_) => {
                        let clock = self.clock();
                        let reached = !self.domain.post(self.engine, &state, exit, None)?.is_empty();
                        self.counts.successors += self.since(clock);
                        if !reached {
                            continue;
                        }
                        match self.feasibility(node, Some(&arrival))? {
                            Feasibility::Feasible(walk, schedule) => match exit.to {
                                Target::Error(check) => {
                                    let poised = Vec::new();
                                    return Ok(Some(Found::Error(Broken { check, walk, schedule, poised })));
                                }
                                Target::Unsupported(edge) => self.stuck = Some(self.engine.unsupported(edge)),
                                Target::Node(_) => {}
                            },
                            Feasibility::Infeasible(path) => {
                                self.refine(&path)?;
                                return Ok(Some(Found::Refined));
                            }
                        }
                    }
                }
            }
        }
        self.arg.node_mut(node).expanded = true;
        self.tell_expanded(tuple, &explored, &blocks);
        for (arrival, to, through) in ways {
            let states = match &through {
                None => vec![state.clone()],
                Some((block, exit, rest)) => {
                    let wanted = self.wanted(to);
                    let states = self.successors(&state, block, *exit, &wanted)?;
                    states.into_iter().map(|s| self.still_read(self.domain.keep(s, rest), &wanted)).collect()
                }
            };
            for successor in states {
                let seen = self.is_seen(to, &successor);
                if seen == Some(true) {
                    self.tell_reached(to, &arrival, through.as_ref().map(|(block, ..)| block));
                    continue;
                }
                let at = Target::Node(NodeId::new(to.index()));
                let child = self.arg.add(at, successor, Some(Arrival { parent: node, target: 0 }));
                self.moves.insert(child, arrival.clone());
                self.put_to_sleep(child, tuple, &explored, &asleep, arrival.thread);
                self.tell_reached(to, &arrival, through.as_ref().map(|(block, ..)| block));
                if seen == Some(false) || !self.close(child) {
                    self.wait(child, to);
                }
            }
        }
        Ok(None)
    }

    fn clock(&self) -> Clock {
        Clock { time: Instant::now(), start: self.engine.smt.start_time() }
    }

    /// What it took, without the start of the solver.
    fn since(&self, clock: Clock) -> Duration {
        let started = self.engine.smt.start_time() - clock.start;
        clock.time.elapsed().saturating_sub(started)
    }

    fn site(&self, target: Target) -> Option<Site> {
        self.engine.site(target)
    }

    /// A state of the graph covers this one, so that it need not be added to it. `None` where that is not all that matters:
    /// threads sleep, or somebody looks at the graph.
    fn is_seen(&mut self, tuple: TupleId, state: &D::State) -> Option<bool> {
        if self.por == Por::Sleep || self.engine.watch.wants_graph() {
            return None;
        }
        let known = self.domain.known(state);
        let covers = |candidate: ArgId| {
            let by = self.arg.node(candidate);
            by.covered_by.is_none() && self.domain.covers(&by.state, state)
        };
        Some(self.reached.candidates(tuple, &known).into_iter().any(covers))
    }

    /// Another state covers this one.
    fn close(&mut self, node: ArgId) -> bool {
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
}

/// When something began, and what the solver's start had taken by then.
#[derive(Clone, Copy)]
struct Clock {
    time: Instant,
    start: Duration,
}

enum Found {
    Error(Broken),
    Refined,
}
