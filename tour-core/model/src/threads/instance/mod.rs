//! Copies of functions, one for each thread that runs them. A parameter that always gets the same constant (the address
//! of a variable with static storage, a function, null) disappears from the copy: `lock(&m)` works on `m` itself.
//!
//! | file | what |
//! |---|---|
//! | `calls` | calls, and which arguments are constants |
//! | `create` | the creation of threads |
//! | `join` | waits for the end of threads |
//! | `rename` | variables, places and expressions of a copy |

mod calls;
mod create;
mod join;
mod rename;

use super::sync::Objects;
use super::{creators, ids, not_modelled, redirect};
use crate::tuning::PreparationLimits;
use index_vec::IndexVec;
use join::Join;
use rename::Copy;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;
use tour_ir::cfa::{CallGraph, Cfa, EdgeId, LocId, LocKind, Loops};
use tour_ir::program::{
    Body, Builtin, Call, Callee, ExprId, FnId, FnSig, Function, Op, PlaceId, Program, Storage, Thread,
    ThreadId, Threads, Type, Var, VarId,
};
use tour_ir::source::LIBRARY;
use tour_ir::source::Span;

/// An argument that is a constant.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
enum Constant {
    Null,
    Function(FnId),
    /// The address of a place of a variable with static storage.
    Place(VarId, u64, PlaceId),
}

/// What a copy is made for.
type Key = (ThreadId, FnId, Vec<Option<(u8, u64, u64)>>);

/// A function without a body, for an operation on threads.
pub(super) fn primitive(program: &mut Program, builtin: Builtin) -> FnId {
    let name = format!("__tour_{builtin:?}");
    if let Some(known) = program.functions.iter().position(|f| f.builtin == Some(builtin) && f.body.is_none())
    {
        return FnId::new(known);
    }
    let ret = program.types.void();
    let ty = program.types.intern(Type::Function(FnSig::unprototyped(ret)));
    let span = program.functions[program.entry].span;
    program.functions.push(Function { builtin: Some(builtin), ..Function::new(name, ty, span) })
}

/// A call without a result.
pub(super) fn call(f: FnId, args: Vec<ExprId>) -> Op {
    Op::Call(Call { callee: Callee::Direct(f), args, dest: None })
}

/// A body that is still to be copied.
struct Todo {
    key: Key,
    constants: Vec<Option<Constant>>,
    to: FnId,
    /// It may run more than once.
    again: bool,
    /// Functions that were started as threads on the way here.
    ancestors: Vec<FnId>,
}

/// Where an operation of a copy begins and ends.
#[derive(Clone, Copy)]
struct Way {
    from: LocId,
    to: LocId,
    span: Span,
}

struct Copier<'a> {
    program: &'a mut Program,
    old: Cfa,
    /// How many functions there were before.
    functions: usize,
    calls: CallGraph,
    loops: Loops,
    creators: BTreeSet<FnId>,
    /// Parameters that are never written and whose address is not taken.
    stable: FxHashSet<VarId>,
    objects: Objects<'a>,
    made: FxHashMap<Key, FnId>,
    todo: Vec<Todo>,
    joins: Vec<Join>,
    /// Where each thread's handle goes, if that is a variable.
    handles: Vec<(ThreadId, Option<VarId>)>,
    /// The first thread of the group that one place creates.
    threads: IndexVec<ThreadId, Thread>,
    of: FxHashMap<FnId, ThreadId>,
    thread_locals: FxHashMap<(ThreadId, VarId), VarId>,
    /// Attributes of threads may say that they are detached.
    detaches: bool,
    /// The threads that may be detached from the beginning.
    detached: BTreeSet<ThreadId>,
    /// Where threads end that do so in the middle.
    exits: Vec<(ThreadId, EdgeId)>,
    limits: PreparationLimits,
    bound: u32,
    begin: FnId,
    end: FnId,
    start: FnId,
    finished: FnId,
    exit: FnId,
}

