//! `cargo tour cfa`: the control-flow automata of a program.

use crate::cli::{CfaArgs, GraphFormat};
use crate::exit::Exit;
use crate::term::{Term, print_error, print_line};
use crate::{crash, load};
use std::io::Write;
use std::path::Path;
use tour::cfa::export;
use tour::program::{FnId, Program, Rule};
use tour::slice::Slice;

/// Writes the graph.
pub fn run(args: CfaArgs, term: Term) -> Exit {
    let mut program = match load::program(&args.program, &term) {
        Ok(program) => program,
        Err(rejected) => {
            rejected.show(&term);
            return rejected.exit;
        }
    };
    if let Some(branches) = args.sliced {
        let whole = tour::analysis::prepare(program, &Rule::STATED);
        program = match Slice::of(&whole, branches) {
            Some(slice) => slice.apply(&whole),
            None => Program::clone(&whole),
        };
        tour::cfa::compact(&mut program);
    }
    let only = match &args.function {
        None => None,
        Some(name) => match keep_function(&mut program, name) {
            Some(function) => Some(function),
            None => return no_function(&program, name),
        },
    };
    let text = match args.format {
        GraphFormat::Dot => export::dot(&program),
        GraphFormat::Svg => export::svg(&program),
        GraphFormat::Json => match serde_json::to_string_pretty(&automata(&program, only)) {
            Ok(text) => text + "\n",
            Err(error) => {
                crash::report_internal(&format!("the automaton is no JSON: {error}"));
                return Exit::Internal;
            }
        },
    };
    match &args.output {
        None => print_line(text.trim_end_matches('\n')),
        Some(path) => {
            if let Err(error) = save(path, &text) {
                print_error(format_args!("error: cannot write {}: {error}", path.display()));
                return Exit::Usage;
            }
        }
    }
    Exit::Success
}

/// Forgets the bodies of all other functions.
fn keep_function(program: &mut Program, name: &str) -> Option<FnId> {
    let found = program.functions.iter_enumerated().find(|(_, f)| f.name == name && f.body.is_some());
    let keep = found.map(|(id, _)| id)?;
    for (id, function) in program.functions.iter_mut_enumerated() {
        if id != keep {
            function.body = None;
        }
    }
    Some(keep)
}

fn no_function(program: &Program, name: &str) -> Exit {
    let known: Vec<&str> =
        program.functions.iter().filter(|f| f.body.is_some()).map(|f| f.name.as_str()).collect();
    print_error(format_args!("error: no function `{name}` with a body can be reached from the entry"));
    print_error(format_args!("  help: there are {}", known.join(", ")));
    Exit::Usage
}

fn automata(program: &Program, only: Option<FnId>) -> export::Automata {
    let mut automata = export::json(program);
    if let Some(only) = only {
        automata.locations.retain(|location| location.function == only.index());
        let kept: Vec<usize> = automata.locations.iter().map(|location| location.id).collect();
        automata.edges.retain(|edge| kept.binary_search(&edge.from).is_ok());
    }
    automata
}

/// Under another name first: a reader never finds half of a graph.
fn save(path: &Path, text: &str) -> std::io::Result<()> {
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    let mut file = tempfile::NamedTempFile::new_in(folder)?;
    file.write_all(text.as_bytes())?;
    file.persist(path)?;
    Ok(())
}
