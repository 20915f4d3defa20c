//! Numbers whose values are the library's own affair: the ids of threads and the keys of their values.
//!
//! Here the first thread is 1, the second 2, and the first key is 0. Elsewhere they are what they are: all that a program
//! may do with them is to keep them, to hand them back, and to ask whether two are the same. Where it does anything else
//! (orders them, computes with them, compares them with constants, looks at their bytes), that is not modelled.
//!
//! Which variables, members and memory may hold such a number is found by following assignments, whatever their order.
//! Members are told apart by their records, memory behind pointers by its type alone.
//!
//! The id of a thread that has ended and was joined or detached may be given to the next one. In a program that creates a
//! thread after that, whether two ids are the same is not known if they belong to different threads.

use super::{builtin_of, creators, not_modelled};
use rustc_hash::FxHashSet;
use std::collections::BTreeSet;
use tour_ir::cfa::{CallGraph, EdgeId, LocId};
use tour_ir::program::{
    BinOp, Builtin, Call, Callee, ExprId, ExprKind, FnId, IntKind, Op, PlaceId, PlaceKind, Program, RecordId,
    RecordKind, Type, TypeId, VarId,
};
use tour_ir::source::LIBRARY;

/// The bodies of the operations on threads, which know what the numbers are.
const OWN: &str = "threads.c";

/// The variable in the library that says whether ids may be given again.
pub(super) const REUSED: &str = "__tour_ids_are_reused";

/// Calls of these give a key through their first argument.
const MAKE_KEY: [&str; 2] = ["pthread_key_create", "tss_create"];

/// After these, the same key may be given again.
const DELETE_KEY: [&str; 2] = ["pthread_key_delete", "tss_delete"];

/// What the result says.
const MESSAGE: &str = "the value of a thread's id or of a key, which the library chooses";

/// Makes operations that depend on the values of such numbers what is not modelled. Says whether ids may be given again.
pub(super) fn hide(program: &mut Program) -> bool {
    let mut held = Held::of(program);
    if held.is_empty() {
        return false;
    }
    held.spread();
    let threads = ids_are_reused(program);
    let keys = calls_one_of(program, &DELETE_KEY);
    let looked_at: Vec<EdgeId> = (program.cfa.edges.indices())
        .filter(|edge| !is_own(program, *edge) && held.is_looked_at(*edge, threads || keys))
        .collect();
    for edge in looked_at {
        program.cfa.edges[edge].op = not_modelled(MESSAGE);
    }
    threads
}

fn function_of(program: &Program, edge: EdgeId) -> FnId {
    program.cfa.locs[program.cfa.edges[edge].from].function
}

/// The edge belongs to the library's operations on threads.
fn is_own(program: &Program, edge: EdgeId) -> bool {
    is_own_function(program, function_of(program, edge))
}

fn is_own_function(program: &Program, function: FnId) -> bool {
    file_of(program, function) == Some(OWN)
}

/// The file of the library that a function is in.
fn file_of(program: &Program, function: FnId) -> Option<&str> {
    let path = &program.sources.unit(program.functions[function].span.unit).path;
    path.to_str().and_then(|path| path.strip_prefix(LIBRARY))
}

/// The function that an operation calls by its name.
fn called(op: &Op) -> Option<(FnId, &[ExprId])> {
    match op {
        Op::Call(Call { callee: Callee::Direct(f), args, .. }) => Some((*f, args)),
        _ => None,
    }
}

fn calls_one_of(program: &Program, names: &[&str]) -> bool {
    program.cfa.edges.indices().any(|edge| {
        let called = called(&program.cfa.edges[edge].op);
        !is_own(program, edge)
            && called.is_some_and(|(f, _)| names.contains(&program.functions[f].name.as_str()))
    })
}

/// A scalar as memory knows it.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Scalar {
    Int(IntKind),
    Pointer,
}

/// What can hold a number.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Holder {
    /// A variable, or any element of it.
    Var(VarId),
    /// A member of all records of a type.
    Member(RecordId, u32),
    /// All that pointers can point to.
    Memory(Scalar),
}

