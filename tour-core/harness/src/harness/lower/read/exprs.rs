//! Expressions.

use super::types::last_name;
use super::{Read, Reader};
use crate::harness::items::Thing;
use crate::harness::lower::hir::{Expr, Kind};
use crate::harness::lower::ty::{Int, Ty};
use quote::ToTokens;
use syn::{Expr as Syn, Lit, Member, RangeLimits, UnOp};
use tour_ir::program::BinOp;

impl Reader<'_> {
    /// An expression.
    pub(crate) fn expr(&mut self, expr: &Syn) -> Read<Expr> {
        self.hinted(expr, None)
    }

    /// An expression that is wanted to have a type.
    pub(super) fn expect(&mut self, expr: &Syn, wanted: &Ty) -> Read<Expr> {
        let value = self.hinted(expr, None)?;
        self.coerce(value, wanted)
    }

    /// `hint`: the type that a literal takes if nothing else determines it, as the operand of `as` does.
    fn hinted(&mut self, expr: &Syn, hint: Option<&Ty>) -> Read<Expr> {
        stacker::maybe_grow(64 * 1024, 1024 * 1024, || self.expression(expr, hint))
    }

    fn expression(&mut self, expr: &Syn, hint: Option<&Ty>) -> Read<Expr> {
        match expr {
            Syn::Paren(inner) => self.hinted(&inner.expr, hint),
            Syn::Group(inner) => self.hinted(&inner.expr, hint),
            Syn::Lit(lit) => self.literal(&lit.lit, hint),
            Syn::Path(path) => self.path(&path.path),
            Syn::Unary(unary) => self.unary(unary, hint),
            Syn::Binary(binary) => self.binary(binary),
            Syn::Assign(assign) => {
                if let Syn::Infer(_) = *assign.left {
                    let value = self.expr(&assign.right)?;
                    let stmts = vec![super::super::hir::Stmt::Expr(value)];
                    return Ok(self.make(Kind::Block(stmts, None), Ty::Unit, expr));
                }
                let place = self.expr(&assign.left)?;
                let value = self.expect(&assign.right, &place.ty.clone())?;
                Ok(self.make(Kind::Assign(Box::new(place), Box::new(value)), Ty::Unit, expr))
            }
            Syn::Cast(cast) => self.cast(cast),
            Syn::Reference(reference) => {
                let mutable = reference.mutability.is_some();
                if let Syn::Index(index) = &*reference.expr
                    && let Syn::Range(range) = &*index.index
                {
                    return self.slice(&index.expr, range, mutable, expr);
                }
                let place = self.expr(&reference.expr)?;
                let ty = Ty::Ref(mutable, Box::new(place.ty.clone()));
                Ok(self.make(Kind::AddrOf(Box::new(place)), ty, expr))
            }
            Syn::RawAddr(raw) => {
                let place = self.expr(&raw.expr)?;
                let mutable = matches!(raw.mutability, syn::PointerMutability::Mut(_));
                let ty = Ty::Ptr(mutable, Box::new(place.ty.clone()));
                Ok(self.make(Kind::AddrOf(Box::new(place)), ty, expr))
            }
            Syn::Field(field) => self.field(field),
            Syn::Index(index) => self.index(index),
            Syn::Array(array) => {
                let of = self.types.fresh();
                let items =
                    array.elems.iter().map(|item| self.expect(item, &of)).collect::<Read<Vec<_>>>()?;
                let ty = Ty::Array(Box::new(of), items.len() as u64);
                Ok(self.make(Kind::Array(items), ty, expr))
            }
            Syn::Repeat(repeat) => {
                let item = self.expr(&repeat.expr)?;
                let n = self.length(&repeat.len)?;
                let ty = Ty::Array(Box::new(item.ty.clone()), n);
                Ok(self.make(Kind::Repeat(Box::new(item), n), ty, expr))
            }
            Syn::Tuple(tuple) if tuple.elems.is_empty() => Ok(self.make(Kind::Unit, Ty::Unit, expr)),
            Syn::Tuple(tuple) => {
                let items = tuple.elems.iter().map(|item| self.expr(item)).collect::<Read<Vec<_>>>()?;
                let ty = Ty::Tuple(items.iter().map(|item| item.ty.clone()).collect());
                Ok(self.make(Kind::Record(items.into_iter().enumerate().collect(), None), ty, expr))
            }
            Syn::Struct(literal) => self.struct_literal(literal),
            Syn::Block(block) => match &block.label {
                Some(label) => {
                    let result = self.types.fresh();
                    let name = label.name.ident.to_string();
                    let id = self.scope.open(Some(name), result.clone(), false);
                    let value = self.block(&block.block);
                    self.scope.close();
                    let value = self.coerce(value?, &result)?;
                    Ok(self.make(Kind::Labelled(id, Box::new(value)), result, expr))
                }
                None => self.block(&block.block),
            },
            Syn::Unsafe(block) => self.block(&block.block),
            Syn::If(branch) => self.branch(branch),
            Syn::Match(branch) => self.select(branch),
            Syn::While(_) | Syn::Loop(_) | Syn::ForLoop(_) => self.repetition(expr),
            Syn::Break(_) | Syn::Continue(_) | Syn::Return(_) => self.exit(expr),
            Syn::Call(call) => self.call(call),
            Syn::MethodCall(call) => self.method_call(call),
            Syn::Macro(mac) => self.macro_call(&mac.mac, expr),
            _ => self.error("this expression is not supported in a harness", expr, "here"),
        }
    }

    fn literal(&mut self, lit: &Lit, hint: Option<&Ty>) -> Read<Expr> {
        match lit {
            Lit::Int(int) => {
                let Ok(value) = int.base10_parse::<u128>() else {
                    return self.error("this number is too large", lit, "no integer type holds it");
                };
                let ty = match (int.suffix(), hint) {
                    ("", Some(hint)) => hint.clone(),
                    ("", None) => self.types.fresh_int(),
                    (suffix, _) => match Int::named(suffix, self.model) {
                        Some(int) => Ty::Int(int),
                        None => return self.error("this number is not supported in a harness", lit, "here"),
                    },
                };
                Ok(self.make(Kind::Int(value), ty, lit))
            }
            Lit::Byte(byte) => Ok(self.make(Kind::Int(u128::from(byte.value())), Ty::Int(Int::U8), lit)),
            Lit::Bool(bool) => Ok(self.make(Kind::Bool(bool.value), Ty::Bool, lit)),
            Lit::ByteStr(text) => {
                let bytes = text.value();
                let array = Ty::Array(Box::new(Ty::Int(Int::U8)), bytes.len() as u64);
                Ok(self.make(Kind::Bytes(bytes), Ty::Ref(false, Box::new(array)), lit))
            }
            Lit::CStr(text) => {
                // Only its pointer is of use: `c"text".as_ptr()`.
                let bytes = text.value().into_bytes_with_nul();
                let char = Int { signed: true, ..Int::U8 };
                let array = Ty::Array(Box::new(Ty::Int(char)), bytes.len() as u64);
                Ok(self.make(Kind::Bytes(bytes), Ty::Ref(false, Box::new(array)), lit))
            }
            _ => self.error("this literal is not supported in a harness", lit, "use integers or bytes"),
        }
    }

    fn unary(&mut self, unary: &syn::ExprUnary, hint: Option<&Ty>) -> Read<Expr> {
        match unary.op {
            UnOp::Neg(_) => {
                let operand = self.hinted(&unary.expr, hint)?;
                let ty = operand.ty.clone();
                Ok(self.make(Kind::Neg(Box::new(operand)), ty, unary))
            }
            UnOp::Not(_) => {
                let operand = self.hinted(&unary.expr, hint)?;
                let ty = operand.ty.clone();
                Ok(self.make(Kind::Not(Box::new(operand)), ty, unary))
            }
            UnOp::Deref(_) => {
                let operand = self.expr(&unary.expr)?;
                match self.types.head(&operand.ty).pointee() {
                    Some(to) => {
                        let to = to.clone();
                        Ok(self.make(Kind::Deref(Box::new(operand)), to, unary))
                    }
                    None => {
                        let shown = self.show(&operand.ty);
                        self.error("this is no pointer", &unary.expr, format!("has type `{shown}`"))
                    }
                }
            }
            _ => self.error("this operator is not supported in a harness", unary, "here"),
        }
    }

    fn binary(&mut self, binary: &syn::ExprBinary) -> Read<Expr> {
        if let syn::BinOp::And(_) | syn::BinOp::Or(_) = binary.op {
            let a = Box::new(self.expect(&binary.left, &Ty::Bool)?);
            let b = Box::new(self.expect(&binary.right, &Ty::Bool)?);
            let and = matches!(binary.op, syn::BinOp::And(_));
            return Ok(self.make(if and { Kind::And(a, b) } else { Kind::Or(a, b) }, Ty::Bool, binary));
        }
        let Some((op, assign)) = operator(&binary.op) else {
            return self.error("this operator is not supported in a harness", binary, "here");
        };
        if op.is_comparison() {
            return self.comparison(op, binary);
        }
        let mut left = self.expr(&binary.left)?;
        let mut right = self.expr(&binary.right)?;
        right = self.by_value(right);
        if !assign {
            left = self.by_value(left);
        }
        if !matches!(op, BinOp::Shl | BinOp::Shr) {
            self.unify(&right.ty.clone(), &left.ty.clone(), right.span)?;
        }
        let ty = left.ty.clone();
        let (left, right) = (Box::new(left), Box::new(right));
        if assign {
            return Ok(self.make(Kind::AssignOp(op, left, right), Ty::Unit, binary));
        }
        Ok(self.make(Kind::Binary(op, left, right), ty, binary))
    }

    /// Operators take references to integers for the integers.
    pub(super) fn by_value(&mut self, value: Expr) -> Expr {
        match self.types.head(&value.ty) {
            Ty::Ref(_, to) if self.types.is_integer(&to) || self.types.head(&to) == Ty::Bool => {
                let span = value.span;
                Expr { kind: Kind::Deref(Box::new(value)), ty: *to, span }
            }
            _ => value,
        }
    }

    fn comparison(&mut self, op: BinOp, binary: &syn::ExprBinary) -> Read<Expr> {
        let left = self.expr(&binary.left)?;
        let right = self.expr(&binary.right)?;
        let (left, right) = self.same_type(left, right)?;
        let comparable = match self.types.head(&left.ty) {
            Ty::Int(_) | Ty::Var(_) | Ty::Bool | Ty::Ptr(..) | Ty::FnPtr => true,
            Ty::Array(..) | Ty::Tuple(_) | Ty::Option(_) | Ty::Unit => matches!(op, BinOp::Eq | BinOp::Ne),
            _ => false,
        };
        if !comparable {
            let shown = self.show(&left.ty);
            return self.error(
                "these values can't be compared in a harness",
                binary,
                format!("they have type `{shown}`; compare their parts"),
            );
        }
        Ok(self.make(Kind::Compare(op, Box::new(left), Box::new(right)), Ty::Bool, binary))
    }

    /// Two operands of one type.
    pub(super) fn same_type(&mut self, left: Expr, right: Expr) -> Read<(Expr, Expr)> {
        let (left, right) = match (self.types.head(&left.ty), self.types.head(&right.ty)) {
            (Ty::Ptr(p, _), Ty::Ptr(q, _)) if p != q => {
                let wanted = if p { right.ty.clone() } else { left.ty.clone() };
                (self.coerce(left, &wanted)?, self.coerce(right, &wanted)?)
            }
            (Ty::Ref(_, x), Ty::Ref(_, y)) => {
                // Comparing references compares what they refer to.
                let deref = |value: Expr, ty: Ty| {
                    let span = value.span;
                    Expr { kind: Kind::Deref(Box::new(value)), ty, span }
                };
                (deref(left, *x), deref(right, *y))
            }
            (Ty::Option(x), Ty::FnPtr) if matches!(self.types.head(&x), Ty::Var(_)) => (left, right),
            _ => (left, right),
        };
        self.unify(&right.ty.clone(), &left.ty.clone(), right.span)?;
        Ok((left, right))
    }

    fn cast(&mut self, cast: &syn::ExprCast) -> Read<Expr> {
        let wanted = self.ty(&cast.ty)?;
        let hint = matches!(wanted, Ty::Int(_)).then_some(&wanted);
        let value = self.hinted(&cast.expr, hint)?;
        let from = self.types.head(&value.ty);
        let integer = |reader: &Self, ty: &Ty| reader.types.is_integer(ty);
        let thin = |ty: &Ty| matches!(ty, Ty::Ptr(..) | Ty::Ref(..)) && !ty.is_fat();
        let to = self.types.head(&wanted);
        let fine = match (&from, &to) {
            (Ty::Bool, _) => integer(self, &to),
            (Ty::Ref(..), Ty::Ptr(..)) => {
                // `&mut a as *mut u8` of an array goes to its first element.
                match (from.pointee().map(|t| self.types.head(t)), to.pointee().map(|t| self.types.head(t))) {
                    (Some(Ty::Array(of, _)), Some(y)) if !matches!(y, Ty::Array(..) | Ty::Void) => {
                        self.unify(&of, &y, value.span)?;
                    }
                    (Some(x), Some(Ty::Var(_))) => {
                        let target = to.pointee().cloned().unwrap_or(Ty::Unit);
                        self.unify(&x, &target, value.span)?;
                    }
                    _ => {}
                }
                thin(&from) && thin(&to)
            }
            (Ty::Ptr(_, x), Ty::Ptr(_, y)) => {
                if let Ty::Var(_) = self.types.head(y) {
                    self.unify(x, y, value.span)?;
                }
                thin(&from) && thin(&to)
            }
            (Ty::Ptr(..), _) if integer(self, &to) => thin(&from),
            (_, Ty::Ptr(..)) if integer(self, &from) => {
                self.unify(&from, &Ty::Int(Int::usize(self.model)), value.span)?;
                thin(&to)
            }
            _ => integer(self, &from) && (integer(self, &to) || matches!(to, Ty::Var(_))),
        };
        if !fine {
            let (from, to) = (self.show(&from), self.show(&wanted));
            return self.error(
                "this cast is not supported in a harness",
                cast,
                format!("from `{from}` to `{to}`"),
            );
        }
        if let Ty::Var(_) = to {
            let int = self.types.fresh_int();
            self.unify(&to, &int, value.span)?;
        }
        Ok(self.make(Kind::Cast(Box::new(value)), wanted, cast))
    }

    /// What references refer to, for `.` and `[]`.
    pub(super) fn auto_deref(&mut self, mut value: Expr) -> Expr {
        while let Ty::Ref(_, to) = self.types.head(&value.ty) {
            if matches!(self.types.head(&to), Ty::Slice(_)) {
                break;
            }
            let span = value.span;
            value = Expr { kind: Kind::Deref(Box::new(value)), ty: *to, span };
        }
        value
    }

    fn field(&mut self, field: &syn::ExprField) -> Read<Expr> {
        let base = self.expr(&field.base)?;
        let base = self.auto_deref(base);
        let name = match &field.member {
            Member::Named(name) => name.to_string(),
            Member::Unnamed(index) => index.index.to_string(),
        };
        let found = match self.types.head(&base.ty) {
            Ty::Struct(id) => {
                let fields = &self.structs[id].fields;
                fields.iter().position(|(n, _)| *n == name).map(|index| (index, fields[index].1.clone()))
            }
            Ty::Tuple(of) => name.parse().ok().and_then(|index: usize| Some((index, of.get(index)?.clone()))),
            _ => None,
        };
        let Some((index, ty)) = found else {
            let shown = self.show(&base.ty);
            return self.error(format!("`{shown}` has no field `{name}`"), &field.member, "not known here");
        };
        Ok(self.make(Kind::Field(Box::new(base), index), ty, field))
    }

    fn index(&mut self, index: &syn::ExprIndex) -> Read<Expr> {
        if let Syn::Range(_) = *index.index {
            return self.error(
                "a slice is used by reference",
                index,
                "write `&a[low..high]` or `&mut a[low..high]`",
            );
        }
        let base = self.expr(&index.expr)?;
        let base = self.auto_deref(base);
        let usize = Ty::Int(Int::usize(self.model));
        let at = self.expect(&index.index, &usize)?;
        let Some(of) = self.element(&base.ty) else {
            let shown = self.show(&base.ty);
            return self.error(
                "this can't be indexed in a harness",
                &index.expr,
                format!("has type `{shown}`"),
            );
        };
        Ok(self.make(Kind::Index(Box::new(base), Box::new(at)), of, index))
    }

    /// The type of the elements of an array, or of what a slice's reference refers to.
    pub(super) fn element(&self, ty: &Ty) -> Option<Ty> {
        match self.types.head(ty) {
            Ty::Array(of, _) | Ty::Slice(of) => Some(*of),
            Ty::Ref(_, to) | Ty::Ptr(_, to) => match self.types.head(&to) {
                Ty::Slice(of) => Some(*of),
                _ => None,
            },
            _ => None,
        }
    }

    fn slice(&mut self, base: &Syn, range: &syn::ExprRange, mutable: bool, whole: &Syn) -> Read<Expr> {
        let base = self.expr(base)?;
        let base = self.auto_deref(base);
        let Some(of) = self.element(&base.ty) else {
            let shown = self.show(&base.ty);
            return self.error("this can't be sliced in a harness", whole, format!("has type `{shown}`"));
        };
        let usize = Ty::Int(Int::usize(self.model));
        let mut end = |end: &Option<Box<Syn>>| -> Read<Option<Box<Expr>>> {
            end.as_ref().map(|end| self.expect(end, &usize).map(Box::new)).transpose()
        };
        let (low, high) = (end(&range.start)?, end(&range.end)?);
        let inclusive = matches!(range.limits, RangeLimits::Closed(_));
        let ty = Ty::Ref(mutable, Box::new(Ty::Slice(Box::new(of))));
        Ok(self.make(Kind::Slice { base: Box::new(base), low, high, inclusive }, ty, whole))
    }

    fn struct_literal(&mut self, literal: &syn::ExprStruct) -> Read<Expr> {
        let found =
            self.lookup(&literal.path, |thing| matches!(thing, Thing::Struct(_) | Thing::Alias(_)))?;
        let id = match found {
            Some(id) => id,
            None => {
                let message = format!("the struct `{}` is not known", last_name(&literal.path));
                return self.error(message, &literal.path, "not found in this crate's sources");
            }
        };
        let ty = match &self.items.all[id].thing {
            Thing::Alias(ty) => self.within(self.items.all[id].home.clone(), |reader| reader.ty(ty))?,
            _ => Ty::Struct(self.find_struct(id)?),
        };
        let Ty::Struct(index) = ty else {
            return self.error("this is no struct", &literal.path, "here");
        };
        let mut fields = Vec::new();
        for value in &literal.fields {
            let name = match &value.member {
                Member::Named(name) => name.to_string(),
                Member::Unnamed(index) => index.index.to_string(),
            };
            let known = &self.structs[index].fields;
            let Some(at) = known.iter().position(|(n, _)| *n == name) else {
                return self.error("there is no such field", &value.member, "not known here");
            };
            let ty = known[at].1.clone();
            fields.push((at, self.expect(&value.expr, &ty)?));
        }
        let rest = match &literal.rest {
            Some(rest) => Some(Box::new(self.expect(rest, &ty)?)),
            None => None,
        };
        Ok(self.make(Kind::Record(fields, rest), ty, literal))
    }
}

/// What an operator computes, and whether it assigns that to its left operand; `None` for `&&` and `||`.
pub(super) fn operator(op: &syn::BinOp) -> Option<(BinOp, bool)> {
    let text = op.to_token_stream().to_string();
    match BinOp::from_symbol(&text) {
        Some(op) => Some((op, false)),
        None => Some((BinOp::from_symbol(text.strip_suffix('=')?)?, true)),
    }
}
