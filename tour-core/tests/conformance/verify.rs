//! What we say about claims. Claims are asked for in groups, and one by one only where a group is not decided.

use super::native::Meaning;
use super::topic::{NAMES, TYPES, Topic};
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::time::Duration;
use tour_core::LoadOptions;
use tour_core::analysis::{Options, prepare, verify_all, verify_with};
use tour_core::context::{Context, Findings};
use tour_core::front::Input;
use tour_core::limits::{Ended, Limits, supervise};
use tour_core::program::{CheckId, DataModel, Rule};
use tour_core::verdict::{UnknownReason, Verdict};

/// Claims in one program.
const GROUP: usize = 40;
/// Formulas of long paths are large.
const SYMBOLIC_GROUP: usize = 16;

/// What is asked.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Question {
    /// `expression == value` may not be violated.
    Holds,
    /// `expression != value` may not be proved.
    Fails,
    /// The same two, with operands that only formulas know.
    HoldsForInputs,
    FailsForInputs,
    /// A defined expression may not violate a rule.
    Defined,
    /// An undefined one may not be proved to violate none.
    Undefined,
}

impl Question {
    pub const ALL: [Question; 6] = [
        Question::Holds,
        Question::Fails,
        Question::HoldsForInputs,
        Question::FailsForInputs,
        Question::Defined,
        Question::Undefined,
    ];

    pub fn id(self) -> &'static str {
        match self {
            Question::Holds => "holds",
            Question::Fails => "fails",
            Question::HoldsForInputs => "holds-for-inputs",
            Question::FailsForInputs => "fails-for-inputs",
            Question::Defined => "defined",
            Question::Undefined => "undefined",
        }
    }

    /// Whether operands are inputs.
    fn symbolic(self) -> bool {
        matches!(self, Question::HoldsForInputs | Question::FailsForInputs)
    }

    /// Whether the right answer is a violation.
    fn wants_violations(self) -> bool {
        matches!(self, Question::Fails | Question::FailsForInputs | Question::Undefined)
    }

    fn rules(self) -> Vec<Rule> {
        let name = match self {
            Question::Defined | Question::Undefined => "undefined-behaviour",
            _ => "unreach-call",
        };
        Rule::named(name).expect("a property")
    }
}

/// What became of a claim.
#[derive(Clone, Debug)]
pub enum Answer {
    Right,
    Undecided(String),
    Wrong(String),
}

/// One thing to look at: the claim, and a condition about it.
#[derive(Clone)]
struct Item {
    claim: usize,
    /// What is evaluated, and reported if false.
    condition: String,
}

/// The answers for all claims of a topic that the question is for, with the program of each.
pub fn ask(
    topic: &Topic,
    meanings: &[Meaning],
    question: Question,
    limit: Duration,
) -> Vec<(usize, Answer, String)> {
    let asker = Asker { topic, question, limit };
    let items = asker.items(meanings);
    let mut answers = Vec::new();
    let size = if question.symbolic() { SYMBOLIC_GROUP } else { GROUP };
    for group in items.chunks(size) {
        asker.decide(group, &mut answers);
    }
    answers
}

struct Asker<'a> {
    topic: &'a Topic,
    question: Question,
    limit: Duration,
}

