//! Allocation: `malloc`, `calloc` and `realloc`.
//!
//! No object is so large that the difference of two pointers into it does not fit: the builtins give null then, and where
//! the program looks at `errno`, a branch before the call sets it. `realloc(p, 0)` frees `p` and gives null, as glibc
//! does. But compilers leave allocations out that nobody uses, and take them for successful then, whatever the size: where
//! such a size is a constant, or has a branch of its own anyway, a block is another result, on which no violation rests.
//!
//! Where allocation may fail, it gives null, or a block as usual. Each call becomes a choice, so that the interpreter, the formulas and the evidence need to know nothing of it. Where
//! `realloc` fails, the old block stays as it is.
//!
//! ```text
//!     from ──[$fails = any]── ●──[$fails]─── ●──[p = 0]──────────── to
//!                             └──[!$fails]── ●──[p = malloc(n)]────┘
//! ```

use super::is_ours;
use tour_ir::cfa::{EdgeId, LocId, LocKind};
use tour_ir::program::{
    Assumption, BinOp, Builtin, Call, Callee, ExprId, FnId, Function, HavocOrigin, IntKind, Op, Program,
};
use tour_ir::source::Span;

/// What sets `errno` where there is no memory: part of programs that look at it.
const NO_MEMORY: &str = "__no_memory";

/// Takes the calls apart whose sizes are special.
pub(super) fn settle_sizes(program: &mut Program) {
    let no_memory = no_memory(program);
    for index in 0..program.cfa.edges.len() {
        let edge = EdgeId::new(index);
        let Op::Call(Call { callee: Callee::Direct(f), args, .. }) = &program.cfa.edges[edge].op else {
            continue;
        };
        if !allocates(program, *f) {
            continue;
        }
        match (program.functions[*f].builtin, args[..].len()) {
            (Some(Builtin::Realloc), 2) => {
                free_for_nothing(program, edge);
                refuse_huge(program, edge, 1, None, no_memory);
            }
            (Some(Builtin::Malloc), 1) => refuse_huge(program, edge, 0, None, no_memory),
            (Some(Builtin::Calloc), 2) => refuse_huge(program, edge, 1, Some(0), no_memory),
            _ => {}
        }
    }
}

fn no_memory(program: &Program) -> Option<FnId> {
    let mut all = program.functions.iter_enumerated();
    all.find(|(id, f)| f.name == NO_MEMORY && f.body.is_some() && is_ours(program, *id)).map(|(id, _)| id)
}

/// `realloc(p, 0)`
fn free_for_nothing(program: &mut Program, edge: EdgeId) {
    let size = argument(program, edge, 1);
    if program.const_value(size).is_some_and(|n| n != 0) {
        return;
    }
    let size = fix(program, edge, 1);
    let old = fix(program, edge, 0);
    let (span, function) = (program.cfa.edges[edge].span, caller(program, edge));
    let free = builtin(program, Builtin::Free, span);
    let [sized, given, freed] = [(); 3].map(|()| program.cfa.add_loc(function, LocKind::Plain));
    let (nothing, on) = before(program, edge);
    // nothing ─[size == 0]─ sized ─[p != 0]─ given ─[free(p)]─ freed ─[dest = 0]─ behind the call
    let empty = compare(program, BinOp::Eq, size, 0, span);
    program.cfa.add_edge(nothing, sized, Op::Assume { cond: empty, truth: true }, span);
    program.cfa.add_edge(nothing, on, Op::Assume { cond: empty, truth: false }, span);
    let some = compare(program, BinOp::Ne, old, 0, span);
    program.cfa.add_edge(sized, given, Op::Assume { cond: some, truth: true }, span);
    program.cfa.add_edge(sized, on, Op::Assume { cond: some, truth: false }, span);
    let call = Call { callee: Callee::Direct(free), args: vec![old], dest: None };
    program.cfa.add_edge(given, freed, Op::Call(call), span);
    let size = program.types.size_t();
    let nothing = program.int(0, size, span);
    null_or_left_out(program, edge, freed, Op::Nop, nothing);
}

