//! Fault localisation: from a violation to the lines that may be wrong `[FAULT]`.
//!
//! | file | what |
//! |---|---|
//! | `adm`, `cfdm`, `pg` | `[FAULT]`'s techniques: what differs from the closest successful run |
//! | `mcs`, `invariants` | techniques on the formula of the failing run |
//! | `repair`, `mutate`, `trial` | small changes of a statement that make the failure go away |
//! | `claim` | the claim that is violated may be wrong itself |
//! | `combine` | one ranking of all |
//! | `closest`, `measure`, `symbolic` | the closest successful run, found by the solver |
//! | `unrolled` | the program around the failing run, without cycles |
//! | `distance` | distances of two given runs, for tests |
//! | `originals` | the program without copies of functions |
//! | `case`, `run`, `failures` | what the techniques are given |
//! | `differences`, `comparison` | two runs side by side |
//!
//! Localisation never changes a verdict. It is bounded by steps of the solver and of the interpreter, so that the same
//! violation always has the same suspects.

mod case;
mod closest;
mod combine;
mod comparison;
mod differences;
#[cfg(test)]
mod distance;
mod failures;
mod measure;
mod mutate;
pub mod originals;
mod run;
mod symbolic;
#[cfg(test)]
mod tests;
mod trial;
mod unrolled;

pub use case::{Case, Found};
pub use combine::combine;
pub use differences::{Change, Difference};
pub use run::Run;

use closest::Success;
use run::line_of;
use tour_engine::context::Context;
use tour_engine::heuristics::FaultLimits;
use tour_evidence::verdict::Violation;
use tour_ir::cfa::EdgeId;
use tour_ir::prepared::Prepared;
use tour_ir::program::{Op, Program};
use tour_protocol::result::{Finding, Localisation};

/// A way to find suspects.
pub trait Technique {
    /// Its name, as for `--technique`.
    fn id(&self) -> &'static str;

    /// What it looks for, for users.
    fn help(&self) -> &'static str;

    /// Looks for suspects. The error says why there are none.
    fn locate(&self, case: &mut Case) -> Found<Finding>;
}

/// Files and what is in them.
macro_rules! techniques {
    ($($file:ident::$technique:ident,)*) => {
        $(mod $file;)*

        /// All techniques.
        pub fn techniques() -> Vec<Box<dyn Technique>> {
            vec![$(Box::new($file::$technique)),*]
        }
    };
}

techniques! {
    adm::Adm,
    cfdm::Cfdm,
    pg::Pg,
    mcs::Mcs,
    invariants::ErrorInvariants,
    repair::Repair,
    claim::Claim,
}

/// What a user can choose.
#[derive(Clone, Debug)]
pub struct Options {
    /// The techniques, by id; empty: all.
    pub techniques: Vec<String>,
    /// Steps of the solver for each technique.
    pub budget: u64,
    /// `Wp`: a predicate that differs.
    pub weight_predicate: u32,
    /// `Wc`: a step that is not aligned.
    pub weight_unaligned: u32,
}

impl Default for Options {
    fn default() -> Options {
        Options { techniques: Vec::new(), budget: 3_000_000, weight_predicate: 1, weight_unaligned: 2 }
    }
}

/// The differences between the failing run and the closest successful ones are suspects: those closer to the check more,
/// and those of the first run before those of others. The first run is shown.
fn from_differences(technique: &'static str, case: &Case, closest: &[Success]) -> Finding {
    let mut finding = Finding::new(technique);
    let mut rank = 0.0;
    for success in closest {
        let mut found = differences::differences(case, success);
        if finding.comparison.is_none() {
            finding.differences = found.iter().map(Difference::to_string).collect();
            finding.comparison = Some(comparison::compare(case, success));
        }
        found.sort_by_key(|d| d.to_check);
        for difference in &found {
            rank += 1.0;
            let reason = match &difference.change {
                Change::Changed { was, now } => {
                    format!("the closest successful run has {now}, not {was}")
                }
                Change::Deleted { .. } => "the closest successful run does not execute it".to_owned(),
                Change::Executed { .. } => "only the closest successful run executes it".to_owned(),
            };
            suspect(&mut finding, case, difference.edge, 1.0 / rank, reason);
        }
    }
    finding.sort();
    finding
}

/// Adds the statement of an edge.
fn suspect(finding: &mut Finding, case: &Case, edge: EdgeId, score: f64, reason: String) {
    finding.suspect(line_of(case.program, edge), score, reason, || plain(case.program, edge));
}

/// A statement without saying how it was decided.
fn plain(program: &Program, edge: EdgeId) -> String {
    let text = run::statement(program, edge);
    match (&program.cfa.edges[edge].op, text.strip_prefix("!(").and_then(|t| t.strip_suffix(')'))) {
        (Op::Assume { truth: false, .. }, Some(inner)) => inner.to_owned(),
        _ => text,
    }
}

/// Only what these techniques found; all, if there are none.
pub fn only(mut found: Localisation, techniques: &[String], limits: &FaultLimits) -> Localisation {
    if !techniques.is_empty() {
        found.findings.retain(|finding| techniques.contains(&finding.technique));
        found.failed.retain(|(technique, _)| technique == "all" || techniques.contains(technique));
        found.suspects = combine(&found.findings, limits);
    }
    found
}

/// Looks for the lines that are to blame for a violation.
pub fn localise(
    program: &Prepared,
    violation: &Violation,
    context: &Context,
    options: &Options,
) -> Localisation {
    let mut all = Localisation::default();
    let chosen = |id: &str| options.techniques.is_empty() || options.techniques.iter().any(|t| t == id);
    // A statement is wrong in all copies of it.
    let (program, violation) = originals::undone(program, violation);
    let mut case = match Case::new(&program, &violation, context, options) {
        Ok(case) => case,
        Err(why) => {
            all.failed.push(("all".into(), why));
            return all;
        }
    };
    for technique in techniques().iter().filter(|t| chosen(t.id())) {
        if context.interrupt.reason().is_some() {
            break;
        }
        case.renew_budget();
        match technique.locate(&mut case) {
            Ok(finding) => all.findings.push(finding),
            Err(why) => all.failed.push((technique.id().to_owned(), why)),
        }
    }
    all.suspects = combine(&all.findings, &context.heuristics.fault);
    all
}
