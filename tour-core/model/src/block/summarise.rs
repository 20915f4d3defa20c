//! Large-block encoding by summarisation of the automaton [LBE §III.A].
//!
//! Rule 0 (error sink) holds by construction: no edge leaves an error location. Rules 1 (sequence) and 2 (choice) are
//! applied to a fixpoint with a worklist of locations. Each application removes an edge, and each removal puts at most
//! two locations on the worklist, so the work is linear in the edges as long as the out-degree is bounded.

use std::collections::{BTreeSet, VecDeque};

/// Summarises a graph over nodes `0..n`: the successors of each node, of which there are none where it was removed. `keep`
/// tells nodes that rule 1 must not remove: the start, error locations, and sinks whose reachability matters.
pub(super) fn summarise(
    nodes: usize,
    edges: impl IntoIterator<Item = (usize, usize)>,
    keep: impl Fn(usize) -> bool,
) -> Vec<BTreeSet<usize>> {
    // Rule 2: parallel edges are one.
    let mut out = vec![BTreeSet::new(); nodes];
    let mut into = vec![BTreeSet::new(); nodes];
    for (from, to) in edges {
        out[from].insert(to);
        into[to].insert(from);
    }
    // Last nodes first, so that blocks are folded from the inside out.
    let mut worklist: VecDeque<usize> = (0..nodes).rev().collect();
    while let Some(node) = worklist.pop_front() {
        // Rule 1: a node with one incoming edge, which is no self-loop, is merged into its predecessor.
        if keep(node) || into[node].len() != 1 || out[node].is_empty() || out[node].contains(&node) {
            continue;
        }
        let Some(pred) = into[node].pop_first() else { continue };
        out[pred].remove(&node);
        for to in std::mem::take(&mut out[node]) {
            into[to].remove(&node);
            out[pred].insert(to);
            into[to].insert(pred);
            worklist.push_back(to);
        }
        worklist.push_back(pred);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(nodes: usize, edges: &[(usize, usize)], keep: &[usize], expect: &[(usize, usize)]) {
        let out = summarise(nodes, edges.iter().copied(), |n| keep.contains(&n));
        let got: Vec<_> =
            out.iter().enumerate().flat_map(|(from, to)| to.iter().map(move |to| (from, *to))).collect();
        assert_eq!(got, expect);
    }

    /// Figure 2 of the paper: `while (i > 0) { if (x == 1) z = 0; else z = 1; i = i - 1; }` with locations 1 to 7.
    #[test]
    fn figure_2() {
        let edges = [(1, 2), (1, 6), (2, 3), (2, 4), (3, 5), (4, 5), (5, 1), (6, 7)];
        check(8, &edges, &[1, 7], &[(1, 1), (1, 7)]);
    }

    #[test]
    fn an_error_location_and_the_start_stay() {
        check(4, &[(0, 1), (1, 2), (1, 3)], &[0, 3], &[(0, 2), (0, 3)]);
    }

    #[test]
    fn two_nested_loops_keep_both_heads() {
        let edges = [(0, 1), (1, 2), (1, 3), (2, 2), (2, 1)];
        check(4, &edges, &[0, 3], &[(0, 1), (1, 2), (1, 3), (2, 1), (2, 2)]);
    }
}
