//! Figures 7.1 and 7.2: a sub-graph of `f` is re-used in a call from `g`.

use crate::directed::{CallContexts, Distances, Metric};
use tour_ir::cfa::testing::{Sample, sample};

/// Figure 7.1. `exit` of `main`, `f` and `g` are L12, L22 and L32.
const FIGURE_7_1: &str = "fn main(*x, k): 1->2 declare i; 2->3 [x[1] > x[2]]; 2->8 [!(x[1] > x[2])]
    3->4 f(x[1]); 4->5 [k == 0]; 4->6 [!(k == 0)]; 5->7 x[2] = x[1]; 6->7 x[1] = x[2]; 7->10
    8->9 g(x[2]); 9->10; 10->error11 [x[1] > x[2]]; 10->exit [!(x[1] > x[2])]
fn f(i): 21->exit a = i
fn g(i): 31->exit f(i)";

/// The states s1 to s12 of Figure 7.2 and their locations.
const STATES: [&str; 12] = [
    "main.1", "main.2", "main.3", "main.8", "f.21", "f.exit", "main.4", "g.31", "f.21", "f.exit", "g.exit",
    "main.9",
];

/// All columns of `map2`: distance, call, entry. (The table has no entry for s12; by line 11 of Figure 7.3 it is
/// entry(call(entry(s11))) = s1.)
const MAP_2: &str = "s1 5 - s1, s2 4 - s1, s3 5 - s1, s4 3 - s1, s5 5 s3 s5, s6 4 s3 s5, s7 4 - s1, s8 3 s4 s8, \
                     s9 3 s8 s9, s10 2 s8 s9, s11 2 s4 s8, s12 2 - s1";

fn call(s: &Sample, from: &str) -> tour_ir::cfa::EdgeId {
    s.program.cfa.successors(s.loc(from)).next().unwrap().0
}

/// `call` stands in the table for entry states only; here it is that of a state's entry.
fn map(s: &Sample, contexts: &mut CallContexts<usize>) -> String {
    let distances = Distances::of(&s.prepared(), Metric::St, &[]);
    let state = |state: Option<usize>| state.map_or("-".into(), |n| format!("s{n}"));
    let mut rows = Vec::new();
    for (i, loc) in STATES.iter().enumerate() {
        let n = i + 1;
        let dist = contexts.dist(&distances, n, s.loc(loc));
        rows.push(format!("s{n} {dist} {} {}", state(contexts.call(n)), state(contexts.entry(n))));
    }
    rows.join(", ")
}

/// The graph of Figure 7.2; s9 and s10 are new states.
fn explore(s: &Sample, contexts: &mut CallContexts<usize>) {
    let p = &s.program;
    contexts.begin(1);
    contexts.step(1, 2);
    contexts.step(2, 3);
    contexts.step(2, 4);
    contexts.enter(p, 3, call(s, "main.3"), 5);
    contexts.step(5, 6);
    contexts.leave(6, 7);
    contexts.enter(p, 4, call(s, "main.8"), 8);
    contexts.enter(p, 8, call(s, "g.31"), 9);
    contexts.step(9, 10);
    contexts.leave(10, 11);
    contexts.leave(11, 12);
}

#[test]
fn map2_of_figure_7_2() {
    let s = sample(FIGURE_7_1);
    let mut contexts = CallContexts::default();
    explore(&s, &mut contexts);
    assert_eq!(map(&s, &mut contexts), MAP_2);
}

/// The sub-graph s5, s6 itself is re-used behind s8: with one change, all its distances are those of the new call.
#[test]
fn a_reused_sub_graph_gets_its_new_context() {
    let s = sample(FIGURE_7_1);
    let distances = Distances::of(&s.prepared(), Metric::St, &[]);
    let mut contexts = CallContexts::default();
    explore(&s, &mut contexts);
    let dists = |contexts: &mut CallContexts<usize>| {
        [(5, "f.21"), (6, "f.exit")].map(|(n, loc)| contexts.dist(&distances, n, s.loc(loc)).to_string())
    };
    assert_eq!(dists(&mut contexts), ["5", "4"]);
    contexts.enter(&s.program, 8, call(&s, "g.31"), 5);
    assert_eq!(dists(&mut contexts), ["3", "2"]);
    contexts.leave(6, 11);
    assert_eq!(contexts.entry(11), Some(8));
}

/// A recursive function whose sub-graph is re-used below itself keeps the call from outside.
#[test]
fn a_sub_graph_below_itself_keeps_its_context() {
    let s = sample(
        "fn main(): 1->2 f(1); 2->error\nfn f(n): 1->2 [n > 0]; 1->exit [!(n > 0)]; 2->3 f(n - 1); 3->exit",
    );
    let distances = Distances::of(&s.prepared(), Metric::St, &[]);
    let mut contexts = CallContexts::default();
    contexts.begin(1);
    contexts.enter(&s.program, 1, call(&s, "main.1"), 2);
    contexts.step(2, 3);
    assert_eq!(contexts.dist(&distances, 3, s.loc("f.2")).to_string(), "3");
    contexts.enter(&s.program, 3, call(&s, "f.2"), 2);
    assert_eq!(contexts.dist(&distances, 3, s.loc("f.2")).to_string(), "3");
}

/// A chain of calls is gone through without recursion, and once.
#[test]
fn a_long_chain_of_calls_needs_no_stack() {
    let s =
        sample("fn main(): 1->2 f(1); 2->error\nfn f(n): 1->2 [n > 0]; 1->exit [!(n > 0)]; 2->exit f(n - 1)");
    let distances = Distances::of(&s.prepared(), Metric::St, &[]);
    let mut contexts = CallContexts::default();
    contexts.begin(0);
    contexts.enter(&s.program, 0, call(&s, "main.1"), 1);
    for n in 1..100_000 {
        contexts.enter(&s.program, n, call(&s, "f.2"), n + 1);
    }
    assert_eq!(contexts.dist(&distances, 100_000, s.loc("f.1")).to_string(), "2");
}
