//! Incremental solving.

use super::circuits::Tactic;
use super::context::{Context, Param};
use super::model::Model;
use super::{Shared, Strategy};
use crate::smt::cache;
use crate::smt::elements::{self, Question};
use crate::smt::integers::{Answer, Integers};
use crate::smt::{Purpose, QueryLimits, SatResult, Solver, Unknown};
use crate::term::{Assignment, Cone, TermId, Terms, Value};
use rustc_hash::FxHashMap;
use std::cell::RefCell;
use std::rc::Rc;
use std::time::Instant;
use z3_sys::*;

/// A solver of Z3 with a reference of its own.
struct RawSolver {
    raw: Z3_solver,
    shared: Rc<Shared>,
    /// It knows bit-vectors only.
    bits: bool,
    /// The limit of its queries; zero for none.
    steps: u32,
}

impl Drop for RawSolver {
    fn drop(&mut self) {
        if let Ok(context) = self.shared.context()
            && !context.is_left()
        {
            // SAFETY: the guard owns one reference.
            unsafe { Z3_solver_dec_ref(context.raw(), self.raw) };
        }
    }
}

impl RawSolver {
    /// For bit-vectors alone, the SAT solver of logic `QF_BV` is several times faster than the general one.
    fn new(shared: &Rc<Shared>, bits: bool) -> Result<RawSolver, Unknown> {
        let context = shared.context()?;
        let c = context.raw();
        // SAFETY: see `context`.
        let raw = context.ok(unsafe {
            match shared.strategy {
                Strategy::Tactics => {
                    let tactic = Tactic::all(context, &[c"default"])?;
                    Z3_mk_solver_from_tactic(c, tactic.raw)
                }
                Strategy::Incremental if bits => Z3_mk_solver_for_logic(c, context.symbol("QF_BV")?),
                Strategy::Incremental => Z3_mk_simple_solver(c),
            }
        })?;
        // SAFETY: see `context`.
        unsafe { Z3_solver_inc_ref(c, raw) };
        Ok(RawSolver { raw, shared: shared.clone(), bits, steps: 0 })
    }

    /// Gives its queries a limit.
    fn limit(&mut self, limits: QueryLimits) -> Result<(), Unknown> {
        let steps = limits.steps.unwrap_or(0);
        if std::mem::replace(&mut self.steps, steps) == steps {
            return Ok(());
        }
        let context = self.shared.context()?;
        let params = context.params(&[("rlimit", Param::Uint(steps))])?;
        // SAFETY: see `context`.
        unsafe { Z3_solver_set_params(context.raw(), self.raw, params.raw) };
        context.check()
    }
}

/// What the last check was answered by.
enum Last {
    Nothing,
    Cache(Vec<TermId>),
    Z3(Vec<TermId>),
    Integers(Answer),
    Elements(elements::Answer),
}

/// When someone else may be asked.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Helpers {
    None,
    Now,
    /// If it is not answered soon.
    Later,
}

/// Whether questions about arrays are asked of their elements.
enum ByElements {
    Untried,
    On(Box<Question>),
    /// These assertions can't be.
    Off,
}

/// A solver behind [`Solver`]. Z3 hears of assertions and scopes only with the next question, so that failures show
/// up in its answer.
pub struct Z3Solver {
    shared: Rc<Shared>,
    purpose: Purpose,
    /// Made when it is first needed: many solvers are answered by the cache alone.
    raw: Option<RawSolver>,
    assertions: Vec<TermId>,
    scopes: Vec<usize>,
    /// What is needed of the first assertions. It only grows while these are there.
    cone: Option<Cone>,
    /// How many assertions and scopes Z3 knows of.
    sent: usize,
    opened: usize,
    /// What Z3 knows has models that the assertions do not have, from this assertion on (see
    /// [`super::translate::Translation::is_coarse`]).
    coarse_since: Option<usize>,
    /// An answer for such models counts: more successors of an abstract state are no harm.
    accepts_coarse: bool,
    /// Names for assumptions that are no literals, with the number of scopes in which they are known.
    proxies: FxHashMap<TermId, (Z3_ast, usize)>,
    last: Last,
    by_elements: ByElements,
    /// What the next question may take.
    limits: QueryLimits,
}

