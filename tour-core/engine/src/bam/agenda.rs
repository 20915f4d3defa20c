//! Which level is worked on: the open ones, and of these the ones that the program's entry still uses.

use super::level::LevelId;
use super::reducer::Reducer;
use super::search::Bam;

impl<D: Reducer> Bam<'_, '_, D> {
    /// A level from which nothing leads to the program's entry is not worked on; it stays in the cache.
    pub(super) fn is_live(&mut self, level: LevelId) -> bool {
        if self.live.as_ref().is_none_or(|live| live.len() <= level.index()) {
            let mut live = vec![false; self.levels.len()];
            live[0] = true;
            let mut work = vec![LevelId::new(0)];
            while let Some(level) = work.pop() {
                for &callee in self.levels[level].calls.values() {
                    if !std::mem::replace(&mut live[callee.index()], true) {
                        work.push(callee);
                    }
                }
            }
            self.live = Some(live);
        }
        self.live.as_ref().is_some_and(|live| live[level.index()])
    }

    /// Levels that the program's entry uses.
    pub(super) fn live_levels(&mut self) -> Vec<LevelId> {
        let all: Vec<LevelId> = self.levels.indices().collect();
        all.into_iter().filter(|&level| self.is_live(level)).collect()
    }

    /// The users of levels have changed.
    pub(super) fn users_changed(&mut self) {
        self.live = None;
        // What is dead now may wait under another user.
        for level in self.live_levels() {
            if self.levels[level].has_work() {
                self.wake(level);
            }
        }
    }

    /// The level that goes on: of a directed search the one with the nearest state, or else the one that was opened
    /// last. A level in which nothing is left to do is closed when those that were opened after it are.
    pub(super) fn next_level(&mut self) -> Option<LevelId> {
        let mut nearest: Option<(u64, LevelId)> = None;
        for i in (0..self.stack.len()).rev() {
            let level = self.stack[i];
            if !self.levels[level].has_work() || !self.is_live(level) {
                if i + 1 == self.stack.len() {
                    self.stack.pop();
                    self.levels[level].open = false;
                }
                continue;
            }
            let Some(distance) = self.nearest(level) else { return Some(level) };
            if nearest.is_none_or(|best| distance < best.0) {
                nearest = Some((distance, level));
            }
        }
        nearest.map(|best| best.1)
    }

    /// How many levels were opened before this one.
    pub(super) fn depth(&self, level: LevelId) -> u32 {
        self.stack.iter().position(|open| *open == level).unwrap_or(self.stack.len()) as u32
    }

    /// Puts a level on the stack; the current one goes on first.
    pub(super) fn wake(&mut self, level: LevelId) {
        let below = self.stack.len().saturating_sub(1);
        self.put(below, level);
    }

    /// Puts a level on the stack; it goes on first.
    pub(super) fn open(&mut self, level: LevelId) {
        self.put(self.stack.len(), level);
    }

    pub(super) fn put(&mut self, position: usize, level: LevelId) {
        if !std::mem::replace(&mut self.levels[level].open, true) {
            self.stack.insert(position, level);
            self.counts.depth = self.counts.depth.max(self.stack.len() as u64);
        }
    }
}
