//! The bytes of initial values.

use super::{ArrayLen, InitItem, PlaceId, PlaceKind, Program, Type, VarId};

impl Program {
    /// The bytes that a variable with static storage begins with, if all of them are numbers: no addresses, and nothing
    /// that its initialiser computes.
    pub fn initial_bytes(&self, var: VarId) -> Option<Vec<u8>> {
        let mut image = vec![0; usize::try_from(self.types.object_size(self.vars[var].ty.ty)?).ok()?];
        for item in self.vars[var].init.iter().flat_map(|init| &init.items) {
            match item {
                InitItem::Bytes { place, bytes } => {
                    let first = usize::try_from(self.offset_in_variable(*place)?).ok()?;
                    image.get_mut(first..first + bytes.len())?.copy_from_slice(bytes);
                }
                InitItem::Value { place, value } => {
                    let int = self.types.int_type(self.places[*place].ty)?;
                    let size = usize::try_from(self.types.size(self.places[*place].ty)?).ok()?;
                    if self.bit_field(*place).is_some() || int.bits > 128 {
                        return None;
                    }
                    let first = usize::try_from(self.offset_in_variable(*place)?).ok()?;
                    let bits = self.const_value(*value)?.to_le_bytes();
                    image.get_mut(first..first + size)?.copy_from_slice(bits.get(..size)?);
                }
            }
        }
        Some(image)
    }

    /// Where in its variable a place lies, in bytes, if that is constant.
    fn offset_in_variable(&self, place: PlaceId) -> Option<u64> {
        match self.places[place].kind {
            PlaceKind::Var(_) => Some(0),
            PlaceKind::Deref(_) => None,
            PlaceKind::Field(base, index) => {
                let Type::Record(id) = self.types[self.places[base].ty] else { return None };
                let field = self.types.records[id].fields.get(index as usize)?;
                self.offset_in_variable(base)?.checked_add(field.offset)
            }
            PlaceKind::Index(base, index) => {
                let size = self.types.size(self.places[place].ty)?;
                let index = u64::try_from(self.const_value(index)?).ok()?;
                let inside = match self.types.element(self.places[base].ty)?.1 {
                    ArrayLen::Fixed(len) => index < len,
                    ArrayLen::Unknown => true,
                    ArrayLen::Variable(_) => false,
                };
                self.offset_in_variable(base)?.checked_add(size.checked_mul(index)?).filter(|_| inside)
            }
        }
    }
}
