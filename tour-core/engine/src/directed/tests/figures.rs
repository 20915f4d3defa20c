//! Figures 3.1 to 3.12.
//!
//! The pictures give numbers at locations that the text does not repeat. The text states: exit-dist' of L1 and L21 is 0,
//! that of L22 is -1; abs-dist of L1 is 5 and of L21 is ∞; dist of s3 (L8) and of s4 (L21) is 3; a call at distance 5
//! gives L22 the distance 4. Table `map2` of Figure 7.2 has the distances of L2, L3, L4, L9 and again L1. The rest follows
//! from the definition, edge by edge.

use crate::analysis::{Analysis, Kind, Lazy, Options, SearchLog, Step};
use crate::cegar::Order;
use crate::context::{BlockEncoding, Context, Watch};
use crate::directed::{Directed, Dist, Distances, Focus, Learned, Metric, MetricChoice};
use std::sync::Arc;
use tour_ir::cfa::CallGraph;
use tour_ir::cfa::testing::{Sample, sample};
use tour_ir::program::Rule;
use tour_model::block::{NodeId, Unfolding};

/// Figure 3.1: `exit` of `main` is L12, `exit` of `f` is L22, `error11` is the call of `abort`.
pub const FIGURE_3_1: &str = "fn main(*x, k): 1->2 declare i; 2->3 [x[1] > x[2]]; 2->8 [!(x[1] > x[2])]
    3->4 f(x[1]); 4->5 [k == 0]; 4->6 [!(k == 0)]; 5->7 x[2] = x[1]; 6->7 x[1] = x[2]; 7->10
    8->9 f(x[2]); 9->10; 10->error11 [x[1] > x[2]]; 10->exit [!(x[1] > x[2])]
fn f(i): 21->exit a = i";

const LOCATIONS: [&str; 14] = [
    "main.1",
    "main.2",
    "main.3",
    "main.4",
    "main.5",
    "main.6",
    "main.7",
    "main.8",
    "main.9",
    "main.10",
    "main.error11",
    "main.exit",
    "f.21",
    "f.exit",
];

fn distances(s: &Sample, metric: Metric) -> Distances {
    Distances::of(&s.prepared(), metric, &[])
}

#[track_caller]
fn check(found: impl Fn(&str) -> String, expect: &str) {
    let found: Vec<String> = LOCATIONS.iter().map(|name| found(name)).collect();
    assert_eq!(found.join(" "), expect);
}

/// Figure 3.5.
#[test]
fn exit_dist_of_figure_3_5() {
    let s = sample(FIGURE_3_1);
    let d = distances(&s, Metric::St);
    check(|loc| d.exit_dist(s.loc(loc)).to_string(), "5 4 5 4 3 3 2 3 2 1 ∞ 0 1 0");
    let prime =
        |loc: &str| d.exit_dist_prime(&s.prepared(), s.loc(loc)).map_or("∞".into(), |n| n.to_string());
    check(prime, "0 -1 0 -1 -2 -2 -3 -2 -3 -4 ∞ -5 0 -1");
}

/// Figure 3.6.
#[test]
fn abs_dist_of_figure_3_6() {
    let s = sample(FIGURE_3_1);
    let d = distances(&s, Metric::St);
    check(|loc| d.abs_dist(s.loc(loc)).to_string(), "5 4 5 4 3 3 2 3 2 1 0 ∞ ∞ ∞");
}

/// The other metrics of §4.1 on the same program: conditions; loop heads, of which there are none; entries and returns.
#[test]
fn the_other_metrics() {
    let s = sample(FIGURE_3_1);
    let check = |metric, expect| {
        let d = distances(&s, metric);
        check(|loc| d.abs_dist(s.loc(loc)).to_string(), expect);
    };
    check(Metric::Bb, "2 2 2 2 1 1 1 1 1 1 0 ∞ ∞ ∞");
    check(Metric::Lh, "0 0 0 0 0 0 0 0 0 0 0 ∞ ∞ ∞");
    check(Metric::Lf, "3 2 2 0 0 0 0 2 0 0 0 ∞ ∞ ∞");
}

