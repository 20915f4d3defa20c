//! Block-abstraction memoization as an analysis: see [`crate::bam`].

use super::domains::InDomain;
use super::{Analysis, Options};
use crate::bam::{Bam as NestedBlocks, Reducer, Tour, loop_ends};
use crate::cegar::{Cegar, Ending};
use crate::confirm;
use crate::context::{Context, Engine};
use crate::directed::Learned;
use crate::domain::Sharing;
use crate::domain::predicate::PredicateDomain;
use crate::domain::value::Tracking;
use crate::heuristics::Heuristics;
use crate::refine::{CallSummaries, Refiner};
use tour_evidence::evidence::Certificate;
use tour_evidence::verdict::{Proof, Verdict};
use tour_ir::prepared::Prepared;
use tour_logic::smt::QueryLimits;

/// Block-abstraction memoization.
#[derive(Clone, Debug, Default)]
pub struct Bam(pub Options);

impl Analysis for Bam {
    fn name(&self) -> &'static str {
        "bam"
    }

    fn run(&self, program: &Prepared, context: &Context) -> Verdict {
        self.0.analysis.domain.unwrap_or_default().run(self, program, context)
    }
}

impl InDomain for Bam {
    fn predicates(&self, heuristics: &Heuristics) -> PredicateDomain {
        let options = &self.0;
        // A function's states can't speak of other functions' variables, so that nothing is shared by all.
        let sharing = match options.sharing {
            Sharing::Location => Sharing::Location,
            Sharing::Function | Sharing::Global => Sharing::Function,
        };
        let mut refiners: Vec<Box<dyn Refiner>> =
            options.refinement.iter().map(|strategy| strategy.refiner(&heuristics.refinement)).collect();
        // Conditions of the program first, if they are tried at all.
        let limits = QueryLimits { steps: Some(heuristics.bam.max_summary_steps) };
        refiners.insert(refiners.len().min(1), Box::new(CallSummaries { limits }));
        PredicateDomain::new(options.abstraction, sharing, refiners, heuristics.abstraction)
    }

    fn values(&self, heuristics: &Heuristics) -> Tracking {
        // A recursive function has its values at few locations.
        Tracking::with_max_seen(heuristics.abstraction, heuristics.bam.max_values_of_variable)
    }

    fn all_values(&self, heuristics: &Heuristics) -> Tracking {
        self.values(heuristics)
    }

    fn values_beside_predicates(&self, heuristics: &Heuristics) -> Tracking {
        self.values(heuristics)
    }

    fn run_in<D: Reducer>(&self, program: &Prepared, context: &Context, mut domain: D) -> Verdict {
        let ends = loop_ends(program, self.0.partition);
        let mut engine = Engine::within_functions(program, context, self.0.block, ends);
        let tour = (self.0.distances(program, "bam", &context.stats))
            .map(|distances| Tour::new(distances, Learned::new(self.0.learn_distance)));
        let blocks = NestedBlocks::new(
            &mut engine,
            &mut domain,
            self.0.waitlist(),
            tour,
            self.0.partition,
            self.0.cache,
        );
        let mut cegar = Cegar::new(blocks);
        let verdict = loop {
            match cegar.run() {
                Ending::Unknown(reason) => break Verdict::Unknown(reason),
                Ending::Long => {}
                Ending::Violation((check, walk)) => {
                    match confirm::ends(program, context, self.name(), check, &walk) {
                        None => cegar.system.close(check),
                        Some(verdict) => break verdict,
                    }
                }
                Ending::Complete => {
                    let certificate = Certificate::Summaries(Box::new(cegar.system.summaries()));
                    break Verdict::Proved(Proof { analysis: self.name(), certificate });
                }
            }
        };
        context.stats.set("refinements", cegar.counts.refinements);
        context.stats.set("states-expanded", cegar.counts.expanded);
        cegar.system.publish(&context.stats);
        verdict
    }
}

#[cfg(test)]
mod tests;
