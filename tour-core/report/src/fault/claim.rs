//! The claim itself: it may be the check that is wrong, and not what was done before it. `[FAULT]` cuts runs at the check,
//! so that its techniques can't say so.
//!
//! What a program or a harness claims is suspect if a small change of the claim makes the failure go away, and the claim
//! still speaks of all that it spoke of. What the language demands (bounds, ranges) is never wrong, but the statement that
//! does not meet it may be.

use super::case::{Case, Found};
use super::mutate::Mutant;
use super::repair::judge;
use super::trial::Trial;
use super::{Finding, Technique, suspect};
use rustc_hash::FxHashSet;
use tour_ir::cfa::{EdgeId, LocId, mentioned};
use tour_ir::program::{Program, Rule};

/// The claim itself.
pub struct Claim;

impl Technique for Claim {
    fn id(&self) -> &'static str {
        "claim"
    }

    fn help(&self) -> &'static str {
        "The claim that is violated: it may be wrong itself"
    }

    fn locate(&self, case: &mut Case) -> Found<Finding> {
        let check = &case.program.checks[case.check];
        let Some(first) = case.run.steps.get(case.statement.first).map(|step| step.edge) else {
            return Err("the check has no statement".into());
        };
        let mut finding = Finding::new(self.id());
        if !Rule::STATED.contains(&check.rule) {
            let reason = format!("it needs what does not hold: {}", check.message);
            suspect(&mut finding, case, first, 1.0, reason);
            return Ok(finding);
        }
        let mut trial = Trial::new(case);
        for at in statements(case) {
            let repairs = trial.repairs(at, speaks_of_as_much);
            if let Some((score, reason)) = judge(case, &mut trial, &repairs) {
                suspect(&mut finding, case, case.program.cfa.locs[at].out[0], score, reason);
            }
        }
        finding.sort();
        match finding.suspects.is_empty() {
            true => Err("no small change of the claim makes it hold".into()),
            false => Ok(finding),
        }
    }
}

/// Where the claim is evaluated.
fn statements(case: &Case) -> Vec<LocId> {
    let mut seen = FxHashSet::default();
    let steps = case.run.steps[case.statement.first..].iter().filter(|s| s.depth == case.statement.depth);
    let own = |edge: &EdgeId| case.statement.contains(case.program, *edge);
    let from = |edge: EdgeId| case.program.cfa.edges[edge].from;
    steps.map(|s| s.edge).filter(own).map(from).filter(|loc| seen.insert(*loc)).collect()
}

/// A claim that has lost a variable says less than it was meant to.
fn speaks_of_as_much(program: &Program, mutant: &Mutant) -> bool {
    mutant.changes().all(|(new, old)| {
        let (new, old) = (mentioned(program, new), mentioned(program, old));
        old.iter().all(|var| new.contains(var))
    })
}
