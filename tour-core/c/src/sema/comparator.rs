//! Functions that `qsort` and `bsearch` are given: which elements they are called with, in which order and how often, is up
//! to the library. The bodies in `lib/stdlib.c` choose one way, which is as good as any other where a comparison does
//! nothing but to compare. Calls with another one are not modelled.

use super::is_ours;
use rustc_hash::FxHashSet;
use tour_ir::cfa::EdgeId;
use tour_ir::program::{
    Builtin, Call, Callee, ExprId, ExprKind, FnId, HavocOrigin, Op, PlaceId, Program, Unsupported,
};

/// Refuses calls with comparisons that do something else. `is_pointed` says whose address some edge uses.
pub(super) fn refuse_effects(program: &mut Program, is_pointed: impl Fn(FnId) -> bool) {
    let sorts = |f: FnId| {
        let function = &program.functions[f];
        matches!(function.name.as_str(), "qsort" | "bsearch")
            && function.body.is_some()
            && is_ours(program, f)
    };
    let all: Vec<FnId> = program.functions.indices().filter(|f| sorts(*f)).collect();
    let mut refused = Vec::new();
    for (edge, at) in program.cfa.edges.iter_enumerated() {
        let function = program.cfa.locs[at.from].function;
        match &at.op {
            Op::Call(Call { callee: Callee::Direct(f), args, .. }) if all.contains(f) => {
                let given = args.last().and_then(|compare| named(program, *compare));
                if given.is_some_and(|g| !is_pure(program, g, &mut FxHashSet::default())) {
                    refused.push(edge);
                }
            }
            // A comparison that no call names may be any function whose address is taken.
            Op::Call(Call { callee: Callee::Indirect(_), .. })
                if all.contains(&function)
                    && (is_pointed(function) || !all_named(program, function))
                    && !all_pure(program, &is_pointed) =>
            {
                refused.push(edge);
            }
            _ => {}
        }
    }
    for edge in refused {
        refuse(program, edge);
    }
}

fn refuse(program: &mut Program, edge: EdgeId) {
    let message = "the library is given a comparison that does more than to compare: in which order it is called is open";
    let what = Unsupported { kind: "library", message: message.to_owned() };
    program.cfa.edges[edge].op = Op::Unsupported(Box::new(what));
}

/// The function that a pointer names.
fn named(program: &Program, mut pointer: ExprId) -> Option<FnId> {
    loop {
        match program.exprs[pointer].kind {
            ExprKind::Cast(inner) => pointer = inner,
            ExprKind::FnAddr(f) => return Some(f),
            _ => return None,
        }
    }
}

/// All direct calls of a function name what it calls.
fn all_named(program: &Program, function: FnId) -> bool {
    program.cfa.edges.iter().all(|edge| match &edge.op {
        Op::Call(Call { callee: Callee::Direct(f), args, .. }) if *f == function => {
            args.last().is_some_and(|compare| named(program, *compare).is_some())
        }
        _ => true,
    })
}

/// All functions that a pointer to a comparison may point to do nothing else.
fn all_pure(program: &Program, is_pointed: impl Fn(FnId) -> bool) -> bool {
    program.functions.indices().filter(|f| is_pointed(*f)).all(|f| {
        let takes_two = program.functions[f].sig(&program.types).params.len() == 2;
        !takes_two || is_pure(program, f, &mut FxHashSet::default())
    })
}

/// A call has no effect, and the same result each time.
fn is_pure(program: &Program, f: FnId, known: &mut FxHashSet<FnId>) -> bool {
    if !known.insert(f) {
        return true;
    }
    if program.functions[f].body.is_none() {
        let is_atomic = |of| matches!(of, Builtin::AtomicBegin | Builtin::AtomicEnd);
        return program.functions[f].builtin.is_some_and(|of| of.only_reads() || is_atomic(of));
    }
    program.cfa.edges.iter().filter(|edge| program.cfa.locs[edge.from].function == f).all(|edge| match &edge
        .op
    {
        Op::Assign(place, _) => is_own(program, *place, f),
        Op::Havoc(place, HavocOrigin::Indeterminate | HavocOrigin::Uncomputed) => is_own(program, *place, f),
        Op::Havoc(..) => false,
        Op::Call(Call { callee: Callee::Direct(g), dest, .. }) => {
            dest.is_none_or(|dest| is_own(program, dest, f)) && is_pure(program, *g, known)
        }
        Op::Call(_) => false,
        Op::Nop | Op::Assume { .. } | Op::Return(_) | Op::Declare(_) | Op::Expire(_) | Op::Unsupported(_) => {
            true
        }
    })
}

/// The place is in a variable of the function's own.
fn is_own(program: &Program, place: PlaceId, f: FnId) -> bool {
    program.root(place).is_some_and(|var| program.vars[var].function() == Some(f))
}
