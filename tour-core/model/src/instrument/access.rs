//! Accesses to memory: null pointers, the bounds of arrays and objects, objects after their life.

use super::walk::Walk;
use super::{Condition, range};
use tour_ir::program::{
    ArrayLen, BinOp, Builtin, ExprId, ExprKind, PlaceId, PlaceKind, PointerFact, Program, Rule, Type,
};
use tour_ir::source::Span;

/// What happens to a place, in words.
pub(super) const READ: &str = "read";
pub(super) const WRITTEN: &str = "written";

impl Walk<'_> {
    /// What lies in `place` is read or written.
    pub fn access(&mut self, place: PlaceId, done: &str) {
        self.indices(place, done);
        let Some(pointer) = self.program().pointer_to(place) else { return };
        let span = self.program().places[place].span;
        let shown = self.build_at(span).quote_place(place);
        let what = format!("{shown} is {done}");
        self.object_of(pointer, span, &what);
        self.bounds(place, pointer, span, format!("{what} outside its object"));
        self.aligned(pointer, span, &what);
        self.typed(place, &what);
        if done == WRITTEN {
            self.writable(pointer, span, &what);
        }
    }

    /// The pointer leads to something alive.
    fn object_of(&mut self, pointer: ExprId, span: Span, what: &str) {
        let base = without_sums(self.program(), pointer);
        self.not_null_but(base, span, format!("{what} through a null pointer"));
        if self.wants(Rule::UseAfterFree) && !is_address(self.program(), base) {
            let mut build = self.build_at(span);
            let size = build.fact(PointerFact::Size, base);
            let dead = build.test_fact(PointerFact::Alive, base, false);
            let was = build.test_int(BinOp::Ne, size, 0);
            self.violates_at(
                Rule::UseAfterFree,
                Condition::All(vec![dead, was]),
                format!("{what} after its object was freed or went out of scope"),
                span,
            );
        }
    }

    /// A pointer that is used is not null.
    pub fn not_null(&mut self, pointer: ExprId, span: Span, what: &str) {
        let shown = self.quoted(pointer);
        self.not_null_but(pointer, span, format!("{shown} {what} and is null"));
    }

    fn not_null_but(&mut self, pointer: ExprId, span: Span, message: String) {
        if !self.wants(Rule::NullDeref) || is_address(self.program(), pointer) {
            return;
        }
        let null = self.build_at(span).test_int(BinOp::Eq, pointer, 0);
        self.violates_at(Rule::NullDeref, null, message, span);
    }

    /// The indices of an access are inside of their arrays. Those whose arrays end an object that is reached by a
    /// pointer are left to the size of that object: `struct { …; char text[1]; }` with more behind it is common.
    fn indices(&mut self, place: PlaceId, done: &str) {
        match self.program().places[place].kind {
            PlaceKind::Var(_) | PlaceKind::Deref(_) => {}
            PlaceKind::Field(base, _) => self.indices(base, done),
            PlaceKind::Index(base, index) => {
                self.indices(base, done);
                let span = self.program().places[place].span;
                let Some(len) = self.program().types.element(self.program().places[base].ty) else { return };
                if !self.program().ends_object(base) {
                    self.index(base, index, len.1, span, done);
                }
            }
        }
    }

    fn index(&mut self, array: PlaceId, index: ExprId, len: ArrayLen, span: Span, done: &str) {
        if !self.wants(Rule::OutOfBounds) {
            return;
        }
        let values = range::of(self.program(), index);
        let mut parts = Vec::new();
        if values.is_none_or(|(low, _)| low < 0) {
            parts.push(self.build_at(span).test_int(BinOp::Lt, index, 0));
        }
        match len {
            ArrayLen::Fixed(len) => {
                let len = i128::from(len);
                if values.is_none_or(|(_, high)| high >= len) {
                    parts.push(self.build_at(span).test_int(BinOp::Ge, index, len));
                }
            }
            ArrayLen::Variable(var) => {
                let len = self.program_mut().load_var(var, span);
                let mut build = self.build_at(span);
                let ty = build.ty(index);
                let len = build.cast(len, ty);
                parts.push(build.test(BinOp::Ge, index, len));
            }
            ArrayLen::Unknown => {
                let what = "an access to an array whose length is not known here";
                parts.push(Condition::Unknown(what.into()));
            }
        }
        let build = self.build_at(span);
        let (shown, array) = (build.quote(span, |_| "…".into()), build.quote_place(array));
        let message = format!("{shown} is {done} outside of {array}");
        self.violates_at(Rule::OutOfBounds, Condition::Any(parts), message, span);
    }

    /// The bytes of a place that `pointer` leads to are in its object.
    fn bounds(&mut self, place: PlaceId, pointer: ExprId, span: Span, message: String) {
        if !self.wants(Rule::OutOfBounds) {
            return;
        }
        // From the pointer, if only members lie between; else from the part.
        let (start, bytes) = match constant_part(self.program(), place) {
            Some((offset, bytes)) => (Some((pointer, offset)), Some(bytes)),
            None => match self.program().bit_field(place) {
                None => {
                    let address = self.build_at(span).address(place);
                    (Some((address, 0)), self.program().types.size(self.program().places[place].ty))
                }
                Some(field) => {
                    let PlaceKind::Field(base, _) = self.program().places[place].kind else { return };
                    let address = self.build_at(span).address(base);
                    (Some((address, field.offset / 8)), Some(bit_field_bytes(field)))
                }
            },
        };
        let condition = match (start, bytes) {
            (Some((pointer, offset)), Some(bytes)) => {
                let size_t = self.build_at(span).size_t();
                let bytes = self.build_at(span).int(bytes.into(), size_t);
                self.outside(pointer, offset, bytes, span)
            }
            _ => Condition::Unknown("an access whose size is not known".into()),
        };
        self.violates_at(Rule::OutOfBounds, condition, message, span);
    }

    /// `bytes` bytes, `offset` behind a pointer, are not all in its object.
    fn outside(&mut self, pointer: ExprId, offset: u64, bytes: ExprId, span: Span) -> Condition {
        let mut build = self.build_at(span);
        let size_t = build.size_t();
        let size = build.fact(PointerFact::Size, pointer);
        let start = build.fact(PointerFact::Offset, pointer);
        let mut start = build.cast(start, size_t);
        if offset != 0 {
            let offset = build.int(offset.into(), size_t);
            start = build.arithmetic(BinOp::Add, start, offset);
        }
        // A start before the object is a huge number.
        let room = build.arithmetic(BinOp::Sub, size, bytes);
        Condition::Any(vec![build.test(BinOp::Lt, size, bytes), build.test(BinOp::Gt, start, room)])
    }

    /// A function of the library that is no body in C.
    pub fn library(&mut self, builtin: Builtin, args: &[ExprId], span: Span) {
        match (builtin, args) {
            (Builtin::Free | Builtin::Realloc, [block, ..]) => self.freed(*block, span),
            (Builtin::Memcpy | Builtin::Memmove, [to, from, size]) => {
                self.bytes(*to, *size, span, WRITTEN);
                self.bytes(*from, *size, span, READ);
                if builtin == Builtin::Memcpy {
                    self.copied(*to, *from, (*size, *size), span);
                }
            }
            (Builtin::Memset, [to, _, size]) => self.bytes(*to, *size, span, WRITTEN),
            (Builtin::Memcmp, [a, b, size]) => {
                self.bytes(*a, *size, span, READ);
                self.bytes(*b, *size, span, READ);
            }
            _ => {}
        }
    }

    /// `size` bytes from `pointer` on are read or written, if any.
    fn bytes(&mut self, pointer: ExprId, size: ExprId, span: Span, done: &str) {
        let none = self.program().const_value(size) == Some(0);
        if none {
            return;
        }
        let before = self.found_len();
        let shown = self.quoted(pointer);
        self.object_of(pointer, span, &format!("what {shown} points to is {done}"));
        if self.wants(Rule::OutOfBounds) {
            let size_t = self.build_at(span).size_t();
            let size = self.build_at(span).cast(size, size_t);
            let condition = self.outside(pointer, 0, size, span);
            let message = format!("what {shown} points to is {done} outside its object");
            self.violates_at(Rule::OutOfBounds, condition, message, span);
        }
        if done == WRITTEN {
            self.writable(pointer, span, &format!("what {shown} points to is written"));
        }
        if self.program().const_value(size).is_none() {
            let some = self.build_at(span).test_int(BinOp::Ne, size, 0);
            self.only_if(before, &some);
        }
    }
}

