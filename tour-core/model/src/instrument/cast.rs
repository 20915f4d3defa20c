//! Values that a type has not: an integer's that a floating number is too large for, an enumeration's that none of its
//! constants has, a `_Bool`'s that is neither 0 nor 1. C allows the second.

use super::Condition;
use super::walk::Walk;
use tour_ir::program::{
    BinOp, ExprId, ExprKind, FloatKind, IntKind, IntType, Place, PlaceId, PlaceKind, Rule, Type,
};

impl Walk<'_> {
    /// `(type) a`
    pub fn cast(&mut self, expr: ExprId, a: ExprId) {
        let (from, to) = (self.program().type_of(a), self.program().int_type_of(expr));
        match (from, to) {
            (Type::Float(kind), Some(int)) if int.bits > 1 => self.float_to_integer(expr, a, *kind, int),
            _ => self.enumeration(expr, a),
        }
    }

    /// What is left of a floating number without its fraction fits the integer type. Whatever is no number does not.
    fn float_to_integer(&mut self, expr: ExprId, a: ExprId, kind: FloatKind, int: IntType) {
        if !self.wants(Rule::FloatCastOverflow) {
            return;
        }
        let (least, end) = bounds(int);
        // The next integer below the least one, if the type has it; otherwise there is nothing between the two.
        let below = least - 1.0;
        let exact = match kind {
            FloatKind::Float => f64::from(below as f32) == below,
            _ => true,
        } && below < least;
        let (op, low) = if exact { (BinOp::Gt, below) } else { (BinOp::Ge, least) };
        // `float` has no number so large.
        let end = if kind == FloatKind::Float && end > f64::from(f32::MAX) { f64::INFINITY } else { end };
        if let ExprKind::Float(value) = self.program().exprs[a].kind
            && (if exact { value > low } else { value >= low })
            && value < end
        {
            return;
        }
        let shown = self.quoted(a);
        let ty = self.program().show_type(self.program().exprs[expr].ty);
        let mut build = self.build(expr);
        let float = build.ty(a);
        let span = build.span;
        let low = build.program.add_expr(ExprKind::Float(low), float, span);
        let end = build.program.add_expr(ExprKind::Float(end), float, span);
        let parts = [(op, low), (BinOp::Lt, end)].map(|(op, bound)| {
            let fits = build.compare(op, a, bound);
            build.test_int(BinOp::Eq, fits, 0)
        });
        let message = format!("{shown} does not fit `{ty}`");
        self.violates(Rule::FloatCastOverflow, Condition::Any(parts.into()), message, expr);
    }

    fn enumeration(&mut self, expr: ExprId, a: ExprId) {
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
        let rules = [Rule::InvalidBool, Rule::BadCast];
        let checked = rules.into_iter().find(|rule| self.checks(*rule));
        if !is_bool {
            return;
        }
        if self.program().bit_field(place).is_some() || !self.shares_bytes(place) {
            return;
        }
        let guarded = self.bools().may_be_other(self.program(), self.objects(), place);
        let Some(rule) = checked.or(Some(Rule::InvalidBool).filter(|_| guarded)) else { return };
        let message = format!("{} is a `_Bool` that is neither 0 nor 1", self.quoted(expr));
        // The byte is read by its address, also that of a variable.
        if let Some(var) = crate::regions::Regions::root(self.program(), place) {
            self.program_mut().vars[var].address_taken = true;
        }
        let mut build = self.build(expr);
        let byte = build.program.types.int(IntKind::UChar);
        let pointer = build.program.types.pointer(byte);
        let address = build.address(place);
        let address = build.cast(address, pointer);
        let (kind, span) = (PlaceKind::Deref(address), build.span);
        let byte = build.program.places.push(Place { kind, ty: byte, span });
        let byte = build.program.load(byte, span);
        let condition = build.test_int(BinOp::Gt, byte, 1);
        self.violates(rule, condition, message, expr);
    }

    /// The bytes of a place may be written as something else: it is a member of a union, or others have its address.
    fn shares_bytes(&self, place: PlaceId) -> bool {
        let program = self.program();
        program.root(place).is_none_or(|var| program.vars[var].address_taken) || program.is_in_union(place)
    }
}

/// The least value of an integer type, and the first one behind its largest: a power of two, or zero.
fn bounds(int: IntType) -> (f64, f64) {
    let power = |bits: u32| 2f64.powi(bits as i32);
    if int.signed { (-power(int.bits - 1), power(int.bits - 1)) } else { (0.0, power(int.bits)) }
}
