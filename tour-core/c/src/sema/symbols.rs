//! Symbols: what a name with linkage stands for, over all units. Declarations of one thing are merged, and what does
//! not fit together is told with both places.

use super::promises::Promises;
use super::startup::Startup;
use super::{DeclSpecs, Declared, Entity, Fail, Lower, Sema, StorageClass};
use crate::front::library::is_replaceable;
use rustc_hash::{FxHashMap, FxHashSet};
use std::borrow::Cow;
use tour_ir::program::{Builtin, FnId, FnSig, Function, Linkage, Storage, Type, TypeId, Types, Var, VarId};
use tour_ir::source::{Diagnostic, Span, UnitId};

/// The functions that have a definition. Whether a function of the library keeps its usual meaning must be known before
/// its definition is lowered.
#[derive(Debug, Default)]
pub struct Definitions {
    /// With external linkage, by the program.
    pub(super) program: FxHashSet<String>,
    /// With external linkage, in the library's units.
    pub(super) library: FxHashSet<String>,
    /// With internal linkage, by unit.
    pub(super) internal: FxHashMap<UnitId, FxHashSet<String>>,
}

/// A name with external linkage.
#[derive(Clone, Copy, Debug)]
struct Symbol {
    entity: Entity,
    /// Where it was first declared.
    declared: Span,
    /// Where it is defined: a function's body, a variable's initialiser.
    defined: Option<Span>,
    /// Only known by a call without a declaration: any declaration replaces its type.
    implicit: bool,
}

/// The symbols of a program, while it is linked.
#[derive(Debug, Default)]
pub struct Symbols {
    table: FxHashMap<String, Symbol>,
    /// Where names with internal linkage are defined (and those with external linkage declared) in this unit.
    unit: FxHashMap<String, Span>,
    /// Which definition of a function counts, where inline or weak ones compete.
    pub(super) winners: FxHashMap<String, Span>,
    /// What runs before and after the entry.
    pub(super) startup: Startup,
    /// What stands for another symbol, and where that is said.
    pub(super) aliases: Vec<Alias>,
    /// Aliases with what they were found to stand for.
    pub(super) resolved: Resolved,
    /// What functions promise.
    pub(super) promises: Vec<(FnId, Promises)>,
    /// Variables in a register of their own, which others may change.
    pub(super) registers: FxHashSet<VarId>,
}

/// `alias("…")`, `weakref("…")` and `#pragma weak a = b`.
#[derive(Clone, Debug)]
pub(super) struct Alias {
    pub(super) entity: Entity,
    pub(super) target: String,
    /// The target may be of any unit, or none.
    pub(super) weakref: bool,
    pub(super) span: Span,
}

/// Symbols that are others.
#[derive(Clone, Debug, Default)]
pub(super) struct Resolved {
    pub(super) functions: Vec<(FnId, FnId)>,
    pub(super) objects: Vec<(VarId, VarId)>,
}

impl Symbols {
    /// Names without external linkage end with their unit.
    pub(super) fn begin_unit(&mut self) {
        self.unit.clear();
    }

    /// What a symbol is.
    pub(super) fn entity(&self, symbol: &str) -> Option<Entity> {
        self.table.get(symbol).map(|symbol| symbol.entity)
    }

    /// The functions that the program names and the library's units name too: the program's, the library's, and whether
    /// the program only calls its own without a declaration.
    pub(super) fn of_both(&self) -> Vec<(FnId, FnId, bool)> {
        let in_library = |name: &str| self.table.get(&library_key(name)).map(|symbol| symbol.entity);
        let mut found: Vec<_> = (self.table.iter())
            .filter_map(|(name, symbol)| match (symbol.entity, in_library(name)?) {
                (Entity::Function(own), Entity::Function(library)) => Some((own, library, symbol.implicit)),
                _ => None,
            })
            .collect();
        found.sort_unstable();
        found
    }
}

/// Under which name a symbol of the library's units is kept. Neither does a function of the program stand for one that
/// they call, nor the other way round: within the C library, calls go to its own functions.
pub(super) fn library_key(name: &str) -> String {
    format!("{}{name}", tour_ir::source::LIBRARY)
}

