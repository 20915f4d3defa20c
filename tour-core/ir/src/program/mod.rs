//! The typed program: types, variables, functions, expressions, and one control-flow automaton for all of it.
//!
//! A [`Program`] is plain data in arenas with typed ids. Everything implicit in C is explicit here: conversions are
//! [`ExprKind::Cast`]s, side effects and short circuits are edges of the automaton, addresses and layouts are known.
//! Expressions have no side effects and are at most [`MAX_EXPR_DEPTH`] deep (deeper ones are split over temporaries),
//! so that recursive passes over them are safe.

mod arith;
mod conversion;
mod copies;
mod display;
mod evaluate;
mod expr;
mod float;
mod function;
mod image;
mod layout;
mod op;
mod place;
mod property;
mod rename;
mod thread;
mod types;
mod unify;
mod var;

pub use arith::IntType;
pub use copies::Copies;
pub use evaluate::{evaluate_arguments, is_noticed, is_partial};
pub use expr::{BinOp, Expr, ExprKind, MAX_EXPR_DEPTH, Place, PlaceKind, PointerFact, UnOp};
pub use float::{FloatResult, float_binary};
pub use function::{Body, Builtin, Function, Linkage};
pub use layout::{DataModel, Member, RecordAttrs, lay_out};
pub use op::{Call, Callee, HavocOrigin, Op, Unsupported};
pub use property::{Assumption, Check, Rule};
pub use rename::Rename;
pub use thread::{Thread, ThreadId, Threads};
pub use types::{
    ArrayLen, BitField, EnumDef, Field, FloatKind, FnSig, IntKind, QualType, Quals, Record, RecordKind, Type,
    Types,
};
pub use var::{Init, InitItem, Storage, Var};

use crate::cfa::{Cfa, EdgeId, LocKind};
use crate::source::{SourceMap, Span};
use index_vec::IndexVec;

index_vec::define_index_type! {
    /// A type.
    pub struct TypeId = u32;
    DEBUG_FORMAT = "ty{}";
}
index_vec::define_index_type! {
    /// A struct or union.
    pub struct RecordId = u32;
    DEBUG_FORMAT = "record{}";
}
index_vec::define_index_type! {
    /// An enumeration.
    pub struct EnumId = u32;
    DEBUG_FORMAT = "enum{}";
}
index_vec::define_index_type! {
    /// A variable: global, static, parameter, local or temporary.
    pub struct VarId = u32;
    DEBUG_FORMAT = "v{}";
}
index_vec::define_index_type! {
    /// A function.
    pub struct FnId = u32;
    DEBUG_FORMAT = "fn{}";
}
index_vec::define_index_type! {
    /// A side-effect-free expression.
    pub struct ExprId = u32;
    DEBUG_FORMAT = "e{}";
}
index_vec::define_index_type! {
    /// An lvalue.
    pub struct PlaceId = u32;
    DEBUG_FORMAT = "p{}";
}
index_vec::define_index_type! {
    /// A check: one place where a property can be violated.
    pub struct CheckId = u32;
    DEBUG_FORMAT = "check{}";
}

/// A whole program, linked from all its translation units.
#[derive(Clone, Debug)]
pub struct Program {
    /// Sizes and alignments.
    pub model: DataModel,
    /// All types.
    pub types: Types,
    /// All variables.
    pub vars: IndexVec<VarId, Var>,
    /// All expressions.
    pub exprs: IndexVec<ExprId, Expr>,
    /// All lvalues.
    pub places: IndexVec<PlaceId, Place>,
    /// All functions, with or without a body.
    pub functions: IndexVec<FnId, Function>,
    /// The control-flow automata of all functions.
    pub cfa: Cfa,
    /// Places where a property can be violated; each has its error location.
    pub checks: IndexVec<CheckId, Check>,
    /// The function where execution begins.
    pub entry: FnId,
    /// Variables with static storage in the order in which they are initialised.
    pub globals: Vec<VarId>,
    /// Its threads, if it has several.
    pub threads: Threads,
    /// Which of its functions are copies of others.
    pub copies: Copies,
    /// What the verdict takes for granted.
    pub assumptions: Vec<Assumption>,
    /// Edges where a function without a body, taken for one without an effect, was given a pointer to something that it
    /// could keep or free.
    pub entrusted: Vec<(EdgeId, FnId)>,
    /// Comparisons of accesses that C does not order. They are asked where the accesses may concern the same memory.
    pub unordered: Vec<Unordered>,
    /// Some check asks whether memory was written ([`PointerFact::Written`]): a byte that is copied from memory to memory
    /// may then be one that was not.
    pub asks_what_is_written: bool,
    /// The rules about memory are not checked: an access outside of an object ends the run, as C leaves undefined what comes
    /// then; and so does other undefined behaviour of operations that no check depends on.
    pub undefined_ends: bool,
    /// The texts.
    pub sources: SourceMap,
}

