//! Explicit-value abstraction [COI §2.4.2]: a state knows the values of tracked variables.
//!
//! The precision is a set of variables for each location. The successors of a state are found by enumerating, with the
//! solver, the values that the tracked variables can have after the block. Where there are more than a bound, the
//! variable that has most of them is unknown in the successors. A variable that has had too many values at a location
//! is not tracked there any more.
//!
//! With [`Tracking::everything`] there is no precision: all that has a clear value is known, arrays included, so that
//! nothing is ever refined but the bound on enumerations.

mod enumerate;

use super::{AbstractPath, Domain, Precision, Sharing, Site};
use crate::context::{Engine, Event};
use crate::heuristics::AbstractionLimits;
use crate::refine::interface_core;
use enumerate::{Assignment, Enumeration, assignment};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;
use tour_evidence::verdict::UnknownReason;
use tour_ir::stats::Statistics;
use tour_logic::term::{BaseId, Sort, Symbol, TermId, Terms};
use tour_model::block::{Exit, Known};
use tour_model::encode::{Ssa, instantiate};

/// Which variables are tracked where, and what has come of it.
pub struct Tracking {
    precision: Precision<BaseId>,
    /// All variables are tracked everywhere, whatever the precision says.
    everything: bool,
    sharing: Sharing,
    /// A bound on the number of combinations of values at the end of a block.
    max_values: usize,
    /// A bound on the number of values of a variable at one location.
    max_seen: usize,
    limits: AbstractionLimits,
    seen: FxHashMap<(tour_ir::cfa::LocId, BaseId), FxHashSet<TermId>>,
    /// Tracked variables that nobody will look at after the next block.
    unwanted: FxHashSet<BaseId>,
    /// Variables that have too many values at a location.
    given_up: FxHashSet<(tour_ir::cfa::LocId, BaseId)>,
    /// What was enumerated, by what was asked: the block with what held before, and the open variables.
    asked: FxHashMap<(TermId, Vec<TermId>), Enumeration>,
}

impl Tracking {
    /// What is needed to exclude a path is tracked where it is.
    pub fn new(limits: AbstractionLimits) -> Tracking {
        Tracking {
            precision: Precision::default(),
            everything: false,
            sharing: Sharing::default(),
            max_values: limits.max_values,
            max_seen: limits.max_values_of_variable,
            limits,
            seen: FxHashMap::default(),
            unwanted: FxHashSet::default(),
            given_up: FxHashSet::default(),
            asked: FxHashMap::default(),
        }
    }

    /// Which variables are tracked where.
    pub fn precision(&self) -> &Precision<BaseId> {
        &self.precision
    }

    /// With another limit on the number of values of a variable at one location.
    pub fn with_max_seen(limits: AbstractionLimits, max_seen: usize) -> Tracking {
        Tracking { max_seen, ..Tracking::new(limits) }
    }

    /// What is tracked at one location is tracked everywhere.
    pub fn global(limits: AbstractionLimits, max_seen: usize, max_values: usize) -> Tracking {
        Tracking { max_seen, max_values, sharing: Sharing::Global, ..Tracking::new(limits) }
    }

    /// All variables are tracked everywhere.
    pub fn everything(limits: AbstractionLimits, max_values: usize) -> Tracking {
        Tracking { everything: true, ..Tracking::global(limits, usize::MAX, max_values) }
    }

    /// Other variables than these are not enumerated after the next blocks.
    pub fn focus(&mut self, wanted: &dyn Fn(BaseId) -> bool) {
        self.unwanted.clear();
        self.unwanted.extend(self.precision.everywhere().filter(|base| !wanted(*base)));
    }

    /// Starts to track a variable. False if it is tracked there already, or was given up.
    pub fn add(&mut self, site: Site, variable: BaseId) -> bool {
        !self.given_up.contains(&(site.loc, variable)) && self.precision.add(self.sharing, site, variable)
    }

