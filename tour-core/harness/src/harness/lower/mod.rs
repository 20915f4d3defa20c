//! From the text of a harness to a program: the Rust is lowered like the C that it calls, and both are one automaton.
//!
//! | file | what |
//! |---|---|
//! | `ty` | types and their inference |
//! | `hir` | a function after its names and types were found out |
//! | `read` | from syntax to that |
//! | `resolve` | puts inferred types in |
//! | `emit` | from that to edges |

mod emit;
mod hir;
mod read;
mod resolve;
mod ty;

pub(crate) use emit::{Claim, InputSite, Layout, Sites};
pub(crate) use read::{Extern, Reader, Struct, show};
pub(crate) use ty::Ty;

use super::ffi::Comparison;
use super::items::{Home, Items, words};
use emit::Shell;
use hir::Body;
use index_vec::IndexVec;
use proc_macro2::{Delimiter, TokenStream, TokenTree};
use quote::ToTokens;
use rustc_hash::FxHashMap;
use syn::ItemFn;
use tour_c::front::{FrontOptions, Input, ParsedUnit, parse_units};
use tour_c::load::FrontError;
use tour_c::sema::{Fail, LowerOptions, Shared, UndefinedPolicy, lower_with};
use tour_engine::analysis::prepare;
use tour_ir::prepared::Prepared;
use tour_ir::program::{Builtin, FnId, Linkage, Program, Rule};
use tour_ir::source::{Diagnostic, Severity, SourceMap, UnitId};

/// A harness and all the Rust that it needs.
pub(crate) struct HarnessSource {
    pub(crate) function: ItemFn,
    pub(crate) home: Home,
    pub(crate) items: Items,
    pub(crate) sources: SourceMap,
}

/// A harness as a program.
pub(crate) struct Lowered<P = Program> {
    pub(crate) program: P,
    pub(crate) sites: Sites,
    pub(crate) structs: Vec<Struct>,
    /// Units below this are Rust.
    pub(crate) first_c_unit: UnitId,
    /// Warnings about how it was read.
    pub(crate) notes: Vec<Diagnostic>,
}

impl Lowered {
    /// With these rules checked.
    pub(crate) fn prepared(self, rules: &[Rule]) -> Lowered<Prepared> {
        let Lowered { program, sites, structs, first_c_unit, notes } = self;
        Lowered { program: prepare(program, rules), sites, structs, first_c_unit, notes }
    }
}

/// What a harness adds to a program.
struct Added {
    entry: FnId,
    sites: Sites,
    structs: Vec<Struct>,
    notes: Vec<Diagnostic>,
}

impl HarnessSource {
    /// The C functions and variables that it may use, by the names that the linker knows.
    pub(crate) fn symbols(&self) -> Vec<String> {
        let mut named = Vec::new();
        words(self.function.to_token_stream(), &mut named);
        let mut called = Vec::new();
        calls(self.function.to_token_stream(), &mut called);
        for item in &self.items.all {
            if let super::items::Thing::Spec(spec) = &item.thing {
                words(spec.to_token_stream(), &mut named);
                calls(spec.to_token_stream(), &mut called);
            }
        }
        let externs = self.items.all.iter().filter(|item| {
            named.contains(&item.name)
                && matches!(
                    item.thing,
                    super::items::Thing::ExternFn(_) | super::items::Thing::ExternStatic(_)
                )
        });
        // A function of another crate is known by its last name only.
        let mut symbols: Vec<String> = externs.map(|item| item.symbol.clone()).chain(called).collect();
        symbols.sort();
        symbols.dedup();
        symbols
    }

