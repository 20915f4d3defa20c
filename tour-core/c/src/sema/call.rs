//! Calls: the callee, arguments in order, and where the result goes.

use super::expr::Value;
use super::{Entity, Fail, Lower, Sema, library};
use lang_c::ast::{CallExpression, Expression};
use lang_c::span::Node;
use tour_ir::cfa::EdgeId;
use tour_ir::program::{
    Call, Callee, ExprId, ExprKind, FnId, FnSig, Op, PlaceId, Program, Type, TypeId, Unsupported,
};
use tour_ir::source::Span;

/// What is wanted of a call's result.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Want {
    /// Nothing.
    Nothing,
    /// A value.
    Value,
    /// That it be stored in a place, if it has the place's type; a value otherwise.
    Into(PlaceId),
}

/// What a call gave.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Given {
    /// A value, or nothing.
    Value(Value),
    /// It was stored in the wanted place.
    Stored,
}

impl Sema<'_> {
    /// A call as an expression.
    pub(crate) fn call(&mut self, call: &Node<CallExpression>, used: bool) -> Lower<Value> {
        match self.call_for(call, if used { Want::Value } else { Want::Nothing })? {
            Given::Value(value) => Ok(value),
            Given::Stored => Ok(Value::Void),
        }
    }

    /// A call whose result goes to a place if it has its type (then `None`).
    pub(crate) fn call_into(&mut self, call: &Node<CallExpression>, place: PlaceId) -> Lower<Option<Value>> {
        match self.call_for(call, Want::Into(place))? {
            Given::Value(value) => Ok(Some(value)),
            Given::Stored => Ok(None),
        }
    }

    fn call_for(&mut self, call: &Node<CallExpression>, want: Want) -> Lower<Given> {
        let span = self.span(call.span);
        let args = &call.node.arguments;
        let callee = match &call.node.callee.node {
            Expression::Identifier(name) => {
                let name = &name.node.name;
                match self.scopes.lookup(name) {
                    Some(Entity::Var(_) | Entity::EnumConst(..) | Entity::Typedef(_)) => {
                        self.rvalue(&call.node.callee)?
                    }
                    found => {
                        let declared = match found {
                            Some(Entity::Function(f)) => Some(f),
                            _ => None,
                        };
                        // What a function is depends on its symbol, not on how it is spelt.
                        let symbol = match declared {
                            Some(f) => self.program.functions[f].name.clone(),
                            None => name.clone(),
                        };
                        if let Some(given) = self.special_call(&symbol, declared, args, want, span)? {
                            return Ok(given);
                        }
                        let function = match declared {
                            Some(function) => function,
                            None => self.implicit_function(name, span)?,
                        };
                        self.function_pointer(function, span)?
                    }
                }
            }
            _ => {
                let callee = self.rvalue(&call.node.callee)?;
                // `(*exit)(3)` calls a known function.
                if let ExprKind::FnAddr(f) = self.program.exprs[callee].kind {
                    let name = self.program.functions[f].name.clone();
                    if let Some(given) = self.special_call(&name, Some(f), args, want, span)? {
                        return Ok(given);
                    }
                }
                callee
            }
        };
        self.call_value(callee, args, want, span)
    }

    /// Calls that are not just calls.
    fn special_call(
        &mut self,
        name: &str,
        declared: Option<FnId>,
        args: &[Node<Expression>],
        want: Want,
        span: Span,
    ) -> Lower<Option<Given>> {
        if let Some(given) = self.verifier_call(name, declared, args, want, span)? {
            return Ok(Some(given));
        }
        if let Some(given) = self.thread_call(name, args, want, span)? {
            return Ok(Some(given));
        }
        Ok(self.builtin_call(name, args, want, span)?.map(Given::Value))
    }

    /// Calls a function or what a pointer points to.
    pub(crate) fn call_value(
        &mut self,
        callee: ExprId,
        args: &[Node<Expression>],
        want: Want,
        span: Span,
    ) -> Lower<Given> {
        let sig = self.signature(callee, span)?;
        let mark = self.mark();
        let args = self.arguments(&sig, args)?;
        let callee = self.keep(callee, mark, span)?;
        self.emit_call(callee, &sig, args, want, span)
    }

    /// The type of the function that a pointer points to.
    fn signature(&self, callee: ExprId, span: Span) -> Lower<FnSig> {
        let pointee = self.program.types.pointee(self.ty(callee));
        match pointee.map(|to| &self.program.types[to.ty]) {
            Some(Type::Function(sig)) => Ok(sig.clone()),
            _ => {
                let shown = self.program.show_type(self.ty(callee));
                Fail::error("what is called here is not a function", span, format!("has type `{shown}`"))
            }
        }
    }

    /// Arguments from left to right, converted to the types of the parameters.
    pub(super) fn arguments(&mut self, sig: &FnSig, args: &[Node<Expression>]) -> Lower<Vec<ExprId>> {
        let mut values: Vec<ExprId> = Vec::with_capacity(args.len());
        for (i, arg) in args.iter().enumerate() {
            let mark = self.mark();
            let value = self.rvalue(arg)?;
            let span = self.span(arg.span);
            let value = match sig.params.get(i) {
                Some(&ty) => self.coerce(value, ty, span)?,
                None => self.promote_argument(value, span)?,
            };
            if self.changed_since(mark) {
                for earlier in &mut values {
                    *earlier = self.keep(*earlier, mark, span)?;
                }
            }
            values.push(value);
        }
        Ok(values)
    }

    pub(crate) fn emit_call(
        &mut self,
        callee: ExprId,
        sig: &FnSig,
        args: Vec<ExprId>,
        want: Want,
        span: Span,
    ) -> Lower<Given> {
        let callee = match self.program.exprs[callee].kind {
            ExprKind::FnAddr(f) => Callee::Direct(f),
            _ => Callee::Indirect(callee),
        };
        let void = matches!(self.program.types[sig.ret], Type::Void);
        let (dest, given) = match want {
            _ if void => (None, Given::Value(Value::Void)),
            Want::Nothing => (None, Given::Value(Value::Void)),
            Want::Into(place) if self.program.places[place].ty == sig.ret => {
                self.note_volatile(place, span);
                (Some(place), Given::Stored)
            }
            Want::Value | Want::Into(_) => {
                let temp = self.temp(sig.ret, span)?;
                let place = self.program.var_place(temp, span);
                (Some(place), Given::Value(Value::Rvalue(self.program.load(place, span))))
            }
        };
        if let Callee::Direct(f) = callee
            && self.never_returns(f)
        {
            self.evaluate(&args, span)?;
            if self.program.functions[f].name == "exit" {
                self.run_end(span)?;
            }
            self.end_program(span)?;
            return Ok(given);
        }
        self.emit(Op::Call(Call { callee, args, dest }), span)?;
        Ok(given)
    }

    /// The function has no body and is known, or declared, not to return.
    fn never_returns(&self, function: FnId) -> bool {
        !self.is_defined(&self.program.functions[function].name) && library::ends(self.program, function)
    }

    /// A function that is called without having been declared (C89): `int f()`. Compilers declare functions of the library
    /// that they know as the library does.
    fn implicit_function(&mut self, name: &str, span: Span) -> Lower<FnId> {
        if !self.is_defined_by_program(name)
            && let Some(function) = self.library_function(name, span)
        {
            return Ok(function);
        }
        let ret = self.int_ty();
        let ty = self.program.types.intern(Type::Function(FnSig::unprototyped(ret)));
        Ok(self.external_function(name, ty, span))
    }

    /// A function that the program only names.
    pub(crate) fn external_function(&mut self, name: &str, ty: TypeId, span: Span) -> FnId {
        self.undeclared_function(name, ty, span)
    }
}

