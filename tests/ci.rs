//! `cargo tour ci`: what it prints is run as a CI service would.

use crate::support::{Folder, Run};
use crate::thin::Package;
use std::process::Command;

const REPOSITORY: &str = "https://me:secret@example.org/tour.git";

/// What is printed for a service, in a folder.
fn printed(demo: &Package, service: &str) -> String {
    let run = demo.tour(&format!("ci {service} --git {REPOSITORY}"));
    assert_eq!((run.code, run.err.as_str()), (Some(0), ""), "{run:#?}");
    run.out
}

/// The scripts of a workflow: the blocks below `run: |`.
fn scripts(workflow: &str) -> Vec<String> {
    let mut scripts: Vec<String> = Vec::new();
    let mut inside = false;
    for line in workflow.lines() {
        if line.trim() == "run: |" {
            inside = true;
            scripts.push(String::new());
        } else if let Some(text) = line.strip_prefix("          ").filter(|_| inside) {
            let script = scripts.last_mut().expect("a script");
            *script += text;
            script.push('\n');
        } else {
            inside = false;
        }
    }
    scripts
}

/// A shell in which the command is installed already.
fn run(demo: &Package, script: &str) -> Run {
    let tools = demo.0.join("bin");
    std::fs::create_dir_all(&tools).expect("a folder");
    let _ = std::fs::remove_file(tools.join("cargo-tour"));
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_cargo-tour"), tools.join("cargo-tour")).expect("a link");
    let mut command: Command = demo.command("sh".as_ref(), "");
    let path = format!("{}:{}", tools.display(), std::env::var("PATH").expect("a path"));
    // Of a workflow, these are in `env`.
    command.args(["-eu", "-c", script]).env("PATH", path).env("TOUR_REQUIRE_PROOF", "1");
    Run::of(command.output().expect("a shell"))
}

#[test]
fn a_workflow_installs_verifies_tests_and_uploads() {
    let demo = Package::demo();
    let workflow = printed(&demo, "github");
    for part in [
        "TOUR_REQUIRE_PROOF: \"1\"",
        "path: target/tour",
        "uses: github/codeql-action/upload-sarif@v3",
        "sarif_file: tour.sarif",
        "security-events: write",
    ] {
        assert!(workflow.contains(part), "{part}: {workflow}");
    }
    assert!(!workflow.contains("TOUR_PROFILE") && !workflow.contains("secret"), "{workflow}");
    let scripts = scripts(&workflow);
    assert_eq!(scripts.len(), 3, "{workflow}");
    assert!(scripts[0].contains("git clone --quiet https://example.org/tour.git"), "{}", scripts[0]);
    assert!(scripts[0].contains("\"$source/setup\" deps"), "{}", scripts[0]);
    for script in &scripts {
        let run = run(&demo, script);
        assert_eq!(run.code, Some(0), "{script}{run:#?}");
    }
    let sarif = std::fs::read_to_string(demo.0.join("tour.sarif")).expect("SARIF");
    assert!(sarif.contains("\"runs\""), "{sarif}");
}

#[test]
fn a_script_does_the_same_and_fails_with_what_it_runs() {
    let demo = Package::demo();
    std::fs::write(demo.0.join("tour.toml"), "[profile.ci]\ntimeout = \"2m\"\n").expect("a file");
    let script = printed(&demo, "shell");
    assert!(script.starts_with("#!/bin/sh\n") && script.contains("export TOUR_PROFILE=ci\n"), "{script}");
    let passed = run(&demo, &script);
    assert_eq!(passed.code, Some(0), "{passed:#?}");
    assert!(
        passed.out.contains("3 harnesses: 3 proved") || passed.err.contains("3 harnesses: 3 proved"),
        "{passed:#?}"
    );
    assert!(passed.out.contains("test result: ok. 3 passed"), "{passed:#?}");
    // A harness that is not proved.
    let failing = script.replace("--workspace --sarif", "--workspace --include-ignored --sarif");
    assert_eq!(run(&demo, &failing).code, Some(1));
}

#[test]
fn an_address_is_one_that_others_can_use() {
    let folder = Folder::new();
    for address in ["/home/me/tour", "https://example.org/$(id)", "tour"] {
        let mut command = folder.command("ci github --git");
        let run = Run::of(command.arg(address).output().expect("the binary runs"));
        assert_eq!(run.code, Some(2), "{run:#?}");
        assert!(run.err.contains("is no address of a repository"), "{run:#?}");
    }
}
