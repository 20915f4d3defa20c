//! The failing run and the closest successful one, side by side.

use super::case::Case;
use super::closest::Success;
use super::differences::is_shown;
use super::run::{Run, line_of, statement};
use super::unrolled::PointId;
use rustc_hash::FxHashMap;
use tour_evidence::verdict::{InputOrigin, Step};
use tour_protocol::result::{ComparedStep, Comparison, Row};

/// Compares the runs up to the check.
pub fn compare(case: &Case, success: &Success) -> Comparison {
    let shown = |step: &Step| {
        let edge = &case.program.cfa.edges[step.edge];
        ComparedStep {
            line: line_of(case.program, step.edge),
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

/// What a user can give.
fn inputs(case: &Case, run: &Run) -> Vec<String> {
    let given =
        |origin| matches!(origin, InputOrigin::Nondet | InputOrigin::Undefined | InputOrigin::Parameter);
    run.inputs.iter().filter(|i| given(i.origin)).map(|i| i.show(case.program)).collect()
}
