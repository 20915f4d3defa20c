//! Results made of evidence: the one place where ids of a program become text and places in the user's files.

use super::explain::{self, Explanation, For};
use super::interleaving;
use super::places::Places;
use std::collections::BTreeMap;
use std::path::Path;
use tour_engine::context::Findings;
use tour_evidence::verdict::{TakenInput, UnknownReason, Verdict, Violation};
use tour_ir::prepared::Prepared;
use tour_ir::program::{Op, Program, Rule};
use tour_ir::source::{Diagnostic, SourceMap};
use tour_ir::stats::Statistics;
use tour_protocol::result::{
    Bits, Claim, ClaimResult, Counterexample, InputValue, Localisation, PropertyResult, Replay, RunStep,
    Statistic, Status,
};

/// What is known of a program.
#[derive(Clone, Copy, Debug)]
pub struct Evidence<'a> {
    /// The program.
    pub program: &'a Prepared,
    /// The selected rules.
    pub rules: &'a [Rule],
    /// What became of its checks.
    pub findings: &'a Findings,
    /// Certificates of proofs were checked.
    pub certified: bool,
}

/// The inputs of a violation, as they are shown.
#[derive(Clone, PartialEq, Debug)]
pub struct Inputs {
    /// In the words of the user's language.
    pub values: Vec<InputValue>,
    /// What a replay is given.
    pub scalars: Vec<Bits>,
    /// Why a replay is of no use; [`Replay::NOT_ASKED`] if it may be.
    pub replay: Replay,
}

/// Says what the inputs of a violation are called, and in which language they are shown.
pub trait ShowInputs {
    /// The inputs of a violation.
    fn show(&self, violation: &Violation, explained: &Explanation, places: &mut Places) -> Inputs;
}

/// The result of a claim about a program.
pub fn result(
    claim: impl Into<Claim>,
    evidence: &Evidence,
    inputs: &dyn ShowInputs,
    places: &mut Places,
) -> ClaimResult {
    let Evidence { program, rules, findings, certified } = *evidence;
    let claim = claim.into();
    let whom = if claim.harness().is_some() { For::Harness } else { For::Check };
    let mut result = match (&findings.verdict(), findings.violations.first()) {
        (Verdict::Violated(_), _) | (_, Some(_)) => ClaimResult::new(claim, Status::Violated),
        (Verdict::Proved(proof), None) => ClaimResult {
            analysis: Some(proof.analysis.to_owned()),
            certified: Some(certified),
            ..ClaimResult::new(claim, Status::Proved)
        },
        (Verdict::Unknown(reason), None) => {
            let first = explain::unknown(program, reason, whom);
            let others = explain::other_unsupported(program, reason, whom);
            ClaimResult {
                place: reason.span().map(|span| places.place(span)),
                diagnostics: first.iter().chain(&others).map(|d| places.message(d)).collect(),
                ..unknown(claim, reason)
            }
        }
    };
    for violation in &findings.violations {
        let explained = explain(program, violation);
        result.violations.push(counterexample(program, violation, &explained, inputs, places));
        result.diagnostics.push(places.message(&explained.diagnostic));
    }
    if let (Some(found), [first, others @ ..]) = (findings.violations.first(), &result.violations[..]) {
        result.analysis = Some(found.analysis.to_owned());
        result.kind = Some(first.property.clone());
        result.place = Some(first.place.clone());
        result.reason = match others.len() {
            0 => first.message.clone(),
            n => format!("{}, and {n} more", first.message),
        };
    }
    result.others_hold = matches!(findings.rest, Verdict::Proved(_));
    result.checks = rules.iter().map(|&rule| property(program, findings, rule)).collect();
    result.assumptions = program.assumptions.iter().map(|a| places.note(&a.text, a.span)).collect();
    result
}

/// The result of a claim of which nothing is known but why.
pub fn unknown(claim: impl Into<Claim>, reason: &UnknownReason) -> ClaimResult {
    ClaimResult {
        reason: reason.to_string(),
        kind: Some(reason.kind().to_owned()),
        ..ClaimResult::new(claim, Status::Unknown)
    }
}

/// The result of a claim that could not be read.
pub fn invalid(claim: impl Into<Claim>, diagnostics: &[Diagnostic], sources: &SourceMap) -> ClaimResult {
    let mut places = Places::new(sources);
    ClaimResult {
        status: Status::Invalid,
        reason: diagnostics.first().map(|d| d.message.clone()).unwrap_or_default(),
        diagnostics: diagnostics.iter().map(|d| places.message(d)).collect(),
        ..unknown(claim, &UnknownReason::Invalid)
    }
}

