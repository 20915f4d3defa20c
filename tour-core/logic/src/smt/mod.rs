//! Solvers: satisfiability, models, unsatisfiable cores, interpolants and projection, behind two small traits.
//!
//! An [`Smt`] is a back end ([`Z3`], the only module that talks to that library). It belongs to one thread and to one
//! arena of [`Terms`]; it makes [`Solver`]s, which share its translation of terms, its query cache and its statistics.
//! An [`Inquiry`] is for a series of questions about large formulas that have most of their terms in common: those that
//! are made of nothing but bits are asked of a SAT solver.
//!
//! ```
//! use tour_logic::smt::{Purpose, QueryLimits, SatResult, Smt, Solver, Z3};
//! use tour_logic::term::{Sort, Terms};
//!
//! let mut t = Terms::new();
//! let x = t.declare("x", Sort::BitVec(8), false);
//! let (x, three) = (t.var(x, 1), t.bv(8, 3));
//! let (small, big) = (t.bv_ult(x, three), t.bv_ult(three, x));
//!
//! let z3 = Z3::new(QueryLimits::default(), Default::default());
//! let mut solver = z3.solver(Purpose::Feasibility);
//! solver.assert(&t, small);
//! assert_eq!(solver.check(&t, &[big]), SatResult::Unsat); // under an assumption
//! assert_eq!(solver.unsat_core(&t), [big]);
//! assert_eq!(solver.check(&t, &[]), SatResult::Sat);
//! assert_eq!(t.holds(small, &solver.model(&t).unwrap()), Some(true));
//! ```
//!
//! # What an answer means
//!
//! `Sat` and `Unsat` are certain. Whatever goes wrong in a solver (a limit, an interrupt, memory, an error, a theory
//! that it can't decide) is [`SatResult::Unknown`] with the reason, and never taken for either.

mod backend;
mod bits;
mod bits_first;
mod cache;
mod elements;
mod inquiry;
mod integers;
mod meter;
mod second;
mod stats;
mod z3;

pub use backend::Backend;
pub use inquiry::Inquiry;
pub use meter::Meter;
pub use second::{Opinions, SecondOpinion};
pub use stats::{QueryStats, Tally};
pub use z3::{Z3, leave_to_exit};

use crate::term::{Assignment, Symbol, TermId, Terms, Value};
use std::fmt;
use std::rc::Rc;
use std::time::Duration;
use tour_ir::limits::StopReason;

/// Why a solver gave no answer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Unknown {
    /// The run was stopped.
    Stopped(StopReason),
    /// The query hit its own limit.
    Limit,
    /// The solver is not able to decide it, in its own words.
    Incomplete(String),
    /// The solver failed, in its own words.
    Error(String),
}

impl fmt::Display for Unknown {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Unknown::Stopped(reason) => reason.fmt(f),
            Unknown::Limit => f.write_str("the query's limit was reached"),
            Unknown::Incomplete(why) => write!(f, "the solver can't decide the query: {why}"),
            Unknown::Error(why) => write!(f, "the solver failed: {why}"),
        }
    }
}

impl std::error::Error for Unknown {}

/// The answer to a query.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SatResult {
    /// There is a model.
    Sat,
    /// There is none.
    Unsat,
    /// No answer.
    Unknown(Unknown),
}

/// What a query is for; statistics are kept by purpose.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
#[expect(missing_docs)]
pub enum Purpose {
    Abstraction,
    Coverage,
    Feasibility,
    Refinement,
    Induction,
    Certificate,
}

impl Purpose {
    /// All purposes.
    pub const ALL: [Purpose; 6] = [
        Purpose::Abstraction,
        Purpose::Coverage,
        Purpose::Feasibility,
        Purpose::Refinement,
        Purpose::Induction,
        Purpose::Certificate,
    ];

    /// Whether just the answer counts. Elsewhere the model or the core is used, too: those of words are the better ones,
    /// and integers are not asked.
    fn is_decision(self) -> bool {
        match self {
            Purpose::Abstraction | Purpose::Coverage | Purpose::Induction | Purpose::Certificate => true,
            Purpose::Feasibility | Purpose::Refinement => false,
        }
    }
}

