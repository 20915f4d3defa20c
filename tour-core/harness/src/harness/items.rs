//! The items of the user's crate that a harness names: found in its source files.
//!
//! Files are looked at by the words in them first: only those that seem to define something wanted are parsed, and what
//! their items mention is wanted next.

use proc_macro2::{TokenStream, TokenTree};
use quote::ToTokens;
use rustc_hash::{FxHashMap, FxHashSet};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use syn::spanned::Spanned;
use syn::{Attribute, ForeignItem, Item as SynItem, ItemFn, Lit, Meta, Stmt, UseTree};
use tour_ir::source::{SourceMap, Span, Unit, UnitId};

/// What an item is.
#[derive(Clone)]
pub(crate) enum Thing {
    /// A function of an `extern` block.
    ExternFn(Box<syn::Signature>),
    /// A variable of an `extern` block.
    ExternStatic(Box<syn::Type>),
    Struct(Box<syn::ItemStruct>),
    Const(Box<(syn::Type, syn::Expr)>),
    Alias(Box<syn::Type>),
    /// A function marked `#[spec]`.
    Spec(Box<ItemFn>),
    /// Any other function.
    Function,
    /// An enumeration, a union, a trait: nothing that a harness can use.
    Other(&'static str),
}

/// Where names are looked up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Home {
    pub(crate) unit: UnitId,
    /// Its module, without the crate.
    pub(crate) module: Vec<String>,
}

/// An item.
pub(crate) struct Item {
    pub(crate) name: String,
    /// The name that the linker knows.
    pub(crate) symbol: String,
    pub(crate) thing: Thing,
    pub(crate) home: Home,
    /// Its name in the text.
    pub(crate) span: Span,
    /// For telling whether two items are written alike.
    text: String,
}

/// By index into the items that were found.
pub(crate) type ItemId = usize;

/// A name that `use` brings in.
struct Import {
    home: Home,
    name: String,
    path: Vec<String>,
}

/// The items that were found.
#[derive(Default)]
pub(crate) struct Items {
    pub(crate) all: Vec<Item>,
    by_name: FxHashMap<String, Vec<ItemId>>,
    imports: Vec<Import>,
    /// Names of modules: the first part of a path that is none of them is another crate.
    modules: FxHashSet<String>,
    /// The names of the crate, and of the one that it tests.
    crate_names: Vec<String>,
    /// Types for which some file implements `Drop`.
    dropped: FxHashSet<String>,
    /// The files that were parsed.
    pub(crate) files: Vec<PathBuf>,
}

/// Several items could be meant.
#[derive(Debug)]
pub(crate) struct Ambiguous(pub(crate) Vec<Span>);

/// The user's crate, as a test executable knows it.
pub(crate) struct Package<'a> {
    pub(crate) manifest_dir: &'a Path,
    /// Where its build script writes, if it has one.
    pub(crate) out_dir: Option<&'a Path>,
    /// The names of the crate, and of the one that it tests, as in paths.
    pub(crate) crate_names: Vec<String>,
    /// The file of the harness.
    pub(crate) file: &'a Path,
}

/// A Rust file of the crate.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct RustFile {
    pub(crate) path: PathBuf,
    /// The module that it seems to be.
    pub(crate) module: Vec<String>,
    pub(crate) text: String,
}

/// The range of a node in the text of its file.
pub(crate) fn span_of(unit: UnitId, node: &impl Spanned) -> Span {
    let range = node.span().byte_range();
    Span::new(unit, range.start, range.end)
}

/// A file that was parsed: its unit and its syntax.
pub(crate) struct Parsed {
    pub(crate) unit: UnitId,
    pub(crate) module: Vec<String>,
    pub(crate) syntax: syn::File,
}

impl Items {
    /// Parses one file.
    pub(crate) fn parse(
        path: &Path,
        text: &str,
        module: Vec<String>,
        sources: &mut SourceMap,
    ) -> syn::Result<Parsed> {
        let syntax: syn::File = syn::parse_str(text)?;
        let unit = sources.add(Unit::plain(path, text));
        Ok(Parsed { unit, module, syntax })
    }

