//! What a user can choose about an analysis.

use crate::bam::Partition;
use crate::cegar::Order;
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

/// Which analysis.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Kind {
    /// All of them, one after the other and side by side.
    #[default]
    Auto,
    /// Lazy predicate abstraction.
    Predicate,
    /// Explicit values of the variables that matter.
    Value,
    /// Explicit values of all variables; with one thread, the same as [`Kind::Value`].
    Explicit,
    /// Explicit values and predicates.
    Product,
    /// Bounded model checking.
    Bmc,
    /// k-induction.
    KInduction,
    /// Block-abstraction memoization.
    Bam,
}

impl Kind {
    /// What the metrics of a directed search are selected for: lazy abstraction and block-abstraction memoization suit
    /// different ones.
    pub fn technique(self) -> &'static str {
        match self {
            Kind::Auto | Kind::Predicate | Kind::Value | Kind::Explicit | Kind::Product => "lazy",
            Kind::Bam => "bam",
            Kind::Bmc | Kind::KInduction => "none",
        }
    }
}

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

/// The choices. The default is the best that is known.
#[derive(Clone, Debug)]
pub struct Options {
    /// The analysis.
    pub analysis: Kind,
    /// The abstract domain of block-abstraction memoization.
    pub domain: DomainKind,
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
    /// How distances are measured, for [`Order::Tour`].
    pub metric: MetricChoice,
    /// What selects the metric; `None`: the model in the binary.
    pub metric_model: Option<Arc<Model>>,
    /// Which errors [`Order::Tour`] goes to; empty: all.
    pub focus: Vec<Focus>,
    /// Distances of [`Order::Tour`] grow where paths turn out to be infeasible.
    pub learn_distance: bool,
    /// Refinement strategies for predicates, in the order in which they are tried.
    pub refinement: Vec<Strategy>,
    /// Look for invariants by templates before lazy abstraction begins.
    pub invariants: bool,
    /// How many rounds of a loop bounded model checking goes, and how many blocks k-induction.
    pub max_depth: usize,
    /// Check the certificates of proofs.
    pub certify: bool,
    /// Which interleavings of threads are left out.
    pub por: Por,
    /// Which statements of threads are simplified.
    pub coi: Coi,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            analysis: Kind::default(),
            domain: DomainKind::default(),
            partition: Partition::default(),
            cache: true,
            block: BlockEncoding::default(),
            abstraction: Abstraction::default(),
            sharing: Sharing::default(),
            search: Order::ReversePostOrder,
            metric: MetricChoice::default(),
            metric_model: None,
            focus: Vec::new(),
            learn_distance: false,
            refinement: Strategy::PORTFOLIO.to_vec(),
            invariants: false,
            max_depth: usize::MAX,
            certify: true,
            por: Por::default(),
            coi: Coi::default(),
        }
    }
}

impl Options {
    /// The distances of a directed search in a technique, if it is to be directed.
    pub fn distances(&self, program: &Prepared, technique: &str, stats: &Statistics) -> Option<Distances> {
        if self.search != Order::Tour {
            return None;
        }
        let start = Instant::now();
        let metric = self.metric(program, technique);
        let distances = Distances::of(program, metric, &self.focus);
        stats.set("metric", metric.name());
        stats.set("distance-time", start.elapsed());
        Some(distances)
    }

    /// The metric for a program in a technique, see [`Kind::technique`].
    pub fn metric(&self, program: &Prepared, technique: &str) -> Metric {
        let model = self.metric_model.as_deref().unwrap_or(Model::shipped());
        self.metric.of(program, technique, model)
    }
}
