//! Tuning values, measured: tasks run with half a value, with the value, and with twice the value.
//!
//! ```console
//! cargo build --release -p cargo-tour
//! cargo run -p tour-verify-core --example heuristics -- --list
//! cargo run -p tour-verify-core --example heuristics -- --root SVB/c --set core.txt --every 4 --limit 10 \
//!     --vary abstraction.max_values --runs runs.jsonl
//! cargo run -p tour-verify-core --example heuristics -- --root SVB/c --set core.txt --vary bmc --values 2,4,8 --jobs 2
//! ```
//!
//! `--root` is folder `c` of a checkout of sv-benchmarks (2015); a list has one path below it on each line. `--vary` takes
//! a field or a whole area, `--all` takes all fields. Each task is run by the command itself, in a process of its own, with
//! `--set`; the limit is CPU time of that process, and a run that is cut off counts with the whole limit. With `--runs FILE`
//! each run is noted when it ends, and one that is noted is not made again. The value as it is, is run once for all fields.
//!
//! Steps (of the solver, in the analysis that came last) and CPU time are those of the tasks that all values solve. Look at
//! the steps first: they hang less on the machine than time does. *No difference* means that answers and these steps are the
//! same with all values: the tasks do not get to the value, or only analyses do that others came after. What `fault.…`
//! changes is no matter of solved tasks: see example `faults`.

mod tasks;

use clap::Parser;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::{BTreeSet, HashMap};
use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use tasks::Task;
use tour_core::heuristics::Heuristics;
use tour_core::program::DataModel;

#[derive(Parser)]
struct Args {
    /// Only list the fields
    #[arg(long)]
    list: bool,
    /// The folder that the paths in the lists are below
    #[arg(long, default_value = ".")]
    root: PathBuf,
    /// A list of paths
    #[arg(long, required_unless_present = "list")]
    set: Vec<PathBuf>,
    /// Every N-th task of the lists
    #[arg(long, default_value_t = 1)]
    every: usize,
    /// A field, or an area
    #[arg(long, required_unless_present_any = ["all", "list"])]
    vary: Vec<String>,
    /// All fields
    #[arg(long)]
    all: bool,
    /// These values [default: half of it, the value, and twice as much]
    #[arg(long, value_delimiter = ',')]
    values: Vec<String>,
    /// Seconds of CPU time for each run
    #[arg(long, default_value_t = 10)]
    limit: u32,
    /// How many runs at a time
    #[arg(long, default_value_t = 1)]
    jobs: usize,
    /// Note runs here, and make none that is noted
    #[arg(long)]
    runs: Option<PathBuf>,
    /// The command
    #[arg(long, default_value = "target/release/cargo-tour")]
    tool: PathBuf,
    /// Further arguments for the command
    #[arg(long, allow_hyphen_values = true)]
    with: Vec<String>,
}

/// What a run gave.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Run {
    task: String,
    /// `AREA.FIELD=VALUE`; empty: all as they are.
    setting: String,
    /// The exit code: 0 safe, 1 unsafe.
    exit: Option<i32>,
    seconds: f64,
    steps: f64,
    /// Its limit: a run with another one says nothing.
    limit: u32,
}

impl Run {
    /// It gave the answer that the task's name says; `None` if it gave none.
    fn is_right(&self, task: &Task) -> Option<bool> {
        match self.exit {
            Some(0) => task.is_buggy().map(|buggy| !buggy),
            Some(1) => task.is_buggy(),
            _ => None,
        }
    }
}

type Runs = HashMap<(String, String), Run>;

fn main() {
    let args = Args::parse();
    let defaults = Heuristics::default();
    let is_wanted = |name: &str| {
        let is_in = |vary: &String| name == vary || name.starts_with(&format!("{vary}."));
        args.all || args.vary.iter().any(is_in)
    };
    let fields: Vec<&str> =
        Heuristics::fields().map(|field| field.name).filter(|name| args.list || is_wanted(name)).collect();
    if fields.is_empty() {
        eprintln!("no field is called {}: see --list", args.vary.join(" or "));
        std::process::exit(2);
    }
    if args.list {
        for field in Heuristics::fields() {
            let value = defaults.get(field.name).unwrap_or_default();
            println!("{} = {value}: {} Measured: {}.", field.name, field.decides.trim(), field.measured);
        }
        return;
    }
    let tasks: Vec<Task> = Task::read(&args.set).into_iter().step_by(args.every.max(1)).collect();
    let settings: Vec<(&str, Vec<Setting>)> =
        fields.iter().map(|name| (*name, settings(&args, &defaults, name))).collect();
    let wanted: Vec<(&Task, &str)> = work(&tasks, &settings);
    let runs = all_runs(&args, &wanted);
    println!("{} tasks, {} s each.\n", tasks.len(), args.limit);
    println!(
        "| field | value | solved | wrong | steps (10⁶), solved by all | CPU s, solved by all | CPU s |"
    );
    println!("|---|--:|--:|--:|--:|--:|--:|");
    for (name, settings) in &settings {
        let get = |task: &Task, setting: &Setting| runs.get(&(task.path.clone(), setting.text.clone()));
        let is_solved = |task: &Task, setting: &Setting| {
            get(task, setting).is_some_and(|run| run.is_right(task) == Some(true))
        };
        let by_all: Vec<&Task> =
            tasks.iter().filter(|task| settings.iter().all(|setting| is_solved(task, setting))).collect();
        for setting in settings {
            let own = || tasks.iter().filter_map(|task| Some((task, get(task, setting)?)));
            let solved = own().filter(|(task, run)| run.is_right(task) == Some(true)).count();
            let wrong: Vec<&str> = own()
                .filter(|(task, run)| run.is_right(task) == Some(false))
                .map(|(t, _)| t.name())
                .collect();
            let shared = || by_all.iter().filter_map(|task| get(task, setting));
            println!(
                "| {name} | {} | {solved} | {} | {:.2} | {:.1} | {:.1} |",
                setting.value,
                wrong.len(),
                shared().map(|run| run.steps).sum::<f64>() / 1e6,
                shared().map(|run| run.seconds).sum::<f64>(),
                own().map(|(_, run)| run.seconds).sum::<f64>(),
            );
            wrong.iter().for_each(|task| eprintln!("wrong: {name} = {} on {task}", setting.value));
        }
        let steps = |task: &Task| -> Vec<String> {
            settings
                .iter()
                .filter_map(|s| get(task, s))
                .map(|run| format!("{:?} {}", run.exit, run.steps))
                .collect()
        };
        if tasks.iter().map(steps).all(|all| all.windows(2).all(|pair| pair[0] == pair[1])) {
            println!("| {name} | no difference | | | | | |");
        }
    }
}

