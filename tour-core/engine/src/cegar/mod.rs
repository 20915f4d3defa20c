//! Counterexample-guided abstraction refinement over an abstract reachability graph: one loop for all analyses on
//! abstract states ([LBE §II.C]; for blocks with memory `[BAM]`, for threads [COI §3.3]).
//!
//! ```text
//! while a node waits:
//!     take it; unless a reached node covers it, for each way from it to an error:
//!         post(node) is empty:    nothing
//!         the path is feasible:   a violation
//!         the path is infeasible: refine the precision, cut the graph below the first node that changes
//!     no error: add its successors to the graph; those that are not covered wait
//! nothing waits: a proof
//! ```
//!
//! What differs between the analyses is the [`System`]: [`sequential`] blocks of one graph, nested graphs
//! ([`crate::bam`]), interleavings of threads ([`crate::explore`]), single edges and values ([`crate::explicit`]).
//!
//! | file | what |
//! |---|---|
//! | `arg` | the abstract reachability graph |
//! | `graph` | that of a program whose calls are unfolded, with what waits and what observers are told |
//! | `waitlist`, `ranking` | which node is next |
//! | `feasibility` | a path of blocks, checked exactly |
//! | `sequential` | the system of programs without threads |
//! | `emit` | what observers are told |
//! | `certificate` | a complete graph as evidence |

mod arg;
pub mod certificate;
pub mod emit;
pub mod feasibility;
mod graph;
mod ranking;
pub mod sequential;
mod waitlist;

pub use arg::{Arg, ArgId, ArgNode, Arrival};
pub use feasibility::Feasibility;
pub use graph::Graph;
pub use ranking::Ranking;
pub use sequential::Sequential;
pub use waitlist::{Order, Rank, Waitlist};

use crate::context::{Engine, Event};
use crate::path::AbstractPath;
use tour_evidence::verdict::UnknownReason;
use tour_ir::program::CheckId;
use tour_model::block::{Target, Walk};

/// A transition system seen through an abstract domain: its abstract reachability graph, and how it grows.
pub trait System<'p> {
    /// A node of the graph that can wait.
    type Node: Copy;
    /// A way from a node to an error, or to something that is not modelled.
    type Way;
    /// A run that violates a check.
    type Run;
    /// The nodes of an infeasible path.
    type Path;

    /// What an expansion costs besides the solver, in its steps: a search whose questions are all plain must end too.
    fn state_cost(&self) -> u64;

    /// What its states are made with.
    fn engine(&mut self) -> &mut Engine<'p>;

    /// The next node of the waitlist, unless it was covered, expanded or removed since.
    fn pop(&mut self) -> Option<Self::Node>;

    /// The node waits.
    fn push(&mut self, node: Self::Node);

    /// Covers a node by another one, if there is one that covers it.
    fn is_covered(&mut self, node: Self::Node) -> bool;

    /// The ways from a node to errors; with `modelled`, without those to what is not modelled.
    fn errors(&mut self, node: Self::Node, modelled: bool) -> Result<Vec<Self::Way>, UnknownReason>;

    /// The abstract state of the node has a successor by this way.
    fn reaches(&mut self, node: Self::Node, way: &Self::Way) -> Result<bool, UnknownReason>;

    /// Checks the path to a node, and by this way on, exactly.
    fn examine(
        &mut self,
        node: Self::Node,
        way: Self::Way,
    ) -> Result<Examined<Self::Run, Self::Path>, UnknownReason>;

    /// Adds the successors of a node, from which no error is reached.
    fn expand(&mut self, node: Self::Node) -> Result<(), UnknownReason>;

    /// Adds precision that excludes an infeasible path. Returns the first block after which the graph has to be computed
    /// again; `None` if nothing could be added.
    fn refine(&mut self, path: &Self::Path, formulas: &AbstractPath) -> Result<Option<usize>, UnknownReason>;

    /// The precision has changed after block `first` of a path, counted from 0: what is below goes.
    fn cut(&mut self, path: &Self::Path, first: usize) -> Result<(), UnknownReason>;

    /// The first block of a path whose end was computed with less precision than there is now.
    fn first_stale(&mut self, path: &Self::Path) -> Option<usize>;

    /// Begins anew without a simplification that may hide what refinement needs. False if there is none.
    fn simplify_less(&mut self) -> Result<bool, UnknownReason> {
        Ok(false)
    }
}

/// What a path to an error turned out to be.
pub enum Examined<R, P> {
    /// A run.
    Violation(R),
    /// A run of something that is not modelled, or a path without a run that no precision can exclude: the program can't
    /// be proved, but violations elsewhere can be found.
    Unprovable(UnknownReason),
    /// No run.
    Infeasible(P, AbstractPath),
    /// Too long to be looked at; the precision has changed instead.
    Refined,
}