    /// Makes a program of the harness and C units. What a function without a body does is not known, unless it has a
    /// stub.
    pub(crate) fn lower(
        mut self,
        inputs: &[Input],
        front: &FrontOptions,
        options: LowerOptions,
    ) -> Result<Lowered, FrontError> {
        let problems = tour_syntax::check_harness(&self.function);
        if !problems.is_empty() {
            let unit = self.home.unit;
            let diagnostic = |p: &tour_syntax::Problem| {
                let range = p.span.byte_range();
                let span = tour_ir::source::Span::new(unit, range.start, range.end);
                Diagnostic::error("tour::harness", p.message.clone()).label(span, "here")
            };
            let diagnostics = problems.iter().map(diagnostic).collect();
            return Err(FrontError { diagnostics, sources: self.sources });
        }
        let mut sources = std::mem::take(&mut self.sources);
        let first_c_unit = UnitId::new(sources.units().count());
        let front = FrontOptions { entries: self.symbols(), ..front.clone() };
        let units =
            if inputs.is_empty() { Ok(Vec::new()) } else { parse_units(inputs, &front, &mut sources) };
        let units = match units {
            Ok(units) => units,
            Err(diagnostics) => return Err(FrontError { diagnostics, sources }),
        };
        let mut extra = None;
        let options = LowerOptions { undefined: UndefinedPolicy::Unknown, ..options };
        let made = lower_with(&units, sources.clone(), &options, |program, shared| {
            let added = self.add_to(program, shared)?;
            extra = Some((added.sites, added.structs, added.notes));
            Ok(added.entry)
        });
        let (program, mut notes) = match made {
            Ok(made) => made,
            Err(diagnostics) => return Err(FrontError { diagnostics, sources }),
        };
        let (sites, structs, own) = extra.unwrap_or_default();
        notes.extend(own);
        Ok(Lowered { program, sites, structs, first_c_unit, notes })
    }

    fn add_to(&self, program: &mut Program, shared: &mut Shared) -> Result<Added, Vec<Diagnostic>> {
        let mut reader = Reader::new(&self.items, program, self.home.clone());
        let (body, specs) = reader.harness(&self.function)?;
        let (structs, externs) = (std::mem::take(&mut reader.structs), std::mem::take(&mut reader.externs));
        let mut layout = Layout::default();
        let symbols = link(program, &externs, &structs, &mut layout)?;
        let mut notes = Vec::new();
        let mut comparison = Comparison { program, structs: &structs, layout: &mut layout };
        for declared in &externs {
            if let Some(function) = symbols.get(&declared.symbol)
                // One that was read from the C, or that no C defines, has nothing to agree with.
                && declared.span.is_some_and(|span| span != program.functions[*function].span)
            {
                notes.extend(comparison.declaration(declared, *function));
            }
        }
        notes.dedup();
        if notes.iter().any(|note| note.severity == Severity::Error) {
            return Err(notes);
        }
        let unit = ParsedUnit::plain(self.home.unit, Vec::new(), IndexVec::new());
        let mut sites = Sites::default();
        let mut functions = Vec::new();
        for spec in &specs {
            functions.push(declare(program, &structs, &mut layout, spec)?);
        }
        let void = program.types.void();
        let entry = emit::declare(program, &body.name, Vec::new(), void, body.span);
        let mut emit = |function: FnId, body: &Body, is_harness: bool| {
            let shell = Shell {
                program,
                shared,
                unit: &unit,
                layout: &mut layout,
                structs: &structs,
                sites: &mut sites,
                symbols: &symbols,
                specs: &functions,
            };
            emit::emit(shell, function, body, is_harness).map_err(|fail| vec![diagnostic(*fail)])
        };
        for (function, spec) in functions.iter().zip(&specs) {
            emit(*function, spec, false)?;
        }
        emit(entry, &body, true)?;
        Ok(Added { entry, sites, structs, notes })
    }
}

