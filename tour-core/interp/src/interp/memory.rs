//! Byte-accurate memory: objects with their bytes, which bits of them were written, and where stored pointers came
//! from.
//!
//! Every object has a synthetic address. Objects lie apart, so that a pointer one past the end of one is never the
//! address of another. Stack addresses are used again by later calls, heap addresses are not.

use super::image::Literal;
use super::outcome::{Limit, Step, Undefined, limit, undefined};
use super::parts::Parts;
use super::trace::{Access, Cells};
use super::value::{Pointer, Provenance, Value};
use std::ops::Range;
use tour_ir::program::{BitField, DataModel, PointerFact, VarId};

/// Objects start at multiples of this, unless they ask for more.
pub(super) const ALIGN: u64 = 16;
/// Bytes between two objects.
pub(super) const GAP: u64 = 16;
/// Addresses below are null with an offset: no object ever is there.
pub(super) const NULL_PAGE: u64 = 0x1000;

/// What an object is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    /// A variable; `constant` if writing to it is undefined.
    Var { var: VarId, constant: bool },
    /// The n-th block given by `malloc` and the like.
    Heap(u64),
    /// The n-th block, on the stack: given by `alloca`.
    Alloca(u64),
    /// A variable that another program part defines and whose size is not known here.
    Unknown(VarId),
}

#[derive(Clone, Debug)]
struct Object {
    base: u64,
    data: Vec<u8>,
    /// For each byte, which of its bits were written.
    written: Vec<u8>,
    /// For each byte of a stored pointer, where that came from; empty while no pointer was stored.
    origins: Vec<Provenance>,
    generation: u32,
    alive: bool,
    /// What was never written is an input, and none that lacks a value.
    given: bool,
    /// A string literal: others may share its bytes.
    literal: bool,
    /// Where the bytes begin that it shares with others.
    group: u64,
    kind: Kind,
}

impl Object {
    fn reset(&mut self, size: usize) {
        self.data.clear();
        self.data.resize(size, 0);
        self.written.clear();
        self.written.resize(size, 0);
        self.origins.clear();
        self.generation = self.generation.wrapping_add(1);
        self.alive = true;
        self.given = false;
        self.literal = false;
    }

    fn forget_origins(&mut self, at: usize, size: usize) {
        if !self.origins.is_empty() {
            self.origins[at..at + size].fill(Provenance::NONE);
        }
    }

    /// Where a scalar came from; an error if its bytes came from different values.
    fn origin(&self, at: usize, size: usize) -> Result<Provenance, ()> {
        let Some([first, rest @ ..]) = self.origins.get(at..at + size) else { return Ok(Provenance::NONE) };
        let next = |k: usize| if *first == Provenance::NONE { *first } else { first.further(k) };
        let one = rest.iter().enumerate().all(|(k, origin)| *origin == next(k + 1));
        if one { Ok(*first) } else { Err(()) }
    }
}

/// The bits of a scalar in memory.
#[derive(Clone, Copy, Debug)]
pub(super) struct Raw {
    pub bits: u128,
    /// Which of them were written.
    pub written: u128,
    pub origin: Provenance,
    /// They came from several values, one of which at least was an address.
    pub mixed: bool,
}

/// All objects.
#[derive(Clone, Debug)]
pub(super) struct Memory {
    objects: Vec<Object>,
    /// Indices to use again. Those of heap blocks stay with the heap, so that a dangling pointer is still known to be
    /// one to the heap.
    free: Vec<u32>,
    free_heap: Vec<u32>,
    heap_next: u64,
    heap_end: u64,
    /// The next free address of the stack.
    pub stack_next: u64,
    /// Where the current stack ends.
    pub stack_end: u64,
    bytes: u64,
    max_bytes: u64,
    blocks: u64,
    /// The object that an address without provenance was last found in.
    last_found: u32,
    /// What was read and written since someone looked, if someone wants to know.
    pub log: Option<Vec<Access>>,
    /// An address without provenance is no way to an object: on another machine another one may be there.
    pub portable: bool,
    parts: Parts,
}

