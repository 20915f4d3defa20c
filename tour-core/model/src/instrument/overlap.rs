//! Copies whose source and destination overlap.
//!
//! `memcpy` must not be given overlapping bytes, not even the same ones. A record that is assigned may be itself, and must
//! not overlap in another way. Both can only happen in one object: pointers into different regions need no check. How far
//! `strcpy` and its kin get is not known beforehand: that they copy a text to itself is a violation, and to another place of
//! the same object unsupported.

use super::Condition;
use super::walk::Walk;
use tour_ir::program::{BinOp, ExprId, ExprKind, PlaceId, PointerFact, Rule, Type};
use tour_ir::source::Span;

impl Walk<'_> {
    /// Bytes at `from` are copied to `to`, the same number of each.
    pub fn copied(&mut self, to: ExprId, from: ExprId, sizes: (ExprId, ExprId), span: Span) {
        if !self.wants(Rule::OverlappingCopy) || self.program().const_value(sizes.0) == Some(0) {
            return;
        }
        let objects = self.objects();
        if objects.pointee(to).is_none() || objects.pointee(to) != objects.pointee(from) {
            return;
        }
        let mut build = self.build_at(span);
        let size_t = build.size_t();
        let sizes = (build.cast(sizes.0, size_t), build.cast(sizes.1, size_t));
        let condition = self.overlaps((to, sizes.0), (from, sizes.1), span);
        let (to, from) = (self.quoted(to), self.quoted(from));
        let message = format!("what {from} points to is copied to {to}, and the two overlap");
        self.violates_at(Rule::OverlappingCopy, condition, message, span);
    }

    /// A call of a function of the library that copies a text or bytes, by its name.
    pub fn text_copied(&mut self, name: &str, args: &[ExprId], span: Span) {
        let (to, from, most) = match (name, args) {
            ("strcpy" | "stpcpy" | "strcat", &[to, from]) => (to, from, None),
            ("strncpy" | "stpncpy" | "strncat", &[to, from, most]) | ("memccpy", &[to, from, _, most]) => {
                (to, from, Some(most))
            }
            ("mempcpy", &[to, from, size]) => return self.copied(to, from, (size, size), span),
            ("__format_apart", &[to, size, from, length]) => {
                return self.copied(to, from, (size, length), span);
            }
            _ => return,
        };
        let objects = self.objects();
        if !self.wants(Rule::OverlappingCopy) {
            return;
        }
        if objects.pointee(to).is_none() || objects.pointee(to) != objects.pointee(from) {
            return;
        }
        let mut build = self.build_at(span);
        let pair = build.compare(BinOp::Eq, to, from);
        let mut one = vec![build.test_fact(PointerFact::SameObject, pair, true)];
        one.push(build.test_fact(PointerFact::Alive, to, true));
        if let Some(most) = most {
            one.push(build.test_int(BinOp::Ne, most, 0));
        }
        let [x, y] = [to, from].map(|pointer| build.fact(PointerFact::Offset, pointer));
        let (equal, other) = (build.test(BinOp::Eq, x, y), build.test(BinOp::Ne, x, y));
        let (to, from) = (self.quoted(to), self.quoted(from));
        let message = format!("what {from} points to is copied to {to}, and the two overlap");
        let why = format!("`{name}` from one place of an object to another");
        let with = |parts: &[Condition]| Condition::All([&one, parts].concat());
        let (wrong, open) = (with(&[equal]), with(&[other, Condition::Unknown(why)]));
        self.violates_at(Rule::OverlappingCopy, wrong, message.clone(), span);
        if self.checks(Rule::OverlappingCopy) {
            self.violates_at(Rule::OverlappingCopy, open, message, span);
        }
    }

    /// `place = value`
    pub fn assigned(&mut self, place: PlaceId, value: ExprId) {
        let ExprKind::Load(from) = self.program().exprs[value].kind else { return };
        let ty = self.program().places[place].ty;
        let record = matches!(self.program().types[ty], Type::Record(_));
        let by_pointer = |place| self.program().pointer_to(place).is_some();
        if !self.wants(Rule::OverlappingCopy) || !record || !(by_pointer(place) || by_pointer(from)) {
            return;
        }
        let objects = self.objects();
        let Some(size) = self.program().types.size(ty) else { return };
        let spot = |place| objects.spot(self.program(), place);
        let (Some((to_region, to_at)), Some((from_region, from_at))) = (spot(place), spot(from)) else {
            return;
        };
        // Where all pointers are whole records apart, one is another or none of it.
        let apart = |bytes: u64| size == 0 || bytes.is_multiple_of(size);
        let whole = |at: crate::regions::Position| apart(at.first / 8) && apart(at.step / 8);
        if to_region != from_region || apart(objects.stride(to_region)) && whole(to_at) && whole(from_at) {
            return;
        }
        let span = self.program().places[place].span;
        let mut build = self.build_at(span);
        let (to, from) = (build.address(place), build.address(from));
        let size_t = build.size_t();
        let bytes = build.int(size.into(), size_t);
        let [x, y] = [to, from].map(|pointer| build.fact(PointerFact::Offset, pointer));
        let other = build.test(BinOp::Ne, x, y);
        let overlap = self.overlaps((to, bytes), (from, bytes), span);
        let message = format!("{} is assigned to itself, with an offset", self.quoted(value));
        let condition = Condition::All(vec![other, overlap]);
        self.violates_at(Rule::OverlappingCopy, condition, message, span);
    }

    /// Two blocks, each with its size, have a byte in common.
    fn overlaps(
        &mut self,
        (a, a_size): (ExprId, ExprId),
        (b, b_size): (ExprId, ExprId),
        span: Span,
    ) -> Condition {
        let mut build = self.build_at(span);
        let pair = build.compare(BinOp::Eq, a, b);
        let same = build.test_fact(PointerFact::SameObject, pair, true);
        let alive = build.test_fact(PointerFact::Alive, a, true);
        let size_t = build.size_t();
        let [x, y] = [a, b].map(|pointer| {
            let offset = build.fact(PointerFact::Offset, pointer);
            build.cast(offset, size_t)
        });
        // The distance, whichever comes first: the other difference is huge.
        let mut near = |x, y, size| {
            let distance = build.arithmetic(BinOp::Sub, x, y);
            build.test(BinOp::Lt, distance, size)
        };
        Condition::All(vec![same, alive, Condition::Any(vec![near(x, y, b_size), near(y, x, a_size)])])
    }
}
