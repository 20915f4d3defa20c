//! Calls of library functions that formulas have no operation for.
//!
//! Output has no effect on the program: it gives any value, after its arguments were evaluated. Copying and setting a number of bytes that is not constant
//! is a call of a loop in C.

use tour_ir::cfa::EdgeId;
use tour_ir::program::evaluate_arguments;
use tour_ir::program::{Builtin, Call, Callee, FnId, HavocOrigin, Op, Program};

/// What functions of ours that stand in for builtins begin with.
const PREFIX: &str = "__library_";

/// Replaces the calls.
pub(super) fn settle(program: &mut Program) {
    let loops = [
        (Builtin::Memcpy, "__library_memcpy"),
        (Builtin::Memmove, "__library_memmove"),
        (Builtin::Memset, "__library_memset"),
    ]
    .map(|(builtin, name)| {
        (builtin, program.function(name).filter(|f| program.functions[*f].body.is_some()))
    });
    for index in 0..program.cfa.edges.len() {
        let edge = EdgeId::new(index);
        let Op::Call(Call { callee: Callee::Direct(f), args, dest }) = &program.cfa.edges[edge].op else {
            continue;
        };
        let function = &program.functions[*f];
        let Some(builtin) = function.builtin.filter(|_| function.body.is_none()) else { continue };
        let op = match builtin {
            Builtin::Printf | Builtin::Puts | Builtin::Putchar => {
                let (f, dest) = (*f, *dest);
                evaluate_arguments(program, edge);
                match dest {
                    Some(dest) => Op::Havoc(dest, HavocOrigin::Undefined(f)),
                    None => Op::Nop,
                }
            }
            Builtin::Memcpy | Builtin::Memmove | Builtin::Memset => {
                let constant = args.get(2).is_some_and(|size| program.const_value(*size).is_some());
                let body = loops.iter().find(|(known, _)| *known == builtin).and_then(|(_, body)| *body);
                match body {
                    Some(body) if !constant && args.len() == 3 => {
                        Op::Call(Call { callee: Callee::Direct(body), args: args.clone(), dest: *dest })
                    }
                    _ => continue,
                }
            }
            _ => continue,
        };
        program.cfa.edges[edge].op = op;
    }
}

/// The function stands in for a builtin, whose arguments are checked where it is called.
pub(super) fn stands_in(program: &Program, function: FnId) -> bool {
    program.functions[function].name.starts_with(PREFIX)
}

/// The function is one of ours, and not one that does arithmetic on what its caller gives.
pub(super) fn computes_itself(program: &Program, function: FnId) -> bool {
    let path = &program.sources.unit(program.functions[function].span.unit).path;
    is_ours(program, function) && !path.ends_with("arithmetic.c")
}

/// The function is one of ours.
pub(super) fn is_ours(program: &Program, function: FnId) -> bool {
    let path = &program.sources.unit(program.functions[function].span.unit).path;
    tour_ir::source::is_library(path)
}
