//! What the steps of threads access, read off the program and the points-to solution, which is checked apart.

use rustc_hash::FxHashMap;
use std::ops::Range;
use std::rc::Rc;
use tour_ir::cfa::{EdgeId, LocId};
use tour_ir::program::{
    Builtin, Call, Callee, ExprId, ExprKind, FnId, Op, PlaceId, PlaceKind, Program, ThreadId, Type, VarId,
};
use tour_model::regions::{Home, RegionId, Regions};

/// One step of a thread.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Step {
    /// The operation of an edge.
    Edge(EdgeId),
    /// A call begins.
    Enter(EdgeId, FnId),
    /// It ends.
    Leave(EdgeId, FnId),
}

impl Step {
    pub fn edge(self) -> EdgeId {
        match self {
            Step::Edge(edge) | Step::Enter(edge, _) | Step::Leave(edge, _) => edge,
        }
    }
}

/// Something that threads can have in common.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(super) enum Object {
    /// A variable whose address nobody has.
    Var(VarId),
    /// The objects of a region.
    Region(RegionId),
    /// Whether a thread has begun.
    Begun(ThreadId),
    /// Whether a thread has ended.
    Ended(ThreadId),
}

/// An access to memory that the text of the program asks for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Access {
    pub target: Target,
    pub write: bool,
    /// Atomic by its type.
    pub atomic: bool,
}

/// What is accessed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Target {
    Place(PlaceId),
    /// Some bytes that a pointer points to.
    Behind(ExprId),
}

/// What an object is a part of, as far as that is known.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Root {
    Var(VarId),
    /// What a pointer points to: a region, or anything that has an address.
    Behind(Option<RegionId>),
}

/// What evaluating expressions and storing values touches.
#[derive(Default)]
struct Touched {
    accesses: Vec<Access>,
    /// Pointers of whose objects something is asked: whether they live, say.
    asked: Vec<ExprId>,
}

/// Looks up what steps access.
pub(super) struct Reader<'a> {
    pub program: &'a Program,
    regions: Rc<Regions>,
    /// Where the pointers in variables point to.
    contents: FxHashMap<VarId, RegionId>,
}

impl<'a> Reader<'a> {
    pub fn new(program: &'a Program, regions: Rc<Regions>) -> Reader<'a> {
        let loaded = program.exprs.iter_enumerated().filter_map(|(id, expr)| match expr.kind {
            ExprKind::Load(place) => match program.places[place].kind {
                PlaceKind::Var(var) => Some((var, regions.pointee(id)?)),
                _ => None,
            },
            _ => None,
        });
        Reader { program, contents: loaded.collect(), regions }
    }

    /// The function that an operation calls, if it is one that is known by its name.
    pub fn builtin(&self, edge: EdgeId) -> Option<Builtin> {
        match &self.program.cfa.edges[edge].op {
            Op::Call(Call { callee: Callee::Direct(f), .. }) => self.program.functions[*f].builtin,
            _ => None,
        }
    }

    /// The thread that an argument of an operation on threads is about.
    pub fn about(&self, edge: EdgeId, argument: usize) -> Option<ThreadId> {
        let Op::Call(call) = &self.program.cfa.edges[edge].op else { return None };
        let number = self.program.const_value(*call.args.get(argument)?)? as u32 as usize;
        (number < self.program.threads.all.len()).then(|| ThreadId::new(number))
    }

    /// The thread that runs a location.
    pub fn thread(&self, loc: LocId) -> ThreadId {
        self.program.threads.of[self.program.cfa.locs[loc].function]
    }

    fn call(&self, edge: EdgeId) -> Option<&'a Call> {
        match &self.program.cfa.edges[edge].op {
            Op::Call(call) => Some(call),
            _ => None,
        }
    }

    /// The accesses of a step.
    pub fn accesses(&self, step: Step) -> Vec<Access> {
        self.touched(step).accesses
    }

