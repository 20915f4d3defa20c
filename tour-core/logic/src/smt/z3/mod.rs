//! Z3, the only solver so far.
//!
//! | file | what |
//! |---|---|
//! | `context` | the context, errors, interruption; why the unsafe code here is sound |
//! | `translate`, `back` | terms to Z3 and back |
//! | `model` | models |
//! | `solver` | satisfiability, incrementally |
//! | `spacer` | interpolants |
//! | `project` | model-based projection |
//! | `circuits` | clauses |
//! | `version` | which Z3 it is, and what it is too old for |

mod back;
mod circuits;
mod context;
mod model;
mod project;
mod solver;
mod spacer;
mod translate;
mod version;

#[cfg(test)]
mod tests;

use super::bits::Bits;
use super::bits_first::BitsFirst;
use super::cache::QueryCache;
use super::elements::Words;
use super::integers::Integers;
use super::meter::Meter;
use super::{Purpose, QueryLimits, QueryStats, SatResult, Smt, Solver, Unknown};
use crate::term::{Assignment, Symbol, TermId, Terms};
use crate::tuning::SolverLimits;
use context::Context;
pub use context::leave_to_exit;
use solver::Z3Solver;
use std::cell::{Cell, OnceCell, RefCell};
use std::rc::Rc;
use std::time::{Duration, Instant};
use tour_ir::limits::Interrupt;
use translate::Translation;
use version::Ability;
use z3_sys::Z3_solver;

/// How Z3 solves.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Strategy {
    /// It keeps what it has learned for the next question.
    Incremental,
    /// Each question from scratch, by tactics.
    Tactics,
}

/// What the solvers of a back end share.
struct Shared {
    strategy: Strategy,
    meter: Rc<Meter>,
    translation: RefCell<Translation>,
    cache: RefCell<QueryCache>,
    /// Steps that Z3 has made so far, and its own counter (which wraps around) when that was found out.
    spent: Cell<(u64, u32)>,
    /// Asked what is hard to tell bit by bit, unless this back end serves them itself.
    integers: Option<RefCell<Integers>>,
    /// Asked about arrays, unless this back end serves them itself.
    words: Option<RefCell<Words>>,
    /// They are asked at once.
    elements_first: Cell<bool>,
    /// What it took to start.
    start: Cell<Duration>,
    /// Made when it is first needed. Declared last, so that it is dropped after what it made.
    context: OnceCell<Result<Context, Unknown>>,
}

impl Shared {
    fn context(&self) -> Result<&Context, Unknown> {
        let start = || {
            let clock = Instant::now();
            let context = Context::new(self.meter.interrupt.clone());
            self.start.set(clock.elapsed());
            context
        };
        self.context.get_or_init(start).as_ref().map_err(Clone::clone)
    }

    /// Reads off a solver how many steps Z3 has made.
    fn meter(&self, context: &Context, solver: Z3_solver) {
        let (total, last) = self.spent.get();
        if let Some(now) = context.steps(solver) {
            self.spent.set((total + u64::from(now.wrapping_sub(last)), now));
        }
    }
}

/// The back end. It starts Z3 when it is first needed.
pub struct Z3 {
    shared: Rc<Shared>,
    /// For single questions.
    scratch: RefCell<Option<Z3Solver>>,
}

impl Z3 {
    /// The version of the library, for people.
    pub fn version() -> String {
        // SAFETY: the library returns a string of its own that lives for ever.
        let text = unsafe { std::ffi::CStr::from_ptr(z3_sys::Z3_get_full_version()) };
        let text = text.to_string_lossy();
        format!("Z3 {}", text.strip_prefix("Z3 ").unwrap_or(&text))
    }

    /// What this Z3 is not asked because it is too old: what, and the version that is.
    pub fn too_old_for() -> Vec<(&'static str, String)> {
        let missing = Ability::ALL.into_iter().filter(|ability| !ability.is_in(version::linked()));
        missing.map(|ability| (ability.describe(), ability.since().to_string())).collect()
    }

    /// A back end whose queries have these limits, and that stops when `interrupt` is raised.
    pub fn new(limits: QueryLimits, interrupt: Interrupt) -> Z3 {
        Z3::tuned(SolverLimits::default(), limits, interrupt)
    }

    /// The same with other tuning values.
    pub fn tuned(tuning: SolverLimits, limits: QueryLimits, interrupt: Interrupt) -> Z3 {
        let integers = Integers::new(tuning, interrupt.clone());
        let words = Words::new(tuning, interrupt.clone());
        Z3::with(Some(integers), Some(words), tuning, limits, interrupt)
    }

    /// The same without help by words for arrays.
    pub fn without_arrays(tuning: SolverLimits, limits: QueryLimits, interrupt: Interrupt) -> Z3 {
        Z3::with(Some(Integers::new(tuning, interrupt.clone())), None, tuning, limits, interrupt)
    }

    /// The same without any help.
    pub fn bare(tuning: SolverLimits, limits: QueryLimits, interrupt: Interrupt) -> Z3 {
        Z3::with(None, None, tuning, limits, interrupt)
    }

