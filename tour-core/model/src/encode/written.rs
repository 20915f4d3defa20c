//! What was written: where checks ask for it, marks stand beside the scalars, one bit for each, or eight for a byte.
//!
//! A new object's marks are anything, as its contents are. That is as good as none: the more marks are set the less is
//! violated, and the program does not look at them.

use super::cell::Leaf;
use super::expr::Eval;
use super::memory::{Storage, access_bytes};
use super::path::Path;
use super::place::{Resolved, Root};
use super::{Encode, Encoder, unsupported};
use crate::regions::Holder;
use tour_ir::program::{ExprId, ExprKind, TypeId};
use tour_logic::term::{Sort, TermId, Terms};

/// What holds an lvalue.
fn holder(at: &Resolved) -> Holder {
    match at.root {
        Root::Cells { var, .. } => Holder::Var(var),
        Root::Memory { region, .. } => Holder::Region(region),
    }
}

impl Encoder<'_> {
    /// What was written of an lvalue is followed.
    pub(super) fn follows(&self, at: &Resolved) -> bool {
        self.regions.written().is_followed(holder(at))
    }

    /// All marks are set.
    pub(super) fn all_marks(terms: &mut Terms, sort: Sort) -> TermId {
        match sort {
            Sort::BitVec(bits) => terms.bv(bits, u128::MAX),
            Sort::Array { index, elem } => {
                let all = Self::all_marks(terms, elem.sort());
                terms.const_array(index, all)
            }
            Sort::Bool | Sort::Int | Sort::Float(_) => terms.yes(),
        }
    }

    /// All of some cells was written, or one element of them.
    pub(super) fn mark_leaf(&self, terms: &mut Terms, path: &mut Path, leaf: &Leaf, index: Option<TermId>) {
        let Some(base) = leaf.written else { return };
        let sort = terms.base(base).sort;
        let marks = match (index, sort) {
            (Some(index), Sort::Array { elem, .. }) => {
                let all = Self::all_marks(terms, elem.sort());
                let old = path.ssa.value(terms, base);
                terms.store(old, index, all)
            }
            _ => Self::all_marks(terms, sort),
        };
        self.replace(terms, path, base, marks);
    }

    /// The marks of cells that are copied.
    pub(super) fn marks_of(
        &mut self,
        terms: &mut Terms,
        path: &mut Path,
        leaf: &Leaf,
        index: Option<TermId>,
    ) -> TermId {
        let whole = match leaf.written {
            Some(base) => path.ssa.value(terms, base),
            None => {
                let bit = Sort::BitVec(1);
                let sort = match (leaf.array, bit.as_elem()) {
                    (true, Some(elem)) => Sort::Array { index: self.pointer_bits(), elem },
                    _ => bit,
                };
                let var = self.cell_of(leaf.base).and_then(|cell| cell.variable());
                match var.is_some_and(|var| !self.regions.written().may_be_unset(Holder::Var(var))) {
                    true => Self::all_marks(terms, sort),
                    false => self.anything(terms, path, sort),
                }
            }
        };
        match index {
            Some(index) => terms.select(whole, index),
            None => whole,
        }
    }

    /// All of an element of a slot was written.
    pub(super) fn mark_element(&self, terms: &mut Terms, path: &mut Path, storage: Storage, index: TermId) {
        let Some(base) = storage.written else { return };
        let bits = if storage.layout.is_bytes() { 8 } else { 1 };
        let all = terms.bv(bits, u128::MAX);
        self.write(terms, path, base, &[(index, all)]);
    }

    /// All of the only object of a region was written.
    pub(super) fn mark_sole(&mut self, terms: &mut Terms, path: &mut Path, at: &Resolved) -> Encode<()> {
        let Root::Memory { region, .. } = at.root else { return Ok(()) };
        if !self.regions[region].is_sole() {
            return Ok(());
        }
        for slot in 0..self.regions[region].slots.len() {
            if let Some(base) = self.storage(terms, region, slot)?.written {
                let all = Self::all_marks(terms, terms.base(base).sort);
                self.replace(terms, path, base, all);
            }
        }
        Ok(())
    }

    /// A scalar was written, or just if `set` holds.
    pub(super) fn mark(
        &mut self,
        terms: &mut Terms,
        path: &mut Path,
        at: &Resolved,
        set: Option<TermId>,
    ) -> Encode<()> {
        if !self.follows(at) {
            return Ok(());
        }
        let set = set.unwrap_or_else(|| terms.yes());
        let marks = |terms: &mut Terms, bits: u32| {
            let (all, none) = (terms.bv(bits, u128::MAX), terms.bv(bits, 0));
            terms.ite(set, all, none)
        };
        let (region, object, offset) = match &at.root {
            Root::Cells { var, instance, fields, index } => {
                let (ty, width) = (at.ty, at.width());
                let leaf = self.leaf(terms, *var, *instance, fields, at.at, ty, width, index.is_some())?;
                let Some(base) = leaf.written else { return Ok(()) };
                let mut value = marks(terms, 1);
                if let Some(index) = *index {
                    let old = path.ssa.value(terms, base);
                    value = terms.store(old, index, value);
                }
                self.replace(terms, path, base, value);
                return Ok(());
            }
            Root::Memory { region, object, offset, .. } => (*region, *object, *offset),
        };
        let Some(slot) = self.slot_number(region, at)? else { return Ok(()) };
        let storage = self.storage(terms, region, slot)?;
        let Some(base) = storage.written.filter(|_| storage.read) else { return Ok(()) };
        if !storage.layout.is_bytes() {
            let index = self.element_index(terms, storage, object, offset);
            let value = marks(terms, 1);
            self.write(terms, path, base, &[(index, value)]);
            return Ok(());
        }
        let value = marks(terms, 8);
        for (k, mask) in byte_masks(self, at) {
            let by = terms.bv(self.pointer_bits(), u128::from(k));
            let place = terms.bv_add(offset, by);
            let index = self.element_index(terms, storage, object, place);
            let mut byte = value;
            if mask != 0xff {
                let whole = path.ssa.value(terms, base);
                let old = Self::element_of(terms, whole, index);
                let (own, others) = (terms.bv(8, mask), terms.bv(8, 0xff & !mask));
                let (kept, new) = (terms.bv_and(old, others), terms.bv_and(value, own));
                byte = terms.bv_or(kept, new);
            }
            self.write(terms, path, base, &[(index, byte)]);
        }
        Ok(())
    }
}

