//! exit-dist: how far it is from a location to the exit of its function [TOUR Figures 3.7, 3.11 and 7.7].
//!
//! `[TOUR]` goes over the functions bottom-up, each by Dijkstra's algorithm; where functions call each other in a
//! circle, exit-dist* finds the one with the shortest base case, and the circle is broken there. All of that is one run of
//! Dijkstra's algorithm over the locations of all functions together (Knuth, "A Generalization of Dijkstra's
//! Algorithm", 1977): the distance of a call is that of what follows plus that of the callee, so it is known as soon as
//! both are. A callee's distance is known when its entry is settled, and entries are settled shortest first: of a circle
//! of functions, the one with the shortest base case. A function that never returns is never settled and stays at
//! infinity. The cost is that of one Dijkstra, whatever the call graph looks like.

use super::callers::{Callee, Callers};
use super::dist::Dist;
use super::queue::Queue;
use index_vec::IndexVec;
use tour_ir::cfa::{EdgeId, LocId, LocKind};
use tour_ir::program::{FnId, Program};

/// The result.
#[derive(Clone, Debug)]
pub struct ExitDist {
    /// By location.
    pub exit: IndexVec<LocId, Dist>,
    /// `[TOUR]`'s `FW`: from the entry of a callee to its exit.
    pub through: IndexVec<Callee, Dist>,
    /// The functions in the order in which their distance was found.
    pub order: Vec<FnId>,
}

/// The exit-dist of all locations. `weight` is that of an edge that is no call of a function with a body, `leave` that of
/// a return.
pub fn exit_dist(
    program: &Program,
    callers: &Callers,
    weight: impl Fn(EdgeId) -> Dist,
    leave: u32,
) -> ExitDist {
    let cfa = &program.cfa;
    let mut queue = Queue::new(cfa.locs.len());
    let mut through: IndexVec<Callee, Dist> = (0..callers.len()).map(|_| Dist::INFINITE).collect();
    let mut order = Vec::new();
    for body in program.functions.iter().filter_map(|f| f.body) {
        queue.relax(body.exit, Dist::ZERO);
    }
    while let Some((loc, dist)) = queue.pop() {
        for (id, edge) in cfa.predecessors(loc) {
            let step = match callers.callee(id) {
                Some(callee) => through[callee] + leave,
                None => weight(id),
            };
            queue.relax(edge.from, step + dist);
        }
        if cfa.locs[loc].kind != LocKind::Entry {
            continue;
        }
        let function = cfa.locs[loc].function;
        order.push(function);
        for &callee in callers.callees(function) {
            // Of the functions that a pointer may point to, the first one settled is the nearest.
            if through[callee].is_finite() {
                continue;
            }
            through[callee] = dist;
            for &site in callers.sites(callee) {
                let edge = &cfa.edges[site];
                queue.relax(edge.from, dist + leave + queue.dist(edge.to));
            }
        }
    }
    ExitDist { exit: queue.finish(), through, order }
}