    fn touched(&self, step: Step) -> Touched {
        let mut all = Touched::default();
        let call = self.call(step.edge());
        match step {
            Step::Edge(edge) => self.of_operation(edge, &mut all),
            Step::Enter(..) => call.iter().flat_map(|c| &c.args).for_each(|arg| self.read(*arg, &mut all)),
            Step::Leave(..) => {
                call.and_then(|c| c.dest).iter().for_each(|dest| self.write(*dest, &mut all));
            }
        }
        all
    }

    fn of_operation(&self, edge: EdgeId, all: &mut Touched) {
        match &self.program.cfa.edges[edge].op {
            Op::Nop | Op::Unsupported(_) | Op::Return(None) | Op::Declare(_) | Op::Expire(_) => {}
            Op::Assign(place, value) => {
                self.read(*value, all);
                self.write(*place, all);
            }
            Op::Assume { cond, .. } => self.read(*cond, all),
            Op::Return(Some(value)) => self.read(*value, all),
            Op::Havoc(place, _) => self.write(*place, all),
            Op::Call(Call { callee: Callee::Indirect(pointer), args, .. }) => {
                self.read(*pointer, all);
                args.iter().for_each(|arg| self.read(*arg, all));
            }
            Op::Call(call) => {
                let torn = self.program.threads.torn.contains_key(&edge);
                match self.builtin(edge) {
                    // One access that takes several steps: what it does stands behind it.
                    Some(Builtin::AtomicBegin) if torn => {
                        self.of_section(self.program.cfa.edges[edge].to, all)
                    }
                    builtin => self.of_library(builtin, call, all),
                }
            }
        }
    }

    /// All assignments in a row.
    fn of_section(&self, mut at: LocId, all: &mut Touched) {
        while let Some((_, edge)) = self.program.cfa.successors(at).next() {
            let Op::Assign(place, value) = &edge.op else { return };
            self.read(*value, all);
            self.write(*place, all);
            at = edge.to;
        }
    }

    /// What a library function reads and writes by itself.
    fn of_library(&self, builtin: Option<Builtin>, call: &Call, all: &mut Touched) {
        let args = || call.args.iter().copied();
        args().for_each(|arg| self.read(arg, all));
        // Which arguments point to what is written, and what is read.
        let (written, read): (usize, usize) = match builtin {
            Some(
                Builtin::ThreadCreate
                | Builtin::ThreadJoin
                | Builtin::ThreadExit
                | Builtin::ThreadSelf
                | Builtin::AtomicBegin
                | Builtin::AtomicEnd
                | Builtin::ThreadStart
                | Builtin::ThreadFinished
                | Builtin::Blocked,
            ) => return,
            Some(
                Builtin::Malloc | Builtin::Calloc | Builtin::Alloca | Builtin::Outside | Builtin::Putchar,
            ) => (0, 0),
            Some(
                Builtin::Memcmp
                | Builtin::Strlen
                | Builtin::Strcmp
                | Builtin::Strncmp
                | Builtin::Strchr
                | Builtin::Printf
                | Builtin::Puts,
            ) => (0, usize::MAX),
            Some(
                Builtin::Free
                | Builtin::Realloc
                | Builtin::Memcpy
                | Builtin::Memmove
                | Builtin::Memset
                | Builtin::Strcpy
                | Builtin::Strncpy
                | Builtin::Strcat,
            ) => (1, usize::MAX),
            None => (usize::MAX, usize::MAX),
        };
        for (i, arg) in args().enumerate().filter(|(_, arg)| self.is_pointer(*arg)) {
            if i < read.max(written) {
                all.accesses.push(Access { target: Target::Behind(arg), write: i < written, atomic: false });
            }
        }
        call.dest.iter().for_each(|dest| self.write(*dest, all));
    }

    fn is_pointer(&self, expr: ExprId) -> bool {
        self.program.types.pointee(self.program.exprs[expr].ty).is_some()
    }

    fn read(&self, expr: ExprId, all: &mut Touched) {
        match self.program.exprs[expr].kind {
            ExprKind::Int(_) | ExprKind::Float(_) | ExprKind::Zeroed | ExprKind::FnAddr(_) => {}
            ExprKind::Load(place) => self.touch(place, false, all),
            ExprKind::AddrOf(place) => self.find(place, all),
            ExprKind::Unary(_, a) | ExprKind::Cast(a) => self.read(a, all),
            ExprKind::Fact(_, a) => {
                all.asked.push(a);
                self.read(a, all);
            }
            ExprKind::Binary(_, a, b) => {
                self.read(a, all);
                self.read(b, all);
            }
        }
    }

