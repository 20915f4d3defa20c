//! What an analysis can say about a program. A verdict is never a bare flag: each carries its evidence.

use crate::evidence::Certificate;
use std::fmt;
use tour_ir::cfa::EdgeId;
use tour_ir::limits::StopReason;
use tour_ir::program::{CheckId, FloatKind, Program, Type, TypeId};
use tour_ir::source::Span;

pub use tour_protocol::result::InputOrigin;

/// The answer.
#[derive(Clone, Debug)]
pub enum Verdict {
    /// No check can be violated.
    Proved(Proof),
    /// A check is violated: the interpreter reached it.
    Violated(Box<Violation>),
    /// Neither was shown.
    Unknown(UnknownReason),
}

impl Verdict {
    /// Unknown is no answer.
    pub fn is_decided(&self) -> bool {
        match self {
            Verdict::Proved(_) | Verdict::Violated(_) => true,
            Verdict::Unknown(_) => false,
        }
    }
}

/// As on the last line of standard output: `SAFE`, `UNSAFE` or `UNKNOWN (reason)`.
impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Verdict::Proved(_) => f.write_str("SAFE"),
            Verdict::Violated(_) => f.write_str("UNSAFE"),
            Verdict::Unknown(reason) => write!(f, "UNKNOWN ({reason})"),
        }
    }
}

/// Why all checks hold.
#[derive(Clone, Debug)]
pub struct Proof {
    /// The analysis that found it.
    pub analysis: &'static str,
    /// What can be checked again without that analysis.
    pub certificate: Certificate,
}

/// How a check is violated.
#[derive(Clone, Debug)]
pub struct Violation {
    /// The check.
    pub check: CheckId,
    /// The analysis that found it.
    pub analysis: &'static str,
    /// The inputs that lead there, in the order in which the program asks for them.
    pub inputs: Vec<TakenInput>,
    /// The edges executed with these inputs, from the entry to the error location.
    pub trace: Vec<Step>,
}

/// One value that the program took from outside.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TakenInput {
    /// The edge that asked for it; `None` for a parameter of the entry.
    pub edge: Option<EdgeId>,
    /// Its type; `None` for a byte of memory that was never written.
    pub ty: Option<TypeId>,
    /// Its bit pattern, zero-extended.
    pub bits: u128,
    /// Why the program does not determine it.
    pub origin: InputOrigin,
}

impl TakenInput {
    /// The value as a C constant.
    pub fn show(&self, program: &Program) -> String {
        show_bits(program, self.ty, self.bits)
    }
}

/// A scalar as a C constant; a byte if it has no type.
pub fn show_bits(program: &Program, ty: Option<TypeId>, bits: u128) -> String {
    let Some(ty) = ty else {
        return bits.to_string();
    };
    match (program.types.int_type(ty), &program.types[ty]) {
        (Some(int), _) if int.signed => int.to_i128(bits).to_string(),
        (Some(int), _) => int.wrap(bits).to_string(),
        (None, Type::Float(FloatKind::Float)) => format!("{:?}", f32::from_bits(bits as u32)),
        (None, Type::Float(_)) => format!("{:?}", f64::from_bits(bits as u64)),
        (None, _) => format!("{bits:#x}"),
    }
}

/// One executed edge.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Step {
    /// The edge.
    pub edge: EdgeId,
    /// The thread that took it; 0 in a program with one thread.
    pub thread: u32,
    /// How many calls are open.
    pub depth: u32,
    /// What an assignment, input or return stored, as shown to the user.
    pub value: Option<String>,
}

/// Why there is no answer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum UnknownReason {
    /// A limit was hit, or someone stopped the run.
    Stopped(StopReason),
    /// A construct that we do not model can be reached.
    Unsupported {
        /// Short stable kind: `inline-asm`.
        kind: String,
        /// For the user.
        message: String,
        /// Where.
        span: Span,
    },
    /// A function without a body can be called, and the user asked not to guess what it does.
    Undefined {
        /// Its name.
        function: String,
        /// The call.
        span: Span,
    },
    /// The solver gave up.
    Solver(String),
    /// A violation was found that the interpreter did not confirm.
    Unconfirmed {
        /// The check.
        check: CheckId,
        /// How the run ended instead.
        why: String,
    },
    /// Refinement met the same counterexample again and has nothing to add.
    NoProgress,
    /// Every analysis ended without an answer.
    Inconclusive,
    /// The program could not be read; the diagnostics say why.
    Invalid,
    /// There is no entry function.
    NothingToVerify,
    /// Evidence did not hold, or something else that must not happen: a bug in tour.
    Internal(String),
}

