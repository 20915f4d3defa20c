//! Calls: a copy of the callee for each set of constant arguments; operations on threads of their own kind.

use super::{Constant, Copier, Copy, Way};
use crate::threads::instance::join::Join;
use crate::threads::{builtin_of, not_modelled, sync};
use tour_ir::cfa::{EdgeId, LocId, Targets};
use tour_ir::program::{BinOp, Builtin, Call, Callee, ExprId, ExprKind, FnId, IntKind, Op, PlaceId, Type};
use tour_ir::source::Span;

impl Copier<'_> {
    pub(super) fn call(&mut self, copy: &mut Copy, id: EdgeId, call: Call, way: Way) {
        let Way { from, to, span } = way;
        let builtin = builtin_of(self.program, &Op::Call(call.clone()));
        let args: Vec<ExprId> = call.args.iter().map(|&arg| self.expr(copy, arg)).collect();
        let dest = call.dest.map(|dest| self.place(copy, dest));
        match builtin {
            Some(Builtin::ThreadCreate) => return self.create(copy, id, &args, dest, way),
            Some(Builtin::ThreadJoin) => {
                let again = copy.again || self.loops.innermost(self.old.edges[id].from).is_some();
                self.joins.push(Join { way, handle: args[0], dest, waits: args.len() == 1, again });
                return;
            }
            Some(Builtin::ThreadSelf) => {
                let op = match dest {
                    Some(dest) => {
                        let ty = self.program.places[dest].ty;
                        Op::Assign(dest, self.program.int(copy.thread.index() as i128 + 1, ty, span))
                    }
                    None => Op::Nop,
                };
                self.program.cfa.add_edge(from, to, op, span);
                return;
            }
            Some(Builtin::ThreadExit) => {
                let root = self.threads[copy.thread].root;
                let mut at = from;
                if copy.thread.index() != 0
                    && let (Some(ret), Some(&value)) = (self.program.functions[root].ret, args.first())
                    && self.program.types.is_scalar(self.program.vars[ret].ty.ty)
                {
                    let next = self.plain(copy);
                    let place = self.program.var_place(ret, span);
                    let ty = self.program.vars[ret].ty.ty;
                    let value = self.program.cast(value, ty, span);
                    self.program.cfa.add_edge(at, next, Op::Assign(place, value), span);
                    at = next;
                }
                if copy.thread.index() != 0 {
                    let mortals = self.mortals(copy.to);
                    at = self.expire(at, mortals, span);
                }
                let exit = self.exit;
                let edge = self.program.cfa.add_edge(at, to, super::call(exit, Vec::new()), span);
                self.exits.push((copy.thread, edge));
                return;
            }
            _ => {}
        }
        let again = copy.again || self.loops.innermost(self.old.edges[id].from).is_some();
        match call.callee {
            Callee::Direct(f) if self.program.functions[f].body.is_some() => {
                self.direct(copy, f, args, dest, again, way);
            }
            Callee::Direct(f) => {
                let op = Op::Call(Call { callee: Callee::Direct(f), args, dest });
                self.program.cfa.add_edge(from, to, op, span);
            }
            Callee::Indirect(pointer) => {
                let targets: Vec<FnId> = match self.calls.targets(self.program, &call) {
                    Targets::Direct(f) => vec![f],
                    Targets::Indirect(_, all) => all.to_vec(),
                };
                let pointer = self.expr(copy, pointer);
                if let Some(Constant::Function(f)) = self.constant(pointer)
                    && self.program.functions[f].body.is_some()
                {
                    self.direct(copy, f, args, dest, again, way);
                    return;
                }
                let mut at = from;
                for f in targets {
                    if self.program.functions[f].body.is_none() {
                        continue;
                    }
                    let (here, other) = (self.plain(copy), self.plain(copy));
                    self.test_function(pointer, f, at, here, other, span);
                    self.direct(copy, f, args.clone(), dest, again, Way { from: here, ..way });
                    at = other;
                }
                let op = not_modelled("a call through a pointer to an unknown function");
                self.program.cfa.add_edge(at, to, op, span);
            }
        }
    }

    /// `pointer == f`, or not.
    pub(super) fn test_function(
        &mut self,
        pointer: ExprId,
        f: FnId,
        at: LocId,
        yes: LocId,
        no: LocId,
        span: Span,
    ) {
        let ty = self.program.exprs[pointer].ty;
        let own = self.program.functions[f].ty;
        let address = self.program.types.pointer(own);
        let address = self.program.add_expr(ExprKind::FnAddr(f), address, span);
        let address = self.program.cast(address, ty, span);
        let int = self.program.types.int(IntKind::Int);
        let cond = self.program.binary(BinOp::Eq, pointer, address, int, span);
        self.program.cfa.add_edge(at, yes, Op::Assume { cond, truth: true }, span);
        self.program.cfa.add_edge(at, no, Op::Assume { cond, truth: false }, span);
    }

    /// A call of a function with a body: constants go into the copy.
    fn direct(
        &mut self,
        copy: &Copy,
        f: FnId,
        args: Vec<ExprId>,
        dest: Option<PlaceId>,
        again: bool,
        way: Way,
    ) {
        let params = self.program.functions[f].params.clone();
        let recursive = self.calls.is_recursive(f);
        let constants: Vec<Option<Constant>> = (params.iter().zip(&args))
            .map(|(param, &arg)| {
                let stable = self.stable.contains(param) && !recursive;
                stable.then(|| self.constant(arg)).flatten()
            })
            .collect();
        let left = (args.iter().enumerate())
            .filter(|(i, _)| !constants.get(*i).is_some_and(Option::is_some))
            .map(|(_, arg)| *arg)
            .collect();
        let callee = self.instance(copy.thread, f, constants, again, copy.ancestors.clone());
        let op = Op::Call(Call { callee: Callee::Direct(callee), args: left, dest });
        self.program.cfa.add_edge(way.from, way.to, op, way.span);
    }

    /// The constant that an expression is.
    pub(super) fn constant(&self, expr: ExprId) -> Option<Constant> {
        let program = &*self.program;
        let is_pointer = matches!(program.types[program.exprs[expr].ty], Type::Pointer(_));
        match program.exprs[expr].kind {
            ExprKind::Int(0) if is_pointer => Some(Constant::Null),
            ExprKind::FnAddr(f) => Some(Constant::Function(f)),
            ExprKind::AddrOf(place) => {
                let (var, offset) = sync::constant_place(program, place)?;
                let is_static = program.vars[var].is_static();
                (is_static && !program.vars[var].thread_local).then_some(Constant::Place(var, offset, place))
            }
            // A pointer to another type is the same address.
            ExprKind::Cast(inner) if is_pointer => match program.exprs[inner].kind {
                ExprKind::Int(0) => Some(Constant::Null),
                _ => self.constant(inner),
            },
            _ => None,
        }
    }
}
