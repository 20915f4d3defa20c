//! Path Generation [FAULT §3.2.5, §5.5].
//!
//! Goes back from the error to the last decision that, made otherwise, leads to a run that succeeds.

use super::case::{Case, Found};
use super::{Finding, Technique, from_differences};

/// Path Generation.
pub struct Pg;

impl Technique for Pg {
    fn id(&self) -> &'static str {
        "pg"
    }

    fn help(&self) -> &'static str {
        "Path Generation: the last decision that, made otherwise, leads to a successful run"
    }

    fn locate(&self, case: &mut Case) -> Found<Finding> {
        let mut runs = case.successful_runs()?;
        let found = runs.by_generation(case);
        case.keep(runs);
        let success = found?.ok_or("no decision, made otherwise, leads to a successful run")?;
        Ok(from_differences(self.id(), case, &[success]))
    }
}
