//! Allocation that may fail: `malloc`, `calloc` and `realloc` give null, or a block as usual.
//!
//! Each call becomes a choice, so that the interpreter, the formulas and the evidence need to know nothing of it. Where
//! `realloc` fails, the old block stays as it is.
//!
//! ```text
//!     from ──[$fails = any]── ●──[$fails]─── ●──[p = 0]──────────── to
//!                             └──[!$fails]── ●──[p = malloc(n)]────┘
//! ```

use crate::cfa::{EdgeId, LocKind};
use crate::program::{
    Assumption, Builtin, Call, Callee, FnId, HavocOrigin, IntKind, Op, Program, Storage, Var,
};

/// Lets every call of an allocating function fail.
pub(super) fn let_fail(program: &mut Program) {
    for index in 0..program.cfa.edges.len() {
        let edge = EdgeId::new(index);
        let Op::Call(Call { callee: Callee::Direct(f), .. }) = program.cfa.edges[edge].op else { continue };
        if allocates(program, f) {
            choose(program, edge, f);
        }
    }
}

fn allocates(program: &Program, f: FnId) -> bool {
    let function = &program.functions[f];
    function.body.is_none()
        && matches!(function.builtin, Some(Builtin::Malloc | Builtin::Calloc | Builtin::Realloc))
}

fn choose(program: &mut Program, edge: EdgeId, f: FnId) {
    let (span, to) = (program.cfa.edges[edge].span, program.cfa.edges[edge].to);
    let caller = program.cfa.locs[program.cfa.edges[edge].from].function;
    let [chosen, null, block] = [(); 3].map(|()| program.cfa.add_loc(caller, LocKind::Plain));
    let bool_type = program.types.int(IntKind::Bool);
    let fails = program.vars.push(Var {
        name: format!("${}_fails", program.functions[f].name),
        ty: bool_type.into(),
        storage: Storage::Temp(caller),
        thread_local: false,
        address_taken: false,
        align: None,
        init: None,
        span,
    });
    program.functions[caller].locals.push(fails);
    let place = program.var_place(fails, span);
    program.cfa.redirect(edge, chosen);
    let call =
        std::mem::replace(&mut program.cfa.edges[edge].op, Op::Havoc(place, HavocOrigin::Undefined(f)));
    let cond = program.load(place, span);
    program.cfa.add_edge(chosen, null, Op::Assume { cond, truth: true }, span);
    program.cfa.add_edge(chosen, block, Op::Assume { cond, truth: false }, span);
    let nothing = match &call {
        Op::Call(Call { dest: Some(dest), .. }) => {
            let dest = *dest;
            let zero = program.int(0, program.places[dest].ty, span);
            Op::Assign(dest, zero)
        }
        _ => Op::Nop,
    };
    program.cfa.add_edge(null, to, nothing, span);
    program.cfa.add_edge(block, to, call, span);
}

/// Says that no allocation fails, where the program allocates something.
pub(super) fn assume_success(program: &mut Program) {
    let found = program.cfa.edges.iter().find_map(|edge| match edge.op {
        Op::Call(Call { callee: Callee::Direct(f), .. }) if allocates(program, f) => Some(edge.span),
        _ => None,
    });
    if let Some(span) = found {
        program.assumptions.push(Assumption { text: "`malloc` and its kin do not fail".to_owned(), span });
    }
}