impl Memory {
    pub fn new(model: DataModel, max_bytes: u64) -> Memory {
        let (heap_next, heap_end, stack_next, stack_end) = match model {
            DataModel::Ilp32 => (0x0100_0000, 0xa000_0000, 0xa000_0000, 0xffff_0000),
            DataModel::Lp64 => (0x0100_0000, 0x7000_0000_0000, 0x7000_0000_0000, 0x7fff_0000_0000),
        };
        Memory {
            objects: Vec::new(),
            free: Vec::new(),
            free_heap: Vec::new(),
            heap_next,
            heap_end,
            stack_next,
            stack_end,
            bytes: 0,
            max_bytes,
            blocks: 0,
            last_found: 0,
            log: None,
            portable: false,
            parts: Parts::default(),
        }
    }

    /// What it takes to copy it, in steps of a run.
    pub fn weight(&self) -> u64 {
        self.objects.len() as u64 + self.bytes / 256
    }

    /// Notes an access for an observer.
    pub fn note(&mut self, access: Access) {
        if let Some(log) = &mut self.log {
            log.push(access);
        }
    }

    /// The cells of `size` bytes of an object.
    fn cells(&self, index: usize, at: usize, size: usize) -> Cells {
        Cells::bytes(self.objects[index].base + at as u64, size as u64)
    }

    /// Where the addresses of functions begin.
    pub const FUNCTIONS: u64 = 0x1_0000;

    /// Makes place for the functions' addresses, before any object is made.
    pub fn reserve_functions(&mut self, functions: usize) {
        let end = Self::FUNCTIONS + functions as u64 * ALIGN;
        self.heap_next = self.heap_next.max(end.next_multiple_of(0x1000));
    }

    fn add(&mut self, base: u64, size: u64, kind: Kind) -> Step<u32> {
        if size > self.max_bytes - self.bytes.min(self.max_bytes) {
            return limit(Limit::Memory);
        }
        self.bytes += size;
        let free = if matches!(kind, Kind::Heap(_)) { &mut self.free_heap } else { &mut self.free };
        let index = match free.pop() {
            Some(index) => index,
            None => {
                self.objects.push(Object {
                    base,
                    data: Vec::new(),
                    written: Vec::new(),
                    origins: Vec::new(),
                    generation: 0,
                    alive: false,
                    given: false,
                    literal: false,
                    group: 0,
                    kind,
                });
                self.objects.len() as u32 - 1
            }
        };
        let object = &mut self.objects[index as usize];
        object.base = base;
        object.kind = kind;
        object.reset(size as usize);
        self.note(Access::Write(Cells::life(index)));
        Ok(index)
    }

    /// A new object at an address that was never used.
    pub fn allocate(&mut self, size: u64, align: u64, kind: Kind) -> Step<u32> {
        let base = self.heap_next.next_multiple_of(align.max(ALIGN));
        match base.checked_add(size).and_then(|end| end.checked_add(GAP)) {
            Some(end) if end <= self.heap_end => {
                let index = self.add(base, size, kind)?;
                self.heap_next = end;
                Ok(index)
            }
            _ => limit(Limit::Memory),
        }
    }

    /// A new object for a string literal.
    pub fn allocate_literal(&mut self, size: u64, kind: Kind, literal: Literal) -> Step<u32> {
        let index = match self.objects.get(literal.first as usize) {
            Some(first) => self.add(first.group + literal.at, size, kind)?,
            None => {
                let whole = self.allocate(literal.room, ALIGN, kind)?;
                let start = self.objects[whole as usize].base;
                let object = &mut self.objects[whole as usize];
                object.reset(size as usize);
                object.base = start + literal.at;
                self.bytes -= literal.room - size;
                whole
            }
        };
        let object = &mut self.objects[index as usize];
        object.literal = true;
        object.group = object.base - literal.at;
        Ok(index)
    }

    /// A new block of `malloc` or `alloca`.
    pub fn allocate_block(&mut self, size: u64, kind: impl Fn(u64) -> Kind) -> Step<u32> {
        let index = self.allocate(size, ALIGN, kind(self.blocks))?;
        self.blocks += 1;
        Ok(index)
    }

    /// A new static object at an address that the program's image gives it.
    pub fn allocate_static(&mut self, address: u64, size: u64, kind: Kind) -> Step<u32> {
        if address.checked_add(size).is_none_or(|end| end > self.heap_end) {
            return limit(Limit::Memory);
        }
        self.add(address, size, kind)
    }

    /// Where stacks lie.
    pub fn stack(&self) -> Range<u64> {
        self.stack_next..self.stack_end
    }

