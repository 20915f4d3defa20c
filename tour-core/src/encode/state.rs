//! What can be said of the pointers of a state: the parts of invariants about memory.

use super::Encoder;
use super::cell::{Cell, Part};
use super::expr::Eval;
use super::path::Ssa;
use crate::regions::{Index, Layout, RegionId, Scalar};
use crate::term::{BaseId, TermId, Terms};

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
    /// Sizes of what is accessed there, in bytes.
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
        let (facts, obligations) = (self.facts.len(), self.obligations.len());
        let (size, alive) = {
            let (ssa, mut side, mut fresh) = (Ssa::default(), Vec::new(), Vec::new());
            let (side, fresh) = (&mut side, &mut fresh);
            let mut eval = Eval { encoder: self, terms, ssa: &ssa, instance: 0, side, fresh };
            (eval.size(region, object), eval.alive(region, object))
        };
        // Formulas about a state have instance 0 of everything.
        let [size, alive] = [size, alive].map(|term| terms.rename(term, |symbol| symbol.with_index(0)));
        self.facts.truncate(facts);
        self.obligations.truncate(obligations);
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
        units.sort_unstable();
        units.dedup();
        Some(PointerState { region, object, offset, size, alive, last, units })
    }
}
