//! Differential tests: random C programs (and some written by hand) print the same in the interpreter as compiled by
//! the real compiler.
//!
//! `TOUR_DIFFERENTIAL_PROGRAMS` sets how many random programs are tried, `TOUR_DIFFERENTIAL_SEED` where to begin. A
//! program with different outputs is written to the target directory.

#[path = "../../tests/missing.rs"]
mod missing;
mod support;

use cgen::Model;
use missing::missing;
use std::sync::atomic::{AtomicUsize, Ordering};
use support::{Native, interpret, random_files};

/// Programs in one file: the compiler's start costs as much as some programs.
const PROGRAMS_PER_FILE: usize = 25;

fn setting(name: &str, default: usize) -> usize {
    std::env::var(name).ok().and_then(|v| v.parse().ok()).unwrap_or(default)
}

/// Runs files of random programs on all cores; panics with a report of each worker's first difference.
fn compare_random(model: Model, programs: usize) {
    let Some(native) = Native::new(model) else {
        println!("skipped: this machine can't run programs of model {model:?}");
        return;
    };
    let files = programs.div_ceil(PROGRAMS_PER_FILE);
    let first = setting("TOUR_DIFFERENTIAL_SEED", 0) as u64;
    let (next, agreed) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let workers = std::thread::available_parallelism().map_or(1, |n| n.get());
    let reports: Vec<String> = std::thread::scope(|scope| {
        let work = || {
            loop {
                let file = next.fetch_add(1, Ordering::Relaxed);
                if file >= files {
                    return Ok(());
                }
                let programs = random_files::compare(&native, first + file as u64, PROGRAMS_PER_FILE)?;
                agreed.fetch_add(programs, Ordering::Relaxed);
            }
        };
        let threads: Vec<_> = (0..workers).map(|_| scope.spawn(work)).collect();
        let results = threads.into_iter().map(|t| t.join().expect("a worker panicked"));
        results.filter_map(Result::err).collect()
    });
    assert!(reports.is_empty(), "{}", reports.join("\n"));
    let agreed = agreed.into_inner();
    println!("{agreed} programs agree in model {model:?}");
    assert!(agreed * 2 > programs, "the compiler crashes on most files");
}

#[test]
fn random_programs_agree_in_64_bits() {
    compare_random(Model::Lp64, setting("TOUR_DIFFERENTIAL_PROGRAMS", 1600));
}

#[test]
fn random_programs_agree_in_32_bits() {
    compare_random(Model::Ilp32, setting("TOUR_DIFFERENTIAL_PROGRAMS", 1600) / 4);
}

/// The generator keeps its promise: sanitizers find nothing.
#[test]
fn random_programs_have_no_undefined_behaviour() {
    let Some(native) = Native::sanitized() else {
        return missing("this compiler has no sanitizers");
    };
    let files = setting("TOUR_DIFFERENTIAL_PROGRAMS", 1600).div_ceil(800);
    for seed in 0..files as u64 {
        let text = random_files::text(Model::Lp64, seed, PROGRAMS_PER_FILE, false);
        if let Err(error) = native.run(&format!("sanitized-{seed}"), &text) {
            panic!("seed {seed}: {error}");
        }
    }
}

/// Programs written by hand, for what the generator does not make.
#[test]
fn handwritten_programs_agree() {
    let native = Native::new(Model::Lp64).expect("the native compiler works");
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/programs");
    let entries = std::fs::read_dir(folder).expect("the folder of programs");
    let mut paths: Vec<_> = entries.map(|e| e.expect("an entry").path()).collect();
    paths.sort();
    let mut failures = Vec::new();
    for path in &paths {
        let name = path.file_stem().and_then(|n| n.to_str()).expect("a name");
        let text = std::fs::read_to_string(path).expect("the program");
        let expected = native.run(name, &text).unwrap_or_else(|error| panic!("{name}: {error}"));
        match interpret(&format!("{name}.c"), &text, Model::Lp64) {
            Ok(output) if output == expected => {}
            Ok(output) => {
                let (expected, output) =
                    (String::from_utf8_lossy(&expected), String::from_utf8_lossy(&output));
                failures.push(format!("{name}: {}", support::first_difference(&expected, &output)));
            }
            Err(error) => failures.push(format!("{name}: {error}")),
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    assert!(!paths.is_empty());
}
