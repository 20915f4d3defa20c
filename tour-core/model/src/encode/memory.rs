//! Memory: what is known of objects, and reading and writing their contents.

use super::cell::{Cell, Part};
use super::expr::Eval;
use super::path::Path;
use super::place::Resolved;
use super::{Demand, Encode, Encoder, unsupported};
use crate::regions::{
    FIRST, Heap, Holder, Index, Known, Layout, MIXED_BITS, NULL, OBJECT_BITS, RegionId, Scalar, UNKNOWN,
    scalar,
};
use tour_ir::program::VarId;
use tour_logic::term::{BaseId, Elem, FloatSort, Op, Sort, TermId, Terms};

/// What holds a slot: arrays, or scalars if it has one element only.
#[derive(Clone, Copy, Debug)]
pub(super) struct Storage {
    pub layout: Layout,
    /// Values; objects, for pointers.
    pub base: BaseId,
    /// Offsets of pointers.
    pub offset: Option<BaseId>,
    /// Which bits were written, where that is followed.
    pub written: Option<BaseId>,
    /// What tells its elements apart.
    index: Index,
    /// What pointers point to.
    pub content: Option<RegionId>,
    /// Something reads it.
    pub read: bool,
}

impl Storage {
    /// All that holds it.
    pub fn bases(&self) -> impl Iterator<Item = BaseId> + use<> {
        [Some(self.base), self.offset, self.written].into_iter().flatten()
    }
}

