//! The record of a run: all that the HTML report shows, as plain data. It is saved, so that a report can be made of it
//! later.

use crate::coverage::Coverage;
use crate::report::interleaving;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::path::Path;
use tour_engine::context::observe::{GraphPlace, GraphState};
use tour_evidence::verdict::Violation;
use tour_ir::cfa::export::{kind_name, op_name};
use tour_ir::cfa::{LocId, Loops};
use tour_ir::prepared::Prepared;
use tour_ir::program::Program;
use tour_ir::source::TextOf;
use tour_ir::stats::Statistics;
use tour_protocol::result::{ClaimResult, Severity, SourcePlace, Status};

/// Version of the record.
pub const VERSION: u32 = 2;

/// A run.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Record {
    /// [`VERSION`].
    pub version: u32,
    /// The harness, or the files.
    pub name: String,
    /// `SAFE`, `UNSAFE` or `UNKNOWN (reason)`.
    pub verdict: String,
    /// What is known of the claim, without the traces of its violations: the first is `path`.
    pub result: ClaimResult,
    /// Named values, as shown.
    pub statistics: Vec<(String, String)>,
    /// What was said during the run.
    pub log: Vec<LogEntry>,
    /// The user's files.
    pub sources: Vec<Source>,
    /// The automata.
    pub automata: Automata,
    /// The abstract reachability graph; empty if the analysis has none.
    pub graph: Vec<State>,
    /// The error path; empty if nothing is violated.
    pub path: Vec<PathStep>,
    /// Coverage.
    pub coverage: Coverage,
    /// The functions that the threads run, by the number of the thread; empty if there is one thread.
    pub threads: Vec<String>,
}

/// What was said during the run.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct LogEntry {
    /// How bad it is.
    pub severity: Severity,
    /// The text.
    pub message: String,
    /// What it is about.
    pub place: Option<SourcePlace>,
}

/// A file.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Source {
    /// As coverage knows it.
    pub file: String,
    /// `c` or `rust`.
    pub language: String,
    /// Its text.
    pub text: String,
}

/// The automata of all functions.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Automata {
    /// Functions with a body: name, entry location.
    pub functions: Vec<(String, u32)>,
    /// Locations, by id.
    pub locations: Vec<Location>,
    /// Edges, by id.
    pub edges: Vec<Edge>,
}

/// A location.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Location {
    /// Index into [`Automata::functions`].
    pub function: u32,
    /// `plain`, `entry`, `exit`, `error` or `end`.
    pub kind: String,
    /// It is the head of a loop.
    pub head: bool,
}

/// An edge.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Edge {
    /// From.
    pub from: u32,
    /// To.
    pub to: u32,
    /// `assign`, `assume`, …
    pub kind: String,
    /// As C.
    pub text: String,
    /// Index into [`Record::sources`]; `None` if it stands elsewhere.
    pub file: Option<u32>,
    /// Line, from 1.
    pub line: u32,
}

/// An abstract state.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct State {
    /// Its number.
    pub id: u32,
    /// The state before.
    pub parent: Option<u32>,
    /// The state that covers it.
    pub covered_by: Option<u32>,
    /// The location; `None` for an error.
    pub location: Option<u32>,
    /// Its successors were computed.
    pub expanded: bool,
    /// As a formula.
    pub formula: String,
}

/// A step of a run.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct PathStep {
    /// The edge.
    pub edge: u32,
    /// Index into [`Record::sources`].
    pub file: Option<u32>,
    /// Line, from 1.
    pub line: u32,
    /// The function.
    pub function: String,
    /// How many calls are open.
    pub depth: u32,
    /// The thread; 0 is the first.
    pub thread: u32,
    /// What is done.
    pub text: String,
    /// What was stored.
    pub value: Option<String>,
}

/// How many steps of a run are kept: half from its beginning, half from its end.
const MAX_STEPS: usize = 20_000;

impl Record {
    /// The record of a run. `violation`: the first that was found.
    pub fn new(
        result: &ClaimResult,
        program: &Prepared,
        violation: Option<&Violation>,
        coverage: Coverage,
    ) -> Record {
        let sources = sources(program, &coverage);
        let automata = automata(program, &sources);
        let phases = coverage.phases.iter().map(|phase| {
            let text = format!(
                "{}: {:.3} s in {} runs, {} states expanded, {} refinements",
                phase.analysis, phase.time, phase.runs, phase.expanded, phase.refinements
            );
            LogEntry { severity: Severity::Note, message: text, place: None }
        });
        Record {
            version: VERSION,
            name: result.claim.name(),
            verdict: result.verdict_line(),
            log: std::iter::once(decided(result)).chain(phases).collect(),
            path: violation.map_or(Vec::new(), |violation| path(program, violation, &automata)),
            automata,
            sources,
            coverage,
            threads: threads(program),
            ..Record::default()
        }
        .result(result)
    }

    /// With what is known of the claim by now.
    pub fn result(mut self, result: &ClaimResult) -> Record {
        self.result = result.clone();
        for violation in &mut self.result.violations {
            violation.trace.clear();
            violation.scalars.clear();
            violation.inputs.truncate(MAX_STEPS);
        }
        self
    }

