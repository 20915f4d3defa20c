//! Every rule has examples in `rules/<rule>.c`, functions of one `int n`:
//!
//! - `bad_…` violates the rule with n = 7, and a native run under the sanitizers says so too;
//! - `wrong_…` violates it with n = 7 in a way that no sanitizer sees;
//! - `good_…` violates nothing, whatever n is.
//!
//! Here the interpreter runs them instrumented, and natively they run for real.

#[path = "../../tests/missing.rs"]
mod missing;

use missing::missing;
use std::path::{Path, PathBuf};
use std::process::Command;
use tour_core::LoadOptions;
use tour_core::front::Input;
use tour_core::interp::{Inputs, Options, Outcome, Request, Run, Unobserved, Why, run};
use tour_core::program::{DataModel, Program, Rule};

/// Runs with these n must be fine for `good_…`.
const SMALL: [i32; 12] = [-100, -3, -1, 0, 1, 2, 3, 6, 7, 8, 9, 1000];

/// The rules that need no threads; those that do are tested with them.
fn sequential() -> impl Iterator<Item = Rule> {
    let threads = [Rule::MutexMisuse, Rule::DataRace, Rule::Deadlock];
    Rule::ALL.into_iter().filter(move |rule| !threads.contains(rule))
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/rules")
}

fn file(rule: Rule) -> PathBuf {
    folder().join(format!("{}.c", rule.id()))
}

/// The functions of a file whose names begin so.
fn functions(rule: Rule, prefix: &str) -> Vec<String> {
    let text = std::fs::read_to_string(file(rule)).expect("every rule has its file");
    let names = text.lines().filter_map(|line| line.strip_prefix("int ")?.split_once("(int n)"));
    names.map(|(name, _)| name.to_owned()).filter(|name| name.starts_with(prefix)).collect()
}

fn load(rule: Rule, function: &str, rules: &[Rule]) -> Program {
    let options = LoadOptions::new(DataModel::Lp64).entry(function);
    let mut program =
        tour_core::load(&[Input::file(file(rule))], &options).unwrap_or_else(|error| panic!("{error}"));
    tour_core::instrument::select(&mut program, rules);
    program
}

/// The parameter, and zero for what is indeterminate.
struct Parameter(i32);

impl Inputs for Parameter {
    fn next(&mut self, request: &Request) -> Option<u128> {
        match request.why {
            Why::Parameter(_) => Some(u128::from(self.0 as u32)),
            Why::Havoc(_) | Why::Declared(_) | Why::Unwritten => Some(0),
        }
    }
}

fn execute(program: &Program, n: i32) -> Run {
    run(program, &mut Parameter(n), &Options::default(), &mut Unobserved)
}

fn violated(program: &Program, outcome: &Outcome) -> Option<Rule> {
    match outcome {
        Outcome::Error(check) => Some(program.checks[*check].rule),
        _ => None,
    }
}

