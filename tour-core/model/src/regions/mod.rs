//! Regions: which objects a pointer may point to, and into which parts their bytes fall apart.
//!
//! Two pointers that may point to the same object point into the same *region* (a points-to analysis by unification,
//! Steensgaard 1996; what record fields point to is kept apart by position). A region knows how far apart pointers into
//! it can be (its *stride*), and with it which accesses can touch the same bits: those share a *slot*, all others are
//! in different ones. A slot whose accesses always have all bits in common is typed: one array of scalars stands for
//! it in formulas. If accesses overlap in another way, it is an array of bytes.
//!
//! The analysis speaks of runs in which no access leaves its object: that is an obligation of each access in
//! [`crate::encode`]. A pointer whose value nothing is known of points to no object of its region, as far as this
//! analysis is concerned.
//!
//! | file | what |
//! |---|---|
//! | `position` | where an lvalue may lie in an object |
//! | `scalars` | the scalars of a type |
//! | `carriers` | integers that are pointers |
//! | `classes` | classes of objects, made one |
//! | `constraints` | the walk over the program |
//! | `homes` | which variables lie in memory |
//! | `inputs` | objects of pointers that are inputs |
//! | `nowhere` | pointers that nothing ever sets |
//! | `once` | which edges are taken at most once |
//! | `overlap` | string literals that may share bytes |
//! | `tables` | constants that are looked up |
//! | `written` | where checks follow what was written |

mod carriers;
mod classes;
mod constraints;
mod homes;
mod inputs;
mod nowhere;
mod once;
mod overlap;
mod position;
mod scalars;
mod tables;
mod written;

pub use carriers::{Carriers, Origin};
pub use nowhere::taken_for_granted;
pub use overlap::Overlap;
pub use position::Position;
pub(crate) use scalars::parts;
pub use scalars::{Part, Scalar, bound, scalar};
pub use written::{Holder, Written, set_at_once};

use classes::{ClassId, Object, Summary};
use constraints::Constraints;
use homes::{Homes, Keep};
use index_vec::IndexVec;
use once::Once;
use position::Relation;
use rustc_hash::FxHashMap;
use tour_ir::cfa::{CallGraph, EdgeId, Loops};
use tour_ir::prepared::{Fact, Prepared};
use tour_ir::program::{
    Builtin, Callee, ExprId, ExprKind, FnId, Op, PlaceId, PlaceKind, Program, TypeId, VarId,
};
use tour_logic::term::{Elem, Sort};

index_vec::define_index_type! {
    /// A region.
    pub struct RegionId = u32;
    DEBUG_FORMAT = "region{}";
}

/// The number of null's object in each region.
pub const NULL: u64 = 0;
/// The number that stands for what is no object of the region: pointers of which nothing is known.
pub const UNKNOWN: u64 = 1;
/// The first number of an object.
pub const FIRST: u64 = 2;
/// Bits of an object's number in formulas: more objects than any run can make.
pub const OBJECT_BITS: u32 = 48;
/// Bits of the number of a piece of a pointer: one for each byte.
pub const PIECE_BITS: u32 = 3;
/// Bits of an element of a slot with layout [`Layout::Mixed`]: the object of a pointer, the number of a piece, a byte.
pub const MIXED_BITS: u32 = OBJECT_BITS + PIECE_BITS + 8;

/// Where a variable lives.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Home {
    /// Its scalars and arrays are cells; its pointers are described by the region.
    Cells(RegionId),
    /// It is an object of the region, always with the same number.
    Object(RegionId, u64),
    /// It is a new object of the region in each life.
    Fresh(RegionId),
}

/// How a slot is represented.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Layout {
    /// Each element is a scalar with this number of bits.
    Typed(Scalar, u64),
    /// Each element is a pointer, or an integer of the same size: an integer is kept as an address in no object.
    Word,
    /// Each element is a byte.
    Bytes,
    /// Pointers and other scalars share bytes: each element is a byte that knows which piece of a pointer it is, if it is
    /// one.
    Mixed,
}

impl Layout {
    /// Each element is a byte.
    pub fn is_bytes(self) -> bool {
        match self {
            Layout::Bytes | Layout::Mixed => true,
            Layout::Typed(..) | Layout::Word => false,
        }
    }
}

