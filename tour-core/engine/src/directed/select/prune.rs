//! Cost-complexity pruning with cross validation (Breiman et al. 1984, chapter 3).
//!
//! Every leaf costs α errors. As α grows, the tree that costs least shrinks, one weakest link after the other, to its
//! root. Which α is right is found by cross validation: for each part of the programs a tree is grown on the others,
//! pruned by α and tried on the part. The smallest tree within one standard error of the best is taken. The parts are by
//! position, not by chance, so that the result is a function of the history.

use super::grow::{Parameters, Sample, grow};
use super::tree::Tree;

/// How a tree was pruned.
#[derive(Clone, PartialEq, Debug)]
pub struct Pruning {
    /// Leaves before.
    pub grown: usize,
    /// Part of the programs for which the pruned tree selects another metric than the best, by cross validation.
    pub error: f64,
    /// The same for the root alone, without a question.
    pub root_error: f64,
}

/// Grows a tree on programs and prunes it.
pub fn learn(samples: &[Sample], parameters: &Parameters) -> (Tree, Pruning) {
    let mut tree = grow(samples.to_vec(), parameters);
    let n = samples.len();
    let grown = tree.leaves();
    let least = parameters.complexity * tree.root().errors() as f64;
    prune(&mut tree, least);
    let alphas = alphas(&tree, least);
    let errors: Vec<usize> = cross_validate(samples, parameters, &alphas);
    let best = errors.iter().copied().min().unwrap_or(0);
    let rate = |errors: usize| if n == 0 { 0.0 } else { errors as f64 / n as f64 };
    let deviation = (rate(best) * (1.0 - rate(best)) / (n.max(1) as f64)).sqrt();
    // The largest α, and so the smallest tree, that is good enough.
    let chosen = errors.iter().rposition(|&e| rate(e) <= rate(best) + deviation).unwrap_or(0);
    prune(&mut tree, alphas.get(chosen).copied().unwrap_or(least));
    let error = |i: usize| errors.get(i).map_or(0.0, |&e| rate(e));
    let pruning = Pruning { grown, error: error(chosen), root_error: error(alphas.len().saturating_sub(1)) };
    (tree, pruning)
}

/// Representative values of α, ascending: one between each two at which the tree shrinks; the last leaves the root.
fn alphas(tree: &Tree, least: f64) -> Vec<f64> {
    let mut tree = tree.clone();
    let mut shrinks = vec![least];
    while let Some(weakest) = weakest(&tree) {
        let alpha = weakest.max(least);
        prune(&mut tree, alpha);
        shrinks.push(alpha);
    }
    let mut alphas: Vec<f64> = shrinks.windows(2).map(|pair| (pair[0] * pair[1]).sqrt()).collect();
    alphas.push(f64::INFINITY);
    alphas
}

/// The least that a question is worth: errors saved for each leaf more.
fn weakest(tree: &Tree) -> Option<f64> {
    let Tree::Split(split) = tree else { return None };
    let inner = weakest(&split.left).into_iter().chain(weakest(&split.right));
    Some(inner.fold(worth(tree), f64::min))
}

fn worth(tree: &Tree) -> f64 {
    let saved = tree.root().errors() as f64 - tree.errors() as f64;
    saved / (tree.leaves() as f64 - 1.0)
}

/// Takes away all questions that are worth no more than α, the weakest first.
fn prune(tree: &mut Tree, alpha: f64) {
    while weakest(tree).is_some_and(|least| least <= alpha) {
        cut(tree, weakest(tree).unwrap_or(alpha));
    }
}

/// Makes leaves of the splits that are worth no more than so much.
fn cut(tree: &mut Tree, least: f64) {
    if let Tree::Split(split) = tree {
        cut(&mut split.left, least);
        cut(&mut split.right, least);
    }
    if matches!(tree, Tree::Split(_)) && worth(tree) <= least {
        *tree = Tree::Leaf(*tree.root());
    }
}

/// For each α, for how many programs a tree selects another metric than the best that was grown without their part and
/// pruned by α.
fn cross_validate(samples: &[Sample], parameters: &Parameters, alphas: &[f64]) -> Vec<usize> {
    let mut errors = vec![0; alphas.len()];
    let folds = parameters.folds.clamp(2, samples.len().max(2));
    for fold in 0..folds {
        let part = |own: bool| {
            let samples = samples.iter().enumerate().filter(move |(i, _)| (i % folds == fold) == own);
            samples.map(|(_, sample)| *sample).collect::<Vec<Sample>>()
        };
        let (test, training) = (part(true), part(false));
        // α is in errors: those of fewer programs weigh more.
        let scale = training.len() as f64 / samples.len().max(1) as f64;
        let mut tree = grow(training, parameters);
        for (alpha, errors) in alphas.iter().zip(&mut errors) {
            prune(&mut tree, alpha * scale);
            *errors += test.iter().filter(|s| tree.select(&s.features) != s.best).count();
        }
    }
    errors
}
