//! What `cargo tour verify` and a test executable tell each other.
//!
//! A test executable contains its harnesses as ordinary tests. With the environment variable [`REQUEST`] set to the path
//! of a [`Request`] (JSON), a harness does what the request says and leaves its answer in files; without it, it verifies
//! itself and passes or panics as any test does.
//!
//! **Listing.** Run `EXECUTABLE --list` with [`Action::List`]: every harness in the executable appends one line, a
//! [`Harness`] as JSON, to [`Request::result`] before `main` begins. A file that is not there afterwards means that the
//! executable has no harness. The order of lines is not fixed: sort by name.
//!
//! **Verifying.** Run `EXECUTABLE --exact NAME --nocapture` (with `--include-ignored` where wanted) with
//! [`Action::Verify`]: the harness writes one [`Report`] to [`Request::result`], by renaming a finished file, so that it
//! is there whole or not at all. The status of the process says nothing (libtest counts a `#[should_panic]` test that did
//! not panic as failed); a process that ends without a report has crashed. While it runs, [`Request::progress`] is overwritten now and then with one
//! [`Progress`], also by renaming.
//!
//! **Replaying.** With [`Action::Replay`], the harness body runs natively in that very process with
//! [`Request::inputs`]: nothing is caught, so that a debugger sees what happens. If [`Request::result`] is set, a
//! [`NativeEnd`] is written there when the body ends or panics; a signal leaves none.

use crate::fault::Localisation;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The environment variable that holds the path of a [`Request`].
pub const REQUEST: &str = "TOUR_REQUEST";

/// Version of these types: both sides must have the same.
pub const PROTOCOL: u32 = 2;

/// What a test executable is asked to do.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Request {
    /// [`PROTOCOL`].
    pub protocol: u32,
    /// What to do.
    pub action: Action,
    /// The harness, by [`Harness::name`]; others ignore the request. Empty with [`Action::List`].
    pub harness: String,
    /// Wall-clock limit, in seconds; in place of the harness's own if given.
    pub timeout: Option<f64>,
    /// Memory limit in bytes; in place of the harness's own if given.
    pub memory: Option<u64>,
    /// Ids of the properties to check; empty: those of the harness, or all.
    pub properties: Vec<String>,
    /// `malloc` and its kin may fail, whatever the harness says.
    #[serde(default)]
    pub malloc_may_fail: bool,
    /// Which C is compiled, and how. `None`: captured by the harness itself, as under `cargo test`.
    pub compile_commands: Option<PathBuf>,
    /// Do not run the body natively when a violation is found.
    pub no_replay: bool,
    /// Where the answer goes.
    pub result: Option<PathBuf>,
    /// Where progress is shown.
    pub progress: Option<PathBuf>,
    /// Where the record of the run goes, for the HTML report: a [`crate::report::record::Record`].
    #[serde(default)]
    pub record: Option<PathBuf>,
    /// Whether a witness is wanted, and where.
    #[serde(default)]
    pub witness: Option<Witness>,
    /// The scalars that parameters and `any()` take, in order ([`Violation::scalars`]); for [`Action::Replay`].
    pub inputs: Vec<Bits>,
    /// Inputs that violated it before: they are tried first, each as for `inputs`.
    pub regressions: Vec<Vec<Bits>>,
    /// If the harness is proved, it is verified again with small faults in the C.
    #[serde(default)]
    pub mutants: Option<MutantsAsked>,
}

impl Request {
    /// Asks for something about one harness, with nothing else set.
    pub fn new(action: Action, harness: impl Into<String>) -> Request {
        Request {
            protocol: PROTOCOL,
            action,
            harness: harness.into(),
            timeout: None,
            memory: None,
            properties: Vec::new(),
            malloc_may_fail: false,
            compile_commands: None,
            no_replay: false,
            result: None,
            progress: None,
            record: None,
            witness: None,
            inputs: Vec::new(),
            regressions: Vec::new(),
            mutants: None,
        }
    }
}

/// A witness of the verdict: see [`crate::report::witness`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Witness {
    /// The file to write. There is none if nothing was decided.
    pub file: PathBuf,
    /// The time of the run, as in RFC 3339.
    pub time: String,
}

/// How small faults are tried.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct MutantsAsked {
    /// At most so many.
    pub max: usize,
    /// Time for each.
    pub seconds: f64,
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
    pub place: Place,
    /// `i < n` becomes `i <= n`
    pub describe: String,
    /// Violated: it was noticed.
    pub verdict: Verdict,
}

/// What to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Action {
    /// Say which harnesses there are.
    List,
    /// Verify.
    Verify,
    /// Run the body natively with given inputs.
    Replay,
}

