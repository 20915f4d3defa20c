//! The source map: texts of units and their line markers.

use super::{Span, UnitId};
use index_vec::IndexVec;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// `# line "file"`: from byte `offset` on, the text is line `line` (1-based) of `file`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LineMarker {
    /// First byte of the line after the marker.
    pub offset: u32,
    /// Index into [`Unit::files`].
    pub file: u32,
    /// Line number of that first line.
    pub line: u32,
    /// The marker says that the text comes from a system header.
    pub system: bool,
}

/// One preprocessed text.
#[derive(Clone, Debug)]
pub struct Unit {
    /// The file that was named by the user.
    pub path: PathBuf,
    /// The text after preprocessing.
    pub text: Arc<str>,
    /// Files named by line markers; index 0 is `path`.
    pub files: Vec<PathBuf>,
    /// Markers by ascending offset; the first has offset 0.
    pub markers: Vec<LineMarker>,
}

impl Unit {
    /// A unit without line markers, as it stands in the file `path`.
    pub fn plain(path: impl Into<PathBuf>, text: impl Into<Arc<str>>) -> Unit {
        let path = path.into();
        Unit {
            files: vec![path.clone()],
            path,
            text: text.into(),
            markers: vec![LineMarker { offset: 0, file: 0, line: 1, system: false }],
        }
    }

    /// It has no line markers.
    fn is_plain(&self) -> bool {
        matches!(&self.markers[..], [only] if only.offset == 0 && only.line == 1 && only.file == 0)
    }

    fn marker(&self, offset: u32) -> &LineMarker {
        let i = self.markers.partition_point(|m| m.offset <= offset);
        &self.markers[i.saturating_sub(1)]
    }
}

/// A place in a file as the user knows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UserPlace<'a> {
    /// The file.
    pub file: &'a Path,
    /// Line, from 1.
    pub line: u32,
    /// Column in bytes, from 1, of the preprocessed line. It is that of the user's line unless a macro was expanded
    /// before it.
    pub column: u32,
    /// The file is a system header.
    pub system: bool,
}

/// A function of the user's that was not read, since nothing that runs can reach it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Skipped {
    /// Its name.
    pub name: String,
    /// All of it.
    pub span: Span,
    /// The first bytes of lines in its body that are more than punctuation.
    pub statements: Vec<u32>,
}

/// All units of a program.
#[derive(Clone, Debug, Default)]
pub struct SourceMap {
    units: IndexVec<UnitId, Unit>,
    /// Where the lines of each unit's text start: a graph or a trace resolves thousands of spans.
    lines: IndexVec<UnitId, Vec<u32>>,
    skipped: Vec<Skipped>,
    /// On the heap: errors carry a source map.
    files: Box<Files>,
}

/// The files that texts were made of, by the names that they have in line markers.
#[derive(Clone, Debug, Default)]
struct Files(BTreeMap<PathBuf, PathBuf>);

/// Where the text of a file can be had from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextOf<'a> {
    /// This is it.
    Known(&'a str),
    /// This file has it: a text was made of it.
    File(&'a Path),
    /// Nowhere: no text was made of such a file, whatever line markers say. It must not be opened.
    Nowhere,
}

impl SourceMap {
    /// Notes that a text was made of a file that line markers know by a name.
    pub fn made_of(&mut self, name: impl Into<PathBuf>, file: impl Into<PathBuf>) {
        self.files.0.insert(name.into(), file.into());
    }

    /// Where the text of a file can be had from that a line marker names.
    pub fn text_of(&self, name: &Path) -> TextOf<'_> {
        if let Some(file) = self.files.0.get(name) {
            return TextOf::File(file);
        }
        let plain = self.units.iter().find(|unit| unit.path == name && unit.is_plain());
        plain.map_or(TextOf::Nowhere, |unit| TextOf::Known(&unit.text))
    }

    /// Adds a unit.
    pub fn add(&mut self, unit: Unit) -> UnitId {
        let newlines = unit.text.bytes().enumerate().filter(|&(_, byte)| byte == b'\n');
        self.lines.push(std::iter::once(0).chain(newlines.map(|(at, _)| at as u32 + 1)).collect());
        self.units.push(unit)
    }

    /// Notes a function that is not read.
    pub fn skip(&mut self, skipped: Skipped) {
        self.skipped.push(skipped);
    }

    /// The functions that were not read, in the order of the text.
    pub fn skipped(&self) -> &[Skipped] {
        &self.skipped
    }

    /// The unit `id`.
    pub fn unit(&self, id: UnitId) -> &Unit {
        &self.units[id]
    }

    /// The units.
    pub fn units(&self) -> impl Iterator<Item = (UnitId, &Unit)> {
        self.units.iter_enumerated()
    }

    /// The preprocessed text of a span.
    pub fn text(&self, span: Span) -> &str {
        let text = &self.units[span.unit].text;
        text.get(span.start as usize..span.end as usize).unwrap_or("")
    }

    /// The user's file, line and column of the start of a span.
    pub fn place(&self, span: Span) -> UserPlace<'_> {
        self.place_of(span.unit, span.start)
    }

    /// The user's file, line and column of a byte.
    pub fn place_of(&self, unit: UnitId, offset: u32) -> UserPlace<'_> {
        let lines = &self.lines[unit];
        let unit = &self.units[unit];
        let offset = offset.min(unit.text.len() as u32);
        let marker = unit.marker(offset);
        let line_of = |offset: u32| lines.partition_point(|&start| start <= offset) - 1;
        let line = line_of(offset);
        let newlines = line.saturating_sub(line_of(marker.offset)) as u32;
        let column = offset.saturating_sub(lines[line].max(marker.offset)) + 1;
        UserPlace {
            file: &unit.files[marker.file as usize],
            line: marker.line + newlines,
            column,
            system: marker.system,
        }
    }

    /// `file:line:column` of the start of a span.
    pub fn display(&self, span: Span) -> String {
        let place = self.place(span);
        format!("{}:{}:{}", place.file.display(), place.line, place.column)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_span_resolves_through_line_markers() {
        let text = "int a;\n# 10 \"b.h\" 1 3\nint b;\nint c;\n# 3 \"a.c\" 2\n  int d;\n";
        let at = |needle: &str| text.find(needle).unwrap() as u32;
        let mut unit = Unit::plain("a.c", text);
        unit.files.push("b.h".into());
        unit.markers.push(LineMarker { offset: at("int b"), file: 1, line: 10, system: true });
        unit.markers.push(LineMarker { offset: at("  int d"), file: 0, line: 3, system: false });
        let mut map = SourceMap::default();
        let id = map.add(unit);
        let show = |needle: &str| map.display(Span::new(id, at(needle) as usize, at(needle) as usize + 3));
        assert_eq!(show("int a"), "a.c:1:1");
        assert_eq!(show("int c"), "b.h:11:1");
        assert_eq!(show("int d"), "a.c:3:3");
    }
}
