//! `cargo tour mutants`: do the properties of a program, or the harnesses of a package, notice small faults in the C?

mod harnesses;

use crate::cli::MutantsArgs;
use crate::exit::Exit;
use crate::term::{Term, print_error, print_line};
use crate::{job, load};
use std::path::Path;
use std::time::Instant;
use tour::analysis::{self};
use tour::context::Context;
use tour::coverage::mutation::{Mutant, mutants, spread};
use tour::limits::{Ended, Interrupt, Limits, supervise};
use tour::program::Program;
use tour::verdict::{UnknownReason, Verdict};

/// Verifies the program or the harnesses, then each mutant.
pub fn run(args: MutantsArgs, term: Term) -> Exit {
    let start = Instant::now();
    let is_source =
        |path: &Path| path.exists() || path.extension().is_some_and(|e| e == "c" || e == "i" || e == "h");
    let found = match &args.program.files[..] {
        [] => harnesses::run(&args, "", &term),
        [harness] if !is_source(harness) => harnesses::run(&args, &harness.to_string_lossy(), &term),
        _ => of_program(&args, &term),
    };
    let (tally, all) = match found {
        Ok(found) => found,
        Err(exit) => return exit,
    };
    print_line(format_args!(
        "{} [{:>8.3}s] {} of {all} mutants: {} noticed, {} not noticed, {} undecided: {:.1} %",
        term.status("Mutants", None),
        start.elapsed().as_secs_f64(),
        tally.noticed + tally.missed + tally.undecided,
        tally.noticed,
        tally.missed,
        tally.undecided,
        100.0 * tally.score()
    ));
    match args.fail_under {
        Some(at_least) if 100.0 * tally.score() < at_least => {
            print_error(format_args!(
                "error: {:.1} % of the mutants, below the {at_least} % asked for",
                100.0 * tally.score()
            ));
            Exit::Vacuous
        }
        _ => Exit::Success,
    }
}

/// The mutants of a C program, and how many there are.
fn of_program(args: &MutantsArgs, term: &Term) -> Result<(Tally, usize), Exit> {
    let program = load::program(&args.program, term).map_err(|rejected| {
        rejected.show(term);
        rejected.exit
    })?;
    let interrupt = Interrupt::default();
    job::stop_on_ctrl_c(&interrupt);
    let original = verify(program.clone(), args, &interrupt);
    if !matches!(original, Verdict::Proved(_)) {
        print_error(format_args!("error: the program itself is not proved: {original}"));
        print_error("help: mutants are compared with a proof; look at `cargo tour check` first");
        return Err(match original {
            Verdict::Violated(_) => Exit::Violated,
            _ => Exit::Unknown,
        });
    }
    let all = mutants(&program);
    let mut tally = Tally::default();
    for mutant in spread(&all, args.max) {
        let verdict = verify(mutant.apply(&program), args, &interrupt);
        if interrupt.reason().is_some() {
            return Err(Exit::Interrupted);
        }
        tally.add(&program, &mutant, &verdict, term);
    }
    Ok((tally, all.len()))
}

/// How many of each.
#[derive(Default)]
pub struct Tally {
    noticed: usize,
    missed: usize,
    undecided: usize,
}

impl Tally {
    fn add(&mut self, program: &Program, mutant: &Mutant, verdict: &Verdict, term: &Term) {
        let place = program.sources.display(mutant.span);
        match verdict {
            Verdict::Violated(_) => {
                self.noticed += 1;
                if term.verbose {
                    print_line(format_args!(
                        "{} {place}: {}",
                        term.status("noticed", Some(true)),
                        mutant.describe
                    ));
                }
            }
            Verdict::Proved(_) => {
                self.missed += 1;
                print_line(format_args!(
                    "{} {place}: {}",
                    term.status("missed", Some(false)),
                    mutant.describe
                ));
            }
            Verdict::Unknown(reason) => {
                self.undecided += 1;
                if term.verbose {
                    let status = term.status("undecided", None);
                    print_line(format_args!("{status} {place}: {} ({reason})", mutant.describe));
                }
            }
        }
    }

    /// The share of decided mutants that were noticed.
    fn score(&self) -> f64 {
        let decided = self.noticed + self.missed;
        if decided == 0 { 1.0 } else { self.noticed as f64 / decided as f64 }
    }
}

fn verify(program: Program, args: &MutantsArgs, interrupt: &Interrupt) -> Verdict {
    let rules = crate::cli::rules(&args.property);
    let options = args.engine.options();
    let context = Context { interrupt: interrupt.child(), ..Context::default() };
    let own = context.clone();
    let limits = Limits { time: args.timeout.0, memory: job::most_of_the_memory() };
    let ended = supervise(limits, &context.interrupt, move || {
        let program = analysis::prepare(program, &rules);
        analysis::verify_with(&program, &own, &options)
    });
    match ended {
        Ended::Returned(verdict) => verdict,
        Ended::Stuck(reason) => Verdict::Unknown(UnknownReason::Stopped(reason)),
        Ended::Panicked => Verdict::Unknown(UnknownReason::Internal("a mutant is too much for tour".into())),
    }
}
