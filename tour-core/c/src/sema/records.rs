//! Structs, unions and enumerations: tags, members, layouts, enumerators.

use super::attributes::{Attrs, int_kind_of_size};
use super::types::DeclSpecs;
use super::{Entity, Fail, Lower, Sema, Tag};
use lang_c::ast::{
    EnumType, Identifier, StaticAssert, StructDeclaration, StructDeclarator, StructField, StructKind,
    StructType, TypeSpecifier,
};
use lang_c::span::Node;
use rustc_hash::FxHashMap;
use tour_ir::program::{
    ArrayLen, EnumDef, EnumId, IntKind, IntType, Member, QualType, Record, RecordAttrs, RecordId, RecordKind,
    Type, TypeId, lay_out,
};
use tour_ir::source::{Diagnostic, Span};

/// No object is larger (C: `PTRDIFF_MAX`, and we count bits).
const MAX_SIZE: u64 = 1 << 60;

impl Sema<'_> {
    /// The type of a struct, union or enum specifier; `own` are the attributes behind its closing brace. `alone`: no
    /// declarator follows, so that a tag without members is declared in this scope.
    pub(super) fn tagged_type(&mut self, spec: &TypeSpecifier, own: Attrs, alone: bool) -> Lower<QualType> {
        stacker::maybe_grow(128 * 1024, 1024 * 1024, || match spec {
            TypeSpecifier::Struct(ty) => Ok(self.record_type(ty, own, alone)?.into()),
            TypeSpecifier::Enum(ty) => Ok(self.enum_type(ty, own, alone)?.into()),
            other => unreachable!("{other:?} has no tag"),
        })
    }

    fn record_type(&mut self, ty: &Node<StructType>, own: Attrs, alone: bool) -> Lower<TypeId> {
        let kind = match ty.node.kind.node {
            StructKind::Struct => RecordKind::Struct,
            StructKind::Union => RecordKind::Union,
        };
        let span = self.span(ty.span);
        let tag = ty.node.identifier.as_ref();
        let here = alone || ty.node.declarations.is_some();
        let known = match tag.and_then(|tag| self.find_tag(tag, here)) {
            Some(Tag::Record(id)) if self.program.types.records[id].kind == kind => Some(id),
            Some(other) => return self.wrong_tag(other, span),
            None => None,
        };
        let id = known.unwrap_or_else(|| {
            let id = self.program.types.records.push(Record {
                kind,
                tag: tag.map(|tag| tag.node.name.clone()),
                fields: Vec::new(),
                size: 0,
                align: 1,
                complete: false,
                transparent: false,
                span,
            });
            if let Some(tag) = tag {
                self.scopes.declare_tag(&tag.node.name, Tag::Record(id));
            }
            id
        });
        if let Some(declarations) = &ty.node.declarations {
            if self.program.types.records[id].complete {
                return self.redefined(tag, self.program.types.records[id].span, span);
            }
            self.define_record(id, declarations, own, span)?;
        }
        Ok(self.program.types.intern(Type::Record(id)))
    }

    fn find_tag(&self, tag: &Node<Identifier>, here: bool) -> Option<Tag> {
        let name = &tag.node.name;
        if here { self.scopes.lookup_tag_here(name) } else { self.scopes.lookup_tag(name) }
    }

    fn wrong_tag<T>(&self, other: Tag, span: Span) -> Lower<T> {
        let first = match other {
            Tag::Record(id) => self.program.types.records[id].span,
            Tag::Enum(id) => self.program.types.enums[id].span,
        };
        let diagnostic = Diagnostic::error("tour::semantics", "this tag names another kind of type")
            .label(span, "used here")
            .label(first, "declared here");
        Err(Box::new(Fail::Error(diagnostic)))
    }

    fn redefined<T>(&self, tag: Option<&Node<Identifier>>, first: Span, span: Span) -> Lower<T> {
        let name = tag.map_or("", |tag| &tag.node.name);
        let diagnostic = Diagnostic::error("tour::semantics", format!("`{name}` is defined twice"))
            .label(span, "defined again here")
            .label(first, "first defined here");
        Err(Box::new(Fail::Error(diagnostic)))
    }

    fn define_record(
        &mut self,
        id: RecordId,
        declarations: &[Node<StructDeclaration>],
        own: Attrs,
        span: Span,
    ) -> Lower<()> {
        if let Some(unmodelled) = own.unmodelled {
            return Err(Box::new(Fail::Unsupported(unmodelled, span)));
        }
        let mut members = Vec::new();
        for declaration in declarations {
            match &declaration.node {
                StructDeclaration::Field(field) => self.record_members(field, &mut members)?,
                StructDeclaration::StaticAssert(assert) => self.static_assert(assert)?,
            }
        }
        self.check_members(&members)?;
        // What `#pragma pack` says at the closing brace counts.
        let pack = self.unit.pack_at(span.end);
        let attrs = RecordAttrs { packed: own.packed, align: own.align, pack };
        let kind = self.program.types.records[id].kind;
        let (fields, size, align) = lay_out(&self.program.types, kind, members, attrs);
        if size > MAX_SIZE {
            return Fail::error("this type is too large", span, format!("it would take {size} bytes"));
        }
        let record = &mut self.program.types.records[id];
        record.fields = fields;
        record.size = size;
        record.align = align;
        record.complete = true;
        record.transparent = own.transparent_union;
        record.span = span;
        Ok(())
    }

    /// Members have types of known size, but a flexible array at the end, and different names.
    fn check_members(&self, members: &[Member]) -> Lower<()> {
        let mut names: FxHashMap<&str, Span> = FxHashMap::default();
        for (i, member) in members.iter().enumerate() {
            if let Some(name) = &member.name
                && let Some(first) = names.insert(name, member.span)
            {
                let diagnostic =
                    Diagnostic::error("tour::semantics", format!("two members are called `{name}`"))
                        .label(member.span, "declared again here")
                        .label(first, "first declared here");
                return Err(Box::new(Fail::Error(diagnostic)));
            }
            let types = &self.program.types;
            if types.size(member.ty.ty).is_some() {
                continue;
            }
            match types[member.ty.ty] {
                // Not only at the end: gcc takes it in the middle of an inner record and in unions too.
                Type::Array(of, ArrayLen::Unknown) if types.size(of.ty).is_some() => {}
                Type::Array(_, ArrayLen::Variable(_)) => {
                    let what = "members of variable length are not modelled";
                    return Fail::unsupported("variable-length-member", what, member.span);
                }
                Type::Function(_) => {
                    return Fail::error("a member can't be a function", member.span, "declared here");
                }
                _ => {
                    let name = members[i].name.as_deref().unwrap_or("this member");
                    let message = format!("`{name}` has an incomplete type");
                    return Fail::error(message, member.span, self.program.show_type(member.ty.ty));
                }
            }
        }
        Ok(())
    }

    fn record_members(&mut self, field: &Node<StructField>, members: &mut Vec<Member>) -> Lower<()> {
        let specs = self.qualifier_specs(&field.node.specifiers)?;
        let span = self.span(field.span);
        if field.node.declarators.is_empty() {
            // An anonymous struct or union; anything else without a name declares no member.
            if let Type::Record(id) = self.program.types[specs.ty.ty]
                && self.program.types.records[id].tag.is_none()
            {
                members.push(Member {
                    name: None,
                    ty: specs.ty,
                    bit_width: None,
                    align: specs.attrs.align,
                    packed: specs.attrs.packed,
                    span,
                });
            }
            return Ok(());
        }
        for declarator in &field.node.declarators {
            let member = self.record_member(&specs, declarator)?;
            members.push(member);
        }
        Ok(())
    }

    fn record_member(&mut self, specs: &DeclSpecs, declarator: &Node<StructDeclarator>) -> Lower<Member> {
        let span = self.span(declarator.span);
        let (name, ty, attrs) = match &declarator.node.declarator {
            Some(inner) => {
                let declared = self.declarator(specs, inner)?;
                (declared.name.map(|name| name.node.name.clone()), declared.ty, declared.attrs)
            }
            None => (None, self.apply_type_attrs(specs.ty, &specs.attrs, span)?, specs.attrs.clone()),
        };
        attrs.check(span)?;
        let bit_width = match &declarator.node.bit_width {
            Some(width) => Some(self.bit_width(width, ty, name.is_some(), span)?),
            None => None,
        };
        Ok(Member { name, ty, bit_width, align: attrs.align, packed: attrs.packed, span })
    }

    fn bit_width(
        &mut self,
        width: &Node<lang_c::ast::Expression>,
        ty: QualType,
        named: bool,
        span: Span,
    ) -> Lower<u32> {
        let Some(int) = self.program.types.int_type(ty.ty) else {
            return Fail::error("a bit-field must have an integer type", span, "this bit-field");
        };
        let value = self.const_int(width)?;
        match u32::try_from(value) {
            Ok(value) if value <= int.bits && (value > 0 || !named) => Ok(value),
            _ => {
                let label = format!("{value} bits in a type of {}", int.bits);
                let diagnostic =
                    Diagnostic::error("tour::semantics", "this bit-field has an impossible width")
                        .label(span, label)
                        .help("is the data model right? (--data-model ilp32 or lp64)");
                Err(Box::new(Fail::Error(diagnostic)))
            }
        }
    }

    fn enum_type(&mut self, ty: &Node<EnumType>, own: Attrs, alone: bool) -> Lower<TypeId> {
        let span = self.span(ty.span);
        let tag = ty.node.identifier.as_ref();
        let defines = !ty.node.enumerators.is_empty();
        let id = match tag.and_then(|tag| self.find_tag(tag, alone || defines)) {
            Some(Tag::Enum(id)) => id,
            Some(other) => return self.wrong_tag(other, span),
            None => {
                let id = self.program.types.enums.push(EnumDef {
                    tag: tag.map(|tag| tag.node.name.clone()),
                    complete: false,
                    repr: IntKind::UInt,
                    constants: Vec::new(),
                    span,
                });
                if let Some(tag) = tag {
                    self.scopes.declare_tag(&tag.node.name, Tag::Enum(id));
                }
                id
            }
        };
        if defines {
            if self.program.types.enums[id].complete {
                return self.redefined(tag, self.program.types.enums[id].span, span);
            }
            self.define_enum(id, ty, &own, span)?;
        }
        Ok(self.program.types.intern(Type::Enum(id)))
    }

    fn define_enum(&mut self, id: EnumId, ty: &Node<EnumType>, own: &Attrs, span: Span) -> Lower<()> {
        own.check(span)?;
        if own.align.is_some() || own.vector_size.is_some() {
            return Fail::unsupported("attribute", "the alignment of an enumeration is not modelled", span);
        }
        let fixed = match own.enum_type {
            Some(ty) => match self.program.types.int_kind(ty.ty) {
                Some(kind) => Some(kind),
                None => return Fail::error("an enumeration needs an integer type", span, "of another type"),
            },
            None => None,
        };
        let mut next = 0i128;
        let mut constants = Vec::with_capacity(ty.node.enumerators.len());
        for enumerator in &ty.node.enumerators {
            if let Some(value) = &enumerator.node.expression {
                next = self.const_int(value)?;
            }
            let name = &enumerator.node.identifier.node.name;
            let kind = fixed.unwrap_or_else(|| kind_of_value(self.program.model, next));
            if fixed.is_some() && !holds(self.program.model.int_type(kind), next) {
                let at = self.span(enumerator.span);
                return Fail::error("the enumeration's type does not hold this value", at, format!("{next}"));
            }
            let ty = self.program.types.int(kind);
            self.scopes.declare(name, Entity::EnumConst(next, ty));
            constants.push((name.clone(), next));
            next += 1;
        }
        let packed = own.packed || self.unit.abi.short_enums;
        let mut repr = fixed.unwrap_or_else(|| enum_repr(self.program.model, &constants, packed));
        if let Some(mode) = &own.mode {
            let natural = self.program.types.int(repr);
            let asked = self.apply_mode(natural.into(), mode, span)?.ty;
            repr = self.program.types.int_kind(asked).unwrap_or(repr);
        }
        // Enumerators that are no `int` have the type of the whole.
        let int = self.program.model.int_type(IntKind::Int);
        let whole = self.program.types.int(repr);
        for (name, value) in &constants {
            if fixed.is_none() && !holds(int, *value) {
                self.scopes.declare(name, Entity::EnumConst(*value, whole));
            }
        }
        let def = &mut self.program.types.enums[id];
        def.repr = repr;
        def.constants = constants;
        def.complete = true;
        def.span = span;
        Ok(())
    }

    /// `_Static_assert`: an error if it fails. What we can't evaluate, the compiler has checked.
    pub fn static_assert(&mut self, assert: &Node<StaticAssert>) -> Lower<()> {
        match self.const_int_opt(&assert.node.expression) {
            Ok(Some(0)) => {
                let mut bytes = super::literal::decode_string(&assert.node.message.node).bytes;
                bytes.pop();
                let text = String::from_utf8_lossy(&bytes).into_owned();
                let diagnostic =
                    Diagnostic::error("tour::semantics", format!("static assertion failed: {text}"))
                        .label(self.span(assert.node.expression.span), "this is zero")
                        .help("is the data model right? (--data-model ilp32 or lp64)");
                Err(Box::new(Fail::Error(diagnostic)))
            }
            Ok(_) => Ok(()),
            Err(fail) => match *fail {
                Fail::Unsupported(..) => Ok(()),
                Fail::Error(_) => Err(fail),
            },
        }
    }
}

fn holds(int: IntType, value: i128) -> bool {
    int.to_i128(int.wrap(value as u128)) == value
}

/// The type of an enumerator while its enumeration is open: `int` if it holds the value.
fn kind_of_value(model: tour_ir::program::DataModel, value: i128) -> IntKind {
    [IntKind::Int, IntKind::UInt, IntKind::Long, IntKind::ULong, IntKind::LongLong, IntKind::ULongLong]
        .into_iter()
        .find(|kind| holds(model.int_type(*kind), value))
        .unwrap_or(IntKind::Int128)
}

/// gcc's compatible type: unsigned unless a value is negative; `int`'s size unless packed or more is needed.
fn enum_repr(model: tour_ir::program::DataModel, constants: &[(String, i128)], packed: bool) -> IntKind {
    let signed = constants.iter().any(|(_, value)| *value < 0);
    let least = if packed { 1 } else { 4 };
    let bytes = [1u64, 2, 4, 8, 16]
        .into_iter()
        .filter(|bytes| *bytes >= least)
        .find(|bytes| {
            let int = IntType { bits: 8 * *bytes as u32, signed };
            constants.iter().all(|(_, value)| holds(int, *value))
        })
        .unwrap_or(16);
    int_kind_of_size(model, bytes, signed)
}
