//! Values that are known where a block begins.

use crate::encode::instantiate;
use std::rc::Rc;
use tour_logic::term::{BaseId, TermId, Terms};

/// Variables with their constant values, ascending; that of an array is its closed form
/// ([`Terms::closed_array`]). A block that begins with them has no way out that they exclude.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Default)]
pub struct Known(Rc<[(BaseId, TermId)]>);

impl Known {
    /// These values; later ones of the same variable are ignored.
    pub fn new(mut values: Vec<(BaseId, TermId)>) -> Known {
        values.sort_by_key(|(base, _)| *base);
        values.dedup_by_key(|(base, _)| *base);
        Known(values.into())
    }

    /// All of them, ascending.
    pub fn iter(&self) -> impl Iterator<Item = (BaseId, TermId)> + '_ {
        self.0.iter().copied()
    }

    /// The value of a variable.
    pub fn get(&self, base: BaseId) -> Option<TermId> {
        self.0.binary_search_by_key(&base, |(b, _)| *b).ok().map(|i| self.0[i].1)
    }

    /// Those of some variables, and those of the others.
    pub fn split(&self, wanted: impl Fn(BaseId) -> bool) -> (Known, Known) {
        let (some, others): (Vec<_>, Vec<_>) = self.iter().partition(|(base, _)| wanted(*base));
        (Known(some.into()), Known(others.into()))
    }

    /// Those of some variables.
    #[must_use]
    pub fn only(&self, wanted: impl Fn(BaseId) -> bool) -> Known {
        match self.iter().all(|(base, _)| wanted(base)) {
            true => self.clone(),
            false => Known(self.iter().filter(|(base, _)| wanted(*base)).collect()),
        }
    }

    /// All of both; where both know a variable, the value of `self` counts.
    pub fn and(&self, other: &Known) -> Known {
        if other.is_empty() {
            return self.clone();
        }
        Known::new(self.iter().chain(other.iter().filter(|(b, _)| self.get(*b).is_none())).collect())
    }

    /// How many values are known.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// No value is known.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Everything that is known in `self` is known in `other`, with the same value.
    pub fn is_subset(&self, other: &Known) -> bool {
        self.iter().all(|(base, value)| other.get(base) == Some(value))
    }

    /// The values as a state formula.
    pub fn formula(&self, terms: &mut Terms) -> TermId {
        let mut parts = Vec::with_capacity(self.len());
        for (base, value) in self.iter() {
            let variable = terms.var(base, 0);
            parts.push(terms.eq(variable, value));
        }
        terms.and(&parts)
    }

    /// The values as facts about the beginning of a path.
    pub fn facts(&self, terms: &mut Terms) -> Vec<TermId> {
        let state = self.formula(terms);
        let start = instantiate(terms, state, &Default::default());
        terms.conjuncts(start)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tour_logic::term::Sort;

    #[test]
    fn values_are_found_and_compared() {
        let mut t = Terms::new();
        let [x, y] = ["x", "y"].map(|name| t.declare(name, Sort::BitVec(8), false));
        let (one, two) = (t.bv(8, 1), t.bv(8, 2));
        let (a, b) = (Known::new(vec![(y, two), (x, one)]), Known::new(vec![(x, one)]));
        assert_eq!((a.get(x), a.get(y), b.get(y)), (Some(one), Some(two), None));
        assert!(b.is_subset(&a) && !a.is_subset(&b) && Known::default().is_subset(&b));
        let formula = a.formula(&mut t);
        assert_eq!(t.show(formula), "x == 1 && y == 2");
    }
}
