//! The first example of README.md, followed to the letter: its output there is what the command prints.

use crate::support::repository;
use crate::thin::Package;

/// The block of code after a text.
fn block<'a>(page: &'a str, after: &str, language: &str) -> &'a str {
    let (_, rest) = page.split_once(after).unwrap_or_else(|| panic!("README.md has no `{after}`"));
    let (_, rest) = rest.split_once(&format!("```{language}\n")).expect("a block");
    rest.split("```").next().unwrap_or_default()
}

/// Without times, which depend on the machine.
fn without_times(text: &str) -> String {
    let line = |line: &str| match line.split_once(" [").zip(line.split_once("s] ")) {
        Some(((status, _), (_, rest))) if status.trim() == "VIOLATED" => format!("{status} {rest}\n"),
        _ => format!("{line}\n"),
    };
    text.lines().map(line).collect()
}

#[test]
fn the_first_example_prints_what_the_page_says() {
    let path = repository("README.md");
    let page = std::fs::read_to_string(&path).expect("the page");
    let tour = repository("tour").canonicalize().expect("the crate");
    let manifest = format!(
        "[package]\nname = \"demo\"\nversion = \"0.1.0\"\nedition = \"2024\"\n[workspace]\n[build-dependencies]\ncc = \"1\"\n\
         [dev-dependencies]\ntour-verify = {{ path = {tour:?} }}\n"
    );
    let package = Package::new(
        "readme",
        &[
            ("Cargo.toml", manifest.as_str()),
            ("src/lib.rs", ""),
            ("average.c", block(&page, "`average.c`:", "c")),
            ("build.rs", block(&page, "`build.rs`:", "rust")),
            ("tests/harnesses.rs", block(&page, "`cargo tour init` adds", "rust")),
        ],
    );
    let run = package.tour("verify");
    assert_eq!(run.code, Some(1), "{run:#?}");
    let printed = without_times(&format!("{}\n{}", run.out, run.err));
    let mut rest = printed.as_str();
    // `...` stands for lines that the page leaves out.
    let shown = without_times(block(&page, "nothing was proved.", "console"));
    assert!(shown.contains("VIOLATED") && shown.contains("let b: i32"), "{shown}");
    for part in shown.split("...\n") {
        let (_, after) =
            rest.split_once(part).unwrap_or_else(|| panic!("README.md shows\n{part}\nof\n{printed}"));
        rest = after;
    }
}
