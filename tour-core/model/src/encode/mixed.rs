//! Bytes that are both pointers and something else ([`Layout::Mixed`]): each knows what it is a piece of.
//!
//! An element of such a slot has three parts: an object, the number of the piece, and the byte. A byte of a number has
//! object [`NULL`]. A pointer is stored as its pieces, each with the pointer's object and with a byte of its offset; where
//! all its pieces are read together, in their order, the pointer is there again. A number that is made of pieces of pointers can
//! be anything, and a pointer that is made of anything else than all of its pieces, or of an address next to zero, is null or
//! unknown: what is done with it then is an obligation that fails.

use super::expr::Eval;
use super::memory::{Storage, access_bytes};
use super::path::Path;
use super::place::Resolved;
use super::{Demand, Encode, Encoder};
use crate::regions::{Layout, MIXED_BITS, NULL, OBJECT_BITS, PIECE_BITS, UNKNOWN};
use tour_logic::term::{Sort, TermId, Terms};

/// Where the object begins in an element.
const OBJECT: u32 = 8 + PIECE_BITS;

/// A byte of a number, as an element.
fn plain(terms: &mut Terms, byte: TermId) -> TermId {
    terms.zero_ext(byte, MIXED_BITS - 8)
}

/// The byte of an element, if that is no piece of a pointer; `any` otherwise.
fn number(terms: &mut Terms, element: TermId, any: TermId) -> TermId {
    let object = terms.extract(element, MIXED_BITS - 1, OBJECT);
    let null = terms.bv(OBJECT_BITS, u128::from(NULL));
    let of_number = terms.eq(object, null);
    let byte = terms.extract(element, 7, 0);
    terms.ite(of_number, byte, any)
}

impl Encoder<'_> {
    /// A byte as an element of a slot of bytes.
    pub(super) fn byte_element(terms: &mut Terms, layout: Layout, byte: TermId) -> TermId {
        match layout {
            Layout::Mixed => plain(terms, byte),
            Layout::Bytes | Layout::Word | Layout::Typed(..) => byte,
        }
    }

    /// The number that an element of a slot of bytes is.
    pub(super) fn byte_number(
        &mut self,
        terms: &mut Terms,
        path: &mut Path,
        layout: Layout,
        element: TermId,
    ) -> TermId {
        if layout != Layout::Mixed {
            return element;
        }
        let any = self.anything(terms, path, Sort::BitVec(8));
        number(terms, element, any)
    }

    /// An element of one slot of bytes that goes to another. Pieces of pointers stay what they are only where both slots
    /// hold pointers to the same objects.
    pub(super) fn carry_over(
        &mut self,
        terms: &mut Terms,
        path: &mut Path,
        (from, to): (Storage, Storage),
        element: TermId,
    ) -> TermId {
        if from.layout == to.layout && from.content == to.content {
            return element;
        }
        let byte = self.byte_number(terms, path, from.layout, element);
        Self::byte_element(terms, to.layout, byte)
    }

    /// Stores a pointer as its pieces.
    pub(super) fn store_pieces(
        &mut self,
        terms: &mut Terms,
        path: &mut Path,
        storage: Storage,
        (object, offset): (TermId, TermId),
        pointer: TermId,
    ) {
        let bits = self.pointer_bits();
        let to = terms.extract(pointer, bits + OBJECT_BITS - 1, bits);
        let mut writes = Vec::with_capacity(bits as usize / 8);
        for k in 0..bits / 8 {
            let by = terms.bv(bits, u128::from(k));
            let place = terms.bv_add(offset, by);
            let index = self.element_index(terms, storage, object, place);
            let (number, byte) =
                (terms.bv(PIECE_BITS, u128::from(k)), terms.extract(pointer, 8 * k + 7, 8 * k));
            let piece = terms.concat(number, byte);
            writes.push((index, terms.concat(to, piece)));
        }
        self.write(terms, path, storage.base, &writes);
    }
}

impl Eval<'_, '_> {
    /// A number in bytes that may be pieces of pointers.
    pub(super) fn byte_number(&mut self, layout: Layout, element: TermId) -> TermId {
        if layout != Layout::Mixed {
            return element;
        }
        let any = self.anything(Sort::BitVec(8));
        number(self.terms, element, any)
    }

    /// The pointer that the elements at a place are the pieces of.
    pub(super) fn load_pieces(
        &mut self,
        storage: Storage,
        at: &Resolved,
        object: TermId,
        offset: TermId,
    ) -> Encode<TermId> {
        let bits = self.encoder.pointer_bits();
        let whole = self.ssa.value(self.terms, storage.base);
        let (mut first, mut address) = (None, None);
        let (mut intact, mut plain) = (Vec::new(), Vec::new());
        for k in 0..access_bytes(self.encoder, at) {
            let by = self.terms.bv(bits, u128::from(k));
            let place = self.terms.bv_add(offset, by);
            let index = self.encoder.element_index(self.terms, storage, object, place);
            let element = Encoder::element_of(self.terms, whole, index);
            let object = self.terms.extract(element, MIXED_BITS - 1, OBJECT);
            let (number, byte) =
                (self.terms.extract(element, OBJECT - 1, 8), self.terms.extract(element, 7, 0));
            let k = self.terms.bv(PIECE_BITS, u128::from(k));
            let same = *first.get_or_insert(object);
            intact.extend([self.terms.eq(number, k), self.terms.eq(object, same)]);
            plain.push(self.is_object(object, NULL));
            address = Some(match address {
                Some(below) => self.terms.concat(byte, below),
                None => byte,
            });
        }
        let (Some(first), Some(address)) = (first, address) else {
            return super::unsupported("memory", "an access to nothing");
        };
        let (intact, plain) = (self.terms.and(&intact), self.terms.and(&plain));
        let moves = storage.content.is_some_and(|region| self.encoder.regions[region].stride != 0);
        let zero = self.terms.bv(bits, 0);
        // Null, or what else is no object.
        let near = match moves {
            true => self.no_object_at(address),
            false => self.terms.eq(address, zero),
        };
        // What is written nowhere is lost: a pointer there must not be one that leads somewhere.
        if storage.content.is_none_or(|region| self.encoder.regions[region].is_nowhere()) {
            let address = self.terms.and2(plain, near);
            let known = self.terms.or2(intact, address);
            self.require(Demand::Address, known);
        }
        let null = self.encoder.object(self.terms, NULL);
        let unknown = self.encoder.object(self.terms, UNKNOWN);
        // Bytes of addresses that nobody knows can be zeros.
        let (any, one) = (self.anything(Sort::BitVec(1)), self.terms.bv(1, 1));
        let is_null = self.terms.eq(any, one);
        let wild = self.terms.ite(is_null, null, unknown);
        let of_number = self.terms.ite(near, null, unknown);
        let other = self.terms.ite(intact, first, wild);
        let object = self.terms.ite(plain, of_number, other);
        self.known_pointer(storage.content, object);
        let known = self.terms.or2(intact, plain);
        let offset = match moves {
            true => self.terms.ite(known, address, zero),
            false => zero,
        };
        Ok(self.terms.concat(object, offset))
    }
}