/// Loop heads count once for each time that they are passed.
#[test]
fn loop_heads_weigh() {
    let s = sample(
        "fn main(): 1->2 i = 0; 2->3 [i < 9]; 3->2 i = i + 1; 2->4 [!(i < 9)]; 4->error [i > 9]; 4->exit [!(i > 9)]",
    );
    let dist = |metric| {
        let d = distances(&s, metric);
        ["main.1", "main.2", "main.3", "main.4"].map(|loc| d.abs_dist(s.loc(loc)).steps().unwrap())
    };
    assert_eq!(dist(Metric::St), [3, 2, 3, 1]);
    assert_eq!(dist(Metric::Bb), [2, 2, 2, 1]);
    assert_eq!(dist(Metric::Lh), [1, 1, 1, 0]);
    assert_eq!(dist(Metric::Lf), [2, 1, 1, 0]);
}

/// The states of Figure 3.2, as nodes of the unfolding: s1 to s10 along the true branches, s11 to s16 from L8 on.
fn figure_3_2(unfolding: &mut Unfolding, s: &Sample) -> Vec<NodeId> {
    let mut states = vec![unfolding.start().unwrap()];
    let mut at = states[0];
    let path = ["2", "3", "21", "exit", "4", "5", "7", "10", "error11"];
    let other = ["8", "21", "exit", "9", "10", "error11"];
    for (i, name) in path.iter().chain(&other).enumerate() {
        if i == path.len() {
            at = states[1];
        }
        let next: Vec<NodeId> = unfolding.successors(at).iter().filter_map(|t| t.to).collect();
        at = next.into_iter().find(|n| s.name(unfolding.loc(*n)) == *name).expect("a step of the figure");
        states.push(at);
    }
    states
}

/// Figure 3.2: one location, two distances. s4 and s12 are both L21.
#[test]
fn distances_depend_on_the_call() {
    let s = sample(FIGURE_3_1);
    let mut unfolding = Unfolding::new(&s.program, &CallGraph::of(&s.program));
    let states = figure_3_2(&mut unfolding, &s);
    let mut directed = Directed::new(distances(&s, Metric::St), Learned::new(false));
    let dist: Vec<_> = states.iter().map(|n| directed.dist(&unfolding, *n).steps().unwrap()).collect();
    assert_eq!(dist, [5, 4, 5, 5, 4, 4, 3, 2, 1, 0, 3, 3, 2, 2, 1, 0]);
    // The text of Figure 3.5: with the call at distance 5, L22 is at 4.
    assert_eq!((dist[2], dist[4]), (5, 4));
}