impl Encoder<'_> {
    /// The number of an object.
    pub(super) fn object(&self, terms: &mut Terms, number: u64) -> TermId {
        terms.bv(OBJECT_BITS, u128::from(number))
    }

    pub(super) fn home_cell(&mut self, terms: &mut Terms, var: VarId, instance: u32) -> BaseId {
        self.base(terms, Cell::Home { var, instance }, Sort::BitVec(OBJECT_BITS), false)
    }

    /// The pointer that an integer variable holds: its object and its offset.
    pub(super) fn origin_cells(&mut self, terms: &mut Terms, var: VarId, instance: u32) -> (BaseId, BaseId) {
        let bits = self.pointer_bits();
        let object = Cell::Origin { var, instance, part: Part::Object };
        let offset = Cell::Origin { var, instance, part: Part::Offset };
        let object = self.base(terms, object, Sort::BitVec(OBJECT_BITS), false);
        (object, self.base(terms, offset, Sort::BitVec(bits), true))
    }

    /// An integer variable holds a pointer from now on; `None`: something unknown.
    pub(super) fn set_origin(
        &mut self,
        terms: &mut Terms,
        path: &mut Path,
        (var, instance): (VarId, u32),
        pointer: Option<TermId>,
    ) {
        if !self.regions.carriers().contains(var) {
            return;
        }
        let bits = self.pointer_bits();
        let (objects, offsets) = self.origin_cells(terms, var, instance);
        let (object, offset) = match pointer {
            Some(pointer) => {
                (terms.extract(pointer, bits + OBJECT_BITS - 1, bits), terms.extract(pointer, bits - 1, 0))
            }
            None => (self.object(terms, UNKNOWN), terms.bv(bits, 0)),
        };
        self.replace(terms, path, objects, object);
        self.replace(terms, path, offsets, offset);
    }

    pub(super) fn counter(&mut self, terms: &mut Terms, region: RegionId) -> BaseId {
        self.base(terms, Cell::Counter(region), Sort::BitVec(OBJECT_BITS), false)
    }

    /// An array with one element for each object.
    pub(super) fn attribute(&mut self, terms: &mut Terms, cell: Cell) -> BaseId {
        let elem = match cell {
            Cell::Sizes(_) | Cell::Bases(_) => self.pointer_bits(),
            _ => 1,
        };
        let sort = Sort::Array { index: OBJECT_BITS, elem: Elem::BitVec(elem) };
        self.base(terms, cell, sort, false)
    }

    /// What holds a slot.
    pub(super) fn storage(&mut self, terms: &mut Terms, region: RegionId, slot: usize) -> Encode<Storage> {
        let of = &self.regions[region].slots[slot];
        let (layout, content, read) = (of.layout, of.content, of.read);
        let index = self.regions[region].index(slot);
        let moves = content.is_some_and(|region| self.regions[region].stride != 0);
        let bits = self.pointer_bits();
        let followed = self.regions.written().is_followed(Holder::Region(region));
        let mut array = |part: Part, elem: Elem| {
            let cell = Cell::Slot { region, slot: slot as u32, part };
            self.base(terms, cell, index.sort(bits, elem), false)
        };
        let (base, offset) = match layout {
            Layout::Typed(Scalar::Bits, size) => (array(Part::Value, Elem::BitVec(size as u32)), None),
            Layout::Typed(Scalar::Float, size) => (array(Part::Value, Elem::Float(format(size))), None),
            Layout::Typed(Scalar::Pointer, _) => {
                let objects = array(Part::Object, Elem::BitVec(OBJECT_BITS));
                (objects, moves.then(|| array(Part::Offset, Elem::BitVec(bits))))
            }
            Layout::Word => {
                let objects = array(Part::Object, Elem::BitVec(OBJECT_BITS));
                (objects, Some(array(Part::Offset, Elem::BitVec(bits))))
            }
            Layout::Bytes => (array(Part::Value, Elem::BitVec(8)), None),
            Layout::Mixed => (array(Part::Value, Elem::BitVec(MIXED_BITS)), None),
        };
        let marks = if layout.is_bytes() { 8 } else { 1 };
        let written = followed.then(|| array(Part::Written, Elem::BitVec(marks)));
        Ok(Storage { layout, base, offset, written, index, content, read })
    }

    /// The slot of a scalar in memory.
    pub(super) fn slot_of(&mut self, terms: &mut Terms, region: RegionId, at: &Resolved) -> Encode<Storage> {
        match self.slot_number(region, at)? {
            Some(slot) => self.storage(terms, region, slot),
            None => unsupported("memory", "an access that no region expects"),
        }
    }

    /// The number of that slot; `None` if nothing ever reads or writes there.
    pub(super) fn slot_number(&self, region: RegionId, at: &Resolved) -> Encode<Option<usize>> {
        let Some((kind, size)) = scalar(self.program, at.ty) else {
            return unsupported("type", format!("a value of type `{}`", self.program.show_type(at.ty)));
        };
        let size = at.bits.map_or(size, |b| u64::from(b.width));
        Ok(self.regions[region].slot(at.at.sized(size), kind))
    }

    /// The index of an element, in a valid access. Where there is only one element it does not matter.
    pub(super) fn element_index(
        &self,
        terms: &mut Terms,
        storage: Storage,
        object: TermId,
        offset: TermId,
    ) -> TermId {
        match storage.index {
            Index::Nothing | Index::Object => object,
            Index::Offset => offset,
            Index::Both => terms.concat(object, offset),
        }
    }

    /// An element of what holds a slot.
    pub(super) fn element_of(terms: &mut Terms, whole: TermId, index: TermId) -> TermId {
        match terms.sort(whole) {
            Sort::Array { .. } => terms.select(whole, index),
            _ => whole,
        }
    }

    /// Writes elements of a slot.
    pub(super) fn write(
        &self,
        terms: &mut Terms,
        path: &mut Path,
        base: BaseId,
        writes: &[(TermId, TermId)],
    ) {
        let mut whole = path.ssa.value(terms, base);
        for &(index, value) in writes {
            whole = match terms.sort(whole) {
                Sort::Array { .. } => terms.store(whole, index, value),
                _ => value,
            };
        }
        self.replace(terms, path, base, whole);
    }

    /// A new instance with a value.
    pub(super) fn replace(&self, terms: &mut Terms, path: &mut Path, base: BaseId, value: TermId) {
        if path.ssa.is_functional() {
            return path.ssa.define(terms, base, value);
        }
        let new = path.ssa.bump(base);
        let new = terms.symbol(new);
        let eq = terms.eq(new, value);
        path.add(terms, eq);
    }

    /// A variable that nothing is known of.
    pub(super) fn anything(&mut self, terms: &mut Terms, path: &mut Path, sort: Sort) -> TermId {
        let base = self.declare(terms, "any", sort, false);
        let symbol = path.ssa.bump(base);
        terms.symbol(symbol)
    }

    /// An object that is written must not be constant, nor be one that may overlap with others.
    pub(super) fn may_write(
        &mut self,
        terms: &mut Terms,
        path: &mut Path,
        region: RegionId,
        object: TermId,
    ) -> Encode<()> {
        if self.initialising {
            return Ok(());
        }
        if self.regions.may_overlap(region) {
            self.eval(terms, path, 0, |e| {
                let input = e.may_be_input(region, object);
                let own = e.terms.not(input);
                e.require(Demand::Own, own);
                Ok(())
            })?;
        }
        let constants = self.regions[region].constants;
        if constants == 0 {
            return Ok(());
        }
        let first = self.object(terms, FIRST + constants);
        let variable = terms.bv_ule(first, object);
        self.eval(terms, path, 0, |e| {
            e.require(Demand::Variable, variable);
            Ok(())
        })
    }

    /// Stores a scalar in memory; that the access is valid was said before.
    pub(super) fn store_memory(
        &mut self,
        terms: &mut Terms,
        path: &mut Path,
        at: &Resolved,
        (region, object, offset): (RegionId, TermId, TermId),
        value: TermId,
    ) -> Encode<()> {
        self.may_write(terms, path, region, object)?;
        let Some(slot) = self.slot_number(region, at)? else { return Ok(()) };
        let storage = self.storage(terms, region, slot)?;
        let bits = self.pointer_bits();
        if !storage.read {
            return Ok(());
        }
        let value = self.of_kind(terms, path, storage.layout, value)?;
        match storage.layout {
            Layout::Typed(Scalar::Pointer, _) | Layout::Word => {
                let index = self.element_index(terms, storage, object, offset);
                let value = match self.is_pointer(at.ty) {
                    true => value,
                    // An integer is an address in no object.
                    false => {
                        let null = self.object(terms, NULL);
                        let value = terms.resize(value, bits, false);
                        terms.concat(null, value)
                    }
                };
                let object = terms.extract(value, bits + OBJECT_BITS - 1, bits);
                self.write(terms, path, storage.base, &[(index, object)]);
                if let Some(offsets) = storage.offset {
                    let offset = terms.extract(value, bits - 1, 0);
                    self.write(terms, path, offsets, &[(index, offset)]);
                }
            }
            Layout::Typed(Scalar::Float, _) => {
                let index = self.element_index(terms, storage, object, offset);
                self.write(terms, path, storage.base, &[(index, value)]);
            }
            Layout::Typed(Scalar::Bits, size) => {
                let index = self.element_index(terms, storage, object, offset);
                let value = terms.resize(value, size as u32, false);
                self.write(terms, path, storage.base, &[(index, value)]);
            }
            Layout::Mixed if self.is_pointer(at.ty) => {
                self.store_pieces(terms, path, storage, (object, offset), value);
            }
            Layout::Bytes | Layout::Mixed => {
                self.store_bytes_at(terms, path, storage, at, (object, offset), value);
            }
        }
        Ok(())
    }

    /// A value as a slot holds it: a number as its bits, or bits as a number.
    fn of_kind(
        &mut self,
        terms: &mut Terms,
        path: &mut Path,
        layout: Layout,
        value: TermId,
    ) -> Encode<TermId> {
        match (terms.sort(value), layout) {
            (Sort::Float(of), Layout::Typed(Scalar::Float, size)) if u64::from(of.bits()) == size => {
                Ok(value)
            }
            (Sort::BitVec(bits), Layout::Typed(Scalar::Float, size)) if u64::from(bits) == size => {
                Ok(terms.float_op(Op::FpFromBits(format(size)), &[value]))
            }
            (_, Layout::Typed(Scalar::Float, _)) => {
                unsupported("memory", "a part of a floating number is written")
            }
            (Sort::Float(format), _) => {
                // Some pattern of the number: not-a-number has many.
                let pattern = self.anything(terms, path, Sort::BitVec(format.bits()));
                let number = terms.float_op(Op::FpFromBits(format), &[pattern]);
                let same = terms.eq(number, value);
                path.add(terms, same);
                Ok(pattern)
            }
            _ => Ok(value),
        }
    }

    fn store_bytes_at(
        &mut self,
        terms: &mut Terms,
        path: &mut Path,
        storage: Storage,
        at: &Resolved,
        (object, offset): (TermId, TermId),
        value: TermId,
    ) {
        let (shift, width) = match at.bits {
            Some(bits) => (bits.offset as u32, bits.width),
            None => (0, terms.width(value).next_multiple_of(8)),
        };
        let value = terms.resize(value, width, false);
        let bytes = (shift + width).div_ceil(8);
        let pointer_bits = self.pointer_bits();
        let mut writes = Vec::with_capacity(bytes as usize);
        let old = path.ssa.value(terms, storage.base);
        for k in 0..bytes {
            let by = terms.bv(pointer_bits, u128::from(k));
            let place = terms.bv_add(offset, by);
            let index = self.element_index(terms, storage, object, place);
            // Bits of the value that lie in this byte, and where.
            let low = shift.max(8 * k);
            let high = (shift + width).min(8 * k + 8);
            let part = terms.extract(value, high - shift - 1, low - shift);
            let byte = if high - low == 8 {
                part
            } else {
                let before = terms.select(old, index);
                let before = self.byte_number(terms, path, storage.layout, before);
                let mut byte = part;
                if low > 8 * k {
                    let below = terms.extract(before, low - 8 * k - 1, 0);
                    byte = terms.concat(byte, below);
                }
                if high < 8 * k + 8 {
                    let above = terms.extract(before, 7, high - 8 * k);
                    byte = terms.concat(above, byte);
                }
                byte
            };
            writes.push((index, Self::byte_element(terms, storage.layout, byte)));
        }
        self.write(terms, path, storage.base, &writes);
    }
}

