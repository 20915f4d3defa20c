//! Undefined behaviour of rules that are not checked: no claim of a program that has it is decided. Each program has a
//! twin that is fine, whose claim is proved: a guard may not stand in its way.

use std::time::Duration;
use tour_core::LoadOptions;
use tour_core::analysis::{prepare, verify};
use tour_core::context::Context;
use tour_core::front::Input;
use tour_core::limits::{Ended, Limits, supervise};
use tour_core::program::{DataModel, Rule};

const DECLARATIONS: &str = "
    void reach_error(void); int input(void); typedef unsigned long size_t; void *malloc(size_t); void *memcpy(void *, const void *, size_t);
    int snprintf(char *, size_t, const char *, ...); int sscanf(const char *, const char *, ...);
    char *strcpy(char *, const char *); void *memset(void *, int, size_t);
    struct s { int a[2]; int b; }; struct text { char a[4]; char b[4]; }; struct three { char a[3]; };
    struct one { int x, y; }; struct other { int x, y; }; static struct three threes[8]; static int rows[2][4];
    static int count;
";

/// Time for a program that is not decided: more would change nothing.
const SHORT: Duration = Duration::from_millis(300);

/// Time for one that is.
const LONG: Duration = Duration::from_secs(20);

fn verdict(rules: &[Rule], program: &str, time: Duration) -> String {
    let program = program.replace("assert(", "if (!(").replace(");!", ")) reach_error();");
    let text = format!("{DECLARATIONS} {program}");
    let options = LoadOptions::new(DataModel::Lp64);
    let program =
        tour_core::load(&[Input::text("a.i", text)], &options).unwrap_or_else(|error| panic!("{error}"));
    let program = prepare(program, rules);
    let context = Context::default();
    let own = context.clone();
    let limits = Limits { time: Some(time), memory: None };
    match supervise(limits, &context.interrupt, move || verify(&program, &own).to_string()) {
        Ended::Returned(verdict) => verdict,
        Ended::Stuck(reason) => format!("UNKNOWN ({reason:?})"),
        Ended::Panicked => "a panic".to_owned(),
    }
}

