//! Results of earlier runs. A result is used again if all that it depends on is as it was: the preprocessed text of the C, as
//! its compiler gives it now, the Rust, the compilers, what was asked, and tour itself.
//!
//! The name of an entry is a hash of all that, and its content is sealed under that name. No time and no size of a file is
//! believed: see [`tour::harness::Snapshot`].

use super::harnesses::Item;
use crate::seal::Seal;
use crate::term::{Term, print_error};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::SystemTime;
use tour::capture::{Capture, FileStamp};
use tour::harness::{Declarations, Key, Reader, Snapshot};
use tour::protocol::{PROTOCOL, Request};
use tour::result::{ClaimResult, Replay, Status};

/// The folder of results, in `target/tour`.
pub const FOLDER: &str = "cache";

/// How many results of one harness are kept: those of a few branches.
const KEPT: usize = 32;

/// The results of one build.
pub struct Cache<'a> {
    folder: PathBuf,
    reader: Reader<'a>,
    seal: Seal,
    /// The hash of this program: another build may answer otherwise.
    tool: String,
    executables: Mutex<BTreeMap<PathBuf, Option<String>>>,
    is_verbose: bool,
}

/// What was read for a harness, and what its result is known by.
pub struct Reading {
    /// For the worker.
    pub snapshot: Snapshot,
    key: Key,
    /// The test executable, before it was run.
    executable: Option<FileStamp>,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
struct Entry {
    /// Of the files as they stood there.
    exact: String,
    /// Of the test executable, if the result depends on what it did.
    executable: Option<String>,
    result: ClaimResult,
}

impl<'a> Cache<'a> {
    /// The cache below `target/tour`.
    pub fn new(capture: &'a Capture, term: &Term) -> Cache<'a> {
        let seal = Seal::of_user();
        if term.verbose
            && let Some(why) = seal.missing()
        {
            print_error(format_args!("note: no result is kept: {why}"));
        }
        Cache {
            folder: capture.directory.join(FOLDER),
            reader: Reader::new(capture),
            tool: tool(&seal, &capture.directory),
            seal,
            executables: Mutex::default(),
            is_verbose: term.verbose,
        }
    }

    /// What reads the files of this build.
    pub fn reader(&self) -> &Reader<'a> {
        &self.reader
    }

    /// Reads all that a harness is verified from. `None` if it can't be read, which is not kept.
    pub fn read(&self, item: &Item, request: &Request) -> Option<Reading> {
        let executable = FileStamp::of(&item.executable.path).ok();
        let snapshot = Snapshot::take(&item.harness, &self.reader).ok()?;
        let key = snapshot.key().asked(request, &item.harness, &self.tool);
        Some(Reading { snapshot, key, executable })
    }

    /// The entries of a harness are together, so that old ones can be removed.
    fn path(&self, item: &Item, key: &Key) -> PathBuf {
        let name = format!("{}\0{}\0{}", item.harness.package, item.harness.target, item.harness.name);
        let harness = blake3::hash(name.as_bytes()).to_hex();
        self.folder.join(&harness[..16]).join(format!("{}.result", key.meaning))
    }

    /// What came of an earlier comparison of the declarations of a package, by the hash of what was compared.
    pub fn declarations(&self, package: &Path, key: &str) -> Option<Declarations> {
        let (path, name) = self.declarations_file(package, key);
        self.seal.read(&path, &name).ok().flatten()
    }

    /// Keeps what came of one.
    pub fn put_declarations(&self, package: &Path, key: &str, found: &Declarations) {
        let (path, name) = self.declarations_file(package, key);
        // What can't be kept is computed again.
        if self.seal.write(&path, &name, found).is_ok()
            && let Some(folder) = path.parent()
        {
            prune(folder);
        }
    }

    fn declarations_file(&self, package: &Path, key: &str) -> (PathBuf, String) {
        let folder = blake3::hash(package.as_os_str().as_encoded_bytes()).to_hex();
        let name = blake3::hash(format!("declarations {} {key}", self.tool).as_bytes()).to_string();
        let path = self.folder.join(format!("{}-declarations", &folder[..16])).join(format!("{name}.result"));
        (path, name)
    }

    /// The result of an earlier run that still holds.
    pub fn get(&self, item: &Item, reading: &Reading) -> Option<ClaimResult> {
        let path = self.path(item, &reading.key);
        let entry = match self.seal.read::<Entry>(&path, &reading.key.meaning) {
            Ok(entry) => entry?,
            Err(why) => {
                if self.is_verbose {
                    print_error(format_args!("note: `{}` is not used: {why}", path.display()));
                }
                return None;
            }
        };
        let result = entry.result;
        if result.protocol != PROTOCOL || shows_lines(&result) && entry.exact != reading.key.exact {
            return None;
        }
        if entry.executable.is_some() && entry.executable != self.executable(&item.executable.path) {
            return None;
        }
        // The oldest make room: it is in use.
        let _ =
            std::fs::File::options().append(true).open(&path).and_then(|f| f.set_modified(SystemTime::now()));
        // Where the harness stands is as it stands now.
        Some(ClaimResult { claim: item.harness.clone().into(), ..result })
    }

