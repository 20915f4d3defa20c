//! The concrete interpreter: executes a [`tour_ir::program::Program`] from its entry with given inputs.
//!
//! It is the oracle of the engine: a counterexample counts only if the run with its inputs reaches the error location.
//! Memory is byte-accurate, C's undefined behaviour ends the run with its kind and place, and what is not modelled
//! ends it as unsupported; it never guesses.
//!
//! | file | what |
//! |---|---|
//! | `image` | a program made ready to run: homes of variables, offsets, sizes |
//! | `run`, `call` | edges; calls and frames |
//! | `threads`, `schedule` | several threads, by a given schedule, or by one that is chosen on the way |
//! | `eval`, `float` | expressions and places |
//! | `memory`, `value`, `parts` | objects, bytes, pointers with provenance; arrays inside of objects |
//! | `layout` | where objects lie |
//! | `portable` | what may differ between machines, for runs that must not |
//! | `builtins`, `printf` | library functions |
//! | `inputs`, `trace`, `outcome` | what goes in, what is seen, what comes out |

mod builtins;
mod call;
mod eval;
mod float;
mod image;
mod inputs;
mod layout;
mod memory;
mod outcome;
mod parts;
mod portable;
mod printf;
mod run;
mod schedule;
mod threads;
mod trace;
mod value;

#[cfg(test)]
mod tests;

pub use image::Image;
pub use inputs::{Fixed, Inputs, Random, Request, Why, Zeros};
pub use layout::Layout;
pub use outcome::{Limit, Options, Outcome, Overflow, Run, Undefined, Uninitialised};
pub use schedule::Scheduler;
pub use threads::Scheduled;
pub use trace::{Access, Cells, Dest, Observer, Target, Trace, TraceStep, Unobserved, Write};

use tour_ir::program::Program;

/// Runs a program once. To run it many times, make an [`Image`] and call [`Image::run`].
pub fn run<O: Observer>(
    program: &Program,
    inputs: &mut dyn Inputs,
    options: &Options,
    observer: &mut O,
) -> Run {
    Image::new(program).run(inputs, options, observer)
}
