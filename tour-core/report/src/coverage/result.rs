//! The result: plain data, for reports and other programs.

use super::checks::{self, CheckCoverage, CheckStatus};
use super::collector::{State, share};
use super::measure::Kind;
use super::series::Series;
use super::universe::{LineId, Universe, is_users};
use serde::{Deserialize, Serialize};
use std::time::Duration;
use tour_engine::context::Findings;
use tour_ir::cfa::{EdgeId, LocId};
use tour_ir::program::{Program, Storage, Var};

/// The coverage of a run.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Coverage {
    /// The measures.
    pub measures: Vec<MeasureValue>,
    /// Their values over time.
    pub series: Series,
    /// Lines by file.
    pub files: Vec<FileCoverage>,
    /// Variables, in the order of their declarations.
    pub variables: Vec<VariableCoverage>,
    /// Locations.
    pub locations: Vec<LocationCoverage>,
    /// Visits by edge.
    pub edges: Vec<u32>,
    /// What became of each check.
    pub checks: Vec<CheckCoverage>,
    /// Predicates, in the order in which they were found.
    pub predicates: Vec<Predicate>,
    /// Where most of the time went, the most first.
    pub hot: Vec<HotSpot>,
    /// The analyses, in the order in which they began.
    pub phases: Vec<Phase>,
}

/// The value of a measure.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct MeasureValue {
    /// Stable name.
    pub id: String,
    /// What it says.
    pub describe: String,
    /// What it counts.
    pub kind: Kind,
    /// How many are covered.
    pub covered: usize,
    /// How many there are.
    pub total: usize,
    /// From 0 to 1.
    pub value: f64,
}

/// The lines of a file.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct FileCoverage {
    /// The file, as the preprocessor knows it.
    pub file: String,
    /// Statement lines, ascending.
    pub lines: Vec<LineCoverage>,
    /// Functions, by line.
    pub functions: Vec<FunctionCoverage>,
}

/// A statement line.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct LineCoverage {
    /// Line, from 1.
    pub line: u32,
    /// How often it was gone through.
    pub visits: u32,
    /// What became of it.
    pub state: LineState,
}

/// What became of a line or location.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LineState {
    /// No analysis has been there.
    Unvisited,
    /// Visited, and no state that is left lies there [COVERAGE §5.2.2].
    Considered,
    /// A state lies there.
    Reached,
}

/// A function.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct FunctionCoverage {
    /// Its name.
    pub name: String,
    /// Its line.
    pub line: u32,
    /// How often it was entered.
    pub visits: u32,
}

/// A variable.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct VariableCoverage {
    /// Its name.
    pub name: String,
    /// Its function; `None` at file scope.
    pub function: Option<String>,
    /// Where it is declared.
    pub file: String,
    /// Line, from 1.
    pub line: u32,
    /// The measures that cover it.
    pub covered: Vec<String>,
}

/// A location.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct LocationCoverage {
    /// Its number.
    pub id: u32,
    /// How often an edge led there.
    pub visits: u32,
    /// What became of it.
    pub state: LineState,
    /// The measures that cover it.
    pub covered: Vec<String>,
}

/// A predicate that refinement found.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Predicate {
    /// The location where it is tracked.
    pub location: u32,
    /// The predicate.
    pub text: String,
}

/// Where time went.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct HotSpot {
    /// The location where blocks began.
    pub location: u32,
    /// The function.
    pub function: String,
    /// The file.
    pub file: String,
    /// Line, from 1.
    pub line: u32,
    /// Seconds.
    pub time: f64,
    /// How often an edge led there.
    pub visits: u32,
}

/// An analysis.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Phase {
    /// Its name.
    pub analysis: String,
    /// How often it ran: a portfolio gives it more and more time.
    pub runs: u32,
    /// Seconds, of all runs.
    pub time: f64,
    /// Refinements.
    pub refinements: u64,
    /// States whose successors were computed.
    pub expanded: u64,
    /// How many blocks deep it went, for those that count.
    pub depth: usize,
}

/// How many hot spots are shown.
const HOT_SPOTS: usize = 10;

impl Coverage {
    /// A measure by its id.
    pub fn measure(&self, id: &str) -> Option<&MeasureValue> {
        self.measures.iter().find(|m| m.id == id)
    }

    /// How many statement lines were visited, and how many there are.
    pub fn visited_lines(&self) -> (usize, usize) {
        let lines = || self.files.iter().flat_map(|file| &file.lines);
        (lines().filter(|line| line.visits > 0).count(), lines().count())
    }