/// Bits of the objects of a region that are accessed together.
#[derive(Clone, Debug)]
pub struct Slot {
    /// Its representation.
    pub layout: Layout,
    /// Each object has one element only, which lies this number of bits from its beginning.
    pub single: Option<u64>,
    /// Where the pointers in it point to.
    pub content: Option<RegionId>,
    /// Something reads it: what is written to others does not matter.
    pub read: bool,
}

/// What tells the elements of a slot apart.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Index {
    /// There is only one.
    Nothing,
    /// The number of the object: each has one element.
    Object,
    /// The offset: there is one object.
    Offset,
    /// Both, the object above the offset.
    Both,
}

impl Index {
    /// The sort of what holds such elements. `bits` is the size of a pointer.
    pub fn sort(self, bits: u32, elem: Elem) -> Sort {
        let index = match self {
            Index::Nothing => return elem.sort(),
            Index::Object => OBJECT_BITS,
            Index::Offset => bits,
            Index::Both => OBJECT_BITS + bits,
        };
        Sort::Array { index, elem }
    }
}

/// An object that is known beforehand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Known {
    /// A variable.
    Var(VarId),
    /// A function.
    Function(FnId),
}

/// Objects that pointers do not tell apart.
#[derive(Clone, Debug)]
pub struct Region {
    /// Pointers into the region are multiples of this number of bytes from the beginning of their object; 0 if they always
    /// point there.
    pub stride: u64,
    /// The slots.
    pub slots: Vec<Slot>,
    positions: Vec<(Position, Scalar, u32)>,
    /// Objects known beforehand and their sizes in bytes; the first is number [`FIRST`].
    pub known: Vec<(Known, u64)>,
    /// How many of `known` live as long as the program.
    pub immortal: u64,
    /// How many of these, the first ones, must not be written: string literals, and static variables that are `const`.
    pub constants: u64,
    /// Objects are made while the program runs.
    pub grows: bool,
    /// At most one is made. Whoever relies on it must check that the object is the first one.
    pub once: bool,
    /// Objects may die while the program runs.
    pub mortal: bool,
    /// All objects have this size.
    pub size: Option<u64>,
    /// The addresses of objects made while the program runs are multiples of this number of bytes.
    pub align: u64,
    /// Objects made while the program runs: all by `malloc` and its relatives, none, or some of them.
    pub heap: Heap,
    /// All objects have static storage: memory that was never written is zero.
    pub zeroed: bool,
    /// Some objects made while the program runs are blocks that nothing was written to, as `malloc` gives them.
    pub blank: bool,
    /// Some objects made while the program runs are those of pointers that are inputs.
    pub inputs: bool,
}

/// Which of the objects made while the program runs are on the heap.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[expect(missing_docs)]
pub enum Heap {
    None,
    Some,
    All,
}

impl Region {
    /// The number of the first object that is made while the program runs.
    pub fn first_new(&self) -> u64 {
        FIRST + self.known.len() as u64
    }

    /// The alignments of the objects that are known beforehand, in the order of their numbers: the number behind the last
    /// object of a run of equal ones, and what their addresses are multiples of.
    pub fn alignments(&self, program: &Program) -> Vec<(u64, u64)> {
        let mut runs: Vec<(u64, u64)> = Vec::new();
        for (end, (known, _)) in (FIRST + 1..).zip(&self.known) {
            let align = match *known {
                Known::Var(var) => program.var_align(var),
                Known::Function(_) => 1,
            };
            match runs.last_mut() {
                Some((last, of)) if *of == align => *last = end,
                _ => runs.push((end, align)),
            }
        }
        runs
    }

    /// The addresses of all objects are multiples of this number of bytes.
    pub fn least_align(&self, program: &Program) -> u64 {
        let known = self.alignments(program).into_iter().map(|(_, align)| align).min();
        let new = self.grows.then_some(self.align);
        known.into_iter().chain(new).min().unwrap_or(program.block_align())
    }

    /// There is only one object that can be accessed, in the whole run: a variable that is the same object in all its
    /// lives, or what one call of `malloc` makes that is executed once.
    pub fn is_sole(&self) -> bool {
        match self.known[..] {
            [] => self.grows && self.once,
            [_] => !self.grows,
            _ => false,
        }
    }

