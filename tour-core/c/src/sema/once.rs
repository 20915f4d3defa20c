//! One evaluation is one load: what another thread may change must not be read again for the same evaluation.
//!
//! An expression is lowered to a value that is read wherever it is used: `switch (x)` compares it with each case, and `*p += 1`
//! finds its place twice. Where threads could tell, the value is saved.

use super::{Lower, Sema};
use tour_ir::program::{ExprId, ExprKind, PlaceId, PlaceKind, Storage, VarId};
use tour_ir::source::Span;

impl Sema<'_> {
    /// Another thread may change what the value reads.
    pub(crate) fn is_shared(&self, value: ExprId) -> bool {
        self.shared.summaries.threads && self.reads_shared(value)
    }

    /// Another thread may change what is in the place, or which place it is.
    pub(crate) fn is_shared_place(&self, place: PlaceId) -> bool {
        self.shared.summaries.threads && (self.is_in_shared(place) || self.finds_by_shared(place))
    }

    /// The place, found once.
    pub(crate) fn steady_place(&mut self, place: PlaceId, span: Span) -> Lower<PlaceId> {
        if self.shared.summaries.threads && self.finds_by_shared(place) {
            return self.fix_place(place, span);
        }
        Ok(place)
    }

    fn reads_shared(&self, value: ExprId) -> bool {
        match self.program.exprs[value].kind {
            ExprKind::Int(_) | ExprKind::Float(_) | ExprKind::Zeroed | ExprKind::FnAddr(_) => false,
            ExprKind::Load(place) => self.is_in_shared(place) || self.finds_by_shared(place),
            ExprKind::AddrOf(place) => self.finds_by_shared(place),
            ExprKind::Unary(_, a) | ExprKind::Cast(a) | ExprKind::Fact(_, a) => self.reads_shared(a),
            ExprKind::Binary(_, a, b) => self.reads_shared(a) || self.reads_shared(b),
        }
    }

    /// To find the place, something is read that another thread may change.
    fn finds_by_shared(&self, place: PlaceId) -> bool {
        match self.program.places[place].kind {
            PlaceKind::Var(_) => false,
            PlaceKind::Deref(pointer) => self.reads_shared(pointer),
            PlaceKind::Field(base, _) => self.finds_by_shared(base),
            PlaceKind::Index(base, index) => self.finds_by_shared(base) || self.reads_shared(index),
        }
    }

    fn is_in_shared(&self, place: PlaceId) -> bool {
        self.program.root(place).is_none_or(|var| !self.is_private(var))
    }

    /// No pointer can point to the variable. Its address may be taken further down: names tell.
    fn is_private(&self, var: VarId) -> bool {
        let var = &self.program.vars[var];
        match var.storage {
            Storage::Temp(_) | Storage::Return(_) => true,
            Storage::Local(f) | Storage::Param(f) => {
                let function = &self.program.functions[f].name;
                self.program.types.is_scalar(var.ty.ty)
                    && !self.shared.summaries.is_addressed(&var.name, function)
            }
            Storage::Global { .. } | Storage::Static | Storage::StaticLocal(_) | Storage::Literal => false,
        }
    }
}
