//! Lines that may be wrong, and the failing run beside the closest successful one.

use super::brief;
use serde::{Deserialize, Serialize};
use std::path::Path;

/// A line of a user's file.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub struct Line {
    /// The file.
    pub file: String,
    /// From 1.
    pub line: u32,
}

impl Line {
    /// `file:line`, the file relative to `base` if it lies below.
    pub fn shown(&self, base: &Path) -> String {
        format!("{}:{}", brief(Path::new(&self.file), base).display(), self.line)
    }
}

/// A line that may be wrong.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Suspect {
    /// Where.
    #[serde(flatten)]
    pub line: Line,
    /// The statement, in the user's words.
    pub statement: String,
    /// How suspect, from 0 to 1.
    pub score: f64,
    /// Why.
    pub reasons: Vec<String>,
}

impl Suspect {
    /// The reason that says most: a repair if there is one.
    pub fn reason(&self) -> &str {
        let best = self.reasons.iter().find(|r| r.starts_with("repair: ")).or(self.reasons.first());
        best.map_or("", |reason| reason.split_once(": ").map_or(reason.as_str(), |(_, rest)| rest))
    }
}

/// What a technique found.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Finding {
    /// The technique.
    pub technique: String,
    /// The suspects, the most suspect first.
    pub suspects: Vec<Suspect>,
    /// The failing run and the successful one that it was compared with.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub comparison: Option<Comparison>,
    /// How they differ, in words.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub differences: Vec<String>,
}

impl Finding {
    /// Nothing yet.
    pub fn new(technique: &str) -> Finding {
        Finding { technique: technique.to_owned(), ..Finding::default() }
    }

    /// Adds a suspect. A line is one suspect, however many statements stand on it.
    pub fn suspect(&mut self, line: Line, score: f64, reason: String, statement: impl FnOnce() -> String) {
        match self.suspects.iter_mut().find(|s| s.line == line) {
            Some(known) if score > known.score => {
                known.score = score;
                known.reasons.insert(0, reason);
            }
            Some(known) if known.reasons.contains(&reason) => {}
            Some(known) => known.reasons.push(reason),
            None => {
                let (statement, reasons) = (statement(), vec![reason]);
                self.suspects.push(Suspect { line, statement, score, reasons });
            }
        }
    }

    /// The most suspect first; as they were found where that is the same.
    pub fn sort(&mut self) {
        self.suspects.sort_by(|a, b| b.score.total_cmp(&a.score));
    }
}

/// All that was found.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Localisation {
    /// The suspects by all techniques together, the most suspect first.
    pub suspects: Vec<Suspect>,
    /// What each technique found.
    pub findings: Vec<Finding>,
    /// Techniques that found nothing, with the reason.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub failed: Vec<(String, String)>,
}

/// How many suspects go into a message at most.
const MAX_IN_MESSAGE: usize = 3;

impl Localisation {
    /// The first suspects, one a line, for the help of a message; `explain` is the command that shows more. Files
    /// below `base` are shown relative to it.
    pub fn summary(&self, explain: &str, base: &Path) -> Option<String> {
        let n = self.suspects.len().min(MAX_IN_MESSAGE);
        let mut text = String::new();
        for (i, suspect) in self.suspects.iter().take(n).enumerate() {
            let (place, statement) = (suspect.line.shown(base), &suspect.statement);
            text += &format!("suspect {} of {n}: {place} `{statement}`, {}\n", i + 1, suspect.reason());
        }
        (n > 0).then(|| format!("{text}see `{explain}`"))
    }
}

/// Two runs, row by row.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Comparison {
    /// The inputs of the failing run.
    pub failing_inputs: Vec<String>,
    /// The inputs of the successful run.
    pub successful_inputs: Vec<String>,
    /// The steps, aligned.
    pub rows: Vec<Row>,
}

/// A step of either run, or of both.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Row {
    /// Of the failing run.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub failing: Option<ComparedStep>,
    /// Of the successful run.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub successful: Option<ComparedStep>,
    /// The runs differ here.
    pub differs: bool,
}

/// A step of a run that is compared with another.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct ComparedStep {
    /// Where.
    #[serde(flatten)]
    pub line: Line,
    /// The function.
    pub function: String,
    /// What is done, in the user's words.
    pub statement: String,
    /// What was stored.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub value: Option<String>,
}
