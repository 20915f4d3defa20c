//! What every analysis is given, and what those on abstract states share: formulas, solver, blocks, observers.

mod blocks;
mod engine;
mod goals;
pub mod observe;

pub use blocks::{BlockEncoding, BlockEnd};
pub use engine::{Engine, unknown};
pub use goals::{Findings, Goals, closed};
pub use observe::{Event, Observer, Watch};

use crate::heuristics::Heuristics;
use std::sync::Arc;
use tour_ir::budget::Budget;
use tour_ir::cfa::LocId;
use tour_ir::limits::Interrupt;
use tour_ir::program::FnId;
use tour_ir::stats::Statistics;
use tour_logic::smt::Backend;

/// What every analysis is given.
#[derive(Clone, Debug, Default)]
pub struct Context {
    /// Long loops poll it.
    pub interrupt: Interrupt,
    /// What the analysis reports about its own work.
    pub stats: Statistics,
    /// Steps of the solver that the analysis may make.
    pub budget: Budget,
    /// Who is told what the analysis does.
    pub watch: Watch,
    /// Who answers questions about formulas.
    pub solver: Backend,
    /// Whether one violation is enough, and what was found.
    pub goals: Goals,
    /// The numbers that it is tuned by.
    pub heuristics: Arc<Heuristics>,
}

/// Where a state lies, as far as precisions are concerned.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Site {
    /// The location.
    pub loc: LocId,
    /// Its function.
    pub function: FnId,
}
