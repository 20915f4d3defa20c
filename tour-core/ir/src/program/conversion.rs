//! C's rules on types alone: promotions, usual arithmetic conversions, compatible and composite types.

use super::{ArrayLen, FloatKind, FnSig, IntKind, IntType, QualType, RecordId, Type, TypeId, Types};

impl IntKind {
    /// Conversion rank (C 6.3.1.1).
    pub fn rank(self) -> u32 {
        match self {
            IntKind::Bool => 0,
            IntKind::Char | IntKind::SChar | IntKind::UChar => 1,
            IntKind::Short | IntKind::UShort => 2,
            // Between types of different width, where this is, the width decides.
            IntKind::Int | IntKind::UInt | IntKind::Field { .. } => 3,
            IntKind::Long | IntKind::ULong => 4,
            IntKind::LongLong | IntKind::ULongLong => 5,
            IntKind::Int128 | IntKind::UInt128 => 6,
        }
    }

    /// The unsigned type of the same rank.
    pub fn to_unsigned(self) -> IntKind {
        match self {
            IntKind::Bool => IntKind::Bool,
            IntKind::Char | IntKind::SChar | IntKind::UChar => IntKind::UChar,
            IntKind::Short | IntKind::UShort => IntKind::UShort,
            IntKind::Int | IntKind::UInt => IntKind::UInt,
            IntKind::Long | IntKind::ULong => IntKind::ULong,
            IntKind::LongLong | IntKind::ULongLong => IntKind::ULongLong,
            IntKind::Int128 | IntKind::UInt128 => IntKind::UInt128,
            IntKind::Field { bits, .. } => IntKind::Field { bits, signed: false },
        }
    }
}

/// A comparison of two types.
struct Comparison {
    /// They may be of different units.
    across: bool,
    /// Pairs of records under comparison, taken to be compatible where they recur.
    assumed: Vec<(RecordId, RecordId)>,
}

/// Two lengths of arrays do not contradict each other.
fn lengths_agree(a: ArrayLen, b: ArrayLen) -> bool {
    match (a, b) {
        (ArrayLen::Fixed(a), ArrayLen::Fixed(b)) => a == b,
        _ => true,
    }
}

impl Types {
    /// A floating type.
    pub fn float(&mut self, kind: FloatKind) -> TypeId {
        self.intern(Type::Float(kind))
    }

    /// Integer, enumeration or floating type.
    pub fn is_arithmetic(&self, ty: TypeId) -> bool {
        matches!(self[ty], Type::Int(_) | Type::Enum(_) | Type::Float(_))
    }

    /// Width and sign of the values of an integer type, or of a pointer as a number.
    pub fn bits_of(&self, ty: TypeId) -> Option<IntType> {
        match self[ty] {
            Type::Pointer(_) => Some(IntType::unsigned(self.model().pointer_bits())),
            _ => self.int_type(ty),
        }
    }

    /// Integer promotion (C 6.3.1.1); an enumeration counts as its compatible integer type. Other types stay.
    pub fn promote(&mut self, ty: TypeId) -> TypeId {
        match self.int_kind(ty) {
            Some(kind) if kind.rank() < IntKind::Int.rank() => self.int(IntKind::Int),
            Some(kind) => self.int(kind),
            None => ty,
        }
    }

    /// Default argument promotion (C 6.5.2.2): integers are promoted, `float` becomes `double`.
    pub fn promote_argument(&mut self, ty: TypeId) -> TypeId {
        match self[ty] {
            Type::Float(FloatKind::Float) => self.float(FloatKind::Double),
            _ => self.promote(ty),
        }
    }

    /// The common type of the usual arithmetic conversions (C 6.3.1.8); `None` unless both are arithmetic.
    pub fn usual_arithmetic(&mut self, a: TypeId, b: TypeId) -> Option<TypeId> {
        if !self.is_arithmetic(a) || !self.is_arithmetic(b) {
            return None;
        }
        match (&self[a], &self[b]) {
            (&Type::Float(x), &Type::Float(y)) => return Some(self.float(x.max(y))),
            (Type::Float(_), _) => return Some(a),
            (_, Type::Float(_)) => return Some(b),
            _ => {}
        }
        let (a, b) = (self.promote(a), self.promote(b));
        let (x, y) = (self.int_kind(a)?, self.int_kind(b)?);
        let (int_x, int_y) = (self.model().int_type(x), self.model().int_type(y));
        let field = matches!(x, IntKind::Field { .. }) || matches!(y, IntKind::Field { .. });
        let kind = if field && int_x.bits != int_y.bits {
            if int_x.bits > int_y.bits { x } else { y }
        } else if int_x.signed == int_y.signed {
            if x.rank() >= y.rank() { x } else { y }
        } else {
            let (unsigned, signed) = if int_x.signed { (y, x) } else { (x, y) };
            if unsigned.rank() >= signed.rank() {
                unsigned
            } else if self.model().int_type(signed).bits > self.model().int_type(unsigned).bits {
                signed
            } else {
                signed.to_unsigned()
            }
        };
        Some(self.int(kind))
    }

