//! Library functions that have a meaning of their own: `malloc` and its relatives, copying and setting bytes.

use super::memory::Storage;
use super::path::Path;
use super::place::{Resolved, Root};
use super::{Demand, Encode, Encoder, unsupported};
use crate::regions::{Index, Layout, NULL, OBJECT_BITS, Position, RegionId, Scalar};
use crate::tuning::MemoryLimits;
use tour_ir::program::{Builtin, Call, ExprId};
use tour_logic::term::{BaseId, Sort, TermId, Terms};

/// Larger blocks are not set or copied as a whole.
/// It protects memory; the checker of evidence has the same bound.
const MAX_BYTES: u128 = 1 << 20;

/// Elements of a slot, by the bytes where they begin behind a pointer.
#[derive(Clone, Copy)]
struct Run {
    slot: usize,
    first: u64,
    /// From the first byte on, elements may begin at this number of bytes: no others do there.
    bytes: u64,
}

/// How many bytes of a block `realloc` takes over, of those that both sizes allow.
fn known_bytes(limits: &MemoryLimits, sizes: [Option<u64>; 2]) -> u64 {
    match sizes {
        [Some(a), Some(b)] if a.min(b) <= limits.max_copied_scalars as u64 => a.min(b),
        [Some(a), _] | [_, Some(a)] => a.min(limits.max_kept_by_realloc),
        [None, None] => limits.max_kept_by_realloc,
    }
}

/// Where a pointer argument points.
#[derive(Clone, Copy)]
struct Target {
    region: RegionId,
    object: TermId,
    offset: TermId,
}