    fn write(&self, place: PlaceId, all: &mut Touched) {
        self.touch(place, true, all);
    }

    fn touch(&self, place: PlaceId, write: bool, all: &mut Touched) {
        self.find(place, all);
        let atomic = self.program.place_quals(place).atomic;
        all.accesses.push(Access { target: Target::Place(place), write, atomic });
    }

    /// What is read to find a place.
    fn find(&self, place: PlaceId, all: &mut Touched) {
        match self.program.places[place].kind {
            PlaceKind::Var(_) => {}
            PlaceKind::Deref(pointer) => self.read(pointer, all),
            PlaceKind::Field(base, _) => self.find(base, all),
            PlaceKind::Index(base, index) => {
                self.find(base, all);
                self.read(index, all);
            }
        }
    }

    fn root(&self, target: Target) -> Root {
        let mut place = match target {
            Target::Behind(pointer) => return Root::Behind(self.regions.pointee(pointer)),
            Target::Place(place) => place,
        };
        loop {
            place = match self.program.places[place].kind {
                PlaceKind::Var(var) => return Root::Var(var),
                PlaceKind::Field(base, _) | PlaceKind::Index(base, _) => base,
                PlaceKind::Deref(pointer) => match self.program.exprs[pointer].kind {
                    ExprKind::AddrOf(inner) => inner,
                    _ => return Root::Behind(self.regions.pointee(pointer)),
                },
            };
        }
    }

    /// The region that a variable lies in, if it has an address.
    fn region_of(&self, var: VarId) -> Option<RegionId> {
        match self.regions.home(var) {
            Home::Cells(_) => None,
            Home::Object(region, _) | Home::Fresh(region) => Some(region),
        }
    }

    fn object_of(&self, var: VarId) -> Object {
        self.region_of(var).map_or(Object::Var(var), Object::Region)
    }

    /// The objects that an access may be to.
    pub fn objects(&self, target: Target) -> Vec<Object> {
        match self.root(target) {
            Root::Var(var) => vec![self.object_of(var)],
            Root::Behind(region) => self.behind(region),
        }
    }

    fn behind(&self, region: Option<RegionId>) -> Vec<Object> {
        match region {
            Some(region) => vec![Object::Region(region)],
            None => self.regions.regions.indices().map(Object::Region).collect(),
        }
    }

    /// Two accesses may be to the same byte.
    pub fn may_meet(&self, a: Target, b: Target) -> bool {
        if let (Target::Place(a), Target::Place(b)) = (a, b)
            && let (Some((v, x)), Some((w, y))) = (self.bytes(a), self.bytes(b))
        {
            return v == w && x.start < y.end && y.start < x.end;
        }
        match (self.root(a), self.root(b)) {
            (Root::Var(v), Root::Var(w)) => v == w,
            (Root::Var(v), Root::Behind(region)) | (Root::Behind(region), Root::Var(v)) => {
                self.region_of(v).is_some_and(|home| region.is_none_or(|region| region == home))
            }
            (Root::Behind(Some(r)), Root::Behind(Some(s))) => r == s,
            (Root::Behind(_), Root::Behind(_)) => true,
        }
    }

