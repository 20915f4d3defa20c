//! Storing: scalars, records and arrays as wholes, zeros, and any value at all.

use super::cell::Leaf;
use super::expr::Eval;
use super::memory::access_bytes;
use super::path::Path;
use super::place::{Resolved, Root};
use super::{Demand, Encode, Encoder, unsupported};
use crate::regions::{Holder, Position, RegionId, Scalar};
use tour_ir::program::{ArrayLen, ExprId, ExprKind, PlaceId, PlaceKind, Type};
use tour_logic::term::{Sort, TermId, Terms};

impl Encoder<'_> {
    pub(super) fn assign(
        &mut self,
        terms: &mut Terms,
        path: &mut Path,
        place: PlaceId,
        value: ExprId,
        instance: u32,
    ) -> Encode<()> {
        let at = self.eval(terms, path, instance, |e| e.resolve(place))?;
        if let Some(from) = self.program.copied_byte(place, value) {
            let set = self.eval(terms, path, instance, |e| {
                let from = e.resolve(from)?;
                e.written(&from)
            })?;
            self.store(terms, path, &at, value, instance)?;
            self.mark(terms, path, &at, Some(set))?;
            return self.spoil_padding(terms, path, place, instance);
        }
        let carrier = match self.program.places[place].kind {
            PlaceKind::Var(var) if self.regions.carriers().contains(var) => Some(var),
            _ => None,
        };
        let Some(var) = carrier else {
            self.store(terms, path, &at, value, instance)?;
            return self.spoil_padding(terms, path, place, instance);
        };
        let (pointer, frame) = self.eval(terms, path, instance, |e| {
            let pointer = e.integer_pointer(value)?;
            Ok((pointer, e.instance_of(var)))
        })?;
        self.store(terms, path, &at, value, instance)?;
        self.set_origin(terms, path, (var, frame), pointer);
        Ok(())
    }

    /// Stores the value of an expression, which is evaluated in frame `instance`.
    pub(super) fn store(
        &mut self,
        terms: &mut Terms,
        path: &mut Path,
        at: &Resolved,
        value: ExprId,
        instance: u32,
    ) -> Encode<()> {
        if self.program.types.is_scalar(at.ty) {
            if self.is_pointer(at.ty) != self.is_pointer(self.program.exprs[value].ty) {
                return unsupported("call-mismatch", "a pointer in place of a number");
            }
            let value = self.eval(terms, path, instance, |e| {
                let value = e.value(value)?;
                e.check(at)?;
                Ok(value)
            })?;
            return self.store_scalar(terms, path, at, value);
        }
        match self.program.exprs[value].kind {
            ExprKind::Zeroed => {
                self.eval(terms, path, instance, |e| e.check(at))?;
                self.store_zeros(terms, path, at)
            }
            ExprKind::Load(from) => {
                let from = self.eval(terms, path, instance, |e| {
                    let from = e.resolve(from)?;
                    e.check(&from)?;
                    e.check(at)?;
                    Ok(from)
                })?;
                self.copy(terms, path, at, &from)
            }
            _ => unsupported("aggregate", "this record or array as a value"),
        }
    }

    /// Stores a value of the sort of its type.
    pub(super) fn store_scalar(
        &mut self,
        terms: &mut Terms,
        path: &mut Path,
        at: &Resolved,
        value: TermId,
    ) -> Encode<()> {
        self.store_value(terms, path, at, value)?;
        self.mark(terms, path, at, None)
    }

    /// The same, without saying that it was written.
    fn store_value(
        &mut self,
        terms: &mut Terms,
        path: &mut Path,
        at: &Resolved,
        value: TermId,
    ) -> Encode<()> {
        if terms.sort(value) != self.sort(at.ty)? {
            return unsupported("call-mismatch", "a value of another type");
        }
        match &at.root {
            Root::Cells { var, instance, fields, index } => {
                let (ty, width) = (at.ty, at.width());
                let leaf = self.leaf(terms, *var, *instance, fields, at.at, ty, width, index.is_some())?;
                self.store_leaf(terms, path, leaf, *index, value);
                self.set_origin(terms, path, (*var, *instance), None);
                Ok(())
            }
            Root::Memory { region, object, offset, .. } => {
                self.store_memory(terms, path, at, (*region, *object, *offset), value)
            }
        }
    }

    /// A new instance of cells, with `value` in it (or in one element of it).
    fn store_leaf(
        &mut self,
        terms: &mut Terms,
        path: &mut Path,
        leaf: Leaf,
        index: Option<TermId>,
        value: TermId,
    ) {
        let bits = self.pointer_bits();
        let mut parts = Vec::with_capacity(2);
        if leaf.pointer.is_some() {
            let width = terms.width(value);
            parts.push((leaf.base, terms.extract(value, width - 1, bits)));
            if let Some(offset) = leaf.offset {
                parts.push((offset, terms.extract(value, bits - 1, 0)));
            }
        } else {
            let value = match (leaf.bits, terms.sort(value)) {
                (Some(bits), Sort::BitVec(width)) if width > bits => terms.extract(value, bits - 1, 0),
                _ => value,
            };
            parts.push((leaf.base, value));
        }
        for (base, value) in parts {
            let value = match index {
                Some(index) => {
                    let old = path.ssa.value(terms, base);
                    terms.store(old, index, value)
                }
                None => value,
            };
            self.replace(terms, path, base, value);
        }
    }

    fn part(&mut self, terms: &mut Terms, at: &Resolved) -> Encode<Option<Vec<Leaf>>> {
        let Root::Cells { var, instance, fields, index } = &at.root else { return Ok(None) };
        let mut leaves = self.leaves(terms, *var, *instance, fields, at.at, at.ty, index.is_some())?;
        if let ([leaf], Some(bits)) = (&mut leaves[..], at.width()) {
            leaf.bits = Some(bits);
        }
        Ok(Some(leaves))
    }

    /// The element of an array of records. An array inside an array would be a range: it has no index of its own.
    fn whole_index(&self, at: &Resolved) -> Option<Option<TermId>> {
        match &at.root {
            Root::Cells { index: Some(_), .. } if self.contains_array(at.ty) => None,
            Root::Cells { index, .. } => Some(*index),
            Root::Memory { .. } => None,
        }
    }

    fn contains_array(&self, ty: tour_ir::program::TypeId) -> bool {
        let mut work = vec![ty];
        while let Some(ty) = work.pop() {
            match &self.program.types[ty] {
                Type::Array(..) => return true,
                Type::Record(id) => {
                    work.extend(self.program.types.records[*id].fields.iter().map(|f| f.ty.ty));
                }
                _ => {}
            }
        }
        false
    }

    pub(super) fn zero(&self, terms: &mut Terms, sort: Sort) -> Encode<TermId> {
        Ok(match sort {
            Sort::BitVec(bits) => terms.bv(bits, 0),
            Sort::Float(format) => terms.float(format, 0.0),
            Sort::Array { index, elem } => {
                let zero = self.zero(terms, elem.sort())?;
                terms.const_array(index, zero)
            }
            Sort::Bool | Sort::Int => return unsupported("type", "a zero of this type"),
        })
    }

    pub(super) fn store_zeros(&mut self, terms: &mut Terms, path: &mut Path, at: &Resolved) -> Encode<()> {
        if let (Some(index), Some(leaves)) = (self.whole_index(at), self.part(terms, at)?) {
            for leaf in leaves {
                for base in [Some(leaf.base), leaf.offset].into_iter().flatten() {
                    let sort = terms.base(base).sort;
                    let value = match (index, sort) {
                        (Some(index), Sort::Array { elem, .. }) => {
                            let zero = self.zero(terms, elem.sort())?;
                            let old = path.ssa.value(terms, base);
                            terms.store(old, index, zero)
                        }
                        _ => self.zero(terms, sort)?,
                    };
                    self.replace(terms, path, base, value);
                }
                self.mark_leaf(terms, path, &leaf, index);
            }
            return Ok(());
        }
        if let Some((region, _, offset)) = Self::in_memory(&at.root)
            && let Some(size) = self.program.types.object_size(at.ty)
            && self.is_large(at)
            && self.is_whole(terms, region, offset, size)
        {
            let byte = terms.bv(8, 0);
            if self.fill_region(terms, path, region, byte).is_ok() {
                return self.blur_padding(terms, path, at);
            }
        }
        if self.is_large(at) {
            self.blur(terms, path, at)?;
            return self.mark_sole(terms, path, at);
        }
        if let Some((region, object, offset)) = Self::in_memory(&at.root) {
            let size = self.program.types.object_size(at.ty);
            let zero = terms.bv(8, 0);
            if let Some(size) = size {
                self.fill_bytes(terms, path, at.at, (region, object, offset), size, zero)?;
            }
        }
        for scalar in self.scalars(terms, path, at)? {
            if self.is_bytes(&scalar)? {
                continue;
            }
            let sort = self.sort(scalar.ty)?;
            let zero = self.zero(terms, sort)?;
            self.store_scalar(terms, path, &scalar, zero)?;
        }
        self.blur_padding(terms, path, at)
    }

    pub(super) fn copy(
        &mut self,
        terms: &mut Terms,
        path: &mut Path,
        to: &Resolved,
        from: &Resolved,
    ) -> Encode<()> {
        if let (Some(to_index), Some(from_index)) = (self.whole_index(to), self.whole_index(from))
            && let (Some(targets), Some(sources)) = (self.part(terms, to)?, self.part(terms, from)?)
        {
            return self.copy_cells(terms, path, (to_index, targets), (from_index, sources));
        }
        let (targets, sources) = (self.scalars(terms, path, to)?, self.scalars(terms, path, from)?);
        if targets.len() != sources.len() {
            return unsupported("aggregate", "an assignment between different records");
        }
        // Bytes are copied as they are, with those between the scalars.
        let bytes = match (Self::in_memory(&to.root), Self::in_memory(&from.root)) {
            (Some(target), Some(source)) => {
                self.may_write(terms, path, target.0, target.1)?;
                let size = self.program.types.size(to.ty).unwrap_or(0);
                self.read_bytes(terms, path, (to.at, target), (from.at, source), size)?
            }
            _ => Vec::new(),
        };
        let mut values = Vec::with_capacity(sources.len());
        for (target, source) in targets.iter().zip(&sources) {
            let both = self.is_bytes(target)? && self.is_bytes(source)?;
            let follows = self.follows(target);
            values.push(match both {
                true => None,
                false => Some(self.eval(terms, path, 0, |e| {
                    let set = if follows { e.written(source)? } else { e.terms.yes() };
                    Ok((e.load_at(source)?, set))
                })?),
            });
        }
        for (target, value) in targets.iter().zip(values) {
            if let Some((value, set)) = value {
                self.store_value(terms, path, target, value)?;
                self.mark(terms, path, target, Some(set))?;
            }
        }
        for (base, writes) in bytes {
            self.write(terms, path, base, &writes);
        }
        self.blur_padding(terms, path, to)
    }

    fn copy_cells(
        &mut self,
        terms: &mut Terms,
        path: &mut Path,
        (to_index, targets): (Option<TermId>, Vec<Leaf>),
        (from_index, sources): (Option<TermId>, Vec<Leaf>),
    ) -> Encode<()> {
        if targets.len() != sources.len() {
            return unsupported("aggregate", "an assignment between different records");
        }
        let mut values = Vec::with_capacity(sources.len());
        for (target, source) in targets.iter().zip(&sources) {
            let pairs = [(Some(target.base), Some(source.base)), (target.offset, source.offset)];
            for (to, from) in pairs {
                let (Some(to), Some(from)) = (to, from) else { continue };
                let whole = path.ssa.value(terms, from);
                let value = match from_index {
                    Some(index) => terms.select(whole, index),
                    None => whole,
                };
                values.push((to, value));
            }
            if let Some(to) = target.written {
                values.push((to, self.marks_of(terms, path, source, from_index)));
            }
        }
        for (to, value) in values {
            let value = match to_index {
                Some(index) => {
                    let old = path.ssa.value(terms, to);
                    terms.store(old, index, value)
                }
                None => value,
            };
            if terms.sort(value) != terms.base(to).sort {
                return unsupported("aggregate", "an assignment between different records");
            }
            self.replace(terms, path, to, value);
        }
        Ok(())
    }

    /// Any value goes into an lvalue; it is written, or counts as never written.
    pub(super) fn forget(
        &mut self,
        terms: &mut Terms,
        path: &mut Path,
        at: &Resolved,
        set: bool,
    ) -> Encode<()> {
        if let (Some(None), Some(leaves)) = (self.whole_index(at), self.part(terms, at)?) {
            if let Root::Cells { var, instance, .. } = at.root {
                self.set_origin(terms, path, (var, instance), None);
            }
            for leaf in leaves {
                for base in [Some(leaf.base), leaf.offset, leaf.written].into_iter().flatten() {
                    path.ssa.bump(base);
                }
                if set {
                    self.mark_leaf(terms, path, &leaf, None);
                }
                if leaf.pointer.is_some() && !leaf.array {
                    let object = path.ssa.value(terms, leaf.base);
                    self.wild(terms, path, object);
                }
            }
            return Ok(());
        }
        if self.is_large(at) {
            self.blur(terms, path, at)?;
            return if set { self.mark_sole(terms, path, at) } else { Ok(()) };
        }
        for scalar in self.scalars(terms, path, at)? {
            let sort = match scalar.width() {
                Some(bits) => Sort::BitVec(bits),
                None => self.sort(scalar.ty)?,
            };
            let mut value = self.anything(terms, path, sort);
            if self.is_pointer(scalar.ty) {
                let bits = self.pointer_bits();
                let object = terms.extract(value, terms.width(value) - 1, bits);
                self.wild(terms, path, object);
            } else if let (Some(int), Some(_)) = (self.program.types.int_type(scalar.ty), scalar.bits) {
                value = terms.resize(value, int.bits, int.signed);
            }
            self.store_value(terms, path, &scalar, value)?;
            let unset = terms.no();
            self.mark(terms, path, &scalar, (!set).then_some(unset))?;
        }
        Ok(())
    }

    /// An object in memory has too many scalars to write each of them.
    fn is_large(&self, at: &Resolved) -> bool {
        let size = self.program.types.size(at.ty);
        matches!(at.root, Root::Memory { .. })
            && size.is_none_or(|size| size > self.limits.max_copied_scalars as u64)
    }

    /// Nothing is known any more of what the objects of a region hold.
    pub(super) fn blur(&mut self, terms: &mut Terms, path: &mut Path, at: &Resolved) -> Encode<()> {
        let Some((region, ..)) = Self::in_memory(&at.root) else { return Ok(()) };
        for slot in 0..self.regions[region].slots.len() {
            for base in self.storage(terms, region, slot)?.bases() {
                path.ssa.bump(base);
            }
        }
        Ok(())
    }

    /// A pointer with any value is null, or something that is no object of its region.
    fn wild(&mut self, terms: &mut Terms, path: &mut Path, object: TermId) {
        let unknown = self.object(terms, crate::regions::UNKNOWN);
        let fact = terms.bv_ule(object, unknown);
        path.add(terms, fact);
    }

    /// The scalars of an lvalue, one by one, elements of arrays too.
    fn scalars(&mut self, terms: &mut Terms, path: &mut Path, at: &Resolved) -> Encode<Vec<Resolved>> {
        let mut scalars = Vec::new();
        let mut work = vec![at.clone()];
        let index_bits = self.pointer_bits();
        while let Some(at) = work.pop() {
            match &self.program.types[at.ty] {
                Type::Array(of, ArrayLen::Fixed(n)) => {
                    if *n as usize + scalars.len() > self.limits.max_copied_scalars {
                        return unsupported("array", "a large array as a whole");
                    }
                    let of = of.ty;
                    for i in (0..*n).rev() {
                        let index = terms.bv(index_bits, u128::from(i));
                        let array = at.clone();
                        let element = self.eval(terms, path, 0, |e| e.element(array, index, i == 0))?;
                        debug_assert_eq!(element.ty, of);
                        work.push(element);
                    }
                }
                Type::Array(_, ArrayLen::Unknown) => {}
                Type::Array(_, ArrayLen::Variable(_)) => {
                    return unsupported("vla", "a variable-length array as a whole");
                }
                Type::Record(id) => {
                    let fields = self.program.types.records[*id].fields.len() as u32;
                    for field in (0..fields).rev() {
                        let record = at.clone();
                        work.push(self.eval(terms, path, 0, |e| e.field(record, field))?);
                    }
                }
                _ => {
                    if scalars.len() >= self.limits.max_copied_scalars {
                        return unsupported("aggregate", "a large object as a whole");
                    }
                    let mut at = at;
                    if let Root::Memory { unchecked, .. } = &mut at.root {
                        // The whole was checked.
                        *unchecked = false;
                    }
                    scalars.push(at);
                }
            }
        }
        Ok(scalars)
    }

    /// A scalar lies in memory as bytes.
    fn is_bytes(&self, at: &Resolved) -> Encode<bool> {
        let Root::Memory { region, .. } = at.root else { return Ok(false) };
        let Some((kind, size)) = crate::regions::scalar(self.program, at.ty) else { return Ok(false) };
        let size = at.bits.map_or(size, |b| u64::from(b.width));
        let of = &self.regions[region];
        Ok(of.slot(at.at.sized(size), kind).is_some_and(|s| of.slots[s].layout.is_bytes()))
    }

    /// The slot that holds a byte as such, if one does.
    pub(super) fn byte_slot(&self, region: RegionId, at: Position, byte: u64) -> Option<usize> {
        let of = &self.regions[region];
        let slot = of.slot(at.field(byte * 8).sized(8), Scalar::Bits)?;
        of.slots[slot].layout.is_bytes().then_some(slot)
    }

    /// The bytes that lie as bytes on both sides of a copy, as writes to the arrays of the target.
    #[expect(clippy::type_complexity)]
    pub(super) fn read_bytes(
        &mut self,
        terms: &mut Terms,
        path: &mut Path,
        (to_at, to): (Position, (RegionId, TermId, TermId)),
        (from_at, from): (Position, (RegionId, TermId, TermId)),
        size: u64,
    ) -> Encode<Vec<(tour_logic::term::BaseId, Vec<(TermId, TermId)>)>> {
        let mut writes: Vec<(tour_logic::term::BaseId, Vec<(TermId, TermId)>)> = Vec::new();
        let bits = self.pointer_bits();
        for k in 0..size {
            let (Some(target), Some(source)) =
                (self.byte_slot(to.0, to_at, k), self.byte_slot(from.0, from_at, k))
            else {
                continue;
            };
            if k as usize >= 8 * self.limits.max_copied_scalars {
                return unsupported("aggregate", "a large object as a whole");
            }
            let (target, source) = (self.storage(terms, to.0, target)?, self.storage(terms, from.0, source)?);
            let by = terms.bv(bits, u128::from(k));
            let (to_offset, from_offset) = (terms.bv_add(to.2, by), terms.bv_add(from.2, by));
            let from_index = self.element_index(terms, source, from.1, from_offset);
            let index = self.element_index(terms, target, to.1, to_offset);
            let whole = path.ssa.value(terms, source.base);
            let element = Self::element_of(terms, whole, from_index);
            let mut new = vec![(target.base, self.carry_over(terms, path, (source, target), element))];
            if let Some(marks) = target.written {
                let mark = match source.written {
                    Some(source) => {
                        let whole = path.ssa.value(terms, source);
                        Self::element_of(terms, whole, from_index)
                    }
                    None if self.regions.written().may_be_unset(Holder::Region(from.0)) => {
                        self.anything(terms, path, Sort::BitVec(8))
                    }
                    None => terms.bv(8, 0xff),
                };
                new.push((marks, mark));
            }
            for (base, value) in new {
                match writes.iter_mut().find(|(of, _)| *of == base) {
                    Some((_, writes)) => writes.push((index, value)),
                    None => writes.push((base, vec![(index, value)])),
                }
            }
        }
        Ok(writes)
    }

    /// All bytes that lie in memory as such get a value.
    pub(super) fn fill_bytes(
        &mut self,
        terms: &mut Terms,
        path: &mut Path,
        at: Position,
        (region, object, offset): (RegionId, TermId, TermId),
        size: u64,
        value: TermId,
    ) -> Encode<()> {
        let bits = self.pointer_bits();
        if !self.regions[region].slots.iter().any(|s| s.layout.is_bytes()) {
            return Ok(());
        }
        if size as usize > 8 * self.limits.max_copied_scalars {
            return unsupported("aggregate", "a large object as a whole");
        }
        for k in 0..size {
            let Some(slot) = self.byte_slot(region, at, k) else { continue };
            let storage = self.storage(terms, region, slot)?;
            let by = terms.bv(bits, u128::from(k));
            let offset = terms.bv_add(offset, by);
            let index = self.element_index(terms, storage, object, offset);
            let value = Self::byte_element(terms, storage.layout, value);
            self.write(terms, path, storage.base, &[(index, value)]);
            self.mark_element(terms, path, storage, index);
        }
        Ok(())
    }
}

