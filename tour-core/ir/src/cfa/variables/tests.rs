//! Tests of the classification, on small automata.

use super::*;
use crate::cfa::testing::sample;

fn uses(text: &str) -> (Program, Variables) {
    let s = sample(text);
    let (loops, calls) = (Loops::of(&s.program), CallGraph::of(&s.program));
    let variables = Variables::of(&s.program, &loops, &calls);
    (s.program, variables)
}

/// The names of the variables for which `holds`, in the order of their declaration.
fn check(text: &str, holds: impl Fn(&VarUse) -> bool, expect: &str) {
    let (program, variables) = uses(text);
    let named = variables.iter().filter(|(_, u)| holds(u)).map(|(v, _)| program.vars[v].name.as_str());
    assert_eq!(named.collect::<Vec<_>>().join(" "), expect, "{text}");
}

#[test]
fn conditions_and_what_flows_into_them_are_relevant() {
    let text = "fn main(): 1->2 a = nondet; 2->3 b = a + 1; 3->4 c = b; 4->5 d = a; 5->exit [b > 3]";
    check(text, |u| u.in_condition, "b");
    check(text, |u| u.relevant, "a b");
}

#[test]
fn values_flow_through_calls_and_returns() {
    let text = "fn main(): 1->2 r = f(a, b); 2->exit [r == 0]\nfn f(x, y): 1->2 z = x; 2->exit return z";
    check(text, |u| u.relevant, "x <return> r a z");
}

#[test]
fn values_flow_through_pointers_to_functions() {
    let text = "fn main() h = &f: 1->2 h = &f; 2->3 r = (*h)(a); 3->exit [r == 0]\nfn f(x): 1->exit return x";
    check(text, |u| u.relevant, "x <return> h r a");
    check(text, |u| u.dereferenced, "h");
}

#[test]
fn values_flow_through_memory() {
    let text = "fn main(*p): 1->2 p = &x; 2->3 *p = a; 3->4 b = 1; 4->exit [x > 0]";
    check(text, |u| u.relevant, "p x a");
    check(text, |u| u.dereferenced, "p");
    check("fn main(*p): 1->2 y = *p; 2->3 x = 1; 3->exit [y > 0]", |u| u.relevant, "p y");
}

#[test]
fn the_address_alone_says_nothing_of_the_value() {
    check("fn main(*p): 1->2 p = &x; 2->3 x = a; 3->exit [p == 0]", |u| u.relevant, "p");
}

#[test]
fn array_elements_depend_on_their_indices() {
    let text = "global t[10]\nfn main(): 1->2 t[i] = a; 2->exit [t[0] == j]";
    check(text, |u| u.relevant, "t i a j");
    check(text, |u| u.in_condition, "t j");
}

#[test]
fn functions_that_are_not_called_do_not_count() {
    check("fn main(): 1->exit\nfn dead(x): 1->exit [x > 0]", |u| u.relevant, "");
}

#[test]
fn a_loop_counter_is_stepped_and_tested_in_the_same_loop() {
    let text = "fn main(n): 1->2 i = 0; 2->3 [i < n]; 3->4 c = c + 1; 4->2 i = i + 1; 2->5 [!(i < n)]
                5->6 [k < 3]; 6->7 k = k + 1; 5->7 [!(k < 3)]; 7->8 [n > 1]; 8->7 m = m - 2; 7->exit [!(n > 1)]";
    check(text, |u| u.in_loop_exit, "n i");
    check(text, |u| u.stepped, "i c m");
    check(text, |u| u.loop_counter, "i");
}

#[test]
fn an_outer_counter_may_be_tested_in_the_inner_loop() {
    // `for (;;) { i = i + 1; while (1) { if (i > 3) return; if (x) break; } }`
    let text =
        "fn main(x): 1->2; 2->3 i = i + 1; 3->exit [i > 3]; 3->4 [!(i > 3)]; 4->2 [x == 0]; 4->3 [!(x == 0)]";
    check(text, |u| u.loop_counter, "i");
}

#[test]
fn temporaries_are_transparent() {
    // while (i--) as the front end has it.
    let mut s = sample("fn main(i): 1->2 t = i; 2->3 i = t - 1; 3->4 [t != 0]; 4->1; 3->exit [!(t != 0)]");
    let t = s.program.vars.iter_enumerated().find(|(_, v)| v.name == "t").map(|(id, _)| id).unwrap();
    s.program.vars[t].storage = Storage::Temp(s.program.entry);
    let variables = Variables::of(&s.program, &Loops::of(&s.program), &CallGraph::of(&s.program));
    let i = s.program.functions[s.program.entry].params[0];
    let used = &variables.uses[i];
    assert!(used.in_condition && used.in_loop_exit && used.stepped && used.loop_counter);
}

#[test]
fn domains_follow_the_uses() {
    let text = "fn main(): 1->2 flag = 1; 2->3 [flag]; 3->4 copy = flag; 4->5 state = 7; 5->6 [state == 3]
                6->7 sum = sum + 2; 7->8 [sum < n]; 8->9 prod = x * y; 9->10 truth = a == b; 10->11 same = state
                11->12 in = nondet; 12->exit [!(copy == 0)]";
    check(text, |u| u.domain == Domain::Boolean, "<return> flag copy truth a b");
    check(text, |u| u.domain == Domain::Equality, "state same in");
    check(text, |u| u.domain == Domain::Linear, "sum n");
    check(text, |u| u.domain == Domain::General, "prod x y");
}

#[test]
fn domains_meet_in_calls() {
    let text = "fn main(): 1->exit r = f(1, k)\nfn f(p, q): 1->2 s = q * q; 2->exit return p";
    check(text, |u| u.domain == Domain::General, "q k s");
}

#[test]
fn a_variable_whose_address_is_taken_is_general() {
    check("fn main(*p): 1->2 p = &x; 2->exit x = 1", |u| u.domain == Domain::General, "x");
}
