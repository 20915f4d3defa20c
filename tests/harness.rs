//! `#[verify]` as a user has it: a crate of its own with C, verified by plain `cargo test`.

use std::path::Path;
use std::process::{Command, Output};

/// `cargo test` in the demonstration crate. Its dependencies are those of this workspace, and compiled already.
fn cargo_test(args: &[&str]) -> Output {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("a workspace");
    let mut command = Command::new(env!("CARGO"));
    command.args(["test", "--offline"]).args(args).current_dir(root.join("tests/demo"));
    command.env("CARGO_TARGET_DIR", root.join("target"));
    command.output().expect("cargo runs")
}

fn text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

#[test]
#[ignore = "builds a crate of its own"]
fn harnesses_are_tests() {
    let output = cargo_test(&[]);
    let text = text(&output);
    assert!(output.status.success(), "{text}");
    for line in [
        "test proofs::the_average_lies_between ... ok",
        "test proofs::clamping_forgets_the_lower_end - should panic ... ok",
        "test proofs::a_digit_needs_to_be_one ... ok",
        "test proofs::a_digit_is_one ... ok",
        "test the_average_of_equals ... ok",
    ] {
        assert!(text.contains(line), "{line}\n{text}");
    }
}

#[test]
#[ignore = "builds a crate of its own"]
fn a_violation_is_shown_with_its_inputs_and_replayed() {
    let output = cargo_test(&["--test", "beside", "--", "--ignored"]);
    let text = text(&output);
    assert!(!output.status.success(), "{text}");
    for part in [
        "VIOLATED",
        "assertion `unsafe { average(a, 0) } < 0x7fff_ffff`: it can be large",
        "replayed natively: confirmed, panicked at",
        "a: u32 = ",
        "VACUOUS",
        "no input satisfies the assumptions",
    ] {
        assert!(text.contains(part), "{part}\n{text}");
    }
}
