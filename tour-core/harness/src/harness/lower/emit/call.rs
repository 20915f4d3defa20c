//! Calls, inputs, and claims.

use super::{Claim, Emitter, InputSite};
use crate::harness::lower::hir::{Callee, Expr};
use crate::harness::lower::ty::Ty;
use tour_c::sema::{Fail, Lower};
use tour_ir::program::{
    Call, Callee as Target, ExprId, HavocOrigin, IntKind, Op, PlaceId, PlaceKind, Type, TypeId,
};
use tour_ir::source::Span;

/// Inputs with more scalars are taken by one edge.
const SCALARS: usize = 1024;

impl Emitter<'_, '_> {
    pub(super) fn call(
        &mut self,
        callee: &Callee,
        args: &[Expr],
        ty: &Ty,
        dest: Option<PlaceId>,
        span: Span,
    ) -> Lower<()> {
        let Some(function) = self.callee(callee) else {
            return Fail::error("this function is not known", span, "called here");
        };
        let mut values: Vec<ExprId> = Vec::with_capacity(args.len());
        for arg in args {
            let mark = self.sema.mark();
            let value = if arg.ty.is_scalar() {
                self.value(arg)?
            } else if arg.ty == Ty::Unit {
                self.effect(arg)?;
                continue;
            } else {
                let place = self.materialise(arg)?;
                self.sema.program.load(place, span)
            };
            for earlier in &mut values {
                *earlier = self.sema.keep(*earlier, mark, span)?;
            }
            values.push(value);
        }
        let sig = self.sema.program.functions[function].sig(&self.sema.program.types).clone();
        for (value, param) in values.iter_mut().zip(&sig.params) {
            let from = self.sema.ty(*value);
            if self.sema.program.types.is_scalar(*param) && self.sema.program.types.is_scalar(from) {
                *value = self.sema.program.cast(*value, *param, span);
            } else if from != *param {
                return self.mismatch(function, span);
            }
        }
        if values.len() < sig.params.len()
            || values.len() > sig.params.len() && sig.prototyped && !sig.variadic
        {
            return self.mismatch(function, span);
        }
        for value in values.iter_mut().skip(sig.params.len()) {
            *value = self.sema.promote_argument(*value, span)?;
        }
        let void = matches!(self.sema.program.types[sig.ret], Type::Void);
        let called = &self.sema.program.functions[function];
        if called.body.is_none() && matches!(called.name.as_str(), "abort" | "exit" | "_exit" | "_Exit") {
            return self.sema.end_program(span);
        }
        let wanted = match dest {
            Some(dest) if !void && *ty != Ty::Unit => Some(dest),
            _ => None,
        };
        let Some(dest) = wanted else {
            let result = match void {
                true => None,
                false => {
                    let temp = self.sema.temp(sig.ret, span)?;
                    Some(self.sema.program.var_place(temp, span))
                }
            };
            let op = Op::Call(Call { callee: Target::Direct(function), args: values, dest: result });
            return self.sema.emit(op, span);
        };
        let same = self.sema.program.places[dest].ty == sig.ret;
        let into = match same {
            true => dest,
            false => {
                let temp = self.sema.temp(sig.ret, span)?;
                self.sema.program.var_place(temp, span)
            }
        };
        let op = Op::Call(Call { callee: Target::Direct(function), args: values, dest: Some(into) });
        self.sema.emit(op, span)?;
        if same {
            return Ok(());
        }
        let scalars = |ty: TypeId| self.sema.program.types.is_scalar(ty);
        if !scalars(sig.ret) || !scalars(self.sema.program.places[dest].ty) {
            return self.mismatch(function, span);
        }
        let value = self.sema.program.load(into, span);
        self.assign(dest, value, span)
    }

    /// What Rust declares is not what C defines.
    fn mismatch<T>(&mut self, function: tour_ir::program::FnId, span: Span) -> Lower<T> {
        let name = &self.sema.program.functions[function].name;
        let message = format!("the arguments of this call do not fit the definition of `{name}`");
        Fail::unsupported("call-mismatch", message, span)
    }

