//! History: what runs with the metrics gave, and which of that is worth learning from [TOUR §4.2, Figure 4.3].

use crate::directed::Metric;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use tour_ir::cfa::Features;

/// The result of one run: a line of a history file.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Record {
    /// What tells the program apart from others, such as its path.
    pub program: String,
    /// The analysis.
    pub analysis: String,
    /// The metric.
    pub metric: Metric,
    /// It came to a verdict.
    pub solved: bool,
    /// CPU time in seconds.
    pub time: f64,
    /// The features of the program.
    pub features: Features,
}

impl Record {
    /// The records of a history file: one JSON object a line. Fails with the number of the first bad line.
    pub fn parse(text: &str) -> Result<Vec<Record>, (usize, String)> {
        let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
        let parse = |(i, line)| serde_json::from_str(line).map_err(|e| (i + 1, format!("{e}")));
        lines.map(parse).collect()
    }

    /// The line of a history file, without its end.
    pub fn line(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }
}

/// A program under all metrics: a row of Figure 4.3.
#[derive(Clone, PartialEq, Debug)]
pub struct Trial {
    /// The program.
    pub program: String,
    /// Its features.
    pub features: Features,
    /// CPU times in seconds in the order of [`Metric::ALL`]; `None` for a run without a verdict.
    pub times: [Option<f64>; 4],
}

impl Trial {
    /// The metric with the shortest time; the first, if several have it. `None` if no run came to a verdict.
    pub fn best(&self) -> Option<Metric> {
        let solved = Metric::ALL.into_iter().zip(self.times).filter_map(|(m, time)| Some((m, time?)));
        solved.reduce(|best, next| if next.1 < best.1 { next } else { best }).map(|(metric, _)| metric)
    }

    /// max-min: how much depends on the metric. Infinite if a run failed.
    pub fn difference(&self) -> f64 {
        let Some(times) = self.times.into_iter().collect::<Option<Vec<f64>>>() else { return f64::INFINITY };
        let max = times.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        max - times.iter().copied().fold(f64::INFINITY, f64::min)
    }

    /// It is worth learning from: some metric solved it, and it matters at least so much which one.
    pub fn counts(&self, threshold: f64) -> bool {
        self.best().is_some() && self.difference() >= threshold
    }
}

/// The programs of a history that were run with all metrics in an analysis, by name. Of several runs with the same
/// metric the last one counts.
pub fn trials(records: &[Record], analysis: &str) -> Vec<Trial> {
    let mut runs: BTreeMap<&str, [Option<&Record>; 4]> = BTreeMap::new();
    for record in records.iter().filter(|record| record.analysis == analysis) {
        runs.entry(&record.program).or_default()[record.metric as usize] = Some(record);
    }
    let trial = |(program, runs): (&str, [Option<&Record>; 4])| {
        let runs: Vec<&Record> = runs.into_iter().collect::<Option<_>>()?;
        let times: Vec<_> = runs.iter().map(|run| run.solved.then_some(run.time)).collect();
        Some(Trial { program: program.to_owned(), features: runs[0].features, times: times.try_into().ok()? })
    };
    runs.into_iter().filter_map(trial).collect()
}
