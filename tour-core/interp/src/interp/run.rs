//! The machine: takes one edge after another.

use super::eval::Location;
use super::image::{Home, Image, Repr};
use super::inputs::{Inputs, Why};
use super::memory::{Kind, Memory};
use super::outcome::{Halt, Limit, Options, Outcome, Run, Step, Uninitialised, unsupported};
use super::trace::{Dest, Observer, Target, Write};
use super::value::{Pointer, Value};
use tour_ir::cfa::{EdgeId, LocId, LocKind};
use tour_ir::program::{
    ExprId, ExprKind, HavocOrigin, InitItem, Op, PlaceId, RecordKind, Storage, Type, TypeId, VarId,
};

/// The state of a run.
pub(super) struct Machine<'p, 'r, O> {
    pub image: &'r Image<'p>,
    pub options: &'r Options,
    pub inputs: &'r mut dyn Inputs,
    pub observer: &'r mut O,
    pub memory: Memory,
    /// Static slots, then those of all frames.
    pub slots: Vec<Value>,
    /// The objects of all frames; `None` for a variable-length array that was not declared yet.
    pub frame_objects: Vec<Option<u32>>,
    /// The blocks that `alloca` gave, of all frames.
    pub allocas: Vec<u32>,
    pub frames: Vec<super::call::Frame>,
    /// Where the current frame's slots begin.
    pub slot_base: usize,
    /// Where the current frame's objects begin.
    pub object_base: usize,
    /// The edge that is taken.
    pub edge: Option<EdgeId>,
    pub steps: u64,
    pub output: Vec<u8>,
}

impl<'p> Image<'p> {
    /// Runs the program from its entry.
    pub fn run<O: Observer>(&self, inputs: &mut dyn Inputs, options: &Options, observer: &mut O) -> Run {
        let mut machine = Machine::new(self, inputs, options, observer);
        if O::ACCESSES {
            machine.memory.log = Some(Vec::new());
        }
        machine.memory.portable = O::PORTABLE;
        let result = machine.start().and_then(|entry| machine.go(entry));
        machine.observe_accesses();
        let edge = machine.edge;
        let outcome = result.unwrap_or_else(|halt| halt.outcome(edge));
        Run { outcome, last: edge, steps: machine.steps, output: machine.output }
    }
}

impl Halt {
    /// How a run ended that was stopped at an edge.
    pub fn outcome(self, edge: Option<EdgeId>) -> Outcome {
        match self {
            Halt::Undefined(kind) => Outcome::Undefined { kind, edge },
            Halt::Unsupported(what) => Outcome::Unsupported { what, edge },
            Halt::OutOfInputs => Outcome::OutOfInputs { edge },
            Halt::Limit(limit) => Outcome::Limit(limit),
        }
    }
}

impl<'p, 'r, O: Observer> Machine<'p, 'r, O> {
    /// A machine that has done nothing yet.
    pub fn new(
        image: &'r Image<'p>,
        inputs: &'r mut dyn Inputs,
        options: &'r Options,
        observer: &'r mut O,
    ) -> Machine<'p, 'r, O> {
        Machine {
            image,
            options,
            inputs,
            observer,
            memory: Memory::new(image.program.model, options.max_memory),
            slots: Vec::new(),
            frame_objects: Vec::new(),
            allocas: Vec::new(),
            frames: Vec::new(),
            slot_base: 0,
            object_base: 0,
            edge: None,
            steps: 0,
            output: Vec::new(),
        }
    }

