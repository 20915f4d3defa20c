//! A distance for a tuple of locations: the directed search of [`crate::directed`], which is about sequential code, for
//! threads.
//!
//! An error is reached by one thread. From each location, the least number of steps to an error is found in the graph of
//! all threads, where the start of a thread also leads to its beginning: what a thread that is not there yet has to do
//! comes after what the one that starts it has to do. The distance of a tuple is that of its nearest thread. Steps of
//! other threads in between, locks and calls that must return to where they came from only make a path longer: the
//! distance is a lower bound of the number of steps that are left.

use crate::directed::Dist;
use index_vec::IndexVec;
use std::collections::VecDeque;
use tour_ir::cfa::{LocId, LocKind};
use tour_ir::program::Program;
use tour_model::block::{Blocks, Step};
use tour_model::threads::graph::ThreadGraph;
use tour_model::threads::{Interleaving, TupleId};

/// How far it is from each location.
pub struct Distances(IndexVec<LocId, Dist>);

impl Distances {
    /// By a search from the errors backwards. A step that may race, and a place where a thread waits that can't go on, are
    /// errors where the rules on these are checked.
    pub fn of(program: &Program, graph: &ThreadGraph) -> Distances {
        let mut before: IndexVec<LocId, Vec<(LocId, u32)>> =
            program.cfa.locs.iter().map(|_| Vec::new()).collect();
        for action in graph.out.iter().flatten() {
            // A return is part of the call.
            let weight = u32::from(!matches!(action.step, Step::Leave { .. }));
            before[action.to].push((action.from, weight));
        }
        for (thread, starts) in graph.started_at.iter_enumerated() {
            if let Some(body) = program.functions[program.threads.all[thread].root].body {
                before[body.entry].extend(starts.iter().map(|loc| (*loc, 1)));
            }
        }
        let mut found: IndexVec<LocId, Dist> = program.cfa.locs.iter().map(|_| Dist::INFINITE).collect();
        let errors = program.cfa.locs.iter_enumerated();
        let errors = errors.filter(|(_, loc)| matches!(loc.kind, LocKind::Error(_))).map(|(id, _)| id);
        let races = program.threads.races.keys().map(|edge| program.cfa.edges[*edge].from);
        let mut work: VecDeque<LocId> =
            errors.chain(races).chain(program.threads.blocked_at.iter().copied()).collect();
        for &loc in &work {
            found[loc] = Dist::ZERO;
        }
        while let Some(loc) = work.pop_front() {
            for &(from, weight) in &before[loc] {
                let next = found[loc] + Dist::new(weight);
                if next < found[from] {
                    found[from] = next;
                    match weight {
                        0 => work.push_front(from),
                        _ => work.push_back(from),
                    }
                }
            }
        }
        Distances(found)
    }

    /// From a tuple: that of the thread which has the fewest steps to make.
    pub fn of_tuple(&self, threads: &Interleaving, blocks: &Blocks, id: TupleId) -> Dist {
        let tuple = threads.get(id);
        let running = threads.running(id);
        let nodes = running.iter().filter_map(|thread| tuple[thread.index()]);
        nodes.map(|node| self.0[blocks.unfolding.loc(node)]).min().unwrap_or(Dist::INFINITE)
    }
}
