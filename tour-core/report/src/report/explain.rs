//! A verdict as a diagnostic: what fails or is in the way, and the few steps that lead there.
//!
//! The one place where a violation is put into words: `cargo tour check`, `cargo tour verify` and failing tests all draw
//! what is made here. Steps are chosen by [`relevant`]: values that the failing condition depends on, branches on
//! them, and the calls that are open. All steps are in the trace, for `-v`.

use super::relevant::{Relevant, Role, relevant};
use rustc_hash::FxHashSet;
use std::path::Path;
use tour_evidence::verdict::{InputOrigin, Step, TakenInput, UnknownReason, Violation};
use tour_ir::cfa::{CallGraph, EdgeId};
use tour_ir::limits::StopReason;
use tour_ir::prepared::Prepared;
use tour_ir::program::{Builtin, Callee, FnId, HavocOrigin, Op, PlaceId, Program, Unsupported};
use tour_ir::source::LIBRARY;
use tour_ir::source::{Diagnostic, Span};

/// How many labels a diagnostic has at most: more hide the one that matters.
const LABELS: usize = 8;

/// How many of them are calls.
const CALLS: usize = 3;

/// How many values are told at the failing spot.
const VALUES: usize = 4;

/// A violation in words.
#[derive(Clone, Debug)]
pub struct Explanation {
    /// The failing spot and the steps that matter most.
    pub diagnostic: Diagnostic,
    /// All steps that matter, as indices of the trace, in order.
    pub steps: Vec<usize>,
}

/// Puts a violation into words.
pub fn violation(program: &Prepared, violation: &Violation) -> Explanation {
    let check = &program.checks[violation.check];
    let relevant = relevant(program, violation);
    let explainer = Explainer { program, trace: &violation.trace };
    let mut text = check.message.clone();
    let values = explainer.values(&relevant);
    if !values.is_empty() {
        text.push_str(&format!(", with {}", values.join(", ")));
    }
    let mut diagnostic = Diagnostic::error(check.rule.code(), check.rule.describe()).label(check.span, text);
    let notes = explainer.calls().into_iter().take(CALLS).chain(explainer.steps(&relevant));
    for (span, text) in notes {
        let known = diagnostic.labels.iter().any(|label| label.span == span);
        if diagnostic.labels.len() < LABELS && !known {
            diagnostic = diagnostic.label(span, text);
        }
    }
    let steps = relevant.iter().rev().map(|relevant| relevant.step).collect();
    Explanation { diagnostic, steps }
}

impl Explanation {
    /// Which inputs are worth showing: what is given to the program always is; what was never written only if the end
    /// depends on it.
    pub fn relevant_inputs(&self, violation: &Violation) -> Vec<bool> {
        let matter: FxHashSet<EdgeId> = self.steps.iter().map(|step| violation.trace[*step].edge).collect();
        let is_relevant = |input: &TakenInput| match input.origin {
            InputOrigin::Nondet | InputOrigin::Undefined | InputOrigin::Order => true,
            InputOrigin::Parameter => input.bits != 0,
            InputOrigin::Indeterminate => {
                // A zero is what one expects there.
                input.bits != 0
                    && (matter.is_empty() || input.edge.is_some_and(|edge| matter.contains(&edge)))
            }
        };
        violation.inputs.iter().map(is_relevant).collect()
    }
}

struct Explainer<'a> {
    program: &'a Program,
    trace: &'a [Step],
}

