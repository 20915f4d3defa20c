//! What the linker knows of the names in a unit, found before anything is lowered.
//!
//! A name of C stands for a symbol, which mostly has the same name: `__asm__("…")` and `#pragma redefine_extname` give
//! another. A symbol that all units only declare, and some as weak, is null; that has to be known where it is used.

use super::declarator::application_order;
use crate::front::{ParsedUnit, Tree};
use lang_c::ast::{
    Declaration, DeclarationSpecifier, Declarator, DerivedDeclarator, Expression, Extension,
    ExternalDeclaration, FunctionDefinition, StorageClassSpecifier,
};
use lang_c::span::Node;
use rustc_hash::{FxHashMap, FxHashSet};
use std::borrow::Cow;
use tour_ir::source::SourceMap;
use tour_ir::source::is_library;

/// The symbols of a program by their names.
#[derive(Debug, Default)]
pub(super) struct Linkage {
    /// Declared weak somewhere.
    pub(super) weak: FxHashSet<String>,
    /// Defined somewhere: functions with a body, variables, aliases.
    defined: FxHashSet<String>,
    /// Variables that have a definition which is not weak: the weak ones give way.
    pub(super) strong: FxHashSet<String>,
    /// Something runs after the entry.
    pub(super) has_end: bool,
    /// Names that are one symbol, in both directions.
    pub(super) same: Vec<(String, String)>,
    /// Of the unit that is lowered: names of C with a symbol of another name.
    names: FxHashMap<String, String>,
    /// Of the unit that is lowered: names that stand for a symbol which may be null.
    weakrefs: FxHashMap<String, String>,
}

impl Linkage {
    /// Finds the symbols of the program's units.
    pub(super) fn of(units: &[ParsedUnit], sources: &SourceMap) -> Linkage {
        let mut linkage = Linkage::default();
        for unit in units.iter().filter(|unit| !is_library(&sources.unit(unit.unit).path)) {
            linkage.begin_unit(unit);
            let renamed: Vec<_> = (linkage.names.iter().chain(&linkage.weakrefs))
                .map(|(name, symbol)| (name.clone(), symbol.clone()))
                .collect();
            renamed.iter().for_each(|(name, symbol)| linkage.join(name, symbol));
            for (name, target) in &unit.directives.weak {
                if let Some(target) = target {
                    linkage.join(name, target);
                }
                linkage.weak.insert(linkage.symbol(name).into_owned());
                if target.is_some() {
                    linkage.defined.insert(linkage.symbol(name).into_owned());
                }
            }
            for item in items(unit) {
                match &item.node {
                    ExternalDeclaration::Declaration(declaration) => linkage.declaration(&declaration.node),
                    ExternalDeclaration::FunctionDefinition(definition) => linkage.function(&definition.node),
                    ExternalDeclaration::StaticAssert(_) => {}
                }
            }
        }
        linkage
    }

    /// From here on, names are those of this unit.
    pub(super) fn begin_unit(&mut self, unit: &ParsedUnit) {
        self.names = unit.directives.renames.iter().cloned().collect();
        self.weakrefs.clear();
        for item in items(unit) {
            let ExternalDeclaration::Declaration(declaration) = &item.node else { continue };
            for declarator in &declaration.node.declarators {
                let declarator = &declarator.node.declarator;
                let Some(name) = declared_name(declarator) else { continue };
                let lists = || declarator_extensions(declarator);
                let all = lists().chain(specifier_extensions(&declaration.node.specifiers));
                if let Some(target) = argument(all, "weakref") {
                    self.weakrefs.insert(name.to_owned(), target);
                }
                if let Some(label) = label(declarator) {
                    let symbol = symbol_of_label(name, &label);
                    if symbol != name {
                        self.names.insert(name.to_owned(), symbol.to_owned());
                    }
                }
            }
        }
    }