fn format(size: u64) -> FloatSort {
    if size == 32 { FloatSort::F32 } else { FloatSort::F64 }
}

impl Eval<'_, '_> {
    /// A pointer that the program holds points to null, to something unknown, or to an object that was made.
    pub fn known_pointer(&mut self, region: Option<RegionId>, object: TermId) {
        if self.terms.value(object).is_some() {
            return;
        }
        let end = match region {
            Some(region) => self.end(region),
            None => self.encoder.object(self.terms, FIRST),
        };
        let fact = self.terms.bv_ult(object, end);
        self.fact(fact);
    }

    /// The number after that of the last object.
    fn end(&mut self, region: RegionId) -> TermId {
        let of = &self.encoder.regions[region];
        let first_new = of.first_new();
        if of.grows {
            let counter = self.encoder.counter(self.terms, region);
            self.ssa.value(self.terms, counter)
        } else {
            self.encoder.object(self.terms, first_new)
        }
    }

    pub(super) fn between(&mut self, object: TermId, first: u64, end: TermId) -> TermId {
        let first = self.encoder.object(self.terms, first);
        let above = self.terms.bv_ule(first, object);
        let below = self.terms.bv_ult(object, end);
        self.terms.and2(above, below)
    }

    /// The object may be that of a pointer that is an input.
    pub fn may_be_input(&mut self, region: RegionId, object: TermId) -> TermId {
        if !self.encoder.regions[region].inputs {
            return self.terms.no();
        }
        let (first_new, end) = (self.encoder.regions[region].first_new(), self.end(region));
        self.between(object, first_new, end)
    }

