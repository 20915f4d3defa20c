//! What functions read and write, as far as their text tells: whether two operands that C leaves unordered can notice which
//! of them comes first.
//!
//! All units are looked at before they are lowered, for a call can concern a function of any of them. A *cell* is a
//! variable with static storage, a local variable of the function that is lowered, or what some pointer points to, with the
//! member that is accessed if that is a scalar of a structure and no union is in the way. Functions without a body have
//! no effect, as everywhere ([`super::close`]); calls through pointers are calls of all functions whose address is used.

use super::Stub;
use crate::front::{PIECE_PREFIX, ParsedUnit, Tree};
use crate::program::VarId;
use lang_c::ast::{
    ArraySize, AsmStatement, BinaryOperator, BinaryOperatorExpression, BlockItem, Declaration,
    DeclarationSpecifier, Declarator, DeclaratorKind, DerivedDeclarator, Designator, Expression,
    ExternalDeclaration, ForInitializer, FunctionDefinition, GenericAssociation, Initializer,
    MemberExpression, MemberOperator, SpecifierQualifier, Statement, StorageClassSpecifier,
    StructDeclaration, StructKind, StructType, TypeSpecifier, UnaryOperator,
};
use lang_c::span::Node;
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::{SmallVec, smallvec};
use std::cell::RefCell;
use std::rc::Rc;

/// The variable behind `errno`, in `lib/errno.c`.
const ERRNO: &str = "__errno_number";

/// What an access concerns.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Root {
    /// A variable with static storage, by its name; one of a function, by the names of both.
    Static(Rc<str>),
    /// A variable of the function that is lowered, and whether the address of one of its name is taken.
    Local(VarId, bool),
    /// What a pointer points to.
    Pointed,
}

/// What is accessed.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Cell {
    pub(crate) root: Root,
    /// It is a variable that is no scalar: pointers may point into it.
    pub(crate) aggregate: bool,
    /// It may have members.
    pub(crate) record: bool,
    /// It is just this member, a scalar.
    pub(crate) member: Option<Rc<str>>,
}

impl Cell {
    pub(crate) const POINTED: Cell =
        Cell { root: Root::Pointed, aggregate: true, record: true, member: None };

    /// It is a scalar variable, and all of it.
    pub(crate) fn is_scalar(&self) -> bool {
        !matches!(self.root, Root::Pointed) && !self.aggregate && self.member.is_none()
    }
}

/// What code reads, writes and calls.
#[derive(Clone, Default, Debug)]
pub(crate) struct Effects {
    pub(crate) reads: FxHashSet<Cell>,
    pub(crate) writes: FxHashSet<Cell>,
    /// Functions that it calls by their names.
    calls: FxHashSet<Rc<str>>,
    /// It calls what pointers point to.
    indirect: bool,
    /// It may end the run.
    pub(crate) ends: bool,
    /// It may violate something.
    pub(crate) fails: bool,
    /// It accesses something atomically.
    pub(crate) atomic: bool,
}

impl Effects {
    fn add(&mut self, other: &Effects) {
        self.reads.extend(other.reads.iter().cloned());
        self.writes.extend(other.writes.iter().cloned());
        self.ends |= other.ends;
        self.fails |= other.fails;
        self.atomic |= other.atomic;
    }

    fn pointed(reads: bool, writes: bool) -> Effects {
        let mut effects = Effects { fails: true, ..Effects::default() };
        if reads {
            effects.reads.insert(Cell::POINTED);
        }
        if writes {
            effects.writes.insert(Cell::POINTED);
        }
        effects
    }

    /// It calls something.
    pub(crate) fn has_calls(&self) -> bool {
        self.indirect || !self.calls.is_empty()
    }
}

/// What a name stands for.
#[derive(Clone, Debug)]
pub(crate) enum Known {
    /// A variable that nobody outside of the code that is looked at can access.
    Private { dimensions: u8 },
    /// Another variable.
    Variable { cell: Cell, dimensions: u8 },
    /// A function, or nothing that is known.
    Other,
}

