//! Expressions: the dispatcher, and what is neither place, call, assignment nor logic.

use super::literal::{decode_char, decode_float, decode_integer, decode_string};
use super::operator::operator_of;
use super::{Current, Entity, Fail, Lower, Sema};
use crate::front::{PIECE_PREFIX, Tree};
use lang_c::ast::{
    BinaryOperator, BinaryOperatorExpression, CastExpression, Constant, Expression, OffsetMember,
    OffsetOfExpression, Statement, UnaryOperator, UnaryOperatorExpression,
};
use lang_c::span::Node;
use tour_ir::program::{
    BinOp, ExprId, ExprKind, FnId, Function, HavocOrigin, Init, InitItem, IntKind, Linkage, Op, PlaceId,
    PlaceKind, Storage, Type, TypeId, UnOp, VarId,
};
use tour_ir::source::Span;

/// What an expression was lowered to.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Value {
    /// A value.
    Rvalue(ExprId),
    /// An lvalue.
    Place(PlaceId),
    /// A function; the expression is its address.
    Function(ExprId),
    /// Nothing: the expression has type `void`, or its value is not used.
    Void,
}

/// Stack that one level of nesting may need, and how much more is taken when it runs out.
const RED_ZONE: usize = 256 * 1024;
const STACK_STEP: usize = 4 * 1024 * 1024;

/// Runs a recursive step with enough stack.
pub(crate) fn with_stack<T>(step: impl FnOnce() -> T) -> T {
    stacker::maybe_grow(RED_ZONE, STACK_STEP, step)
}

