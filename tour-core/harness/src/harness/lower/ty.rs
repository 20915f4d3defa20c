//! Types of a harness, and finding out those that are not written down.
//!
//! The compiler has accepted the function, so that inference need only find the types, not report errors in them. It
//! goes through the body in order and unifies; integers that nothing determines are `i32`.

use tour_ir::program::DataModel;

/// An integer type.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Int {
    pub(crate) bits: u32,
    pub(crate) signed: bool,
    /// `usize` or `isize`: not the same as `u64` or `i64`, though as wide.
    pub(crate) size: bool,
}

impl Int {
    pub(crate) const I32: Int = Int { bits: 32, signed: true, size: false };
    pub(crate) const U8: Int = Int { bits: 8, signed: false, size: false };

    pub(crate) fn usize(model: DataModel) -> Int {
        Int { bits: model.pointer_bits(), signed: false, size: true }
    }

    pub(crate) fn isize(model: DataModel) -> Int {
        Int { signed: true, ..Int::usize(model) }
    }

    /// A type by its name, or by C's name for it.
    pub(crate) fn named(name: &str, model: DataModel) -> Option<Int> {
        let int = |bits, signed| Int { bits, signed, size: false };
        Some(match name {
            "u8" | "c_uchar" => int(8, false),
            "u16" | "c_ushort" => int(16, false),
            "u32" | "c_uint" => int(32, false),
            "u64" | "c_ulonglong" => int(64, false),
            "u128" => int(128, false),
            "i8" | "c_char" | "c_schar" => int(8, true),
            "i16" | "c_short" => int(16, true),
            "i32" | "c_int" => int(32, true),
            "i64" | "c_longlong" => int(64, true),
            "i128" => int(128, true),
            "c_long" => int(model.pointer_bits(), true),
            "c_ulong" => int(model.pointer_bits(), false),
            "usize" | "size_t" => Int::usize(model),
            "isize" | "ssize_t" => Int::isize(model),
            _ => return None,
        })
    }

    pub(crate) fn name(self) -> String {
        let letter = if self.signed { 'i' } else { 'u' };
        if self.size { format!("{letter}size") } else { format!("{letter}{}", self.bits) }
    }
}

/// A type.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Ty {
    Int(Int),
    Bool,
    Unit,
    /// Only its size is known: no value of it can be used.
    Float(u32),
    /// `c_void`
    Void,
    /// A pointer to a function: it can be null or come from C.
    FnPtr,
    Array(Box<Ty>, u64),
    /// Only behind a reference or pointer.
    Slice(Box<Ty>),
    /// By index into the structs that were found.
    Struct(usize),
    Tuple(Vec<Ty>),
    Option(Box<Ty>),
    /// `MaybeUninit<T>`
    Uninit(Box<Ty>),
    Ptr(bool, Box<Ty>),
    Ref(bool, Box<Ty>),
    /// Not known yet.
    Var(usize),
}

impl Ty {
    /// What a pointer or reference points to.
    pub(crate) fn pointee(&self) -> Option<&Ty> {
        match self {
            Ty::Ptr(_, to) | Ty::Ref(_, to) => Some(to),
            _ => None,
        }
    }

    /// A reference or pointer with a length.
    pub(crate) fn is_fat(&self) -> bool {
        self.pointee().is_some_and(|to| matches!(to, Ty::Slice(_)))
    }

    /// One variable of the engine can hold it.
    pub(crate) fn is_scalar(&self) -> bool {
        match self {
            Ty::Int(_) | Ty::Bool | Ty::FnPtr | Ty::Float(_) => true,
            Ty::Ptr(..) | Ty::Ref(..) => !self.is_fat(),
            Ty::Unit
            | Ty::Void
            | Ty::Array(..)
            | Ty::Slice(_)
            | Ty::Struct(_)
            | Ty::Tuple(_)
            | Ty::Option(_)
            | Ty::Uninit(_)
            | Ty::Var(_) => false,
        }
    }
}

#[derive(Clone, Debug)]
enum Binding {
    /// `int`: an integer, nothing else is known.
    Open {
        int: bool,
    },
    Bound(Ty),
}

/// What is known of type variables.
#[derive(Clone, Debug, Default)]
pub(crate) struct Unifier {
    vars: Vec<Binding>,
}

impl Unifier {
    /// Any type.
    pub(crate) fn fresh(&mut self) -> Ty {
        self.vars.push(Binding::Open { int: false });
        Ty::Var(self.vars.len() - 1)
    }

    /// Any integer type.
    pub(crate) fn fresh_int(&mut self) -> Ty {
        self.vars.push(Binding::Open { int: true });
        Ty::Var(self.vars.len() - 1)
    }

    /// What is known of the outermost constructor.
    pub(crate) fn head(&self, ty: &Ty) -> Ty {
        let mut ty = ty;
        while let Ty::Var(var) = ty {
            match &self.vars[*var] {
                Binding::Bound(to) => ty = to,
                Binding::Open { .. } => break,
            }
        }
        ty.clone()
    }

