//! Data races: two threads are about to access the same memory, one of them writes, and not both accesses are atomic.
//!
//! Actions end before each access that concerns other threads, so that a tuple of locations shows what its threads are
//! about to do. Source sets keep such a tuple in sight: an access of a thread in the set conflicts with what the other
//! thread will do, so that this one is in the set too; and a thread that is moved before both changes nothing for them.

use super::builtin_of;
use super::sync::constant_place;
use crate::block::Step;
use crate::regions::{Home, RegionId, Regions};
use tour_ir::cfa::{EdgeId, LocId, LocKind};
use tour_ir::program::{
    BitField, Builtin, Call, Callee, Check, CheckId, ExprId, ExprKind, Op, PlaceId, PlaceKind, Program, Rule,
    ThreadId, Type, VarId,
};
use tour_ir::source::LIBRARY;

/// An access to memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Access {
    /// What is accessed.
    what: What,
    /// It is written.
    write: bool,
    /// It is atomic by its type.
    atomic: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum What {
    Place(PlaceId),
    /// Some bytes behind a pointer.
    Behind(ExprId),
}

/// Do two accesses touch the same memory?
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Overlap {
    /// They do not.
    Never,
    /// That depends on pointers or indices.
    Perhaps,
    /// They do.
    Always,
}

/// The step accesses more at once than a machine does: some bytes behind a pointer, a bit-field that is written, or a
/// place that is too wide.
pub(super) fn is_several(program: &Program, step: Step, is_wide: impl Fn(PlaceId) -> bool) -> bool {
    accesses(program, step).iter().any(|access| match access.what {
        What::Behind(_) => true,
        What::Place(place) => {
            let bits = access.write && program.bit_field(place).is_some() && !access.atomic;
            bits && super::split::is_shared(program, place) || is_wide(place)
        }
    })
}

/// The step accesses what a pointer points to.
pub(super) fn is_through_pointer(program: &Program, step: Step) -> bool {
    accesses(program, step).iter().any(|access| match access.what {
        What::Behind(_) => true,
        What::Place(place) => program.root(place).is_none(),
    })
}

/// All accesses of a step to what threads can share are atomic by their types.
pub(super) fn is_atomic(program: &Program, step: Step) -> bool {
    let is_shared = |what: What| match what {
        What::Place(place) => super::split::is_shared(program, place),
        What::Behind(_) => true,
    };
    accesses(program, step).iter().all(|access| access.atomic || !is_shared(access.what))
}

/// The accesses of a step, in no order.
fn accesses(program: &Program, step: Step) -> Vec<Access> {
    let mut all = Accesses { program, all: Vec::new() };
    let op = &program.cfa.edges[step.edge()].op;
    match (step, op) {
        (Step::Edge(_), Op::Assign(place, value)) => {
            all.expr(*value);
            all.write(*place);
        }
        (Step::Edge(_), Op::Assume { cond: value, .. } | Op::Return(Some(value))) => all.expr(*value),
        (Step::Edge(_), Op::Havoc(place, _)) => all.write(*place),
        (Step::Edge(edge), Op::Call(_)) if begins_torn(program, edge) => {
            all.section(program.cfa.edges[edge].to)
        }
        (Step::Edge(_), Op::Call(call)) => all.builtin(call),
        // Lives begin and end: that is no access.
        (Step::Edge(_), Op::Nop | Op::Return(None) | Op::Declare(_) | Op::Expire(_) | Op::Unsupported(_)) => {
        }
        (Step::Enter { guard, .. }, Op::Call(call)) => {
            guard.iter().for_each(|pointer| all.expr(*pointer));
            call.args.iter().for_each(|arg| all.expr(*arg));
        }
        (Step::Leave { .. }, Op::Call(Call { dest: Some(dest), .. })) => all.write(*dest),
        (Step::BadCall(_), Op::Call(Call { callee: Callee::Indirect(pointer), .. })) => all.expr(*pointer),
        (Step::Enter { .. } | Step::Leave { .. } | Step::BadCall(_), _) => {}
    }
    all.all
}

