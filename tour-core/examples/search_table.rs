//! Searches side by side: the tables of `[TOUR]` on TOUR (5.2 to 5.11), and histories for `cargo tour train`.
//!
//! ```console
//! cargo build --release -p cargo-tour
//! cargo run -p tour-verify-core --example search_table -- --root SVB/c --set core.txt --sample 60 --limit 10 --jobs 2
//! cargo run -p tour-verify-core --example search_table -- --root SVB/c --set core.txt --metrics --history runs.jsonl
//! ```
//!
//! `--root` is folder `c` of a checkout of sv-benchmarks (2015); a list has one path below it on each line. Each task is
//! run by the command itself, in a process of its own. Times and the limit are CPU times of these processes, so that they
//! mean the same on a busy machine; a run that is cut off counts with the whole limit. `--sample N` takes N tasks that are
//! spread evenly over the lists, half of them with a bug if there are as many; `--clean N` takes all tasks with a bug, and
//! N others. With `--runs FILE` each run is noted when it ends, and one that is noted already is not made again: a table
//! can be interrupted, and made of several parts.

mod tasks;

use clap::Parser;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::HashMap;
use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use tasks::Task;
use tour_core::LoadOptions;
use tour_core::analysis::Kind;
use tour_core::cfa::Features;
use tour_core::directed::Metric;
use tour_core::directed::select::Record;
use tour_core::front::Input;
use tour_core::program::DataModel;

#[derive(Parser)]
struct Args {
    /// The folder that the paths in the lists are below
    #[arg(long, default_value = ".")]
    root: PathBuf,
    /// A list of paths
    #[arg(long, required = true)]
    set: Vec<PathBuf>,
    /// How many of them
    #[arg(long)]
    sample: Option<usize>,
    /// All tasks with a bug, and this number without
    #[arg(long, conflicts_with = "sample")]
    clean: Option<usize>,
    /// Note runs here, and make none that is noted
    #[arg(long)]
    runs: Option<PathBuf>,
    /// Seconds of CPU time for each run
    #[arg(long, default_value_t = 10)]
    limit: u32,
    /// How many runs at a time
    #[arg(long, default_value_t = 1)]
    jobs: usize,
    /// The command
    #[arg(long, default_value = "target/release/cargo-tour")]
    tool: PathBuf,
    /// Only these configurations, such as LA,LA.T.bb [default: all]
    #[arg(long, value_delimiter = ',')]
    only: Vec<String>,
    /// Only the configurations with a fixed metric
    #[arg(long)]
    metrics: bool,
    /// Write the runs with a fixed metric to this history
    #[arg(long)]
    history: Option<PathBuf>,
    /// Further arguments for the command
    #[arg(long, allow_hyphen_values = true)]
    with: Vec<String>,
}

/// A configuration: `[TOUR]`'s name, and the arguments.
struct Configuration {
    name: String,
    args: Vec<String>,
    technique: &'static str,
    metric: Option<Metric>,
}

/// LA, LA.T.{st,bb,lh,lf}, LA.T, and the same for BAM.
fn configurations() -> Vec<Configuration> {
    let mut all = Vec::new();
    for (name, kind, analysis) in [("LA", Kind::PRODUCT, "product"), ("BAM", Kind::BAM, "bam")] {
        let mut add = |name: String, metric: Option<Metric>, rest: &[&str]| {
            let args = ["--analysis", analysis].iter().chain(rest).map(|a| (*a).to_owned()).collect();
            all.push(Configuration { name, args, technique: kind.technique(), metric });
        };
        add(name.to_owned(), None, &[]);
        for metric in Metric::ALL {
            let args = ["--search", "tour", "--metric", metric.name()];
            add(format!("{name}.T.{metric}"), Some(metric), &args);
        }
        add(format!("{name}.T"), None, &["--search", "tour", "--metric", "auto"]);
    }
    all
}

/// What a run gave.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Answer {
    Safe,
    Unsafe,
    Unknown,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct Run {
    task: String,
    configuration: String,
    answer: Answer,
    seconds: f64,
    states: f64,
}

/// Runs that were made before, by task and configuration.
fn noted(path: &Path) -> HashMap<(String, String), Run> {
    let text = std::fs::read_to_string(path).unwrap_or_default();
    let runs = text.lines().filter_map(|line| serde_json::from_str::<Run>(line).ok());
    runs.map(|run| ((run.task.clone(), run.configuration.clone()), run)).collect()
}

fn note(path: &Path, run: &Run) {
    let file = File::options().create(true).append(true).open(path);
    let mut file = file.unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let line = serde_json::to_string(run).unwrap_or_default();
    writeln!(file, "{line}").unwrap_or_else(|e| panic!("{}: {e}", path.display()));
}

