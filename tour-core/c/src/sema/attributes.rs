//! Attributes that change the meaning of a declaration. [`crate::front::attribute`] lists what each one means: those that
//! only advise the compiler do not come here, and what is not modelled is said so.

use super::promises::Promises;
use super::{Fail, Lower, Sema};
use crate::front::attribute::{Meaning, meaning, plain};
use lang_c::ast::{Attribute, Expression, Extension};
use lang_c::span::Node;
use tour_ir::program::{DataModel, FloatKind, IntKind, QualType, Type, Unsupported};
use tour_ir::source::Span;

/// The priority of a `constructor` that names none: the last.
pub(super) const LAST_PRIORITY: u16 = u16::MAX;

/// What `aligned` without a number means on x86.
const BIGGEST_ALIGNMENT: u64 = 16;

/// What the attributes of a declaration ask for.
#[derive(Clone, Debug, Default)]
pub struct Attrs {
    /// `aligned(n)` and `_Alignas`: the strictest.
    pub align: Option<u64>,
    /// `packed`
    pub packed: bool,
    /// `mode(DI)`: the machine mode of the declared type.
    pub mode: Option<String>,
    /// `vector_size(n)`
    pub vector_size: Option<u64>,
    /// `transparent_union`
    pub transparent_union: bool,
    /// `noreturn`
    pub noreturn: bool,
    /// `alias("f")`: the same thing as another symbol of this unit.
    pub alias: Option<String>,
    /// `weakref("f")`: the same thing as another symbol, of any unit; null if there is none.
    pub weakref: Option<String>,
    /// `weak`: gives way to another definition, and is null if there is none.
    pub weak: bool,
    /// `__asm__("f")`: the name of the symbol.
    pub label: Option<String>,
    /// `section("s")`
    pub section: Option<String>,
    /// `constructor`: runs before the entry, lower priorities first.
    pub constructor: Option<u16>,
    /// `destructor`: runs after the entry, lower priorities last.
    pub destructor: Option<u16>,
    /// `gnu_inline`: with `extern inline`, the body is used in this unit and defines no symbol.
    pub gnu_inline: bool,
    /// What a function promises.
    pub promises: Promises,
    /// `enum e : T`
    pub enum_type: Option<QualType>,
    /// An attribute that changes what happens in a way that we do not model. The name is declared all the same: whoever
    /// declares it puts an unsupported edge where it comes to life.
    pub unmodelled: Option<Unsupported>,
}

impl Attrs {
    /// Asks for an alignment.
    pub fn require_align(&mut self, align: u64) {
        self.align = self.align.max(Some(align));
    }

    /// Fails if one is not modelled.
    pub fn check(&self, span: Span) -> Lower<()> {
        match &self.unmodelled {
            Some(what) => Err(Box::new(Fail::Unsupported(what.clone(), span))),
            None => Ok(()),
        }
    }
}