    /// The symbol that a name of the unit stands for.
    pub(super) fn symbol<'n>(&self, name: &'n str) -> Cow<'n, str> {
        match self.names.get(name) {
            Some(symbol) => Cow::Owned(symbol.clone()),
            None => Cow::Borrowed(name),
        }
    }

    /// What a name stands for as a weak reference.
    pub(super) fn weakref(&self, name: &str) -> Option<&str> {
        self.weakrefs.get(name).map(String::as_str)
    }

    /// The symbol is only declared, and as weak.
    pub(super) fn is_undefined_weak(&self, symbol: &str) -> bool {
        self.weak.contains(symbol) && !self.defined.contains(symbol)
    }

    /// The symbol is defined.
    pub(super) fn is_defined(&self, symbol: &str) -> bool {
        self.defined.contains(symbol)
    }

    fn join(&mut self, name: &str, other: &str) {
        self.same.push((name.to_owned(), other.to_owned()));
        self.same.push((other.to_owned(), name.to_owned()));
    }

    fn declaration(&mut self, declaration: &Declaration) {
        let class = |class: StorageClassSpecifier| {
            declaration.specifiers.iter().any(
                |spec| matches!(&spec.node, DeclarationSpecifier::StorageClass(found) if found.node == class),
            )
        };
        if class(StorageClassSpecifier::Typedef) {
            return;
        }
        let weak_all = has_attribute(specifier_extensions(&declaration.specifiers), "weak");
        for item in &declaration.declarators {
            let declarator = &item.node.declarator;
            let Some(name) = declared_name(declarator) else { continue };
            let symbol = self.symbol(name).into_owned();
            let extensions = || declarator_extensions(declarator);
            self.has_end |= runs_at_end(extensions().chain(specifier_extensions(&declaration.specifiers)));
            let weak = weak_all || has_attribute(extensions(), "weak");
            if weak {
                self.weak.insert(symbol.clone());
            }
            if let Some(target) = argument(extensions(), "alias") {
                self.join(name, &target);
            }
            let object = !is_function(declarator)
                && (item.node.initializer.is_some() || !class(StorageClassSpecifier::Extern));
            if object && !weak {
                self.strong.insert(symbol.clone());
            }
            if object || has_attribute(extensions(), "alias") || has_attribute(extensions(), "ifunc") {
                self.defined.insert(symbol);
            }
        }
    }

    fn function(&mut self, definition: &FunctionDefinition) {
        let Some(name) = declared_name(&definition.declarator) else { return };
        let symbol = self.symbol(name).into_owned();
        self.defined.insert(symbol);
        let lists = declarator_extensions(&definition.declarator);
        self.has_end |= runs_at_end(lists.chain(specifier_extensions(&definition.specifiers)));
        if has_attribute(specifier_extensions(&definition.specifiers), "weak") {
            self.weak.insert(self.symbol(name).into_owned());
        }
    }
}

/// The symbol that a label names. Headers of the C library give some functions the names of their newer versions, which
/// are called by the name of C here.
pub(super) fn symbol_of_label<'n>(name: &'n str, label: &'n str) -> &'n str {
    let version = label.strip_prefix("__isoc99_").or(label.strip_prefix("__isoc23_"));
    let large = label.strip_suffix("64");
    if version == Some(name) || large == Some(name) { name } else { label }
}

/// The external declarations of a unit.
fn items(unit: &ParsedUnit) -> impl Iterator<Item = &Node<ExternalDeclaration>> {
    unit.items.iter().flat_map(|&piece| match &unit.pieces[piece].tree {
        Tree::External(items) => items.as_slice(),
        Tree::Expression(_) | Tree::Statement(_) => &[],
    })
}

fn declared_name(declarator: &Node<Declarator>) -> Option<&str> {
    application_order(declarator).1.map(|name| name.node.name.as_str())
}

fn is_function(declarator: &Node<Declarator>) -> bool {
    let (order, ..) = application_order(declarator);
    let last = order.last().map(|part| &part.node);
    matches!(last, Some(DerivedDeclarator::Function(_) | DerivedDeclarator::KRFunction(_)))
}

fn declarator_extensions(declarator: &Node<Declarator>) -> impl Iterator<Item = &Extension> + Clone {
    let (.., lists) = application_order(declarator);
    lists.into_iter().flatten().map(|extension| &extension.node)
}

fn specifier_extensions(
    specifiers: &[Node<DeclarationSpecifier>],
) -> impl Iterator<Item = &Extension> + Clone {
    specifiers
        .iter()
        .flat_map(|spec| match &spec.node {
            DeclarationSpecifier::Extension(list) => list.as_slice(),
            _ => &[],
        })
        .map(|extension| &extension.node)
}

fn has_attribute<'e>(mut extensions: impl Iterator<Item = &'e Extension>, name: &str) -> bool {
    extensions.any(|extension| {
        matches!(extension, Extension::Attribute(attribute)
            if crate::front::attribute::plain(&attribute.name.node) == name)
    })
}

/// The text that an attribute is given.
fn argument<'e>(extensions: impl Iterator<Item = &'e Extension>, name: &str) -> Option<String> {
    for extension in extensions {
        if let Extension::Attribute(attribute) = extension
            && crate::front::attribute::plain(&attribute.name.node) == name
            && let Some(Expression::StringLiteral(text)) = attribute.arguments.first().map(|a| &a.node)
        {
            return Some(super::attributes::text_of(&text.node));
        }
    }
    None
}

/// `destructor`, or a section of what runs at the end.
fn runs_at_end<'e>(extensions: impl Iterator<Item = &'e Extension> + Clone) -> bool {
    has_attribute(extensions.clone(), "destructor")
        || argument(extensions, "section").is_some_and(|name| name.starts_with(".fini"))
}

fn label(declarator: &Node<Declarator>) -> Option<String> {
    declarator_extensions(declarator).find_map(|extension| match extension {
        Extension::AsmLabel(text) => Some(super::attributes::text_of(&text.node)),
        Extension::Attribute(_) | Extension::AvailabilityAttribute(_) => None,
    })
}
