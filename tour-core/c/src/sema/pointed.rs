//! Builtins that a pointer points to, as in `struct hooks { malloc, free }`.
//!
//! A call through a pointer goes to a function with a body. So the builtin gets one, which calls it by its name:
//!
//! ```text
//!     void *malloc(size_t a) { return <the builtin>(a); }
//! ```

use tour_ir::cfa::LocKind;
use tour_ir::program::{Body, Call, Callee, FnId, Function, Op, Program, Unsupported};

/// Gives builtins a body, where `used` says that their address is used.
pub(super) fn give_bodies(program: &mut Program, used: impl Fn(FnId) -> bool) {
    for f in program.functions.indices() {
        let function = &program.functions[f];
        if function.builtin.is_some() && function.body.is_none() && used(f) {
            wrap(program, f);
        }
    }
}

fn wrap(program: &mut Program, f: FnId) {
    let inner = program.functions.push(Function::clone(&program.functions[f]));
    for edge in &mut program.cfa.edges {
        if let Op::Call(Call { callee: Callee::Direct(callee), .. }) = &mut edge.op
            && *callee == f
        {
            *callee = inner;
        }
    }
    let span = program.functions[f].span;
    let sig = program.functions[f].sig(&program.types).clone();
    let name = program.functions[f].name.clone();
    let Body { entry, exit } = program.add_body(f);
    let result = program.functions[f].ret.map(|_| program.add_temp(f, "$1", sig.ret, span));
    let called = program.cfa.add_loc(f, LocKind::Plain);
    let call = if sig.variadic || !sig.prototyped {
        let message = format!("a call of `{name}` through a pointer is not modelled");
        Op::Unsupported(Box::new(Unsupported { kind: "function-pointer", message }))
    } else {
        let params = program.functions[f].params.clone();
        let args = params.into_iter().map(|param| program.load_var(param, span)).collect();
        let dest = result.map(|temp| program.var_place(temp, span));
        Op::Call(Call { callee: Callee::Direct(inner), args, dest })
    };
    program.cfa.add_edge(entry, called, call, span);
    let value = result.map(|temp| program.load_var(temp, span));
    program.cfa.add_edge(called, exit, Op::Return(value), span);
}
