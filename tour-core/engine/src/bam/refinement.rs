//! Refinement across blocks: new precision in the functions that a counterexample goes through, and what has to go from
//! their graphs because of it. What other functions know stays.

use super::counterexample::{Hop, NestedPath};
use super::level::LevelId;
use super::reducer::Reducer;
use super::search::Bam;
use crate::cegar::{ArgId, Arrival, System};
use crate::context::Site;
use std::collections::BTreeSet;
use tour_evidence::verdict::UnknownReason;
use tour_ir::program::FnId;
use tour_logic::term::{BaseId, Sort};

impl<D: Reducer> Bam<'_, '_, D> {
    /// The precision has changed after a hop of a path: the graphs are cut there.
    pub(super) fn cut_path(&mut self, path: &NestedPath, first: usize) -> Result<(), UnknownReason> {
        let restarts = self.counts.restarts;
        let changed: BTreeSet<FnId> = (path.stamps.iter())
            .filter(|(site, before)| self.domain.stamp(*site) != *before)
            .map(|(site, _)| site.function)
            .collect();
        for function in changed {
            self.changes[function] += 1;
        }
        self.find_olds();
        self.find_tracked();
        self.refute(&path.hops[first..]);
        self.cut(&path.hops, first)?;
        // It may be reached in another context.
        if restarts == self.counts.restarts && self.is_waiting(path.work) {
            self.push(path.work);
        }
        Ok(())
    }

    /// Predicates may speak of old values now.
    fn find_olds(&mut self) {
        let program = self.engine.program();
        let found: Vec<(BaseId, Option<FnId>)> = (self.engine.blocks.encoder.olds())
            .map(|(base, cell)| (base, cell.frame(program).map(|f| f.0)))
            .collect();
        for (base, own) in found {
            for (function, effects) in self.effects.iter_enumerated() {
                if own.is_none_or(|own| own == function) && effects.written.contains(&base) {
                    self.olds[function].insert(base);
                }
            }
        }
    }

    /// The state at a hop is computed again, with what there is of precision now.
    fn cut(&mut self, hops: &[Hop], at: usize) -> Result<(), UnknownReason> {
        // The levels that are open there: on the way, a state of a level below means that those above were left.
        let mut open: Vec<LevelId> = Vec::new();
        for hop in &hops[..=at] {
            match open.iter().position(|level| *level == hop.level) {
                Some(below) => open.truncate(below + 1),
                None => open.push(hop.level),
            }
        }
        for level in open {
            self.renew(level);
        }
        let Hop { level, node, .. } = hops[at];
        let Some(Arrival { parent, target }) = self.levels[level].arg.node(node).arrival else {
            return Ok(());
        };
        let exit = self.levels[level].returns.get(&node).copied();
        self.remove(level, node);
        if !self.levels[level].arg.is_live(parent) {
            return Ok(());
        }
        match exit {
            Some(exit) => self.come_back(level, parent, exit)?,
            None => {
                if let Some(block) = self.block(level, parent) {
                    self.reach(level, parent, &block, target as usize)?;
                }
            }
        }
        self.users_changed();
        Ok(())
    }

    /// Removes a sub-tree, and whatever in other levels comes from its exits.
    fn remove(&mut self, level: LevelId, node: ArgId) {
        let mut work = vec![(level, node)];
        while let Some((level, node)) = work.pop() {
            if !self.levels[level].arg.is_live(node) {
                continue;
            }
            for gone in self.levels[level].arg.subtree(node) {
                self.emit_removed(level, gone);
                self.levels[level].returns.remove(&gone);
                if let Some(callee) = self.levels[level].calls.remove(&gone) {
                    self.levels[callee].users.remove(&(level, gone));
                }
                if !self.levels[level].exits.contains(&gone) {
                    continue;
                }
                self.levels[level].exits.retain(|exit| *exit != gone);
                for &(user, call) in &self.levels[level].users {
                    let of = &self.levels[user];
                    let back = of.arg.node(call).children.iter().filter(|r| of.returns.get(r) == Some(&gone));
                    work.extend(back.map(|r| (user, *r)));
                }
            }
            for uncovered in self.levels[level].arg.remove(node) {
                self.wait(level, uncovered);
            }
        }
    }

    /// A path through a recursion can be as long as its tree of calls. From now on, the recursive functions that it goes
    /// through are followed by values, so that calls which have one outcome only are found in the cache. If it is too long
    /// to be looked at even so, all functions are, so that what depends on such calls is known without looking into them.
    /// False if they are followed already.
    pub(super) fn follow_values(&mut self, hops: &[Hop], whole: bool) -> bool {
        let on_path = hops.iter().map(|hop| self.levels[hop.level].unit.function);
        let recursive: BTreeSet<FnId> = on_path.filter(|f| self.recursive[*f]).collect();
        let new = self.follow_values_in(&recursive)
            || !whole && {
                let levels = self.live_levels();
                self.follow_values_in(
                    &levels.into_iter().map(|level| self.levels[level].unit.function).collect(),
                )
            };
        if new {
            self.find_tracked();
            self.restart();
        }
        new
    }

    fn follow_values_in(&mut self, functions: &BTreeSet<FnId>) -> bool {
        let mut new = false;
        for &function in functions {
            let scalar = |base: &&BaseId| !matches!(self.engine.terms.base(**base).sort, Sort::Array { .. });
            let variables: Vec<BaseId> =
                self.effects[function].frame.iter().filter(scalar).copied().collect();
            for &loc in self.locs.locations(function) {
                if self.domain.follow(Site { loc, function }, &variables) {
                    self.changes[function] += 1;
                    new = true;
                }
            }
        }
        new
    }
}
