//! Expressions.

use super::path::Ssa;
use super::{Demand, Encode, Encoder, Obligation, unsupported};
use tour_ir::program::{BinOp, ExprId, ExprKind, IntType, PointerFact, Type, TypeId, UnOp};
use tour_logic::term::{BaseId, FloatSort, Op, Sort, TermId, Terms};

/// Evaluates expressions at a point of a path.
pub struct Eval<'a, 'p> {
    /// The encoder.
    pub encoder: &'a mut Encoder<'p>,
    /// The terms.
    pub terms: &'a mut Terms,
    /// Current instances.
    pub ssa: &'a Ssa,
    /// Which frame of the current function.
    pub instance: u32,
    /// What holds of what was evaluated: indices in bounds, pointers to objects that exist.
    pub side: &'a mut Vec<TermId>,
    /// Variables that stand for values nothing is known of: each has a new instance afterwards.
    pub fresh: &'a mut Vec<BaseId>,
}

/// What a scalar type is, for arithmetic.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Bits { signed: bool },
    Bool,
    Float(FloatSort),
}

impl Eval<'_, '_> {
    /// Something that always holds of what was evaluated.
    pub fn fact(&mut self, fact: TermId) {
        if fact != self.terms.yes() {
            self.encoder.facts.push(fact);
            self.side.push(fact);
        }
    }

    /// Something that must hold for the step to be as encoded: an obligation.
    pub fn require(&mut self, demand: Demand, claim: TermId) {
        if claim != self.terms.yes() {
            let facts = self.terms.and(&self.encoder.facts);
            let obligation = self.terms.implies(facts, claim);
            self.encoder.obligations.push(Obligation { claim: obligation, demand });
            self.side.push(claim);
        }
    }

    fn kind(&self, ty: TypeId) -> Encode<(Kind, u32)> {
        let types = &self.encoder.program.types;
        Ok(match self.encoder.sort(ty)? {
            Sort::Float(format) => (Kind::Float(format), format.bits()),
            Sort::BitVec(bits) => match types.int_type(ty) {
                Some(int) if int.bits == 1 => (Kind::Bool, 1),
                Some(int) => (Kind::Bits { signed: int.signed }, bits),
                None => (Kind::Bits { signed: false }, bits),
            },
            Sort::Bool | Sort::Int | Sort::Array { .. } => {
                return unsupported("type", "a value of this type");
            }
        })
    }

    /// The value of a scalar expression.
    pub fn value(&mut self, expr: ExprId) -> Encode<TermId> {
        let program = self.encoder.program;
        let node = &program.exprs[expr];
        match node.kind {
            ExprKind::Int(bits) if self.encoder.is_pointer(node.ty) => self.absolute(bits),
            ExprKind::Int(bits) => match self.encoder.sort(node.ty)? {
                Sort::BitVec(width) => Ok(self.terms.bv(width, bits)),
                Sort::Bool | Sort::Int | Sort::Float(_) | Sort::Array { .. } => {
                    unsupported("type", "an integer constant of this type")
                }
            },
            ExprKind::Float(value) => match self.encoder.sort(node.ty)? {
                Sort::Float(format) => Ok(self.terms.float(format, value)),
                Sort::Bool | Sort::Int | Sort::BitVec(_) | Sort::Array { .. } => {
                    unsupported("type", "a floating constant of this type")
                }
            },
            ExprKind::Load(place) => self.load(place),
            ExprKind::Zeroed => unsupported("aggregate", "a record or array as a value"),
            ExprKind::AddrOf(place) => self.address(place),
            ExprKind::FnAddr(f) => self.function_address(f),
            ExprKind::Unary(op, a) => {
                let value = self.value(a)?;
                Ok(match (op, self.kind(node.ty)?.0) {
                    (UnOp::Neg, Kind::Float(_)) => self.terms.float_op(Op::FpNeg, &[value]),
                    (UnOp::Neg, Kind::Bits { .. } | Kind::Bool) => self.terms.bv_neg(value),
                    (UnOp::BitNot, Kind::Bits { .. } | Kind::Bool) => self.terms.bv_not(value),
                    (UnOp::Sqrt, Kind::Float(_)) => self.terms.float_op(Op::FpSqrt, &[value]),
                    (UnOp::Abs, Kind::Float(format)) => self.magnitude(format, value),
                    (UnOp::Sqrt | UnOp::Abs, _) => {
                        return unsupported("type", "this operation on an integer");
                    }
                    (UnOp::BitNot, Kind::Float(_)) => return unsupported("type", "`~` of a floating number"),
                })
            }
            ExprKind::Binary(op, a, b) if op.is_comparison() => {
                let holds = self.comparison(op, a, b)?;
                let (Kind::Bits { .. } | Kind::Bool, bits) = self.kind(node.ty)? else {
                    return unsupported("type", "a comparison that gives a floating number");
                };
                let (one, zero) = (self.terms.bv(bits, 1), self.terms.bv(bits, 0));
                Ok(self.terms.ite(holds, one, zero))
            }
            ExprKind::Binary(op, a, b) => self.arithmetic(op, a, b, node.ty),
            ExprKind::Cast(a) => self.cast(a, node.ty),
            ExprKind::Fact(PointerFact::Written, load) => self.is_written(load, node.ty),
            ExprKind::Fact(PointerFact::SameObject, pair) => {
                let same = self.same_object(pair)?;
                let (_, bits) = self.kind(node.ty)?;
                let (one, zero) = (self.terms.bv(bits, 1), self.terms.bv(bits, 0));
                Ok(self.terms.ite(same, one, zero))
            }
            ExprKind::Fact(fact, pointer) => match self.encoder.sort(node.ty)? {
                Sort::BitVec(bits) => self.pointer_fact(fact, pointer, bits),
                Sort::Bool | Sort::Int | Sort::Float(_) | Sort::Array { .. } => {
                    unsupported("type", "what is known of a pointer, in this type")
                }
            },
        }
    }