impl Explainer<'_> {
    /// `head = 8`: what the failing condition looked at.
    fn values(&self, relevant: &[Relevant]) -> Vec<String> {
        let mut values: Vec<String> = Vec::new();
        for relevant in relevant.iter().filter(|relevant| relevant.role == Role::Stores) {
            let step = &self.trace[relevant.step];
            let op = &self.program.cfa.edges[step.edge].op;
            let (Op::Assign(place, _) | Op::Havoc(place, _)) = op else { continue };
            let span = self.program.cfa.edges[step.edge].span;
            let name = self.name(*place).or_else(|| self.left_side(span));
            if let (Some(name), Some(value)) = (name, &step.value)
                && values.len() < VALUES
            {
                values.push(format!("{name} = {value}"));
            }
        }
        values
    }

    /// A place as the user knows it.
    fn name(&self, place: PlaceId) -> Option<String> {
        let shown = self.program.show_place(place);
        (!shown.contains('$')).then_some(shown)
    }

    /// What an assignment stands at the left of, as it was written: the pointer may have been kept in a variable of ours.
    fn left_side(&self, span: Span) -> Option<String> {
        let (left, right) = self.program.sources.text(span).split_once('=')?;
        let left = left.trim_end_matches(['+', '-', '*', '/', '%', '&', '|', '^', '<', '>']).trim();
        let plain = left.chars().all(|c| c.is_alphanumeric() || "_->.[]* ".contains(c));
        (plain && !left.is_empty() && !right.starts_with('=')).then(|| left.to_owned())
    }

    /// The calls that are open when the run ends, the innermost first.
    fn calls(&self) -> Vec<(Span, String)> {
        let mut calls = Vec::new();
        let mut depth = self.trace.last().map_or(0, |step| step.depth);
        for step in self.trace.iter().rev() {
            let edge = &self.program.cfa.edges[step.edge];
            if step.depth < depth
                && let Op::Call(_) = edge.op
            {
                depth = step.depth;
                let with = step.value.as_ref().map_or(String::new(), |values| format!(" with {values}"));
                calls.push((edge.span, format!("called from here{with}")));
            }
        }
        calls
    }

    /// The steps in words, the last first: those that stored something, then branches. Of steps at the same place the last
    /// is told.
    fn steps(&self, relevant: &[Relevant]) -> Vec<(Span, String)> {
        let span = |relevant: &Relevant| self.program.cfa.edges[self.trace[relevant.step].edge].span;
        let is_ours = |span: Span| self.program.sources.place(span).file.starts_with(LIBRARY);
        let texts = |branches: bool| {
            let mut texts: Vec<(Span, String)> = Vec::new();
            for step in relevant.iter().filter(|r| (r.role == Role::Branches) == branches) {
                let at = span(step);
                if step.role == Role::Fails || is_ours(at) || texts.iter().any(|(known, _)| *known == at) {
                    continue;
                }
                let Some(mut text) = self.words(&self.trace[step.step]) else { continue };
                let edge = self.trace[step.step].edge;
                let times = relevant.iter().filter(|other| self.trace[other.step].edge == edge).count();
                if times > 1 {
                    text.push_str(&format!(", the last of {times} times"));
                }
                texts.push((at, text));
            }
            texts
        };
        texts(false).into_iter().chain(texts(true)).collect()
    }

    /// What a step did; `None` if it is of no interest to anyone.
    fn words(&self, step: &Step) -> Option<String> {
        let edge = &self.program.cfa.edges[step.edge];
        let value = step.value.as_deref();
        match &edge.op {
            Op::Assign(place, _) => {
                let name = self.name(*place).or_else(|| self.left_side(edge.span))?;
                Some(value.map_or_else(|| format!("{name} is stored"), |value| format!("{name} = {value}")))
            }
            Op::Havoc(place, HavocOrigin::Input) => match (self.name(*place), value?) {
                (Some(name), value) => Some(format!("{name} = {value}, an input")),
                (None, value) => Some(format!("{value}, an input")),
            },
            Op::Havoc(_, HavocOrigin::Undefined(_)) => Some(format!("gives {}, say", value?)),
            Op::Havoc(_, HavocOrigin::Order) => Some(format!("order {} of evaluation", value?)),
            Op::Havoc(_, HavocOrigin::Indeterminate | HavocOrigin::Uncomputed) => {
                Some(format!("{}, and may be anything", value?))
            }
            Op::Call(call) => {
                let called = match call.callee {
                    Callee::Direct(function) => Some(&self.program.functions[function]),
                    Callee::Indirect(_) => None,
                };
                match called {
                    Some(function) if function.builtin == Some(Builtin::Free) => Some("freed here".into()),
                    Some(function) if function.body.is_none() => Some(format!("gives {}", value?)),
                    _ => Some(format!("called with {}", value?)),
                }
            }
            Op::Return(_) => Some(format!("gives {}", value?)),
            Op::Declare(_) => Some("not initialised".into()),
            Op::Expire(var) => Some(format!("{} goes out of scope", self.program.vars[*var].name)),
            Op::Assume { truth: true, .. } => Some("is true".into()),
            Op::Assume { truth: false, .. } => Some("is false".into()),
            Op::Nop | Op::Unsupported(_) => None,
        }
    }
}

/// Whose words a piece of advice is in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum For {
    /// `cargo tour check`: options of the command line.
    Check,
    /// A harness: attributes.
    Harness,
}