#[test]
fn what_is_bad_violates_its_rule() {
    let mut wrong = Vec::new();
    for rule in sequential() {
        let bad = [functions(rule, "bad_"), functions(rule, "wrong_")].concat();
        assert!(!bad.is_empty(), "{} has no bad example", rule.id());
        for name in bad {
            let program = load(rule, &name, &[rule]);
            let outcome = execute(&program, 7).outcome;
            if violated(&program, &outcome) != Some(rule) {
                wrong.push(format!("{}: {name}: {outcome:?}", rule.id()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn what_is_good_violates_nothing() {
    let mut wrong = Vec::new();
    for rule in sequential() {
        let good = functions(rule, "good_");
        assert!(!good.is_empty(), "{} has no good example", rule.id());
        // What is optional is fine elsewhere.
        let rules: Vec<Rule> =
            Rule::ALL.into_iter().filter(|other| *other == rule || !other.is_optional()).collect();
        for name in good {
            let own = load(rule, &name, &[rule]);
            for n in SMALL.into_iter().chain([i32::MIN, i32::MIN + 1, i32::MAX - 5, i32::MAX]) {
                let outcome = execute(&own, n).outcome;
                if !matches!(outcome, Outcome::Exited(_)) {
                    wrong.push(format!("{}: {name}({n}): {outcome:?}", rule.id()));
                }
            }
            let all = load(rule, &name, &rules);
            for n in SMALL {
                let outcome = execute(&all, n).outcome;
                let message = match &outcome {
                    Outcome::Error(check) => all.checks[*check].message.as_str(),
                    _ => "",
                };
                if !matches!(outcome, Outcome::Exited(_)) {
                    wrong.push(format!("all on {}: {name}({n}): {outcome:?} {message}", rule.id()));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// An executable of all examples of some rules: `argv[1]` is the function's number, `argv[2]` is n.
struct Native {
    executable: PathBuf,
    names: Vec<(Rule, String)>,
    _folder: tempfile::TempDir,
}

impl Native {
    fn build(compiler: &str, flags: &[&str], rules: &[Rule]) -> Result<Native, String> {
        let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
        let mut text = String::from("#include <stdlib.h>\n");
        let (mut cases, mut names) = (String::new(), Vec::new());
        for &rule in rules {
            let all = [functions(rule, "bad_"), functions(rule, "good_")].concat();
            let unique = |name: &str| format!("{}_{name}", rule.id().replace('-', "_"));
            // Names of one file do not meet those of another.
            for name in all.iter().cloned().chain(functions(rule, "wrong_")) {
                text += &format!("#define {name} {}\n", unique(&name));
            }
            let private = [
                "table", "keep", "local", "global", "held", "node", "message", "pair", "word", "colour",
                "sign",
            ];
            for name in private {
                text += &format!("#define {name} {}\n", unique(name));
            }
            text += &format!("#include \"{}\"\n", file(rule).display());
            for name in all.iter().cloned().chain(functions(rule, "wrong_")).chain(private.map(str::to_owned))
            {
                text += &format!("#undef {name}\n");
            }
            for name in all {
                cases += &format!("case {}: return {}(n);\n", names.len(), unique(&name));
                names.push((rule, name));
            }
        }
        text += &format!(
            "int main(int argc, char **argv) {{ int n = atoi(argv[2]); switch (atoi(argv[1])) {{\n{cases}}} return 99; }}\n"
        );
        let (source, executable) = (folder.path().join("all.c"), folder.path().join("all"));
        std::fs::write(&source, text).map_err(|error| error.to_string())?;
        let output = Command::new(compiler)
            .args(["-w", "-g", "-O0", "-fno-builtin"])
            .args(flags)
            .arg(&source)
            .arg("-o")
            .arg(&executable)
            .output()
            .map_err(|error| format!("{compiler}: {error}"))?;
        if !output.status.success() {
            return Err(String::from_utf8_lossy(&output.stderr).into_owned());
        }
        Ok(Native { executable, names, _folder: folder })
    }

    /// Bad examples end in a sanitizer's report, good ones do not.
    fn check(&self) {
        self.check_under(&[], &[]);
    }

    /// The same, run by another program that looks on, and that can't see what is wrong with some.
    fn check_under(&self, watcher: &[&str], unseen: &[&str]) {
        let mut wrong = Vec::new();
        for (index, (rule, name)) in self.names.iter().enumerate() {
            let command = [watcher, &[self.executable.to_str().expect("a path in UTF-8")]].concat();
            let output = Command::new(command[0])
                .args(&command[1..])
                .args([index.to_string(), "7".into()])
                .env("ASAN_OPTIONS", "detect_leaks=1:abort_on_error=0")
                .output()
                .expect("the examples run");
            let report = String::from_utf8_lossy(&output.stderr);
            let seen = report.contains("runtime error")
                || report.contains("Sanitizer")
                || report.contains("Assertion")
                || report.contains("uninitialised value")
                || output.status.code().is_none();
            if seen != name.starts_with("bad_") && !unseen.contains(&name.as_str()) {
                wrong.push(format!("{}: {name}: {report}", rule.id()));
            }
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }
}

#[test]
fn what_is_bad_is_bad_natively() {
    let others =
        [Rule::UninitialisedRead, Rule::PointerOverflow, Rule::UnsignedWrap, Rule::FloatCastOverflow];
    let rules: Vec<Rule> = sequential().filter(|rule| !others.contains(rule)).collect();
    let flags = ["-fsanitize=address,undefined", "-fno-sanitize-recover=all"];
    match Native::build("cc", &flags, &rules) {
        Ok(native) => native.check(),
        Err(why) => panic!("the examples do not compile under the sanitizers: {why}"),
    }
}

#[test]
fn what_only_clang_sees() {
    let with = [
        ("-fsanitize=memory", Rule::UninitialisedRead),
        ("-fsanitize=undefined", Rule::PointerOverflow),
        ("-fsanitize=unsigned-integer-overflow", Rule::UnsignedWrap),
    ];
    for (flag, rule) in with {
        match Native::build("clang", &[flag, "-fno-sanitize-recover=all"], &[rule]) {
            Ok(native) => native.check(),
            Err(why) => missing(&format!("{}: clang can't build with {flag}: {why}", rule.id())),
        }
    }
}

#[test]
fn what_both_compilers_see() {
    let with = [
        ("float-cast-overflow", Rule::FloatCastOverflow),
        ("alignment", Rule::MisalignedAccess),
        ("bool", Rule::InvalidBool),
        ("unreachable", Rule::Unreachable),
        ("builtin", Rule::BitCountOfZero),
        ("vla-bound", Rule::VlaLength),
    ];
    for compiler in ["gcc", "clang"] {
        for (check, rule) in with {
            let flag = format!("-fsanitize={check}");
            match Native::build(compiler, &[&flag, "-fno-sanitize-recover=all"], &[rule]) {
                Ok(native) => native.check(),
                Err(why) => missing(&format!("{}: {compiler} can't build with {flag}: {why}", rule.id())),
            }
        }
    }
}

#[test]
fn what_valgrind_sees() {
    if Command::new("valgrind").arg("--version").output().is_err() {
        return missing("valgrind is not there");
    }
    // It looks at the stack where its pointer moves, and takes two lives in one place for one.
    let flags: &[&str] = if cfg!(target_arch = "x86_64") { &["-mno-red-zone"] } else { &[] };
    match Native::build("cc", flags, &[Rule::UninitialisedRead]) {
        Ok(native) => {
            native.check_under(&["valgrind", "-q", "--leak-check=no"], &["bad_again", "bad_second_life"]);
        }
        Err(why) => panic!("the examples do not compile: {why}"),
    }
}
