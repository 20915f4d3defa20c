//! Locks and the like as variables of their own. The system's headers declare them as unions, which lie in memory; where
//! all operations on a kind of them name the object, each becomes a plain record that nothing else can reach. If something
//! else does (a record around it is copied, its address is a value, another member of a union lies there), all locks of
//! its kind stay where they are, in memory.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use tour_ir::program::{
    Call, Callee, ExprId, ExprKind, Init, InitItem, Op, Place, PlaceId, PlaceKind, Program, Type, TypeId,
    VarId,
};
use tour_ir::source::Span;

/// The records that the library declares for them.
const PREFIX: &str = "__tour_";

/// The variable is one that stands for a lock.
pub(super) fn is_lock(program: &Program, var: VarId) -> bool {
    kind_of(program, program.vars[var].ty.ty).is_some()
}

/// The kind of lock that a type is, by the library's name for it.
fn kind_of(program: &Program, ty: TypeId) -> Option<String> {
    let Type::Record(record) = program.types[ty] else { return None };
    program.types.records[record].tag.clone().filter(|tag| tag.starts_with(PREFIX))
}

/// A place whose position is known: its variable and how many bytes from its beginning.
pub(super) fn constant_place(program: &Program, place: PlaceId) -> Option<(VarId, u64)> {
    match program.places[place].kind {
        PlaceKind::Var(var) => Some((var, 0)),
        PlaceKind::Deref(_) => None,
        PlaceKind::Field(base, index) => {
            let (var, offset) = constant_place(program, base)?;
            let Type::Record(id) = program.types[program.places[base].ty] else { return None };
            let field = program.types.records[id].fields.get(index as usize)?;
            field.bits.is_none().then(|| (var, offset + field.offset))
        }
        PlaceKind::Index(base, index) => {
            let (var, offset) = constant_place(program, base)?;
            let size = program.types.size(program.places[place].ty)?;
            let index = u64::try_from(program.const_value(index)?).ok()?;
            Some((var, offset.checked_add(index.checked_mul(size)?)?))
        }
    }
}

/// The objects that were found.
pub(super) struct Objects<'a> {
    in_memory: &'a BTreeSet<String>,
    /// By kind, variable and offset.
    made: BTreeMap<(String, VarId, u64), VarId>,
    /// Kinds that pointers reach which are not constant, or whose bytes are accessed otherwise.
    pub dynamic: BTreeSet<String>,
}

