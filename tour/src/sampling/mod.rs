//! A harness without a verifier: its body runs with recorded inputs, boundary values and random ones, and a failing input
//! is made small.
//!
//! The runs are made by a process of their own, the test executable started again: C that crashes or does not end harms
//! no other test. That process notes each input before it is used.
//!
//! | file | what |
//! |---|---|
//! | `child` | the process that makes the runs |
//! | `journal` | what it notes of the current one |
//! | `draw` | boundary values and random ones |
//! | `shrink` | smaller inputs |

pub(crate) mod child;
mod draw;
mod journal;
mod shrink;

use crate::command;
use crate::describe::Description;
use crate::entry::{fail, refuse};
use crate::json::Value;
use crate::protocol::{self, Folder, REQUEST};
use journal::{Case, Journal};
use std::ffi::OsStr;
use std::io::{ErrorKind, Write};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::Once;
use std::time::{Duration, Instant};

/// How many inputs, unless `TOUR_TESTS` says otherwise.
const TESTS: u64 = 1000;

/// No harness is tested for longer.
const TIME: f64 = 60.0;

/// How long a failing input is made smaller.
const SHRINK_TIME: Duration = Duration::from_secs(5);

/// How long after its time the process may take to say so.
const GRACE: Duration = Duration::from_secs(5);

/// How an input fails.
#[derive(Clone, Debug, PartialEq)]
enum How {
    Panicked { message: String, file: String, line: u32 },
    Died(String),
}

impl How {
    /// Two inputs fail in the same way: at one place, perhaps with other numbers in the message.
    fn is_like(&self, other: &How) -> bool {
        match (self, other) {
            (How::Panicked { file: a, line: n, .. }, How::Panicked { file: b, line: m, .. }) => {
                a == b && n == m
            }
            (How::Died(a), How::Died(b)) => a == b,
            _ => false,
        }
    }

    fn text(&self) -> String {
        match self {
            How::Panicked { message, file, line } => format!("panicked at {file}:{line}: {message}"),
            How::Died(how) => how.clone(),
        }
    }
}

/// An input that fails.
#[derive(Clone, Debug)]
struct Failure {
    how: How,
    case: Case,
}

/// What came of many runs.
#[derive(Default)]
struct Outcome {
    /// Runs to the end with inputs that satisfy the assumptions.
    tested: u64,
    /// Inputs that were tried.
    tried: u64,
    failure: Option<Failure>,
    /// The time was over.
    late: bool,
}

impl Outcome {
    /// That fewer inputs were tested than wanted, because of assumptions or of time.
    fn too_few(&self, name: &str, wanted: u64) -> Option<String> {
        let Outcome { tested, tried, late, .. } = *self;
        if tested >= wanted {
            return None;
        }
        let late = if late { ", then its time was over" } else { "" };
        Some(match tested {
            0 => format!(
                "tour: {name}: nothing was tested: none of {tried} inputs satisfied its assumptions{late}"
            ),
            _ => format!("tour: {name}: only {tested} of {tried} inputs satisfied its assumptions{late}"),
        })
    }
}

/// Tests a harness: passes, or panics with an input that violates it.
pub(crate) fn test(description: &Description) {
    let name = description.name();
    let tests = match wanted_tests(std::env::var_os("TOUR_TESTS").as_deref()) {
        Ok(tests) => tests,
        Err(error) => return refuse(description, format!("{name} could not be tested: {error}")),
    };
    let time = Duration::from_secs_f64(description.timeout.unwrap_or(TIME).clamp(0.1, TIME));
    let outcome = recorded(Path::new(description.manifest_dir), &name).and_then(|recorded| {
        let runs = Runs { name: &name, until: Instant::now() + time };
        runs.sample(&recorded, tests)
    });
    let outcome = match outcome {
        Ok(outcome) => outcome,
        Err(error) => return refuse(description, format!("{name} could not be tested: {error}")),
    };
    match outcome.failure {
        Some(failure) if description.should_panic || description.should_fail.is_none() => {
            let runs = Runs { name: &name, until: Instant::now() + SHRINK_TIME };
            let smallest = shrink::smallest(failure, |cases, like| runs.first_like(cases, like));
            fail(text(&name, &smallest, outcome.tried));
        }
        // What `should_fail` names need not show natively, or can show elsewhere.
        Some(_) => print_that_nothing_is_proved(tests),
        None => {
            print_that_nothing_is_proved(tests);
            if let Some(line) = outcome.too_few(&name, tests) {
                print(&line);
            }
            if description.should_panic {
                eprintln!(
                    "{name} should panic, but none of the {} inputs that were tested makes it\n\
                     help: test more of them (TOUR_TESTS), or {}: it finds inputs instead of drawing them",
                    outcome.tested,
                    command::INSTALL
                );
            }
        }
    }
}

