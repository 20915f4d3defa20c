//! Waits for the end of threads.

use super::{Copier, Way, call};
use crate::cfa::LocKind;
use crate::program::{BinOp, Call, ExprId, ExprKind, IntKind, Op, PlaceId, Storage, ThreadId, Var, VarId};
use crate::threads::{not_modelled, sync};

/// A wait for a thread, expanded when all threads are known.
pub(super) struct Join {
    pub way: Way,
    pub handle: ExprId,
    pub dest: Option<PlaceId>,
}

impl Copier<'_> {
    /// Waits for threads, now that all are known: for each that the handle may mean, one way.
    pub(super) fn expand_joins(&mut self) {
        for Join { way: Way { from: at, to, span }, handle, dest } in std::mem::take(&mut self.joins) {
            let function = self.program.cfa.locs[at].function;
            let own = self.of.get(&function).copied();
            let candidates = self.meant(handle, own);
            let int = self.program.types.int(IntKind::Int);
            let ty = self.program.exprs[handle].ty;
            let begun = self.program.cfa.add_loc(function, LocKind::Plain);
            let (begin, end, finished) = (self.begin, self.end, self.finished);
            self.program.cfa.add_edge(at, begun, call(begin, Vec::new()), span);
            let other = self.program.cfa.add_loc(function, LocKind::Plain);
            // A step of control: conditions come after it.
            let mut known = self.program.cfa.add_loc(function, LocKind::Plain);
            self.program.cfa.add_edge(begun, known, Op::Nop, span);
            for thread in candidates {
                let number = self.program.int(thread.index() as i128, int, span);
                let id = self.program.int(thread.index() as i128 + 1, ty, span);
                let cond = self.program.binary(BinOp::Eq, handle, id, int, span);
                let [ended, same, next] =
                    [(); 3].map(|()| self.program.cfa.add_loc(function, LocKind::Plain));
                self.program.cfa.add_edge(begun, ended, call(finished, vec![number]), span);
                self.program.cfa.add_edge(ended, same, Op::Assume { cond, truth: true }, span);
                self.program.cfa.add_edge(known, next, Op::Assume { cond, truth: false }, span);
                known = next;
                let root = self.threads[thread].root;
                let mut here = same;
                if let (Some(dest), Some(ret)) = (dest, self.program.functions[root].ret) {
                    let next = self.program.cfa.add_loc(function, LocKind::Plain);
                    let ty = self.program.places[dest].ty;
                    let value = self.program.load_var(ret, span);
                    let value = self.program.cast(value, ty, span);
                    self.program.cfa.add_edge(here, next, Op::Assign(dest, value), span);
                    here = next;
                }
                self.program.cfa.add_edge(here, to, call(end, Vec::new()), span);
            }
            self.program.cfa.add_edge(known, other, Op::Nop, span);
            self.program.cfa.add_edge(other, to, not_modelled("what is waited for is no thread"), span);
        }
    }

    /// The threads that a handle may stand for.
    fn meant(&self, handle: ExprId, own: Option<ThreadId>) -> Vec<ThreadId> {
        let mut all: Vec<ThreadId> = self.threads.indices().skip(1).filter(|t| Some(*t) != own).collect();
        let Some(var) = self.holder(handle) else { return all };
        // Written by nothing but the creation of threads.
        let creations = self.handles.iter().filter(|(_, v)| *v == Some(var)).count();
        if self.writes(var).count() == creations {
            all.retain(|t| self.handles.iter().any(|(thread, v)| thread == t && *v == Some(var)));
        }
        all
    }

    /// The variable that a handle is read from, through temporaries that are written once.
    fn holder(&self, handle: ExprId) -> Option<VarId> {
        let mut value = handle;
        loop {
            while let ExprKind::Cast(inner) = self.program.exprs[value].kind {
                value = inner;
            }
            let ExprKind::Load(place) = self.program.exprs[value].kind else { return None };
            let var = sync::root(self.program, place)?;
            let Var { storage, address_taken, .. } = self.program.vars[var];
            if address_taken {
                return None;
            }
            if !matches!(storage, Storage::Temp(_)) {
                return Some(var);
            }
            let mut writes = self.writes(var);
            match (writes.next(), writes.next()) {
                (Some(Op::Assign(_, from)), None) => value = *from,
                _ => return None,
            }
        }
    }

    /// What writes to a variable, or to a part of it.
    fn writes(&self, var: VarId) -> impl Iterator<Item = &Op> {
        self.program.cfa.edges.iter().map(|edge| &edge.op).filter(move |op| match op {
            Op::Assign(place, _) | Op::Havoc(place, _) | Op::Call(Call { dest: Some(place), .. }) => {
                sync::root(self.program, *place) == Some(var)
            }
            _ => false,
        })
    }
}
