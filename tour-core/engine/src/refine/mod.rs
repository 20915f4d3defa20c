//! Refinement: from an infeasible path to predicates that exclude it. One strategy, one file.

mod constants;
mod interface;
mod interpolation;
mod mining;
mod newton;
mod summaries;

pub use constants::Constants;
pub use interface::interface_core;
pub use interpolation::Interpolation;
pub use mining::{Mining, NeededAtoms};
pub use newton::{Newton, implicant};
pub use summaries::CallSummaries;

use crate::context::Engine;
use crate::heuristics::RefinementLimits;
use crate::path::AbstractPath;
use tour_evidence::verdict::UnknownReason;
use tour_ir::choice::Choice;
use tour_logic::smt::QueryLimits;
use tour_logic::term::TermId;

/// The strategies by name.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Strategy {
    /// [`NeededAtoms`]
    NeededAtoms,
    /// [`Interpolation`]
    Interpolation,
    /// [`Newton`]
    Newton,
    /// [`Constants`]
    Constants,
    /// [`Mining`]
    Mining,
}

impl Choice for Strategy {
    fn all() -> Vec<(Strategy, &'static str, &'static str)> {
        vec![
            (
                Strategy::NeededAtoms,
                "needed-atoms",
                "Conditions on the path about variables that matter for it",
            ),
            (Strategy::Interpolation, "interpolation", "Sequence interpolants of the path's blocks"),
            (Strategy::Newton, "newton", "Strongest postconditions along an unsatisfiable core of the path"),
            (Strategy::Constants, "constants", "Variables with one value on the path"),
            (Strategy::Mining, "mining", "Conditions that stand on the path"),
        ]
    }
}

impl Strategy {
    /// All of them, in the order in which they are best tried.
    pub const PORTFOLIO: [Strategy; 5] = [
        Strategy::NeededAtoms,
        Strategy::Interpolation,
        Strategy::Newton,
        Strategy::Constants,
        Strategy::Mining,
    ];

    /// The strategy itself.
    pub fn refiner(self, limits: &RefinementLimits) -> Box<dyn Refiner> {
        match self {
            Strategy::NeededAtoms => Box::new(NeededAtoms),
            Strategy::Interpolation => {
                let steps = Some(limits.max_interpolation_steps);
                Box::new(Interpolation { limits: QueryLimits { steps } })
            }
            Strategy::Newton => Box::new(Newton),
            Strategy::Constants => Box::new(Constants),
            Strategy::Mining => Box::new(Mining),
        }
    }
}

/// A strategy.
pub trait Refiner {
    /// Its name, in options and statistics.
    fn name(&self) -> &'static str;

    /// State formulas to track at the end of each block but the last. The path is infeasible.
    fn refine(&mut self, engine: &mut Engine, path: &AbstractPath)
    -> Result<Vec<Vec<TermId>>, UnknownReason>;
}