    /// A parameter of the harness.
    pub(super) fn input_into_local(&mut self, local: usize) -> Lower<()> {
        let Some(var) = self.locals[local] else { return Ok(()) };
        let found = &self.body.locals[local];
        let (name, ty, span) = (found.name.clone(), found.ty.clone(), found.span);
        let place = self.sema.program.var_place(var, span);
        self.input(place, &name, &ty, span)
    }

    /// Any value of a type.
    pub(super) fn input(&mut self, dest: PlaceId, name: &str, ty: &Ty, span: Span) -> Lower<()> {
        let mut leaves = Vec::new();
        let count = self.scalars(dest, ty, span, &mut leaves)?;
        let site = |first, count| InputSite { name: name.to_owned(), ty: ty.clone(), first, count, span };
        if leaves.len() < count {
            // Too many to be taken one by one.
            self.sites.inputs.insert(dest, site(0, count));
            return self.sema.emit(Op::Havoc(dest, HavocOrigin::Input), span);
        }
        for (i, leaf) in leaves.into_iter().enumerate() {
            if let PlaceKind::Var(_) = self.sema.program.places[leaf].kind {
                self.sites.inputs.insert(leaf, site(i, 1));
                self.sema.emit(Op::Havoc(leaf, HavocOrigin::Input), span)?;
                continue;
            }
            // Inputs go into variables of their own, not into parts of others.
            let temp = self.sema.temp(self.sema.program.places[leaf].ty, span)?;
            let taken = self.sema.program.var_place(temp, span);
            self.sites.inputs.insert(taken, site(i, 1));
            self.sema.emit(Op::Havoc(taken, HavocOrigin::Input), span)?;
            let value = self.sema.program.load(taken, span);
            self.assign(leaf, value, span)?;
        }
        Ok(())
    }

    /// The scalars of a place, in the order of its parts: how many, and the places of the first few.
    fn scalars(&mut self, place: PlaceId, ty: &Ty, span: Span, leaves: &mut Vec<PlaceId>) -> Lower<usize> {
        match ty {
            Ty::Int(_) | Ty::Bool => {
                if leaves.len() < SCALARS {
                    leaves.push(place);
                }
                Ok(1)
            }
            Ty::Unit => Ok(0),
            Ty::Uninit(of) => self.scalars(place, of, span, leaves),
            Ty::Array(of, n) => {
                let mut count = 0;
                for i in 0..*n {
                    if leaves.len() >= SCALARS && i > 0 {
                        // The rest is like the first.
                        return Ok(count / i as usize * *n as usize);
                    }
                    let index = self.usize(i, span)?;
                    let item = self.item(place, index, span)?;
                    count += self.scalars(item, of, span, leaves)?;
                }
                Ok(count)
            }
            Ty::Tuple(of) => self.parts(place, of, span, leaves),
            Ty::Struct(index) => {
                let fields: Vec<Ty> = match self.structs.get(*index) {
                    Some(found) => found.fields.iter().map(|(_, ty)| ty.clone()).collect(),
                    None => Vec::new(),
                };
                self.parts(place, &fields, span, leaves)
            }
            Ty::Float(_)
            | Ty::Void
            | Ty::FnPtr
            | Ty::Slice(_)
            | Ty::Option(_)
            | Ty::Ptr(..)
            | Ty::Ref(..)
            | Ty::Var(_) => Fail::error(
                "only integers, `bool`, and arrays and structs of them can be inputs",
                span,
                "contains something else",
            ),
        }
    }

    fn parts(&mut self, place: PlaceId, of: &[Ty], span: Span, leaves: &mut Vec<PlaceId>) -> Lower<usize> {
        let mut count = 0;
        for (i, ty) in of.iter().enumerate() {
            let part = self.step(place, i as u32, span)?;
            count += self.scalars(part, ty, span, leaves)?;
        }
        Ok(count)
    }

    /// An edge that says that a claim is reached.
    pub(super) fn claim(&mut self, message: &str, span: Span) -> Lower<()> {
        if !self.is_harness {
            return Ok(());
        }
        let int = self.sema.program.types.int(IntKind::Int);
        let always = self.sema.program.int(1, int, span);
        self.sites.claims.push((always, Claim { message: message.to_owned(), span }));
        self.sema.emit(Op::Assume { cond: always, truth: true }, span)
    }
}