/// The function that makes the objects of pointers that are inputs. Such pointers may be equal to each other, and nobody
/// says that they can be freed: to compare them, to free them, and to write through one while another is in use is
/// unsupported.
pub const INPUT_OBJECT: &str = "input object";
/// Two accesses that C does not order, and the expression that says whether they access the same memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Unordered {
    /// `&a == &b`
    pub equal: ExprId,
    /// What is accessed.
    pub places: [PlaceId; 2],
}

impl Program {
    /// An empty program. `entry` is a placeholder until a function is added.
    pub fn new(model: DataModel) -> Program {
        Program {
            model,
            types: Types::new(model),
            vars: IndexVec::new(),
            exprs: IndexVec::new(),
            places: IndexVec::new(),
            functions: IndexVec::new(),
            cfa: Cfa::default(),
            checks: IndexVec::new(),
            entry: FnId::new(0),
            globals: Vec::new(),
            threads: Threads::default(),
            copies: Copies::default(),
            assumptions: Vec::new(),
            entrusted: Vec::new(),
            unordered: Vec::new(),
            asks_what_is_written: false,
            undefined_ends: false,
            sources: SourceMap::default(),
        }
    }

    /// Takes a check out: a run that gets to it merely ends, as after a failed `assert`.
    pub fn close(&mut self, check: CheckId) {
        if self.threads.is_empty() && self.copies.is_empty() {
            self.cfa.locs[self.checks[check].loc].kind = LocKind::End;
            return;
        }
        // Copies of a function have their own locations.
        for loc in self.cfa.locs.iter_mut().filter(|loc| loc.kind == LocKind::Error(check)) {
            loc.kind = LocKind::End;
        }
        if self.threads.deadlock == Some(check) {
            self.threads.deadlock = None;
        }
    }

    /// The check was not taken out.
    pub fn is_open(&self, check: CheckId) -> bool {
        self.cfa.locs[self.checks[check].loc].kind == LocKind::Error(check)
    }

    /// The function called `name`, if there is one with external linkage (or just one).
    pub fn function(&self, name: &str) -> Option<FnId> {
        self.functions.iter_enumerated().find(|(_, f)| f.name == name).map(|(id, _)| id)
    }

    /// The type of an expression.
    pub fn type_of(&self, expr: ExprId) -> &Type {
        &self.types[self.exprs[expr].ty]
    }

    /// The width and sign of an expression whose type is an integer, an enumeration or `_Bool`.
    pub fn int_type_of(&self, expr: ExprId) -> Option<IntType> {
        self.types.int_type(self.exprs[expr].ty)
    }

    /// The value of a constant integer expression node.
    pub fn const_value(&self, expr: ExprId) -> Option<u128> {
        match self.exprs[expr].kind {
            ExprKind::Int(value) => Some(value),
            _ => None,
        }
    }

    /// The expression compares accesses that C does not order.
    pub fn is_unordered(&self, expr: ExprId) -> bool {
        self.unordered.binary_search_by_key(&expr, |unordered| unordered.equal).is_ok()
    }

    /// What the address of a variable is a multiple of.
    pub fn var_align(&self, var: VarId) -> u64 {
        let of = &self.vars[var];
        of.align.or_else(|| self.types.qual_align(of.ty)).unwrap_or(1)
    }

    /// What the address of a block that `malloc` gives is a multiple of.
    pub fn block_align(&self) -> u64 {
        2 * self.model.pointer_bytes()
    }

    /// Adds a variable, to the frame that its storage names.
    pub fn add_var(&mut self, var: Var) -> VarId {
        let storage = var.storage;
        let var = self.vars.push(var);
        if let Storage::Temp(f) | Storage::Local(f) = storage {
            self.functions[f].locals.push(var);
        }
        var
    }

    /// Adds a temporary to the frame of a function.
    pub fn add_temp(&mut self, function: FnId, name: impl Into<String>, ty: TypeId, span: Span) -> VarId {
        self.add_var(Var::new(name, ty, Storage::Temp(function), span))
    }

