//! Alignment: what a pointer is followed as lies at a multiple of its alignment.
//!
//! Objects are aligned as their types say, blocks of `malloc` for every type. So an access is misaligned where its offset
//! in the object is no multiple of the alignment. At a good offset in an object that is less aligned, `char text[8]`, it
//! depends on where the object lies, which C leaves open.

use super::Condition;
use super::walk::Walk;
use tour_ir::program::{BinOp, ExprId, PointerFact, Rule};
use tour_ir::source::Span;

impl Walk<'_> {
    /// A pointer that is followed is aligned for what it points to.
    pub fn aligned(&mut self, pointer: ExprId, span: Span, what: &str) {
        if !self.wants(Rule::MisalignedAccess) {
            return;
        }
        let types = &self.program().types;
        let to = types.pointee(self.program().exprs[pointer].ty);
        let Some(align) = to.and_then(|to| types.qual_align(to)).filter(|align| *align > 1) else { return };
        let objects = self.objects();
        let Some(region) = objects.pointee(pointer) else { return };
        let (stride, least) = (objects.stride(region), objects.align(self.program(), region));
        if !stride.is_multiple_of(align) {
            let mut build = self.build_at(span);
            let size_t = build.size_t();
            let offset = build.fact(PointerFact::Offset, pointer);
            let offset = build.cast(offset, size_t);
            let mask = build.int(i128::from(align) - 1, size_t);
            let low = build.arithmetic(BinOp::And, offset, mask);
            let off = build.test_int(BinOp::Ne, low, 0);
            let alive = build.test_fact(PointerFact::Alive, pointer, true);
            let condition = Condition::All(vec![alive, off]);
            let message = format!("{what} at an address that is no multiple of {align}");
            self.violates_at(Rule::MisalignedAccess, condition, message, span);
        }
        if !least.is_multiple_of(align) {
            let mut build = self.build_at(span);
            let alive = build.test_fact(PointerFact::Alive, pointer, true);
            let of_object = build.fact(PointerFact::Align, pointer);
            let less = build.test_int(BinOp::Lt, of_object, align.into());
            let what = format!("an access that wants an alignment of {align} to an object of less");
            let condition = Condition::All(vec![alive, less, Condition::Unknown(what.clone())]);
            self.violates_at(Rule::MisalignedAccess, condition, what, span);
        }
    }
}
