//! Puts conditions into the automaton: before an operation, its violations; after it, what is remembered of it.

use super::walk::{Known, Rules, Walk};
use super::{Condition, Violation, library};
use tour_ir::cfa::{EdgeId, LocId, LocKind};
use tour_ir::program::{Check, ExprId, ExprKind, FnId, Op, PlaceId, PlaceKind, Program, Rule, Unsupported};
use tour_ir::source::Span;

/// Checks all operations of these functions.
pub(super) fn all(program: &mut Program, rules: &Rules, functions: &[FnId], known: &Known) {
    let about_memory = [
        Rule::NullDeref,
        Rule::OutOfBounds,
        Rule::UseAfterFree,
        Rule::DoubleFree,
        Rule::InvalidFree,
        Rule::UninitialisedRead,
        Rule::MisalignedAccess,
        Rule::EffectiveType,
        Rule::ConstWrite,
        Rule::OverlappingCopy,
        Rule::InvalidBool,
    ];
    let memory = rules.among(&about_memory);
    let locs: Vec<LocId> = program.cfa.locs.indices().collect();
    for loc in locs {
        let function = program.cfa.locs[loc].function;
        if functions.binary_search(&function).is_err() || library::stands_in(program, function) {
            continue;
        }
        // Our own arithmetic is what it should be, but where it is the caller's.
        let rules = if library::computes_itself(program, function) { &memory } else { rules };
        let out = program.cfa.locs[loc].out.clone();
        let ops: Vec<(Op, Span)> =
            out.iter().map(|&e| (program.cfa.edges[e].op.clone(), program.cfa.edges[e].span)).collect();
        let mut walk = Walk::new(program, rules, known);
        for (op, span) in &ops {
            walk.op(op, *span);
        }
        let found = walk.finish();
        check_before(program, loc, found);
        for edge in out {
            store_result(program, rules, known, edge);
        }
    }
    known.shadows.remember(program, functions);
}

/// The operations at a location come only after these checks.
fn check_before(program: &mut Program, loc: LocId, found: Vec<Violation>) {
    let mut distinct: Vec<Violation> = Vec::with_capacity(found.len());
    for violation in found {
        if !distinct
            .iter()
            .any(|seen| seen.rule == violation.rule && same(program, &seen.condition, &violation.condition))
        {
            distinct.push(violation);
        }
    }
    if distinct.is_empty() {
        return;
    }
    let rest = delay(program, loc);
    chain(program, loc, rest, distinct);
}

/// Moves the edges that leave a location to a new one, which nothing leads to yet.
pub(super) fn delay(program: &mut Program, loc: LocId) -> LocId {
    let function = program.cfa.locs[loc].function;
    let rest = program.cfa.add_loc(function, LocKind::Plain);
    let out = std::mem::take(&mut program.cfa.locs[loc].out);
    for &edge in &out {
        program.cfa.edges[edge].from = rest;
    }
    program.cfa.locs[rest].out = out;
    rest
}

/// Lets an edge lead to a new location, which nothing leaves yet; also where it led before.
pub(super) fn interrupt(program: &mut Program, edge: EdgeId) -> (LocId, LocId) {
    let old = program.cfa.edges[edge].to;
    let function = program.cfa.locs[old].function;
    let mid = program.cfa.add_loc(function, LocKind::Plain);
    program.cfa.locs[old].into.retain(|e| *e != edge);
    program.cfa.edges[edge].to = mid;
    program.cfa.locs[mid].into.push(edge);
    (mid, old)
}

/// Checks one after another, from one location to another.
fn chain(program: &mut Program, from: LocId, to: LocId, found: Vec<Violation>) {
    let function = program.cfa.locs[from].function;
    let mut at = from;
    let mut left = found.len();
    for violation in found {
        left -= 1;
        let next = if left == 0 { to } else { program.cfa.add_loc(function, LocKind::Plain) };
        let Violation { rule, condition, message, span } = violation;
        match (condition, rule) {
            (Condition::Unknown(message), Some(_)) => unsupported(program, (at, next), message, span),
            (Condition::Unknown(message), None) => {
                let what = Unsupported { kind: Unsupported::UNDEFINED, message };
                program.cfa.add_edge(at, next, Op::Unsupported(Box::new(what)), span);
            }
            (condition, Some(rule)) => {
                let error = add_check(program, function, rule, message, span);
                branch(program, &condition, at, (error, next), span);
            }
            (condition, None) => {
                let wrong = program.cfa.add_loc(function, LocKind::Plain);
                branch(program, &condition, at, (wrong, next), span);
                let what = Unsupported { kind: Unsupported::UNDEFINED, message };
                program.cfa.add_edge(wrong, next, Op::Unsupported(Box::new(what)), span);
            }
        }
        at = next;
    }
}