/// A variable as its declaration shows it.
#[derive(Clone, Copy, Debug)]
struct Shape {
    /// How many dimensions it has as an array.
    dimensions: u8,
    /// It is no scalar.
    aggregate: bool,
    /// It has members, or may have.
    record: bool,
}

impl Shape {
    fn cell(self, root: Root) -> Cell {
        Cell { root, aggregate: self.aggregate, record: self.record, member: None }
    }
}

/// What is known of all units.
#[derive(Default, Debug)]
pub(crate) struct Summaries {
    functions: FxHashMap<Rc<str>, Effects>,
    globals: FxHashMap<Rc<str>, Shape>,
    /// Variables whose address is taken, by their names and those of their functions.
    addressed: FxHashSet<Rc<str>>,
    /// Names of functions that are used as values.
    mentioned: FxHashSet<Rc<str>>,
    /// The program starts threads.
    pub(crate) threads: bool,
    members: Members,
    closed: RefCell<FxHashMap<Option<Rc<str>>, Rc<Effects>>>,
}

/// Members of records.
#[derive(Default, Debug)]
struct Members {
    /// Scalars of structures.
    scalar: FxHashSet<Rc<str>>,
    /// Those that overlap others, or are no scalars.
    other: FxHashSet<Rc<str>>,
    /// Names of types that are scalars.
    types: FxHashSet<Rc<str>>,
    /// Some union has a structure in it: which members overlap is not known.
    nested: bool,
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
        if !self.functions.contains_key("__errno_location") {
            all.writes.retain(|cell| cell.root != Root::Static(ERRNO.into()));
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

    fn is_exposed(&self, cell: &Cell) -> bool {
        cell.aggregate
            || match &cell.root {
                Root::Static(name) => self.addressed.contains(name),
                Root::Local(_, addressed) => *addressed,
                Root::Pointed => true,
            }
    }

    /// The member, if it says which memory is accessed.
    fn member(&self, name: &str) -> Option<Rc<str>> {
        let members = &self.members;
        let plain = members.scalar.contains(name) && !members.other.contains(name) && !members.nested;
        plain.then(|| name.into())
    }
}

impl Members {
    fn shape<'t>(
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
    fn collect(&mut self, ty: &TypeSpecifier, in_union: bool) {
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

/// Between the name of a function and that of a variable in it.
const STATIC_OF: &str = "::";

/// A variable with static storage, by its name and that of the function that it is in.
pub(crate) fn static_root(name: &str, function: Option<&str>) -> Root {
    Root::Static(match function {
        Some(function) => format!("{function}{STATIC_OF}{name}").into(),
        None => name.into(),
    })
}

/// What functions of the library do that are no bodies in C.
fn known_effects(name: &str) -> Effects {
    let short = name.strip_prefix("__builtin_").unwrap_or(name);
    let short = short.strip_prefix("__").and_then(|s| s.strip_suffix("_chk")).unwrap_or(short);
    match short {
        "exit" | "_exit" | "_Exit" | "quick_exit" | "abort" | "trap" | "unreachable"
        | "__VERIFIER_assume" | "pthread_exit" | "longjmp" | "siglongjmp" => {
            Effects { ends: true, ..Effects::default() }
        }
        "assert" | "__assert_fail" | "__VERIFIER_assert" | "__VERIFIER_error" | "reach_error"
        | "__tour_misuse" => Effects { fails: true, ..Effects::default() },
        "printf" | "puts" | "memcmp" | "strlen" | "strcmp" | "strncmp" | "strchr" => {
            Effects::pointed(true, false)
        }
        "free" => Effects::pointed(false, true),
        "realloc" | "memcpy" | "memmove" | "memset" | "strcpy" | "strncpy" | "strcat" | "sprintf"
        | "snprintf" | "sscanf" | "scanf" | "fscanf" | "va_start" | "va_copy" => Effects::pointed(true, true),
        _ if name.starts_with("__atomic_") || name.starts_with("__sync_") || name.starts_with("__c11_") => {
            Effects { atomic: true, ..Effects::pointed(true, true) }
        }
        _ if name.starts_with("pthread_") => Effects { atomic: true, ..Effects::pointed(true, true) },
        _ => Effects::default(),
    }
}

/// Calls whose arguments are not all evaluated, or not as values.
pub(crate) fn is_unevaluated(name: &str) -> bool {
    matches!(
        name,
        "__builtin_constant_p"
            | "__builtin_choose_expr"
            | "__builtin_object_size"
            | "__builtin_dynamic_object_size"
            | "__builtin_va_start"
            | "__builtin_c23_va_start"
            | "__builtin_va_copy"
            | "__builtin_va_end"
    ) || (name.starts_with("__tour_") && name != "__tour_misuse")
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

pub(super) fn declared_name(declarator: &Node<Declarator>) -> Option<&str> {
    let mut at = declarator;
    loop {
        match &at.node.kind.node {
            DeclaratorKind::Abstract => return None,
            DeclaratorKind::Identifier(name) => return Some(&name.node.name),
            DeclaratorKind::Declarator(inner) => at = inner,
        }
    }
}

fn has_class(specifiers: &[Node<DeclarationSpecifier>], class: &StorageClassSpecifier) -> bool {
    specifiers
        .iter()
        .any(|spec| matches!(&spec.node, DeclarationSpecifier::StorageClass(found) if found.node == *class))
}

/// Names that code uses in ways that concern all of the program.
#[derive(Default)]
pub(crate) struct Noted {
    addressed: FxHashSet<Rc<str>>,
    mentioned: FxHashSet<Rc<str>>,
}

/// Goes through code and collects its effects.
pub(crate) struct Walk<'w> {
    unit: &'w ParsedUnit,
    all: &'w Summaries,
    function: Option<Rc<str>>,
    /// Names that the code itself declares, innermost last.
    scopes: Vec<FxHashMap<Rc<str>, Known>>,
    /// Names that it finds.
    outer: Option<&'w dyn Fn(&str) -> Known>,
    effects: &'w mut Effects,
    noted: Noted,
}

type Cells = SmallVec<[Cell; 2]>;

impl<'w> Walk<'w> {
    fn new(
        unit: &'w ParsedUnit,
        all: &'w Summaries,
        function: Option<Rc<str>>,
        effects: &'w mut Effects,
    ) -> Walk<'w> {
        Walk { unit, all, function, scopes: Vec::new(), outer: None, effects, noted: Noted::default() }
    }

    /// Through a part of a function that is lowered, where names are known.
    pub(crate) fn inside(
        unit: &'w ParsedUnit,
        all: &'w Summaries,
        outer: &'w dyn Fn(&str) -> Known,
        effects: &'w mut Effects,
    ) -> Walk<'w> {
        Walk {
            unit,
            all,
            function: None,
            scopes: Vec::new(),
            outer: Some(outer),
            effects,
            noted: Noted::default(),
        }
    }

