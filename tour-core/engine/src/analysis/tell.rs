//! What analyses tell to an observer. Lazy abstraction: states that are reached, expanded, covered and removed.

use super::arg::ArgId;
use super::cegar::Cegar;
use super::observe::{Event, GraphPlace, GraphState, MAX_GRAPH, Watch};
use crate::domain::Domain;
use tour_ir::cfa::Visit;
use tour_ir::cfa::{EdgeId, LocId};
use tour_ir::program::{Op, Program};
use tour_model::block::{Block, Target};

impl<D: Domain> Cegar<'_, '_, D> {
    /// Where a state is, if someone wants to know.
    fn watched(&self, node: ArgId) -> Option<(LocId, u32)> {
        match self.arg.node(node).at {
            Target::Node(at) if self.engine.watch.is_on() => Some(self.engine.place(at)),
            _ => None,
        }
    }

    /// The block of its parent led to a state.
    pub(super) fn tell_reached(&self, node: ArgId, block: Option<&Block>) {
        let Some((at, call_depth)) = self.watched(node) else { return };
        let trail = block.map_or(Vec::new(), |block| block.trail(Some(self.arg.node(node).at)));
        self.engine.watch.tell(&Event::Reached { at, call_depth, trail: &trail });
    }

    /// The successors of a state are computed.
    pub(super) fn tell_expanded(&mut self, node: ArgId, block: &Block) {
        let Some((at, call_depth)) = self.watched(node) else { return };
        let distance = self.engine.distance(block.from);
        let ended = block.trail(None);
        self.engine.watch.tell(&Event::Expanded { at, call_depth, distance, ended: &ended });
    }

    /// A state is covered.
    pub(super) fn tell_covered(&self, node: ArgId) {
        if let Some((at, _)) = self.watched(node) {
            self.engine.watch.tell(&Event::Covered { at });
        }
    }

    /// A sub-tree is about to be removed.
    pub(super) fn tell_removed(&mut self, root: ArgId) {
        if !self.engine.watch.is_on() {
            return;
        }
        for node in self.arg.subtree(root) {
            let Some((at, _)) = self.watched(node) else { continue };
            let parent = self.arg.node(node).arrival.and_then(|arrival| self.block(arrival.parent));
            let trail = parent.map_or(Vec::new(), |block| block.trail(Some(self.arg.node(node).at)));
            let own = if self.arg.node(node).expanded { self.block(node) } else { None };
            let ended = own.map_or(Vec::new(), |block| block.trail(None));
            self.engine.watch.tell(&Event::Removed { at, trail: &trail, ended: &ended });
        }
    }

    /// The abstract reachability graph as it is now.
    pub(super) fn tell_graph(&mut self) {
        if !self.engine.watch.wants_graph() {
            return;
        }
        let ids: Vec<ArgId> = self.arg.nodes().map(|(id, _)| id).take(MAX_GRAPH).collect();
        let mut states = Vec::with_capacity(ids.len());
        for id in ids {
            let node = self.arg.node(id);
            let number = |id: ArgId| id.index() as u32;
            let mut state = GraphState {
                id: number(id),
                parent: node.arrival.map(|arrival| number(arrival.parent)),
                covered_by: node.covered_by.map(number),
                at: match node.at {
                    Target::Node(at) => {
                        let (loc, depth) = self.engine.place(at);
                        GraphPlace::Loc(loc, depth)
                    }
                    Target::Error(check) => GraphPlace::Error(check),
                    Target::Unsupported(edge) => GraphPlace::Unsupported(edge),
                },
                expanded: node.expanded,
                formula: String::new(),
            };
            let abstract_state = node.state.clone();
            let formula = self.domain.formula(&mut self.engine.terms, &abstract_state);
            state.formula = self.engine.terms.show(formula);
            states.push(state);
        }
        self.engine.watch.tell(&Event::Graph { states: &states });
    }
}