/// Compatible, but what compilers let pass too: qualifiers in pointers and the choice between the compatible integer
/// and an enumeration do not separate functions.
pub(super) fn compatible_functions(types: &Types, a: TypeId, b: TypeId) -> bool {
    if types.compatible(a, b) {
        return true;
    }
    let (Type::Function(f), Type::Function(g)) = (&types[a], &types[b]) else { return false };
    let alike = |x: TypeId, y: TypeId| {
        types.compatible(x, y)
            || types.pointee(x).is_some() && types.pointee(y).is_some()
            || types.int_type(x).is_some() && types.int_type(x) == types.int_type(y)
    };
    f.variadic == g.variadic
        && f.params.len() == g.params.len()
        && alike(f.ret, g.ret)
        && f.params.iter().zip(&g.params).all(|(x, y)| alike(*x, *y))
}

/// A conflict between two declarations.
fn conflict<T>(message: String, here: Span, first: Span) -> Lower<T> {
    let diagnostic = Diagnostic::error("tour::link", message)
        .label(here, "declared here")
        .label(first, "first declared here");
    Err(Box::new(Fail::Error(diagnostic)))
}

impl Sema<'_> {
    /// Declares a function, at file scope or in a block. Merges it with earlier declarations.
    pub fn declare_function(&mut self, specs: &DeclSpecs, declared: &Declared<'_>) -> Lower<FnId> {
        let (name, symbol) = (declared.name(), declared.symbol());
        let at_file_scope = self.scopes.depth() == 0;
        let known = self.file_function(name);
        let internal = match known {
            Some(f) => self.program.functions[f].linkage == Linkage::Internal,
            None => at_file_scope && specs.storage == Some(StorageClass::Static),
        };
        self.check_kind(declared, |entity| matches!(entity, Entity::Function(_)))?;
        let existing = if internal { known } else { self.linked(declared, true)?.or(known) };
        let function = match existing {
            Some(f) => {
                self.merge_function(f, declared)?;
                f
            }
            None => {
                let linkage = if internal { Linkage::Internal } else { Linkage::External };
                self.new_function(symbol, declared.ty.ty, linkage, declared.span, false)
            }
        };
        let node = &mut self.program.functions[function];
        node.noreturn |= specs.noreturn || declared.attrs.noreturn;
        self.note_promises(function, declared);
        self.note_alias(Entity::Function(function), declared);
        self.function_runs(function, &declared.attrs, declared.span);
        self.scopes.declare(name, Entity::Function(function));
        Ok(function)
    }

    /// Declares a function whose body is for this unit alone, beside the symbol of its name.
    pub(super) fn declare_inline(&mut self, declared: &Declared<'_>) -> FnId {
        let ty = declared.ty.ty;
        let function = self.new_function(declared.symbol(), ty, Linkage::Internal, declared.span, false);
        self.program.functions[function].builtin = None;
        self.note_promises(function, declared);
        self.scopes.declare(declared.name(), Entity::Function(function));
        function
    }

    fn note_promises(&mut self, function: FnId, declared: &Declared<'_>) {
        let promises = &declared.attrs.promises;
        if !promises.is_empty() {
            self.shared.symbols.promises.push((function, promises.clone()));
        }
    }

    /// Notes what the attributes of a declaration say of its symbol.
    fn note_alias(&mut self, entity: Entity, declared: &Declared<'_>) {
        let Declared { attrs, span, symbol, .. } = declared;
        if attrs.weak {
            self.shared.linkage.weak.insert(symbol.clone());
        }
        let weakref = attrs.weakref.is_some();
        if let Some(target) = attrs.weakref.as_ref().or(attrs.alias.as_ref()) {
            let target = target.clone();
            self.shared.symbols.aliases.push(Alias { entity, target, weakref, span: *span });
        }
    }

    /// The symbol is weak and no one defines it, so that its address is null. Not modelled where the C library may have it.
    pub(super) fn is_null_symbol(&self, symbol: &str, span: Span) -> Lower<bool> {
        if !self.shared.linkage.is_undefined_weak(symbol) {
            return Ok(false);
        }
        self.is_nowhere(symbol, span)
    }

    /// The name is a weak reference to a symbol that no one defines.
    pub(super) fn is_null_reference(&self, name: &str, span: Span) -> Lower<bool> {
        match self.shared.linkage.weakref(name) {
            Some(target) if !self.shared.linkage.is_defined(target) => self.is_nowhere(target, span),
            _ => Ok(false),
        }
    }

    /// A symbol that no unit defines is not the C library's either.
    fn is_nowhere(&self, symbol: &str, span: Span) -> Lower<bool> {
        let library = Builtin::from_name(symbol).is_some() || super::library::has(symbol);
        if library || symbol.starts_with('_') || self.program.sources.place(span).system {
            let message = format!("`{symbol}` is weak, and perhaps defined by the system's libraries");
            return Fail::unsupported("weak-symbol", message, span);
        }
        Ok(true)
    }

    /// A function with external linkage that is used without a declaration (C89), or known to the compiler alone.
    pub fn undeclared_function(&mut self, name: &str, ty: TypeId, span: Span) -> FnId {
        let known = match self.shared.symbols.table.get(&*self.key(name)).map(|symbol| symbol.entity) {
            Some(Entity::Function(f)) => Some(f),
            _ => self.file_function(name),
        };
        let function = known.unwrap_or_else(|| self.new_function(name, ty, Linkage::External, span, true));
        self.scopes.declare(name, Entity::Function(function));
        function
    }

    fn new_function(&mut self, name: &str, ty: TypeId, linkage: Linkage, span: Span, implicit: bool) -> FnId {
        let own = self.is_defined(name);
        let function = self.program.functions.push(Function {
            linkage,
            builtin: if own { None } else { Builtin::from_name(name) },
            ..Function::new(name, ty, span)
        });
        if linkage == Linkage::External {
            let entity = Entity::Function(function);
            let symbol = Symbol { entity, declared: span, defined: None, implicit };
            let key = self.key(name).into_owned();
            self.shared.symbols.table.insert(key, symbol);
        }
        self.shared.symbols.unit.entry(name.to_owned()).or_insert(span);
        function
    }

    /// Under which name the symbol is kept that `name` means in this unit. A `malloc` that the program defines is the
    /// library's too.
    fn key<'n>(&self, name: &'n str) -> Cow<'n, str> {
        let replaced = || is_replaceable(name) && self.shared.defined.program.contains(name);
        if self.is_library() && !replaced() { Cow::Owned(library_key(name)) } else { Cow::Borrowed(name) }
    }

    /// The function that a name means in this unit is defined, by the program or in the library's units.
    pub(crate) fn is_defined(&self, name: &str) -> bool {
        self.shared.defined.library.contains(name) || self.is_defined_by_program(name)
    }

    /// The function that a name means in this unit is defined, and not by the library's units alone.
    pub(crate) fn is_defined_by_program(&self, name: &str) -> bool {
        let Definitions { program, internal, .. } = &self.shared.defined;
        internal.get(&self.unit.unit).is_some_and(|names| names.contains(name))
            || (!self.is_library() || is_replaceable(name)) && program.contains(name)
    }

    /// What the file scope has under a name, if that is a function.
    fn file_function(&self, name: &str) -> Option<FnId> {
        match self.scopes.lookup_file(name) {
            Some(Entity::Function(f)) => Some(f),
            _ => None,
        }
    }

    /// The file scope of this unit must not know the name as something else.
    fn check_kind(&self, declared: &Declared<'_>, fits: impl Fn(Entity) -> bool) -> Lower<()> {
        let name = declared.name();
        match self.scopes.lookup_here(name) {
            Some(entity) if !fits(entity) => {
                let first = self.entity_span(name, entity).unwrap_or(declared.span);
                conflict(format!("`{name}` is declared as two different things"), declared.span, first)
            }
            _ => Ok(()),
        }
    }

    fn entity_span(&self, name: &str, entity: Entity) -> Option<Span> {
        match entity {
            Entity::Var(var) => Some(self.program.vars[var].span),
            Entity::Function(f) => Some(self.program.functions[f].span),
            Entity::Typedef(_) | Entity::EnumConst(..) => self.shared.symbols.unit.get(name).copied(),
        }
    }

    /// The external function of this name, or an error if the name is that of a variable.
    fn linked(&self, declared: &Declared<'_>, function: bool) -> Lower<Option<FnId>> {
        let name = declared.symbol();
        match self.shared.symbols.table.get(&*self.key(name)) {
            Some(Symbol { entity: Entity::Function(f), .. }) if function => Ok(Some(*f)),
            Some(symbol) => {
                let message = format!("`{name}` is a function in one place and a variable in another");
                conflict(message, declared.span, symbol.declared)
            }
            None => Ok(None),
        }
    }

    fn merge_function(&mut self, f: FnId, declared: &Declared<'_>) -> Lower<()> {
        let name = declared.symbol();
        let (old, new) = (self.program.functions[f].ty, declared.ty.ty);
        let key = self.key(name);
        let implicit = self.shared.symbols.table.get(&*key).is_some_and(|symbol| symbol.implicit);
        if implicit {
            self.program.functions[f].ty = new;
            if let Some(symbol) = self.shared.symbols.table.get_mut(&*key) {
                symbol.implicit = false;
                symbol.declared = declared.span;
            }
            return Ok(());
        }
        if compatible_functions(&self.program.types, old, new) {
            self.program.functions[f].ty = self.program.types.composite(old, new);
            return Ok(());
        }
        let first = self.program.functions[f].span;
        // Two units that disagree about a function which no one defines: the last one is as good as the first.
        if first.unit != declared.span.unit && !self.is_defined(name) {
            return Ok(());
        }
        if self.is_library() {
            let message = format!("`{name}` is defined with another type than the library's, which calls it");
            return Fail::unsupported("library", message, first);
        }
        self.different_types(declared, old, new, first)
    }

    /// Two declarations of one symbol that do not go together. Under two names, or in two units, compilers let it pass.
    fn different_types<T>(&self, declared: &Declared<'_>, old: TypeId, new: TypeId, first: Span) -> Lower<T> {
        let name = declared.symbol();
        let (old, new) = (self.program.show_type(old), self.program.show_type(new));
        if name != declared.name() || first.unit != declared.span.unit {
            let message =
                format!("the symbol `{name}` has the type `{new}` in one place and `{old}` in another");
            return Fail::unsupported("symbol", message, declared.span);
        }
        let diagnostic =
            Diagnostic::error("tour::link", format!("`{name}` is declared with different types"))
                .label(declared.span, format!("here it is `{new}`"))
                .label(first, format!("here it is `{old}`"))
                .help("make both declarations the same");
        Err(Box::new(Fail::Error(diagnostic)))
    }

    /// The unit is one of ours.
    pub(crate) fn is_library(&self) -> bool {
        let path = &self.program.sources.unit(self.unit.unit).path;
        tour_ir::source::is_library(path)
    }

    /// Declares a variable with linkage: at file scope, or `extern` in a block.
    pub fn declare_object(
        &mut self,
        specs: &DeclSpecs,
        declared: &Declared<'_>,
        has_init: bool,
    ) -> Lower<VarId> {
        let name = declared.name();
        if let Type::Void = self.program.types[declared.ty.ty]
            && specs.storage != Some(StorageClass::Extern)
        {
            return Fail::error(
                format!("`{name}` has type `void`"),
                declared.span,
                "no variable has this type",
            );
        }
        let known = match self.scopes.lookup_file(name) {
            Some(Entity::Var(var)) => Some(var),
            _ => None,
        };
        let is_static = |var: VarId| self.program.vars[var].storage == Storage::Static;
        let internal = match (specs.storage, known) {
            (Some(StorageClass::Static), _) => true,
            (Some(StorageClass::Extern), Some(var)) => is_static(var),
            _ => false,
        };
        self.check_kind(declared, |entity| matches!(entity, Entity::Var(_)))?;
        let existing = if internal { known } else { self.linked_object(declared)? };
        let defines = specs.storage != Some(StorageClass::Extern) || has_init;
        let var = match existing {
            Some(var) => {
                self.merge_object(var, declared, has_init)?;
                if let Storage::Global { defined } = &mut self.program.vars[var].storage {
                    *defined |= defines;
                }
                var
            }
            None => {
                let storage = if internal { Storage::Static } else { Storage::Global { defined: defines } };
                let var = self.program.vars.push(Var {
                    thread_local: specs.thread_local,
                    ..Var::new(name, declared.ty, storage, declared.span)
                });
                self.program.globals.push(var);
                if !internal {
                    let entity = Entity::Var(var);
                    let defined = has_init.then_some(declared.span);
                    let symbol = Symbol { entity, declared: declared.span, defined, implicit: false };
                    let key = self.key(declared.symbol()).into_owned();
                    self.shared.symbols.table.insert(key, symbol);
                }
                var
            }
        };
        let node = &mut self.program.vars[var];
        node.align = node.align.max(declared.attrs.align);
        node.thread_local |= specs.thread_local;
        if defines {
            node.span = declared.span;
        }
        self.note_alias(Entity::Var(var), declared);
        self.object_in_section(var, &declared.attrs, declared.span)?;
        if specs.storage == Some(StorageClass::Register) {
            self.shared.symbols.registers.insert(var);
        }
        self.scopes.declare(name, Entity::Var(var));
        Ok(var)
    }

    fn linked_object(&self, declared: &Declared<'_>) -> Lower<Option<VarId>> {
        match self.shared.symbols.table.get(&*self.key(declared.symbol())).map(|symbol| symbol.entity) {
            Some(Entity::Var(var)) => Ok(Some(var)),
            _ => self.linked(declared, false).map(|_| None),
        }
    }

    fn merge_object(&mut self, var: VarId, declared: &Declared<'_>, has_init: bool) -> Lower<()> {
        let name = declared.symbol();
        let (old, new) = (self.program.vars[var].ty, declared.ty);
        let first = self.program.vars[var].span;
        if !self.program.types.compatible(old.ty, new.ty) {
            return self.different_types(declared, old.ty, new.ty, first);
        }
        self.program.vars[var].ty.ty = self.program.types.composite(old.ty, new.ty);
        if has_init {
            if self.program.vars[var].init.is_some() && !self.gives_way(declared) {
                return defined_twice(name, declared.span, first);
            }
            if let Some(symbol) = self.shared.symbols.table.get_mut(&*self.key(name)) {
                symbol.defined = Some(declared.span);
            }
        }
        Ok(())
    }

    /// A weak definition of a variable counts for nothing where there is another.
    pub(super) fn gives_way(&self, declared: &Declared<'_>) -> bool {
        let Declared { symbol, attrs, .. } = declared;
        attrs.weak && self.shared.linkage.strong.contains(symbol)
    }

    /// Whether the definition of a function at `span` is the one that counts. An error if another one counts too.
    pub(super) fn claim_definition(&mut self, f: FnId, span: Span, replaceable: bool) -> Lower<bool> {
        let name = self.program.functions[f].name.clone();
        if self.program.functions[f].linkage == Linkage::Internal {
            if self.program.functions[f].body.is_some() {
                return defined_twice(&name, span, self.program.functions[f].span);
            }
            return Ok(true);
        }
        let key = self.key(&name);
        let wins = self.shared.symbols.winners.get(&*key).is_none_or(|winner| *winner == span);
        let Some(symbol) = self.shared.symbols.table.get_mut(&*key) else { return Ok(true) };
        match symbol.defined {
            _ if !wins && replaceable => Ok(false),
            Some(first) => defined_twice(&name, span, first),
            None => {
                symbol.defined = Some(span);
                Ok(true)
            }
        }
    }

    /// The type of a K&R definition: a prototype for all that follows, since arguments convert to the same values.
    pub(super) fn old_style_type(&mut self, f: FnId, params: Vec<TypeId>) {
        let FnSig { ret, prototyped, .. } = *self.program.functions[f].sig(&self.program.types);
        if !prototyped && !params.is_empty() {
            self.program.functions[f].ty = self.function_type(ret, params, false);
        }
    }
}

fn defined_twice<T>(name: &str, here: Span, first: Span) -> Lower<T> {
    let diagnostic = Diagnostic::error("tour::link", format!("`{name}` is defined twice"))
        .label(here, "defined here")
        .label(first, "and here")
        .help("give only files to one run that the linker would take together");
    Err(Box::new(Fail::Error(diagnostic)))
}