    /// The object is alive.
    pub fn alive(&mut self, region: RegionId, object: TermId) -> TermId {
        let of = &self.encoder.regions[region];
        let (mortal, immortal) = (of.mortal, of.immortal);
        if !mortal {
            let end = self.end(region);
            return self.between(object, FIRST, end);
        }
        let base = self.encoder.attribute(self.terms, Cell::Alive(region));
        let alive = self.ssa.value(self.terms, base);
        let bit = self.terms.select(alive, object);
        let one = self.terms.bv(1, 1);
        let lives = self.terms.eq(bit, one);
        // Only objects that were made are ever alive.
        let last = self.end(region);
        let made = self.between(object, FIRST, last);
        let fact = self.terms.implies(lives, made);
        self.fact(fact);
        let end = self.encoder.object(self.terms, FIRST + immortal);
        let always = self.between(object, FIRST, end);
        self.terms.or2(always, lives)
    }

    /// The object is or was on the heap.
    pub fn on_heap(&mut self, region: RegionId, object: TermId) -> TermId {
        let of = &self.encoder.regions[region];
        let first_new = of.first_new();
        match of.heap {
            Heap::None => self.terms.no(),
            Heap::All => {
                let end = self.end(region);
                self.between(object, first_new, end)
            }
            Heap::Some => {
                let base = self.encoder.attribute(self.terms, Cell::Heap(region));
                let heap = self.ssa.value(self.terms, base);
                let bit = self.terms.select(heap, object);
                let one = self.terms.bv(1, 1);
                let is = self.terms.eq(bit, one);
                let end = self.end(region);
                let new = self.between(object, first_new, end);
                self.terms.and2(new, is)
            }
        }
    }

