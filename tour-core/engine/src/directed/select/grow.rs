//! Recursive partitioning (Breiman et al., "Classification and Regression Trees", 1984; the rules of R's rpart).
//!
//! A node with enough programs is split by the question that lowers the Gini index most; ties go to the first feature and
//! the smallest number, so that the same history always gives the same tree.

use super::tree::{Feature, Leaf, Split, Tree};
use crate::directed::Metric;
use tour_ir::cfa::Features;

/// A program to learn from.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Sample {
    /// Its features.
    pub features: Features,
    /// What is best for it.
    pub best: Metric,
}

/// When nodes are split; the defaults are rpart's.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Parameters {
    /// Nodes with fewer programs are not split.
    pub min_split: usize,
    /// No node has fewer programs.
    pub min_bucket: usize,
    /// A split must lower the error by this part of the root's, or it is pruned.
    pub complexity: f64,
    /// No question is deeper.
    pub max_depth: usize,
    /// How many parts cross validation has.
    pub folds: usize,
}

impl Default for Parameters {
    fn default() -> Parameters {
        Parameters { min_split: 20, min_bucket: 7, complexity: 0.01, max_depth: 30, folds: 10 }
    }
}

fn count(samples: &[Sample]) -> [usize; 4] {
    let mut counts = [0; 4];
    samples.iter().for_each(|s| counts[s.best as usize] += 1);
    counts
}

/// n times the Gini index: n (1 - Σ p²).
fn impurity(counts: &[usize; 4]) -> f64 {
    let n = counts.iter().sum::<usize>() as f64;
    let squares: f64 = counts.iter().map(|&c| (c as f64).powi(2)).sum();
    if n == 0.0 { 0.0 } else { n - squares / n }
}

/// Grows a tree, as large as the parameters allow.
pub fn grow(mut samples: Vec<Sample>, parameters: &Parameters) -> Tree {
    grow_at(&mut samples, parameters, 0)
}

fn grow_at(samples: &mut [Sample], parameters: &Parameters, depth: usize) -> Tree {
    let leaf = Leaf::new(count(samples));
    if samples.len() < parameters.min_split || depth >= parameters.max_depth || leaf.errors() == 0 {
        return Tree::Leaf(leaf);
    }
    let Some((feature, below)) = best_split(samples, parameters) else { return Tree::Leaf(leaf) };
    samples.sort_by(|a, b| feature.of(&a.features).total_cmp(&feature.of(&b.features)));
    let middle = samples.partition_point(|s| feature.of(&s.features) < below);
    let (left, right) = samples.split_at_mut(middle);
    Tree::Split(Box::new(Split {
        feature,
        below,
        instead: leaf,
        left: grow_at(left, parameters, depth + 1),
        right: grow_at(right, parameters, depth + 1),
    }))
}

/// The question that lowers the impurity most.
fn best_split(samples: &[Sample], parameters: &Parameters) -> Option<(Feature, f64)> {
    let all = count(samples);
    let before = impurity(&all);
    let mut best: Option<(f64, Feature, f64)> = None;
    for feature in Feature::all() {
        let mut sorted: Vec<(f64, Metric)> =
            samples.iter().map(|s| (feature.of(&s.features), s.best)).collect();
        sorted.sort_by(|a, b| a.0.total_cmp(&b.0));
        let mut left = [0; 4];
        for (i, pair) in sorted.windows(2).enumerate() {
            left[pair[0].1 as usize] += 1;
            let (n, small, large) = (i + 1, pair[0].0, pair[1].0);
            if small >= large || n.min(sorted.len() - n) < parameters.min_bucket {
                continue;
            }
            let mut right = all;
            right.iter_mut().zip(left).for_each(|(r, l)| *r -= l);
            let gain = before - impurity(&left) - impurity(&right);
            // Rounding makes no difference between equal gains.
            if gain > best.map_or(0.0, |b| b.0) + 1e-9 {
                best = Some((gain, feature, small + (large - small) / 2.0));
            }
        }
    }
    best.map(|(_, feature, below)| (feature, below))
}
