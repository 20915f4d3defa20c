//! Minimal correction sets of size one (after Jose and Majumdar, "Cause Clue Clauses", PLDI 2011): the statements that,
//! free to do anything, make the failure go away with the same inputs.
//!
//! The program after the free statement is encoded with all its ways, not only the failing one, so that decisions can
//! be corrected too. A statement that is at fault corrects every failing run that is known.

use super::case::{Case, Found};
use super::symbolic::{Question, encode};
use super::{Finding, Technique, suspect};
use tour_logic::smt::SatResult;

/// Minimal correction sets.
pub struct Mcs;

impl Technique for Mcs {
    fn id(&self) -> &'static str {
        "mcs"
    }

    fn help(&self) -> &'static str {
        "Minimal correction sets: statements that, free to do anything, make the failure go away"
    }

    fn locate(&self, case: &mut Case) -> Found<Finding> {
        let failures = case.failures();
        let mut finding = Finding::new(self.id());
        for statement in case.statements().into_iter().rev() {
            let mut corrected = 0;
            if case.go_on().is_err() {
                break;
            }
            for (i, failure) in failures.iter().enumerate() {
                // What does not correct this run corrects nothing.
                if i > 0 && corrected == 0 {
                    break;
                }
                let out = &case.program.cfa.locs[statement].out;
                let executed = out.iter().any(|edge| failure.edges.contains(edge));
                let question = Question { given: Some(&failure.given), free: Some(statement), measure: None };
                corrected += usize::from(executed && can_pass(case, &question).unwrap_or(false));
            }
            if corrected > 0 {
                let all = failures.len();
                let reason = match all {
                    1 => "another result here would make the check hold".to_owned(),
                    _ => format!(
                        "another result here would make the check hold in {corrected} of {all} failing runs"
                    ),
                };
                // The last edge of a decision is as good as the first.
                let edge = case.program.cfa.locs[statement].out[0];
                let share = corrected as f64 / all as f64;
                let score = if case.is_given(edge) { share / 4.0 } else { share };
                suspect(&mut finding, case, edge, score, reason);
            }
        }
        finding.sort();
        match finding.suspects.is_empty() {
            true => Err("no single statement can make the failure go away".into()),
            false => Ok(finding),
        }
    }
}

fn can_pass(case: &mut Case, question: &Question) -> Found<bool> {
    let runs = encode(case, question)?;
    let Some(mut solver) = runs.solver(case, true) else { return Ok(false) };
    Ok(solver.check(&case.engine.terms, &[]) == SatResult::Sat)
}
