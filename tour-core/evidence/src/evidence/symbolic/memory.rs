//! Objects in memory: what is known of them, and their contents.

use super::place::{Cells, Spot, Where};
use super::{Exec, Executor, Flow, Unmodelled};
use tour_ir::program::{ArrayLen, FnId, Type, TypeId, VarId};
use tour_logic::term::{Elem, FloatSort, Op as TermOp, Sort, TermId};
use tour_model::encode::{Cell, Part};
use tour_model::regions::{
    FIRST, Heap, Holder, Home, Index, Layout, MIXED_BITS, NULL, OBJECT_BITS, RegionId, Scalar, UNKNOWN,
    scalar,
};

/// The sort of arrays with one truth value for each object.
pub(super) fn flags() -> Sort {
    Sort::Array { index: OBJECT_BITS, elem: Elem::BitVec(1) }
}

impl Executor<'_> {
    fn sizes(&self) -> Sort {
        Sort::Array { index: OBJECT_BITS, elem: Elem::BitVec(self.pointer_bits()) }
    }

    /// The number after that of the last object that was made.
    pub(super) fn objects_end(&mut self, flow: &Flow, region: RegionId) -> TermId {
        if self.regions[region].grows {
            self.get(flow, &Cell::Counter(region), Sort::BitVec(OBJECT_BITS))
        } else {
            let end = self.regions[region].first_new();
            self.number(end)
        }
    }

    fn is_from_to(&mut self, object: TermId, first: TermId, end: TermId) -> TermId {
        let (low, high) = (self.terms.bv_ule(first, object), self.terms.bv_ult(object, end));
        self.terms.and2(low, high)
    }

    /// The object was made while the program ran, in a region where those of inputs are.
    pub(super) fn is_input(&mut self, region: RegionId, object: TermId) -> TermId {
        if !self.regions[region].inputs {
            return self.terms.no();
        }
        let first = self.number(self.regions[region].first_new());
        self.terms.bv_ule(first, object)
    }

    /// There are two inputs, one of which points into this region, and something is read through the other.
    fn inputs_meet(&self, region: RegionId) -> bool {
        let of = &self.regions[region];
        let only = of.known.is_empty() && of.once;
        let mut others = self.regions.regions.iter_enumerated().filter(|(id, _)| *id != region || !only);
        of.inputs && others.any(|(_, other)| other.inputs && other.slots.iter().any(|slot| slot.read))
    }

    /// Where the objects of inputs are, what is said of writes relies on knowing what is read.
    pub(super) fn may_read(&self, region: RegionId, slot: usize) -> Exec<()> {
        let of = &self.regions[region];
        if of.inputs && !of.slots[slot].read { Err(Unmodelled) } else { Ok(()) }
    }

    fn flag(&mut self, flow: &Flow, cell: Cell, object: TermId) -> TermId {
        let flags = self.get(flow, &cell, flags());
        let flag = self.terms.select(flags, object);
        let set = self.terms.bv(1, 1);
        self.terms.eq(flag, set)
    }

    pub(super) fn is_alive(&mut self, flow: &Flow, region: RegionId, object: TermId) -> TermId {
        let first = self.number(FIRST);
        if self.regions[region].mortal {
            let end = self.after_immortals(region);
            let immortal = self.is_from_to(object, first, end);
            let alive = self.flag(flow, Cell::Alive(region), object);
            // What was never made was never alive.
            let last = self.objects_end(flow, region);
            let made = self.is_from_to(object, first, last);
            let fact = self.terms.implies(alive, made);
            self.facts.push(fact);
            self.terms.or2(immortal, alive)
        } else {
            let end = self.objects_end(flow, region);
            self.is_from_to(object, first, end)
        }
    }

    pub(super) fn is_heap(&mut self, flow: &Flow, region: RegionId, object: TermId) -> TermId {
        let heap = self.regions[region].heap;
        if heap == Heap::None {
            return self.terms.no();
        }
        let first = self.number(self.regions[region].first_new());
        let end = self.objects_end(flow, region);
        let new = self.is_from_to(object, first, end);
        match heap {
            Heap::Some => {
                let flag = self.flag(flow, Cell::Heap(region), object);
                self.terms.and2(new, flag)
            }
            Heap::All | Heap::None => new,
        }
    }

    /// The object must not be written.
    pub(super) fn is_constant(&mut self, region: RegionId, object: TermId) -> TermId {
        let (first, end) = (self.number(FIRST), self.number(FIRST + self.regions[region].constants));
        self.is_from_to(object, first, end)
    }

    /// The size of an object in bytes, 0 for what is none.
    pub(super) fn size_of(&mut self, flow: &Flow, region: RegionId, object: TermId) -> TermId {
        let width = self.pointer_bits();
        let of = self.regions.clone();
        let of = &of[region];
        let zero = self.terms.bv(width, 0);
        let first = self.number(FIRST);
        let is_object = self.terms.bv_ule(first, object);
        let mut size = match (of.size, of.grows) {
            (Some(size), _) => {
                let size = self.terms.bv(width, u128::from(size));
                return self.terms.ite(is_object, size, zero);
            }
            (None, true) => {
                let sort = self.sizes();
                let sizes = self.get(flow, &Cell::Sizes(region), sort);
                let size = self.terms.select(sizes, object);
                self.terms.ite(is_object, size, zero)
            }
            (None, false) => zero,
        };
        for (i, (_, bytes)) in of.known.iter().enumerate() {
            let number = self.number(FIRST + i as u64);
            let is_this = self.terms.eq(object, number);
            let bytes = self.terms.bv(width, u128::from(*bytes));
            size = self.terms.ite(is_this, bytes, size);
        }
        size
    }

    /// `size` bytes at an offset are inside of a live object.
    pub(super) fn is_valid(
        &mut self,
        flow: &Flow,
        region: RegionId,
        object: TermId,
        offset: TermId,
        bytes: u64,
    ) -> TermId {
        let alive = self.is_alive(flow, region, object);
        let size = match self.regions[region].size {
            Some(size) => self.terms.bv(self.pointer_bits(), u128::from(size)),
            None => self.size_of(flow, region, object),
        };
        let bytes = self.terms.bv(self.pointer_bits(), u128::from(bytes));
        let end = self.terms.bv_sub(size, bytes);
        let (enough, inside) = (self.terms.bv_ule(bytes, size), self.terms.bv_ule(offset, end));
        self.terms.and(&[alive, enough, inside])
    }

    /// Bytes that an access to all of a spot touches.
    pub(super) fn bytes_of(&self, spot: &Spot) -> Exec<u64> {
        match spot.bits {
            Some(bits) => Ok((bits.offset + u64::from(bits.width)).div_ceil(8)),
            None => self.program.types.size(spot.ty).ok_or(Unmodelled),
        }
    }

    /// Nothing is mapped at a null pointer: an access through it ends the run.
    pub(super) fn trap(&mut self, object: TermId) {
        let null = self.number(NULL);
        let same = self.terms.eq(object, null);
        let mapped = self.terms.not(same);
        self.facts.push(mapped);
    }

    /// An access must be inside of a live object.
    pub(super) fn confirm(&mut self, flow: &Flow, spot: &Spot) -> Exec<()> {
        if let Where::Memory { region, object, offset, sure: false } = spot.lies {
            // What is written to nowhere is never read again.
            if self.program.undefined_ends
                && self.regions[region].is_nowhere()
                && self.program.types.is_scalar(spot.ty)
            {
                return self.confirm_read(flow, spot);
            }
            let bytes = self.bytes_of(spot)?;
            self.stays_inside(flow, region, object, offset, bytes);
        }
        Ok(())
    }

    /// `size` bytes are inside of a live object. If the rules about memory are not checked, the run ends where they are
    /// not, unless nothing is known of the pointer.
    pub(super) fn stays_inside(
        &mut self,
        flow: &Flow,
        region: RegionId,
        object: TermId,
        offset: TermId,
        bytes: u64,
    ) {
        self.trap(object);
        let valid = self.is_valid(flow, region, object, offset, bytes);
        if !self.program.undefined_ends || self.regions[region].known.iter().any(|(_, size)| *size == 0) {
            return self.oblige(valid);
        }
        let unknown = self.is_number(object, UNKNOWN);
        let known = self.terms.not(unknown);
        self.oblige(known);
        self.facts.push(valid);
    }

    /// A scalar that is read must be inside of a live object, or nowhere.
    pub(super) fn confirm_read(&mut self, flow: &Flow, spot: &Spot) -> Exec<()> {
        match spot.lies {
            Where::Memory { region, object, sure: false, .. } if self.regions[region].is_nowhere() => {
                self.trap(object);
                let unknown = self.is_number(object, UNKNOWN);
                self.oblige(unknown);
                Ok(())
            }
            _ => self.confirm(flow, spot),
        }
    }

    /// The arrays of a slot.
    pub(super) fn arrays(&self, region: RegionId, slot: usize) -> Exec<Cells> {
        let of = &self.regions[region].slots[slot];
        let width = self.pointer_bits();
        let index = self.regions[region].index(slot);
        let array = |part, elem| (Cell::Slot { region, slot: slot as u32, part }, index.sort(width, elem));
        let followed = self.regions.written().is_followed(Holder::Region(region));
        let bits = if of.layout.is_bytes() { 8 } else { 1 };
        let marks = followed.then(|| array(Part::Written, Elem::BitVec(bits)));
        let cells = match of.layout {
            Layout::Bytes => vec![array(Part::Value, Elem::BitVec(8))],
            Layout::Typed(Scalar::Bits, size) => vec![array(Part::Value, Elem::BitVec(size as u32))],
            Layout::Typed(Scalar::Float, 32) => vec![array(Part::Value, Elem::Float(FloatSort::F32))],
            Layout::Typed(Scalar::Float, _) => vec![array(Part::Value, Elem::Float(FloatSort::F64))],
            Layout::Typed(Scalar::Pointer, _) => {
                let mut cells = vec![array(Part::Object, Elem::BitVec(OBJECT_BITS))];
                if of.content.is_some_and(|region| self.regions[region].stride != 0) {
                    cells.push(array(Part::Offset, Elem::BitVec(width)));
                }
                cells
            }
            Layout::Word => {
                vec![array(Part::Object, Elem::BitVec(OBJECT_BITS)), array(Part::Offset, Elem::BitVec(width))]
            }
            Layout::Mixed => vec![array(Part::Value, Elem::BitVec(MIXED_BITS))],
        };
        Ok(Cells { cells, marks, content: of.content })
    }

    /// The slot of a scalar.
    pub(super) fn slot(&self, spot: &Spot, region: RegionId) -> Exec<usize> {
        let (kind, size) = scalar(self.program, spot.ty).ok_or(Unmodelled)?;
        let size = spot.bits.map_or(size, |b| u64::from(b.width));
        self.regions[region].slot(spot.at.sized(size), kind).ok_or(Unmodelled)
    }

    /// The index of the element at an offset.
    pub(super) fn index_of(
        &mut self,
        region: RegionId,
        slot: usize,
        object: TermId,
        offset: TermId,
    ) -> TermId {
        match self.regions[region].index(slot) {
            Index::Both => self.terms.concat(object, offset),
            Index::Offset => offset,
            Index::Object | Index::Nothing => object,
        }
    }

    /// The index of a byte behind an offset.
    pub(super) fn index_of_byte(
        &mut self,
        region: RegionId,
        slot: usize,
        (object, offset): (TermId, TermId),
        byte: u64,
    ) -> TermId {
        let by = self.terms.bv(self.pointer_bits(), u128::from(byte));
        let offset = self.terms.bv_add(offset, by);
        self.index_of(region, slot, object, offset)
    }

    /// An element of a slot. Where there is one only, the access is to that one: it is valid.
    pub(super) fn pick(&mut self, slot: TermId, index: TermId) -> TermId {
        if matches!(self.terms.sort(slot), Sort::Array { .. }) {
            self.terms.select(slot, index)
        } else {
            slot
        }
    }

    /// A slot with another element.
    pub(super) fn with(&mut self, slot: TermId, index: TermId, element: TermId) -> TermId {
        if matches!(self.terms.sort(slot), Sort::Array { .. }) {
            self.terms.store(slot, index, element)
        } else {
            element
        }
    }

    /// The value of a scalar in memory.
    pub(super) fn read(
        &mut self,
        flow: &Flow,
        spot: &Spot,
        region: RegionId,
        object: TermId,
        offset: TermId,
    ) -> Exec<TermId> {
        if self.regions[region].is_nowhere() {
            return self.read_nowhere(flow, spot, region);
        }
        let slot = self.slot(spot, region)?;
        self.may_read(region, slot)?;
        if self.regions.is_table(region) {
            let size = 8 * self.bytes_of(spot)?;
            let regions = self.regions.clone();
            let value = regions.read_table(self.terms, region, spot.at.sized(size), (object, offset));
            return self.interpret(value.ok_or(Unmodelled)?, spot);
        }
        let layout = self.regions[region].slots[slot].layout;
        let arrays = self.arrays(region, slot)?;
        if layout.is_bytes() {
            let array = self.get(flow, &arrays.cells[0].0, arrays.cells[0].1);
            let mut elements = Vec::new();
            for byte in 0..self.bytes_of(spot)? {
                let index = self.index_of_byte(region, slot, (object, offset), byte);
                elements.push(self.pick(array, index));
            }
            if layout == Layout::Mixed && self.is_pointer(spot.ty) {
                return self.put_together(flow, &arrays, &elements);
            }
            let mut whole = None;
            for element in elements.into_iter().rev() {
                let value = self.as_byte(layout, element);
                whole = Some(match whole {
                    None => value,
                    Some(above) => self.terms.concat(above, value),
                });
            }
            let whole = whole.ok_or(Unmodelled)?;
            return match (spot.bits, self.sort(spot.ty)?) {
                (Some(bits), _) => {
                    let low = bits.offset as u32;
                    let value = self.terms.extract(whole, low + bits.width - 1, low);
                    self.interpret(value, spot)
                }
                (None, Sort::Float(format)) => Ok(self.terms.float_op(TermOp::FpFromBits(format), &[whole])),
                (None, _) => self.interpret(whole, spot),
            };
        }
        let Cells { cells, content, .. } = arrays;
        let index = self.index_of(region, slot, object, offset);
        let mut values = Vec::with_capacity(2);
        for (cell, sort) in cells {
            let array = self.get(flow, &cell, sort);
            values.push(self.pick(array, index));
        }
        let wanted = self.sort(spot.ty)?;
        match layout {
            Layout::Typed(Scalar::Pointer, _) if self.is_pointer(spot.ty) => {
                Ok(self.assemble(flow, content, &values))
            }
            Layout::Word => self.word(flow, spot, content, values[0], values[1]),
            _ if self.is_pointer(spot.ty) => Err(Unmodelled),
            Layout::Typed(Scalar::Float, _) if wanted == self.terms.sort(values[0]) => Ok(values[0]),
            Layout::Typed(Scalar::Bits, size) => match wanted {
                Sort::Float(format) if u64::from(format.bits()) == size => {
                    Ok(self.terms.float_op(TermOp::FpFromBits(format), &[values[0]]))
                }
                Sort::BitVec(_) => self.interpret(values[0], spot),
                _ => Err(Unmodelled),
            },
            _ => Err(Unmodelled),
        }
    }

    /// Memory that is none of the program's objects holds anything whenever it is read, also pointers to objects that
    /// were stored there.
    fn read_nowhere(&mut self, flow: &Flow, spot: &Spot, region: RegionId) -> Exec<TermId> {
        if self.is_pointer(spot.ty) {
            let slot = self.slot(spot, region)?;
            let Cells { cells, content, .. } = self.arrays(region, slot)?;
            let moves = cells.len() > 1;
            let mut parts = vec![self.anything(Sort::BitVec(OBJECT_BITS))];
            if moves {
                parts.push(self.anything(Sort::BitVec(self.pointer_bits())));
            }
            return Ok(self.assemble(flow, content, &parts));
        }
        match (spot.bits, self.sort(spot.ty)?) {
            (Some(bits), _) => {
                let value = self.anything(Sort::BitVec(bits.width));
                self.interpret(value, spot)
            }
            (None, sort @ Sort::BitVec(_)) => {
                let value = self.anything(sort);
                self.interpret(value, spot)
            }
            (None, sort) => Ok(self.anything(sort)),
        }
    }

    /// What a pointer and an integer of its size share: an integer is kept as an address in no object.
    fn word(
        &mut self,
        flow: &Flow,
        spot: &Spot,
        content: Option<RegionId>,
        object: TermId,
        offset: TermId,
    ) -> Exec<TermId> {
        let integer = self.is_number(object, NULL);
        if !self.is_pointer(spot.ty) {
            let Some(region) = content else {
                self.oblige(integer);
                return self.interpret(offset, spot);
            };
            let start = self.beginning(flow, region, object);
            let value = self.terms.bv_add(start, offset);
            return self.interpret(value, spot);
        }
        let zero = self.terms.bv(self.pointer_bits(), 0);
        let known = match content.is_some_and(|region| self.regions[region].stride != 0) {
            true => {
                let far = self.is_far(offset);
                self.terms.not(far)
            }
            false => self.terms.eq(offset, zero),
        };
        let pointer = self.terms.not(integer);
        let ok = self.terms.or2(pointer, known);
        self.oblige(ok);
        Ok(self.assemble(flow, content, &[object, offset]))
    }

    /// Bits in memory as a value of an integer type.
    pub(super) fn interpret(&mut self, bits: TermId, spot: &Spot) -> Exec<TermId> {
        let int = self.program.types.int_type(spot.ty).ok_or(Unmodelled)?;
        if int.bits > 1 || spot.bits.is_some() {
            return Ok(self.terms.resize(bits, int.bits, int.signed));
        }
        let zero = self.terms.bv(self.terms.width(bits), 0);
        let no = self.terms.eq(bits, zero);
        let (one, zero) = (self.terms.bv(1, 1), self.terms.bv(1, 0));
        Ok(self.terms.ite(no, zero, one))
    }

    /// What is written is no constant, and not the object of an input while that of another input may be the same.
    pub(super) fn may_write(&mut self, region: RegionId, object: TermId) {
        if self.inputs_meet(region) && !self.initialising {
            let input = self.is_input(region, object);
            let own = self.terms.not(input);
            self.oblige(own);
        }
        let constants = self.regions[region].constants;
        if constants > 0 && !self.initialising {
            let (first, last) = (self.number(FIRST + constants), self.terms.bv(OBJECT_BITS, u128::MAX));
            let variable = self.is_from_to(object, first, last);
            self.oblige(variable);
        }
    }

    /// Writes a scalar to memory.
    pub(super) fn write(
        &mut self,
        flow: &mut Flow,
        spot: &Spot,
        region: RegionId,
        object: TermId,
        offset: TermId,
        value: TermId,
    ) -> Exec<()> {
        self.may_write(region, object);
        // Where nothing reads, it does not matter what is written.
        let Ok(slot) = self.slot(spot, region) else { return Ok(()) };
        let layout = self.regions[region].slots[slot].layout;
        let cells = self.arrays(region, slot)?.cells;
        let value = match (layout, self.terms.sort(value)) {
            (Layout::Typed(Scalar::Float, size), Sort::Float(format)) if size == u64::from(format.bits()) => {
                value
            }
            (Layout::Typed(Scalar::Float, size), Sort::BitVec(bits)) if size == u64::from(bits) => {
                let format = if bits == 32 { FloatSort::F32 } else { FloatSort::F64 };
                self.terms.float_op(TermOp::FpFromBits(format), &[value])
            }
            (Layout::Typed(Scalar::Float, _), _) => return Err(Unmodelled),
            (_, Sort::Float(format)) => {
                let pattern = self.anything(Sort::BitVec(format.bits()));
                let number = self.terms.float_op(TermOp::FpFromBits(format), &[pattern]);
                let same = self.terms.eq(number, value);
                self.facts.push(same);
                pattern
            }
            _ => value,
        };
        if !layout.is_bytes() {
            let index = self.index_of(region, slot, object, offset);
            let pieces = match layout {
                Layout::Typed(Scalar::Bits, size) => vec![self.terms.resize(value, size as u32, false)],
                Layout::Word if !self.is_pointer(spot.ty) => {
                    let value = self.terms.resize(value, self.pointer_bits(), false);
                    vec![self.number(NULL), value]
                }
                _ => self.pieces(value, spot.ty, None, cells.len()),
            };
            for ((cell, sort), piece) in cells.into_iter().zip(pieces) {
                let array = self.get(flow, &cell, sort);
                let array = self.with(array, index, piece);
                self.put(flow, cell, array);
            }
            return Ok(());
        }
        if layout == Layout::Mixed && self.is_pointer(spot.ty) {
            let (cell, sort) = cells[0].clone();
            let mut array = self.get(flow, &cell, sort);
            for (byte, piece) in self.take_apart(value).into_iter().enumerate() {
                let index = self.index_of_byte(region, slot, (object, offset), byte as u64);
                array = self.with(array, index, piece);
            }
            self.put(flow, cell, array);
            return Ok(());
        }
        let bytes = self.bytes_of(spot)?;
        let total = 8 * bytes as u32;
        let (cell, sort) = cells[0].clone();
        let mut array = self.get(flow, &cell, sort);
        let whole = match spot.bits {
            None => self.terms.resize(value, total, false),
            Some(bits) => {
                // The old bytes, with the new bits in their place.
                let mut old = None;
                for byte in (0..bytes).rev() {
                    let index = self.index_of_byte(region, slot, (object, offset), byte);
                    let value = self.pick(array, index);
                    let value = self.as_byte(layout, value);
                    old = Some(match old {
                        None => value,
                        Some(above) => self.terms.concat(above, value),
                    });
                }
                let old = old.ok_or(Unmodelled)?;
                let mask = ((1u128 << bits.width) - 1) << bits.offset;
                let (mask_in, mask_out) = (self.terms.bv(total, mask), self.terms.bv(total, !mask));
                let kept = self.terms.bv_and(old, mask_out);
                let wide = self.terms.resize(value, total.max(self.terms.width(value)), false);
                let wide = self.terms.resize(wide, total, false);
                let shift = self.terms.bv(total, u128::from(bits.offset));
                let moved = self.terms.bv_shl(wide, shift);
                let moved = self.terms.bv_and(moved, mask_in);
                self.terms.bv_or(kept, moved)
            }
        };
        for byte in 0..bytes {
            let index = self.index_of_byte(region, slot, (object, offset), byte);
            let low = 8 * byte as u32;
            let part = self.terms.extract(whole, low + 7, low);
            let part = self.as_element(layout, part);
            array = self.with(array, index, part);
        }
        self.put(flow, cell, array);
        Ok(())
    }

    /// Makes an object: its number.
    pub(super) fn create(
        &mut self,
        flow: &mut Flow,
        region: RegionId,
        size: TermId,
        heap: bool,
    ) -> Exec<TermId> {
        let of = &self.regions[region];
        if !of.grows {
            return Err(Unmodelled);
        }
        let (sized, mixed, first) = (of.size.is_none(), of.heap == Heap::Some, of.first_new());
        let once = of.once;
        let mut number = self.objects_end(flow, region);
        let (first, last) = (self.number(first), self.terms.bv(OBJECT_BITS, u128::MAX));
        if once {
            let is_first = self.terms.eq(number, first);
            self.oblige(is_first);
            number = first;
        }
        // Numbers only grow, and are never used up.
        let sane = self.is_from_to(number, first, last);
        self.facts.push(sane);
        if sized {
            let sort = self.sizes();
            let sizes = self.get(flow, &Cell::Sizes(region), sort);
            let sizes = self.terms.store(sizes, number, size);
            self.put(flow, Cell::Sizes(region), sizes);
        }
        self.mark(flow, region, number, true);
        if mixed {
            let flags = self.get(flow, &Cell::Heap(region), flags());
            let flag = self.terms.bv(1, u128::from(heap));
            let flags = self.terms.store(flags, number, flag);
            self.put(flow, Cell::Heap(region), flags);
        }
        let one = self.number(1);
        let next = self.terms.bv_add(number, one);
        self.put(flow, Cell::Counter(region), next);
        Ok(number)
    }

    /// An object is alive from now on, or dead.
    pub(super) fn mark(&mut self, flow: &mut Flow, region: RegionId, object: TermId, alive: bool) {
        if self.regions[region].mortal {
            let flags = self.get(flow, &Cell::Alive(region), flags());
            let flag = self.terms.bv(1, u128::from(alive));
            let flags = self.terms.store(flags, object, flag);
            self.put(flow, Cell::Alive(region), flags);
        }
    }

    fn memory_vars(&self, function: FnId) -> Vec<VarId> {
        let function = &self.program.functions[function];
        let all = function.params.iter().chain(&function.locals).chain(&function.ret);
        all.copied().filter(|&var| !matches!(self.regions.home(var), Home::Cells(_))).collect()
    }

    /// A frame begins: its variables are alive, or have no object yet.
    pub(super) fn open_frame(&mut self, flow: &mut Flow, function: FnId, instance: u32) -> Exec<()> {
        for var in self.memory_vars(function) {
            match self.regions.home(var) {
                Home::Cells(_) => {}
                Home::Object(region, number) => {
                    let object = self.number(number);
                    if number >= FIRST + self.regions[region].immortal {
                        self.mark(flow, region, object, true);
                    }
                }
                Home::Fresh(_)
                    if self.declared.contains(&var)
                        && self.program.types.object_size(self.program.vars[var].ty.ty).is_none() =>
                {
                    let unknown = self.number(UNKNOWN);
                    self.put(flow, Cell::Home { var, instance }, unknown);
                }
                Home::Fresh(_) => self.begin_life(flow, var, instance)?,
            }
        }
        Ok(())
    }

    /// A frame ends, and its variables with it.
    pub(super) fn close_frame(&mut self, flow: &mut Flow, function: FnId, instance: u32) {
        for var in self.memory_vars(function) {
            self.end_life(flow, var, instance);
        }
    }

    /// The life of a variable ends.
    pub(super) fn end_life(&mut self, flow: &mut Flow, var: VarId, instance: u32) {
        let (region, object) = match self.regions.home(var) {
            Home::Cells(_) => return,
            Home::Object(region, number) if number < FIRST + self.regions[region].immortal => return,
            Home::Object(region, number) => (region, self.number(number)),
            Home::Fresh(region) => {
                let cell = Cell::Home { var, instance };
                (region, self.get(flow, &cell, Sort::BitVec(OBJECT_BITS)))
            }
        };
        self.mark(flow, region, object, false);
    }

    fn begin_life(&mut self, flow: &mut Flow, var: VarId, instance: u32) -> Exec<()> {
        let Home::Fresh(region) = self.regions.home(var) else { return Ok(()) };
        let size = self.type_size(flow, self.program.vars[var].ty.ty, instance)?;
        let number = self.create(flow, region, size, false)?;
        self.put(flow, Cell::Home { var, instance }, number);
        Ok(())
    }

    fn type_size(&mut self, flow: &Flow, ty: TypeId, instance: u32) -> Exec<TermId> {
        let width = self.pointer_bits();
        if let Some(size) = self.program.types.object_size(ty) {
            return Ok(self.terms.bv(width, u128::from(size)));
        }
        let Type::Array(of, len) = self.program.types[ty] else { return Err(Unmodelled) };
        let each = self.type_size(flow, of.ty, instance)?;
        let count = match len {
            ArrayLen::Fixed(n) => self.terms.bv(width, u128::from(n)),
            ArrayLen::Variable(var) => {
                let spot = self.whole(flow, var, instance);
                let count = self.load(flow, &spot)?;
                self.terms.resize(count, width, false)
            }
            ArrayLen::Unknown => return Err(Unmodelled),
        };
        Ok(self.exact_product(count, each))
    }

    /// A product that must not wrap around.
    pub(super) fn exact_product(&mut self, a: TermId, b: TermId) -> TermId {
        let width = self.pointer_bits();
        let (x, y) = (self.terms.zero_ext(a, width), self.terms.zero_ext(b, width));
        let product = self.terms.bv_mul(x, y);
        let high = self.terms.extract(product, 2 * width - 1, width);
        let zero = self.terms.bv(width, 0);
        let fits = self.terms.eq(high, zero);
        self.oblige(fits);
        self.terms.extract(product, width - 1, 0)
    }

    /// A declaration: a new life with unknown contents.
    pub(super) fn declare(&mut self, flow: &mut Flow, var: VarId, instance: u32) -> Exec<()> {
        match self.regions.home(var) {
            Home::Fresh(_) => {
                self.end_life(flow, var, instance);
                self.begin_life(flow, var, instance)
            }
            Home::Object(region, number) => {
                // It has one life. What a record or array holds is unknown already; that a scalar was not written is
                // known from here on.
                let immortal = number < FIRST + self.regions[region].immortal;
                if immortal && !self.program.types.is_scalar(self.program.vars[var].ty.ty) {
                    return Ok(());
                }
                if !immortal {
                    let object = self.number(number);
                    self.mark(flow, region, object, true);
                }
                let spot = self.whole(flow, var, instance);
                self.forget(flow, spot, false)
            }
            Home::Cells(_) => {
                let spot = self.whole(flow, var, instance);
                self.forget(flow, spot, false)
            }
        }
    }
}
