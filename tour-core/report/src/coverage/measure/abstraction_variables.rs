//! Predicate-abstraction variables [COVERAGE §4.2.1.3]: variables that occur in the abstraction formula of a state. With
//! explicit values, those whose values a state knows.

use super::{Growth, Kind, Marks, Measure};
use crate::coverage::Universe;

pub(super) struct AbstractionVariables(Marks);

impl AbstractionVariables {
    pub(super) fn new(universe: &Universe) -> AbstractionVariables {
        AbstractionVariables(Marks::new(universe.variables.len()))
    }
}

impl Measure for AbstractionVariables {
    fn id(&self) -> &'static str {
        "abstraction-variables"
    }

    fn describe(&self) -> &'static str {
        "variables that abstract states speak of"
    }

    fn kind(&self) -> Kind {
        Kind::Variables
    }

    fn grow(&mut self, universe: &Universe, growth: &Growth) {
        if let Growth::Abstraction(var) = growth
            && universe.variables[*var]
        {
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