    /// With what was counted.
    pub fn statistics(mut self, stats: &Statistics) -> Record {
        self.statistics =
            stats.rows().into_iter().map(|(name, v)| (name.to_owned(), v.to_string())).collect();
        self
    }

    /// With the abstract reachability graph.
    pub fn graph(mut self, graph: &[GraphState]) -> Record {
        let state = |s: &GraphState| State {
            id: s.id,
            parent: s.parent,
            covered_by: s.covered_by,
            location: match s.at {
                GraphPlace::Loc(loc, _) => Some(loc.index() as u32),
                GraphPlace::Error(_) | GraphPlace::Unsupported(_) => None,
            },
            expanded: s.expanded,
            formula: s.formula.clone(),
        };
        self.graph = graph.iter().map(state).collect();
        self
    }
}

/// The verdict in words.
fn decided(result: &ClaimResult) -> LogEntry {
    let place = result.place.clone();
    let entry = |severity, message: &str| LogEntry { severity, message: message.to_owned(), place };
    match (result.status, &result.analysis) {
        (Status::Proved | Status::Vacuous, Some(analysis)) => {
            let checked =
                if result.certified == Some(true) { "certificate checked" } else { "not certified" };
            entry(Severity::Note, &format!("proved by {analysis}, {checked}"))
        }
        (Status::Violated, _) => entry(Severity::Error, &result.reason),
        _ => entry(Severity::Warning, &result.reason),
    }
}

/// The user's files: as they are on disk, or what of them is known.
fn sources(program: &Program, coverage: &Coverage) -> Vec<Source> {
    let mut files: BTreeSet<&str> = BTreeSet::new();
    let named = coverage.files.iter().map(|file| file.file.as_str());
    let source = |file: &str| {
        let plain = || {
            let unit = program.sources.units().find(|(_, unit)| unit.path == Path::new(file));
            unit.map(|(_, unit)| unit.text.to_string()).unwrap_or_default()
        };
        let text = match program.sources.text_of(Path::new(file)) {
            TextOf::Known(text) => text.to_owned(),
            TextOf::File(path) => std::fs::read(path)
                .map_or_else(|_| plain(), |bytes| String::from_utf8_lossy(&bytes).into_owned()),
            TextOf::Nowhere => plain(),
        };
        let language = if file.ends_with(".rs") { "rust" } else { "c" };
        Source { file: file.to_owned(), language: language.to_owned(), text }
    };
    named.filter(|file| files.insert(file)).map(source).collect()
}

fn threads(program: &Program) -> Vec<String> {
    program.threads.all.iter().map(|thread| program.functions[thread.root].name.clone()).collect()
}

fn automata(program: &Prepared, sources: &[Source]) -> Automata {
    let cfa = &program.cfa;
    let loops = program.fact::<Loops>();
    let mut functions = Vec::new();
    let mut index = vec![0u32; program.functions.len()];
    for (id, function) in program.functions.iter_enumerated() {
        if let Some(body) = function.body {
            index[id.index()] = functions.len() as u32;
            functions.push((function.name.clone(), body.entry.index() as u32));
        }
    }
    let location = |(id, loc): (LocId, &tour_ir::cfa::Loc)| Location {
        function: index[loc.function.index()],
        kind: kind_name(loc.kind).to_owned(),
        head: loops.is_head(id),
    };
    let edge = |edge: &tour_ir::cfa::Edge| {
        let place = program.sources.place(edge.span);
        let file = sources.iter().position(|source| Path::new(&source.file) == place.file);
        Edge {
            from: edge.from.index() as u32,
            to: edge.to.index() as u32,
            kind: op_name(&edge.op).to_owned(),
            text: program.show_op(&edge.op),
            file: file.map(|file| file as u32),
            line: place.line,
        }
    };
    Automata {
        functions,
        locations: cfa.locs.iter_enumerated().map(location).collect(),
        edges: cfa.edges.iter().map(edge).collect(),
    }
}

fn path(program: &Program, violation: &Violation, automata: &Automata) -> Vec<PathStep> {
    let step = |step: &tour_evidence::verdict::Step| {
        // With threads, only what they do is told, in words.
        let action = if program.threads.is_empty() { None } else { Some(interleaving::what(program, step)?) };
        let edge = &automata.edges[step.edge.index()];
        let from = program.cfa.edges[step.edge].from;
        Some(PathStep {
            edge: step.edge.index() as u32,
            file: edge.file,
            line: edge.line,
            function: program.functions[program.cfa.locs[from].function].name.clone(),
            depth: step.depth,
            thread: step.thread,
            text: action.unwrap_or_else(|| edge.text.clone()),
            value: step.value.clone(),
        })
    };
    let trace = &violation.trace;
    if trace.len() <= MAX_STEPS {
        return trace.iter().filter_map(step).collect();
    }
    let (head, tail) = (&trace[..MAX_STEPS / 2], &trace[trace.len() - MAX_STEPS / 2..]);
    head.iter().chain(tail).filter_map(step).collect()
}
