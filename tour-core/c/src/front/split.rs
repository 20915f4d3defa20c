//! Splits the tokens of a unit into external declarations and finds the names that each one declares.
//!
//! This is not a parser: it matches brackets, tells specifiers from declarators, and looks at nothing else. What it
//! does not understand stays in the item, and lang-c says what is wrong with it if the item is needed.

use super::token::{Kind, Token};
use rustc_hash::FxHashSet;
use std::ops::Range;

/// No partner: the token is no bracket.
pub const NO_PARTNER: u32 = u32::MAX;

/// What an external declaration is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ItemKind {
    /// A function with its body.
    Function,
    /// Any other declaration.
    Declaration,
    /// `_Static_assert`.
    StaticAssert,
    /// Assembler text between functions.
    Asm,
}

/// What a name is declared as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// A function.
    Function,
    /// A variable.
    Variable,
    /// A typedef name.
    Typedef,
    /// The tag of a structure, union or enumeration.
    Tag,
    /// An enumeration constant.
    Enumerator,
}

/// A name that an item declares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Name {
    /// The token.
    pub token: u32,
    /// What it is declared as.
    pub role: Role,
}

/// An external declaration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Item {
    /// Its tokens.
    pub tokens: Range<u32>,
    /// What it is.
    pub kind: ItemKind,
    /// Its names, as a range of [`Split::names`].
    pub names: Range<u32>,
    /// It says `static`.
    pub is_static: bool,
    /// It says `extern`.
    pub is_extern: bool,
}

/// The external declarations of a unit.
#[derive(Debug, Default)]
pub struct Split {
    /// The items in the order of the text.
    pub items: Vec<Item>,
    /// The names of all items.
    pub names: Vec<Name>,
    /// The other bracket of each bracket; [`NO_PARTNER`] for other tokens.
    pub partners: Vec<u32>,
}

impl Split {
    /// The names that an item declares.
    pub fn names_of(&self, item: &Item) -> &[Name] {
        &self.names[item.names.start as usize..item.names.end as usize]
    }
}

/// Brackets that do not match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unbalanced {
    /// The innermost open bracket, if there is one.
    pub open: Option<u32>,
    /// The closing bracket that does not fit; `None` at the end of the text.
    pub close: Option<u32>,
}

/// Matches all brackets.
pub fn partners(tokens: &[Token]) -> Result<Vec<u32>, Unbalanced> {
    let mut partners = vec![NO_PARTNER; tokens.len()];
    let mut open: Vec<u32> = Vec::new();
    for (i, token) in tokens.iter().enumerate() {
        let expected = match token.kind {
            Kind::LeftParen | Kind::LeftBracket | Kind::LeftBrace => {
                open.push(i as u32);
                continue;
            }
            Kind::RightParen => Kind::LeftParen,
            Kind::RightBracket => Kind::LeftBracket,
            Kind::RightBrace => Kind::LeftBrace,
            _ => continue,
        };
        match open.pop() {
            Some(j) if tokens[j as usize].kind == expected => {
                partners[i] = j;
                partners[j as usize] = i as u32;
            }
            other => return Err(Unbalanced { open: other, close: Some(i as u32) }),
        }
    }
    match open.pop() {
        Some(j) => Err(Unbalanced { open: Some(j), close: None }),
        None => Ok(partners),
    }
}

/// Splits the tokens of a text.
pub fn split(text: &str, tokens: &[Token]) -> Result<Split, Unbalanced> {
    let partners = partners(tokens)?;
    let mut splitter = Splitter {
        text,
        tokens,
        partners: &partners,
        at: 0,
        names: Vec::new(),
        typedefs: FxHashSet::default(),
    };
    let mut items = Vec::new();
    while splitter.at < tokens.len() {
        items.extend(splitter.item());
    }
    let names = splitter.names;
    Ok(Split { items, names, partners })
}

struct Splitter<'a> {
    text: &'a str,
    tokens: &'a [Token],
    partners: &'a [u32],
    at: usize,
    names: Vec<Name>,
    typedefs: FxHashSet<&'a str>,
}

/// What the specifiers of a declaration say.
#[derive(Default)]
struct Specifiers {
    is_typedef: bool,
    is_static: bool,
    is_extern: bool,
}

