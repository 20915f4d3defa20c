//! What is known of distances before the search begins: the annotation of a program with exit-dist and abs-dist.

use super::abs_dist::abs_dist;
use super::callers::Callers;
use super::dist::Dist;
use super::exit_dist::{ExitDist, exit_dist};
use super::focus::Focus;
use super::metric::Metric;
use index_vec::IndexVec;
use tour_ir::cfa::{CallGraph, EdgeId, LocId, Loops};
use tour_ir::prepared::Prepared;
use tour_ir::program::FnId;

/// The annotated program.
#[derive(Clone, Debug)]
pub struct Distances {
    metric: Metric,
    exits: ExitDist,
    abs: IndexVec<LocId, Dist>,
    /// exit-dist of the entry of a function.
    functions: IndexVec<FnId, Dist>,
}

impl Distances {
    /// Annotates a program by a metric.
    pub fn of(program: &Prepared, metric: Metric, focus: &[Focus]) -> Distances {
        let loops = program.fact::<Loops>();
        let callers = Callers::of(program, &program.fact::<CallGraph>());
        let weight = |edge: EdgeId| Dist::new(metric.weight(program, &loops, edge));
        let exits = exit_dist(program, &callers, weight, metric.leave());
        let start = Focus::starts(focus, program);
        let abs = abs_dist(program, &callers, &exits, weight, metric.leave(), |check| start[check]);
        let entry = |exits: &ExitDist, entry: LocId| exits.exit[entry];
        let functions =
            program.functions.iter().map(|f| f.body.map_or(Dist::INFINITE, |b| entry(&exits, b.entry)));
        let functions = functions.collect();
        Distances { metric, exits, abs, functions }
    }

    /// The metric.
    pub fn metric(&self) -> Metric {
        self.metric
    }

    /// From a location to the exit of its function.
    pub fn exit_dist(&self, loc: LocId) -> Dist {
        self.exits.exit[loc]
    }

    /// `[TOUR]`'s exit-dist': the exit-dist of a location less that of its function's entry. `None` if either is
    /// infinite.
    #[cfg(test)]
    pub(super) fn exit_dist_prime(&self, program: &Prepared, loc: LocId) -> Option<i64> {
        let entry = self.through(program.cfa.locs[loc].function).steps()?;
        Some(i64::from(self.exit_dist(loc).steps()?) - i64::from(entry))
    }

    /// From a location to the nearest error location that is reached without leaving its function's call.
    pub fn abs_dist(&self, loc: LocId) -> Dist {
        self.abs[loc]
    }

    /// From the entry of a function to its exit.
    pub fn through(&self, function: FnId) -> Dist {
        self.functions[function]
    }

    /// The functions in the order in which their distance was found: callees before those who need them.
    pub fn order(&self) -> &[FnId] {
        &self.exits.order
    }

    /// The distance of a location in a call after whose return `after` is left to go: min(rel-dist, abs-dist).
    pub fn dist(&self, loc: LocId, after: Dist) -> Dist {
        self.abs_dist(loc).min(self.exit_dist(loc) + after)
    }

    /// What is left to go after the return from a callee, if `loc`, where it returns to, lies in a call after whose
    /// return `after` is left.
    pub fn after_return(&self, loc: LocId, after: Dist) -> Dist {
        self.dist(loc, after) + self.metric.leave()
    }
}