    /// Compatible types (C 6.2.7). Records and enumerations of different units are compatible if they have the same
    /// tag and members.
    pub fn compatible(&self, a: TypeId, b: TypeId) -> bool {
        self.compatible_under(a, b, &mut Comparison { across: true, assumed: Vec::new() })
    }

    /// As [`Types::compatible`], for types of one unit: a record or enumeration is only compatible with itself.
    pub fn compatible_in_unit(&self, a: TypeId, b: TypeId) -> bool {
        self.compatible_under(a, b, &mut Comparison { across: false, assumed: Vec::new() })
    }

    /// As [`Types::compatible_in_unit`], where the qualifiers of an array's elements do not count either.
    pub fn compatible_unqualified(&self, a: TypeId, b: TypeId) -> bool {
        match (&self[a], &self[b]) {
            (Type::Array(x, n), Type::Array(y, m)) => {
                lengths_agree(*n, *m) && self.compatible_unqualified(x.ty, y.ty)
            }
            _ => self.compatible_in_unit(a, b),
        }
    }

    /// A prototype is compatible with `()`: a fixed number of parameters, none of a type that is promoted (C11
    /// 6.7.6.3p15).
    fn fits_no_prototype(&self, sig: &FnSig) -> bool {
        let promoted = |ty: TypeId| match self[ty] {
            Type::Float(kind) => kind == FloatKind::Float,
            _ => self.int_kind(ty).is_some_and(|kind| kind.rank() < IntKind::Int.rank()),
        };
        !sig.variadic && !sig.params.iter().any(|&ty| promoted(ty))
    }

    fn compatible_under(&self, a: TypeId, b: TypeId, comparison: &mut Comparison) -> bool {
        if a == b {
            return true;
        }
        stacker::maybe_grow(32 * 1024, 1024 * 1024, || match (&self[a], &self[b]) {
            (Type::Pointer(x), Type::Pointer(y)) => self.compatible_quals_under(*x, *y, comparison),
            (Type::Array(x, n), Type::Array(y, m)) => {
                lengths_agree(*n, *m) && self.compatible_quals_under(*x, *y, comparison)
            }
            (Type::Function(f), Type::Function(g)) => {
                self.compatible_under(f.ret, g.ret, comparison)
                    && match (f.prototyped, g.prototyped) {
                        (true, true) => {
                            f.variadic == g.variadic
                                && f.params.len() == g.params.len()
                                && f.params
                                    .iter()
                                    .zip(&g.params)
                                    .all(|(x, y)| self.compatible_under(*x, *y, comparison))
                        }
                        // Linkers do not look at parameters, but types of one unit are compared as C says.
                        (true, false) => comparison.across || self.fits_no_prototype(f),
                        (false, true) => comparison.across || self.fits_no_prototype(g),
                        (false, false) => true,
                    }
            }
            (Type::Enum(_), Type::Enum(_)) if !comparison.across => false,
            (Type::Enum(x), Type::Enum(y)) => {
                let (x, y) = (&self.enums[*x], &self.enums[*y]);
                x.tag == y.tag && (!x.complete || !y.complete || x.constants == y.constants)
            }
            (Type::Enum(x), Type::Int(kind)) | (Type::Int(kind), Type::Enum(x)) => {
                self.enums[*x].repr == *kind
            }
            (Type::Record(_), Type::Record(_)) if !comparison.across => false,
            (Type::Record(x), Type::Record(y)) => self.compatible_records(*x, *y, comparison),
            _ => false,
        })
    }

    fn compatible_quals_under(&self, a: QualType, b: QualType, comparison: &mut Comparison) -> bool {
        a.quals.same_as(b.quals) && self.compatible_under(a.ty, b.ty, comparison)
    }

