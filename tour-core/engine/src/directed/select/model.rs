//! The model: a decision tree for each analysis. The one in the binary is `model.json`, written by `cargo tour train`.

use super::grow::{Parameters, Sample};
use super::history::{Record, Trial, trials};
use super::prune::{Pruning, learn};
use super::tree::Tree;
use crate::directed::Metric;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::LazyLock;
use tour_ir::cfa::Features;

/// The version of the file's format.
pub const MODEL_VERSION: u32 = 1;

/// Decision trees by the name of the analysis.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Model {
    /// [`MODEL_VERSION`].
    pub version: u32,
    /// The trees.
    pub trees: BTreeMap<String, Tree>,
}

static SHIPPED: LazyLock<Model> =
    LazyLock::new(|| Model::parse(include_str!("model.json")).unwrap_or_default());

impl Default for Model {
    fn default() -> Model {
        Model { version: MODEL_VERSION, trees: BTreeMap::new() }
    }
}

impl Model {
    /// The model in the binary.
    pub fn shipped() -> &'static Model {
        &SHIPPED
    }

    /// Reads a model.
    pub fn parse(text: &str) -> Result<Model, String> {
        let model: Model = serde_json::from_str(text).map_err(|e| e.to_string())?;
        if model.version != MODEL_VERSION {
            return Err(format!("version {} of the format; this tour reads {MODEL_VERSION}", model.version));
        }
        Ok(model)
    }

    /// The text of the model's file.
    pub fn text(&self) -> String {
        serde_json::to_string_pretty(self).unwrap_or_default() + "\n"
    }

    /// The metric for a program in an analysis. Without a tree for the analysis, that which `[TOUR]` found best: `lf`
    /// for block-abstraction memoization, `bb` for the others.
    pub fn select(&self, analysis: &str, features: &Features) -> Metric {
        match self.trees.get(analysis) {
            Some(tree) => tree.select(features),
            None if analysis == "bam" => Metric::Lf,
            None => Metric::Bb,
        }
    }
}

/// What was learned for one analysis.
#[derive(Clone, PartialEq, Debug)]
pub struct Lesson {
    /// The analysis.
    pub analysis: String,
    /// Programs that were run with all metrics.
    pub trials: usize,
    /// Programs that are left after the filter.
    pub used: usize,
    /// The tree.
    pub tree: Tree,
    /// How it was pruned.
    pub pruning: Pruning,
}

/// Trains a model on a history. Programs for which the metric makes a smaller difference than `threshold` seconds are
/// left out; analyses without a program get no tree.
pub fn train(records: &[Record], threshold: f64, parameters: &Parameters) -> (Model, Vec<Lesson>) {
    let mut analyses: Vec<&str> = records.iter().map(|r| r.analysis.as_str()).collect();
    analyses.sort_unstable();
    analyses.dedup();
    let mut model = Model::default();
    let mut lessons = Vec::new();
    for analysis in analyses {
        let trials = trials(records, analysis);
        let sample = |trial: &Trial| Some(Sample { features: trial.features, best: trial.best()? });
        let samples: Vec<Sample> =
            trials.iter().filter(|trial| trial.counts(threshold)).filter_map(sample).collect();
        if samples.is_empty() {
            continue;
        }
        let (tree, pruning) = learn(&samples, parameters);
        model.trees.insert(analysis.to_owned(), tree.clone());
        let analysis = analysis.to_owned();
        lessons.push(Lesson { analysis, trials: trials.len(), used: samples.len(), tree, pruning });
    }
    (model, lessons)
}
