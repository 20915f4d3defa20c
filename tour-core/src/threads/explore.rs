//! Lazy abstraction over interleavings: the seed's Algorithm 1 within counterexample-guided refinement (§3.3).
//!
//! A state is a tuple of locations and an abstract state of the data. From each state, the next actions of the threads in
//! its source set are explored, with statements that nothing observes replaced. The graph keeps original actions: paths
//! are checked, and the precision is refined, with those alone.

use super::coi::Flows;
use super::footprint::Footprint;
use super::interleaving::{Interleaving, TupleId};
use super::tell::Told;
use super::{Coi, Por};
use crate::analysis::{Arg, ArgId, Arrival, Engine, Event, unknown};
use crate::block::{Block, Known, NodeId, Replaced, Step, Target, Walk};
use crate::cfa::EdgeId;
use crate::domain::{AbstractPath, Domain, Site};
use crate::encode::Ssa;
use crate::program::{CheckId, Program, ThreadId};
use crate::smt::{Purpose, Smt};
use crate::term::{BaseId, TermId};
use crate::verdict::UnknownReason;
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;
use std::time::{Duration, Instant};

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
    Exit { from: NodeId, known: Known, target: Target },
}

/// How the exploration ended.
pub enum Ended<S> {
    /// The graph is complete and has no error.
    Complete(Arg<S>),
    /// A feasible interleaving leads to a check.
    Error(CheckId, Walk, Vec<(ThreadId, u32)>),
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
    /// Time to compute successors.
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
    waitlist: Vec<ArgId>,
    stuck: Option<UnknownReason>,
    /// The variables that the steps of a block touch, by node.
    touched: FxHashMap<NodeId, Rc<FxHashSet<u32>>>,
    /// What an observer was told of the graph.
    pub(super) told: Vec<Told>,
    /// Counters.
    pub counts: Counts,
}

enum Feasibility {
    Feasible(Walk, Vec<(ThreadId, u32)>),
    Infeasible(AbstractPath),
}

