//! Floating-point numbers. Only constants fold: few laws of arithmetic hold for them.

use crate::term::{Float, FloatSort, Op, TermId, Terms, Value};

impl Terms {
    /// A floating-point constant, rounded to the format.
    pub fn float(&mut self, sort: FloatSort, value: f64) -> TermId {
        self.constant(Value::Float(Float::round(sort, value)))
    }

    /// A floating-point operator on its arguments.
    pub fn float_op(&mut self, op: Op, args: &[TermId]) -> TermId {
        if let Some(folded) = self.fold(op, args) {
            return folded;
        }
        if let (Op::FpNeg, Some(inner)) = (op, self.unary(Op::FpNeg, args[0])) {
            return inner;
        }
        if let (Op::FpToFp(to), crate::term::Sort::Float(from)) = (op, self.sort(args[0]))
            && to == from
        {
            return args[0];
        }
        if op == Op::FpLt && args[0] == args[1] {
            return self.no();
        }
        if op.is_commutative() {
            let (a, b) = self.ordered(args[0], args[1]);
            return self.node(op, &[a, b]);
        }
        self.node(op, args)
    }
}
