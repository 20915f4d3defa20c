//! A second opinion on questions that some analysis has answered already: Z3 makes circuits of them, and CaDiCaL decides
//! these. No analysis asks in this way: those that ask CaDiCaL make the circuits themselves, and those that ask Z3 have it
//! search, too.

use super::z3::Z3;
use super::{Purpose, QueryLimits, SatResult, Smt, Unknown};
use crate::term::{Assignment, Reads, TermId, Terms};
use crate::tuning::SolverLimits;
use cadical::{Callbacks, Solver};
use std::cell::Cell;
use std::time::Instant;
use tour_ir::limits::Interrupt;

/// How often CaDiCaL may call back before Z3 is asked all the same: sums and products of words may be easier for it. A
/// second, or so.
const MAX_CALLS: u64 = 20_000;

/// Who is asked for a second opinion.
pub struct SecondOpinion {
    z3: Z3,
    interrupt: Interrupt,
    asked: Cell<Opinions>,
}

/// How many questions were decided in which way.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Opinions {
    /// Refuted by CaDiCaL, on circuits.
    pub circuits: u64,
    /// Answered by Z3, as in analyses: there is more than words in the question, it was too hard otherwise, or it has a
    /// model.
    pub z3: u64,
}

impl SecondOpinion {
    /// Nobody was asked yet.
    pub fn new(interrupt: &Interrupt) -> SecondOpinion {
        SecondOpinion {
            z3: Z3::new(QueryLimits::default(), interrupt.clone()),
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
        let mut asked = self.asked.get();
        let answer = if self.is_refuted_by_circuits(terms, formula) {
            asked.circuits += 1;
            SatResult::Unsat
        } else {
            asked.z3 += 1;
            self.z3.check(terms, formula, Purpose::Certificate)
        };
        self.asked.set(asked);
        answer
    }

    /// A model of a formula, by Z3; that there is none is found out in both ways.
    pub fn find_model(&self, terms: &mut Terms, formula: TermId) -> Result<Option<Assignment>, Unknown> {
        match self.z3.find_model(terms, formula, Purpose::Certificate)? {
            Some(model) => Ok(Some(model)),
            None => match self.check(terms, formula) {
                SatResult::Unsat => Ok(None),
                SatResult::Sat => Err(Unknown::Error("two solvers do not agree".into())),
                SatResult::Unknown(why) => Err(why),
            },
        }
    }

    /// CaDiCaL finds out that there is no model.
    fn is_refuted_by_circuits(&self, terms: &mut Terms, formula: TermId) -> bool {
        let start = Instant::now();
        let mut reads = Reads::new(SolverLimits::default());
        let Some(plain) = reads.without_arrays(terms, formula) else { return false };
        let mut parts = reads.take_facts();
        parts.push(plain);
        let question = terms.and(&parts);
        if !terms.is_bits(question) {
            return false;
        }
        let Ok(clauses) = self.z3.clauses(terms, question) else { return false };
        let is_refuted = solve(&self.interrupt, &clauses) == Some(false);
        if is_refuted {
            self.z3.meter().count(Purpose::Certificate, &SatResult::Unsat, start.elapsed(), false);
        }
        is_refuted
    }
}

/// Stops CaDiCaL.
struct Watch {
    interrupt: Interrupt,
    calls: u64,
}

impl Callbacks for Watch {
    fn terminate(&mut self) -> bool {
        self.calls += 1;
        self.calls > MAX_CALLS || self.interrupt.reason().is_some()
    }
}

/// Are clauses satisfiable together? `None` if that takes too long.
fn solve(interrupt: &Interrupt, clauses: &[Vec<i32>]) -> Option<bool> {
    if clauses.iter().any(Vec::is_empty) {
        return Some(false);
    }
    let mut solver: Solver<Watch> = Solver::new();
    solver.set_callbacks(Some(Watch { interrupt: interrupt.clone(), calls: 0 }));
    for clause in clauses {
        solver.add_clause(clause.iter().copied());
    }
    solver.solve()
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
        assert_eq!(second.opinions(), Opinions { circuits: 1, z3: 1 });
    }
}
