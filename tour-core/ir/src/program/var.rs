//! Variables.

use super::{ExprId, FnId, PlaceId, QualType, Types};
use crate::source::Span;

/// How long a variable lives and who sees it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Storage {
    /// File scope, external linkage. `defined` is false for an `extern` that no unit defines.
    Global {
        /// Some unit defines it.
        defined: bool,
    },
    /// File scope, internal linkage.
    Static,
    /// `static` inside a function.
    StaticLocal(FnId),
    /// A string or compound literal with static storage.
    Literal,
    /// A parameter.
    Param(FnId),
    /// A local variable.
    Local(FnId),
    /// A temporary made by the front end: assigned before it is read, its address never taken.
    Temp(FnId),
    /// What a function returns.
    Return(FnId),
}

/// A variable.
#[derive(Clone, Debug)]
pub struct Var {
    /// Its name in the source; temporaries have names that C has not.
    pub name: String,
    /// Its type.
    pub ty: QualType,
    /// How long it lives.
    pub storage: Storage,
    /// `_Thread_local`
    pub thread_local: bool,
    /// Its address is taken somewhere, or it is an array or record that is accessed through a pointer. If false,
    /// only [`super::PlaceKind::Var`] places (and fields and elements of them) reach it.
    pub address_taken: bool,
    /// Alignment asked for by `_Alignas` or an attribute.
    pub align: Option<u64>,
    /// Initial value, for static storage; `None` is all zero.
    pub init: Option<Init>,
    /// Where it is declared.
    pub span: Span,
}

impl Var {
    /// A variable of which nothing more is known: its address is not taken, its initial value is zero.
    pub fn new(name: impl Into<String>, ty: impl Into<QualType>, storage: Storage, span: Span) -> Var {
        Var {
            name: name.into(),
            ty: ty.into(),
            storage,
            thread_local: false,
            address_taken: false,
            align: None,
            init: None,
            span,
        }
    }

    /// Lives as long as the program.
    pub fn is_static(&self) -> bool {
        match self.storage {
            Storage::Global { .. } | Storage::Static | Storage::StaticLocal(_) | Storage::Literal => true,
            Storage::Param(_) | Storage::Local(_) | Storage::Temp(_) | Storage::Return(_) => false,
        }
    }

    /// It is a string literal. Compound literals are variables.
    pub fn is_text(&self) -> bool {
        self.storage == Storage::Literal && self.name.starts_with('"')
    }

    /// Nothing may write to it: it is a string literal, or static and `const`. Of an array, the elements are.
    pub fn is_constant(&self, types: &Types) -> bool {
        let mut ty = self.ty;
        while let Some((of, _)) = types.element(ty.ty).filter(|_| !ty.quals.constant) {
            ty = of;
        }
        self.is_text() || self.is_static() && ty.quals.constant
    }

    /// The function whose frame holds it.
    pub fn function(&self) -> Option<FnId> {
        match self.storage {
            Storage::Param(f) | Storage::Local(f) | Storage::Temp(f) | Storage::Return(f) => Some(f),
            Storage::Global { .. } | Storage::Static | Storage::StaticLocal(_) | Storage::Literal => None,
        }
    }
}

/// The initial value of a variable with static storage: all bytes zero, then these stores in order.
#[derive(Clone, Debug, Default)]
pub struct Init {
    /// The stores.
    pub items: Vec<InitItem>,
}

/// One store of an initialiser.
#[derive(Clone, Debug)]
pub enum InitItem {
    /// A constant expression (a number, an address plus an offset).
    Value {
        /// Where to.
        place: PlaceId,
        /// What.
        value: ExprId,
    },
    /// Bytes at the start of an array of characters.
    Bytes {
        /// Where to.
        place: PlaceId,
        /// What.
        bytes: Box<[u8]>,
    },
}
