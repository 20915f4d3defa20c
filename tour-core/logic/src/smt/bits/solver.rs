//! A solver for formulas of truth values, words and floats.
//!
//! A scope is a literal of its own: what is asserted in it holds if that literal does, which is assumed as long as the
//! scope is open.

use super::blast::Blaster;
use super::cnf::{Cnf, Outcome};
use super::gates::Lit;
use crate::smt::meter::Meter;
use crate::smt::{Purpose, SatResult, Solver, Unknown};
use crate::term::{Assignment, Float, Op, Sort, TermId, Terms, Value};
use std::rc::Rc;
use std::time::{Duration, Instant};

/// What the last check said.
enum Last {
    Nothing,
    Sat,
    /// With the assumptions that were needed.
    Unsat(Vec<TermId>),
}

/// A solver for formulas of truth values, words and floats. Anything else is [`Unknown::Incomplete`].
pub struct Bits {
    meter: Rc<Meter>,
    purpose: Purpose,
    blaster: Blaster,
    /// Made when it is first needed.
    cnf: Option<Cnf>,
    assertions: Vec<TermId>,
    /// Where scopes begin, and their literals if the SAT solver knows of something in them.
    scopes: Vec<(usize, Option<i32>)>,
    /// How many assertions were sent.
    sent: usize,
    /// Gates and clauses that are paid for.
    paid: u64,
    /// Time that went into circuits since the last question.
    preparation: Duration,
    last: Last,
}

impl Bits {
    pub fn new(meter: Rc<Meter>, purpose: Purpose) -> Bits {
        Bits {
            meter,
            purpose,
            blaster: Blaster::default(),
            cnf: None,
            assertions: Vec::new(),
            scopes: Vec::new(),
            sent: 0,
            paid: 0,
            preparation: Duration::ZERO,
            last: Last::Nothing,
        }
    }

    /// It can be asked about a formula.
    pub fn understands(&mut self, terms: &Terms, formula: TermId) -> bool {
        let start = Instant::now();
        let is_known = self.blaster.formula(terms, formula).is_some();
        self.preparation += start.elapsed();
        is_known
    }

    /// Sends what the SAT solver does not know yet.
    fn send(&mut self, terms: &Terms) -> Result<(), Unknown> {
        while let Some(&formula) = self.assertions.get(self.sent) {
            let at = self.sent;
            let Bits { blaster, cnf, meter, scopes, .. } = self;
            let cnf = cnf.get_or_insert_with(|| Cnf::new(meter.interrupt.clone()));
            let scope = scopes.iter_mut().rev().find(|(start, _)| *start <= at);
            let guard = scope.map(|(_, switch)| -*switch.get_or_insert_with(|| cnf.switch()));
            let clauses: Vec<Vec<Lit>> = clauses(terms, blaster, formula).ok_or_else(foreign)?;
            for clause in clauses {
                if clause.contains(&Lit::YES) {
                    continue;
                }
                let clause = clause.iter().filter(|lit| **lit != Lit::NO);
                let clause: Vec<i32> =
                    clause.map(|lit| cnf.send(&blaster.gates, *lit)).chain(guard).collect();
                cnf.add(clause);
            }
            self.sent += 1;
        }
        Ok(())
    }

    fn ask(&mut self, terms: &Terms, assumptions: &[TermId]) -> Result<bool, Unknown> {
        self.last = Last::Nothing;
        self.send(terms)?;
        let Bits { blaster, cnf, meter, .. } = self;
        let cnf = cnf.get_or_insert_with(|| Cnf::new(meter.interrupt.clone()));
        let mut named: Vec<(i32, Option<TermId>)> =
            self.scopes.iter().filter_map(|(_, switch)| Some(((*switch)?, None))).collect();
        for &assumption in assumptions {
            match blaster.formula(terms, assumption).ok_or_else(foreign)? {
                Lit::YES => {}
                Lit::NO => {
                    self.last = Last::Unsat(vec![assumption]);
                    return Ok(false);
                }
                lit => named.push((cnf.send(&blaster.gates, lit), Some(assumption))),
            }
        }
        let made = cnf.clauses() + blaster.gates.len() as u64;
        let tuning = meter.tuning;
        let sent = (made - self.paid) / tuning.made_per_step + cnf.clauses() / tuning.kept_per_step;
        self.paid = made;
        let per_call = tuning.steps_per_call + cnf.clauses() / tuning.clauses_per_call;
        let limit = meter.limits.get().steps.map(|steps| u64::from(steps).saturating_sub(sent) / per_call);
        let lits: Vec<i32> = named.iter().map(|(lit, _)| *lit).collect();
        let (outcome, calls) = cnf.solve(&lits, limit);
        meter.spend(sent + calls * per_call);
        match outcome {
            Outcome::Sat => {
                self.last = Last::Sat;
                Ok(true)
            }
            Outcome::Unsat => {
                let core: Vec<(i32, Option<TermId>)> =
                    named.into_iter().filter(|(lit, _)| cnf.is_needed(*lit)).collect();
                // It is known from now on, whatever else is asked.
                cnf.add(core.iter().map(|(lit, _)| -lit));
                self.last = Last::Unsat(core.into_iter().filter_map(|(_, term)| term).collect());
                Ok(false)
            }
            Outcome::Stopped => Err(match meter.interrupt.reason() {
                Some(reason) => Unknown::Stopped(reason),
                None => Unknown::Limit,
            }),
        }
    }
}

