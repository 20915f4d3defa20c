//! Values of expressions and places.

use super::float;
use super::image::{Home, Path, Repr};
use super::inputs::{Request, Why};
use super::memory::Raw;
use super::outcome::{Halt, Overflow, Step, Undefined, Uninitialised, undefined, unsupported};
use super::portable::open;
use super::run::Machine;
use super::trace::{Access, Cells, Observer};
use super::value::{Pointer, Provenance, Value};
use tour_ir::program::{
    ArrayLen, BinOp, BitField, ExprId, ExprKind, IntType, PlaceId, PointerFact, Type, TypeId, UnOp, VarId,
};

/// Where something is stored.
#[derive(Clone, Copy, Debug)]
pub(super) enum Location {
    Slot(usize),
    Memory(Pointer),
    /// A bit-field of the record at the pointer.
    Bits(Pointer, BitField),
}

/// How far indices go.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Reach {
    /// To the last element.
    Access,
    /// Also to the end of the array: only the address is asked for.
    Address,
}

impl<O: Observer> Machine<'_, '_, O> {
    /// The value of a scalar expression.
    pub fn eval(&mut self, expr: ExprId) -> Step<Value> {
        let program = self.image.program;
        let node = &program.exprs[expr];
        match node.kind {
            ExprKind::Int(bits) => Ok(Value::int(bits)),
            ExprKind::Float(number) => match self.image.reprs[node.ty] {
                repr @ (Repr::Float32 | Repr::Float64) => {
                    let value = float::value(repr, number);
                    // What the compiler computed has the sign of its machine; `NAN` has none.
                    let computed = O::PORTABLE && number.is_sign_negative();
                    Ok(if computed { self.computed_float(repr, value) } else { value })
                }
                _ => self.not_modelled(node.ty),
            },
            ExprKind::Load(place) => {
                let location = self.place(place)?;
                self.load(location, node.ty)
            }
            ExprKind::Zeroed => unsupported("a zeroed aggregate inside an expression"),
            ExprKind::AddrOf(place) => match self.locate(place, Reach::Address)? {
                Location::Memory(pointer) => {
                    let pointer = match program.inner_part(place) {
                        Some((part, size)) => {
                            let start = self.part_of(part, Reach::Address)?;
                            self.memory.narrow(pointer, start, size)
                        }
                        None => pointer,
                    };
                    Ok(self.pointer_value(pointer))
                }
                Location::Slot(_) | Location::Bits(..) => unsupported("the address of what has none"),
            },
            ExprKind::FnAddr(function) => {
                let origin = if O::PORTABLE { Provenance::FUNCTION } else { Provenance::NONE };
                Ok(Value::pointer(self.image.function_address(function), origin))
            }
            ExprKind::Unary(op, operand) => {
                let value = self.eval(operand)?;
                if O::PORTABLE {
                    match self.image.reprs[node.ty] {
                        Repr::Float32 | Repr::Float64 => self.settle_float(value)?,
                        _ => self.settle_number(value)?,
                    }
                }
                match (self.image.reprs[node.ty], op) {
                    (Repr::Int { int, .. }, UnOp::Neg) => {
                        if int.signed && self.options.overflow == Overflow::Report && value.bits == int.min()
                        {
                            return undefined(Undefined::SignedOverflow);
                        }
                        Ok(Value::int(int.neg(value.bits)))
                    }
                    (Repr::Int { int, .. }, UnOp::BitNot) => Ok(Value::int(int.not(value.bits))),
                    (repr @ (Repr::Float32 | Repr::Float64), UnOp::Neg) => {
                        Ok(Value { origin: value.origin, ..float::negate(repr, value) })
                    }
                    (repr @ (Repr::Float32 | Repr::Float64), UnOp::Abs) => Ok(float::absolute(repr, value)),
                    (repr @ (Repr::Float32 | Repr::Float64), UnOp::Sqrt) => {
                        let root = float::value(repr, float::number(repr, value).sqrt());
                        Ok(if O::PORTABLE { self.computed_float(repr, root) } else { root })
                    }
                    _ => self.not_modelled(node.ty),
                }
            }
            ExprKind::Binary(op, a, b) => {
                let (left, right) = (program.exprs[a].ty, program.exprs[b].ty);
                let x = self.eval(a)?;
                let y = self.eval(b)?;
                self.binary(op, (left, x), (right, y))
            }
            ExprKind::Cast(operand) => {
                let mut value = self.eval(operand)?;
                let from = program.exprs[operand].ty;
                let pointee = |ty| program.types.pointee(ty).map(|to| to.ty);
                if value.origin.part != 0 && pointee(from) != pointee(node.ty) {
                    value.origin.part = 0;
                }
                let result = self.cast(value, from, node.ty)?;
                if !O::PORTABLE {
                    return Ok(result);
                }
                match (self.image.reprs[from], self.image.reprs[node.ty]) {
                    (Repr::Float32 | Repr::Float64, to) => {
                        self.settle_float(value)?;
                        // Conversions keep the sign of a NaN, and its payload as far as there is room.
                        let float = matches!(to, Repr::Float32 | Repr::Float64);
                        Ok(if float { Value { origin: value.origin, ..result } } else { result })
                    }
                    _ if value.is_plain() => Ok(result),
                    _ => self.address_cast(value, from, node.ty, result.bits),
                }
            }
            ExprKind::Fact(PointerFact::Written, load) => {
                let ExprKind::Load(place) = program.exprs[load].kind else {
                    return unsupported("whether a value was written");
                };
                let location = self.place(place)?;
                Ok(Value::bool(self.is_written(location, program.exprs[load].ty)?))
            }
            ExprKind::Fact(PointerFact::SameObject, pair) => {
                let ExprKind::Binary(_, a, b) = program.exprs[pair].kind else {
                    return unsupported("whether something is one object");
                };
                let (a, b) = (self.eval(a)?.as_pointer(), self.eval(b)?.as_pointer());
                Ok(Value::bool(self.memory.same_object(a, b)))
            }
            ExprKind::Fact(PointerFact::Align, pointer) => {
                let pointer = self.eval(pointer)?.as_pointer();
                let align = self.memory.describe(pointer).map_or(0, |(kind, _)| self.alignment(kind));
                Ok(Value::int(align.into()))
            }
            ExprKind::Fact(fact, pointer) => {
                let value = self.eval(pointer)?;
                if O::PORTABLE && value.is_plain() {
                    self.settle_equality(value, Value::int(0))?;
                }
                let number = self.memory.fact(fact, value.as_pointer())?;
                match self.image.reprs[node.ty] {
                    Repr::Int { int, .. } => Ok(Value::int(int.wrap(number as u128))),
                    _ => self.not_modelled(node.ty),
                }
            }
        }
    }

