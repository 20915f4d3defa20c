//! What a step reads and writes: the variables that are cells of the formulas, and regions of memory as wholes. Two steps
//! of different threads are independent if neither writes what the other accesses [COI §2.5.1].

use crate::block::Step;
use crate::regions::{Home, RegionId, Regions};
use rustc_hash::FxHashMap;
use std::rc::Rc;
use std::sync::Arc;
use tour_ir::cfa::EdgeId;
use tour_ir::prepared::Prepared;
use tour_ir::program::{
    Builtin, Call, Callee, ExprId, ExprKind, FnId, Op, PlaceId, PlaceKind, Program, ThreadId, VarId,
};

/// Something that steps access.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Shared {
    /// A variable that is not in memory.
    Var(VarId),
    /// All objects of a region.
    Region(RegionId),
    /// What a pointer points to of which nothing is known.
    Unknown,
    /// Whether a thread has begun.
    Begun(ThreadId),
    /// Whether a thread has ended.
    Ended(ThreadId),
}

/// A set of small numbers.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Bits(Vec<u64>);

impl Bits {
    /// Adds a number.
    pub fn insert(&mut self, bit: u32) {
        let word = bit as usize / 64;
        if self.0.len() <= word {
            self.0.resize(word + 1, 0);
        }
        self.0[word] |= 1 << (bit % 64);
    }

    /// The number is in the set.
    pub fn contains(&self, bit: u32) -> bool {
        self.0.get(bit as usize / 64).is_some_and(|word| word >> (bit % 64) & 1 == 1)
    }

    /// Adds all of another set; true if something was new.
    pub fn union(&mut self, other: &Bits) -> bool {
        if self.0.len() < other.0.len() {
            self.0.resize(other.0.len(), 0);
        }
        let mut changed = false;
        for (own, new) in self.0.iter_mut().zip(&other.0) {
            changed |= *new & !*own != 0;
            *own |= new;
        }
        changed
    }

    /// Takes all of another set out.
    pub fn remove_all(&mut self, other: &Bits) {
        for (own, out) in self.0.iter_mut().zip(&other.0) {
            *own &= !out;
        }
    }

    /// Takes all out that is not in another set.
    pub fn retain_all(&mut self, other: &Bits) {
        self.0.truncate(other.0.len());
        for (own, kept) in self.0.iter_mut().zip(&other.0) {
            *own &= kept;
        }
    }

    /// Both have a number in common.
    pub fn intersects(&self, other: &Bits) -> bool {
        self.0.iter().zip(&other.0).any(|(a, b)| a & b != 0)
    }

    /// All of its numbers are in the other set.
    pub fn is_subset(&self, other: &Bits) -> bool {
        self.iter().all(|bit| other.contains(bit))
    }

    /// The numbers, ascending.
    pub fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        self.0.iter().enumerate().flat_map(|(i, &word)| {
            (0..64u32).filter(move |bit| word >> bit & 1 == 1).map(move |bit| i as u32 * 64 + bit)
        })
    }
}

/// What a step, or several, read and write.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Footprint {
    /// What is read.
    pub reads: Bits,
    /// What is written.
    pub writes: Bits,
}

impl Footprint {
    /// One writes what the other accesses.
    pub fn conflicts(&self, other: &Footprint) -> bool {
        self.writes.intersects(&other.writes)
            || self.writes.intersects(&other.reads)
            || self.reads.intersects(&other.writes)
    }

    /// Adds another one; true if something was new.
    pub fn add(&mut self, other: &Footprint) -> bool {
        let reads = self.reads.union(&other.reads);
        self.writes.union(&other.writes) || reads
    }
}

/// The footprints of all steps of a program.
pub struct Footprints<'p> {
    program: &'p Program,
    regions: Arc<Regions>,
    numbers: FxHashMap<Shared, u32>,
    /// What each number stands for.
    pub all: Vec<Shared>,
    made: FxHashMap<Step, Rc<Footprint>>,
    /// Where the pointers in variables point to.
    contents: FxHashMap<VarId, RegionId>,
}

