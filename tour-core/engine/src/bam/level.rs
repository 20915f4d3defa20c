//! A block in one state: its abstract reachability graph, and who uses its exits.

use super::unit::Unit;
use crate::cegar::{Arg, ArgId, Waitlist};
use crate::directed::Dist;
use std::collections::{BTreeMap, BTreeSet};
use tour_model::block::Target;

index_vec::define_index_type! {
    /// A block that is analysed in one state.
    pub struct LevelId = u32;
    DEBUG_FORMAT = "level{}";
}

/// The analysis of a block that is entered in one (reduced) state.
pub struct Level<S> {
    /// The block.
    pub unit: Unit,
    /// How much precision there was in the function and those that it calls: part of the cache's key.
    pub precision: u64,
    /// The states reached.
    pub arg: Arg<S>,
    /// Where it begins.
    pub root: ArgId,
    /// States whose successors are to be computed.
    pub waitlist: Waitlist,
    /// States in which the block is left.
    pub exits: Vec<ArgId>,
    /// Calls in its graph, and loops that are entered, with the levels that stand for them.
    pub calls: BTreeMap<ArgId, LevelId>,
    /// The exit of the nested level that a state behind it comes from.
    pub returns: BTreeMap<ArgId, ArgId>,
    /// Calls in other levels (or in this one) that use its exits.
    pub users: BTreeSet<(LevelId, ArgId)>,
    /// Returns that may lead to an error, or to what is not modelled: the call, and the exit of the callee.
    pub doubts: Vec<(ArgId, ArgId)>,
    /// What was left to go after the return from it when its waitlist was put into order.
    pub after: Dist,
    /// It is on the stack.
    pub open: bool,
}

impl<S: Clone> Level<S> {
    /// Nothing is reached but the entry.
    pub fn new(unit: Unit, precision: u64, entry: Target, state: S, waitlist: Waitlist) -> Level<S> {
        let mut arg = Arg::default();
        let root = arg.add(entry, state, None, 0);
        Level {
            unit,
            precision,
            arg,
            root,
            waitlist,
            exits: Vec::new(),
            calls: BTreeMap::new(),
            returns: BTreeMap::new(),
            users: BTreeSet::new(),
            doubts: Vec::new(),
            after: Dist::INFINITE,
            open: false,
        }
    }

    /// Something is left to do.
    pub fn has_work(&self) -> bool {
        !self.waitlist.is_empty() || !self.doubts.is_empty()
    }

    /// The state in which it is entered.
    pub fn entry(&self) -> &S {
        &self.arg.node(self.root).state
    }
}
