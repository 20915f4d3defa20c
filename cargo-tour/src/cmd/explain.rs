//! `cargo tour explain`: which lines may be to blame for a violation.

use super::verify::{build, child, find, harnesses};
use crate::cli::ExplainArgs;
use crate::exit::Exit;
use crate::load::{self, Rejected};
use crate::term::{Term, print_error, print_line};
use crate::{crash, job};
use std::path::Path;
use std::sync::atomic::AtomicBool;
use tour::analysis;
use tour::context::Context;
use tour::fault::{self, Options};
use tour::limits::{Ended, supervise};
use tour::protocol::{Action, Request, seconds};
use tour::result::{ComparedStep, Comparison, Localisation, Status};
use tour::verdict::{UnknownReason, Verdict};

/// Explains.
pub fn run(args: ExplainArgs, term: Term) -> Exit {
    let is_source =
        |path: &Path| path.exists() || path.extension().is_some_and(|e| e == "c" || e == "i" || e == "h");
    match &args.program.files[..] {
        [harness] if !is_source(harness) => {
            let name = harness.to_string_lossy().into_owned();
            explain_harness(&args, &name, &term)
        }
        _ => explain_files(args, term),
    }
}

fn explain_files(args: ExplainArgs, term: Term) -> Exit {
    let context = Context::default();
    job::stop_on_ctrl_c(&context.interrupt);
    let (own, worker) = (args.clone(), context.clone());
    let ended = supervise(args.limits.limits(), &context.interrupt, move || localise(&own, &term, &worker));
    match ended {
        Ended::Returned(Ok((verdict, found))) => match (verdict, found) {
            (Verdict::Violated(_), Some(found)) => print_suspects(&args, &found, &term),
            (verdict, _) => not_violated(&verdict),
        },
        Ended::Returned(Err(rejected)) => {
            rejected.show(&term);
            rejected.exit
        }
        Ended::Stuck(reason) => {
            job::end_children();
            not_violated(&Verdict::Unknown(UnknownReason::Stopped(reason)))
        }
        Ended::Panicked => {
            crash::report_panic();
            Exit::Internal
        }
    }
}

fn localise(
    args: &ExplainArgs,
    term: &Term,
    context: &Context,
) -> Result<(Verdict, Option<Localisation>), Rejected> {
    let program = load::program(&args.program, term)?;
    let program = analysis::prepare(program, &args.rules());
    let verdict = analysis::verify(&program, context);
    let found = match &verdict {
        Verdict::Violated(violation) => {
            let options = Options {
                techniques: args.techniques(),
                weight_predicate: args.weight_predicate,
                weight_unaligned: args.weight_unaligned,
                ..Options::default()
            };
            Some(fault::localise(&program, violation, context, &options))
        }
        Verdict::Proved(_) | Verdict::Unknown(_) => None,
    };
    Ok((verdict, found))
}

fn not_violated(verdict: &Verdict) -> Exit {
    match verdict {
        Verdict::Proved(_) => {
            print_line("Nothing to explain: no run violates a property");
            Exit::Success
        }
        Verdict::Violated(_) | Verdict::Unknown(_) => {
            print_line(format_args!("Nothing to explain: {verdict}"));
            Exit::Unknown
        }
    }
}

