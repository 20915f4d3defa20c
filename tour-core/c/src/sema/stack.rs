//! `alloca` as a variable: a block that ends with its function is an array of variable length.
//!
//! This holds for a call that one frame of the function executes at most once. In a loop each turn makes another block, and
//! all of them live on: those calls stay as they are.
//!
//! ```text
//!     from ──[$size = n]── ●──[declare char alloca[$size]]── ●──[p = alloca]── to
//! ```

use rustc_hash::FxHashSet;
use tour_ir::cfa::{EdgeId, LocId, LocKind};
use tour_ir::program::{
    ArrayLen, Builtin, Call, Callee, ExprKind, IntKind, Op, Place, PlaceKind, Program, Type,
};

/// Makes variables of the blocks that calls of `alloca` give.
pub(super) fn make_variables(program: &mut Program) {
    for index in 0..program.cfa.edges.len() {
        let edge = EdgeId::new(index);
        let Op::Call(call) = &program.cfa.edges[edge].op else { continue };
        let Callee::Direct(f) = call.callee else { continue };
        let of = &program.functions[f];
        let is_alloca = of.body.is_none() && of.builtin == Some(Builtin::Alloca) && call.args.len() == 1;
        if is_alloca && !comes_back(program, edge) {
            let call = call.clone();
            make_variable(program, edge, &call);
        }
    }
}

/// A run of one frame may take the edge again.
fn comes_back(program: &Program, edge: EdgeId) -> bool {
    let from = program.cfa.edges[edge].from;
    let mut seen: FxHashSet<LocId> = FxHashSet::default();
    let mut todo = vec![program.cfa.edges[edge].to];
    while let Some(loc) = todo.pop() {
        if loc == from {
            return true;
        }
        if seen.insert(loc) {
            todo.extend(program.cfa.successors(loc).map(|(_, edge)| edge.to));
        }
    }
    false
}

fn make_variable(program: &mut Program, edge: EdgeId, call: &Call) {
    let (span, to) = (program.cfa.edges[edge].span, program.cfa.edges[edge].to);
    let function = program.cfa.locs[program.cfa.edges[edge].from].function;
    let size_t = program.types.size_t();
    let size = program.add_temp(function, "$size", size_t, span);
    let char_type = program.types.int(IntKind::Char);
    let block_type = program.types.intern(Type::Array(char_type.into(), ArrayLen::Variable(size)));
    let block = program.add_local_object(function, "alloca", block_type, span);
    program.vars[block].align = Some(program.block_align());
    let [sized, made] = [(); 2].map(|()| program.cfa.add_loc(function, LocKind::Plain));
    let bytes = program.cast(call.args[0], size_t, span);
    let place = program.var_place(size, span);
    program.cfa.edges[edge].op = Op::Assign(place, bytes);
    program.cfa.redirect(edge, sized);
    program.cfa.add_edge(sized, made, Op::Declare(block), span);
    let op = match call.dest {
        Some(dest) => {
            let whole = program.var_place(block, span);
            let ptrdiff_t = program.types.ptrdiff_t();
            let zero = program.int(0, ptrdiff_t, span);
            let first = Place { kind: PlaceKind::Index(whole, zero), ty: char_type, span };
            let first = program.places.push(first);
            let pointer = program.types.pointer(char_type);
            let address = program.add_expr(ExprKind::AddrOf(first), pointer, span);
            let ty = program.places[dest].ty;
            Op::Assign(dest, program.cast(address, ty, span))
        }
        None => Op::Nop,
    };
    program.cfa.add_edge(made, to, op, span);
}
