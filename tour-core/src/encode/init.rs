//! The state in which the program begins.

use super::path::Path;
use super::place::Resolved;
use super::step::At;
use super::{Encode, Encoder, unsupported};
use crate::program::{InitItem, Op, PlaceId, PlaceKind, Storage, VarId};
use crate::term::{TermId, Terms};
use rustc_hash::FxHashSet;

impl Encoder<'_> {
    /// The path of a run before its first step: variables with static storage that are mentioned by name get their
    /// initial values. Those that can't be encoded, and those that no unit defines, have any value.
    pub fn initial(&mut self, terms: &mut Terms) -> Path {
        let program = self.program;
        let mut named = FxHashSet::default();
        for place in &program.places {
            if let PlaceKind::Var(var) = place.kind {
                named.insert(var);
            }
        }
        let mut path = Path::default();
        // Places of initialisers are in bounds by construction.
        for &id in &program.globals {
            let known = match program.vars[id].storage {
                Storage::Global { defined } => defined,
                Storage::Static | Storage::StaticLocal(_) | Storage::Literal => true,
                Storage::Param(_) | Storage::Local(_) | Storage::Temp(_) | Storage::Return(_) => false,
            };
            if !known || !named.contains(&id) {
                continue;
            }
            let mut with = path.clone();
            // A variable whose initial value has no encoding keeps any value, as a whole.
            if self.initialise(terms, &mut with, id).is_ok() {
                path = with;
            }
        }
        self.obligations.clear();
        path
    }

    /// Zeros, then the stores of the initialiser.
    fn initialise(&mut self, terms: &mut Terms, path: &mut Path, var: VarId) -> Encode<()> {
        let at = At { function: self.program.entry, instance: 0 };
        let whole = self.whole(var, 0);
        self.store_zeros(terms, path, &whole)?;
        for item in self.program.vars[var].init.iter().flat_map(|i| &i.items) {
            match item {
                InitItem::Value { place, value } => self.op(terms, path, &Op::Assign(*place, *value), at)?,
                InitItem::Bytes { place, bytes } => self.store_bytes(terms, path, *place, bytes)?,
            }
        }
        Ok(())
    }

    fn store_bytes(
        &mut self,
        terms: &mut Terms,
        path: &mut Path,
        place: PlaceId,
        bytes: &[u8],
    ) -> Encode<()> {
        let at = self.eval(terms, path, 0, |e| e.resolve(place))?;
        let Some((of, _)) = self.program.types.element(at.ty) else {
            return unsupported("initialiser", "a string for something that is no array");
        };
        if at.index.is_some() {
            return unsupported("initialiser", "strings inside an array of arrays");
        }
        let index_bits = self.pointer_bits();
        let nth = |terms: &mut Terms, i: usize| -> TermId { terms.bv(index_bits, i as u128) };
        let first = nth(terms, 0);
        let element = Resolved { ty: of.ty, index: Some(first), ..at };
        let leaf = self.eval(terms, path, 0, |e| e.leaf(&element))?;
        for (i, byte) in bytes.iter().enumerate() {
            let (index, value) = (nth(terms, i), terms.bv(8, u128::from(*byte)));
            self.store_leaf(terms, path, leaf, Some(index), value);
        }
        Ok(())
    }
}
