//! Harnesses in text, with the C that they call, and what is to come out.

use super::*;
use crate::harness::items::Package;
use std::path::Path;
use tour_engine::analysis::{self};
use tour_engine::context::Context;
use tour_evidence::verdict::Verdict;
use tour_interp::interp::{Fixed, Image, Options, Outcome, Unobserved};
use tour_ir::program::DataModel;
use tour_ir::program::Rule;

/// The harness `h` of a text.
pub(super) fn source(text: &str) -> HarnessSource {
    let mut sources = SourceMap::default();
    let parsed = Items::parse(Path::new("h.rs"), text, Vec::new(), &mut sources)
        .unwrap_or_else(|error| panic!("{text}: {error}"));
    let function = find_function(&parsed.syntax.items, &[], "h", 0).expect("a function `h`").clone();
    let package = Package {
        manifest_dir: Path::new("/nowhere"),
        out_dir: None,
        crate_names: vec!["demo".into()],
        file: Path::new("h.rs"),
    };
    let items = Items::find(&package, &[], Some(&parsed), function.to_token_stream(), &mut sources);
    let home = Home { unit: parsed.unit, module: Vec::new() };
    HarnessSource { function, home, items, sources }
}

pub(crate) fn lower(rust: &str, c: &str) -> Result<Lowered, FrontError> {
    let inputs = if c.is_empty() { Vec::new() } else { vec![Input::text("a.i", c)] };
    source(rust).lower(&inputs, &FrontOptions::new(DataModel::Lp64), LowerOptions::default())
}

fn verdict(rust: &str, c: &str) -> String {
    let lowered = match lower(rust, c) {
        Ok(lowered) => lowered,
        Err(error) => return error.to_string(),
    };
    let lowered = lowered.prepared(&Rule::STATED);
    match analysis::verify(&lowered.program, &Context::default()) {
        Verdict::Violated(found) => {
            let check = &lowered.program.checks[found.check];
            format!("{}: {}", lowered.program.sources.display(check.span), check.message)
        }
        other => other.to_string(),
    }
}

#[track_caller]
fn check(rust: &str, c: &str, want: &str) {
    assert_eq!(verdict(rust, c), want, "{rust}\n{c}");
}

/// A harness with a body and no C.
#[track_caller]
fn body(params: &str, body: &str, want: &str) {
    let text = format!("fn h({params}) {{ {body} }}");
    let got = verdict(&text, "");
    let got = got.split_once(": ").map_or(got.as_str(), |(_, message)| message);
    assert_eq!(got, want, "{text}");
}

#[test]
fn arithmetic_panics_where_rust_does() {
    body("x: u8", "let y = x + 1;", "attempt to add with overflow");
    body("x: u8", "assume(x < 255); let y = x + 1; assert!(y > x);", "SAFE");
    body("x: i8, y: i8", "let z = x - y;", "attempt to subtract with overflow");
    body("x: i8", "let y = -x;", "attempt to negate with overflow");
    body("x: u8, y: u8", "assume(y != 0); let z = x / y; let w = x % y; assert!(w < y);", "SAFE");
    body("x: u8, y: u8", "let z = x / y;", "attempt to divide by zero");
    body("x: i8, y: i8", "assume(y != 0); let z = x / y;", "attempt to divide with overflow");
    body("x: u8, n: u32", "let y = x << n;", "attempt to shift left with overflow");
    body("x: u8, n: u32", "assume(n < 8); let y = x >> n; assert!(y <= x);", "SAFE");
    body("x: u16", "assert_eq!(x.wrapping_add(1).wrapping_sub(1), x);", "SAFE");
    body("x: u8", "let y = x as i8; assert_eq!(y as u8, x);", "SAFE");
    body("x: i8", "assert_eq!(x as i32 as i8, x); assert_eq!(x as u8 as i8, x);", "SAFE");
    body("x: u8, y: u8", "let z = x * y;", "attempt to multiply with overflow");
}