/// The step begins a section that is one only because its accesses are parts of a word.
fn begins_torn(program: &Program, edge: EdgeId) -> bool {
    let begins = builtin_of(program, &program.cfa.edges[edge].op) == Some(Builtin::AtomicBegin);
    begins && program.threads.torn.contains_key(&edge)
}

struct Accesses<'p> {
    program: &'p Program,
    all: Vec<Access>,
}

impl Accesses<'_> {
    fn expr(&mut self, expr: ExprId) {
        match self.program.exprs[expr].kind {
            ExprKind::Int(_) | ExprKind::Float(_) | ExprKind::Zeroed | ExprKind::FnAddr(_) => {}
            ExprKind::Load(place) => {
                self.position(place);
                self.add(place, false);
            }
            ExprKind::AddrOf(place) => self.position(place),
            ExprKind::Unary(_, a) | ExprKind::Cast(a) | ExprKind::Fact(_, a) => self.expr(a),
            ExprKind::Binary(_, a, b) => {
                self.expr(a);
                self.expr(b);
            }
        }
    }

    /// What has to be read to know where a place is.
    fn position(&mut self, place: PlaceId) {
        match self.program.places[place].kind {
            PlaceKind::Var(_) => {}
            PlaceKind::Deref(pointer) => self.expr(pointer),
            PlaceKind::Field(base, _) => self.position(base),
            PlaceKind::Index(base, index) => {
                self.position(base);
                self.expr(index);
            }
        }
    }

    fn write(&mut self, place: PlaceId) {
        self.position(place);
        self.add(place, true);
    }

    fn add(&mut self, place: PlaceId, write: bool) {
        let atomic = self.program.place_quals(place).atomic;
        self.all.push(Access { what: What::Place(place), write, atomic });
    }

    /// All that a straight section accesses.
    fn section(&mut self, mut at: LocId) {
        let program = self.program;
        while let Some((_, edge)) = program.cfa.successors(at).next() {
            let Op::Assign(place, value) = &edge.op else { return };
            self.expr(*value);
            self.write(*place);
            at = edge.to;
        }
    }

    /// A library function reads what its arguments point to; some write there.
    fn builtin(&mut self, call: &Call) {
        let Callee::Direct(f) = call.callee else { return };
        let Some(builtin) = self.program.functions[f].builtin else { return };
        for &arg in &call.args {
            self.expr(arg);
        }
        let writes = match builtin {
            Builtin::Free
            | Builtin::Realloc
            | Builtin::Memcpy
            | Builtin::Memmove
            | Builtin::Memset
            | Builtin::Strcpy
            | Builtin::Strncpy
            | Builtin::Strcat => true,
            Builtin::Memcmp
            | Builtin::Strlen
            | Builtin::Strcmp
            | Builtin::Strncmp
            | Builtin::Strchr
            | Builtin::Printf
            | Builtin::Puts => false,
            Builtin::Malloc | Builtin::Outside | Builtin::Calloc | Builtin::Alloca | Builtin::Putchar => {
                call.dest.iter().for_each(|dest| self.write(*dest));
                return;
            }
            Builtin::ThreadCreate
            | Builtin::ThreadJoin
            | Builtin::ThreadExit
            | Builtin::ThreadSelf
            | Builtin::AtomicBegin
            | Builtin::AtomicEnd
            | Builtin::ThreadStart
            | Builtin::ThreadFinished
            | Builtin::Blocked => return,
        };
        for (i, &arg) in call.args.iter().enumerate() {
            if self.program.types.pointee(self.program.exprs[arg].ty).is_some() {
                let write = writes && i == 0;
                self.all.push(Access { what: What::Behind(arg), write, atomic: false });
            }
        }
        call.dest.iter().for_each(|dest| self.write(*dest));
    }
}

/// The objects that an access may touch.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Objects {
    Var(VarId),
    Region(RegionId),
    Any,
}

