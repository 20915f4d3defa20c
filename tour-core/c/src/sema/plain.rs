//! Results of the library of which the standard fixes only the sign, or whether they are zero: `strcmp`, `isalpha`.
//!
//! In general such a result is drawn (`__any_order` in `lib/unspecified.c`). Most programs ask for no more than what is
//! fixed: `strcmp(a, b) == 0`. There the call becomes one of the variant that draws nothing, `__plain_strcmp`, and a
//! program without inputs stays one.

use super::is_ours;
use index_vec::IndexVec;
use tour_ir::cfa::EdgeId;
use tour_ir::program::{BinOp, Call, Callee, ExprId, ExprKind, FnId, Op, PlaceKind, Program, Storage, VarId};

/// What the variants that draw nothing begin with.
const PREFIX: &str = "__plain_";

/// Lets calls draw nothing where nobody would see it.
pub(super) fn ask_plainly(program: &mut Program) {
    let plain: IndexVec<FnId, Option<FnId>> =
        program.functions.indices().map(|f| variant(program, f)).collect();
    if plain.iter().all(Option::is_none) {
        return;
    }
    let seen = seen_values(program);
    for index in 0..program.cfa.edges.len() {
        let edge = EdgeId::new(index);
        let Op::Call(Call { callee: Callee::Direct(f), dest, .. }) = program.cfa.edges[edge].op else {
            continue;
        };
        let Some(plain) = plain[f] else { continue };
        let unseen = dest.is_none_or(|dest| match program.places[dest].kind {
            PlaceKind::Var(var) => !seen[var] && is_local(program, var),
            _ => false,
        });
        if unseen && let Op::Call(call) = &mut program.cfa.edges[edge].op {
            call.callee = Callee::Direct(plain);
        }
    }
}

fn variant(program: &Program, f: FnId) -> Option<FnId> {
    let function = &program.functions[f];
    if function.body.is_none() || !is_ours(program, f) {
        return None;
    }
    let name = format!("{PREFIX}{}", function.name);
    let mut all = program.functions.iter_enumerated();
    all.find(|(id, g)| g.name == name && g.body.is_some() && is_ours(program, *id)).map(|(id, _)| id)
}

fn is_local(program: &Program, var: VarId) -> bool {
    let var = &program.vars[var];
    matches!(var.storage, Storage::Temp(_) | Storage::Local(_)) && !var.address_taken
}

/// The variables of whose values more than a comparison with zero is seen.
fn seen_values(program: &Program) -> IndexVec<VarId, bool> {
    let mut seen: IndexVec<VarId, bool> = index_vec::index_vec![false; program.vars.len()];
    let mut see = |value: ExprId| {
        if let ExprKind::Load(place) = program.exprs[value].kind
            && let PlaceKind::Var(var) = program.places[place].kind
        {
            seen[var] = true;
        }
    };
    let is_zero = |e: ExprId| program.const_value(e) == Some(0);
    for expr in &program.exprs {
        match expr.kind {
            ExprKind::Binary(op, a, b) => {
                let compares =
                    matches!(op, BinOp::Eq | BinOp::Ne | BinOp::Lt | BinOp::Le | BinOp::Gt | BinOp::Ge);
                if !(compares && is_zero(b)) {
                    see(a);
                }
                if !(compares && is_zero(a)) {
                    see(b);
                }
            }
            ExprKind::Unary(_, a) | ExprKind::Cast(a) | ExprKind::Fact(_, a) => see(a),
            ExprKind::Int(_)
            | ExprKind::Float(_)
            | ExprKind::Zeroed
            | ExprKind::Load(_)
            | ExprKind::AddrOf(_)
            | ExprKind::FnAddr(_) => {}
        }
    }
    for place in &program.places {
        match place.kind {
            PlaceKind::Deref(value) | PlaceKind::Index(_, value) => see(value),
            PlaceKind::Var(_) | PlaceKind::Field(..) => {}
        }
    }
    for edge in &program.cfa.edges {
        match &edge.op {
            // That it is zero or not is what is seen.
            Op::Assume { .. } => {}
            Op::Assign(_, value) | Op::Return(Some(value)) => see(*value),
            Op::Call(call) => {
                if let Callee::Indirect(pointer) = call.callee {
                    see(pointer);
                }
                call.args.iter().for_each(|arg| see(*arg));
            }
            Op::Nop
            | Op::Declare(_)
            | Op::Expire(_)
            | Op::Return(None)
            | Op::Unsupported(_)
            | Op::Havoc(..) => {}
        }
    }
    seen
}
