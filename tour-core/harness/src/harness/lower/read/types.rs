//! Types as they are written, structs, and the signatures of functions.

use super::{Read, Reader};
use crate::harness::items::{Ambiguous, Home, ItemId, Thing};
use crate::harness::lower::ty::{Int, Ty};
use syn::{Expr, FnArg, GenericArgument, Path, PathArguments, ReturnType, Signature, Type};
use tour_ir::program::{FnSig, RecordId, Type as CType, TypeId};
use tour_ir::source::{Diagnostic, Span};

/// How a struct is laid out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Repr {
    /// `repr(C)` or `repr(transparent)`
    pub(crate) c: bool,
    /// `repr(packed(n))`
    pub(crate) packed: Option<u64>,
    /// `repr(align(n))`
    pub(crate) align: Option<u64>,
}

/// A struct.
#[derive(Clone, Debug)]
pub(crate) struct Struct {
    pub(crate) name: String,
    pub(crate) fields: Vec<(String, Ty)>,
    pub(crate) repr: Repr,
    pub(crate) span: Span,
    /// It is a record of the C program that no Rust here declares.
    pub(crate) record: Option<RecordId>,
}

/// A C function, as Rust declares it.
#[derive(Clone, Debug)]
pub(crate) struct Extern {
    pub(crate) symbol: String,
    pub(crate) params: Vec<Ty>,
    pub(crate) ret: Ty,
    pub(crate) variadic: bool,
    /// Its declaration; `None` if it was read from the C program itself.
    pub(crate) span: Option<Span>,
}

/// A type cannot be nested deeper than anyone writes it.
const DEPTH: usize = 64;

