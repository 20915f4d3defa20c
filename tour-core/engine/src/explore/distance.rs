//! A distance for a tuple of locations: the directed search of [`crate::directed`], which is about sequential code, for
//! threads.
//!
//! An error is reached by one thread. From each location, the shortest way to an error by the metric is found in the graph
//! of all threads, where the start of a thread also leads to its beginning: what a thread that is not there yet has to do
//! comes after what the one that starts it has to do. The distance of a tuple is that of its nearest thread. Steps of
//! other threads in between, locks and calls that must return to where they came from only make a path longer: the
//! distance is a lower bound of what is left to go.

use crate::directed::{Dist, Focus, Metric, Queue};
use index_vec::IndexVec;
use tour_ir::cfa::{LocId, LocKind, Loops};
use tour_ir::prepared::Prepared;
use tour_ir::program::CheckId;
use tour_model::block::{Blocks, Step};
use tour_model::threads::graph::{Action, ThreadGraph};
use tour_model::threads::{Interleaving, TupleId};

/// How far it is from each location.
pub struct Distances(IndexVec<LocId, Dist>);

impl Distances {
    /// By Dijkstra's algorithm from the errors backwards. A step that may race, and a place where a thread waits that can't
    /// go on, are errors where the rules on these are checked.
    pub fn of(program: &Prepared, graph: &ThreadGraph, metric: Metric, focus: &[Focus]) -> Distances {
        let loops = program.fact::<Loops>();
        let weight = |action: &Action| match action.step {
            Step::Enter { .. } => 0,
            Step::Leave { .. } => metric.leave(),
            Step::Edge(edge) | Step::BadCall(edge) => metric.weight(program, &loops, edge),
        };
        let mut before: IndexVec<LocId, Vec<(LocId, u32)>> =
            program.cfa.locs.iter().map(|_| Vec::new()).collect();
        for action in graph.out.iter().flatten() {
            before[action.to].push((action.from, weight(action)));
        }
        for (thread, starts) in graph.started_at.iter_enumerated() {
            if let Some(body) = program.functions[program.threads.all[thread].root].body {
                for &from in starts {
                    before[body.entry].extend(graph.out[from].iter().map(|start| (from, weight(start))));
                }
            }
        }
        let start = Focus::starts(focus, program);
        let error = |kind: LocKind| if let LocKind::Error(check) = kind { Some(check) } else { None };
        let errors = program.cfa.locs.iter_enumerated();
        let errors = errors.filter_map(|(id, loc)| Some((id, error(loc.kind)?)));
        let threads = &program.threads;
        let races = threads.races.iter().map(|(edge, check)| (program.cfa.edges[*edge].from, *check));
        let blocked = threads.blocked_at.iter().filter_map(|loc| Some((*loc, threads.deadlock?)));
        let mut queue = Queue::new(program.cfa.locs.len());
        let all: Vec<(LocId, CheckId)> = errors.chain(races).chain(blocked).collect();
        for (loc, check) in all {
            queue.relax(loc, start[check]);
        }
        while let Some((loc, dist)) = queue.pop() {
            for &(from, weight) in &before[loc] {
                queue.relax(from, dist + weight);
            }
        }
        Distances(queue.finish())
    }

    /// From a tuple: that of the thread which has the shortest way to go.
    pub fn of_tuple(&self, threads: &Interleaving, blocks: &Blocks, id: TupleId) -> Dist {
        let tuple = threads.get(id);
        let running = threads.running(id);
        let nodes = running.iter().filter_map(|thread| tuple[thread.index()]);
        nodes.map(|node| self.0[blocks.unfolding.loc(node)]).min().unwrap_or(Dist::INFINITE)
    }
}
