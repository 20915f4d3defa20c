//! Threads as the front end sees them: `pthread_create` and its kin as calls of a few [`Builtin`]s, and atomic operations
//! as atomic sections. Locks and the like are bodies in C (`lib/threads.c`).

use super::call::{Given, Want};
use super::expr::Value;
use super::format::Kind;
use super::literal::decode_string;
use super::{Fail, Lower, Sema};
use lang_c::ast::{Expression, UnaryOperator};
use lang_c::span::Node;
use tour_ir::program::{
    BinOp, Builtin, Call, Callee, ExprId, FnSig, HavocOrigin, IntKind, Op, Place, PlaceId, PlaceKind, Rule,
    Type, TypeId, UnOp, Unsupported,
};
use tour_ir::source::Span;

/// The memory order of an atomic operation, as GCC numbers them; `None` is sequentially consistent.
type Order = Option<i128>;

const RELAXED: i128 = 0;
const ACQUIRE: i128 = 2;
const RELEASE: i128 = 3;
const SEQ_CST: i128 = 5;

/// Records of more bytes are not accessed atomically by a machine.
const MAX_ATOMIC: u64 = 16;

/// What an atomic operation stores, given what was there and its operand.
#[derive(Clone, Copy)]
enum Update {
    Binary(BinOp),
    Nand,
    Exchange,
}