    /// Makes static variables and the entry's frame.
    pub fn start(&mut self) -> Step<LocId> {
        let program = self.image.program;
        self.memory.reserve_functions(program.functions.len());
        self.slots = vec![Value::int(0); self.image.static_slots.len()];
        for (slot, &var) in self.image.static_slots.iter().enumerate() {
            if program.vars[var].storage == (Storage::Global { defined: false }) {
                self.slots[slot] = Value::UNINITIALISED;
            }
        }
        for (expected, object) in self.image.statics.iter().enumerate() {
            let kind = match object.size {
                Some(_) => Kind::Var { var: object.var, constant: false },
                None => Kind::Unknown(object.var),
            };
            let size = object.size.unwrap_or(0);
            let index = match (object.literal, object.address) {
                (Some(literal), _) => self.memory.allocate_literal(size, kind, literal)?,
                (None, Some(address)) => self.memory.allocate_static(address, size, kind)?,
                (None, None) => self.memory.allocate(size, object.align, kind)?,
            };
            debug_assert_eq!(index as usize, expected, "static objects come first");
            if program.vars[object.var].storage != (Storage::Global { defined: false }) {
                self.memory.zero_static(index);
            } else {
                self.memory.give(index);
            }
        }
        for &var in &program.globals {
            for item in program.vars[var].init.iter().flat_map(|init| &init.items) {
                self.initialise(item)?;
            }
        }
        for (index, object) in self.image.statics.iter().enumerate() {
            // What nobody defines here gets its values when they are asked for.
            let defined = program.vars[object.var].storage != (Storage::Global { defined: false });
            if defined && program.vars[object.var].is_constant(&program.types) {
                self.memory.seal(index as u32);
            }
        }
        self.enter_entry()
    }

    fn initialise(&mut self, item: &InitItem) -> Step<()> {
        match item {
            InitItem::Value { place, value } => self.assign(*place, *value),
            InitItem::Bytes { place, bytes } => match self.place(*place)? {
                Location::Memory(pointer) => self.memory.write(pointer, bytes),
                Location::Slot(_) | Location::Bits(..) => unsupported("bytes as the value of a scalar"),
            },
        }
    }

    /// Takes edges until the run ends.
    fn go(&mut self, entry: LocId) -> Step<Outcome> {
        let cfa = &self.image.program.cfa;
        let mut at = entry;
        loop {
            let loc = &cfa.locs[at];
            match loc.kind {
                LocKind::Plain | LocKind::Entry => {}
                LocKind::Error(check) => return Ok(Outcome::Error(check)),
                LocKind::End => return Ok(Outcome::Ended),
                LocKind::Exit => {
                    match self.leave()? {
                        Ok(next) => at = next,
                        Err(code) => return Ok(Outcome::Exited(code)),
                    }
                    continue;
                }
            }
            if self.steps >= self.options.max_steps {
                return Ok(Outcome::Limit(Limit::Steps));
            }
            // What was done since the last edge was its work; what follows is the next one's.
            self.observe_accesses();
            let Some(edge) = self.choose(&loc.out)? else {
                return match self.edge {
                    Some(edge) if !loc.out.is_empty() => Ok(Outcome::AssumeFailed(edge)),
                    _ => unsupported("a location that no edge leaves"),
                };
            };
            self.edge = Some(edge);
            self.steps += 1;
            self.observer.edge(edge, self.frames.len() as u32 - 1);
            at = self.take(edge)?;
        }
    }

    fn observe_accesses(&mut self) {
        if O::ACCESSES
            && let Some(log) = &mut self.memory.log
        {
            self.observer.accesses(log);
            log.clear();
        }
    }

    /// The first edge that can be taken.
    pub fn choose(&mut self, out: &[EdgeId]) -> Step<Option<EdgeId>> {
        let program = self.image.program;
        let mut known: Option<(ExprId, bool)> = None;
        for &edge in out {
            let Op::Assume { cond, truth } = program.cfa.edges[edge].op else { return Ok(Some(edge)) };
            self.edge = Some(edge);
            let holds = match known {
                Some((expr, holds)) if expr == cond => holds,
                _ => {
                    let value = self.eval(cond)?;
                    if O::PORTABLE {
                        self.settle_truth(value, program.exprs[cond].ty)?;
                    }
                    self.truth(value, program.exprs[cond].ty)
                }
            };
            if holds == truth {
                return Ok(Some(edge));
            }
            known = Some((cond, holds));
        }
        Ok(None)
    }

