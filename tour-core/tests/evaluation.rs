//! How expressions are evaluated: in which order, how often, and that what is evaluated is checked even if nobody uses it.

use tour_core::LoadOptions;
use tour_core::analysis::{Options, prepare, verify_with};
use tour_core::context::Context;
use tour_core::front::Input;
use tour_core::program::{DataModel, Rule};

const PRELUDE: &str = "void __VERIFIER_error(void); void exit(int); int printf(const char *, ...);\n\
    void use(int); int log_line(const char *, ...);\n\
    typedef unsigned long pthread_t;\n\
    int pthread_create(pthread_t *, void *, void *(*)(void *), void *); int pthread_join(pthread_t, void **);\n\
    #define assert(e) if (!(e)) __VERIFIER_error()\n\
    int n; int inc(void) { return ++n; } int set(void) { n = 7; return 1; } int first(int a, int b) { return a; }\n\
    int less(int a, int b) { return a < b; } int three(int a, int b, int c) { return a * 100 + b * 10 + c; }\n\
    int cell[2], other[2]; int *at = cell; int move(void) { at = other; return 7; }\n\
    struct pair { int a, b; }; int put(struct pair *p) { p->a = 5; return 1; }\n";

#[track_caller]
fn check_program(property: &str, text: &str, want: &str) {
    let text = format!("{PRELUDE}{text}");
    let options = LoadOptions::new(DataModel::Lp64);
    let program = tour_core::load(&[Input::text("a.c", text.clone())], &options)
        .unwrap_or_else(|error| panic!("{text}: {error}"));
    let program = prepare(program, &Rule::named(property).expect("a property"));
    // The whole program: what no check depends on is looked at, too.
    let options = Options { slice: false, ..Options::default() };
    let verdict = verify_with(&program, &Context::default(), &options).to_string();
    assert!(verdict.starts_with(want), "{verdict}, not {want}: {text}");
    // A slice leaves that out, and nothing else.
    let sliced = verify_with(&program, &Context::default(), &Options::default()).to_string();
    let left_out = want == "UNKNOWN" && sliced == "SAFE" && !text[PRELUDE.len()..].contains("assert(");
    assert!(sliced.starts_with(want) || left_out, "{sliced}, not {want}, of a slice: {text}");
}

/// The verdict of a body of `main`.
#[track_caller]
fn check(property: &str, body: &str, want: &str) {
    check_program(property, &format!("int main(void) {{ {body} return 0; }}"), want);
}

#[test]
fn all_orders_that_c_allows_are_looked_at() {
    let unsafe_ = |body: &str| check("unreach-call", body, "UNSAFE");
    let safe = |body: &str| check("unreach-call", body, "SAFE");
    unsafe_("assert(first(n, set()) == 0);");
    unsafe_("assert(first(n, set()) == 7);");
    unsafe_("assert(less(inc(), inc()));");
    unsafe_("assert(!less(inc(), inc()));");
    unsafe_("int r = n + set(); assert(r == 1);");
    unsafe_("int r = n + set(); assert(r == 8);");
    unsafe_("n += set(); assert(n == 1);");
    unsafe_("*at = move(); assert(cell[0] == 7);");
    unsafe_("*at = move(); assert(other[0] == 7);");
    unsafe_("int a[3] = { 0 }; a[inc()] = inc(); assert(a[1] == 2);");
    unsafe_("struct pair p = { .b = inc(), .a = inc() }; assert(p.b == 1);");
    unsafe_("struct pair p = { .b = inc(), .a = inc() }; assert(p.b == 2);");
    unsafe_("int r = three(inc(), inc(), inc()); assert(r != 213);");
    unsafe_("struct pair p = { 0, 0 }, *q = &p; int r = q->a + put(q); assert(r == 1);");
    unsafe_("int (*f)(void) = set; int r = n + f(); assert(r == 1);");
    unsafe_("if ((n += set()) == 1) return 0; assert(0);");
    unsafe_("int a[inc()][inc()]; assert(sizeof a[0] == 4);");
    unsafe_("int a[inc()][inc()]; assert(sizeof a[0] == 8);");
    unsafe_("unsigned long s = sizeof(int[inc()][inc() + n]); assert(s == 16);");
    unsafe_("unsigned long s = sizeof(int[inc()][inc() + n]); assert(s == 24);");
    safe("int a[inc()], b[inc()]; assert(sizeof b == 8);");
    safe("assert(inc() + inc() + inc() == 6);");
    safe("struct pair p = { 0, 0 }, *q = &p; int r = q->b + put(q); assert(r == 1);");
    safe("int x = 2; int r = x + set(); assert(r == 3);");
    safe("if (n == 0 && set() && n == 7) return 0; assert(0);");
    safe("int r = (n, set(), n); assert(r == 7);");
}

