//! The result of `cargo tour check` in files for other programs: witness, SARIF, JUnit.

use crate::cli::CheckArgs;
use crate::exit::Exit;
use crate::term::tell;
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;
use std::time::{Duration, SystemTime};
use tour::analysis::SearchLog;
use tour::capture::write_atomically;
use tour::cfa::Features;
use tour::context::Findings;
use tour::directed::MetricChoice;
use tour::directed::select::Record;
use tour::fault::Localisation;
use tour::prepared::Prepared;
use tour::program::{Program, Rule};
use tour::protocol;
use tour::report::outcome::HarnessOutcome;
use tour::report::{junit, sarif, witness};
use tour::source::{SourceMap, Span};
use tour::verdict::{Verdict, Violation};

fn put(path: &Path, text: String) -> Result<(), Exit> {
    write_atomically(path, text.as_bytes()).map_err(|error| unwritable(path, &error))
}

fn unwritable(path: &Path, error: &std::io::Error) -> Exit {
    tell(format_args!("error: cannot write `{}`: {error}", path.display()));
    Exit::Usage
}

/// Writes what was asked for about the search: what it did, and a line of a history.
pub fn write_search(
    args: &CheckArgs,
    program: &Prepared,
    verdict: &Verdict,
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
        solved: verdict.is_decided(),
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
    findings: &Findings,
    faults: Option<&Localisation>,
    time: Duration,
) -> Result<(), Exit> {
    let verdict = &findings.verdict();
    if let (Some(path), Some(program)) = (&args.witness, program)
        && let Some(text) = witness::document(program, verdict, &task(args, program, verdict))
    {
        put(path, text)?;
    }
    if args.sarif.is_none() && args.junit.is_none() {
        return Ok(());
    }
    let outcome = [HarnessOutcome::new(report(args, program, findings, faults, time), false)];
    let here = std::env::current_dir().unwrap_or_default();
    if let Some(path) = &args.sarif {
        let document = sarif::document(&outcome, &here);
        put(path, serde_json::to_string_pretty(&document).unwrap_or_default() + "\n")?;
    }
    if let Some(path) = &args.junit {
        put(path, junit::document(&outcome))?;
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

/// The run as if the program were a harness.
fn report(
    args: &CheckArgs,
    program: Option<&Prepared>,
    findings: &Findings,
    faults: Option<&Localisation>,
    time: Duration,
) -> protocol::Report {
    let verdict = findings.verdict();
    let file = args.program.files.first().cloned().unwrap_or_default();
    let name = file.display().to_string();
    let mut violations: Vec<protocol::Violation> = match program {
        Some(program) => findings.violations.iter().map(|found| violated(program, found)).collect(),
        None => Vec::new(),
    };
    if let Some(first) = violations.first_mut() {
        first.faults = faults.cloned();
    }
    let (kind, reason) = match (&verdict, violations.first()) {
        (Verdict::Unknown(reason), _) => (Some(reason.kind().to_owned()), reason.to_string()),
        (_, Some(found)) => (Some(found.property.clone()), found.message.clone()),
        _ => (None, String::new()),
    };
    protocol::Report {
        protocol: protocol::PROTOCOL,
        version: tour::VERSION.to_owned(),
        harness: protocol::Harness {
            name,
            module: String::new(),
            function: args.program.entry.clone(),
            package: "cargo tour check".into(),
            manifest_dir: std::env::current_dir().unwrap_or_default(),
            file,
            line: 1,
            tags: Vec::new(),
            timeout: None,
            memory: None,
            unwind: None,
            properties: Vec::new(),
            malloc_may_fail: false,
            should_fail: None,
            should_panic: false,
            ignored: false,
            source: String::new(),
        },
        verdict: match verdict {
            Verdict::Proved(_) => protocol::Verdict::Proved,
            Verdict::Violated(_) => protocol::Verdict::Violated,
            Verdict::Unknown(_) => protocol::Verdict::Unknown,
        },
        reason,
        kind,
        checks: Vec::new(),
        analysis: None,
        statistics: BTreeMap::new(),
        time: time.as_secs_f64(),
        violations,
        others_hold: matches!(findings.rest, Verdict::Proved(_)),
        diagnostics: Vec::new(),
        assumptions: Vec::new(),
        vacuity: Vec::new(),
        mutants: None,
        units: Vec::new(),
        sources: Vec::new(),
    }
}

fn violated(program: &Program, violation: &Violation) -> protocol::Violation {
    let check = &program.checks[violation.check];
    let steps = violation.trace.iter().map(|step| {
        let edge = &program.cfa.edges[step.edge];
        protocol::TraceStep {
            place: place(&program.sources, edge.span),
            function: program.functions[program.cfa.locs[edge.from].function].name.clone(),
            rust: false,
            depth: step.depth,
            operation: program.show_op(&edge.op),
            value: step.value.clone(),
        }
    });
    protocol::Violation {
        property: check.rule.id().to_owned(),
        message: format!("{}: {}", check.rule.describe(), check.message),
        place: place(&program.sources, check.span),
        inputs: Vec::new(),
        scalars: violation.inputs.iter().map(|input| protocol::Bits(input.bits)).collect(),
        trace: steps.collect(),
        replay: protocol::Replay::NotRun { why: "`check` runs nothing natively".into() },
        faults: None,
    }
}

fn place(sources: &SourceMap, span: Span) -> protocol::Place {
    let at = sources.place(span);
    let text = sources.text(span).lines().next().unwrap_or("");
    protocol::Place {
        file: at.file.to_owned(),
        line: at.line,
        column: at.column,
        length: text.len() as u32,
        text: text.to_owned(),
    }
}
