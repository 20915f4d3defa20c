//! A second opinion on questions that some analysis has answered already, asked in a way in which no analysis asks.
//!
//! | | here | in analyses |
//! |---|---|---|
//! | arrays | `arrays`: names, and axioms about them | nested choices, or Z3's arrays |
//! | circuits | Z3's | our own (`bits`) |
//! | who decides them | CaDiCaL, whose proof is checked: `cadical`, `proof` | CaDiCaL, without a proof |
//! | anything else | Z3, each question from scratch, by its own choice of tactics | Z3, incrementally, and helpers |
//! | sums that are hard for both | [`Integers`] | the same |
//!
//! Shared are the terms with their simplifications, the translation of terms to Z3, and Z3's own code; and in the last case,
//! which is counted apart, the translation of words to integers.

mod arrays;
mod cadical;
mod proof;

use super::integers::{Answer, Integers};
use super::z3::Z3;
use super::{Purpose, QueryLimits, SatResult, Smt, Unknown};
use crate::term::{Assignment, TermId, Terms};
use crate::tuning::SolverLimits;
use arrays::Arrays;
use std::cell::{Cell, RefCell};
use std::time::Instant;
use tour_ir::limits::Interrupt;

/// How often CaDiCaL may call back before Z3 is asked all the same: sums and products of words may be easier for it. A
/// second, or so.
const MAX_CALLS: u64 = 20_000;

/// How many steps Z3 may make before integers are asked: half a second, or so. `bhmr2007` of loop-lit and `MADWiFi-encode_ie_ok` of
/// loop-invgen, whose invariants are sums of three variables, are not decided by Z3 within a minute, and by integers at once.
const MAX_STEPS_BEFORE_INTEGERS: u32 = 500_000;

/// Where integers had to be asked once, the others are given only this share of what they may take: questions of a certificate
/// are alike.
const SHARE_AFTER_INTEGERS: u32 = 10;

/// How many steps integers may make before Z3 has the last word.
const MAX_INTEGER_STEPS: u32 = 4_000_000;

/// Who is asked for a second opinion.
pub struct SecondOpinion {
    z3: Z3,
    integers: RefCell<Integers>,
    interrupt: Interrupt,
    asked: Cell<Opinions>,
}

/// How many questions were decided in which way.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Opinions {
    /// Refuted by CaDiCaL on circuits, by a proof that was checked.
    pub circuits: u64,
    /// Answered by Z3: there is more than words in the question, it was too hard otherwise, or it has a model.
    pub z3: u64,
    /// Refuted as questions about integers, after neither of the two had an answer soon.
    pub integers: u64,
}

impl SecondOpinion {
    /// Nobody was asked yet.
    pub fn new(interrupt: &Interrupt) -> SecondOpinion {
        SecondOpinion {
            z3: Z3::from_scratch(SolverLimits::default(), QueryLimits::default(), interrupt.clone()),
            integers: RefCell::new(Integers::new(SolverLimits::default(), interrupt.clone())),
            interrupt: interrupt.clone(),
            asked: Cell::default(),
        }
    }

    /// How questions were decided.
    pub fn opinions(&self) -> Opinions {
        self.asked.get()
    }

    /// Is a formula satisfiable?
    pub fn check(&self, terms: &mut Terms, formula: TermId) -> SatResult {
        if formula == terms.no() {
            return SatResult::Unsat;
        }
        let plain = Arrays::default().remove(terms, formula);
        let mut asked = self.asked.get();
        let question = plain.unwrap_or(formula);
        let answer = if plain.is_some_and(|plain| self.is_refuted_by_circuits(terms, plain)) {
            asked.circuits += 1;
            SatResult::Unsat
        } else {
            match self.ask_z3(terms, question, Some(MAX_STEPS_BEFORE_INTEGERS / self.divisor())) {
                SatResult::Unknown(Unknown::Limit) if self.is_refuted_by_integers(terms, question) => {
                    asked.integers += 1;
                    SatResult::Unsat
                }
                SatResult::Unknown(Unknown::Limit) => {
                    asked.z3 += 1;
                    self.ask_z3(terms, question, None)
                }
                answer => {
                    asked.z3 += 1;
                    answer
                }
            }
        };
        self.asked.set(asked);
        answer
    }

    /// What limits of those who are asked before integers are divided by.
    fn divisor(&self) -> u32 {
        if self.asked.get().integers > 0 { SHARE_AFTER_INTEGERS } else { 1 }
    }

    fn ask_z3(&self, terms: &Terms, formula: TermId, steps: Option<u32>) -> SatResult {
        self.z3.set_limits(QueryLimits { steps });
        self.z3.check(terms, formula, Purpose::Certificate)
    }

    fn is_refuted_by_integers(&self, terms: &Terms, formula: TermId) -> bool {
        let limits = QueryLimits { steps: Some(MAX_INTEGER_STEPS) };
        matches!(self.integers.borrow_mut().check(terms, &[formula], &[], limits), Ok(Answer::Unsat(_)))
    }

