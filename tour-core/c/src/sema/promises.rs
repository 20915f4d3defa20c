//! What attributes of functions promise: compilers rely on it, and C says nothing of a program that breaks it.
//!
//! | attribute | promise | where it is looked at |
//! |---|---|---|
//! | `noreturn` | it never returns | where it does |
//! | `nonnull` | arguments are not null | where the body begins; at calls, of functions without a body |
//! | `returns_nonnull`, `assume_aligned` | so is the result | where it returns; functions without a body are not modelled |
//! | `pure`, `const` | a call has no effect, and a result by its arguments (and memory) alone | in its text |
//! | `malloc` | nothing else points to what it returns | in its text |
//!
//! To get to where a promise is broken is unsupported. Functions of the library keep theirs.

use super::is_ours;
use rustc_hash::{FxHashMap, FxHashSet};
use tour_ir::cfa::{EdgeId, LocId, LocKind};
use tour_ir::program::{
    BinOp, Body, Builtin, Call, Callee, ExprId, ExprKind, FnId, HavocOrigin, IntKind, Op, PlaceId, PlaceKind,
    Program, Storage, Unsupported, VarId,
};
use tour_ir::source::Span;

/// What the attributes of a function promise.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Promises {
    /// `nonnull`: of all arguments that are pointers.
    pub all_nonnull: bool,
    /// `nonnull(1, 2)`: of these, from 1 on.
    pub nonnull: Vec<u64>,
    /// `returns_nonnull`
    pub returns_nonnull: bool,
    /// `assume_aligned(n)`
    pub aligned: Option<u64>,
    /// `pure`
    pub pure: bool,
    /// `const`
    pub constant: bool,
    /// `malloc`
    pub fresh: bool,
}

impl Promises {
    /// Nothing is promised.
    pub fn is_empty(&self) -> bool {
        *self == Promises::default()
    }

    /// What another declaration promises, too.
    fn and(&mut self, other: &Promises) {
        self.all_nonnull |= other.all_nonnull;
        self.nonnull.extend(&other.nonnull);
        self.returns_nonnull |= other.returns_nonnull;
        self.aligned = self.aligned.max(other.aligned);
        self.pure |= other.pure;
        self.constant |= other.constant;
        self.fresh |= other.fresh;
    }
}

/// All that is promised, by function.
type Promised = FxHashMap<FnId, Promises>;

/// Makes broken promises unsupported.
pub(super) fn keep(program: &mut Program, promises: &[(FnId, Promises)]) {
    let mut all = Promised::default();
    for (f, promises) in promises {
        all.entry(*f).or_default().and(promises);
    }
    let mut functions: Vec<FnId> = all.keys().copied().filter(|f| !is_ours(program, *f)).collect();
    functions.sort_unstable();
    for f in program.functions.indices() {
        if program.functions[f].noreturn && program.functions[f].body.is_some() && !is_ours(program, f) {
            never_returns(program, f);
        }
    }
    for f in functions {
        let promised = &all[&f];
        if program.functions[f].body.is_some() {
            in_body(program, f, promised, &all);
        } else if program.functions[f].builtin.is_none() && !is_system(program, f) {
            at_calls(program, f, promised);
        }
    }
}

fn is_system(program: &Program, f: FnId) -> bool {
    program.sources.place(program.functions[f].span).system
}

fn unsupported(message: String) -> Op {
    Op::Unsupported(Box::new(Unsupported { kind: "attribute", message }))
}

/// The ends of a function that has none.
fn never_returns(program: &mut Program, f: FnId) {
    let Some(body) = program.functions[f].body else { return };
    let message = format!("`{}` returns, which is declared never to", program.functions[f].name);
    for edge in program.cfa.locs[body.exit].into.clone() {
        program.cfa.edges[edge].op = unsupported(message.clone());
    }
}

