//! Expressions without side effects, and lvalues.

use super::{ExprId, FnId, PlaceId, TypeId, VarId};
use crate::source::Span;

/// No expression is deeper: the front end splits deeper ones over temporaries.
pub const MAX_EXPR_DEPTH: usize = 100;

/// An expression node.
#[derive(Clone, Debug)]
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// Its type.
    pub ty: TypeId,
    /// Where it stands.
    pub span: Span,
}

/// The kinds of expressions.
#[derive(Clone, Debug, PartialEq)]
pub enum ExprKind {
    /// An integer, enumeration, `_Bool` or pointer constant: its bit pattern, zero-extended.
    Int(u128),
    /// A `float` or `double` constant (exact in the expression's type); `long double` constants are rounded to
    /// double and only used where their type is unsupported anyway.
    Float(f64),
    /// The value stored in a place. Of record type only as the whole right side of an assignment, a call's argument
    /// or a returned value; of array type only as the whole right side of an assignment by an initialiser.
    Load(PlaceId),
    /// A record or array of all zero bytes; only as the whole right side of an assignment.
    Zeroed,
    /// The address of a place (`&x`, and arrays decayed to a pointer to their first element).
    AddrOf(PlaceId),
    /// The address of a function.
    FnAddr(FnId),
    /// `-a`, `~a`
    Unary(UnOp, ExprId),
    /// `a op b`
    Binary(BinOp, ExprId, ExprId),
    /// Conversion to this expression's type: between integers, floats, pointers, `_Bool`.
    Cast(ExprId),
    /// Something about the object that a pointer belongs to. Only conditions of checks have it: C has no such
    /// expression.
    Fact(PointerFact, ExprId),
}

/// What can be asked of a pointer.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum PointerFact {
    /// How many bytes behind the start of its object it points, a `ptrdiff_t`. Meaningful only where the object is
    /// alive.
    Offset,
    /// The size of its object in bytes, a `size_t`. An object keeps its size after its life; a null pointer, and one
    /// that belongs to no object, have size 0.
    Size,
    /// What the address of its object is a multiple of, at least: a `size_t`. Meaningful only where the object is alive.
    Align,
    /// 1 if its object is alive, an `int`: 0 after `free`, out of scope, for null, and for a pointer that belongs to
    /// no object.
    Alive,
    /// 1 if its object is or was a block of `malloc` or its kin, an `int`. It stays 1 after `free`.
    Heap,
    /// 1 if its object must not be written, an `int`: a string literal, or a static variable that is `const`.
    Constant,
    /// This is asked of a comparison, which is not executed: 1 if both of its pointers belong to one object, or both to
    /// none, an `int`.
    SameObject,
    /// This is asked of a load, which is not executed, and not of a pointer: 1 if all of what it reads was written, an
    /// `int`.
    Written,
    /// 1 if any block of `malloc` or its kin is alive, an `int`, whatever the pointer is. To formulas it can also be 0
    /// then: they look at one object, which can be any, and tell whether that is such a block.
    Left,
}

impl PointerFact {
    /// As shown: `offset(p)`.
    pub fn name(self) -> &'static str {
        match self {
            PointerFact::Offset => "offset",
            PointerFact::Size => "size",
            PointerFact::Align => "align",
            PointerFact::Alive => "alive",
            PointerFact::Heap => "heap",
            PointerFact::Constant => "constant",
            PointerFact::SameObject => "same_object",
            PointerFact::Written => "written",
            PointerFact::Left => "left",
        }
    }
}

/// Operators with one operand, of the result's type.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[expect(missing_docs)]
pub enum UnOp {
    Neg,
    BitNot,
    /// The square root of a floating number, correctly rounded.
    Sqrt,
    /// A floating number without its sign, which NaNs have too.
    Abs,
}

/// Operators with two operands. Arithmetic and bitwise ones have operands of the result's type; comparisons have
/// operands of one common type and give an `int`; the right side of a shift has its own (promoted) type.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[expect(missing_docs)]
pub enum BinOp {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    And,
    Or,
    Xor,
    Shl,
    Shr,
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
    /// pointer + `ptrdiff_t` elements of the pointee's size (1 for `void` and functions).
    PtrAdd,
    /// pointer − pointer, in elements, a `ptrdiff_t`.
    PtrDiff,
}

