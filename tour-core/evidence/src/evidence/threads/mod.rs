//! Proofs of programs with threads, and their independent check.
//!
//! The invariants hold at tuples of locations. The check: the first one holds at the beginning; from each tuple, every
//! action of the threads that the proof explores there ends at a tuple with an invariant that then holds, and reaches
//! neither an error nor something that is not modelled; and no tuple that has an invariant is a data race or a deadlock, if
//! these are checked. Actions are executed as they stand in the program: that the
//! analysis simplified some makes no difference here.
//!
//! A proof need not explore all threads everywhere. The check then verifies the conditions of partial-order reduction
//! itself: nothing that the threads left out can do, before those explored move, depends on the next actions of those;
//! one of these is sure to move; and no action of theirs leads to the head of a loop, so that no thread is left out forever. No action ends the run
//! after it did what others can see. What steps access (`access`), where threads interfere (`interference`), what is a race
//! (`race`) and who is sure to go on (`progress`) is found out here, by other code than that of the analyses.

mod access;
mod ends;
mod explicit;
mod interference;
mod progress;
mod race;
mod reduction;
mod rules;

use super::invariants::{Checker, Point};
use super::symbolic::{Executor, Flow, Leads};
use access::{Reader, Step};
use explicit::{Cases, Claim, Outcomes};
use interference::Interference;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;
use tour_ir::cfa::{EdgeId, LocKind, Loops};
use tour_ir::limits::Interrupt;
use tour_ir::program::{Builtin, Call, Callee, Op, Program, ThreadId};
use tour_logic::smt::Opinions;
use tour_logic::term::{BaseId, Copy, TermId, Terms};
use tour_model::encode::Cell;

/// Where each thread is; `None` if it was not started.
type Places = Vec<Option<Point>>;

/// Invariants at tuples of locations.
#[derive(Clone, Debug)]
pub struct ThreadInvariants {
    /// The formulas' arena: nothing else is in it.
    pub terms: Arc<Terms>,
    /// What the variables of the formulas stand for.
    pub cells: Vec<(BaseId, Cell)>,
    /// State formulas at each tuple, one of which holds, and the threads that are explored there.
    pub at: BTreeMap<Places, (Vec<TermId>, Vec<ThreadId>)>,
}

/// Do the invariants prove the program? An error says why not.
pub fn check_threads(
    program: &Program,
    invariants: &ThreadInvariants,
    interrupt: &Interrupt,
) -> Result<Opinions, String> {
    let mut terms = Terms::new();
    let checker = Checker::new(program, None, interrupt, &mut terms)?;
    let mut copy = Copy::default();
    let mut at = BTreeMap::new();
    for (places, (states, explored)) in &invariants.at {
        let states = states.iter().map(|s| copy.term(&invariants.terms, &mut terms, *s)).collect();
        at.insert(places, (Claim::new(&mut terms, states), explored));
    }
    let mut bases = FxHashMap::default();
    for (base, cell) in &invariants.cells {
        bases.extend(copy.bases.get(base).map(|base| (cell.clone(), *base)));
    }
    let reader = Reader::new(program, checker.knowledge.regions());
    let interference = Interference::of(&reader)?;
    let mut check = Check {
        program,
        loops: Loops::of(program),
        reader,
        interference,
        executor: Executor::new(program, &mut terms, &bases, &checker.knowledge),
        bases: &bases,
        actions: FxHashMap::default(),
        next: FxHashMap::default(),
        seen_apart: FxHashSet::default(),
        outcomes: FxHashMap::default(),
        cases: FxHashMap::default(),
    };
    let mut first: Places = vec![None; program.threads.all.len()];
    first[0] = Some(checker.start.clone());
    let initial = check.executor.initial();
    let Some((claim, _)) = at.get(&first) else {
        return Err("there is no invariant at the beginning".into());
    };
    let claim = claim.formula(check.executor.terms);
    let holds = check.executor.state_formula(claim, &initial);
    let broken = check.but_not(initial.guard, holds);
    checker.refute(check.executor.terms, broken, || "the first invariant does not hold".into())?;
    for (&places, (claim, explored)) in &at {
        interrupt.check().map_err(|why| why.to_string())?;
        let here =
            Here { places, claim, is_first: *places == first, standstill: check.is_standstill(places) };
        if let Some(broken) = check.broken_rule(places) {
            let invariant = claim.formula(check.executor.terms);
            checker.refute(check.executor.terms, invariant, || format!("at {places:?}, {broken}"))?;
        }
        check.explores_enough(places, explored)?;
        for &thread in explored.iter() {
            let Some(point) = &places[thread.index()] else {
                return Err("a thread that is not there".into());
            };
            check.ends_apart(point)?;
            if check.is_control(point) && !here.standstill {
                check.keeps(&checker, &at, &here, thread, point)?;
                continue;
            }
            let ends = match here.is_first {
                true => check.execute(point, initial.clone())?,
                false => check.action(point)?,
            };
            check.acts(&checker, &at, &here, thread, &ends)?;
        }
    }
    Ok(checker.opinions())
}

