//! Block-abstraction memoization with and without its cache, on programs with many calls of the same function.
//!
//! ```console
//! cargo run --release -p tour-verify-core --example call_table -- --calls 10,100,1000 --timeout 60
//! ```
//!
//! Prints a table in Markdown. Times are those of the analysis, without the check of the certificate.

use clap::Parser;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tour_core::LoadOptions;
use tour_core::analysis::{Kind, Options, verify_with};
use tour_core::context::Context;
use tour_core::front::Input;
use tour_core::limits::{Ended, Limits, supervise};
use tour_core::prepared::Prepared;
use tour_core::program::DataModel;

#[derive(Parser)]
struct Args {
    /// How many calls the programs have
    #[arg(long, value_delimiter = ',', default_value = "10,20,50,100,200,500,1000")]
    calls: Vec<usize>,
    /// Seconds for each program
    #[arg(long, default_value_t = 60.0)]
    timeout: f64,
}

fn main() {
    let args = Args::parse();
    println!("| calls | cache s | ms a call | hits | blocks | no cache s | ms a call | blocks | verdicts |");
    println!("|--:|--:|--:|--:|--:|--:|--:|--:|---|");
    for calls in args.calls {
        let input = Input::text(format!("calls_{calls}.i"), program(calls));
        let Ok(program) = tour_core::load(&[input], &LoadOptions::new(DataModel::Ilp32)) else {
            println!("| {calls} | can't be read |");
            continue;
        };
        let program = Arc::new(Prepared::new(program));
        let [with, without] = [true, false].map(|cache| measure(&program, calls, cache, args.timeout));
        println!(
            "| {calls} | {} | {} | {} | {} | {} | {}, {} |",
            with.time, with.hits, with.blocks, without.time, without.blocks, with.verdict, without.verdict
        );
    }
}

struct Measured {
    verdict: String,
    time: String,
    hits: String,
    blocks: String,
}

fn measure(program: &Arc<Prepared>, calls: usize, cache: bool, timeout: f64) -> Measured {
    let context = Context::default();
    let options = Options { analysis: Kind::BAM, cache, certify: false, ..Options::default() };
    let limits = Limits { time: Some(Duration::from_secs_f64(timeout)), memory: None };
    let (own, program) = (context.clone(), program.clone());
    let start = Instant::now();
    let ended =
        supervise(limits, &context.interrupt, move || verify_with(&program, &own, &options).to_string());
    let time = start.elapsed().as_secs_f64();
    let verdict = match ended {
        Ended::Returned(verdict) => verdict.split(' ').next().unwrap_or("UNKNOWN").to_owned(),
        Ended::Stuck(_) | Ended::Panicked => "UNKNOWN".to_owned(),
    };
    let rows = context.stats.rows();
    let column = |name: &str| rows.iter().find(|r| r.0 == name).map_or("-".to_owned(), |r| r.1.to_string());
    let time = match verdict.as_str() {
        "SAFE" | "UNSAFE" => format!("{time:.2} | {:.2}", time * 1000.0 / calls as f64),
        _ => format!("> {timeout:.0} | -"),
    };
    Measured { verdict, time, hits: column("cache-hits"), blocks: column("blocks-analysed") }
}

/// A program that calls a function with a loop and a branch a number of times.
fn program(calls: usize) -> String {
    let mut text = String::from(
        "extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_error(void);
int step(int x) {
  int i = 0, s = 0;
  while (i < 4) {
    if (x > 0) s = s + 1; else s = s - 1;
    i = i + 1;
  }
  if (s > 4) __VERIFIER_error();
  return s;
}
int main(void) {
  int total;
",
    );
    for _ in 0..calls {
        text += "  total = step(__VERIFIER_nondet_int());\n";
    }
    text + "  return 0;\n}\n"
}
