//! Programs with threads: verdicts, the paper's example, and generated programs against an exhaustive search.

mod thread_support;

use expect_test::expect;
use thread_support::{check, load, load_with, stats_of, verdict, with};
use tour_core::analysis::{Analysis, Interleavings, Kind, Options, Schedules};
use tour_core::cegar::Order;
use tour_core::context::Context;
use tour_core::directed::{Metric, MetricChoice};
use tour_core::program::Rule;
use tour_core::threads::{Coi, Por};
use tour_core::verdict::Verdict;

#[test]
fn a_lock_protects_an_increment() {
    let text = "pthread_mutex_t m; int x;
        void *f(void *a) { pthread_mutex_lock(&m); x = x + 1; pthread_mutex_unlock(&m); return 0; }
        int main(void) { pthread_t t, u; pthread_create(&t, 0, f, 0); pthread_create(&u, 0, f, 0);
          pthread_join(t, 0); pthread_join(u, 0); if (x != 2) reach_error(); return 0; }";
    check(text, "SAFE");
    let unlocked = text.replace("pthread_mutex_lock(&m);", "");
    let unlocked = unlocked.replace("pthread_mutex_unlock(&m);", "");
    check(&unlocked, "UNSAFE");
}

#[test]
fn results_and_arguments_are_passed() {
    check(
        "void *f(void *a) { return (void *)((long)a + 1); }
         int main(void) { pthread_t t; void *r; pthread_create(&t, 0, f, (void *)41);
           pthread_join(t, &r); if ((long)r != 42) reach_error(); return 0; }",
        "SAFE",
    );
    check(
        "void *f(void *a) { pthread_exit((void *)7); reach_error(); return 0; }
         int main(void) { pthread_t t; void *r; pthread_create(&t, 0, f, 0);
           pthread_join(t, &r); if ((long)r == 7) reach_error(); return 0; }",
        "UNSAFE",
    );
}

#[test]
fn atomic_sections_and_operations() {
    let text = "int x; void *f(void *a) { SECTION return 0; }
        int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); SECTION
          pthread_join(t, 0); if (x != 2) reach_error(); return 0; }";
    let section = |section: &str| text.replace("SECTION", section);
    check(&section("__VERIFIER_atomic_begin(); x = x + 1; __VERIFIER_atomic_end();"), "SAFE");
    check(&section("__sync_fetch_and_add(&x, 1);"), "SAFE");
    check(&section("__atomic_add_fetch(&x, 1, 5);"), "SAFE");
    check(&section("inc();").replace("int x;", "int x; void __VERIFIER_atomic_inc(void) { x = x + 1; } void inc(void) { __VERIFIER_atomic_inc(); }"), "SAFE");
    check(&section("x++;"), "UNSAFE");
}

#[test]
fn updates_of_atomic_variables_are_one_step() {
    let text = "_Atomic int x; void *f(void *a) { ADD return 0; }
        int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); ADD
          pthread_join(t, 0); if (x != 2) reach_error(); return 0; }";
    for add in ["x++;", "++x;", "x += 1;"] {
        check(&text.replace("ADD", add), "SAFE");
    }
    // Two accesses.
    check(&text.replace("ADD", "x = x + 1;"), "UNSAFE");
}

#[test]
fn a_thread_that_stops_forever_does_not_stop_the_others() {
    let text = "int x; int *p; pthread_mutex_t m; void *f(void *a) { STOP return 0; }
        void *g(void *a) { int y = x; reach_error(); return 0; }
        int main(void) { pthread_t t, u; pthread_create(&t, 0, f, 0); pthread_create(&u, 0, g, 0); return 0; }";
    let stops = [
        "__VERIFIER_assume(0);",
        "__VERIFIER_assume(x == 1);",
        "int l = 0; __VERIFIER_assume(l == 1);",
        "pthread_mutex_lock(&m); pthread_mutex_lock(&m);",
        "exit(0);",
        "*p = 1;",
        "while (1) { }",
        "__VERIFIER_atomic_begin(); while (1) { } __VERIFIER_atomic_end();",
    ];
    for stop in stops {
        check(&text.replace("STOP", stop), "UNSAFE");
    }
}

#[test]
fn what_was_done_before_the_end_of_the_run_is_seen() {
    let text = "int x; int *p; void f(void); _Noreturn void die(void); void stop(int c) { if (c) exit(c); }
        void *f1(void *a) { BEFORE END return 0; } void *g(void *a) { if (x == 1) reach_error(); return 0; }
        int main(void) { pthread_t t, u; pthread_create(&t, 0, g, 0); pthread_create(&u, 0, f1, 0);
          pthread_join(t, 0); return 0; }";
    let ends = [
        "exit(0);",
        "abort();",
        "stop(1);",
        "die();",
        "__builtin_trap();",
        "__assert_fail(\"\", \"\", 1, \"\");",
        "__VERIFIER_assume(0);",
        "int l = 0; __VERIFIER_assume(l == 1);",
        "*p = 1;",
        "int l = *p;",
        "while (1) { }",
        "return 0;",
    ];
    for end in ends {
        for before in ["x = 1;", "__sync_fetch_and_add(&x, 1);", "__atomic_store_n(&x, 1, 5);"] {
            let text = text.replace("BEFORE", before).replace("END", end);
            let program = load_with(&text, 8, &[Rule::UnreachCall]);
            for (por, coi) in [(Por::None, Coi::Off), (Por::Static, Coi::On), (Por::Sleep, Coi::PorCoi)] {
                let (verdict, _) = with(&program, Kind::VALUE, por, coi);
                assert_eq!(verdict.to_string(), "UNSAFE", "{before} {end} {por:?} {coi:?}");
            }
        }
    }
    let created = "void *f(void *a) { reach_error(); return 0; }
        int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); exit(0); }";
    check(created, "UNSAFE");
    // Inside of an atomic section nobody sees it.
    let inside =
        text.replace("BEFORE END", "__VERIFIER_atomic_begin(); x = 1; exit(0); __VERIFIER_atomic_end();");
    check(&inside, "SAFE");
}

/// What the default analysis says.
#[track_caller]
fn decided(text: &str, expected: &str) {
    let verdict = tour_core::analysis::verify(&load(text, 8), &Context::default());
    assert_eq!(verdict.to_string(), expected, "{text}");
}