/// A harness, as it is found in a test executable.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Harness {
    /// The name of the test, as libtest knows it: `proofs::push_then_pop`.
    pub name: String,
    /// Its module with the crate: `demo::proofs`.
    pub module: String,
    /// The function.
    pub function: String,
    /// The package.
    pub package: String,
    /// The directory of the package's manifest.
    pub manifest_dir: PathBuf,
    /// The file that it stands in, absolute where that could be found out.
    pub file: PathBuf,
    /// Its line, from 1.
    pub line: u32,
    /// `tag = "…"`, each.
    pub tags: Vec<String>,
    /// `timeout = "30s"`, in seconds.
    pub timeout: Option<f64>,
    /// `memory = "2G"`, in bytes.
    pub memory: Option<u64>,
    /// `unwind = 8`
    pub unwind: Option<u32>,
    /// `property = "…"`, each; empty: all.
    pub properties: Vec<String>,
    /// `malloc_may_fail = true`
    #[serde(default)]
    pub malloc_may_fail: bool,
    /// `should_fail = "…"`: it must be violated, and the check's rule or message must contain this text.
    pub should_fail: Option<String>,
    /// `#[should_panic]`: it must be violated.
    pub should_panic: bool,
    /// `#[ignore]`
    pub ignored: bool,
    /// The text of the function: part of the key of a cached result.
    pub source: String,
}

/// The result of verifying one harness.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Report {
    /// [`PROTOCOL`].
    pub protocol: u32,
    /// Version of tour in the test executable.
    pub version: String,
    /// The harness.
    pub harness: Harness,
    /// The verdict, with `should_fail` and `#[should_panic]` taken into account.
    pub verdict: Verdict,
    /// For people, in one line: the reason of an unknown verdict, what is violated, or empty.
    pub reason: String,
    /// Stable kind of an unknown verdict's reason (`timeout`, `unsupported`, …); rule id of a violation.
    pub kind: Option<String>,
    /// What was checked, by property.
    pub checks: Vec<CheckCount>,
    /// The analysis that decided.
    pub analysis: Option<String>,
    /// Named values; times are in seconds.
    pub statistics: BTreeMap<String, Statistic>,
    /// Wall-clock time in seconds.
    pub time: f64,
    /// What violates it: one for each check that was found violated.
    pub violations: Vec<Violation>,
    /// Of a violated harness: the checks that are not violated were decided too, and hold.
    #[serde(default)]
    pub others_hold: bool,
    /// Messages, those that explain the verdict first: one for each violation, in the same order.
    pub diagnostics: Vec<Diagnostic>,
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
}

/// The answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// No check can be violated (or, with `should_fail`, the expected one can).
    Proved,
    /// A check can be violated (or, with `should_fail`, the expected one can't).
    Violated,
    /// Neither was shown.
    Unknown,
    /// The harness or the C could not be read: the diagnostics say why.
    Invalid,
}

/// How many places a property is checked at.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct CheckCount {
    /// The property's id.
    pub property: String,
    /// How many.
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

/// How a check is violated.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Violation {
    /// The property's id.
    pub property: String,
    /// What fails, in the user's words.
    pub message: String,
    /// Where.
    pub place: Place,
    /// Parameters, then values of `any()` in the order in which they were taken.
    pub inputs: Vec<Input>,
    /// What the body takes natively, scalar by scalar: the inputs of a replay.
    pub scalars: Vec<Bits>,
    /// What was executed.
    pub trace: Vec<TraceStep>,
    /// What the native run showed.
    pub replay: Replay,
    /// Lines that may be wrong.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub faults: Option<Localisation>,
}

/// A value that the harness took from outside.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Input {
    /// The parameter's name; for `any()`, the variable that it initialises or `any()`.
    pub name: String,
    /// Its Rust type.
    #[serde(rename = "type")]
    pub ty: String,
    /// As a Rust expression: `255`, `[1, 2]`, `true`.
    pub literal: String,
    /// Its scalars.
    pub bits: Vec<Bits>,
    /// Where it is asked for.
    pub place: Place,
}

/// A bit pattern, zero-extended: as hexadecimal text, since JSON numbers are too small.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bits(pub u128);

impl Serialize for Bits {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&format!("{:#x}", self.0))
    }
}

impl<'de> Deserialize<'de> for Bits {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Bits, D::Error> {
        let text = String::deserialize(deserializer)?;
        let digits = text.strip_prefix("0x").unwrap_or(&text);
        u128::from_str_radix(digits, 16).map(Bits).map_err(serde::de::Error::custom)
    }
}

/// What a native run with the inputs showed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "result")]
pub enum Replay {
    /// The expected panic, or a crash inside the C.
    Confirmed {
        /// How it ended, in one line: `panicked at src/lib.rs:12`, `killed by signal 11`.
        how: String,
    },
    /// The native run did not show it.
    NotShown {
        /// Why not, in one line.
        why: String,
    },
    /// It was not tried.
    NotRun {
        /// Why not.
        why: String,
    },
}

