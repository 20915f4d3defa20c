//! Constant folding of typed expressions.
//!
//! Integers fold in their own width, floats as IEEE numbers of their own format; a `long double` folds only where a
//! double is exact. Addresses of things with static storage are constants too, as a base and an offset in bytes.

use tour_ir::program::{
    self, BinOp, ExprId, ExprKind, FloatKind, FloatResult, FnId, IntKind, IntType, PlaceId, PlaceKind,
    Program, Storage, Type, TypeId, UnOp, VarId,
};

/// What an address constant is relative to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Base {
    /// A variable (with static storage, where a constant is asked for); string literals are variables too.
    Var(VarId),
    /// A function.
    Function(FnId),
}

/// A constant value.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Const {
    /// The bit pattern of an integer, or of an absolute address.
    Int(u128),
    /// A floating number.
    Float(f64),
    /// An address: `offset` bytes behind the start of `base`.
    Address {
        /// Relative to what.
        base: Base,
        /// In bytes.
        offset: i64,
    },
}

/// The value of an expression, if it is constant.
pub fn fold(program: &Program, expr: ExprId) -> Option<Const> {
    let node = &program.exprs[expr];
    match &node.kind {
        ExprKind::Int(bits) => Some(Const::Int(*bits)),
        ExprKind::Float(value) => Some(Const::Float(*value)),
        ExprKind::FnAddr(f) => Some(Const::Address { base: Base::Function(*f), offset: 0 }),
        ExprKind::AddrOf(place) => fold_place(program, *place),
        ExprKind::Load(place) => fold_load(program, *place),
        ExprKind::Zeroed | ExprKind::Fact(..) => None,
        ExprKind::Cast(inner) => convert(program, fold(program, *inner)?, program.exprs[*inner].ty, node.ty),
        ExprKind::Unary(op, a) => unary(program, *op, node.ty, fold(program, *a)?),
        ExprKind::Binary(op, a, b) => {
            let (left, right) = (fold(program, *a)?, fold(program, *b)?);
            binary(program, *op, (left, program.exprs[*a].ty), (right, program.exprs[*b].ty))
        }
    }
}

/// The address of a place.
fn fold_place(program: &Program, place: PlaceId) -> Option<Const> {
    let node = &program.places[place];
    match node.kind {
        PlaceKind::Var(var) => Some(Const::Address { base: Base::Var(var), offset: 0 }),
        PlaceKind::Deref(pointer) => fold(program, pointer),
        PlaceKind::Field(base, index) => {
            let Type::Record(id) = program.types[program.places[base].ty] else { return None };
            let field = program.types.records[id].fields.get(index as usize)?;
            if field.bits.is_some() {
                return None;
            }
            advance(program, fold_place(program, base)?, i128::from(field.offset))
        }
        PlaceKind::Index(base, index) => {
            let Const::Int(bits) = fold(program, index)? else { return None };
            let index = program.int_type_of(index)?.to_i128(bits);
            let size = program.types.size(node.ty)?;
            advance(program, fold_place(program, base)?, index.checked_mul(i128::from(size))?)
        }
    }
}

/// The initial value of a constant that is initialised with one: gcc takes it for a constant expression too.
fn fold_load(program: &Program, place: PlaceId) -> Option<Const> {
    let PlaceKind::Var(id) = program.places[place].kind else { return None };
    let var = &program.vars[id];
    let fixed = matches!(
        var.storage,
        Storage::Static | Storage::StaticLocal(_) | Storage::Literal | Storage::Global { defined: true }
    );
    if !fixed || !var.ty.quals.constant || var.ty.quals.volatile || !program.types.is_scalar(var.ty.ty) {
        return None;
    }
    match &var.init.as_ref()?.items[..] {
        [tour_ir::program::InitItem::Value { value, .. }] => fold(program, *value),
        _ => None,
    }
}

