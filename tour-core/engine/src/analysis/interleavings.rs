//! Lazy abstraction of programs with threads, in the domains of explicit values, of predicates, and of both; see
//! [`tour_model::threads`].

use super::domains::InDomain;
use super::{Analysis, DomainKind, Options};
use crate::bam::Reducer;
use crate::cegar::{Cegar, Ending};
use crate::confirm::confirm_schedule;
use crate::context::{Context, Engine};
use crate::domain::predicate::{Abstraction, PredicateDomain};
use crate::domain::value::Tracking;
use crate::domain::{Domain, Sharing};
use crate::explore::{Broken, Distances, Explorer, Reductions};
use crate::heuristics::Heuristics;
use tour_evidence::evidence::Certificate;
use tour_evidence::verdict::{Proof, Step, UnknownReason, Verdict};
use tour_ir::cfa::EdgeId;
use tour_ir::prepared::Prepared;
use tour_ir::program::ThreadId;
use tour_model::threads::Interleaving;
use tour_model::threads::footprint::Footprints;
use tour_model::threads::graph::ThreadGraph;

/// The analysis.
#[derive(Clone, Debug, Default)]
pub struct Interleavings(pub Options);

impl Analysis for Interleavings {
    fn name(&self) -> &'static str {
        self.domain().with_threads()
    }

    fn run(&self, program: &Prepared, context: &Context) -> Verdict {
        self.domain().run(self, program, context)
    }
}

impl InDomain for Interleavings {
    fn predicates(&self, heuristics: &Heuristics) -> PredicateDomain {
        let strategies = self.0.refinement.iter();
        let refiners = strategies.map(|strategy| strategy.refiner(&heuristics.refinement)).collect();
        PredicateDomain::new(Abstraction::Cartesian, Sharing::Global, refiners, heuristics.abstraction)
    }

    fn values(&self, heuristics: &Heuristics) -> Tracking {
        // Nothing else could tell what a variable that is given up would.
        Tracking::global(heuristics.abstraction, usize::MAX, heuristics.exploration.max_values)
    }

    fn all_values(&self, heuristics: &Heuristics) -> Tracking {
        Tracking::everything(heuristics.abstraction, heuristics.exploration.max_values)
    }

    fn values_beside_predicates(&self, heuristics: &Heuristics) -> Tracking {
        let limits = heuristics.abstraction;
        Tracking::global(limits, limits.max_values_of_variable, heuristics.exploration.max_values)
    }

    fn run_in<D: Reducer>(&self, program: &Prepared, context: &Context, mut domain: D) -> Verdict {
        self.explore(program, context, &mut domain)
    }
}

impl Interleavings {
    fn domain(&self) -> DomainKind {
        self.0.analysis.domain.unwrap_or_default()
    }

    fn explore<D: Domain>(&self, program: &Prepared, context: &Context, domain: &mut D) -> Verdict {
        let mut prints = Footprints::prepared(program);
        let graph = ThreadGraph::of(program, &mut prints);
        let mut engine = Engine::for_threads(program, context, graph.visible.clone());
        let Some(threads) = Interleaving::new(&mut engine.blocks, prints, graph) else {
            return Verdict::Unknown(UnknownReason::NothingToVerify);
        };
        let reductions = Reductions { por: self.0.por, coi: self.0.coi };
        let directed = self.0.directed_by(program, "threads", &context.stats);
        let distances = directed.map(|metric| Distances::of(program, &threads.graph, metric, &self.0.focus));
        let explorer = Explorer::new(&mut engine, domain, threads, self.0.waitlist(), distances, reductions);
        let mut cegar = Cegar::new(explorer);
        let mut ending = explored(&mut cegar);
        let counts = cegar.system.counts;
        if matches!(ending, Ending::Complete) && self.0.certify && !reductions.is_certifiable() {
            // Once more, in the precision that was found, leaving out only what a certificate can.
            cegar.system.reductions = reductions.certifiable();
            cegar.system.start();
            ending = explored(&mut cegar);
        }
        let stats = &context.stats;
        stats.set("threads", program.threads.all.len());
        stats.set("tuples", cegar.system.threads.len());
        stats.set("refinements", cegar.counts.refinements);
        stats.set("paths-recomputed", cegar.counts.recomputed);
        stats.set("statements", counts.statements);
        stats.set("simplified-nop", counts.nops);
        stats.set("simplified-havoc", counts.havocs);
        stats.set("successor-time", counts.successors);
        stats.set("reduction-time", counts.reduction);
        let verdict = match ending {
            Ending::Long => Verdict::Unknown(UnknownReason::Inconclusive),
            Ending::Unknown(reason) => Verdict::Unknown(reason),
            Ending::Violation(Broken { check, walk, schedule, poised }) => {
                let mut verdict = confirm_schedule(
                    program,
                    &context.heuristics.confirmation,
                    self.name(),
                    check,
                    &walk,
                    &schedule,
                );
                if let Verdict::Violated(violation) = &mut verdict {
                    let about_to = |(thread, edge): (ThreadId, EdgeId)| Step {
                        edge,
                        thread: thread.index() as u32,
                        depth: 0,
                        value: None,
                    };
                    violation.trace.extend(poised.into_iter().map(about_to));
                }
                verdict
            }
            Ending::Complete => {
                let por = self.0.por;
                let found = cegar.system.invariants(por);
                let certificate = Certificate::Interleavings(Box::new(found));
                Verdict::Proved(Proof { analysis: self.name(), certificate })
            }
        };
        engine.smt.stats().publish(stats);
        stats.set("solver-steps", engine.smt.spent());
        stats.set("steps", engine.spent());
        verdict
    }
}

/// Runs to an end, however long it takes.
fn explored<D: Domain>(cegar: &mut Cegar<Explorer<D>>) -> Ending<Broken> {
    let ending = loop {
        match cegar.run() {
            Ending::Long => {}
            ending => break ending,
        }
    };
    cegar.system.emit_graph();
    ending
}
