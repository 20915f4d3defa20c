//! Which harnesses there are, and which of them are selected.

use crate::packages::{Partition, SelectionArgs};
use serde::{Deserialize, Serialize};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use tour::capture::{Capture, Executable, FileStamp};
use tour::protocol::{self, Action, Header, Listed, PROTOCOL, Request};
use tour::result::Harness;

/// A test executable that takes longer to name its harnesses is ended.
const PATIENCE: Duration = Duration::from_secs(60);

/// A harness and the test executable that it is in.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Item {
    /// What the executable says of it.
    pub harness: Harness,
    /// The executable.
    pub executable: Executable,
}

/// Why the harnesses of an executable are not known.
#[derive(Debug)]
pub struct ListError {
    /// In one line.
    pub message: String,
    /// The executable is not there.
    pub is_gone: bool,
}

/// All harnesses of a build, by package and name. What an executable says is kept until it changes.
pub fn all(capture: &Capture) -> Result<Vec<Item>, ListError> {
    let mut items = Vec::new();
    for executable in &capture.executables {
        let harnesses = list(executable, &capture.directory)?;
        items.extend(harnesses.into_iter().map(|harness| Item { harness, executable: executable.clone() }));
    }
    items.sort_by(|a, b| key(a).cmp(&key(b)));
    Ok(items)
}

fn key(item: &Item) -> (&str, &str, &str) {
    (&item.executable.package, &item.harness.name, &item.harness.target)
}

#[derive(Serialize, Deserialize)]
struct Known {
    /// Versions of tour and of the protocol, and the stamp of the executable.
    of: (String, u32, FileStamp),
    harnesses: Vec<Harness>,
}

fn list(executable: &Executable, tour: &Path) -> Result<Vec<Harness>, ListError> {
    let path = &executable.path;
    let fail = |error: std::io::Error| ListError {
        message: format!("cannot list `{}`: {error}", path.display()),
        is_gone: error.kind() == std::io::ErrorKind::NotFound,
    };
    let stamp = FileStamp::of(path).map_err(fail)?;
    let of = (tour::VERSION.to_owned(), PROTOCOL, stamp);
    let name = blake3::hash(path.as_os_str().as_encoded_bytes()).to_hex();
    let kept = tour.join("harnesses").join(format!("{}.json", &name[..16]));
    let known = std::fs::read(&kept).ok().and_then(|bytes| serde_json::from_slice::<Known>(&bytes).ok());
    if let Some(known) = known.filter(|known| known.of == of) {
        return Ok(known.harnesses);
    }
    let harnesses = ask(executable).map_err(fail)?;
    let known = Known { of, harnesses };
    // One that was written just now may still be written to.
    if stamp.is_settled() {
        // What can't be kept is asked again.
        let _ = protocol::write_json(&kept, &known);
    }
    Ok(known.harnesses)
}