impl Sema<'_> {
    /// Lowers an expression to a value: side effects become edges, the rest is returned.
    pub fn rvalue(&mut self, expr: &Node<Expression>) -> Lower<ExprId> {
        let value = self.value(expr, true)?;
        let span = self.span(expr.span);
        self.use_value(value, span)
    }

    /// Lowers an expression that needs no edges; fails on any other.
    pub fn pure_expr(&mut self, expr: &Node<Expression>) -> Lower<ExprId> {
        let current = self.current.take();
        let value = self.rvalue(expr);
        self.current = current;
        value
    }

    /// The value of what an expression was lowered to.
    pub(crate) fn use_value(&mut self, value: Value, span: Span) -> Lower<ExprId> {
        match value {
            Value::Rvalue(value) | Value::Function(value) => Ok(value),
            Value::Place(place) => self.load(place, span),
            Value::Void => Fail::error("a value of type `void` is used", span, "has no value"),
        }
    }

    /// Lowers an expression. If it is not `used`, what is returned need not be its value.
    pub(crate) fn value(&mut self, expr: &Node<Expression>, used: bool) -> Lower<Value> {
        if let Some(value) = self.already(expr) {
            return Ok(value);
        }
        with_stack(|| self.ordered(&[expr], |sema| sema.value_of(expr, used)))
    }

    pub(crate) fn value_of(&mut self, expr: &Node<Expression>, used: bool) -> Lower<Value> {
        let span = self.span(expr.span);
        match &expr.node {
            Expression::Identifier(name) => self.name(&name.node.name, used, span),
            Expression::Constant(constant) => self.constant(&constant.node, span).map(Value::Rvalue),
            Expression::StringLiteral(parts) => self.string(&parts.node, span).map(Value::Place),
            Expression::GenericSelection(generic) => {
                self.apart(|sema| sema.generic(&generic.node, used, span))
            }
            Expression::Member(member) => self.member_access(member),
            Expression::Call(call) => self.call(call, used),
            Expression::CompoundLiteral(literal) => self.compound_literal(literal).map(Value::Place),
            Expression::SizeOfTy(size) => self.size_of_type(&size.node.0, span).map(Value::Rvalue),
            Expression::SizeOfVal(size) => self.size_of_expr(&size.node.0, span).map(Value::Rvalue),
            Expression::AlignOf(align) => {
                let gnu = self.program.sources.text(span).starts_with("__alignof");
                self.align_of_type(&align.node.0, gnu, span).map(Value::Rvalue)
            }
            Expression::UnaryOperator(unary) => self.unary(unary, used),
            Expression::Cast(cast) => self.cast(&cast.node, span),
            Expression::BinaryOperator(binary) => self.binary_operator(binary, used),
            Expression::Conditional(conditional) => {
                self.apart(|sema| sema.conditional(&conditional.node, used, span))
            }
            Expression::Comma(parts) => self.apart(|sema| sema.comma(parts, used, span)),
            Expression::OffsetOf(offset) => self.offset_of(&offset.node, span).map(Value::Rvalue),
            Expression::VaArg(arg) => self.va_arg(arg),
            Expression::Statement(statement) => self.apart(|sema| sema.statement_expression(statement, used)),
        }
    }

    /// `a, b`
    fn comma(&mut self, parts: &[Node<Expression>], used: bool, span: Span) -> Lower<Value> {
        let Some((last, init)) = parts.split_last() else { return Ok(Value::Void) };
        for part in init {
            self.effect(part)?;
        }
        if !used {
            self.effect(last)?;
            return Ok(Value::Void);
        }
        match self.value(last, used)? {
            Value::Void => Ok(Value::Void),
            value => self.use_value(value, span).map(Value::Rvalue),
        }
    }

    /// An identifier.
    fn name(&mut self, name: &str, used: bool, span: Span) -> Lower<Value> {
        if name.starts_with(PIECE_PREFIX)
            && let Some(value) = self.in_piece(name, |sema, tree| match tree {
                Tree::Expression(expr) => sema.value(expr, used),
                Tree::Statement(_) | Tree::External(_) => {
                    Fail::error("a statement stands where a value is needed", span, "here")
                }
            })
        {
            return value;
        }
        match self.scopes.lookup(name) {
            Some(Entity::Var(var)) => self.variable(name, var, span).map(Value::Place),
            Some(Entity::Function(f)) => self.function_pointer(f, span).map(Value::Function),
            Some(Entity::EnumConst(value, ty)) => Ok(Value::Rvalue(self.program.int(value, ty, span))),
            Some(Entity::Typedef(_)) => {
                Fail::error(format!("`{name}` is a type"), span, "a value is needed here")
            }
            None => self.special_name(name, span),
        }
    }

    fn special_name(&mut self, name: &str, span: Span) -> Lower<Value> {
        match (name, &self.current) {
            ("__tour_same", Some(Current { same, .. })) if !same.is_empty() => {
                Ok(Value::Rvalue(same[same.len() - 1]))
            }
            ("__func__" | "__FUNCTION__" | "__PRETTY_FUNCTION__", Some(current)) => {
                let function = self.program.functions.get(current.function);
                let mut bytes = function.map(|f| f.name.clone()).unwrap_or_default().into_bytes();
                bytes.push(0);
                let char = self.program.types.int(IntKind::Char);
                let ty = self.program.types.array(char, bytes.len() as u64);
                let var = self.literal(bytes, ty, None, span);
                Ok(Value::Place(self.program.var_place(var, span)))
            }
            _ => Fail::error(format!("`{name}` is not declared"), span, "not found in this scope"),
        }
    }

    /// Runs `lower` on the tree of a piece that a name stands for.
    pub(crate) fn in_piece<T>(&mut self, name: &str, lower: impl FnOnce(&mut Self, &Tree) -> T) -> Option<T> {
        let unit = self.unit;
        let piece = unit.piece_named(name)?;
        let outer = std::mem::replace(&mut self.piece, piece);
        let result = with_stack(|| lower(self, &unit.pieces[piece].tree));
        self.piece = outer;
        Some(result)
    }

    /// A variable; one whose symbol is null lies at address zero, and what one in a register holds nobody knows.
    fn variable(&mut self, name: &str, var: VarId, span: Span) -> Lower<PlaceId> {
        if self.shared.symbols.registers.contains(&var) {
            let place = self.program.var_place(var, span);
            self.emit(Op::Havoc(place, HavocOrigin::Uncomputed), span)?;
            return Ok(place);
        }
        let null = match self.program.vars[var].storage {
            Storage::Global { .. } => self.is_null_symbol(&self.shared.linkage.symbol(name), span)?,
            Storage::Static => self.is_null_reference(name, span)?,
            _ => false,
        };
        if null {
            let ty = self.program.vars[var].ty;
            let pointer = self.program.types.pointer(ty);
            let null = self.program.int(0, pointer, span);
            return Ok(self.add_place(PlaceKind::Deref(null), ty.ty, span));
        }
        Ok(self.program.var_place(var, span))
    }

    /// The address of a function; null if its symbol is.
    pub(crate) fn function_pointer(&mut self, function: FnId, span: Span) -> Lower<ExprId> {
        let Function { name, linkage, ty, .. } = &self.program.functions[function];
        let null = match linkage {
            Linkage::External => self.is_null_symbol(name, span)?,
            Linkage::Internal => self.is_null_reference(name, span)?,
        };
        if null {
            let pointer = self.program.types.pointer(*ty);
            return Ok(self.program.int(0, pointer, span));
        }
        Ok(self.function_address(function, span))
    }

    /// The address of a function.
    pub(crate) fn function_address(&mut self, function: FnId, span: Span) -> ExprId {
        let ty = self.program.functions[function].ty;
        let pointer = self.program.types.pointer(ty);
        self.program.add_expr(ExprKind::FnAddr(function), pointer, span)
    }

    fn constant(&mut self, constant: &Constant, span: Span) -> Lower<ExprId> {
        match constant {
            Constant::Integer(integer) if integer.suffix.imaginary => {
                Fail::unsupported("opaque-type", "complex numbers are not modelled", span)
            }
            Constant::Integer(integer) => match decode_integer(self.program.model, integer) {
                Some((bits, kind)) => {
                    let ty = self.program.types.int(kind);
                    Ok(self.program.add_expr(ExprKind::Int(bits), ty, span))
                }
                None => Fail::error("this number is too large", span, "no integer type holds it"),
            },
            Constant::Float(float) => match decode_float(float) {
                Some((value, kind)) => {
                    let ty = self.program.types.intern(Type::Float(kind));
                    Ok(self.program.add_expr(ExprKind::Float(value), ty, span))
                }
                None => Fail::unsupported("float-constant", "this floating constant is not modelled", span),
            },
            Constant::Character(text) => {
                let (value, kind) = decode_char(text);
                let ty = self.program.types.int(kind);
                Ok(self.program.int(value, ty, span))
            }
        }
    }

    fn string(&mut self, parts: &[String], span: Span) -> Lower<PlaceId> {
        let string = decode_string(parts);
        let element = self.program.types.int(string.element);
        let ty = self.program.types.array(element, string.elements());
        let var = self.literal(string.bytes, ty, Some(span), span);
        Ok(self.program.var_place(var, span))
    }

    /// The variable of a string literal of an array type: that of the literal at a place of the source, or one for all
    /// whose address nobody sees.
    pub(crate) fn literal(&mut self, bytes: Vec<u8>, ty: TypeId, place: Option<Span>, span: Span) -> VarId {
        let key = (ty, bytes.into_boxed_slice(), place);
        if let Some(&var) = self.shared.literals.get(&key) {
            return var;
        }
        let text = String::from_utf8_lossy(&key.1);
        let name = format!("\"{}\"", text.trim_end_matches('\0').escape_debug());
        let var = self.add_local(name, ty.into(), Storage::Literal, span);
        let place = self.program.var_place(var, span);
        let items = vec![InitItem::Bytes { place, bytes: key.1.clone() }];
        self.program.vars[var].init = Some(Init { items });
        self.program.globals.push(var);
        self.shared.literals.insert(key, var);
        var
    }

    fn unary(&mut self, unary: &Node<UnaryOperatorExpression>, used: bool) -> Lower<Value> {
        let span = self.span(unary.span);
        let operand = &unary.node.operand;
        let value = match unary.node.operator.node {
            UnaryOperator::PostIncrement => return self.step_by_one(operand, BinOp::Add, true, used, span),
            UnaryOperator::PostDecrement => return self.step_by_one(operand, BinOp::Sub, true, used, span),
            UnaryOperator::PreIncrement => return self.step_by_one(operand, BinOp::Add, false, used, span),
            UnaryOperator::PreDecrement => return self.step_by_one(operand, BinOp::Sub, false, used, span),
            UnaryOperator::Address => {
                return match self.value(operand, true)? {
                    Value::Place(place) => self.address(place, span).map(Value::Rvalue),
                    Value::Function(pointer) => Ok(Value::Rvalue(pointer)),
                    Value::Rvalue(_) | Value::Void => {
                        Fail::error("the address of a value is taken", span, "this is not an lvalue")
                    }
                };
            }
            UnaryOperator::Indirection => return self.indirection(operand, span),
            UnaryOperator::Negate if is_logical(operand) && self.current.is_some() => {
                let condition = |sema: &mut Self, yes, no| sema.condition(operand, yes, no);
                return self.truth_value(condition, false, span);
            }
            UnaryOperator::Negate => {
                let value = self.rvalue(operand)?;
                self.not(value, span)?
            }
            UnaryOperator::Plus => {
                let value = self.rvalue(operand)?;
                self.arithmetic_operand(value, span)?
            }
            UnaryOperator::Minus => {
                let value = self.rvalue(operand)?;
                let value = self.arithmetic_operand(value, span)?;
                self.negate(UnOp::Neg, value, span)?
            }
            UnaryOperator::Complement => {
                let value = self.rvalue(operand)?;
                let value = self.promote(value, span)?;
                if !self.program.types.is_integer(self.ty(value)) {
                    return self.bad_operands(&[value], span);
                }
                self.negate(UnOp::BitNot, value, span)?
            }
        };
        Ok(Value::Rvalue(value))
    }

    fn arithmetic_operand(&mut self, value: ExprId, span: Span) -> Lower<ExprId> {
        let value = self.promote(value, span)?;
        match self.program.types[self.ty(value)] {
            Type::Int(_) | Type::Float(_) => Ok(value),
            _ => self.bad_operands(&[value], span),
        }
    }

    fn cast(&mut self, cast: &CastExpression, span: Span) -> Lower<Value> {
        let to = self.type_name(&cast.type_name)?.ty;
        if let Type::Void = self.program.types[to] {
            self.effect(&cast.expression)?;
            return Ok(Value::Void);
        }
        let value = self.rvalue(&cast.expression)?;
        let value = self.coerce(value, to, span)?;
        // A bit-field that is cast to its declared type is no longer promoted by its width.
        Ok(Value::Rvalue(match self.bit_field_width(value) {
            Some(_) => self.program.add_expr(ExprKind::Cast(value), to, span),
            None => value,
        }))
    }

    fn binary_operator(&mut self, binary: &Node<BinaryOperatorExpression>, used: bool) -> Lower<Value> {
        let span = self.span(binary.span);
        let BinaryOperatorExpression { operator, lhs, rhs } = &binary.node;
        let op = match (&operator.node, operator_of(&operator.node)) {
            (BinaryOperator::Index, _) => return self.index(lhs, rhs, span),
            (BinaryOperator::Assign, _) => return self.assign(lhs, rhs, used, span),
            (_, Some((op, true))) => return self.assign_op(op, lhs, rhs, used, span),
            (_, Some((op, false))) => op,
            (_, None) => return self.apart(|sema| sema.logical(binary, used, span)),
        };
        let a = self.rvalue(lhs)?;
        let mark = self.mark();
        let b = self.rvalue(rhs)?;
        let a = self.keep(a, mark, span)?;
        self.binary(op, a, b, span).map(Value::Rvalue)
    }

    fn offset_of(&mut self, offset: &OffsetOfExpression, span: Span) -> Lower<ExprId> {
        // The address of the member of an object at address zero.
        let ty = self.type_name(&offset.type_name)?.ty;
        let pointer = self.program.types.pointer(ty);
        let null = self.program.int(0, pointer, span);
        let base = self.add_place(PlaceKind::Deref(null), ty, span);
        let designator = &offset.designator.node;
        let mut place = self.field(base, &designator.base.node.name, span)?;
        for member in &designator.members {
            place = match &member.node {
                OffsetMember::Member(name) => self.field(place, &name.node.name, span)?,
                OffsetMember::IndirectMember(name) => {
                    let pointer = self.load(place, span)?;
                    match self.dereference(pointer, span)? {
                        Value::Place(inner) => self.field(inner, &name.node.name, span)?,
                        Value::Rvalue(_) | Value::Function(_) | Value::Void => {
                            return Fail::error("not a member designator", span, "here");
                        }
                    }
                }
                OffsetMember::Index(index) => {
                    let index = self.rvalue(index)?;
                    let ty = self.program.places[place].ty;
                    match self.program.types.element(ty) {
                        Some((of, _)) => self.element(place, of, index, span)?,
                        None => return Fail::error("not an array", span, "indexed here"),
                    }
                }
            };
        }
        let address = self.address(place, span)?;
        let size_t = self.program.types.size_t();
        self.convert(address, size_t, span)
    }

    fn statement_expression(&mut self, statement: &Node<Statement>, used: bool) -> Lower<Value> {
        self.current(self.span(statement.span))?;
        self.scopes.enter();
        let value = self.block_value(statement, used);
        self.scopes.leave();
        value
    }
}

/// The expression is lowered to branches.
pub(crate) fn is_logical(expr: &Node<Expression>) -> bool {
    match &expr.node {
        Expression::BinaryOperator(binary) => {
            matches!(binary.node.operator.node, BinaryOperator::LogicalAnd | BinaryOperator::LogicalOr)
        }
        _ => false,
    }
}
