//! The reductions for programs with threads, side by side: Table 4.1 of the paper on data-flow-based statement reduction.
//!
//! ```console
//! cargo run --release -p tour-verify-core --example thread_table -- --root SVB/c --set threads.txt --timeout 20
//! ```
//!
//! `--root` is folder `c` of a checkout of sv-benchmarks (2015); a list has one path below it on each line, whose name says
//! the expected verdict. Sums are over the programs that all configurations of a domain solve, as in the paper; times are
//! those of the analysis without the check of certificates, which is verified apart. On Linux they are CPU times, and so is
//! the limit, so that what else the machine does matters little; elsewhere, time that passes.

use clap::Parser;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};
use tour_core::LoadOptions;
use tour_core::analysis::{Kind, Options, prepare_with, verify_with};
use tour_core::context::Context;
use tour_core::front::Input;
use tour_core::limits::{Ended, Limits, StopReason, supervise};
use tour_core::prepared::Prepared;
use tour_core::program::{DataModel, Rule};
use tour_core::stats::Value;
use tour_core::threads::{Coi, Por};

#[derive(Parser)]
struct Args {
    /// The folder that the paths in the lists are below
    #[arg(long, default_value = ".")]
    root: PathBuf,
    /// A list of paths
    #[arg(long)]
    set: Vec<PathBuf>,
    /// Seconds of CPU time for each program and configuration
    #[arg(long, default_value_t = 10.0)]
    timeout: f64,
    /// Look at every so manieth program only
    #[arg(long, default_value_t = 1)]
    every: usize,
    /// Say the verdict of each program
    #[arg(long)]
    tasks: bool,
    /// Check the certificates of proofs, too
    #[arg(long)]
    certify: bool,
}

/// How many seconds may pass for each second of CPU time.
const PATIENCE: f64 = 10.0;

/// How often the clock is looked at.
const TICK: Duration = Duration::from_millis(20);

const DOMAINS: [(&str, Kind); 2] = [("EXPL", Kind::VALUE), ("PRED", Kind::PREDICATE)];
const REDUCTIONS: [(&str, Coi); 3] = [("NO COI", Coi::Off), ("COI", Coi::On), ("POR-COI", Coi::PorCoi)];

/// What came of one program in one configuration.
struct Result {
    verdict: String,
    simplified: f64,
    successors: f64,
    time: f64,
}

/// The CPU time of the thread that made it; the time that passes where that is not known.
#[derive(Clone)]
struct Clock {
    account: Option<PathBuf>,
    start: Instant,
    used: f64,
}

impl Clock {
    fn new() -> Clock {
        let thread = std::fs::read_link("/proc/thread-self").ok();
        let account = thread.map(|thread| PathBuf::from("/proc").join(thread).join("schedstat"));
        let clock = Clock { account, start: Instant::now(), used: 0.0 };
        Clock { used: clock.cpu().unwrap_or(0.0), ..clock }
    }

    fn cpu(&self) -> Option<f64> {
        let text = std::fs::read_to_string(self.account.as_ref()?).ok()?;
        let nanoseconds: f64 = text.split(' ').next()?.parse().ok()?;
        Some(nanoseconds / 1e9)
    }

    fn seconds(&self) -> f64 {
        self.cpu().map_or(self.start.elapsed().as_secs_f64(), |cpu| cpu - self.used)
    }
}

