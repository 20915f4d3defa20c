//! Predicate abstraction [LBE §II.B]: states are Boolean combinations of predicates.

mod abstraction;
mod region;

pub use abstraction::{Abstracted, Abstraction};
pub use region::{PredId, Region, Regions};

use super::{AbstractPath, Domain, Precision, Sharing, Site};
use crate::context::{Engine, Event};
use crate::heuristics::AbstractionLimits;
use crate::refine::Refiner;
use index_vec::IndexVec;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;
use std::rc::Rc;
use tour_evidence::verdict::UnknownReason;
use tour_ir::program::VarId;
use tour_ir::stats::Statistics;
use tour_logic::term::{BaseId, TermId, Terms};
use tour_model::block::Exit;
use tour_model::encode::{Ssa, instantiate};

/// The predicate domain.
pub struct PredicateDomain {
    regions: Regions,
    /// Predicates as state formulas.
    preds: IndexVec<PredId, TermId>,
    pred_ids: FxHashMap<TermId, PredId>,
    precision: Precision<PredId>,
    sharing: Sharing,
    abstraction: Abstraction,
    refiners: Vec<Box<dyn Refiner>>,
    cache: FxHashMap<(TermId, Vec<TermId>, Vec<PredId>), Abstracted>,
    /// How many assignments are enumerated for one abstraction.
    limit: usize,
    /// The limit grows by this factor when the abstraction has to be sharper.
    growth: usize,
    /// The limit made an abstraction coarser.
    coarse: bool,
    /// Predicates that an observer knows of.
    emitted: FxHashSet<PredId>,
    /// The variables of predicates.
    bases: IndexVec<PredId, Vec<BaseId>>,
    /// Those that a way out of a block is about: its formula, what it writes, and how many predicates there were.
    touched: FxHashMap<(TermId, Vec<BaseId>, usize), Rc<FxHashSet<PredId>>>,
    /// Predicates that nobody will look at after the next block.
    unwanted: FxHashSet<PredId>,
    /// Statistics.
    pub counts: Counts,
}

/// What the domain has done.
#[derive(Clone, Copy, Debug, Default)]
pub struct Counts {
    /// Abstractions computed.
    pub abstractions: u64,
    /// Abstractions found in the cache.
    pub cached: u64,
}

impl PredicateDomain {
    /// No predicates yet. Refinement strategies are tried in order until one adds precision.
    pub fn new(
        abstraction: Abstraction,
        sharing: Sharing,
        refiners: Vec<Box<dyn Refiner>>,
        limits: AbstractionLimits,
    ) -> PredicateDomain {
        PredicateDomain {
            regions: Regions::default(),
            preds: IndexVec::new(),
            pred_ids: FxHashMap::default(),
            precision: Precision::default(),
            sharing,
            abstraction,
            refiners,
            cache: FxHashMap::default(),
            limit: limits.max_assignments,
            growth: limits.assignments_growth,
            coarse: false,
            emitted: FxHashSet::default(),
            bases: IndexVec::new(),
            touched: FxHashMap::default(),
            unwanted: FxHashSet::default(),
            counts: Counts::default(),
        }
    }

    /// How many predicates there are.
    pub fn predicates(&self) -> usize {
        self.preds.len()
    }

    /// The precision.
    pub fn precision(&self) -> &Precision<PredId> {
        &self.precision
    }

    /// The strongest region after a block that is entered with `before` (a state formula) and whose instances satisfy
    /// `given`; `None` if there is no successor.
    pub fn abstraction(
        &mut self,
        engine: &mut Engine,
        before: TermId,
        given: &[TermId],
        exit: &Exit,
        site: Option<Site>,
    ) -> Result<Option<Region>, UnknownReason> {
        let mut preds = site.map_or(Vec::new(), |s| self.precision.at(s));
        preds.retain(|pred| !self.unwanted.contains(pred));
        self.abstraction_of(engine, before, given, exit, site, preds)
    }

    fn abstraction_of(
        &mut self,
        engine: &mut Engine,
        before: TermId,
        given: &[TermId],
        exit: &Exit,
        site: Option<Site>,
        preds: Vec<PredId>,
    ) -> Result<Option<Region>, UnknownReason> {
        let mut given = given.to_vec();
        given.push(instantiate(&mut engine.terms, before, &Ssa::default()));
        let key = (exit.formula, given, preds);
        if let Some(known) = self.cache.get(&key) {
            self.counts.cached += 1;
            return Ok(known.region.clone());
        }
        self.counts.abstractions += 1;
        let preds: Vec<(PredId, TermId)> = key.2.iter().map(|&p| (p, self.preds[p])).collect();
        let found = self.abstraction.compute(&self.regions, engine, &key.1, exit, &preds, self.limit)?;
        self.coarse |= found.coarse;
        self.cache.insert(key, found.clone());
        self.emit_abstraction(engine, found.region.as_ref(), site);
        Ok(found.region)
    }

