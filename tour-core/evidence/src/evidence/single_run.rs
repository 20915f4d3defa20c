//! Proofs by the only run that a program has.

use tour_interp::interp::{Image, Inputs, Observer, Options, Outcome, Request, Write};
use tour_ir::cfa::EdgeId;
use tour_ir::program::{Builtin, Program};

/// The program asks for nothing, nothing it does depends on what the language leaves open, and it ends without an error
/// within a bounded number of steps.
pub fn check_single_run(program: &Program, steps: u64) -> Result<(), String> {
    let fails = |builtin| matches!(builtin, Builtin::Malloc | Builtin::Calloc | Builtin::Realloc);
    if program.functions.iter().any(|f| f.body.is_none() && f.builtin.is_some_and(fails)) {
        return Err("an allocation may fail".into());
    }
    let options = Options { max_steps: steps, ..Options::default() };
    match Image::new(program).run(&mut NoInputs, &options, &mut Portable).outcome {
        Outcome::Exited(_) | Outcome::Ended | Outcome::AssumeFailed(_) => Ok(()),
        Outcome::Unsupported { what, .. } => Err(what),
        other => Err(format!("the program's run does not end without an error: {other:?}")),
    }
}

struct NoInputs;

impl Inputs for NoInputs {
    fn next(&mut self, _: &Request) -> Option<u128> {
        None
    }
}

/// Only what is the same on all machines counts.
struct Portable;

impl Observer for Portable {
    const WRITES: bool = false;
    const PORTABLE: bool = true;

    fn edge(&mut self, _: EdgeId, _: u32) {}

    fn write(&mut self, _: Write) {}
}
