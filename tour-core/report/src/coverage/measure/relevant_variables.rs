//! Predicate-relevant variables [COVERAGE §4.2.2.2]: as predicate-considered locations, but a variable counts only if it is
//! among those that occur most often in predicates. The more predicates speak of a variable, the less likely it is that
//! a branch over it was taken for want of knowledge.

use super::considered_locations::Knowledge;
use super::{Growth, Kind, Measure};
use crate::coverage::Universe;

pub(super) struct RelevantVariables {
    knowledge: Knowledge,
    /// The share of variables that is kept, from 0 to 1.
    threshold: f64,
}

impl RelevantVariables {
    pub(super) fn new(universe: &Universe, threshold: f64) -> RelevantVariables {
        RelevantVariables { knowledge: Knowledge::new(universe), threshold }
    }
}

/// How many occurrences the rarest of the variables has that are kept.
fn fewest(occurrences: &[u32], threshold: f64) -> u32 {
    let mut counts: Vec<u32> = occurrences.iter().copied().filter(|n| *n > 0).collect();
    counts.sort_unstable_by(|a, b| b.cmp(a));
    let kept = (counts.len() as f64 * threshold.clamp(0.0, 1.0)).ceil() as usize;
    match kept.checked_sub(1).and_then(|last| counts.get(last)) {
        Some(&fewest) => fewest,
        None => u32::MAX,
    }
}

impl Measure for RelevantVariables {
    fn id(&self) -> &'static str {
        "relevant-variables"
    }

    fn describe(&self) -> &'static str {
        "locations behind conditions whose variables occur often in predicates"
    }

    fn kind(&self) -> Kind {
        Kind::Locations
    }

    fn grow(&mut self, universe: &Universe, growth: &Growth) {
        self.knowledge.grow(universe, growth);
    }

    fn settle(&mut self, universe: &Universe) {
        let fewest = fewest(&self.knowledge.occurrences, self.threshold);
        self.knowledge.settle(universe, |occurrences| occurrences > 0 && occurrences >= fewest);
    }

    fn count(&self) -> usize {
        self.knowledge.considered.len()
    }

    fn covers(&self, index: usize) -> bool {
        self.knowledge.considered.contains(index)
    }
}

#[cfg(test)]
mod tests {
    use super::fewest;

    #[test]
    fn the_top_of_the_variables_by_occurrences() {
        // Four variables occur; 75 % of them are three.
        assert_eq!(fewest(&[5, 0, 3, 1, 2], 0.75), 2);
        assert_eq!(fewest(&[5, 0, 3, 1, 2], 1.0), 1);
        assert_eq!(fewest(&[5, 0, 3, 1, 2], 0.0), u32::MAX);
        assert_eq!(fewest(&[0, 0], 0.75), u32::MAX);
    }
}