/// How many inputs are asked for.
fn wanted_tests(variable: Option<&OsStr>) -> Result<u64, String> {
    let Some(text) = variable.map(OsStr::to_string_lossy).filter(|text| !text.trim().is_empty()) else {
        return Ok(TESTS);
    };
    text.trim().parse().map_err(|_| format!("TOUR_TESTS is `{text}`, which is no number of inputs"))
}

fn text(name: &str, failure: &Failure, tried: u64) -> String {
    let mut text = format!("VIOLATED {name}\n  {}\n", failure.how.text());
    for value in failure.case.values() {
        text.push_str(&format!("  let {value};\n"));
    }
    text.push_str(&format!("  found by testing, with input {tried}; `cargo tour verify` explains it\n"));
    text
}

/// On standard error itself: what tests print is captured if they pass.
fn print(line: &str) {
    // There may be no standard error; that is no failure of the test.
    let _ = writeln!(std::io::stderr(), "{line}");
}

/// Once for each test executable.
fn print_that_nothing_is_proved(tests: u64) {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        print(&format!("tour: tested with {tests} inputs, not proved (install cargo-tour to prove)"))
    });
}

/// Inputs that `cargo tour verify` kept because they violated the harness: those of `tour-regressions/NAME.json`.
fn recorded(manifest_dir: &Path, name: &str) -> Result<Vec<Vec<u128>>, String> {
    let file = manifest_dir.join("tour-regressions").join(format!("{}.json", name.replace("::", ".")));
    let text = match std::fs::read_to_string(&file) {
        Ok(text) => text,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(format!("cannot read `{}`: {error}", file.display())),
    };
    let unreadable = || format!("`{}` is no list of recorded inputs: mend it, or remove it", file.display());
    let known = Value::parse(&text).ok_or_else(unreadable)?;
    let inputs = known.field("inputs").items().iter();
    inputs.map(|input| input.field("scalars").as_scalars().ok_or_else(unreadable)).collect()
}

/// Runs of one harness in other processes.
struct Runs<'a> {
    name: &'a str,
    until: Instant,
}

impl Runs<'_> {
    /// Recorded inputs first, then a number of others.
    fn sample(&self, recorded: &[Vec<u128>], tests: u64) -> Result<Outcome, String> {
        let mut outcome = Outcome::default();
        let mut from = 0;
        loop {
            let ended = self.process(recorded, from, outcome.tested, tests)?;
            outcome.tested = ended.tested;
            outcome.tried = ended.next;
            match ended.what {
                What::Done => return Ok(outcome),
                What::Late => return Ok(Outcome { late: true, ..outcome }),
                What::Failed(failure) => return Ok(Outcome { failure: Some(failure), ..outcome }),
                // The C ended the process, as a program may: the next process goes on.
                What::Exited => {
                    outcome.tested += 1;
                    from = ended.next;
                }
            }
        }
    }

    /// The first of some inputs that fails as another does.
    fn first_like(&self, cases: &[Vec<u128>], like: &How) -> Option<Failure> {
        let mut from = 0;
        while (from as usize) < cases.len() {
            // The search for smaller inputs ends at the first surprise: it has one that fails.
            let ended = self.process(cases, from, 0, 0).ok()?;
            match ended.what {
                What::Failed(failure) if failure.how.is_like(like) => return Some(failure),
                What::Failed(_) | What::Exited => from = ended.next,
                What::Done | What::Late => return None,
            }
        }
        None
    }

    /// One process, which leaves the first `from` inputs out.
    fn process(&self, cases: &[Vec<u128>], from: u64, tested: u64, tests: u64) -> Result<Ended, String> {
        let error = |error: std::io::Error| error.to_string();
        let left = self.until.saturating_duration_since(Instant::now());
        let folder = Folder::new().map_err(error)?;
        let (request, result, journal) =
            (folder.file("request.json"), folder.file("result.json"), folder.file("journal"));
        let text = protocol::request("sample", self.name)
            .list("cases", cases.iter().map(|case| protocol::scalars(case)))
            .number("from", from)
            .number("tested", tested)
            .number("tests", tests)
            .number("seconds", left.as_secs_f64())
            .text("result", &result.to_string_lossy())
            .text("journal", &journal.to_string_lossy())
            .to_string();
        protocol::write(&request, &text).map_err(error)?;
        let mut child = Command::new(std::env::current_exe().map_err(error)?)
            .args(["--exact", self.name, "--nocapture", "--include-ignored", "--test-threads=1"])
            .env(REQUEST, &request)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .map_err(error)?;
        let status = wait(&mut child, left + GRACE).map_err(error)?;
        let outcome = std::fs::read_to_string(&result).ok().and_then(|text| Value::parse(&text));
        let journal = Journal::read(&journal).unwrap_or_default();
        let (mut tested, mut next) = (journal.tested, journal.index + 1);
        let failed = |how, case| What::Failed(Failure { how, case });
        let what = match (outcome, status) {
            (Some(outcome), _) => {
                let number = |name: &str| outcome.field(name).as_number().unwrap_or_default();
                tested = number("tested") as u64;
                next = number("next") as u64;
                match outcome.field("message").as_text() {
                    Some(message) => {
                        let file = outcome.field("file").as_text().unwrap_or_default().to_owned();
                        let line = number("line") as u32;
                        failed(How::Panicked { message: message.to_owned(), file, line }, journal.case)
                    }
                    None if outcome.field("late").is_true() => What::Late,
                    None => What::Done,
                }
            }
            (None, None) => What::Late,
            (None, Some(_)) if journal.is_empty() => {
                return Err("the test executable started again, but did not run the harness".into());
            }
            (None, Some(status)) => match signal(status) {
                Some(how) => failed(How::Died(how), journal.case),
                None => What::Exited,
            },
        };
        Ok(Ended { tested, next, what })
    }
}

