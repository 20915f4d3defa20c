//! What the compiler says about a harness that tour can't read: the message, and the place that it points to.

use expect_test::{expect, Expect};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The compiled macros, which stand beside this test.
fn macros() -> PathBuf {
    let test = std::env::current_exe().expect("a test has a file");
    let folder = test.parent().expect("a folder").to_owned();
    let name = |path: &Path| path.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
    let files = std::fs::read_dir(folder).expect("a folder").flatten().map(|entry| entry.path());
    let found = files.filter(|path| {
        let name = name(path);
        name.contains("tour_macros-") && name.ends_with(std::env::consts::DLL_SUFFIX)
    });
    found
        .max_by_key(|path| path.metadata().and_then(|data| data.modified()).ok())
        .expect("the macros are built")
}

#[track_caller]
fn check(text: &str, expected: Expect) {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("h.rs"), format!("use tour_macros::{{spec, verify}};\n{text}\n"))
        .expect("a file");
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let mut command = Command::new(rustc);
    command.args([
        "--edition",
        "2024",
        "--crate-type",
        "lib",
        "--emit",
        "metadata",
        "-A",
        "unused",
        "--extern",
    ]);
    command.arg(format!("tour_macros={}", macros().display())).arg("h.rs").current_dir(folder.path());
    let output = command.output().expect("rustc runs");
    assert!(!output.status.success(), "it compiles");
    let printed = String::from_utf8_lossy(&output.stderr);
    // Of each message: what, where, and the line with the marks.
    let lines = printed.lines().filter(|line| !line.trim().is_empty() && line.trim() != "|");
    let lines = lines.take_while(|line| !line.starts_with("error: aborting"));
    expected.assert_eq(&lines.map(|line| line.trim_end().to_owned() + "\n").collect::<String>());
}

#[test]
fn expressions() {
    check(
        "#[verify]\nfn h(x: u8) {\n    let y = x + 1;\n    let f = |a: u8| a + y;\n    assert!(f(x) > 0);\n}",
        expect![[r#"
            error: closures are not supported in a harness; integers, booleans, arrays, `#[repr(C)]` structs, pointers, `if`, `match`, loops, calls of `extern "C"` and `#[spec]` functions, and assertions are
             --> h.rs:5:13
            5 |     let f = |a: u8| a + y;
              |             ^
        "#]],
    );
    check(
        "#[verify]\nfn h(x: u8) {\n    println!(\"{x}\");\n    let v = x.leading_zeros();\n}",
        expect![[r#"
        error: the macro `println!` is not supported in a harness; `assert!`, `assert_eq!`, `assert_ne!`, `panic!` and `unreachable!` are
         --> h.rs:4:5
        4 |     println!("{x}");
          |     ^^^^^^^
        error: the method `leading_zeros` is not supported in a harness; the methods of integers are `wrapping_*`, `checked_*`, `saturating_*`, `overflowing_*`, `min`, `max`, `abs` and a few more, those of arrays and slices `len`, `as_ptr` and `as_mut_ptr`
         --> h.rs:5:15
        5 |     let v = x.leading_zeros();
          |               ^^^^^^^^^^^^^
    "#]],
    );
}

#[test]
fn signatures_and_arguments() {
    check(
        "#[verify]\nfn h<T>(x: T, f: f64) {}",
        expect![[r#"
        error: a generic function can't be verified: write one for each type
         --> h.rs:3:6
        3 | fn h<T>(x: T, f: f64) {}
          |      ^
        error: floating-point numbers are not supported in a harness yet; the C may use them
         --> h.rs:3:18
        3 | fn h<T>(x: T, f: f64) {}
          |                  ^^^
    "#]],
    );
    check(
        "#[verify(timeout = \"soon\")]\nfn h(x: u8) {}",
        expect![[r#"
        error: `soon` is no time; write for example `60s`, `2m 30s` or `none`
         --> h.rs:2:20
        2 | #[verify(timeout = "soon")]
          |                    ^^^^^^
    "#]],
    );
    check(
        "#[verify(speed = 3)]\nfn h(x: u8) {}",
        expect![[r#"
            error: `speed` is no argument of `#[verify]`; there are timeout = "30s", memory = "2G", tag = "…", unwind = 8, property = "…", malloc_may_fail = true, should_fail = "…", analysis = "…", domain = "…", search = "…", metric = "…", block = "…"
             --> h.rs:2:10
            2 | #[verify(speed = 3)]
              |          ^^^^^
        "#]],
    );
    check(
        "#[spec]\nasync fn s(x: u8) {}",
        expect![[r#"
        error: an `async` function can't be verified
         --> h.rs:3:1
        3 | async fn s(x: u8) {}
          | ^^^^^
    "#]],
    );
}