/// A call gives null after `op`, or a block if the compiler left it out.
///
/// ```text
///     from ──[$out = any]── ●──[!$out]── ●──[op]──────────── ●──[p = 0]──────────── to
///                           └──[$out]─── ●──[$unused = any]── ●──[p = malloc(size)]──┘
/// ```
fn null_or_left_out(program: &mut Program, edge: EdgeId, from: LocId, op: Op, size: ExprId) {
    let Op::Call(Call { dest, .. }) = program.cfa.edges[edge].op else { return };
    let (span, to, function) =
        (program.cfa.edges[edge].span, program.cfa.edges[edge].to, caller(program, edge));
    let [chosen, null, left_out, block] = [(); 4].map(|()| program.cfa.add_loc(function, LocKind::Plain));
    let bool_type = program.types.int(IntKind::Bool);
    let is_out = program.add_temp(function, "$out", bool_type, span);
    let place = program.var_place(is_out, span);
    program.cfa.add_edge(from, chosen, Op::Havoc(place, HavocOrigin::Order), span);
    let cond = program.load(place, span);
    program.cfa.add_edge(chosen, left_out, Op::Assume { cond, truth: true }, span);
    program.cfa.add_edge(chosen, null, Op::Assume { cond, truth: false }, span);
    give_null(program, edge, null, op);
    // Whether a call can be left out depends on what becomes of its result: no violation rests on it.
    let is_unused = program.add_temp(function, "$unused", bool_type, span);
    let place = program.var_place(is_unused, span);
    program.cfa.add_edge(left_out, block, Op::Havoc(place, HavocOrigin::Uncomputed), span);
    let malloc = builtin(program, Builtin::Malloc, span);
    let call = Call { callee: Callee::Direct(malloc), args: vec![size], dest };
    program.cfa.add_edge(block, to, Op::Call(call), span);
}

/// A size, or product of two, that no object has: if it is a constant, or if there is something to tell the program.
fn refuse_huge(
    program: &mut Program,
    edge: EdgeId,
    size: usize,
    times: Option<usize>,
    no_memory: Option<FnId>,
) {
    let most = (1i128 << (program.model.pointer_bits() - 1)) - 1;
    let fits = |program: &Program, i: usize| {
        let n = program.const_value(argument(program, edge, i));
        n.and_then(|n| i128::try_from(n).ok())
    };
    let known = times.map_or(Some(1), |times| fits(program, times));
    match (known, fits(program, size)) {
        (Some(a), Some(b)) if a.checked_mul(b).is_some_and(|n| n <= most) => return,
        (Some(_), Some(_)) => {}
        _ if no_memory.is_none() => return,
        _ => {}
    }
    let (span, function) = (program.cfa.edges[edge].span, caller(program, edge));
    let size = fix(program, edge, size);
    let count = times.map(|times| fix(program, edge, times));
    let huge = program.cfa.add_loc(function, LocKind::Plain);
    let (mut at, on) = before(program, edge);
    let ty = program.exprs[size].ty;
    let most = program.int(most, ty, span);
    let greatest = most;
    let most = match count {
        None => most,
        // Where the count is zero, no size is too large.
        Some(count) => {
            let some = compare(program, BinOp::Ne, count, 0, span);
            let counted = program.cfa.add_loc(function, LocKind::Plain);
            program.cfa.add_edge(at, counted, Op::Assume { cond: some, truth: true }, span);
            program.cfa.add_edge(at, on, Op::Assume { cond: some, truth: false }, span);
            at = counted;
            program.binary(BinOp::Div, most, count, ty, span)
        }
    };
    let int = program.types.int(IntKind::Int);
    let cond = program.binary(BinOp::Gt, size, most, int, span);
    program.cfa.add_edge(at, huge, Op::Assume { cond, truth: true }, span);
    program.cfa.add_edge(at, on, Op::Assume { cond, truth: false }, span);
    let fails = no_memory.map_or(Op::Nop, |no_memory| {
        Op::Call(Call { callee: Callee::Direct(no_memory), args: Vec::new(), dest: None })
    });
    null_or_left_out(program, edge, huge, fails, greatest);
}

fn argument(program: &Program, edge: EdgeId, index: usize) -> ExprId {
    match &program.cfa.edges[edge].op {
        Op::Call(call) => call.args[index],
        _ => unreachable!("the edge is a call"),
    }
}

fn caller(program: &Program, edge: EdgeId) -> FnId {
    program.cfa.locs[program.cfa.edges[edge].from].function
}

fn compare(program: &mut Program, op: BinOp, value: ExprId, with: i128, span: Span) -> ExprId {
    let (ty, int) = (program.exprs[value].ty, program.types.int(IntKind::Int));
    let with = program.int(with, ty, span);
    program.binary(op, value, with, int, span)
}