    /// The size of an object in bytes; 0 for what is no object.
    pub fn size(&mut self, region: RegionId, object: TermId) -> TermId {
        let bits = self.encoder.pointer_bits();
        let zero = self.terms.bv(bits, 0);
        let of = &self.encoder.regions[region];
        let (uniform, grows) = (of.size, of.grows);
        let known: Vec<u64> = of.known.iter().map(|(_, size): &(Known, u64)| *size).collect();
        if let Some(size) = uniform {
            let size = self.terms.bv(bits, u128::from(size));
            let first = self.encoder.object(self.terms, FIRST);
            let is_object = self.terms.bv_ule(first, object);
            return self.terms.ite(is_object, size, zero);
        }
        let mut size = if grows {
            let base = self.encoder.attribute(self.terms, Cell::Sizes(region));
            let sizes = self.ssa.value(self.terms, base);
            let new = self.terms.select(sizes, object);
            let first = self.encoder.object(self.terms, FIRST);
            let is_object = self.terms.bv_ule(first, object);
            self.terms.ite(is_object, new, zero)
        } else {
            zero
        };
        if let Some(number) = self.terms.as_bv(object) {
            let known = number.value.checked_sub(u128::from(FIRST)).and_then(|i| known.get(i as usize));
            return match known {
                Some(known) => self.terms.bv(bits, u128::from(*known)),
                None => size,
            };
        }
        for (i, known) in known.iter().enumerate().rev() {
            let number = self.encoder.object(self.terms, FIRST + i as u64);
            let this = self.terms.eq(object, number);
            let known = self.terms.bv(bits, u128::from(*known));
            size = self.terms.ite(this, known, size);
        }
        size
    }

    /// `length` bytes at `offset` are inside of a live object.
    pub fn valid(&mut self, region: RegionId, object: TermId, offset: TermId, length: TermId) -> TermId {
        let alive = self.alive(region, object);
        let inside = self.inside(region, object, offset, length);
        self.terms.and2(alive, inside)
    }

    /// `length` bytes at `offset` are inside of the object.
    fn inside(&mut self, region: RegionId, object: TermId, offset: TermId, length: TermId) -> TermId {
        let bits = self.encoder.pointer_bits();
        let size = match self.encoder.regions[region].size {
            // Whether it is an object at all is asked for by `alive`.
            Some(size) => self.terms.bv(bits, u128::from(size)),
            None => self.size(region, object),
        };
        let fits = self.terms.bv_ule(length, size);
        let room = self.terms.bv_sub(size, length);
        let inside = self.terms.bv_ule(offset, room);
        self.terms.and2(fits, inside)
    }

    /// `size` bytes must be inside of a live object. Through a null pointer an access to them ends the run: nothing is mapped
    /// there.
    pub fn require_valid(&mut self, region: RegionId, object: TermId, offset: TermId, bytes: u64) {
        let null = self.is_object(object, NULL);
        let mapped = self.terms.not(null);
        self.fact(mapped);
        let length = self.terms.bv(self.encoder.pointer_bits(), u128::from(bytes));
        let valid = self.valid(region, object, offset, length);
        if self.encoder.program.undefined_ends && self.encoder.regions[region].is_sized() {
            // Where nothing is known of the pointer, it may be that of an object.
            let unknown = self.is_object(object, UNKNOWN);
            let known = self.terms.not(unknown);
            self.require(Demand::Inside, known);
            return self.fact(valid);
        }
        self.require(Demand::Inside, valid);
    }

