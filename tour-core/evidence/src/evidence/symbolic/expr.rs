//! Expressions.

use super::{Exec, Executor, Flow, Unmodelled};
use tour_ir::program::{BinOp, ExprId, ExprKind, IntType, PointerFact, Type, TypeId, UnOp};
use tour_logic::term::{FloatSort, Op as TermOp, Sort, TermId, Terms};

impl Executor<'_> {
    pub(super) fn int_type(&self, ty: TypeId) -> Exec<IntType> {
        match &self.program.types[ty] {
            Type::Pointer(_) => Err(Unmodelled),
            _ => self.program.types.int_type(ty).ok_or(Unmodelled),
        }
    }

    pub(super) fn value(&mut self, flow: &Flow, expr: ExprId, instance: u32) -> Exec<TermId> {
        let program = self.program;
        let node = &program.exprs[expr];
        match node.kind {
            ExprKind::Int(bits) if self.is_pointer(node.ty) => self.fixed_address(bits),
            ExprKind::Int(bits) => {
                let width = self.int_type(node.ty)?.bits;
                Ok(self.terms.bv(width, bits))
            }
            ExprKind::Float(value) => match self.sort(node.ty)? {
                Sort::Float(format) => Ok(self.terms.float(format, value)),
                _ => Err(Unmodelled),
            },
            ExprKind::Load(place) => {
                let spot = self.spot(flow, place, instance)?;
                self.load(flow, &spot)
            }
            ExprKind::Zeroed => Err(Unmodelled),
            ExprKind::AddrOf(place) => self.address(flow, place, instance),
            ExprKind::FnAddr(f) => self.function_address(f),
            ExprKind::Unary(op, a) => {
                let a = self.value(flow, a, instance)?;
                let float = matches!(self.sort(node.ty)?, Sort::Float(_));
                Ok(match op {
                    UnOp::Neg if float => self.terms.float_op(TermOp::FpNeg, &[a]),
                    UnOp::Neg => self.terms.bv_neg(a),
                    UnOp::Sqrt if float => self.terms.float_op(TermOp::FpSqrt, &[a]),
                    UnOp::BitNot if float => return Err(Unmodelled),
                    UnOp::Abs if float => {
                        let zero = self.zero(self.sort(node.ty)?);
                        // Plus zero is above none of both zeros: it takes the place of either.
                        let above = self.terms.float_op(TermOp::FpLt, &[zero, a]);
                        let minus = self.terms.float_op(TermOp::FpNeg, &[a]);
                        let below = self.terms.float_op(TermOp::FpLt, &[a, zero]);
                        let number = self.terms.float_op(TermOp::FpEq, &[a, a]);
                        let zero_or_nan = self.terms.ite(number, zero, a);
                        let rest = self.terms.ite(below, minus, zero_or_nan);
                        self.terms.ite(above, a, rest)
                    }
                    UnOp::Sqrt | UnOp::Abs => return Err(Unmodelled),
                    UnOp::BitNot => self.terms.bv_not(a),
                })
            }
            ExprKind::Binary(op, ..) if op.is_comparison() => {
                let holds = self.truth(flow, expr, instance)?;
                let width = self.int_type(node.ty)?.bits;
                let (one, zero) = (self.terms.bv(width, 1), self.terms.bv(width, 0));
                Ok(self.terms.ite(holds, one, zero))
            }
            ExprKind::Binary(op, a, b) => self.binary(flow, op, a, b, node.ty, instance),
            ExprKind::Cast(a) => self.convert(flow, a, node.ty, instance),
            ExprKind::Fact(PointerFact::Written, load) => {
                let holds = self.reads_what_was_written(flow, load, instance)?;
                let width = self.int_type(node.ty)?.bits;
                let (one, zero) = (self.terms.bv(width, 1), self.terms.bv(width, 0));
                Ok(self.terms.ite(holds, one, zero))
            }
            ExprKind::Fact(PointerFact::SameObject, pair) => {
                let same = self.same_object(flow, pair, instance)?;
                let width = self.int_type(node.ty)?.bits;
                let (one, zero) = (self.terms.bv(width, 1), self.terms.bv(width, 0));
                Ok(self.terms.ite(same, one, zero))
            }
            ExprKind::Fact(fact, pointer) => {
                let bits = self.int_type(node.ty)?.bits;
                self.pointer_fact(flow, fact, pointer, bits, instance)
            }
        }
    }

    pub(super) fn binary(
        &mut self,
        flow: &Flow,
        op: BinOp,
        a: ExprId,
        b: ExprId,
        ty: TypeId,
        instance: u32,
    ) -> Exec<TermId> {
        let program = self.program;
        let bits = program.model.pointer_bits();
        let step = |pointer: TypeId| -> Exec<u128> {
            let to = program.types.pointee(pointer).ok_or(Unmodelled)?;
            match &program.types[to.ty] {
                Type::Void | Type::Function(_) => Ok(1),
                _ => program.types.size(to.ty).map(u128::from).ok_or(Unmodelled),
            }
        };
        match op {
            BinOp::PtrAdd => {
                let (x, y) = (self.value(flow, a, instance)?, self.value(flow, b, instance)?);
                let signed = program.int_type_of(b).ok_or(Unmodelled)?.signed;
                let count = self.terms.resize(y, bits, signed);
                let size = self.terms.bv(bits, step(ty)?);
                let offset = self.terms.bv_mul(count, size);
                return Ok(self.moved(x, offset));
            }
            BinOp::PtrDiff => {
                let bytes = self.bytes_between(flow, a, b, instance)?;
                let size = self.terms.bv(bits, step(program.exprs[a].ty)?);
                return Ok(self.terms.bv_sdiv(bytes, size));
            }
            _ => {}
        }
        let (x, y) = (self.value(flow, a, instance)?, self.value(flow, b, instance)?);
        if let Sort::Float(_) = self.sort(ty)? {
            let op = match op {
                BinOp::Add => TermOp::FpAdd,
                BinOp::Sub => TermOp::FpSub,
                BinOp::Mul => TermOp::FpMul,
                BinOp::Div => TermOp::FpDiv,
                _ => return Err(Unmodelled),
            };
            return Ok(self.terms.float_op(op, &[x, y]));
        }
        let int = self.int_type(ty)?;
        Ok(match (op, int.signed) {
            (BinOp::Add, _) => self.terms.bv_add(x, y),
            (BinOp::Sub, _) => self.terms.bv_sub(x, y),
            (BinOp::Mul, _) => self.terms.bv_mul(x, y),
            (BinOp::Div, true) => self.terms.bv_sdiv(x, y),
            (BinOp::Div, false) => self.terms.bv_udiv(x, y),
            (BinOp::Rem, true) => self.terms.bv_srem(x, y),
            (BinOp::Rem, false) => self.terms.bv_urem(x, y),
            (BinOp::And, _) => self.terms.bv_and(x, y),
            (BinOp::Or, _) => self.terms.bv_or(x, y),
            (BinOp::Xor, _) => self.terms.bv_xor(x, y),
            (BinOp::Shl | BinOp::Shr, signed) => {
                // The shift happens at the width of the wider operand, so that no count is cut.
                let width = int.bits.max(self.terms.width(y));
                let wide = self.terms.resize(x, width, signed);
                let count = self.terms.resize(y, width, false);
                let too_far = {
                    let limit = self.terms.bv(width, u128::from(int.bits));
                    self.terms.bv_ule(limit, count)
                };
                let shifted = match (op, signed) {
                    (BinOp::Shl, _) => self.terms.bv_shl(wide, count),
                    (_, true) => self.terms.bv_ashr(wide, count),
                    (_, false) => self.terms.bv_lshr(wide, count),
                };
                let shifted = self.terms.resize(shifted, int.bits, false);
                let all = match (op, signed) {
                    (BinOp::Shr, true) => {
                        let last = self.terms.bv(int.bits, u128::from(int.bits - 1));
                        self.terms.bv_ashr(x, last)
                    }
                    _ => self.terms.bv(int.bits, 0),
                };
                self.terms.ite(too_far, all, shifted)
            }
            _ => return Err(Unmodelled),
        })
    }

    pub(super) fn convert(&mut self, flow: &Flow, expr: ExprId, to: TypeId, instance: u32) -> Exec<TermId> {
        let from = self.program.exprs[expr].ty;
        if self.program.types.int_type(to).is_some_and(|i| i.bits == 1) {
            let holds = self.truth(flow, expr, instance)?;
            let (one, zero) = (self.terms.bv(1, 1), self.terms.bv(1, 0));
            return Ok(self.terms.ite(holds, one, zero));
        }
        match (self.is_pointer(from), self.is_pointer(to)) {
            (true, true) => return self.value(flow, expr, instance),
            (true, false) => {
                let bits = self.int_type(to)?.bits;
                let address = self.pointer_to_int(flow, expr, instance)?;
                return Ok(self.terms.resize(address, bits, false));
            }
            (false, true) => return self.int_to_pointer(flow, expr, instance),
            (false, false) => {}
        }
        let value = self.value(flow, expr, instance)?;
        let op = match (self.sort(from)?, self.sort(to)?) {
            (Sort::Float(_), Sort::Float(format)) => TermOp::FpToFp(format),
            (Sort::Float(format), Sort::BitVec(bits)) => {
                let signed = self.int_type(to)?.signed;
                // From the first number that fits, or from after the one before it, as far as the format tells them apart.
                let power = |n: u32| 2f64.powi(n as i32);
                let (first, end) =
                    if signed { (-power(bits - 1), power(bits - 1)) } else { (0.0, power(bits)) };
                let [first_term, before, end] =
                    [first, first - 1.0, end].map(|n| self.terms.float(format, n));
                let above = match self.terms.float_op(TermOp::FpLt, &[before, first_term]) {
                    fits if fits == self.terms.yes() && precise(format, first - 1.0) => {
                        self.terms.float_op(TermOp::FpLt, &[before, value])
                    }
                    _ => self.terms.float_op(TermOp::FpLe, &[first_term, value]),
                };
                let below = self.terms.float_op(TermOp::FpLt, &[value, end]);
                let fits = self.terms.and2(above, below);
                self.oblige(fits);
                if signed { TermOp::FpToSigned(bits) } else { TermOp::FpToUnsigned(bits) }
            }
            (Sort::BitVec(_), Sort::Float(format)) if self.int_type(from)?.signed => {
                TermOp::FpFromSigned(format)
            }
            (Sort::BitVec(_), Sort::Float(format)) => TermOp::FpFromUnsigned(format),
            (Sort::BitVec(_), Sort::BitVec(bits)) => {
                let signed = self.int_type(from)?.signed;
                return Ok(self.terms.resize(value, bits, signed));
            }
            _ => return Err(Unmodelled),
        };
        Ok(self.terms.float_op(op, &[value]))
    }

    pub(super) fn is_not_zero(&mut self, flow: &Flow, expr: ExprId, instance: u32) -> Exec<TermId> {
        let ty = self.program.exprs[expr].ty;
        let sort = self.sort(ty)?;
        let value = self.value(flow, expr, instance)?;
        if self.is_pointer(ty) {
            let null = self.is_null(value);
            return Ok(self.terms.not(null));
        }
        let zero = self.zero(sort);
        let is_zero = match sort {
            Sort::Float(_) => self.terms.float_op(TermOp::FpEq, &[value, zero]),
            _ => self.terms.eq(value, zero),
        };
        Ok(self.terms.not(is_zero))
    }

    pub(super) fn truth(&mut self, flow: &Flow, expr: ExprId, instance: u32) -> Exec<TermId> {
        let program = self.program;
        let node = &program.exprs[expr];
        let (op, a, b) = match node.kind {
            ExprKind::Binary(op, a, b) if op.is_comparison() => (op, a, b),
            _ => return self.is_not_zero(flow, expr, instance),
        };
        let ty = program.exprs[a].ty;
        if self.is_pointer(ty) {
            return self.compare_pointers(flow, op, a, b, instance);
        }
        let (x, y) = (self.value(flow, a, instance)?, self.value(flow, b, instance)?);
        let float = matches!(self.sort(ty)?, Sort::Float(_));
        let signed = !float && self.int_type(ty)?.signed;
        let t = &mut *self.terms;
        let le = |t: &mut Terms, x, y| {
            if float { t.float_op(TermOp::FpLe, &[x, y]) } else { t.bv_le(signed, x, y) }
        };
        let lt = |t: &mut Terms, x, y| match (float, signed) {
            (true, _) => t.float_op(TermOp::FpLt, &[x, y]),
            (false, true) => t.bv_slt(x, y),
            (false, false) => t.bv_ult(x, y),
        };
        let eq = |t: &mut Terms| if float { t.float_op(TermOp::FpEq, &[x, y]) } else { t.eq(x, y) };
        Ok(match op {
            BinOp::Eq => eq(t),
            BinOp::Ne => {
                let same = eq(t);
                t.not(same)
            }
            BinOp::Lt => lt(t, x, y),
            BinOp::Gt => lt(t, y, x),
            BinOp::Le => le(t, x, y),
            BinOp::Ge => le(t, y, x),
            _ => return Err(Unmodelled),
        })
    }
}

/// A number is exactly one of the format.
fn precise(format: FloatSort, number: f64) -> bool {
    match format {
        FloatSort::F32 => f64::from(number as f32) == number,
        FloatSort::F64 => true,
    }
}
