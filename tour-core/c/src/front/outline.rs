//! The text for lang-c, and the pieces that are taken out of it.
//!
//! lang-c is a backtracking parser: time and stack grow quickly with nesting. So the rewriter measures how high each
//! expression and statement is while it writes it, and when one gets too high, what was written of it is cut out and
//! parsed as a text of its own; a name stands for it. Each text is low, however deep the program is, and each byte
//! is moved only once.

use super::{OffsetMap, PIECE_PREFIX, PieceId};
use index_vec::IndexVec;

/// How high an expression can get before it is cut out.
pub const EXPRESSION_LIMIT: u32 = 24;

/// What brackets add to the height of an expression, compared with an operator: they cost the most.
pub const BRACKET_HEIGHT: u32 = 4;

/// How high a statement can get before it is cut out.
pub const STATEMENT_LIMIT: u32 = 12;

/// How deep declarators, initialisers and structures can nest: nothing stands in for parts of them.
pub const NESTING_LIMIT: u32 = 200;

/// What a text is to be parsed as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextKind {
    /// An external declaration.
    External,
    /// An expression.
    Expression,
    /// A statement.
    Statement,
}

/// A text to be parsed on its own.
#[derive(Debug)]
pub struct PieceText<'a> {
    /// What it is.
    pub kind: TextKind,
    /// The text.
    pub text: String,
    /// Back to the unit's text.
    pub offsets: OffsetMap,
    /// The names that are types in it, with repetitions.
    pub types: Vec<&'a str>,
}

/// The text that is being written.
#[derive(Debug, Default)]
pub struct Out<'a> {
    text: String,
    offsets: OffsetMap,
    types: Vec<&'a str>,
    /// Where the last token ended in the unit's text; `None` after text of our own.
    last_end: Option<u32>,
}

/// A place in the text that is being written.
#[derive(Clone, Copy, Debug)]
pub struct Mark {
    text: usize,
    pairs: usize,
    types: usize,
}

impl<'a> Out<'a> {
    /// Here.
    pub fn mark(&self) -> Mark {
        Mark { text: self.text.len(), pairs: self.offsets.pairs.len(), types: self.types.len() }
    }

    fn map(&mut self, original: u32) {
        let here = self.text.len() as u32;
        let follows = self.offsets.pairs.last().is_some_and(|&(r, o)| here - r == original.wrapping_sub(o));
        if !follows {
            self.offsets.pairs.push((here, original));
        }
    }

    /// Writes a token that stands at `start..end` of the unit's text.
    pub fn token(&mut self, text: &str, start: u32, end: u32) {
        if self.last_end != Some(start) && !self.text.is_empty() {
            self.text.push(' ');
        }
        self.map(start);
        self.text.push_str(text);
        self.last_end = Some(end);
    }

    /// Writes text of our own on behalf of the unit's text at `original`.
    pub fn own(&mut self, text: &str, original: u32) {
        if !self.text.is_empty() {
            self.text.push(' ');
        }
        self.map(original);
        self.text.push_str(text);
        self.last_end = None;
    }

    /// A name is a type in what is being written.
    pub fn uses_type(&mut self, name: &'a str) {
        self.types.push(name);
    }

    /// Nothing was written since the mark.
    pub fn is_empty_since(&self, mark: Mark) -> bool {
        self.text.len() == mark.text
    }

    /// Ends the text and begins a new one.
    pub fn finish(&mut self) -> PieceText<'a> {
        let Out { text, offsets, types, .. } = std::mem::take(self);
        PieceText { kind: TextKind::External, text, offsets, types }
    }

    /// Takes out what was written since the mark, and writes a name instead.
    pub fn cut(&mut self, mark: Mark, kind: TextKind, pieces: &mut IndexVec<PieceId, PieceText<'a>>) {
        let blank = usize::from(self.text.as_bytes().get(mark.text) == Some(&b' '));
        let from = mark.text + blank;
        let text = self.text.split_off(from);
        let original = self.offsets.original(from);
        let mut pairs = vec![(0, original)];
        pairs.extend(
            self.offsets.pairs.drain(mark.pairs..).map(|(r, o)| (r - from as u32, o)).filter(|p| p.0 != 0),
        );
        let types = self.types.split_off(mark.types);
        let id = pieces.push(PieceText { kind, text, offsets: OffsetMap { pairs }, types });
        self.map(original);
        self.text.push_str(&format!("{PIECE_PREFIX}{}", id.index()));
        if kind == TextKind::Statement {
            self.text.push(';');
        }
        self.last_end = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cut_leaves_a_name_and_keeps_offsets() {
        let unit = "x =   ( a+b );";
        let mut out = Out::default();
        let mut pieces = IndexVec::new();
        out.token("x", 0, 1);
        out.token("=", 2, 3);
        let mark = out.mark();
        for (token, at) in [("(", 6), ("a", 8), ("+", 9), ("b", 10), (")", 12)] {
            out.token(token, at, at + 1);
        }
        out.cut(mark, TextKind::Expression, &mut pieces);
        out.token(";", 13, 14);
        let PieceText { text, offsets, .. } = out.finish();
        assert_eq!(text, "x = __tour_piece_0 ;");
        assert_eq!(offsets.original(text.find(';').unwrap()), 13);
        let piece = &pieces[PieceId::new(0)];
        assert_eq!(piece.text, "( a+b )");
        assert_eq!(piece.offsets.original(piece.text.find('b').unwrap()), unit.find('b').unwrap() as u32);
    }
}
