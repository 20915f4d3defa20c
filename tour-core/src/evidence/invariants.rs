//! Proofs as invariants, and their independent check.
//!
//! The invariants hold at the cut points of the program: the entry, and at least one location on every cycle of every
//! call context. The check: the entry's invariant holds at the beginning; from each cut point, every run that starts in
//! its invariant and goes to the next cut point ends in that one's invariant (initiation, consecution); no run reaches an
//! error or something that is not modelled (safety).

use super::symbolic::{Executor, Flow, Knowledge, Leads};
use crate::analysis::Engine;
use crate::block::Target;
use crate::cfa::{EdgeId, LocId, LocKind, Loops};
use crate::encode::Cell;
use crate::limits::Interrupt;
use crate::program::{FnId, Program};
use crate::smt::{Purpose, QueryLimits, SatResult, Smt, Z3};
use crate::term::{BaseId, TermId, Terms};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::sync::Arc;

/// A location in a call context.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Point {
    /// Open calls, outermost first: the call edge and the function called.
    pub calls: Vec<(EdgeId, FnId)>,
    /// The location.
    pub loc: LocId,
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

impl Invariants {
    /// The disjunction of the states of a complete reachability graph at each of its nodes.
    pub fn collect<'s, S: 's>(
        engine: &mut Engine,
        nodes: impl Iterator<Item = (Target, &'s S)>,
        mut formula: impl FnMut(&mut Terms, &S) -> TermId,
    ) -> Invariants {
        let mut at: BTreeMap<Point, Vec<TermId>> = BTreeMap::new();
        for (target, state) in nodes {
            let Target::Node(node) = target else { continue };
            let mut calls = Vec::new();
            let mut frame = engine.blocks.unfolding.frame(node);
            while let Some((stack, call)) = frame.caller {
                calls.push((call, frame.function));
                frame = engine.blocks.unfolding.frame_of(stack);
            }
            calls.reverse();
            let point = Point { calls, loc: engine.blocks.unfolding.loc(node) };
            let state = formula(&mut engine.terms, state);
            at.entry(point).or_default().push(state);
        }
        let at: BTreeMap<Point, TermId> =
            at.into_iter().map(|(point, states)| (point, engine.terms.or(&states))).collect();
        let mut terms = Terms::new();
        let mut copy = Copy::default();
        let at = at.into_iter().map(|(p, f)| (p, copy.term(&engine.terms, &mut terms, f))).collect();
        let cells = (copy.bases.iter())
            .filter_map(|(from, to)| Some((*to, engine.blocks.encoder.cell_of(*from)?.clone())))
            .collect();
        Invariants { terms: Arc::new(terms), cells, at }
    }
}

/// Copies terms from one arena to another.
#[derive(Default)]
struct Copy {
    terms: FxHashMap<TermId, TermId>,
    bases: BTreeMap<BaseId, BaseId>,
}

impl Copy {
    fn term(&mut self, from: &Terms, to: &mut Terms, term: TermId) -> TermId {
        for node in from.postorder(&[term]) {
            if self.terms.contains_key(&node) {
                continue;
            }
            let new = if let Some(symbol) = from.as_symbol(node) {
                let base = from.base(symbol.base);
                let copied = to.declare(&base.name, base.sort, base.signed);
                self.bases.insert(symbol.base, copied);
                to.var(copied, symbol.index)
            } else if let Some(value) = from.value(node) {
                to.constant(value.clone())
            } else {
                let args: Vec<TermId> = from.args(node).iter().map(|a| self.terms[a]).collect();
                to.build(from.op(node), &args)
            };
            self.terms.insert(node, new);
        }
        self.terms[&term]
    }
}

/// Do the invariants prove the program? An error says why not.
pub fn check(program: &Program, invariants: &Invariants, interrupt: &Interrupt) -> Result<(), String> {
    let mut terms = Terms::new();
    let mut copy = Copy::default();
    let at: BTreeMap<&Point, TermId> =
        invariants.at.iter().map(|(p, f)| (p, copy.term(&invariants.terms, &mut terms, *f))).collect();
    let smt = Z3::new(QueryLimits::default(), interrupt.clone());
    let entry = program.functions[program.entry].body.ok_or("the entry has no body")?;
    let start = Point { calls: Vec::new(), loc: entry.entry };
    let start_invariant = *at.get(&start).ok_or("there is no invariant at the entry")?;
    let bases: FxHashMap<Cell, BaseId> = (invariants.cells.iter())
        .filter_map(|(base, cell)| Some((cell.clone(), *copy.bases.get(base)?)))
        .collect();
    // A loop head or a recursive call without an invariant is claimed to be out of reach.
    let loops = Loops::of(program);
    let is_recursive = |point: &Point| {
        let function = program.cfa.locs[point.loc].function;
        let below = point.calls.iter().rev().skip(1).any(|c| c.1 == function) || program.entry == function;
        program.cfa.locs[point.loc].kind == LocKind::Entry && !point.calls.is_empty() && below
    };
    let is_cut = |point: &Point| at.contains_key(point) || loops.is_head(point.loc) || is_recursive(point);

    let holds = |terms: &mut Terms, guard: TermId, claim: TermId, what: &dyn Fn() -> String| {
        let not = terms.not(claim);
        let counterexample = terms.and2(guard, not);
        match smt.check(terms, counterexample, Purpose::Certificate) {
            SatResult::Unsat => Ok(()),
            SatResult::Sat => Err(what()),
            SatResult::Unknown(why) => Err(format!("{}: {why}", what())),
        }
    };

    // Initiation.
    let knowledge = Knowledge::of(program);
    let mut executor = Executor::new(program, &mut terms, &bases, &knowledge);
    let initial = executor.initial();
    let claim = executor.state_formula(start_invariant, &initial);
    let guard = initial.guard;
    holds(&mut terms, guard, claim, &|| "the invariant does not hold at the entry".into())?;

    // Consecution and safety.
    for (&point, &invariant) in &at {
        interrupt.check().map_err(|why| why.to_string())?;
        let mut executor = Executor::new(program, &mut terms, &bases, &knowledge);
        // The entry is left once only, in the initial state.
        let begin = if *point == start { initial.clone() } else { Flow::from_state(invariant) };
        let ends = executor.run(point, begin, &is_cut)?;
        let mut claims = Vec::new();
        for (to, flow) in ends {
            let (claim, what) = match to {
                Leads::Cut(to) => {
                    let claim = match at.get(&to) {
                        Some(&invariant) => executor.state_formula(invariant, &flow),
                        None => executor.terms.no(),
                    };
                    (claim, format!("from {point:?}, the invariant at {to:?} is not kept"))
                }
                Leads::Error(loc) => {
                    (executor.terms.no(), format!("from {point:?}, error location {loc:?} is reached"))
                }
                Leads::Unmodelled(edge) => (
                    executor.terms.no(),
                    format!("from {point:?}, {edge:?} is reached, which is not modelled"),
                ),
            };
            claims.push((flow.guard, claim, what));
        }
        for (guard, claim, what) in claims {
            holds(&mut terms, guard, claim, &|| what.clone())?;
        }
    }
    Ok(())
}
