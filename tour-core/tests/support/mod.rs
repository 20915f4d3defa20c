//! Compiling and running C natively, and interpreting it.

pub mod random_files;

use cgen::Model;
use std::path::PathBuf;
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use tour_core::LoadOptions;
use tour_core::front::Input;
use tour_core::interp::{self, Options, Outcome, Overflow, Uninitialised, Unobserved, Zeros};
use tour_core::program::{DataModel, Program};

/// A compiler whose programs run here.
pub struct Native {
    /// The sizes of types.
    pub model: Model,
    flags: &'static [&'static str],
    folder: PathBuf,
}

/// Without `-frounding-math`, gcc 12 makes `-x` of `0.0 - x` for an `x` converted from an integer, which has the wrong
/// sign for zero.
const COMMON: [&str; 5] = ["-w", "-fwrapv", "-fno-strict-aliasing", "-frounding-math", "-std=gnu11"];
const FLAGS_64: [&str; 1] = ["-O0"];
const FLAGS_32: [&str; 10] = [
    "-O0",
    "-m32",
    "-msse2",
    "-mfpmath=sse",
    "-ffreestanding",
    "-nostdlib",
    "-static",
    "-fno-pie",
    "-no-pie",
    "-fno-stack-protector",
];
const FLAGS_SANITIZED: [&str; 3] = ["-O1", "-fsanitize=undefined,address", "-fno-sanitize-recover=all"];

impl Native {
    /// The compiler of a data model, if its programs run here.
    pub fn new(model: Model) -> Option<Native> {
        let flags: &[&str] = match model {
            Model::Lp64 => &FLAGS_64,
            Model::Ilp32 => &FLAGS_32,
        };
        Native { model, flags, folder: folder() }.tried()
    }

    /// A 64-bit compiler that ends programs at undefined behaviour, if there is one.
    pub fn sanitized() -> Option<Native> {
        Native { model: Model::Lp64, flags: &FLAGS_SANITIZED, folder: folder() }.tried()
    }

    fn tried(self) -> Option<Native> {
        self.run("probe", "int main(void) { return 0; }").ok().map(|_| self)
    }

    /// Compiles and runs a program; what it prints.
    pub fn run(&self, name: &str, text: &str) -> Result<Vec<u8>, String> {
        // Tests run side by side, in one process and in several.
        static RUNS: AtomicUsize = AtomicUsize::new(0);
        let number = RUNS.fetch_add(1, Ordering::Relaxed);
        let name = format!("{name}-{:?}-{}-{number}", self.model, std::process::id());
        let source = self.folder.join(format!("{name}.c"));
        let program = self.folder.join(&name);
        let write = |path: &PathBuf, text: &str| std::fs::write(path, text).map_err(|e| e.to_string());
        write(&source, text)?;
        let mut compiler = Command::new("cc");
        compiler.args(COMMON).args(self.flags).arg("-o").arg(&program).arg(&source);
        if self.model == Model::Ilp32 {
            let runtime = self.folder.join(format!("{name}-runtime.c"));
            write(&runtime, cgen::RUNTIME_32)?;
            compiler.arg(&runtime);
        }
        let output = compiler.output().map_err(|e| format!("cc: {e}"))?;
        if !output.status.success() {
            return Err(format!("cc: {}", String::from_utf8_lossy(&output.stderr)));
        }
        let output = Command::new(&program).output().map_err(|e| format!("{}: {e}", program.display()))?;
        if !output.status.success() {
            let stderr = String::from_utf8_lossy(&output.stderr);
            return Err(format!("{} ended with {}: {stderr}", program.display(), output.status));
        }
        for file in [source, program, self.folder.join(format!("{name}-runtime.c"))] {
            // What is left behind costs room only.
            let _ = std::fs::remove_file(file);
        }
        Ok(output.stdout)
    }
}

/// Where files go.
pub fn folder() -> PathBuf {
    env!("CARGO_TARGET_TMPDIR").into()
}

/// What a program prints in the interpreter. The name of a file that ends in `.i` has no use for the preprocessor.
pub fn interpret(name: &str, text: &str, model: Model) -> Result<Vec<u8>, String> {
    let model = match model {
        Model::Ilp32 => DataModel::Ilp32,
        Model::Lp64 => DataModel::Lp64,
    };
    let program = load(name, text, model)?;
    let options = Options {
        max_steps: 50_000_000,
        overflow: Overflow::Report,
        uninitialised: Uninitialised::Report,
        ..Options::default()
    };
    let run = interp::run(&program, &mut Zeros, &options, &mut Unobserved);
    if run.outcome == Outcome::Exited(0) {
        return Ok(run.output);
    }
    let place = run.last.map(|edge| {
        let edge = &program.cfa.edges[edge];
        format!("{}: {}", program.sources.display(edge.span), program.show_op(&edge.op))
    });
    let printed = String::from_utf8_lossy(&run.output);
    let last: Vec<&str> = printed.lines().rev().take(2).collect();
    Err(format!("{:?} at {} after printing {last:?}", run.outcome, place.unwrap_or_default()))
}

/// The first line that differs, with the one before it.
pub fn first_difference(expected: &str, output: &str) -> String {
    let (mut a, mut b) = (expected.lines(), output.lines());
    let mut before = "";
    loop {
        match (a.next(), b.next()) {
            (None, None) => return "no difference".into(),
            (x, y) if x == y => before = x.unwrap_or_default(),
            (x, y) => return format!("after {before:?}, compiled: {x:?}, interpreted: {y:?}"),
        }
    }
}

/// The program of a text.
fn load(name: &str, text: &str, model: DataModel) -> Result<Program, String> {
    tour_core::load(&[Input::text(name, text)], &LoadOptions::new(model)).map_err(|error| error.to_string())
}