#[test]
fn members_of_a_union_are_one_variable() {
    let text = "UNION u INIT; void *f(void *a) { SET return 0; }
        int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); pthread_join(t, 0); if (u.b != LAST) reach_error(); return 0; }";
    let filled = |union: &str, init: &str, set: &str, last: &str| {
        text.replace("UNION", union).replace("INIT", init).replace("SET", set).replace("LAST", last)
    };
    for union in ["union { int a; unsigned b; }", "union { int a; char b; }"] {
        decided(&filled(union, "", "u.a = 1;", "0"), "UNSAFE");
        decided(&filled(union, "", "u.a = 1;", "1"), "SAFE");
        decided(&filled(union, "= { 5 }", "", "5"), "SAFE");
    }
}

#[test]
fn locks_are_where_their_bytes_are() {
    let text = "struct s { pthread_mutex_t m; int v; } s, z; union { pthread_mutex_t m; char bytes[40]; } u;
        void *f(void *a) { return 0; }
        int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); pthread_mutex_lock(&LOCK); RESET
          pthread_mutex_lock(&LOCK); reach_error(); return 0; }";
    let filled = |lock: &str, reset: &str| text.replace("LOCK", lock).replace("RESET", reset);
    decided(&filled("s.m", "s.v = 1;"), "SAFE");
    decided(&filled("s.m", "s = z;"), "UNSAFE");
    decided(&filled("s.m", "memset(&s, 0, sizeof s);"), "UNSAFE");
    decided(&filled("u.m", "memset(u.bytes, 0, 40);"), "UNSAFE");
    decided(&filled("s.m", "struct s *p = &s; p->v = 1;"), "SAFE");
}

#[test]
fn accesses_of_several_steps() {
    let text = "struct w { long a, b, c; } w; struct w make(void) { struct w r = { 1, 1, 1 }; return r; }
        struct { unsigned a : 4, b : 4; int c; } s; __int128 g; char bytes[32]; pthread_mutex_t m;
        void *f(void *a) { TAKE SET GIVE return 0; }
        int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); TAKE GET GIVE pthread_join(t, 0); return 0; }";
    let torn = [
        ("w = make();", "long p = w.a, q = w.c; if (p == 1 && q == 0) reach_error();"),
        ("w = (struct w){ 1, 1, 1 };", "struct w l = w; if (l.a == 1 && l.c == 0) reach_error();"),
        ("g = -1;", "__int128 l = g; if (l != 0 && l != -1) reach_error();"),
        ("memset(bytes, 1, 32);", "char p = bytes[0], q = bytes[31]; if (p == 1 && q == 0) reach_error();"),
        ("s.a = 1; s.c = 1;", "s.b = 2; if (s.c == 1 && s.a == 0) reach_error();"),
    ];
    for (set, get) in torn {
        let filled = |take: &str, give: &str| {
            let text = text.replace("SET", set).replace("GET", get);
            text.replace("TAKE", take).replace("GIVE", give)
        };
        decided(&filled("", ""), "UNSAFE");
        decided(&filled("pthread_mutex_lock(&m);", "pthread_mutex_unlock(&m);"), "SAFE");
    }
    // Other sizes and orders are not modelled.
    let harmless =
        text.replace("SET", "w = make();").replace("GET", "long p = w.a; if (p > 1) reach_error();");
    decided(&harmless.replace("TAKE", "").replace("GIVE", ""), "UNKNOWN (unsupported: tearing)");
}

#[test]
fn weak_exchanges_may_fail() {
    let text = "int x, e; void *f(void *a) { return 0; }
        int main(void) { pthread_t t; pthread_create(&t, 0, f, 0);
          int done = __atomic_compare_exchange_n(&x, &e, 1, WEAK, 5, 5); if (CLAIM) return 0; reach_error(); }";
    let claims = [("done", "UNSAFE"), ("done == x && e == 0", "SAFE"), ("!done", "UNSAFE")];
    for (claim, expected) in claims {
        decided(&text.replace("CLAIM", claim).replace("WEAK", "1"), expected);
    }
    decided(&text.replace("CLAIM", "done && x == 1").replace("WEAK", "0"), "SAFE");
}

#[test]
fn threads_are_joined_or_detached_once() {
    let text = "void *f(void *a) { SELF return 0; }
        int main(void) { pthread_t t, u; pthread_create(&t, 0, f, 0); pthread_create(&u, 0, f, 0);
          ENDS return 0; }";
    let ends = |ends: &str| text.replace("SELF", "").replace("ENDS", ends);
    let twice = [
        "pthread_join(t, 0); if (pthread_join(t, 0)) reach_error();",
        "pthread_detach(t); if (pthread_join(t, 0)) reach_error();",
        "pthread_detach(t); if (pthread_detach(t)) reach_error();",
        "pthread_join(t, 0); if (pthread_detach(t)) reach_error();",
        "for (int i = 0; i < 2; i++) if (pthread_join(t, 0)) reach_error();",
    ];
    for twice in twice {
        decided(&ends(twice), "UNKNOWN (unsupported: threads)");
    }
    let once = [
        "pthread_join(t, 0); pthread_join(u, 0);",
        "if (pthread_detach(t)) reach_error(); if (pthread_join(u, 0)) reach_error();",
        "for (int i = 0; i < 2; i++) pthread_join(i ? t : u, 0);",
        "int i = __VERIFIER_nondet_int(); if (i) pthread_join(t, 0); else pthread_detach(t);",
    ];
    for once in once {
        decided(&ends(once), "SAFE");
    }
    let own = text.replace("SELF", "pthread_detach(pthread_self());");
    decided(&own.replace("ENDS", ""), "SAFE");
    decided(&own.replace("ENDS", "pthread_join(t, 0);"), "UNKNOWN (unsupported: threads)");
}

/// Where handles are not told apart, threads that may be joined twice are followed if they are few; that it happens is
/// excluded by an assumption otherwise.
#[test]
fn threads_of_unknown_handles_are_joined_once() {
    let text = |threads: usize, ends: &str| {
        let creates: String = (0..threads).map(|i| format!("pthread_create(&t[{i}], 0, f, 0); ")).collect();
        format!(
            "pthread_t t[{threads}]; void *f(void *a) {{ return 0; }}
             int main(void) {{ int i; {creates}
               pthread_t h = t[__VERIFIER_nondet_int() ? 0 : 1]; {ends} return 0; }}"
        )
    };
    let twice = "pthread_join(h, 0); if (pthread_join(h, 0)) reach_error();";
    let again = "for (i = 0; i < 2; i++) if (pthread_join(h, 0)) reach_error();";
    let once = "for (i = 0; i < 2; i++) if (pthread_join(t[i], 0)) reach_error();";
    decided(&text(2, twice), "UNKNOWN (unsupported: threads)");
    decided(&text(2, again), "UNKNOWN (unsupported: threads)");
    decided(&text(2, once), "SAFE");
    for (threads, ends, granted) in [(2, twice, false), (6, twice, true), (6, again, true), (6, once, true)] {
        let program = load(&text(threads, ends), 8);
        let found = program.assumptions.iter().any(|a| a.text.contains("joined or detached twice"));
        assert_eq!(found, granted, "{threads}: {ends}");
    }
}