impl<'p> Footprints<'p> {
    /// None yet.
    pub fn new(program: &'p Program) -> Footprints<'p> {
        Footprints::with(program, Arc::new(Regions::of(program)))
    }

    /// None yet, by the points-to solution that is there.
    pub fn prepared(program: &'p Prepared) -> Footprints<'p> {
        Footprints::with(program, program.fact())
    }

    fn with(program: &'p Program, regions: Arc<Regions>) -> Footprints<'p> {
        let mut contents = FxHashMap::default();
        for (id, expr) in program.exprs.iter_enumerated() {
            if let ExprKind::Load(place) = expr.kind
                && let PlaceKind::Var(var) = program.places[place].kind
                && let Some(region) = regions.pointee(id)
            {
                contents.insert(var, region);
            }
        }
        Footprints {
            program,
            regions,
            contents,
            numbers: FxHashMap::default(),
            all: Vec::new(),
            made: FxHashMap::default(),
        }
    }

    /// The points-to solution.
    pub fn regions(&self) -> Arc<Regions> {
        self.regions.clone()
    }

    /// The number of something.
    pub fn number(&mut self, what: Shared) -> u32 {
        let next = self.all.len() as u32;
        *self.numbers.entry(what).or_insert_with(|| {
            self.all.push(what);
            next
        })
    }

    /// The footprint of a step.
    pub fn of(&mut self, step: Step) -> Rc<Footprint> {
        if let Some(known) = self.made.get(&step) {
            return known.clone();
        }
        let mut print = Footprint::default();
        match step {
            Step::Edge(edge) => self.edge(&mut print, edge),
            Step::Enter { call, callee, guard } => {
                if let Some(pointer) = guard {
                    self.expr(&mut print, pointer);
                }
                if let Op::Call(call) = &self.program.cfa.edges[call].op {
                    for &arg in &call.args {
                        self.expr(&mut print, arg);
                    }
                }
                for &param in &self.program.functions[callee].params {
                    self.write_var(&mut print, param);
                }
                self.frame(&mut print, callee);
            }
            Step::Leave { call, callee } => {
                if let Op::Call(Call { dest: Some(dest), .. }) = &self.program.cfa.edges[call].op {
                    if let Some(ret) = self.program.functions[callee].ret {
                        self.read_var(&mut print, ret);
                    }
                    self.write(&mut print, *dest);
                }
                self.frame(&mut print, callee);
            }
            Step::BadCall(call) => {
                if let Op::Call(Call { callee: Callee::Indirect(pointer), .. }) =
                    &self.program.cfa.edges[call].op
                {
                    self.expr(&mut print, *pointer);
                }
            }
        }
        let print = Rc::new(print);
        self.made.insert(step, print.clone());
        print
    }

    fn edge(&mut self, print: &mut Footprint, edge: EdgeId) {
        let program = self.program;
        match &program.cfa.edges[edge].op {
            Op::Nop | Op::Unsupported(_) | Op::Return(None) => {}
            Op::Assign(place, value) => {
                self.expr(print, *value);
                self.write(print, *place);
            }
            Op::Assume { cond, .. } => self.expr(print, *cond),
            Op::Return(Some(value)) => {
                self.expr(print, *value);
                let function = program.cfa.locs[program.cfa.edges[edge].from].function;
                if let Some(ret) = program.functions[function].ret {
                    self.write_var(print, ret);
                }
            }
            Op::Havoc(place, _) => self.write(print, *place),
            Op::Declare(var) | Op::Expire(var) => self.write_var(print, *var),
            Op::Call(call) => self.builtin(print, call),
        }
    }

    /// A library function may do anything to what its arguments point to.
    fn builtin(&mut self, print: &mut Footprint, call: &Call) {
        let program = self.program;
        let Callee::Direct(f) = call.callee else { return };
        let thread =
            |i: usize| call.args.get(i).and_then(|a| program.const_value(*a)).map(|n| n as u32 as usize);
        match program.functions[f].builtin {
            Some(Builtin::ThreadStart) => {
                // An argument that is no thread has no number.
                for number in [thread(0), thread(1)].into_iter().flatten() {
                    if number < program.threads.all.len() {
                        let begun = self.number(Shared::Begun(ThreadId::new(number)));
                        print.reads.insert(begun);
                        print.writes.insert(begun);
                    }
                }
            }
            Some(Builtin::ThreadFinished) => {
                if let Some(number) = thread(0) {
                    let ended = self.number(Shared::Ended(ThreadId::new(number)));
                    print.reads.insert(ended);
                }
            }
            Some(Builtin::AtomicBegin | Builtin::AtomicEnd | Builtin::ThreadExit) => {}
            _ => {
                for &arg in &call.args {
                    self.expr(print, arg);
                    self.memory(print, arg);
                }
                if let Some(dest) = call.dest {
                    self.write(print, dest);
                    // A new object: which number it gets depends on those before.
                    let region = self.content(dest);
                    self.region(print, region);
                }
            }
        }
    }

    /// Where the pointer in a place points to, as loads of the same variable know.
    fn content(&self, place: PlaceId) -> Option<RegionId> {
        match self.program.places[place].kind {
            PlaceKind::Var(var) => self.contents.get(&var).copied(),
            _ => None,
        }
    }

    fn memory(&mut self, print: &mut Footprint, pointer: ExprId) {
        if self.program.types.pointee(self.program.exprs[pointer].ty).is_some() {
            let region = self.regions.pointee(pointer);
            self.region(print, region);
        }
    }

    /// An access to a region; to all of them, if nothing is known of the pointer.
    fn region(&mut self, print: &mut Footprint, region: Option<RegionId>) {
        let all = match region {
            Some(region) => vec![region],
            None => self.regions.regions.indices().collect(),
        };
        for region in all {
            let number = self.number(Shared::Region(region));
            print.reads.insert(number);
            print.writes.insert(number);
        }
    }

    /// The variables of a frame that lie in memory are born and die.
    fn frame(&mut self, print: &mut Footprint, function: FnId) {
        let f = &self.program.functions[function];
        for &var in f.params.iter().chain(&f.locals).chain(&f.ret) {
            if let Home::Object(region, _) | Home::Fresh(region) = self.regions.home(var) {
                self.region(print, Some(region));
            }
        }
    }

    fn home(&mut self, var: VarId) -> u32 {
        match self.regions.home(var) {
            Home::Cells(_) => self.number(Shared::Var(var)),
            Home::Object(region, _) | Home::Fresh(region) => self.number(Shared::Region(region)),
        }
    }

    fn read_var(&mut self, print: &mut Footprint, var: VarId) {
        let number = self.home(var);
        print.reads.insert(number);
    }

    fn write_var(&mut self, print: &mut Footprint, var: VarId) {
        let number = self.home(var);
        print.writes.insert(number);
    }

    /// What a place stands for; what has to be read to know where it is.
    fn place(&mut self, print: &mut Footprint, place: PlaceId) -> u32 {
        match self.program.places[place].kind {
            PlaceKind::Var(var) => self.home(var),
            PlaceKind::Deref(pointer) => {
                if let ExprKind::AddrOf(inner) = self.program.exprs[pointer].kind {
                    return self.place(print, inner);
                }
                self.expr(print, pointer);
                match self.regions.pointee(pointer) {
                    Some(region) => self.number(Shared::Region(region)),
                    None => {
                        self.region(print, None);
                        self.number(Shared::Unknown)
                    }
                }
            }
            PlaceKind::Field(base, _) => self.place(print, base),
            PlaceKind::Index(base, index) => {
                self.expr(print, index);
                self.place(print, base)
            }
        }
    }

    fn write(&mut self, print: &mut Footprint, place: PlaceId) {
        let number = self.place(print, place);
        print.writes.insert(number);
        // A part of a variable: the others keep their values.
        if !matches!(self.program.places[place].kind, PlaceKind::Var(_)) {
            print.reads.insert(number);
        }
    }

    fn expr(&mut self, print: &mut Footprint, expr: ExprId) {
        match self.program.exprs[expr].kind {
            ExprKind::Int(_) | ExprKind::Float(_) | ExprKind::Zeroed | ExprKind::FnAddr(_) => {}
            ExprKind::Load(place) => {
                let number = self.place(print, place);
                print.reads.insert(number);
            }
            ExprKind::AddrOf(place) => _ = self.place(print, place),
            ExprKind::Unary(_, a) | ExprKind::Cast(a) => self.expr(print, a),
            ExprKind::Fact(_, a) => {
                self.expr(print, a);
                self.memory(print, a);
            }
            ExprKind::Binary(_, a, b) => {
                self.expr(print, a);
                self.expr(print, b);
            }
        }
    }
}
