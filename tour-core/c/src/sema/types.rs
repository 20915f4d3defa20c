//! Declaration specifiers and declarators to types.

use super::attributes::Attrs;
use super::{Entity, Fail, Lower, Sema};
use lang_c::ast::{
    AlignmentSpecifier, DeclarationSpecifier, Extension, FunctionSpecifier, Identifier, SpecifierQualifier,
    StorageClassSpecifier, TS18661FloatFormat, TS18661FloatType, TypeName, TypeOf, TypeQualifier,
    TypeSpecifier,
};
use lang_c::span::Node;
use tour_ir::program::{ArrayLen, FloatKind, FnSig, IntKind, QualType, Quals, Type, TypeId};
use tour_ir::source::Span;

/// The storage class that a declaration names.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[expect(missing_docs)]
pub enum StorageClass {
    Typedef,
    Extern,
    Static,
    Auto,
    Register,
}

/// What the specifiers of a declaration say of all its declarators.
#[derive(Clone, Debug)]
pub struct DeclSpecs {
    /// The type.
    pub ty: QualType,
    /// The storage class.
    pub storage: Option<StorageClass>,
    /// `_Thread_local`
    pub thread_local: bool,
    /// `inline`
    pub inline: bool,
    /// `_Noreturn`
    pub noreturn: bool,
    /// Attributes and `_Alignas`, for each declarator.
    pub attrs: Attrs,
    /// `__auto_type`: the type is that of the initialiser; `ty` is a placeholder.
    pub infer: bool,
}

