//! Properties: what can be violated, and what is taken for granted.

use crate::cfa::LocId;
use crate::source::Span;

/// The rules. Each has a stable id.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum Rule {
    /// `__VERIFIER_error()`, `reach_error()` or the label `ERROR` is reached.
    UnreachCall,
    /// An `assert` fails.
    Assert,
}

impl Rule {
    /// All rules.
    pub const ALL: [Rule; 2] = [Rule::UnreachCall, Rule::Assert];

    /// Stable id, as in `--property`.
    pub fn id(self) -> &'static str {
        match self {
            Rule::UnreachCall => "unreach-call",
            Rule::Assert => "assert",
        }
    }

    /// What a violation means.
    pub fn describe(self) -> &'static str {
        match self {
            Rule::UnreachCall => "an error location is reachable",
            Rule::Assert => "an assertion can fail",
        }
    }
}

/// A place where a rule can be violated.
#[derive(Clone, Debug)]
pub struct Check {
    /// The rule.
    pub rule: Rule,
    /// Its error location.
    pub loc: LocId,
    /// What fails, in the user's words: `assertion x < 3`.
    pub message: String,
    /// Where.
    pub span: Span,
}

/// Something that the verdict takes for granted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Assumption {
    /// In one line: "`foo` has no body: it returns any value and has no other effect".
    pub text: String,
    /// Where it was first needed.
    pub span: Span,
}