impl<'a> Splitter<'a> {
    fn kind(&self, at: usize) -> Kind {
        self.tokens.get(at).map_or(Kind::Eof, |t| t.kind)
    }

    /// The token after `at`, or after the group that opens there.
    fn after(&self, at: usize) -> usize {
        match self.partners.get(at) {
            Some(&partner) if partner != NO_PARTNER && partner as usize > at => partner as usize + 1,
            _ => at + 1,
        }
    }

    fn item(&mut self) -> Option<Item> {
        let first = self.at;
        let names = self.names.len() as u32;
        while self.kind(self.at) == Kind::Extension {
            self.at += 1;
        }
        let mut specifiers = Specifiers::default();
        let kind = match self.kind(self.at) {
            Kind::Semicolon => {
                self.at += 1;
                return None;
            }
            Kind::Asm => {
                self.skip_past_semicolon();
                ItemKind::Asm
            }
            Kind::StaticAssert => {
                self.skip_past_semicolon();
                ItemKind::StaticAssert
            }
            _ => {
                specifiers = self.specifiers();
                self.declarators(&specifiers)
            }
        };
        // Always onwards, whatever the text is.
        self.at = self.at.max(first + 1);
        Some(Item {
            tokens: first as u32..self.at.min(self.tokens.len()) as u32,
            kind,
            names: names..self.names.len() as u32,
            is_static: specifiers.is_static,
            is_extern: specifiers.is_extern,
        })
    }

    /// Goes behind the next semicolon that is in no bracket.
    fn skip_past_semicolon(&mut self) {
        while self.at < self.tokens.len() {
            if self.kind(self.at) == Kind::Semicolon {
                self.at += 1;
                return;
            }
            self.at = self.after(self.at);
        }
    }

    fn specifiers(&mut self) -> Specifiers {
        let mut found = Specifiers::default();
        let mut has_type = false;
        loop {
            let kind = self.kind(self.at);
            match kind {
                Kind::Typedef => found.is_typedef = true,
                Kind::Static => found.is_static = true,
                Kind::Extern => found.is_extern = true,
                Kind::Struct | Kind::Union | Kind::Enum => {
                    has_type = true;
                    self.tag(kind);
                    continue;
                }
                Kind::Attribute | Kind::Alignas | Kind::Typeof | Kind::Atomic => {
                    let group = self.kind(self.at + 1) == Kind::LeftParen;
                    has_type |= kind == Kind::Typeof || (kind == Kind::Atomic && group);
                    self.at += 1;
                    if group {
                        self.at = self.after(self.at);
                    }
                    continue;
                }
                // `[[noreturn]]`.
                Kind::LeftBracket => {
                    self.at = self.after(self.at);
                    continue;
                }
                Kind::Identifier if !has_type && self.is_type_name() => has_type = true,
                _ if kind.is_specifier() => has_type |= kind.is_type_specifier(),
                _ => return found,
            }
            self.at += 1;
        }
    }

    /// Whether the name at the cursor, with no type before it, is the type of the declaration.
    fn is_type_name(&self) -> bool {
        let next = self.kind(self.at + 1);
        next == Kind::Identifier
            || next == Kind::Star
            || next.is_specifier() && next != Kind::Attribute
            || self.typedefs.contains(self.tokens[self.at].text(self.text))
            // Variables without any type are rarer than types that we have not seen.
            || next == Kind::LeftParen && self.kind(self.at + 2) == Kind::Star
    }

    /// `struct tag { … }` and its like, with the names that it declares.
    fn tag(&mut self, kind: Kind) {
        self.at += 1;
        let mut name = None;
        loop {
            match self.kind(self.at) {
                Kind::Attribute => {
                    self.at += 1;
                    if self.kind(self.at) == Kind::LeftParen {
                        self.at = self.after(self.at);
                    }
                }
                Kind::LeftBracket => self.at = self.after(self.at),
                Kind::Identifier if name.is_none() => {
                    name = Some(self.at as u32);
                    self.at += 1;
                }
                _ => break,
            }
        }
        // `enum e : type { … }`
        if kind == Kind::Enum && self.kind(self.at) == Kind::Colon {
            while !matches!(self.kind(self.at), Kind::LeftBrace | Kind::Semicolon | Kind::Eof) {
                self.at = self.after(self.at);
            }
        }
        let body = self.kind(self.at) == Kind::LeftBrace;
        if let Some(token) = name
            && (body || self.kind(self.at) == Kind::Semicolon)
        {
            self.names.push(Name { token, role: Role::Tag });
        }
        if body {
            let (open, end) = (self.at, self.after(self.at));
            if kind == Kind::Enum {
                self.enumerators(open, end)
            } else {
                self.members(open, end)
            }
            self.at = end;
        }
    }