impl<'e, 'p, D: Domain> Explorer<'e, 'p, D> {
    /// Nothing reached yet.
    pub fn new(
        engine: &'e mut Engine<'p>,
        domain: &'e mut D,
        mut threads: Interleaving<'p>,
        por: Por,
        coi: Coi,
    ) -> Explorer<'e, 'p, D> {
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
            waitlist: Vec::new(),
            stuck: None,
            touched: FxHashMap::default(),
            told: Vec::new(),
            counts: Counts::default(),
        }
    }

    /// Runs to the end.
    pub fn run(&mut self) -> Ended<D::State> {
        let explored = self.explore();
        self.tell_graph();
        match explored {
            Err(reason) => Ended::Unknown(reason),
            Ok(Some((check, walk, schedule))) => Ended::Error(check, walk, schedule),
            Ok(None) => match self.stuck.take() {
                Some(reason) => Ended::Unknown(reason),
                None => Ended::Complete(std::mem::take(&mut self.arg)),
            },
        }
    }

    /// Explores once more with other simplifications, in the precision that was found. Counters stay as they are.
    pub fn again(&mut self, coi: Coi) -> Ended<D::State> {
        let counts = self.counts;
        self.coi = coi;
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
        self.waitlist.clear();
        if let Some(flows) = &mut self.flows {
            let clock = Instant::now();
            let tracked = self.domain.tracked(&self.engine.terms);
            flows.set_precision(&mut self.threads, &self.engine.blocks.encoder, &tracked);
            self.counts.reduction += clock.elapsed();
        }
        let initial = self.domain.initial();
        let tuple = self.threads.initial();
        let root = self.arg.add(Target::Node(NodeId::new(tuple.index())), initial, None);
        self.waitlist.push(root);
    }

    #[expect(clippy::type_complexity)]
    fn explore(&mut self) -> Result<Option<(CheckId, Walk, Vec<(ThreadId, u32)>)>, UnknownReason> {
        self.start();
        while let Some(node) = self.waitlist.pop() {
            self.engine.check_interrupt()?;
            if self.arg.node(node).covered_by.is_some() || self.close(node) {
                continue;
            }
            if let Some(found) = self.expand(node)? {
                match found {
                    Found::Error(check, walk, schedule) => return Ok(Some((check, walk, schedule))),
                    // What was simplified may be observed now: all is computed again.
                    Found::Refined => self.start(),
                }
            }
        }
        Ok(None)
    }

    fn expand(&mut self, node: ArgId) -> Result<Option<Found>, UnknownReason> {
        let Some(tuple) = Self::tuple_of(self.arg.node(node).at) else { return Ok(None) };
        let clock = Instant::now();
        let mut explored = self.threads.explored(&mut self.engine.blocks, tuple, self.por);
        let mut replaced: FxHashMap<ThreadId, Rc<FxHashMap<Step, Replaced>>> = FxHashMap::default();
        if self.flows.is_some() {
            for &thread in explored.iter() {
                let steps = self.simplified(tuple, thread);
                replaced.insert(thread, Rc::new(steps));
            }
            if self.coi == Coi::PorCoi && self.por == Por::Static && explored.len() > 1 {
                explored = self.explored_again(tuple, &explored, &replaced);
            }
        }
        self.counts.reduction += clock.elapsed();
        // Errors first: they may end it.
        let mut ways = Vec::new();
        let mut blocks: Vec<Rc<Block>> = Vec::new();
        let state = self.arg.node(node).state.clone();
        for &thread in explored.iter() {
            let Some(at) = self.threads.get(tuple)[thread.index()] else { continue };
            let next = self.threads.next(&mut self.engine.blocks, at);
            if next.control {
                for (edge, to) in self.threads.control_steps(&mut self.engine.blocks, tuple, thread) {
                    ways.push((Move { thread, what: What::Control(edge) }, to, None));
                }
                continue;
            }
            let (known, rest) = self.known(at, &state);
            let steps = replaced.get(&thread).cloned().unwrap_or_default();
            self.count(at, &steps);
            let clock = Instant::now();
            let block = {
                let Engine { terms, blocks, .. } = &mut *self.engine;
                blocks.block_with(terms, at, &known, steps)
            };
            self.counts.successors += clock.elapsed();
            self.tell_block(&block);
            blocks.push(block.clone());
            for (i, exit) in block.exits.iter().enumerate() {
                let what = What::Exit { from: at, known: known.clone(), target: exit.to };
                let arrival = Move { thread, what };
                match exit.to {
                    Target::Node(to) => {
                        let to = self.threads.moved(tuple, thread, to);
                        ways.push((arrival, to, Some((block.clone(), i, rest.clone()))));
                    }
                    Target::Unsupported(_) if self.stuck.is_some() => {}
                    Target::Error(_) | Target::Unsupported(_) => {
                        let clock = Instant::now();
                        let reached = !self.domain.post(self.engine, &state, exit, None)?.is_empty();
                        self.counts.successors += clock.elapsed();
                        if !reached {
                            continue;
                        }
                        match self.feasibility(node, &arrival)? {
                            Feasibility::Feasible(walk, schedule) => match exit.to {
                                Target::Error(check) => return Ok(Some(Found::Error(check, walk, schedule))),
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
                Some((block, i, rest)) => {
                    let exit = &block.exits[*i];
                    let site = self.site(exit.to);
                    let clock = Instant::now();
                    let states = self.domain.post(self.engine, &state, exit, site)?;
                    self.counts.successors += clock.elapsed();
                    states.into_iter().map(|s| self.domain.keep(s, rest)).collect()
                }
            };
            for successor in states {
                let at = Target::Node(NodeId::new(to.index()));
                let child = self.arg.add(at, successor, Some(Arrival { parent: node, target: 0 }));
                self.moves.insert(child, arrival.clone());
                self.tell_reached(to, &arrival, through.as_ref().map(|(block, ..)| block.as_ref()));
                if !self.close(child) {
                    self.waitlist.push(child);
                }
            }
        }
        Ok(None)
    }

    /// The steps of a thread's next action that are replaced.
    fn simplified(&mut self, tuple: TupleId, thread: ThreadId) -> FxHashMap<Step, Replaced> {
        let (Some(flows), Some(at)) = (&self.flows, self.threads.get(tuple)[thread.index()]) else {
            return FxHashMap::default();
        };
        let steps = self.engine.blocks.steps(at);
        let tuple = self.threads.get(tuple);
        flows.replaced(&self.threads, &self.engine.blocks, &tuple, steps.iter().map(|(_, t)| t.step))
    }

    /// A source set of what is left of the actions (seed §3.5, POR-COI).
    fn explored_again(
        &mut self,
        tuple: TupleId,
        explored: &Rc<[ThreadId]>,
        replaced: &FxHashMap<ThreadId, Rc<FxHashMap<Step, Replaced>>>,
    ) -> Rc<[ThreadId]> {
        let mut left = FxHashMap::default();
        for &thread in explored.iter() {
            let Some(at) = self.threads.get(tuple)[thread.index()] else { continue };
            let replaced = &replaced[&thread];
            let atomic = self.threads.next(&mut self.engine.blocks, at);
            let steps = self.engine.blocks.steps(at);
            // Parts of an atomic section that lie in later blocks are not simplified here.
            let whole = steps.iter().all(|(_, t)| {
                t.to.is_none_or(|to| {
                    !self.engine.blocks.ends_at(to) || self.engine.blocks.unfolding.get(to).atomic == 0
                })
            });
            if replaced.is_empty() || !whole || atomic.control {
                continue;
            }
            let mut print = Footprint::default();
            for (_, transition) in &steps {
                let own = self.threads.prints.of(transition.step);
                match replaced.get(&transition.step) {
                    None => _ = print.add(&own),
                    Some(Replaced::Havoc) => _ = print.writes.union(&own.writes),
                    Some(Replaced::Nop) => {}
                }
            }
            for number in atomic.print.writes.iter() {
                if matches!(self.threads.prints.all[number as usize], super::footprint::Shared::Ended(_)) {
                    print.writes.insert(number);
                }
            }
            left.insert(thread, print);
        }
        if left.is_empty() {
            return explored.clone();
        }
        let again = super::por::source_set(&mut self.threads, &mut self.engine.blocks, tuple, &left);
        if again.len() < explored.len() { again.into() } else { explored.clone() }
    }

    fn count(&mut self, at: NodeId, replaced: &FxHashMap<Step, Replaced>) {
        let steps = self.engine.blocks.steps(at);
        let program = self.engine.program();
        self.counts.statements += steps.iter().filter(|(_, t)| is_statement(program, t.step)).count() as u64;
        self.counts.nops += replaced.values().filter(|r| **r == Replaced::Nop).count() as u64;
        self.counts.havocs += replaced.values().filter(|r| **r == Replaced::Havoc).count() as u64;
    }

    /// The known values that a thread's next action looks at, and the others.
    fn known(&mut self, at: NodeId, state: &D::State) -> (Known, Known) {
        let known = self.domain.known(state);
        if known.is_empty() {
            return (known.clone(), known);
        }
        if !self.touched.contains_key(&at) {
            let mut all = FxHashSet::default();
            for (_, transition) in self.engine.blocks.steps(at) {
                let print = self.threads.prints.of(transition.step);
                all.extend(print.reads.iter().chain(print.writes.iter()));
            }
            self.touched.insert(at, Rc::new(all));
        }
        let touched = self.touched[&at].clone();
        let encoder = &self.engine.blocks.encoder;
        let prints = &mut self.threads.prints;
        let mut numbers: FxHashMap<BaseId, bool> = FxHashMap::default();
        for (base, _) in known.iter() {
            let what = encoder.cell_of(base).and_then(super::coi::shared);
            let wanted = what.is_none_or(|what| touched.contains(&prints.number(what)));
            numbers.insert(base, wanted);
        }
        known.split(|base| numbers[&base])
    }

    fn site(&self, target: Target) -> Option<Site> {
        self.engine.site(target)
    }

    fn close(&mut self, node: ArgId) -> bool {
        let state = self.arg.node(node).state.clone();
        let candidates: Vec<ArgId> = self.arg.candidates(node).collect();
        for candidate in candidates {
            let by = self.arg.node(candidate).state.clone();
            if self.domain.covers(&by, &state) {
                self.arg.cover(node, candidate);
                return true;
            }
        }
        false
    }

    /// The block of a move as it is in the program, and which of its exits was taken.
    fn original(&mut self, from: NodeId, known: &Known, target: Target) -> Option<(Rc<Block>, usize)> {
        let block = self.engine.block(from, known);
        let index = block.exits.iter().position(|exit| exit.to == target)?;
        Some((block, index))
    }

    /// The path from the root through a node and a last move, checked exactly.
    fn feasibility(&mut self, node: ArgId, last: &Move) -> Result<Feasibility, UnknownReason> {
        let mut moves: Vec<Move> =
            self.arg.path(node)[1..].iter().filter_map(|n| self.moves.get(n).cloned()).collect();
        moves.push(last.clone());
        let mut path =
            AbstractPath { formulas: Vec::new(), ssa: Vec::new(), sites: Vec::new(), scopes: Vec::new() };
        let mut ssa = Ssa::default();
        let mut parts: Vec<(Rc<Block>, usize, Ssa)> = Vec::new();
        for Move { what, .. } in &moves {
            let What::Exit { from, known, target } = what else { continue };
            // Values that were known came from blocks before, perhaps simplified ones: the path itself says them.
            let Some((block, index)) = self.original(*from, &Known::default(), *target) else {
                return Err(UnknownReason::Internal("an action has no such way out".into()));
            };
            let _ = known;
            let exit = &block.exits[index];
            let formula: TermId = self.engine.terms.rename(exit.formula, |s| ssa.shift(s));
            path.formulas.push(formula);
            path.sites.extend(self.site(exit.to));
            let after = ssa.then(&exit.path.ssa);
            path.ssa.push(after.clone());
            parts.push((block.clone(), index, std::mem::replace(&mut ssa, after)));
        }
        let whole = self.engine.terms.and(&path.formulas);
        let model =
            self.engine.smt.find_model(&self.engine.terms, whole, Purpose::Feasibility).map_err(unknown)?;
        let Some(model) = model else { return Ok(Feasibility::Infeasible(path)) };
        let mut walk = {
            let Engine { terms, blocks, .. } = &mut *self.engine;
            Walk::from_entry(blocks, terms, &model)
        };
        let mut schedule = Vec::new();
        let mut parts = parts.into_iter();
        for Move { thread, what } in &moves {
            let before = walk.steps.len();
            match what {
                What::Control(edge) => walk.steps.push(Step::Edge(*edge)),
                What::Exit { target, .. } => {
                    let Some((block, _, ssa)) = parts.next() else { continue };
                    let Engine { terms, blocks, .. } = &mut *self.engine;
                    if !walk.follow(blocks, terms, &block, *target, &ssa, &model) {
                        return Err(UnknownReason::Internal("a model does not describe a run".into()));
                    }
                }
            }
            schedule.push((*thread, (walk.steps.len() - before) as u32));
        }
        Ok(Feasibility::Feasible(walk, schedule))
    }

    fn refine(&mut self, path: &AbstractPath) -> Result<(), UnknownReason> {
        self.counts.refinements += 1;
        self.engine.watch.tell(&Event::Refinement { blocks: path.formulas.len() });
        match self.domain.refine(self.engine, path)? {
            Some(_) => Ok(()),
            // A predicate may need a value that no condition observes (seed §3.3): without simplification, then.
            None if self.flows.take().is_some() => Ok(()),
            None => Err(UnknownReason::NoProgress),
        }
    }
}

enum Found {
    Error(CheckId, Walk, Vec<(ThreadId, u32)>),
    Refined,
}

/// Something that a programmer would call a statement: no control of threads, no empty edge.
fn is_statement(program: &Program, step: Step) -> bool {
    use crate::program::Op;
    match step {
        Step::Edge(edge) => match &program.cfa.edges[edge].op {
            Op::Nop | Op::Declare(_) | Op::Return(None) => false,
            op => super::builtin_of(program, op).is_none_or(|b| !b.is_control()),
        },
        Step::Enter { .. } | Step::Leave { .. } => false,
        Step::BadCall(_) => true,
    }
}
