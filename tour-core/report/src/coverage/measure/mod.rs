//! The measures: each counts covered things of one kind, in relation to all of that kind.

use super::Universe;
use tour_ir::cfa::Visit;
use tour_ir::program::VarId;

pub use considered_locations::Considered;

/// A measure [COVERAGE §3.1]: never negative, never falling, at most 1.
pub trait Measure: Send {
    /// Short stable name.
    fn id(&self) -> &'static str;

    /// What it says, in one line.
    fn describe(&self) -> &'static str;

    /// What it counts.
    fn kind(&self) -> Kind;

    /// Something was seen for the first time.
    fn grow(&mut self, universe: &Universe, growth: &Growth);

    /// Brings it up to date before it is asked: for measures that are more than a count.
    fn settle(&mut self, _universe: &Universe) {}

    /// How many are covered.
    fn count(&self) -> usize;

    /// Thing number `index` of its kind is covered.
    fn covers(&self, index: usize) -> bool;
}

/// What a measure counts.
#[derive(Clone, Copy, PartialEq, Eq, Debug, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// Statement lines, by [`super::LineId`].
    Lines,
    /// Variables, by [`VarId`].
    Variables,
    /// Locations, by [`tour_ir::cfa::LocId`].
    Locations,
}

impl Kind {
    /// How many there are.
    pub fn total(self, universe: &Universe) -> usize {
        match self {
            Kind::Lines => universe.lines.len(),
            Kind::Variables => universe.total_variables(),
            Kind::Locations => universe.total_locations(),
        }
    }
}

/// What measures grow by.
#[derive(Clone, Copy, Debug)]
pub enum Growth<'a> {
    /// An edge was followed for the first time, or led to a new place.
    Edge(Visit),
    /// A variable occurs in an abstract state.
    Abstraction(VarId),
    /// A predicate (or a tracked variable) was added to the precision: its variables.
    Precision(&'a [VarId]),
}

/// Files, what is in them, and what that is made of.
macro_rules! measures {
    (|$universe:ident, $relevant:ident| $($file:ident::$measure:ident($($of:expr),*),)*) => {
        $(mod $file;)*

        /// The measures. `relevant` is the threshold of predicate-relevant variables.
        pub fn all($universe: &Universe, $relevant: f64) -> Vec<Box<dyn Measure>> {
            vec![$(Box::new($file::$measure::new($($of),*))),*]
        }
    };
}

// Those of `[COVERAGE]`, in its order.
measures! {
    |universe, relevant|
    visited_lines::VisitedLines(universe),
    visited_variables::VisitedVariables(universe),
    abstraction_variables::AbstractionVariables(universe),
    considered_locations::ConsideredLocations(universe),
    relevant_variables::RelevantVariables(universe, relevant),
}

/// A set of numbers that only grows.
#[derive(Clone, Debug, Default)]
pub struct Marks {
    set: Vec<bool>,
    count: usize,
}

impl Marks {
    /// None of `len`.
    pub fn new(len: usize) -> Marks {
        Marks { set: vec![false; len], count: 0 }
    }

    /// Adds one. True if it is new.
    pub fn add(&mut self, index: usize) -> bool {
        match self.set.get_mut(index) {
            Some(slot) if !*slot => {
                *slot = true;
                self.count += 1;
                true
            }
            _ => false,
        }
    }

    /// It is in the set.
    pub fn contains(&self, index: usize) -> bool {
        self.set.get(index).copied().unwrap_or(false)
    }

    /// How many.
    pub fn len(&self) -> usize {
        self.count
    }

    /// None.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }
}
