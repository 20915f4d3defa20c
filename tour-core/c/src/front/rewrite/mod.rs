//! Rewrites external declarations into the C that lang-c takes.
//!
//! A walk over the tokens in the shape of C's grammar writes the new text as it goes: it drops what means nothing to
//! us, spells what lang-c does not know with the reserved names of [`crate::front`], and cuts out what is too deep
//! ([`super::outline`]). It never fails: what it does not understand is copied, and lang-c says what is wrong.
//!
//! | file | what |
//! |---|---|
//! | `decl` | declarations, declarators, structures, initialisers |
//! | `expr` | expressions |
//! | `stmt` | statements |
//! | `attr` | attributes |
//! | `literal` | spellings of names, numbers and strings |
//! | `scope` | which names are types |

mod attr;
mod decl;
mod expr;
mod literal;
mod scope;
mod stmt;

pub use literal::respell;

use super::PieceId;
use super::outline::{EXPRESSION_LIMIT, Mark, NESTING_LIMIT, Out, PieceText, STATEMENT_LIMIT, TextKind};
use super::split::{Item, ItemKind, NO_PARTNER};
use super::token::{Kind, Token};
use index_vec::IndexVec;
use scope::TypeNames;

/// Rewrites the items of one unit.
pub struct Rewriter<'a> {
    text: &'a str,
    tokens: &'a [Token],
    partners: &'a [u32],
    /// The next token.
    at: usize,
    /// One past the last token of the item.
    end: usize,
    out: Out<'a>,
    names: TypeNames<'a>,
    /// The texts made so far.
    pieces: IndexVec<PieceId, PieceText<'a>>,
    nesting: u32,
    in_statement_expression: bool,
    /// The first token that was nested too deep.
    too_deep: Option<u32>,
    /// `L"…"` has elements of 16 bits, as `u"…"` has.
    short_wchar: bool,
    /// What was left out of the texts although it changes the meaning: from, to, and why.
    pub unmodelled: Vec<(u32, u32, String)>,
    /// Attributes that we do not know: from, to, name.
    pub unknown: Vec<(u32, u32, &'a str)>,
}

impl<'a> Rewriter<'a> {
    /// A rewriter for the tokens of a unit.
    pub fn new(text: &'a str, tokens: &'a [Token], partners: &'a [u32], short_wchar: bool) -> Rewriter<'a> {
        Rewriter {
            text,
            tokens,
            partners,
            at: 0,
            end: 0,
            out: Out::default(),
            names: TypeNames::default(),
            pieces: IndexVec::new(),
            nesting: 0,
            in_statement_expression: false,
            too_deep: None,
            short_wchar,
            unmodelled: Vec::new(),
            unknown: Vec::new(),
        }
    }

    /// Rewrites an item; items have to come in the order of the text. `Err` is the offset of what nests too deep.
    pub fn item(&mut self, item: &Item) -> Result<Option<PieceId>, u32> {
        self.at = item.tokens.start as usize;
        self.end = item.tokens.end as usize;
        match item.kind {
            // It names or defines symbols of the linker, which C does not see.
            ItemKind::Asm => return Ok(None),
            ItemKind::StaticAssert => {
                self.skip(Kind::Extension);
                self.static_assert();
            }
            ItemKind::Function | ItemKind::Declaration => self.external_declaration(),
        }
        // What is left is wrong; lang-c says so.
        while self.at < self.end {
            self.emit();
        }
        let piece = self.out.finish();
        if let Some(offset) = self.too_deep.take() {
            return Err(offset);
        }
        if piece.text.is_empty() {
            return Ok(None);
        }
        Ok(Some(self.pieces.push(piece)))
    }

    /// Notes something that changes the meaning and has no place in the tree, at the next token.
    fn cannot_write(&mut self, message: &str) {
        let start = self.offset();
        self.unmodelled.push((start, start + 1, message.to_owned()));
    }

    /// The texts made.
    pub fn into_pieces(self) -> IndexVec<PieceId, PieceText<'a>> {
        self.pieces
    }

    fn kind(&self) -> Kind {
        self.kind_at(self.at)
    }

    fn kind_at(&self, at: usize) -> Kind {
        if at < self.end { self.tokens[at].kind } else { Kind::Eof }
    }