/// The stacks of threads lie apart, however large they are.
#[test]
fn large_frames_do_not_overlap() {
    let text = "char *shared; int x; pthread_mutex_t m;
        void *f(void *a) { char big[SIZE]; big[0] = 1; pthread_mutex_lock(&m); shared = big; pthread_mutex_unlock(&m);
          for (;;) { } return 0; }
        void *g(void *a) { char own[64]; char *other; int i; pthread_mutex_lock(&m); other = shared; pthread_mutex_unlock(&m);
          if (other) for (i = 0; i < 3; i++) if (other + i * (1 << 20) == own) reach_error(); return 0; }
        int main(void) { pthread_t t, u; pthread_create(&t, 0, f, 0); pthread_create(&u, 0, g, 0); return 0; }";
    for size in ["100", "(3 << 20)"] {
        let program = load(&text.replace("SIZE", size), 8);
        let verdict = Schedules::default().round(200_000).run(&program, &Context::default());
        assert_ne!(verdict.to_string(), "UNSAFE", "{size}");
    }
}

#[test]
fn weak_memory_orders_are_not_modelled() {
    let text = "int x, y, r, s; void *f(void *a) { __atomic_store_n(&x, 1, ORDER); r = __atomic_load_n(&y, ORDER); return 0; }
        void *g(void *a) { __atomic_store_n(&y, 1, ORDER); s = __atomic_load_n(&x, ORDER); return 0; }
        int main(void) { pthread_t t, u; pthread_create(&t, 0, f, 0); pthread_create(&u, 0, g, 0);
          pthread_join(t, 0); pthread_join(u, 0); if (CLAIM) reach_error(); return 0; }";
    let filled = |order: &str, claim: &str| text.replace("ORDER", order).replace("CLAIM", claim);
    check(&filled("5", "!r && !s"), "SAFE");
    check(&filled("5", "r && s"), "UNSAFE");
    for order in ["0", "2", "3", "4", "r"] {
        check(&filled(order, "!r && !s"), "UNKNOWN (unsupported: memory-order)");
        check(&filled(order, "r && s"), "UNSAFE");
    }
    // Nothing comes after it.
    let lock = "int l, x; void *f(void *a) { while (!__sync_bool_compare_and_swap(&l, 0, 1)) { } int y = x; x = y + 1;
          __sync_lock_release(&l); return 0; }
        int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); f(0); pthread_join(t, 0); if (x != 2) reach_error(); return 0; }";
    let thread = lock.replace("f(0);", "pthread_t u; pthread_create(&u, 0, f, 0); pthread_join(u, 0);");
    check(&thread, "SAFE");
}

#[test]
fn what_is_assumed_of_racing_accesses_is_reported() {
    let text = "TYPE x; void *f(void *a) { x = 1; return 0; }
        int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); if (x > 1) reach_error(); return 0; }";
    for (ty, assumed) in [("int", true), ("volatile int", true), ("_Atomic int", false)] {
        let program = load(&text.replace("TYPE", ty), 8);
        let found = program.assumptions.iter().any(|a| a.text.contains("sequentially consistent"));
        assert_eq!(found, assumed, "{ty}");
    }
}

#[test]
fn checks_do_not_read_again() {
    let text = "int a[2], b[9]; int *_Atomic p = a; _Atomic int i;
        void *f(void *c) { p = b + 8; i = 1; return 0; }
        int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); USE pthread_join(t, 0); return 0; }";
    for used in ["*p = 1;", "int l = *p;", "a[i] = 1;", "int l[2]; l[i] = 1;", "int l = a[i] + i;"] {
        let program = load_with(&text.replace("USE", used), 8, &[Rule::OutOfBounds, Rule::NullDeref]);
        let (verdict, _) = with(&program, Kind::VALUE, Por::Static, Coi::On);
        assert_eq!(verdict.to_string(), "SAFE", "{used}");
    }
}

#[test]
fn reads_of_what_was_never_written() {
    let text = "void *malloc(unsigned long); int *q; pthread_mutex_t m; void *f(void *a) { FIRST return 0; }
        int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); SECOND pthread_join(t, 0); THIRD return 0; }";
    let cases = [
        ("", "int *p = malloc(4); int r = *p;", "", "UNSAFE"),
        ("", "int *p = malloc(4); *p = 1; int r = *p;", "", "SAFE"),
        ("char b[8]; return (void *)(long)b[3];", "", "", "UNSAFE"),
        ("*q = 1;", "", "int r = *q;", "SAFE"),
        ("", "", "int r = *q;", "UNSAFE"),
    ];
    for (first, second, third, expected) in cases {
        let text = text.replace("FIRST", first).replace("SECOND", second).replace("THIRD", third);
        let text = text.replace("pthread_t t;", "pthread_t t; q = malloc(4);");
        let program = load_with(&text, 8, &[Rule::UninitialisedRead]);
        let (verdict, _) = with(&program, Kind::VALUE, Por::Static, Coi::On);
        assert_eq!(verdict.to_string(), expected, "{first} {second} {third}");
    }
}

#[test]
fn the_variables_of_a_thread_die_with_it() {
    let text = "int *g; void *f(void *a) { int x = 1; g = &x; BODY return 0; }
        int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); pthread_join(t, 0); return g ? *g : 0; }";
    for (body, expected) in [("", "UNSAFE"), ("g = 0;", "SAFE"), ("pthread_exit(0);", "UNSAFE")] {
        let program = load_with(&text.replace("BODY", body), 8, &[Rule::UseAfterFree]);
        let verdict = tour_core::analysis::verify(&program, &Context::default());
        assert_eq!(verdict.to_string(), expected, "{body}");
    }
}

#[test]
fn start_routines_need_not_be_constants() {
    let text = "int x; void *f(void *a) { x = 1; return 0; } void *g(void *a) { x = 2; return 0; }
        int main(void) { pthread_t t; void *(*s[2])(void *) = { f, g }; pthread_create(&t, 0, s[INDEX], 0);
          pthread_join(t, 0); if (x != 2) reach_error(); return 0; }";
    check(&text.replace("INDEX", "1"), "SAFE");
    check(&text.replace("INDEX", "0"), "UNSAFE");
}

