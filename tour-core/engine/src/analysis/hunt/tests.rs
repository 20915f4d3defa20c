use super::*;
use tour_c::LoadOptions;
use tour_c::front::Input as File;
use tour_ir::program::DataModel;

const DECLS: &str = "extern void reach_error(void); extern int __VERIFIER_nondet_int(void); \
                     extern char __VERIFIER_nondet_char(void); ";

#[track_caller]
fn check(main: &str, expected: &str) {
    let text = format!("{DECLS} int main(void) {{ {main} }}");
    let program = tour_c::load(&[File::text("a.i", text)], &LoadOptions::new(DataModel::Lp64));
    let program = Prepared::new(program.unwrap_or_else(|error| panic!("{error}")));
    let verdict = Hunt::default().round(3_000_000).run(&program, &Context::default());
    assert_eq!(verdict.to_string(), expected, "{main}");
}

#[test]
fn one_step_leads_to_the_next() {
    check(
        "int s = 0; while (1) { int x = __VERIFIER_nondet_int(); \
           if (s == 0 && x == 7101) s = 1; else if (s == 1 && x == -9) s = 2; else if (s == 2 && x == 70000) s = 3; \
           else if (s == 3 && x == 15) reach_error(); else if (x < 0 && s < 2) return 0; }",
        "UNSAFE",
    );
}

#[test]
fn long_inputs_that_are_alike() {
    check(
        "char a[2000]; char c = __VERIFIER_nondet_char(); for (int i = 0; i < 2000; i++) a[i] = __VERIFIER_nondet_char(); \
         for (int i = 0; i < 2000; i++) if (a[i] == c) return 0; reach_error();",
        "UNSAFE",
    );
    check(
        "int n = 0; for (int i = 0; i < 60; i++) if (__VERIFIER_nondet_int() == i) n++; if (n > 50) reach_error();",
        "UNSAFE",
    );
}

#[test]
fn what_memory_contains_may_matter() {
    check("int a[9], b[9]; for (int i = 0; i < 9; i++) if (a[i] != b[i]) reach_error();", "UNSAFE");
}

#[test]
fn nothing_is_claimed_without_a_run() {
    let unknown = "UNKNOWN (no analysis could decide)";
    check("int x = __VERIFIER_nondet_int(); if (x * x == 3) reach_error();", unknown);
    check("while (1) ;", unknown);
}
