//! Reduction: what a block is not concerned with is taken out of a state before the block is analysed, so that the
//! result can be used again in other contexts.
//!
//! It may drop only what expansion puts back exactly. Expansion is the same for all domains: the state at the call, the
//! call, and an exit of the block become one formula, in which everything that the block does not write keeps its value
//! ([`super::call`]).

use crate::context::Site;
use crate::domain::Domain;
use crate::domain::predicate::{PredicateDomain, Region};
use crate::domain::product::ProductDomain;
use crate::domain::value::ValueDomain;
use std::hash::Hash;
use tour_logic::term::{BaseId, Terms};
use tour_model::block::Known;

/// A domain whose states can be reduced.
pub trait Reducer: Domain<State: Eq + Hash> {
    /// The state as far as it speaks of variables that are kept.
    fn reduce(&mut self, terms: &Terms, state: &Self::State, keep: &dyn Fn(BaseId) -> bool) -> Self::State;

    /// The state as far as it speaks of variables that are not written, and of nothing else.
    fn frame(&mut self, terms: &Terms, state: &Self::State, written: &dyn Fn(BaseId) -> bool) -> Self::State;

    /// Follows the values of variables at a site, where that is cheaper than looking at a counterexample. False if
    /// they are followed already, or can't be.
    fn follow(&mut self, _site: Site, _variables: &[BaseId]) -> bool {
        false
    }
}

impl Reducer for PredicateDomain {
    fn reduce(&mut self, terms: &Terms, state: &Region, keep: &dyn Fn(BaseId) -> bool) -> Region {
        self.without(state, |pred| !terms.free_symbols(pred).iter().any(|s| keep(s.base)))
    }

    fn frame(&mut self, terms: &Terms, state: &Region, written: &dyn Fn(BaseId) -> bool) -> Region {
        self.without(state, |pred| terms.free_symbols(pred).iter().any(|s| written(s.base)))
    }
}

impl Reducer for ValueDomain {
    fn reduce(&mut self, _terms: &Terms, state: &Known, keep: &dyn Fn(BaseId) -> bool) -> Known {
        Known::new(state.iter().filter(|(base, _)| keep(*base)).collect())
    }

    fn frame(&mut self, _terms: &Terms, state: &Known, written: &dyn Fn(BaseId) -> bool) -> Known {
        Known::new(state.iter().filter(|(base, _)| !written(*base)).collect())
    }

    fn follow(&mut self, site: Site, variables: &[BaseId]) -> bool {
        variables.iter().filter(|v| self.tracking.add(site, **v)).count() > 0
    }
}

impl Reducer for ProductDomain {
    fn reduce(
        &mut self,
        terms: &Terms,
        (known, region): &(Known, Region),
        keep: &dyn Fn(BaseId) -> bool,
    ) -> (Known, Region) {
        let known = Known::new(known.iter().filter(|(base, _)| keep(*base)).collect());
        (known, self.predicates.reduce(terms, region, keep))
    }

    fn frame(
        &mut self,
        terms: &Terms,
        (known, region): &(Known, Region),
        written: &dyn Fn(BaseId) -> bool,
    ) -> (Known, Region) {
        let known = Known::new(known.iter().filter(|(base, _)| !written(*base)).collect());
        (known, self.predicates.frame(terms, region, written))
    }

    fn follow(&mut self, site: Site, variables: &[BaseId]) -> bool {
        variables.iter().filter(|v| self.tracking.add(site, **v)).count() > 0
    }
}
