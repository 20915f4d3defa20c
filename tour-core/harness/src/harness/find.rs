//! Finding the text of a harness, and the C that goes with it.

use super::items::{Home, Items, Package, RustFile, module_of, rust_files, same_file};
use super::lower::{HarnessSource, find_function};
use quote::ToTokens;
use serde::Deserialize;
use std::path::{Path, PathBuf};
use syn::ItemFn;
use tour_c::load::FrontError;
use tour_capture::capture::{Capture, Unit as CUnit};
use tour_ir::source::{Diagnostic, SourceMap, Unit};
use tour_protocol::result::Harness;

/// The package of a harness.
fn package(harness: &Harness) -> Package<'_> {
    let crate_name = harness.module.split("::").next().unwrap_or_default();
    Package {
        manifest_dir: &harness.manifest_dir,
        out_dir: harness.out_dir.as_deref(),
        crate_names: vec![crate_name.to_owned(), harness.package.replace('-', "_")],
        file: &harness.file,
    }
}

/// The Rust files that a harness and what it names may stand in.
pub(super) fn files(harness: &Harness) -> Vec<RustFile> {
    rust_files(&package(harness))
}

/// The harness in its file; if it does not stand there as it was compiled (a macro made it, or the file was changed
/// meanwhile), the text that was compiled.
pub(super) fn find(harness: &Harness, files: &[RustFile]) -> Result<HarnessSource, FrontError> {
    let mut sources = SourceMap::default();
    let path = harness.file.clone();
    let manifest_dir = harness.manifest_dir.as_path();
    let modules = harness.modules();
    let module = file_module(manifest_dir, &path, &modules);
    let own = files.iter().find(|file| same_file(&file.path, &path));
    let text = own.map_or("", |file| file.text.as_str());
    let parsed = Items::parse(&path, text, module.clone(), &mut sources).ok();
    let inner: Vec<String> = modules.strip_prefix(&module[..]).unwrap_or(&modules).to_vec();
    let found = parsed
        .as_ref()
        .and_then(|parsed| {
            let line = harness.line as usize;
            Some((parsed.unit, find_function(&parsed.syntax.items, &inner, &harness.function, line)?.clone()))
        })
        .filter(|(_, function)| same_text(function, &harness.source));
    let (unit, function) = match found {
        Some(found) => found,
        None => compiled(harness, &path, &mut sources)?,
    };
    let items =
        Items::find(&package(harness), files, parsed.as_ref(), function.to_token_stream(), &mut sources);
    Ok(HarnessSource { function, home: Home { unit, module: modules }, items, sources })
}

/// The module that a file is: the part of the harness's module that does not stand in the file itself.
fn file_module(manifest_dir: &Path, path: &Path, modules: &[String]) -> Vec<String> {
    let by_path = module_of(&manifest_dir.join("src"), path);
    if modules.starts_with(&by_path) { by_path } else { Vec::new() }
}

/// Tokens are compared without the space between them, which is not the same everywhere.
fn same_text(function: &ItemFn, compiled: &str) -> bool {
    let mut plain = function.clone();
    plain.attrs.clear();
    let squeeze = |text: &str| text.chars().filter(|c| !c.is_whitespace()).collect::<String>();
    let body = squeeze(&plain.to_token_stream().to_string());
    squeeze(compiled).ends_with(&body)
}

/// The text that the macro saw.
fn compiled(
    harness: &Harness,
    path: &Path,
    sources: &mut SourceMap,
) -> Result<(tour_ir::source::UnitId, ItemFn), FrontError> {
    let shown = PathBuf::from(format!("{} ({})", path.display(), harness.function));
    match syn::parse_str::<ItemFn>(&harness.source) {
        Ok(function) => Ok((sources.add(Unit::plain(shown, harness.source.as_str())), function)),
        Err(error) => {
            let message = format!("the harness `{}` can't be read: {error}", harness.function);
            let diagnostic = Diagnostic::error("tour::harness", message);
            Err(FrontError { diagnostics: vec![diagnostic], sources: std::mem::take(sources) })
        }
    }
}

/// An entry of a compilation database.
#[derive(Deserialize)]
struct Command {
    directory: PathBuf,
    file: PathBuf,
    #[serde(default)]
    arguments: Vec<String>,
    command: Option<String>,
}

/// A compilation database.
pub(super) fn compile_commands(path: &Path) -> Result<Capture, Box<Diagnostic>> {
    let error = |why: String| {
        Box::new(Diagnostic::error("tour::capture", format!("cannot read `{}`: {why}", path.display())))
    };
    let text = std::fs::read_to_string(path).map_err(|why| error(why.to_string()))?;
    let commands: Vec<Command> = serde_json::from_str(&text).map_err(|why| error(why.to_string()))?;
    let unit = |command: Command| {
        let mut arguments = match command.command {
            Some(line) if command.arguments.is_empty() => shlex::split(&line).unwrap_or_default(),
            _ => command.arguments,
        };
        let compiler = if arguments.is_empty() { "cc".to_owned() } else { arguments.remove(0) };
        CUnit {
            file: command.directory.join(command.file),
            directory: command.directory,
            compiler: compiler.into(),
            arguments,
            package: String::new(),
            object: None,
        }
    };
    Ok(Capture { units: commands.into_iter().map(unit).collect(), ..Capture::default() })
}
