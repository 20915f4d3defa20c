//! Block-abstraction memoization (Wonisch and Wehrheim 2012), with recursion (Beyer and Friedberger 2018).
//!
//! Each function is a block. Its abstract reachability graph is computed once for each (reduced) state in which it is
//! entered, and used again wherever it is called in that state: see `search` for the algorithm. A proof is a set of
//! summaries, which [`crate::evidence`] checks function by function.
//!
//! | file | what |
//! |---|---|
//! | `search` | the algorithm |
//! | `level` | a block in one state |
//! | `agenda` | which level is worked on |
//! | `cache` | levels by block, reduced state, reduced precision |
//! | `nested` | into a nested block, and back for all who use it |
//! | `tour` | distances to errors under call contexts |
//! | `effects` | what functions read and write |
//! | `reducer` | reduction of states, by domain |
//! | `call` | the formulas of a call, and of the way back |
//! | `tell` | what an observer is told |
//! | `counterexample` | flattened counterexamples |
//! | `refinement` | new precision, and what has to be computed again |

mod agenda;
mod cache;
mod call;
mod counterexample;
mod effects;
mod level;
mod nested;
mod reducer;
mod refinement;
mod search;
mod tell;
mod tour;

pub use reducer::Reducer;

use crate::analysis::{Analysis, Context, Engine, Options};
use crate::cfa::CallGraph;
use crate::directed::Learned;
use crate::domain::Sharing;
use crate::domain::predicate::PredicateDomain;
use crate::domain::product::ProductDomain;
use crate::domain::value::{Tracking, ValueDomain};
use crate::evidence::{self, Contract, Summaries};
use crate::program::{Program, VarId};
use crate::refine::{CallSummaries, Refiner};
use crate::smt::{QueryLimits, Smt};
use crate::term::TermId;
use crate::verdict::{Certificate, Proof, UnknownReason, Verdict};
use std::collections::BTreeMap;

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
        if let Some(var) = shared_local(program) {
            return Verdict::Unknown(UnknownReason::Unsupported {
                kind: "recursion".into(),
                message: "a recursive function with a local variable whose address is taken".into(),
                span: program.vars[var].span,
            });
        }
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

/// A local variable of a recursive function whose address is taken: frames can reach each other's variables, which
/// summaries do not tell apart well enough yet.
pub fn shared_local(program: &Program) -> Option<VarId> {
    let calls = CallGraph::of(program);
    let is_shared = |var: &VarId| {
        let of = &program.vars[*var];
        of.address_taken && of.function().is_some_and(|f| calls.is_recursive(f) && calls.is_reachable(f))
    };
    program.vars.indices().find(is_shared)
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
        let mut engine = Engine::within_functions(program, context, self.0.block);
        let tour = (self.0.distances(program, "bam", &context.stats))
            .map(|distances| tour::Tour::new(distances, Learned::new(self.0.learn_distance)));
        let mut bam = search::Bam::new(&mut engine, &mut domain, self.0.search, tour, self.0.cache);
        let verdict = loop {
            match bam.explore() {
                Err(reason) => break Verdict::Unknown(reason),
                Ok(Some((check, walk))) => match evidence::confirm(program, self.name(), check, &walk) {
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
        stats.set("max-depth", counts.depth);
        stats.set("fixpoint-iterations", counts.iterations);
        stats.set("refinements", counts.refinements);
        let live = self.live_levels();
        stats.set("art-size", live.iter().map(|l| self.levels[*l].arg.len()).sum::<usize>());
        self.engine.smt.stats().publish(stats);
        stats.set("solver-steps", self.engine.smt.spent());
    }

    /// What was found out about each function, as a proof.
    fn summaries(&mut self) -> Summaries {
        let mut contracts = Vec::new();
        for level in self.live_levels() {
            let function = self.levels[level].function;
            let nodes: Vec<_> =
                self.levels[level].arg.nodes().map(|(id, n)| (id, n.at, n.state.clone())).collect();
            let mut at: BTreeMap<_, Vec<TermId>> = BTreeMap::new();
            for (id, target, state) in nodes {
                if self.levels[level].calls.contains_key(&id) {
                    continue;
                }
                let Some(site) = self.engine.site(target) else { continue };
                at.entry(site.loc).or_default().push(self.domain.formula(&mut self.engine.terms, &state));
            }
            let entry = self.levels[level].entry().clone();
            let entry = self.domain.formula(&mut self.engine.terms, &entry);
            let at = at.into_iter().map(|(loc, states)| (loc, self.engine.terms.or(&states))).collect();
            contracts.push(Contract { function, main: level.index() == 0, entry, at });
        }
        Summaries::new(self.engine, contracts)
    }
}

#[cfg(test)]
mod tests;
