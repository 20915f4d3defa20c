//! Questions about words of bits, asked of integers.
//!
//! That a sum stays between its bounds is hard to see bit by bit and easy to see of numbers. Here a word of `w` bits
//! becomes a sum of integers that equals it modulo `2^w`; where its value matters (a comparison, a division, a wider
//! word) the sum is brought into the range of the word, by cases if it can leave it only once or twice. Nothing is
//! rounded away: for all operators that [`translate`] knows the integers say exactly what the words say. Any other
//! word becomes an integer of which just the range is known, and, if it is read from an array, what [`arrays`] says.
//!
//! So *unsatisfiable* is certain. *Satisfiable* is said only of values that satisfy the original formulas, which is
//! found out by evaluating them.

mod arrays;
mod linear;
mod translate;

use super::z3::Z3;
use super::{Purpose, QueryLimits, SatResult, Smt, Unknown};
use crate::term::{Assignment, TermId, Terms, Value};
use crate::tuning::SolverLimits;
use tour_ir::limits::Interrupt;
use translate::Translation;

/// An answer.
pub enum Answer {
    /// There is a model: this one.
    Sat(Assignment),
    /// There is none, not even of the assertions and these assumptions.
    Unsat(Vec<TermId>),
}

/// The integers to one arena of terms, with a solver of their own.
pub struct Integers {
    translation: Translation,
    z3: Z3,
    luck: Luck,
}

impl Integers {
    /// Integers whose questions stop when `interrupt` is raised.
    pub fn new(tuning: SolverLimits, interrupt: Interrupt) -> Integers {
        Integers {
            translation: Translation::new(tuning.max_integer_reads),
            z3: Z3::bare(tuning, QueryLimits::default(), interrupt),
            luck: Luck { max_failures: tuning.max_integer_failures, failures: 0, skip: 0 },
        }
    }

    /// Is the conjunction of assertions and assumptions satisfiable?
    pub fn check(
        &mut self,
        terms: &Terms,
        assertions: &[TermId],
        assumptions: &[TermId],
        limits: QueryLimits,
    ) -> Result<Answer, Unknown> {
        let answer = self.ask(terms, assertions, assumptions, limits);
        self.luck.note(answer.is_ok());
        answer
    }

    fn ask(
        &mut self,
        terms: &Terms,
        assertions: &[TermId],
        assumptions: &[TermId],
        limits: QueryLimits,
    ) -> Result<Answer, Unknown> {
        let formulas: Vec<TermId> = assertions.iter().chain(assumptions).copied().collect();
        let question = self.translation.question(terms, &formulas);
        let ints = &self.translation.ints;
        self.z3.set_limits(limits);
        let mut solver = self.z3.solver(Purpose::Feasibility);
        let (asserted, others) = question.formulas.split_at(assertions.len());
        for &formula in asserted.iter().chain(&question.facts) {
            solver.assert(ints, formula);
        }
        match solver.check(ints, others) {
            SatResult::Unsat => {
                let core = solver.unsat_core(ints);
                let in_core = others.iter().zip(assumptions).filter(|(other, _)| core.contains(other));
                Ok(Answer::Unsat(in_core.map(|(_, assumption)| *assumption).collect()))
            }
            SatResult::Unknown(why) => Err(why),
            SatResult::Sat => {
                let model = self.words(terms, &solver.model(ints)?);
                let satisfied = formulas.iter().all(|f| terms.holds(*f, &model) == Some(true));
                satisfied.then_some(Answer::Sat(model)).ok_or(Unknown::Limit)
            }
        }
    }

    /// The words that integers stand for.
    fn words(&self, terms: &Terms, model: &Assignment) -> Assignment {
        let mut words = Assignment::default();
        for (symbol, value) in model.iter() {
            let Some(word) = self.translation.variable(symbol) else { continue };
            match (terms.base(word.base).sort, value) {
                (crate::term::Sort::BitVec(bits), Value::Int(value)) => {
                    words.set(word, Value::bv(bits, *value as u128));
                }
                (_, value) => words.set(word, value.clone()),
            }
        }
        words
    }

    /// Of late they did not help.
    pub fn is_out_of_luck(&self) -> bool {
        self.luck.skip > 0
    }

    /// A hard question was answered without them.
    pub fn skip(&mut self) {
        self.luck.skip = self.luck.skip.saturating_sub(1);
    }

    /// Steps of the solver so far.
    pub fn spent(&self) -> u64 {
        self.z3.spent()
    }
}

/// Whether it is worth trying: after each failure in a row twice as many hard questions are left out, up to a bound.
struct Luck {
    max_failures: u32,
    failures: u32,
    skip: u32,
}

impl Luck {
    fn note(&mut self, lucky: bool) {
        if lucky {
            self.failures = 0;
        } else {
            self.failures += 1;
            self.skip = (1 << self.failures.min(self.max_failures)) - 2;
        }
    }
}

#[cfg(test)]
mod tests;
