//! The result of a check for people.

use crate::cmd::explain::failed;
use crate::cmd::verify::show::count;
use crate::crash;
use crate::term::{Term, print_line};
use std::path::Path;
use tour::result::{ClaimResult, Counterexample, InputOrigin, InputValue, Message, Replay, Status};
use tour::source::SourceMap;

/// How many inputs are shown without `-v`, and how many a command to replay has at most.
const SHOWN_INPUTS: usize = 10;
const REPLAYED_INPUTS: usize = 40;

const LEFT_OUT: &str = "… (all with -v)";

/// What is shown, and how.
pub struct Show<'a> {
    pub term: Term,
    pub result: &'a ClaimResult,
    /// The texts of the program; `None` if it was not read.
    pub sources: Option<&'a SourceMap>,
    /// All checks were decided, not only the first that is violated.
    pub all: bool,
}

impl Show<'_> {
    /// The status line and what led to the verdict.
    pub fn result(&self) {
        let result = self.result;
        let status = self.term.status(result.status.word(), result.status.is_good());
        let checks = self.sources.map(|_| count(result.check_count(), "check")).unwrap_or_default();
        print_line(format_args!("{status} [{:>8.3}s] {}  {checks}", result.time, result.claim.name()));
        if self.sources.is_none() {
            return;
        }
        match result.status {
            Status::Proved | Status::Vacuous => {
                if let (true, Some(analysis)) = (self.term.verbose, &result.analysis) {
                    let checked =
                        if result.certified == Some(true) { "certificate checked" } else { "not certified" };
                    print_line(format_args!("    proved by {analysis}, {checked}"));
                }
                result.diagnostics.iter().for_each(|message| self.message(message));
            }
            Status::Violated => {
                for (violation, message) in result.violations.iter().zip(&result.diagnostics) {
                    self.message(message);
                    self.violation(violation);
                    if violation.replay != Replay::NOT_ASKED {
                        print_line(format_args!("    {}", violation.replay.describe()));
                    }
                }
                if self.all {
                    self.others();
                }
            }
            Status::Unknown | Status::Invalid | Status::Crashed | Status::NotRun => {
                if let Some(what) = result.reason.strip_prefix("internal error: ") {
                    crash::report_internal(what);
                }
                result.diagnostics.iter().for_each(|message| self.message(message));
            }
        }
        if !result.assumptions.is_empty() {
            print_line("Assumptions:");
        }
        for assumption in &result.assumptions {
            print_line(format_args!("    {}: {}", assumption.place, assumption.message));
        }
    }

    fn message(&self, message: &Message) {
        self.term.message_of(message, Path::new(""), self.sources);
    }

    /// What is known of the checks that are not violated.
    fn others(&self) {
        let violated = self.result.violations.len();
        let others = self.result.check_count() - violated;
        let checks = |n| count(n, "check");
        match (others, self.result.others_hold) {
            (0, _) => print_line(format_args!("{} violated", checks(violated))),
            (_, true) => print_line(format_args!("{} violated, {} proved", checks(violated), checks(others))),
            (_, false) => {
                print_line(format_args!("{} violated, {} undecided", checks(violated), checks(others)))
            }
        }
    }

    fn violation(&self, violation: &Counterexample) {
        if !violation.interleaving.is_empty() {
            print_line("Interleaving, one column a thread:");
            violation.interleaving.iter().for_each(|row| print_line(format_args!("    {row}")));
            return;
        }
        if self.term.verbose {
            failed(violation.faults.as_ref());
        }
        self.inputs(violation);
        if self.term.verbose {
            print_line("Trace (the steps that matter are marked):");
            for step in &violation.trace {
                let mark = if step.relevant { '*' } else { ' ' };
                print_line(format_args!("  {mark} {}: {}", step.place, step.indented()));
            }
        } else {
            let relevant = violation.trace.iter().filter(|step| step.relevant).count();
            let of = count(violation.trace.len(), "step");
            print_line(format_args!("    {relevant} of {of} matter; -v shows all"));
        }
    }

    fn inputs(&self, violation: &Counterexample) {
        let inputs: Vec<&InputValue> = violation.inputs.iter().filter(|input| input.relevant).collect();
        if inputs.is_empty() {
            return;
        }
        print_line("Inputs, in the order in which they are asked for:");
        for input in shown(&inputs, self.term.verbose) {
            let Some(InputValue { value, ty, place, operation, .. }) = input else {
                print_line(format_args!("    {LEFT_OUT}"));
                continue;
            };
            match (place, operation) {
                (Some(place), Some(operation)) => {
                    print_line(format_args!("    {value} ({ty})  {place}: {operation}"));
                }
                _ => print_line(format_args!("    {value} ({ty})  parameter")),
            }
        }
        let given =
            |input: &&InputValue| matches!(input.origin, InputOrigin::Nondet | InputOrigin::Undefined);
        if inputs.len() <= REPLAYED_INPUTS && inputs.iter().all(given) {
            let values: Vec<&str> = inputs.iter().map(|input| input.value.as_str()).collect();
            let (files, values) = (self.result.claim.name(), values.join(","));
            print_line(format_args!("Replay: cargo tour run {files} --input {values}"));
        }
    }
}

/// The ends of a long list, with `None` for what is left out.
fn shown<T: Copy>(items: &[T], all: bool) -> Vec<Option<T>> {
    if all || items.len() <= SHOWN_INPUTS {
        return items.iter().copied().map(Some).collect();
    }
    let half = SHOWN_INPUTS / 2;
    let (head, tail) = (&items[..half], &items[items.len() - half..]);
    head.iter().copied().map(Some).chain([None]).chain(tail.iter().copied().map(Some)).collect()
}
