//! The rules on threads: data races and deadlocks, and generated programs against an exhaustive search.

mod thread_support;

use thread_support::{check_rule, load_with, with};
use tour_core::analysis::Kind;
use tour_core::program::Rule;
use tour_core::threads::{Coi, Por};

#[track_caller]
fn race(text: &str, expected: &str) {
    check_rule(Rule::DataRace, text, expected);
}

#[track_caller]
fn deadlock(text: &str, expected: &str) {
    check_rule(Rule::Deadlock, text, expected);
}

const TWO: &str =
    "int main(void) { pthread_t t, u; pthread_create(&t, 0, f, 0); pthread_create(&u, 0, g, 0); return 0; }";

#[test]
fn unordered_accesses_race() {
    let text = format!(
        "int x, y; void *f(void *a) {{ ONE return 0; }} void *g(void *a) {{ OTHER return 0; }} {TWO}"
    );
    let both = |one: &str, other: &str| text.replace("ONE", one).replace("OTHER", other);
    race(&both("x = 1;", "x = 2;"), "UNSAFE");
    race(&both("x = 1;", "y = x;"), "UNSAFE");
    race(&both("int l = 3; l = l + 1; x = l;", "y = 1; y = 2; y = x;"), "UNSAFE");
    race(&both("int l = x;", "int l = x;"), "SAFE");
    race(&both("x = 1;", "y = 1;"), "SAFE");
    // One of both is atomic.
    race(&both("__sync_fetch_and_add(&x, 1);", "x = 2;"), "UNSAFE");
    race(&both("__VERIFIER_atomic_begin(); y = 1; x = 1; __VERIFIER_atomic_end();", "int l = x;"), "UNSAFE");
}

#[test]
fn what_orders_accesses() {
    // Locks.
    let text = "pthread_mutex_t m, n; int x;
        void *f(void *a) { pthread_mutex_lock(&m); x++; pthread_mutex_unlock(&m); return 0; }
        void *g(void *a) { pthread_mutex_lock(&LOCK); x++; pthread_mutex_unlock(&LOCK); return 0; } ";
    let text = format!("{text} {TWO}");
    race(&text.replace("LOCK", "m"), "SAFE");
    race(&text.replace("LOCK", "n"), "UNSAFE");
    // Beginning and end of threads.
    let text = "int x; void *f(void *a) { x = 1; return 0; }
        int main(void) { pthread_t t; x = 2; pthread_create(&t, 0, f, 0); JOIN x = 3; return 0; }";
    race(&text.replace("JOIN", "pthread_join(t, 0);"), "SAFE");
    race(&text.replace("JOIN", ""), "UNSAFE");
    // Atomic operations and variables.
    for (decl, set, get) in [
        ("int flag;", "__atomic_store_n(&flag, 1, 5);", "__atomic_load_n(&flag, 5)"),
        ("_Atomic int flag;", "flag = 1;", "flag"),
    ] {
        let text = format!(
            "int x; {decl} void *f(void *a) {{ x = 1; {set} return 0; }}
             void *g(void *a) {{ if ({get}) x = 2; return 0; }} {TWO}"
        );
        race(&text, "SAFE");
        race(&text.replace(set, ""), "SAFE"); // The flag stays zero.
        race(&text.replace("x = 1;", &format!("{set} x = 1;")), "UNSAFE");
    }
    // A plain flag races itself.
    race(
        &format!(
            "int x, flag; void *f(void *a) {{ x = 1; flag = 1; return 0; }} void *g(void *a) {{ if (flag) x = 2; return 0; }} {TWO}"
        ),
        "UNSAFE",
    );
}

