//! Bounded model checking: all runs in which no loop makes more rounds than a bound, then a larger bound.
//!
//! It finds violations that are not too deep. If at some bound no run is left that would go on, it is a proof.

use super::Analysis;
use super::options::Options;
use super::unwind::{Failing, Questions, Unwinding};
use crate::confirm;
use crate::context::{Context, Engine};
use tour_evidence::evidence::Certificate;
use tour_evidence::verdict::{Proof, UnknownReason, Verdict};
use tour_ir::cfa::Turns;
use tour_ir::prepared::Prepared;
use tour_model::block::Target;

/// Bounded model checking.
#[derive(Clone, Debug, Default)]
pub struct Bmc {
    /// The options.
    pub options: Options,
    /// If it has taken this number of steps of the solver and there are longer runs, it ends. `None`: it goes on and on.
    pub patience: Option<u64>,
}

impl Analysis for Bmc {
    fn name(&self) -> &'static str {
        "bmc"
    }

    fn run(&self, program: &Prepared, context: &Context) -> Verdict {
        let mut engine = match Engine::new(program, context, self.options.block) {
            Ok(engine) => engine,
            Err(reason) => return Verdict::Unknown(reason),
        };
        let verdict = bounded(&mut engine, self.name(), self.options.max_depth, self.patience, context);
        engine.smt.stats().publish(&context.stats);
        context.stats.set("solver-steps", engine.smt.spent());
        verdict.unwrap_or_else(Verdict::Unknown)
    }
}

/// Looks at longer and longer runs, up to a number of rounds of a loop.
pub(super) fn bounded(
    engine: &mut Engine,
    name: &'static str,
    max_rounds: usize,
    patience: Option<u64>,
    context: &Context,
) -> Result<Verdict, UnknownReason> {
    let turns = engine.program().fact::<Turns>();
    let mut questions = Questions::new(engine);
    let limits = context.heuristics.bmc;
    let mut rounds = limits.first_rounds.min(max_rounds);
    loop {
        context.stats.set("unwinding", rounds);
        if let Some(verdict) = unwind(engine, name, rounds, patience, &turns, &mut questions, context)? {
            return Ok(verdict);
        }
        if rounds >= max_rounds || is_enough(engine, patience) {
            return Err(UnknownReason::Inconclusive);
        }
        rounds = rounds.saturating_mul(limits.rounds_growth).min(max_rounds);
    }
}

/// It has spent what it may spend on runs that turn out to be long.
fn is_enough(engine: &Engine, patience: Option<u64>) -> bool {
    patience.is_some_and(|steps| engine.spent() > steps)
}

/// Looks at all runs with a number of rounds of a loop. `None` if there are longer ones.
fn unwind(
    engine: &mut Engine,
    name: &'static str,
    rounds: usize,
    patience: Option<u64>,
    turns: &Turns,
    questions: &mut Questions,
    context: &Context,
) -> Result<Option<Verdict>, UnknownReason> {
    let Some(start) = engine.blocks.unfolding.start() else { return Err(UnknownReason::NothingToVerify) };
    let mut unwinding = Unwinding::new(engine, turns, start, rounds);
    let mut stuck: Option<UnknownReason> = None;
    let mut goes_on = true;
    while goes_on {
        engine.check_interrupt()?;
        goes_on = unwinding.advance(engine, questions)?;
        if unwinding.cut && is_enough(engine, patience) {
            return Err(UnknownReason::Inconclusive);
        }
        if goes_on && !unwinding.is_time_to_ask() {
            continue;
        }
        // After something that is not modelled, only violations count.
        let is_done = |engine: &Engine, to: Target| match to {
            Target::Error(_) => !engine.blocks.counts(to),
            Target::Unsupported(_) | Target::Node(_) => stuck.is_some(),
        };
        while let Some(failing) = unwinding.failing(engine, questions, is_done)? {
            match failing {
                Failing::Error(check, walk) => {
                    match confirm::ends(engine.program(), context, name, check, &walk) {
                        None => engine.blocks.close(check),
                        ending => return Ok(ending),
                    }
                }
                Failing::Unsupported(edge) => {
                    stuck = Some(engine.unsupported(edge));
                    break;
                }
            }
        }
    }
    context.stats.set("depth", unwinding.depth());
    match (stuck, unwinding.cut) {
        (Some(reason), _) => Err(reason),
        (None, true) => Ok(None),
        (None, false) => {
            let certificate = Certificate::Unrolled { depth: unwinding.depth() };
            Ok(Some(Verdict::Proved(Proof { analysis: name, certificate })))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::Kind;
    use crate::analysis::verify_with;
    use tour_ir::cfa::testing::prepared;

    fn check(text: &str, max_depth: usize, expected: &str) {
        let options = Options { analysis: Kind::BMC, max_depth, ..Options::default() };
        let verdict = verify_with(&prepared(text), &Context::default(), &options);
        assert_eq!(verdict.to_string(), expected, "{text}");
    }

    #[test]
    fn loops_that_end() {
        // A constant number of rounds, one that depends on an input, and one loop in another.
        let constant =
            "fn main(): 1->2 i = 0; 2->3 [i < 100]; 3->2 i = i + 1; 2->4 [!(i < 100)]; 4->error [i > 100];
                                   4->exit [!(i > 100)]";
        check(constant, usize::MAX, "SAFE");
        let input = "fn main(): 1->2 n = nondet; 2->3 [n < 6]; 2->exit [!(n < 6)]; 3->4 i = 0; 4->5 [i < n];
                                5->4 i = i + 1; 4->6 [!(i < n)]; 6->error [i > 5]; 6->exit [!(i > 5)]";
        check(input, usize::MAX, "SAFE");
        check(input, 2, "UNKNOWN (no analysis could decide)");
        let nested = "fn main(): 1->2 n = nondet; 2->3 [n < 4]; 2->exit [!(n < 4)]; 3->4 i = 0; 4->5 s = 0; 5->6 [i < n];
                                 6->7 j = 0; 7->8 [j < i]; 8->9 s = s + 1; 9->7 j = j + 1; 7->10 [!(j < i)];
                                 10->5 i = i + 1; 5->11 [!(i < n)]; 11->error [s > 3]; 11->exit [!(s > 3)]";
        check(nested, usize::MAX, "SAFE");
    }

    #[test]
    fn violations_in_a_late_round() {
        let counted = "fn main(): 1->2 n = nondet; 2->3 i = 0; 3->4 [i < n]; 4->3 i = i + 1; 3->5 [!(i < n)];
                                  5->error [i == 11]; 5->exit [!(i == 11)]";
        check(counted, usize::MAX, "UNSAFE");
        let stored = "global a[20]
                      fn main(): 1->2 n = nondet; 2->3 [n < 9]; 2->exit [!(n < 9)]; 3->4 [n > 3]; 3->exit [!(n > 3)];
                                 4->5 a[n] = 5; 5->error [a[7] == 5]; 5->exit [!(a[7] == 5)]";
        check(stored, usize::MAX, "UNSAFE");
    }
}
