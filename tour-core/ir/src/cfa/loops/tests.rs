//! Tests of the loop forest: small graphs by hand, random ones against the definition.

use super::super::graph::Graph;
use super::super::{Edge, Order};
use super::*;
use crate::cfa::testing::{Sample, chain, sample};

/// One line per loop: indentation by depth, head, members, entries and exits.
fn show(s: &Sample) -> String {
    let (loops, cfa) = (Loops::of(&s.program), &s.program.cfa);
    let mut lines = Vec::new();
    for (id, l) in loops.iter() {
        let mut members = loops.members(id).to_vec();
        assert_eq!(members[0], l.head);
        members.sort_unstable_by_key(|&l| s.name(l));
        let edges = |ids: Vec<EdgeId>| {
            let mut ids = ids;
            ids.sort_unstable();
            let show = |e: &EdgeId| format!("{}->{}", s.name(cfa.edges[*e].from), s.name(cfa.edges[*e].to));
            ids.iter().map(show).collect::<Vec<_>>().join(" ")
        };
        let enters = || loops.members(id).iter().flat_map(|&l| cfa.predecessors(l)).map(|(e, _)| e);
        let is_back = |e: EdgeId| cfa.edges[e].to == l.head && loops.contains(id, cfa.edges[e].from);
        lines.push(format!(
            "{}{}{}: {} | in {} | out {} | back {}",
            "  ".repeat(l.depth as usize - 1),
            s.name(l.head),
            if l.reducible { "" } else { " irreducible" },
            s.names(&members),
            edges(enters().filter(|e| !loops.contains(id, cfa.edges[*e].from)).collect()),
            edges(loops.exit_edges(cfa, id).collect()),
            edges(enters().filter(|e| is_back(*e)).collect()),
        ));
    }
    lines.join("\n")
}

fn check(text: &str, expect: &str) {
    let s = sample(text);
    assert_eq!(show(&s), expect);
    every_cycle_has_a_head(&s.program);
}

/// Without the heads, no reachable cycle is left.
fn every_cycle_has_a_head(program: &Program) {
    let (loops, order) = (Loops::of(program), Order::of(program));
    let edges: Vec<_> = program
        .cfa
        .edges
        .iter()
        .filter(|e| order.is_reachable(e.from))
        .filter(|e| !loops.is_head(e.from) && !loops.is_head(e.to))
        .map(|e| (e.from.index() as u32, e.to.index() as u32))
        .collect();
    assert!(edges.iter().all(|(a, b)| a != b));
    let graph = Graph::new(program.cfa.locs.len(), &edges);
    assert!(graph.components().iter().all(|c| c.len() == 1));
}

#[test]
fn natural_loops_nest() {
    check(
        "fn main(): 1->2; 2->3; 2->9; 3->4; 4->3; 4->5; 5->2; 3->6; 6->exit; 9->exit",
        "2: 2 3 4 5 | in 1->2 | out 2->9 3->6 | back 5->2\n  3: 3 4 | in 2->3 | out 4->5 3->6 | back 4->3",
    );
}

#[test]
fn two_back_edges_to_one_head_are_one_loop() {
    check(
        "fn main(): 1->2; 2->3; 2->4; 3->2; 4->2; 2->exit",
        "2: 2 3 4 | in 1->2 | out 2->exit | back 3->2 4->2",
    );
}

#[test]
fn a_location_can_be_its_own_loop() {
    check("fn main(): 1->1; 1->exit", "1: 1 | in  | out 1->exit | back 1->1");
}

#[test]
fn loops_one_after_the_other_are_apart() {
    check(
        "fn main(): 1->2; 2->1; 2->3; 3->3; 3->exit",
        "1: 1 2 | in  | out 2->3 | back 2->1\n3: 3 | in 2->3 | out 3->exit | back 3->3",
    );
}

#[test]
fn an_irreducible_loop_has_the_head_seen_first() {
    check(
        "fn main(): 1->2; 1->3; 2->3; 3->2; 3->exit",
        "2 irreducible: 2 3 | in 1->2 1->3 | out 3->exit | back 3->2",
    );
}

