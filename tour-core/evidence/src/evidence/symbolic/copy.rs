//! Records and arrays as wholes: copying, clearing, forgetting.

use super::place::{Spot, Where};
use super::{Exec, Executor, Flow, Unmodelled};
use tour_ir::program::{ArrayLen, ExprId, ExprKind, PlaceId, PlaceKind, RecordKind, Type};
use tour_logic::term::{Sort, TermId};
use tour_model::regions::{RegionId, Scalar, UNKNOWN};

/// Larger objects are not taken apart.
const MAX_PARTS: usize = 300;

impl Executor<'_> {
    /// The cells of a part of a variable: each spot with `true` if it stands for all elements of an array. `None` if
    /// it has no such cells.
    fn cell_parts(&self, spot: &Spot) -> Exec<Option<Vec<(Spot, bool)>>> {
        let Where::Cells { index, .. } = &spot.lies else { return Ok(None) };
        let in_array = index.is_some();
        let mut out = Vec::new();
        let mut work = vec![(spot.clone(), false)];
        while let Some((spot, array)) = work.pop() {
            match &self.program.types[spot.ty] {
                Type::Array(..) if in_array => return Ok(None),
                Type::Array(of, _) => work.push((Spot { ty: of.ty, ..spot }, true)),
                Type::Record(id) => {
                    let record = &self.program.types.records[*id];
                    if record.kind == RecordKind::Union && record.fields.len() > 1 {
                        return Err(Unmodelled);
                    }
                    for (i, field) in record.fields.iter().enumerate().rev() {
                        let mut part = spot.clone();
                        if let Where::Cells { fields, .. } = &mut part.lies {
                            fields.push(i as u32);
                        }
                        part.at = part.at.field(field.offset * 8);
                        part.ty = field.ty.ty;
                        part.bits = field.bits;
                        work.push((part, array));
                    }
                }
                _ => out.push((spot, array)),
            }
        }
        Ok(Some(out))
    }

    /// The scalars of a spot, elements of arrays one by one.
    fn scalars(&mut self, flow: &Flow, spot: &Spot) -> Exec<Vec<Spot>> {
        let mut out = Vec::new();
        let mut work = vec![spot.clone()];
        while let Some(mut spot) = work.pop() {
            if let Where::Memory { sure, .. } = &mut spot.lies {
                *sure = true;
            }
            if out.len() + work.len() > 4 * MAX_PARTS {
                return Err(Unmodelled);
            }
            match &self.program.types[spot.ty] {
                Type::Array(_, ArrayLen::Fixed(n)) => {
                    if *n > MAX_PARTS as u64 {
                        return Err(Unmodelled);
                    }
                    for i in (0..*n).rev() {
                        let index = self.terms.bv(self.pointer_bits(), u128::from(i));
                        work.push(self.element(flow, spot.clone(), index, i == 0, 0)?);
                    }
                }
                Type::Array(_, ArrayLen::Unknown) => {}
                Type::Array(_, ArrayLen::Variable(_)) => return Err(Unmodelled),
                Type::Record(id) => {
                    for i in (0..self.program.types.records[*id].fields.len() as u32).rev() {
                        work.push(self.field(spot.clone(), i)?);
                    }
                }
                _ => out.push(spot),
            }
        }
        Ok(out)
    }

    /// The slot that holds byte `k` of a spot as a byte.
    fn byte_slot(&self, spot: &Spot, k: u64) -> Option<(RegionId, usize)> {
        let region = self.region_of(spot)?;
        let of = &self.regions[region];
        let slot = of.slot(spot.at.field(8 * k).sized(8), Scalar::Bits)?;
        of.slots[slot].layout.is_bytes().then_some((region, slot))
    }

    fn is_bytes(&self, spot: &Spot) -> bool {
        self.region_of(spot).is_some_and(|region| {
            self.slot(spot, region).is_ok_and(|slot| self.regions[region].slots[slot].layout.is_bytes())
        })
    }

    /// The object is in memory and too large to be taken apart.
    fn is_large(&self, spot: &Spot) -> Option<RegionId> {
        let region = self.region_of(spot)?;
        let size = self.program.types.size(spot.ty);
        size.is_none_or(|size| size > MAX_PARTS as u64).then_some(region)
    }

    /// Any value goes there; it is written, or counts as never written.
    pub(super) fn forget(&mut self, flow: &mut Flow, spot: Spot, set: bool) -> Exec<()> {
        if let Some(region) = self.is_large(&spot) {
            self.forget_region(flow, region);
            if set {
                self.mark_only_object(flow, region);
            }
            return Ok(());
        }
        let parts = match self.cell_parts(&spot)? {
            Some(parts) => parts,
            None => self.scalars(flow, &spot)?.into_iter().map(|s| (s, false)).collect(),
        };
        for (part, array) in parts {
            if array {
                let cells = self.cells(&part, true)?;
                let marks = cells.marks.clone().filter(|_| set);
                for (cell, sort) in cells.all() {
                    let any = self.anything(sort);
                    self.put(flow, cell, any);
                }
                if let Some((cell, sort)) = marks {
                    let all = self.full(sort);
                    self.put(flow, cell, all);
                }
                continue;
            }
            let sort = self.sort(part.ty)?;
            let any = self.anything(sort);
            if self.is_pointer(part.ty) {
                // Null, or what is no object of its region.
                let (object, _) = self.halves(any);
                let unknown = self.number(UNKNOWN);
                let wild = self.terms.bv_ule(object, unknown);
                self.facts.push(wild);
            }
            let written = if set { self.terms.yes() } else { self.terms.no() };
            self.set_as(flow, &part, any, written)?;
        }
        Ok(())
    }

    /// All bits of it are zero.
    pub(super) fn clear(&mut self, flow: &mut Flow, spot: Spot) -> Exec<()> {
        if let Some(region) = self.is_large(&spot) {
            if let (Where::Memory { offset, .. }, Some(size)) =
                (&spot.lies, self.program.types.object_size(spot.ty))
                && self.is_all_of(region, *offset, size)
            {
                let byte = self.terms.bv(8, 0);
                if self.fill_only_object(flow, region, byte).is_ok() {
                    return self.any_padding(flow, &spot);
                }
            }
            self.forget_region(flow, region);
            self.mark_only_object(flow, region);
            return Ok(());
        }
        if let Some(parts) = self.cell_parts(&spot)? {
            for (part, array) in parts {
                if array {
                    let cells = self.cells(&part, true)?;
                    for (cell, sort) in cells.cells {
                        let zero = self.zero(sort);
                        self.put(flow, cell, zero);
                    }
                    if let Some((cell, sort)) = cells.marks {
                        let all = self.full(sort);
                        self.put(flow, cell, all);
                    }
                } else {
                    let sort = self.sort(part.ty)?;
                    let zero = self.zero(sort);
                    self.set(flow, &part, zero)?;
                }
            }
            return Ok(());
        }
        let size = self.program.types.object_size(spot.ty).ok_or(Unmodelled)?;
        let (zero, all) = (self.terms.bv(8, 0), self.terms.bv(8, 0xff));
        for k in 0..size {
            let Some((region, slot)) = self.byte_slot(&spot, k) else { continue };
            let zero = self.as_element(self.regions[region].slots[slot].layout, zero);
            self.put_byte(flow, &spot, k, zero, all)?;
        }
        for scalar in self.scalars(flow, &spot)? {
            if !self.is_bytes(&scalar) {
                let sort = self.sort(scalar.ty)?;
                let zero = self.zero(sort);
                self.set(flow, &scalar, zero)?;
            }
        }
        self.any_padding(flow, &spot)
    }

    /// The bytes of a record in memory that belong to no member get any value.
    pub(super) fn any_padding(&mut self, flow: &mut Flow, spot: &Spot) -> Exec<()> {
        let Some(used) = self.program.types.value_bytes(spot.ty).filter(|_| !self.initialising) else {
            return Ok(());
        };
        let Some(region) = self.region_of(spot) else { return Ok(()) };
        if used.len() > 8 * MAX_PARTS {
            self.forget_region(flow, region);
            return Ok(());
        }
        for (k, _) in (0..).zip(used).filter(|(_, used)| !used) {
            let Some((region, slot)) = self.byte_slot(spot, k) else { continue };
            let any = self.anything(Sort::BitVec(8));
            let any = self.as_element(self.regions[region].slots[slot].layout, any);
            let index = self.byte_index(spot, (region, slot), k)?;
            let (cell, sort) = self.arrays(region, slot)?.cells[0].clone();
            let array = self.get(flow, &cell, sort);
            let array = self.with(array, index, any);
            self.put(flow, cell, array);
        }
        Ok(())
    }

    /// After a store to a place, what lies between the members of the records around it has any value.
    pub(super) fn any_padding_around(&mut self, flow: &mut Flow, place: PlaceId, instance: u32) -> Exec<()> {
        let program = self.program;
        if !self.regions.has_bytes() {
            return Ok(());
        }
        let mut inner = place;
        while let PlaceKind::Field(outer, _) | PlaceKind::Index(outer, _) = program.places[inner].kind {
            let field = matches!(program.places[inner].kind, PlaceKind::Field(..));
            if field && program.types.value_bytes(program.places[outer].ty).is_some() {
                let spot = self.spot(flow, outer, instance)?;
                self.any_padding(flow, &spot)?;
            }
            inner = outer;
        }
        Ok(())
    }

    /// Writes the element that is byte `k` of a spot, and its marks, if it lies in memory as a byte.
    fn put_byte(&mut self, flow: &mut Flow, spot: &Spot, k: u64, value: TermId, marks: TermId) -> Exec<()> {
        let Some((region, slot)) = self.byte_slot(spot, k) else { return Ok(()) };
        let index = self.byte_index(spot, (region, slot), k)?;
        for ((cell, sort), value) in self.arrays(region, slot)?.all().zip([value, marks]) {
            let array = self.get(flow, &cell, sort);
            let array = self.with(array, index, value);
            self.put(flow, cell, array);
        }
        Ok(())
    }

    fn byte_index(&mut self, spot: &Spot, (region, slot): (RegionId, usize), k: u64) -> Exec<TermId> {
        let Where::Memory { object, offset, .. } = spot.lies else { return Err(Unmodelled) };
        Ok(self.index_of_byte(region, slot, (object, offset), k))
    }

    pub(super) fn copy(&mut self, flow: &mut Flow, to: Spot, from: Spot) -> Exec<()> {
        let before = flow.clone();
        if let (Some(targets), Some(sources)) = (self.cell_parts(&to)?, self.cell_parts(&from)?)
            && targets.len() == sources.len()
            && targets.iter().zip(&sources).all(|(a, b)| a.1 == b.1)
        {
            for ((to, array), (from, _)) in targets.into_iter().zip(sources) {
                if array {
                    let (targets, sources) = (self.cells(&to, true)?, self.cells(&from, true)?);
                    for ((to, sort), (from, same)) in targets.cells.into_iter().zip(sources.cells) {
                        if sort != same {
                            return Err(Unmodelled);
                        }
                        let value = self.get(&before, &from, sort);
                        self.put(flow, to, value);
                    }
                    if let Some((cell, sort)) = targets.marks {
                        let marks = match sources.marks {
                            Some((from, _)) => self.get(&before, &from, sort),
                            None if self.may_be_unset(&from) => self.anything(sort),
                            None => self.full(sort),
                        };
                        self.put(flow, cell, marks);
                    }
                } else {
                    let set = self.was_written(&before, &from)?;
                    let value = self.load(&before, &from)?;
                    self.set_as(flow, &to, value, set)?;
                }
            }
            return Ok(());
        }
        let (targets, sources) = (self.scalars(flow, &to)?, self.scalars(flow, &from)?);
        if targets.len() != sources.len() {
            return Err(Unmodelled);
        }
        // Bytes on both sides go over as they are.
        let size = self.program.types.size(to.ty).ok_or(Unmodelled)?;
        for k in 0..size {
            let (Some(target), Some((region, slot))) = (self.byte_slot(&to, k), self.byte_slot(&from, k))
            else {
                continue;
            };
            self.may_read(region, slot)?;
            let index = self.byte_index(&from, (region, slot), k)?;
            let arrays = self.arrays(region, slot)?;
            let (cell, sort) = &arrays.cells[0];
            let array = self.get(&before, cell, *sort);
            let value = self.pick(array, index);
            let value = self.as_copied((region, slot), target, value);
            let marks = match arrays.marks {
                Some((cell, sort)) => {
                    let array = self.get(&before, &cell, sort);
                    self.pick(array, index)
                }
                None if self.may_be_unset(&from) => self.anything(Sort::BitVec(8)),
                None => self.terms.bv(8, 0xff),
            };
            self.put_byte(flow, &to, k, value, marks)?;
        }
        for (to, from) in targets.iter().zip(&sources) {
            if !(self.is_bytes(to) && self.is_bytes(from)) {
                let set = self.was_written(&before, from)?;
                let value = self.load(&before, from)?;
                self.set_as(flow, to, value, set)?;
            }
        }
        self.any_padding(flow, &to)
    }

    pub(super) fn store(&mut self, flow: &mut Flow, to: Spot, value: ExprId, instance: u32) -> Exec<()> {
        if self.program.types.is_scalar(to.ty) {
            if self.is_pointer(to.ty) != self.is_pointer(self.program.exprs[value].ty) {
                return Err(Unmodelled);
            }
            let value = self.value(flow, value, instance)?;
            self.confirm(flow, &to)?;
            return self.set(flow, &to, value);
        }
        self.confirm(flow, &to)?;
        match self.program.exprs[value].kind {
            ExprKind::Zeroed => self.clear(flow, to),
            ExprKind::Load(from) => {
                let from = self.spot(flow, from, instance)?;
                self.confirm(flow, &from)?;
                self.copy(flow, to, from)
            }
            _ => Err(Unmodelled),
        }
    }

    /// The sort of the elements of an array.
    pub(super) fn element_sort(sort: Sort) -> Exec<Sort> {
        match sort {
            Sort::Array { elem, .. } => Ok(elem.sort()),
            Sort::BitVec(_) | Sort::Float(_) => Ok(sort),
            Sort::Bool | Sort::Int => Err(Unmodelled),
        }
    }
}