    fn not_modelled<T>(&self, ty: TypeId) -> Step<T> {
        unsupported(format!("a value of type {}", self.image.program.show_type(ty)))
    }

    /// An address, cut to the width of pointers.
    fn pointer_value(&self, pointer: Pointer) -> Value {
        let bits = self.address_type().wrap(pointer.address.into());
        Value { bits, origin: pointer.origin }
    }

    fn address_type(&self) -> IntType {
        IntType::unsigned(self.image.program.model.pointer_bits())
    }

    fn binary(&mut self, op: BinOp, left: (TypeId, Value), right: (TypeId, Value)) -> Step<Value> {
        let ((ty, a), (right_ty, b)) = (left, right);
        match self.image.reprs[ty] {
            Repr::Int { int, .. } if O::PORTABLE && !(a.is_plain() && b.is_plain()) => {
                self.address_binary(op, int, a, b)
            }
            Repr::Int { int, .. } => match op {
                BinOp::Shl | BinOp::Shr => {
                    let Repr::Int { int: count, .. } = self.image.reprs[right_ty] else {
                        return self.not_modelled(right_ty);
                    };
                    match u128::try_from(count.to_i128(b.bits)) {
                        Ok(n) if n < int.bits.into() => {
                            Ok(Value::int(int.binary(op, a.bits, n).unwrap_or(0)))
                        }
                        _ => undefined(Undefined::Shift),
                    }
                }
                _ => self.int_binary(op, int, a.bits, b.bits),
            },
            repr @ (Repr::Float32 | Repr::Float64) if O::PORTABLE => {
                self.settle_float(a)?;
                self.settle_float(b)?;
                let value = float::binary(op, repr, a, b)?;
                Ok(if op.is_comparison() { value } else { self.computed_float(repr, value) })
            }
            repr @ (Repr::Float32 | Repr::Float64) => float::binary(op, repr, a, b),
            Repr::Pointer { .. } => self.pointer_binary(op, ty, a, b, right_ty),
            Repr::Bytes(_) | Repr::Variable | Repr::Opaque => self.not_modelled(ty),
        }
    }

