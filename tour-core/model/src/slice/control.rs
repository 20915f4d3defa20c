//! Control dependence: which branches decide where a run gets to next `[CONTROL]`, in the form of Danicic et al., which needs no
//! end of the program.
//!
//! A set of locations is *closed* if no location outside of it has two ways to different members of the set, without a
//! member in between. So each location has at most one *next* member. The smallest closed set adds the locations from which two
//! disjoint paths lead to two members. By Menger's theorem these are the ones whose immediate dominator is the root, in
//! the graph of the edges turned round with an edge from a root to each member: one run of Lengauer and Tarjan's algorithm.

use tour_ir::cfa::{Graph, dominators};

/// The smallest closed set of nodes that contains `members`, as the next member of each node. Edges between nodes are
/// pairs.
pub(super) fn close(nodes: usize, edges: &[(u32, u32)], members: &[bool]) -> Vec<Option<u32>> {
    let root = nodes as u32;
    let mut turned: Vec<(u32, u32)> =
        edges.iter().filter(|(from, _)| !members[*from as usize]).map(|&(from, to)| (to, from)).collect();
    let all = 0..nodes as u32;
    turned.extend(all.clone().filter(|&node| members[node as usize]).map(|node| (root, node)));
    let up = dominators(&Graph::new(nodes + 1, &turned), root);
    let mut next: Vec<Option<u32>> = vec![None; nodes];
    let mut known: Vec<bool> = vec![false; nodes];
    let mut path = Vec::new();
    for start in all {
        let mut at = start;
        let found = loop {
            if known[at as usize] {
                break next[at as usize];
            }
            path.push(at);
            match up[at as usize] {
                None => break None,
                Some(above) if above == root => break Some(at),
                Some(above) => at = above,
            }
        };
        for node in path.drain(..) {
            (next[node as usize], known[node as usize]) = (found, true);
        }
    }
    next
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(edges: &[(u32, u32)], members: &[u32], expect: &str) {
        let nodes = edges.iter().map(|(a, b)| a.max(b) + 1).max().unwrap_or(0) as usize;
        let is_member: Vec<bool> = (0..nodes as u32).map(|node| members.contains(&node)).collect();
        let next = close(nodes, edges, &is_member);
        let shown: Vec<String> = next.iter().map(|n| n.map_or("-".into(), |n| n.to_string())).collect();
        assert_eq!(shown.join(" "), expect);
    }

    #[test]
    fn a_branch_counts_if_it_decides() {
        // 0 -> 1 | 2 -> 3: what is done on one side only needs the branch; what is done behind it does not.
        let edges = [(0, 1), (0, 2), (1, 3), (2, 3)];
        check(&edges, &[1, 3], "0 1 3 3");
        check(&edges, &[3], "3 3 3 3");
        check(&edges, &[], "- - - -");
    }

    #[test]
    fn a_loop_goes_if_nothing_in_it_counts() {
        let edges = [(0, 1), (1, 2), (2, 1), (1, 3)];
        check(&edges, &[3], "3 3 3 3");
        check(&edges, &[2, 3], "1 1 2 3");
    }

    #[test]
    fn a_way_to_nowhere_decides_nothing() {
        // 0 -> 1 (an end) | 2
        check(&[(0, 1), (0, 2)], &[2], "2 - 2");
    }

    #[test]
    fn random_graphs_agree_with_the_definition() {
        let mut state = 11u64;
        let mut random = |below: u64| {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 33) % below
        };
        for round in 0..400 {
            let n = 2 + round % 9;
            let edges: Vec<(u32, u32)> =
                (0..random(2 * n) + n).map(|_| (random(n) as u32, random(n) as u32)).collect();
            let mut set: Vec<bool> = (0..n).map(|_| random(4) == 0).collect();
            let next = close(n as usize, &edges, &set);
            // Add what has two next members, until nothing has: in the order in which nothing too much is added.
            let first = |set: &[bool], from: u32| -> Vec<u32> {
                let (mut seen, mut work, mut found) = (vec![false; n as usize], vec![from], Vec::new());
                while let Some(node) = work.pop() {
                    if std::mem::replace(&mut seen[node as usize], true) {
                        continue;
                    }
                    if set[node as usize] {
                        found.push(node);
                        continue;
                    }
                    work.extend(edges.iter().filter(|e| e.0 == node).map(|e| e.1));
                }
                found.sort_unstable();
                found
            };
            let closed: Vec<bool> = next.iter().enumerate().map(|(i, n)| *n == Some(i as u32)).collect();
            for node in 0..n as u32 {
                assert!(!set[node as usize] || closed[node as usize]);
                let all = first(&closed, node);
                assert_eq!(
                    all,
                    next[node as usize].into_iter().collect::<Vec<_>>(),
                    "{edges:?} {set:?} {node}"
                );
            }
            // Nothing can be left out.
            for node in 0..n as usize {
                if closed[node] && !set[node] {
                    let mut less = closed.clone();
                    less[node] = false;
                    assert!(
                        (0..n as u32).any(|from| first(&less, from).len() > 1),
                        "{edges:?} {set:?} {node}"
                    );
                }
            }
            set.clear();
        }
    }
}
