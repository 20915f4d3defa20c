//! From [`super::hir`] to the automaton: Rust's rules made explicit, with the machinery that lowers C.
//!
//! | file | what |
//! |---|---|
//! | `layout` | types as C has them |
//! | `value` | values and places |
//! | `store` | values that do not fit one variable |
//! | `arith` | arithmetic with its checks |
//! | `method` | methods of integers and `Option` |
//! | `control` | blocks, branches, patterns |
//! | `loops` | loops |
//! | `call` | calls, inputs, claims |
//!
//! Arithmetic is done on unsigned types after an explicit check, so that what wraps in Rust is not undefined in C.

mod arith;
mod call;
mod control;
mod layout;
mod loops;
mod method;
mod store;
mod value;

pub(crate) use layout::Layout;

use super::hir::{Body, Callee, LoopId};
use super::read::Struct;
use super::ty::Ty;
use rustc_hash::FxHashMap;
use tour_c::front::ParsedUnit;
use tour_c::sema::{Current, Fail, Lower, Sema, Shared};
use tour_ir::program::{ExprId, FnId, Function, Op, PlaceId, Program, Rule, Storage, TypeId, VarId};
use tour_ir::source::Span;

/// A location of the automaton under construction.
type Point = usize;

/// Values that the harness takes from outside by one edge.
#[derive(Clone, Debug)]
pub(crate) struct InputSite {
    /// The parameter or variable.
    pub(crate) name: String,
    pub(crate) ty: Ty,
    /// Which of the scalars of the type, and how many.
    pub(crate) first: usize,
    pub(crate) count: usize,
    pub(crate) span: Span,
}

/// A claim of the user's.
#[derive(Clone, Debug)]
pub(crate) struct Claim {
    pub(crate) message: String,
    pub(crate) span: Span,
}

/// What is known of a harness beside its program.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sites {
    /// By the place that gets the value.
    pub(crate) inputs: FxHashMap<PlaceId, InputSite>,
    /// By the (constant) condition of the edge that leads to the claim.
    pub(crate) claims: Vec<(ExprId, Claim)>,
    /// The harness has assumptions.
    pub(crate) assumes: Option<Span>,
}

/// Where loops lead.
struct LoopFrame {
    leave: Point,
    again: Point,
    /// Where the value of `break` goes.
    result: Option<PlaceId>,
}

/// Lowers one function.
pub(crate) struct Emitter<'a, 's> {
    sema: Sema<'s>,
    layout: &'a mut Layout,
    structs: &'a [Struct],
    sites: &'a mut Sites,
    /// C functions by symbol.
    symbols: &'a FxHashMap<String, FnId>,
    specs: &'a [FnId],
    /// Claims count in the harness itself only.
    is_harness: bool,
    locals: Vec<Option<VarId>>,
    body: &'a Body,
    loops: FxHashMap<LoopId, LoopFrame>,
}

/// What all functions of a harness share.
pub(crate) struct Shell<'a> {
    pub(crate) program: &'a mut Program,
    pub(crate) shared: &'a mut Shared,
    /// The Rust file; it has no trees.
    pub(crate) unit: &'a ParsedUnit,
    pub(crate) layout: &'a mut Layout,
    pub(crate) structs: &'a [Struct],
    pub(crate) sites: &'a mut Sites,
    pub(crate) symbols: &'a FxHashMap<String, FnId>,
    pub(crate) specs: &'a [FnId],
}

/// Adds a function without a body.
pub(crate) fn declare(
    program: &mut Program,
    name: &str,
    params: Vec<TypeId>,
    ret: TypeId,
    span: Span,
) -> FnId {
    let ty = program.types.function(ret, params);
    program.functions.push(Function::new(name, ty, span))
}