impl Replay {
    /// In one line.
    pub fn describe(&self) -> String {
        match self {
            Replay::Confirmed { how } => format!("replayed natively: confirmed ({how})"),
            Replay::NotShown { why } => format!("replayed natively: not shown, {why}"),
            Replay::NotRun { why } if why.is_empty() => "not replayed natively".to_owned(),
            Replay::NotRun { why } => format!("not replayed natively: {why}"),
        }
    }
}

/// A place in the user's file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Place {
    /// The file: absolute, or relative to the directory of the compiler's call.
    pub file: PathBuf,
    /// Line, from 1.
    pub line: u32,
    /// Column in bytes, from 1.
    pub column: u32,
    /// Bytes on that line; at least 1 unless the place is empty.
    pub length: u32,
    /// The text of that line when the harness was verified.
    pub text: String,
}

/// A text about a place.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Note {
    /// The text.
    pub message: String,
    /// Where.
    pub place: Place,
}

/// A located message.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Diagnostic {
    /// Stable code: `tour::assert`.
    pub code: String,
    /// How bad it is.
    pub severity: Severity,
    /// What happened, in one line.
    pub message: String,
    /// Places, the main one first.
    pub labels: Vec<Note>,
    /// What to do next.
    pub help: Option<String>,
}

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[expect(missing_docs)]
pub enum Severity {
    Note,
    Warning,
    Error,
}

/// An executed operation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct TraceStep {
    /// Where.
    pub place: Place,
    /// The function.
    pub function: String,
    /// It is of a Rust file.
    pub rust: bool,
    /// How many calls are open.
    pub depth: u32,
    /// What is done.
    pub operation: String,
    /// What was stored.
    pub value: Option<String>,
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
    pub place: Place,
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

/// A translation unit that the harness reaches.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct ReachedUnit {
    /// The file.
    pub file: PathBuf,
    /// Hash of its text after preprocessing (see [`hash`]).
    pub hash: String,
}

/// What the harness is doing.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Progress {
    /// What.
    pub phase: Phase,
    /// Refinements so far.
    pub refinements: u64,
    /// Predicates so far.
    pub predicates: u64,
    /// Abstract states so far.
    pub states: u64,
    /// The share of statement lines that were visited, from 0 to 1.
    #[serde(default)]
    pub visited_lines: f64,
    /// Seconds since the start.
    pub time: f64,
    /// Resident memory in bytes.
    pub memory: u64,
}

/// The parts of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Phase {
    /// Finding out which C is compiled, and how.
    Capture,
    /// Reading the C and the harness.
    Read,
    /// Looking for a proof or a violation.
    Analyse,
    /// Asking whether claims are vacuous.
    Vacuity,
    /// Running natively.
    Replay,
}

/// How a native run ended, when it was not by a signal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "end")]
pub enum NativeEnd {
    /// The body returned.
    Returned,
    /// It panicked.
    Panicked {
        /// With this message.
        message: String,
        /// In this file, as the compiler names it.
        file: String,
        /// At this line.
        line: u32,
        /// And column.
        column: u32,
    },
    /// An `assume` did not hold.
    AssumeFailed,
    /// The inputs ran out.
    OutOfInputs,
}

/// A stable hash of a text, as 32 hexadecimal digits (two passes of FNV-1a, 64 bits each).
pub fn hash(text: &[u8]) -> String {
    let pass = |offset: u64| {
        text.iter().fold(offset, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3))
    };
    format!("{:016x}{:016x}", pass(0xcbf2_9ce4_8422_2325), pass(0x6c62_272e_07bb_0142))
}

/// Writes a file so that it is there whole or not at all.
pub fn write_atomically(path: &Path, value: &impl Serialize) -> std::io::Result<()> {
    let directory = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut file = tempfile::NamedTempFile::new_in(directory)?;
    serde_json::to_writer(&mut file, value)?;
    file.persist(path)?;
    Ok(())
}

/// Seconds as they stand in requests.
pub fn seconds(time: Option<Duration>) -> Option<f64> {
    time.map(|time| time.as_secs_f64())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_survives_the_file() {
        let directory = tempfile::tempdir().expect("a directory");
        let path = directory.path().join("request.json");
        let mut request = Request::new(Action::Verify, "proofs::push");
        request.timeout = seconds(Some(Duration::from_millis(1500)));
        request.inputs = vec![Bits(0), Bits(u128::MAX)];
        write_atomically(&path, &request).expect("written");
        let text = std::fs::read_to_string(&path).expect("there");
        assert!(text.contains(r#""inputs":["0x0","0xffffffffffffffffffffffffffffffff"]"#), "{text}");
        assert_eq!(serde_json::from_str::<Request>(&text).expect("read"), request);
    }

    #[test]
    fn the_hash_is_fixed() {
        assert_eq!(hash(b""), "cbf29ce4842223256c62272e07bb0142");
        assert_ne!(hash(b"a"), hash(b"b"));
    }
}
