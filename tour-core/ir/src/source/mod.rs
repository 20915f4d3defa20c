//! Where a piece of program text came from: preprocessed units, spans, and the user's own files.
//!
//! A [`Span`] is a range of bytes in the *preprocessed* text of one unit, which the [`SourceMap`] keeps. It is
//! resolved to the user's file and line (through the `# line` markers) only when something is shown.

mod diagnostic;
mod map;

pub use diagnostic::{Diagnostic, Label};
pub use map::{LineMarker, Skipped, SourceMap, TextOf, Unit, UserPlace};
pub use tour_protocol::result::Severity;

/// Paths of units of the library begin with this.
pub const LIBRARY: &str = "<library>/";

/// The unit is one of the library's, not of the program's.
pub fn is_library(path: &std::path::Path) -> bool {
    path.to_str().is_some_and(|path| path.starts_with(LIBRARY))
}

index_vec::define_index_type! {
    /// One preprocessed text (a translation unit).
    pub struct UnitId = u32;
    DEBUG_FORMAT = "unit{}";
}

/// A range of bytes in the text of a unit.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Span {
    /// The unit.
    pub unit: UnitId,
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

impl Span {
    /// The span `start..end` of `unit`.
    pub fn new(unit: UnitId, start: usize, end: usize) -> Span {
        Span { unit, start: start as u32, end: end as u32 }
    }

    /// The smallest span that covers both; `self` if they are of different units.
    pub fn to(self, other: Span) -> Span {
        if self.unit != other.unit {
            return self;
        }
        Span { unit: self.unit, start: self.start.min(other.start), end: self.end.max(other.end) }
    }
}
