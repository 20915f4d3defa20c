//! The memory model: small C programs with pointers, heap, arrays and unions, and the verdicts they deserve.

mod outside;

use tour_core::analysis::{self, Analysis, Kind, Lazy, Portfolio};
use tour_core::context::Context;
use tour_core::evidence::Certificate;
use tour_core::front::Input;
use tour_core::interp::{Image, Options, Outcome, Unobserved, Zeros};
use tour_core::limits::StopReason;
use tour_core::prepared::Prepared;
use tour_core::program::DataModel;
use tour_core::verdict::{UnknownReason, Verdict};
use tour_core::{LoadOptions, load};

const PRELUDE: &str = "
    typedef unsigned long size_t;
    void *malloc(size_t); void *calloc(size_t, size_t); void *realloc(void *, size_t); void free(void *);
    void *memcpy(void *, const void *, size_t); void *memset(void *, int, size_t);
    void *alloca(size_t);
    extern void __VERIFIER_error(void); extern int __VERIFIER_nondet_int(void);
    extern void *__VERIFIER_nondet_pointer(void);
    void check(int ok) { if (__VERIFIER_nondet_int() == 7 && !ok) __VERIFIER_error(); }
";

fn unit(text: &str, model: DataModel) -> Input {
    let prelude = match model {
        DataModel::Ilp32 => PRELUDE.replace("unsigned long", "unsigned int"),
        DataModel::Lp64 => PRELUDE.to_owned(),
    };
    Input::text("a.i", format!("{prelude}{text}"))
}

fn program(text: &str, model: DataModel) -> Prepared {
    let program = load(&[unit(text, model)], &LoadOptions::new(model));
    Prepared::new(program.unwrap_or_else(|e| panic!("{e}\n{text}")))
}

fn predicate() -> Lazy {
    Lazy(analysis::Options { analysis: Kind::PREDICATE, ..Default::default() })
}

/// What an analysis says; a proof's certificate must hold.
fn verdict(analysis: &dyn Analysis, text: &str, model: DataModel) -> Verdict {
    verdict_within(20, analysis, text, model)
}

/// What it says within a number of seconds.
fn verdict_within(seconds: u64, analysis: &dyn Analysis, text: &str, model: DataModel) -> Verdict {
    let program = program(text, model);
    let context = Context::default();
    let interrupt = context.interrupt.clone();
    let (done, waiting) = std::sync::mpsc::channel::<()>();
    let watch = std::thread::spawn(move || {
        if waiting.recv_timeout(std::time::Duration::from_secs(seconds)).is_err() {
            interrupt.stop(StopReason::Timeout);
        }
    });
    let mut verdict = analysis.run(&program, &context);
    if let Verdict::Proved(proof) = &verdict
        && let Certificate::Invariants(invariants) = &proof.certificate
        && let Err(why) = tour_core::evidence::check(&program, invariants, &context.interrupt)
    {
        let Some(stopped) = context.interrupt.reason() else { panic!("{why}\n{text}") };
        verdict = Verdict::Unknown(UnknownReason::Stopped(stopped));
    }
    done.send(()).ok();
    watch.join().unwrap();
    verdict
}

#[track_caller]
fn check(expect: &str, text: &str) {
    check_by(&predicate(), expect, text);
}

#[track_caller]
fn check_by(analysis: &dyn Analysis, expect: &str, text: &str) {
    for model in [DataModel::Lp64, DataModel::Ilp32] {
        let verdict = verdict(analysis, text, model);
        let shown = match &verdict {
            Verdict::Unknown(why) => format!("UNKNOWN {why:?}"),
            other => other.to_string(),
        };
        assert!(shown.starts_with(expect), "{shown} instead of {expect} for {model:?}: {text}");
        if model == DataModel::Lp64 {
            let program = program(text, model);
            outside::confirm(&program, &verdict, &[unit(text, model)], &LoadOptions::new(model));
        }
    }
}

