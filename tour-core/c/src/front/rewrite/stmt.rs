//! Statements. Each function writes one and returns its height.

use super::Rewriter;
use super::decl::DeclPlace;
use crate::front::outline::TextKind;
use crate::front::token::Kind;

impl Rewriter<'_> {
    /// A block, with a scope of its own.
    pub(super) fn compound(&mut self) -> u32 {
        self.names.enter();
        let height = self.block();
        self.names.leave();
        height
    }

    /// A block in the scope that is open.
    pub(super) fn block(&mut self) -> u32 {
        let close = self.close(self.at);
        self.emit();
        let mut height = 0;
        while self.at < close {
            let before = self.at;
            height = height.max(self.block_item());
            if self.at == before {
                self.emit();
            }
        }
        self.copy_to(close + 1);
        height + 1
    }

    /// The body of a function, in the scope of its parameters.
    pub(super) fn body(&mut self) {
        if !self.names.has_local() {
            self.block();
            return;
        }
        // lang-c forgets the parameters before the body; so the body is read as a piece that knows them.
        self.own("{");
        let mark = self.out.mark();
        self.block();
        self.cut(mark, TextKind::Statement);
        self.own("}");
    }

    /// A declaration can begin at the cursor.
    fn starts_declaration(&self) -> bool {
        match self.kind() {
            Kind::Identifier => {
                self.names.is_type(self.text_at(self.at)) && self.kind_at(self.at + 1) != Kind::Colon
            }
            Kind::StaticAssert | Kind::LocalLabel => true,
            kind => kind.is_specifier(),
        }
    }

    fn block_item(&mut self) -> u32 {
        let attributes = self.attributes();
        match self.kind() {
            Kind::StaticAssert => {
                self.static_assert();
                0
            }
            Kind::LocalLabel => {
                self.own("__tour_local_label(");
                self.at += 1;
                while self.kind() != Kind::Semicolon && self.kind() != Kind::Eof {
                    self.emit();
                }
                self.own(")");
                self.accept(Kind::Semicolon);
                0
            }
            _ if self.starts_declaration() => {
                self.write_attributes(&attributes);
                self.declaration(DeclPlace::Block)
            }
            _ => {
                self.cannot_keep(&attributes);
                self.statement()
            }
        }
    }

    fn statement(&mut self) -> u32 {
        stacker::maybe_grow(64 << 10, 1 << 20, || self.statement_here())
    }

    fn statement_here(&mut self) -> u32 {
        self.drop_attributes();
        let mark = self.out.mark();
        let height = match self.kind() {
            Kind::LeftBrace => self.compound(),
            Kind::If => {
                self.emit();
                self.condition();
                let mut height = self.statement();
                if self.accept(Kind::Else) {
                    height = height.max(self.statement());
                }
                height + 1
            }
            Kind::While | Kind::Switch => {
                self.emit();
                self.condition();
                self.statement() + 1
            }
            Kind::Do => {
                self.emit();
                let height = self.statement();
                self.accept(Kind::While);
                self.condition();
                self.accept(Kind::Semicolon);
                height + 1
            }
            Kind::For => self.for_loop() + 1,
            Kind::Case | Kind::Default => {
                self.emit();
                if self.kind() != Kind::Colon {
                    self.assignment();
                    if self.accept(Kind::Ellipsis) {
                        self.assignment();
                    }
                }
                self.labelled() + 1
            }
            Kind::Identifier if self.kind_at(self.at + 1) == Kind::Colon => {
                self.emit();
                self.labelled() + 1
            }
            Kind::Goto if self.kind_at(self.at + 1) == Kind::Star => {
                self.own("__tour_computed_goto(");
                self.at += 2;
                self.expression();
                self.own(")");
                self.accept(Kind::Semicolon);
                0
            }
            Kind::Goto | Kind::Break | Kind::Continue => {
                while !matches!(self.kind(), Kind::Semicolon | Kind::Eof | Kind::RightBrace) {
                    self.emit();
                }
                self.accept(Kind::Semicolon);
                0
            }
            Kind::Return => {
                self.emit();
                if self.kind() != Kind::Semicolon {
                    self.expression();
                }
                self.accept(Kind::Semicolon);
                0
            }
            Kind::Asm => self.assembler(),
            Kind::Semicolon => {
                self.emit();
                0
            }
            _ => {
                self.expression();
                self.accept(Kind::Semicolon);
                0
            }
        };
        self.limit_statement(mark, height)
    }

    /// What follows the name of a label.
    fn labelled(&mut self) -> u32 {
        self.accept(Kind::Colon);
        self.drop_attributes();
        if self.kind() == Kind::RightBrace || self.starts_declaration() {
            self.own(";");
            return 0;
        }
        self.statement()
    }

    fn condition(&mut self) {
        if self.kind() != Kind::LeftParen {
            return;
        }
        let close = self.close(self.at);
        self.emit();
        self.expression();
        self.copy_to(close + 1);
    }

    fn for_loop(&mut self) -> u32 {
        self.names.enter();
        self.emit();
        if self.kind() == Kind::LeftParen {
            let close = self.close(self.at);
            self.emit();
            self.drop_attributes();
            if self.starts_declaration() {
                // lang-c takes `T *i;` for a product here.
                if self.kind() == Kind::Identifier {
                    self.own("auto ");
                }
                self.declaration(DeclPlace::Block);
            } else {
                if self.kind() != Kind::Semicolon {
                    self.expression();
                }
                self.accept(Kind::Semicolon);
            }
            if self.kind() != Kind::Semicolon {
                self.expression();
            }
            self.accept(Kind::Semicolon);
            if self.at < close {
                self.expression();
            }
            self.copy_to(close + 1);
        }
        let height = self.statement();
        self.names.leave();
        height
    }

    fn assembler(&mut self) -> u32 {
        let start = self.at;
        let mut at = self.at + 1;
        let mut jumps = false;
        while self.kind_at(at) != Kind::LeftParen && self.kind_at(at).is_keyword() {
            jumps |= self.kind_at(at) == Kind::Goto;
            at += 1;
        }
        if jumps {
            self.own("__tour_unsupported(\"asm-goto\", \"assembler that may jump to labels\");");
            self.at = if self.kind_at(at) == Kind::LeftParen { self.close(at) + 1 } else { at };
            self.skip(Kind::Semicolon);
            return 0;
        }
        self.emit();
        if (start + 1..at).any(|i| self.kind_at(i) == Kind::Volatile) {
            self.own("volatile");
        }
        self.at = at;
        if self.kind() != Kind::LeftParen {
            return 0;
        }
        let close = self.close(self.at);
        self.emit();
        while self.at < close {
            // Operands are expressions in parentheses; all else is strings and separators.
            let operand = self.kind() == Kind::LeftParen;
            let end = self.close(self.at);
            self.emit();
            if operand {
                self.expression();
                self.copy_to(end + 1);
            }
        }
        self.copy_to(close + 1);
        self.accept(Kind::Semicolon);
        0
    }

    /// `_Static_assert`, with the message that lang-c wants.
    pub(super) fn static_assert(&mut self) {
        self.emit();
        if self.kind() == Kind::LeftParen {
            let close = self.close(self.at);
            self.emit();
            self.assignment();
            if self.kind() == Kind::RightParen {
                self.own(", \"\"");
            }
            self.copy_to(close + 1);
        }
        self.accept(Kind::Semicolon);
    }
}
