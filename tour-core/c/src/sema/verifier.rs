//! The functions by which a program speaks to its verifier (SV-COMP), and `assert`.

use super::call::{Given, Want};
use super::expr::Value;
use super::literal::decode_string;
use super::{Fail, Lower, Sema};
use lang_c::ast::Expression;
use lang_c::span::Node;
use tour_ir::program::{FloatKind, FnId, HavocOrigin, IntKind, Op, Rule, Type, TypeId};
use tour_ir::source::Span;

/// What names of inputs begin with.
const NONDET: &str = "__VERIFIER_nondet_";

impl Sema<'_> {
    /// A call to one of the verifier's functions; `None` if it is not one.
    pub(crate) fn verifier_call(
        &mut self,
        name: &str,
        declared: Option<FnId>,
        args: &[Node<Expression>],
        want: Want,
        span: Span,
    ) -> Lower<Option<Given>> {
        let void = Ok(Some(Given::Value(Value::Void)));
        let defined = self.is_defined(name);
        match (name, args) {
            // Reaching the call is the error, whatever the function does.
            ("__VERIFIER_error" | "reach_error", _) => {
                for arg in args {
                    self.effect(arg)?;
                }
                self.violation(Rule::UnreachCall, format!("call of `{name}`"), span)?;
                void
            }
            ("__VERIFIER_assume" | "__tour_constrain", [condition]) => {
                let (yes, no) = (self.point(span)?, self.current(span)?.graph.blocked());
                self.condition(condition, yes, no)?;
                self.go_on(yes);
                void
            }
            ("__VERIFIER_assert" | "assert", [condition]) if !defined => {
                let (yes, no) = (self.point(span)?, self.point(span)?);
                self.condition(condition, yes, no)?;
                self.go_on(no);
                let text = self.program.sources.text(self.span(condition.span)).trim().to_owned();
                self.violation(Rule::Assert, format!("assertion `{text}`"), span)?;
                self.go_on(yes);
                void
            }
            ("__assert_fail" | "__assert" | "__assert_rtn" | "__assert_perror_fail", _) if !defined => {
                let text = args.iter().find_map(|arg| match &arg.node {
                    Expression::StringLiteral(parts) => {
                        let mut bytes = decode_string(&parts.node).bytes;
                        bytes.pop();
                        Some(String::from_utf8_lossy(&bytes).into_owned())
                    }
                    _ => None,
                });
                let message = text.map_or("assertion".to_owned(), |text| format!("assertion `{text}`"));
                self.violation(Rule::Assert, message, span)?;
                void
            }
            _ if name.starts_with(NONDET) && !defined => {
                self.input(name, declared, args, want, span).map(Some)
            }
            _ => Ok(None),
        }
    }

    /// An input of the type that the function is declared to return.
    fn input(
        &mut self,
        name: &str,
        declared: Option<FnId>,
        args: &[Node<Expression>],
        want: Want,
        span: Span,
    ) -> Lower<Given> {
        for arg in args {
            self.effect(arg)?;
        }
        let ty = match declared {
            Some(f) => self.program.functions[f].sig(&self.program.types).ret,
            None => self.input_type(&name[NONDET.len()..]),
        };
        if !self.program.types.is_scalar(ty) {
            let message = format!("`{name}` gives something that is no number or pointer");
            return Fail::unsupported("input", message, span);
        }
        match want {
            Want::Into(place) if self.program.places[place].ty == ty => {
                self.note_volatile(place, span);
                self.emit(Op::Havoc(place, HavocOrigin::Input), span)?;
                Ok(Given::Stored)
            }
            Want::Nothing | Want::Value | Want::Into(_) => {
                let temp = self.temp(ty, span)?;
                let place = self.program.var_place(temp, span);
                self.emit(Op::Havoc(place, HavocOrigin::Input), span)?;
                Ok(Given::Value(Value::Rvalue(self.program.load(place, span))))
            }
        }
    }

    /// The type of an input whose function was never declared, by its name.
    fn input_type(&mut self, suffix: &str) -> TypeId {
        let types = &mut self.program.types;
        let kind = match suffix {
            "bool" | "_Bool" => IntKind::Bool,
            "char" => IntKind::Char,
            "uchar" | "u8" => IntKind::UChar,
            "short" => IntKind::Short,
            "ushort" | "u16" => IntKind::UShort,
            "uint" | "unsigned" | "u32" => IntKind::UInt,
            "long" => IntKind::Long,
            "ulong" | "size_t" => IntKind::ULong,
            "longlong" | "loff_t" => IntKind::LongLong,
            "ulonglong" => IntKind::ULongLong,
            "int128" => IntKind::Int128,
            "uint128" => IntKind::UInt128,
            "float" => return types.intern(Type::Float(FloatKind::Float)),
            "double" => return types.intern(Type::Float(FloatKind::Double)),
            "pointer" => {
                let void = types.void();
                return types.pointer(void);
            }
            _ => IntKind::Int,
        };
        types.int(kind)
    }
}