fn in_body(program: &mut Program, f: FnId, promised: &Promises, all: &Promised) {
    let name = program.functions[f].name.clone();
    let span = program.functions[f].span;
    let broken = [
        (promised.pure || promised.constant) && has_effects(program, f, all, &mut FxHashSet::default()),
        promised.constant && looks_at_memory(program, f),
        promised.fresh && !returns_fresh(program, f, all),
    ];
    let what = [
        "is declared to have no effect (`pure` or `const`), and that can't be seen of it",
        "is declared `const`, and reads memory",
        "is declared to return what nothing else points to (`malloc`), and that can't be seen of it",
    ];
    for (_, what) in broken.into_iter().zip(what).filter(|(broken, _)| *broken) {
        let (from, to) = before_body(program, f);
        program.cfa.add_edge(from, to, unsupported(format!("`{name}` {what}")), span);
    }
    let params = program.functions[f].params.clone();
    for (index, param) in params.into_iter().enumerate() {
        if is_nonnull(program, promised, index, program.vars[param].ty.ty) {
            let pointer = program.load_var(param, span);
            let (from, to) = before_body(program, f);
            let message = format!("`{}` is declared to be never null", program.vars[param].name);
            refuse_null(program, pointer, (from, to), message, span);
        }
    }
    let returns: Vec<(EdgeId, ExprId)> = (program.cfa.edges.iter_enumerated())
        .filter(|(_, edge)| program.cfa.locs[edge.from].function == f)
        .filter_map(|(id, edge)| match edge.op {
            Op::Return(Some(value)) => Some((id, value)),
            _ => None,
        })
        .collect();
    for (edge, value) in returns {
        if program.types.pointee(program.exprs[value].ty).is_none() {
            continue;
        }
        let span = program.cfa.edges[edge].span;
        if promised.returns_nonnull {
            let between = before(program, edge);
            let message = format!("`{name}` is declared never to return null");
            refuse_null(program, value, between, message, span);
        }
        if let Some(align) = promised.aligned {
            let between = before(program, edge);
            let message = format!("`{name}` is declared to return a multiple of {align}");
            refuse_misaligned(program, value, align, between, message, span);
        }
    }
}

/// Calls of a function without a body. What it returns is any value, of which nothing can be promised.
fn at_calls(program: &mut Program, f: FnId, promised: &Promises) {
    let name = program.functions[f].name.clone();
    let calls: Vec<(EdgeId, Vec<ExprId>)> = (program.cfa.edges.iter_enumerated())
        .filter_map(|(id, edge)| match &edge.op {
            Op::Call(Call { callee: Callee::Direct(g), args, .. }) if *g == f => Some((id, args.clone())),
            _ => None,
        })
        .collect();
    for (edge, args) in calls {
        let span = program.cfa.edges[edge].span;
        if promised.returns_nonnull {
            let message = format!("`{name}` has no body, and promises something of its result");
            program.cfa.edges[edge].op =
                Op::Unsupported(Box::new(Unsupported { kind: "undefined-function", message }));
            continue;
        }
        for (index, arg) in args.into_iter().enumerate() {
            if is_nonnull(program, promised, index, program.exprs[arg].ty) {
                let between = before(program, edge);
                let message = format!("argument {} of `{name}` is declared to be never null", index + 1);
                refuse_null(program, arg, between, message, span);
            }
        }
    }
}

fn is_nonnull(program: &Program, promised: &Promises, index: usize, ty: tour_ir::program::TypeId) -> bool {
    let named = promised.all_nonnull || promised.nonnull.contains(&(index as u64 + 1));
    named && program.types.pointee(ty).is_some()
}

/// A new beginning of a function, and where its body begins: nothing leads from one to the other yet.
fn before_body(program: &mut Program, f: FnId) -> (LocId, LocId) {
    let body = program.functions[f].body.expect("a function with a body");
    program.cfa.locs[body.entry].kind = LocKind::Plain;
    let entry = program.cfa.add_loc(f, LocKind::Entry);
    program.functions[f].body = Some(Body { entry, ..body });
    (entry, body.entry)
}

