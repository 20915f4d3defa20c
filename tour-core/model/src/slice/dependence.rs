//! Data dependence: which data operations read and write `[SLICE]`; memory by regions of the points-to analysis.
//!
//! A datum is a variable that is in no memory, a slot of a region, or which objects of a region are alive. What an operation
//! writes to one it writes, perhaps; nothing is ever taken for overwritten.

use crate::regions::{Home, Position, RegionId, Regions, Scalar, parts, scalar};
use index_vec::IndexVec;
use rustc_hash::FxHashMap;
use std::sync::Arc;
use tour_ir::cfa::{CallGraph, EdgeId, LocId, Loops, Order, Targets};
use tour_ir::prepared::Prepared;
use tour_ir::program::{
    ArrayLen, BinOp, Builtin, Call, Callee, ExprId, ExprKind, FnId, Op, PlaceId, PlaceKind, PointerFact,
    Program, Type, TypeId, VarId,
};

/// Something that has a value.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Datum {
    /// A variable that is in no memory, as a whole.
    Var(VarId),
    /// A slot of a region.
    Slot(RegionId, u32),
    /// Which objects of a region are alive.
    Life(RegionId),
}

/// The number of a datum.
pub(super) type Number = u32;

/// What an edge does.
#[derive(Default, Debug)]
pub(super) struct Effect {
    /// What it reads in any case.
    pub reads: Vec<Number>,
    /// What it may write, also by giving arguments to parameters and the result to its destination.
    pub writes: Vec<Number>,
    /// It may do anything.
    pub anything: bool,
    /// It says when the operation behind it is undefined.
    pub undefined: bool,
    /// It calls functions with a body.
    pub call: Option<Invocation>,
}

/// A call of functions with a body.
#[derive(Debug)]
pub(super) struct Invocation {
    pub targets: Vec<FnId>,
    /// For each argument, what it reads.
    pub args: Vec<Vec<Number>>,
    /// Arguments that are no scalars: no constant can stand for them.
    pub wholes: Vec<bool>,
    /// What the destination is, and what says where it lies.
    pub dest: Option<(Vec<Number>, Vec<Number>)>,
}

/// What the operations of a program do.
pub(super) struct Dependence<'p> {
    pub program: &'p Program,
    regions: Arc<Regions>,
    calls: Arc<CallGraph>,
    /// The functions that a run can get to, each after one that calls it.
    pub functions: Vec<FnId>,
    /// Their locations that a path leads to.
    pub order: Arc<Order>,
    /// The loops of all functions.
    pub loops: Arc<Loops>,
    /// What their edges do.
    pub effects: FxHashMap<EdgeId, Effect>,
    /// Calls of each function, from these functions.
    pub sites: IndexVec<FnId, Vec<EdgeId>>,
    /// For each function, the data of its parameters and of what it returns.
    pub params: IndexVec<FnId, Vec<Vec<Number>>>,
    pub ret: IndexVec<FnId, Vec<Number>>,
    slots: IndexVec<RegionId, usize>,
    /// How many data there are.
    pub data: usize,
}