/// A new check; its error location.
pub(super) fn add_check(
    program: &mut Program,
    function: FnId,
    rule: Rule,
    message: String,
    span: Span,
) -> LocId {
    let id = program.checks.next_idx();
    let loc = program.cfa.add_loc(function, LocKind::Error(id));
    program.checks.push(Check { rule, loc, message, span });
    loc
}

pub(super) fn unsupported(program: &mut Program, (from, to): (LocId, LocId), message: String, span: Span) {
    let what = Unsupported { kind: "check", message };
    program.cfa.add_edge(from, to, Op::Unsupported(Box::new(what)), span);
}

/// Edges that lead from a location to `yes` where a condition holds and to `no` where it does not.
pub(super) fn branch(
    program: &mut Program,
    condition: &Condition,
    from: LocId,
    (yes, no): (LocId, LocId),
    span: Span,
) {
    let function = program.cfa.locs[from].function;
    match condition {
        Condition::Is(cond) => {
            program.cfa.add_edge(from, yes, Op::Assume { cond: *cond, truth: true }, span);
            program.cfa.add_edge(from, no, Op::Assume { cond: *cond, truth: false }, span);
        }
        Condition::Unknown(message) => unsupported(program, (from, no), message.clone(), span),
        Condition::Any(parts) | Condition::All(parts) => {
            let any = matches!(condition, Condition::Any(_));
            let Some((last, first)) = parts.split_last() else {
                program.cfa.add_edge(from, if any { no } else { yes }, Op::Nop, span);
                return;
            };
            let mut at = from;
            for part in first {
                let next = program.cfa.add_loc(function, LocKind::Plain);
                branch(program, part, at, if any { (yes, next) } else { (next, no) }, span);
                at = next;
            }
            branch(program, last, at, (yes, no), span);
        }
    }
}

/// If storing the result of a call can violate something, it is stored after the call by an edge of its own.
fn store_result(program: &mut Program, rules: &Rules, known: &Known, edge: EdgeId) {
    let span = program.cfa.edges[edge].span;
    let Op::Call(call) = &program.cfa.edges[edge].op else { return };
    let Some(dest) = call.dest else { return };
    if let PlaceKind::Var(_) = program.places[dest].kind {
        return;
    }
    let mut walk = Walk::new(program, rules, known);
    walk.written(dest);
    let found = walk.finish();
    if found.is_empty() {
        return;
    }
    let function = program.cfa.locs[program.cfa.edges[edge].from].function;
    let ty = program.places[dest].ty;
    let temp = program.add_temp(function, "<result>", ty, span);
    let place = program.var_place(temp, span);
    if let Op::Call(call) = &mut program.cfa.edges[edge].op {
        call.dest = Some(place);
    }
    let (after, end) = interrupt(program, edge);
    let store = program.cfa.add_loc(function, LocKind::Plain);
    chain(program, after, store, found);
    let value = program.load(place, span);
    program.cfa.add_edge(store, end, Op::Assign(dest, value), span);
}

/// The same condition, at the same place of the program.
fn same(program: &Program, a: &Condition, b: &Condition) -> bool {
    match (a, b) {
        (Condition::Is(a), Condition::Is(b)) => same_expr(program, *a, *b),
        (Condition::Any(a), Condition::Any(b)) | (Condition::All(a), Condition::All(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(program, a, b))
        }
        (Condition::Unknown(a), Condition::Unknown(b)) => a == b,
        _ => false,
    }
}

fn same_expr(program: &Program, a: ExprId, b: ExprId) -> bool {
    if a == b {
        return true;
    }
    let (x, y) = (&program.exprs[a], &program.exprs[b]);
    x.ty == y.ty
        && match (&x.kind, &y.kind) {
            (ExprKind::Load(a), ExprKind::Load(b)) | (ExprKind::AddrOf(a), ExprKind::AddrOf(b)) => {
                same_place(program, *a, *b)
            }
            (ExprKind::Unary(f, a), ExprKind::Unary(g, b)) => f == g && same_expr(program, *a, *b),
            (ExprKind::Binary(f, a, c), ExprKind::Binary(g, b, d)) => {
                f == g && same_expr(program, *a, *b) && same_expr(program, *c, *d)
            }
            (ExprKind::Cast(a), ExprKind::Cast(b)) => same_expr(program, *a, *b),
            (ExprKind::Fact(f, a), ExprKind::Fact(g, b)) => f == g && same_expr(program, *a, *b),
            (a, b) => a == b,
        }
}

fn same_place(program: &Program, a: PlaceId, b: PlaceId) -> bool {
    match (&program.places[a].kind, &program.places[b].kind) {
        (PlaceKind::Deref(a), PlaceKind::Deref(b)) => same_expr(program, *a, *b),
        (PlaceKind::Field(a, i), PlaceKind::Field(b, j)) => i == j && same_place(program, *a, *b),
        (PlaceKind::Index(a, i), PlaceKind::Index(b, j)) => {
            same_place(program, *a, *b) && same_expr(program, *i, *j)
        }
        (a, b) => a == b,
    }
}
