//! Coverage on the command line: what is written, what must be covered, and what is said of it.

use crate::exit::Exit;
use crate::html;
use crate::term::{Term, print_error, print_line};
use clap::Args;
use std::path::{Path, PathBuf};
use std::time::SystemTime;
use tour::coverage::delta::{Gate, changes};
use tour::coverage::{CheckStatus, Coverage, LineState, Settings, export, merge};
use tour::protocol::write_atomically;
use tour::report::record::Record;
use tour::stats::Statistics;

/// What becomes of coverage.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Coverage")]
pub struct CoverageOutput {
    /// Write a report of the run: a page that stands alone (.html), or the data for one (.json)
    #[arg(long, value_name = "FILE")]
    pub report: Option<PathBuf>,
    /// Write visited lines as an lcov tracefile
    #[arg(long, value_name = "FILE")]
    pub lcov: Option<PathBuf>,
    /// Write visited lines as Cobertura XML
    #[arg(long, value_name = "FILE")]
    pub cobertura: Option<PathBuf>,
    /// Write all measures as JSON; also what --coverage-baseline reads
    #[arg(long, value_name = "FILE")]
    pub coverage_json: Option<PathBuf>,
    /// Say how the measures differ from those saved by --coverage-json
    #[arg(long, value_name = "FILE")]
    pub coverage_baseline: Option<PathBuf>,
    /// Exit with code 5 if fewer per cent of the statement lines were visited
    #[arg(long, value_name = "PERCENT")]
    pub fail_under_lines: Option<f64>,
    /// Exit with code 5 if fewer per cent of the variables were visited
    #[arg(long, value_name = "PERCENT")]
    pub fail_under_variables: Option<f64>,
    /// Exit with code 5 if fewer per cent of the locations were considered with predicates
    #[arg(long, value_name = "PERCENT")]
    pub fail_under_locations: Option<f64>,
    /// Exit with code 5 if fewer per cent of the checks were decided
    #[arg(long, value_name = "PERCENT")]
    pub fail_under_checks: Option<f64>,
}

/// What is asked of coverage.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Coverage")]
pub struct CoverageArgs {
    #[command(flatten)]
    pub output: CoverageOutput,
    /// The share of variables in predicates that count as relevant, from 0 to 1
    #[arg(long, value_name = "SHARE", default_value_t = 0.75, value_parser = share)]
    pub relevant_variables: f64,
    /// Do not collect coverage
    #[arg(long)]
    pub no_coverage: bool,
}

fn share(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(share) if (0.0..=1.0).contains(&share) => Ok(share),
        _ => Err("a share is a number from 0 to 1".into()),
    }
}

impl CoverageArgs {
    /// How coverage is collected; `None`: not at all.
    pub fn settings(&self) -> Option<Settings> {
        let settings = Settings { relevant: self.relevant_variables, graph: self.output.report.is_some() };
        (!self.no_coverage).then_some(settings)
    }
}

impl CoverageOutput {
    /// A file is to be written.
    pub fn wants_files(&self) -> bool {
        [&self.report, &self.lcov, &self.cobertura, &self.coverage_json].iter().any(|file| file.is_some())
    }

    /// Measures are asked for, which are about the whole program.
    pub fn is_asked_for(&self) -> bool {
        self.wants_files() || self.coverage_baseline.is_some() || !self.gates().is_empty()
    }

    fn gates(&self) -> Vec<Gate> {
        let gates = [
            ("visited-lines", self.fail_under_lines),
            ("visited-variables", self.fail_under_variables),
            ("considered-locations", self.fail_under_locations),
            ("checks", self.fail_under_checks),
        ];
        gates.into_iter().filter_map(|(id, at_least)| Some(Gate { id, at_least: at_least? })).collect()
    }

    /// Writes the files that were asked for.
    pub fn write(&self, record: &Record) -> Result<(), Exit> {
        if let Some(path) = &self.report {
            let is_json = path.extension().is_some_and(|extension| extension == "json");
            let text = match is_json {
                true => serde_json::to_string(record).unwrap_or_default(),
                false => html::page(std::slice::from_ref(record)),
            };
            put(path, &text)?;
        }
        self.write_coverage(&record.coverage)
    }

    /// Writes the files about coverage alone.
    fn write_coverage(&self, coverage: &Coverage) -> Result<(), Exit> {
        if let Some(path) = &self.lcov {
            put(path, &export::lcov(coverage))?;
        }
        if let Some(path) = &self.cobertura {
            let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
            put(path, &export::cobertura(coverage, now.as_secs()))?;
        }
        if let Some(path) = &self.coverage_json {
            put(path, &(serde_json::to_string_pretty(coverage).unwrap_or_default() + "\n"))?;
        }
        Ok(())
    }

    /// Says how coverage differs from the baseline.
    pub fn compare(&self, coverage: &Coverage) -> Result<(), Exit> {
        let Some(path) = &self.coverage_baseline else { return Ok(()) };
        let read = std::fs::read_to_string(path).map_err(|error| error.to_string());
        let before = read.and_then(|text| serde_json::from_str(&text).map_err(|error| error.to_string()));
        let before: Coverage = before.map_err(|error| {
            print_error(format_args!("error: cannot read the baseline `{}`: {error}", path.display()));
            Exit::Usage
        })?;
        print_line(format_args!("Coverage against {}:", path.display()));
        for change in changes(&before, coverage) {
            let (before, now) = (100.0 * change.before, 100.0 * change.now);
            print_line(format_args!(
                "    {:<24} {before:>5.1} % → {now:>5.1} % ({:+.1})",
                change.id,
                now - before
            ));
        }
        Ok(())
    }

