//! Sizes, alignments and record layouts by data model (System V ABI for i386 and x86-64).

use super::{
    ArrayLen, BitField, Field, FloatKind, IntKind, IntType, QualType, RecordKind, Type, TypeId, Types,
};
use crate::choice::Choice;
use serde::{Deserialize, Serialize};

/// Sizes of `int`, `long` and pointers.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum DataModel {
    /// int, long and pointers have 32 bits.
    Ilp32,
    /// int has 32 bits, long and pointers have 64.
    #[default]
    Lp64,
}

impl Choice for DataModel {
    fn all() -> Vec<(DataModel, &'static str, &'static str)> {
        vec![
            (DataModel::Ilp32, "ilp32", "int, long and pointers have 32 bits"),
            (DataModel::Lp64, "lp64", "int has 32 bits, long and pointers have 64"),
        ]
    }
}

impl DataModel {
    /// Bits of a pointer.
    pub fn pointer_bits(self) -> u32 {
        match self {
            DataModel::Ilp32 => 32,
            DataModel::Lp64 => 64,
        }
    }

    /// Bytes of a pointer.
    pub fn pointer_bytes(self) -> u64 {
        u64::from(self.pointer_bits() / 8)
    }

    /// Width and sign of an integer type. `_Bool` is one bit wide as a value (its storage is a byte).
    pub fn int_type(self, kind: IntKind) -> IntType {
        let (bits, signed) = match kind {
            IntKind::Bool => (1, false),
            IntKind::Char | IntKind::SChar => (8, true),
            IntKind::UChar => (8, false),
            IntKind::Short => (16, true),
            IntKind::UShort => (16, false),
            IntKind::Int => (32, true),
            IntKind::UInt => (32, false),
            IntKind::Long => (self.pointer_bits(), true),
            IntKind::ULong => (self.pointer_bits(), false),
            IntKind::LongLong => (64, true),
            IntKind::ULongLong => (64, false),
            IntKind::Int128 => (128, true),
            IntKind::UInt128 => (128, false),
            IntKind::Field { bits, signed } => (u32::from(bits), signed),
        };
        IntType { bits, signed }
    }

    /// The kind of `size_t`.
    pub fn size_kind(self) -> IntKind {
        match self {
            DataModel::Ilp32 => IntKind::UInt,
            DataModel::Lp64 => IntKind::ULong,
        }
    }

    /// The kind of `ptrdiff_t`.
    pub fn ptrdiff_kind(self) -> IntKind {
        match self {
            DataModel::Ilp32 => IntKind::Int,
            DataModel::Lp64 => IntKind::Long,
        }
    }

    fn float(self, kind: FloatKind) -> (u64, u64) {
        match (kind, self) {
            (FloatKind::Float, _) => (4, 4),
            (FloatKind::Double, DataModel::Ilp32) => (8, 4),
            (FloatKind::Double, DataModel::Lp64) => (8, 8),
            (FloatKind::LongDouble, DataModel::Ilp32) => (12, 4),
            (FloatKind::LongDouble, DataModel::Lp64) | (FloatKind::Float128, _) => (16, 16),
        }
    }
}

impl Types {
    /// Size and alignment in bytes, as they count inside a record; `None` for incomplete types, functions and
    /// variable-length arrays. `void` has none either (GNU arithmetic on `void *` is the caller's affair).
    pub fn size_align(&self, ty: TypeId) -> Option<(u64, u64)> {
        let model = self.model();
        match &self[ty] {
            Type::Void | Type::Function(_) => None,
            Type::Int(_) | Type::Enum(_) => {
                let kind = self.int_kind(ty)?;
                let size = u64::from(model.int_type(kind).bits.div_ceil(8)).next_power_of_two();
                let align = match (kind, model) {
                    (IntKind::LongLong | IntKind::ULongLong, DataModel::Ilp32) => 4,
                    _ => size,
                };
                Some((size, align))
            }
            Type::Float(kind) => Some(model.float(*kind)),
            Type::Pointer(_) => Some((model.pointer_bytes(), model.pointer_bytes())),
            Type::Array(of, ArrayLen::Fixed(n)) => {
                let (size, align) = self.qual_size_align(*of)?;
                Some((size.checked_mul(*n)?, align))
            }
            Type::Array(_, ArrayLen::Unknown | ArrayLen::Variable(_)) => None,
            Type::Record(id) => {
                let record = &self.records[*id];
                record.complete.then_some((record.size, record.align))
            }
            Type::Opaque { size, align, .. } => Some((*size, *align)),
        }
    }

