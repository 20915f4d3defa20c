//! How often the solver was asked, by purpose.

use super::{Purpose, SatResult};
use std::time::Duration;
use tour_ir::stats::Statistics;

/// The queries of one purpose.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Tally {
    /// All queries, with those that the cache answered.
    pub queries: u64,
    /// Those that the cache answered.
    pub cached: u64,
    /// Answers `Sat`.
    pub sat: u64,
    /// Answers `Unsat`.
    pub unsat: u64,
    /// No answer.
    pub unknown: u64,
    /// Time in the solver.
    pub time: Duration,
}

/// The queries of a run by purpose.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct QueryStats {
    tallies: [Tally; Purpose::ALL.len()],
}

impl QueryStats {
    /// The queries of a purpose.
    pub fn of(&self, purpose: Purpose) -> Tally {
        self.tallies[purpose as usize]
    }

    /// Counts a query.
    pub(super) fn count(&mut self, purpose: Purpose, result: &SatResult, time: Duration, cached: bool) {
        let tally = &mut self.tallies[purpose as usize];
        tally.queries += 1;
        tally.cached += u64::from(cached);
        tally.time += time;
        match result {
            SatResult::Sat => tally.sat += 1,
            SatResult::Unsat => tally.unsat += 1,
            SatResult::Unknown(_) => tally.unknown += 1,
        }
    }

    /// Adds everything to the statistics of a run. Purposes without a query are left out.
    pub fn publish(&self, stats: &Statistics) {
        for purpose in Purpose::ALL {
            let tally = self.of(purpose);
            if tally.queries == 0 {
                continue;
            }
            let [queries, cached, unknown, time] = names(purpose);
            stats.add(queries, tally.queries);
            stats.add(cached, tally.cached);
            stats.add(unknown, tally.unknown);
            stats.add_time(time, tally.time);
        }
    }
}

fn names(purpose: Purpose) -> [&'static str; 4] {
    match purpose {
        Purpose::Abstraction => {
            ["abstraction-queries", "abstraction-cached", "abstraction-unknown", "abstraction-solver-time"]
        }
        Purpose::Coverage => {
            ["coverage-queries", "coverage-cached", "coverage-unknown", "coverage-solver-time"]
        }
        Purpose::Feasibility => {
            ["feasibility-queries", "feasibility-cached", "feasibility-unknown", "feasibility-solver-time"]
        }
        Purpose::Refinement => {
            ["refinement-queries", "refinement-cached", "refinement-unknown", "refinement-solver-time"]
        }
        Purpose::Induction => {
            ["induction-queries", "induction-cached", "induction-unknown", "induction-solver-time"]
        }
        Purpose::Certificate => {
            ["certificate-queries", "certificate-cached", "certificate-unknown", "certificate-solver-time"]
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn queries_count_by_purpose() {
        let mut stats = QueryStats::default();
        stats.count(Purpose::Coverage, &SatResult::Unsat, Duration::from_millis(2), false);
        stats.count(Purpose::Coverage, &SatResult::Unsat, Duration::ZERO, true);
        let tally = stats.of(Purpose::Coverage);
        assert_eq!((tally.queries, tally.cached, tally.unsat, tally.sat), (2, 1, 2, 0));
        let shown = Statistics::default();
        stats.publish(&shown);
        assert_eq!(shown.rows().len(), 4);
    }
}