#[test]
fn what_orders_nothing() {
    // A relaxed flag and a failed attempt tell what another thread has done, but do not order it.
    let text = format!(
        "int x, flag; pthread_mutex_t m; void *f(void *a) {{ x = 1; TELL return 0; }}
         void *g(void *a) {{ if (ASK) x = 2; return 0; }} {TWO}"
    );
    let relaxed = text.replace("TELL", "__atomic_store_n(&flag, 1, 0);");
    race(&relaxed.replace("ASK", "__atomic_load_n(&flag, 0)"), "UNKNOWN (unsupported: memory-order)");
    let locked = text.replace("TELL", "pthread_mutex_lock(&m);");
    race(&locked.replace("ASK", "pthread_mutex_trylock(&m)"), "UNKNOWN (unsupported: threads)");
    // A read that always has the same value is one.
    let same = format!(
        "int x, r; void *f(void *a) {{ if (x == 0) r = 1; return 0; }} void *g(void *a) {{ x = 0; return 0; }} {TWO}"
    );
    race(&same, "UNSAFE");
    race(&same.replace("x = 0;", ""), "SAFE");
}

#[test]
fn parts_of_records_and_arrays() {
    let text = format!(
        "struct s {{ int a, b; }} s; int v[4]; void *f(void *a) {{ ONE return 0; }} void *g(void *a) {{ OTHER return 0; }} {TWO}"
    );
    let both = |one: &str, other: &str| text.replace("ONE", one).replace("OTHER", other);
    race(&both("s.a = 1;", "s.b = 1;"), "SAFE");
    race(&both("s.a = 1;", "s.a = 1;"), "UNSAFE");
    race(&both("v[1] = 1;", "v[2] = 1;"), "SAFE");
    race(&both("v[1] = 1;", "v[1] = 1;"), "UNSAFE");
    race(&both("int i = 1; v[i] = 1;", "int j = 1; v[j] = 2;"), "UNSAFE");
    // Not decided yet.
    race(&both("int i = 1; v[i] = 1;", "v[2] = 1;"), "UNKNOWN (unsupported: threads)");
}

#[test]
fn stores_to_bit_fields_race() {
    // Neighbours are one memory location; a store is more than one step, and two stores still meet.
    let text = format!(
        "struct {{ unsigned a : 3, b : 3; char c; unsigned d : 2; }} s; struct w {{ short a, b, c, d; long e; }} w;
         pthread_mutex_t m; void *f(void *a) {{ ONE return 0; }} void *g(void *a) {{ OTHER return 0; }} {TWO}"
    );
    let both = |one: &str, other: &str| text.replace("ONE", one).replace("OTHER", other);
    race(&both("s.a = 1;", "s.b = 1;"), "UNSAFE");
    race(&both("s.a = 1;", "s.a = 2;"), "UNSAFE");
    race(&both("s.a = 1;", "unsigned l = s.b;"), "UNSAFE");
    race(&both("unsigned l = s.a;", "unsigned l = s.b;"), "SAFE");
    race(&both("s.a = 1;", "s.c = 1;"), "SAFE");
    race(&both("s.a = 1;", "s.d = 1;"), "SAFE");
    let store = "struct w l = { 1 }; w = l;";
    race(&both(store, store), "UNSAFE");
    race(&both(store, "struct w l = w;"), "UNSAFE");
    let locked = |store: &str| format!("pthread_mutex_lock(&m); {store} pthread_mutex_unlock(&m);");
    race(&both(&locked("s.a = 1;"), &locked("s.b = 1;")), "SAFE");
    race(&both(&locked(store), &locked(store)), "SAFE");
}

#[test]
fn all_races_are_reported() {
    let text = format!(
        "int x, y, z; void *f(void *a) {{ x = 1; y = 1; z = 1; return 0; }} void *g(void *a) {{ x = 2; z = 2; return 0; }} {TWO}"
    );
    let program = load_with(&text, 8, &[Rule::DataRace]);
    let found = tour_core::analysis::verify_all(&program, &Default::default(), &Default::default());
    let mut messages: Vec<&str> =
        found.violations.iter().map(|violation| program.checks[violation.check].message.as_str()).collect();
    messages.sort_unstable();
    messages.dedup();
    let racy = |var: &str| format!("`{var}` is accessed while another thread accesses it");
    assert_eq!(messages, [racy("x"), racy("z")]);
    assert_eq!(found.rest.to_string(), "SAFE");
}

