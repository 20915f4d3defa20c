//! Puts the types that were found into a body.

use super::hir::{Body, Cond, Expr, Kind, Stmt};
use super::ty::Unifier;

/// Makes every type known.
pub(crate) fn resolve(body: &mut Body, types: &Unifier) {
    for local in &mut body.locals {
        local.ty = types.resolve(&local.ty);
    }
    body.ret = types.resolve(&body.ret);
    expr(&mut body.value, types);
}

fn expr(value: &mut Expr, types: &Unifier) {
    stacker::maybe_grow(64 * 1024, 1024 * 1024, || {
        value.ty = types.resolve(&value.ty);
        parts(&mut value.kind, types);
    });
}

fn parts(kind: &mut Kind, types: &Unifier) {
    match kind {
        Kind::Int(_)
        | Kind::Bool(_)
        | Kind::Unit
        | Kind::Local(_)
        | Kind::Global(_)
        | Kind::Bytes(_)
        | Kind::None
        | Kind::Zeroed
        | Kind::Undefined
        | Kind::Any(_)
        | Kind::Continue(_)
        | Kind::Panic(_) => {}
        Kind::SizeOf(ty) => *ty = types.resolve(ty),
        Kind::Neg(a)
        | Kind::Not(a)
        | Kind::Deref(a)
        | Kind::Cast(a)
        | Kind::Coerce(a)
        | Kind::Field(a, _)
        | Kind::AddrOf(a)
        | Kind::AsPtr(a)
        | Kind::Len(a)
        | Kind::Repeat(a, _)
        | Kind::Some(a)
        | Kind::Init(a)
        | Kind::Labelled(_, a)
        | Kind::Loop(_, a)
        | Kind::Assume(a)
        | Kind::Assert(a, _) => expr(a, types),
        Kind::Binary(_, a, b)
        | Kind::Compare(_, a, b)
        | Kind::And(a, b)
        | Kind::Or(a, b)
        | Kind::Assign(a, b)
        | Kind::AssignOp(_, a, b)
        | Kind::Index(a, b)
        | Kind::Offset(a, b, _)
        | Kind::AssertEq(a, b, _, _) => {
            expr(a, types);
            expr(b, types);
        }
        Kind::Slice { base, low, high, .. } => {
            expr(base, types);
            for end in [low, high].into_iter().flatten() {
                expr(end, types);
            }
        }
        Kind::Array(items) | Kind::Call(_, items) => items.iter_mut().for_each(|item| expr(item, types)),
        Kind::Record(fields, rest) => {
            fields.iter_mut().for_each(|(_, value)| expr(value, types));
            rest.iter_mut().for_each(|rest| expr(rest, types));
        }
        Kind::Method(_, receiver, args) => {
            expr(receiver, types);
            args.iter_mut().for_each(|arg| expr(arg, types));
        }
        Kind::Block(stmts, tail) => {
            for stmt in stmts {
                match stmt {
                    Stmt::Let(_, value) => value.iter_mut().for_each(|value| expr(value, types)),
                    Stmt::LetTuple(_, value) | Stmt::Expr(value) => expr(value, types),
                }
            }
            tail.iter_mut().for_each(|tail| expr(tail, types));
        }
        Kind::If(condition, then, other) => {
            cond(condition, types);
            expr(then, types);
            other.iter_mut().for_each(|other| expr(other, types));
        }
        Kind::While(_, condition, body) => {
            cond(condition, types);
            expr(body, types);
        }
        Kind::Match(value, arms) => {
            expr(value, types);
            for arm in arms {
                arm.guard.iter_mut().for_each(|guard| expr(guard, types));
                expr(&mut arm.body, types);
            }
        }
        Kind::For(parts) => {
            for value in [&mut parts.low, &mut parts.high, &mut parts.body] {
                expr(value, types);
            }
        }
        Kind::Break(_, value) | Kind::Return(value) => value.iter_mut().for_each(|value| expr(value, types)),
    }
}

fn cond(condition: &mut Cond, types: &Unifier) {
    match condition {
        Cond::Expr(value) | Cond::Let(_, value) => expr(value, types),
        Cond::And(a, b) => {
            cond(a, types);
            cond(b, types);
        }
    }
}
