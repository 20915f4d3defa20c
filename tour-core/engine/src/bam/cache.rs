//! The cache: levels by block, reduced state and reduced precision `[BAM]`.

use super::level::{Level, LevelId};
use super::reducer::Reducer;
use super::search::Bam;
use super::unit::Unit;
use index_vec::IndexVec;
use std::collections::BTreeSet;
use std::rc::Rc;
use tour_ir::cfa::CallGraph;
use tour_ir::program::{FnId, Program};
use tour_model::block::{NodeId, Target};

impl<D: Reducer> Bam<'_, '_, D> {
    /// How much precision there is now in a function and those that it calls.
    pub(super) fn precision(&self, function: FnId) -> u64 {
        self.closure[function].iter().map(|f| self.changes[*f]).sum()
    }

    /// The level of a block that is entered in a reduced state: from the cache, or a new one.
    pub(super) fn level_of(&mut self, unit: Unit, entry: NodeId, state: D::State) -> LevelId {
        let key = (unit, state, self.precision(unit.function));
        if let Some(&level) = self.cache.get(&key)
            && (self.use_cache || self.levels[level].open)
        {
            match self.levels[level].has_work() {
                false => self.counts.hits += 1,
                true => self.counts.partial_hits += 1,
            }
            return level;
        }
        self.counts.misses += 1;
        let new = Level::new(unit, key.2, Target::Node(entry), key.1.clone(), self.waitlist.empty());
        let level = self.levels.push(new);
        let root = self.levels[level].root;
        let rank = self.rank(level, root);
        self.levels[level].waitlist.push(root, rank);
        self.cache.insert(key, level);
        level
    }

    /// A level was refined: it stands for the precision that there is now.
    pub(super) fn renew(&mut self, level: LevelId) {
        let of = &self.levels[level];
        let (unit, state) = (of.unit, of.entry().clone());
        let (old, new) = (of.precision, self.precision(unit.function));
        if old == new || level.index() == 0 {
            return;
        }
        self.levels[level].precision = new;
        if self.cache.get(&(unit, state.clone(), old)) == Some(&level) {
            self.cache.remove(&(unit, state.clone(), old));
        }
        self.cache.entry((unit, state, new)).or_insert(level);
    }
}

/// For each function, those that it may call, directly or not, and itself.
pub fn closures(program: &Program, calls: &CallGraph) -> IndexVec<FnId, Rc<[FnId]>> {
    let mut all: IndexVec<FnId, Rc<[FnId]>> = program.functions.iter().map(|_| Vec::new().into()).collect();
    for component in calls.components() {
        let mut below: BTreeSet<FnId> = component.iter().copied().collect();
        for &function in component {
            for (callee, _) in calls.callees(function) {
                below.extend(all[callee].iter());
            }
        }
        let below: Rc<[FnId]> = below.into_iter().collect();
        for &function in component {
            all[function] = below.clone();
        }
    }
    all
}