impl Encoder<'_> {
    /// A call of a library function.
    pub(super) fn library(
        &mut self,
        terms: &mut Terms,
        path: &mut Path,
        call: &Call,
        builtin: Builtin,
        instance: u32,
    ) -> Encode<()> {
        if builtin.is_control() || builtin == Builtin::ThreadExit {
            return Ok(());
        }
        let wanted = match builtin {
            Builtin::Malloc | Builtin::Outside | Builtin::Free | Builtin::Alloca => 1,
            Builtin::Calloc | Builtin::Realloc => 2,
            Builtin::Memcpy | Builtin::Memmove | Builtin::Memset => 3,
            _ => return unsupported("library-function", format!("a call of {builtin:?}").to_lowercase()),
        };
        if call.args.len() != wanted {
            return unsupported("call-mismatch", "a library function with other arguments");
        }
        let dest = match call.dest {
            Some(dest) => Some(self.eval(terms, path, instance, |e| {
                let dest = e.resolve(dest)?;
                e.check(&dest)?;
                Ok(dest)
            })?),
            None => None,
        };
        let result = match builtin {
            Builtin::Free => {
                let target = self.target(terms, path, call.args[0], instance)?;
                self.release(terms, path, target, instance)?;
                None
            }
            Builtin::Memcpy | Builtin::Memmove => {
                let to = self.target(terms, path, call.args[0], instance)?;
                let from = self.target(terms, path, call.args[1], instance)?;
                let size = self.constant_size(terms, path, call.args[2], instance)?;
                self.move_bytes(terms, path, to, from, size, builtin == Builtin::Memcpy)?;
                Some(terms.concat(to.object, to.offset))
            }
            Builtin::Memset => {
                let to = self.target(terms, path, call.args[0], instance)?;
                let byte = self.eval(terms, path, instance, |e| e.value(call.args[1]))?;
                let byte = terms.extract(byte, 7, 0);
                let size = self.constant_size(terms, path, call.args[2], instance)?;
                if size > 0 {
                    self.eval(terms, path, instance, |e| {
                        e.require_valid(to.region, to.object, to.offset, size);
                        Ok(())
                    })?;
                }
                self.set_bytes(terms, path, to, size, true, byte)?;
                Some(terms.concat(to.object, to.offset))
            }
            _ => Some(self.allocation(terms, path, call, builtin, dest.as_ref(), instance)?),
        };
        match (dest, result) {
            (Some(dest), Some(result)) => self.store_scalar(terms, path, &dest, result),
            _ => Ok(()),
        }
    }

    fn target(&mut self, terms: &mut Terms, path: &mut Path, expr: ExprId, instance: u32) -> Encode<Target> {
        let Some(region) =
            self.regions.pointee(expr).filter(|_| self.is_pointer(self.program.exprs[expr].ty))
        else {
            return unsupported("memory", "a library function on an unknown pointer");
        };
        self.eval(terms, path, instance, |e| {
            let value = e.value(expr)?;
            let (object, offset) = e.split(value);
            Ok(Target { region, object, offset })
        })
    }

    /// A size as a term of a pointer's width, not absurdly large.
    fn size_of(&mut self, terms: &mut Terms, path: &mut Path, expr: ExprId, instance: u32) -> Encode<TermId> {
        let bits = self.pointer_bits();
        self.eval(terms, path, instance, |e| {
            let value = e.value(expr)?;
            Ok(e.terms.resize(value, bits, false))
        })
    }

    fn constant_size(
        &mut self,
        terms: &mut Terms,
        path: &mut Path,
        expr: ExprId,
        instance: u32,
    ) -> Encode<u64> {
        let size = self.size_of(terms, path, expr, instance)?;
        match terms.as_bv(size) {
            Some(size) if size.value <= MAX_BYTES => Ok(size.value as u64),
            Some(_) => unsupported("library-function", "a large block of memory as a whole"),
            None => unsupported("library-function", "a block of memory of unknown size as a whole"),
        }
    }

    /// `malloc`, `calloc`, `realloc`: the pointer to a new object.
    fn allocation(
        &mut self,
        terms: &mut Terms,
        path: &mut Path,
        call: &Call,
        builtin: Builtin,
        dest: Option<&Resolved>,
        instance: u32,
    ) -> Encode<TermId> {
        let bits = self.pointer_bits();
        let zero = terms.bv(bits, 0);
        let mut fits = terms.yes();
        let size = match builtin {
            Builtin::Calloc => {
                let count = self.size_of(terms, path, call.args[0], instance)?;
                let each = self.size_of(terms, path, call.args[1], instance)?;
                let [wide_count, wide_each] = [count, each].map(|n| terms.zero_ext(n, bits));
                let wide = terms.bv_mul(wide_count, wide_each);
                let size = terms.bv_mul(count, each);
                let back = terms.zero_ext(size, bits);
                fits = terms.eq(wide, back);
                size
            }
            Builtin::Realloc => self.size_of(terms, path, call.args[1], instance)?,
            _ => self.size_of(terms, path, call.args[0], instance)?,
        };
        // No larger object can be there: the difference of two pointers into it would not fit. Asked for one, `malloc` and
        // `calloc` give null.
        let positive = terms.bv_sle(zero, size);
        let possible = terms.and2(fits, positive);
        if !matches!(builtin, Builtin::Malloc | Builtin::Calloc) {
            self.eval(terms, path, instance, |e| {
                e.require(Demand::Size, possible);
                Ok(())
            })?;
        }
        if builtin == Builtin::Alloca && !self.in_entry(call) {
            return unsupported("alloca", "memory that ends with its function");
        }
        let old = match builtin {
            Builtin::Realloc => Some(self.target(terms, path, call.args[0], instance)?),
            _ => None,
        };
        let region = match (old, dest) {
            (Some(old), _) => Some(old.region),
            (None, Some(dest)) => self.pointee_of(dest),
            (None, None) => None,
        };
        let Some(region) = region else {
            if builtin != Builtin::Alloca && self.program.asks_for_blocks() {
                return unsupported(
                    "memory",
                    "a block that nothing points to, where it is asked what is left",
                );
            }
            // Nothing can point to the object.
            let [unknown, null] = [crate::regions::UNKNOWN, NULL].map(|number| self.object(terms, number));
            let object = terms.ite(possible, unknown, null);
            return Ok(terms.concat(object, zero));
        };
        if !self.regions[region].grows {
            return unsupported("memory", "a new object where none is expected");
        }
        if let Some(old) = old {
            self.eval(terms, path, instance, |e| {
                let nothing = e.terms.eq(size, zero);
                let some = e.terms.not(nothing);
                e.require(Demand::Size, some);
                Ok(())
            })?;
            self.check_release(terms, path, old, instance)?;
        }
        let number = self.allocate(terms, path, region, size, builtin != Builtin::Alloca)?;
        let new = Target { region, object: number, offset: zero };
        match (builtin, terms.as_bv(size)) {
            // No other object is there, and nobody reads what is behind the end.
            (Builtin::Calloc, _) if self.regions[region].is_sole() => {
                let byte = terms.bv(8, 0);
                self.fill_region(terms, path, region, byte)?;
            }
            (Builtin::Calloc, Some(size)) if size.value <= self.limits.max_copied_scalars as u128 => {
                let byte = terms.bv(8, 0);
                self.set_bytes(terms, path, new, size.value as u64, true, byte)?;
            }
            (Builtin::Calloc, _) => self.set_object(terms, path, new)?,
            _ => {}
        }
        if let Some(old) = old {
            self.take_over(terms, path, new, old, size)?;
            self.set_alive(terms, path, region, old.object, false);
        }
        let null = self.object(terms, NULL);
        let object = terms.ite(possible, number, null);
        Ok(terms.concat(object, zero))
    }

    /// The call stands in the entry function, whose frame lives as long as the program.
    fn in_entry(&self, call: &Call) -> bool {
        let entry = self.program.entry;
        self.program.cfa.edges.iter().any(|edge| {
            matches!(&edge.op, tour_ir::program::Op::Call(other) if std::ptr::eq(other, call))
                && self.program.cfa.locs[edge.from].function == entry
        }) && !self.entry_recurs
    }

    /// The region that the pointer at a place points into.
    fn pointee_of(&self, at: &Resolved) -> Option<RegionId> {
        let bits = u64::from(self.pointer_bits());
        let region = match &at.root {
            Root::Cells { var, .. } => match self.regions.home(*var) {
                crate::regions::Home::Cells(region) => region,
                crate::regions::Home::Object(region, _) | crate::regions::Home::Fresh(region) => region,
            },
            Root::Memory { region, .. } => *region,
        };
        let of = &self.regions[region];
        of.slots[of.slot(at.at.sized(bits), Scalar::Pointer)?].content
    }

    /// A pointer that is given to `free` is null or points to the beginning of a live block.
    fn check_release(
        &mut self,
        terms: &mut Terms,
        path: &mut Path,
        target: Target,
        instance: u32,
    ) -> Encode<()> {
        let Target { region, object, offset } = target;
        self.eval(terms, path, instance, |e| {
            let pointer = e.terms.concat(object, offset);
            let null = e.is_null(pointer);
            let (alive, heap) = (e.alive(region, object), e.on_heap(region, object));
            let zero = e.terms.bv(e.encoder.pointer_bits(), 0);
            let start = e.terms.eq(offset, zero);
            // Whether someone else's object may be freed, nobody says.
            let input = e.may_be_input(region, object);
            let own = e.terms.not(input);
            let block = e.terms.and(&[alive, heap, start, own]);
            let ok = e.terms.or2(null, block);
            e.require(Demand::Freeable, ok);
            Ok(())
        })
    }

    fn release(&mut self, terms: &mut Terms, path: &mut Path, target: Target, instance: u32) -> Encode<()> {
        self.check_release(terms, path, target, instance)?;
        // Null is dead already.
        if target.object != self.object(terms, NULL) {
            self.set_alive(terms, path, target.region, target.object, false);
        }
        Ok(())
    }

    /// `realloc`: the first bytes go over, as far as the old block has them; the rest is anything.
    fn take_over(
        &mut self,
        terms: &mut Terms,
        path: &mut Path,
        new: Target,
        old: Target,
        size: TermId,
    ) -> Encode<()> {
        let old_size = self.eval(terms, path, 0, |e| Ok(e.size(old.region, old.object)))?;
        let sizes = [size, old_size].map(|size| terms.as_bv(size).map(|size| size.value as u64));
        let bytes = known_bytes(&self.limits, sizes);
        let null = self.object(terms, NULL);
        let none = terms.eq(old.object, null);
        let Ok(elements) = self.element_bytes(new.region, bytes, false) else { return Ok(()) };
        for (slot, first) in elements {
            let storage = self.storage(terms, new.region, slot)?;
            let by = terms.bv(self.pointer_bits(), u128::from(first));
            let end = terms.bv(self.pointer_bits(), u128::from(first + self.element_size(new.region, slot)));
            let missing = terms.bv_ult(old_size, end);
            let missing = terms.or2(none, missing);
            let source = terms.bv_add(old.offset, by);
            let target = self.element_index(terms, storage, new.object, by);
            let source = self.element_index(terms, storage, old.object, source);
            // What was never written need not be what it was.
            let unset = match storage.written {
                Some(base) => {
                    let marks = path.ssa.value(terms, base);
                    let mark = Self::element_of(terms, marks, source);
                    let all = Self::all_marks(terms, terms.sort(mark));
                    let set = terms.eq(mark, all);
                    terms.not(set)
                }
                None => terms.no(),
            };
            for base in storage.bases() {
                let array = path.ssa.value(terms, base);
                let [any, kept] = [target, source].map(|index| Self::element_of(terms, array, index));
                let is_mark = storage.written == Some(base);
                let lost = if is_mark { missing } else { terms.or2(missing, unset) };
                let value = terms.ite(lost, any, kept);
                self.write(terms, path, base, &[(target, value)]);
            }
        }
        Ok(())
    }

    /// The bytes of an element of a slot.
    fn element_size(&self, region: RegionId, slot: usize) -> u64 {
        match self.regions[region].slots[slot].layout {
            Layout::Typed(_, bits) => bits.div_ceil(8),
            Layout::Word => u64::from(self.pointer_bits()) / 8,
            Layout::Bytes | Layout::Mixed => 1,
        }
    }

    /// `memcpy` and `memmove`.
    fn move_bytes(
        &mut self,
        terms: &mut Terms,
        path: &mut Path,
        to: Target,
        from: Target,
        size: u64,
        apart: bool,
    ) -> Encode<()> {
        if size == 0 {
            return Ok(());
        }
        if to.region != from.region {
            return unsupported("memory", "a copy between unrelated regions");
        }
        self.eval(terms, path, 0, |e| {
            for target in [to, from] {
                e.require_valid(target.region, target.object, target.offset, size);
            }
            if apart {
                let other = e.terms.eq(to.object, from.object);
                let other = e.terms.not(other);
                let bits = e.encoder.pointer_bits();
                let length = e.terms.bv(bits, u128::from(size));
                let same = e.terms.eq(to.offset, from.offset);
                let (up, down) =
                    (e.terms.bv_sub(to.offset, from.offset), e.terms.bv_sub(from.offset, to.offset));
                let (above, below) = (e.terms.bv_sle(length, up), e.terms.bv_sle(length, down));
                let ok = e.terms.or(&[other, same, above, below]);
                e.require(Demand::Apart, ok);
            }
            Ok(())
        })?;
        self.may_write(terms, path, to.region, to.object)?;
        let mut moved: Vec<(BaseId, TermId)> = Vec::new();
        for run in self.runs(to.region, size, true)? {
            let storage = self.storage(terms, to.region, run.slot)?;
            let by = terms.bv(self.pointer_bits(), u128::from(run.first));
            let (a, b) = (terms.bv_add(to.offset, by), terms.bv_add(from.offset, by));
            let target = self.element_index(terms, storage, to.object, a);
            let source = self.element_index(terms, storage, from.object, b);
            for base in storage.bases() {
                let before = path.ssa.value(terms, base);
                // What is moved is what was there before all of it.
                let at = moved.iter().position(|(moved, _)| *moved == base);
                let whole = at.map_or(before, |at| moved[at].1);
                let whole = match terms.sort(whole) {
                    Sort::Array { index, .. } if run.bytes > 1 => {
                        let bytes = terms.bv(index, u128::from(run.bytes));
                        terms.splice(whole, before, target, source, bytes)
                    }
                    Sort::Array { .. } => {
                        let value = terms.select(before, source);
                        terms.store(whole, target, value)
                    }
                    _ => before,
                };
                match at {
                    Some(at) => moved[at].1 = whole,
                    None => moved.push((base, whole)),
                }
            }
        }
        for (base, whole) in moved {
            self.replace(terms, path, base, whole);
        }
        Ok(())
    }

    /// The slots that have an element in the first `size` bytes behind a pointer, and the first byte of each element.
    /// An element that is there only in part is an error if `whole`, and left out otherwise.
    fn element_bytes(&self, region: RegionId, size: u64, whole: bool) -> Encode<Vec<(usize, u64)>> {
        let mut found = Vec::new();
        let of = &self.regions[region];
        for (number, slot) in of.slots.iter().enumerate() {
            match slot.layout {
                Layout::Bytes | Layout::Mixed => {
                    for byte in 0..size {
                        let at = Position::START.field(8 * byte).sized(8);
                        if of.slot(at, Scalar::Bits) == Some(number) {
                            found.push((number, byte));
                        }
                    }
                }
                Layout::Typed(..) | Layout::Word => {
                    let bits = match slot.layout {
                        Layout::Typed(_, bits) => bits,
                        _ => u64::from(self.pointer_bits()),
                    };
                    let Some(elements) = of.elements(number, 8 * size) else {
                        return unsupported("memory", "a part of a scalar is written");
                    };
                    for first in elements {
                        if first + bits <= 8 * size {
                            found.push((number, first / 8));
                        } else if whole {
                            return unsupported("memory", "a part of a scalar is written");
                        }
                    }
                }
            }
        }
        Ok(found)
    }

    /// The same elements, many of a slot together.
    fn runs(&self, region: RegionId, size: u64, whole: bool) -> Encode<Vec<Run>> {
        let elements = self.element_bytes(region, size, whole)?;
        let mut runs = Vec::new();
        for of_slot in elements.chunk_by(|a, b| a.0 == b.0) {
            let (&[(slot, first), ..], &[.., (_, last)]) = (of_slot, of_slot) else { continue };
            match of_slot.len() > self.limits.max_single_writes {
                true => runs.push(Run { slot, first, bytes: last - first + 1 }),
                false => runs.extend(of_slot.iter().map(|&(slot, first)| Run { slot, first, bytes: 1 })),
            }
        }
        Ok(runs)
    }

    /// `memset`, of bytes that are inside of an object. An element that is there only in part is an error if `whole`, and
    /// left as it is otherwise.
    fn set_bytes(
        &mut self,
        terms: &mut Terms,
        path: &mut Path,
        to: Target,
        size: u64,
        whole: bool,
        byte: TermId,
    ) -> Encode<()> {
        self.may_write(terms, path, to.region, to.object)?;
        if self.is_whole(terms, to.region, to.offset, size) {
            return self.fill_region(terms, path, to.region, byte);
        }
        for run in self.runs(to.region, size, whole)? {
            let storage = self.storage(terms, to.region, run.slot)?;
            let by = terms.bv(self.pointer_bits(), u128::from(run.first));
            let offset = terms.bv_add(to.offset, by);
            let index = self.element_index(terms, storage, to.object, offset);
            self.set_elements(terms, path, storage, index, u128::from(run.bytes), byte)?;
        }
        Ok(())
    }

    /// All bytes of a new object are zero, however many there are: nobody reads what is behind its end.
    fn set_object(&mut self, terms: &mut Terms, path: &mut Path, new: Target) -> Encode<()> {
        let byte = terms.bv(8, 0);
        for slot in 0..self.regions[new.region].slots.len() {
            let storage = self.storage(terms, new.region, slot)?;
            let index = self.element_index(terms, storage, new.object, new.offset);
            let bytes = match self.regions[new.region].index(slot) {
                Index::Nothing | Index::Object => 1,
                Index::Both => 1 << self.pointer_bits(),
                // There is one object only, whose slots are set as a whole.
                Index::Offset => return unsupported("memory", "a new object where one is already"),
            };
            self.set_elements(terms, path, storage, index, bytes, byte)?;
        }
        Ok(())
    }

    /// Elements of a slot that begin at `count` bytes from an index on are made of this byte.
    fn set_elements(
        &self,
        terms: &mut Terms,
        path: &mut Path,
        storage: Storage,
        index: TermId,
        bytes: u128,
        byte: TermId,
    ) -> Encode<()> {
        let value = Self::repeated(terms, storage, byte)?;
        let offset = storage.offset.map(|base| (base, terms.bv(self.pointer_bits(), 0)));
        let marks = storage.written.map(|base| {
            let bits = if storage.layout.is_bytes() { 8 } else { 1 };
            (base, terms.bv(bits, u128::MAX))
        });
        for (base, value) in [(storage.base, value)].into_iter().chain(offset).chain(marks) {
            let whole = path.ssa.value(terms, base);
            let whole = match terms.sort(whole) {
                Sort::Array { index: bits, .. } if bytes > 1 => {
                    let (all, bytes) = (terms.const_array(bits, value), terms.bv(bits, bytes));
                    terms.splice(whole, all, index, index, bytes)
                }
                Sort::Array { .. } => terms.store(whole, index, value),
                _ => value,
            };
            self.replace(terms, path, base, whole);
        }
        Ok(())
    }

    /// The value of an element of a slot all of whose bytes are this one.
    fn repeated(terms: &mut Terms, storage: Storage, byte: TermId) -> Encode<TermId> {
        let zero = terms.as_bv(byte).is_some_and(|b| b.value == 0);
        let bits = match storage.layout {
            Layout::Typed(Scalar::Bits, bits) => bits as u32,
            Layout::Typed(Scalar::Pointer, _) | Layout::Word if zero => OBJECT_BITS,
            Layout::Typed(Scalar::Float, _) if zero => 0,
            Layout::Bytes => 8,
            Layout::Mixed => return Ok(Self::byte_element(terms, storage.layout, byte)),
            _ => return unsupported("memory", "a number made of bytes that are set"),
        };
        Ok(if zero {
            let element = match terms.base(storage.base).sort {
                Sort::Array { elem, .. } => elem.sort(),
                scalar => scalar,
            };
            match element {
                Sort::Float(format) => terms.float(format, 0.0),
                _ => terms.bv(bits, 0),
            }
        } else {
            let mut value = byte;
            while terms.width(value) < bits {
                value = terms.concat(value, byte);
            }
            terms.extract(value, bits - 1, 0)
        })
    }

    /// `count` bytes at an offset are all of the only object of a region.
    pub(super) fn is_whole(&self, terms: &Terms, region: RegionId, offset: TermId, size: u64) -> bool {
        let of = &self.regions[region];
        of.is_sole() && of.size == Some(size) && terms.as_bv(offset).is_some_and(|offset| offset.value == 0)
    }

    /// All bytes of the only object of a region are this one.
    pub(super) fn fill_region(
        &mut self,
        terms: &mut Terms,
        path: &mut Path,
        region: RegionId,
        byte: TermId,
    ) -> Encode<()> {
        for slot in 0..self.regions[region].slots.len() {
            let storage = self.storage(terms, region, slot)?;
            let value = Self::repeated(terms, storage, byte)?;
            let zero = terms.bv(self.pointer_bits(), 0);
            let all = storage.written.map(|base| (base, Self::all_marks(terms, terms.base(base).sort)));
            let offset = storage.offset.map(|base| (base, zero));
            for (base, value) in [(storage.base, value)].into_iter().chain(offset).chain(all) {
                let value = match (terms.base(base).sort, terms.sort(value)) {
                    (whole, of) if whole == of => value,
                    (Sort::Array { index, .. }, _) => terms.const_array(index, value),
                    _ => value,
                };
                self.replace(terms, path, base, value);
            }
        }
        Ok(())
    }
}
