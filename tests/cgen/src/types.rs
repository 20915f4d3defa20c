//! The types of generated programs, with what C says on their ranges and conversions. This is written apart from the
//! checker's own rules on purpose: a mistake in one does not hide in the other.

use std::rc::Rc;

/// Sizes of `long` and pointers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Model {
    /// 32 bits.
    Ilp32,
    /// 64 bits.
    Lp64,
}

/// Integer types.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[expect(missing_docs)]
pub enum Kind {
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
}

impl Kind {
    pub(crate) const ALL: [Kind; 12] = [
        Kind::Bool,
        Kind::Char,
        Kind::SChar,
        Kind::UChar,
        Kind::Short,
        Kind::UShort,
        Kind::Int,
        Kind::UInt,
        Kind::Long,
        Kind::ULong,
        Kind::LongLong,
        Kind::ULongLong,
    ];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Kind::Bool => "_Bool",
            Kind::Char => "char",
            Kind::SChar => "signed char",
            Kind::UChar => "unsigned char",
            Kind::Short => "short",
            Kind::UShort => "unsigned short",
            Kind::Int => "int",
            Kind::UInt => "unsigned",
            Kind::Long => "long",
            Kind::ULong => "unsigned long",
            Kind::LongLong => "long long",
            Kind::ULongLong => "unsigned long long",
        }
    }

    pub(crate) fn bits(self, model: Model) -> u32 {
        match self {
            Kind::Bool => 1,
            Kind::Char | Kind::SChar | Kind::UChar => 8,
            Kind::Short | Kind::UShort => 16,
            Kind::Int | Kind::UInt => 32,
            Kind::Long | Kind::ULong if model == Model::Ilp32 => 32,
            Kind::Long | Kind::ULong | Kind::LongLong | Kind::ULongLong => 64,
        }
    }

    pub(crate) fn signed(self) -> bool {
        matches!(self, Kind::Char | Kind::SChar | Kind::Short | Kind::Int | Kind::Long | Kind::LongLong)
    }

    pub(crate) fn range(self, model: Model) -> (i128, i128) {
        let bits = self.bits(model);
        if self.signed() { (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) } else { (0, (1 << bits) - 1) }
    }

    fn rank(self) -> u32 {
        match self {
            Kind::Bool => 0,
            Kind::Char | Kind::SChar | Kind::UChar => 1,
            Kind::Short | Kind::UShort => 2,
            Kind::Int | Kind::UInt => 3,
            Kind::Long | Kind::ULong => 4,
            Kind::LongLong | Kind::ULongLong => 5,
        }
    }

    pub(crate) fn promoted(self) -> Kind {
        if self.rank() < Kind::Int.rank() { Kind::Int } else { self }
    }

    pub(crate) fn unsigned(self) -> Kind {
        match self.promoted() {
            Kind::Int => Kind::UInt,
            Kind::Long => Kind::ULong,
            Kind::LongLong => Kind::ULongLong,
            other => other,
        }
    }

    /// The type that both are converted to.
    pub(crate) fn common(self, other: Kind, model: Model) -> Kind {
        let (a, b) = (self.promoted(), other.promoted());
        if a.signed() == b.signed() {
            return if a.rank() >= b.rank() { a } else { b };
        }
        let (signed, unsigned) = if a.signed() { (a, b) } else { (b, a) };
        if unsigned.rank() >= signed.rank() {
            unsigned
        } else if signed.bits(model) > unsigned.bits(model) {
            signed
        } else {
            signed.unsigned()
        }
    }

    /// What a range becomes when it is converted to this type.
    pub(crate) fn convert(self, (low, high): (i128, i128), model: Model) -> (i128, i128) {
        let (min, max) = self.range(model);
        if self == Kind::Bool {
            return (i128::from(low > 0 || high < 0), i128::from(low != 0 || high != 0));
        }
        if low >= min && high <= max { (low, high) } else { (min, max) }
    }
}

/// Types of variables.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Ty {
    Int(Kind),
    /// By number.
    Enum(usize),
    Float,
    Double,
    Pointer(Rc<Ty>),
    Array(Rc<Ty>, usize),
    /// By number.
    Record(usize),
    /// A pointer to a function of the file's common signature.
    Function,
}

impl Ty {
    pub fn is_scalar(&self) -> bool {
        !matches!(self, Ty::Array(..) | Ty::Record(_))
    }
}

/// A member of a record.
#[derive(Clone, Debug)]
pub(crate) struct Field {
    pub name: String,
    pub ty: Ty,
    pub bits: Option<u32>,
}

/// A struct or union.
#[derive(Clone, Debug)]
pub(crate) struct Record {
    pub name: String,
    pub is_union: bool,
    pub packed: bool,
    pub fields: Vec<Field>,
}

/// A variable in scope.
#[derive(Clone, Debug)]
pub(crate) struct Var {
    pub name: String,
    pub ty: Ty,
    pub global: bool,
    pub writable: bool,
    /// Its address is never taken: side effects on it inside an expression can't be seen through a pointer.
    pub simple: bool,
}

/// The text of `ty name`.
pub(crate) fn declarator(
    ty: &Ty,
    name: &str,
    records: &[Record],
    enums: &[Vec<i64>],
    prefix: &str,
) -> String {
    match ty {
        Ty::Int(kind) => format!("{} {name}", kind.name()),
        Ty::Enum(n) => {
            debug_assert!(*n < enums.len());
            format!("enum {prefix}e{n} {name}")
        }
        Ty::Float => format!("float {name}"),
        Ty::Double => format!("double {name}"),
        Ty::Pointer(to) => {
            let inner = match **to {
                Ty::Array(..) => format!("(*{name})"),
                _ => format!("*{name}"),
            };
            declarator(to, &inner, records, enums, prefix)
        }
        Ty::Array(of, n) => declarator(of, &format!("{name}[{n}]"), records, enums, prefix),
        Ty::Record(n) => {
            let record = &records[*n];
            format!("{} {} {name}", if record.is_union { "union" } else { "struct" }, record.name)
        }
        Ty::Function => format!("int (*{name})(int, unsigned)"),
    }
}