    /// The same without any help, and each question is solved from scratch, by Z3's own choice of tactics.
    pub(super) fn from_scratch(tuning: SolverLimits, limits: QueryLimits, interrupt: Interrupt) -> Z3 {
        Z3::start(Strategy::Tactics, None, None, tuning, limits, interrupt)
    }

    fn with(
        integers: Option<Integers>,
        words: Option<Words>,
        tuning: SolverLimits,
        limits: QueryLimits,
        interrupt: Interrupt,
    ) -> Z3 {
        Z3::start(Strategy::Incremental, integers, words, tuning, limits, interrupt)
    }

    fn start(
        strategy: Strategy,
        integers: Option<Integers>,
        words: Option<Words>,
        tuning: SolverLimits,
        limits: QueryLimits,
        interrupt: Interrupt,
    ) -> Z3 {
        Z3 {
            shared: Rc::new(Shared {
                strategy,
                meter: Rc::new(Meter::new(tuning, limits, interrupt)),
                translation: RefCell::default(),
                cache: RefCell::default(),
                spent: Cell::default(),
                integers: integers.map(RefCell::new),
                words: words.map(RefCell::new),
                elements_first: Cell::new(false),
                start: Cell::default(),
                context: OnceCell::new(),
            }),
            scratch: RefCell::new(None),
        }
    }

    /// Asks a single question of a solver that is kept for this.
    fn scratch<T>(&self, purpose: Purpose, ask: impl FnOnce(&mut Z3Solver) -> T) -> T {
        let mut scratch = self.scratch.borrow_mut();
        let solver = scratch.get_or_insert_with(|| Z3Solver::new(self.shared.clone(), purpose));
        solver.set_purpose(purpose);
        solver.push();
        let answer = ask(solver);
        solver.pop();
        answer
    }
}

impl Drop for Z3 {
    fn drop(&mut self) {
        if let Some(Ok(context)) = self.shared.context.get() {
            context.retire();
        }
    }
}

impl Smt for Z3 {
    fn meter(&self) -> Rc<Meter> {
        self.shared.meter.clone()
    }

    fn start_time(&self) -> Duration {
        self.shared.start.get()
    }

    fn solver(&self, purpose: Purpose) -> Box<dyn Solver> {
        Box::new(Z3Solver::new(self.shared.clone(), purpose))
    }

    fn lasting_solver(&self, purpose: Purpose) -> Box<dyn Solver> {
        let solver = self.solver(purpose);
        match self.shared.words {
            Some(_) => Box::new(BitsFirst::new(Bits::new(self.meter(), purpose), solver)),
            None => solver,
        }
    }

    fn check(&self, terms: &Terms, formula: TermId, purpose: Purpose) -> SatResult {
        self.scratch(purpose, |solver| {
            solver.assert(terms, formula);
            solver.check(terms, &[])
        })
    }

    fn find_model(
        &self,
        terms: &Terms,
        formula: TermId,
        purpose: Purpose,
    ) -> Result<Option<Assignment>, Unknown> {
        self.scratch(purpose, |solver| {
            solver.assert(terms, formula);
            match solver.check(terms, &[]) {
                SatResult::Sat => solver.model(terms).map(Some),
                SatResult::Unsat => Ok(None),
                SatResult::Unknown(why) => Err(why),
            }
        })
    }

    fn interpolate(
        &self,
        terms: &mut Terms,
        formulas: &[TermId],
        limits: QueryLimits,
    ) -> Result<Option<Vec<TermId>>, Unknown> {
        self.timed(
            |shared| spacer::interpolate(shared, terms, formulas, limits),
            |found| match found {
                Some(_) => SatResult::Unsat,
                None => SatResult::Sat,
            },
        )
    }

    fn project(
        &self,
        terms: &mut Terms,
        formula: TermId,
        away: &[Symbol],
        model: &Assignment,
    ) -> Result<TermId, Unknown> {
        self.timed(|shared| project::project(shared, terms, formula, away, model), |_| SatResult::Sat)
    }

    fn stats(&self) -> QueryStats {
        self.shared.meter.stats.borrow().clone()
    }

    fn spent(&self) -> u64 {
        let integers = self.shared.integers.as_ref().map_or(0, |integers| integers.borrow().spent());
        let words = self.shared.words.as_ref().map_or(0, |words| words.borrow().spent());
        self.shared.spent.get().0 + integers + words + self.shared.meter.spent()
    }
}

impl Z3 {
    /// Clauses that are satisfiable together if and only if a formula is. It is made of words and truth values.
    pub(super) fn clauses(&self, terms: &Terms, formula: TermId) -> Result<Vec<Vec<i32>>, Unknown> {
        circuits::clauses(&self.shared, terms, formula)
    }

    /// Counts a service for refinement as one query.
    fn timed<T>(
        &self,
        serve: impl FnOnce(&Shared) -> Result<T, Unknown>,
        answer: impl FnOnce(&T) -> SatResult,
    ) -> Result<T, Unknown> {
        let start = Instant::now();
        let result = serve(&self.shared);
        let counted = match &result {
            Ok(value) => answer(value),
            Err(why) => SatResult::Unknown(why.clone()),
        };
        self.shared.meter.count(Purpose::Refinement, &counted, start.elapsed(), false);
        result
    }
}