fn advance(program: &Program, address: Const, bytes: i128) -> Option<Const> {
    match address {
        Const::Int(bits) => {
            let pointer = IntType::unsigned(program.model.pointer_bits());
            Some(Const::Int(pointer.wrap(bits.wrapping_add(bytes as u128))))
        }
        Const::Address { base, offset } => {
            let offset = i64::try_from(i128::from(offset).checked_add(bytes)?).ok()?;
            Some(Const::Address { base, offset })
        }
        Const::Float(_) => None,
    }
}

/// Converts a constant from one scalar type to another.
pub fn convert(program: &Program, value: Const, from: TypeId, to: TypeId) -> Option<Const> {
    if from == to {
        return Some(value);
    }
    let types = &program.types;
    match (value, &types[to]) {
        (Const::Int(bits), Type::Float(kind)) => {
            let int = types.int_type(from)?;
            let bits = int.extend(bits);
            // Rounded once, from all the bits.
            let value = match (kind, int.signed) {
                (FloatKind::Float, true) => f64::from(bits as i128 as f32),
                (FloatKind::Float, false) => f64::from(bits as f32),
                (_, true) => bits as i128 as f64,
                (_, false) => bits as f64,
            };
            let wide = matches!(kind, FloatKind::LongDouble | FloatKind::Float128);
            (!wide || value.abs() <= (1u64 << 53) as f64).then_some(Const::Float(value))
        }
        (Const::Int(bits), _) => Some(Const::Int(types.bits_of(from)?.convert(bits, types.bits_of(to)?))),
        (Const::Float(value), Type::Float(FloatKind::Float)) => Some(Const::Float(f64::from(value as f32))),
        (Const::Float(value), Type::Float(_)) => Some(Const::Float(value)),
        (Const::Float(value), Type::Int(IntKind::Bool)) => Some(Const::Int(u128::from(value != 0.0))),
        (Const::Float(value), _) => {
            let int = types.int_type(to)?;
            let whole = value.trunc();
            // Out of range (or not a number), the result is undefined.
            let low = if int.signed { -(2f64.powi(int.bits as i32 - 1)) } else { 0.0 };
            let high = 2f64.powi(int.bits as i32 - i32::from(int.signed));
            if !(whole >= low && whole < high) {
                return None;
            }
            let bits = if int.signed { whole as i128 as u128 } else { whole as u128 };
            Some(Const::Int(int.wrap(bits)))
        }
        (Const::Address { .. }, Type::Pointer(_)) => Some(value),
        (Const::Address { .. }, Type::Int(IntKind::Bool)) => Some(Const::Int(1)),
        (Const::Address { .. }, _) => {
            (types.int_type(to)?.bits == program.model.pointer_bits()).then_some(value)
        }
    }
}

/// `-a` and `~a` in type `ty`.
pub fn unary(program: &Program, op: UnOp, ty: TypeId, a: Const) -> Option<Const> {
    match (a, op) {
        (Const::Int(bits), UnOp::Neg) => Some(Const::Int(program.types.int_type(ty)?.neg(bits))),
        (Const::Int(bits), UnOp::BitNot) => Some(Const::Int(program.types.int_type(ty)?.not(bits))),
        (Const::Float(value), UnOp::Neg) => Some(Const::Float(-value)),
        (Const::Float(value), UnOp::Abs) => Some(Const::Float(value.abs())),
        (Const::Float(_), UnOp::BitNot | UnOp::Sqrt)
        | (Const::Int(_), UnOp::Sqrt | UnOp::Abs)
        | (Const::Address { .. }, _) => None,
    }
}

