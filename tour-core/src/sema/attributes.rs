//! Attributes that change the meaning of a declaration. All others are left out, they only advise the compiler.

use super::{Fail, Lower, Sema};
use crate::program::{DataModel, FloatKind, IntKind, QualType, Type, Unsupported};
use crate::source::Span;
use lang_c::ast::{Attribute, Expression, Extension};
use lang_c::span::Node;

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
    /// `alias("f")`: the same thing as another symbol.
    pub alias: Option<String>,
    /// `constructor`: runs before the entry.
    pub constructor: bool,
    /// An attribute that changes what happens in a way that we do not model. The name is declared all the same: whoever
    /// declares it puts an unsupported edge where it comes to life.
    pub unmodelled: Option<Unsupported>,
}

impl Attrs {
    /// Asks for an alignment.
    pub fn require_align(&mut self, align: u64) {
        self.align = self.align.max(Some(align));
    }
}

/// `__packed__` is `packed`.
fn plain(name: &str) -> &str {
    name.strip_prefix("__").and_then(|n| n.strip_suffix("__")).unwrap_or(name)
}

impl Sema<'_> {
    /// Reads attributes into `attrs`.
    pub fn read_attributes(&mut self, extensions: &[Node<Extension>], attrs: &mut Attrs) -> Lower<()> {
        for extension in extensions {
            match &extension.node {
                Extension::Attribute(attribute) => self.read_attribute(attribute, attrs)?,
                Extension::AsmLabel(_) | Extension::AvailabilityAttribute(_) => {}
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
            ("constructor", _) => attrs.constructor = true,
            ("alias" | "weakref", Some(argument)) => {
                if let Expression::StringLiteral(text) = &argument.node {
                    let mut bytes = super::literal::decode_string(&text.node).bytes;
                    bytes.pop();
                    attrs.alias = Some(String::from_utf8_lossy(&bytes).into_owned());
                }
            }
            ("cleanup" | "destructor" | "ifunc" | "scalar_storage_order" | "ms_struct", _) => {
                attrs.unmodelled = Some(Unsupported {
                    kind: "attribute",
                    message: format!("the attribute `{name}` is not modelled"),
                });
            }
            _ => {}
        }
        Ok(())
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

    fn apply_mode(&mut self, ty: QualType, mode: &str, span: Span) -> Lower<QualType> {
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
        let Some(kind) = types.int_kind(ty.ty) else { return Ok(ty) };
        let kind = int_kind_of_size(model, bytes, model.int_type(kind).signed);
        Ok(QualType { ty: types.int(kind), ..ty })
    }
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
