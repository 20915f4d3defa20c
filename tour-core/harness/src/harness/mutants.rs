//! Mutants of the C that a harness reaches: does the harness notice them? [COVERAGE §2.2.1, completeness of properties.]

use std::time::Duration;
use tour_engine::analysis;
use tour_engine::context::Context;
use tour_evidence::verdict::Verdict;
use tour_ir::limits::{Ended, Limits, supervise};
use tour_ir::program::{Program, Rule};
use tour_protocol::protocol::MutantsAsked;
use tour_protocol::result::{MutantsTried, Status, TriedMutant};
use tour_report::coverage::mutation::{Mutant, mutants, spread};
use tour_report::report::places::Places;

/// Verifies the program of a harness, before rules were selected, with small faults in its C.
pub(super) fn try_all(
    program: &Program,
    rules: &[Rule],
    context: &Context,
    asked: &MutantsAsked,
) -> MutantsTried {
    let is_c = |mutant: &Mutant| {
        let file = program.sources.place(mutant.span).file;
        file.extension().is_none_or(|extension| extension != "rs")
    };
    let all: Vec<Mutant> = mutants(program).into_iter().filter(is_c).collect();
    let mut places = Places::new(&program.sources);
    let mut tried = Vec::new();
    for mutant in spread(&all, asked.max) {
        if context.interrupt.reason().is_some() {
            break;
        }
        tried.push(TriedMutant {
            place: places.place(mutant.span),
            describe: mutant.describe.clone(),
            verdict: verify(mutant.apply(program), rules, context, asked.seconds),
        });
    }
    MutantsTried { all: all.len(), tried }
}

fn verify(program: Program, rules: &[Rule], context: &Context, seconds: f64) -> Status {
    let own = Context { interrupt: context.interrupt.child(), ..Context::default() };
    let (inner, rules) = (own.clone(), rules.to_vec());
    let limits = Limits { time: Duration::try_from_secs_f64(seconds).ok(), memory: None };
    let ended = supervise(limits, &own.interrupt, move || {
        let program = analysis::prepare(program, &rules);
        analysis::verify(&program, &inner)
    });
    match ended {
        Ended::Returned(Verdict::Proved(_)) => Status::Proved,
        Ended::Returned(Verdict::Violated(_)) => Status::Violated,
        Ended::Returned(Verdict::Unknown(_)) | Ended::Stuck(_) | Ended::Panicked => Status::Unknown,
    }
}
