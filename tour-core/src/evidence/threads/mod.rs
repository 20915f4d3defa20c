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
//! one of these is sure to move; and no action of theirs leads to the head of a loop, so that no thread is left out forever. What steps access, and where
//! threads can get to, are facts about the program that the check shares with the analysis.

mod reduction;
mod rules;

use super::invariants::{Checker, Copy, Point, point_of};
use super::symbolic::{Executor, Flow, Leads};
use crate::analysis::{Arg, Engine};
use crate::block::Step;
use crate::cfa::{EdgeId, LocKind, Loops};
use crate::encode::Cell;
use crate::limits::Interrupt;
use crate::program::{Builtin, Call, Callee, Op, Program, ThreadId};
use crate::term::{BaseId, TermId, Terms};
use crate::threads::footprint::Footprints;
use crate::threads::graph::{ThreadGraph, about};
use crate::threads::{Interleaving, Por, TupleId, builtin_of};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Where each thread is; `None` if it was not started.
type Places = Vec<Option<Point>>;

/// Invariants at tuples of locations.
#[derive(Clone, Debug)]
pub struct ThreadInvariants {
    /// The formulas' arena: nothing else is in it.
    pub terms: Arc<Terms>,
    /// What the variables of the formulas stand for.
    pub cells: Vec<(BaseId, Cell)>,
    /// A state formula at each tuple, and the threads that are explored there.
    pub at: BTreeMap<Places, (TermId, Vec<ThreadId>)>,
}

impl ThreadInvariants {
    /// The disjunction of the states of a complete graph at each of its tuples.
    pub fn collect<S>(
        engine: &mut Engine,
        threads: &mut Interleaving,
        por: Por,
        arg: &Arg<S>,
        mut formula: impl FnMut(&mut Terms, &S) -> TermId,
    ) -> ThreadInvariants {
        let mut states: BTreeMap<TupleId, Vec<TermId>> = BTreeMap::new();
        for (_, node) in arg.nodes() {
            if let crate::block::Target::Node(id) = node.at {
                let state = formula(&mut engine.terms, &node.state);
                states.entry(TupleId::new(id.index())).or_default().push(state);
            }
        }
        let mut terms = Terms::new();
        let mut copy = Copy::default();
        let mut at = BTreeMap::new();
        for (id, states) in states {
            let state = engine.terms.or(&states);
            let state = copy.term(&engine.terms, &mut terms, state);
            let tuple = threads.get(id);
            let places = tuple.iter().map(|n| n.map(|n| point_of(&engine.blocks.unfolding, n))).collect();
            let explored = threads.explored(&mut engine.blocks, id, por).to_vec();
            at.insert(places, (state, explored));
        }
        let cells = (copy.bases.iter())
            .filter_map(|(from, to)| Some((*to, engine.blocks.encoder.cell_of(*from)?.clone())))
            .collect();
        ThreadInvariants { terms: Arc::new(terms), cells, at }
    }
}

