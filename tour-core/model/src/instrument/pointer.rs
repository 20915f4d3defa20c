//! Pointer arithmetic: a sum stays in its object or one past its end; differences and orders are those of two pointers
//! to one object, and a difference is a number of elements.

use super::walk::Walk;
use super::{Condition, range};
use tour_ir::program::{ArrayLen, BinOp, ExprId, PlaceId, PlaceKind, PointerFact, Rule};

impl Walk<'_> {
    /// `a op b`, where `a` is no integer.
    pub fn pointers(&mut self, expr: ExprId, op: BinOp, a: ExprId, b: ExprId) {
        if !self.wants(Rule::PointerOverflow)
            || self.program().types.pointee(self.program().exprs[a].ty).is_none()
        {
            return;
        }
        // Formulas and the interpreter know the object of each pointer: an order or a difference of two is unsupported
        // there, and an access outside of one.
        let checks = self.checks(Rule::PointerOverflow);
        match op {
            BinOp::PtrAdd if checks => self.sum(expr, a, b),
            BinOp::PtrDiff => {
                if checks {
                    self.related(expr, a, b, "subtracts");
                }
                self.whole(expr, a, b);
            }
            BinOp::Lt | BinOp::Le | BinOp::Gt | BinOp::Ge if checks => self.related(expr, a, b, "compares"),
            _ => {}
        }
    }

    /// The difference of two pointers is a number of elements.
    fn whole(&mut self, expr: ExprId, a: ExprId, b: ExprId) {
        let types = &self.program().types;
        let to = types.pointee(self.program().exprs[a].ty);
        let Some(size) = to.and_then(|to| types.size(to.ty)).filter(|size| *size > 1) else { return };
        // Where all pointers are whole elements from the start of their object, so is what is between two.
        let elements = |pointer| {
            let objects = self.objects();
            let region = objects.pointee(pointer)?;
            Some(objects.stride(region).is_multiple_of(size))
        };
        if elements(a) == Some(true) && elements(b) == Some(true) {
            return;
        }
        let message =
            format!("the difference {} is no multiple of the {size} bytes of an element", self.quoted(expr));
        let mut build = self.build(expr);
        let ptrdiff = build.program.types.ptrdiff_t();
        let [x, y] = [a, b].map(|pointer| build.fact(PointerFact::Offset, pointer));
        let bytes = build.arithmetic(BinOp::Sub, x, y);
        let bytes = build.cast(bytes, ptrdiff);
        let size = build.int(size.into(), ptrdiff);
        let rest = build.arithmetic(BinOp::Rem, bytes, size);
        let odd = build.test_int(BinOp::Ne, rest, 0);
        self.violates(Rule::PointerOverflow, odd, message, expr);
    }

    /// `pointer + count`
    fn sum(&mut self, expr: ExprId, pointer: ExprId, count: ExprId) {
        if self.program().const_value(count) == Some(0) {
            return;
        }
        let to = self.program().types.pointee(self.program().exprs[pointer].ty);
        let stride = match to.map(|to| (to.ty, &self.program().types[to.ty])) {
            Some((_, tour_ir::program::Type::Void | tour_ir::program::Type::Function(_))) => Some(1),
            Some((ty, _)) => self.program().types.size(ty),
            None => return,
        };
        let message = format!("{} points outside its object", self.quoted(expr));
        let condition = match stride {
            Some(0) => return,
            Some(stride) => self.leaves(expr, pointer, count, stride),
            None => Condition::Unknown("a sum with a pointer to something of unknown size".into()),
        };
        self.violates(Rule::PointerOverflow, condition, message, expr);
    }

    /// Counting by elements keeps the numbers small: nothing here overflows.
    fn leaves(&mut self, expr: ExprId, pointer: ExprId, count: ExprId, stride: u64) -> Condition {
        let counts = range::of(self.program(), count);
        let mut build = self.build(expr);
        let ptrdiff = build.program.types.ptrdiff_t();
        let count = build.cast(count, ptrdiff);
        let step = build.int(stride.into(), ptrdiff);
        let offset = build.fact(PointerFact::Offset, pointer);
        let mut parts = Vec::new();
        if counts.is_none_or(|(_, high)| high > 0) {
            let size = build.fact(PointerFact::Size, pointer);
            let size = build.cast(size, ptrdiff);
            let behind = build.arithmetic(BinOp::Sub, size, offset);
            let behind = if stride == 1 { behind } else { build.arithmetic(BinOp::Div, behind, step) };
            parts.push(build.test(BinOp::Gt, count, behind));
        }
        if counts.is_none_or(|(low, _)| low < 0) {
            let zero = build.int(0, ptrdiff);
            let before = if stride == 1 { offset } else { build.arithmetic(BinOp::Div, offset, step) };
            let before = build.arithmetic(BinOp::Sub, zero, before);
            parts.push(build.test(BinOp::Lt, count, before));
        }
        Condition::Any(parts)
    }

    /// Both pointers belong to one object.
    fn related(&mut self, expr: ExprId, a: ExprId, b: ExprId, done: &str) {
        let message = format!("{} {done} pointers to different objects", self.quoted(expr));
        let mut build = self.build(expr);
        let pair = build.compare(BinOp::Eq, a, b);
        let condition = build.test_fact(PointerFact::SameObject, pair, false);
        self.violates(Rule::PointerOverflow, condition, message, expr);
    }

    /// `&a[i]`: also one past the end. Other addresses are those of parts that there are.
    pub fn address(&mut self, expr: ExprId, place: PlaceId) {
        let PlaceKind::Index(base, index) = self.program().places[place].kind else { return };
        let Some((_, len)) = self.program().types.element(self.program().places[base].ty) else { return };
        if !self.checks(Rule::PointerOverflow) || self.program().const_value(index) == Some(0) {
            return;
        }
        let values = range::of(self.program(), index);
        let message = format!("{} points outside its array", self.quoted(expr));
        let mut build = self.build(expr);
        let mut parts = Vec::new();
        if values.is_none_or(|(low, _)| low < 0) {
            parts.push(build.test_int(BinOp::Lt, index, 0));
        }
        match len {
            ArrayLen::Fixed(len) => {
                if len > 0 && values.is_none_or(|(_, high)| high > i128::from(len)) {
                    parts.push(build.test_int(BinOp::Gt, index, len.into()));
                }
            }
            ArrayLen::Variable(var) => {
                let span = build.span;
                let len = build.program.load_var(var, span);
                let ty = build.ty(index);
                let len = build.cast(len, ty);
                parts.push(build.test(BinOp::Gt, index, len));
            }
            // A flexible array ends with its object.
            ArrayLen::Unknown if build.program.pointer_to(place).is_some() => {
                let (size, offset) =
                    (build.fact(PointerFact::Size, expr), build.fact(PointerFact::Offset, expr));
                let size_t = build.size_t();
                let offset = build.cast(offset, size_t);
                parts.push(build.test(BinOp::Gt, offset, size));
            }
            ArrayLen::Unknown => {
                let what = "the address of an element of an array whose length is not known here";
                parts.push(Condition::Unknown(what.into()));
            }
        }
        self.violates(Rule::PointerOverflow, Condition::Any(parts), message, expr);
    }
}
