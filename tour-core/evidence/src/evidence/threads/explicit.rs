//! States that say what values variables have. The values are put into what an action does; where they decide it, no
//! solver is asked, and whether the invariant at the next tuple holds is a matter of looking the values up there.
//!
//! States that agree in what an action looks at share its outcome, and where inputs leave a few cases open, these.

use super::Check;
use crate::evidence::invariants::{Checker, Point};
use crate::evidence::symbolic::Flow;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;
use std::rc::Rc;
use tour_logic::term::{BaseId, Op, Sort, TermId, Terms};

/// More cases than this are left to the solver as one.
const MAX_CASES: usize = 64;

/// Variables with their values, ascending: constants, or arrays of constants in their closed form.
pub(super) type Values = Vec<(BaseId, TermId)>;

/// What is claimed at a tuple: one of these states.
pub(super) struct Claim {
    /// All of them, as formulas.
    pub states: Vec<TermId>,
    /// The same as values, if each of them says values and nothing else.
    pub explicit: Option<Vec<Values>>,
    /// Those that do, by the variables that they speak of.
    groups: Vec<(Vec<BaseId>, FxHashSet<Vec<TermId>>)>,
}

impl Claim {
    pub fn new(terms: &mut Terms, states: Vec<TermId>) -> Claim {
        let mut groups: Vec<(Vec<BaseId>, FxHashSet<Vec<TermId>>)> = Vec::new();
        let mut explicit = Vec::with_capacity(states.len());
        for state in &states {
            let Some(values) = values_of(terms, *state) else { continue };
            let (bases, own): (Vec<BaseId>, Vec<TermId>) = values.iter().copied().unzip();
            match groups.iter_mut().find(|group| group.0 == bases) {
                Some(group) => _ = group.1.insert(own),
                None => groups.push((bases, FxHashSet::from_iter([own]))),
            }
            explicit.push(values);
        }
        let explicit = (explicit.len() == states.len()).then_some(explicit);
        Claim { states, explicit, groups }
    }

    /// The claim as one formula.
    pub fn formula(&self, terms: &mut Terms) -> TermId {
        terms.or(&self.states)
    }
}

/// The values that a state formula gives to different variables, if it says nothing else.
fn values_of(terms: &mut Terms, state: TermId) -> Option<Values> {
    let mut values = Vec::new();
    for part in terms.conjuncts(state) {
        let (symbol, value) = match (terms.op(part), terms.args(part)) {
            (Op::Eq, &[a, b]) if terms.as_symbol(a).is_some() => (a, b),
            (Op::Eq, &[a, b]) => (b, a),
            (Op::Not, &[a]) => (a, terms.no()),
            _ => (part, terms.yes()),
        };
        let value = if terms.value(value).is_some() { value } else { terms.closed_array(value)? };
        values.push((terms.as_symbol(symbol)?.base, value));
    }
    values.sort_unstable();
    values.windows(2).all(|pair| pair[0].0 != pair[1].0).then_some(values)
}

fn get(values: &Values, base: BaseId) -> Option<TermId> {
    values.binary_search_by_key(&base, |(b, _)| *b).ok().map(|i| values[i].1)
}

/// One way out of an action, with values put in.
pub(super) struct Outcome {
    /// Under which condition it is taken.
    pub guard: TermId,
    /// What it writes.
    writes: Values,
}

/// The ways out of an action; `None` for those that the values exclude.
pub(super) type Ways = Rc<Vec<Option<Rc<Outcome>>>>;

/// What an action does, by the values that it looks at.
#[derive(Default)]
pub(super) struct Outcomes {
    looked_at: Vec<BaseId>,
    made: FxHashMap<Vec<Option<TermId>>, Ways>,
}

/// The values that terms can have together under a condition, as far as they were asked for.
pub(super) struct Cases {
    found: Vec<Vec<TermId>>,
    /// The condition, without those that were found; `None` if there are no others.
    left: Option<TermId>,
}

