//! The result of a run as a JSON document. Fields are only ever added; [`SCHEMA`] grows when one changes its meaning.

use crate::fault::Localisation;
use crate::protocol::Replay;
use serde::Serialize;
use std::collections::BTreeMap;
use tour_engine::context::Findings;
use tour_evidence::verdict::{UnknownReason, Verdict, Violation};
use tour_ir::program::{DataModel, Program, Rule};
use tour_ir::source::{Diagnostic, Severity, SourceMap, Span};
use tour_ir::stats::{Statistics, Value};

/// Version of the document.
pub const SCHEMA: u32 = 1;

/// The document.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Outcome {
    /// [`SCHEMA`].
    pub schema: u32,
    /// Version of tour.
    pub version: &'static str,
    /// The files that were verified.
    pub files: Vec<String>,
    /// Sizes of types.
    pub data_model: DataModel,
    /// `SAFE`, `UNSAFE` or `UNKNOWN`.
    pub verdict: &'static str,
    /// Why it is unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<Reason>,
    /// The analysis that decided.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub analysis: Option<&'static str>,
    /// One entry for each selected property.
    pub properties: Vec<PropertyResult>,
    /// What is violated, and how: the first that was found.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub violation: Option<ViolationDetails>,
    /// What else is violated, of a run that goes on after the first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub further_violations: Vec<ViolationDetails>,
    /// What the verdict takes for granted.
    pub assumptions: Vec<Located>,
    /// Errors and warnings.
    pub diagnostics: Vec<Message>,
    /// Named values; times are in seconds.
    pub statistics: BTreeMap<&'static str, Value>,
}

/// Why there is no answer.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Reason {
    /// Stable kind, see [`UnknownReason::kind`].
    pub kind: &'static str,
    /// For people.
    pub message: String,
    /// Where.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub place: Option<Place>,
}

/// What is known of one property.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct PropertyResult {
    /// Stable id, as for `--property`.
    pub property: &'static str,
    /// `proved`, `violated` or `unknown`.
    pub result: &'static str,
    /// How many places of the program it is checked at.
    pub checks: usize,
}

/// A violated check.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct ViolationDetails {
    /// The property.
    pub property: &'static str,
    /// What fails.
    pub message: String,
    /// Where.
    pub place: Place,
    /// The inputs that lead there, in the order in which the program asks for them.
    pub inputs: Vec<InputValue>,
    /// The executed operations.
    pub trace: Vec<TraceStep>,
    /// Lines that may be wrong.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub faults: Option<Localisation>,
    /// What the program showed when it was run natively, if that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub replay: Option<Replay>,
}

/// An input.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct InputValue {
    /// A C constant.
    pub value: String,
    /// Its type.
    #[serde(rename = "type")]
    pub ty: String,
    /// `nondet`, `undefined-function`, `parameter` or `indeterminate`.
    pub origin: &'static str,
    /// Where it is asked for; parameters of the entry have no such place.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub place: Option<Place>,
}

/// An executed operation.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct TraceStep {
    /// Where.
    pub place: Place,
    /// The function.
    pub function: String,
    /// The thread, in a program with several; 0 is the first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub thread: Option<u32>,
    /// How many calls are open.
    pub depth: u32,
    /// What is done.
    pub operation: String,
    /// What was stored.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
}

/// A text about a place.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Located {
    /// The text.
    pub message: String,
    /// Where.
    pub place: Place,
}

/// A diagnostic.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Message {
    /// Stable code.
    pub code: &'static str,
    /// `error`, `warning` or `note`.
    pub severity: &'static str,
    /// What happened.
    pub message: String,
    /// Places, the main one first.
    pub labels: Vec<Located>,
    /// What to do next.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub help: Option<String>,
}

/// A place in the user's file.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Place {
    /// The file.
    pub file: String,
    /// Line, from 1.
    pub line: u32,
    /// Column in bytes, from 1, after preprocessing.
    pub column: u32,
}

impl Place {
    /// Where `span` starts.
    pub fn new(sources: &SourceMap, span: Span) -> Place {
        let place = sources.place(span);
        Place { file: place.file.display().to_string(), line: place.line, column: place.column }
    }
}

impl Message {
    /// A diagnostic with its places resolved.
    pub fn new(diagnostic: &Diagnostic, sources: &SourceMap) -> Message {
        let severity = match diagnostic.severity {
            Severity::Note => "note",
            Severity::Warning => "warning",
            Severity::Error => "error",
        };
        let labels = diagnostic.labels.iter();
        Message {
            code: diagnostic.code,
            severity,
            message: diagnostic.message.clone(),
            labels: labels
                .map(|l| Located { message: l.text.clone(), place: Place::new(sources, l.span) })
                .collect(),
            help: diagnostic.help.clone(),
        }
    }
}