/// A value that is tried.
struct Setting {
    value: String,
    /// The argument for the command; empty for the value as it is.
    text: String,
}

/// The values of a field that are tried.
fn settings(args: &Args, defaults: &Heuristics, name: &str) -> Vec<Setting> {
    let now = defaults.get(name).unwrap_or_default();
    let values: Vec<String> = match args.values.is_empty() {
        false => args.values.clone(),
        true => [0.5, 1.0, 2.0].map(|factor| scaled(&now, factor).to_string()).to_vec(),
    };
    let unchanged = now.to_string();
    let mut found = BTreeSet::new();
    let mut settings = Vec::new();
    for value in values {
        let text = if value == unchanged { String::new() } else { format!("{name}={value}") };
        // What makes no sense is left out: a factor of growth of 1.
        let is_possible = defaults.clone().set(name, &value).is_ok();
        if is_possible && found.insert(text.clone()) {
            settings.push(Setting { value, text });
        }
    }
    settings
}

/// A number, or each of a list, times a factor.
fn scaled(value: &Value, factor: f64) -> Value {
    match value {
        Value::Array(all) => all.iter().map(|value| scaled(value, factor)).collect(),
        Value::Number(number) => match number.as_u64() {
            Some(whole) => ((whole as f64 * factor).round() as u64).max(1).into(),
            None => (number.as_f64().unwrap_or_default() * factor).into(),
        },
        other => other.clone(),
    }
}

/// Each task with each setting, once; all of a task next to each other, so that they see the same machine.
fn work<'a>(tasks: &'a [Task], settings: &'a [(&str, Vec<Setting>)]) -> Vec<(&'a Task, &'a str)> {
    let mut texts: Vec<&str> =
        settings.iter().flat_map(|(_, all)| all).map(|setting| setting.text.as_str()).collect();
    texts.sort_unstable();
    texts.dedup();
    tasks.iter().flat_map(|task| texts.iter().map(move |text| (task, *text))).collect()
}

fn all_runs(args: &Args, wanted: &[(&Task, &str)]) -> Runs {
    let runs = Mutex::new(args.runs.as_deref().map(|path| noted(path, args.limit)).unwrap_or_default());
    let next = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..args.jobs.max(1) {
            scope.spawn(|| {
                while let Some((task, setting)) = wanted.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let key = (task.path.clone(), (*setting).to_owned());
                    if runs.lock().is_ok_and(|runs| runs.contains_key(&key)) {
                        continue;
                    }
                    let run = measure(args, task, setting);
                    if let Ok(mut runs) = runs.lock() {
                        args.runs.iter().for_each(|path| note(path, &run));
                        runs.insert(key, run);
                    }
                }
            });
        }
    });
    runs.into_inner().unwrap_or_default()
}

/// Runs that were made before with this limit, by task and setting.
fn noted(path: &Path, limit: u32) -> Runs {
    let text = std::fs::read_to_string(path).unwrap_or_default();
    let runs = text.lines().filter_map(|line| serde_json::from_str::<Run>(line).ok());
    let runs = runs.filter(|run| run.limit == limit);
    runs.map(|run| ((run.task.clone(), run.setting.clone()), run)).collect()
}

fn note(path: &Path, run: &Run) {
    let file = File::options().create(true).append(true).open(path);
    let mut file = file.unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let line = serde_json::to_string(run).unwrap_or_default();
    writeln!(file, "{line}").unwrap_or_else(|e| panic!("{}: {e}", path.display()));
}

fn measure(args: &Args, task: &Task, setting: &str) -> Run {
    let model = match task.data_model() {
        DataModel::Ilp32 => "ilp32",
        DataModel::Lp64 => "lp64",
    };
    let mut command = Command::new("sh");
    command.arg("-c").arg(format!("ulimit -t {}; exec \"$0\" \"$@\"", args.limit)).arg(&args.tool);
    command.args(["tour", "check", "--json", "--timeout", "none", "--data-model", model]);
    if !setting.is_empty() {
        command.args(["--set", setting]);
    }
    command.args(&args.with).arg(task.file(&args.root)).stderr(Stdio::null());
    let output = command.output().unwrap_or_else(|e| panic!("{}: {e}", args.tool.display()));
    let document: Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
    let number = |name: &str| document["statistics"][name].as_f64();
    Run {
        task: task.path.clone(),
        setting: setting.to_owned(),
        exit: output.status.code(),
        seconds: number("cpu-time").unwrap_or(args.limit.into()),
        steps: number("solver-steps").unwrap_or(0.0),
        limit: args.limit,
    }
}
