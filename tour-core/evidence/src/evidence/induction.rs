//! Proofs by unrolling, and their independent check: bounded runs, and k-induction.
//!
//! Which runs of a bounded program end is found out question by question, by the solver that is quickest (see
//! [`Inquiry`]): it is the one of bounded model checking, and nothing is believed of it. That it was right is asked in the
//! end, all at once, of the one for certificates.

use super::invariants::{Checker, Invariants, Point, with_instances};
use super::symbolic::{Executor, Flow, Leads};
use std::collections::BTreeMap;
use tour_ir::cfa::{LocId, Turns};
use tour_ir::limits::Interrupt;
use tour_ir::program::Program;
use tour_logic::smt::{Inquiry, Opinions, Purpose, QueryLimits, SatResult, Z3};
use tour_logic::term::{TermId, Terms};

/// Does every run end within `depth` stretches between cut points, without failing? An error says why not.
pub fn check_unrolled(program: &Program, depth: usize, interrupt: &Interrupt) -> Result<Opinions, String> {
    let mut terms = Terms::new();
    let checker = Checker::new(program, None, interrupt, &mut terms)?;
    let mut executor = Executor::new(program, &mut terms, &checker.bases, &checker.knowledge);
    let initial = executor.initial();
    let turns = Turns::of(program);
    let z3 = Z3::new(QueryLimits::default(), interrupt.clone());
    let mut quick = Inquiry::new(&z3, Purpose::Certificate);
    let mut refuted = Vec::new();
    let mut refute = |terms: &mut Terms, doubt: TermId| {
        let holds_never = quick.check(terms, doubt) == SatResult::Unsat;
        if holds_never {
            refuted.push(doubt);
        }
        holds_never
    };
    let mut flows: Vec<(Point, Flow)> = vec![(checker.start.clone(), initial)];
    let mut failed = Vec::new();
    // Other cut points than those of the analysis: at most one more on every way.
    for _ in 0..depth.saturating_mul(2).saturating_add(2) {
        interrupt.check().map_err(|why| why.to_string())?;
        let places: Vec<Vec<LocId>> = flows.iter().map(|(point, _)| place(program, point)).collect();
        let next = (0..flows.len()).min_by(|&a, &b| turns.compare(&places[a], &places[b]));
        if next.is_none() || failed.len() > TOGETHER {
            let any = executor.terms.or(&std::mem::take(&mut failed));
            if !refute(executor.terms, any) {
                return Err("a run fails".into());
            }
        }
        let Some(next) = next else {
            let any = executor.terms.or(&refuted);
            checker.refute(executor.terms, any, || "a run that was taken to end goes on".into())?;
            return Ok(checker.opinions());
        };
        let (point, flow) = flows.swap_remove(next);
        if refute(executor.terms, flow.guard) {
            continue;
        }
        for (to, flow) in executor.run(&point, flow, &|p| checker.is_cut(p))? {
            match to {
                Leads::Error(_) | Leads::Unmodelled(_) => failed.push(flow.guard),
                Leads::Cut(to) => match flows.iter().position(|(point, _)| *point == to) {
                    Some(there) => {
                        let (_, old) = flows.swap_remove(there);
                        flows.push((to, executor.join(old, flow)));
                    }
                    None => flows.push((to, flow)),
                },
            }
        }
    }
    Err("there are longer runs".into())
}

/// How many conditions under which a run fails are refuted at once.
const TOGETHER: usize = 16;

/// Where a point is, for [`Turns::compare`].
fn place(program: &Program, point: &Point) -> Vec<LocId> {
    let calls = point.calls.iter().map(|(call, _)| program.cfa.edges[*call].from);
    calls.chain([point.loc]).collect()
}

