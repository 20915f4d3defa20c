//! What is noted of the current run before it goes on: if it takes its process with it, its inputs are known.

use crate::inputs::Taken;
use std::fs::File;
use std::io::{self, Seek, SeekFrom, Write};
use std::path::Path;

/// A value that was taken: its bits, and what they mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Scalar {
    pub(super) bits: u128,
    pub(super) width: u32,
    pub(super) signed: bool,
}

impl Scalar {
    /// As a number.
    fn text(self) -> String {
        let unused = 128 - self.width;
        match self.signed {
            true => (((self.bits << unused) as i128) >> unused).to_string(),
            false => self.bits.to_string(),
        }
    }
}

/// The inputs of a run.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Case {
    pub(super) scalars: Vec<Scalar>,
    /// Names and types, and which scalars are theirs.
    pub(super) named: Vec<(String, String, usize, usize)>,
}

impl Case {
    /// `x: u8 = 7`, each.
    pub(super) fn values(&self) -> Vec<String> {
        let named = self.named.iter();
        named.map(|(name, ty, from, to)| format!("{name}: {ty} = {}", self.value(ty, *from, *to))).collect()
    }

    fn value(&self, ty: &str, from: usize, to: usize) -> String {
        let texts: Vec<String> = self.scalars[from..to].iter().map(|scalar| scalar.text()).collect();
        match &texts[..] {
            [one] if ty == "bool" => (one == "1").to_string(),
            [one] if !ty.ends_with(']') => one.clone(),
            [first, .., _] if ty.starts_with('[') && texts.iter().all(|text| text == first) => {
                format!("[{first}; {}]", texts.len())
            }
            _ if ty.starts_with('[') => format!("[{}]", texts.join(", ")),
            // The fields of a struct have names that are not known here.
            _ => format!("({})", texts.join(", ")),
        }
    }
}

/// The file that notes are written to.
pub(super) struct Notes(File);

impl Notes {
    pub(super) fn create(path: &Path) -> io::Result<Notes> {
        File::create(path).map(Notes)
    }

    /// A run begins: what was noted of the last one is gone.
    pub(super) fn begin(&mut self, index: u64, tested: u64) -> io::Result<()> {
        self.0.set_len(0)?;
        self.0.seek(SeekFrom::Start(0))?;
        self.line(format!("case {index} {tested}\n"))
    }

    pub(super) fn scalar(&mut self, Scalar { bits, width, signed }: Scalar) -> io::Result<()> {
        self.line(format!("scalar {width} {} {bits:x}\n", u8::from(signed)))
    }

    pub(super) fn taken(&mut self, taken: &Taken) -> io::Result<()> {
        self.line(format!("taken {} {} {} {}\n", taken.from, taken.to, taken.name, taken.ty))
    }

    /// In one piece, and at once.
    fn line(&mut self, line: String) -> io::Result<()> {
        self.0.write_all(line.as_bytes())
    }
}

/// What is read of it.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Journal {
    pub(super) index: u64,
    pub(super) tested: u64,
    pub(super) case: Case,
    any: bool,
}

impl Journal {
    pub(super) fn read(path: &Path) -> Option<Journal> {
        let mut journal = Journal::default();
        for line in std::fs::read_to_string(path).ok()?.lines() {
            let mut words = line.splitn(5, ' ');
            let kind = words.next()?;
            let mut word = || words.next();
            match kind {
                "case" => {
                    journal.index = word()?.parse().ok()?;
                    journal.tested = word()?.parse().ok()?;
                    journal.any = true;
                }
                "scalar" => {
                    let width = word()?.parse().ok()?;
                    let signed = word()? == "1";
                    let bits = u128::from_str_radix(word()?, 16).ok()?;
                    journal.case.scalars.push(Scalar { bits, width, signed });
                }
                _ => {
                    let (from, to): (usize, usize) = (word()?.parse().ok()?, word()?.parse().ok()?);
                    if to > journal.case.scalars.len() || from > to {
                        return None;
                    }
                    journal.case.named.push((word()?.to_owned(), word()?.to_owned(), from, to));
                }
            }
        }
        Some(journal)
    }

    /// No run began.
    pub(super) fn is_empty(&self) -> bool {
        !self.any
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::Folder;

    #[test]
    fn the_last_run_is_known() {
        let folder = Folder::new().expect("a folder");
        let path = folder.file("journal");
        let write = || -> io::Result<()> {
            let mut notes = Notes::create(&path)?;
            notes.begin(0, 0)?;
            notes.scalar(Scalar { bits: 1, width: 8, signed: false })?;
            notes.begin(7, 5)?;
            for bits in [0xff, 2, 2, 1, 3] {
                notes.scalar(Scalar { bits, width: 8, signed: true })?;
            }
            notes.taken(&Taken { name: "x", ty: "i8", from: 0, to: 1 })?;
            notes.taken(&Taken { name: "a", ty: "[i8; 2]", from: 1, to: 3 })?;
            notes.taken(&Taken { name: "on", ty: "bool", from: 3, to: 4 })
        };
        write().expect("a file");
        let journal = Journal::read(&path).expect("notes");
        assert_eq!((journal.index, journal.tested, journal.case.scalars.len()), (7, 5, 5));
        assert_eq!(journal.case.values(), ["x: i8 = -1", "a: [i8; 2] = [2; 2]", "on: bool = true"]);
        std::fs::write(&path, "case 1 0\ntaken 0 3 x u8\n").expect("a file");
        assert_eq!(Journal::read(&path), None);
    }
}
