//! Threads of a program, as far as they are known beforehand.

use super::{CheckId, FnId, VarId};
use crate::cfa::{EdgeId, LocId};
use index_vec::IndexVec;
use rustc_hash::FxHashSet;
use std::collections::BTreeMap;

index_vec::define_index_type! {
    /// A thread; the first is the one that runs the entry.
    pub struct ThreadId = u32;
    DEBUG_FORMAT = "thread{}";
}

/// A thread.
#[derive(Clone, Debug)]
pub struct Thread {
    /// What it runs: a copy of the function for this thread alone.
    pub root: FnId,
    /// The variable that takes its argument; a static one, since it is written before the thread begins.
    pub param: Option<VarId>,
    /// The variable that holds what it returns; a static one, since it is read after the thread has ended.
    pub ret: Option<VarId>,
}

/// The threads of a program. A program that creates none has none here: its analyses need not know of threads.
#[derive(Clone, Debug, Default)]
pub struct Threads {
    /// All threads that can be there at the same time.
    pub all: IndexVec<ThreadId, Thread>,
    /// The thread that runs each function; functions of different threads are different.
    pub of: IndexVec<FnId, ThreadId>,
    /// Steps that may race with those of other threads; empty if nobody asks.
    pub races: BTreeMap<EdgeId, CheckId>,
    /// Steps that a machine does not do at once: accesses to more than a word, and stores to bit-fields; with how many
    /// atomic sections lie around them only because they are parts of a word.
    pub torn: BTreeMap<EdgeId, u32>,
    /// The check for deadlocks, if somebody asks.
    pub deadlock: Option<CheckId>,
    /// Where threads wait that can't go on, for that check alone.
    pub blocked_at: FxHashSet<LocId>,
}

impl Threads {
    /// The program has one thread.
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// It matters what threads are about to access at the same time.
    pub fn looks_at_accesses(&self) -> bool {
        !self.races.is_empty() || !self.torn.is_empty()
    }

    /// What the thread of a function runs at its bottom; `entry` in a program with one thread.
    pub fn root_of(&self, function: FnId, entry: FnId) -> FnId {
        match self.of.get(function) {
            Some(&thread) if !self.is_empty() => self.all[thread].root,
            _ => entry,
        }
    }
}
