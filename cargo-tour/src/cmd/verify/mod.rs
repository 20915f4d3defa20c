//! `cargo tour verify`: build, find the harnesses, run each in a process of its own, and show what came of it.
//!
//! | file | what |
//! |---|---|
//! | `harnesses` | which there are and which are selected |
//! | `schedule`, `child` | several at once, each in its own process |
//! | `cache` | results of earlier runs |
//! | `regressions` | inputs that failed before |
//! | `show` | what a user sees |

pub mod cache;
pub mod child;
pub mod harnesses;
pub mod regressions;
pub mod schedule;
pub mod show;

use crate::coverage::CoverageOutput;
use crate::exit::Exit;
use crate::packages::{Messages, PackageArgs, ReplayRuns, ResultArgs, VerifyArgs};
use crate::term::{Term, print_error};
use cache::Cache;
use harnesses::Item;
use schedule::Settings;
use show::Show;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tour::capture::{self, CaptureError, Captured};
use tour::config::{Config, ConfigError, HarnessOptions, Profile};
use tour::harness;
use tour::protocol::write_atomically;
use tour::report::{github, junit, sarif};
use tour::result::{ClaimResult, Status};
use tour::source::Diagnostic;

/// Time for a harness that says nothing itself.
const DEFAULT_TIMEOUT: Duration = Duration::from_secs(300);

/// How often packages are built again that somebody removes meanwhile.
const ROUNDS: u32 = 5;

/// When a harness is slow, unless the profile says otherwise.
const SLOW: Duration = Duration::from_secs(60);

/// Verifies.
pub fn run(args: VerifyArgs, term: Term) -> Exit {
    let config = match settings(&args.packages.folder(), args.asked()) {
        Ok(config) => config,
        Err(refused) => return refused.show(&term),
    };
    let (captured, all) = match build_and_list(&args.packages, &term) {
        Ok(found) => found,
        Err(exit) => return exit,
    };
    let found = all.len();
    let items = args.selection.select(all);
    let show = Show::new(term, args.output.message_format, &items);
    show.captured(&captured.capture, captured.unchanged);
    if items.is_empty() {
        return nothing(found, &term);
    }
    let stop = stop_on_ctrl_c();
    let cache = (!args.no_cache).then(|| Cache::new(&captured.capture, &term));
    let places = schedule::Places { capture: &captured.file, tour: &captured.capture.directory };
    let results = schedule::run(&items, &config, &places, cache.as_ref(), &stop, &show);
    let interrupted = stop.load(Ordering::Relaxed);
    let base = base_folder(&args.packages);
    show.failures(&results);
    let mut exit = if interrupted { Exit::Interrupted } else { exit_of(&results) };
    if !args.no_ffi && !interrupted {
        let comparison = super::ffi::compare(&captured, cache.as_ref());
        if args.output.message_format == Messages::Human {
            comparison.show(&term);
        }
        // A call through a wrong declaration is undefined, whatever was proved of the C.
        if comparison.is_wrong() && !matches!(exit, Exit::Internal) {
            exit = Exit::Violated;
        }
    }
    show.summary(&results, exit);
    let written = write_results(&args.output, &results, &base);
    match written.and_then(|()| covered(&args.coverage, &items, &places)) {
        // A gate is the least that can be wrong.
        Ok(true) if matches!(exit, Exit::Success) => Exit::Vacuous,
        Ok(_) => exit,
        Err(failed) => failed,
    }
}

/// What the harnesses cover together, as asked for. True if a gate is not passed.
fn covered(asked: &CoverageOutput, items: &[Item], places: &schedule::Places) -> Result<bool, Exit> {
    if !asked.wants_any() {
        return Ok(false);
    }
    let mut records = Vec::new();
    for item in items {
        let read = schedule::record(item, places.tour).and_then(|path| std::fs::read(path).ok());
        match read.and_then(|bytes| serde_json::from_slice(&bytes).ok()) {
            Some(record) => records.push(record),
            None => {
                print_error(format_args!("warning: the coverage of `{}` is not known", item.harness.name));
                print_error("help: `--no-cache` verifies it again");
            }
        }
    }
    asked.together(&records)
}

/// What the command line says about a run.
#[derive(Clone, Debug, Default)]
pub struct Asked {
    /// About each harness.
    pub options: HarnessOptions,
    /// Harnesses at once.
    pub jobs: Option<usize>,
    /// Stop after the first failure.
    pub fail_fast: bool,
    /// No native runs.
    pub no_replay: bool,
    /// How many percent of the kept results are compared with new ones.
    pub recheck: u32,
    /// Where witnesses go.
    pub witnesses: Option<PathBuf>,
    /// The profile.
    pub profile: Option<String>,
}

