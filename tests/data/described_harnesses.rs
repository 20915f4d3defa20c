//! Stands in for a test executable with harnesses: says what was compiled into it, and ends every native run with a panic.

use std::io::Write;

const LIST: &str = include_str!("../harnesses.json");

fn field(json: &str, name: &str) -> Option<String> {
    let start = json.find(&format!("\"{name}\":\""))? + name.len() + 4;
    json[start..].split('"').next().map(String::from)
}

fn main() {
    let Ok(request) = std::env::var("TOUR_REQUEST") else { return };
    let request = std::fs::read_to_string(request).expect("a request");
    let result = field(&request, "result").expect("a result");
    let end = r#"{"end":"panicked","message":"boom","file":"a.rs","line":3,"column":1}"#;
    let text = if field(&request, "action").as_deref() == Some("list") { LIST } else { end };
    std::fs::File::create(result).and_then(|mut file| file.write_all(text.as_bytes())).expect("an answer");
}
