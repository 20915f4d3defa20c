//! Where a `_Bool` in memory may be neither 0 nor 1: something else is written to its byte.
//!
//! Reads of others need no check, so that a `_Bool` that only ever is one stays a single bit of the formulas.

use super::objects::{Objects, accesses, typed_parts};
use crate::regions::{Position, RegionId};
use rustc_hash::{FxHashMap, FxHashSet};
use tour_ir::program::{Builtin, Callee, ExprKind, IntKind, Op, PlaceId, Program};

/// What is written to memory as something else.
#[derive(Default)]
pub(super) struct Bools {
    /// Scalars that are accessed and no `_Bool`.
    others: FxHashMap<RegionId, Vec<Position>>,
    /// Bytes are copied there.
    copied: FxHashSet<RegionId>,
}

impl Bools {
    /// Looks at all accesses of a program.
    pub fn of(program: &Program, objects: &Objects) -> Bools {
        let mut found = Bools::default();
        for (place, ty) in accesses(program) {
            let Some((region, at)) = objects.spot(program, place) else { continue };
            if program.bit_field(place).is_some() {
                continue;
            }
            let parts = typed_parts(program, at, ty.into());
            let others =
                parts.iter().filter(|part| program.types.int_kind(part.ty.ty) != Some(IntKind::Bool));
            found.others.entry(region).or_default().extend(others.map(|part| part.at));
        }
        for others in found.others.values_mut() {
            others.sort_unstable();
            others.dedup();
        }
        for edge in &program.cfa.edges {
            found.copies(program, objects, &edge.op);
        }
        found
    }

    fn copies(&mut self, program: &Program, objects: &Objects, op: &Op) {
        match op {
            Op::Call(call) => {
                let Callee::Direct(f) = call.callee else { return };
                let writes = match program.functions[f].builtin {
                    Some(Builtin::Memcpy | Builtin::Memmove | Builtin::Realloc) => true,
                    Some(Builtin::Memset) => {
                        let byte = call.args.get(1).and_then(|byte| program.const_value(*byte));
                        !matches!(byte, Some(0 | 1))
                    }
                    _ => false,
                };
                let target = call.args.first().and_then(|to| objects.pointee(*to));
                self.copied.extend(target.filter(|_| writes));
            }
            // A record can come from where its bytes were written.
            Op::Assign(place, value) => {
                let ExprKind::Load(from) = program.exprs[*value].kind else { return };
                let spot = |place| objects.spot(program, place).map(|(region, _)| region);
                let (Some(to), Some(from)) = (spot(*place), spot(from)) else { return };
                if to != from && !program.types.is_scalar(program.places[*place].ty) {
                    self.copied.insert(to);
                }
            }
            Op::Nop
            | Op::Declare(_)
            | Op::Expire(_)
            | Op::Assume { .. }
            | Op::Return(_)
            | Op::Havoc(..)
            | Op::Unsupported(_) => {}
        }
    }

    /// Another value than 0 or 1 may lie in a place that is read as a `_Bool`.
    pub fn may_be_other(&self, program: &Program, objects: &Objects, place: PlaceId) -> bool {
        let Some((region, at)) = objects.spot(program, place) else { return true };
        let stride = objects.stride(region);
        let touched =
            |others: &Vec<Position>| others.iter().any(|other| other.may_touch(at.sized(8), stride));
        self.copied.contains(&region) || self.others.get(&region).is_some_and(touched)
    }
}