/// Figure 3.12: the directed search goes straight to L11 along L8, past s1 to s5 and on; depth-first search goes along L3
/// to s10 of Figure 3.2. As in the figures all operations are nondeterministic, so there are none. At L10 the error is
/// found, which ends the search before L10 counts as expanded.
#[test]
fn the_directed_search_finds_the_short_path() {
    let s = sample(
        "fn main(): 1->2; 2->8; 2->3; 3->4 f(); 4->6; 4->5; 5->7; 6->7; 7->10; 8->9 f(); 9->10; 10->error11; 10->exit
fn f(): 21->exit",
    );
    let explored = |search| {
        let options = Options {
            block: BlockEncoding::Sbe,
            search,
            metric: MetricChoice::Only(Metric::St),
            ..Options::default()
        };
        let diary = Arc::new(SearchLog::default());
        let context = Context { watch: Watch::new(diary.clone()), ..Context::default() };
        Lazy(Options { analysis: Kind::PREDICATE, ..options }).run(&s.prepared(), &context);
        let expanded = |(_, step): (_, Step)| match step {
            Step::Expanded { at, distance: Some(dist), .. } => Some(format!("{}:{dist}", s.name(at))),
            Step::Expanded { at, .. } => Some(s.name(at).to_owned()),
            _ => None,
        };
        diary.steps().into_iter().filter_map(expanded).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(explored(Order::TOUR), "1:5 2:4 8:3 21:3 exit:2 9:2");
    assert_eq!(explored(Order::DFS), "1 2 3 21 exit 4 5 7");
}

/// Figure 3.8: `main` calls `x` and `y`, `y` calls `x`.
#[test]
fn functions_are_done_bottom_up() {
    check_order(
        "fn main(): 1->2 x(); 2->exit y()\nfn x(): 1->exit\nfn y(): 1->2; 2->exit x()",
        "x:1 y:2 main:3",
    );
}

/// Figure 3.10: a function that calls itself, and a circle of two. The one with the shorter base case comes first.
#[test]
fn recursion_ends_at_the_shortest_base_case() {
    check_order(
        "fn main(): 1->exit x()\nfn x(n): 1->2 [n > 0]; 1->exit [!(n > 0)]; 2->exit x(n - 1)",
        "x:1 main:1",
    );
    // y's base case is longer than the way through x's.
    check_order(
        "fn main(): 1->exit y(1)\nfn x(n): 1->2; 2->3 [n > 0]; 2->exit [!(n > 0)]; 3->exit y(n - 1)
fn y(n): 1->2 [n > 0]; 1->3 [!(n > 0)]; 2->exit x(n - 1); 3->4; 4->5; 5->6; 6->exit",
        "x:2 y:3 main:3",
    );
}

/// A function without a base case never returns, and nor do those that need it.
#[test]
fn a_function_without_a_base_case_is_infinitely_long() {
    check_order(
        "fn main(): 1->2 x(); 2->exit\nfn x(): 1->exit y()\nfn y(): 1->exit x()\nfn z(): 1->exit",
        "z:1",
    );
}

#[track_caller]
fn check_order(text: &str, expect: &str) {
    let s = sample(text);
    let d = distances(&s, Metric::St);
    let show = |f: &tour_ir::program::FnId| format!("{}:{}", s.program.functions[*f].name, d.through(*f));
    let found: Vec<String> = d.order().iter().map(show).collect();
    assert_eq!(found.join(" "), expect);
}

/// All error locations count, the nearest one decides; with a focus, the others are far away.
#[test]
fn the_nearest_error_counts_unless_another_is_in_focus() {
    let s = sample("fn main(): 1->2; 2->errorA; 2->3; 3->4; 4->errorB; 3->exit");
    let d = distances(&s, Metric::St);
    assert_eq!((d.abs_dist(s.loc("main.1")), d.abs_dist(s.loc("main.3"))), (Dist::new(2), Dist::new(2)));
    // All of the text stands on one line: the second error is told apart by its rule.
    let mut s = s;
    let b = s.program.cfa.error_at(s.loc("main.errorB")).unwrap();
    s.program.checks[b].rule = Rule::Assert;
    let d = Distances::of(&s.prepared(), Metric::St, &["assert".parse::<Focus>().unwrap()]);
    assert_eq!(d.abs_dist(s.loc("main.1")), Dist::new(4));
    assert!(d.abs_dist(s.loc("main.errorA")) > Dist::new(1000));
    // Both in focus, the second one four steps farther away than it is.
    let both = ["assert=4".parse::<Focus>().unwrap(), "unreach-call".parse().unwrap()];
    let d = Distances::of(&s.prepared(), Metric::St, &both);
    assert_eq!((d.abs_dist(s.loc("main.1")), d.abs_dist(s.loc("main.3"))), (Dist::new(2), Dist::new(6)));
    let nowhere = Distances::of(&s.prepared(), Metric::St, &["test.c:99".parse::<Focus>().unwrap()]);
    assert_eq!(nowhere.abs_dist(s.loc("main.1")), Dist::new(2));
}

/// Where `[TOUR]`'s sum would be wrong: the error is in `f`, and nothing is behind it. At the exit of `f` the sum
/// exit-dist' + dist(call) is 2 - 4 = -2; there is no error left to go to.
#[test]
fn an_error_inside_the_callee_is_behind_at_its_exit() {
    let s = sample("fn main(): 1->exit f()\nfn f(): 1->2; 2->error; 2->3; 3->4; 4->exit");
    let d = distances(&s, Metric::St);
    assert_eq!(d.abs_dist(s.loc("main.1")), Dist::new(2));
    assert_eq!(d.exit_dist_prime(&s.prepared(), s.loc("f.exit")), Some(-4));
    let mut unfolding = Unfolding::new(&s.program, &CallGraph::of(&s.program));
    let mut at = unfolding.start().unwrap();
    let mut directed = Directed::new(d, Learned::new(false));
    for (name, expect) in [("1", "2"), ("2", "1"), ("3", "∞"), ("4", "∞"), ("exit", "∞")] {
        let next: Vec<NodeId> = unfolding.successors(at).iter().filter_map(|t| t.to).collect();
        at = next.into_iter().find(|n| s.name(unfolding.loc(*n)) == name).unwrap();
        assert_eq!(directed.dist(&unfolding, at).to_string(), expect, "{name}");
    }
}
