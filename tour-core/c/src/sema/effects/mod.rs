//! What functions read and write, as far as their text tells: whether two operands that C leaves unordered can notice which
//! of them comes first.
//!
//! All units are looked at before they are lowered, for a call can concern a function of any of them. A *cell* is a
//! variable with static storage, a local variable of the function that is lowered, or what some pointer points to, with the
//! member that is accessed if that is a scalar of a structure and no union is in the way. Functions without a body have
//! no effect, as everywhere ([`super::close`]); calls through pointers are calls of all functions whose address is used.
//!
//! | file | what |
//! |---|---|
//! | `cells` | what is accessed |
//! | `members` | what declarations say of it |
//! | `walk` | goes through code |
//! | `known` | functions without a body |

mod cells;
mod known;
mod members;
mod walk;

pub(crate) use cells::{Cell, Effects, Root, static_root};
pub(crate) use members::declared_name;
pub(crate) use walk::{Known, Walk};

use super::Stub;
use crate::front::{ParsedUnit, Tree};
use cells::{ERRNO, ERRNO_AT, STATIC_OF};
use known::known_effects;
use lang_c::ast::{
    Declaration, DeclarationSpecifier, Declarator, ExternalDeclaration, FunctionDefinition,
    StorageClassSpecifier,
};
use lang_c::span::Node;
use members::{Members, Shape, has_class};
use rustc_hash::{FxHashMap, FxHashSet};
use std::cell::RefCell;
use std::rc::Rc;
use walk::Noted;

/// What is known of all units.
#[derive(Default, Debug)]
pub(crate) struct Summaries {
    functions: FxHashMap<Rc<str>, Effects>,
    globals: FxHashMap<Rc<str>, Shape>,
    /// Variables whose address is taken, by their names and those of their functions.
    addressed: FxHashSet<Rc<str>>,
    /// Names of functions that are used as values.
    mentioned: FxHashSet<Rc<str>>,
    /// Variables with static storage that something reads by their names.
    read: FxHashSet<Rc<str>>,
    /// The program starts threads.
    pub(crate) threads: bool,
    members: Members,
    closed: RefCell<FxHashMap<Option<Rc<str>>, Rc<Effects>>>,
}

impl Summaries {
    /// Looks at all units.
    pub(crate) fn of(units: &[ParsedUnit]) -> Summaries {
        let mut all = Summaries::default();
        for unit in units {
            for item in items(unit) {
                match &item.node {
                    ExternalDeclaration::Declaration(declaration) => {
                        all.types_of(&declaration.node.specifiers);
                        all.declare_globals(&declaration.node);
                    }
                    ExternalDeclaration::FunctionDefinition(f) => all.types_of(&f.node.specifiers),
                    ExternalDeclaration::StaticAssert(_) => {}
                }
            }
        }
        for unit in units {
            for item in items(unit) {
                match &item.node {
                    ExternalDeclaration::FunctionDefinition(f) => all.define(unit, &f.node),
                    ExternalDeclaration::Declaration(declaration) => {
                        let mut effects = Effects::default();
                        let mut walk = Walk::new(unit, &all, None, &mut effects);
                        walk.initialisers(&declaration.node);
                        let noted = walk.noted;
                        all.note(noted);
                    }
                    ExternalDeclaration::StaticAssert(_) => {}
                }
            }
        }
        all.threads = all.starts_threads();
        let reads = all.functions.values().flat_map(|function| &function.reads);
        all.read = reads.filter_map(|cell| cell.root.name().cloned()).collect();
        all
    }

    fn define(&mut self, unit: &ParsedUnit, definition: &FunctionDefinition) {
        let Some(name) = declared_name(&definition.declarator) else { return };
        let name: Rc<str> = name.into();
        let mut effects = Effects::default();
        let mut walk = Walk::new(unit, self, Some(name.clone()), &mut effects);
        walk.function(definition);
        let noted = walk.noted;
        self.note(noted);
        let known = self.functions.entry(name).or_default();
        known.add(&effects);
        known.calls.extend(effects.calls);
        known.indirect |= effects.indirect;
    }

    fn note(&mut self, noted: Noted) {
        self.addressed.extend(noted.addressed);
        self.mentioned.extend(noted.mentioned);
    }

    fn declare_globals(&mut self, declaration: &Declaration) {
        let typedef = has_class(&declaration.specifiers, &StorageClassSpecifier::Typedef);
        for item in &declaration.declarators {
            let Some(name) = declared_name(&item.node.declarator) else { continue };
            let shape = self.shape(&declaration.specifiers, &item.node.declarator.node);
            match shape {
                Some(shape) if typedef && !shape.aggregate => _ = self.members.types.insert(name.into()),
                _ if typedef => {}
                Some(shape) => {
                    let known = self.globals.entry(name.into()).or_insert(shape);
                    known.aggregate |= shape.aggregate;
                    known.record |= shape.record;
                    known.dimensions = known.dimensions.min(shape.dimensions);
                }
                None => {}
            }
        }
    }

    /// What a declaration declares; `None` for a function.
    fn shape(&self, specifiers: &[Node<DeclarationSpecifier>], declarator: &Declarator) -> Option<Shape> {
        let types = specifiers.iter().filter_map(|specifier| match &specifier.node {
            DeclarationSpecifier::TypeSpecifier(ty) => Some(&ty.node),
            _ => None,
        });
        self.members.shape(types, declarator)
    }

