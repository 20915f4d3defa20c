//! The creation of threads.

use super::{Constant, Copier, Copy, Way, call};
use crate::threads::not_modelled;
use tour_ir::cfa::EdgeId;
use tour_ir::program::{ExprId, FnId, IntKind, Op, PlaceId, Thread, ThreadId};

impl Copier<'_> {
    pub(super) fn create(
        &mut self,
        copy: &mut Copy,
        id: EdgeId,
        args: &[ExprId],
        dest: Option<PlaceId>,
        way: Way,
    ) {
        let Way { from, to, span } = way;
        let many = copy.again || self.loops.innermost(self.old.edges[id].from).is_some();
        let (start, arg) = (args[0], args[1]);
        let attributes = args.get(2).filter(|attributes| self.program.const_value(**attributes) != Some(0));
        let detached = self.detaches && attributes.is_some();
        let first = self.threads.len();
        let mut at = from;
        let begun = self.plain(copy);
        let begin = self.begin;
        self.program.cfa.add_edge(at, begun, call(begin, Vec::new()), span);
        at = begun;
        match self.constant(start) {
            Some(Constant::Function(f)) => self.create_one(copy, f, many, arg, dest, Way { from: at, ..way }),
            _ => {
                // Copies of functions come after those of the program.
                let bodies = self.program.functions.indices().take(self.functions).filter(|f| {
                    let function = &self.program.functions[*f];
                    let fits = function.sig(&self.program.types).params.len() <= 1;
                    self.calls.is_address_taken(*f) && function.body.is_some() && fits
                });
                for f in bodies.collect::<Vec<_>>() {
                    let (here, other) = (self.plain(copy), self.plain(copy));
                    self.test_function(start, f, at, here, other, span);
                    self.create_one(copy, f, many, arg, dest, Way { from: here, ..way });
                    at = other;
                }
                let op = not_modelled("a thread runs a function that is not known");
                self.program.cfa.add_edge(at, to, op, span);
            }
        }
        if detached {
            self.detached.extend((first..self.threads.len()).map(ThreadId::new));
        }
    }

    /// A thread that runs `f`, inside an atomic section that ends here.
    fn create_one(&mut self, copy: &Copy, f: FnId, many: bool, arg: ExprId, dest: Option<PlaceId>, way: Way) {
        let Way { from: at, to, span } = way;
        let count = if many { self.bound as usize } else { 1 };
        let nested = copy.ancestors.iter().filter(|a| **a == f).count() > 1;
        let params = self.program.functions[f].params.len();
        let odd = self.program.functions[f].body.is_none() || self.calls.is_recursive(f) || params > 1;
        if odd || nested || self.threads.len() + count > self.limits.max_threads {
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
            let thread = self.threads.push(Thread { root: f, param: None, ret: None });
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
            self.handles.push((thread, dest.and_then(|dest| self.program.root(dest))));
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
}