#[test]
fn variables_through_pointers() {
    check("SAFE", "int main(void) { int x = 1; int *p = &x; *p = 2; check(x == 2); }");
    check("UNSAFE", "int main(void) { int x = 1; int *p = &x; *p = 2; check(x == 1); }");
    check(
        "SAFE",
        "int main(void) { int x = 1, y = 2; int *p = __VERIFIER_nondet_int() ? &x : &y; *p = 5; check(x + y == 7 || x + y == 6); }",
    );
    check(
        "UNSAFE",
        "int main(void) { int x = 1, y = 2; int *p = __VERIFIER_nondet_int() ? &x : &y; *p = 5; check(x + y == 7); }",
    );
    check("SAFE", "void swap(int *a, int *b) { int t = *a; *a = *b; *b = t; }
        int main(void) { int x = __VERIFIER_nondet_int(), y = __VERIFIER_nondet_int(), a = x, b = y; swap(&x, &y); check(x == b && y == a); }");
    check(
        "SAFE",
        "int g; int *f(void) { return &g; } int main(void) { *f() = 3; check(g == 3); check(&g != 0); }",
    );
    check(
        "SAFE",
        "int main(void) { int *p = 0; int x; check(p == 0); p = &x; check(p != 0); int **q = &p; **q = 4; check(x == 4); }",
    );
}

#[test]
fn records_and_arrays_through_pointers() {
    check(
        "SAFE",
        "struct s { char c; int a[3]; struct s *n; }; int main(void) { struct s x, y; struct s *p = &x; p->n = &y; p->n->a[1] = 7; p->c = 1; check(y.a[1] == 7 && x.c == 1); }",
    );
    check(
        "UNSAFE",
        "struct s { int a, b; }; int main(void) { struct s x = { 1, 2 }, *p = &x; int *q = &p->b; *q = 5; check(x.b == 2); }",
    );
    check(
        "SAFE",
        "struct s { int a, b; }; int main(void) { struct s x = { 1, 2 }, *p = &x; int *q = &p->b; *q = 5; check(x.a == 1 && x.b == 5); }",
    );
    check(
        "SAFE",
        "int main(void) { int a[4] = { 1, 2, 3, 4 }; int *p = a + 1; p[1] = 9; check(a[2] == 9 && *p == 2 && p - a == 1 && p > a); }",
    );
    check(
        "SAFE",
        "struct s { int a, b; }; int main(void) { struct s x[3]; struct s *p = x; p[1].b = 3; p++; struct s y = *p; check(y.b == 3); }",
    );
    check(
        "SAFE",
        "int sum(int *a) { return a[0] + a[1] + *(a + 2); } int main(void) { int a[3] = { 1, 2, 3 }; check(sum(a) == 6); }",
    );
    check(
        "SAFE",
        "int main(void) { char s[] = \"ab\"; char *p = s; check(p[0] == 'a' && p[2] == 0); const char *q = \"xyz\"; check(q[1] == 'y'); }",
    );
    check(
        "SAFE",
        "int t[3] = { 5, 6, 7 }; int *q = &t[1]; int main(void) { check(*q == 6); q++; check(*q == 7); }",
    );
}

#[test]
fn the_heap() {
    check(
        "SAFE",
        "int main(void) { int *p = malloc(sizeof(int)), *q = malloc(sizeof(int)); *p = 1; *q = 2; check(*p == 1 && p != q); free(p); free(q); }",
    );
    check(
        "UNSAFE",
        "int main(void) { int *p = malloc(sizeof(int)), *q = malloc(sizeof(int)); *p = 1; *q = 2; q = p; *q = 3; check(*p == 1); }",
    );
    check(
        "SAFE",
        "struct n { int v; struct n *next; }; struct n *push(struct n *l, int v) { struct n *x = malloc(sizeof *x); x->v = v; x->next = l; return x; } int main(void) { struct n *l = push(push(push(0, 0), 1), 2); check(l->v == 2 && l->next->v == 1 && l->next->next->next == 0); }",
    );
    check(
        "SAFE",
        "int main(void) { int *p = calloc(4, sizeof(int)); check(p[3] == 0); p = realloc(p, 8 * sizeof(int)); check(p[3] == 0); p[7] = 1; free(p); }",
    );
    check(
        "UNSAFE",
        "int main(void) { int n = __VERIFIER_nondet_int(); if (n < 2 || n > 10) return 0; int *p = malloc(n * sizeof(int)); p[1] = n; check(p[1] != 7); }",
    );
    check(
        "SAFE",
        "struct s { int a[2]; int b; }; int main(void) { struct s *p = malloc(sizeof *p), *q = malloc(sizeof *q); memset(p, 0, sizeof *p); p->a[1] = 4; memcpy(q, p, sizeof *q); check(q->a[1] == 4 && q->b == 0); }",
    );
}

#[test]
fn loops_over_memory() {
    check(
        "SAFE",
        "int main(void) { int *l = malloc(4); *l = 0; while (__VERIFIER_nondet_int()) { *l = *l + 2; if (*l % 2) check(0); } }",
    );
    // Predicates alone would need interpolants of arrays.
    let all = Portfolio::default();
    check_by(
        &all,
        "SAFE",
        "int main(void) { int *l = malloc(4); *l = 0; while (__VERIFIER_nondet_int()) { check(*l == 0); free(l); l = malloc(4); *l = 0; } }",
    );
    check_by(
        &all,
        "UNSAFE",
        "int main(void) { int *l = malloc(4); *l = 0; while (__VERIFIER_nondet_int()) { check(*l != 1); free(l); l = malloc(4); *l = 1; } }",
    );
}

/// A block that is made once is as good as a variable; one that is made twice is not.
#[test]
fn the_only_object_of_its_kind() {
    let pair = "struct s { int a, b; struct s *next; int *q; };";
    let checks = |expect: &str, text: &str| check(expect, &format!("{pair} {text}"));
    checks(
        "SAFE",
        "int main(void) { struct s *p = malloc(sizeof *p); p->a = 1; p->b = 0;
           while (__VERIFIER_nondet_int()) { if (p->a == 2) p->b = 1; if (p->a == 1) p->a = 3; } check(p->b == 0); }",
    );
    checks(
        "SAFE",
        "void set(int *p, int v) { *p = v; } int main(void) { int x = 0; set(&x, 4); set(&x, x + 1); check(x == 5); }",
    );
    checks(
        "SAFE",
        "int *make(void) { return malloc(4); }
         int main(void) { int *p = make(), *q = make(); *p = 1; *q = 2; check(*p == 1); }",
    );
    checks(
        "UNSAFE",
        "int *make(void) { return malloc(4); }
         int main(void) { int *p = make(), *q = make(); *p = 1; *q = 2; check(*p == 2); }",
    );
    checks(
        "UNSAFE",
        "int main(void) { struct s *l = 0; for (int i = 0; i < 2; i++) { struct s *n = malloc(sizeof *n);
           n->a = i; n->next = l; l = n; } check(l->next->a == 1); }",
    );
    checks(
        "SAFE",
        "struct s *pool; int main(void) { pool = malloc(4 * sizeof *pool); pool[1].a = 1; pool[2].a = 2;
           check(pool[1].a == 1 && pool[2].a == 2); }",
    );
}

