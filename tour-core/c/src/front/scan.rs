//! The scanner: from text to compact tokens, in one pass.
//!
//! It also reads what a preprocessed text says beside C: line markers and pragmas. And it notes whether the
//! text would come out of a preprocessor as it is, because then no compiler has to be started.

use super::pragma::Directives;
use super::token::{Keywords, Kind, Token};
use memchr::{memchr, memchr2, memmem};
use rustc_hash::FxHashMap;
use std::path::{Path, PathBuf};
use tour_ir::source::LineMarker;

/// What the scanner found in a text.
#[derive(Debug)]
pub struct Scan {
    /// The tokens, in order.
    pub tokens: Vec<Token>,
    /// Files named by line markers; index 0 is the text's own.
    pub files: Vec<PathBuf>,
    /// Line markers by ascending offset; the first has offset 0.
    pub markers: Vec<LineMarker>,
    /// What pragmas say.
    pub directives: Directives,
    /// Preprocessing might change the text.
    pub needs_preprocessor: bool,
}

/// What a byte can start.
#[derive(Clone, Copy, PartialEq)]
enum Class {
    Blank,
    Newline,
    Word,
    Digit,
    Quote,
    Punct,
    Hash,
    Other,
}

const CLASSES: [Class; 256] = {
    let mut table = [Class::Other; 256];
    let mut i = 0;
    while i < 256 {
        table[i] = match i as u8 {
            b' ' | b'\t' | b'\r' | 0x0b | 0x0c => Class::Blank,
            b'\n' => Class::Newline,
            b'a'..=b'z' | b'A'..=b'Z' | b'_' | b'$' | 0x80..=0xff => Class::Word,
            b'0'..=b'9' => Class::Digit,
            b'"' | b'\'' => Class::Quote,
            b'#' => Class::Hash,
            b'\\' | b'@' | b'`' | 0..=0x1f | 0x7f => Class::Other,
            _ => Class::Punct,
        };
        i += 1;
    }
    table
};

const CONTINUES_WORD: [bool; 256] = {
    let mut table = [false; 256];
    let mut i = 0;
    while i < 256 {
        table[i] = matches!(CLASSES[i], Class::Word | Class::Digit);
        i += 1;
    }
    table
};

/// Scans a text, which came from `path`. The text must be shorter than 4 GB.
pub fn scan(text: &str, path: &Path) -> Scan {
    Scanner::new(text, path).run()
}

struct Scanner<'a> {
    bytes: &'a [u8],
    text: &'a str,
    at: usize,
    keywords: Keywords,
    out: Scan,
    file_index: FxHashMap<&'a str, u32>,
}

