//! Reports for people, as plain text: what a failing test shows.

use super::protocol::{Diagnostic, Note, Replay, Report, Severity, Verdict};
use miette::{GraphicalReportHandler, GraphicalTheme, LabeledSpan, NamedSource, SourceCode};
use std::fmt;
use std::path::Path;

/// A diagnostic that miette can draw.
#[derive(Debug)]
struct Shown {
    diagnostic: Diagnostic,
    source: Option<NamedSource<String>>,
    labels: Vec<LabeledSpan>,
    /// Places in other files.
    related: Vec<Shown>,
}

impl Shown {
    fn new(diagnostic: &Diagnostic) -> Shown {
        let mut files: Vec<(&Path, Vec<&Note>)> = Vec::new();
        for label in &diagnostic.labels {
            match files.iter_mut().find(|(file, _)| *file == label.place.file) {
                Some((_, labels)) => labels.push(label),
                None => files.push((&label.place.file, vec![label])),
            }
        }
        let mut files = files.into_iter().map(|(file, labels)| located(file, &labels));
        let (source, labels) = files.next().map_or((None, Vec::new()), |(s, l)| (Some(s), l));
        let related = files.map(|(source, labels)| Shown {
            diagnostic: Diagnostic {
                code: String::new(),
                severity: Severity::Note,
                message: format!("see also {}", source.name()),
                labels: Vec::new(),
                help: None,
            },
            source: Some(source),
            labels,
            related: Vec::new(),
        });
        Shown { diagnostic: diagnostic.clone(), source, labels, related: related.collect() }
    }
}

/// The text of a file and the ranges of labels in it. A file that is gone has the lines that were noted.
fn located(file: &Path, labels: &[&Note]) -> (NamedSource<String>, Vec<LabeledSpan>) {
    let text = std::fs::read_to_string(file).unwrap_or_else(|_| {
        let last = labels.iter().map(|label| label.place.line as usize).max().unwrap_or(0);
        let mut lines = vec![String::new(); last];
        for label in labels {
            if let Some(line) = lines.get_mut((label.place.line as usize).saturating_sub(1)) {
                line.clone_from(&label.place.text);
            }
        }
        lines.join("\n")
    });
    let spans = labels.iter().enumerate().map(|(i, label)| {
        let before = text.split_inclusive('\n').take((label.place.line as usize).saturating_sub(1));
        let start: usize =
            before.map(str::len).sum::<usize>() + (label.place.column as usize).saturating_sub(1);
        let start = start.min(text.len());
        let length = (label.place.length as usize).min(text.len() - start);
        let message = (!label.message.is_empty()).then(|| label.message.clone());
        // The first label is what the header points to.
        match i {
            0 => LabeledSpan::new_primary_with_span(message, (start, length)),
            _ => LabeledSpan::new(message, start, length),
        }
    });
    let spans = spans.collect();
    (NamedSource::new(file.display().to_string(), text), spans)
}

impl fmt::Display for Shown {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(&self.diagnostic.message)
    }
}

impl std::error::Error for Shown {}

impl miette::Diagnostic for Shown {
    fn code<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        let code = &self.diagnostic.code;
        (!code.is_empty()).then(|| Box::new(code) as Box<dyn fmt::Display>)
    }

    fn severity(&self) -> Option<miette::Severity> {
        Some(match self.diagnostic.severity {
            Severity::Note => miette::Severity::Advice,
            Severity::Warning => miette::Severity::Warning,
            Severity::Error => miette::Severity::Error,
        })
    }

    fn help<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        self.diagnostic.help.as_ref().map(|help| Box::new(help) as Box<dyn fmt::Display>)
    }

    fn source_code(&self) -> Option<&dyn SourceCode> {
        self.source.as_ref().map(|source| source as &dyn SourceCode)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        (!self.labels.is_empty())
            .then(|| Box::new(self.labels.iter().cloned()) as Box<dyn Iterator<Item = _>>)
    }

    fn related<'a>(&'a self) -> Option<Box<dyn Iterator<Item = &'a dyn miette::Diagnostic> + 'a>> {
        let related = self.related.iter().map(|shown| shown as &dyn miette::Diagnostic);
        (!self.related.is_empty()).then(|| Box::new(related) as Box<dyn Iterator<Item = _>>)
    }
}

/// Draws a diagnostic of a report.
pub fn diagnostic(diagnostic: &Diagnostic, handler: &GraphicalReportHandler) -> String {
    let mut text = String::new();
    match handler.render_report(&mut text, &Shown::new(diagnostic)) {
        Ok(()) => text,
        Err(_) => diagnostic.message.clone(),
    }
}

/// A whole report without colours, as it stands in the output of a test.
pub fn report(report: &Report) -> String {
    let handler = GraphicalReportHandler::new_themed(GraphicalTheme::unicode_nocolor()).with_width(100);
    let word = match report.verdict {
        Verdict::Proved if report.vacuity.is_empty() => "PROVED",
        Verdict::Proved => "VACUOUS",
        Verdict::Violated => "VIOLATED",
        Verdict::Unknown => "UNKNOWN",
        Verdict::Invalid => "INVALID",
    };
    let mut text = format!("{word} [{:.1}s] {}", report.time, report.harness.name);
    if !report.reason.is_empty() {
        text.push_str(&format!("  {}", report.reason));
    }
    if let Some(violation) = &report.violation {
        match &violation.replay {
            Replay::Confirmed { how } => text.push_str(&format!("\n  replayed natively: confirmed, {how}")),
            Replay::NotShown { why } => text.push_str(&format!("\n  replayed natively: not shown, {why}")),
            Replay::NotRun { why } if why.is_empty() => {}
            Replay::NotRun { why } => text.push_str(&format!("\n  not replayed: {why}")),
        }
        for input in &violation.inputs {
            text.push_str(&format!("\n  {}: {} = {}", input.name, input.ty, input.literal));
        }
    }
    text.push('\n');
    for found in &report.diagnostics {
        text.push_str(&diagnostic(found, &handler));
    }
    for finding in &report.vacuity {
        let found = Diagnostic {
            code: "tour::vacuous".into(),
            severity: Severity::Warning,
            message: finding.message.clone(),
            labels: vec![Note { message: "says nothing".into(), place: finding.place.clone() }],
            help: None,
        };
        text.push_str(&diagnostic(&found, &handler));
    }
    for assumption in &report.assumptions {
        let Note { message, place } = assumption;
        text.push_str(&format!("  assumed: {message} ({}:{})\n", place.file.display(), place.line));
    }
    text
}
