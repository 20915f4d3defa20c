//! What a violation is worth outside of our own lowering: the compiler's program shows it too.

use tour_core::LoadOptions;
use tour_core::front::Input;
use tour_core::native::replay;
use tour_core::program::{Program, Rule};
use tour_core::result::Replay;
use tour_core::verdict::Verdict;

/// Runs a violation natively. What can be run must show it; a violation that takes what no native run can be given (a
/// value of memory that was never written) says so, and undefined behaviour need not have an effect.
#[track_caller]
pub fn confirm(program: &Program, verdict: &Verdict, units: &[Input], options: &LoadOptions) {
    let Verdict::Violated(violation) = verdict else { return };
    let outcome = replay(program, violation, units, options);
    let stated = Rule::STATED.contains(&program.checks[violation.check].rule);
    let fine = match &outcome {
        Replay::Confirmed { .. } | Replay::NotRun { .. } => true,
        Replay::NotShown { why } => !stated && why.contains("had no effect"),
    };
    assert!(fine, "{}: {}", units[0].path.display(), outcome.describe());
}