/// The C functions that are called, by symbol; what no unit has is declared.
fn link(
    program: &mut Program,
    externs: &[Extern],
    structs: &[Struct],
    layout: &mut Layout,
) -> Result<FxHashMap<String, FnId>, Vec<Diagnostic>> {
    let mut symbols = FxHashMap::default();
    let mut missing = Vec::new();
    for declared in externs {
        let named = |body: bool| {
            let mut found = program.functions.iter_enumerated().filter(|(_, f)| {
                f.name == declared.symbol && f.linkage == Linkage::External && f.body.is_some() == body
            });
            found.next().map(|(id, _)| id)
        };
        match named(true).or_else(|| named(false)) {
            Some(function) => {
                symbols.insert(declared.symbol.clone(), function);
            }
            None => missing.push(declared),
        }
    }
    for declared in missing {
        if symbols.contains_key(&declared.symbol) {
            continue;
        }
        let Some(span) = declared.span else { continue };
        let mut types = Vec::new();
        for ty in declared.params.iter().chain([&declared.ret]) {
            types.push(layout.c_type(program, structs, ty).map_err(|message| {
                vec![Diagnostic::error("tour::harness", message).label(span, "declared here")]
            })?);
        }
        let ret = types.pop().unwrap_or_else(|| program.types.void());
        let function = emit::declare(program, &declared.symbol, types, ret, span);
        program.functions[function].builtin = Builtin::from_name(&declared.symbol);
        symbols.insert(declared.symbol.clone(), function);
    }
    Ok(symbols)
}

fn declare(
    program: &mut Program,
    structs: &[Struct],
    layout: &mut Layout,
    spec: &Body,
) -> Result<FnId, Vec<Diagnostic>> {
    let mut types = Vec::new();
    for (ty, span) in
        spec.locals[..spec.params].iter().map(|local| (&local.ty, local.span)).chain([(&spec.ret, spec.span)])
    {
        let error = |message: String, label: &str| {
            vec![Diagnostic::error("tour::harness", message).label(span, label)]
        };
        if let Ty::Array(..) = ty {
            let message = "a `#[spec]` function takes and gives no array by value".to_owned();
            return Err(error(message, "use a reference to an array"));
        }
        types.push(layout.c_type(program, structs, ty).map_err(|message| error(message, "used here"))?);
    }
    let ret = types.pop().unwrap_or_else(|| program.types.void());
    Ok(emit::declare(program, &spec.name, types, ret, spec.span))
}

fn diagnostic(fail: Fail) -> Diagnostic {
    match fail {
        Fail::Error(diagnostic) => Diagnostic { code: "tour::harness", ..diagnostic },
        Fail::Unsupported(what, span) => Diagnostic::error("tour::harness", what.message).label(span, "here"),
    }
}

/// The names that seem to be called.
fn calls(tokens: TokenStream, into: &mut Vec<String>) {
    let mut work = vec![tokens];
    while let Some(tokens) = work.pop() {
        let mut before: Option<String> = None;
        for token in tokens {
            match token {
                TokenTree::Ident(ident) => before = Some(ident.to_string()),
                TokenTree::Group(group) => {
                    if group.delimiter() == Delimiter::Parenthesis {
                        into.extend(before.take());
                    }
                    before = None;
                    work.push(group.stream());
                }
                TokenTree::Punct(_) | TokenTree::Literal(_) => before = None,
            }
        }
    }
}

/// The harness in a file: a function of that name, the one nearest to a line if there are several.
pub(crate) fn find_function<'a>(
    items: &'a [syn::Item],
    module: &[String],
    name: &str,
    line: usize,
) -> Option<&'a ItemFn> {
    let inner = match module.split_first() {
        Some((first, rest)) => items.iter().find_map(|item| match item {
            syn::Item::Mod(inner) if inner.ident == first => {
                let (_, items) = inner.content.as_ref()?;
                find_function(items, rest, name, line)
            }
            _ => None,
        }),
        None => None,
    };
    inner.or_else(|| {
        let functions = items.iter().filter_map(|item| match item {
            syn::Item::Fn(function) if function.sig.ident == name && module.is_empty() => Some(function),
            _ => None,
        });
        functions.min_by_key(|function| function.sig.ident.span().start().line.abs_diff(line))
    })
}

#[cfg(test)]
mod differential;
#[cfg(test)]
mod faults;
#[cfg(test)]
pub(super) mod tests;
