//! Dominators and post-dominators of the locations of every function.
//!
//! Lengauer and Tarjan's algorithm with path compression ("A Fast Algorithm for Finding Dominators in a Flowgraph",
//! TOPLAS 1979): the simpler iterative ones are quadratic where thousands of places jump to one `goto fail` label.

use super::graph::Graph;
use super::{LocId, Order};
use crate::program::Program;
use index_vec::IndexVec;

const NONE: u32 = u32::MAX;

/// The dominator (or post-dominator) tree of every function.
#[derive(Clone, Debug)]
pub struct Dominators {
    immediate: IndexVec<LocId, Option<LocId>>,
    /// First and last number of the location's subtree, all functions numbered through; empty if it has none.
    subtree: IndexVec<LocId, (u32, u32)>,
}

impl Dominators {
    /// `a` dominates `b` if every path from the function's entry to `b` goes through `a`.
    #[cfg(test)]
    fn of(program: &Program, order: &Order) -> Dominators {
        Dominators::build(program, order, |locs, edges| {
            let graph = Graph::new(locs.len(), edges);
            immediate(&graph, 0)
        })
    }

    /// `a` post-dominates `b` if every path from `b` to an end goes through `a`. Ends are the locations that no edge
    /// leaves (exit, error, end of the program). Where no end can be reached, the last location in reverse post order
    /// of each endless region counts as one.
    pub fn post(program: &Program, order: &Order) -> Dominators {
        Dominators::build(program, order, |locs, edges| {
            let n = locs.len();
            let mut turned: Vec<(u32, u32)> = edges.iter().map(|&(from, to)| (to, from)).collect();
            let graph = Graph::new(n, &turned);
            let mut roots: Vec<u32> =
                (0..n as u32).filter(|&i| program.cfa.locs[locs[i as usize]].out.is_empty()).collect();
            let mut seen = graph.reachable(roots.iter().copied());
            let mut work = Vec::new();
            for root in (0..n as u32).rev() {
                if std::mem::replace(&mut seen[root as usize], true) {
                    continue;
                }
                roots.push(root);
                work.push(root);
                while let Some(node) = work.pop() {
                    for &next in graph.successors(node) {
                        if !std::mem::replace(&mut seen[next as usize], true) {
                            work.push(next);
                        }
                    }
                }
            }
            // One virtual end behind all ends.
            turned.extend(roots.iter().map(|&root| (n as u32, root)));
            immediate(&Graph::new(n + 1, &turned), n as u32)
        })
    }

    /// `solve` gets a function's locations in reverse post order and its edges between positions therein; it gives the
    /// immediate dominator of each position (one beyond the last is virtual).
    fn build(
        program: &Program,
        order: &Order,
        solve: impl Fn(&[LocId], &[(u32, u32)]) -> Vec<u32>,
    ) -> Dominators {
        let cfa = &program.cfa;
        let mut result = Dominators {
            immediate: cfa.locs.iter().map(|_| None).collect(),
            subtree: cfa.locs.iter().map(|_| (1, 0)).collect(),
        };
        let mut count = 0;
        for function in program.functions.indices() {
            let locs = order.locations(function);
            if locs.is_empty() {
                continue;
            }
            let mut edges = Vec::new();
            for (number, &loc) in locs.iter().enumerate() {
                let targets = cfa.successors(loc).filter_map(|(_, e)| order.number(e.to));
                edges.extend(targets.map(|to| (number as u32, to)));
            }
            let up = solve(locs, &edges);
            let is_root = |i: usize| up[i] == NONE || up[i] as usize >= locs.len();
            let children: Vec<_> =
                (0..locs.len()).filter(|&i| !is_root(i)).map(|i| (up[i], i as u32)).collect();
            let tree = Graph::new(locs.len(), &children);
            for &(parent, child) in &children {
                result.immediate[locs[child as usize]] = Some(locs[parent as usize]);
            }
            let mut stack = Vec::new();
            for root in (0..locs.len()).filter(|&i| is_root(i)) {
                stack.push((root as u32, 0));
                while let Some((node, next)) = stack.last_mut() {
                    let loc = locs[*node as usize];
                    if *next == 0 {
                        result.subtree[loc].0 = count;
                        count += 1;
                    }
                    match tree.successors(*node).get(*next) {
                        Some(&child) => {
                            *next += 1;
                            stack.push((child, 0));
                        }
                        None => {
                            result.subtree[loc].1 = count - 1;
                            stack.pop();
                        }
                    }
                }
            }
        }
        result
    }

