//! What observers are told of an abstract reachability graph: nodes that are reached, expanded, covered and removed.

use super::arg::{Arg, ArgId};
use crate::context::observe::{GraphPlace, GraphState, MAX_GRAPH};
use crate::context::{Engine, Event};
use crate::directed::Dist;
use crate::domain::Domain;
use tour_ir::cfa::{LocId, Visit};
use tour_model::block::Target;

/// A node as observers see it.
pub struct Place {
    /// Its location.
    pub at: LocId,
    /// How many calls are open.
    pub call_depth: u32,
}

/// A node was reached by these edges.
pub fn reached(engine: &Engine, Place { at, call_depth }: Place, trail: &[Visit]) {
    engine.watch.emit(&Event::Reached { at, call_depth, trail });
}

/// The transfer relation followed these edges.
pub fn visited(engine: &Engine, visits: &[Visit]) {
    engine.watch.emit(&Event::Visited { visits });
}

/// The successors of a node are computed. These edges of its blocks lead to no other.
pub fn expanded(engine: &Engine, Place { at, call_depth }: Place, distance: Option<Dist>, ended: &[Visit]) {
    engine.watch.emit(&Event::Expanded { at, call_depth, distance, ended });
}

/// A node is covered.
pub fn covered(engine: &Engine, Place { at, .. }: Place) {
    engine.watch.emit(&Event::Covered { at });
}

/// A node is removed, which these edges led to; `ended` as in [`expanded`].
pub fn removed(engine: &Engine, Place { at, .. }: Place, trail: &[Visit], ended: &[Visit]) {
    engine.watch.emit(&Event::Removed { at, trail, ended });
}

/// The graph as it is now, if someone wants to see it. `place` says where nodes are.
pub fn graph<D: Domain>(
    engine: &mut Engine,
    domain: &mut D,
    arg: &Arg<D::State>,
    place: impl Fn(&Engine, ArgId) -> Option<Place>,
) {
    if !engine.watch.wants_graph() {
        return;
    }
    let number = |id: ArgId| id.index() as u32;
    let mut states = Vec::new();
    for (id, node) in arg.nodes().take(MAX_GRAPH) {
        let at = match node.at {
            Target::Node(_) => match place(engine, id) {
                Some(Place { at, call_depth }) => GraphPlace::Loc(at, call_depth),
                None => continue,
            },
            Target::Error(check) => GraphPlace::Error(check),
            Target::Unsupported(edge) => GraphPlace::Unsupported(edge),
        };
        let formula = domain.formula(&mut engine.terms, &node.state);
        states.push(GraphState {
            id: number(id),
            parent: node.arrival.map(|arrival| number(arrival.parent)),
            covered_by: node.covered_by.map(number),
            at,
            expanded: node.expanded,
            formula: engine.terms.show(formula),
        });
    }
    engine.watch.emit(&Event::Graph { states: &states });
}
