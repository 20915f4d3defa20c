//! The abstract reachability graph: a tree of abstract states with covering edges.
//!
//! Invariants: a covered node has no children; a node that covers others is not covered itself; nodes of a removed
//! sub-tree are never seen again by [`Arg::nodes`].

use index_vec::IndexVec;
use rustc_hash::FxHashMap;
use tour_model::block::{NodeId, Target};

index_vec::define_index_type! {
    /// A node of the abstract reachability graph.
    pub struct ArgId = u32;
    DEBUG_FORMAT = "a{}";
}

/// How a node was reached: the block from the parent's program node to this target.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Arrival {
    /// The parent.
    pub parent: ArgId,
    /// Which target of the parent's block.
    pub target: u32,
}

/// An abstract state in the graph.
#[derive(Clone, Debug)]
pub struct ArgNode<S> {
    /// Where in the program.
    pub at: Target,
    /// The abstract state.
    pub state: S,
    /// How it was reached; `None` for the root.
    pub arrival: Option<Arrival>,
    /// Its successors.
    pub children: Vec<ArgId>,
    /// The node that covers it.
    pub covered_by: Option<ArgId>,
    /// The nodes that it covers.
    covering: Vec<ArgId>,
    /// Its successors were computed.
    pub expanded: bool,
    /// How much precision there was where it was computed.
    pub stamp: u64,
    removed: bool,
}

/// The abstract reachability graph.
#[derive(Clone, Debug)]
pub struct Arg<S> {
    nodes: IndexVec<ArgId, ArgNode<S>>,
    /// Nodes by program node, oldest first: those that can cover.
    by_node: FxHashMap<NodeId, AtNode>,
    live: usize,
    /// The largest number of live nodes so far.
    pub peak: usize,
}

/// The nodes of the graph at a program node.
#[derive(Clone, Debug, Default)]
struct AtNode {
    all: Vec<ArgId>,
    /// How many of them were removed since the others were gathered last.
    removed: usize,
}

impl<S> Default for Arg<S> {
    fn default() -> Arg<S> {
        Arg { nodes: IndexVec::new(), by_node: FxHashMap::default(), live: 0, peak: 0 }
    }
}

impl<S> Arg<S> {
    /// Adds a node that was computed with so much precision.
    pub fn add(&mut self, at: Target, state: S, arrival: Option<Arrival>, stamp: u64) -> ArgId {
        let id = self.nodes.push(ArgNode {
            at,
            state,
            arrival,
            children: Vec::new(),
            covered_by: None,
            covering: Vec::new(),
            expanded: false,
            stamp,
            removed: false,
        });
        if let Some(arrival) = arrival {
            self.nodes[arrival.parent].children.push(id);
        }
        if let Target::Node(node) = at {
            self.by_node.entry(node).or_default().all.push(id);
        }
        self.live += 1;
        self.peak = self.peak.max(self.live);
        id
    }

    /// A node.
    pub fn node(&self, id: ArgId) -> &ArgNode<S> {
        &self.nodes[id]
    }

    /// A node, to change its state.
    pub fn node_mut(&mut self, id: ArgId) -> &mut ArgNode<S> {
        &mut self.nodes[id]
    }

    /// There is, or was, such a node.
    pub fn contains(&self, id: ArgId) -> bool {
        id.index() < self.nodes.len()
    }

    /// The node is part of the graph.
    pub fn is_live(&self, id: ArgId) -> bool {
        !self.nodes[id].removed
    }

    /// Its successors are still to be computed.
    pub fn is_waiting(&self, id: ArgId) -> bool {
        let node = &self.nodes[id];
        !node.removed && !node.expanded && node.covered_by.is_none()
    }

    /// Live nodes, oldest first.
    pub fn nodes(&self) -> impl Iterator<Item = (ArgId, &ArgNode<S>)> {
        self.nodes.iter_enumerated().filter(|(_, n)| !n.removed)
    }

    /// How many nodes are live.
    pub fn len(&self) -> usize {
        self.live
    }

    /// No node is live.
    pub fn is_empty(&self) -> bool {
        self.live == 0
    }

