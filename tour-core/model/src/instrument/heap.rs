//! What may be freed: a block that `malloc` or its kin gave, whole, and once. Null is fine too.

use super::Condition;
use super::walk::Walk;
use tour_ir::program::{BinOp, ExprId, PointerFact, Rule};
use tour_ir::source::Span;

impl Walk<'_> {
    /// `block` is given to `free` or `realloc`.
    pub fn freed(&mut self, block: ExprId, span: Span) {
        if self.program().const_value(block) == Some(0) {
            return;
        }
        let shown = self.quoted(block);
        let mut build = self.build_at(span);
        let heap = build.test_fact(PointerFact::Heap, block, true);
        let dead = build.test_fact(PointerFact::Alive, block, false);
        let twice = Condition::All(vec![heap, dead]);
        self.violates_at(Rule::DoubleFree, twice, format!("{shown} was freed before"), span);
        let mut build = self.build_at(span);
        let some = build.test_int(BinOp::Ne, block, 0);
        let other = build.test_fact(PointerFact::Heap, block, false);
        let inside = build.test_fact(PointerFact::Offset, block, true);
        let invalid = Condition::All(vec![some, Condition::Any(vec![other, inside])]);
        let message = format!("{shown} is freed and is no block that was allocated");
        self.violates_at(Rule::InvalidFree, invalid, message, span);
    }
}
