//! Declarators: from `*(*f[3])(int)` and a base type to a name and its type.

use super::attributes::Attrs;
use super::linkage::symbol_of_label;
use super::types::{DeclSpecs, StorageClass, qualify};
use super::{Entity, Fail, Lower, Sema};
use lang_c::ast::{
    ArrayDeclarator, ArraySize, Declarator, DeclaratorKind, DerivedDeclarator, Ellipsis, Expression,
    Identifier, ParameterDeclaration, PointerQualifier,
};
use lang_c::span::Node;
use tour_ir::program::{ArrayLen, FnSig, IntKind, QualType, Quals, Type};
use tour_ir::source::Span;

/// A declared parameter.
#[derive(Clone, Debug)]
pub struct ParamDecl<'t> {
    /// Its name, unless only its type is given.
    pub name: Option<&'t str>,
    /// Its type, adjusted: no array, no function. A length inside of it that is no constant is unknown here; see
    /// [`Sema::param_type_in_body`].
    pub ty: QualType,
    /// Where it is declared.
    pub span: Span,
    /// Its declaration, where a length in it is computed when the function is called.
    pub variable: Option<&'t Node<ParameterDeclaration>>,
}

/// What a declarator declares.
#[derive(Clone, Debug)]
pub struct Declared<'t> {
    /// The name; `None` for an abstract declarator.
    pub name: Option<&'t Node<Identifier>>,
    /// The type.
    pub ty: QualType,
    /// The parameters, if what is declared is itself a function (not by a typedef).
    pub params: Option<Vec<ParamDecl<'t>>>,
    /// The names of a K&R definition's parameters.
    pub old_style: Option<&'t [Node<Identifier>]>,
    /// The attributes of the declarator and of its specifiers.
    pub attrs: Attrs,
    /// The symbol that the name stands for, if it has linkage.
    pub symbol: String,
    /// Where it stands.
    pub span: Span,
}

impl Declared<'_> {
    /// The name, empty for an abstract declarator.
    pub fn name(&self) -> &str {
        self.name.map_or("", |name| &name.node.name)
    }

    /// The symbol that the name stands for, if it has linkage.
    pub fn symbol(&self) -> &str {
        &self.symbol
    }
}

/// Where a declarator stands: what a length that is no constant means there.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Position {
    /// A parameter of a prototype: lengths are not evaluated.
    Param,
    /// Anything else.
    Other,
}

