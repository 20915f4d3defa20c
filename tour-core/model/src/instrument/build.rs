//! Expressions for conditions.

use super::Condition;
use tour_ir::program::{BinOp, ExprId, ExprKind, IntKind, PlaceId, PlaceKind, PointerFact, Program, TypeId};
use tour_ir::source::Span;

/// Longer texts of the user are cut.
const QUOTED: usize = 60;

/// Makes expressions at one place of the source.
pub(super) struct Build<'a> {
    pub program: &'a mut Program,
    pub span: Span,
}

impl Build<'_> {
    pub fn int(&mut self, value: i128, ty: TypeId) -> ExprId {
        self.program.int(value, ty, self.span)
    }

    pub fn ty(&self, expr: ExprId) -> TypeId {
        self.program.exprs[expr].ty
    }

    /// `a op b`, arithmetic in the type of `a`.
    pub fn arithmetic(&mut self, op: BinOp, a: ExprId, b: ExprId) -> ExprId {
        let ty = self.ty(a);
        self.program.binary(op, a, b, ty, self.span)
    }

    /// `a op b`, a comparison.
    pub fn compare(&mut self, op: BinOp, a: ExprId, b: ExprId) -> ExprId {
        let int = self.program.types.int(IntKind::Int);
        self.program.binary(op, a, b, int, self.span)
    }

    pub fn test(&mut self, op: BinOp, a: ExprId, b: ExprId) -> Condition {
        Condition::Is(self.compare(op, a, b))
    }

    /// `a op value`, where the value is one of the type of `a`.
    pub fn test_int(&mut self, op: BinOp, a: ExprId, value: i128) -> Condition {
        let ty = self.ty(a);
        let value = self.int(value, ty);
        self.test(op, a, value)
    }

    pub fn cast(&mut self, expr: ExprId, ty: TypeId) -> ExprId {
        self.program.cast(expr, ty, self.span)
    }

    pub fn fact(&mut self, fact: PointerFact, pointer: ExprId) -> ExprId {
        self.program.fact(fact, pointer, self.span)
    }

    /// A fact that is (not) so.
    pub fn test_fact(&mut self, fact: PointerFact, pointer: ExprId, holds: bool) -> Condition {
        let fact = self.fact(fact, pointer);
        self.test_int(if holds { BinOp::Ne } else { BinOp::Eq }, fact, 0)
    }

    /// The address of a place that is no bit-field. Only conditions use it: it takes no address in the sense of
    /// [`tour_ir::program::Var::address_taken`], so that it must not be that of a variable.
    pub fn address(&mut self, place: PlaceId) -> ExprId {
        match self.program.places[place].kind {
            PlaceKind::Deref(pointer) => pointer,
            PlaceKind::Var(_) | PlaceKind::Field(..) | PlaceKind::Index(..) => {
                let to = self.program.places[place].ty;
                let ty = self.program.types.pointer(to);
                self.program.add_expr(ExprKind::AddrOf(place), ty, self.span)
            }
        }
    }

    pub fn size_t(&mut self) -> TypeId {
        self.program.types.size_t()
    }
}

impl Build<'_> {
    /// What the user wrote, in one line; the program's own spelling where there is no text.
    pub fn quote(&self, span: Span, or: impl FnOnce(&Program) -> String) -> String {
        let text = self.program.sources.text(span);
        let line: Vec<&str> = text.split_whitespace().collect();
        let line = if line.is_empty() { or(self.program) } else { line.join(" ") };
        match line.char_indices().nth(QUOTED) {
            Some((end, _)) => format!("`{}…`", &line[..end]),
            None => format!("`{line}`"),
        }
    }

    pub fn quote_expr(&self, expr: ExprId) -> String {
        self.quote(self.program.exprs[expr].span, |program| program.show_expr(expr))
    }

    pub fn quote_place(&self, place: PlaceId) -> String {
        self.quote(self.program.places[place].span, |program| program.show_place(place))
    }
}