impl Reader<'_> {
    /// A type.
    pub(crate) fn ty(&mut self, ty: &Type) -> Read<Ty> {
        self.ty_at(ty, 0)
    }

    fn ty_at(&mut self, ty: &Type, depth: usize) -> Read<Ty> {
        if depth > DEPTH {
            return self.error("this type is nested too deep", ty, "an alias of itself?");
        }
        let depth = depth + 1;
        Ok(match ty {
            Type::Paren(inner) => self.ty_at(&inner.elem, depth)?,
            Type::Group(inner) => self.ty_at(&inner.elem, depth)?,
            Type::Never(_) | Type::Infer(_) => self.types.fresh(),
            Type::Tuple(tuple) if tuple.elems.is_empty() => Ty::Unit,
            Type::Tuple(tuple) => {
                Ty::Tuple(tuple.elems.iter().map(|ty| self.ty_at(ty, depth)).collect::<Read<_>>()?)
            }
            Type::Array(array) => {
                let of = self.ty_at(&array.elem, depth)?;
                let n = self.length(&array.len)?;
                Ty::Array(Box::new(of), n)
            }
            Type::Slice(slice) => Ty::Slice(Box::new(self.ty_at(&slice.elem, depth)?)),
            Type::Reference(to) => Ty::Ref(to.mutability.is_some(), Box::new(self.ty_at(&to.elem, depth)?)),
            Type::Ptr(to) => Ty::Ptr(to.mutability.is_some(), Box::new(self.ty_at(&to.elem, depth)?)),
            Type::BareFn(_) => Ty::FnPtr,
            Type::Path(path) if path.qself.is_none() => self.path_type(&path.path, depth)?,
            _ => return self.error("this type is not supported in a harness", ty, "used here"),
        })
    }

    /// The length of an array.
    pub(crate) fn length(&mut self, expr: &Expr) -> Read<u64> {
        let value = self.constant(expr)?;
        match u64::try_from(value) {
            Ok(n) if n <= 1 << 24 => Ok(n),
            _ => self.error("this is no length of an array", expr, format!("is {value}")),
        }
    }

    fn path_type(&mut self, path: &Path, depth: usize) -> Read<Ty> {
        let Some(last) = path.segments.last() else {
            return self.error("this type is not supported in a harness", path, "used here");
        };
        let name = last.ident.to_string();
        let mut args = Vec::new();
        if let PathArguments::AngleBracketed(list) = &last.arguments {
            for arg in &list.args {
                if let GenericArgument::Type(ty) = arg {
                    args.push(self.ty_at(ty, depth)?);
                }
            }
        }
        // What the crate defines hides what the language and its library have.
        if args.is_empty()
            && let Some(id) = self
                .lookup(path, |thing| matches!(thing, Thing::Struct(_) | Thing::Alias(_) | Thing::Other(_)))?
        {
            return self.item_type(id, path, depth);
        }
        if let Some(int) = Int::named(&name, self.model) {
            return Ok(Ty::Int(int));
        }
        Ok(match (name.as_str(), &args[..]) {
            ("bool", []) => Ty::Bool,
            ("f32" | "c_float", []) => Ty::Float(32),
            ("f64" | "c_double", []) => Ty::Float(64),
            ("c_void", []) => Ty::Void,
            ("MaybeUninit", [of]) => Ty::Uninit(Box::new(of.clone())),
            ("Option", [Ty::FnPtr]) => Ty::FnPtr,
            ("Option", [Ty::Ref(..)]) => {
                return self.error(
                    "an optional reference is not supported in a harness",
                    path,
                    "use a raw pointer, which can be null",
                );
            }
            ("Option", [of]) => Ty::Option(Box::new(of.clone())),
            ("PhantomData", _) => Ty::Array(Box::new(Ty::Int(Int::U8)), 0),
            _ => {
                // A struct of another crate, which the C program knows by the same name.
                if let Some(record) = self.c_record(&name) {
                    return Ok(self.c_struct(record));
                }
                let message = format!("the type `{name}` is not known");
                let diagnostic = Diagnostic::error("tour::harness", message)
                    .label(self.span(path), "not found in this crate's sources")
                    .help(
                        "a harness can use integers, `bool`, arrays, and `#[repr(C)]` structs of this crate",
                    );
                return Err(Box::new(diagnostic));
            }
        })
    }

    fn item_type(&mut self, id: ItemId, path: &Path, depth: usize) -> Read<Ty> {
        let item = &self.items.all[id];
        match &item.thing {
            Thing::Struct(_) => Ok(Ty::Struct(self.find_struct(id)?)),
            Thing::Alias(ty) => self.within(item.home.clone(), |reader| reader.ty_at(ty, depth)),
            Thing::Other(what) => {
                let message = format!("`{}` is {what}, which a harness can't use", item.name);
                let diagnostic = Diagnostic::error("tour::harness", message)
                    .label(self.span(path), "used here")
                    .label(item.span, "defined here")
                    .help("use its integer type, or a `#[repr(C)]` struct");
                Err(Box::new(diagnostic))
            }
            _ => self.error("this is not a type", path, "used as one"),
        }
    }

    /// Does something where another item stands.
    pub(crate) fn within<T>(&mut self, home: Home, f: impl FnOnce(&mut Self) -> Read<T>) -> Read<T> {
        let outer = std::mem::replace(&mut self.home, home);
        let result = f(self);
        self.home = outer;
        result
    }

    pub(crate) fn find_struct(&mut self, id: ItemId) -> Read<usize> {
        if let Some(&index) = self.struct_of.get(&id) {
            return Ok(index);
        }
        let item = &self.items.all[id];
        let Thing::Struct(syntax) = &item.thing else {
            return Err(Box::new(
                Diagnostic::error("tour::harness", "this is not a struct").label(item.span, "here"),
            ));
        };
        let repr = repr(&syntax.attrs);
        let index = self.structs.len();
        // Fields may point to the struct itself.
        self.struct_of.insert(id, index);
        self.structs.push(Struct {
            name: item.name.clone(),
            fields: Vec::new(),
            repr,
            span: item.span,
            record: None,
        });
        if !repr.c {
            let diagnostic =
                Diagnostic::error("tour::harness", format!("the layout of `{}` is not fixed", item.name))
                    .label(item.span, "this struct has no `#[repr(C)]`")
                    .help("add `#[repr(C)]`: what is shared with C must be laid out as C does");
            return Err(Box::new(diagnostic));
        }
        if self.items.has_destructor(&item.name) {
            let message = format!("`{}` has a destructor, which a harness does not run", item.name);
            let diagnostic = Diagnostic::error("tour::harness", message)
                .label(item.span, "it implements `Drop`")
                .help("use the plain `#[repr(C)]` struct of C here, and call what frees it");
            return Err(Box::new(diagnostic));
        }
        if let Some(param) = syntax.generics.type_params().next() {
            return self.within(item.home.clone(), |reader| {
                reader.error("a generic struct is not supported in a harness", param, "a parameter")
            });
        }
        let fields = self.within(item.home.clone(), |reader| {
            let fields = syntax.fields.members().zip(&syntax.fields).map(|(member, field)| {
                let name = match member {
                    syn::Member::Named(name) => name.to_string(),
                    syn::Member::Unnamed(index) => index.index.to_string(),
                };
                Ok((name, reader.ty(&field.ty)?))
            });
            fields.collect::<Read<Vec<_>>>()
        })?;
        self.structs[index].fields = fields;
        Ok(index)
    }

    pub(super) fn lookup(&self, path: &Path, wanted: impl Fn(&Thing) -> bool) -> Read<Option<ItemId>> {
        let names: Vec<String> = path.segments.iter().map(|segment| segment.ident.to_string()).collect();
        self.items.lookup(&names, &self.home, wanted).map_err(|Ambiguous(places)| {
            let name = names.join("::");
            let message = format!("`{name}` could be one of several items");
            let mut diagnostic =
                Diagnostic::error("tour::harness", message).label(self.span(path), "named here");
            for place in places {
                diagnostic = diagnostic.label(place, "could be this");
            }
            Box::new(diagnostic.help("write the full path: `crate::module::name`"))
        })
    }

    /// A C function as Rust declares it.
    pub(crate) fn declaration(&mut self, sig: &Signature, symbol: &str, span: Span) -> Read<Extern> {
        let mut params = Vec::new();
        for input in &sig.inputs {
            match input {
                FnArg::Typed(param) => params.push(self.ty(&param.ty)?),
                FnArg::Receiver(receiver) => return self.error("a method of C", receiver, "here"),
            }
        }
        let ret = match &sig.output {
            ReturnType::Default => Ty::Unit,
            ReturnType::Type(_, ty) if matches!(**ty, Type::Never(_)) => Ty::Unit,
            ReturnType::Type(_, ty) => self.ty(ty)?,
        };
        let variadic = sig.variadic.is_some();
        Ok(Extern { symbol: symbol.to_owned(), params, ret, variadic, span: Some(span) })
    }

    /// The complete record with a tag.
    fn c_record(&self, name: &str) -> Option<RecordId> {
        let mut found = self
            .program
            .types
            .records
            .iter_enumerated()
            .filter(|(_, record)| record.tag.as_deref() == Some(name));
        found.find(|(_, record)| record.complete).map(|(id, _)| id)
    }

    fn c_struct(&mut self, id: RecordId) -> Ty {
        if let Some(index) = self.structs.iter().position(|s| s.record == Some(id)) {
            return Ty::Struct(index);
        }
        let record = self.program.types.records[id].clone();
        let index = self.structs.len();
        self.structs.push(Struct {
            name: record.tag.clone().unwrap_or_default(),
            fields: Vec::new(),
            repr: Repr { c: true, ..Repr::default() },
            span: record.span,
            record: Some(id),
        });
        let fields = record.fields.iter().map(|field| {
            let ty = self.c_type(field.ty.ty).unwrap_or(Ty::Void);
            (field.name.clone().unwrap_or_default(), ty)
        });
        let fields = fields.collect();
        self.structs[index].fields = fields;
        Ty::Struct(index)
    }

    /// A type of C, as a binding would declare it.
    fn c_type(&mut self, ty: TypeId) -> Option<Ty> {
        let types = &self.program.types;
        if let Some(int) = types.int_type(ty) {
            if int.bits == 1 {
                return Some(Ty::Bool);
            }
            return Some(Ty::Int(Int { bits: int.bits, signed: int.signed, size: false }));
        }
        Some(match types[ty].clone() {
            CType::Void => Ty::Void,
            CType::Float(_) => Ty::Float(types.size(ty)? as u32 * 8),
            CType::Pointer(to) => match types[to.ty] {
                CType::Function(_) => Ty::FnPtr,
                _ => Ty::Ptr(!to.quals.constant, Box::new(self.c_type(to.ty).unwrap_or(Ty::Void))),
            },
            CType::Array(of, tour_ir::program::ArrayLen::Fixed(n)) => {
                Ty::Array(Box::new(self.c_type(of.ty)?), n)
            }
            CType::Record(id) if types.records[id].complete => self.c_struct(id),
            _ => return None,
        })
    }

    /// A function that only the C program declares (its Rust declaration is in another crate).
    pub(super) fn c_function(&mut self, name: &str) -> Option<Extern> {
        let f = self.program.functions.iter().find(|f| f.name == name && f.body.is_some())?;
        let FnSig { ret, params, variadic, .. } = f.sig(&self.program.types).clone();
        let params: Option<Vec<Ty>> = params.iter().map(|ty| self.c_type(*ty)).collect();
        let ret = match self.c_type(ret)? {
            Ty::Void => Ty::Unit,
            other => other,
        };
        Some(Extern { symbol: name.to_owned(), params: params?, ret, variadic, span: None })
    }

    /// For messages.
    pub(crate) fn show(&self, ty: &Ty) -> String {
        show(&self.structs, &self.types.resolve(ty))
    }
}

