//! Claims that say nothing: assumptions that exclude every input, and assertions that are never reached.
//!
//! Only claims of the user's are looked at. A few random runs show that most are reached; the engine is asked about the
//! rest, and only a proof that a claim can't be reached is a finding.

use super::lower::{Claim, Lowered};
use rustc_hash::FxHashSet;
use tour_engine::analysis::{self};
use tour_engine::context::Context;
use tour_ir::cfa::EdgeId;
use tour_ir::prepared::Prepared;
use tour_ir::program::Op;
use tour_protocol::result::{Vacuity, VacuityKind};
use tour_report::report::places::Places;

/// The findings about a harness that was proved.
pub(super) fn find(lowered: &Lowered<Prepared>, context: &Context) -> Vec<Vacuity> {
    let program = &lowered.program;
    let claims: Vec<(&Claim, Vec<EdgeId>)> = lowered
        .sites
        .claims
        .iter()
        .map(|(cond, claim)| {
            let marks = |op: &Op| matches!(op, Op::Assume { cond: c, .. } if c == cond);
            let original = |id: &EdgeId| &program.cfa.edges[program.copies.original(*id)].op;
            (claim, program.cfa.edges.indices().filter(|id| marks(original(id))).collect())
        })
        .collect();
    let ends: Vec<EdgeId> = match program.functions[program.entry].body {
        Some(body) => program.cfa.locs[body.exit].into.to_vec(),
        None => Vec::new(),
    };
    let all = || claims.iter().map(|(_, edges)| edges).chain([&ends]);
    let complete =
        |taken: &FxHashSet<EdgeId>| all().all(|edges| edges.iter().any(|edge| taken.contains(edge)));
    let taken = analysis::taken(program, &context.heuristics.vacuity, complete);
    if complete(&taken) {
        return Vec::new();
    }
    let mut places = Places::new(&program.sources);
    let reached = |edges: &[EdgeId]| {
        edges.iter().any(|edge| taken.contains(edge)) || !is_excluded(program, edges, context)
    };
    let missed: Vec<&Claim> =
        claims.iter().filter(|(_, edges)| !reached(edges)).map(|(claim, _)| *claim).collect();
    // With no claim reached, the assumptions are to blame if nothing else ends the harness.
    if missed.len() == claims.len()
        && let Some(span) = lowered.sites.assumes
        && !reached(&ends)
    {
        return vec![Vacuity {
            kind: VacuityKind::Assumptions,
            message: "no input satisfies the assumptions: the harness claims nothing".into(),
            place: places.place(span),
        }];
    }
    missed
        .into_iter()
        .map(|claim| Vacuity {
            kind: VacuityKind::Assertion,
            message: format!("{} is never reached", claim.message),
            place: places.place(claim.span),
        })
        .collect()
}

/// The engine proves that no run takes any of these edges.
fn is_excluded(program: &Prepared, edges: &[EdgeId], context: &Context) -> bool {
    let asked = Context {
        interrupt: context.interrupt.clone(),
        heuristics: context.heuristics.clone(),
        ..Context::default()
    };
    analysis::is_excluded(program, edges, &asked)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::harness::lower::tests::lower;
    use tour_ir::program::Rule;

    #[track_caller]
    fn check(body: &str, want: &[&str]) {
        let lowered = lower(&format!("fn h(x: u8) {{ {body} }}"), "").unwrap_or_else(|e| panic!("{e}"));
        let lowered = lowered.prepared(&Rule::STATED);
        let found = find(&lowered, &Context::default());
        let found: Vec<String> = found.into_iter().map(|f| format!("{:?}: {}", f.kind, f.message)).collect();
        assert_eq!(found, want, "{body}");
    }

    #[test]
    fn only_claims_that_can_not_be_reached_are_found() {
        check("assume(x > 3); assert!(x > 2);", &[]);
        check("if x == 200 { assert!(x > 2); }", &[]);
        check(
            "assume(x > 3 && x < 2); assert!(x == 0);",
            &["Assumptions: no input satisfies the assumptions: the harness claims nothing"],
        );
        check(
            "assume(x > 3); if x < 2 { assert!(x == 9); } assert!(x > 0);",
            &["Assertion: assertion `x == 9` is never reached"],
        );
        check("assume(x < 9); if x == 9 { panic!(); }", &[]);
    }
}