#[test]
fn a_run_may_end_before_another_operand_is_evaluated() {
    let text = "int leave(void) { exit(0); } int fail(void) { __VERIFIER_error(); return 1; }";
    check_program("unreach-call", &format!("{text} int main(void) {{ return leave() + fail(); }}"), "UNSAFE");
    check_program("unreach-call", &format!("{text} int main(void) {{ return fail() + leave(); }}"), "UNSAFE");
}

#[test]
fn what_c_leaves_undefined_is_not_chosen() {
    let unknown = |body: &str| check("unreach-call", body, "UNKNOWN");
    let safe = |body: &str| check("unreach-call", body, "SAFE");
    unknown("int i = 1; i = i++ + 1;");
    unknown("int a[3] = { 0 }, i = 0; a[i] = i++;");
    unknown("int i = 0; i = first(i++, 1) + i;");
    unknown("int r = n++ + first(n, set());");
    unknown("int a[3] = { 0 }, i = 1, j = 1; a[i] = a[j]++;");
    safe("int a[3] = { 0 }, i = 1, j = 2; a[i] = a[j]++;");
    safe("int i = 0; i = first(i++, 1); assert(i == 0);");
    safe("int i = 0; i = (i++, 4); assert(i == 4);");
    safe("char to[4], *t = to; const char *s = \"abc\"; while ((*t++ = *s++)); assert(to[2] == 'c');");
}

#[test]
fn what_is_evaluated_is_checked() {
    let violated = |property: &str, body: &str| check(property, body, "UNSAFE");
    violated("null-deref", "int *p = 0; use(*p);");
    violated("null-deref", "struct pair *p = 0; log_line(\"%d\", p->a);");
    violated("null-deref", "int *p = 0; exit(*p);");
    violated("null-deref", "int *p = 0; __builtin_expect(*p, 1);");
    violated("null-deref", "int *p = 0; switch (*p) {}");
    violated("null-deref", "int *p = 0; (void)*p;");
    violated("null-deref", "int *p = 0; printf(\"%d\", *p);");
    violated("division-by-zero", "use(1 / n);");
    violated("uninitialised-read", "int x; use(x);");
    check("uninitialised-read", "int x; (void)x;", "SAFE");
}

#[test]
fn what_is_evaluated_is_an_access() {
    for read in ["use(n);", "int r = first(n, 0);", "printf(\"%d\", n);", "!n;", "n;", "switch (n) {}"] {
        let text = format!(
            "void *run(void *p) {{ n = 2; return p; }}\n\
             int main(void) {{ pthread_t t; pthread_create(&t, 0, run, 0); {read} pthread_join(t, 0); return 0; }}"
        );
        check_program("data-race", &text, "UNSAFE");
    }
}

#[test]
fn one_evaluation_is_one_load() {
    let check = |variables: &str, write: &str, body: &str| {
        let text = format!(
            "{variables} void *run(void *p) {{ {write} return p; }}\n\
             int main(void) {{ pthread_t t; pthread_create(&t, 0, run, 0); {body} return 0; }}"
        );
        check_program("unreach-call", &text, "SAFE");
    };
    let join = "pthread_join(t, 0);";
    let two = "int a = 10, b = 20; int *_Atomic p = &a;";
    check(two, "p = &b;", &format!("*p += 1; {join} assert(b == 20 || b == 21);"));
    check(two, "p = &b;", &format!("++*p; {join} assert(b == 20 || b == 21);"));
    check("int v[2]; _Atomic int i;", "i = 1;", &format!("v[i] += 1; {join} assert(v[0] + v[1] == 1);"));
    check("_Atomic int x = 9;", "x = 1;", "switch (x) { case 1: case 9: break; default: assert(0); }");
    check("_Atomic int x;", "x = 5;", "int y = (x = set()); assert(y == 1);");
}
