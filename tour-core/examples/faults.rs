//! How well fault localisation does on the seeded faults of `tests/faults`: `faults [-v] [NAME]...`.
//!
//! Each file there is a right program. A line `//? c: TEXT` (a condition), `//? a: TEXT` (an assignment) or `//? k: TEXT`
//! (the claim) is a fault: the last line of code before it is replaced by the text. For every technique and for all
//! together it prints how many faults are located (the line is among the suspects), how many in the first three and
//! first, how many lines are reported, the rank function of [FAULT §6.2], and the time. Wrong claims, which `[FAULT]`
//! does not have, have a table of their own.
//!
//! With `--shrunk`, inputs of the failing run are made small first, as for what users are shown.
//!
//! `faults --paths` prints what the closest run costs among more and more successful paths.

use std::path::Path;
use std::time::{Duration, Instant};
use tour_core::analysis;
use tour_core::confirm::shrink;
use tour_core::context::Context;
use tour_core::fault::{self, Case, Options};
use tour_core::front::Input;
use tour_core::prepared::Prepared;
use tour_core::program::DataModel;
use tour_core::result::Finding;
use tour_core::verdict::Verdict;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Condition,
    Assignment,
    Claim,
}

struct Fault {
    name: String,
    text: String,
    line: u32,
    kind: Kind,
}

fn faults(path: &Path) -> Vec<Fault> {
    let text = std::fs::read_to_string(path).unwrap_or_default();
    let lines: Vec<&str> = text.lines().collect();
    let name = path.file_stem().unwrap_or_default().to_string_lossy();
    let mut code = 0;
    let mut found = Vec::new();
    for (i, line) in lines.iter().enumerate() {
        let Some(fault) = line.trim_start().strip_prefix("//? ") else {
            code = i;
            continue;
        };
        let Some((kind, replacement)) = fault.split_once(": ") else { continue };
        let mut changed = lines.clone();
        changed[code] = replacement;
        found.push(Fault {
            name: format!("{name}:{} {}", code + 1, replacement.trim_end_matches(['{', ' '])),
            text: changed.join("\n"),
            line: code as u32 + 1,
            kind: match kind {
                "c" => Kind::Condition,
                "k" => Kind::Claim,
                _ => Kind::Assignment,
            },
        });
    }
    found
}

#[derive(Default)]
struct Row {
    faults: usize,
    located: [usize; 2],
    of_kind: [usize; 2],
    top: usize,
    first: usize,
    lines: usize,
    answers: usize,
    rank: f64,
    time: Duration,
    slowest: Duration,
}

impl Row {
    fn add(&mut self, fault: &Fault, lines: &[u32], time: Duration) -> Option<usize> {
        let kind = usize::from(fault.kind == Kind::Condition);
        self.faults += 1;
        self.of_kind[kind] += 1;
        let at = lines.iter().position(|line| *line == fault.line);
        self.located[kind] += usize::from(at.is_some());
        self.top += usize::from(at.is_some_and(|at| at < 3));
        self.first += usize::from(at == Some(0));
        self.lines += lines.len();
        self.answers += usize::from(!lines.is_empty());
        self.rank += fault.text.lines().count() as f64 / lines.len().max(1) as f64;
        self.time += time;
        self.slowest = self.slowest.max(time);
        at
    }

