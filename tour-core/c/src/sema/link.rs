//! The driver: one program from the trees of all units.
//!
//! Each unit is lowered in the order of its text, declarations and bodies alike. Afterwards the program is closed: calls
//! fit the definitions that they turned out to have, aliases are followed, functions without a body get the meaning
//! that the user asked for, and what has to run before the entry does.

use super::close::{self, UndefinedPolicy};
use super::effects::{Summaries, declared_name};
use super::linkage::Linkage;
use super::symbols::{Alias, library_key};
use super::{Entity, Fail, Lower, Sema, Shared, StorageClass, Stub, library, own, settle_calls, stub};
use crate::front::{ParsedUnit, Tree};
use lang_c::ast::{
    Declaration, DeclarationSpecifier, Extension, ExternalDeclaration, FunctionDefinition, FunctionSpecifier,
    StorageClassSpecifier,
};
use lang_c::span::Node;
use rustc_hash::{FxHashMap, FxHashSet};
use tour_ir::program::{Assumption, DataModel, FnId, Program, Storage, Type, Unsupported};
use tour_ir::source::is_library;
use tour_ir::source::{Diagnostic, Severity, SourceMap, Span};

/// How to lower a program.
#[derive(Clone, Debug)]
pub struct LowerOptions {
    /// Sizes and alignments.
    pub model: DataModel,
    /// The function where execution begins.
    pub entry: String,
    /// What a function without a body does.
    pub undefined: UndefinedPolicy,
    /// What some functions without a body do.
    pub stubs: Vec<Stub>,
    /// `malloc`, `calloc` and `realloc` may give null.
    pub malloc_may_fail: bool,
}

impl Default for LowerOptions {
    fn default() -> LowerOptions {
        LowerOptions {
            model: DataModel::default(),
            entry: "main".into(),
            undefined: UndefinedPolicy::Nondet,
            stubs: Vec::new(),
            malloc_may_fail: false,
        }
    }
}

/// Makes one program of all units. Returns it with warnings, or the errors.
pub fn lower(
    units: &[ParsedUnit],
    sources: SourceMap,
    options: &LowerOptions,
) -> Result<(Program, Vec<Diagnostic>), Vec<Diagnostic>> {
    lower_with(units, sources, options, |program, _| {
        close::find_entry(program, &options.entry).map_err(|diagnostic| vec![diagnostic])
    })
}

/// As [`lower`], but `entry` says where execution begins once all units are known. It may add functions: a harness
/// is no part of any unit. [`LowerOptions::entry`] is not looked at.
pub fn lower_with(
    units: &[ParsedUnit],
    sources: SourceMap,
    options: &LowerOptions,
    entry: impl FnOnce(&mut Program, &mut Shared) -> Result<FnId, Vec<Diagnostic>>,
) -> Result<(Program, Vec<Diagnostic>), Vec<Diagnostic>> {
    let mut program = Program::new(options.model);
    program.sources = sources;
    let linkage = Linkage::of(units, &program.sources);
    let mut shared = Shared { linkage, ..Shared::default() };
    scan_definitions(units, &program.sources, &mut shared);
    shared.summaries = Summaries::of(units);
    for (name, of) in &shared.linkage.same {
        shared.summaries.add_name(name, of);
    }
    options.stubs.iter().for_each(|stub| shared.summaries.add_stub(stub));
    for unit in units {
        shared.at_start.extend(unit.unmodelled.iter().cloned());
        shared.symbols.begin_unit();
        shared.linkage.begin_unit(unit);
        let mut sema = Sema::new(&mut program, &mut shared, unit);
        for &piece in &unit.items {
            sema.piece = piece;
            let Tree::External(items) = &unit.pieces[piece].tree else { continue };
            for item in items {
                sema.external_declaration(item);
            }
        }
        sema.weak_aliases();
        sema.resolve_aliases();
    }
    find_weak_references(&mut program, &mut shared);
    for (unit, at) in units.iter().flat_map(|unit| unit.assembler.iter().map(move |at| (unit.unit, at))) {
        program.assumptions.push(Assumption {
            text: "assembler text outside of functions has no effect on the program".to_owned(),
            span: Span { unit, start: at.start, end: at.end },
        });
    }
    if units.len() > 1 {
        program.unify_records();
    }
    own::assume_called(&mut program);
    library::bind(&mut program, &shared.symbols, &options.stubs);
    settle_calls(&mut program);
    let failed = |diagnostics: &[Diagnostic]| diagnostics.iter().any(|d| d.severity == Severity::Error);
    let entry = if failed(&shared.diagnostics) { None } else { Some(entry(&mut program, &mut shared)) };
    let mut diagnostics = shared.diagnostics;
    if let Some(entry) = entry {
        let prologue = close::Prologue {
            startup: shared.symbols.startup,
            aliases: shared.symbols.resolved,
            promises: shared.symbols.promises,
            unsupported: shared.at_start,
            varargs: shared.varargs,
        };
        let closed = entry.and_then(|entry| {
            stub::give_bodies(&mut program, &options.stubs)
                .and_then(|()| {
                    close::close(&mut program, entry, options.undefined, options.malloc_may_fail, prologue)
                })
                .map_err(|error| vec![error])
        });
        diagnostics.extend(closed.err().into_iter().flatten());
    }
    if failed(&diagnostics) {
        return Err(diagnostics);
    }
    Ok((program, diagnostics))
}

