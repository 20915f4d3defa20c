//! What the analysis tells to an observer: the states of all levels. Those of a result that is used again are told once.

use super::level::LevelId;
use super::reducer::Reducer;
use super::search::Bam;
use crate::analysis::{ArgId, Event};
use tour_ir::cfa::LocId;
use tour_ir::cfa::Visit;
use tour_model::block::{Block, Target};

impl<D: Reducer> Bam<'_, '_, D> {
    /// Where a state is, if someone wants to know.
    fn watched(&self, level: LevelId, node: ArgId) -> Option<LocId> {
        match self.levels[level].arg.node(node).at {
            Target::Node(at) if self.engine.watch.is_on() => Some(self.engine.place(at).0),
            _ => None,
        }
    }

    /// The edges of its parent's block that lead to a state. To a state after a call leads none but the call.
    fn trail(&mut self, level: LevelId, node: ArgId) -> Vec<Visit> {
        let of = self.levels[level].arg.node(node);
        let (at, arrival) = (of.at, of.arrival);
        match arrival.filter(|a| !self.levels[level].calls.contains_key(&a.parent)) {
            Some(arrival) => self.block(level, arrival.parent).map_or(Vec::new(), |b| b.trail(Some(at))),
            None => Vec::new(),
        }
    }

    /// A state was reached.
    pub(super) fn tell_reached(&mut self, level: LevelId, node: ArgId) {
        let Some(at) = self.watched(level, node) else { return };
        let (trail, call_depth) = (self.trail(level, node), self.depth());
        self.engine.watch.tell(&Event::Reached { at, call_depth, trail: &trail });
    }

    /// The successors of a state are computed.
    pub(super) fn tell_expanded(&mut self, level: LevelId, node: ArgId, block: &Block) {
        let Some(at) = self.watched(level, node) else { return };
        self.engine.watch.tell(&Event::Visited { visits: &block.visits() });
        let (ended, call_depth, distance) = (block.trail(None), self.depth(), self.distance(level, node));
        self.engine.watch.tell(&Event::Expanded { at, call_depth, distance, ended: &ended });
    }

    /// A state is covered.
    pub(super) fn tell_covered(&self, level: LevelId, node: ArgId) {
        if let Some(at) = self.watched(level, node) {
            self.engine.watch.tell(&Event::Covered { at });
        }
    }

    /// A state is about to be removed.
    pub(super) fn tell_removed(&mut self, level: LevelId, node: ArgId) {
        let Some(at) = self.watched(level, node) else { return };
        let trail = self.trail(level, node);
        let expanded =
            self.levels[level].arg.node(node).expanded && !self.levels[level].calls.contains_key(&node);
        let own = if expanded { self.block(level, node) } else { None };
        let ended = own.map_or(Vec::new(), |block| block.trail(None));
        self.engine.watch.tell(&Event::Removed { at, trail: &trail, ended: &ended });
    }
}
