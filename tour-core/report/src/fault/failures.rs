//! More runs that violate the same check: the statement at fault is part of all of them.

use super::case::Case;
use super::run::{CheckStatement, Run, execute};
use super::symbolic::Given;
use super::unrolled::Followed;
use rustc_hash::FxHashSet;
use tour_interp::interp::{Inputs, Outcome, Random, Request, Why};
use tour_ir::cfa::EdgeId;
use tour_ir::program::Program;

/// A failing run.
pub struct Failure {
    /// The run.
    pub run: Run,
    /// Its inputs, by point.
    pub given: Given,
    /// The edges that it takes before the check.
    pub edges: FxHashSet<EdgeId>,
}

/// The run of the case, then others that go other ways: some that the solver finds, some by drawing inputs.
pub fn failures(case: &mut Case) -> Vec<Failure> {
    let mut found = Vec::new();
    let mut ways = FxHashSet::default();
    let own = (case.run.clone(), case.path.clone());
    note(case.program, &mut found, &mut ways, own);
    if let Ok(mut runs) = case.successful_runs() {
        for walk in runs.failing(case, case.limits.max_failures / 2) {
            let inputs = Box::new(tour_engine::confirm::FromWalk::new(&walk));
            confirm(case, inputs, &mut found, &mut ways);
        }
        case.keep(runs);
    }
    for seed in 0..case.limits.drawn_runs {
        if found.len() >= case.limits.max_failures {
            break;
        }
        confirm(case, Box::new(Drawn::new(seed)), &mut found, &mut ways);
    }
    found
}

fn confirm(
    case: &mut Case,
    inputs: Box<dyn Inputs>,
    found: &mut Vec<Failure>,
    ways: &mut FxHashSet<Vec<EdgeId>>,
) {
    let (outcome, mut run) = execute(&case.image, inputs, case.limits.max_run_steps / 10);
    if outcome != Outcome::Error(case.check) {
        return;
    }
    let Some(followed) = case.unrolled.follow(&mut case.engine.blocks.unfolding, &run.steps) else { return };
    // The check may have been violated in another round, or under another call.
    let check = case.path.points.get(case.statement.first);
    let statement = CheckStatement::of(case.program, case.check, &run.steps);
    if followed.points.get(statement.first) != check {
        return;
    }
    run.cut = statement.first;
    note(case.program, found, ways, (run, followed));
}

fn note(
    program: &Program,
    found: &mut Vec<Failure>,
    ways: &mut FxHashSet<Vec<EdgeId>>,
    (run, followed): (Run, Followed),
) {
    let way: Vec<EdgeId> = run.steps.iter().map(|step| step.edge).collect();
    if ways.insert(way) {
        let edges = run.before_check().iter().map(|step| step.edge).collect();
        found.push(Failure { given: Given::of(program, &run, &followed), run, edges });
    }
}

/// Pseudo-random inputs; what is indeterminate is zero.
pub struct Drawn(Random);

impl Drawn {
    /// The inputs of a seed.
    pub fn new(seed: u64) -> Drawn {
        Drawn(Random::new(seed + 1))
    }
}

impl Inputs for Drawn {
    fn next(&mut self, request: &Request) -> Option<u128> {
        match request.why {
            Why::Havoc(_) | Why::Parameter(_) => self.0.next(request),
            Why::Declared(_) | Why::Unwritten => Some(0),
        }
    }
}