impl<'a> Objects<'a> {
    /// None yet. Kinds that lie in memory stay there.
    pub fn new(in_memory: &'a BTreeSet<String>) -> Objects<'a> {
        Objects { in_memory, made: BTreeMap::new(), dynamic: BTreeSet::new() }
    }

    /// The variable that stands for what a pointer points to, if its type is that of a lock.
    pub fn at(&mut self, program: &mut Program, pointer: ExprId, ty: TypeId, span: Span) -> Option<PlaceId> {
        let tag = kind_of(program, ty)?;
        if self.in_memory.contains(&tag) {
            return None;
        }
        let mut pointer = pointer;
        while let ExprKind::Cast(inner) = program.exprs[pointer].kind {
            pointer = inner;
        }
        let found = match program.exprs[pointer].kind {
            ExprKind::AddrOf(place) => constant_place(program, place),
            ExprKind::Int(0) => return None,
            _ => None,
        };
        let Some((var, offset)) = found.filter(|(var, _)| program.vars[*var].is_static()) else {
            self.dynamic.insert(tag);
            return None;
        };
        let name = program.vars[var].name.clone();
        let object = *self.made.entry((tag, var, offset)).or_insert_with(|| {
            let name = if offset == 0 { name } else { format!("{name}+{offset}") };
            program.add_static(name, ty, span)
        });
        Some(program.places.push(Place { kind: PlaceKind::Var(object), ty, span }))
    }

    /// Gives the objects the values that their initialisers say.
    pub fn give_values(&mut self, program: &mut Program) {
        for ((tag, var, offset), &object) in &self.made {
            let Some(init) = program.vars[*var].init.clone() else { continue };
            let Type::Record(record) = program.types[program.vars[object].ty.ty] else { continue };
            let fields = program.types.records[record].fields.clone();
            let own = *offset..*offset + program.types.size(program.vars[object].ty.ty).unwrap_or(0);
            let mut items = Vec::new();
            for item in &init.items {
                let (place, number) = match item {
                    InitItem::Value { place, value } => (*place, program.const_value(*value)),
                    InitItem::Bytes { place, .. } => (*place, None),
                };
                let Some(at) = bytes(program, place).filter(|at| overlap(at, &own)) else { continue };
                if number == Some(0) {
                    continue;
                }
                let field = fields.iter().position(|f| {
                    offset + f.offset == at.start && program.types.size(f.ty.ty) == Some(at.end - at.start)
                });
                let (Some(field), Some(number)) = (field, number) else {
                    self.dynamic.insert(tag.clone());
                    continue;
                };
                let (ty, span) = (fields[field].ty.ty, program.places[place].span);
                let whole = program.var_place(object, span);
                let place =
                    program.places.push(Place { kind: PlaceKind::Field(whole, field as u32), ty, span });
                let value = program.int(number as i128, ty, span);
                items.push(InitItem::Value { place, value });
            }
            if !items.is_empty() {
                program.vars[object].init = Some(Init { items });
            }
        }
    }

    /// Notes the kinds of objects whose bytes something else accesses, or can.
    pub fn find_exposed(&mut self, program: &Program) {
        let mut seen = Exposed { program, accessed: Vec::new(), addressed: BTreeSet::new() };
        for edge in &program.cfa.edges {
            seen.op(&edge.op);
        }
        let globals = program.globals.iter().filter_map(|var| program.vars[*var].init.as_ref());
        for item in globals.flat_map(|init| &init.items) {
            if let InitItem::Value { value, .. } = item {
                seen.expr(*value);
            }
        }
        let range = |offset: u64, object: VarId| {
            offset..offset + program.types.size(program.vars[object].ty.ty).unwrap_or(0)
        };
        for ((tag, var, offset), &object) in &self.made {
            let own = range(*offset, object);
            let touched = |place: &PlaceId| match bytes(program, *place) {
                Some(at) => overlap(&at, &own),
                None => true,
            };
            let others = self
                .made
                .iter()
                .any(|((_, v, o), &other)| v == var && other != object && overlap(&range(*o, other), &own));
            let mut accessed = seen.accessed.iter().filter(|place| program.root(**place) == Some(*var));
            if others || seen.addressed.contains(var) || accessed.any(touched) {
                self.dynamic.insert(tag.clone());
            }
        }
    }
}

/// The bytes of its variable that a place is; `None` if that is not known.
fn bytes(program: &Program, place: PlaceId) -> Option<Range<u64>> {
    let (_, first) = constant_place(program, place)?;
    Some(first..first + program.types.size(program.places[place].ty)?)
}

fn overlap(a: &Range<u64>, b: &Range<u64>) -> bool {
    a.start < b.end && b.start < a.end
}

/// What operations access by name, and the variables whose addresses are values.
struct Exposed<'p> {
    program: &'p Program,
    accessed: Vec<PlaceId>,
    addressed: BTreeSet<VarId>,
}

impl Exposed<'_> {
    fn op(&mut self, op: &Op) {
        match op {
            Op::Nop | Op::Return(None) | Op::Declare(_) | Op::Expire(_) | Op::Unsupported(_) => {}
            Op::Assign(place, value) => {
                self.place(*place);
                self.expr(*value);
            }
            Op::Assume { cond: value, .. } | Op::Return(Some(value)) => self.expr(*value),
            Op::Havoc(place, _) => self.place(*place),
            Op::Call(Call { callee, args, dest }) => {
                if let Callee::Indirect(pointer) = callee {
                    self.expr(*pointer);
                }
                args.iter().for_each(|arg| self.expr(*arg));
                dest.iter().for_each(|dest| self.place(*dest));
            }
        }
    }

    fn expr(&mut self, expr: ExprId) {
        match self.program.exprs[expr].kind {
            ExprKind::Int(_) | ExprKind::Float(_) | ExprKind::Zeroed | ExprKind::FnAddr(_) => {}
            ExprKind::Load(place) => self.place(place),
            ExprKind::AddrOf(place) => {
                self.addressed.extend(self.program.root(place));
                self.position(place);
            }
            ExprKind::Unary(_, a) | ExprKind::Cast(a) | ExprKind::Fact(_, a) => self.expr(a),
            ExprKind::Binary(_, a, b) => {
                self.expr(a);
                self.expr(b);
            }
        }
    }

    fn place(&mut self, place: PlaceId) {
        self.accessed.push(place);
        self.position(place);
    }

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
}
