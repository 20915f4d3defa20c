//! Calls, frames and returns. The stack is our own, so that the depth of recursion is bounded by an option alone.

use super::eval::Location;
use super::image::Repr;
use super::inputs::Why;
use super::memory::Kind;
use super::outcome::{Limit, Step, Undefined, limit, undefined, unsupported};
use super::portable::open;
use super::run::Machine;
use super::trace::{Dest, Observer};
use super::value::{Provenance, Value};
use tour_ir::cfa::{EdgeId, LocId};
use tour_ir::program::{Body, Call, Callee, ExprId, FnId, Op, ThreadId, TypeId};

/// A call that has not returned yet.
#[derive(Clone, Copy, Debug)]
pub(super) struct Frame {
    pub function: FnId,
    /// The edge of the call; `None` for the entry.
    pub call: Option<EdgeId>,
    /// Where the caller's slots and objects begin.
    slot_base: usize,
    object_base: usize,
    /// What to give back at the return.
    stack: u64,
    allocas: usize,
}

impl<O: Observer> Machine<'_, '_, O> {
    /// Makes the frame of the entry function; its parameters are inputs.
    pub fn enter_entry(&mut self) -> Step<LocId> {
        let program = self.image.program;
        let Some(function) = program.functions.get(program.entry) else {
            return unsupported("a program without an entry function");
        };
        let Some(body) = function.body else {
            return unsupported(format!("the entry function `{}` has no body", function.name));
        };
        let (slot_base, object_base) = self.push_frame(program.entry, None)?;
        (self.slot_base, self.object_base) = (slot_base, object_base);
        for &param in &function.params {
            let location = self.var(param)?;
            self.havoc(location, program.vars[param].ty.ty, Why::Parameter(param))?;
        }
        Ok(body.entry)
    }

    /// Makes the frame of a thread's function.
    pub fn begin_thread(&mut self, thread: ThreadId) -> Step<LocId> {
        let program = self.image.program;
        let root = program.threads.all[thread].root;
        let Some(body) = program.functions[root].body else { return unsupported("a thread without a body") };
        (self.slot_base, self.object_base) = self.push_frame(root, None)?;
        Ok(body.entry)
    }

    /// The current function ends without returning.
    pub fn abandon_frame(&mut self) {
        let Some(&frame) = self.frames.last() else { return };
        let own = (self.object_base, self.slot_base);
        (self.slot_base, self.object_base) = (frame.slot_base, frame.object_base);
        self.pop_frame(frame, own);
    }

    /// A call: the callee's entry, or `None` if it is done already.
    pub fn call(&mut self, call: &Call) -> Step<Option<LocId>> {
        let program = self.image.program;
        let callee = match call.callee {
            Callee::Direct(function) => function,
            Callee::Indirect(pointer) => {
                let value = self.eval(pointer)?;
                let address = value.as_pointer().address;
                if O::PORTABLE && address != 0 && value.origin != Provenance::FUNCTION {
                    return open("what is at an address that is a number");
                }
                match self.image.function_at(address) {
                    Some(function) => function,
                    None if address == 0 => return undefined(Undefined::NullPointer),
                    None => return undefined(Undefined::NotAFunction),
                }
            }
        };
        let function = &program.functions[callee];
        if let Some(body) = function.body {
            return self.enter(callee, body, &call.args).map(Some);
        }
        let Some(builtin) = function.builtin else {
            return unsupported(format!("call of `{}`, which has no body", function.name));
        };
        let result = self.builtin(builtin, &call.args)?;
        if let Some(dest) = call.dest {
            let ty = program.places[dest].ty;
            let location = self.place(dest)?;
            self.store(location, ty, result)?;
            if O::PORTABLE {
                self.spoil_padding(dest)?;
            }
            if O::WRITES {
                self.observe(Dest::Place(dest), result);
            }
        }
        Ok(None)
    }

    fn enter(&mut self, callee: FnId, body: Body, args: &[ExprId]) -> Step<LocId> {
        let program = self.image.program;
        let function = &program.functions[callee];
        let sig = function.sig(&program.types);
        if args.len() < function.params.len()
            || args.len() > function.params.len() && sig.prototyped && !sig.variadic
        {
            return undefined(Undefined::WrongArguments);
        }
        let caller = (self.slot_base, self.object_base);
        let frame = self.push_frame(callee, self.edge)?;
        for (&arg, &param) in args.iter().zip(&function.params) {
            let ty = program.vars[param].ty.ty;
            if !self.fits(program.exprs[arg].ty, ty) {
                return undefined(Undefined::WrongArguments);
            }
            (self.slot_base, self.object_base) = frame;
            let to = self.var(param)?;
            (self.slot_base, self.object_base) = caller;
            if self.scalar_size(ty).is_some() {
                let value = self.eval(arg)?;
                self.store(to, ty, value)?;
                if O::WRITES {
                    self.observe(Dest::Var(param), value);
                }
            } else {
                self.assign_aggregate(to, ty, arg)?;
            }
        }
        (self.slot_base, self.object_base) = frame;
        Ok(body.entry)
    }