impl Z3Solver {
    pub fn new(shared: Rc<Shared>, purpose: Purpose) -> Z3Solver {
        Z3Solver {
            shared,
            purpose,
            raw: None,
            assertions: Vec::new(),
            scopes: Vec::new(),
            cone: None,
            sent: 0,
            opened: 0,
            coarse_since: None,
            accepts_coarse: false,
            proxies: FxHashMap::default(),
            last: Last::Nothing,
            by_elements: ByElements::Untried,
            limits: QueryLimits::default(),
        }
    }

    pub fn set_purpose(&mut self, purpose: Purpose) {
        self.purpose = purpose;
    }

    /// Z3 has heard nothing yet.
    fn start_anew(&mut self) {
        self.raw = None;
        (self.sent, self.opened, self.coarse_since) = (0, 0, None);
        self.proxies.clear();
    }

    /// Finds out what is needed of the first assertions, which are those of the first scope that has any: by themselves,
    /// and by others.
    fn look_around(&mut self, terms: &Terms, assumptions: &[TermId]) {
        let cone = self.cone.get_or_insert_with(|| {
            let first = self.scopes.iter().copied().find(|start| *start > 0);
            Cone::of(terms, &self.assertions[..first.unwrap_or(self.assertions.len())])
        });
        let others = self.assertions[cone.roots().len()..].iter().chain(assumptions);
        let more = others.fold(false, |more, other| cone.need(terms, *other) | more);
        if more && self.sent > 0 {
            self.start_anew();
        }
    }

    /// What Z3 has to hear next is made of nothing but bits.
    fn is_bits(&self, terms: &Terms, assumptions: &[TermId]) -> bool {
        let roots = self.cone.as_ref().map_or(0, |cone| cone.roots().len());
        let others = self.assertions[self.sent.max(roots)..].iter().chain(assumptions);
        let first = self.cone.as_ref().filter(|_| self.sent < roots);
        others.copied().all(|f| terms.is_bits(f)) && first.is_none_or(|cone| cone.is_bits(terms))
    }

    /// Tells Z3 what it does not know yet.
    fn send(&mut self, terms: &Terms, assumptions: &[TermId]) -> Result<Z3_solver, Unknown> {
        let shared = self.shared.clone();
        let context = shared.context()?;
        shared.translation.borrow_mut().check(terms)?;
        self.look_around(terms, assumptions);
        let bits = self.is_bits(terms, assumptions);
        if !bits && self.raw.as_ref().is_some_and(|solver| solver.bits) {
            self.start_anew();
        }
        let solver = match &mut self.raw {
            Some(solver) => solver,
            none => none.insert(RawSolver::new(&shared, bits)?),
        };
        solver.limit(self.limits)?;
        let solver = solver.raw;
        loop {
            let next_scope = self.scopes.get(self.opened).copied();
            if next_scope == Some(self.sent) {
                // SAFETY: see `context`.
                unsafe { Z3_solver_push(context.raw(), solver) };
                self.opened += 1;
            } else if let Some(cone) = self.cone.as_ref().filter(|cone| self.sent < cone.roots().len()) {
                let asts = shared.translation.borrow_mut().cone(context, terms, cone)?;
                for ast in asts {
                    // SAFETY: see `context`.
                    unsafe { Z3_solver_assert(context.raw(), solver, ast) };
                }
                let sent = cone.roots().len();
                self.note_coarse();
                self.sent = sent;
            } else if let Some(&formula) = self.assertions.get(self.sent) {
                let ast = shared.translation.borrow_mut().term(context, terms, formula)?;
                // SAFETY: see `context`.
                unsafe { Z3_solver_assert(context.raw(), solver, ast) };
                self.note_coarse();
                self.sent += 1;
            } else {
                return context.check().map(|()| solver);
            }
            context.check()?;
        }
    }

