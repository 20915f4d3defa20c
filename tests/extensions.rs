//! What an extension costs: CONTRIBUTING.md says it, and each of its worked examples is a patch that still applies to the
//! tree. `.ci/extensions` builds and runs them.

use crate::support::repository;
use std::path::Path;

/// What a patch does to a file.
#[derive(Debug)]
struct Change {
    file: String,
    is_new: bool,
    /// How many lines it adds.
    added: usize,
    /// What has to be there: the lines that each of its hunks keeps or takes away.
    before: Vec<Vec<String>>,
}

fn changes(patch: &str) -> Vec<Change> {
    let mut changes: Vec<Change> = Vec::new();
    let mut is_new = false;
    for line in patch.lines().filter(|line| !line.starts_with("diff ")) {
        if let Some(file) = line.strip_prefix("--- ") {
            is_new = file == "/dev/null";
            continue;
        }
        if let Some(file) = line.strip_prefix("+++ b/") {
            changes.push(Change { file: file.to_owned(), is_new, added: 0, before: Vec::new() });
            continue;
        }
        let change = changes.last_mut().expect("a file before its lines");
        match line.split_at_checked(1) {
            Some(("@", _)) => change.before.push(Vec::new()),
            Some(("+", _)) => change.added += 1,
            Some((" " | "-", text)) => change.before.last_mut().expect("a hunk").push(text.to_owned()),
            _ => panic!("no line of a patch: {line}"),
        }
    }
    changes
}

/// Each hunk stands in its file once.
fn applies(change: &Change, root: &Path) -> Result<(), String> {
    let path = root.join(&change.file);
    if change.is_new {
        return if path.exists() { Err(format!("{} is there", change.file)) } else { Ok(()) };
    }
    let text = std::fs::read_to_string(&path).map_err(|error| format!("{}: {error}", change.file))?;
    let lines: Vec<&str> = text.lines().collect();
    for hunk in &change.before {
        let found = lines.windows(hunk.len()).filter(|window| window == hunk).count();
        if found != 1 {
            return Err(format!("{}: {found} places look like\n{}", change.file, hunk.join("\n")));
        }
    }
    Ok(())
}

/// A row of the table: the patch that it links to, new files, changed files, lines added to them.
fn rows(table: &str) -> Vec<(String, [usize; 3])> {
    let row = |line: &str| {
        let (_, rest) = line.split_once("](tests/extensions/")?;
        let (patch, rest) = rest.split_once(')')?;
        let cells: Vec<&str> = rest.split('|').map(str::trim).collect();
        let number = |at: usize| cells[at].split(':').next()?.trim().parse().ok();
        Some((patch.to_owned(), [number(2)?, number(3)?, number(4)?]))
    };
    table.lines().filter_map(row).collect()
}

#[test]
fn the_worked_examples_apply_and_cost_what_is_said() {
    let text = std::fs::read_to_string(repository("CONTRIBUTING.md")).expect("the text");
    let rows = rows(&text);
    let folder = repository("tests/extensions");
    let mut patches: Vec<String> = std::fs::read_dir(&folder)
        .expect("the patches")
        .map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned())
        .collect();
    patches.sort();
    let mut known: Vec<&str> = rows.iter().map(|(patch, _)| patch.as_str()).collect();
    known.sort_unstable();
    assert_eq!(patches, known, "the table has each patch");
    for (patch, said) in &rows {
        let text = std::fs::read_to_string(folder.join(patch)).expect("a patch");
        let changes = changes(&text);
        let (new, old): (Vec<&Change>, Vec<&Change>) = changes.iter().partition(|change| change.is_new);
        let counted = [new.len(), old.len(), old.iter().map(|change| change.added).sum()];
        assert_eq!(
            counted, *said,
            "{patch}: new files, changed files and lines there, and what CONTRIBUTING.md says"
        );
        for change in &changes {
            applies(change, &repository("")).unwrap_or_else(|why| {
                panic!("{patch} does not apply any more: {why}\nhelp: make it anew, see CONTRIBUTING.md")
            });
        }
    }
}

#[test]
fn a_patch_that_does_not_apply_is_noticed() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("a.rs"), "one\ntwo\nthree\ntwo\n").expect("a file");
    let check = |patch: &str, expect: &str| {
        let changes = changes(patch);
        let found = changes.iter().try_for_each(|change| applies(change, folder.path()));
        assert!(found.clone().err().unwrap_or_default().contains(expect), "{found:?}");
        assert_eq!(found.is_ok(), expect.is_empty(), "{found:?}");
    };
    let old = "--- a/a.rs\n+++ b/a.rs\n";
    check(&format!("{old}@@ -1,2 +1,3 @@\n one\n two\n+new\n"), "");
    check(&format!("{old}@@ -1,2 +1,2 @@\n one\n-three\n+new\n"), "0 places look like");
    check(&format!("{old}@@ -2 +2,2 @@\n two\n+new\n"), "2 places look like");
    check("--- /dev/null\n+++ b/b.rs\n@@ -0,0 +1 @@\n+new\n", "");
    check("--- /dev/null\n+++ b/a.rs\n@@ -0,0 +1 @@\n+new\n", "is there");
}