    fn function(&mut self, definition: &FunctionDefinition) {
        self.scopes.push(FxHashMap::default());
        let declarator = &definition.declarator.node;
        let mut at = declarator;
        loop {
            for derived in &at.derived {
                match &derived.node {
                    DerivedDeclarator::Function(f) => {
                        for parameter in &f.node.parameters {
                            let name = parameter.node.declarator.as_ref().and_then(declared_name);
                            self.declare(name, Known::Private { dimensions: 0 });
                        }
                    }
                    DerivedDeclarator::KRFunction(names) => {
                        for name in names {
                            self.declare(Some(&name.node.name), Known::Private { dimensions: 0 });
                        }
                    }
                    _ => {}
                }
            }
            match &at.kind.node {
                DeclaratorKind::Declarator(inner) => at = &inner.node,
                _ => break,
            }
        }
        self.statement(&definition.statement);
        self.scopes.pop();
    }

    fn declare(&mut self, name: Option<&str>, known: Known) {
        if let (Some(name), Some(scope)) = (name, self.scopes.last_mut()) {
            scope.insert(name.into(), known);
        }
    }

    fn lookup(&self, name: &str) -> Known {
        if let Some(known) = self.scopes.iter().rev().find_map(|scope| scope.get(name)) {
            return known.clone();
        }
        match self.outer {
            Some(outer) => outer(name),
            None => self.all.lookup_global(name),
        }
    }