/// What `malloc` gives holds anything, and a run is told what it was.
#[test]
fn contents_of_new_blocks() {
    let pair = "struct s { int a, b; int *q; };";
    let checks = |expect: &str, text: &str| check(expect, &format!("{pair} {text}"));
    checks(
        "UNSAFE",
        "int main(void) { struct s *p = malloc(sizeof *p); if (p->a == 77 && p->b == 5) check(0); }",
    );
    checks(
        "UNSAFE",
        "int main(void) { struct s *p = malloc(sizeof *p); p->a = 3; while (p->b < 10) p->b++; check(p->b != 12345); }",
    );
    // What a pointer in it points to can be read, not written.
    checks(
        "SAFE",
        "int main(void) { struct s *p = malloc(sizeof *p); p->a = 1; int x = *p->q; check(p->a == 1); }",
    );
    checks("UNKNOWN", "int main(void) { struct s *p = malloc(sizeof *p); int x = *p->q; check(x == 0); }");
    checks(
        "UNKNOWN",
        "int main(void) { struct s *p = malloc(sizeof *p); p->a = 1; *p->q = 5; check(p->a == 1); }",
    );
    checks("UNKNOWN", "int main(void) { struct s *p = malloc(sizeof *p); *p->q = 5; check(*p->q == 5); }");
    checks(
        "UNSAFE",
        "int main(void) { struct s *p = malloc(sizeof *p); int x = 1; if (__VERIFIER_nondet_int()) p->q = &x; *p->q = 5; check(x == 1); }",
    );
}

/// Blocks with more elements than are worth a store each.
#[test]
fn large_blocks_as_wholes() {
    const STATE: &str = "
        struct state { int mode; unsigned short lens[320]; struct { unsigned char op, bits; short val; } codes[1000];
                       char *next; int sane; };
        unsigned below(unsigned n) { unsigned i = __VERIFIER_nondet_int(); return i < n ? i : 0; }
        void *memmove(void *, const void *, size_t);";
    let check = |expect: &str, body: &str| {
        let text = format!("{STATE} int main(void) {{ {body} }}");
        check_by(&Portfolio::default(), expect, &text);
    };
    // Set and copied, between blocks of one kind.
    let copied = |claim: &str| {
        format!(
            "struct state *s = malloc(sizeof *s), *t = malloc(sizeof *t); unsigned i = below(320), j = below(1000);
             memset(s, 0, sizeof *s); s->lens[i] = 7; s->codes[j].val = 3; memcpy(t, s, sizeof *t); s->lens[i] = 8;
             check({claim});"
        )
    };
    check("SAFE", &copied("t->lens[i] == 7 && t->codes[j].val == 3 && t->next == 0 && t->sane == 0"));
    check("SAFE", &copied("t->codes[(j + 1) % 1000].val == 0 && t->codes[j].op == 0"));
    check("UNSAFE", &copied("t->lens[(i + 5) % 320] != 0 || i != 100"));
    // A part of an array, to a place that overlaps.
    let moved = |claim: &str| {
        format!(
            "unsigned char *a = malloc(600), *b = malloc(600); unsigned i = below(500); memset(b, 1, 600);
             memset(a, 0, 600); a[i] = 9; memmove(a + 50, a, 500); check({claim});"
        )
    };
    check("SAFE", &moved("a[i + 50] == 9 && b[i] == 1"));
    check("SAFE", &moved("a[599] == 0"));
    check("SAFE", &moved("i >= 50 || a[i] == 9"));
    check("UNSAFE", &moved("a[i] == 9"));
    // As many zeros as it takes.
    let zeros = |claim: &str| {
        format!(
            "unsigned n = 1 + below(100000), i = below(n), k = below(n); int *a[2];
             for (int q = 0; q < 2; q++) a[q] = calloc(n, sizeof(int));
             a[1][k] = 5; check({claim});"
        )
    };
    check("SAFE", &zeros("a[0][i] == 0 && (a[1][i] == 0 || i == k)"));
    check("UNSAFE", &zeros("a[1][i] == 0"));
}

#[test]
fn what_is_no_access_is_never_proved() {
    // Nothing is mapped at a null pointer: the run ends there.
    check("SAFE", "int main(void) { int *p = 0; *p = 1; check(1); }");
    check("UNKNOWN", "int main(void) { int *p = malloc(4); free(p); *p = 1; check(1); }");
    check("UNKNOWN", "int main(void) { int *p = malloc(4); free(p); free(p); check(1); }");
    check("UNKNOWN", "int main(void) { int x; int *p = &x; p[1] = 1; check(1); }");
    check(
        "UNKNOWN",
        "int main(void) { int a[4]; int i = __VERIFIER_nondet_int(); int *p = a; p[i] = 1; check(1); }",
    );
    check(
        "UNKNOWN",
        "int *f(void) { int x = 1; int *p = &x; return p; } int main(void) { int *p = f(); int y = *p; check(1); }",
    );
    check(
        "UNKNOWN",
        "int *g; void f(int a) { int x = a; if (a) g = &x; else check(*g == 0 || 1); } int main(void) { f(1); f(0); }",
    );
    check(
        "UNKNOWN",
        "int main(void) { int *p; for (int i = 0; i < 2; i++) { int x; if (i == 0) p = &x; else *p = 1; } check(1); }",
    );
    check(
        "SAFE",
        "int main(void) { int x = 5; int *q = &x; int *p = __VERIFIER_nondet_pointer(); *p = 7; check(*q == 5); }",
    );
    check("UNKNOWN", "int main(void) { int *p; int x = 5; int *q = &x; *p = 7; check(*q == 5); }");
    check("UNKNOWN", "int main(void) { int *p = malloc(4); free(p); int *q = malloc(4); check(p != q); }");
    check("UNKNOWN", "int main(void) { int x, y; check(&x < &y || 1); }");
    check("UNKNOWN", "int main(void) { int *p = (int *)0x12345678; check(p != 0); *p = 1; }");
    check(
        "UNKNOWN",
        "struct n { struct n *next; int v; }; int main(void) { struct n *p = malloc(sizeof *p); int x; p->next->v = 1; check(1); }",
    );
}

