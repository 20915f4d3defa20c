//! Results of earlier runs. A result is used again if nothing that it depends on changed: the harness, the Rust files
//! read for it, every file of every C unit that it reaches, flags, compiler, options, and tour itself.
//!
//! The name of an entry is a hash of all that is known before a run. The entry lists the files that the run turned out to
//! depend on, with a digest of their times and sizes, and one of their contents for when only times changed.

use super::harnesses::Item;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Mutex, PoisonError};
use std::time::UNIX_EPOCH;
use tour::capture::{Capture, Unit};
use tour::protocol::{PROTOCOL, Request, write_json};
use tour::result::{ClaimResult, Replay, Status};

/// The results of one build.
pub struct Cache {
    folder: PathBuf,
    units: BTreeMap<PathBuf, Unit>,
    /// Of units, compilers and settings.
    basis: blake3::Hash,
    headers: Mutex<BTreeMap<PathBuf, Option<Vec<PathBuf>>>>,
}

#[derive(Serialize, Deserialize)]
struct Entry {
    /// Everything that the result depends on.
    files: Vec<PathBuf>,
    /// Of times and sizes.
    times: String,
    /// Of contents.
    contents: String,
    result: ClaimResult,
}

/// What a digest is made of.
#[derive(Clone, Copy, PartialEq)]
enum Look {
    Times,
    Contents,
    /// As `Contents`, but a Rust file counts without its harnesses and comments.
    Meaning,
}

impl Cache {
    /// The cache below `target/tour`. `settings` is what else the results depend on.
    pub fn new(capture: &Capture, settings: &[u8]) -> Cache {
        let mut hasher = blake3::Hasher::new();
        hasher.update(tour::VERSION.as_bytes()).update(settings);
        let mut compilers = BTreeSet::new();
        for unit in &capture.units {
            let text = serde_json::to_vec(unit).unwrap_or_default();
            hasher.update(&text);
            compilers.insert(unit.compiler.as_path());
        }
        for compiler in compilers {
            stamp(&mut hasher, compiler);
        }
        // Another build of tour may answer otherwise.
        if let Ok(engine) = std::env::current_exe() {
            stamp(&mut hasher, &engine);
        }
        Cache {
            folder: capture.directory.join("cache"),
            units: capture.units.iter().map(|unit| (unit.file.clone(), unit.clone())).collect(),
            basis: hasher.finalize(),
            headers: Mutex::new(BTreeMap::new()),
        }
    }

    fn path(&self, item: &Item, request: &Request) -> PathBuf {
        let harness = &item.harness;
        let mut hasher = blake3::Hasher::new();
        hasher.update(self.basis.as_bytes());
        let limits = harness.unwind.map_or(String::new(), |n| n.to_string());
        let texts = [
            &harness.package,
            &harness.target,
            &harness.file.to_string_lossy().into_owned(),
            &harness.name,
            &harness.source,
            &limits,
            &format!("{:?}{:?}{}", harness.should_fail, harness.should_panic, harness.pointer_width),
            &format!("{:?}", request.engine),
            &request.properties.join(" "),
            &harness.properties.join(" "),
            &format!("{} {}", request.malloc_may_fail || harness.malloc_may_fail, request.no_replay),
        ];
        for text in texts {
            hasher.update(text.as_bytes()).update(b"\0");
        }
        let name = hasher.finalize().to_hex();
        self.folder.join(&name[..2]).join(format!("{}.json", &name[2..34]))
    }

    /// The result of an earlier run that still holds.
    pub fn get(&self, item: &Item, request: &Request) -> Option<ClaimResult> {
        let path = self.path(item, request);
        let entry: Entry = serde_json::from_slice(&std::fs::read(&path).ok()?).ok()?;
        if entry.result.protocol != PROTOCOL {
            return None;
        }
        if digest(&entry.files, Look::Times) == entry.times {
            return Some(entry.result);
        }
        if digest(&entry.files, look(&entry.result)) != entry.contents {
            return None;
        }
        // Only times changed: so that it is quick next time.
        let times = digest(&entry.files, Look::Times);
        let entry = Entry { times, ..entry };
        self.write(&path, &entry);
        Some(entry.result)
    }

