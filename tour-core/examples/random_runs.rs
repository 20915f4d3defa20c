//! Executes SV-COMP style programs with random inputs: `random_runs [--runs N] [--lp64] FILE|FOLDER...`.
//!
//! A file whose name says `true-unreach-call` must never reach its error; how many with `false-unreach-call` do is told.
//! Exits with 1 if a run contradicts a name.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use tour_core::front::Input;
use tour_core::interp::{Image, Inputs, Options, Outcome, Random, Unobserved, Zeros};
use tour_core::program::{DataModel, Program};

fn main() -> std::process::ExitCode {
    let (mut runs, mut model, mut files) = (50u64, DataModel::Ilp32, Vec::new());
    let mut args = std::env::args().skip(1);
    while let Some(arg) = args.next() {
        match arg.as_str() {
            "--runs" => runs = args.next().and_then(|n| n.parse().ok()).unwrap_or(runs),
            "--lp64" => model = DataModel::Lp64,
            path => collect(Path::new(path), &mut files),
        }
    }
    files.sort();
    let mut wrong = 0;
    let mut found = (0, 0);
    let mut others: BTreeMap<String, usize> = BTreeMap::new();
    for file in &files {
        let name = file.to_string_lossy();
        let program = match tour_core::load(&[Input::file(file)], &tour_core::LoadOptions::new(model)) {
            Ok(program) => program,
            Err(error) => {
                println!("{name}: {error}");
                *others.entry("not loaded".into()).or_default() += 1;
                continue;
            }
        };
        let reached = (0..runs).find(|&seed| {
            let run = execute(&program, seed);
            match run {
                Outcome::Error(_) => return true,
                Outcome::Undefined { kind, .. } => *others.entry(format!("{kind:?}")).or_default() += 1,
                Outcome::Unsupported { what, .. } => *others.entry(what).or_default() += 1,
                Outcome::Limit(limit) => *others.entry(format!("limit: {limit:?}")).or_default() += 1,
                Outcome::OutOfInputs { .. } => *others.entry("out of inputs".into()).or_default() += 1,
                Outcome::Exited(_) | Outcome::Ended | Outcome::AssumeFailed(_) => {}
            }
            false
        });
        if name.contains("true-unreach-call") {
            if let Some(seed) = reached {
                println!("{name}: the error is reached with seed {seed}");
                wrong += 1;
            }
        } else if name.contains("false-unreach-call") {
            found.1 += 1;
            found.0 += usize::from(reached.is_some());
        }
    }
    println!("{} files, {} of {} errors found, {wrong} wrong", files.len(), found.0, found.1);
    for (what, count) in others {
        println!("{count:8} runs: {what}");
    }
    std::process::ExitCode::from(u8::from(wrong > 0))
}

fn execute(program: &Program, seed: u64) -> Outcome {
    let options = Options { max_steps: 100_000, max_depth: 1_000, ..Options::default() };
    let mut inputs: Box<dyn Inputs> = match seed {
        0 => Box::new(Zeros),
        _ => Box::new(Random::new(seed)),
    };
    Image::new(program).run(&mut *inputs, &options, &mut Unobserved).outcome
}

fn collect(path: &Path, files: &mut Vec<PathBuf>) {
    if let Ok(entries) = std::fs::read_dir(path) {
        entries.flatten().for_each(|entry| collect(&entry.path(), files));
    } else if path.extension().is_some_and(|e| e == "c" || e == "i") {
        files.push(path.to_owned());
    }
}
