//! Conditions of violations.

use tour_ir::program::{ExprId, Rule};
use tour_ir::source::Span;

/// When a rule is violated. The parts are tested from left to right, and no further than needed: a later part may rely
/// on the earlier ones.
#[derive(Clone, Debug)]
pub(super) enum Condition {
    /// A scalar expression that is not zero.
    Is(ExprId),
    /// One of these holds.
    Any(Vec<Condition>),
    /// All of these hold.
    All(Vec<Condition>),
    /// It can't be said. Reaching the operation is unsupported; the message says what.
    Unknown(String),
}

/// Undefined behaviour that an operation can have.
#[derive(Clone, Debug)]
pub(super) struct Violation {
    /// The rule, if it is checked. Otherwise to get there is unsupported: C says nothing of what comes behind it.
    pub rule: Option<Rule>,
    pub condition: Condition,
    /// In the user's words.
    pub message: String,
    pub span: Span,
}