#[test]
fn types_are_inferred_from_their_use() {
    body("n: u64", "let mut i = 0; while i < n { i += 1; if i == 3 { break; } } assert!(i <= 3);", "SAFE");
    body("x: u8", "let mut a = [0; 4]; a[1] = x; assert_eq!(a[1], x);", "SAFE");
    body("x: u8", "let y = 300; assert!(x as i32 <= y);", "SAFE");
    body("", "let x = 200 + 100; assert_eq!(x, 300);", "SAFE");
    body("x: u16", "let s = x.checked_add(1); if let Some(y) = s { assert!(y > 0); }", "SAFE");
}

#[test]
fn control_flow() {
    body("x: u8", "let y = if x > 9 { 1 } else { 2 }; assert!(y != 3);", "SAFE");
    body("x: u8", "let y = match x { 0 => 1, 1..=9 => 2, b'a' | 100 => 3, _ => 4 }; assert!(y < 5);", "SAFE");
    body("x: i8", "match x { -128..=-1 => assert!(x < 0), 0 => {}, n => assert!(n > 0) }", "SAFE");
    body(
        "x: u8",
        "let mut n = 0u8; for i in 0..5 { if i == x { continue; } n += 1; } assert!(n >= 4);",
        "SAFE",
    );
    body("", "let mut s = 0; for i in (1..=3).rev() { s = s * 10 + i; } assert_eq!(s, 321);", "SAFE");
    body("", "let mut n = 0; for i in 250u8..=255 { n += 1; } assert_eq!(n, 6);", "SAFE");
    body("", "let mut n = 0; for i in 5..5 { n += 1; } for i in 5..=4 { n += 1; } assert_eq!(n, 0);", "SAFE");
    body(
        "x: bool",
        "let r = 'a: loop { loop { if x { break 'a 1; } else { break 'a 2; } } }; assert!(r == 1 || !x);",
        "SAFE",
    );
    body("x: u8", "if x == 7 { return; } assert!(x != 7);", "SAFE");
    body("x: u8", "let y = { let z = x; z }; let w = loop { break y; }; assert_eq!(w, x);", "SAFE");
    body("x: u8", "if x > 3 && x < 10 || x == 200 { assert!(x >= 4); } else { panic!(\"no\") }", "no");
    body("x: u8", "match x { 5 => unreachable!(), _ => {} }", "entered unreachable code");
}

#[test]
fn arrays_slices_tuples_and_options() {
    body("i: usize", "let a = [1u8, 2, 3]; let x = a[i];", "index out of bounds");
    body("i: usize", "assume(i < 3); let a = [7u8; 3]; assert_eq!(a[i], 7);", "SAFE");
    body("a: [u8; 3]", "let b = a; assert_eq!(a, b); assert_eq!(a.len(), 3);", "SAFE");
    body(
        "a: [u8; 2]",
        "assert!(a[0] != 9 || a[1] != 9, \"both\");",
        "assertion `a[0] != 9 || a[1] != 9`: both",
    );
    body("x: u8", "let t = (x, true); let (y, z) = t; assert!(z && t.0 == y);", "SAFE");
    body(
        "x: u8",
        "let (y, o) = x.overflowing_add(1); assert!(o == (x == 255)); assert!(o || y == x + 1);",
        "SAFE",
    );
    body("x: u8", "assert_eq!(x.checked_sub(200).is_some(), x >= 200);", "SAFE");
    body("x: u8", "let y = x.checked_mul(2).unwrap();", "called `unwrap` on a `None` value");
    body(
        "x: i8",
        "assert!(x.saturating_add(100) >= x || x > 27); assert!(x.saturating_sub(1) <= x);",
        "SAFE",
    );
    body("x: u8, y: u8", "assert!(x.min(y) <= x.max(y)); assert!(x.abs_diff(y) == y.abs_diff(x));", "SAFE");
}

#[test]
fn what_another_crate_does_is_not_guessed() {
    check("use other::any; fn h() { let x: u8 = any(); }", "", "h.rs:1:38: the function `any` is not known");
    check(
        "#[repr(C)] struct S { a: u8 } impl Drop for S { fn drop(&mut self) {} } fn h() { let s: S; }",
        "",
        "h.rs:1:19: `S` has a destructor, which a harness does not run",
    );
    let clone = "#[repr(C)] struct S { a: u8 } fn h(s: S) { let t = s.clone(); }";
    check(clone, "", "h.rs:1:54: `clone` is not supported in a harness");
}

