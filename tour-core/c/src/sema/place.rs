//! Lvalues: members, elements, dereferences, addresses.

use super::expr::{Value, with_stack};
use super::{Fail, Lower, Sema};
use lang_c::ast::{Expression, MemberExpression, MemberOperator};
use lang_c::span::Node;
use tour_ir::program::{
    ArrayLen, Assumption, BinOp, ExprId, ExprKind, Op, Place, PlaceId, PlaceKind, QualType, RecordId, Type,
    TypeId,
};
use tour_ir::source::Span;

impl Sema<'_> {
    /// Lowers an lvalue.
    pub fn place(&mut self, expr: &Node<Expression>) -> Lower<PlaceId> {
        let value = with_stack(|| self.ordered(&[expr], |sema| sema.value_of(expr, true)))?;
        let span = self.span(expr.span);
        match value {
            Value::Place(place) => Ok(place),
            Value::Rvalue(_) | Value::Function(_) | Value::Void => {
                Fail::error("this is not an lvalue", span, "cannot be assigned to, nor has it an address")
            }
        }
    }

    /// Adds a place.
    pub fn add_place(&mut self, kind: PlaceKind, ty: TypeId, span: Span) -> PlaceId {
        self.program.places.push(Place { kind, ty, span })
    }

    /// What is stored in a place, as a value: arrays decay, the rest is read.
    pub(crate) fn load(&mut self, place: PlaceId, span: Span) -> Lower<ExprId> {
        match self.program.types[self.program.places[place].ty] {
            Type::Array(..) => self.decay(place, span),
            Type::Void => Fail::error("a value of type `void` is used", span, "has no value"),
            _ => {
                self.note_volatile(place, span);
                let place = self.shallow_place(place, span)?;
                Ok(self.program.load(place, span))
            }
        }
    }

    /// The first time that something volatile is accessed, we say what we take it for. What a device or a signal
    /// handler may put there is not modelled: in programs that are verified as they stand, `volatile` mostly keeps
    /// the compiler from removing code, and a value that is never written by the program would make every such
    /// program fail.
    pub(crate) fn note_volatile(&mut self, place: PlaceId, span: Span) {
        if !self.shared.volatile_noted && self.place_quals(place).volatile {
            self.shared.volatile_noted = true;
            self.program.assumptions.push(Assumption {
                text: "`volatile` objects are read and written as ordinary memory".to_owned(),
                span,
            });
        }
    }

    /// Stores a value of the place's type.
    pub(crate) fn store(&mut self, place: PlaceId, value: ExprId, span: Span) -> Lower<()> {
        self.note_volatile(place, span);
        self.emit(Op::Assign(place, value), span)
    }

    /// An array as a pointer to its first element.
    pub fn decay(&mut self, place: PlaceId, span: Span) -> Lower<ExprId> {
        let first = self.first_element(place, span)?;
        self.address(first, span)
    }

    fn first_element(&mut self, array: PlaceId, span: Span) -> Lower<PlaceId> {
        let ptrdiff = self.program.types.ptrdiff_t();
        let zero = self.program.int(0, ptrdiff, span);
        match self.program.types.element(self.program.places[array].ty) {
            Some((of, _)) => Ok(self.add_place(PlaceKind::Index(array, zero), of.ty, span)),
            None => Fail::error("this is not an array", span, "here"),
        }
    }

    /// The address of a place.
    pub fn address(&mut self, place: PlaceId, span: Span) -> Lower<ExprId> {
        let ty = self.program.places[place].ty;
        let quals = self.place_quals(place);
        let pointer = self.program.types.pointer(QualType { ty, quals });
        if self.program.bit_field(place).is_some() {
            return Fail::error("a bit-field has no address", span, "address taken here");
        }
        if let PlaceKind::Deref(p) = self.program.places[place].kind {
            return self.convert(p, pointer, span);
        }
        if let Some(address) = self.constant_address(place) {
            return Ok(self.program.int(address, pointer, span));
        }
        self.take_address(place);
        Ok(self.program.add_expr(ExprKind::AddrOf(place), pointer, span))
    }

    fn take_address(&mut self, place: PlaceId) {
        if let Some(var) = self.program.root(place) {
            self.program.vars[var].address_taken = true;
        }
    }

    /// The address of a place inside of an object at a constant address: `offsetof` written by hand.
    fn constant_address(&self, place: PlaceId) -> Option<i128> {
        match self.program.places[place].kind {
            PlaceKind::Var(_) => None,
            PlaceKind::Deref(p) => self.program.const_value(p).map(|bits| bits as i128),
            PlaceKind::Field(base, index) => {
                let at = self.constant_address(base)?;
                let Type::Record(id) = self.program.types[self.program.places[base].ty] else { return None };
                Some(at + i128::from(self.program.types.records[id].fields.get(index as usize)?.offset))
            }
            PlaceKind::Index(base, index) => {
                let at = self.constant_address(base)?;
                let index = self.program.int_type_of(index)?.to_i128(self.program.const_value(index)?);
                let size = self.program.types.size(self.program.places[place].ty)?;
                Some(at + index * i128::from(size))
            }
        }
    }

    /// `*pointer`
    pub(crate) fn dereference(&mut self, pointer: ExprId, span: Span) -> Lower<Value> {
        let Some(to) = self.program.types.pointee(self.ty(pointer)) else {
            return self.bad_operands(&[pointer], span);
        };
        if let Type::Function(_) = self.program.types[to.ty] {
            return Ok(Value::Function(pointer));
        }
        if let ExprKind::AddrOf(place) = self.program.exprs[pointer].kind
            && self.program.places[place].ty == to.ty
        {
            return Ok(Value::Place(place));
        }
        let pointer = self.shallow(pointer, span)?;
        Ok(Value::Place(self.add_place(PlaceKind::Deref(pointer), to.ty, span)))
    }

    /// `*operand`
    pub(crate) fn indirection(&mut self, operand: &Node<Expression>, span: Span) -> Lower<Value> {
        match self.value(operand, true)? {
            Value::Place(place) if self.program.types.element(self.program.places[place].ty).is_some() => {
                Ok(Value::Place(self.first_element(place, span)?))
            }
            value => {
                let pointer = self.use_value(value, span)?;
                self.dereference(pointer, span)
            }
        }
    }

    /// `lhs[rhs]`
    pub(crate) fn index(
        &mut self,
        lhs: &Node<Expression>,
        rhs: &Node<Expression>,
        span: Span,
    ) -> Lower<Value> {
        let base = self.value(lhs, true)?;
        if let Some((array, of)) = self.as_array(base) {
            let mark = self.mark();
            let index = self.rvalue(rhs)?;
            let array = self.keep_place(array, mark, span)?;
            return self.element(array, of, index, span).map(Value::Place);
        }
        let base = self.use_value(base, span)?;
        let mark = self.mark();
        let index = self.value(rhs, true)?;
        if let Some((array, of)) = self.as_array(index) {
            // `2[a]`
            let base = self.keep(base, mark, span)?;
            return self.element(array, of, base, span).map(Value::Place);
        }
        let index = self.use_value(index, span)?;
        let base = self.keep(base, mark, span)?;
        let (pointer, index) = match self.program.types.pointee(self.ty(base)) {
            Some(_) => (base, index),
            None => (index, base),
        };
        if self.program.types.pointee(self.ty(pointer)).is_none() {
            return self.bad_operands(&[pointer, index], span);
        }
        let pointer = self.offset(pointer, index, span)?;
        self.dereference(pointer, span)
    }

    /// An lvalue of array type, and what its elements are.
    fn as_array(&self, value: Value) -> Option<(PlaceId, QualType)> {
        let Value::Place(place) = value else { return None };
        let (of, _) = self.program.types.element(self.program.places[place].ty)?;
        Some((place, of))
    }

    /// An element of an array.
    pub(crate) fn element(
        &mut self,
        array: PlaceId,
        of: QualType,
        index: ExprId,
        span: Span,
    ) -> Lower<PlaceId> {
        if !self.program.types.is_integer(self.ty(index)) {
            return self.bad_operands(&[index], span);
        }
        let ptrdiff = self.program.types.ptrdiff_t();
        let index = self.promote(index, span)?;
        let index = self.convert(index, ptrdiff, span)?;
        let index = self.shallow(index, span)?;
        Ok(self.add_place(PlaceKind::Index(array, index), of.ty, span))
    }

    /// `e.m`, `e->m`
    pub(crate) fn member_access(&mut self, member: &Node<MemberExpression>) -> Lower<Value> {
        let span = self.span(member.span);
        let MemberExpression { operator, expression, identifier } = &member.node;
        let value = self.value(expression, true)?;
        let base = match operator.node {
            MemberOperator::Direct => value,
            MemberOperator::Indirect => {
                let pointer = self.use_value(value, span)?;
                self.dereference(pointer, span)?
            }
        };
        let base = match base {
            Value::Place(place) => place,
            // What a function returned stands in a temporary.
            Value::Rvalue(value) => match self.program.exprs[value].kind {
                ExprKind::Load(place) => place,
                _ => return self.bad_operands(&[value], span),
            },
            Value::Function(value) => return self.bad_operands(&[value], span),
            Value::Void => return Fail::error("a value of type `void` is used", span, "has no members"),
        };
        self.field(base, &identifier.node.name, span).map(Value::Place)
    }

    /// The place of a member by its name, through anonymous records.
    pub(crate) fn field(&mut self, base: PlaceId, name: &str, span: Span) -> Lower<PlaceId> {
        let ty = self.program.places[base].ty;
        let Type::Record(id) = self.program.types[ty] else {
            let shown = self.program.show_type(ty);
            return Fail::error(format!("`{shown}` has no member `{name}`"), span, "not a struct or union");
        };
        let Some(path) = self.find_field(id, name) else {
            let shown = self.program.show_type(ty);
            let label =
                if self.program.types.records[id].complete { "no such member" } else { "incomplete type" };
            return Fail::error(format!("`{shown}` has no member `{name}`"), span, label);
        };
        let mut place = base;
        for index in path {
            place = self.step(place, index, span);
        }
        Ok(place)
    }

    /// The place of a member by its index.
    pub(crate) fn step(&mut self, base: PlaceId, index: u32, span: Span) -> PlaceId {
        let ty = match self.program.types[self.program.places[base].ty] {
            Type::Record(id) => self.program.types.records[id].fields[index as usize].ty.ty,
            ref other => unreachable!("a field of {other:?}"),
        };
        self.add_place(PlaceKind::Field(base, index), ty, span)
    }

    /// The steps to a member.
    pub(crate) fn find_field(&self, record: RecordId, name: &str) -> Option<Vec<u32>> {
        let types = &self.program.types;
        let fields = &types.records[record].fields;
        if let Some(index) = fields.iter().position(|f| f.name.as_deref() == Some(name)) {
            return Some(vec![index as u32]);
        }
        for (index, field) in fields.iter().enumerate().filter(|(_, f)| f.name.is_none()) {
            if let Type::Record(inner) = types[field.ty.ty]
                && let Some(mut path) = self.find_field(inner, name)
            {
                path.insert(0, index as u32);
                return Some(path);
            }
        }
        None
    }

    /// The size of a type as an expression; of a variable-length array, computed.
    pub(crate) fn size_of(&mut self, ty: TypeId, span: Span) -> Lower<ExprId> {
        if let Type::Array(of, ArrayLen::Variable(len)) = self.program.types[ty] {
            let count = self.program.load_var(len, span);
            let each = self.size_of(of.ty, span)?;
            let size_t = self.program.types.size_t();
            let count = self.convert(count, size_t, span)?;
            return self.operate(BinOp::Mul, count, each, size_t, span);
        }
        if let Type::Array(of, ArrayLen::Fixed(count)) = self.program.types[ty]
            && self.program.types.size(ty).is_none()
        {
            let each = self.size_of(of.ty, span)?;
            let (count, size_t) = (self.size(count, span), self.program.types.size_t());
            return self.operate(BinOp::Mul, count, each, size_t, span);
        }
        match self.step_size(ty) {
            Some(size) => Ok(self.size(size, span)),
            None => {
                let shown = self.program.show_type(ty);
                Fail::error(format!("the size of `{shown}` is not known"), span, "incomplete type")
            }
        }
    }
}
