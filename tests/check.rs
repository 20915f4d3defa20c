//! `cargo tour check`: verdicts and exit codes.

use crate::support::{Folder, repository};

/// Declarations by SV-COMP's conventions.
const DECLS: &str = "extern void __VERIFIER_error(void);\nextern int __VERIFIER_nondet_int(void);\n\
                     extern void __VERIFIER_assume(int);\nextern void __VERIFIER_assert(int);\n\
                     extern void reach_error(void);\nextern void abort(void);\n";

#[track_caller]
fn check(body: &str, code: i32, verdict: &str) {
    check_with("", body, code, verdict);
}

#[track_caller]
fn check_with(args: &str, text: &str, code: i32, verdict: &str) {
    let run = Folder::with(&format!("{DECLS}{text}")).tour(&format!("check a.c {args} --replay native"));
    run.expect(code, &format!("VERDICT: {verdict}"));
    // What can be run natively shows it.
    assert_eq!(run.out.contains("replayed natively"), verdict == "UNSAFE", "{}", run.out);
    assert!(!run.out.contains("not shown"), "{}", run.out);
}

#[test]
fn tuning_values_can_be_changed() {
    let text = "int main(void) { int n = __VERIFIER_nondet_int(); if (n == 77777) reach_error(); }";
    check_with("--set bmc.first_rounds=1 --set hunt.round_steps=[1,2,3]", text, 1, "UNSAFE");
}

#[test]
fn a_proof_that_was_not_checked_says_so() {
    let folder = Folder::with("int main(void) { return 0; }");
    folder.tour("check a.c --no-certify").expect(0, "VERDICT: SAFE (not certified)");
    let json = folder.tour("check a.c --no-certify --json");
    assert!(json.out.contains("\"certified\": false"), "{}", json.out);
}

#[test]
fn a_violation_is_replayed_natively_if_asked() {
    let check = |text: &str, args: &str, expect: &str| {
        let run = Folder::with(&format!("{DECLS}{text}")).tour(&format!("check a.c {args}"));
        assert_eq!(run.code, Some(1), "{run:?}");
        assert!(run.out.lines().any(|line| line.trim() == expect), "{expect}\n{}", run.out);
        run.out
    };
    let text = "int sensor(void); int main(void) { int n = __VERIFIER_nondet_int(); \
                if (sensor() == 4 && n == -2) reach_error(); }";
    check(text, "--replay native", "replayed natively: confirmed (call of `reach_error`)");
    check(
        "int main(void) { int n; if (n == 77) reach_error(); }",
        "--replay native",
        "not replayed natively: it reads memory that was never written",
    );
    check(
        "int main(void) { int a[2] = {0}; return a[__VERIFIER_nondet_int() & 3]; }",
        "--property undefined-behaviour --replay native",
        "replayed natively: confirmed (index 2 out of bounds for type 'int [2]')",
    );
    let without = check(text, "", "VERDICT: UNSAFE");
    assert!(!without.contains("natively"), "{without}");
    let json = Folder::with(&format!("{DECLS}{text}")).tour("check a.c --replay native --json");
    assert!(json.out.contains("\"result\": \"confirmed\""), "{}", json.out);
}

#[test]
fn a_program_without_an_error_is_safe() {
    check("int main(void) { return 0; }", 0, "SAFE");
    check("int main(void) { if (0) __VERIFIER_error(); return 0; }", 0, "SAFE");
    check("void bad(void) { __VERIFIER_error(); } int main(void) { return 0; }", 0, "SAFE");
    check("int main(void) { abort(); __VERIFIER_error(); }", 0, "SAFE");
}

#[test]
fn a_reached_error_is_unsafe() {
    check("int main(void) { __VERIFIER_error(); }", 1, "UNSAFE");
    check("int main(void) { reach_error(); return 0; }", 1, "UNSAFE");
    check("int main(void) { goto ERROR; ERROR: return 1; }", 1, "UNSAFE");
    check("int main(void) { __VERIFIER_assert(1 > 2); }", 1, "UNSAFE");
    check("int main(void) { int x = __VERIFIER_nondet_int(); if (x == 0) __VERIFIER_error(); }", 1, "UNSAFE");
    check(
        "int main(void) { int x = __VERIFIER_nondet_int(); __VERIFIER_assume(x > 2); if (x < 9) reach_error(); }",
        1,
        "UNSAFE",
    );
}