/// A tuple, and what is claimed there.
struct Here<'a> {
    places: &'a Places,
    claim: &'a Claim,
    /// The program begins here.
    is_first: bool,
    standstill: bool,
}

/// What is claimed at tuples.
type Claims<'a> = BTreeMap<&'a Places, (Claim, &'a Vec<ThreadId>)>;

struct Check<'a> {
    program: &'a Program,
    loops: Loops,
    reader: Reader<'a>,
    interference: Interference,
    executor: Executor<'a>,
    /// The variables of the claims.
    bases: &'a FxHashMap<Cell, BaseId>,
    /// What actions do, whatever state they begin in.
    actions: FxHashMap<Point, Rc<Vec<(Leads, Flow)>>>,
    /// What the next actions of threads can do to others.
    next: FxHashMap<Point, Rc<reduction::Action>>,
    /// Where actions begin that were looked at for ends of the run.
    seen_apart: FxHashSet<Point>,
    outcomes: FxHashMap<Point, Outcomes>,
    cases: FxHashMap<(TermId, Vec<TermId>), Cases>,
}

impl Check<'_> {
    /// What steps about threads lead to keeps the claims.
    fn keeps(
        &mut self,
        checker: &Checker,
        at: &Claims,
        here: &Here,
        thread: ThreadId,
        point: &Point,
    ) -> Result<(), String> {
        for after in self.control(here.places, thread, point) {
            let Some((claim, _)) = at.get(&after) else { return Err(format!("{after:?} has no invariant")) };
            let what = || format!("from {:?}, the invariant at {after:?} is not kept", here.places);
            match &here.claim.explicit {
                Some(states) => {
                    let nothing = Flow::from_state(self.executor.terms.yes());
                    for values in states {
                        if let Some(outcome) = self.outcome(&nothing, values) {
                            self.leads_to(checker, &outcome, values, claim, what)?;
                        }
                    }
                }
                None => {
                    let terms = &mut *self.executor.terms;
                    let (now, then) = (here.claim.formula(terms), claim.formula(terms));
                    let broken = self.but_not(now, then);
                    checker.refute(self.executor.terms, broken, what)?;
                }
            }
        }
        Ok(())
    }

    /// What an action leads to keeps the claims, and is nothing that must not happen.
    fn acts(
        &mut self,
        checker: &Checker,
        at: &Claims,
        here: &Here,
        thread: ThreadId,
        ends: &[(Leads, Flow)],
    ) -> Result<(), String> {
        let places = here.places;
        let mut ways = Vec::new();
        for (leads, _) in ends {
            ways.push(match leads {
                // The others only wait.
                Leads::Cut(to) if here.standstill && !self.is_blocked(to) => None,
                Leads::Error(_) | Leads::Unmodelled(_) if here.standstill => None,
                Leads::Cut(to) => {
                    let mut after = places.clone();
                    after[thread.index()] = Some(to.clone());
                    Some((at.get(&after).map(|(claim, _)| claim), format!("{after:?}")))
                }
                Leads::Error(loc) => Some((None, format!("error location {loc:?}"))),
                Leads::Unmodelled(edge) => Some((None, format!("{edge:?}, not modelled"))),
            });
        }
        let fail = |what: &str| format!("from {places:?}, {thread:?} gets to {what} without its invariant");
        if let Some(states) = &here.claim.explicit {
            let Some(point) = &places[thread.index()] else { return Ok(()) };
            for values in states {
                // The first action begins with the values that the program begins with.
                let outcomes = match here.is_first {
                    true => Rc::new(ends.iter().map(|(_, flow)| self.outcome(flow, values)).collect()),
                    false => self.outcomes(point, ends, values),
                };
                for (way, outcome) in ways.iter().zip(outcomes.iter()) {
                    let (Some((claim, what)), Some(outcome)) = (way, outcome) else { continue };
                    match claim {
                        Some(claim) => self.leads_to(checker, outcome, values, claim, || fail(what))?,
                        None => checker.refute(self.executor.terms, outcome.guard, || fail(what))?,
                    }
                }
            }
            return Ok(());
        }
        let invariant = here.claim.formula(self.executor.terms);
        for (way, (_, flow)) in ways.iter().zip(ends) {
            let Some((claim, what)) = way else { continue };
            let holds = match claim {
                Some(claim) => {
                    let claim = claim.formula(self.executor.terms);
                    self.executor.state_formula(claim, flow)
                }
                None => self.executor.terms.no(),
            };
            if holds == self.executor.terms.yes() {
                continue;
            }
            let now = self.executor.terms.and2(invariant, flow.guard);
            let broken = self.but_not(now, holds);
            checker.refute(self.executor.terms, broken, || fail(what))?;
        }
        Ok(())
    }

    fn but_not(&mut self, holds: TermId, claim: TermId) -> TermId {
        let not = self.executor.terms.not(claim);
        self.executor.terms.and2(holds, not)
    }

    fn is_end(&self, point: &Point) -> bool {
        View { program: self.program, loops: &self.loops, interference: &self.interference }.is_end(point)
    }

    fn has_ended(&self, point: &Point) -> bool {
        point.calls.is_empty() && self.program.cfa.locs[point.loc].kind == LocKind::Exit
    }

    fn execute(&mut self, from: &Point, begin: Flow) -> Result<Rc<Vec<(Leads, Flow)>>, String> {
        let Check { program, loops, interference, .. } = self;
        let view = View { program, loops, interference };
        let ends = self.executor.run(from, begin, &|p| view.is_end(p))?;
        Ok(Rc::new(ends))
    }

    fn action(&mut self, from: &Point) -> Result<Rc<Vec<(Leads, Flow)>>, String> {
        if let Some(known) = self.actions.get(from) {
            return Ok(known.clone());
        }
        let begin = Flow::from_state(self.executor.terms.yes());
        let ends = self.execute(from, begin)?;
        self.actions.insert(from.clone(), ends.clone());
        Ok(ends)
    }

    fn is_control(&self, point: &Point) -> bool {
        self.interference.is_control(point.loc)
    }

    fn builtin(&self, edge: EdgeId) -> Option<Builtin> {
        self.reader.builtin(edge)
    }

    /// What steps about threads lead to.
    fn control(&self, places: &Places, thread: ThreadId, point: &Point) -> Vec<Places> {
        let mut out = Vec::new();
        for (edge, to) in self.executor.successors(point) {
            let mut after = places.clone();
            after[thread.index()] = Some(to);
            let (a, b) = (self.reader.about(edge, 0), self.reader.about(edge, 1));
            match self.builtin(edge) {
                Some(Builtin::ThreadStart) => {
                    let previous = b.filter(|b| Some(*b) != a);
                    if previous.is_some_and(|p| places[p.index()].is_none())
                        || a.is_some_and(|new| places[new.index()].is_some())
                    {
                        continue;
                    }
                    if let Some(new) = a {
                        let root = self.program.threads.all[new].root;
                        let Some(body) = self.program.functions[root].body else { continue };
                        after[new.index()] = Some(Point { calls: Vec::new(), loc: body.entry, atomic: 0 });
                    }
                }
                Some(Builtin::ThreadFinished) => {
                    let ended = a.and_then(|t| places[t.index()].as_ref()).is_some_and(|p| self.has_ended(p));
                    if !ended {
                        continue;
                    }
                }
                _ => {}
            }
            out.push(after);
        }
        out
    }

    /// What happens on the way from one point to the next.
    fn step(&self, from: &Point, edge: EdgeId, to: &Point) -> Step {
        match &self.program.cfa.edges[edge].op {
            Op::Call(Call { callee: Callee::Direct(f), .. }) if self.program.functions[*f].body.is_some() => {
                match to.calls.len() > from.calls.len() {
                    true => Step::Enter(edge, *f),
                    false => Step::Leave(edge, *f),
                }
            }
            _ => Step::Edge(edge),
        }
    }
}

/// What decides where actions end.
struct View<'a> {
    program: &'a Program,
    loops: &'a Loops,
    interference: &'a Interference,
}

impl View<'_> {
    /// Another thread may take over here.
    fn is_end(&self, point: &Point) -> bool {
        let kind = self.program.cfa.locs[point.loc].kind;
        let function = self.program.cfa.locs[point.loc].function;
        let recursive = kind == LocKind::Entry
            && (point.calls.iter().rev().skip(1).any(|c| c.1 == function)
                || !point.calls.is_empty() && self.program.threads.root_of(function, function) == function);
        self.loops.is_head(point.loc)
            || recursive
            || self.interference.yields(self.program, point.loc, point.atomic > 0)
            || point.calls.is_empty() && kind == LocKind::Exit
    }
}
