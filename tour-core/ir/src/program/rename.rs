//! Operations, lvalues and expressions with other variables in them: what copies of functions are made of.

use super::{
    ArrayLen, Call, Callee, ExprId, ExprKind, Op, Place, PlaceId, PlaceKind, Program, Type, TypeId, VarId,
};
use crate::source::Span;

/// Puts other variables in the place of those of a function. What has none of them stays the same node.
pub trait Rename {
    /// Where the nodes are.
    fn program(&mut self) -> &mut Program;

    /// What stands in the place of a variable.
    fn var(&mut self, var: VarId) -> VarId;

    /// What stands in the place of the value of a variable, if that is more than the value of another variable.
    fn value(&mut self, _var: VarId, _ty: TypeId, _span: Span) -> Option<ExprId> {
        None
    }

    /// What a pointer, which is renamed already, is known to point to.
    fn target(&mut self, _pointer: ExprId, _ty: TypeId, _span: Span) -> Option<PlaceId> {
        None
    }

    /// A type: the length of an array can be a variable.
    fn ty(&mut self, ty: TypeId) -> TypeId {
        let new = match self.program().types[ty].clone() {
            Type::Array(mut of, ArrayLen::Variable(var)) => {
                of.ty = self.ty(of.ty);
                Type::Array(of, ArrayLen::Variable(self.var(var)))
            }
            Type::Array(mut of, len @ (ArrayLen::Fixed(_) | ArrayLen::Unknown)) => {
                of.ty = self.ty(of.ty);
                Type::Array(of, len)
            }
            Type::Pointer(mut to) => {
                to.ty = self.ty(to.ty);
                Type::Pointer(to)
            }
            _ => return ty,
        };
        self.program().types.intern(new)
    }

    /// An lvalue.
    fn place(&mut self, place: PlaceId) -> PlaceId {
        let old = self.program().places[place].clone();
        let ty = self.ty(old.ty);
        let kind = match old.kind {
            PlaceKind::Var(var) => PlaceKind::Var(self.var(var)),
            PlaceKind::Deref(pointer) => {
                let pointer = self.expr(pointer);
                match self.target(pointer, ty, old.span) {
                    Some(target) => return target,
                    None => PlaceKind::Deref(pointer),
                }
            }
            PlaceKind::Field(base, index) => PlaceKind::Field(self.place(base), index),
            PlaceKind::Index(base, index) => {
                let base = self.place(base);
                PlaceKind::Index(base, self.expr(index))
            }
        };
        if kind == old.kind && ty == old.ty {
            return place;
        }
        self.program().places.push(Place { kind, ty, span: old.span })
    }

    /// An expression.
    fn expr(&mut self, expr: ExprId) -> ExprId {
        let old = self.program().exprs[expr].clone();
        let ty = self.ty(old.ty);
        let kind = match old.kind.clone() {
            ExprKind::Load(place) => {
                if let PlaceKind::Var(var) = self.program().places[place].kind
                    && let Some(value) = self.value(var, ty, old.span)
                {
                    return value;
                }
                ExprKind::Load(self.place(place))
            }
            ExprKind::AddrOf(place) => ExprKind::AddrOf(self.place(place)),
            ExprKind::Unary(op, a) => ExprKind::Unary(op, self.expr(a)),
            ExprKind::Cast(a) => ExprKind::Cast(self.expr(a)),
            ExprKind::Fact(fact, a) => ExprKind::Fact(fact, self.expr(a)),
            ExprKind::Binary(op, a, b) => {
                let a = self.expr(a);
                ExprKind::Binary(op, a, self.expr(b))
            }
            kind @ (ExprKind::Int(_) | ExprKind::Float(_) | ExprKind::Zeroed | ExprKind::FnAddr(_)) => kind,
        };
        if kind == old.kind && ty == old.ty {
            return expr;
        }
        self.program().add_expr(kind, ty, old.span)
    }

    /// An operation.
    fn op(&mut self, op: &Op) -> Op {
        match op {
            Op::Nop => Op::Nop,
            Op::Assign(place, value) => {
                let place = self.place(*place);
                Op::Assign(place, self.expr(*value))
            }
            Op::Assume { cond, truth } => Op::Assume { cond: self.expr(*cond), truth: *truth },
            Op::Return(value) => Op::Return(value.map(|value| self.expr(value))),
            Op::Havoc(place, origin) => Op::Havoc(self.place(*place), *origin),
            Op::Declare(var) => Op::Declare(self.var(*var)),
            Op::Expire(var) => Op::Expire(self.var(*var)),
            Op::Unsupported(what) => Op::Unsupported(what.clone()),
            Op::Call(call) => Op::Call(self.call(call)),
        }
    }

    /// A call of the same function.
    fn call(&mut self, call: &Call) -> Call {
        let args = call.args.iter().map(|&arg| self.expr(arg)).collect();
        let dest = call.dest.map(|dest| self.place(dest));
        let callee = match call.callee {
            Callee::Direct(f) => Callee::Direct(f),
            Callee::Indirect(pointer) => Callee::Indirect(self.expr(pointer)),
        };
        Call { callee, args, dest }
    }
}