    /// A new object on the stack, at an address of the frame that the caller laid out.
    pub fn allocate_local(&mut self, address: u64, size: u64, kind: Kind) -> Step<u32> {
        if address.checked_add(size).is_none_or(|end| end > self.stack_end) {
            return limit(Limit::Depth);
        }
        self.add(address, size, kind)
    }

    /// Ends the life of an object.
    pub fn release(&mut self, index: u32) {
        self.expire(index);
        if matches!(self.objects[index as usize].kind, Kind::Heap(_)) {
            self.free_heap.push(index);
        } else {
            self.free.push(index);
        }
    }

    /// Ends the life of an object that is renewed or released later.
    pub fn expire(&mut self, index: u32) {
        let object = &mut self.objects[index as usize];
        if object.alive {
            object.alive = false;
            self.bytes -= object.data.len() as u64;
            self.note(Access::Write(Cells::life(index)));
        }
    }

    /// Ends the life of an object and begins that of another one in its place.
    pub fn renew(&mut self, index: u32) {
        let object = &mut self.objects[index as usize];
        if !object.alive {
            self.bytes += object.data.len() as u64;
        }
        object.reset(object.data.len());
    }

    /// A pointer to the start of an object.
    pub fn pointer(&self, index: u32) -> Pointer {
        let object = &self.objects[index as usize];
        let origin = Provenance { index, generation: object.generation, piece: 0, part: 0 };
        Pointer { address: object.base, origin }
    }

    /// The pointer as one that was made from the `size` bytes at `start`.
    pub fn narrow(&mut self, pointer: Pointer, start: Pointer, size: u64) -> Pointer {
        let Provenance { index, .. } = pointer.origin;
        let Some(object) = self.objects.get(index as usize) else { return pointer };
        let part = self.parts.number(start.address.wrapping_sub(object.base), size);
        Pointer { origin: Provenance { part, ..pointer.origin }, ..pointer }
    }

    /// What is known of the object that a pointer belongs to, and the pointer's offset in it.
    pub fn describe(&self, pointer: Pointer) -> Option<(Kind, i64)> {
        let object = self.objects.get(self.find(pointer).ok()? as usize)?;
        Some((object.kind, pointer.address.wrapping_sub(object.base) as i64))
    }

    /// A fact about the object that a pointer belongs to.
    pub fn fact(&mut self, fact: PointerFact, pointer: Pointer) -> Step<i128> {
        if fact == PointerFact::Left {
            return Ok(self.objects.iter().any(|o| o.alive && matches!(o.kind, Kind::Heap(_))).into());
        }
        if pointer.origin.is_some() {
            self.note(Access::Read(Cells::life(pointer.origin.index)));
        }
        let alive = self.find(pointer).ok();
        let index = match alive {
            Some(index) => Some(index),
            None => pointer.origin.is_some().then_some(pointer.origin.index),
        };
        let Some(object) = index.and_then(|index| self.objects.get(index as usize)) else {
            // The offset of a pointer to nothing means nothing.
            return Ok(0);
        };
        Ok(match fact {
            PointerFact::Alive => alive.is_some().into(),
            PointerFact::Heap => matches!(object.kind, Kind::Heap(_)).into(),
            PointerFact::Constant => matches!(object.kind, Kind::Var { constant: true, .. }).into(),
            PointerFact::Written | PointerFact::SameObject | PointerFact::Align => {
                return super::outcome::unsupported("a fact that is none of a pointer");
            }
            PointerFact::Offset => (pointer.address.wrapping_sub(object.base) as i64).into(),
            PointerFact::Size if matches!(object.kind, Kind::Unknown(_)) => {
                return super::outcome::unsupported("an object whose size is not known");
            }
            // The index of a dead object may be another's by now; all that matters of its size then is that it had one.
            PointerFact::Size if alive.is_none() => object.data.len().max(1) as i128,
            PointerFact::Size => object.data.len() as i128,
            PointerFact::Left => unreachable!("it was answered above"),
        })
    }

    /// Both pointers belong to one object, or both to none.
    pub fn same_object(&self, a: Pointer, b: Pointer) -> bool {
        let object = |pointer: Pointer| match pointer.origin.is_some() {
            true => Some(pointer.origin.index),
            false => self.find(pointer).ok(),
        };
        object(a) == object(b)
    }

