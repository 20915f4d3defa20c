//! What expressions and lvalues mention: the one walk over them that the analyses of this module share.

use crate::program::{
    Callee, ExprId, ExprKind, FnId, Op, PlaceId, PlaceKind, Program, RecordId, Type, VarId,
};

/// Something that an expression mentions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Mention {
    /// The value of a variable, or a part of it, is read.
    Value(VarId),
    /// As `Value`, to compute a pointer that is dereferenced or called.
    Pointer(VarId),
    /// Something is read through a pointer.
    Memory,
    /// A function's address is taken.
    Function(FnId),
    /// A bit-field is read: the record and the index of its field.
    BitField(RecordId, u32),
}

/// Where a store goes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Target {
    /// To a variable as a whole.
    Whole(VarId),
    /// To a field or an element of a variable.
    Part(VarId),
    /// To wherever a pointer points.
    Memory,
}

/// A walk that hands every mention to `see`.
pub(super) struct Walk<'a, F> {
    pub program: &'a Program,
    pub see: F,
}

impl<F: FnMut(Mention)> Walk<'_, F> {
    /// All that an expression mentions.
    pub fn expr(&mut self, expr: ExprId) {
        self.value(expr, false);
    }

    /// All that a call or jump through a pointer mentions.
    pub fn pointer(&mut self, expr: ExprId) {
        self.value(expr, true);
    }

    /// Where a store to a place goes; indices and pointers in it are mentioned.
    pub fn target(&mut self, place: PlaceId) -> Target {
        self.place(place, false)
    }

    /// Everything that an operation mentions, wherever it stands in it.
    pub fn op(&mut self, op: &Op) {
        match op {
            Op::Nop | Op::Declare(_) | Op::Expire(_) | Op::Return(None) | Op::Unsupported(_) => {}
            Op::Assign(place, value) => {
                self.target(*place);
                self.expr(*value);
            }
            Op::Assume { cond, truth: _ } => self.expr(*cond),
            Op::Call(call) => {
                if let Callee::Indirect(pointer) = call.callee {
                    self.pointer(pointer);
                }
                call.args.iter().for_each(|&arg| self.expr(arg));
                if let Some(dest) = call.dest {
                    self.target(dest);
                }
            }
            Op::Return(Some(value)) => self.expr(*value),
            Op::Havoc(place, _) => _ = self.target(*place),
        }
    }

    fn place(&mut self, place: PlaceId, read: bool) -> Target {
        match self.program.places[place].kind {
            PlaceKind::Var(v) => Target::Whole(v),
            PlaceKind::Deref(pointer) => {
                self.value(pointer, true);
                Target::Memory
            }
            PlaceKind::Field(base, index) => {
                if read {
                    self.field(base, index);
                }
                self.place(base, read).part()
            }
            PlaceKind::Index(base, index) => {
                self.value(index, false);
                self.place(base, read).part()
            }
        }
    }

    fn field(&mut self, base: PlaceId, index: u32) {
        if let Type::Record(record) = self.program.types[self.program.places[base].ty]
            && self.program.types.records[record].fields.get(index as usize).is_some_and(|f| f.bits.is_some())
        {
            (self.see)(Mention::BitField(record, index));
        }
    }

    fn value(&mut self, expr: ExprId, pointer: bool) {
        match self.program.exprs[expr].kind {
            ExprKind::Int(_) | ExprKind::Float(_) | ExprKind::Zeroed => {}
            ExprKind::Load(place) => match self.place(place, true) {
                Target::Whole(v) | Target::Part(v) if pointer => (self.see)(Mention::Pointer(v)),
                Target::Whole(v) | Target::Part(v) => (self.see)(Mention::Value(v)),
                Target::Memory => (self.see)(Mention::Memory),
            },
            // The address alone says nothing of the value, but indices and pointers count.
            ExprKind::AddrOf(place) => _ = self.target(place),
            ExprKind::FnAddr(f) => (self.see)(Mention::Function(f)),
            ExprKind::Unary(_, a) | ExprKind::Cast(a) | ExprKind::Fact(_, a) => self.value(a, pointer),
            ExprKind::Binary(_, a, b) => {
                self.value(a, pointer);
                self.value(b, pointer);
            }
        }
    }
}

impl Target {
    fn part(self) -> Target {
        match self {
            Target::Whole(v) | Target::Part(v) => Target::Part(v),
            Target::Memory => Target::Memory,
        }
    }
}

/// The variables that an operation declares, reads, writes or takes the address of, ascending.
pub fn mentioned(program: &Program, op: &Op) -> Vec<VarId> {
    let mut found = Vec::new();
    let see = |mention: Mention| match mention {
        Mention::Value(var) | Mention::Pointer(var) => found.push(var),
        Mention::Memory | Mention::Function(_) | Mention::BitField(..) => {}
    };
    let mut walk = Walk { program, see };
    let target = match op {
        Op::Assign(place, _) | Op::Havoc(place, _) => Some(walk.target(*place)),
        Op::Call(call) => call.dest.map(|dest| walk.target(dest)),
        Op::Declare(var) => Some(Target::Whole(*var)),
        Op::Nop | Op::Assume { .. } | Op::Return(_) | Op::Expire(_) | Op::Unsupported(_) => None,
    };
    walk.op(op);
    if let Some(Target::Whole(var) | Target::Part(var)) = target {
        found.push(var);
    }
    found.sort_unstable();
    found.dedup();
    found
}