    fn enumerators(&mut self, open: usize, end: usize) {
        let mut at = open + 1;
        let mut expect_name = true;
        while at < end {
            match self.kind(at) {
                Kind::Identifier if expect_name => {
                    self.names.push(Name { token: at as u32, role: Role::Enumerator });
                    expect_name = false;
                }
                Kind::Comma => expect_name = true,
                _ => {}
            }
            at = self.after(at);
        }
    }

    /// The body behind the `: type` of an enumeration; the colon itself where it is that of a bit-field.
    fn enum_body(&self, colon: usize) -> usize {
        let mut at = colon;
        loop {
            match self.kind(at) {
                Kind::LeftBrace => return at,
                Kind::Semicolon | Kind::Eof | Kind::Comma | Kind::RightBrace => return colon,
                _ => at = self.after(at),
            }
        }
    }

    /// Tags and enumerators that are declared within a structure belong to the file.
    fn members(&mut self, open: usize, end: usize) {
        let mut at = open + 1;
        while at < end {
            let kind = self.kind(at);
            let mut next = at + 1;
            if matches!(kind, Kind::Struct | Kind::Union | Kind::Enum) {
                while self.kind(next) == Kind::Attribute {
                    next = self.after(next + 1);
                }
                let name = next;
                let named = self.kind(next) == Kind::Identifier;
                next += usize::from(named);
                if kind == Kind::Enum && self.kind(next) == Kind::Colon {
                    next = self.enum_body(next);
                }
                if self.kind(next) == Kind::LeftBrace {
                    if named {
                        self.names.push(Name { token: name as u32, role: Role::Tag });
                    }
                    if kind == Kind::Enum {
                        self.enumerators(next, self.after(next));
                    }
                    next += 1;
                }
            }
            at = next;
        }
    }

    /// The declarators up to the end of the item, and the body if it is a function.
    fn declarators(&mut self, specifiers: &Specifiers) -> ItemKind {
        let mut expect_name = true;
        // Behind `f(a, b)`, where the parameters' declarations of an old-style definition can stand.
        let mut behind_parameters = false;
        let mut old_style = false;
        let mut in_initialiser = false;
        while self.at < self.tokens.len() {
            let kind = self.kind(self.at);
            match kind {
                Kind::Semicolon if !old_style => {
                    self.at += 1;
                    return ItemKind::Declaration;
                }
                Kind::LeftBrace => {
                    self.at = self.after(self.at);
                    if !in_initialiser && !old_style_tag(self, old_style) {
                        return ItemKind::Function;
                    }
                    continue;
                }
                Kind::Attribute | Kind::Asm => {
                    self.at += 1;
                    while matches!(self.kind(self.at), Kind::Volatile) {
                        self.at += 1;
                    }
                    if self.kind(self.at) == Kind::LeftParen {
                        self.at = self.after(self.at);
                    }
                    continue;
                }
                Kind::Comma if !old_style => {
                    expect_name = true;
                    in_initialiser = false;
                }
                Kind::Assign => {
                    behind_parameters = false;
                    in_initialiser = true;
                }
                Kind::Identifier if expect_name => {
                    self.declare(self.at, specifiers);
                    expect_name = false;
                    if self.kind(self.at + 1) == Kind::LeftParen {
                        self.at = self.after(self.at + 1);
                        behind_parameters = true;
                        continue;
                    }
                }
                Kind::LeftParen if expect_name => {
                    behind_parameters = self.parenthesised(specifiers);
                    expect_name = false;
                    continue;
                }
                _ if behind_parameters && (kind == Kind::Identifier || kind.is_specifier()) => {
                    old_style = true
                }
                _ => {}
            }
            self.at = self.after(self.at);
        }
        ItemKind::Declaration
    }