    /// A scalar expression as a truth value: it is not zero.
    pub fn condition(&mut self, expr: ExprId) -> Encode<TermId> {
        let program = self.encoder.program;
        let node = &program.exprs[expr];
        match node.kind {
            ExprKind::Binary(op, a, b) if op.is_comparison() => self.comparison(op, a, b),
            _ => {
                let value = self.value(expr)?;
                self.is_not_zero(value, node.ty)
            }
        }
    }

    fn is_not_zero(&mut self, value: TermId, ty: TypeId) -> Encode<TermId> {
        if self.encoder.is_pointer(ty) {
            let null = self.is_null(value);
            return Ok(self.terms.not(null));
        }
        let (kind, bits) = self.kind(ty)?;
        let is_zero = match kind {
            Kind::Float(format) => {
                let zero = self.terms.float(format, 0.0);
                self.terms.float_op(Op::FpEq, &[value, zero])
            }
            Kind::Bits { .. } | Kind::Bool => {
                let zero = self.terms.bv(bits, 0);
                self.terms.eq(value, zero)
            }
        };
        Ok(self.terms.not(is_zero))
    }

    fn comparison(&mut self, op: BinOp, a: ExprId, b: ExprId) -> Encode<TermId> {
        let ty = self.encoder.program.exprs[a].ty;
        if self.encoder.is_pointer(ty) {
            return self.compare_pointers(op, a, b);
        }
        let (x, y) = (self.value(a)?, self.value(b)?);
        let t = &mut *self.terms;
        let kind = match self.encoder.sort(ty)? {
            Sort::Float(format) => Kind::Float(format),
            _ => Kind::Bits { signed: self.encoder.program.types.int_type(ty).is_some_and(|i| i.signed) },
        };
        let negate = matches!(op, BinOp::Ne);
        let holds = match (kind, op) {
            (Kind::Float(_), BinOp::Eq | BinOp::Ne) => t.float_op(Op::FpEq, &[x, y]),
            (Kind::Float(_), BinOp::Lt) => t.float_op(Op::FpLt, &[x, y]),
            (Kind::Float(_), BinOp::Gt) => t.float_op(Op::FpLt, &[y, x]),
            (Kind::Float(_), BinOp::Le) => t.float_op(Op::FpLe, &[x, y]),
            (Kind::Float(_), BinOp::Ge) => t.float_op(Op::FpLe, &[y, x]),
            (_, BinOp::Eq | BinOp::Ne) => t.eq(x, y),
            (Kind::Bits { signed }, BinOp::Le) => t.bv_le(signed, x, y),
            (Kind::Bits { signed }, BinOp::Ge) => t.bv_le(signed, y, x),
            (Kind::Bits { signed }, BinOp::Lt) => {
                let ge = t.bv_le(signed, y, x);
                t.not(ge)
            }
            (Kind::Bits { signed }, BinOp::Gt) => {
                let le = t.bv_le(signed, x, y);
                t.not(le)
            }
            _ => return unsupported("operator", "this comparison"),
        };
        Ok(if negate { self.terms.not(holds) } else { holds })
    }