/// What is undefined, and the same without it. `assert(e);!` is the claim.
const PROGRAMS: &[(&str, &str)] = &[
    // Arithmetic.
    (
        "int main(void) { unsigned n = 32 + (input() & 0); assert(1u << n == 0);! return 0; }",
        "int main(void) { unsigned n = 31 & input(); assert(1u << n != 0);! return 0; }",
    ),
    (
        "int main(void) { unsigned n = input() & 0; assert(1 / n == ~0u);! return 0; }",
        "int main(void) { unsigned n = input() | 1; assert(1 / n < 2);! return 0; }",
    ),
    (
        "int main(void) { int a = (-2147483647 - 1) + (input() & 0), b = input() | -1; assert(a / b == a);! return 0; }",
        "int main(void) { int b = input() | -1; assert(7 / b == -7);! return 0; }",
    ),
    // Indices and pointers that leave an inner array.
    (
        "int main(void) { struct s x; int i = 2; x.b = 1; x.a[i] = 0; assert(x.b == 0);! return 0; }",
        "int main(void) { struct s x; int i = 1; x.b = 1; x.a[i] = 0; assert(x.b == 1);! return 0; }",
    ),
    (
        "int main(void) { int *p = rows[0]; rows[1][0] = 1; p[4] = 0; assert(rows[1][0] == 0);! return 0; }",
        "int main(void) { int *p = rows[0]; rows[1][0] = 1; p[3] = 0; assert(rows[1][0] == 1);! return 0; }",
    ),
    (
        "int main(void) { struct text x; strcpy(x.b, \"zz\"); strcpy(x.a, \"abcdef\"); assert(x.b[0] == 'e');! return 0; }",
        "int main(void) { struct text x; strcpy(x.b, \"zz\"); strcpy(x.a, \"abc\"); assert(x.b[0] == 'z');! return 0; }",
    ),
    (
        "int main(void) { struct one x = {1, 2}; int *p = &x.x; p[1] = 3; assert(x.y == 3);! return 0; }",
        "int main(void) { struct one x = {1, 2}; struct one *p = (struct one *)((char *)&x.y - 4); assert(p->x == 1);! \
         return 0; }",
    ),
    (
        "int main(void) { struct three *p = (struct three *)((char *)threes + 2); assert(p - threes == 0);! return 0; }",
        "int main(void) { struct three *p = (struct three *)((char *)threes + 3); assert(p - threes == 1);! return 0; }",
    ),
    // `_Bool`
    (
        "int main(void) { _Bool b; memset(&b, 2, 1); int r = b; assert(r == 1);! return 0; }",
        "int main(void) { _Bool b; memset(&b, 1, 1); int r = b; assert(r == 1);! return 0; }",
    ),
    (
        "int main(void) { union { _Bool b; unsigned char c; } u; u.c = 2 | input(); int r = u.b; assert(r == 1);! return 0; }",
        "int main(void) { union { _Bool b; unsigned char c; } u; u.c = 1 & input(); int r = u.b; assert(r == u.c);! \
         return 0; }",
    ),
    (
        "int main(void) { _Bool b; int r = 0; if (b) r |= 1; if (!b) r |= 2; assert(r == 1 || r == 2);! return 0; }",
        "int main(void) { _Bool b = input(); int r = 0; if (b) r |= 1; if (!b) r |= 2; assert(r == 1 || r == 2);! \
         return 0; }",
    ),
    // Copies that overlap.
    (
        "int main(void) { char a[8] = \"abc\"; snprintf(a, 8, \"%s\", a); assert(a[0] == 'a');! return 0; }",
        "int main(void) { char a[8] = \"abc\", b[8]; snprintf(b, 8, \"%s\", a); assert(b[0] == 'a');! return 0; }",
    ),
    (
        "int main(void) { char a[8] = \"abc\"; sscanf(a, \"%s\", a); assert(a[0] == 'a');! return 0; }",
        "int main(void) { struct text x; strcpy(x.a, \"abc\"); sscanf(x.a, \"%3s\", x.b); assert(x.b[0] == 'a');! return 0; }",
    ),
    // Objects as what they are not.
    (
        "static int f(int *i, short *s) { *i = 0x10001; *s = 0; return *i; } \
         int main(void) { int x; assert(f(&x, (short *)&x) == 0x10000);! return 0; }",
        "static int f(int *i, char *s) { *i = 0x10001; *s = 0; return *i; } \
         int main(void) { int x; assert(f(&x, (char *)&x) == 0x10000);! return 0; }",
    ),
    (
        "static int f(struct one *i, struct other *s) { i->y = 1; s->y = 0; return i->y; } \
         int main(void) { struct one x; assert(f(&x, (struct other *)&x) == 0);! return 0; }",
        "static int f(struct one *i, struct one *s) { i->y = 1; s->y = 0; return i->y; } \
         int main(void) { struct one x; assert(f(&x, &x) == 0);! return 0; }",
    ),
    // Lives: the object is the same one after a jump backwards.
    (
        "int main(void) { int c = 0, *p = 0; again:; int a = c; if (p) { assert(*p == 0);! return 0; } \
         p = &a; c = 1; goto again; }",
        "int main(void) { int c = 0; while (c < 2) { int a = c, *p = &a; assert(*p == c);! c++; } return 0; }",
    ),
    // What attributes promise.
    (
        "_Noreturn static void f(void) { count = 1; } int main(void) { f(); assert(count == 1);! return 0; }",
        "_Noreturn static void f(void) { for (;;) count = 1; } int main(void) { if (count) f(); assert(!count);! return 0; }",
    ),
    (
        "__attribute__((nonnull)) static int f(int *p) { return 0; } \
         int main(void) { int *p = 0; f(p); assert(!p);! return 0; }",
        "__attribute__((nonnull)) static int f(int *p) { return 0; } int main(void) { int *p = &count; f(p); assert(p);! \
         return 0; }",
    ),
    (
        "void g(int, int *) __attribute__((nonnull(2))); int main(void) { int *p = 0; g(1, p); assert(!p);! return 0; }",
        "void g(int *, int *) __attribute__((nonnull(2))); int main(void) { int *p = 0; g(p, &count); assert(!p);! return 0; }",
    ),
    (
        "__attribute__((returns_nonnull)) static int *f(int *p) { return p; } \
         int main(void) { int *p = f(0); assert(!p);! return 0; }",
        "__attribute__((returns_nonnull)) static int *f(int *p) { return p; } \
         int main(void) { int *p = f(&count); assert(p);! return 0; }",
    ),
    (
        "__attribute__((pure)) static int f(int x) { count++; return x; } \
         int main(void) { f(1); f(1); assert(count == 2);! return 0; }",
        "__attribute__((pure)) static int f(int x) { int s = 0; for (int i = 0; i < 3; i++) s += count + x; return s; } \
         int main(void) { count = 1; assert(f(1) == 6);! return 0; }",
    ),
    (
        "__attribute__((const)) static int f(int x) { return count + x; } \
         int main(void) { count = 1; int a = f(1); count = 2; assert(f(1) != a);! return 0; }",
        "static const int two = 2; __attribute__((__const__)) static int f(int x) { return two + x; } \
         int main(void) { assert(f(1) == 3);! return 0; }",
    ),
    (
        "static char buf[4]; __attribute__((malloc)) static char *f(void) { return buf; } \
         int main(void) { buf[0] = 1; char *p = f(); *p = 2; assert(buf[0] == 2);! return 0; }",
        "static char buf[4]; __attribute__((malloc)) static char *f(void) { char *p = malloc(4); return p; } \
         int main(void) { buf[0] = 1; char *p = f(); *p = 2; assert(buf[0] == 1);! return 0; }",
    ),
    (
        "int main(void) { _Alignas(16) char a[32] = {0}; char *p = __builtin_assume_aligned(a + 1, 16); \
         assert(((size_t)p & 15) != 0);! return 0; }",
        "int main(void) { _Alignas(16) char a[32] = {0}; char *p = __builtin_assume_aligned(a + 16, 16); \
         assert(((size_t)p & 15) == 0);! return 0; }",
    ),
];

#[test]
fn nothing_is_decided_behind_undefined_behaviour() {
    let wrong: Vec<String> = (PROGRAMS.iter())
        .map(|(undefined, _)| format!("{}: {undefined}", verdict(&Rule::STATED, undefined, SHORT)))
        .filter(|found| !found.starts_with("UNKNOWN"))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn guards_stand_in_no_ones_way() {
    let wrong: Vec<String> = (PROGRAMS.iter())
        .map(|(_, defined)| format!("{}: {defined}", verdict(&Rule::STATED, defined, LONG)))
        .filter(|found| !found.starts_with("SAFE"))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Where the rule is checked, it is a violation or unsupported.
#[test]
fn nothing_undefined_is_free_of_undefined_behaviour() {
    let rules = Rule::named("undefined-behaviour").expect("a property");
    let wrong: Vec<String> = (PROGRAMS.iter())
        .map(|(undefined, _)| format!("{}: {undefined}", verdict(&rules, undefined, SHORT)))
        .filter(|found| !found.starts_with("UNKNOWN") && !found.starts_with("UNSAFE"))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
