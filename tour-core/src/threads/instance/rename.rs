//! Variables, places and expressions of a copy.

use super::{Constant, Copier};
use crate::cfa::LocId;
use crate::program::{ExprId, ExprKind, FnId, InitItem, Place, PlaceId, PlaceKind, ThreadId, TypeId, VarId};
use crate::source::Span;
use rustc_hash::FxHashMap;

/// What is known while a body is copied.
pub(super) struct Copy {
    pub thread: ThreadId,
    pub to: FnId,
    pub again: bool,
    pub ancestors: Vec<FnId>,
    pub vars: FxHashMap<VarId, VarId>,
    /// Parameters that are constants.
    pub known: FxHashMap<VarId, Constant>,
    pub exprs: FxHashMap<ExprId, ExprId>,
    pub places: FxHashMap<PlaceId, PlaceId>,
    pub locs: FxHashMap<LocId, LocId>,
}

impl Copier<'_> {
    pub(super) fn var(&mut self, copy: &Copy, var: VarId) -> VarId {
        if let Some(&own) = copy.vars.get(&var) {
            return own;
        }
        if !self.program.vars[var].thread_local || copy.thread.index() == 0 {
            return var;
        }
        if let Some(&own) = self.thread_locals.get(&(copy.thread, var)) {
            return own;
        }
        let mut own = self.program.vars[var].clone();
        let init = own.init.take();
        let own = self.program.vars.push(own);
        self.thread_locals.insert((copy.thread, var), own);
        if let Some(mut init) = init {
            for item in &mut init.items {
                match item {
                    InitItem::Value { place, .. } | InitItem::Bytes { place, .. } => {
                        *place = self.place(copy, *place);
                    }
                }
            }
            self.program.vars[own].init = Some(init);
        }
        self.program.globals.push(own);
        own
    }

    pub(super) fn place(&mut self, copy: &Copy, place: PlaceId) -> PlaceId {
        if let Some(&known) = copy.places.get(&place) {
            return known;
        }
        let Place { kind, ty, span } = self.program.places[place].clone();
        let new = match kind {
            PlaceKind::Var(var) => PlaceKind::Var(self.var(copy, var)),
            PlaceKind::Deref(pointer) => {
                let pointer = self.expr(copy, pointer);
                if let Some(object) = self.objects.at(self.program, pointer, ty, span) {
                    return object;
                }
                match self.program.exprs[pointer].kind {
                    ExprKind::AddrOf(inner) if self.program.places[inner].ty == ty => return inner,
                    _ => {}
                }
                PlaceKind::Deref(pointer)
            }
            PlaceKind::Field(base, index) => PlaceKind::Field(self.place(copy, base), index),
            PlaceKind::Index(base, index) => {
                let base = self.place(copy, base);
                PlaceKind::Index(base, self.expr(copy, index))
            }
        };
        if new == kind { place } else { self.program.places.push(Place { kind: new, ty, span }) }
    }

    pub(super) fn expr(&mut self, copy: &Copy, expr: ExprId) -> ExprId {
        if let Some(&known) = copy.exprs.get(&expr) {
            return known;
        }
        let node = self.program.exprs[expr].clone();
        let kind = match node.kind.clone() {
            ExprKind::Load(place) => {
                if let PlaceKind::Var(var) = self.program.places[place].kind
                    && let Some(constant) = copy.known.get(&var)
                {
                    return self.constant_expr(constant, node.ty, node.span);
                }
                ExprKind::Load(self.place(copy, place))
            }
            ExprKind::AddrOf(place) => ExprKind::AddrOf(self.place(copy, place)),
            ExprKind::Unary(op, a) => ExprKind::Unary(op, self.expr(copy, a)),
            ExprKind::Cast(a) => ExprKind::Cast(self.expr(copy, a)),
            ExprKind::Fact(fact, a) => ExprKind::Fact(fact, self.expr(copy, a)),
            ExprKind::Binary(op, a, b) => {
                let a = self.expr(copy, a);
                ExprKind::Binary(op, a, self.expr(copy, b))
            }
            kind @ (ExprKind::Int(_) | ExprKind::Float(_) | ExprKind::Zeroed | ExprKind::FnAddr(_)) => kind,
        };
        if kind == node.kind { expr } else { self.program.add_expr(kind, node.ty, node.span) }
    }

    fn constant_expr(&mut self, constant: &Constant, ty: TypeId, span: Span) -> ExprId {
        let value = match *constant {
            Constant::Null => return self.program.int(0, ty, span),
            Constant::Function(f) => {
                let pointer = self.program.types.pointer(self.program.functions[f].ty);
                self.program.add_expr(ExprKind::FnAddr(f), pointer, span)
            }
            Constant::Place(_, _, place) => {
                let pointer = self.program.types.pointer(self.program.places[place].ty);
                self.program.add_expr(ExprKind::AddrOf(place), pointer, span)
            }
        };
        self.program.cast(value, ty, span)
    }
}
