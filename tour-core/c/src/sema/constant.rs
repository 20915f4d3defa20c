//! Constant expressions, evaluated on the syntax tree.
//!
//! The typed program has no `&&`, `||` and `?:` (they are edges), so the operators of constant expressions are
//! evaluated here with C's types; only leaves (addresses, members, string literals) go through the typed expressions
//! and [`super::fold`].

use super::fold::{self, Base, Const};
use super::operator::operator_of;
use super::{Entity, Fail, Lower, Sema, literal};
use crate::front::{PIECE_PREFIX, Tree};
use lang_c::ast::{
    BinaryOperator, BinaryOperatorExpression, CallExpression, ConditionalExpression, Constant, Expression,
    OffsetMember, OffsetOfExpression, UnaryOperator,
};
use lang_c::span::Node;
use tour_ir::program::{BinOp, ExprId, ExprKind, IntKind, QualType, Type, TypeId, UnOp};
use tour_ir::source::Span;

/// What the front end writes for `&&label`.
const LABEL: &str = "__tour_label_address";

/// A constant with its type.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ConstVal {
    /// The value.
    pub value: Const,
    /// Its type.
    pub ty: TypeId,
    /// The expression that it was folded from, if one was made.
    pub expr: Option<ExprId>,
}

impl Sema<'_> {
    /// The value of an integer constant expression; an error if it is none.
    pub fn const_int(&mut self, expr: &Node<Expression>) -> Lower<i128> {
        match self.const_int_opt(expr)? {
            Some(value) => Ok(value),
            None => {
                Fail::error("this is no constant", self.span(expr.span), "an integer constant is needed here")
            }
        }
    }

    /// The value of an integer constant expression; `None` if it is none.
    pub fn const_int_opt(&mut self, expr: &Node<Expression>) -> Lower<Option<i128>> {
        Ok(self.const_eval_ast(expr)?.and_then(|c| match c.value {
            Const::Int(bits) => self.program.types.int_type(c.ty).map(|int| int.to_i128(bits)),
            Const::Float(_) | Const::Address { .. } => None,
        }))
    }

    /// The value of a constant expression of any scalar type; `None` if it is not constant. Arrays and functions count
    /// as their addresses.
    pub fn const_eval_ast(&mut self, expr: &Node<Expression>) -> Lower<Option<ConstVal>> {
        stacker::maybe_grow(128 * 1024, 1024 * 1024, || self.const_eval(expr))
    }

    fn const_eval(&mut self, expr: &Node<Expression>) -> Lower<Option<ConstVal>> {
        let span = self.span(expr.span);
        match &expr.node {
            Expression::Constant(constant) => self.const_literal(&constant.node, span),
            Expression::Identifier(name) => self.const_name(&name.node.name, expr),
            Expression::SizeOfTy(ty) => {
                let (ty, _) = self.unevaluated_type(&ty.node.0)?;
                Ok(self.const_sizeof(ty.ty))
            }
            Expression::SizeOfVal(value) => {
                let ty = self.const_size_of_expr(&value.node.0)?;
                Ok(self.const_sizeof(ty))
            }
            Expression::AlignOf(ty) => {
                let (ty, _) = self.unevaluated_type(&ty.node.0)?;
                // `__alignof__` and `_Alignof` are one node; they differ on i386.
                let gnu = self.program.sources.text(span).starts_with("__alignof");
                Ok(self.const_alignof(ty, gnu))
            }
            Expression::OffsetOf(offset) => self.const_offsetof(&offset.node),
            Expression::UnaryOperator(unary) => {
                let (operator, operand) = (&unary.node.operator.node, &unary.node.operand);
                self.const_unary(operator, operand, expr)
            }
            Expression::BinaryOperator(binary) => self.const_binary(&binary.node, expr),
            Expression::Conditional(conditional) => self.const_conditional(&conditional.node),
            Expression::Cast(cast) => {
                let (to, computed) = self.unevaluated_type(&cast.node.type_name)?;
                if computed {
                    return Ok(None);
                }
                let Some(inner) = self.const_eval_ast(&cast.node.expression)? else { return Ok(None) };
                Ok(self.const_convert(inner, to.ty))
            }
            Expression::Call(call) if super::stmt::is_named(&call.node.callee, LABEL) => {
                self.const_leaf(expr)
            }
            Expression::Call(call) => self.const_call(&call.node, span),
            Expression::Comma(_) | Expression::Statement(_) | Expression::VaArg(_) => Ok(None),
            Expression::StringLiteral(_)
            | Expression::GenericSelection(_)
            | Expression::Member(_)
            | Expression::CompoundLiteral(_) => self.const_leaf(expr),
        }
    }

    /// Converts a constant to a type; `None` if the result is no constant.
    pub fn const_convert(&mut self, value: ConstVal, to: TypeId) -> Option<ConstVal> {
        let converted = fold::convert(self.program, value.value, value.ty, to)?;
        let same = converted == value.value && value.ty == to;
        Some(ConstVal { value: converted, ty: to, expr: value.expr.filter(|_| same) })
    }

    fn const_of(&mut self, bits: u128, kind: IntKind) -> ConstVal {
        ConstVal { value: Const::Int(bits), ty: self.program.types.int(kind), expr: None }
    }

    fn const_bool(&mut self, value: bool) -> Option<ConstVal> {
        Some(self.const_of(u128::from(value), IntKind::Int))
    }

    fn const_literal(&mut self, constant: &Constant, span: Span) -> Lower<Option<ConstVal>> {
        match constant {
            Constant::Integer(integer) => match literal::decode_integer(self.program.model, integer) {
                Some(_) if integer.suffix.imaginary => Ok(None),
                Some((bits, kind)) => Ok(Some(self.const_of(bits, kind))),
                None => Fail::error("this number fits no integer type", span, "too large"),
            },
            Constant::Float(float) => Ok(literal::decode_float(float).map(|(value, kind)| {
                let ty = self.program.types.float(kind);
                ConstVal { value: Const::Float(value), ty, expr: None }
            })),
            Constant::Character(text) => {
                let (value, kind) = literal::decode_char(text);
                let int = self.program.model.int_type(kind);
                Ok(Some(self.const_of(int.wrap(value as u128), kind)))
            }
        }
    }

    fn const_name(&mut self, name: &str, expr: &Node<Expression>) -> Lower<Option<ConstVal>> {
        if name.starts_with(PIECE_PREFIX) {
            // A part of the expression that was parsed on its own.
            let unit = self.unit;
            let Some(piece) = unit.piece_named(name) else { return Ok(None) };
            let Tree::Expression(inner) = &unit.pieces[piece].tree else { return Ok(None) };
            let outer = std::mem::replace(&mut self.piece, piece);
            let value = self.const_eval_ast(inner);
            self.piece = outer;
            return value;
        }
        match self.scopes.lookup(name) {
            Some(Entity::EnumConst(value, ty)) => {
                let bits = self.program.types.int_type(ty).map_or(0, |int| int.wrap(value as u128));
                Ok(Some(ConstVal { value: Const::Int(bits), ty, expr: None }))
            }
            Some(Entity::Var(var)) => {
                let var = &self.program.vars[var];
                let scalar = self.program.types.is_scalar(var.ty.ty);
                if scalar && !var.ty.quals.constant || !var.is_static() {
                    return Ok(None);
                }
                self.const_leaf(expr)
            }
            Some(Entity::Function(_)) => self.const_leaf(expr),
            Some(Entity::Typedef(_)) | None => self.const_leaf(expr),
        }
    }

    /// Through the typed expression.
    fn const_leaf(&mut self, expr: &Node<Expression>) -> Lower<Option<ConstVal>> {
        // The address of a label needs no edges, but to know the function.
        let label = matches!(&expr.node, Expression::Call(call)
            if super::stmt::is_named(&call.node.callee, LABEL));
        let lowered = match if label { self.rvalue(expr) } else { self.pure_expr(expr) } {
            Ok(lowered) => lowered,
            // It needs edges, so it is no constant.
            Err(fail) if matches!(*fail, Fail::Unsupported(..)) => return Ok(None),
            Err(fail) => return Err(fail),
        };
        let ty = self.program.exprs[lowered].ty;
        Ok(fold::fold(self.program, lowered)
            .filter(|value| self.is_static_address(*value))
            .map(|value| ConstVal { value, ty, expr: Some(lowered) }))
    }

    /// The address of a local variable is no constant.
    fn is_static_address(&self, value: Const) -> bool {
        match value {
            Const::Address { base: Base::Var(var), .. } => self.program.vars[var].is_static(),
            Const::Address { base: Base::Function(_), .. } | Const::Int(_) | Const::Float(_) => true,
        }
    }

    fn const_sizeof(&mut self, ty: TypeId) -> Option<ConstVal> {
        let size = match self.program.types[ty] {
            // GNU: both are 1.
            Type::Void | Type::Function(_) => 1,
            _ => self.program.types.size(ty)?,
        };
        let kind = self.program.model.size_kind();
        Some(self.const_of(u128::from(size), kind))
    }

    /// `_Alignof` of a type (`gnu`: `__alignof__`), as a `size_t`.
    pub fn const_alignof(&mut self, ty: QualType, gnu: bool) -> Option<ConstVal> {
        let types = &self.program.types;
        let align = match types[ty.ty] {
            Type::Void | Type::Function(_) => 1,
            _ if gnu => types.preferred_align(ty)?,
            _ => types.qual_align(ty)?,
        };
        let kind = self.program.model.size_kind();
        Some(self.const_of(u128::from(align), kind))
    }

    fn const_offsetof(&mut self, offset: &OffsetOfExpression) -> Lower<Option<ConstVal>> {
        let mut ty = self.type_name(&offset.type_name)?.ty;
        let mut bytes = 0i128;
        let base = &offset.designator.node.base;
        let span = self.span(base.span);
        let mut step = Some((base.node.name.as_str(), span));
        let mut members = offset.designator.node.members.iter();
        loop {
            if let Some((name, span)) = step {
                let Some(path) = self.find_member(ty, name) else {
                    let shown = self.program.show_type(ty);
                    return Fail::error(format!("`{shown}` has no member `{name}`"), span, "no such member");
                };
                for index in path {
                    let Type::Record(id) = self.program.types[ty] else { return Ok(None) };
                    let field = &self.program.types.records[id].fields[index as usize];
                    bytes += i128::from(field.offset);
                    ty = field.ty.ty;
                }
            }
            match members.next().map(|member| &member.node) {
                None => break,
                Some(OffsetMember::Member(name) | OffsetMember::IndirectMember(name)) => {
                    // `offsetof(s, a->b)` is `a[0].b`.
                    if let Some((of, _)) = self.program.types.element(ty) {
                        ty = of.ty;
                    }
                    step = Some((&name.node.name, self.span(name.span)));
                }
                Some(OffsetMember::Index(index)) => {
                    let Some(index) = self.const_int_opt(index)? else { return Ok(None) };
                    let Some((of, _)) = self.program.types.element(ty) else { return Ok(None) };
                    let Some(size) = self.program.types.size(of.ty) else { return Ok(None) };
                    bytes += index.saturating_mul(i128::from(size));
                    ty = of.ty;
                    step = None;
                }
            }
        }
        let kind = self.program.model.size_kind();
        let int = self.program.model.int_type(kind);
        Ok(Some(self.const_of(int.wrap(bytes as u128), kind)))
    }

    /// The way to a member through anonymous members, as indices of fields.
    pub fn find_member(&self, ty: TypeId, name: &str) -> Option<Vec<u32>> {
        let Type::Record(id) = self.program.types[ty] else { return None };
        let fields = &self.program.types.records[id].fields;
        if let Some(i) = fields.iter().position(|field| field.name.as_deref() == Some(name)) {
            return Some(vec![i as u32]);
        }
        let mut inner = fields.iter().enumerate().filter(|(_, f)| f.name.is_none() && f.bits.is_none());
        inner.find_map(|(i, field)| {
            let mut path = vec![i as u32];
            path.extend(self.find_member(field.ty.ty, name)?);
            Some(path)
        })
    }

    fn const_unary(
        &mut self,
        operator: &UnaryOperator,
        operand: &Node<Expression>,
        whole: &Node<Expression>,
    ) -> Lower<Option<ConstVal>> {
        match operator {
            UnaryOperator::Plus | UnaryOperator::Minus | UnaryOperator::Complement => {
                let Some(a) = self.const_eval_ast(operand)? else { return Ok(None) };
                if !self.program.types.is_arithmetic(a.ty) {
                    return Ok(None);
                }
                let ty = self.program.types.promote(a.ty);
                let Some(a) = self.const_convert(a, ty) else { return Ok(None) };
                let value = match operator {
                    UnaryOperator::Minus => fold::unary(self.program, UnOp::Neg, ty, a.value),
                    UnaryOperator::Complement => fold::unary(self.program, UnOp::BitNot, ty, a.value),
                    _ => Some(a.value),
                };
                Ok(value.map(|value| ConstVal { value, ty, expr: None }))
            }
            UnaryOperator::Negate => {
                let truth = self.const_truth(operand)?;
                Ok(truth.and_then(|truth| self.const_bool(!truth)))
            }
            UnaryOperator::Address | UnaryOperator::Indirection => self.const_leaf(whole),
            UnaryOperator::PostIncrement
            | UnaryOperator::PostDecrement
            | UnaryOperator::PreIncrement
            | UnaryOperator::PreDecrement => Ok(None),
        }
    }

    /// Whether a constant is non-zero.
    fn const_truth(&mut self, expr: &Node<Expression>) -> Lower<Option<bool>> {
        Ok(self.const_eval_ast(expr)?.map(|c| match c.value {
            Const::Int(bits) => bits != 0,
            Const::Float(value) => value != 0.0,
            Const::Address { .. } => true,
        }))
    }

    fn const_binary(
        &mut self,
        binary: &BinaryOperatorExpression,
        whole: &Node<Expression>,
    ) -> Lower<Option<ConstVal>> {
        let operator = &binary.operator.node;
        if let BinaryOperator::LogicalAnd | BinaryOperator::LogicalOr = operator {
            let short = *operator == BinaryOperator::LogicalOr;
            // As in gcc, the side that decides need not leave the other one constant.
            return Ok(match self.const_truth(&binary.lhs)? {
                Some(left) if left == short => self.const_bool(short),
                Some(_) => match self.const_truth(&binary.rhs)? {
                    Some(right) => self.const_bool(right),
                    None => None,
                },
                None => None,
            });
        }
        if *operator == BinaryOperator::Index {
            return self.const_leaf(whole);
        }
        let Some((op, false)) = operator_of(operator) else { return Ok(None) };
        let Some(a) = self.const_eval_ast(&binary.lhs)? else { return Ok(None) };
        let Some(b) = self.const_eval_ast(&binary.rhs)? else { return Ok(None) };
        Ok(self.const_arithmetic(op, a, b))
    }

    fn const_arithmetic(&mut self, op: BinOp, a: ConstVal, b: ConstVal) -> Option<ConstVal> {
        let (op, a, b) = match op {
            BinOp::Shl | BinOp::Shr => {
                let ty = self.program.types.promote(a.ty);
                (op, self.const_convert(a, ty)?, b)
            }
            _ => match self.program.types.usual_arithmetic(a.ty, b.ty) {
                Some(common) => (op, self.const_convert(a, common)?, self.const_convert(b, common)?),
                None => self.pointer_operands(op, a, b)?,
            },
        };
        let ty = match op {
            BinOp::PtrDiff => self.program.types.ptrdiff_t(),
            _ if op.is_comparison() => self.program.types.int(IntKind::Int),
            _ => a.ty,
        };
        let value = fold::binary(self.program, op, (a.value, a.ty), (b.value, b.ty))?;
        Some(ConstVal { value, ty, expr: None })
    }

    /// The operator and operands of pointer arithmetic.
    fn pointer_operands(
        &mut self,
        op: BinOp,
        a: ConstVal,
        b: ConstVal,
    ) -> Option<(BinOp, ConstVal, ConstVal)> {
        let types = &mut self.program.types;
        let (left, right) = (types.pointee(a.ty).is_some(), types.pointee(b.ty).is_some());
        let ptrdiff = types.ptrdiff_t();
        match (op, left, right) {
            (BinOp::Add, true, false) => Some((BinOp::PtrAdd, a, self.const_convert(b, ptrdiff)?)),
            (BinOp::Add, false, true) => Some((BinOp::PtrAdd, b, self.const_convert(a, ptrdiff)?)),
            (BinOp::Sub, true, false) => {
                let count = self.const_convert(b, ptrdiff)?;
                let value = fold::unary(self.program, UnOp::Neg, ptrdiff, count.value)?;
                Some((BinOp::PtrAdd, a, ConstVal { value, ty: ptrdiff, expr: None }))
            }
            (BinOp::Sub, true, true) => Some((BinOp::PtrDiff, a, b)),
            (op, true, _) if op.is_comparison() => Some((op, a, self.const_convert(b, a.ty)?)),
            (op, _, true) if op.is_comparison() => Some((op, self.const_convert(a, b.ty)?, b)),
            _ => None,
        }
    }

    fn const_conditional(&mut self, conditional: &ConditionalExpression) -> Lower<Option<ConstVal>> {
        let (yes, no) = (&conditional.then_expression, &conditional.else_expression);
        // `a ?: b`
        if matches!(&yes.node, Expression::Identifier(name) if name.node.name == "__tour_same") {
            let Some(condition) = self.const_eval_ast(&conditional.condition)? else { return Ok(None) };
            return match self.const_truth(&conditional.condition)? {
                Some(true) => self.const_common(condition, no),
                Some(false) => {
                    let Some(other) = self.const_eval_ast(no)? else { return Ok(None) };
                    let common = self.program.types.usual_arithmetic(condition.ty, other.ty);
                    Ok(self.const_convert(other, common.unwrap_or(other.ty)))
                }
                None => Ok(None),
            };
        }
        let Some(truth) = self.const_truth(&conditional.condition)? else { return Ok(None) };
        let (chosen, other) = if truth { (yes, no) } else { (no, yes) };
        let Some(value) = self.const_eval_ast(chosen)? else { return Ok(None) };
        self.const_common(value, other)
    }

    /// `value`, converted to the common type with the alternative that is not taken.
    fn const_common(&mut self, value: ConstVal, other: &Node<Expression>) -> Lower<Option<ConstVal>> {
        if !self.program.types.is_arithmetic(value.ty) {
            return Ok(Some(value));
        }
        let other = match self.const_eval_ast(other)? {
            Some(other) => other.ty,
            None => self.type_of_expr(other)?.ty,
        };
        // A null pointer constant takes the type of the pointer beside it.
        let common = match self.program.types.pointee(other) {
            Some(_) => Some(other),
            None => self.program.types.usual_arithmetic(value.ty, other),
        };
        Ok(self.const_convert(value, common.unwrap_or(value.ty)))
    }

    fn const_call(&mut self, call: &CallExpression, span: Span) -> Lower<Option<ConstVal>> {
        let Expression::Identifier(callee) = &call.callee.node else { return Ok(None) };
        let arguments = &call.arguments[..];
        Ok(match (callee.node.name.as_str(), arguments) {
            ("__builtin_constant_p", [value]) => {
                let constant = match self.const_eval_ast(value) {
                    Ok(value) => value,
                    Err(fail) if matches!(*fail, Fail::Unsupported(..)) => None,
                    Err(fail) => return Err(fail),
                };
                let known = constant.is_some_and(|c| !matches!(c.value, Const::Address { .. }))
                    || matches!(value.node, Expression::StringLiteral(_));
                self.const_bool(known)
            }
            ("__builtin_choose_expr", [condition, yes, no]) => match self.const_truth(condition)? {
                Some(truth) => self.const_eval_ast(if truth { yes } else { no })?,
                None => None,
            },
            ("__builtin_expect", [value, _]) | ("__builtin_expect_with_probability", [value, _, _]) => {
                let long = self.program.types.int(IntKind::Long);
                self.const_eval_ast(value)?.and_then(|value| self.const_convert(value, long))
            }
            ("__tour_types_compatible", [a, b]) => {
                let (a, b) = (self.sizeof_operand(a)?, self.sizeof_operand(b)?);
                let same = matches!((a, b), (Some(a), Some(b)) if self.program.types.compatible_unqualified(a.ty, b.ty));
                self.const_bool(same)
            }
            ("__tour_alignof", [value]) => {
                let ty = self.type_of_expr(value)?;
                let gnu = self.program.sources.text(span).starts_with("__alignof");
                self.const_alignof(ty, gnu)
            }
            ("__builtin_huge_val" | "__builtin_inf", []) => self.const_float(f64::INFINITY, false),
            ("__builtin_huge_valf" | "__builtin_inff", []) => self.const_float(f64::INFINITY, true),
            ("__builtin_nan", [_]) => self.const_float(f64::NAN, false),
            ("__builtin_nanf", [_]) => self.const_float(f64::NAN, true),
            ("__builtin_bswap16", [value]) => self.const_swap(value, IntKind::UShort)?,
            ("__builtin_bswap32", [value]) => self.const_swap(value, IntKind::UInt)?,
            ("__builtin_bswap64", [value]) => self.const_swap(value, IntKind::ULongLong)?,
            _ => None,
        })
    }

    fn const_float(&mut self, value: f64, single: bool) -> Option<ConstVal> {
        use tour_ir::program::FloatKind;
        let ty = self.program.types.float(if single { FloatKind::Float } else { FloatKind::Double });
        Some(ConstVal { value: Const::Float(value), ty, expr: None })
    }

    fn const_swap(&mut self, value: &Node<Expression>, kind: IntKind) -> Lower<Option<ConstVal>> {
        let ty = self.program.types.int(kind);
        let bits = self.program.model.int_type(kind).bits;
        let value = self.const_eval_ast(value)?.and_then(|value| self.const_convert(value, ty));
        Ok(value.and_then(|value| match value.value {
            Const::Int(number) => Some(self.const_of(number.swap_bytes() >> (128 - bits), kind)),
            Const::Float(_) | Const::Address { .. } => None,
        }))
    }

    /// The type below a `sizeof`: how types are passed to our own builtins.
    pub fn sizeof_operand(&mut self, expr: &Node<Expression>) -> Lower<Option<QualType>> {
        match &expr.node {
            Expression::SizeOfTy(ty) => Ok(Some(self.unevaluated_type(&ty.node.0)?.0)),
            Expression::SizeOfVal(value) => Ok(Some(self.type_of_expr(&value.node.0)?)),
            _ => Ok(None),
        }
    }

    /// An expression for a constant, converted to type `ty`.
    pub fn const_to_expr(&mut self, constant: ConstVal, ty: TypeId, span: Span) -> Option<ExprId> {
        if let (Some(expr), Const::Address { .. }) = (constant.expr, constant.value) {
            // As it was written, for the reader.
            fold::convert(self.program, constant.value, constant.ty, ty)?;
            return Some(self.program.cast(expr, ty, span));
        }
        let program = &mut *self.program;
        match fold::convert(program, constant.value, constant.ty, ty)? {
            Const::Int(bits) => Some(program.add_expr(ExprKind::Int(bits), ty, span)),
            Const::Float(value) => Some(program.add_expr(ExprKind::Float(value), ty, span)),
            Const::Address { base, offset } => {
                let start = match base {
                    Base::Var(var) => {
                        program.vars[var].address_taken = true;
                        let place = program.var_place(var, span);
                        let pointer = program.types.pointer(program.vars[var].ty);
                        program.add_expr(ExprKind::AddrOf(place), pointer, span)
                    }
                    Base::Function(f) => {
                        let pointer = program.types.pointer(program.functions[f].ty);
                        program.add_expr(ExprKind::FnAddr(f), pointer, span)
                    }
                };
                if offset == 0 {
                    return Some(program.cast(start, ty, span));
                }
                let char = program.types.int(IntKind::Char);
                let bytes = program.types.pointer(char);
                let start = program.cast(start, bytes, span);
                let ptrdiff = program.types.ptrdiff_t();
                let offset = program.int(i128::from(offset), ptrdiff, span);
                let moved = program.binary(BinOp::PtrAdd, start, offset, bytes, span);
                Some(program.cast(moved, ty, span))
            }
        }
    }
}
