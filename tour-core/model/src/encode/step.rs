//! Steps of a run: operations of edges, calls and returns.

use super::expr::Eval;
use super::path::Path;
use super::{Encode, Encoder, unsupported};
use tour_ir::program::{Callee, ExprId, FnId, HavocOrigin, Op};
use tour_logic::term::{TermId, Terms};

/// The frame that an operation runs in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct At {
    /// The function.
    pub function: FnId,
    /// Which frame of that function.
    pub instance: u32,
}

impl<'p> Encoder<'p> {
    pub(super) fn eval<'a, T>(
        &'a mut self,
        terms: &'a mut Terms,
        path: &mut Path,
        instance: u32,
        f: impl FnOnce(&mut Eval<'_, 'p>) -> Encode<T>,
    ) -> Encode<T> {
        let (mut side, mut fresh) = (Vec::new(), Vec::new());
        let (ssa, side_of, fresh_of) = (&path.ssa, &mut side, &mut fresh);
        let mut eval = Eval { encoder: self, terms, ssa, instance, side: side_of, fresh: fresh_of };
        let value = f(&mut eval)?;
        for base in fresh {
            path.ssa.bump(base);
        }
        for fact in side {
            path.add(terms, fact);
        }
        Ok(value)
    }

    /// The operation of an edge. Calls of functions with a body are [`Encoder::enter`] and [`Encoder::leave`].
    pub fn op(&mut self, terms: &mut Terms, path: &mut Path, op: &Op, at: At) -> Encode<()> {
        let instance = at.instance;
        match op {
            Op::Nop => Ok(()),
            Op::Assign(place, value) => self.assign(terms, path, *place, *value, instance),
            Op::Assume { cond, truth } => {
                let holds = self.condition(terms, path, *cond, instance)?;
                let fact = if *truth { holds } else { terms.not(holds) };
                path.add(terms, fact);
                Ok(())
            }
            Op::Return(value) => match (value, self.program.functions[at.function].ret) {
                (Some(value), Some(ret)) => {
                    let to = self.eval(terms, path, instance, |e| Ok(e.whole(ret)))?;
                    self.store(terms, path, &to, *value, instance)
                }
                (None, _) | (_, None) => Ok(()),
            },
            Op::Havoc(place, _) => {
                let at = self.eval(terms, path, instance, |e| {
                    let at = e.resolve(*place)?;
                    e.check(&at)?;
                    Ok(at)
                })?;
                self.forget(terms, path, &at, true)
            }
            Op::Declare(var) => self.declare_var(terms, path, *var, instance),
            Op::Expire(var) => {
                self.end(terms, path, *var, instance);
                Ok(())
            }
            Op::Call(call) => match call.callee {
                Callee::Direct(f) => match self.program.functions[f].builtin {
                    Some(builtin) => self.library(terms, path, call, builtin, instance).map_err(|mut why| {
                        if why.kind == "library-function" {
                            let name = &self.program.functions[f].name;
                            why.message = format!("a call of `{name}`: {}", why.message);
                        }
                        why
                    }),
                    None => {
                        let name = &self.program.functions[f].name;
                        unsupported("library-function", format!("a call of `{name}`"))
                    }
                },
                Callee::Indirect(_) => unsupported("function-pointer", "a call through a pointer"),
            },
            Op::Unsupported(what) => Err(what.clone()),
        }
    }

    /// An operation as if it could do anything: what it writes to gets any value, and what it decides is open. For fault
    /// localisation, which asks what else a statement could have done.
    pub fn free(&mut self, terms: &mut Terms, path: &mut Path, op: &Op, at: At) -> Encode<()> {
        match op {
            Op::Assume { .. } => Ok(()),
            Op::Assign(place, _) => self.op(terms, path, &Op::Havoc(*place, HavocOrigin::Indeterminate), at),
            Op::Return(Some(_)) => match self.program.functions[at.function].ret {
                Some(ret) => {
                    let to = self.eval(terms, path, at.instance, |e| Ok(e.whole(ret)))?;
                    self.forget(terms, path, &to, true)
                }
                None => Ok(()),
            },
            Op::Call(call) => {
                self.op(terms, path, op, at)?;
                self.free_result(terms, path, call, at)
            }
            Op::Nop
            | Op::Return(None)
            | Op::Havoc(..)
            | Op::Declare(_)
            | Op::Expire(_)
            | Op::Unsupported(_) => self.op(terms, path, op, at),
        }
    }

    /// The destination of a call that has returned to `caller` gets any value.
    pub fn free_result(
        &mut self,
        terms: &mut Terms,
        path: &mut Path,
        call: &tour_ir::program::Call,
        caller: At,
    ) -> Encode<()> {
        match call.dest {
            Some(dest) => self.op(terms, path, &Op::Havoc(dest, HavocOrigin::Indeterminate), caller),
            None => Ok(()),
        }
    }

    /// The parameters of a function that was entered get any value.
    pub fn free_arguments(
        &mut self,
        terms: &mut Terms,
        path: &mut Path,
        function: FnId,
        callee: u32,
    ) -> Encode<()> {
        for &param in &self.program.functions[function].params {
            let at = self.eval(terms, path, callee, |e| Ok(e.whole(param)))?;
            self.forget(terms, path, &at, true)?;
        }
        Ok(())
    }

    /// The condition of an assumption at the end of a path, as a formula over its instances.
    pub fn condition(
        &mut self,
        terms: &mut Terms,
        path: &mut Path,
        cond: ExprId,
        instance: u32,
    ) -> Encode<TermId> {
        self.eval(terms, path, instance, |e| e.condition(cond))
    }

    /// A call of a function with a body: its parameters get the arguments. `caller` and `callee` are the frames'
    /// instances.
    pub fn enter(
        &mut self,
        terms: &mut Terms,
        path: &mut Path,
        call: &tour_ir::program::Call,
        function: FnId,
        caller: u32,
        callee: u32,
    ) -> Encode<()> {
        let params = &self.program.functions[function].params;
        if params.len() > call.args.len() {
            return unsupported("call-mismatch", "a call with too few arguments");
        }
        // All arguments are evaluated before any parameter changes; a recursive call has parameters of its own.
        let mut values = Vec::with_capacity(params.len());
        for (&param, &arg) in params.iter().zip(&call.args) {
            let ty = self.program.vars[param].ty.ty;
            if !self.program.types.is_scalar(ty) {
                values.push(None);
                continue;
            }
            if self.is_pointer(ty) != self.is_pointer(self.program.exprs[arg].ty) {
                return unsupported("call-mismatch", "a pointer in place of a number");
            }
            values.push(Some(self.eval(terms, path, caller, |e| e.value(arg))?));
        }
        self.open_frame(terms, path, function, callee)?;
        if let Some(ret) = self.program.functions[function].ret {
            let at = self.eval(terms, path, callee, |e| Ok(e.whole(ret)))?;
            if self.follows(&at) {
                self.forget(terms, path, &at, false)?;
            }
        }
        for ((&param, &arg), value) in params.iter().zip(&call.args).zip(values) {
            let at = self.eval(terms, path, callee, |e| Ok(e.whole(param)))?;
            match value {
                Some(value) => self.store_scalar(terms, path, &at, value)?,
                None => self.store(terms, path, &at, arg, caller)?,
            }
        }
        Ok(())
    }

    /// A function pointer points to a function.
    pub fn guard(
        &mut self,
        terms: &mut Terms,
        path: &mut Path,
        pointer: ExprId,
        function: FnId,
        instance: u32,
    ) -> Encode<TermId> {
        let region = self.regions.pointee(pointer);
        self.eval(terms, path, instance, |e| {
            let value = e.value(pointer)?;
            match e.encoder.regions.function(function) {
                Some((of, _)) if Some(of) == region => {
                    let address = e.function_address(function)?;
                    Ok(e.terms.eq(value, address))
                }
                _ => Ok(e.terms.no()),
            }
        })
    }

    /// The return from a function with a body: the destination gets what it returned, and the frame is gone.
    pub fn leave(
        &mut self,
        terms: &mut Terms,
        path: &mut Path,
        call: &tour_ir::program::Call,
        function: FnId,
        caller: u32,
        callee: u32,
    ) -> Encode<()> {
        if let Some(dest) = call.dest {
            let Some(ret) = self.program.functions[function].ret else {
                return unsupported("call-mismatch", "the result of a function that returns none");
            };
            let to = self.eval(terms, path, caller, |e| {
                let to = e.resolve(dest)?;
                e.check(&to)?;
                Ok(to)
            })?;
            let from = self.eval(terms, path, callee, |e| Ok(e.whole(ret)))?;
            if self.program.types.is_scalar(to.ty) {
                if self.is_pointer(to.ty) != self.is_pointer(from.ty) {
                    return unsupported("call-mismatch", "a pointer in place of a number");
                }
                let value = self.eval(terms, path, callee, |e| e.load_at(&from))?;
                self.store_scalar(terms, path, &to, value)?;
                self.spoil_padding(terms, path, dest, caller)?;
            } else {
                self.copy(terms, path, &to, &from)?;
            }
        }
        self.close_frame(terms, path, function, callee);
        Ok(())
    }
}
