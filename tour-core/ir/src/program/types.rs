//! C types, interned: equal types have equal ids.

use super::{DataModel, EnumId, IntType, RecordId, TypeId, VarId};
use crate::source::Span;
use index_vec::IndexVec;
use rustc_hash::FxHashMap;
use std::ops::Index;

/// The integer types of C, distinct even where they have the same width.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
#[expect(missing_docs)]
pub enum IntKind {
    Bool,
    Char,
    SChar,
    UChar,
    Short,
    UShort,
    Int,
    UInt,
    Long,
    ULong,
    LongLong,
    ULongLong,
    Int128,
    UInt128,
    /// The type of a bit-field that is wider than `int` and narrower than its declared type: one of gcc's own.
    Field {
        bits: u8,
        signed: bool,
    },
}

/// The floating types.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
#[expect(missing_docs)]
pub enum FloatKind {
    Float,
    Double,
    LongDouble,
    /// `__float128`
    Float128,
}

/// Type qualifiers that matter for the meaning of an access.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Quals {
    /// `const`
    pub constant: bool,
    /// `volatile`
    pub volatile: bool,
    /// `_Atomic`
    pub atomic: bool,
    /// The alignment of a typedef with an `aligned` attribute, in place of the natural one.
    pub align: Option<u32>,
}

impl Quals {
    /// The qualifiers of both.
    pub fn union(self, other: Quals) -> Quals {
        Quals {
            constant: self.constant | other.constant,
            volatile: self.volatile | other.volatile,
            atomic: self.atomic | other.atomic,
            align: self.align.max(other.align),
        }
    }

    /// The same qualifiers, alignment apart: what type compatibility looks at.
    pub fn same_as(self, other: Quals) -> bool {
        Quals { align: None, ..self } == Quals { align: None, ..other }
    }
}

/// A type with qualifiers.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct QualType {
    /// The type.
    pub ty: TypeId,
    /// Its qualifiers.
    pub quals: Quals,
}

impl From<TypeId> for QualType {
    fn from(ty: TypeId) -> QualType {
        QualType { ty, quals: Quals::default() }
    }
}

/// How many elements an array has.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ArrayLen {
    /// A constant number.
    Fixed(u64),
    /// `[]`: incomplete, or a flexible array member.
    Unknown,
    /// A variable-length array: the variable (of type `size_t`) holds the number of elements.
    Variable(VarId),
}

/// The type of a function.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct FnSig {
    /// What it returns.
    pub ret: TypeId,
    /// The types of its parameters (arrays and functions already adjusted to pointers).
    pub params: Vec<TypeId>,
    /// `...` follows.
    pub variadic: bool,
    /// False for `f()`: nothing is known of the parameters.
    pub prototyped: bool,
}

impl FnSig {
    /// A prototype with a fixed number of parameters.
    pub fn new(ret: TypeId, params: Vec<TypeId>) -> FnSig {
        FnSig { ret, params, variadic: false, prototyped: true }
    }

    /// Nothing is said of the parameters.
    pub fn unprototyped(ret: TypeId) -> FnSig {
        FnSig { ret, params: Vec::new(), variadic: false, prototyped: false }
    }
}

/// A C type.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
#[expect(missing_docs)]
pub enum Type {
    Void,
    Int(IntKind),
    Float(FloatKind),
    Pointer(QualType),
    Array(QualType, ArrayLen),
    Record(RecordId),
    Enum(EnumId),
    Function(FnSig),
    /// A type whose values we do not model (complex numbers, vectors), with its spelling and size. Declaring it is
    /// fine; using a value of it is an unsupported edge.
    Opaque {
        name: Box<str>,
        size: u64,
        align: u64,
    },
}

/// struct or union.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[expect(missing_docs)]
pub enum RecordKind {
    Struct,
    Union,
}

/// Where a bit-field lies.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct BitField {
    /// First bit, counted from the start of the record (little endian).
    pub offset: u64,
    /// Number of bits.
    pub width: u32,
}

/// A member of a record.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Field {
    /// Its name; `None` for an anonymous struct or union whose members are found through it, or an unnamed bit-field.
    pub name: Option<String>,
    /// Its type.
    pub ty: QualType,
    /// Byte offset from the start of the record (of the byte that holds its first bit, for a bit-field).
    pub offset: u64,
    /// Set for a bit-field.
    pub bits: Option<BitField>,
    /// Where it is declared.
    pub span: Span,
}

/// A struct or union.
#[derive(Clone, Debug)]
pub struct Record {
    /// struct or union.
    pub kind: RecordKind,
    /// Its tag.
    pub tag: Option<String>,
    /// Its members, laid out; empty while incomplete.
    pub fields: Vec<Field>,
    /// Size in bytes.
    pub size: u64,
    /// Alignment in bytes.
    pub align: u64,
    /// False for `struct s;`
    pub complete: bool,
    /// `__attribute__((transparent_union))`: a parameter of this type takes an argument of any member's type.
    pub transparent: bool,
    /// Where it is declared.
    pub span: Span,
}

