//! Proofs that say nothing: parts of the program that no run gets to.
//!
//! A few random runs show that most parts are reached. The engine is asked about the rest, and only a proof that no run gets
//! there is a finding.

use super::verify;
use crate::context::Context;
use crate::heuristics::VacuityLimits;
use rustc_hash::FxHashSet;
use tour_evidence::verdict::Verdict;
use tour_interp::interp::{Image, Observer, Options, Random, Write, Zeros};
use tour_ir::budget::Budget;
use tour_ir::cfa::{EdgeId, LocKind};
use tour_ir::prepared::Prepared;
use tour_ir::program::{Check, Op, Program, Rule};
use tour_ir::source::Span;

/// Notes which edges are taken.
#[derive(Default)]
struct Taken(FxHashSet<EdgeId>);

impl Observer for Taken {
    const WRITES: bool = false;

    fn edge(&mut self, edge: EdgeId, _: u32) {
        self.0.insert(edge);
    }

    fn write(&mut self, _: Write) {}
}

/// The edges that some runs take, until `enough` says that no more are needed.
pub fn taken(
    program: &Prepared,
    limits: &VacuityLimits,
    enough: impl Fn(&FxHashSet<EdgeId>) -> bool,
) -> FxHashSet<EdgeId> {
    let mut taken = Taken::default();
    let image = Image::of(program);
    let options = Options { max_steps: limits.max_run_steps, ..Options::default() };
    for seed in 0..limits.runs {
        if enough(&taken.0) {
            break;
        }
        match seed {
            0 => image.run(&mut Zeros, &options, &mut taken),
            _ => image.run(&mut Random::new(seed), &options, &mut taken),
        };
    }
    taken.0
}

/// The first assumption that runs get to and none gets past: what follows it is not checked.
pub fn contradiction(program: &Prepared, context: &Context) -> Option<Span> {
    if !program.threads.is_empty() {
        return None;
    }
    let assumptions: Vec<EdgeId> = program
        .cfa
        .edges
        .iter_enumerated()
        .filter(|(_, edge)| {
            matches!(edge.op, Op::Assume { .. }) && program.cfa.locs[edge.from].out.len() == 1
        })
        .map(|(id, _)| id)
        .collect();
    if assumptions.is_empty() {
        return None;
    }
    let limits = context.heuristics.vacuity;
    let taken = taken(program, &limits, |taken| assumptions.iter().all(|edge| taken.contains(edge)));
    let reached = |edge: &EdgeId| {
        let from = &program.cfa.locs[program.cfa.edges[*edge].from];
        from.kind == LocKind::Entry || from.into.iter().any(|into| taken.contains(into))
    };
    let context = Context {
        budget: Budget::fixed(limits.max_steps),
        interrupt: context.interrupt.clone(),
        heuristics: context.heuristics.clone(),
        ..Context::default()
    };
    assumptions
        .iter()
        .filter(|edge| !taken.contains(edge) && reached(edge))
        .take(limits.max_asked)
        .find(|edge| is_excluded(program, &[**edge], &context))
        .map(|edge| program.cfa.edges[*edge].span)
}

/// The engine proves that no run takes any of these edges.
pub fn is_excluded(program: &Prepared, edges: &[EdgeId], context: &Context) -> bool {
    if context.interrupt.reason().is_some() {
        return false;
    }
    let Some(&first) = edges.first() else { return true };
    let probe = Prepared::new(probe(program, edges, program.cfa.edges[first].span));
    matches!(verify(&probe, context), Verdict::Proved(_))
}

/// The program whose only error is to take one of these edges.
fn probe(program: &Program, edges: &[EdgeId], span: Span) -> Program {
    let mut probe = program.clone();
    for check in program.checks.indices() {
        probe.close(check);
    }
    let function = probe.entry;
    let loc = probe.cfa.add_loc(function, LocKind::Plain);
    let check = Check { rule: Rule::UnreachCall, loc, message: "reached".into(), span };
    probe.cfa.locs[loc].kind = LocKind::Error(probe.checks.push(check));
    for &edge in edges {
        probe.cfa.redirect(edge, loc);
        let from = &mut probe.cfa.edges[edge];
        // An operation on the way out of the function would need its exit.
        if let Op::Return(_) = from.op {
            from.op = Op::Nop;
        }
    }
    probe
}

#[cfg(test)]
mod tests {
    use super::*;
    use tour_c::LoadOptions;
    use tour_c::front::Input;
    use tour_ir::program::DataModel;

    #[track_caller]
    fn check(body: &str, want: Option<&str>) {
        let text = format!(
            "int __VERIFIER_nondet_int(void); void __VERIFIER_assume(int); void __VERIFIER_error(void);\n\
             int main(void) {{ int x = __VERIFIER_nondet_int(); {body} return 0; }}"
        );
        let options = LoadOptions::new(DataModel::Lp64);
        let program = tour_c::load(&[Input::text("a.c", text)], &options).expect("a program");
        let program = crate::analysis::prepare(program, &Rule::STATED);
        let found = contradiction(&program, &Context::default());
        let found = found.map(|span| program.sources.text(span).to_owned());
        assert_eq!(found.as_deref(), want, "{body}");
    }

    #[test]
    fn assumptions_that_contradict_each_other_are_found() {
        check("__VERIFIER_assume(x > 5); __VERIFIER_assume(x < 9);", None);
        check("__VERIFIER_assume(x == 77777);", None);
        check("__VERIFIER_assume(x > 5); __VERIFIER_assume(x < 5); __VERIFIER_error();", Some("x < 5"));
        check("if (x > 5) { __VERIFIER_assume(x < 5); __VERIFIER_error(); }", Some("x < 5"));
        // Not reached at all: nothing is wrong with the assumption.
        check("if (x != x) { __VERIFIER_assume(x < 5); }", None);
    }
}
