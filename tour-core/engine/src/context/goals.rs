//! Several violations in one run: which were found on the way, and whether to look for more.
//!
//! A violated check is *closed*: from then on its error location is an end of the program, as for a check that nobody
//! asked for. An analysis that can go on does so in the graph that it has; one that can't returns its violation and is
//! run again on the program with the check closed.

use std::borrow::Cow;
use std::sync::{Arc, Mutex, PoisonError};
use tour_evidence::verdict::{Verdict, Violation};
use tour_ir::prepared::Prepared;

/// What an analysis is to find. Clones share what was found.
#[derive(Clone, Debug, Default)]
pub struct Goals {
    all: bool,
    found: Arc<Mutex<Vec<Violation>>>,
}

impl Goals {
    /// Every check that can be violated, not only the first.
    pub fn all() -> Goals {
        Goals { all: true, ..Goals::default() }
    }

    /// The same goals for another analysis, with nothing found.
    pub fn fork(&self) -> Goals {
        Goals { all: self.all, ..Goals::default() }
    }

    /// There is more to look for after a violation.
    pub fn go_on(&self) -> bool {
        self.all
    }

    /// Notes a violation that was confirmed. Its check is closed by the analysis that found it.
    pub fn found(&self, violation: Violation) {
        self.lock().push(violation);
    }

    /// Takes what was found since the last time.
    pub fn take(&self) -> Vec<Violation> {
        std::mem::take(&mut self.lock())
    }

    /// What was found so far.
    pub fn found_so_far(&self) -> Vec<Violation> {
        self.lock().clone()
    }

    /// The program in which the checks that were found violated are closed.
    pub fn rest<'p>(&self, program: &'p Prepared) -> Cow<'p, Prepared> {
        closed(Cow::Borrowed(program), &self.lock())
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Vec<Violation>> {
        self.found.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The program in which the checks of these violations are closed.
pub fn closed<'p>(mut program: Cow<'p, Prepared>, violations: &[Violation]) -> Cow<'p, Prepared> {
    for violation in violations {
        program.to_mut().change(|program| program.close(violation.check));
    }
    program
}

/// What became of the checks of a program.
#[derive(Clone, Debug)]
pub struct Findings {
    /// The violations, each of another check, in the order of the checks.
    pub violations: Vec<Violation>,
    /// What is known of all other checks.
    pub rest: Verdict,
}

impl Findings {
    /// The verdict on the program as a whole.
    pub fn verdict(&self) -> Verdict {
        match self.violations.first() {
            Some(first) => Verdict::Violated(Box::new(first.clone())),
            None => self.rest.clone(),
        }
    }
}

impl From<Verdict> for Findings {
    /// Of a run that looked for one violation only.
    fn from(verdict: Verdict) -> Findings {
        match verdict {
            Verdict::Violated(violation) => Findings {
                violations: vec![*violation],
                rest: Verdict::Unknown(tour_evidence::verdict::UnknownReason::Inconclusive),
            },
            rest => Findings { violations: Vec::new(), rest },
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::analysis::{Kind, Options, verify_all};
    use crate::context::Context;
    use tour_ir::cfa::testing::prepared;

    /// Lines of error locations, and what is said of the rest.
    #[track_caller]
    fn check(text: &str, violated: usize, rest: &str) {
        let program = prepared(text);
        let kinds = [Kind::AUTO, Kind::PREDICATE, Kind::VALUE, Kind::PRODUCT, Kind::BMC, Kind::K_INDUCTION];
        for analysis in kinds {
            let options = Options { analysis, ..Options::default() };
            let findings = verify_all(&program, &Context::default(), &options);
            let mut checks: Vec<_> = findings.violations.iter().map(|v| v.check).collect();
            checks.sort();
            checks.dedup();
            assert_eq!(checks.len(), findings.violations.len(), "each check once, by {analysis:?}");
            assert_eq!(
                (checks.len(), findings.rest.to_string().as_str()),
                (violated, rest),
                "by {analysis:?}"
            );
        }
    }

    #[test]
    fn every_violated_check_is_found_and_the_others_are_proved() {
        check(
            "fn main(): 1->2 x = nondet; 2->error1 [x == 77777]; 2->3 [!(x == 77777)]; 3->error2 [x == 88888];
                        3->4 [!(x == 88888)]; 4->error3 [x == 77777]; 4->exit [!(x == 77777)]",
            2,
            "SAFE",
        );
    }

    #[test]
    fn violations_in_a_loop() {
        check(
            "fn main(): 1->2 x = 0; 2->3 [x < 4]; 3->error1 [x == 3]; 3->5 [!(x == 3)]; 5->error2 [x == 7];
                        5->2 x = x + 1; 2->exit [!(x < 4)]",
            1,
            "SAFE",
        );
        check("fn main(): 1->2 x = 0; 2->error [x == 1]; 2->exit [!(x == 1)]", 0, "SAFE");
    }
}
