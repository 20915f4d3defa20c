//! The result of `cargo tour check` in files for other programs: witness, SARIF, JUnit.

use crate::cli::CheckArgs;
use crate::exit::Exit;
use crate::term::print_error;
use sha2::{Digest, Sha256};
use std::io::Write;
use std::path::Path;
use std::time::{Duration, SystemTime};
use tour::analysis::SearchLog;
use tour::cfa::Features;
use tour::directed::MetricChoice;
use tour::directed::select::Record;
use tour::prepared::Prepared;
use tour::program::{Program, Rule};
use tour::protocol::write_atomically;
use tour::report::{junit, sarif, witness};
use tour::result::ClaimResult;
use tour::verdict::Verdict;

fn put(path: &Path, text: String) -> Result<(), Exit> {
    write_atomically(path, text.as_bytes()).map_err(|error| unwritable(path, &error))
}

fn unwritable(path: &Path, error: &std::io::Error) -> Exit {
    print_error(format_args!("error: cannot write `{}`: {error}", path.display()));
    Exit::Usage
}

/// Writes what was asked for about the search: what it did, and a line of a history.
pub fn write_search(
    args: &CheckArgs,
    program: &Prepared,
    is_solved: bool,
    time: Duration,
    search: Option<&SearchLog>,
) -> Result<(), Exit> {
    if let (Some(path), Some(search)) = (&args.explain_search, search) {
        put(path, serde_json::to_string(&search.document(program)).unwrap_or_default() + "\n")?;
    }
    let options = args.engine.options();
    let (Some(path), MetricChoice::Only(metric)) = (&args.record_history, options.metric) else {
        return Ok(());
    };
    let files: Vec<String> = args.program.files.iter().map(|f| f.display().to_string()).collect();
    let record = Record {
        program: files.join(" "),
        analysis: options.analysis.technique().to_owned(),
        metric,
        solved: is_solved,
        time: time.as_secs_f64(),
        features: Features::of(program),
    };
    let line = record.line() + "\n";
    let file = std::fs::OpenOptions::new().create(true).append(true).open(path);
    file.and_then(|mut file| file.write_all(line.as_bytes())).map_err(|error| unwritable(path, &error))
}

/// Writes what was asked for.
pub fn write(
    args: &CheckArgs,
    program: Option<&Prepared>,
    verdict: &Verdict,
    result: &ClaimResult,
) -> Result<(), Exit> {
    if let (Some(path), Some(program)) = (&args.witness, program)
        && let Some(text) = witness::document(program, verdict, &task(args, program, verdict))
    {
        put(path, text)?;
    }
    let results = std::slice::from_ref(result);
    if let Some(path) = &args.sarif {
        let document = sarif::document(results, result.claim.directory());
        put(path, serde_json::to_string_pretty(&document).unwrap_or_default() + "\n")?;
    }
    if let Some(path) = &args.junit {
        put(path, junit::document(results))?;
    }
    Ok(())
}

fn task(args: &CheckArgs, program: &Program, verdict: &Verdict) -> witness::Task {
    let hash = |path: &Path| {
        let digest = Sha256::digest(std::fs::read(path).unwrap_or_default());
        digest.iter().map(|byte| format!("{byte:02x}")).collect::<String>()
    };
    let rule = match verdict {
        Verdict::Violated(violation) => program.checks[violation.check].rule,
        Verdict::Proved(_) | Verdict::Unknown(_) => {
            args.rules().first().copied().unwrap_or(Rule::UnreachCall)
        }
    };
    witness::Task {
        files: args.program.files.iter().map(|f| (f.display().to_string(), hash(f))).collect(),
        rule,
        data_model: args.program.data_model,
        time: humantime::format_rfc3339_seconds(SystemTime::now()).to_string(),
    }
}
