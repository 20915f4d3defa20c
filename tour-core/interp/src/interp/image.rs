//! A program made ready to run: where each variable lives, and places and types with their offsets and sizes.
//!
//! Scalars whose address is never taken live in slots; everything else is an object in memory.

use super::layout::Layout;
use super::memory::{ALIGN, GAP};
use index_vec::IndexVec;
use std::borrow::Cow;
use std::ops::Deref;
use std::sync::Arc;
use tour_ir::prepared::{Fact, Prepared};
use tour_ir::program::{
    ArrayLen, BitField, ExprId, ExprKind, FloatKind, FnId, InitItem, IntType, PlaceId, PlaceKind, Program,
    Storage, Type, TypeId, VarId,
};

/// How the values of a type are held.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Repr {
    Int {
        int: IntType,
        size: u64,
    },
    Float32,
    Float64,
    /// The size of what it points to; `None` if it must be computed or is not known.
    Pointer {
        stride: Option<u64>,
    },
    /// A record, or an array of known length.
    Bytes(u64),
    /// An array whose size is known at run time only.
    Variable,
    /// No values, or values that are not modelled.
    Opaque,
}

/// Where a variable lives.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Home {
    StaticSlot(u32),
    FrameSlot(u32),
    /// A static object, by its index in memory.
    Static(u32),
    /// An object of the frame, by its number there.
    FrameObject(u32),
}

/// One step to a place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Path {
    Var(Home),
    Deref(ExprId),
    Field(PlaceId, u64),
    Bits(PlaceId, BitField),
    /// Index, the size of an element if it is constant, and the length of the array if an index must be below it.
    Index(PlaceId, ExprId, Option<u64>, Option<u64>),
    /// A place that no well-formed program has.
    Malformed,
}

/// An object of a frame.
#[derive(Clone, Copy, Debug)]
pub(super) struct FrameObject {
    pub var: VarId,
    /// `None`: known when it is declared.
    pub size: Option<u64>,
    /// From the frame's address.
    pub offset: u64,
}

/// What a function's frame holds.
#[derive(Clone, Debug, Default)]
pub(super) struct FrameShape {
    pub slots: u32,
    pub objects: Vec<FrameObject>,
    /// Bytes of stack.
    pub size: u64,
    /// What its address must be a multiple of, if more than usual.
    pub align: u64,
}

/// A static object.
#[derive(Clone, Copy, Debug)]
pub(super) struct StaticObject {
    pub var: VarId,
    /// `None`: another program part knows.
    pub size: Option<u64>,
    pub align: u64,
    /// It is a string literal.
    pub literal: Option<Literal>,
    /// Its address, where that is laid down.
    pub address: Option<u64>,
}

/// Where a string literal lies: literals that end alike share their bytes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Literal {
    /// The first static object of those.
    pub first: u32,
    /// From the beginning of the longest one.
    pub at: u64,
    /// The size of the longest one.
    pub room: u64,
}

/// Which bytes of a type hold values.
#[derive(Clone, Debug)]
enum ValueBytes {
    All,
    Some(Vec<bool>),
    /// It is found out when it is asked for.
    Large,
}

/// Of larger records it is not remembered which bytes are padding.
const MAX_REMEMBERED: u64 = 4096;

/// A program made ready to run; it can be run many times.
#[derive(Clone, Debug)]
pub struct Image<'p> {
    pub(super) program: &'p Program,
    shape: Arc<Shape>,
    pub(super) layout: Layout,
}

/// Where everything of a program lives.
#[derive(Clone, Debug)]
pub struct Shape {
    pub(super) reprs: IndexVec<TypeId, Repr>,
    pub(super) homes: IndexVec<VarId, Home>,
    pub(super) paths: IndexVec<PlaceId, Path>,
    pub(super) frames: IndexVec<FnId, FrameShape>,
    pub(super) statics: Vec<StaticObject>,
    pub(super) static_slots: Vec<VarId>,
    value_bytes: IndexVec<TypeId, ValueBytes>,
}

impl Fact for Shape {
    fn of(program: &Prepared) -> Shape {
        Shape::new(program)
    }
}

impl Deref for Image<'_> {
    type Target = Shape;

    fn deref(&self) -> &Shape {
        &self.shape
    }
}

impl<'p> Image<'p> {
    /// Makes a program ready.
    pub fn new(program: &'p Program) -> Image<'p> {
        Image { program, shape: Arc::new(Shape::new(program)), layout: Layout::default() }
    }

    /// The image of a program that is made ready once.
    pub fn of(program: &'p Prepared) -> Image<'p> {
        Image { program, shape: program.fact(), layout: Layout::default() }
    }

    /// The program.
    pub fn program(&self) -> &'p Program {
        self.program
    }

    /// Its shape, to be changed.
    pub(super) fn shape_mut(&mut self) -> &mut Shape {
        Arc::make_mut(&mut self.shape)
    }

    /// Which bytes of a type hold values; `None` if all do.
    pub(super) fn value_bytes(&self, ty: TypeId) -> Option<Cow<'_, [bool]>> {
        match &self.value_bytes[ty] {
            ValueBytes::All => None,
            ValueBytes::Some(used) => Some(Cow::Borrowed(used)),
            ValueBytes::Large => self.program.types.value_bytes(ty).map(Cow::Owned),
        }
    }
}

