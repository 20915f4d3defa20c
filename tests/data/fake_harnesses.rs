//! Stands in for a test executable with harnesses: answers requests with files that the test prepared, so that the tests
//! of the command need no build of tour for each crate they make.

use std::fs;

/// The value of a text field of a JSON object, without escapes.
fn field(json: &str, name: &str) -> Option<String> {
    let start = json.find(&format!("\"{name}\":\""))? + name.len() + 4;
    json[start..].split('"').next().map(String::from)
}

fn main() {
    let Ok(request) = std::env::var("TOUR_REQUEST") else { return };
    let request = fs::read_to_string(request).expect("a request");
    let result = field(&request, "result").expect("a result");
    let harness = field(&request, "harness").unwrap_or_default();
    let log = fs::OpenOptions::new().append(true).create(true).open("target/calls.log");
    use std::io::Write;
    // In one piece: others write to it at the same time.
    let line = format!("{} {harness}\n", field(&request, "action").unwrap_or_default());
    log.expect("a log").write_all(line.as_bytes()).expect("a line");
    match field(&request, "action").as_deref() {
        Some("list") => {
            fs::copy("reports/list", result).expect("a list");
        }
        Some("replay") => fs::write(result, r#"{"end":"panicked","message":"boom","file":"a.rs","line":3,"column":1}"#).expect("an end"),
        action => panic!("a test executable can't do {action:?}"),
    }
}
