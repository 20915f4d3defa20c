//! Into a nested block and back: a call's level is found, and its exits are expanded for all who use it.

use super::call::Call;
use super::level::LevelId;
use super::reducer::Reducer;
use super::search::{Bam, Found};
use crate::analysis::{ArgId, Arrival};
use crate::block::{Exit, Target};
use crate::domain::Site;
use crate::verdict::UnknownReason;

impl<D: Reducer> Bam<'_, '_, D> {
    /// Adds a call, and finds the level of its callee.
    pub(super) fn call(
        &mut self,
        level: LevelId,
        at: Target,
        state: D::State,
        arrival: Arrival,
    ) -> Result<(), UnknownReason> {
        let Target::Node(entry) = at else { return Ok(()) };
        let Some(call) = Call::at(self.engine, entry) else { return Ok(()) };
        let of = &self.levels[level];
        let again = (of.arg.node(arrival.parent).children.iter()).any(|&sibling| {
            let sibling = of.arg.node(sibling);
            sibling.arrival == Some(arrival) && sibling.state == state
        });
        if again {
            return Ok(());
        }
        let relevant = self.effects[call.callee].relevant.clone();
        let reduced = self.domain.reduce(&self.engine.terms, &state, &|base| relevant.contains(&base));
        let node = self.levels[level].arg.add(at, state, Some(arrival));
        self.levels[level].arg.node_mut(node).expanded = true;
        self.stamp(level, node);
        self.tell_reached(level, node);
        let callee = self.level_of(call.callee, reduced);
        if let Some(tour) = &mut self.tour {
            tour.enter(self.engine.program(), level, call.edge, callee);
        }
        self.levels[level].calls.insert(node, callee);
        self.levels[callee].users.insert((level, node));
        if let Some(live) = &mut self.live {
            live.resize(self.levels.len(), false);
            let was = std::mem::replace(&mut live[callee.index()], true);
            if !was && !self.levels[callee].calls.is_empty() {
                // It was given up, and with it perhaps what it calls.
                self.users_changed();
            }
        }
        if self.levels[callee].has_work() {
            self.open(callee);
        }
        for exit in self.levels[callee].exits.clone() {
            self.come_back(level, node, exit)?;
        }
        Ok(())
    }

    /// A state in which a level is left: its users go on with it.
    pub(super) fn leave(&mut self, level: LevelId, exit: ArgId) -> Result<(), UnknownReason> {
        self.levels[level].exits.push(exit);
        for (user, call) in self.levels[level].users.clone() {
            // A user that is still worked on inside of this level.
            let above = self.stack.iter().rev().take_while(|l| **l != level).any(|l| *l == user);
            self.counts.iterations += u64::from(user == level || above);
            self.come_back(user, call, exit)?;
        }
        Ok(())
    }

    /// The call's way in, the callee's exit and the way back to the caller, as one.
    pub(super) fn round_trip(&mut self, level: LevelId, node: ArgId, exit: ArgId) -> Vec<Exit> {
        let of = &self.levels[level];
        let (Some(Arrival { parent, target }), Target::Node(entry)) =
            (of.arg.node(node).arrival, of.arg.node(node).at)
        else {
            return Vec::new();
        };
        let (Some(call), Some(block)) = (Call::at(self.engine, entry), self.block(level, parent)) else {
            return Vec::new();
        };
        let into = self.way(level, parent, &block.exits[target as usize]);
        let callee = &self.levels[self.levels[level].calls[&node]];
        let begin = self.domain.formula(&mut self.engine.terms, &self.levels[level].arg.node(node).state);
        let end = self.domain.formula(&mut self.engine.terms, &callee.arg.node(exit).state);
        let stack = self.levels[level].block;
        let to = self.engine.program().cfa.edges[call.edge].to;
        let back = self.engine.blocks.unfolding.at(stack, to);
        call.through(self.engine, &into, &self.effects[call.callee], begin, end, back)
    }

    /// Expands an exit of a callee: adds the states after the call.
    pub(super) fn come_back(
        &mut self,
        level: LevelId,
        node: ArgId,
        exit: ArgId,
    ) -> Result<(), UnknownReason> {
        let Some(Arrival { parent, .. }) = self.levels[level].arg.node(node).arrival else { return Ok(()) };
        let state = self.levels[level].arg.node(parent).state.clone();
        let arrival = Arrival { parent: node, target: 0 };
        for way in self.round_trip(level, node, exit) {
            match way.to {
                Target::Node(_) => {
                    let site: Option<Site> = self.engine.site(way.to);
                    for successor in self.domain.post(self.engine, &state, &way, site)? {
                        self.add(level, way.to, successor, arrival, Some(exit));
                    }
                }
                Target::Error(_) | Target::Unsupported(_) => {
                    self.levels[level].doubts.push((node, exit));
                    self.wake(level);
                }
            }
        }
        Ok(())
    }

    /// A return may lead to an error, or to what is not modelled: does it?
    pub(super) fn doubt(&mut self, level: LevelId, node: ArgId, exit: ArgId) -> Result<Found, UnknownReason> {
        let callee = self.levels[level].calls.get(&node).copied();
        let Some(callee) = callee.filter(|c| self.levels[*c].arg.is_live(exit)) else { return Ok(None) };
        let Some(Arrival { parent, .. }) = self.levels[level].arg.node(node).arrival else { return Ok(None) };
        let state = self.levels[level].arg.node(parent).state.clone();
        for way in self.round_trip(level, node, exit) {
            let skip = match way.to {
                Target::Node(_) => true,
                Target::Unsupported(_) => self.stuck.is_some(),
                Target::Error(_) => !self.engine.blocks.counts(way.to),
            };
            if skip || self.domain.post(self.engine, &state, &way, None)?.is_empty() {
                continue;
            }
            let restarts = self.counts.restarts;
            match self.examine(level, node, Some(exit), way.to)? {
                Some(walk) => match way.to {
                    Target::Error(check) => {
                        self.levels[level].doubts.push((node, exit));
                        return Ok(Some((check, walk)));
                    }
                    Target::Unsupported(edge) => self.stuck = Some(self.engine.unsupported(edge)),
                    Target::Node(_) => {}
                },
                None => {
                    // It may be reached in another context.
                    if restarts == self.counts.restarts
                        && self.levels[level].calls.get(&node) == Some(&callee)
                        && self.levels[callee].arg.is_live(exit)
                    {
                        self.levels[level].doubts.push((node, exit));
                        self.wake(level);
                    }
                    return Ok(None);
                }
            }
        }
        Ok(None)
    }
}
