//! Real C files, broken at random: from text to automata there is a program or a diagnostic, never a panic.
//!
//! The files are those of the differential test and of the examples, preprocessed by the real compiler, then changed
//! byte by byte with a fixed seed, mostly behind the headers.

use std::path::{Path, PathBuf};
use tour_core::front::{FrontOptions, Input, parse_units};
use tour_core::program::DataModel;
use tour_core::source::SourceMap;
use tour_core::{LoadOptions, load};

const CHANGES: usize = 300;

struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) as usize % n.max(1)
    }
}

fn c_files(folder: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let mut files: Vec<PathBuf> = std::fs::read_dir(&folder)
        .unwrap_or_else(|e| panic!("{}: {e}", folder.display()))
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|e| e == "c"))
        .collect();
    files.sort();
    files
}

fn preprocessed(path: &Path) -> String {
    let mut sources = SourceMap::default();
    let units = parse_units(&[Input::file(path)], &FrontOptions::new(DataModel::Lp64), &mut sources);
    assert!(units.is_ok(), "{}: {units:?}", path.display());
    let (_, unit) = sources.units().next().expect("one unit");
    unit.text.to_string()
}

/// One change: a byte replaced, inserted or removed, a range removed, or a range copied to another place.
fn change(bytes: &mut Vec<u8>, random: &mut Random) {
    let len = bytes.len();
    // Three of four changes hit the last 4,000 bytes, where the file's own text is.
    let at = if random.below(4) == 0 { random.below(len) } else { len - 1 - random.below(len.min(4_000)) };
    let some = b"(){}[];,*&=+-<>!?:.\"'#0x1_ aeiu\n\\";
    let end = (at + 1 + random.below(30)).min(len);
    match random.below(5) {
        0 => bytes[at] = some[random.below(some.len())],
        1 => bytes.insert(at, some[random.below(some.len())]),
        2 => drop(bytes.remove(at)),
        3 => drop(bytes.drain(at..end)),
        _ => {
            let copied = bytes[at..end].to_vec();
            let to = len - 1 - random.below(len.min(4_000));
            bytes.splice(to..to, copied);
        }
    }
}

#[test]
fn changed_files_load_or_say_why_not() {
    let mut random = Random(7);
    let (mut loaded, mut refused) = (0, 0);
    for path in c_files("tests/programs").into_iter().chain(c_files("../examples/ring")) {
        let original = preprocessed(&path);
        for _ in 0..CHANGES {
            let mut bytes = original.clone().into_bytes();
            for _ in 0..=random.below(3) {
                change(&mut bytes, &mut random);
            }
            let text = String::from_utf8_lossy(&bytes);
            match load(&[Input::text("changed.i", &*text)], &LoadOptions::new(DataModel::Lp64)) {
                Ok(_) => loaded += 1,
                Err(error) => {
                    assert!(!error.diagnostics.is_empty());
                    for diagnostic in &error.diagnostics {
                        assert!(!diagnostic.message.is_empty());
                        diagnostic.labels.iter().for_each(|label| drop(error.sources.display(label.span)));
                    }
                    refused += 1;
                }
            }
        }
    }
    // Both ends are exercised.
    assert!(loaded > 50 && refused > 50, "{loaded} loaded, {refused} refused");
}
