//! Declarations: specifiers, declarators, structures, enumerations and initialisers.

use super::Rewriter;
use super::attr::Attribute;
use crate::front::token::Kind;

/// Where a declaration stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeclPlace {
    /// Outside functions.
    File,
    /// In a block.
    Block,
    /// In a structure.
    Member,
    /// Between the parameters and the body of an old-style definition.
    OldStyle,
}

/// Whether a declarator has a name.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Naming {
    Required,
    Optional,
    Never,
}

/// What a declarator declares.
#[derive(Default)]
struct Declared<'a> {
    name: Option<&'a str>,
    is_function: bool,
    /// Nothing but the name.
    is_plain: bool,
    parameters: Vec<&'a str>,
    /// Attributes in brackets behind a part of it.
    attributes: Vec<Attribute>,
}

impl<'a> Rewriter<'a> {
    /// A declaration outside functions, or a function.
    pub(super) fn external_declaration(&mut self) {
        self.skip(Kind::Extension);
        self.declaration(DeclPlace::File);
    }

    /// A declaration; returns the height that it adds to the block it stands in.
    pub(super) fn declaration(&mut self, place: DeclPlace) -> u32 {
        let is_typedef = self.specifiers();
        let mut first = true;
        while !matches!(self.kind(), Kind::Semicolon | Kind::RightBrace | Kind::Eof) {
            let before = self.at;
            if self.kind() != Kind::Colon {
                let declared = self.declarator(Naming::Required);
                if let Some(name) = declared.name
                    && matches!(place, DeclPlace::File | DeclPlace::Block)
                {
                    self.names.declare(name, is_typedef);
                }
                if first && declared.is_function && !is_typedef && self.at_function_body() {
                    self.cannot_keep(&declared.attributes);
                    self.function(place, &declared);
                    return 0;
                }
                self.declarator_extensions(declared.attributes);
            }
            if self.kind() == Kind::Colon {
                self.emit();
                self.assignment();
                let attributes = self.attributes();
                self.write_attributes(&attributes);
            } else if self.kind() == Kind::Assign {
                self.emit();
                self.initialiser();
            }
            if !self.accept(Kind::Comma) {
                break;
            }
            first = false;
            if self.at == before {
                break;
            }
        }
        if place == DeclPlace::Member && self.kind() == Kind::RightBrace {
            // gcc lets the last member go without.
            self.own(";");
        }
        self.accept(Kind::Semicolon);
        0
    }

    /// After the declarator of a function: what follows makes it a definition.
    fn at_function_body(&self) -> bool {
        let kind = self.kind();
        kind == Kind::LeftBrace
            || (kind != Kind::Attribute && kind != Kind::Extension && kind.is_specifier())
            || kind == Kind::Identifier
    }

    fn function(&mut self, place: DeclPlace, declared: &Declared<'a>) {
        if place == DeclPlace::Block {
            self.own(";");
            self.own("__tour_unsupported(\"nested-function\", \"a function within a function\");");
            while !matches!(self.kind(), Kind::LeftBrace | Kind::Eof) {
                self.at += 1;
            }
            self.at = (self.close(self.at) + 1).min(self.end);
            return;
        }
        self.names.enter();
        for name in &declared.parameters {
            self.names.declare(name, false);
        }
        while self.kind() != Kind::LeftBrace && self.kind() != Kind::Eof {
            let before = self.at;
            self.skip(Kind::Extension);
            self.declaration(DeclPlace::OldStyle);
            if self.at == before {
                self.emit();
            }
        }
        if self.kind() == Kind::LeftBrace {
            self.body();
        }
        self.names.leave();
    }

    /// Assembler name and attributes of a declarator, in the order that lang-c takes.
    fn declarator_extensions(&mut self, mut attributes: Vec<Attribute>) {
        attributes.extend(self.attributes());
        if self.kind() == Kind::Asm && self.kind_at(self.at + 1) == Kind::LeftParen {
            let close = self.close(self.at + 1);
            self.copy_to(close + 1);
            attributes.extend(self.attributes());
        }
        self.write_attributes(&attributes);
    }

