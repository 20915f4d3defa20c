//! The compiler's own functions (`__builtin_*`), library functions that are simple arithmetic, and the reserved names
//! that the front end writes for constructs that the parser has no node for.

use super::call::{Given, Want};
use super::expr::Value;
use super::format::Kind;
use super::literal::decode_string;
use super::{Entity, Fail, Lower, Sema};
use lang_c::ast::{CallExpression, Expression};
use lang_c::span::Node;
use tour_ir::program::{
    BinOp, ExprId, ExprKind, FloatKind, FnId, FnSig, HavocOrigin, IntKind, Op, Rule, Type, TypeId, UnOp,
};
use tour_ir::source::Span;

/// Who answers a call.
#[derive(Clone, Copy)]
enum From {
    /// `__builtin_…`: the compiler.
    Compiler,
    /// A function of the library, or the compiler in its place.
    Library,
}

/// How much a function writes that has a checked variant.
#[derive(Clone, Copy)]
enum Room {
    /// As many bytes as its third argument says.
    Counted,
    /// The text that is its second argument.
    Copied,
    /// Both texts.
    Appended,
}

impl Room {
    fn of(name: &str) -> Option<Room> {
        match name {
            "memcpy" | "memmove" | "memset" | "mempcpy" | "strncpy" | "stpncpy" => Some(Room::Counted),
            "strcpy" | "stpcpy" => Some(Room::Copied),
            "strcat" => Some(Room::Appended),
            _ => None,
        }
    }
}

