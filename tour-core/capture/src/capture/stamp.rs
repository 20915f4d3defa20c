//! Whether anything changed since the last build, by the stamps of files and by the compilers that a build would take: a look at a few hundred files
//! takes a millisecond or two, running cargo to learn the same takes much longer.
//!
//! Only if this says that nothing changed is cargo left out. It looks at more than cargo does (every file of every local
//! package), so that it may ask cargo once too often, but not once too little.

use super::stat::FileStamp;
use super::{Places, wrapper};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// What a build depends on, as it was.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Stamp {
    /// Folders of local packages: every file in them counts.
    pub folders: Vec<PathBuf>,
    /// Other files.
    pub files: Vec<PathBuf>,
    /// Environment variables that build scripts asked to be told of, beside those that every build looks at.
    pub variables: Vec<String>,
    /// All of it in one value.
    pub digest: String,
}

/// Variables that change a build, beside those that name compilers.
const VARIABLES: &[&str] = &[
    "CFLAGS",
    "HOST_CFLAGS",
    "TARGET_CFLAGS",
    "CPPFLAGS",
    "CPATH",
    "C_INCLUDE_PATH",
    "RUSTFLAGS",
    "CARGO_ENCODED_RUSTFLAGS",
    "RUSTC",
    "RUSTUP_TOOLCHAIN",
    "CARGO_BUILD_TARGET",
    "CARGO_PROFILE",
    super::wrapper::NO_WRAPPER,
];

impl Stamp {
    /// As things are now. `None` if a file changed after `since`: the build may have read it before.
    pub fn take(
        folders: Vec<PathBuf>,
        files: Vec<PathBuf>,
        variables: Vec<String>,
        places: &Places,
        since: SystemTime,
    ) -> Option<Stamp> {
        let mut stamp = Stamp { folders, files, variables, digest: String::new() };
        let (digest, newest) = stamp.look(places);
        stamp.digest = digest;
        (newest < since).then_some(stamp)
    }

    /// Nothing changed.
    pub fn holds(&self, places: &Places) -> bool {
        self.look(places).0 == self.digest
    }

    /// The digest, and the time of the newest file.
    fn look(&self, places: &Places) -> (String, SystemTime) {
        let mut look = Look { hasher: blake3::Hasher::new(), newest: SystemTime::UNIX_EPOCH };
        for folder in &self.folders {
            look.folder(folder, &places.tour);
        }
        for file in self.files.iter().chain(&places.settings) {
            look.path(file, &places.tour);
        }
        look.compilers(&places.tour);
        for name in VARIABLES.iter().copied().chain(self.variables.iter().map(String::as_str)) {
            look.word(name.as_bytes());
            look.word(std::env::var_os(name).unwrap_or_default().as_encoded_bytes());
        }
        (look.hasher.finalize().to_hex().to_string(), look.newest)
    }
}

/// The compilers that a build would take now, in one value.
pub fn compilers(tour: &Path) -> String {
    let mut look = Look { hasher: blake3::Hasher::new(), newest: SystemTime::UNIX_EPOCH };
    look.compilers(tour);
    look.hasher.finalize().to_hex().to_string()
}

struct Look {
    hasher: blake3::Hasher,
    newest: SystemTime,
}

impl Look {
    fn word(&mut self, bytes: &[u8]) {
        self.hasher.update(&(bytes.len() as u64).to_le_bytes()).update(bytes);
    }

    fn path(&mut self, path: &Path, tour: &Path) {
        match std::fs::metadata(path) {
            Ok(data) if data.is_dir() => self.folder(path, tour),
            Ok(_) => {
                let stamp = FileStamp::of(path).unwrap_or_default();
                // Cargo itself writes its lock file during a build.
                if path.file_name().is_none_or(|name| name != "Cargo.lock") {
                    self.newest = self.newest.max(stamp.latest());
                }
                self.word(path.as_os_str().as_encoded_bytes());
                self.hasher.update(&stamp.to_bytes());
            }
            // That there is none counts as well.
            Err(_) => self.word(b""),
        }
    }

    /// The compilers that a build would find, and what names them.
    fn compilers(&mut self, tour: &Path) {
        for (name, value) in wrapper::named_compilers() {
            self.word(name.as_bytes());
            self.word(value.as_encoded_bytes());
        }
        for program in wrapper::programs(tour) {
            self.word(program.as_os_str().as_encoded_bytes());
            let real = program.canonicalize().unwrap_or_default();
            self.word(real.as_os_str().as_encoded_bytes());
            self.hasher.update(&FileStamp::of(&program).unwrap_or_default().to_bytes());
        }
    }

    fn folder(&mut self, folder: &Path, tour: &Path) {
        let mut waiting = vec![folder.to_owned()];
        while let Some(folder) = waiting.pop() {
            let Ok(entries) = std::fs::read_dir(&folder) else { continue };
            let mut entries: Vec<_> = entries.flatten().map(|e| (e.path(), e.file_type())).collect();
            entries.sort_by(|a, b| a.0.cmp(&b.0));
            for (path, kind) in entries {
                match kind {
                    Ok(kind) if kind.is_dir() => {
                        if !is_output(&path, tour) {
                            waiting.push(path);
                        }
                    }
                    _ => self.path(&path, tour),
                }
            }
        }
    }
}

/// Folders that no build reads: those of version control, and those that builds write.
fn is_output(folder: &Path, tour: &Path) -> bool {
    let name = folder.file_name().unwrap_or_default().to_string_lossy();
    (name.starts_with('.') && name != ".cargo")
        || name == "tour-regressions"
        || name == "node_modules"
        || tour.starts_with(folder) && tour.parent() == Some(folder)
        || folder.join("CACHEDIR.TAG").is_file()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn any_file_of_a_package_counts_but_no_output() {
        let root = tempfile::tempdir().expect("a folder");
        let write = |name: &str, text: &str| {
            let path = root.path().join(name);
            std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
            std::fs::write(path, text).expect("a file");
        };
        write("Cargo.toml", "[package]\nname = \"a\"");
        write("src/a.c", "int a;");
        write("target/CACHEDIR.TAG", "");
        let places = super::super::locate(root.path()).expect("a package");
        let later = SystemTime::now() + Duration::from_secs(60);
        let stamp = Stamp::take(vec![root.path().into()], vec![], vec![], &places, later).expect("a stamp");
        assert!(stamp.holds(&places));
        write("target/x", "1");
        write(".git/x", "1");
        assert!(stamp.holds(&places), "output");
        write("src/b.c", "");
        assert!(!stamp.holds(&places), "a new file");
        std::fs::remove_file(root.path().join("src/b.c")).expect("it was there");
        assert!(stamp.holds(&places), "as before");
        write("src/a.c", "int ab;");
        assert!(!stamp.holds(&places), "another size");
        let before = SystemTime::UNIX_EPOCH;
        assert_eq!(Stamp::take(vec![root.path().into()], vec![], vec![], &places, before), None);
    }
}
