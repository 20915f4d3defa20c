//! What the language leaves to the machine and the compiler: the run of a program without inputs is the only one there
//! is if nothing that it does depends on where objects lie, on padding, or on the sign of a NaN.
//!
//! An observer with [`Observer::PORTABLE`] asks for such a run: addresses keep their object when they are copied, cast to
//! integers of their width or moved, and the run ends as unsupported where more of an address than that is looked at.
//! The bytes of a stored address are known as its pieces; they can be copied, and nothing else.

use super::image::Repr;
use super::memory::{Kind, NULL_PAGE};
use super::outcome::{Step, unsupported};
use super::run::Machine;
use super::trace::Observer;
use super::value::{Provenance, Value};
use tour_ir::program::{BinOp, IntType, PlaceId, PlaceKind, TypeId};

/// The end of a run that depends on what the language leaves open.
pub(super) fn open<T>(what: &str) -> Step<T> {
    unsupported(format!("the language leaves open {what}"))
}

const NUMBER: &str = "which number an address is";
const EQUAL: &str = "whether the addresses of two objects are equal, one of which is dead or at its end";
const ORDER: &str = "the order of two addresses";

impl<O: Observer> Machine<'_, '_, O> {
    /// No object lies so near to address zero, on either side.
    fn is_near_null(&self, address: u128) -> bool {
        let last = IntType::unsigned(self.pointer_bits()).mask();
        address < u128::from(NULL_PAGE) || address > last - u128::from(NULL_PAGE)
    }

    fn pointer_bits(&self) -> u32 {
        self.image.program.model.pointer_bits()
    }

    /// A value of an integer type is a whole address.
    fn is_address(&self, value: Value, int: IntType) -> bool {
        value.origin.is_whole_address() && int.bits == self.pointer_bits()
    }

    /// Whether two addresses are equal follows from what they point to.
    pub fn settle_equality(&self, a: Value, b: Value) -> Step<()> {
        let (x, y) = (a.origin, b.origin);
        if x == y {
            return Ok(());
        }
        for (constant, other) in [(a, b), (b, a)] {
            if constant.origin == Provenance::NONE {
                // Next to zero there is no object; elsewhere any may be.
                let settled = self.is_near_null(constant.bits)
                    && (!other.origin.is_some() || self.memory.is_at_or_in(other.as_pointer()));
                return if settled { Ok(()) } else { open(NUMBER) };
            }
        }
        let inside = |value: Value| !value.origin.is_some() || self.memory.is_inside(value.as_pointer());
        if !inside(a) || !inside(b) {
            return open(EQUAL);
        }
        if x.is_some() && y.is_some() && self.memory.may_share(a.as_pointer(), b.as_pointer()) {
            return open("whether two string literals share their bytes");
        }
        Ok(())
    }

    /// The order of two pointers, or their difference, follows from where they point in their object.
    pub fn settle_order(&self, a: Value, b: Value) -> Step<()> {
        let same = a.origin == b.origin && (a.origin != Provenance::FUNCTION || a.bits == b.bits);
        if same { Ok(()) } else { open(ORDER) }
    }

    /// Whether a scalar is zero does not depend on the machine.
    pub fn settle_truth(&self, value: Value, ty: TypeId) -> Step<()> {
        match self.image.reprs[ty] {
            _ if value.is_plain() => Ok(()),
            Repr::Float32 | Repr::Float64 if value.origin == Provenance::NAN => Ok(()),
            Repr::Pointer { .. } => self.settle_equality(value, Value::int(0)),
            Repr::Int { int, .. } if self.is_address(value, int) => {
                self.settle_equality(value, Value::int(0))
            }
            _ => open(NUMBER),
        }
    }

    /// A number is no address, nor a part of one.
    pub fn settle_number(&self, value: Value) -> Step<()> {
        if value.is_plain() { Ok(()) } else { open(NUMBER) }
    }