impl<P> Examined<(CheckId, Walk), P> {
    /// A run that leads to a target.
    pub fn run(engine: &Engine, to: Target, walk: Walk) -> Examined<(CheckId, Walk), P> {
        match to {
            Target::Error(check) => Examined::Violation((check, walk)),
            Target::Unsupported(edge) => Examined::Unprovable(engine.unsupported(edge)),
            Target::Node(_) => Examined::Refined,
        }
    }
}

/// A way to a target is one to an error that counts, or to something that is not modelled; with `modelled`, the latter is
/// none.
pub fn is_error(engine: &Engine, to: Target, modelled: bool) -> bool {
    match to {
        Target::Node(_) => false,
        Target::Error(_) => engine.blocks.counts(to),
        Target::Unsupported(_) => !modelled && engine.blocks.counts(to),
    }
}

/// How an analysis ended.
pub enum Ending<R> {
    /// The graph is complete and has no error.
    Complete,
    /// A feasible path leads to an error. The search can go on after it.
    Violation(R),
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
    /// Paths that were computed again with the precision that had been found elsewhere.
    pub recomputed: u64,
}

/// The loop, and the system that it explores.
pub struct Cegar<S> {
    /// The system.
    pub system: S,
    /// Why the program can't be proved any more.
    unprovable: Option<UnknownReason>,
    /// Counters.
    pub counts: Counts,
}

/// The ways from a node to errors, looked at one by one.
enum Errors<R> {
    None,
    Refined,
    Violation(R),
}

impl<S> Cegar<S> {
    /// Nothing is explored yet.
    pub fn new(system: S) -> Cegar<S> {
        Cegar { system, unprovable: None, counts: Counts::default() }
    }

    /// Explores to an end. After a violation, or where it takes long, it goes on if called again.
    pub fn run<'p>(&mut self) -> Ending<S::Run>
    where
        S: System<'p>,
    {
        self.explore().unwrap_or_else(Ending::Unknown)
    }

    fn explore<'p>(&mut self) -> Result<Ending<S::Run>, UnknownReason>
    where
        S: System<'p>,
    {
        while let Some(node) = self.system.pop() {
            if self.is_long()? {
                self.system.push(node);
                return Ok(Ending::Long);
            }
            if self.system.is_covered(node) {
                continue;
            }
            self.counts.expanded += 1;
            match self.errors(node)? {
                Errors::None => self.system.expand(node)?,
                Errors::Refined => {}
                Errors::Violation(run) => {
                    // Its other ways out are still to be looked at.
                    self.system.push(node);
                    return Ok(Ending::Violation(run));
                }
            }
        }
        Ok(self.unprovable.take().map_or(Ending::Complete, Ending::Unknown))
    }

    fn errors<'p>(&mut self, node: S::Node) -> Result<Errors<S::Run>, UnknownReason>
    where
        S: System<'p>,
    {
        for way in self.system.errors(node, self.unprovable.is_some())? {
            if !self.system.reaches(node, &way)? {
                continue;
            }
            match self.system.examine(node, way)? {
                Examined::Violation(run) => return Ok(Errors::Violation(run)),
                Examined::Unprovable(reason) => self.unprovable = Some(reason),
                Examined::Infeasible(path, formulas) => {
                    self.refine(&path, &formulas)?;
                    return Ok(Errors::Refined);
                }
                Examined::Refined => return Ok(Errors::Refined),
            }
        }
        Ok(Errors::None)
    }

    /// Adds precision that excludes a path. Where there is none to add, the path may have been computed before the
    /// precision was found elsewhere.
    fn refine<'p>(&mut self, path: &S::Path, formulas: &AbstractPath) -> Result<(), UnknownReason>
    where
        S: System<'p>,
    {
        self.system.engine().watch.emit(&Event::Refinement { blocks: formulas.formulas.len() });
        self.counts.refinements += 1;
        if let Some(first) = self.system.refine(path, formulas)? {
            return self.system.cut(path, first);
        }
        if let Some(first) = self.system.first_stale(path) {
            self.counts.recomputed += 1;
            return self.system.cut(path, first);
        }
        if self.system.simplify_less()? { Ok(()) } else { Err(UnknownReason::NoProgress) }
    }

    /// The budget pays for an expansion; true if it had to be waited for.
    fn is_long<'p>(&mut self) -> Result<bool, UnknownReason>
    where
        S: System<'p>,
    {
        let cost = self.system.state_cost();
        let engine = self.system.engine();
        engine.pay(cost)?;
        Ok(engine.has_waited())
    }
}
