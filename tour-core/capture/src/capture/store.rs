//! Keeping captures: one file for each selection of packages and features, and `compile_commands.json` for other tools.

use super::stamp::Stamp;
use super::{Capture, CaptureError, Options, Places, write_atomically};
use serde::{Deserialize, Serialize};
use std::fs::File;
use std::path::{Path, PathBuf};

/// What is in a file.
#[derive(Debug, Deserialize)]
pub struct Kept {
    /// Of another version: not to be used.
    version: String,
    /// What it depends on; `None` if that is not sure.
    pub stamp: Option<Stamp>,
    /// The capture.
    pub capture: Capture,
}

#[derive(Serialize)]
struct KeptRef<'a> {
    version: &'a str,
    stamp: Option<&'a Stamp>,
    capture: &'a Capture,
}

impl Kept {
    /// Nothing changed since, and what was built is still there.
    pub fn is_fresh(&self, places: &Places) -> bool {
        self.version == tour_ir::VERSION
            && self.stamp.as_ref().is_some_and(|stamp| stamp.holds(places))
            && self.capture.executables.iter().all(|e| e.path.is_file())
    }
}

/// The file for a selection.
pub fn capture_file(places: &Places, options: &Options) -> PathBuf {
    let mut hasher = blake3::Hasher::new();
    hasher.update(places.package.as_os_str().as_encoded_bytes());
    for flag in &options.cargo {
        hasher.update(b"\0").update(flag.as_encoded_bytes());
    }
    hasher.update(if options.tests { b"\0tests" } else { b"\0check" });
    let name = hasher.finalize().to_hex();
    places.tour.join("capture").join(format!("{}.json", &name[..16]))
}

/// What is kept in a file, if it can be used at all.
pub fn read(file: &Path) -> Option<Kept> {
    serde_json::from_slice(&std::fs::read(file).ok()?).ok()
}

/// A capture that someone else made sure of.
pub fn read_capture(file: &Path) -> Result<Capture, CaptureError> {
    let bytes = std::fs::read(file).map_err(CaptureError::io("read", file))?;
    let kept: Kept = serde_json::from_slice(&bytes).map_err(|error| CaptureError::Io {
        what: "read",
        path: file.to_owned(),
        error: error.into(),
    })?;
    Ok(kept.capture)
}

/// Keeps a capture.
pub fn write(
    file: &Path,
    capture: &Capture,
    stamp: Option<&Stamp>,
    places: &Places,
) -> Result<(), CaptureError> {
    let kept = KeptRef { version: tour_ir::VERSION, stamp, capture };
    write_json(file, &kept)?;
    write_json(&places.tour.join("compile_commands.json"), &compile_commands(capture))
}

fn write_json(path: &Path, value: &impl Serialize) -> Result<(), CaptureError> {
    let text = serde_json::to_vec_pretty(value).map_err(|error| CaptureError::Io {
        what: "write",
        path: path.to_owned(),
        error: error.into(),
    })?;
    write_atomically(path, &text).map_err(CaptureError::io("write", path))
}

/// One entry of a compilation database.
#[derive(Serialize)]
struct CompileCommand<'a> {
    directory: &'a Path,
    file: &'a Path,
    arguments: Vec<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    output: Option<&'a Path>,
}

fn compile_commands(capture: &Capture) -> Vec<CompileCommand<'_>> {
    capture
        .units
        .iter()
        .map(|unit| CompileCommand {
            directory: &unit.directory,
            file: &unit.file,
            arguments: unit
                .compiler
                .to_str()
                .into_iter()
                .chain(unit.arguments.iter().map(String::as_str))
                .collect(),
            output: unit.object.as_deref(),
        })
        .collect()
}

/// Waits until no other process captures in this folder; until the file is dropped, none does. The system drops it with the
/// process, however that ends.
pub fn lock(tour: &Path) -> Result<File, CaptureError> {
    let path = tour.join("lock");
    loop {
        std::fs::create_dir_all(tour).map_err(CaptureError::io("create", tour))?;
        let file = File::options().create(true).truncate(false).write(true).open(&path);
        let file = match file {
            // The folder was removed meanwhile.
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => continue,
            opened => opened.map_err(CaptureError::io("write", &path))?,
        };
        if hold(&file, &path)? {
            return Ok(file);
        }
    }
}

/// Waits for a lock. False if the file is not the one at the path any more: it was removed while we waited.
#[cfg(unix)]
fn hold(file: &File, path: &Path) -> Result<bool, CaptureError> {
    use rustix::io::Errno;
    use std::os::unix::fs::MetadataExt;
    match rustix::fs::flock(file, rustix::fs::FlockOperation::LockExclusive) {
        // A file system of another machine may know no locks: cargo has one of its own, and all that we write is there whole.
        Ok(()) | Err(Errno::NOLCK | Errno::OPNOTSUPP | Errno::NOSYS) => {}
        Err(error) => return Err(CaptureError::io("lock", path)(error.into())),
    }
    let ours = file.metadata().map_err(CaptureError::io("read", path))?;
    Ok(std::fs::metadata(path).is_ok_and(|now| (now.dev(), now.ino()) == (ours.dev(), ours.ino())))
}

#[cfg(not(unix))]
fn hold(_: &File, _: &Path) -> Result<bool, CaptureError> {
    Ok(true)
}

/// Removes the folder with all that was captured and found out. Who works in it goes on in a new one.
pub fn remove(tour: &Path) -> std::io::Result<()> {
    let lock = tour.is_dir().then(|| lock(tour)).transpose().map_err(std::io::Error::other)?;
    // Out of the way first: nothing that is written from now on is removed.
    let name = format!("tour-removed-{}", std::process::id());
    let aside = tour.with_file_name(name);
    std::fs::rename(tour, &aside)?;
    drop(lock);
    std::fs::remove_dir_all(aside)
}
