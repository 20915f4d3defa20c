//! Bounded enumeration of the values that variables can have together.

use crate::context::{Engine, unknown};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;
use tour_evidence::verdict::UnknownReason;
use tour_logic::smt::{SatResult, Solver};
use tour_logic::term::{BaseId, Op, Symbol, TermId, Terms, Value};
use tour_model::block::Known;

/// What is enumerated, and what was found.
#[derive(Clone, Default)]
pub struct Enumeration {
    /// Variables whose value is clear.
    pub fixed: Vec<(BaseId, TermId)>,
    /// Variables to enumerate, with their current instances.
    pub open: Vec<(BaseId, TermId)>,
    /// Values of the open variables.
    found: BTreeSet<Vec<TermId>>,
}

impl Enumeration {
    /// Finds all combinations of values. While there are more than `max`, the variable with most values is taken out.
    pub fn run(
        &mut self,
        engine: &mut Engine,
        solver: &mut dyn Solver,
        max: usize,
    ) -> Result<(), UnknownReason> {
        // What was found for more variables holds for fewer of them: it only has to be excluded again.
        'again: loop {
            solver.push();
            for values in &self.found {
                exclude(engine, solver, &self.open, values);
            }
            while is_sat(solver.check(&engine.terms, &[]))? {
                engine.check_interrupt()?;
                let open: Vec<TermId> = self.open.iter().map(|(_, variable)| *variable).collect();
                let mut values = Vec::with_capacity(open.len());
                for value in solver.values(&engine.terms, &open).map_err(unknown)? {
                    let Some(value) = value.filter(|v| !matches!(v, Value::Array(_))) else {
                        return Err(UnknownReason::Solver("a model does not determine a variable".into()));
                    };
                    values.push(engine.terms.constant(value));
                }
                exclude(engine, solver, &self.open, &values);
                self.found.insert(values);
                if self.open.is_empty() {
                    break;
                }
                if self.found.len() > max {
                    self.take_out();
                    solver.pop();
                    continue 'again;
                }
            }
            solver.pop();
            return Ok(());
        }
    }

    /// Reads the values off a formula that is no more than an assignment: no solver has to be asked. False if it is not.
    pub fn read_off(&mut self, terms: &mut Terms, formula: TermId) -> bool {
        let Some(values) = assignment(terms, formula) else { return false };
        let value = |term: TermId| values.get(&terms.as_symbol(term)?).copied();
        let found: Option<Vec<TermId>> = self.open.iter().map(|(_, symbol)| value(*symbol)).collect();
        let is_clear = found.is_some();
        self.found.extend(found);
        is_clear
    }

    /// Nothing is open, and there is a successor.
    pub fn is_possible(&mut self) -> bool {
        self.found.insert(Vec::new());
        true
    }

    /// What was found for the same open variables before.
    pub fn take_over(&mut self, other: &Enumeration) {
        self.open.clone_from(&other.open);
        self.found.clone_from(&other.found);
    }

    /// Takes the variable with most values out.
    fn take_out(&mut self) {
        let values_of = |i: usize| self.found.iter().map(|f| f[i]).collect::<BTreeSet<_>>().len();
        // The last one, if several have as many.
        let most = (0..self.open.len()).max_by_key(|i| values_of(*i)).unwrap_or(0);
        self.open.remove(most);
        let without = |mut values: Vec<TermId>| {
            values.remove(most);
            values
        };
        self.found = std::mem::take(&mut self.found).into_iter().map(without).collect();
    }

    /// What was found, one state each.
    pub fn states(&self) -> Vec<Known> {
        let state = |values: &Vec<TermId>| {
            let open = self.open.iter().zip(values).map(|((base, _), value)| (*base, *value));
            Known::new(self.fixed.iter().copied().chain(open).collect())
        };
        self.found.iter().map(state).collect()
    }
}

/// Symbols with their values: constants, or arrays all of whose elements are constants.
pub type Assignment = FxHashMap<Symbol, TermId>;

/// The values that a conjunction gives to different symbols, if it does nothing else: then it is satisfiable.
pub fn assignment(terms: &mut Terms, formula: TermId) -> Option<Assignment> {
    let mut values = Assignment::default();
    for part in terms.conjuncts(formula) {
        let (symbol, value) = match (terms.op(part), terms.args(part)) {
            (Op::Eq, &[a, b]) if terms.value(b).is_some() => (a, b),
            (Op::Eq, &[a, b]) if terms.value(a).is_some() => (b, a),
            (Op::Eq, &[a, b]) if terms.as_symbol(a).is_some() => (a, terms.closed_array(b)?),
            (Op::Eq, &[a, b]) => (b, terms.closed_array(a)?),
            (Op::Not, &[a]) => (a, terms.no()),
            _ => (part, terms.yes()),
        };
        if values.insert(terms.as_symbol(symbol)?, value).is_some() {
            return None;
        }
    }
    Some(values)
}

fn exclude(engine: &mut Engine, solver: &mut dyn Solver, variables: &[(BaseId, TermId)], values: &[TermId]) {
    let mut other = Vec::with_capacity(values.len());
    for (&(_, variable), &value) in variables.iter().zip(values) {
        let same = engine.terms.eq(variable, value);
        other.push(engine.terms.not(same));
    }
    let other = engine.terms.or(&other);
    solver.assert(&engine.terms, other);
}

fn is_sat(result: SatResult) -> Result<bool, UnknownReason> {
    match result {
        SatResult::Sat => Ok(true),
        SatResult::Unsat => Ok(false),
        SatResult::Unknown(why) => Err(unknown(why)),
    }
}