    /// It has no object: all pointers into it come from memory that was never written, or from nowhere at all. Unless
    /// accesses are checked, what is read through such a pointer can be anything; nothing can be written.
    pub fn is_nowhere(&self) -> bool {
        self.known.is_empty() && !self.grows
    }

    /// The sizes of all objects that are known beforehand are known.
    pub fn is_sized(&self) -> bool {
        self.known.iter().all(|(_, size)| *size > 0)
    }

    /// What tells the elements of a slot apart.
    pub fn index(&self, slot: usize) -> Index {
        match (self.is_sole(), self.slots[slot].single.is_some()) {
            (true, true) => Index::Nothing,
            (false, true) => Index::Object,
            (true, false) => Index::Offset,
            (false, false) => Index::Both,
        }
    }

    /// The accesses to the region, each with its slot.
    pub fn positions(&self) -> &[(Position, Scalar, u32)] {
        &self.positions
    }

    /// The first bits of all elements of a typed slot that may begin in the first `bits` bits behind a pointer; `None`
    /// if an element may begin before the pointer and end behind it.
    pub fn elements(&self, slot: usize, bits: u64) -> Option<Vec<u64>> {
        let mut found = Vec::new();
        let stride = self.stride * 8;
        for (at, _, _) in self.positions.iter().filter(|(_, _, s)| *s as usize == slot) {
            let step = position::gcd(at.step, stride);
            if stride != 0 && at.first % step + at.size > step {
                return None;
            }
            let (mut first, last) = match stride {
                0 => (at.first, at.last),
                _ if step != 0 => (at.first % step, u64::MAX),
                _ => (at.first, at.last),
            };
            while first < bits && first <= last {
                found.push(first);
                if step == 0 {
                    break;
                }
                first += step;
            }
        }
        found.sort_unstable();
        found.dedup();
        Some(found)
    }

    /// The slot of an access.
    pub fn slot(&self, at: Position, scalar: Scalar) -> Option<usize> {
        let exact = self.positions.binary_search_by(|(p, s, _)| (*p, *s).cmp(&(at, scalar)));
        match exact {
            Ok(i) => Some(self.positions[i].2 as usize),
            Err(_) => {
                let stride = self.stride * 8;
                let found =
                    self.positions.iter().find(|(p, _, _)| p.relation(at, stride) != Relation::Disjoint);
                found.map(|(_, _, slot)| *slot as usize)
            }
        }
    }
}

/// The regions of a program.
#[derive(Clone, Debug)]
pub struct Regions {
    /// The regions.
    pub regions: IndexVec<RegionId, Region>,
    homes: IndexVec<VarId, Home>,
    exprs: IndexVec<ExprId, Option<RegionId>>,
    functions: IndexVec<FnId, Option<(RegionId, u64)>>,
    carriers: Carriers,
    carried: FxHashMap<VarId, RegionId>,
    written: Written,
    tables: tables::Tables,
}

impl std::ops::Index<RegionId> for Regions {
    type Output = Region;

    fn index(&self, id: RegionId) -> &Region {
        &self.regions[id]
    }
}

impl Fact for Regions {
    fn of(program: &Prepared) -> Regions {
        Regions::with(program, &program.fact(), &program.fact())
    }
}

impl Regions {
    /// The regions of a program.
    pub fn of(program: &Program) -> Regions {
        Regions::with(program, &CallGraph::of(program), &Loops::of(program))
    }

