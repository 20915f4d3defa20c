//! Builtins that a pointer points to, as in `struct hooks { malloc, free }`.
//!
//! A call through a pointer goes to a function with a body. So the builtin gets one, which calls it by its name:
//!
//! ```text
//!     void *malloc(size_t a) { return <the builtin>(a); }
//! ```

use tour_ir::cfa::LocKind;
use tour_ir::program::{Body, Call, Callee, FnId, Function, Op, Program, Storage, Type, Unsupported, Var};

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
    let mut new_var = |ty: tour_ir::program::TypeId, storage, name: String| {
        program.vars.push(Var {
            name,
            ty: ty.into(),
            storage,
            thread_local: false,
            address_taken: false,
            align: None,
            init: None,
            span,
        })
    };
    let params: Vec<_> = sig.params.iter().map(|ty| new_var(*ty, Storage::Param(f), String::new())).collect();
    let result = (program.types[sig.ret] != Type::Void).then(|| {
        let ret = new_var(sig.ret, Storage::Return(f), format!("{name}$return"));
        (ret, new_var(sig.ret, Storage::Temp(f), "$1".into()))
    });
    let [entry, exit, called] =
        [LocKind::Entry, LocKind::Exit, LocKind::Plain].map(|kind| program.cfa.add_loc(f, kind));
    let call = if sig.variadic || !sig.prototyped {
        let message = format!("a call of `{name}` through a pointer is not modelled");
        Op::Unsupported(Box::new(Unsupported { kind: "function-pointer", message }))
    } else {
        let loads = params.iter().map(|var| {
            let place = program.var_place(*var, span);
            program.load(place, span)
        });
        let args = loads.collect();
        let dest = result.map(|(_, temp)| program.var_place(temp, span));
        Op::Call(Call { callee: Callee::Direct(inner), args, dest })
    };
    program.cfa.add_edge(entry, called, call, span);
    let value = result.map(|(_, temp)| {
        let place = program.var_place(temp, span);
        program.load(place, span)
    });
    program.cfa.add_edge(called, exit, Op::Return(value), span);
    let function = &mut program.functions[f];
    function.builtin = None;
    function.params = params;
    function.ret = result.map(|(ret, _)| ret);
    function.locals = result.map(|(_, temp)| temp).into_iter().collect();
    function.body = Some(Body { entry, exit });
}
