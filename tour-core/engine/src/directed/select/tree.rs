//! Decision trees [TOUR §4.3, Figure 4.4].

use crate::directed::Metric;
use serde::{Deserialize, Serialize};
use tour_ir::cfa::Features;

/// A feature of a program, by its place in [`Features::NAMES`]; in files by its name.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Feature(usize);

impl Feature {
    /// All features.
    pub fn all() -> impl Iterator<Item = Feature> {
        (0..Features::NAMES.len()).map(Feature)
    }

    /// The feature with a name.
    pub fn named(name: &str) -> Option<Feature> {
        Features::NAMES.iter().position(|n| *n == name).map(Feature)
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        Features::NAMES[self.0]
    }

    /// Its value.
    pub fn of(self, features: &Features) -> f64 {
        features.values()[self.0]
    }
}

impl TryFrom<String> for Feature {
    type Error = String;

    fn try_from(name: String) -> Result<Feature, String> {
        Feature::named(&name).ok_or_else(|| format!("there is no feature `{name}`"))
    }
}

impl From<Feature> for String {
    fn from(feature: Feature) -> String {
        feature.name().to_owned()
    }
}

/// A decision tree.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Tree {
    /// A question.
    Split(Box<Split>),
    /// An answer.
    Leaf(Leaf),
}

/// A question about a feature: left if its value is below a number, otherwise right.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Split {
    /// The feature.
    pub feature: Feature,
    /// The number.
    pub below: f64,
    /// What would be selected if the question were not asked.
    pub instead: Leaf,
    /// If the value is below.
    pub left: Tree,
    /// If not.
    pub right: Tree,
}

/// The selected metric.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Leaf {
    /// The metric.
    pub select: Metric,
    /// How many programs were here in training, by best metric in the order of [`Metric::ALL`].
    pub programs: [usize; 4],
}

impl Leaf {
    /// The answer where these programs are: what is best for most of them, the first if several are.
    pub fn new(programs: [usize; 4]) -> Leaf {
        let most = programs.iter().copied().max().unwrap_or(0);
        let first = programs.iter().position(|&n| n == most).unwrap_or(0);
        Leaf { select: Metric::ALL[first], programs }
    }

    /// For how many programs it is wrong.
    pub fn errors(&self) -> usize {
        self.programs.iter().sum::<usize>() - self.programs[self.select as usize]
    }
}

impl Tree {
    /// The metric for a program.
    pub fn select(&self, features: &Features) -> Metric {
        self.leaf(features).select
    }

    fn leaf(&self, features: &Features) -> &Leaf {
        let mut at = self;
        loop {
            match at {
                Tree::Leaf(leaf) => return leaf,
                Tree::Split(split) => {
                    let left = split.feature.of(features) < split.below;
                    at = if left { &split.left } else { &split.right };
                }
            }
        }
    }

    /// The answer at the root, if nothing were asked.
    pub fn root(&self) -> &Leaf {
        match self {
            Tree::Leaf(leaf) => leaf,
            Tree::Split(split) => &split.instead,
        }
    }

    /// Number of answers.
    pub fn leaves(&self) -> usize {
        match self {
            Tree::Leaf(_) => 1,
            Tree::Split(split) => split.left.leaves() + split.right.leaves(),
        }
    }

    /// For how many programs of the training it is wrong.
    pub fn errors(&self) -> usize {
        match self {
            Tree::Leaf(leaf) => leaf.errors(),
            Tree::Split(split) => split.left.errors() + split.right.errors(),
        }
    }

    /// For people: a line a node, children indented.
    pub fn show(&self) -> String {
        let mut text = String::new();
        self.write(&mut text, 0, "");
        text
    }

    fn write(&self, text: &mut String, depth: usize, question: &str) {
        let indent = "  ".repeat(depth);
        match self {
            Tree::Leaf(leaf) => {
                let counts = Metric::ALL.iter().zip(leaf.programs).map(|(m, n)| format!("{m} {n}"));
                let counts: Vec<String> = counts.collect();
                *text += &format!("{indent}{question}{} ({})\n", leaf.select, counts.join(", "));
            }
            Tree::Split(split) => {
                let (name, below) = (split.feature.name(), split.below);
                if !question.is_empty() {
                    *text += &format!("{indent}{}\n", question.trim_end());
                }
                let inner = depth + usize::from(!question.is_empty());
                split.left.write(text, inner, &format!("{name} < {below}: "));
                split.right.write(text, inner, &format!("{name} >= {below}: "));
            }
        }
    }
}
