//! Attributes: those that change the meaning are kept, and moved to where lang-c takes them. See
//! [`crate::front::attribute`] for what each one means.

use super::Rewriter;
use crate::front::attribute::{Meaning, PROMISES, meaning, plain};
use crate::front::pragma::changes_results;
use crate::front::token::Kind;
use std::ops::Range;

/// An attribute that is kept.
#[derive(Clone, Debug)]
pub struct Attribute {
    name: &'static str,
    /// The tokens of its arguments, with their parentheses.
    arguments: Range<usize>,
    at: u32,
}

impl<'a> Rewriter<'a> {
    /// Reads the attributes (of both syntaxes) at the cursor.
    pub(super) fn attributes(&mut self) -> Vec<Attribute> {
        let mut kept = Vec::new();
        loop {
            match self.kind() {
                Kind::Attribute if self.kind_at(self.at + 1) == Kind::LeftParen => {
                    let close = self.close(self.at + 1);
                    self.at += 2;
                    if self.kind() == Kind::LeftParen {
                        let inner = self.close(self.at);
                        self.attribute_list(self.at + 1, inner, &mut kept);
                    }
                    self.at = close + 1;
                }
                Kind::LeftBracket if self.kind_at(self.at + 1) == Kind::LeftBracket => {
                    let (inner, close) = (self.close(self.at + 1), self.close(self.at));
                    self.attribute_list(self.at + 2, inner, &mut kept);
                    self.at = close + 1;
                }
                Kind::Extension | Kind::Attribute => self.at += 1,
                _ => return kept,
            }
        }
    }

    /// Reads attributes at a place where lang-c takes none.
    pub(super) fn drop_attributes(&mut self) {
        let dropped = self.attributes();
        self.cannot_keep(&dropped);
    }

    /// Attributes that change the meaning, and that the tree has no place for.
    pub(super) fn cannot_keep(&mut self, attributes: &[Attribute]) {
        let reported = attributes.iter().filter(|attribute| !PROMISES.contains(&attribute.name));
        for Attribute { name, at, .. } in reported {
            let message = format!("the attribute `{name}` is not modelled here");
            self.unmodelled.push((*at, at + name.len() as u32, message));
        }
    }

    fn attribute_list(&mut self, from: usize, to: usize, kept: &mut Vec<Attribute>) {
        let mut at = from;
        while at < to {
            let next = self.kind_at(at + 1);
            // In `gnu::packed`, the last word counts.
            if matches!(self.kind_at(at), Kind::Comma | Kind::Colon) || next == Kind::Colon {
                at += 1;
                continue;
            }
            let (word, open) = (plain(self.text_at(at)), at + 1);
            let end = if next == Kind::LeftParen && open < to { self.close(open) + 1 } else { open };
            let (start, until) = (self.tokens[at].start, self.tokens[at].end);
            match meaning(word) {
                Some(Meaning::Harmless) if word != "target" => {}
                Some(Meaning::Harmless | Meaning::Modelled("optimize")) => {
                    let options: String = (open..end).map(|i| self.text_at(i)).collect();
                    if changes_results(&options) || options.contains("fma") || options.contains("avx512") {
                        let message = format!("the attribute `{word}` changes results of arithmetic");
                        self.unmodelled.push((start, until, message));
                    }
                }
                Some(Meaning::Unmodelled("scalar_storage_order"))
                    if self.text_at(open + 1) == "\"little-endian\"" => {}
                Some(Meaning::Modelled(name) | Meaning::Unmodelled(name)) => {
                    kept.push(Attribute { name, arguments: open..end, at: start });
                }
                None => self.unknown.push((start, until, word)),
            }
            at = end;
        }
    }

    /// Writes attributes.
    pub(super) fn write_attributes(&mut self, attributes: &[Attribute]) {
        let here = self.at;
        for attribute in attributes {
            // A keyword is no name of an attribute to lang-c.
            let name = match attribute.name {
                "const" | "unsequenced" => "__tour_const",
                "reproducible" => "pure",
                name => name,
            };
            self.out.own(&format!("__attribute__(({name}"), attribute.at);
            self.at = attribute.arguments.start;
            if !attribute.arguments.is_empty() {
                self.arguments(|s, _| s.assignment());
            }
            self.own("))");
        }
        self.at = here;
    }

    /// `_Alignas(…)` as an attribute.
    pub(super) fn alignas(&mut self) {
        self.at += 1;
        if self.kind() != Kind::LeftParen {
            return;
        }
        let close = self.close(self.at);
        let is_type = self.starts_type(self.at + 1);
        self.own(if is_type { "__attribute__((aligned(_Alignof" } else { "__attribute__((aligned" });
        if is_type {
            self.type_group();
            self.own(")))");
        } else {
            self.emit();
            self.expression();
            self.copy_to(close + 1);
            self.own("))");
        }
    }
}
