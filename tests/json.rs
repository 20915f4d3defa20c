//! `--json`: what machines read.

use crate::support::{Folder, Run};
use serde_json::{Value, json};
use tour::result::{Counterexample, Message, Note};

fn document(run: &Run) -> Value {
    serde_json::from_str(&run.out).unwrap_or_else(|e| panic!("{e} in {run:#?}"))
}

#[test]
fn a_proof() {
    let folder = Folder::with(
        "extern void reach_error(void);\nint g(void);\nint main(void) { g(); int i = 0; while (i < 3) i++; if (i > 3) reach_error(); }",
    );
    let run = folder.tour("check a.c --json --data-model ilp32");
    assert_eq!(run.code, Some(0), "{run:?}");
    let value = document(&run);
    assert_eq!(value["schema"], 1);
    assert_eq!(value["verdict"], "SAFE");
    assert_eq!(value["files"], json!(["a.c"]));
    assert_eq!(value["data-model"], "ilp32");
    assert_eq!(value["properties"][0], json!({"property": "unreach-call", "result": "proved", "checks": 1}));
    assert_eq!(value["assumptions"][0]["place"]["file"], "a.c");
    assert!(value["statistics"]["locations"].as_u64().is_some_and(|n| n > 0), "{value}");
    assert!(value["violation"].is_null());
}

#[test]
fn a_violation() {
    let folder = Folder::with(
        "extern void reach_error(void);\nextern int __VERIFIER_nondet_int(void);\n\
         int main(void) {\n  int x = __VERIFIER_nondet_int();\n  if (x == 0) reach_error();\n}",
    );
    let run = folder.tour("check a.c --message-format json");
    assert_eq!(run.code, Some(1), "{run:?}");
    let value = document(&run);
    assert_eq!(value["verdict"], "UNSAFE");
    assert_eq!(value["violation"]["property"], "unreach-call");
    assert_eq!(value["violation"]["place"]["line"], 5);
    assert_eq!(value["violation"]["inputs"][0]["value"], "0");
    assert_eq!(value["violation"]["inputs"][0]["type"], "int");
    assert_eq!(value["violation"]["inputs"][0]["place"]["line"], 4);
    assert!(value["violation"]["trace"].as_array().is_some_and(|t| t.len() >= 2), "{value}");
    assert_eq!(value["properties"][0]["result"], "violated");
    assert_eq!(value["properties"][1]["result"], "unknown");
}

#[test]
fn an_invalid_program() {
    let run = Folder::with("int main(void) {\n  return +;\n}\n").tour("check a.c --json");
    assert_eq!(run.code, Some(2), "{run:?}");
    let value = document(&run);
    assert_eq!((&value["verdict"], &value["reason"]["kind"]), (&json!("UNKNOWN"), &json!("invalid-program")));
    assert_eq!(value["diagnostics"][0]["severity"], "error");
    assert_eq!(value["diagnostics"][0]["labels"][0]["place"]["line"], 2);
}

#[test]
fn an_unsupported_construct_has_its_place() {
    let run =
        Folder::with("int main(void) {\n  __asm__(\"hlt\" ::: \"memory\");\n}\n").tour("check a.c --json");
    assert_eq!(run.code, Some(3), "{run:?}");
    let value = document(&run);
    assert_eq!(value["reason"]["kind"], "unsupported");
    assert_eq!(value["reason"]["place"]["line"], 2);
}

/// What is printed is the result model, nothing more and nothing less.
#[track_caller]
pub fn expect_model<T: serde::Serialize + serde::de::DeserializeOwned>(printed: &Value) {
    let read: T = serde_json::from_value(printed.clone()).unwrap_or_else(|e| panic!("{e} in {printed:#}"));
    assert_eq!(serde_json::to_value(read).expect("JSON"), *printed);
}

#[test]
fn violations_notes_and_messages_are_those_of_the_result_model() {
    let folder = Folder::with(
        "extern void reach_error(void);\nextern int __VERIFIER_nondet_int(void);\nextern int g(void);\n\
         int main(int argc) {\n  int x = __VERIFIER_nondet_int();\n  if (x == g() && argc == 3) reach_error();\n}",
    );
    let value = document(&folder.tour("check a.c --json"));
    expect_model::<Counterexample>(&value["violation"]);
    expect_model::<Vec<Message>>(&value["diagnostics"]);
    expect_model::<Vec<Note>>(&value["assumptions"]);
    let inputs = value["violation"]["inputs"].as_array().expect("inputs");
    let relevant = inputs.iter().filter(|input| input["relevant"] == true).map(|input| &input["origin"]);
    assert_eq!(relevant.collect::<Vec<_>>(), ["parameter", "nondet", "undefined-function"], "{value:#}");
    assert_eq!(value["violation"]["replay"], json!({"result": "not-run", "why": ""}));
}
