//! `tour-regressions/`: inputs that violated a harness and were confirmed by a native run. They are tried first next
//! time, and are worth committing: a bug that comes back is found at once.

use super::harnesses::Item;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;
use tour::protocol::write_atomically;
use tour::result::{Bits, ClaimResult, Status};

/// The folder, beside the manifest.
pub const FOLDER: &str = "tour-regressions";

/// How many are kept: more say nothing new.
const KEPT: usize = 32;

/// A file: what is known of one harness.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Regressions {
    /// The harness.
    pub harness: String,
    /// The oldest first.
    pub inputs: Vec<Regression>,
}

/// Inputs.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Regression {
    /// For people: what failed.
    pub what: String,
    /// For people: names and values as Rust literals.
    pub values: Vec<String>,
    /// For the replay.
    pub scalars: Vec<Bits>,
}

/// The file of a harness.
pub fn file(item: &Item) -> PathBuf {
    let name = item.harness.name.replace("::", ".");
    item.executable.manifest_dir.join(FOLDER).join(format!("{name}.json"))
}

/// What is kept. A file that can't be read is as none: it makes nothing wrong, only slower.
pub fn load(item: &Item) -> Regressions {
    let bytes = std::fs::read(file(item)).ok();
    bytes.and_then(|bytes| serde_json::from_slice(&bytes).ok()).unwrap_or_default()
}

/// For a request.
pub fn read(item: &Item) -> Vec<Vec<Bits>> {
    load(item).inputs.into_iter().map(|regression| regression.scalars).collect()
}

/// Keeps the inputs of confirmed violations, but for those that are as they should be.
pub fn keep(item: &Item, result: &ClaimResult) {
    if result.status != Status::Violated {
        return;
    }
    let mut known = load(item);
    let before = known.inputs.len();
    for violation in result.violations.iter().filter(|violation| violation.replay.is_confirmed()) {
        if known.inputs.iter().any(|old| old.scalars == violation.scalars) {
            continue;
        }
        known.inputs.push(Regression {
            what: violation.message.clone(),
            values: violation.inputs.iter().map(ToString::to_string).collect(),
            scalars: violation.scalars.clone(),
        });
    }
    if known.inputs.len() == before {
        return;
    }
    known.harness.clone_from(&item.harness.name);
    let surplus = known.inputs.len().saturating_sub(KEPT);
    known.inputs.drain(..surplus);
    if let Ok(mut text) = serde_json::to_vec_pretty(&known) {
        text.push(b'\n');
        // A package that can't be written to (of a read-only checkout) has no regressions.
        let _ = write_atomically(&file(item), &text);
    }
}

#[cfg(test)]
mod tests {
    use super::super::harnesses::tests::item;
    use super::*;
    use tour::result::{Counterexample, Replay, SourcePlace};

    #[test]
    fn confirmed_inputs_are_kept_once() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut item = item("ring::pop");
        item.executable.manifest_dir = folder.path().to_owned();
        let violation = Counterexample {
            property: "assert".into(),
            message: "x".into(),
            place: SourcePlace::line("a.c".into(), 1),
            inputs: Vec::new(),
            scalars: vec![Bits(7)],
            trace: Vec::new(),
            interleaving: Vec::new(),
            replay: Replay::NotShown { why: "no effect".into() },
            faults: None,
        };
        let mut result = ClaimResult::new(item.harness.clone(), Status::Violated);
        result.violations.push(violation);
        keep(&item, &result);
        assert!(!file(&item).exists(), "not confirmed");
        result.violations[0].replay = Replay::Confirmed { how: "panicked".into() };
        keep(&item, &result);
        keep(&item, &result);
        assert_eq!(read(&item), [[Bits(7)]]);
        std::fs::write(file(&item), "broken").expect("a file");
        assert_eq!(read(&item), Vec::<Vec<Bits>>::new());
    }
}
