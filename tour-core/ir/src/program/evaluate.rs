//! Arguments are evaluated, whatever becomes of the call.
//!
//! A call of a function without a body, of `printf` or of `exit` is replaced by something that needs no arguments. But
//! they are read, and may violate a rule or race with another thread. So each that could is first stored in a temporary:
//!
//! ```text
//!     from ──[use(*p, 1)]── to      becomes      from ──[$argument = *p]── ●──[]── to
//! ```

use super::{ExprId, ExprKind, IntKind, Op, PlaceId, PlaceKind, Program, Storage, Type};
use crate::cfa::{EdgeId, LocKind};

/// Lets the arguments of a call be evaluated on edges of their own before it, where that could be noticed.
pub fn evaluate_arguments(program: &mut Program, edge: EdgeId) {
    let Op::Call(call) = &program.cfa.edges[edge].op else { return };
    let args: Vec<ExprId> = call.args.iter().copied().filter(|arg| is_noticed(program, *arg)).collect();
    let span = program.cfa.edges[edge].span;
    for arg in args {
        let from = program.cfa.edges[edge].from;
        let function = program.cfa.locs[from].function;
        let temp = program.add_temp(function, "$argument", program.exprs[arg].ty, span);
        let place = program.var_place(temp, span);
        let next = program.cfa.add_loc(function, LocKind::Plain);
        program.cfa.locs[from].out.retain(|e| *e != edge);
        program.cfa.edges[edge].from = next;
        program.cfa.locs[next].out.push(edge);
        program.cfa.add_edge(from, next, Op::Assign(place, arg), span);
    }
}

/// That the expression is evaluated could be noticed: it reads what others may write, or what was perhaps not set, or
/// its value may not exist.
pub fn is_noticed(program: &Program, value: ExprId) -> bool {
    match program.exprs[value].kind {
        ExprKind::Int(_) | ExprKind::Float(_) | ExprKind::Zeroed | ExprKind::FnAddr(_) => false,
        ExprKind::AddrOf(place) => !is_start(program, place),
        ExprKind::Load(place) => match program.places[place].kind {
            PlaceKind::Var(var) => match program.vars[var].storage {
                Storage::Temp(_) => false,
                Storage::Param(_) => program.vars[var].address_taken,
                _ => true,
            },
            PlaceKind::Deref(_) | PlaceKind::Field(..) | PlaceKind::Index(..) => true,
        },
        ExprKind::Cast(inner) => is_noticed(program, inner) || is_partial(program, inner, value),
        ExprKind::Unary(..) | ExprKind::Binary(..) | ExprKind::Fact(..) => true,
    }
}

/// The address of a variable, or of the start of one: nothing is read or computed.
fn is_start(program: &Program, mut place: PlaceId) -> bool {
    loop {
        match program.places[place].kind {
            PlaceKind::Var(_) => return true,
            PlaceKind::Deref(_) => return false,
            PlaceKind::Field(base, _) => place = base,
            PlaceKind::Index(base, index) if program.const_value(index) == Some(0) => place = base,
            PlaceKind::Index(..) => return false,
        }
    }
}

/// Not every value of the one's type can be converted to the other's.
pub fn is_partial(program: &Program, from: ExprId, to: ExprId) -> bool {
    match (program.type_of(from), program.type_of(to)) {
        (_, Type::Enum(_)) | (_, Type::Int(IntKind::Bool)) => true,
        (Type::Float(_), to) => !matches!(to, Type::Float(_)),
        _ => false,
    }
}
