//! Tokens of preprocessed C: kinds, keywords, and the table that tells keywords from identifiers.

use std::sync::LazyLock;

/// A token: what it is and which bytes of the text it covers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Token {
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
    /// What it is.
    pub kind: Kind,
}

impl Token {
    /// The text of the token.
    pub fn text<'a>(&self, text: &'a str) -> &'a str {
        text.get(self.start as usize..self.end as usize).unwrap_or("")
    }
}

/// What a token is. Spellings with the same meaning (`const`, `__const`, `__const__`) share a kind.
#[repr(u8)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[expect(missing_docs)]
pub enum Kind {
    /// The end of the text; never stored.
    Eof,
    /// A byte that starts no token of C.
    Unknown,
    Identifier,
    Number,
    String,
    Character,

    LeftParen,
    RightParen,
    LeftBracket,
    RightBracket,
    LeftBrace,
    RightBrace,
    Semicolon,
    Comma,
    Colon,
    Question,
    Dot,
    Arrow,
    Ellipsis,
    Assign,
    /// `+=` and its like.
    AssignOp,
    OrOr,
    AndAnd,
    Or,
    Xor,
    And,
    /// `==`, `!=`.
    Equality,
    /// `<`, `>`, `<=`, `>=`.
    Relation,
    /// `<<`, `>>`.
    Shift,
    Plus,
    Minus,
    Star,
    /// `/`, `%`.
    Divide,
    /// `++`, `--`.
    Step,
    Not,
    Complement,

    Typedef,
    Extern,
    Static,
    Auto,
    Register,
    ThreadLocal,
    Const,
    Volatile,
    Restrict,
    Atomic,
    /// `_Nonnull` and its like.
    Nullability,
    Inline,
    Noreturn,
    Alignas,
    Void,
    Char,
    Short,
    Int,
    Long,
    Float,
    Double,
    Signed,
    Unsigned,
    Bool,
    Complex,
    /// `_Float64`, `_Decimal32` and their like.
    FloatN,
    Int128,
    Float128,
    Float80,
    AutoType,
    Struct,
    Union,
    Enum,
    Typeof,
    Attribute,
    Extension,

    Asm,
    StaticAssert,
    LocalLabel,
    Sizeof,
    Alignof,
    Generic,
    Real,
    Imag,
    VaArg,
    OffsetOf,
    TypesCompatible,
    ConvertVector,
    /// `__func__` and its like.
    FunctionName,

    If,
    Else,
    While,
    Do,
    For,
    Switch,
    Case,
    Default,
    Break,
    Continue,
    Return,
    Goto,
}

impl Kind {
    /// A keyword that can stand in declaration specifiers.
    pub fn is_specifier(self) -> bool {
        (Kind::Typedef..=Kind::Extension).contains(&self)
    }

    /// A keyword that a type name can begin with.
    pub fn starts_type(self) -> bool {
        (Kind::Const..=Kind::Nullability).contains(&self) || (Kind::Void..=Kind::Attribute).contains(&self)
    }

    /// A keyword that names a type, or begins a type specifier.
    pub fn is_type_specifier(self) -> bool {
        (Kind::Void..=Kind::Typeof).contains(&self)
    }

    /// A keyword.
    pub fn is_keyword(self) -> bool {
        self >= Kind::Typedef
    }

    /// The spelling that lang-c takes, where it is not that of every text.
    pub fn spelling(self) -> Option<&'static str> {
        Some(match self {
            Kind::LeftBracket => "[",
            Kind::RightBracket => "]",
            Kind::LeftBrace => "{",
            Kind::RightBrace => "}",
            Kind::ThreadLocal => "_Thread_local",
            Kind::Const => "const",
            Kind::Volatile => "volatile",
            Kind::Restrict => "restrict",
            Kind::Inline => "inline",
            Kind::Signed => "signed",
            Kind::Complex => "_Complex",
            Kind::Bool => "_Bool",
            Kind::Float80 => "long double",
            Kind::Float128 => "__tour_float128",
            Kind::AutoType => "__tour_auto",
            Kind::Typeof => "__typeof",
            Kind::Attribute => "__attribute__",
            Kind::Asm => "__asm__",
            Kind::StaticAssert => "_Static_assert",
            Kind::Alignof => "_Alignof",
            _ => return None,
        })
    }
}