    /// Writes specifiers; returns whether they say `typedef`.
    fn specifiers(&mut self) -> bool {
        let (mut is_typedef, mut has_type, mut is_auto) = (false, false, false);
        let mut unsigned = false;
        loop {
            let kind = self.kind();
            match kind {
                Kind::Extension | Kind::Nullability => self.at += 1,
                Kind::Attribute => self.specifier_attributes(),
                Kind::LeftBracket if self.kind_at(self.at + 1) == Kind::LeftBracket => {
                    self.specifier_attributes()
                }
                Kind::Alignas => self.alignas(),
                Kind::Atomic if self.kind_at(self.at + 1) == Kind::LeftParen => {
                    has_type = true;
                    self.emit();
                    self.type_group();
                }
                Kind::Typeof => {
                    has_type = true;
                    self.type_of();
                }
                Kind::Struct | Kind::Union | Kind::Enum => {
                    has_type = true;
                    self.tagged(kind);
                }
                Kind::Signed | Kind::Unsigned if self.sign_of_int128() => {
                    unsigned = kind == Kind::Unsigned;
                    self.at += 1;
                }
                Kind::Int128 => {
                    has_type = true;
                    let after = self.kind_at(self.at + 1);
                    unsigned |= after == Kind::Unsigned;
                    let name = if unsigned { "__tour_uint128" } else { "__tour_int128" };
                    self.out.uses_type(name);
                    self.own(name);
                    self.at += if matches!(after, Kind::Unsigned | Kind::Signed) { 2 } else { 1 };
                }
                Kind::Identifier if !has_type && self.is_type_here() => {
                    has_type = true;
                    if self.names.is_type(self.text_at(self.at)) {
                        self.out.uses_type(self.text_at(self.at));
                    }
                    self.emit();
                }
                _ if kind.is_specifier() => {
                    is_typedef |= kind == Kind::Typedef;
                    is_auto |= kind == Kind::Auto;
                    has_type |= kind.is_type_specifier();
                    if let (Kind::Float128 | Kind::AutoType, Some(name)) = (kind, kind.spelling()) {
                        self.out.uses_type(name);
                    }
                    self.emit();
                }
                _ => break,
            }
        }
        if !has_type {
            if is_auto {
                self.cannot_write(
                    "`auto` without a type: an `int` until C23, the type of the initialiser since",
                );
            }
            self.own("int");
        }
        is_typedef
    }

    fn specifier_attributes(&mut self) {
        let before = self.at;
        let attributes = self.attributes();
        self.write_attributes(&attributes);
        if self.at == before {
            self.emit();
        }
    }

    /// The name at the cursor, with no type before it, is the type. Where it is not known as one, two names in a row
    /// are taken for a type that is missing, so that the error is about it.
    fn is_type_here(&self) -> bool {
        self.names.is_type(self.text_at(self.at)) || self.kind_at(self.at + 1) == Kind::Identifier
    }

    /// The `signed` or `unsigned` at the cursor belongs to an `__int128`.
    fn sign_of_int128(&self) -> bool {
        let mut at = self.at + 1;
        while matches!(self.kind_at(at), Kind::Const | Kind::Volatile | Kind::Extension) {
            at += 1;
        }
        self.kind_at(at) == Kind::Int128
    }

    fn type_of(&mut self) {
        self.emit();
        if self.kind() != Kind::LeftParen {
            return;
        }
        let close = self.close(self.at);
        self.emit();
        if self.starts_type(self.at) {
            // lang-c looks for an expression first and would take a typedef name for one.
            self.own("__attribute__(())");
            self.type_name();
        } else {
            self.expression();
        }
        self.copy_to(close + 1);
    }