impl<'a> Scanner<'a> {
    fn new(text: &'a str, path: &Path) -> Scanner<'a> {
        Scanner {
            bytes: text.as_bytes(),
            text,
            at: 0,
            keywords: Keywords::get(),
            out: Scan {
                tokens: Vec::with_capacity(text.len() / 4),
                files: vec![path.to_owned()],
                markers: vec![LineMarker { offset: 0, file: 0, line: 1, system: false }],
                directives: Directives::default(),
                needs_preprocessor: false,
            },
            file_index: FxHashMap::default(),
        }
    }

    fn peek(&self, ahead: usize) -> u8 {
        self.bytes.get(self.at + ahead).copied().unwrap_or(0)
    }

    fn push(&mut self, kind: Kind, start: usize) {
        self.out.tokens.push(Token { start: start as u32, end: self.at as u32, kind });
    }

    fn run(mut self) -> Scan {
        // Directives stand at the beginning of a line.
        let mut line_start = true;
        while let Some(&byte) = self.bytes.get(self.at) {
            match CLASSES[byte as usize] {
                Class::Blank => self.at += 1,
                Class::Newline => {
                    self.at += 1;
                    line_start = true;
                }
                Class::Word => {
                    self.word();
                    line_start = false;
                }
                Class::Digit => {
                    self.number();
                    line_start = false;
                }
                Class::Quote => {
                    self.quoted(self.at);
                    line_start = false;
                }
                Class::Punct => {
                    if byte == b'/' && self.comment() {
                        continue;
                    }
                    if byte == b'%' && self.peek(1) == b':' && line_start {
                        self.out.needs_preprocessor = true;
                    }
                    self.punct(byte);
                    line_start = false;
                }
                Class::Hash if line_start => self.directive(),
                Class::Hash | Class::Other => {
                    self.other(byte);
                    line_start = false;
                }
            }
        }
        self.out
    }

    fn word(&mut self) {
        let start = self.at;
        while self.at < self.bytes.len() && CONTINUES_WORD[self.bytes[self.at] as usize] {
            self.at += 1;
        }
        if self.peek(0) == b'\\' && matches!(self.peek(1), b'u' | b'U') {
            return self.universal_word(start);
        }
        let word = &self.bytes[start..self.at];
        let quote = self.peek(0);
        if (quote == b'"' || quote == b'\'') && matches!(word, b"L" | b"u" | b"U" | b"u8") {
            return self.quoted(start);
        }
        let kind = self.keywords.kind(word);
        if kind == Kind::Identifier && may_be_predefined(word) {
            self.out.needs_preprocessor = true;
        }
        self.push(kind, start);
    }

    /// A name with universal characters such as `\u00e9`.
    fn universal_word(&mut self, start: usize) {
        loop {
            let hex = match (self.peek(0), self.peek(1)) {
                (b'\\', b'u') => 4,
                (b'\\', b'U') => 8,
                (b, _) if CONTINUES_WORD[b as usize] => {
                    self.at += 1;
                    continue;
                }
                _ => break,
            };
            let digits = self.bytes.get(self.at + 2..self.at + 2 + hex);
            if !digits.is_some_and(|d| d.iter().all(u8::is_ascii_hexdigit)) {
                break;
            }
            self.at += 2 + hex;
        }
        self.push(Kind::Identifier, start);
    }

    /// A number of the preprocessor's kind: whatever looks like one.
    fn number(&mut self) {
        let start = self.at;
        self.at += 1;
        loop {
            let (byte, next) = (self.peek(0), self.peek(1));
            match byte {
                b'e' | b'E' | b'p' | b'P' if next == b'+' || next == b'-' => {
                    // `0xe+1` is a sum in no dialect, but its `e` is a digit to everyone who writes it.
                    let hex = self.bytes[start..self.at].starts_with(b"0x")
                        || self.bytes[start..self.at].starts_with(b"0X");
                    self.at += if hex && matches!(byte, b'e' | b'E') { 1 } else { 2 };
                }
                b'.' => self.at += 1,
                b'\'' if next.is_ascii_alphanumeric() => self.at += 2,
                _ if CONTINUES_WORD[byte as usize] => self.at += 1,
                _ => break,
            }
        }
        self.push(Kind::Number, start);
    }

    /// A string or character literal; `start` is that of its prefix. One that does not end on its line ends there.
    fn quoted(&mut self, start: usize) {
        let quote = self.bytes[self.at];
        self.at += 1;
        loop {
            let rest = &self.bytes[self.at..];
            // Short literals are the rule: a plain loop beats a search.
            let Some(i) = rest.iter().position(|&b| b == quote || b == b'\\' || b == b'\n') else {
                self.at = self.bytes.len();
                break;
            };
            self.at += i;
            match rest[i] {
                b'\n' => break,
                b'\\' => {
                    if self.peek(1) == b'\n' || self.peek(1) == b'\r' {
                        self.out.needs_preprocessor = true;
                    }
                    self.at = (self.at + 2).min(self.bytes.len());
                    while !self.text.is_char_boundary(self.at) {
                        self.at += 1;
                    }
                }
                _ => {
                    self.at += 1;
                    break;
                }
            }
        }
        self.push(if quote == b'"' { Kind::String } else { Kind::Character }, start);
    }

    /// Skips a comment; false if there is none.
    fn comment(&mut self) -> bool {
        match self.peek(1) {
            b'/' => {
                let rest = &self.bytes[self.at..];
                let len = memchr(b'\n', rest).unwrap_or(rest.len());
                if rest[..len].ends_with(b"\\") || rest[..len].ends_with(b"\\\r") {
                    self.out.needs_preprocessor = true;
                }
                self.at += len;
                true
            }
            b'*' => {
                let rest = &self.bytes[self.at + 2..];
                self.at += 2 + memmem::find(rest, b"*/").map_or(rest.len(), |i| i + 2);
                true
            }
            _ => false,
        }
    }

    fn other(&mut self, byte: u8) {
        let start = self.at;
        if byte == b'\\' && matches!(self.peek(1), b'\n' | b'\r') {
            self.out.needs_preprocessor = true;
            self.at += 1;
            return;
        }
        if byte == b'\\' && matches!(self.peek(1), b'u' | b'U') {
            self.universal_word(start);
            if self.at > start {
                return;
            }
            self.out.tokens.pop();
        }
        self.at += 1;
        self.out.needs_preprocessor |= byte == b'#';
        self.push(Kind::Unknown, start);
    }

    fn punct(&mut self, byte: u8) {
        let start = self.at;
        let (second, third) = (self.peek(1), self.peek(2));
        let (kind, len) = match (byte, second) {
            (b'(', _) => (Kind::LeftParen, 1),
            (b')', _) => (Kind::RightParen, 1),
            (b'[', _) => (Kind::LeftBracket, 1),
            (b']', _) => (Kind::RightBracket, 1),
            (b'{', _) => (Kind::LeftBrace, 1),
            (b'}', _) => (Kind::RightBrace, 1),
            (b';', _) => (Kind::Semicolon, 1),
            (b',', _) => (Kind::Comma, 1),
            (b':', b'>') => (Kind::RightBracket, 2),
            (b':', _) => (Kind::Colon, 1),
            (b'?', b'?') => {
                self.out.needs_preprocessor = true;
                (Kind::Question, 1)
            }
            (b'?', _) => (Kind::Question, 1),
            (b'.', b'.') if third == b'.' => (Kind::Ellipsis, 3),
            (b'.', b'0'..=b'9') => return self.number(),
            (b'.', _) => (Kind::Dot, 1),
            (b'-', b'>') => (Kind::Arrow, 2),
            (b'-', b'-') | (b'+', b'+') => (Kind::Step, 2),
            (b'<', b':') => (Kind::LeftBracket, 2),
            (b'<', b'%') => (Kind::LeftBrace, 2),
            (b'%', b'>') => (Kind::RightBrace, 2),
            (b'<', b'<') | (b'>', b'>') if third == b'=' => (Kind::AssignOp, 3),
            (b'<', b'<') | (b'>', b'>') => (Kind::Shift, 2),
            (b'<' | b'>', b'=') => (Kind::Relation, 2),
            (b'<' | b'>', _) => (Kind::Relation, 1),
            (b'=' | b'!', b'=') => (Kind::Equality, 2),
            (b'=', _) => (Kind::Assign, 1),
            (b'&', b'&') => (Kind::AndAnd, 2),
            (b'|', b'|') => (Kind::OrOr, 2),
            (b'+' | b'-' | b'*' | b'/' | b'%' | b'&' | b'|' | b'^', b'=') => (Kind::AssignOp, 2),
            (b'+', _) => (Kind::Plus, 1),
            (b'-', _) => (Kind::Minus, 1),
            (b'*', _) => (Kind::Star, 1),
            (b'/' | b'%', _) => (Kind::Divide, 1),
            (b'&', _) => (Kind::And, 1),
            (b'|', _) => (Kind::Or, 1),
            (b'^', _) => (Kind::Xor, 1),
            (b'!', _) => (Kind::Not, 1),
            (b'~', _) => (Kind::Complement, 1),
            _ => (Kind::Unknown, 1),
        };
        self.at += len;
        self.push(kind, start);
    }

    /// A line that begins with `#`. Leaves the newline.
    fn directive(&mut self) {
        let start = self.at;
        let len = memchr(b'\n', &self.bytes[start..]).unwrap_or(self.bytes.len() - start);
        self.at = start + len;
        let line = self.text[start + 1..self.at].trim();
        if line.ends_with('\\') {
            self.out.needs_preprocessor = true;
        }
        if line.starts_with(|c: char| c.is_ascii_digit()) {
            self.line_marker(line);
        } else if let Some(rest) = line.strip_prefix("line").filter(|r| r.starts_with([' ', '\t'])) {
            self.line_marker(rest.trim_start());
        } else if let Some(rest) = line.strip_prefix("pragma") {
            self.out.directives.read(rest.trim_start(), start as u32, self.at as u32);
        } else if !line.is_empty() && !line.starts_with("ident") {
            self.out.needs_preprocessor = true;
        }
    }

    fn line_marker(&mut self, line: &'a str) {
        let digits = line.bytes().take_while(u8::is_ascii_digit).count();
        let Ok(number) = line[..digits].parse::<u32>() else { return };
        let rest = line[digits..].trim_start();
        let (mut file, mut system) = (self.out.markers.last().map_or(0, |m| m.file), false);
        if let Some(rest) = rest.strip_prefix('"') {
            let end = closing_quote(rest);
            file = self.file(&rest[..end]);
            system = rest.get(end + 1..).is_some_and(|flags| flags.split_whitespace().any(|f| f == "3"));
        }
        let offset = (self.at + 1).min(self.bytes.len()) as u32;
        self.out.markers.push(LineMarker { offset, file, line: number, system });
    }

    /// The index of a file that a marker names.
    fn file(&mut self, name: &'a str) -> u32 {
        if let Some(&index) = self.file_index.get(name) {
            return index;
        }
        let plain = if name.contains('\\') {
            name.replace("\\\\", "\\").replace("\\\"", "\"")
        } else {
            name.to_owned()
        };
        let path = PathBuf::from(plain);
        let index = match self.out.files.iter().position(|f| *f == path) {
            Some(index) => index,
            None => {
                self.out.files.push(path);
                self.out.files.len() - 1
            }
        } as u32;
        self.file_index.insert(name, index);
        index
    }
}

/// Where the quote that closes a file name is.
fn closing_quote(text: &str) -> usize {
    let bytes = text.as_bytes();
    let mut at = 0;
    while let Some(i) = memchr2(b'"', b'\\', &bytes[at..]) {
        if bytes[at + i] == b'"' {
            return at + i;
        }
        at = (at + i + 2).min(bytes.len());
    }
    bytes.len()
}

/// A name that compilers may predefine as a macro. Names that C reserves for them count, except families that are
/// functions everywhere and the usual attributes.
fn may_be_predefined(word: &[u8]) -> bool {
    const FUNCTIONS: [&[u8]; 4] = [b"__VERIFIER_", b"__builtin_", b"__sync_", b"__atomic_"];
    const ATTRIBUTES: [&[u8]; 16] = [
        b"noreturn",
        b"nothrow",
        b"leaf",
        b"pure",
        b"unused",
        b"used",
        b"packed",
        b"aligned",
        b"malloc",
        b"nonnull",
        b"format",
        b"printf",
        b"always_inline",
        b"noinline",
        b"gnu_inline",
        b"warn_unused_result",
    ];
    const SYSTEMS: [&[u8]; 8] = [b"linux", b"unix", b"i386", b"sun", b"arm", b"mips", b"sparc", b"PPC"];
    match word {
        [b'_', b'_', inner @ .., b'_', b'_'] if ATTRIBUTES.contains(&inner) => false,
        [b'_', b'_', ..] => !FUNCTIONS.iter().any(|f| word.starts_with(f)),
        [b'_', b'A'..=b'Z', ..] => true,
        // Old names of systems and processors, which GNU dialects still define on them.
        [b'l' | b'u' | b'i' | b's' | b'a' | b'm' | b'P', ..] => SYSTEMS.contains(&word),
        _ => word.starts_with(b"TARGET_"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Kind::*;

    fn kinds(text: &str) -> Vec<Kind> {
        scan(text, Path::new("t.c")).tokens.iter().map(|t| t.kind).collect()
    }

    #[test]
    fn tokens() {
        assert_eq!(kinds("int x = 0x1p-3f;"), [Int, Identifier, Assign, Number, Semicolon]);
        assert_eq!(
            kinds("a+++b->c...d>>=1"),
            [Identifier, Step, Plus, Identifier, Arrow, Identifier, Ellipsis, Identifier, AssignOp, Number]
        );
        assert_eq!(kinds("L\"a\\\"b\" 'c' u8\"\""), [String, Character, String]);
        assert_eq!(kinds("<: :> <% %>"), [LeftBracket, RightBracket, LeftBrace, RightBrace]);
        assert_eq!(kinds("a/*b*/c//d\ne"), [Identifier, Identifier, Identifier]);
        assert_eq!(kinds("\\u00e9 é$ .5 1.e+5"), [Identifier, Identifier, Number, Number]);
        assert_eq!(kinds("0xe+1"), [Number, Plus, Number]);
    }

    #[test]
    fn unfinished_tokens_end_with_the_line_or_text() {
        assert_eq!(kinds("\"abc\nx"), [String, Identifier]);
        assert_eq!(kinds("'"), [Character]);
        assert_eq!(kinds("\"\\"), [String]);
        assert_eq!(kinds("/* "), []);
        assert_eq!(kinds("\\ @ \u{1}"), [Unknown, Unknown, Unknown]);
    }

    #[test]
    fn line_markers_and_packs() {
        let text = "# 1 \"a.c\"\n# 7 \"b\\\"c.h\" 1 3 4\nint x;\n#pragma pack(push, 2)\n#line 9\nint y;\n\
                    #pragma pack(pop)\n";
        let scan = scan(text, Path::new("a.c"));
        assert_eq!(scan.files, [PathBuf::from("a.c"), PathBuf::from("b\"c.h")]);
        let markers: Vec<_> = scan.markers.iter().map(|m| (m.file, m.line, m.system)).collect();
        assert_eq!(markers, [(0, 1, false), (0, 1, false), (1, 7, true), (1, 9, false)]);
        assert_eq!(scan.directives.packs.iter().map(|p| p.1).collect::<Vec<_>>(), [Some(2), None]);
        assert!(!scan.needs_preprocessor);
    }

    #[test]
    fn what_a_preprocessor_would_change_is_noticed() {
        for text in
            ["#define X 1", "#include <a.h>", "int __LINE__;", "_Pragma", "linux", "a ??( b", "x\\\ny", "??/"]
        {
            assert!(scan(text, Path::new("t.c")).needs_preprocessor, "{text}");
        }
        for text in
            ["int x;", "__VERIFIER_error();", "__attribute__((__noreturn__)) f();", "#pragma once", "\"#a\""]
        {
            assert!(!scan(text, Path::new("t.c")).needs_preprocessor, "{text}");
        }
    }
}
