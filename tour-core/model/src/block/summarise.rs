//! Large-block encoding by summarisation of the automaton (Beyer et al. 2009, §III.A).
//!
//! Rule 0 (error sink) holds by construction: no edge leaves an error location. Rules 1 (sequence) and 2 (choice) are
//! applied to a fixpoint with a worklist of locations. Each application removes an edge, and each removal puts at most
//! two locations on the worklist, so the work is linear in the edges as long as the out-degree is bounded.

use index_vec::IndexVec;
use rustc_hash::FxHashMap;
use std::collections::VecDeque;

index_vec::define_index_type! {
    /// An operation of a summarised edge.
    pub struct BlockOpId = u32;
    DEBUG_FORMAT = "op{}";
}

/// The operation of a summarised edge.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BlockOp<S> {
    /// One step of the program.
    Step(S),
    /// The first, then the second (rule 1).
    Seq(BlockOpId, BlockOpId),
    /// Either (rule 2).
    Choice(BlockOpId, BlockOpId),
}

/// A summarised graph over nodes `0..n`: at most one edge between two nodes.
#[derive(Clone, Debug)]
pub struct Summary<S> {
    /// The operations.
    pub ops: IndexVec<BlockOpId, BlockOp<S>>,
    /// Outgoing edges by node: target and operation, by ascending target. Removed nodes have none.
    pub out: Vec<Vec<(usize, BlockOpId)>>,
}

impl<S> Summary<S> {
    /// Nodes that are still there: those with an edge.
    pub fn nodes(&self) -> usize {
        let mut seen = vec![false; self.out.len()];
        for (from, edges) in self.out.iter().enumerate() {
            for &(to, _) in edges {
                seen[from] = true;
                seen[to] = true;
            }
        }
        seen.iter().filter(|s| **s).count()
    }
}

/// Summarises a graph. `keep` tells nodes that rule 1 must not remove: the start, error locations, and sinks whose
/// reachability matters.
pub fn summarise<S>(
    nodes: usize,
    edges: impl IntoIterator<Item = (usize, S, usize)>,
    keep: impl Fn(usize) -> bool,
) -> Summary<S> {
    let mut ops = IndexVec::new();
    let mut out: Vec<FxHashMap<usize, BlockOpId>> = vec![FxHashMap::default(); nodes];
    let mut into: Vec<FxHashMap<usize, ()>> = vec![FxHashMap::default(); nodes];
    let add = |ops: &mut IndexVec<BlockOpId, BlockOp<S>>,
               out: &mut Vec<FxHashMap<usize, BlockOpId>>,
               into: &mut Vec<FxHashMap<usize, ()>>,
               from: usize,
               op: BlockOpId,
               to: usize| {
        // Rule 2: parallel edges become one.
        match out[from].get(&to).copied() {
            Some(old) => {
                let both = ops.push(BlockOp::Choice(old, op));
                out[from].insert(to, both);
            }
            None => {
                out[from].insert(to, op);
                into[to].insert(from, ());
            }
        }
    };
    for (from, step, to) in edges {
        let op = ops.push(BlockOp::Step(step));
        add(&mut ops, &mut out, &mut into, from, op, to);
    }
    // Rule 1: a node with one incoming edge, which is no self-loop, is merged into its predecessor.
    let removable = |node: usize, out: &[FxHashMap<usize, BlockOpId>], into: &[FxHashMap<usize, ()>]| {
        !keep(node) && into[node].len() == 1 && !out[node].is_empty() && !out[node].contains_key(&node)
    };
    // Last nodes first, so that blocks are folded from the inside out.
    let mut worklist: VecDeque<usize> = (0..nodes).rev().collect();
    while let Some(node) = worklist.pop_front() {
        if !removable(node, &out, &into) {
            continue;
        }
        let pred = *into[node].keys().next().expect("one incoming edge");
        let first = out[pred].remove(&node).expect("edges are kept on both sides");
        into[node].clear();
        let mut rest: Vec<_> = std::mem::take(&mut out[node]).into_iter().collect();
        rest.sort_unstable();
        for (to, second) in rest {
            into[to].remove(&node);
            let op = ops.push(BlockOp::Seq(first, second));
            add(&mut ops, &mut out, &mut into, pred, op, to);
            worklist.push_back(to);
        }
        worklist.push_back(pred);
    }
    let out = out
        .into_iter()
        .map(|edges| {
            let mut edges: Vec<_> = edges.into_iter().collect();
            edges.sort_unstable();
            edges
        })
        .collect();
    Summary { ops, out }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn show(summary: &Summary<&str>, op: BlockOpId) -> String {
        match summary.ops[op] {
            BlockOp::Step(s) => s.to_string(),
            BlockOp::Seq(a, b) => format!("{} ; {}", show(summary, a), show(summary, b)),
            BlockOp::Choice(a, b) => format!("({} || {})", show(summary, a), show(summary, b)),
        }
    }

    fn check(nodes: usize, edges: &[(usize, &'static str, usize)], keep: &[usize], expect: &[&str]) {
        let summary = summarise(nodes, edges.iter().copied(), |n| keep.contains(&n));
        let mut got = Vec::new();
        for (from, edges) in summary.out.iter().enumerate() {
            for &(to, op) in edges {
                got.push(format!("{from} -> {to}: {}", show(&summary, op)));
            }
        }
        assert_eq!(got, expect);
    }

    /// Figure 2 of the paper: `while (i > 0) { if (x == 1) z = 0; else z = 1; i = i - 1; }` with locations 1 to 7.
    #[test]
    fn figure_2() {
        check(
            8,
            &[
                (1, "[i>0]", 2),
                (1, "[i<=0]", 6),
                (2, "[x==1]", 3),
                (2, "[x!=1]", 4),
                (3, "z=0", 5),
                (4, "z=1", 5),
                (5, "i=i-1", 1),
                (6, "", 7),
            ],
            &[1, 7],
            &["1 -> 1: [i>0] ; ([x!=1] ; z=1 || [x==1] ; z=0) ; i=i-1", "1 -> 7: [i<=0] ; "],
        );
    }

    #[test]
    fn an_error_location_and_the_start_stay() {
        check(
            4,
            &[(0, "a", 1), (1, "[p]", 2), (1, "[!p]", 3)],
            &[0, 3],
            &["0 -> 2: a ; [p]", "0 -> 3: a ; [!p]"],
        );
    }

    #[test]
    fn two_nested_loops_keep_both_heads() {
        check(
            4,
            &[(0, "init", 1), (1, "[a]", 2), (1, "[!a]", 3), (2, "[b]", 2), (2, "[!b]", 1)],
            &[0, 3],
            &["0 -> 1: init", "1 -> 2: [a]", "1 -> 3: [!a]", "2 -> 1: [!b]", "2 -> 2: [b]"],
        );
    }
}
