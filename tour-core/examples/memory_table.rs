//! Memory safety, overflow and reachability on whole folders: what is solved, what is not, and what is wrong.
//!
//! ```console
//! cargo run --release -p tour-verify-core --example memory_table -- --root SVB/c --folder memsafety,ldv-memsafety --timeout 6
//! ```
//!
//! `--root` is folder `c` of a checkout of sv-benchmarks (2015). The name of a file says which property is expected to hold
//! or to be violated: `…_false-valid-deref.i`. What is violated may be another property of memory safety than the named
//! one (column "other"). Of a program that is there both before and after preprocessing, the latter is taken. Prints a
//! table in Markdown, and the tasks that are not as their names say.

mod tasks;

use clap::Parser;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use tasks::Task;
use tour_core::LoadOptions;
use tour_core::analysis::{Options, prepare, verify_with};
use tour_core::context::Context;
use tour_core::front::Input;
use tour_core::limits::{Ended, Limits, supervise};
use tour_core::program::Rule;
use tour_core::verdict::Verdict;

#[derive(Parser)]
struct Args {
    /// The folder that the tasks' folders are in
    #[arg(long, default_value = ".")]
    root: PathBuf,
    /// Folders
    #[arg(long, value_delimiter = ',')]
    folder: Vec<String>,
    /// Seconds for each program
    #[arg(long, default_value_t = 6.0)]
    timeout: f64,
    /// Only every so manieth program
    #[arg(long, default_value_t = 1)]
    step: usize,
}

/// What a file's name says.
#[derive(Clone, Copy, PartialEq)]
struct Expected {
    /// The rules that are checked.
    rules: &'static str,
    /// The rules one of which is violated; `None` if all hold.
    violated: Option<&'static str>,
}

/// The properties that names speak of, and the rules that are checked for each.
const PROPERTIES: [(&str, &str); 6] = [
    ("valid-memsafety", "valid-memsafety"),
    ("valid-deref", "valid-memsafety"),
    ("valid-free", "valid-memsafety"),
    ("valid-memtrack", "valid-memsafety"),
    ("no-overflow", "no-overflow"),
    ("unreach-call", "unreach-call"),
];

fn expected(name: &str) -> Option<Expected> {
    PROPERTIES.into_iter().find_map(|(property, rules)| {
        let says = |verdict: &str| {
            ["-", "_"].iter().any(|dash| name.contains(&format!("{verdict}{dash}{property}")))
        };
        match (says("true"), says("false")) {
            (_, true) => Some(Expected { rules, violated: Some(property) }),
            (true, _) => Some(Expected { rules, violated: None }),
            _ => None,
        }
    })
}

/// The tasks of a folder, by name.
fn tasks(root: &Path, folder: &str) -> Vec<(Task, Expected)> {
    let entries = std::fs::read_dir(root.join(folder)).unwrap_or_else(|e| panic!("{folder}: {e}"));
    let mut names: Vec<String> =
        entries.flatten().map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    let preprocessed = |name: &str| {
        let stem = name.strip_suffix(".c").unwrap_or(name);
        [format!("{stem}.i"), format!("{name}.i")].iter().any(|other| names.contains(other))
    };
    let wanted = |name: &&String| name.ends_with(".i") || (name.ends_with(".c") && !preprocessed(name));
    let found = names.iter().filter(wanted);
    found.filter_map(|name| Some((Task { path: format!("{folder}/{name}") }, expected(name)?))).collect()
}

/// What came out.
enum Outcome {
    Safe,
    Unsafe(Rule),
    Unknown,
}

fn measure(root: &Path, task: &Task, expected: Expected, timeout: f64) -> Outcome {
    let context = Context::default();
    let limits = Limits { time: Some(Duration::from_secs_f64(timeout)), memory: None };
    let (own, file, model) = (context.clone(), task.file(root), task.data_model());
    let rules = Rule::named(expected.rules).unwrap_or_default();
    let ended = supervise(limits, &context.interrupt, move || {
        let Ok(program) = tour_core::load(&[Input::file(file)], &LoadOptions::new(model)) else {
            return Outcome::Unknown;
        };
        let program = prepare(program, &rules);
        match verify_with(&program, &own, &Options::default()) {
            Verdict::Proved(_) => Outcome::Safe,
            Verdict::Violated(violation) => Outcome::Unsafe(program.checks[violation.check].rule),
            Verdict::Unknown(_) => Outcome::Unknown,
        }
    });
    match ended {
        Ended::Returned(outcome) => outcome,
        Ended::Stuck(_) | Ended::Panicked => Outcome::Unknown,
    }
}

fn main() {
    let args = Args::parse();
    println!("| folder | tasks | proved | violated | other | wrong | unknown | s |");
    println!("|---|--:|--:|--:|--:|--:|--:|--:|");
    let mut notes = Vec::new();
    for folder in &args.folder {
        let start = Instant::now();
        let (mut count, mut proved, mut violated, mut other, mut wrong, mut unknown) = (0, 0, 0, 0, 0, 0);
        for (task, expected) in tasks(&args.root, folder).into_iter().step_by(args.step) {
            count += 1;
            match (measure(&args.root, &task, expected, args.timeout), expected.violated) {
                (Outcome::Safe, None) => proved += 1,
                (Outcome::Unsafe(rule), Some(property))
                    if Rule::named(property).is_some_and(|rules| rules.contains(&rule)) =>
                {
                    violated += 1;
                }
                (Outcome::Unknown, _) => unknown += 1,
                (Outcome::Safe, Some(_)) => {
                    wrong += 1;
                    notes.push(format!("{}: proved", task.path));
                }
                (Outcome::Unsafe(rule), violated) => {
                    *(if violated.is_some() { &mut other } else { &mut wrong }) += 1;
                    notes.push(format!("{}: {}", task.path, rule.id()));
                }
            }
        }
        let time = start.elapsed().as_secs_f64();
        println!(
            "| {folder} | {count} | {proved} | {violated} | {other} | {wrong} | {unknown} | {time:.0} |"
        );
    }
    for note in notes {
        println!("\nNot as the name says: {note}");
    }
}
