//! From arguments to a program.

use crate::cli::ProgramArgs;
use crate::exit::Exit;
use crate::term::Term;
use std::ffi::OsString;
use std::path::PathBuf;
use tour::front::Input;
use tour::program::Program;
use tour::source::{Diagnostic, SourceMap};
use tour::verdict::Step;
use tour::{FrontError, LoadOptions};

/// Why there is no program.
#[derive(Debug)]
pub struct Rejected {
    /// What is wrong.
    pub diagnostics: Vec<Diagnostic>,
    /// The texts that they are about.
    pub sources: SourceMap,
    /// How to end.
    pub exit: Exit,
}

impl Rejected {
    /// Shows the diagnostics.
    pub fn show(&self, term: &Term) {
        for diagnostic in &self.diagnostics {
            term.diagnostic(diagnostic, &self.sources);
        }
    }
}

/// Reads the program. Warnings are shown at once.
pub fn program(args: &ProgramArgs, term: &Term) -> Result<Program, Rejected> {
    match tour::load_with_notes(&units(args), &options(args)) {
        Ok((program, notes)) => {
            for note in &notes {
                term.diagnostic(note, &program.sources);
            }
            Ok(program)
        }
        Err(FrontError { diagnostics, sources }) => {
            let missing_entry = diagnostics.iter().any(|diagnostic| diagnostic.code == "tour::entry");
            let exit = if missing_entry { Exit::Nothing } else { Exit::Usage };
            Err(Rejected { diagnostics, sources, exit })
        }
    }
}

/// Its files.
pub fn units(args: &ProgramArgs) -> Vec<Input> {
    args.files.iter().map(Input::file).collect()
}

/// How the program is read.
pub fn options(args: &ProgramArgs) -> LoadOptions {
    let mut options = LoadOptions::new(args.data_model).entry(&args.entry);
    if let Some(compiler) = args.cc.clone().or_else(|| std::env::var_os("CC").map(PathBuf::from)) {
        options.front.compiler = compiler;
    }
    let defines = args.define.iter().map(|define| OsString::from(format!("-D{define}")));
    let includes = args.include.iter().map(|folder| {
        let mut flag = OsString::from("-I");
        flag.push(folder);
        flag
    });
    let others = args.cflags.iter().flat_map(|flags| &flags.0).map(OsString::from);
    options.front.flags = defines.chain(includes).chain(others).collect();
    options.lower.undefined = args.undefined;
    options.lower.malloc_may_fail = args.malloc_may_fail;
    options
}

/// Steps of a trace, one line each.
pub fn show_steps<'a>(program: &'a Program, steps: &'a [Step]) -> impl Iterator<Item = String> + 'a {
    steps.iter().map(|step| show_step(program, step))
}

/// `file:line:column: operation    // value`, indented by calls.
pub fn show_step(program: &Program, step: &Step) -> String {
    let edge = &program.cfa.edges[step.edge];
    let indent = "  ".repeat(step.depth.min(20) as usize);
    let value = step.value.as_ref().map_or(String::new(), |v| format!("    // {v}"));
    format!("{}: {indent}{}{value}", program.sources.display(edge.span), program.show_op(&edge.op))
}