impl Sema<'_> {
    /// `__builtin_expect(…)`, unless the program has such a function of its own.
    pub(crate) fn is_expect(&self, call: &Node<CallExpression>) -> bool {
        match &call.node.callee.node {
            Expression::Identifier(name) => {
                matches!(name.node.name.as_str(), "__builtin_expect" | "__builtin_expect_with_probability")
            }
            _ => false,
        }
    }

    /// A call to a function that the compiler knows; `None` if it is not one.
    pub(crate) fn builtin_call(
        &mut self,
        name: &str,
        args: &[Node<Expression>],
        want: Want,
        span: Span,
    ) -> Lower<Option<Value>> {
        if let Some(name) = name.strip_prefix("__tour_") {
            return self.reserved_call(name, args, span).map(Some);
        }
        let Some(short) = name.strip_prefix("__builtin_") else {
            // Library functions keep their meaning unless the program defines them.
            if self.is_defined_by_program(name) {
                return self.own_or_computed(name, args, span);
            }
            if let Some(value) = self.format_call(name, args, want, span)? {
                return Ok(Some(value));
            }
            return self.arithmetic_call(name, From::Library, args, span);
        };
        if let Some(value) = self.query_call(short, args, want, span)? {
            return Ok(Some(value));
        }
        if let Some(value) = self.arithmetic_call(short, From::Compiler, args, span)? {
            return Ok(Some(value));
        }
        if let Some(value) = self.format_call(short, args, want, span)? {
            return Ok(Some(value));
        }
        if let Some(value) = self.bit_call(short, args, span)? {
            return Ok(Some(value));
        }
        if let Some(value) = self.overflow_call(short, args, span)? {
            return Ok(Some(value));
        }
        self.library_call(short, args, want, span)
    }

    /// What the front end wrote for a construct without a node.
    fn reserved_call(&mut self, name: &str, args: &[Node<Expression>], span: Span) -> Lower<Value> {
        match (name, args) {
            ("label_address", [label]) => match &label.node {
                Expression::Identifier(name) => self.label_address(&name.node.name, span),
                _ => Fail::unsupported("computed-goto", "the address of this label", span),
            },
            ("computed_goto", [target]) => self.computed_goto(target, span),
            ("types_compatible", [a, b]) => {
                let (a, b) = (self.sized_type(a)?, self.sized_type(b)?);
                let same = self.program.types.compatible_unqualified(a, b);
                Ok(Value::Rvalue(self.int(i128::from(same), span)))
            }
            ("alignof", [operand]) => self.align_of_expr(operand, span).map(Value::Rvalue),
            // What a function of the library gives of which only some properties are known.
            ("uncomputed", []) => {
                let double = self.program.types.intern(Type::Float(FloatKind::Double));
                self.any_value(double, HavocOrigin::Uncomputed, span)
            }
            ("uncomputed_int", []) => {
                let int = self.program.types.int(IntKind::Int);
                self.any_value(int, HavocOrigin::Uncomputed, span)
            }
            // What is left to whoever wrote the library.
            ("unspecified", []) => {
                let int = self.program.types.int(IntKind::Int);
                self.any_value(int, HavocOrigin::Indeterminate, span)
            }
            // An object that is none of the program's own.
            ("object", [size]) => {
                let size_type = self.program.types.size_t();
                let size = self.rvalue(size)?;
                let size = self.convert(size, size_type, span)?;
                let void = self.program.types.void();
                let ret = self.program.types.pointer(void);
                let sig = FnSig::new(ret, vec![size_type]);
                let ty = self.program.types.intern(Type::Function(sig.clone()));
                let function = self.external_function("__tour_object", ty, span);
                let callee = self.function_address(function, span);
                match self.emit_call(callee, &sig, vec![size], Want::Value, span)? {
                    Given::Value(value) => Ok(value),
                    Given::Stored => Ok(Value::Void),
                }
            }
            ("real" | "imag", _) => {
                Fail::unsupported("opaque-type", "complex numbers are not modelled", span)
            }
            ("unsupported", [kind, message]) => {
                let text = |arg: &Node<Expression>| match &arg.node {
                    Expression::StringLiteral(parts) => {
                        let mut bytes = decode_string(&parts.node).bytes;
                        bytes.pop();
                        String::from_utf8_lossy(&bytes).into_owned()
                    }
                    _ => String::new(),
                };
                Fail::unsupported(unsupported_kind(&text(kind)), text(message), span)
            }
            _ => Fail::unsupported("syntax", "this construct is not modelled", span),
        }
    }

    fn any_value(&mut self, ty: TypeId, origin: HavocOrigin, span: Span) -> Lower<Value> {
        let temp = self.temp(ty, span)?;
        let place = self.program.var_place(temp, span);
        self.emit(Op::Havoc(place, origin), span)?;
        Ok(Value::Rvalue(self.program.load(place, span)))
    }

    /// The type that stands in `sizeof(T)`.
    fn sized_type(&mut self, arg: &Node<Expression>) -> Lower<TypeId> {
        match &arg.node {
            Expression::SizeOfTy(size) => self.unevaluated_type(&size.node.0).map(|(ty, _)| ty.ty),
            Expression::SizeOfVal(size) => self.type_of_expr(&size.node.0).map(|ty| ty.ty),
            _ => self.type_of_expr(arg).map(|ty| ty.ty),
        }
    }

    /// Builtins that ask the compiler, or tell it something.
    fn query_call(
        &mut self,
        name: &str,
        args: &[Node<Expression>],
        want: Want,
        span: Span,
    ) -> Lower<Option<Value>> {
        let used = !matches!(want, Want::Nothing);
        let value = match (name, args) {
            ("expect" | "expect_with_probability", [value, hints @ ..]) => {
                let value = self.rvalue(value)?;
                let mark = self.mark();
                for hint in hints {
                    self.effect(hint)?;
                }
                let value = self.keep(value, mark, span)?;
                let long = self.program.types.int(IntKind::Long);
                Value::Rvalue(self.convert(value, long, span)?)
            }
            ("constant_p", [operand]) => {
                let value = self.pure_expr(operand).ok();
                match value.map(|value| &self.program.exprs[value].kind) {
                    Some(ExprKind::Int(_) | ExprKind::Float(_)) => Value::Rvalue(self.int(1, span)),
                    _ if matches!(operand.node, Expression::StringLiteral(_)) => {
                        Value::Rvalue(self.int(1, span))
                    }
                    Some(ExprKind::Load(place)) if self.program.place_quals(*place).constant => {
                        self.either_constant(span)?
                    }
                    _ => self.perhaps_constant(span)?,
                }
            }
            ("choose_expr", [condition, yes, no]) => {
                let chosen = if self.const_int(condition)? != 0 { yes } else { no };
                self.value(chosen, used)?
            }
            ("unreachable", _) => {
                self.undefined(Rule::Unreachable, "`__builtin_unreachable()` is reached", span)?;
                self.end_program(span)?;
                Value::Void
            }
            ("trap", _) => {
                self.end_program(span)?;
                Value::Void
            }
            ("prefetch" | "__clear_cache", _) => {
                for arg in args {
                    self.effect(arg)?;
                }
                Value::Void
            }
            ("assume_aligned", [pointer, rest @ ..]) => {
                let value = self.rvalue(pointer)?;
                let void = self.program.types.void();
                let pointer = self.program.types.pointer(void);
                let value = self.convert(value, pointer, span)?;
                let value = self.save(value, span)?;
                if let [align] = rest {
                    let align = self.alignment(align)?;
                    let wrong = super::promises::misaligned(self.program, value, align, span);
                    let message = format!("`__builtin_assume_aligned` of what is no multiple of {align}");
                    self.undefined_if(wrong, Rule::MisalignedAccess, message, span)?;
                }
                Value::Rvalue(value)
            }
            ("object_size" | "dynamic_object_size", [pointer, kind]) => {
                let kind = self.const_int(kind)?;
                self.object_size(pointer, kind, span)?
            }
            ("va_start" | "c23_va_start", [list, ..]) => {
                self.va_start(list, span)?;
                Value::Void
            }
            ("va_copy", [to, from]) => {
                self.va_copy(to, from, span)?;
                Value::Void
            }
            ("va_end", [_]) => Value::Void,
            ("va_arg_pack" | "va_arg_pack_len" | "next_arg", _) => {
                return Fail::unsupported("varargs", "variable arguments are not modelled", span);
            }
            _ => return Ok(None),
        };
        Ok(Some(value))
    }

    /// What `__builtin_constant_p` gives for what is no constant expression: 0 without optimisation, and anything where an
    /// optimiser may know more.
    ///
    /// ```text
    ///     ●──[$order = any]── ●──[$order == 0]── ●──[$known = 0]──────── ●──
    ///                         └──[$order != 0]── ●──[$known = any != 0]──┘
    /// ```
    fn perhaps_constant(&mut self, span: Span) -> Lower<Value> {
        let int = self.program.types.int(IntKind::Int);
        let known = self.temp(int, span)?;
        let known = self.program.var_place(known, span);
        let Value::Rvalue(order) = self.any_value(int, HavocOrigin::Order, span)? else {
            return Fail::unsupported("built-in", "`__builtin_constant_p` is not modelled here", span);
        };
        let zero = self.int(0, span);
        let plain = self.binary(BinOp::Eq, order, zero, span)?;
        let (no, perhaps, join) = (self.point(span)?, self.point(span)?, self.point(span)?);
        self.branch(plain, no, perhaps, span)?;
        self.go_on(no);
        self.emit(Op::Assign(known, zero), span)?;
        self.jump(join, span)?;
        self.go_on(perhaps);
        if let Value::Rvalue(any) = self.any_value(int, HavocOrigin::Uncomputed, span)? {
            let any = self.binary(BinOp::Ne, any, zero, span)?;
            self.emit(Op::Assign(known, any), span)?;
        }
        self.jump(join, span)?;
        self.go_on(join);
        Ok(Value::Rvalue(self.program.load(known, span)))
    }

    /// Compilers differ already without optimisation.
    fn either_constant(&mut self, span: Span) -> Lower<Value> {
        let int = self.program.types.int(IntKind::Int);
        let any = self.any_value(int, HavocOrigin::Uncomputed, span)?;
        let any = self.use_value(any, span)?;
        let zero = self.int(0, span);
        Ok(Value::Rvalue(self.binary(BinOp::Ne, any, zero, span)?))
    }

    /// Functions of the library that are plain arithmetic: with or without `__builtin_`.
    fn arithmetic_call(
        &mut self,
        name: &str,
        from: From,
        args: &[Node<Expression>],
        span: Span,
    ) -> Lower<Option<Value>> {
        let float = |kind| Type::Float(kind);
        let suffix = match name.as_bytes().last() {
            Some(b'f') if name != "isinf" => FloatKind::Float,
            Some(b'l') if !matches!(name, "isnormal" | "signbitl" | "huge_val") => FloatKind::LongDouble,
            _ => FloatKind::Double,
        };
        let value = match (name, args) {
            ("abs" | "labs" | "llabs", [a]) => {
                let kind = match name {
                    "abs" => IntKind::Int,
                    "labs" => IntKind::Long,
                    _ => IntKind::LongLong,
                };
                let ty = self.program.types.int(kind);
                self.absolute(a, ty, span)?
            }
            ("fabs" | "fabsf" | "fabsl", [a]) => {
                let ty = self.program.types.intern(float(suffix));
                let value = self.rvalue(a)?;
                let value = self.convert(value, ty, span)?;
                self.negate(UnOp::Abs, value, span)?
            }
            ("sqrt" | "sqrtf", [a]) => {
                let ty = self.program.types.intern(float(suffix));
                let value = self.rvalue(a)?;
                let value = self.convert(value, ty, span)?;
                let value = self.fix(value, span)?;
                if self.looks_at_errno() {
                    self.helper("__root_errno", Kind::Void, &[Kind::Number], vec![value], span)?;
                }
                self.negate(UnOp::Sqrt, value, span)?
            }
            ("inf" | "inff" | "infl" | "huge_val" | "huge_valf" | "huge_vall", []) => {
                let kind = match name {
                    "inf" => FloatKind::Double,
                    _ => suffix,
                };
                let kind = if name == "inff" { FloatKind::Float } else { kind };
                let ty = self.program.types.intern(float(kind));
                self.program.add_expr(ExprKind::Float(f64::INFINITY), ty, span)
            }
            ("nan" | "nanf" | "nanl", [_]) => {
                let ty = self.program.types.intern(float(suffix));
                self.program.add_expr(ExprKind::Float(f64::NAN), ty, span)
            }
            ("isnan" | "isnanf" | "isnanl" | "__isnan" | "__isnanf", [a]) => {
                let a = self.float_operand(a, span)?;
                self.binary(BinOp::Ne, a, a, span)?
            }
            // 1 for plus, −1 for minus infinity.
            ("isinf_sign" | "__isinf" | "__isinff", [a]) => {
                let a = self.float_operand(a, span)?;
                let [plus, minus] = self.is_infinite(a, span)?;
                self.binary(BinOp::Sub, plus, minus, span)?
            }
            // The library gives −1 for minus infinity, the compiler 1: a call by name is left to either.
            ("isinf" | "isinff" | "isinfl", [a]) => {
                let a = self.float_operand(a, span)?;
                let [plus, minus] = self.is_infinite(a, span)?;
                match from {
                    From::Compiler => self.binary(BinOp::Or, plus, minus, span)?,
                    From::Library => {
                        let int = self.program.types.int(IntKind::Int);
                        let any = self.any_value(int, HavocOrigin::Uncomputed, span)?;
                        let any = self.use_value(any, span)?;
                        let zero = self.int(0, span);
                        let one = self.int(1, span);
                        let two = self.int(2, span);
                        let signed = self.binary(BinOp::Ne, any, zero, span)?;
                        let less = self.binary(BinOp::Mul, signed, two, span)?;
                        let factor = self.binary(BinOp::Sub, one, less, span)?;
                        let minus = self.binary(BinOp::Mul, minus, factor, span)?;
                        self.binary(BinOp::Add, plus, minus, span)?
                    }
                }
            }
            ("isfinite" | "finite" | "finitef" | "finitel" | "__finite" | "__finitef", [a]) => {
                let a = self.float_operand(a, span)?;
                let [plus, minus] = self.is_infinite(a, span)?;
                let number = self.binary(BinOp::Eq, a, a, span)?;
                let infinite = self.binary(BinOp::Or, plus, minus, span)?;
                let finite = self.not(infinite, span)?;
                self.binary(BinOp::And, number, finite, span)?
            }
            ("signbit" | "signbitf", [a]) => {
                let a = self.float_operand(a, span)?;
                self.helper("signbit", Kind::Int, &[Kind::Number], vec![a], span)?
            }
            ("isnormal", [a]) => {
                let a = self.float_operand(a, span)?;
                let least = self.least_normal(a, span);
                self.helper("__library_isnormal", Kind::Int, &[Kind::Number; 2], vec![a, least], span)?
            }
            ("fpclassify", [nan, infinite, normal, subnormal, zero, a]) => {
                let mut args = Vec::new();
                for class in [nan, infinite, normal, subnormal, zero] {
                    args.push(self.rvalue(class)?);
                }
                let a = self.float_operand(a, span)?;
                args.extend([a, self.least_normal(a, span)]);
                let params = [[Kind::Int; 5].as_slice(), &[Kind::Number; 2]].concat();
                self.helper("__library_fpclassify", Kind::Int, &params, args, span)?
            }
            (
                "isgreater" | "isgreaterequal" | "isless" | "islessequal" | "islessgreater" | "isunordered",
                [a, b],
            ) => {
                let a = self.float_operand(a, span)?;
                let mark = self.mark();
                let b = self.float_operand(b, span)?;
                let a = self.keep(a, mark, span)?;
                self.quiet_comparison(name, a, b, span)?
            }
            _ => return Ok(None),
        };
        Ok(Some(Value::Rvalue(value)))
    }

    /// What the compiler computes for a call.
    pub(super) fn computed_call(
        &mut self,
        name: &str,
        args: &[Node<Expression>],
        span: Span,
    ) -> Lower<Option<Value>> {
        self.arithmetic_call(name, From::Compiler, args, span)
    }

    /// The program asks for `errno` somewhere.
    pub(super) fn looks_at_errno(&self) -> bool {
        self.is_defined("__errno_location")
    }

    fn quiet_comparison(&mut self, name: &str, a: ExprId, b: ExprId, span: Span) -> Lower<ExprId> {
        match name {
            "isgreater" => self.binary(BinOp::Gt, a, b, span),
            "isgreaterequal" => self.binary(BinOp::Ge, a, b, span),
            "isless" => self.binary(BinOp::Lt, a, b, span),
            "islessequal" => self.binary(BinOp::Le, a, b, span),
            "islessgreater" => {
                let (less, greater) =
                    (self.binary(BinOp::Lt, a, b, span)?, self.binary(BinOp::Gt, a, b, span)?);
                self.binary(BinOp::Or, less, greater, span)
            }
            _ => {
                let (a, b) = (self.binary(BinOp::Ne, a, a, span)?, self.binary(BinOp::Ne, b, b, span)?);
                self.binary(BinOp::Or, a, b, span)
            }
        }
    }

    fn float_operand(&mut self, arg: &Node<Expression>, span: Span) -> Lower<ExprId> {
        let value = self.rvalue(arg)?;
        let value = match self.program.types[self.ty(value)] {
            Type::Float(_) => value,
            _ => {
                let double = self.program.types.intern(Type::Float(FloatKind::Double));
                self.convert(value, double, span)?
            }
        };
        self.fix(value, span)
    }

    /// The least normal number of a floating type.
    fn least_normal(&mut self, a: ExprId, span: Span) -> ExprId {
        let ty = self.ty(a);
        let least = match self.program.types[ty] {
            Type::Float(FloatKind::Float) => f64::from(f32::MIN_POSITIVE),
            _ => f64::MIN_POSITIVE,
        };
        self.program.add_expr(ExprKind::Float(least), ty, span)
    }

    fn is_infinite(&mut self, a: ExprId, span: Span) -> Lower<[ExprId; 2]> {
        let ty = self.ty(a);
        let plus = self.program.add_expr(ExprKind::Float(f64::INFINITY), ty, span);
        let minus = self.program.add_expr(ExprKind::Float(f64::NEG_INFINITY), ty, span);
        Ok([self.binary(BinOp::Eq, a, plus, span)?, self.binary(BinOp::Eq, a, minus, span)?])
    }

    /// `|a|` of an integer: a branch on its sign.
    fn absolute(&mut self, arg: &Node<Expression>, ty: TypeId, span: Span) -> Lower<ExprId> {
        let value = self.rvalue(arg)?;
        let value = self.convert(value, ty, span)?;
        let value = self.fix(value, span)?;
        let zero = self.program.int(0, ty, span);
        let result = self.temp(ty, span)?;
        let place = self.program.var_place(result, span);
        let (below, above, join) = (self.point(span)?, self.point(span)?, self.point(span)?);
        let negative = self.binary(BinOp::Lt, value, zero, span)?;
        self.branch_on(negative, below, above, span)?;
        self.go_on(below);
        let opposite = self.negate(UnOp::Neg, value, span)?;
        self.emit_to(Op::Assign(place, opposite), join, span)?;
        self.go_on(above);
        self.emit_to(Op::Assign(place, value), join, span)?;
        self.go_on(join);
        Ok(self.program.load(place, span))
    }

    /// `__builtin_memcpy` and the like: the library's function, under its own name.
    fn library_call(
        &mut self,
        short: &str,
        args: &[Node<Expression>],
        want: Want,
        span: Span,
    ) -> Lower<Option<Value>> {
        let checked = short.strip_prefix("__").and_then(|short| short.strip_suffix("_chk"));
        let (plain, room) = match (checked.and_then(|plain| Some((plain, Room::of(plain)?))), args) {
            (Some((plain, room)), [_, _, ..]) => (plain, Some(room)),
            _ => (short, None),
        };
        let function = match self.scopes.lookup(plain) {
            Some(Entity::Function(f)) => f,
            _ => match self.library_function(plain, span) {
                Some(function) => function,
                None => {
                    let message = format!("`__builtin_{short}` is not modelled");
                    return Fail::unsupported("builtin", message, span);
                }
            },
        };
        let callee = self.function_address(function, span);
        let given = match (room, args.split_last()) {
            (Some(room), Some((size, args))) => {
                let sig = self.program.functions[function].sig(&self.program.types).clone();
                let mut values = self.arguments(&sig, args)?;
                let mark = self.mark();
                let size = self.rvalue(size)?;
                for value in &mut values {
                    *value = self.keep(*value, mark, span)?;
                    *value = self.fix(*value, span)?;
                }
                let size = self.fix(size, span)?;
                self.require_room(room, &values, size, span)?;
                self.emit_call(callee, &sig, values, want_value(want), span)?
            }
            _ => self.call_value(callee, args, want_value(want), span)?,
        };
        match given {
            Given::Value(value) => Ok(Some(value)),
            Given::Stored => Ok(Some(Value::Void)),
        }
    }

    /// `__builtin___memcpy_chk(d, s, n, size)` and its kin do what the function does that they are named after. But first the
    /// program is ended if more is written than there is room for.
    fn require_room(&mut self, room: Room, args: &[ExprId], size: ExprId, span: Span) -> Lower<()> {
        let size_type = self.program.types.size_t();
        let size = self.convert(size, size_type, span)?;
        let written = match (room, args) {
            (Room::Counted, [_, _, count, ..]) => self.convert(*count, size_type, span)?,
            (Room::Copied, [_, from, ..]) => {
                self.helper("__library_size_of_text", Kind::Size, &[Kind::Const], vec![*from], span)?
            }
            (Room::Appended, [to, from, ..]) => {
                let kinds = [Kind::Const; 2];
                self.helper("__library_size_of_both", Kind::Size, &kinds, vec![*to, *from], span)?
            }
            (Room::Counted | Room::Copied | Room::Appended, _) => {
                return Fail::unsupported("builtin", "a checked copy with too few arguments", span);
            }
        };
        let fits = self.binary(BinOp::Le, written, size, span)?;
        let (on, fails) = (self.point(span)?, self.point(span)?);
        self.branch(fits, on, fails, span)?;
        self.go_on(fails);
        self.end_program(span)?;
        self.go_on(on);
        Ok(())
    }

    /// A function of the library that the program uses without a declaration.
    pub(super) fn library_function(&mut self, name: &str, span: Span) -> Option<FnId> {
        let types = &mut self.program.types;
        let (void, int, size) = (types.void(), types.int(IntKind::Int), types.size_t());
        let (char, long) = (types.int(IntKind::Char), types.int(IntKind::Long));
        let bytes = types.pointer(void);
        let text = types.pointer(char);
        let float = types.intern(Type::Float(FloatKind::Float));
        let double = types.intern(Type::Float(FloatKind::Double));
        let (ret, params, variadic) = match name {
            "malloc" | "alloca" => (bytes, vec![size], false),
            "calloc" => (bytes, vec![size, size], false),
            "realloc" => (bytes, vec![bytes, size], false),
            "free" => (void, vec![bytes], false),
            "memcpy" | "memmove" => (bytes, vec![bytes, bytes, size], false),
            "memset" => (bytes, vec![bytes, int, size], false),
            "memcmp" => (int, vec![bytes, bytes, size], false),
            "strlen" => (size, vec![text], false),
            "strcmp" => (int, vec![text, text], false),
            "strncmp" => (int, vec![text, text, size], false),
            "strcpy" | "strcat" => (text, vec![text, text], false),
            "strncpy" => (text, vec![text, text, size], false),
            "strchr" | "strrchr" | "index" | "rindex" => (text, vec![text, int], false),
            "strstr" | "strpbrk" | "stpcpy" => (text, vec![text, text], false),
            "strncat" | "stpncpy" => (text, vec![text, text, size], false),
            "strspn" | "strcspn" => (size, vec![text, text], false),
            "strnlen" => (size, vec![text, size], false),
            "strdup" => (text, vec![text], false),
            "strndup" => (text, vec![text, size], false),
            "strcasecmp" => (int, vec![text, text], false),
            "strncasecmp" => (int, vec![text, text, size], false),
            "memchr" => (bytes, vec![bytes, int, size], false),
            "mempcpy" => (bytes, vec![bytes, bytes, size], false),
            "bcmp" => (int, vec![bytes, bytes, size], false),
            "bzero" => (void, vec![bytes, size], false),
            "isalnum" | "isalpha" | "isblank" | "iscntrl" | "isdigit" | "isgraph" | "islower" | "isprint"
            | "ispunct" | "isspace" | "isupper" | "isxdigit" | "tolower" | "toupper" | "isascii" => {
                (int, vec![int], false)
            }
            "floor" | "ceil" | "trunc" | "round" | "rint" | "nearbyint" | "sin" | "cos" | "tan" | "asin"
            | "acos" | "atan" | "exp" | "exp2" | "log" | "log2" | "log10" | "cbrt" | "logb" => {
                (double, vec![double], false)
            }
            "floorf" | "ceilf" | "truncf" | "roundf" | "rintf" | "nearbyintf" | "sinf" | "cosf" | "expf"
            | "logf" => (float, vec![float], false),
            "fmod" | "pow" | "fmax" | "fmin" | "fdim" | "copysign" | "atan2" | "hypot" | "nextafter" => {
                (double, vec![double, double], false)
            }
            "sinh" | "cosh" | "tanh" | "asinh" | "acosh" | "atanh" | "expm1" | "log1p" | "erf" | "erfc"
            | "tgamma" | "lgamma" => (double, vec![double], false),
            "tanf" | "asinf" | "acosf" | "atanf" | "sinhf" | "coshf" | "tanhf" | "exp2f" | "log2f"
            | "log10f" | "cbrtf" | "logbf" => (float, vec![float], false),
            "remainder" | "drem" => (double, vec![double, double], false),
            "fmodf" | "powf" | "fmaxf" | "fminf" | "fdimf" | "copysignf" | "atan2f" | "hypotf"
            | "remainderf" | "nextafterf" => (float, vec![float, float], false),
            "fma" => (double, vec![double, double, double], false),
            "fmaf" => (float, vec![float, float, float], false),
            "lround" | "lrint" => (long, vec![double], false),
            "lroundf" | "lrintf" => (long, vec![float], false),
            "ldexp" | "scalbn" => (double, vec![double, int], false),
            "printf" => (int, vec![text], true),
            "puts" => (int, vec![text], false),
            "putchar" => (int, vec![int], false),
            "abort" => (void, vec![], false),
            "exit" | "_exit" | "_Exit" => (void, vec![int], false),
            _ => return None,
        };
        let sig = FnSig { ret, params, variadic, prototyped: true };
        let ty = self.program.types.intern(Type::Function(sig));
        Some(self.external_function(name, ty, span))
    }
}

/// Results of builtins go through a value.
fn want_value(want: Want) -> Want {
    match want {
        Want::Nothing => Want::Nothing,
        Want::Value | Want::Into(_) => Want::Value,
    }
}

/// The stable kind of a construct that the front end could not keep.
fn unsupported_kind(text: &str) -> &'static str {
    const KINDS: [&str; 4] = ["asm-goto", "format", "library", "nested-function"];
    KINDS.into_iter().find(|kind| *kind == text).unwrap_or("syntax")
}
