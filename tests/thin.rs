//! A package that depends on `tour-verify`, as its user has it: `cargo tour init`, `cargo tour verify` and plain `cargo test`
//! with the command, and without.

use crate::support::{Run, repository};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::{Mutex, MutexGuard, PoisonError};

const BUILD_RS: &str = r#"
use std::process::Command;
fn main() {
    let cc = std::env::var("CC").unwrap_or("cc".into());
    let out = std::env::var("OUT_DIR").unwrap();
    let run = |program: &str, args: &[&str]| assert!(Command::new(program).args(args).status().unwrap().success());
    run(&cc, &["-c", "csrc/demo.c", "-o", &format!("{out}/demo.o")]);
    run("ar", &["crs", &format!("{out}/libdemo.a"), &format!("{out}/demo.o")]);
    println!("cargo:rustc-link-lib=static=demo");
    println!("cargo:rustc-link-search=native={out}");
    println!("cargo:rerun-if-changed=csrc");
}
"#;

const DEMO_C: &str = "#include <stdint.h>
uint8_t half(uint8_t x) { return x / 2; }
int32_t average(int32_t a, int32_t b) {
    return (a + b) / 2;
}
int32_t seventh(uint32_t n) { return n == 7 ? *(volatile int32_t *)0 : 0; }
void spin(uint32_t n) { while (n > 70) { n |= 1u << 31; __asm__ volatile (\"\"); } }
";

const LIB_RS: &str = r#"
extern "C" {
    pub fn half(x: u8) -> u8;
    pub fn average(a: i32, b: i32) -> i32;
    pub fn seventh(n: u32) -> i32;
}

#[cfg(test)]
mod proofs {
    use super::*;
    use tour::{any, assume, verify, Arbitrary};

    #[derive(Clone, Copy, Arbitrary)]
    #[repr(C)]
    struct Pair { a: u8, b: u8 }

    #[verify]
    fn a_half_is_no_more(x: u8) {
        assert!(unsafe { half(x) } <= x);
    }

    #[verify]
    fn halves_keep_the_order() {
        let x: Pair = any();
        assume(x.a <= x.b);
        assert!(unsafe { half(x.a) <= half(x.b) });
    }

    #[verify]
    #[ignore = "violated on purpose"]
    fn the_average_lies_between(a: i32, b: i32) {
        assume(a <= b);
        let m = unsafe { average(a, b) };
        assert!(a <= m && m <= b, "not between");
    }

    #[verify]
    #[ignore = "violated on purpose"]
    fn nothing_is_the_seventh(n: u32) {
        assert_eq!(unsafe { seventh(n) }, 0);
    }

    #[verify]
    #[should_panic(expected = "not below")]
    fn some_are_large(x: u8) {
        assert!(x < 200, "not below");
    }
}

/// Harnesses that should be violated, and are or are not: `panics` is the name of a test that passes.
#[cfg(test)]
mod expected {
    use tour::{assume, verify};

    #[verify]
    #[should_panic]
    #[ignore]
    fn panics(x: u8) {
        assert!(x < 200);
    }

    #[verify]
    #[should_panic]
    #[ignore]
    fn never_does(x: u8) {
        assert!(x < 200 || x >= 200);
    }

    #[verify]
    #[should_panic(expected = "too large")]
    #[ignore]
    fn panics_otherwise(x: u8) {
        assert!(x < 200, "not below");
    }

    #[verify]
    #[should_panic]
    #[ignore]
    fn panics_for_one_of_many(x: u64) {
        assert!(x != 0x1234_5678_9abc_def1);
    }

    #[verify(should_fail = "not below")]
    #[ignore]
    fn fails_as_it_should(x: u8) {
        assert!(x < 200, "not below");
    }

    #[verify]
    #[ignore]
    fn is_about_few(x: u32) {
        assume(x == 0x1234_5678);
        assert!(x > 7);
    }
}
"#;

/// A package in a folder that stays, so that dependencies are compiled once. One test at a time has it.
pub struct Package(pub PathBuf, #[allow(dead_code)] MutexGuard<'static, ()>);

impl Package {
    fn new(name: &str, files: &[(&str, &str)]) -> Package {
        static ONE: Mutex<()> = Mutex::new(());
        // A test that failed leaves nothing that the next one needs.
        let guard = ONE.lock().unwrap_or_else(PoisonError::into_inner);
        let package = Package(Path::new(env!("CARGO_TARGET_TMPDIR")).join("thin").join(name), guard);
        // Results of other builds of the command do no harm, but these tests look at what is cached.
        let _ = std::fs::remove_dir_all(package.0.join("target/tour/cache"));
        for left in ["tour-regressions", "tour-results", "elsewhere"] {
            let _ = std::fs::remove_dir_all(package.0.join(left));
        }
        let _ = std::fs::remove_file(package.0.join("tour.toml"));
        for (file, text) in files {
            package.write(file, text);
        }
        let lock = std::fs::read_to_string(repository("Cargo.lock")).expect("the lock file");
        package.write("Cargo.lock", &lock);
        package
    }

    pub fn demo() -> Package {
        let tour = repository("tour");
        let manifest = format!(
            "[package]\nname = \"demo\"\nversion = \"0.1.0\"\nedition = \"2021\"\n[workspace]\n\
             [dev-dependencies]\ntour-verify = {{ path = {:?} }}\n",
            tour.canonicalize().expect("the crate")
        );
        let files = [
            ("Cargo.toml", manifest.as_str()),
            ("build.rs", BUILD_RS),
            ("csrc/demo.c", DEMO_C),
            ("src/lib.rs", LIB_RS),
        ];
        Package::new("demo", &files)
    }

    /// Writes a file if it says something else: times decide what is built.
    fn write(&self, file: &str, text: &str) {
        let path = self.0.join(file);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        if std::fs::read_to_string(&path).ok().as_deref() != Some(text) {
            std::fs::write(path, text).expect("a file");
        }
    }

    fn read(&self, file: &str) -> String {
        std::fs::read_to_string(self.0.join(file)).unwrap_or_else(|error| panic!("{file}: {error}"))
    }

    /// A script that stands in for the command.
    fn script(&self, name: &str, text: &str) -> PathBuf {
        self.write(name, text);
        let path = self.0.join(name);
        assert!(Command::new("chmod").arg("+x").arg(&path).status().expect("chmod").success());
        path
    }

    pub fn command(&self, program: &Path, args: &str) -> Command {
        let mut command = Command::new(program);
        command.args(args.split_whitespace()).current_dir(&self.0);
        for (name, _) in std::env::vars() {
            let of_test =
                name.starts_with("CARGO_PKG_") || name.starts_with("TOUR") || name.starts_with("NEXTEST");
            if of_test
                || ["CARGO_TARGET_DIR", "CARGO_MANIFEST_DIR", "OUT_DIR", "CI", "RUSTFLAGS"]
                    .contains(&name.as_str())
            {
                command.env_remove(name);
            }
        }
        command.env("CARGO_TERM_COLOR", "never").env("CARGO_NET_OFFLINE", "true").env("NO_COLOR", "1");
        command.env("XDG_STATE_HOME", self.0.join(".state"));
        command
    }

    fn tour(&self, args: &str) -> Run {
        run(&mut self.command(&binary(), &format!("tour {args}")))
    }

    /// `cargo test` with this value of `TOUR`.
    fn test(&self, tour: &Path, args: &str, more: &[(&str, &str)]) -> Run {
        let cargo = std::env::var_os("CARGO").map_or_else(|| "cargo".into(), PathBuf::from);
        let mut command = self.command(&cargo, &format!("test --lib {args}"));
        run(command.env("TOUR", tour).envs(more.iter().copied()))
    }
}

fn binary() -> PathBuf {
    env!("CARGO_BIN_EXE_cargo-tour").into()
}

fn none() -> &'static Path {
    Path::new("none")
}

fn run(command: &mut Command) -> Run {
    let output: Output = command.output().expect("it runs");
    Run::of(output)
}

#[track_caller]
fn expect(run: &Run, succeeds: bool, parts: &[&str]) {
    assert_eq!(run.code == Some(0), succeeds, "{run:#?}");
    for part in parts {
        assert!(run.out.contains(part) || run.err.contains(part), "`{part}` is not in {run:#?}");
    }
}

#[test]
fn with_the_command_tests_are_proofs() {
    let demo = Package::demo();
    let tour = binary();
    let run = demo.test(&tour, "", &[]);
    expect(&run, true, &["test result: ok. 3 passed; 0 failed; 8 ignored"]);
    assert!(!run.err.contains("not proved"), "{run:#?}");
    let run = demo.test(&tour, "proofs -- --ignored", &[("TOUR_REQUIRE_PROOF", "1")]);
    expect(
        &run,
        false,
        &[
            "VIOLATED",
            "csrc/demo.c",
            "replayed natively: confirmed",
            "n: u32 = 7",
            "test result: FAILED. 0 passed; 2 failed",
        ],
    );
    // The engine is not needed for what it said before.
    let cached = demo.test(&tour, "", &[("TOUR_WORKER", "/nowhere")]);
    expect(&cached, true, &["test result: ok. 3 passed"]);
    let verified = demo.tour("verify");
    expect(&verified, true, &["3 harnesses: 3 proved (3 cached)"]);
}

#[test]
fn without_the_command_tests_are_tests() {
    let demo = Package::demo();
    let run = demo.test(none(), "", &[]);
    expect(&run, true, &["test result: ok. 3 passed; 0 failed; 8 ignored"]);
    let said = "tour: tested with 1000 inputs, not proved (install cargo-tour to prove)";
    assert_eq!(run.err.matches(said).count(), 1, "once, not captured: {run:#?}");
    let run = demo.test(none(), "", &[("TOUR_TESTS", "50")]);
    expect(&run, true, &["tour: tested with 50 inputs, not proved"]);
    let run = demo.test(none(), "", &[("TOUR_REQUIRE_PROOF", "1")]);
    expect(&run, false, &["TOUR_REQUIRE_PROOF is set", "cargo install --locked cargo-tour", "3 failed"]);
    // Failing inputs are made small; a crash harms no other test.
    let run = demo.test(none(), "proofs -- --include-ignored", &[("TOUR_TESTS", "20000")]);
    expect(
        &run,
        false,
        &[
            "VIOLATED proofs::the_average_lies_between",
            "not between",
            "let a: i32 = ",
            "VIOLATED proofs::nothing_is_the_seventh\n  segmentation fault (signal 11)\n  let n: u32 = 7;",
            "test result: FAILED. 3 passed; 2 failed",
        ],
    );
    let value = |name: &str| -> i64 {
        let (_, rest) = run.out.split_once(&format!("let {name}: i32 = ")).expect("a value");
        rest.split(';').next().and_then(|n| n.parse().ok()).expect("a number")
    };
    let (a, b) = (value("a"), value("b"));
    assert!(a + b == i64::from(i32::MAX) + 1 || a + b == i64::from(i32::MIN) - 1, "the smallest: {a} {b}");
}

#[test]
fn recorded_inputs_are_tried_without_the_command() {
    let demo = Package::demo();
    let file = "tour-regressions/proofs.nothing_is_the_seventh.json";
    demo.write(file, r#"{"harness":"proofs::nothing_is_the_seventh","inputs":[{"what":"","values":[],"scalars":["0x7"]}]}"#);
    let args = "-- --exact proofs::nothing_is_the_seventh --ignored";
    let run = demo.test(none(), args, &[("TOUR_TESTS", "0")]);
    expect(&run, false, &["let n: u32 = 7;", "found by testing, with input 1;"]);
}

/// Which of the tests of module `expected` pass.
fn passing(run: &Run) -> Vec<&str> {
    let lines =
        run.out.lines().filter_map(|line| line.strip_prefix("test expected::")?.strip_suffix("... ok"));
    let mut names: Vec<&str> = lines.map(|line| line.split(' ').next().unwrap_or_default()).collect();
    names.sort();
    names
}

#[test]
fn a_test_that_should_panic_passes_only_if_it_is_violated_as_it_should() {
    let demo = Package::demo();
    let proved = ["fails_as_it_should", "is_about_few", "panics", "panics_for_one_of_many"];
    let run = demo.test(&binary(), "expected -- --ignored", &[]);
    expect(&run, false, &["should fail, but holds", "should fail with `too large`, but fails with"]);
    assert_eq!(passing(&run), proved, "{run:#?}");
    let verified = demo.tour("verify expected --include-ignored");
    expect(&verified, false, &["6 harnesses: 4 proved, 2 violated"]);
    // Where inputs are only drawn, one of 2^64 is not found; the test does not pass for that.
    let run = demo.test(none(), "expected -- --ignored", &[]);
    let lines = [
        "none of the 1000 inputs that were tested makes it",
        "tour: expected::is_about_few: nothing was tested: none of 100000 inputs satisfied its assumptions",
    ];
    expect(&run, false, &lines);
    assert_eq!(passing(&run), ["fails_as_it_should", "is_about_few", "panics"], "{run:#?}");
    // An error is not the panic that is waited for.
    for (tour, variable, value) in [
        (none(), "TOUR_REQUIRE_PROOF", "1"),
        (none(), "TOUR_TESTS", "many"),
        (Path::new("/nowhere"), "TOUR_TESTS", "10"),
    ] {
        let run = demo.test(tour, "expected -- --ignored", &[(variable, value)]);
        expect(&run, false, &["0 passed; 6 failed"]);
    }
}

#[test]
fn one_test_by_its_path() {
    let demo = Package::demo();
    let args = "-- --exact proofs::a_half_is_no_more";
    expect(&demo.test(&binary(), args, &[]), true, &["test proofs::a_half_is_no_more ... ok", "1 passed"]);
    let cargo = Path::new("cargo");
    let installed = run(&mut demo.command(cargo, "nextest --version")).code == Some(0);
    if !installed {
        // Nothing that `./setup` installs: who uses it has it.
        eprintln!("skipped: cargo-nextest is not installed");
        return;
    }
    let mut command = demo.command(cargo, "nextest run --lib");
    let run = run(command.env("TOUR", binary()));
    expect(&run, true, &["3 tests run: 3 passed, 8 skipped"]);
}

#[test]
fn versions_that_do_not_fit_are_errors() {
    let demo = Package::demo();
    let args = "-- --exact proofs::a_half_is_no_more";
    // A later command, which can say so.
    let later = "#!/bin/sh\nresult=$(sed -n 's/.*\"result\":\"\\([^\"]*\\)\".*/\\1/p' \"$3\")\n\
                 echo '{\"protocol\":99,\"version\":\"9.9.9\",\"error\":\"\"}' > \"$result\"\n";
    let run = demo.test(&demo.script("later", later), args, &[]);
    expect(&run, false, &["cargo-tour 9.9.9 and tour-verify", "cargo install --locked cargo-tour@"]);
    // One that does not know the question.
    let other = "#!/bin/sh\necho 'error: unrecognized subcommand' >&2\nexit 2\n";
    let run = demo.test(&demo.script("other", other), args, &[]);
    expect(&run, false, &["gave no answer", "unrecognized subcommand", "cargo install --locked cargo-tour@"]);
    let run = demo.test(Path::new("/nowhere/cargo-tour"), args, &[]);
    expect(&run, false, &["TOUR names `/nowhere/cargo-tour`, which is no file"]);
}

#[test]
fn the_engine_that_dies_takes_one_harness_with_it() {
    let demo = Package::demo();
    let dying = demo.script("dying", "#!/bin/sh\nkill -ABRT $$\n");
    let worker = dying.to_string_lossy().into_owned();
    let run = demo.test(&binary(), "", &[("TOUR_WORKER", &worker)]);
    expect(&run, false, &["CRASHED", "killed by signal 6", "test result: FAILED. 0 passed; 3 failed"]);
}

#[test]
fn options_reach_the_engine() {
    let demo = Package::demo();
    let only = "verify --exact proofs::a_half_is_no_more --no-cache";
    let wrong = demo.tour(&format!("{only} --analysis magic"));
    assert_eq!(wrong.code, Some(2), "{wrong:#?}");
    // No refinement, no answer: it shows which analysis ran.
    let decided = |args: &str| {
        let run = demo.tour(&format!("{only} --message-format json {args}"));
        let line = run.out.lines().next().unwrap_or_default().to_owned();
        let event: serde_json::Value =
            serde_json::from_str(&line).unwrap_or_else(|e| panic!("{e}: {run:#?}"));
        event["report"]["analysis"].as_str().unwrap_or_default().to_owned()
    };
    assert_eq!(decided("--analysis bmc"), "bmc");
    demo.write("tour.toml", "[profile.default]\nanalysis = \"k-induction\"\n");
    assert_eq!(decided(""), "k-induction");
    assert_eq!(decided("--analysis bmc"), "bmc");
    let part = "[[profile.default.override]]\nharness = \"*half*\"\nanalysis = \"bmc\"\n";
    demo.write("tour.toml", &format!("[profile.default]\nanalysis = \"k-induction\"\n{part}"));
    assert_eq!(decided(""), "bmc");
    demo.write("tour.toml", "[profile.default]\nanalysis = \"magic\"\n");
    let run = demo.tour(only);
    assert_eq!(run.code, Some(2), "{run:#?}");
    assert!(run.err.contains("tour.toml: there is no analysis `magic`"), "{run:#?}");
    // A proof that nobody checked is no success, and is not kept for who asks for one that was.
    let certified = |args: &str, code: i32| {
        let run = demo.tour(&format!("verify --exact proofs::a_half_is_no_more {args}"));
        assert_eq!(run.code, Some(code), "{run:#?}");
        assert_eq!(run.out.contains("(not certified)"), code == 3, "{run:#?}");
    };
    demo.write("tour.toml", "[profile.default]\n[profile.quick]\ncertify = false\n");
    certified("--no-certify", 3);
    certified("", 0);
    certified("--no-certify", 3);
    certified("--profile quick", 3);
    std::fs::remove_file(demo.0.join("tour.toml")).expect("a file");
    let lib = demo.read("src/lib.rs");
    demo.write("src/lib.rs", &LIB_RS.replacen("#[verify]", "#[verify(analysis = \"k-induction\")]", 1));
    assert_eq!(decided(""), "k-induction");
    demo.write("src/lib.rs", &lib);
}

#[test]
fn init_works_twice_and_in_workspaces() {
    let member = "[package]\nname = \"member\"\nversion = \"0.1.0\"\nedition = \"2021\"\n";
    let tour = repository("tour").canonicalize().expect("the crate");
    let workspace = format!(
        "[workspace]\nresolver = \"2\"\nmembers = [\"member\"]\n[workspace.dependencies]\n\
         tour-verify = {{ path = {tour:?} }}\n\n[profile.dev]\ndebug = 1\n"
    );
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("thin/workspace");
    let _ = std::fs::remove_dir_all(folder);
    let package = Package::new(
        "workspace",
        &[("Cargo.toml", &workspace), ("member/Cargo.toml", member), ("member/src/lib.rs", "")],
    );
    let init = "init --manifest-path member/Cargo.toml";
    expect(&package.tour(init), true, &["Added the dev-dependency `tour-verify`", "Next:"]);
    let first = package.read("member/Cargo.toml");
    assert!(
        first.contains("tour-verify.workspace = true")
            || first.contains("tour-verify = { workspace = true }"),
        "{first}"
    );
    assert_eq!(package.read("Cargo.toml"), workspace, "profiles are the user's");
    expect(&package.tour(init), true, &["tour-verify is a dev-dependency already", "Kept"]);
    assert_eq!(package.read("member/Cargo.toml"), first);
    expect(&package.tour("verify -p member"), true, &["1 harness: 1 proved"]);
    drop(package);
    // Of the registry's `tour` we know nothing.
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("thin/stranger");
    let _ = std::fs::remove_dir_all(folder);
    let stranger = format!("{member}[workspace]\n[dev-dependencies]\nserde = \"1\"\n");
    let package = Package::new("stranger", &[("Cargo.toml", &stranger), ("src/lib.rs", "")]);
    expect(&package.tour("init"), true, &["Added"]);
    let written: toml::Table = package.read("Cargo.toml").parse().expect("a manifest");
    assert!(written["dev-dependencies"]["tour-verify"]["path"].as_str().is_some(), "{written:?}");
    assert!(written.get("profile").is_none());
}