impl Sema<'_> {
    /// Declares, or defines, what stands at file scope.
    fn external_declaration(&mut self, item: &Node<ExternalDeclaration>) {
        let done = match &item.node {
            ExternalDeclaration::Declaration(declaration) => self.file_declaration(declaration),
            ExternalDeclaration::StaticAssert(assert) => self.static_assert(assert),
            ExternalDeclaration::FunctionDefinition(definition) => self.function_definition(definition),
        };
        if let Err(fail) = done {
            self.recover_at_file_scope(*fail);
        }
    }

    /// What can't be lowered at file scope concerns the program from its start.
    fn recover_at_file_scope(&mut self, fail: Fail) {
        match fail {
            Fail::Unsupported(what, span) => self.shared.at_start.push((what, span)),
            error => self.recover(error),
        }
    }

    fn file_declaration(&mut self, declaration: &Node<Declaration>) -> Lower<()> {
        let declarators = &declaration.node.declarators;
        let specs = self.decl_specs(&declaration.node.specifiers, declarators.is_empty())?;
        for item in declarators {
            let declared = match self.declarator(&specs, &item.node.declarator) {
                Ok(declared) => declared,
                Err(fail) => {
                    self.recover_at_file_scope(*fail);
                    continue;
                }
            };
            let init = item.node.initializer.as_ref();
            let done = if specs.is_typedef() {
                self.declare_typedef(&declared);
                Ok(())
            } else if let Type::Function(_) = self.program.types[declared.ty.ty] {
                self.declare_function(&specs, &declared).map(|_| ())
            } else {
                self.declare_object(&specs, &declared, init.is_some()).and_then(|var| match init {
                    Some(init) if self.gives_way(&declared) => self.complete_type(var, init),
                    Some(init) => self.static_init(var, init),
                    None => Ok(()),
                })
            };
            if let Err(fail) = done {
                self.recover_at_file_scope(*fail);
            }
            if let Some(what) = declared.attrs.unmodelled {
                self.shared.at_start.push((what, declared.span));
            }
        }
        Ok(())
    }

    fn function_definition(&mut self, definition: &Node<FunctionDefinition>) -> Lower<()> {
        let node = &definition.node;
        let specs = self.decl_specs(&node.specifiers, false)?;
        let declared = self.declarator(&specs, &node.declarator)?;
        let Some(mut params) = declared.params.clone() else {
            return Fail::error(
                "a function body needs parameters before it",
                declared.span,
                "not a function",
            );
        };
        if let Some(names) = declared.old_style {
            params = self.old_style_params(names, &node.declarations)?;
        }
        let inline = declared.attrs.gnu_inline && specs.inline && specs.storage == Some(StorageClass::Extern);
        let function =
            if inline { self.declare_inline(&declared) } else { self.declare_function(&specs, &declared)? };
        let span = self.span(definition.span);
        if !self.claim_definition(function, span, is_replaceable(node))? {
            return Ok(());
        }
        if declared.old_style.is_some() {
            self.old_style_type(function, params.iter().map(|param| param.ty.ty).collect());
        }
        self.program.functions[function].span = declared.span;
        self.shared.symbols.startup.define(function);
        if let Some(what) = declared.attrs.unmodelled {
            self.shared.at_start.push((what, declared.span));
        }
        self.lower_body(function, &node.statement, |sema| {
            for param in &params {
                let ty = sema.param_type_in_body(param)?;
                let name = param.name.unwrap_or_default();
                let var = sema.add_local(name.to_owned(), ty, Storage::Param(function), param.span);
                sema.program.functions[function].params.push(var);
                sema.declare_var(name, var);
            }
            Ok(())
        });
        Ok(())
    }

    /// `#pragma weak a = b`
    fn weak_aliases(&mut self) {
        for (name, target) in &self.unit.directives.weak {
            let (Some(target), Some(entity)) = (target, self.scopes.lookup_file(name)) else { continue };
            let span = match entity {
                Entity::Function(f) => self.program.functions[f].span,
                Entity::Var(var) => self.program.vars[var].span,
                Entity::Typedef(_) | Entity::EnumConst(..) => continue,
            };
            let alias = Alias { entity, target: target.clone(), weakref: false, span };
            self.shared.symbols.aliases.push(alias);
        }
    }

    /// Finds what the aliases of this unit stand for; references to other units wait until all are known.
    fn resolve_aliases(&mut self) {
        for alias in std::mem::take(&mut self.shared.symbols.aliases) {
            if alias.weakref {
                self.shared.symbols.aliases.push(alias);
                continue;
            }
            let here = self.scopes.lookup_file(&alias.target);
            let target = here.or_else(|| self.shared.symbols.entity(&alias.target));
            resolve(self.program, self.shared, &alias, target);
        }
    }
}

