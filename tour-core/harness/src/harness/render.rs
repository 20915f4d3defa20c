//! Reports for people, as plain text: what a failing test shows.

use miette::{GraphicalReportHandler, GraphicalTheme};
use tour_report::protocol::{Diagnostic, Note, Report, Severity, Verdict};
use tour_report::report::located::{LocatedReport, brief};

/// A whole report without colours, as it stands in the output of a test.
pub fn report(report: &Report) -> String {
    let handler = GraphicalReportHandler::new_themed(GraphicalTheme::unicode_nocolor()).with_width(100);
    let base = &report.harness.manifest_dir;
    let draw = |text: &mut String, diagnostic: &Diagnostic| {
        if handler.render_report(text, &LocatedReport::new(diagnostic, base)).is_err() {
            text.push_str(&diagnostic.message);
        }
    };
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
    for violation in &report.violations {
        if report.violations.len() > 1 {
            text.push_str(&format!("\n  {}", violation.message));
        }
        text.push_str(&format!("\n  {}", violation.replay.describe()));
        for input in &violation.inputs {
            text.push_str(&format!("\n  {}: {} = {}", input.name, input.ty, input.literal));
        }
    }
    text.push('\n');
    for found in &report.diagnostics {
        draw(&mut text, found);
    }
    for finding in &report.vacuity {
        let found = Diagnostic {
            code: "tour::vacuous".into(),
            severity: Severity::Warning,
            message: finding.message.clone(),
            labels: vec![Note { message: "says nothing".into(), place: finding.place.clone() }],
            help: None,
        };
        draw(&mut text, &found);
    }
    for assumption in &report.assumptions {
        let Note { message, place } = assumption;
        text.push_str(&format!(
            "  assumed: {message} ({}:{})\n",
            brief(&place.file, base).display(),
            place.line
        ));
    }
    text
}
