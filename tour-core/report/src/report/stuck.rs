//! Where an analysis was when it ran out of time: the place that refinement came back to last, or else the last state
//! that was looked at.

use std::sync::{Mutex, PoisonError};
use tour_engine::context::{Event, Observer};
use tour_ir::cfa::LocId;
use tour_ir::program::Program;
use tour_ir::source::Span;

/// Watches analyses.
#[derive(Debug, Default)]
pub struct Stuck(Mutex<Seen>);

#[derive(Clone, Copy, Debug, Default)]
struct Seen {
    refined: Option<LocId>,
    /// How often refinement added something there.
    times: u32,
    expanded: Option<LocId>,
}

impl Observer for Stuck {
    fn observe(&self, _: &'static str, event: &Event) {
        let mut seen = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match event {
            Event::Predicate { at, .. } | Event::Tracked { at, .. } => {
                seen.times = if seen.refined == Some(*at) { seen.times + 1 } else { 1 };
                seen.refined = Some(*at);
            }
            Event::Expanded { at, .. } => seen.expanded = Some(*at),
            _ => {}
        }
    }
}

impl Stuck {
    /// The place in words.
    pub fn place(&self, program: &Program) -> Option<(Span, String)> {
        let seen = *self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let span = |at: LocId| {
            let edge = program.cfa.locs.get(at)?.out.first()?;
            Some(program.cfa.edges[*edge].span)
        };
        let refined = seen.refined.and_then(span).map(|span| {
            let text = match seen.times {
                1 => "the last refinement was here".to_owned(),
                n => format!("the last {n} refinements were here"),
            };
            (span, text)
        });
        refined.or_else(|| Some((seen.expanded.and_then(span)?, "the search was here".to_owned())))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tour_c::LoadOptions;
    use tour_c::front::Input;
    use tour_c::load;
    use tour_ir::program::DataModel;

    #[test]
    fn the_last_refinements_are_reported() {
        let file = Input::text("a.i", "int main(void) { int x = 1; x = x + 2; return x; }");
        let program = load(&[file], &LoadOptions::new(DataModel::Lp64)).expect("a program");
        let at = |text: &str| {
            let edges = program.cfa.edges.iter();
            edges.filter(|e| program.show_op(&e.op) == text).map(|e| e.from).next().expect("an edge")
        };
        let stuck = Stuck::default();
        let shown =
            || stuck.place(&program).map(|(span, text)| format!("{}: {text}", program.sources.text(span)));
        assert_eq!(shown(), None);
        stuck
            .observe("a", &Event::Expanded { at: at("return x"), call_depth: 0, distance: None, ended: &[] });
        assert_eq!(shown().as_deref(), Some("return x;: the search was here"));
        stuck.observe("a", &Event::Tracked { at: at("x = x + 2"), variables: &[] });
        assert_eq!(shown().as_deref(), Some("x = x + 2: the last refinement was here"));
        stuck.observe("a", &Event::Predicate { at: at("x = x + 2"), text: "x > 0", variables: &[] });
        assert_eq!(shown().as_deref(), Some("x = x + 2: the last 2 refinements were here"));
    }
}
