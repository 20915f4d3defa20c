//! The layers of `tour-core`: which crate depends on which, and which module of the largest crate uses which.
//!
//! `cargo test --test integration layers -- --nocapture` prints both graphs.

use crate::support::repository;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Edges that are there against the order. None may be added.
const AGAINST: [&str; 2] = [
    // An automaton's edges carry the program's operations, and a program has an automaton.
    "ir: program -> cfa",
    "evidence: verdict -> evidence",
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

/// What the sources below a path name after `crate::`, without tests and comments.
fn uses(path: &Path, found: &mut BTreeSet<String>) {
    if path.is_dir() {
        if path.ends_with("tests") {
            return;
        }
        for entry in std::fs::read_dir(path).expect("a folder") {
            uses(&entry.expect("an entry").path(), found);
        }
        return;
    }
    let name = path.file_name().and_then(|n| n.to_str()).unwrap_or_default();
    if !name.ends_with(".rs") || ["tests.rs", "testing.rs"].contains(&name) {
        return;
    }
    let text = std::fs::read_to_string(path).expect("a source");
    let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
    for line in code.lines().filter(|line| !line.trim_start().starts_with("//")) {
        for rest in line.split("crate::").skip(1) {
            let end = rest.find(|c: char| !(c.is_ascii_lowercase() || c == '_')).unwrap_or(rest.len());
            found.insert(rest[..end].to_owned());
        }
    }
}

/// The other modules of its crate that a module uses.
fn used_by(layer: &Layer, module: &str) -> BTreeSet<String> {
    let source = repository(&format!("tour-core/{}/src", layer.name));
    let mut found = BTreeSet::new();
    for path in [source.join(module), source.join(format!("{module}.rs"))] {
        if path.exists() {
            uses(&path, &mut found);
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