/// Replaces the program's functions by copies for each thread. Returns the kinds of locks that are also reached by
/// pointers that are not constant.
pub(super) fn copy_functions(
    program: &mut Program,
    limits: &PreparationLimits,
    bound: u32,
    in_memory: &BTreeSet<String>,
) -> BTreeSet<String> {
    let functions = program.functions.len();
    let calls = CallGraph::of(program);
    let loops = Loops::of(program);
    let creators = creators(program, &calls);
    let stable = stable_params(program);
    let detaches = ids::may_be_created_detached(program);
    let [begin, end, start, finished, exit] = [
        Builtin::AtomicBegin,
        Builtin::AtomicEnd,
        Builtin::ThreadStart,
        Builtin::ThreadFinished,
        Builtin::ThreadExit,
    ]
    .map(|b| primitive(program, b));
    let old = std::mem::take(&mut program.cfa);
    let entry = program.entry;
    let mut copier = Copier {
        program,
        old,
        functions,
        calls,
        loops,
        creators,
        stable,
        objects: Objects::new(in_memory),
        made: FxHashMap::default(),
        todo: Vec::new(),
        joins: Vec::new(),
        handles: Vec::new(),
        threads: IndexVec::new(),
        of: FxHashMap::default(),
        thread_locals: FxHashMap::default(),
        detaches,
        detached: BTreeSet::new(),
        exits: Vec::new(),
        limits: *limits,
        bound,
        begin,
        end,
        start,
        finished,
        exit,
    };
    let _span = copier.program.functions[entry].span;
    let main = copier.threads.push(Thread { root: entry, param: None, ret: None });
    let root = copier.instance(main, entry, Vec::new(), false, Vec::new());
    copier.threads[main].root = root;
    while let Some(todo) = copier.todo.pop() {
        copier.body(todo);
    }
    copier.end_storage();
    copier.expand_joins();
    copier.finish(root)
}

/// Parameters that keep the value they get.
fn stable_params(program: &Program) -> FxHashSet<VarId> {
    let mut written = FxHashSet::default();
    for edge in &program.cfa.edges {
        match &edge.op {
            Op::Assign(place, _) | Op::Havoc(place, _) => written.extend(program.root(*place)),
            Op::Call(Call { dest: Some(dest), .. }) => written.extend(program.root(*dest)),
            _ => {}
        }
    }
    let is_pointer = |var: VarId| matches!(program.types[program.vars[var].ty.ty], Type::Pointer(_));
    (program.functions.iter().flat_map(|f| &f.params).copied())
        .filter(|p| !written.contains(p) && !program.vars[*p].address_taken && is_pointer(*p))
        .collect()
}