/// Every spelling of every keyword.
const KEYWORDS: &[(&str, Kind)] = &[
    ("typedef", Kind::Typedef),
    ("extern", Kind::Extern),
    ("static", Kind::Static),
    ("auto", Kind::Auto),
    ("register", Kind::Register),
    ("_Thread_local", Kind::ThreadLocal),
    ("__thread", Kind::ThreadLocal),
    ("const", Kind::Const),
    ("__const", Kind::Const),
    ("__const__", Kind::Const),
    ("volatile", Kind::Volatile),
    ("__volatile", Kind::Volatile),
    ("__volatile__", Kind::Volatile),
    ("restrict", Kind::Restrict),
    ("__restrict", Kind::Restrict),
    ("__restrict__", Kind::Restrict),
    ("_Atomic", Kind::Atomic),
    ("_Nonnull", Kind::Nullability),
    ("_Nullable", Kind::Nullability),
    ("_Null_unspecified", Kind::Nullability),
    ("inline", Kind::Inline),
    ("__inline", Kind::Inline),
    ("__inline__", Kind::Inline),
    ("_Noreturn", Kind::Noreturn),
    ("_Alignas", Kind::Alignas),
    ("void", Kind::Void),
    ("char", Kind::Char),
    ("short", Kind::Short),
    ("int", Kind::Int),
    ("long", Kind::Long),
    ("float", Kind::Float),
    ("double", Kind::Double),
    ("signed", Kind::Signed),
    ("__signed", Kind::Signed),
    ("__signed__", Kind::Signed),
    ("unsigned", Kind::Unsigned),
    ("_Bool", Kind::Bool),
    ("_Complex", Kind::Complex),
    ("__complex", Kind::Complex),
    ("__complex__", Kind::Complex),
    ("_Float16", Kind::FloatN),
    ("_Float32", Kind::FloatN),
    ("_Float32x", Kind::FloatN),
    ("_Float64", Kind::FloatN),
    ("_Float64x", Kind::FloatN),
    ("_Float128", Kind::FloatN),
    ("_Decimal32", Kind::FloatN),
    ("_Decimal64", Kind::FloatN),
    ("_Decimal128", Kind::FloatN),
    ("__int128", Kind::Int128),
    ("__int128__", Kind::Int128),
    ("__float128", Kind::Float128),
    ("__float80", Kind::Float80),
    ("__auto_type", Kind::AutoType),
    ("struct", Kind::Struct),
    ("union", Kind::Union),
    ("enum", Kind::Enum),
    ("typeof", Kind::Typeof),
    ("__typeof", Kind::Typeof),
    ("__typeof__", Kind::Typeof),
    ("__attribute", Kind::Attribute),
    ("__attribute__", Kind::Attribute),
    ("__extension__", Kind::Extension),
    ("asm", Kind::Asm),
    ("__asm", Kind::Asm),
    ("__asm__", Kind::Asm),
    ("_Static_assert", Kind::StaticAssert),
    ("__label__", Kind::LocalLabel),
    ("sizeof", Kind::Sizeof),
    ("_Alignof", Kind::Alignof),
    ("__alignof", Kind::Alignof),
    ("__alignof__", Kind::Alignof),
    ("_Generic", Kind::Generic),
    ("__real", Kind::Real),
    ("__real__", Kind::Real),
    ("__imag", Kind::Imag),
    ("__imag__", Kind::Imag),
    ("__builtin_va_arg", Kind::VaArg),
    ("__builtin_offsetof", Kind::OffsetOf),
    ("__builtin_types_compatible_p", Kind::TypesCompatible),
    ("__builtin_convertvector", Kind::ConvertVector),
    ("__func__", Kind::FunctionName),
    ("__FUNCTION__", Kind::FunctionName),
    ("__PRETTY_FUNCTION__", Kind::FunctionName),
    ("if", Kind::If),
    ("else", Kind::Else),
    ("while", Kind::While),
    ("do", Kind::Do),
    ("for", Kind::For),
    ("switch", Kind::Switch),
    ("case", Kind::Case),
    ("default", Kind::Default),
    ("break", Kind::Break),
    ("continue", Kind::Continue),
    ("return", Kind::Return),
    ("goto", Kind::Goto),
];

const SLOTS: usize = 1024;

/// Open addressing over [`KEYWORDS`]: index + 1, 0 for an empty slot.
static TABLE: LazyLock<[u8; SLOTS]> = LazyLock::new(|| {
    let mut table = [0; SLOTS];
    for (i, (word, _)) in KEYWORDS.iter().enumerate() {
        let mut slot = slot_of(word.as_bytes());
        while table[slot] != 0 {
            slot = (slot + 1) % SLOTS;
        }
        table[slot] = i as u8 + 1;
    }
    table
});

fn slot_of(word: &[u8]) -> usize {
    let (len, at) = (word.len(), |i: usize| word[i] as usize);
    (len * 131 + at(0) * 7 + at(len / 2) * 31 + at(len - 1) * 3) % SLOTS
}

/// Tells keywords from identifiers.
#[derive(Clone, Copy)]
pub struct Keywords(&'static [u8; SLOTS]);

impl Keywords {
    /// The table.
    pub fn get() -> Keywords {
        Keywords(&TABLE)
    }

    /// The kind of a word (which is not empty).
    #[inline]
    pub fn kind(self, word: &[u8]) -> Kind {
        // All keywords begin with a small letter or an underscore.
        if !matches!(word[0], b'_' | b'a'..=b'w') {
            return Kind::Identifier;
        }
        let mut slot = slot_of(word);
        loop {
            match self.0[slot] {
                0 => return Kind::Identifier,
                i => {
                    let (text, kind) = KEYWORDS[i as usize - 1];
                    if text.as_bytes() == word {
                        return kind;
                    }
                }
            }
            slot = (slot + 1) % SLOTS;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_keyword_is_found_and_names_are_not() {
        for (word, kind) in KEYWORDS {
            assert_eq!(Keywords::get().kind(word.as_bytes()), *kind);
        }
        for name in ["x", "iff", "_", "__construct", "int8_t", "Return"] {
            assert_eq!(Keywords::get().kind(name.as_bytes()), Kind::Identifier);
        }
    }

    #[test]
    fn a_token_is_small() {
        assert_eq!(size_of::<Token>(), 12);
    }
}