fn objects(program: &Program, regions: &Regions, what: What) -> Objects {
    let behind = |pointer: ExprId| match regions.pointee(pointer) {
        Some(region) => Objects::Region(region),
        None => Objects::Any,
    };
    match what {
        What::Behind(pointer) => behind(pointer),
        What::Place(mut place) => loop {
            match program.places[place].kind {
                PlaceKind::Var(var) => break Objects::Var(var),
                PlaceKind::Field(base, _) | PlaceKind::Index(base, _) => place = base,
                PlaceKind::Deref(pointer) => match program.exprs[pointer].kind {
                    ExprKind::AddrOf(inner) => place = inner,
                    _ => break behind(pointer),
                },
            }
        },
    }
}

/// The bytes of a variable that a place is, if that is known.
fn bytes(program: &Program, place: PlaceId) -> Option<(VarId, std::ops::Range<u64>)> {
    if let (PlaceKind::Field(base, index), Some(_)) = (&program.places[place].kind, program.bit_field(place))
    {
        let (var, first) = constant_place(program, *base)?;
        let run = bit_field_run(program, *base, *index)?;
        return Some((var, first + run.start..first + run.end));
    }
    let (var, first) = constant_place(program, place)?;
    Some((var, first..first + program.types.size(program.places[place].ty)?))
}

fn share_byte(a: BitField, b: BitField) -> bool {
    let bytes = |of: BitField| of.offset / 8..(of.offset + u64::from(of.width)).div_ceil(8);
    bytes(a).start < bytes(b).end && bytes(b).start < bytes(a).end
}

/// The bytes of a record that neighbouring bit-fields lie in: they are one memory location.
fn bit_field_run(program: &Program, record: PlaceId, index: u32) -> Option<std::ops::Range<u64>> {
    let Type::Record(id) = program.types[program.places[record].ty] else { return None };
    let fields = &program.types.records[id].fields;
    let before = fields[..index as usize].iter().rev().take_while(|f| f.bits.is_some());
    let after = fields[index as usize..].iter().take_while(|f| f.bits.is_some());
    let run = before.chain(after).filter_map(|f| f.bits);
    let bytes = run.map(|b| b.offset / 8..(b.offset + u64::from(b.width)).div_ceil(8));
    bytes.reduce(|a, b| a.start.min(b.start)..a.end.max(b.end))
}

/// Whether two places are the same memory, if their positions are constants.
fn static_overlap(program: &Program, a: PlaceId, b: PlaceId) -> Option<Overlap> {
    let ((v, x), (w, y)) = (bytes(program, a)?, bytes(program, b)?);
    let touch = v == w && x.start < y.end && y.start < x.end;
    // Bit-fields in the same byte are one memory location; others may be, with nothing between them.
    let exact = match (program.bit_field(a), program.bit_field(b)) {
        (None, None) => true,
        (Some(a), Some(b)) => x.start == y.start && share_byte(a, b),
        _ => false,
    };
    Some(match (touch, exact) {
        (false, _) => Overlap::Never,
        (true, true) => Overlap::Always,
        (true, false) => Overlap::Perhaps,
    })
}

fn overlap(program: &Program, regions: &Regions, a: What, b: What) -> Overlap {
    if let (What::Place(a), What::Place(b)) = (a, b)
        && let Some(known) = static_overlap(program, a, b)
    {
        return known;
    }
    let region = |var: VarId| match regions.home(var) {
        Home::Cells(_) => None,
        Home::Object(region, _) | Home::Fresh(region) => Some(region),
    };
    let may = match (objects(program, regions, a), objects(program, regions, b)) {
        (Objects::Var(v), Objects::Var(w)) => v == w,
        (Objects::Var(v), Objects::Region(r)) | (Objects::Region(r), Objects::Var(v)) => region(v) == Some(r),
        (Objects::Region(r), Objects::Region(s)) => r == s,
        (Objects::Any, Objects::Var(v)) | (Objects::Var(v), Objects::Any) => region(v).is_some(),
        (Objects::Any, _) | (_, Objects::Any) => true,
    };
    if may { Overlap::Perhaps } else { Overlap::Never }
}

/// A step that a thread is about to take.
pub struct Poised {
    /// The thread.
    pub thread: ThreadId,
    /// The step.
    pub step: Step,
    accesses: Vec<Access>,
    /// It lies in an atomic section.
    atomic: bool,
    /// A machine does not do it at once.
    torn: bool,
}

