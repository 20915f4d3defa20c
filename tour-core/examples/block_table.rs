//! Single-block against large-block encoding, side by side: the columns of [LBE, Tables I to III].
//!
//! ```console
//! cargo run --release -p tour-verify-core --example block_table -- --root SVB/c --set seed-lbe.txt --timeout 10
//! cargo run --release -p tour-verify-core --example block_table -- --locks 5,10,20,40,60,80,100
//! ```
//!
//! `--root` is folder `c` of a checkout of sv-benchmarks (2015); a list has one path below it on each line. `--locks`
//! generates programs like `test_locks_n` instead. Both print a table in Markdown; times are those of the analysis.

mod tasks;

use clap::Parser;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tasks::Task;
use tour_core::LoadOptions;
use tour_core::analysis::{Kind, Options, verify_with};
use tour_core::context::{BlockEncoding, Context};
use tour_core::domain::predicate::Abstraction;
use tour_core::front::Input;
use tour_core::limits::{Ended, Limits, supervise};
use tour_core::prepared::Prepared;
use tour_core::program::DataModel;
use tour_core::stats::Value;

#[derive(Parser)]
struct Args {
    /// The folder that the paths in the lists are below
    #[arg(long, default_value = ".")]
    root: PathBuf,
    /// A list of paths
    #[arg(long)]
    set: Vec<PathBuf>,
    /// Numbers of locks of the programs
    #[arg(long, value_delimiter = ',')]
    locks: Vec<usize>,
    /// Seconds for each program and encoding
    #[arg(long, default_value_t = 10.0)]
    timeout: f64,
}

/// The configurations: single blocks with Cartesian abstraction, and large blocks with Boolean abstraction, as in the
/// paper.
const CONFIGURATIONS: [(BlockEncoding, Abstraction); 2] =
    [(BlockEncoding::Sbe, Abstraction::Cartesian), (BlockEncoding::Lbe, Abstraction::Boolean)];

fn main() {
    let args = Args::parse();
    println!(
        "| program | SBE s | ART | ref. | pred. | avg | max | LBE s | ART | ref. | pred. | avg | max | verdicts |"
    );
    println!("|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|---|");
    let mut totals = [(Duration::ZERO, 0); 2];
    for n in args.locks {
        let name = format!("locks {n}");
        row(&name, Input::text(format!("locks_{n}.i"), locks(n)), args.timeout, &mut totals);
    }
    for task in Task::read(&args.set) {
        row(task.name(), Input::file(task.file(&args.root)), args.timeout, &mut totals);
    }
    let [(sbe, sbe_solved), (lbe, lbe_solved)] = totals;
    println!(
        "\nSolved: SBE {sbe_solved} in {:.1} s, LBE {lbe_solved} in {:.1} s.",
        sbe.as_secs_f64(),
        lbe.as_secs_f64()
    );
}

fn row(name: &str, input: Input, timeout: f64, totals: &mut [(Duration, usize); 2]) {
    let Ok(program) = tour_core::load(&[input], &LoadOptions::new(DataModel::Ilp32)) else {
        println!("| {name} | can't be read |");
        return;
    };
    let program = Arc::new(Prepared::new(program));
    let mut cells = Vec::new();
    let mut verdicts = Vec::new();
    for ((block, abstraction), total) in CONFIGURATIONS.into_iter().zip(totals) {
        let (verdict, time, values) = measure(&program, block, abstraction, timeout);
        if verdict == "SAFE" || verdict == "UNSAFE" {
            *total = (total.0 + time, total.1 + 1);
            cells.push(format!("{:.2}", time.as_secs_f64()));
        } else {
            cells.push(format!("> {timeout:.0}"));
        }
        cells.extend(values);
        verdicts.push(verdict);
    }
    println!("| {name} | {} | {} |", cells.join(" | "), verdicts.join(", "));
}

fn measure(
    program: &Arc<Prepared>,
    block: BlockEncoding,
    abstraction: Abstraction,
    timeout: f64,
) -> (String, Duration, Vec<String>) {
    let context = Context::default();
    let options = Options { analysis: Kind::PREDICATE, block, abstraction, ..Options::default() };
    let limits = Limits { time: Some(Duration::from_secs_f64(timeout)), memory: None };
    let (own, program) = (context.clone(), program.clone());
    let start = Instant::now();
    let ended =
        supervise(limits, &context.interrupt, move || verify_with(&program, &own, &options).to_string());
    let time = start.elapsed();
    let verdict = match ended {
        Ended::Returned(verdict) => verdict.split(' ').next().unwrap_or("UNKNOWN").to_owned(),
        Ended::Stuck(_) | Ended::Panicked => "UNKNOWN".to_owned(),
    };
    let rows = context.stats.rows();
    let column = |name: &str| match rows.iter().find(|row| row.0 == name) {
        Some((_, Value::Number(x))) => format!("{x:.1}"),
        Some((_, value)) => value.to_string(),
        None => "-".to_owned(),
    };
    let columns = ["art-size", "refinements", "predicates", "predicates-average", "predicates-max"];
    (verdict, time, columns.map(column).to_vec())
}

/// A program that takes and releases `n` locks in a loop, each if an input says so, and checks each release.
fn locks(n: usize) -> String {
    let mut text = String::from(
        "extern int __VERIFIER_nondet_int(void);\nextern void __VERIFIER_error(void);\nint main(void) {\n",
    );
    for i in 1..=n {
        text += &format!("  int p{i} = __VERIFIER_nondet_int(), lk{i};\n");
    }
    text += "  while (__VERIFIER_nondet_int()) {\n";
    for i in 1..=n {
        text += &format!("    lk{i} = 0;\n");
    }
    for i in 1..=n {
        text += &format!("    if (p{i} != 0) lk{i} = 1;\n");
    }
    for i in 1..=n {
        text += &format!("    if (p{i} != 0) {{ if (lk{i} != 1) goto bad; lk{i} = 0; }}\n");
    }
    text += "  }\n  return 0;\nbad:\n  __VERIFIER_error();\n  return 0;\n}\n";
    text
}