/// What an operation may do.
#[derive(Clone, Copy)]
struct How {
    /// A number may be given again: two that are the same need not be.
    reused: bool,
    /// The operation calls a function of the library, which looks at bytes.
    library: bool,
}

struct Held<'p> {
    program: &'p Program,
    holders: FxHashSet<Holder>,
    /// Those that a pointer can point to.
    addressed: FxHashSet<Holder>,
    /// Functions that a call through a pointer may call.
    pointed_at: Vec<FnId>,
}

impl<'p> Held<'p> {
    /// What holds the numbers that the library gives.
    fn of(program: &'p Program) -> Held<'p> {
        let calls = CallGraph::of(program);
        let pointed_at = (program.functions.indices())
            .filter(|f| calls.is_address_taken(*f) && program.functions[*f].body.is_some())
            .collect();
        let mut held =
            Held { program, holders: FxHashSet::default(), addressed: FxHashSet::default(), pointed_at };
        for (id, edge) in program.cfa.edges.iter_enumerated() {
            if is_own(program, id) {
                continue;
            }
            let Op::Call(Call { dest, args, .. }) = &edge.op else { continue };
            match builtin_of(program, &edge.op) {
                Some(Builtin::ThreadCreate | Builtin::ThreadSelf) => {
                    dest.iter().for_each(|dest| _ = held.add(*dest));
                }
                _ => {
                    let makes = called(&edge.op)
                        .is_some_and(|(f, _)| MAKE_KEY.contains(&program.functions[f].name.as_str()));
                    if let (true, Some(&key)) = (makes, args.first()) {
                        held.add_behind(key);
                    }
                }
            }
        }
        held
    }

    fn is_empty(&self) -> bool {
        self.holders.is_empty()
    }

    fn add(&mut self, place: PlaceId) -> bool {
        self.holder(place).is_some_and(|holder| self.holders.insert(holder))
    }

    /// What a pointer points to.
    fn add_behind(&mut self, pointer: ExprId) -> bool {
        match self.program.exprs[uncast(self.program, pointer)].kind {
            ExprKind::AddrOf(place) => self.add(place),
            _ => {
                let pointee = self.program.types.pointee(self.program.exprs[pointer].ty);
                let scalar = pointee.and_then(|to| self.scalar(to.ty));
                scalar.is_some_and(|scalar| self.holders.insert(Holder::Memory(scalar)))
            }
        }
    }

    fn scalar(&self, ty: TypeId) -> Option<Scalar> {
        match self.program.types[ty] {
            Type::Int(kind) => Some(Scalar::Int(kind.to_unsigned())),
            Type::Pointer(_) => Some(Scalar::Pointer),
            _ => None,
        }
    }

    fn holder(&self, place: PlaceId) -> Option<Holder> {
        let scalar = self.scalar(self.program.places[place].ty)?;
        let mut at = place;
        loop {
            match self.program.places[at].kind {
                PlaceKind::Var(var) => return Some(Holder::Var(var)),
                PlaceKind::Deref(_) => return Some(Holder::Memory(scalar)),
                PlaceKind::Index(base, _) => at = base,
                PlaceKind::Field(base, index) => {
                    let Type::Record(id) = self.program.types[self.program.places[base].ty] else {
                        return None;
                    };
                    return Some(match self.program.types.records[id].kind {
                        RecordKind::Struct => Holder::Member(id, index),
                        RecordKind::Union => Holder::Memory(scalar),
                    });
                }
            }
        }
    }

    fn holds(&self, place: PlaceId) -> bool {
        self.holder(place).is_some_and(|holder| {
            let scalar = self.scalar(self.program.places[place].ty);
            self.holders.contains(&holder)
                || self.addressed.contains(&holder)
                    && scalar.is_some_and(|scalar| self.holders.contains(&Holder::Memory(scalar)))
        })
    }

    /// The expression is such a number.
    fn is_one(&self, expr: ExprId) -> bool {
        let node = &self.program.exprs[expr];
        match node.kind {
            ExprKind::Load(place) => self.holds(place),
            ExprKind::Cast(inner) => {
                let types = &self.program.types;
                let (from, to) = (self.program.exprs[inner].ty, node.ty);
                let keeps =
                    types.is_integer(from) && types.is_integer(to) && types.size(from) <= types.size(to);
                keeps && self.is_one(inner)
            }
            _ => false,
        }
    }

    /// Follows assignments until nothing is new.
    fn spread(&mut self) {
        self.find_addressed();
        loop {
            let mut new = false;
            for edge in &self.program.cfa.edges {
                new |= self.follow(&edge.op, self.program.cfa.locs[edge.from].function);
            }
            let exposed: Vec<Holder> = (self.holders.intersection(&self.addressed).copied())
                .filter_map(|holder| self.memory_of(holder))
                .collect();
            for holder in exposed {
                new |= self.holders.insert(holder);
            }
            if !new {
                return;
            }
        }
    }

    /// Memory as pointers to a holder see it.
    fn memory_of(&self, holder: Holder) -> Option<Holder> {
        let mut ty = match holder {
            Holder::Var(var) => self.program.vars[var].ty.ty,
            Holder::Member(id, index) => self.program.types.records[id].fields[index as usize].ty.ty,
            Holder::Memory(_) => return None,
        };
        while let Type::Array(of, _) = self.program.types[ty] {
            ty = of.ty;
        }
        self.scalar(ty).map(Holder::Memory)
    }

    fn follow(&mut self, op: &Op, function: FnId) -> bool {
        match op {
            Op::Assign(place, value) => self.is_one(*value) && self.add(*place),
            Op::Return(Some(value)) => {
                let ret = self.program.functions[function].ret;
                self.is_one(*value) && ret.is_some_and(|ret| self.holders.insert(Holder::Var(ret)))
            }
            Op::Call(Call { callee, args, dest }) => {
                let targets = match callee {
                    Callee::Direct(f) => vec![*f],
                    Callee::Indirect(_) => self.pointed_at.clone(),
                };
                let mut new = false;
                for f in targets {
                    let params = self.program.functions[f].params.clone();
                    for (param, arg) in params.iter().zip(args) {
                        new |= self.is_one(*arg) && self.holders.insert(Holder::Var(*param));
                    }
                    let ret = self.program.functions[f].ret;
                    let given = ret.is_some_and(|ret| self.holders.contains(&Holder::Var(ret)));
                    if let (true, Some(dest)) = (given, dest) {
                        new |= self.add(*dest);
                    }
                }
                let copies = matches!(builtin_of(self.program, op), Some(Builtin::Memcpy | Builtin::Memmove));
                if let (true, [to, from, ..]) = (copies, &args[..])
                    && let ExprKind::AddrOf(place) = self.program.exprs[uncast(self.program, *from)].kind
                    && self.holds(place)
                {
                    new |= self.add_behind(uncast(self.program, *to));
                }
                new
            }
            Op::Nop
            | Op::Assume { .. }
            | Op::Return(None)
            | Op::Havoc(..)
            | Op::Declare(_)
            | Op::Expire(_)
            | Op::Unsupported(_) => false,
        }
    }

    /// Notes what pointers can point to, but for those that only the library is given.
    fn find_addressed(&mut self) {
        let mut found = FxHashSet::default();
        let note = |held: &Self, expr: ExprId, found: &mut FxHashSet<Holder>| {
            let mut work = vec![expr];
            while let Some(expr) = work.pop() {
                match held.program.exprs[expr].kind {
                    ExprKind::Int(_) | ExprKind::Float(_) | ExprKind::Zeroed | ExprKind::FnAddr(_) => {}
                    ExprKind::Unary(_, a) | ExprKind::Cast(a) | ExprKind::Fact(_, a) => work.push(a),
                    ExprKind::Binary(_, a, b) => work.extend([a, b]),
                    ExprKind::Load(place) => work.extend(positions(held.program, place)),
                    ExprKind::AddrOf(place) => {
                        found.extend(held.holder(place));
                        work.extend(positions(held.program, place));
                    }
                }
            }
        };
        for edge in &self.program.cfa.edges {
            let library = called(&edge.op).is_some_and(|(f, _)| is_own_function(self.program, f));
            for value in values(&edge.op).into_iter().filter(|_| !library) {
                note(self, value, &mut found);
            }
            for place in places(&edge.op) {
                positions(self.program, place).into_iter().for_each(|e| note(self, e, &mut found));
            }
        }
        for item in self.program.globals.iter().filter_map(|v| self.program.vars[*v].init.as_ref()) {
            for item in &item.items {
                if let tour_ir::program::InitItem::Value { value, .. } = item {
                    note(self, *value, &mut found);
                }
            }
        }
        self.addressed = found;
    }

    /// What the operation does depends on such a number.
    fn is_looked_at(&self, edge: EdgeId, reused: bool) -> bool {
        let op = &self.program.cfa.edges[edge].op;
        let decides = matches!(op, Op::Assume { cond, .. } if self.is_one(*cond));
        // Functions that take bytes as they are, and those that know.
        let moves = match builtin_of(self.program, op) {
            Some(Builtin::Memcpy | Builtin::Memmove | Builtin::Memset | Builtin::Free) => true,
            _ => called(op).is_some_and(|(f, _)| is_own_function(self.program, f)),
        };
        let library = called(op).is_some_and(|(f, _)| file_of(self.program, f).is_some());
        let how = How { reused, library };
        let value = |value: ExprId| {
            let value = if moves { uncast(self.program, value) } else { value };
            self.is_used(value, how)
        };
        let place = |place| self.is_used_in_place(place, how);
        decides || values(op).into_iter().any(value) || places(op).into_iter().any(place)
    }

    fn is_used(&self, expr: ExprId, how: How) -> bool {
        match self.program.exprs[expr].kind {
            ExprKind::Int(_) | ExprKind::Float(_) | ExprKind::Zeroed | ExprKind::FnAddr(_) => false,
            ExprKind::Load(place) | ExprKind::AddrOf(place) => self.is_used_in_place(place, how),
            ExprKind::Cast(inner) => {
                let bytes = match self.program.exprs[inner].kind {
                    ExprKind::AddrOf(place) => {
                        let types = &self.program.types;
                        let to = types.pointee(self.program.exprs[expr].ty);
                        let of = self.program.places[place].ty;
                        let differs = |to: TypeId| match types[to] {
                            Type::Void => how.library,
                            _ => self.scalar(to) != self.scalar(of),
                        };
                        self.holds(place) && to.is_some_and(|to| differs(to.ty))
                    }
                    _ => false,
                };
                bytes || self.is_one(inner) && !self.is_one(expr) || self.is_used(inner, how)
            }
            ExprKind::Unary(_, a) => self.is_one(a) || self.is_used(a, how),
            ExprKind::Fact(_, a) => self.is_used(a, how),
            ExprKind::Binary(op, a, b) => {
                let same = matches!(op, BinOp::Eq | BinOp::Ne) && !how.reused;
                let one = self.is_one(a) || self.is_one(b);
                let both = self.is_one(a) && self.is_one(b);
                one && !(both && same) || self.is_used(a, how) || self.is_used(b, how)
            }
        }
    }

    fn is_used_in_place(&self, place: PlaceId, how: How) -> bool {
        let mut at = place;
        loop {
            match self.program.places[at].kind {
                PlaceKind::Var(_) => return false,
                PlaceKind::Deref(pointer) => return self.is_used(pointer, how),
                PlaceKind::Field(base, _) => at = base,
                PlaceKind::Index(base, index) => {
                    if self.is_one(index) || self.is_used(index, how) {
                        return true;
                    }
                    at = base;
                }
            }
        }
    }
}

fn uncast(program: &Program, mut expr: ExprId) -> ExprId {
    while let ExprKind::Cast(inner) = program.exprs[expr].kind {
        expr = inner;
    }
    expr
}

/// The values that an operation computes.
fn values(op: &Op) -> Vec<ExprId> {
    match op {
        Op::Assign(_, value) | Op::Assume { cond: value, .. } | Op::Return(Some(value)) => vec![*value],
        Op::Call(Call { callee, args, .. }) => {
            let pointer = match callee {
                Callee::Indirect(pointer) => Some(*pointer),
                Callee::Direct(_) => None,
            };
            args.iter().copied().chain(pointer).collect()
        }
        Op::Nop | Op::Return(None) | Op::Havoc(..) | Op::Declare(_) | Op::Expire(_) | Op::Unsupported(_) => {
            Vec::new()
        }
    }
}

/// The places that an operation writes.
fn places(op: &Op) -> Vec<PlaceId> {
    match op {
        Op::Assign(place, _) | Op::Havoc(place, _) | Op::Call(Call { dest: Some(place), .. }) => vec![*place],
        Op::Call(Call { dest: None, .. })
        | Op::Nop
        | Op::Assume { .. }
        | Op::Return(_)
        | Op::Declare(_)
        | Op::Expire(_)
        | Op::Unsupported(_) => Vec::new(),
    }
}

/// The expressions that say where a place is.
fn positions(program: &Program, place: PlaceId) -> Vec<ExprId> {
    let (mut at, mut found) = (place, Vec::new());
    loop {
        match program.places[at].kind {
            PlaceKind::Var(_) => return found,
            PlaceKind::Deref(pointer) => {
                found.push(pointer);
                return found;
            }
            PlaceKind::Field(base, _) => at = base,
            PlaceKind::Index(base, index) => {
                found.push(index);
                at = base;
            }
        }
    }
}

/// A thread may be created after another one was joined or detached.
fn ids_are_reused(program: &Program) -> bool {
    let calls = CallGraph::of(program);
    let creators = creators(program, &calls);
    let takes = |edge: &tour_ir::cfa::Edge| builtin_of(program, &edge.op) == Some(Builtin::ThreadJoin);
    let mut takers: BTreeSet<FnId> = (program.cfa.edges.iter())
        .filter(|edge| takes(edge))
        .map(|edge| program.cfa.locs[edge.from].function)
        .collect();
    let detached = may_be_created_detached(program);
    if takers.is_empty() && !detached {
        return false;
    }
    loop {
        let before = takers.len();
        for f in program.functions.indices() {
            if calls.callees(f).iter().any(|(callee, _)| takers.contains(callee)) {
                takers.insert(f);
            }
        }
        if takers.len() == before {
            break;
        }
    }
    // Other threads than the first, at any time.
    if detached || creators.iter().any(|f| calls.is_address_taken(*f)) {
        return true;
    }
    let leads_to = |edge: &tour_ir::cfa::Edge, functions: &BTreeSet<FnId>, own: Builtin| match &edge.op {
        op if builtin_of(program, op) == Some(own) => true,
        Op::Call(Call { callee: Callee::Direct(f), .. }) => functions.contains(f),
        Op::Call(Call { callee: Callee::Indirect(_), .. }) => {
            functions.iter().any(|f| calls.is_address_taken(*f))
        }
        _ => false,
    };
    program.cfa.edges.iter().any(|edge| {
        leads_to(edge, &takers, Builtin::ThreadJoin)
            && follows(program, edge.to, |next| leads_to(next, &creators, Builtin::ThreadCreate))
    })
}

/// Such an edge can be reached from a location, in the same function.
fn follows(program: &Program, from: LocId, is_wanted: impl Fn(&tour_ir::cfa::Edge) -> bool) -> bool {
    let mut seen = FxHashSet::from_iter([from]);
    let mut work = vec![from];
    while let Some(loc) = work.pop() {
        for (_, edge) in program.cfa.successors(loc) {
            if is_wanted(edge) {
                return true;
            }
            if seen.insert(edge.to) {
                work.push(edge.to);
            }
        }
    }
    false
}

/// Some attributes may say that a thread is detached from the beginning.
pub(super) fn may_be_created_detached(program: &Program) -> bool {
    program.cfa.edges.iter().any(|edge| {
        called(&edge.op).is_some_and(|(f, args)| {
            let state = args.get(1).and_then(|state| program.const_value(*state));
            program.functions[f].name == "pthread_attr_setdetachstate" && state != Some(0)
        })
    })
}
