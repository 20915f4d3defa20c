//! Which predicates are tracked where.

use super::region::PredId;
use crate::cfa::LocId;
use crate::program::FnId;
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

/// Who shares predicates that refinement finds at a location.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Sharing {
    /// Only that location.
    #[default]
    Location,
    /// All locations of its function.
    Function,
    /// The whole program.
    Global,
}

/// The precision of a program: Π : L → 2^P.
#[derive(Clone, Debug, Default)]
pub struct Precision {
    by_loc: FxHashMap<LocId, BTreeSet<PredId>>,
    by_function: FxHashMap<FnId, BTreeSet<PredId>>,
    global: BTreeSet<PredId>,
}

impl Precision {
    /// Adds a predicate at a location, shared as asked for. False if it was there already.
    pub fn add(&mut self, sharing: Sharing, loc: LocId, function: FnId, pred: PredId) -> bool {
        if self.contains(loc, function, pred) {
            return false;
        }
        match sharing {
            Sharing::Location => self.by_loc.entry(loc).or_default().insert(pred),
            Sharing::Function => self.by_function.entry(function).or_default().insert(pred),
            Sharing::Global => self.global.insert(pred),
        }
    }

    /// The predicate is tracked at a location.
    pub fn contains(&self, loc: LocId, function: FnId, pred: PredId) -> bool {
        self.global.contains(&pred)
            || self.by_function.get(&function).is_some_and(|s| s.contains(&pred))
            || self.by_loc.get(&loc).is_some_and(|s| s.contains(&pred))
    }

    /// The predicates tracked at a location, ascending.
    pub fn at(&self, loc: LocId, function: FnId) -> Vec<PredId> {
        let mut all: BTreeSet<PredId> = self.global.clone();
        all.extend(self.by_function.get(&function).into_iter().flatten());
        all.extend(self.by_loc.get(&loc).into_iter().flatten());
        all.into_iter().collect()
    }

    /// Largest and average number of location-local predicates over the locations that have any.
    pub fn local_statistics(&self) -> (usize, f64) {
        let max = self.by_loc.values().map(BTreeSet::len).max().unwrap_or(0);
        let sum: usize = self.by_loc.values().map(BTreeSet::len).sum();
        (max, if self.by_loc.is_empty() { 0.0 } else { sum as f64 / self.by_loc.len() as f64 })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sharing_decides_where_a_predicate_is_seen() {
        let (l1, l2, l3) = (LocId::new(1), LocId::new(2), LocId::new(3));
        let (f, g) = (FnId::new(0), FnId::new(1));
        let [p, q, r] = [0, 1, 2].map(PredId::new);
        let mut precision = Precision::default();
        assert!(precision.add(Sharing::Location, l1, f, p));
        assert!(precision.add(Sharing::Function, l1, f, q));
        assert!(precision.add(Sharing::Global, l1, f, r));
        assert!(!precision.add(Sharing::Location, l1, f, q));
        assert_eq!(precision.at(l1, f), [p, q, r]);
        assert_eq!(precision.at(l2, f), [q, r]);
        assert_eq!(precision.at(l3, g), [r]);
    }
}