    /// How many checks have a status.
    pub fn checks_that_are(&self, status: CheckStatus) -> usize {
        self.checks.iter().filter(|check| check.status == status).count()
    }

    /// The share of checks that are decided: proved or violated.
    pub fn checks_value(&self) -> f64 {
        let decided = self.checks_that_are(CheckStatus::Proved) + self.checks_that_are(CheckStatus::Violated);
        share(decided, self.checks.len())
    }
}

/// The result of what was collected.
pub(super) fn of(
    program: &Program,
    universe: &Universe,
    state: &State,
    findings: &Findings,
    now: Duration,
) -> Coverage {
    let visits_to = visits_to(universe, state);
    let executed = executed(universe, findings);
    let reaches = |edge: usize| state.lanes.reaches(edge) || executed[edge];
    let reached = reached(universe, &reaches);
    let state_of = |loc: LocId| match (state.visited.contains(loc.index()), reached[loc.index()]) {
        (false, _) => LineState::Unvisited,
        (true, false) => LineState::Considered,
        (true, true) => LineState::Reached,
    };
    let measures = state.measures.iter().map(|measure| {
        let (covered, total) = (measure.count(), measure.kind().total(universe));
        MeasureValue {
            id: measure.id().to_owned(),
            describe: measure.describe().to_owned(),
            kind: measure.kind(),
            covered,
            total,
            value: share(covered, total),
        }
    });
    let covering = |kind: Kind, index: usize| -> Vec<String> {
        let covers = state.measures.iter().filter(|m| m.kind() == kind && m.covers(index));
        covers.map(|m| m.id().to_owned()).collect()
    };
    let locations = universe.locations.iter_enumerated().filter(|(_, counts)| **counts);
    let locations = locations.map(|(loc, _)| LocationCoverage {
        id: loc.index() as u32,
        visits: visits_to[loc.index()],
        state: state_of(loc),
        covered: covering(Kind::Locations, loc.index()),
    });
    let variables = universe.variables.iter_enumerated().filter(|(_, counts)| **counts);
    let variables = variables.map(|(id, _)| {
        let var = &program.vars[id];
        let place = program.sources.place(var.span);
        VariableCoverage {
            name: var.name.clone(),
            function: function_of(var).map(|f| program.functions[f].name.clone()),
            file: place.file.display().to_string(),
            line: place.line,
            covered: covering(Kind::Variables, id.index()),
        }
    });
    Coverage {
        measures: measures.collect(),
        series: state.sampler.series().clone(),
        files: files(program, universe, state, &visits_to, &reaches),
        variables: variables.collect(),
        locations: locations.collect(),
        edges: state.visits.clone(),
        checks: checks::of(program, findings, |loc| state.visited.contains(loc.index())),
        predicates: state.predicates.clone(),
        hot: hot(program, state, &visits_to, now),
        phases: phases(state, now),
    }
}

fn function_of(var: &Var) -> Option<tour_ir::program::FnId> {
    match var.storage {
        Storage::StaticLocal(f) => Some(f),
        _ => var.function(),
    }
}

/// How often an edge led to a location; for the entry of a function, how often it was left.
fn visits_to(universe: &Universe, state: &State) -> Vec<u32> {
    let mut visits = vec![0u32; universe.locations.len()];
    let mut left = vec![0u32; universe.locations.len()];
    for (edge, &count) in state.visits.iter().enumerate() {
        let edge = EdgeId::new(edge);
        if state.visited.contains(universe.to[edge].index()) {
            let to = &mut visits[universe.to[edge].index()];
            *to = to.saturating_add(count);
        }
        let from = &mut left[universe.from[edge].index()];
        *from = from.saturating_add(count);
    }
    for (visits, left) in visits.iter_mut().zip(left) {
        *visits = (*visits).max(left);
    }
    visits
}

/// The edges of error paths: a run has reached them.
fn executed(universe: &Universe, findings: &Findings) -> Vec<bool> {
    let mut executed = vec![false; universe.from.len()];
    for step in findings.violations.iter().flat_map(|violation| &violation.trace) {
        executed[step.edge.index()] = true;
    }
    executed
}

