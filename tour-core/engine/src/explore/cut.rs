//! What a refinement removes from the graph: what is below the first state that changes, and below every state from which
//! something else is simplified now. Statements that nothing observed before may be observed in the new precision.

use super::{Explorer, What};
use crate::cegar::{ArgId, System};
use crate::domain::Domain;

impl<D: Domain> Explorer<'_, '_, D> {
    /// The precision has changed after block `first` of a path.
    pub(super) fn cut_below(&mut self, nodes: &[ArgId], first: usize) {
        let is_block = |id: &&ArgId| self.moves.get(id).is_some_and(|m| matches!(m.what, What::Exit { .. }));
        let pivot = nodes.iter().filter(is_block).nth(first).copied();
        let before = std::mem::take(&mut self.simplified);
        self.set_precision();
        let mut changed: Vec<ArgId> = pivot.into_iter().filter_map(|pivot| self.parent(pivot)).collect();
        if self.flows.is_some() {
            let mut tuples = rustc_hash::FxHashSet::default();
            for ((tuple, thread), replaced) in &before {
                if self.simplified(*tuple, *thread) != *replaced {
                    tuples.insert(*tuple);
                }
            }
            let of = |at| Self::tuple_of(at).is_some_and(|tuple| tuples.contains(&tuple));
            changed.extend(self.arg.nodes().filter(|(_, n)| n.expanded && of(n.at)).map(|(id, _)| id));
        }
        self.expand_again(changed);
    }

    fn parent(&self, node: ArgId) -> Option<ArgId> {
        self.arg.node(node).arrival.map(|arrival| arrival.parent)
    }

    /// The successors of these states are to be computed again.
    fn expand_again(&mut self, mut work: Vec<ArgId>) {
        while let Some(node) = work.pop() {
            if !self.arg.is_live(node) || !self.arg.node(node).expanded {
                continue;
            }
            self.emit_taken_back(node);
            for child in self.arg.node(node).children.clone() {
                self.remove(child, &mut work);
            }
            self.arg.node_mut(node).expanded = false;
            self.push(node);
        }
    }

    /// Removes a sub-tree. States that were covered by its nodes wait again, those that were dropped are computed again.
    fn remove(&mut self, root: ArgId, work: &mut Vec<ArgId>) {
        for node in self.arg.subtree(root) {
            self.emit_removed(node);
            let of = self.arg.node(node);
            if let (Some(tuple), None) = (Self::tuple_of(of.at), of.covered_by) {
                let known = self.domain.known(&of.state);
                self.reached.remove(tuple, &known, node);
            }
            self.moves.remove(&node);
            self.sleeps.remove(&node);
            work.extend(self.dropped.remove(&node).unwrap_or_default());
        }
        for uncovered in self.arg.remove(root) {
            self.wait(uncovered);
        }
    }
}