    /// A declarator in parentheses such as `(*name)(…)`; true if what follows may be an old-style definition.
    fn parenthesised(&mut self, specifiers: &Specifiers) -> bool {
        let end = self.after(self.at);
        let mut at = self.at + 1;
        let mut is_function = false;
        while at < end {
            match self.kind(at) {
                Kind::Attribute => at = self.after(at + 1),
                Kind::Identifier => {
                    self.declare(at, specifiers);
                    is_function = self.kind(at + 1) == Kind::LeftParen;
                    break;
                }
                _ => at += 1,
            }
        }
        self.at = end;
        // `(name)(a)` and `(*name(a))(…)` are functions, `(*name)(…)` is a pointer.
        let plain = at + 2 == end && self.kind(at.wrapping_sub(1)) == Kind::LeftParen;
        if plain && self.kind(end) == Kind::LeftParen {
            if let Some(name) = self.names.last_mut()
                && name.role == Role::Variable
            {
                name.role = Role::Function;
            }
            is_function = true;
        }
        while matches!(self.kind(self.at), Kind::LeftParen | Kind::LeftBracket) {
            self.at = self.after(self.at);
        }
        is_function
    }

    fn declare(&mut self, at: usize, specifiers: &Specifiers) {
        let role = if specifiers.is_typedef {
            self.typedefs.insert(self.tokens[at].text(self.text));
            Role::Typedef
        } else if self.kind(at + 1) == Kind::LeftParen {
            Role::Function
        } else {
            Role::Variable
        };
        self.names.push(Name { token: at as u32, role });
    }
}

/// In the parameters' declarations of an old-style definition, the brace that was just passed closes a structure if
/// no semicolon stands before it.
fn old_style_tag(splitter: &Splitter, old_style: bool) -> bool {
    if !old_style {
        return false;
    }
    let close = splitter.at - 1;
    let open = splitter.partners[close] as usize;
    !matches!(splitter.kind(open.wrapping_sub(1)), Kind::Semicolon)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::front::scan::scan;
    use expect_test::{Expect, expect};
    use std::fmt::Write;
    use std::path::Path;

    fn check(text: &str, expect: Expect) {
        let tokens = scan(text, Path::new("t.c")).tokens;
        let mut out = String::new();
        match split(text, &tokens) {
            Ok(split) => {
                for item in &split.items {
                    let names: Vec<String> = split
                        .names_of(item)
                        .iter()
                        .map(|n| format!("{:?} {}", n.role, tokens[n.token as usize].text(text)))
                        .collect();
                    let storage = if item.is_static { "static " } else { "" };
                    writeln!(out, "{storage}{:?} [{}]", item.kind, names.join(", ")).unwrap();
                }
            }
            Err(e) => writeln!(out, "{e:?}").unwrap(),
        }
        expect.assert_eq(&out);
    }

    #[test]
    fn declarations_and_their_names() {
        check(
            "typedef unsigned long size_t; size_t n, *p = &n, a[3] = {1,2,3};
             struct s { int x; enum e { A, B = 2, C } e; struct t { int y; } t; } v;
             int (*fp)(int), (*(*g)(void))[3]; static inline int f(int x) { return x; } ;
             struct fwd; extern int puts(const char *) __attribute__((x)); asm(\"nop\");",
            expect![[r#"
                Declaration [Typedef size_t]
                Declaration [Variable n, Variable p, Variable a]
                Declaration [Tag s, Tag e, Enumerator A, Enumerator B, Enumerator C, Tag t, Variable v]
                Declaration [Variable fp, Variable g]
                static Function [Function f]
                Declaration [Tag fwd]
                Declaration [Function puts]
                Asm []
            "#]],
        );
    }

    #[test]
    fn definitions_of_every_style() {
        check(
            "main() { } old(a, b) int a; char *b; { return a; } int (named)(void) { } T g(T x) { }
             void (*ret(int s, void (*f)(int)))(int) { } struct s { int x; } made(void) { } int last;",
            expect![[r#"
                Function [Function main]
                Function [Function old]
                Function [Function named]
                Function [Function g]
                Function [Function ret]
                Function [Tag s, Function made]
                Declaration [Variable last]
            "#]],
        );
    }

    #[test]
    fn unbalanced_brackets_are_reported() {
        check(
            "int f() { (",
            expect![[r#"
            Unbalanced { open: Some(5), close: None }
        "#]],
        );
        check(
            "int a]; int b;",
            expect![[r#"
            Unbalanced { open: None, close: Some(2) }
        "#]],
        );
    }
}