fn main() {
    let args = Args::parse();
    let wanted = |c: &Configuration| {
        (args.only.is_empty() || args.only.contains(&c.name)) && (!args.metrics || c.metric.is_some())
    };
    let configurations: Vec<Configuration> = configurations().into_iter().filter(wanted).collect();
    let tasks = match args.clean {
        Some(clean) => with_all_bugs(Task::read(&args.set), clean),
        None => sample(Task::read(&args.set), args.sample),
    };
    let noted = args.runs.as_deref().map(noted).unwrap_or_default();
    let buggy = tasks.iter().filter(|t| t.is_buggy() == Some(true)).count();
    // All configurations of a task next to each other, so that they see the same machine.
    let total = tasks.len() * configurations.len();
    let next = AtomicUsize::new(0);
    let runs: Mutex<Vec<Option<Run>>> = Mutex::new((0..total).map(|_| None).collect());
    std::thread::scope(|scope| {
        for _ in 0..args.jobs.max(1) {
            scope.spawn(|| {
                loop {
                    let i = next.fetch_add(1, Ordering::Relaxed);
                    let Some(task) = tasks.get(i / configurations.len().max(1)) else { break };
                    let configuration = &configurations[i % configurations.len()];
                    let known = noted.get(&(task.path.clone(), configuration.name.clone()));
                    let run = known.cloned().unwrap_or_else(|| measure(&args, task, configuration));
                    if let Ok(mut runs) = runs.lock() {
                        if let (None, Some(path)) = (known, &args.runs) {
                            note(path, &run);
                        }
                        runs[i] = Some(run);
                    }
                }
            });
        }
    });
    let runs = runs.into_inner().unwrap_or_default();
    if let Some(path) = &args.history {
        let text = history(&args, &tasks, &configurations, &runs);
        std::fs::write(path, text).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    }
    println!("{} tasks, {buggy} with a bug; {} s each.\n", tasks.len(), args.limit);
    println!("| configuration | bugs found | proved | wrong | CPU s | CPU s buggy | states |");
    println!("|---|--:|--:|--:|--:|--:|--:|");
    for (c, configuration) in configurations.iter().enumerate() {
        let (mut found, mut proved, mut wrong) = (0, 0, Vec::new());
        let (mut seconds, mut seconds_buggy, mut states) = (0.0, 0.0, 0.0);
        for (t, task) in tasks.iter().enumerate() {
            let Some(run) = &runs[t * configurations.len() + c] else { continue };
            match (run.answer, task.is_buggy()) {
                (Answer::Unsafe, Some(true)) => found += 1,
                (Answer::Safe, Some(false)) => proved += 1,
                (Answer::Safe, Some(true)) | (Answer::Unsafe, Some(false)) => wrong.push(task.name()),
                (Answer::Unknown, _) | (_, None) => {}
            }
            seconds += run.seconds;
            states += run.states;
            seconds_buggy += if task.is_buggy() == Some(true) { run.seconds } else { 0.0 };
        }
        println!(
            "| {} | {found} | {proved} | {} | {seconds:.1} | {seconds_buggy:.1} | {states} |",
            configuration.name,
            wrong.len(),
        );
        wrong.iter().for_each(|name| eprintln!("wrong: {} on {name}", configuration.name));
    }
}

/// `n` tasks spread evenly over these.
fn spread(tasks: Vec<Task>, n: usize) -> Vec<Task> {
    let n = n.min(tasks.len());
    (0..n).map(|i| tasks[i * tasks.len() / n].clone()).collect()
}

/// All tasks with a bug, and `clean` others.
fn with_all_bugs(tasks: Vec<Task>, clean: usize) -> Vec<Task> {
    let (mut chosen, others): (Vec<Task>, Vec<Task>) =
        tasks.into_iter().partition(|t| t.is_buggy() == Some(true));
    chosen.extend(spread(others, clean));
    chosen
}

/// `n` tasks spread evenly over those with a bug, then over the others.
fn sample(tasks: Vec<Task>, n: Option<usize>) -> Vec<Task> {
    let Some(n) = n.filter(|n| *n < tasks.len()) else { return tasks };
    let (buggy, clean): (Vec<Task>, Vec<Task>) = tasks.into_iter().partition(|t| t.is_buggy() == Some(true));
    let mut chosen = spread(buggy, n.div_ceil(2));
    let left = n - chosen.len();
    chosen.extend(spread(clean, left));
    chosen
}

fn measure(args: &Args, task: &Task, configuration: &Configuration) -> Run {
    let model = match task.data_model() {
        DataModel::Ilp32 => "ilp32",
        DataModel::Lp64 => "lp64",
    };
    let mut command = Command::new("sh");
    command.arg("-c").arg(format!("ulimit -t {}; exec \"$0\" \"$@\"", args.limit)).arg(&args.tool);
    command.args(["tour", "check", "--json", "--timeout", "none", "--data-model", model]);
    command.args(&configuration.args).args(&args.with);
    command.arg(task.file(&args.root)).stderr(Stdio::null());
    let output = command.output().unwrap_or_else(|e| panic!("{}: {e}", args.tool.display()));
    let document: Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
    let number = |name: &str| document["statistics"][name].as_f64();
    let answer = match output.status.code() {
        Some(0) => Answer::Safe,
        Some(1) => Answer::Unsafe,
        _ => Answer::Unknown,
    };
    let seconds = number("cpu-time").unwrap_or(args.limit.into());
    Run {
        task: task.path.clone(),
        configuration: configuration.name.clone(),
        answer,
        seconds,
        states: number("art-size").unwrap_or(0.0),
    }
}

/// The runs with a fixed metric, as records of a history.
fn history(args: &Args, tasks: &[Task], configurations: &[Configuration], runs: &[Option<Run>]) -> String {
    let mut text = String::new();
    for (t, task) in tasks.iter().enumerate() {
        let input = Input::file(task.file(&args.root));
        let Ok(program) = tour_core::load(&[input], &LoadOptions::new(task.data_model())) else { continue };
        let features = Features::of(&program);
        for (c, configuration) in configurations.iter().enumerate() {
            let (Some(metric), Some(run)) = (configuration.metric, &runs[t * configurations.len() + c])
            else {
                continue;
            };
            let record = Record {
                program: task.path.clone(),
                analysis: configuration.technique.to_owned(),
                metric,
                solved: run.answer != Answer::Unknown,
                time: run.seconds,
                features,
            };
            text += &(record.line() + "\n");
        }
    }
    text
}
