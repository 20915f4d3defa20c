//! Calls of functions that the program only declares and `lib/` defines.
//!
//! Names of the library's units are apart from the program's, so that a definition of the program is never in the way.
//! Where there is none, the program's declaration stands for the library's definition: the same function, or, where the
//! program declares another pointer (`FILE *`) or only a part of what the function gives (`unsigned strlen(const char *)`),
//! one that calls it.

use crate::sema::symbols::{Symbols, compatible_functions};
use crate::sema::{Stub, close};
use tour_ir::cfa::LocKind;
use tour_ir::program::{Body, Call, Callee, FnId, FnSig, Op, Program, Type, TypeId, Types};

/// Lets declarations of the program stand for definitions of the library. What a stub stands for stays apart.
pub(in crate::sema) fn bind(program: &mut Program, symbols: &Symbols, stubs: &[Stub]) {
    let mut same = Vec::new();
    for (own, library, implicit) in symbols.of_both() {
        let [declared, defined] = [own, library].map(|f| &program.functions[f]);
        let stubbed = stubs.iter().any(|stub| stub.function == declared.name);
        if declared.body.is_some() || defined.body.is_none() || stubbed {
            continue;
        }
        let types = &program.types;
        let same_result = declared.sig(types).ret == defined.sig(types).ret;
        if same_result && (implicit || compatible_functions(types, declared.ty, defined.ty)) {
            same.push((own, library));
        } else if is_part(types, declared.sig(types), defined.sig(types)) {
            forward(program, own, library);
        }
    }
    close::follow_aliases(program, &same);
}

/// A call by the first declaration does what one by the second does: the same registers hold the arguments, and the
/// lower part of what is returned is looked at.
fn is_part(types: &Types, declared: &FnSig, defined: &FnSig) -> bool {
    let bits = |ty: TypeId| types.int_type(ty).map(|int| int.bits);
    let fits = |a: TypeId, b: TypeId, ints: fn(u32, u32) -> bool| match (bits(a), bits(b)) {
        (Some(a), Some(b)) => ints(a, b),
        (None, None) => a == b || types.pointee(a).is_some() && types.pointee(b).is_some(),
        _ => false,
    };
    let is_part = |a: u32, b: u32| (8..=b).contains(&a);
    declared.prototyped
        && !declared.variadic
        && !defined.variadic
        && declared.params.len() == defined.params.len()
        && (fits(declared.ret, defined.ret, is_part) || types[declared.ret] == Type::Void)
        && declared.params.iter().zip(&defined.params).all(|(a, b)| fits(*a, *b, |a, b| a == b))
}

/// `own` calls the library's function and gives what that gives, converted.
fn forward(program: &mut Program, own: FnId, library: FnId) {
    let span = program.functions[own].span;
    let ret = program.functions[own].sig(&program.types).ret;
    let wanted = program.functions[library].sig(&program.types).clone();
    let Body { entry, exit } = program.add_body(own);
    let params = program.functions[own].params.clone();
    let args = (params.into_iter().zip(&wanted.params))
        .map(|(param, ty)| {
            let value = program.load_var(param, span);
            program.cast(value, *ty, span)
        })
        .collect();
    let given =
        (program.types[wanted.ret] != Type::Void).then(|| program.add_temp(own, "$1", wanted.ret, span));
    let dest = given.map(|given| program.var_place(given, span));
    let value = given.filter(|_| program.functions[own].ret.is_some()).map(|given| {
        let value = program.load_var(given, span);
        program.cast(value, ret, span)
    });
    let called = program.cfa.add_loc(own, LocKind::Plain);
    program.cfa.add_edge(entry, called, Op::Call(Call { callee: Callee::Direct(library), args, dest }), span);
    program.cfa.add_edge(called, exit, Op::Return(value), span);
}