    fn find(&self, pointer: Pointer) -> Step<u32> {
        let Provenance { index, generation, .. } = pointer.origin;
        if pointer.origin.is_some() {
            let object = &self.objects[index as usize];
            return if object.generation == generation && object.alive {
                Ok(index)
            } else {
                undefined(Undefined::DanglingPointer)
            };
        }
        if pointer.address < NULL_PAGE {
            return undefined(Undefined::NullPointer);
        }
        if self.portable {
            return super::portable::open("what is at an address that is a number");
        }
        let offset = |o: &Object| pointer.address.checked_sub(o.base).filter(|_| o.alive);
        let holds = |o: &Object| offset(o).is_some_and(|at| at < o.data.len() as u64);
        if self.objects.get(self.last_found as usize).is_some_and(holds) {
            return Ok(self.last_found);
        }
        // The end of an object, if no other one begins there.
        let ends = |o: &Object| offset(o) == Some(o.data.len() as u64);
        match self.objects.iter().position(holds).or_else(|| self.objects.iter().position(ends)) {
            Some(index) => Ok(index as u32),
            None => undefined(Undefined::WildPointer),
        }
    }

    /// The object and offset of `size` bytes.
    fn resolve(&mut self, pointer: Pointer, size: u64) -> Step<(usize, usize)> {
        let index = self.find(pointer)?;
        if !pointer.origin.is_some() {
            self.last_found = index;
        }
        let object = &self.objects[index as usize];
        let at = pointer.address.wrapping_sub(object.base);
        if !self.parts.hold(pointer.origin.part, at, size) {
            return undefined(Undefined::OutOfBounds);
        }
        if at.checked_add(size).is_some_and(|end| end <= object.data.len() as u64) {
            return Ok((index as usize, at as usize));
        }
        match object.kind {
            Kind::Unknown(_) => super::outcome::unsupported("an object whose size is not known"),
            _ if pointer.address < NULL_PAGE => undefined(Undefined::NullPointer),
            _ => undefined(Undefined::OutOfBounds),
        }
    }

    fn resolve_for_write(&mut self, pointer: Pointer, size: u64) -> Step<(usize, usize)> {
        let (index, at) = self.resolve(pointer, size)?;
        match self.objects[index].kind {
            Kind::Var { constant: true, .. } => undefined(Undefined::ReadOnly),
            _ => Ok((index, at)),
        }
    }

    /// What an object holds are inputs.
    pub fn give(&mut self, index: u32) {
        self.objects[index as usize].given = true;
    }

    /// The object that a pointer points into holds inputs.
    pub fn is_given(&self, pointer: Pointer) -> bool {
        self.find(pointer).is_ok_and(|index| self.objects[index as usize].given)
    }

    /// Loads a scalar of up to 16 bytes.
    pub fn load(&mut self, pointer: Pointer, size: u64) -> Step<Raw> {
        let (index, at) = self.resolve(pointer, size)?;
        let size = size as usize;
        self.note(Access::Read(self.cells(index, at, size)));
        let object = &self.objects[index];
        let origin = if object.origins.is_empty() { Ok(Provenance::NONE) } else { object.origin(at, size) };
        Ok(Raw {
            bits: little_endian(&object.data[at..at + size]),
            written: little_endian(&object.written[at..at + size]),
            origin: origin.unwrap_or(Provenance::NONE),
            mixed: origin.is_err(),
        })
    }

    /// Stores a scalar of up to 16 bytes.
    pub fn store(&mut self, pointer: Pointer, size: u64, value: Value) -> Step<()> {
        let (index, at) = self.resolve_for_write(pointer, size)?;
        let size = size as usize;
        self.note(Access::Write(self.cells(index, at, size)));
        let object = &mut self.objects[index];
        if value.is_initialised() {
            object.data[at..at + size].copy_from_slice(&value.bits.to_le_bytes()[..size]);
            object.written[at..at + size].fill(0xff);
        } else {
            object.written[at..at + size].fill(0);
        }
        if value.is_initialised() && !value.is_plain() {
            if object.origins.is_empty() {
                object.origins.resize(object.data.len(), Provenance::NONE);
            }
            for (k, origin) in object.origins[at..at + size].iter_mut().enumerate() {
                *origin = value.origin.further(k);
            }
        } else {
            object.forget_origins(at, size);
        }
        Ok(())
    }