    /// A model of a formula, by Z3; that there is none is found out in both ways.
    pub fn find_model(&self, terms: &mut Terms, formula: TermId) -> Result<Option<Assignment>, Unknown> {
        let mut arrays = Arrays::default();
        let plain = arrays.remove(terms, formula).unwrap_or(formula);
        self.z3.set_limits(QueryLimits::default());
        match self.z3.find_model(terms, plain, Purpose::Certificate)? {
            Some(mut model) => {
                arrays.complete(terms, &mut model);
                Ok(Some(model))
            }
            None => match self.check(terms, formula) {
                SatResult::Unsat => Ok(None),
                SatResult::Sat => Err(Unknown::Error("two solvers do not agree".into())),
                SatResult::Unknown(why) => Err(why),
            },
        }
    }

    /// CaDiCaL proves that a formula without arrays has no model.
    fn is_refuted_by_circuits(&self, terms: &Terms, formula: TermId) -> bool {
        let start = Instant::now();
        if !terms.is_bits(formula) {
            return false;
        }
        let Ok(clauses) = self.z3.clauses(terms, formula) else { return false };
        let max_calls = MAX_CALLS / u64::from(self.divisor());
        let is_refuted = is_refuted(&self.interrupt, &clauses, max_calls);
        if is_refuted {
            self.z3.meter().count(Purpose::Certificate, &SatResult::Unsat, start.elapsed(), false);
        }
        is_refuted
    }
}

/// There is a checked proof, found soon enough, that clauses are not satisfiable together.
fn is_refuted(interrupt: &Interrupt, clauses: &[Vec<i32>], max_calls: u64) -> bool {
    clauses.iter().any(Vec::is_empty)
        || cadical::refute(interrupt, clauses, max_calls)
            .is_some_and(|proof| proof::check(clauses, &proof).is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::term::Sort;
    use crate::term::random::{Rng, draw};

    #[test]
    fn it_agrees_with_z3() {
        let mut sat = 0;
        for seed in 0..200 {
            let (mut t, mut rng) = (Terms::new(), Rng(seed));
            let formulas = [(); 4].map(|()| draw(&mut t, &mut rng, Sort::Bool, 3).raw);
            let words: Vec<TermId> = formulas.into_iter().filter(|f| t.is_bits(*f)).collect();
            let all = t.and(&words);
            let second = SecondOpinion::new(&Interrupt::default());
            let answer = second.check(&mut t, all);
            assert_eq!(
                second.opinions().circuits > 0,
                answer == SatResult::Unsat && all != t.no(),
                "seed {seed}"
            );
            let z3 = Z3::bare(SolverLimits::default(), QueryLimits::default(), Interrupt::default());
            assert_eq!(answer, z3.check(&t, all, Purpose::Certificate), "seed {seed}");
            sat += usize::from(answer == SatResult::Sat);
        }
        assert!((20..180).contains(&sat), "{sat} are satisfiable");
    }

    /// `x + y = 3n` stays true when `n` grows by one, and `x` by two and `y` by one, or the other way round.
    #[test]
    fn sums_of_several_variables_are_decided_by_integers() {
        let mut t = Terms::new();
        let mut word = |name: &str| {
            let base = t.declare(name, Sort::BitVec(32), false);
            t.var(base, 0)
        };
        let [x, y, n, i] = ["x", "y", "n", "i"].map(&mut word);
        let word = |value: u128| t.bv(32, value);
        let [zero, one, two, three, large] = [0, 1, 2, 3, 1_000_000].map(word);
        let holds = |t: &mut Terms, x: TermId, y: TermId, i: TermId| {
            let (sum, product) = (t.bv_add(x, y), t.bv_mul(three, i));
            t.eq(sum, product)
        };
        let before = holds(&mut t, x, y, i);
        let [x1, x2, y1, y2] = [(x, one), (x, two), (y, one), (y, two)].map(|(a, b)| t.bv_add(a, b));
        let next = t.bv_add(i, one);
        let (left, right) = (holds(&mut t, x2, y1, next), holds(&mut t, x1, y2, next));
        let both = t.and2(left, right);
        let mut bounds: Vec<TermId> = [x, y].iter().map(|a| t.bv_sle(zero, *a)).collect();
        bounds.extend([t.bv_sle(zero, i), t.bv_slt(i, n), t.bv_sle(n, large), before, t.not(both)]);
        let formula = t.and(&bounds);
        let second = SecondOpinion::new(&Interrupt::default());
        assert!(second.is_refuted_by_integers(&t, formula));
        let small = t.and(&bounds[..5]);
        assert!(!second.is_refuted_by_integers(&t, small));
        assert_eq!(second.check(&mut t, formula), SatResult::Unsat);
    }

    #[test]
    fn a_sum_is_decided_by_circuits() {
        let mut t = Terms::new();
        let x = t.declare("x", Sort::BitVec(32), false);
        let x = t.var(x, 0);
        let (one, three) = (t.bv(32, 1), t.bv(32, 3));
        let next = t.bv_add(x, one);
        let (small, large) = (t.bv_ult(x, three), t.bv_ult(three, next));
        let both = t.and2(small, large);
        let second = SecondOpinion::new(&Interrupt::default());
        assert_eq!(second.check(&mut t, both), SatResult::Unsat);
        assert_eq!(second.check(&mut t, small), SatResult::Sat);
        assert_eq!(second.opinions(), Opinions { circuits: 1, z3: 1, integers: 0 });
    }
}