impl Poised {
    /// What the step accesses, inside of a number of atomic sections; `None` if that is nothing.
    pub fn new(program: &Program, thread: ThreadId, step: Step, sections: u32) -> Option<Poised> {
        let accesses = accesses(program, step);
        let own = program.threads.torn.get(&step.edge());
        let (atomic, torn) = (sections > own.copied().unwrap_or(0), own.is_some());
        (!accesses.is_empty()).then_some(Poised { thread, step, accesses, atomic, torn })
    }

    /// The accesses of two steps that race if they touch the same memory.
    fn pairs<'a>(&'a self, other: &'a Poised) -> impl Iterator<Item = (What, What)> + 'a {
        let conflicts = |a: &Access, b: &Access| {
            let atomic = (self.atomic || a.atomic) && (other.atomic || b.atomic);
            self.thread != other.thread && !atomic && (a.write || b.write)
        };
        let all = self.accesses.iter().flat_map(|a| other.accesses.iter().map(move |b| (a, b)));
        all.filter(move |(a, b)| conflicts(a, b)).map(|(a, b)| (a.what, b.what))
    }
}

/// Two steps that race, or may.
pub struct Race {
    /// The check that is violated.
    pub check: CheckId,
    /// The threads and their steps.
    pub steps: [(ThreadId, EdgeId); 2],
    /// It is sure that they do.
    pub sure: bool,
}

/// The first two steps that are sure to race; or else all that may.
pub fn races(program: &Program, regions: &Regions, poised: &[Poised]) -> Vec<Race> {
    let mut found = Vec::new();
    for (one, two) in couples(poised) {
        let overlaps = one.pairs(two).map(|(a, b)| overlap(program, regions, a, b));
        let worst = overlaps.max().unwrap_or(Overlap::Never);
        let Some(check) = check(program, one, two).filter(|_| worst != Overlap::Never) else { continue };
        let steps = [one, two].map(|p| (p.thread, p.step.edge()));
        let race = Race { check, steps, sure: worst == Overlap::Always };
        if race.sure {
            return vec![race];
        }
        found.push(race);
    }
    found
}

/// The first step that a machine does not do at once, while another thread accesses the same memory, or may.
pub fn torn(program: &Program, regions: &Regions, poised: &[Poised]) -> Option<EdgeId> {
    let meet = |(one, two): &(&Poised, &Poised)| {
        (one.torn || two.torn)
            && one.pairs(two).any(|(a, b)| overlap(program, regions, a, b) != Overlap::Never)
    };
    couples(poised).find(meet).map(|(one, two)| if one.torn { one } else { two }.step.edge())
}

/// The first two steps that do race, where it is known which bytes a place is for a thread.
pub fn happens(
    program: &Program,
    poised: &[Poised],
    mut at: impl FnMut(ThreadId, PlaceId) -> Option<std::ops::Range<u64>>,
) -> Option<CheckId> {
    for (one, two) in couples(poised) {
        for (a, b) in one.pairs(two) {
            let (What::Place(a), What::Place(b)) = (a, b) else { continue };
            let touch = match static_overlap(program, a, b) {
                Some(overlap) => overlap == Overlap::Always,
                None => match (at(one.thread, a), at(two.thread, b)) {
                    (Some(x), Some(y)) => x.start < y.end && y.start < x.end,
                    _ => false,
                },
            };
            if touch {
                return check(program, one, two);
            }
        }
    }
    None
}

fn couples(poised: &[Poised]) -> impl Iterator<Item = (&Poised, &Poised)> {
    poised.iter().enumerate().flat_map(|(i, one)| poised[i + 1..].iter().map(move |two| (one, two)))
}

/// The check for two steps, if it was not taken out. Bodies of the library for threads have none of their own.
fn check(program: &Program, one: &Poised, two: &Poised) -> Option<CheckId> {
    let races = &program.threads.races;
    let own: Vec<CheckId> = [one, two].iter().filter_map(|p| races.get(&p.step.edge()).copied()).collect();
    let mut all: Vec<CheckId> = if own.is_empty() { races.values().copied().collect() } else { own };
    all.retain(|check| program.is_open(*check));
    all.first().copied()
}

