//! Initial values of variables with static storage: plans made of constants.

use super::fold::{Const, fold};
use super::init::{InitStep, InitValue, Path, Step};
use super::{Fail, Lower, Sema};
use lang_c::ast::{Expression, Initializer, InitializerListItem};
use lang_c::span::Node;
use tour_ir::program::{ExprId, Init, InitItem, Place, PlaceId, PlaceKind, Type, TypeId, VarId};
use tour_ir::source::Span;

/// Places of the parts of one object; neighbours share the nodes of what they have in common.
struct Places {
    path: Path,
    /// The place of the object, then that of each step of `path`.
    places: Vec<PlaceId>,
}

impl Sema<'_> {
    /// Completes the type of a variable with static storage and gives it its initial value. Errors if that is no
    /// constant.
    pub fn static_init(&mut self, var: VarId, init: &Node<Initializer>) -> Lower<()> {
        let (ty, steps) = self.plan_init(self.program.vars[var].ty.ty, init)?;
        self.static_steps(var, ty, steps)
    }

    /// Completes the type of a variable whose initial value counts for nothing.
    pub(super) fn complete_type(&mut self, var: VarId, init: &Node<Initializer>) -> Lower<()> {
        let (ty, _) = self.plan_init(self.program.vars[var].ty.ty, init)?;
        self.program.vars[var].ty.ty = ty;
        Ok(())
    }

    /// As [`Sema::static_init`], for the list of a compound literal.
    pub fn static_init_list(
        &mut self,
        var: VarId,
        items: &[Node<InitializerListItem>],
        span: Span,
    ) -> Lower<()> {
        let (ty, steps) = self.plan_init_list(self.program.vars[var].ty.ty, items, span)?;
        self.static_steps(var, ty, steps)
    }

    fn static_steps(&mut self, var: VarId, ty: TypeId, steps: Vec<InitStep<'_>>) -> Lower<()> {
        self.program.vars[var].ty.ty = ty;
        let span = self.program.vars[var].span;
        let mut places = Places { path: Path::new(), places: vec![self.program.var_place(var, span)] };
        let mut items = Vec::with_capacity(steps.len());
        for step in steps {
            let place = self.static_place(&mut places, &step.path, span);
            items.push(match step.value {
                InitValue::Expr(expr) => InitItem::Value { place, value: self.static_value(expr, step.ty)? },
                InitValue::Bytes(bytes) => InitItem::Bytes { place, bytes: bytes.into() },
            });
        }
        self.program.vars[var].init = Some(Init { items });
        Ok(())
    }

    fn static_place(&mut self, known: &mut Places, path: &Path, span: Span) -> PlaceId {
        let common = known.path.iter().zip(path).take_while(|(a, b)| a == b).count();
        known.path.truncate(common);
        known.places.truncate(common + 1);
        for step in &path[common..] {
            let base = known.places[known.places.len() - 1];
            let place = self.part_place(base, *step, span);
            known.places.push(place);
            known.path.push(*step);
        }
        known.places[known.places.len() - 1]
    }

    /// The place of a part of an object.
    pub fn part_place(&mut self, base: PlaceId, step: Step, span: Span) -> PlaceId {
        let base_ty = self.program.places[base].ty;
        let (kind, ty) = match (step, &self.program.types[base_ty]) {
            (Step::Field(index), Type::Record(id)) => {
                let ty = self.program.types.records[*id].fields[index as usize].ty.ty;
                (PlaceKind::Field(base, index), ty)
            }
            (Step::Index(index), Type::Array(of, _)) => {
                let ty = of.ty;
                let ptrdiff = self.program.types.ptrdiff_t();
                let index = self.program.int(i128::from(index), ptrdiff, span);
                (PlaceKind::Index(base, index), ty)
            }
            (step, other) => unreachable!("{step:?} into {other:?}"),
        };
        self.program.places.push(Place { kind, ty, span })
    }

    /// A constant of type `ty`.
    fn static_value(&mut self, expr: &Node<Expression>, ty: TypeId) -> Lower<ExprId> {
        let span = self.span(expr.span);
        let constant = self.const_eval_ast(expr)?;
        if let Some(constant) = constant
            && let Some(value) = self.const_to_expr(constant, ty, span)
        {
            return Ok(value);
        }
        // Lowered once more for its own reason, if it has one.
        let lowered = self.pure_expr(expr)?;
        let from = self.program.exprs[lowered].ty;
        let number = |ty: TypeId| {
            self.program.types.is_scalar(ty) && !matches!(self.program.types[ty], Type::Float(_))
        };
        match fold(self.program, lowered) {
            Some(Const::Address { .. }) | None if number(from) && number(ty) => {
                Fail::error("this initialiser is no constant", span, "static storage needs a constant")
            }
            _ => {
                Fail::unsupported("static-initialiser", "the value of this initialiser is not modelled", span)
            }
        }
    }
}
