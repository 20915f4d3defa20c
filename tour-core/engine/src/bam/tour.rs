//! TOUR for block-abstraction memoization [TOUR §7.1]: a level is entered at one state, so that `entry` is the
//! level itself, and its call context is that of the call which used it last.
//!
//! Distances are computed when they are asked for. What waits in a level is put into order anew when its context has
//! changed: a level that is used again before it is complete goes on with the distances of its new call.

use super::call::Call;
use super::counterexample::Hop;
use super::level::LevelId;
use super::reducer::Reducer;
use super::search::Bam;
use crate::cegar::{ArgId, Rank};
use crate::directed::{CallContexts, Dist, Distances, Learned};
use tour_ir::cfa::{EdgeId, LocId};
use tour_ir::program::Program;
use tour_model::block::{NodeId, Target};

/// Distances of the states of levels.
pub struct Tour {
    distances: Distances,
    contexts: CallContexts<LevelId>,
    learned: Learned,
}

impl Tour {
    /// No level yet.
    pub fn new(distances: Distances, learned: Learned) -> Tour {
        Tour { distances, contexts: CallContexts::default(), learned }
    }

    /// All levels are gone.
    pub fn forget(&mut self) {
        self.contexts = CallContexts::default();
    }

    /// The level of the program's entry.
    pub fn begin(&mut self, level: LevelId) {
        self.contexts.begin(level);
    }

    /// A call in a level uses another one, whose states get this call as their context.
    pub fn enter(&mut self, program: &Program, level: LevelId, call: EdgeId, callee: LevelId) {
        self.contexts.enter(program, level, call, callee);
    }

    /// A state of a level enters a loop: nothing is called.
    pub fn step(&mut self, level: LevelId, nested: LevelId) {
        self.contexts.step(level, nested);
    }

    /// What is left to go after the return from a level.
    fn after(&mut self, level: LevelId) -> Dist {
        self.contexts.after_of(&self.distances, level)
    }

    /// dist(s), with what refinement has found out. A call is at the entry of its callee; it knows where it returns to.
    fn dist(&mut self, level: LevelId, returns_to: Option<LocId>, node: NodeId, loc: LocId) -> Dist {
        let after = self.after(level);
        let after = returns_to.map_or(after, |to| self.distances.after_return(to, after));
        self.distances.dist(loc, after) + self.learned.farther(node)
    }
}

impl<D: Reducer> Bam<'_, '_, D> {
    /// How far a state is from an error; `None` if the search is not directed.
    pub(super) fn distance(&mut self, level: LevelId, node: ArgId) -> Option<Dist> {
        let Target::Node(at) = self.levels[level].arg.node(node).at else { return None };
        let loc = self.engine.blocks.unfolding.loc(at);
        let call = Call::at(self.engine, at);
        let returns_to = call.map(|call| self.engine.program().cfa.edges[call.edge].to);
        Some(self.tour.as_mut()?.dist(level, returns_to, at, loc))
    }

    /// What the order of a level's waitlist looks at.
    pub(super) fn rank(&mut self, level: LevelId, node: ArgId) -> Rank {
        let distance = self.distance(level, node).unwrap_or_default();
        let at = self.levels[level].arg.node(node).at;
        Rank { distance, ..self.ranking.rank(self.engine, at) }
    }

    /// A path to an error through these states is infeasible.
    pub(super) fn refute(&mut self, hops: &[Hop]) {
        let at = |hop: &Hop| match self.levels[hop.level].arg.node(hop.node).at {
            Target::Node(at) => Some(at),
            Target::Error(_) | Target::Unsupported(_) => None,
        };
        if let Some(tour) = &mut self.tour {
            tour.learned.refute(hops.iter().filter_map(at));
        }
    }

    /// How near the nearest state of an open level is now, as the order counts it; nothing is nearer than a doubt about
    /// an error.
    pub(super) fn nearest(&mut self, level: LevelId) -> Option<u64> {
        let after = self.tour.as_mut()?.after(level);
        if std::mem::replace(&mut self.levels[level].after, after) != after {
            let mut waitlist = self.levels[level].waitlist.take();
            waitlist.rank_anew(|node| self.rank(level, node));
            self.levels[level].waitlist = waitlist;
        }
        let of = &self.levels[level];
        if of.doubts.is_empty() { of.waitlist.first() } else { Some(0) }
    }
}