#[test]
fn every_kind_of_lock() {
    let text = "LOCK l; int x;
        void *f(void *a) { TAKE x = 1; x = 0; GIVE return 0; }
        int main(void) { pthread_t t; INIT pthread_create(&t, 0, f, 0);
          TAKE if (x != 0) reach_error(); GIVE return 0; }";
    let locks = [
        ("pthread_mutex_t", "", "pthread_mutex_lock(&l);", "pthread_mutex_unlock(&l);"),
        ("pthread_rwlock_t", "", "pthread_rwlock_wrlock(&l);", "pthread_rwlock_unlock(&l);"),
        (
            "pthread_spinlock_t",
            "pthread_spin_init(&l, 0);",
            "pthread_spin_lock(&l);",
            "pthread_spin_unlock(&l);",
        ),
        ("sem_t", "sem_init(&l, 0, 1);", "sem_wait(&l);", "sem_post(&l);"),
    ];
    for (lock, init, take, give) in locks {
        let filled = |take: &str| {
            let text = text.replace("LOCK", lock).replace("INIT", init);
            text.replace("TAKE", take).replace("GIVE", give)
        };
        check(&filled(take), "SAFE");
    }
    let unlocked = text.replace("LOCK", "int").replace("INIT", "").replace("TAKE", "").replace("GIVE", "");
    check(&unlocked, "UNSAFE");
}

#[test]
fn recursive_mutexes_and_trylock() {
    // A thread may take a recursive mutex again, and gives it back as often.
    let text = "pthread_mutex_t m; int x;
        void *f(void *a) { pthread_mutex_lock(&m); pthread_mutex_lock(&m); x = 1; pthread_mutex_unlock(&m); x = 0;
          pthread_mutex_unlock(&m); return 0; }
        int main(void) { pthread_mutexattr_t k; pthread_mutexattr_init(&k); pthread_mutexattr_settype(&k, KIND);
          pthread_mutex_init(&m, &k); pthread_t t; pthread_create(&t, 0, f, 0); WHAT return 0; }";
    let with = |kind: &str, what: &str| text.replace("KIND", kind).replace("WHAT", what);
    let read = "pthread_mutex_lock(&m); if (x != 0) reach_error(); pthread_mutex_unlock(&m);";
    check(&with("1", read), "SAFE");
    let after = "pthread_join(t, 0); reach_error();";
    check(&with("1", after), "UNSAFE");
    check(&with("0", after), "SAFE"); // It waits for itself.
    // One that does not wait.
    let text = "pthread_mutex_t m; int x;
        void *f(void *a) { if (pthread_mutex_trylock(&m) == 0) { x = 1; x = 0; pthread_mutex_unlock(&m); } return 0; }
        int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); WHAT return 0; }";
    check(&text.replace("WHAT", "if (pthread_mutex_trylock(&m) == 0 && x != 0) reach_error();"), "SAFE");
    check(&text.replace("WHAT", "if (pthread_mutex_trylock(&m) != 0) reach_error();"), "UNSAFE");
}

#[test]
fn readers_share_a_lock() {
    let text = "pthread_rwlock_t l; int in;
        void *f(void *a) { TAKE in = 1; in = 0; pthread_rwlock_unlock(&l); return 0; }
        int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); pthread_rwlock_rdlock(&l); if (in) reach_error();
          pthread_rwlock_unlock(&l); return 0; }";
    check(&text.replace("TAKE", "pthread_rwlock_wrlock(&l);"), "SAFE");
    check(&text.replace("TAKE", "pthread_rwlock_rdlock(&l);"), "UNSAFE");
    check(&text.replace("TAKE", "if (pthread_rwlock_tryrdlock(&l)) return 0;"), "UNSAFE");
}

#[test]
fn barriers_once_and_condition_variables() {
    let text = "pthread_barrier_t b; int x; void *f(void *a) { x = 1; WAIT return 0; }
        int main(void) { pthread_barrier_init(&b, 0, 2); pthread_t t; pthread_create(&t, 0, f, 0); WAIT
          if (x != 1) reach_error(); return 0; }";
    check(&text.replace("WAIT", "pthread_barrier_wait(&b);"), "SAFE");
    check(&text.replace("WAIT", ""), "UNSAFE");
    let text = "pthread_once_t o; int x, y; void set(void) { x = x + 1; y = 1; }
        void *f(void *a) { RUN return 0; }
        int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); RUN if (x != 1 || y != 1) reach_error(); return 0; }";
    check(&text.replace("RUN", "pthread_once(&o, set);"), "SAFE");
    check(&text.replace("RUN", "set();"), "UNSAFE");
    let text = "pthread_mutex_t m; pthread_cond_t c; int ready, x;
        void *f(void *a) { pthread_mutex_lock(&m); x = 1; ready = 1; pthread_cond_signal(&c); pthread_mutex_unlock(&m); return 0; }
        int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); pthread_mutex_lock(&m);
          WAIT pthread_cond_wait(&c, &m); pthread_mutex_unlock(&m); if (x != 1) reach_error(); return 0; }";
    check(&text.replace("WAIT", "while (!ready)"), "SAFE");
    // It may wake up without a signal.
    check(&text.replace("WAIT", ""), "UNSAFE");
}

#[test]
fn variables_of_threads_are_their_own() {
    check(
        "__thread int own; int seen;
         void *f(void *a) { own = 5; int local = 3; local = local + own; if (local != 8) reach_error(); return 0; }
         int main(void) { pthread_t t; own = 1; pthread_create(&t, 0, f, 0); pthread_join(t, 0);
           if (own != 1) reach_error(); return 0; }",
        "SAFE",
    );
}

#[test]
fn more_threads_than_the_bound_are_reported() {
    let text = "int x; void *f(void *a) { return 0; }
        int main(void) { pthread_t t; for (int i = 0; i < 3; i++) pthread_create(&t, 0, f, 0); return 0; }";
    let program = load(text, 2);
    let (verdict, _) = with(&program, Kind::VALUE, Por::Static, Coi::On);
    assert_eq!(verdict.to_string(), "UNKNOWN (unsupported: threads)");
    let program = load(text, 3);
    let (verdict, _) = with(&program, Kind::VALUE, Por::Static, Coi::On);
    assert_eq!(verdict.to_string(), "SAFE");
}

/// Figures 2.3, 3.1 and 3.7 of `[COI]`, each statement one action as in the paper.
const EXAMPLE: &str = "int x, y;
    void *p1(void *a) { STEP x = 1; DONE STEP y = 1; DONE if (y != 1) reach_error(); return 0; }
    void *p2(void *a) { STEP y = x; DONE STEP x = 0; DONE return 0; }
    int main(void) { pthread_t t, u; pthread_create(&t, 0, p1, 0); pthread_create(&u, 0, p2, 0); return 0; }";

