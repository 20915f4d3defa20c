//! Violations shown by the program itself: compiled by the user's compiler, run with the inputs that were found.
//!
//! Analyses, certificates and the interpreter all see the program as we lowered it; the compiler does not. A run that
//! shows the violation is evidence from outside. One that does not is no proof of the contrary: undefined behaviour
//! need not show, and a compiler chooses among what C leaves open.
//!
//! | file | what |
//! |---|---|
//! | `shim` | the functions that give the inputs, in C |
//! | `confine` | running a program within limits |
//! | `judge` | what the end of a run says about a claim |

mod confine;
mod judge;
mod shim;

pub(crate) use confine::{Confined, End};
pub(crate) use judge::signal;

use judge::Evidence;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;
use tour_c::LoadOptions;
use tour_c::front::{Input, Origin};
use tour_evidence::verdict::Violation;
use tour_ir::program::{DataModel, Program};
use tour_protocol::result::Replay;

/// A native run that takes longer is stopped.
const PATIENCE: Duration = Duration::from_secs(10);
/// A compiler that takes longer is stopped.
const COMPILER_PATIENCE: Duration = Duration::from_secs(60);
/// Functions without a body that the linker may miss, one round after the other.
const LINK_ROUNDS: usize = 2;

/// Compiles the program of these units with a shim for the inputs, and runs it.
pub fn replay(program: &Program, violation: &Violation, units: &[Input], options: &LoadOptions) -> Replay {
    let run = || -> Result<Replay, String> {
        let evidence = Evidence::of(program, violation)?;
        let shim = shim::Shim::new(program, violation, &options.lower.entry)?;
        let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
        let build = Build { units, options, evidence: &evidence, folder: folder.path() };
        let executable = build.executable(shim.clone())?;
        let mut command = Command::new(executable);
        command.args(&shim.arguments);
        let end =
            Confined { patience: PATIENCE, limits_memory: !evidence.sanitizes(), directory: folder.path() }
                .run(command)
                .map_err(|error| format!("the program could not be run: {error}"))?;
        let note = std::fs::read_to_string(folder.path().join(shim::NOTE)).ok();
        Ok(judge::judge(&evidence, &end, note.as_deref()))
    };
    run().unwrap_or_else(|why| Replay::NotRun { why })
}

/// How the executable is made.
struct Build<'a> {
    units: &'a [Input],
    options: &'a LoadOptions,
    evidence: &'a Evidence,
    folder: &'a Path,
}

impl Build<'_> {
    fn executable(&self, mut shim: shim::Shim) -> Result<PathBuf, String> {
        let mut objects = Vec::new();
        for (i, unit) in self.units.iter().enumerate() {
            objects.push(self.object(unit, i)?);
        }
        let executable = self.folder.join("program");
        for round in 0..=LINK_ROUNDS {
            let source = self.folder.join("tour-shim.c");
            std::fs::write(&source, shim.text(self.folder)).map_err(|error| error.to_string())?;
            let mut command = self.compiler();
            command.arg("-fno-builtin").arg(&source).args(&objects);
            command.arg("-o").arg(&executable).args(["-lm", "-pthread"]);
            let Err(errors) = self.run(command)? else { return Ok(executable) };
            let missing = missing_functions(&errors);
            if missing.is_empty() || round == LINK_ROUNDS {
                return Err(format!("it does not link: {}", first_error(&errors)));
            }
            shim.add_silent(missing);
        }
        Err("it does not link".to_owned())
    }

    fn object(&self, unit: &Input, number: usize) -> Result<PathBuf, String> {
        let object = self.folder.join(format!("{number}.o"));
        let mut command = self.compiler();
        command.args(&self.options.front.flags).args(&unit.flags).arg("-c");
        if self.options.lower.entry != "main" {
            command.arg("-Dmain=tour_main_of_the_program");
        }
        match &unit.origin {
            Origin::File => command.arg(&unit.path),
            Origin::Preprocessed(read) => {
                let copy = self.folder.join(format!("{number}.i"));
                std::fs::write(&copy, &*read.text).map_err(|error| error.to_string())?;
                command.arg(copy)
            }
            Origin::Text(text) => {
                let name = unit.path.file_name().map_or_else(|| OsString::from("unit.c"), OsString::from);
                let copy = self.folder.join(name);
                std::fs::write(&copy, text).map_err(|error| error.to_string())?;
                command.arg(copy)
            }
        };
        if let Some(directory) = &unit.directory {
            command.current_dir(directory);
        }
        command.arg("-o").arg(&object);
        match self.run(command)? {
            Ok(()) => Ok(object),
            Err(errors) => Err(format!("it does not compile: {}", first_error(&errors))),
        }
    }

    fn compiler(&self) -> Command {
        let mut command = Command::new(&self.options.front.compiler);
        command.args(["-w", "-g"]);
        if self.options.front.data_model == DataModel::Ilp32 {
            command.arg("-m32");
        }
        command.args(self.evidence.flags());
        command.env("LC_ALL", "C");
        command
    }

    /// The compiler's errors, if it has any.
    fn run(&self, command: Command) -> Result<Result<(), String>, String> {
        let compiler = self.options.front.compiler.display();
        let end =
            confine::within(command, COMPILER_PATIENCE).map_err(|error| format!("`{compiler}`: {error}"))?;
        match end.status {
            Some(status) if status.success() => Ok(Ok(())),
            Some(_) => Ok(Err(end.errors)),
            None => Err(format!("`{compiler}` did not end")),
        }
    }
}

