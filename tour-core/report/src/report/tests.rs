//! Snapshots of everything that a user reads about a place.

use super::draw::Drawing;
use super::places::Places;
use expect_test::{Expect, expect};
use miette::{GraphicalReportHandler, GraphicalTheme};
use std::path::Path;
use tour_ir::source::{Diagnostic, LineMarker, SourceMap, Span, Unit, UnitId};

fn draw(diagnostic: &Diagnostic, sources: &SourceMap) -> Drawing {
    Drawing::new(&Places::new(sources).message(diagnostic), Path::new(""), Some(sources))
}

fn render(report: &Drawing, theme: GraphicalTheme, width: usize) -> String {
    let mut out = String::new();
    let handler = GraphicalReportHandler::new_themed(theme).with_width(width).with_links(false);
    handler.render_report(&mut out, report).unwrap();
    // Trailing blanks would be lost in snapshots.
    out.lines().map(|line| line.trim_end().to_owned() + "\n").collect()
}

/// A folder with files, shown as `.` in snapshots.
struct Folder(tempfile::TempDir);

impl Folder {
    fn new(files: &[(&str, &str)]) -> Folder {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in files {
            std::fs::write(folder.path().join(name), text).unwrap();
        }
        Folder(folder)
    }

    fn path(&self, name: &str) -> std::path::PathBuf {
        self.0.path().join(name)
    }

    fn check(&self, diagnostic: &Diagnostic, sources: &SourceMap, expected: Expect) {
        let text = render(&draw(diagnostic, sources), GraphicalTheme::unicode_nocolor(), 80);
        expected.assert_eq(&text.replace(&self.0.path().display().to_string(), "."));
    }
}

fn span_of(sources: &SourceMap, unit: UnitId, needle: &str) -> Span {
    let start = sources.unit(unit).text.find(needle).unwrap();
    Span::new(unit, start, start + needle.len())
}

const RING: &str = "int head;\nint pop(int *buf) {\n    return buf[head];\n}\n";

fn ring(path: &Path) -> (Diagnostic, SourceMap) {
    let mut sources = SourceMap::default();
    let unit = sources.add(Unit::plain(path, RING));
    let diagnostic = Diagnostic::error("tour::assert", "an assertion can fail")
        .label(span_of(&sources, unit, "buf[head]"), "head = 8 here")
        .label(span_of(&sources, unit, "int head"), "declared here")
        .help("check `head` before it is used");
    (diagnostic, sources)
}

