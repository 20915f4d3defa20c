//! `cargo tour doctor`: what is there on this machine, and what the build of the package in this folder does.

use crate::exit::Exit;
use crate::job;
use crate::packages::DoctorArgs;
use crate::term::{Term, print_line};
use std::process::Command;
use tour::capture::{self, Capture, CaptureError, FoundBy, Library, Script};
use tour::front::Input;
use tour::program::DataModel;
use tour::{FrontError, LoadOptions};

/// Shows what was found; fails if something is missing that other commands need.
pub fn run(args: DoctorArgs, term: Term) -> Exit {
    let exit = machine();
    match package(&args, &term) {
        Exit::Success => exit,
        failed => failed,
    }
}

fn machine() -> Exit {
    print_line(format_args!("tour       {}", env!("CARGO_PKG_VERSION")));
    print_line(format_args!("platform   {} {}", std::env::consts::OS, std::env::consts::ARCH));
    let compiler = std::env::var("CC").unwrap_or_else(|_| "cc".into());
    let mut exit = Exit::Success;
    match version(&compiler) {
        Ok(text) => print_line(format_args!("compiler   {compiler}: {text}")),
        Err(why) => {
            print_line(format_args!("compiler   {compiler}: {why}; install gcc or clang, or set CC"));
            exit = Exit::Usage;
        }
    }
    for (model, bits) in [(DataModel::Lp64, 64), (DataModel::Ilp32, 32)] {
        match system_headers(&compiler, model) {
            Ok(()) => print_line(format_args!("headers    {bits} bit: found")),
            Err(why) => print_line(format_args!("headers    {bits} bit: {why}; preprocessed files are fine")),
        }
    }
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".into());
    match version(&cargo) {
        Ok(text) => print_line(format_args!("cargo      {text}")),
        Err(why) => print_line(format_args!(
            "cargo      {cargo}: {why}; only `cargo tour verify` and its kin need it"
        )),
    }
    print_line(format_args!("solver     {}", tour::smt::Z3::version()));
    for (what, since) in tour::smt::Z3::too_old_for() {
        print_line(format_args!(
            "           too old for {what}: a build with Z3 {since} or later has them (`./setup` of tour installs one)"
        ));
    }
    let memory = job::most_of_the_memory();
    print_line(format_args!(
        "memory     {}",
        memory.map_or("unlimited".into(), |m| format!("{} MiB used at most", m >> 20))
    ));
    exit
}

/// The first line of `--version`.
fn version(program: &str) -> Result<String, String> {
    match Command::new(program).arg("--version").output() {
        Ok(output) if output.status.success() => {
            let text = String::from_utf8_lossy(&output.stdout);
            Ok(text.lines().next().unwrap_or("").to_owned())
        }
        Ok(output) => Err(format!("`--version` failed ({})", output.status)),
        Err(error) => Err(error.to_string()),
    }
}

/// Can files that include system headers be read?
fn system_headers(compiler: &str, model: DataModel) -> Result<(), FrontError> {
    let mut options = LoadOptions::new(model);
    options.front.compiler = compiler.into();
    let probe = Input::text("probe.c", "#include <stdlib.h>\nint main(void) { return 0; }\n");
    tour::load(&[probe], &options).map(drop)
}

fn package(args: &DoctorArgs, term: &Term) -> Exit {
    if let Err(CaptureError::NoManifest(_)) = capture::locate(&args.packages.folder()) {
        print_line("package    none here");
        return Exit::Success;
    }
    match capture::capture(&args.packages.capture_options(false, !term.quiet)) {
        Ok(captured) => {
            scripts(&captured.capture);
            Exit::Success
        }
        Err(error) => super::verify::refuse(&error, term),
    }
}

fn scripts(capture: &Capture) {
    match capture.found_by {
        FoundBy::Build => print_line("capture    by watching the compiler"),
        FoundBy::BuildScriptText => {
            print_line(
                "capture    the compiler can't be watched here: from the text of build.rs, may be incomplete",
            );
        }
    }
    let shown =
        |script: &&Script| script.units > 0 || !script.skipped.is_empty() || !script.libraries.is_empty();
    let scripts: Vec<&Script> = capture.scripts.iter().filter(shown).collect();
    if scripts.is_empty() {
        print_line("package    no build script compiles or links any C");
    }
    for script in scripts {
        print_line(format_args!("script     {}: {} C files captured", script.package, script.units));
        for (what, n) in &script.skipped {
            print_line(format_args!("           {n} other calls: {what}"));
        }
        for library in &script.libraries {
            if let Some(line) = gap(library) {
                print_line(format_args!("           {line}"));
            }
        }
    }
}

/// What of a linked library was not seen compiled.
fn gap(library: &Library) -> Option<String> {
    let name = &library.name;
    match (&library.archive, library.unseen.as_slice()) {
        (None, _) => {
            Some(format!("links `{name}`, whose archive was not found: its functions have no body here"))
        }
        (Some(_), []) => None,
        (Some(_), unseen) if unseen.len() == library.members => Some(format!(
            "links `{name}`: nothing of it was seen compiled (prebuilt, or by a compiler of its own)"
        )),
        (Some(_), unseen) => {
            let shown: Vec<&str> = unseen.iter().take(5).map(String::as_str).collect();
            let more = if unseen.len() > 5 { ", …" } else { "" };
            Some(format!(
                "links `{name}`: {} of {} members bypassed the wrapper or are no C: {}{more}",
                unseen.len(),
                library.members,
                shown.join(", ")
            ))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gaps_in_words() {
        let library = |archive: bool, members, unseen: &[&str]| Library {
            name: "z".into(),
            archive: archive.then(|| "/libz.a".into()),
            members,
            unseen: unseen.iter().map(|u| u.to_string()).collect(),
        };
        assert_eq!(gap(&library(true, 3, &[])), None);
        let some = gap(&library(true, 3, &["a.o"])).expect("a gap");
        assert_eq!(some, "links `z`: 1 of 3 members bypassed the wrapper or are no C: a.o");
        assert!(gap(&library(true, 1, &["a.o"])).is_some_and(|g| g.contains("prebuilt")));
        assert!(gap(&library(false, 0, &[])).is_some_and(|g| g.contains("not found")));
    }
}