    fn arithmetic(&mut self, op: BinOp, a: ExprId, b: ExprId, ty: TypeId) -> Encode<TermId> {
        match op {
            BinOp::PtrAdd => {
                let (x, y) = (self.value(a)?, self.value(b)?);
                let size = self.pointee_size(ty)?;
                let signed = self.encoder.program.int_type_of(b).is_some_and(|i| i.signed);
                let bits = self.encoder.pointer_bits();
                let count = self.terms.resize(y, bits, signed);
                let size = self.terms.bv(bits, u128::from(size));
                let offset = self.terms.bv_mul(count, size);
                return Ok(self.displace(x, offset));
            }
            BinOp::PtrDiff => {
                let pointer = self.encoder.program.exprs[a].ty;
                let size = self.pointee_size(pointer)?;
                let bytes = self.pointer_difference(a, b)?;
                let size = self.terms.bv(self.encoder.pointer_bits(), u128::from(size));
                return Ok(self.terms.bv_sdiv(bytes, size));
            }
            _ => {}
        }
        let (x, y) = (self.value(a)?, self.value(b)?);
        let (kind, bits) = self.kind(ty)?;
        let signed = kind == Kind::Bits { signed: true };
        let t = &mut *self.terms;
        if let Kind::Float(_) = kind {
            let op = match op {
                BinOp::Add => Op::FpAdd,
                BinOp::Sub => Op::FpSub,
                BinOp::Mul => Op::FpMul,
                BinOp::Div => Op::FpDiv,
                _ => return unsupported("operator", "this operator on floating numbers"),
            };
            return Ok(t.float_op(op, &[x, y]));
        }
        Ok(match op {
            BinOp::Add => t.bv_add(x, y),
            BinOp::Sub => t.bv_sub(x, y),
            BinOp::Mul => t.bv_mul(x, y),
            BinOp::Div if signed => t.bv_sdiv(x, y),
            BinOp::Div => t.bv_udiv(x, y),
            BinOp::Rem if signed => t.bv_srem(x, y),
            BinOp::Rem => t.bv_urem(x, y),
            BinOp::And => t.bv_and(x, y),
            BinOp::Or => t.bv_or(x, y),
            BinOp::Xor => t.bv_xor(x, y),
            BinOp::Shl | BinOp::Shr => {
                let count = self.shift_count(y, bits);
                match op {
                    BinOp::Shl => self.terms.bv_shl(x, count),
                    _ if signed => self.terms.bv_ashr(x, count),
                    _ => self.terms.bv_lshr(x, count),
                }
            }
            BinOp::Eq | BinOp::Ne | BinOp::Lt | BinOp::Le | BinOp::Gt | BinOp::Ge => {
                return unsupported("operator", "a comparison here");
            }
            BinOp::PtrAdd | BinOp::PtrDiff => return unsupported("operator", "pointer arithmetic here"),
        })
    }

    /// A shift count at the width of the shifted value: counts that are too large stay too large.
    fn shift_count(&mut self, count: TermId, bits: u32) -> TermId {
        let width = self.terms.width(count);
        if width <= bits {
            return self.terms.zero_ext(count, bits - width);
        }
        let limit = self.terms.bv(width, u128::from(bits));
        let fits = self.terms.bv_ult(count, limit);
        let low = self.terms.extract(count, bits - 1, 0);
        let all = self.terms.bv(bits, u128::from(bits));
        self.terms.ite(fits, low, all)
    }