    fn print(&self, name: &str) {
        let of = |n: usize, all: usize| 100.0 * n as f64 / all.max(1) as f64;
        let located = self.located.iter().sum();
        println!(
            "{name:<12} {:>6.1} % {:>6.1} % {:>6.1} % {:>6.1} % {:>6.1} % {:>6.1} % {:>6.1} {:>7.2} {:>8.3}s {:>8.3}s",
            of(self.answers, self.faults),
            of(located, self.faults),
            of(self.located[1], self.of_kind[1]),
            of(self.located[0], self.of_kind[0]),
            of(self.top, self.faults),
            of(self.first, self.faults),
            self.lines as f64 / self.answers.max(1) as f64,
            of(located, self.faults) / 100.0 * self.rank / self.faults.max(1) as f64,
            self.time.as_secs_f64() / self.faults.max(1) as f64,
            self.slowest.as_secs_f64(),
        );
    }
}

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    if args.iter().any(|arg| arg == "--paths") {
        return paths();
    }
    let verbose = args.iter().any(|arg| arg == "-v");
    let names: Vec<&String> = args.iter().filter(|arg| !arg.starts_with('-')).collect();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/faults");
    let mut files: Vec<_> =
        std::fs::read_dir(folder).into_iter().flatten().flatten().map(|e| e.path()).collect();
    files.sort();
    let techniques = fault::techniques();
    let rows = || techniques.iter().map(|_| Row::default()).chain([Row::default()]).collect::<Vec<Row>>();
    let (mut of_program, mut of_claim) = (rows(), rows());
    for fault in files.iter().flat_map(|file| faults(file)) {
        if !names.is_empty() && !names.iter().any(|name| fault.name.contains(name.as_str())) {
            continue;
        }
        let loaded = tour_core::load(
            &[Input::text("fault.i", fault.text.clone())],
            &tour_core::LoadOptions::new(DataModel::Lp64),
        );
        let program = match loaded {
            Ok(program) => Prepared::new(program),
            Err(error) => {
                println!("{}: {error}", fault.name);
                continue;
            }
        };
        let context = Context::default();
        let Verdict::Violated(mut violation) = analysis::verify(&program, &context) else {
            println!("{}: no violation found", fault.name);
            continue;
        };
        if args.iter().any(|arg| arg == "--shrunk") {
            *violation = shrink(&program, *violation, &context);
        }
        let start = Instant::now();
        let mut case = match Case::new(&program, &violation, &context, &Options::default()) {
            Ok(case) => case,
            Err(why) => {
                println!("{}: {why}", fault.name);
                continue;
            }
        };
        let rows = if fault.kind == Kind::Claim { &mut of_claim } else { &mut of_program };
        let mut findings: Vec<Finding> = Vec::new();
        let mut positions = Vec::new();
        for (technique, row) in techniques.iter().zip(rows.iter_mut()) {
            let start = Instant::now();
            case.renew_budget();
            let found = technique.locate(&mut case);
            let time = start.elapsed();
            let lines = match &found {
                Ok(finding) => finding.suspects.iter().map(|s| s.line.line).collect(),
                Err(_) => Vec::new(),
            };
            let at = row.add(&fault, &lines, time);
            positions.push(match (&found, at) {
                (Err(why), _) => format!("{} none ({why})", technique.id()),
                (_, Some(at)) => format!("{} {}/{}", technique.id(), at + 1, lines.len()),
                (_, None) => format!("{} -/{}", technique.id(), lines.len()),
            });
            findings.extend(found);
        }
        let lines: Vec<u32> =
            fault::combine(&findings, &Default::default()).iter().map(|s| s.line.line).collect();
        let at = rows[techniques.len()].add(&fault, &lines, start.elapsed());
        if verbose {
            let at = at.map_or("-".to_owned(), |at| (at + 1).to_string());
            println!("{at:>3}/{:<3} {:<60} {} {lines:?}", lines.len(), fault.name, positions.join(", "));
        }
    }
    let ids: Vec<&str> = techniques.iter().map(|t| t.id()).chain(["combined"]).collect();
    print("faults in the program", &ids, &of_program);
    print("wrong claims", &ids, &of_claim);
}

/// A number of decisions that have nothing to do with each other; one of them adds too much.
fn independent(decisions: u32) -> String {
    let mut text = String::from(
        "extern int __VERIFIER_nondet_int(void); extern void reach_error(void);\nint main(void) {\n  int sum = 0;\n",
    );
    for i in 0..decisions {
        let more = if i == decisions / 2 { 100 } else { 1 };
        text += &format!("  if (__VERIFIER_nondet_int() > {i})\n    sum = sum + {more};\n");
    }
    text + "  if (sum > 50) reach_error();\n  return 0;\n}\n"
}

/// What the closest run costs among more and more successful paths.
fn paths() {
    println!("{:>9} {:>12} {:>9} {:>9} {:>9}", "decisions", "safe paths", "adm", "cfdm", "pg");
    for decisions in [1, 2, 5, 9, 13, 16, 19, 20, 25, 30] {
        let input = [Input::text("paths.i", independent(decisions))];
        let program =
            tour_core::load(&input, &tour_core::LoadOptions::new(DataModel::Lp64)).expect("a program");
        let program = Prepared::new(program);
        let context = Context::default();
        let Verdict::Violated(violation) = analysis::verify(&program, &context) else {
            continue;
        };
        let times = ["adm", "cfdm", "pg"].map(|id| {
            let start = Instant::now();
            let options = Options { techniques: vec![id.into()], ..Options::default() };
            let found = fault::localise(&program, &violation, &context, &options);
            let fault = 3 + 2 * (decisions / 2) + 2;
            let mut suspects = found.findings.iter().flat_map(|finding| &finding.suspects);
            let located = suspects.any(|s| s.line.line == fault);
            format!("{:.3}s{}", start.elapsed().as_secs_f64(), if located { "" } else { " ?" })
        });
        println!(
            "{decisions:>9} {:>12} {:>9} {:>9} {:>9}",
            1u64 << (decisions - 1),
            times[0],
            times[1],
            times[2]
        );
    }
}

fn print(what: &str, ids: &[&str], rows: &[Row]) {
    println!("{} {what}", rows[ids.len() - 1].faults);
    println!(
        "{:<12} {:>8} {:>8} {:>8} {:>8} {:>8} {:>8} {:>6} {:>7} {:>9} {:>9}",
        "technique",
        "answers",
        "located",
        "cond.",
        "assign.",
        "top 3",
        "first",
        "lines",
        "rank",
        "time",
        "slowest"
    );
    for (id, row) in ids.iter().zip(rows) {
        row.print(id);
    }
}
