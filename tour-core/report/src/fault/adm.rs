//! Abstract Distance Metric [FAULT §3.2.3, §5.3, Definitions 1, 2 and 8 to 10].
//!
//! The successful run with the least `Wp·Δp + Wc·Δc`: predicates that hold in one of two aligned states only, and steps
//! that are not aligned. What differs from the failing run is suspect. Where several runs are equally close, what differs
//! from the first, whose decision is nearest to the check, is suspect most.

use super::case::{Case, Found};
use super::{Finding, Technique, from_differences};

/// Abstract Distance Metric.
pub struct Adm;

impl Technique for Adm {
    fn id(&self) -> &'static str {
        "adm"
    }

    fn help(&self) -> &'static str {
        "Abstract Distance Metric: what differs from the closest successful run"
    }

    fn locate(&self, case: &mut Case) -> Found<Finding> {
        let mut runs = case.successful_runs()?;
        let found = runs.by_distance(case);
        case.keep(runs);
        let (_, closest) = found?;
        Ok(from_differences(self.id(), case, &closest))
    }
}