#[test]
fn assert_of_the_c_library() {
    check("#include <assert.h>\nint main(void) { int x = 3; assert(x == 3 + 1); }", 1, "UNSAFE");
    check_with("-D NDEBUG", "#include <assert.h>\nint main(void) { assert(0); }", 0, "SAFE");
}

#[test]
fn an_assumption_that_never_holds_makes_every_claim_true() {
    check("int main(void) { __VERIFIER_assume(0); __VERIFIER_error(); }", 0, "SAFE");
}

#[test]
fn what_is_not_supported_is_unknown_only_if_it_is_reached() {
    check(
        "int main(void) { __asm__(\"hlt\" ::: \"memory\"); return 0; }",
        3,
        "UNKNOWN (unsupported: inline-asm)",
    );
    check("void f(void) { __asm__(\"hlt\" ::: \"memory\"); } int main(void) { return 0; }", 0, "SAFE");
}

#[test]
fn a_function_without_a_body_is_an_assumption_or_unknown() {
    let text = "int sensor(void); int main(void) { int s = sensor(); if (s == 0) __VERIFIER_error(); }";
    check(text, 1, "UNSAFE");
    let harmless = "int sensor(void); int main(void) { sensor(); return 0; }";
    let run = Folder::with(harmless).tour("check a.c");
    run.expect(0, "VERDICT: SAFE");
    assert!(run.out.contains("Assumptions:\n    a.c:1:") && run.out.contains("`sensor`"), "{}", run.out);
    let run = Folder::with(harmless).tour("check a.c --undefined unknown");
    assert_eq!(run.code, Some(3), "{run:?}");
    assert!(run.last_line().starts_with("VERDICT: UNKNOWN ("), "{run:?}");
}

#[test]
fn a_property_can_be_selected() {
    let text = "int main(void) { __VERIFIER_assert(0); __VERIFIER_error(); }";
    check(text, 1, "UNSAFE");
    check_with("--property unreach-call", text, 0, "SAFE");
    check_with("--property assert", text, 1, "UNSAFE");
    check_with("--property assert --property unreach-call", text, 1, "UNSAFE");
}

#[test]
fn the_data_model_decides_sizes() {
    let text = "int main(void) { if (sizeof(long) == 4) __VERIFIER_error(); }";
    check_with("--data-model ilp32", text, 1, "UNSAFE");
    check_with("--data-model lp64", text, 0, "SAFE");
}

#[test]
fn another_entry() {
    let text = "int start(void) { __VERIFIER_error(); } int main(void) { return 0; }";
    check_with("--entry start", text, 1, "UNSAFE");
}

#[test]
fn several_files_are_one_program() {
    let folder = Folder::new()
        .file("main.c", "int limit(void); extern void reach_error(void);\nint main(void) { if (limit() > 3) reach_error(); }")
        .file("limit.c", "int limit(void) { return 4; }");
    folder.tour("check main.c limit.c").expect(1, "VERDICT: UNSAFE");
}

#[test]
fn macros_and_headers() {
    let folder = Folder::with(
        "#include <limit.h>\nextern void reach_error(void);\nint main(void) { if (LIMIT > MAX) reach_error(); }",
    );
    std::fs::create_dir(folder.path("include")).expect("a folder");
    let folder = folder.file("include/limit.h", "#define LIMIT 4\n");
    folder.tour("check a.c -I include -DMAX=3").expect(1, "VERDICT: UNSAFE");
    folder.tour("check a.c -Iinclude -D MAX=4").expect(0, "VERDICT: SAFE");
    folder.tour("check a.c --cflags=-Iinclude --cflags -DMAX=3").expect(1, "VERDICT: UNSAFE");
}