/// A specifier of either of lang-c's two lists.
enum Spec<'t> {
    Storage(&'t StorageClassSpecifier),
    Type(&'t Node<TypeSpecifier>),
    Qualifier(&'t TypeQualifier),
    Function(&'t FunctionSpecifier),
    Align(&'t AlignmentSpecifier),
    Attributes(&'t [Node<Extension>]),
}

/// How often each keyword occurs among the specifiers.
#[derive(Default)]
struct Words {
    void: u32,
    bool: u32,
    char: u32,
    short: u32,
    int: u32,
    long: u32,
    float: u32,
    double: u32,
    signed: u32,
    unsigned: u32,
    complex: u32,
}

impl Words {
    fn any(&self) -> bool {
        self.count() > 0
    }

    /// Nothing is said but `_Complex`.
    fn only_complex(&self) -> bool {
        self.complex == 1 && self.count() == 1
    }

    fn count(&self) -> u32 {
        self.void
            + self.bool
            + self.char
            + self.short
            + self.int
            + self.long
            + self.float
            + self.double
            + self.signed
            + self.unsigned
            + self.complex
    }

    /// The type that they name; nothing at all is C89's implicit `int`.
    fn base(&self) -> Option<Type> {
        let sign = |signed, unsigned| if self.unsigned > 0 { unsigned } else { signed };
        if self.signed > 0 && self.unsigned > 0 {
            return None;
        }
        let numbers = self.char + self.short + self.int + self.long + self.signed + self.unsigned;
        Some(match self {
            Words { void: 1, .. } if numbers + self.float + self.double + self.bool == 0 => Type::Void,
            Words { bool: 1, .. } if numbers + self.float + self.double == 0 => Type::Int(IntKind::Bool),
            Words { float: 1, .. } if numbers + self.double == 0 => Type::Float(FloatKind::Float),
            Words { double: 1, long: 0, .. } if numbers == 0 => Type::Float(FloatKind::Double),
            Words { double: 1, long: 1, .. } if numbers == 1 => Type::Float(FloatKind::LongDouble),
            Words { void: 0, bool: 0, float: 0, double: 0, .. } => Type::Int(match self {
                Words { char: 1, short: 0, int: 0, long: 0, .. } if self.signed > 0 => IntKind::SChar,
                Words { char: 1, short: 0, int: 0, long: 0, .. } => sign(IntKind::Char, IntKind::UChar),
                Words { char: 0, short: 1, long: 0, .. } => sign(IntKind::Short, IntKind::UShort),
                Words { char: 0, short: 0, long: 0, .. } => sign(IntKind::Int, IntKind::UInt),
                Words { char: 0, short: 0, long: 1, .. } => sign(IntKind::Long, IntKind::ULong),
                Words { char: 0, short: 0, long: 2, .. } => sign(IntKind::LongLong, IntKind::ULongLong),
                _ => return None,
            }),
            _ => return None,
        })
    }
}

/// Adds a qualifier.
pub(super) fn qualify(quals: &mut Quals, qualifier: &TypeQualifier) {
    match qualifier {
        TypeQualifier::Const => quals.constant = true,
        TypeQualifier::Volatile => quals.volatile = true,
        TypeQualifier::Atomic => quals.atomic = true,
        TypeQualifier::Restrict
        | TypeQualifier::Nonnull
        | TypeQualifier::NullUnspecified
        | TypeQualifier::Nullable => {}
    }
}

impl Sema<'_> {
    /// The meaning of declaration specifiers. `alone`: no declarator follows, so that `struct s;` declares a new tag.
    pub fn decl_specs(&mut self, list: &[Node<DeclarationSpecifier>], alone: bool) -> Lower<DeclSpecs> {
        let specs: Vec<Spec<'_>> = list
            .iter()
            .map(|spec| match &spec.node {
                DeclarationSpecifier::StorageClass(class) => Spec::Storage(&class.node),
                DeclarationSpecifier::TypeSpecifier(ty) => Spec::Type(ty),
                DeclarationSpecifier::TypeQualifier(qualifier) => Spec::Qualifier(&qualifier.node),
                DeclarationSpecifier::Function(function) => Spec::Function(&function.node),
                DeclarationSpecifier::Alignment(align) => Spec::Align(&align.node),
                DeclarationSpecifier::Extension(list) => Spec::Attributes(list),
            })
            .collect();
        let span = self.list_span(list);
        self.specs(&specs, alone, span)
    }

    /// The meaning of the specifiers of a member or a type name.
    pub fn qualifier_specs(&mut self, list: &[Node<SpecifierQualifier>]) -> Lower<DeclSpecs> {
        let specs: Vec<Spec<'_>> = list
            .iter()
            .map(|spec| match &spec.node {
                SpecifierQualifier::TypeSpecifier(ty) => Spec::Type(ty),
                SpecifierQualifier::TypeQualifier(qualifier) => Spec::Qualifier(&qualifier.node),
                SpecifierQualifier::Extension(list) => Spec::Attributes(list),
            })
            .collect();
        let span = self.list_span(list);
        self.specs(&specs, false, span)
    }

    /// The type of a type name, as in a cast.
    pub fn type_name(&mut self, name: &Node<TypeName>) -> Lower<QualType> {
        let specs = self.qualifier_specs(&name.node.specifiers)?;
        let span = self.span(name.span);
        match &name.node.declarator {
            Some(declarator) => {
                let declared = self.declarator(&specs, declarator)?;
                declared.attrs.check(span)?;
                Ok(declared.ty)
            }
            None => {
                specs.attrs.check(span)?;
                let mut ty = self.apply_type_attrs(specs.ty, &specs.attrs, span)?;
                if let Some(align) = specs.attrs.align {
                    ty.quals.align = Some(align as u32);
                }
                Ok(ty)
            }
        }
    }

    /// The span of a list of nodes.
    pub(super) fn list_span<T>(&self, list: &[Node<T>]) -> Span {
        match list {
            [] => Span { unit: self.unit.unit, start: 0, end: 0 },
            [first, .., last] => self.span(first.span).to(self.span(last.span)),
            [one] => self.span(one.span),
        }
    }

    fn specs(&mut self, list: &[Spec<'_>], alone: bool, span: Span) -> Lower<DeclSpecs> {
        let mut words = Words::default();
        let mut named: Option<QualType> = None;
        let mut out = DeclSpecs {
            ty: QualType::from(TypeId::new(0)),
            storage: None,
            thread_local: false,
            inline: false,
            noreturn: false,
            attrs: Attrs::default(),
            infer: false,
        };
        let mut quals = Quals::default();
        let mut rest = list.iter().peekable();
        while let Some(spec) = rest.next() {
            match spec {
                Spec::Storage(class) => match class {
                    StorageClassSpecifier::Typedef => out.storage = Some(StorageClass::Typedef),
                    StorageClassSpecifier::Extern => out.storage = Some(StorageClass::Extern),
                    StorageClassSpecifier::Static => out.storage = Some(StorageClass::Static),
                    StorageClassSpecifier::Auto => out.storage = Some(StorageClass::Auto),
                    StorageClassSpecifier::Register => out.storage = Some(StorageClass::Register),
                    StorageClassSpecifier::ThreadLocal => out.thread_local = true,
                },
                Spec::Function(FunctionSpecifier::Inline) => out.inline = true,
                Spec::Function(FunctionSpecifier::Noreturn) => out.noreturn = true,
                Spec::Qualifier(qualifier) => qualify(&mut quals, qualifier),
                Spec::Align(AlignmentSpecifier::Type(name)) => {
                    let ty = self.type_name(name)?;
                    if let Some(align) = self.program.types.qual_align(ty) {
                        out.attrs.require_align(align);
                    }
                }
                Spec::Align(AlignmentSpecifier::Constant(value)) => {
                    let align = self.alignment(value)?;
                    out.attrs.require_align(align);
                }
                Spec::Attributes(list) => self.read_attributes(list, &mut out.attrs)?,
                Spec::Type(ty) => {
                    if let TypeSpecifier::Struct(_) | TypeSpecifier::Enum(_) = &ty.node {
                        // Attributes right behind the closing brace are those of the type.
                        let mut own = Attrs::default();
                        if defines(&ty.node) {
                            while let Some(Spec::Attributes(list)) =
                                rest.next_if(|s| matches!(s, Spec::Attributes(_)))
                            {
                                self.read_attributes(list, &mut own)?;
                            }
                        }
                        named = Some(self.tagged_type(&ty.node, own, alone)?);
                    } else {
                        self.type_specifier(ty, &mut words, &mut named, &mut out)?;
                    }
                }
            }
        }
        let mut ty = match named {
            // `_Float32 _Complex`
            Some(ty)
                if words.only_complex()
                    && matches!(self.program.types[ty.ty], Type::Float(_) | Type::Opaque { .. }) =>
            {
                QualType::from(self.complex_of(self.program.types[ty.ty].clone(), true))
            }
            Some(_) if words.any() => {
                return Fail::error("two types in one declaration", span, "only one type can be named here");
            }
            Some(ty) => ty,
            None => match words.base() {
                Some(base) if words.complex == 0 => QualType::from(self.program.types.intern(base)),
                Some(base) => QualType::from(self.complex_of(base, words.float + words.double > 0)),
                None => {
                    return Fail::error(
                        "these type specifiers do not go together",
                        span,
                        "no C type is written like this",
                    );
                }
            },
        };
        out.noreturn |= out.attrs.noreturn;
        // Qualifiers on an array type (by a typedef) are those of its elements.
        ty = self.add_quals(ty, quals);
        out.ty = ty;
        Ok(out)
    }

    /// Adds qualifiers to a type; those of an array go to its elements.
    pub fn add_quals(&mut self, ty: QualType, quals: Quals) -> QualType {
        if quals == Quals::default() {
            return ty;
        }
        match self.program.types[ty.ty] {
            Type::Array(of, len) => {
                let of = self.add_quals(of, quals);
                QualType { ty: self.program.types.intern(Type::Array(of, len)), quals: ty.quals }
            }
            _ => QualType { ty: ty.ty, quals: ty.quals.union(quals) },
        }
    }

    fn type_specifier(
        &mut self,
        spec: &Node<TypeSpecifier>,
        words: &mut Words,
        named: &mut Option<QualType>,
        out: &mut DeclSpecs,
    ) -> Lower<()> {
        match &spec.node {
            TypeSpecifier::Void => words.void += 1,
            TypeSpecifier::Char => words.char += 1,
            TypeSpecifier::Short => words.short += 1,
            TypeSpecifier::Int => words.int += 1,
            TypeSpecifier::Long => words.long += 1,
            TypeSpecifier::Float => words.float += 1,
            TypeSpecifier::Double => words.double += 1,
            TypeSpecifier::Signed => words.signed += 1,
            TypeSpecifier::Unsigned => words.unsigned += 1,
            TypeSpecifier::Bool => words.bool += 1,
            TypeSpecifier::Complex => words.complex += 1,
            TypeSpecifier::Atomic(name) => {
                let mut ty = self.type_name(name)?;
                ty.quals.atomic = true;
                *named = Some(ty);
            }
            TypeSpecifier::TypedefName(name) => *named = Some(self.typedef_name(name, out)?),
            TypeSpecifier::TypeOf(of) => *named = Some(self.type_of(of)?),
            TypeSpecifier::TS18661Float(float) => *named = Some(self.ts18661_float(float).into()),
            TypeSpecifier::Struct(_) | TypeSpecifier::Enum(_) => {
                *named = Some(self.tagged_type(&spec.node, Attrs::default(), false)?);
            }
        }
        Ok(())
    }

    fn typedef_name(&mut self, name: &Node<Identifier>, out: &mut DeclSpecs) -> Lower<QualType> {
        if name.node.name == "__builtin_va_list" {
            let span = self.span(name.span);
            return Ok(self.va_list_type(span).into());
        }
        let types = &mut self.program.types;
        Ok(match name.node.name.as_str() {
            "__tour_int128" => types.int(IntKind::Int128).into(),
            "__tour_uint128" => types.int(IntKind::UInt128).into(),
            "__tour_float128" => types.float(FloatKind::Float128).into(),
            // At file scope nothing infers the type, and a wrong guess would be silent.
            "__tour_auto" if self.current.is_none() => {
                let span = self.span(name.span);
                return Fail::unsupported("auto-type", "`__auto_type` outside of functions", span);
            }
            "__tour_auto" => {
                out.infer = true;
                types.int(IntKind::Int).into()
            }
            text => match self.scopes.lookup(text) {
                Some(Entity::Typedef(ty)) => ty,
                Some(Entity::Var(_) | Entity::Function(_) | Entity::EnumConst(..)) | None => {
                    let span = self.span(name.span);
                    return Fail::error(format!("`{text}` is no type"), span, "used as a type here");
                }
            },
        })
    }

    fn type_of(&mut self, of: &Node<TypeOf>) -> Lower<QualType> {
        match &of.node {
            TypeOf::Type(name) => self.type_name(name),
            TypeOf::Expression(expr) => {
                // A typedef name alone may be parsed as an expression.
                if let lang_c::ast::Expression::Identifier(name) = &expr.node
                    && let Some(Entity::Typedef(ty)) = self.scopes.lookup(&name.node.name)
                {
                    return Ok(ty);
                }
                self.type_of_operand(expr)
            }
        }
    }

    fn ts18661_float(&mut self, float: &TS18661FloatType) -> TypeId {
        let types = &mut self.program.types;
        let (prefix, suffix) = match float.format {
            TS18661FloatFormat::BinaryInterchange => ("_Float", ""),
            TS18661FloatFormat::BinaryExtended => ("_Float", "x"),
            TS18661FloatFormat::DecimalInterchange => ("_Decimal", ""),
            TS18661FloatFormat::DecimalExtended => ("_Decimal", "x"),
        };
        match (&float.format, float.width) {
            (TS18661FloatFormat::BinaryInterchange, 32) => types.float(FloatKind::Float),
            (TS18661FloatFormat::BinaryInterchange, 64) | (TS18661FloatFormat::BinaryExtended, 32) => {
                types.float(FloatKind::Double)
            }
            (TS18661FloatFormat::BinaryInterchange, 128) => types.float(FloatKind::Float128),
            (TS18661FloatFormat::BinaryExtended, 64) => types.float(FloatKind::LongDouble),
            (_, width) => {
                let size = (width as u64 / 8).max(1);
                let name = format!("{prefix}{width}{suffix}").into();
                types.intern(Type::Opaque { name, size, align: size })
            }
        }
    }

    /// `_Complex`: a type whose values we do not model. `_Complex` alone is `_Complex double`.
    fn complex_of(&mut self, base: Type, named: bool) -> TypeId {
        let types = &mut self.program.types;
        let part = match base {
            Type::Int(IntKind::Int) if !named => types.float(FloatKind::Double),
            base => types.intern(base),
        };
        let (size, align) = types.size_align(part).unwrap_or((8, 8));
        let name = format!("_Complex {}", self.program.show_type(part)).into();
        self.program.types.intern(Type::Opaque { name, size: 2 * size, align })
    }

    /// The type of a function with these parts.
    pub fn function_type(&mut self, ret: TypeId, params: Vec<TypeId>, variadic: bool) -> TypeId {
        self.program.types.intern(Type::Function(FnSig { ret, params, variadic, prototyped: true }))
    }

    /// A parameter's type: arrays and functions become pointers (C 6.7.6.3).
    pub fn adjust_param(&mut self, ty: QualType) -> QualType {
        match self.program.types[ty.ty] {
            Type::Array(of, _) => self.program.types.pointer(of).into(),
            Type::Function(_) => self.program.types.pointer(ty.ty).into(),
            _ => ty,
        }
    }

    /// The type is an array whose length, or that of its elements or pointees, is only known when it runs.
    pub fn is_variably_modified(&self, ty: TypeId) -> bool {
        let mut ty = ty;
        loop {
            match self.program.types[ty] {
                Type::Array(_, ArrayLen::Variable(_)) => return true,
                Type::Array(of, ArrayLen::Fixed(_) | ArrayLen::Unknown) | Type::Pointer(of) => ty = of.ty,
                _ => return false,
            }
        }
    }
}

/// `struct s { … }` and `enum e { … }`, not `struct s` and `enum e`.
fn defines(spec: &TypeSpecifier) -> bool {
    match spec {
        TypeSpecifier::Struct(ty) => ty.node.declarations.is_some(),
        TypeSpecifier::Enum(ty) => !ty.node.enumerators.is_empty(),
        _ => false,
    }
}
