//! Suspects of harnesses: in the C, or in the claim of the harness itself.

use super::tests::lower;
use tour_engine::analysis::{self};
use tour_engine::context::Context;
use tour_evidence::verdict::Verdict;
use tour_ir::program::Rule;
use tour_protocol::result::Localisation;
use tour_report::fault::{self, Options};

fn localise(rust: &str, c: &str, rules: &[Rule]) -> Localisation {
    let lowered = lower(rust, c).unwrap_or_else(|error| panic!("{error}"));
    let lowered = lowered.prepared(rules);
    match analysis::verify(&lowered.program, &Context::default()) {
        Verdict::Violated(found) => {
            fault::localise(&lowered.program, &found, &Context::default(), &Options::default())
        }
        other => panic!("{other}"),
    }
}

/// The first suspects, as `file:line`.
fn first(found: &Localisation, n: usize) -> Vec<String> {
    found.suspects.iter().take(n).map(|s| format!("{}:{}", s.line.file, s.line.line)).collect()
}

const CLAMP: &str = "int clamp(int x, int low, int high) {
    if (x < low)
        return low;
    if (x > high)
        return high;
    return x;
}
";

#[test]
fn a_fault_in_the_c_is_found_from_rust() {
    let rust = "extern \"C\" { fn clamp(x: i32, low: i32, high: i32) -> i32; }
        fn h(x: i32) {
            let y = unsafe { clamp(x, 10, 20) };
            assert!(y >= 10 && y <= 20);
        }";
    let found = localise(rust, &CLAMP.replace("return low;", "return x;"), &Rule::STATED);
    assert!(first(&found, 3).contains(&"a.i:3".into()), "{:#?}", found.suspects);
    // The run that succeeds does not come to the line.
    let comparison = found.findings.iter().find_map(|f| f.comparison.as_ref()).expect("a closest run");
    assert!(comparison.rows.iter().any(|row| row.differs && row.failing.is_some()));
}

#[test]
fn the_claim_of_a_harness_can_be_wrong() {
    let rust = "extern \"C\" { fn clamp(x: i32, low: i32, high: i32) -> i32; }
        fn h(x: i32) {
            let y = unsafe { clamp(x, 10, 20) };
            assert!(y >= 10 && y < 20);
        }";
    let found = localise(rust, CLAMP, &Rule::STATED);
    let claim = found.findings.iter().find(|f| f.technique == "claim").expect("a finding");
    assert_eq!((claim.suspects[0].line.file.as_str(), claim.suspects[0].line.line), ("h.rs", 4));
    assert!(claim.suspects[0].reasons[0].contains("<= 20"), "{:?}", claim.suspects[0].reasons);
    assert!(first(&found, 8).contains(&"h.rs:4".into()), "{:#?}", found.suspects);
}

#[test]
fn undefined_behaviour_behind_the_boundary() {
    let rust = "extern \"C\" { fn entry_of(i: u32) -> i32; }
        fn h(i: u32) {
            unsafe { entry_of(i) };
        }";
    let c = "static int table[4];
int entry_of(unsigned i) {
    unsigned at = i;
    if (i > 4)
        at = 3;
    return table[at];
}
";
    let found = localise(rust, c, &[Rule::OutOfBounds]);
    assert!(first(&found, 3).contains(&"a.i:4".into()), "{:#?}", found.suspects);
    // The access that needs the bound is no claim, but may be what is wrong.
    let claim = found.findings.iter().find(|f| f.technique == "claim").expect("a finding");
    assert_eq!(claim.suspects[0].line.line, 6);
}

#[test]
fn loops_and_functions_on_both_sides() {
    let rust = "extern \"C\" { fn sum(n: u32) -> u32; }
        #[tour::spec]
        fn twice(n: u32) -> u32 {
            2 * n
        }
        fn h(n: u32) {
            assume(n < 4);
            let s = unsafe { sum(n) };
            assert_eq!(s, twice(n));
        }";
    let c = "unsigned sum(unsigned n) {
    unsigned s = 0;
    for (unsigned i = 0; i < n; i++) {
        s = s + 2;
        if (i == 2)
            s = s + 1;
    }
    return s;
}
";
    let found = localise(rust, c, &Rule::STATED);
    let lines = first(&found, 3);
    assert!(lines.contains(&"a.i:5".into()) || lines.contains(&"a.i:6".into()), "{:#?}", found.suspects);
}
