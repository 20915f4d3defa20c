//! Results as annotations of a workflow on GitHub: commands on standard output.

use std::path::Path;
use tour_protocol::result::{ClaimResult, Severity, SourcePlace, Status, shown};

/// One line for each finding. Files below `root` (the checkout) are named relative to it, or GitHub can't show them.
pub fn annotations(results: &[ClaimResult], root: &Path) -> Vec<String> {
    let mut lines = Vec::new();
    for result in results {
        let level = match result.status {
            Status::Proved | Status::NotRun => continue,
            Status::Violated | Status::Invalid | Status::Crashed => "error",
            Status::Unknown | Status::Vacuous => "warning",
        };
        let title = property(&format!("{} {}", result.status.word().to_lowercase(), result.claim.name()));
        let at = |place: &SourcePlace, text: &str| {
            let file = shown(&result.claim.directory().join(&place.file), root).display().to_string();
            let (file, line, column) = (property(&file), place.line, place.column);
            format!("::{level} file={file},line={line},col={column},title={title}::{}", data(text))
        };
        let before = lines.len();
        for finding in result.diagnostics.iter().filter(|d| d.severity != Severity::Note) {
            let Some(label) = finding.labels.first() else { continue };
            let text = format!("{}: {}", finding.message, label.message);
            lines.push(at(&label.place, text.trim_end_matches(": ")));
        }
        lines.extend(result.vacuity.iter().map(|vacuity| at(&vacuity.place, &vacuity.message)));
        if lines.len() == before {
            lines.push(format!("::{level} title={title}::{}", data(result.why())));
        }
    }
    lines
}

fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::super::examples::examples;
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
