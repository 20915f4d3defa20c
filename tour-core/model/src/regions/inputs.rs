//! Objects of pointers that are inputs, which may be one: nobody says that two inputs point to different objects, or that
//! what one points to is not inside of what the other one does.

use super::{RegionId, Regions};

impl Regions {
    /// What is written to the object of an input in this region may change what is read from that of another input.
    pub fn may_overlap(&self, region: RegionId) -> bool {
        let is_read = |of: &super::Region| of.inputs && of.slots.iter().any(|slot| slot.read);
        let has_others = |id: RegionId| id != region || !self[region].is_sole();
        self[region].inputs && self.regions.iter_enumerated().any(|(id, of)| has_others(id) && is_read(of))
    }
}
