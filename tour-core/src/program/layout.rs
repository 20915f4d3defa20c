//! Sizes, alignments and record layouts by data model (System V ABI for i386 and x86-64).

use super::{
    ArrayLen, BitField, Field, FloatKind, IntKind, IntType, QualType, RecordKind, Type, TypeId, Types,
};
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
                let size = u64::from(model.int_type(kind).bits.div_ceil(8));
                let align = match (kind, model) {
                    (IntKind::LongLong | IntKind::ULongLong, DataModel::Ilp32) => 4,
                    _ => size,
                };
                Some((size, align))
            }
            Type::Float(kind) => Some(model.float(*kind)),
            Type::Pointer(_) => Some((model.pointer_bytes(), model.pointer_bytes())),
            Type::Array(of, ArrayLen::Fixed(n)) => {
                let (size, align) = self.size_align(of.ty)?;
                Some((size.checked_mul(*n)?, align))
            }
            Type::Array(_, ArrayLen::Unknown | ArrayLen::Variable(_)) => None,
            Type::Record(id) => {
                let record = &self.records[*id];
                record.complete.then_some((record.size, record.align))
            }
            Type::VaList => Some(match model {
                DataModel::Ilp32 => (4, 4),
                DataModel::Lp64 => (24, 8),
            }),
            Type::Opaque { size, align, .. } => Some((*size, *align)),
        }
    }

    /// Size in bytes, if known.
    pub fn size(&self, ty: TypeId) -> Option<u64> {
        self.size_align(ty).map(|(size, _)| size)
    }

    /// `_Alignof`: on i386 a free-standing 8-byte type is aligned to 8 by `__alignof__` but to 4 in a record; we
    /// give the value of `_Alignof`, which is the one in a record.
    pub fn align(&self, ty: TypeId) -> Option<u64> {
        match &self[ty] {
            Type::Array(of, _) => self.align(of.ty),
            _ => self.size_align(ty).map(|(_, align)| align),
        }
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

/// Lays members out: fields with offsets, size and alignment of the record. A member of unknown size (a flexible
/// array) counts as empty.
pub fn lay_out(
    types: &Types,
    kind: RecordKind,
    members: Vec<Member>,
    attrs: RecordAttrs,
) -> (Vec<Field>, u64, u64) {
    let mut fields = Vec::with_capacity(members.len());
    let mut bit = 0u64; // first free bit
    let mut size = 0u64; // in bytes
    let mut record_align = 1u64;
    for member in members {
        let member_size = types.size(member.ty.ty).unwrap_or(0);
        let natural = types.align(member.ty.ty).unwrap_or(1);
        let mut align = if attrs.packed || member.packed { 1 } else { natural };
        if let Some(pack) = attrs.pack {
            align = align.min(pack);
        }
        if let Some(asked) = member.align {
            align = align.max(asked);
        }
        if kind == RecordKind::Union {
            bit = 0;
        }
        let (offset, bits) = match member.bit_width {
            None => {
                let offset = bit.div_ceil(8).next_multiple_of(align);
                bit = (offset + member_size) * 8;
                (offset, None)
            }
            Some(0) => {
                // A zero-width bit-field closes the unit.
                bit = bit.next_multiple_of(natural.max(member.align.unwrap_or(1)) * 8);
                continue;
            }
            Some(width) => {
                let unit = member_size * 8;
                let width = u64::from(width);
                if let Some(asked) = member.align {
                    bit = bit.next_multiple_of(asked * 8);
                }
                // A bit-field may not cross a boundary of its type's storage unit, unless it is packed.
                let may_cross = attrs.packed || member.packed || attrs.pack.is_some_and(|p| p < natural);
                if !may_cross && unit > 0 && bit / unit != (bit + width - 1) / unit {
                    bit = bit.next_multiple_of(natural * 8);
                }
                let start = bit;
                bit += width;
                let offset = if may_cross || unit == 0 { start / 8 } else { start / unit * unit / 8 };
                (offset, Some(BitField { offset: start, width: width as u32 }))
            }
        };
        // An unnamed bit-field does not raise the alignment of its record on this ABI.
        if member.name.is_some() || member.bit_width.is_none() {
            record_align = record_align.max(align);
        }
        size = size.max(bit.div_ceil(8));
        fields.push(Field { name: member.name, ty: member.ty, offset, bits, span: member.span });
    }
    if let Some(asked) = attrs.align {
        record_align = record_align.max(asked);
    }
    (
        fields,
        size.max(bit.div_ceil(8) * u64::from(kind == RecordKind::Struct)).next_multiple_of(record_align),
        record_align,
    )
}
