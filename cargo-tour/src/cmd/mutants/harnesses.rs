//! Mutants of the C that harnesses reach. One is noticed if some harness notices it.

use super::Tally;
use crate::cli::MutantsArgs;
use crate::cmd::verify::{build, child, harnesses};
use crate::exit::Exit;
use crate::term::{Term, print_error, print_line};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tour::protocol::{Action, MutantsAsked, Request};
use tour::result::{ClaimResult, Status, TriedMutant, shown};

/// Time for a harness itself, if it has no limit of its own.
const OWN: Duration = Duration::from_secs(300);

/// Verifies the harnesses whose names contain `name`, then each with mutants of its C.
pub fn run(args: &MutantsArgs, name: &str, term: &Term) -> Result<(Tally, usize), Exit> {
    let captured = build(&args.packages, true, term)?;
    let refuse = |message: String| {
        print_error(format_args!("error: {message}"));
        Exit::Usage
    };
    let items = harnesses::all(&captured.capture).map_err(|error| refuse(error.message))?;
    let chosen: Vec<_> = items.iter().filter(|item| item.harness.name.contains(name)).collect();
    if chosen.is_empty() {
        print_error(format_args!("error: there is no harness `{name}`, and no file either"));
        print_error("help: `cargo tour list` shows all harnesses");
        return Err(Exit::Nothing);
    }
    let stop = Arc::new(AtomicBool::new(false));
    let raised = stop.clone();
    // Without a handler, Ctrl-C ends the process all the same.
    let _ = ctrlc::set_handler(move || raised.store(true, Ordering::Relaxed));
    let each = args.timeout.0.map_or(1e6, |time| time.as_secs_f64());
    let asked = MutantsAsked { max: args.max, seconds: each };
    let mut found = Found::default();
    for item in chosen {
        let folder = tempfile::tempdir_in(&captured.capture.directory)
            .map_err(|error| refuse(format!("cannot write in the target directory: {error}")))?;
        let own = item.harness.timeout.unwrap_or(OWN.as_secs_f64());
        let request = Request {
            timeout: Some(own + each * args.max as f64),
            properties: args.property.iter().flat_map(|p| &p.0).map(|rule| rule.id().to_owned()).collect(),
            no_replay: true,
            mutants: Some(asked),
            ..Request::new(Action::Verify, &item.harness.name)
        };
        let result = child::run(item, request, &captured.file, folder.path(), &stop, |_, _| {});
        if stop.load(Ordering::Relaxed) {
            return Err(Exit::Interrupted);
        }
        match result.status {
            Status::Crashed | Status::NotRun => {
                print_error(format_args!("warning: `{}` is left out: {}", item.harness.name, result.reason));
            }
            _ => found.add(result, term),
        }
    }
    if found.harnesses == 0 {
        print_error("error: no harness is proved");
        print_error("help: mutants are compared with a proof; look at `cargo tour verify` first");
        return Err(Exit::Unknown);
    }
    Ok(found.tally(term))
}

/// What harnesses say of mutants.
#[derive(Default)]
struct Found {
    harnesses: usize,
    all: usize,
    /// By place and text: the harnesses that notice it, and those that do not.
    mutants: BTreeMap<(String, u32, u32, String), Heard>,
}

#[derive(Default)]
struct Heard {
    noticed: Vec<String>,
    missed: Vec<String>,
}

impl Found {
    fn add(&mut self, result: ClaimResult, term: &Term) {
        let name = result.claim.name();
        let Some(tried) = result.mutants else {
            if !term.quiet {
                print_error(format_args!("note: `{name}` is left out: it is not proved"));
            }
            return;
        };
        let here = std::env::current_dir().unwrap_or_default();
        self.harnesses += 1;
        self.all = self.all.max(tried.all);
        for TriedMutant { place, describe, verdict } in tried.tried {
            let key = (shown(&place.file, &here).display().to_string(), place.line, place.column, describe);
            let heard = self.mutants.entry(key).or_default();
            match verdict {
                Status::Violated => heard.noticed.push(name.clone()),
                Status::Proved => heard.missed.push(name.clone()),
                _ => {}
            }
        }
    }

    fn tally(&self, term: &Term) -> (Tally, usize) {
        let mut tally = Tally::default();
        for ((file, line, column, describe), heard) in &self.mutants {
            let place = format!("{file}:{line}:{column}");
            match (&heard.noticed[..], &heard.missed[..]) {
                ([], []) => {
                    tally.undecided += 1;
                    if term.verbose {
                        print_line(format_args!("{} {place}: {describe}", term.status("undecided", None)));
                    }
                }
                ([], missed) => {
                    tally.missed += 1;
                    let by = missed.join(", ");
                    print_line(format_args!(
                        "{} {place}: {describe} (by {by})",
                        term.status("missed", Some(false))
                    ));
                }
                ([first, ..], _) => {
                    tally.noticed += 1;
                    if term.verbose {
                        let status = term.status("noticed", Some(true));
                        print_line(format_args!("{status} {place}: {describe} (by {first})"));
                    }
                }
            }
        }
        let all = self.all.max(self.mutants.len());
        (tally, all)
    }
}
