//! The solvers that users can choose: one line each in [`Backend::all`].

use super::{QueryLimits, Smt, Z3};
use crate::tuning::SolverLimits;
use tour_ir::choice::Choice;
use tour_ir::limits::Interrupt;

/// A solver.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Backend {
    /// Z3, with questions about words also asked of integers, and about arrays of a SAT solver.
    #[default]
    Z3,
    /// Z3 alone.
    Z3Bare,
}

impl Choice for Backend {
    fn all() -> Vec<(Backend, &'static str, &'static str)> {
        vec![
            (Backend::Z3, "z3", "Z3; hard questions are also asked about integers, and of a SAT solver"),
            (Backend::Z3Bare, "z3-bare", "Z3 alone"),
        ]
    }
}

impl Backend {
    /// Starts it. Its queries have these limits, and stop when the interrupt is raised.
    pub fn start(self, tuning: SolverLimits, limits: QueryLimits, interrupt: &Interrupt) -> Box<dyn Smt> {
        match self {
            Backend::Z3 => Box::new(Z3::tuned(tuning, limits, interrupt.clone())),
            Backend::Z3Bare => Box::new(Z3::bare(tuning, limits, interrupt.clone())),
        }
    }
}