#[test]
fn a_violation_is_explained() {
    let folder = Folder::with(
        "extern int __VERIFIER_nondet_int(void);\nextern void reach_error(void);\n\nint main(void) {\n    \
         int level = __VERIFIER_nondet_int();\n    if (level == 0)\n        reach_error();\n}\n",
    );
    let run = folder.tour("check a.c");
    run.expect(1, "VERDICT: UNSAFE");
    assert!(run.err.contains("tour::unreach_call") && run.err.contains("a.c:7:"), "{}", run.err);
    assert!(run.out.contains("VIOLATED"), "{}", run.out);
    assert!(run.out.contains("0 (int)  a.c:5:"), "{}", run.out);
    // The steps that matter stand in the file; all of them are for those who ask.
    assert!(run.err.contains("level = 0, an input"), "{}", run.err);
    assert!(!run.out.contains("Trace"), "{}", run.out);
    assert!(folder.tour("check a.c -v").out.contains("  * a.c:5:17: level = <input>    // 0\n"));
    let quiet = folder.tour("check a.c -q");
    assert_eq!(quiet.out, "VERDICT: UNSAFE\n");
}

#[test]
fn statistics_on_demand() {
    let folder = Folder::with("int main(void) { return 0; }");
    let run = folder.tour("check a.c --stats");
    run.expect(0, "VERDICT: SAFE");
    for name in ["Statistics:", "front-end-time", "locations", "edges"] {
        assert!(run.out.contains(name), "{name} in {}", run.out);
    }
    assert!(!folder.tour("check a.c").out.contains("Statistics:"));
}

#[test]
fn colours_are_asked_for() {
    let folder = Folder::with("int main(void) { return 0; }");
    assert!(folder.tour("check a.c --color always").out.contains("\x1b["));
    assert!(!folder.tour("check a.c").out.contains('\x1b'));
    assert!(!folder.tour("check a.c --color never").out.contains('\x1b'));
}

#[test]
fn the_seeded_bug_is_found() {
    let folder = Folder::new()
        .file("ring.c", std::fs::read(repository("examples/ring/ring_bug.c")).expect("it is there"));
    folder.tour("check ring.c").expect(1, "VERDICT: UNSAFE");
}

#[test]
fn its_fixed_twin_is_proved() {
    let text = std::fs::read(repository("examples/ring/ring_fixed.c")).expect("it is there");
    Folder::new().file("ring.c", text).tour("check ring.c --timeout 5m").expect(0, "VERDICT: SAFE");
}

#[test]
fn the_same_run_twice_says_the_same() {
    let folder = Folder::new()
        .file("ring.c", std::fs::read(repository("examples/ring/ring_bug.c")).expect("it is there"));
    let said = || {
        let run = folder.tour("check ring.c -v");
        // All but the line with the time.
        run.out.lines().filter(|l| !l.contains("VIOLATED")).collect::<Vec<_>>().join("\n")
    };
    assert_eq!(said(), said());
}

#[test]
fn files_for_other_programs() {
    let folder = Folder::with(
        "extern int __VERIFIER_nondet_int(void);\nextern void reach_error(void);\n\
         int main(void) { if (__VERIFIER_nondet_int() == 7) reach_error(); return 0; }\n",
    );
    folder.tour("check a.c --witness w.yml --sarif r.sarif --junit r.xml").expect(1, "VERDICT: UNSAFE");
    let read = |name: &str| std::fs::read_to_string(folder.path(name)).expect("a file");
    let witness = read("w.yml");
    assert!(
        witness.contains("entry_type: \"violation_sequence\"") && witness.contains("\\\\result == 7"),
        "{witness}"
    );
    let sarif: serde_json::Value = serde_json::from_str(&read("r.sarif")).expect("JSON");
    let result = &sarif["runs"][0]["results"][0];
    assert_eq!(result["ruleId"], "unreach-call");
    assert!(result["codeFlows"][0]["threadFlows"][0]["locations"].as_array().is_some_and(|l| !l.is_empty()));
    let junit = read("r.xml");
    assert!(junit.contains("<failure message=") && junit.contains("type=\"VIOLATED\""), "{junit}");
    let unwritable = folder.tour("check a.c --witness a.c/w.yml");
    assert_eq!(unwritable.code, Some(2), "{unwritable:#?}");
}