#[test]
fn bytes_and_unions() {
    check(
        "SAFE",
        "union u { int i; unsigned char c[4]; }; int main(void) { union u x; x.i = 0x01020304; check(x.c[0] == 4 && x.c[3] == 1); x.c[1] = 0xff; check(x.i == 0x0102ff04); }",
    );
    check(
        "UNSAFE",
        "union u { int i; unsigned char c[4]; }; int main(void) { union u x; x.i = __VERIFIER_nondet_int(); check(x.c[2] != 7); }",
    );
    check(
        "SAFE",
        "int main(void) { int x = 0x01020304; unsigned char *p = (unsigned char *)&x; check(p[1] == 3); p[0] = 0; check(x == 0x01020300); }",
    );
    check(
        "SAFE",
        "struct b { unsigned a : 3; int b : 5; }; int main(void) { struct b x; struct b *p = &x; p->a = 9; p->b = -3; check(x.a == 1 && x.b == -3); }",
    );
    check(
        "SAFE",
        "union u { struct { int a; short b; } s; long long l; }; int main(void) { union u x, y; x.l = -1; x.s.b = 3; y = x; check(y.s.a == -1 && y.s.b == 3); }",
    );
    check(
        "SAFE",
        "union u { float f; unsigned i; }; int main(void) { union u x; x.f = 1.0f; check(x.i == 0x3f800000); }",
    );
    check(
        "SAFE",
        "int main(void) { short a[2] = { 1, 2 }; int x; memcpy(&x, a, 4); check(x == 0x00020001); }",
    );
}

#[test]
fn words_that_are_pointers_or_integers() {
    check(
        "SAFE",
        "struct l { struct l *n; }; struct s { long v; struct l l; }; int main(void) { struct s x, y; x.v = 1; y.v = 2; x.l.n = &y.l; y.l.n = 0; struct s *q = (struct s *)((char *)x.l.n - sizeof(long)); check(q->v == 2 && q->l.n == 0); q->v = 5; check(y.v == 5); }",
    );
    check(
        "UNSAFE",
        "struct l { struct l *n; }; struct s { long v; struct l l; }; int main(void) { struct s x, y; x.v = 1; y.v = __VERIFIER_nondet_int(); x.l.n = &y.l; struct s *q = (struct s *)((char *)x.l.n - sizeof(long)); check(q->v != 9); }",
    );
    check(
        "SAFE",
        "union u { long l; int *p; }; int main(void) { int x = 3; union u u; u.p = &x; check(*u.p == 3 && u.l != 0); u.l = 0; check(u.p == 0); memset(&u, 0, sizeof u); check(u.l == 0); }",
    );
    check(
        "UNKNOWN",
        "union u { long l; int *p; }; int main(void) { int x = 3; union u u; u.p = &x; u.l = u.l + 4; check(u.p != &x); }",
    );
    check(
        "UNKNOWN",
        "union u { long l; int *p; }; int main(void) { int x = 3; union u u; u.l = __VERIFIER_nondet_int(); check(u.p == 0 || u.l != 0); check(u.p != &x); }",
    );
}

#[test]
fn what_is_constant_is_not_written() {
    check("UNKNOWN", "int main(void) { char *p = \"abc\"; p[0] = 'x'; check(1); }");
    check(
        "SAFE",
        "int main(void) { char a[] = \"abc\", *p = a, *q = \"abc\"; p[0] = q[1]; check(a[0] == 'b'); }",
    );
}

#[test]
fn integers_and_pointers() {
    check(
        "SAFE",
        "int main(void) { int x = 3; int *p = &x; size_t n = (size_t)p; check(n != 0); int *q = (int *)(size_t)p; check(*q == 3); }",
    );
    check(
        "SAFE",
        "struct s { int a, b; }; int main(void) { struct s x = { 1, 2 }; int *p = &x.b; struct s *q = (struct s *)((char *)p - 4); check(q->a == 1); }",
    );
    check(
        "SAFE",
        "int main(void) { void *e = (void *)-1; int x; int *p = &x; check((void *)p != e && e != 0); }",
    );
    check(
        "SAFE",
        "int main(void) { int x = 3; int *p = &x; size_t n = (size_t)p; p = (int *)n; *p = 1; check(x == 1); }",
    );
    check(
        "SAFE",
        "struct s { int a; int *b; }; int main(void) { struct s x; int y = 2; size_t n = (size_t)&x, m = n + sizeof(int *); *(int **)m = &y; check(*x.b == 2); }",
    );
    check(
        "UNKNOWN",
        "int main(void) { int x = 3; int *p = &x; size_t n = (size_t)p; n = n * 2; n = n / 2; p = (int *)n; *p = 1; check(1); }",
    );
    check(
        "UNKNOWN",
        "size_t g; int main(void) { int x = 3; g = (size_t)&x; int *p = (int *)g; *p = 1; check(1); }",
    );
}

