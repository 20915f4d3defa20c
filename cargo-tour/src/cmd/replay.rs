//! `cargo tour replay`: run a harness natively with inputs that violated it, perhaps under a debugger.

use super::verify::{build, child, find, harnesses, regressions};
use crate::exit::Exit;
use crate::packages::ReplayArgs;
use crate::term::{Term, print_error, print_line};
use std::ffi::OsString;
use std::process::Command;
use tour::protocol::{self, Action, NativeEnd, Request};

/// Runs it.
pub fn run(args: ReplayArgs, term: Term) -> Exit {
    let captured = match build(&args.packages, true, &term) {
        Ok(captured) => captured,
        Err(exit) => return exit,
    };
    let refuse = |message: String| {
        print_error(format_args!("error: {message}"));
        Exit::Usage
    };
    let items = match harnesses::all(&captured.capture) {
        Ok(items) => items,
        Err(error) => return refuse(error.message),
    };
    let item = match find(&items, &args.harness) {
        Ok(item) => item,
        Err(message) => return refuse(message),
    };
    let known = regressions::load(item).inputs;
    let index = args.number.map_or(known.len(), |n| n as usize).wrapping_sub(1);
    let Some(regression) = known.get(index) else {
        print_error(format_args!(
            "there are {} kept inputs for `{}` in {}; `cargo tour verify` keeps those that violate it",
            known.len(),
            item.harness.name,
            regressions::file(item).display()
        ));
        return Exit::Nothing;
    };
    print_line(format_args!("  Replaying {}: {}", item.harness.name, regression.what));
    for value in &regression.values {
        print_line(format_args!("    let {value};"));
    }
    let folder = match tempfile::tempdir_in(&captured.capture.directory) {
        Ok(folder) => folder,
        Err(error) => return refuse(format!("cannot write in the target directory: {error}")),
    };
    let (request_file, result) = (folder.path().join("request.json"), folder.path().join("end.json"));
    let request = Request {
        inputs: regression.scalars.clone(),
        result: Some(result.clone()),
        ..Request::new(Action::Replay, &item.harness.name)
    };
    if let Err(error) = protocol::write_json(&request_file, &request) {
        return refuse(format!("cannot write the request: {error}"));
    }
    let plain = child::native(item, &request_file);
    let mut command = match &args.debugger {
        Some(debugger) => under(debugger, &plain),
        None => plain,
    };
    let status = match command.status() {
        Ok(status) => status,
        Err(error) => {
            let program = command.get_program().to_string_lossy().into_owned();
            return refuse(format!("cannot run `{program}`: {error}"));
        }
    };
    if args.debugger.is_some() {
        return Exit::Success;
    }
    let end = std::fs::read(&result).ok().and_then(|bytes| serde_json::from_slice::<NativeEnd>(&bytes).ok());
    match end {
        Some(NativeEnd::Returned) => {
            print_line("   It ended without showing the violation");
            Exit::Success
        }
        Some(NativeEnd::Panicked { message, file, line, .. }) => {
            print_line(format_args!("   It panicked at {file}:{line}: {message}"));
            Exit::Violated
        }
        Some(NativeEnd::AssumeFailed) => {
            print_line("   The inputs do not satisfy the assumptions any more");
            Exit::Success
        }
        Some(NativeEnd::OutOfInputs) => {
            print_line("   The harness asks for more inputs than are kept: it changed since");
            Exit::Success
        }
        None if status.success() => {
            print_line("   It ended without a result");
            Exit::Unknown
        }
        None => {
            print_line(format_args!("   It was {}", child::describe_end(status)));
            Exit::Violated
        }
    }
}

/// The same command under a debugger.
fn under(debugger: &str, plain: &Command) -> Command {
    let mut words = shlex::split(debugger).unwrap_or_else(|| vec![debugger.to_owned()]);
    let program = if words.is_empty() { "gdb".to_owned() } else { words.remove(0) };
    let name = program.rsplit('/').next().unwrap_or("");
    let separator = match name {
        "gdb" | "rust-gdb" => Some("--args"),
        "lldb" | "rust-lldb" => Some("--"),
        _ => None,
    };
    let mut command = Command::new(&program);
    command.args(words).args(separator).arg(plain.get_program()).args(plain.get_args());
    for (name, value) in plain.get_envs() {
        command.env(name, value.map_or_else(OsString::new, Into::into));
    }
    if let Some(folder) = plain.get_current_dir() {
        command.current_dir(folder);
    }
    command
}
