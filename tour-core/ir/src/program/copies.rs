//! Which functions and edges are copies of others.

use super::FnId;
use crate::cfa::EdgeId;
use rustc_hash::FxHashMap;

/// What `copies` has added to a program.
#[derive(Clone, Debug, Default)]
pub struct Copies {
    functions: FxHashMap<FnId, FnId>,
    edges: FxHashMap<EdgeId, EdgeId>,
}

impl Copies {
    /// Nothing was copied.
    pub fn is_empty(&self) -> bool {
        self.functions.is_empty()
    }

    /// The edge that an edge is a copy of, or itself.
    pub fn original(&self, edge: EdgeId) -> EdgeId {
        self.edges.get(&edge).copied().unwrap_or(edge)
    }

    /// The function that a function is a copy of, or itself.
    pub fn original_function(&self, f: FnId) -> FnId {
        self.functions.get(&f).copied().unwrap_or(f)
    }

    /// Records a copy of a function.
    pub fn add_function(&mut self, copy: FnId, original: FnId) {
        self.functions.insert(copy, original);
    }

    /// Records a copy of an edge.
    pub fn add_edge(&mut self, copy: EdgeId, original: EdgeId) {
        self.edges.insert(copy, original);
    }
}