#[test]
fn unknown_pointers_are_not_one() {
    check(
        "UNSAFE",
        "int main(void) { void *p = __VERIFIER_nondet_pointer(), *q = __VERIFIER_nondet_pointer(); if (p && q) check((size_t)p == (size_t)q); }",
    );
    // They may also be equal, which is not followed: a run shows that they may differ.
    check_by(
        &Portfolio::default(),
        "UNSAFE",
        "int main(void) { void *p = __VERIFIER_nondet_pointer(), *q = __VERIFIER_nondet_pointer(); if (p && q) check(p == q); }",
    );
    check(
        "SAFE",
        "int a[4]; int main(void) { int *p = a, *e = (int *)-1; p++; check(e != 0 && e != p && p - a == 1); }",
    );
}

#[test]
fn functions_through_pointers() {
    check(
        "SAFE",
        "int f(int x) { return x + 1; } int g(int x) { return x + 2; } int main(void) { int (*t[2])(int) = { f, g }; int (*h)(int) = t[1]; check(h(1) == 3 && t[0](1) == 2); }",
    );
    check(
        "SAFE",
        "struct ops { int (*op)(int *); }; int inc(int *p) { return ++*p; } int main(void) { struct ops o = { inc }, *q = &o; int x = 1; check(q->op(&x) == 2 && x == 2); }",
    );
}

#[test]
fn recursion_has_frames_of_its_own() {
    check(
        "UNSAFE",
        "void f(int n, int *r) { int x = n; if (n > 0) f(n - 1, &x); *r += x; } int main(void) { int r = 0; f(1, &r); check(r != 1); }",
    );
}

/// Random programs, the interpreter's result as the truth: `check(h == truth)` must not fail and `check(h != truth)` must.
/// Indices and constants have an input added that is 0, so that not everything is folded away.
#[test]
fn random_programs_agree_with_the_interpreter() {
    let mut decided = 0;
    let seeds = 60;
    for seed in 0..seeds {
        let model = if seed % 2 == 0 { DataModel::Lp64 } else { DataModel::Ilp32 };
        let body = Generator::new(seed).program();
        let whole = |end: &str| format!("{body} {end} }}");
        let plain = program(&whole("return h;"), model);
        let outcome = Image::new(&plain).run(&mut Zeros, &Options::default(), &mut Unobserved).outcome;
        let Outcome::Exited(truth) = outcome else { panic!("{outcome:?} in {body}") };
        for (op, expect) in [("==", "SAFE"), ("!=", "UNSAFE")] {
            let text = whole(&format!("check(h {op} {truth}); return 0;"));
            match verdict_within(3, &predicate(), &text, model) {
                Verdict::Unknown(UnknownReason::Unsupported { kind, .. }) if kind == "memory" => {}
                Verdict::Unknown(UnknownReason::Stopped(_)) => {}
                Verdict::Unknown(why) => panic!("seed {seed}: {why:?}\n{text}"),
                verdict => {
                    assert_eq!(verdict.to_string(), expect, "seed {seed}: {text}");
                    decided += 1;
                }
            }
        }
    }
    assert!(decided > seeds, "only {decided} of {} decided", 2 * seeds);
}

/// Makes programs in which all accesses are valid.
struct Generator {
    state: u64,
    /// Which kinds of statements this program has: with few of them, more of memory is typed.
    features: u64,
}

impl Generator {
    fn new(seed: u64) -> Generator {
        let mut generator = Generator { state: seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1, features: 0 };
        let (a, b) = (generator.next(), generator.next());
        generator.features = if seed.is_multiple_of(3) { a & b } else { a };
        generator
    }

    fn next(&mut self) -> u64 {
        self.state ^= self.state << 13;
        self.state ^= self.state >> 7;
        self.state ^= self.state << 17;
        self.state >> 11
    }

    fn below(&mut self, n: u64) -> u64 {
        self.next() % n
    }