#[test]
fn errors_are_reported_in_the_users_file() {
    check("fn h() { f(1); }\nfn f(x: u8) {}", "", "h.rs:1:10: `f` is not marked `#[tour::spec]`");
    check("fn h() { g(1); }", "", "h.rs:1:10: the function `g` is not known");
    check("fn h() { let x = Y; }", "", "h.rs:1:18: `Y` is not known");
    check("struct S { a: u8 } fn h() { let s: S; }", "", "h.rs:1:8: the layout of `S` is not fixed");
    check("fn h(x: E) {} enum E { A }", "", "h.rs:1:9: `E` is an enumeration, which a harness can't use");
    check(
        "fn h() { let f = |x| x; }",
        "",
        "h.rs:1:18: closures are not supported in a harness; integers, booleans, arrays, `#[repr(C)]` structs, pointers, `if`, `match`, loops, calls of `extern \"C\"` and `#[spec]` functions, and assertions are",
    );
}

const RING: &str = "struct ring { unsigned char buf[4]; unsigned head, len; };
    int add(int a, int b) { return a + b; }
    unsigned char first(const unsigned char *p) { return p[0]; }
    void push(struct ring *r, unsigned char x) { r->buf[(r->head + r->len) % 4] = x; r->len++; }
    int pop(struct ring *r) { if (r->len == 0) return -1; int x = r->buf[r->head]; r->head = (r->head + 1) % 4;
      r->len--; return x; }
    int count;
    void tick(void) { count++; }";

const BINDINGS: &str = "
    #[repr(C)] struct ring { buf: [u8; 4], head: u32, len: u32 }
    extern \"C\" { fn add(a: i32, b: i32) -> i32; fn push(r: *mut ring, x: u8); fn pop(r: *mut ring) -> i32;
                   fn first(p: *const u8) -> u8; fn tick(); static mut count: i32; }\n";

/// The interpreter's outcome with given inputs.
fn outcome(harness: &str, inputs: &[u128]) -> String {
    let text = format!("{BINDINGS}{harness}");
    let lowered = lower(&text, RING).unwrap_or_else(|error| panic!("{error}"));
    let program = &lowered.program;
    let mut fixed = Fixed::new(inputs.iter().copied());
    let run = Image::new(program).run(&mut fixed, &Options::default(), &mut Unobserved);
    match run.outcome {
        Outcome::Error(check) => program.checks[check].message.clone(),
        Outcome::Exited(_) => "ends".into(),
        Outcome::AssumeFailed(_) => "assume".into(),
        other => format!("{other:?}"),
    }
}

