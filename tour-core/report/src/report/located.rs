//! Diagnostics that come from another process: their places are lines of files, not spans of loaded texts.

use super::excerpt::Excerpt;
use crate::protocol::{Diagnostic, Note, Place, Severity};
use miette::{LabeledSpan, SourceCode};
use std::fmt;
use std::path::{Path, PathBuf};

/// A diagnostic of a harness, for miette to render.
#[derive(Debug)]
pub struct LocatedReport {
    code: Option<String>,
    severity: miette::Severity,
    message: String,
    help: Option<String>,
    source: Option<Excerpt>,
    labels: Vec<LabeledSpan>,
    related: Vec<LocatedReport>,
}

impl LocatedReport {
    /// Looks the places up in the files as they are now; a line that is not what it was is shown as it was. Files below
    /// `base` are shown relative to it.
    pub fn new(diagnostic: &Diagnostic, base: &Path) -> LocatedReport {
        let severity = match diagnostic.severity {
            Severity::Note => miette::Severity::Advice,
            Severity::Warning => miette::Severity::Warning,
            Severity::Error => miette::Severity::Error,
        };
        let mut files = by_file(&diagnostic.labels).into_iter();
        let main = files.next();
        let related = files.map(|labels| {
            let (source, spans) = resolve(&labels, base);
            LocatedReport {
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
        let (source, labels) = match main.map(|labels| resolve(&labels, base)) {
            Some((source, labels)) => (Some(source), labels),
            None => (None, Vec::new()),
        };
        LocatedReport {
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

/// A path as people want to read it.
pub fn shown(path: &Path, base: &Path) -> PathBuf {
    path.strip_prefix(base).unwrap_or(path).to_owned()
}

/// A path in few words: relative to `base`, or, where Cargo keeps the sources of other packages, from the package on.
pub fn brief(path: &Path, base: &Path) -> PathBuf {
    let path = shown(path, base);
    let parts: Vec<&str> = path.iter().map(|part| part.to_str().unwrap_or("")).collect();
    // `registry/src/INDEX/PACKAGE` and `git/checkouts/REPOSITORY`
    let package = parts.windows(2).enumerate().find_map(|(at, two)| match two {
        ["registry", "src"] => Some(at + 3),
        ["git", "checkouts"] => Some(at + 2),
        _ => None,
    });
    match package {
        Some(package) if path.is_absolute() && package + 1 < parts.len() => parts[package..].iter().collect(),
        _ => path,
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

fn resolve(labels: &[&Note], base: &Path) -> (Excerpt, Vec<LabeledSpan>) {
    let file = &labels[0].place.file;
    let text = std::fs::read_to_string(base.join(file)).unwrap_or_default();
    let mut lines: Vec<String> = text.lines().map(String::from).collect();
    for Note { place, .. } in labels {
        let index = place.line.saturating_sub(1) as usize;
        // A file that is gone has few lines to pad; a wild line number must not make millions.
        if lines.len() <= index && index < 1 << 20 {
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
    (Excerpt::whole(name, lines.join("\n") + "\n"), spans)
}

/// Start and length in bytes of the joined lines.
fn range(lines: &[String], place: &Place) -> (usize, usize) {
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

impl fmt::Display for LocatedReport {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for LocatedReport {}

impl miette::Diagnostic for LocatedReport {
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
        let place = Place { file: file.into(), line, column, length, text: text.into() };
        Note { message: message.into(), place }
    }

    fn check(files: &[(&str, &str)], labels: Vec<Note>, expected: Expect) {
        let folder = tempfile::tempdir().expect("a folder");
        for (name, text) in files {
            std::fs::write(folder.path().join(name), text).expect("a file");
        }
        let diagnostic = Diagnostic {
            code: "tour::assert".into(),
            severity: Severity::Error,
            message: "an assertion can fail".into(),
            labels,
            help: Some("look".into()),
        };
        let mut text = String::new();
        let report = LocatedReport::new(&diagnostic, folder.path());
        let handler = GraphicalReportHandler::new_themed(GraphicalTheme::unicode_nocolor()).with_width(80);
        handler.with_links(false).render_report(&mut text, &report).expect("it renders");
        let text: String = text.lines().map(|line| line.trim_end().to_owned() + "\n").collect();
        expected.assert_eq(&text);
    }

    #[test]
    fn sources_of_other_packages_are_named_by_the_package() {
        let check = |path: &str, expected: &str| {
            assert_eq!(brief(Path::new(path), Path::new("/home/me/demo")), Path::new(expected));
        };
        check("/home/me/demo/csrc/ring.c", "csrc/ring.c");
        check(
            "/home/me/.cargo/registry/src/index-1949/lz4-sys-1.11.1/liblz4/lz4.c",
            "lz4-sys-1.11.1/liblz4/lz4.c",
        );
        check("/home/me/.cargo/git/checkouts/ring-12ab/34cd/ring.c", "ring-12ab/34cd/ring.c");
        check("/home/me/registry/src/ring.c", "/home/me/registry/src/ring.c");
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
