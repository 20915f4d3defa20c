//! `cargo tour cfa` and `features`.

use crate::support::Folder;

const LOOP: &str = "int twice(int x) { return x + x; }\n\
                    int main(void) { int i = 0; while (i < 3) i = i + 1; return twice(i); }\n";

#[test]
fn dot() {
    let run = Folder::with(LOOP).tour("cfa a.c");
    assert_eq!(run.code, Some(0), "{run:?}");
    assert!(run.out.starts_with("digraph") && run.out.trim_end().ends_with('}'), "{}", run.out);
    assert!(run.out.contains("i < 3") && run.out.contains("twice"), "{}", run.out);
}

#[test]
fn json() {
    let run = Folder::with(LOOP).tour("cfa a.c --format json");
    assert_eq!(run.code, Some(0), "{run:?}");
    let value: serde_json::Value = serde_json::from_str(&run.out).expect("it is JSON");
    assert_eq!(value["schema"], "tour-cfa/1");
    assert_eq!(value["functions"].as_array().map(Vec::len), Some(2));
    assert!(
        value["locations"].as_array().expect("locations").iter().any(|l| l["loop_head"] == true),
        "{value}"
    );
}

#[test]
fn svg_into_a_file() {
    let folder = Folder::with(LOOP);
    let run = folder.tour("cfa a.c --format svg -o a.svg");
    assert_eq!((run.code, run.out.as_str()), (Some(0), ""), "{run:?}");
    let text = std::fs::read_to_string(folder.path("a.svg")).expect("the file");
    assert!(text.starts_with("<svg") && text.trim_end().ends_with("</svg>"), "{text}");
}

#[test]
fn one_function() {
    let folder = Folder::with(LOOP);
    let run = folder.tour("cfa a.c --function twice");
    assert!(run.out.contains("x + x") && !run.out.contains("i < 3"), "{}", run.out);
    let run = folder.tour("cfa a.c --function twice --format json");
    let value: serde_json::Value = serde_json::from_str(&run.out).expect("it is JSON");
    assert_eq!(value["functions"].as_array().map(Vec::len), Some(1), "{value}");
    let run = folder.tour("cfa a.c --function thrice");
    assert_eq!(run.code, Some(2));
    let known = ["twice, main", "main, twice"];
    assert!(run.err.contains("thrice") && known.iter().any(|names| run.err.contains(names)), "{}", run.err);
}

#[test]
fn what_can_not_be_written() {
    let run = Folder::with(LOOP).tour("cfa a.c -o nowhere/a.dot");
    assert_eq!(run.code, Some(2), "{run:?}");
    assert!(run.err.contains("nowhere/a.dot"), "{}", run.err);
}

#[test]
fn features() {
    let folder = Folder::with(LOOP);
    let run = folder.tour("features a.c");
    assert_eq!(run.code, Some(0), "{run:?}");
    assert_eq!(run.out.lines().count(), 25, "{}", run.out);
    let value: serde_json::Value =
        serde_json::from_str(&folder.tour("features a.c --json").out).expect("it is JSON");
    assert_eq!(value.as_object().map(|o| o.len()), Some(25), "{value}");
}