/// Fits direct calls to the definitions that they turned out to have. A call through an old-style declaration passes
/// promoted values, which the parameters take converted; too few arguments, or values that no conversion makes of the
/// parameter's kind, cannot be modelled.
pub fn settle_calls(program: &mut Program) {
    for index in 0..program.cfa.edges.len() {
        let id = EdgeId::new(index);
        let span = program.cfa.edges[id].span;
        let Op::Call(Call { callee: Callee::Direct(f), args, dest }) = &program.cfa.edges[id].op else {
            continue;
        };
        if program.functions[*f].body.is_none() {
            continue;
        }
        let (f, args, dest) = (*f, args.clone(), *dest);
        let op = match settle_call(program, f, args, dest, span) {
            Some(args) => Op::Call(Call { callee: Callee::Direct(f), args, dest }),
            None => {
                let name = &program.functions[f].name;
                let message = format!("the arguments of this call do not fit the definition of `{name}`");
                Op::Unsupported(Box::new(Unsupported { kind: "call-mismatch", message }))
            }
        };
        program.cfa.edges[id].op = op;
    }
}

fn settle_call(
    program: &mut Program,
    f: FnId,
    mut args: Vec<ExprId>,
    dest: Option<PlaceId>,
    span: Span,
) -> Option<Vec<ExprId>> {
    let params = program.functions[f].params.clone();
    let ret = program.functions[f].sig(&program.types).ret;
    if args.len() < params.len() || dest.is_some_and(|dest| program.places[dest].ty != ret) {
        return None;
    }
    for (arg, param) in args.iter_mut().zip(params) {
        let (from, to) = (program.exprs[*arg].ty, program.vars[param].ty.ty);
        if from == to {
            continue;
        }
        let float = |ty: TypeId| matches!(program.types[ty], Type::Float(_));
        if !program.types.is_scalar(from) || !program.types.is_scalar(to) || float(from) != float(to) {
            return None;
        }
        *arg = program.cast(*arg, to, span);
    }
    Some(args)
}
