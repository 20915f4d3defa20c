//! Variables, places and expressions of a copy.

use super::{Constant, Copier};
use rustc_hash::FxHashMap;
use tour_ir::cfa::LocId;
use tour_ir::program::{
    ExprId, ExprKind, FnId, InitItem, Op, PlaceId, Program, Rename, ThreadId, TypeId, VarId,
};
use tour_ir::source::Span;

/// What is known while a body is copied.
pub(super) struct Copy {
    pub thread: ThreadId,
    pub to: FnId,
    pub again: bool,
    pub ancestors: Vec<FnId>,
    pub vars: FxHashMap<VarId, VarId>,
    /// Parameters that are constants.
    pub known: FxHashMap<VarId, Constant>,
    pub locs: FxHashMap<LocId, LocId>,
}

/// Renames for a copy.
struct Own<'a, 'p> {
    copier: &'a mut Copier<'p>,
    copy: &'a Copy,
}

impl Rename for Own<'_, '_> {
    fn program(&mut self) -> &mut Program {
        self.copier.program
    }

    fn var(&mut self, var: VarId) -> VarId {
        self.copier.var(self.copy, var)
    }

    fn value(&mut self, var: VarId, ty: TypeId, span: Span) -> Option<ExprId> {
        let constant = self.copy.known.get(&var)?;
        Some(self.copier.constant_expr(constant, ty, span))
    }

    fn target(&mut self, pointer: ExprId, ty: TypeId, span: Span) -> Option<PlaceId> {
        let program = &mut *self.copier.program;
        if let Some(object) = self.copier.objects.at(program, pointer, ty, span) {
            return Some(object);
        }
        match program.exprs[pointer].kind {
            ExprKind::AddrOf(inner) if program.places[inner].ty == ty => Some(inner),
            _ => None,
        }
    }
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

    pub(super) fn ty(&mut self, copy: &Copy, ty: TypeId) -> TypeId {
        Own { copier: self, copy }.ty(ty)
    }

    pub(super) fn place(&mut self, copy: &Copy, place: PlaceId) -> PlaceId {
        Own { copier: self, copy }.place(place)
    }

    pub(super) fn expr(&mut self, copy: &Copy, expr: ExprId) -> ExprId {
        Own { copier: self, copy }.expr(expr)
    }

    /// What an operation is in a copy, unless it is a call.
    pub(super) fn op(&mut self, copy: &Copy, op: &Op) -> Op {
        Own { copier: self, copy }.op(op)
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
