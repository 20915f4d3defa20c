//! How a run can end, and what bounds it.

use tour_ir::cfa::EdgeId;
use tour_ir::program::CheckId;

/// What a run may do and how undefined behaviour is taken.
#[derive(Clone, Debug)]
pub struct Options {
    /// Edges to take at most.
    pub max_steps: u64,
    /// Calls inside each other at most.
    pub max_depth: u32,
    /// Bytes alive at once at most.
    pub max_memory: u64,
    /// Signed overflow.
    pub overflow: Overflow,
    /// Reading what was never written.
    pub uninitialised: Uninitialised,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            max_steps: 10_000_000,
            max_depth: 10_000,
            max_memory: 256 << 20,
            overflow: Overflow::Wrap,
            uninitialised: Uninitialised::Ask,
        }
    }
}

/// What signed overflow does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Overflow {
    /// It wraps around, as with `-fwrapv`.
    Wrap,
    /// It ends the run as undefined.
    Report,
}

/// What reading an indeterminate value does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Uninitialised {
    /// The value is an input: asked for when a scalar variable is declared, and at the first read elsewhere. It stays
    /// what it is until it is written.
    Ask,
    /// It ends the run as undefined.
    Report,
}

/// How a run ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// A check is violated: its error location was reached.
    Error(CheckId),
    /// The entry function returned; what it returned, as a number (0 for `void`).
    Exited(i128),
    /// The program was ended by `exit`, `abort` or the like.
    Ended,
    /// An assumption does not hold: no edge goes on. The edge is the last one tried.
    AssumeFailed(EdgeId),
    /// Undefined behaviour.
    Undefined {
        /// What.
        kind: Undefined,
        /// Where; `None` while variables with static storage were initialised.
        edge: Option<EdgeId>,
    },
    /// Something that the interpreter does not model.
    Unsupported {
        /// What, in one line.
        what: String,
        /// Where.
        edge: Option<EdgeId>,
    },
    /// The inputs gave no value.
    OutOfInputs {
        /// Where one was asked for.
        edge: Option<EdgeId>,
    },
    /// A bound was reached.
    Limit(Limit),
}

/// The bounds of a run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Limit {
    /// [`Options::max_steps`]
    Steps,
    /// [`Options::max_depth`]
    Depth,
    /// [`Options::max_memory`], or the address space.
    Memory,
}

/// The kinds of undefined behaviour that are noticed.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum Undefined {
    /// Access through a null pointer.
    NullPointer,
    /// Access through an address where no object is.
    WildPointer,
    /// Access to an object after its life.
    DanglingPointer,
    /// Access outside the object that the pointer belongs to.
    OutOfBounds,
    /// Write to a `const` object or a string literal.
    ReadOnly,
    /// Comparing the order of, or subtracting, pointers to different objects.
    UnrelatedPointers,
    /// `/ 0` or `% 0`
    DivisionByZero,
    /// The result of a signed operation does not fit its type.
    SignedOverflow,
    /// A shift by a negative count, or by the width of the type or more.
    Shift,
    /// A float too large for the integer type that it is converted to.
    FloatToInt,
    /// A read of a `_Bool` that is neither 0 nor 1.
    InvalidBool,
    /// A read of what was never written.
    UninitialisedRead,
    /// `free` or `realloc` of something that `malloc` did not give, or that was freed before.
    InvalidFree,
    /// Overlapping `memcpy`.
    Overlap,
    /// A call through a pointer that is no function.
    NotAFunction,
    /// A call with arguments that do not fit the function.
    WrongArguments,
    /// `printf` with a missing or mismatched argument.
    Format,
}

impl Undefined {
    /// In words.
    pub fn describe(self) -> &'static str {
        match self {
            Undefined::NullPointer => "access through a null pointer",
            Undefined::WildPointer => "access through a pointer to no object",
            Undefined::DanglingPointer => "access to an object after its life",
            Undefined::OutOfBounds => "access outside an object",
            Undefined::ReadOnly => "write to a constant object",
            Undefined::UnrelatedPointers => "order or difference of pointers to different objects",
            Undefined::DivisionByZero => "division by zero",
            Undefined::SignedOverflow => "signed overflow",
            Undefined::Shift => "shift by a negative or too large count",
            Undefined::FloatToInt => "conversion of a float that does not fit the integer type",
            Undefined::InvalidBool => "read of a `_Bool` that is neither 0 nor 1",
            Undefined::UninitialisedRead => "read of an indeterminate value",
            Undefined::InvalidFree => "free of something that was not allocated",
            Undefined::Overlap => "memcpy between overlapping objects",
            Undefined::NotAFunction => "call through a pointer to no function",
            Undefined::WrongArguments => "call with arguments that do not fit the function",
            Undefined::Format => "output format that does not fit its arguments",
        }
    }
}

/// A finished run.
#[derive(Clone, Debug)]
pub struct Run {
    /// How it ended.
    pub outcome: Outcome,
    /// The last edge that was taken or tried.
    pub last: Option<EdgeId>,
    /// How many edges were taken.
    pub steps: u64,
    /// What the program printed.
    pub output: Vec<u8>,
}

/// Why the machine stops in the middle of an edge.
#[derive(Debug)]
pub(super) enum Halt {
    Undefined(Undefined),
    Unsupported(String),
    OutOfInputs,
    Limit(Limit),
}

/// The result of a part of a step. The error is boxed: it happens once a run, and results are on the hot path.
pub(super) type Step<T> = Result<T, Box<Halt>>;

pub(super) fn undefined<T>(kind: Undefined) -> Step<T> {
    Err(Box::new(Halt::Undefined(kind)))
}

pub(super) fn unsupported<T>(what: impl Into<String>) -> Step<T> {
    Err(Box::new(Halt::Unsupported(what.into())))
}

pub(super) fn limit<T>(what: Limit) -> Step<T> {
    Err(Box::new(Halt::Limit(what)))
}
