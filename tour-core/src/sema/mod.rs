//! Semantic analysis: from syntax trees to the typed program and its automata, C's rules made explicit.
//!
//! | file | what |
//! |---|---|
//! | `scope` | names, tags, labels and their scopes |
//! | `types` | specifiers and declarators to types; records, enumerations, attributes |
//! | `fold` | constant folding of typed expressions |
//! | `init` | initialisers |
//! | `link` | one program from many units; symbols, conflicts, functions without a body |
//! | `convert` | promotions, usual arithmetic conversions, assignments' conversions |
//! | `expr`, `place`, `call`, `builtin` | expressions to edges and side-effect-free values |
//! | `stmt`, `switch` | statements to edges |

mod scope;

pub use scope::{Entity, Scopes, Tag};

use crate::cfa::LocId;
use crate::front::{ParsedUnit, PieceId};
use crate::program::{FnId, Program, Unsupported};
use crate::source::{Diagnostic, Span};

/// Why a piece of the program could not be lowered.
#[derive(Debug)]
pub enum Fail {
    /// The program is wrong: the user is told.
    Error(Diagnostic),
    /// The program may be fine but we do not model this: the statement becomes an unsupported edge.
    Unsupported(Unsupported, Span),
}

/// The result of lowering something.
pub type Lower<T> = Result<T, Box<Fail>>;

impl Fail {
    /// An unsupported construct.
    pub fn unsupported<T>(kind: &'static str, message: impl Into<String>, span: Span) -> Lower<T> {
        Err(Box::new(Fail::Unsupported(Unsupported { kind, message: message.into() }, span)))
    }

    /// A located error.
    pub fn error<T>(message: impl Into<String>, span: Span, label: impl Into<String>) -> Lower<T> {
        Err(Box::new(Fail::Error(Diagnostic::error("tour::semantics", message).label(span, label))))
    }
}

/// Lowers one unit into the program.
pub struct Sema<'a> {
    /// The program under construction.
    pub program: &'a mut Program,
    /// The unit that is lowered.
    pub unit: &'a ParsedUnit,
    /// The piece that the current nodes belong to: their spans are relative to it.
    pub piece: PieceId,
    /// Names in scope.
    pub scopes: Scopes,
    /// Set while a function's body is lowered.
    pub current: Option<Current>,
}

/// The function whose body is lowered.
pub struct Current {
    /// The function.
    pub function: FnId,
    /// Where the next edge starts; `None` after a jump (what follows is unreachable until a label).
    pub at: Option<LocId>,
    /// How many temporaries it has.
    pub temps: u32,
}

impl Sema<'_> {
    /// The span of a node of the current piece.
    pub fn span(&self, span: lang_c::span::Span) -> Span {
        self.unit.span(self.piece, span)
    }
}
