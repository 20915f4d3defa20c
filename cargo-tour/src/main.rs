//! `cargo tour`: the command.
//!
//! | file | what |
//! |---|---|
//! | `cli`, `units` | the command line |
//! | `cmd/…` | one file a subcommand |
//! | `packages` | the command line of commands on packages |
//! | `load` | from arguments to a program |
//! | `job` | running within limits, Ctrl-C |
//! | `term` | colours, width, diagnostics |
//! | `exit`, `crash` | how the process ends |

mod cli;
mod cmd;
mod coverage;
mod crash;
mod exit;
mod html;
mod job;
mod load;
mod packages;
mod progress;
mod seal;
mod term;

use clap::Parser;
use cli::{Cli, Command};
use exit::Exit;
use std::ffi::OsString;
use term::Term;

fn main() {
    crash::install_hook();
    let cli = Cli::parse_from(arguments(std::env::args_os()));
    let term = Term::new(&cli.output);
    let run = move || match cli.command {
        Command::Verify(args) => cmd::verify::run(args, term),
        Command::Init(args) => cmd::init::run(args),
        Command::NewHarness(args) => cmd::new_harness::run(args),
        Command::List(args) => cmd::list::run(args, term),
        Command::Capture(args) => cmd::capture::run(args, term),
        Command::Ffi(args) => cmd::ffi::run(args, term),
        Command::Replay(args) => cmd::replay::run(args, term),
        Command::Cache(args) => cmd::cache::run(args, term),
        Command::Clean(args) => cmd::clean::run(args),
        Command::Check(args) => cmd::check::run(args, term),
        Command::Explain(args) => cmd::explain::run(args, term),
        Command::Mutants(args) => cmd::mutants::run(args, term),
        Command::Report(args) => cmd::report::run(args),
        Command::Cfa(args) => cmd::cfa::run(args, term),
        Command::Features(args) => cmd::features::run(args, term),
        Command::Train(args) => cmd::train::run(args),
        Command::Run(args) => cmd::run::run(args, term),
        Command::Doctor(args) => cmd::doctor::run(args, term),
        Command::Worker(args) => cmd::worker::run(&args.request),
        Command::Answer(args) => cmd::answer::run(&args.request),
        Command::Crash => panic!("asked for by the user"),
    };
    // What runs on other threads is caught there; this is for the rest.
    let exit = std::panic::catch_unwind(std::panic::AssertUnwindSafe(run)).unwrap_or_else(|_| {
        crash::report_panic();
        Exit::Internal
    });
    exit.now()
}

/// `cargo tour …` runs `cargo-tour tour …`: the name of the subcommand is no argument of ours.
fn arguments(given: impl Iterator<Item = OsString>) -> Vec<OsString> {
    let mut args: Vec<OsString> = given.collect();
    if args.get(1).is_some_and(|arg| arg == "tour") {
        args.remove(1);
    }
    args
}

#[cfg(test)]
mod tests {
    use super::arguments;

    #[test]
    fn the_word_that_cargo_adds_is_dropped_once() {
        let check = |given: &[&str], expected: &[&str]| {
            assert_eq!(arguments(given.iter().map(Into::into)), expected, "{given:?}");
        };
        check(&["cargo-tour", "tour", "check"], &["cargo-tour", "check"]);
        check(&["cargo-tour", "check", "tour"], &["cargo-tour", "check", "tour"]);
        check(&["cargo-tour", "tour", "tour"], &["cargo-tour", "tour"]);
        check(&[], &[]);
    }
}