    fn compatible_records(&self, a: RecordId, b: RecordId, comparison: &mut Comparison) -> bool {
        let (x, y) = (&self.records[a], &self.records[b]);
        if x.kind != y.kind || x.tag != y.tag {
            return false;
        }
        if !x.complete || !y.complete {
            return x.tag.is_some();
        }
        if (x.size, x.align, x.fields.len()) != (y.size, y.align, y.fields.len()) {
            return false;
        }
        if comparison.assumed.contains(&(a, b)) {
            return true;
        }
        comparison.assumed.push((a, b));
        x.fields.iter().zip(&y.fields).all(|(f, g)| {
            f.name == g.name
                && f.offset == g.offset
                && f.bits == g.bits
                && self.compatible_quals_under(f.ty, g.ty, comparison)
        })
    }

    /// The composite of two compatible types: what either of them knows.
    pub fn composite(&mut self, a: TypeId, b: TypeId) -> TypeId {
        if a == b {
            return a;
        }
        match (self[a].clone(), self[b].clone()) {
            (Type::Pointer(x), Type::Pointer(y)) => {
                let ty = self.composite(x.ty, y.ty);
                self.pointer(QualType { ty, quals: x.quals })
            }
            (Type::Array(x, n), Type::Array(y, m)) => {
                let ty = self.composite(x.ty, y.ty);
                let len = match (n, m) {
                    (ArrayLen::Unknown, m) => m,
                    (ArrayLen::Variable(_), ArrayLen::Fixed(m)) => ArrayLen::Fixed(m),
                    (n, _) => n,
                };
                self.intern(Type::Array(QualType { ty, quals: x.quals }, len))
            }
            (Type::Function(f), Type::Function(g)) => {
                let ret = self.composite(f.ret, g.ret);
                let (params, variadic, prototyped) = match (f.prototyped, g.prototyped) {
                    (true, true) => {
                        let pairs: Vec<_> = f.params.iter().copied().zip(g.params).collect();
                        let params = pairs.into_iter().map(|(x, y)| self.composite(x, y)).collect();
                        (params, f.variadic, true)
                    }
                    (true, false) => (f.params, f.variadic, true),
                    (false, _) => (g.params, g.variadic, g.prototyped),
                };
                self.intern(Type::Function(FnSig { ret, params, variadic, prototyped }))
            }
            (Type::Record(x), Type::Record(_)) if !self.records[x].complete => b,
            (Type::Enum(x), Type::Enum(_)) if !self.enums[x].complete => b,
            _ => a,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program::DataModel;

    #[test]
    fn usual_conversions_find_the_common_type() {
        let check = |model, a, b, want| {
            let mut types = Types::new(model);
            let (a, b, want) = (types.int(a), types.int(b), types.int(want));
            assert_eq!(types.usual_arithmetic(a, b), Some(want));
            assert_eq!(types.usual_arithmetic(b, a), Some(want));
        };
        check(DataModel::Lp64, IntKind::Char, IntKind::UShort, IntKind::Int);
        check(DataModel::Lp64, IntKind::Int, IntKind::UInt, IntKind::UInt);
        check(DataModel::Lp64, IntKind::Long, IntKind::UInt, IntKind::Long);
        check(DataModel::Ilp32, IntKind::Long, IntKind::UInt, IntKind::ULong);
        check(DataModel::Lp64, IntKind::ULong, IntKind::LongLong, IntKind::ULongLong);
        check(DataModel::Ilp32, IntKind::ULong, IntKind::LongLong, IntKind::LongLong);
        let field = |bits, signed| IntKind::Field { bits, signed };
        check(DataModel::Lp64, field(33, false), IntKind::UInt, field(33, false));
        check(DataModel::Lp64, field(33, false), IntKind::Long, IntKind::Long);
        check(DataModel::Ilp32, field(33, false), IntKind::Long, field(33, false));
        check(DataModel::Lp64, field(33, false), field(40, true), field(40, true));
        check(DataModel::Lp64, field(40, false), field(40, true), field(40, false));
    }

    #[test]
    fn a_composite_type_knows_what_either_knows() {
        let mut types = Types::new(DataModel::Lp64);
        let int = types.int(IntKind::Int);
        let open = types.intern(Type::Array(int.into(), ArrayLen::Unknown));
        let ten = types.array(int, 10);
        let nine = types.array(int, 9);
        assert!(types.compatible(open, ten));
        assert!(!types.compatible(nine, ten));
        assert_eq!(types.composite(open, ten), ten);
        let old = types.intern(Type::Function(FnSig::unprototyped(int)));
        let new = types.function(int, vec![int]);
        assert!(types.compatible(old, new));
        assert_eq!(types.composite(old, new), new);
    }
}