    /// Takes more trouble with abstractions from now on. False if none was coarse.
    fn sharpen(&mut self) -> bool {
        let coarse = std::mem::take(&mut self.coarse);
        if coarse {
            self.limit = self.limit.saturating_mul(self.growth);
            self.cache.retain(|_, found| !found.coarse);
        }
        coarse
    }

    /// Those that occurred before have been emitted.
    fn emit_abstraction(&mut self, engine: &Engine, region: Option<&Region>, site: Option<Site>) {
        let (true, Some(region), Some(site)) = (engine.watch.is_on(), region, site) else { return };
        let new: Vec<PredId> =
            region.support().into_iter().filter(|pred| self.emitted.insert(*pred)).collect();
        if new.is_empty() {
            return;
        }
        let variables: BTreeSet<VarId> =
            new.into_iter().flat_map(|pred| engine.variables(self.preds[pred])).collect();
        let variables: Vec<VarId> = variables.into_iter().collect();
        engine.watch.emit(&Event::Abstraction { at: site.loc, variables: &variables });
    }

    /// The region without some predicates, which may hold or not.
    pub fn without(&self, region: &Region, dropped: impl Fn(TermId) -> bool) -> Region {
        region.without(|pred| dropped(self.preds[pred]))
    }

    /// Predicates that share no variable, directly or through others, with those about wanted variables are not looked at
    /// after the next blocks.
    pub fn focus(&mut self, wanted: &dyn Fn(BaseId) -> bool) {
        let mut found: FxHashSet<BaseId> = FxHashSet::default();
        self.unwanted = self.preds.indices().collect();
        loop {
            let before = self.unwanted.len();
            self.unwanted.retain(|pred| {
                let is_wanted = self.bases[*pred].iter().any(|base| found.contains(base) || wanted(*base));
                if is_wanted {
                    found.extend(&self.bases[*pred]);
                }
                !is_wanted
            });
            if self.unwanted.len() == before {
                return;
            }
        }
    }

    /// A predicate that is looked at may depend on the variable.
    pub fn speaks_of(&self, variable: BaseId) -> bool {
        let about = |(pred, bases): (PredId, &Vec<BaseId>)| {
            bases.contains(&variable) && !self.unwanted.contains(&pred)
        };
        self.bases.iter_enumerated().any(about)
    }

    /// Cartesian abstraction, predicate by predicate: those that share no variable with the block, nor with predicates
    /// that do, keep their values. What is computed does not depend on them, so that it is found in the cache again.
    fn cartesian_post(
        &mut self,
        engine: &mut Engine,
        state: &Region,
        exit: &Exit,
        site: Option<Site>,
    ) -> Result<Vec<Region>, UnknownReason> {
        let touched = self.touched(engine, exit);
        let (mut near, mut far) = (Vec::new(), Vec::new());
        for (pred, value) in self.values(state) {
            if touched.contains(&pred) {
                near.push((pred, value));
            } else if !self.unwanted.contains(&pred)
                && site.is_some_and(|site| self.precision.contains(site, pred))
            {
                far.push((pred, value));
            }
        }
        let near = self.regions.cube(&near);
        let before = self.formula(&mut engine.terms, &near);
        let wanted: Vec<PredId> = match site {
            Some(site) => {
                let wanted = |p: &PredId| touched.contains(p) && !self.unwanted.contains(p);
                self.precision.at(site).into_iter().filter(wanted).collect()
            }
            None => Vec::new(),
        };
        let region = self.abstraction_of(engine, before, &[], exit, site, wanted)?;
        if far.is_empty() {
            return Ok(region.into_iter().collect());
        }
        Ok(region.map(|region| region.and(&self.regions.cube(&far))).into_iter().collect())
    }

    /// The predicates that have the same value in all of a region.
    fn values(&self, region: &Region) -> Vec<(PredId, bool)> {
        region.literals().unwrap_or_else(|| {
            let value = |pred: PredId| {
                let is = |value: &bool| region.entails(&self.regions.cube(&[(pred, *value)]));
                Some((pred, [true, false].into_iter().find(is)?))
            };
            region.support().into_iter().filter_map(value).collect()
        })
    }