    /// Does what an edge does; where it leads.
    pub fn take(&mut self, edge: EdgeId) -> Step<LocId> {
        let edge = &self.image.program.cfa.edges[edge];
        match &edge.op {
            // The condition of an assumption was seen to hold when the edge was chosen.
            Op::Nop | Op::Assume { .. } => {}
            Op::Assign(place, value) => self.assign(*place, *value)?,
            Op::Call(call) => {
                if let Some(entry) = self.call(call)? {
                    return Ok(entry);
                }
            }
            Op::Return(None) => {}
            Op::Return(Some(value)) => self.return_value(*value)?,
            Op::Havoc(_, HavocOrigin::Uncomputed) => {
                return unsupported("what inline assembly, `sin` and the like give is not computed");
            }
            Op::Havoc(place, origin) => {
                let location = self.place(*place)?;
                self.havoc(location, self.image.program.places[*place].ty, Why::Havoc(*origin))?;
                if O::WRITES {
                    let ty = self.image.program.places[*place].ty;
                    if self.scalar_size(ty).is_some() {
                        let value = self.peek(location, ty)?;
                        self.observe(Dest::Place(*place), value);
                    }
                }
            }
            Op::Declare(var) => self.declare(*var)?,
            Op::Expire(var) => self.expire(*var),
            Op::Unsupported(what) => return unsupported(what.message.clone()),
        }
        Ok(edge.to)
    }

    /// `place = value`
    fn assign(&mut self, place: PlaceId, value: ExprId) -> Step<()> {
        let ty = self.image.program.places[place].ty;
        if self.scalar_size(ty).is_some() {
            let value = match self.image.program.copied_byte(place, value) {
                Some(from) => {
                    let from = self.place(from)?;
                    if self.is_written(from, ty)? { self.load(from, ty)? } else { self.peek(from, ty)? }
                }
                None => self.eval(value)?,
            };
            let location = self.place(place)?;
            self.store(location, ty, value)?;
            if O::PORTABLE {
                self.spoil_padding(place)?;
            }
            if O::WRITES {
                self.observe(Dest::Place(place), value);
            }
            return Ok(());
        }
        let location = self.place(place)?;
        self.assign_aggregate(location, ty, value)
    }

    /// A record or array gets the value of an expression.
    pub fn assign_aggregate(&mut self, to: Location, ty: TypeId, value: ExprId) -> Step<()> {
        let Location::Memory(to) = to else { return unsupported("an aggregate in place of a scalar") };
        if self.image.reprs[ty] == Repr::Opaque {
            return unsupported(format!("a value of type {}", self.image.program.show_type(ty)));
        }
        let size = self.size_of(ty)?;
        match self.image.program.exprs[value].kind {
            ExprKind::Zeroed => {
                self.memory.fill(to, 0, size)?;
                // Compilers clear padding too; none has to.
                if O::PORTABLE { self.lose_padding(to, ty) } else { Ok(()) }
            }
            ExprKind::Load(from) => match self.place(from)? {
                Location::Memory(from) => self.copy_aggregate(to, from, ty),
                Location::Slot(_) | Location::Bits(..) => unsupported("a scalar in place of an aggregate"),
            },
            _ => unsupported("an aggregate value that is neither a place nor zero"),
        }
    }

    /// Copies a record or array as a value: its padding need not be copied.
    pub fn copy_aggregate(&mut self, to: Pointer, from: Pointer, ty: TypeId) -> Step<()> {
        let size = self.size_of(ty)?;
        self.memory.copy(to, from, size)?;
        // To a check of what is written, padding is as good as written.
        if O::PORTABLE || !self.image.program.asks_what_is_written {
            self.lose_padding(to, ty)
        } else {
            Ok(())
        }
    }

    /// The padding of a record has any value.
    fn lose_padding(&mut self, record: Pointer, ty: TypeId) -> Step<()> {
        match self.image.value_bytes(ty) {
            Some(used) => self.memory.keep_written(record, &used),
            None => Ok(()),
        }
    }

