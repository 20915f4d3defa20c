//! Distances against their definition on random programs: the length of the shortest path in the unfolding.

use crate::directed::{Directed, Dist, Distances, Learned, Metric};
use std::collections::BTreeMap;
use tour_ir::cfa::testing::{prepared, sample};
use tour_ir::cfa::{CallGraph, LocKind, Loops};
use tour_ir::program::Program;
use tour_model::block::{NodeId, Step, Unfolding};

/// A random program of four functions. Without `recursive`, a function calls only those after it.
fn random(seed: u64, recursive: bool) -> String {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut pick = |n: u64| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 20) % n
    };
    let mut text = String::new();
    for (f, name) in ["main", "f1", "f2", "f3"].iter().enumerate() {
        let mut edges = Vec::new();
        for from in 0..6 {
            for _ in 0..1 + pick(2) {
                let to = match pick(12) {
                    n if n < 7 => n.to_string(),
                    n if n < 11 => "exit".into(),
                    _ => "error".into(),
                };
                let first = if recursive { 1 } else { f as u64 + 1 };
                let op = match pick(4) {
                    0 => "[x > 0]".into(),
                    1 if first < 4 => format!("f{}()", first + pick(4 - first)),
                    _ => "x = 1".into(),
                };
                edges.push(format!("{from}->{to} {op}"));
            }
        }
        text += &format!("fn {name}(): {}\n", edges.join("; "));
    }
    text
}

fn weight(program: &Program, loops: &Loops, metric: Metric, step: Step) -> u32 {
    match step {
        Step::Edge(edge) => metric.weight(program, loops, edge),
        Step::Enter { .. } | Step::BadCall(_) => 0,
        Step::Leave { .. } => metric.leave(),
    }
}

/// Bellman and Ford's algorithm on the whole unfolding.
fn by_definition(unfolding: &mut Unfolding, metric: Metric) -> BTreeMap<NodeId, Dist> {
    let program = unfolding.program();
    let loops = Loops::of(program);
    let mut dist = BTreeMap::new();
    let mut edges = Vec::new();
    let mut work = vec![unfolding.start().unwrap()];
    while let Some(node) = work.pop() {
        let error = matches!(program.cfa.locs[unfolding.loc(node)].kind, LocKind::Error(_));
        if dist.insert(node, if error { Dist::ZERO } else { Dist::INFINITE }).is_some() {
            continue;
        }
        for t in unfolding.successors(node).to_vec() {
            let Some(to) = t.to else { continue };
            edges.push((node, weight(program, &loops, metric, t.step), to));
            if !dist.contains_key(&to) {
                work.push(to);
            }
        }
    }
    loop {
        let mut changed = false;
        for &(from, weight, to) in &edges {
            let new = dist[&to] + weight;
            if new < dist[&from] {
                dist.insert(from, new);
                changed = true;
            }
        }
        if !changed {
            return dist;
        }
    }
}

#[test]
fn distances_are_lengths_of_shortest_paths() {
    for seed in 1..120 {
        let program = prepared(&random(seed, false));
        for metric in Metric::ALL {
            let mut unfolding = Unfolding::new(&program, &CallGraph::of(&program));
            let expect = by_definition(&mut unfolding, metric);
            let mut directed = Directed::new(Distances::of(&program, metric, &[]), Learned::new(false));
            for (node, dist) in expect {
                assert_eq!(directed.dist(&unfolding, node), dist, "seed {seed}, {metric}, {node:?}");
            }
        }
    }
}

/// exit-dist with recursion: the least solution of its equations, found by iteration.
#[test]
fn recursion_gives_the_least_solution() {
    for seed in 1..120 {
        let s = sample(&random(seed, true));
        let (p, loops) = (&s.program, Loops::of(&s.program));
        for metric in Metric::ALL {
            let mut exit: Vec<Dist> = p.cfa.locs.iter().map(|_| Dist::INFINITE).collect();
            p.functions.iter().filter_map(|f| f.body).for_each(|b| exit[b.exit.index()] = Dist::ZERO);
            for _ in 0..p.cfa.locs.len() {
                for (id, edge) in p.cfa.edges.iter_enumerated() {
                    let step = match &edge.op {
                        tour_ir::program::Op::Call(call) => {
                            let tour_ir::program::Callee::Direct(f) = call.callee else { continue };
                            exit[p.functions[f].body.unwrap().entry.index()] + metric.leave()
                        }
                        _ => Dist::new(metric.weight(p, &loops, id)),
                    };
                    let new = step + exit[edge.to.index()];
                    exit[edge.from.index()] = exit[edge.from.index()].min(new);
                }
            }
            let found = Distances::of(&s.prepared(), metric, &[]);
            for loc in p.cfa.locs.indices() {
                assert_eq!(found.exit_dist(loc), exit[loc.index()], "seed {seed}, {metric}, {loc:?}");
            }
        }
    }
}
