//! The product of explicit values and predicates, with dynamic precision adjustment.
//!
//! A variable is tracked by its values as long as it has few of them at a location; beyond that it is left to
//! predicates. States are pairs; the values come first, so that each block is specialised for them before predicates
//! are looked at.

use super::predicate::{PredicateDomain, Region};
use super::value::Tracking;
use super::{AbstractPath, Domain, Site};
use crate::context::Engine;
use std::collections::BTreeSet;
use tour_evidence::verdict::UnknownReason;
use tour_ir::stats::Statistics;
use tour_logic::term::{BaseId, TermId, Terms};
use tour_model::block::{Exit, Known};

/// The product domain.
pub struct ProductDomain {
    /// Values.
    pub tracking: Tracking,
    /// Predicates.
    pub predicates: PredicateDomain,
}

impl Domain for ProductDomain {
    type State = (Known, Region);

    fn initial(&mut self) -> (Known, Region) {
        (Known::default(), self.predicates.initial())
    }

    fn known(&self, state: &(Known, Region)) -> Known {
        state.0.clone()
    }

    fn post(
        &mut self,
        engine: &mut Engine,
        (_, region): &(Known, Region),
        exit: &Exit,
        site: Option<Site>,
    ) -> Result<Vec<(Known, Region)>, UnknownReason> {
        let before = self.predicates.formula(&mut engine.terms, region);
        let values = self.tracking.post(engine, before, exit, site)?;
        // That there is a successor is clear by now; without predicates nothing else is to be found out.
        if site.is_none_or(|site| self.predicates.precision().at(site).is_empty()) {
            let region = self.predicates.initial();
            return Ok(values.into_iter().map(|known| (known, region.clone())).collect());
        }
        let mut states = Vec::with_capacity(values.len());
        for known in values {
            // With these values after the block.
            let mut chosen = exit.clone();
            let mut facts = Vec::new();
            for (base, value) in known.iter().filter(|(base, _)| exit.path.ssa.known(*base).is_none()) {
                let variable = engine.terms.symbol(exit.path.ssa.symbol(base));
                let fact = engine.terms.eq(variable, value);
                chosen.path.add(&engine.terms, fact);
                facts.push(fact);
            }
            if let Some(region) = self.predicates.abstraction(engine, before, &facts, &chosen, site)? {
                states.push((known, region));
            }
        }
        Ok(states)
    }

    fn keep(&self, state: (Known, Region), known: &Known) -> (Known, Region) {
        (state.0.and(known), state.1)
    }

    fn only(&self, state: (Known, Region), wanted: &dyn Fn(BaseId) -> bool) -> (Known, Region) {
        // A value may decide a predicate.
        (state.0.only(|base| wanted(base) || self.predicates.speaks_of(base)), state.1)
    }

    fn focus(&mut self, wanted: &dyn Fn(BaseId) -> bool) {
        self.predicates.focus(wanted);
        let predicates = &self.predicates;
        self.tracking.focus(&|base| wanted(base) || predicates.speaks_of(base));
    }

    fn is_known(&self, (_, region): &(Known, Region)) -> bool {
        region.is_top()
    }

    fn tracked(&self, terms: &Terms) -> BTreeSet<BaseId> {
        let mut all = self.tracking.precision().all();
        all.extend(self.predicates.tracked(terms));
        all
    }

    fn stamp(&self, site: Site) -> u64 {
        (self.tracking.precision().count(site) + self.predicates.precision().count(site)) as u64
    }

    fn covers(&mut self, by: &(Known, Region), state: &(Known, Region)) -> bool {
        by.0.is_subset(&state.0) && self.predicates.covers(&by.1, &state.1)
    }

    fn formula(&mut self, terms: &mut Terms, state: &(Known, Region)) -> TermId {
        let (values, region) = (state.0.formula(terms), self.predicates.formula(terms, &state.1));
        terms.and2(values, region)
    }

    fn publish(&self, stats: &Statistics) {
        stats.set("tracked-variables", self.tracking.precision().all().len());
        self.predicates.publish(stats);
    }

    fn refine(&mut self, engine: &mut Engine, path: &AbstractPath) -> Result<Option<usize>, UnknownReason> {
        match self.tracking.refine(engine, path)? {
            Some(first) => Ok(Some(first)),
            None => self.predicates.refine(engine, path),
        }
    }
}
