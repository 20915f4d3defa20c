//! What was written, where checks ask for it: marks beside the values. Those of new objects are anything.

use super::place::{Cells, Spot, Where};
use super::{Exec, Executor, Flow, Unmodelled};
use tour_ir::program::{ExprId, ExprKind};
use tour_logic::term::{Sort, TermId};
use tour_model::regions::{Holder, RegionId};

fn holder(spot: &Spot) -> Holder {
    match spot.lies {
        Where::Cells { var, .. } => Holder::Var(var),
        Where::Memory { region, .. } => Holder::Region(region),
    }
}

impl Executor<'_> {
    pub(super) fn is_followed(&self, spot: &Spot) -> bool {
        self.regions.written().is_followed(holder(spot))
    }

    pub(super) fn may_be_unset(&self, spot: &Spot) -> bool {
        self.regions.written().may_be_unset(holder(spot))
    }

    /// Whatever it is.
    pub(super) fn nobody_knows(&mut self) -> TermId {
        let (bit, one) = (self.anything(Sort::BitVec(1)), self.terms.bv(1, 1));
        self.terms.eq(bit, one)
    }

    /// A value of all one bits.
    pub(super) fn full(&mut self, sort: Sort) -> TermId {
        match sort {
            Sort::Array { index, elem } => {
                let all = self.full(elem.sort());
                self.terms.const_array(index, all)
            }
            Sort::BitVec(bits) => self.terms.bv(bits, u128::MAX),
            Sort::Bool | Sort::Int | Sort::Float(_) => self.terms.yes(),
        }
    }

    /// Whether all that a load reads was written.
    pub(super) fn reads_what_was_written(
        &mut self,
        flow: &Flow,
        load: ExprId,
        instance: u32,
    ) -> Exec<TermId> {
        let ExprKind::Load(place) = self.program.exprs[load].kind else { return Err(Unmodelled) };
        let spot = self.spot(flow, place, instance)?;
        self.confirm_read(flow, &spot)?;
        self.was_written(flow, &spot)
    }

    /// All of a scalar was written.
    pub(super) fn was_written(&mut self, flow: &Flow, spot: &Spot) -> Exec<TermId> {
        if !self.may_be_unset(spot) {
            return Ok(self.terms.yes());
        }
        if !self.is_followed(spot) {
            return Ok(self.nobody_knows());
        }
        let (region, object, offset) = match spot.lies {
            Where::Cells { index, .. } => {
                let (cell, sort) = self.cells(spot, false)?.marks.ok_or(Unmodelled)?;
                let marks = self.get(flow, &cell, sort);
                let mark = match index {
                    Some(index) => self.terms.select(marks, index),
                    None => marks,
                };
                return Ok(self.is_full(mark));
            }
            Where::Memory { region, object, offset, .. } => (region, object, offset),
        };
        if self.regions[region].is_nowhere() {
            return Ok(self.terms.yes());
        }
        let slot = self.slot(spot, region)?;
        self.may_read(region, slot)?;
        let Cells { marks, .. } = self.arrays(region, slot)?;
        let (cell, sort) = marks.ok_or(Unmodelled)?;
        let marks = self.get(flow, &cell, sort);
        if !self.regions[region].slots[slot].layout.is_bytes() {
            let index = self.index_of(region, slot, object, offset);
            let mark = self.pick(marks, index);
            return Ok(self.is_full(mark));
        }
        let mut set = Vec::new();
        for (byte, bits) in self.bits_by_byte(spot)? {
            let index = self.index_of_byte(region, slot, (object, offset), byte);
            let (mark, own) = (self.pick(marks, index), self.terms.bv(8, bits));
            let mark = self.terms.bv_and(mark, own);
            set.push(self.terms.eq(mark, own));
        }
        Ok(self.terms.and(&set))
    }

    fn is_full(&mut self, mark: TermId) -> TermId {
        let all = self.full(Sort::BitVec(self.terms.width(mark)));
        self.terms.eq(mark, all)
    }

    /// The bytes of a scalar, each with the bits of it that are the scalar's.
    fn bits_by_byte(&self, spot: &Spot) -> Exec<Vec<(u64, u128)>> {
        let bytes = self.bytes_of(spot)?;
        let own = |bit: u64| match spot.bits {
            Some(bits) => (bits.offset..bits.offset + u64::from(bits.width)).contains(&bit),
            None => true,
        };
        let bits = |byte: u64| (0..8).filter(|i| own(8 * byte + i)).map(|i| 1u128 << i).sum();
        Ok((0..bytes).map(|byte| (byte, bits(byte))).collect())
    }

    /// A scalar counts as written just if `set` holds.
    pub(super) fn mark_scalar(&mut self, flow: &mut Flow, spot: &Spot, set: TermId) -> Exec<()> {
        if !self.is_followed(spot) {
            return Ok(());
        }
        let (region, object, offset) = match spot.lies {
            Where::Cells { index, .. } => {
                let (cell, sort) = self.cells(spot, false)?.marks.ok_or(Unmodelled)?;
                let mut mark = self.marks(set, 1);
                if let Some(index) = index {
                    let old = self.get(flow, &cell, sort);
                    mark = self.terms.store(old, index, mark);
                }
                self.put(flow, cell, mark);
                return Ok(());
            }
            Where::Memory { region, object, offset, .. } => (region, object, offset),
        };
        let Ok(slot) = self.slot(spot, region) else { return Ok(()) };
        let (cell, sort) = self.arrays(region, slot)?.marks.ok_or(Unmodelled)?;
        let mut marks = self.get(flow, &cell, sort);
        if self.regions[region].slots[slot].layout.is_bytes() {
            let all = self.marks(set, 8);
            for (byte, bits) in self.bits_by_byte(spot)? {
                let index = self.index_of_byte(region, slot, (object, offset), byte);
                let (own, others) = (self.terms.bv(8, bits), self.terms.bv(8, 0xff ^ bits));
                let old = self.pick(marks, index);
                let (kept, new) = (self.terms.bv_and(old, others), self.terms.bv_and(all, own));
                let mark = self.terms.bv_or(kept, new);
                marks = self.with(marks, index, mark);
            }
        } else {
            let index = self.index_of(region, slot, object, offset);
            let mark = self.marks(set, 1);
            marks = self.with(marks, index, mark);
        }
        self.put(flow, cell, marks);
        Ok(())
    }

    fn marks(&mut self, set: TermId, bits: u32) -> TermId {
        let (all, none) = (self.terms.bv(bits, u128::MAX), self.terms.bv(bits, 0));
        self.terms.ite(set, all, none)
    }

    /// If there is only one object in a region, all of it was written.
    pub(super) fn mark_only_object(&mut self, flow: &mut Flow, region: RegionId) {
        if !self.regions[region].is_sole() {
            return;
        }
        for slot in 0..self.regions[region].slots.len() {
            if let Ok(Cells { marks: Some((cell, sort)), .. }) = self.arrays(region, slot) {
                let all = self.full(sort);
                self.put(flow, cell, all);
            }
        }
    }
}
