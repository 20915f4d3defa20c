//! Paths and calls.

use super::types::{last_name, turbofish};
use super::{Read, Reader};
use crate::harness::items::Thing;
use crate::harness::lower::hir::{Callee, Expr, Kind};
use crate::harness::lower::ty::{Int, Ty};
use syn::{Expr as Syn, Path};
use tour_ir::program::IntType;
use tour_ir::source::Diagnostic;

impl Reader<'_> {
    pub(super) fn path(&mut self, path: &Path) -> Read<Expr> {
        if let Some(name) = path.get_ident()
            && let Some(id) = self.scope.lookup(&name.to_string())
        {
            let ty = self.scope.locals[id].ty.clone();
            return Ok(self.make(Kind::Local(id), ty, path));
        }
        let wanted =
            |thing: &Thing| matches!(thing, Thing::Const(_) | Thing::ExternStatic(_) | Thing::Other(_));
        if let Some(id) = self.lookup(path, wanted)? {
            return self.item_value(id, path);
        }
        if let Some(value) = self.limit_of_type(path) {
            let names: Vec<String> = path.segments.iter().map(|s| s.ident.to_string()).collect();
            let bits = names.last().is_some_and(|name| name == "BITS");
            let int = names.len().checked_sub(2).and_then(|i| Int::named(&names[i], self.model));
            let int = int.filter(|_| !bits).unwrap_or(Int { signed: false, ..Int::I32 });
            let value = IntType { bits: int.bits, signed: int.signed }.wrap(value);
            return Ok(self.make(Kind::Int(value), Ty::Int(int), path));
        }
        if path.is_ident("None") {
            let of = self.types.fresh();
            return Ok(self.make(Kind::None, Ty::Option(Box::new(of)), path));
        }
        let diagnostic = Diagnostic::error("tour::harness", format!("`{}` is not known", last_name(path)))
            .label(self.span(path), "no variable or constant of this crate")
            .help("a harness can use its own variables, constants, and variables of C declared in `extern` blocks");
        Err(Box::new(diagnostic))
    }

    fn item_value(&mut self, id: usize, path: &Path) -> Read<Expr> {
        let item = &self.items.all[id];
        let home = item.home.clone();
        match &item.thing {
            Thing::ExternStatic(ty) => {
                let ty = self.within(home, |reader| reader.ty(ty))?;
                Ok(self.make(Kind::Global(item.symbol.clone()), ty, path))
            }
            Thing::Const(parts) => {
                let (ty, expr) = &**parts;
                if self.reading.contains(&id) {
                    return self.error("this constant needs itself", path, "here");
                }
                self.reading.push(id);
                let value = self.within(home, |reader| {
                    let ty = reader.ty(ty)?;
                    let outer = std::mem::take(&mut reader.scope);
                    reader.scope.enter();
                    let value = reader.expect(expr, &ty).map(|value| Expr { ty, ..value });
                    reader.scope = outer;
                    value
                });
                self.reading.pop();
                // Shown where it is used.
                Ok(Expr { span: self.span(path), ..value? })
            }
            Thing::Other(what) => {
                let diagnostic = Diagnostic::error("tour::harness", format!("`{}` is {what}", item.name))
                    .label(self.span(path), "a harness can't use it")
                    .label(item.span, "defined here");
                Err(Box::new(diagnostic))
            }
            _ => self.error("this is no value", path, "here"),
        }
    }

    pub(super) fn call(&mut self, call: &syn::ExprCall) -> Read<Expr> {
        let Syn::Path(syn::ExprPath { path, .. }) = &*call.func else {
            return self.error("only functions can be called in a harness", &call.func, "a value");
        };
        let found = self.lookup(path, |thing| {
            matches!(thing, Thing::ExternFn(_) | Thing::Spec(_) | Thing::Function | Thing::Struct(_))
        })?;
        if let Some(id) = found {
            return self.item_call(id, path, call);
        }
        if let Some(value) = self.known_call(path, call)? {
            return Ok(value);
        }
        let name = last_name(path);
        if let Some(found) = self.c_function(&name) {
            self.externs.push(found.clone());
            return self.finish_call(Callee::C(name), &found.params, found.ret, found.variadic, call);
        }
        let diagnostic = Diagnostic::error("tour::harness", format!("the function `{name}` is not known"))
            .label(
                self.span(path),
                "no `extern \"C\"` or `#[spec]` function of this crate, and not found in its C",
            )
            .help("declare it in an `extern \"C\"` block, or write a function and mark it `#[tour::spec]`");
        Err(Box::new(diagnostic))
    }

    fn item_call(&mut self, id: usize, path: &Path, call: &syn::ExprCall) -> Read<Expr> {
        let item = &self.items.all[id];
        match &item.thing {
            Thing::ExternFn(sig) => {
                let known =
                    self.externs.iter().find(|e| e.symbol == item.symbol && e.span == Some(item.span));
                let found = match known {
                    Some(found) => found.clone(),
                    None => {
                        let found = self.within(item.home.clone(), |reader| {
                            reader.declaration(sig, &item.symbol, item.span)
                        })?;
                        self.externs.push(found.clone());
                        found
                    }
                };
                self.finish_call(
                    Callee::C(item.symbol.clone()),
                    &found.params,
                    found.ret,
                    found.variadic,
                    call,
                )
            }
            Thing::Spec(function) => {
                let index = match self.specs.iter().position(|(other, _)| *other == id) {
                    Some(index) => index,
                    None => {
                        self.specs.push((id, None));
                        self.specs.len() - 1
                    }
                };
                let found = self.within(item.home.clone(), |reader| {
                    reader.declaration(&function.sig, &item.name, item.span)
                })?;
                self.finish_call(Callee::Spec(index), &found.params, found.ret, false, call)
            }
            Thing::Struct(_) => {
                let index = self.find_struct(id)?;
                let types: Vec<Ty> = self.structs[index].fields.iter().map(|(_, ty)| ty.clone()).collect();
                let args = self.arguments(&types, call)?;
                let record = Kind::Record(args.into_iter().enumerate().collect(), None);
                Ok(self.make(record, Ty::Struct(index), call))
            }
            _ => {
                let message = format!("`{}` is not marked `#[tour::spec]`", item.name);
                let diagnostic = Diagnostic::error("tour::harness", message)
                    .label(self.span(path), "called by a harness")
                    .label(item.span, "defined here")
                    .help("mark it `#[tour::spec]`: its body is then verified as part of the harness");
                Err(Box::new(diagnostic))
            }
        }
    }

    fn arguments(&mut self, params: &[Ty], call: &syn::ExprCall) -> Read<Vec<Expr>> {
        if params.len() != call.args.len() {
            let label = format!("{} arguments, {} are wanted", call.args.len(), params.len());
            return self.error("this call does not fit the function", call, label);
        }
        call.args.iter().zip(params).map(|(arg, ty)| self.expect(arg, ty)).collect()
    }

    /// The compiler has made sure that those behind the parameters are numbers and pointers that C can be given.
    fn variable_arguments(&mut self, params: &[Ty], call: &syn::ExprCall) -> Read<Vec<Expr>> {
        if params.len() > call.args.len() {
            let label = format!("{} arguments, at least {} are wanted", call.args.len(), params.len());
            return self.error("this call does not fit the function", call, label);
        }
        let wanted = params.iter().map(Some).chain(std::iter::repeat(None));
        let read = |(arg, ty): (&Syn, Option<&Ty>)| match ty {
            Some(ty) => self.expect(arg, ty),
            None => self.expr(arg),
        };
        call.args.iter().zip(wanted).map(read).collect()
    }

    fn finish_call(
        &mut self,
        callee: Callee,
        params: &[Ty],
        ret: Ty,
        variadic: bool,
        call: &syn::ExprCall,
    ) -> Read<Expr> {
        let args = match variadic {
            true => self.variable_arguments(params, call)?,
            false => self.arguments(params, call)?,
        };
        Ok(self.make(Kind::Call(callee, args), ret, call))
    }

    /// Functions that have a meaning of their own.
    fn known_call(&mut self, path: &Path, call: &syn::ExprCall) -> Read<Option<Expr>> {
        let names: Vec<String> = path.segments.iter().map(|s| s.ident.to_string()).collect();
        let name = last_name(path);
        let before = names.len().checked_sub(2).map(|i| names[i].as_str());
        // Another crate's function of that name is not ours.
        let ours = matches!(name.as_str(), "assume" | "any");
        if ours && self.items.imported_from(&name, &self.home).is_some_and(|root| root != "tour") {
            return Ok(None);
        }
        let given = match turbofish(path) {
            Some(ty) => Some(self.ty(ty)?),
            None => None,
        };
        let wanted = |reader: &mut Self| given.clone().unwrap_or_else(|| reader.types.fresh());
        let args: Vec<&Syn> = call.args.iter().collect();
        let value = match (name.as_str(), before, &args[..]) {
            ("assume", None | Some("tour"), [cond]) => {
                let cond = self.expect(cond, &Ty::Bool)?;
                self.make(Kind::Assume(Box::new(cond)), Ty::Unit, call)
            }
            ("any", None | Some("tour"), []) => {
                let ty = wanted(self);
                self.make(Kind::Any("any()".into()), ty, call)
            }
            ("Some", None, [value]) => {
                let value = self.expr(value)?;
                let ty = Ty::Option(Box::new(value.ty.clone()));
                self.make(Kind::Some(Box::new(value)), ty, call)
            }
            ("null" | "null_mut", Some("ptr"), []) => {
                let to = wanted(self);
                self.make(Kind::Int(0), Ty::Ptr(name == "null_mut", Box::new(to)), call)
            }
            ("zeroed", Some("mem"), []) => {
                let ty = wanted(self);
                self.make(Kind::Zeroed, ty, call)
            }
            ("uninit" | "zeroed", Some("MaybeUninit"), []) => {
                let of = wanted(self);
                let kind = if name == "zeroed" { Kind::Zeroed } else { Kind::Undefined };
                self.make(kind, Ty::Uninit(Box::new(of)), call)
            }
            ("size_of", _, []) => {
                let of = wanted(self);
                self.make(Kind::SizeOf(of), Ty::Int(Int::usize(self.model)), call)
            }
            ("from", Some(ty), [value]) => {
                let Some(int) = Int::named(ty, self.model) else { return Ok(None) };
                let value = self.expr(value)?;
                if let Ty::Var(_) = self.types.head(&value.ty) {
                    self.unify(&value.ty.clone(), &Ty::Int(int), value.span)?;
                }
                match self.types.head(&value.ty) {
                    Ty::Int(_) | Ty::Bool => self.make(Kind::Cast(Box::new(value)), Ty::Int(int), call),
                    _ => {
                        return self.error("this conversion is not supported in a harness", call, "use `as`");
                    }
                }
            }
            _ => return Ok(None),
        };
        Ok(Some(value))
    }
}
