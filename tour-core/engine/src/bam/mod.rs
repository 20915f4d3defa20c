//! Block-abstraction memoization (Wonisch and Wehrheim 2012), with recursion (Beyer and Friedberger 2018).
//!
//! Each function is a block, and each loop if that is asked for. Its abstract reachability graph is computed once for each (reduced) state in which it is
//! entered, and used again wherever it is called in that state: see `search` for the algorithm. A proof is a set of
//! summaries, which [`tour_evidence::evidence`] checks function by function.
//!
//! | file | what |
//! |---|---|
//! | `search` | the algorithm |
//! | `unit` | blocks: functions and loops |
//! | `level` | a block in one state |
//! | `agenda` | which level is worked on |
//! | `cache` | levels by block, reduced state, reduced precision |
//! | `alike` | posts that are alike are computed once |
//! | `nested` | into a nested block, and back for all who use it |
//! | `tour` | distances to errors under call contexts |
//! | `effects` | what functions read and write |
//! | `reducer` | reduction of states, by domain |
//! | `call` | the formulas of a call, and of the way back |
//! | `tell` | what an observer is told |
//! | `counterexample` | flattened counterexamples |
//! | `proof` | the summaries that a complete analysis gives |
//! | `refinement` | new precision, and what has to be computed again |

mod agenda;
mod alike;
mod cache;
mod call;
mod counterexample;
mod effects;
mod level;
mod nested;
mod proof;
mod reducer;
mod refinement;
mod search;
mod tell;
mod tour;
mod unit;

pub use reducer::Reducer;
pub use unit::Partition;

use crate::analysis::{Analysis, Context, Engine, Options};
use crate::directed::Learned;
use crate::domain::Sharing;
use crate::domain::predicate::PredicateDomain;
use crate::domain::product::ProductDomain;
use crate::domain::value::{Tracking, ValueDomain};
use crate::refine::{CallSummaries, Refiner};
use tour_evidence::verdict::{Certificate, Proof, Verdict};
use tour_ir::program::Program;
use tour_logic::smt::{QueryLimits, Smt};

/// The domain that an analysis works in.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum DomainKind {
    /// Predicates.
    Predicate,
    /// Explicit values.
    Value,
    /// Both.
    #[default]
    Product,
}

/// Block-abstraction memoization.
#[derive(Clone, Debug, Default)]
pub struct Bam(pub Options);

/// Beyond so many values at a location, a variable is left to predicates: a recursive function has its values at few
/// locations.
const MAX_VALUES: usize = 256;

impl Analysis for Bam {
    fn name(&self) -> &'static str {
        "bam"
    }

    fn run(&self, program: &Program, context: &Context) -> Verdict {
        let tracking = || Tracking::with_max_seen(MAX_VALUES);
        match self.0.domain {
            DomainKind::Predicate => self.explore(program, context, predicates(&self.0)),
            DomainKind::Value => self.explore(program, context, ValueDomain { tracking: tracking() }),
            DomainKind::Product => {
                let product = ProductDomain { tracking: tracking(), predicates: predicates(&self.0) };
                self.explore(program, context, product)
            }
        }
    }
}

fn predicates(options: &Options) -> PredicateDomain {
    // A function's states can't speak of other functions' variables, so that nothing is shared by all.
    let sharing = match options.sharing {
        Sharing::Location => Sharing::Location,
        Sharing::Function | Sharing::Global => Sharing::Function,
    };
    let mut refiners: Vec<Box<dyn Refiner>> =
        options.refinement.iter().map(|strategy| strategy.refiner()).collect();
    // Conditions of the program first, if they are tried at all.
    let summaries = CallSummaries { limits: QueryLimits { steps: Some(2_000_000) } };
    refiners.insert(refiners.len().min(1), Box::new(summaries));
    PredicateDomain::new(options.abstraction, sharing, refiners)
}

impl Bam {
    fn explore<D: Reducer>(&self, program: &Program, context: &Context, mut domain: D) -> Verdict {
        let ends = unit::loop_ends(program, self.0.partition);
        let mut engine = Engine::within_functions(program, context, self.0.block, ends);
        let tour = (self.0.distances(program, "bam", &context.stats))
            .map(|distances| tour::Tour::new(distances, Learned::new(self.0.learn_distance)));
        let mut bam =
            search::Bam::new(&mut engine, &mut domain, self.0.search, tour, self.0.partition, self.0.cache);
        let verdict = loop {
            match bam.explore() {
                Err(reason) => break Verdict::Unknown(reason),
                Ok(Some((check, walk))) => match crate::analysis::confirm(program, self.name(), check, &walk)
                {
                    Verdict::Violated(violation) if context.goals.go_on() => {
                        context.goals.found(*violation);
                        bam.close(check);
                    }
                    verdict => break verdict,
                },
                Ok(None) => match bam.stuck.take() {
                    Some(reason) => break Verdict::Unknown(reason),
                    None => {
                        let certificate = Certificate::Summaries(Box::new(bam.summaries()));
                        break Verdict::Proved(Proof { analysis: self.name(), certificate });
                    }
                },
            }
        };
        bam.publish(context);
        verdict
    }
}

impl<D: Reducer> search::Bam<'_, '_, D> {
    fn publish(&mut self, context: &Context) {
        let stats = &context.stats;
        let counts = self.counts;
        stats.set("cache-hits", counts.hits);
        stats.set("cache-partial-hits", counts.partial_hits);
        stats.set("cache-misses", counts.misses);
        stats.set("blocks-analysed", self.levels.len());
        stats.set("posts-alike", counts.alike);
        stats.set("max-depth", counts.depth);
        stats.set("fixpoint-iterations", counts.iterations);
        stats.set("refinements", counts.refinements);
        let live = self.live_levels();
        stats.set("art-size", live.iter().map(|l| self.levels[*l].arg.len()).sum::<usize>());
        self.engine.smt.stats().publish(stats);
        stats.set("solver-steps", self.engine.smt.spent());
    }
}

#[cfg(test)]
mod tests;
