//! Proofs as invariants, and their independent check.
//!
//! The invariants hold at the cut points of the program: the entry, and at least one location on every cycle of every
//! call context. The check: the entry's invariant holds at the beginning; from each cut point, every run that starts in
//! its invariant and goes to the next cut point ends in that one's invariant (initiation, consecution); no run reaches an
//! error or something that is not modelled (safety).

use super::symbolic::{Executor, Flow, Knowledge, Leads};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::sync::Arc;
use tour_ir::cfa::{EdgeId, LocId, LocKind, Loops};
use tour_ir::limits::Interrupt;
use tour_ir::program::{FnId, Program};
use tour_logic::smt::{Opinions, SatResult, SecondOpinion};
use tour_logic::term::{Assignment, BaseId, Copy, TermId, Terms};
use tour_logic::tuning::InstanceLimits;
use tour_model::encode::Cell;

/// A location in a call context.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Point {
    /// Open calls, outermost first: the call edge and the function called.
    pub calls: Vec<(EdgeId, FnId)>,
    /// The location.
    pub loc: LocId,
    /// How many atomic sections are open; 0 in a program with one thread.
    pub atomic: u8,
}

/// Invariants at cut points.
#[derive(Clone, Debug)]
pub struct Invariants {
    /// The formulas' arena: nothing else is in it.
    pub terms: Arc<Terms>,
    /// What the variables of the formulas stand for.
    pub cells: Vec<(BaseId, Cell)>,
    /// A state formula at each cut point.
    pub at: BTreeMap<Point, TermId>,
}

/// Do the invariants prove the program? How that was decided; an error says why they do not.
pub fn check(program: &Program, invariants: &Invariants, interrupt: &Interrupt) -> Result<Opinions, String> {
    let mut terms = Terms::new();
    let checker = Checker::new(program, Some(invariants), interrupt, &mut terms)?;
    if !checker.at.contains_key(&checker.start) {
        return Err("there is no invariant at the entry".into());
    }
    checker.inductive(&mut terms, true)?;
    Ok(checker.opinions())
}

/// Claims about all elements of an array are easier to check one by one; the others are checked together.
fn separate(terms: &mut Terms, claim: TermId) -> Vec<TermId> {
    let (mut claims, others): (Vec<TermId>, Vec<TermId>) =
        terms.conjuncts(claim).into_iter().partition(|claim| !terms.ghosts(*claim).is_empty());
    claims.push(terms.and(&others));
    claims
}

/// What is made of claims about all elements, whatever the analysis was told to make of them: not less than it makes by
/// default.
const INSTANCES: InstanceLimits =
    InstanceLimits { max_instances: 24, max_instances_of_question: 600, max_lemmas: 64 };

/// A formula together with facts at the indices that it uses. The facts hold whatever their ghosts are: a claim is
/// inductive with one that nothing is said of, so that it holds for all.
pub(super) fn with_instances(terms: &mut Terms, facts: &[TermId], formula: TermId) -> TermId {
    let facts: Vec<TermId> = facts.iter().flat_map(|fact| terms.conjuncts(*fact)).collect();
    let mut all = terms.instances(&INSTANCES, &facts, &[formula]);
    all.extend(terms.lemmas(&INSTANCES, &[formula]));
    all.push(formula);
    terms.and(&all)
}

/// What the checks of certificates share: cut points, what is claimed there, the solver.
pub(super) struct Checker<'a> {
    pub program: &'a Program,
    pub interrupt: &'a Interrupt,
    /// Where the program begins.
    pub start: Point,
    /// What is claimed at cut points.
    pub at: BTreeMap<&'a Point, TermId>,
    pub bases: FxHashMap<Cell, BaseId>,
    /// What executing the program needs to know of it.
    pub knowledge: Knowledge,
    loops: Loops,
    /// Asked what the solvers of the analyses have answered already.
    smt: SecondOpinion,
}

