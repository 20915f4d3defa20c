//! Which C a package's own build compiles, and how: found by watching the real build.
//!
//! The build runs in a target directory of its own, `target/tour`, with a small wrapper as the C compiler. The
//! wrapper notes each call and runs the real compiler. What it noted is read: probes are left out, each
//! compiled file becomes a [`Unit`]. The result is kept and used again until something changes.
//!
//! | file | what |
//! |---|---|
//! | `wrapper` | the script that stands in for the compiler |
//! | `calls` | what it noted, and which calls count |
//! | `cargo` | running the build and reading its messages |
//! | `stamp`, `stat` | whether anything changed since |
//! | `store` | keeping captures |
//! | `objects` | symbols of the compiled objects: which units a function needs |
//! | `build_rs` | the fallback: `cc::Build` calls read from `build.rs` |
//! | `this_test` | how a test executable was built |
//! | `place` | the target directory, found without running cargo |

mod build_rs;
mod calls;
mod cargo;
mod objects;
mod place;
mod stamp;
mod stat;
mod store;
mod this_test;
mod wrapper;

pub use cargo::Executable;
pub use objects::Symbols;
pub use place::{Places, locate};
pub use stamp::Stamp;
pub use stat::FileStamp;
pub use store::remove;
pub use this_test::cargo_flags;
use tour_protocol::protocol::write_atomically;

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use tour_c::front::Input;

/// Names a file with a capture that is to be used as it is. `cargo tour verify` sets it for the tests that it runs.
pub const CAPTURE_VARIABLE: &str = "TOUR_CAPTURE";

/// What a build compiled.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Capture {
    /// The C files, in the order of packages and paths.
    pub units: Vec<Unit>,
    /// What else build scripts did that a verifier should know of.
    pub scripts: Vec<Script>,
    /// How the units were found.
    pub found_by: FoundBy,
    /// Test executables, if the build made them.
    pub executables: Vec<Executable>,
    /// The directory that all of it is kept in: `target/tour`.
    pub directory: PathBuf,
}

/// How units were found.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FoundBy {
    /// The wrapper saw them compiled.
    #[default]
    Build,
    /// The wrapper can't run here: `cc::Build` calls were read from the text of `build.rs`, which may miss some.
    BuildScriptText,
}

/// A C file with the flags that it is compiled with.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Unit {
    /// The file; absolute.
    pub file: PathBuf,
    /// Where the compiler ran.
    pub directory: PathBuf,
    /// The compiler.
    pub compiler: PathBuf,
    /// Its arguments, all of them.
    pub arguments: Vec<String>,
    /// The package whose build script compiled it.
    pub package: String,
    /// What it was compiled to; absolute.
    pub object: Option<PathBuf>,
}

impl Unit {
    /// For the front end, with the flags that matter to it.
    pub fn input(&self) -> Input {
        Input {
            flags: calls::flags(&self.arguments).map(OsString::from).collect(),
            compiler: Some(self.compiler.clone()),
            directory: Some(self.directory.clone()),
            ..Input::file(&self.file)
        }
    }
}

/// What one build script did.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Script {
    /// Its package.
    pub package: String,
    /// How many C files it compiled.
    pub units: usize,
    /// Compiler calls that are no units of the program, by reason.
    pub skipped: BTreeMap<String, usize>,
    /// Static libraries that it asks to link.
    pub libraries: Vec<Library>,
}

/// A static library that a build script links.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Library {
    /// As in `-l`.
    pub name: String,
    /// The archive, if it was found.
    pub archive: Option<PathBuf>,
    /// Members for which no C file was seen compiled: assembler, C++, or made by a compiler that bypassed the wrapper.
    pub unseen: Vec<String>,
    /// All members.
    pub members: usize,
}

/// What to build, and how.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Where the package's `Cargo.toml` is.
    pub manifest_dir: PathBuf,
    /// Flags for cargo: packages, features, profile.
    pub cargo: Vec<OsString>,
    /// Build the test executables too.
    pub tests: bool,
    /// Let cargo write its progress to standard error.
    pub show: bool,
    /// Run cargo even if nothing seems to have changed.
    pub force: bool,
}