impl Check<'_> {
    /// The ways out of an action that begins with these values.
    pub(super) fn outcomes(&mut self, from: &Point, ends: &[(super::Leads, Flow)], values: &Values) -> Ways {
        if !self.outcomes.contains_key(from) {
            let mut looked_at = BTreeSet::new();
            for (_, flow) in ends {
                for term in flow.values().map(|(_, value)| value).chain([flow.guard]) {
                    looked_at.extend(self.executor.terms.free_symbols(term).into_iter().map(|s| s.base));
                }
            }
            let looked_at = looked_at.into_iter().collect();
            self.outcomes.insert(from.clone(), Outcomes { looked_at, ..Outcomes::default() });
        }
        let known = &self.outcomes[from];
        let key: Vec<Option<TermId>> = known.looked_at.iter().map(|base| get(values, *base)).collect();
        if let Some(made) = known.made.get(&key) {
            return made.clone();
        }
        let made: Ways = Rc::new(ends.iter().map(|(_, flow)| self.outcome(flow, values)).collect());
        if let Some(known) = self.outcomes.get_mut(from) {
            known.made.insert(key, made.clone());
        }
        made
    }

    /// A way out, with these values put in; `None` if they exclude it.
    pub(super) fn outcome(&mut self, flow: &Flow, values: &Values) -> Option<Rc<Outcome>> {
        let terms = &mut *self.executor.terms;
        let mut memo = Default::default();
        let mut put_in = |terms: &mut Terms, term: TermId| {
            terms.substitute(term, &mut memo, |terms, term| {
                let symbol = terms.as_symbol(term)?;
                get(values, symbol.base).filter(|_| symbol.index == 0)
            })
        };
        let guard = put_in(terms, flow.guard);
        if guard == terms.no() {
            return None;
        }
        let mut writes = Vec::new();
        for (cell, value) in flow.values() {
            if let Some(&base) = self.bases.get(cell) {
                let value = put_in(terms, value);
                writes.push((base, terms.closed_array(value).unwrap_or(value)));
            }
        }
        writes.sort_unstable();
        Some(Rc::new(Outcome { guard, writes }))
    }

    /// After an outcome of an action that began with these values, the claim holds.
    pub(super) fn leads_to(
        &mut self,
        checker: &Checker,
        outcome: &Outcome,
        values: &Values,
        claim: &Claim,
        what: impl Fn() -> String,
    ) -> Result<(), String> {
        let after = |base: BaseId| get(&outcome.writes, base).or_else(|| get(values, base));
        for (bases, states) in &claim.groups {
            let Some(now) = bases.iter().map(|base| after(*base)).collect::<Option<Vec<TermId>>>() else {
                continue;
            };
            if states.contains(&now) || self.all_cases(checker, outcome.guard, &now, states)? {
                return Ok(());
            }
        }
        // Whatever is open is left to the solver; states that say another value than is clear are left out.
        let terms = &mut *self.executor.terms;
        let mut possible = Vec::new();
        for &state in &claim.states {
            let mut memo = Default::default();
            let holds = terms.substitute(state, &mut memo, |terms, term| {
                let symbol = terms.as_symbol(term)?;
                after(symbol.base).filter(|_| symbol.index == 0)
            });
            if holds != terms.no() {
                possible.push(holds);
            }
        }
        let holds = terms.or(&possible);
        let not = terms.not(holds);
        let broken = terms.and2(outcome.guard, not);
        if broken == terms.no() {
            return Ok(());
        }
        checker.refute(terms, broken, what)
    }

    /// Some of the values depend on inputs: in each of the few cases that there are, the state is one of these.
    fn all_cases(
        &mut self,
        checker: &Checker,
        guard: TermId,
        now: &[TermId],
        states: &FxHashSet<Vec<TermId>>,
    ) -> Result<bool, String> {
        let terms = &*self.executor.terms;
        let is_open = |term: TermId| terms.value(term).is_none() && !terms.is_closed_array(term);
        let open: Vec<usize> = (0..now.len()).filter(|i| is_open(now[*i])).collect();
        let is_array = |i: &usize| matches!(terms.sort(now[*i]), Sort::Array { .. });
        if open.is_empty() || open.iter().any(is_array) {
            return Ok(false);
        }
        let asked: Vec<TermId> = open.iter().map(|i| now[*i]).collect();
        let mut state = now.to_vec();
        let mut number = 0;
        while let Some(case) = self.case(checker, guard, &asked, number)? {
            if number == MAX_CASES {
                return Ok(false);
            }
            for (i, value) in open.iter().zip(case) {
                state[*i] = value;
            }
            if !states.contains(&state) {
                return Ok(false);
            }
            number += 1;
        }
        Ok(true)
    }

    /// The n-th combination of values that these terms can have under a condition; `None` if there are no more.
    fn case(
        &mut self,
        checker: &Checker,
        guard: TermId,
        asked: &[TermId],
        number: usize,
    ) -> Result<Option<Vec<TermId>>, String> {
        let terms = &mut *self.executor.terms;
        let key = (guard, asked.to_vec());
        let cases = self.cases.entry(key).or_insert_with(|| Cases { found: Vec::new(), left: Some(guard) });
        if let Some(case) = cases.found.get(number) {
            return Ok(Some(case.clone()));
        }
        let Some(left) = cases.left else { return Ok(None) };
        let Some(model) = checker.find_model(terms, left)? else {
            cases.left = None;
            return Ok(None);
        };
        let mut case = Vec::with_capacity(asked.len());
        let mut same = Vec::with_capacity(asked.len());
        for &term in asked {
            let value = terms.eval(term, &model).ok_or("a model does not determine a value")?;
            let value = terms.constant(value);
            same.push(terms.eq(term, value));
            case.push(value);
        }
        let same = terms.and(&same);
        let other = terms.not(same);
        cases.left = Some(terms.and2(left, other));
        cases.found.push(case.clone());
        Ok(Some(case))
    }
}