    /// The values of tracked variables after a block that is entered with `before` (besides the values the block
    /// knows); none if there is no successor.
    pub fn post(
        &mut self,
        engine: &mut Engine,
        before: TermId,
        exit: &Exit,
        site: Option<Site>,
    ) -> Result<Vec<Known>, UnknownReason> {
        let start = instantiate(&mut engine.terms, before, &Ssa::default());
        let whole = engine.terms.and2(exit.formula, start);
        let mut enumeration = match site {
            Some(_) if self.everything => match assignment(&mut engine.terms, whole) {
                // Nothing has to be found out.
                Some(values) => return Ok(vec![settled(engine, &exit.path.ssa, values)]),
                None => {
                    let mentioned = engine.terms.free_symbols(whole);
                    let all: BTreeSet<BaseId> = mentioned.iter().map(|symbol| symbol.base).collect();
                    let all = all.into_iter().filter(|base| engine.blocks.encoder.cell_of(*base).is_some());
                    open(&mut engine.terms, &exit.path.ssa, &mentioned, all)
                }
            },
            Some(site) => {
                let tracked = self.precision.at(site);
                let mentioned =
                    if tracked.is_empty() { BTreeSet::new() } else { engine.terms.free_symbols(whole) };
                let is_open = |base: &BaseId| {
                    !self.unwanted.contains(base) && !self.given_up.contains(&(site.loc, *base))
                };
                let tracked = tracked.into_iter().filter(is_open);
                open(&mut engine.terms, &exit.path.ssa, &mentioned, tracked)
            }
            None => Enumeration::default(),
        };
        let question = (whole, enumeration.open.iter().map(|(_, symbol)| *symbol).collect());
        let is_clear = enumeration.read_off(&mut engine.terms, whole)
            || enumeration.open.is_empty() && engine.terms.is_evident(whole) && enumeration.is_possible();
        if !is_clear {
            match self.asked.get(&question) {
                Some(known) => enumeration.take_over(known),
                None => {
                    engine.ask(exit.formula, |engine, solver| {
                        solver.assert(&engine.terms, start);
                        enumeration.run(engine, solver, self.max_values)
                    })?;
                    if self.asked.len() >= self.limits.max_cached_enumerations {
                        self.asked.clear();
                    }
                    self.asked.insert(question, enumeration.clone());
                }
            }
        }
        let Some(site) = site else { return Ok(enumeration.states()) };
        let states = enumeration.states();
        let mut too_many = false;
        for (base, value) in states.iter().flat_map(Known::iter) {
            let seen = self.seen.entry((site.loc, base)).or_default();
            seen.insert(value);
            if seen.len() > self.max_seen {
                too_many |= self.given_up.insert((site.loc, base));
            }
        }
        if !too_many {
            return Ok(states);
        }
        let kept = |known: &Known| {
            Known::new(known.iter().filter(|(b, _)| !self.given_up.contains(&(site.loc, *b))).collect())
        };
        Ok(states.iter().map(kept).collect::<BTreeSet<_>>().into_iter().collect())
    }

    /// Tracks the variables through which the path's blocks contradict each other. Returns the first block after which
    /// something new is tracked.
    pub fn refine(
        &mut self,
        engine: &mut Engine,
        path: &AbstractPath,
    ) -> Result<Option<usize>, UnknownReason> {
        if self.everything {
            // Where values were too many to be told apart, more of them may be what it takes.
            let more = self.max_values < self.limits.max_values_grown;
            self.max_values = self.max_values.saturating_mul(self.limits.values_growth);
            self.asked.clear();
            return Ok(more.then_some(0));
        }
        let needed = interface_core(engine, path)?;
        match self.add_all(engine, path, &needed) {
            Some(first) => Ok(Some(first)),
            None if engine.program().threads.is_empty() => Ok(None),
            // The path is excluded by more than values: all that theirs are made of may decide it.
            None => {
                let slice = values_behind(engine, path, needed);
                Ok(self.add_all(engine, path, &slice))
            }
        }
    }

    fn add_all(
        &mut self,
        engine: &mut Engine,
        path: &AbstractPath,
        needed: &[BTreeSet<BaseId>],
    ) -> Option<usize> {
        let mut first = None;
        for (i, (site, variables)) in path.sites.iter().zip(needed).enumerate() {
            for &variable in variables {
                if !matches!(engine.terms.base(variable).sort, Sort::Array { .. })
                    && !engine.terms.is_ghost(variable)
                    && let Some(variable) = path.name(engine, i, variable)
                    && self.add(*site, variable)
                {
                    if engine.watch.is_on() {
                        let variables = engine.blocks.encoder.variables_of(variable);
                        engine.watch.emit(&Event::Tracked { at: site.loc, variables: &variables });
                    }
                    first = first.or(Some(i));
                }
            }
        }
        first
    }
}