fn foreign() -> Unknown {
    Unknown::Incomplete("there is more than bits in it".into())
}

/// A formula as a conjunction of disjunctions; `None` if it is not bits.
fn clauses(terms: &Terms, blaster: &mut Blaster, formula: TermId) -> Option<Vec<Vec<Lit>>> {
    let mut clauses = Vec::new();
    for part in terms.conjuncts(formula) {
        let clause: Option<Vec<Lit>> = match terms.op(part) {
            Op::Or => terms.args(part).iter().map(|arg| blaster.formula(terms, *arg)).collect(),
            _ => blaster.formula(terms, part).map(|lit| vec![lit]),
        };
        clauses.push(clause?);
    }
    Some(clauses)
}

/// The value of bits.
fn value(sort: Sort, bits: u128) -> Option<Value> {
    match sort {
        Sort::Bool => Some(Value::Bool(bits == 1)),
        Sort::BitVec(width) => Some(Value::bv(width, bits)),
        Sort::Float(format) => Some(Value::Float(Float::from_bits(format, bits as u64))),
        Sort::Int | Sort::Array { .. } => None,
    }
}

impl Solver for Bits {
    fn assert(&mut self, terms: &Terms, formula: TermId) {
        if formula != terms.yes() {
            self.assertions.push(formula);
        }
        self.last = Last::Nothing;
    }

    fn push(&mut self) {
        self.scopes.push((self.assertions.len(), None));
    }

    fn pop(&mut self) {
        let Some((start, switch)) = self.scopes.pop() else { return };
        self.assertions.truncate(start);
        self.sent = self.sent.min(start);
        self.last = Last::Nothing;
        if let (Some(switch), Some(cnf)) = (switch, &mut self.cnf) {
            cnf.add([-switch]);
        }
    }

    fn check(&mut self, terms: &Terms, assumptions: &[TermId]) -> SatResult {
        let start = Instant::now();
        let answer = match self.meter.interrupt.reason() {
            Some(reason) => return SatResult::Unknown(Unknown::Stopped(reason)),
            None => self.ask(terms, assumptions),
        };
        let result = match answer {
            Ok(true) => SatResult::Sat,
            Ok(false) => SatResult::Unsat,
            Err(why) => SatResult::Unknown(why),
        };
        let time = start.elapsed() + std::mem::take(&mut self.preparation);
        self.meter.count(self.purpose, &result, time, false);
        result
    }

    fn model(&mut self, terms: &Terms) -> Result<Assignment, Unknown> {
        let (Last::Sat, Some(cnf)) = (&self.last, &self.cnf) else {
            return Err(Unknown::Error("there is no model".into()));
        };
        let mut model = Assignment::default();
        for (symbol, word) in self.blaster.variables() {
            let bits: Vec<Option<bool>> = word.iter().map(|bit| cnf.value(*bit)).collect();
            if bits.iter().all(Option::is_none) {
                continue;
            }
            let bits = bits.iter().rev().fold(0, |number, bit| number << 1 | u128::from(*bit == Some(true)));
            if let Some(value) = value(terms.base(symbol.base).sort, bits) {
                model.set(symbol, value);
            }
        }
        Ok(model)
    }

    fn values(&mut self, terms: &Terms, of: &[TermId]) -> Result<Vec<Option<Value>>, Unknown> {
        let model = self.model(terms)?;
        Ok(terms.eval_all(of, &model))
    }

    fn unsat_core(&mut self, _: &Terms) -> Vec<TermId> {
        match &self.last {
            Last::Unsat(core) => core.clone(),
            Last::Nothing | Last::Sat => Vec::new(),
        }
    }
}
