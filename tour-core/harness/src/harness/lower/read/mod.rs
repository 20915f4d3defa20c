//! From syntax to [`super::hir`]: names are looked up, types are found out, macros and methods get their meaning.
//!
//! | file | what |
//! |---|---|
//! | `types` | types as written, structs, functions' signatures |
//! | `scope` | variables and loops in scope |
//! | `stmts` | blocks, statements, conditions, patterns, loops |
//! | `exprs` | expressions |
//! | `paths` | paths and calls |
//! | `methods` | methods |
//! | `macros` | `assert!` and its like |
//! | `constant` | numbers known when the program is compiled |

mod constant;
mod exprs;
mod macros;
mod methods;
mod paths;
mod scope;
mod stmts;
mod types;

pub(crate) use types::{Extern, Struct, show};

use super::hir::{Body, Expr, Kind};
use super::ty::{Ty, Unifier};
use crate::harness::items::{Home, ItemId, Items, span_of};
use rustc_hash::FxHashMap;
use scope::Scope;
use syn::spanned::Spanned;
use syn::{FnArg, ItemFn, Pat, ReturnType};
use tour_ir::program::{DataModel, Program};
use tour_ir::source::{Diagnostic, Span};

/// The result of reading something.
pub(crate) type Read<T> = Result<T, Box<Diagnostic>>;

/// Reads functions.
pub(crate) struct Reader<'a> {
    pub(crate) items: &'a Items,
    /// The C program: it knows functions that no Rust here declares.
    pub(crate) program: &'a Program,
    pub(crate) model: DataModel,
    pub(crate) structs: Vec<Struct>,
    struct_of: FxHashMap<ItemId, usize>,
    /// C functions that are called, as Rust declares them.
    pub(crate) externs: Vec<Extern>,
    /// Functions marked `#[spec]` that are called, and what was read of them.
    specs: Vec<(ItemId, Option<Body>)>,
    /// Constants that are being read, to notice one that needs itself.
    reading: Vec<ItemId>,
    /// The function that is read.
    types: Unifier,
    scope: Scope,
    ret: Ty,
    home: Home,
}

impl<'a> Reader<'a> {
    pub(crate) fn new(items: &'a Items, program: &'a Program, home: Home) -> Reader<'a> {
        Reader {
            items,
            program,
            model: program.model,
            structs: Vec::new(),
            struct_of: FxHashMap::default(),
            externs: Vec::new(),
            specs: Vec::new(),
            reading: Vec::new(),
            types: Unifier::default(),
            scope: Scope::default(),
            ret: Ty::Unit,
            home,
        }
    }

    /// Reads a harness: its body, then those of the functions that it reaches.
    pub(crate) fn harness(&mut self, function: &ItemFn) -> Result<(Body, Vec<Body>), Vec<Diagnostic>> {
        let home = self.home.clone();
        let mut errors = Vec::new();
        let body = self.function(function, home).map_err(|error| errors.push(*error)).ok();
        let mut next = 0;
        while next < self.specs.len() {
            let id = self.specs[next].0;
            let item = &self.items.all[id];
            if let crate::harness::items::Thing::Spec(function) = &item.thing {
                match self.function(function, item.home.clone()) {
                    Ok(body) => self.specs[next].1 = Some(body),
                    Err(error) => errors.push(*error),
                }
            }
            next += 1;
        }
        match body {
            Some(body) if errors.is_empty() => {
                Ok((body, self.specs.drain(..).filter_map(|(_, body)| body).collect()))
            }
            _ => Err(errors),
        }
    }

    fn function(&mut self, function: &ItemFn, home: Home) -> Read<Body> {
        self.home = home;
        // What stands inside of the function is found before what stands beside it.
        self.home.module.push(function.sig.ident.to_string());
        self.types = Unifier::default();
        self.scope = Scope::default();
        self.scope.enter();
        self.ret = match &function.sig.output {
            ReturnType::Default => Ty::Unit,
            ReturnType::Type(_, ty) => self.ty(ty)?,
        };
        for input in &function.sig.inputs {
            let FnArg::Typed(param) = input else {
                return self.error("a method can't be verified", input, "has a receiver");
            };
            let ty = self.ty(&param.ty)?;
            let name = match &*param.pat {
                Pat::Ident(ident) => ident.ident.to_string(),
                _ => "_".to_owned(),
            };
            self.scope.declare(&name, ty, self.span(&param.pat));
        }
        let params = self.scope.locals.len();
        let value = self.block(&function.block)?;
        let ret = self.ret.clone();
        let value = self.coerce(value, &ret)?;
        let mut body = Body {
            name: function.sig.ident.to_string(),
            locals: std::mem::take(&mut self.scope.locals),
            params,
            ret,
            value,
            span: self.span(&function.sig.ident),
        };
        super::resolve::resolve(&mut body, &self.types);
        Ok(body)
    }

    pub(crate) fn span(&self, node: &impl Spanned) -> Span {
        span_of(self.home.unit, node)
    }

    fn error<T>(&self, message: impl Into<String>, node: &impl Spanned, label: impl Into<String>) -> Read<T> {
        Err(Box::new(Diagnostic::error("tour::harness", message).label(self.span(node), label)))
    }

    fn mismatch<T>(&self, node: Span, found: &Ty, wanted: &Ty) -> Read<T> {
        let (found, wanted) = (self.show(found), self.show(wanted));
        let message = "tour could not find out the types here";
        let diagnostic = Diagnostic::error("tour::harness", message)
            .label(node, format!("has type `{found}`, and `{wanted}` is wanted"))
            .help("write the type of the variable, or a suffix such as `1u8`");
        Err(Box::new(diagnostic))
    }

    fn make(&self, kind: Kind, ty: Ty, node: &impl Spanned) -> Expr {
        Expr { kind, ty, span: self.span(node) }
    }

    fn unify(&mut self, found: &Ty, wanted: &Ty, span: Span) -> Read<()> {
        if self.types.unify(found, wanted) { Ok(()) } else { self.mismatch(span, found, wanted) }
    }

    /// The value where a type is wanted: references become pointers, those of arrays become slices.
    fn coerce(&mut self, value: Expr, wanted: &Ty) -> Read<Expr> {
        let (from, to) = (self.types.head(&value.ty), self.types.head(wanted));
        let adjusted = match (&from, &to) {
            (Ty::Ref(mutable, x), Ty::Ref(wanted, y)) if *mutable || !wanted => Some((x, y)),
            (Ty::Ref(mutable, x), Ty::Ptr(wanted, y)) if *mutable || !wanted => Some((x, y)),
            (Ty::Ptr(true, x), Ty::Ptr(false, y)) => Some((x, y)),
            _ => None,
        };
        let Some((x, y)) = adjusted else {
            self.unify(&from, &to, value.span)?;
            return Ok(value);
        };
        match (self.types.head(x), self.types.head(y)) {
            (Ty::Array(x, _), Ty::Slice(y)) => self.unify(&x, &y, value.span)?,
            (x, y) => self.unify(&x, &y, value.span)?,
        }
        let span = value.span;
        Ok(Expr { kind: Kind::Coerce(Box::new(value)), ty: to, span })
    }
}