    /// `struct`, `union` or `enum` with its tag and body.
    fn tagged(&mut self, kind: Kind) {
        self.emit();
        let mut attributes = self.attributes();
        let mut behind = Vec::new();
        if self.accept(Kind::Identifier) {
            behind = self.attributes();
        }
        let underlying = self.underlying_type(kind);
        if underlying.is_some() && self.kind() != Kind::LeftBrace {
            self.cannot_write("an enumeration with a type of its own and without its enumerators");
        }
        if self.kind() != Kind::LeftBrace {
            // Where a type is only named, compilers ignore the attributes before its tag; those behind it are of what is
            // declared.
            self.write_attributes(&behind);
            return;
        }
        attributes.extend(behind);
        let close = self.close(self.at);
        self.nest(close + 1, |s| {
            s.emit();
            if kind == Kind::Enum {
                s.enumerators(close)
            } else {
                s.members(close)
            }
            s.copy_to(close + 1);
        });
        self.write_attributes(&attributes);
        if let Some(at) = underlying {
            let here = std::mem::replace(&mut self.at, at);
            self.own("__attribute__((__tour_enum_type(sizeof(");
            self.specifiers();
            self.own("))))");
            self.at = here;
        }
    }

    /// `: type` of an enumeration: goes behind it, and returns where the type stands. A bit-field has a number there.
    fn underlying_type(&mut self, kind: Kind) -> Option<usize> {
        if kind != Kind::Enum || self.kind() != Kind::Colon || !self.starts_type(self.at + 1) {
            return None;
        }
        let start = self.at + 1;
        while !matches!(self.kind(), Kind::LeftBrace | Kind::Semicolon | Kind::Eof) {
            self.at = if self.kind() == Kind::LeftParen { self.close(self.at) + 1 } else { self.at + 1 };
        }
        Some(start)
    }

    fn enumerators(&mut self, close: usize) {
        while self.kind() == Kind::Identifier {
            self.names.declare(self.text_at(self.at), false);
            self.emit();
            self.drop_attributes();
            if self.accept(Kind::Assign) {
                self.assignment();
            }
            if !self.accept(Kind::Comma) {
                break;
            }
        }
        self.copy_to(close);
    }

    fn members(&mut self, close: usize) {
        while self.at < close {
            let before = self.at;
            match self.kind() {
                Kind::Semicolon | Kind::Extension => self.at += 1,
                Kind::StaticAssert => self.static_assert(),
                _ => {
                    self.declaration(DeclPlace::Member);
                }
            }
            if self.at == before {
                self.emit();
            }
        }
    }

    /// A type name, as in a cast.
    pub(super) fn type_name(&mut self) {
        self.specifiers();
        let declared = self.declarator(Naming::Never);
        self.cannot_keep(&declared.attributes);
    }

