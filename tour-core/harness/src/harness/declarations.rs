//! All `extern "C"` declarations of a package, compared with the C that its build compiles.

use super::ffi::Comparison;
use super::items::{Home, Items, Package, Thing};
use super::lower::{Layout, Reader};
use proc_macro2::{Ident, Span as TokenSpan, TokenStream, TokenTree};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use tour_c::front::{FrontOptions, parse_units};
use tour_c::load::FrontError;
use tour_c::sema::{LowerOptions, lower};
use tour_capture::capture::{Capture, Symbols};
use tour_ir::program::{DataModel, Linkage, Program};
use tour_ir::source::{Diagnostic, SourceMap, UnitId};
use tour_protocol::result::Message;
use tour_report::report::places::Places;

/// What came of the comparison.
#[derive(Clone, Debug, Default)]
pub struct Declarations {
    /// How many declarations have a C definition in the build.
    pub compared: usize,
    /// Declared functions that no captured C defines.
    pub undefined: Vec<String>,
    /// What does not agree.
    pub findings: Vec<Message>,
}

/// Compares the declarations of a package. An error is one of reading the C.
pub fn compare_declarations(
    manifest_dir: &Path,
    package: &str,
    capture: &Capture,
) -> Result<Declarations, Vec<Message>> {
    let mut names = declared(&manifest_dir.join("src"));
    names.extend(declared(&manifest_dir.join("tests")));
    if names.is_empty() {
        return Ok(Declarations::default());
    }
    let mut sources = SourceMap::default();
    // No file of its own: what stands in `src` and in `tests` is read.
    let nowhere = manifest_dir.join("tests").join("_");
    let package =
        Package { manifest_dir, out_dir: None, crate_names: vec![package.replace('-', "_")], file: &nowhere };
    let wanted: TokenStream =
        names.iter().map(|name| TokenTree::from(Ident::new(name, TokenSpan::call_site()))).collect();
    let items = Items::find(&package, None, wanted, &mut sources);
    let symbols: BTreeSet<String> = items
        .all
        .iter()
        .filter(|item| matches!(item.thing, Thing::ExternFn(_)))
        .map(|item| item.symbol.clone())
        .collect();
    let known = Symbols::read(capture);
    let (defined, undefined): (Vec<String>, Vec<String>) =
        symbols.into_iter().partition(|symbol| known.defines(symbol));
    if defined.is_empty() {
        return Ok(Declarations { undefined, ..Declarations::default() });
    }
    let program = match read(&known, capture, &defined, sources) {
        Ok(program) => program,
        Err(error) => {
            let mut places = Places::new(&error.sources);
            return Err(error.diagnostics.iter().map(|d| places.message(d)).collect());
        }
    };
    let (compared, found) = compare(&items, &program);
    let mut places = Places::new(&program.sources);
    let findings = found.iter().map(|diagnostic| places.message(diagnostic)).collect();
    Ok(Declarations { compared, undefined, findings })
}

/// The C that defines the functions.
fn read(
    known: &Symbols,
    capture: &Capture,
    defined: &[String],
    mut sources: SourceMap,
) -> Result<Program, FrontError> {
    // The files that define them are enough: what these need is not compared.
    let units: BTreeSet<usize> =
        defined.iter().filter_map(|name| known.definitions(name).first().copied()).collect();
    let inputs: Vec<_> = units.iter().map(|&unit| capture.units[unit].input()).collect();
    let model = DataModel::default();
    let mut front = FrontOptions { entries: defined.to_vec(), ..FrontOptions::new(model) };
    if let Some(&unit) = units.first() {
        front.compiler = capture.units[unit].compiler.clone();
    }
    let parsed = match parse_units(&inputs, &front, &mut sources) {
        Ok(parsed) => parsed,
        Err(diagnostics) => return Err(FrontError { diagnostics, sources }),
    };
    let entry = defined.first().cloned().unwrap_or_default();
    let options = LowerOptions { model, entry, ..LowerOptions::default() };
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