#[test]
fn every_violated_check_is_reported() {
    let text = "int main(void) { int x = __VERIFIER_nondet_int(), y = __VERIFIER_nondet_int();\n\
                if (x == 4711) __VERIFIER_error();\n if (y == 1234 && x > 5) reach_error();\n\
                if (x == 4711) reach_error();\n return 0; }";
    let folder = Folder::with(&format!("{DECLS}{text}"));
    let run = folder.tour("check a.c --all");
    run.expect(1, "VERDICT: UNSAFE");
    assert!(run.out.contains("2 checks violated, 1 check proved"), "{}", run.out);
    let run = folder.tour("check a.c --all --json");
    let document: serde_json::Value = serde_json::from_str(&run.out).expect("JSON");
    assert_eq!(document["violation"]["place"]["line"], 8);
    assert_eq!(document["further-violations"][0]["place"]["line"], 9);
    assert_eq!(document["further-violations"].as_array().map(Vec::len), Some(1));
}

/// What holds of all elements of an array is proved for one index that stands for all.
#[test]
fn all_elements_of_an_array() {
    let program = |loops: &str| {
        format!(
            "{DECLS}int main(void) {{ int a[100000], b[100000], i, x, n = __VERIFIER_nondet_int(), e = __VERIFIER_nondet_int();\n\
             if (n < 0 || n > 100000) return 0;\n{loops} return 0; }}"
        )
    };
    let by_induction =
        |loops: &str, code, verdict| check_with("--analysis k-induction", &program(loops), code, verdict);
    by_induction(
        "for (i = 0; i < n; i++) a[i] = 42;\n for (x = 0; x < n; x++) if (a[x] != 42) reach_error();",
        0,
        "SAFE",
    );
    by_induction(
        "for (i = 0; i < n && b[i] != e; i++) a[i] = b[i];\n for (x = 0; x < i; x++) if (a[x] != b[x]) reach_error();",
        0,
        "SAFE",
    );
    let one_less =
        "for (i = 0; i < n - 1; i++) a[i] = 42;\n for (x = 0; x < n; x++) if (a[x] != 42) reach_error();";
    by_induction(one_less, 1, "UNSAFE");
}

/// The line with the seeded bug is among those that are shown to be to blame.
#[test]
fn the_example_blames_the_line_with_the_bug() {
    let run = Folder::with(include_str!("../examples/ring/ring_bug.c")).tour("check a.c");
    run.expect(1, "VERDICT: UNSAFE");
    let shown = format!("{}{}", run.out, run.err);
    assert!(shown.contains("a.c:18 `fill > CAPACITY`"), "{shown}");
}

#[test]
fn a_lock_that_is_used_wrongly() {
    let threads = "#include <pthread.h>\npthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; int x;\n\
                   void *f(void *a) { pthread_mutex_lock(&m); x++; pthread_mutex_unlock(&m); return 0; }\n";
    let main = |body: &str| {
        format!("{threads}int main(void) {{ pthread_t t; pthread_create(&t, 0, f, 0); {body} return 0; }}")
    };
    let misuse = "--property mutex-misuse";
    check_with(misuse, &main("pthread_mutex_unlock(&m);"), 1, "UNSAFE");
    check_with("--threads 0", &main(""), 3, "UNKNOWN (unsupported: threads)");
    check_with(misuse, &main("pthread_join(t, 0); pthread_mutex_destroy(&m);"), 0, "SAFE");
}

#[test]
fn large_blocks_by_summarisation_become_nothing_else() {
    let text = "extern void reach_error(void); int down(int n) { return n > 0 ? down(n - 1) : n; }\n\
                int main(void) { if (down(3) != 0) reach_error(); return 0; }\n";
    let run = Folder::with(text).tour("check a.c --analysis predicate --block lbe");
    run.expect(3, "VERDICT: UNKNOWN (unsupported: block-encoding)");
    assert!(
        run.err.contains("choose `--block abe:loops`") || run.out.contains("choose `--block abe:loops`"),
        "{run:?}"
    );
    let flat = text.replace("down(n - 1)", "n - 1").replace("down(3) != 0", "down(1) != 0");
    Folder::with(&flat).tour("check a.c --analysis predicate --block lbe").expect(0, "VERDICT: SAFE");
}
