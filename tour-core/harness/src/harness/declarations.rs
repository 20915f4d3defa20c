//! All `extern "C"` declarations of a package, compared with the C that its build compiles.

use super::ffi::Comparison;
use super::items::{Home, Items, Package, Thing, rust_files};
use super::lower::{Layout, Reader};
use super::snapshot::Reader as TextReader;
use proc_macro2::{Ident, Span as TokenSpan, TokenStream, TokenTree};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use tour_c::front::{FrontOptions, Input, Origin, parse_units};
use tour_c::load::FrontError;
use tour_c::sema::{LowerOptions, lower};
use tour_ir::program::{DataModel, Linkage, Program};
use tour_ir::source::{Diagnostic, SourceMap, UnitId};
use tour_protocol::result::Message;
use tour_report::report::places::Places;

/// What came of the comparison.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Declarations {
    /// How many declarations have a C definition in the build.
    pub compared: usize,
    /// Declared functions that no captured C defines.
    pub undefined: Vec<String>,
    /// What does not agree.
    pub findings: Vec<Message>,
}

/// Compares the declarations of a package. An error is one of reading the C. `known` has what came of a comparison of the
/// same texts, by their hash, if there was one.
pub fn compare_declarations(
    manifest_dir: &Path,
    package: &str,
    reader: &TextReader,
    known: impl FnOnce(&str) -> Option<Declarations>,
) -> Result<(String, Declarations), Vec<Message>> {
    let mut names = declared(&manifest_dir.join("src"));
    names.extend(declared(&manifest_dir.join("tests")));
    if names.is_empty() {
        return Ok((String::new(), Declarations::default()));
    }
    let mut sources = SourceMap::default();
    // No file of its own: what stands in `src` and in `tests` is read.
    let nowhere = manifest_dir.join("tests").join("_");
    let package =
        Package { manifest_dir, out_dir: None, crate_names: vec![package.replace('-', "_")], file: &nowhere };
    let wanted: TokenStream =
        names.iter().map(|name| TokenTree::from(Ident::new(name, TokenSpan::call_site()))).collect();
    let files = rust_files(&package);
    let items = Items::find(&package, &files, None, wanted, &mut sources);
    let symbols: BTreeSet<String> = items
        .all
        .iter()
        .filter(|item| matches!(item.thing, Thing::ExternFn(_)))
        .map(|item| item.symbol.clone())
        .collect();
    let (defined, undefined): (Vec<String>, Vec<String>) =
        symbols.into_iter().partition(|symbol| reader.symbols().defines(symbol));
    if defined.is_empty() {
        return Ok((String::new(), Declarations { undefined, ..Declarations::default() }));
    }
    let (inputs, front) = read(reader, &defined, &sources)?;
    let key = reader.key_of(&files, &inputs, &front, &undefined);
    if let Some(found) = known(&key) {
        return Ok((key, found));
    }
    let program = match lower_all(&inputs, &front, &defined, sources) {
        Ok(program) => program,
        Err(error) => {
            let mut places = Places::new(&error.sources);
            return Err(error.diagnostics.iter().map(|d| places.message(d)).collect());
        }
    };
    let (compared, found) = compare(&items, &program);
    let mut places = Places::new(&program.sources);
    let findings = found.iter().map(|diagnostic| places.message(diagnostic)).collect();
    Ok((key, Declarations { compared, undefined, findings }))
}

