//! `cargo tour doctor`: what is there on this machine.

use crate::exit::Exit;
use crate::job;
use crate::term::say;
use std::process::Command;
use tour::front::Input;
use tour::program::DataModel;
use tour::{FrontError, LoadOptions};

/// Shows what was found; fails if something is missing that `check` needs.
pub fn run() -> Exit {
    say(format_args!("tour       {}", env!("CARGO_PKG_VERSION")));
    say(format_args!("platform   {} {}", std::env::consts::OS, std::env::consts::ARCH));
    let compiler = std::env::var("CC").unwrap_or_else(|_| "cc".into());
    let mut exit = Exit::Success;
    match Command::new(&compiler).arg("--version").output() {
        Ok(output) if output.status.success() => {
            let text = String::from_utf8_lossy(&output.stdout);
            say(format_args!("compiler   {compiler}: {}", text.lines().next().unwrap_or("")));
        }
        Ok(output) => {
            say(format_args!("compiler   {compiler}: `--version` failed ({})", output.status));
            exit = Exit::Usage;
        }
        Err(error) => {
            say(format_args!("compiler   {compiler}: {error}; install gcc or clang, or set CC"));
            exit = Exit::Usage;
        }
    }
    for (model, bits) in [(DataModel::Lp64, 64), (DataModel::Ilp32, 32)] {
        match system_headers(&compiler, model) {
            Ok(()) => say(format_args!("headers    {bits} bit: found")),
            Err(why) => say(format_args!("headers    {bits} bit: {why}; preprocessed files are fine")),
        }
    }
    say(format_args!("solver     {}", tour::smt::Z3::version()));
    let memory = job::most_of_the_memory();
    say(format_args!(
        "memory     {}",
        memory.map_or("unlimited".into(), |m| format!("{} MiB used at most", m >> 20))
    ));
    exit
}

/// Can files that include system headers be read?
fn system_headers(compiler: &str, model: DataModel) -> Result<(), FrontError> {
    let mut options = LoadOptions::new(model);
    options.front.compiler = compiler.into();
    let probe = Input::text("probe.c", "#include <stdlib.h>\nint main(void) { return 0; }\n");
    tour::load(&[probe], &options).map(drop)
}