/// `weakref`: a symbol of any unit, or null.
fn find_weak_references(program: &mut Program, shared: &mut Shared) {
    for alias in std::mem::take(&mut shared.symbols.aliases) {
        // One that is nowhere is null where it is used.
        if let Some(target) = shared.symbols.entity(&alias.target) {
            resolve(program, shared, &alias, Some(target));
        }
    }
}

fn resolve(program: &mut Program, shared: &mut Shared, alias: &Alias, target: Option<Entity>) {
    match (alias.entity, target) {
        (Entity::Function(f), Some(Entity::Function(of))) => shared.symbols.resolved.functions.push((f, of)),
        (Entity::Var(var), Some(Entity::Var(of)))
            if program.types.compatible(program.vars[var].ty.ty, program.vars[of].ty.ty) =>
        {
            shared.symbols.resolved.objects.push((var, of));
        }
        _ => {
            let message = format!("what an alias of `{}` stands for is not modelled", alias.target);
            shared.at_start.push((Unsupported { kind: "alias", message }, alias.span));
        }
    }
}

/// Finds the functions that some unit defines, and which definition counts where several could: the first that is neither
/// inline nor weak, else the first.
fn scan_definitions(units: &[ParsedUnit], sources: &SourceMap, shared: &mut Shared) {
    let mut strong: FxHashSet<String> = FxHashSet::default();
    let mut bodies = InlineBodies::default();
    for unit in units {
        let is_library = is_library(&sources.unit(unit.unit).path);
        shared.linkage.begin_unit(unit);
        let mut internal: FxHashSet<&str> = FxHashSet::default();
        for &piece in &unit.items {
            let Tree::External(items) = &unit.pieces[piece].tree else { continue };
            for item in items {
                match &item.node {
                    ExternalDeclaration::Declaration(declaration)
                        if is_static(&declaration.node.specifiers) =>
                    {
                        let names = declaration.node.declarators.iter();
                        internal.extend(names.filter_map(|d| declared_name(&d.node.declarator)));
                    }
                    ExternalDeclaration::FunctionDefinition(definition) => {
                        let Some(name) = declared_name(&definition.node.declarator) else { continue };
                        let symbol = shared.linkage.symbol(name).into_owned();
                        let span: Span = unit.span(piece, definition.span);
                        let external = !is_static(&definition.node.specifiers) && !internal.contains(name);
                        if external
                            && !is_library
                            && bodies.differ(&symbol, &definition.node, sources.text(span))
                        {
                            let message = format!("`{name}` has several bodies, of which one is inline");
                            shared.at_start.push((Unsupported { kind: "inline", message }, span));
                        }
                        if is_inline_only(&definition.node) {
                            continue;
                        }
                        let defined = &mut shared.defined;
                        if is_static(&definition.node.specifiers) || internal.contains(name) {
                            internal.insert(name);
                            defined.internal.entry(unit.unit).or_default().insert(symbol);
                            continue;
                        }
                        let names = if is_library { &mut defined.library } else { &mut defined.program };
                        names.insert(symbol.clone());
                        let key = if is_library { library_key(&symbol) } else { symbol };
                        let winners = &mut shared.symbols.winners;
                        if is_replaceable(&definition.node) {
                            winners.entry(key).or_insert(span);
                        } else if strong.insert(key.clone()) {
                            winners.insert(key, span);
                        }
                    }
                    ExternalDeclaration::Declaration(_) | ExternalDeclaration::StaticAssert(_) => {}
                }
            }
        }
    }
}

