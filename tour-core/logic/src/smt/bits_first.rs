//! A solver for many questions about one formula, as predicate abstraction asks them about a block: what is made of bits
//! is asked of the SAT solver, which keeps what it has learned from one question to the next; what is more than bits,
//! and what is too hard for it, of another solver, which hears of nothing until then.

use super::bits::Bits;
use super::{SatResult, Solver, Unknown};
use crate::term::{Assignment, TermId, Terms, Value};

/// Who answered last.
#[derive(Clone, Copy)]
enum Answered {
    Bits,
    Other,
}

/// The two solvers.
pub struct BitsFirst {
    bits: Bits,
    other: Box<dyn Solver>,
    /// How many assertions are more than bits: outside of all scopes, and in each that is open.
    foreign: Vec<usize>,
    answered: Answered,
}

impl BitsFirst {
    pub fn new(bits: Bits, other: Box<dyn Solver>) -> BitsFirst {
        BitsFirst { bits, other, foreign: vec![0], answered: Answered::Other }
    }
}

impl Solver for BitsFirst {
    fn assert(&mut self, terms: &Terms, formula: TermId) {
        self.other.assert(terms, formula);
        if self.bits.understands(terms, formula) {
            self.bits.assert(terms, formula);
        } else if let Some(count) = self.foreign.last_mut() {
            *count += 1;
        }
    }

    fn push(&mut self) {
        self.other.push();
        self.bits.push();
        self.foreign.push(0);
    }

    fn pop(&mut self) {
        if self.foreign.len() > 1 {
            self.foreign.pop();
            self.other.pop();
            self.bits.pop();
        }
    }

    fn check(&mut self, terms: &Terms, assumptions: &[TermId]) -> SatResult {
        let is_bits = self.foreign.iter().all(|count| *count == 0)
            && assumptions.iter().all(|assumption| self.bits.understands(terms, *assumption));
        if is_bits {
            match self.bits.check(terms, assumptions) {
                SatResult::Unknown(Unknown::Limit | Unknown::Incomplete(_)) => {}
                answer => {
                    self.answered = Answered::Bits;
                    return answer;
                }
            }
        }
        self.answered = Answered::Other;
        self.other.check(terms, assumptions)
    }

    fn model(&mut self, terms: &Terms) -> Result<Assignment, Unknown> {
        match self.answered {
            Answered::Bits => self.bits.model(terms),
            Answered::Other => self.other.model(terms),
        }
    }

    fn values(&mut self, terms: &Terms, of: &[TermId]) -> Result<Vec<Option<Value>>, Unknown> {
        match self.answered {
            Answered::Bits => self.bits.values(terms, of),
            Answered::Other => self.other.values(terms, of),
        }
    }

    fn unsat_core(&mut self, terms: &Terms) -> Vec<TermId> {
        match self.answered {
            Answered::Bits => self.bits.unsat_core(terms),
            Answered::Other => self.other.unsat_core(terms),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::smt::{Purpose, QueryLimits, Smt, Z3};
    use crate::term::random::{Rng, draw};
    use crate::term::{Elem, Sort};
    use crate::tuning::SolverLimits;

    /// One of bits alone, or about an element of an array.
    fn some_formula(t: &mut Terms, rng: &mut Rng) -> TermId {
        if rng.below(4) == 0 {
            let array = t.declare("memory", Sort::Array { index: 8, elem: Elem::BitVec(8) }, false);
            let (array, index, value) = (t.var(array, 0), t.bv(8, rng.bits(2)), t.bv(8, rng.bits(1)));
            let element = t.select(array, index);
            return t.eq(element, value);
        }
        loop {
            let formula = draw(t, rng, Sort::Bool, 3).simple;
            if t.is_bits(formula) {
                return formula;
            }
        }
    }

    /// Scopes open and close at random, with formulas in them of which some are more than bits.
    #[test]
    fn it_agrees_with_z3_whatever_is_in_scope() {
        let (mut sat, mut unsat) = (0, 0);
        for seed in 0..60 {
            let (mut t, mut rng) = (Terms::new(), Rng(seed));
            let z3 = Z3::new(QueryLimits::default(), Default::default());
            let bare = Z3::bare(SolverLimits::default(), QueryLimits::default(), Default::default());
            let mut ours = z3.lasting_solver(Purpose::Abstraction);
            let mut other = bare.solver(Purpose::Abstraction);
            let mut open = 0;
            for _ in 0..12 {
                let formula = some_formula(&mut t, &mut rng);
                match rng.below(5) {
                    0 => {
                        ours.push();
                        other.push();
                        open += 1;
                    }
                    1 if open > 0 => {
                        ours.pop();
                        other.pop();
                        open -= 1;
                    }
                    2 => {
                        ours.assert(&t, formula);
                        other.assert(&t, formula);
                    }
                    _ => {
                        let (found, expected) = (ours.check(&t, &[formula]), other.check(&t, &[formula]));
                        match (&found, &expected) {
                            (SatResult::Unknown(_), _) | (_, SatResult::Unknown(_)) => continue,
                            _ => assert_eq!(found, expected, "seed {seed}"),
                        }
                        if found == SatResult::Sat {
                            sat += 1;
                            let values = ours.values(&t, &[formula]).expect("values");
                            assert_ne!(values, [Some(Value::Bool(false))], "seed {seed}");
                        } else {
                            unsat += 1;
                        }
                    }
                }
            }
        }
        assert!(sat > 50 && unsat > 50, "{sat} {unsat}");
    }
}
