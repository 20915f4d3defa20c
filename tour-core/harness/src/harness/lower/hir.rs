//! A harness after its names and types were found out: small, typed, and without syntax.

use super::ty::Ty;
use tour_ir::program::BinOp;
use tour_ir::source::Span;

/// A function's body.
#[derive(Clone, Debug)]
pub(crate) struct Body {
    pub(crate) name: String,
    /// The first are the parameters.
    pub(crate) locals: Vec<Local>,
    pub(crate) params: usize,
    pub(crate) ret: Ty,
    pub(crate) value: Expr,
    pub(crate) span: Span,
}

/// A variable.
#[derive(Clone, Debug)]
pub(crate) struct Local {
    pub(crate) name: String,
    pub(crate) ty: Ty,
    pub(crate) span: Span,
}

/// By index into [`Body::locals`].
pub(crate) type LocalId = usize;

/// A loop, or a block with a label, by number in its function.
pub(crate) type LoopId = usize;

/// An expression.
#[derive(Clone, Debug)]
pub(crate) struct Expr {
    pub(crate) kind: Kind,
    pub(crate) ty: Ty,
    pub(crate) span: Span,
}

/// The kinds of expressions.
#[derive(Clone, Debug)]
pub(crate) enum Kind {
    /// A number, or a pointer as a number.
    Int(u128),
    Bool(bool),
    Unit,
    Local(LocalId),
    /// A variable of the C program.
    Global(String),
    /// The address of bytes that never change.
    Bytes(Vec<u8>),
    Neg(Box<Expr>),
    Not(Box<Expr>),
    Deref(Box<Expr>),
    /// An operator on integers, or a bitwise one on booleans.
    Binary(BinOp, Box<Expr>, Box<Expr>),
    Compare(BinOp, Box<Expr>, Box<Expr>),
    And(Box<Expr>, Box<Expr>),
    Or(Box<Expr>, Box<Expr>),
    Assign(Box<Expr>, Box<Expr>),
    AssignOp(BinOp, Box<Expr>, Box<Expr>),
    /// `as`
    Cast(Box<Expr>),
    /// To the type of another pointer or reference; an array's reference to a slice's gets a length.
    Coerce(Box<Expr>),
    /// A field of a struct or tuple, by its index.
    Field(Box<Expr>, usize),
    /// An element of an array, or of what a slice's reference refers to.
    Index(Box<Expr>, Box<Expr>),
    /// `&base[low..high]`
    Slice {
        base: Box<Expr>,
        low: Option<Box<Expr>>,
        high: Option<Box<Expr>>,
        inclusive: bool,
    },
    AddrOf(Box<Expr>),
    /// The address of the first element of an array, or of what a slice refers to.
    AsPtr(Box<Expr>),
    Len(Box<Expr>),
    Array(Vec<Expr>),
    Repeat(Box<Expr>, u64),
    /// A struct or tuple: fields by index, in the order in which they are computed, and where others come from.
    Record(Vec<(usize, Expr)>, Option<Box<Expr>>),
    Some(Box<Expr>),
    None,
    /// All bytes zero.
    Zeroed,
    /// Not initialised.
    Undefined,
    /// What `MaybeUninit` holds.
    Init(Box<Expr>),
    /// `pointer + offset` elements, or `-`.
    Offset(Box<Expr>, Box<Expr>, bool),
    SizeOf(Ty),
    Method(Method, Box<Expr>, Vec<Expr>),
    Any(String),
    Block(Vec<Stmt>, Option<Box<Expr>>),
    /// A block with a label.
    Labelled(LoopId, Box<Expr>),
    If(Cond, Box<Expr>, Option<Box<Expr>>),
    Match(Box<Expr>, Vec<Arm>),
    Loop(LoopId, Box<Expr>),
    While(LoopId, Cond, Box<Expr>),
    For(Box<For>),
    Break(LoopId, Option<Box<Expr>>),
    Continue(LoopId),
    Return(Option<Box<Expr>>),
    Call(Callee, Vec<Expr>),
    Assume(Box<Expr>),
    /// A claim of the user's; with its text.
    Assert(Box<Expr>, String),
    /// `assert_eq!` or, with `false`, `assert_ne!`.
    AssertEq(Box<Expr>, Box<Expr>, bool, String),
    Panic(String),
}

/// `for x in low..high`
#[derive(Clone, Debug)]
pub(crate) struct For {
    pub(crate) id: LoopId,
    pub(crate) local: Option<LocalId>,
    /// The body may change the variable.
    pub(crate) mutable: bool,
    pub(crate) low: Expr,
    pub(crate) high: Expr,
    pub(crate) inclusive: bool,
    pub(crate) reversed: bool,
    pub(crate) body: Expr,
}

/// A statement.
#[derive(Clone, Debug)]
pub(crate) enum Stmt {
    Let(LocalId, Option<Expr>),
    /// `let (a, b) = …`
    LetTuple(Vec<Option<LocalId>>, Expr),
    Expr(Expr),
}

/// A condition, which may bind.
#[derive(Clone, Debug)]
pub(crate) enum Cond {
    Expr(Box<Expr>),
    Let(Pattern, Box<Expr>),
    And(Box<Cond>, Box<Cond>),
}

/// An arm of a `match`.
#[derive(Clone, Debug)]
pub(crate) struct Arm {
    pub(crate) pattern: Pattern,
    pub(crate) guard: Option<Expr>,
    pub(crate) body: Expr,
}

/// A pattern.
#[derive(Clone, Debug)]
pub(crate) enum Pattern {
    Wild,
    Bind(LocalId),
    /// Between two numbers, both included.
    Range(Option<i128>, Option<i128>),
    /// A number above `i128::MAX`.
    Large(u128),
    Bool(bool),
    Some(Box<Pattern>),
    None,
    Tuple(Vec<Pattern>),
    Or(Vec<Pattern>),
}

/// Who is called.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Callee {
    /// A function of the C program, by its symbol.
    C(String),
    /// A function marked `#[spec]`, by number.
    Spec(usize),
}

/// Methods that are computed here.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Method {
    Wrapping(BinOp),
    WrappingNeg,
    WrappingAbs,
    Checked(BinOp),
    CheckedNeg,
    Overflowing(BinOp),
    Saturating(BinOp),
    Abs,
    AbsDiff,
    UnsignedAbs,
    Min,
    Max,
    Clamp,
    Rotate(bool),
    IsPowerOfTwo,
    IsPositive,
    IsNegative,
    Unwrap,
    UnwrapOr,
    IsSome,
    IsNone,
}