#[test]
fn memory_behind_pointers() {
    let text = "struct s { int a; pthread_mutex_t m; } o; void *malloc(unsigned long);
        void *f(void *p) { struct s *s = p; TAKE s->a = 1; GIVE return 0; }
        int main(void) { struct s *s = OBJECT; pthread_t t; pthread_create(&t, 0, f, s);
          TAKE s->a = 2; GIVE pthread_join(t, 0); return 0; }";
    for object in ["malloc(sizeof *s)", "&o"] {
        let text = text.replace("OBJECT", object);
        race(&text.replace("TAKE", "").replace("GIVE", ""), "UNSAFE");
    }
}

#[test]
fn threads_that_wait_for_each_other() {
    let text = "pthread_mutex_t m, n;
        void *f(void *a) { pthread_mutex_lock(&m); pthread_mutex_lock(&n); pthread_mutex_unlock(&n); pthread_mutex_unlock(&m); return 0; }
        void *g(void *a) { pthread_mutex_lock(&A); pthread_mutex_lock(&B); pthread_mutex_unlock(&B); pthread_mutex_unlock(&A); return 0; }
        int main(void) { pthread_t t, u; pthread_create(&t, 0, f, 0); pthread_create(&u, 0, g, 0); pthread_join(t, 0); pthread_join(u, 0); return 0; }";
    deadlock(&text.replace("&A", "&m").replace("&B", "&n"), "SAFE");
    deadlock(&text.replace("&A", "&n").replace("&B", "&m"), "UNSAFE");
}

#[test]
fn what_is_a_deadlock() {
    let thread = |body: &str, main: &str| {
        format!(
            "pthread_mutex_t m; sem_t s; int x; void *f(void *a) {{ {body} return 0; }}
             int main(void) {{ pthread_t t; sem_init(&s, 0, 0); pthread_create(&t, 0, f, 0); {main} return 0; }}"
        )
    };
    // A thread waits for itself; main waits for it, or ends the program.
    deadlock(&thread("pthread_mutex_lock(&m); pthread_mutex_lock(&m);", "pthread_join(t, 0);"), "UNSAFE");
    deadlock(&thread("pthread_mutex_lock(&m); pthread_mutex_lock(&m);", ""), "SAFE");
    // Main has ended as a thread only.
    deadlock(&thread("pthread_mutex_lock(&m); pthread_mutex_lock(&m);", "pthread_exit(0);"), "UNSAFE");
    deadlock(&thread("x = 1;", "pthread_exit(0);"), "SAFE");
    // A lock that is never released.
    deadlock(&thread("pthread_mutex_lock(&m);", "pthread_mutex_lock(&m);"), "UNSAFE");
    deadlock(&thread("pthread_mutex_lock(&m); pthread_mutex_unlock(&m);", "pthread_mutex_lock(&m);"), "SAFE");
    // A semaphore that nobody posts.
    deadlock(&thread("x = 1;", "sem_wait(&s);"), "UNSAFE");
    deadlock(&thread("sem_post(&s);", "sem_wait(&s);"), "SAFE");
    // An assumption is no wait.
    deadlock(&thread("__VERIFIER_assume(x == 1);", "pthread_join(t, 0);"), "SAFE");
    // One thread alone.
    let alone = "pthread_mutex_t m; int main(void) { pthread_mutex_lock(&m); SECOND return 0; }";
    for (second, expected) in [("", "SAFE"), ("pthread_mutex_lock(&m);", "UNSAFE")] {
        let program = load_with(&alone.replace("SECOND", second), 8, &[Rule::Deadlock]);
        let verdict = tour_core::analysis::verify(&program, &Default::default());
        assert_eq!(verdict.to_string(), expected, "{second}");
    }
}