    /// Adds a local variable to a function, of which the address will be taken.
    pub fn add_local_object(
        &mut self,
        function: FnId,
        name: impl Into<String>,
        ty: TypeId,
        span: Span,
    ) -> VarId {
        self.add_var(Var { address_taken: true, ..Var::new(name, ty, Storage::Local(function), span) })
    }

    /// Adds a variable of the whole program that no name in the source means.
    pub fn add_static(&mut self, name: impl Into<String>, ty: TypeId, span: Span) -> VarId {
        let var = self.vars.push(Var::new(name, ty, Storage::Static, span));
        self.globals.push(var);
        var
    }

    /// Begins the body of a function that has none: unnamed parameters, what it returns, and where it begins and ends.
    pub fn add_body(&mut self, f: FnId) -> Body {
        let FnSig { ret, params, .. } = self.functions[f].sig(&self.types).clone();
        let Function { name, span, .. } = &self.functions[f];
        let (ret_name, span) = (format!("{name}$return"), *span);
        let params = params.into_iter().map(|ty| self.vars.push(Var::new("", ty, Storage::Param(f), span)));
        let params = params.collect();
        let ret = (self.types[ret] != Type::Void)
            .then(|| self.vars.push(Var::new(ret_name, ret, Storage::Return(f), span)));
        let [entry, exit] = [LocKind::Entry, LocKind::Exit].map(|kind| self.cfa.add_loc(f, kind));
        let body = Body { entry, exit };
        let function = &mut self.functions[f];
        (function.params, function.ret, function.body, function.builtin) = (params, ret, Some(body), None);
        body
    }

    /// Adds an expression node. Prefer the typed constructors.
    pub fn add_expr(&mut self, kind: ExprKind, ty: TypeId, span: Span) -> ExprId {
        self.exprs.push(Expr { kind, ty, span })
    }

    /// An integer (or null/absolute pointer) constant; `value` is truncated to the width of `ty`.
    pub fn int(&mut self, value: i128, ty: TypeId, span: Span) -> ExprId {
        let bits = match self.types.int_type(ty) {
            Some(int) => int.wrap(value as u128),
            None => IntType::unsigned(self.model.pointer_bits()).wrap(value as u128),
        };
        self.add_expr(ExprKind::Int(bits), ty, span)
    }

    /// The value stored in `place`.
    pub fn load(&mut self, place: PlaceId, span: Span) -> ExprId {
        let ty = self.places[place].ty;
        self.add_expr(ExprKind::Load(place), ty, span)
    }

    /// The value of variable `var`.
    pub fn load_var(&mut self, var: VarId, span: Span) -> ExprId {
        let place = self.var_place(var, span);
        self.load(place, span)
    }

    /// The lvalue of a variable.
    pub fn var_place(&mut self, var: VarId, span: Span) -> PlaceId {
        let ty = self.vars[var].ty.ty;
        self.places.push(Place { kind: PlaceKind::Var(var), ty, span })
    }

    /// `lhs op rhs` of type `ty`.
    pub fn binary(&mut self, op: BinOp, lhs: ExprId, rhs: ExprId, ty: TypeId, span: Span) -> ExprId {
        self.add_expr(ExprKind::Binary(op, lhs, rhs), ty, span)
    }

    /// Something asks whether any block of the heap is left.
    pub fn asks_for_blocks(&self) -> bool {
        self.exprs.iter().any(|expr| matches!(expr.kind, ExprKind::Fact(PointerFact::Left, _)))
    }

    /// A fact about the object that `pointer` belongs to.
    pub fn fact(&mut self, fact: PointerFact, pointer: ExprId, span: Span) -> ExprId {
        let ty = match fact {
            PointerFact::Offset => self.types.ptrdiff_t(),
            PointerFact::Size | PointerFact::Align => self.types.size_t(),
            PointerFact::Alive
            | PointerFact::Heap
            | PointerFact::Constant
            | PointerFact::SameObject
            | PointerFact::Written
            | PointerFact::Left => self.types.int(IntKind::Int),
        };
        self.add_expr(ExprKind::Fact(fact, pointer), ty, span)
    }

    /// `(ty) expr`; the expression itself if it has that type already.
    pub fn cast(&mut self, expr: ExprId, ty: TypeId, span: Span) -> ExprId {
        if self.exprs[expr].ty == ty { expr } else { self.add_expr(ExprKind::Cast(expr), ty, span) }
    }
}
