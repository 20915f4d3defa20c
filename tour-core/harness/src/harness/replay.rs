//! Running a violation natively: the test executable, with the inputs that were found.

use crate::native::{Confined, signal};
use std::path::Path;
use std::process::{Command, ExitStatus};
use std::time::Duration;
use tour_protocol::protocol::{Action, NativeEnd, REQUEST, Request, write_json};
use tour_protocol::result::{ClaimResult, Counterexample, Replay};

/// A native run that takes longer is stopped.
const PATIENCE: Duration = Duration::from_secs(10);

/// Runs the violations of a harness, and notes what was seen.
pub(super) fn confirm(result: &mut ClaimResult, request: &Request) {
    let name = result.claim.name();
    let Some(program) = &request.executable else { return };
    for violation in result.violations.iter_mut().filter(|v| v.replay == Replay::NOT_ASKED) {
        violation.replay = match run(program, &name, violation, request) {
            Ok(seen) => judge(violation, seen),
            Err(error) => Replay::NotRun { why: format!("the test executable could not be run: {error}") },
        };
    }
}

enum Seen {
    Ended(NativeEnd),
    /// It left no word.
    Died(ExitStatus),
    Timeout,
}

fn run(program: &Path, name: &str, violation: &Counterexample, request: &Request) -> std::io::Result<Seen> {
    let directory = tempfile::tempdir()?;
    let result = directory.path().join("end.json");
    let file = directory.path().join("request.json");
    let mut wanted = Request::new(Action::Replay, name);
    wanted.inputs = violation.scalars.clone();
    wanted.result = Some(result.clone());
    write_json(&file, &wanted)?;
    let mut command = Command::new(program);
    command
        .args([name, "--exact", "--nocapture", "--include-ignored", "--test-threads=1"])
        .env(REQUEST, &file);
    let patience = request.timeout.map_or(PATIENCE, |limit| {
        Duration::try_from_secs_f64(limit).unwrap_or(PATIENCE).clamp(Duration::from_secs(1), PATIENCE)
    });
    let confined = Confined { patience, limits_memory: true, directory: directory.path() };
    let Some(status) = confined.run(command)?.status else { return Ok(Seen::Timeout) };
    // A panic tells where before it unwinds; a crash that follows is part of it.
    let end = std::fs::read(&result).ok().and_then(|text| serde_json::from_slice(&text).ok());
    Ok(end.map_or(Seen::Died(status), Seen::Ended))
}

fn judge(violation: &Counterexample, seen: Seen) -> Replay {
    let in_rust = violation.place.file.extension().is_some_and(|extension| extension == "rs");
    match seen {
        Seen::Timeout => Replay::NotShown { why: "the native run did not end".into() },
        Seen::Died(status) => match signal(status) {
            Some(how) if !in_rust => Replay::Confirmed { how },
            Some(how) => Replay::NotShown { why: format!("the native run ended before the claim: {how}") },
            None => Replay::NotShown { why: format!("the native run ended with {status}") },
        },
        Seen::Ended(NativeEnd::Panicked { message, file, line, .. }) => {
            let same_file = std::path::Path::new(&file).file_name() == violation.place.file.file_name();
            let first = message.lines().next().unwrap_or_default();
            if in_rust && same_file && line == violation.place.line {
                Replay::Confirmed { how: format!("panicked at {file}:{line}: {first}") }
            } else if !in_rust {
                // What is undefined in C shows in a claim that fails after it.
                Replay::Confirmed { how: format!("then panicked at {file}:{line}: {first}") }
            } else {
                Replay::NotShown {
                    why: format!("the native run panicked elsewhere, at {file}:{line}: {first}"),
                }
            }
        }
        Seen::Ended(NativeEnd::Returned) if in_rust => {
            Replay::NotShown { why: "the native run ended without a panic".into() }
        }
        Seen::Ended(NativeEnd::Returned) => Replay::NotShown {
            why: format!("`{}` had no effect in the native run that could be seen", violation.property),
        },
        Seen::Ended(NativeEnd::AssumeFailed) => {
            Replay::NotShown { why: "an assumption did not hold in the native run".into() }
        }
        Seen::Ended(NativeEnd::OutOfInputs) => {
            Replay::NotShown { why: "the native run asked for more inputs".into() }
        }
    }
}
