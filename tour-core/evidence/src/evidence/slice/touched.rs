//! Which data an operation touches, by the points-to solution.

use crate::evidence::points_to::touch;
use tour_ir::cfa::{CallGraph, Targets};
use tour_ir::program::{
    ArrayLen, Builtin, Call, Callee, ExprId, ExprKind, FnId, Op, PlaceId, PlaceKind, PointerFact, Program,
    Type, TypeId, VarId,
};
use tour_model::regions::{Home, Position, RegionId, Regions, Scalar, scalar};
use tour_model::slice::Datum;

pub(super) struct Touched<'a> {
    pub program: &'a Program,
    pub regions: &'a Regions,
    pub calls: &'a CallGraph,
}

type Data = Vec<Datum>;

/// Where an lvalue lies.
enum Lies {
    Variable(VarId),
    Memory(RegionId, Position),
    Nowhere,
}

impl Touched<'_> {
    /// The functions that a call may go to, builtins and others without a body among them.
    pub fn targets(&self, op: &Op) -> Vec<FnId> {
        let Op::Call(call) = op else { return Vec::new() };
        let all = match self.calls.targets(self.program, call) {
            Targets::Direct(f) => return vec![f],
            Targets::Indirect(_, all) => all,
        };
        let Callee::Indirect(pointer) = call.callee else { return all.to_vec() };
        let pointed = self.regions.pointee(pointer);
        let mut found = all.to_vec();
        found.retain(|f| self.regions.function(*f).is_some_and(|(region, _)| Some(region) == pointed));
        // A pointer that no function of the program goes to may be any of them, from outside.
        if found.is_empty() { all.to_vec() } else { found }
    }

    /// Nobody knows what the operation does.
    pub fn is_unknown(&self, op: &Op) -> bool {
        let without_body = |f: &FnId| self.program.functions[*f].body.is_none();
        match op {
            // A run that gets there ends, as far as a check is concerned that does not depend on it.
            Op::Unsupported(what) => !(self.program.undefined_ends && what.is_undefined()),
            Op::Call(Call { callee: Callee::Direct(f), .. }) => match self.program.functions[*f].builtin {
                _ if !without_body(f) => false,
                None => true,
                Some(builtin) => matches!(
                    builtin,
                    Builtin::ThreadCreate
                        | Builtin::ThreadJoin
                        | Builtin::ThreadExit
                        | Builtin::ThreadStart
                        | Builtin::ThreadFinished
                        | Builtin::Blocked
                ),
            },
            Op::Call(_) => self.targets(op).iter().any(without_body),
            _ => false,
        }
    }

    fn lies(&self, place: PlaceId) -> Lies {
        let program = self.program;
        let node = &program.places[place];
        match node.kind {
            PlaceKind::Var(var) => match self.regions.home(var) {
                Home::Cells(_) => Lies::Variable(var),
                Home::Object(region, _) | Home::Fresh(region) => Lies::Memory(region, Position::START),
            },
            PlaceKind::Deref(pointer) => {
                match (&program.exprs[pointer].kind, self.regions.pointee(pointer)) {
                    (ExprKind::AddrOf(inner), _) => self.lies(*inner),
                    (_, Some(region)) => Lies::Memory(region, Position::START),
                    (_, None) => Lies::Nowhere,
                }
            }
            PlaceKind::Field(base, index) => {
                let Lies::Memory(region, at) = self.lies(base) else { return self.lies(base) };
                let Type::Record(id) = program.types[program.places[base].ty] else { return Lies::Nowhere };
                let field = program.types.records[id].fields.get(index as usize);
                let bits = field.map_or(0, |f| f.bits.map_or(8 * f.offset, |bits| bits.offset));
                Lies::Memory(region, at.field(bits))
            }
            PlaceKind::Index(base, index) => {
                let Lies::Memory(region, at) = self.lies(base) else { return self.lies(base) };
                if program.const_value(index) == Some(0) {
                    return Lies::Memory(region, at);
                }
                let count = match program.types.element(program.places[base].ty) {
                    Some((_, ArrayLen::Fixed(n))) if n > 1 => Some(n),
                    _ => None,
                };
                let size = program.types.size(node.ty).map_or(8, |size| 8 * size);
                Lies::Memory(region, at.element(size, count))
            }
        }
    }

    /// The slots that a part of an object touches.
    fn slots(&self, region: RegionId, at: Position, into: &mut Data) {
        let of = &self.regions[region];
        for (other, _, slot) in of.positions() {
            let datum = Datum::Slot(region, *slot);
            if touch(*other, at, 8 * of.stride) && !into.contains(&datum) {
                into.push(datum);
            }
        }
    }

    /// All scalars of a type.
    fn scalars(&self, region: RegionId, at: Position, ty: TypeId, into: &mut Data) {
        let types = &self.program.types;
        match &types[ty] {
            Type::Array(of, len) => {
                let count = match len {
                    ArrayLen::Fixed(n) => Some(*n),
                    ArrayLen::Variable(_) | ArrayLen::Unknown => None,
                };
                let size = types.size(of.ty).map_or(8, |size| 8 * size);
                self.scalars(region, at.element(size, count), of.ty, into);
            }
            Type::Record(id) => {
                for field in &types.records[*id].fields {
                    match field.bits {
                        Some(bits) => {
                            self.slots(region, at.field(bits.offset).sized(u64::from(bits.width)), into);
                        }
                        None => self.scalars(region, at.field(8 * field.offset), field.ty.ty, into),
                    }
                }
            }
            _ => {
                if let Some((_, bits)) = scalar(self.program, ty) {
                    self.slots(region, at.sized(bits), into);
                }
            }
        }
    }

    /// All of a variable.
    pub fn variable(&self, var: VarId) -> Data {
        let mut data = Data::new();
        match self.regions.home(var) {
            Home::Cells(_) => data.push(Datum::Var(var)),
            Home::Object(region, _) | Home::Fresh(region) => {
                self.scalars(region, Position::START, self.program.vars[var].ty.ty, &mut data);
            }
        }
        data
    }

    /// What an lvalue is.
    pub fn content(&self, place: PlaceId) -> Data {
        let mut data = Data::new();
        match (self.lies(place), self.program.bit_field(place)) {
            (Lies::Variable(var), _) => data.push(Datum::Var(var)),
            (Lies::Memory(region, at), Some(bits)) => {
                self.slots(region, at.sized(u64::from(bits.width)), &mut data);
            }
            (Lies::Memory(region, at), None) => {
                self.scalars(region, at, self.program.places[place].ty, &mut data);
            }
            (Lies::Nowhere, _) => {}
        }
        data
    }

    /// What says where an lvalue lies.
    pub fn address(&self, place: PlaceId) -> Data {
        let mut data = Data::new();
        self.walk_place(place, false, &mut data);
        data
    }

    /// What an expression reads.
    pub fn value(&self, expr: ExprId) -> Data {
        let mut data = Data::new();
        self.walk(expr, false, &mut data);
        data
    }

    fn walk_place(&self, place: PlaceId, lives: bool, data: &mut Data) {
        match self.program.places[place].kind {
            PlaceKind::Var(_) => {}
            PlaceKind::Deref(pointer) => match self.program.exprs[pointer].kind {
                ExprKind::AddrOf(inner) => self.walk_place(inner, lives, data),
                _ => self.walk(pointer, lives, data),
            },
            PlaceKind::Field(base, _) => self.walk_place(base, lives, data),
            PlaceKind::Index(base, index) => {
                self.walk(index, lives, data);
                self.walk_place(base, lives, data);
                let of = self.program.types.element(self.program.places[base].ty);
                if let Some((_, ArrayLen::Variable(len))) = of {
                    data.extend(self.variable(len));
                }
            }
        }
    }

    /// With `lives`, what is asked hangs on which objects are alive, too.
    fn walk(&self, expr: ExprId, lives: bool, data: &mut Data) {
        if lives {
            data.extend(self.regions.pointee(expr).map(Datum::Life));
        }
        match self.program.exprs[expr].kind {
            ExprKind::Int(_) | ExprKind::Float(_) | ExprKind::Zeroed | ExprKind::FnAddr(_) => {}
            ExprKind::Load(place) => {
                data.extend(self.content(place));
                self.walk_place(place, lives, data);
            }
            ExprKind::AddrOf(place) => self.walk_place(place, lives, data),
            ExprKind::Unary(_, a) | ExprKind::Cast(a) => self.walk(a, lives, data),
            ExprKind::Binary(_, a, b) => {
                self.walk(a, lives, data);
                self.walk(b, lives, data);
            }
            ExprKind::Fact(PointerFact::Left, a) => {
                data.extend(self.regions.regions.indices().map(Datum::Life));
                self.walk(a, true, data);
            }
            ExprKind::Fact(_, a) => self.walk(a, true, data),
        }
    }

    /// What says which function is called.
    pub fn callee(&self, call: &Call) -> Data {
        match call.callee {
            Callee::Direct(_) => Data::new(),
            Callee::Indirect(pointer) => self.value(pointer),
        }
    }

    fn builtin(&self, call: &Call) -> Option<Builtin> {
        match call.callee {
            Callee::Direct(f) => {
                self.program.functions[f].builtin.filter(|_| self.program.functions[f].body.is_none())
            }
            Callee::Indirect(_) => None,
        }
    }

    /// All of a region that an argument points into.
    fn behind(&self, arg: ExprId) -> Data {
        let Some(region) = self.regions.pointee(arg) else { return Data::new() };
        (0..self.regions[region].slots.len() as u32).map(|slot| Datum::Slot(region, slot)).collect()
    }

    /// The region of the objects that a pointer in a place points to.
    fn pointed(&self, place: PlaceId) -> Option<RegionId> {
        let (region, at) = match self.lies(place) {
            Lies::Memory(region, at) => (region, at),
            // Positions in a variable without an address are counted in its own region.
            Lies::Variable(_) => self.regions.spot(self.program, place)?,
            Lies::Nowhere => return None,
        };
        let bits = u64::from(self.program.model.pointer_bits());
        let of = &self.regions[region];
        of.slots[of.slot(at.sized(bits), Scalar::Pointer)?].content
    }

    /// What an operation reads that is no call of a function with a body.
    pub fn reads(&self, f: FnId, op: &Op) -> Data {
        let mut data = Data::new();
        match op {
            Op::Nop | Op::Return(None) | Op::Expire(_) | Op::Unsupported(_) => {}
            Op::Assign(place, value) => {
                data = self.value(*value);
                data.extend(self.address(*place));
            }
            Op::Assume { cond, .. } => data = self.value(*cond),
            Op::Return(Some(value)) => {
                if self.program.functions[f].ret.is_some() {
                    data = self.value(*value);
                }
            }
            Op::Havoc(place, _) => data = self.address(*place),
            Op::Declare(var) => {
                if let Type::Array(_, ArrayLen::Variable(len)) =
                    self.program.types[self.program.vars[*var].ty.ty]
                {
                    data = self.variable(len);
                }
            }
            Op::Call(call) => {
                data = self.callee(call);
                data.extend(call.args.iter().flat_map(|arg| self.value(*arg)));
                data.extend(call.dest.iter().flat_map(|dest| self.address(*dest)));
                // Those that look at what their arguments point to, or leave some of it as it is.
                let looks = !matches!(
                    self.builtin(call),
                    Some(
                        Builtin::Malloc
                            | Builtin::Outside
                            | Builtin::Calloc
                            | Builtin::Alloca
                            | Builtin::Free
                            | Builtin::ThreadSelf
                            | Builtin::AtomicBegin
                            | Builtin::AtomicEnd
                    )
                );
                if looks && self.builtin(call).is_some() {
                    data.extend(call.args.iter().flat_map(|arg| self.behind(*arg)));
                }
            }
        }
        data
    }

    /// What an operation may write; for calls of functions with a body, what binding arguments and returning writes.
    pub fn writes(&self, f: FnId, op: &Op, targets: &[FnId]) -> Data {
        let functions = &self.program.functions;
        let life = |var: VarId| match self.regions.home(var) {
            Home::Object(region, _) | Home::Fresh(region) => Some(Datum::Life(region)),
            Home::Cells(_) => None,
        };
        match op {
            Op::Nop | Op::Assume { .. } | Op::Return(None) | Op::Unsupported(_) => Data::new(),
            Op::Assign(place, _) | Op::Havoc(place, _) => self.content(*place),
            Op::Return(Some(_)) => functions[f].ret.map(|ret| self.variable(ret)).unwrap_or_default(),
            Op::Declare(var) => self.variable(*var).into_iter().chain(life(*var)).collect(),
            Op::Expire(var) => life(*var).into_iter().collect(),
            Op::Call(call) => {
                let mut data: Data = call.dest.iter().flat_map(|dest| self.content(*dest)).collect();
                for function in targets.iter().map(|f| &functions[*f]) {
                    data.extend(function.params.iter().flat_map(|param| self.variable(*param)));
                    data.extend(
                        function
                            .params
                            .iter()
                            .chain(&function.ret)
                            .chain(&function.locals)
                            .filter_map(|v| life(*v)),
                    );
                }
                let made = || call.dest.and_then(|dest| self.pointed(dest));
                match self.builtin(call) {
                    Some(Builtin::Malloc | Builtin::Outside | Builtin::Calloc | Builtin::Alloca) => {
                        data.extend(made().map(Datum::Life));
                    }
                    Some(Builtin::Free) => {
                        data.extend(
                            call.args.iter().filter_map(|arg| self.regions.pointee(*arg)).map(Datum::Life),
                        );
                    }
                    Some(Builtin::Realloc) => {
                        for &arg in &call.args {
                            data.extend(self.behind(arg));
                            data.extend(self.regions.pointee(arg).map(Datum::Life));
                        }
                        data.extend(made().map(Datum::Life));
                    }
                    Some(
                        Builtin::Memcpy
                        | Builtin::Memmove
                        | Builtin::Memset
                        | Builtin::Strcpy
                        | Builtin::Strncpy
                        | Builtin::Strcat,
                    ) => data.extend(call.args.iter().take(1).flat_map(|arg| self.behind(*arg))),
                    _ => {}
                }
                data
            }
        }
    }
}
