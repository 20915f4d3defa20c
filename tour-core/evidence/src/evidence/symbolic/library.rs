//! Library functions: memory is taken and given back, copied and set.

use super::{Exec, Executor, Flow, Unmodelled};
use std::collections::BTreeMap;
use tour_ir::cfa::EdgeId;
use tour_ir::program::{Builtin, Call, ExprId};
use tour_logic::term::{Sort, TermId};
use tour_model::regions::{Index, Layout, NULL, Position, RegionId, Scalar, UNKNOWN};

/// Larger blocks are not taken apart.
const MAX_BYTES: u128 = 300;

/// How many bytes of others are taken over by `realloc`.
const SOME_BYTES: u64 = 64;

/// How many bytes blocks have at most that are set or copied.
const MOST_BYTES: u128 = 1 << 20;

/// More pieces of a slot are set or copied at once.
const ONE_BY_ONE: usize = 64;

#[derive(Clone, Copy)]
struct Block {
    region: RegionId,
    object: TermId,
    offset: TermId,
}

impl Executor<'_> {
    pub(super) fn library(
        &mut self,
        flow: &mut Flow,
        edge: EdgeId,
        call: &Call,
        builtin: Builtin,
        instance: u32,
    ) -> Exec<()> {
        if builtin.is_control() || builtin == Builtin::ThreadExit {
            return Ok(());
        }
        let before = flow.clone();
        let dest = match call.dest {
            Some(dest) => {
                let dest = self.spot(&before, dest, instance)?;
                self.confirm(&before, &dest)?;
                Some(dest)
            }
            None => None,
        };
        let zero = self.terms.bv(self.pointer_bits(), 0);
        let result = match (builtin, &call.args[..]) {
            (Builtin::Free, &[pointer]) => {
                let block = self.block(&before, pointer, instance)?;
                self.may_free(&before, block);
                self.mark(flow, block.region, block.object, false);
                None
            }
            (Builtin::Malloc, &[size]) => {
                let size = self.length(&before, size, instance)?;
                let block = self.new_block(flow, dest.as_ref(), size, true)?.0;
                let possible = self.terms.bv_sle(zero, size);
                Some(self.or_null(possible, block))
            }
            (Builtin::Outside, &[size]) => {
                let size = self.length(&before, size, instance)?;
                self.check_size(size);
                Some(self.new_block(flow, dest.as_ref(), size, true)?.0)
            }
            (Builtin::Alloca, &[size]) => {
                let function = self.cfa().locs[self.cfa().edges[edge].from].function;
                if function != self.program.entry || self.entry_recurs {
                    return Err(Unmodelled);
                }
                let size = self.length(&before, size, instance)?;
                self.check_size(size);
                Some(self.new_block(flow, dest.as_ref(), size, false)?.0)
            }
            (Builtin::Calloc, &[count, size]) => {
                let (count, size) =
                    (self.length(&before, count, instance)?, self.length(&before, size, instance)?);
                let width = self.pointer_bits();
                let (long_count, long_size) =
                    (self.terms.zero_ext(count, width), self.terms.zero_ext(size, width));
                let product = self.terms.bv_mul(long_count, long_size);
                // Neither bits above the width of a size, nor its sign.
                let high = self.terms.extract(product, 2 * width - 1, width - 1);
                let none = self.terms.bv(width + 1, 0);
                let possible = self.terms.eq(high, none);
                let size = self.terms.extract(product, width - 1, 0);
                let (pointer, block) = self.new_block(flow, dest.as_ref(), size, true)?;
                let byte = self.terms.bv(8, 0);
                let known = self.terms.as_bv(size).map(|size| size.value).filter(|size| *size <= MAX_BYTES);
                match (block, known) {
                    // There is no other object, and no access lies behind the end.
                    (Some(block), _) if self.regions[block.region].is_sole() => {
                        self.fill_only_object(flow, block.region, byte)?;
                    }
                    (Some(block), Some(bytes)) => self.fill(flow, block, bytes as u64, true, byte)?,
                    // No access lies behind the end.
                    (Some(block), None) => {
                        for slot in 0..self.regions[block.region].slots.len() {
                            let index = self.index_of(block.region, slot, block.object, zero);
                            self.fill_slot(flow, (block.region, slot), index, 1 << width, byte)?;
                        }
                    }
                    (None, _) => {}
                }
                Some(self.or_null(possible, pointer))
            }
            (Builtin::Realloc, &[pointer, size]) => {
                let old = self.block(&before, pointer, instance)?;
                let size = self.length(&before, size, instance)?;
                let nothing = self.terms.eq(size, zero);
                let some = self.terms.not(nothing);
                self.oblige(some);
                self.may_free(&before, old);
                self.check_size(size);
                let number = self.create(flow, old.region, size, true)?;
                let new = Block { region: old.region, object: number, offset: zero };
                let old_size = self.size_of(&before, old.region, old.object);
                self.keep_contents(flow, new, old, size, old_size)?;
                self.mark(flow, old.region, old.object, false);
                Some(self.terms.concat(number, zero))
            }
            (Builtin::Memcpy | Builtin::Memmove, &[to, from, size]) => {
                let (to, from) = (self.block(&before, to, instance)?, self.block(&before, from, instance)?);
                let bytes = self.constant(&before, size, instance)?;
                if to.region != from.region {
                    return Err(Unmodelled);
                }
                if bytes > 0 {
                    for block in [to, from] {
                        self.stays_inside(&before, block.region, block.object, block.offset, bytes);
                    }
                    if builtin == Builtin::Memcpy {
                        let apart = self.are_apart(to, from, bytes);
                        self.oblige(apart);
                    }
                    self.transfer(flow, to, from, bytes, true)?;
                }
                Some(self.terms.concat(to.object, to.offset))
            }
            (Builtin::Memset, &[to, byte, size]) => {
                let to = self.block(&before, to, instance)?;
                let byte = self.value(&before, byte, instance)?;
                let byte = self.terms.extract(byte, 7, 0);
                let bytes = self.constant(&before, size, instance)?;
                if bytes > 0 {
                    self.stays_inside(&before, to.region, to.object, to.offset, bytes);
                }
                self.fill(flow, to, bytes, true, byte)?;
                Some(self.terms.concat(to.object, to.offset))
            }
            _ => return Err(Unmodelled),
        };
        match (dest, result) {
            (Some(dest), Some(result)) => self.set(flow, &dest, result),
            _ => Ok(()),
        }
    }

    fn block(&mut self, flow: &Flow, pointer: ExprId, instance: u32) -> Exec<Block> {
        if !self.is_pointer(self.program.exprs[pointer].ty) {
            return Err(Unmodelled);
        }
        let region = self.regions.pointee(pointer).ok_or(Unmodelled)?;
        let value = self.value(flow, pointer, instance)?;
        let (object, offset) = self.halves(value);
        Ok(Block { region, object, offset })
    }

    fn length(&mut self, flow: &Flow, expr: ExprId, instance: u32) -> Exec<TermId> {
        let value = self.value(flow, expr, instance)?;
        Ok(self.terms.resize(value, self.pointer_bits(), false))
    }

    fn constant(&mut self, flow: &Flow, expr: ExprId, instance: u32) -> Exec<u64> {
        let length = self.length(flow, expr, instance)?;
        let value = self.terms.as_bv(length).ok_or(Unmodelled)?.value;
        if value <= MOST_BYTES { Ok(value as u64) } else { Err(Unmodelled) }
    }

    /// Differences of pointers into an object must fit.
    fn check_size(&mut self, size: TermId) {
        let zero = self.terms.bv(self.pointer_bits(), 0);
        let fits = self.terms.bv_sle(zero, size);
        self.oblige(fits);
    }

    /// A pointer to a block that can be there; otherwise null.
    fn or_null(&mut self, possible: TermId, pointer: TermId) -> TermId {
        let (null, zero) = (self.number(NULL), self.terms.bv(self.pointer_bits(), 0));
        let null = self.terms.concat(null, zero);
        self.terms.ite(possible, pointer, null)
    }

    /// A pointer to a new block, and the block if something can point to it.
    fn new_block(
        &mut self,
        flow: &mut Flow,
        dest: Option<&super::place::Spot>,
        size: TermId,
        heap: bool,
    ) -> Exec<(TermId, Option<Block>)> {
        let zero = self.terms.bv(self.pointer_bits(), 0);
        let region = match dest {
            Some(dest) => match self.region_of(dest) {
                Some(region) => {
                    let slot = self.slot(dest, region)?;
                    self.regions[region].slots[slot].content
                }
                None => self.cells(dest, false)?.content,
            },
            None => None,
        };
        let Some(region) = region else {
            // Nobody could tell that it is left.
            if heap && self.program.asks_for_blocks() {
                return Err(Unmodelled);
            }
            let unknown = self.number(UNKNOWN);
            return Ok((self.terms.concat(unknown, zero), None));
        };
        let object = self.create(flow, region, size, heap)?;
        Ok((self.terms.concat(object, zero), Some(Block { region, object, offset: zero })))
    }

    /// Null, or the beginning of a live block of the heap.
    fn may_free(&mut self, flow: &Flow, block: Block) {
        let null = self.number(NULL);
        let zero = self.terms.bv(self.pointer_bits(), 0);
        let is_null = self.terms.eq(block.object, null);
        let at_start = self.terms.eq(block.offset, zero);
        let alive = self.is_alive(flow, block.region, block.object);
        let heap = self.is_heap(flow, block.region, block.object);
        let input = self.is_input(block.region, block.object);
        let own = self.terms.not(input);
        let live = self.terms.and(&[alive, heap, own]);
        let either = self.terms.or2(is_null, live);
        let ok = self.terms.and2(at_start, either);
        self.oblige(ok);
    }

    fn are_apart(&mut self, a: Block, b: Block, bytes: u64) -> TermId {
        let same_object = self.terms.eq(a.object, b.object);
        let same_offset = self.terms.eq(a.offset, b.offset);
        let bytes = self.terms.bv(self.pointer_bits(), u128::from(bytes));
        let (a_end, b_end) = (self.terms.bv_add(a.offset, bytes), self.terms.bv_add(b.offset, bytes));
        let (before, after) = (self.terms.bv_ule(a_end, b.offset), self.terms.bv_ule(b_end, a.offset));
        let other = self.terms.not(same_object);
        self.terms.or(&[other, same_offset, before, after])
    }

    /// Slots with an element in the first bytes behind a pointer, and where it begins.
    fn pieces_of(&self, region: RegionId, bytes: u64, strict: bool) -> Exec<Vec<(usize, u64)>> {
        let of = &self.regions[region];
        let mut out = Vec::new();
        for (number, slot) in of.slots.iter().enumerate() {
            match slot.layout {
                Layout::Bytes | Layout::Mixed => out.extend(
                    (0..bytes)
                        .filter(|k| {
                            of.slot(Position::START.field(8 * k).sized(8), Scalar::Bits) == Some(number)
                        })
                        .map(|k| (number, k)),
                ),
                Layout::Typed(..) | Layout::Word => {
                    let size = match slot.layout {
                        Layout::Typed(_, size) => size,
                        _ => u64::from(self.pointer_bits()),
                    };
                    for first in of.elements(number, 8 * bytes).ok_or(Unmodelled)? {
                        match first + size <= 8 * bytes {
                            true => out.push((number, first / 8)),
                            false if strict => return Err(Unmodelled),
                            false => {}
                        }
                    }
                }
            }
        }
        Ok(out)
    }

    /// The new block of `realloc` begins like the old one, up to the old one's end. Its other bytes hold anything.
    fn keep_contents(
        &mut self,
        flow: &mut Flow,
        new: Block,
        old: Block,
        size: TermId,
        old_size: TermId,
    ) -> Exec<()> {
        let known = |terms: &tour_logic::term::Terms, size| terms.as_bv(size).map(|size| size.value);
        let least = match (known(self.terms, size), known(self.terms, old_size)) {
            (Some(a), Some(b)) if a.min(b) <= MAX_BYTES => a.min(b) as u64,
            (Some(a), _) | (_, Some(a)) => a.min(u128::from(SOME_BYTES)) as u64,
            (None, None) => SOME_BYTES,
        };
        let null = self.number(NULL);
        let was_null = self.terms.eq(old.object, null);
        let Ok(pieces) = self.pieces_of(new.region, least, false) else { return Ok(()) };
        let before = flow.clone();
        for (slot, first) in pieces {
            let width = match self.regions[new.region].slots[slot].layout {
                Layout::Typed(_, bits) => bits.div_ceil(8),
                Layout::Word => u64::from(self.pointer_bits() / 8),
                Layout::Bytes | Layout::Mixed => 1,
            };
            let by = self.terms.bv(self.pointer_bits(), u128::from(first));
            let end = self.terms.bv(self.pointer_bits(), u128::from(first + width));
            let has = self.terms.bv_ule(end, old_size);
            let from = self.terms.bv_add(old.offset, by);
            let target = self.index_of(new.region, slot, new.object, by);
            let source = self.index_of(new.region, slot, old.object, from);
            let arrays = self.arrays(new.region, slot)?;
            let written = match &arrays.marks {
                Some((cell, sort)) => {
                    let marks = self.get(&before, cell, *sort);
                    let mark = self.pick(marks, source);
                    let all = self.full(self.terms.sort(mark));
                    self.terms.eq(mark, all)
                }
                None => self.terms.yes(),
            };
            let marks = arrays.marks.as_ref().map(|(cell, _)| cell.clone());
            for (cell, sort) in arrays.all() {
                let earlier = self.get(&before, &cell, sort);
                let (kept, any) = (self.pick(earlier, source), self.pick(earlier, target));
                let stays = if Some(&cell) == marks.as_ref() { has } else { self.terms.and2(has, written) };
                let lost = self.terms.not(stays);
                let lost = self.terms.or2(lost, was_null);
                let value = self.terms.ite(lost, any, kept);
                let array = self.get(flow, &cell, sort);
                let array = self.with(array, target, value);
                self.put(flow, cell, array);
            }
        }
        Ok(())
    }

    fn transfer(&mut self, flow: &mut Flow, to: Block, from: Block, bytes: u64, strict: bool) -> Exec<()> {
        self.may_write(to.region, to.object);
        let before = flow.clone();
        for (slot, first, stretch) in self.stretches_of(to.region, bytes, strict)? {
            let by = self.terms.bv(self.pointer_bits(), u128::from(first));
            let (to_offset, from_offset) =
                (self.terms.bv_add(to.offset, by), self.terms.bv_add(from.offset, by));
            let target = self.index_of(to.region, slot, to.object, to_offset);
            let source = self.index_of(to.region, slot, from.object, from_offset);
            for (cell, sort) in self.arrays(to.region, slot)?.all() {
                let old = self.get(&before, &cell, sort);
                let array = self.get(flow, &cell, sort);
                let array = match sort {
                    Sort::Array { index, .. } if stretch > 1 => {
                        let stretch = self.terms.bv(index, u128::from(stretch));
                        self.terms.splice(array, old, target, source, stretch)
                    }
                    _ => {
                        let value = self.pick(old, source);
                        self.with(array, target, value)
                    }
                };
                self.put(flow, cell, array);
            }
        }
        Ok(())
    }

    /// The same pieces with how many bytes each stretches over: many pieces of a slot are one, since no other pieces of
    /// the slot begin between them.
    fn stretches_of(&self, region: RegionId, bytes: u64, strict: bool) -> Exec<Vec<(usize, u64, u64)>> {
        let mut by_slot: BTreeMap<usize, Vec<u64>> = BTreeMap::new();
        for (slot, first) in self.pieces_of(region, bytes, strict)? {
            by_slot.entry(slot).or_default().push(first);
        }
        let stretches = by_slot.into_iter().flat_map(|(slot, firsts)| {
            let ends = firsts.iter().min().zip(firsts.iter().max());
            match ends.filter(|_| firsts.len() > ONE_BY_ONE) {
                Some((least, most)) => vec![(slot, *least, most - least + 1)],
                None => firsts.iter().map(|first| (slot, *first, 1)).collect(),
            }
        });
        Ok(stretches.collect())
    }

    fn fill(&mut self, flow: &mut Flow, to: Block, bytes: u64, strict: bool, byte: TermId) -> Exec<()> {
        self.may_write(to.region, to.object);
        if self.is_all_of(to.region, to.offset, bytes) {
            return self.fill_only_object(flow, to.region, byte);
        }
        for (slot, first, stretch) in self.stretches_of(to.region, bytes, strict)? {
            let index = self.index_of_byte(to.region, slot, (to.object, to.offset), first);
            self.fill_slot(flow, (to.region, slot), index, u128::from(stretch), byte)?;
        }
        Ok(())
    }

    /// Pieces of a slot that begin in `count` bytes from an index on consist of this byte.
    fn fill_slot(
        &mut self,
        flow: &mut Flow,
        (region, slot): (RegionId, usize),
        index: TermId,
        stretch: u128,
        byte: TermId,
    ) -> Exec<()> {
        let layout = self.regions[region].slots[slot].layout;
        let arrays = self.arrays(region, slot)?;
        let mut pieces = Vec::new();
        for (cell, sort) in arrays.cells {
            let value = self.made_of(layout, sort, byte)?;
            pieces.push((cell, sort, value));
        }
        if let Some((cell, sort)) = arrays.marks {
            let element = Self::element_sort(sort)?;
            let all = self.full(element);
            pieces.push((cell, sort, all));
        }
        for (cell, sort, value) in pieces {
            let array = self.get(flow, &cell, sort);
            let array = match (sort, self.regions[region].index(slot)) {
                (Sort::Array { index: bits, .. }, Index::Offset | Index::Both) if stretch > 1 => {
                    let (all, stretch) = (self.terms.const_array(bits, value), self.terms.bv(bits, stretch));
                    self.terms.splice(array, all, index, index, stretch)
                }
                _ => self.with(array, index, value),
            };
            self.put(flow, cell, array);
        }
        Ok(())
    }

    /// What a cell of a slot holds for an element all of whose bytes are this one.
    fn made_of(&mut self, layout: Layout, sort: Sort, byte: TermId) -> Exec<TermId> {
        let zeros = self.terms.as_bv(byte).is_some_and(|b| b.value == 0);
        Ok(match layout {
            _ if zeros => {
                let element = Self::element_sort(sort)?;
                self.zero(element)
            }
            Layout::Bytes | Layout::Mixed => self.as_element(layout, byte),
            Layout::Typed(Scalar::Bits, size) => {
                let mut value = byte;
                while u64::from(self.terms.width(value)) < size {
                    value = self.terms.concat(byte, value);
                }
                self.terms.resize(value, size as u32, false)
            }
            Layout::Typed(..) | Layout::Word => return Err(Unmodelled),
        })
    }

    /// `count` bytes at an offset are all of the only object of a region.
    pub(super) fn is_all_of(&self, region: RegionId, offset: TermId, bytes: u64) -> bool {
        let start = self.terms.as_bv(offset).is_some_and(|offset| offset.value == 0);
        start && self.regions[region].is_sole() && self.regions[region].size == Some(bytes)
    }

    /// All bytes of the only object of a region are this one.
    pub(super) fn fill_only_object(&mut self, flow: &mut Flow, region: RegionId, byte: TermId) -> Exec<()> {
        for slot in 0..self.regions[region].slots.len() {
            let layout = self.regions[region].slots[slot].layout;
            let arrays = self.arrays(region, slot)?;
            for (cell, sort) in arrays.cells {
                let element = self.made_of(layout, sort, byte)?;
                let all = match sort {
                    Sort::Array { index, .. } => self.terms.const_array(index, element),
                    _ => element,
                };
                self.put(flow, cell, all);
            }
            if let Some((cell, sort)) = arrays.marks {
                let all = self.full(sort);
                self.put(flow, cell, all);
            }
        }
        Ok(())
    }
}