    fn types_of(&mut self, specifiers: &[Node<DeclarationSpecifier>]) {
        for specifier in specifiers {
            if let DeclarationSpecifier::TypeSpecifier(ty) = &specifier.node {
                self.members.collect(&ty.node, false);
            }
        }
    }

    fn starts_threads(&self) -> bool {
        let creates = ["pthread_create", "thrd_create"];
        self.functions.values().any(|f| creates.iter().any(|name| f.calls.contains(*name)))
            || creates.iter().any(|name| self.mentioned.contains(*name))
    }

    /// One name of a function is another: it does what that one does.
    pub(crate) fn add_name(&mut self, name: &str, of: &str) {
        self.functions.entry(name.into()).or_default().calls.insert(of.into());
    }

    /// A function without a body writes what the user says: what arguments point to, or a variable.
    pub(crate) fn add_stub(&mut self, stub: &Stub) {
        let effects = self.functions.entry(stub.function.as_str().into()).or_default();
        for target in &stub.writes {
            let pointed = target.starts_with('*') || target.contains('[');
            effects.writes.insert(match pointed {
                true => Cell::POINTED,
                false => Cell { root: static_root(target, None), ..Cell::POINTED },
            });
        }
    }

    /// The address of some variable of this name in a function of that name is taken.
    pub(crate) fn is_addressed(&self, name: &str, function: &str) -> bool {
        self.addressed.contains(format!("{function}{STATIC_OF}{name}").as_str())
    }

    /// What a function does, with all that it calls.
    fn closed(&self, name: Option<Rc<str>>) -> Rc<Effects> {
        if let Some(known) = self.closed.borrow().get(&name) {
            return known.clone();
        }
        let mut all = Effects::default();
        let mut seen: FxHashSet<Rc<str>> = FxHashSet::default();
        let mut indirect = false;
        let mut todo: Vec<Rc<str>> = match &name {
            Some(name) => vec![name.clone()],
            None => {
                indirect = true;
                self.mentioned.iter().cloned().collect()
            }
        };
        while let Some(name) = todo.pop() {
            if !seen.insert(name.clone()) {
                continue;
            }
            let Some(function) = self.functions.get(&name) else {
                all.add(&known_effects(&name));
                continue;
            };
            all.add(function);
            todo.extend(function.calls.iter().cloned());
            if function.indirect && !std::mem::replace(&mut indirect, true) {
                todo.extend(self.mentioned.iter().cloned());
            }
        }
        // That functions of the library set `errno` is seen by nobody who does not ask for it.
        if !self.functions.contains_key(ERRNO_AT) {
            all.writes.retain(|cell| cell.root != static_root(ERRNO, None));
        }
        let all = Rc::new(all);
        self.closed.borrow_mut().insert(name, all.clone());
        all
    }

    /// Only direct accesses can concern the cell: no pointer points to it, and no other function knows it.
    pub(crate) fn is_private(&self, cell: &Cell) -> bool {
        matches!(cell.root, Root::Local(..)) && !self.is_exposed(cell)
    }

    /// The effects, with those of all calls.
    pub(crate) fn with_calls(&self, effects: &Effects) -> Vec<Rc<Effects>> {
        let mut all: Vec<Rc<Effects>> = effects.calls.iter().map(|f| self.closed(Some(f.clone()))).collect();
        if effects.indirect {
            all.push(self.closed(None));
        }
        all.push(Rc::new(effects.clone()));
        all
    }

    /// Two accesses can concern the same memory.
    pub(crate) fn overlap(&self, a: &Cell, b: &Cell) -> bool {
        let same_member = match (&a.member, &b.member) {
            (Some(a), Some(b)) => a == b,
            _ => true,
        };
        same_member
            && match (&a.root, &b.root) {
                (Root::Pointed, Root::Pointed) => true,
                // A member of a structure is in no variable without members.
                (Root::Pointed, _) => self.is_exposed(b) && (a.member.is_none() || b.record),
                (_, Root::Pointed) => self.is_exposed(a) && (b.member.is_none() || a.record),
                (a, b) => a == b,
            }
    }

    /// Something may read the variable.
    pub(crate) fn is_read(&self, cell: &Cell) -> bool {
        self.is_exposed(cell) || cell.root.name().is_none_or(|name| self.read.contains(name))
    }

    fn is_exposed(&self, cell: &Cell) -> bool {
        cell.aggregate
            || match &cell.root {
                Root::Static(name) => self.addressed.contains(name),
                Root::Local(_, addressed) => *addressed,
                Root::Pointed => true,
            }
    }

    /// The member, if it says which memory is accessed.
    pub(super) fn member(&self, name: &str) -> Option<Rc<str>> {
        let members = &self.members;
        let plain = members.scalar.contains(name) && !members.other.contains(name) && !members.nested;
        plain.then(|| name.into())
    }
}

impl Summaries {
    pub(super) fn lookup_global(&self, name: &str) -> Known {
        let Some(shape) = self.globals.get(name) else { return Known::Other };
        Known::Variable { cell: shape.cell(static_root(name, None)), dimensions: shape.dimensions }
    }
}

/// The external declarations of a unit.
fn items(unit: &ParsedUnit) -> impl Iterator<Item = &Node<ExternalDeclaration>> {
    unit.items.iter().flat_map(|&piece| {
        let items: &[Node<ExternalDeclaration>] = match &unit.pieces[piece].tree {
            Tree::External(items) => items,
            Tree::Expression(_) | Tree::Statement(_) => &[],
        };
        items
    })
}
