//! Results as annotations of a workflow on GitHub: commands on standard output.

use super::located::shown;
use super::outcome::{HarnessOutcome, Status};
use crate::protocol::Severity;
use std::path::Path;

/// One line for each finding. Files below `root` (the checkout) are named relative to it, or GitHub can't show them.
pub fn annotations(outcomes: &[HarnessOutcome], root: &Path) -> Vec<String> {
    let mut lines = Vec::new();
    for outcome in outcomes {
        let level = match outcome.status {
            Status::Proved | Status::NotRun => continue,
            Status::Violated | Status::Invalid | Status::Crashed => "error",
            Status::Unknown | Status::Vacuous => "warning",
        };
        let title = format!("{} {}", outcome.status.word().to_lowercase(), outcome.harness);
        let before = lines.len();
        let findings = outcome.diagnostics().filter(|d| d.severity != Severity::Note);
        for finding in findings {
            let Some(label) = finding.labels.first() else { continue };
            let place = &label.place;
            let file = root_relative(&place.file, root, outcome);
            let text = format!("{}: {}", finding.message, label.message);
            lines.push(command(level, &file, place.line, place.column, &title, text.trim_end_matches(": ")));
        }
        for vacuity in outcome.report.iter().flat_map(|report| &report.vacuity) {
            let file = root_relative(&vacuity.place.file, root, outcome);
            lines.push(command(
                level,
                &file,
                vacuity.place.line,
                vacuity.place.column,
                &title,
                &vacuity.message,
            ));
        }
        if lines.len() == before {
            lines.push(format!("::{level} title={}::{}", property(&title), data(&outcome.reason())));
        }
    }
    lines
}

fn root_relative(file: &Path, root: &Path, outcome: &HarnessOutcome) -> String {
    let base = outcome.report.as_ref().map_or(root, |report| report.harness.manifest_dir.as_path());
    shown(&base.join(file), root).display().to_string()
}

fn command(level: &str, file: &str, line: u32, column: u32, title: &str, message: &str) -> String {
    let (file, title, message) = (property(file), property(title), data(message));
    format!("::{level} file={file},line={line},col={column},title={title}::{message}")
}

fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::super::outcome::examples;
    use super::*;
    use expect_test::expect;

    #[test]
    fn findings_become_commands() {
        expect![[r#"
            ::error file=csrc/ring.c,line=27,col=12,title=violated proofs%3A%3Apop::read past the end of `buf`: head = 8
            ::warning title=unknown proofs%3A%3Acrc::timeout
            ::warning file=src/lib.rs,line=30,col=5,title=vacuous proofs%3A%3Anever::no input satisfies the assumptions
            ::error title=crashed proofs%3A%3Aboom::killed by signal 6"#]].assert_eq(&annotations(&examples(), Path::new("/demo")).join("\n"));
    }
}