/// A type as Rust writes it.
pub(crate) fn show(structs: &[Struct], ty: &Ty) -> String {
    let inner = |ty: &Ty| show(structs, ty);
    match ty {
        Ty::Int(int) => int.name(),
        Ty::Bool => "bool".into(),
        Ty::Unit => "()".into(),
        Ty::Float(bits) => format!("f{bits}"),
        Ty::Void => "c_void".into(),
        Ty::FnPtr => "fn".into(),
        Ty::Array(of, n) => format!("[{}; {n}]", inner(of)),
        Ty::Slice(of) => format!("[{}]", inner(of)),
        Ty::Struct(index) => structs.get(*index).map_or_else(String::new, |s| s.name.clone()),
        Ty::Tuple(of) => format!("({})", of.iter().map(inner).collect::<Vec<_>>().join(", ")),
        Ty::Option(of) => format!("Option<{}>", inner(of)),
        Ty::Uninit(of) => format!("MaybeUninit<{}>", inner(of)),
        Ty::Ptr(mutable, to) => format!("*{} {}", if *mutable { "mut" } else { "const" }, inner(to)),
        Ty::Ref(mutable, to) => format!("&{}{}", if *mutable { "mut " } else { "" }, inner(to)),
        Ty::Var(_) => "_".into(),
    }
}

