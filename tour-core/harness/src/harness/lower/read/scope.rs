//! Variables and loops in scope.

use crate::harness::lower::hir::{Local, LocalId, LoopId};
use crate::harness::lower::ty::Ty;
use rustc_hash::FxHashMap;
use tour_ir::source::Span;

/// A loop, or a block with a label, that is open.
#[derive(Clone, Debug)]
pub(super) struct OpenLoop {
    pub(super) id: LoopId,
    pub(super) label: Option<String>,
    /// What `break` gives.
    pub(super) result: Ty,
    /// `break` without a label leaves it.
    pub(super) is_loop: bool,
}

/// What is in scope.
#[derive(Default)]
pub(super) struct Scope {
    pub(super) locals: Vec<Local>,
    names: Vec<FxHashMap<String, LocalId>>,
    pub(super) loops: Vec<OpenLoop>,
    next_loop: LoopId,
}

impl Scope {
    pub(super) fn enter(&mut self) {
        self.names.push(FxHashMap::default());
    }

    pub(super) fn leave(&mut self) {
        self.names.pop();
    }

    /// A new variable, which hides others of its name.
    pub(super) fn declare(&mut self, name: &str, ty: Ty, span: Span) -> LocalId {
        let id = self.locals.len();
        self.locals.push(Local { name: name.to_owned(), ty, span });
        if let (Some(names), true) = (self.names.last_mut(), name != "_") {
            names.insert(name.to_owned(), id);
        }
        id
    }

    pub(super) fn lookup(&self, name: &str) -> Option<LocalId> {
        self.names.iter().rev().find_map(|names| names.get(name).copied())
    }

    pub(super) fn open(&mut self, label: Option<String>, result: Ty, is_loop: bool) -> LoopId {
        let id = self.next_loop;
        self.next_loop += 1;
        self.loops.push(OpenLoop { id, label, result, is_loop });
        id
    }

    pub(super) fn close(&mut self) {
        self.loops.pop();
    }

    /// The loop that a label, or the lack of one, means.
    pub(super) fn target(&self, label: Option<&str>) -> Option<&OpenLoop> {
        self.loops.iter().rev().find(|open| match label {
            Some(label) => open.label.as_deref() == Some(label),
            None => open.is_loop,
        })
    }
}
