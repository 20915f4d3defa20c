//! `stdin`, `stdout` and `stderr`, which the system's headers declare: they point to the streams of `lib/stdio.c`.

use super::is_ours_at;
use crate::front::library::STREAMS;
use tour_ir::program::{ExprKind, Init, InitItem, IntKind, Place, PlaceKind, Program, Storage, Type};

/// Gives the variables their values.
pub(super) fn open(program: &mut Program) {
    let streams = program.globals.iter().copied().find(|var| {
        let var = &program.vars[*var];
        var.name == STREAMS && is_ours_at(program, var.span)
    });
    let Some(streams) = streams else { return };
    for i in 0..program.globals.len() {
        let var = program.globals[i];
        let Some(index) = ["stdin", "stdout", "stderr"].iter().position(|n| *n == program.vars[var].name)
        else {
            continue;
        };
        let (ty, span) = (program.vars[var].ty.ty, program.vars[var].span);
        let undefined = program.vars[var].storage == (Storage::Global { defined: false });
        let Type::Array(of, _) = program.types[program.vars[streams].ty.ty] else { continue };
        if !undefined || program.types.pointee(ty).is_none() {
            continue;
        }
        let int = program.types.int(IntKind::Int);
        let index = program.int(index as i128, int, span);
        let all = program.var_place(streams, span);
        let one = program.places.push(Place { kind: PlaceKind::Index(all, index), ty: of.ty, span });
        let pointer = program.types.pointer(of);
        let address = program.add_expr(ExprKind::AddrOf(one), pointer, span);
        let value = program.cast(address, ty, span);
        let place = program.var_place(var, span);
        program.vars[streams].address_taken = true;
        program.vars[var].init = Some(Init { items: vec![InitItem::Value { place, value }] });
        program.vars[var].storage = Storage::Global { defined: true };
    }
}
