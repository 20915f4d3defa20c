//! `cargo tour report`: the HTML report of the last run.

use crate::cli::ReportArgs;
use crate::coverage::put;
use crate::exit::Exit;
use crate::html;
use crate::term::{print_error, print_line};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use tour::capture;
use tour::report::record::Record;

/// Where `verify` leaves the records of its harnesses, below `target/tour`.
pub const RECORDS: &str = "records";

/// Makes the page.
pub fn run(args: ReportArgs) -> Exit {
    match make(&args) {
        Ok(page) => {
            print_line(page.display());
            if args.open { open(&page) } else { Exit::Success }
        }
        Err(exit) => exit,
    }
}

fn make(args: &ReportArgs) -> Result<PathBuf, Exit> {
    let (files, default) = match &args.records[..] {
        [] => last_run()?,
        given => (given.to_vec(), given[0].with_extension("html")),
    };
    let mut records = files.iter().map(|file| read(file)).collect::<Result<Vec<Record>, Exit>>()?;
    if let Some(name) = &args.harness {
        records.retain(|record| record.name.contains(name.as_str()));
    }
    if records.is_empty() {
        print_error("error: there is no run to report");
        print_error(
            "help: `cargo tour verify` leaves records; for a C program, use `cargo tour check FILE.c --report FILE.html`",
        );
        return Err(Exit::Nothing);
    }
    let page = args.output.clone().unwrap_or(default);
    put(&page, &html::page(&records))?;
    Ok(page)
}

/// The records of the last `verify` in this package, and where the page goes.
fn last_run() -> Result<(Vec<PathBuf>, PathBuf), Exit> {
    let here = std::env::current_dir().unwrap_or_default();
    let places = capture::locate(&here).map_err(|error| {
        print_error(format_args!("error: {error}"));
        print_error(format_args!("help: {}", error.help()));
        Exit::Usage
    })?;
    let folder = places.tour;
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder.join(RECORDS))
        .map(|entries| entries.flatten().map(|entry| entry.path()).collect())
        .unwrap_or_default();
    files.retain(|file| file.extension().is_some_and(|extension| extension == "json"));
    files.sort();
    Ok((files, folder.join("report.html")))
}

fn read(file: &Path) -> Result<Record, Exit> {
    let text = std::fs::read_to_string(file).map_err(|error| error.to_string());
    let record = text.and_then(|text| serde_json::from_str(&text).map_err(|error| error.to_string()));
    record.map_err(|error| {
        print_error(format_args!("error: `{}` is no record of a run: {error}", file.display()));
        Exit::Usage
    })
}

/// Shows the page in the user's browser.
fn open(page: &Path) -> Exit {
    let page = std::path::absolute(page).unwrap_or_else(|_| page.to_owned());
    let (program, args): (&str, &[&str]) = if cfg!(target_os = "macos") {
        ("open", &[])
    } else if cfg!(windows) {
        ("cmd", &["/C", "start", ""])
    } else {
        ("xdg-open", &[])
    };
    let started =
        Command::new(program).args(args).arg(&page).stdout(Stdio::null()).stderr(Stdio::null()).status();
    match started {
        Ok(status) if status.success() => Exit::Success,
        _ => {
            print_error(format_args!(
                "error: no browser could be started: open `{}` yourself",
                page.display()
            ));
            Exit::Usage
        }
    }
}
