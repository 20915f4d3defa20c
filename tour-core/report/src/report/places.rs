//! Spans as places in the user's files, with the text that stands there.

use rustc_hash::FxHashMap;
use std::path::{Path, PathBuf};
use tour_ir::source::{Diagnostic, SourceMap, Span, TextOf};
use tour_protocol::result::{Message, Note, SourcePlace};

/// Resolves spans; reads each file once.
#[derive(Debug)]
pub struct Places<'a> {
    sources: &'a SourceMap,
    files: FxHashMap<PathBuf, Option<Vec<String>>>,
}

impl<'a> Places<'a> {
    /// Of these texts.
    pub fn new(sources: &'a SourceMap) -> Places<'a> {
        Places { sources, files: FxHashMap::default() }
    }

    /// The place of a span, on its first line. Where a macro or a comment stood before it on the line, the column of the
    /// preprocessed text is not that of the file: the text is looked for on the line then. A line that the file on disk
    /// does not have is the preprocessed one.
    pub fn place(&mut self, span: Span) -> SourcePlace {
        let place = self.sources.place(span);
        let (line, column) = (place.line, place.column as usize - 1);
        let wanted = self.sources.text(span).lines().next().unwrap_or("").trim_end();
        let text = self.sources.text_of(place.file);
        let lines = self.files.entry(place.file.to_owned()).or_insert_with(|| match text {
            TextOf::Known(text) => Some(text.lines().map(str::to_owned).collect()),
            TextOf::File(file) => read_lines(file),
            TextOf::Nowhere => None,
        });
        let only_named = text == TextOf::Nowhere;
        let on_disk = lines.as_ref().and_then(|lines| lines.get((line as usize).checked_sub(1)?));
        let text = on_disk.map_or_else(|| preprocessed_line(self.sources, span, column), String::as_str);
        let (start, length) = locate(text, column, wanted);
        SourcePlace {
            file: place.file.to_string_lossy().into_owned().into(),
            line,
            column: start as u32 + 1,
            length: length as u32,
            text: text.to_owned(),
            only_named,
        }
    }

    /// A text about a span.
    pub fn note(&mut self, message: &str, span: Span) -> Note {
        Note { message: message.to_owned(), place: self.place(span) }
    }

    /// A diagnostic with its spans resolved.
    pub fn message(&mut self, diagnostic: &Diagnostic) -> Message {
        Message {
            code: diagnostic.code.to_owned(),
            severity: diagnostic.severity,
            message: diagnostic.message.clone(),
            labels: diagnostic.labels.iter().map(|label| self.note(&label.text, label.span)).collect(),
            help: diagnostic.help.clone(),
        }
    }
}

/// The lines of a file. Other encodings must not hide a message.
pub(super) fn read_lines(file: &Path) -> Option<Vec<String>> {
    let bytes = std::fs::read(file).ok()?;
    Some(String::from_utf8_lossy(&bytes).lines().map(str::to_owned).collect())
}

/// The line that a span starts in, `column` bytes before it.
fn preprocessed_line(sources: &SourceMap, span: Span, column: usize) -> &str {
    let text = &sources.unit(span.unit).text;
    let start = (span.start as usize).saturating_sub(column);
    text.get(start..).and_then(|rest| rest.lines().next()).unwrap_or("")
}

/// Where on a line a text stands that is expected at a column: start and length in bytes.
fn locate(line: &str, column: usize, wanted: &str) -> (usize, usize) {
    if line.get(column..).is_some_and(|rest| rest.starts_with(wanted)) {
        return (column, wanted.len());
    }
    let mut matches = line.match_indices(wanted);
    match (matches.next(), matches.next()) {
        (Some((at, _)), None) if !wanted.is_empty() => (at, wanted.len()),
        // It came out of a macro: the whole line is the best place.
        _ => (line.len() - line.trim_start().len(), line.trim().len()),
    }
}

/// What is known of a file that can't be read: its lines as the preprocessor gave them.
pub(super) fn preprocessed_lines(sources: &SourceMap, file: &Path) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for (_, unit) in sources.units() {
        for (i, marker) in unit.markers.iter().enumerate() {
            if unit.files[marker.file as usize] != file {
                continue;
            }
            let next = unit.markers.get(i + 1).map(|marker| marker.offset as usize);
            let text = unit.text.get(marker.offset as usize..next.unwrap_or(unit.text.len())).unwrap_or("");
            // The next marker's own line is no line of the user's.
            let text = match text.trim_end_matches('\n').rsplit_once('\n') {
                Some((before, last)) if last.starts_with('#') => before,
                None if next.is_some() && text.starts_with('#') => "",
                _ => text,
            };
            for (line, text) in (marker.line as usize..).zip(text.lines()).take_while(|(n, _)| *n < MAX_LINES)
            {
                if lines.len() < line {
                    lines.resize(line, String::new());
                }
                if let Some(known) = line.checked_sub(1).and_then(|i| lines.get_mut(i))
                    && known.is_empty()
                {
                    text.clone_into(known);
                }
            }
        }
    }
    lines
}

/// Files are not longer: a wild line number must not fill the memory.
pub(super) const MAX_LINES: usize = 1 << 20;
