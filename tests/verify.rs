//! `cargo tour verify` and its kin on packages: real builds, and a stand-in for test executables with harnesses.

use crate::support::{Folder, Run};
use serde_json::Value;
use tour::protocol::Listed;
use tour::result::*;

const MANIFEST: &str = "[package]\nname = \"demo\"\nversion = \"0.1.0\"\nedition = \"2021\"\n[workspace]\n";

/// A package without harnesses.
fn package(files: &[(&str, &str)]) -> Folder {
    let mut folder = Folder::new();
    for (name, text) in [("Cargo.toml", MANIFEST), ("src/lib.rs", "")].iter().chain(files) {
        let path = folder.path(name);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        folder = folder.file(name, text);
    }
    folder
}

fn harness(name: &str) -> Harness {
    Harness {
        name: name.into(),
        module: "demo".into(),
        function: name.into(),
        package: "demo".into(),
        manifest_dir: ".".into(),
        file: "src/lib.rs".into(),
        line: 1,
        tags: if name.contains("slow") { vec!["slow".into()] } else { Vec::new() },
        source: format!("fn {name}() {{}}"),
        ..Harness::default()
    }
}

fn result(folder: &Folder, name: &str) -> ClaimResult {
    let mut harness = harness(name);
    harness.manifest_dir = folder.path("");
    let place = SourcePlace {
        file: "src/lib.rs".into(),
        line: 2,
        column: 5,
        length: 3,
        text: "    abc();".into(),
        only_named: false,
    };
    let status = match name {
        _ if name.contains("violated") => Status::Violated,
        _ if name.contains("unknown") => Status::Unknown,
        _ if name.contains("vacuous") => Status::Vacuous,
        _ => Status::Proved,
    };
    let mut report = ClaimResult {
        certified: name.contains("unchecked").then_some(false),
        checks: vec![PropertyResult { property: "assert".into(), result: status, checks: 3 }],
        time: 0.5,
        sources: vec!["src/lib.rs".into()],
        ..ClaimResult::new(harness, status)
    };
    let (reason, kind) = match status {
        Status::Violated => ("an assertion can fail", "assert"),
        Status::Unknown => ("inline assembler can be reached", "unsupported"),
        Status::Vacuous => {
            let message = "no input satisfies the assumptions".into();
            report.vacuity = vec![Vacuity { kind: VacuityKind::Assumptions, message, place }];
            return report;
        }
        _ => return report,
    };
    (report.reason, report.kind) = (reason.into(), Some(kind.into()));
    report.diagnostics.push(Message {
        code: format!("tour::{kind}"),
        severity: Severity::Error,
        message: reason.into(),
        labels: vec![Note { message: "here".into(), place: place.clone() }],
        help: None,
    });
    if status == Status::Violated {
        report.violations.push(Counterexample {
            property: "assert".into(),
            message: reason.into(),
            place: place.clone(),
            inputs: vec![InputValue {
                name: "x".into(),
                value: "7".into(),
                ty: "u8".into(),
                origin: InputOrigin::Nondet,
                relevant: true,
                bits: vec![Bits(7)],
                operation: None,
                place: Some(place),
            }],
            scalars: vec![Bits(7)],
            trace: Vec::new(),
            interleaving: Vec::new(),
            replay: Replay::Confirmed { how: "panicked".into() },
            faults: None,
        });
    }
    if name.contains("twice") {
        let mut second = report.violations[0].clone();
        second.property = "out-of-bounds".into();
        second.message = "read past the end".into();
        second.place.line = 9;
        let mut told = report.diagnostics[0].clone();
        told.message.clone_from(&second.message);
        told.labels[0].place.line = 9;
        report.violations.push(second);
        report.diagnostics.push(told);
    }
    report
}