    /// Keeps a result, if the same run would have it again.
    pub fn put(&self, item: &Item, reading: &Reading, result: &ClaimResult) {
        if !lasts(result) {
            return;
        }
        let mut executable = None;
        if depends_on_run(result) {
            // Another one may have been put in its place meanwhile.
            let now = FileStamp::of(&item.executable.path).ok();
            if now.is_none() || now != reading.executable {
                return;
            }
            executable = self.executable(&item.executable.path);
            if executable.is_none() {
                return;
            }
        }
        let entry = Entry { exact: reading.key.exact.clone(), executable, result: result.clone() };
        let path = self.path(item, &reading.key);
        // What can't be kept is computed again.
        if self.seal.write(&path, &reading.key.meaning, &entry).is_ok()
            && let Some(folder) = path.parent()
        {
            prune(folder);
        }
    }

    /// The hash of a test executable.
    fn executable(&self, path: &Path) -> Option<String> {
        let mut known = self.executables.lock().unwrap_or_else(PoisonError::into_inner);
        let hash = || Some(blake3::hash(&std::fs::read(path).ok()?).to_string());
        known.entry(path.to_owned()).or_insert_with(hash).clone()
    }
}

/// The files of all results in a folder, in order.
pub fn kept(folder: &Path) -> Vec<PathBuf> {
    let list =
        |folder: &Path| std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let mut files: Vec<PathBuf> = list(folder).flat_map(|folder| list(&folder)).collect();
    files.retain(|file| file.extension().is_some_and(|extension| extension == "result"));
    files.sort();
    files
}

/// The hash of this program. It is kept, sealed, with the stamp of the file.
fn tool(seal: &Seal, tour: &Path) -> String {
    const NAME: &str = "the hash of the command";
    let kept = tour.join("command");
    let Ok(program) = std::env::current_exe() else { return String::new() };
    let Ok(stamp) = FileStamp::of(&program) else { return String::new() };
    if let Ok(Some((of, at, hash))) = seal.read::<(PathBuf, FileStamp, String)>(&kept, NAME)
        && of == program
        && at == stamp
    {
        return hash;
    }
    let Ok(bytes) = std::fs::read(&program) else { return String::new() };
    let hash = blake3::hash(&bytes).to_string();
    if stamp.is_settled() {
        let _ = seal.write(&kept, NAME, &(program, stamp, &hash));
    }
    hash
}

/// Removes the oldest entries of a harness.
fn prune(folder: &Path) {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let time = |entry: &std::fs::DirEntry| entry.metadata().and_then(|data| data.modified()).ok();
    let mut entries: Vec<(Option<SystemTime>, PathBuf)> =
        entries.map(|entry| (time(&entry), entry.path())).collect();
    entries.sort();
    let surplus = entries.len().saturating_sub(KEPT);
    for (_, path) in &entries[..surplus] {
        // Another process may have been quicker.
        let _ = std::fs::remove_file(path);
    }
}

/// It shows lines of files, which must be as they were.
fn shows_lines(result: &ClaimResult) -> bool {
    result.status != Status::Proved
        || !result.assumptions.is_empty()
        || !result.diagnostics.is_empty()
        || !result.violations.is_empty()
}

/// It depends on what the test executable did: a violation that was run, and whether one is as it should be.
fn depends_on_run(result: &ClaimResult) -> bool {
    let as_wanted = |harness: &tour::result::Harness| {
        let wanted = harness.should_fail.as_deref().unwrap_or_default();
        result.status == Status::Proved
            && result.violations.iter().all(|v| v.property.contains(wanted) || v.message.contains(wanted))
    };
    !result.violations.is_empty() && !result.claim.harness().is_some_and(as_wanted)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_results_make_room() {
        let folder = tempfile::tempdir().expect("a folder");
        for i in 0..KEPT + 3 {
            let path = folder.path().join(format!("{i}"));
            std::fs::write(&path, "").expect("a file");
            let time = SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(i as u64);
            std::fs::File::options()
                .write(true)
                .open(&path)
                .and_then(|f| f.set_modified(time))
                .expect("a time");
        }
        prune(folder.path());
        assert_eq!(std::fs::read_dir(folder.path()).expect("a folder").count(), KEPT);
        assert!(!folder.path().join("2").exists() && folder.path().join("3").exists());
    }
}
