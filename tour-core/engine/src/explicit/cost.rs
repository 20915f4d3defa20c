//! How much it costs to track a variable: how many states that may make.
//!
//! The domain types of `[SLICED]`: a variable that only gets constants has as many values as there are; one
//! that is stepped counts, and has as many as its loop has rounds.

use crate::context::Engine;
use crate::heuristics::ExplicitLimits;
use rustc_hash::FxHashMap;
use tour_ir::cfa::{CallGraph, Domain, Loops, Variables};
use tour_ir::prepared::Prepared;
use tour_ir::program::VarId;
use tour_logic::term::BaseId;

/// What a variable is like, the cheapest first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Cost {
    /// A truth value.
    Truth,
    /// It is assigned, and compared for equality.
    Choice,
    /// It is computed.
    Number,
    /// It lies in memory, or is a pointer.
    Memory,
    /// It counts.
    Counter,
}

impl Cost {
    /// How much it counts in the sum of a slice.
    pub fn weight(self, limits: &ExplicitLimits) -> u64 {
        let [truth, choice, number, counter] = limits.cost_weights;
        match self {
            Cost::Truth => truth,
            Cost::Choice => choice,
            Cost::Number | Cost::Memory => number,
            Cost::Counter => counter,
        }
    }
}

/// The costs of variables.
pub struct Costs {
    of: FxHashMap<VarId, Cost>,
}

impl Costs {
    /// Of the variables of a program.
    pub fn of(program: &Prepared) -> Costs {
        let uses = Variables::of(program, &program.fact::<Loops>(), &program.fact::<CallGraph>());
        let of = uses.iter().map(|(var, of)| {
            let cost = match of.domain {
                _ if of.stepped || of.loop_counter => Cost::Counter,
                Domain::Boolean => Cost::Truth,
                Domain::Equality => Cost::Choice,
                Domain::Linear | Domain::General => Cost::Number,
            };
            (var, cost)
        });
        Costs { of: of.collect() }
    }

    /// Of a variable of the formulas.
    pub fn cost(&self, engine: &Engine, base: BaseId) -> Cost {
        let scalar = engine.blocks.encoder.scalar(base);
        scalar.and_then(|var| self.of.get(&var).copied()).unwrap_or(Cost::Memory)
    }
}