    /// All that the words in `wanted` lead to, in these files. `first` is the harness's own file, if it was parsed.
    pub(crate) fn find(
        package: &Package,
        files: &[RustFile],
        first: Option<&Parsed>,
        wanted: TokenStream,
        sources: &mut SourceMap,
    ) -> Items {
        let mut files: Vec<&RustFile> = files.iter().collect();
        let mut items = Items { crate_names: package.crate_names.clone(), ..Items::default() };
        for file in &files {
            items.modules.extend(file.module.iter().cloned());
            items.dropped.extend(destructors(&file.text));
        }
        if let Some(parsed) = first {
            items.dropped.extend(destructors(&sources.unit(parsed.unit).text));
            items.index(parsed);
            items.files.push(package.file.to_owned());
            files.retain(|file| !same_file(&file.path, package.file));
        }
        let mut known: FxHashSet<String> = FxHashSet::default();
        let mut new: Vec<String> = Vec::new();
        words(wanted, &mut new);
        let mut followed: FxHashSet<ItemId> = FxHashSet::default();
        while !new.is_empty() {
            let fresh: Vec<String> = new.drain(..).filter(|word| known.insert(word.clone())).collect();
            let mut rest = Vec::with_capacity(files.len());
            for file in files {
                if !fresh.iter().any(|word| defines(&file.text, word)) {
                    rest.push(file);
                } else if let Ok(parsed) = Items::parse(&file.path, &file.text, file.module.clone(), sources)
                {
                    items.index(&parsed);
                    items.files.push(file.path.clone());
                }
            }
            files = rest;
            for (id, item) in items.all.iter().enumerate() {
                if known.contains(&item.name) && followed.insert(id) {
                    words(item.mentions(), &mut new);
                }
            }
        }
        items
    }

    fn index(&mut self, parsed: &Parsed) {
        self.index_items(&parsed.syntax.items, &Home { unit: parsed.unit, module: parsed.module.clone() });
    }

    fn index_items(&mut self, items: &[SynItem], home: &Home) {
        for item in items {
            self.index_item(item, home);
        }
    }

    fn index_item(&mut self, item: &SynItem, home: &Home) {
        match item {
            SynItem::Mod(module) => {
                if let (Some((_, items)), true) = (&module.content, enabled(&module.attrs)) {
                    let name = module.ident.to_string();
                    self.modules.insert(name.clone());
                    let mut inner = home.clone();
                    inner.module.push(name);
                    self.index_items(items, &inner);
                }
            }
            SynItem::ForeignMod(block) => {
                for item in &block.items {
                    match item {
                        ForeignItem::Fn(f) if enabled(&f.attrs) => {
                            let thing = Thing::ExternFn(Box::new(f.sig.clone()));
                            self.add(&f.sig.ident, thing, &f.attrs, &f.sig, home);
                        }
                        ForeignItem::Static(s) if enabled(&s.attrs) => {
                            let thing = Thing::ExternStatic(s.ty.clone());
                            self.add(&s.ident, thing, &s.attrs, &s.ty, home);
                        }
                        _ => {}
                    }
                }
            }
            SynItem::Struct(s) if enabled(&s.attrs) => {
                self.add(&s.ident, Thing::Struct(Box::new(s.clone())), &s.attrs, s, home);
            }
            SynItem::Const(c) if enabled(&c.attrs) => {
                let thing = Thing::Const(Box::new(((*c.ty).clone(), (*c.expr).clone())));
                self.add(&c.ident, thing, &c.attrs, c, home);
            }
            SynItem::Type(t) if enabled(&t.attrs) => {
                self.add(&t.ident, Thing::Alias(t.ty.clone()), &t.attrs, t, home);
            }
            SynItem::Fn(f) if enabled(&f.attrs) => {
                let spec =
                    f.attrs.iter().any(|a| a.path().segments.last().is_some_and(|s| s.ident == "spec"));
                let thing = if spec { Thing::Spec(Box::new(f.clone())) } else { Thing::Function };
                self.add(&f.sig.ident, thing, &f.attrs, f, home);
                let mut inner = home.clone();
                inner.module.push(f.sig.ident.to_string());
                for stmt in &f.block.stmts {
                    if let Stmt::Item(item) = stmt {
                        self.index_item(item, &inner);
                    }
                }
            }
            SynItem::Enum(e) => self.add(&e.ident, Thing::Other("an enumeration"), &e.attrs, e, home),
            SynItem::Union(u) => self.add(&u.ident, Thing::Other("a union"), &u.attrs, u, home),
            SynItem::Trait(t) => self.add(&t.ident, Thing::Other("a trait"), &t.attrs, &t.ident, home),
            SynItem::Static(s) => self.add(&s.ident, Thing::Other("a static variable"), &s.attrs, s, home),
            SynItem::Use(import) if enabled(&import.attrs) => self.import(&import.tree, Vec::new(), home),
            _ => {}
        }
    }