    /// Loads a bit-field of the record at `record`.
    pub fn load_bits(&mut self, record: Pointer, field: BitField) -> Step<Raw> {
        let (first, size, shift) = unit(field);
        let raw = self.load(record.offset(first), size)?;
        Ok(Raw { bits: raw.bits >> shift, written: raw.written >> shift, ..raw })
    }

    /// Stores a bit-field of the record at `record`; the other bits of its bytes stay as they are.
    pub fn store_bits(&mut self, record: Pointer, field: BitField, value: Value) -> Step<()> {
        let (first, size, shift) = unit(field);
        let (index, at) = self.resolve_for_write(record.offset(first), size)?;
        let size = size as usize;
        // Other fields in the same bytes stay.
        let cells = self.cells(index, at, size);
        self.note(Access::Read(cells));
        self.note(Access::Write(cells));
        let object = &mut self.objects[index];
        let mask = ((1u128 << field.width) - 1) << shift;
        let data = &mut object.data[at..at + size];
        let bits = little_endian(data) & !mask | value.bits << shift & mask;
        data.copy_from_slice(&bits.to_le_bytes()[..size]);
        let written = &mut object.written[at..at + size];
        let seen = if value.is_initialised() { mask } else { 0 };
        let bits = little_endian(written) & !mask | seen;
        written.copy_from_slice(&bits.to_le_bytes()[..size]);
        object.forget_origins(at, size);
        Ok(())
    }

    /// Copies bytes with all that is known of them; the ranges may overlap.
    pub fn copy(&mut self, to: Pointer, from: Pointer, size: u64) -> Step<()> {
        let (source, from) = self.resolve(from, size)?;
        let (target, to) = self.resolve_for_write(to, size)?;
        let size = size as usize;
        let read = self.cells(source, from, size).start;
        self.note(Access::Copy { to: self.cells(target, to, size), from: read });
        if source == target {
            let object = &mut self.objects[target];
            object.data.copy_within(from..from + size, to);
            object.written.copy_within(from..from + size, to);
            if !object.origins.is_empty() {
                object.origins.copy_within(from..from + size, to);
            }
            return Ok(());
        }
        let Ok([source, target]) = self.objects.get_disjoint_mut([source, target]) else {
            unreachable!("two different objects")
        };
        target.data[to..to + size].copy_from_slice(&source.data[from..from + size]);
        target.written[to..to + size].copy_from_slice(&source.written[from..from + size]);
        if source.origins.is_empty() {
            target.forget_origins(to, size);
        } else {
            if target.origins.is_empty() {
                target.origins.resize(target.data.len(), Provenance::NONE);
            }
            target.origins[to..to + size].copy_from_slice(&source.origins[from..from + size]);
        }
        Ok(())
    }

    /// Sets bytes.
    pub fn fill(&mut self, to: Pointer, byte: u8, size: u64) -> Step<()> {
        let (index, at) = self.resolve_for_write(to, size)?;
        let size = size as usize;
        self.note(Access::Write(self.cells(index, at, size)));
        let object = &mut self.objects[index];
        object.data[at..at + size].fill(byte);
        object.written[at..at + size].fill(0xff);
        object.forget_origins(at, size);
        Ok(())
    }

    /// Writes bytes.
    pub fn write(&mut self, to: Pointer, bytes: &[u8]) -> Step<()> {
        let (index, at) = self.resolve_for_write(to, bytes.len() as u64)?;
        self.note(Access::Write(self.cells(index, at, bytes.len())));
        let object = &mut self.objects[index];
        object.data[at..at + bytes.len()].copy_from_slice(bytes);
        object.written[at..at + bytes.len()].fill(0xff);
        object.forget_origins(at, bytes.len());
        Ok(())
    }

    /// Of the bytes of an object from a pointer on, those that are not used do not count as written: they are padding.
    pub fn keep_written(&mut self, record: Pointer, used: &[bool]) -> Step<()> {
        let (index, at) = self.resolve(record, used.len() as u64)?;
        let written = &mut self.objects[index].written[at..at + used.len()];
        for (written, _) in written.iter_mut().zip(used).filter(|(_, used)| !**used) {
            *written = 0;
        }
        Ok(())
    }

    /// A pointer points into its object, which may be dead, or to its end.
    pub fn is_at_or_in(&self, pointer: Pointer) -> bool {
        let object = &self.objects[pointer.origin.index as usize];
        // The place of a dead object may be another's by now, and its size is gone.
        object.generation != pointer.origin.generation
            || pointer.address.wrapping_sub(object.base) <= object.data.len() as u64
    }