impl Sema<'_> {
    /// What a declarator makes of its specifiers.
    pub fn declarator<'t>(
        &mut self,
        specs: &DeclSpecs,
        declarator: &'t Node<Declarator>,
    ) -> Lower<Declared<'t>> {
        self.declarator_at(specs, declarator, Position::Other)
    }

    fn declarator_at<'t>(
        &mut self,
        specs: &DeclSpecs,
        declarator: &'t Node<Declarator>,
        position: Position,
    ) -> Lower<Declared<'t>> {
        let span = self.span(declarator.span);
        let (order, name, extensions) = application_order(declarator);
        let mut attrs = specs.attrs.clone();
        for list in extensions {
            self.read_attributes(list, &mut attrs)?;
        }
        let ty = self.apply_type_attrs(specs.ty, &attrs, span)?;
        let lengths = if position == Position::Param { Vec::new() } else { self.variable_lengths(&order)? };
        let (ty, params, old_style) =
            self.with_lengths(&lengths, |sema| sema.derive(ty, &order, position, &mut attrs))?;
        let text = name.map_or("", |name| name.node.name.as_str());
        let symbol = match &attrs.label {
            Some(label) => symbol_of_label(text, label).to_owned(),
            None => self.shared.linkage.symbol(text).into_owned(),
        };
        Ok(Declared { name, ty, params, old_style, attrs, symbol, span })
    }

    /// The lengths of a declarator that are evaluated. C does not order them (C11 6.7.6p3).
    fn variable_lengths<'t>(
        &mut self,
        order: &[&'t Node<DerivedDeclarator>],
    ) -> Lower<Vec<&'t Node<Expression>>> {
        if self.current.is_none() {
            return Ok(Vec::new());
        }
        let mut lengths = Vec::new();
        for derived in order {
            if let DerivedDeclarator::Array(array) = &derived.node
                && let ArraySize::VariableExpression(size) | ArraySize::StaticExpression(size) =
                    &array.node.size
            {
                lengths.push(&**size);
            }
        }
        if lengths.len() < 2 {
            return Ok(Vec::new());
        }
        let mut variable = Vec::new();
        for size in lengths {
            if self.const_int_opt(size)?.is_none() {
                variable.push(size);
            }
        }
        Ok(variable)
    }

    /// Lowers a declarator whose lengths C does not order.
    fn with_lengths<T>(
        &mut self,
        lengths: &[&Node<Expression>],
        lower: impl FnOnce(&mut Self) -> Lower<T>,
    ) -> Lower<T> {
        match lengths.len() {
            0 | 1 => lower(self),
            _ => self.apart(|sema| sema.ordered(lengths, lower)),
        }
    }

    /// Applies the parts of a declarator. Gives the type, and the parameters of a function.
    #[expect(clippy::type_complexity)]
    fn derive<'t>(
        &mut self,
        mut ty: QualType,
        order: &[&'t Node<DerivedDeclarator>],
        position: Position,
        attrs: &mut Attrs,
    ) -> Lower<(QualType, Option<Vec<ParamDecl<'t>>>, Option<&'t [Node<Identifier>]>)> {
        let mut params = None;
        let mut old_style = None;
        for derived in order {
            (params, old_style) = (None, None);
            let part_span = self.span(derived.span);
            ty = match &derived.node {
                DerivedDeclarator::Pointer(qualifiers) => self.pointer_type(ty, qualifiers, attrs)?,
                DerivedDeclarator::Block(_) => {
                    return Fail::unsupported("block", "blocks are not modelled", part_span);
                }
                DerivedDeclarator::Array(array) => self.array_type(ty, array, position)?,
                DerivedDeclarator::Function(function) => {
                    let list = self.param_list(&function.node.parameters)?;
                    let variadic = function.node.ellipsis == Ellipsis::Some;
                    // An abstract `()` says nothing of the parameters.
                    let prototyped = !function.node.parameters.is_empty();
                    let types = list.iter().map(|p| p.ty.ty).collect();
                    let sig = FnSig { ret: ty.ty, params: types, variadic, prototyped };
                    params = Some(list);
                    self.function_of(sig, part_span)?
                }
                DerivedDeclarator::KRFunction(names) => {
                    let sig = FnSig::unprototyped(ty.ty);
                    params = Some(Vec::new());
                    old_style = Some(&names[..]);
                    self.function_of(sig, part_span)?
                }
            };
        }
        Ok((ty, params, old_style))
    }

    fn pointer_type(
        &mut self,
        to: QualType,
        qualifiers: &[Node<PointerQualifier>],
        attrs: &mut Attrs,
    ) -> Lower<QualType> {
        let mut quals = Quals::default();
        for qualifier in qualifiers {
            match &qualifier.node {
                PointerQualifier::TypeQualifier(qualifier) => qualify(&mut quals, &qualifier.node),
                PointerQualifier::Extension(list) => self.read_attributes(list, attrs)?,
            }
        }
        Ok(QualType { ty: self.program.types.pointer(to), quals })
    }

    fn function_of(&mut self, sig: FnSig, span: Span) -> Lower<QualType> {
        match self.program.types[sig.ret] {
            Type::Array(..) => Fail::error("a function can't return an array", span, "declared here"),
            Type::Function(_) => Fail::error("a function can't return a function", span, "declared here"),
            _ => Ok(self.program.types.intern(Type::Function(sig)).into()),
        }
    }

    fn array_type(
        &mut self,
        of: QualType,
        array: &Node<ArrayDeclarator>,
        position: Position,
    ) -> Lower<QualType> {
        let span = self.span(array.span);
        let bad = match &self.program.types[of.ty] {
            Type::Void => Some("`void`"),
            Type::Function(_) => Some("functions"),
            Type::Record(id) if !self.program.types.records[*id].complete => Some("an incomplete type"),
            _ => None,
        };
        if let Some(what) = bad {
            return Fail::error(format!("an array can't have elements of {what}"), span, "this array");
        }
        let len = match &array.node.size {
            ArraySize::Unknown | ArraySize::VariableUnknown => ArrayLen::Unknown,
            ArraySize::VariableExpression(size) | ArraySize::StaticExpression(size) => {
                let length = match self.const_int_opt(size) {
                    // It mentions another parameter, which is not in scope.
                    Err(_) if position == Position::Param => None,
                    other => other?,
                };
                match length {
                    Some(n) if (0..=i128::from(i64::MAX)).contains(&n) => ArrayLen::Fixed(n as u64),
                    Some(n) => {
                        let message = format!("an array can't have {n} elements");
                        return Fail::error(message, self.span(size.span), "this length");
                    }
                    None if position == Position::Param => ArrayLen::Unknown,
                    None if self.current.is_none() => {
                        let at = self.span(size.span);
                        return Fail::error("the length of this array is no constant", at, "not constant");
                    }
                    None => ArrayLen::Variable(self.vla_length(size)?),
                }
            }
        };
        Ok(self.program.types.intern(Type::Array(of, len)).into())
    }

    /// The parameters of a prototype; none for `(void)`. Their names and tags end with the list.
    fn param_list<'t>(&mut self, list: &'t [Node<ParameterDeclaration>]) -> Lower<Vec<ParamDecl<'t>>> {
        self.scopes.enter();
        let params = self.param_list_here(list);
        self.scopes.leave();
        params
    }

    fn param_list_here<'t>(&mut self, list: &'t [Node<ParameterDeclaration>]) -> Lower<Vec<ParamDecl<'t>>> {
        let mut out = Vec::with_capacity(list.len());
        for param in list {
            let decl = stacker::maybe_grow(64 * 1024, 1024 * 1024, || self.param(param, Position::Param))?;
            if list.len() == 1 && decl.name.is_none() && self.program.types[decl.ty.ty] == Type::Void {
                return Ok(Vec::new());
            }
            out.push(decl);
        }
        Ok(out)
    }

    fn param<'t>(
        &mut self,
        param: &'t Node<ParameterDeclaration>,
        position: Position,
    ) -> Lower<ParamDecl<'t>> {
        let specs = self.decl_specs(&param.node.specifiers, false)?;
        let span = self.span(param.span);
        let Some(declarator) = &param.node.declarator else {
            let ty = self.apply_type_attrs(specs.ty, &specs.attrs, span)?;
            return Ok(ParamDecl { name: None, ty: self.adjust_param(ty), span, variable: None });
        };
        let declared = self.declarator_at(&specs, declarator, position)?;
        declared.attrs.check(span)?;
        let ty = self.adjust_param(declared.ty);
        // An array of unknown length: a sign of a length that is no constant.
        let outer = matches!(self.program.types[declared.ty.ty], Type::Array(_, ArrayLen::Unknown));
        let variable = (outer || has_unknown_pointee(self, ty)).then_some(param);
        Ok(ParamDecl { name: declared.name.map(|name| &*name.node.name), ty, span, variable })
    }

    /// The type of a parameter whose inner lengths depend on other parameters, in the function's body, where those are
    /// in scope: the lengths are evaluated now.
    pub fn param_type_in_body(&mut self, param: &ParamDecl<'_>) -> Lower<QualType> {
        let Some(declaration) = param.variable else { return Ok(param.ty) };
        let specs = self.decl_specs(&declaration.node.specifiers, false)?;
        let Some(declarator) = &declaration.node.declarator else { return Ok(param.ty) };
        let (order, _, _) = application_order(declarator);
        let ty = self.apply_type_attrs(specs.ty, &specs.attrs, param.span)?;
        let lengths = self.variable_lengths(&order)?;
        self.with_lengths(&lengths, |sema| sema.derive_in_body(ty, &order, param))
    }

    fn derive_in_body(
        &mut self,
        mut ty: QualType,
        order: &[&Node<DerivedDeclarator>],
        param: &ParamDecl<'_>,
    ) -> Lower<QualType> {
        let Some((last, inner)) = order.split_last() else { return Ok(param.ty) };
        for derived in inner {
            ty = match &derived.node {
                DerivedDeclarator::Pointer(qualifiers) => {
                    self.pointer_type(ty, qualifiers, &mut Attrs::default())?
                }
                DerivedDeclarator::Array(array) => self.array_type(ty, array, Position::Other)?,
                DerivedDeclarator::Function(_)
                | DerivedDeclarator::KRFunction(_)
                | DerivedDeclarator::Block(_) => return Ok(param.ty),
            };
        }
        match &last.node {
            DerivedDeclarator::Array(array) => {
                // The outermost array is a pointer, but its length is evaluated like any other (C11 6.9.1p10).
                if let ArraySize::VariableExpression(size) | ArraySize::StaticExpression(size) =
                    &array.node.size
                    && self.const_int_opt(size)?.is_none()
                {
                    self.effect(size)?;
                }
                Ok(self.program.types.pointer(ty).into())
            }
            DerivedDeclarator::Pointer(_) => Ok(self.program.types.pointer(ty).into()),
            _ => Ok(param.ty),
        }
    }

    /// The types of a K&R definition's parameters, in the order of its names; those not declared are `int`.
    pub fn old_style_params<'t>(
        &mut self,
        names: &'t [Node<Identifier>],
        declarations: &'t [Node<lang_c::ast::Declaration>],
    ) -> Lower<Vec<ParamDecl<'t>>> {
        let mut declared = Vec::new();
        for declaration in declarations {
            let specs = self.decl_specs(&declaration.node.specifiers, false)?;
            for item in &declaration.node.declarators {
                let one = self.declarator_at(&specs, &item.node.declarator, Position::Param)?;
                one.attrs.check(one.span)?;
                if self.is_old_style_vla(&item.node.declarator)? {
                    let message = "a length in an old-style parameter that is no constant";
                    return Fail::unsupported("vla", message, one.span);
                }
                declared.push((one.name().to_owned(), self.adjust_param(one.ty), one.span));
            }
        }
        let int = self.program.types.int(IntKind::Int);
        Ok(names
            .iter()
            .map(|name| {
                let text = &name.node.name;
                let found = declared.iter().find(|(other, ..)| other == text);
                let (ty, span) = match found {
                    Some((_, ty, span)) => (*ty, *span),
                    None => (int.into(), self.span(name.span)),
                };
                ParamDecl { name: Some(text), ty, span, variable: None }
            })
            .collect())
    }

    /// A length in a declarator is no constant.
    fn is_old_style_vla(&mut self, declarator: &Node<Declarator>) -> Lower<bool> {
        for part in application_order(declarator).0 {
            if let DerivedDeclarator::Array(array) = &part.node
                && let ArraySize::VariableExpression(size) | ArraySize::StaticExpression(size) =
                    &array.node.size
                && !matches!(self.const_int_opt(size), Ok(Some(_)))
            {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Declares a typedef name.
    pub fn declare_typedef(&mut self, declared: &Declared<'_>) {
        let mut ty = declared.ty;
        if let Some(align) = declared.attrs.align {
            ty.quals.align = Some(align as u32);
        }
        self.scopes.declare(declared.name(), Entity::Typedef(ty));
    }
}

impl DeclSpecs {
    /// `typedef`
    pub fn is_typedef(&self) -> bool {
        self.storage == Some(StorageClass::Typedef)
    }
}

/// The parts of a declarator in the order in which they make the type (pointers as written, then arrays and functions
/// from the right, then what the parenthesised declarator inside adds), its name, and its attributes.
#[expect(clippy::type_complexity)]
pub(super) fn application_order(
    declarator: &Node<Declarator>,
) -> (Vec<&Node<DerivedDeclarator>>, Option<&Node<Identifier>>, Vec<&[Node<lang_c::ast::Extension>]>) {
    let mut order = Vec::new();
    let mut extensions = Vec::new();
    let mut at = declarator;
    loop {
        extensions.push(&at.node.extensions[..]);
        let is_pointer = |d: &Node<DerivedDeclarator>| {
            matches!(d.node, DerivedDeclarator::Pointer(_) | DerivedDeclarator::Block(_))
        };
        order.extend(at.node.derived.iter().filter(|d| is_pointer(d)));
        order.extend(at.node.derived.iter().rev().filter(|d| !is_pointer(d)));
        match &at.node.kind.node {
            DeclaratorKind::Abstract => return (order, None, extensions),
            DeclaratorKind::Identifier(name) => return (order, Some(name), extensions),
            DeclaratorKind::Declarator(inner) => at = inner,
        }
    }
}

/// A pointer to an array of unknown length, at any depth: in a parameter, a sign of a length that is no constant.
fn has_unknown_pointee(sema: &Sema<'_>, ty: QualType) -> bool {
    let types = &sema.program.types;
    let mut at = match types[ty.ty] {
        Type::Pointer(to) => to.ty,
        _ => return false,
    };
    loop {
        match types[at] {
            Type::Array(_, ArrayLen::Unknown | ArrayLen::Variable(_)) => return true,
            Type::Array(of, ArrayLen::Fixed(_)) | Type::Pointer(of) => at = of.ty,
            _ => return false,
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::sema::{Fail, Sema, Shared, testing};
    use lang_c::ast::ExternalDeclaration;
    use tour_ir::program::{DataModel, Program};
    use tour_ir::source::Unit;

    /// Declares what `text` declares and shows the type of each name, with size and alignment.
    fn declared(text: &str, model: DataModel) -> Vec<String> {
        let mut program = Program::new(model);
        let unit = program.sources.add(Unit::plain("t.c", text));
        let parsed = testing::parse(unit, text);
        let mut shared = Shared::default();
        let mut sema = Sema::new(&mut program, &mut shared, &parsed);
        let mut out = Vec::new();
        for item in testing::items(&parsed) {
            let ExternalDeclaration::Declaration(declaration) = &item.node else { continue };
            let specs =
                sema.decl_specs(&declaration.node.specifiers, declaration.node.declarators.is_empty());
            let specs = match specs {
                Ok(specs) => specs,
                Err(fail) => {
                    out.push(show_fail(*fail));
                    continue;
                }
            };
            for declarator in &declaration.node.declarators {
                match sema.declarator(&specs, &declarator.node.declarator) {
                    Ok(declared) if specs.is_typedef() => sema.declare_typedef(&declared),
                    Ok(declared) => {
                        let types = &sema.program.types;
                        let shown = sema.program.show_type(declared.ty.ty);
                        let size = types.qual_size_align(declared.ty);
                        let size = size.map_or(String::new(), |(size, align)| format!(" {size}/{align}"));
                        out.push(format!("{}: {shown}{size}", declared.name()));
                    }
                    Err(fail) => out.push(show_fail(*fail)),
                }
            }
        }
        out
    }

    fn show_fail(fail: Fail) -> String {
        match fail {
            Fail::Error(diagnostic) => format!("error: {}", diagnostic.message),
            Fail::Unsupported(what, _) => format!("unsupported: {}", what.message),
        }
    }

    #[test]
    fn declarators_read_inside_out() {
        let check = |text: &str, want: &[&str]| assert_eq!(declared(text, DataModel::Lp64), want, "{text}");
        check("int x, *p, a[3], **q;", &["x: int 4/4", "p: int * 8/8", "a: int[3] 12/4", "q: int * * 8/8"]);
        check("int a[2][3];", &["a: int[3][2] 24/4"]);
        check("int *a[3], (*b)[3];", &["a: int *[3] 24/8", "b: (int[3]) * 8/8"]);
        check("int (*f[2])(char, ...);", &["f: (int (char, ...)) *[2] 16/8"]);
        check("void (*signal(int, void (*)(int)))(int);", &["signal: (void (int)) * (int, (void (int)) *)"]);
        check(
            "int f(), g(void), h(int a[3], int b(int));",
            &["f: int ()", "g: int (void)", "h: int (int *, (int (int)) *)"],
        );
        check("typedef int T[2]; T x, *y;", &["x: int[2] 8/4", "y: (int[2]) * 8/8"]);
        check("int f(int n, int a[n], int b[n][n]);", &["f: int (int, int *, (int[]) *)"]);
        check(
            "unsigned long long int x; long unsigned y; short z; signed char c;",
            &["x: unsigned long long 8/8", "y: unsigned long 8/8", "z: short 2/2", "c: signed char 1/1"],
        );
        check(
            "long double d; _Bool b; __tour_int128 i; double _Complex c;",
            &["d: long double 16/16", "b: _Bool 1/1", "i: __int128 16/16", "c: _Complex double 16/8"],
        );
        check("enum e { A = 3, B, C = A * 2 + (B > 3 ? 1 : 0) } x[C];", &["x: enum e[7] 28/4"]);
        check("struct s { char a; struct { int b; }; } x;", &["x: struct s 8/4"]);
        check("typedef unsigned int u __attribute__((mode(DI))); u x;", &["x: unsigned long 8/8"]);
        check(
            "typedef int v __attribute__((aligned(16))); struct { char c; v x; } s; v y;",
            &["s: struct <anonymous> 32/16", "y: int 4/16"],
        );
        check("struct __s { char c; int x; } __attribute__((packed)) s;", &["s: struct __s 5/1"]);
        check("int a[sizeof(long) == 8 && 1 || 0 ? 2 : -1];", &["a: int[2] 8/4"]);
        check("char a[__builtin_offsetof(struct { int x; char y[4]; }, y[2])];", &["a: char[6] 6/1"]);
        check("struct s *p; struct s { struct s *next; } x;", &["p: struct s * 8/8", "x: struct s 8/8"]);
    }

    #[test]
    fn bad_declarations_are_reported() {
        let check = |text: &str, want: &str| {
            assert_eq!(declared(text, DataModel::Lp64), [want.to_owned()], "{text}");
        };
        check("int a[-1];", "error: an array can't have -1 elements");
        check("short long x;", "error: these type specifiers do not go together");
        check("struct s { int a; int a; };", "error: two members are called `a`");
        check("struct s { struct s x; };", "error: `x` has an incomplete type");
        check("struct s { int b : 40; };", "error: this bit-field has an impossible width");
        check("void a[3];", "error: an array can't have elements of `void`");
        check("enum e { A }; struct e x;", "error: this tag names another kind of type");
        check("int f(void)[3];", "error: a function can't return an array");
    }
}