    fn add(
        &mut self,
        ident: &syn::Ident,
        thing: Thing,
        attrs: &[Attribute],
        node: &impl ToTokens,
        home: &Home,
    ) {
        let name = ident.to_string();
        let name = name.strip_prefix("r#").unwrap_or(&name).to_owned();
        self.by_name.entry(name.clone()).or_default().push(self.all.len());
        self.all.push(Item {
            symbol: link_name(attrs).unwrap_or_else(|| name.clone()),
            name,
            thing,
            home: home.clone(),
            span: span_of(home.unit, ident),
            text: node.to_token_stream().to_string(),
        });
    }

    fn import(&mut self, tree: &UseTree, mut path: Vec<String>, home: &Home) {
        match tree {
            UseTree::Path(step) => {
                path.push(step.ident.to_string());
                self.import(&step.tree, path, home);
            }
            UseTree::Name(name) => {
                path.push(name.ident.to_string());
                self.imports.push(Import { home: home.clone(), name: name.ident.to_string(), path });
            }
            UseTree::Rename(rename) => {
                path.push(rename.ident.to_string());
                self.imports.push(Import { home: home.clone(), name: rename.rename.to_string(), path });
            }
            UseTree::Glob(_) => {}
            UseTree::Group(group) => {
                for tree in &group.items {
                    self.import(tree, path.clone(), home);
                }
            }
        }
    }

    /// What was seen of files that were not parsed: names of modules, and types with destructors.
    pub(crate) fn seen(&self) -> Vec<&str> {
        let mut modules: Vec<&str> = self.modules.iter().map(String::as_str).collect();
        let mut dropped: Vec<&str> = self.dropped.iter().map(String::as_str).collect();
        modules.sort_unstable();
        dropped.sort_unstable();
        modules.into_iter().chain([""]).chain(dropped).collect()
    }

    /// The struct has a destructor, or seems to.
    pub(crate) fn has_destructor(&self, name: &str) -> bool {
        self.dropped.contains(name)
    }

    /// The crate or module that a `use` takes a name from, if one does.
    pub(crate) fn imported_from(&self, name: &str, home: &Home) -> Option<&str> {
        let import = self.imports.iter().find(|import| {
            import.name == name
                && import.home.unit == home.unit
                && home.module.starts_with(&import.home.module)
        });
        import.and_then(|import| import.path.first()).map(String::as_str)
    }

