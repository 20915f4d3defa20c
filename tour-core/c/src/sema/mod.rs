//! Semantic analysis: from syntax trees to the typed program and its automata, C's rules made explicit.
//!
//! | file | what |
//! |---|---|
//! | `scope` | names, tags, labels and their scopes |
//! | `types`, `declarator` | specifiers and declarators to types |
//! | `attributes` | attributes that change the meaning of a declaration |
//! | `records` | structs, unions, enumerations |
//! | `literal` | numbers, characters, strings |
//! | `fold`, `constant` | constants: folding of typed expressions, evaluation of constant expressions |
//! | `init`, `static_init` | initialisers; initial values of static storage |
//! | `link`, `linkage`, `symbols` | one program from many units; names of symbols; merging of declarations, conflicts |
//! | `promises` | what attributes of functions promise |
//! | `startup` | what runs before and after the entry |
//! | `stub` | what the user says that functions without a body do |
//! | `close` | the entry, functions without a body, what runs before the entry |
//! | `library` | functions of the C library that have no body here: a table, and everything else is not modelled |
//! | `graph`, `flow` | the automaton of the function under construction: edges, temporaries, sequencing |
//! | `blocks`, `repeated` | where the lives of local variables end; declarations that jumps repeat |
//! | `convert` | promotions, usual arithmetic conversions, assignments' conversions |
//! | `expr`, `place`, `assign`, `logic`, `discard` | expressions to edges and side-effect-free values |
//! | `order`, `effects` | operands that C does not order, and what they read and write |
//! | `once` | one evaluation is one load |
//! | `evaluate` | arguments are evaluated, whatever becomes of the call |
//! | `unevaluated` | operands of `sizeof`, `_Alignof`, `typeof` and `_Generic` |
//! | `call`, `verifier`, `builtin`, `bits`, `thread` | calls, and functions that have a meaning of their own |
//! | `object_size` | what `__builtin_object_size` answers |
//! | `varargs` | variable arguments: lists of them, and the calls that pass them |
//! | `stmt`, `switch`, `decl` | statements and local declarations to edges |
//! | `assembly` | inline assembly, as far as its operands tell what it does |

mod allocation;
mod assembly;
mod assign;
mod attributes;
mod bits;
mod blocks;
mod builtin;
mod call;
mod close;
mod comparator;
mod constant;
mod convert;
mod decl;
mod declarator;
mod discard;
mod effects;
mod evaluate;
mod expr;
mod flow;
mod fold;
mod format;
mod graph;
mod init;
mod labels;
mod library;
pub use library::is_own;
mod link;
mod linkage;
mod literal;
mod logic;
mod object_size;
mod once;
mod operator;
mod order;
mod outside;
mod own;
mod place;
mod plain;
mod pointed;
mod promises;
mod records;
mod repeated;
mod scope;
mod stack;
mod startup;
mod static_init;
mod stmt;
mod streams;
mod stub;
mod switch;
mod symbols;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;
mod thread;
mod types;
mod unevaluated;
mod varargs;
mod verifier;

pub use attributes::Attrs;
pub use call::settle_calls;
pub use close::UndefinedPolicy;
pub use constant::ConstVal;
pub use declarator::{Declared, ParamDecl};
pub use flow::Current;
pub use fold::{Base, Const, fold};
pub use init::{InitStep, InitValue, Path, Step};
pub use link::{LowerOptions, lower, lower_with};
pub use literal::{StringValue, decode_char, decode_float, decode_integer, decode_string};
pub use scope::{Entity, Scopes, Tag};
pub use stub::{Returns, Stub};
pub use symbols::{Definitions, Symbols};
pub use types::{DeclSpecs, StorageClass};

use crate::front::{ParsedUnit, PieceId};
use rustc_hash::FxHashMap;
use tour_ir::program::{ExprId, FnId, Program, TypeId, Unsupported, VarId};
use tour_ir::source::{Diagnostic, Span};

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

/// The function is one of the library's units.
fn is_ours(program: &Program, function: FnId) -> bool {
    is_ours_at(program, program.functions[function].span)
}

fn is_ours_at(program: &Program, at: Span) -> bool {
    tour_ir::source::is_library(&program.sources.unit(at.unit).path)
}

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

/// A string literal: its type, bytes and place. Whether two at different places are one object is not specified.
pub type LiteralKey = (TypeId, Box<[u8]>, Option<Span>);

/// What all units of a program share while it is lowered.
#[derive(Debug, Default)]
pub struct Shared {
    /// What the user is told.
    pub diagnostics: Vec<Diagnostic>,
    /// The functions that some unit defines.
    pub defined: Definitions,
    /// String literals that were met.
    pub literals: FxHashMap<LiteralKey, VarId>,
    /// Names with linkage.
    pub symbols: Symbols,
    linkage: linkage::Linkage,
    /// What could not be lowered at file scope: it makes the verdict unknown from the start.
    pub at_start: Vec<(Unsupported, Span)>,
    /// It was said what `volatile` is taken for.
    volatile_noted: bool,
    facts: flow::Facts,
    /// What functions read and write.
    summaries: effects::Summaries,
    varargs: varargs::VarArgs,
}

/// Lowers one unit into the program.
pub struct Sema<'a> {
    /// The program under construction.
    pub program: &'a mut Program,
    /// What all units share.
    pub shared: &'a mut Shared,
    /// The unit that is lowered.
    pub unit: &'a ParsedUnit,
    /// The piece that the current nodes belong to: their spans are relative to it.
    pub piece: PieceId,
    /// Names in scope.
    pub scopes: Scopes,
    /// Set while a function's body is lowered. Without it, only expressions that need no edges can be lowered.
    pub current: Option<Current>,
}

impl<'a> Sema<'a> {
    /// Ready to lower a unit, with nothing in scope.
    pub fn new(program: &'a mut Program, shared: &'a mut Shared, unit: &'a ParsedUnit) -> Sema<'a> {
        let piece = PieceId::new(0);
        Sema { program, shared, unit, piece, scopes: Scopes::default(), current: None }
    }

    /// The span of a node of the current piece.
    pub fn span(&self, span: lang_c::span::Span) -> Span {
        self.unit.span(self.piece, span)
    }

    /// The type of a lowered expression.
    pub fn ty(&self, expr: ExprId) -> TypeId {
        self.program.exprs[expr].ty
    }
}
