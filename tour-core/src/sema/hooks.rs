//! Stand-ins for what `expr` and `stmt` bring; this file goes when they come.

use super::{Fail, Lower, Sema};
use crate::program::{ExprId, QualType, VarId};
use lang_c::ast::Expression;
use lang_c::span::Node;

impl Sema<'_> {
    /// Lowers an expression that needs no edges.
    pub fn pure_expr(&mut self, expr: &Node<Expression>) -> Lower<ExprId> {
        Fail::unsupported("expression", "expressions are not lowered yet", self.span(expr.span))
    }

    /// The type of an expression that is not evaluated.
    pub fn type_of_expr(&mut self, expr: &Node<Expression>) -> Lower<QualType> {
        Fail::unsupported("expression", "expressions are not lowered yet", self.span(expr.span))
    }

    /// Evaluates the length of a variable-length array here, into a variable.
    pub fn vla_length(&mut self, expr: &Node<Expression>) -> Lower<VarId> {
        Fail::unsupported("expression", "expressions are not lowered yet", self.span(expr.span))
    }
}
