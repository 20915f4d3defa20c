//! Proofs by explicit states, and their independent check.
//!
//! The certificate says with which values of variables each location can be reached: sets of states, each of which says
//! what some variables are. The check: the beginning is one of them; every edge, taken from any of them, ends in one of
//! them, and leads to no error, and to nothing that is not modelled. What an edge does is executed once, symbolically; the
//! values of a state are put in, and whether what comes out is claimed is a matter of looking it up. The solver is asked
//! where values do not determine what an edge does.

use super::invariants::{Checker, Point};
use super::symbolic::{Executor, Flow, Leads};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;
use std::sync::Arc;
use tour_ir::limits::Interrupt;
use tour_ir::program::Program;
use tour_logic::smt::Opinions;
use tour_logic::term::{BaseId, Copy, Given, Op, Symbol, TermId, Terms};
use tour_model::encode::Cell;

/// The solver is not asked about more states at once.
const MAX_STATES: usize = 200;

/// Variables with their values, ascending: constants, or arrays of constants in their closed form.
pub type State = Vec<(BaseId, TermId)>;

/// The states in which locations are reached.
#[derive(Clone, Debug)]
pub struct ExplicitStates {
    /// The values' arena: nothing else is in it.
    pub terms: Arc<Terms>,
    /// What the variables stand for.
    pub cells: Vec<(BaseId, Cell)>,
    /// The states at each location under a call stack. Others are out of reach.
    pub at: BTreeMap<Point, Vec<State>>,
}

/// Do the states prove the program? How that was decided; an error says why they do not.
pub fn check_states(
    program: &Program,
    states: &ExplicitStates,
    interrupt: &Interrupt,
) -> Result<Opinions, String> {
    let mut terms = Terms::new();
    let checker = Checker::new(program, None, interrupt, &mut terms)?;
    let mut copy = Copy::default();
    // Declared under the names that they have, so that no other variable gets in between.
    for (base, _) in &states.cells {
        let of = states.terms.base(*base);
        let declared = terms.declare(&of.name, of.sort, of.signed);
        copy.bases.insert(*base, declared);
    }
    let bases: FxHashMap<Cell, BaseId> =
        states.cells.iter().map(|(base, cell)| (cell.clone(), copy.bases[base])).collect();
    let distinct: FxHashSet<BaseId> = bases.values().copied().collect();
    if distinct.len() != states.cells.len() || bases.values().any(|base| terms.is_ghost(*base)) {
        return Err("two variables of the program have one name".into());
    }
    let mut at: BTreeMap<&Point, Claim> = BTreeMap::new();
    for (point, of) in &states.at {
        let claim = at.entry(point).or_default();
        for state in of {
            let mut own = State::with_capacity(state.len());
            for (base, value) in state {
                let base = *copy.bases.get(base).ok_or("a value of a variable that stands for nothing")?;
                let value = copy.term(&states.terms, &mut terms, *value);
                if terms.value(value).is_none() && !terms.is_closed_array(value) {
                    return Err(format!("a state at {point:?} says something else than values"));
                }
                own.push((base, value));
            }
            own.sort_unstable();
            claim.add(own);
        }
    }
    let executor = Executor::new(program, &mut terms, &bases, &checker.knowledge);
    Check { checker: &checker, executor, bases: &bases, given: Given::default() }.all(&at)?;
    Ok(checker.opinions())
}

/// What is claimed at a point: one of these states.
#[derive(Default)]
struct Claim {
    states: Vec<State>,
    /// By the variables that they speak of.
    groups: Vec<(Vec<BaseId>, FxHashSet<Vec<TermId>>)>,
}

impl Claim {
    fn add(&mut self, state: State) {
        let (bases, values): (Vec<BaseId>, Vec<TermId>) = state.iter().copied().unzip();
        match self.groups.iter_mut().find(|group| group.0 == bases) {
            Some(group) => _ = group.1.insert(values),
            None => self.groups.push((bases, FxHashSet::from_iter([values]))),
        }
        self.states.push(state);
    }

    /// One of the states is that of these values.
    fn has(&self, mut value: impl FnMut(BaseId) -> Option<TermId>) -> bool {
        self.groups.iter().any(|(bases, states)| {
            let values: Option<Vec<TermId>> = bases.iter().map(|base| value(*base)).collect();
            values.is_some_and(|values| states.contains(&values))
        })
    }
}

/// One way out of a point, whatever state it begins in.
struct Outcome {
    leads: Leads,
    flow: Flow,
    /// What must hold for it to be taken.
    conditions: Vec<TermId>,
    /// Variables that are written.
    writes: FxHashMap<BaseId, TermId>,
}

struct Check<'a> {
    checker: &'a Checker<'a>,
    executor: Executor<'a>,
    bases: &'a FxHashMap<Cell, BaseId>,
    given: Given,
}

fn get(state: &State, base: BaseId) -> Option<TermId> {
    state.binary_search_by_key(&base, |(b, _)| *b).ok().map(|i| state[i].1)
}

