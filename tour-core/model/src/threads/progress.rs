//! Steps that are sure to happen. A thread whose next action may stop it forever (an assumption that fails, a lock that
//! is never released, the end of the program, an access through null) must not be the only one that is explored: what
//! the others do would be lost.

use tour_ir::cfa::{LocId, LocKind};
use tour_ir::program::{Call, Callee, ExprId, ExprKind, Op, PlaceId, PlaceKind, Program};

/// Whatever the data, some step leaves the location, and it does not end the program. Errors count as going on: reaching
/// one is an answer.
pub fn goes_on(program: &Program, loc: LocId) -> bool {
    let node = &program.cfa.locs[loc];
    match node.kind {
        LocKind::Error(_) | LocKind::Exit => return true,
        LocKind::End => return false,
        LocKind::Plain | LocKind::Entry => {}
    }
    let ops = || node.out.iter().map(|edge| &program.cfa.edges[*edge].op);
    let conditions: Vec<(ExprId, bool)> = ops()
        .filter_map(|op| match op {
            Op::Assume { cond, truth } => Some((*cond, *truth)),
            _ => None,
        })
        .collect();
    match (conditions.as_slice(), node.out.len()) {
        ([], 1) => ops().all(|op| is_sure(program, op)),
        // Control of threads: one for each that may begin here.
        ([], 2..) => ops().all(|op| starts(program, op)),
        (&[(a, true), (b, false)] | &[(a, false), (b, true)], 2) => {
            same(program, a, b) && is_plain(program, a)
        }
        _ => false,
    }
}

fn starts(program: &Program, op: &Op) -> bool {
    super::builtin_of(program, op) == Some(tour_ir::program::Builtin::ThreadStart)
}

fn is_sure(program: &Program, op: &Op) -> bool {
    use tour_ir::program::Builtin;
    match op {
        Op::Nop | Op::Return(None) | Op::Declare(_) | Op::Expire(_) => true,
        // Reaching it is an answer too.
        Op::Unsupported(_) => true,
        Op::Assume { .. } => false,
        Op::Assign(place, value) => is_plain_place(program, *place) && is_plain(program, *value),
        Op::Return(Some(value)) => is_plain(program, *value),
        Op::Havoc(place, _) => is_plain_place(program, *place),
        Op::Call(Call { callee: Callee::Indirect(_), .. }) => false,
        Op::Call(Call { callee: Callee::Direct(f), args, dest }) => {
            let control = match program.functions[*f].builtin {
                _ if program.functions[*f].body.is_some() => true,
                Some(Builtin::ThreadFinished) | None => false,
                Some(builtin) => builtin.is_control() || builtin == Builtin::ThreadExit,
            };
            control
                && args.iter().all(|arg| is_plain(program, *arg))
                && dest.is_none_or(|dest| is_plain_place(program, dest))
        }
    }
}

/// A place that no pointer has to be followed for.
fn is_plain_place(program: &Program, place: PlaceId) -> bool {
    match program.places[place].kind {
        PlaceKind::Var(_) => true,
        PlaceKind::Field(base, _) => is_plain_place(program, base),
        PlaceKind::Index(base, index) => is_plain_place(program, base) && is_plain(program, index),
        PlaceKind::Deref(pointer) => match program.exprs[pointer].kind {
            ExprKind::AddrOf(inner) => is_plain_place(program, inner),
            _ => false,
        },
    }
}

/// An expression that follows no pointer.
fn is_plain(program: &Program, expr: ExprId) -> bool {
    match program.exprs[expr].kind {
        ExprKind::Int(_) | ExprKind::Float(_) | ExprKind::Zeroed | ExprKind::FnAddr(_) => true,
        ExprKind::Load(place) | ExprKind::AddrOf(place) => is_plain_place(program, place),
        ExprKind::Unary(_, a) | ExprKind::Cast(a) | ExprKind::Fact(_, a) => is_plain(program, a),
        ExprKind::Binary(_, a, b) => is_plain(program, a) && is_plain(program, b),
    }
}

/// Two expressions are the same text.
fn same(program: &Program, a: ExprId, b: ExprId) -> bool {
    use ExprKind::{AddrOf, Binary, Cast, Fact, Load, Unary};
    if a == b {
        return true;
    }
    let (x, y) = (&program.exprs[a], &program.exprs[b]);
    x.ty == y.ty
        && match (&x.kind, &y.kind) {
            (Load(p), Load(q)) | (AddrOf(p), AddrOf(q)) => same_place(program, *p, *q),
            (Unary(f, a), Unary(g, b)) => f == g && same(program, *a, *b),
            (Cast(a), Cast(b)) => same(program, *a, *b),
            (Fact(f, a), Fact(g, b)) => f == g && same(program, *a, *b),
            (Binary(f, a, c), Binary(g, b, d)) => f == g && same(program, *a, *b) && same(program, *c, *d),
            (x, y) => x == y,
        }
}

fn same_place(program: &Program, a: PlaceId, b: PlaceId) -> bool {
    use PlaceKind::{Deref, Field, Index, Var};
    a == b
        || match (&program.places[a].kind, &program.places[b].kind) {
            (Var(v), Var(w)) => v == w,
            (Deref(p), Deref(q)) => same(program, *p, *q),
            (Field(p, i), Field(q, j)) => i == j && same_place(program, *p, *q),
            (Index(p, i), Index(q, j)) => same_place(program, *p, *q) && same(program, *i, *j),
            _ => false,
        }
}
