//! The failing run and the closest successful one, side by side.

use super::case::Case;
use super::closest::Success;
use super::differences::is_shown;
use super::run::{Line, Run, statement};
use super::unrolled::PointId;
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use tour_evidence::verdict::{InputOrigin, Step};

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
    pub failing: Option<Shown>,
    /// Of the successful run.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub successful: Option<Shown>,
    /// The runs differ here.
    pub differs: bool,
}

/// A step as it is shown.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Shown {
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

impl Comparison {
    /// Compares the runs up to the check.
    pub fn new(case: &Case, success: &Success) -> Comparison {
        let shown = |step: &Step| {
            let edge = &case.program.cfa.edges[step.edge];
            Shown {
                line: Line::of(case.program, step.edge),
                function: case.program.functions[case.program.cfa.locs[edge.from].function].name.clone(),
                statement: statement(case.program, step.edge),
                value: step.value.clone(),
            }
        };
        let (failing, successful) = (case.run.before_check(), success.run.before_check());
        let mut at: FxHashMap<PointId, usize> = FxHashMap::default();
        at.extend((0..successful.len()).map(|j| (success.path.points[j], j)));
        let mut rows = Vec::new();
        let mut next = 0;
        let only = |rows: &mut Vec<Row>, range: std::ops::Range<usize>| {
            for step in successful[range].iter().filter(|s| is_shown(case, s.edge)) {
                rows.push(Row { failing: None, successful: Some(shown(step)), differs: true });
            }
        };
        for (i, step) in failing.iter().enumerate() {
            let other = at.get(&case.path.points[i]).copied().filter(|&j| j >= next);
            if let Some(j) = other {
                only(&mut rows, next..j);
                next = j + 1;
            }
            if !is_shown(case, step.edge) {
                continue;
            }
            let other = other.map(|j| &successful[j]);
            rows.push(Row {
                failing: Some(shown(step)),
                successful: other.map(shown),
                differs: other.is_none_or(|o| o.edge != step.edge),
            });
        }
        only(&mut rows, next..successful.len());
        Comparison {
            failing_inputs: inputs(case, &case.run),
            successful_inputs: inputs(case, &success.run),
            rows,
        }
    }
}

/// What a user can give.
fn inputs(case: &Case, run: &Run) -> Vec<String> {
    let given =
        |origin| matches!(origin, InputOrigin::Nondet | InputOrigin::Undefined | InputOrigin::Parameter);
    run.inputs.iter().filter(|i| given(i.origin)).map(|i| i.show(case.program)).collect()
}
