//! Random programs of csmith: the checksum that gcc and clang compute against our verdicts on claims about it.
//!
//! `cargo test --test csmith -- --ignored --nocapture` needs csmith (the Debian package `csmith`; its headers are not
//! used, see `csmith/csmith.h`), and gcc and clang or one of them. `TOUR_CSMITH_PROGRAMS` says how many programs,
//! `TOUR_CSMITH_SEED` where to begin. Programs with wrong verdicts are written to the target directory.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use tour_core::LoadOptions;
use tour_core::analysis::{Options, prepare, verify_with};
use tour_core::context::Context;
use tour_core::front::Input;
use tour_core::limits::{Ended, Limits, supervise};
use tour_core::program::{DataModel, Rule};

/// Random programs need not end.
const NATIVE_LIMIT: Duration = Duration::from_secs(2);
const LIMIT: Duration = Duration::from_secs(8);

/// Small programs: most of them are decided.
const SMALL: &str = "--no-argc --max-funcs 3 --max-block-depth 2 --max-block-size 3 --max-expr-complexity 4 \
                     --max-array-dim 2 --max-array-len-per-dim 4 --max-struct-fields 5";

/// Csmith's programs are defined but for members of packed records at misaligned addresses, and floating numbers that
/// fit no integer: the compiler's own checks tell.
const SANITIZE: &str = "-fsanitize=undefined,float-cast-overflow";

/// What is varied, by seed.
const VARIANTS: [&str; 5] = [
    "",
    "--float",
    "--no-pointers --max-expr-complexity 6",
    "--max-funcs 5 --max-block-depth 3",
    "--no-volatiles",
];

fn setting(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|value| value.parse().ok()).unwrap_or(default)
}

fn headers() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/csmith")
}

fn generate(seed: u64, folder: &Path) -> Option<String> {
    let variant = VARIANTS[seed as usize % VARIANTS.len()];
    let output = Command::new("csmith")
        .args(["--seed", &seed.to_string()])
        .args(SMALL.split_whitespace().chain(variant.split_whitespace()))
        // It leaves a file about the machine where it runs.
        .current_dir(folder)
        .output()
        .expect("csmith is needed: the Debian package `csmith`");
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())
}

/// What the program prints, or `None` if it does not end well.
fn run(compiler: &str, level: &str, source: &Path, folder: &Path) -> Option<String> {
    let program = folder.join(format!("{compiler}{level}"));
    let built = Command::new(compiler)
        .args(["-w", "-std=gnu11", "-fno-sanitize-recover=all", level, "-I"])
        .arg(headers())
        .arg("-o")
        .arg(&program)
        .arg(source)
        .stderr(Stdio::null())
        .status()
        .ok()?;
    if !built.success() {
        return None;
    }
    let mut command = Command::new(&program);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().ok()?;
    let start = Instant::now();
    while child.try_wait().ok()?.is_none() {
        if start.elapsed() > NATIVE_LIMIT {
            child.kill().ok()?;
            child.wait().ok()?;
            return None;
        }
        std::thread::sleep(Duration::from_millis(2));
    }
    let output = child.wait_with_output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

fn verdict(text: &str, claim: &str, property: &str) -> String {
    let mut options = LoadOptions::new(DataModel::Lp64);
    options.front.flags =
        vec![format!("-DCLAIM={claim}").into(), format!("-I{}", headers().display()).into()];
    let program = match tour_core::load(&[Input::text("random.c", text)], &options) {
        Ok(program) => program,
        Err(error) => return format!("rejected: {error}"),
    };
    let program = prepare(program, &Rule::named(property).expect("a property"));
    let context = Context::default();
    let own = context.clone();
    let limits = Limits { time: Some(LIMIT), memory: None };
    let ended = supervise(limits, &context.interrupt, move || {
        verify_with(&program, &own, &Options::default()).to_string()
    });
    match ended {
        Ended::Returned(verdict) => verdict,
        Ended::Stuck(reason) => format!("UNKNOWN ({reason:?})"),
        Ended::Panicked => "a panic".to_owned(),
    }
}

/// Compares, and counts answers by question. A description of what is wrong.
fn compare(seed: u64, counts: &mut BTreeMap<String, usize>) -> Vec<String> {
    let mut count = |what: String| *counts.entry(what).or_default() += 1;
    let folder = tempfile::tempdir().expect("a folder");
    let Some(text) = generate(seed, folder.path()) else {
        count("not generated".into());
        return Vec::new();
    };
    let source = folder.path().join("random.c");
    std::fs::write(&source, &text).expect("the folder can be written to");
    let builds = [("gcc", "-O0"), ("gcc", "-O2"), ("clang", "-O1")];
    let mut values: Vec<String> =
        builds.iter().filter_map(|(compiler, level)| run(compiler, level, &source, folder.path())).collect();
    values.sort();
    values.dedup();
    let [value] = &values[..] else {
        count(if values.is_empty() { "does not end" } else { "compilers differ" }.into());
        return Vec::new();
    };
    count("programs".into());
    let defined = run("gcc", SANITIZE, &source, folder.path()).is_some();
    let mut wrong = Vec::new();
    for (claim, property, right) in [
        (format!("crc == {value}"), "unreach-call", "SAFE"),
        (format!("crc != {value}"), "unreach-call", "UNSAFE"),
        (format!("crc == {value}"), "undefined-behaviour", if defined { "SAFE" } else { "UNSAFE" }),
    ] {
        let found = verdict(&text, &claim, property);
        let word = match &found {
            found if found == right => "right",
            found if found.starts_with("UNKNOWN") && !found.contains("internal error") => "undecided",
            _ => "wrong",
        };
        count(format!("{property}, {right} expected: {word}"));
        if word == "undecided" {
            count(format!("  {property}: {found}"));
        } else if word == "wrong" {
            let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("csmith-{seed}.c"));
            // Without the file the report is less handy, and still there.
            let _ = std::fs::write(&path, &text);
            wrong.push(format!("{}: -D'CLAIM={claim}' {property}: {found}", path.display()));
        }
    }
    wrong
}

#[test]
#[ignore = "takes long, and needs csmith"]
fn random_programs() {
    let (first, programs) = (setting("TOUR_CSMITH_SEED", 1), setting("TOUR_CSMITH_PROGRAMS", 1000));
    let (mut counts, mut wrong) = (BTreeMap::new(), Vec::new());
    for seed in first..first + programs {
        for what in compare(seed, &mut counts) {
            println!("wrong: {what}");
            wrong.push(what);
        }
        if (seed - first) % 50 == 49 {
            println!("after {} programs: {counts:#?}", seed - first + 1);
        }
    }
    println!("{counts:#?}");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
