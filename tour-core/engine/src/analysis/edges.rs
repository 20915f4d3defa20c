//! What analyses that execute programs tell observers: the edges that were followed.

use crate::context::{Event, Watch};
use tour_ir::cfa::{EdgeId, Visit};
use tour_ir::prepared::Prepared;
use tour_ir::program::Op;

/// Edges were followed, and what they lead to is reached for good.
pub(super) fn emit_edges(program: &Prepared, watch: &Watch, edges: impl Iterator<Item = EdgeId>) {
    let (true, Some(body)) = (watch.is_on(), program.functions[program.entry].body) else { return };
    // That a call returns is seen by the edges behind it.
    let to = |edge: EdgeId| match program.cfa.edges[edge].op {
        Op::Call(_) => None,
        _ => Some(program.cfa.edges[edge].to),
    };
    let visits: Vec<Visit> = edges.map(|edge| Visit { edge, to: to(edge) }).collect();
    watch.emit(&Event::Visited { visits: &visits });
    watch.emit(&Event::Reached { at: body.entry, call_depth: 0, trail: &visits });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::{Kind, Options, verify_with};
    use crate::context::{Context, Observer};
    use std::sync::{Arc, Mutex};
    use tour_ir::cfa::testing::prepared;

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
        let program = prepared(text);
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
            Kind::VALUE,
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
            Kind::BMC,
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