    fn int_binary(&self, op: BinOp, int: IntType, a: u128, b: u128) -> Step<Value> {
        match op {
            BinOp::Div | BinOp::Rem if b == 0 => return undefined(Undefined::DivisionByZero),
            // No machine wraps here: the quotient does not fit, and the division traps.
            BinOp::Div | BinOp::Rem if int.signed && a == int.min() && b == int.mask() => {
                return undefined(Undefined::SignedOverflow);
            }
            BinOp::Add | BinOp::Sub | BinOp::Mul
                if int.signed && self.options.overflow == Overflow::Report =>
            {
                let (x, y) = (int.to_i128(a), int.to_i128(b));
                let exact = match op {
                    BinOp::Add => x.checked_add(y),
                    BinOp::Sub => x.checked_sub(y),
                    _ => x.checked_mul(y),
                };
                if exact.is_none_or(|exact| int.to_i128(int.wrap(exact as u128)) != exact) {
                    return undefined(Undefined::SignedOverflow);
                }
            }
            _ => {}
        }
        match int.binary(op, a, b) {
            Some(bits) => Ok(Value::int(bits)),
            None => unsupported("pointer arithmetic on integers"),
        }
    }

    fn pointer_binary(&mut self, op: BinOp, ty: TypeId, a: Value, b: Value, right_ty: TypeId) -> Step<Value> {
        let unrelated = a.origin.is_some() && b.origin.is_some() && a.origin != b.origin;
        match op {
            BinOp::PtrAdd => {
                let Repr::Int { int, .. } = self.image.reprs[right_ty] else {
                    return self.not_modelled(right_ty);
                };
                let stride = self.stride(ty)?;
                if O::PORTABLE {
                    self.settle_number(b)?;
                }
                let bytes = (int.to_i128(b.bits) as u64).wrapping_mul(stride);
                Ok(self.pointer_value(a.as_pointer().offset(bytes)))
            }
            BinOp::PtrDiff if unrelated => undefined(Undefined::UnrelatedPointers),
            BinOp::PtrDiff => {
                if O::PORTABLE {
                    self.settle_order(a, b)?;
                }
                let stride = i128::from(self.stride(ty)?);
                let int = self.image.program.model.int_type(self.image.program.model.ptrdiff_kind());
                let bytes = int.to_i128(a.bits.wrapping_sub(b.bits));
                match bytes.checked_div(stride) {
                    Some(elements) => Ok(Value::int(int.wrap(elements as u128))),
                    None => undefined(Undefined::DivisionByZero),
                }
            }
            BinOp::Lt | BinOp::Le | BinOp::Gt | BinOp::Ge if unrelated => {
                undefined(Undefined::UnrelatedPointers)
            }
            _ => {
                if O::PORTABLE {
                    match op {
                        BinOp::Eq | BinOp::Ne => self.settle_equality(a, b)?,
                        _ => self.settle_order(a, b)?,
                    }
                }
                self.int_binary(op, self.address_type(), a.bits, b.bits)
            }
        }
    }

    fn cast(&self, value: Value, from: TypeId, to: TypeId) -> Step<Value> {
        let reprs = &self.image.reprs;
        match (reprs[from], reprs[to]) {
            (Repr::Int { int, .. }, Repr::Int { int: to, .. }) => Ok(Value::int(int.convert(value.bits, to))),
            (Repr::Int { int, .. }, Repr::Pointer { .. }) => {
                Ok(Value::int(int.convert(value.bits, self.address_type())))
            }
            (Repr::Pointer { .. }, Repr::Int { int, .. }) => {
                Ok(Value::int(self.address_type().convert(value.bits, int)))
            }
            (Repr::Pointer { .. }, Repr::Pointer { .. }) => Ok(value),
            (Repr::Int { int, .. }, to @ (Repr::Float32 | Repr::Float64)) => {
                Ok(float::from_int(int, value.bits, to))
            }
            (from @ (Repr::Float32 | Repr::Float64), Repr::Int { int, .. }) => {
                float::to_int(float::number(from, value), int)
            }
            (from @ (Repr::Float32 | Repr::Float64), to @ (Repr::Float32 | Repr::Float64)) => {
                Ok(float::value(to, float::number(from, value)))
            }
            (Repr::Opaque, _) => self.not_modelled(from),
            _ => self.not_modelled(to),
        }
    }

