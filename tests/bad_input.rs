//! What goes wrong is said in the user's words, with the right exit code, and never as a verdict.

use crate::support::{Folder, Run};
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

/// `#line` names any file: none is opened that the compiler did not read.
#[test]
fn a_line_marker_opens_no_file() {
    let folder = Folder::new()
        .file("secret", "first\nsecret line\n")
        .file("b.h", "int in_header(void) { return none; }\n");
    let secret = folder.path("secret").display().to_string();
    let line = format!("#line 2 \"{secret}\"\n");
    let violated = format!("{line}int main(void) {{ int *p = 0; return *p; }}\n");
    let undeclared = format!("#define X 1\n{line}int main(void) {{ return y; }}\n");
    let refused = format!("#define X 1\n{line}#error no\nint main(void) {{ return 0; }}\n");
    for (name, text) in [("a.c", &violated), ("b.c", &undeclared), ("c.c", &refused), ("d.i", &violated)] {
        std::fs::write(folder.path(name), text).expect("a file");
        let run = folder.tour(&format!(
            "check -v --property memory-safety {name} --report r.html --sarif s.sarif --junit j.xml"
        ));
        assert!(run.err.contains("secret:2"), "the place is shown: {run:#?}");
        let mut shown = format!("{}{}", run.out, run.err);
        for file in ["r.html", "s.sarif", "j.xml"] {
            shown += &std::fs::read_to_string(folder.path(file)).unwrap_or_default();
        }
        assert!(!shown.contains("secret line"), "{name}: {run:#?}");
    }
    // What is included is shown.
    std::fs::write(folder.path("e.c"), "#include \"b.h\"\nint main(void) { return in_header(); }\n")
        .expect("a file");
    let run = folder.tour("check e.c");
    assert!(run.err.contains("b.h:1") && run.err.contains("return none;"), "{run:#?}");
}

/// Names and texts come from whoever wrote the program: nothing of them is obeyed by a terminal or a viewer.
#[test]
fn control_characters_are_seen() {
    let hostile = "\u{1b}[2J\u{7}\u{9b}31m\u{202e}";
    let violated =
        format!("#define E 1\n/* {hostile} */ int main(void) {{ int *p = 0; return *p; /* {hostile} */ }}\n");
    let refused = format!("#error {hostile}\n");
    let undeclared = format!("#define E 1\nint main(void) {{ char *s = \"{hostile}\"; return none; }}\n");
    let line = format!("#define E 1\n#line 1 \"{hostile}.c\"\nint main(void) {{ return none; }}\n");
    for (i, text) in [violated, refused, undeclared, line].iter().enumerate() {
        let folder = Folder::new();
        let name = format!("a{hostile}{i}.c");
        std::fs::write(folder.path(&name), text).expect("a file");
        for more in [
            &["--report", "r.html", "--sarif", "s.sarif", "--junit", "j.xml"][..],
            &["--json"],
            &["-v", "--color", "always"],
        ] {
            let mut command = folder.command("check --property memory-safety");
            let run = Run::of(command.arg(&name).args(more).output().expect("it runs"));
            assert!(matches!(run.code, Some(1 | 2)), "{run:#?}");
            let mut shown = vec![run.out.clone(), run.err.clone()];
            assert!(shown.iter().all(|text| !text.contains("\u{1b}[2J")), "{run:#?}");
            if more.contains(&"always") {
                // Colours of our own.
                shown.iter_mut().for_each(|text| *text = text.replace("\u{1b}[", "["));
            }
            shown.extend(
                ["s.sarif", "j.xml"]
                    .iter()
                    .filter_map(|file| std::fs::read_to_string(folder.path(file)).ok()),
            );
            if let Ok(page) = std::fs::read_to_string(folder.path("r.html")) {
                // The libraries in the page are what they are.
                shown.extend(page.lines().filter(|line| line.contains("runs")).map(str::to_owned));
            }
            for text in &shown {
                let hidden =
                    text.chars().find(|c| c.is_control() && !"\n\t".contains(*c) || *c == '\u{202e}');
                assert_eq!(hidden, None, "{i} {more:?}: {text:?}");
                assert!(!text.contains("\u{1b}[2J"), "{text:?}");
            }
        }
    }
}
