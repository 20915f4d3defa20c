//! Predicate analysis: lazy predicate abstraction with large blocks.

use super::cegar::{Cegar, Ending};
use super::engine::{BlockEncoding, Engine};
use super::waitlist::Order;
use super::{Analysis, Context};
use crate::domain::Domain;
use crate::domain::predicate::{Abstraction, PredicateDomain, Sharing};
use crate::evidence::{self, Invariants};
use crate::program::Program;
use crate::refine::{Constants, Interpolation, Mining};
use crate::smt::{QueryLimits, Smt};
use crate::verdict::{Certificate, Proof, Verdict};

/// Predicate analysis.
#[derive(Clone, Debug, Default)]
pub struct Predicate {
    /// Blocks.
    pub encoding: BlockEncoding,
    /// Abstraction.
    pub abstraction: Abstraction,
    /// Who shares predicates.
    pub sharing: Sharing,
}

impl Analysis for Predicate {
    fn name(&self) -> &'static str {
        "predicate"
    }

    fn run(&self, program: &Program, context: &Context) -> Verdict {
        let mut engine = Engine::new(program, context, self.encoding);
        let limits = QueryLimits { steps: Some(5_000_000) };
        let mut domain = PredicateDomain::new(
            self.abstraction,
            self.sharing,
            vec![Box::new(Interpolation { limits }), Box::new(Constants), Box::new(Mining)],
        );
        let (ending, counts) = Cegar::new(&mut engine, &mut domain, Order::ReversePostOrder).run();
        let stats = &context.stats;
        stats.set("art-size", counts.nodes);
        stats.set("refinements", counts.refinements);
        stats.set("predicates", domain.predicates());
        let (max, average) = domain.precision().local_statistics();
        stats.set("predicates-average", average);
        stats.set("predicates-max", max);
        stats.set("abstractions", domain.counts.abstractions);
        engine.smt.stats().publish(stats);
        match ending {
            Ending::Unknown(reason) => Verdict::Unknown(reason),
            Ending::Error(check, walk) => evidence::confirm(program, self.name(), check, &walk),
            Ending::Complete(arg) => {
                let invariants =
                    Invariants::collect(&mut engine, arg.nodes().map(|(_, n)| (n.at, &n.state)), |t, s| {
                        domain.formula(t, s)
                    });
                Verdict::Proved(Proof {
                    analysis: self.name(),
                    certificate: Certificate::Invariants(Box::new(invariants)),
                })
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cfa::testing::sample;
    use crate::evidence;

    const ENCODINGS: [BlockEncoding; 3] = [BlockEncoding::Sbe, BlockEncoding::Lbe, BlockEncoding::Abe];

    #[track_caller]
    fn check(text: &str, expect: &str) {
        let program = sample(text).program;
        for encoding in ENCODINGS {
            let context = Context::default();
            let verdict = Predicate { encoding, ..Predicate::default() }.run(&program, &context);
            assert_eq!(verdict.to_string(), expect, "{encoding:?} of {text}");
            if let Verdict::Proved(Proof { certificate: Certificate::Invariants(invariants), .. }) = &verdict
            {
                evidence::check(&program, invariants, &context.interrupt).unwrap();
            }
        }
    }

    #[test]
    fn a_loop_with_an_invariant() {
        check(
            "fn main(): 1->2 x = 0; 2->3 [x < 10]; 3->2 x = x + 1; 2->4 [!(x < 10)];
                        4->error [!(x == 10)]; 4->exit [x == 10]",
            "SAFE",
        );
    }

    #[test]
    fn an_input_that_leads_to_the_error() {
        check(
            "fn main(): 1->2 x = nondet; 2->3 [x > 41]; 2->exit [!(x > 41)]; 3->error [x < 43]; 3->exit [!(x < 43)]",
            "UNSAFE",
        );
    }

    #[test]
    fn calls_pass_arguments_and_results() {
        check(
            "fn main(): 1->2 x = f(3); 2->3 y = f(x); 3->error [!(y == 5)]; 3->exit [y == 5]
             fn f(n): 1->exit return n + 1",
            "SAFE",
        );
    }
}