    /// Notes whether what was translated just now is coarse.
    fn note_coarse(&mut self) {
        if self.shared.translation.borrow_mut().take_met_coarse() {
            self.coarse_since.get_or_insert(self.sent);
        }
    }

    /// A literal that stands for a formula.
    fn literal(
        &mut self,
        context: &Context,
        solver: Z3_solver,
        terms: &Terms,
        formula: TermId,
    ) -> Result<Z3_ast, Unknown> {
        let ast = self.shared.translation.borrow_mut().term(context, terms, formula)?;
        self.note_coarse();
        if terms.is_literal(formula) {
            return Ok(ast);
        }
        if let Some(&(proxy, _)) = self.proxies.get(&formula) {
            return Ok(proxy);
        }
        let c = context.raw();
        // SAFETY: see `context`. The name can't be that of a variable.
        unsafe {
            let name = context.symbol(&format!("assume_{}", formula.index()))?;
            let sort = self.shared.translation.borrow_mut().sort(context, crate::term::Sort::Bool)?;
            let proxy = context.keep(Z3_mk_const(c, name, sort))?;
            let implied = context.keep(Z3_mk_implies(c, proxy, ast))?;
            Z3_solver_assert(c, solver, implied);
            context.check()?;
            self.proxies.insert(formula, (proxy, self.opened));
            Ok(proxy)
        }
    }

    /// Asks Z3: of bits, then of integers if that is hard, then of the elements of arrays, then of bits for as long as it
    /// may take. Where elements once were the way, they are asked at once.
    ///
    /// After a failure it is not known what Z3 has heard, so it starts anew with the next question. It does so after a
    /// question that was too hard, too: a solver of Z3 4.8.12 that was stopped by its limit crashes in a later question
    /// (its SAT solver is left in the middle of simplification).
    fn ask(&mut self, terms: &Terms, assumptions: &[TermId]) -> Result<bool, Unknown> {
        let shared = self.shared.clone();
        let limits = shared.meter.limits.get();
        let mut elements = self.may_ask_elements(terms, assumptions);
        let is_abstraction = self.purpose == Purpose::Abstraction;
        self.accepts_coarse = is_abstraction && elements == Helpers::None;
        shared.translation.borrow_mut().refuses_coarse = elements != Helpers::None;
        let integers = shared.integers.as_ref().filter(|_| self.purpose.is_decision());
        let lucky = integers.filter(|integers| !integers.borrow().is_out_of_luck());
        // What a question may take before the integers are asked.
        let soon = shared.meter.tuning.steps_before_integers;
        let is_short = limits.steps.is_some_and(|steps| steps <= soon);
        let has_help = lucky.is_some() || elements != Helpers::None;
        if elements != Helpers::Now {
            self.limits = if is_short || !has_help { limits } else { QueryLimits { steps: Some(soon) } };
            let before = shared.spent.get().0;
            let answer = self.ask_bits(terms, assumptions);
            if let Some(integers) = integers.filter(|_| lucky.is_none())
                && shared.spent.get().0 - before > u64::from(soon)
            {
                integers.borrow_mut().skip();
            }
            match answer {
                Err(Unknown::Limit) if has_help => {}
                // Only elements can tell.
                Err(Unknown::Incomplete(_)) if elements != Helpers::None => elements = Helpers::Now,
                answer => return answer,
            }
        }
        if let Some(integers) = lucky.filter(|_| elements != Helpers::Now) {
            match self.ask_integers(terms, assumptions, integers) {
                Err(Unknown::Stopped(reason)) => return Err(Unknown::Stopped(reason)),
                Err(_) if is_short => return Err(Unknown::Limit),
                Err(_) => {}
                answer => return answer,
            }
        }
        let is_long = limits.steps.is_none_or(|steps| steps > shared.meter.tuning.max_integer_steps);
        if (elements == Helpers::Now || elements == Helpers::Later && is_long)
            && let Some(answer) = self.ask_elements(terms, assumptions)
        {
            return answer;
        }
        self.limits = limits;
        self.accepts_coarse = is_abstraction;
        shared.translation.borrow_mut().refuses_coarse = has_help && !is_abstraction;
        self.ask_bits(terms, assumptions)
    }