/// A package with these harnesses.
fn with_harnesses(names: &[&str]) -> Folder {
    let target = "[[test]]\nname = \"fake\"\nharness = false\n";
    let mut folder = package(&[
        ("Cargo.toml", &MANIFEST.replace("[workspace]", &format!("{target}[workspace]"))),
        ("tests/fake.rs", include_str!("data/fake_harnesses.rs")),
        ("reports/list", ""),
    ]);
    let listed = |name: &&str| {
        let version = tour::VERSION.to_owned();
        let listed = Listed { protocol: PROTOCOL, version, harness: harness(name) };
        serde_json::to_string(&listed).expect("JSON")
    };
    let list: Vec<String> = names.iter().map(listed).collect();
    folder = folder.file("reports/list", list.join("\n")).file("worker", include_str!("data/worker.sh"));
    let executable = std::process::Command::new("chmod").arg("+x").arg(folder.path("worker")).status();
    assert!(executable.expect("chmod").success());
    for name in names {
        let report = serde_json::to_string(&result(&folder, name)).expect("JSON");
        folder = folder.file(&format!("reports/{name}"), report);
    }
    folder
}

fn cargo_tour(folder: &Folder, args: &str) -> Run {
    let mut command = folder.command(args);
    for variable in ["CARGO_TARGET_DIR", "TOUR_PROFILE", "GITHUB_ACTIONS", "RUSTFLAGS"] {
        command.env_remove(variable);
    }
    Run::of(command.output().expect("the binary runs"))
}

#[track_caller]
fn expect_code(run: &Run, code: i32) {
    assert_eq!(run.code, Some(code), "{run:#?}");
}

#[test]
fn the_worst_result_decides_the_exit_code() {
    let check = |names: &[&str], code| expect_code(&cargo_tour(&with_harnesses(names), "verify -q"), code);
    check(&["a_proved", "b_proved"], 0);
    check(&["a_proved", "violated", "unknown"], 1);
    check(&["a_proved", "unknown", "vacuous"], 3);
    check(&["a_proved", "unchecked", "vacuous"], 3);
    check(&["unchecked", "violated"], 1);
    check(&["a_proved", "vacuous"], 5);
    check(&["a_proved", "crash", "violated"], 70);
    check(&[], 4);
}

#[test]
fn lines_failures_and_summary() {
    let folder = with_harnesses(&["proved", "violated"]);
    let run = cargo_tour(&folder, "verify -j 1");
    expect_code(&run, 1);
    assert!(run.out.contains("Captured 0 C files from 0 build scripts"), "{run:#?}");
    assert!(run.out.contains("    PROVED [   0.5s] demo proved    3 checks"), "{run:#?}");
    assert!(
        run.out.contains("  VIOLATED [   0.5s] demo violated  replayed natively: confirmed (panicked)"),
        "{run:#?}"
    );
    assert!(run.last_line().contains("2 harnesses: 1 proved, 1 violated"), "{run:#?}");
    assert!(run.err.contains("an assertion can fail") && run.err.contains("let x: u8 = 7;"), "{run:#?}");
}

#[test]
fn a_proof_that_is_not_certified_is_no_success() {
    let folder = with_harnesses(&["proved", "unchecked"]);
    for _ in 0..2 {
        let run = cargo_tour(&folder, "verify -j 1 --junit tour.xml");
        expect_code(&run, 3);
        assert!(run.out.contains("demo unchecked  (not certified)  3 checks"), "{run:#?}");
    }
    let short = cargo_tour(&folder, "verify --message-format short");
    assert!(short.out.contains("proved: demo unchecked: (not certified)"), "{short:#?}");
    assert!(short.last_line().contains("(1 cached)"), "only what is certified is kept: {short:#?}");
    let junit = std::fs::read_to_string(folder.path("tour.xml")).expect("a file");
    assert!(junit.contains("errors=\"1\""), "{junit}");
}

#[test]
fn a_second_run_takes_everything_from_the_cache_until_something_changes() {
    let folder = with_harnesses(&["proved", "violated", "unknown"]);
    let runs = || {
        let log = std::fs::read_to_string(folder.path("target/calls.log")).unwrap_or_default();
        log.lines().filter(|line| line.starts_with("verify")).count()
    };
    cargo_tour(&folder, "verify");
    assert_eq!(runs(), 3);
    let second = cargo_tour(&folder, "verify");
    expect_code(&second, 1);
    assert!(second.last_line().contains("(3 cached)"), "{second:#?}");
    assert_eq!(runs(), 3);
    cargo_tour(&folder, "verify --no-cache");
    assert_eq!(runs(), 6);
    std::fs::write(folder.path("src/lib.rs"), "pub fn changed() {}").expect("a file");
    cargo_tour(&folder, "verify");
    assert_eq!(runs(), 9);
    assert_eq!(cargo_tour(&folder, "clean --cache").code, Some(0));
    cargo_tour(&folder, "verify");
    assert_eq!(runs(), 12);
}