#[test]
fn rust_and_c_are_one_program() {
    check(
        &format!("{BINDINGS} fn h(x: i32) {{ assume(x < 100); assert!(unsafe {{ add(x, 1) }} > x); }}"),
        RING,
        "SAFE",
    );
    let round = "fn h(x: u8) { let mut r = ring { buf: [0; 4], head: 3, len: 0 };
        unsafe { push(&mut r, x); push(&mut r, 7); }
        assert_eq!(r.len, 2);
        assert_eq!(unsafe { pop(&mut r) }, x as i32);
        assert_eq!(unsafe { pop(&raw mut r) }, 7);
        assert_eq!(unsafe { pop(&mut r) }, -1); }";
    assert_eq!(outcome(round, &[200]), "ends");
    let wrong = "fn h(x: u8) { let mut r: ring = unsafe { core::mem::zeroed() };
        unsafe { push(&mut r, x) }; assert!(unsafe { pop(&mut r) } != 9, \"nine\"); }";
    assert_eq!(outcome(wrong, &[9]), "assertion `unsafe { pop(&mut r) } != 9`: nine");
    assert_eq!(outcome(wrong, &[8]), "ends");
    let pointers = "fn h(i: usize) { assume(i < 3); let a = [5u8, 6, 7]; let p = a.as_ptr();
        assert_eq!(unsafe { *p.add(i) }, unsafe { first(&a[i]) });
        let s = &a[1..]; assert_eq!(s.len(), 2); assert_eq!(unsafe { first(s.as_ptr()) }, 6);
        assert_eq!(unsafe { first(b\"xyz\".as_ptr()) }, b'x'); assert!(!p.is_null()); }";
    assert_eq!(outcome(pointers, &[2]), "ends");
    assert_eq!(outcome(pointers, &[3]), "assume");
    let global = "fn h() { unsafe { count = 3; tick(); tick(); assert_eq!(count, 5); } }";
    assert_eq!(outcome(global, &[]), "ends");
    let uninit = "fn h(x: u8) { let mut r = MaybeUninit::<ring>::uninit();
        unsafe { (*r.as_mut_ptr()).len = 0; (*r.as_mut_ptr()).head = 1; push(r.as_mut_ptr(), x); }
        let r = unsafe { r.assume_init() }; assert_eq!(r.buf[1], x); }";
    assert_eq!(outcome(uninit, &[77]), "ends");
}

#[test]
fn spec_functions_are_part_of_the_harness() {
    let spec = "#[tour::spec] fn fill(a: &mut [u8], x: u8) -> usize {
            let mut n = 0; for i in 0..a.len() { a[i] = x; n += 1; } n }
        #[spec] fn make(n: u32) -> ring { ring { head: n, ..unsafe { core::mem::zeroed() } } }
        #[spec] fn twice(x: u32) -> u32 { if x == 0 { return 0; } twice(x - 1) + 2 }
        const FOUR: usize = 2 + 2;
        fn h(x: u8) { let mut a = [0; FOUR]; assert_eq!(fill(&mut a, x), FOUR); assert_eq!(a, [x; 4]);
            assert_eq!(make(3).head, 3); assert_eq!(twice(5), 10); assert_eq!(fill(&mut a[1..2], 0), 1);
            assert_eq!(a[1], 0); assert!(a[2] == x); }";
    assert_eq!(outcome(spec, &[9]), "ends");
}

#[test]
fn variable_arguments_are_passed() {
    let c =
        "int sum(int n, ...) { __builtin_va_list l; __builtin_va_start(l, n); n += __builtin_va_arg(l, int);
        n += __builtin_va_arg(l, int); n += (int)__builtin_va_arg(l, long long); return n; }";
    let text = |claim: &str| {
        format!(
            "extern \"C\" {{ fn sum(n: i32, ...) -> i32; }}
             fn h(x: i32) {{ assume(x > -9 && x < 9); let y: i64 = 5; assert!({claim}); }}"
        )
    };
    check(&text("unsafe { sum(3, x, 4, y) } == x + 12"), c, "SAFE");
    let violated = verdict(&text("unsafe { sum(3, x, 4, y) } != 12"), c);
    assert!(violated.contains("assertion `"), "{violated}");
    check(&text("unsafe { sum(3, x, 4) } == x + 12"), c, "UNKNOWN (unsupported: undefined-behaviour)");
}

#[test]
fn declarations_must_agree_with_definitions() {
    let verdict_of = |declaration: &str, c: &str| {
        let text = format!("extern \"C\" {{ {declaration} }} fn h() {{ let g = f; }}");
        let text = text.replace("let g = f;", "unsafe { f(any()); }");
        verdict(&text, c)
    };
    let wrong = "the Rust declaration of `f` does not agree with its C definition";
    assert!(verdict_of("fn f(x: i64);", "void f(int x) { }").contains(wrong));
    assert!(verdict_of("fn f(x: bool);", "void f(int x) { }").contains(wrong));
    assert_eq!(verdict_of("fn f(x: u32);", "void f(int x) { }"), "SAFE");
    assert_eq!(verdict_of("fn f(x: u8);", "void f(char x) { }"), "SAFE");
    let text = "#[repr(C)] struct P { a: u8, b: u32 } extern \"C\" { fn f(p: *const P); }
        fn h() { let p = P { a: 1, b: 2 }; unsafe { f(&p) } }";
    check(text, "struct p { char a; int b; }; void f(struct p *p) { }", "SAFE");
    assert!(verdict(text, "struct p { int a; int b; }; void f(struct p *p) { }").contains(wrong));
    assert!(verdict(text, "struct p { char a; }; void f(struct p *p) { }").contains(wrong));
    assert_eq!(
        verdict("extern \"C\" { fn f(x: i32); } fn h() { unsafe { f(1) } }", ""),
        "UNKNOWN (unsupported: undefined-function)"
    );
}
