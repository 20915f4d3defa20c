//! `assert!` and its like.

use super::types::last_name;
use super::{Read, Reader};
use crate::harness::lower::hir::{Expr, Kind};
use crate::harness::lower::ty::Ty;
use proc_macro2::{TokenStream, TokenTree};
use syn::spanned::Spanned;
use syn::{Expr as Syn, Lit, Macro};

impl Reader<'_> {
    pub(super) fn macro_call(&mut self, mac: &Macro, node: &impl Spanned) -> Read<Expr> {
        let name = last_name(&mac.path);
        let args = tour_syntax::arguments(mac.tokens.clone());
        let args = match args {
            Ok(args) => args,
            Err(error) => return self.error(error.to_string(), node, "here"),
        };
        let message = |skip: usize| args.get(skip).and_then(text).unwrap_or_default();
        match (name.strip_prefix("debug_").unwrap_or(&name), &args[..]) {
            ("assert", [cond, ..]) => {
                let shown = format!("assertion `{}`{}", first_argument(&mac.tokens), suffix(&message(1)));
                let cond = self.expect(cond, &Ty::Bool)?;
                Ok(self.make(Kind::Assert(Box::new(cond), shown), Ty::Unit, node))
            }
            (which @ ("assert_eq" | "assert_ne"), [left, right, ..]) => {
                let equal = which == "assert_eq";
                let (a, b) = (self.expr(left)?, self.expr(right)?);
                let (a, b) = self.same_type(a, b)?;
                if let Ty::Struct(_) = self.types.head(&a.ty) {
                    return self.error(
                        "structs can't be compared in a harness",
                        node,
                        "compare their fields one by one",
                    );
                }
                let sign = if equal { "==" } else { "!=" };
                let shown = format!("assertion `left {sign} right`{}", suffix(&message(2)));
                Ok(self.make(Kind::AssertEq(Box::new(a), Box::new(b), equal, shown), Ty::Unit, node))
            }
            ("panic" | "unreachable" | "unimplemented" | "todo", _) => {
                let what = if name == "panic" { "explicit panic" } else { "entered unreachable code" };
                let given = message(0);
                let shown = if given.is_empty() { what.to_owned() } else { given };
                let ty = self.types.fresh();
                Ok(self.make(Kind::Panic(shown), ty, node))
            }
            ("addr_of" | "addr_of_mut", [place]) => {
                let place = self.expr(place)?;
                let ty = Ty::Ptr(name == "addr_of_mut", Box::new(place.ty.clone()));
                Ok(self.make(Kind::AddrOf(Box::new(place)), ty, node))
            }
            _ => self.error(format!("`{name}!` is not supported in a harness"), node, "here"),
        }
    }
}

fn text(expr: &Syn) -> Option<String> {
    match expr {
        Syn::Lit(syn::ExprLit { lit: Lit::Str(text), .. }) => Some(text.value()),
        _ => None,
    }
}

fn suffix(message: &str) -> String {
    if message.is_empty() { String::new() } else { format!(": {message}") }
}

/// The text of a claim, as written.
fn first_argument(tokens: &TokenStream) -> String {
    let is_comma = |token: &TokenTree| matches!(token, TokenTree::Punct(punct) if punct.as_char() == ',');
    let first: Vec<TokenTree> = tokens.clone().into_iter().take_while(|token| !is_comma(token)).collect();
    // The source's own spacing reads better than that of tokens.
    let whole = match (first.first(), first.last()) {
        (Some(start), Some(end)) => start.span().join(end.span()).and_then(|span| span.source_text()),
        _ => None,
    };
    let text = whole.unwrap_or_else(|| first.into_iter().collect::<TokenStream>().to_string());
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