    fn declarator(&mut self, naming: Naming) -> Declared<'a> {
        let attributes = self.attributes();
        if naming == Naming::Never {
            self.cannot_keep(&attributes);
        } else {
            self.write_attributes(&attributes);
        }
        let mut declared = Declared { is_plain: true, ..Declared::default() };
        while self.kind() == Kind::Star {
            declared.is_plain = false;
            self.emit();
            self.pointer_qualifiers();
        }
        let mut inner_is_plain = false;
        match self.kind() {
            Kind::Identifier if naming != Naming::Never => {
                declared.name = Some(self.text_at(self.at));
                inner_is_plain = true;
                self.emit();
            }
            Kind::LeftParen if naming == Naming::Required || self.opens_declarator(naming) => {
                declared.is_plain = false;
                let close = self.close(self.at);
                let mut inner = None;
                self.nest(close + 1, |s| {
                    s.emit();
                    inner = Some(s.declarator(naming));
                    s.copy_to(close + 1);
                });
                if let Some(inner) = inner {
                    inner_is_plain = inner.is_plain;
                    declared.name = inner.name;
                    declared.is_function = inner.is_function;
                    declared.parameters = inner.parameters;
                    declared.attributes = inner.attributes;
                }
            }
            _ => {}
        }
        let mut first = true;
        loop {
            match self.kind() {
                Kind::LeftBracket if self.kind_at(self.at + 1) != Kind::LeftBracket => self.array_size(),
                Kind::LeftBracket => {
                    let attributes = self.attributes();
                    declared.attributes.extend(attributes);
                    continue;
                }
                Kind::LeftParen => {
                    let parameters = self.parameters();
                    if first && inner_is_plain {
                        declared.is_function = true;
                        declared.parameters = parameters;
                    }
                }
                _ => return declared,
            }
            declared.is_plain = false;
            first = false;
        }
    }

    fn pointer_qualifiers(&mut self) {
        loop {
            match self.kind() {
                Kind::Const | Kind::Volatile | Kind::Restrict | Kind::Atomic => self.emit(),
                Kind::Nullability | Kind::Extension => self.at += 1,
                Kind::Attribute => self.specifier_attributes(),
                _ => return,
            }
        }
    }

    /// The parenthesis at the cursor, where a name may be missing, holds a declarator and not parameters.
    fn opens_declarator(&self, naming: Naming) -> bool {
        match self.kind_at(self.at + 1) {
            Kind::Star | Kind::LeftParen | Kind::LeftBracket | Kind::Attribute => true,
            Kind::Identifier => naming == Naming::Optional && !self.names.is_type(self.text_at(self.at + 1)),
            _ => false,
        }
    }

    fn array_size(&mut self) {
        let close = self.close(self.at);
        self.emit();
        while matches!(
            self.kind(),
            Kind::Static | Kind::Const | Kind::Volatile | Kind::Restrict | Kind::Atomic
        ) {
            self.emit();
        }
        if self.kind() == Kind::Star && self.at + 1 == close {
            self.emit();
        } else if self.at < close {
            self.assignment();
        }
        self.copy_to(close + 1);
    }

    /// Parameters in parentheses; returns their names.
    fn parameters(&mut self) -> Vec<&'a str> {
        let close = self.close(self.at);
        let mut names = Vec::new();
        self.nest(close + 1, |s| {
            s.emit();
            let old_style = s.kind() == Kind::Identifier
                && !s.names.is_type(s.text_at(s.at))
                && matches!(s.kind_at(s.at + 1), Kind::Comma | Kind::RightParen);
            while s.at < close {
                let before = s.at;
                match s.kind() {
                    Kind::Identifier if old_style => {
                        names.push(s.text_at(s.at));
                        s.emit();
                    }
                    // A function of nothing but `...` takes anything.
                    Kind::Ellipsis if s.kind_at(s.at.wrapping_sub(1)) == Kind::LeftParen => s.at += 1,
                    Kind::Ellipsis => s.emit(),
                    _ => {
                        s.specifiers();
                        let declared = s.declarator(Naming::Optional);
                        names.extend(declared.name);
                        let mut attributes = declared.attributes;
                        attributes.extend(s.attributes());
                        s.write_attributes(&attributes);
                    }
                }
                if !s.accept(Kind::Comma) && s.at == before {
                    break;
                }
            }
            s.copy_to(close + 1);
        });
        names
    }

    /// An initialiser: a list in braces or an expression.
    pub(super) fn initialiser(&mut self) {
        if self.kind() != Kind::LeftBrace {
            self.assignment();
            return;
        }
        let close = self.close(self.at);
        self.nest(close + 1, |s| {
            s.emit();
            if s.at == close {
                s.own("__tour_empty");
            }
            while s.at < close {
                let before = s.at;
                s.designators();
                s.initialiser();
                if !s.accept(Kind::Comma) && s.at == before {
                    break;
                }
            }
            s.copy_to(close + 1);
        });
    }

    fn designators(&mut self) {
        loop {
            match self.kind() {
                Kind::Dot => {
                    self.emit();
                    self.accept(Kind::Identifier);
                }
                Kind::LeftBracket => {
                    let close = self.close(self.at);
                    self.emit();
                    self.assignment();
                    if self.accept(Kind::Ellipsis) {
                        self.assignment();
                    }
                    self.copy_to(close + 1);
                }
                Kind::Identifier if self.kind_at(self.at + 1) == Kind::Colon => {
                    self.emit();
                    self.emit();
                    return;
                }
                _ => break,
            }
        }
        self.accept(Kind::Assign);
    }
}
