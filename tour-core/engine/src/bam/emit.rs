//! What observers are told: the states of all levels. Those of a result that is used again are told once.

use super::level::LevelId;
use super::reducer::Reducer;
use super::search::Bam;
use crate::cegar::ArgId;
use crate::cegar::emit::{self, Place};
use crate::context::Event;
use tour_ir::cfa::Visit;
use tour_model::block::{Block, Target};

impl<D: Reducer> Bam<'_, '_, D> {
    /// Where a state is, if someone wants to know.
    fn watched(&self, level: LevelId, node: ArgId) -> Option<Place> {
        match self.levels[level].arg.node(node).at {
            Target::Node(at) if self.engine.watch.is_on() => {
                Some(Place { at: self.engine.place(at).0, call_depth: self.depth(level) })
            }
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
    pub(super) fn emit_reached(&mut self, level: LevelId, node: ArgId) {
        let Some(place) = self.watched(level, node) else { return };
        let trail = self.trail(level, node);
        emit::reached(self.engine, place, &trail);
    }

    /// The successors of a state are computed.
    pub(super) fn emit_expanded(&mut self, level: LevelId, node: ArgId, block: &Block) {
        let Some(place) = self.watched(level, node) else { return };
        self.engine.watch.emit(&Event::Visited { visits: &block.visits() });
        let distance = self.distance(level, node);
        emit::expanded(self.engine, place, distance, &block.trail(None));
    }

    /// A state is covered.
    pub(super) fn emit_covered(&self, level: LevelId, node: ArgId) {
        if let Some(place) = self.watched(level, node) {
            emit::covered(self.engine, place);
        }
    }

    /// A state is about to be removed.
    pub(super) fn emit_removed(&mut self, level: LevelId, node: ArgId) {
        let Some(place) = self.watched(level, node) else { return };
        let trail = self.trail(level, node);
        let expanded =
            self.levels[level].arg.node(node).expanded && !self.levels[level].calls.contains_key(&node);
        let own = if expanded { self.block(level, node) } else { None };
        let ended = own.map_or(Vec::new(), |block| block.trail(None));
        emit::removed(self.engine, place, &trail, &ended);
    }
}