    /// An index must be inside of its array.
    pub(super) fn require_index(&mut self, in_bounds: TermId) {
        match self.encoder.program.undefined_ends {
            true => self.fact(in_bounds),
            false => self.require(Demand::Inside, in_bounds),
        }
    }

    /// A scalar that is read must be inside of a live object, or nowhere.
    pub(super) fn require_readable(&mut self, region: RegionId, object: TermId, offset: TermId, bytes: u64) {
        if !self.encoder.regions[region].is_nowhere() {
            return self.require_valid(region, object, offset, bytes);
        }
        let [null, unknown] = [NULL, UNKNOWN].map(|number| self.is_object(object, number));
        let mapped = self.terms.not(null);
        self.fact(mapped);
        self.require(Demand::Inside, unknown);
    }

    /// A value that nothing is known of.
    pub(super) fn anything(&mut self, sort: Sort) -> TermId {
        let base = self.encoder.declare(self.terms, "any", sort, false);
        self.fresh.push(base);
        self.terms.var(base, self.ssa.index(base) + 1)
    }

    /// What is read from nowhere: any value, and a pointer to any object that was made.
    fn load_from_nowhere(&mut self, at: &Resolved, region: RegionId) -> Encode<TermId> {
        if !self.encoder.is_pointer(at.ty) {
            let sort = self.encoder.sort(at.ty)?;
            let width = at.bits.map_or(sort, |bits| Sort::BitVec(bits.width));
            let value = self.anything(width);
            return match sort {
                Sort::BitVec(_) => self.stored_value(value, at),
                _ => Ok(value),
            };
        }
        let storage = self.encoder.slot_of(self.terms, region, at)?;
        let bits = self.encoder.pointer_bits();
        let object = self.anything(Sort::BitVec(OBJECT_BITS));
        self.known_pointer(storage.content, object);
        let offset = match storage.offset {
            Some(_) => self.anything(Sort::BitVec(bits)),
            None => self.terms.bv(bits, 0),
        };
        Ok(self.terms.concat(object, offset))
    }

    /// The value of a scalar in memory.
    pub fn load_memory(
        &mut self,
        at: &Resolved,
        region: RegionId,
        object: TermId,
        offset: TermId,
        unchecked: bool,
    ) -> Encode<TermId> {
        if unchecked {
            let bytes = access_bytes(self.encoder, at);
            self.require_readable(region, object, offset, bytes);
        }
        if self.encoder.regions[region].is_nowhere() {
            return self.load_from_nowhere(at, region);
        }
        if self.encoder.regions.is_table(region)
            && let Some((_, size)) = scalar(self.encoder.program, at.ty)
            && let Some(value) = self.encoder.regions.clone().read_table(
                self.terms,
                region,
                at.at.sized(size),
                (object, offset),
            )
        {
            return self.stored_value(value, at);
        }
        let storage = self.encoder.slot_of(self.terms, region, at)?;
        let bits = self.encoder.pointer_bits();
        let read = |eval: &mut Self, base: BaseId, index: TermId| {
            let whole = eval.ssa.value(eval.terms, base);
            Encoder::element_of(eval.terms, whole, index)
        };
        match storage.layout {
            Layout::Typed(kind, _) => {
                let index = self.encoder.element_index(self.terms, storage, object, offset);
                let value = read(self, storage.base, index);
                if (kind == Scalar::Pointer) != self.encoder.is_pointer(at.ty) {
                    return unsupported("memory", "a pointer in place of a number");
                }
                match kind {
                    Scalar::Pointer => {
                        let offset = match storage.offset {
                            Some(base) => read(self, base, index),
                            None => self.terms.bv(bits, 0),
                        };
                        self.known_pointer(storage.content, value);
                        Ok(self.terms.concat(value, offset))
                    }
                    Scalar::Float | Scalar::Bits => match (self.terms.sort(value), self.encoder.sort(at.ty)?)
                    {
                        (Sort::Float(of), Sort::Float(wanted)) if of == wanted => Ok(value),
                        (Sort::BitVec(bits), Sort::Float(wanted)) if bits == wanted.bits() => {
                            Ok(self.terms.float_op(Op::FpFromBits(wanted), &[value]))
                        }
                        (Sort::BitVec(_), Sort::BitVec(_)) => self.stored_value(value, at),
                        _ => unsupported("memory", "a part of a floating number is read"),
                    },
                }
            }
            Layout::Word => {
                let index = self.encoder.element_index(self.terms, storage, object, offset);
                let value = read(self, storage.base, index);
                let offset = match storage.offset {
                    Some(base) => read(self, base, index),
                    None => self.terms.bv(bits, 0),
                };
                self.load_word(storage, at, value, offset)
            }
            Layout::Mixed if self.encoder.is_pointer(at.ty) => self.load_pieces(storage, at, object, offset),
            Layout::Bytes | Layout::Mixed => {
                let (shift, width) = match at.bits {
                    Some(bits) => (bits.offset as u32, bits.width),
                    None => (0, 8 * access_bytes(self.encoder, at) as u32),
                };
                let mut whole: Option<TermId> = None;
                for k in 0..(shift + width).div_ceil(8) {
                    let by = self.terms.bv(bits, u128::from(k));
                    let place = self.terms.bv_add(offset, by);
                    let index = self.encoder.element_index(self.terms, storage, object, place);
                    let byte = read(self, storage.base, index);
                    let byte = self.byte_number(storage.layout, byte);
                    whole = Some(match whole {
                        Some(below) => self.terms.concat(byte, below),
                        None => byte,
                    });
                }
                let Some(whole) = whole else { return unsupported("memory", "an access to nothing") };
                let value = self.terms.extract(whole, shift + width - 1, shift);
                match self.encoder.sort(at.ty)? {
                    Sort::Float(format) => Ok(self.terms.float_op(Op::FpFromBits(format), &[value])),
                    _ => self.stored_value(value, at),
                }
            }
        }
    }

