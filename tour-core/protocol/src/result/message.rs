//! Located messages: places in the user's files, with a few words each.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::path::PathBuf;

/// A place in the user's file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct SourcePlace {
    /// The file: absolute, or relative to the directory of the compiler's call. Always text.
    pub file: PathBuf,
    /// Line, from 1.
    pub line: u32,
    /// Column in bytes, from 1.
    pub column: u32,
    /// Bytes on that line; at least 1 unless the place is empty.
    pub length: u32,
    /// The text of that line when it was verified.
    pub text: String,
    /// Only a line marker (`#line`) names the file, which the program was not made of: it is not opened.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub only_named: bool,
}

impl SourcePlace {
    /// A whole line whose text is not known.
    pub fn line(file: PathBuf, line: u32) -> SourcePlace {
        SourcePlace { file, line, column: 1, length: 0, text: String::new(), only_named: false }
    }
}

/// `file:line:column`
impl fmt::Display for SourcePlace {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{}:{}:{}", self.file.display(), self.line, self.column)
    }
}

/// A text about a place.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Note {
    /// The text.
    pub message: String,
    /// Where.
    pub place: SourcePlace,
}

/// A located message.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Message {
    /// Stable code: `tour::assert`.
    pub code: String,
    /// How bad it is.
    pub severity: Severity,
    /// What happened, in one line.
    pub message: String,
    /// Places, the main one first.
    pub labels: Vec<Note>,
    /// What to do next.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub help: Option<String>,
}

impl Message {
    /// The main place.
    pub fn place(&self) -> Option<&SourcePlace> {
        self.labels.first().map(|label| &label.place)
    }
}

/// How bad it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Severity {
    /// The run goes on; something is worth knowing.
    Note,
    /// The run goes on; the result may say less.
    Warning,
    /// The run can't go on.
    Error,
}
