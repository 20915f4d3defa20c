//! All numbers that were chosen because they seem to work, by area.
//!
//! None of them changes what is true, only what is found and how soon; and none reaches those who check evidence. What
//! has to be as it is (semantics, representations, protection against too much memory or too deep recursion) is a
//! `const` beside its use. `docs/src/heuristics.md` lists all values.

mod abstraction;
mod fault;
mod invariants;
mod portfolio;
mod runs;
mod search;

pub use abstraction::{AbstractionLimits, RefinementLimits};
pub use fault::FaultLimits;
pub use invariants::{
    ArrayLimits, EffortLimits, InvariantLimits, ListLimits, QuestionLimits, SampleLimits, TemplateLimits,
};
pub use portfolio::PortfolioBudgets;
pub use runs::{ConfirmationLimits, HuntLimits, ScheduleLimits, VacuityLimits};
pub use search::{BamLimits, BmcLimits, ExplicitLimits, ExplorationLimits, InductionLimits};

use serde::{Deserialize, Serialize};
use serde_json::Value;
use tour_ir::tuning::Field;
pub use tour_logic::tuning::{InstanceLimits, SolverLimits};
pub use tour_model::tuning::{BlockLimits, MemoryLimits, PreparationLimits};

/// All tuning values.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Heuristics {
    /// What the analyses may spend.
    pub portfolio: PortfolioBudgets,
    /// Abstract domains.
    pub abstraction: AbstractionLimits,
    /// From infeasible paths to predicates.
    pub refinement: RefinementLimits,
    /// Loop invariants.
    pub invariants: InvariantLimits,
    /// Bounded model checking.
    pub bmc: BmcLimits,
    /// k-induction.
    pub induction: InductionLimits,
    /// Block-abstraction memoization.
    pub bam: BamLimits,
    /// Interleavings of threads.
    pub exploration: ExplorationLimits,
    /// Explicit-state search.
    pub explicit: ExplicitLimits,
    /// Runs with drawn inputs.
    pub hunt: HuntLimits,
    /// Runs with drawn schedules.
    pub schedules: ScheduleLimits,
    /// Runs that confirm violations.
    pub confirmation: ConfirmationLimits,
    /// Parts of the program that no run gets to.
    pub vacuity: VacuityLimits,
    /// How questions are asked, and what answers cost.
    pub solver: SolverLimits,
    /// Formulas of memory.
    pub memory: MemoryLimits,
    /// Blocks.
    pub blocks: BlockLimits,
    /// What is done to a program before it is analysed.
    pub preparation: PreparationLimits,
    /// Fault localisation.
    pub fault: FaultLimits,
}

/// What is known of the fields of each area.
const AREAS: &[&[Field]] = &[
    PortfolioBudgets::FIELDS,
    AbstractionLimits::FIELDS,
    RefinementLimits::FIELDS,
    EffortLimits::FIELDS,
    TemplateLimits::FIELDS,
    ArrayLimits::FIELDS,
    ListLimits::FIELDS,
    SampleLimits::FIELDS,
    QuestionLimits::FIELDS,
    InstanceLimits::FIELDS,
    BmcLimits::FIELDS,
    InductionLimits::FIELDS,
    BamLimits::FIELDS,
    ExplorationLimits::FIELDS,
    ExplicitLimits::FIELDS,
    HuntLimits::FIELDS,
    ScheduleLimits::FIELDS,
    ConfirmationLimits::FIELDS,
    VacuityLimits::FIELDS,
    SolverLimits::FIELDS,
    MemoryLimits::FIELDS,
    BlockLimits::FIELDS,
    PreparationLimits::FIELDS,
    FaultLimits::FIELDS,
];

