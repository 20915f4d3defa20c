//! Verdicts as witnesses of SV-COMP, format 2.0: a violation as the inputs on the way to the error, a proof as a set of
//! invariants. Other tools can check them.
//!
//! The set of invariants is empty: it says that the program is safe, and leaves finding out why to the validator.

use serde::Serialize;
use serde_json::Value;
use std::collections::BTreeMap;
use tour_evidence::verdict::{InputOrigin, TakenInput, Verdict, Violation};
use tour_ir::program::{DataModel, Program, Rule};
use tour_ir::source::Span;

/// What was verified.
#[derive(Clone, Debug)]
pub struct Task {
    /// The files, each with the SHA-256 of its content in hexadecimal.
    pub files: Vec<(String, String)>,
    /// The property.
    pub rule: Rule,
    /// Sizes of types.
    pub data_model: DataModel,
    /// When, as in RFC 3339.
    pub time: String,
}

#[derive(Serialize)]
struct Entry {
    entry_type: &'static str,
    metadata: Metadata,
    content: Vec<Segment>,
}

#[derive(Serialize)]
struct Metadata {
    format_version: &'static str,
    uuid: String,
    creation_time: String,
    producer: Producer,
    task: TaskEntry,
}

#[derive(Serialize)]
struct Producer {
    name: &'static str,
    version: &'static str,
}

#[derive(Serialize)]
struct TaskEntry {
    input_files: Vec<String>,
    input_file_hashes: BTreeMap<String, String>,
    specification: &'static str,
    data_model: &'static str,
    language: &'static str,
}

#[derive(Serialize)]
struct Segment {
    segment: Vec<Step>,
}

#[derive(Serialize)]
struct Step {
    waypoint: Waypoint,
}

#[derive(Serialize)]
struct Waypoint {
    #[serde(rename = "type")]
    kind: &'static str,
    action: &'static str,
    location: Location,
    #[serde(skip_serializing_if = "Option::is_none")]
    constraint: Option<Constraint>,
}

#[derive(Serialize)]
struct Location {
    file_name: String,
    line: u32,
    column: u32,
    function: String,
}

#[derive(Serialize)]
struct Constraint {
    value: String,
    format: &'static str,
}

/// The witness of a verdict; `None` for UNKNOWN.
pub fn document(program: &Program, verdict: &Verdict, task: &Task) -> Option<String> {
    let (entry_type, content) = match verdict {
        Verdict::Proved(_) => ("invariant_set", Vec::new()),
        Verdict::Violated(violation) => ("violation_sequence", segments(program, violation)),
        Verdict::Unknown(_) => return None,
    };
    let entry = Entry { entry_type, metadata: metadata(task, entry_type), content };
    let value = serde_json::to_value([entry]).ok()?;
    let mut text = String::new();
    write_yaml(&value, 0, &mut text);
    Some(text)
}

fn metadata(task: &Task, entry_type: &str) -> Metadata {
    let mut hasher = blake3::Hasher::new();
    hasher.update(entry_type.as_bytes()).update(task.time.as_bytes());
    for (name, hash) in &task.files {
        hasher.update(name.as_bytes()).update(hash.as_bytes());
    }
    let hex = hasher.finalize().to_hex();
    // A UUID of version 8: made of a hash.
    let uuid = format!("{}-{}-8{}-8{}-{}", &hex[0..8], &hex[8..12], &hex[13..16], &hex[17..20], &hex[20..32]);
    Metadata {
        format_version: "2.0",
        uuid,
        creation_time: task.time.clone(),
        producer: Producer { name: "tour", version: tour_ir::VERSION },
        task: TaskEntry {
            input_files: task.files.iter().map(|(name, _)| name.clone()).collect(),
            input_file_hashes: task.files.iter().cloned().collect(),
            specification: task.rule.specification(),
            data_model: match task.data_model {
                DataModel::Ilp32 => "ILP32",
                DataModel::Lp64 => "LP64",
            },
            language: "C",
        },
    }
}

/// One segment for each input, one for the error.
fn segments(program: &Program, violation: &Violation) -> Vec<Segment> {
    let mut segments: Vec<Segment> =
        violation.inputs.iter().filter_map(|input| input_segment(program, input)).collect();
    let check = &program.checks[violation.check];
    let function = program.cfa.locs[check.loc].function;
    let name = program.functions[function].name.clone();
    segments.push(segment("target", location(program, check.span, check.span.start, name), None));
    segments
}

