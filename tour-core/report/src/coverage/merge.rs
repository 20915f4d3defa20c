//! The coverage of several runs together, each of another program over the same files: the harnesses of a package.
//!
//! A line or a variable is covered if some run covers it. Locations are those of each run's own automata: they are summed
//! up. A check is as good as its worst run: violated by one, violated; undecided by one, undecided.

use super::checks::{CheckCoverage, CheckStatus};
use super::collector::share;
use super::measure::Kind;
use super::result::{Coverage, FileCoverage, FunctionCoverage, LineCoverage, LineState, VariableCoverage};
use std::collections::BTreeMap;

/// All runs together. What belongs to one run alone (times, locations, predicates) is left out.
pub fn merge(runs: &[&Coverage]) -> Coverage {
    let mut files: BTreeMap<&str, Lines> = BTreeMap::new();
    let mut variables: BTreeMap<Name, VariableCoverage> = BTreeMap::new();
    let mut checks: BTreeMap<(&str, u32, &str, &str), CheckCoverage> = BTreeMap::new();
    for run in runs {
        run.files.iter().for_each(|file| files.entry(&file.file).or_default().add(file));
        for variable in &run.variables {
            let name = (&*variable.file, variable.line, variable.function.as_deref(), &*variable.name);
            let known = variables
                .entry(name)
                .or_insert_with(|| VariableCoverage { covered: Vec::new(), ..variable.clone() });
            let new = variable.covered.iter().filter(|id| !known.covered.contains(id)).cloned();
            let new: Vec<String> = new.collect();
            known.covered.extend(new);
        }
        for check in &run.checks {
            let name = (&*check.file, check.line, &*check.property, &*check.message);
            let known = checks.entry(name).or_insert_with(|| check.clone());
            known.status = worse(known.status, check.status);
        }
    }
    let mut merged = Coverage {
        files: files.into_iter().map(|(file, lines)| lines.coverage(file)).collect(),
        variables: variables.into_values().collect(),
        checks: checks.into_values().collect(),
        ..Coverage::default()
    };
    for first in runs.first().map_or(&[][..], |run| &run.measures) {
        let mut measure = first.clone();
        (measure.covered, measure.total) = match first.kind {
            Kind::Lines => merged.visited_lines(),
            Kind::Variables => {
                let covers = |v: &&VariableCoverage| v.covered.contains(&first.id);
                (merged.variables.iter().filter(covers).count(), merged.variables.len())
            }
            Kind::Locations => {
                let all = runs.iter().filter_map(|run| run.measure(&first.id));
                all.fold((0, 0), |(covered, total), m| (covered + m.covered, total + m.total))
            }
        };
        measure.value = share(measure.covered, measure.total);
        merged.measures.push(measure);
    }
    merged
}

/// File, line, function, name.
type Name<'a> = (&'a str, u32, Option<&'a str>, &'a str);

/// What is known of a file.
#[derive(Default)]
struct Lines<'a> {
    lines: BTreeMap<u32, LineCoverage>,
    functions: BTreeMap<(u32, &'a str), u32>,
}

impl<'a> Lines<'a> {
    fn add(&mut self, file: &'a FileCoverage) {
        for line in &file.lines {
            let known =
                self.lines.entry(line.line).or_insert_with(|| LineCoverage { visits: 0, ..line.clone() });
            known.visits = known.visits.saturating_add(line.visits);
            known.state = better(known.state, line.state);
        }
        for function in &file.functions {
            let visits = self.functions.entry((function.line, &function.name)).or_default();
            *visits = visits.saturating_add(function.visits);
        }
    }

    fn coverage(self, file: &str) -> FileCoverage {
        let function = |((line, name), visits): ((u32, &str), u32)| FunctionCoverage {
            name: name.to_owned(),
            line,
            visits,
        };
        FileCoverage {
            file: file.to_owned(),
            lines: self.lines.into_values().collect(),
            functions: self.functions.into_iter().map(function).collect(),
        }
    }
}

fn better(a: LineState, b: LineState) -> LineState {
    match (a, b) {
        (LineState::Reached, _) | (_, LineState::Reached) => LineState::Reached,
        (LineState::Considered, _) | (_, LineState::Considered) => LineState::Considered,
        (LineState::Unvisited, LineState::Unvisited) => LineState::Unvisited,
    }
}

/// A check that one run does not come to may be decided by another.
fn worse(a: CheckStatus, b: CheckStatus) -> CheckStatus {
    match (a, b) {
        (CheckStatus::Violated, _) | (_, CheckStatus::Violated) => CheckStatus::Violated,
        (CheckStatus::Unknown, _) | (_, CheckStatus::Unknown) => CheckStatus::Unknown,
        (CheckStatus::Proved, _) | (_, CheckStatus::Proved) => CheckStatus::Proved,
        (CheckStatus::Unreached, CheckStatus::Unreached) => CheckStatus::Unreached,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::coverage::MeasureValue;

    fn run(lines: &[(u32, u32)], status: CheckStatus) -> Coverage {
        let line = |&(line, visits): &(u32, u32)| LineCoverage {
            line,
            visits,
            state: if visits > 0 { LineState::Reached } else { LineState::Unvisited },
        };
        let measure = |id: &str, kind, covered, total| MeasureValue {
            id: id.into(),
            describe: String::new(),
            kind,
            covered,
            total,
            value: share(covered, total),
        };
        Coverage {
            measures: vec![
                measure("visited-lines", Kind::Lines, 0, lines.len()),
                measure("considered-locations", Kind::Locations, 1, 4),
            ],
            files: vec![FileCoverage {
                file: "a.c".into(),
                lines: lines.iter().map(line).collect(),
                functions: vec![FunctionCoverage { name: "f".into(), line: 1, visits: 2 }],
            }],
            checks: vec![CheckCoverage {
                property: "assert".into(),
                message: "x".into(),
                file: "a.c".into(),
                line: 1,
                status,
            }],
            ..Coverage::default()
        }
    }

    #[test]
    fn what_one_run_covers_is_covered() {
        let (a, b) =
            (run(&[(1, 2), (2, 0)], CheckStatus::Unreached), run(&[(2, 1), (3, 0)], CheckStatus::Proved));
        let merged = merge(&[&a, &b]);
        let measure = |id: &str| merged.measure(id).map(|m| (m.covered, m.total));
        assert_eq!(measure("visited-lines"), Some((2, 3)));
        assert_eq!(measure("considered-locations"), Some((2, 8)));
        let lines: Vec<(u32, u32)> = merged.files[0].lines.iter().map(|l| (l.line, l.visits)).collect();
        assert_eq!(lines, [(1, 2), (2, 1), (3, 0)]);
        assert_eq!(merged.files[0].functions[0].visits, 4);
        assert_eq!(merged.checks[0].status, CheckStatus::Proved);
    }

    #[test]
    fn nothing_is_covered_whole() {
        assert_eq!(merge(&[]), Coverage::default());
        assert_eq!(merge(&[]).checks_value(), 1.0);
    }
}
