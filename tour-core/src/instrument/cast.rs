//! Values that a type has not: an enumeration's that none of its constants has, a `_Bool`'s that is neither 0 nor 1.
//! C allows the first and not the second; both are checked only when asked for.

use super::Condition;
use super::walk::Walk;
use crate::program::{BinOp, ExprId, IntKind, PlaceId, Rule, Type};

impl Walk<'_> {
    /// `(type) a`
    pub fn cast(&mut self, expr: ExprId, a: ExprId) {
        if !self.wants(Rule::BadCast) || self.program().const_value(a).is_some() {
            return;
        }
        let Type::Enum(id) = self.program().types[self.program().exprs[expr].ty] else { return };
        if self.program().int_type_of(a).is_none() {
            return;
        }
        let def = &self.program().types.enums[id];
        let mut values: Vec<i128> = def.constants.iter().map(|(_, value)| *value).collect();
        if !def.complete || values.is_empty() {
            return;
        }
        values.sort_unstable();
        values.dedup();
        // Runs of neighbouring values.
        let mut runs: Vec<(i128, i128)> = Vec::new();
        for value in values {
            match runs.last_mut() {
                Some(run) if run.1 + 1 == value => run.1 = value,
                _ => runs.push((value, value)),
            }
        }
        let ty = self.program().show_type(self.program().exprs[expr].ty);
        let message = format!("{} is none of the values of `{ty}`", self.quoted(a));
        let mut build = self.build(expr);
        let wide = build.program.types.int(IntKind::Int128);
        let value = build.cast(a, wide);
        let outside = runs
            .into_iter()
            .map(|(low, high)| match low == high {
                true => build.test_int(BinOp::Ne, value, low),
                false => Condition::Any(vec![
                    build.test_int(BinOp::Lt, value, low),
                    build.test_int(BinOp::Gt, value, high),
                ]),
            })
            .collect();
        self.violates(Rule::BadCast, Condition::All(outside), message, expr);
    }

    /// A `_Bool` is read from memory, where any byte can be.
    pub fn representation(&mut self, expr: ExprId, place: PlaceId) {
        let is_bool = self.program().types.int_kind(self.program().places[place].ty) == Some(IntKind::Bool);
        if !self.wants(Rule::BadCast)
            || !is_bool
            || self.program().bit_field(place).is_some()
            || super::access::dereferenced(self.program(), place).is_none()
        {
            return;
        }
        let message = format!("{} is a `_Bool` that is neither 0 nor 1", self.quoted(expr));
        let mut build = self.build(expr);
        let byte = build.program.types.int(IntKind::UChar);
        let pointer = build.program.types.pointer(byte);
        let address = build.address(place);
        let address = build.cast(address, pointer);
        let (kind, span) = (crate::program::PlaceKind::Deref(address), build.span);
        let byte = build.program.places.push(crate::program::Place { kind, ty: byte, span });
        let byte = build.program.load(byte, span);
        let condition = build.test_int(BinOp::Gt, byte, 1);
        self.violates(Rule::BadCast, condition, message, expr);
    }
}
