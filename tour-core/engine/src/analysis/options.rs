//! What a user can choose about an analysis.

use super::Kind;
use crate::bam::Partition;
use crate::cegar::{Order, Waitlist};
use crate::context::BlockEncoding;
use crate::directed::select::Model;
use crate::directed::{Distances, Focus, Metric, MetricChoice};
use crate::domain::Sharing;
use crate::domain::predicate::Abstraction;
use crate::refine::Strategy;
use std::sync::Arc;
use std::time::Instant;
use tour_ir::prepared::Prepared;
use tour_ir::stats::Statistics;
use tour_model::threads::{Coi, Por};

/// The choices. The default is the best that is known.
#[derive(Clone, Debug)]
pub struct Options {
    /// The analysis.
    pub analysis: Kind,
    /// The blocks of block-abstraction memoization.
    pub partition: Partition,
    /// Use results of blocks again (block-abstraction memoization).
    pub cache: bool,
    /// Blocks.
    pub block: BlockEncoding,
    /// The kind of predicate abstraction.
    pub abstraction: Abstraction,
    /// Who shares predicates.
    pub sharing: Sharing,
    /// Which state is looked at next.
    pub search: Order,
    /// The seed of pseudo-random numbers, for [`Order::RANDOM`].
    pub seed: u64,
    /// How distances are measured, for [`Order::TOUR`].
    pub metric: MetricChoice,
    /// What selects the metric; `None`: the model in the binary.
    pub metric_model: Option<Arc<Model>>,
    /// Which errors [`Order::TOUR`] goes to; empty: all.
    pub focus: Vec<Focus>,
    /// Distances of [`Order::TOUR`] grow where paths turn out to be infeasible.
    pub learn_distance: bool,
    /// Refinement strategies for predicates, in the order in which they are tried.
    pub refinement: Vec<Strategy>,
    /// Look for invariants by templates before lazy abstraction begins.
    pub invariants: bool,
    /// How many rounds of a loop bounded model checking goes, and how many blocks k-induction.
    pub max_depth: usize,
    /// Check the certificates of proofs.
    pub certify: bool,
    /// Leave out what the checks do not depend on.
    pub slice: bool,
    /// Which interleavings of threads are left out.
    pub por: Por,
    /// Which statements of threads are simplified.
    pub coi: Coi,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            analysis: Kind::default(),
            partition: Partition::default(),
            cache: true,
            block: BlockEncoding::default(),
            abstraction: Abstraction::default(),
            sharing: Sharing::default(),
            search: Order::RPO,
            seed: 1,
            metric: MetricChoice::default(),
            metric_model: None,
            focus: Vec::new(),
            learn_distance: false,
            refinement: Strategy::PORTFOLIO.to_vec(),
            invariants: false,
            max_depth: usize::MAX,
            certify: true,
            slice: true,
            por: Por::default(),
            coi: Coi::default(),
        }
    }
}

impl Options {
    /// An empty waitlist.
    pub fn waitlist(&self) -> Waitlist {
        Waitlist::new(self.search, self.seed)
    }

    /// The distances of a directed search in a technique, if it is to be directed.
    pub fn distances(&self, program: &Prepared, technique: &str, stats: &Statistics) -> Option<Distances> {
        let start = Instant::now();
        let metric = self.directed_by(program, technique, stats)?;
        let distances = Distances::of(program, metric, &self.focus);
        stats.set("distance-time", start.elapsed());
        Some(distances)
    }

    /// The metric of a directed search in a technique (see [`Kind::technique`]), if it is to be directed.
    pub fn directed_by(&self, program: &Prepared, technique: &str, stats: &Statistics) -> Option<Metric> {
        let model = self.metric_model.as_deref().unwrap_or(Model::shipped());
        let metric = self.search.is_directed().then(|| self.metric.of(program, technique, model))?;
        stats.set("metric", metric.name());
        Some(metric)
    }
}