impl Shape {
    fn new(program: &Program) -> Shape {
        let shape = Shape {
            reprs: program.types.ids().map(|ty| repr(program, ty)).collect(),
            homes: IndexVec::new(),
            paths: IndexVec::new(),
            frames: program.functions.iter().map(|_| FrameShape::default()).collect(),
            statics: Vec::new(),
            static_slots: Vec::new(),
            value_bytes: program.types.ids().map(|ty| value_bytes(program, ty)).collect(),
        };
        let mut shaping = Shaping { program, shape };
        let addressed = addressed(program);
        for (var, is_addressed) in addressed.iter_enumerated() {
            let home = shaping.home(var, *is_addressed);
            shaping.shape.homes.push(home);
        }
        shaping.share_literals();
        shaping.shape.paths = program.places.indices().map(|place| shaping.path(place)).collect();
        shaping.shape
    }
}

/// A shape that is being made.
struct Shaping<'p> {
    program: &'p Program,
    shape: Shape,
}

impl Shaping<'_> {
    fn home(&mut self, var: VarId, addressed: bool) -> Home {
        let v = &self.program.vars[var];
        let ty = v.ty.ty;
        let in_slot = !addressed
            && match self.shape.reprs[ty] {
                Repr::Int { .. } | Repr::Float32 | Repr::Float64 | Repr::Pointer { .. } => true,
                Repr::Bytes(_) | Repr::Variable | Repr::Opaque => false,
            };
        let size = self.program.types.object_size(ty);
        let natural = self.program.types.qual_align(v.ty).unwrap_or(1);
        let align = v.align.unwrap_or(1).max(natural).max(ALIGN).next_power_of_two();
        match v.function() {
            None if in_slot => {
                self.shape.static_slots.push(var);
                Home::StaticSlot(self.shape.static_slots.len() as u32 - 1)
            }
            None => {
                let size = match v.storage {
                    Storage::Global { defined: false } => size,
                    _ => size.map(|size| size.max(self.initialised_size(var))),
                };
                self.shape.statics.push(StaticObject { var, size, align, literal: None, address: None });
                Home::Static(self.shape.statics.len() as u32 - 1)
            }
            Some(f) if in_slot => {
                let frame = &mut self.shape.frames[f];
                frame.slots += 1;
                Home::FrameSlot(frame.slots - 1)
            }
            Some(f) => {
                let frame = &mut self.shape.frames[f];
                let offset = frame.size.next_multiple_of(align);
                frame.size = offset.saturating_add(size.unwrap_or(0)).saturating_add(GAP);
                frame.align = frame.align.max(align);
                frame.objects.push(FrameObject { var, size, offset });
                Home::FrameObject(frame.objects.len() as u32 - 1)
            }
        }
    }

    /// Lays string literals that are the end of others into them, as linkers do.
    fn share_literals(&mut self) {
        // Read backwards, the end of a text is a beginning: sorted, it comes right before a text that goes on.
        let mut literals: Vec<(u64, Vec<u8>, u32)> = Vec::new();
        for (index, object) in self.shape.statics.iter().enumerate() {
            let Some((element, mut bytes)) = literal(self.program, object.var) else { continue };
            if object.size == Some(bytes.len() as u64) {
                bytes.reverse();
                literals.push((element, bytes, index as u32));
            }
        }
        literals.sort_unstable();
        let is_end = |a: &(u64, Vec<u8>, u32), b: &(u64, Vec<u8>, u32)| a.0 == b.0 && b.1.starts_with(&a.1);
        for group in literals.chunk_by(is_end) {
            let Some(first) = group.iter().map(|(.., index)| *index).min() else { continue };
            let room = group.iter().map(|(_, bytes, _)| bytes.len()).max().unwrap_or(0) as u64;
            for (_, bytes, index) in group {
                let at = room - bytes.len() as u64;
                self.shape.statics[*index as usize].literal = Some(Literal { first, at, room });
            }
        }
    }

    /// How far the initialiser of a static variable reaches: past its type's size if a flexible array member is
    /// initialised.
    fn initialised_size(&self, var: VarId) -> u64 {
        let items = self.program.vars[var].init.iter().flat_map(|init| &init.items);
        let end = |item: &InitItem| match item {
            InitItem::Value { place, .. } => {
                let size = self.program.types.size(self.program.places[*place].ty)?;
                Some(self.constant_offset(*place)? + size)
            }
            InitItem::Bytes { place, bytes } => Some(self.constant_offset(*place)? + bytes.len() as u64),
        };
        items.filter_map(end).max().unwrap_or(0)
    }

    fn constant_offset(&self, place: PlaceId) -> Option<u64> {
        match self.path(place) {
            Path::Var(_) => Some(0),
            Path::Field(base, offset) => Some(self.constant_offset(base)? + offset),
            Path::Bits(..) | Path::Deref(_) | Path::Malformed => None,
            Path::Index(base, index, stride, _) => {
                let index = u64::try_from(self.program.const_value(index)?).ok()?;
                self.constant_offset(base)?.checked_add(index.checked_mul(stride?)?)
            }
        }
    }

    fn path(&self, place: PlaceId) -> Path {
        let types = &self.program.types;
        match self.program.places[place].kind {
            // While homes are assigned, only the fact that it is a variable counts.
            PlaceKind::Var(var) => Path::Var(self.shape.homes.get(var).copied().unwrap_or(Home::Static(0))),
            PlaceKind::Deref(pointer) => Path::Deref(pointer),
            PlaceKind::Field(base, field) => match types[self.program.places[base].ty] {
                Type::Record(record) => match types.records[record].fields.get(field as usize) {
                    Some(field) => match field.bits {
                        Some(bits) => Path::Bits(base, bits),
                        None => Path::Field(base, field.offset),
                    },
                    None => Path::Malformed,
                },
                _ => Path::Malformed,
            },
            PlaceKind::Index(base, index) => {
                let len = match types.element(self.program.places[base].ty) {
                    Some((_, ArrayLen::Fixed(len))) if !self.program.ends_object(base) => Some(len),
                    _ => None,
                };
                Path::Index(base, index, types.size(self.program.places[place].ty), len)
            }
        }
    }
}