fn example() -> String {
    EXAMPLE.replace("STEP", "__VERIFIER_atomic_begin();").replace("DONE", "__VERIFIER_atomic_end();")
}

#[test]
fn the_example_of_the_paper() {
    check(&example(), "SAFE");
    // In C, `y = x` reads first and writes later: `y = 1` may come between.
    check(&EXAMPLE.replace("STEP", "").replace("DONE", ""), "UNSAFE");
    let program = load(&example(), 8);
    let shown = thread_support::simplifications(&program, &["y"]);
    // Section 3.6: with vars(Π) = {y}, all assignments of x are NOP; from s_{3,4}, `y = x` is `havoc y`.
    expect![[r#"
        p1 at x = 1, p2 at y = $x: p1 NOP, p2 -
        p1 at x = 1, p2 at x = 0: p1 NOP, p2 NOP
        p1 at x = 1, p2 at end: p1 NOP, p2 -
        p1 at y = 1, p2 at y = $x: p1 -, p2 -
        p1 at y = 1, p2 at x = 0: p1 -, p2 NOP
        p1 at y = 1, p2 at end: p1 -, p2 -
        p1 at test, p2 at y = $x: p1 -, p2 -
        p1 at test, p2 at x = 0: p1 -, p2 NOP
        p1 at test, p2 at end: p1 -, p2 -
        p1 at end, p2 at y = $x: p1 -, p2 havoc
        p1 at end, p2 at x = 0: p1 -, p2 NOP
    "#]]
    .assert_eq(&shown);
}

#[test]
fn both_variables_tracked_as_in_example_4() {
    let program = load(&example(), 8);
    let shown = thread_support::simplifications(&program, &["x", "y"]);
    // Example 4: with p2 at L5 (before `x = 0`) nothing reads x any more, and it is tracked: `havoc x`.
    expect![[r#"
        p1 at x = 1, p2 at y = $x: p1 -, p2 -
        p1 at x = 1, p2 at x = 0: p1 havoc, p2 havoc
        p1 at x = 1, p2 at end: p1 havoc, p2 -
        p1 at y = 1, p2 at y = $x: p1 -, p2 -
        p1 at y = 1, p2 at x = 0: p1 -, p2 havoc
        p1 at y = 1, p2 at end: p1 -, p2 -
        p1 at test, p2 at y = $x: p1 -, p2 -
        p1 at test, p2 at x = 0: p1 -, p2 havoc
        p1 at test, p2 at end: p1 -, p2 -
        p1 at end, p2 at y = $x: p1 -, p2 havoc
        p1 at end, p2 at x = 0: p1 -, p2 havoc
    "#]]
    .assert_eq(&shown);
}

#[test]
fn reductions_leave_out_work() {
    let text = "int x, y; void *f(void *a) { x = 1; x = 2; x = 3; return 0; }
        void *g(void *a) { y = 1; y = 2; y = 3; return 0; }
        int main(void) { pthread_t t, u; pthread_create(&t, 0, f, 0); pthread_create(&u, 0, g, 0);
          pthread_join(t, 0); pthread_join(u, 0); if (x + y != 6) reach_error(); return 0; }";
    let program = load(text, 8);
    let tuples = |por| stats_of(&with(&program, Kind::VALUE, por, Coi::Off).1, "tuples");
    assert!(tuples(Por::Static) < tuples(Por::None));
}

#[test]
fn sleep_sets_leave_out_actions() {
    // From the heads of loops all threads are explored.
    let text = "int x, y; void *f(void *a) { while (x < 3) { x = x + 1; } return 0; }
        void *g(void *a) { while (y < 3) { y = y + 1; } return 0; }
        int main(void) { pthread_t t, u; pthread_create(&t, 0, f, 0); pthread_create(&u, 0, g, 0);
          pthread_join(t, 0); pthread_join(u, 0); if (x + y != 6) reach_error(); return 0; }";
    let program = load(text, 8);
    let statements = |por| stats_of(&with(&program, Kind::VALUE, por, Coi::Off).1, "statements");
    assert!(statements(Por::Sleep) < statements(Por::Static));
}

#[test]
fn a_directed_search_goes_to_the_nearest_error() {
    let text = "int x, y; void *f(void *a) { x = 1; x = 2; x = 3; x = 4; x = 5; x = 6; x = 7; x = 8; y = 0; return 0; }
        int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); x = 0; y = 1; if (y == 1) reach_error(); return 0; }";
    let program = load(text, 8);
    let tuples = |search| {
        let (por, coi, metric) = (Por::None, Coi::Off, MetricChoice::Only(Metric::St));
        let options = Options { analysis: Kind::VALUE, por, coi, search, metric, ..Options::default() };
        let context = Context::default();
        assert_eq!(Interleavings(options).run(&program, &context).to_string(), "UNSAFE");
        stats_of(&context.stats, "tuples")
    };
    let directed = tuples(Order::TOUR);
    for other in [Order::DFS, Order::BFS] {
        assert!(directed < tuples(other), "{directed} tuples, {} by {other:?}", tuples(other));
    }
}

/// Two errors that runs get to: the one in focus is found.
#[test]
fn a_directed_search_goes_to_the_error_in_focus() {
    let text = "int x, y; void *f(void *a) { x = 1; x = 2; x = 3; x = 4; if (x == 4)
          reach_error(); y = 0; return 0; }
        int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); y = 1; y = 2; y = 3; y = 4; if (y == 4)
          reach_error(); x = 0; return 0; }";
    let program = load(text, 8);
    for (focus, expect) in [("a.i:3", 3), ("a.i:5", 5)] {
        let options = Options {
            analysis: Kind::VALUE,
            search: Order::TOUR,
            metric: MetricChoice::Only(Metric::St),
            focus: vec![focus.parse().unwrap()],
            ..Options::default()
        };
        match Interleavings(options).run(&program, &Context::default()) {
            Verdict::Violated(violation) => {
                let place = program.sources.place(program.checks[violation.check].span);
                assert_eq!(place.line, expect, "focus {focus}");
            }
            other => panic!("{other}"),
        }
    }
}

/// A loop, a condition, and some statements lie before the error.
#[test]
fn distances_are_by_the_metric() {
    let program = load(
        "int x; void *f(void *a) { while (x < 3) x = x + 1; x = 7; if (x == 7) reach_error(); return 0; }
         int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); x = 2; return 0; }",
        8,
    );
    let [st, bb, lh, lf] = Metric::ALL.map(|metric| thread_support::first_distance(&program, metric));
    assert!(st > bb && bb > lh && lh == 1 && lf > lh, "st {st}, bb {bb}, lh {lh}, lf {lf}");
}