/// Where an edge begins, and a new location from which it goes on.
fn before(program: &mut Program, edge: EdgeId) -> (LocId, LocId) {
    let from = program.cfa.edges[edge].from;
    let function = program.cfa.locs[from].function;
    let next = program.cfa.add_loc(function, LocKind::Plain);
    program.cfa.locs[from].out.retain(|other| *other != edge);
    program.cfa.edges[edge].from = next;
    program.cfa.locs[next].out.push(edge);
    (from, next)
}

fn refuse_null(program: &mut Program, pointer: ExprId, between: (LocId, LocId), message: String, span: Span) {
    let (int, ty) = (program.types.int(IntKind::Int), program.exprs[pointer].ty);
    let null = program.int(0, ty, span);
    let cond = program.binary(BinOp::Eq, pointer, null, int, span);
    refuse(program, cond, between, message + ", and it is", span);
}

pub(super) fn misaligned(program: &mut Program, pointer: ExprId, align: u64, span: Span) -> ExprId {
    let (int, size_t) = (program.types.int(IntKind::Int), program.types.size_t());
    let address = program.cast(pointer, size_t, span);
    let mask = program.int(i128::from(align) - 1, size_t, span);
    let low = program.binary(BinOp::And, address, mask, size_t, span);
    let zero = program.int(0, size_t, span);
    program.binary(BinOp::Ne, low, zero, int, span)
}

fn refuse_misaligned(
    program: &mut Program,
    pointer: ExprId,
    align: u64,
    between: (LocId, LocId),
    message: String,
    span: Span,
) {
    let cond = misaligned(program, pointer, align, span);
    refuse(program, cond, between, message + ", and it is none", span);
}

/// Where a condition holds, to go on is unsupported.
fn refuse(program: &mut Program, cond: ExprId, (from, to): (LocId, LocId), message: String, span: Span) {
    let function = program.cfa.locs[from].function;
    let broken = program.cfa.add_loc(function, LocKind::Plain);
    program.cfa.add_edge(from, broken, Op::Assume { cond, truth: true }, span);
    program.cfa.add_edge(broken, to, unsupported(message), span);
    program.cfa.add_edge(from, to, Op::Assume { cond, truth: false }, span);
}

/// A call may change something, or have another result each time.
fn has_effects(program: &Program, f: FnId, all: &Promised, seen: &mut FxHashSet<FnId>) -> bool {
    if !seen.insert(f) {
        return false;
    }
    if program.functions[f].body.is_none() {
        let reads = program.functions[f].builtin.is_some_and(Builtin::only_reads);
        let promised = all.get(&f).is_some_and(|promised| promised.pure || promised.constant);
        return !reads && !promised && !program.functions[f].noreturn;
    }
    let own = |place: PlaceId| program.root(place).is_some_and(|var| program.vars[var].function() == Some(f));
    edges(program, f).any(|op| match op {
        Op::Assign(place, _) => !own(*place) || is_static(program, *place),
        Op::Havoc(place, HavocOrigin::Indeterminate) => !own(*place),
        Op::Havoc(..) => true,
        Op::Call(Call { callee: Callee::Direct(g), dest, .. }) => {
            dest.is_some_and(|dest| !own(dest)) || has_effects(program, *g, all, seen)
        }
        Op::Call(Call { callee: Callee::Indirect(_), .. }) => true,
        Op::Nop | Op::Assume { .. } | Op::Return(_) | Op::Declare(_) | Op::Expire(_) | Op::Unsupported(_) => {
            false
        }
    })
}

fn edges(program: &Program, f: FnId) -> impl Iterator<Item = &Op> {
    let own = move |from: LocId| program.cfa.locs[from].function == f;
    program.cfa.edges.iter().filter(move |edge| own(edge.from)).map(|edge| &edge.op)
}