fn main() {
    let args = Args::parse();
    let mut tasks = Vec::new();
    for set in &args.set {
        let list = std::fs::read_to_string(set).unwrap_or_else(|e| panic!("{}: {e}", set.display()));
        let paths = list.lines().filter(|l| !l.is_empty() && !l.starts_with('#'));
        tasks.extend(paths.step_by(args.every.max(1)).map(str::to_owned));
    }
    println!("| domain | coi | simplified ratio | successors (s) | time (s) | solved | wrong |");
    println!("|---|---|--:|--:|--:|--:|--:|");
    for (domain, kind) in DOMAINS {
        let results: Vec<Vec<Option<Result>>> = tasks
            .iter()
            .map(|task| REDUCTIONS.iter().map(|(_, coi)| run(&args, task, kind, *coi)).collect())
            .collect();
        let solved =
            |r: &Option<Result>| r.as_ref().is_some_and(|r| r.verdict == "SAFE" || r.verdict == "UNSAFE");
        let common: Vec<&Vec<Option<Result>>> = results.iter().filter(|row| row.iter().all(solved)).collect();
        for (i, (name, _)) in REDUCTIONS.iter().enumerate() {
            let of = |f: fn(&Result) -> f64| -> f64 {
                common.iter().filter_map(|row| row[i].as_ref()).map(f).sum()
            };
            let wrong = results.iter().zip(&tasks).filter(|(row, task)| {
                let expected = if task.contains("true-unreach") { "SAFE" } else { "UNSAFE" };
                solved(&row[i]) && row[i].as_ref().is_some_and(|r| r.verdict != expected)
            });
            println!(
                "| {domain} | {name} | {:.3} | {:.2} | {:.2} | {} | {} |",
                of(|r| r.simplified) / (common.len().max(1) as f64),
                of(|r| r.successors),
                of(|r| r.time),
                results.iter().filter(|row| solved(&row[i])).count(),
                wrong.count(),
            );
        }
        println!("\n{} of {} programs are solved by all three.\n", common.len(), tasks.len());
    }
}

fn run(args: &Args, task: &str, kind: Kind, coi: Coi) -> Option<Result> {
    let program =
        tour_core::load(&[Input::file(args.root.join(task))], &LoadOptions::new(DataModel::Ilp32)).ok()?;
    let program = prepare_with(program, &Rule::STATED, 8);
    let program: Arc<Prepared> = Arc::new(program);
    let context = Context::default();
    let options =
        Options { analysis: kind, por: Por::Static, coi, certify: args.certify, ..Options::default() };
    let limits = Limits { time: Some(Duration::from_secs_f64(args.timeout * PATIENCE)), memory: None };
    let (own, limit) = (context.clone(), args.timeout);
    let ended = supervise(limits, &context.interrupt, move || {
        let clock = Clock::new();
        let (watched, interrupt) = (clock.clone(), own.interrupt.clone());
        let verdict = thread::scope(|scope| {
            let (done, ended) = mpsc::channel::<()>();
            scope.spawn(move || {
                while ended.recv_timeout(TICK) == Err(RecvTimeoutError::Timeout) {
                    if watched.seconds() > limit {
                        interrupt.stop(StopReason::Timeout);
                    }
                }
            });
            let verdict = verify_with(&program, &own, &options).to_string();
            drop(done);
            verdict
        });
        (verdict, clock.seconds())
    });
    let (full, time) = match ended {
        Ended::Returned(result) => result,
        Ended::Stuck(_) | Ended::Panicked => ("UNKNOWN".to_owned(), args.timeout),
    };
    let rows = context.stats.rows();
    let number = |name: &str| match rows.iter().find(|row| row.0 == name).map(|row| &row.1) {
        Some(Value::Count(n)) => *n as f64,
        Some(Value::Time(time)) => time.as_secs_f64(),
        Some(Value::Number(x)) => *x,
        _ => 0.0,
    };
    let simplified = (number("simplified-nop") + number("simplified-havoc")) / number("statements").max(1.0);
    if args.tasks {
        eprintln!(
            "{kind:?} {coi:?} {time:.2} s, successors {:.2} s, {simplified:.2} of {} statements, {} tuples  {task}: {full}",
            number("successor-time"),
            number("statements"),
            number("tuples"),
        );
    }
    let verdict = full.split(' ').next().unwrap_or_default().to_owned();
    Some(Result { verdict, simplified, successors: number("successor-time"), time })
}