    /// A pointer, or an integer of its size. An integer that is read as a pointer must be an address next to zero.
    fn load_word(
        &mut self,
        storage: Storage,
        at: &Resolved,
        object: TermId,
        offset: TermId,
    ) -> Encode<TermId> {
        let null = self.encoder.object(self.terms, NULL);
        let integer = self.terms.eq(object, null);
        if self.encoder.is_pointer(at.ty) {
            self.known_pointer(storage.content, object);
            // Where pointers do not move, null is the only address.
            let moves = storage.content.is_some_and(|region| self.encoder.regions[region].stride != 0);
            let near = match moves {
                true => self.no_object_at(offset),
                false => {
                    let zero = self.terms.bv(self.encoder.pointer_bits(), 0);
                    self.terms.eq(offset, zero)
                }
            };
            let pointer = self.terms.not(integer);
            let ok = self.terms.or2(pointer, near);
            self.require(Demand::Address, ok);
            return Ok(self.terms.concat(object, offset));
        }
        let value = match storage.content {
            Some(region) => {
                let start = self.base_address(region, object);
                self.terms.bv_add(start, offset)
            }
            None => {
                self.require(Demand::Address, integer);
                offset
            }
        };
        self.stored_value(value, at)
    }

    /// From the bits in memory to a value of the type.
    pub(super) fn stored_value(&mut self, value: TermId, at: &Resolved) -> Encode<TermId> {
        let Some(int) = self.encoder.program.types.int_type(at.ty) else {
            return unsupported("type", "a value of this type in memory");
        };
        if int.bits == 1 && at.bits.is_none() {
            let zero = self.terms.bv(self.terms.width(value), 0);
            let is_zero = self.terms.eq(value, zero);
            let (yes, no) = (self.terms.bv(1, 1), self.terms.bv(1, 0));
            return Ok(self.terms.ite(is_zero, no, yes));
        }
        Ok(self.terms.resize(value, int.bits, int.signed))
    }
}

/// How many bytes an access to a scalar touches.
pub(super) fn access_bytes(encoder: &Encoder, at: &Resolved) -> u64 {
    match at.bits {
        Some(bits) => (bits.offset + u64::from(bits.width)).div_ceil(8),
        None => encoder.program.types.size(at.ty).unwrap_or(0),
    }
}
