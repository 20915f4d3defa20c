//! Coverage on the command line.

use crate::support::Folder;

const PROGRAM: &str = "extern void reach_error(void);
int unused(int a) {
    int t = a;
    return t + 1;
}
int main(void) {
    int x = 1;
    if (x > 1) {
        reach_error();
    }
    return 0;
}
";

#[test]
fn a_summary_is_printed_before_the_verdict() {
    let run = Folder::with(PROGRAM).tour("check a.c --analysis value");
    run.expect(0, "VERDICT: SAFE");
    let shown = "  Coverage visited lines 40.0 % (2 of 5), visited variables 100.0 % (1 of 1)\n           checks: 1 proved\n           \
         of a slice, 4 of 5 operations (--no-slice: of the whole program)\n";
    assert!(run.out.contains(shown), "{}", run.out);
    let whole = Folder::with(PROGRAM).tour("check a.c --analysis value --no-slice");
    let shown = "  Coverage visited lines 60.0 % (3 of 5), visited variables 100.0 % (1 of 1)\n           checks: 1 proved\nVERDICT";
    assert!(whole.out.contains(shown), "{}", whole.out);
    let quiet = Folder::with(PROGRAM).tour("check a.c --analysis value -q");
    assert_eq!(quiet.out, "VERDICT: SAFE\n");
}

#[test]
fn a_gate_has_its_own_exit_code() {
    let folder = Folder::with(PROGRAM);
    folder.tour("check a.c --analysis value --fail-under-lines 60").expect(0, "VERDICT: SAFE");
    let run = folder.tour("check a.c --analysis value --fail-under-lines 61 --fail-under-checks 100");
    run.expect(5, "VERDICT: SAFE");
    assert_eq!(run.err, "error: visited-lines 60.0 %, below the 61 % asked for\n");
    // A violation is worse than a gate.
    let unsafe_text = PROGRAM.replace("x > 1", "x > 0");
    Folder::with(&unsafe_text).tour("check a.c --fail-under-lines 100").expect(1, "VERDICT: UNSAFE");
}

#[test]
fn files_and_a_baseline() {
    let smaller = PROGRAM.replace("int unused(int a) {\n    int t = a;\n    return t + 1;\n}\n", "");
    let folder = Folder::with(PROGRAM).file("b.c", smaller);
    let run = folder.tour(
        "check a.c --analysis value --lcov a.info --cobertura a.xml --coverage-json a.json --report run.json",
    );
    run.expect(0, "VERDICT: SAFE");
    let read = |name: &str| std::fs::read_to_string(folder.path(name)).expect(name);
    assert!(
        read("a.info").contains("SF:a.c\n") && read("a.info").contains("FNDA:0,unused\n"),
        "{}",
        read("a.info")
    );
    assert!(read("a.xml").contains("lines-covered=\"3\" lines-valid=\"5\""), "{}", read("a.xml"));
    let run = folder.tour("check b.c --analysis value --coverage-baseline a.json");
    assert!(run.out.contains("visited-lines             60.0 % → 100.0 % (+40.0)"), "{}", run.out);
    run.expect(0, "VERDICT: SAFE");
    let run = folder.tour("check b.c --coverage-baseline nowhere.json");
    assert_eq!(run.code, Some(2), "{run:#?}");
    // The saved run becomes a page.
    let run = folder.tour("report run.json -o page.html");
    assert_eq!((run.code, run.out.as_str()), (Some(0), "page.html\n"), "{run:#?}");
    assert!(read("page.html").contains("int unused(int a)"));
    let run = folder.tour("report a.c");
    assert!(run.err.starts_with("error: `a.c` is no record of a run"), "{run:#?}");
    assert_eq!(run.code, Some(2));
}

#[test]
fn without_a_verdict_it_is_said_where_the_time_went() {
    let text = "extern void reach_error(void); extern int __VERIFIER_nondet_int(void);
int main(void) {
    unsigned x = __VERIFIER_nondet_int(), y = __VERIFIER_nondet_int();
    while (x != y) {
        if (x > y) { x = x - y; } else { y = y - x; }
    }
    if (x * y == 35) {
        reach_error();
    }
    return 0;
}
";
    let run = Folder::with(text).tour("check a.c --analysis bmc --depth 2");
    run.expect(3, "VERDICT: UNKNOWN (no analysis could decide)");
    for part in ["where the time went:", "bmc ", "4 blocks deep", "a.c:4 in main, visited"] {
        assert!(run.out.contains(part), "{part} in {}", run.out);
    }
}

#[test]
fn mutants_that_no_property_notices_are_reported() {
    let text = "extern void reach_error(void); extern int __VERIFIER_nondet_int(void);
int main(void) {
    int n = __VERIFIER_nondet_int();
    int y = 7;
    if (n < 0) {
        n = 0;
    }
    if (n < 0) {
        reach_error();
    }
    return y;
}
";
    let folder = Folder::with(text);
    let run = folder.tour("mutants a.c");
    assert_eq!(run.code, Some(0), "{run:#?}");
    assert!(run.out.contains("missed a.c:4:"), "nothing is said about y: {}", run.out);
    assert!(!run.out.contains("missed a.c:6:11: `n = 0` is left out"), "{}", run.out);
    let run = folder.tour("mutants a.c --fail-under 100");
    assert_eq!(run.code, Some(5), "{run:#?}");
    let run = Folder::with(&text.replace("n = 0;", "n = -1;")).tour("mutants a.c --max 1");
    assert_eq!(run.code, Some(1), "{run:#?}");
    assert!(run.err.contains("the program itself is not proved: UNSAFE"), "{}", run.err);
}
