//! Breadth first.

use super::{Key, Ordering, Waiting};

pub struct Bfs;

impl Ordering for Bfs {
    fn name(&self) -> &'static str {
        "bfs"
    }

    fn help(&self) -> &'static str {
        "The oldest state"
    }

    fn key(&self, state: &Waiting) -> Key {
        (state.pushed, 0)
    }
}