    /// Other nodes at the same program node that may cover `id`: neither covered themselves nor below it.
    pub fn candidates(&self, id: ArgId) -> impl Iterator<Item = ArgId> + '_ {
        let list = match self.nodes[id].at {
            Target::Node(node) => self.by_node.get(&node).map(|at| &at.all[..]).unwrap_or_default(),
            Target::Error(_) | Target::Unsupported(_) => &[],
        };
        let can_cover = |node: &ArgNode<S>| !node.removed && node.covered_by.is_none();
        list.iter().copied().filter(move |&c| c != id && can_cover(&self.nodes[c]))
    }

    /// `id`, which is not expanded, is covered by `by`.
    pub fn cover(&mut self, id: ArgId, by: ArgId) {
        debug_assert!(self.nodes[id].children.is_empty() && self.nodes[by].covered_by.is_none());
        self.nodes[id].covered_by = Some(by);
        self.nodes[by].covering.push(id);
    }

    /// Covers `id` by a node at the same program node, if there is one whose state covers its own.
    pub fn try_cover(&mut self, id: ArgId, mut covers: impl FnMut(&S, &S) -> bool) -> bool {
        let found = self.candidates(id).find(|by| covers(&self.nodes[*by].state, &self.nodes[id].state));
        if let Some(by) = found {
            self.cover(id, by);
        }
        found.is_some()
    }

    /// The path from the root to a node, both included.
    pub fn path(&self, id: ArgId) -> Vec<ArgId> {
        let mut path = vec![id];
        while let Some(arrival) = self.nodes[path[path.len() - 1]].arrival {
            path.push(arrival.parent);
        }
        path.reverse();
        path
    }

    /// The nodes of the sub-tree below and including `id`.
    pub fn subtree(&self, id: ArgId) -> Vec<ArgId> {
        let mut all = vec![id];
        let mut next = 0;
        while let Some(&node) = all.get(next) {
            next += 1;
            all.extend(&self.nodes[node].children);
        }
        all
    }

    /// Removes the sub-tree below and including `id`. Returns nodes elsewhere that were covered by removed ones: they
    /// have to be looked at again.
    pub fn remove(&mut self, id: ArgId) -> Vec<ArgId> {
        if let Some(arrival) = self.nodes[id].arrival {
            self.nodes[arrival.parent].children.retain(|c| *c != id);
        }
        let mut stack = vec![id];
        let mut uncovered = Vec::new();
        while let Some(id) = stack.pop() {
            let node = &mut self.nodes[id];
            node.removed = true;
            self.live -= 1;
            stack.append(&mut node.children);
            uncovered.append(&mut node.covering);
            let covered_by = node.covered_by.take();
            let at = node.at;
            if let Some(by) = covered_by {
                self.nodes[by].covering.retain(|c| *c != id);
            }
            if let Target::Node(node) = at
                && let Some(list) = self.by_node.get_mut(&node)
            {
                // Thousands of nodes may be at one place, and go together.
                list.removed += 1;
                if list.removed * 2 > list.all.len() {
                    list.all.retain(|n| !self.nodes[*n].removed);
                    list.removed = 0;
                }
            }
        }
        uncovered.retain(|n| !self.nodes[*n].removed);
        for &n in &uncovered {
            self.nodes[n].covered_by = None;
        }
        uncovered.sort_unstable();
        uncovered
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn removing_a_subtree_uncovers_what_it_covered() {
        let at = |n| Target::Node(NodeId::new(n));
        let mut arg = Arg::default();
        let root = arg.add(at(0), "root", None, 0);
        let arrive = |parent| Some(Arrival { parent, target: 0 });
        let left = arg.add(at(1), "left", arrive(root), 0);
        let inner = arg.add(at(2), "inner", arrive(left), 0);
        let right = arg.add(at(2), "right", arrive(root), 0);
        assert_eq!(arg.candidates(right).collect::<Vec<_>>(), [inner]);
        arg.cover(right, inner);
        assert_eq!(arg.candidates(inner).next(), None);
        assert_eq!(arg.path(inner), [root, left, inner]);
        assert_eq!(arg.remove(left), [right]);
        assert_eq!(arg.nodes().map(|(id, _)| id).collect::<Vec<_>>(), [root, right]);
        assert_eq!(arg.node(root).children, [right]);
        assert_eq!((arg.len(), arg.peak), (2, 4));
    }
}