/// What is known after a block that only assigns values.
fn settled(engine: &Engine, ssa: &Ssa, values: Assignment) -> Known {
    let current = |(symbol, value): (Symbol, TermId)| {
        let is_current = ssa.index(symbol.base) == symbol.index;
        (is_current && engine.blocks.encoder.cell_of(symbol.base).is_some()).then_some((symbol.base, value))
    };
    Known::new(values.into_iter().filter_map(current).collect())
}

/// Which of these variables have a clear value after a block, and which have to be enumerated: those that it speaks of.
/// The others can have any value.
fn open(
    terms: &mut Terms,
    ssa: &Ssa,
    mentioned: &BTreeSet<Symbol>,
    tracked: impl Iterator<Item = BaseId>,
) -> Enumeration {
    let mut enumeration = Enumeration::default();
    for base in tracked {
        let symbol = ssa.symbol(base);
        if let Some(value) = ssa.known(base).or_else(|| terms.closed_array(ssa.array(base)?)) {
            enumeration.fixed.push((base, value));
        } else if mentioned.contains(&symbol) && !matches!(terms.base(base).sort, Sort::Array { .. }) {
            enumeration.open.push((base, terms.symbol(symbol)));
        }
    }
    enumeration
}

/// The variables at each block boundary that the needed ones are computed from, by the blocks that set them.
fn values_behind(
    engine: &Engine,
    path: &AbstractPath,
    mut needed: Vec<BTreeSet<BaseId>>,
) -> Vec<BTreeSet<BaseId>> {
    let symbols: Vec<_> = path.formulas.iter().map(|&f| engine.terms.free_symbols(f)).collect();
    let mut work: Vec<(usize, BaseId)> =
        needed.iter().enumerate().flat_map(|(k, set)| set.iter().map(move |base| (k, *base))).collect();
    while let Some((boundary, base)) = work.pop() {
        let symbol = path.ssa[boundary].symbol(base);
        // The block that speaks of this instance first has set it; what it is made of comes from before.
        let Some(set_by) = symbols[..=boundary].iter().position(|s| s.contains(&symbol)) else { continue };
        for set in &mut needed[set_by..boundary] {
            set.insert(base);
        }
        let Some(before) = set_by.checked_sub(1) else { continue };
        for other in &symbols[set_by] {
            if path.ssa[before].index(other.base) == other.index && needed[before].insert(other.base) {
                work.push((before, other.base));
            }
        }
    }
    needed
}

/// The explicit-value domain.
pub struct ValueDomain {
    /// What is tracked.
    pub tracking: Tracking,
}

impl Domain for ValueDomain {
    type State = Known;

    fn initial(&mut self) -> Known {
        Known::default()
    }

    fn known(&self, state: &Known) -> Known {
        state.clone()
    }

    fn post(
        &mut self,
        engine: &mut Engine,
        _state: &Known,
        exit: &Exit,
        site: Option<Site>,
    ) -> Result<Vec<Known>, UnknownReason> {
        // The block was made for the values of the state.
        let anything = engine.terms.yes();
        self.tracking.post(engine, anything, exit, site)
    }

    fn focus(&mut self, wanted: &dyn Fn(BaseId) -> bool) {
        self.tracking.focus(wanted);
    }

    fn is_known(&self, _state: &Known) -> bool {
        true
    }

    fn keep(&self, state: Known, known: &Known) -> Known {
        state.and(known)
    }

    fn only(&self, state: Known, wanted: &dyn Fn(BaseId) -> bool) -> Known {
        state.only(wanted)
    }

    fn tracked(&self, _terms: &Terms) -> BTreeSet<BaseId> {
        self.tracking.precision().all()
    }

    fn tracks_everything(&self) -> bool {
        self.tracking.everything
    }

    fn stamp(&self, site: Site) -> u64 {
        self.tracking.precision().count(site) as u64
    }

    fn covers(&mut self, by: &Known, state: &Known) -> bool {
        by.is_subset(state)
    }

    fn formula(&mut self, terms: &mut Terms, state: &Known) -> TermId {
        state.formula(terms)
    }

    fn publish(&self, stats: &Statistics) {
        stats.set("tracked-variables", self.tracking.precision().all().len());
    }

    fn refine(&mut self, engine: &mut Engine, path: &AbstractPath) -> Result<Option<usize>, UnknownReason> {
        self.tracking.refine(engine, path)
    }
}