/// No reduction changes a verdict, and all agree with an exhaustive search.
fn agree(seeds: std::ops::Range<u64>) {
    for seed in seeds {
        for (rule, text) in [
            (Rule::DataRace, thread_support::generate(seed)),
            (Rule::Deadlock, thread_support::generate_locking(seed)),
        ] {
            // Where races are looked for, a write of the same value is a write.
            let program = load_with(&text, 8, &[rule]);
            let broken = match rule {
                Rule::DataRace => thread_support::search::exhaustive_race(&program),
                _ => thread_support::search::exhaustive_deadlock(&load_with(&text, 8, &[])),
            };
            let Some(broken) = broken else { continue };
            let expected = if broken { "UNSAFE" } else { "SAFE" };
            for (por, coi) in [
                (Por::None, Coi::Off),
                (Por::Static, Coi::Off),
                (Por::None, Coi::On),
                (Por::Static, Coi::On),
                (Por::Static, Coi::PorCoi),
            ] {
                let kind = if seed % 4 == 3 { Kind::PREDICATE } else { Kind::VALUE };
                let (verdict, _) = with(&program, kind, por, coi);
                assert_eq!(
                    verdict.to_string(),
                    expected,
                    "seed {seed}, {rule:?}, {kind:?}, {por:?}, {coi:?}:\n{text}"
                );
            }
        }
    }
}

#[test]
fn generated_programs_agree() {
    agree(0..4);
}

#[test]
#[ignore = "minutes"]
fn many_generated_programs_agree() {
    agree(4..300);
}

#[track_caller]
fn with_rule(rule: Rule, text: &str, expected: &str) {
    let verdict =
        tour_core::analysis::verify(&load_with(text, 8, &[rule]), &tour_core::context::Context::default());
    assert!(verdict.to_string().starts_with(expected), "{verdict}, not {expected}: {text}");
}

/// Rules are checked in what the functions of threads call, too.
#[test]
fn functions_that_only_threads_call() {
    let text = "int *p, y, z; pthread_mutex_t m, *l; void set(int *q) { BODY } void *f(void *a) { set(p); return 0; }
        int main(void) { pthread_t t; INIT pthread_create(&t, 0, f, 0); pthread_join(t, 0); return 0; }";
    for (rule, init, body, expected) in [
        (Rule::NullDeref, "", "*q = 1;", "UNSAFE"),
        (Rule::NullDeref, "p = &y;", "*q = 1;", "SAFE"),
        (Rule::NullDeref, "", "pthread_mutex_lock(l);", "UNSAFE"),
        (Rule::NullDeref, "l = &m;", "pthread_mutex_lock(l);", "SAFE"),
        (Rule::DivisionByZero, "", "y = 1 / z;", "UNSAFE"),
        (Rule::SignedOverflow, "y = 2147483647;", "y++;", "UNSAFE"),
        (Rule::UninitialisedRead, "", "int a; y = a;", "UNSAFE"),
    ] {
        with_rule(rule, &text.replace("INIT", init).replace("BODY", body), expected);
    }
}

/// What belongs to a thread ends with it.
#[test]
fn storage_of_threads_that_have_ended() {
    let text = "_Thread_local int v; int *p; void **q; int shared; void end(void) { pthread_exit(0); }
        void *f(void *a) { SET return 0; }
        int main(void) { pthread_t t; pthread_create(&t, 0, f, &shared); BEFORE pthread_join(t, 0); USE return 0; }";
    for (set, before, after, expected) in [
        ("p = &v;", "", "*p = 1;", "UNSAFE"),
        ("p = &v; end();", "", "*p = 1;", "UNSAFE"),
        ("p = &v; *p = 1;", "", "v = 1;", "SAFE"),
        ("q = &a;", "", "shared = *q != 0;", "UNSAFE"),
        ("q = &a; end();", "", "shared = *q != 0;", "UNSAFE"),
        ("q = &a; *(int *)*q = 1;", "", "", "SAFE"),
        ("p = a;", "", "*p = 1;", "SAFE"),
    ] {
        let text = text.replace("SET", set).replace("BEFORE", before).replace("USE", after);
        with_rule(Rule::UseAfterFree, &text, expected);
    }
}

/// That a variable was not written yet is part of proofs.
#[test]
fn a_thread_writes_what_was_not_set() {
    let text = "void *f(void *a) { SET return 0; }
        int main(void) { pthread_t t; int x; pthread_create(&t, 0, f, &x); pthread_join(t, 0); return x; }";
    check_rule(Rule::UninitialisedRead, &text.replace("SET", "*(int *)a = 1;"), "SAFE");
    check_rule(Rule::UninitialisedRead, &text.replace("SET", ""), "UNSAFE");
}