    fn with(program: &Program, calls: &CallGraph, loops: &Loops) -> Regions {
        let constraints = Constraints::of(program, calls);
        let keep = Homes::new(program, calls, loops, &constraints).keep_all();
        let mut ids: FxHashMap<ClassId, RegionId> = FxHashMap::default();
        for (i, (class, _)) in constraints.classes.roots().enumerate() {
            ids.insert(class, RegionId::new(i));
        }
        let id = |class: ClassId| ids[&constraints.classes.find(class)];
        let mut once = Once::new(program, calls, loops);
        let regions: IndexVec<RegionId, Region> = (constraints.classes.roots())
            .map(|(_, summary)| region(program, &keep, &mut once, &summary, &id))
            .collect();
        let mut functions: IndexVec<FnId, Option<(RegionId, u64)>> =
            program.functions.iter().map(|_| None).collect();
        let mut numbers: FxHashMap<VarId, u64> = FxHashMap::default();
        for (id, region) in regions.iter_enumerated() {
            for (i, (known, _)) in region.known.iter().enumerate() {
                let number = FIRST + i as u64;
                match known {
                    Known::Var(var) => _ = numbers.insert(*var, number),
                    Known::Function(f) => functions[*f] = Some((id, number)),
                }
            }
        }
        let homes = (keep.iter_enumerated())
            .map(|(var, keep)| {
                let region = id(constraints.vars[var]);
                match (keep, numbers.get(&var)) {
                    (Keep::Cells, _) => Home::Cells(region),
                    (Keep::Immortal | Keep::Again, Some(&number)) => Home::Object(region, number),
                    (Keep::Immortal | Keep::Again | Keep::Fresh, _) => Home::Fresh(region),
                }
            })
            .collect();
        let exprs = constraints.exprs.iter().map(|class| class.map(id)).collect();
        let carried = constraints.carried.iter().map(|(var, class)| (*var, id(*class))).collect();
        let carriers = constraints.carriers.clone();
        let (written, tables) = (Written::default(), tables::Tables::default());
        let mut regions = Regions { regions, homes, exprs, functions, carriers, carried, written, tables };
        regions.written = Written::of(program, &regions);
        regions.tables = tables::Tables::of(program, &regions);
        regions
    }

    /// Forgets what is written through pointers: wrong on purpose, so that checkers have something to find.
    #[cfg(any(test, feature = "testing"))]
    pub fn take_all_for_set(&mut self) {
        self.written = Written::default();
    }

    /// Where checks follow what was written.
    pub fn written(&self) -> &Written {
        &self.written
    }

    /// Where a variable lives.
    pub fn home(&self, var: VarId) -> Home {
        self.homes[var]
    }

    /// The region that the value of an expression points into, if it is a pointer that the program computes.
    pub fn pointee(&self, expr: ExprId) -> Option<RegionId> {
        self.exprs[expr]
    }

    /// Which integers are pointers.
    pub fn carriers(&self) -> &Carriers {
        &self.carriers
    }

    /// The region that an integer variable points into, if it holds pointers.
    pub fn carried(&self, var: VarId) -> Option<RegionId> {
        self.carried.get(&var).copied()
    }

    /// The region and number of a function whose address is taken.
    pub fn function(&self, f: FnId) -> Option<(RegionId, u64)> {
        self.functions[f]
    }

    /// The region in which an lvalue lies, and where in its variable or behind its pointer.
    pub fn spot(&self, program: &Program, place: PlaceId) -> Option<(RegionId, Position)> {
        match program.places[place].kind {
            PlaceKind::Var(var) => match self.homes[var] {
                Home::Cells(region) | Home::Object(region, _) | Home::Fresh(region) => {
                    Some((region, Position::START))
                }
            },
            PlaceKind::Deref(pointer) => match program.exprs[pointer].kind {
                ExprKind::AddrOf(inner) => self.spot(program, inner),
                _ => Some((self.pointee(pointer)?, Position::START)),
            },
            PlaceKind::Field(base, _) | PlaceKind::Index(base, _) => {
                let (region, at) = self.spot(program, base)?;
                Some((region, scalars::part_at(program, place, at)))
            }
        }
    }

    /// Some memory is read by its bytes.
    pub fn has_bytes(&self) -> bool {
        self.regions.iter().any(|region| region.slots.iter().any(|slot| slot.layout.is_bytes()))
    }

    /// The variable that an lvalue is a part of, if that is known; `None` if it is reached through a pointer.
    pub fn root(program: &Program, mut place: PlaceId) -> Option<VarId> {
        while let Some(pointer) = program.pointer_to(place) {
            let ExprKind::AddrOf(inner) = program.exprs[pointer].kind else { return None };
            place = inner;
        }
        program.root(place)
    }
}