/// The distance at the beginning is at most the number of steps of a run to an error.
#[test]
fn distances_are_admissible() {
    let mut seen = 0;
    for seed in 0..40 {
        let program = load(&thread_support::generate(seed), 8);
        let (tour_core::verdict::Verdict::Violated(violation), _) =
            with(&program, Kind::VALUE, Por::Static, Coi::On)
        else {
            continue;
        };
        let distance = thread_support::first_distance(&program, Metric::St);
        assert!(distance > 1 && distance <= violation.trace.len(), "seed {seed}: {distance}");
        seen += 1;
    }
    assert!(seen > 5);
}

#[test]
fn a_run_is_shown_with_one_column_a_thread() {
    let program = load(
        "int x; void *f(void *a) { x = x + 1; return 0; }
         int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); x = x + 1;
           pthread_join(t, 0); if (x != 2) reach_error(); return 0; }",
        8,
    );
    let shown = match verdict(&program) {
        tour_core::verdict::Verdict::Violated(violation) => {
            tour_core::report::interleaving(&program, &violation.trace).join("\n") + "\n"
        }
        other => other.to_string(),
    };
    expect![[r#"
        0: main                       1: f
        3: atomic {
        3: start thread 1
        3: t = 2u  [2]
        3: }
                                      2: $x = x  [0]
        3: $x = x  [0]
                                      2: x = $x + 1  [1]
                                      2: return NULL
        3: x = $x + 1  [1]
        4: $1 = t  [2]
        4: atomic {
        4: thread 1 has ended
        4: [$1 == 2u]
        4: $2 = f$return  [0x0]
        4: }
        4: [x != 2]
    "#]]
    .assert_eq(&shown);
}

#[test]
fn an_error_right_after_a_return_is_reached() {
    check(
        "int z; pthread_mutex_t m;
         void *f(void *a) { pthread_mutex_lock(&m); pthread_mutex_unlock(&m); if (z == 0) reach_error(); return 0; }
         int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); return 0; }",
        "UNSAFE",
    );
}

/// No reduction changes a verdict, and all agree with an exhaustive search.
fn agree(seeds: std::ops::Range<u64>) {
    for seed in seeds {
        let text = thread_support::generate(seed);
        let program = load(&text, 8);
        let expected = if thread_support::search::exhaustive(&program) { "UNSAFE" } else { "SAFE" };
        for (por, coi) in [
            (Por::None, Coi::Off),
            (Por::Static, Coi::Off),
            (Por::None, Coi::On),
            (Por::Sleep, Coi::Off),
            (Por::Sleep, Coi::On),
            (Por::Static, Coi::On),
            (Por::Static, Coi::PorCoi),
        ] {
            let kind = [Kind::VALUE, Kind::EXPLICIT, Kind::PRODUCT, Kind::PREDICATE][seed as usize % 4];
            let (verdict, _) = with(&program, kind, por, coi);
            assert_eq!(verdict.to_string(), expected, "seed {seed}, {kind:?}, {por:?}, {coi:?}:\n{text}");
        }
    }
}

#[test]
fn generated_programs_agree() {
    agree(0..20);
}

#[test]
#[ignore = "minutes"]
fn many_generated_programs_agree() {
    agree(20..600);
}

/// All modes agree with an explorer that knows nothing of them; gives how many programs were small enough to tell.
fn agree_on_events(seeds: std::ops::Range<u64>) -> usize {
    let mut compared = 0;
    for seed in seeds {
        let text = thread_support::events::generate(seed);
        let rules: &[Rule] = if seed % 2 == 0 { &[Rule::UnreachCall] } else { &Rule::STATED };
        let Some(violated) = thread_support::typed::violates(&thread_support::parse(&text), rules) else {
            continue;
        };
        let expected = if violated { "UNSAFE" } else { "SAFE" };
        let program = load_with(&text, 8, rules);
        let kind = [Kind::VALUE, Kind::EXPLICIT, Kind::PRODUCT, Kind::PREDICATE][seed as usize / 2 % 4];
        for (por, coi) in [
            (Por::None, Coi::Off),
            (Por::Static, Coi::Off),
            (Por::Sleep, Coi::Off),
            (Por::None, Coi::On),
            (Por::Static, Coi::On),
            (Por::Sleep, Coi::PorCoi),
        ] {
            let (verdict, _) = with(&program, kind, por, coi);
            assert_eq!(verdict.to_string(), expected, "seed {seed}, {kind:?}, {por:?}, {coi:?}:\n{text}");
        }
        let verdict = tour_core::analysis::verify(&program, &Context::default());
        assert_eq!(verdict.to_string(), expected, "seed {seed}, auto:\n{text}");
        compared += 1;
    }
    compared
}

#[test]
fn generated_events_agree() {
    assert!(agree_on_events(0..20) >= 15);
}

#[test]
#[ignore = "an hour"]
fn many_generated_events_agree() {
    let number = |name: &str| std::env::var(name).ok().and_then(|n| n.parse().ok());
    let (first, last) = (number("FIRST").unwrap_or(20), number("LAST").unwrap_or(5_000));
    println!("{} programs", agree_on_events(first..last));
}

#[test]
fn explicit_values_of_arrays_and_inputs() {
    // A queue in an array, with inputs that are told apart; and what no thread reads any more tells no states apart.
    let text = "int queue[4], head, tail, sum; pthread_mutex_t m;
        void *f(void *a) { for (int i = 0; i < 3; i++) { pthread_mutex_lock(&m); int in = __VERIFIER_nondet_int();
          __VERIFIER_assume(in == 1 || in == 2); queue[tail++] = in; pthread_mutex_unlock(&m); } return 0; }
        int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); int taken = 0;
          while (taken < 3) { pthread_mutex_lock(&m); if (head < tail) { sum += queue[head++]; taken++; }
            pthread_mutex_unlock(&m); }
          if (sum < 3 || sum > LIMIT) reach_error(); return 0; }";
    for (limit, expected) in [("6", "SAFE"), ("5", "UNSAFE")] {
        let program = load(&text.replace("LIMIT", limit), 8);
        for (por, coi) in [(Por::None, Coi::Off), (Por::Static, Coi::On), (Por::Sleep, Coi::PorCoi)] {
            let (verdict, _) = with(&program, Kind::EXPLICIT, por, coi);
            assert_eq!(verdict.to_string(), expected, "{limit} {por:?} {coi:?}");
        }
    }
}

