//! Bytes that are both pointers and something else: an element is an object, the number of a piece, and a byte. Where the
//! object is null, the byte is one of a number; otherwise it is that piece of the offset of a pointer to the object.

use super::place::Cells;
use super::{Exec, Executor, Flow, Unmodelled};
use tour_logic::term::{Sort, TermId};
use tour_model::regions::{Layout, MIXED_BITS, NULL, OBJECT_BITS, PIECE_BITS, RegionId, UNKNOWN};

/// An element, taken apart.
struct Piece {
    object: TermId,
    number: TermId,
    byte: TermId,
}

impl Executor<'_> {
    fn piece(&mut self, element: TermId) -> Piece {
        let object = self.terms.extract(element, MIXED_BITS - 1, MIXED_BITS - OBJECT_BITS);
        let number = self.terms.extract(element, 7 + PIECE_BITS, 8);
        Piece { object, number, byte: self.terms.extract(element, 7, 0) }
    }

    /// What a byte of a number is in a slot of bytes.
    pub(super) fn as_element(&mut self, layout: Layout, byte: TermId) -> TermId {
        if layout == Layout::Mixed { self.terms.resize(byte, MIXED_BITS, false) } else { byte }
    }

    /// The byte that an element of a slot of bytes is for a number. What pieces of pointers are, nobody knows.
    pub(super) fn as_byte(&mut self, layout: Layout, element: TermId) -> TermId {
        if layout != Layout::Mixed {
            return element;
        }
        let piece = self.piece(element);
        let known = self.is_number(piece.object, NULL);
        let any = self.anything(Sort::BitVec(8));
        self.terms.ite(known, piece.byte, any)
    }

    /// What becomes of an element that is copied from one slot of bytes to another. Objects have numbers in their region, so
    /// that a piece of a pointer goes over only where both hold pointers into the same one.
    pub(super) fn as_copied(
        &mut self,
        (from_region, from): (RegionId, usize),
        (to_region, to): (RegionId, usize),
        element: TermId,
    ) -> TermId {
        let (source, target) = (&self.regions[from_region].slots[from], &self.regions[to_region].slots[to]);
        let (source_layout, target_layout) = (source.layout, target.layout);
        if source_layout == target_layout && source.content == target.content {
            return element;
        }
        let byte = self.as_byte(source_layout, element);
        self.as_element(target_layout, byte)
    }

    /// The pieces that a pointer is stored as, the lowest first.
    pub(super) fn take_apart(&mut self, pointer: TermId) -> Vec<TermId> {
        let (object, offset) = self.halves(pointer);
        let mut pieces = Vec::new();
        for k in 0..self.pointer_bits() / 8 {
            let byte = self.terms.extract(offset, 8 * k + 7, 8 * k);
            let number = self.terms.bv(PIECE_BITS, u128::from(k));
            let above = self.terms.concat(object, number);
            pieces.push(self.terms.concat(above, byte));
        }
        pieces
    }

    /// The pointer that all its pieces make, in their order; that zeros make, or an address where no object is; or, if it is made
    /// of anything else, one that is null or unknown.
    pub(super) fn put_together(&mut self, flow: &Flow, cells: &Cells, elements: &[TermId]) -> Exec<TermId> {
        let pieces: Vec<Piece> = elements.iter().map(|element| self.piece(*element)).collect();
        let first = pieces.first().ok_or(Unmodelled)?.object;
        let (mut whole, mut number, mut address) = (Vec::new(), Vec::new(), None);
        for (k, piece) in pieces.iter().enumerate() {
            let k = self.terms.bv(PIECE_BITS, k as u128);
            whole.push(self.terms.eq(piece.number, k));
            whole.push(self.terms.eq(piece.object, first));
            number.push(self.is_number(piece.object, NULL));
            address = Some(match address {
                None => piece.byte,
                Some(low) => self.terms.concat(piece.byte, low),
            });
        }
        let address = address.ok_or(Unmodelled)?;
        let (whole, number) = (self.terms.and(&whole), self.terms.and(&number));
        let moves = cells.content.is_some_and(|region| self.regions[region].stride != 0);
        let zero = self.terms.bv(self.pointer_bits(), 0);
        let no_object = if moves {
            let far = self.is_far(address);
            self.terms.not(far)
        } else {
            self.terms.eq(address, zero)
        };
        // Whoever writes nowhere writes to no object.
        if cells.content.is_none_or(|region| self.regions[region].is_nowhere()) {
            let address = self.terms.and2(number, no_object);
            let known = self.terms.or2(whole, address);
            self.oblige(known);
        }
        let (null, unknown) = (self.number(NULL), self.number(UNKNOWN));
        let any = self.anything(Sort::BitVec(OBJECT_BITS));
        let wild = self.terms.bv_ule(any, unknown);
        self.facts.push(wild);
        let made = self.terms.ite(no_object, null, unknown);
        let kept = self.terms.ite(whole, first, any);
        let object = self.terms.ite(number, made, kept);
        if !moves {
            return Ok(self.assemble(flow, cells.content, &[object]));
        }
        let known = self.terms.or2(whole, number);
        let offset = self.terms.ite(known, address, zero);
        Ok(self.assemble(flow, cells.content, &[object, offset]))
    }
}
