//! Copies of functions, one for each thread that runs them. A parameter that always gets the same constant (the address
//! of a variable with static storage, a function, null) disappears from the copy: `lock(&m)` works on `m` itself.

use super::sync::Objects;
use super::{builtin_of, creators, not_modelled};
use crate::cfa::{CallGraph, Cfa, EdgeId, LocId, LocKind, Loops, Targets};
use crate::program::{
    BinOp, Body, Builtin, Call, Callee, ExprId, ExprKind, FnId, FnSig, Function, IntKind, Linkage, Op, Place,
    PlaceId, PlaceKind, Program, Storage, Thread, ThreadId, Threads, Type, VarId,
};
use crate::source::Span;
use index_vec::IndexVec;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;

/// More threads than this are never made.
const MAX_ALL: usize = 96;

/// More edges than this are never made.
const MAX_EDGES: usize = 400_000;

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
    let sig = FnSig { ret, params: Vec::new(), variadic: false, prototyped: false };
    let ty = program.types.intern(Type::Function(sig));
    let span = program.functions[program.entry].span;
    program.functions.push(Function {
        name,
        ty,
        linkage: Linkage::External,
        params: Vec::new(),
        ret: None,
        locals: Vec::new(),
        body: None,
        builtin: Some(builtin),
        noreturn: false,
        span,
    })
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

/// A wait for a thread, expanded when all threads are known.
struct Join {
    at: LocId,
    to: LocId,
    handle: ExprId,
    dest: Option<PlaceId>,
    span: Span,
}

struct Copier<'a> {
    program: &'a mut Program,
    old: Cfa,
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
    bound: u32,
    in_memory: &BTreeSet<String>,
) -> BTreeSet<String> {
    let calls = CallGraph::of(program);
    let loops = Loops::of(program);
    let creators = creators(program, &calls);
    let stable = stable_params(program);
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
        bound,
        begin,
        end,
        start,
        finished,
        exit,
    };
    let span = copier.program.functions[entry].span;
    let main = copier.threads.push(Thread { root: entry, span, param: None, ret: None });
    let root = copier.instance(main, entry, Vec::new(), false, Vec::new());
    copier.threads[main].root = root;
    while let Some(todo) = copier.todo.pop() {
        copier.body(todo);
    }
    copier.expand_joins();
    copier.finish(root)
}