impl VerifyArgs {
    fn asked(&self) -> Asked {
        let witness = self.output.witness.as_deref();
        Asked {
            options: HarnessOptions {
                timeout: self.timeout.map(|limit| limit.0),
                memory: self.memory.map(|limit| limit.0),
                properties: (!self.property.is_empty()).then(|| self.property.clone()),
                malloc_may_fail: self.malloc_may_fail.then_some(true),
                engine: self.engine.choices(),
            },
            jobs: self.jobs.map(|n| n as usize),
            fail_fast: self.fail_fast,
            no_replay: self.no_replay || self.replay == ReplayRuns::Never,
            recheck: self.recheck.unwrap_or(0),
            witnesses: witness
                .map(|folder| std::path::absolute(folder).unwrap_or_else(|_| folder.to_owned())),
            profile: self.profile.clone(),
        }
    }
}

/// Settings of a run in a folder.
pub fn settings(folder: &Path, asked: Asked) -> Result<Settings, Refused> {
    let places = capture::locate(folder).map_err(Refused::Capture)?;
    let config = Config::find(&places.package, &places.workspace).map_err(Refused::Config)?;
    let profile = config.profile(asked.profile.as_deref()).ok_or_else(|| {
        let name = asked.profile.as_deref().unwrap_or_default();
        let known: Vec<&str> = config.profiles.keys().map(String::as_str).collect();
        Refused::Other(format!("there is no profile `{name}` in tour.toml (there are: {})", known.join(", ")))
    })?;
    let parts =
        profile.overrides.iter().map(|part| (&part.options, format!("tour.toml, for `{}`", part.harness)));
    let all = [(&asked.options, "the command line".to_owned()), (&profile.options, "tour.toml".to_owned())];
    for (options, place) in all.into_iter().chain(parts) {
        if let Err(why) = harness::options(&options.engine) {
            return Err(Refused::Other(format!("{place}: {why}")));
        }
    }
    Ok(combine(asked, profile))
}

fn combine(asked: Asked, profile: Profile) -> Settings {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let share = || crate::job::most_of_the_memory().map(|memory| memory / cores as u64);
    let default = HarnessOptions {
        timeout: Some(Some(DEFAULT_TIMEOUT)),
        memory: Some(share()),
        ..HarnessOptions::default()
    };
    Settings {
        asked: asked.options,
        overrides: profile.overrides,
        otherwise: profile.options.or(&default),
        jobs: asked.jobs.or(profile.jobs).unwrap_or(cores),
        fail_fast: asked.fail_fast || profile.fail_fast.unwrap_or(false),
        no_replay: asked.no_replay,
        recheck: asked.recheck,
        slow_after: profile.slow_after.unwrap_or(SLOW),
        witnesses: asked.witnesses,
    }
}

/// Why there is nothing to verify with.
pub enum Refused {
    /// No package, or its build failed.
    Capture(CaptureError),
    /// tour.toml can't be read.
    Config(Box<ConfigError>),
    /// In one line.
    Other(String),
}

impl Refused {
    fn show(&self, term: &Term) -> Exit {
        match self {
            Refused::Capture(error) => refuse(error, term),
            Refused::Config(error) => {
                term.diagnostic(&error.diagnostic, &error.sources);
                Exit::Usage
            }
            Refused::Other(why) => {
                print_error(format_args!("error: {why}"));
                Exit::Usage
            }
        }
    }
}

impl std::fmt::Display for Refused {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        match self {
            Refused::Capture(CaptureError::BuildFailed { output }) => {
                write!(f, "the build that shows which C is compiled failed:\n{}", output.trim())
            }
            Refused::Capture(error) => write!(f, "{error}\nhelp: {}", error.help()),
            Refused::Config(error) => write!(f, "{error}"),
            Refused::Other(why) => f.write_str(why),
        }
    }
}

/// Builds the packages, and asks the test executables for their harnesses.
fn build_and_list(packages: &PackageArgs, term: &Term) -> Result<(Captured, Vec<Item>), Exit> {
    let mut rounds = 0;
    loop {
        let captured = build(packages, true, term)?;
        match harnesses::all(&captured.capture) {
            Ok(items) => return Ok((captured, items)),
            // Somebody removed what was built: once more.
            Err(error) if error.is_gone && rounds < ROUNDS => rounds += 1,
            Err(error) => {
                print_error(format_args!("error: {}", error.message));
                return Err(Exit::Usage);
            }
        }
    }
}