    /// An integer type, though perhaps not yet known which.
    pub(crate) fn is_integer(&self, ty: &Ty) -> bool {
        match self.head(ty) {
            Ty::Int(_) => true,
            Ty::Var(var) => matches!(self.vars[var], Binding::Open { int: true }),
            _ => false,
        }
    }

    /// All that is known.
    pub(crate) fn resolve(&self, ty: &Ty) -> Ty {
        let boxed = |ty: &Ty| Box::new(self.resolve(ty));
        match self.head(ty) {
            Ty::Array(of, n) => Ty::Array(boxed(&of), n),
            Ty::Slice(of) => Ty::Slice(boxed(&of)),
            Ty::Tuple(of) => Ty::Tuple(of.iter().map(|ty| self.resolve(ty)).collect()),
            Ty::Option(of) => Ty::Option(boxed(&of)),
            Ty::Uninit(of) => Ty::Uninit(boxed(&of)),
            Ty::Ptr(mutable, to) => Ty::Ptr(mutable, boxed(&to)),
            Ty::Ref(mutable, to) => Ty::Ref(mutable, boxed(&to)),
            Ty::Var(var) => match self.vars[var] {
                Binding::Open { int: true } => Ty::Int(Int::I32),
                // Nothing determines it: what it stands for is never computed.
                Binding::Open { int: false } | Binding::Bound(_) => Ty::Unit,
            },
            known => known,
        }
    }

    /// Makes two types the same.
    pub(crate) fn unify(&mut self, a: &Ty, b: &Ty) -> bool {
        let (a, b) = (self.head(a), self.head(b));
        if a == b {
            return true;
        }
        match (a, b) {
            (Ty::Var(x), Ty::Var(y)) => {
                // The one that knows less is bound.
                let (from, to) = match self.vars[x] {
                    Binding::Open { int: true } => (y, x),
                    Binding::Open { int: false } | Binding::Bound(_) => (x, y),
                };
                self.vars[from] = Binding::Bound(Ty::Var(to));
                true
            }
            (Ty::Var(var), ty) | (ty, Ty::Var(var)) => {
                if matches!(self.vars[var], Binding::Open { int: true }) && !matches!(ty, Ty::Int(_)) {
                    return false;
                }
                if self.occurs(var, &ty) {
                    return false;
                }
                self.vars[var] = Binding::Bound(ty);
                true
            }
            (Ty::Array(x, n), Ty::Array(y, m)) => n == m && self.unify(&x, &y),
            (Ty::Slice(x), Ty::Slice(y))
            | (Ty::Option(x), Ty::Option(y))
            | (Ty::Uninit(x), Ty::Uninit(y)) => self.unify(&x, &y),
            (Ty::Tuple(x), Ty::Tuple(y)) => {
                x.len() == y.len() && x.iter().zip(&y).all(|(x, y)| self.unify(x, y))
            }
            (Ty::Ptr(p, x), Ty::Ptr(q, y)) | (Ty::Ref(p, x), Ty::Ref(q, y)) => p == q && self.unify(&x, &y),
            _ => false,
        }
    }

    fn occurs(&self, var: usize, ty: &Ty) -> bool {
        match self.head(ty) {
            Ty::Var(other) => other == var,
            Ty::Array(of, _)
            | Ty::Slice(of)
            | Ty::Option(of)
            | Ty::Uninit(of)
            | Ty::Ptr(_, of)
            | Ty::Ref(_, of) => self.occurs(var, &of),
            Ty::Tuple(of) => of.iter().any(|ty| self.occurs(var, ty)),
            Ty::Int(_) | Ty::Bool | Ty::Unit | Ty::Float(_) | Ty::Void | Ty::FnPtr | Ty::Struct(_) => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_take_the_type_of_their_use_or_i32() {
        let mut types = Unifier::default();
        let (a, b, c) = (types.fresh_int(), types.fresh(), types.fresh_int());
        assert!(types.unify(&b, &a));
        assert!(types.unify(&b, &Ty::Int(Int::U8)));
        assert_eq!(types.resolve(&a), Ty::Int(Int::U8));
        assert_eq!(types.resolve(&c), Ty::Int(Int::I32));
        assert!(!types.unify(&c, &Ty::Bool));
    }

    #[test]
    fn compound_types_are_unified_inside() {
        let mut types = Unifier::default();
        let a = types.fresh_int();
        let open = Ty::Ref(true, Box::new(Ty::Array(Box::new(a.clone()), 4)));
        let known = Ty::Ref(true, Box::new(Ty::Array(Box::new(Ty::Int(Int::U8)), 4)));
        assert!(types.unify(&open, &known));
        assert_eq!(types.resolve(&open), known);
        assert!(!types.unify(&open, &Ty::Ptr(true, Box::new(a))));
        let v = types.fresh();
        assert!(!types.unify(&v, &Ty::Option(Box::new(v.clone()))));
    }
}
