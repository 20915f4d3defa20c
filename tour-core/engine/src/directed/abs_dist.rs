//! abs-dist: how far it is from a location to the nearest error location, calls and all [TOUR Figures 3.9, 7.8].
//!
//! Dijkstra's algorithm against the direction of control flow, from all error locations at once. It goes from the
//! entry of a function to the calls of it, and from behind a call to the call by the distance through the callee. It
//! does not go into a callee from behind a call: where that leads depends on the call, see [`super::Directed`].

use super::callers::Callers;
use super::dist::Dist;
use super::exit_dist::ExitDist;
use super::queue::Queue;
use index_vec::IndexVec;
use tour_ir::cfa::{EdgeId, LocId, LocKind};
use tour_ir::program::{CheckId, Program};

/// The abs-dist of all locations. `start` is the distance at which the error location of a check begins: zero, or more
/// for those that the search shall care less about.
pub fn abs_dist(
    program: &Program,
    callers: &Callers,
    exits: &ExitDist,
    weight: impl Fn(EdgeId) -> Dist,
    leave: u32,
    start: impl Fn(CheckId) -> Dist,
) -> IndexVec<LocId, Dist> {
    let cfa = &program.cfa;
    let mut queue = Queue::new(cfa.locs.len());
    for (id, loc) in cfa.locs.iter_enumerated() {
        if let LocKind::Error(check) = loc.kind {
            queue.relax(id, start(check));
        }
    }
    let mut entered: Vec<bool> = vec![false; callers.len()];
    while let Some((loc, dist)) = queue.pop() {
        for (id, edge) in cfa.predecessors(loc) {
            let step = match callers.callee(id) {
                Some(callee) => exits.through[callee] + leave,
                None => weight(id),
            };
            queue.relax(edge.from, step + dist);
        }
        if cfa.locs[loc].kind != LocKind::Entry {
            continue;
        }
        for &callee in callers.callees(cfa.locs[loc].function) {
            // The first member of a set is the nearest.
            if std::mem::replace(&mut entered[callee.index()], true) {
                continue;
            }
            for &site in callers.sites(callee) {
                queue.relax(cfa.edges[site].from, dist);
            }
        }
    }
    queue.finish()
}
