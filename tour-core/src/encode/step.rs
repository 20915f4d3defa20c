//! Steps of a run: operations of edges, calls and returns.

use super::cell::Leaf;
use super::expr::Eval;
use super::path::Path;
use super::place::Resolved;
use super::{Encode, Encoder, unsupported};
use crate::program::{Callee, ExprId, ExprKind, FnId, Op, PlaceId, TypeId, VarId};
use crate::term::{Sort, TermId, Terms};
use smallvec::SmallVec;

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
        let mut side = Vec::new();
        let value = f(&mut Eval { encoder: self, terms, ssa: &path.ssa, instance, side: &mut side })?;
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
                    let to = self.whole(ret, instance);
                    self.store(terms, path, &to, *value, instance)
                }
                (None, _) | (_, None) => Ok(()),
            },
            Op::Havoc(place, _) => {
                let at = self.eval(terms, path, instance, |e| e.resolve(*place))?;
                self.forget(terms, path, &at)
            }
            Op::Declare(var) => {
                let at = self.whole(*var, instance);
                self.forget(terms, path, &at)
            }
            Op::Call(call) => match call.callee {
                Callee::Direct(f) => {
                    let name = &self.program.functions[f].name;
                    unsupported("library-function", format!("a call of `{name}`"))
                }
                Callee::Indirect(_) => unsupported("function-pointer", "a call through a pointer"),
            },
            Op::Unsupported(what) => Err(what.clone()),
        }
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

    pub(super) fn whole(&self, var: VarId, instance: u32) -> Resolved {
        let variable = &self.program.vars[var];
        Resolved {
            var,
            instance: if variable.function().is_some() { instance } else { 0 },
            fields: SmallVec::new(),
            index: None,
            ty: variable.ty.ty,
            bits: None,
        }
    }

    fn assign(
        &mut self,
        terms: &mut Terms,
        path: &mut Path,
        place: PlaceId,
        value: ExprId,
        instance: u32,
    ) -> Encode<()> {
        let at = self.eval(terms, path, instance, |e| e.resolve(place))?;
        self.store(terms, path, &at, value, instance)
    }

    /// Stores the value of an expression, which is evaluated in frame `instance`.
    fn store(
        &mut self,
        terms: &mut Terms,
        path: &mut Path,
        at: &Resolved,
        value: ExprId,
        instance: u32,
    ) -> Encode<()> {
        if self.program.types.is_scalar(at.ty) {
            let (leaf, value) = self.eval(terms, path, instance, |e| {
                let value = e.value(value)?;
                Ok((e.leaf(at)?, value))
            })?;
            self.store_leaf(terms, path, leaf, at.index, value);
            return Ok(());
        }
        match self.program.exprs[value].kind {
            ExprKind::Zeroed => self.store_zeros(terms, path, at),
            ExprKind::Load(from) => {
                let from = self.eval(terms, path, instance, |e| e.resolve(from))?;
                self.copy(terms, path, at, &from)
            }
            _ => unsupported("aggregate", "this record or array as a value"),
        }
    }

    /// A new instance of a cell, with `value` in it (or in one element of it).
    pub(super) fn store_leaf(
        &mut self,
        terms: &mut Terms,
        path: &mut Path,
        leaf: Leaf,
        index: Option<TermId>,
        value: TermId,
    ) {
        let value = match (leaf.bits, terms.sort(value)) {
            (Some(bits), Sort::BitVec(width)) if width > bits => terms.extract(value, bits - 1, 0),
            _ => value,
        };
        let value = match index {
            Some(index) => {
                let old = path.ssa.value(terms, leaf.base);
                terms.store(old, index, value)
            }
            None => value,
        };
        let new = path.ssa.bump(leaf.base);
        let new = terms.symbol(new);
        let eq = terms.eq(new, value);
        path.add(terms, eq);
    }

    fn part(&mut self, terms: &mut Terms, at: &Resolved) -> Encode<Vec<Leaf>> {
        let mut leaves = self.leaves(terms, at.var, at.instance, &at.fields, at.ty, at.index.is_some())?;
        if let ([leaf], Some(bits)) = (&mut leaves[..], at.bits) {
            leaf.bits = Some(bits);
        }
        Ok(leaves)
    }

    /// A record inside an array has its scalars in arrays, one element each; an array inside an array would be a range.
    fn element(&self, at: &Resolved) -> Encode<Option<TermId>> {
        if at.index.is_some() && self.contains_array(at.ty) {
            return unsupported("array", "an array inside an array as a whole");
        }
        Ok(at.index)
    }

    fn contains_array(&self, ty: TypeId) -> bool {
        let mut work = vec![ty];
        while let Some(ty) = work.pop() {
            match &self.program.types[ty] {
                crate::program::Type::Array(..) => return true,
                crate::program::Type::Record(id) => {
                    work.extend(self.program.types.records[*id].fields.iter().map(|f| f.ty.ty));
                }
                _ => {}
            }
        }
        false
    }

    fn zero(&self, terms: &mut Terms, sort: Sort) -> Encode<TermId> {
        Ok(match sort {
            Sort::BitVec(bits) => terms.bv(bits, 0),
            Sort::Float(format) => terms.float(format, 0.0),
            Sort::Array { index, elem } => {
                let zero = self.zero(terms, elem.sort())?;
                terms.const_array(index, zero)
            }
            Sort::Bool | Sort::Int => return unsupported("type", "a zero of this type"),
        })
    }

    pub(super) fn store_zeros(&mut self, terms: &mut Terms, path: &mut Path, at: &Resolved) -> Encode<()> {
        let index = self.element(at)?;
        for leaf in self.part(terms, at)? {
            let sort = terms.base(leaf.base).sort;
            let zero = match (index, sort) {
                (Some(_), Sort::Array { elem, .. }) => self.zero(terms, elem.sort())?,
                _ => self.zero(terms, sort)?,
            };
            self.store_leaf(terms, path, leaf, index, zero);
        }
        Ok(())
    }

    fn copy(&mut self, terms: &mut Terms, path: &mut Path, to: &Resolved, from: &Resolved) -> Encode<()> {
        let (to_index, from_index) = (self.element(to)?, self.element(from)?);
        let (targets, sources) = (self.part(terms, to)?, self.part(terms, from)?);
        if targets.len() != sources.len() {
            return unsupported("aggregate", "an assignment between different records");
        }
        let mut values = Vec::with_capacity(sources.len());
        for leaf in &sources {
            let whole = path.ssa.value(terms, leaf.base);
            values.push(match from_index {
                Some(index) => terms.select(whole, index),
                None => whole,
            });
        }
        for (leaf, value) in targets.into_iter().zip(values) {
            self.store_leaf(terms, path, leaf, to_index, value);
        }
        Ok(())
    }

    /// Any value goes into a part of a variable.
    fn forget(&mut self, terms: &mut Terms, path: &mut Path, at: &Resolved) -> Encode<()> {
        let index = self.element(at)?;
        for leaf in self.part(terms, at)? {
            let old = path.ssa.symbol(leaf.base);
            let new = path.ssa.bump(leaf.base);
            if let Some(index) = index {
                // The other elements stay.
                let (old, new) = (terms.symbol(old), terms.symbol(new));
                let value = terms.select(new, index);
                let stored = terms.store(old, index, value);
                let eq = terms.eq(new, stored);
                path.add(terms, eq);
            }
        }
        Ok(())
    }

    /// A call of a function with a body: its parameters get the arguments. `caller` and `callee` are the frames'
    /// instances.
    pub fn enter(
        &mut self,
        terms: &mut Terms,
        path: &mut Path,
        call: &crate::program::Call,
        function: FnId,
        caller: u32,
        callee: u32,
    ) -> Encode<()> {
        let params = &self.program.functions[function].params;
        if params.len() > call.args.len() {
            return unsupported("call-mismatch", "a call with too few arguments");
        }
        // All arguments are evaluated before any parameter changes; a recursive call has parameters of its own.
        let mut stores = Vec::with_capacity(params.len());
        for (&param, &arg) in params.iter().zip(&call.args) {
            let at = self.whole(param, callee);
            if self.program.types.is_scalar(at.ty) {
                let value = self.eval(terms, path, caller, |e| e.value(arg))?;
                let leaf = self.eval(terms, path, callee, |e| e.leaf(&at))?;
                stores.push((leaf, value));
            } else {
                self.store(terms, path, &at, arg, caller)?;
            }
        }
        for (leaf, value) in stores {
            self.store_leaf(terms, path, leaf, None, value);
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
        self.eval(terms, path, instance, |e| {
            let pointer = e.value(pointer)?;
            let address = e.function_address(function)?;
            Ok(e.terms.eq(pointer, address))
        })
    }

    /// The return from a function with a body: the destination gets what it returned.
    pub fn leave(
        &mut self,
        terms: &mut Terms,
        path: &mut Path,
        call: &crate::program::Call,
        function: FnId,
        caller: u32,
        callee: u32,
    ) -> Encode<()> {
        let Some(dest) = call.dest else { return Ok(()) };
        let Some(ret) = self.program.functions[function].ret else {
            return unsupported("call-mismatch", "the result of a function that returns none");
        };
        let to = self.eval(terms, path, caller, |e| e.resolve(dest))?;
        let from = self.whole(ret, callee);
        if self.program.types.is_scalar(to.ty) {
            let value = self.eval(terms, path, callee, |e| e.load_var(ret))?;
            let leaf = self.eval(terms, path, caller, |e| e.leaf(&to))?;
            self.store_leaf(terms, path, leaf, to.index, value);
            Ok(())
        } else {
            self.copy(terms, path, &to, &from)
        }
    }
}