    /// The item that a path means, seen from somewhere; `None` if it is none of this crate's.
    pub(crate) fn lookup(
        &self,
        path: &[String],
        home: &Home,
        wanted: impl Fn(&Thing) -> bool,
    ) -> Result<Option<ItemId>, Ambiguous> {
        let Some((first, _)) = path.split_first() else { return Ok(None) };
        // A name that `use` brings in stands for its path.
        let import = self.imports.iter().find(|import| {
            import.name == *first
                && import.home.unit == home.unit
                && home.module.starts_with(&import.home.module)
        });
        let full: Vec<String> = match import {
            Some(import) => import.path.iter().chain(&path[1..]).cloned().collect(),
            None => path.to_vec(),
        };
        let (Some(name), Some(root)) = (full.last(), full.first()) else { return Ok(None) };
        let here = matches!(root.as_str(), "crate" | "self" | "super")
            || self.crate_names.contains(root)
            || self.modules.contains(root);
        if full.len() > 1 && !here {
            return Ok(None);
        }
        let found = self.by_name.get(name).map_or(&[][..], |found| found);
        let mut found: Vec<ItemId> =
            found.iter().copied().filter(|&id| wanted(&self.all[id].thing)).collect();
        // The nearest scope comes first.
        if full.len() == 1 {
            for depth in (0..=home.module.len()).rev() {
                let scope = &home.module[..depth];
                let near = found
                    .iter()
                    .find(|&&id| self.all[id].home.unit == home.unit && self.all[id].home.module == scope);
                if let Some(&id) = near {
                    return Ok(Some(id));
                }
            }
        }
        let middle: Vec<&String> = full[..full.len() - 1]
            .iter()
            .filter(|part| {
                !matches!(part.as_str(), "crate" | "self" | "super") && !self.crate_names.contains(part)
            })
            .collect();
        if !middle.is_empty() {
            let in_module = |&id: &ItemId| {
                let module = &self.all[id].home.module;
                module.len() >= middle.len()
                    && module[module.len() - middle.len()..].iter().eq(middle.iter().copied())
            };
            // A module may re-export what stands in another.
            if found.iter().any(in_module) {
                found.retain(in_module);
            }
        }
        match &found[..] {
            [] => Ok(None),
            [only] => Ok(Some(*only)),
            [first, rest @ ..] => {
                let alike = rest.iter().all(|&id| self.all[id].text == self.all[*first].text);
                if alike {
                    return Ok(Some(*first));
                }
                Err(Ambiguous(found.iter().map(|&id| self.all[id].span).collect()))
            }
        }
    }
}

impl Item {
    /// The tokens in which it may mention others.
    fn mentions(&self) -> TokenStream {
        match &self.thing {
            Thing::ExternFn(sig) => sig.to_token_stream(),
            Thing::ExternStatic(ty) | Thing::Alias(ty) => ty.to_token_stream(),
            Thing::Struct(s) => s.fields.to_token_stream(),
            Thing::Const(parts) => {
                let (ty, expr) = &**parts;
                let mut tokens = ty.to_token_stream();
                tokens.extend(expr.to_token_stream());
                tokens
            }
            Thing::Spec(f) => f.to_token_stream(),
            Thing::Function | Thing::Other(_) => TokenStream::new(),
        }
    }
}

/// All words in a piece of text.
pub(crate) fn words(tokens: TokenStream, into: &mut Vec<String>) {
    let mut work = vec![tokens];
    while let Some(tokens) = work.pop() {
        for token in tokens {
            match token {
                TokenTree::Ident(ident) => into.push(ident.to_string()),
                TokenTree::Group(group) => work.push(group.stream()),
                TokenTree::Punct(_) | TokenTree::Literal(_) => {}
            }
        }
    }
}

/// The text seems to define something of that name.
fn defines(text: &str, name: &str) -> bool {
    text.match_indices(name).any(|(at, _)| {
        let after = text[at + name.len()..].bytes().next();
        let before = text[..at].trim_end();
        !after.is_some_and(|b| b.is_ascii_alphanumeric() || b == b'_')
            && ["fn", "struct", "const", "type", "static", "mut", "enum", "union"]
                .iter()
                .any(|word| before.ends_with(word) && before.len() < at)
    })
}

/// The types that a text implements `Drop` for.
fn destructors(text: &str) -> Vec<String> {
    let ends = text.match_indices("Drop for ").map(|(at, found)| at + found.len());
    ends.map(|at| {
        let path =
            text[at..].split(|c: char| !c.is_alphanumeric() && c != '_' && c != ':').next().unwrap_or("");
        path.rsplit("::").next().unwrap_or("").to_owned()
    })
    .collect()
}

