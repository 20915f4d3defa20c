//! What goes wrong is said in the user's words, with the right exit code, and never as a verdict.

use crate::support::Folder;
use expect_test::{Expect, expect};

/// Runs, and compares exit code, standard output and standard error.
#[track_caller]
fn check(folder: &Folder, args: &str, expected: Expect) {
    let run = folder.tour(args);
    let tidy = |text: &str| text.lines().map(|l| l.trim_end().to_owned() + "\n").collect::<String>();
    let code = run.code.map_or("none".into(), |c| c.to_string());
    expected.assert_eq(&format!("exit code {code}\n--- out\n{}--- err\n{}", tidy(&run.out), tidy(&run.err)));
}

#[test]
fn a_missing_file() {
    check(
        &Folder::new(),
        "check nowhere.c",
        expect![[r#"
        exit code 2
        --- out
        VERDICT: UNKNOWN (invalid program)
        --- err
        tour::preprocess

          × cannot read `nowhere.c`: No such file or directory (os error 2)
          help: check the path; file names are relative to the current directory
    "#]],
    );
}

#[test]
fn a_folder() {
    check(
        &Folder::new(),
        "check .",
        expect![[r#"
        exit code 2
        --- out
        VERDICT: UNKNOWN (invalid program)
        --- err
        tour::preprocess

          × cannot read `.`: Is a directory (os error 21)
          help: check the path; file names are relative to the current directory
    "#]],
    );
}

#[test]
fn an_empty_file() {
    check(
        &Folder::with(""),
        "check a.c",
        expect![[r#"
        exit code 4
        --- out
        VERDICT: UNKNOWN (nothing to verify)
        --- err
        tour::entry

          × there is no function `main` to start with
          help: name the function where execution begins with --entry
    "#]],
    );
}

#[test]
fn no_main() {
    check(
        &Folder::with("int f(void) { return 0; }\n"),
        "check a.c",
        expect![[r#"
        exit code 4
        --- out
        VERDICT: UNKNOWN (nothing to verify)
        --- err
        tour::entry

          × there is no function `main` to start with
          help: name the function where execution begins with --entry
    "#]],
    );
}

#[test]
fn a_syntax_error_in_the_users_line() {
    let text = "#include <stddef.h>\n#define TWICE(x) ((x) + (x))\n\nint main(void) {\n    int n = TWICE(2);\n    return n +;\n}\n";
    check(
        &Folder::with(text),
        "check a.c",
        expect![[r#"
        exit code 2
        --- out
        VERDICT: UNKNOWN (invalid program)
        --- err
        tour::parse

          × syntax error at `;`
           ╭─[a.c:6:15]
         5 │     int n = TWICE(2);
         6 │     return n +;
           ·               ┬
           ·               ╰── not understood from here
         7 │ }
           ╰────
          help: if your compiler accepts this text, it is an extension of C that tour does not read yet
    "#]],
    );
}

#[test]
fn a_missing_header() {
    let run = Folder::with("#include \"nowhere.h\"\nint main(void) { return 0; }\n").tour("check a.c");
    run.expect(2, "VERDICT: UNKNOWN (invalid program)");
    assert!(run.err.contains("nowhere.h") && run.err.contains("a.c:1"), "{}", run.err);
}

#[test]
fn an_undeclared_name() {
    check(
        &Folder::with("int main(void) {\n    return m;\n}\n"),
        "check a.c",
        expect![[r#"
        exit code 2
        --- out
        VERDICT: UNKNOWN (invalid program)
        --- err
        tour::semantics

          × `m` is not declared
           ╭─[a.c:2:12]
         1 │ int main(void) {
         2 │     return m;
           ·            ┬
           ·            ╰── not found in this scope
         3 │ }
           ╰────
    "#]],
    );
}

#[test]
fn two_mains() {
    let folder =
        Folder::with("int main(void) { return 0; }\n").file("b.c", "\nint main(void) { return 1; }\n");
    check(
        &folder,
        "check a.c b.c",
        expect![[r#"
        exit code 2
        --- out
        VERDICT: UNKNOWN (invalid program)
        --- err
        tour::link

          × `main` is defined twice
           ╭─[b.c:2:1]
         1 │
         2 │ int main(void) { return 1; }
           · ──────────────┬─────────────
           ·               ╰── defined here
           ╰────
          help: give only files to one run that the linker would take together

        Advice:
          ☞ see also a.c
           ╭─[a.c:1:1]
         1 │ int main(void) { return 0; }
           · ──────────────┬─────────────
           ·               ╰── and here
           ╰────
    "#]],
    );
}

#[test]
fn junk() {
    let bytes: Vec<u8> = (0..5000u32).map(|i| (i * i % 251) as u8).collect();
    let run = Folder::new().file("a.c", bytes).tour("check a.c");
    run.expect(2, "VERDICT: UNKNOWN (invalid program)");
}

#[test]
fn a_compiler_that_is_not_there() {
    let text = "#define ZERO 0\nint main(void) { return ZERO; }";
    let run = Folder::with(text).tour("check a.c --cc no-such-compiler");
    run.expect(2, "VERDICT: UNKNOWN (invalid program)");
    assert!(run.err.contains("no-such-compiler"), "{}", run.err);
}

#[test]
fn wrong_usage() {
    let folder = Folder::with("int main(void) { return 0; }");
    for (args, word) in [
        ("", "Usage"),
        ("check", "FILE.c"),
        ("check a.c --no-such-flag", "--no-such-flag"),
        ("check a.c --timeout fast", "60s"),
        ("check a.c --memory much", "4G"),
        ("check a.c --property no-such-property", "unreach-call"),
        ("check a.c --data-model lp128", "lp64"),
        ("check a.c --set abstraction.values=1", "choose one of abstraction.max_assignments"),
        ("check a.c --set bmc.rounds_growth=1", "at least 2"),
        ("check a.c --set bmc.rounds_growth", "it takes a number"),
        ("check a.c --json --message-format human", "--json"),
        ("no-such-command", "no-such-command"),
    ] {
        let run = folder.tour(args);
        assert_eq!(run.code, Some(2), "{args}: {run:?}");
        assert!(run.err.contains(word), "{args}: {}", run.err);
        assert_eq!(run.out, "", "{args}");
    }
}

#[test]
fn help_is_no_error() {
    let folder = Folder::new();
    for args in ["--help", "check --help", "--version", "help cfa"] {
        let run = folder.tour(args);
        assert_eq!(run.code, Some(0), "{args}");
        assert!(!run.out.is_empty() && run.err.is_empty(), "{args}");
    }
}

#[test]
fn a_bug_in_tour_leaves_a_report_and_exit_code_70() {
    let folder = Folder::new();
    let run = folder.tour("crash");
    assert_eq!(run.code, Some(70), "{run:?}");
    let entries = std::fs::read_dir(folder.path(".")).expect("the folder");
    let reports: Vec<_> = entries.map(|e| e.expect("an entry").path()).collect();
    let [report] = &reports[..] else { panic!("one report, not {reports:?}") };
    let name = report.file_name().and_then(|n| n.to_str()).expect("a name");
    assert!(run.err.contains("bug in tour") && run.err.contains(name), "{}", run.err);
    let text = std::fs::read_to_string(report).expect("the report");
    let value: serde_json::Value = serde_json::from_str(&text).expect("it is JSON");
    assert_eq!(value["what"], "asked for by the user");
}
