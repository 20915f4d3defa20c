//! Explicit-state search ([`crate::explicit`]) as an analysis.

use super::{Analysis, Options};
use crate::cegar::{Cegar, Ending, Graph, Ranking, certificate};
use crate::confirm;
use crate::context::{BlockEncoding, Context, Engine};
use crate::directed::{Directed, Learned};
use crate::explicit::Explicit;
use tour_evidence::evidence::Certificate;
use tour_evidence::verdict::{Proof, Verdict};
use tour_ir::prepared::Prepared;

/// The analysis.
#[derive(Clone, Debug, Default)]
pub struct ExplicitState(pub Options);

impl Analysis for ExplicitState {
    fn name(&self) -> &'static str {
        "explicit-state"
    }

    fn run(&self, program: &Prepared, context: &Context) -> Verdict {
        let (name, options, stats) = (self.name(), &self.0, &context.stats);
        // Its steps are edges, whatever blocks other analyses have.
        let mut engine = match Engine::new(program, context, BlockEncoding::Sbe) {
            Ok(engine) => engine,
            Err(reason) => return Verdict::Unknown(reason),
        };
        let distances = options.distances(program, "lazy", stats);
        let directed = distances.map(|of| Directed::new(of, Learned::new(options.learn_distance)));
        let graph = Graph::new(options.waitlist(), Ranking::new(program, directed));
        let mut cegar = Cegar::new(Explicit::new(&mut engine, graph));
        let verdict = loop {
            match cegar.run() {
                Ending::Unknown(reason) => break Verdict::Unknown(reason),
                Ending::Long => {}
                Ending::Violation((check, walk)) => match confirm::ends(program, context, name, check, &walk)
                {
                    None => cegar.system.close(check),
                    Some(verdict) => break verdict,
                },
                Ending::Complete => {
                    let Explicit { engine, graph, .. } = &cegar.system;
                    let states = certificate::states(engine, &graph.arg);
                    let certificate = Certificate::States(Box::new(states));
                    break Verdict::Proved(Proof { analysis: name, certificate });
                }
            }
        };
        stats.set("art-size", cegar.system.graph.arg.len());
        stats.set("edges-taken", cegar.system.edges);
        stats.set("refinements", cegar.counts.refinements);
        stats.set("tracked-variables", cegar.system.tracked());
        engine.smt.stats().publish(stats);
        stats.set("solver-steps", engine.smt.spent());
        stats.set("steps", engine.spent());
        verdict
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cegar::Order;
    use tour_evidence::evidence::check_certificate;
    use tour_ir::cfa::testing::prepared;
    use tour_ir::choice::Choice;
    use tour_ir::stats::Value;

    /// The verdict in every order, with certificates checked, and a statistic in the first of them.
    #[track_caller]
    fn check(text: &str, expect: &str, (name, count): (&str, u64)) {
        let program = prepared(text);
        for (i, (search, order, _)) in Order::all().into_iter().enumerate() {
            let context = Context::default();
            let verdict = ExplicitState(Options { search, ..Options::default() }).run(&program, &context);
            assert_eq!(verdict.to_string(), expect, "{order}");
            if let Verdict::Proved(proof) = &verdict {
                check_certificate(&program, &proof.certificate, &context.interrupt).unwrap();
            }
            let rows = context.stats.rows();
            let found = rows.iter().find(|row| row.0 == name).map(|row| row.1.clone());
            if i == 0 {
                assert!(
                    matches!(found, Some(Value::Count(n)) if n == count) || found.is_none() && count == 0,
                    "{name}: {found:?}"
                );
            }
        }
    }

    #[test]
    fn a_loop_is_followed_to_its_end() {
        check(
            "fn main(): 1->2 x = 0; 2->3 [x < 10]; 3->2 x = x + 1; 2->4 [!(x < 10)];
                        4->error [!(x == 10)]; 4->exit [x == 10]",
            "SAFE",
            ("tracked-variables", 1),
        );
    }

    #[test]
    fn a_choice_is_cheaper_than_a_counter() {
        // The path that leaves the loop at once contradicts `x < 1000`, too.
        check(
            "fn main(): 1->2 ok = 1; 2->3 x = 0; 3->4 [x < 1000]; 4->3 x = x + 1; 3->5 [!(x < 1000)];
                        5->error [!(ok == 1)]; 5->exit [ok == 1]",
            "SAFE",
            ("refinements", 1),
        );
    }

    #[test]
    fn a_condition_teaches_the_value_of_an_input() {
        check(
            "fn main(): 1->2 x = nondet; 2->3 [x == 4]; 2->exit [!(x == 4)]; 3->4 y = x + 1;
                        4->error [!(y == 5)]; 4->exit [y == 5]",
            "SAFE",
            ("feasibility-queries", 0),
        );
        check(
            "fn main(): 1->2 x = nondet; 2->3 [x == 4]; 2->exit [!(x == 4)]; 3->error [x > 3]; 3->exit [!(x > 3)]",
            "UNSAFE",
            ("feasibility-queries", 1),
        );
    }

    #[test]
    fn calls_have_frames_of_their_own() {
        check(
            "fn main(): 1->2 x = f(3); 2->3 y = f(x); 3->error [!(y == 5)]; 3->exit [y == 5]
             fn f(n): 1->exit return n + 1",
            "SAFE",
            ("feasibility-queries", 0),
        );
    }

    #[test]
    fn a_certificate_that_lacks_a_state_does_not_hold() {
        let program = prepared(
            "fn main(): 1->2 x = 0; 2->3 [x < 3]; 3->2 x = x + 1; 2->4 [!(x < 3)];
                        4->error [!(x == 3)]; 4->exit [x == 3]",
        );
        let context = Context::default();
        let verdict = ExplicitState::default().run(&program, &context);
        let Verdict::Proved(Proof { certificate: Certificate::States(states), .. }) = verdict else {
            panic!("{verdict}")
        };
        let holds = |states: &tour_evidence::evidence::ExplicitStates| {
            let certificate = Certificate::States(Box::new(states.clone()));
            check_certificate(&program, &certificate, &context.interrupt).is_ok()
        };
        assert!(holds(&states));
        let mut dropped = 0;
        for (point, of) in &states.at {
            for (i, state) in of.iter().enumerate() {
                let mut fewer = states.clone();
                fewer.at.get_mut(point).unwrap().remove(i);
                assert!(!holds(&fewer), "without state {i} at {point:?}");
                dropped += 1;
                // What nothing is known of any more leads to the error.
                if !state.is_empty() {
                    let mut vaguer = states.clone();
                    vaguer.at.get_mut(point).unwrap()[i].clear();
                    assert!(!holds(&vaguer), "state {i} at {point:?} without values");
                }
            }
        }
        assert!(dropped >= 8, "{dropped}");
    }
}
