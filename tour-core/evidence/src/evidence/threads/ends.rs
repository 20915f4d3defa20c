//! The end of the run is no part of an action that others can see: what a thread has done before, they may see first.

use super::Check;
use super::progress::may_end;
use crate::evidence::invariants::Point;
use rustc_hash::FxHashSet;
use tour_ir::program::Builtin;

impl Check<'_> {
    /// After a step that concerns others, an action does not end the run, nor stop its thread.
    pub(super) fn ends_apart(&mut self, from: &Point) -> Result<(), String> {
        if from.atomic > 0 || !self.seen_apart.insert(from.clone()) {
            return Ok(());
        }
        let mut seen: FxHashSet<(Point, bool)> = FxHashSet::default();
        let mut work = vec![(from.clone(), false)];
        while let Some((point, published)) = work.pop() {
            if published && point.atomic == 0 && may_end(self.program, point.loc) {
                return Err(format!(
                    "the action from {from:?} may end at {point:?} what others could see before"
                ));
            }
            for (edge, to) in self.executor.successors(&point) {
                let step = self.step(&point, edge, &to);
                let published = published
                    || self.builtin(edge) == Some(Builtin::ThreadStart)
                    || self.interference.is_seen(step);
                if (to.atomic > 0 || !self.is_end(&to)) && seen.insert((to.clone(), published)) {
                    work.push((to, published));
                }
            }
        }
        Ok(())
    }
}