    fn pick(&mut self, from: &[&'static str]) -> &'static str {
        from[self.below(from.len() as u64) as usize]
    }

    fn index(&mut self, n: u64) -> String {
        let i = self.below(n);
        if self.below(3) == 0 { format!("z + {i}") } else { i.to_string() }
    }

    fn has(&self, feature: u64) -> bool {
        self.features >> feature & 1 == 1
    }

    fn expr(&mut self, depth: u32) -> String {
        if depth > 0 && self.below(3) == 0 {
            let (a, b) = (self.expr(depth - 1), self.expr(depth - 1));
            let op = self.pick(&["+", "-", "*", "^", "&", "|"]);
            return format!("({a} {op} {b})");
        }
        match self.below(14) {
            0 => format!("{}", self.below(300)),
            1 => "x".into(),
            2 => "y".into(),
            3 => "*p".into(),
            4 => "*q".into(),
            5 => format!("a[{}]", self.index(4)),
            6 => "g".into(),
            7 if self.has(0) => "t->a".into(),
            8 if self.has(0) => format!("t->v[{}]", self.index(3)),
            9 if self.has(1) => format!("c[{}]", self.index(4)),
            10 if self.has(2) => format!("u.b[{}]", self.index(4)),
            11 if self.has(2) => format!("u.h[{}]", self.index(2)),
            12 if self.has(3) => format!("m[{}]", self.index(3)),
            13 if self.has(0) => "t->n->c".into(),
            _ => "z".into(),
        }
    }

    fn statement(&mut self, depth: u32) -> String {
        let value = self.expr(2);
        match self.below(20) {
            0 => format!("x = {value};"),
            1 => format!("*p = {value};"),
            2 => format!("a[{}] = {value};", self.index(4)),
            3 => "p = &x;".into(),
            4 => format!("p = &a[{}];", self.index(4)),
            5 => "q = p;".into(),
            6 => format!("if ({value} & 1) {{ p = &y; }} else {{ q = &g; }}"),
            7 if self.has(0) => format!("t->a = {value};"),
            8 if self.has(0) => format!("t->v[{}] = {value};", self.index(3)),
            9 if self.has(0) => format!("t = {};", self.pick(&["&s", "&r", "t->n", "(z ? &s : &r)"])),
            10 if self.has(0) => {
                self.pick(&["s = r;", "*t = s;", "r = *t;", "t->n = &s;", "t->n = t;"]).into()
            }
            11 if self.has(1) => {
                format!("c = {};", self.pick(&["(unsigned char *)&x", "(unsigned char *)a", "k"]))
            }
            12 if self.has(1) => format!("c[{}] = {value};", self.index(4)),
            13 if self.has(2) => format!("u.b[{}] = {value};", self.index(4)),
            14 if self.has(2) => format!("u.i = {value};"),
            15 if self.has(3) => format!("m[{}] = {value};", self.index(3)),
            16 if self.has(3) => {
                self.pick(&["q = m + 1;", "memcpy(m, a, 12);", "memset(m, 0, 8);", "p = m;"]).into()
            }
            17 if self.has(4) => self.pick(&["f(&x, p);", "f(q, &y);", "y = f(p, q);"]).into(),
            18 if self.has(0) && self.has(5) => {
                self.pick(&["p = &t->a;", "q = &t->v[1];", "memcpy(&s, t, sizeof s);"]).into()
            }
            19 if depth > 0 => {
                let (yes, no) = (self.statement(depth - 1), self.statement(depth - 1));
                format!("if ({value} > 5) {{ {yes} }} else {{ {no} }}")
            }
            _ => format!("y = {value};"),
        }
    }

    fn program(&mut self) -> String {
        let mut text = String::from(
            "struct s { int a; char c; struct s *n; int v[3]; };
             union u { int i; unsigned char b[4]; unsigned short h[2]; };
             int g = 5; unsigned char k[4] = { 1, 2, 3, 4 };
             int f(int *a, int *b) { int t = *a; int *p = &t; *a = *b + 1; *b = *p; return t; }
             int main(void) { int z = __VERIFIER_nondet_int(); if (z * z != 0 || z > 3 || z < -3) return 0;
             int x = 1, y = 2, a[4] = { 1, 2, 3, 4 }; int *p = &x, *q = &y; int *m = malloc(12);
             m[0] = 1; m[1] = 2; m[2] = 3; unsigned char *c = k; union u u; u.i = 77;
             struct s s = { 1, 2, 0, { 3, 4, 5 } }, r = { 6, 7, 0, { 8, 9, 10 } }, *t = &s; s.n = &r; r.n = &s;\n",
        );
        for _ in 0..6 + self.below(8) {
            text += &self.statement(2);
            text.push('\n');
        }
        text += "int h = x * 3 + y * 5 + g * 7 + *p + *q * 2 + a[0] + a[1] * 3 + a[2] * 5 + a[3] * 11 + m[1] + m[2];";
        if self.has(0) {
            text += "h += t->a + t->c + t->v[0] + t->n->v[2] * 3 + s.v[1] + r.a;";
        }
        if self.has(1) {
            text += "h += c[0] + c[1] * 2 + k[3];";
        }
        if self.has(2) {
            text += "h += u.i + u.b[1] + u.h[1];";
        }
        text + "h = h & 0xffff;"
    }
}

/// With and without the option, whose choice is an input of the run.
#[test]
fn allocation_may_fail() {
    let check = |may_fail: bool, expect: &str, text: &str| {
        let text = format!("{PRELUDE}{text}");
        let mut options = LoadOptions::new(DataModel::Lp64);
        if may_fail {
            options = options.malloc_may_fail();
        }
        let program = load(&[Input::text("a.i", text.as_str())], &options).unwrap_or_else(|e| panic!("{e}"));
        let program = Prepared::new(program);
        let assumes = program
            .assumptions
            .iter()
            .any(|a| a.text == "`malloc` and its kin do not fail, but for sizes that no object has");
        assert_eq!(assumes, !may_fail, "{text}");
        let verdict = Portfolio::default().run(&program, &Context::default());
        assert!(verdict.to_string().starts_with(expect), "{verdict} instead of {expect}: {text}");
    };
    let unchecked = "int main(void) { int *p = malloc(4); if (!p) __VERIFIER_error(); }";
    check(false, "SAFE", unchecked);
    check(true, "UNSAFE", unchecked);
    check(true, "UNSAFE", "int main(void) { if (!calloc(2, 2)) __VERIFIER_error(); }");
    // Where `realloc` fails, the old block stays.
    check(
        true,
        "SAFE",
        "int main(void) { int *p = malloc(4); if (!p) return 0; *p = 3; int *q = realloc(p, 8); if (!q) q = p;
           if (*q != 3) __VERIFIER_error(); free(q); }",
    );
    // Through a pointer too.
    let hooks = "void *(*make)(size_t) = malloc; int main(void) { if (!make(4)) __VERIFIER_error(); }";
    check(false, "SAFE", hooks);
    check(true, "UNSAFE", hooks);
}

#[test]
fn builtins_through_pointers() {
    check(
        "SAFE",
        "struct hooks { void *(*make)(size_t); void (*end)(void *); }; struct hooks h = { malloc, free };
         int main(void) { int *p = h.make(4); *p = 3; check(*p == 3); h.end(p); }",
    );
    check(
        "UNSAFE",
        "struct hooks { void *(*make)(size_t); void (*end)(void *); }; struct hooks h = { malloc, free };
         int main(void) { int *p = h.make(4); *p = 3; check(*p == 4); h.end(p); }",
    );
}

/// A pointer that is an input may be equal to any other one, and nobody says that it can be freed.
#[test]
fn pointers_that_are_inputs() {
    let get = "int *get(void) { return __VERIFIER_nondet_pointer(); }";
    check(
        "SAFE",
        &format!("{get} int main(void) {{ int *p = get(); if (p) {{ *p = 3; check(*p == 3); }} }}"),
    );
    check(
        "UNKNOWN",
        &format!(
            "{get} int main(void) {{ int *p = get(), *q = get(); if (p && p == q) __VERIFIER_error(); }}"
        ),
    );
    check(
        "UNKNOWN",
        &format!("{get} int main(void) {{ int x, *p = get(); if (p == &x) __VERIFIER_error(); }}"),
    );
    check(
        "SAFE",
        &format!("{get} int main(void) {{ int *p = get(), *q = 0; if (p && p == q) __VERIFIER_error(); }}"),
    );
    check("UNKNOWN", &format!("{get} int main(void) {{ int *p = get(); free(p); check(1); }}"));
}

/// Two inputs may point to one object: what is written through one is read through the other.
#[test]
fn inputs_that_may_be_one() {
    let get = "int *__VERIFIER_nondet_int_pointer(void); struct s { int a, b; } *__VERIFIER_nondet_s(void);";
    let two =
        "int *p = __VERIFIER_nondet_pointer(), *q = __VERIFIER_nondet_pointer(); if (!p || !q) return 0;";
    check("UNKNOWN", &format!("int main(void) {{ {two} *p = 1; *q = 2; check(*p == 1); }}"));
    check("UNKNOWN", &format!("int main(void) {{ {two} int old = *p; *q = 2; check(*p == old); }}"));
    check("UNKNOWN", &format!("int main(void) {{ {two} p[1] = 1; q[0] = 2; check(p[1] == 1); }}"));
    // Nothing is written, or only to what the program has made.
    check("SAFE", &format!("int main(void) {{ {two} int x = *p + *q; check(*p + *q == x); }}"));
    check(
        "SAFE",
        &format!("int main(void) {{ {two} int x = *p, y = *q, *r = &x; *r = 3; check(y == *q); }}"),
    );
    check(
        "UNKNOWN",
        &format!(
            "{get} int main(void) {{ struct s *s = __VERIFIER_nondet_s(); int *p = __VERIFIER_nondet_int_pointer();
             if (s && p) {{ s->a = 1; *p = 2; check(s->a == 1); }} }}"
        ),
    );
    check(
        "UNKNOWN",
        "int main(void) { int *all[2]; for (int i = 0; i < 2; i++) all[i] = __VERIFIER_nondet_pointer();
         if (all[0] && all[1]) { *all[0] = 1; *all[1] = 2; check(*all[0] == 1); } }",
    );
}

