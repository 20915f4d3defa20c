//! Integers that are known when the program is compiled: lengths of arrays, ends of patterns.

use super::exprs::operator;
use super::types::last_name;
use super::{Read, Reader};
use crate::harness::items::Thing;
use crate::harness::lower::ty::{Int, Ty};
use syn::{Expr, Lit, Stmt, UnOp};
use tour_ir::program::{BinOp, IntType};

impl Reader<'_> {
    /// The value of a constant expression.
    pub(crate) fn constant(&mut self, expr: &Expr) -> Read<i128> {
        stacker::maybe_grow(64 * 1024, 1024 * 1024, || self.constant_value(expr))
    }

    fn constant_value(&mut self, expr: &Expr) -> Read<i128> {
        match expr {
            Expr::Paren(inner) => self.constant(&inner.expr),
            Expr::Group(inner) => self.constant(&inner.expr),
            Expr::Lit(lit) => match &lit.lit {
                // Patterns have negative literals.
                Lit::Int(int) => {
                    match int.base10_parse::<i128>().or(int.base10_parse::<u128>().map(|n| n as i128)) {
                        Ok(value) => Ok(value),
                        Err(_) => self.error("this number is too large", expr, "no integer type holds it"),
                    }
                }
                Lit::Byte(byte) => Ok(i128::from(byte.value())),
                Lit::Bool(bool) => Ok(i128::from(bool.value)),
                _ => self.error("this is no integer", expr, "an integer constant is needed here"),
            },
            Expr::Unary(unary) => {
                let value = self.constant(&unary.expr)?;
                match unary.op {
                    UnOp::Neg(_) => Ok(value.wrapping_neg()),
                    // `!` would need the type.
                    _ => self.error("this is no constant", expr, "an integer constant is needed here"),
                }
            }
            Expr::Cast(cast) => {
                let value = self.constant(&cast.expr)?;
                match self.ty(&cast.ty)? {
                    Ty::Int(Int { bits, signed, .. }) => {
                        let int = IntType { bits, signed };
                        Ok(int.to_i128(int.wrap(value as u128)))
                    }
                    _ => self.error("this is no integer", expr, "an integer constant is needed here"),
                }
            }
            Expr::Binary(binary) => {
                let (a, b) = (self.constant(&binary.left)?, self.constant(&binary.right)?);
                let shift = u32::try_from(b).ok();
                let value = match operator(&binary.op).filter(|(_, assigns)| !assigns).map(|(op, _)| op) {
                    Some(BinOp::Add) => a.checked_add(b),
                    Some(BinOp::Sub) => a.checked_sub(b),
                    Some(BinOp::Mul) => a.checked_mul(b),
                    Some(BinOp::Div) => a.checked_div(b),
                    Some(BinOp::Rem) => a.checked_rem(b),
                    Some(BinOp::And) => Some(a & b),
                    Some(BinOp::Or) => Some(a | b),
                    Some(BinOp::Xor) => Some(a ^ b),
                    Some(BinOp::Shl) => shift.and_then(|by| a.checked_shl(by)),
                    Some(BinOp::Shr) if a >= 0 => shift.and_then(|by| a.checked_shr(by)),
                    _ => None,
                };
                match value {
                    Some(value) => Ok(value),
                    None => self.error("this is no constant", expr, "can't be computed here"),
                }
            }
            Expr::Block(block) => match &block.block.stmts[..] {
                [Stmt::Expr(value, None)] => self.constant(value),
                _ => self.error("this is no constant", expr, "can't be computed here"),
            },
            Expr::Path(path) => self.constant_path(&path.path, expr),
            _ => self.error("this is no constant", expr, "an integer constant is needed here"),
        }
    }

    fn constant_path(&mut self, path: &syn::Path, expr: &Expr) -> Read<i128> {
        if let Some(value) = self.limit_of_type(path) {
            return Ok(value as i128);
        }
        let Some(id) = self.lookup(path, |thing| matches!(thing, Thing::Const(_)))? else {
            let message = format!("the constant `{}` is not known", last_name(path));
            return self.error(message, expr, "not found in this crate's sources");
        };
        if self.reading.contains(&id) {
            return self.error("this constant needs itself", expr, "here");
        }
        let item = &self.items.all[id];
        let Thing::Const(parts) = &item.thing else {
            return self.error("this is no constant", expr, "here");
        };
        self.reading.push(id);
        let value = self.within(item.home.clone(), |reader| reader.constant(&parts.1));
        self.reading.pop();
        value
    }

    /// `u8::MAX`, `i32::MIN`, `u64::BITS`: as a number of 128 bits.
    pub(super) fn limit_of_type(&self, path: &syn::Path) -> Option<u128> {
        let mut names = path.segments.iter().rev().map(|segment| segment.ident.to_string());
        let (limit, ty) = (names.next()?, names.next()?);
        let Int { bits, signed, .. } = Int::named(&ty, self.model)?;
        let int = IntType { bits, signed };
        match limit.as_str() {
            "MAX" => Some(int.extend(int.max())),
            "MIN" => Some(int.extend(int.min())),
            "BITS" => Some(u128::from(bits)),
            _ => None,
        }
    }
}
