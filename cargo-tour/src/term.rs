//! The terminal: colours, width, and how diagnostics are drawn.

use crate::cli::{Color, OutputArgs};
use miette::{GraphicalReportHandler, GraphicalTheme};
use std::io::{IsTerminal, Write};
use std::path::Path;
use tour::report::draw::Drawing;
use tour::report::places::Places;
use tour::result::{Message, Severity};
use tour::source::{Diagnostic, SourceMap};
use tour::visible::{visible, visible_in};

/// Where text goes and how it looks.
#[derive(Clone, Copy, Debug)]
pub struct Term {
    color: Color,
    /// `-q`
    pub quiet: bool,
    /// `-v`
    pub verbose: bool,
}

impl Term {
    /// As the user asked.
    pub fn new(output: &OutputArgs) -> Term {
        Term { color: output.color, quiet: output.quiet, verbose: output.verbose }
    }

    /// Nothing is shown.
    pub fn silent() -> Term {
        Term { color: Color::Never, quiet: true, verbose: false }
    }

    fn colored(&self, is_terminal: bool) -> bool {
        match self.color {
            Color::Always => true,
            Color::Never => false,
            Color::Auto => is_terminal && std::env::var_os("NO_COLOR").is_none_or(|v| v.is_empty()),
        }
    }

    /// Shows a diagnostic on standard error.
    pub fn diagnostic(&self, diagnostic: &Diagnostic, sources: &SourceMap) {
        self.message_of(&Places::new(sources).message(diagnostic), Path::new(""), Some(sources));
    }

    /// Shows a message on standard error. Files below `base` are shown relative to it.
    pub fn message(&self, message: &Message, base: &Path) {
        self.message_of(message, base, None);
    }

    /// The same; `sources` has the text of files that are not there. Notes are for `-v`, warnings not for `-q`.
    pub fn message_of(&self, message: &Message, base: &Path, sources: Option<&SourceMap>) {
        let wanted = match message.severity {
            Severity::Note => self.verbose,
            Severity::Warning => !self.quiet,
            Severity::Error => true,
        };
        if wanted {
            self.draw(&Drawing::new(&visible_in(message), base, sources));
        }
    }

    fn draw(&self, report: &dyn miette::Diagnostic) {
        let unicode = supports_unicode::on(supports_unicode::Stream::Stderr);
        let theme = match (unicode, self.colored(std::io::stderr().is_terminal())) {
            (true, true) => GraphicalTheme::unicode(),
            (true, false) => GraphicalTheme::unicode_nocolor(),
            (false, true) => GraphicalTheme::ascii(),
            (false, false) => GraphicalTheme::none(),
        };
        let width = terminal_size::terminal_size().map_or(100, |(width, _)| usize::from(width.0));
        let handler =
            GraphicalReportHandler::new_themed(theme).with_width(width.clamp(40, 120)).with_links(false);
        let mut text = String::new();
        if handler.render_report(&mut text, report).is_err() {
            text = format!("{report}\n");
        }
        // Nobody is left to tell when standard error is closed.
        let _ = writeln!(std::io::stderr(), "{}", text.trim_end());
    }

    /// `word` in bold and a colour, right-aligned as a status, if standard output shows colours.
    pub fn status(&self, word: &str, good: Option<bool>) -> String {
        if !self.colored(std::io::stdout().is_terminal()) {
            return format!("{word:>10}");
        }
        let code = match good {
            Some(true) => 32,
            Some(false) => 31,
            None => 33,
        };
        format!("\x1b[1;{code}m{word:>10}\x1b[0m")
    }
}

/// Writes a line to standard output. A reader that has gone away (`| head`) is no error of ours.
pub fn print_line(text: impl std::fmt::Display) {
    let _ = writeln!(std::io::stdout(), "{}", shown(&text.to_string()));
}

/// Writes a line to standard error.
pub fn print_error(text: impl std::fmt::Display) {
    let _ = writeln!(std::io::stderr(), "{}", shown(&text.to_string()));
}

/// A line in which all characters are seen, but for the colours of the status that it begins with.
fn shown(text: &str) -> String {
    let start = text.len() - text.trim_start_matches('\n').len();
    let rest = &text[start..];
    let coloured = [31, 32, 33].iter().find_map(|code| {
        let word = rest.strip_prefix(&format!("\x1b[1;{code}m"))?;
        let end = word.find("\x1b[0m")?;
        word[..end]
            .chars()
            .all(|c| c.is_ascii_alphabetic() || c == ' ')
            .then(|| rest.len() - word.len() + end + 4)
    });
    let (status, rest) = text.split_at(start + coloured.unwrap_or(0));
    format!("{status}{}", visible(rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_status_has_colours() {
        let term = Term { color: Color::Always, quiet: false, verbose: false };
        let status = term.status("PROVED", Some(true));
        assert_eq!(shown(&format!("\n{status} a\x1b[0mb")), format!("\n{status} a\\u001b[0mb"));
        assert_eq!(shown("\x1b[1;31mno\u{7}\x1b[0m"), "\\u001b[1;31mno\\u0007\\u001b[0m");
        assert_eq!(shown("plain\ttext"), "plain\ttext");
    }
}
