//! The operations on edges.

use super::{ExprId, FnId, PlaceId, Rule, VarId};

/// What an edge does. One edge, one operation.
#[derive(Clone, Debug, PartialEq)]
pub enum Op {
    /// Nothing.
    Nop,
    /// `place = value`; both have the same type (scalar, record, or array from an initialiser).
    Assign(PlaceId, ExprId),
    /// Go on only if the (scalar) condition is non-zero (`truth`) or zero (`!truth`).
    Assume {
        /// The condition.
        cond: ExprId,
        /// Non-zero or zero.
        truth: bool,
    },
    /// Call a function.
    Call(Call),
    /// Store the value in the function's return variable; leads to the function's exit.
    Return(Option<ExprId>),
    /// Any value at all goes into `place`.
    Havoc(PlaceId, HavocOrigin),
    /// The life of a local variable begins: its value is indeterminate.
    Declare(VarId),
    /// The life of a local variable ends before its frame does, with the block that declares it. Its next life begins
    /// at a declaration.
    Expire(VarId),
    /// Something that we do not model: reaching it makes the verdict unknown.
    Unsupported(Box<Unsupported>),
}

/// A call.
#[derive(Clone, Debug, PartialEq)]
pub struct Call {
    /// Whom.
    pub callee: Callee,
    /// Arguments, converted to the parameters' types (promoted, where there is no prototype).
    pub args: Vec<ExprId>,
    /// Where the result goes; its type is the function's return type.
    pub dest: Option<PlaceId>,
}

/// Whom a call calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Callee {
    /// A known function.
    Direct(FnId),
    /// The function that a pointer points to.
    Indirect(ExprId),
}

/// Why a value is arbitrary.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HavocOrigin {
    /// An input: `__VERIFIER_nondet_*`.
    Input,
    /// The result of a function without a body, by assumption.
    Undefined(FnId),
    /// Anything else that the front end could not determine (an indeterminate value).
    Indeterminate,
    /// Which of several orders of evaluation is taken: C allows them all.
    Order,
    /// What it is is determined, but not by us: an output of inline assembly, the result of `sin`. A proof holds for all
    /// values; no run goes on behind it.
    Uncomputed,
}

/// A construct that we do not model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unsupported {
    /// Short stable kind, for statistics: `inline-asm`, `computed-goto`.
    pub kind: &'static str,
    /// For the user.
    pub message: String,
}

impl Unsupported {
    /// The kind of undefined behaviour that no rule is about which is checked.
    pub const UNDEFINED: &'static str = "undefined-behaviour";

    /// Reaching it is undefined behaviour: the operation behind it does what it does only if it is not reached.
    pub fn is_undefined(&self) -> bool {
        self.kind == Unsupported::UNDEFINED || Rule::ALL.into_iter().any(|rule| rule.id() == self.kind)
    }
}