/// The C that defines the functions, and how it is read.
fn read(
    reader: &TextReader,
    defined: &[String],
    sources: &SourceMap,
) -> Result<(Vec<Input>, FrontOptions), Vec<Message>> {
    // The files that define them are enough: what these need is not compared.
    let definition = |name: &String| reader.symbols().definitions(name).first().copied();
    let units: BTreeSet<usize> = defined.iter().filter_map(definition).collect();
    let units = units.into_iter().map(|unit| reader.unit(unit));
    let mut front = FrontOptions { entries: defined.to_vec(), ..FrontOptions::new(DataModel::default()) };
    let mut inputs = Vec::new();
    let mut sources = sources.clone();
    for input in units {
        if inputs.is_empty()
            && let Some(compiler) = &input.compiler
        {
            front.compiler.clone_from(compiler);
        }
        match reader.text(&input, &front, &mut sources) {
            Ok(read) => inputs.push(Input { origin: Origin::Preprocessed(read), ..input }),
            Err(diagnostics) => {
                let mut places = Places::new(&sources);
                return Err(diagnostics.iter().map(|d| places.message(d)).collect());
            }
        }
    }
    Ok((inputs, front))
}

fn lower_all(
    inputs: &[Input],
    front: &FrontOptions,
    defined: &[String],
    mut sources: SourceMap,
) -> Result<Program, FrontError> {
    let parsed = match parse_units(inputs, front, &mut sources) {
        Ok(parsed) => parsed,
        Err(diagnostics) => return Err(FrontError { diagnostics, sources }),
    };
    let entry = defined.first().cloned().unwrap_or_default();
    let options = LowerOptions { model: front.data_model, entry, ..LowerOptions::default() };
    let lowered = lower(&parsed, sources.clone(), &options);
    lowered.map(|(program, _)| program).map_err(|diagnostics| FrontError { diagnostics, sources })
}

fn compare(items: &Items, program: &Program) -> (usize, Vec<Diagnostic>) {
    let functions: BTreeMap<&str, _> = program
        .functions
        .iter_enumerated()
        .filter(|(_, f)| f.body.is_some() && f.linkage == Linkage::External)
        .map(|(id, f)| (f.name.as_str(), id))
        .collect();
    let home = Home { unit: UnitId::new(0), module: Vec::new() };
    let mut reader = Reader::new(items, program, home);
    let mut declarations = Vec::new();
    let mut found = Vec::new();
    for item in &items.all {
        let Thing::ExternFn(signature) = &item.thing else { continue };
        let Some(&function) = functions.get(item.symbol.as_str()) else { continue };
        match reader
            .within(item.home.clone(), |reader| reader.declaration(signature, &item.symbol, item.span))
        {
            Ok(declared) => declarations.push((declared, function)),
            // A type that harnesses can't use is no mistake of the declaration.
            Err(_) => continue,
        }
    }
    let structs = std::mem::take(&mut reader.structs);
    let mut layout = Layout::default();
    let mut comparison = Comparison { program, structs: &structs, layout: &mut layout };
    for (declared, function) in &declarations {
        found.extend(comparison.declaration(declared, *function));
    }
    found.dedup();
    (declarations.len(), found)
}

/// Names of functions in `extern` blocks of all Rust files below a folder.
fn declared(folder: &Path) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    let mut waiting: Vec<PathBuf> = vec![folder.to_owned()];
    while let Some(folder) = waiting.pop() {
        let Ok(entries) = std::fs::read_dir(&folder) else { continue };
        for path in entries.flatten().map(|entry| entry.path()) {
            if path.is_dir() {
                waiting.push(path);
            } else if path.extension().is_some_and(|e| e == "rs") {
                let text = std::fs::read_to_string(&path).unwrap_or_default();
                if text.contains("extern")
                    && let Ok(file) = syn::parse_file(&text)
                {
                    collect(&file.items, &mut names);
                }
            }
        }
    }
    names
}

fn collect(items: &[syn::Item], names: &mut BTreeSet<String>) {
    for item in items {
        match item {
            syn::Item::ForeignMod(block) => {
                let functions = block.items.iter().filter_map(|item| match item {
                    syn::ForeignItem::Fn(function) => Some(function.sig.ident.to_string()),
                    _ => None,
                });
                names.extend(functions.filter(|name| !name.starts_with("r#")));
            }
            syn::Item::Mod(module) => {
                if let Some((_, items)) = &module.content {
                    collect(items, names);
                }
            }
            _ => {}
        }
    }
}