    /// A pointer points to a byte of a live object. A block of the heap has an address of its own even if it is empty.
    pub fn is_inside(&self, pointer: Pointer) -> bool {
        let object = &self.objects[pointer.origin.index as usize];
        let size = match object.kind {
            Kind::Heap(_) => object.data.len().max(1),
            _ => object.data.len(),
        };
        object.alive
            && object.generation == pointer.origin.generation
            && pointer.address.wrapping_sub(object.base) < size as u64
    }

    /// Two pointers into constants that the compiler may put into one place, as far as their bytes agree: there they are
    /// equal then.
    pub fn may_share(&self, a: Pointer, b: Pointer) -> bool {
        let [x, y] = [a, b].map(|pointer| &self.objects[pointer.origin.index as usize]);
        if !x.literal || !y.literal {
            return false;
        }
        let at = |object: &Object, pointer: Pointer| pointer.address.wrapping_sub(object.base) as usize;
        let (i, j) = (at(x, a), at(y, b));
        let before = i.min(j);
        let after = (x.data.len() - i).min(y.data.len() - j);
        x.data[i - before..i + after] == y.data[j - before..j + after]
    }

    /// The size of the heap block that starts at a pointer: what `free` takes.
    pub fn heap_block(&self, pointer: Pointer) -> Step<(u32, u64)> {
        match self.find(pointer) {
            Ok(index) => {
                let object = &self.objects[index as usize];
                match object.kind {
                    Kind::Heap(_) if object.base == pointer.address => Ok((index, object.data.len() as u64)),
                    _ => undefined(Undefined::InvalidFree),
                }
            }
            Err(_) => undefined(Undefined::InvalidFree),
        }
    }

    /// A static variable's bits all count as written, with value zero; a constant one can still be initialised.
    pub fn zero_static(&mut self, index: u32) {
        let object = &mut self.objects[index as usize];
        object.data.fill(0);
        object.written.fill(0xff);
    }

    /// From now on writing to the variable is undefined.
    pub fn seal(&mut self, index: u32) {
        if let Kind::Var { constant, .. } = &mut self.objects[index as usize].kind {
            *constant = true;
        }
    }
}

/// The bytes of a bit-field: first byte and size from the start of the record, and the field's first bit in them.
fn unit(field: BitField) -> (u64, u64, u32) {
    let first = field.offset / 8;
    let shift = (field.offset % 8) as u32;
    (first, u64::from((shift + field.width).div_ceil(8)), shift)
}

