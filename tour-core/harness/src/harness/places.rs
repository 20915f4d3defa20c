//! Spans as places in the user's files, with the text that stands there.

use rustc_hash::FxHashMap;
use std::path::PathBuf;
use tour_ir::source::{self, SourceMap, Span};
use tour_report::protocol::{Diagnostic, Note, Place, Severity};

/// Resolves spans; reads each file once.
pub(super) struct Places<'a> {
    sources: &'a SourceMap,
    files: FxHashMap<PathBuf, Option<Vec<String>>>,
}

impl<'a> Places<'a> {
    pub(super) fn new(sources: &'a SourceMap) -> Places<'a> {
        Places { sources, files: FxHashMap::default() }
    }

    /// The place of a span. Where a macro was expanded before it on the line, the column of the preprocessed text is
    /// not that of the file: the text is looked for on the line then.
    pub(super) fn place(&mut self, span: Span) -> Place {
        let place = self.sources.place(span);
        let (file, line) = (place.file.to_owned(), place.line);
        let wanted = self.sources.text(span).lines().next().unwrap_or("").trim_end();
        let lines = self.files.entry(file.clone()).or_insert_with(|| {
            let bytes = std::fs::read(&file).ok()?;
            Some(String::from_utf8_lossy(&bytes).lines().map(str::to_owned).collect())
        });
        let text = lines.as_ref().and_then(|lines| lines.get((line as usize).checked_sub(1)?));
        let Some(text) = text else {
            let length = wanted.len() as u32;
            return Place { file, line, column: place.column, length, text: wanted.to_owned() };
        };
        let column = place.column as usize - 1;
        let fits = text.get(column..).is_some_and(|rest| rest.starts_with(wanted));
        let start = if fits { Some(column) } else { text.find(wanted).filter(|_| !wanted.is_empty()) };
        let (start, length) = match start {
            Some(start) => (start, wanted.len()),
            None => (text.len() - text.trim_start().len(), text.trim().len()),
        };
        Place { file, line, column: start as u32 + 1, length: length as u32, text: text.clone() }
    }

    pub(super) fn note(&mut self, message: &str, span: Span) -> Note {
        Note { message: message.to_owned(), place: self.place(span) }
    }

    pub(super) fn diagnostic(&mut self, diagnostic: &source::Diagnostic) -> Diagnostic {
        Diagnostic {
            code: diagnostic.code.to_owned(),
            severity: match diagnostic.severity {
                source::Severity::Note => Severity::Note,
                source::Severity::Warning => Severity::Warning,
                source::Severity::Error => Severity::Error,
            },
            message: diagnostic.message.clone(),
            labels: diagnostic.labels.iter().map(|label| self.note(&label.text, label.span)).collect(),
            help: diagnostic.help.clone(),
        }
    }
}
