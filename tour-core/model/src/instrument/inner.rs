//! Pointers to elements of arrays that are part of another object: what a proof takes for granted of them.
//!
//! Formulas know how far an index may go, and how large an object is. A pointer that was made from a row of an array, or
//! from an array in a record, is only known to stay in its object; the interpreter knows more.

use super::objects::Objects;
use crate::regions::RegionId;
use rustc_hash::FxHashMap;
use tour_ir::program::{Assumption, BinOp, ExprKind, PlaceKind, Program};
use tour_ir::source::Span;

/// The assumption, if a pointer that may be one of these is moved.
pub(super) fn assumption(program: &Program, objects: &Objects) -> Option<Assumption> {
    let mut made: FxHashMap<RegionId, Span> = FxHashMap::default();
    for expr in &program.exprs {
        if let ExprKind::AddrOf(place) = expr.kind
            && let PlaceKind::Index(..) = program.places[place].kind
            && program.inner_part(place).is_some()
            && let Some((region, _)) = objects.spot(program, place)
        {
            made.entry(region).or_insert(expr.span);
        }
    }
    if made.is_empty() {
        return None;
    }
    let moved = program.exprs.iter().find_map(|expr| match expr.kind {
        ExprKind::Binary(BinOp::PtrAdd, pointer, count) if program.const_value(count) != Some(0) => {
            made.get(&objects.pointee(pointer)?).copied()
        }
        _ => None,
    });
    let text = "a pointer to an element of an array inside of another object stays in that array";
    moved.map(|span| Assumption { text: text.to_owned(), span })
}