impl Asker<'_> {
    fn items(&self, meanings: &[Meaning]) -> Vec<Item> {
        let mut items = Vec::new();
        for (i, (claim, meaning)) in self.topic.claims.iter().zip(meanings).enumerate() {
            let asks_for_inputs = claim.statements.contains("IN(") || claim.expression.contains("IN(");
            let expression = &claim.expression;
            match (self.question, meaning) {
                (question, _) if question.symbolic() && !asks_for_inputs => {}
                (Question::Undefined, Meaning::Undefined) => {
                    items.push(Item { claim: i, condition: format!("(({expression}) , 1)") });
                }
                (Question::Undefined, _) | (_, Meaning::Undefined) => {}
                // C allows all of them: none may be excluded. Otherwise the compiler says what it does.
                (question, Meaning::Values { all, ours }) if question.wants_violations() => {
                    for value in if claim.unspecified { all } else { ours } {
                        let condition = format!("!({})", value.condition(expression));
                        items.push(Item { claim: i, condition });
                    }
                }
                (_, Meaning::Values { ours, .. }) if ours.len() == 1 && !claim.unspecified => {
                    for value in ours {
                        items.push(Item { claim: i, condition: value.condition(expression) });
                    }
                }
                (_, Meaning::Values { .. }) => {}
            }
        }
        items
    }

    /// The program, and the lines at which its claims stand.
    fn program(&self, items: &[Item]) -> (String, Vec<u32>) {
        let mut text = TYPES.to_owned();
        text += "extern void reach_error(void); extern int __VERIFIER_nondet_int(void); extern void __VERIFIER_assume(int);\n";
        if self.question.symbolic() {
            text += "#define IN(t, v) in_##t(v)\n";
            for (name, input) in NAMES {
                text += &match name {
                    "f80" => format!("static {name} in_{name}({name} v) {{ return v; }}\n"),
                    // Equal by their bits.
                    "f32" | "f64" => {
                        let bits = if name == "f32" { "u32" } else { "u64" };
                        format!(
                            "static {name} in_{name}({name} v) {{ union {{ {name} f; {bits} n; }} given = {{ v }}, x; \
                             x.n = __VERIFIER_nondet_{bits}(); __VERIFIER_assume(x.n == given.n); return x.f; }}\n"
                        )
                    }
                    _ => format!(
                        "extern {name} __VERIFIER_nondet_{input}(void); static {name} in_{name}({name} v) {{ \
                         {name} x = __VERIFIER_nondet_{input}(); __VERIFIER_assume(x == v); return x; }}\n"
                    ),
                };
            }
            text = text.replace("nondet_u32", "nondet_uint").replace("nondet_u64", "nondet_ulong");
        } else {
            text += "#define IN(t, v) ((t)(v))\n";
        }
        text += &self.topic.prelude;
        let mut lines = Vec::new();
        for (i, item) in items.iter().enumerate() {
            let statements = &self.topic.claims[item.claim].statements;
            lines.push(text.matches('\n').count() as u32 + 1);
            writeln!(
                text,
                "static void claim_{i}(void) {{ {statements} if (!({})) reach_error(); }}",
                item.condition
            )
            .unwrap();
        }
        text += "int main(void) {\n";
        if self.question.wants_violations() && items.len() > 1 {
            // All of them are reported, whichever comes first.
            text += "  switch (__VERIFIER_nondet_int()) {\n";
            for i in 0..items.len() {
                writeln!(text, "    case {i}: claim_{i}(); break;").unwrap();
            }
            text += "  }\n";
        } else {
            for i in 0..items.len() {
                writeln!(text, "  claim_{i}();").unwrap();
            }
        }
        text += "  return 0;\n}\n";
        (text, lines)
    }

    fn decide(&self, items: &[Item], answers: &mut Vec<(usize, Answer, String)>) {
        let (text, lines) = self.program(items);
        let (violated, rest) = self.verdict(&text);
        let wants_violations = self.question.wants_violations();
        let mut left = Vec::new();
        for (item, line) in items.iter().zip(lines) {
            if wants_violations && violated.contains(&line) {
                answers.push((item.claim, Answer::Right, String::new()));
            } else {
                left.push(item.clone());
            }
        }
        if left.is_empty() {
            return;
        }
        if left.len() == 1 && items.len() == 1 {
            let answer = match rest.as_str() {
                "UNSAFE" if wants_violations => Answer::Right,
                "SAFE" if !wants_violations => Answer::Right,
                _ if rest.starts_with("UNKNOWN") && !rest.contains("internal error") => {
                    Answer::Undecided(rest)
                }
                // Or a panic, or valid C that is rejected.
                _ => Answer::Wrong(rest),
            };
            answers.push((left[0].claim, answer, text));
        } else if rest == "SAFE" && !wants_violations {
            answers.extend(left.iter().map(|item| (item.claim, Answer::Right, String::new())));
        } else if left.len() < items.len() {
            self.decide(&left, answers);
        } else {
            let (one, other) = left.split_at(left.len() / 2);
            self.decide(one, answers);
            self.decide(other, answers);
        }
    }

    /// Lines at which something is violated, and the verdict on the rest.
    fn verdict(&self, text: &str) -> (BTreeSet<u32>, String) {
        let name = format!("{}.c", self.topic.name);
        let loaded = tour_core::load(&[Input::text(&name, text)], &LoadOptions::new(DataModel::Lp64));
        let program = match loaded {
            Ok(program) => program,
            Err(error) => return (BTreeSet::new(), format!("rejected: {error}")),
        };
        let program = prepare(program, &self.question.rules());
        let context = Context::default();
        let own = context.clone();
        let all = self.question.wants_violations();
        let limits = Limits { time: Some(self.limit), memory: None };
        let ended = supervise(limits, &context.interrupt, move || {
            let findings: Findings = match all {
                true => verify_all(&program, &own, &Options::default()),
                false => verify_with(&program, &own, &Options::default()).into(),
            };
            let place = |check: CheckId| program.sources.place(program.checks[check].span).line;
            let lines = findings.violations.iter().map(|violation| place(violation.check)).collect();
            (lines, show(&findings))
        });
        match ended {
            Ended::Returned(verdict) => verdict,
            Ended::Stuck(reason) => (BTreeSet::new(), format!("UNKNOWN ({reason:?})")),
            Ended::Panicked => (BTreeSet::new(), "a panic".to_owned()),
        }
    }
}

fn show(findings: &Findings) -> String {
    let verdict = findings.verdict();
    match &verdict {
        Verdict::Unknown(UnknownReason::Unsupported { message, .. }) => format!("{verdict}: {message}"),
        _ => verdict.to_string(),
    }
}
