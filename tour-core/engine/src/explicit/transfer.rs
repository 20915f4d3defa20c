//! What the edges that leave a node do to values: conditions, and what is written, as terms over the values before.
//!
//! They are read off the formulas of the node's edges, which are made once, so that every operation of a program means here
//! what it means to the other analyses. A condition or a value is evaluated by machine arithmetic where what is known
//! determines it ([`Given`]); where a condition is open that says that a variable is equal to something known, the variable
//! is known behind it. No solver is asked.

use crate::context::Engine;
use rustc_hash::FxHashMap;
use tour_logic::term::{BaseId, Given, Memo, Op, Sort, Symbol, TermId, Terms};
use tour_model::block::{Exit, Known, NodeId, Target};

/// A way out of a node.
pub struct Way {
    /// Where to.
    pub to: Target,
    /// All of them hold where it is taken.
    pub conditions: Vec<Condition>,
    /// The variables that are written, ascending, each with its value; `None` for any value.
    pub writes: Vec<(BaseId, Option<TermId>)>,
}

/// What must hold for a way to be taken.
pub struct Condition {
    /// The condition, over instance 1 of what there is before.
    pub holds: TermId,
    /// If it is open, but the value is known, the variable has that value.
    pub teaches: Vec<(BaseId, TermId)>,
}

/// The ways out of a node.
pub struct Transfer {
    /// In the order of control flow.
    pub ways: Vec<Way>,
    /// Some lead to errors, or to what is not modelled.
    pub has_errors: bool,
}

impl Transfer {
    /// Of the edges that leave a node.
    pub fn of(engine: &mut Engine, node: NodeId) -> Transfer {
        let block = engine.block(node, &Known::default());
        let ways: Vec<Way> = block.exits.iter().map(|exit| way(&mut engine.terms, exit)).collect();
        Transfer { has_errors: ways.iter().any(|way| !matches!(way.to, Target::Node(_))), ways }
    }
}

/// Equations that say what an instance is are put in where it is spoken of; what is left is about what there was before,
/// or about values that may be any.
fn way(terms: &mut Terms, exit: &Exit) -> Way {
    let mut defined: FxHashMap<Symbol, TermId> = FxHashMap::default();
    let mut conditions: Vec<TermId> = Vec::new();
    for part in exit.path.conjuncts() {
        for part in terms.conjuncts(part) {
            let part = inlined(terms, &defined, part);
            match definition(terms, &defined, part) {
                Some((symbol, value)) => _ = defined.insert(symbol, value),
                None if part == terms.yes() => {}
                None => conditions.push(part),
            }
        }
    }
    // What was met before its definition.
    let conditions = conditions.into_iter().map(|part| inlined(terms, &defined, part)).collect::<Vec<_>>();
    let writes = exit.path.ssa.written().map(|(base, _)| {
        let symbol = exit.path.ssa.symbol(base);
        let value = defined.get(&symbol).copied().or_else(|| exit.path.ssa.known(base));
        (base, value)
    });
    let mut writes: Vec<(BaseId, Option<TermId>)> = writes.collect();
    for (_, value) in &mut writes {
        *value = value.map(|value| inlined(terms, &defined, value));
    }
    writes.sort_unstable();
    let conditions = conditions.into_iter().filter(|part| *part != terms.yes());
    let conditions = conditions.map(|holds| Condition { holds, teaches: teaches(terms, holds) }).collect();
    Way { to: exit.to, conditions, writes }
}

fn inlined(terms: &mut Terms, defined: &FxHashMap<Symbol, TermId>, term: TermId) -> TermId {
    if defined.is_empty() {
        return term;
    }
    terms.substitute(term, &mut Memo::default(), |terms, part| defined.get(&terms.as_symbol(part)?).copied())
}

