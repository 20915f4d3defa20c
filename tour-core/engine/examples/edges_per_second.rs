//! How many edges explicit-state search takes in a second.
//!
//! ```console
//! cargo run --release -p tour-engine --example edges_per_second -- --seconds 20 FILE.c…
//! ```
//!
//! For each file (of a 32-bit program) a row: edges taken, refinements, states at the end, seconds of the search and of the
//! check of the certificate, edges in each second of the search, and the verdict. On Linux, seconds are CPU time.

use std::path::PathBuf;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};
use tour_c::LoadOptions;
use tour_c::front::Input;
use tour_engine::analysis::{Analysis, ExplicitState, Options, prepare};
use tour_engine::cegar::Order;
use tour_engine::context::Context;
use tour_evidence::evidence::check_certificate;
use tour_evidence::verdict::Verdict;
use tour_ir::choice::Choice;
use tour_ir::limits::StopReason;
use tour_ir::program::{DataModel, Rule};
use tour_ir::stats::Value;

/// How often the clock is looked at.
const TICK: Duration = Duration::from_millis(20);

/// CPU time of the thread that made it, or time that passes.
#[derive(Clone)]
struct Clock {
    account: Option<PathBuf>,
    start: Instant,
}

impl Clock {
    fn new() -> Clock {
        let thread = std::fs::read_link("/proc/thread-self").ok();
        let account = thread.map(|thread| PathBuf::from("/proc").join(thread).join("schedstat"));
        Clock { account, start: Instant::now() }
    }

    fn seconds(&self) -> f64 {
        let text = self.account.as_ref().and_then(|account| std::fs::read_to_string(account).ok());
        let nanoseconds = text.and_then(|text| text.split(' ').next()?.parse::<f64>().ok());
        nanoseconds.map_or(self.start.elapsed().as_secs_f64(), |cpu| cpu / 1e9)
    }
}

fn main() {
    let mut files: Vec<String> = std::env::args().skip(1).collect();
    let mut limit = 20.0;
    if let [first, seconds, ..] = &files[..]
        && first == "--seconds"
    {
        limit = seconds.parse().expect("a number of seconds");
        files.drain(..2);
    }
    let mut options = Options::default();
    if let [first, order, ..] = &files[..]
        && first == "--search"
    {
        options.search = Order::named(order).expect("an order of the waitlist");
        files.drain(..2);
    }
    println!("   edges  refine   states  search   check  edges/s  verdict");
    for file in files {
        let worker = thread::Builder::new().stack_size(256 << 20);
        let options = options.clone();
        let row = worker.spawn(move || row(&file, &options, limit)).expect("a thread");
        println!("{}", row.join().unwrap_or_else(|_| "it panicked".into()));
    }
}

fn row(file: &str, options: &Options, limit: f64) -> String {
    let loaded = tour_c::load(&[Input::file(file)], &LoadOptions::new(DataModel::Ilp32));
    let program = match loaded {
        Ok(program) => prepare(program, &Rule::STATED),
        Err(error) => return format!("{file}: {error}"),
    };
    let context = Context::default();
    let clock = Clock::new();
    let begin = clock.seconds();
    let (watched, interrupt) = (clock.clone(), context.interrupt.clone());
    let (verdict, search) = thread::scope(|scope| {
        let (done, ended) = mpsc::channel::<()>();
        scope.spawn(move || {
            while ended.recv_timeout(TICK) == Err(RecvTimeoutError::Timeout) {
                if watched.seconds() - begin > limit {
                    interrupt.stop(StopReason::Timeout);
                }
            }
        });
        let verdict = ExplicitState(options.clone()).run(&program, &context);
        drop(done);
        (verdict, clock.seconds() - begin)
    });
    let begin = clock.seconds();
    let checked = match &verdict {
        Verdict::Proved(proof) => {
            check_certificate(&program, &proof.certificate, &context.interrupt).map(|_| ())
        }
        Verdict::Violated(_) | Verdict::Unknown(_) => Ok(()),
    };
    let check = clock.seconds() - begin;
    let rows = context.stats.rows();
    let count = |name: &str| match rows.iter().find(|row| row.0 == name) {
        Some((_, Value::Count(count))) => *count,
        _ => 0,
    };
    let (edges, refinements, states) = (count("edges-taken"), count("refinements"), count("art-size"));
    let speed = edges as f64 / search;
    let verdict = checked.map_or_else(|why| format!("NOT CERTIFIED: {why}"), |()| verdict.to_string());
    format!(
        "{edges:>8} {refinements:>7} {states:>8} {search:>7.2} {check:>7.2} {speed:>8.0}  {verdict}  {file}"
    )
}
