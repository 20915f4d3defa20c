//! Messages as miette draws them: with the lines that they are about.

use super::places::{MAX_LINES, preprocessed_lines, read_lines};
use miette::{LabeledSpan, MietteError, MietteSpanContents, SourceCode, SourceSpan, SpanContents};
use std::fmt;
use std::path::Path;
use tour_ir::source::SourceMap;
use tour_protocol::result::{Message, Note, Severity, SourcePlace, brief, shown};

/// A message, for miette to render. Colours and width are up to the front end.
#[derive(Debug)]
pub struct Drawing {
    code: Option<String>,
    severity: miette::Severity,
    message: String,
    help: Option<String>,
    source: Option<Text>,
    labels: Vec<LabeledSpan>,
    related: Vec<Drawing>,
}

impl Drawing {
    /// Looks the places up in the files as they are now; a line that is not what it was is shown as it was. Files below
    /// `base` are shown relative to it. The lines around a place in a file that is not there are taken from `sources`.
    pub fn new(diagnostic: &Message, base: &Path, sources: Option<&SourceMap>) -> Drawing {
        let severity = match diagnostic.severity {
            Severity::Note => miette::Severity::Advice,
            Severity::Warning => miette::Severity::Warning,
            Severity::Error => miette::Severity::Error,
        };
        let mut files = by_file(&diagnostic.labels).into_iter();
        let main = files.next();
        let related = files.map(|labels| {
            let (source, spans) = resolve(&labels, base, sources);
            Drawing {
                code: None,
                severity: miette::Severity::Advice,
                message: format!("see also {}", brief(&labels[0].place.file, base).display()),
                help: None,
                source: Some(source),
                labels: spans,
                related: Vec::new(),
            }
        });
        let related = related.collect();
        let (source, labels) = match main.map(|labels| resolve(&labels, base, sources)) {
            Some((source, labels)) => (Some(source), labels),
            None => (None, Vec::new()),
        };
        Drawing {
            code: Some(diagnostic.code.clone()),
            severity,
            message: diagnostic.message.clone(),
            help: diagnostic.help.clone(),
            source,
            labels,
            related,
        }
    }
}

/// Labels of one file each, in the order in which files first occur.
fn by_file(labels: &[Note]) -> Vec<Vec<&Note>> {
    let mut files: Vec<Vec<&Note>> = Vec::new();
    for label in labels {
        match files.iter_mut().find(|file| file[0].place.file == label.place.file) {
            Some(file) => file.push(label),
            None => files.push(vec![label]),
        }
    }
    files
}

fn resolve(labels: &[&Note], base: &Path, sources: Option<&SourceMap>) -> (Text, Vec<LabeledSpan>) {
    let file = &labels[0].place.file;
    let preprocessed = || sources.map(|sources| preprocessed_lines(sources, file)).unwrap_or_default();
    let is_read = labels.iter().all(|label| !label.place.only_named);
    let read = is_read.then(|| read_lines(&base.join(file))).flatten();
    let mut lines = read.unwrap_or_else(preprocessed);
    for Note { place, .. } in labels {
        let index = place.line.saturating_sub(1) as usize;
        if lines.len() <= index && index < MAX_LINES {
            lines.resize(index + 1, String::new());
        }
        if let Some(line) = lines.get_mut(index)
            && !place.text.is_empty()
            && *line != place.text
        {
            line.clone_from(&place.text);
        }
    }
    let spans = labels.iter().enumerate().map(|(i, label)| {
        let (start, length) = range(&lines, &label.place);
        let text = (!label.message.is_empty()).then(|| label.message.clone());
        if i == 0 {
            LabeledSpan::new_primary_with_span(text, (start, length))
        } else {
            LabeledSpan::new(text, start, length)
        }
    });
    let spans = spans.collect();
    let name = shown(file, base).display().to_string();
    (Text { name, text: lines.join("\n") + "\n" }, spans)
}

/// Start and length in bytes of the joined lines.
fn range(lines: &[String], place: &SourcePlace) -> (usize, usize) {
    let index = (place.line.saturating_sub(1) as usize).min(lines.len());
    let start: usize = lines[..index].iter().map(|line| line.len() + 1).sum();
    let line = lines.get(index).map_or("", String::as_str);
    let mut from = (place.column.saturating_sub(1) as usize).min(line.len());
    while !line.is_char_boundary(from) {
        from -= 1;
    }
    let mut to = from.saturating_add(place.length as usize).min(line.len());
    while !line.is_char_boundary(to) {
        to += 1;
    }
    (start + from, to - from)
}

/// The text of a file.
#[derive(Debug)]
struct Text {
    name: String,
    text: String,
}