    /// Whether the elements of arrays may be asked, and if so, whether the arrays themselves come first.
    fn may_ask_elements(&self, terms: &Terms, assumptions: &[TermId]) -> Helpers {
        let is_bits = || self.assertions.iter().chain(assumptions).all(|formula| terms.is_bits(*formula));
        match &self.by_elements {
            _ if self.shared.words.is_none() || is_bits() => Helpers::None,
            ByElements::Off => Helpers::None,
            ByElements::On(_) => Helpers::Now,
            ByElements::Untried if self.shared.elements_first.get() => Helpers::Now,
            ByElements::Untried => Helpers::Later,
        }
    }

    fn ask_integers(
        &mut self,
        terms: &Terms,
        assumptions: &[TermId],
        integers: &RefCell<Integers>,
    ) -> Result<bool, Unknown> {
        let max = self.shared.meter.tuning.max_integer_steps;
        let steps = self.shared.meter.limits.get().steps.map_or(max, |steps| steps.min(max));
        let limits = QueryLimits { steps: Some(steps) };
        let answer = integers.borrow_mut().check(terms, &self.assertions, assumptions, limits)?;
        let satisfiable = matches!(answer, Answer::Sat(_));
        self.last = Last::Integers(answer);
        Ok(satisfiable)
    }

    /// Asks about the elements of arrays. `None` if there are no arrays, or they are compared.
    fn ask_elements(&mut self, terms: &Terms, assumptions: &[TermId]) -> Option<Result<bool, Unknown>> {
        let shared = self.shared.clone();
        let words = &mut *shared.words.as_ref()?.borrow_mut();
        if let ByElements::Untried = self.by_elements {
            self.by_elements = match Question::new(words, terms, &self.assertions, &self.scopes, self.purpose)
            {
                Some(question) => ByElements::On(Box::new(question)),
                None => ByElements::Off,
            };
        }
        let ByElements::On(question) = &mut self.by_elements else { return None };
        let Some(answer) = question.check(words, terms, assumptions, shared.meter.limits.get()) else {
            self.by_elements = ByElements::Off;
            return None;
        };
        Some(answer.map(|answer| {
            let satisfiable = matches!(answer, elements::Answer::Sat(_));
            self.last = Last::Elements(answer);
            satisfiable
        }))
    }

    fn ask_bits(&mut self, terms: &Terms, assumptions: &[TermId]) -> Result<bool, Unknown> {
        let answer = self.try_ask(terms, assumptions);
        if answer.is_err() {
            self.start_anew();
        }
        answer
    }

    fn try_ask(&mut self, terms: &Terms, assumptions: &[TermId]) -> Result<bool, Unknown> {
        let shared = self.shared.clone();
        let context = shared.context()?;
        let solver = self.send(terms, assumptions)?;
        let mut literals = Vec::with_capacity(assumptions.len());
        for &assumption in assumptions {
            literals.push(self.literal(context, solver, terms, assumption)?);
        }
        self.last = Last::Z3(assumptions.to_vec());
        let c = context.raw();
        // SAFETY: see `context`.
        let result = context.asking(|| unsafe {
            Z3_solver_check_assumptions(c, solver, literals.len() as u32, literals.as_ptr())
        });
        // An error is looked for first: whatever Z3 returned with one is no answer.
        context.check()?;
        shared.meter(context, solver);
        match result {
            Z3_L_TRUE if self.coarse_since.is_some() && !self.accepts_coarse => {
                Err(Unknown::Incomplete("a part of an array is replaced by another".into()))
            }
            Z3_L_TRUE => Ok(true),
            Z3_L_FALSE => Ok(false),
            _ => {
                // SAFETY: see `context`.
                let why = unsafe { context.text(Z3_solver_get_reason_unknown(c, solver)) };
                Err(match self.limits.steps {
                    // Z3 says "canceled" or nothing clear when its steps are used up.
                    Some(_) if ["", "unknown", "no reason given"].contains(&why.as_str()) => Unknown::Limit,
                    _ => context.unknown(why),
                })
            }
        }
    }