/// Runs the executable with the request to list.
fn ask(executable: &Executable) -> std::io::Result<Vec<Harness>> {
    let folder = tempfile::tempdir()?;
    let (request_file, result) = (folder.path().join("request.json"), folder.path().join("harnesses"));
    let request = Request { result: Some(result.clone()), ..Request::new(Action::List, "") };
    protocol::write_json(&request_file, &request)?;
    let mut command = Command::new(&executable.path);
    command.arg("--list").current_dir(&executable.manifest_dir).env(protocol::REQUEST, &request_file);
    let mut child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn()?;
    let start = Instant::now();
    while child.try_wait()?.is_none() {
        if start.elapsed() > PATIENCE {
            child.kill()?;
            child.wait()?;
            let why = format!("it did not end within {} s", PATIENCE.as_secs());
            return Err(std::io::Error::new(std::io::ErrorKind::TimedOut, why));
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    // An executable without harnesses writes nothing.
    let text = std::fs::read_to_string(&result).unwrap_or_default();
    let mut harnesses = Vec::new();
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        let header: Header = serde_json::from_str(line)?;
        protocol::compatible(&header, "it").map_err(std::io::Error::other)?;
        harnesses.push(serde_json::from_str::<Listed>(line)?.harness);
    }
    Ok(harnesses)
}

impl SelectionArgs {
    /// The selected harnesses, in order.
    pub fn select(&self, items: Vec<Item>) -> Vec<Item> {
        let mut items: Vec<Item> = items.into_iter().filter(|item| self.wants(&item.harness)).collect();
        if let Some(partition) = self.partition {
            let mut position = 0;
            items.retain(|item| {
                position += 1;
                partition.contains(item, position)
            });
        }
        items
    }

    fn wants(&self, harness: &Harness) -> bool {
        let full = format!("{}::{}", harness.package, harness.name);
        let named = |filter: &String| match self.exact {
            true => harness.name == *filter || full == *filter,
            false => full.contains(filter.as_str()),
        };
        (self.filters.is_empty() || self.filters.iter().any(named))
            && !self.skip.iter().any(|skip| full.contains(skip.as_str()))
            && (self.tag.is_empty() || self.tag.iter().any(|tag| harness.tags.contains(tag)))
            && (self.include_ignored || !harness.ignored)
    }
}

impl Partition {
    /// Whether an item, at a position from 1, is in this part.
    fn contains(self, item: &Item, position: u64) -> bool {
        let number = if self.by_hash {
            let name = format!("{} {}", item.executable.package, item.harness.name);
            let bytes = *blake3::hash(name.as_bytes()).as_bytes();
            bytes[..8].iter().fold(0u64, |number, byte| number << 8 | u64::from(*byte))
        } else {
            position - 1
        };
        number % self.of == self.part - 1
    }
}

#[cfg(test)]
pub mod tests {
    use super::*;

    /// A harness of package `demo`.
    pub fn item(name: &str) -> Item {
        Item {
            harness: Harness {
                name: name.into(),
                module: "demo".into(),
                function: name.into(),
                package: "demo".into(),
                manifest_dir: "/demo".into(),
                file: "src/lib.rs".into(),
                line: 1,
                tags: if name.contains("slow") { vec!["slow".into()] } else { Vec::new() },
                ignored: name.contains("ignored"),
                ..Harness::default()
            },
            executable: Executable {
                path: "/demo/target/demo".into(),
                package: "demo".into(),
                manifest_dir: "/demo".into(),
                target: "demo".into(),
                kind: "lib".into(),
                source: "/demo/src/lib.rs".into(),
            },
        }
    }

    fn selected(selection: &SelectionArgs) -> Vec<String> {
        let items = ["ring::pop", "ring::push", "ring::slow", "ring::ignored", "crc"].map(item).to_vec();
        selection.select(items).into_iter().map(|item| item.harness.name).collect()
    }

    #[test]
    fn selections() {
        let words = |words: &[&str]| words.iter().map(|w| w.to_string()).collect::<Vec<_>>();
        let all = SelectionArgs::default();
        assert_eq!(selected(&all), ["ring::pop", "ring::push", "ring::slow", "crc"]);
        assert_eq!(
            selected(&SelectionArgs { filters: words(&["pu", "crc"]), ..all.clone() }),
            ["ring::push", "crc"]
        );
        let exact = SelectionArgs { filters: words(&["crc", "ring"]), exact: true, ..all.clone() };
        assert_eq!(selected(&exact), ["crc"]);
        assert_eq!(selected(&SelectionArgs { skip: words(&["ring"]), ..all.clone() }), ["crc"]);
        assert_eq!(selected(&SelectionArgs { tag: words(&["slow"]), ..all.clone() }), ["ring::slow"]);
        assert_eq!(selected(&SelectionArgs { include_ignored: true, ..all }).len(), 5);
    }

    #[test]
    fn partitions_cover_everything_once() {
        for by_hash in [true, false] {
            let mut found: Vec<String> = (1..=3)
                .flat_map(|part| {
                    let partition = Some(Partition { by_hash, part, of: 3 });
                    selected(&SelectionArgs { partition, ..SelectionArgs::default() })
                })
                .collect();
            found.sort();
            assert_eq!(found, ["crc", "ring::pop", "ring::push", "ring::slow"]);
        }
    }
}