impl Sema<'_> {
    /// Reads attributes into `attrs`.
    pub fn read_attributes(&mut self, extensions: &[Node<Extension>], attrs: &mut Attrs) -> Lower<()> {
        for extension in extensions {
            match &extension.node {
                Extension::Attribute(attribute) => self.read_attribute(attribute, attrs)?,
                Extension::AsmLabel(text) => attrs.label = Some(text_of(&text.node)),
                // When something became available, on another system.
                Extension::AvailabilityAttribute(_) => {}
            }
        }
        Ok(())
    }

    fn read_attribute(&mut self, attribute: &Attribute, attrs: &mut Attrs) -> Lower<()> {
        let name = plain(&attribute.name.node);
        let argument = attribute.arguments.first();
        match (name, argument) {
            ("aligned", None) => attrs.require_align(BIGGEST_ALIGNMENT),
            ("aligned", Some(argument)) => {
                let align = self.alignment(argument)?;
                attrs.require_align(align);
            }
            ("packed", _) => attrs.packed = true,
            ("mode", Some(argument)) => {
                if let Expression::Identifier(mode) = &argument.node {
                    attrs.mode = Some(plain(&mode.node.name).to_owned());
                }
            }
            ("vector_size", Some(argument)) => {
                let size = self.const_int(argument)?;
                attrs.vector_size = u64::try_from(size).ok().filter(|&size| size > 0);
            }
            ("transparent_union", _) => attrs.transparent_union = true,
            ("noreturn", _) => attrs.noreturn = true,
            ("constructor", priority) => attrs.constructor = Some(self.priority(priority)?),
            ("destructor", priority) => attrs.destructor = Some(self.priority(priority)?),
            ("alias" | "weakref" | "section", Some(Node { node: Expression::StringLiteral(text), .. })) => {
                let text = Some(text_of(&text.node));
                match name {
                    "alias" => attrs.alias = text,
                    "weakref" => attrs.weakref = text,
                    _ => attrs.section = text,
                }
            }
            ("weak", _) => attrs.weak = true,
            ("gnu_inline", _) => attrs.gnu_inline = true,
            ("returns_nonnull", _) => attrs.promises.returns_nonnull = true,
            ("nonnull", None) => attrs.promises.all_nonnull = true,
            ("nonnull", Some(_)) => {
                for argument in &attribute.arguments {
                    let index = self.const_int(argument)?;
                    attrs.promises.nonnull.extend(u64::try_from(index).ok());
                }
            }
            ("assume_aligned", Some(argument)) => {
                // Of a multiple that begins somewhere else, nothing is said.
                let offset = attribute.arguments.get(1).map_or(Ok(0), |offset| self.const_int(offset))?;
                let align = self.alignment(argument)?;
                attrs.promises.aligned = Some(align).filter(|_| offset == 0);
            }
            ("pure", _) => attrs.promises.pure = true,
            ("__tour_const", _) => attrs.promises.constant = true,
            ("malloc", _) => attrs.promises.fresh = true,
            ("__tour_enum_type", Some(argument)) => attrs.enum_type = self.sizeof_operand(argument)?,
            _ if meaning(name) == Some(Meaning::Harmless) => {}
            _ => {
                attrs.unmodelled = Some(Unsupported {
                    kind: "attribute",
                    message: format!("the attribute `{name}` is not modelled"),
                });
            }
        }
        Ok(())
    }

    /// The priority of a constructor or destructor.
    fn priority(&mut self, argument: Option<&Node<Expression>>) -> Lower<u16> {
        let Some(argument) = argument else { return Ok(LAST_PRIORITY) };
        let priority = self.const_int(argument)?;
        match u16::try_from(priority) {
            Ok(priority) => Ok(priority),
            Err(_) => {
                let span = self.span(argument.span);
                Fail::error("a priority is a number from 0 to 65535", span, format!("this is {priority}"))
            }
        }
    }

    /// An alignment in bytes: a power of two.
    pub(super) fn alignment(&mut self, argument: &Node<Expression>) -> Lower<u64> {
        let align = self.const_int(argument)?;
        let span = self.span(argument.span);
        match u64::try_from(align) {
            Ok(0) => Ok(1),
            Ok(align) if align.is_power_of_two() && align <= 1 << 28 => Ok(align),
            _ => Fail::error("an alignment must be a power of two", span, format!("this is {align}")),
        }
    }

    /// The type that `mode` and `vector_size` make of a declared type.
    pub fn apply_type_attrs(&mut self, ty: QualType, attrs: &Attrs, span: Span) -> Lower<QualType> {
        let mut ty = ty;
        if let Some(mode) = &attrs.mode {
            ty = self.apply_mode(ty, mode, span)?;
        }
        if let Some(size) = attrs.vector_size {
            let name = format!("{} __attribute__((vector_size({size})))", self.program.show_type(ty.ty));
            let opaque = Type::Opaque { name: name.into(), size, align: size.next_power_of_two() };
            ty.ty = self.program.types.intern(opaque);
        }
        Ok(ty)
    }

    pub(super) fn apply_mode(&mut self, ty: QualType, mode: &str, span: Span) -> Lower<QualType> {
        let types = &mut self.program.types;
        let model = types.model();
        let float = match mode {
            "SF" => Some(FloatKind::Float),
            "DF" => Some(FloatKind::Double),
            "XF" => Some(FloatKind::LongDouble),
            "TF" => Some(FloatKind::Float128),
            _ => None,
        };
        if let (Some(kind), Type::Float(_)) = (float, &types[ty.ty]) {
            return Ok(QualType { ty: types.float(kind), ..ty });
        }
        let bytes = match mode {
            "QI" | "byte" => 1,
            "HI" => 2,
            "SI" => 4,
            "DI" => 8,
            "TI" => 16,
            "word" | "pointer" | "unwind_word" => model.pointer_bytes(),
            _ => {
                return Fail::unsupported("mode", format!("the machine mode `{mode}` is not modelled"), span);
            }
        };
        let Some(kind) = types.int_kind(ty.ty) else {
            let message = format!("the machine mode `{mode}` of a type that is no integer is not modelled");
            return Fail::unsupported("mode", message, span);
        };
        let kind = int_kind_of_size(model, bytes, model.int_type(kind).signed);
        Ok(QualType { ty: types.int(kind), ..ty })
    }
}

/// What a literal says.
pub(super) fn text_of(literal: &[String]) -> String {
    let mut bytes = super::literal::decode_string(literal).bytes;
    bytes.pop();
    String::from_utf8_lossy(&bytes).into_owned()
}

/// The integer type that gcc takes for a size in bytes: the first of char, short, int, long, long long, __int128.
pub(super) fn int_kind_of_size(model: DataModel, bytes: u64, signed: bool) -> IntKind {
    let kind = match bytes {
        0 | 1 => IntKind::SChar,
        2 => IntKind::Short,
        3 | 4 => IntKind::Int,
        5..=8 if model.pointer_bytes() == 8 => IntKind::Long,
        5..=8 => IntKind::LongLong,
        _ => IntKind::Int128,
    };
    if signed { kind } else { kind.to_unsigned() }
}