    /// `a op b` of integers of one type, one of which is an address or a part of one.
    pub fn address_binary(&self, op: BinOp, int: IntType, a: Value, b: Value) -> Step<Value> {
        let whole = |value: Value| value.is_plain() || self.is_address(value, int);
        if !whole(a) || !whole(b) {
            return open(NUMBER);
        }
        let bits = int.binary(op, a.bits, b.bits).unwrap_or(0);
        let moved = |origin| Ok(Value { bits, origin });
        match (op, a.is_plain(), b.is_plain()) {
            (BinOp::Add | BinOp::Sub, false, true) => moved(a.origin),
            (BinOp::Add, true, false) => moved(b.origin),
            (BinOp::Eq | BinOp::Ne, ..) => {
                self.settle_equality(a, b)?;
                Ok(Value::int(bits))
            }
            (BinOp::Sub, false, false) => {
                self.settle_order(a, b)?;
                Ok(Value::int(bits))
            }
            (BinOp::Lt | BinOp::Le | BinOp::Gt | BinOp::Ge, false, false) if !int.signed => {
                self.settle_order(a, b)?;
                let inside = |value: Value| self.memory.is_at_or_in(value.as_pointer());
                if inside(a) && inside(b) { Ok(Value::int(bits)) } else { open(ORDER) }
            }
            (BinOp::And | BinOp::Or | BinOp::Xor | BinOp::Rem, false, true) => {
                self.low_bits(op, int, a, b.bits)
            }
            (BinOp::And | BinOp::Or | BinOp::Xor, true, false) => self.low_bits(op, int, b, a.bits),
            _ => open(NUMBER),
        }
    }

    /// The low bits of an address are those of its offset, as far as its object is aligned.
    fn low_bits(&self, op: BinOp, int: IntType, address: Value, other: u128) -> Step<Value> {
        let Some((kind, offset)) = self.memory.describe(address.as_pointer()) else { return open(NUMBER) };
        let align = u128::from(self.alignment(kind));
        let offset = int.wrap(offset as u128);
        let bits = int.binary(op, address.bits, other).unwrap_or(0);
        let moved = Value { bits, origin: address.origin };
        match op {
            BinOp::And if other < align => Ok(Value::int(offset & other)),
            BinOp::And if int.not(other) < align => Ok(moved),
            BinOp::Or | BinOp::Xor if other < align => Ok(moved),
            BinOp::Rem if other.is_power_of_two() && other <= align && !int.signed => {
                Ok(Value::int(offset % other))
            }
            _ => open(NUMBER),
        }
    }

    /// What the address of an object is a multiple of, on every machine.
    pub fn alignment(&self, kind: Kind) -> u64 {
        let program = self.image.program;
        match kind {
            Kind::Var { var, .. } | Kind::Unknown(var) => program.var_align(var),
            Kind::Heap(_) | Kind::Alloca(_) => program.block_align(),
        }
    }

    /// `(to) value`, of a value that is an address or a part of one; the bits are what the conversion gives.
    pub fn address_cast(&self, value: Value, from: TypeId, to: TypeId, bits: u128) -> Step<Value> {
        let reprs = &self.image.reprs;
        let width = |repr: Repr| match repr {
            Repr::Int { int, .. } => Some(int.bits),
            Repr::Pointer { .. } => Some(self.pointer_bits()),
            _ => None,
        };
        match (reprs[from], reprs[to]) {
            (_, Repr::Int { int, .. }) if int.bits == 1 => {
                self.settle_truth(value, from)?;
                Ok(Value::int(bits))
            }
            (_, Repr::Pointer { .. }) if !value.origin.is_whole_address() => open(NUMBER),
            (a, b) if width(a).is_some() && width(a) == width(b) => Ok(Value { bits, origin: value.origin }),
            _ => open(NUMBER),
        }
    }

    /// A value of floating type that an operation gave: the sign and the payload of a NaN are open.
    pub fn computed_float(&self, repr: Repr, value: Value) -> Value {
        match super::float::number(repr, value).is_nan() {
            true => Value { origin: Provenance::NAN, ..value },
            false => value,
        }
    }

    /// The operand of an operation on floats is a number.
    pub fn settle_float(&self, value: Value) -> Step<()> {
        if value.is_plain() || value.origin == Provenance::NAN { Ok(()) } else { open(NUMBER) }
    }

    /// A store to a member: the padding of the records that it belongs to has any value afterwards.
    pub fn spoil_padding(&mut self, place: PlaceId) -> Step<()> {
        let program = self.image.program;
        let mut at = place;
        while let PlaceKind::Field(base, _) | PlaceKind::Index(base, _) = program.places[at].kind {
            let ty = program.places[base].ty;
            if let PlaceKind::Field(..) = program.places[at].kind
                && let Some(used) = self.image.value_bytes(ty)
            {
                let record = self.base(base)?;
                self.memory.keep_written(record, &used)?;
            }
            at = base;
        }
        Ok(())
    }
}