/// The bytes that a scalar touches, each with its bits in it.
fn byte_masks(encoder: &Encoder, at: &Resolved) -> Vec<(u64, u128)> {
    let bytes = access_bytes(encoder, at);
    let bits = match at.bits {
        Some(bits) => ((1u128 << bits.width) - 1) << bits.offset,
        None => u128::MAX,
    };
    (0..bytes).map(|k| (k, bits >> (8 * k) & 0xff)).collect()
}

impl Eval<'_, '_> {
    /// Whether all that a load reads was written, as a number.
    pub(super) fn is_written(&mut self, load: ExprId, ty: TypeId) -> Encode<TermId> {
        let ExprKind::Load(place) = self.encoder.program.exprs[load].kind else {
            return unsupported("memory", "whether a value was written");
        };
        let Sort::BitVec(bits) = self.encoder.sort(ty)? else {
            return unsupported("type", "whether a value was written, in this type");
        };
        let at = self.resolve(place)?;
        let holds = self.written(&at)?;
        let (one, zero) = (self.terms.bv(bits, 1), self.terms.bv(bits, 0));
        Ok(self.terms.ite(holds, one, zero))
    }

    /// All of a scalar was written.
    pub(super) fn written(&mut self, at: &Resolved) -> Encode<TermId> {
        if let Root::Memory { region, object, offset, unchecked: true } = at.root {
            let bytes = access_bytes(self.encoder, at);
            self.require_readable(region, object, offset, bytes);
        }
        if !self.encoder.regions.written().may_be_unset(holder(at)) {
            return Ok(self.terms.yes());
        }
        if !self.encoder.follows(at) {
            let bit = self.anything(Sort::BitVec(1));
            let one = self.terms.bv(1, 1);
            return Ok(self.terms.eq(bit, one));
        }
        let (marks, all) = match &at.root {
            Root::Cells { var, instance, fields, index } => {
                let (ty, width) = (at.ty, at.width());
                let leaf = self.encoder.leaf(
                    self.terms,
                    *var,
                    *instance,
                    fields,
                    at.at,
                    ty,
                    width,
                    index.is_some(),
                )?;
                let Some(base) = leaf.written else { return Ok(self.terms.yes()) };
                let whole = self.ssa.value(self.terms, base);
                let mark = match *index {
                    Some(index) => self.terms.select(whole, index),
                    None => whole,
                };
                (vec![mark], 1)
            }
            Root::Memory { region, .. } if self.encoder.regions[*region].is_nowhere() => {
                return Ok(self.terms.yes());
            }
            Root::Memory { region, object, offset, .. } => {
                let storage = self.encoder.slot_of(self.terms, *region, at)?;
                let Some(base) = storage.written else { return Ok(self.terms.yes()) };
                let whole = self.ssa.value(self.terms, base);
                if storage.layout.is_bytes() {
                    let mut marks = Vec::new();
                    for (k, mask) in byte_masks(self.encoder, at) {
                        let by = self.terms.bv(self.encoder.pointer_bits(), u128::from(k));
                        let place = self.terms.bv_add(*offset, by);
                        let index = self.encoder.element_index(self.terms, storage, *object, place);
                        let byte = Encoder::element_of(self.terms, whole, index);
                        let others = self.terms.bv(8, 0xff & !mask);
                        marks.push(self.terms.bv_or(byte, others));
                    }
                    (marks, 8)
                } else {
                    let index = self.encoder.element_index(self.terms, storage, *object, *offset);
                    (vec![Encoder::element_of(self.terms, whole, index)], 1)
                }
            }
        };
        let all = self.terms.bv(all, u128::MAX);
        let set: Vec<TermId> = marks.into_iter().map(|mark| self.terms.eq(mark, all)).collect();
        Ok(self.terms.and(&set))
    }
}
