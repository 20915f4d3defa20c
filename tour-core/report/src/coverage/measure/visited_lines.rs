//! Visited lines [COVERAGE §4.2.1.1]: statement lines with an edge that the transfer relation followed.

use super::{Growth, Kind, Marks, Measure};
use crate::coverage::Universe;

pub(super) struct VisitedLines(Marks);

impl VisitedLines {
    pub(super) fn new(universe: &Universe) -> VisitedLines {
        VisitedLines(Marks::new(universe.lines.len()))
    }
}

impl Measure for VisitedLines {
    fn id(&self) -> &'static str {
        "visited-lines"
    }

    fn describe(&self) -> &'static str {
        "statement lines that an analysis went through"
    }

    fn kind(&self) -> Kind {
        Kind::Lines
    }

    fn grow(&mut self, universe: &Universe, growth: &Growth) {
        if let Growth::Edge(visit) = growth
            && let Some(line) = universe.line_of[visit.edge]
        {
            self.0.add(line.index());
        }
    }

    fn count(&self) -> usize {
        self.0.len()
    }

    fn covers(&self, index: usize) -> bool {
        self.0.contains(index)
    }
}
