//! The layers of `tour-core`: which crate depends on which, and which module of the largest crate uses which.
//!
//! `cargo test --test integration layers -- --nocapture` prints both graphs.

use crate::support::repository;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Edges that are there against the order. None may be added.
const AGAINST: [&str; 1] = [
    // An automaton's edges carry the program's operations, and a program has an automaton.
    "ir: program -> cfa",
];

/// A crate as ARCHITECTURE.md has it.
struct Layer {
    name: String,
    /// What it may depend on.
    below: BTreeSet<String>,
    /// Its modules. Each may use those before it.
    modules: Vec<String>,
}

/// From lines such as ``**`model`** (depends on `ir`, `logic`). …``, each with a table of modules.
fn layers() -> Vec<Layer> {
    let map = std::fs::read_to_string(repository("ARCHITECTURE.md")).expect("the architecture");
    let quoted =
        |text: &str| -> Vec<String> { text.split('`').skip(1).step_by(2).map(str::to_owned).collect() };
    let mut layers: Vec<Layer> = Vec::new();
    let crates = map.split("\n### ").find(|section| section.starts_with("tour-core")).expect("the crates");
    for line in crates.lines() {
        if line.starts_with("**`") {
            let (name, rest) = line.split_once("** (").expect("a name and what it depends on");
            let (below, _) = rest.split_once(')').expect("the end of what it depends on");
            let name = quoted(name).remove(0);
            layers.push(Layer { name, below: quoted(below).into_iter().collect(), modules: Vec::new() });
        } else if let (Some(row), Some(layer)) = (line.strip_prefix("| `"), layers.last_mut()) {
            layer.modules.extend(row.split('`').next().map(str::to_owned));
        }
    }
    assert!(layers.len() >= 10, "the crates were found in ARCHITECTURE.md");
    layers
}

/// The crates of `tour-core` that a crate's manifest names as dependencies. What only tests need is not looked at.
fn dependencies(name: &str) -> BTreeSet<String> {
    let path = repository(&format!("tour-core/{name}/Cargo.toml"));
    let text = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let table: toml::Table = text.parse().expect("a manifest");
    let named = table.get("dependencies").and_then(|d| d.as_table()).expect("dependencies");
    named.keys().filter_map(|key| key.strip_prefix("tour-")).map(str::to_owned).collect()
}

#[test]
fn crates_depend_on_those_above_them() {
    let layers = layers();
    let mut above: BTreeSet<String> = BTreeSet::new();
    for Layer { name, below, .. } in &layers {
        let mut found = dependencies(name);
        // Rust that harnesses may contain, and the macros: no part of the engine.
        found.retain(|d| layers.iter().any(|other| other.name == *d));
        println!("{name:9} -> {}", found.iter().map(String::as_str).collect::<Vec<_>>().join(", "));
        let unknown: Vec<_> = found.difference(below).collect();
        assert!(unknown.is_empty(), "`{name}` depends on {unknown:?}: ARCHITECTURE.md does not say so");
        let upside_down: Vec<_> = below.difference(&above).collect();
        assert!(upside_down.is_empty(), "`{name}` stands above {upside_down:?} in ARCHITECTURE.md");
        above.insert(name.clone());
    }
    let evidence = layers.iter().find(|layer| layer.name == "evidence").expect("the crate of the checkers");
    assert!(!evidence.below.contains("engine"), "what checks a proof knows nothing of what made it");
}

