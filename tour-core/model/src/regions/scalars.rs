//! The scalars that a type is made of.

use super::position::Position;
use tour_ir::program::{ArrayLen, FloatKind, PlaceId, PlaceKind, Program, Type, TypeId};

/// How a scalar is stored.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Scalar {
    /// Bits: an integer, or a bit-field.
    Bits,
    /// A floating number of a format that formulas have.
    Float,
    /// A pointer.
    Pointer,
}

/// A scalar inside a type: where, and what.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Part {
    /// Where.
    pub at: Position,
    /// How it is stored.
    pub scalar: Scalar,
}

/// How values of a scalar type are stored, and in how many bits; `None` for types whose values are not modelled.
pub fn scalar(program: &Program, ty: TypeId) -> Option<(Scalar, u64)> {
    let kind = match &program.types[ty] {
        Type::Int(_) | Type::Enum(_) => Scalar::Bits,
        Type::Float(FloatKind::Float | FloatKind::Double) => Scalar::Float,
        Type::Pointer(_) => Scalar::Pointer,
        Type::Float(FloatKind::LongDouble | FloatKind::Float128)
        | Type::Void
        | Type::Array(..)
        | Type::Record(_)
        | Type::Function(_)
        | Type::Opaque { .. } => return None,
    };
    Some((kind, program.types.size(ty)?.checked_mul(8)?))
}

/// How many elements an index may choose from. An array of at most one element may be the head of a longer one at the
/// end of a record, so nothing bounds it.
pub fn bound(len: ArrayLen) -> Option<u64> {
    match len {
        ArrayLen::Fixed(n) if n > 1 => Some(n),
        ArrayLen::Fixed(_) | ArrayLen::Unknown | ArrayLen::Variable(_) => None,
    }
}

/// Where a member or an element lies, if what it is a part of lies at `at`.
pub(super) fn part_at(program: &Program, place: PlaceId, at: Position) -> Position {
    let node = &program.places[place];
    match node.kind {
        PlaceKind::Var(_) | PlaceKind::Deref(_) => at,
        PlaceKind::Field(base, index) => {
            let offset = match &program.types[program.places[base].ty] {
                Type::Record(id) => program.types.records[*id]
                    .fields
                    .get(index as usize)
                    .map_or(0, |f| f.bits.map_or(f.offset.saturating_mul(8), |b| b.offset)),
                _ => 0,
            };
            at.field(offset)
        }
        PlaceKind::Index(base, index) => {
            let len = program.types.element(program.places[base].ty).map(|(_, len)| len);
            match (program.types.size(node.ty), program.const_value(index), len) {
                // The first element needs no index.
                (_, Some(0), _) => at,
                (Some(size), _, Some(len)) => at.element(size.saturating_mul(8), bound(len)),
                _ => at.element(8, None),
            }
        }
    }
}

/// All scalars of an object of type `ty` that lies at `at`. Elements of one array are one part. Members of unions all
/// count. Types without modelled values have no parts.
pub(crate) fn parts(program: &Program, at: Position, ty: TypeId) -> Vec<Part> {
    let mut parts = Vec::new();
    let mut work = vec![(at, ty)];
    while let Some((at, ty)) = work.pop() {
        match &program.types[ty] {
            Type::Array(of, len) => {
                let count = match len {
                    ArrayLen::Fixed(n) => Some(*n),
                    ArrayLen::Unknown | ArrayLen::Variable(_) => None,
                };
                if let Some(size) = program.types.size(of.ty) {
                    work.push((at.element(size.saturating_mul(8), count), of.ty));
                }
            }
            Type::Record(id) => {
                for field in program.types.records[*id].fields.iter().rev() {
                    match field.bits {
                        Some(bits) => parts.push(Part {
                            at: at.field(bits.offset).sized(u64::from(bits.width)),
                            scalar: Scalar::Bits,
                        }),
                        None => work.push((at.field(field.offset.saturating_mul(8)), field.ty.ty)),
                    }
                }
            }
            _ => {
                if let Some((kind, size)) = scalar(program, ty) {
                    parts.push(Part { at: at.sized(size), scalar: kind });
                }
            }
        }
    }
    parts
}
