//! Effective types: what an object is accessed as is a type that it has (strict aliasing).
//!
//! An object with a declaration has the types that its declaration gives it; a block of `malloc` has those that it was last
//! written as. An access through an lvalue of a character type is always fine, and so is one by a member of a union.
//! This is decided for each access beforehand, by the objects that its pointer may point to and the bytes that it may touch:
//!
//! - fine: all of them have there what the access takes them for, and nothing takes blocks for two things;
//! - wrong: all objects are declared, and none of them has there such a type;
//! - neither: it is not checked, and the verdict says so.
//!
//! Types that differ only in their sign or qualifiers are one. A member is accessed by a record: the object is such a
//! record, or has one in it.

use super::Condition;
use super::objects::{Objects, TypedPart, accesses, typed_parts};
use super::walk::Walk;
use crate::regions::{Position, RegionId};
use rustc_hash::FxHashMap;
use tour_ir::program::{
    Assumption, IntKind, PlaceId, PointerFact, Program, QualType, Rule, Type, TypeId, VarId,
};
use tour_ir::source::Span;

/// How a type counts.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
enum Class {
    /// Fine for everything.
    Character,
    /// A number, by a type that stands for it with and without sign.
    Number(TypeId),
    /// A pointer. Whether two of different types are one is left open.
    Pointer(TypeId),
    /// A type whose values are not modelled.
    Other,
}

/// What is known of an access.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Standing {
    Fine,
    Wrong,
    Open,
}

/// What lies in a region: declared parts, and accesses to blocks.
#[derive(Default)]
struct Contents {
    declared: Vec<(Position, Class)>,
    accessed: Vec<(Position, Class)>,
    /// Records that members are accessed by.
    records: Vec<TypeId>,
}

/// The accesses that are not fine.
#[derive(Default)]
pub(super) struct Effective {
    standing: FxHashMap<PlaceId, Standing>,
    /// The first access that is left open, by its place in the source.
    open: Option<Span>,
}

impl Effective {
    /// Looks at all accesses of a program.
    pub fn of(program: &Program, objects: &Objects) -> Effective {
        let kinds = Kinds::of(program);
        // Functions of the library know what their objects are.
        let mut all = accesses(program);
        all.retain(|(place, _)| !is_librarys(program, program.places[*place].span));
        let mut contents: FxHashMap<RegionId, Contents> = FxHashMap::default();
        for &(place, ty) in &all {
            let Some((region, at)) = objects.spot(program, place) else { continue };
            let contents =
                contents.entry(region).or_insert_with(|| declared(program, &kinds, objects, region));
            // Members of a union may overlap.
            if program.is_in_union(place) {
                continue;
            }
            for part in scalars(program, place, at, ty) {
                contents.accessed.push((part.at, kinds.class(program, part.ty.ty)));
            }
            contents.records.extend(record_of(program, place));
        }
        for contents in contents.values_mut() {
            contents.accessed.sort_unstable();
            contents.accessed.dedup();
            contents.records.sort_unstable();
            contents.records.dedup();
        }
        let mut found = Effective::default();
        // Types that may alias everything are not told from others.
        let may_alias = program.sources.units().any(|(_, unit)| unit.text.contains("may_alias"));
        for &(place, ty) in &all {
            let Some(pointer) = program.pointer_to(place) else { continue };
            let Some((region, at)) = objects.spot(program, place) else { continue };
            if objects.pointee(pointer).is_none() || program.is_in_union(place) {
                continue;
            }
            let blocks = objects.members(region).blocks;
            let stride = objects.stride(region);
            let standing = (scalars(program, place, at, ty).iter())
                .map(|part| {
                    let class = kinds.class(program, part.ty.ty);
                    contents[&region].standing(part.at, class, stride, blocks)
                })
                .chain(record_of(program, place).map(|record| {
                    let vars = &objects.members(region).vars;
                    contents[&region].record_standing(program, record, vars, blocks)
                }))
                .max_by_key(|standing| match standing {
                    Standing::Fine => 0,
                    Standing::Open => 1,
                    Standing::Wrong => 2,
                })
                .unwrap_or(Standing::Fine);
            let standing = if may_alias && standing == Standing::Wrong { Standing::Open } else { standing };
            if standing == Standing::Open {
                found.open.get_or_insert(program.places[place].span);
            }
            if standing != Standing::Fine {
                found.standing.insert(place, standing);
            }
        }
        found
    }

    /// What a proof takes for granted.
    pub fn assumption(&self) -> Option<Assumption> {
        let text =
            "objects are accessed as what they are where that could not be told beforehand (strict aliasing)";
        self.open.map(|span| Assumption { text: text.into(), span })
    }
}

impl Contents {
    /// Of an access to a member of a record: the object is such a record, or has one in it.
    fn record_standing(&self, program: &Program, record: TypeId, vars: &[VarId], blocks: bool) -> Standing {
        let declared = |var: &VarId| program.vars[*var].ty.ty;
        let fine = vars.iter().all(|var| contains(program, declared(var), record));
        let none = !vars.iter().any(|var| contains(program, declared(var), record));
        let bytes = vars.iter().any(|var| is_characters(program, declared(var)));
        // A block is what it was written as: of records that have nothing to do with each other, one is wrong.
        let related = |other: &TypeId| contains(program, *other, record) || contains(program, record, *other);
        let one = !blocks || self.records.iter().all(related);
        match (fine && one, none && !vars.is_empty() && !blocks && !bytes) {
            (true, _) => Standing::Fine,
            (false, true) => Standing::Wrong,
            (false, false) => Standing::Open,
        }
    }

