//! Pointers that come from outside: inputs, and results of functions without a body.
//!
//! Such a pointer is null, or points to an object that is none of the program's own, whose contents are unknown. Any
//! other address would make the first access through it undefined, and every verdict unknown. It is an assumption of the
//! result. Results of functions have an object each; those of inputs may be one, see `regions`. In the automaton, the edge that gives the value becomes a choice:
//!
//! ```text
//!     from ──[$some = input]── ●──[!$some]── ●──[p = 0]────────────── to
//!                              └──[$some]─── ●──[p = object(size)]───┘
//! ```

use tour_ir::cfa::{EdgeId, LocKind};
use tour_ir::program::{
    Assumption, Builtin, Call, Callee, FnId, Function, HavocOrigin, IntKind, Linkage, Op, PlaceId, Program,
    Type, TypeId,
};
use tour_ir::source::Span;

/// The size of an object whose type says nothing about it: what a pointer to `void`, to characters or to a struct
/// without members points to.
const UNTYPED_SIZE: u64 = 4096;

/// Gives pointers from outside something to point to.
pub(super) fn give_objects(program: &mut Program) {
    for index in 0..program.cfa.edges.len() {
        let edge = EdgeId::new(index);
        let Op::Havoc(place, origin) = program.cfa.edges[edge].op else { continue };
        let Some(size) =
            size_of_pointee(program, program.places[place].ty).filter(|_| is_from_outside(origin))
        else {
            continue;
        };
        let span = program.cfa.edges[edge].span;
        let makes = match origin {
            HavocOrigin::Input
            | HavocOrigin::Indeterminate
            | HavocOrigin::Order
            | HavocOrigin::Uncomputed => input_object(program, span),
            HavocOrigin::Undefined(_) => object(program, span),
        };
        choose(program, edge, place, origin, makes, size);
        assume(program, origin, size, span);
    }
}

fn is_from_outside(origin: HavocOrigin) -> bool {
    match origin {
        HavocOrigin::Input | HavocOrigin::Undefined(_) => true,
        HavocOrigin::Indeterminate | HavocOrigin::Order | HavocOrigin::Uncomputed => false,
    }
}

/// How large the object of a pointer of this type from outside is.
pub(super) fn size_of_object(program: &Program, pointer: TypeId) -> u64 {
    size_of_pointee(program, pointer).unwrap_or(UNTYPED_SIZE)
}

/// How large the object of a pointer from outside is; `None` if it is no pointer to an object.
fn size_of_pointee(program: &Program, pointer: TypeId) -> Option<u64> {
    let to = program.types.pointee(pointer)?.ty;
    match program.types[to] {
        Type::Function(_) => None,
        Type::Record(_) => Some(program.types.object_size(to).filter(|n| *n > 0).unwrap_or(UNTYPED_SIZE)),
        _ => Some(UNTYPED_SIZE),
    }
}

/// The function that makes objects which may be each other's.
pub(super) fn input_object(program: &mut Program, span: Span) -> FnId {
    declare(program, tour_ir::program::INPUT_OBJECT, span)
}

/// The function that makes objects which no other pointer points to.
pub(super) fn object(program: &mut Program, span: Span) -> FnId {
    declare(program, "object", span)
}

/// The function that makes such objects.
fn declare(program: &mut Program, name: &str, span: Span) -> FnId {
    let known = program
        .functions
        .iter_enumerated()
        .find(|(_, f)| f.name == name && f.builtin == Some(Builtin::Outside));
    if let Some((function, _)) = known {
        return function;
    }
    let void = program.types.intern(Type::Void);
    let (ret, size) = (program.types.pointer(void), program.types.size_t());
    let ty = program.types.function(ret, vec![size]);
    program.functions.push(Function {
        linkage: Linkage::Internal,
        builtin: Some(Builtin::Outside),
        ..Function::new(name, ty, span)
    })
}

fn choose(program: &mut Program, edge: EdgeId, place: PlaceId, origin: HavocOrigin, object: FnId, size: u64) {
    let (span, to) = (program.cfa.edges[edge].span, program.cfa.edges[edge].to);
    let function = program.cfa.locs[program.cfa.edges[edge].from].function;
    let [chosen, null, some] = [(); 3].map(|()| program.cfa.add_loc(function, LocKind::Plain));
    let bool_type = program.types.int(IntKind::Bool);
    let choice = program.add_temp(function, "$some", bool_type, span);
    let choice_place = program.var_place(choice, span);
    program.cfa.redirect(edge, chosen);
    program.cfa.edges[edge].op = Op::Havoc(choice_place, origin);
    let cond = program.load(choice_place, span);
    program.cfa.add_edge(chosen, some, Op::Assume { cond, truth: true }, span);
    program.cfa.add_edge(chosen, null, Op::Assume { cond, truth: false }, span);
    let zero = program.int(0, program.places[place].ty, span);
    program.cfa.add_edge(null, to, Op::Assign(place, zero), span);
    let size_type = program.types.size_t();
    let size = program.int(size.into(), size_type, span);
    let call = Call { callee: Callee::Direct(object), args: vec![size], dest: Some(place) };
    program.cfa.add_edge(some, to, Op::Call(call), span);
}

fn assume(program: &mut Program, origin: HavocOrigin, size: u64, span: Span) {
    let text = match origin {
        HavocOrigin::Undefined(f) => format!(
            "`{}` has no body: it returns null or a pointer to an object of its own of {size} bytes, and has no other effect",
            program.functions[f].name
        ),
        HavocOrigin::Input | HavocOrigin::Indeterminate | HavocOrigin::Order | HavocOrigin::Uncomputed => {
            format!(
                "a pointer that is an input is null or points to {size} bytes that are none of the program's own"
            )
        }
    };
    if !program.assumptions.iter().any(|assumption| assumption.text == text) {
        program.assumptions.push(Assumption { text, span });
    }
}
