//! What a violation is worth outside of our own lowering: the compiler's program shows it too.

use tour::LoadOptions;
use tour::front::Input;
use tour::native::{Replay, replay};
use tour::program::Program;
use tour::verdict::Verdict;

/// Runs a violation natively. What can be run must show it; a violation that takes what no native run can be given (a
/// value of memory that was never written) says so.
#[track_caller]
pub fn confirm(program: &Program, verdict: &Verdict, units: &[Input], options: &LoadOptions) {
    let Verdict::Violated(violation) = verdict else { return };
    let told = replay(program, violation, units, options);
    assert!(!matches!(told, Replay::NotShown { .. }), "{}: {}", units[0].path.display(), told.describe());
}
