//! The record of a run: all that the HTML report shows, as plain data. It is saved, so that a report can be made of it
//! later.

use crate::coverage::Coverage;
use crate::fault::Localisation;
use crate::report::interleaving;
use crate::report::json::Place;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::path::Path;
use tour_engine::context::observe::{GraphPlace, GraphState};
use tour_evidence::verdict::{InputOrigin, Verdict, Violation};
use tour_ir::cfa::export::{kind_name, op_name};
use tour_ir::cfa::{LocId, Loops};
use tour_ir::program::{Program, Rule};
use tour_ir::stats::Statistics;

/// Version of the record.
pub const VERSION: u32 = 1;

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
    /// The analysis that decided.
    pub analysis: Option<String>,
    /// Seconds.
    pub time: f64,
    /// The properties and how many checks each has.
    pub properties: Vec<(String, usize)>,
    /// What the verdict takes for granted.
    pub assumptions: Vec<Message>,
    /// Named values, as shown.
    pub statistics: Vec<(String, String)>,
    /// What was said during the run.
    pub log: Vec<Message>,
    /// The user's files.
    pub sources: Vec<Source>,
    /// The automata.
    pub automata: Automata,
    /// The abstract reachability graph; empty if the analysis has none.
    pub graph: Vec<State>,
    /// The error path; empty if nothing is violated.
    pub path: Vec<Step>,
    /// The inputs of the error path.
    pub inputs: Vec<InputValue>,
    /// Coverage.
    pub coverage: Coverage,
    /// The functions that the threads run, by the number of the thread; empty if there is one thread.
    pub threads: Vec<String>,
    /// The lines that may be wrong, and the error path beside the closest successful run; empty if not looked for.
    pub faults: Localisation,
}

/// A text with its place.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Message {
    /// `error`, `warning`, `note`; empty if that is clear.
    pub severity: String,
    /// The text.
    pub text: String,
    /// `file:line`, if it has a place.
    pub place: Option<(String, u32)>,
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
pub struct Step {
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

/// An input.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct InputValue {
    /// As a C constant.
    pub value: String,
    /// Its type.
    #[serde(rename = "type")]
    pub ty: String,
    /// Where it is asked for.
    pub place: Option<(String, u32)>,
}

/// At most so many steps of a run are kept: half from its beginning, half from its end.
const MAX_STEPS: usize = 20_000;

impl Record {
    /// The record of a run. `name`: the harness, or the files.
    pub fn new(
        name: &str,
        program: &Program,
        rules: &[Rule],
        verdict: &Verdict,
        coverage: Coverage,
    ) -> Record {
        let sources = sources(program, &coverage);
        let mut record = Record {
            version: VERSION,
            name: name.to_owned(),
            verdict: verdict.to_string(),
            analysis: match verdict {
                Verdict::Proved(proof) => Some(proof.analysis.to_owned()),
                Verdict::Violated(violation) => Some(violation.analysis.to_owned()),
                Verdict::Unknown(_) => None,
            },
            properties: rules
                .iter()
                .map(|rule| {
                    let checks = program.checks.iter().filter(|check| check.rule == *rule).count();
                    (rule.id().to_owned(), checks)
                })
                .collect(),
            assumptions: program
                .assumptions
                .iter()
                .map(|a| Message::new("", &a.text, Some(&Place::new(&program.sources, a.span))))
                .collect(),
            automata: automata(program, &sources),
            sources,
            coverage,
            threads: threads(program),
            ..Record::default()
        };
        match verdict {
            Verdict::Violated(violation) => {
                record.path = path(program, violation, &record.automata);
                record.inputs = inputs(program, violation);
                let check = &program.checks[violation.check];
                let place = Place::new(&program.sources, check.span);
                record.log.push(Message::new("error", &check.message, Some(&place)));
            }
            Verdict::Unknown(reason) => {
                let place = reason.span().map(|span| Place::new(&program.sources, span));
                record.log.push(Message::new("warning", &reason.to_string(), place.as_ref()));
            }
            Verdict::Proved(proof) => {
                let text = format!("proved by {}, certificate checked", proof.analysis);
                record.log.push(Message::new("note", &text, None));
            }
        }
        for phase in &record.coverage.phases {
            let text = format!(
                "{}: {:.3} s in {} runs, {} states expanded, {} refinements",
                phase.analysis, phase.time, phase.runs, phase.expanded, phase.refinements
            );
            record.log.push(Message::new("note", &text, None));
        }
        record
    }

    /// With what was counted.
    pub fn statistics(mut self, stats: &Statistics) -> Record {
        self.statistics =
            stats.rows().into_iter().map(|(name, v)| (name.to_owned(), v.to_string())).collect();
        self
    }

    /// With the lines that may be wrong.
    pub fn faults(mut self, faults: Option<&Localisation>) -> Record {
        self.faults = faults.cloned().unwrap_or_default();
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

impl Message {
    /// A message.
    pub fn new(severity: &str, text: &str, place: Option<&Place>) -> Message {
        Message {
            severity: severity.to_owned(),
            text: text.to_owned(),
            place: place.map(|place| (place.file.clone(), place.line)),
        }
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
        let text = std::fs::read(file)
            .map_or_else(|_| plain(), |bytes| String::from_utf8_lossy(&bytes).into_owned());
        let language = if file.ends_with(".rs") { "rust" } else { "c" };
        Source { file: file.to_owned(), language: language.to_owned(), text }
    };
    named.filter(|file| files.insert(file)).map(source).collect()
}

fn threads(program: &Program) -> Vec<String> {
    program.threads.all.iter().map(|thread| program.functions[thread.root].name.clone()).collect()
}

fn automata(program: &Program, sources: &[Source]) -> Automata {
    let cfa = &program.cfa;
    let loops = Loops::of(program);
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

fn path(program: &Program, violation: &Violation, automata: &Automata) -> Vec<Step> {
    let step = |step: &tour_evidence::verdict::Step| {
        // With threads, only what they do is told, in words.
        let told = if program.threads.is_empty() { None } else { Some(interleaving::what(program, step)?) };
        let edge = &automata.edges[step.edge.index()];
        let from = program.cfa.edges[step.edge].from;
        Some(Step {
            edge: step.edge.index() as u32,
            file: edge.file,
            line: edge.line,
            function: program.functions[program.cfa.locs[from].function].name.clone(),
            depth: step.depth,
            thread: step.thread,
            text: told.unwrap_or_else(|| edge.text.clone()),
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

fn inputs(program: &Program, violation: &Violation) -> Vec<InputValue> {
    let input = |input: &tour_evidence::verdict::Input| InputValue {
        value: input.show(program),
        ty: input.ty.map_or("unsigned char".into(), |ty| program.show_type(ty)),
        place: input.edge.map(|edge| {
            let place = Place::new(&program.sources, program.cfa.edges[edge].span);
            (place.file, place.line)
        }),
    };
    // What is indeterminate is no input that a user can give.
    let given = |origin| !matches!(origin, InputOrigin::Indeterminate);
    violation.inputs.iter().filter(|i| given(i.origin)).take(MAX_STEPS).map(input).collect()
}