/// What a linker misses: `undefined reference to `f'`, `undefined symbol: f`.
fn missing_functions(errors: &str) -> Vec<String> {
    let mut missing = Vec::new();
    for marker in ["undefined reference to `", "undefined reference to '", "undefined symbol: "] {
        for (at, _) in errors.match_indices(marker) {
            let rest = &errors[at + marker.len()..];
            let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len());
            missing.push(rest[..end].to_owned());
        }
    }
    missing.sort();
    missing.dedup();
    missing.retain(|name| !name.is_empty());
    missing
}

fn first_error(errors: &str) -> String {
    let lines = || errors.lines().filter(|line| !line.trim().is_empty());
    let telling = lines().find(|line| line.contains("error") || line.contains("cannot find"));
    telling.or_else(|| lines().next()).unwrap_or("no reason given").trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use tour_engine::analysis::{prepare, verify};
    use tour_engine::context::Context;
    use tour_evidence::verdict::Verdict;
    use tour_ir::program::Rule;

    const DECLS: &str = "extern void reach_error(void);\nextern int __VERIFIER_nondet_int(void);\n\
                         extern void __VERIFIER_assume(int);\nextern void __VERIFIER_assert(int);\n";

    #[track_caller]
    fn check(property: &str, entry: &str, text: &str, expect: &str) {
        let text = format!("{DECLS}{text}");
        let options = LoadOptions::new(DataModel::Lp64).entry(entry);
        let units = [Input::text("a.c", text.clone())];
        let program = tour_c::load(&units, &options).unwrap_or_else(|error| panic!("{error}"));
        let program = prepare(program, &Rule::named(property).expect("a property"));
        let Verdict::Violated(violation) = verify(&program, &Context::default()) else {
            panic!("no violation: {text}");
        };
        let shown = replay(&program, &violation, &units, &options).describe();
        assert!(shown.contains(expect), "{text}\n{shown}");
    }

    #[test]
    fn claims_of_the_program() {
        let check = |text, expect| check("unreach-call", "main", text, expect);
        check("int main(void) { reach_error(); }", "confirmed (call of `reach_error`)");
        check(
            "int main(void) { int x = __VERIFIER_nondet_int(), y = __VERIFIER_nondet_int(); \
             if (x == 3 && y == -7) reach_error(); }",
            "confirmed",
        );
        check(
            "int main(void) { int x = __VERIFIER_nondet_int(); __VERIFIER_assume(x > 100); reach_error(); }",
            "confirmed",
        );
        check(
            "double sensor(int); int main(void) { double d = sensor(4); if (d == 2.5) reach_error(); }",
            "confirmed",
        );
        check("void tell(int); int main(void) { tell(3); reach_error(); }", "confirmed");
        check("int main(void) { goto ERROR; ERROR: return 1; }", "not replayed natively: ");
        check("int main(void) { int x; if (x == 77) reach_error(); }", "not replayed natively: ");
    }

    #[test]
    fn assertions() {
        let check = |text, expect| check("assert", "main", text, expect);
        check(
            "#include <assert.h>\nint main(void) { assert(__VERIFIER_nondet_int() != 9); }",
            "confirmed (assertion",
        );
        check("int main(void) { __VERIFIER_assert(1 > 2); }", "confirmed");
    }

    #[test]
    fn undefined_behaviour() {
        check(
            "signed-overflow",
            "main",
            "int main(void) { int x = __VERIFIER_nondet_int(); return x + 1; }",
            "confirmed (",
        );
        check(
            "out-of-bounds",
            "main",
            "int a[3]; int main(void) { int i = __VERIFIER_nondet_int(); return a[i]; }",
            "confirmed (",
        );
        check("null-deref", "main", "int main(void) { int *p = 0; return *p; }", "confirmed (");
        check(
            "division-by-zero",
            "main",
            "int main(void) { return 1 / __VERIFIER_nondet_int(); }",
            "confirmed (",
        );
    }

    #[test]
    fn another_entry() {
        check(
            "unreach-call",
            "start",
            "int start(int n, char c) { if (n == 5 && c == 'x') reach_error(); return 0; } int main(void) { return 0; }",
            "confirmed (",
        );
    }

    #[test]
    fn linkers_say_what_they_miss() {
        assert_eq!(
            missing_functions("a.o: undefined reference to `f'\nx: undefined reference to `g'"),
            ["f", "g"]
        );
        assert_eq!(missing_functions("ld.lld: error: undefined symbol: h\n>>> referenced"), ["h"]);
        assert!(missing_functions("nothing").is_empty());
    }
}