/// How one process ended.
struct Ended {
    tested: u64,
    /// The index of the first input that was not tried.
    next: u64,
    what: What,
}

enum What {
    Done,
    Late,
    Failed(Failure),
    /// Without a word, by its own will.
    Exited,
}

/// Waits. `None` if it took too long, and was ended.
fn wait(child: &mut Child, patience: Duration) -> std::io::Result<Option<ExitStatus>> {
    let start = Instant::now();
    let mut pause = Duration::from_micros(200);
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        if start.elapsed() > patience {
            child.kill()?;
            child.wait()?;
            return Ok(None);
        }
        std::thread::sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(20));
    }
}

/// In words, if it was no exit.
#[cfg(unix)]
fn signal(status: ExitStatus) -> Option<String> {
    use std::os::unix::process::ExitStatusExt;
    status.signal().map(|signal| match signal {
        4 => "illegal instruction (signal 4)".to_owned(),
        6 => "aborted (signal 6)".to_owned(),
        7 => "bus error (signal 7)".to_owned(),
        8 => "arithmetic error (signal 8)".to_owned(),
        11 => "segmentation fault (signal 11)".to_owned(),
        n => format!("killed by signal {n}"),
    })
}

/// Systems without signals tell of a crash by a large number.
#[cfg(not(unix))]
fn signal(status: ExitStatus) -> Option<String> {
    status
        .code()
        .filter(|code| *code as u32 >= 0xc000_0000)
        .map(|code| format!("crashed ({:#x})", code as u32))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recorded_inputs_are_found() {
        let folder = Folder::new().expect("a folder");
        let known = folder.file("tour-regressions");
        std::fs::create_dir(&known).expect("a folder");
        let text = r#"{"harness":"a::b","inputs":[{"what":"","values":["x: u8 = 7"],"scalars":["0x7","0xff"]},{"scalars":[]}]}"#;
        std::fs::write(known.join("a.b.json"), text).expect("a file");
        assert_eq!(recorded(&folder.file(""), "a::b"), Ok(vec![vec![7, 255], vec![]]));
        assert_eq!(recorded(&folder.file(""), "a::c"), Ok(Vec::new()));
        for text in ["{", r#"{"inputs":[{"scalars":"0x7"}]}"#, r#"{"inputs":[{"scalars":[7]}]}"#] {
            std::fs::write(known.join("a.d.json"), text).expect("a file");
            let error = recorded(&folder.file(""), "a::d").expect_err(text);
            assert!(error.contains("a.d.json") && error.contains("no list of recorded inputs"), "{error}");
        }
    }

    #[test]
    fn the_number_of_tests() {
        let wanted = |text: &str| wanted_tests(Some(OsStr::new(text)));
        assert_eq!(wanted_tests(None), Ok(TESTS));
        assert_eq!((wanted(""), wanted(" 50 "), wanted("0")), (Ok(TESTS), Ok(50), Ok(0)));
        assert_eq!(wanted("many"), Err("TOUR_TESTS is `many`, which is no number of inputs".into()));
        assert!(wanted("-1").is_err());
    }

    #[test]
    fn inputs_that_satisfy_no_assumption_are_reported() {
        let of =
            |tested, tried, late| Outcome { tested, tried, late, ..Outcome::default() }.too_few("h", 1000);
        assert_eq!(of(1000, 4000, false), None);
        let few = "tour: h: only 3 of 100000 inputs satisfied its assumptions";
        assert_eq!(of(3, 100_000, false).as_deref(), Some(few));
        let none = "tour: h: nothing was tested: none of 70 inputs satisfied its assumptions, then its time was over";
        assert_eq!(of(0, 70, true).as_deref(), Some(none));
    }
}
