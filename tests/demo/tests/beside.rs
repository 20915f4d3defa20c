//! Harnesses beside the crate see what it exports.

use std::process::Command;
use tour::{assume, verify};
use tour_demo::ffi::average;

#[verify]
fn the_average_of_equals(a: u32) {
    assert_eq!(unsafe { average(a, a) }, a);
}

#[verify]
#[ignore = "finds something on purpose"]
fn nothing_is_claimed(a: u32) {
    assume(a > 7);
    assume(a < 3);
    assert_eq!(unsafe { average(a, a) }, 0);
}

#[verify]
#[ignore = "finds something on purpose"]
fn the_average_is_small(a: u32) {
    let half = unsafe { average(a, 0) };
    assert!(half < 0x7fff_ffff, "it can be large");
}

#[verify]
#[ignore = "finds something on purpose"]
fn two_claims_are_wrong(a: u32) {
    let half = unsafe { average(a, 0) };
    if a < 100 {
        assert!(half != 7, "seven");
    } else {
        assert!(half != 70, "seventy");
    }
}

/// Runs one of these harnesses, which must fail, and returns what its test says.
fn failing(name: &str) -> String {
    let program = std::env::current_exe().expect("a program");
    let output = Command::new(program)
        .args(["--exact", name, "--ignored", "--nocapture"])
        .output()
        .expect("the test runs");
    let text = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success(), "{text}");
    text.into_owned()
}

#[track_caller]
fn says(name: &str, parts: &[&str]) {
    let text = failing(name);
    for part in parts {
        assert!(text.contains(part), "`{part}` is not in\n{text}");
    }
}

#[test]
fn a_violation_is_shown_with_its_inputs_and_replayed() {
    says(
        "the_average_is_small",
        &[
            "VIOLATED",
            "it can be large",
            "replayed natively: confirmed (panicked at",
            "a: u32 = ",
            "beside.rs",
        ],
    );
}

#[test]
fn all_violations_are_shown() {
    says("two_claims_are_wrong", &["and 1 more", "seven", "seventy", "a: u32 = 14"]);
}

#[test]
fn an_empty_claim_is_a_finding() {
    says("nothing_is_claimed", &["VACUOUS", "no input satisfies the assumptions"]);
}