    /// The bytes of a variable that make up a place at a constant position. Bit-fields that lie in a row are one memory
    /// location (C17 3.14).
    fn bytes(&self, place: PlaceId) -> Option<(VarId, Range<u64>)> {
        let types = &self.program.types;
        let ty = self.program.places[place].ty;
        match self.program.places[place].kind {
            PlaceKind::Var(var) => Some((var, 0..types.size(ty)?)),
            PlaceKind::Deref(_) => None,
            PlaceKind::Field(base, index) => {
                let (var, whole) = self.bytes(base)?;
                let Type::Record(record) = types[self.program.places[base].ty] else { return None };
                let fields = &types.records[record].fields;
                let index = index as usize;
                let field = fields.get(index)?;
                if field.bits.is_none() {
                    let start = whole.start + field.offset;
                    return Some((var, start..start + types.size(ty)?));
                }
                let first = fields[..index].iter().rposition(|f| f.bits.is_none()).map_or(0, |i| i + 1);
                let row = fields[first..].iter().map_while(|f| f.bits);
                let bytes = row.map(|b| b.offset / 8..(b.offset + u64::from(b.width)).div_ceil(8));
                let bytes = bytes.reduce(|a, b| a.start.min(b.start)..a.end.max(b.end))?;
                Some((var, whole.start + bytes.start..whole.start + bytes.end))
            }
            PlaceKind::Index(base, index) => {
                let (var, whole) = self.bytes(base)?;
                let size = types.size(ty)?;
                let index = u64::try_from(self.program.const_value(index)?).ok()?;
                let start = whole.start.checked_add(index.checked_mul(size)?)?;
                Some((var, start..start.checked_add(size)?))
            }
        }
    }

    /// What a step does to objects, with those that it does without the text saying so: arguments are passed, variables
    /// are born and die, threads begin and end. Each with whether it is written.
    pub fn effects(&self, step: Step) -> Vec<(Object, bool)> {
        let mut all = Vec::new();
        let mut touch =
            |objects: Vec<Object>, write: bool| all.extend(objects.into_iter().map(|o| (o, write)));
        let Touched { accesses, asked } = self.touched(step);
        for access in accesses {
            touch(self.objects(access.target), access.write);
        }
        for pointer in asked {
            touch(self.behind(self.regions.pointee(pointer)), true);
        }
        let edge = step.edge();
        let functions = &self.program.functions;
        match step {
            Step::Enter(_, f) => {
                functions[f].params.iter().for_each(|param| touch(vec![self.object_of(*param)], true));
                touch(self.frame(f), true);
            }
            Step::Leave(_, f) => {
                if self.call(edge).is_some_and(|call| call.dest.is_some()) {
                    functions[f].ret.iter().for_each(|ret| touch(vec![self.object_of(*ret)], false));
                }
                touch(self.frame(f), true);
            }
            Step::Edge(_) => match &self.program.cfa.edges[edge].op {
                Op::Return(Some(_)) => {
                    let function = self.program.cfa.locs[self.program.cfa.edges[edge].from].function;
                    functions[function].ret.iter().for_each(|ret| touch(vec![self.object_of(*ret)], true));
                }
                Op::Declare(var) | Op::Expire(var) => touch(vec![self.object_of(*var)], true),
                Op::Call(call) => match self.builtin(edge) {
                    Some(Builtin::ThreadStart) => {
                        let begun = [0, 1].into_iter().filter_map(|i| self.about(edge, i)).map(Object::Begun);
                        touch(begun.collect(), true);
                    }
                    Some(Builtin::ThreadFinished) => {
                        touch(self.about(edge, 0).map(Object::Ended).into_iter().collect(), false);
                    }
                    Some(Builtin::AtomicBegin | Builtin::AtomicEnd | Builtin::ThreadExit) => {}
                    // Whatever else it does, it does to what it is given, and to what it makes.
                    _ => {
                        let pointers = call.args.iter().filter(|arg| self.is_pointer(**arg));
                        pointers.for_each(|arg| touch(self.behind(self.regions.pointee(*arg)), true));
                        if let Some(dest) = call.dest {
                            touch(self.behind(self.made(dest)), true);
                        }
                    }
                },
                _ => {}
            },
        }
        all
    }

    /// Where the pointer in a variable points to.
    fn made(&self, dest: PlaceId) -> Option<RegionId> {
        match self.program.places[dest].kind {
            PlaceKind::Var(var) => self.contents.get(&var).copied(),
            _ => None,
        }
    }

    /// The variables of a frame that have addresses.
    fn frame(&self, f: FnId) -> Vec<Object> {
        let function = &self.program.functions[f];
        let vars = function.params.iter().chain(&function.locals).chain(&function.ret);
        vars.filter_map(|var| self.region_of(*var)).map(Object::Region).collect()
    }
}
