//! `cargo tour explain`, and suspects in the other outputs.

use crate::support::Folder;
use serde_json::Value;

/// The program of [FAULT, Listing 1.1], with the fault in line 10.
pub fn minmax() -> Folder {
    let text = include_str!("faults/minmax.c").lines();
    let text: Vec<&str> = text.filter(|line| !line.trim_start().starts_with("//?")).collect();
    Folder::with(&text.join("\n").replace("least = input2;", "most = input2;"))
}

#[test]
fn a_violation_is_explained() {
    let folder = minmax();
    let run = folder.tour("explain a.c");
    assert_eq!(run.code, Some(1), "{run:#?}");
    assert!(run.out.starts_with("Suspects:\n   1. a.c:10: most = input2"), "{}", run.out);
    assert!(run.out.contains("Closest successful run (adm):"), "{}", run.out);
    assert!(run.out.contains("line 10, deleted: most = input2"), "{}", run.out);
    let run = folder.tour("explain a.c --technique pg -v");
    assert!(run.out.contains("failing") && run.out.contains("successful"), "{}", run.out);
    assert!(!run.out.contains("mcs"), "{}", run.out);
}

#[test]
fn suspects_are_in_the_diagnostic() {
    let run = minmax().tour("check a.c");
    run.expect(1, "VERDICT: UNSAFE");
    let run = minmax().tour("check a.c");
    assert!(run.err.contains("suspect 1 of 3: a.c:10 `most = input2`"), "{}", run.err);
    assert!(run.err.contains("see `cargo tour explain a.c`"), "{}", run.err);
}

#[test]
fn suspects_are_in_json_and_sarif() {
    let folder = minmax();
    let run = folder.tour("check a.c --json --sarif r.sarif");
    let value: Value = serde_json::from_str(&run.out).expect("JSON");
    let faults = &value["violation"]["faults"];
    assert_eq!(faults["suspects"][0]["line"], 10);
    assert_eq!(faults["findings"][0]["technique"], "adm");
    assert!(faults["findings"][0]["comparison"]["rows"].as_array().is_some_and(|rows| !rows.is_empty()));
    let sarif = std::fs::read_to_string(folder.path("r.sarif")).expect("a file");
    let sarif: Value = serde_json::from_str(&sarif).expect("JSON");
    let related = &sarif["runs"][0]["results"][0]["relatedLocations"][0];
    assert_eq!(related["physicalLocation"]["region"]["startLine"], 10);
    assert!(related["message"]["text"].as_str().is_some_and(|t| t.starts_with("suspect 1: ")), "{related}");
    let run = folder.tour("explain a.c --json");
    let value: Value = serde_json::from_str(&run.out).expect("JSON");
    assert_eq!(value["suspects"][0]["line"], 10);
}

#[test]
fn nothing_to_explain() {
    let folder = Folder::with("int main(void) { return 0; }");
    let run = folder.tour("explain a.c");
    assert_eq!(run.code, Some(0), "{run:#?}");
    assert!(run.out.contains("Nothing to explain"), "{}", run.out);
}
