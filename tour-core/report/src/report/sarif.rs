//! Results as SARIF 2.1.0, as code scanning reads it. A violation has its trace as a code flow.

use super::located::shown;
use super::outcome::{HarnessOutcome, Status};
use crate::protocol::{Note, Place, Report, Violation};
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::Path;
use tour_ir::program::Rule;

/// The document.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Document {
    #[serde(rename = "$schema")]
    schema: &'static str,
    version: &'static str,
    runs: Vec<Run>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Run {
    tool: Tool,
    results: Vec<SarifResult>,
    column_kind: &'static str,
}

#[derive(Debug, Serialize)]
struct Tool {
    driver: Driver,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Driver {
    name: &'static str,
    semantic_version: &'static str,
    rules: Vec<RuleDescription>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct RuleDescription {
    id: String,
    short_description: Text,
}

#[derive(Debug, Serialize)]
struct Text {
    text: String,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct SarifResult {
    rule_id: String,
    level: &'static str,
    message: Text,
    locations: Vec<Location>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    related_locations: Vec<Location>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    code_flows: Vec<CodeFlow>,
    partial_fingerprints: BTreeMap<&'static str, String>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct CodeFlow {
    thread_flows: Vec<ThreadFlow>,
}

#[derive(Debug, Serialize)]
struct ThreadFlow {
    locations: Vec<FlowLocation>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct FlowLocation {
    location: Location,
    nesting_level: u32,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Location {
    physical_location: PhysicalLocation,
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<Text>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct PhysicalLocation {
    artifact_location: ArtifactLocation,
    region: Region,
}

#[derive(Debug, Serialize)]
struct ArtifactLocation {
    uri: String,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Region {
    start_line: u32,
    start_column: u32,
    end_column: u32,
}

/// How many steps of a trace go into a code flow: viewers have limits of their own.
const FLOW: usize = 1000;

/// The document; files below `root` are named relative to it.
pub fn document(outcomes: &[HarnessOutcome], root: &Path) -> Document {
    let results: Vec<SarifResult> = outcomes.iter().flat_map(|outcome| results(outcome, root)).collect();
    let mut rules: Vec<RuleDescription> = Rule::ALL
        .iter()
        .map(|rule| description(rule.id(), rule.describe()))
        .chain(OTHER_RULES.iter().map(|(id, text)| description(id, text)))
        .collect();
    rules.sort_by(|a, b| a.id.cmp(&b.id));
    Document {
        schema: "https://json.schemastore.org/sarif-2.1.0.json",
        version: "2.1.0",
        runs: vec![Run {
            tool: Tool { driver: Driver { name: "cargo-tour", semantic_version: tour_ir::VERSION, rules } },
            results,
            column_kind: "utf8CodeUnits",
        }],
    }
}

/// Rules that are not about a property of the program.
const OTHER_RULES: [(&str, &str); 4] = [
    ("unknown", "neither a proof nor a violation was found"),
    ("invalid", "the harness or the C that it needs could not be read"),
    ("vacuous", "a claim says nothing"),
    ("crashed", "the test executable ended without a result"),
];

fn description(id: &str, text: &str) -> RuleDescription {
    RuleDescription { id: id.to_owned(), short_description: Text { text: text.to_owned() } }
}

fn results(outcome: &HarnessOutcome, root: &Path) -> Vec<SarifResult> {
    let (rule, level) = match outcome.status {
        Status::Proved | Status::NotRun => return Vec::new(),
        // One that should fail and does not violates nothing.
        Status::Violated => (Rule::Assert.id(), "error"),
        Status::Unknown => ("unknown", "warning"),
        Status::Invalid => ("invalid", "error"),
        Status::Vacuous => ("vacuous", "warning"),
        Status::Crashed => ("crashed", "error"),
    };
    let violations = outcome.violations().iter().enumerate();
    let results: Vec<SarifResult> =
        violations.map(|(i, violation)| violated(outcome, i, violation, root)).collect();
    if !results.is_empty() {
        return results;
    }
    let here = |place: &Place, message: &str| location(place, message, root, outcome);
    let main = main_place(outcome);
    vec![SarifResult {
        partial_fingerprints: fingerprints(outcome, rule, main.as_ref()),
        rule_id: rule.to_owned(),
        level,
        message: Text { text: format!("{}: {}", outcome.harness, outcome.reason()) },
        locations: main.iter().map(|place| here(place, "")).collect(),
        related_locations: notes(outcome, 0).map(|note| here(&note.place, &note.message)).collect(),
        code_flows: Vec::new(),
    }]
}

/// The result for one of the checks that a harness violates.
fn violated(outcome: &HarnessOutcome, number: usize, violation: &Violation, root: &Path) -> SarifResult {
    let here = |place: &Place, message: &str| location(place, message, root, outcome);
    let steps = &violation.trace[violation.trace.len().saturating_sub(FLOW)..];
    let steps = steps.iter().map(|step| {
        let value = step.value.as_ref().map_or(String::new(), |v| format!(" = {v}"));
        let text = format!("{}: {}{value}", step.function, step.operation);
        FlowLocation { location: here(&step.place, &text), nesting_level: step.depth }
    });
    let flow = ThreadFlow { locations: steps.collect() };
    SarifResult {
        partial_fingerprints: fingerprints(outcome, &violation.property, Some(&violation.place)),
        rule_id: violation.property.clone(),
        level: "error",
        message: Text { text: format!("{}: {}", outcome.harness, violation.message) },
        locations: vec![here(&violation.place, "")],
        related_locations: (notes(outcome, number).map(|note| here(&note.place, &note.message)))
            .chain(suspects(violation).iter().map(|(place, text)| here(place, text)))
            .collect(),
        code_flows: (!flow.locations.is_empty())
            .then(|| CodeFlow { thread_flows: vec![flow] })
            .into_iter()
            .collect(),
    }
}

/// What a diagnostic says beside its main place.
fn notes(outcome: &HarnessOutcome, number: usize) -> impl Iterator<Item = &Note> {
    outcome.diagnostics().nth(number).into_iter().flat_map(|diagnostic| diagnostic.labels.iter().skip(1))
}

/// The lines that may be wrong, the most suspect first.
fn suspects(violation: &Violation) -> Vec<(Place, String)> {
    let listed = violation.faults.iter().flat_map(|found| found.suspects.iter().enumerate());
    let told = listed.map(|(i, suspect)| {
        let place = Place {
            file: suspect.line.file.clone().into(),
            line: suspect.line.line,
            column: 1,
            length: 1,
            text: suspect.statement.clone(),
        };
        (place, format!("suspect {}: `{}`, {}", i + 1, suspect.statement, suspect.reason()))
    });
    told.collect()
}

/// Where a finding without a violation is: what the first message is about, else the harness.
fn main_place(outcome: &HarnessOutcome) -> Option<Place> {
    let report = outcome.report.as_ref()?;
    let vacuous = report.vacuity.first().filter(|_| outcome.status == Status::Vacuous).map(|v| &v.place);
    let told = report.diagnostics.iter().find_map(|d| d.labels.first()).map(|label| &label.place);
    Some(vacuous.or(told).cloned().unwrap_or_else(|| harness_place(report)))
}

fn harness_place(report: &Report) -> Place {
    let harness = &report.harness;
    Place { file: harness.file.clone(), line: harness.line, column: 1, length: 0, text: String::new() }
}

/// The same finding has the same value after the file around it changed: no line numbers in it.
fn fingerprints(
    outcome: &HarnessOutcome,
    rule: &str,
    place: Option<&Place>,
) -> BTreeMap<&'static str, String> {
    let mut hasher = blake3::Hasher::new();
    let file = place.and_then(|p| p.file.file_name()).unwrap_or_default().to_string_lossy().into_owned();
    let text: String = place.map_or("", |p| &p.text).split_whitespace().collect::<Vec<_>>().join(" ");
    for part in [rule, &outcome.package, &outcome.harness, &file, &text] {
        hasher.update(part.as_bytes()).update(b"\0");
    }
    BTreeMap::from([("tourFinding/v1", hasher.finalize().to_hex()[..32].to_owned())])
}

fn location(place: &Place, message: &str, root: &Path, outcome: &HarnessOutcome) -> Location {
    let base = outcome.report.as_ref().map_or(root, |report| report.harness.manifest_dir.as_path());
    let uri = uri(&shown(&base.join(&place.file), root));
    let (line, column) = (place.line.max(1), place.column.max(1));
    Location {
        physical_location: PhysicalLocation {
            artifact_location: ArtifactLocation { uri },
            region: Region {
                start_line: line,
                start_column: column,
                end_column: column + place.length.max(1),
            },
        },
        message: (!message.is_empty()).then(|| Text { text: message.to_owned() }),
    }
}

/// A path as a URI: relative, or `file://`.
fn uri(path: &Path) -> String {
    let mut out = String::from(if path.is_absolute() { "file://" } else { "" });
    for byte in path.to_string_lossy().bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' | b'/' => {
                out.push(byte as char)
            }
            _ => out.push_str(&format!("%{byte:02X}")),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::super::outcome::examples;
    use super::*;
    use expect_test::expect;

    #[test]
    fn a_violation_has_a_flow_and_a_stable_fingerprint() {
        let mut outcomes = examples();
        outcomes.retain(|o| o.status == Status::Violated);
        let result = |outcomes: &[HarnessOutcome]| {
            let document = serde_json::to_value(document(outcomes, Path::new("/demo"))).expect("JSON");
            document["runs"][0]["results"][0].clone()
        };
        let first = result(&outcomes);
        expect![[r#"
            {
              "codeFlows": [
                {
                  "threadFlows": [
                    {
                      "locations": [
                        {
                          "location": {
                            "message": {
                              "text": "pop: ring_pop(cap)"
                            },
                            "physicalLocation": {
                              "artifactLocation": {
                                "uri": "src/lib.rs"
                              },
                              "region": {
                                "endColumn": 8,
                                "startColumn": 5,
                                "startLine": 13
                              }
                            }
                          },
                          "nestingLevel": 0
                        },
                        {
                          "location": {
                            "message": {
                              "text": "ring_pop: return buf[8] = 8"
                            },
                            "physicalLocation": {
                              "artifactLocation": {
                                "uri": "csrc/ring.c"
                              },
                              "region": {
                                "endColumn": 18,
                                "startColumn": 12,
                                "startLine": 27
                              }
                            }
                          },
                          "nestingLevel": 1
                        }
                      ]
                    }
                  ]
                }
              ],
              "level": "error",
              "locations": [
                {
                  "physicalLocation": {
                    "artifactLocation": {
                      "uri": "csrc/ring.c"
                    },
                    "region": {
                      "endColumn": 18,
                      "startColumn": 12,
                      "startLine": 27
                    }
                  }
                }
              ],
              "message": {
                "text": "proofs::pop: read past the end of `buf`"
              },
              "partialFingerprints": {
                "tourFinding/v1": "b67ff5e15350b67ca13d85a8c20f4719"
              },
              "ruleId": "out-of-bounds"
            }"#]]
        .assert_eq(&serde_json::to_string_pretty(&first).expect("JSON"));
        let report = outcomes[0].report.as_mut().expect("a report");
        report.violations[0].place.line += 10;
        let moved = result(&outcomes);
        assert_eq!(first["partialFingerprints"], moved["partialFingerprints"]);
    }

    #[test]
    fn each_violated_check_is_a_result() {
        let mut outcomes = examples();
        outcomes.retain(|o| o.status == Status::Violated);
        let report = outcomes[0].report.as_mut().expect("a report");
        let mut second = report.violations[0].clone();
        second.property = "assert".into();
        second.message = "assertion `x == 1`".into();
        second.place.line = 30;
        report.violations.push(second);
        let document = document(&outcomes, Path::new("/demo"));
        let told = |r: &SarifResult| {
            let line = r.locations[0].physical_location.region.start_line;
            format!("{} {line} {}", r.rule_id, r.message.text)
        };
        assert_eq!(
            document.runs[0].results.iter().map(told).collect::<Vec<_>>(),
            [
                "out-of-bounds 27 proofs::pop: read past the end of `buf`",
                "assert 30 proofs::pop: assertion `x == 1`"
            ]
        );
    }

    #[test]
    fn every_rule_of_a_result_is_described() {
        let document = document(&examples(), Path::new("/demo"));
        let run = &document.runs[0];
        let known: Vec<&str> = run.tool.driver.rules.iter().map(|r| r.id.as_str()).collect();
        assert_eq!(run.results.len(), 4);
        assert!(run.results.iter().all(|r| known.contains(&r.rule_id.as_str())), "{known:?}");
    }

    #[test]
    fn paths_become_uris() {
        assert_eq!(uri(Path::new("src/a b.c")), "src/a%20b.c");
        assert_eq!(uri(Path::new("/x/é.c")), "file:///x/%C3%A9.c");
    }
}
