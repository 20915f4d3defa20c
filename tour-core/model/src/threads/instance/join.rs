//! Waits for the end of threads.

use super::{Copier, Way, call};
use crate::threads::not_modelled;
use std::collections::BTreeMap;
use tour_ir::cfa::{LocId, LocKind};
use tour_ir::program::{
    Assumption, BinOp, Call, ExprId, ExprKind, IntKind, Op, PlaceId, Storage, ThreadId, Var, VarId,
};
use tour_ir::source::Span;

/// Where a handle comes from.
enum Holder {
    Var(VarId),
    Number(u128),
}

/// A thread is waited for or detached: expanded when all threads are known.
pub(super) struct Join {
    pub way: Way,
    pub handle: ExprId,
    pub dest: Option<PlaceId>,
    /// It is waited for.
    pub waits: bool,
    /// It lies in a loop, or in a function that is called again and again.
    pub again: bool,
}

/// Where handles are unknown, it is followed for this number of threads whether they were joined before. With more, it is taken
/// for granted.
const MAX_FOLLOWED: usize = 4;

/// What is taken for granted then.
const ONCE: &str =
    "no thread is joined or detached twice (its handle is one of many that are not told apart)";

impl Copier<'_> {
    /// Waits for threads, now that all are known: for each that the handle may mean, one way. A thread is joined or
    /// detached once: what a second time does is not modelled.
    pub(super) fn expand_joins(&mut self) {
        let joins = std::mem::take(&mut self.joins);
        let candidates: Vec<(Vec<ThreadId>, bool)> = joins.iter().map(|join| self.meant(join)).collect();
        let gone = self.taken_again(&joins, &candidates);
        for (join, (candidates, _)) in joins.into_iter().zip(candidates) {
            let Join { way: Way { from: at, to, span }, handle, dest, waits, .. } = join;
            let function = self.program.cfa.locs[at].function;
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
                let tested = if waits { ended } else { known };
                if waits {
                    self.program.cfa.add_edge(begun, ended, call(finished, vec![number]), span);
                }
                self.program.cfa.add_edge(tested, same, Op::Assume { cond, truth: true }, span);
                self.program.cfa.add_edge(known, next, Op::Assume { cond, truth: false }, span);
                known = next;
                if self.detached.contains(&thread) {
                    let op = not_modelled("a thread is joined or detached that may be detached already");
                    self.program.cfa.add_edge(same, to, op, span);
                    continue;
                }
                let root = self.threads[thread].root;
                let mut here = match gone.get(&thread) {
                    Some(gone) => self.only_once(*gone, same, Way { from: at, to, span }),
                    None => same,
                };
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
            let message = match waits {
                true => "what is waited for is no thread",
                false => "what is detached is no thread",
            };
            self.program.cfa.add_edge(other, to, not_modelled(message), span);
        }
    }

    /// For each thread that may be joined or detached more than once, a variable that says whether it was.
    fn taken_again(
        &mut self,
        joins: &[Join],
        candidates: &[(Vec<ThreadId>, bool)],
    ) -> BTreeMap<ThreadId, VarId> {
        let few = self.threads.len() <= MAX_FOLLOWED + 1;
        let mut times: BTreeMap<ThreadId, (usize, Span)> = BTreeMap::new();
        let mut granted = None;
        for (join, (threads, precise)) in joins.iter().zip(candidates) {
            let one = threads.len() == 1;
            let elsewhere = |other: &Vec<ThreadId>| other.iter().any(|thread| threads.contains(thread));
            let twice = join.again || candidates.iter().filter(|(other, _)| elsewhere(other)).count() > 1;
            if !few && (!precise || join.again && !one) {
                granted = granted.or(twice.then_some(join.way.span));
            }
            if !precise && !few {
                continue;
            }
            let again = join.again && (one || few);
            for thread in threads {
                times.entry(*thread).or_insert((0, join.way.span)).0 += if again { 2 } else { 1 };
            }
        }
        self.program.assumptions.extend(granted.map(|span| Assumption { text: ONCE.to_owned(), span }));
        let mut gone = BTreeMap::new();
        for (thread, (_, span)) in times.into_iter().filter(|(_, (times, _))| *times > 1) {
            let ty = self.program.types.int(IntKind::Int);
            let var = self.program.add_static(format!("$gone{}", thread.index()), ty, span);
            gone.insert(thread, var);
        }
        gone
    }

    /// Goes on where a thread was neither joined nor detached, and notes that it is now.
    fn only_once(&mut self, gone: VarId, at: LocId, way: Way) -> LocId {
        let Way { from, to, span } = way;
        let function = self.program.cfa.locs[from].function;
        let [first, noted, second] = [(); 3].map(|()| self.program.cfa.add_loc(function, LocKind::Plain));
        let cond = self.program.load_var(gone, span);
        self.program.cfa.add_edge(at, first, Op::Assume { cond, truth: false }, span);
        self.program.cfa.add_edge(at, second, Op::Assume { cond, truth: true }, span);
        let op = not_modelled("a thread that was joined or detached is joined or detached again");
        self.program.cfa.add_edge(second, to, op, span);
        let place = self.program.var_place(gone, span);
        let one = self.program.int(1, self.program.places[place].ty, span);
        self.program.cfa.add_edge(first, noted, Op::Assign(place, one), span);
        noted
    }

    /// The threads that a handle may stand for, and whether its variable or number tells.
    fn meant(&self, join: &Join) -> (Vec<ThreadId>, bool) {
        let function = self.program.cfa.locs[join.way.from].function;
        let own = self.of.get(&function).copied().filter(|_| join.waits);
        let mut all: Vec<ThreadId> = self.threads.indices().skip(1).filter(|t| Some(*t) != own).collect();
        let var = match self.holder(join.handle) {
            Some(Holder::Number(number)) => {
                all.retain(|t| t.index() as u128 + 1 == number);
                return (all, true);
            }
            Some(Holder::Var(var)) => var,
            None => return (all, false),
        };
        // Written by nothing but the creation of threads.
        let creations = self.handles.iter().filter(|(_, v)| *v == Some(var)).count();
        let known = self.writes(var).count() == creations;
        if known {
            all.retain(|t| self.handles.iter().any(|(thread, v)| thread == t && *v == Some(var)));
        }
        (all, known)
    }

    /// The variable that a handle is read from, or its number, through temporaries that are written once.
    fn holder(&self, handle: ExprId) -> Option<Holder> {
        let mut value = handle;
        loop {
            while let ExprKind::Cast(inner) = self.program.exprs[value].kind {
                value = inner;
            }
            let place = match self.program.exprs[value].kind {
                ExprKind::Load(place) => place,
                ExprKind::Int(number) => return Some(Holder::Number(number)),
                _ => return None,
            };
            let var = self.program.root(place)?;
            let Var { storage, address_taken, .. } = self.program.vars[var];
            if address_taken {
                return None;
            }
            if !matches!(storage, Storage::Temp(_)) {
                return Some(Holder::Var(var));
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
                self.program.root(*place) == Some(var)
            }
            _ => false,
        })
    }
}
