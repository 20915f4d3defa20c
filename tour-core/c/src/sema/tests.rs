//! Small functions and their automata.

use super::LowerOptions;
use super::testing::parse;
use expect_test::{Expect, expect};
use std::fmt::Write;
use tour_ir::cfa::LocKind;
use tour_ir::program::{DataModel, FnId, Program};
use tour_ir::source::{SourceMap, Unit};

/// The automaton of a function: one line for each edge, locations numbered within the function.
fn cfa_text(program: &Program, function: FnId) -> String {
    let mut out = String::new();
    let Some(body) = program.functions[function].body else { return "no body\n".into() };
    let name = |loc: tour_ir::cfa::LocId| match program.cfa.locs[loc].kind {
        LocKind::Plain => format!("{}", loc.index().abs_diff(body.entry.index())),
        LocKind::Entry => "entry".into(),
        LocKind::Exit => "exit".into(),
        LocKind::Error(check) => format!("error[{}]", program.checks[check].message),
        LocKind::End => "end".into(),
    };
    for edge in program.cfa.edges.iter().filter(|e| program.cfa.locs[e.from].function == function) {
        let line = format!("{} -> {}: {}", name(edge.from), name(edge.to), program.show_op(&edge.op));
        writeln!(out, "{}", line.trim_end()).unwrap();
    }
    out
}

/// Everything that is defined in a text, as it stands there.
fn lower(text: &str) -> Program {
    let mut sources = SourceMap::default();
    let unit = sources.add(Unit::plain("test.c", text));
    let parsed = parse(unit, text);
    let entry = if text.contains("int main") { "main" } else { "f" }.to_owned();
    let options = LowerOptions { model: DataModel::Ilp32, entry, ..LowerOptions::default() };
    match super::lower(&[parsed], sources, &options) {
        Ok((program, _)) => program,
        Err(diagnostics) => panic!("{text}: {diagnostics:#?}"),
    }
}

/// The automaton of the function `f` (or `main`) of a text.
fn check(text: &str, want: Expect) {
    let program = lower(text);
    want.assert_eq(&cfa_text(&program, program.entry));
}