/// Lines of Rust below a folder.
fn lines(folder: &Path) -> usize {
    let entries = std::fs::read_dir(folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
    let entries = entries.map(|e| e.expect("an entry").path());
    entries
        .map(|path| match path.is_dir() {
            true => lines(&path),
            false if path.extension().is_some_and(|e| e == "rs") => {
                std::fs::read_to_string(&path).expect("a source").lines().count()
            }
            false => 0,
        })
        .sum()
}

/// The modules of its crate that the sources below a path name, without tests and comments. `depth`: how many modules
/// a file `mod.rs` there is in.
fn uses(path: &Path, depth: usize, found: &mut BTreeSet<String>) {
    let name = path.file_name().and_then(|n| n.to_str()).unwrap_or_default();
    if path.is_dir() {
        if name == "tests" {
            return;
        }
        for entry in std::fs::read_dir(path).expect("a folder") {
            let entry = entry.expect("an entry").path();
            let below = usize::from(!entry.is_dir() && entry.ends_with("mod.rs"));
            uses(&entry, depth + 1 - below, found);
        }
        return;
    }
    if !name.ends_with(".rs") || ["tests.rs", "testing.rs"].contains(&name) {
        return;
    }
    let text = std::fs::read_to_string(path).expect("a source");
    let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
    found.extend(named_at_root(code, depth));
}

/// What a source names at the root of its crate: after `crate::`, or after as many `super::` as it is deep; one name, or
/// several in braces.
fn named_at_root(code: &str, depth: usize) -> BTreeSet<String> {
    let lines = code.lines().filter(|line| !line.trim_start().starts_with("//"));
    let code = lines.collect::<Vec<_>>().join("\n");
    let above = "super::".repeat(depth);
    let roots = code.match_indices("crate::").map(|(at, root)| at + root.len());
    let supers = code.match_indices(&above).filter(|(at, _)| !code[..*at].ends_with("super::"));
    let supers = supers.map(|(at, root)| at + root.len()).filter(|at| !code[*at..].starts_with("super::"));
    let mut found = BTreeSet::new();
    for rest in roots.chain(supers).map(|at| &code[at..]) {
        let Some(list) = rest.strip_prefix('{') else {
            found.insert(first_name(rest));
            continue;
        };
        let (mut open, mut depth) = (1, 0);
        let end = list.find(|c| {
            open += nesting(c);
            open == 0
        });
        let parts = list[..end.unwrap_or(list.len())].split(|c| {
            depth += nesting(c);
            c == ',' && depth == 0
        });
        found.extend(parts.map(|part| first_name(part.trim_start())));
    }
    found
}

fn nesting(c: char) -> i32 {
    i32::from(c == '{') - i32::from(c == '}')
}

fn first_name(text: &str) -> String {
    text.chars().take_while(|c| c.is_ascii_lowercase() || *c == '_').collect()
}

#[test]
fn all_ways_to_name_a_module_are_seen() {
    let check = |code: &str, depth: usize, expect: &[&str]| {
        let mut found = named_at_root(code, depth);
        found.remove("");
        assert_eq!(found.iter().map(String::as_str).collect::<Vec<_>>(), expect, "{code}");
    };
    check("use crate::regions::Regions;", 1, &["regions"]);
    check(
        "use crate::{block, encode::{Cell, Path}, slice::*};\nuse std::fmt;",
        1,
        &["block", "encode", "slice"],
    );
    check("fn f() -> super::block::Block {}", 1, &["block"]);
    check("use super::{block,\n    encode};", 1, &["block", "encode"]);
    check("use super::block::Block;", 2, &[]);
    check("use super::super::block::Block;", 2, &["block"]);
    check("use super::super::super::block::Block;", 2, &[]);
    check("// crate::regions\n/// [`crate::block`]\nlet x = 1;", 1, &[]);
}

/// The other modules of its crate that a module uses.
fn used_by(layer: &Layer, module: &str) -> BTreeSet<String> {
    let source = repository(&format!("tour-core/{}/src", layer.name));
    let mut found = BTreeSet::new();
    for path in [source.join(module), source.join(format!("{module}.rs"))] {
        if path.exists() {
            uses(&path, 1, &mut found);
        }
    }
    found.retain(|other| other != module && layer.modules.contains(other));
    found
}

#[test]
fn modules_use_those_before_them() {
    let (mut sizes, mut against) = (BTreeMap::new(), Vec::new());
    for layer in layers() {
        let mut before = BTreeSet::new();
        for module in &layer.modules {
            let used = used_by(&layer, module);
            let name = &layer.name;
            against.extend(used.difference(&before).map(|other| format!("{name}: {module} -> {other}")));
            before.insert(module.clone());
        }
        sizes.insert(lines(&repository(&format!("tour-core/{}/src", layer.name))), layer);
    }
    for (size, layer) in sizes.iter().rev() {
        println!("{} has {size} lines:", layer.name);
        for module in &layer.modules {
            let used: Vec<String> = used_by(layer, module).into_iter().collect();
            println!("    {module:10} -> {}", used.join(", "));
        }
    }
    assert_eq!(against, AGAINST, "edges against the order of the modules");
}