#[test]
fn labels_stand_in_the_users_file() {
    let folder = Folder::new(&[("ring.c", RING)]);
    let (diagnostic, sources) = ring(&folder.path("ring.c"));
    folder.check(
        &diagnostic,
        &sources,
        expect![[r#"
        tour::assert

          × an assertion can fail
           ╭─[./ring.c:3:12]
         1 │ int head;
           · ────┬───
           ·     ╰── declared here
         2 │ int pop(int *buf) {
         3 │     return buf[head];
           ·            ────┬────
           ·                ╰── head = 8 here
         4 │ }
           ╰────
          help: check `head` before it is used
    "#]],
    );
}

#[test]
fn plain_ascii_for_old_terminals() {
    let folder = Folder::new(&[("ring.c", RING)]);
    let (diagnostic, sources) = ring(&folder.path("ring.c"));
    let text = render(&draw(&diagnostic, &sources), GraphicalTheme::none(), 80);
    expect![[r#"
        tour::assert

          x an assertion can fail
           ,-[./ring.c:3:12]
         1 | int head;
           : ^^^^|^^^
           :     `-- declared here
         2 | int pop(int *buf) {
         3 |     return buf[head];
           :            ^^^^|^^^^
           :                `-- head = 8 here
         4 | }
           `----
          help: check `head` before it is used
    "#]]
    .assert_eq(&text.replace(&folder.0.path().display().to_string(), "."));
    assert!(text.is_ascii() && !text.contains('\x1b'));
}

#[test]
fn colours_are_only_in_the_coloured_theme() {
    let (diagnostic, sources) = ring(Path::new("/nowhere/ring.c"));
    let report = draw(&diagnostic, &sources);
    assert!(render(&report, GraphicalTheme::unicode(), 80).contains('\x1b'));
    assert!(!render(&report, GraphicalTheme::unicode_nocolor(), 80).contains('\x1b'));
}

#[test]
fn a_narrow_terminal_wraps_the_words() {
    let (mut diagnostic, sources) = ring(Path::new("/nowhere/ring.c"));
    diagnostic.message = "an assertion can fail because the head of the ring runs past its end".into();
    let text = render(&draw(&diagnostic, &sources), GraphicalTheme::unicode_nocolor(), 40);
    expect![[r#"
        tour::assert

          × an assertion can fail because the
          │ head of the ring runs past its end
           ╭─[/nowhere/ring.c:3:12]
         1 │ int head;
           · ────┬───
           ·     ╰── declared here
         2 │ int pop(int *buf) {
         3 │     return buf[head];
           ·            ────┬────
           ·                ╰── head = 8 here
         4 │ }
           ╰────
          help: check `head` before it is used
    "#]]
    .assert_eq(&text);
}

/// `BUMP(x)` is a macro; a comment before `y++` shifts it.
fn macros(path: &Path) -> SourceMap {
    let text = "# 1 \"m.c\"\n\nint f(int x, int y) {\n  x = x + 1;\n  y++; y--;\n return x;\n}\n";
    let mut unit = Unit::plain(path, text);
    unit.markers = vec![
        LineMarker { offset: 0, file: 0, line: 1, system: false },
        LineMarker { offset: 10, file: 0, line: 1, system: false },
    ];
    let mut sources = SourceMap::default();
    sources.add(unit);
    sources
}

const MACROS: &str =
    "#define BUMP(v) v = v + 1\nint f(int x, int y) {\n  BUMP(x);\n  /* why */ y++; y--;\n  return x;\n}\n";

#[test]
fn the_expansion_of_a_macro_is_shown_as_the_line_it_stands_in() {
    let folder = Folder::new(&[("m.c", MACROS)]);
    let mut sources = macros(&folder.path("m.c"));
    sources.made_of(folder.path("m.c"), folder.path("m.c"));
    let unit = UnitId::new(0);
    let diagnostic = Diagnostic::warning("tour::test", "look")
        .label(span_of(&sources, unit, "x + 1"), "from a macro")
        .label(span_of(&sources, unit, "y++"), "moved by a comment")
        .label(span_of(&sources, unit, "return x;\n}"), "only the first line");
    folder.check(
        &diagnostic,
        &sources,
        expect![[r#"
        tour::test

          ⚠ look
           ╭─[./m.c:3:3]
         2 │ int f(int x, int y) {
         3 │   BUMP(x);
           ·   ────┬───
           ·       ╰── from a macro
         4 │   /* why */ y++; y--;
           ·             ─┬─
           ·              ╰── moved by a comment
         5 │   return x;
           ·   ────┬────
           ·       ╰── only the first line
         6 │ }
           ╰────
    "#]],
    );
}

#[test]
fn the_preprocessed_text_serves_when_the_file_is_gone() {
    let folder = Folder::new(&[]);
    let sources = macros(&folder.path("m.c"));
    let diagnostic = Diagnostic::error("tour::test", "look")
        .label(span_of(&sources, UnitId::new(0), "x + 1"), "here")
        .label(span_of(&sources, UnitId::new(0), "y--"), "and here");
    folder.check(
        &diagnostic,
        &sources,
        expect![[r#"
        tour::test

          × look
           ╭─[./m.c:3:7]
         2 │ int f(int x, int y) {
         3 │   x = x + 1;
           ·       ──┬──
           ·         ╰── here
         4 │   y++; y--;
           ·        ─┬─
           ·         ╰── and here
         5 │  return x;
           ╰────
    "#]],
    );
}

#[test]
fn a_second_file_is_a_related_note() {
    let folder = Folder::new(&[("a.c", "int main(void) { return 0; }\n"), ("b.c", "\nint main(void);\n")]);
    let mut sources = SourceMap::default();
    let a = sources.add(Unit::plain(folder.path("a.c"), "int main(void) { return 0; }\n"));
    let b = sources.add(Unit::plain(folder.path("b.c"), "\nint main(void);\n"));
    let diagnostic = Diagnostic::error("tour::link", "`main` is defined twice")
        .label(span_of(&sources, b, "main"), "defined again here")
        .label(span_of(&sources, a, "main"), "first defined here");
    folder.check(
        &diagnostic,
        &sources,
        expect![[r#"
        tour::link

          × `main` is defined twice
           ╭─[./b.c:2:5]
         1 │
         2 │ int main(void);
           ·     ──┬─
           ·       ╰── defined again here
           ╰────

        Advice:
          ☞ see also ./a.c
           ╭─[./a.c:1:5]
         1 │ int main(void) { return 0; }
           ·     ──┬─
           ·       ╰── first defined here
           ╰────
    "#]],
    );
}

#[test]
fn a_diagnostic_without_a_place() {
    let diagnostic =
        Diagnostic::error("tour::entry", "there is no function `main`").help("name one with `--entry`");
    Folder::new(&[]).check(
        &diagnostic,
        &SourceMap::default(),
        expect![[r#"
        tour::entry

          × there is no function `main`
          help: name one with `--entry`
    "#]],
    );
}

#[test]
fn a_file_that_changed_meanwhile_does_no_harm() {
    let folder = Folder::new(&[("ring.c", "")]);
    let (diagnostic, sources) = ring(&folder.path("ring.c"));
    folder.check(
        &diagnostic,
        &sources,
        expect![[r#"
            tour::assert

              × an assertion can fail
               ╭─[./ring.c:3:12]
             1 │ int head;
               · ────┬───
               ·     ╰── declared here
             2 │
             3 │     return buf[head];
               ·            ────┬────
               ·                ╰── head = 8 here
               ╰────
              help: check `head` before it is used
        "#]],
    );
}