    /// The size that pointer arithmetic counts in.
    fn pointee_size(&self, pointer: TypeId) -> Encode<u64> {
        let types = &self.encoder.program.types;
        let Some(to) = types.pointee(pointer) else {
            return unsupported("operator", "pointer arithmetic on something that is no pointer");
        };
        match &types[to.ty] {
            Type::Void | Type::Function(_) => Ok(1),
            _ => match types.size(to.ty) {
                Some(size) => Ok(size),
                None => unsupported("vla", "pointer arithmetic in elements of unknown size"),
            },
        }
    }

    fn cast(&mut self, expr: ExprId, to: TypeId) -> Encode<TermId> {
        let from = self.encoder.program.exprs[expr].ty;
        match (self.encoder.is_pointer(from), self.encoder.is_pointer(to)) {
            (false, false) => {}
            (true, true) => return self.value(expr),
            (false, true) => return self.int_to_pointer(expr),
            (true, false) => {
                let (Kind::Bits { .. }, bits) = self.kind(to)? else {
                    let value = self.value(expr)?;
                    let holds = self.is_not_zero(value, from)?;
                    let (one, zero) = (self.terms.bv(1, 1), self.terms.bv(1, 0));
                    return Ok(self.terms.ite(holds, one, zero));
                };
                let value = self.pointer_to_int(expr)?;
                return Ok(self.terms.resize(value, bits, false));
            }
        }
        let value = self.value(expr)?;
        let (source, _) = self.kind(from)?;
        let (target, bits) = self.kind(to)?;
        let t = &mut *self.terms;
        Ok(match (source, target) {
            (_, Kind::Bool) => {
                let holds = self.is_not_zero(value, from)?;
                let (one, zero) = (self.terms.bv(1, 1), self.terms.bv(1, 0));
                self.terms.ite(holds, one, zero)
            }
            (Kind::Bits { signed }, Kind::Bits { .. }) => t.resize(value, bits, signed),
            (Kind::Bool, Kind::Bits { .. }) => t.resize(value, bits, false),
            (Kind::Bits { signed: true }, Kind::Float(format)) => {
                t.float_op(Op::FpFromSigned(format), &[value])
            }
            (Kind::Bits { signed: false } | Kind::Bool, Kind::Float(format)) => {
                t.float_op(Op::FpFromUnsigned(format), &[value])
            }
            (Kind::Float(_), Kind::Float(format)) => t.float_op(Op::FpToFp(format), &[value]),
            (Kind::Float(format), Kind::Bits { signed }) => {
                self.require_fit(value, format, IntType { bits, signed });
                let op = if signed { Op::FpToSigned(bits) } else { Op::FpToUnsigned(bits) };
                self.terms.float_op(op, &[value])
            }
        })
    }

    /// A float without its sign.
    fn magnitude(&mut self, format: FloatSort, value: TermId) -> TermId {
        let zero = self.terms.float(format, 0.0);
        let negative = self.terms.float_op(Op::FpLt, &[value, zero]);
        let none = self.terms.float_op(Op::FpEq, &[value, zero]);
        let opposite = self.terms.float_op(Op::FpNeg, &[value]);
        let rest = self.terms.ite(none, zero, value);
        self.terms.ite(negative, opposite, rest)
    }

    /// A float without its fraction must be a number of the integer type.
    fn require_fit(&mut self, value: TermId, format: FloatSort, int: IntType) {
        let half = 2f64.powi(int.bits as i32 - 1);
        let (least, limit) = if int.signed { (-half, half) } else { (0.0, 2.0 * half) };
        // What lies between the least number and the one before it is cut to the former. If the format has no such one, it
        // has nothing between either.
        let before = least - 1.0;
        let exact = before != least && (format == FloatSort::F64 || f64::from(before as f32) == before);
        let above = if exact {
            let before = self.terms.float(format, before);
            self.terms.float_op(Op::FpLt, &[before, value])
        } else {
            let least = self.terms.float(format, least);
            self.terms.float_op(Op::FpLe, &[least, value])
        };
        let limit = self.terms.float(format, limit);
        let below = self.terms.float_op(Op::FpLt, &[value, limit]);
        let fits = self.terms.and2(above, below);
        self.require(Demand::Fits, fits);
    }
}