/// What was counted.
pub fn statistics(stats: &Statistics) -> BTreeMap<String, Statistic> {
    stats.rows().into_iter().map(|(name, value)| (name.to_owned(), value.into())).collect()
}

/// Adds the lines that may be wrong to the first violation and its message. `explain` is the command that shows more.
pub fn add_faults(result: &mut ClaimResult, faults: &Localisation, explain: &str, base: &Path) {
    if let (Some(message), Some(summary)) = (result.diagnostics.first_mut(), faults.summary(explain, base)) {
        message.help = Some(match message.help.take() {
            Some(help) => format!("{help}\n{summary}"),
            None => summary,
        });
    }
    if let Some(first) = result.violations.first_mut() {
        first.faults = Some(faults.clone());
    }
}

/// A violation in words. With threads, the interleaving says more than single steps.
fn explain(program: &Prepared, violation: &Violation) -> Explanation {
    if program.threads.is_empty() {
        return explain::violation(program, violation);
    }
    let check = &program.checks[violation.check];
    let diagnostic = Diagnostic::error(check.rule.code(), check.rule.describe())
        .label(check.span, format!("{}: reached by the interleaving below", check.message));
    Explanation { diagnostic, steps: Vec::new() }
}

fn counterexample(
    program: &Program,
    violation: &Violation,
    explained: &Explanation,
    inputs: &dyn ShowInputs,
    places: &mut Places,
) -> Counterexample {
    let check = &program.checks[violation.check];
    let has_threads = !program.threads.is_empty();
    let Inputs { values, scalars, replay } = inputs.show(violation, explained, places);
    let trace = violation.trace.iter().enumerate().map(|(i, step)| {
        let edge = &program.cfa.edges[step.edge];
        let place = places.place(edge.span);
        RunStep {
            rust: place.file.extension().is_some_and(|extension| extension == "rs"),
            place,
            function: program.functions[program.cfa.locs[edge.from].function].name.clone(),
            thread: has_threads.then_some(step.thread),
            depth: step.depth,
            operation: program.show_op(&edge.op),
            value: step.value.clone(),
            relevant: explained.steps.binary_search(&i).is_ok(),
        }
    });
    let trace = trace.collect();
    Counterexample {
        property: check.rule.id().to_owned(),
        message: check.message.clone(),
        place: places.place(check.span),
        inputs: values,
        scalars,
        trace,
        interleaving: if has_threads { interleaving(program, &violation.trace) } else { Vec::new() },
        replay,
        faults: None,
    }
}

fn property(program: &Program, findings: &Findings, rule: Rule) -> PropertyResult {
    let is_violated = findings.violations.iter().any(|v| program.checks[v.check].rule == rule);
    PropertyResult {
        property: rule.id().to_owned(),
        result: match &findings.rest {
            _ if is_violated => Status::Violated,
            Verdict::Proved(_) => Status::Proved,
            Verdict::Violated(_) | Verdict::Unknown(_) => Status::Unknown,
        },
        checks: program.checks.iter().filter(|check| check.rule == rule).count(),
    }
}

/// Inputs as constants of C, one for each time that the program asks.
#[derive(Clone, Copy, Debug)]
pub struct AsC<'a>(pub &'a Program);

impl ShowInputs for AsC<'_> {
    fn show(&self, violation: &Violation, explained: &Explanation, places: &mut Places) -> Inputs {
        let program = self.0;
        let is_relevant = explained.relevant_inputs(violation);
        let value = |(input, relevant): (&TakenInput, bool)| {
            let edge = input.edge.map(|edge| &program.cfa.edges[edge]);
            let variable = edge.and_then(|edge| match edge.op {
                Op::Havoc(place, _) => Some(program.show_place(place)).filter(|name| !name.contains('$')),
                _ => None,
            });
            InputValue {
                name: variable.unwrap_or_default(),
                value: input.show(program),
                ty: input.ty.map_or("unsigned char".into(), |ty| program.show_type(ty)),
                origin: input.origin,
                relevant,
                bits: vec![Bits(input.bits)],
                operation: edge.map(|edge| program.show_op(&edge.op)),
                place: edge.map(|edge| places.place(edge.span)),
            }
        };
        Inputs {
            values: violation.inputs.iter().zip(is_relevant).map(value).collect(),
            scalars: violation.inputs.iter().map(|input| Bits(input.bits)).collect(),
            replay: Replay::NOT_ASKED,
        }
    }
}
