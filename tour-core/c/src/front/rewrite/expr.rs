//! Expressions. Each function writes one and returns its height.

use super::Rewriter;
use crate::front::outline::{BRACKET_HEIGHT, TextKind};
use crate::front::token::Kind;

/// How tightly a binary operator binds; `None` for other tokens.
fn precedence(kind: Kind) -> Option<u8> {
    Some(match kind {
        Kind::OrOr => 1,
        Kind::AndAnd => 2,
        Kind::Or => 3,
        Kind::Xor => 4,
        Kind::And => 5,
        Kind::Equality => 6,
        Kind::Relation => 7,
        Kind::Shift => 8,
        Kind::Plus | Kind::Minus => 9,
        Kind::Star | Kind::Divide => 10,
        _ => return None,
    })
}

impl Rewriter<'_> {
    /// An expression with commas.
    pub(super) fn expression(&mut self) -> u32 {
        let mut height = self.assignment();
        while self.kind() == Kind::Comma {
            self.emit();
            height = height.max(self.assignment());
        }
        height
    }

    /// An expression without commas.
    pub(super) fn assignment(&mut self) -> u32 {
        stacker::maybe_grow(64 << 10, 1 << 20, || self.assignment_here())
    }

    fn assignment_here(&mut self) -> u32 {
        let mark = self.out.mark();
        let mut height = self.binary(0);
        match self.kind() {
            Kind::Assign | Kind::AssignOp => {
                self.emit();
                height = height.max(self.assignment()) + 1;
            }
            Kind::Question => {
                self.emit();
                if self.kind() == Kind::Colon {
                    self.own("__tour_same");
                } else {
                    height = height.max(self.expression());
                }
                self.accept(Kind::Colon);
                // An assignment here is wrong, and lang-c says so.
                height = height.max(self.assignment()) + 1;
            }
            _ => {}
        }
        self.limit_expression(mark, height)
    }

    fn binary(&mut self, least: u8) -> u32 {
        let mark = self.out.mark();
        let mut height = self.cast();
        while let Some(level) = precedence(self.kind()).filter(|&p| p >= least) {
            self.emit();
            height = height.max(self.binary(level + 1)) + 1;
            height = self.limit_expression(mark, height);
        }
        height
    }

    fn cast(&mut self) -> u32 {
        stacker::maybe_grow(64 << 10, 1 << 20, || self.cast_here())
    }

    fn cast_here(&mut self) -> u32 {
        self.skip(Kind::Extension);
        let mark = self.out.mark();
        let height = match self.kind() {
            Kind::Step | Kind::And | Kind::Star | Kind::Plus | Kind::Minus | Kind::Complement | Kind::Not => {
                self.emit();
                self.cast() + 1
            }
            Kind::AndAnd => {
                self.own("__tour_label_address(");
                self.at += 1;
                self.accept(Kind::Identifier);
                self.own(")");
                1
            }
            Kind::Sizeof => self.size_of() + 1,
            Kind::Alignof => self.align_of() + 1,
            Kind::Real | Kind::Imag => {
                self.own(if self.kind() == Kind::Real { "__tour_real(" } else { "__tour_imag(" });
                self.at += 1;
                let height = self.cast();
                self.own(")");
                height + BRACKET_HEIGHT
            }
            Kind::LeftParen if self.starts_type(self.at + 1) => {
                if self.kind_at(self.close(self.at) + 1) == Kind::LeftBrace {
                    return self.postfix();
                }
                self.type_group();
                self.cast() + 1
            }
            _ => return self.postfix(),
        };
        self.limit_expression(mark, height)
    }

    /// A type name in parentheses.
    pub(super) fn type_group(&mut self) {
        let close = self.close(self.at);
        self.emit();
        self.type_name();
        self.copy_to(close + 1);
    }

    /// The cursor is before a type name in parentheses, and no compound literal.
    fn at_type_group(&self) -> bool {
        self.kind() == Kind::LeftParen
            && self.starts_type(self.at + 1)
            && self.kind_at(self.close(self.at) + 1) != Kind::LeftBrace
    }

    fn size_of(&mut self) -> u32 {
        self.emit();
        if self.at_type_group() {
            self.type_group();
            return 0;
        }
        if self.kind() == Kind::LeftParen && self.starts_type(self.at + 1) {
            // lang-c would take the type of a compound literal for the operand.
            self.own("(");
            let height = self.cast();
            self.own(")");
            return height + BRACKET_HEIGHT;
        }
        self.cast()
    }

    fn align_of(&mut self) -> u32 {
        if self.kind_at(self.at + 1) == Kind::LeftParen && self.starts_type(self.at + 2) {
            self.emit();
            self.type_group();
            return 0;
        }
        self.own("__tour_alignof(");
        self.at += 1;
        let height = self.cast();
        self.own(")");
        height + BRACKET_HEIGHT
    }

    fn postfix(&mut self) -> u32 {
        let mark = self.out.mark();
        let mut height = self.primary();
        loop {
            match self.kind() {
                Kind::LeftBracket | Kind::LeftParen => {
                    let close = self.close(self.at);
                    self.emit();
                    let inner = if self.at < close { self.expression() } else { 0 };
                    self.copy_to(close + 1);
                    height = (height + 1).max(inner + BRACKET_HEIGHT);
                }
                Kind::Dot | Kind::Arrow => {
                    self.emit();
                    self.accept(Kind::Identifier);
                    height += 1;
                }
                Kind::Step => {
                    self.emit();
                    height += 1;
                }
                _ => return height,
            }
            height = self.limit_expression(mark, height);
        }
    }

    fn primary(&mut self) -> u32 {
        match self.kind() {
            Kind::Identifier | Kind::Number | Kind::Character | Kind::FunctionName => {
                self.emit();
                0
            }
            Kind::String => {
                while self.accept(Kind::String) {}
                0
            }
            Kind::LeftParen => self.parenthesised(),
            Kind::Generic => self.generic(),
            Kind::VaArg => self.with_arguments(|s, i| if i == 0 { s.assignment() } else { s.plain_type() }),
            Kind::OffsetOf => self.with_arguments(|s, i| {
                if i == 0 {
                    return s.plain_type();
                }
                let mut height = 0;
                while matches!(s.kind(), Kind::Identifier | Kind::Dot | Kind::Arrow | Kind::LeftBracket) {
                    let index = s.kind() == Kind::LeftBracket;
                    s.emit();
                    if index {
                        height = height.max(s.expression());
                        s.accept(Kind::RightBracket);
                    }
                }
                height
            }),
            Kind::TypesCompatible => {
                self.own("__tour_types_compatible");
                self.at += 1;
                self.arguments(|s, _| s.sized_type())
            }
            Kind::ConvertVector => {
                self.with_arguments(|s, i| if i == 0 { s.assignment() } else { s.sized_type() })
            }
            // A separator ends the expression; anything else is copied, so that the walk goes on.
            Kind::Eof
            | Kind::RightParen
            | Kind::RightBracket
            | Kind::RightBrace
            | Kind::LeftBrace
            | Kind::Semicolon
            | Kind::Comma
            | Kind::Colon => 0,
            _ => {
                self.emit();
                0
            }
        }
    }

    fn parenthesised(&mut self) -> u32 {
        let close = self.close(self.at);
        let height = if self.starts_type(self.at + 1) {
            // A compound literal.
            self.type_group();
            self.initialiser();
            return BRACKET_HEIGHT;
        } else if self.kind_at(self.at + 1) == Kind::LeftBrace {
            return self.statement_expression();
        } else {
            self.emit();
            self.expression()
        };
        self.copy_to(close + 1);
        height + BRACKET_HEIGHT
    }

    /// `({ … })`. The statements in it hide its height, so one within another is always cut.
    fn statement_expression(&mut self) -> u32 {
        let mark = self.out.mark();
        let close = self.close(self.at);
        let within = std::mem::replace(&mut self.in_statement_expression, true);
        self.emit();
        self.compound();
        self.copy_to(close + 1);
        self.in_statement_expression = within;
        if within { self.cut(mark, TextKind::Expression) } else { 2 * BRACKET_HEIGHT }
    }

    fn generic(&mut self) -> u32 {
        self.with_arguments(|s, i| {
            if i > 0 {
                if !s.accept(Kind::Default) {
                    s.type_name();
                }
                s.accept(Kind::Colon);
            }
            s.assignment()
        })
    }

    /// A type as an argument, where lang-c takes one.
    fn plain_type(&mut self) -> u32 {
        self.type_name();
        0
    }

    /// A type as an argument, where lang-c takes only expressions.
    fn sized_type(&mut self) -> u32 {
        self.own("sizeof(");
        self.type_name();
        self.own(")");
        1
    }

    /// The next token, then its arguments.
    fn with_arguments(&mut self, argument: impl FnMut(&mut Self, usize) -> u32) -> u32 {
        self.emit();
        self.arguments(argument)
    }

    /// Arguments in parentheses, each written by `argument`.
    pub(super) fn arguments(&mut self, mut argument: impl FnMut(&mut Self, usize) -> u32) -> u32 {
        if self.kind() != Kind::LeftParen {
            return 0;
        }
        let close = self.close(self.at);
        self.emit();
        let mut height = 0;
        let mut index = 0;
        while self.at < close {
            let before = self.at;
            height = height.max(argument(self, index));
            index += 1;
            if !self.accept(Kind::Comma) && self.at == before {
                break;
            }
        }
        self.copy_to(close + 1);
        height + BRACKET_HEIGHT
    }
}