/// Why there is no answer, where, and what to do; `None` if the reason itself says all.
pub fn unknown(program: &Program, reason: &UnknownReason, whom: For) -> Option<Diagnostic> {
    Some(match reason {
        UnknownReason::Unsupported { kind, message, span } if kind == "undefined-function" => {
            // The message names it: `foo` has no body.
            let function = message.split('`').nth(1).unwrap_or_default();
            undefined(function, *span, whom)
        }
        UnknownReason::Unsupported { kind, message, span } => {
            // Some messages are whole sentences.
            let whole =
                [" is not ", " are not ", " cannot ", " can't "].iter().any(|part| message.contains(part));
            let message = if whole { message.clone() } else { format!("{message} is not supported") };
            Diagnostic::warning("tour::unsupported", message.clone())
                .label(*span, format!("{kind}, and it can be reached"))
                .help(match (tour_model::encode::advice(kind), whom, around(program, *span)) {
                    (Some(advice), ..) => advice.to_owned(),
                    (None, For::Harness, Some(function)) if kind == "inline-asm" || kind == "builtin" => {
                        format!(
                            "say in tour.toml what `{function}` does, for instance that it gives any value:\n\
                         [stub.{function}]\nreturns = \"nondet\""
                        )
                    }
                    (None, ..) if kind == "library" && message.starts_with('`') => {
                        let function = message.split('`').nth(1).unwrap_or_default();
                        format!(
                            "add a file that defines it, or say in tour.toml what it does:\n\
                             [stub.{function}]\nfile = \"stubs/{function}.c\""
                        )
                    }
                    (None, ..) => {
                        "tour gives no verdict rather than a wrong one; see the chapter on limits".to_owned()
                    }
                })
        }
        UnknownReason::Undefined { function, span } => undefined(function, *span, whom),
        UnknownReason::Unconfirmed { check, why } => {
            let check = &program.checks[*check];
            Diagnostic::warning("tour::unconfirmed", "a violation was found but could not be confirmed")
                .label(check.span, check.message.clone())
                .help(format!("the interpreter did not get there with the inputs found: {why}"))
        }
        UnknownReason::Stopped(StopReason::Timeout) => Diagnostic::warning("tour::timeout", "the time is up")
            .help(match whom {
                For::Check => "give more with --timeout",
                For::Harness => {
                    "give more with `#[verify(timeout = \"5m\")]`, or narrow the inputs with `assume`"
                }
            }),
        UnknownReason::Stopped(StopReason::Memory) => {
            Diagnostic::warning("tour::memory", "the memory is used up").help(match whom {
                For::Check => "give more with --memory",
                For::Harness => {
                    "give more with `#[verify(memory = \"8G\")]`, or narrow the inputs with `assume`"
                }
            })
        }
        UnknownReason::Stopped(StopReason::Cancelled)
        | UnknownReason::Solver(_)
        | UnknownReason::NoProgress
        | UnknownReason::Inconclusive
        | UnknownReason::Invalid
        | UnknownReason::NothingToVerify
        | UnknownReason::Internal(_) => return None,
    })
}

/// The function that a construct stands in.
fn around(program: &Program, span: Span) -> Option<&str> {
    let edge = program.cfa.edges.iter().find(|edge| edge.span == span)?;
    Some(&program.functions[program.cfa.locs[edge.from].function].name)
}

/// How many other constructs are told of.
const OTHERS: usize = 15;

/// Beside the construct that ended the analysis: all others in functions that can be called, each at its place. So that
/// not one is found after the other.
pub fn other_unsupported(program: &Prepared, reason: &UnknownReason, whom: For) -> Vec<Diagnostic> {
    let UnknownReason::Unsupported { span: shown, message: known, .. } = reason else { return Vec::new() };
    let calls = program.fact::<CallGraph>();
    let reachable: FxHashSet<FnId> = calls.reachable_bodies(program).collect();
    let mut found: Vec<(Span, &Unsupported)> = Vec::new();
    for edge in &program.cfa.edges {
        let Op::Unsupported(what) = &edge.op else { continue };
        if reachable.contains(&program.cfa.locs[edge.from].function) && edge.span != *shown {
            found.push((edge.span, what));
        }
    }
    found.sort_by_key(|(span, _)| *span);
    found.dedup_by_key(|(span, _)| *span);
    // What a header of the system has many of is told of once.
    let mut once = FxHashSet::default();
    found.retain(|(span, what)| {
        let file = program.sources.place(*span).file;
        !is_of_system(file) || once.insert((file, what.kind))
    });
    // A function without a body is told of once.
    let mut functions = FxHashSet::from_iter([known.as_str()]);
    found.retain(|(_, what)| what.kind != "undefined-function" || functions.insert(&what.message));
    let describe = |(span, what): (Span, &Unsupported)| {
        let reason =
            UnknownReason::Unsupported { kind: what.kind.to_owned(), message: what.message.clone(), span };
        let mut diagnostic = unknown(program, &reason, whom)?;
        if what.kind != "undefined-function" {
            diagnostic.labels[0].text = format!("{}, and perhaps it can be reached", what.kind);
            diagnostic.help = None;
        }
        Some(diagnostic)
    };
    found.into_iter().take(OTHERS).filter_map(describe).collect()
}

/// A header that comes with the compiler or the system.
fn is_of_system(file: &Path) -> bool {
    ["/usr/", "/opt/", "/Library/"].iter().any(|prefix| file.starts_with(prefix))
}

