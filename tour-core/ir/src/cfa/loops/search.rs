//! The depth-first search behind the loop forest, and the forest as heads of heads.

use super::super::LocId;
use super::super::graph::{Graph, UnionFind};
use super::NONE;
use crate::program::Program;
use index_vec::IndexVec;

/// A depth-first search over all functions; numbers are positions in its preorder.
pub(super) struct Search {
    pub order: Vec<LocId>,
    pub parent: Vec<u32>,
    /// `(head, source)` of each back edge.
    back: Vec<(u32, u32)>,
    /// `(source, target)` of the edges that lead neither down the tree nor back...
    cross: Vec<(u32, u32)>,
    /// ...and the last common ancestor of the two, `(ancestor, index into cross)`.
    common: Vec<(u32, u32)>,
}

impl Search {
    /// Searches all functions with a body.
    pub fn run(program: &Program) -> Search {
        let cfa = &program.cfa;
        let mut number: IndexVec<LocId, u32> = cfa.locs.iter().map(|_| NONE).collect();
        let mut s =
            Search { order: Vec::new(), parent: Vec::new(), back: vec![], cross: vec![], common: vec![] };
        // A finished location is merged into its parent: the representative of a finished target is then its last
        // ancestor that is still open, which is an ancestor of the source too (Tarjan).
        let mut finished = UnionFind::new(cfa.locs.len());
        let mut open: Vec<bool> = vec![false; cfa.locs.len()];
        let mut stack: Vec<(u32, usize)> = Vec::new();
        for body in program.functions.iter().filter_map(|f| f.body) {
            s.enter(body.entry, NONE, &mut number, &mut stack);
            while let Some((from, next)) = stack.last_mut() {
                let (source, loc) = (*from, s.order[*from as usize]);
                open[source as usize] = true;
                let Some(&edge) = cfa.locs[loc].out.get(*next) else {
                    stack.pop();
                    open[source as usize] = false;
                    if s.parent[source as usize] != NONE {
                        finished.merge(source, s.parent[source as usize]);
                    }
                    continue;
                };
                *next += 1;
                let to = cfa.edges[edge].to;
                let target = number[to];
                if target == NONE {
                    s.enter(to, source, &mut number, &mut stack);
                } else if open[target as usize] {
                    s.back.push((target, source));
                } else {
                    s.common.push((finished.find(target), s.cross.len() as u32));
                    s.cross.push((source, target));
                }
            }
        }
        s
    }

    fn enter(
        &mut self,
        loc: LocId,
        parent: u32,
        number: &mut IndexVec<LocId, u32>,
        stack: &mut Vec<(u32, usize)>,
    ) {
        let n = self.order.len() as u32;
        number[loc] = n;
        self.order.push(loc);
        self.parent.push(parent);
        stack.push((n, 0));
    }

    /// From the innermost loop outwards, collapses each loop into its head. Gives the head of the innermost loop
    /// around each location (not its own, for a head) and which locations are heads.
    pub fn collapse(&self) -> (Vec<u32>, Vec<bool>) {
        let n = self.order.len();
        let back = Graph::new(n, &self.back);
        let common = Graph::new(n, &self.common);
        let mut loops = UnionFind::new(n);
        let mut heads = vec![NONE; n];
        let mut is_head = vec![false; n];
        // Cross edges by the collapsed loop that they lead to, as linked lists.
        let mut first = vec![NONE; n];
        let mut next = vec![NONE; self.cross.len()];
        let mut work = Vec::new();
        for head in (0..n as u32).rev() {
            for &edge in common.successors(head) {
                let target = loops.find(self.cross[edge as usize].1);
                next[edge as usize] = std::mem::replace(&mut first[target as usize], edge);
            }
            is_head[head as usize] = !back.successors(head).is_empty();
            let mut take = |from: u32, loops: &mut UnionFind, work: &mut Vec<u32>| {
                let from = loops.find(from);
                if from != head {
                    loops.merge(from, head);
                    heads[from as usize] = head;
                    work.push(from);
                }
            };
            for &from in back.successors(head) {
                take(from, &mut loops, &mut work);
            }
            while let Some(member) = work.pop() {
                take(self.parent[member as usize], &mut loops, &mut work);
                let mut edge = first[member as usize];
                while edge != NONE {
                    take(self.cross[edge as usize].0, &mut loops, &mut work);
                    edge = next[edge as usize];
                }
            }
        }
        (heads, is_head)
    }
}