/// Parameters that keep the value they get.
fn stable_params(program: &Program) -> FxHashSet<VarId> {
    let mut written = FxHashSet::default();
    let mut root = |mut place: PlaceId| loop {
        match program.places[place].kind {
            PlaceKind::Var(var) => {
                written.insert(var);
                break;
            }
            PlaceKind::Field(base, _) | PlaceKind::Index(base, _) => place = base,
            PlaceKind::Deref(_) => break,
        }
    };
    for edge in &program.cfa.edges {
        match &edge.op {
            Op::Assign(place, _) | Op::Havoc(place, _) => root(*place),
            Op::Call(Call { dest: Some(dest), .. }) => root(*dest),
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
        let mut copy = Copy {
            thread,
            f,
            to,
            again,
            ancestors,
            vars,
            known,
            exprs: FxHashMap::default(),
            places: FxHashMap::default(),
            locs: FxHashMap::default(),
        };
        let entry = self.loc(&mut copy, body.entry);
        let exit = self.loc(&mut copy, body.exit);
        self.program.functions[to].body = Some(Body { entry, exit });
        let mut work = vec![body.entry];
        let mut seen = FxHashSet::default();
        seen.insert(body.entry);
        while let Some(loc) = work.pop() {
            for edge in self.old.locs[loc].out.clone() {
                let next = self.old.edges[edge].to;
                if seen.insert(next) {
                    work.push(next);
                }
                if self.program.cfa.edges.len() > MAX_EDGES {
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
            Op::Nop => Op::Nop,
            Op::Assign(place, value) => Op::Assign(self.place(copy, place), self.expr(copy, value)),
            Op::Assume { cond, truth } => Op::Assume { cond: self.expr(copy, cond), truth },
            Op::Return(value) => Op::Return(value.map(|value| self.expr(copy, value))),
            Op::Havoc(place, origin) => Op::Havoc(self.place(copy, place), origin),
            Op::Declare(var) => Op::Declare(self.var(copy, var)),
            Op::Expire(var) => Op::Expire(self.var(copy, var)),
            Op::Unsupported(what) => Op::Unsupported(what),
            Op::Call(call) => return self.call(copy, id, call, from, to, span),
        };
        self.program.cfa.add_edge(from, to, op, span);
    }

    fn call(&mut self, copy: &mut Copy, id: EdgeId, call: Call, from: LocId, to: LocId, span: Span) {
        let builtin = builtin_of(self.program, &Op::Call(call.clone()));
        let args: Vec<ExprId> = call.args.iter().map(|&arg| self.expr(copy, arg)).collect();
        let dest = call.dest.map(|dest| self.place(copy, dest));
        match builtin {
            Some(Builtin::ThreadCreate) => return self.create(copy, id, &args, dest, from, to, span),
            Some(Builtin::ThreadJoin) => {
                let handle = args[0];
                self.joins.push(Join { at: from, to, handle, dest, span });
                return;
            }
            Some(Builtin::ThreadSelf) => {
                let op = match dest {
                    Some(dest) => {
                        let ty = self.program.places[dest].ty;
                        Op::Assign(dest, self.program.int(copy.thread.index() as i128 + 1, ty, span))
                    }
                    None => Op::Nop,
                };
                self.program.cfa.add_edge(from, to, op, span);
                return;
            }
            Some(Builtin::ThreadExit) => {
                let root = self.threads[copy.thread].root;
                let mut at = from;
                if copy.thread.index() != 0
                    && let (Some(ret), Some(&value)) = (self.program.functions[root].ret, args.first())
                    && self.program.types.is_scalar(self.program.vars[ret].ty.ty)
                {
                    let next = self.plain(copy);
                    let place = self.program.var_place(ret, span);
                    let ty = self.program.vars[ret].ty.ty;
                    let value = self.program.cast(value, ty, span);
                    self.program.cfa.add_edge(at, next, Op::Assign(place, value), span);
                    at = next;
                }
                let exit = self.exit;
                self.program.cfa.add_edge(at, to, self::call(exit, Vec::new()), span);
                return;
            }
            _ => {}
        }
        let again = copy.again || self.loops.innermost(self.old.edges[id].from).is_some();
        match call.callee {
            Callee::Direct(f) if self.program.functions[f].body.is_some() => {
                self.direct(copy, f, args, dest, again, from, to, span);
            }
            Callee::Direct(f) => {
                let op = Op::Call(Call { callee: Callee::Direct(f), args, dest });
                self.program.cfa.add_edge(from, to, op, span);
            }
            Callee::Indirect(pointer) => {
                let targets: Vec<FnId> = match self.calls.targets(self.program, &call) {
                    Targets::Direct(f) => vec![f],
                    Targets::Indirect(_, all) => all.to_vec(),
                };
                let pointer = self.expr(copy, pointer);
                if let Some(Constant::Function(f)) = self.constant(pointer)
                    && self.program.functions[f].body.is_some()
                {
                    self.direct(copy, f, args, dest, again, from, to, span);
                    return;
                }
                let mut at = from;
                for f in targets {
                    if self.program.functions[f].body.is_none() {
                        continue;
                    }
                    let (here, other) = (self.plain(copy), self.plain(copy));
                    self.test_function(pointer, f, at, here, other, span);
                    self.direct(copy, f, args.clone(), dest, again, here, to, span);
                    at = other;
                }
                let op = not_modelled("a call through a pointer to an unknown function");
                self.program.cfa.add_edge(at, to, op, span);
            }
        }
    }

    /// `pointer == f`, or not.
    fn test_function(&mut self, pointer: ExprId, f: FnId, at: LocId, yes: LocId, no: LocId, span: Span) {
        let ty = self.program.exprs[pointer].ty;
        let own = self.program.functions[f].ty;
        let address = self.program.types.pointer(own);
        let address = self.program.add_expr(ExprKind::FnAddr(f), address, span);
        let address = self.program.cast(address, ty, span);
        let int = self.program.types.int(IntKind::Int);
        let cond = self.program.binary(BinOp::Eq, pointer, address, int, span);
        self.program.cfa.add_edge(at, yes, Op::Assume { cond, truth: true }, span);
        self.program.cfa.add_edge(at, no, Op::Assume { cond, truth: false }, span);
    }

    /// A call of a function with a body: constants go into the copy.
    #[expect(clippy::too_many_arguments)]
    fn direct(
        &mut self,
        copy: &Copy,
        f: FnId,
        args: Vec<ExprId>,
        dest: Option<PlaceId>,
        again: bool,
        from: LocId,
        to: LocId,
        span: Span,
    ) {
        let params = self.program.functions[f].params.clone();
        let recursive = self.calls.is_recursive(f);
        let constants: Vec<Option<Constant>> = (params.iter().zip(&args))
            .map(|(param, &arg)| {
                let stable = self.stable.contains(param) && !recursive;
                stable.then(|| self.constant(arg)).flatten()
            })
            .collect();
        let left = (args.iter().enumerate())
            .filter(|(i, _)| !constants.get(*i).is_some_and(Option::is_some))
            .map(|(_, arg)| *arg)
            .collect();
        let callee = self.instance(copy.thread, f, constants, again, copy.ancestors.clone());
        let op = Op::Call(Call { callee: Callee::Direct(callee), args: left, dest });
        self.program.cfa.add_edge(from, to, op, span);
    }

    /// The constant that an expression is.
    fn constant(&self, expr: ExprId) -> Option<Constant> {
        let program = &*self.program;
        let is_pointer = matches!(program.types[program.exprs[expr].ty], Type::Pointer(_));
        match program.exprs[expr].kind {
            ExprKind::Int(0) if is_pointer => Some(Constant::Null),
            ExprKind::FnAddr(f) => Some(Constant::Function(f)),
            ExprKind::AddrOf(place) => {
                let (var, offset) = super::sync::constant_place(program, place)?;
                let is_static = program.vars[var].is_static();
                (is_static && !program.vars[var].thread_local).then_some(Constant::Place(var, offset, place))
            }
            // A pointer to another type is the same address.
            ExprKind::Cast(inner) if is_pointer => match program.exprs[inner].kind {
                ExprKind::Int(0) => Some(Constant::Null),
                _ => self.constant(inner),
            },
            _ => None,
        }
    }

    #[expect(clippy::too_many_arguments)]
    fn create(
        &mut self,
        copy: &mut Copy,
        id: EdgeId,
        args: &[ExprId],
        dest: Option<PlaceId>,
        from: LocId,
        to: LocId,
        span: Span,
    ) {
        let many = copy.again || self.loops.innermost(self.old.edges[id].from).is_some();
        let (start, arg) = (args[0], args[1]);
        let mut at = from;
        let begun = self.plain(copy);
        let begin = self.begin;
        self.program.cfa.add_edge(at, begun, call(begin, Vec::new()), span);
        at = begun;
        match self.constant(start) {
            Some(Constant::Function(f)) => self.create_one(copy, f, many, arg, dest, at, to, span),
            _ => {
                let bodies = self.program.functions.indices().filter(|f| {
                    let function = &self.program.functions[*f];
                    let fits = function.sig(&self.program.types).params.len() <= 1;
                    self.calls.is_address_taken(*f)
                        && function.body.is_some()
                        && fits
                        && !self.of.contains_key(f)
                });
                for f in bodies.collect::<Vec<_>>() {
                    let (here, other) = (self.plain(copy), self.plain(copy));
                    self.test_function(start, f, at, here, other, span);
                    self.create_one(copy, f, many, arg, dest, here, to, span);
                    at = other;
                }
                let op = not_modelled("a thread runs a function that is not known");
                self.program.cfa.add_edge(at, to, op, span);
            }
        }
    }

    /// A thread that runs `f`, inside an atomic section that ends here.
    #[expect(clippy::too_many_arguments)]
    fn create_one(
        &mut self,
        copy: &Copy,
        f: FnId,
        many: bool,
        arg: ExprId,
        dest: Option<PlaceId>,
        at: LocId,
        to: LocId,
        span: Span,
    ) {
        let count = if many { self.bound as usize } else { 1 };
        let nested = copy.ancestors.iter().filter(|a| **a == f).count() > 1;
        let params = self.program.functions[f].params.len();
        let odd = self.program.functions[f].body.is_none() || self.calls.is_recursive(f) || params > 1;
        if odd || nested || self.threads.len() + count > MAX_ALL {
            let op = not_modelled(match odd {
                true => {
                    "a thread runs a function that calls itself, or takes other arguments than one pointer"
                }
                false => "more threads are created here than can be followed",
            });
            self.program.cfa.add_edge(at, to, op, span);
            return;
        }
        let int = self.program.types.int(IntKind::Int);
        let mut previous = None;
        for _ in 0..count {
            let thread = self.threads.push(Thread { root: f, span, param: None, ret: None });
            let mut ancestors = copy.ancestors.clone();
            ancestors.push(f);
            // The argument may be constant too, if there is one thread only.
            let constant = match self.program.functions[f].params.first() {
                Some(param) if self.stable.contains(param) => self.constant(arg),
                _ => None,
            };
            let is_constant = constant.is_some();
            let root = self.instance(thread, f, vec![constant], false, ancestors);
            self.threads[thread].root = root;
            // Its body has to be there to know its parameter.
            if let Some(position) = self.todo.iter().position(|t| t.to == root) {
                let todo = self.todo.remove(position);
                self.body(todo);
            }
            let param = self.threads[thread].param;
            self.handles.push((thread, dest.and_then(|dest| super::sync::root(self.program, dest))));
            let numbers = [thread, previous.unwrap_or(thread)].map(|t| t.index() as i128);
            let numbers = numbers.map(|n| self.program.int(n, int, span));
            let begin = self.start;
            let mut here = self.plain(copy);
            self.program.cfa.add_edge(at, here, call(begin, numbers.to_vec()), span);
            if let Some(param) = param.filter(|_| !is_constant) {
                let ty = self.program.vars[param].ty.ty;
                let next = self.plain(copy);
                let op = if self.program.types.is_scalar(ty) {
                    let place = self.program.var_place(param, span);
                    Op::Assign(place, self.program.cast(arg, ty, span))
                } else {
                    not_modelled("the argument of a thread is a record")
                };
                self.program.cfa.add_edge(here, next, op, span);
                here = next;
            }
            if let Some(dest) = dest {
                let ty = self.program.places[dest].ty;
                let next = self.plain(copy);
                let op = if self.program.types.is_scalar(ty) {
                    Op::Assign(dest, self.program.int(thread.index() as i128 + 1, ty, span))
                } else {
                    not_modelled("the handle of a thread is a record")
                };
                self.program.cfa.add_edge(here, next, op, span);
                here = next;
            }
            let end = self.end;
            self.program.cfa.add_edge(here, to, call(end, Vec::new()), span);
            previous = Some(thread);
        }
        if let Some(last) = previous.filter(|_| many) {
            let none = self.program.int(-1, int, span);
            let last = self.program.int(last.index() as i128, int, span);
            let full = self.plain(copy);
            let begin = self.start;
            self.program.cfa.add_edge(at, full, call(begin, vec![none, last]), span);
            let bound = self.bound;
            let op = not_modelled(format!(
                "more than {bound} threads are created here (`--threads` sets the bound)"
            ));
            self.program.cfa.add_edge(full, to, op, span);
        }
    }

    /// Waits for threads, now that all are known: for each that the handle may mean, one way.
    fn expand_joins(&mut self) {
        for Join { at, to, handle, dest, span } in std::mem::take(&mut self.joins) {
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
        let mut value = handle;
        while let ExprKind::Cast(inner) = self.program.exprs[value].kind {
            value = inner;
        }
        let mut all: Vec<ThreadId> = self.threads.indices().skip(1).filter(|t| Some(*t) != own).collect();
        let ExprKind::Load(place) = self.program.exprs[value].kind else { return all };
        let Some(var) = super::sync::root(self.program, place) else { return all };
        if self.program.vars[var].address_taken {
            return all;
        }
        // Written by nothing but the creation of threads.
        let creations = self.handles.iter().filter(|(_, v)| *v == Some(var)).count();
        let writes = (self.program.cfa.edges.iter())
            .filter(|edge| match &edge.op {
                Op::Assign(place, _) | Op::Havoc(place, _) => {
                    super::sync::root(self.program, *place) == Some(var)
                }
                Op::Call(Call { dest: Some(dest), .. }) => {
                    super::sync::root(self.program, *dest) == Some(var)
                }
                _ => false,
            })
            .count();
        if writes == creations {
            all.retain(|t| self.handles.iter().any(|(thread, v)| thread == t && *v == Some(var)));
        }
        all
    }

    /// What is left to do: checks, and functions that are not run any more.
    fn finish(self, root: FnId) -> BTreeSet<String> {
        let program = self.program;
        program.entry = root;
        let first = ThreadId::new(0);
        let of = program.functions.indices().map(|f| self.of.get(&f).copied().unwrap_or(first)).collect();
        program.threads = Threads { all: self.threads, of };
        for f in program.functions.indices() {
            if !self.of.contains_key(&f) {
                program.functions[f].body = None;
            }
        }
        let mut locs: FxHashMap<crate::program::CheckId, LocId> = FxHashMap::default();
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
        self.objects.give_values(program);
        self.objects.dynamic
    }

    fn var(&mut self, copy: &Copy, var: VarId) -> VarId {
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
                    crate::program::InitItem::Value { place, .. }
                    | crate::program::InitItem::Bytes { place, .. } => {
                        *place = self.place(copy, *place);
                    }
                }
            }
            self.program.vars[own].init = Some(init);
        }
        self.program.globals.push(own);
        own
    }

    fn place(&mut self, copy: &Copy, place: PlaceId) -> PlaceId {
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

    fn expr(&mut self, copy: &Copy, expr: ExprId) -> ExprId {
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

    fn constant_expr(&mut self, constant: &Constant, ty: crate::program::TypeId, span: Span) -> ExprId {
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

/// What is known while a body is copied.
struct Copy {
    thread: ThreadId,
    #[expect(dead_code)]
    f: FnId,
    to: FnId,
    again: bool,
    ancestors: Vec<FnId>,
    vars: FxHashMap<VarId, VarId>,
    /// Parameters that are constants.
    known: FxHashMap<VarId, Constant>,
    exprs: FxHashMap<ExprId, ExprId>,
    places: FxHashMap<PlaceId, PlaceId>,
    locs: FxHashMap<LocId, LocId>,
}
