//! Values that nobody uses: `*p;` still reads, and `a / b;` still divides.
//!
//! What an expression is lowered to has no edge of its own, so that of a discarded one nothing would be left, and no
//! check either. Where evaluating it could be noticed, its value is saved into a temporary.

use super::expr::Value;
use super::{Lower, Sema};
use crate::front::{PIECE_PREFIX, Tree};
use lang_c::ast::Expression;
use lang_c::span::Node;
use tour_ir::program::{ExprId, ExprKind, PlaceKind, Storage, Type, is_noticed, is_partial};
use tour_ir::source::Span;

impl Sema<'_> {
    /// Lowers an expression for its side effects alone.
    pub fn effect(&mut self, expr: &Node<Expression>) -> Lower<()> {
        if let Expression::Identifier(name) = &expr.node
            && name.node.name.starts_with(PIECE_PREFIX)
            && let Some(lowered) = self.in_piece(&name.node.name, |sema, tree| match tree {
                Tree::Expression(inner) => Some(sema.effect(inner)),
                Tree::Statement(_) | Tree::External(_) => None,
            })
            && let Some(lowered) = lowered
        {
            return lowered;
        }
        let value = self.value(expr, false)?;
        if self.current.is_some() {
            self.discard(value, self.span(expr.span))?;
        }
        Ok(())
    }

    fn discard(&mut self, value: Value, span: Span) -> Lower<()> {
        let value = match value {
            Value::Rvalue(value) => value,
            Value::Place(place) => match self.program.types[self.program.places[place].ty] {
                // There is no value, or only an address.
                Type::Void | Type::Array(..) | Type::Function(_) => return Ok(()),
                _ => self.load(place, span)?,
            },
            Value::Function(_) | Value::Void => return Ok(()),
        };
        if is_noticed(self.program, value) && !self.is_just_named(value) {
            self.save(value, span)?;
        }
        Ok(())
    }

    /// That a variable of a function is named is no use of its value: `(void)unused` is common. To others it may matter,
    /// another thread may write it.
    fn is_just_named(&self, mut value: ExprId) -> bool {
        while let ExprKind::Cast(inner) = self.program.exprs[value].kind
            && !is_partial(self.program, inner, value)
        {
            value = inner;
        }
        let ExprKind::Load(place) = self.program.exprs[value].kind else { return false };
        let PlaceKind::Var(var) = self.program.places[place].kind else { return false };
        let var = &self.program.vars[var];
        matches!(var.storage, Storage::Local(_) | Storage::Param(_)) && !var.address_taken
    }
}