/// Coverage of harnesses as their records say it, which the stand-in does not write.
fn leave_record(folder: &Folder, harness: &str, visited: &[u32], unvisited: &[u32]) {
    use tour::coverage::{Coverage, FileCoverage, LineCoverage, LineState, MeasureValue, measure::Kind};
    let line = |state, visits| move |&line: &u32| LineCoverage { line, visits, state };
    let (covered, total) = (visited.len(), visited.len() + unvisited.len());
    let mut lines: Vec<LineCoverage> = visited.iter().map(line(LineState::Reached, 1)).collect();
    lines.extend(unvisited.iter().map(line(LineState::Unvisited, 0)));
    let id = "visited-lines".to_owned();
    let value = covered as f64 / total as f64;
    let measures =
        vec![MeasureValue { id, describe: String::new(), kind: Kind::Lines, covered, total, value }];
    let files = vec![FileCoverage { file: "a.c".into(), lines, functions: Vec::new() }];
    let coverage = Coverage { measures, files, ..Coverage::default() };
    let record = tour::report::record::Record { name: harness.into(), coverage, ..Default::default() };
    let path = folder.path("target/tour/records");
    std::fs::create_dir_all(&path).expect("a folder");
    let text = serde_json::to_string(&record).expect("JSON");
    std::fs::write(path.join(format!("demo-{harness}.json")), text).expect("a file");
}

#[test]
fn gates_are_for_all_harnesses_together() {
    let folder = with_harnesses(&["pop", "push"]);
    leave_record(&folder, "pop", &[1, 2], &[3, 4]);
    leave_record(&folder, "push", &[2, 3], &[1, 4]);
    let run = cargo_tour(&folder, "verify -q --fail-under-lines 75 --lcov all.info --report all.html");
    expect_code(&run, 0);
    let lcov = std::fs::read_to_string(folder.path("all.info")).expect("a file");
    assert!(lcov.contains("DA:1,1\nDA:2,2\nDA:3,1\nDA:4,0\n"), "{lcov}");
    let page = std::fs::read_to_string(folder.path("all.html")).expect("a file");
    assert!(page.contains("\"name\":\"pop\"") && page.contains("\"name\":\"push\""));
    let run = cargo_tour(&folder, "verify -q --fail-under-lines 76");
    expect_code(&run, 5);
    assert!(run.err.contains("error: visited-lines 75.0 %, below the 76 % asked for"), "{run:#?}");
    // One harness alone covers less.
    expect_code(&cargo_tour(&folder, "verify -q pop --fail-under-lines 75"), 5);
    // A violation is worse than a gate.
    let folder = with_harnesses(&["violated"]);
    leave_record(&folder, "violated", &[1], &[2]);
    expect_code(&cargo_tour(&folder, "verify -q --fail-under-lines 100"), 1);
}

#[test]
fn mutants_are_noticed_if_some_harness_does() {
    let folder = with_harnesses(&["pop", "push", "violated"]);
    let mutant = |line, verdict| TriedMutant {
        place: SourcePlace {
            file: "a.c".into(),
            line,
            column: 5,
            length: 1,
            text: String::new(),
            only_named: false,
        },
        describe: "`n < 4` becomes `n <= 4`".into(),
        verdict,
    };
    let tried = [
        ("pop", [mutant(1, Status::Proved), mutant(2, Status::Proved), mutant(3, Status::Unknown)]),
        ("push", [mutant(1, Status::Violated), mutant(2, Status::Unknown), mutant(3, Status::Unknown)]),
    ];
    let mut folder = folder;
    for (name, tried) in tried {
        let mut told = result(&folder, name);
        told.mutants = Some(MutantsTried { all: 3, tried: tried.to_vec() });
        folder = folder.file(&format!("reports/{name}"), serde_json::to_string(&told).expect("JSON"));
    }
    let run = cargo_tour(&folder, "mutants --fail-under 50");
    expect_code(&run, 0);
    assert!(run.out.contains("missed a.c:2:5: `n < 4` becomes `n <= 4` (by pop)"), "{run:#?}");
    let last = "3 of 3 mutants: 1 noticed, 1 not noticed, 1 undecided: 50.0 %";
    assert!(run.last_line().ends_with(last), "{run:#?}");
    assert!(run.err.contains("`violated` is left out: it is not proved"), "{run:#?}");
    expect_code(&cargo_tour(&folder, "mutants --fail-under 51"), 5);
    expect_code(&cargo_tour(&folder, "mutants violated"), 3);
    expect_code(&cargo_tour(&folder, "mutants nowhere"), 4);
}

