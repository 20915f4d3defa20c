//! Lazy abstraction `[LAZY]` in an abstract domain: predicates, explicit values, their product.
//!
//! The domains share the algorithm ([`Cegar`]) and differ in what an abstract state is.

use super::domains::InDomain;
use super::{Analysis, DomainKind, Options};
use crate::bam::Reducer;
use crate::cegar::certificate;
use crate::cegar::{Cegar, Ending, Graph, Ranking, Sequential};
use crate::confirm;
use crate::context::{Context, Engine};
use crate::directed::{Directed, Learned};
use crate::domain::Domain;
use crate::domain::predicate::PredicateDomain;
use crate::domain::value::Tracking;
use crate::heuristics::Heuristics;
use crate::invariant::{self, Effort};
use tour_evidence::evidence::Certificate;
use tour_evidence::verdict::{Proof, UnknownReason, Verdict};
use tour_ir::choice::Choice;
use tour_ir::prepared::Prepared;

/// Lazy abstraction.
#[derive(Clone, Debug, Default)]
pub struct Lazy(pub Options);

impl Analysis for Lazy {
    fn name(&self) -> &'static str {
        self.domain().name()
    }

    fn run(&self, program: &Prepared, context: &Context) -> Verdict {
        self.domain().run(self, program, context)
    }
}

impl InDomain for Lazy {
    fn predicates(&self, heuristics: &Heuristics) -> PredicateDomain {
        let options = &self.0;
        let refiners =
            options.refinement.iter().map(|strategy| strategy.refiner(&heuristics.refinement)).collect();
        PredicateDomain::new(options.abstraction, options.sharing, refiners, heuristics.abstraction)
    }

    fn values(&self, heuristics: &Heuristics) -> Tracking {
        Tracking::new(heuristics.abstraction)
    }

    fn all_values(&self, heuristics: &Heuristics) -> Tracking {
        let limits = heuristics.abstraction;
        Tracking::everything(limits, limits.max_values_of_everything)
    }

    fn values_beside_predicates(&self, heuristics: &Heuristics) -> Tracking {
        let limits = heuristics.abstraction;
        Tracking::with_max_seen(limits, limits.max_values_of_variable_in_product)
    }

    fn run_in<D: Reducer>(&self, program: &Prepared, context: &Context, mut domain: D) -> Verdict {
        let verdict = self.explore(program, context, &mut domain);
        domain.publish(&context.stats);
        verdict
    }
}

impl Lazy {
    fn domain(&self) -> DomainKind {
        self.0.analysis.domain.unwrap_or_default()
    }

    /// Runs the algorithm in a domain and makes a verdict of how it ended.
    fn explore<D: Domain>(&self, program: &Prepared, context: &Context, domain: &mut D) -> Verdict {
        let (name, options) = (self.name(), &self.0);
        let mut engine = match Engine::new(program, context, options.block) {
            Ok(engine) => engine,
            Err(reason) => return Verdict::Unknown(reason),
        };
        let distances = options.distances(program, "lazy", &context.stats);
        let directed = distances.map(|of| Directed::new(of, Learned::new(options.learn_distance)));
        // What was done about invariants so far.
        let mut helped = options.invariants.then_some(Effort::Quick);
        if let Some(effort) = helped
            && let Err(reason) = invariants(&mut engine, effort, context)
        {
            return Verdict::Unknown(reason);
        }
        let mut waits = 0;
        let effort = context.heuristics.invariants.effort;
        let graph = Graph::new(options.waitlist(), Ranking::new(program, directed));
        let mut cegar = Cegar::new(Sequential::new(&mut engine, domain, graph));
        let verdict = loop {
            let ending = cegar.run();
            cegar.system.emit_graph();
            match ending {
                Ending::Unknown(reason) => break Verdict::Unknown(reason),
                Ending::Violation((check, walk)) => match confirm::ends(program, context, name, check, &walk)
                {
                    None => cegar.system.close(check),
                    Some(verdict) => break verdict,
                },
                // What has not taken long, though it had to wait, goes on. What diverges without invariants gets them; the
                // precision is kept. What takes long with few refinements does not diverge: it is let go on once, since
                // to start anew costs more.
                Ending::Long if cegar.system.engine.spent() < effort.min_steps => {}
                Ending::Long => {
                    waits += 1;
                    if helped.is_none() && waits == 1 && cegar.counts.refinements < effort.min_refinements {
                        continue;
                    }
                    let effort = match helped {
                        None => Effort::Quick,
                        Some(Effort::Quick) => Effort::Thorough,
                        Some(Effort::Thorough) => continue,
                    };
                    helped = Some(effort);
                    match invariants(cegar.system.engine, effort, context) {
                        Ok(0) => {}
                        Ok(_) => cegar.system.start(),
                        Err(reason) => break Verdict::Unknown(reason),
                    }
                }
                Ending::Complete => {
                    let Sequential { engine, domain, graph, .. } = &mut cegar.system;
                    let states = graph.arg.nodes().map(|(_, n)| (n.at, &n.state));
                    let invariants = certificate::invariants(engine, states, |t, s| domain.formula(t, s));
                    let certificate = Certificate::Invariants(Box::new(invariants));
                    break Verdict::Proved(Proof { analysis: name, certificate });
                }
            }
        };
        let stats = &context.stats;
        stats.set("art-size", cegar.system.graph.arg.len());
        stats.set("states-expanded", cegar.counts.expanded);
        stats.set("coverage-checks", cegar.system.coverage_checks);
        stats.set("refinements", cegar.counts.refinements);
        stats.set("paths-recomputed", cegar.counts.recomputed);
        engine.smt.stats().publish(stats);
        stats.set("solver-steps", engine.smt.spent());
        stats.set("steps", engine.spent());
        verdict
    }
}

fn invariants(engine: &mut Engine, effort: Effort, context: &Context) -> Result<usize, UnknownReason> {
    let Some(nodes) = engine.nodes(context.heuristics.invariants.effort.max_nodes)? else { return Ok(0) };
    let found = invariant::discover(engine, &nodes, effort)?;
    context.stats.set("invariants", found);
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::Kind;
    use crate::context::BlockEncoding;
    use tour_ir::cfa::testing::prepared;

    const ENCODINGS: [BlockEncoding; 3] = [BlockEncoding::Sbe, BlockEncoding::Lbe, BlockEncoding::LOOPS];

    #[track_caller]
    fn check(text: &str, expect: &str) {
        let program = prepared(text);
        for block in ENCODINGS {
            for domain in [DomainKind::Predicate, DomainKind::Value, DomainKind::Product] {
                let options = Options { block, analysis: Kind::lazy(domain), ..Options::default() };
                verify(&program, &Lazy(options), block, expect);
            }
        }
    }

    #[track_caller]
    fn verify(program: &Prepared, analysis: &dyn Analysis, block: BlockEncoding, expect: &str) {
        let context = Context::default();
        let verdict = analysis.run(program, &context);
        assert_eq!(verdict.to_string(), expect, "{} with {block:?}", analysis.name());
        if let Verdict::Proved(Proof { certificate: Certificate::Invariants(invariants), .. }) = &verdict {
            tour_evidence::evidence::check(program, invariants, &context.interrupt).unwrap();
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