    /// Whether a value of one type can be passed or returned as one of another: both are the same kind of value, of
    /// the same size.
    fn fits(&self, from: TypeId, to: TypeId) -> bool {
        if from == to {
            return true;
        }
        match (self.image.reprs[from], self.image.reprs[to]) {
            (Repr::Int { size: a, .. }, Repr::Int { size: b, .. }) => a == b,
            (Repr::Pointer { .. }, Repr::Pointer { .. }) => true,
            (a, b) => a == b,
        }
    }

    /// Makes the slots and objects of a frame; where they begin.
    fn push_frame(&mut self, function: FnId, call: Option<EdgeId>) -> Step<(usize, usize)> {
        if self.frames.len() >= self.options.max_depth as usize {
            return limit(Limit::Depth);
        }
        self.frames.push(Frame {
            function,
            call,
            slot_base: self.slot_base,
            object_base: self.object_base,
            stack: self.memory.stack_next,
            allocas: self.allocas.len(),
        });
        let image = self.image;
        let shape = &image.frames[function];
        let bases = (self.slots.len(), self.frame_objects.len());
        self.slots.resize(self.slots.len() + shape.slots as usize, Value::UNINITIALISED);
        let stack = self.memory.stack_next.next_multiple_of(shape.align.max(super::memory::ALIGN));
        for object in &shape.objects {
            let index = match object.size {
                Some(size) => {
                    let kind = Kind::Var { var: object.var, constant: false };
                    let address = stack.saturating_add(object.offset);
                    Some(self.memory.allocate_local(address, size, kind)?)
                }
                None => None,
            };
            self.frame_objects.push(index);
        }
        self.memory.stack_next = stack.saturating_add(shape.size).next_multiple_of(super::memory::ALIGN);
        Ok(bases)
    }

    /// Stores what the current function returns.
    pub fn return_value(&mut self, value: ExprId) -> Step<()> {
        let program = self.image.program;
        let Some(frame) = self.frames.last() else { return unsupported("a return outside a function") };
        let Some(var) = program.functions[frame.function].ret else {
            return unsupported("a value returned by a function without one");
        };
        let ty = program.vars[var].ty.ty;
        let to = self.var(var)?;
        if self.scalar_size(ty).is_some() {
            let value = self.eval(value)?;
            self.store(to, ty, value)
        } else {
            self.assign_aggregate(to, ty, value)
        }
    }

    /// Returns from the current function: where the caller goes on, or the exit code if there is no caller.
    pub fn leave(&mut self) -> Step<Result<LocId, i128>> {
        let program = self.image.program;
        let Some(&frame) = self.frames.last() else { return unsupported("a return outside a function") };
        let ret = match program.functions[frame.function].ret {
            Some(var) => Some((program.vars[var].ty.ty, self.var(var)?)),
            None => None,
        };
        let Some(call) = frame.call else {
            return match ret {
                Some((ty, location)) => {
                    let value = self.peek(location, ty)?;
                    Ok(Err(program.types.int_type(ty).map_or(0, |int| int.to_i128(value.bits))))
                }
                None => Ok(Err(0)),
            };
        };
        let objects = (self.object_base, self.slot_base);
        (self.slot_base, self.object_base) = (frame.slot_base, frame.object_base);
        let edge = &program.cfa.edges[call];
        if let Op::Call(Call { dest: Some(dest), .. }) = edge.op {
            let ty = program.places[dest].ty;
            let Some((from, location)) = ret.filter(|&(from, _)| self.fits(from, ty)) else {
                return undefined(Undefined::WrongArguments);
            };
            let to = self.place(dest)?;
            if self.scalar_size(ty).is_some() {
                let value = self.peek(location, from)?;
                self.store(to, ty, value)?;
                if O::PORTABLE {
                    self.spoil_padding(dest)?;
                }
                if O::WRITES {
                    self.observe(Dest::Place(dest), value);
                }
            } else {
                match (to, location) {
                    (Location::Memory(to), Location::Memory(from)) => self.copy_aggregate(to, from, ty)?,
                    _ => return unsupported("an aggregate in place of a scalar"),
                }
            }
        }
        self.pop_frame(frame, objects);
        Ok(Ok(edge.to))
    }

    fn pop_frame(&mut self, frame: Frame, (objects, slots): (usize, usize)) {
        self.frames.pop();
        self.slots.truncate(slots);
        for &object in self.frame_objects[objects..].iter().flatten() {
            self.memory.release(object);
        }
        self.frame_objects.truncate(objects);
        for &block in &self.allocas[frame.allocas..] {
            self.memory.release(block);
        }
        self.allocas.truncate(frame.allocas);
        self.memory.stack_next = frame.stack;
    }
}