    fn standing(&self, at: Position, class: Class, stride: u64, blocks: bool) -> Standing {
        if class == Class::Character {
            return Standing::Fine;
        }
        let touched = |other: &&(Position, Class)| other.0.may_touch(at, stride);
        let declared: Vec<Class> = self.declared.iter().filter(touched).map(|(_, class)| *class).collect();
        let fits = |other: &Class| *other == class;
        let mut fine = declared.iter().all(fits);
        let wrong = !declared.is_empty()
            && !declared.iter().any(|other| match (other, class) {
                (Class::Number(a), Class::Number(b)) => *a == b,
                (Class::Number(_), Class::Pointer(_)) | (Class::Pointer(_), Class::Number(_)) => false,
                // Bytes that stand for something else, and pointers of different types, are left open.
                _ => true,
            });
        if blocks {
            let characters = |other: &Class| *other == Class::Character || fits(other);
            fine &= self.accessed.iter().filter(touched).all(|(_, other)| characters(other));
        }
        match (fine, wrong && !blocks) {
            (true, _) => Standing::Fine,
            (false, true) => Standing::Wrong,
            (false, false) => Standing::Open,
        }
    }
}

/// Text of a function of ours.
fn is_librarys(program: &Program, span: Span) -> bool {
    let path = &program.sources.unit(span.unit).path;
    path.to_str().is_some_and(|path| path.starts_with(tour_ir::source::LIBRARY))
}

/// The record that a place is a member of, as its pointer says.
fn record_of(program: &Program, place: PlaceId) -> Option<TypeId> {
    let at = program.base(place);
    program.pointer_to(at)?;
    let ty = program.places[at].ty;
    (at != place && matches!(program.types[ty], Type::Record(_))).then_some(ty)
}

/// Something of a type is a record, or has one in it.
fn contains(program: &Program, ty: TypeId, record: TypeId) -> bool {
    let mut work = vec![ty];
    while let Some(ty) = work.pop() {
        if ty == record {
            return true;
        }
        match &program.types[ty] {
            Type::Array(of, _) => work.push(of.ty),
            Type::Record(id) => {
                work.extend(program.types.records[*id].fields.iter().map(|field| field.ty.ty))
            }
            _ => {}
        }
    }
    false
}

/// An array of characters, which often stands for something else.
fn is_characters(program: &Program, mut ty: TypeId) -> bool {
    while let Type::Array(of, _) = program.types[ty] {
        ty = of.ty;
    }
    matches!(program.types.int_kind(ty), Some(IntKind::Char | IntKind::SChar | IntKind::UChar))
}

/// The parts of the declared objects of a region.
fn declared(program: &Program, kinds: &Kinds, objects: &Objects, region: RegionId) -> Contents {
    let mut contents = Contents::default();
    for &var in &objects.members(region).vars {
        for part in typed_parts(program, Position::START, program.vars[var].ty) {
            contents.declared.push((part.at, kinds.class(program, part.ty.ty)));
        }
    }
    contents.declared.sort_unstable();
    contents.declared.dedup();
    contents
}

/// The scalars that an access touches.
fn scalars(program: &Program, place: PlaceId, at: Position, ty: TypeId) -> Vec<TypedPart> {
    match program.bit_field(place) {
        Some(bits) => vec![TypedPart { at: at.sized(u64::from(bits.width)), ty: QualType::from(ty) }],
        None => typed_parts(program, at, ty.into()),
    }
}

/// Which types are one.
struct Kinds {
    signed: FxHashMap<IntKind, TypeId>,
}

impl Kinds {
    fn of(program: &Program) -> Kinds {
        let mut signed = FxHashMap::default();
        for ty in program.types.ids() {
            if let Type::Int(kind) = program.types[ty] {
                signed.entry(with_sign(kind)).or_insert(ty);
            }
        }
        Kinds { signed }
    }

    fn class(&self, program: &Program, ty: TypeId) -> Class {
        match program.types[ty] {
            Type::Int(IntKind::Char | IntKind::SChar | IntKind::UChar) => Class::Character,
            Type::Int(_) | Type::Enum(_) => {
                let kind = program.types.int_kind(ty).map(with_sign);
                kind.and_then(|kind| self.signed.get(&kind))
                    .map_or(Class::Number(ty), |ty| Class::Number(*ty))
            }
            Type::Float(_) => Class::Number(ty),
            Type::Pointer(to) => Class::Pointer(to.ty),
            _ => Class::Other,
        }
    }
}

/// The signed type of the same width.
fn with_sign(kind: IntKind) -> IntKind {
    match kind {
        IntKind::UShort => IntKind::Short,
        IntKind::UInt => IntKind::Int,
        IntKind::ULong => IntKind::Long,
        IntKind::ULongLong => IntKind::LongLong,
        IntKind::UInt128 => IntKind::Int128,
        IntKind::UChar | IntKind::Char => IntKind::SChar,
        same => same,
    }
}

impl Walk<'_> {
    /// An access by a pointer: the object is what it is taken for.
    pub fn typed(&mut self, place: PlaceId, what: &str) {
        let Some(pointer) = self.program().pointer_to(place).filter(|_| self.wants(Rule::EffectiveType))
        else {
            return;
        };
        if self.effective().standing.get(&place) != Some(&Standing::Wrong) {
            return;
        }
        let span = self.program().places[place].span;
        let ty = self.program().show_type(self.program().places[place].ty);
        let alive = self.build_at(span).test_fact(PointerFact::Alive, pointer, true);
        let message = format!("{what} as `{ty}`, which its object is not");
        self.violates_at(Rule::EffectiveType, Condition::All(vec![alive]), message, span);
    }
}