    /// Whether a scalar is non-zero.
    pub fn truth(&self, value: Value, ty: TypeId) -> bool {
        match self.image.reprs[ty] {
            repr @ (Repr::Float32 | Repr::Float64) => float::number(repr, value) != 0.0,
            _ => value.bits != 0,
        }
    }

    /// The size of what a pointer type points to.
    fn stride(&mut self, pointer: TypeId) -> Step<u64> {
        match (self.image.reprs[pointer], self.image.program.types.pointee(pointer)) {
            (Repr::Pointer { stride: Some(size) }, _) => Ok(size),
            (_, Some(to)) => self.size_of(to.ty),
            _ => self.not_modelled(pointer),
        }
    }

    /// The size of a type, also of a variable-length array.
    pub fn size_of(&mut self, ty: TypeId) -> Step<u64> {
        let types = &self.image.program.types;
        if let Some(size) = types.size(ty) {
            return Ok(size);
        }
        let (of, count) = match types[ty] {
            Type::Array(of, ArrayLen::Fixed(count)) => (of, count),
            Type::Array(of, ArrayLen::Variable(var)) => {
                let location = self.var(var)?;
                let count = self.load(location, self.image.program.vars[var].ty.ty)?;
                (of, count.bits as u64)
            }
            _ => return unsupported(format!("the size of {}", self.image.program.show_type(ty))),
        };
        match self.size_of(of.ty)?.checked_mul(count) {
            Some(size) => Ok(size),
            None => super::outcome::limit(super::outcome::Limit::Memory),
        }
    }

    /// Where a variable is.
    pub fn var(&self, var: VarId) -> Step<Location> {
        self.home(self.image.homes[var])
    }

    fn home(&self, home: Home) -> Step<Location> {
        Ok(match home {
            Home::StaticSlot(slot) => Location::Slot(slot as usize),
            Home::FrameSlot(slot) => Location::Slot(self.slot_base + slot as usize),
            Home::Static(object) => Location::Memory(self.memory.pointer(object)),
            Home::FrameObject(object) => match self.frame_objects.get(self.object_base + object as usize) {
                Some(&Some(object)) => Location::Memory(self.memory.pointer(object)),
                _ => return unsupported("a variable-length array outside its declaration's scope"),
            },
        })
    }

    /// Where a place is that is accessed.
    pub fn place(&mut self, place: PlaceId) -> Step<Location> {
        self.locate(place, Reach::Access)
    }

    /// Where a place is. An index is inside of its array, although the memory behind may be the object's.
    fn locate(&mut self, place: PlaceId, reach: Reach) -> Step<Location> {
        match self.image.paths[place] {
            Path::Var(home) => self.home(home),
            Path::Deref(pointer) => Ok(Location::Memory(self.eval(pointer)?.as_pointer())),
            Path::Field(base, offset) => Ok(Location::Memory(self.part_of(base, reach)?.offset(offset))),
            Path::Bits(base, field) => Ok(Location::Bits(self.part_of(base, reach)?, field)),
            Path::Index(base, index, stride, len) => {
                let base = self.part_of(base, reach)?;
                let program = self.image.program;
                let Repr::Int { int, .. } = self.image.reprs[program.exprs[index].ty] else {
                    return unsupported("an index that is no integer");
                };
                let index = self.eval(index)?;
                if O::PORTABLE {
                    self.settle_number(index)?;
                }
                let index = int.to_i128(index.bits);
                let last = len.map(|len| match reach {
                    Reach::Access => i128::from(len) - 1,
                    Reach::Address => i128::from(len),
                });
                if last.is_some_and(|last| index < 0 || index > last) {
                    return undefined(Undefined::OutOfBounds);
                }
                let index = index as u64;
                let stride = match stride {
                    Some(stride) => stride,
                    None => self.size_of(program.places[place].ty)?,
                };
                Ok(Location::Memory(base.offset(index.wrapping_mul(stride))))
            }
            Path::Malformed => unsupported("a malformed place"),
        }
    }