    fn piece(&self, name: &str) -> Option<&'w Tree> {
        if !name.starts_with(PIECE_PREFIX) {
            return None;
        }
        let unit = self.unit;
        unit.piece_named(name).map(|piece| &unit.pieces[piece].tree)
    }

    fn statements<'t>(&mut self, items: impl Iterator<Item = &'t Node<BlockItem>>) {
        for item in items {
            match &item.node {
                BlockItem::Declaration(declaration) => self.declaration(&declaration.node),
                BlockItem::StaticAssert(_) => {}
                BlockItem::Statement(statement) => self.statement(statement),
            }
        }
    }

    fn in_scope(&mut self, step: impl FnOnce(&mut Self)) {
        self.scopes.push(FxHashMap::default());
        step(self);
        self.scopes.pop();
    }

    pub(crate) fn statement(&mut self, statement: &Node<Statement>) {
        super::expr::with_stack(|| match &statement.node {
            Statement::Labeled(labeled) => self.statement(&labeled.node.statement),
            Statement::Compound(items) => self.in_scope(|walk| walk.statements(items.iter())),
            Statement::Expression(Some(expr)) => self.expression(expr),
            Statement::Expression(None) | Statement::Goto(_) | Statement::Continue | Statement::Break => {}
            Statement::If(branch) => {
                self.expression(&branch.node.condition);
                self.statement(&branch.node.then_statement);
                if let Some(other) = &branch.node.else_statement {
                    self.statement(other);
                }
            }
            Statement::Switch(switch) => {
                self.expression(&switch.node.expression);
                self.statement(&switch.node.statement);
            }
            Statement::While(repeat) => {
                self.expression(&repeat.node.expression);
                self.statement(&repeat.node.statement);
            }
            Statement::DoWhile(repeat) => {
                self.statement(&repeat.node.statement);
                self.expression(&repeat.node.expression);
            }
            Statement::For(repeat) => self.in_scope(|walk| {
                match &repeat.node.initializer.node {
                    ForInitializer::Expression(expr) => walk.expression(expr),
                    ForInitializer::Declaration(declaration) => walk.declaration(&declaration.node),
                    ForInitializer::Empty | ForInitializer::StaticAssert(_) => {}
                }
                for expr in repeat.node.condition.iter().chain(&repeat.node.step) {
                    walk.expression(expr);
                }
                walk.statement(&repeat.node.statement);
            }),
            Statement::Return(value) => {
                if let Some(value) = value {
                    self.expression(value);
                }
            }
            Statement::Asm(asm) => {
                let AsmStatement::GnuExtended(asm) = &asm.node else { return };
                asm.inputs.iter().for_each(|input| self.expression(&input.node.variable_name));
                for output in &asm.outputs {
                    let cells = self.lvalue(&output.node.variable_name);
                    self.access(cells, true, true);
                }
                let memory = |part: &String| part.contains("memory");
                if asm.clobbers.iter().any(|clobber| clobber.node.iter().any(memory)) {
                    self.access(smallvec![Cell::POINTED], true, true);
                }
            }
        });
    }

    fn declaration(&mut self, declaration: &Declaration) {
        let class = |class| has_class(&declaration.specifiers, &class);
        if class(StorageClassSpecifier::Typedef) {
            return;
        }
        for item in &declaration.declarators {
            let name = declared_name(&item.node.declarator);
            let Some(shape) = self.all.shape(&declaration.specifiers, &item.node.declarator.node) else {
                continue;
            };
            let known = match name {
                Some(name) if class(StorageClassSpecifier::Static) => {
                    let root = static_root(name, self.function.as_deref());
                    let cell = shape.cell(root);
                    Known::Variable { cell, dimensions: shape.dimensions }
                }
                Some(name) if class(StorageClassSpecifier::Extern) => {
                    let cell = shape.cell(static_root(name, None));
                    Known::Variable { cell, dimensions: shape.dimensions }
                }
                _ => Known::Private { dimensions: shape.dimensions },
            };
            self.sizes(&item.node.declarator.node);
            self.declare(name, known);
        }
        self.initialisers(declaration);
    }

    /// The lengths of arrays are evaluated.
    fn sizes(&mut self, declarator: &Declarator) {
        for derived in &declarator.derived {
            if let DerivedDeclarator::Array(array) = &derived.node
                && let ArraySize::VariableExpression(size) | ArraySize::StaticExpression(size) =
                    &array.node.size
            {
                self.expression(size);
            }
        }
    }

    fn initialisers(&mut self, declaration: &Declaration) {
        for init in declaration.declarators.iter().filter_map(|item| item.node.initializer.as_ref()) {
            self.initialiser(&init.node);
        }
    }

    fn initialiser(&mut self, init: &Initializer) {
        match init {
            Initializer::Expression(expr) => self.expression(expr),
            Initializer::List(items) => super::expr::with_stack(|| {
                for item in items {
                    for designator in &item.node.designation {
                        if let Designator::Index(index) = &designator.node {
                            self.expression(index);
                        }
                    }
                    self.initialiser(&item.node.initializer.node);
                }
            }),
        }
    }

    /// An expression whose value is used.
    pub(crate) fn expression(&mut self, expr: &Node<Expression>) {
        super::expr::with_stack(|| self.value(expr));
    }

    fn value(&mut self, expr: &Node<Expression>) {
        match &expr.node {
            Expression::Identifier(name) => {
                let name = name.node.name.as_str();
                match self.piece(name) {
                    Some(Tree::Expression(inner)) => return self.expression(inner),
                    Some(Tree::Statement(inner)) => return self.statement(inner),
                    Some(Tree::External(_)) | None => {}
                }
                match self.lookup(name) {
                    Known::Variable { cell, dimensions: 0 } => self.access(smallvec![cell], true, false),
                    Known::Variable { .. } | Known::Private { .. } => {}
                    Known::Other => _ = self.noted.mentioned.insert(name.into()),
                }
            }
            Expression::Constant(_)
            | Expression::StringLiteral(_)
            | Expression::SizeOfTy(_)
            | Expression::SizeOfVal(_)
            | Expression::AlignOf(_)
            | Expression::OffsetOf(_) => {}
            Expression::GenericSelection(generic) => {
                for association in &generic.node.associations {
                    match &association.node {
                        GenericAssociation::Type(case) => self.expression(&case.node.expression),
                        GenericAssociation::Default(expr) => self.expression(expr),
                    }
                }
            }
            Expression::Member(_) => self.read(expr),
            Expression::Call(call) => self.call(&call.node.callee, &call.node.arguments),
            Expression::CompoundLiteral(literal) => {
                for item in &literal.node.initializer_list {
                    self.initialiser(&item.node.initializer.node);
                }
            }
            Expression::UnaryOperator(unary) => match unary.node.operator.node {
                UnaryOperator::PostIncrement
                | UnaryOperator::PostDecrement
                | UnaryOperator::PreIncrement
                | UnaryOperator::PreDecrement => {
                    let cells = self.lvalue(&unary.node.operand);
                    self.access(cells, true, true);
                }
                UnaryOperator::Address => {
                    if let Some(name) = self.root_name(&unary.node.operand) {
                        let root = match self.lookup(name) {
                            Known::Variable { cell: Cell { root: Root::Static(name), .. }, .. } => name,
                            _ => {
                                format!("{}{STATIC_OF}{name}", self.function.as_deref().unwrap_or("")).into()
                            }
                        };
                        self.noted.addressed.insert(root);
                    }
                    self.lvalue(&unary.node.operand);
                }
                UnaryOperator::Indirection => self.read(expr),
                UnaryOperator::Plus
                | UnaryOperator::Minus
                | UnaryOperator::Complement
                | UnaryOperator::Negate => self.expression(&unary.node.operand),
            },
            Expression::Cast(cast) => self.expression(&cast.node.expression),
            Expression::BinaryOperator(binary) => self.binary(expr, &binary.node),
            Expression::Conditional(c) => {
                self.expression(&c.node.condition);
                self.expression(&c.node.then_expression);
                self.expression(&c.node.else_expression);
            }
            Expression::Comma(parts) => parts.iter().for_each(|part| self.expression(part)),
            Expression::VaArg(arg) => {
                let mut cells = self.lvalue(&arg.node.va_list);
                cells.push(Cell::POINTED);
                self.access(cells, true, true);
            }
            Expression::Statement(statement) => self.statement(statement),
        }
    }

    fn binary(&mut self, expr: &Node<Expression>, binary: &BinaryOperatorExpression) {
        match binary.operator.node {
            BinaryOperator::Index => self.read(expr),
            BinaryOperator::Assign => {
                let cells = self.lvalue(&binary.lhs);
                self.expression(&binary.rhs);
                self.access(cells, false, true);
            }
            ref operator => {
                if let BinaryOperator::Divide
                | BinaryOperator::Modulo
                | BinaryOperator::AssignDivide
                | BinaryOperator::AssignModulo = operator
                {
                    self.effects.fails = true;
                }
                if is_compound_assignment(operator) {
                    let cells = self.lvalue(&binary.lhs);
                    self.access(cells, true, true);
                } else {
                    self.expression(&binary.lhs);
                }
                self.expression(&binary.rhs);
            }
        }
    }

    pub(crate) fn call(&mut self, callee: &Node<Expression>, args: &[Node<Expression>]) {
        if self.callee(callee) {
            args.iter().for_each(|arg| self.expression(arg));
        }
    }

    /// What is called; whether the arguments are evaluated.
    pub(crate) fn callee(&mut self, callee: &Node<Expression>) -> bool {
        if let Expression::Identifier(name) = &callee.node
            && let Known::Other = self.lookup(&name.node.name)
            && self.piece(&name.node.name).is_none()
        {
            let name = name.node.name.as_str();
            if !is_unevaluated(name) {
                self.effects.calls.insert(name.into());
                return true;
            }
            self.effects.add(&known_effects(name));
            return false;
        }
        self.effects.indirect = true;
        self.expression(callee);
        true
    }

    fn read(&mut self, expr: &Node<Expression>) {
        let cells = self.lvalue(expr);
        self.access(cells, true, false);
    }

    pub(crate) fn access(&mut self, cells: Cells, read: bool, write: bool) {
        for cell in cells {
            self.effects.fails |= matches!(cell.root, Root::Pointed);
            if read {
                self.effects.reads.insert(cell.clone());
            }
            if write {
                self.effects.writes.insert(cell);
            }
        }
    }

    /// The variable that a place is part of, if it is not reached through a pointer.
    fn root_name<'t>(&self, mut expr: &'t Node<Expression>) -> Option<&'t str>
    where
        'w: 't,
    {
        loop {
            expr = match &expr.node {
                Expression::Identifier(name) => match self.piece(&name.node.name) {
                    Some(Tree::Expression(inner)) => inner,
                    Some(_) => return None,
                    None => return Some(&name.node.name),
                },
                Expression::Member(member) if member.node.operator.node == MemberOperator::Direct => {
                    &member.node.expression
                }
                Expression::BinaryOperator(binary) if binary.node.operator.node == BinaryOperator::Index => {
                    &binary.node.lhs
                }
                _ => return None,
            }
        }
    }

    /// A place: what it is a part of. Pointers and indices in it are read.
    pub(crate) fn lvalue(&mut self, expr: &Node<Expression>) -> Cells {
        super::expr::with_stack(|| self.place(expr))
    }

    fn place(&mut self, expr: &Node<Expression>) -> Cells {
        match &expr.node {
            Expression::Identifier(name) => {
                if let Some(Tree::Expression(inner)) = self.piece(&name.node.name) {
                    return self.lvalue(inner);
                }
                match self.lookup(&name.node.name) {
                    Known::Variable { cell, .. } => smallvec![cell],
                    Known::Private { .. } | Known::Other => Cells::new(),
                }
            }
            Expression::Member(member) => self.member(&member.node),
            Expression::BinaryOperator(binary) if binary.node.operator.node == BinaryOperator::Index => {
                self.expression(&binary.node.rhs);
                self.behind(&binary.node.lhs)
            }
            Expression::UnaryOperator(unary) if unary.node.operator.node == UnaryOperator::Indirection => {
                self.behind(&unary.node.operand)
            }
            _ => {
                self.expression(expr);
                Cells::new()
            }
        }
    }

    fn member(&mut self, member: &MemberExpression) -> Cells {
        let name = self.all.member(&member.identifier.node.name);
        let base = match member.operator.node {
            MemberOperator::Direct => self.lvalue(&member.expression),
            MemberOperator::Indirect => self.behind(&member.expression),
        };
        // The inner member of a member says it as well.
        base.into_iter().map(|cell| Cell { member: name.clone(), ..cell }).collect()
    }

    /// What a pointer, or an array, points to.
    fn behind(&mut self, pointer: &Node<Expression>) -> Cells {
        match &pointer.node {
            Expression::StringLiteral(_) => return Cells::new(),
            Expression::UnaryOperator(unary) if unary.node.operator.node == UnaryOperator::Address => {
                return self.lvalue(&unary.node.operand);
            }
            _ => {}
        }
        if let Some((name, indices)) = indexed(pointer) {
            match self.lookup(name) {
                Known::Private { dimensions } if dimensions > indices => {
                    self.indices(pointer);
                    return Cells::new();
                }
                Known::Variable { cell, dimensions } if dimensions > indices => {
                    self.indices(pointer);
                    return smallvec![cell];
                }
                _ => {}
            }
        }
        // A member may be an array, or a pointer.
        let own = match &pointer.node {
            Expression::Member(_) => self.lvalue(pointer),
            _ => Cells::new(),
        };
        self.expression(pointer);
        let mut cells: Cells = own.into_iter().map(|cell| Cell { member: None, ..cell }).collect();
        if !cells.contains(&Cell::POINTED) {
            cells.push(Cell::POINTED);
        }
        cells
    }

    /// Reads the indices of `a[i][j]`.
    fn indices(&mut self, mut expr: &Node<Expression>) {
        while let Expression::BinaryOperator(binary) = &expr.node {
            self.expression(&binary.node.rhs);
            expr = &binary.node.lhs;
        }
    }
}