fn repr(program: &Program, ty: TypeId) -> Repr {
    let types = &program.types;
    match &types[ty] {
        Type::Void | Type::Function(_) => Repr::Opaque,
        Type::Int(_) | Type::Enum(_) => match (types.int_type(ty), types.size(ty)) {
            (Some(int), Some(size)) => Repr::Int { int, size },
            _ => Repr::Opaque,
        },
        Type::Float(FloatKind::Float) => Repr::Float32,
        Type::Float(FloatKind::Double) => Repr::Float64,
        Type::Float(FloatKind::LongDouble | FloatKind::Float128) | Type::Opaque { .. } => Repr::Opaque,
        Type::Pointer(to) => Repr::Pointer {
            stride: match types[to.ty] {
                Type::Void | Type::Function(_) => Some(1),
                _ => types.size(to.ty),
            },
        },
        Type::Array(_, ArrayLen::Fixed(_)) | Type::Record(_) => match types.size(ty) {
            Some(size) => Repr::Bytes(size),
            // An array of variable-length arrays, or an incomplete record.
            None if matches!(types[ty], Type::Array(..)) => Repr::Variable,
            None => Repr::Opaque,
        },
        Type::Array(_, ArrayLen::Variable(_)) => Repr::Variable,
        Type::Array(_, ArrayLen::Unknown) => Repr::Opaque,
    }
}

fn value_bytes(program: &Program, ty: TypeId) -> ValueBytes {
    let mut element = ty;
    while let Some((of, _)) = program.types.element(element) {
        element = of.ty;
    }
    let padded =
        matches!(program.types[element], Type::Record(_)) && program.types.value_bytes(element).is_some();
    match program.types.size(ty) {
        Some(size) if padded && size <= MAX_REMEMBERED => {
            program.types.value_bytes(ty).map_or(ValueBytes::All, ValueBytes::Some)
        }
        Some(_) if padded => ValueBytes::Large,
        _ => ValueBytes::All,
    }
}

/// The size of an element and the bytes of a string literal.
fn literal(program: &Program, var: VarId) -> Option<(u64, Vec<u8>)> {
    let var = &program.vars[var];
    let (element, _) = program.types.element(var.ty.ty).filter(|_| var.is_text())?;
    match &var.init.as_ref()?.items[..] {
        [InitItem::Bytes { bytes, .. }] => Some((program.types.size(element.ty)?, bytes.to_vec())),
        _ => None,
    }
}

/// Which variables have their address taken: by the program text itself, so that hand-made programs are right too.
fn addressed(program: &Program) -> IndexVec<VarId, bool> {
    let mut addressed: IndexVec<VarId, bool> = program.vars.iter().map(|v| v.address_taken).collect();
    for expr in &program.exprs {
        if let ExprKind::AddrOf(place) = expr.kind
            && let Some(var) = program.root(place)
        {
            addressed[var] = true;
        }
    }
    addressed
}