fn repr(attrs: &[syn::Attribute]) -> Repr {
    let mut repr = Repr::default();
    for attr in attrs.iter().filter(|attr| attr.path().is_ident("repr")) {
        // What can't be read was rejected by the compiler.
        let _ = attr.parse_nested_meta(|meta| {
            let number = |meta: &syn::meta::ParseNestedMeta| -> syn::Result<Option<u64>> {
                if !meta.input.peek(syn::token::Paren) {
                    return Ok(None);
                }
                let content;
                syn::parenthesized!(content in meta.input);
                Ok(Some(content.parse::<syn::LitInt>()?.base10_parse()?))
            };
            if meta.path.is_ident("C") || meta.path.is_ident("transparent") {
                repr.c = true;
            } else if meta.path.is_ident("packed") {
                repr.packed = Some(number(&meta)?.unwrap_or(1));
            } else if meta.path.is_ident("align") {
                repr.align = number(&meta)?;
            }
            Ok(())
        });
    }
    repr
}

/// The last name of a path.
pub(super) fn last_name(path: &Path) -> String {
    path.segments.last().map(|segment| segment.ident.to_string()).unwrap_or_default()
}

/// The type in `name::<T>`.
pub(super) fn turbofish(path: &Path) -> Option<&Type> {
    path.segments.iter().rev().find_map(|segment| match &segment.arguments {
        PathArguments::AngleBracketed(list) => list.args.iter().find_map(|arg| match arg {
            GenericArgument::Type(ty) => Some(ty),
            _ => None,
        }),
        PathArguments::None | PathArguments::Parenthesized(_) => None,
    })
}