    /// `a` dominates `b`; each reachable location dominates itself.
    pub fn dominates(&self, a: LocId, b: LocId) -> bool {
        let ((first, last), (b_first, b_last)) = (self.subtree[a], self.subtree[b]);
        first <= b_first && b_first <= b_last && b_last <= last
    }
}

/// The immediate dominator of every node that the root reaches; `None` for the others and the root.
pub fn dominators(graph: &Graph, root: u32) -> Vec<Option<u32>> {
    immediate(graph, root).into_iter().map(|up| (up != NONE).then_some(up)).collect()
}

/// The same, with [`NONE`].
fn immediate(graph: &Graph, root: u32) -> Vec<u32> {
    let (vertex, number, parent) = depth_first(graph, root);
    let predecessors = graph.reversed();
    let n = vertex.len();
    // From here on, nodes are their numbers in the depth-first preorder.
    let mut forest =
        Forest { ancestor: vec![NONE; n], label: (0..n as u32).collect(), semi: (0..n as u32).collect() };
    let mut dominator = vec![NONE; n];
    let mut bucket = vec![NONE; n];
    let mut next_in_bucket = vec![NONE; n];
    for w in (1..n).rev() {
        for &v in predecessors.successors(vertex[w]) {
            if number[v as usize] != NONE {
                let best = forest.eval(number[v as usize]);
                forest.semi[w] = forest.semi[w].min(forest.semi[best as usize]);
            }
        }
        let semi = forest.semi[w] as usize;
        next_in_bucket[w] = std::mem::replace(&mut bucket[semi], w as u32);
        let up = parent[w];
        forest.ancestor[w] = up;
        let mut v = std::mem::replace(&mut bucket[up as usize], NONE);
        while v != NONE {
            let best = forest.eval(v);
            dominator[v as usize] =
                if forest.semi[best as usize] < forest.semi[v as usize] { best } else { up };
            v = next_in_bucket[v as usize];
        }
    }
    let mut result = vec![NONE; graph.len()];
    for w in 1..n {
        if dominator[w] != forest.semi[w] {
            dominator[w] = dominator[dominator[w] as usize];
        }
        result[vertex[w] as usize] = vertex[dominator[w] as usize];
    }
    result
}

/// Preorder, number in it, and the parent's number of each number.
fn depth_first(graph: &Graph, root: u32) -> (Vec<u32>, Vec<u32>, Vec<u32>) {
    let mut vertex = vec![root];
    let mut number = vec![NONE; graph.len()];
    let mut parent = vec![NONE];
    let mut stack = vec![(root, 0usize)];
    number[root as usize] = 0;
    while let Some((node, next)) = stack.last_mut() {
        let node = *node;
        let Some(&to) = graph.successors(node).get(*next) else {
            stack.pop();
            continue;
        };
        *next += 1;
        if number[to as usize] == NONE {
            number[to as usize] = vertex.len() as u32;
            vertex.push(to);
            parent.push(number[node as usize]);
            stack.push((to, 0));
        }
    }
    (vertex, number, parent)
}

/// The forest that Lengauer and Tarjan link step by step.
struct Forest {
    ancestor: Vec<u32>,
    label: Vec<u32>,
    semi: Vec<u32>,
}