#[test]
fn a_jump_into_an_inner_loop_makes_both_irreducible() {
    check(
        "fn main(): 1->2; 1->4; 2->3; 3->4; 4->3; 4->5; 5->2; 5->exit",
        "2 irreducible: 2 3 4 5 | in 1->2 1->4 | out 5->exit | back 5->2\n  \
         3 irreducible: 3 4 | in 1->4 2->3 | out 4->5 | back 4->3",
    );
}

#[test]
fn a_jump_to_an_inner_head_makes_only_the_outer_loop_irreducible() {
    check(
        "fn main(): 1->2; 1->3; 2->3; 3->3; 3->2; 3->exit",
        "2 irreducible: 2 3 | in 1->2 1->3 | out 3->exit | back 3->2\n  \
         3: 3 | in 1->3 2->3 | out 3->2 3->exit | back 3->3",
    );
}

#[test]
fn random_graphs_agree_with_the_definition() {
    let mut state = 1u64;
    let mut random = |below: u64| {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 33) % below
    };
    for round in 0..300 {
        let n = 2 + round % 12;
        let mut text = format!("fn main(): 0->{}", random(n));
        for _ in 0..random(3 * n) {
            text += &format!("; {}->{}", random(n), random(n));
        }
        let s = sample(&text);
        every_cycle_has_a_head(&s.program);
        agrees_with_definition(&s.program, &text);
    }
}

/// The loop of a head is its strongly connected region among the locations that the search saw below it.
fn agrees_with_definition(program: &Program, text: &str) {
    let search = Search::run(program);
    let loops = Loops::of(program);
    let n = search.order.len();
    let below = |top: u32, mut x: u32| {
        while x != NONE && x != top {
            x = search.parent[x as usize];
        }
        x == top
    };
    let number = |l: LocId| search.order.iter().position(|&o| o == l);
    for top in 0..n as u32 {
        let inside: Vec<(u32, u32)> = program
            .cfa
            .edges
            .iter()
            .filter_map(|e| Some((number(e.from)? as u32, number(e.to)? as u32)))
            .filter(|&(a, b)| below(top, a) && below(top, b))
            .collect();
        let (forward, backward) = (Graph::new(n, &inside), Graph::new(n, &inside).reversed());
        let (to, from) = (forward.reachable([top]), backward.reachable([top]));
        let head = inside.iter().any(|e| e.1 == top);
        let loc = search.order[top as usize];
        assert_eq!(loops.is_head(loc), head, "{text}");
        if let Some(id) = loops.innermost(loc).filter(|_| head) {
            let reachable = |e: &&Edge| number(e.from).is_some();
            let mut into = program.cfa.edges.iter().filter(reachable);
            let aside = into.any(|e| e.to != loc && loops.contains(id, e.to) && !loops.contains(id, e.from));
            assert_eq!(loops.get(id).reducible, !aside, "{text}");
            for x in 0..n {
                let expected = to[x] && from[x] && below(top, x as u32);
                assert_eq!(loops.contains(id, search.order[x]), expected, "{text}");
            }
        }
    }
}

#[test]
fn an_edge_leaves_the_outermost_loop_that_does_not_hold_its_target() {
    // Location i of 0..40 is the head of a loop back from 79 - i.
    let program = chain(81, |i| (40..80).contains(&i).then(|| 79 - i));
    let loops = Loops::of(&program);
    let locs = Order::of(&program).locations(program.entry).to_vec();
    for (from, to) in (0..80).flat_map(|from| (0..80).map(move |to| (from, to))) {
        let (depth_from, depth_to) = (from.min(79 - from), to.min(79 - to));
        let left = loops.left_by(locs[from], locs[to]).map(|l| loops.get(l).head);
        let expect = (depth_from > depth_to).then(|| locs[depth_to + 1]);
        assert_eq!(left, expect, "{from} {to}");
        let around = loops.around(locs[from], locs[to]).map(|l| loops.get(l).head);
        assert_eq!(around, Some(locs[depth_from.min(depth_to)]));
    }
}

#[test]
fn ten_thousands_of_nested_loops_are_quick() {
    // Location i has an edge back to n - i: the loops lie in each other like shells.
    let n = 100_000;
    let program = chain(n, |i| (i > n / 2 && i < n - 1).then(|| n - i));
    let loops = Loops::of(&program);
    assert_eq!(loops.iter().count(), n / 2 - 2);
    assert_eq!(loops.iter().map(|(_, l)| l.depth).max(), Some(n as u32 / 2 - 2));
}