/// `#[link_name = "…"]`
fn link_name(attrs: &[Attribute]) -> Option<String> {
    attrs.iter().find_map(|attr| match &attr.meta {
        Meta::NameValue(pair) if pair.path.is_ident("link_name") => match &pair.value {
            syn::Expr::Lit(syn::ExprLit { lit: Lit::Str(text), .. }) => {
                // bindgen marks names that are not to be changed with a leading byte.
                Some(text.value().trim_start_matches('\u{1}').to_owned())
            }
            _ => None,
        },
        _ => None,
    })
}

/// False if a `cfg` on it surely does not hold in a test.
fn enabled(attrs: &[Attribute]) -> bool {
    attrs.iter().filter(|attr| attr.path().is_ident("cfg")).all(|attr| {
        let Meta::List(list) = &attr.meta else { return true };
        list.parse_args::<Meta>().is_ok_and(|meta| holds(&meta) != Some(false))
    })
}

/// Whether a `cfg` holds, as far as that can be said here.
fn holds(meta: &Meta) -> Option<bool> {
    match meta {
        Meta::Path(path) if path.is_ident("test") => Some(true),
        Meta::Path(path) if path.is_ident("unix") => Some(cfg!(unix)),
        Meta::Path(path) if path.is_ident("windows") => Some(cfg!(windows)),
        Meta::List(list) if list.path.is_ident("not") => {
            list.parse_args::<Meta>().ok().and_then(|m| holds(&m)).map(|h| !h)
        }
        Meta::List(list) if list.path.is_ident("all") || list.path.is_ident("any") => {
            let all = list.path.is_ident("all");
            let parser = syn::punctuated::Punctuated::<Meta, syn::Token![,]>::parse_terminated;
            let parts = list.parse_args_with(parser).ok()?;
            let known: Vec<Option<bool>> = parts.iter().map(holds).collect();
            // One part decides, or all must be known.
            if known.contains(&Some(!all)) {
                Some(!all)
            } else if known.contains(&None) {
                None
            } else {
                Some(all)
            }
        }
        Meta::NameValue(pair) if pair.path.is_ident("target_os") => match &pair.value {
            syn::Expr::Lit(syn::ExprLit { lit: Lit::Str(text), .. }) => {
                Some(text.value() == std::env::consts::OS)
            }
            _ => None,
        },
        _ => None,
    }
}

/// More files than any crate has.
const MAX_FILES: usize = 20_000;

/// The crate's files, in a fixed order: its sources, what stands beside the harness, and what its build script wrote.
pub(crate) fn rust_files(package: &Package) -> Vec<RustFile> {
    let src = package.manifest_dir.join("src");
    let mut found = Vec::new();
    collect(&src, &src, &mut found);
    if let Some(beside) = package.file.parent()
        && !package.file.starts_with(&src)
        && beside != package.manifest_dir
    {
        collect(beside, beside, &mut found);
    }
    if let Some(out_dir) = package.out_dir {
        collect(out_dir, out_dir, &mut found);
    }
    if !found.iter().any(|file| same_file(&file.path, package.file)) {
        found.extend(read(package.file, Vec::new()));
    }
    found
}

pub(crate) fn same_file(a: &Path, b: &Path) -> bool {
    a == b || matches!((a.canonicalize(), b.canonicalize()), (Ok(a), Ok(b)) if a == b)
}