/// The instance that an equation defines: a later one than that before the edge, which nothing has defined yet.
fn definition(terms: &Terms, defined: &FxHashMap<Symbol, TermId>, part: TermId) -> Option<(Symbol, TermId)> {
    let new = |term: TermId| {
        terms.as_symbol(term).filter(|symbol| symbol.index > 1 && !defined.contains_key(symbol))
    };
    let sides = match (terms.op(part), terms.args(part)) {
        (Op::Eq, &[a, b]) => [(a, b), (b, a)],
        (Op::Not, &[a]) => [(a, terms.no()); 2],
        _ => [(part, terms.yes()); 2],
    };
    let found = sides.into_iter().find_map(|(variable, value)| Some((new(variable)?, value)))?;
    (!terms.free_symbols(found.1).contains(&found.0)).then_some(found)
}

/// What the equation teaches of a variable that is not known.
fn teaches(terms: &Terms, holds: TermId) -> Vec<(BaseId, TermId)> {
    let before = |term: TermId| terms.as_symbol(term).filter(|symbol| symbol.index == 1).map(|s| s.base);
    let sides = match (terms.op(holds), terms.args(holds)) {
        (Op::Eq, &[a, b]) => vec![(a, b), (b, a)],
        (Op::Not, &[a]) => vec![(a, terms.no())],
        _ => vec![(holds, terms.yes())],
    };
    let sides = sides.into_iter().filter_map(|(variable, value)| Some((before(variable)?, value)));
    sides.filter(|(base, _)| !matches!(terms.base(*base).sort, Sort::Array { .. })).collect()
}

/// What is known before an edge, as the value of a symbol in its terms.
pub fn before(known: &Known) -> impl Fn(Symbol) -> Option<TermId> + '_ {
    |symbol| if symbol.index == 1 { known.get(symbol.base) } else { None }
}

/// A condition of a way does not hold.
pub struct Excluded;

impl Way {
    /// What the conditions teach in a state; an error if one of them does not hold in it.
    pub fn learned(
        &self,
        terms: &mut Terms,
        given: &mut Given,
        state: &Known,
    ) -> Result<Vec<(BaseId, TermId)>, Excluded> {
        let mut learned = Vec::new();
        let known = before(state);
        for of in &self.conditions {
            match given.value(terms, of.holds, &known) {
                Some(value) if value == terms.no() => return Err(Excluded),
                Some(_) => {}
                None => learned.extend(self.taught(terms, given, state, of)),
            }
        }
        Ok(learned)
    }

    /// What an open condition teaches.
    pub fn taught(
        &self,
        terms: &mut Terms,
        given: &mut Given,
        state: &Known,
        condition: &Condition,
    ) -> Option<(BaseId, TermId)> {
        let known = before(state);
        (condition.teaches.iter())
            .filter(|(base, _)| state.get(*base).is_none())
            .find_map(|(base, value)| Some((*base, given.value(terms, *value, &known)?)))
    }

    /// What is known of variables behind the way, in a state with what was learned; of `tracked` ones alone.
    pub fn post(
        &self,
        terms: &mut Terms,
        given: &mut Given,
        state: &Known,
        learned: &[(BaseId, TermId)],
        tracked: Option<&[BaseId]>,
    ) -> Known {
        let is_tracked = |base: BaseId| tracked.is_none_or(|tracked| tracked.binary_search(&base).is_ok());
        let with = |symbol: Symbol| match before(state)(symbol) {
            None if symbol.index == 1 => learned.iter().find(|l| l.0 == symbol.base).map(|l| l.1),
            known => known,
        };
        let write = |base: BaseId| self.writes.binary_search_by_key(&base, |write| write.0).ok();
        if self.writes.is_empty() && learned.is_empty() {
            return state.only(is_tracked);
        }
        let mut values = Vec::with_capacity(state.len() + self.writes.len());
        let kept = state.iter().chain(learned.iter().copied());
        values.extend(kept.filter(|(base, _)| write(*base).is_none() && is_tracked(*base)));
        for &(base, value) in &self.writes {
            if is_tracked(base)
                && let Some(value) = value.and_then(|value| given.value(terms, value, &with))
            {
                values.push((base, value));
            }
        }
        Known::new(values)
    }
}
