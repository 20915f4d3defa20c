//! The result of a claim.

use super::{Claim, Counterexample, Message, Note, Severity, SourcePlace};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// Version of the protocol, and of the form of results: both sides must have the same.
pub const PROTOCOL: u32 = 4;

/// All that is known of a claim.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct ClaimResult {
    /// [`PROTOCOL`].
    pub protocol: u32,
    /// Version of tour that made it.
    pub version: String,
    /// The claim: in JSON a field `harness` or `program`.
    #[serde(flatten)]
    pub claim: Claim,
    /// How it ended, with `should_fail` and `#[should_panic]` taken into account.
    #[serde(rename = "verdict")]
    pub status: Status,
    /// For people, in one line: the reason of an unknown verdict, what is violated, how it crashed, or empty.
    pub reason: String,
    /// Stable kind of an unknown verdict's reason (`timeout`, `unsupported`, …); rule id of a violation.
    pub kind: Option<String>,
    /// What the reason is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<SourcePlace>,
    /// Of a proof: its certificate was checked. A harness that fails as it should is shown by its run and has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub certified: Option<bool>,
    /// What was checked, by property.
    pub checks: Vec<PropertyResult>,
    /// The analysis that decided.
    pub analysis: Option<String>,
    /// Named values; times are in seconds.
    pub statistics: BTreeMap<String, Statistic>,
    /// Wall-clock time in seconds, of the run that made it.
    pub time: f64,
    /// What violates it: one for each check that was found violated.
    pub violations: Vec<Counterexample>,
    /// Of a violated claim: the checks that are not violated were decided too, and hold.
    #[serde(default)]
    pub others_hold: bool,
    /// Messages, those that explain the verdict first: one for each violation, in the same order.
    pub diagnostics: Vec<Message>,
    /// What the verdict takes for granted.
    pub assumptions: Vec<Note>,
    /// Claims of the user's that say nothing. A finding of its own: a proved harness with one is not just proved.
    pub vacuity: Vec<Vacuity>,
    /// Small faults in the C, if they were asked for and the harness holds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mutants: Option<MutantsTried>,
    /// The C that was part of the program.
    pub units: Vec<ReachedUnit>,
    /// The Rust files that were read for it.
    pub sources: Vec<PathBuf>,
    /// It was there from an earlier run: known to the command alone.
    #[serde(skip)]
    pub cached: bool,
}

impl ClaimResult {
    /// Nothing is known yet but how it ended.
    pub fn new(claim: impl Into<Claim>, status: Status) -> ClaimResult {
        let version = env!("CARGO_PKG_VERSION").to_owned();
        ClaimResult { protocol: PROTOCOL, version, claim: claim.into(), status, ..ClaimResult::default() }
    }

    /// `SAFE`, `UNSAFE` or `UNKNOWN`.
    pub fn verdict(&self) -> &'static str {
        match self.status {
            Status::Proved | Status::Vacuous => "SAFE",
            Status::Violated => "UNSAFE",
            Status::Unknown | Status::Invalid | Status::Crashed | Status::NotRun => "UNKNOWN",
        }
    }

    /// It is a proof, and was checked.
    pub fn is_proved(&self) -> bool {
        self.status == Status::Proved && !self.is_unchecked()
    }

    /// It is a proof whose certificate nobody checked.
    pub fn is_unchecked(&self) -> bool {
        self.certified == Some(false)
    }

    /// As on the last line of `cargo tour check`: `SAFE`, `UNSAFE` or `UNKNOWN (reason)`; a proof that nobody checked says
    /// so.
    pub fn verdict_line(&self) -> String {
        match self.verdict() {
            "UNKNOWN" => format!("UNKNOWN ({})", self.reason),
            "SAFE" if self.is_unchecked() => "SAFE (not certified)".to_owned(),
            decided => decided.to_owned(),
        }
    }

    /// Why it ended so, in one line.
    pub fn why(&self) -> &str {
        match (self.status, self.vacuity.first()) {
            (Status::Vacuous, Some(first)) => &first.message,
            (Status::Proved, _) if self.is_unchecked() => "(not certified)",
            _ => &self.reason,
        }
    }

    /// How many checks it has.
    pub fn check_count(&self) -> usize {
        self.checks.iter().map(|property| property.checks).sum()
    }

    /// What the first message is about that has a place.
    pub fn first_place(&self) -> Option<&SourcePlace> {
        self.diagnostics.iter().find_map(Message::place)
    }

    /// Whether native runs confirmed what violates it, or why not.
    pub fn replay(&self) -> Option<String> {
        match &self.violations[..] {
            [] => None,
            [one] => Some(one.replay.describe()),
            all @ [first, ..] => Some(format!(
                "{} violations, {} confirmed natively; the first: {}",
                all.len(),
                all.iter().filter(|violation| violation.replay.is_confirmed()).count(),
                first.message
            )),
        }
    }
}

/// How a claim ended.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Status {
    /// No check can be violated (or, with `should_fail`, the expected one can).
    Proved,
    /// It holds, but says nothing.
    Vacuous,
    /// Neither was shown.
    Unknown,
    /// The harness or the C could not be read: the messages say why.
    Invalid,
    /// A check can be violated (or, with `should_fail`, the expected one can't).
    Violated,
    /// The process that verified it ended without a result.
    Crashed,
    /// It was not run: another failed before, or the user interrupted.
    #[default]
    NotRun,
}