impl<'p> Dependence<'p> {
    /// Looks at all operations that a run can get to; `None` if threads take part.
    pub fn of(program: &'p Prepared) -> Option<Dependence<'p>> {
        if !program.threads.is_empty() {
            return None;
        }
        let regions: Arc<Regions> = program.fact();
        let mut data = program.vars.len();
        let slots = (regions.regions.iter())
            .map(|region| {
                let first = data;
                data += region.slots.len();
                first
            })
            .collect();
        data += regions.regions.len();
        let mut found = Dependence {
            regions,
            slots,
            data,
            calls: program.fact(),
            functions: Vec::new(),
            order: program.fact(),
            loops: program.fact(),
            effects: FxHashMap::default(),
            sites: program.functions.iter().map(|_| Vec::new()).collect(),
            params: program.functions.iter().map(|_| Vec::new()).collect(),
            ret: program.functions.iter().map(|_| Vec::new()).collect(),
            program,
        };
        found.visit()?;
        Some(found)
    }

    fn visit(&mut self) -> Option<()> {
        let program = self.program;
        let mut seen: IndexVec<FnId, bool> = program.functions.iter().map(|_| false).collect();
        let mut work = vec![program.entry];
        seen[program.entry] = true;
        while let Some(f) = work.pop() {
            self.functions.push(f);
            let function = &program.functions[f];
            self.params[f] = function.params.iter().map(|param| self.of_var(*param)).collect();
            self.ret[f] = function.ret.map(|ret| self.of_var(ret)).unwrap_or_default();
            for loc in self.locations(f) {
                for &edge in &program.cfa.locs[loc].out {
                    let effect = self.effect(f, &program.cfa.edges[edge].op)?;
                    for &target in effect.call.iter().flat_map(|call| &call.targets) {
                        self.sites[target].push(edge);
                        if !std::mem::replace(&mut seen[target], true) {
                            work.push(target);
                        }
                    }
                    self.effects.insert(edge, effect);
                }
            }
        }
        // What the call writes: parameters of the callee are known now, and what its frame does to objects.
        for f in self.functions.clone() {
            for edge in self.sites[f].clone() {
                let mut writes: Vec<Number> = Vec::new();
                for (var, data) in program.functions[f].params.iter().zip(&self.params[f]) {
                    if !matches!(self.regions.home(*var), Home::Cells(_)) {
                        writes.extend(data);
                    }
                }
                let function = &program.functions[f];
                for &var in function.params.iter().chain(&function.ret).chain(&function.locals) {
                    if let Home::Object(region, _) | Home::Fresh(region) = self.regions.home(var) {
                        writes.push(self.life(region));
                    }
                }
                if let Some(effect) = self.effects.get_mut(&edge) {
                    effect.writes.extend(writes);
                }
            }
        }
        for effect in self.effects.values_mut() {
            for list in [&mut effect.reads, &mut effect.writes] {
                list.sort_unstable();
                list.dedup();
            }
        }
        Some(())
    }

    /// The locations of a function that a path leads to, its entry first.
    pub fn locations(&self, f: FnId) -> Vec<LocId> {
        self.order.locations(f).to_vec()
    }

    /// What an edge does that a run can get to.
    pub fn effect_of(&self, edge: EdgeId) -> &Effect {
        &self.effects[&edge]
    }

    fn slot(&self, region: RegionId, slot: u32) -> Number {
        (self.slots[region] + slot as usize) as Number
    }

    fn life(&self, region: RegionId) -> Number {
        (self.data - self.regions.regions.len() + region.index()) as Number
    }

    /// The datum with a number.
    pub fn datum(&self, number: Number) -> Datum {
        let number = number as usize;
        let lives = self.data - self.regions.regions.len();
        if number < self.program.vars.len() {
            Datum::Var(VarId::new(number))
        } else if number >= lives {
            Datum::Life(RegionId::new(number - lives))
        } else {
            let region = self.slots.raw.partition_point(|first| *first <= number) - 1;
            let region = RegionId::new(region);
            Datum::Slot(region, (number - self.slots[region]) as u32)
        }
    }

    /// All of a variable.
    fn of_var(&self, var: VarId) -> Vec<Number> {
        let mut data = Vec::new();
        match self.regions.home(var) {
            Home::Cells(_) => data.push(var.index() as Number),
            Home::Object(region, _) | Home::Fresh(region) => {
                self.touched(region, Position::START, self.program.vars[var].ty.ty, None, &mut data);
            }
        }
        data
    }

    /// All slots of a region.
    fn all(&self, region: RegionId, into: &mut Vec<Number>) {
        let slots = 0..self.regions[region].slots.len() as u32;
        into.extend(slots.map(|slot| self.slot(region, slot)));
    }

    /// The slots of what lies at a position.
    fn touched(
        &self,
        region: RegionId,
        at: Position,
        ty: TypeId,
        width: Option<u32>,
        into: &mut Vec<Number>,
    ) {
        let of = &self.regions[region];
        let mut meet = |at: Position| {
            let slots = of.positions().iter().filter(|(other, ..)| other.may_touch(at, of.stride));
            into.extend(slots.map(|(_, _, slot)| self.slot(region, *slot)));
        };
        match (width, scalar(self.program, ty)) {
            (Some(width), _) => meet(at.sized(u64::from(width))),
            (None, Some((_, size))) => meet(at.sized(size)),
            (None, None) => parts(self.program, at, ty).into_iter().for_each(|part| meet(part.at)),
        }
    }

    /// What an lvalue is.
    fn content(&self, place: PlaceId, into: &mut Vec<Number>) {
        let program = self.program;
        if let Some(var) = Regions::root(program, place)
            && let Home::Cells(_) = self.regions.home(var)
        {
            return into.push(var.index() as Number);
        }
        let Some((region, at)) = self.regions.spot(program, place) else { return };
        let width = program.bit_field(place).map(|bits| bits.width);
        self.touched(region, at, program.places[place].ty, width, into);
    }

    /// What says where an lvalue lies.
    fn address(&self, place: PlaceId, fact: bool, into: &mut Vec<Number>) {
        let program = self.program;
        match program.places[place].kind {
            PlaceKind::Var(_) => {}
            PlaceKind::Deref(pointer) => match program.exprs[pointer].kind {
                ExprKind::AddrOf(inner) => self.address(inner, fact, into),
                _ => self.value(pointer, fact, into),
            },
            PlaceKind::Field(base, _) => self.address(base, fact, into),
            PlaceKind::Index(base, index) => {
                if let Some((_, ArrayLen::Variable(len))) = program.types.element(program.places[base].ty) {
                    into.extend(self.of_var(len));
                }
                self.value(index, fact, into);
                self.address(base, fact, into);
            }
        }
    }

    /// What an expression reads; in a fact, also which objects are alive.
    fn value(&self, expr: ExprId, fact: bool, into: &mut Vec<Number>) {
        if fact && let Some(region) = self.regions.pointee(expr) {
            into.push(self.life(region));
        }
        match self.program.exprs[expr].kind {
            ExprKind::Int(_) | ExprKind::Float(_) | ExprKind::Zeroed | ExprKind::FnAddr(_) => {}
            ExprKind::Load(place) => {
                self.address(place, fact, into);
                self.content(place, into);
            }
            ExprKind::AddrOf(place) => self.address(place, fact, into),
            // An address that is looked at may be that of an object which is gone: what lives there now counts, unless
            // it is compared with null.
            ExprKind::Unary(_, a) | ExprKind::Cast(a) => {
                if self.program.int_type_of(expr).is_some() {
                    into.extend(self.regions.pointee(a).map(|region| self.life(region)));
                }
                self.value(a, fact, into);
            }
            ExprKind::Binary(op, a, b) => {
                let null = [a, b].into_iter().any(|side| self.program.const_value(side) == Some(0));
                if (op.is_comparison() || op == BinOp::PtrDiff) && !null {
                    let pointed = [a, b].into_iter().filter_map(|side| self.regions.pointee(side));
                    into.extend(pointed.map(|region| self.life(region)));
                }
                self.value(a, fact, into);
                self.value(b, fact, into);
            }
            ExprKind::Fact(kind, a) => {
                if kind == PointerFact::Left {
                    into.extend(self.regions.regions.indices().map(|region| self.life(region)));
                }
                self.value(a, true, into);
            }
        }
    }

    fn store(&self, place: PlaceId, effect: &mut Effect) {
        self.address(place, false, &mut effect.reads);
        self.content(place, &mut effect.writes);
    }

    /// A variable is new, or gone.
    fn lives(&self, var: VarId, effect: &mut Effect) {
        if let Home::Object(region, _) | Home::Fresh(region) = self.regions.home(var) {
            effect.writes.push(self.life(region));
        }
    }

    fn effect(&self, f: FnId, op: &Op) -> Option<Effect> {
        let mut effect = Effect::default();
        match op {
            Op::Nop | Op::Return(None) => {}
            Op::Assign(place, value) => {
                self.value(*value, false, &mut effect.reads);
                self.store(*place, &mut effect);
            }
            Op::Assume { cond, .. } => self.value(*cond, false, &mut effect.reads),
            Op::Return(Some(value)) => {
                self.value(*value, false, &mut effect.reads);
                effect.writes = self.program.functions[f].ret.map(|ret| self.of_var(ret)).unwrap_or_default();
            }
            Op::Havoc(place, _) => self.store(*place, &mut effect),
            Op::Declare(var) => {
                effect.writes = self.of_var(*var);
                self.lives(*var, &mut effect);
                if let Type::Array(_, ArrayLen::Variable(len)) =
                    self.program.types[self.program.vars[*var].ty.ty]
                {
                    effect.reads.extend(self.of_var(len));
                }
            }
            Op::Expire(var) => self.lives(*var, &mut effect),
            Op::Unsupported(what) => {
                let ends = self.program.undefined_ends && what.is_undefined();
                (effect.anything, effect.undefined) = (!ends, ends);
            }
            Op::Call(call) => self.call(call, &mut effect)?,
        }
        Some(effect)
    }

    fn call(&self, call: &Call, effect: &mut Effect) -> Option<()> {
        let program = self.program;
        if let Callee::Direct(f) = call.callee
            && program.functions[f].body.is_none()
        {
            match program.functions[f].builtin {
                Some(builtin) => self.builtin(call, builtin, effect)?,
                None => effect.anything = true,
            }
            return Some(());
        }
        if let Callee::Indirect(pointer) = call.callee {
            self.value(pointer, false, &mut effect.reads);
        }
        let targets = self.targets(call);
        // Nothing is known of what a function without a body does that is called through a pointer.
        effect.anything = targets.iter().any(|f| program.functions[*f].body.is_none());
        let reads = |arg: &ExprId| {
            let mut reads = Vec::new();
            self.value(*arg, false, &mut reads);
            reads
        };
        let dest = call.dest.map(|dest| {
            let (mut content, mut address) = (Vec::new(), Vec::new());
            self.content(dest, &mut content);
            self.address(dest, false, &mut address);
            effect.writes.extend(&content);
            (content, address)
        });
        let targets = targets.into_iter().filter(|f| program.functions[*f].body.is_some()).collect();
        let args = call.args.iter().map(reads).collect();
        let wholes = call.args.iter().map(|arg| !program.types.is_scalar(program.exprs[*arg].ty)).collect();
        effect.call = Some(Invocation { targets, args, wholes, dest });
        Some(())
    }

    /// The functions that a call may go to.
    fn targets(&self, call: &Call) -> Vec<FnId> {
        match (self.calls.targets(self.program, call), call.callee) {
            (Targets::Direct(f), _) => vec![f],
            (Targets::Indirect(_, all), Callee::Indirect(pointer)) => {
                let region = self.regions.pointee(pointer);
                let inside = |f: &FnId| self.regions.function(*f).map(|(of, _)| of) == region;
                let found: Vec<FnId> = all.iter().copied().filter(inside).collect();
                // Nothing sets the pointer: it may come from outside.
                if found.is_empty() { all.to_vec() } else { found }
            }
            (Targets::Indirect(_, all), Callee::Direct(_)) => all.to_vec(),
        }
    }

    fn builtin(&self, call: &Call, builtin: Builtin, effect: &mut Effect) -> Option<()> {
        for &arg in &call.args {
            self.value(arg, false, &mut effect.reads);
        }
        if let Some(dest) = call.dest {
            self.store(dest, effect);
        }
        let to = |i: usize| call.args.get(i).and_then(|arg| self.regions.pointee(*arg));
        match builtin {
            Builtin::Malloc | Builtin::Outside | Builtin::Calloc | Builtin::Alloca => {
                effect
                    .writes
                    .extend(call.dest.and_then(|dest| self.made(dest)).map(|region| self.life(region)));
            }
            Builtin::Free => effect.writes.extend(to(0).map(|region| self.life(region))),
            Builtin::Realloc => {
                for region in to(0).into_iter().chain(call.dest.and_then(|dest| self.made(dest))) {
                    self.all(region, &mut effect.reads);
                    self.all(region, &mut effect.writes);
                    effect.writes.push(self.life(region));
                }
            }
            Builtin::Memcpy
            | Builtin::Memmove
            | Builtin::Strcpy
            | Builtin::Strncpy
            | Builtin::Strcat
            | Builtin::Memset => {
                to(0).into_iter().chain(to(1)).for_each(|region| self.all(region, &mut effect.reads));
                to(0).into_iter().for_each(|region| self.all(region, &mut effect.writes));
            }
            Builtin::Memcmp
            | Builtin::Strlen
            | Builtin::Strcmp
            | Builtin::Strncmp
            | Builtin::Strchr
            | Builtin::Printf
            | Builtin::Puts
            | Builtin::Putchar => {
                for i in 0..call.args.len() {
                    to(i).into_iter().for_each(|region| self.all(region, &mut effect.reads));
                }
            }
            // There is one thread.
            Builtin::AtomicBegin | Builtin::AtomicEnd | Builtin::ThreadSelf => {}
            Builtin::ThreadCreate
            | Builtin::ThreadJoin
            | Builtin::ThreadExit
            | Builtin::ThreadStart
            | Builtin::ThreadFinished
            | Builtin::Blocked => return None,
        }
        Some(())
    }

    /// The region of the objects that a pointer in a place points to.
    fn made(&self, dest: PlaceId) -> Option<RegionId> {
        let (region, at) = self.regions.spot(self.program, dest)?;
        let bits = u64::from(self.program.model.pointer_bits());
        let of = &self.regions[region];
        of.slot(at.sized(bits), Scalar::Pointer).and_then(|slot| of.slots[slot].content)
    }
}
