//! Constructs of C and functions of the library: small programs in `constructs/`, by the verdict that they deserve.
//!
//! What is safe without an input is also compiled and run natively, where its assertions must hold. What is unknown
//! contains something that is not modelled, which may not lead to a wrong verdict.

mod outside;

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;
use tour_core::LoadOptions;
use tour_core::analysis::{Options, prepare, verify_with};
use tour_core::context::Context;
use tour_core::front::Input;
use tour_core::limits::{Ended, Limits, supervise};
use tour_core::program::{DataModel, Rule};

/// Seconds for each program; most take a fraction of one.
const LIMIT: u64 = 20;

fn programs(verdict: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/constructs").join(verdict);
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(folder).expect("a folder").flatten().map(|entry| entry.path()).collect();
    files.sort();
    assert!(!files.is_empty());
    files
}

/// The first line may name a property: `/* property: memory-safety */`.
fn rules(text: &str) -> Vec<Rule> {
    let named = text.lines().next().and_then(|line| line.strip_prefix("/* property: "));
    let name = named.and_then(|rest| rest.strip_suffix(" */")).unwrap_or("assert");
    Rule::named(name).expect("a property")
}

fn verdict(file: &Path) -> String {
    let text = std::fs::read_to_string(file).expect("a program");
    let (units, options) = ([Input::file(file)], LoadOptions::new(DataModel::Lp64));
    let program =
        tour_core::load(&units, &options).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    let program = prepare(program, &rules(&text));
    let context = Context::default();
    let own = context.clone();
    let limits = Limits { time: Some(Duration::from_secs(LIMIT)), memory: None };
    let ended = supervise(limits, &context.interrupt, move || {
        let verdict = verify_with(&program, &own, &Options::default());
        outside::confirm(&program, &verdict, &units, &options);
        verdict.to_string()
    });
    match ended {
        Ended::Returned(verdict) => verdict,
        Ended::Stuck(reason) => format!("UNKNOWN ({reason:?})"),
        Ended::Panicked => "a panic".to_owned(),
    }
}

#[track_caller]
fn check(folder: &str, want: &str) {
    let found = programs(folder).into_iter().map(|file| (verdict(&file), file));
    let wrong: Vec<String> = found
        .filter(|(verdict, _)| !verdict.starts_with(want))
        .map(|(verdict, file)| format!("{}: {verdict}", file.display()))
        .collect();
    assert!(wrong.is_empty(), "not {want}:\n{}", wrong.join("\n"));
}

#[test]
fn what_is_safe_is_proved() {
    check("safe", "SAFE");
}

#[test]
fn what_is_unsafe_is_found() {
    check("unsafe", "UNSAFE");
}

#[test]
fn what_is_not_modelled_is_unknown() {
    // Unsupported, a violation that can't be confirmed, or more orders of comparisons than time is given for.
    check("unknown", "UNKNOWN");
}

#[test]
fn what_is_safe_is_safe_natively() {
    let folder = tempfile::tempdir().expect("a folder");
    for file in programs("safe") {
        let executable = folder.path().join("program");
        let built = Command::new("cc")
            .args(["-w", "-O0", "-fsanitize=undefined", "-fno-sanitize-recover=all"])
            .arg(&file)
            .arg("-o")
            .arg(&executable)
            .arg("-lm")
            .status()
            .expect("a compiler");
        assert!(built.success(), "{}", file.display());
        let run = Command::new(&executable).stdin(Stdio::null()).status().expect("it runs");
        assert!(run.success(), "{}: {run}", file.display());
    }
}
