//! Objects of pointers that are inputs, which may be one: nobody says that two inputs point to different objects, or that
//! what one points to is not inside of what the other one does.

use super::{RegionId, Regions};

impl Regions {
    /// What is written to the object of an input in this region may change that of another input that is accessed.
    pub fn may_overlap(&self, region: RegionId) -> bool {
        let accessed = |of: &super::Region| of.inputs && !of.positions.is_empty();
        let elsewhere = || self.regions.iter_enumerated().any(|(id, of)| id != region && accessed(of));
        self[region].inputs && (!self[region].is_sole() || elsewhere())
    }
}
