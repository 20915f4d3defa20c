//! The state in which the program begins.

use super::path::Path;
use super::place::{Resolved, Root};
use super::step::At;
use super::{Encode, Encoder, unsupported};
use crate::regions::{Home, Known, RegionId};
use rustc_hash::FxHashSet;
use tour_ir::program::{InitItem, Op, PlaceId, PlaceKind, Storage, VarId};
use tour_logic::term::{TermId, Terms};

impl Encoder<'_> {
    /// The path of a run before its first step: variables with static storage that are mentioned by name get their
    /// initial values. Those that can't be encoded, and those that no unit defines, have any value.
    pub fn initial(&mut self, terms: &mut Terms) -> Path {
        self.initially(terms, Path::default())
    }

    /// The same, on a path that says nothing yet.
    pub fn initially(&mut self, terms: &mut Terms, nothing: Path) -> Path {
        let program = self.program;
        let mut named = FxHashSet::default();
        for place in &program.places {
            if let PlaceKind::Var(var) = place.kind {
                named.insert(var);
            }
        }
        let mut path = nothing.clone();
        self.initialising = true;
        if self.initial_objects(terms, &mut path).is_err() {
            // Only parameters of the entry whose size is unknown: nothing is said of them.
            path = nothing;
        }
        let zeroed = self.zero_regions(terms, &mut path);
        // Places of initialisers are in bounds by construction.
        for &id in &program.globals {
            let known = match program.vars[id].storage {
                Storage::Global { defined } => defined,
                Storage::Static | Storage::StaticLocal(_) | Storage::Literal => true,
                Storage::Param(_) | Storage::Local(_) | Storage::Temp(_) | Storage::Return(_) => false,
            };
            let in_memory = match self.regions.home(id) {
                Home::Cells(_) => None,
                Home::Object(region, _) | Home::Fresh(region) => Some(region),
            };
            let table = in_memory.is_some_and(|region| self.regions.is_table(region));
            let skip = in_memory
                .is_some_and(|region| self.initial_values(region) > self.limits.max_initial_values)
                || table
                || self.regions.is_table_variable(id);
            if !known || !named.contains(&id) && in_memory.is_none() || skip {
                continue;
            }
            let mut with = path.clone();
            let zeroed = in_memory.is_some_and(|region| zeroed.contains(&region));
            // A variable whose initial value has no encoding keeps any value, as a whole.
            match self.initialise(terms, &mut with, id, zeroed) {
                Ok(()) => path = with,
                Err(_) => {
                    if let Ok(at) = self.eval(terms, &mut path, 0, |e| Ok(e.whole(id))) {
                        _ = self.blur(terms, &mut path, &at);
                    }
                }
            }
        }
        self.initialising = false;
        self.take_obligations();
        path
    }

    /// How many values the initialisers of a region's variables have.
    fn initial_values(&self, region: RegionId) -> usize {
        let of = &self.regions[region];
        if !of.slots.iter().any(|s| s.read) {
            return 0;
        }
        (of.known.iter())
            .map(|(known, _)| match known {
                Known::Var(var) => (self.program.vars[*var].init.iter().flat_map(|i| &i.items))
                    .map(|item| match item {
                        InitItem::Value { .. } => 1,
                        InitItem::Bytes { bytes, .. } => bytes.len(),
                    })
                    .sum(),
                Known::Function(_) => 0,
            })
            .sum()
    }

    /// Regions of variables with static storage only begin with zeros everywhere.
    fn zero_regions(&mut self, terms: &mut Terms, path: &mut Path) -> FxHashSet<RegionId> {
        let mut zeroed = FxHashSet::default();
        for region in self.regions.clone().regions.indices() {
            let of = &self.regions[region];
            let defined = of.known.iter().all(|(known, _)| match known {
                Known::Var(var) => self.program.vars[*var].storage != Storage::Global { defined: false },
                Known::Function(_) => true,
            });
            if self.regions.is_table(region)
                || !of.zeroed
                || of.known.is_empty()
                || !defined
                || self.initial_values(region) > self.limits.max_initial_values
            {
                continue;
            }
            zeroed.insert(region);
            for slot in 0..of.slots.len() {
                let of = &self.regions[region].slots[slot];
                if !of.read {
                    continue;
                }
                let Ok(storage) = self.storage(terms, region, slot) else { continue };
                for base in [Some(storage.base), storage.offset].into_iter().flatten() {
                    let Ok(zeros) = self.zero(terms, terms.base(base).sort) else { continue };
                    self.replace(terms, path, base, zeros);
                }
                if let Some(base) = storage.written {
                    let all = Self::all_marks(terms, terms.base(base).sort);
                    self.replace(terms, path, base, all);
                }
            }
        }
        zeroed
    }

    /// Zeros, then the stores of the initialiser.
    fn initialise(&mut self, terms: &mut Terms, path: &mut Path, var: VarId, zeroed: bool) -> Encode<()> {
        let at = At { function: self.program.entry, instance: 0 };
        if !zeroed {
            let whole = self.eval(terms, path, 0, |e| Ok(e.whole(var)))?;
            self.store_zeros(terms, path, &whole)?;
        }
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
        let index_bits = self.pointer_bits();
        let nth = |terms: &mut Terms, i: usize| -> TermId { terms.bv(index_bits, i as u128) };
        let mut writes = Vec::with_capacity(bytes.len());
        let base = match &at.root {
            Root::Cells { index: Some(_), .. } => {
                return unsupported("initialiser", "strings inside an array of arrays");
            }
            Root::Cells { var, instance, fields, index: None } => {
                let leaf = self.leaf(terms, *var, *instance, fields, at.at, of.ty, None, true)?;
                for (i, byte) in bytes.iter().enumerate() {
                    writes.push((nth(terms, i), terms.bv(8, u128::from(*byte))));
                }
                leaf.base
            }
            Root::Memory { region, object, offset, .. } => {
                let element = Resolved { ty: of.ty, ..at.clone() };
                let storage = self.slot_of(terms, *region, &element)?;
                if !storage.read {
                    return Ok(());
                }
                for (i, byte) in bytes.iter().enumerate() {
                    let by = nth(terms, i);
                    let offset = terms.bv_add(*offset, by);
                    let index = self.element_index(terms, storage, *object, offset);
                    let byte = terms.bv(8, u128::from(*byte));
                    writes.push((index, Self::byte_element(terms, storage.layout, byte)));
                }
                storage.base
            }
        };
        if writes.is_empty() {
            return Ok(());
        }
        self.write(terms, path, base, &writes);
        Ok(())
    }
}
