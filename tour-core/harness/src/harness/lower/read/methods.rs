//! Methods of integers, arrays, slices, pointers, `Option` and `MaybeUninit`.

use super::{Read, Reader};
use crate::harness::lower::hir::{Expr, Kind, Method};
use crate::harness::lower::ty::{Int, Ty};
use tour_ir::program::BinOp;

/// What a method of integers gives.
enum Gives {
    /// The same type.
    Own,
    Unsigned,
    Bool,
    Optional,
    WithOverflow,
}

impl Reader<'_> {
    pub(super) fn method_call(&mut self, call: &syn::ExprMethodCall) -> Read<Expr> {
        let name = call.method.to_string();
        let receiver = self.expr(&call.receiver)?;
        if name == "clone" {
            let value = self.auto_deref(receiver);
            // What `clone` does for a struct is up to its crate.
            let plain = match self.types.head(&value.ty) {
                Ty::Array(of, _) => self.types.is_integer(&of) || self.types.head(&of) == Ty::Bool,
                Ty::Bool | Ty::Ptr(..) => true,
                _ => self.types.is_integer(&value.ty),
            };
            if !plain {
                return self.no_method(call, &value.ty);
            }
            return Ok(Expr { span: self.span(call), ..value });
        }
        let receiver = self.auto_deref(receiver);
        match self.types.head(&receiver.ty) {
            Ty::Option(of) => self.option_method(&name, receiver, *of, call),
            Ty::Ptr(mutable, to) if !matches!(self.types.head(&to), Ty::Slice(_)) => {
                self.pointer_method(&name, receiver, mutable, *to, call)
            }
            Ty::Array(of, _) => self.sequence_method(&name, receiver, *of, call),
            Ty::Ref(_, to) | Ty::Ptr(_, to) if matches!(self.types.head(&to), Ty::Slice(_)) => {
                let Ty::Slice(of) = self.types.head(&to) else {
                    return self.error("this is no slice", call, "here");
                };
                self.sequence_method(&name, receiver, *of, call)
            }
            Ty::Uninit(of) => self.uninit_method(&name, receiver, *of, call),
            _ if self.types.is_integer(&receiver.ty) => self.integer_method(&name, receiver, call),
            other => {
                let shown = self.show(&other);
                self.error(
                    format!("`{name}` is not supported in a harness"),
                    &call.method,
                    format!("a method of `{shown}`"),
                )
            }
        }
    }

    fn no_method<T>(&self, call: &syn::ExprMethodCall, ty: &Ty) -> Read<T> {
        let message = format!("`{}` is not supported in a harness", call.method);
        self.error(message, &call.method, format!("a method of `{}`", self.show(ty)))
    }

    fn integer_method(&mut self, name: &str, receiver: Expr, call: &syn::ExprMethodCall) -> Read<Expr> {
        use BinOp::{Add, Div, Mul, Rem, Shl, Shr, Sub};
        let (method, gives) = match name {
            "wrapping_neg" => (Method::WrappingNeg, Gives::Own),
            "wrapping_abs" => (Method::WrappingAbs, Gives::Own),
            "checked_neg" => (Method::CheckedNeg, Gives::Optional),
            "abs" => (Method::Abs, Gives::Own),
            "abs_diff" => (Method::AbsDiff, Gives::Unsigned),
            "unsigned_abs" => (Method::UnsignedAbs, Gives::Unsigned),
            "min" => (Method::Min, Gives::Own),
            "max" => (Method::Max, Gives::Own),
            "clamp" => (Method::Clamp, Gives::Own),
            "rotate_left" => (Method::Rotate(true), Gives::Own),
            "rotate_right" => (Method::Rotate(false), Gives::Own),
            "is_power_of_two" => (Method::IsPowerOfTwo, Gives::Bool),
            "is_positive" => (Method::IsPositive, Gives::Bool),
            "is_negative" => (Method::IsNegative, Gives::Bool),
            _ => {
                let (prefix, rest) = name.split_once('_').unwrap_or((name, ""));
                match (prefix, BinOp::from_name(rest)) {
                    ("wrapping", Some(op @ (Add | Sub | Mul | Div | Rem | Shl | Shr))) => {
                        (Method::Wrapping(op), Gives::Own)
                    }
                    ("checked", Some(op @ (Add | Sub | Mul | Div | Rem | Shl | Shr))) => {
                        (Method::Checked(op), Gives::Optional)
                    }
                    ("overflowing", Some(op @ (Add | Sub | Mul))) => {
                        (Method::Overflowing(op), Gives::WithOverflow)
                    }
                    ("saturating", Some(op @ (Add | Sub | Mul))) => (Method::Saturating(op), Gives::Own),
                    _ => return self.no_method(call, &receiver.ty),
                }
            }
        };
        let ty = receiver.ty.clone();
        // The count of a shift or rotation is a `u32`.
        let counts = matches!(
            method,
            Method::Wrapping(BinOp::Shl | BinOp::Shr)
                | Method::Checked(BinOp::Shl | BinOp::Shr)
                | Method::Rotate(_)
        );
        let wanted = if counts { Ty::Int(Int { signed: false, ..Int::I32 }) } else { ty.clone() };
        let args = call.args.iter().map(|arg| self.expect(arg, &wanted)).collect::<Read<Vec<_>>>()?;
        let arity = match method {
            Method::WrappingNeg
            | Method::WrappingAbs
            | Method::CheckedNeg
            | Method::Abs
            | Method::UnsignedAbs
            | Method::IsPowerOfTwo
            | Method::IsPositive
            | Method::IsNegative => 0,
            Method::Clamp => 2,
            _ => 1,
        };
        if args.len() != arity {
            return self.error(
                "this call does not fit the method",
                call,
                format!("{arity} arguments are wanted"),
            );
        }
        let ty = match gives {
            Gives::Own => ty,
            Gives::Bool => Ty::Bool,
            Gives::Optional => Ty::Option(Box::new(ty)),
            Gives::WithOverflow => Ty::Tuple(vec![ty, Ty::Bool]),
            Gives::Unsigned => match self.types.head(&ty) {
                Ty::Int(int) => Ty::Int(Int { signed: false, ..int }),
                _ => return self.mismatch(receiver.span, &ty, &Ty::Int(Int::I32)),
            },
        };
        Ok(self.make(Kind::Method(method, Box::new(receiver), args), ty, call))
    }

    fn option_method(
        &mut self,
        name: &str,
        receiver: Expr,
        of: Ty,
        call: &syn::ExprMethodCall,
    ) -> Read<Expr> {
        let (method, ty, args) = match (name, call.args.first()) {
            ("unwrap", None) | ("expect", Some(_)) => (Method::Unwrap, of, Vec::new()),
            ("unwrap_or", Some(arg)) => (Method::UnwrapOr, of.clone(), vec![self.expect(arg, &of)?]),
            ("is_some", None) => (Method::IsSome, Ty::Bool, Vec::new()),
            ("is_none", None) => (Method::IsNone, Ty::Bool, Vec::new()),
            _ => return self.no_method(call, &receiver.ty),
        };
        Ok(self.make(Kind::Method(method, Box::new(receiver), args), ty, call))
    }

    /// Arrays and slices.
    fn sequence_method(
        &mut self,
        name: &str,
        receiver: Expr,
        of: Ty,
        call: &syn::ExprMethodCall,
    ) -> Read<Expr> {
        let usize = Ty::Int(Int::usize(self.model));
        let kind = match name {
            "len" => Kind::Len(Box::new(receiver)),
            "is_empty" => {
                let len =
                    Expr { kind: Kind::Len(Box::new(receiver)), ty: usize.clone(), span: self.span(call) };
                let zero = self.make(Kind::Int(0), usize, call);
                return Ok(self.make(
                    Kind::Compare(BinOp::Eq, Box::new(len), Box::new(zero)),
                    Ty::Bool,
                    call,
                ));
            }
            "as_ptr" | "as_mut_ptr" => {
                let ty = Ty::Ptr(name == "as_mut_ptr", Box::new(of));
                return Ok(self.make(Kind::AsPtr(Box::new(receiver)), ty, call));
            }
            "as_slice" | "as_mut_slice" => {
                let ty = Ty::Ref(name == "as_mut_slice", Box::new(Ty::Slice(Box::new(of))));
                let kind = Kind::Slice { base: Box::new(receiver), low: None, high: None, inclusive: false };
                return Ok(self.make(kind, ty, call));
            }
            _ => return self.no_method(call, &receiver.ty),
        };
        Ok(self.make(kind, usize, call))
    }

    fn uninit_method(
        &mut self,
        name: &str,
        receiver: Expr,
        of: Ty,
        call: &syn::ExprMethodCall,
    ) -> Read<Expr> {
        match name {
            "as_ptr" | "as_mut_ptr" => {
                let span = self.span(call);
                let inner = Expr { kind: Kind::Init(Box::new(receiver)), ty: of.clone(), span };
                let ty = Ty::Ptr(name == "as_mut_ptr", Box::new(of));
                Ok(self.make(Kind::AddrOf(Box::new(inner)), ty, call))
            }
            "assume_init" => Ok(self.make(Kind::Init(Box::new(receiver)), of, call)),
            "write" if call.args.len() == 1 => {
                let value = self.expect(&call.args[0], &of)?;
                let span = self.span(call);
                let inner = Expr { kind: Kind::Init(Box::new(receiver)), ty: of, span };
                Ok(self.make(Kind::Assign(Box::new(inner), Box::new(value)), Ty::Unit, call))
            }
            _ => self.no_method(call, &receiver.ty),
        }
    }

    fn pointer_method(
        &mut self,
        name: &str,
        receiver: Expr,
        mutable: bool,
        to: Ty,
        call: &syn::ExprMethodCall,
    ) -> Read<Expr> {
        let ty = receiver.ty.clone();
        let span = self.span(call);
        let target = Expr { kind: Kind::Deref(Box::new(receiver.clone())), ty: to.clone(), span };
        match (name, call.args.first()) {
            ("add" | "sub", Some(by)) => {
                let by = self.expect(by, &Ty::Int(Int::usize(self.model)))?;
                Ok(self.make(Kind::Offset(Box::new(receiver), Box::new(by), name == "sub"), ty, call))
            }
            ("offset", Some(by)) => {
                let by = self.expect(by, &Ty::Int(Int::isize(self.model)))?;
                Ok(self.make(Kind::Offset(Box::new(receiver), Box::new(by), false), ty, call))
            }
            ("is_null", None) => {
                let null = self.make(Kind::Int(0), ty, call);
                Ok(self.make(Kind::Compare(BinOp::Eq, Box::new(receiver), Box::new(null)), Ty::Bool, call))
            }
            ("cast", None) => {
                let wanted = match &call.turbofish {
                    Some(list) => match list.args.first() {
                        Some(syn::GenericArgument::Type(ty)) => self.ty(ty)?,
                        _ => return self.no_method(call, &ty),
                    },
                    None => self.types.fresh(),
                };
                Ok(self.make(Kind::Cast(Box::new(receiver)), Ty::Ptr(mutable, Box::new(wanted)), call))
            }
            ("cast_mut" | "cast_const", None) => {
                let ty = Ty::Ptr(name == "cast_mut", Box::new(to));
                Ok(self.make(Kind::Cast(Box::new(receiver)), ty, call))
            }
            ("read", None) => Ok(target),
            ("write", Some(value)) => {
                let value = self.expect(value, &to)?;
                Ok(self.make(Kind::Assign(Box::new(target), Box::new(value)), Ty::Unit, call))
            }
            _ => self.no_method(call, &ty),
        }
    }
}