fn collect(root: &Path, directory: &Path, found: &mut Vec<RustFile>) {
    let Ok(entries) = std::fs::read_dir(directory) else { return };
    let mut entries: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    entries.sort();
    for path in entries {
        if found.len() >= MAX_FILES {
            return;
        }
        if path.is_dir() {
            collect(root, &path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.extend(read(&path, module_of(root, &path)));
        }
    }
}

fn read(path: &Path, module: Vec<String>) -> Option<RustFile> {
    let text = std::fs::read_to_string(path).ok()?;
    Some(RustFile { path: path.to_owned(), module, text })
}

/// `src/a/b.rs` is the module `a::b`.
pub(crate) fn module_of(root: &Path, path: &Path) -> Vec<String> {
    let relative = path.strip_prefix(root).unwrap_or(path).with_extension("");
    let mut module: Vec<String> =
        relative.components().map(|part| part.as_os_str().to_string_lossy().into_owned()).collect();
    if module
        .last()
        .is_some_and(|last| last == "mod" || (module.len() == 1 && (last == "lib" || last == "main")))
    {
        module.pop();
    }
    module
}

#[cfg(test)]
mod tests {
    use super::*;

    fn items(text: &str) -> Items {
        let mut sources = SourceMap::default();
        let parsed = Items::parse(Path::new("src/lib.rs"), text, Vec::new(), &mut sources).expect("parses");
        let mut items = Items { crate_names: vec!["demo".into()], ..Items::default() };
        items.index(&parsed);
        items
    }

    fn lookup(items: &Items, path: &str, module: &[&str]) -> String {
        let path: Vec<String> = path.split("::").map(str::to_owned).collect();
        let home = Home { unit: UnitId::new(0), module: module.iter().map(|m| (*m).to_owned()).collect() };
        match items.lookup(&path, &home, |_| true) {
            Ok(Some(id)) => format!("{}::{}", items.all[id].home.module.join("::"), items.all[id].symbol),
            Ok(None) => "none".into(),
            Err(Ambiguous(spans)) => format!("{} of them", spans.len()),
        }
    }

    #[test]
    fn names_are_looked_up_as_rust_does() {
        let items = items(
            "mod ffi { extern \"C\" { pub fn f(x: i32); #[link_name = \"\\u{1}g_impl\"] pub fn g(); } }
             mod a { const K: u8 = 1; #[cfg(not(test))] fn h() {} fn h(x: u8) {} }
             mod b { use crate::ffi::g as gg; use other::f; const K: u8 = 2; fn t() { const K: u8 = 3; } }",
        );
        assert_eq!(lookup(&items, "ffi::f", &[]), "ffi::f");
        assert_eq!(lookup(&items, "crate::ffi::f", &["a"]), "ffi::f");
        assert_eq!(lookup(&items, "demo::ffi::g", &[]), "ffi::g_impl");
        assert_eq!(lookup(&items, "gg", &["b"]), "ffi::g_impl");
        // It is another crate's.
        assert_eq!(lookup(&items, "f", &["b"]), "none");
        assert_eq!(lookup(&items, "libc::f", &[]), "none");
        assert_eq!(lookup(&items, "K", &["a"]), "a::K");
        assert_eq!(lookup(&items, "K", &["b", "t"]), "b::t::K");
        assert_eq!(lookup(&items, "b::K", &[]), "b::K");
        assert_eq!(lookup(&items, "K", &["c"]), "3 of them");
        assert_eq!(lookup(&items, "h", &["a"]), "a::h");
    }

    #[test]
    fn definitions_are_seen_in_plain_text() {
        assert!(defines("pub fn push(x: u8)", "push"));
        assert!(defines("static mut  COUNT: i32", "COUNT"));
        assert!(!defines("fn pushed() { push(); }", "push"));
        assert!(!defines("// about fnpush", "push"));
    }

    #[test]
    fn destructors_are_seen_in_plain_text() {
        assert_eq!(destructors("impl Drop for Ring { } impl Drop for crate::ffi::Map<K>"), ["Ring", "Map"]);
    }

    #[test]
    fn modules_follow_from_paths() {
        let check = |path: &str, want: &str| {
            assert_eq!(module_of(Path::new("/c/src"), Path::new(path)).join("::"), want);
        };
        check("/c/src/lib.rs", "");
        check("/c/src/a.rs", "a");
        check("/c/src/a/mod.rs", "a");
        check("/c/src/a/lib.rs", "a::lib");
    }
}