impl UnknownReason {
    /// Short stable kind, for scripts.
    pub fn kind(&self) -> &'static str {
        match self {
            UnknownReason::Stopped(StopReason::Timeout) => "timeout",
            UnknownReason::Stopped(StopReason::Memory) => "memory",
            UnknownReason::Stopped(StopReason::Cancelled) => "cancelled",
            UnknownReason::Unsupported { .. } => "unsupported",
            UnknownReason::Undefined { .. } => "undefined-function",
            UnknownReason::Solver(_) => "solver",
            UnknownReason::Unconfirmed { .. } => "unconfirmed",
            UnknownReason::NoProgress => "no-progress",
            UnknownReason::Inconclusive => "inconclusive",
            UnknownReason::Invalid => "invalid-program",
            UnknownReason::NothingToVerify => "nothing-to-verify",
            UnknownReason::Internal(_) => "internal-error",
        }
    }

    /// The place that it is about.
    pub fn span(&self) -> Option<Span> {
        match self {
            UnknownReason::Unsupported { span, .. } | UnknownReason::Undefined { span, .. } => Some(*span),
            UnknownReason::Stopped(_)
            | UnknownReason::Solver(_)
            | UnknownReason::Unconfirmed { .. }
            | UnknownReason::NoProgress
            | UnknownReason::Inconclusive
            | UnknownReason::Invalid
            | UnknownReason::NothingToVerify
            | UnknownReason::Internal(_) => None,
        }
    }
}

/// In one line.
impl fmt::Display for UnknownReason {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            UnknownReason::Stopped(reason) => reason.fmt(f),
            UnknownReason::Unsupported { kind, .. } => write!(f, "unsupported: {kind}"),
            UnknownReason::Undefined { function, .. } => write!(f, "undefined function: {function}"),
            UnknownReason::Solver(why) => write!(f, "solver: {}", one_line(why)),
            UnknownReason::Unconfirmed { why, .. } => write!(f, "unconfirmed violation: {}", one_line(why)),
            UnknownReason::NoProgress => f.write_str("refinement without progress"),
            UnknownReason::Inconclusive => f.write_str("no analysis could decide"),
            UnknownReason::Invalid => f.write_str("invalid program"),
            UnknownReason::NothingToVerify => f.write_str("nothing to verify"),
            UnknownReason::Internal(why) => write!(f, "internal error: {}", one_line(why)),
        }
    }
}

/// The verdict stands on one line, whatever a solver says.
fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use tour_ir::program::{DataModel, IntKind};

    #[test]
    fn a_verdict_is_one_line() {
        let show = |reason| Verdict::Unknown(reason).to_string();
        assert_eq!(show(UnknownReason::Stopped(StopReason::Timeout)), "UNKNOWN (timeout)");
        assert_eq!(show(UnknownReason::Solver("gave\n up".into())), "UNKNOWN (solver: gave up)");
    }

    #[test]
    fn inputs_are_shown_as_values_of_their_type() {
        let mut program = Program::new(DataModel::Lp64);
        let mut show = |ty: Type, bits| {
            let ty = program.types.intern(ty);
            show_bits(&program, Some(ty), bits)
        };
        assert_eq!(show(Type::Int(IntKind::Int), 0xffff_ffff), "-1");
        assert_eq!(show(Type::Int(IntKind::UChar), 0xff), "255");
        assert_eq!(show(Type::Float(FloatKind::Float), 1.5f32.to_bits().into()), "1.5");
        assert_eq!(show(Type::Float(FloatKind::Double), (-0.25f64).to_bits().into()), "-0.25");
    }
}
