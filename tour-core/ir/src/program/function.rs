//! Functions.

use super::{FnSig, TypeId, Types, VarId};
use crate::cfa::LocId;
use crate::source::Span;

/// Who can call it by name.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[expect(missing_docs)]
pub enum Linkage {
    External,
    Internal,
}

/// A function, with or without a body.
#[derive(Clone, Debug)]
pub struct Function {
    /// Its name.
    pub name: String,
    /// Its type, a [`super::Type::Function`].
    pub ty: TypeId,
    /// Who can call it.
    pub linkage: Linkage,
    /// Its parameters; empty if it has no body.
    pub params: Vec<VarId>,
    /// The variable that holds what it returns; `None` for `void` and without a body.
    pub ret: Option<VarId>,
    /// Its other variables: locals and temporaries.
    pub locals: Vec<VarId>,
    /// Its automaton.
    pub body: Option<Body>,
    /// A function whose meaning we know although it has no body here.
    pub builtin: Option<Builtin>,
    /// It is declared never to return (`_Noreturn`, `__attribute__((noreturn))`).
    pub noreturn: bool,
    /// Where it is defined, or first declared.
    pub span: Span,
}

impl Function {
    /// A function that anyone can call and that has no body yet.
    pub fn new(name: impl Into<String>, ty: TypeId, span: Span) -> Function {
        Function {
            name: name.into(),
            ty,
            linkage: Linkage::External,
            params: Vec::new(),
            ret: None,
            locals: Vec::new(),
            body: None,
            builtin: None,
            noreturn: false,
            span,
        }
    }

    /// Its type.
    pub fn sig<'a>(&self, types: &'a Types) -> &'a FnSig {
        match &types[self.ty] {
            super::Type::Function(sig) => sig,
            other => unreachable!("function {} has type {other:?}", self.name),
        }
    }
}

/// The automaton of a function.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Body {
    /// Where it begins. No edge leads there.
    pub entry: LocId,
    /// Where all returns lead to. No edge leaves it.
    pub exit: LocId,
}

/// Library functions that the front end leaves as calls, for the interpreter and the engine to give a meaning to.
/// What a layer can't give a meaning to is unsupported there: it never is a no-op by default.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[expect(missing_docs)]
pub enum Builtin {
    Malloc,
    /// An object that someone outside of the program made, of this number of bytes: see `sema::outside`.
    Outside,
    Calloc,
    Realloc,
    Free,
    Alloca,
    Memcpy,
    Memmove,
    Memset,
    Memcmp,
    Strlen,
    Strcmp,
    Strncmp,
    Strcpy,
    Strncpy,
    Strcat,
    Strchr,
    /// Output: `printf`, `puts`, `putchar`.
    Printf,
    Puts,
    Putchar,
    /// A thread begins to run a function with an argument; gives its handle. Arguments: the function, its argument.
    ThreadCreate,
    /// Waits for the end of a thread; gives what it returned. Argument: the handle.
    ThreadJoin,
    /// Ends the thread that calls it. Argument: what it returns.
    ThreadExit,
    /// The number of the thread that calls it: 1 for the first.
    ThreadSelf,
    /// Until [`Builtin::AtomicEnd`], no other thread takes a step. Sections nest.
    AtomicBegin,
    AtomicEnd,
    /// The thread with this number begins, if it is the next one of its function; only after `threads::unfold`.
    ThreadStart,
    /// Goes on only when the thread with this number has ended; only after `threads::unfold`.
    ThreadFinished,
    /// The thread waits for something that others have to do, and can't go on; only before `threads::unfold`.
    Blocked,
}

impl Builtin {
    /// It concerns which thread runs, and has no other effect.
    pub fn is_control(self) -> bool {
        matches!(
            self,
            Builtin::ThreadStart | Builtin::ThreadFinished | Builtin::AtomicBegin | Builtin::AtomicEnd
        )
    }

    /// It changes nothing in the program: it reads, and perhaps prints.
    pub fn only_reads(self) -> bool {
        matches!(
            self,
            Builtin::Printf
                | Builtin::Puts
                | Builtin::Putchar
                | Builtin::Strlen
                | Builtin::Strcmp
                | Builtin::Strncmp
                | Builtin::Strchr
                | Builtin::Memcmp
        )
    }

    /// The builtin called `name`, with or without `__builtin_`.
    pub fn from_name(name: &str) -> Option<Builtin> {
        Some(match name.strip_prefix("__builtin_").unwrap_or(name) {
            "malloc" => Builtin::Malloc,
            "calloc" => Builtin::Calloc,
            "realloc" => Builtin::Realloc,
            "free" => Builtin::Free,
            "alloca" => Builtin::Alloca,
            "memcpy" => Builtin::Memcpy,
            "memmove" => Builtin::Memmove,
            "memset" => Builtin::Memset,
            "memcmp" => Builtin::Memcmp,
            "strlen" => Builtin::Strlen,
            "strcmp" => Builtin::Strcmp,
            "strncmp" => Builtin::Strncmp,
            "strcpy" => Builtin::Strcpy,
            "strncpy" => Builtin::Strncpy,
            "strcat" => Builtin::Strcat,
            "strchr" => Builtin::Strchr,
            "printf" => Builtin::Printf,
            "puts" => Builtin::Puts,
            "putchar" => Builtin::Putchar,
            "__tour_object" => Builtin::Outside,
            "__tour_thread_create" => Builtin::ThreadCreate,
            "__tour_thread_join" => Builtin::ThreadJoin,
            "__tour_thread_exit" => Builtin::ThreadExit,
            "__tour_thread_self" => Builtin::ThreadSelf,
            "__tour_atomic_begin" => Builtin::AtomicBegin,
            "__tour_atomic_end" => Builtin::AtomicEnd,
            "__tour_thread_start" => Builtin::ThreadStart,
            "__tour_thread_finished" => Builtin::ThreadFinished,
            "__tour_blocked" => Builtin::Blocked,
            _ => return None,
        })
    }
}