#[test]
fn inputs_of_two_threads_may_point_to_the_same_object() {
    let text = "void *__VERIFIER_nondet_pointer(void); int *p, *q;
        void *f(void *a) { if (q) *q = 5; return 0; }
        int main(void) { pthread_t t; p = __VERIFIER_nondet_pointer(); q = __VERIFIER_nondet_pointer();
          if (!p) return 0; *p = 1; pthread_create(&t, 0, f, 0); if (*p != 1) reach_error(); return 0; }";
    let program = load(text, 8);
    for kind in [Kind::VALUE, Kind::EXPLICIT, Kind::PRODUCT, Kind::PREDICATE] {
        let (verdict, _) = with(&program, kind, Por::Static, Coi::On);
        assert!(matches!(verdict, Verdict::Unknown(_)), "{kind:?}: {verdict}");
    }
}

#[test]
fn as_many_threads_are_followed_as_a_run_needs() {
    let count = |loops: &str| {
        let text = format!(
            "int x; void *f(void *a) {{ x = 1; return 0; }}
             int main(void) {{ pthread_t t; {loops} pthread_create(&t, 0, f, 0); return 0; }}"
        );
        thread_support::load_default(&text).threads.all.len()
    };
    for (loops, expected) in [
        ("", 2),
        ("for (int i = 0; i < 8; i++)", 9),
        ("for (int i = 0; i < 16; i++)", 33),
        ("for (int i = 0; i < 33; i++)", 9),
        ("while (1)", 9),
    ] {
        assert_eq!(count(loops), expected, "{loops}");
    }
}

/// What the default analysis says, and which of its parts says it.
#[track_caller]
fn check_auto(text: &str, expected: &str) {
    let verdict = tour_core::analysis::verify(&load(text, 8), &Context::default());
    let by = match &verdict {
        Verdict::Proved(proof) => format!(" by {}", proof.analysis),
        Verdict::Violated(violation) => format!(" by {}", violation.analysis),
        Verdict::Unknown(_) => String::new(),
    };
    assert_eq!(format!("{verdict}{by}"), expected, "{text}");
}

#[test]
fn drawn_schedules_find_errors() {
    // Both counters are as large as they can be only if the threads take turns.
    let fibonacci = "int i = 1, j = 1;
        void *f(void *a) { for (int k = 0; k < 11; k++) i += j; return 0; }
        void *g(void *a) { for (int k = 0; k < 11; k++) j += i; return 0; }
        int main(void) { pthread_t t, u; pthread_create(&t, 0, f, 0); pthread_create(&u, 0, g, 0);
          if (i >= 46368 || j >= 46368) reach_error(); return 0; }";
    check_auto(fibonacci, "UNSAFE by schedules");
    // Locks that are taken let others go on; what an atomic section has done that can't be completed did not happen.
    let locked = "pthread_mutex_t m; int x, full;
        void *f(void *a) { for (int k = 0; k < 30; k++) { pthread_mutex_lock(&m); x++; full = x == 20;
          pthread_mutex_unlock(&m); } return 0; }
        void *g(void *a) { __VERIFIER_atomic_begin(); x = x - 100; __VERIFIER_assume(full); __VERIFIER_atomic_end();
          if (x >= -80) reach_error(); return 0; }
        int main(void) { pthread_t t, u; pthread_create(&t, 0, f, 0); pthread_create(&u, 0, g, 0);
          pthread_join(t, 0); pthread_join(u, 0); return 0; }";
    check_auto(locked, "UNSAFE by schedules");
}

/// The ids of threads and the keys of their values are the library's own numbers.
#[test]
fn the_values_of_ids_and_keys_are_open() {
    let text = "typedef unsigned pthread_key_t; int pthread_key_create(pthread_key_t *, void (*)(void *));
        int pthread_key_delete(pthread_key_t); int pthread_equal(pthread_t, pthread_t); int memcmp(const void *, const void *, unsigned long);
        struct job { pthread_t id; unsigned long size; } job; pthread_t many[2]; unsigned long number;
        void *f(void *a) { return 0; }
        int main(void) { pthread_t t, u; pthread_key_t j, k; BODY return 0; }";
    let both = "pthread_create(&t, 0, f, 0); pthread_create(&u, 0, f, 0);";
    let again = "pthread_create(&t, 0, f, 0); pthread_join(t, 0); pthread_create(&u, 0, f, 0);";
    for (body, expected) in [
        ("if (pthread_self() == 1) reach_error();".to_owned(), "UNKNOWN"),
        ("if (pthread_self() != 1) reach_error();".to_owned(), "UNKNOWN"),
        (format!("{both} if (t != 2) reach_error();"), "UNKNOWN"),
        (format!("{both} if (u < t) reach_error();"), "UNKNOWN"),
        (format!("{both} if (!t) reach_error();"), "UNKNOWN"),
        (format!("{both} if ((int)t != 2) reach_error();"), "UNKNOWN"),
        (format!("{both} number = t; if (number > 9) reach_error();"), "UNKNOWN"),
        (format!("{both} job.id = t; if (job.id - 2) reach_error();"), "UNKNOWN"),
        (format!("{both} if (memcmp(&t, &u, 8) == 0) reach_error();"), "UNKNOWN"),
        ("pthread_create(&many[1], 0, f, 0); if (many[1] % 2) reach_error();".to_owned(), "UNKNOWN"),
        ("pthread_t *p = many; pthread_create(p, 0, f, 0); if (many[0] % 2) reach_error();".to_owned(), "UNKNOWN"),
        ("pthread_create(&t, 0, f, (void *)pthread_self()); reach_error();".to_owned(), "UNKNOWN"),
        ("pthread_create(&t, 0, f, &t); pthread_join(t, 0);".to_owned(), "SAFE"),
        // Whether two are the same is known as long as none is given again.
        (format!("{both} if (t == u) reach_error();"), "SAFE"),
        (format!("{both} if (pthread_equal(t, u)) reach_error();"), "SAFE"),
        (format!("{both} if (!pthread_equal(t, t)) reach_error();"), "SAFE"),
        (format!("{both} if (pthread_equal(t, t) == 1) reach_error();"), "UNSAFE"),
        (format!("{both} if (pthread_equal(t, t) != 1) reach_error();"), "UNSAFE"),
        (format!("{again} if (pthread_equal(t, u)) reach_error();"), "UNKNOWN"),
        (format!("{again} if (t == u) reach_error();"), "UNKNOWN"),
        ("if (!pthread_equal(pthread_self(), pthread_self())) reach_error();".to_owned(), "SAFE"),
        // What lies beside them is the program's own.
        ("pthread_create(&job.id, 0, f, 0); job.size = 3; if (job.size != 3) reach_error(); pthread_join(job.id, 0);".to_owned(), "SAFE"),
        ("pthread_key_create(&k, 0); if (k != 0) reach_error();".to_owned(), "UNKNOWN"),
        ("pthread_key_create(&k, 0); pthread_key_create(&j, 0); if (j == k) reach_error();".to_owned(), "SAFE"),
        ("pthread_key_create(&k, 0); pthread_key_delete(k); pthread_key_create(&j, 0); if (j == k) reach_error();".to_owned(), "UNKNOWN"),
    ] {
        let verdict = tour_core::analysis::verify(&load(&text.replace("BODY", &body), 8), &Context::default());
        assert!(verdict.to_string().starts_with(expected), "{verdict}, not {expected}: {body}");
    }
}