impl Eval<'_, '_> {
    /// An access to all of an lvalue must be inside of a live object.
    pub fn check(&mut self, at: &Resolved) -> Encode<()> {
        let Root::Memory { region, object, offset, unchecked: true } = at.root else { return Ok(()) };
        let bytes = if at.bits.is_some() {
            access_bytes(self.encoder, at)
        } else {
            match self.encoder.program.types.size(at.ty) {
                Some(size) => size,
                None => return unsupported("vla", "an object of unknown size as a whole"),
            }
        };
        // What is written to nowhere is never read again.
        if self.encoder.program.undefined_ends && self.encoder.program.types.is_scalar(at.ty) {
            self.require_readable(region, object, offset, bytes);
        } else {
            self.require_valid(region, object, offset, bytes);
        }
        Ok(())
    }

    /// A product that does not wrap around.
    pub fn product(&mut self, a: TermId, b: TermId) -> Encode<TermId> {
        let bits = self.terms.width(a);
        let (wide_a, wide_b) = (self.terms.zero_ext(a, bits), self.terms.zero_ext(b, bits));
        let wide = self.terms.bv_mul(wide_a, wide_b);
        let low = self.terms.extract(wide, bits - 1, 0);
        let back = self.terms.zero_ext(low, bits);
        let fits = self.terms.eq(wide, back);
        self.require(Demand::Size, fits);
        Ok(self.terms.bv_mul(a, b))
    }
}