/// Why there is no capture.
#[derive(Debug, thiserror::Error)]
pub enum CaptureError {
    /// There is no `Cargo.toml`.
    #[error("there is no Cargo.toml in `{}` or above", .0.display())]
    NoManifest(PathBuf),
    /// Cargo can't be run.
    #[error("cannot run cargo (`{}`): {error}", .program.display())]
    NoCargo {
        /// What was tried.
        program: PathBuf,
        /// Why.
        error: std::io::Error,
    },
    /// The build failed.
    #[error("the build failed")]
    BuildFailed {
        /// What cargo said, unless it was shown already.
        output: String,
    },
    /// A file can't be read or written.
    #[error("cannot {what} `{}`: {error}", .path.display())]
    Io {
        /// `read`, `write`, `create`
        what: &'static str,
        /// The file.
        path: PathBuf,
        /// Why.
        error: std::io::Error,
    },
}

impl CaptureError {
    fn io<'a>(what: &'static str, path: &'a Path) -> impl FnOnce(std::io::Error) -> CaptureError + 'a {
        move |error| CaptureError::Io { what, path: path.to_owned(), error }
    }

    /// What to do about it.
    pub fn help(&self) -> &'static str {
        match self {
            CaptureError::NoManifest(_) => "run it inside a package, or name one with --manifest-path",
            CaptureError::NoCargo { .. } => "install Rust, or set CARGO to the cargo program",
            CaptureError::BuildFailed { .. } => "make `cargo test --no-run` pass first",
            CaptureError::Io { .. } => {
                "tour works in the folder `tour` of the target directory; choose a writable one with CARGO_TARGET_DIR"
            }
        }
    }
}

/// The C of a package and its dependencies. Runs the build only if something changed since the last time; once for
/// each package in the life of this process.
pub fn units(manifest_dir: &Path) -> Result<Capture, CaptureError> {
    if let Some(file) = std::env::var_os(CAPTURE_VARIABLE) {
        return store::read_capture(Path::new(&file));
    }
    static KNOWN: Mutex<BTreeMap<PathBuf, Capture>> = Mutex::new(BTreeMap::new());
    // Held while the build runs: other threads want the same answer.
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(capture) = known.get(manifest_dir) {
        return Ok(capture.clone());
    }
    let program = std::env::current_exe().unwrap_or_default();
    let cargo = cargo_flags(&program);
    let options = Options { manifest_dir: manifest_dir.to_owned(), cargo, ..Options::default() };
    let capture = capture(&options)?.capture;
    known.insert(manifest_dir.to_owned(), capture.clone());
    Ok(capture)
}

/// A capture and how it was had.
#[derive(Clone, Debug)]
pub struct Captured {
    /// What was found.
    pub capture: Capture,
    /// The file that it is kept in, for [`CAPTURE_VARIABLE`].
    pub file: PathBuf,
    /// Nothing had changed: cargo was not even run.
    pub unchanged: bool,
    /// What it depends on.
    pub stamp: Option<Stamp>,
}

/// Captures with options.
pub fn capture(options: &Options) -> Result<Captured, CaptureError> {
    let places = locate(&options.manifest_dir)?;
    std::fs::create_dir_all(&places.tour).map_err(CaptureError::io("create", &places.tour))?;
    // Two processes must not run the same build (cargo would wait as well, but not for our records).
    let _lock = store::lock(&places.tour)?;
    let file = store::capture_file(&places, options);
    let kept = (!options.force).then(|| store::read(&file)).flatten();
    if let Some(kept) = kept
        && kept.is_fresh(&places)
    {
        return Ok(Captured { capture: kept.capture, file, unchanged: true, stamp: kept.stamp });
    }
    let (capture, stamp) = cargo::run(&places, options)?;
    store::write(&file, &capture, stamp.as_ref(), &places)?;
    Ok(Captured { capture, file, unchanged: false, stamp })
}