    /// Where the record or array is that a place is a part of.
    pub fn base(&mut self, place: PlaceId) -> Step<Pointer> {
        self.part_of(place, Reach::Access)
    }

    fn part_of(&mut self, place: PlaceId, reach: Reach) -> Step<Pointer> {
        match self.locate(place, reach)? {
            Location::Memory(pointer) => Ok(pointer),
            Location::Slot(_) | Location::Bits(..) => unsupported("a part of a scalar"),
        }
    }

    /// The scalar at a location. One that was never written is asked for once, or undefined.
    pub fn load(&mut self, location: Location, ty: TypeId) -> Step<Value> {
        let value = self.peek(location, ty)?;
        if value.is_initialised() { Ok(value) } else { self.load_unwritten(location, ty) }
    }

    /// The scalar at a location, as it is.
    pub fn peek(&mut self, location: Location, ty: TypeId) -> Step<Value> {
        match location {
            Location::Slot(slot) => {
                self.memory.note(Access::Read(Cells::slot(slot)));
                Ok(self.slots[slot])
            }
            Location::Memory(pointer) => {
                let Some((size, repr)) = self.scalar_size(ty) else { return self.not_modelled(ty) };
                let raw = self.memory.load(pointer, size)?;
                if O::PORTABLE {
                    settle_bytes(repr, raw)?;
                }
                if matches!(repr, Repr::Int { int, .. } if int.bits == 1) && raw.bits & raw.written > 1 {
                    return undefined(Undefined::InvalidBool);
                }
                Ok(if raw.written == IntType::unsigned(size as u32 * 8).mask() {
                    scalar::<O>(repr, raw)
                } else {
                    Value::UNINITIALISED
                })
            }
            Location::Bits(record, field) => {
                let Repr::Int { int, .. } = self.image.reprs[ty] else { return self.not_modelled(ty) };
                let raw = self.memory.load_bits(record, field)?;
                if O::PORTABLE && (raw.mixed || raw.origin != Provenance::NONE) {
                    return open("the bytes of an address");
                }
                let stored = IntType { bits: field.width, signed: int.signed };
                Ok(if stored.wrap(raw.written) == stored.mask() {
                    Value::int(stored.convert(raw.bits, int))
                } else {
                    Value::UNINITIALISED
                })
            }
        }
    }

    /// All of the scalar at a location was written, or is an input that was not asked for yet.
    pub fn is_written(&mut self, location: Location, ty: TypeId) -> Step<bool> {
        let given = match location {
            Location::Slot(_) => false,
            Location::Memory(pointer) | Location::Bits(pointer, _) => self.memory.is_given(pointer),
        };
        Ok(given || self.peek(location, ty)?.is_initialised())
    }

    #[cold]
    fn load_unwritten(&mut self, location: Location, ty: TypeId) -> Step<Value> {
        if self.options.uninitialised == Uninitialised::Report {
            return undefined(Undefined::UninitialisedRead);
        }
        match location {
            Location::Slot(_) => {
                let bits = self.ask(ty, Why::Unwritten)?;
                self.store(location, ty, Value::int(bits))?;
            }
            Location::Memory(pointer) => {
                let Some((size, _)) = self.scalar_size(ty) else { return self.not_modelled(ty) };
                let raw = self.memory.load(pointer, size)?;
                let bits = self.ask(ty, Why::Unwritten)?;
                let merged = raw.bits & raw.written | bits & !raw.written;
                self.memory.store(pointer, size, Value::int(merged))?;
            }
            Location::Bits(record, field) => {
                let raw = self.memory.load_bits(record, field)?;
                let bits = self.ask(ty, Why::Unwritten)?;
                let merged = raw.bits & raw.written | bits & !raw.written;
                self.memory.store_bits(record, field, Value::int(merged))?;
            }
        }
        self.peek(location, ty)
    }