fn is_static(specifiers: &[Node<DeclarationSpecifier>]) -> bool {
    specifiers.iter().any(|spec| {
        matches!(&spec.node, DeclarationSpecifier::StorageClass(class)
            if class.node == StorageClassSpecifier::Static)
    })
}

/// The bodies of functions with external linkage. Where one of several is inline, C does not say which is called (C11
/// 6.7.4p7).
#[derive(Default)]
struct InlineBodies<'t> {
    /// The first body, and whether it is inline.
    first: FxHashMap<String, (&'t str, bool)>,
}

impl<'t> InlineBodies<'t> {
    /// Another body of the same function differs, and one of them is inline.
    fn differ(&mut self, symbol: &str, definition: &FunctionDefinition, text: &'t str) -> bool {
        let inline = definition.specifiers.iter().any(|spec| {
            matches!(&spec.node, DeclarationSpecifier::Function(function)
                if function.node == FunctionSpecifier::Inline)
        });
        let body = text.find('{').map_or(text, |at| &text[at..]);
        match self.first.get(symbol) {
            Some((other, other_inline)) => *other != body && (inline || *other_inline),
            None => {
                self.first.insert(symbol.to_owned(), (body, inline));
                false
            }
        }
    }
}

/// `extern inline` with `gnu_inline`: the body is for this unit alone, and defines no symbol.
fn is_inline_only(definition: &FunctionDefinition) -> bool {
    let gnu_inline = |extension: &Node<Extension>| {
        matches!(&extension.node, Extension::Attribute(attribute)
            if crate::front::attribute::plain(&attribute.name.node) == "gnu_inline")
    };
    let (mut is_extern, mut is_inline) = (false, false);
    let mut is_gnu = definition.declarator.node.extensions.iter().any(gnu_inline);
    for spec in &definition.specifiers {
        match &spec.node {
            DeclarationSpecifier::Function(function) => {
                is_inline |= function.node == FunctionSpecifier::Inline
            }
            DeclarationSpecifier::StorageClass(class) => {
                is_extern |= class.node == StorageClassSpecifier::Extern
            }
            DeclarationSpecifier::Extension(list) => is_gnu |= list.iter().any(gnu_inline),
            _ => {}
        }
    }
    is_extern && is_inline && is_gnu
}