/// An enumeration.
#[derive(Clone, Debug)]
pub struct EnumDef {
    /// Its tag.
    pub tag: Option<String>,
    /// False for `enum e;` (its integer type may still change).
    pub complete: bool,
    /// The compatible integer type.
    pub repr: IntKind,
    /// The enumerators and their values.
    pub constants: Vec<(String, i128)>,
    /// Where it is declared.
    pub span: Span,
}

/// All types of a program.
#[derive(Clone, Debug)]
pub struct Types {
    model: DataModel,
    types: IndexVec<TypeId, Type>,
    interned: FxHashMap<Type, TypeId>,
    /// structs and unions.
    pub records: IndexVec<RecordId, Record>,
    /// Enumerations.
    pub enums: IndexVec<EnumId, EnumDef>,
}

impl Index<TypeId> for Types {
    type Output = Type;

    fn index(&self, id: TypeId) -> &Type {
        &self.types[id]
    }
}

impl Types {
    /// No types yet.
    pub fn new(model: DataModel) -> Types {
        Types {
            model,
            types: IndexVec::new(),
            interned: FxHashMap::default(),
            records: IndexVec::new(),
            enums: IndexVec::new(),
        }
    }

    /// The data model.
    pub fn model(&self) -> DataModel {
        self.model
    }

    /// How many types there are.
    pub fn len(&self) -> usize {
        self.types.len()
    }

    /// There are none.
    pub fn is_empty(&self) -> bool {
        self.types.is_empty()
    }

    /// The id of a type.
    pub fn intern(&mut self, ty: Type) -> TypeId {
        if let Some(&id) = self.interned.get(&ty) {
            return id;
        }
        let id = self.types.push(ty.clone());
        self.interned.insert(ty, id);
        id
    }

    /// All types, in the order in which they were made.
    pub fn ids(&self) -> impl Iterator<Item = TypeId> {
        self.types.indices()
    }

    /// `void`
    pub fn void(&mut self) -> TypeId {
        self.intern(Type::Void)
    }

    /// An integer type.
    pub fn int(&mut self, kind: IntKind) -> TypeId {
        self.intern(Type::Int(kind))
    }

    /// `to *`
    pub fn pointer(&mut self, to: impl Into<QualType>) -> TypeId {
        self.intern(Type::Pointer(to.into()))
    }

    /// The type of a function with these parameters.
    pub fn function(&mut self, ret: TypeId, params: Vec<TypeId>) -> TypeId {
        self.intern(Type::Function(FnSig::new(ret, params)))
    }

    /// `of [len]`
    pub fn array(&mut self, of: impl Into<QualType>, len: u64) -> TypeId {
        self.intern(Type::Array(of.into(), ArrayLen::Fixed(len)))
    }

    /// `size_t`
    pub fn size_t(&mut self) -> TypeId {
        let kind = self.model.size_kind();
        self.int(kind)
    }

    /// `ptrdiff_t`
    pub fn ptrdiff_t(&mut self) -> TypeId {
        let kind = self.model.ptrdiff_kind();
        self.int(kind)
    }

    /// Width and sign of an integer type or enumeration; `None` for other types.
    pub fn int_type(&self, ty: TypeId) -> Option<IntType> {
        Some(self.model.int_type(self.int_kind(ty)?))
    }

    /// The kind of an integer type, or of the integer type compatible with an enumeration.
    pub fn int_kind(&self, ty: TypeId) -> Option<IntKind> {
        match self[ty] {
            Type::Int(kind) => Some(kind),
            Type::Enum(id) => Some(self.enums[id].repr),
            _ => None,
        }
    }

    /// What a pointer type points to.
    pub fn pointee(&self, ty: TypeId) -> Option<QualType> {
        match self[ty] {
            Type::Pointer(to) => Some(to),
            _ => None,
        }
    }

    /// Element type and length of an array type.
    pub fn element(&self, ty: TypeId) -> Option<(QualType, ArrayLen)> {
        match self[ty] {
            Type::Array(of, len) => Some((of, len)),
            _ => None,
        }
    }

    /// Integer, enumeration, floating or pointer type: what one variable of the engine can hold.
    pub fn is_scalar(&self, ty: TypeId) -> bool {
        matches!(self[ty], Type::Int(_) | Type::Enum(_) | Type::Float(_) | Type::Pointer(_))
    }

    /// Integer or enumeration.
    pub fn is_integer(&self, ty: TypeId) -> bool {
        self.int_kind(ty).is_some()
    }
}
