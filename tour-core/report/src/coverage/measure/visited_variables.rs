//! Visited variables [COVERAGE §4.2.1.2]: variables whose declaration lies on a visited line. Those with static storage are
//! declared before the entry.

use super::{Growth, Kind, Marks, Measure};
use crate::coverage::Universe;

pub(super) struct VisitedVariables(Marks);

impl VisitedVariables {
    pub(super) fn new(universe: &Universe) -> VisitedVariables {
        VisitedVariables(Marks::new(universe.variables.len()))
    }
}

impl Measure for VisitedVariables {
    fn id(&self) -> &'static str {
        "visited-variables"
    }

    fn describe(&self) -> &'static str {
        "variables whose declaration an analysis went through"
    }

    fn kind(&self) -> Kind {
        Kind::Variables
    }

    fn grow(&mut self, universe: &Universe, growth: &Growth) {
        let Growth::Edge(visit) = growth else { return };
        if self.0.is_empty() {
            for var in &universe.statics {
                self.0.add(var.index());
            }
        }
        // A declaration, or what the front end has made of one with an initialiser.
        for var in universe.mentioned[visit.edge].iter().filter(|var| universe.variables[**var]) {
            self.0.add(var.index());
        }
    }

    fn count(&self) -> usize {
        self.0.len()
    }

    fn covers(&self, index: usize) -> bool {
        self.0.contains(index)
    }
}