/// `inline` and `weak` definitions give way to others.
fn is_replaceable(definition: &FunctionDefinition) -> bool {
    let weak = |extension: &Node<Extension>| {
        matches!(&extension.node, Extension::Attribute(attribute)
            if matches!(attribute.name.node.as_str(), "weak" | "__weak__"))
    };
    definition.declarator.node.extensions.iter().any(weak)
        || definition.specifiers.iter().any(|spec| match &spec.node {
            DeclarationSpecifier::Function(function) => function.node == FunctionSpecifier::Inline,
            DeclarationSpecifier::Extension(list) => list.iter().any(weak),
            DeclarationSpecifier::StorageClass(_)
            | DeclarationSpecifier::TypeSpecifier(_)
            | DeclarationSpecifier::TypeQualifier(_)
            | DeclarationSpecifier::Alignment(_) => false,
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sema::testing;
    use tour_ir::program::{Op, VarId};
    use tour_ir::source::{Unit, UnitId};

    fn link(texts: &[&str], options: &LowerOptions) -> Result<Program, Vec<Diagnostic>> {
        let mut sources = SourceMap::default();
        let units: Vec<ParsedUnit> = texts
            .iter()
            .enumerate()
            .map(|(i, text)| {
                let unit: UnitId = sources.add(Unit::plain(format!("{i}.c"), *text));
                testing::parse(unit, text)
            })
            .collect();
        lower(&units, sources, options).map(|(program, _)| program)
    }

    fn linked(texts: &[&str]) -> Program {
        link(texts, &LowerOptions::default()).unwrap_or_else(|errors| panic!("{texts:?}: {errors:#?}"))
    }

    fn errors(texts: &[&str]) -> Vec<String> {
        let errors = link(texts, &LowerOptions::default()).err().unwrap_or_default();
        errors.iter().map(|d| format!("{} [{} places]", d.message, d.labels.len())).collect()
    }

    fn ops(program: &Program, f: FnId) -> Vec<String> {
        let edges = program.cfa.edges.iter().filter(|edge| program.cfa.locs[edge.from].function == f);
        edges.map(|edge| program.show_op(&edge.op)).collect()
    }

    fn var(program: &Program, name: &str) -> VarId {
        let mut found = program.vars.iter_enumerated().filter(|(_, var)| var.name == name);
        let (id, _) = found.next().expect("the variable");
        assert!(found.next().is_none(), "{name} is there twice");
        id
    }

    #[test]
    fn declarations_of_one_thing_are_merged() {
        let program = linked(&[
            "extern int x, a[]; int f(); int main(void) { return x + a[2] + f(1); }",
            "int x = 5; int a[10]; int f(int y) { return y; }",
        ]);
        let x = &program.vars[var(&program, "x")];
        assert_eq!(x.storage, Storage::Global { defined: true });
        assert!(x.init.is_some());
        assert_eq!(program.show_type(program.vars[var(&program, "a")].ty.ty), "int[10]");
        let f = program.function("f").expect("f");
        assert!(program.functions[f].body.is_some());
        assert_eq!(program.show_type(program.functions[f].ty), "int (int)");
        assert!(program.assumptions.is_empty(), "{:?}", program.assumptions);
    }

    #[test]
    fn names_with_internal_linkage_stay_in_their_unit() {
        let program = linked(&[
            "static int x = 1; static int f(void) { return x; } int g(void); int main(void) { return f() + g(); }",
            "static int x = 2; static int f(void) { return x; } int g(void) { return f(); }",
        ]);
        assert_eq!(program.vars.iter().filter(|var| var.name == "x").count(), 2);
        assert_eq!(program.functions.iter().filter(|f| f.name == "f" && f.body.is_some()).count(), 2);
        let program =
            linked(&["static int x = 1; int main(void) { extern int x; int f(void); return x + f(); } \
                                int f(void) { extern int y; return y; } int y = 2;"]);
        assert_eq!(program.vars[var(&program, "x")].storage, Storage::Static);
        assert_eq!(program.vars[var(&program, "y")].storage, Storage::Global { defined: true });
        assert!(program.assumptions.is_empty(), "{:?}", program.assumptions);
    }

    #[test]
    fn conflicts_are_reported_with_both_places() {
        let check = |texts: &[&str], want: &[&str]| assert_eq!(errors(texts), want, "{texts:?}");
        let main = "int main(void) { return 0; }";
        check(&[main, "int x = 1;", "int x = 2;"], &["`x` is defined twice [2 places]"]);
        check(&[main, main], &["`main` is defined twice [2 places]"]);
        check(&[main, "int x; char x;"], &["`x` is declared with different types [2 places]"]);
        check(&[main, "int a[3]; extern int a[4];"], &["`a` is declared with different types [2 places]"]);
        check(
            &[main, "int f(int x) { return x; } int f(char *p);"],
            &["`f` is declared with different types [2 places]"],
        );
        check(
            &[main, "int x;", "int x(void);"],
            &["`x` is a function in one place and a variable in another [2 places]"],
        );
        check(
            &["typedef int t; int t(void); int main(void) { return 0; }"],
            &["`t` is declared as two different things [2 places]"],
        );
        check(&["int f(void);"], &["there is no function `main` to start with [0 places]"]);
        check(&["int main(void);"], &["there is no function `main` to start with [1 places]"]);
        check(
            &["int x = 1; int y = x; int main(void) { return y; }"],
            &["this initialiser is no constant [1 places]"],
        );
    }

    #[test]
    fn units_that_disagree_are_not_modelled() {
        let starts = |texts: &[&str]| {
            let program = linked(texts);
            let unsupported = |op: &Op| matches!(op, Op::Unsupported(what) if what.kind == "symbol");
            program.cfa.edges.iter().any(|edge| unsupported(&edge.op))
        };
        assert!(starts(&["extern int x; int main(void) { return x; }", "char x;"]));
        assert!(starts(&["extern int a[4]; int main(void) { return a[0]; }", "int a[3];"]));
        assert!(starts(&["int f(char *); int main(void) { return f(0); }", "int f(int x) { return x; }"]));
        assert!(!starts(&["extern int a[]; int main(void) { return a[0]; }", "int a[3];"]));
    }

    #[test]
    fn inline_and_weak_definitions_give_way() {
        let program = linked(&[
            "inline int f(void) { return 1; } __attribute__((weak)) int g(void) { return 3; } \
             int main(void) { return f() + g(); }",
            "inline int f(void) { return 1; } int g(void) { return 2; }",
        ]);
        let (f, g) = (program.function("f").expect("f"), program.function("g").expect("g"));
        assert_eq!(ops(&program, f), ["return 1"]);
        assert_eq!(ops(&program, g), ["return 2"]);
    }

    #[test]
    fn which_of_several_bodies_is_called_is_not_chosen() {
        let main = "inline int f(void) { return 1; } int main(void) { return f(); }";
        let starts = |texts: &[&str]| {
            let program = linked(texts);
            let unsupported = |op: &Op| matches!(op, Op::Unsupported(what) if what.kind == "inline");
            program.cfa.edges.iter().any(|edge| unsupported(&edge.op))
        };
        assert!(!starts(&[main, "extern int f(void) { return 1; }"]));
        assert!(starts(&[main, "int f(void) { return 2; }"]));
        assert!(starts(&["int f(void) { return 2; }", main]));
        assert!(!starts(&[main, "static inline int f(void) { return 2; } int g(void) { return f(); }"]));
    }

    #[test]
    fn functions_without_a_body_follow_the_policy() {
        let text = "int f(int); void g(void); int main(void) { int x = f(1); g(); return x; }";
        let program = linked(&[text]);
        let texts: Vec<&str> = program.assumptions.iter().map(|a| a.text.as_str()).collect();
        assert_eq!(
            texts,
            [
                "`f` has no body: it returns any value and has no other effect",
                "`g` has no body: it returns any value and has no other effect",
            ]
        );
        assert!(!program.cfa.edges.iter().any(|edge| matches!(edge.op, Op::Call(_))));
        let options = LowerOptions { undefined: UndefinedPolicy::Unknown, ..LowerOptions::default() };
        let program = link(&[text], &options).expect("it links");
        assert!(program.assumptions.is_empty());
        let unsupported = program.cfa.edges.iter().filter(|edge| matches!(edge.op, Op::Unsupported(_)));
        assert_eq!(unsupported.count(), 2);
    }

    #[test]
    fn functions_that_are_known_to_write_have_an_effect() {
        let text = "int scanf(const char *, ...); int main(void) { int x = 0; scanf(\"%d\", &x); return x; }";
        let program = linked(&[text]);
        assert!(program.assumptions.is_empty());
        assert!(program.cfa.edges.iter().any(|edge| matches!(edge.op, Op::Unsupported(_))));
    }

    #[test]
    fn a_pointer_to_a_function_without_a_body_finds_one() {
        let program = linked(&["int f(int); int main(void) { int (*p)(int) = f; return p(1); }"]);
        let f = program.function("f").expect("f");
        assert_eq!(ops(&program, f), ["$1 = <any result of f>", "return $1"]);
        assert_eq!(program.assumptions.len(), 1);
    }

    #[test]
    fn variables_that_no_unit_defines_are_assumed() {
        let program = linked(&["extern int x, unused; int main(void) { return x; }"]);
        assert_eq!(program.vars[var(&program, "x")].storage, Storage::Global { defined: false });
        let texts: Vec<&str> = program.assumptions.iter().map(|a| a.text.as_str()).collect();
        assert_eq!(texts, ["`x` is declared but defined nowhere: it holds any value at the start"]);
    }

    #[test]
    fn old_style_definitions_take_their_parameters() {
        let program = linked(&[
            "int f(a, b) char a; short *b; { return a + *b; } int main() { short s = 1; return f(1, &s); }",
        ]);
        let f = program.function("f").expect("f");
        let shown: Vec<String> =
            program.functions[f].params.iter().map(|p| program.show_type(program.vars[*p].ty.ty)).collect();
        assert_eq!(shown, ["char", "short *"]);
    }

    #[test]
    fn parameters_may_have_lengths_that_are_computed() {
        let program = linked(&["int f(int n, int a[n][n + 1]) { return a[1][2] + sizeof(a[0]); } \
                                int main(void) { int a[2][3]; return f(2, a); }"]);
        let f = program.function("f").expect("f");
        let ops = ops(&program, f);
        assert!(ops[0].contains("n + 1"), "{ops:?}");
        // Lengths that are not positive are the only ones that are not modelled.
        let unsupported = ops.iter().filter(|op| op.contains("unsupported"));
        assert!(unsupported.clone().all(|op| op.contains("not positive")), "{ops:?}");
    }

    #[test]
    fn equal_records_of_two_units_are_one_type() {
        let header = "struct n { struct n *next; struct t *other; int v; }; extern struct n first;";
        let one = format!("{header} int main(void) {{ struct n copy = first; return copy.v; }}");
        let two =
            format!("{header} struct t {{ int a; }}; struct t x; struct n first = {{ &first, &x, 3 }};");
        let program = linked(&[&one, &two]);
        let (first, copy) = (var(&program, "first"), var(&program, "copy"));
        assert_eq!(program.vars[first].ty.ty, program.vars[copy].ty.ty);
        for edge in &program.cfa.edges {
            if let Op::Assign(place, value) = edge.op {
                assert_eq!(program.places[place].ty, program.exprs[value].ty);
            }
        }
    }

    #[test]
    fn constructors_run_before_the_entry_and_aliases_are_followed() {
        let program = linked(&["int x; __attribute__((constructor)) static void init(void) { x = 1; } \
             int f(void) { return x; } int g(void) __attribute__((alias(\"f\"))); int main(void) { return g(); }"]);
        let main = ops(&program, program.entry);
        assert!(main.contains(&"init()".to_owned()), "{main:?}");
        assert!(main.iter().any(|op| op.ends_with("f()")), "{main:?}");
        let entry = program.functions[program.entry].body.expect("a body").entry;
        let (_, edge) = program.cfa.successors(entry).next().expect("an edge");
        assert_eq!(program.show_op(&edge.op), "init()");
    }
}