impl Check<'_> {
    fn all(&mut self, at: &BTreeMap<&Point, Claim>) -> Result<(), String> {
        let start = &self.checker.start;
        let initial = self.executor.initial();
        let nothing = State::new();
        let claim = at.get(start).ok_or("there is no state at the entry")?;
        let beginning = self.outcome(Leads::Cut(start.clone()), initial.clone());
        self.leads_to(&nothing, &beginning, Some(claim), || "the entry".into())?;
        for (&point, claim) in at {
            // The entry is left once only, in the initial state.
            let (begin, states) = match *point == *start {
                true => (initial.clone(), std::slice::from_ref(&nothing)),
                false => (Flow::from_state(self.executor.terms.yes()), &claim.states[..]),
            };
            let ends = self.executor.run(point, begin, &|_| true)?;
            let outcomes: Vec<Outcome> =
                ends.into_iter().map(|(leads, flow)| self.outcome(leads, flow)).collect();
            for state in states {
                self.checker.interrupt.check().map_err(|why| why.to_string())?;
                for outcome in &outcomes {
                    let (claim, what): (_, &dyn std::fmt::Debug) = match &outcome.leads {
                        Leads::Cut(to) => (at.get(to), to),
                        Leads::Error(loc) => (None, loc),
                        Leads::Unmodelled(edge) => (None, edge),
                    };
                    let fail = || format!("from {point:?}, {what:?} is reached in a state that is not there");
                    self.leads_to(state, outcome, claim, fail)?;
                }
            }
        }
        Ok(())
    }

    fn outcome(&mut self, leads: Leads, flow: Flow) -> Outcome {
        let conditions = self.executor.terms.conjuncts(flow.guard);
        let writes = flow.values().filter_map(|(cell, value)| Some((*self.bases.get(cell)?, value)));
        Outcome { leads, conditions, writes: writes.collect(), flow }
    }

    /// What comes out of a state is claimed, if anything does.
    fn leads_to(
        &mut self,
        state: &State,
        outcome: &Outcome,
        claim: Option<&Claim>,
        fail: impl Fn() -> String,
    ) -> Result<(), String> {
        let Check { executor, given, .. } = self;
        let terms = &mut *executor.terms;
        let mut learned = State::new();
        let mut open = false;
        let known = |symbol: Symbol| if symbol.index == 0 { get(state, symbol.base) } else { None };
        for &condition in &outcome.conditions {
            match given.value(terms, condition, &known) {
                Some(value) if value == terms.no() => return Ok(()),
                Some(_) => {}
                None => {
                    open = true;
                    learned.extend(taught(terms, given, state, condition));
                }
            }
        }
        if claim.is_none() && !open {
            return Err(fail());
        }
        learned.sort_unstable();
        learned.dedup_by_key(|(base, _)| *base);
        let known = |symbol: Symbol| {
            known(symbol).or_else(|| match symbol.index {
                0 => get(&learned, symbol.base),
                _ => None,
            })
        };
        let mut after: FxHashMap<BaseId, Option<TermId>> = FxHashMap::default();
        if let Some(claim) = claim
            && claim.has(|base| {
                *after.entry(base).or_insert_with(|| match outcome.writes.get(&base) {
                    Some(&value) => given.value(terms, value, &known),
                    None => known(Symbol { base, index: 0 }),
                })
            })
        {
            return Ok(());
        }
        // Values alone do not say it.
        let mut parts: Vec<TermId> = Vec::with_capacity(state.len() + 1);
        for &(base, value) in state {
            let variable = terms.var(base, 0);
            parts.push(terms.eq(variable, value));
        }
        parts.push(outcome.flow.guard);
        if let Some(claim) = claim.filter(|claim| claim.states.len() <= MAX_STATES) {
            let mut claimed = Vec::with_capacity(claim.states.len());
            for state in &claim.states {
                let mut values = Vec::with_capacity(state.len());
                for &(base, value) in state {
                    let variable = terms.var(base, 0);
                    values.push(terms.eq(variable, value));
                }
                claimed.push(terms.and(&values));
            }
            let claimed = terms.or(&claimed);
            let claimed = executor.state_formula(claimed, &outcome.flow);
            parts.push(executor.terms.not(claimed));
        }
        let broken = executor.terms.and(&parts);
        self.checker.refute(self.executor.terms, broken, fail)
    }
}

/// The variable whose value an open condition says, if that is known.
fn taught(
    terms: &mut Terms,
    given: &mut Given,
    state: &State,
    condition: TermId,
) -> Option<(BaseId, TermId)> {
    let sides = match (terms.op(condition), terms.args(condition)) {
        (Op::Eq, &[a, b]) => [(a, b), (b, a)],
        (Op::Not, &[a]) => [(a, terms.no()); 2],
        _ => [(condition, terms.yes()); 2],
    };
    let known = |symbol: Symbol| if symbol.index == 0 { get(state, symbol.base) } else { None };
    sides.into_iter().find_map(|(variable, value)| {
        let symbol = terms.as_symbol(variable).filter(|symbol| symbol.index == 0)?;
        if get(state, symbol.base).is_some() {
            return None;
        }
        Some((symbol.base, given.value(terms, value, &known)?))
    })
}