/// Evaluates an argument once, before the call.
fn fix(program: &mut Program, edge: EdgeId, index: usize) -> ExprId {
    let value = argument(program, edge, index);
    if program.const_value(value).is_some() {
        return value;
    }
    let (span, function) = (program.cfa.edges[edge].span, caller(program, edge));
    let var = program.add_temp(function, "$argument", program.exprs[value].ty, span);
    let place = program.var_place(var, span);
    let (first, on) = before(program, edge);
    program.cfa.add_edge(first, on, Op::Assign(place, value), span);
    let value = program.load(place, span);
    if let Op::Call(call) = &mut program.cfa.edges[edge].op {
        call.args[index] = value;
    }
    value
}

/// Puts a gap before an edge: where it began, which nothing leaves any more, and where it begins now.
fn before(program: &mut Program, edge: EdgeId) -> (LocId, LocId) {
    let first = program.cfa.edges[edge].from;
    let function = program.cfa.locs[first].function;
    let on = program.cfa.add_loc(function, LocKind::Plain);
    program.cfa.locs[first].out.retain(|e| *e != edge);
    program.cfa.edges[edge].from = on;
    program.cfa.locs[on].out.push(edge);
    (first, on)
}

/// Instead of the call `edge`, something else happens and the result is null.
fn give_null(program: &mut Program, edge: EdgeId, from: LocId, op: Op) {
    let (span, to) = (program.cfa.edges[edge].span, program.cfa.edges[edge].to);
    let function = program.cfa.locs[from].function;
    let done = program.cfa.add_loc(function, LocKind::Plain);
    program.cfa.add_edge(from, done, op, span);
    let nothing = null_result(program, edge);
    program.cfa.add_edge(done, to, nothing, span);
}

/// What a call that gives null stores.
fn null_result(program: &mut Program, edge: EdgeId) -> Op {
    let span = program.cfa.edges[edge].span;
    match program.cfa.edges[edge].op {
        Op::Call(Call { dest: Some(dest), .. }) => {
            let zero = program.int(0, program.places[dest].ty, span);
            Op::Assign(dest, zero)
        }
        _ => Op::Nop,
    }
}

/// `free` or `malloc`
fn builtin(program: &mut Program, wanted: Builtin, span: Span) -> FnId {
    let mut all = program.functions.iter_enumerated();
    if let Some((f, _)) = all.find(|(_, f)| f.builtin == Some(wanted) && f.body.is_none()) {
        return f;
    }
    let (void, size) = (program.types.void(), program.types.size_t());
    let bytes = program.types.pointer(void);
    let (name, ret, param) = match wanted {
        Builtin::Free => ("free", void, bytes),
        _ => ("malloc", bytes, size),
    };
    let ty = program.types.function(ret, vec![param]);
    program.functions.push(Function { builtin: Some(wanted), ..Function::new(name, ty, span) })
}

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
    let name = format!("${}_fails", program.functions[f].name);
    let fails = program.add_temp(caller, name, bool_type, span);
    let place = program.var_place(fails, span);
    program.cfa.redirect(edge, chosen);
    let call =
        std::mem::replace(&mut program.cfa.edges[edge].op, Op::Havoc(place, HavocOrigin::Undefined(f)));
    let cond = program.load(place, span);
    program.cfa.add_edge(chosen, null, Op::Assume { cond, truth: true }, span);
    program.cfa.add_edge(chosen, block, Op::Assume { cond, truth: false }, span);
    let call = program.cfa.add_edge(block, to, call, span);
    match no_memory(program) {
        Some(f) => {
            let fails = Call { callee: Callee::Direct(f), args: Vec::new(), dest: None };
            give_null(program, call, null, Op::Call(fails));
        }
        None => {
            let nothing = null_result(program, call);
            program.cfa.add_edge(null, to, nothing, span);
        }
    }
}

/// What is taken for granted of allocations.
const SUCCESS: &str = "`malloc` and its kin do not fail, but for sizes that no object has";

/// Says that no allocation fails, where the program allocates something.
pub(super) fn assume_success(program: &mut Program) {
    let found = program.cfa.edges.iter().find_map(|edge| match edge.op {
        Op::Call(Call { callee: Callee::Direct(f), .. }) if allocates(program, f) => Some(edge.span),
        _ => None,
    });
    if let Some(span) = found {
        program.assumptions.push(Assumption { text: SUCCESS.to_owned(), span });
    }
}
