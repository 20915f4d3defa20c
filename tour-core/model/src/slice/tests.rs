use super::*;
use tour_c::LoadOptions;
use tour_c::front::Input;
use tour_ir::program::DataModel;

/// The operations of the slice that do something, function by function.
#[track_caller]
fn check(text: &str, branches: Branches, expect: &str) {
    let text = format!(
        "extern void __VERIFIER_error(void); extern int __VERIFIER_nondet_int(void); extern void abort(void); {text}"
    );
    let program = tour_c::load(&[Input::text("a.i", text)], &LoadOptions::new(DataModel::Lp64));
    let program = Prepared::new(program.unwrap_or_else(|error| panic!("{error}")));
    let slice = Slice::of(&program, branches).expect("one thread");
    let part = slice.apply(&program);
    let mut shown = Vec::new();
    for (id, function) in part.functions.iter_enumerated() {
        let order = tour_ir::cfa::Order::of(&part);
        let edges = order.locations(id).iter().flat_map(|loc| part.cfa.successors(*loc));
        let ops: Vec<String> =
            edges.filter(|(_, edge)| edge.op != Op::Nop).map(|(_, edge)| part.show_op(&edge.op)).collect();
        if !ops.is_empty() {
            shown.push(format!("{}: {}", function.name, ops.join("; ")));
        }
    }
    assert_eq!(shown.join(" | "), expect);
}

#[test]
fn data_that_a_check_reads() {
    check(
        "int x, y; int main(void) { x = 1; y = 2; if (x) __VERIFIER_error(); return y; }",
        Branches::Full,
        "main: x = 1; [x]; [!(x)]",
    );
}

#[test]
fn a_loop_that_computes_something_else_goes() {
    check(
        "int x, y; int main(void) { for (y = 0; y < 9; y++) ; x = 1; if (x) __VERIFIER_error(); return y; }",
        Branches::Full,
        "main: x = 1; [x]; [!(x)]",
    );
}

#[test]
fn a_branch_that_decides_is_kept_or_open() {
    let text = "int x, y; int main(void) { if (y) x = 1; if (x) __VERIFIER_error(); return 0; }";
    check(text, Branches::Full, "main: [y]; [!(y)]; x = 1; [x]; [!(x)]");
    check(
        text,
        Branches::Thin,
        "main: <either> = <indeterminate>; [<either>]; [!(<either>)]; x = 1; [x]; [!(x)]",
    );
}

#[test]
fn calls_without_a_relevant_effect_go() {
    check(
        "int x, y; int f(int a) { y = a; return a; } void g(int b) { x = b; }
         int main(void) { int t = f(3); g(t); f(y); if (x) __VERIFIER_error(); return 0; }",
        Branches::Full,
        // One call of `f` needs its argument, so all have one, and `y` is the argument of another.
        "f: y = a; return a | g: x = b | main: int t; t = f(3); g(t); f(y); [x]; [!(x)]",
    );
    check(
        "int x, y; void f(int a) { y = a; } void g(int b) { x = b; }
         int main(void) { f(y); g(3); f(4); if (x) __VERIFIER_error(); return 0; }",
        Branches::Full,
        "g: x = b | main: g(3); [x]; [!(x)]",
    );
}

#[test]
fn memory_by_regions() {
    check(
        "int x, y; int main(void) { int *p = &x, *q = &y; *q = 2; *p = 1; if (x) __VERIFIER_error(); return *q; }",
        Branches::Full,
        "main: int * p; p = &x; *p = 1; [x]; [!(x)]",
    );
}

#[test]
fn assumptions_about_data_that_matter_stay() {
    let text =
        "int main(void) { int n = __VERIFIER_nondet_int(), m = __VERIFIER_nondet_int(); if (m < 2) abort();
                if (n < 2) abort(); if (n == 1) __VERIFIER_error(); return 0; }";
    check(text, Branches::Full, "main: int n; n = <input>; [n < 2]; [!(n < 2)]; [n == 1]; [!(n == 1)]");
}

#[test]
fn assumptions_about_what_is_written_in_the_same_loop_stay() {
    // How often `x` is changed hangs on `n`, which is not part of any check.
    check(
        "int x; int main(void) { int n = 0; while (__VERIFIER_nondet_int()) { n = n + 1; x = x + 2; }
         if (n > 9) abort(); if (x > 18) __VERIFIER_error(); return 0; }",
        Branches::Thin,
        "main: int n; n = 0; <either> = <indeterminate>; [<either>]; [!(<either>)]; n = n + 1; x = x + 2; [n > 9]; \
         [!(n > 9)]; [x > 18]; [!(x > 18)]",
    );
}
