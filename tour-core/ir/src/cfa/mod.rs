//! Control-flow automata: locations and edges of all functions, in arenas.
//!
//! Edges do not leave their function: a call is one [`crate::program::Op::Call`] edge from the location before it
//! to the location after it, and the analyses go through the callee's automaton in between.
//!
//! | file | what |
//! |---|---|
//! | `order` | reverse post order, reachable locations |
//! | `turns` | who goes on first when loops are unrolled |
//! | `loops` | the loop nesting forest |
//! | `dominators` | dominators and post-dominators |
//! | `callgraph` | who calls whom, recursion, bottom-up order |
//! | `variables` | how variables are used |
//! | `features` | the 25 features of TOUR |
//! | `simplify` | clean-up before the analyses |
//! | `export` | DOT, JSON, SVG |
//! | `graph`, `mentions` | what these share: dense graphs, the walk over expressions |

mod callgraph;
mod dominators;
pub mod export;
mod features;
mod graph;
mod loops;
mod mentions;
mod order;
mod simplify;
#[cfg(any(test, feature = "testing"))]
pub mod testing;
mod turns;
mod variables;

pub use callgraph::{CallGraph, CallKind, Targets};
pub use dominators::{Dominators, dominators};
pub use features::Features;
pub use graph::Graph;
pub use loops::{Loop, LoopId, Loops};
pub use mentions::mentioned;
pub use order::Order;
pub use simplify::{compact, simplify};
pub use turns::Turns;
pub use variables::{Domain, VarUse, Variables};

use crate::program::{CheckId, FnId, Op};
use crate::source::Span;
use index_vec::IndexVec;
use smallvec::SmallVec;

index_vec::define_index_type! {
    /// A program location.
    pub struct LocId = u32;
    DEBUG_FORMAT = "L{}";
}
index_vec::define_index_type! {
    /// A control-flow edge.
    pub struct EdgeId = u32;
    DEBUG_FORMAT = "edge{}";
}

/// What a location is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LocKind {
    /// An inner location.
    Plain,
    /// Where a function begins.
    Entry,
    /// Where a function returns.
    Exit,
    /// Reaching it violates a check. No edge leaves it.
    Error(CheckId),
    /// The program ends here (`exit`, `abort`). No edge leaves it.
    End,
}

/// An edge that was followed, and where it led: a call leads to the callee's entry first, and behind the call when the
/// callee returns.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Visit {
    /// The edge.
    pub edge: EdgeId,
    /// Where it led; `None` behind a call of an unknown function.
    pub to: Option<LocId>,
}

/// A program location.
#[derive(Clone, Debug)]
pub struct Loc {
    /// Its function.
    pub function: FnId,
    /// What it is.
    pub kind: LocKind,
    /// Outgoing edges.
    pub out: SmallVec<[EdgeId; 2]>,
    /// Incoming edges.
    pub into: SmallVec<[EdgeId; 2]>,
}

/// A control-flow edge.
#[derive(Clone, Debug)]
pub struct Edge {
    /// From.
    pub from: LocId,
    /// To.
    pub to: LocId,
    /// What it does.
    pub op: Op,
    /// Where it stands in the source.
    pub span: Span,
}

/// The automata of all functions.
#[derive(Clone, Debug, Default)]
pub struct Cfa {
    /// Locations.
    pub locs: IndexVec<LocId, Loc>,
    /// Edges.
    pub edges: IndexVec<EdgeId, Edge>,
}

impl Cfa {
    /// Adds a location.
    pub fn add_loc(&mut self, function: FnId, kind: LocKind) -> LocId {
        self.locs.push(Loc { function, kind, out: SmallVec::new(), into: SmallVec::new() })
    }

    /// Adds an edge.
    pub fn add_edge(&mut self, from: LocId, to: LocId, op: Op, span: Span) -> EdgeId {
        let id = self.edges.push(Edge { from, to, op, span });
        self.locs[from].out.push(id);
        self.locs[to].into.push(id);
        id
    }

    /// Lets an edge lead somewhere else.
    pub fn redirect(&mut self, edge: EdgeId, to: LocId) {
        let old = std::mem::replace(&mut self.edges[edge].to, to);
        self.locs[old].into.retain(|other| *other != edge);
        self.locs[to].into.push(edge);
    }

    /// The edges that leave a location.
    pub fn successors(&self, loc: LocId) -> impl Iterator<Item = (EdgeId, &Edge)> {
        self.locs[loc].out.iter().map(|&e| (e, &self.edges[e]))
    }

    /// The edges that lead to a location.
    pub fn predecessors(&self, loc: LocId) -> impl Iterator<Item = (EdgeId, &Edge)> {
        self.locs[loc].into.iter().map(|&e| (e, &self.edges[e]))
    }

    /// The check that is violated at a location.
    pub fn error_at(&self, loc: LocId) -> Option<CheckId> {
        match self.locs[loc].kind {
            LocKind::Error(check) => Some(check),
            LocKind::Plain | LocKind::Entry | LocKind::Exit | LocKind::End => None,
        }
    }
}