    /// Size and alignment of a qualified type: a typedef's own alignment replaces the natural one, and an atomic
    /// object of 1, 2, 4, 8 or 16 bytes is aligned to its size.
    pub fn qual_size_align(&self, ty: QualType) -> Option<(u64, u64)> {
        let (size, align) = self.size_align(ty.ty)?;
        Some((size, self.adjust_align(ty, size, align)))
    }

    fn adjust_align(&self, ty: QualType, size: u64, align: u64) -> u64 {
        match ty.quals.align {
            Some(asked) => u64::from(asked),
            None if ty.quals.atomic && matches!(size, 1 | 2 | 4 | 8 | 16) => align.max(size),
            None => align,
        }
    }

    /// Size in bytes, if known.
    pub fn size(&self, ty: TypeId) -> Option<u64> {
        self.size_align(ty).map(|(size, _)| size)
    }

    /// Bytes that an object of the type takes: its size and, where an initialiser gave a flexible array member a
    /// length, those elements too.
    pub fn object_size(&self, ty: TypeId) -> Option<u64> {
        let size = self.size(ty)?;
        let Type::Record(id) = self[ty] else { return Some(size) };
        let end = self.records[id].fields.last().and_then(|last| Some(last.offset + self.size(last.ty.ty)?));
        Some(size.max(end.unwrap_or(0)))
    }

    /// Which bytes of a type hold values rather than being padding; `None` if all do, or if the size is not known. Of a
    /// byte with a bit-field, all bits count: a store to the field keeps the others.
    pub fn value_bytes(&self, ty: TypeId) -> Option<Vec<bool>> {
        let mut used = vec![false; usize::try_from(self.size(ty)?).ok()?];
        self.mark_values(ty, &mut used);
        used.contains(&false).then_some(used)
    }

    fn mark_values(&self, ty: TypeId, used: &mut [bool]) {
        match &self[ty] {
            Type::Array(of, _) => {
                let Some(size) = self.size(of.ty).filter(|size| *size > 0) else { return };
                let mut elements = used.chunks_exact_mut(size as usize);
                let Some(first) = elements.next() else { return };
                self.mark_values(of.ty, first);
                elements.for_each(|element| element.copy_from_slice(first));
            }
            Type::Record(id) => {
                let named = |field: &&Field| field.name.is_some() || field.bits.is_none();
                for field in self.records[*id].fields.iter().filter(named) {
                    let (start, size) = match field.bits {
                        Some(bits) => {
                            let end = (bits.offset + u64::from(bits.width)).div_ceil(8);
                            (bits.offset / 8, end - bits.offset / 8)
                        }
                        None => (field.offset, self.size(field.ty.ty).unwrap_or(0)),
                    };
                    let Some(part) = used.get_mut(start as usize..(start + size) as usize) else { continue };
                    // Members of unions overlap: the padding of one can be another's value.
                    let mut own = vec![field.bits.is_some(); part.len()];
                    if field.bits.is_none() {
                        self.mark_values(field.ty.ty, &mut own);
                    }
                    part.iter_mut().zip(own).for_each(|(part, own)| *part |= own);
                }
            }
            _ => used.fill(true),
        }
    }

    /// `_Alignof` of an unqualified type: on i386 it is the alignment in a record, which is 4 for 8-byte numbers.
    /// Arrays of unknown length have their elements' alignment.
    pub fn align(&self, ty: TypeId) -> Option<u64> {
        match &self[ty] {
            Type::Array(of, _) => self.qual_align(*of),
            _ => self.size_align(ty).map(|(_, align)| align),
        }
    }

    /// `_Alignof` of a qualified type.
    pub fn qual_align(&self, ty: QualType) -> Option<u64> {
        let align = self.align(ty.ty)?;
        Some(self.adjust_align(ty, self.size(ty.ty).unwrap_or(0), align))
    }

