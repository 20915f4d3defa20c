//! Questions about arrays, asked of their elements (see [`Elements`]), in an arena of their own.

use super::z3::Z3;
use super::{Purpose, QueryLimits, SatResult, Smt, Solver, Unknown};
use crate::term::{Assignment, Copy, Elements, Symbol, TermId, Terms};
use crate::tuning::SolverLimits;
use tour_ir::limits::Interrupt;

/// The words to one arena of terms, with a back end of their own.
pub struct Words {
    terms: Terms,
    copy: Copy,
    z3: Z3,
    tuning: SolverLimits,
}

impl Words {
    /// Words whose questions stop when `interrupt` is raised.
    pub fn new(tuning: SolverLimits, interrupt: Interrupt) -> Words {
        Words {
            terms: Terms::new(),
            copy: Copy::marked("'"),
            z3: Z3::without_arrays(tuning, QueryLimits::default(), interrupt),
            tuning,
        }
    }

    /// Steps of the solver so far.
    pub fn spent(&self) -> u64 {
        self.z3.spent()
    }

    fn term(&mut self, terms: &Terms, term: TermId) -> TermId {
        self.copy.term(terms, &mut self.terms, term)
    }
}

/// What came after the formulas that define arrays.
enum Step {
    Push,
    /// A formula, and what it says of elements.
    Assert(TermId, TermId),
}

/// The assertions of a solver, by the elements of their arrays.
pub struct Question {
    elements: Elements,
    purpose: Purpose,
    solver: Box<dyn Solver>,
    later: Vec<Step>,
}

/// An answer.
pub enum Answer {
    /// There is a model: this one.
    Sat(Assignment),
    /// There is none, not even of the assertions and these assumptions.
    Unsat(Vec<TermId>),
}

impl Question {
    /// The assertions of a solver with its scopes. `None` if they can't be asked in this way, or have no arrays.
    pub fn new(
        words: &mut Words,
        terms: &Terms,
        assertions: &[TermId],
        scopes: &[usize],
        purpose: Purpose,
    ) -> Option<Question> {
        let first = scopes.iter().copied().find(|start| *start > 0).unwrap_or(assertions.len());
        let copies: Vec<TermId> = assertions[..first].iter().map(|a| words.term(terms, *a)).collect();
        let elements = Elements::of(&mut words.terms, words.tuning, &copies)?;
        let solver = words.z3.solver(purpose);
        let mut question = Question { elements, purpose, solver, later: Vec::new() };
        let mut scopes = scopes.iter().filter(|start| **start >= first.max(1)).peekable();
        for (i, assertion) in assertions.iter().enumerate().skip(first) {
            while scopes.next_if(|start| **start <= i).is_some() {
                question.later.push(Step::Push);
            }
            let copy = words.term(terms, *assertion);
            question.later.push(Step::Assert(copy, question.elements.ask(&mut words.terms, copy)?));
        }
        question.later.extend(scopes.map(|_| Step::Push));
        question.elements.has_arrays(&words.terms).then_some(())?;
        question.elements.has_grown();
        question.start_anew(words);
        Some(question)
    }

    /// Tells a new solver all that is known.
    fn start_anew(&mut self, words: &mut Words) {
        self.solver = words.z3.solver(self.purpose);
        for formula in self.elements.formulas(&mut words.terms) {
            self.solver.assert(&words.terms, formula);
        }
        for step in &self.later {
            match step {
                Step::Push => self.solver.push(),
                Step::Assert(_, formula) => self.solver.assert(&words.terms, *formula),
            }
        }
    }

    /// Another assertion. False if it can't be asked in this way.
    pub fn assert(&mut self, words: &mut Words, terms: &Terms, formula: TermId) -> bool {
        let copy = words.term(terms, formula);
        let Some(formula) = self.elements.ask(&mut words.terms, copy) else { return false };
        self.later.push(Step::Assert(copy, formula));
        match self.elements.has_grown() {
            true => self.start_anew(words),
            false => self.solver.assert(&words.terms, formula),
        }
        true
    }

    pub fn push(&mut self) {
        self.later.push(Step::Push);
        self.solver.push();
    }

    /// Closes a scope. False if it was opened before the question was made.
    pub fn pop(&mut self) -> bool {
        let Some(scope) = self.later.iter().rposition(|step| matches!(step, Step::Push)) else {
            return false;
        };
        self.later.truncate(scope);
        self.solver.pop();
        true
    }

    /// Is the conjunction of assertions and assumptions satisfiable? `None` if it can't be asked in this way.
    pub fn check(
        &mut self,
        words: &mut Words,
        terms: &Terms,
        assumptions: &[TermId],
        limits: QueryLimits,
    ) -> Option<Result<Answer, Unknown>> {
        let copies: Vec<TermId> = assumptions.iter().map(|a| words.term(terms, *a)).collect();
        let mut asked = Vec::with_capacity(copies.len());
        for &copy in &copies {
            asked.push(self.elements.ask(&mut words.terms, copy)?);
        }
        if self.elements.has_grown() {
            self.start_anew(words);
        }
        words.z3.set_limits(limits);
        for _ in 0..words.tuning.max_element_rounds {
            match self.solver.check(&words.terms, &asked) {
                SatResult::Unknown(why) => return Some(Err(why)),
                SatResult::Unsat => {
                    let core = self.solver.unsat_core(&words.terms);
                    let in_core = asked.iter().zip(assumptions).filter(|(asked, _)| core.contains(asked));
                    return Some(Ok(Answer::Unsat(in_core.map(|(_, assumption)| *assumption).collect())));
                }
                SatResult::Sat => {}
            }
            let model = match self.solver.model(&words.terms) {
                Ok(model) => model,
                Err(why) => return Some(Err(why)),
            };
            let conflicts = self.elements.conflicts(&mut words.terms, &model);
            if conflicts.is_empty() {
                return self.model(words, model, &copies).map(|model| Ok(Answer::Sat(model)));
            }
            for fact in conflicts {
                self.solver.assert(&words.terms, fact);
            }
        }
        None
    }

    /// A model of the question, made of one of its words. `None` if it is none.
    fn model(&mut self, words: &mut Words, model: Assignment, assumptions: &[TermId]) -> Option<Assignment> {
        let model = self.elements.complete(&mut words.terms, model)?;
        let mut others = assumptions.to_vec();
        others.extend(self.later.iter().filter_map(|step| match step {
            Step::Push => None,
            Step::Assert(formula, _) => Some(*formula),
        }));
        let values = words.terms.eval_all(&others, &model);
        values.iter().all(|value| value.as_ref().and_then(|v| v.as_bool()) == Some(true)).then_some(())?;
        let mut original = Assignment::default();
        for (from, to) in &words.copy.bases {
            for (symbol, value) in model.of_base(*to) {
                original.set(Symbol { base: *from, index: symbol.index }, value.clone());
            }
        }
        Some(original)
    }
}