    /// Keeps a result, if the same run would have it again.
    pub fn put(&self, item: &Item, request: &Request, result: &ClaimResult) {
        if !lasts(result) {
            return;
        }
        let Some(files) = self.files(result) else { return };
        let times = digest(&files, Look::Times);
        let contents = digest(&files, look(result));
        let entry = Entry { files, times, contents, result: result.clone() };
        self.write(&self.path(item, request), &entry);
    }

    fn write(&self, path: &Path, entry: &Entry) {
        // What can't be kept is computed again.
        let _ = write_json(path, entry);
    }

    /// All files that a result depends on; `None` if they can't be found out.
    fn files(&self, result: &ClaimResult) -> Option<Vec<PathBuf>> {
        let base = result.claim.directory();
        let mut files: BTreeSet<PathBuf> = result.sources.iter().map(|source| base.join(source)).collect();
        files.insert(base.join(result.claim.place().file));
        for reached in &result.units {
            let Some(unit) = self.units.get(&reached.file) else {
                // Part of tour itself, or a stub: the file alone.
                files.insert(base.join(&reached.file));
                continue;
            };
            let mut known = self.headers.lock().unwrap_or_else(PoisonError::into_inner);
            let headers = known.entry(unit.file.clone()).or_insert_with(|| headers(unit));
            files.extend(headers.as_ref()?.iter().cloned());
        }
        Some(files.into_iter().collect())
    }
}

/// How contents are compared: what is shown of a violation are lines of files, which must be as they were.
fn look(result: &ClaimResult) -> Look {
    match result.status {
        Status::Proved | Status::Vacuous => Look::Meaning,
        _ => Look::Contents,
    }
}

/// A result that does not depend on time, memory or chance, and that was checked if it is a proof.
fn lasts(result: &ClaimResult) -> bool {
    if result.is_unchecked() {
        return false;
    }
    match result.status {
        Status::Proved | Status::Vacuous => true,
        Status::Violated => !result.violations.iter().any(|v| matches!(v.replay, Replay::NotRun { .. })),
        Status::Unknown => {
            matches!(
                result.kind.as_deref(),
                Some("unsupported" | "undefined-function" | "inconclusive" | "no-progress")
            )
        }
        Status::Invalid | Status::Crashed | Status::NotRun => false,
    }
}

/// The file of a unit and all that it includes, as the compiler tells.
fn headers(unit: &Unit) -> Option<Vec<PathBuf>> {
    let input = unit.input();
    let output = Command::new(&unit.compiler)
        .args(&input.flags)
        .args(["-M", "-MT", "x"])
        .arg(&unit.file)
        .current_dir(&unit.directory)
        .env("LC_ALL", "C")
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .output()
        .ok()
        .filter(|output| output.status.success())?;
    let text = String::from_utf8(output.stdout).ok()?;
    Some(prerequisites(&text).into_iter().map(|file| unit.directory.join(file)).collect())
}

/// The files of a rule for make: `x: a.c a\ b.h \` and further lines.
fn prerequisites(rule: &str) -> Vec<String> {
    let list = rule.split_once(':').map_or("", |(_, list)| list);
    let mut files = vec![String::new()];
    let mut chars = list.chars().peekable();
    while let Some(c) = chars.next() {
        let last = files.len() - 1;
        match c {
            '\\' => match chars.next() {
                Some('\n') | None => files.push(String::new()),
                Some(escaped) => files[last].push(escaped),
            },
            '$' if chars.peek() == Some(&'$') => {
                chars.next();
                files[last].push('$');
            }
            c if c.is_whitespace() => files.push(String::new()),
            c => files[last].push(c),
        }
    }
    files.retain(|file| !file.is_empty());
    files
}