/// Edges were followed, and what they lead to is reached for good.
pub(super) fn tell_edges(program: &Program, watch: &Watch, edges: impl Iterator<Item = EdgeId>) {
    let (true, Some(body)) = (watch.is_on(), program.functions[program.entry].body) else { return };
    // That a call returns is seen by the edges behind it.
    let to = |edge: EdgeId| match program.cfa.edges[edge].op {
        Op::Call(_) => None,
        _ => Some(program.cfa.edges[edge].to),
    };
    let visits: Vec<Visit> = edges.map(|edge| Visit { edge, to: to(edge) }).collect();
    watch.tell(&Event::Visited { visits: &visits });
    watch.tell(&Event::Reached { at: body.entry, call_depth: 0, trail: &visits });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::{Context, Kind, Observer, Options, verify_with};
    use std::sync::{Arc, Mutex};
    use tour_ir::cfa::testing::sample;

    /// Writes down what it is told.
    #[derive(Default)]
    struct Diary(Mutex<Vec<String>>);

    impl Observer for Diary {
        fn observe(&self, who: &'static str, event: &Event) {
            let line = match event {
                Event::Begins => format!("{who} begins"),
                Event::Ends { verdict } => format!("{who} ends: {verdict}"),
                Event::Visited { visits } => format!("visited {} edges", visits.len()),
                Event::Reached { trail, .. } => format!("reached by {} edges", trail.len()),
                Event::Expanded { ended, .. } => format!("expanded, {} edges end", ended.len()),
                Event::Covered { .. } => "covered".into(),
                Event::Removed { trail, ended, .. } => {
                    format!("removed {} and {} edges", trail.len(), ended.len())
                }
                Event::Abstraction { variables, .. } => {
                    format!("abstraction of {} variables", variables.len())
                }
                Event::Refinement { blocks } => format!("refinement of {blocks} blocks"),
                Event::Predicate { text, .. } => format!("predicate {text}"),
                Event::Tracked { variables, .. } => format!("tracked {}", variables.len()),
                Event::Depth { blocks } => format!("depth {blocks}"),
                Event::Graph { states } => format!("graph of {} states", states.len()),
            };
            self.0.lock().unwrap().push(line);
        }

        fn wants_graph(&self) -> bool {
            true
        }
    }

    #[track_caller]
    fn check(analysis: Kind, text: &str, expect: &[&str]) {
        let program = sample(text).program;
        let diary = Arc::new(Diary::default());
        let context = Context { watch: Watch::new(diary.clone()), ..Context::default() };
        verify_with(&program, &context, &Options { analysis, ..Options::default() });
        assert_eq!(*diary.0.lock().unwrap(), expect);
    }

    const COUNTER: &str = "fn main(): 1->2 x = 0; 2->3 [x < 2]; 3->2 x = x + 1; 2->4 [!(x < 2)];
                                       4->error [!(x == 2)]; 4->exit [x == 2]";

    #[test]
    fn lazy_abstraction_tells_all_it_does() {
        check(
            Kind::Value,
            COUNTER,
            &[
                "value begins",
                "reached by 0 edges",
                "visited 1 edges",
                "expanded, 0 edges end",
                "reached by 1 edges",
                "visited 5 edges",
                "refinement of 2 blocks",
                "tracked 1",
                "removed 1 and 0 edges",
                "reached by 1 edges",
                "visited 2 edges",
                "expanded, 0 edges end",
                "reached by 2 edges",
                "visited 2 edges",
                "expanded, 0 edges end",
                "reached by 2 edges",
                "visited 2 edges",
                "expanded, 2 edges end",
                "graph of 4 states",
                "value ends: SAFE",
            ],
        );
    }

    #[test]
    fn bounded_model_checking_tells_how_deep_it_is() {
        check(
            Kind::Bmc,
            COUNTER,
            &[
                "bmc begins",
                "visited 1 edges",
                "expanded, 0 edges end",
                "reached by 1 edges",
                "depth 1",
                "visited 2 edges",
                "expanded, 0 edges end",
                "reached by 2 edges",
                "depth 2",
                "visited 2 edges",
                "expanded, 0 edges end",
                "reached by 2 edges",
                "depth 3",
                "visited 2 edges",
                "expanded, 2 edges end",
                "depth 4",
                "bmc ends: SAFE",
            ],
        );
    }
}