/// A thread that is detached by its attributes, locks that were destroyed, and attempts that fail without a reason.
#[test]
fn objects_that_must_not_be_used_any_more() {
    let text = "typedef struct { long a[7]; } pthread_attr_t; int pthread_attr_init(pthread_attr_t *);
        int pthread_attr_setdetachstate(pthread_attr_t *, int); int pthread_mutex_destroy(pthread_mutex_t *);
        int pthread_rwlock_destroy(pthread_rwlock_t *); int sem_destroy(sem_t *); int pthread_spin_destroy(pthread_spinlock_t *);
        int pthread_barrier_destroy(pthread_barrier_t *); int mtx_trylock(pthread_mutex_t *);
        int x; pthread_mutex_t m; pthread_rwlock_t l; sem_t s; pthread_spinlock_t q; pthread_barrier_t b; pthread_attr_t at;
        void *f(void *a) { x = 1; return 0; }
        int main(void) { pthread_t t; BODY if (x != 1) reach_error(); return 0; }";
    for (body, expected) in [
        (
            "pthread_attr_init(&at); pthread_attr_setdetachstate(&at, 0); pthread_create(&t, &at, f, 0); pthread_join(t, 0);",
            "SAFE",
        ),
        (
            "pthread_attr_init(&at); pthread_attr_setdetachstate(&at, 1); pthread_create(&t, &at, f, 0); pthread_join(t, 0);",
            "UNKNOWN",
        ),
        ("pthread_attr_setdetachstate(&at, 1); pthread_create(&t, 0, f, 0); pthread_join(t, 0);", "SAFE"),
        ("x = 1; pthread_mutex_init(&m, 0); pthread_mutex_destroy(&m); pthread_mutex_lock(&m);", "UNKNOWN"),
        (
            "x = 1; pthread_mutex_init(&m, 0); pthread_mutex_destroy(&m); pthread_mutex_init(&m, 0); pthread_mutex_lock(&m);",
            "SAFE",
        ),
        ("x = 1; pthread_mutex_destroy(&m); pthread_mutex_unlock(&m);", "UNKNOWN"),
        ("x = 1; pthread_rwlock_destroy(&l); pthread_rwlock_rdlock(&l);", "UNKNOWN"),
        ("x = 1; sem_init(&s, 0, 1); sem_destroy(&s); sem_post(&s);", "UNKNOWN"),
        ("x = 1; pthread_spin_init(&q, 0); pthread_spin_destroy(&q); pthread_spin_lock(&q);", "UNKNOWN"),
        (
            "x = 1; pthread_barrier_init(&b, 0, 1); pthread_barrier_destroy(&b); pthread_barrier_wait(&b);",
            "UNKNOWN",
        ),
        ("x = mtx_trylock(&m) == 0;", "UNSAFE"),
    ] {
        let verdict = tour_core::analysis::verify(&load(&text.replace("BODY", body), 8), &Context::default());
        assert!(verdict.to_string().starts_with(expected), "{verdict}, not {expected}: {body}");
    }
}

/// Pieces of any size in any order: records of any size, what is not aligned, and what the library writes.
#[test]
fn nothing_but_a_scalar_is_accessed_at_once() {
    let text = "char *strcpy(char *, const char *); char *strcat(char *, const char *); int sprintf(char *, const char *, ...);
        struct two { short a, b; } w; struct one { int a; } o; char x[8]; struct { char c[61]; long l; } __attribute__((packed)) s;
        void *f(void *a) { SET return 0; }
        int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); JOIN GET return 0; }";
    for (set, get, at_once) in [
        ("w = (struct two){ 1, 1 };", "struct two r = w; if (r.a != r.b) reach_error();", false),
        ("o = (struct one){ 1 };", "int r = o.a; if (r != 0 && r != 1) reach_error();", true),
        ("s.l = -1;", "long r = s.l; if (r != 0 && r != -1) reach_error();", false),
        ("strcpy(x, \"ab\");", "if (x[1] && !x[0]) reach_error();", false),
        ("strcat(x, \"ab\");", "if (x[1] && !x[0]) reach_error();", false),
        ("sprintf(x, \"%d\", 42);", "if (x[1] && !x[0]) reach_error();", false),
    ] {
        let text = text.replace("SET", set).replace("GET", get);
        for (join, alone) in [("pthread_join(t, 0);", true), ("", false)] {
            let verdict =
                tour_core::analysis::verify(&load(&text.replace("JOIN", join), 8), &Context::default());
            let is_proved = matches!(verdict, Verdict::Proved(_));
            assert_eq!(is_proved, at_once || alone, "{verdict}: {set} {join}");
        }
    }
}

/// Where one thread is left, memory orders make no difference.
#[test]
fn orders_of_a_thread_that_is_alone() {
    let text = "_Atomic int x; void *f(void *a) { x++; return 0; } void *g(void *a) { pthread_t t; pthread_create(&t, 0, f, 0); return 0; }
        int main(void) { pthread_t t, u; BEFORE pthread_create(&t, 0, START, 0); pthread_create(&u, 0, f, 0); pthread_join(t, 0); BETWEEN
          pthread_join(u, 0); AFTER return 0; }";
    let store = "__atomic_store_n(&x, 1, 0);";
    let load_ = "if (__atomic_load_n(&x, 0) < 0) reach_error();";
    for (start, before, between, after, expected) in [
        ("f", store, "", "", "SAFE"),
        ("f", "", "", load_, "SAFE"),
        ("f", "", load_, "", "UNKNOWN"),
        ("g", "", "", load_, "UNKNOWN"),
    ] {
        let text = text.replace("BEFORE", before).replace("BETWEEN", between);
        let text = text.replace("AFTER", after).replace("START", start);
        let verdict = tour_core::analysis::verify(&load(&text, 8), &Context::default());
        assert!(verdict.to_string().starts_with(expected), "{verdict}, not {expected}: {text}");
    }
}
