//! `switch`: the body is lowered first and tells its cases; then a chain of assumptions leads to them.

use super::graph::Point;
use super::{Fail, Lower, Sema};
use lang_c::ast::{Expression, SwitchStatement};
use lang_c::span::Node;
use tour_ir::program::{BinOp, ExprId, ExprKind, PlaceKind, TypeId};
use tour_ir::source::Span;

/// The cases of a `switch`.
#[derive(Debug)]
pub(crate) struct Cases {
    /// The promoted type of the controlling expression.
    ty: TypeId,
    cases: Vec<Case>,
    default: Option<Point>,
}

#[derive(Debug, Clone, Copy)]
struct Case {
    low: i128,
    high: i128,
    point: Point,
    span: Span,
}

impl Sema<'_> {
    pub(crate) fn switch(&mut self, switch: &Node<SwitchStatement>) -> Lower<()> {
        let span = self.span(switch.span);
        let lowered = self.switch_value(&switch.node.expression);
        let value = match lowered {
            Ok(value) => Some(value),
            Err(fail) => {
                self.recover(*fail);
                None
            }
        };
        let int = self.int_ty();
        let ty = value.map_or(int, |value| self.ty(value));
        let exit = self.point(span)?;
        let current = self.current(span)?;
        let dispatch = current.at.take();
        current.breaks.push(exit);
        current.switches.push(Cases { ty, cases: Vec::new(), default: None });
        self.statement(&switch.node.statement);
        self.jump(exit, span)?;
        let current = self.current(span)?;
        current.breaks.pop();
        let cases = current.switches.pop();
        current.at = dispatch;
        if let Some(Cases { cases, default, .. }) = cases {
            self.dispatch(value, &cases, default.unwrap_or(exit), span)?;
        }
        self.go_on(exit);
        Ok(())
    }

    /// The promoted value that is compared with the cases, saved unless it is just a variable.
    fn switch_value(&mut self, expr: &Node<Expression>) -> Lower<ExprId> {
        let span = self.span(expr.span);
        let value = self.rvalue(expr)?;
        let value = self.promote(value, span)?;
        if !self.program.types.is_integer(self.ty(value)) {
            return self.bad_operands(&[value], span);
        }
        let simple = match self.program.exprs[value].kind {
            ExprKind::Int(_) => true,
            ExprKind::Load(place) => matches!(self.program.places[place].kind, PlaceKind::Var(_)),
            _ => false,
        };
        let simple = simple && !self.is_shared(value);
        if simple { Ok(value) } else { self.save(value, span) }
    }

    /// From the current location to the case of a value.
    fn dispatch(&mut self, value: Option<ExprId>, cases: &[Case], default: Point, span: Span) -> Lower<()> {
        let Some(value) = value else {
            // The value could not be lowered: what is behind an unsupported edge may go anywhere.
            let at = self.current(span)?.at;
            for point in cases.iter().map(|case| case.point).chain([default]) {
                self.current(span)?.at = at;
                self.jump(point, span)?;
            }
            return Ok(());
        };
        if cases.is_empty() {
            self.evaluate(&[value], span)?;
        }
        let ty = self.ty(value);
        for case in cases {
            let low = self.program.int(case.low, ty, case.span);
            let next = self.point(span)?;
            if case.low == case.high {
                let equal = self.binary(BinOp::Eq, value, low, case.span)?;
                self.branch_on(equal, case.point, next, case.span)?;
            } else {
                let high = self.program.int(case.high, ty, case.span);
                let middle = self.point(span)?;
                let above = self.binary(BinOp::Ge, value, low, case.span)?;
                self.branch_on(above, middle, next, case.span)?;
                self.go_on(middle);
                let below = self.binary(BinOp::Le, value, high, case.span)?;
                self.branch_on(below, case.point, next, case.span)?;
            }
            self.go_on(next);
        }
        self.jump(default, span)
    }

    /// `case low ... high:`
    pub(crate) fn case(&mut self, low: &Node<Expression>, high: &Node<Expression>, span: Span) -> Lower<()> {
        let same = std::ptr::eq(low, high);
        let low = self.const_int(low)?;
        let high = if same { low } else { self.const_int(high)? };
        let point = self.point(span)?;
        self.jump(point, span)?;
        self.go_on(point);
        let ty = self.current(span)?.switches.last().map(|s| s.ty);
        let Some(int) = ty.and_then(|ty| self.program.types.int_type(ty)) else {
            return Fail::error("`case` outside of a `switch`", span, "here");
        };
        let [low, high] = [low, high].map(|value| int.to_i128(int.wrap(value as u128)));
        // An empty range matches nothing.
        if low <= high
            && let Some(switch) = self.current(span)?.switches.last_mut()
        {
            switch.cases.push(Case { low, high, point, span });
        }
        Ok(())
    }

    /// `default:`
    pub(crate) fn default_case(&mut self, span: Span) -> Lower<()> {
        let point = self.point(span)?;
        self.jump(point, span)?;
        self.go_on(point);
        match self.current(span)?.switches.last_mut() {
            Some(switch) if switch.default.is_none() => {
                switch.default = Some(point);
                Ok(())
            }
            Some(_) => Fail::error("`default` stands twice in a `switch`", span, "again here"),
            None => Fail::error("`default` outside of a `switch`", span, "here"),
        }
    }
}