fn little_endian(bytes: &[u8]) -> u128 {
    match *bytes {
        [a] => u128::from(a),
        [a, b] => u128::from(u16::from_le_bytes([a, b])),
        [a, b, c, d] => u128::from(u32::from_le_bytes([a, b, c, d])),
        [a, b, c, d, e, f, g, h] => u128::from(u64::from_le_bytes([a, b, c, d, e, f, g, h])),
        _ => bytes.iter().rev().fold(0, |bits, &byte| bits << 8 | u128::from(byte)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::interp::outcome::Halt;

    fn memory() -> Memory {
        Memory::new(DataModel::Lp64, 1 << 20)
    }

    fn kind<T: std::fmt::Debug>(result: Step<T>) -> Undefined {
        match *result.unwrap_err() {
            Halt::Undefined(kind) => kind,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn accesses_are_checked_against_the_object() {
        let mut m = memory();
        let a = m.allocate_block(4, Kind::Heap).unwrap();
        let p = m.pointer(a);
        m.store(p, 4, Value::int(0x0403_0201)).unwrap();
        assert_eq!(m.load(p.offset(1), 2).unwrap().bits, 0x0302);
        assert_eq!(kind(m.load(p.offset(1), 4)), Undefined::OutOfBounds);
        assert_eq!(kind(m.load(p.offset(u64::MAX), 1)), Undefined::OutOfBounds);
        assert_eq!(kind(m.load(Value::int(0).as_pointer(), 1)), Undefined::NullPointer);
        assert_eq!(kind(m.load(Value::int(0xdead_beef).as_pointer(), 1)), Undefined::WildPointer);
        // An address without provenance finds the object.
        assert_eq!(m.load(Value::int(p.address.into()).as_pointer(), 1).unwrap().bits, 1);
        assert_eq!(kind(m.heap_block(p.offset(1))), Undefined::InvalidFree);
        m.release(a);
        assert_eq!(kind(m.load(p, 1)), Undefined::DanglingPointer);
        assert_eq!(kind(m.heap_block(p)), Undefined::InvalidFree);
    }

    #[test]
    fn facts_of_pointers_to_the_living_and_the_dead() {
        let mut m = memory();
        let facts = |m: &mut Memory, p: Pointer| {
            [PointerFact::Offset, PointerFact::Size, PointerFact::Alive, PointerFact::Heap]
                .map(|fact| m.fact(fact, p).expect("a fact"))
        };
        let heap = m.allocate_block(8, Kind::Heap).unwrap();
        let local = m.allocate_local(0x7000_0000_0000, 4, Kind::Alloca(0)).unwrap();
        let (p, q) = (m.pointer(heap), m.pointer(local));
        assert_eq!(facts(&mut m, p.offset(3)), [3, 8, 1, 1]);
        assert_eq!(facts(&mut m, p.offset(u64::MAX)), [-1, 8, 1, 1]);
        assert_eq!(facts(&mut m, q), [0, 4, 1, 0]);
        m.release(heap);
        m.release(local);
        assert_eq!(facts(&mut m, p)[1..], [8, 0, 1]);
        assert_eq!(facts(&mut m, q)[1..], [4, 0, 0]);
        // Another object in their places changes nothing.
        m.allocate_block(8, Kind::Heap).unwrap();
        m.allocate_local(0x7000_0000_0000, 4, Kind::Alloca(0)).unwrap();
        assert_eq!(facts(&mut m, p)[1..], [8, 0, 1]);
        assert_eq!(facts(&mut m, q)[1..], [4, 0, 0]);
        assert_eq!(facts(&mut m, Value::int(0).as_pointer()), [0, 0, 0, 0]);
        assert_eq!(facts(&mut m, Value::int(0xdead_beef).as_pointer()), [0, 0, 0, 0]);
    }

    #[test]
    fn an_object_in_the_place_of_another_is_another() {
        let mut m = memory();
        let a = m.allocate_local(0x7000_0000_0000, 4, Kind::Alloca(0)).unwrap();
        let old = m.pointer(a);
        m.renew(a);
        assert_eq!(kind(m.load(old, 4)), Undefined::DanglingPointer);
        assert_eq!(m.load(m.pointer(a), 4).unwrap().written, 0);
    }

    #[test]
    fn stored_pointers_keep_their_provenance_through_copies() {
        let mut m = memory();
        let (a, b, c) = (
            m.allocate_block(8, Kind::Heap).unwrap(),
            m.allocate_block(8, Kind::Heap).unwrap(),
            m.allocate_block(16, Kind::Heap).unwrap(),
        );
        let target = m.pointer(a);
        m.store(m.pointer(b), 8, target.value()).unwrap();
        m.copy(m.pointer(c).offset(8), m.pointer(b), 8).unwrap();
        let raw = m.load(m.pointer(c).offset(8), 8).unwrap();
        assert_eq!((raw.bits as u64, raw.origin), (target.address, target.origin));
        // Overwriting a byte makes it an address only.
        m.store(m.pointer(c).offset(9), 1, Value::int(7)).unwrap();
        assert_eq!(m.load(m.pointer(c).offset(8), 8).unwrap().origin, Provenance::NONE);
    }

    #[test]
    fn bit_fields_are_written_by_the_bit() {
        let mut m = memory();
        let a = m.allocate_block(16, Kind::Heap).unwrap();
        let p = m.pointer(a);
        let field = BitField { offset: 6, width: 5 };
        m.store_bits(p, field, Value::int(0b10101)).unwrap();
        let raw = m.load_bits(p, field).unwrap();
        assert_eq!((raw.bits & 31, raw.written & 31), (0b10101, 31));
        assert_eq!(m.load(p, 2).unwrap().written, 31 << 6);
        let wide = BitField { offset: 12, width: 64 };
        m.store_bits(p, wide, Value::int(u64::MAX.into())).unwrap();
        assert_eq!(m.load_bits(p, wide).unwrap().bits & u128::from(u64::MAX), u64::MAX.into());
        assert_eq!(m.load_bits(p, field).unwrap().bits & 31, 0b10101);
    }
}
