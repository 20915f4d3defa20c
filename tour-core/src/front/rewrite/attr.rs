//! Attributes: those that change the meaning are kept, and moved to where lang-c takes them.

use super::Rewriter;
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

/// The attributes that change the meaning; sema knows them by these names.
const KEPT: &[&str] = &[
    "packed",
    "aligned",
    "mode",
    "noreturn",
    "vector_size",
    "cleanup",
    "transparent_union",
    "alias",
    "weak",
    "constructor",
    "destructor",
    "scalar_storage_order",
    "ms_struct",
    "gcc_struct",
];

/// A name without the underscores that may be put around it.
fn plain(name: &str) -> &str {
    name.strip_prefix("__").and_then(|n| n.strip_suffix("__")).unwrap_or(name)
}

impl Rewriter<'_> {
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

    fn attribute_list(&self, from: usize, to: usize, kept: &mut Vec<Attribute>) {
        let mut at = from;
        while at < to {
            // In `gnu::packed`, the last word counts.
            let word = self.text_at(at);
            let open = at + 1;
            let has_arguments = self.kind_at(open) == Kind::LeftParen && open < to;
            let end = if has_arguments { self.close(open) + 1 } else { open };
            if let Some(name) = KEPT.iter().find(|k| **k == plain(word)) {
                kept.push(Attribute { name, arguments: open..end, at: self.tokens[at].start });
            }
            at = end;
        }
    }

    /// Writes attributes.
    pub(super) fn write_attributes(&mut self, attributes: &[Attribute]) {
        let here = self.at;
        for attribute in attributes {
            self.out.own(&format!("__attribute__(({}", attribute.name), attribute.at);
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
