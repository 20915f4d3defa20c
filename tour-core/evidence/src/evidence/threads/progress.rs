//! Whether a thread is sure to move on from where it is. One that may stop there for ever (an assumption that fails, a
//! lock that nobody releases, the end of the run, a null pointer) must not be all that is explored.

use tour_ir::cfa::{LocId, LocKind};
use tour_ir::program::{Builtin, Callee, ExprId, ExprKind, Op, PlaceId, PlaceKind, Program};

/// Whatever the data, a step leaves the location and does not end the run. To reach an error counts as going on.
pub(super) fn goes_on(program: &Program, loc: LocId) -> bool {
    match program.cfa.locs[loc].kind {
        LocKind::Error(_) | LocKind::Exit => return true,
        LocKind::End => return false,
        LocKind::Plain | LocKind::Entry => {}
    }
    let ops: Vec<&Op> = program.cfa.successors(loc).map(|(_, edge)| &edge.op).collect();
    match ops[..] {
        [] => false,
        [Op::Assume { cond: a, truth: x }, Op::Assume { cond: b, truth: y }] => {
            x != y && is_same(program, *a, *b) && is_total(program, *a)
        }
        [op] => always_works(program, op),
        // One of several threads begins.
        _ => ops.iter().all(|op| builtin(program, op) == Some(Builtin::ThreadStart)),
    }
}

/// A step from here may end the run, or its thread may stay here for ever.
pub(super) fn may_end(program: &Program, loc: LocId) -> bool {
    match program.cfa.locs[loc].kind {
        LocKind::Error(_) | LocKind::End | LocKind::Exit => false,
        LocKind::Plain | LocKind::Entry => {
            let ends = |to: LocId| matches!(program.cfa.locs[to].kind, LocKind::Error(_) | LocKind::End);
            !goes_on(program, loc) || program.cfa.successors(loc).any(|(_, edge)| ends(edge.to))
        }
    }
}

fn builtin(program: &Program, op: &Op) -> Option<Builtin> {
    let Op::Call(call) = op else { return None };
    let Callee::Direct(f) = call.callee else { return None };
    program.functions[f].builtin
}

fn always_works(program: &Program, op: &Op) -> bool {
    match op {
        Op::Nop | Op::Return(None) | Op::Declare(_) | Op::Expire(_) => true,
        // To get there is an answer.
        Op::Unsupported(_) => true,
        Op::Assume { .. } => false,
        Op::Assign(place, value) => is_at_hand(program, *place) && is_total(program, *value),
        Op::Havoc(place, _) => is_at_hand(program, *place),
        Op::Return(Some(value)) => is_total(program, *value),
        Op::Call(call) => {
            let Callee::Direct(f) = call.callee else { return false };
            let begins = program.functions[f].body.is_some();
            let control = match builtin(program, op) {
                Some(
                    Builtin::AtomicBegin | Builtin::AtomicEnd | Builtin::ThreadStart | Builtin::ThreadExit,
                ) => true,
                // It may wait; of others, nothing is known here.
                _ => false,
            };
            (begins || control)
                && call.args.iter().all(|arg| is_total(program, *arg))
                && call.dest.is_none_or(|dest| is_at_hand(program, dest))
        }
    }
}

/// No pointer is followed to find the place.
fn is_at_hand(program: &Program, place: PlaceId) -> bool {
    match program.places[place].kind {
        PlaceKind::Var(_) => true,
        PlaceKind::Field(base, _) => is_at_hand(program, base),
        PlaceKind::Index(base, index) => is_at_hand(program, base) && is_total(program, index),
        PlaceKind::Deref(pointer) => {
            matches!(program.exprs[pointer].kind, ExprKind::AddrOf(of) if is_at_hand(program, of))
        }
    }
}

/// No pointer is followed to get the value.
fn is_total(program: &Program, expr: ExprId) -> bool {
    match program.exprs[expr].kind {
        ExprKind::Int(_) | ExprKind::Float(_) | ExprKind::Zeroed | ExprKind::FnAddr(_) => true,
        ExprKind::Load(place) | ExprKind::AddrOf(place) => is_at_hand(program, place),
        ExprKind::Unary(_, a) | ExprKind::Cast(a) | ExprKind::Fact(_, a) => is_total(program, a),
        ExprKind::Binary(_, a, b) => is_total(program, a) && is_total(program, b),
    }
}

/// Two conditions are built alike, so that they have the same value.
fn is_same(program: &Program, a: ExprId, b: ExprId) -> bool {
    if a == b {
        return true;
    }
    let (x, y) = (&program.exprs[a], &program.exprs[b]);
    let same = |a: &ExprId, b: &ExprId| is_same(program, *a, *b);
    x.ty == y.ty
        && match (&x.kind, &y.kind) {
            (ExprKind::Load(p), ExprKind::Load(q)) | (ExprKind::AddrOf(p), ExprKind::AddrOf(q)) => {
                is_same_place(program, *p, *q)
            }
            (ExprKind::Cast(a), ExprKind::Cast(b)) => same(a, b),
            (ExprKind::Unary(f, a), ExprKind::Unary(g, b)) => f == g && same(a, b),
            (ExprKind::Fact(f, a), ExprKind::Fact(g, b)) => f == g && same(a, b),
            (ExprKind::Binary(f, a, c), ExprKind::Binary(g, b, d)) => f == g && same(a, b) && same(c, d),
            (x, y) => x == y,
        }
}

fn is_same_place(program: &Program, a: PlaceId, b: PlaceId) -> bool {
    if a == b {
        return true;
    }
    match (&program.places[a].kind, &program.places[b].kind) {
        (PlaceKind::Var(v), PlaceKind::Var(w)) => v == w,
        (PlaceKind::Deref(p), PlaceKind::Deref(q)) => is_same(program, *p, *q),
        (PlaceKind::Field(p, i), PlaceKind::Field(q, j)) => i == j && is_same_place(program, *p, *q),
        (PlaceKind::Index(p, i), PlaceKind::Index(q, j)) => {
            is_same_place(program, *p, *q) && is_same(program, *i, *j)
        }
        _ => false,
    }
}