impl<'a> Checker<'a> {
    pub fn new(
        program: &'a Program,
        invariants: Option<&'a Invariants>,
        interrupt: &'a Interrupt,
        terms: &mut Terms,
    ) -> Result<Checker<'a>, String> {
        let mut copy = Copy::default();
        let mut at = BTreeMap::new();
        let mut bases = FxHashMap::default();
        if let Some(invariants) = invariants {
            for (point, formula) in &invariants.at {
                at.insert(point, copy.term(&invariants.terms, terms, *formula));
            }
            for (base, cell) in &invariants.cells {
                bases.extend(copy.bases.get(base).map(|base| (cell.clone(), *base)));
            }
            if bases.values().any(|base| terms.is_ghost(*base)) {
                return Err("a variable of the program is claimed to be any index".into());
            }
        }
        let entry = program.functions[program.entry].body.ok_or("the entry has no body")?;
        Ok(Checker {
            program,
            interrupt,
            start: Point { calls: Vec::new(), loc: entry.entry, atomic: 0 },
            at,
            bases,
            knowledge: Knowledge::of(program, interrupt)?,
            loops: Loops::of(program),
            smt: SecondOpinion::new(interrupt),
        })
    }

    /// Runs are cut at points with a claim, at loop heads, and at recursive calls.
    pub fn is_cut(&self, point: &Point) -> bool {
        let is_recursive = || {
            let function = self.program.cfa.locs[point.loc].function;
            let below =
                point.calls.iter().rev().skip(1).any(|c| c.1 == function) || self.program.entry == function;
            self.program.cfa.locs[point.loc].kind == LocKind::Entry && !point.calls.is_empty() && below
        };
        self.at.contains_key(point) || self.loops.is_head(point.loc) || is_recursive()
    }

    /// Every cycle of a function goes through such a location.
    pub fn is_loop_head(&self, loc: LocId) -> bool {
        self.loops.is_head(loc)
    }

    /// Is a formula unsatisfiable? What it would mean otherwise is the error.
    pub fn refute(
        &self,
        terms: &mut Terms,
        formula: TermId,
        what: impl Fn() -> String,
    ) -> Result<(), String> {
        match self.smt.check(terms, formula) {
            SatResult::Unsat => Ok(()),
            SatResult::Sat => Err(what()),
            SatResult::Unknown(why) => Err(format!("{}: {why}", what())),
        }
    }

    /// How questions were decided.
    pub fn opinions(&self) -> Opinions {
        self.smt.opinions()
    }

    /// A model of a formula; `None` if there is none.
    pub fn find_model(&self, terms: &mut Terms, formula: TermId) -> Result<Option<Assignment>, String> {
        self.smt.find_model(terms, formula).map_err(|why| why.to_string())
    }

    /// Initiation and consecution of what is claimed; with `safety`, nothing else that is wrong happens either, and
    /// cut points without a claim are out of reach.
    pub fn inductive(&self, terms: &mut Terms, safety: bool) -> Result<(), String> {
        let mut executor = Executor::new(self.program, terms, &self.bases, &self.knowledge);
        let initial = executor.initial();
        if let Some(&claim) = self.at.get(&self.start) {
            let claim = executor.state_formula(claim, &initial);
            let not = executor.terms.not(claim);
            let broken = executor.terms.and2(initial.guard, not);
            self.refute(executor.terms, broken, || "the invariant does not hold at the entry".into())?;
        }
        let mut points: Vec<(&Point, TermId)> = self.at.iter().map(|(p, f)| (*p, *f)).collect();
        if !self.at.contains_key(&self.start) {
            points.push((&self.start, terms.yes()));
        }
        for (point, invariant) in points {
            self.interrupt.check().map_err(|why| why.to_string())?;
            let mut executor = Executor::new(self.program, terms, &self.bases, &self.knowledge);
            // The entry is left once only, in the initial state.
            let (begin, given) = match *point == self.start {
                true => (initial.clone(), executor.terms.yes()),
                false => (Flow::from_state(invariant), invariant),
            };
            for (to, flow) in executor.run(point, begin, &|p| self.is_cut(p))? {
                let (claim, what) = match to {
                    Leads::Cut(to) => {
                        let claim = match self.at.get(&to) {
                            Some(&invariant) => executor.state_formula(invariant, &flow),
                            None => executor.terms.bool(!safety),
                        };
                        (claim, format!("from {point:?}, the invariant at {to:?} is not kept"))
                    }
                    Leads::Error(loc) => (
                        executor.terms.bool(!safety),
                        format!("from {point:?}, error location {loc:?} is reached"),
                    ),
                    Leads::Unmodelled(edge) => (
                        executor.terms.bool(!safety),
                        format!("from {point:?}, {edge:?} is reached, which is not modelled"),
                    ),
                };
                for claim in separate(executor.terms, claim) {
                    let not = executor.terms.not(claim);
                    let broken = executor.terms.and2(flow.guard, not);
                    let broken = with_instances(executor.terms, &[given], broken);
                    self.refute(executor.terms, broken, || what.clone())?;
                }
            }
        }
        Ok(())
    }
}