    /// Asks Z3 if the last answer came from the cache: it has no model and no core.
    fn ask_again(&mut self, terms: &Terms) -> Result<(), Unknown> {
        match &mut self.last {
            Last::Nothing => Err(Unknown::Error("nothing was asked".into())),
            Last::Z3(_) | Last::Integers(_) | Last::Elements(_) => Ok(()),
            Last::Cache(assumptions) => {
                let assumptions = std::mem::take(assumptions);
                self.ask(terms, &assumptions).map(|_| ())
            }
        }
    }

    /// A model of what is needed.
    fn model_of_cone(&mut self, terms: &Terms) -> Result<Assignment, Unknown> {
        self.ask_again(terms)?;
        if let Last::Integers(Answer::Sat(model)) | Last::Elements(elements::Answer::Sat(model)) = &self.last
        {
            return Ok(model.clone());
        }
        let shared = self.shared.clone();
        let context = shared.context()?;
        let solver = self.send(terms, &[])?;
        // SAFETY: see `context`.
        let model = Model::hold(context, unsafe { Z3_solver_get_model(context.raw(), solver) })?;
        model.assignment(&shared.translation.borrow(), terms)
    }

    /// Asks again, and leaves nothing out this time.
    fn ask_for_all(&mut self, terms: &Terms) -> Result<(), Unknown> {
        let Last::Z3(assumptions) = &self.last else { return Ok(()) };
        let assumptions = assumptions.clone();
        if let Some(cone) = &mut self.cone {
            cone.need_all();
        }
        self.start_anew();
        self.ask(terms, &assumptions).map(|_| ())
    }

    fn find_core(&mut self, terms: &Terms) -> Result<Vec<TermId>, Unknown> {
        self.ask_again(terms)?;
        if let Last::Integers(Answer::Unsat(core)) | Last::Elements(elements::Answer::Unsat(core)) =
            &self.last
        {
            return Ok(core.clone());
        }
        let shared = self.shared.clone();
        let context = shared.context()?;
        let solver = self.send(terms, &[])?;
        let Last::Z3(assumptions) = &self.last else { return Ok(Vec::new()) };
        let assumptions = assumptions.clone();
        let c = context.raw();
        // SAFETY: see `context`.
        let core: Vec<Z3_ast> = unsafe {
            let vector = context.ok(Z3_solver_get_unsat_core(c, solver))?;
            Z3_ast_vector_inc_ref(c, vector);
            let core = (0..Z3_ast_vector_size(c, vector)).filter_map(|i| Z3_ast_vector_get(c, vector, i));
            let core = core.collect();
            Z3_ast_vector_dec_ref(c, vector);
            core
        };
        let mut kept = Vec::new();
        for assumption in assumptions {
            if core.contains(&self.literal(context, solver, terms, assumption)?) {
                kept.push(assumption);
            }
        }
        Ok(kept)
    }
}

impl Solver for Z3Solver {
    fn assert(&mut self, terms: &Terms, formula: TermId) {
        if formula != terms.yes() {
            self.assertions.push(formula);
            if let (ByElements::On(question), Some(words)) = (&mut self.by_elements, &self.shared.words)
                && !question.assert(&mut words.borrow_mut(), terms, formula)
            {
                self.by_elements = ByElements::Untried;
            }
        }
        self.last = Last::Nothing;
    }

    fn push(&mut self) {
        self.scopes.push(self.assertions.len());
        if let ByElements::On(question) = &mut self.by_elements {
            question.push();
        }
    }