fn input_segment(program: &Program, input: &TakenInput) -> Option<Segment> {
    let edge = &program.cfa.edges[input.edge?];
    if !matches!(input.origin, InputOrigin::Nondet | InputOrigin::Undefined) {
        return None;
    }
    // The place is the parenthesis that closes the call.
    let text = program.sources.text(edge.span);
    let close = text.rfind(')').map_or(edge.span.start, |at| edge.span.start + at as u32);
    let function = program.functions[program.cfa.locs[edge.from].function].name.clone();
    let value = format!("\\result == {}", input.show(program));
    let constraint = Constraint { value, format: "ext_c_expression" };
    Some(segment("function_return", location(program, edge.span, close, function), Some(constraint)))
}

fn segment(kind: &'static str, location: Location, constraint: Option<Constraint>) -> Segment {
    Segment { segment: vec![Step { waypoint: Waypoint { kind, action: "follow", location, constraint } }] }
}

fn location(program: &Program, span: Span, offset: u32, function: String) -> Location {
    let place = program.sources.place_of(span.unit, offset);
    Location { file_name: place.file.display().to_string(), line: place.line, column: place.column, function }
}

/// Block style; scalars are written as in JSON, which YAML understands.
fn write_yaml(value: &Value, indent: usize, out: &mut String) {
    let pad = " ".repeat(indent);
    match value {
        Value::Array(items) => {
            for item in items {
                let mut inner = String::new();
                write_yaml(item, indent + 2, &mut inner);
                out.push_str(&format!("{pad}- {}", inner.trim_start()));
            }
        }
        Value::Object(fields) => {
            for (name, field) in fields {
                let empty = field.as_array().is_some_and(Vec::is_empty);
                if empty || !(field.is_array() || field.is_object()) {
                    out.push_str(&format!("{pad}{}: {field}\n", key(name)));
                } else {
                    out.push_str(&format!("{pad}{}:\n", key(name)));
                    write_yaml(field, indent + 2, out);
                }
            }
        }
        scalar => out.push_str(&format!("{pad}{scalar}\n")),
    }
}

/// Names of files are keys too.
fn key(name: &str) -> String {
    let plain = name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    if plain { name.to_owned() } else { Value::from(name).to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tour_c::LoadOptions;
    use tour_c::front;
    use tour_c::load;
    use tour_engine::analysis::verify;
    use tour_engine::context::Context;

    fn witness(text: &str) -> Option<String> {
        let program =
            load(&[front::Input::text("a.c", text)], &LoadOptions::new(DataModel::Lp64)).expect("C");
        let task = Task {
            files: vec![("a.c".into(), "00".into())],
            rule: Rule::UnreachCall,
            data_model: DataModel::Lp64,
            time: "2026-01-01T00:00:00Z".into(),
        };
        document(
            &program,
            &verify(&tour_ir::prepared::Prepared::new(program.clone()), &Context::default()),
            &task,
        )
    }

    const HEAD: &str = "extern int __VERIFIER_nondet_int(void);\nextern void reach_error(void);\n";

    #[test]
    fn a_violation() {
        let text = "int main(void) {\n  int x = __VERIFIER_nondet_int();\n  if (x == 7) reach_error();\n  return 0;\n}\n";
        let witness = witness(&format!("{HEAD}{text}")).expect("a verdict");
        let lines: Vec<&str> = witness.lines().map(str::trim_start).collect();
        for line in [
            "entry_type: \"violation_sequence\"",
            "specification: \"G ! call(reach_error())\"",
            "data_model: \"LP64\"",
            "\"a.c\": \"00\"",
            "type: \"function_return\"",
            "value: \"\\\\result == 7\"",
            "type: \"target\"",
            "line: 4",
            "line: 5",
        ] {
            assert!(lines.contains(&line), "{line} in\n{witness}");
        }
        assert_eq!(witness.matches("segment:").count(), 2, "{witness}");
    }

    #[test]
    fn a_proof() {
        let witness = witness(&format!("{HEAD}int main(void) {{ return 0; }}")).expect("a verdict");
        assert!(
            witness.starts_with("- content: []\n  entry_type: \"invariant_set\"\n  metadata:\n"),
            "{witness}"
        );
    }
}
