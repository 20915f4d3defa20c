//! Mutants on trial: those that make every failing run succeed, and no other run that is tried fail.

use super::case::Case;
use super::failures::{Drawn, Failure};
use super::mutate::{Mutant, mutants};
use super::symbolic::{Question, encode};
use std::rc::Rc;
use tour_engine::context::Context;
use tour_engine::heuristics::FaultLimits;
use tour_evidence::verdict::{InputOrigin, Violation};
use tour_interp::interp::{Image, Inputs, Observer, Options, Outcome, Request, Why, Write};
use tour_ir::cfa::{EdgeId, LocId};
use tour_ir::prepared::Prepared;
use tour_ir::program::Program;
use tour_logic::smt::SatResult;

/// A program that is changed and executed.
pub struct Trial {
    limits: FaultLimits,
    program: Program,
    failures: Rc<Vec<Failure>>,
    /// The edges where the check begins.
    check: Vec<EdgeId>,
    tried: usize,
    most: usize,
    steps: u64,
    /// How many more mutants may be encoded.
    to_encode: usize,
}

impl Trial {
    /// Of the failing runs that are known.
    pub fn new(case: &mut Case) -> Trial {
        let program = Program::clone(case.program);
        let first = case.run.steps.get(case.statement.first).map(|step| program.cfa.edges[step.edge].from);
        let limits = case.limits;
        Trial {
            limits,
            failures: case.failures(),
            check: first.map(|loc| program.cfa.locs[loc].out.to_vec()).unwrap_or_default(),
            tried: 0,
            most: limits.max_mutants.min(limits.max_mutant_edges / program.cfa.edges.len().max(1)),
            steps: 0,
            to_encode: most_encoded(&limits, case.options.budget, program.cfa.edges.len()),
            program,
        }
    }

    /// Every failing run executes the statement: else it can't repair that run.
    pub fn is_in_all(&self, statement: LocId) -> bool {
        let out = &self.program.cfa.locs[statement].out;
        self.failures.iter().all(|failure| out.iter().any(|edge| failure.edges.contains(edge)))
    }

    /// The mutants of a statement that repair, as far as executions can tell.
    pub fn repairs(&mut self, statement: LocId, wanted: impl Fn(&Program, &Mutant) -> bool) -> Vec<Mutant> {
        let mut repairs = Vec::new();
        for mutant in mutants(&mut self.program, &self.limits, statement) {
            if !wanted(&self.program, &mutant) {
                continue;
            }
            self.tried += 1;
            if self.tried > self.most || self.steps > self.limits.max_mutant_steps {
                break;
            }
            mutant.apply(&mut self.program);
            if self.survives() {
                repairs.push(mutant.clone());
            }
            mutant.undo(&mut self.program);
        }
        repairs
    }

    /// A mutant with which no run around the failing one violates the check.
    pub fn shown<'m>(&mut self, case: &Case, repairs: &'m [Mutant]) -> Option<&'m Mutant> {
        repairs.iter().take(self.limits.max_encoded_of_statement).find(|mutant| {
            if self.to_encode == 0 {
                return false;
            }
            self.to_encode -= 1;
            mutant.apply(&mut self.program);
            let holds = holds_around(&self.program, case);
            mutant.undo(&mut self.program);
            holds
        })
    }

    /// No failing run fails any more, and nothing else that is tried does.
    fn survives(&mut self) -> bool {
        let image = Image::new(&self.program);
        let options = Options { max_steps: self.limits.max_run_steps / 10, ..Options::default() };
        let (check, steps) = (&self.check, &mut self.steps);
        let mut run = |inputs: &mut dyn Inputs| {
            let mut visits = Visits { edges: check, count: 0 };
            let run = image.run(inputs, &options, &mut visits);
            *steps += run.steps;
            (run.outcome, visits.count)
        };
        let succeeds = |(outcome, visits): (Outcome, usize), failure: &Failure| {
            let before = failure.run.steps.iter().filter(|step| check.contains(&step.edge)).count();
            matches!(outcome, Outcome::Exited(_)) && visits >= before
        };
        self.failures.iter().all(|failure| succeeds(run(&mut Again::of(failure)), failure))
            && (0..self.limits.drawn_runs).all(|seed| {
                matches!(
                    run(&mut Drawn::new(seed)).0,
                    Outcome::Exited(_)
                        | Outcome::Ended
                        | Outcome::AssumeFailed(_)
                        | Outcome::OutOfInputs { .. }
                )
            })
    }
}

/// How many mutants of a program with a number of edges are encoded, for what each technique may spend.
fn most_encoded(limits: &FaultLimits, budget: u64, edges: usize) -> usize {
    let affordable = budget / limits.mutant_edge_cost / edges.max(1) as u64;
    limits.max_encoded_mutants.min(usize::try_from(affordable).unwrap_or(usize::MAX))
}

/// How often the check is come to: a mutant that avoids it repairs nothing.
struct Visits<'a> {
    edges: &'a [EdgeId],
    count: usize,
}

impl Observer for Visits<'_> {
    const WRITES: bool = false;

    fn edge(&mut self, edge: EdgeId, _: u32) {
        self.count += usize::from(self.edges.contains(&edge));
    }

    fn write(&mut self, _: Write) {}
}

/// The inputs of a failing run again, and zero if more are asked for.
struct Again {
    bits: std::collections::VecDeque<u128>,
}

impl Again {
    fn of(failure: &Failure) -> Again {
        let given =
            |origin| matches!(origin, InputOrigin::Nondet | InputOrigin::Undefined | InputOrigin::Parameter);
        Again { bits: failure.run.inputs.iter().filter(|i| given(i.origin)).map(|i| i.bits).collect() }
    }
}

impl Inputs for Again {
    fn next(&mut self, request: &Request) -> Option<u128> {
        match request.why {
            Why::Havoc(_) | Why::Parameter(_) => Some(self.bits.pop_front().unwrap_or(0)),
            Why::Declared(_) | Why::Unwritten => Some(0),
        }
    }
}

/// No run of a mutant around the failing one violates the check.
fn holds_around(mutant: &Program, case: &Case) -> bool {
    let violation = Violation {
        check: case.check,
        analysis: "",
        inputs: case.run.inputs.clone(),
        trace: case.run.steps.clone(),
    };
    let (interrupt, heuristics) = (case.interrupt.clone(), case.engine.heuristics.clone());
    let context = Context { interrupt, heuristics, ..Context::default() };
    let mutant = Prepared::new(mutant.clone());
    let Ok(mut own) = Case::new(&mutant, &violation, &context, &case.options) else { return false };
    let Ok(runs) = encode(&mut own, &Question::default()) else { return false };
    match runs.solver(&mut own, false) {
        Some(mut solver) => solver.check(&own.engine.terms, &[]) == SatResult::Unsat,
        None => runs.passed.is_some(),
    }
}