fn region(
    program: &Program,
    keep: &IndexVec<VarId, Keep>,
    once: &mut Once,
    summary: &Summary,
    id: &dyn Fn(ClassId) -> RegionId,
) -> Region {
    let (slots, positions) = slots(summary, id);
    let mut objects = summary.objects.to_vec();
    objects.sort_unstable();
    let size_of = |ty: TypeId| program.types.object_size(ty);
    let mut immortal = Vec::new();
    let mut again = Vec::new();
    let mut sizes = Vec::new();
    let (mut on_heap, mut elsewhere, mut mortal, mut zeroed) = (0, 0, summary.freed, true);
    let (mut at_most_once, mut inputs, mut blank) = (true, false, false);
    let mut align = program.block_align();
    for object in objects {
        let size = match object {
            Object::Function(f) => {
                immortal.push((Known::Function(f), 1));
                Some(1)
            }
            Object::Var(var) => {
                let size = size_of(program.vars[var].ty.ty);
                zeroed &= program.vars[var].is_static();
                match keep[var] {
                    Keep::Cells => continue,
                    Keep::Immortal => immortal.push((Known::Var(var), size.unwrap_or(0))),
                    Keep::Again => {
                        again.push((Known::Var(var), size.unwrap_or(0)));
                        mortal = true;
                    }
                    Keep::Fresh => {
                        align = align.min(program.var_align(var));
                        elsewhere += 1;
                        mortal = true;
                        at_most_once = false;
                    }
                }
                size
            }
            Object::Allocated(edge) => {
                zeroed = false;
                at_most_once &= once.is_taken_once(edge);
                inputs |= is_input(program, edge);
                align = align.min(block_align(program, edge));
                let made = allocation(program, edge);
                blank |= !matches!(made, Some((Builtin::Calloc | Builtin::Outside, _)));
                match made {
                    Some((Builtin::Alloca, size)) => {
                        elsewhere += 1;
                        mortal = true;
                        size
                    }
                    Some((_, size)) => {
                        on_heap += 1;
                        size
                    }
                    None => {
                        on_heap += 1;
                        None
                    }
                }
            }
        };
        sizes.push(size);
    }
    let size = match sizes.first() {
        Some(&Some(first)) if sizes.iter().all(|s| *s == Some(first)) => Some(first),
        _ => None,
    };
    let (mut known, others): (Vec<_>, Vec<_>) =
        immortal.into_iter().partition(|(known, _)| is_constant(program, *known));
    let constants = known.len() as u64;
    known.extend(others);
    let immortals = known.len() as u64;
    known.extend(again);
    Region {
        stride: summary.stride / 8,
        slots,
        positions,
        known,
        immortal: immortals,
        constants,
        grows: on_heap + elsewhere > 0,
        once: at_most_once && on_heap + elsewhere == 1,
        mortal,
        size,
        align,
        inputs,
        heap: match (on_heap, elsewhere) {
            (0, _) => Heap::None,
            (_, 0) => Heap::All,
            _ => Heap::Some,
        },
        zeroed,
        blank,
    }
}

/// What the address of a new block is a multiple of: one from outside is aligned as the type of its pointer says.
fn block_align(program: &Program, edge: EdgeId) -> u64 {
    let Op::Call(call) = &program.cfa.edges[edge].op else { return 1 };
    let (Callee::Direct(f), Some(dest)) = (call.callee, call.dest) else { return 1 };
    match (program.functions[f].builtin, program.types.pointee(program.places[dest].ty)) {
        (Some(Builtin::Outside), Some(to)) => program.types.qual_align(to).unwrap_or(1),
        (Some(Builtin::Outside), None) => 1,
        _ => program.block_align(),
    }
}

/// Nothing may write to it.
fn is_constant(program: &Program, known: Known) -> bool {
    match known {
        Known::Var(var) => program.vars[var].is_constant(&program.types),
        Known::Function(_) => true,
    }
}

/// The edge makes the object of a pointer that is an input.
fn is_input(program: &Program, edge: EdgeId) -> bool {
    match &program.cfa.edges[edge].op {
        Op::Call(call) => match call.callee {
            Callee::Direct(f) => program.functions[f].name == tour_ir::program::INPUT_OBJECT,
            Callee::Indirect(_) => false,
        },
        _ => false,
    }
}

