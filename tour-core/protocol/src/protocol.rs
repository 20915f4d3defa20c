//! What `cargo tour verify` and a test executable tell each other.
//!
//! A test executable contains its harnesses as ordinary tests. With the environment variable [`REQUEST`] set to the path
//! of a [`Request`] (JSON), a harness does what the request says and leaves its answer in files; without it, it verifies
//! itself and passes or panics as any test does.
//!
//! **Listing.** Run `EXECUTABLE --list` with [`Action::List`]: every harness in the executable appends one line, a
//! [`Harness`](crate::result::Harness) as JSON, to [`Request::result`] before `main` begins. A file that is not there afterwards means that the
//! executable has no harness. The order of lines is not fixed: sort by name.
//!
//! **Verifying.** Run `EXECUTABLE --exact NAME --nocapture` (with `--include-ignored` where wanted) with
//! [`Action::Verify`]: the harness writes one
//! [`ClaimResult`](crate::result::ClaimResult) to [`Request::result`], by renaming a finished file, so that it
//! is there whole or not at all. The status of the process says nothing (libtest counts a `#[should_panic]` test that did
//! not panic as failed); a process that ends without a result has crashed. While it runs, [`Request::progress`] is overwritten now and then with one
//! [`Progress`], also by renaming.
//!
//! **Replaying.** With [`Action::Replay`], the harness body runs natively in that very process with
//! [`Request::inputs`]: nothing is caught, so that a debugger sees what happens. If [`Request::result`] is set, a
//! [`NativeEnd`] is written there when the body ends or panics; a signal leaves none.

pub use crate::result::PROTOCOL;

use crate::result::Bits;
use serde::{Deserialize, Serialize};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// The environment variable that holds the path of a [`Request`].
pub const REQUEST: &str = "TOUR_REQUEST";

/// What a test executable is asked to do.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Request {
    /// [`PROTOCOL`].
    pub protocol: u32,
    /// What to do.
    pub action: Action,
    /// The harness, by its name; others ignore the request. Empty with [`Action::List`].
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
    /// Where the record of the run goes, for the HTML report: a `tour_report::report::record::Record`.
    #[serde(default)]
    pub record: Option<PathBuf>,
    /// Whether a witness is wanted, and where.
    #[serde(default)]
    pub witness: Option<Witness>,
    /// The scalars that parameters and `any()` take, in order ([`Counterexample::scalars`](crate::result::Counterexample::scalars)); for [`Action::Replay`].
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

/// A witness of the verdict: see `tour_report::report::witness`.
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

/// Writes a file, and the folders above it, so that it is there whole or not at all.
pub fn write_atomically(path: &Path, content: &[u8]) -> std::io::Result<()> {
    static NUMBER: AtomicU64 = AtomicU64::new(0);
    let folder = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    std::fs::create_dir_all(folder)?;
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    let partial = folder.join(format!(".tour-{}-{number}.new", std::process::id()));
    let mut file = std::fs::File::create(&partial)?;
    let written = file.write_all(content).and_then(|()| std::fs::rename(&partial, path));
    if written.is_err() {
        // What is left of it has no reader.
        let _ = std::fs::remove_file(&partial);
    }
    written
}

/// The same for a value, as JSON.
pub fn write_json(path: &Path, value: &impl Serialize) -> std::io::Result<()> {
    write_atomically(path, &serde_json::to_vec(value)?)
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
        write_json(&path, &request).expect("written");
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