impl Forest {
    /// The node with the smallest semidominator on the way from `v` up to its tree's root, the root excluded.
    fn eval(&mut self, v: u32) -> u32 {
        let mut path = Vec::new();
        let mut u = v;
        while self.ancestor[u as usize] != NONE {
            path.push(u);
            u = self.ancestor[u as usize];
        }
        // The last on the path is just below the root and stays as it is.
        path.pop();
        while let Some(u) = path.pop() {
            let a = self.ancestor[u as usize];
            let (own, above) = (self.label[u as usize], self.label[a as usize]);
            if self.semi[above as usize] < self.semi[own as usize] {
                self.label[u as usize] = above;
            }
            self.ancestor[u as usize] = self.ancestor[a as usize];
        }
        self.label[v as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cfa::testing::{chain, sample};

    fn check(text: &str, dominators: &str, post: &str) {
        let s = sample(text);
        let order = Order::of(&s.program);
        let show = |d: &Dominators| {
            let pair = |&l: &LocId| format!("{}<{}", d.immediate[l].map_or("-", |i| s.name(i)), s.name(l));
            order.locations(s.program.entry).iter().map(pair).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(show(&Dominators::of(&s.program, &order)), dominators);
        assert_eq!(show(&Dominators::post(&s.program, &order)), post);
    }

    #[test]
    fn branches_join() {
        check(
            "fn main(): 1->2 without_body(); 1->3; 2->4; 3->4; 4->5; 5->4; 4->exit",
            "-<1 1<2 1<3 1<4 4<5 4<exit",
            "4<1 4<2 4<3 exit<4 4<5 -<exit",
        );
    }

    #[test]
    fn an_error_is_an_end_of_its_own() {
        check(
            "fn main(): 1->2; 2->error; 2->3; 3->exit",
            "-<1 1<2 2<error 2<3 3<exit",
            "2<1 -<2 -<error exit<3 -<exit",
        );
    }

    #[test]
    fn an_endless_loop_has_post_dominators() {
        check("fn main(): 1->2; 2->3; 3->2", "-<1 1<2 2<3", "2<1 3<2 -<3");
    }

    #[test]
    fn an_irreducible_loop_is_dominated_from_outside() {
        check("fn main(): 1->2; 1->3; 2->3; 3->2; 3->exit", "-<1 1<3 1<2 3<exit", "3<1 exit<3 3<2 -<exit");
    }

    #[test]
    fn random_graphs_agree_with_the_definition() {
        let mut state = 7u64;
        let mut random = |below: u64| {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 33) % below
        };
        for round in 0..300 {
            let n = 2 + round % 10;
            let edges: Vec<(u32, u32)> =
                (0..random(3 * n) + 1).map(|_| (random(n) as u32, random(n) as u32)).collect();
            let graph = Graph::new(n as usize, &edges);
            let up = immediate(&graph, 0);
            let all = graph.reachable([0]);
            for cut in 1..n as u32 {
                let rest: Vec<_> = edges.iter().copied().filter(|e| e.0 != cut && e.1 != cut).collect();
                let without = Graph::new(n as usize, &rest).reachable([0]);
                for node in (0..n as u32).filter(|&x| all[x as usize] && x != cut) {
                    let mut above = up[node as usize];
                    while above != NONE && above != cut {
                        above = up[above as usize];
                    }
                    assert_eq!(above == cut, !without[node as usize], "{edges:?} {cut} {node}");
                }
            }
        }
    }

    #[test]
    fn many_jumps_to_one_label_are_quick() {
        let n = 100_000;
        let program = chain(n, |i| (i % 2 == 0).then_some(n - 1));
        let order = Order::of(&program);
        let locs = order.locations(program.entry);
        let (dominators, post) = (Dominators::of(&program, &order), Dominators::post(&program, &order));
        assert!(dominators.dominates(locs[0], locs[n - 1]));
        assert!(post.dominates(locs[n - 1], locs[0]));
        assert!(!post.dominates(locs[1], locs[0]));
    }
}