/// The library function that an edge calls to make an object, and the object's size if it is constant.
fn allocation(program: &Program, edge: EdgeId) -> Option<(Builtin, Option<u64>)> {
    let Op::Call(call) = &program.cfa.edges[edge].op else { return None };
    let Callee::Direct(f) = call.callee else { return None };
    let builtin = program.functions[f].builtin?;
    let constant = |i: usize| -> Option<u64> {
        let mut expr = *call.args.get(i)?;
        while let ExprKind::Cast(inner) = program.exprs[expr].kind {
            expr = inner;
        }
        // A negative number would be converted to something else.
        let value = program.int_type_of(expr)?.to_i128(program.const_value(expr)?);
        u64::try_from(value).ok().filter(|n| *n < 1 << 31)
    };
    let size = match builtin {
        Builtin::Malloc | Builtin::Outside | Builtin::Alloca => constant(0),
        Builtin::Calloc => constant(0).zip(constant(1)).and_then(|(a, b)| a.checked_mul(b)),
        Builtin::Realloc => constant(1),
        _ => None,
    };
    Some((builtin, size.filter(|n| *n < 1 << 31)))
}

/// How the accesses of a slot lie to each other.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Shape {
    /// They have all bits in common or none, and are of one kind.
    Typed,
    /// The same, but some are pointers and some are integers.
    Word,
    /// Anything else.
    Overlap,
}

/// Accesses that may touch the same bits share a slot.
fn slots(summary: &Summary, id: &dyn Fn(ClassId) -> RegionId) -> (Vec<Slot>, Vec<(Position, Scalar, u32)>) {
    let accesses: Vec<(Position, Scalar, classes::Access)> =
        summary.accesses.iter().map(|((at, scalar), access)| (*at, *scalar, *access)).collect();
    let mut group: Vec<usize> = (0..accesses.len()).collect();
    let mut shape = vec![Shape::Typed; accesses.len()];
    fn root(group: &mut [usize], mut i: usize) -> usize {
        while group[i] != i {
            group[i] = group[group[i]];
            i = group[i];
        }
        i
    }
    for i in 0..accesses.len() {
        for j in i..accesses.len() {
            let ((a, kind, _), (b, other, _)) = (accesses[i], accesses[j]);
            let relation = a.relation(b, summary.stride);
            if relation == Relation::Disjoint {
                continue;
            }
            let (x, y) = (root(&mut group, i), root(&mut group, j));
            let (small, large) = (x.min(y), x.max(y));
            group[large] = small;
            let both = match (kind, other) {
                _ if relation == Relation::Overlap => Shape::Overlap,
                _ if kind == other => Shape::Typed,
                (Scalar::Bits, Scalar::Pointer) | (Scalar::Pointer, Scalar::Bits) => Shape::Word,
                _ => Shape::Overlap,
            };
            shape[small] = shape[small].max(shape[large]).max(both);
        }
    }
    let mut slots: Vec<Slot> = Vec::new();
    let mut numbers: FxHashMap<usize, u32> = FxHashMap::default();
    let mut positions = Vec::with_capacity(accesses.len());
    for (i, (at, scalar, access)) in accesses.into_iter().enumerate() {
        let first = root(&mut group, i);
        let number = *numbers.entry(first).or_insert_with(|| {
            let layout = match shape[first] {
                Shape::Typed => Layout::Typed(scalar, at.size),
                Shape::Word => Layout::Word,
                Shape::Overlap => Layout::Bytes,
            };
            slots.push(Slot { layout, single: Some(at.first), content: None, read: summary.copied });
            slots.len() as u32 - 1
        });
        let slot = &mut slots[number as usize];
        if slot.layout == Layout::Bytes && scalar == Scalar::Pointer {
            slot.layout = Layout::Mixed;
        }
        slot.content = slot.content.or(access.content.map(id));
        slot.read |= access.read;
        let single = summary.stride == 0 && at.step == 0 && slot.layout != Layout::Bytes;
        slot.single = slot.single.filter(|first| single && *first == at.first);
        positions.push((at, scalar, number));
    }
    for slot in &mut slots {
        if !matches!(slot.layout, Layout::Typed(..) | Layout::Word) {
            slot.single = None;
        }
    }
    (slots, positions)
}