    /// `__alignof__`: as [`Types::qual_align`], but 8 for the 8-byte numbers of i386, where they stand alone.
    pub fn preferred_align(&self, ty: QualType) -> Option<u64> {
        let align = self.qual_align(ty)?;
        let mut element = ty;
        while let Type::Array(of, _) = self[element.ty] {
            element = of;
        }
        let eight = matches!(self[element.ty], Type::Int(_) | Type::Enum(_) | Type::Float(_))
            && self.size(element.ty) == Some(8);
        Some(if eight && element.quals.align.is_none() && ty.quals.align.is_none() { 8 } else { align })
    }
}

/// A member on its way into a record.
#[derive(Clone, Debug)]
pub struct Member {
    /// Name, if any.
    pub name: Option<String>,
    /// Type.
    pub ty: QualType,
    /// Width, for a bit-field.
    pub bit_width: Option<u32>,
    /// Alignment asked for by `_Alignas` or an attribute.
    pub align: Option<u64>,
    /// `__attribute__((packed))` on the member.
    pub packed: bool,
    /// Where it is declared.
    pub span: crate::source::Span,
}

/// Attributes of the record itself.
#[derive(Clone, Copy, Debug, Default)]
pub struct RecordAttrs {
    /// `__attribute__((packed))`
    pub packed: bool,
    /// `__attribute__((aligned(n)))`
    pub align: Option<u64>,
    /// `#pragma pack(n)`
    pub pack: Option<u64>,
}

/// Lays members out as gcc does on x86: fields with offsets, size and alignment of the record. A member of unknown
/// size (a flexible array) counts as empty. Sizes saturate; the caller rejects absurd ones.
pub fn lay_out(
    types: &Types,
    kind: RecordKind,
    members: Vec<Member>,
    attrs: RecordAttrs,
) -> (Vec<Field>, u64, u64) {
    let mut fields = Vec::with_capacity(members.len());
    let mut bit = 0u64; // first free bit
    let mut size = 0u64; // in bytes
    let mut record_align = attrs.align.unwrap_or(1).max(1);
    let cap = |align: u64| attrs.pack.map_or(align, |pack| align.min(pack.max(1)));
    for member in members {
        if kind == RecordKind::Union {
            bit = 0;
        }
        let member_size = types.size(member.ty.ty).unwrap_or(0);
        let natural = types.qual_align(member.ty).unwrap_or(1).max(1);
        let packed = attrs.packed || member.packed;
        let bits = match member.bit_width {
            None => {
                let align = cap(match member.align {
                    Some(asked) if packed => asked,
                    asked => asked.unwrap_or(1).max(if packed { 1 } else { natural }),
                });
                record_align = record_align.max(align);
                bit = round_up(bit, align.saturating_mul(8));
                None
            }
            Some(0) => {
                // A zero-width bit-field closes the unit of its type, whatever is packed.
                bit = round_up(bit, natural.max(member.align.unwrap_or(1)).saturating_mul(8));
                if kind == RecordKind::Struct {
                    size = size.max(bit.div_ceil(8));
                }
                continue;
            }
            Some(width) => {
                if let Some(asked) = member.align {
                    bit = round_up(bit, cap(asked).saturating_mul(8));
                }
                // A bit-field spans no more units of its type's alignment than its type does, unless it is packed.
                let unit = natural * 8;
                if !packed
                    && attrs.pack.is_none()
                    && (bit % unit + u64::from(width)).div_ceil(unit) > member_size * 8 / unit
                {
                    bit = round_up(bit, unit);
                }
                // An unnamed bit-field does not raise the alignment of its record.
                if member.name.is_some() {
                    // The pragma decides alone where both it and the attribute are there.
                    let own = if packed && attrs.pack.is_none() { 1 } else { cap(natural) };
                    record_align = record_align.max(own).max(cap(member.align.unwrap_or(1)));
                }
                Some(BitField { offset: bit, width })
            }
        };
        let offset = bit / 8;
        bit = bit.saturating_add(match bits {
            Some(field) => u64::from(field.width),
            None => member_size.saturating_mul(8),
        });
        size = size.max(bit.div_ceil(8));
        fields.push(Field { name: member.name, ty: member.ty, offset, bits, span: member.span });
    }
    (fields, round_up(size, record_align), record_align)
}

fn round_up(value: u64, to: u64) -> u64 {
    value.checked_next_multiple_of(to).unwrap_or(u64::MAX)
}