/// Lowers a body into a declared function. Parameters of a harness are inputs.
pub(crate) fn emit(shell: Shell, function: FnId, body: &Body, is_harness: bool) -> Lower<()> {
    let Shell { program, shared, unit, layout, structs, sites, symbols, specs } = shell;
    let mut emitter = Emitter {
        sema: Sema::new(program, shared, unit),
        layout,
        structs,
        sites,
        symbols,
        specs,
        is_harness,
        locals: vec![None; body.locals.len()],
        body,
        loops: FxHashMap::default(),
    };
    emitter.function(function)
}

impl Emitter<'_, '_> {
    fn function(&mut self, function: FnId) -> Lower<()> {
        let body = self.body;
        let ret = self.sema.program.functions[function].sig(&self.sema.program.types).ret;
        self.sema.current = Some(Current::new(function, ret));
        if body.ret != Ty::Unit {
            let name = format!("{}$return", body.name);
            let var = self.sema.add_local(name, ret.into(), Storage::Return(function), body.span);
            self.sema.program.functions[function].ret = Some(var);
        }
        for (id, local) in body.locals.iter().enumerate() {
            if local.ty == Ty::Unit {
                continue;
            }
            let ty = self.c_type(&local.ty, local.span)?;
            let param = id < body.params && !self.is_harness;
            let storage = if param { Storage::Param(function) } else { Storage::Local(function) };
            let var = self.sema.add_local(local.name.clone(), ty.into(), storage, local.span);
            if param {
                self.sema.program.functions[function].params.push(var);
            }
            self.locals[id] = Some(var);
        }
        if self.is_harness {
            for local in 0..body.params {
                self.input_into_local(local)?;
            }
        }
        self.return_value(&body.value)?;
        if let Some(current) = self.sema.current.take() {
            let automaton = current.graph.finish(function, self.sema.program);
            self.sema.program.functions[function].body = Some(automaton);
        }
        Ok(())
    }

    /// Returns the value of an expression.
    fn return_value(&mut self, value: &super::hir::Expr) -> Lower<()> {
        let span = value.span;
        if self.body.ret == Ty::Unit {
            self.effect(value)?;
            return self.sema.emit_return(None, span);
        }
        let result = if self.body.ret.is_scalar() {
            self.value(value)?
        } else {
            let place = self.materialise(value)?;
            self.sema.program.load(place, span)
        };
        let ret = self.sema.current(span)?.ret;
        let result =
            if self.body.ret.is_scalar() { self.sema.program.cast(result, ret, span) } else { result };
        self.sema.emit_return(Some(result), span)
    }

    fn c_type(&mut self, ty: &Ty, span: Span) -> Lower<TypeId> {
        match self.layout.c_type(self.sema.program, self.structs, ty) {
            Ok(ty) => Ok(ty),
            Err(message) => Fail::error(message, span, "used here"),
        }
    }

    /// A new temporary.
    fn temp(&mut self, ty: &Ty, span: Span) -> Lower<PlaceId> {
        let ty = self.c_type(ty, span)?;
        let var = self.sema.temp(ty, span)?;
        Ok(self.sema.program.var_place(var, span))
    }

    fn assign(&mut self, place: PlaceId, value: ExprId, span: Span) -> Lower<()> {
        let ty = self.sema.program.places[place].ty;
        let value = if self.sema.program.types.is_scalar(ty) {
            self.sema.program.cast(value, ty, span)
        } else {
            value
        };
        self.sema.emit(Op::Assign(place, value), span)
    }

    /// Fails if the condition is non-zero.
    fn fails_if(&mut self, condition: ExprId, message: impl Into<String>, span: Span) -> Lower<()> {
        let (bad, good) = (self.sema.point(span)?, self.sema.point(span)?);
        self.sema.branch(condition, bad, good, span)?;
        self.sema.go_on(bad);
        self.sema.violation(Rule::Assert, message.into(), span)?;
        self.sema.go_on(good);
        Ok(())
    }

    fn callee(&self, callee: &Callee) -> Option<FnId> {
        match callee {
            Callee::C(symbol) => self.symbols.get(symbol).copied(),
            Callee::Spec(index) => self.specs.get(*index).copied(),
        }
    }
}
