//! Mutants that repair (after Moon et al., "Ask the Mutants", ICST 2014): a statement where a small change makes every
//! failing run succeed, and no other run that was tried fail, is suspect. The change is shown as a hint.
//!
//! Mutants are executed, which costs next to nothing. Of those that are left, some are encoded like the program itself:
//! where no run around the failing one violates the check any more, the statement is suspect most of all.

use super::case::{Case, Found};
use super::mutate::Mutant;
use super::trial::Trial;
use super::{Finding, Technique, suspect};

/// Mutants that repair.
pub struct Repair;

impl Technique for Repair {
    fn id(&self) -> &'static str {
        "repair"
    }

    fn help(&self) -> &'static str {
        "Mutants: statements where a small change makes the failure go away"
    }

    fn locate(&self, case: &mut Case) -> Found<Finding> {
        let mut trial = Trial::new(case);
        let mut finding = Finding::new(self.id());
        for statement in
            case.statements().into_iter().rev().filter(|s| trial.is_in_all(*s)).collect::<Vec<_>>()
        {
            let repairs = trial.repairs(statement, |_, _| true);
            let Some((score, reason)) = judge(case, &mut trial, &repairs) else { continue };
            let edge = case.program.cfa.locs[statement].out[0];
            let score = if case.is_given(edge) { score / 4.0 } else { score };
            suspect(&mut finding, case, edge, score, reason);
        }
        finding.sort();
        match finding.suspects.is_empty() {
            true => Err("no small change of a statement makes the failure go away".into()),
            false => Ok(finding),
        }
    }
}

/// A statement with mutants that repair is suspect, the more so if one of them was shown to hold.
pub fn judge(case: &Case, trial: &mut Trial, repairs: &[Mutant]) -> Option<(f64, String)> {
    let first = repairs.first()?;
    let (score, mutant, how) = match trial.shown(case, repairs) {
        Some(mutant) => (1.0, mutant, "in every run around the failing one"),
        None => (0.5, first, "in every run that was tried"),
    };
    Some((score, format!("with `{}` the check holds {how}", mutant.text)))
}