    /// A byte that a library function reads.
    pub fn read_byte(&mut self, pointer: Pointer) -> Step<u8> {
        let raw = self.memory.load(pointer, 1)?;
        if O::PORTABLE && raw.origin != Provenance::NONE {
            return open("the bytes of an address");
        }
        if raw.written == 0xff {
            return Ok(raw.bits as u8);
        }
        if self.options.uninitialised == Uninitialised::Report {
            return undefined(Undefined::UninitialisedRead);
        }
        let request = Request { edge: self.edge, ty: None, bits: 8, why: Why::Unwritten };
        let Some(bits) = self.ask_for(request) else { return Err(Box::new(Halt::OutOfInputs)) };
        let merged = raw.bits & raw.written | bits & !raw.written;
        self.memory.store(pointer, 1, Value::int(merged))?;
        Ok(merged as u8)
    }

    /// Stores a scalar, or makes it indeterminate.
    pub fn store(&mut self, location: Location, ty: TypeId, value: Value) -> Step<()> {
        match location {
            Location::Slot(slot) => {
                self.memory.note(Access::Write(Cells::slot(slot)));
                self.slots[slot] = value;
                Ok(())
            }
            Location::Memory(pointer) => match self.scalar_size(ty) {
                Some((size, _)) => self.memory.store(pointer, size, value),
                None => self.not_modelled(ty),
            },
            Location::Bits(record, field) => self.memory.store_bits(record, field, value),
        }
    }

    /// The size of a scalar type.
    pub fn scalar_size(&self, ty: TypeId) -> Option<(u64, Repr)> {
        let repr = self.image.reprs[ty];
        Some(match repr {
            Repr::Int { size, .. } => (size, repr),
            Repr::Float32 => (4, repr),
            Repr::Float64 => (8, repr),
            Repr::Pointer { .. } => (self.image.program.model.pointer_bytes(), repr),
            Repr::Bytes(_) | Repr::Variable | Repr::Opaque => return None,
        })
    }

    /// An input of a scalar type.
    pub fn ask(&mut self, ty: TypeId, why: Why) -> Step<u128> {
        match self.ask_maybe(ty, why)? {
            Some(bits) => Ok(bits),
            None => Err(Box::new(Halt::OutOfInputs)),
        }
    }

    /// An input of a scalar type, if there is one.
    pub fn ask_maybe(&mut self, ty: TypeId, why: Why) -> Step<Option<u128>> {
        let bits = match self.image.reprs[ty] {
            Repr::Int { int, .. } => int.bits,
            Repr::Float32 => 32,
            Repr::Float64 => 64,
            Repr::Pointer { .. } => self.image.program.model.pointer_bits(),
            Repr::Bytes(_) | Repr::Variable | Repr::Opaque => return self.not_modelled(ty),
        };
        Ok(self.ask_for(Request { edge: self.edge, ty: Some(ty), bits, why }))
    }

    fn ask_for(&mut self, request: Request) -> Option<u128> {
        self.inputs.next(&request).map(|bits| IntType::unsigned(request.bits).wrap(bits))
    }
}

/// The value of a scalar's bytes.
fn scalar<O: Observer>(repr: Repr, raw: Raw) -> Value {
    match repr {
        Repr::Int { int, .. } if int.bits == 1 => Value::bool(raw.bits != 0),
        Repr::Pointer { .. } if raw.origin.piece == 0 => Value { bits: raw.bits, origin: raw.origin },
        Repr::Pointer { .. } => Value::int(raw.bits),
        _ if O::PORTABLE => Value { bits: raw.bits, origin: raw.origin },
        _ => Value::int(raw.bits),
    }
}

/// The bytes of a scalar are those of one value, as far as addresses are among them.
fn settle_bytes(repr: Repr, raw: Raw) -> Step<()> {
    let whole = match repr {
        _ if raw.mixed => false,
        Repr::Int { int, .. } if int.bits == 1 => raw.origin == Provenance::NONE,
        Repr::Pointer { .. } => raw.origin == Provenance::NONE || raw.origin.is_whole_address(),
        _ => true,
    };
    if whole { Ok(()) } else { open("the bytes of an address") }
}