/// Locations next to an edge with a state behind it.
fn reached(universe: &Universe, reaches: &dyn Fn(usize) -> bool) -> Vec<bool> {
    let mut reached = vec![false; universe.locations.len()];
    for edge in universe.from.indices().filter(|edge| reaches(edge.index())) {
        reached[universe.from[edge].index()] = true;
        // Behind a call only if it returned: then an edge leads on, or into the exit.
        if universe.callee_exit[edge].is_none() {
            reached[universe.to[edge].index()] = true;
        }
    }
    reached
}

fn files(
    program: &Program,
    universe: &Universe,
    state: &State,
    visits_to: &[u32],
    reaches: &dyn Fn(usize) -> bool,
) -> Vec<FileCoverage> {
    let mut visits = vec![0u32; universe.lines.len()];
    let mut reached = vec![false; universe.lines.len()];
    for (edge, line) in universe.line_of.iter_enumerated() {
        let Some(line) = line else { continue };
        // The line was gone through as often as its busiest edge.
        visits[line.index()] = visits[line.index()].max(state.visits[edge.index()]);
        reached[line.index()] |= reaches(edge.index());
    }
    let mut files: Vec<FileCoverage> = universe
        .files
        .iter()
        .map(|file| FileCoverage {
            file: file.display().to_string(),
            lines: Vec::new(),
            functions: Vec::new(),
        })
        .collect();
    for id in universe.lines.indices() {
        let id: LineId = id;
        let line = universe.lines[id];
        let state = match (visits[id.index()], reached[id.index()]) {
            (0, _) => LineState::Unvisited,
            (_, false) => LineState::Considered,
            (_, true) => LineState::Reached,
        };
        let row = LineCoverage { line: line.line, visits: visits[id.index()], state };
        files[line.file as usize].lines.push(row);
    }
    let mut add = |span, name: &str, visits: u32| {
        let place = program.sources.place(span);
        let file = universe.files.iter().position(|file| file == place.file);
        if let Some(file) = file.filter(|_| is_users(program, span)) {
            files[file].functions.push(FunctionCoverage { name: name.to_owned(), line: place.line, visits });
        }
    };
    for function in &program.functions {
        if let Some(body) = function.body {
            add(function.span, &function.name, visits_to[body.entry.index()]);
        }
    }
    for skipped in program.sources.skipped() {
        add(skipped.span, &skipped.name, 0);
    }
    for file in &mut files {
        file.lines.sort_by_key(|line| line.line);
        file.functions.sort_by(|a, b| (a.line, &a.name).cmp(&(b.line, &b.name)));
        // Copies for threads are one function.
        file.functions.dedup_by(|copy, first| {
            let same = (copy.line, &copy.name) == (first.line, &first.name);
            first.visits = first.visits.saturating_add(if same { copy.visits } else { 0 });
            same
        });
    }
    files
}

fn hot(program: &Program, state: &State, visits_to: &[u32], now: Duration) -> Vec<HotSpot> {
    let mut spent = vec![Duration::ZERO; visits_to.len()];
    for lane in &state.lanes.0 {
        for (total, own) in spent.iter_mut().zip(lane.up_to(now).spent) {
            *total += own;
        }
    }
    let mut spots: Vec<(usize, Duration)> =
        spent.into_iter().enumerate().filter(|(_, time)| !time.is_zero()).collect();
    spots.sort_by_key(|(loc, time)| (std::cmp::Reverse(*time), *loc));
    spots.truncate(HOT_SPOTS);
    let spot = |(loc, time): (usize, Duration)| {
        let id = LocId::new(loc);
        let function = &program.functions[program.cfa.locs[id].function];
        let span = program.cfa.successors(id).next().map_or(function.span, |(_, edge)| edge.span);
        let place = program.sources.place(span);
        HotSpot {
            location: loc as u32,
            function: function.name.clone(),
            file: place.file.display().to_string(),
            line: place.line,
            time: time.as_secs_f64(),
            visits: visits_to[loc],
        }
    };
    spots.into_iter().map(spot).collect()
}

fn phases(state: &State, now: Duration) -> Vec<Phase> {
    let phase = |lane: &super::lanes::Lane| Phase {
        analysis: lane.name.to_owned(),
        runs: lane.runs,
        time: lane.up_to(now).ran.as_secs_f64(),
        refinements: lane.refinements,
        expanded: lane.expanded,
        depth: lane.depth,
    };
    // The portfolio itself does nothing but run the others.
    state.lanes.0.iter().filter(|lane| lane.name != "auto" || state.lanes.0.len() == 1).map(phase).collect()
}