impl Copier<'_> {
    /// The copy of a function for a thread, made once for the same constants.
    fn instance(
        &mut self,
        thread: ThreadId,
        f: FnId,
        constants: Vec<Option<Constant>>,
        again: bool,
        ancestors: Vec<FnId>,
    ) -> FnId {
        let signature = constants.iter().map(|c| {
            c.as_ref().map(|c| match c {
                Constant::Null => (0, 0, 0),
                Constant::Function(f) => (1, f.index() as u64, 0),
                Constant::Place(var, offset, _) => (2, var.index() as u64, *offset),
            })
        });
        let key: Key = (thread, f, signature.collect());
        // Threads are told apart by the place that creates them: such functions are copied for each call.
        let fresh = self.creators.contains(&f) && !self.calls.is_recursive(f);
        if let Some(&made) = self.made.get(&key).filter(|_| !fresh) {
            return made;
        }
        let mut function = self.program.functions[f].clone();
        function.body = None;
        let to = self.program.functions.push(function);
        self.made.insert(key.clone(), to);
        self.of.insert(to, thread);
        let again = again || self.calls.is_recursive(f);
        self.todo.push(Todo { key, constants, to, again, ancestors });
        to
    }

    /// Copies a body.
    fn body(&mut self, todo: Todo) {
        let Todo { key: (thread, f, _), constants, to, again, ancestors } = todo;
        let Some(body) = self.program.functions[f].body else { return };
        let mut vars = FxHashMap::default();
        let mut known = FxHashMap::default();
        let Function { params, locals, ret, .. } = self.program.functions[f].clone();
        // What a thread is given and what it returns is accessed by others before and after its life.
        let is_root = thread.index() != 0 && self.threads[thread].root == to;
        let mut own = |program: &mut Program, var: VarId| {
            let mut copy = program.vars[var].clone();
            copy.storage = match copy.storage {
                Storage::Param(_) | Storage::Return(_) if is_root => Storage::Static,
                Storage::Param(_) => Storage::Param(to),
                Storage::Temp(_) => Storage::Temp(to),
                Storage::Return(_) => Storage::Return(to),
                Storage::Local(_) => Storage::Local(to),
                other => other,
            };
            let new = program.vars.push(copy);
            vars.insert(var, new);
            new
        };
        let mut new_params = Vec::new();
        for (i, &param) in params.iter().enumerate() {
            match constants.get(i).cloned().flatten() {
                Some(constant) => _ = known.insert(param, constant),
                None => new_params.push(own(self.program, param)),
            }
        }
        let new_ret = ret.map(|ret| own(self.program, ret));
        if is_root {
            self.threads[thread].param = new_params.first().copied();
            self.threads[thread].ret = new_ret;
            self.program.globals.extend(new_params.drain(..).chain(new_ret));
        }
        let new_locals: Vec<VarId> = (locals.into_iter())
            .map(|var| match self.program.vars[var].function() {
                Some(_) => own(self.program, var),
                None => var,
            })
            .collect();
        {
            let function = &mut self.program.functions[to];
            (function.params, function.ret, function.locals) = (new_params, new_ret, new_locals);
        }
        let mut copy = Copy { thread, to, again, ancestors, vars, known, locs: FxHashMap::default() };
        let entry = self.loc(&mut copy, body.entry);
        let exit = self.loc(&mut copy, body.exit);
        self.program.functions[to].body = Some(Body { entry, exit });
        self.rename_lengths(&copy);
        let mut work = vec![body.entry];
        let mut seen = FxHashSet::default();
        seen.insert(body.entry);
        while let Some(loc) = work.pop() {
            for edge in self.old.locs[loc].out.clone() {
                let next = self.old.edges[edge].to;
                if seen.insert(next) {
                    work.push(next);
                }
                if self.program.cfa.edges.len() > self.limits.max_edges {
                    let (from, to) = (self.loc(&mut copy, loc), self.loc(&mut copy, next));
                    let span = self.old.edges[edge].span;
                    self.program.cfa.add_edge(
                        from,
                        to,
                        not_modelled("too many copies of functions for threads"),
                        span,
                    );
                    continue;
                }
                self.edge(&mut copy, edge);
            }
        }
        if is_root {
            self.end_lives(to, exit);
        }
    }

    /// The lengths of arrays are variables of the copy, too.
    fn rename_lengths(&mut self, copy: &Copy) {
        let Function { params, locals, .. } = &self.program.functions[copy.to];
        for var in params.iter().chain(locals).copied().collect::<Vec<_>>() {
            let ty = self.ty(copy, self.program.vars[var].ty.ty);
            self.program.vars[var].ty.ty = ty;
        }
    }

    /// With a thread, the lives of its variables end.
    fn end_lives(&mut self, root: FnId, exit: LocId) {
        let mortals = self.mortals(root);
        if mortals.is_empty() {
            return;
        }
        let span = self.program.functions[root].span;
        let over = self.program.cfa.add_loc(root, LocKind::Plain);
        for edge in self.program.cfa.locs[exit].into.clone() {
            redirect(self.program, edge, over);
        }
        let last = self.expire(over, mortals, span);
        self.program.cfa.add_edge(last, exit, Op::Nop, span);
    }

    /// With a thread, the lives of its thread-local variables and of its argument end: all are known now. Those of the
    /// library are not seen by the program but for `errno`, which is taken for granted.
    fn end_storage(&mut self) {
        for thread in self.threads.indices().skip(1) {
            let Thread { root, param, .. } = self.threads[thread];
            let own = self.thread_locals.iter().filter(|((of, _), _)| *of == thread).map(|(_, var)| *var);
            let is_mortal = |var: &VarId| {
                let Var { address_taken, span, .. } = &self.program.vars[*var];
                let path = &self.program.sources.unit(span.unit).path;
                *address_taken && !path.to_str().is_some_and(|path| path.starts_with(LIBRARY))
            };
            let mut vars: Vec<VarId> = own.chain(param).filter(is_mortal).collect();
            vars.sort_unstable();
            let Some(body) = self.program.functions[root].body.filter(|_| !vars.is_empty()) else { continue };
            let span = self.program.functions[root].span;
            let over = self.program.cfa.add_loc(root, LocKind::Plain);
            for edge in self.program.cfa.locs[body.exit].into.clone() {
                redirect(self.program, edge, over);
            }
            let last = self.expire(over, vars.clone(), span);
            self.program.cfa.add_edge(last, body.exit, Op::Nop, span);
            let exits: Vec<EdgeId> =
                self.exits.iter().filter(|(of, _)| *of == thread).map(|(_, edge)| *edge).collect();
            for edge in exits {
                let (from, span) = (self.program.cfa.edges[edge].from, self.program.cfa.edges[edge].span);
                self.program.cfa.locs[from].out.retain(|e| *e != edge);
                let last = self.expire(from, vars.clone(), span);
                self.program.cfa.edges[edge].from = last;
                self.program.cfa.locs[last].out.push(edge);
            }
        }
    }

    /// The variables of a function that pointers can point to.
    fn mortals(&self, function: FnId) -> Vec<VarId> {
        let is_mortal = |var: &&VarId| {
            let Var { storage, address_taken, .. } = self.program.vars[**var];
            matches!(storage, Storage::Local(_)) && address_taken
        };
        self.program.functions[function].locals.iter().filter(is_mortal).copied().collect()
    }

    /// Ends lives, one after the other; gives where that is done.
    fn expire(&mut self, mut at: LocId, vars: Vec<VarId>, span: Span) -> LocId {
        let function = self.program.cfa.locs[at].function;
        for var in vars {
            let next = self.program.cfa.add_loc(function, LocKind::Plain);
            self.program.cfa.add_edge(at, next, Op::Expire(var), span);
            at = next;
        }
        at
    }

    fn loc(&mut self, copy: &mut Copy, loc: LocId) -> LocId {
        let program = &mut *self.program;
        let kind = self.old.locs[loc].kind;
        *copy.locs.entry(loc).or_insert_with(|| program.cfa.add_loc(copy.to, kind))
    }

    fn plain(&mut self, copy: &Copy) -> LocId {
        self.program.cfa.add_loc(copy.to, LocKind::Plain)
    }

    fn edge(&mut self, copy: &mut Copy, id: EdgeId) {
        let edge = self.old.edges[id].clone();
        let span = edge.span;
        let (from, to) = (self.loc(copy, edge.from), self.loc(copy, edge.to));
        let op = match edge.op {
            Op::Call(call) => return self.call(copy, id, call, Way { from, to, span }),
            op => self.op(copy, &op),
        };
        self.program.cfa.add_edge(from, to, op, span);
    }

    /// What is left to do: checks, and functions that are not run any more.
    fn finish(mut self, root: FnId) -> BTreeSet<String> {
        let program = self.program;
        program.entry = root;
        let first = ThreadId::new(0);
        let of = program.functions.indices().map(|f| self.of.get(&f).copied().unwrap_or(first)).collect();
        program.threads = Threads { all: self.threads, of, ..Threads::default() };
        for f in program.functions.indices() {
            if !self.of.contains_key(&f) {
                program.functions[f].body = None;
            }
        }
        let mut locs: FxHashMap<tour_ir::program::CheckId, LocId> = FxHashMap::default();
        for (id, loc) in program.cfa.locs.iter_enumerated() {
            if let LocKind::Error(check) = loc.kind {
                locs.entry(check).or_insert(id);
            }
        }
        for id in program.checks.indices() {
            let function = self.old.locs[program.checks[id].loc].function;
            // One that no thread gets to.
            let nowhere = || program.cfa.add_loc(function, LocKind::Error(id));
            program.checks[id].loc = locs.get(&id).copied().unwrap_or_else(nowhere);
        }
        self.objects.find_exposed(program);
        self.objects.give_values(program);
        self.objects.dynamic
    }
}
