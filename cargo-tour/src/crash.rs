//! What happens when tour itself is wrong: a short message, a file to attach to a bug report, and exit code 70.

use crate::term::print_error;
use serde::Serialize;
use std::backtrace::Backtrace;
use std::io::Write;
use std::panic::PanicHookInfo;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// The bug report: what a maintainer needs to look for the fault.
#[derive(Debug, Serialize)]
struct BugReport {
    version: &'static str,
    arguments: Vec<String>,
    platform: String,
    what: String,
    place: String,
    backtrace: String,
}

/// The first panic of the process, until it is reported.
static PANIC: Mutex<Option<BugReport>> = Mutex::new(None);

/// Notes panics instead of printing them.
pub fn install_hook() {
    std::panic::set_hook(Box::new(|info| {
        let mut slot = PANIC.lock().unwrap_or_else(PoisonError::into_inner);
        slot.get_or_insert_with(|| BugReport::of_panic(info));
    }));
}

impl BugReport {
    fn new(what: String, place: String) -> BugReport {
        BugReport {
            version: env!("CARGO_PKG_VERSION"),
            arguments: std::env::args_os().map(|a| a.to_string_lossy().into_owned()).collect(),
            platform: format!("{} {}", std::env::consts::OS, std::env::consts::ARCH),
            what,
            place,
            backtrace: Backtrace::force_capture().to_string(),
        }
    }

    fn of_panic(info: &PanicHookInfo) -> BugReport {
        let payload = info.payload();
        let literal = payload.downcast_ref::<&str>().copied();
        let what = literal.or_else(|| payload.downcast_ref::<String>().map(String::as_str));
        let what = what.unwrap_or("a panic without a message").to_owned();
        BugReport::new(what, info.location().map(ToString::to_string).unwrap_or_default())
    }
}

/// Tells the user about a panic that the hook noted.
pub fn report_panic() {
    let noted = PANIC.lock().unwrap_or_else(PoisonError::into_inner).take();
    report(noted.unwrap_or_else(|| BugReport::new("a thread ended without a result".into(), String::new())));
}

/// Tells the user about an internal error that was noticed without a panic.
pub fn report_internal(what: &str) {
    report(BugReport::new(what.to_owned(), String::new()));
}

fn report(report: BugReport) {
    print_error(format_args!("error: internal error: {}", report.what));
    if !report.place.is_empty() {
        print_error(format_args!("  at {}", report.place));
    }
    match save(&report) {
        Ok(path) => {
            print_error("This is a bug in tour, not in your program. Please report it:");
            print_error(format_args!("  attach {} and, if you can, the C files", path.display()));
        }
        Err(error) => {
            print_error(format_args!("This is a bug in tour. (The report could not be saved: {error})"));
        }
    }
}

/// In the current folder, or, if that can't be written to, in the one for temporary files.
fn save(report: &BugReport) -> std::io::Result<PathBuf> {
    save_in(Path::new("."), report).or_else(|_| save_in(&std::env::temp_dir(), report))
}

fn save_in(folder: &Path, report: &BugReport) -> std::io::Result<PathBuf> {
    // Written under another name first, so that no half of a report is ever found.
    let mut file = tempfile::NamedTempFile::new_in(folder)?;
    serde_json::to_writer_pretty(&mut file, report)?;
    file.flush()?;
    let since_epoch = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    let path = folder.join(format!("tour-bug-{}-{}.json", since_epoch.as_secs(), std::process::id()));
    file.persist(&path)?;
    Ok(path)
}
