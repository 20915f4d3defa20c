//! Reads every file of some lists and prints how the front end fared: failures, unsupported edges by kind, times.
//!
//! ```console
//! cargo run --release -p tour-verify-core --example frontend_stats -- --root SVB/c --set core.txt --set real.txt
//! ```
//!
//! `--root` is folder `c` of a checkout of sv-benchmarks (2015); a list has one path below it on each line.

use clap::Parser;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use tour_core::LoadOptions;
use tour_core::front::Input;
use tour_core::program::DataModel;

#[derive(Parser)]
struct Args {
    /// The folder that the paths in the lists are below
    #[arg(long)]
    root: PathBuf,
    /// A list of paths
    #[arg(long, required = true)]
    set: Vec<PathBuf>,
    /// Show each failure and the slowest files
    #[arg(long)]
    verbose: bool,
    /// Threads
    #[arg(long, default_value_t = 2)]
    jobs: usize,
}

/// Folders of the collection whose tasks are for 64 bits; all others are for 32.
const LP64: [&str; 6] =
    ["ldv-linux-", "ldv-validator", "ldv-commit", "ldv-consumption", "ldv-challenges", "busybox"];

/// What is known of one file.
struct Row {
    path: String,
    bytes: u64,
    time: Duration,
    result: Result<Counts, String>,
}

#[derive(Default)]
struct Counts {
    functions: usize,
    locations: usize,
    edges: usize,
    unsupported: BTreeMap<&'static str, usize>,
}

fn main() {
    let args = Args::parse();
    for set in &args.set {
        let list = std::fs::read_to_string(set).unwrap_or_else(|e| panic!("{}: {e}", set.display()));
        let tasks = list.lines().filter(|l| !l.is_empty() && !l.starts_with('#'));
        let tasks: Vec<&str> = tasks.filter_map(|l| l.split('\t').next()).collect();
        let rows = read_all(&args.root, &tasks, args.jobs);
        print(&set.file_stem().unwrap_or_default().to_string_lossy(), &rows, args.verbose);
    }
}

fn read_all(root: &Path, tasks: &[&str], jobs: usize) -> Vec<Row> {
    let next = AtomicUsize::new(0);
    let rows = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..jobs.max(1) {
            scope.spawn(|| {
                while let Some(task) = tasks.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let row = read(root, task);
                    rows.lock().expect("no thread panics with the lock").push(row);
                }
            });
        }
    });
    let mut rows = rows.into_inner().expect("no thread panics with the lock");
    rows.sort_by(|a, b| a.path.cmp(&b.path));
    rows
}

fn read(root: &Path, task: &str) -> Row {
    let path = root.join(task);
    let model = if LP64.iter().any(|p| task.starts_with(p)) { DataModel::Lp64 } else { DataModel::Ilp32 };
    let bytes = std::fs::metadata(&path).map_or(0, |m| m.len());
    let start = Instant::now();
    let result = match tour_core::load(&[Input::file(path)], &LoadOptions::new(model)) {
        Ok(program) => Ok(Counts {
            functions: program.functions.iter().filter(|f| f.body.is_some()).count(),
            locations: program.cfa.locs.len(),
            edges: program.cfa.edges.len(),
            unsupported: unsupported_by_kind(&program),
        }),
        Err(error) => Err(error.to_string()),
    };
    Row { path: task.to_owned(), bytes, time: start.elapsed(), result }
}

fn print(set: &str, rows: &[Row], verbose: bool) {
    let bytes: u64 = rows.iter().map(|r| r.bytes).sum();
    let time: Duration = rows.iter().map(|r| r.time).sum();
    let failed: Vec<&Row> = rows.iter().filter(|r| r.result.is_err()).collect();
    let good: Vec<&Counts> = rows.iter().filter_map(|r| r.result.as_ref().ok()).collect();
    let sum = |f: fn(&Counts) -> usize| good.iter().map(|c| f(c)).sum::<usize>();
    println!("{set}: {} files, {} failures", rows.len(), failed.len());
    println!(
        "  {} functions, {} locations, {} edges",
        sum(|c| c.functions),
        sum(|c| c.locations),
        sum(|c| c.edges)
    );
    let slowest = rows.iter().map(|r| r.time).max().unwrap_or_default();
    println!(
        "  {:.1} MB in {:.1} s (sum over files), slowest {:.2} s",
        bytes as f64 / 1e6,
        time.as_secs_f64(),
        slowest.as_secs_f64()
    );
    let mut kinds: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    for counts in &good {
        for (kind, n) in &counts.unsupported {
            let entry = kinds.entry(kind).or_default();
            entry.0 += n;
            entry.1 += 1;
        }
    }
    let clean = good.iter().filter(|c| c.unsupported.is_empty()).count();
    println!("  unsupported edges: none in {clean} files");
    for (kind, (edges, files)) in kinds {
        println!("    {kind:<28} {edges:>6} in {files} files");
    }
    if verbose {
        for row in failed {
            println!("  failed: {}: {}", row.path, row.result.as_ref().err().map_or("", String::as_str));
        }
        let mut by_time: Vec<&Row> = rows.iter().collect();
        by_time.sort_by_key(|r| std::cmp::Reverse(r.time));
        for row in by_time.iter().take(5) {
            println!("  {:.2} s: {} ({} kB)", row.time.as_secs_f64(), row.path, row.bytes / 1000);
        }
    }
}

/// The number of unsupported edges by their kind.
fn unsupported_by_kind(program: &tour_core::program::Program) -> BTreeMap<&'static str, usize> {
    let mut counts = BTreeMap::new();
    for edge in &program.cfa.edges {
        if let tour_core::program::Op::Unsupported(what) = &edge.op {
            *counts.entry(what.kind).or_default() += 1;
        }
    }
    counts
}
