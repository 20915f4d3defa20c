//! What `cargo tour verify` and a test executable tell each other.
//!
//! Three processes take part: the command, its workers, and test executables. A test executable contains its harnesses as
//! ordinary tests, and links the crate `tour-verify` (the folder `tour`), which speaks its side of the protocol without
//! needing this crate. A [`Request`] is a file of JSON; answers are files, too, and are there whole or not at all. All
//! sides state [`PROTOCOL`], and who gets another number says which version to install.
//!
//! **Listing** ([`Action::List`], command to test executable). Run `EXECUTABLE --list` with the environment variable
//! [`REQUEST`] set to the path of the request: every harness in the executable appends one line, a [`Listed`] as JSON, to
//! [`Request::result`] before `main` begins. A file that is not there afterwards means that the executable has no harness.
//! The order of lines is not fixed: sort by name.
//!
//! **Verifying** ([`Action::Verify`], command to worker). `cargo-tour tour worker REQUEST` verifies
//! [`Request::description`] and writes one [`ClaimResult`] to [`Request::result`]. The status of
//! the process says nothing; one that ends without a result has crashed. While it runs, [`Request::progress`] is overwritten
//! now and then with one [`Progress`].
//!
//! **Answering** ([`Action::Answer`], test executable to command). Under plain `cargo test`, a test runs
//! `cargo-tour tour answer REQUEST` with its own [`Request::description`] and [`Request::executable`], and finds an [`Answer`]
//! in [`Request::result`].
//!
//! **Replaying** ([`Action::Replay`], worker or command to test executable). `EXECUTABLE --exact NAME --nocapture
//! --include-ignored` with [`REQUEST`] set runs the harness body natively in that very process with [`Request::inputs`]:
//! nothing is caught, so that a debugger sees what happens. If [`Request::result`] is set, a [`NativeEnd`] is written there
//! when the body ends or panics; a signal leaves none.
//!
//! A fourth action, `sample`, is what a test executable asks of itself when nobody can prove anything: see the crate.

pub use crate::result::PROTOCOL;

use crate::result::{Bits, ClaimResult, EngineChoices, Harness};
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
    /// Version of who asks.
    #[serde(default)]
    pub version: String,
    /// What to do.
    pub action: Action,
    /// The harness, by its name; others ignore the request. Empty with [`Action::List`].
    pub harness: String,
    /// What its test executable says of it; for who did not compile it.
    #[serde(default)]
    pub description: Option<Box<Harness>>,
    /// Its test executable, for native runs.
    #[serde(default)]
    pub executable: Option<PathBuf>,
    /// Wall-clock limit, in seconds; in place of the harness's own if given.
    #[serde(default)]
    pub timeout: Option<f64>,
    /// Memory limit in bytes; in place of the harness's own if given.
    #[serde(default)]
    pub memory: Option<u64>,
    /// How the engine works.
    #[serde(default)]
    pub engine: EngineChoices,
    /// Ids of the properties to check; empty: those of the harness, or all.
    #[serde(default)]
    pub properties: Vec<String>,
    /// `malloc` and its kin may fail, whatever the harness says.
    #[serde(default)]
    pub malloc_may_fail: bool,
    /// Which C is compiled, and how. `None`: captured by the harness itself, as under `cargo test`.
    #[serde(default)]
    pub compile_commands: Option<PathBuf>,
    /// All that was read for it: a `tour_harness::harness::Snapshot`. Without one, the worker reads for itself.
    #[serde(default)]
    pub snapshot: Option<PathBuf>,
    /// Do not run the body natively when a violation is found.
    #[serde(default)]
    pub no_replay: bool,
    /// Where the answer goes.
    #[serde(default)]
    pub result: Option<PathBuf>,
    /// Where progress is shown.
    #[serde(default)]
    pub progress: Option<PathBuf>,
    /// Where the record of the run goes, for the HTML report: a `tour_report::report::record::Record`.
    #[serde(default)]
    pub record: Option<PathBuf>,
    /// Whether a witness is wanted, and where.
    #[serde(default)]
    pub witness: Option<Witness>,
    /// The scalars that parameters and `any()` take, in order ([`Counterexample::scalars`](crate::result::Counterexample::scalars)); for [`Action::Replay`].
    #[serde(default)]
    pub inputs: Vec<Bits>,
    /// Inputs that violated it before: they are tried first, each as for `inputs`.
    #[serde(default)]
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
            version: env!("CARGO_PKG_VERSION").to_owned(),
            action,
            harness: harness.into(),
            description: None,
            executable: None,
            engine: EngineChoices::default(),
            timeout: None,
            memory: None,
            properties: Vec::new(),
            malloc_may_fail: false,
            compile_commands: None,
            snapshot: None,
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
    /// The largest number of them.
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
    /// Say whether the harness holds, for its test.
    Answer,
    /// Run the body natively with given inputs.
    Replay,
}

/// What a test executable says of one of its harnesses.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Listed {
    /// [`PROTOCOL`].
    pub protocol: u32,
    /// Version of the crate that it links.
    pub version: String,
    /// The harness.
    #[serde(flatten)]
    pub harness: Harness,
}

/// What a request of another version has, too.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Header {
    /// [`PROTOCOL`] of who wrote it.
    pub protocol: u32,
    /// Its version.
    #[serde(default)]
    pub version: String,
    /// Where the answer goes.
    #[serde(default)]
    pub result: Option<PathBuf>,
}

/// What a harness's test is told.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Answer {
    /// [`PROTOCOL`].
    pub protocol: u32,
    /// Version of who answers.
    pub version: String,
    /// It is proved, or fails as it should.
    pub proved: bool,
    /// Some inputs violate it.
    pub violated: bool,
    /// The result as people read it.
    pub text: String,
    /// Why there is no result.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

impl Answer {
    fn new(proved: bool, violated: bool, text: String, error: Option<String>) -> Answer {
        let version = env!("CARGO_PKG_VERSION").to_owned();
        Answer { protocol: PROTOCOL, version, proved, violated, text, error }
    }

    /// Of a result.
    pub fn of(result: &ClaimResult, text: String) -> Answer {
        Answer::new(result.is_proved(), !result.violations.is_empty(), text, None)
    }

    /// There is no result.
    pub fn error(why: impl Into<String>) -> Answer {
        Answer::new(false, false, String::new(), Some(why.into()))
    }
}

/// Whether who wrote it can be talked to; if not, what to do about it.
pub fn compatible(theirs: &Header, who: &str) -> Result<(), String> {
    let (own, version) = (env!("CARGO_PKG_VERSION"), &theirs.version);
    if theirs.protocol == PROTOCOL {
        return Ok(());
    }
    let of = if version.is_empty() { "of another version".to_owned() } else { version.clone() };
    Err(format!(
        "{who} uses tour-verify {of}, and this is cargo-tour {own}: they do not understand each other; install the \
         command of the same version (`cargo install --locked cargo-tour@{version}`), or update the dev-dependency \
         `tour-verify` to {own}"
    ))
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
