//! Mutants that repair (after Moon et al., "Ask the Mutants", ICST 2014): a statement where a small change makes every
//! failing run succeed, and no other run that was tried fail, is suspect. The change is shown as a hint.
//!
//! Mutants are executed, which costs next to nothing. Of those that are left, some are encoded like the program itself:
//! where no run around the failing one violates the check any more, the statement is suspect most of all.

use super::case::{Case, Found, RUN_STEPS};
use super::failures::{DRAWN, Drawn, Failure};
use super::mutate::{Mutant, mutants};
use super::symbolic::{Question, encode};
use super::{Finding, Technique};
use crate::analysis::Context;
use crate::cfa::{EdgeId, LocId};
use crate::interp::{Image, Inputs, Observer, Options, Outcome, Request, Why, Write};
use crate::program::Program;
use crate::smt::SatResult;
use crate::verdict::{InputOrigin, Violation};
use std::rc::Rc;

/// At most so many mutants are executed.
const MUTANTS: usize = 1_500;

/// At most so many edges of mutants are made ready to run: in a large program, fewer mutants are looked at.
const EDGES: usize = 3_000_000;

/// At most so many mutants of one statement are encoded, and of all.
const ENCODED: (usize, usize) = (3, 12);

/// Larger programs take too long to encode again.
const MAX_EDGES: usize = 5_000;

/// Steps of all executions together.
const STEPS: u64 = 5_000_000;

/// Mutants that repair.
pub struct Repair;

impl Technique for Repair {
    fn id(&self) -> &'static str {
        "repair"
    }

    fn locate(&self, case: &mut Case) -> Found<Finding> {
        let failures = case.failures();
        let mut program = case.program.clone();
        let mut finding = Finding::new(self.id());
        let first = case.run.steps.get(case.statement.first).map(|step| program.cfa.edges[step.edge].from);
        let check: Vec<EdgeId> = first.map(|loc| program.cfa.locs[loc].out.to_vec()).unwrap_or_default();
        let (mut tried, mut steps) = (0, 0);
        let mut encoded = if program.cfa.edges.len() > MAX_EDGES { ENCODED.1 } else { 0 };
        let most = MUTANTS.min(EDGES / program.cfa.edges.len().max(1));
        for statement in case.statements().into_iter().rev() {
            // A statement that some failing run does not execute can't repair that run.
            let out = &case.program.cfa.locs[statement].out;
            if !failures.iter().all(|f| out.iter().any(|edge| f.edges.contains(edge))) {
                continue;
            }
            let mut repairs = Vec::new();
            for mutant in mutants(&mut program, statement) {
                tried += 1;
                if tried > most || steps > STEPS {
                    break;
                }
                mutant.apply(&mut program);
                if survives(&program, &check, &failures, &mut steps) {
                    repairs.push(mutant.clone());
                }
                mutant.undo(&mut program);
            }
            self.judge(case, &mut program, statement, &repairs, &mut encoded, &mut finding);
        }
        finding.sort();
        match finding.suspects.is_empty() {
            true => Err("no small change of a statement makes the failure go away".into()),
            false => Ok(finding),
        }
    }
}

impl Repair {
    /// A statement with mutants that repair is suspect, the more so if one of them was shown to hold.
    fn judge(
        &self,
        case: &mut Case,
        program: &mut Program,
        statement: LocId,
        repairs: &[Mutant],
        encoded: &mut usize,
        finding: &mut Finding,
    ) {
        let Some(first) = repairs.first() else { return };
        let shown = repairs.iter().take(ENCODED.0).find(|mutant| {
            if *encoded >= ENCODED.1 {
                return false;
            }
            *encoded += 1;
            mutant.apply(program);
            let holds = holds_around(program, case);
            mutant.undo(program);
            holds
        });
        let edge = case.program.cfa.locs[statement].out[0];
        let (score, mutant, how) = match shown {
            Some(mutant) => (1.0, mutant, "in every run around the failing one"),
            None => (0.5, first, "in every run that was tried"),
        };
        let score = if case.is_given(edge) { score / 4.0 } else { score };
        finding.suspect(case, edge, score, format!("with `{}` the check holds {how}", mutant.text));
    }
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

/// No failing run fails any more, and nothing else that is tried does.
fn survives(program: &Program, check: &[EdgeId], failures: &Rc<Vec<Failure>>, steps: &mut u64) -> bool {
    let image = Image::new(program);
    let options = Options { max_steps: RUN_STEPS / 10, ..Options::default() };
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
    failures.iter().all(|failure| succeeds(run(&mut Again::of(failure)), failure))
        && (0..DRAWN).all(|seed| {
            matches!(
                run(&mut Drawn::new(seed)).0,
                Outcome::Exited(_) | Outcome::Ended | Outcome::AssumeFailed(_) | Outcome::OutOfInputs { .. }
            )
        })
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
    let context = Context { interrupt: case.interrupt.clone(), ..Context::default() };
    let Ok(mut own) = Case::new(mutant, &violation, &context, &case.options) else { return false };
    let Ok(runs) = encode(&mut own, &Question::default()) else { return false };
    match runs.solver(&mut own, false) {
        Some(mut solver) => solver.check(&own.engine.terms, &[]) == SatResult::Unsat,
        None => runs.passed.is_some(),
    }
}
