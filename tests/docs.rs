//! The documentation: links lead somewhere, and tables say the same as the code.

use crate::support::repository;
use std::path::{Path, PathBuf};

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

fn pages() -> Vec<PathBuf> {
    let book =
        std::fs::read_dir(repository("docs/src")).expect("the book").map(|e| e.expect("an entry").path());
    let top = ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md"].map(repository);
    book.filter(|path| path.extension().is_some_and(|e| e == "md")).chain(top).collect()
}

/// The targets of `[text](target)` outside of code blocks.
fn links(text: &str) -> Vec<&str> {
    let mut code = false;
    let mut found = Vec::new();
    for line in text.lines() {
        code ^= line.starts_with("```");
        if !code {
            found.extend(line.split("](").skip(1).filter_map(|rest| rest.split(')').next()));
        }
    }
    found
}

#[test]
fn links_lead_somewhere() {
    for page in pages() {
        let folder = page.parent().expect("a page is in a folder");
        for link in links(&read(&page)) {
            let target = link.split('#').next().unwrap_or("");
            if !target.is_empty() && !target.contains("://") {
                assert!(folder.join(target).exists(), "{link} in {}", page.display());
            }
        }
    }
}

#[test]
fn every_chapter_is_in_the_summary() {
    let summary = read(&repository("docs/src/SUMMARY.md"));
    for page in pages().iter().filter(|p| p.starts_with(repository("docs"))) {
        let name = page.file_name().and_then(|n| n.to_str()).expect("a name");
        assert!(name == "SUMMARY.md" || summary.contains(&format!("({name})")), "{name}");
    }
}

#[test]
fn exit_codes_are_those_of_the_code() {
    let documented = read(&repository("docs/src/exit-codes.md"));
    let source = read(&repository("cargo-tour/src/exit.rs"));
    let mut codes = 0;
    for line in source.lines().filter_map(|line| line.trim().strip_suffix(',')) {
        if let Some((_, code)) = line.split_once(" = ") {
            codes += 1;
            assert!(documented.contains(&format!("\n| {code} | ")), "exit code {code}");
        }
    }
    assert!(codes >= 7, "the codes were found in the source");
}

#[test]
fn the_map_of_the_code_names_every_module() {
    let map = read(&repository("ARCHITECTURE.md"));
    let mut folders = vec![("cargo-tour/src".to_owned(), ""), ("cargo-tour/src/cmd".to_owned(), "cmd/")];
    for entry in std::fs::read_dir(repository("tour-core")).expect("crates") {
        let name = entry.expect("an entry").file_name().to_string_lossy().into_owned();
        if repository(&format!("tour-core/{name}/Cargo.toml")).is_file() {
            assert!(map.contains(&format!("**`{name}`**")), "add the crate {name} to ARCHITECTURE.md");
            folders.push((format!("tour-core/{name}/src"), ""));
        }
    }
    assert!(folders.len() > 10);
    for (folder, prefix) in &folders {
        for entry in std::fs::read_dir(repository(folder)).expect("sources") {
            let path = entry.expect("an entry").path();
            let name = path.file_stem().and_then(|n| n.to_str()).expect("a name");
            let known = ["lib", "main", "mod"].contains(&name) || map.contains(&format!("`{prefix}{name}"));
            assert!(known, "add {} to the code map of ARCHITECTURE.md", path.display());
        }
    }
}

/// The page that says which test would notice what names tests that are there.
#[test]
fn tests_that_verdicts_rest_on_are_there() {
    let page = read(&repository("docs/src/what-a-verdict-rests-on.md"));
    let mut sources = String::new();
    let mut folders: Vec<PathBuf> = ["tour-core", "tests", "cargo-tour/src"].map(repository).into();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display())) {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                sources += &read(&path);
            }
        }
    }
    let is_test = |name: &&str| {
        name.matches('_').count() >= 2
            && name.chars().all(|c| c.is_ascii_lowercase() || c == '_')
            && !name.starts_with('_')
    };
    let named: Vec<&str> = page.split('`').skip(1).step_by(2).filter(is_test).collect();
    assert!(named.len() > 10, "{named:?}");
    for name in named {
        assert!(sources.contains(&format!("fn {name}(")), "`{name}` is no test");
    }
}

/// The script that sets up installs a Z3 that is asked everything.
#[test]
fn the_oldest_z3_that_setup_takes_is_asked_everything() {
    let setup = read(&repository("setup"));
    let least = setup.lines().find_map(|line| line.strip_prefix("MIN_Z3=")).expect("a version");
    let parts =
        |text: &str| -> Vec<u32> { text.split(['.', ',']).filter_map(|n| n.trim().parse().ok()).collect() };
    let source = read(&repository("tour-core/logic/src/smt/z3/version.rs"));
    let (_, since) = source.split_once("pub fn since(self) -> Version {").expect("the versions");
    let since = since.split("    }\n\n").next().unwrap_or_default();
    let needed = since.split("Version(").skip(1).filter_map(|rest| rest.split(')').next()).map(parts).max();
    assert_eq!(Some(parts(least)), needed, "MIN_Z3 of setup, and {since}");
}
