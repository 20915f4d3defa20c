//! Explicit-state search ([`crate::explicit`]) as an analysis.

use super::{Analysis, Options};
use crate::cegar::{Cegar, Ending, Ranking, certificate};
use crate::confirm::confirm;
use crate::context::{BlockEncoding, Context, Engine};
use crate::directed::{Directed, Learned};
use crate::explicit::Explicit;
use tour_evidence::verdict::{Certificate, Proof, Verdict};
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
        let mut engine = Engine::new(program, context, BlockEncoding::Sbe);
        let distances = options.distances(program, "lazy", stats);
        let directed = distances.map(|of| Directed::new(of, Learned::new(options.learn_distance)));
        let ranking = Ranking::new(program, directed);
        let mut cegar = Cegar::new(Explicit::new(&mut engine, options.waitlist(), ranking));
        let verdict = loop {
            match cegar.run() {
                Ending::Unknown(reason) => break Verdict::Unknown(reason),
                Ending::Long => {}
                Ending::Violation((check, walk)) => {
                    match confirm(program, &context.heuristics.confirmation, name, check, &walk) {
                        Verdict::Violated(violation) if context.goals.go_on() => {
                            context.goals.found(*violation);
                            cegar.system.close(check);
                        }
                        verdict => break verdict,
                    }
                }
                Ending::Complete => {
                    let Explicit { engine, arg, .. } = &cegar.system;
                    let states = certificate::states(engine, arg);
                    let certificate = Certificate::States(Box::new(states));
                    break Verdict::Proved(Proof { analysis: name, certificate });
                }
            }
        };
        stats.set("art-size", cegar.system.arg.len());
        stats.set("edges-taken", cegar.system.edges);
        stats.set("refinements", cegar.counts.refinements);
        stats.set("tracked-variables", cegar.system.tracked());
        engine.smt.stats().publish(stats);
        stats.set("solver-steps", engine.smt.spent());
        verdict
    }
}
