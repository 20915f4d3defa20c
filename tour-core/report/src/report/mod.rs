//! What a user reads: located diagnostics in their own files, and results for machines.
//!
//! | file | what |
//! |---|---|
//! | `explain` | a verdict as a diagnostic: what fails, and the few steps that lead there |
//! | `stuck` | where an analysis was when it ran out of time |
//! | `excerpt` | from a span in preprocessed text to a range in the user's file |
//! | `json` | the result of `check` as a stable JSON document |
//! | `outcome` | what became of each harness, which the following are made of |
//! | `junit`, `sarif`, `github` | results for CI |
//! | `witness` | verdicts as witnesses of SV-COMP |
//! | `located` | diagnostics of another process |
//! | `record` | all that the HTML report shows |
//!
//! [`Report`] makes a [`Diagnostic`] one that miette can render. Rendering itself (colours, width) is up to the front
//! end.

mod excerpt;
pub mod explain;
pub mod github;
mod interleaving;
pub mod json;
pub mod junit;
pub mod located;
pub mod outcome;
pub mod record;
mod relevant;
pub mod sarif;
pub mod stuck;
pub mod witness;

pub use interleaving::interleaving;
pub use relevant::{Relevant, Role, relevant};

use excerpt::Excerpt;
use miette::{LabeledSpan, SourceCode};
use std::fmt;
use std::path::PathBuf;
use tour_ir::source::{Diagnostic, Label, Severity, SourceMap};

/// A diagnostic with the text that it is about.
#[derive(Debug)]
pub struct Report {
    code: &'static str,
    severity: miette::Severity,
    message: String,
    help: Option<String>,
    /// `None` if the diagnostic has no place.
    excerpt: Option<Excerpt>,
    labels: Vec<LabeledSpan>,
    /// Labels in other files: one report a file.
    related: Vec<Report>,
}

impl Report {
    /// Looks the labels up in the user's files, as they are on disk now.
    pub fn new(diagnostic: &Diagnostic, sources: &SourceMap) -> Report {
        let severity = match diagnostic.severity {
            Severity::Note => miette::Severity::Advice,
            Severity::Warning => miette::Severity::Warning,
            Severity::Error => miette::Severity::Error,
        };
        let mut files = by_file(&diagnostic.labels, sources).into_iter();
        let (excerpt, labels) = files.next().map_or((None, Vec::new()), |(e, l)| (Some(e), l));
        let related = files.map(|(excerpt, labels)| Report {
            code: "",
            severity: miette::Severity::Advice,
            message: format!("see also {}", excerpt.name()),
            help: None,
            excerpt: Some(excerpt),
            labels,
            related: Vec::new(),
        });
        Report {
            code: diagnostic.code,
            severity,
            message: diagnostic.message.clone(),
            help: diagnostic.help.clone(),
            excerpt,
            labels,
            related: related.collect(),
        }
    }
}

/// The labels by file, in the order in which files first occur.
fn by_file(labels: &[Label], sources: &SourceMap) -> Vec<(Excerpt, Vec<LabeledSpan>)> {
    let mut files: Vec<(PathBuf, Excerpt, Vec<LabeledSpan>)> = Vec::new();
    for label in labels {
        let path = sources.place(label.span).file;
        let i =
            files.iter().position(|f| f.0 == path && f.1.covers(sources, label.span)).unwrap_or_else(|| {
                files.push((path.to_owned(), Excerpt::new(sources, label.span), Vec::new()));
                files.len() - 1
            });
        let (_, excerpt, spans) = &mut files[i];
        let range = excerpt.locate(sources, label.span);
        let text = (!label.text.is_empty()).then(|| label.text.clone());
        let (at, len) = (range.start, range.len());
        // The first label is what the header's line and column point to.
        spans.push(match spans.is_empty() {
            true => LabeledSpan::new_primary_with_span(text, (at, len)),
            false => LabeledSpan::new(text, at, len),
        });
    }
    files.into_iter().map(|(_, excerpt, spans)| (excerpt, spans)).collect()
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Report {}

impl miette::Diagnostic for Report {
    fn code<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        (!self.code.is_empty()).then(|| Box::new(self.code) as Box<dyn fmt::Display>)
    }

    fn severity(&self) -> Option<miette::Severity> {
        Some(self.severity)
    }

    fn help<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        self.help.as_ref().map(|help| Box::new(help) as Box<dyn fmt::Display>)
    }

    fn source_code(&self) -> Option<&dyn SourceCode> {
        self.excerpt.as_ref().map(|e| e as &dyn SourceCode)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        (!self.labels.is_empty())
            .then(|| Box::new(self.labels.iter().cloned()) as Box<dyn Iterator<Item = _>>)
    }

    fn related<'a>(&'a self) -> Option<Box<dyn Iterator<Item = &'a dyn miette::Diagnostic> + 'a>> {
        let related = self.related.iter().map(|r| r as &dyn miette::Diagnostic);
        (!self.related.is_empty()).then(|| Box::new(related) as Box<dyn Iterator<Item = _>>)
    }
}

#[cfg(test)]
mod tests;
