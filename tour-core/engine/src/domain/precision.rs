//! What is tracked where: predicates, or variables.

use super::Site;
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;
use tour_ir::cfa::LocId;
use tour_ir::choice::Choice;
use tour_ir::program::FnId;

/// Who shares what refinement finds at a location.
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

impl Choice for Sharing {
    fn all() -> Vec<(Sharing, &'static str, &'static str)> {
        vec![
            (Sharing::Location, "location", "Nobody: they are tracked there"),
            (Sharing::Function, "function", "All locations of the function"),
            (Sharing::Global, "global", "The whole program"),
        ]
    }
}

/// The precision of a program: Π : L → 2^T, for predicates or variables T.
#[derive(Clone, Debug)]
pub struct Precision<T> {
    by_loc: FxHashMap<LocId, BTreeSet<T>>,
    by_function: FxHashMap<FnId, BTreeSet<T>>,
    global: BTreeSet<T>,
}

impl<T> Default for Precision<T> {
    fn default() -> Precision<T> {
        Precision { by_loc: FxHashMap::default(), by_function: FxHashMap::default(), global: BTreeSet::new() }
    }
}

impl<T: Copy + Ord> Precision<T> {
    /// Tracks something at a site, shared as asked for. False if it was tracked there already.
    pub fn add(&mut self, sharing: Sharing, site: Site, what: T) -> bool {
        if self.contains(site, what) {
            return false;
        }
        match sharing {
            Sharing::Location => self.by_loc.entry(site.loc).or_default().insert(what),
            Sharing::Function => self.by_function.entry(site.function).or_default().insert(what),
            Sharing::Global => self.global.insert(what),
        }
    }

    /// It is tracked at a site.
    pub fn contains(&self, site: Site, what: T) -> bool {
        self.global.contains(&what)
            || self.by_function.get(&site.function).is_some_and(|s| s.contains(&what))
            || self.by_loc.get(&site.loc).is_some_and(|s| s.contains(&what))
    }

    /// What is tracked at a site, ascending.
    pub fn at(&self, site: Site) -> Vec<T> {
        let mut all: BTreeSet<T> = self.global.clone();
        all.extend(self.by_function.get(&site.function).into_iter().flatten());
        all.extend(self.by_loc.get(&site.loc).into_iter().flatten());
        all.into_iter().collect()
    }

    /// How much was added at a site so far: it only grows.
    pub fn count(&self, site: Site) -> usize {
        self.global.len()
            + self.by_function.get(&site.function).map_or(0, BTreeSet::len)
            + self.by_loc.get(&site.loc).map_or(0, BTreeSet::len)
    }

    /// What is tracked in the whole program.
    pub fn everywhere(&self) -> impl Iterator<Item = T> + '_ {
        self.global.iter().copied()
    }

    /// Everything that is tracked somewhere.
    pub fn all(&self) -> BTreeSet<T> {
        let local = self.by_loc.values().chain(self.by_function.values()).flatten();
        local.chain(&self.global).copied().collect()
    }

    /// Largest and average number of things tracked at a single location, over the locations that track any.
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
    fn sharing_decides_where_it_is_seen() {
        let site = |loc, function| Site { loc: LocId::new(loc), function: FnId::new(function) };
        let mut precision = Precision::default();
        assert!(precision.add(Sharing::Location, site(1, 0), 'p'));
        assert!(precision.add(Sharing::Function, site(1, 0), 'q'));
        assert!(precision.add(Sharing::Global, site(1, 0), 'r'));
        assert!(!precision.add(Sharing::Location, site(1, 0), 'q'));
        assert_eq!(precision.at(site(1, 0)), ['p', 'q', 'r']);
        assert_eq!(precision.at(site(2, 0)), ['q', 'r']);
        assert_eq!(precision.at(site(3, 1)), ['r']);
        assert_eq!(precision.local_statistics(), (1, 1.0));
    }
}
