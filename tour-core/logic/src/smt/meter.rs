//! What the solvers of a back end have in common: limits, the interrupt, and what was asked and spent.

use super::{Purpose, QueryLimits, QueryStats, SatResult};
use crate::tuning::SolverLimits;
use std::cell::{Cell, RefCell};
use std::time::Duration;
use tour_ir::limits::Interrupt;

/// Limits, and what was used of them.
pub struct Meter {
    /// Stops questions.
    pub interrupt: Interrupt,
    /// What the next question may take.
    pub limits: Cell<QueryLimits>,
    /// How questions are asked.
    pub tuning: SolverLimits,
    /// What was asked.
    pub stats: RefCell<QueryStats>,
    /// Steps that solvers other than Z3, which counts its own, have made.
    spent: Cell<u64>,
}

impl Meter {
    /// Nothing was asked yet.
    pub fn new(tuning: SolverLimits, limits: QueryLimits, interrupt: Interrupt) -> Meter {
        let limits = Cell::new(limits);
        Meter { interrupt, limits, tuning, stats: RefCell::default(), spent: Cell::default() }
    }

    /// Counts a question.
    pub fn count(&self, purpose: Purpose, result: &SatResult, time: Duration, cached: bool) {
        self.stats.borrow_mut().count(purpose, result, time, cached);
    }

    /// Counts steps that were made.
    pub fn spend(&self, steps: u64) {
        self.spent.set(self.spent.get() + steps);
    }

    /// Steps that were made so far.
    pub fn spent(&self) -> u64 {
        self.spent.get()
    }
}