#[test]
fn bytes_that_are_pieces_of_pointers() {
    let both = "union u { int *p; char c[8]; short s; };";
    check(
        "SAFE",
        &format!(
            "{both} int main(void) {{ int x = 5; union u a; a.s = 1; a.p = &x; *a.p = 7; check(x == 7 && a.p == &x); a.s = 3; check(a.s == 3 && a.c[0] == 3); }}"
        ),
    );
    check(
        "UNSAFE",
        &format!(
            "{both} int main(void) {{ int x = 5; union u a; a.p = &x; *a.p = 7; a.s = 3; check(x == 5); }}"
        ),
    );
    check(
        "SAFE",
        &format!(
            "{both} int main(void) {{ union u a, b; int x = 1; memset(&a, 0, sizeof a); check(a.p == 0 && a.s == 0); a.p = &x; b = a; check(b.p == &x && *b.p == 1); memcpy(&a, &b, sizeof a); check(*a.p == 1); }}"
        ),
    );
    // One call of malloc makes objects of different types.
    let both = "struct node { struct node *next; char tag; }; void *get(size_t n) { return malloc(n); }
        int main(void) { struct node *l = get(sizeof *l); l->next = l; l->tag = 1; char *t = get(16); t[__VERIFIER_nondet_int() & 15] = 2; t[3] = 7;";
    check("SAFE", &format!("{both} check(l->next->tag == 1 && t[3] == 7); }}"));
    check("UNSAFE", &format!("{both} check(t[2] == 2 || t[4] == 2); }}"));
    check(
        "SAFE",
        "union u { char *p; int n; } g[2] = { { \"ab\" }, { .n = 4 } }; int main(void) { check(g[0].p[1] == 'b' && g[1].n == 4); }",
    );
    check(
        "SAFE",
        "union u { int *p; short s; } g; int main(void) { check(g.p == 0); g.s = 1; check(g.s == 1); }",
    );
}

#[test]
fn what_becomes_of_pieces() {
    let copied = "int x = 1, y = 2; int *p = &x, *q = &y; char *s = (char *)&p, *d = (char *)&q; for (int i = 0; i < sizeof p; i++) d[i] = s[i];";
    let never = |text: &str| {
        for model in [DataModel::Lp64, DataModel::Ilp32] {
            let verdict = verdict(&predicate(), text, model);
            assert!(!matches!(verdict, Verdict::Proved(_)), "{text}");
        }
    };
    // A pointer that is copied byte by byte is the same pointer, which nobody here knows.
    never(&format!("int main(void) {{ {copied} check(q != p); }}"));
    never(&format!("int main(void) {{ {copied} *q = 5; check(x == 1); }}"));
    never(&format!("int main(void) {{ {copied} check(q == &y); }}"));
    never(&format!("int main(void) {{ {copied} check(*q == 2); }}"));
    let unset = copied.replace("*q = &y;", "*q;");
    never(&format!("int main(void) {{ {unset} *q = 5; check(x == 1); }}"));
    never(&format!("int main(void) {{ {unset} *(q + y - 2) = 5; check(x == 1); }}"));
    // Half of it is none.
    never(
        "union u { int *p; char c[16]; }; int main(void) { int x = 1, y = 2; union u a; a.p = &x; a.c[0] = 0; check(a.p == &x); }",
    );
    // Objects have numbers among those that the pointers of one place lead to: as bytes they do not go to another place.
    let bytes = "struct b { char c[sizeof(int *)]; }; union u { int *p; struct b b; }; union v { int *p; struct b b; };
        int x = 1, y = 2, z = 3; union u a; union v b;";
    never(&format!("{bytes} int main(void) {{ a.p = &x; b.p = &y; b.b = a.b; check(b.p == &y); }}"));
    never(&format!("{bytes} int main(void) {{ a.p = &x; b.p = &y; b.b = a.b; check(*b.p == 2); }}"));
    never(&format!(
        "{bytes} int main(void) {{ b.p = &z; b.p = &y; a.p = &x; b.b = a.b; check(b.p != &x); }}"
    ));
    // The number that a piece is can be any.
    never("union u { int *p; char c; }; int main(void) { int x; union u a; a.p = &x; check(a.c == 0); }");
    never("union u { int *p; char c; }; int main(void) { int x; union u a; a.p = &x; check(a.c != 0); }");
}

#[test]
fn literals_may_share_their_bytes() {
    for (condition, expect) in [
        ("a == b", "UNKNOWN"),
        ("a != b", "UNKNOWN"),
        ("a + 1 != c", "UNKNOWN"),
        ("a != c", "SAFE"),
        ("a != d && c != d && a + 1 != b", "SAFE"),
        ("e == a && e + 2 == a + 2", "SAFE"),
    ] {
        let text = format!(
            "int main(void) {{ const char *a = \"abc\", *b = \"abc\", *c = \"bc\", *d = \"abd\", *e = a; \
             check({condition}); }}"
        );
        check(expect, &text);
    }
}

#[test]
fn padding_after_stores() {
    let declared = "struct s { char c; int i; }; \
                    int main(void) { struct s a, b; unsigned char *p = (unsigned char *)&a, *q = (unsigned char *)&b; \
                    memset(&a, 0, sizeof a); memset(&b, 0, sizeof b); ";
    for (statements, expect) in [
        ("check(p[1] == 0 && q[2] == 0);", "SAFE"),
        ("a.i = 1; check(p[1] == 0);", "UNKNOWN"),
        ("a.i = 1; check(p[4] == 1 && p[0] == 0);", "SAFE"),
        ("memcpy(&b, &a, sizeof a); check(q[1] == 0);", "SAFE"),
        ("b = a; check(q[0] == 0 && q[5] == 0);", "SAFE"),
        ("b = a; check(q[3] == 0);", "UNSAFE"),
        ("struct s c = {0}; unsigned char *r = (unsigned char *)&c; check(r[1] == 0);", "UNKNOWN"),
    ] {
        check(expect, &format!("{declared}{statements} }}"));
    }
}

#[test]
fn the_rest_of_a_union() {
    for (statements, expect) in [
        ("union u v = {.c = 1}; check(v.c == 1);", "SAFE"),
        ("union u v = {.c = 1}; check(v.i == 1);", "UNSAFE"),
        ("union u v; v.i = 0x01020304; v.c = 9; check(v.i == 0x01020309);", "SAFE"),
        ("struct t v = {1, {.c = 2}, 3}; check(v.a == 1 && v.u.c == 2 && v.b == 3);", "SAFE"),
        ("struct t v = {1, {.c = 2}}; check(v.b == 0);", "SAFE"),
        ("struct t v = {1, {.c = 2}}; check(v.u.i == 2);", "UNSAFE"),
        ("struct t v[2] = {{1, {.c = 2}}}; check(v[0].u.c == 2 && v[1].u.i == 0 && v[1].a == 0);", "SAFE"),
    ] {
        let types = "union u { char c; int i; }; struct t { int a; union u u; int b; };";
        check(expect, &format!("{types} int main(void) {{ {statements} }}"));
    }
}

#[test]
fn numbers_that_may_not_fit() {
    for (statements, expect) in [
        ("check((int)f == (int)f);", "UNKNOWN"),
        ("if (f > -2.0f && f < 3.0f) check((int)f >= -1);", "SAFE"),
        ("if (f > -1.0f && f < 3.0f) check((unsigned)f <= 2);", "SAFE"),
        ("if (f < 3.0f) check((unsigned char)f <= 2);", "UNKNOWN"),
        ("if (f >= -128.0f && f < 128.0f) check((signed char)f != 128);", "SAFE"),
    ] {
        let text = format!("float get(void); int main(void) {{ float f = get(); {statements} }}");
        check(expect, &text);
    }
}

#[test]
fn numbers_where_others_are() {
    check(
        "SAFE",
        "int main(void) { int q = __VERIFIER_nondet_int(); float f; memcpy(&f, &q, 4); float g = 1.0f; int r; \
         memcpy(&r, &g, 4); if (q != 5) check(r == 0x3f800000); }",
    );
    check(
        "SAFE",
        "int main(void) { float x; int *p = (int *)&x; *p = 0x40000000; int i; float *f = (float *)&i; *f = 2; \
         check(*p == i); }",
    );
}
