//! `--search tour`: the order of the search, its explanation, histories and training.

use crate::support::Folder;
use expect_test::expect;
use serde_json::Value;

/// Two errors: one behind the loop on the left, one next to the branch on the right.
const TWO: &str = "extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_error(void);
void work(int n) { while (n > 0) n = n - 1; }
int main(void) {
    int x = __VERIFIER_nondet_int();
    if (x > 7) {
        work(2);
        work(2);
        if (x == 9)
            __VERIFIER_error();
    } else {
        work(3);
        if (x == 5)
            __VERIFIER_error();
    }
    return 0;
}
";

/// The expanded states of an explanation: function and distance.
fn expanded(document: &Value) -> String {
    let steps = document["steps"].as_array().expect("steps");
    let states = steps.iter().filter(|step| step["event"] == "expanded");
    let show = |s: &Value| format!("{}:{}", s["function"].as_str().unwrap_or("?"), s["distance"]);
    states.map(show).collect::<Vec<_>>().join(" ")
}

fn explain(args: &str) -> (Option<i32>, Value) {
    let folder = Folder::with(TWO);
    let run = folder.tour(&format!("check a.c -q --no-slice --explain-search search.json {args}"));
    let text = std::fs::read_to_string(folder.path("search.json")).expect("the explanation");
    (run.code, serde_json::from_str(&text).expect("it is JSON"))
}

#[test]
fn an_explanation_has_the_distances_in_order() {
    let (code, document) = explain("--analysis predicate --search tour --metric st");
    assert_eq!(code, Some(1), "{document}");
    let steps = document["steps"].as_array().expect("steps");
    assert_eq!((&steps[0]["event"], &steps[0]["analysis"]), (&"begins".into(), &"predicate".into()));
    let last = &steps[steps.len() - 1];
    assert_eq!((&last["event"], &last["verdict"]), (&"ends".into(), &"UNSAFE".into()));
    // The loop of the call on the right is nearer than that of the first call on the left.
    let found = expanded(&document);
    assert!(found.starts_with("main:") && found.contains("work:"), "{found}");
    let distances: Vec<u64> =
        steps.iter().filter(|s| s["function"] == "work").filter_map(|s| s["distance"].as_u64()).collect();
    assert!(distances[0] <= distances.iter().copied().min().unwrap_or(0), "{found}");
    // Without direction there is no distance.
    let (_, document) = explain("--analysis predicate");
    assert!(
        document["steps"].as_array().expect("steps").iter().all(|s| s["distance"].is_null()),
        "{document}"
    );
}

/// Functions are levels of their own under block-abstraction memoization: their distances are those of the call.
#[test]
fn memoised_functions_have_the_distances_of_their_calls() {
    let (code, document) = explain("--analysis bam --search tour --metric st --block sbe");
    assert_eq!(code, Some(1), "{document}");
    expect!["main:7 main:6 main:5 main:4 work:4 work:3 work:2 work:4 work:3 work:4 work:3 work:2 work:4 work:3 work:4 work:3 work:4 work:3 work:2"].assert_eq(&expanded(&document));
}

#[test]
fn the_focus_decides_which_error_is_found_first() {
    for (line, inputs) in [(10, "9"), (14, "5")] {
        let folder = Folder::with(TWO);
        let run = folder
            .tour(&format!("check a.c --no-slice --analysis predicate --search tour --focus a.c:{line}"));
        assert_eq!(run.code, Some(1), "{run:?}");
        assert!(run.out.contains(&format!("    {inputs} (int)")), "line {line}: {}", run.out);
    }
    let run = Folder::with(TWO).tour("check a.c --search tour --focus nonsense");
    assert_eq!(run.code, Some(2));
    assert!(run.err.contains("a place such as ring.c:12"), "{}", run.err);
}

#[test]
fn a_history_is_recorded_and_trained_on() {
    let folder = Folder::with(TWO);
    for metric in ["st", "bb", "lh", "lf"] {
        let args = "check a.c -q --analysis product --search tour --record-history runs.jsonl --metric";
        assert_eq!(folder.tour(&format!("{args} {metric}")).code, Some(1));
    }
    let history = std::fs::read_to_string(folder.path("runs.jsonl")).expect("the history");
    let lines: Vec<Value> = history.lines().map(|l| serde_json::from_str(l).expect("JSON")).collect();
    let metrics: Vec<&str> = lines.iter().filter_map(|l| l["metric"].as_str()).collect();
    assert_eq!(metrics, ["st", "bb", "lh", "lf"]);
    assert!(lines.iter().all(|l| l["solved"] == true && l["features"]["FUNCS"] == 2.0), "{history}");

    let run = folder.tour("train runs.jsonl --threshold none --out model.json");
    assert_eq!(run.code, Some(0), "{run:?}");
    assert!(run.out.starts_with("lazy: learned from 1 of 1 programs\n"), "{}", run.out);
    let run = folder.tour("check a.c --analysis product --search tour --metric-model model.json --stats");
    assert_eq!(run.code, Some(1), "{run:?}");
    assert!(run.out.lines().any(|l| l.trim_start().starts_with("metric ")), "{}", run.out);
}

#[test]
fn what_can_not_be_trained_on_is_said() {
    let folder = Folder::with(TWO).file("bad.jsonl", "{}\n").file("none.jsonl", "");
    for (args, expect) in [
        ("train bad.jsonl", "bad.jsonl:1: missing field"),
        ("train none.jsonl", "no program in the history"),
        ("train missing.jsonl", "missing.jsonl"),
        ("check a.c --record-history h --search tour", "--record-history needs"),
        ("check a.c --search tour --metric-model bad.jsonl", "cargo tour train"),
    ] {
        let run = folder.tour(args);
        assert_eq!(run.code, Some(2), "{args}: {run:?}");
        assert!(run.err.contains(expect), "{args}: {}", run.err);
    }
}
