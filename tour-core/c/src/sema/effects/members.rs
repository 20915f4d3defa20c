//! Declarations, as far as they say how accesses can overlap: arrays, scalars, members of records.

use super::cells::{Cell, Root};
use lang_c::ast::{
    DeclarationSpecifier, Declarator, DeclaratorKind, DerivedDeclarator, SpecifierQualifier,
    StorageClassSpecifier, StructDeclaration, StructKind, StructType, TypeSpecifier,
};
use lang_c::span::Node;
use rustc_hash::FxHashSet;
use std::rc::Rc;

/// A variable as its declaration shows it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shape {
    /// How many dimensions it has as an array.
    pub dimensions: u8,
    /// It is no scalar.
    pub aggregate: bool,
    /// It has members, or may have.
    pub record: bool,
}

impl Shape {
    pub fn cell(self, root: Root) -> Cell {
        Cell { root, aggregate: self.aggregate, record: self.record, member: None }
    }
}

/// Members of records.
#[derive(Default, Debug)]
pub(super) struct Members {
    /// Scalars of structures.
    pub scalar: FxHashSet<Rc<str>>,
    /// Those that overlap others, or are no scalars.
    pub other: FxHashSet<Rc<str>>,
    /// Names of types that are scalars.
    pub types: FxHashSet<Rc<str>>,
    /// Some union has a structure in it: which members overlap is not known.
    pub nested: bool,
}

impl Members {
    pub fn shape<'t>(
        &self,
        types: impl Iterator<Item = &'t TypeSpecifier>,
        declarator: &Declarator,
    ) -> Option<Shape> {
        let mut derived = Vec::new();
        // The innermost declarator is what its name is first of all.
        let mut at = declarator;
        let mut levels = vec![declarator];
        while let DeclaratorKind::Declarator(inner) = &at.kind.node {
            at = &inner.node;
            levels.push(at);
        }
        for level in levels.iter().rev() {
            // Arrays and functions bind before pointers.
            let (pointers, others): (Vec<_>, Vec<_>) = level
                .derived
                .iter()
                .partition(|d| matches!(d.node, DerivedDeclarator::Pointer(_) | DerivedDeclarator::Block(_)));
            derived.extend(others.into_iter().chain(pointers));
        }
        let arrays = derived.iter().take_while(|d| matches!(d.node, DerivedDeclarator::Array(_))).count();
        let pointed = match derived.get(arrays).map(|d| &d.node) {
            Some(DerivedDeclarator::Function(_) | DerivedDeclarator::KRFunction(_)) => return None,
            Some(_) => true,
            None => false,
        };
        let scalar = pointed || self.is_scalar(types);
        Some(Shape { dimensions: arrays.min(255) as u8, aggregate: arrays > 0 || !scalar, record: !scalar })
    }

    fn is_scalar<'t>(&self, types: impl Iterator<Item = &'t TypeSpecifier>) -> bool {
        let mut any = false;
        for ty in types {
            any = true;
            let scalar = match ty {
                TypeSpecifier::Struct(_) | TypeSpecifier::TypeOf(_) | TypeSpecifier::Atomic(_) => false,
                TypeSpecifier::TypedefName(name) => self.types.contains(name.node.name.as_str()),
                _ => true,
            };
            if !scalar {
                return false;
            }
        }
        any
    }

    /// Notes the members that a type declares.
    pub fn collect(&mut self, ty: &TypeSpecifier, in_union: bool) {
        let TypeSpecifier::Struct(record) = ty else { return };
        self.record(&record.node, in_union);
    }

    fn record(&mut self, record: &StructType, in_union: bool) {
        let union = in_union || record.kind.node == StructKind::Union;
        for declaration in record.declarations.iter().flatten() {
            let StructDeclaration::Field(field) = &declaration.node else { continue };
            let types = || {
                field.node.specifiers.iter().filter_map(|specifier| match &specifier.node {
                    SpecifierQualifier::TypeSpecifier(ty) => Some(&ty.node),
                    _ => None,
                })
            };
            for ty in types() {
                self.collect(ty, union);
            }
            for declarator in field.node.declarators.iter().filter_map(|d| d.node.declarator.as_ref()) {
                let Some(name) = declared_name(declarator) else { continue };
                let scalar = self.shape(types(), &declarator.node).is_some_and(|shape| !shape.aggregate);
                if scalar && !union {
                    self.scalar.insert(name.into());
                } else {
                    self.other.insert(name.into());
                }
                // A structure that is named here and declared elsewhere. Headers have some of their own.
                let reserved = |name: &str| name.starts_with("__");
                self.nested |= union
                    && types().any(|ty| match ty {
                        TypeSpecifier::Struct(s) => {
                            s.node.declarations.is_none()
                                && s.node.identifier.as_ref().is_none_or(|tag| !reserved(&tag.node.name))
                        }
                        TypeSpecifier::TypedefName(name) => {
                            !self.types.contains(name.node.name.as_str()) && !reserved(&name.node.name)
                        }
                        _ => false,
                    })
                    && !is_pointer(&declarator.node);
            }
        }
    }
}

fn is_pointer(declarator: &Declarator) -> bool {
    declarator.derived.iter().any(|d| matches!(d.node, DerivedDeclarator::Pointer(_)))
}

pub(crate) fn declared_name(declarator: &Node<Declarator>) -> Option<&str> {
    let mut at = declarator;
    loop {
        match &at.node.kind.node {
            DeclaratorKind::Abstract => return None,
            DeclaratorKind::Identifier(name) => return Some(&name.node.name),
            DeclaratorKind::Declarator(inner) => at = inner,
        }
    }
}

pub(super) fn has_class(specifiers: &[Node<DeclarationSpecifier>], class: &StorageClassSpecifier) -> bool {
    specifiers
        .iter()
        .any(|spec| matches!(&spec.node, DeclarationSpecifier::StorageClass(found) if found.node == *class))
}