    /// Any value goes to a location; aggregates by their scalars.
    pub fn havoc(&mut self, location: Location, ty: TypeId, why: Why) -> Step<()> {
        let types = &self.image.program.types;
        if self.scalar_size(ty).is_some() {
            let bits = self.ask(ty, why)?;
            return self.store(location, ty, Value::int(bits));
        }
        let Location::Memory(base) = location else {
            return unsupported("an aggregate in place of a scalar");
        };
        match &types[ty] {
            Type::Record(id) => {
                let record = &types.records[*id];
                let size = |ty: TypeId| types.size(ty).unwrap_or(0);
                let fields = match record.kind {
                    RecordKind::Struct => &record.fields[..],
                    // The largest member covers the others.
                    RecordKind::Union => match record.fields.iter().max_by_key(|f| size(f.ty.ty)) {
                        Some(field) => std::slice::from_ref(field),
                        None => &[],
                    },
                };
                for field in fields {
                    let location = match field.bits {
                        Some(bits) => Location::Bits(base, bits),
                        None => Location::Memory(base.offset(field.offset)),
                    };
                    self.havoc(location, field.ty.ty, why)?;
                }
                Ok(())
            }
            Type::Array(of, _) => {
                let of = of.ty;
                let (whole, element) = (self.size_of(ty)?, self.size_of(of)?);
                for i in 0..whole.checked_div(element).unwrap_or(0) {
                    self.havoc(Location::Memory(base.offset(i * element)), of, why)?;
                }
                Ok(())
            }
            _ => unsupported(format!("an arbitrary value of type {}", self.image.program.show_type(ty))),
        }
    }

    /// The life of a local variable begins.
    fn declare(&mut self, var: VarId) -> Step<()> {
        let ty = self.image.program.vars[var].ty.ty;
        match self.image.homes[var] {
            Home::FrameSlot(slot) => {
                let value = self.indeterminate(var, ty)?;
                self.store(Location::Slot(self.slot_base + slot as usize), ty, value)?;
            }
            Home::FrameObject(object) => {
                let at = self.object_base + object as usize;
                match self.frame_objects[at] {
                    Some(index) if self.image.reprs[ty] != Repr::Variable => self.memory.renew(index),
                    old => {
                        if let Some(old) = old {
                            self.memory.release(old);
                        }
                        self.frame_objects[at] = None;
                        let size = self.size_of(ty)?;
                        let kind = Kind::Var { var, constant: false };
                        self.frame_objects[at] = Some(self.memory.allocate(size, 1, kind)?);
                    }
                }
                if self.scalar_size(ty).is_some() {
                    let mut value = self.indeterminate(var, ty)?;
                    if self.image.program.asks_what_is_written {
                        value = Value::UNINITIALISED;
                    }
                    let location = self.var(var)?;
                    self.store(location, ty, value)?;
                }
            }
            Home::StaticSlot(_) | Home::Static(_) => {}
        }
        Ok(())
    }

    /// The life of a local variable ends; what is left of it is a place for its next life.
    fn expire(&mut self, var: VarId) {
        match self.image.homes[var] {
            Home::FrameObject(object) => {
                if let Some(index) = self.frame_objects[self.object_base + object as usize] {
                    self.memory.expire(index);
                }
            }
            Home::Static(index) => self.memory.expire(index),
            Home::StaticSlot(_) | Home::FrameSlot(_) => {}
        }
    }

    /// What a declared scalar variable holds: an input, if there is one at this point.
    fn indeterminate(&mut self, var: VarId, ty: TypeId) -> Step<Value> {
        match self.options.uninitialised {
            Uninitialised::Ask => {
                Ok(self.ask_maybe(ty, Why::Declared(var))?.map_or(Value::UNINITIALISED, Value::int))
            }
            Uninitialised::Report => Ok(Value::UNINITIALISED),
        }
    }

    /// Tells the observer of a written scalar.
    pub fn observe(&mut self, dest: Dest, value: Value) {
        let program = self.image.program;
        let ty = match dest {
            Dest::Place(place) => program.places[place].ty,
            Dest::Var(var) => program.vars[var].ty.ty,
        };
        let pointer = value.as_pointer();
        let target = if value.origin.is_some() {
            self.memory.describe(pointer).map(|(kind, at)| match kind {
                Kind::Var { var, .. } | Kind::Unknown(var) => Target::Var(var, at),
                Kind::Heap(n) | Kind::Alloca(n) => Target::Block(n, at),
            })
        } else if matches!(self.image.reprs[ty], Repr::Pointer { .. }) {
            self.image.function_at(pointer.address).map(Target::Function)
        } else {
            None
        };
        self.observer.write(Write { dest, bits: value.bits, target });
    }
}