    /// The gates that are not passed are told. True if there is one.
    pub fn is_below_a_gate(&self, coverage: &Coverage) -> bool {
        let failed: Vec<(Gate, f64)> = self
            .gates()
            .into_iter()
            .filter_map(|gate| Some((gate.clone(), gate.failed(coverage)?)))
            .collect();
        for (gate, percent) in &failed {
            print_error(format_args!(
                "error: {} {percent:.1} %, below the {} % asked for",
                gate.id, gate.at_least
            ));
        }
        !failed.is_empty()
    }
}

impl CoverageOutput {
    /// The coverage of several harnesses together is wanted.
    pub fn wants_any(&self) -> bool {
        self.wants_files() || self.coverage_baseline.is_some() || !self.gates().is_empty()
    }

    /// The same for several runs together, each with its record. True if a gate is not passed.
    pub fn together(&self, records: &[Record]) -> Result<bool, Exit> {
        let all: Vec<&Coverage> = records.iter().map(|record| &record.coverage).collect();
        let coverage = merge(&all);
        if let Some(path) = &self.report {
            put(path, &html::page(records))?;
        }
        self.write_coverage(&coverage)?;
        self.compare(&coverage)?;
        Ok(self.is_below_a_gate(&coverage))
    }
}

/// Writes a file, or says why not.
pub fn put(path: &Path, text: &str) -> Result<(), Exit> {
    write_atomically(path, text.as_bytes()).map_err(|error| {
        print_error(format_args!("error: cannot write `{}`: {error}", path.display()));
        Exit::Usage
    })
}

/// `Coverage  lines 92.3 % (12 of 13), …`, and whether it is that of a slice.
pub fn summary(term: &Term, coverage: &Coverage, stats: &Statistics) {
    let measures = coverage.measures.iter().map(|measure| {
        let name = measure.id.replace('-', " ");
        format!("{name} {:.1} % ({} of {})", 100.0 * measure.value, measure.covered, measure.total)
    });
    let lines: Vec<String> = measures.collect();
    let checks = [CheckStatus::Proved, CheckStatus::Violated, CheckStatus::Unknown, CheckStatus::Unreached];
    let checks = checks.map(|status| (coverage.checks_that_are(status), status.word()));
    let checks: Vec<String> =
        checks.iter().filter(|(n, _)| *n > 0).map(|(n, word)| format!("{n} {word}")).collect();
    print_line(format_args!("{} {}", term.status("Coverage", None), lines[..lines.len().min(2)].join(", ")));
    if term.verbose {
        lines.iter().skip(2).for_each(|line| print_line(format_args!("{:>10} {line}", "")));
    }
    if !checks.is_empty() {
        print_line(format_args!("{:>10} checks: {}", "", checks.join(", ")));
    }
    let rows = stats.rows();
    let of = |name: &str| rows.iter().find(|(row, _)| *row == name).map(|(_, value)| value);
    if let (Some(all), Some(kept)) = (of("operations"), of("operations-of-slice")) {
        let slice = format!("of a slice, {kept} of {all} operations (--no-slice: of the whole program)");
        print_line(format_args!("{:>10} {slice}", ""));
    }
}

/// How many lines and functions are named.
const NAMED: usize = 5;

/// For a run without a verdict: where the time went, and what was not looked at.
pub fn explain_unknown(coverage: &Coverage) {
    if !coverage.phases.is_empty() {
        print_line("    where the time went:");
    }
    for phase in &coverage.phases {
        let depth = if phase.depth > 0 { format!(", {} blocks deep", phase.depth) } else { String::new() };
        print_line(format_args!(
            "        {:<14} {:>8.3} s  {} states, {} refinements{depth}",
            phase.analysis, phase.time, phase.expanded, phase.refinements
        ));
    }
    for spot in coverage.hot.iter().take(NAMED) {
        print_line(format_args!(
            "        {:>8.3} s  {}:{} in {}, visited {} times",
            spot.time, spot.file, spot.line, spot.function, spot.visits
        ));
    }
    for file in &coverage.files {
        for (state, word) in [(LineState::Unvisited, "not visited"), (LineState::Considered, "left again")] {
            let lines: Vec<u32> = file.lines.iter().filter(|l| l.state == state).map(|l| l.line).collect();
            if !lines.is_empty() {
                print_line(format_args!("    {word}: {} lines {}", file.file, ranges(&lines)));
            }
        }
    }
}

/// `3-7, 12, 20-21, …`
fn ranges(lines: &[u32]) -> String {
    let mut out: Vec<(u32, u32)> = Vec::new();
    for &line in lines {
        match out.last_mut() {
            Some((_, last)) if line <= *last + 1 => *last = line,
            _ => out.push((line, line)),
        }
    }
    let show = |(from, to): &(u32, u32)| if from == to { from.to_string() } else { format!("{from}-{to}") };
    let mut shown: Vec<String> = out.iter().take(2 * NAMED).map(show).collect();
    if out.len() > shown.len() {
        shown.push("…".into());
    }
    shown.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_reported_as_ranges() {
        assert_eq!(ranges(&[3, 4, 5, 9, 11, 12]), "3-5, 9, 11-12");
        assert_eq!(ranges(&[]), "");
        let many: Vec<u32> = (0..30).map(|n| 2 * n).collect();
        assert_eq!(ranges(&many), "0, 2, 4, 6, 8, 10, 12, 14, 16, 18, …");
    }

    #[test]
    fn a_share_is_between_zero_and_one() {
        assert_eq!(share("0.75"), Ok(0.75));
        assert!(share("75").is_err() && share("x").is_err() && share("NaN").is_err());
    }
}