/// Do the invariants prove the program? An error says why not.
pub fn check_threads(
    program: &Program,
    invariants: &ThreadInvariants,
    interrupt: &Interrupt,
) -> Result<(), String> {
    let mut terms = Terms::new();
    let checker = Checker::new(program, None, interrupt, &mut terms)?;
    let mut copy = Copy::default();
    let mut at = BTreeMap::new();
    for (places, (formula, explored)) in &invariants.at {
        at.insert(places, (copy.term(&invariants.terms, &mut terms, *formula), explored));
    }
    let mut bases = FxHashMap::default();
    for (base, cell) in &invariants.cells {
        bases.extend(copy.bases.get(base).map(|base| (cell.clone(), *base)));
    }
    let mut prints = Footprints::new(program);
    let graph = ThreadGraph::of(program, &mut prints);
    let mut check = Check {
        program,
        loops: Loops::of(program),
        prints,
        graph,
        executor: Executor::new(program, &mut terms, &bases, &checker.knowledge),
        actions: FxHashMap::default(),
    };
    let mut first: Places = vec![None; program.threads.all.len()];
    first[0] = Some(checker.start.clone());
    let initial = check.executor.initial();
    let Some(&(claim, _)) = at.get(&first) else {
        return Err("there is no invariant at the beginning".into());
    };
    let holds = check.executor.state_formula(claim, &initial);
    let broken = check.but_not(initial.guard, holds);
    checker.refute(check.executor.terms, broken, || "the first invariant does not hold".into())?;
    for (&places, &(invariant, explored)) in &at {
        interrupt.check().map_err(|why| why.to_string())?;
        if let Some(broken) = check.broken_rule(places) {
            checker.refute(check.executor.terms, invariant, || format!("at {places:?}, {broken}"))?;
        }
        check.explores_enough(places, explored)?;
        let standstill = check.is_standstill(places);
        for &thread in explored {
            let Some(point) = &places[thread.index()] else {
                return Err("a thread that is not there".into());
            };
            if check.is_control(point) && !standstill {
                for after in check.control(places, thread, point) {
                    let Some(&(claim, _)) = at.get(&after) else {
                        return Err(format!("{after:?} has no invariant"));
                    };
                    if claim != invariant {
                        let broken = check.but_not(invariant, claim);
                        checker.refute(check.executor.terms, broken, || {
                            format!("from {places:?}, the invariant at {after:?} is not kept")
                        })?;
                    }
                }
                continue;
            }
            let ends = if *places == first {
                check.execute(point, initial.clone())?
            } else {
                check.action(point)?
            };
            for (leads, flow) in ends.iter() {
                let (claim, what) = match leads {
                    // The others only wait.
                    Leads::Cut(to) if standstill && !check.is_blocked(to) => continue,
                    Leads::Error(_) | Leads::Unmodelled(_) if standstill => continue,
                    Leads::Cut(to) => {
                        let mut after = places.clone();
                        after[thread.index()] = Some(to.clone());
                        let claim = match at.get(&after) {
                            Some(&(claim, _)) => check.executor.state_formula(claim, flow),
                            None => check.executor.terms.no(),
                        };
                        (claim, format!("{after:?}"))
                    }
                    Leads::Error(loc) => (check.executor.terms.no(), format!("error location {loc:?}")),
                    Leads::Unmodelled(edge) => (check.executor.terms.no(), format!("{edge:?}, not modelled")),
                };
                if claim == check.executor.terms.yes() {
                    continue;
                }
                let here = check.executor.terms.and2(invariant, flow.guard);
                let broken = check.but_not(here, claim);
                checker.refute(check.executor.terms, broken, || {
                    format!("from {places:?}, {thread:?} gets to {what} without its invariant")
                })?;
            }
        }
    }
    Ok(())
}

struct Check<'a> {
    program: &'a Program,
    loops: Loops,
    prints: Footprints<'a>,
    graph: ThreadGraph,
    executor: Executor<'a>,
    /// What actions do, whatever state they begin in.
    actions: FxHashMap<Point, std::rc::Rc<Vec<(Leads, Flow)>>>,
}

impl Check<'_> {
    fn but_not(&mut self, holds: TermId, claim: TermId) -> TermId {
        let not = self.executor.terms.not(claim);
        self.executor.terms.and2(holds, not)
    }

    fn is_end(&self, point: &Point) -> bool {
        View { program: self.program, loops: &self.loops, graph: &self.graph }.is_end(point)
    }

    fn has_ended(&self, point: &Point) -> bool {
        point.calls.is_empty() && self.program.cfa.locs[point.loc].kind == LocKind::Exit
    }

    fn execute(&mut self, from: &Point, begin: Flow) -> Result<std::rc::Rc<Vec<(Leads, Flow)>>, String> {
        let Check { program, loops, graph, .. } = self;
        let view = View { program, loops, graph };
        let ends = self.executor.run(from, begin, &|p| view.is_end(p))?;
        Ok(std::rc::Rc::new(ends))
    }

    fn action(&mut self, from: &Point) -> Result<std::rc::Rc<Vec<(Leads, Flow)>>, String> {
        if let Some(known) = self.actions.get(from) {
            return Ok(known.clone());
        }
        let begin = Flow::from_state(self.executor.terms.yes());
        let ends = self.execute(from, begin)?;
        self.actions.insert(from.clone(), ends.clone());
        Ok(ends)
    }

    fn is_control(&self, point: &Point) -> bool {
        self.graph.visible.control.contains(&point.loc)
    }

    fn builtin(&self, edge: EdgeId) -> Option<Builtin> {
        builtin_of(self.program, &self.program.cfa.edges[edge].op)
    }

    /// What steps about threads lead to.
    fn control(&self, places: &Places, thread: ThreadId, point: &Point) -> Vec<Places> {
        let mut out = Vec::new();
        for (edge, to) in self.executor.successors(point) {
            let mut after = places.clone();
            after[thread.index()] = Some(to);
            let (a, b) = (about(self.program, edge, 0), about(self.program, edge, 1));
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
                    true => Step::Enter { call: edge, callee: *f, guard: None },
                    false => Step::Leave { call: edge, callee: *f },
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
    graph: &'a ThreadGraph,
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
            || self.graph.visible.concerns(point.loc, point.atomic > 0)
            || point.calls.is_empty() && kind == LocKind::Exit
    }
}