/// Does k-induction hold? An error says why not.
pub fn check_induction(
    program: &Program,
    k: usize,
    invariants: &Invariants,
    interrupt: &Interrupt,
) -> Result<Opinions, String> {
    let mut terms = Terms::new();
    let checker = Checker::new(program, Some(invariants), interrupt, &mut terms)?;
    checker.inductive(&mut terms, false)?;
    // Base.
    let mut executor = Executor::new(program, &mut terms, &checker.bases, &checker.knowledge);
    let initial = executor.initial();
    let mut flows = BTreeMap::from([(checker.start.clone(), initial)]);
    let mut facts = Vec::new();
    for _ in 0..k {
        let (next, failed) = stretch(&checker, &mut executor, flows, &mut facts, true)?;
        let failed = with_instances(executor.terms, &facts, failed);
        checker.refute(executor.terms, failed, || format!("a run of at most {k} stretches fails"))?;
        flows = next;
    }
    if flows.is_empty() || k == 0 {
        return if k == 0 { Err("k is zero".into()) } else { Ok(checker.opinions()) };
    }
    // Step.
    for point in cut_points(&checker, &mut terms)? {
        if point == checker.start {
            continue;
        }
        let mut executor = Executor::new(program, &mut terms, &checker.bases, &checker.knowledge);
        let claim = checker.at.get(&point).copied().unwrap_or(executor.terms.yes());
        let mut flows = BTreeMap::from([(point.clone(), Flow::from_state(claim))]);
        // The same k for all points: a run that fails passes through several of them.
        let mut failed = executor.terms.no();
        let mut facts = vec![claim];
        for _ in 0..k {
            (flows, failed) = stretch(&checker, &mut executor, flows, &mut facts, false)?;
        }
        let failed = with_instances(executor.terms, &facts, failed);
        checker.refute(executor.terms, failed, || {
            format!("from {point:?}, a run fails after {} stretches that go well", k - 1)
        })?;
    }
    Ok(checker.opinions())
}

/// Executes from all points to the next cut points, where the claims hold: that they do are the `facts`. Returns also
/// under which condition a run fails. With `prune`, runs that can't be are left out.
fn stretch(
    checker: &Checker,
    executor: &mut Executor,
    flows: BTreeMap<Point, Flow>,
    facts: &mut Vec<TermId>,
    prune: bool,
) -> Result<(BTreeMap<Point, Flow>, TermId), String> {
    let mut next: BTreeMap<Point, Flow> = BTreeMap::new();
    let mut failed = Vec::new();
    for (point, flow) in flows {
        checker.interrupt.check().map_err(|why| why.to_string())?;
        for (to, mut flow) in executor.run(&point, flow, &|p| checker.is_cut(p))? {
            match to {
                Leads::Error(_) | Leads::Unmodelled(_) => failed.push(flow.guard),
                Leads::Cut(to) => {
                    if let Some(&claim) = checker.at.get(&to) {
                        let holds = executor.state_formula(claim, &flow);
                        if !executor.terms.ghosts(claim).is_empty() {
                            for holds in executor.terms.conjuncts(holds) {
                                facts.push(executor.terms.implies(flow.guard, holds));
                            }
                        }
                        flow.guard = executor.terms.and2(flow.guard, holds);
                    }
                    let merged = match next.remove(&to) {
                        Some(old) => executor.join(old, flow),
                        None => flow,
                    };
                    next.insert(to, merged);
                }
            }
        }
    }
    if prune {
        next.retain(|_, flow| checker.refute(executor.terms, flow.guard, String::new).is_err());
    }
    Ok((next, executor.terms.or(&failed)))
}

/// All cut points, by the graph alone.
fn cut_points(checker: &Checker, terms: &mut Terms) -> Result<Vec<Point>, String> {
    let mut points = vec![checker.start.clone()];
    let mut done = 0;
    while let Some(point) = points.get(done).cloned() {
        done += 1;
        let executor = Executor::new(checker.program, terms, &checker.bases, &checker.knowledge);
        for to in executor.next_cuts(&point, &|p| checker.is_cut(p))? {
            if !points.contains(&to) {
                points.push(to);
            }
        }
    }
    Ok(points)
}
