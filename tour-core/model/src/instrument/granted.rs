//! What a verdict rests on because a rule is not checked. Each is said once, and only of programs that depend on it.

use super::{library, range};
use rustc_hash::FxHashSet;
use tour_ir::cfa::{EdgeId, LocId};
use tour_ir::program::{
    Assumption, BinOp, Callee, ExprId, ExprKind, FnId, Op, PlaceId, PlaceKind, Program, Rule, UnOp,
};
use tour_ir::source::Span;

/// Longer loops than this do something.
/// Part of what a verdict says.
const MAX_IDLE: usize = 64;

/// What these rules leave open, in the functions that a run can get to.
pub(super) fn by(program: &Program, rules: &[Rule], reached: &[FnId]) -> Vec<Assumption> {
    let edges: Vec<EdgeId> = (program.cfa.edges.iter_enumerated())
        .filter(|(_, edge)| {
            let function = program.cfa.locs[edge.from].function;
            reached.binary_search(&function).is_ok() && !library::is_ours(program, function)
        })
        .map(|(id, _)| id)
        .collect();
    let mut granted = Vec::new();
    let mut grant = |text: &str, span: Option<Span>| {
        granted.extend(span.map(|span| Assumption { text: text.to_owned(), span }));
    };
    if !rules.contains(&Rule::SignedOverflow) {
        let text = "signed arithmetic wraps around, as with -fwrapv (`signed-overflow` is not checked)";
        grant(text, edges.iter().find_map(|&edge| overflows(program, edge)));
    }
    if program.undefined_ends {
        let text = "accesses stay inside their objects (`memory-safety` is not checked)";
        grant(text, edges.iter().find_map(|&edge| accesses(program, edge)));
        let text =
            "what no check depends on has no undefined behaviour (`undefined-behaviour` is not checked)";
        let undefined = |edge: &EdgeId| match &program.cfa.edges[*edge].op {
            Op::Unsupported(what) if what.is_undefined() => Some(program.cfa.edges[*edge].span),
            _ => None,
        };
        grant(text, edges.iter().find_map(undefined));
    }
    let text = "a loop without effects goes on while its condition holds (compilers may assume that it ends)";
    grant(text, edges.iter().find_map(|&edge| idles(program, edge)));
    granted
}

/// Where a signed operation of an edge could overflow.
fn overflows(program: &Program, edge: EdgeId) -> Option<Span> {
    let found = |part: Part| match part {
        Part::Expr(expr) => can_overflow(program, expr).then(|| program.exprs[expr].span),
        Part::Place(_) => None,
    };
    find(program, edge, found)
}

/// Where an edge accesses what a pointer points to, or an element of an array.
fn accesses(program: &Program, edge: EdgeId) -> Option<Span> {
    let constant = |index: ExprId| program.const_value(index).is_some();
    let found = |part: Part| match part {
        Part::Place(place) => match program.places[place].kind {
            PlaceKind::Deref(pointer) => !matches!(program.exprs[pointer].kind, ExprKind::AddrOf(_)),
            PlaceKind::Index(_, index) => !constant(index),
            PlaceKind::Var(_) | PlaceKind::Field(..) => false,
        }
        .then(|| program.places[place].span),
        Part::Expr(_) => None,
    };
    find(program, edge, found)
}

/// A part of an operation.
enum Part {
    Expr(ExprId),
    Place(PlaceId),
}

/// The first part of an edge's operation of which something is found.
fn find(program: &Program, edge: EdgeId, found: impl Fn(Part) -> Option<Span>) -> Option<Span> {
    let mut todo: Vec<ExprId> = Vec::new();
    let mut places: Vec<PlaceId> = Vec::new();
    match &program.cfa.edges[edge].op {
        Op::Nop | Op::Declare(_) | Op::Expire(_) | Op::Return(None) | Op::Unsupported(_) => {}
        Op::Assign(place, value) => {
            places.push(*place);
            todo.push(*value);
        }
        Op::Assume { cond, .. } => todo.push(*cond),
        Op::Return(Some(value)) => todo.push(*value),
        Op::Havoc(place, _) => places.push(*place),
        Op::Call(call) => {
            todo.extend(&call.args);
            places.extend(call.dest);
            if let Callee::Indirect(pointer) = call.callee {
                todo.push(pointer);
            }
        }
    }
    loop {
        while let Some(place) = places.pop() {
            if let Some(span) = found(Part::Place(place)) {
                return Some(span);
            }
            match program.places[place].kind {
                PlaceKind::Var(_) => {}
                PlaceKind::Deref(pointer) => todo.push(pointer),
                PlaceKind::Field(base, _) => places.push(base),
                PlaceKind::Index(base, index) => {
                    places.push(base);
                    todo.push(index);
                }
            }
        }
        let expr = todo.pop()?;
        if let Some(span) = found(Part::Expr(expr)) {
            return Some(span);
        }
        match program.exprs[expr].kind {
            ExprKind::Int(_) | ExprKind::Float(_) | ExprKind::Zeroed | ExprKind::FnAddr(_) => {}
            ExprKind::Load(place) | ExprKind::AddrOf(place) => places.push(place),
            ExprKind::Unary(_, a) | ExprKind::Cast(a) | ExprKind::Fact(_, a) => todo.push(a),
            ExprKind::Binary(_, a, b) => todo.extend([a, b]),
        }
    }
}

/// The operation is signed, and its operands do not show that the result fits.
fn can_overflow(program: &Program, expr: ExprId) -> bool {
    let Some(int) = program.int_type_of(expr).filter(|int| int.signed) else { return false };
    match program.exprs[expr].kind {
        ExprKind::Binary(op @ (BinOp::Add | BinOp::Sub | BinOp::Mul), a, b) => {
            let exact = match (range::of(program, a), range::of(program, b)) {
                (Some(a), Some(b)) => range::exact(op, a, b),
                _ => None,
            };
            let whole = range::whole(int);
            !exact.is_some_and(|exact| whole.is_some_and(|whole| range::inside(exact, whole)))
        }
        ExprKind::Unary(UnOp::Neg, a) => program.const_value(a).is_none(),
        _ => false,
    }
}

/// An edge that begins a way back to its start on which nothing happens. Compilers may take such a loop for one that ends
/// (C11 6.8.5p6), unless its condition is constant.
fn idles(program: &Program, edge: EdgeId) -> Option<Span> {
    let does_nothing = |edge: EdgeId| matches!(program.cfa.edges[edge].op, Op::Nop | Op::Assume { .. });
    let first = &program.cfa.edges[edge];
    if !matches!(first.op, Op::Assume { .. }) {
        return None;
    }
    let mut seen: FxHashSet<LocId> = FxHashSet::default();
    let mut todo = vec![first.to];
    while let Some(loc) = todo.pop() {
        if loc == first.from {
            return Some(first.span);
        }
        if seen.len() < MAX_IDLE && seen.insert(loc) {
            let out = program.cfa.locs[loc].out.iter().filter(|edge| does_nothing(**edge));
            todo.extend(out.map(|edge| program.cfa.edges[*edge].to));
        }
    }
    None
}
