//! Program-specific selection of the metric [TOUR Chapter 4]: a decision tree over the features of a program,
//! learned from runs with each metric.
//!
//! ```text
//! check --record-history: runs ► history ► filter ► grow ► prune ► model, in the binary ► --metric auto
//! ```
//!
//! | file | what |
//! |---|---|
//! | `history` | results of runs, and what they say about programs (Figure 4.3) |
//! | `tree` | decision trees (Figure 4.4) |
//! | `grow` | recursive partitioning by the Gini index |
//! | `prune` | cost-complexity pruning with cross validation |
//! | `model` | the trees by analysis, shipped in the binary |

mod grow;
mod history;
mod model;
mod prune;
#[cfg(test)]
mod tests;
mod tree;

pub use grow::{Parameters, Sample, grow};
pub use history::{Record, Trial, trials};
pub use model::{Lesson, MODEL_VERSION, Model, train};
pub use prune::{Pruning, learn};
pub use tree::{Feature, Leaf, Split, Tree};

use super::metric::Metric;
use tour_ir::cfa::Features;
use tour_ir::choice::Choice;
use tour_ir::program::Program;

/// Which metric is used.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum MetricChoice {
    /// The one that a model selects by the features of the program.
    #[default]
    Auto,
    /// This one.
    Only(Metric),
}

impl Choice for MetricChoice {
    fn all() -> Vec<(MetricChoice, &'static str, &'static str)> {
        let metrics = Metric::ALL.map(|metric| (MetricChoice::Only(metric), metric.name(), metric.help()));
        let auto = (MetricChoice::Auto, "auto", "Chosen by the features of the program");
        std::iter::once(auto).chain(metrics).collect()
    }
}

impl MetricChoice {
    /// The metric for a program in an analysis.
    pub fn of(self, program: &Program, analysis: &str, model: &Model) -> Metric {
        match self {
            MetricChoice::Auto => model.select(analysis, &Features::of(program)),
            MetricChoice::Only(metric) => metric,
        }
    }
}