/// A function that can be called and has no body.
fn undefined(function: &str, span: Span, whom: For) -> Diagnostic {
    let help = match whom {
        For::Check => {
            "add the file that defines it, or accept any result with `--undefined nondet`".to_owned()
        }
        For::Harness => format!(
            "link the C that defines it, or say in tour.toml what it does:\n\
             [stub.{function}]\nfile = \"stubs/{function}.c\""
        ),
    };
    Diagnostic::warning("tour::undefined_function", format!("`{function}` has no body"))
        .label(span, "called here")
        .help(help)
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::{Expect, expect};
    use tour_c::LoadOptions;
    use tour_c::front::Input as File;
    use tour_c::load;
    use tour_c::sema::UndefinedPolicy;
    use tour_engine::analysis::{self};
    use tour_engine::context::Context;
    use tour_evidence::verdict::Verdict;
    use tour_ir::program::{DataModel, Rule};

    /// The labels, each with the text that it stands at.
    #[track_caller]
    fn check(text: &str, expected: Expect) {
        let declarations = "extern int __VERIFIER_nondet_int(void); extern void __VERIFIER_assert(int); \
                            extern void *malloc(unsigned long); extern void free(void *); ";
        let file = File::text("a.i", format!("{declarations}{text}"));
        let program = load(&[file], &LoadOptions::new(DataModel::Lp64)).expect("a program");
        let rules: Vec<Rule> =
            Rule::named("memory-safety").into_iter().flatten().chain(Rule::STATED).collect();
        let program = analysis::prepare(program, &rules);
        let Verdict::Violated(found) = analysis::verify(&program, &Context::default()) else {
            panic!("it is violated")
        };
        let explained = violation(&program, &found);
        let label = |label: &tour_ir::source::Label| {
            format!("{}: {}\n", program.sources.text(label.span), label.text)
        };
        expected.assert_eq(&explained.diagnostic.labels.iter().map(label).collect::<String>());
    }

    #[test]
    fn a_loop_is_reported_by_its_last_round() {
        check(
            "int fill; int push(void) { if (fill > 3) { return 0; } fill = fill + 1; return 1; }
             int main(void) { int other = 0;
                 while (__VERIFIER_nondet_int() < 5) { other++; push(); __VERIFIER_assert(fill <= 3); } }",
            expect![[r#"
                __VERIFIER_assert(fill <= 3): assertion `fill <= 3`, with fill = 4
                fill = fill + 1: fill = 4, the last of 4 times
                fill > 3: is false, the last of 4 times
            "#]],
        );
    }

    #[test]
    fn values_at_the_spot_and_where_they_come_from() {
        check(
            "struct s { int buf[8]; int head; };
             static int get(struct s *s, int i) { int k = i * 2; s->head = k; k = 0; return s->buf[s->head]; }
             int main(void) { struct s s = {{0}}; int x = __VERIFIER_nondet_int();
                 if (x != 4) { return 0; } return get(&s, x); }",
            expect![[r#"
                s->buf[s->head]: `s->buf[s->head]` is read outside of `s->buf`, with s->head = 8
                get(&s, x): called from here with &s, 4
                s->head = k: s->head = 8
                i * 2: k = 8
                __VERIFIER_nondet_int(): x = 4, an input
                x != 4: is false
            "#]],
        );
    }

    #[test]
    fn every_unsupported_construct_has_its_place() {
        let text = "int far(int); int farther(int); int dead(void) { return far(9); }
            int main(void) { int x = far(1); __asm__(\"hlt\"); x += far(2) + farther(3); return x; }";
        let mut options = LoadOptions::new(DataModel::Lp64);
        options.lower.undefined = UndefinedPolicy::Unknown;
        let program = load(&[File::text("a.i", text)], &options).expect("a program");
        let program = analysis::prepare(program, &[Rule::SignedOverflow]);
        let Verdict::Unknown(reason) = analysis::verify(&program, &Context::default()) else {
            panic!("it is unknown")
        };
        let first = unknown(&program, &reason, For::Check).expect("a diagnostic");
        let all = std::iter::once(first).chain(other_unsupported(&program, &reason, For::Check));
        let texts: Vec<String> =
            all.map(|d| format!("{} at {}", d.message, program.sources.text(d.labels[0].span))).collect();
        assert_eq!(texts.len(), 3, "{texts:?}");
        assert!(texts.iter().any(|t| t.starts_with("`far` has no body")), "{texts:?}");
        assert!(texts.iter().any(|t| t.starts_with("`farther` has no body")), "{texts:?}");
    }

    #[test]
    fn a_freed_block() {
        check(
            "int main(void) { int *p = malloc(4); if (p == 0) { return 0; } free(p); return *p; }",
            expect![[r#"
                *p: `*p` is read after its object was freed or went out of scope, with p = block 0
                free(p): freed here
                malloc(4): p = block 0
                p == 0: is false
            "#]],
        );
    }
}
