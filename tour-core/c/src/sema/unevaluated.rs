//! Operands that are looked at for their type: `sizeof`, `_Alignof`, `typeof`, `_Generic`.
//!
//! They are lowered into an automaton that is thrown away. Where a type has a length that is computed (C11 6.5.3.4,
//! 6.7.2.5), `sizeof` and `typeof` evaluate the operand all the same: `sizeof` that of an array of variable length,
//! `typeof` that of any type made of one; `_Alignof` none.

use super::declarator::application_order;
use super::expr::Value;
use super::fold::Const;
use super::{Current, Fail, Lower, Sema};
use lang_c::ast::{DerivedDeclarator, Expression, GenericAssociation, GenericSelection, TypeName};
use lang_c::span::Node;
use tour_ir::program::{ArrayLen, ExprId, FnId, QualType, Quals, Type, TypeId};
use tour_ir::source::Span;

impl Sema<'_> {
    /// The type of an expression, which is not evaluated.
    pub fn type_of_expr(&mut self, expr: &Node<Expression>) -> Lower<QualType> {
        match self.operand_type(expr)? {
            (ty, false) => Ok(ty),
            (_, true) => {
                let message = "the type of this expression has a length that is computed";
                Fail::unsupported("vla", message, self.span(expr.span))
            }
        }
    }

    /// The type of an expression, which is not evaluated, and whether it has a length that only the evaluation gives. Of
    /// such a type, only the outermost part can be used.
    fn operand_type(&mut self, expr: &Node<Expression>) -> Lower<(QualType, bool)> {
        self.unevaluated(|sema| {
            Ok(match sema.value(expr, true)? {
                Value::Rvalue(value) => sema.ty(value).into(),
                Value::Place(place) => {
                    QualType { ty: sema.program.places[place].ty, quals: sema.place_quals(place) }
                }
                Value::Function(pointer) => {
                    let pointer = sema.ty(pointer);
                    sema.program.types.pointee(pointer).unwrap_or_else(|| pointer.into())
                }
                Value::Void => sema.program.types.void().into(),
            })
        })
    }

    /// A type name whose lengths are not evaluated; as [`Sema::operand_type`].
    pub(super) fn unevaluated_type(&mut self, name: &Node<TypeName>) -> Lower<(QualType, bool)> {
        if outermost(name).is_none() {
            return self.type_name(name).map(|ty| (ty, false));
        }
        self.unevaluated(|sema| sema.type_name(name))
    }

    /// The type that something has, and whether it has a length that only the evaluation gives.
    fn unevaluated(&mut self, lower: impl FnOnce(&mut Self) -> Lower<QualType>) -> Lower<(QualType, bool)> {
        let (ty, vars) = self.scratch(lower)?;
        Ok((ty, self.mentions_var_since(ty.ty, vars)))
    }

    /// Lowers something into an automaton that is thrown away, and returns how many variables there were before.
    /// Functions that get declared on the way stay.
    pub(super) fn scratch<T>(&mut self, lower: impl FnOnce(&mut Self) -> Lower<T>) -> Lower<(T, usize)> {
        let function = self.current.as_ref().map_or(FnId::new(0), |c| c.function);
        let ret = self.current.as_ref().map(|c| c.ret);
        let ret = ret.unwrap_or_else(|| self.program.types.void());
        let same = self.current.as_ref().map(|c| c.same.clone()).unwrap_or_default();
        let mut scratch = Current::scratch(function, ret);
        scratch.same = same;
        let outer = self.current.replace(scratch);
        let (exprs, places) = (self.program.exprs.len(), self.program.places.len());
        let (vars, globals) = (self.program.vars.len(), self.program.globals.len());
        let literals = self.shared.literals.len();
        let made = lower(self);
        self.current = outer;
        self.program.exprs.truncate(exprs);
        self.program.places.truncate(places);
        if self.program.vars.len() > vars {
            self.program.vars.truncate(vars);
            self.program.globals.truncate(globals);
        }
        if self.shared.literals.len() > literals {
            self.shared.literals.retain(|_, var| var.index() < vars);
        }
        self.shared.facts.truncate(exprs, places);
        made.map(|made| (made, vars))
    }

    /// The type has an array length that is one of the variables made since there were `vars`.
    fn mentions_var_since(&self, ty: TypeId, vars: usize) -> bool {
        match &self.program.types[ty] {
            Type::Array(_, ArrayLen::Variable(v)) if v.index() >= vars => true,
            Type::Array(of, _) | Type::Pointer(of) => self.mentions_var_since(of.ty, vars),
            _ => false,
        }
    }

    /// An array whose size is only known when it runs.
    fn is_vla(&self, ty: TypeId) -> bool {
        match self.program.types[ty] {
            Type::Array(_, ArrayLen::Variable(_)) => true,
            Type::Array(of, _) => self.is_vla(of.ty),
            _ => false,
        }
    }

    /// The type of an operand that is evaluated here.
    fn evaluated_type(&mut self, expr: &Node<Expression>) -> Lower<QualType> {
        Ok(match self.value(expr, true)? {
            Value::Place(place) => {
                QualType { ty: self.program.places[place].ty, quals: self.place_quals(place) }
            }
            Value::Rvalue(value) | Value::Function(value) => self.ty(value).into(),
            Value::Void => self.program.types.void().into(),
        })
    }

    /// `sizeof e`
    pub(crate) fn size_of_expr(&mut self, expr: &Node<Expression>, span: Span) -> Lower<ExprId> {
        let (ty, _) = self.operand_type(expr)?;
        let ty = if self.is_vla(ty.ty) { self.evaluated_type(expr)? } else { ty };
        self.size_of(ty.ty, span)
    }

    /// `sizeof(T)`: the lengths of an array are evaluated, those behind a pointer are not, as gcc and clang have it.
    pub(crate) fn size_of_type(&mut self, name: &Node<TypeName>, span: Span) -> Lower<ExprId> {
        let ty = match outermost(name) {
            Some(DerivedDeclarator::Pointer(_)) => self.unevaluated_type(name)?.0,
            _ => self.type_name(name)?,
        };
        self.size_of(ty.ty, span)
    }

    /// The size of an operand, if it is constant.
    pub(super) fn const_size_of_expr(&mut self, expr: &Node<Expression>) -> Lower<TypeId> {
        Ok(self.operand_type(expr)?.0.ty)
    }

    /// `_Alignof(T)` (`gnu`: `__alignof__`)
    pub(crate) fn align_of_type(&mut self, name: &Node<TypeName>, gnu: bool, span: Span) -> Lower<ExprId> {
        let (ty, _) = self.unevaluated_type(name)?;
        self.align_of(ty, gnu, span)
    }

    /// `__alignof__ e`
    pub(crate) fn align_of_expr(&mut self, expr: &Node<Expression>, span: Span) -> Lower<ExprId> {
        let (ty, _) = self.operand_type(expr)?;
        self.align_of(ty, true, span)
    }

    fn align_of(&mut self, ty: QualType, gnu: bool, span: Span) -> Lower<ExprId> {
        match self.const_alignof(ty, gnu).map(|align| align.value) {
            Some(Const::Int(align)) => Ok(self.size(align as u64, span)),
            _ => {
                let shown = self.program.show_type(ty.ty);
                Fail::error(format!("the alignment of `{shown}` is not known"), span, "incomplete type")
            }
        }
    }

    /// `typeof(e)`
    pub(super) fn type_of_operand(&mut self, expr: &Node<Expression>) -> Lower<QualType> {
        let (ty, computed) = self.operand_type(expr)?;
        let modified = computed || self.is_variably_modified(ty.ty);
        if modified && self.current.is_some() { self.evaluated_type(expr) } else { Ok(ty) }
    }

    /// `_Generic`: the first alternative of a compatible type.
    pub(crate) fn generic(&mut self, generic: &GenericSelection, used: bool, span: Span) -> Lower<Value> {
        self.scratch(|sema| match sema.value(&generic.expression, true)? {
            Value::Place(place) if sema.program.bit_field(place).is_some() => {
                Fail::unsupported("bit-field", "compilers differ in the type of a bit-field here", span)
            }
            _ => Ok(()),
        })?;
        let ty = self.type_of_expr(&generic.expression)?.ty;
        // The controlling expression is converted as an lvalue is: arrays and functions decay.
        let ty = match self.program.types[ty] {
            Type::Array(of, _) => self.program.types.pointer(of),
            Type::Function(_) => self.program.types.pointer(ty),
            _ => ty,
        };
        let mut default = None;
        for association in &generic.associations {
            match &association.node {
                GenericAssociation::Type(case) => {
                    let case_type = self.type_name(&case.node.type_name)?;
                    let plain = case_type.quals.same_as(Quals::default());
                    if plain && self.program.types.compatible_in_unit(case_type.ty, ty) {
                        return self.value(&case.node.expression, used);
                    }
                }
                GenericAssociation::Default(expr) => default = Some(expr),
            }
        }
        match default {
            Some(expr) => self.value(expr, used),
            None => {
                let shown = self.program.show_type(ty);
                Fail::error(format!("`_Generic` has no case for `{shown}`"), span, "here")
            }
        }
    }
}

/// The outermost part of a type name's declarator.
fn outermost(name: &Node<TypeName>) -> Option<&DerivedDeclarator> {
    let (order, ..) = application_order(name.node.declarator.as_ref()?);
    order.last().map(|part| &part.node)
}