/// `a op b`, each with its type, already converted as [`BinOp`] says.
pub fn binary(program: &Program, op: BinOp, a: (Const, TypeId), b: (Const, TypeId)) -> Option<Const> {
    let ((left, left_ty), (right, right_ty)) = (a, b);
    match op {
        BinOp::PtrAdd => {
            let Const::Int(bits) = right else { return None };
            let count = program.types.int_type(right_ty)?.to_i128(bits);
            let size = element_size(program, left_ty)?;
            return advance(program, left, count.checked_mul(i128::from(size))?);
        }
        BinOp::PtrDiff => {
            let distance = match (left, right) {
                (Const::Int(x), Const::Int(y)) => x as i128 - y as i128,
                (Const::Address { base: x, offset: i }, Const::Address { base: y, offset: j }) if x == y => {
                    i128::from(i) - i128::from(j)
                }
                _ => return None,
            };
            let count = distance.checked_div(i128::from(element_size(program, left_ty)?))?;
            return Some(Const::Int(IntType::signed(program.model.pointer_bits()).wrap(count as u128)));
        }
        _ => {}
    }
    match (left, right) {
        (Const::Int(x), Const::Int(y)) => {
            let int = program.types.bits_of(left_ty)?;
            let y = match op {
                BinOp::Shl | BinOp::Shr => {
                    u128::try_from(program.types.int_type(right_ty)?.to_i128(y)).ok()?
                }
                _ => y,
            };
            int.binary(op, x, y).map(Const::Int)
        }
        (Const::Float(x), Const::Float(y)) => {
            let Type::Float(kind) = program.types[left_ty] else { return None };
            float_binary(kind, op, x, y)
        }
        (Const::Address { base: x, offset: i }, Const::Address { base: y, offset: j }) if x == y => {
            let int = IntType::signed(64);
            match op {
                _ if op.is_comparison() => int.binary(op, i as u64 as u128, j as u64 as u128).map(Const::Int),
                BinOp::Sub => {
                    let int = program.types.bits_of(left_ty)?;
                    Some(Const::Int(int.wrap((i128::from(i) - i128::from(j)) as u128)))
                }
                _ => None,
            }
        }
        // No object lies at the null pointer.
        (Const::Address { .. }, Const::Int(0)) | (Const::Int(0), Const::Address { .. }) => match op {
            BinOp::Eq => Some(Const::Int(0)),
            BinOp::Ne => Some(Const::Int(1)),
            BinOp::Add => Some(if let Const::Int(_) = left { right } else { left }),
            BinOp::Sub if right == Const::Int(0) => Some(left),
            _ => None,
        },
        // An address as an integer, and a number.
        (Const::Address { .. }, Const::Int(bits)) if matches!(op, BinOp::Add | BinOp::Sub) => {
            let count = program.types.int_type(right_ty)?.to_i128(bits);
            let signed = IntType::signed(program.model.pointer_bits()).to_i128(count as u128);
            advance(program, left, if op == BinOp::Add { signed } else { -signed })
        }
        (Const::Int(bits), Const::Address { .. }) if op == BinOp::Add => {
            let signed = IntType::signed(program.model.pointer_bits()).to_i128(bits);
            advance(program, right, signed)
        }
        _ => None,
    }
}

/// What pointer arithmetic counts in; 1 for `void` and functions.
pub fn element_size(program: &Program, pointer: TypeId) -> Option<u64> {
    let to = program.types.pointee(pointer)?.ty;
    match program.types[to] {
        Type::Void | Type::Function(_) => Some(1),
        _ => program.types.size(to),
    }
}

fn float_binary(kind: FloatKind, op: BinOp, x: f64, y: f64) -> Option<Const> {
    // The sign of a NaN that was computed is not specified; that of a constant is plus. This one tells them apart.
    let computed = |number: f64| Const::Float(if number.is_nan() { -f64::NAN } else { number });
    match (program::float_binary(op, x, y)?, kind) {
        (FloatResult::Truth(holds), _) => Some(Const::Int(u128::from(holds))),
        (FloatResult::Number(number), FloatKind::Float) => Some(computed(f64::from(number as f32))),
        (FloatResult::Number(number), FloatKind::Double) => Some(computed(number)),
        (FloatResult::Number(_), FloatKind::LongDouble | FloatKind::Float128) => None,
    }
}