impl Status {
    /// As on the status line.
    pub fn word(self) -> &'static str {
        match self {
            Status::Proved => "PROVED",
            Status::Vacuous => "VACUOUS",
            Status::Unknown => "UNKNOWN",
            Status::Invalid => "INVALID",
            Status::Violated => "VIOLATED",
            Status::Crashed => "CRASHED",
            Status::NotRun => "NOT RUN",
        }
    }

    /// Good, bad, or neither.
    pub fn is_good(self) -> Option<bool> {
        match self {
            Status::Proved => Some(true),
            Status::Violated | Status::Crashed | Status::Invalid => Some(false),
            Status::Unknown | Status::Vacuous | Status::NotRun => None,
        }
    }
}

/// What is known of one property.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct PropertyResult {
    /// Its id, as for `--property`.
    pub property: String,
    /// Proved, violated or unknown.
    pub result: Status,
    /// How many places of the program it is checked at.
    pub checks: usize,
}

/// A named value.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Statistic {
    /// A count.
    Count(u64),
    /// A time in seconds, a ratio.
    Number(f64),
    /// Anything else.
    Text(String),
}

/// A claim that says nothing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Vacuity {
    /// What kind.
    pub kind: VacuityKind,
    /// For people, in one line.
    pub message: String,
    /// Where.
    pub place: SourcePlace,
}

impl Vacuity {
    /// As a message of its own.
    pub fn to_message(&self) -> Message {
        Message {
            code: "tour::vacuous".into(),
            severity: Severity::Warning,
            message: self.message.clone(),
            labels: vec![Note { message: "says nothing".into(), place: self.place.clone() }],
            help: Some("a claim about nothing holds always; weaken the assumptions".into()),
        }
    }
}

/// How a claim can say nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum VacuityKind {
    /// No input satisfies the assumptions: the end of the harness is never reached.
    Assumptions,
    /// An assertion is never reached.
    Assertion,
}

/// What became of small faults.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct MutantsTried {
    /// How many there are.
    pub all: usize,
    /// Those that were tried.
    pub tried: Vec<TriedMutant>,
}

/// A small fault in the C, and whether the harness noticed it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct TriedMutant {
    /// Where.
    pub place: SourcePlace,
    /// `i < n` becomes `i <= n`
    pub describe: String,
    /// Violated: it was noticed.
    pub verdict: Status,
}

/// A translation unit that the harness reaches.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct ReachedUnit {
    /// The file.
    pub file: PathBuf,
    /// Hash of its text after preprocessing (see `protocol::hash`).
    pub hash: String,
}

/// How many claims ended how.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize)]
#[serde(rename_all = "kebab-case")]
#[expect(missing_docs)]
pub struct Counts {
    pub selected: usize,
    pub proved: usize,
    pub vacuous: usize,
    pub violated: usize,
    pub unknown: usize,
    pub invalid: usize,
    pub crashed: usize,
    pub not_run: usize,
    pub cached: usize,
}

impl Counts {
    /// Counts.
    pub fn of(results: &[ClaimResult]) -> Counts {
        let mut counts = Counts { selected: results.len(), ..Counts::default() };
        for result in results {
            counts.cached += usize::from(result.cached);
            *match result.status {
                Status::Proved => &mut counts.proved,
                Status::Vacuous => &mut counts.vacuous,
                Status::Unknown => &mut counts.unknown,
                Status::Invalid => &mut counts.invalid,
                Status::Violated => &mut counts.violated,
                Status::Crashed => &mut counts.crashed,
                Status::NotRun => &mut counts.not_run,
            } += 1;
        }
        counts
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::result::{CheckedProgram, Harness};

    #[test]
    fn everything_is_counted_once() {
        let ended = [Status::Proved, Status::Vacuous, Status::Violated, Status::Crashed, Status::NotRun];
        let mut results = ended.map(|status| ClaimResult::new(Harness::default(), status));
        results[0].cached = true;
        let counts = Counts::of(&results);
        let all =
            [counts.proved, counts.vacuous, counts.violated, counts.unknown, counts.invalid, counts.crashed];
        assert_eq!(all, [1, 1, 1, 0, 0, 1]);
        assert_eq!((counts.selected, counts.not_run, counts.cached), (5, 1, 1));
    }

    #[test]
    fn a_result_names_its_claim_and_survives_the_file() {
        let program = CheckedProgram { files: vec!["a.c".into()], ..CheckedProgram::default() };
        for claim in [Claim::from(Harness::default()), Claim::Program(program)] {
            let field = if claim.harness().is_some() { "\"harness\":{" } else { "\"program\":{" };
            let mut result = ClaimResult::new(claim, Status::Violated);
            result.statistics.insert("time".into(), Statistic::Number(0.5));
            let text = serde_json::to_string(&result).expect("JSON");
            assert!(text.contains(field) && text.contains("\"verdict\":\"violated\""), "{text}");
            assert_eq!(serde_json::from_str::<ClaimResult>(&text).expect("read"), result);
        }
    }
}
