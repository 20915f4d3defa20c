//! Explicit-value abstraction (COI seed §2.4.2): a state knows the values of tracked variables.
//!
//! The precision is a set of variables for each location. The successors of a state are found by enumerating, with the
//! solver, the values that the tracked variables can have after the block. Where there are more than a bound, the
//! variable that has most of them is unknown in the successors. A variable that has had too many values at a location
//! is not tracked there any more.

mod enumerate;

use super::{AbstractPath, Domain, Precision, Sharing, Site};
use crate::analysis::{Engine, Event};
use crate::block::{Exit, Known};
use crate::encode::{Ssa, instantiate};
use crate::refine::interface_core;
use crate::term::{BaseId, Sort, TermId, Terms};
use crate::verdict::UnknownReason;
use enumerate::Enumeration;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;

/// How many values are enumerated at a block end, by default.
pub const MAX_VALUES: usize = 12;

/// How many different values of a variable are followed at one location, by default.
pub const MAX_SEEN: usize = 64;

/// Which variables are tracked where, and what has come of it.
pub struct Tracking {
    precision: Precision<BaseId>,
    sharing: Sharing,
    /// At most so many combinations of values at the end of a block.
    max_values: usize,
    /// At most so many values of a variable at one location.
    max_seen: usize,
    seen: FxHashMap<(crate::cfa::LocId, BaseId), FxHashSet<TermId>>,
    /// Variables that have too many values at a location.
    given_up: FxHashSet<(crate::cfa::LocId, BaseId)>,
    /// What was enumerated, by what was asked: the block with what held before, and the open variables.
    asked: FxHashMap<(TermId, Vec<TermId>), Enumeration>,
}

impl Default for Tracking {
    fn default() -> Tracking {
        Tracking {
            precision: Precision::default(),
            sharing: Sharing::default(),
            max_values: MAX_VALUES,
            max_seen: MAX_SEEN,
            seen: FxHashMap::default(),
            given_up: FxHashSet::default(),
            asked: FxHashMap::default(),
        }
    }
}

impl Tracking {
    /// Which variables are tracked where.
    pub fn precision(&self) -> &Precision<BaseId> {
        &self.precision
    }

    /// With another limit on the number of values of a variable at one location.
    pub fn with_max_seen(max_seen: usize) -> Tracking {
        Tracking { max_seen, ..Tracking::default() }
    }

    /// What is tracked at one location is tracked everywhere.
    pub fn global(max_seen: usize, max_values: usize) -> Tracking {
        Tracking { max_seen, max_values, sharing: Sharing::Global, ..Tracking::default() }
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
        let mut enumeration = Enumeration::default();
        let tracked = site.map_or(Vec::new(), |s| self.precision.at(s));
        let whole = engine.terms.and2(exit.formula, start);
        let mentioned =
            if tracked.is_empty() { Default::default() } else { engine.terms.free_symbols(whole) };
        for base in tracked {
            if site.is_some_and(|s| self.given_up.contains(&(s.loc, base))) {
                continue;
            }
            match exit.path.ssa.known(base) {
                Some(value) => enumeration.fixed.push((base, value)),
                // A variable that the block does not speak of can have any value.
                None if mentioned.contains(&exit.path.ssa.symbol(base)) => {
                    let symbol = exit.path.ssa.symbol(base);
                    enumeration.open.push((base, engine.terms.symbol(symbol)));
                }
                None => {}
            }
        }
        let question = (whole, enumeration.open.iter().map(|(_, symbol)| *symbol).collect());
        if !enumeration.read_off(&engine.terms, whole) {
            match self.asked.get(&question) {
                Some(known) => enumeration.take_over(known),
                None => {
                    engine.ask(exit.formula, |engine, solver| {
                        solver.assert(&engine.terms, start);
                        enumeration.run(engine, solver, self.max_values)
                    })?;
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
                        engine.watch.tell(&Event::Tracked { at: site.loc, variables: &variables });
                    }
                    first = first.or(Some(i));
                }
            }
        }
        first
    }
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
#[derive(Default)]
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

    fn keep(&self, state: Known, known: &Known) -> Known {
        state.and(known)
    }

    fn tracked(&self, _terms: &Terms) -> BTreeSet<BaseId> {
        self.tracking.precision().all()
    }

    fn covers(&mut self, by: &Known, state: &Known) -> bool {
        by.is_subset(state)
    }

    fn formula(&mut self, terms: &mut Terms, state: &Known) -> TermId {
        state.formula(terms)
    }

    fn refine(&mut self, engine: &mut Engine, path: &AbstractPath) -> Result<Option<usize>, UnknownReason> {
        self.tracking.refine(engine, path)
    }
}