impl BinOp {
    /// Gives 0 or 1 as an `int`.
    pub fn is_comparison(self) -> bool {
        matches!(self, BinOp::Eq | BinOp::Ne | BinOp::Lt | BinOp::Le | BinOp::Gt | BinOp::Ge)
    }

    /// The comparison that holds when this one does not.
    pub fn negated(self) -> Option<BinOp> {
        Some(match self {
            BinOp::Eq => BinOp::Ne,
            BinOp::Ne => BinOp::Eq,
            BinOp::Lt => BinOp::Ge,
            BinOp::Le => BinOp::Gt,
            BinOp::Gt => BinOp::Le,
            BinOp::Ge => BinOp::Lt,
            _ => return None,
        })
    }

    /// As written in C.
    pub fn symbol(self) -> &'static str {
        OPERATORS[self as usize].1
    }

    /// How strongly it binds its operands, by the grammar of C: at most [`BinOp::STRONGEST`].
    pub fn strength(self) -> u8 {
        OPERATORS[self as usize].3
    }

    /// The strength of the operators that bind most.
    pub const STRONGEST: u8 = 10;

    /// The operator that C writes in this way; on pointers, `+` and `-` mean others.
    pub fn from_symbol(symbol: &str) -> Option<BinOp> {
        OPERATORS.iter().find(|entry| entry.1 == symbol).map(|entry| entry.0)
    }

    /// The operator that names of functions contain in this way, like `__atomic_fetch_add` or `wrapping_add`.
    pub fn from_name(name: &str) -> Option<BinOp> {
        OPERATORS.iter().find(|entry| entry.2 == Some(name)).map(|entry| entry.0)
    }
}

/// All operators in order: as written in C, in names of functions, and how strongly they bind.
const OPERATORS: [(BinOp, &str, Option<&str>, u8); 18] = [
    (BinOp::Add, "+", Some("add"), 9),
    (BinOp::Sub, "-", Some("sub"), 9),
    (BinOp::Mul, "*", Some("mul"), 10),
    (BinOp::Div, "/", Some("div"), 10),
    (BinOp::Rem, "%", Some("rem"), 10),
    (BinOp::And, "&", Some("and"), 5),
    (BinOp::Or, "|", Some("or"), 3),
    (BinOp::Xor, "^", Some("xor"), 4),
    (BinOp::Shl, "<<", Some("shl"), 8),
    (BinOp::Shr, ">>", Some("shr"), 8),
    (BinOp::Eq, "==", None, 6),
    (BinOp::Ne, "!=", None, 6),
    (BinOp::Lt, "<", None, 7),
    (BinOp::Le, "<=", None, 7),
    (BinOp::Gt, ">", None, 7),
    (BinOp::Ge, ">=", None, 7),
    (BinOp::PtrAdd, "+", None, 9),
    (BinOp::PtrDiff, "-", None, 9),
];

/// An lvalue node.
#[derive(Clone, Debug)]
pub struct Place {
    /// What it is.
    pub kind: PlaceKind,
    /// The type of what is stored there.
    pub ty: TypeId,
    /// Where it stands.
    pub span: Span,
}

/// The kinds of lvalues.
#[derive(Clone, Debug, PartialEq)]
pub enum PlaceKind {
    /// A variable.
    Var(VarId),
    /// `*p`
    Deref(ExprId),
    /// `place.field`, by index into the record's fields (anonymous members are explicit steps).
    Field(PlaceId, u32),
    /// `place[i]` of an array place; the index has type `ptrdiff_t`.
    Index(PlaceId, ExprId),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operators_stand_at_their_numbers() {
        for (index, (op, symbol, name, strength)) in OPERATORS.into_iter().enumerate() {
            assert_eq!(op as usize, index, "{op:?}");
            assert_eq!((op.symbol(), op.strength()), (symbol, strength));
            assert!(strength <= BinOp::STRONGEST);
            assert_eq!(name.and_then(BinOp::from_name), name.map(|_| op));
            if !matches!(op, BinOp::PtrAdd | BinOp::PtrDiff) {
                assert_eq!(BinOp::from_symbol(symbol), Some(op));
            }
        }
    }
}