/// What is added to a null pointer does not make it another one.
fn without_sums(program: &Program, mut pointer: ExprId) -> ExprId {
    loop {
        match program.exprs[pointer].kind {
            ExprKind::Binary(BinOp::PtrAdd, inner, _) => pointer = inner,
            ExprKind::Cast(inner) if program.types.pointee(program.exprs[inner].ty).is_some() => {
                pointer = inner
            }
            _ => return pointer,
        }
    }
}

/// A pointer that is obviously one to something: the address of a variable or a function.
fn is_address(program: &Program, expr: ExprId) -> bool {
    match program.exprs[expr].kind {
        ExprKind::AddrOf(place) => program.pointer_to(place).is_none(),
        ExprKind::FnAddr(_) => true,
        ExprKind::Cast(inner) if program.types.pointee(program.exprs[inner].ty).is_some() => {
            is_address(program, inner)
        }
        _ => false,
    }
}

/// Offset and size of a place in what a pointer points to, if only members lead there.
fn constant_part(program: &Program, place: PlaceId) -> Option<(u64, u64)> {
    let mut offset = 0;
    let bits = program.bit_field(place);
    let mut at = place;
    let bytes = match bits {
        Some(field) => {
            let PlaceKind::Field(base, _) = program.places[place].kind else { return None };
            at = base;
            offset += field.offset / 8;
            bit_field_bytes(field)
        }
        None => program.types.size(program.places[place].ty)?,
    };
    loop {
        match program.places[at].kind {
            PlaceKind::Deref(_) => return Some((offset, bytes)),
            PlaceKind::Field(base, index) => {
                let Type::Record(id) = program.types[program.places[base].ty] else { return None };
                offset += program.types.records[id].fields.get(index as usize)?.offset;
                at = base;
            }
            PlaceKind::Var(_) | PlaceKind::Index(..) => return None,
        }
    }
}

fn bit_field_bytes(field: tour_ir::program::BitField) -> u64 {
    (field.offset % 8 + u64::from(field.width)).div_ceil(8)
}
