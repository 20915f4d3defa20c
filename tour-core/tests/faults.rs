//! Random functions that may go wrong: what we say of them is what a native run under the sanitizers shows.
//!
//! - The instrumented program, run by the interpreter, violates a rule where the sanitizers see something.
//! - What is proved safe violates nothing, natively and in the interpreter, with any input; what is said to be violated
//!   is violated in the interpreter.
//!
//! `TOUR_FAULTS` sets how many functions are tried (of which a tenth go through the engine), `TOUR_FAULTS_SEED` where to
//! begin.

use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;
use tour_core::LoadOptions;
use tour_core::analysis::{Analysis, Portfolio};
use tour_core::context::Context;
use tour_core::front::Input;
use tour_core::interp::{Image, Inputs, Options, Outcome, Request, Unobserved, Why};
use tour_core::limits::StopReason;
use tour_core::prepared::Prepared;
use tour_core::program::{DataModel, Program, Rule};
use tour_core::verdict::Verdict;

/// Rules that a native run shows: leaks it does not always see, and of pointers only what is done with them.
const RULES: [Rule; 8] = [
    Rule::NullDeref,
    Rule::OutOfBounds,
    Rule::UseAfterFree,
    Rule::DoubleFree,
    Rule::InvalidFree,
    Rule::SignedOverflow,
    Rule::DivisionByZero,
    Rule::ShiftOutOfRange,
];

fn setting(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|v| v.parse().ok()).unwrap_or(default)
}

fn load(text: &str, function: &str) -> Prepared {
    let options = LoadOptions::new(DataModel::Lp64).entry(function);
    let text = format!("{}{text}", cgen::FAULTS_PRELUDE);
    let mut program = tour_core::load(&[Input::text("faults.c", text.as_str())], &options)
        .unwrap_or_else(|error| panic!("{error}\n{text}"));
    tour_core::instrument::select(&mut program, &RULES);
    Prepared::new(program)
}

/// The parameter; zero for anything else that is asked for, which nobody looks at.
struct Parameter(u32);

impl Inputs for Parameter {
    fn next(&mut self, request: &Request) -> Option<u128> {
        Some(match request.why {
            Why::Parameter(_) => self.0.into(),
            Why::Havoc(_) | Why::Declared(_) | Why::Unwritten => 0,
        })
    }
}

/// What the interpreter says of `function(n)`.
fn interpret(program: &Program, n: u32) -> Outcome {
    Image::new(program).run(&mut Parameter(n), &Options::default(), &mut Unobserved).outcome
}

/// The functions, compiled under the sanitizers: `argv[1]` says which one, `argv[2]` is n.
struct Native {
    executable: PathBuf,
    _folder: tempfile::TempDir,
}

impl Native {
    fn build(functions: &[String]) -> Native {
        let folder = tempfile::tempdir().expect("a folder");
        let mut text = cgen::FAULTS_PRELUDE.to_owned();
        let mut cases = String::new();
        for (i, function) in functions.iter().enumerate() {
            text += function;
            cases += &format!("case {i}: return f{i}(n);\n");
        }
        text += &format!(
            "int main(int c, char **v) {{ int n = atoi(v[2]); switch (atoi(v[1])) {{\n{cases}}} return 0; }}\n"
        );
        let (source, executable) = (folder.path().join("faults.c"), folder.path().join("faults"));
        std::fs::write(&source, text).expect("written");
        let output = Command::new("cc")
            .args(["-w", "-O0", "-fno-builtin", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"])
            .args(["-fsanitize=pointer-compare", "-fsanitize=pointer-subtract"])
            .arg(&source)
            .arg("-o")
            .arg(&executable)
            .output()
            .expect("a compiler");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        Native { executable, _folder: folder }
    }

    /// What a sanitizer says.
    fn fault(&self, function: usize, n: u32) -> Option<String> {
        let output = Command::new(&self.executable)
            .args([function.to_string(), n.to_string()])
            .env("ASAN_OPTIONS", "detect_leaks=0:detect_stack_use_after_return=1")
            .output()
            .expect("it runs");
        let report = String::from_utf8_lossy(&output.stderr);
        // That blocks overlap which are copied is no rule of ours.
        if report.contains("param-overlap") {
            return None;
        }
        let line = report.lines().find(|l| l.contains("runtime error") || l.contains("ERROR: "));
        match (line, output.status.code()) {
            (Some(line), _) => Some(line.to_owned()),
            (None, Some(0 | 1)) => None,
            (None, code) => Some(format!("ended with {code:?}")),
        }
    }
}

/// What the engine says within some seconds.
fn verdict(program: &Prepared) -> Verdict {
    let context = Context::default();
    let interrupt = context.interrupt.clone();
    let (done, waiting) = std::sync::mpsc::channel::<()>();
    let watch = std::thread::spawn(move || {
        if waiting.recv_timeout(Duration::from_secs(2)).is_err() {
            interrupt.stop(StopReason::Timeout);
        }
    });
    let verdict = Portfolio::default().run(program, &context);
    done.send(()).ok();
    watch.join().expect("it ends");
    verdict
}

#[test]
fn what_goes_wrong_is_seen() {
    let (count, first) = (setting("TOUR_FAULTS", 12), setting("TOUR_FAULTS_SEED", 0));
    let functions: Vec<String> = (0..count).map(|i| cgen::fault(&format!("f{i}"), first + i)).collect();
    let native = Native::build(&functions);
    let (mut wrong, mut seen, mut unconfirmed) = (Vec::new(), 0, Vec::new());
    let (mut safe, mut violated) = (0, 0);
    for (i, function) in functions.iter().enumerate() {
        let program = load(function, &format!("f{i}"));
        let (mut fine, mut missed) = (true, false);
        for n in 0..8 {
            let (ours, theirs) = (interpret(&program, n), native.fault(i, n));
            fine &= theirs.is_none() && matches!(ours, Outcome::Exited(_));
            match (&ours, &theirs) {
                (Outcome::Exited(_), Some(fault)) if missed => {
                    let _ = fault;
                }
                (Outcome::Exited(_), Some(fault)) => {
                    missed = true;
                    wrong.push(format!("seed {}, n = {n}: missed {fault}\n{function}", first + i as u64));
                }
                (Outcome::Error(_), Some(_)) => seen += 1,
                (Outcome::Error(check), None) => unconfirmed.push(format!(
                    "seed {}, n = {n}: {}\n{function}",
                    first + i as u64,
                    program.checks[*check].message
                )),
                _ => {}
            }
        }
        if i % 10 != 0 {
            continue;
        }
        match verdict(&program) {
            Verdict::Proved(_) if fine => safe += 1,
            Verdict::Proved(_) => wrong.push(format!("seed {}: proved\n{function}", first + i as u64)),
            Verdict::Violated(_) if fine => {
                wrong.push(format!("seed {}: violated\n{function}", first + i as u64));
            }
            Verdict::Violated(_) => violated += 1,
            Verdict::Unknown(_) => {}
        }
    }
    println!(
        "{seen} faults seen, {} not confirmed; engine: {safe} safe, {violated} violated",
        unconfirmed.len()
    );
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong[..wrong.len().min(5)].join("\n"));
    // Sanitizers have gaps: accesses far outside, addresses that are used again.
    assert!(unconfirmed.len() * 10 <= seen, "{}", unconfirmed[..unconfirmed.len().min(5)].join("\n"));
}