impl SourceCode for Text {
    fn read_span<'a>(
        &'a self,
        span: &SourceSpan,
        before: usize,
        after: usize,
    ) -> Result<Box<dyn SpanContents<'a> + 'a>, MietteError> {
        let inner = self.text.read_span(span, before, after)?;
        // What `inner` counts are the lines from the beginning of the text; miette would take far labels for neighbours.
        let lines = inner.data().iter().filter(|byte| **byte == b'\n').count();
        let (data, span, line, column) = (inner.data(), *inner.span(), inner.line(), inner.column());
        Ok(Box::new(MietteSpanContents::new_named(self.name.clone(), data, span, line, column, lines)))
    }
}

impl fmt::Display for Drawing {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Drawing {}

impl miette::Diagnostic for Drawing {
    fn code<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        self.code.as_ref().map(|code| Box::new(code) as Box<dyn fmt::Display>)
    }

    fn severity(&self) -> Option<miette::Severity> {
        Some(self.severity)
    }

    fn help<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        self.help.as_ref().map(|help| Box::new(help) as Box<dyn fmt::Display>)
    }

    fn source_code(&self) -> Option<&dyn SourceCode> {
        self.source.as_ref().map(|s| s as &dyn SourceCode)
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
mod tests {
    use super::*;
    use expect_test::{Expect, expect};
    use miette::{GraphicalReportHandler, GraphicalTheme};

    fn note(file: &str, line: u32, column: u32, length: u32, text: &str, message: &str) -> Note {
        let place =
            SourcePlace { file: file.into(), line, column, length, text: text.into(), only_named: false };
        Note { message: message.into(), place }
    }

    fn check(files: &[(&str, &str)], labels: Vec<Note>, expected: Expect) {
        let folder = tempfile::tempdir().expect("a folder");
        for (name, text) in files {
            std::fs::write(folder.path().join(name), text).expect("a file");
        }
        let diagnostic = Message {
            code: "tour::assert".into(),
            severity: Severity::Error,
            message: "an assertion can fail".into(),
            labels,
            help: Some("look".into()),
        };
        let mut text = String::new();
        let report = Drawing::new(&diagnostic, folder.path(), None);
        let handler = GraphicalReportHandler::new_themed(GraphicalTheme::unicode_nocolor()).with_width(80);
        handler.with_links(false).render_report(&mut text, &report).expect("it renders");
        let text: String = text.lines().map(|line| line.trim_end().to_owned() + "\n").collect();
        expected.assert_eq(&text);
    }

    #[test]
    fn across_the_language_border() {
        check(
            &[("ring.c", "int pop(void) {\n    return 1;\n}\n"), ("lib.rs", "fn f() {\n    g();\n}\n")],
            vec![
                note("ring.c", 2, 5, 9, "    return 1;", "1 here"),
                note("lib.rs", 2, 5, 3, "    g();", "called here"),
            ],
            expect![[r#"
                tour::assert

                  × an assertion can fail
                   ╭─[ring.c:2:5]
                 1 │ int pop(void) {
                 2 │     return 1;
                   ·     ────┬────
                   ·         ╰── 1 here
                 3 │ }
                   ╰────
                  help: look

                Advice:
                  ☞ see also lib.rs
                   ╭─[lib.rs:2:5]
                 1 │ fn f() {
                 2 │     g();
                   ·     ─┬─
                   ·      ╰── called here
                 3 │ }
                   ╰────
            "#]],
        );
    }

    #[test]
    fn places_that_are_far_apart_are_shown_apart() {
        check(
            &[("far.c", &"    g();\n".repeat(40))],
            vec![
                note("far.c", 20, 5, 3, "    g();", "here"),
                note("far.c", 30, 5, 3, "    g();", "and here"),
            ],
            expect![[r#"
                tour::assert

                  × an assertion can fail
                    ╭─[far.c:20:5]
                 19 │     g();
                 20 │     g();
                    ·     ─┬─
                    ·      ╰── here
                 21 │     g();
                    ╰────
                    ╭─[far.c:30:5]
                 29 │     g();
                 30 │     g();
                    ·     ─┬─
                    ·      ╰── and here
                 31 │     g();
                    ╰────
                  help: look
            "#]],
        );
    }

    #[test]
    fn a_file_that_is_gone_is_shown_as_it_was() {
        check(
            &[],
            vec![note("gone.c", 3, 1, 99, "old", "here"), note("gone.c", u32::MAX, 1, 1, "", "far away")],
            expect![[r#"
                tour::assert

                  × an assertion can fail
                   ╭─[gone.c:3:1]
                 2 │
                 3 │ old
                   · ─┬─
                   ·  ╰── here
                   ╰────
                  help: look
            "#]],
        );
    }
}