/// Limits of each single query.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct QueryLimits {
    /// Steps of the solver (Z3's `rlimit`, very roughly a million a second). Deterministic, unlike time. `None`:
    /// unlimited.
    pub steps: Option<u32>,
}

/// A stack of assertions that can be checked again and again.
pub trait Solver {
    /// Adds a formula until the next [`Solver::pop`].
    fn assert(&mut self, terms: &Terms, formula: TermId);

    /// Opens a scope.
    fn push(&mut self);

    /// Closes a scope: what was asserted in it is gone.
    fn pop(&mut self);

    /// Is the conjunction of all assertions and of the assumptions (any formulas) satisfiable?
    fn check(&mut self, terms: &Terms, assumptions: &[TermId]) -> SatResult;

    /// A model, after [`SatResult::Sat`]. Variables that do not matter are missing (and count as zero).
    fn model(&mut self, terms: &Terms) -> Result<Assignment, Unknown>;

    /// The values of terms in a model, after [`SatResult::Sat`]; `None` where one depends on something unspecified. Cheaper
    /// than the whole model.
    fn values(&mut self, terms: &Terms, of: &[TermId]) -> Result<Vec<Option<Value>>, Unknown>;

    /// Assumptions of the last check that are unsatisfiable together with the assertions, after
    /// [`SatResult::Unsat`], in the order in which they were given. Not minimal.
    fn unsat_core(&mut self, terms: &Terms) -> Vec<TermId>;
}

/// A back end.
pub trait Smt {
    /// A new solver without assertions.
    fn solver(&self, purpose: Purpose) -> Box<dyn Solver>;

    /// The same for many questions about a formula that stays.
    fn lasting_solver(&self, purpose: Purpose) -> Box<dyn Solver> {
        self.solver(purpose)
    }

    /// Is a formula satisfiable? Cheaper than a solver of one's own if there is just this question.
    fn check(&self, terms: &Terms, formula: TermId, purpose: Purpose) -> SatResult;

    /// A model of a formula; `None` if there is none.
    fn find_model(
        &self,
        terms: &Terms,
        formula: TermId,
        purpose: Purpose,
    ) -> Result<Option<Assignment>, Unknown>;

    /// A sequence of interpolants: for formulas `f0 … fn` (in SSA form: what two of them share, they share by symbol)
    /// whose conjunction is unsatisfiable, `n` formulas `i1 … in` such that `f0` implies `i1`, `ik && fk` implies
    /// `i(k+1)`, and `in && fn` is unsatisfiable. `ik` speaks only of symbols that are both before and after it.
    /// `None` if the conjunction is satisfiable.
    fn interpolate(
        &self,
        terms: &mut Terms,
        formulas: &[TermId],
        limits: QueryLimits,
    ) -> Result<Option<Vec<TermId>>, Unknown>;

    /// Model-based projection: a formula without the symbols `away` that implies `exists away. formula` and holds in
    /// `model` (which satisfies `formula`). For a small result, give a conjunction of literals.
    fn project(
        &self,
        terms: &mut Terms,
        formula: TermId,
        away: &[Symbol],
        model: &Assignment,
    ) -> Result<TermId, Unknown>;

    /// What its solvers have in common with others that are asked in its stead.
    fn meter(&self) -> Rc<Meter>;

    /// The limits of queries.
    fn limits(&self) -> QueryLimits {
        self.meter().limits.get()
    }

    /// From now on, queries have these limits.
    fn set_limits(&self, limits: QueryLimits) {
        self.meter().limits.set(limits);
    }

    /// What it took to start the solver, whoever asked first.
    fn start_time(&self) -> Duration {
        Duration::ZERO
    }

    /// What it has been asked so far.
    fn stats(&self) -> QueryStats;

    /// How many steps it has made so far, as in [`QueryLimits::steps`]: the same for the same questions.
    fn spent(&self) -> u64;
}
