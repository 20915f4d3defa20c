//! Padding: the bytes of a record that belong to none of its members. A store to the record or to a member of it gives them
//! any value (C11 6.2.6.1p6).

use super::path::Path;
use super::place::Resolved;
use super::{Encode, Encoder};
use tour_ir::program::{PlaceId, PlaceKind};
use tour_logic::term::{Sort, Terms};

impl Encoder<'_> {
    /// After a store to a place, the padding of the records that it is a part of has any value.
    pub(super) fn spoil_padding(
        &mut self,
        terms: &mut Terms,
        path: &mut Path,
        place: PlaceId,
        instance: u32,
    ) -> Encode<()> {
        let program = self.program;
        if self.initialising || !self.has_bytes {
            return Ok(());
        }
        let mut part = place;
        while let PlaceKind::Field(base, _) | PlaceKind::Index(base, _) = program.places[part].kind {
            let field = matches!(program.places[part].kind, PlaceKind::Field(..));
            if field && program.types.value_bytes(program.places[base].ty).is_some() {
                let record = self.eval(terms, path, instance, |e| e.resolve(base))?;
                self.blur_padding(terms, path, &record)?;
            }
            part = base;
        }
        Ok(())
    }

    /// The padding of a record has any value, where it can be read.
    pub(super) fn blur_padding(&mut self, terms: &mut Terms, path: &mut Path, at: &Resolved) -> Encode<()> {
        let Some((region, object, offset)) = Self::in_memory(&at.root) else { return Ok(()) };
        if self.initialising || !self.regions[region].slots.iter().any(|slot| slot.layout.is_bytes()) {
            return Ok(());
        }
        let Some(used) = self.program.types.value_bytes(at.ty) else { return Ok(()) };
        let padding: Vec<u64> = (0..).zip(used).filter(|(_, used)| !used).map(|(byte, _)| byte).collect();
        if padding.len() > 8 * self.limits.max_copied_scalars {
            return self.blur(terms, path, at);
        }
        for byte in padding {
            let Some(slot) = self.byte_slot(region, at.at, byte) else { continue };
            let storage = self.storage(terms, region, slot)?;
            let by = terms.bv(self.pointer_bits(), u128::from(byte));
            let offset = terms.bv_add(offset, by);
            let index = self.element_index(terms, storage, object, offset);
            let any = self.anything(terms, path, Sort::BitVec(8));
            let any = Self::byte_element(terms, storage.layout, any);
            self.write(terms, path, storage.base, &[(index, any)]);
        }
        Ok(())
    }
}
