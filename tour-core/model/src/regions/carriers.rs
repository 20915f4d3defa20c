//! Integers that are pointers: casts of pointers, sums of those, and local variables that such values are assigned to
//! (as tools that simplify C make them).

use rustc_hash::FxHashSet;
use tour_ir::program::{BinOp, ExprId, ExprKind, Op, PlaceKind, Program, Storage, Type, VarId};

/// The local integer variables that hold pointers.
#[derive(Clone, Debug, Default)]
pub struct Carriers {
    vars: FxHashSet<VarId>,
}

/// An integer that is a pointer, perhaps after some arithmetic.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Origin {
    /// The value of a pointer.
    Pointer(ExprId),
    /// The value of a variable that holds one.
    Variable(VarId),
    /// The first one is a pointer, and the second one is added.
    Plus(ExprId, ExprId),
    /// The second one is subtracted.
    Minus(ExprId, ExprId),
    /// Another integer of the same width.
    Same(ExprId),
}

impl Carriers {
    /// The carriers of a program.
    pub fn of(program: &Program) -> Carriers {
        let mut carriers = Carriers::default();
        loop {
            let before = carriers.vars.len();
            for edge in &program.cfa.edges {
                if let Op::Assign(place, value) = edge.op
                    && let PlaceKind::Var(var) = program.places[place].kind
                    && matches!(program.vars[var].storage, Storage::Local(_) | Storage::Temp(_))
                    && !program.vars[var].address_taken
                    && carriers.origin(program, value).is_some()
                {
                    carriers.vars.insert(var);
                }
            }
            if carriers.vars.len() == before {
                return carriers;
            }
        }
    }

    /// The variable holds pointers.
    pub fn contains(&self, var: VarId) -> bool {
        self.vars.contains(&var)
    }

    /// What an integer expression is as a pointer; `None` if it is none.
    pub fn origin(&self, program: &Program, expr: ExprId) -> Option<Origin> {
        let node = &program.exprs[expr];
        if program.int_type_of(expr).is_none_or(|int| int.bits != program.model.pointer_bits()) {
            return None;
        }
        let is = |expr: ExprId| self.origin(program, expr).is_some();
        match node.kind {
            ExprKind::Cast(inner) if matches!(program.type_of(inner), Type::Pointer(_)) => {
                Some(Origin::Pointer(inner))
            }
            ExprKind::Cast(inner) => is(inner).then_some(Origin::Same(inner)),
            ExprKind::Load(place) => match program.places[place].kind {
                PlaceKind::Var(var) if self.vars.contains(&var) => Some(Origin::Variable(var)),
                _ => None,
            },
            ExprKind::Binary(BinOp::Add, a, b) => match (is(a), is(b)) {
                (true, false) => Some(Origin::Plus(a, b)),
                (false, true) => Some(Origin::Plus(b, a)),
                _ => None,
            },
            ExprKind::Binary(BinOp::Sub, a, b) if is(a) && !is(b) => Some(Origin::Minus(a, b)),
            _ => None,
        }
    }
}
