//! Error invariants (after Ermis, Schäf and Wies, "Error Invariants", FM 2012; with decisions as in Christ et al.,
//! "Flow-Sensitive Fault Localization", VMCAI 2013).
//!
//! With its inputs, the failing run contradicts "the check holds". A smallest part of its statements that still does is
//! what the failure needs; between them, why it must fail stays the same. These statements change the reason, and the
//! values that they leave are the error invariants.

use super::case::{Case, Found};
use super::run::is_branch;
use super::symbolic::{Given, steps_alone};
use super::{Finding, Technique, suspect};
use tour_ir::cfa::{Dominators, EdgeId, LocId, LocKind, Order};
use tour_ir::program::{Op, Program};
use tour_logic::smt::{Purpose, SatResult, Solver};
use tour_logic::term::{Sort, TermId};

/// Error invariants.
pub struct ErrorInvariants;

impl Technique for ErrorInvariants {
    fn id(&self) -> &'static str {
        "invariants"
    }

    fn help(&self) -> &'static str {
        "Error invariants: statements that change why the run must fail"
    }

    fn locate(&self, case: &mut Case) -> Found<Finding> {
        let (mut solver, soft) = trace_formula(case)?;
        let mut needed: Vec<TermId> = soft.iter().map(|s| s.literal).collect();
        match solver.check(&case.engine.terms, &needed) {
            SatResult::Unsat => needed = solver.unsat_core(&case.engine.terms),
            SatResult::Sat => return Err("the failing run alone does not say why it fails".into()),
            SatResult::Unknown(why) => return Err(why.to_string()),
        }
        // Each statement in turn, the first ones first: those near the failure tell more.
        for s in &soft {
            if !needed.contains(&s.literal) {
                continue;
            }
            case.go_on()?;
            let rest: Vec<TermId> = needed.iter().copied().filter(|l| *l != s.literal).collect();
            if solver.check(&case.engine.terms, &rest) == SatResult::Unsat {
                needed = solver.unsat_core(&case.engine.terms);
            }
        }
        let mut finding = Finding::new(self.id());
        let kept: Vec<&Soft> = soft.iter().filter(|s| needed.contains(&s.literal)).collect();
        for (back, s) in kept.iter().rev().enumerate() {
            let reason = match &s.value {
                Some(value) => format!("the failure needs what is stored here: {value}"),
                None => "the failure needs this decision".to_owned(),
            };
            suspect(&mut finding, case, s.edge, 1.0 / (1.0 + back as f64), reason);
        }
        finding.sort();
        Ok(finding)
    }
}

/// A statement that may be left out.
struct Soft {
    literal: TermId,
    edge: EdgeId,
    value: Option<String>,
}

/// The failing run as a formula that contradicts the check: statements before the check can be left out, and what a
/// statement does is done only under the decisions that lead to it.
fn trace_formula(case: &mut Case) -> Found<(Box<dyn Solver>, Vec<Soft>)> {
    let given = Given::of(case.program, &case.run, &case.path);
    let alone = steps_alone(case, &given).ok_or("the failing run can't be encoded")?;
    let program = case.program;
    let post = Dominators::post(program, &program.fact::<Order>());
    let mut solver = case.engine.smt.solver(Purpose::Feasibility);
    for fact in alone.beginning {
        solver.assert(&case.engine.terms, fact);
    }
    let mut soft = Vec::new();
    // For each open call, the decisions that the current step hangs on: location and whether it was as in the run.
    let mut open: Vec<Vec<(LocId, TermId)>> = vec![Vec::new()];
    let mut violated = Vec::new();
    for (i, (step, facts)) in alone.steps.into_iter().enumerate() {
        let terms = &mut case.engine.terms;
        let fact = terms.and(&facts);
        let Some(index) = step else {
            // A return: it does what the call has to do.
            let guards: Vec<TermId> = open.iter().flatten().map(|(_, g)| *g).collect();
            let guard = terms.and(&guards);
            let done = terms.implies(guard, fact);
            solver.assert(terms, done);
            continue;
        };
        let taken = &case.run.steps[index];
        let edge = &program.cfa.edges[taken.edge];
        open.resize(taken.depth as usize + 1, Vec::new());
        if let Some(frame) = open.last_mut() {
            frame.retain(|(loc, _)| !post.dominates(edge.from, *loc));
        }
        let guards: Vec<TermId> = open.iter().flatten().map(|(_, g)| *g).collect();
        let guard = terms.and(&guards);
        let decides = matches!(edge.op, Op::Assume { .. });
        if index >= case.run.cut {
            match decides {
                true => violated.push(fact),
                false => solver.assert(terms, fact),
            }
            continue;
        }
        let base = terms.declare(&format!("fault!step{i}"), Sort::Bool, false);
        let literal = terms.var(base, 1);
        if decides {
            if !is_branch(program, taken.edge)
                || guards_check(program, taken.edge)
                || case.statement.evaluates(program, taken.edge)
            {
                continue;
            }
            let base = terms.declare(&format!("fault!decided{i}"), Sort::Bool, false);
            let decided = terms.var(base, 1);
            let same = terms.eq(decided, fact);
            let kept = terms.implies(literal, same);
            solver.assert(terms, kept);
            if let Some(frame) = open.last_mut() {
                frame.push((edge.from, decided));
            }
        } else {
            let done = terms.implies(guard, fact);
            // Inputs are given.
            let kept = match edge.op {
                Op::Havoc(..) | Op::Declare(_) | Op::Expire(_) => done,
                _ => terms.implies(literal, done),
            };
            solver.assert(terms, kept);
        }
        soft.push(Soft { literal, edge: taken.edge, value: taken.value.clone() });
    }
    let terms = &mut case.engine.terms;
    let violated = terms.and(&violated);
    let holds = terms.not(violated);
    solver.assert(terms, holds);
    Ok((solver, soft))
}

/// The other way of a decision violates a check.
fn guards_check(program: &Program, edge: EdgeId) -> bool {
    let from = program.cfa.edges[edge].from;
    program.cfa.successors(from).any(|(_, e)| matches!(program.cfa.locs[e.to].kind, LocKind::Error(_)))
}
