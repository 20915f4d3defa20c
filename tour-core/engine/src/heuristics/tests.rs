use super::*;
use std::collections::BTreeSet;

/// The names of all numbers in a value.
fn names(prefix: &str, value: &Value, found: &mut BTreeSet<String>) {
    match value {
        Value::Object(fields) => {
            for (name, value) in fields {
                let name = if prefix.is_empty() { name.clone() } else { format!("{prefix}.{name}") };
                names(&name, value, found);
            }
        }
        _ => assert!(found.insert(prefix.to_owned())),
    }
}

#[test]
fn every_field_is_described_once() {
    let mut found = BTreeSet::new();
    names("", &serde_json::to_value(Heuristics::default()).unwrap(), &mut found);
    let described: Vec<String> = Heuristics::fields().map(|field| field.name.to_owned()).collect();
    let unique: BTreeSet<String> = described.iter().cloned().collect();
    assert_eq!(unique.len(), described.len(), "a name stands for two fields");
    assert_eq!(unique, found, "the areas of `Heuristics` and `AREAS`");
    for field in Heuristics::fields() {
        assert!(!field.measured.trim().is_empty(), "{}: what was measured?", field.name);
        assert!(field.decides.trim().ends_with('.'), "{}: what does it decide?", field.name);
    }
}

/// How many numbers have been there without a measurement of their value. Who adds one measures it.
const MAX_UNMEASURED: usize = 176;

#[test]
fn no_more_fields_are_without_a_measurement() {
    let unmeasured = Heuristics::fields().filter(|field| field.measured.contains("not yet")).count();
    assert!(unmeasured <= MAX_UNMEASURED, "{unmeasured} fields were not measured");
}

#[test]
fn the_defaults_are_the_reference() {
    let all = serde_json::to_string_pretty(&Heuristics::default()).unwrap();
    expect_test::expect_file!["default.json"].assert_eq(&(all + "\n"));
    Heuristics::default().check().unwrap();
}

#[test]
fn a_value_is_changed_by_its_name() {
    let mut heuristics = Heuristics::default();
    heuristics.set("abstraction.max_values", "24").unwrap();
    heuristics.set("invariants.samples.runs", "1").unwrap();
    heuristics.set("hunt.round_steps", "[1, 2, 3]").unwrap();
    assert_eq!((heuristics.abstraction.max_values, heuristics.invariants.samples.runs), (24, 1));
    assert_eq!(heuristics.get("hunt.round_steps"), Some(serde_json::json!([1, 2, 3])));
    let before = heuristics.clone();
    for (name, value, why) in [
        ("abstraction.max", "1", "choose one of abstraction.max_assignments"),
        ("abstraction", "1", "choose one of abstraction.max_assignments"),
        ("nothing", "1", "choose one of portfolio.budget_growth"),
        ("abstraction.max_values", "many", "it takes a number"),
        ("abstraction.max_values", "-1", "invalid value"),
        ("hunt.round_steps", "5", "invalid type"),
        ("bmc.rounds_growth", "1", "at least 2"),
        ("hunt.long_run_every", "0", "at least 1"),
        ("hunt.min_run_steps", "1000000", "longest run"),
    ] {
        let error = heuristics.set(name, value).unwrap_err();
        assert!(error.contains(why), "{name}={value}: {error}");
    }
    assert_eq!(heuristics, before);
}