#[test]
fn selections() {
    let folder = with_harnesses(&["ring_push", "ring_pop", "crc_slow"]);
    let selected = |args: &str| {
        let run = cargo_tour(&folder, &format!("list -q {args}"));
        run.out
            .lines()
            .map(|line| line.split_whitespace().nth(1).unwrap_or("").to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(selected(""), ["crc_slow", "ring_pop", "ring_push"]);
    assert_eq!(selected("ring"), ["ring_pop", "ring_push"]);
    assert_eq!(selected("--skip pop ring"), ["ring_push"]);
    assert_eq!(selected("--tag slow"), ["crc_slow"]);
    assert_eq!(selected("--exact ring_pop ring"), ["ring_pop"]);
    let (one, two) = (selected("--partition hash:1/2"), selected("--partition hash:2/2"));
    assert_eq!(one.len() + two.len(), 3);
    let nothing = cargo_tour(&folder, "verify -q nowhere");
    expect_code(&nothing, 4);
    assert!(nothing.err.contains("none of 3 harnesses is selected"), "{nothing:#?}");
}

#[test]
fn fail_fast_leaves_the_rest() {
    let run = cargo_tour(&with_harnesses(&["a_violated", "b_proved", "c_proved"]), "verify -j1 --fail-fast");
    expect_code(&run, 1);
    assert!(run.last_line().contains("1 violated, 2 not run"), "{run:#?}");
}

#[test]
fn outputs_for_machines() {
    let folder = with_harnesses(&["proved", "violated"]);
    let run = cargo_tour(&folder, "verify -q --message-format json --junit out/j.xml --sarif out/s.sarif");
    expect_code(&run, 1);
    let lines: Vec<Value> = run.out.lines().map(|l| serde_json::from_str(l).expect("JSON")).collect();
    assert_eq!(lines[0]["type"], "harness");
    assert_eq!(lines[2]["type"], "summary");
    assert_eq!(lines[2]["exit-code"], 1);
    assert_eq!(lines[2]["counts"]["violated"], 1);
    let junit = std::fs::read_to_string(folder.path("out/j.xml")).expect("a file");
    assert!(
        junit.contains("<testsuite name=\"demo\" tests=\"2\" skipped=\"0\" errors=\"0\" failures=\"1\""),
        "{junit}"
    );
    let sarif = std::fs::read_to_string(folder.path("out/s.sarif")).expect("a file");
    let sarif: Value = serde_json::from_str(&sarif).expect("JSON");
    let result = &sarif["runs"][0]["results"][0];
    assert_eq!(result["ruleId"], "assert");
    assert_eq!(result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"], "src/lib.rs");
}

#[test]
fn annotations_for_github() {
    let folder = with_harnesses(&["violated"]);
    let mut command = folder.command("verify -q");
    let run = Run::of(
        command.env("GITHUB_ACTIONS", "true").env_remove("GITHUB_WORKSPACE").output().expect("it runs"),
    );
    assert!(
        run.out
            .contains("::error file=src/lib.rs,line=2,col=5,title=violated violated::an assertion can fail"),
        "{run:#?}"
    );
}

#[test]
fn confirmed_inputs_are_kept_and_replayed() {
    let folder = with_harnesses(&["violated"]);
    cargo_tour(&folder, "verify -q");
    let kept = std::fs::read_to_string(folder.path("tour-regressions/violated.json")).expect("a file");
    assert!(kept.contains("x: u8 = 7") && kept.contains("\"0x7\""), "{kept}");
    let run = cargo_tour(&folder, "replay -q viol");
    expect_code(&run, 1);
    assert!(run.out.contains("It panicked at a.rs:3: boom"), "{run:#?}");
    expect_code(&cargo_tour(&folder, "replay -q nowhere"), 2);
}

/// Waits until a harness runs.
fn wait_for_harness(folder: &Folder, call: &str, child: &mut std::process::Child) {
    let log = folder.path("target/calls.log");
    for _ in 0..600 {
        if std::fs::read_to_string(&log).is_ok_and(|text| text.contains(call)) {
            return;
        }
        std::thread::sleep(std::time::Duration::from_millis(100));
        assert!(child.try_wait().expect("a process").is_none(), "it ended by itself");
    }
    panic!("no harness was run");
}

#[test]
fn a_harness_that_hangs_is_ended() {
    let folder = with_harnesses(&["hang"]);
    let mut command = folder.command("verify");
    let mut child = command
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .expect("it runs");
    wait_for_harness(&folder, "verify hang", &mut child);
    let killed = std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(killed.expect("kill").success());
    let run = Run::of(child.wait_with_output().expect("it ends"));
    expect_code(&run, 130);
    assert!(run.last_line().contains("1 not run"), "{run:#?}");
}

#[test]
fn a_run_that_is_killed_leaves_nothing_broken() {
    let folder = with_harnesses(&["a_proved", "hang"]);
    let mut command = folder.command("verify -j1 -q");
    let mut child = command.stdout(std::process::Stdio::null()).spawn().expect("it runs");
    wait_for_harness(&folder, "verify hang", &mut child);
    child.kill().expect("a process");
    child.wait().expect("a process");
    // The lock is free, and what was proved before is known.
    let run = cargo_tour(&folder, "verify a_proved");
    expect_code(&run, 0);
    assert!(run.last_line().contains("1 proved (1 cached)"), "{run:#?}");
}

#[test]
fn a_warm_run_takes_no_time() {
    let names: Vec<String> = (0..20).map(|i| format!("proved_{i:02}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let folder = with_harnesses(&names);
    expect_code(&cargo_tour(&folder, "verify -q"), 0);
    // The first build may have begun in the same instant in which the files were written: then cargo is asked once more.
    expect_code(&cargo_tour(&folder, "verify -q"), 0);
    let times = (0..3).map(|_| {
        let start = std::time::Instant::now();
        let mut command = folder.command("verify");
        // Neither cargo nor a harness is run.
        command.env("CARGO", "/nowhere/cargo").env_remove("CARGO_TARGET_DIR");
        let run = Run::of(command.output().expect("the binary runs"));
        expect_code(&run, 0);
        assert!(run.out.contains("unchanged") && run.last_line().contains("(20 cached)"), "{run:#?}");
        start.elapsed()
    });
    // Some 20 ms; the rest is for machines that are busy.
    let best = times.min().unwrap_or_default();
    assert!(best < std::time::Duration::from_millis(300), "{best:?}");
}

#[test]
fn a_replay_under_a_debugger() {
    let folder = with_harnesses(&["violated"]);
    cargo_tour(&folder, "verify -q");
    let folder = folder.file("gdb", "#!/bin/sh\necho \"debugging $1 $3 $4\"\nshift; exec \"$@\"\n");
    let script = folder.path("gdb");
    assert!(std::process::Command::new("chmod").arg("+x").arg(&script).status().expect("chmod").success());
    let run = cargo_tour(&folder, &format!("replay -q violated --debugger {}", script.display()));
    expect_code(&run, 0);
    assert!(run.out.contains("debugging --args --exact violated"), "{run:#?}");
    let missing = cargo_tour(&folder, "replay -q violated --debugger nowhere-gdb");
    expect_code(&missing, 2);
    assert!(missing.err.contains("cannot run `nowhere-gdb`"), "{missing:#?}");
}

#[test]
fn no_package_here() {
    let run = cargo_tour(&Folder::new(), "verify");
    expect_code(&run, 2);
    assert!(run.err.contains("there is no Cargo.toml"), "{run:#?}");
}

#[test]
fn a_build_that_fails() {
    let run = cargo_tour(&package(&[("src/lib.rs", "fn f() -> u8 { \"\" }")]), "verify");
    expect_code(&run, 101);
    assert!(run.err.contains("mismatched types") && run.err.contains("the build failed"), "{run:#?}");
}

#[test]
fn a_package_without_harnesses() {
    let run = cargo_tour(&package(&[]), "verify -q");
    expect_code(&run, 4);
    assert!(run.err.contains("no harness was found"), "{run:#?}");
    expect_code(&cargo_tour(&package(&[]), "capture -q"), 4);
}

#[test]
fn settings_that_make_no_sense() {
    let folder = with_harnesses(&["proved"]).file("tour.toml", "[profile.default]\ntimeout = \"soon\"\n");
    let run = cargo_tour(&folder, "verify -q");
    expect_code(&run, 2);
    assert!(run.err.contains("`soon` is no time") && run.err.contains("tour.toml:2:11"), "{run:#?}");
    let run = cargo_tour(&folder.file("tour.toml", "[profile.ci]\n"), "verify -q --profile nightly");
    expect_code(&run, 2);
    assert!(run.err.contains("no profile `nightly`") && run.err.contains("ci"), "{run:#?}");
}

#[test]
fn a_target_directory_that_cant_be_written() {
    // A file in its place: root may write into any folder.
    let run = cargo_tour(&package(&[]).file("target", ""), "verify -q");
    expect_code(&run, 2);
    assert!(run.err.contains("CARGO_TARGET_DIR"), "{run:#?}");
}

/// A build script that calls the compiler as crate `cc` does, without needing that crate.
const BUILD_RS: &str = r#"
use std::process::Command;
fn main() {
    let cc = std::env::var("CC").unwrap_or("cc".into());
    let out = std::env::var("OUT_DIR").unwrap();
    let run = |program: &str, args: &[&str]| assert!(Command::new(program).args(args).status().unwrap().success());
    let (ring, extra) = (format!("{out}/ring.o"), format!("{out}/extra.o"));
    std::fs::write(format!("{out}/flag_check.c"), "int main(void) { return 0; }").unwrap();
    run(&cc, &["-c", &format!("{out}/flag_check.c"), "-o", &format!("{out}/flag_check.o")]);
    run(&cc, &["-Icsrc", "-DSIZE=8", "-c", "csrc/ring.c", "-o", &ring]);
    run("gcc", &["-c", "csrc/extra.c", "-o", &extra]);
    run("ar", &["crs", &format!("{out}/libring.a"), &ring, &extra]);
    println!("cargo:rustc-link-lib=static=ring");
    println!("cargo:rustc-link-search=native={out}");
    println!("cargo:rerun-if-changed=csrc");
}
"#;

#[test]
fn what_a_build_script_compiles_is_captured() {
    let folder = package(&[
        ("build.rs", BUILD_RS),
        ("csrc/ring.c", "#include \"ring.h\"\nint ring[SIZE];\n"),
        ("csrc/ring.h", "extern int ring[];\n"),
        ("csrc/extra.c", "int extra;\n"),
    ]);
    let run = cargo_tour(&folder, "capture -q --parse");
    expect_code(&run, 0);
    assert!(run.out.contains("Captured 2 C files from 1 build script\n"), "{run:#?}");
    assert!(run.out.contains("Parsed 2 of 2 C files"), "{run:#?}");
    let commands = std::fs::read_to_string(folder.path("target/tour/compile_commands.json")).expect("a file");
    let commands: Value = serde_json::from_str(&commands).expect("JSON");
    let arguments: Vec<&str> =
        commands[1]["arguments"].as_array().expect("a list").iter().filter_map(Value::as_str).collect();
    assert!(arguments.contains(&"-DSIZE=8") && arguments.contains(&"-Icsrc"), "{commands}");
    assert!(!arguments[0].contains("tour"), "the real compiler: {commands}");
    // Nothing changed.
    let run = cargo_tour(&folder, "capture -q");
    assert!(run.out.contains("Captured 2 C files from 1 build script, unchanged"), "{run:#?}");
    // A file less.
    let folder = folder.file(
        "build.rs",
        BUILD_RS
            .replace("run(\"gcc\"", "if false { run(\"gcc\"")
            .replace("&extra]);\n    run(\"ar\"", "&extra]) }\n    run(\"ar\"")
            .replace("&ring, &extra]", "&ring]"),
    );
    let run = cargo_tour(&folder, "capture -q");
    assert!(run.out.contains("Captured 1 C file from 1 build script\n"), "{run:#?}");
    let run = cargo_tour(&folder, "doctor -q");
    expect_code(&run, 0);
    assert!(run.out.contains("script     demo: 1 C files captured"), "{run:#?}");
}

#[test]
fn the_c_stays_known_when_only_rust_changes() {
    let folder = package(&[
        ("build.rs", BUILD_RS),
        ("csrc/ring.c", "int ring[SIZE];\n"),
        ("csrc/extra.c", "int extra;\n"),
        ("tests/a.rs", "#[test] fn a() {}\n"),
    ]);
    let captured = || {
        // Test executables are linked, by the same compiler that build scripts use.
        cargo_tour(&folder, "list -q");
        let commands = std::fs::read_to_string(folder.path("target/tour/compile_commands.json"));
        let commands: Vec<Value> = serde_json::from_str(&commands.expect("a file")).expect("JSON");
        commands.len()
    };
    assert_eq!(captured(), 2);
    std::fs::write(folder.path("src/lib.rs"), "pub fn changed() {}").expect("a file");
    assert_eq!(captured(), 2);
    std::fs::write(folder.path("tests/a.rs"), "#[test] fn b() {}\n").expect("a file");
    assert_eq!(captured(), 2);
}

#[test]
fn several_violations_are_all_reported() {
    let folder = with_harnesses(&["violated_twice"]);
    let run = cargo_tour(&folder, "verify --junit j.xml --sarif s.json");
    expect_code(&run, 1);
    assert!(run.out.contains("2 violations, 2 confirmed natively; the first: an assertion"), "{run:#?}");
    for message in ["an assertion can fail", "read past the end"] {
        assert!(run.err.contains(message), "{run:#?}");
        assert!(std::fs::read_to_string(folder.path("j.xml")).expect("a file").contains(message));
    }
    let sarif = std::fs::read(folder.path("s.json")).expect("a file");
    let sarif: Value = serde_json::from_slice(&sarif).expect("JSON");
    let rules: Vec<&str> = sarif["runs"][0]["results"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|r| r["ruleId"].as_str())
        .collect();
    assert_eq!(rules, ["assert", "out-of-bounds"]);
    let short = cargo_tour(&folder, "verify --message-format short");
    assert_eq!(short.out.lines().filter(|line| line.contains(": violated: ")).count(), 2, "{short:#?}");
    let json = cargo_tour(&folder, "verify --message-format json");
    let first: Value = serde_json::from_str(json.out.lines().next().unwrap_or("")).expect("JSON");
    assert_eq!(first["report"]["violations"].as_array().map(Vec::len), Some(2), "{json:#?}");
    // As in the document of `check`.
    crate::json::expect_model::<Vec<Counterexample>>(&first["report"]["violations"]);
    crate::json::expect_model::<ClaimResult>(&first["report"]);
}

/// A build script in the words of crate `cc`, which this package does not have.
const WITHOUT_CC: &str = r#"
mod cc {
    pub struct Build;
    impl Build {
        pub fn new() -> Build { Build }
        pub fn file(self, _: &str) -> Build { self }
        pub fn define(self, _: &str, _: &str) -> Build { self }
        pub fn compile(self, _: &str) {}
    }
}
fn main() {
    cc::Build::new().file("csrc/ring.c").define("SIZE", "8").compile("ring");
}
"#;

#[test]
fn without_a_wrapper_the_text_of_the_build_script_is_read() {
    let folder = package(&[("build.rs", WITHOUT_CC), ("csrc/ring.c", "int ring[SIZE];\n")]);
    let run = |args: &str| {
        let mut command = folder.command(args);
        command.env_remove("CARGO_TARGET_DIR").env("TOUR_NO_WRAPPER", "1");
        Run::of(command.output().expect("the binary runs"))
    };
    let captured = run("capture --parse");
    expect_code(&captured, 0);
    assert!(captured.out.contains("csrc/ring.c") && captured.out.contains("Parsed 1 of 1"), "{captured:#?}");
    assert!(captured.err.contains("text of build.rs"), "{captured:#?}");
    let doctor = run("doctor");
    assert!(doctor.out.contains("from the text of build.rs, may be incomplete"), "{doctor:#?}");
    // With a wrapper, nothing is seen that is not compiled.
    let watched = cargo_tour(&folder, "capture");
    assert!(watched.out.contains("Captured 0 C files"), "{watched:#?}");
}

#[test]
fn each_kind_of_wrong_declaration() {
    let rust = "#[repr(C)]
pub struct Pair { pub a: i32, pub b: i32 }
#[repr(C)]
pub struct Few { pub a: i32 }
extern \"C\" {
    pub fn arity(a: i32, b: i32) -> i32;
    pub fn width(a: i32) -> i32;
    pub fn sign(a: u32);
    pub fn depth(p: *mut i32);
    pub fn field(p: *mut Pair);
    pub fn fields(p: *mut Few);
    pub fn result() -> i64;
    pub fn missing(a: i32);
    pub fn fine(a: i32, p: *const Pair) -> i32;
}
";
    let c = "struct pair { int a, b; }; struct odd { int a; char b; };
int arity(int a) { return a; }
int width(long a) { return (int)a; }
void sign(int a) { }
void depth(int **p) { }
void field(struct odd *p) { }
void fields(struct pair *p) { }
int result(void) { return 0; }
int fine(int a, const struct pair *p) { return a + p->a; }
";
    let build = BUILD_RS.replace("\"-Icsrc\", ", "").replace("csrc/extra.c", "csrc/none.c");
    let folder =
        package(&[("src/lib.rs", rust), ("build.rs", &build), ("csrc/ring.c", c), ("csrc/none.c", "")]);
    let run = cargo_tour(&folder, "ffi");
    expect_code(&run, 1);
    for part in [
        "the number of parameters: 2 in Rust, 1 in C",
        "parameter 1: `i32` in Rust, `long` in C",
        "they differ in their sign",
        "parameter 1: `i32` in Rust, `int *` in C",
        "field `b` of `Pair`: `i32` in Rust, `char` in C",
        "`Few` has 1 fields in Rust, `pair` has 2 in C",
        "what it returns: `i64` in Rust, `int` in C",
        "no C of this build defines `missing`",
    ] {
        assert!(run.err.contains(part), "{part}: {run:#?}");
    }
    assert!(run.last_line().contains("8 declarations with their C definitions: 7 differences"), "{run:#?}");
}

/// Several runs in one folder, and others that remove what they keep: each run has all results, and each is its own.
#[test]
fn runs_at_once_do_not_mix_results() {
    let folder = with_harnesses(&["a_proved", "b_violated", "c_unknown", "d_proved"]);
    expect_code(&cargo_tour(&folder, "verify -q"), 1);
    let done = std::sync::atomic::AtomicBool::new(false);
    std::thread::scope(|scope| {
        let runs: Vec<_> = (0..3)
            .map(|i| {
                let folder = &folder;
                scope.spawn(move || {
                    (0..4)
                        .map(|n| {
                            cargo_tour(folder, if (i + n) % 3 == 0 { "verify --no-cache" } else { "verify" })
                        })
                        .collect()
                })
            })
            .collect::<Vec<std::thread::ScopedJoinHandle<Vec<Run>>>>();
        scope.spawn(|| {
            for round in 0.. {
                if done.load(std::sync::atomic::Ordering::Relaxed) {
                    break;
                }
                // All of it twice: a build that is removed again and again never ends.
                let run =
                    cargo_tour(&folder, if round == 1 || round == 5 { "clean" } else { "clean --cache" });
                assert!(matches!(run.code, Some(0 | 2)), "{run:#?}");
                std::thread::sleep(std::time::Duration::from_millis(300));
            }
        });
        let runs: Vec<Run> = runs.into_iter().flat_map(|run| run.join().expect("it ends")).collect();
        done.store(true, std::sync::atomic::Ordering::Relaxed);
        for run in &runs {
            // A build whose folder is removed under it fails as that of cargo does.
            if run.code == Some(101) {
                continue;
            }
            expect_code(run, 1);
            assert!(run.last_line().contains("4 harnesses: 2 proved, 1 violated, 1 unknown"), "{run:#?}");
            for line in
                ["PROVED .* a_proved", "VIOLATED .* b_violated", "UNKNOWN .* c_unknown", "PROVED .* d_proved"]
            {
                let (status, name) = line.split_once(" .* ").expect("two parts");
                let found = run.out.lines().any(|line| {
                    line.contains(&format!(" {status} [")) && line.contains(&format!(" {name} "))
                });
                assert!(found, "{line}: {run:#?}");
            }
        }
        assert!(runs.iter().any(|run| run.code == Some(1)), "{runs:#?}");
    });
}