    fn text_at(&self, at: usize) -> &'a str {
        self.tokens.get(at).map_or("", |t| t.text(self.text))
    }

    /// The offset of the next token.
    fn offset(&self) -> u32 {
        self.tokens.get(self.at).or(self.tokens.last()).map_or(0, |t| t.start)
    }

    /// The closing bracket of the bracket at `at`; the end of the item if there is none.
    fn close(&self, at: usize) -> usize {
        match self.partners.get(at) {
            Some(&p) if p != NO_PARTNER => p as usize,
            _ => self.end,
        }
    }

    /// Drops tokens of a kind.
    fn skip(&mut self, kind: Kind) {
        while self.kind() == kind {
            self.at += 1;
        }
    }

    /// Writes the next token.
    fn emit(&mut self) {
        let Some(token) = self.tokens.get(self.at).filter(|_| self.at < self.end) else { return };
        self.at += 1;
        let source = token.text(self.text);
        if let Some(spelling) = token.kind.spelling() {
            return self.out.token(spelling, token.start, token.end);
        }
        let respelled = literal::respell(token.kind, source);
        let spelling = respelled.as_deref().unwrap_or(source);
        let wide = matches!(token.kind, Kind::String | Kind::Character) && spelling.starts_with('L');
        if self.short_wchar && wide {
            return self.out.token(&format!("u{}", &spelling[1..]), token.start, token.end);
        }
        self.out.token(spelling, token.start, token.end);
    }

    /// Writes the next token if it is of this kind.
    fn accept(&mut self, kind: Kind) -> bool {
        let found = self.kind() == kind;
        if found {
            self.emit();
        }
        found
    }

    /// Writes tokens up to (not including) `end`.
    fn copy_to(&mut self, end: usize) {
        while self.at < end.min(self.end) {
            self.emit();
        }
    }

    /// Writes text of our own.
    fn own(&mut self, text: &str) {
        self.out.own(text, self.offset());
    }

    /// Cuts out what was written since the mark if it is too high; returns the height of what stands there now.
    fn limit_expression(&mut self, mark: Mark, height: u32) -> u32 {
        if height <= EXPRESSION_LIMIT { height } else { self.cut(mark, TextKind::Expression) }
    }

    fn limit_statement(&mut self, mark: Mark, height: u32) -> u32 {
        if height <= STATEMENT_LIMIT { height } else { self.cut(mark, TextKind::Statement) }
    }

    fn cut(&mut self, mark: Mark, kind: TextKind) -> u32 {
        if !self.out.is_empty_since(mark) {
            self.out.cut(mark, kind, &mut self.pieces);
        }
        0
    }

    /// Runs `f` one level deeper in what cannot be cut; skips to `end` when that gets too deep.
    fn nest(&mut self, end: usize, f: impl FnOnce(&mut Self)) {
        if self.nesting >= NESTING_LIMIT {
            let offset = self.offset();
            self.too_deep.get_or_insert(offset);
            self.at = end.min(self.end).max(self.at);
            return;
        }
        self.nesting += 1;
        stacker::maybe_grow(64 << 10, 1 << 20, || f(self));
        self.nesting -= 1;
    }

    /// A type name can begin at `at`.
    fn starts_type(&self, at: usize) -> bool {
        match self.kind_at(at) {
            Kind::Identifier => self.names.is_type(self.text_at(at)),
            Kind::Extension => self.starts_type(at + 1),
            kind => kind.starts_type(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::front::{scan::scan, split::split};
    use std::path::Path;

    /// The texts for lang-c that items become.
    fn check(text: &str, expect: &[&str]) {
        let tokens = scan(text, Path::new("t.i")).tokens;
        let split = split(text, &tokens).unwrap();
        let mut rewriter = Rewriter::new(text, &tokens, &split.partners, false);
        for item in &split.items {
            rewriter.item(item).unwrap();
        }
        let texts: Vec<String> = rewriter.into_pieces().into_iter().map(|p| p.text).collect();
        assert_eq!(texts, expect);
    }

    /// The same within a function.
    fn check_statement(statement: &str, expect: &str) {
        check(&format!("void f(void) {{ {statement} }}"), &[&format!("void f(void) {{ {expect} }}")]);
    }

    #[test]
    fn plain_c_stays() {
        check("int x = 1, *p[3];", &["int x = 1, *p[3];"]);
        check_statement(
            "for (int i = 0; i < 3; i++) x += a[i]->b;",
            "for (int i = 0; i < 3; i++) x += a[i]->b;",
        );
        check_statement("/* c */ a = b; // d\n", "a = b;");
    }

    #[test]
    fn types() {
        check(
            "unsigned __int128 a; __int128 unsigned b; __int128 c;",
            &["__tour_uint128 a;", "__tour_uint128 b;", "__tour_int128 c;"],
        );
        check("static x; f(a) { }", &["static int x;", "int f(a) { }"]);
        check(
            "typedef int T; typeof(T *) x; typeof(x) y;",
            &["typedef int T;", "__typeof( __attribute__(()) T *) x;", "__typeof(x) y;"],
        );
        check("struct s { ; int a; ; }; struct { int b };", &["struct s { int a; };", "struct { int b ; };"]);
    }

    #[test]
    fn attributes() {
        check(
            "struct __attribute__((packed)) s { int x __attribute__ ((__aligned__ (8), unused)); };",
            &["struct s { int x __attribute__((aligned (8) )) ; } __attribute__((packed )) ;"],
        );
        check(
            "void f(void) __attribute__((noreturn, cold)) __asm__(\"g\");",
            &["void f(void) __asm__(\"g\") __attribute__((noreturn )) ;"],
        );
        check(
            "[[noreturn]] void f(void); _Alignas(16) int x; _Alignas(double) int y;",
            &[
                "__attribute__((noreturn )) void f(void);",
                "__attribute__((aligned (16) )) int x;",
                "__attribute__((aligned(_Alignof (double) ))) int y;",
            ],
        );
        check_statement(
            "switch (x) { case 1: __attribute__((fallthrough)); l: __attribute__((unused)) x++; }",
            "switch (x) { case 1: ; l: x++; }",
        );
    }

    #[test]
    fn expressions() {
        check_statement("x = a ?: b;", "x = a ? __tour_same : b;");
        check_statement(
            "p = &&l; goto *p; l: ;",
            "p = __tour_label_address( l ) ; __tour_computed_goto( p ) ; l: ;",
        );
        check_statement("n = __alignof__ x + _Alignof(int);", "n = __tour_alignof( x ) + _Alignof(int);");
        check_statement("n = sizeof (struct s){1};", "n = sizeof ( (struct s){1} ) ;");
        check_statement(
            "g((struct s){}); int a[2] = {};",
            "g((struct s){ __tour_empty }); int a[2] = { __tour_empty };",
        );
        check_statement(
            "n = __builtin_types_compatible_p(int *, long);",
            "n = __tour_types_compatible ( sizeof( int * ) , sizeof( long ) );",
        );
        check_statement("c = __real__ z;", "c = __tour_real( z ) ;");
    }

    #[test]
    fn statements() {
        check_statement("if (x) { l: }", "if (x) { l: ; }");
        check_statement("l: int x;", "l: ; int x;");
        check_statement("__label__ a, b; a: b: ;", "__tour_local_label( a, b ) ; a: b: ;");
        check_statement(
            "asm goto (\"\" : : : : l); asm volatile inline (\"x\" : \"=r\" (y));",
            "__tour_unsupported(\"asm-goto\", \"assembler that may jump to labels\"); \
             __asm__ volatile (\"x\" : \"=r\" (y));",
        );
        check_statement(
            "int g(int a) { return a; } g(1);",
            "int g(int a) ; __tour_unsupported(\"nested-function\", \"a function within a function\"); g(1);",
        );
        check_statement("_Static_assert(1);", "_Static_assert(1 , \"\" );");
    }

    /// lang-c forgets parameters; a body that depends on them is a piece of its own.
    #[test]
    fn parameters_that_hide_types() {
        check(
            "typedef int T; int f(int T) { return (T) - 1; }",
            &["typedef int T;", "{ return (T) - 1; }", "int f(int T) { __tour_piece_1; }"],
        );
    }
}
