//! Results for people, as plain text: what a failing test shows.

use miette::{GraphicalReportHandler, GraphicalTheme};
use tour_protocol::result::{ClaimResult, Message, Note, Vacuity, brief};
use tour_report::report::draw::Drawing;

/// A whole result without colours, as it stands in the output of a test.
pub fn text(result: &ClaimResult) -> String {
    let handler = GraphicalReportHandler::new_themed(GraphicalTheme::unicode_nocolor()).with_width(100);
    let base = result.claim.directory();
    let draw = |text: &mut String, message: &Message| {
        if handler.render_report(text, &Drawing::new(message, base, None)).is_err() {
            text.push_str(&message.message);
        }
    };
    let mut text = format!("{} [{:.1}s] {}", result.status.word(), result.time, result.claim.name());
    let why = if result.is_unchecked() { result.why() } else { &result.reason };
    if !why.is_empty() {
        text.push_str(&format!("  {why}"));
    }
    for violation in &result.violations {
        if result.violations.len() > 1 {
            text.push_str(&format!("\n  {}", violation.message));
        }
        text.push_str(&format!("\n  {}", violation.replay.describe()));
        for input in &violation.inputs {
            text.push_str(&format!("\n  {input}"));
        }
        for row in &violation.interleaving {
            text.push_str(&format!("\n    {row}"));
        }
    }
    text.push('\n');
    for message in result.diagnostics.iter().cloned().chain(result.vacuity.iter().map(Vacuity::to_message)) {
        draw(&mut text, &message);
    }
    for Note { message, place } in &result.assumptions {
        let file = brief(&place.file, base);
        text.push_str(&format!("  assumed: {message} ({}:{})\n", file.display(), place.line));
    }
    text
}