    fn pop(&mut self) {
        let Some(start) = self.scopes.pop() else { return };
        self.assertions.truncate(start);
        let goes_on = match &mut self.by_elements {
            ByElements::On(question) => question.pop(),
            ByElements::Untried | ByElements::Off => false,
        };
        if !goes_on {
            self.by_elements = ByElements::Untried;
        }
        self.cone.take_if(|cone| start < cone.roots().len().max(1));
        self.last = Last::Nothing;
        if self.opened > self.scopes.len() {
            self.opened -= 1;
            self.sent = self.sent.min(start);
            let sent = self.sent;
            self.coarse_since.take_if(|since| *since >= sent);
            let opened = self.opened;
            self.proxies.retain(|_, (_, scope)| *scope <= opened);
            if let (Some(solver), Ok(context)) = (&self.raw, self.shared.context()) {
                // SAFETY: see `context`; the scope was opened by `send`.
                unsafe { Z3_solver_pop(context.raw(), solver.raw, 1) };
            }
        }
    }

    fn check(&mut self, terms: &Terms, assumptions: &[TermId]) -> SatResult {
        let start = Instant::now();
        if let Some(reason) = self.shared.meter.interrupt.reason() {
            return SatResult::Unknown(Unknown::Stopped(reason));
        }
        let query = cache::query(self.assertions.iter().chain(assumptions).copied());
        let known =
            if query.contains(&terms.no()) { Some(false) } else { self.shared.cache.borrow().get(&query) };
        let answer = match known {
            Some(answer) => {
                self.last = Last::Cache(assumptions.to_vec());
                Ok(answer)
            }
            None => self.ask(terms, assumptions),
        };
        let is_exact =
            |solver: &Z3Solver| solver.coarse_since.is_none() || !matches!(solver.last, Last::Z3(_));
        if let (Ok(answer), None) = (&answer, known)
            && (!answer || is_exact(self))
        {
            self.shared.cache.borrow_mut().insert(query, *answer);
        }
        let result = match answer {
            Ok(true) => SatResult::Sat,
            Ok(false) => SatResult::Unsat,
            Err(why) => SatResult::Unknown(why),
        };
        self.shared.meter.count(self.purpose, &result, start.elapsed(), known.is_some());
        result
    }

    fn model(&mut self, terms: &Terms) -> Result<Assignment, Unknown> {
        let model = self.model_of_cone(terms)?;
        match &self.cone {
            Some(cone) if matches!(self.last, Last::Z3(_)) && !cone.is_whole() => {
                if let Some(model) = cone.complete(terms, model) {
                    return Ok(model);
                }
                self.ask_for_all(terms)?;
                self.model_of_cone(terms)
            }
            _ => Ok(model),
        }
    }

    fn values(&mut self, terms: &Terms, of: &[TermId]) -> Result<Vec<Option<Value>>, Unknown> {
        let is_left_out = |cone: &Cone| of.iter().any(|term| cone.leaves_out(terms, *term));
        let model = match &self.cone {
            Some(cone) if is_left_out(cone) => self.model(terms)?,
            _ => self.model_of_cone(terms)?,
        };
        // Z3 has other values for these.
        let translation = self.shared.translation.borrow();
        if matches!(self.last, Last::Z3(_)) && of.iter().any(|term| translation.is_coarse(*term)) {
            return Err(Unknown::Incomplete("a part of an array is replaced by another".into()));
        }
        Ok(terms.eval_all(of, &model))
    }

    fn unsat_core(&mut self, terms: &Terms) -> Vec<TermId> {
        let all = match &self.last {
            Last::Nothing | Last::Integers(Answer::Sat(_)) | Last::Elements(elements::Answer::Sat(_)) => {
                Vec::new()
            }
            Last::Cache(assumptions)
            | Last::Z3(assumptions)
            | Last::Integers(Answer::Unsat(assumptions))
            | Last::Elements(elements::Answer::Unsat(assumptions)) => assumptions.clone(),
        };
        // All assumptions together are a core, too.
        self.find_core(terms).unwrap_or(all)
    }
}
