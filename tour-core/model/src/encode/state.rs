//! What can be said of the pointers of a state: the parts of invariants about memory.

use super::Encoder;
use super::cell::{Cell, Part};
use super::expr::Eval;
use super::path::Ssa;
use crate::regions::{Index, Layout, RegionId, Scalar};
use tour_logic::term::{BaseId, Sort, TermId, Terms};

/// A pointer variable and what it points to, as terms over a state.
#[derive(Clone, Debug)]
pub struct PointerState {
    /// Where it points.
    pub region: RegionId,
    /// The object.
    pub object: TermId,
    /// The offset in bytes.
    pub offset: TermId,
    /// The size of the object in bytes.
    pub size: TermId,
    /// The object is alive.
    pub alive: TermId,
    /// The last element of the object, for each kind of element that is a byte.
    pub last: Vec<TermId>,
    /// Sizes of what is accessed there, and of what pointers there move by, in bytes.
    pub units: Vec<u64>,
}

impl Encoder<'_> {
    /// The pointer that a declared variable is the object of; `None` if it is something else.
    pub fn pointer_state(&mut self, terms: &mut Terms, base: BaseId) -> Option<PointerState> {
        let (region, offset) = match *self.cell_of(base)? {
            Cell::Var { var, instance, part: Part::Object, .. } => {
                let mut leaves = self.leaves_of(terms, var, instance).ok()?.into_iter();
                let leaf = leaves.find(|leaf| leaf.base == base)?;
                (leaf.pointer.flatten().filter(|_| !leaf.array)?, leaf.offset)
            }
            Cell::Slot { region, slot, part: Part::Object } => {
                if self.regions[region].index(slot as usize) != Index::Nothing {
                    return None;
                }
                let content = self.regions[region].slots[slot as usize].content?;
                (content, self.storage(terms, region, slot as usize).ok()?.offset)
            }
            _ => return None,
        };
        let object = terms.var(base, 0);
        let offset = match offset {
            Some(offset) => terms.var(offset, 0),
            None => terms.bv(self.pointer_bits(), 0),
        };
        let size = self.of_state(terms, |eval| eval.size(region, object));
        let alive = self.of_state(terms, |eval| eval.alive(region, object));
        let (mut last, mut units) = (Vec::new(), vec![1]);
        for slot in 0..self.regions[region].slots.len() {
            let layout = self.regions[region].slots[slot].layout;
            let bits = match layout {
                Layout::Typed(_, bits) => bits,
                Layout::Word => u64::from(self.pointer_bits()),
                Layout::Bytes => 8,
                Layout::Mixed => continue,
            };
            units.push(bits.div_ceil(8));
            let byte = matches!(layout, Layout::Bytes | Layout::Typed(Scalar::Bits, 8));
            if byte && let Ok(storage) = self.storage(terms, region, slot) {
                let one = terms.bv(self.pointer_bits(), 1);
                let end = terms.bv_sub(size, one);
                let index = self.element_index(terms, storage, object, end);
                let array = terms.var(storage.base, 0);
                last.push(Self::element_of(terms, array, index));
            }
        }
        // A slice without the accesses still has the arithmetic.
        units.extend(Some(self.regions[region].stride).filter(|stride| *stride > 0));
        units.sort_unstable();
        units.dedup();
        Some(PointerState { region, object, offset, size, alive, last, units })
    }

    /// A term over a state: it has instance 0 of everything.
    fn of_state(&mut self, terms: &mut Terms, make: impl FnOnce(&mut Eval) -> TermId) -> TermId {
        let (facts, obligations) = (self.facts.len(), self.obligations.len());
        let (ssa, mut side, mut fresh) = (Ssa::default(), Vec::new(), Vec::new());
        let (side, fresh) = (&mut side, &mut fresh);
        let term = make(&mut Eval { encoder: self, terms, ssa: &ssa, instance: 0, side, fresh });
        self.facts.truncate(facts);
        self.obligations.truncate(obligations);
        terms.rename(term, |symbol| symbol.with_index(0))
    }

    /// The regions in which a program makes any number of objects that hold pointers or are pointed to by such.
    pub fn linked_regions(&self) -> Vec<RegionId> {
        let linked = |id: &RegionId| {
            let of = &self.regions[*id];
            let holds = |(i, slot): (usize, &crate::regions::Slot)| {
                slot.content.is_some() && matches!(of.index(i), Index::Object | Index::Both)
            };
            of.grows && !of.is_sole() && of.slots.iter().enumerate().any(holds)
        };
        self.regions.regions.indices().filter(linked).collect()
    }

    /// The numbers that the first and the next new object of a region get.
    pub fn new_objects(&mut self, terms: &mut Terms, region: RegionId) -> (TermId, TermId) {
        let (first, counter) = (self.regions[region].first_new(), self.counter(terms, region));
        (self.object(terms, first), terms.var(counter, 0))
    }

    /// An object of a region, and what is in it.
    pub fn object_state(&mut self, terms: &mut Terms, region: RegionId, object: TermId) -> ObjectState {
        let alive = self.of_state(terms, |eval| eval.alive(region, object));
        let mut state = ObjectState { region, object, alive, links: Vec::new(), values: Vec::new() };
        for slot in 0..self.regions[region].slots.len() {
            let Ok(storage) = self.storage(terms, region, slot) else { continue };
            for offset in self.places(region, slot) {
                let offset = terms.bv(self.pointer_bits(), u128::from(offset));
                let index = self.element_index(terms, storage, object, offset);
                let mut read = |base: BaseId| {
                    let whole = terms.var(base, 0);
                    Self::element_of(terms, whole, index)
                };
                let value = read(storage.base);
                match self.regions[region].slots[slot].content {
                    Some(to)
                        if storage.layout == Layout::Typed(Scalar::Pointer, self.pointer_bits().into()) =>
                    {
                        let alive = self.of_state(terms, |eval| eval.alive(to, value));
                        state.links.push(Link { to, object: value, alive });
                    }
                    _ if matches!(terms.sort(value), Sort::BitVec(8..))
                        && storage.read
                        && storage.layout != Layout::Mixed =>
                    {
                        state.values.push((storage.base, value));
                    }
                    _ => {}
                }
            }
        }
        state
    }

    /// Where the elements of a slot begin in an object, in bytes, if each object has few of them.
    fn places(&self, region: RegionId, slot: usize) -> Vec<u64> {
        let of = &self.regions[region];
        match of.index(slot) {
            Index::Object => vec![0],
            Index::Both if matches!(of.slots[slot].layout, Layout::Typed(..) | Layout::Word) => {
                let max = self.limits.max_field_offset;
                let bits = of.size.map_or(max, |bytes| bytes.min(max)) * 8;
                let found = of.elements(slot, bits).unwrap_or_default();
                found.into_iter().map(|bit| bit / 8).take(self.limits.max_fields).collect()
            }
            Index::Both | Index::Offset | Index::Nothing => Vec::new(),
        }
    }
}

/// An object and what is in it, as terms over a state.
#[derive(Clone, Debug)]
pub struct ObjectState {
    /// Its region.
    pub region: RegionId,
    /// Its number.
    pub object: TermId,
    /// It is alive.
    pub alive: TermId,
    /// The pointers in it.
    pub links: Vec<Link>,
    /// The numbers in it, and the arrays that hold them.
    pub values: Vec<(BaseId, TermId)>,
}

/// A pointer in an object.
#[derive(Clone, Copy, Debug)]
pub struct Link {
    /// The region that it points into.
    pub to: RegionId,
    /// The object that it points to.
    pub object: TermId,
    /// That object is alive.
    pub alive: TermId,
}
