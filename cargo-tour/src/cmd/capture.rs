//! `cargo tour capture`: which C a package's build compiles.

use super::verify::{refuse, show};
use crate::exit::Exit;
use crate::packages::CaptureArgs;
use crate::term::{Term, print_error, print_line};
use tour::capture::{self, Capture, FoundBy, Unit};
use tour::front::{FrontOptions, parse_units};
use tour::program::DataModel;
use tour::result::{brief, shown};
use tour::source::SourceMap;

/// Captures, and shows a table.
pub fn run(args: CaptureArgs, term: Term) -> Exit {
    let mut options = args.packages.capture_options(false, !term.quiet);
    options.force = args.force;
    let captured = match capture::capture(&options) {
        Ok(captured) => captured,
        Err(error) => return refuse(&error, &term),
    };
    let capture = &captured.capture;
    if args.json {
        print_line(serde_json::to_string_pretty(capture).unwrap_or_default());
    } else {
        print_line(show::captured_line(&term, capture, captured.unchanged));
        table(capture, term.verbose);
        print_line(format_args!(
            "    written to {}",
            capture.directory.join("compile_commands.json").display()
        ));
    }
    if capture.found_by == FoundBy::BuildScriptText {
        print_error(
            "warning: the compiler could not be watched here: this is what the text of build.rs says, some may be missing",
        );
    }
    if capture.units.is_empty() {
        print_error("no C was compiled; does a build script compile any? `cargo tour doctor` says more");
        return Exit::Nothing;
    }
    if args.parse { parse(capture, &term) } else { Exit::Success }
}

/// Reads every unit, all of it.
fn parse(capture: &Capture, term: &Term) -> Exit {
    let failed = capture.units.iter().filter(|unit| !parses(unit, term)).count();
    let good = capture.units.len() - failed;
    print_line(format_args!(
        "{} {good} of {}",
        term.status("Parsed", Some(failed == 0)),
        show::count(capture.units.len(), "C file")
    ));
    if failed == 0 { Exit::Success } else { Exit::Unknown }
}

fn parses(unit: &Unit, term: &Term) -> bool {
    let options = FrontOptions {
        compiler: unit.compiler.clone(),
        entries: Vec::new(),
        ..FrontOptions::new(DataModel::Lp64)
    };
    let mut sources = SourceMap::default();
    match parse_units(&[unit.input()], &options, &mut sources) {
        Ok(_) => true,
        Err(diagnostics) => {
            print_error(format_args!("{}: {}", unit.package, unit.file.display()));
            diagnostics.iter().for_each(|diagnostic| term.diagnostic(diagnostic, &sources));
            false
        }
    }
}

fn table(capture: &Capture, verbose: bool) {
    let width = capture.units.iter().map(|u| u.package.len()).max().unwrap_or(0);
    let here = std::env::current_dir().unwrap_or_default();
    for unit in &capture.units {
        let file = if verbose { shown(&unit.file, &here) } else { brief(&unit.file, &here) };
        print_line(format_args!("    {:width$}  {}", unit.package, file.display()));
        if verbose {
            print_line(format_args!("    {:width$}    {}", "", unit.arguments.join(" ")));
        }
    }
}
