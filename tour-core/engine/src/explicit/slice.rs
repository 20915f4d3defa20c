//! Refinement by sliced prefixes of an infeasible path `[SLICED]`.
//!
//! The path is followed with the values of all variables. Where a condition does not hold, the path is infeasible, and a
//! backward slice from that condition says which variables have to be known where for it to be excluded: those that the
//! condition looks at, then, where they were written, those that their values were made of. Then the path is followed
//! on as if the condition were not there: the next condition that does not hold gives another slice, perhaps one of
//! cheaper variables. No solver is asked.

use super::cost::{Cost, Costs};
use super::transfer::{Transfer, Way, before};
use crate::context::Engine;
use rustc_hash::FxHashSet;
use std::collections::BTreeSet;
use std::rc::Rc;
use tour_logic::term::{BaseId, Given, Symbol, TermId, Terms};
use tour_model::block::Known;

/// The variables that must be known at the nodes of a path for one of its conditions not to hold.
pub struct Slice {
    /// At which nodes which variables: the nodes are consecutive, and counted from the first one of the path.
    pub first: usize,
    /// The variables at each of them.
    pub needed: Vec<BTreeSet<BaseId>>,
    /// How much it costs.
    pub score: Score,
}

/// What a slice costs: less is better.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Score {
    dearest: Cost,
    weight: u64,
    length: usize,
}

/// A step of a path: a way out of a node.
pub type PathStep = (Rc<Transfer>, usize);

/// The slices of a path of steps, `max` of them at most.
pub fn slices(
    engine: &mut Engine,
    given: &mut Given,
    costs: &Costs,
    steps: &[PathStep],
    max: usize,
) -> Vec<Slice> {
    let mut states: Vec<Known> = Vec::with_capacity(steps.len());
    let mut learned: Vec<Vec<(BaseId, TermId)>> = Vec::with_capacity(steps.len());
    let mut state = Known::default();
    let mut found: Vec<(usize, usize)> = Vec::new();
    for (k, (transfer, way)) in steps.iter().enumerate() {
        let way = &transfer.ways[*way];
        let mut taught = Vec::new();
        for (c, condition) in way.conditions.iter().enumerate() {
            match given.value(&mut engine.terms, condition.holds, &before(&state)) {
                Some(value) if value == engine.terms.no() => found.push((k, c)),
                Some(_) => {}
                None => taught.extend(way.taught(&mut engine.terms, given, &state, condition)),
            }
        }
        let after = way.post(&mut engine.terms, given, &state, &taught, None);
        states.push(std::mem::replace(&mut state, after));
        learned.push(taught);
        if found.len() >= max {
            break;
        }
    }
    let path = FollowedPath { steps, states, learned };
    found.into_iter().map(|(k, condition)| path.slice(engine, given, costs, k, condition)).collect()
}

/// A path with the values of all variables, as far as it was followed.
struct FollowedPath<'s> {
    steps: &'s [PathStep],
    /// Before each step.
    states: Vec<Known>,
    /// What the conditions of each step taught.
    learned: Vec<Vec<(BaseId, TermId)>>,
}

impl FollowedPath<'_> {
    fn way(&self, step: usize) -> &Way {
        &self.steps[step].0.ways[self.steps[step].1]
    }

    /// The slice of a condition of a step that does not hold.
    fn slice(
        &self,
        engine: &mut Engine,
        given: &mut Given,
        costs: &Costs,
        k: usize,
        condition: usize,
    ) -> Slice {
        let cost = |engine: &Engine, base: BaseId| costs.cost(engine, base);
        let mut now = BTreeSet::new();
        let holds = self.way(k).conditions[condition].holds;
        self.needs(engine, given, costs, k, holds, &[], &mut now);
        let mut needed = Vec::new();
        let mut step = k;
        while step > 0 && !now.is_empty() {
            needed.push(now.clone());
            step -= 1;
            let way = self.way(step);
            let mut earlier = BTreeSet::new();
            for base in now {
                match way.writes.binary_search_by_key(&base, |write| write.0) {
                    Ok(i) => {
                        let Some(value) = way.writes[i].1 else { continue };
                        self.needs(engine, given, costs, step, value, &self.learned[step], &mut earlier);
                    }
                    Err(_) if self.states[step].get(base).is_some() => _ = earlier.insert(base),
                    Err(_) => self.taught(engine, given, costs, step, base, &mut earlier),
                }
            }
            now = earlier;
        }
        needed.reverse();
        let all: FxHashSet<BaseId> = needed.iter().flatten().copied().collect();
        let score = Score {
            dearest: all.iter().map(|base| cost(engine, *base)).max().unwrap_or(Cost::Choice),
            weight: all.iter().map(|base| cost(engine, *base).weight(&engine.heuristics.explicit)).sum(),
            length: needed.len(),
        };
        Slice { first: k + 1 - needed.len(), needed, score }
    }

    /// What has to be known before a step for a term to have the value that it has; the dearest variables are left out
    /// first, as far as the value stays.
    #[expect(clippy::too_many_arguments)]
    fn needs(
        &self,
        engine: &mut Engine,
        given: &mut Given,
        costs: &Costs,
        step: usize,
        term: TermId,
        learned: &[(BaseId, TermId)],
        into: &mut BTreeSet<BaseId>,
    ) {
        let state = &self.states[step];
        let symbols = given.symbols(&engine.terms, term);
        let taught = |symbol: Symbol| learned.iter().find(|l| l.0 == symbol.base).map(|l| l.1);
        let own = |symbol: Symbol| before(state)(symbol);
        let mut read: Vec<BaseId> = symbols.iter().filter(|s| own(**s).is_some()).map(|s| s.base).collect();
        let learned_here: Vec<BaseId> = (symbols.iter())
            .filter(|s| s.index == 1 && own(**s).is_none() && taught(**s).is_some())
            .map(|s| s.base)
            .collect();
        if read.len() > 1 {
            read.sort_by_key(|base| std::cmp::Reverse((costs.cost(engine, *base), *base)));
            let evaluate = |terms: &mut Terms, given: &mut Given, read: &[BaseId]| {
                let known = |symbol: Symbol| match own(symbol) {
                    Some(value) => read.contains(&symbol.base).then_some(value),
                    None => taught(symbol).filter(|_| symbol.index == 1),
                };
                given.value(terms, term, &known)
            };
            let value = evaluate(&mut engine.terms, given, &read);
            for base in read.clone() {
                let fewer: Vec<BaseId> = read.iter().copied().filter(|other| *other != base).collect();
                if evaluate(&mut engine.terms, given, &fewer) == value {
                    read = fewer;
                }
            }
        }
        into.extend(read);
        for base in learned_here {
            self.taught(engine, given, costs, step, base, into);
        }
    }

    /// What has to be known before a step for one of its conditions to teach the value of a variable.
    fn taught(
        &self,
        engine: &mut Engine,
        given: &mut Given,
        costs: &Costs,
        step: usize,
        base: BaseId,
        into: &mut BTreeSet<BaseId>,
    ) {
        for condition in &self.way(step).conditions {
            let taught = self.way(step).taught(&mut engine.terms, given, &self.states[step], condition);
            if let Some((of, _)) = taught
                && of == base
            {
                let values = condition.teaches.iter().filter(|(of, _)| *of == base).map(|(_, value)| *value);
                for value in values {
                    self.needs(engine, given, costs, step, value, &[], into);
                }
                return;
            }
        }
    }
}
