//! Predicate-considered locations [COVERAGE §4.2.2.1, Algorithm 2]: visited locations with a path to them on which the
//! precision knows the variables of every condition. It rules out what an analysis visits only because it does not know
//! enough yet.

use super::{Growth, Kind, Marks, Measure};
use crate::coverage::Universe;
use tour_ir::program::VarId;

/// The set of predicate-considered locations under a set of variables.
#[derive(Clone, Debug)]
pub struct Considered {
    locations: Marks,
    /// Those that count.
    count: usize,
    /// What the transfer relation followed: edges that led to their own target or into a callee, and calls that
    /// returned.
    followed: Marks,
    returned: Marks,
}

impl Considered {
    pub(super) fn new(universe: &Universe) -> Considered {
        Considered {
            locations: Marks::new(universe.locations.len()),
            count: 0,
            followed: Marks::new(universe.from.len()),
            returned: Marks::new(universe.from.len()),
        }
    }

    /// An edge was followed.
    pub(super) fn follow(&mut self, universe: &Universe, visit: &tour_ir::cfa::Visit) {
        let behind_call =
            universe.callee_exit[visit.edge].is_some() && visit.to == Some(universe.to[visit.edge]);
        if behind_call {
            self.returned.add(visit.edge.index());
        } else {
            self.followed.add(visit.edge.index());
        }
    }

    pub(super) fn len(&self) -> usize {
        self.count
    }

    pub(super) fn contains(&self, index: usize) -> bool {
        self.locations.contains(index)
    }

    fn add(&mut self, universe: &Universe, loc: tour_ir::cfa::LocId) -> bool {
        let new = self.locations.add(loc.index());
        self.count += usize::from(new && universe.locations[loc]);
        new
    }

    /// Adds what is considered now: a visited location is, if the edge to it satisfies Algorithm 2 and all its visited
    /// predecessors are considered. (Those behind it in a loop are not asked: they come after it.)
    pub(super) fn extend(
        &mut self,
        universe: &Universe,
        is_known: impl Fn(VarId) -> bool,
        entries: &[Entry],
    ) {
        if let (Some(entry), false) = (universe.entry, self.followed.is_empty()) {
            self.add(universe, entry);
        }
        loop {
            let mut changed = false;
            for &edge in &universe.ordered {
                let (from, to) = (universe.from[edge], universe.to[edge]);
                let led_there = match universe.callee_exit[edge] {
                    Some(exit) => self.returned.contains(edge.index()) && self.contains(exit.index()),
                    None => self.followed.contains(edge.index()),
                };
                if led_there
                    && self.contains(from.index())
                    && !self.contains(to.index())
                    && predicate_considered(universe, edge, &is_known)
                    && self.predecessors_are_considered(universe, to)
                {
                    changed |= self.add(universe, to);
                }
            }
            for &Entry { call, entry } in entries {
                if self.contains(universe.from[call].index()) && !self.contains(entry.index()) {
                    changed |= self.add(universe, entry);
                }
            }
            if !changed {
                return;
            }
        }
    }

    fn predecessors_are_considered(&self, universe: &Universe, loc: tour_ir::cfa::LocId) -> bool {
        universe.into[loc].iter().all(|edge| {
            let visited = self.followed.contains(edge.index()) || self.returned.contains(edge.index());
            !visited || universe.back[*edge] || self.contains(universe.from[*edge].index())
        })
    }
}

/// A call led to the entry of a function.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Entry {
    pub(super) call: tour_ir::cfa::EdgeId,
    pub(super) entry: tour_ir::cfa::LocId,
}

/// Algorithm 2.
fn predicate_considered(
    universe: &Universe,
    edge: tour_ir::cfa::EdgeId,
    is_known: impl Fn(VarId) -> bool,
) -> bool {
    !universe.assumes[edge] || universe.mentioned[edge].iter().all(|var| is_known(*var))
}

/// What both measures of this kind keep: what was followed, and how often a variable occurs in predicates.
pub(super) struct Knowledge {
    pub considered: Considered,
    entries: Vec<Entry>,
    /// How many predicates a variable occurs in.
    pub occurrences: Vec<u32>,
    dirty: bool,
}

impl Knowledge {
    pub(super) fn new(universe: &Universe) -> Knowledge {
        Knowledge {
            considered: Considered::new(universe),
            entries: Vec::new(),
            occurrences: vec![0; universe.variables.len()],
            dirty: false,
        }
    }

    pub(super) fn grow(&mut self, universe: &Universe, growth: &Growth) {
        match growth {
            Growth::Edge(visit) => {
                self.considered.follow(universe, visit);
                if let Some(to) = visit.to
                    && universe.function_of[to] != universe.function_of[universe.from[visit.edge]]
                {
                    self.entries.push(Entry { call: visit.edge, entry: to });
                }
            }
            Growth::Precision(variables) => {
                for var in *variables {
                    self.occurrences[var.index()] += 1;
                }
            }
            Growth::Abstraction(_) => return,
        }
        self.dirty = true;
    }

    /// Brings the locations up to date.
    pub(super) fn settle(&mut self, universe: &Universe, is_known: impl Fn(u32) -> bool) {
        if std::mem::take(&mut self.dirty) {
            let occurrences = &self.occurrences;
            self.considered.extend(universe, |var| is_known(occurrences[var.index()]), &self.entries);
        }
    }
}

pub(super) struct ConsideredLocations(Knowledge);

impl ConsideredLocations {
    pub(super) fn new(universe: &Universe) -> ConsideredLocations {
        ConsideredLocations(Knowledge::new(universe))
    }
}

impl Measure for ConsideredLocations {
    fn id(&self) -> &'static str {
        "considered-locations"
    }

    fn describe(&self) -> &'static str {
        "locations behind conditions whose variables the precision knows"
    }

    fn kind(&self) -> Kind {
        Kind::Locations
    }

    fn grow(&mut self, universe: &Universe, growth: &Growth) {
        self.0.grow(universe, growth);
    }

    fn settle(&mut self, universe: &Universe) {
        self.0.settle(universe, |occurrences| occurrences > 0);
    }

    fn count(&self) -> usize {
        self.0.considered.len()
    }

    fn covers(&self, index: usize) -> bool {
        self.0.considered.contains(index)
    }
}
