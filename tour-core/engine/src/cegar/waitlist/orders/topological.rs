//! Callees before their callers go on.

use super::{Key, Ordering, Waiting, inner_first};

pub struct Topological;

impl Ordering for Topological {
    fn name(&self) -> &'static str {
        "topological"
    }

    fn help(&self) -> &'static str {
        "Callees first, then reverse post order"
    }

    fn key(&self, state: &Waiting) -> Key {
        (state.rank.recursion.into(), inner_first(&state.rank))
    }

    fn is_by_location(&self) -> bool {
        true
    }
}