/// Builds the packages and says what of it went wrong.
pub fn build(packages: &PackageArgs, tests: bool, term: &Term) -> Result<Captured, Exit> {
    capture::capture(&packages.capture_options(tests, !term.quiet)).map_err(|error| refuse(&error, term))
}

/// Tells why there is no capture.
pub fn refuse(error: &CaptureError, term: &Term) -> Exit {
    let diagnostic = Diagnostic::error("tour::capture", error.to_string()).help(error.help());
    if let CaptureError::BuildFailed { output } = error
        && !output.trim().is_empty()
    {
        print_error(output.trim_end());
    }
    term.diagnostic(&diagnostic, &tour::source::SourceMap::default());
    match error {
        CaptureError::BuildFailed { .. } => Exit::Build,
        CaptureError::NoManifest(_) | CaptureError::NoCargo { .. } | CaptureError::Io { .. } => Exit::Usage,
    }
}

fn nothing(found: usize, term: &Term) -> Exit {
    let (message, help) = match found {
        0 => (
            "no harness was found".to_owned(),
            "mark a test function with #[tour::verify]; `cargo tour init` writes a first one",
        ),
        n => (
            format!("none of {} is selected", show::count(n, "harness")),
            "`cargo tour list` shows all names; a filter is a part of a name",
        ),
    };
    let diagnostic = Diagnostic::error("tour::nothing", message).help(help);
    term.diagnostic(&diagnostic, &tour::source::SourceMap::default());
    Exit::Nothing
}

/// The worst that happened decides.
fn exit_of(results: &[ClaimResult]) -> Exit {
    let any = |status: Status| results.iter().any(|result| result.status == status);
    let is_unchecked = results.iter().any(ClaimResult::is_unchecked);
    if any(Status::Crashed) || results.iter().any(|result| result.kind.as_deref() == Some("internal-error")) {
        Exit::Internal
    } else if any(Status::Violated) {
        Exit::Violated
    } else if any(Status::Invalid) {
        Exit::Usage
    } else if any(Status::Unknown) || any(Status::NotRun) || is_unchecked {
        Exit::Unknown
    } else if any(Status::Vacuous) {
        Exit::Vacuous
    } else {
        Exit::Success
    }
}

/// The first Ctrl-C ends the harnesses and shows what was done so far; the second ends the process.
fn stop_on_ctrl_c() -> Arc<AtomicBool> {
    let stop = Arc::new(AtomicBool::new(false));
    let raised = stop.clone();
    let result = ctrlc::set_handler(move || {
        if raised.swap(true, Ordering::Relaxed) {
            Exit::Interrupted.now();
        }
    });
    // Without a handler, Ctrl-C still ends the process.
    if let Err(error) = result {
        print_error(format_args!("warning: no handler for Ctrl-C: {error}"));
    }
    stop
}

/// What files are shown relative to.
fn base_folder(packages: &PackageArgs) -> PathBuf {
    std::path::absolute(packages.folder()).unwrap_or_else(|_| packages.folder())
}

fn write_results(output: &ResultArgs, results: &[ClaimResult], base: &Path) -> Result<(), Exit> {
    let write = |path: &Option<PathBuf>, text: &dyn Fn() -> String| match path {
        Some(path) => write_atomically(path, text().as_bytes()).map_err(|error| {
            print_error(format_args!("error: cannot write `{}`: {error}", path.display()));
            Exit::Usage
        }),
        None => Ok(()),
    };
    write(&output.junit, &|| junit::document(results))?;
    write(&output.sarif, &|| {
        serde_json::to_string_pretty(&sarif::document(results, base)).unwrap_or_default() + "\n"
    })?;
    if std::env::var_os("GITHUB_ACTIONS").is_some() && output.message_format != Messages::Json {
        let root = std::env::var_os("GITHUB_WORKSPACE").map_or_else(|| base.to_owned(), PathBuf::from);
        for line in github::annotations(results, &root) {
            crate::term::print_line(line);
        }
    }
    Ok(())
}

/// The one harness that a name means.
pub fn find<'a>(items: &'a [Item], name: &str) -> Result<&'a Item, String> {
    if let Some(item) = items.iter().find(|item| item.harness.name == name) {
        return Ok(item);
    }
    let found: Vec<&Item> = items.iter().filter(|item| item.harness.name.contains(name)).collect();
    match found.as_slice() {
        [one] => Ok(one),
        [] => Err(format!("there is no harness `{name}`")),
        several => {
            let names: Vec<&str> = several.iter().map(|item| item.harness.name.as_str()).collect();
            Err(format!("`{name}` may be any of {}", names.join(", ")))
        }
    }
}