impl Outcome {
    /// A document that says nothing yet.
    pub fn new(files: Vec<String>, data_model: DataModel) -> Outcome {
        Outcome {
            schema: SCHEMA,
            version: env!("CARGO_PKG_VERSION"),
            files,
            data_model,
            verdict: "UNKNOWN",
            reason: None,
            analysis: None,
            properties: Vec::new(),
            violation: None,
            further_violations: Vec::new(),
            assumptions: Vec::new(),
            diagnostics: Vec::new(),
            statistics: BTreeMap::new(),
        }
    }

    /// Adds what was counted.
    pub fn statistics(mut self, stats: &Statistics) -> Outcome {
        self.statistics = stats.rows().into_iter().collect();
        self
    }

    /// Adds a reason without a program: it could not be read, or the run was cut short.
    pub fn unknown(mut self, reason: &UnknownReason) -> Outcome {
        self.verdict = "UNKNOWN";
        self.reason = Some(Reason { kind: reason.kind(), message: reason.to_string(), place: None });
        self
    }

    /// Adds what became of all checks of a program, for the selected rules.
    pub fn findings(self, program: &Program, rules: &[Rule], findings: &Findings) -> Outcome {
        let mut outcome = self.verdict(program, rules, &findings.verdict());
        let further = findings.violations.iter().skip(1);
        outcome.further_violations = further.map(|v| ViolationDetails::new(program, v)).collect();
        if findings.violations.is_empty() {
            return outcome;
        }
        for (property, &rule) in outcome.properties.iter_mut().zip(rules) {
            let is_violated = findings.violations.iter().any(|v| program.checks[v.check].rule == rule);
            property.result = match &findings.rest {
                _ if is_violated => "violated",
                Verdict::Proved(_) => "proved",
                Verdict::Violated(_) | Verdict::Unknown(_) => "unknown",
            };
        }
        outcome
    }

    /// Adds the lines that may be wrong to a violation.
    pub fn faults(mut self, found: Option<&Localisation>) -> Outcome {
        if let Some(violation) = &mut self.violation {
            violation.faults = found.cloned();
        }
        self
    }

    /// Adds what native runs showed, one for each violation.
    pub fn replays(mut self, replays: &[Replay]) -> Outcome {
        let violations = self.violation.iter_mut().chain(&mut self.further_violations);
        for (violation, replay) in violations.zip(replays) {
            violation.replay = Some(replay.clone());
        }
        self
    }

    /// Adds a verdict on a program, for the selected rules.
    pub fn verdict(mut self, program: &Program, rules: &[Rule], verdict: &Verdict) -> Outcome {
        let sources = &program.sources;
        let violated = match verdict {
            Verdict::Proved(proof) => {
                self.verdict = "SAFE";
                self.analysis = Some(proof.analysis);
                None
            }
            Verdict::Violated(violation) => {
                self.verdict = "UNSAFE";
                self.analysis = Some(violation.analysis);
                self.violation = Some(ViolationDetails::new(program, violation));
                Some(program.checks[violation.check].rule)
            }
            Verdict::Unknown(reason) => {
                self = self.unknown(reason);
                if let Some(reason_part) = &mut self.reason {
                    reason_part.place = reason.span().map(|span| Place::new(sources, span));
                }
                None
            }
        };
        self.properties = rules
            .iter()
            .map(|&rule| PropertyResult {
                property: rule.id(),
                result: match verdict {
                    Verdict::Proved(_) => "proved",
                    _ if violated == Some(rule) => "violated",
                    _ => "unknown",
                },
                checks: program.checks.iter().filter(|c| c.rule == rule).count(),
            })
            .collect();
        let assumptions = program.assumptions.iter();
        self.assumptions = assumptions
            .map(|a| Located { message: a.text.clone(), place: Place::new(sources, a.span) })
            .collect();
        self
    }
}

impl ViolationDetails {
    fn new(program: &Program, violation: &Violation) -> ViolationDetails {
        let check = &program.checks[violation.check];
        let place = |span| Place::new(&program.sources, span);
        let edges = &program.cfa.edges;
        ViolationDetails {
            property: check.rule.id(),
            message: check.message.clone(),
            place: place(check.span),
            inputs: violation
                .inputs
                .iter()
                .map(|input| InputValue {
                    value: input.show(program),
                    ty: input.ty.map_or("unsigned char".into(), |ty| program.show_type(ty)),
                    origin: input.origin.id(),
                    place: input.edge.map(|edge| place(edges[edge].span)),
                })
                .collect(),
            trace: violation
                .trace
                .iter()
                .map(|step| {
                    let edge = &edges[step.edge];
                    TraceStep {
                        place: place(edge.span),
                        function: program.functions[program.cfa.locs[edge.from].function].name.clone(),
                        thread: (!program.threads.is_empty()).then_some(step.thread),
                        depth: step.depth,
                        operation: program.show_op(&edge.op),
                        value: step.value.clone(),
                    }
                })
                .collect(),
            faults: None,
            replay: None,
        }
    }
}
