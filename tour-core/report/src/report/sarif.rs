//! Results as SARIF 2.1.0, as code scanning reads it. A violation has its trace as a code flow.

use serde::Serialize;
use std::collections::BTreeMap;
use std::path::Path;
use tour_ir::program::Rule;
use tour_protocol::result::{ClaimResult, Counterexample, Note, SourcePlace, Status, shown};

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
pub fn document(claims: &[ClaimResult], root: &Path) -> Document {
    let results: Vec<SarifResult> = claims.iter().flat_map(|claim| results(claim, root)).collect();
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

fn results(result: &ClaimResult, root: &Path) -> Vec<SarifResult> {
    let (rule, level) = match result.status {
        Status::Proved | Status::NotRun => return Vec::new(),
        // One that should fail and does not violates nothing.
        Status::Violated => (Rule::Assert.id(), "error"),
        Status::Unknown => ("unknown", "warning"),
        Status::Invalid => ("invalid", "error"),
        Status::Vacuous => ("vacuous", "warning"),
        Status::Crashed => ("crashed", "error"),
    };
    if !result.violations.is_empty() {
        return (0..result.violations.len()).map(|number| violated(result, number, root)).collect();
    }
    let main = main_place(result);
    vec![SarifResult {
        partial_fingerprints: fingerprints(result, rule, &main),
        rule_id: rule.to_owned(),
        level,
        message: Text { text: format!("{}: {}", result.claim.name(), result.why()) },
        locations: vec![location(&main, "", root, result)],
        related_locations: notes(result, 0).map(|n| location(&n.place, &n.message, root, result)).collect(),
        code_flows: Vec::new(),
    }]
}

/// The result for one of the checks that a claim violates.
fn violated(result: &ClaimResult, number: usize, root: &Path) -> SarifResult {
    let violation = &result.violations[number];
    let here = |place: &SourcePlace, message: &str| location(place, message, root, result);
    let steps = &violation.trace[violation.trace.len().saturating_sub(FLOW)..];
    let steps = steps.iter().map(|step| {
        let value = step.value.as_ref().map_or(String::new(), |v| format!(" = {v}"));
        let text = format!("{}: {}{value}", step.function, step.operation);
        FlowLocation { location: here(&step.place, &text), nesting_level: step.depth }
    });
    let flow = ThreadFlow { locations: steps.collect() };
    SarifResult {
        partial_fingerprints: fingerprints(result, &violation.property, &violation.place),
        rule_id: violation.property.clone(),
        level: "error",
        message: Text { text: format!("{}: {}", result.claim.name(), violation.message) },
        locations: vec![here(&violation.place, "")],
        related_locations: (suspects(violation).iter().map(|(place, text)| here(place, text)))
            .chain(notes(result, number).map(|note| here(&note.place, &note.message)))
            .collect(),
        code_flows: (!flow.locations.is_empty())
            .then(|| CodeFlow { thread_flows: vec![flow] })
            .into_iter()
            .collect(),
    }
}

/// What a message says beside its main place.
fn notes(result: &ClaimResult, number: usize) -> impl Iterator<Item = &Note> {
    result.diagnostics.get(number).into_iter().flat_map(|message| message.labels.iter().skip(1))
}

/// The lines that may be wrong, the most suspect first.
fn suspects(violation: &Counterexample) -> Vec<(SourcePlace, String)> {
    let listed = violation.faults.iter().flat_map(|found| found.suspects.iter().enumerate());
    let located = listed.map(|(i, suspect)| {
        let place = SourcePlace::line(suspect.line.file.clone().into(), suspect.line.line);
        (place, format!("suspect {}: `{}`, {}", i + 1, suspect.statement, suspect.reason()))
    });
    located.collect()
}

/// Where a finding without a violation is: what the first message is about, else the claim.
fn main_place(result: &ClaimResult) -> SourcePlace {
    let vacuous = result.vacuity.first().filter(|_| result.status == Status::Vacuous).map(|v| &v.place);
    vacuous.or(result.first_place()).cloned().unwrap_or_else(|| result.claim.place())
}

/// The same finding has the same value after the file around it changed: no line numbers in it.
fn fingerprints(result: &ClaimResult, rule: &str, place: &SourcePlace) -> BTreeMap<&'static str, String> {
    let mut hasher = blake3::Hasher::new();
    let file = place.file.file_name().unwrap_or_default().to_string_lossy();
    let text: String = place.text.split_whitespace().collect::<Vec<_>>().join(" ");
    for part in [rule, result.claim.group(), &result.claim.name(), &file, &text] {
        hasher.update(part.as_bytes()).update(b"\0");
    }
    BTreeMap::from([("tourFinding/v1", hasher.finalize().to_hex()[..32].to_owned())])
}

fn location(place: &SourcePlace, message: &str, root: &Path, result: &ClaimResult) -> Location {
    let uri = uri(&shown(&result.claim.directory().join(&place.file), root));
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
    use super::super::examples::examples;
    use super::*;
    use expect_test::expect;

    #[test]
    fn a_violation_has_a_flow_and_a_stable_fingerprint() {
        let mut claims = examples();
        claims.retain(|o| o.status == Status::Violated);
        let result = |claims: &[ClaimResult]| {
            let document = serde_json::to_value(document(claims, Path::new("/demo"))).expect("JSON");
            document["runs"][0]["results"][0].clone()
        };
        let first = result(&claims);
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
        claims[0].violations[0].place.line += 10;
        let moved = result(&claims);
        assert_eq!(first["partialFingerprints"], moved["partialFingerprints"]);
    }

    #[test]
    fn each_violated_check_is_a_result() {
        let mut claims = examples();
        claims.retain(|o| o.status == Status::Violated);
        let violations = &mut claims[0].violations;
        let mut second = violations[0].clone();
        second.property = "assert".into();
        second.message = "assertion `x == 1`".into();
        second.place.line = 30;
        violations.push(second);
        let document = document(&claims, Path::new("/demo"));
        let shown = |r: &SarifResult| {
            let line = r.locations[0].physical_location.region.start_line;
            format!("{} {line} {}", r.rule_id, r.message.text)
        };
        assert_eq!(
            document.runs[0].results.iter().map(shown).collect::<Vec<_>>(),
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
