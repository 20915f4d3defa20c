//! Functions that the program defines under names of the library.
//!
//! C reserves these names (C11 7.1.3), and compilers know what the functions do: they may compute `abs(-3)` or the length of a
//! literal themselves, or turn `printf("a\n")` into a call of `puts`. Where a call is computed without a call, both the
//! program's function and the library's are looked at; otherwise the result says that the program's own is called. A function of
//! another type is no function of the library for compilers either, nor is one that is `static`.

use super::call::{Given, Want};
use super::expr::Value;
use super::library;
use super::literal::decode_string;
use super::{Entity, Lower, Sema, is_ours};
use lang_c::ast::Expression;
use lang_c::span::Node;
use tour_ir::program::{
    Assumption, ExprId, FloatKind, Function, HavocOrigin, IntKind, Linkage, Op, Program, Type, TypeId,
};
use tour_ir::source::Span;

impl Sema<'_> {
    /// A call of a function that the program defines under a name of the library, if compilers compute it.
    ///
    /// ```text
    ///     ●──[$known = any]── ●──[!$known]── ●──[$result = abs(x)]── ●──
    ///                         └──[$known]─── ●──[$result = |x|]──────┘
    /// ```
    pub(super) fn own_or_computed(
        &mut self,
        name: &str,
        args: &[Node<Expression>],
        span: Span,
    ) -> Lower<Option<Value>> {
        let Some(Entity::Function(own)) = self.scopes.lookup(name) else { return Ok(None) };
        let function = &self.program.functions[own];
        let sig = function.sig(&self.program.types).clone();
        let (external, takes) = (function.linkage == Linkage::External, sig.params.as_slice());
        let computed = self.computed_type(name, args);
        if !external || computed != Some(sig.ret) || takes.len() != args.len() {
            return Ok(None);
        }
        let result = self.temp(sig.ret, span)?;
        let result = self.program.var_place(result, span);
        let bool_type = self.program.types.int(IntKind::Bool);
        let choice = self.temp(bool_type, span)?;
        let choice = self.program.var_place(choice, span);
        self.emit(Op::Havoc(choice, HavocOrigin::Order), span)?;
        let is_known = self.program.load(choice, span);
        let (called, known, join) = (self.point(span)?, self.point(span)?, self.point(span)?);
        self.branch(is_known, known, called, span)?;
        self.go_on(called);
        let callee = self.function_address(own, span);
        if let Given::Value(value) = self.call_value(callee, args, Want::Value, span)? {
            let value = self.use_value(value, span)?;
            self.emit(Op::Assign(result, value), span)?;
        }
        self.jump(join, span)?;
        self.go_on(known);
        let value = self.computed(name, args, sig.ret, span)?;
        self.emit(Op::Assign(result, value), span)?;
        self.jump(join, span)?;
        self.go_on(join);
        Ok(Some(Value::Rvalue(self.program.load(result, span))))
    }

    /// What compilers take a function for that they compute.
    fn computed_type(&mut self, name: &str, args: &[Node<Expression>]) -> Option<TypeId> {
        let types = &mut self.program.types;
        Some(match (name, args) {
            ("abs" | "isnan" | "finite", [_]) => types.int(IntKind::Int),
            ("labs", [_]) => types.int(IntKind::Long),
            ("llabs", [_]) => types.int(IntKind::LongLong),
            ("fabs" | "sqrt", [_]) => types.intern(Type::Float(FloatKind::Double)),
            ("fabsf" | "sqrtf", [_]) => types.intern(Type::Float(FloatKind::Float)),
            ("strlen", [text]) if matches!(text.node, Expression::StringLiteral(_)) => types.size_t(),
            _ => return None,
        })
    }

    fn computed(&mut self, name: &str, args: &[Node<Expression>], ty: TypeId, span: Span) -> Lower<ExprId> {
        if let [Node { node: Expression::StringLiteral(parts), .. }] = args {
            let bytes = decode_string(&parts.node).bytes;
            let length = bytes.iter().position(|byte| *byte == 0).unwrap_or(bytes.len());
            return Ok(self.program.int(length as i128, ty, span));
        }
        let value = match self.computed_call(name, args, span)? {
            Some(value) => self.use_value(value, span)?,
            None => self.program.int(0, ty, span),
        };
        self.convert(value, ty, span)
    }
}

/// Says for which functions it is taken for granted that the program's own are called.
pub(super) fn assume_called(program: &mut Program) {
    let mut found = Vec::new();
    for (f, Function { name, linkage, body, span, .. }) in program.functions.iter_enumerated() {
        let own = !is_ours(program, f) && !program.sources.place(*span).system;
        let defined = body.is_some() && *linkage == Linkage::External;
        if own && defined && library::is_reserved(program, f) {
            let text =
                format!("`{name}` is a name of the C library, but the program's own function is called");
            found.push(Assumption { text, span: *span });
        }
    }
    program.assumptions.extend(found);
}
