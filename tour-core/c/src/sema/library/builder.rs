//! A function's automaton, made step by step.

use tour_ir::cfa::{LocId, LocKind};
use tour_ir::program::{
    BinOp, Call, Callee, ExprId, ExprKind, FnId, HavocOrigin, IntKind, Op, Place, PlaceId, PlaceKind,
    Program, Type, TypeId,
};
use tour_ir::source::Span;

/// The size of the longest text from outside, with its end: what Linux allows an argument or a variable of the environment
/// to have.
const MAX_TEXT: i128 = 131_072;

/// Where the next step begins, and why values are arbitrary.
pub(super) struct Builder<'a> {
    pub(super) program: &'a mut Program,
    pub(super) f: FnId,
    pub(super) span: Span,
    pub(super) origin: HavocOrigin,
    pub(super) at: LocId,
    temps: u32,
}

impl<'a> Builder<'a> {
    pub(super) fn new(
        program: &'a mut Program,
        f: FnId,
        span: Span,
        origin: HavocOrigin,
        at: LocId,
    ) -> Builder<'a> {
        Builder { program, f, span, origin, at, temps: 0 }
    }

    /// Goes on in two ways: here, and where it says.
    pub(super) fn choose(&mut self) -> LocId {
        let bool_type = self.program.types.int(IntKind::Bool);
        let chosen = self.any(bool_type);
        let cond = self.program.load(chosen, self.span);
        self.branch(cond)
    }

    /// What a pointer points to, a number of elements further.
    pub(super) fn behind(&mut self, pointer: ExprId, index: u64) -> PlaceId {
        let ty = self.program.exprs[pointer].ty;
        let to = self.program.types.pointee(ty).map_or(ty, |to| to.ty);
        let ptrdiff = self.program.types.ptrdiff_t();
        let target = match index {
            0 => pointer,
            _ => {
                let index = self.program.int(index.into(), ptrdiff, self.span);
                self.program.binary(BinOp::PtrAdd, pointer, index, ty, self.span)
            }
        };
        self.program.places.push(Place { kind: PlaceKind::Deref(target), ty: to, span: self.span })
    }

    /// A number between two others. One that is not is taken for the nearer of them.
    pub(super) fn within(&mut self, ty: TypeId, least: i128, most: i128) -> ExprId {
        let (span, int) = (self.span, self.program.types.int_type(ty));
        if least == most || int.is_none() {
            return match self.program.types[ty] {
                Type::Float(_) => self.program.add_expr(ExprKind::Float(least as f64), ty, span),
                _ => self.program.int(least, ty, span),
            };
        }
        let greatest = int.map_or(most, |int| (1i128 << (int.bits - u32::from(int.signed)).min(126)) - 1);
        let place = self.any(ty);
        for (op, bound) in [(BinOp::Lt, least), (BinOp::Gt, most.min(greatest))] {
            let value = self.program.load(place, span);
            let bound = self.program.int(bound, ty, span);
            let beyond = self.compare(op, value, bound);
            let after = self.branch(beyond);
            self.program.cfa.add_edge(self.at, after, Op::Assign(place, bound), span);
            self.at = after;
        }
        self.program.load(place, span)
    }

    /// A text that is none of the program's own, of any length: its contents are any, but its last byte is its end. `object`
    /// makes what it lies in.
    pub(super) fn text(&mut self, ty: TypeId, object: FnId) -> ExprId {
        let span = self.span;
        let size_type = self.program.types.size_t();
        let size = self.within(size_type, 1, MAX_TEXT);
        let place = self.temp(ty);
        self.step(Op::Call(Call { callee: Callee::Direct(object), args: vec![size], dest: Some(place) }));
        let text = self.program.load(place, span);
        let one = self.program.int(1, size_type, span);
        let last = self.program.binary(BinOp::Sub, size, one, size_type, span);
        let ptrdiff = self.program.types.ptrdiff_t();
        let last = self.program.cast(last, ptrdiff, span);
        let end = self.program.binary(BinOp::PtrAdd, text, last, ty, span);
        let end = self.behind(end, 0);
        let zero = self.program.int(0, self.program.places[end].ty, span);
        self.step(Op::Assign(end, zero));
        self.program.load(place, span)
    }

    pub(super) fn any(&mut self, ty: TypeId) -> PlaceId {
        let place = self.temp(ty);
        self.step(Op::Havoc(place, self.origin));
        place
    }

    pub(super) fn compare(&mut self, op: BinOp, a: ExprId, b: ExprId) -> ExprId {
        let int = self.program.types.int(IntKind::Int);
        self.program.binary(op, a, b, int, self.span)
    }

    /// Goes on where a condition holds; where it goes on otherwise.
    pub(super) fn branch(&mut self, cond: ExprId) -> LocId {
        let [yes, no] = [(); 2].map(|()| self.program.cfa.add_loc(self.f, LocKind::Plain));
        self.program.cfa.add_edge(self.at, yes, Op::Assume { cond, truth: true }, self.span);
        self.program.cfa.add_edge(self.at, no, Op::Assume { cond, truth: false }, self.span);
        self.at = yes;
        no
    }

    /// Goes on where another way does.
    pub(super) fn join(&mut self, to: LocId) {
        self.program.cfa.add_edge(self.at, to, Op::Nop, self.span);
        self.at = to;
    }

    pub(super) fn step(&mut self, op: Op) {
        let to = self.program.cfa.add_loc(self.f, LocKind::Plain);
        self.program.cfa.add_edge(self.at, to, op, self.span);
        self.at = to;
    }

    pub(super) fn temp(&mut self, ty: TypeId) -> PlaceId {
        self.temps += 1;
        let var = self.program.add_temp(self.f, format!("${}", self.temps), ty, self.span);
        self.program.var_place(var, self.span)
    }
}