/// `a[i][j]`: the variable, and how many indices there are.
fn indexed(mut expr: &Node<Expression>) -> Option<(&str, u8)> {
    let mut indices = 0u8;
    loop {
        match &expr.node {
            Expression::Identifier(name) => return Some((&name.node.name, indices)),
            Expression::BinaryOperator(binary) if binary.node.operator.node == BinaryOperator::Index => {
                indices = indices.checked_add(1)?;
                expr = &binary.node.lhs;
            }
            _ => return None,
        }
    }
}

/// `+=` and the like.
pub(crate) fn is_compound_assignment(operator: &BinaryOperator) -> bool {
    matches!(
        operator,
        BinaryOperator::AssignMultiply
            | BinaryOperator::AssignDivide
            | BinaryOperator::AssignModulo
            | BinaryOperator::AssignPlus
            | BinaryOperator::AssignMinus
            | BinaryOperator::AssignShiftLeft
            | BinaryOperator::AssignShiftRight
            | BinaryOperator::AssignBitwiseAnd
            | BinaryOperator::AssignBitwiseXor
            | BinaryOperator::AssignBitwiseOr
    )
}

impl Summaries {
    fn lookup_global(&self, name: &str) -> Known {
        let Some(shape) = self.globals.get(name) else { return Known::Other };
        Known::Variable { cell: shape.cell(static_root(name, None)), dimensions: shape.dimensions }
    }
}
