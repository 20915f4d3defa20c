//! Watching analyses: what they look at, while they do.
//!
//! Analyses emit [`Event`]s in terms of the program (locations, edges, variables), so that an [`Observer`] knows nothing
//! of how an analysis works. Without one, emitting them costs next to nothing.
//!
//! Analyses run side by side, so that an observer is shared between threads; each event comes with the name of the
//! analysis that emits it.

use crate::directed::Dist;
use std::fmt;
use std::sync::Arc;
use tour_evidence::verdict::Verdict;
use tour_ir::cfa::{EdgeId, LocId, Visit};
use tour_ir::program::{CheckId, VarId};

/// Observes what analyses do.
pub trait Observer: Send + Sync {
    /// Analysis `who` did something.
    fn observe(&self, who: &'static str, event: &Event);

    /// Whether [`Event::Graph`] is to be emitted, which costs more than the others.
    fn wants_graph(&self) -> bool {
        false
    }
}

/// What an analysis does. Everything but `Removed` only adds to what was emitted before.
#[derive(Clone, Copy, Debug)]
pub enum Event<'a> {
    /// The analysis begins, from nothing: what it reached in an earlier round is forgotten.
    Begins,
    /// The analysis ends.
    Ends {
        /// With this verdict.
        verdict: &'a Verdict,
    },
    /// A block was gone through: the edges that the transfer relation followed.
    Visited {
        /// The edges.
        visits: &'a [Visit],
    },
    /// A state was reached.
    Reached {
        /// Where.
        at: LocId,
        /// How many calls are open.
        call_depth: u32,
        /// The edges of the block that lead there.
        trail: &'a [Visit],
    },
    /// The successors of a state are computed.
    Expanded {
        /// Where it is.
        at: LocId,
        /// How many calls are open.
        call_depth: u32,
        /// How far away the search believes an error to be, if it is guided by a distance.
        distance: Option<Dist>,
        /// The edges of its block that lead to no other state: the program ends there.
        ended: &'a [Visit],
    },
    /// A state is covered by another one.
    Covered {
        /// Where it is.
        at: LocId,
    },
    /// A state was removed again by a refinement.
    Removed {
        /// Where it was.
        at: LocId,
        /// As in [`Event::Reached`].
        trail: &'a [Visit],
        /// As in [`Event::Expanded`]; empty if it was not expanded.
        ended: &'a [Visit],
    },
    /// An abstraction was computed, and its formula has predicates that none before had.
    Abstraction {
        /// Where.
        at: LocId,
        /// The variables of these predicates.
        variables: &'a [VarId],
    },
    /// A refinement begins.
    Refinement {
        /// How many blocks the infeasible path has.
        blocks: usize,
    },
    /// Refinement has added a predicate to the precision.
    Predicate {
        /// Where it is tracked from now on.
        at: LocId,
        /// Its text.
        text: &'a str,
        /// Its variables.
        variables: &'a [VarId],
    },
    /// Refinement has added a variable whose values are tracked.
    Tracked {
        /// Where it is tracked from now on.
        at: LocId,
        /// The variables (several, if they share a cell in memory).
        variables: &'a [VarId],
    },
    /// All runs of a number of blocks have been looked at.
    Depth {
        /// How many.
        blocks: usize,
    },
    /// The abstract reachability graph when the analysis ended.
    Graph {
        /// Its states, parents before children.
        states: &'a [GraphState],
    },
}

/// A state of the abstract reachability graph, for people.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GraphState {
    /// Its number.
    pub id: u32,
    /// The state that it succeeds.
    pub parent: Option<u32>,
    /// The state that covers it.
    pub covered_by: Option<u32>,
    /// Where it is.
    pub at: GraphPlace,
    /// Its successors were computed.
    pub expanded: bool,
    /// The state as a formula.
    pub formula: String,
}

/// Where a state of the graph is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum GraphPlace {
    /// At a location, with a number of open calls.
    Loc(LocId, u32),
    /// A check is violated.
    Error(CheckId),
    /// An edge that is not modelled.
    Unsupported(EdgeId),
}

/// How many states are part of [`Event::Graph`] at most.
/// The size of a file, as documented in docs/src/coverage.md.
pub const MAX_GRAPH: usize = 3_000;

/// Who watches, if anyone, and whom.
#[derive(Clone, Default)]
pub struct Watch {
    observers: Vec<Arc<dyn Observer>>,
    who: &'static str,
}

impl Watch {
    /// Someone watches.
    pub fn new(observer: Arc<dyn Observer>) -> Watch {
        Watch { observers: vec![observer], who: "" }
    }

    /// Someone else watches too.
    pub fn with(&self, observer: Arc<dyn Observer>) -> Watch {
        let mut watch = self.clone();
        watch.observers.push(observer);
        watch
    }

    /// The same observers, of another analysis.
    pub fn of(&self, who: &'static str) -> Watch {
        Watch { observers: self.observers.clone(), who }
    }

    /// Who is watched.
    pub fn who(&self) -> &'static str {
        self.who
    }

    /// Someone watches.
    pub fn is_on(&self) -> bool {
        !self.observers.is_empty()
    }

    /// Someone wants to see the abstract reachability graph.
    pub fn wants_graph(&self) -> bool {
        self.observers.iter().any(|observer| observer.wants_graph())
    }

    /// Emits an event. If it costs something to make, ask [`Watch::is_on`] first.
    pub fn emit(&self, event: &Event) {
        for observer in &self.observers {
            observer.observe(self.who, event);
        }
    }
}

impl fmt::Debug for Watch {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.debug_struct("Watch").field("on", &self.is_on()).field("who", &self.who).finish()
    }
}