    /// The predicates that share a variable with a way out of a block, or with others that do.
    fn touched(&mut self, engine: &Engine, exit: &Exit) -> Rc<FxHashSet<PredId>> {
        let written: Vec<BaseId> = exit.path.ssa.written().map(|(base, _)| base).collect();
        let key = (exit.formula, written, self.preds.len());
        if let Some(known) = self.touched.get(&key) {
            return known.clone();
        }
        let mut bases: FxHashSet<BaseId> = key.1.iter().copied().collect();
        bases.extend(engine.terms.free_symbols(exit.formula).iter().map(|s| s.base));
        let mut touched = FxHashSet::default();
        loop {
            let before = touched.len();
            for (pred, own) in self.bases.iter_enumerated() {
                if own.iter().any(|base| bases.contains(base)) && touched.insert(pred) {
                    bases.extend(own);
                }
            }
            if touched.len() == before {
                break;
            }
        }
        let touched = Rc::new(touched);
        self.touched.insert(key, touched.clone());
        touched
    }

    fn pred(&mut self, terms: &mut Terms, formula: TermId) -> Option<PredId> {
        // A predicate and its negation are one.
        let negated = terms.not(formula);
        let formula = formula.min(negated);
        if let Some(&id) = self.pred_ids.get(&formula) {
            return Some(id);
        }
        if self.preds.len() >= region::MAX_PREDICATES {
            return None;
        }
        let id = self.preds.push(formula);
        self.bases.push(terms.free_symbols(formula).iter().map(|symbol| symbol.base).collect());
        self.pred_ids.insert(formula, id);
        Some(id)
    }
}

fn emit_predicate(engine: &Engine, site: Site, formula: TermId) {
    if engine.watch.is_on() {
        let (text, variables) = (engine.terms.show(formula), engine.variables(formula));
        engine.watch.emit(&Event::Predicate { at: site.loc, text: &text, variables: &variables });
    }
}

impl Domain for PredicateDomain {
    type State = Region;

    fn initial(&mut self) -> Region {
        self.regions.top()
    }

    fn post(
        &mut self,
        engine: &mut Engine,
        state: &Region,
        exit: &Exit,
        site: Option<Site>,
    ) -> Result<Vec<Region>, UnknownReason> {
        if self.abstraction == Abstraction::Cartesian && !engine.program().threads.is_empty() {
            return self.cartesian_post(engine, state, exit, site);
        }
        let before = self.formula(&mut engine.terms, state);
        Ok(self.abstraction(engine, before, &[], exit, site)?.into_iter().collect())
    }

    fn focus(&mut self, wanted: &dyn Fn(BaseId) -> bool) {
        PredicateDomain::focus(self, wanted);
    }

    fn tracked(&self, terms: &Terms) -> BTreeSet<BaseId> {
        let preds = self.precision.all();
        preds.iter().flat_map(|p| terms.free_symbols(self.preds[*p])).map(|s| s.base).collect()
    }

    fn stamp(&self, site: Site) -> u64 {
        self.precision.count(site) as u64
    }

    fn covers(&mut self, by: &Region, state: &Region) -> bool {
        state.entails(by)
    }

    fn formula(&mut self, terms: &mut Terms, state: &Region) -> TermId {
        // Two closures need the terms in turn.
        let terms = std::cell::RefCell::new(terms);
        state.fold(
            |value| terms.borrow().bool(value),
            |pred, high, low| terms.borrow_mut().ite(self.preds[pred], high, low),
        )
    }

    fn publish(&self, stats: &Statistics) {
        stats.set("predicates", self.predicates());
        let (max, average) = self.precision().local_statistics();
        stats.set("predicates-average", average);
        stats.set("predicates-max", max);
        stats.set("abstractions", self.counts.abstractions);
    }

    fn refine(&mut self, engine: &mut Engine, path: &AbstractPath) -> Result<Option<usize>, UnknownReason> {
        let mut failure = None;
        let mut first = None;
        for i in 0..self.refiners.len() {
            engine.check_interrupt()?;
            let formulas = match self.refiners[i].refine(engine, path) {
                Ok(formulas) => formulas,
                Err(reason) => {
                    failure = Some(reason);
                    continue;
                }
            };
            for (i, site) in path.sites.iter().enumerate() {
                for &formula in formulas.get(i).map(Vec::as_slice).unwrap_or_default() {
                    let Some(formula) = path.express(engine, i, formula) else { continue };
                    if !engine.terms.ghosts(formula).is_empty() {
                        continue;
                    }
                    let Some(pred) = self.pred(&mut engine.terms, formula) else { continue };
                    if self.precision.add(self.sharing, *site, pred) {
                        emit_predicate(engine, *site, self.preds[pred]);
                        first = first.or(Some(i));
                    }
                }
            }
            // The predicates may well be there, and the abstraction be too coarse.
            if first.is_none() && self.sharpen() {
                first = Some(0);
            }
            if first.is_some() {
                break;
            }
        }
        match (first, failure) {
            (None, Some(reason)) => Err(reason),
            (first, _) => Ok(first),
        }
    }
}
