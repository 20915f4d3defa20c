//! Control Flow Distance Metric [FAULT §3.2.4, §5.4, Definition 7].
//!
//! The successful run that decides otherwise as late, and then as seldom, as possible.

use super::case::{Case, Found};
use super::{Finding, Technique, from_differences};

/// Control Flow Distance Metric.
pub struct Cfdm;

impl Technique for Cfdm {
    fn id(&self) -> &'static str {
        "cfdm"
    }

    fn help(&self) -> &'static str {
        "Control Flow Distance Metric: the run that decides otherwise as late as possible"
    }

    fn locate(&self, case: &mut Case) -> Found<Finding> {
        let mut runs = case.successful_runs()?;
        let found = runs.by_decisions(case);
        case.keep(runs);
        let success = found?.ok_or("no successful run goes another way")?;
        Ok(from_differences(self.id(), case, &[success]))
    }
}
