//! Accesses that C does not order (C11 6.5:2) must not meet. Where they cannot, nothing is asked: a comparison of their
//! addresses would let the points-to analysis take their objects for one.

use crate::regions::Regions;
use tour_ir::program::{ExprKind, Program};

/// Leaves the comparisons of accesses that may meet.
pub(super) fn settle(program: &mut Program) {
    if program.unordered.is_empty() {
        return;
    }
    let regions = Regions::of(program);
    for unordered in std::mem::take(&mut program.unordered) {
        let [a, b] = unordered.places.map(|place| regions.spot(program, place));
        let apart = matches!((a, b), (Some((a, _)), Some((b, _))) if a != b);
        if apart {
            program.exprs[unordered.equal].kind = ExprKind::Int(0);
            continue;
        }
        for var in
            unordered.places.iter().filter_map(|place| Regions::root(program, *place)).collect::<Vec<_>>()
        {
            program.vars[var].address_taken = true;
        }
    }
}