impl Heuristics {
    /// What is known of all fields, area by area.
    pub fn fields() -> impl Iterator<Item = &'static Field> + Clone {
        AREAS.iter().copied().flatten()
    }

    /// The value of a field.
    pub fn get(&self, name: &str) -> Option<Value> {
        let all = serde_json::to_value(self).ok()?;
        all.pointer(&pointer(name)).filter(|value| !value.is_object()).cloned()
    }

    /// Changes one value: `set("abstraction.max_values", "24")`, a list as `[1, 2, 3]`.
    pub fn set(&mut self, name: &str, value: &str) -> Result<(), String> {
        let mut all = serde_json::to_value(&*self).map_err(|error| error.to_string())?;
        let place = all.pointer_mut(&pointer(name)).filter(|old| !old.is_object());
        *place.ok_or_else(|| no_field(name))? = serde_json::from_str(value)
            .map_err(|_| format!("`{name}` is no `{value}`: it takes a number"))?;
        let changed: Heuristics =
            serde_json::from_value(all).map_err(|error| format!("`{name}` is no `{value}`: {error}"))?;
        changed.check()?;
        *self = changed;
        Ok(())
    }

    /// What must hold of the values so that analyses come to an end.
    pub fn check(&self) -> Result<(), String> {
        let Heuristics { hunt, schedules, .. } = self;
        let parts = [
            ("hunt.long_runs_share", hunt.long_runs_share),
            ("hunt.short_run_share", hunt.short_run_share),
            ("hunt.long_run_every", hunt.long_run_every),
            ("hunt.long_run_share", hunt.long_run_share),
            ("hunt.min_run_cost", hunt.min_run_cost),
            ("hunt.max_kept_runs", hunt.max_kept_runs as u64),
            ("hunt.max_numbers", hunt.max_numbers as u64),
            ("schedules.short_run_share", schedules.short_run_share),
            ("schedules.long_run_every", schedules.long_run_every),
            ("schedules.min_run_cost", schedules.min_run_cost),
            ("solver.made_per_step", self.solver.made_per_step),
            ("solver.kept_per_step", self.solver.kept_per_step),
            ("solver.steps_per_call", self.solver.steps_per_call),
            ("solver.clauses_per_call", self.solver.clauses_per_call),
            ("solver.steps_per_millisecond", self.solver.steps_per_millisecond.into()),
            ("fault.question_share", self.fault.question_share),
            ("fault.mutant_edge_cost", self.fault.mutant_edge_cost),
            ("bmc.first_rounds", self.bmc.first_rounds as u64),
            ("abstraction.max_kept_solvers", self.abstraction.max_kept_solvers as u64),
            ("portfolio.question_share", self.portfolio.question_share),
            ("invariants.samples.max_input", self.invariants.samples.max_input),
            ("invariants.samples.random_objects", self.invariants.samples.random_objects),
        ];
        if let Some((name, _)) = parts.iter().find(|(_, value)| *value == 0) {
            return Err(format!("`{name}` is at least 1"));
        }
        let factors = [
            ("portfolio.budget_growth", self.portfolio.budget_growth),
            ("abstraction.assignments_growth", self.abstraction.assignments_growth as u64),
            ("abstraction.values_growth", self.abstraction.values_growth as u64),
            ("bmc.rounds_growth", self.bmc.rounds_growth as u64),
        ];
        if let Some((name, _)) = factors.iter().find(|(_, value)| *value < 2) {
            return Err(format!("`{name}` is at least 2"));
        }
        if self.solver.max_integer_failures > 31 {
            return Err("`solver.max_integer_failures` is at most 31".into());
        }
        for (area, min, max) in [
            ("hunt", hunt.min_run_steps, hunt.max_run_steps),
            ("schedules", schedules.min_run_steps, schedules.max_short_run_steps),
        ] {
            if min > max {
                return Err(format!("`{area}.min_run_steps` is greater than the longest run"));
            }
        }
        Ok(())
    }
}

/// A name as a JSON pointer.
fn pointer(name: &str) -> String {
    format!("/{}", name.replace('.', "/"))
}

fn no_field(name: &str) -> String {
    let area = name.split('.').next().unwrap_or_default();
    let all = Heuristics::fields().map(|field| field.name);
    let near: Vec<&str> = all.clone().filter(|field| field.split('.').next() == Some(area)).collect();
    let names = if near.is_empty() { all.collect() } else { near };
    format!("there is no `{name}`: choose one of {}", names.join(", "))
}

#[cfg(test)]
mod tests;
