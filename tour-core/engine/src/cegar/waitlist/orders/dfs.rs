//! Depth first.

use super::{Key, Ordering, Waiting};

pub struct Dfs;

impl Ordering for Dfs {
    fn name(&self) -> &'static str {
        "dfs"
    }

    fn help(&self) -> &'static str {
        "The newest state"
    }

    fn key(&self, _: &Waiting) -> Key {
        (0, 0)
    }
}