impl Sema<'_> {
    /// A call that concerns threads; `None` if it is not one.
    pub(crate) fn thread_call(
        &mut self,
        name: &str,
        args: &[Node<Expression>],
        want: Want,
        span: Span,
    ) -> Lower<Option<Given>> {
        if self.is_defined(name) {
            return Ok(None);
        }
        let value = match (name, args) {
            ("pthread_create", [handle, attributes, start, argument]) => {
                let attributes = self.rvalue(attributes)?;
                let attributes = self.as_bytes(attributes, span)?;
                let attributes = self.fix(attributes, span)?;
                let dest = self.behind_address(handle)?;
                let dest = self.fix_place(dest, span)?;
                let start = self.rvalue(start)?;
                let start = self.fix(start, span)?;
                let argument = self.rvalue(argument)?;
                let argument = self.as_bytes(argument, span)?;
                self.primitive(Builtin::ThreadCreate, vec![start, argument, attributes], Some(dest), span)?;
                Value::Rvalue(self.int(0, span))
            }
            ("thrd_create", [handle, start, argument]) => {
                let dest = self.behind_address(handle)?;
                let dest = self.fix_place(dest, span)?;
                let start = self.rvalue(start)?;
                let start = self.fix(start, span)?;
                let argument = self.rvalue(argument)?;
                let given = vec![self.as_bytes(start, span)?, argument];
                let given =
                    self.helper("__thread_given", Kind::Bytes, &[Kind::Bytes, Kind::Bytes], given, span)?;
                let void = self.program.types.void();
                let bytes = self.program.types.pointer(void);
                let ty = self.program.types.function(bytes, vec![bytes]);
                let run = self.external_function("__thread_run", ty, span);
                let run = self.function_address(run, span);
                self.primitive(Builtin::ThreadCreate, vec![run, given], Some(dest), span)?;
                Value::Rvalue(self.int(0, span))
            }
            ("thrd_join", [handle, result]) => {
                let handle = self.rvalue(handle)?;
                let handle = self.fix(handle, span)?;
                let to = self.rvalue(result)?;
                let to = self.fix(to, span)?;
                let void = self.program.types.void();
                let bytes = self.program.types.pointer(void);
                let returned = self.temp(bytes, span)?;
                let returned = self.program.var_place(returned, span);
                self.primitive(Builtin::ThreadJoin, vec![handle], Some(returned), span)?;
                let returned = self.load(returned, span)?;
                let kinds = [Kind::Bytes, Kind::Bytes];
                self.helper("__thread_result", Kind::Void, &kinds, vec![returned, to], span)?;
                Value::Rvalue(self.int(0, span))
            }
            ("pthread_join", [handle, result]) => {
                let handle = self.rvalue(handle)?;
                let handle = self.fix(handle, span)?;
                let void = self.program.types.void();
                let bytes = self.program.types.pointer(void);
                let returned = self.temp(bytes, span)?;
                let returned = self.program.var_place(returned, span);
                let join =
                    |sema: &mut Self| sema.primitive(Builtin::ThreadJoin, vec![handle], Some(returned), span);
                if is_address(result) {
                    let to = self.behind_address(result)?;
                    let to = self.fix_place(to, span)?;
                    join(self)?;
                    let value = self.load(returned, span)?;
                    let value = self.coerce(value, self.program.places[to].ty, span)?;
                    self.store(to, value, span)?;
                } else {
                    let to = self.rvalue(result)?;
                    let to = self.fix(to, span)?;
                    join(self)?;
                    if self.program.const_value(to) != Some(0) {
                        self.store_unless_null(to, returned, span)?;
                    }
                }
                Value::Rvalue(self.int(0, span))
            }
            // A second argument says that the thread is not waited for.
            ("pthread_detach" | "thrd_detach", [handle]) => {
                let handle = self.rvalue(handle)?;
                let handle = self.fix(handle, span)?;
                let detach = self.int(1, span);
                self.primitive(Builtin::ThreadJoin, vec![handle, detach], None, span)?;
                Value::Rvalue(self.int(0, span))
            }
            ("pthread_exit", [result]) => {
                let result = self.rvalue(result)?;
                let result = self.as_bytes(result, span)?;
                self.primitive(Builtin::ThreadExit, vec![result], None, span)?;
                self.end_program(span)?;
                Value::Void
            }
            ("pthread_self" | "__tour_thread_self", []) => {
                let kind = if name == "pthread_self" { IntKind::ULong } else { IntKind::Int };
                let ty = self.program.types.int(kind);
                let number = self.temp(ty, span)?;
                let place = self.program.var_place(number, span);
                self.primitive(Builtin::ThreadSelf, Vec::new(), Some(place), span)?;
                Value::Rvalue(self.load(place, span)?)
            }
            ("__VERIFIER_atomic_begin" | "__tour_atomic_begin", []) => {
                self.primitive(Builtin::AtomicBegin, Vec::new(), None, span)?;
                Value::Void
            }
            ("__VERIFIER_atomic_end" | "__tour_atomic_end", []) => {
                self.primitive(Builtin::AtomicEnd, Vec::new(), None, span)?;
                Value::Void
            }
            ("__tour_blocked", []) => {
                self.primitive(Builtin::Blocked, Vec::new(), None, span)?;
                Value::Void
            }
            ("__tour_not_modelled", [text]) => {
                let Expression::StringLiteral(parts) = &text.node else { return Ok(None) };
                let mut bytes = decode_string(&parts.node).bytes;
                bytes.pop();
                let message = String::from_utf8_lossy(&bytes).into_owned();
                self.emit(Op::Unsupported(Box::new(Unsupported { kind: "threads", message })), span)?;
                Value::Void
            }
            ("__tour_misuse", [text]) => {
                let Expression::StringLiteral(parts) = &text.node else { return Ok(None) };
                let mut bytes = decode_string(&parts.node).bytes;
                bytes.pop();
                let message = String::from_utf8_lossy(&bytes).into_owned();
                self.violation(Rule::MutexMisuse, message, span)?;
                Value::Void
            }
            _ => {
                let prefixes = ["__sync_", "__atomic_", "__c11_atomic_"];
                if prefixes.iter().any(|prefix| name.starts_with(prefix)) {
                    self.atomic_call(name, args, span)?
                } else {
                    return Ok(None);
                }
            }
        };
        Ok(Some(Given::Value(match want {
            Want::Nothing => Value::Void,
            Want::Value | Want::Into(_) => value,
        })))
    }

    /// A call of one of the functions that the engine knows.
    fn primitive(
        &mut self,
        builtin: Builtin,
        args: Vec<ExprId>,
        dest: Option<PlaceId>,
        span: Span,
    ) -> Lower<()> {
        let types = &mut self.program.types;
        let (name, ret) = match builtin {
            Builtin::ThreadCreate => ("__tour_thread_create", types.int(IntKind::ULong)),
            Builtin::ThreadJoin => {
                let void = types.void();
                ("__tour_thread_join", types.pointer(void))
            }
            Builtin::ThreadSelf => ("__tour_thread_self", types.int(IntKind::Int)),
            Builtin::ThreadExit => ("__tour_thread_exit", types.void()),
            Builtin::AtomicBegin => ("__tour_atomic_begin", types.void()),
            Builtin::AtomicEnd => ("__tour_atomic_end", types.void()),
            Builtin::Blocked => ("__tour_blocked", types.void()),
            _ => return Fail::unsupported("threads", "this operation on threads is not modelled", span),
        };
        let ty = self.program.types.intern(Type::Function(FnSig::unprototyped(ret)));
        let function = self.undeclared_function(name, ty, span);
        self.emit(Op::Call(Call { callee: Callee::Direct(function), args, dest }), span)
    }

    /// `place op= value` in one step: the values before and after.
    pub(crate) fn update_atomically(
        &mut self,
        op: BinOp,
        place: PlaceId,
        value: ExprId,
        span: Span,
    ) -> Lower<(ExprId, ExprId)> {
        self.primitive(Builtin::AtomicBegin, Vec::new(), None, span)?;
        let old = self.load(place, span)?;
        let old = self.save(old, span)?;
        let new = self.binary(op, old, value, span)?;
        let new = self.coerce(new, self.program.places[place].ty, span)?;
        let new = self.fix(new, span)?;
        self.store(place, new, span)?;
        self.primitive(Builtin::AtomicEnd, Vec::new(), None, span)?;
        Ok((old, new))
    }

    /// One access, as an atomic section of its own: see the rule on data races.
    fn alone<T>(&mut self, order: Order, access: impl FnOnce(&mut Self) -> Lower<T>, span: Span) -> Lower<T> {
        self.begin_atomic(order, span)?;
        let value = access(self)?;
        self.primitive(Builtin::AtomicEnd, Vec::new(), None, span)?;
        Ok(value)
    }

    /// An atomic operation begins. One that is not sequentially consistent says its order: see `threads`.
    fn begin_atomic(&mut self, order: Order, span: Span) -> Lower<()> {
        let order = order.map(|order| self.int(order, span));
        self.primitive(Builtin::AtomicBegin, order.into_iter().collect(), None, span)
    }

    /// The order of an atomic operation, by its last arguments; the weaker one, if there are two.
    fn order_of(&mut self, name: &str, operands: &[Node<Expression>]) -> Lower<Order> {
        match name {
            "__sync_lock_test_and_set" => return Ok(Some(ACQUIRE)),
            "__sync_lock_release" => return Ok(Some(RELEASE)),
            "__c11_atomic_init" => return Ok(None),
            _ if name.starts_with("__sync_") => return Ok(None),
            _ => {}
        }
        let count = if name.contains("compare_exchange") { 2 } else { 1 };
        let mut weakest: Order = None;
        for operand in &operands[operands.len().saturating_sub(count)..] {
            // One that is not constant may be any.
            let order = self.const_int_opt(operand)?.unwrap_or(RELAXED);
            if order != SEQ_CST {
                weakest = Some(weakest.map_or(order, |other| other.min(order)));
            }
        }
        Ok(weakest)
    }

    /// A value as a `void *`.
    fn as_bytes(&mut self, value: ExprId, span: Span) -> Lower<ExprId> {
        let void = self.program.types.void();
        let bytes = self.program.types.pointer(void);
        self.convert(value, bytes, span)
    }

    /// What a pointer points to; the operand itself of `&operand`, whose address is not taken then.
    fn behind_address(&mut self, pointer: &Node<Expression>) -> Lower<PlaceId> {
        if let Expression::UnaryOperator(unary) = &pointer.node
            && unary.node.operator.node == UnaryOperator::Address
        {
            return self.place(&unary.node.operand);
        }
        let span = self.span(pointer.span);
        let value = self.rvalue(pointer)?;
        match self.dereference(value, span)? {
            Value::Place(place) => Ok(place),
            _ => {
                Fail::error("this points to nothing that can be accessed", span, "not a pointer to an object")
            }
        }
    }

    fn store_unless_null(&mut self, to: ExprId, value: PlaceId, span: Span) -> Lower<()> {
        let null = self.program.int(0, self.program.exprs[to].ty, span);
        let some = self.binary(BinOp::Ne, to, null, span)?;
        let (yes, on) = (self.point(span)?, self.point(span)?);
        self.branch_on(some, yes, on, span)?;
        self.go_on(yes);
        if let Value::Place(place) = self.dereference(to, span)? {
            let value = self.load(value, span)?;
            let value = self.coerce(value, self.program.places[place].ty, span)?;
            self.store(place, value, span)?;
        }
        self.jump(on, span)?;
        self.go_on(on);
        Ok(())
    }

    /// An atomic operation of the compiler.
    fn atomic_call(&mut self, name: &str, args: &[Node<Expression>], span: Span) -> Lower<Value> {
        let not_modelled = || Fail::unsupported("atomic", format!("`{name}` is not modelled"), span);
        let short = ["__sync_", "__atomic_", "__c11_atomic_"].iter().find_map(|p| name.strip_prefix(p));
        let Some(short) = short else { return not_modelled() };
        if matches!(short, "synchronize" | "thread_fence" | "signal_fence") {
            for arg in args {
                self.effect(arg)?;
            }
            return Ok(Value::Void);
        }
        let Some((pointer, operands)) = args.split_first() else { return not_modelled() };
        if matches!(short, "always_lock_free" | "is_lock_free") {
            let word = i128::from(self.program.model.pointer_bytes());
            return match self.const_int_opt(pointer)? {
                // Numbers of a word and less; wider ones depend on the processor.
                Some(size @ (1 | 2 | 4 | 8)) if size <= word => {
                    for operand in operands {
                        self.effect(operand)?;
                    }
                    Ok(Value::Rvalue(self.int(1, span)))
                }
                _ => not_modelled(),
            };
        }
        let order = self.order_of(name, operands)?;
        if matches!(name, "__atomic_test_and_set" | "__atomic_clear") {
            return self.atomic_flag(short, order, pointer, span);
        }
        let place = self.behind_address(pointer)?;
        let place = self.fix_place(place, span)?;
        let ty = self.program.places[place].ty;
        if !self.program.types.is_scalar(ty) {
            let moved = matches!(name, "__atomic_load" | "__atomic_store" | "__atomic_exchange");
            let size = self.program.types.size(ty);
            if !moved || size.is_none_or(|size| size > MAX_ATOMIC) {
                return not_modelled();
            }
        }
        let operand_as = |sema: &mut Self, i: usize, ty: TypeId| -> Lower<ExprId> {
            let Some(operand) = operands.get(i) else {
                return Fail::unsupported("atomic", "an atomic operation with too few arguments", span);
            };
            let value = sema.rvalue(operand)?;
            let value = sema.convert(value, ty, span)?;
            sema.fix(value, span)
        };
        let operand = |sema: &mut Self, i: usize| operand_as(sema, i, ty);
        if matches!(
            name,
            "__atomic_load" | "__atomic_store" | "__atomic_exchange" | "__atomic_compare_exchange"
        ) {
            return self.atomic_through_pointers(short, order, place, operands, span);
        }
        if let Some((update, gives_old)) = update(short) {
            let is_pointer = self.program.types.pointee(ty).is_some();
            let value = match update {
                Update::Binary(BinOp::Add | BinOp::Sub) if is_pointer => {
                    let distance = self.program.types.ptrdiff_t();
                    operand_as(self, 0, distance)?
                }
                Update::Exchange => operand(self, 0)?,
                Update::Binary(_) | Update::Nand if is_pointer => return not_modelled(),
                Update::Binary(_) | Update::Nand => operand(self, 0)?,
            };
            self.begin_atomic(order, span)?;
            let old = self.load(place, span)?;
            let old = self.save(old, span)?;
            let new = match update {
                Update::Exchange => value,
                // These wrap around, whatever the type (C11 7.17.7.5p3).
                Update::Binary(op @ (BinOp::Add | BinOp::Sub)) if !is_pointer => {
                    self.wrapping(op, old, value, span)?
                }
                // GCC's operations count bytes, those of C11 count elements.
                Update::Binary(op) if is_pointer && !name.starts_with("__c11_") => {
                    let char = self.program.types.int(IntKind::Char);
                    let bytes = self.program.types.pointer(char);
                    let old = self.convert(old, bytes, span)?;
                    self.binary(op, old, value, span)?
                }
                Update::Binary(op) => self.binary(op, old, value, span)?,
                Update::Nand => {
                    let both = self.binary(BinOp::And, old, value, span)?;
                    self.negate(UnOp::BitNot, both, span)?
                }
            };
            let new = self.convert(new, ty, span)?;
            self.store(place, new, span)?;
            self.primitive(Builtin::AtomicEnd, Vec::new(), None, span)?;
            return Ok(Value::Rvalue(if gives_old { old } else { new }));
        }
        match short {
            "load_n" | "load" => {
                let read = |sema: &mut Self| {
                    let value = sema.load(place, span)?;
                    sema.save(value, span).map(Value::Rvalue)
                };
                self.alone(order, read, span)
            }
            "store_n" | "store" | "init" => {
                let value = operand(self, 0)?;
                self.alone(order, |sema| sema.store(place, value, span).map(|()| Value::Void), span)
            }
            "lock_release" => {
                let zero = self.program.int(0, ty, span);
                self.alone(order, |sema| sema.store(place, zero, span).map(|()| Value::Void), span)
            }
            "bool_compare_and_swap" | "val_compare_and_swap" => {
                let (expected, new) = (operand(self, 0)?, operand(self, 1)?);
                let old = self.compare_and_swap(order, (place, expected, None), new, span)?;
                if short == "val_compare_and_swap" {
                    return Ok(Value::Rvalue(old));
                }
                Ok(Value::Rvalue(self.binary(BinOp::Eq, old, expected, span)?))
            }
            "compare_exchange_n" | "compare_exchange_strong" | "compare_exchange_weak" => {
                let Some(expected_at) = operands.first() else { return not_modelled() };
                let expected_at = self.behind_address(expected_at)?;
                let expected_at = self.fix_place(expected_at, span)?;
                let new = operand(self, 1)?;
                let expected = self.load(expected_at, span)?;
                let expected = self.convert(expected, ty, span)?;
                let expected = self.save(expected, span)?;
                let weak = short == "compare_exchange_weak"
                    || short == "compare_exchange_n" && self.may_be_weak(operands.get(2))?;
                self.compare_exchange(weak, order, (place, expected, expected_at), new, span)
            }
            _ => not_modelled(),
        }
    }

    /// `__atomic_test_and_set` and `__atomic_clear`: of one byte, whatever the pointer points to.
    fn atomic_flag(
        &mut self,
        short: &str,
        order: Order,
        pointer: &Node<Expression>,
        span: Span,
    ) -> Lower<Value> {
        let place = self.behind_address(pointer)?;
        let place = self.first_byte(place, span)?;
        let place = self.fix_place(place, span)?;
        let ty = self.program.places[place].ty;
        if short == "clear" {
            let zero = self.program.int(0, ty, span);
            return self.alone(order, |sema| sema.store(place, zero, span).map(|()| Value::Void), span);
        }
        let one = self.program.int(1, ty, span);
        self.begin_atomic(order, span)?;
        let old = self.load(place, span)?;
        let old = self.save(old, span)?;
        self.store(place, one, span)?;
        self.primitive(Builtin::AtomicEnd, Vec::new(), None, span)?;
        let zero = self.program.int(0, ty, span);
        Ok(Value::Rvalue(self.binary(BinOp::Ne, old, zero, span)?))
    }

    /// The first byte of a place: itself, its first member, or what a pointer to bytes points to.
    fn first_byte(&mut self, mut place: PlaceId, span: Span) -> Lower<PlaceId> {
        loop {
            let ty = self.program.places[place].ty;
            match &self.program.types[ty] {
                // Behind a pointer to `_Bool` can be another object: the access is one of a byte, as in compilers.
                Type::Int(IntKind::Bool)
                    if matches!(self.program.places[place].kind, PlaceKind::Deref(_)) =>
                {
                    break;
                }
                Type::Int(_) if self.program.types.size(ty) == Some(1) => return Ok(place),
                Type::Record(id) => {
                    let first = self.program.types.records[*id].fields.first();
                    let Some(first) = first.filter(|field| field.bits.is_none()) else { break };
                    let ty = first.ty.ty;
                    place = self.program.places.push(Place { kind: PlaceKind::Field(place, 0), ty, span });
                }
                _ => break,
            }
        }
        let address = self.address(place, span)?;
        let byte = self.program.types.int(IntKind::UChar);
        let bytes = self.program.types.pointer(byte);
        let address = self.convert(address, bytes, span)?;
        match self.dereference(address, span)? {
            Value::Place(place) => Ok(place),
            _ => Fail::unsupported("atomic", "an atomic flag that is no object", span),
        }
    }

    /// The forms of `<stdatomic.h>`, whose operands and results are behind pointers.
    fn atomic_through_pointers(
        &mut self,
        short: &str,
        order: Order,
        place: PlaceId,
        operands: &[Node<Expression>],
        span: Span,
    ) -> Lower<Value> {
        let ty = self.program.places[place].ty;
        let mut places = Vec::new();
        for pointer in operands.iter().take(if matches!(short, "load" | "store") { 1 } else { 2 }) {
            let place = self.behind_address(pointer)?;
            places.push(self.fix_place(place, span)?);
        }
        let value = |sema: &mut Self, from: PlaceId, to: TypeId| {
            let value = sema.load(from, span)?;
            let value = sema.convert(value, to, span)?;
            sema.save(value, span)
        };
        match (short, &places[..]) {
            ("load", &[to]) => {
                let result = self.program.places[to].ty;
                let read = self.alone(order, |sema| value(sema, place, result), span)?;
                self.store(to, read, span)?;
                Ok(Value::Void)
            }
            ("store", &[from]) => {
                let new = value(self, from, ty)?;
                self.alone(order, |sema| sema.store(place, new, span), span)?;
                Ok(Value::Void)
            }
            ("exchange", &[from, to]) => {
                let new = value(self, from, ty)?;
                let result = self.program.places[to].ty;
                let swap = |sema: &mut Self| {
                    let old = value(sema, place, result)?;
                    sema.store(place, new, span)?;
                    Ok(old)
                };
                let old = self.alone(order, swap, span)?;
                self.store(to, old, span)?;
                Ok(Value::Void)
            }
            ("compare_exchange", &[expected_at, desired]) => {
                let (expected, new) = (value(self, expected_at, ty)?, value(self, desired, ty)?);
                let weak = self.may_be_weak(operands.get(2))?;
                self.compare_exchange(weak, order, (place, expected, expected_at), new, span)
            }
            _ => Fail::unsupported("atomic", "an atomic operation with too few arguments", span),
        }
    }

    /// Computed in the unsigned type of the same width.
    fn wrapping(&mut self, op: BinOp, a: ExprId, b: ExprId, span: Span) -> Lower<ExprId> {
        let ty = self.ty(a);
        let Some(kind) = self.program.types.int_kind(ty) else { return self.binary(op, a, b, span) };
        let unsigned = self.program.types.int(kind.to_unsigned());
        let (a, b) = (self.convert(a, unsigned, span)?, self.convert(b, unsigned, span)?);
        let sum = self.binary(op, a, b, span)?;
        self.convert(sum, ty, span)
    }

    /// The argument of `__atomic_compare_exchange` that allows it to fail without a reason.
    fn may_be_weak(&mut self, weak: Option<&Node<Expression>>) -> Lower<bool> {
        let Some(weak) = weak else { return Ok(false) };
        let weak = self.pure_expr(weak)?;
        Ok(self.program.const_value(weak) != Some(0))
    }

    /// Whether the value was the expected one, and was exchanged. A weak exchange may fail all the same, and changes
    /// nothing then.
    fn compare_exchange(
        &mut self,
        weak: bool,
        order: Order,
        (place, expected, expected_at): (PlaceId, ExprId, PlaceId),
        new: ExprId,
        span: Span,
    ) -> Lower<Value> {
        let exchanged = (place, expected, Some(expected_at));
        if !weak {
            let old = self.compare_and_swap(order, exchanged, new, span)?;
            return Ok(Value::Rvalue(self.binary(BinOp::Eq, old, expected, span)?));
        }
        let int = self.program.types.int(IntKind::Int);
        let done = self.temp(int, span)?;
        let done = self.program.var_place(done, span);
        self.emit(Op::Havoc(done, HavocOrigin::Indeterminate), span)?;
        let tried = self.load(done, span)?;
        let (yes, no, on) = (self.point(span)?, self.point(span)?, self.point(span)?);
        self.branch_on(tried, yes, no, span)?;
        self.go_on(yes);
        let old = self.compare_and_swap(order, exchanged, new, span)?;
        let same = self.binary(BinOp::Eq, old, expected, span)?;
        self.store(done, same, span)?;
        self.jump(on, span)?;
        self.go_on(no);
        let read = |sema: &mut Self| {
            let old = sema.load(place, span)?;
            sema.save(old, span)
        };
        let old = self.alone(order, read, span)?;
        let old = self.convert(old, self.program.places[expected_at].ty, span)?;
        self.store(expected_at, old, span)?;
        self.jump(on, span)?;
        self.go_on(on);
        Ok(Value::Rvalue(self.load(done, span)?))
    }

    /// `old = place; if (old == expected) place = new; else *expected_at = old;` in one step. Gives `old`.
    fn compare_and_swap(
        &mut self,
        order: Order,
        (place, expected, expected_at): (PlaceId, ExprId, Option<PlaceId>),
        new: ExprId,
        span: Span,
    ) -> Lower<ExprId> {
        self.begin_atomic(order, span)?;
        let old = self.load(place, span)?;
        let old = self.save(old, span)?;
        let (yes, no, on) = (self.point(span)?, self.point(span)?, self.point(span)?);
        let same = self.binary(BinOp::Eq, old, expected, span)?;
        self.branch_on(same, yes, no, span)?;
        self.go_on(yes);
        self.store(place, new, span)?;
        self.jump(on, span)?;
        self.go_on(no);
        if let Some(at) = expected_at {
            let value = self.convert(old, self.program.places[at].ty, span)?;
            self.store(at, value, span)?;
        }
        self.jump(on, span)?;
        self.go_on(on);
        self.primitive(Builtin::AtomicEnd, Vec::new(), None, span)?;
        Ok(old)
    }
}

/// `&x`
fn is_address(expr: &Node<Expression>) -> bool {
    matches!(&expr.node, Expression::UnaryOperator(unary) if unary.node.operator.node == UnaryOperator::Address)
}

/// `fetch_and_add` gives the old value, `add_and_fetch` and `add_fetch` the new one.
fn update(name: &str) -> Option<(Update, bool)> {
    let operator = |name: &str| {
        Some(match BinOp::from_name(name) {
            Some(op @ (BinOp::Add | BinOp::Sub | BinOp::And | BinOp::Or | BinOp::Xor)) => Update::Binary(op),
            None if name == "nand" => Update::Nand,
            _ => return None,
        })
    };
    if matches!(name, "exchange_n" | "exchange" | "lock_test_and_set") {
        return Some((Update::Exchange, true));
    }
    if let Some(rest) = name.strip_prefix("fetch_and_").or_else(|| name.strip_prefix("fetch_")) {
        return operator(rest).map(|update| (update, true));
    }
    let rest = name.strip_suffix("_and_fetch").or_else(|| name.strip_suffix("_fetch"))?;
    operator(rest).map(|update| (update, false))
}