#[test]
fn arithmetic_is_converted_as_c_says() {
    check(
        "int f(char c, unsigned u, long long l) { return c + u < l; }",
        expect![[r#"
        entry -> exit: return (long long)((unsigned int)(int)c + u) < l
    "#]],
    );
    check(
        "int f(_Bool b, short s, unsigned char c) { b = s; s += c; c = ~c; return !b << c; }",
        expect![[r#"
        entry -> 2: b = (_Bool)s
        2 -> 3: s = (short)((int)s + (int)c)
        3 -> 4: c = (unsigned char)~((int)c)
        4 -> exit: return ((int)b == 0) << (int)c
    "#]],
    );
    check(
        "enum e { A, B = 4 }; enum e f(enum e x) { x = B; return x == A ? A : x; }",
        expect![[r#"
        entry -> 2: x = 4u
        2 -> 3: [(unsigned int)x == 0u]
        2 -> 4: [!((unsigned int)x == 0u)]
        3 -> 5: $1 = 0u
        4 -> 5: $1 = (unsigned int)x
        5 -> exit: return (enum e)$1
    "#]],
    );
    check(
        "float f(float x, int i) { x = x * 2 + 0.5; i = x; return -x; }",
        expect![[r#"
        entry -> 2: x = (float)((double)(x * 2.0) + 0.5)
        2 -> 3: i = (int)x
        3 -> exit: return -x
    "#]],
    );
    check(
        "unsigned f(void) { return -1 + sizeof(int) * (3 > 2 ? 4 : 1u); }",
        expect![[r#"
            entry -> exit: return 15u
        "#]],
    );
}

#[test]
fn side_effects_are_sequenced() {
    check(
        "int f(int a, int b) { a = b++; return a + (b += 2); }",
        expect![[r#"
            entry -> 2: $1 = b
            2 -> 3: b = $1 + 1
            3 -> 4: a = $1
            4 -> 6: $2 = a
            6 -> 5: b = b + 2
            5 -> exit: return $2 + b
        "#]],
    );
    check(
        "int g(int x, int y) { return x; } int f(int x, int y, int z) { return g(y, x++) + g(++z, 1), x; }",
        expect![[r#"
            entry -> 4: $2 = y
            4 -> 2: $1 = x
            2 -> 3: x = $1 + 1
            3 -> 5: $3 = g($2, $1)
            5 -> 6: z = z + 1
            6 -> 7: $4 = g(z, 1)
            7 -> 8: $5 = $3 + $4
            8 -> exit: return x
        "#]],
    );
    check(
        "int g(void) { return 1; } int i; void f(int *a) { a[i] = g(); a[i] += g(); a[g()]++; }",
        expect![[r#"
        entry -> 3: $2 = a + i
        3 -> 2: $1 = g()
        2 -> 4: *$2 = $1
        4 -> 7: $5 = a + i
        7 -> 6: $4 = *(a + i)
        6 -> 5: $3 = g()
        5 -> 8: *$5 = $4 + $3
        8 -> 10: $7 = a
        10 -> 9: $6 = g()
        9 -> 11: *($7 + $6) = *($7 + $6) + 1
        11 -> exit: return
    "#]],
    );
    check(
        "int f(int x) { int y = ({ int z = x; z++; z + 1; }); return y; }",
        expect![[r#"
        entry -> 2: int y
        2 -> 3: int z
        3 -> 4: z = x
        4 -> 5: z = z + 1
        5 -> 6: y = z + 1
        6 -> exit: return y
    "#]],
    );
}

#[test]
fn short_circuits_are_branches() {
    check(
        "void f(int a, int b) { if (a && (b || !a)) a = 1; else b = 2; }",
        expect![[r#"
            entry -> 2: [a]
            entry -> 5: [!(a)]
            2 -> 4: [b]
            2 -> 3: [!(b)]
            3 -> 5: [a]
            3 -> 4: [!(a)]
            4 -> 6: a = 1
            5 -> 6: b = 2
            6 -> exit: return
        "#]],
    );
    check(
        "int f(int a, int b) { int c = a && b; c = !(a || b); a || b++; return c; }",
        expect![[r#"
            entry -> 2: int c
            2 -> 6: [a]
            2 -> 4: [!(a)]
            6 -> 3: [b]
            6 -> 4: [!(b)]
            3 -> 5: $1 = 1
            4 -> 5: $1 = 0
            5 -> 7: c = $1
            7 -> 8: [a]
            7 -> 11: [!(a)]
            11 -> 8: [b]
            11 -> 9: [!(b)]
            8 -> 10: $2 = 0
            9 -> 10: $2 = 1
            10 -> 12: c = $2
            12 -> 14: [a]
            12 -> 13: [!(a)]
            13 -> 14: b = b + 1
            14 -> exit: return c
        "#]],
    );
    check(
        "int f(int a, int *p) { return a ? *p : a > 3; }",
        expect![[r#"
        entry -> 2: [a]
        entry -> 3: [!(a)]
        2 -> 4: $1 = *p
        3 -> 4: $1 = a > 3
        4 -> exit: return $1
    "#]],
    );
    check(
        "void f(int a) { if (!!(a == 3)) a = 1; if ((a < 3) != 0) a = 2; if (1 || a) a = 4; if (__builtin_expect(!!(a), 0)) a = 5; }",
        expect![[r#"
        entry -> 2: [a == 3]
        entry -> 3: [!(a == 3)]
        2 -> 3: a = 1
        3 -> 4: [a < 3]
        3 -> 5: [!(a < 3)]
        4 -> 5: a = 2
        5 -> 6: a = 4
        6 -> 7: [a]
        6 -> 8: [!(a)]
        7 -> 8: a = 5
        8 -> exit: return
    "#]],
    );
}

#[test]
fn places_are_explicit() {
    check(
        "int f(int *p, int i) { int a[3]; a[i] = *p++; p = a; p[i] = 2[a]; return *(p + 1) - *a + (p - a); }",
        expect![[r#"
        entry -> 2: int[3] a
        2 -> 5: $2 = i
        5 -> 3: $1 = p
        3 -> 4: p = $1 + 1
        4 -> 6: a[$2] = *$1
        6 -> 7: p = a
        7 -> 8: *(p + i) = a[2]
        8 -> exit: return *(p + 1) - a[0] + (p - a)
    "#]],
    );
    check(
        "struct s { int a : 3; unsigned b : 5; struct { int c; }; } ; struct s r; struct s g(void) { return r; } int f(struct s *p, struct s q) { q = *p; p->b -= 7; p->a = q.b + g().c; return (p->b - 10 < 0); }",
        expect![[r#"
        entry -> 2: q = *p
        2 -> 3: p->b = (unsigned int)((int)p->b - 7)
        3 -> 6: $3 = p
        6 -> 5: $2 = (int)q.b
        5 -> 4: $1 = g()
        4 -> 7: $3->a = $2 + $1.<anonymous>.c
        7 -> exit: return (int)p->b - 10 < 0
    "#]],
    );
    check(
        "struct t { char c; int x[4]; }; unsigned f(struct t *p) { int *q = &p->x[1]; return (unsigned)&((struct t *)0)->x[2] + __builtin_offsetof(struct t, x) + sizeof p->x; }",
        expect![[r#"
        entry -> 2: int * q
        2 -> 3: q = &p->x[1]
        3 -> exit: return 32u
    "#]],
    );
    check(
        "int f(int n) { int a[n][3]; a[1][2] = 5; return sizeof a; }",
        expect![[r#"
            entry -> 2: $1 = n
            2 -> 3: [$1 <= 0]
            2 -> 4: [!($1 <= 0)]
            3 -> 4: unsupported: `n` is the length of an array, and not positive
            4 -> 5: $2 = (unsigned int)$1
            5 -> 6: int[3][$2] a
            6 -> 7: a[1][2] = 5
            7 -> exit: return (int)($2 * 12u)
        "#]],
    );
    check(
        "int g(int x) { return x; } int f(int (*h)(int)) { h = g; h = &g; return (*h)(1) + h(2) + (**h)(3); }",
        expect![[r#"
        entry -> 2: h = g
        2 -> 3: h = g
        3 -> 4: $1 = (*h)(1)
        4 -> 5: $2 = (*h)(2)
        5 -> 6: $3 = (*h)(3)
        6 -> exit: return $1 + $2 + $3
    "#]],
    );
}

#[test]
fn declarations_begin_lives() {
    check(
        "struct p { int x, y; char n[4]; }; int f(void) { struct p a = { 1, .n = \"ab\" }; int b[3] = { 1, 2, 3 }; static int c = 7; char t[] = \"hi\"; return a.x + b[0] + c + t[0]; }",
        expect![[r#"
        entry -> 2: struct p a
        2 -> 3: a = {0}
        3 -> 4: a.x = 1
        4 -> 5: a.n = "ab"
        5 -> 6: int[3] b
        6 -> 7: b[0] = 1
        7 -> 8: b[1] = 2
        8 -> 9: b[2] = 3
        9 -> 10: char[3] t
        10 -> 11: t = "hi"
        11 -> exit: return a.x + b[0] + c + (int)t[0]
    "#]],
    );
    check(
        "struct p { int x, y; }; int g(struct p *p) { return 1; } int f(void) { return g(&(struct p){ .y = 2 }); }",
        expect![[r#"
        entry -> 2: struct p (struct p){…}
        2 -> 3: (struct p){…} = {0}
        3 -> 4: (struct p){…}.y = 2
        4 -> 5: $1 = g(&(struct p){…})
        5 -> exit: return $1
    "#]],
    );
    check(
        "void f(int x) { goto in; { int y = 1; in: y = x; } }",
        expect![[r#"
        entry -> 2: y = x
        2 -> exit: return
    "#]],
    );
}

#[test]
fn loops_and_jumps() {
    check(
        "int f(int n) { int s = 0; for (int i = 0; i < n; i++) { if (i == 3) continue; s += i; } return s; }",
        expect![[r#"
            entry -> 2: int s
            2 -> 3: s = 0
            3 -> 4: int i
            4 -> 5: i = 0
            5 -> 7: [i < n]
            5 -> 9: [!(i < n)]
            7 -> 6: [i == 3]
            7 -> 8: [!(i == 3)]
            8 -> 6: s = s + i
            6 -> 5: i = i + 1
            9 -> exit: return s
        "#]],
    );
    check(
        "void f(int n) { do { if (n > 9) break; n++; } while (n); while (1) { } }",
        expect![[r#"
            entry -> 3:
            3 -> 5: [n > 9]
            3 -> 4: [!(n > 9)]
            4 -> 2: n = n + 1
            2 -> 3: [n]
            2 -> 5: [!(n)]
            5 -> 5:
        "#]],
    );
    check(
        "int f(int n) { again: if (n-- > 0) goto again; goto out; n = 4; out: return n; }",
        expect![[r#"
        entry -> 2:
        2 -> 3: $1 = n
        3 -> 4: n = $1 - 1
        4 -> 2: [$1 > 0]
        4 -> 5: [!($1 > 0)]
        5 -> exit: return n
    "#]],
    );
    check(
        "int f(int n) { if (n) return 1; }",
        expect![[r#"
        entry -> 2: [n]
        entry -> 3: [!(n)]
        2 -> exit: return 1
        3 -> 4: $1 = <indeterminate>
        4 -> exit: return $1
    "#]],
    );
    check(
        "int main(void) { }",
        expect![[r#"
        entry -> exit: return 0
    "#]],
    );
    check(
        "void f(int n) { while (n > 0) n--; }",
        expect![[r#"
        entry -> 2:
        2 -> 3: [n > 0]
        2 -> 4: [!(n > 0)]
        3 -> 2: n = n - 1
        4 -> exit: return
    "#]],
    );
}

#[test]
fn switches_are_chains_of_assumptions() {
    check(
        "int f(int x) { switch (x + 1) { case 1: x = 2; case 3 ... 5: x++; break; default: return 7; } return x; }",
        expect![[r#"
            entry -> 2: $1 = x + 1
            3 -> 4: x = 2
            4 -> 8: x = x + 1
            5 -> exit: return 7
            2 -> 3: [$1 == 1]
            2 -> 6: [!($1 == 1)]
            6 -> 7: [$1 >= 3]
            6 -> 5: [!($1 >= 3)]
            7 -> 4: [$1 <= 5]
            7 -> 5: [!($1 <= 5)]
            8 -> exit: return x
        "#]],
    );
    check(
        "void f(int n, char *to) { switch (n % 2) { case 0: do { *to = 1; case 1: *to = 2; } while (--n > 0); } }",
        expect![[r#"
            entry -> 2: $1 = n % 2
            4 -> 5: *to = 1
            5 -> 3: *to = 2
            3 -> 6: n = n - 1
            6 -> 4: [n > 0]
            6 -> 8: [!(n > 0)]
            2 -> 4: [$1 == 0]
            2 -> 7: [!($1 == 0)]
            7 -> 5: [$1 == 1]
            7 -> 8: [!($1 == 1)]
            8 -> exit: return
        "#]],
    );
    check(
        "int f(char c) { switch (c) { case 'a': switch (3) { case 3: break; case 4: c = 2; } return 1; default: return c; } }",
        expect![[r#"
        entry -> 2: $1 = (int)c
        3 -> exit: return 1
        4 -> exit: return (int)c
        2 -> 3: [$1 == 97]
        2 -> 4: [!($1 == 97)]
    "#]],
    );
}

#[test]
fn the_verifiers_functions() {
    check(
        "void __VERIFIER_error(void); int __VERIFIER_nondet_int(void); void f(void) { int x = __VERIFIER_nondet_int(); __VERIFIER_assume(x > 0 && x < 9); if (x == 5) ERROR: __VERIFIER_error(); assert(x < 3 && x); abort(); x = 3; }",
        expect![[r#"
            entry -> 2: int x
            2 -> 3: x = <input>
            3 -> 4: [x > 0]
            4 -> 5: [x < 9]
            5 -> error[label `ERROR`]: [x == 5]
            5 -> 7: [!(x == 5)]
            7 -> 8: [x < 3]
            7 -> error[assertion `x < 3 && x`]: [!(x < 3)]
            8 -> end: [x]
            8 -> error[assertion `x < 3 && x`]: [!(x)]
        "#]],
    );
    check(
        "_Bool __VERIFIER_nondet_bool(void); void f(int x) { if (__VERIFIER_nondet_bool()) x = 1; x = __VERIFIER_nondet_bool(); reach_error(); }",
        expect![[r#"
            entry -> 2: $1 = <input>
            2 -> 3: [$1]
            2 -> 4: [!($1)]
            3 -> 4: x = 1
            4 -> 5: $2 = <input>
            5 -> error[call of `reach_error`]: x = (int)$2
        "#]],
    );
    check(
        "void __assert_fail(const char *, const char *, unsigned, const char *); void f(int x) { ((x > 1) ? (void)0 : __assert_fail(\"x > 1\", \"a.c\", 3, \"f\")); }",
        expect![[r#"
            entry -> 3: [x > 1]
            entry -> error[assertion `x > 1`]: [!(x > 1)]
            3 -> exit: return
        "#]],
    );
}

#[test]
fn builtins_have_their_meaning() {
    check(
        "int f(unsigned x) { return __builtin_ctz(x); }",
        expect![[r#"
            entry -> 2: $1 = x
            2 -> 3: [$1 == 0u]
            2 -> 4: [!($1 == 0u)]
            3 -> 4: unsupported: `__builtin_ctz` is asked for the bits of zero
            4 -> 5: $2 = ~$1 & $1 - 1u
            5 -> 6: $3 = ($2 & 1431655765u) + ($2 >> 1 & 1431655765u)
            6 -> 7: $4 = ($3 & 858993459u) + ($3 >> 2 & 858993459u)
            7 -> 8: $5 = ($4 & 252645135u) + ($4 >> 4 & 252645135u)
            8 -> 9: $6 = ($5 & 16711935u) + ($5 >> 8 & 16711935u)
            9 -> 10: $7 = ($6 & 65535u) + ($6 >> 16 & 65535u)
            10 -> exit: return (int)$7
        "#]],
    );
    check(
        "int f(int a, int b) { int r; if (__builtin_add_overflow(a, b, &r)) return 0; return r; }",
        expect![[r#"
            entry -> 2: int r
            2 -> 3: $1 = (__int128)a + (__int128)b
            3 -> 4: r = (int)$1
            4 -> 5: [(__int128)(int)$1 != $1]
            4 -> 6: [!((__int128)(int)$1 != $1)]
            5 -> exit: return 0
            6 -> exit: return r
        "#]],
    );
    check(
        "int f(int x) { return __builtin_constant_p(3) + __builtin_constant_p(x) + __builtin_choose_expr(1, x, 2.0) + abs(x); }",
        expect![[r#"
            entry -> 2: $2 = <order of evaluation>
            2 -> 3: [$2 == 0]
            2 -> 4: [!($2 == 0)]
            3 -> 5: $1 = 0
            4 -> 6: $3 = <not computed>
            6 -> 5: $1 = $3 != 0
            5 -> 7: $4 = x
            7 -> 8: [$4 < 0]
            7 -> 9: [!($4 < 0)]
            8 -> 10: $5 = -$4
            9 -> 10: $5 = $4
            10 -> exit: return 1 + $1 + x + $5
        "#]],
    );
    check(
        "void f(char *d, char *s) { __builtin_memcpy(d, s, 4); __builtin_prefetch(d); __builtin_unreachable(); }",
        expect![[r#"
            entry -> 2: memcpy((void *)d, (void *)s, 4u)
            2 -> end: unsupported: `__builtin_unreachable()` is reached
        "#]],
    );
}

#[test]
fn assembly_says_what_it_changes() {
    check(
        "int f(int x, int *p) { int y; __asm__(\"inc %1; mov %1, %0\" : \"=r\"(y), \"+m\"(*p) : \"r\"(x)); return y; }",
        expect![[r#"
            entry -> 2: int y
            2 -> 3: y = <not computed>
            3 -> 4: *p = <not computed>
            4 -> exit: return y
        "#]],
    );
    check(
        "int *f(int *p) { int *q; __asm__(\"\" : \"=r\"(q) : \"0\"(p)); __asm__(\"lock; addl $0,0(%%esp)\" : : : \"memory\"); return q; }",
        expect![[r#"
            entry -> 2: int * q
            2 -> 3: q = p
            3 -> exit: return q
        "#]],
    );
    // What changes memory can change anything, and a pointer can lead anywhere.
    check(
        "int *f(int x) { int *q; __asm__(\"xchg %0, %1\" : \"+r\"(x) : : \"memory\"); __asm__(\"mov %1, %0\" : \"=r\"(q) : \"0\"(x)); return q; }",
        expect![[r#"
            entry -> 2: int * q
            2 -> 3: unsupported: inline assembly is not modelled
            3 -> 4: unsupported: inline assembly is not modelled
            4 -> exit: return q
        "#]],
    );
}

#[test]
fn orders_that_c_leaves_open_are_inputs() {
    check(
        "int n; int g(void) { return ++n; } int f(void) { return n + g(); }",
        expect![[r#"
        entry -> 2: $1 = <order of evaluation>
        2 -> 5: [$1 == 0]
        2 -> 4: [!($1 == 0)]
        5 -> 6: $2 = g()
        6 -> 7: $3 = $2
        7 -> 3: $4 = n
        4 -> 8: $4 = n
        8 -> 9: $5 = g()
        9 -> 3: $3 = $5
        3 -> exit: return $4 + $3
    "#]],
    );
    check(
        "int f(int i) { i = i++; return i; }",
        expect![[r#"
        entry -> 2: unsupported: `i = i++` is not ordered with another use of what it accesses
        2 -> 3: $1 = i
        3 -> 4: i = $1 + 1
        4 -> 5: i = $1
        5 -> exit: return i
    "#]],
    );
    check(
        "void g(int); int f(int *p, int a[4]) { g(*p); g(a[1] / 2); g(1); return 0; }",
        expect![[r#"
        5 -> 2:
        6 -> 3:
        3 -> 4:
        4 -> exit: return 0
        entry -> 5: $argument = *p
        2 -> 6: $argument = *(a + 1) / 2
    "#]],
    );
}

#[test]
fn what_is_not_modelled_is_an_edge() {
    check(
        "int f(int x) { __asm__(\"hlt\"); __asm__ volatile(\"\" : : : \"memory\"); x = 2 + __sync_fetch_and_add(&x, 1); if (__builtin_frob(x)) x = 1; return x; }",
        expect![[r#"
            entry -> 2: unsupported: inline assembly is not modelled
            2 -> 3: __tour_atomic_begin()
            3 -> 4: $1 = x
            4 -> 5: x = (int)((unsigned int)$1 + 1u)
            5 -> 6: __tour_atomic_end()
            6 -> 7: x = 2 + $1
            7 -> 8: unsupported: `__builtin_frob` is not modelled
            8 -> 9: x = 1
            8 -> 9:
            9 -> exit: return x
        "#]],
    );
}

#[test]
fn variable_arguments_are_slots() {
    let program = lower(
        "int f(int n, ...) { __builtin_va_list ap; __builtin_va_start(ap, n); return __builtin_va_arg(ap, int); }
         int main(void) { return f(1, 2.5, &f); }",
    );
    let f = program.function("f").expect("f");
    expect![[r#"
        entry -> 5: struct __va_slot[3] $args
        2 -> exit: return $1
        5 -> 6: $args[0].kind = 3
        6 -> 7: $args[0].real = 2.5
        7 -> 8: $args[1].kind = 4
        8 -> 9: $args[1].pointer = (void *)f
        9 -> 10: $args[2].kind = 0
        10 -> 11: $passed = $args
        11 -> 12: $1 = f(1, 2.5, f)
        12 -> 13: $passed = NULL
        13 -> 2: end of $args
    "#]]
    .assert_eq(&cfa_text(&program, program.entry));
    expect![[r#"
        13 -> 11: struct __va_slot * ap
        11 -> 10: ap = $...
        10 -> 9: $1 = ap
        9 -> 8: [$1 != NULL]
        9 -> 6: [!($1 != NULL)]
        8 -> 7: [$1->kind == 1]
        8 -> 6: [!($1->kind == 1)]
        6 -> 7: unsupported: `va_arg` of an argument that was not passed, or not with this type
        7 -> 5: $2 = (int)$1->integer
        5 -> 4: ap = $1 + 1
        4 -> exit: return $2
        entry -> 1: $... = $passed
        1 -> 13: $passed = NULL
    "#]]
    .assert_eq(&cfa_text(&program, f));
    let program = lower(
        "int f(int n, ...) { __builtin_va_list ap; __builtin_va_start(ap, n); return __builtin_va_arg(ap, int); }
         int main(void) { return f(1, 'c', 2ll); }",
    );
    let f = program.function("f").expect("f");
    expect![[r#"
        entry -> 3: struct __va_slot[3] $args
        2 -> exit: return $1
        3 -> 4: $args[0].kind = 1
        4 -> 5: $args[0].integer = (unsigned long long)99
        5 -> 6: $args[1].kind = 2
        6 -> 7: $args[1].integer = (unsigned long long)2
        7 -> 8: $args[2].kind = 0
        8 -> 9: $1 = f(1, $args)
        9 -> 2: end of $args
    "#]]
    .assert_eq(&cfa_text(&program, program.entry));
    expect![[r#"
        entry -> 2: struct __va_slot * ap
        2 -> 3: ap = $...
        3 -> 4: $1 = ap
        4 -> 5: [$1 != NULL]
        4 -> 7: [!($1 != NULL)]
        5 -> 6: [$1->kind == 1]
        5 -> 7: [!($1->kind == 1)]
        7 -> 6: unsupported: `va_arg` of an argument that was not passed, or not with this type
        6 -> 8: $2 = (int)$1->integer
        8 -> 9: ap = $1 + 1
        9 -> exit: return $2
    "#]]
    .assert_eq(&cfa_text(&program, f));
    // As tools write it that transform C.
    check(
        "typedef __builtin_va_list once[1U]; typedef once list[1U]; struct __va_list_tag;
         int f(int n, ...) { list ap; __builtin_va_start((struct __va_list_tag *)(& ap)); return __builtin_va_arg(ap, int); }",
        expect![[r#"
            10 -> 8: struct __va_slot *[1][1] ap
            8 -> 7: ap[0][0] = $...
            7 -> 6: $1 = ap[0][0]
            6 -> 5: [$1 != NULL]
            6 -> 3: [!($1 != NULL)]
            5 -> 4: [$1->kind == 1]
            5 -> 3: [!($1->kind == 1)]
            3 -> 4: unsupported: `va_arg` of an argument that was not passed, or not with this type
            4 -> 2: $2 = (int)$1->integer
            2 -> 1: ap[0][0] = $1 + 1
            1 -> exit: return $2
            entry -> 1: $... = $passed
            1 -> 10: $passed = NULL
        "#]],
    );
    // Who only passes the list on to others reads nothing.
    let program = lower(
        "int g(__builtin_va_list);
         int f(int n, ...) { __builtin_va_list ap; __builtin_va_start(ap, n); return g(ap); }
         int main(void) { return f(1, 2); }",
    );
    expect![[r#"
        entry -> 2: $1 = f(1, 2)
        2 -> exit: return $1
    "#]]
    .assert_eq(&cfa_text(&program, program.entry));
}