fn explain_harness(args: &ExplainArgs, name: &str, term: &Term) -> Exit {
    let refuse = |message: String| {
        print_error(format_args!("error: {message}"));
        Exit::Usage
    };
    let captured = match build(&args.packages, true, term) {
        Ok(captured) => captured,
        Err(exit) => return exit,
    };
    let items = match harnesses::all(&captured.capture) {
        Ok(items) => items,
        Err(error) => return refuse(error.message),
    };
    let item = match find(&items, name) {
        Ok(item) => item,
        Err(message) => return refuse(format!("{message}, and no file `{name}`")),
    };
    let folder = match tempfile::tempdir_in(&captured.capture.directory) {
        Ok(folder) => folder,
        Err(error) => return refuse(format!("cannot write in the target directory: {error}")),
    };
    let request = Request {
        timeout: seconds(args.limits.timeout.0),
        no_replay: true,
        ..Request::new(Action::Verify, &item.harness.name)
    };
    let stop = AtomicBool::new(false);
    let result = child::run(item, request, &captured.file, folder.path(), &stop, |_, _| {});
    let faults = result.violations.first().and_then(|violation| violation.faults.clone());
    match (result.status, faults) {
        (Status::Crashed | Status::NotRun, _) => refuse(result.reason),
        (_, Some(found)) => {
            print_suspects(args, &fault::only(found, &args.techniques(), &Default::default()), term)
        }
        (Status::Proved | Status::Vacuous, None) => {
            print_line("Nothing to explain: the harness holds");
            Exit::Success
        }
        (Status::Violated | Status::Unknown | Status::Invalid, None) => {
            print_line(format_args!("Nothing to explain: {}", result.reason));
            Exit::Unknown
        }
    }
}

/// Prints what was found.
fn print_suspects(args: &ExplainArgs, found: &Localisation, term: &Term) -> Exit {
    if args.json {
        match serde_json::to_string_pretty(found) {
            Ok(text) => print_line(text),
            Err(error) => crash::report_internal(&format!("the suspects are no JSON: {error}")),
        }
        return Exit::Violated;
    }
    if found.suspects.is_empty() {
        print_line("No suspects");
    } else {
        print_line("Suspects:");
    }
    let here = std::env::current_dir().unwrap_or_default();
    for (i, suspect) in found.suspects.iter().enumerate() {
        let place = suspect.line.shown(&here);
        print_line(format_args!(
            "{:>4}. {place}: {}    (score {:.2})",
            i + 1,
            suspect.statement,
            suspect.score
        ));
        let reasons = suspect.reasons.len();
        for reason in suspect.reasons.iter().take(if term.verbose { reasons } else { 3 }) {
            print_line(format_args!("        {reason}"));
        }
    }
    let compared = found.findings.iter().filter(|finding| finding.comparison.is_some());
    for finding in compared.take(if term.verbose { usize::MAX } else { 1 }) {
        let Some(comparison) = &finding.comparison else { continue };
        print_line(format_args!("Closest successful run ({}):", finding.technique));
        inputs(comparison);
        for difference in &finding.differences {
            print_line(format_args!("    {difference}"));
        }
        if term.verbose {
            side_by_side(comparison);
        }
    }
    if term.verbose || found.suspects.is_empty() {
        failed(Some(found));
    }
    Exit::Violated
}

fn inputs(comparison: &Comparison) {
    let (now, was) = (&comparison.successful_inputs, &comparison.failing_inputs);
    if !now.is_empty() {
        print_line(format_args!("    inputs {}, not {}", now.join(", "), was.join(", ")));
    }
}

/// Which techniques found nothing, and why.
pub fn failed(found: Option<&Localisation>) {
    for (technique, why) in found.iter().flat_map(|found| &found.failed) {
        print_line(format_args!("    no suspects by {technique}: {why}"));
    }
}

/// The failing run on the left, the successful one on the right.
fn side_by_side(comparison: &Comparison) {
    let cell = |shown: &Option<ComparedStep>| match shown {
        Some(ComparedStep { line, statement, value, .. }) => {
            let value = value.as_ref().map_or(String::new(), |v| format!("  // {v}"));
            format!("{:>4} {statement}{value}", line.line)
        }
        None => String::new(),
    };
    let width = comparison.rows.iter().map(|row| cell(&row.failing).len()).max().unwrap_or(0).clamp(12, 60);
    print_line(format_args!("      {:<width$}   {}", "failing", "successful"));
    for row in &comparison.rows {
        let mark = if row.differs { '*' } else { ' ' };
        let line = format!("    {mark} {:<width$}   {}", cell(&row.failing), cell(&row.successful));
        print_line(line.trim_end());
    }
}