/// The bodies of the operations on locks and the like.
const LOCKS: &str = "threads.c";

/// Operations that order nothing if they fail, although what they give tells what another thread has done.
const ATTEMPTS: [&str; 9] = [
    "pthread_mutex_trylock",
    "pthread_mutex_timedlock",
    "pthread_rwlock_tryrdlock",
    "pthread_rwlock_trywrlock",
    "pthread_rwlock_timedrdlock",
    "pthread_rwlock_timedwrlock",
    "pthread_spin_trylock",
    "sem_trywait",
    "sem_timedwait",
];

/// The same, whatever it gives.
const GLANCE: &str = "sem_getvalue";

/// Where an attempt fails, accesses that never meet in a run may still race: that is not modelled.
fn refuse_attempts(program: &mut Program) {
    for index in 0..program.cfa.edges.len() {
        let edge = EdgeId::new(index);
        let Op::Return(Some(cond)) = program.cfa.edges[edge].op else { continue };
        let (from, to) = (program.cfa.edges[edge].from, program.cfa.edges[edge].to);
        let (function, span) = (program.cfa.locs[from].function, program.cfa.edges[edge].span);
        let name = program.functions[function].name.as_str();
        let glances = name == GLANCE;
        if !is_in_locks(program, span) || !glances && !ATTEMPTS.contains(&name) {
            continue;
        }
        let message = format!("what `{name}` tells of other threads where data races are looked for");
        let op = super::not_modelled(message);
        if glances {
            program.cfa.add_edge(from, to, op, span);
            continue;
        }
        let [failed, done] = [(); 2].map(|()| program.cfa.add_loc(function, LocKind::Plain));
        program.cfa.locs[from].out.retain(|e| *e != edge);
        program.cfa.edges[edge].from = done;
        program.cfa.locs[done].out.push(edge);
        program.cfa.add_edge(from, failed, Op::Assume { cond, truth: true }, span);
        program.cfa.add_edge(from, done, Op::Assume { cond, truth: false }, span);
        program.cfa.add_edge(failed, to, Op::Return(Some(cond)), span);
        program.cfa.add_edge(failed, to, op, span);
    }
}

fn is_in_locks(program: &Program, span: tour_ir::source::Span) -> bool {
    let unit = &program.sources.unit(span.unit).path;
    unit.to_str().is_some_and(|path| path.starts_with(LIBRARY) && path.ends_with(LOCKS))
}

/// A check for each step that accesses what threads can share.
pub(super) fn add_checks(program: &mut Program) {
    refuse_attempts(program);
    for index in 0..program.cfa.edges.len() {
        let edge = EdgeId::new(index);
        let (span, from) = (program.cfa.edges[edge].span, program.cfa.edges[edge].from);
        let function = program.cfa.locs[from].function;
        if program.functions[function].body.is_none() || is_in_locks(program, span) {
            continue;
        }
        let steps = match &program.cfa.edges[edge].op {
            Op::Call(Call { callee: Callee::Direct(f), .. }) if program.functions[*f].body.is_some() => {
                vec![
                    Step::Enter { call: edge, callee: *f, guard: None },
                    Step::Leave { call: edge, callee: *f },
                ]
            }
            _ => vec![Step::Edge(edge)],
        };
        let shared =
            steps.iter().flat_map(|step| accesses(program, *step)).find(|access| match access.what {
                What::Place(place) => super::split::is_shared(program, place),
                What::Behind(_) => true,
            });
        let Some(access) = shared else { continue };
        let what = match access.what {
            What::Place(place) => program.show_place(place),
            What::Behind(pointer) => format!("what {} points to", program.show_expr(pointer)),
        };
        let message = format!("`{what}` is accessed while another thread accesses it");
        let check = program.checks.next_idx();
        let loc = program.cfa.add_loc(function, LocKind::Error(check));
        program.checks.push(Check { rule: Rule::DataRace, loc, message, span });
        program.threads.races.insert(edge, check);
    }
}