fn is_static(program: &Program, place: PlaceId) -> bool {
    program.root(place).is_some_and(|var| program.vars[var].is_static())
}

/// The function reads what its caller, or another call, may have changed.
fn looks_at_memory(program: &Program, f: FnId) -> bool {
    let mut exprs = Vec::new();
    let mut places = Vec::new();
    for op in edges(program, f) {
        match op {
            Op::Nop
            | Op::Declare(_)
            | Op::Expire(_)
            | Op::Return(None)
            | Op::Unsupported(_)
            | Op::Havoc(..) => {}
            Op::Assign(place, value) => {
                places.push(*place);
                exprs.push(*value);
            }
            Op::Assume { cond, .. } => exprs.push(*cond),
            Op::Return(Some(value)) => exprs.push(*value),
            Op::Call(call) => exprs.extend(&call.args),
        }
    }
    loop {
        while let Some(place) = places.pop() {
            match program.places[place].kind {
                PlaceKind::Var(_) => {}
                PlaceKind::Deref(pointer) => exprs.push(pointer),
                PlaceKind::Field(base, _) => places.push(base),
                PlaceKind::Index(base, index) => {
                    places.push(base);
                    exprs.push(index);
                }
            }
        }
        let Some(expr) = exprs.pop() else { return false };
        match program.exprs[expr].kind {
            ExprKind::Int(_) | ExprKind::Float(_) | ExprKind::Zeroed | ExprKind::FnAddr(_) => {}
            ExprKind::Load(place) => {
                let constant = |var: VarId| program.vars[var].is_constant(&program.types);
                let fixed = program.root(place).is_some_and(|var| {
                    program.vars[var].function() == Some(f) && !program.vars[var].is_static() || constant(var)
                });
                if !fixed {
                    return true;
                }
                places.push(place);
            }
            ExprKind::AddrOf(place) => places.push(place),
            ExprKind::Unary(_, a) | ExprKind::Cast(a) | ExprKind::Fact(_, a) => exprs.push(a),
            ExprKind::Binary(_, a, b) => exprs.extend([a, b]),
        }
    }
}

/// All that the function returns is null, or comes from another function that returns what nothing else points to.
fn returns_fresh(program: &Program, f: FnId, all: &Promised) -> bool {
    let mut todo: Vec<ExprId> = edges(program, f)
        .filter_map(|op| match op {
            Op::Return(value) => *value,
            _ => None,
        })
        .collect();
    let mut seen: FxHashSet<VarId> = FxHashSet::default();
    let gives = |g: FnId| {
        let function = &program.functions[g];
        let allocates =
            matches!(function.builtin, Some(Builtin::Malloc | Builtin::Calloc | Builtin::Realloc));
        allocates || is_ours(program, g) || all.get(&g).is_some_and(|promised| promised.fresh)
    };
    while let Some(value) = todo.pop() {
        match program.exprs[value].kind {
            ExprKind::Int(0) => {}
            ExprKind::Cast(inner) => todo.push(inner),
            ExprKind::Load(place) => {
                let PlaceKind::Var(var) = program.places[place].kind else { return false };
                let variable = &program.vars[var];
                if !matches!(variable.storage, Storage::Local(_) | Storage::Temp(_)) || variable.address_taken
                {
                    return false;
                }
                if !seen.insert(var) {
                    continue;
                }
                let is_var = |place: PlaceId| program.places[place].kind == PlaceKind::Var(var);
                for op in edges(program, f) {
                    match op {
                        Op::Assign(place, value) if is_var(*place) => todo.push(*value),
                        Op::Havoc(place, _) if is_var(*place) => return false,
                        Op::Call(call) if call.dest.is_some_and(is_var) => match call.callee {
                            Callee::Direct(g) if gives(g) => {}
                            Callee::Direct(_) | Callee::Indirect(_) => return false,
                        },
                        _ => {}
                    }
                }
            }
            _ => return false,
        }
    }
    true
}