fn stamp(hasher: &mut blake3::Hasher, path: &Path) {
    hasher.update(path.as_os_str().as_encoded_bytes()).update(b"\0");
    if let Ok(data) = std::fs::metadata(path) {
        let time = data.modified().ok().and_then(|t| t.duration_since(UNIX_EPOCH).ok()).unwrap_or_default();
        hasher.update(&time.as_nanos().to_le_bytes()).update(&data.len().to_le_bytes());
    }
}

fn digest(files: &[PathBuf], look: Look) -> String {
    let mut hasher = blake3::Hasher::new();
    for file in files {
        match look {
            Look::Times => stamp(&mut hasher, file),
            Look::Contents | Look::Meaning => {
                hasher.update(file.as_os_str().as_encoded_bytes()).update(b"\0");
                let bytes = std::fs::read(file).unwrap_or_default();
                let is_rust = file.extension().is_some_and(|e| e == "rs");
                let meaning = (look == Look::Meaning && is_rust).then(|| meaning(&bytes)).flatten();
                hasher.update(meaning.as_deref().unwrap_or(&bytes)).update(b"\0");
            }
        }
    }
    hasher.finalize().to_hex().to_string()
}

/// A Rust file without its harnesses and tests: a harness is in the name of its own entry, and no other harness
/// depends on it.
fn meaning(bytes: &[u8]) -> Option<Vec<u8>> {
    let mut file = syn::parse_file(std::str::from_utf8(bytes).ok()?).ok()?;
    without_tests(&mut file.items);
    Some(format!("{}", quote::quote!(#file)).into_bytes())
}

fn without_tests(items: &mut Vec<syn::Item>) {
    let named = |attribute: &syn::Attribute, names: &[&str]| {
        attribute.path().segments.last().is_some_and(|last| names.iter().any(|name| last.ident == name))
    };
    items.retain(|item| match item {
        syn::Item::Fn(function) => !function.attrs.iter().any(|a| named(a, &["verify", "test"])),
        _ => true,
    });
    for item in items {
        if let syn::Item::Mod(syn::ItemMod { content: Some((_, items)), .. }) = item {
            without_tests(items);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_for_make() {
        assert_eq!(prerequisites("x: a.c /usr/b.h \\\n a\\ b.h\n"), ["a.c", "/usr/b.h", "a b.h"]);
        assert_eq!(prerequisites("x:\n"), Vec::<String>::new());
        assert_eq!(prerequisites(""), Vec::<String>::new());
    }

    #[test]
    fn another_harness_changes_no_meaning() {
        let of = |text: &str| meaning(text.as_bytes()).expect("Rust");
        let base = of("const N: u8 = 1; mod proofs { #[verify] fn a() {} }");
        assert_eq!(
            base,
            of("const N: u8 = 1; // why\n mod proofs { #[tour::verify(timeout = 1)] fn b() { f() } }")
        );
        assert_ne!(base, of("const N: u8 = 2; mod proofs { #[verify] fn a() {} }"));
        assert_ne!(base, of("const N: u8 = 1; mod proofs { #[spec] fn a() {} }"));
    }

    #[test]
    fn only_contents_count_when_times_change() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("a.c");
        std::fs::write(&file, "int a;").expect("a file");
        let files = [file.clone()];
        let (times, contents) = (digest(&files, Look::Times), digest(&files, Look::Contents));
        let past = UNIX_EPOCH + std::time::Duration::from_secs(1);
        std::fs::File::options().write(true).open(&file).and_then(|f| f.set_modified(past)).expect("a time");
        assert_ne!(digest(&files, Look::Times), times);
        assert_eq!(digest(&files, Look::Contents), contents);
        std::fs::write(&file, "int b;").expect("a file");
        assert_ne!(digest(&files, Look::Contents), contents);
    }
}
