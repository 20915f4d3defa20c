//! Closing a linked program: the entry, functions without a body, variables that no unit defines, and what runs first.

use super::library::{self, Class};
use super::promises::{self, Promises};
use super::startup::{self, Startup};
use super::symbols::Resolved;
use super::varargs::{VarArgs, pass_arguments};
use super::{allocation, comparator, outside, plain, pointed, stack, streams};
use index_vec::IndexVec;
use tour_ir::cfa::{EdgeId, LocKind};
use tour_ir::choice::Choice;
use tour_ir::program::{
    ArrayLen, Assumption, Body, Builtin, Call, Callee, ExprId, ExprKind, FnId, HavocOrigin, InitItem,
    Linkage, Op, PlaceId, PlaceKind, Program, Storage, Type, Unsupported, Var, VarId,
};
use tour_ir::source::{Diagnostic, Span};

/// What a function without a body does.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum UndefinedPolicy {
    /// It returns any value and has no other effect: an assumption of the result.
    #[default]
    Nondet,
    /// We do not know: reaching a call makes the verdict unknown.
    Unknown,
}

impl Choice for UndefinedPolicy {
    fn all() -> Vec<(UndefinedPolicy, &'static str, &'static str)> {
        vec![
            (
                UndefinedPolicy::Nondet,
                "nondet",
                "It returns any value and has no other effect; the result lists it as an assumption",
            ),
            (UndefinedPolicy::Unknown, "unknown", "Nobody knows: a verdict that depends on it is unknown"),
        ]
    }
}

/// What happens before the entry, and which names are other functions.
pub(super) struct Prologue {
    /// What runs before and after the entry.
    pub(super) startup: Startup,
    /// Symbols that stand for others.
    pub(super) aliases: Resolved,
    /// What functions promise.
    pub(super) promises: Vec<(FnId, Promises)>,
    /// What could not be lowered at file scope.
    pub(super) unsupported: Vec<(Unsupported, Span)>,
    /// Who begins and reads lists of variable arguments.
    pub(super) varargs: VarArgs,
}

/// Closes the program.
pub(super) fn close(
    program: &mut Program,
    entry: FnId,
    undefined: UndefinedPolicy,
    malloc_may_fail: bool,
    mut prologue: Prologue,
) -> Result<(), Diagnostic> {
    program.entry = entry;
    complete_objects(program)?;
    follow_aliases(program, &prologue.aliases.functions);
    follow_object_aliases(program, &prologue.aliases.objects);
    promises::keep(program, &prologue.promises);
    let order = prologue.startup.order(program);
    prologue.unsupported.extend(order.unsupported);
    if !order.after.is_empty() && uses_threads(program) {
        let message = "functions that run at the end of a program with threads are not modelled".into();
        let span = program.functions[order.after[0]].span;
        prologue.unsupported.push((Unsupported { kind: "startup", message }, span));
    }
    prologue.unsupported.extend(linker_symbols(program));
    startup::put_last(program, &order.after);
    pass_arguments(program, &prologue.varargs);
    streams::open(program);
    plain::ask_plainly(program);
    let used = Used::of(program);
    comparator::refuse_effects(program, |f| used.functions[f].is_some());
    replace_undefined(program, undefined);
    give_bodies(program, undefined, &used);
    pointed::give_bodies(program, |f| used.functions.get(f).is_some_and(Option::is_some));
    allocation::settle_sizes(program);
    if malloc_may_fail {
        allocation::let_fail(program);
    } else {
        allocation::assume_success(program);
    }
    stack::make_variables(program);
    assume_objects(program, &used);
    library::start(program, |var| used.vars.get(var).is_some_and(Option::is_some));
    outside::give_objects(program);
    put_first(program, prologue.unsupported, &order.before, &order.after);
    Ok(())
}

/// The function that execution begins with, by its name.
pub(super) fn find_entry(program: &Program, name: &str) -> Result<FnId, Diagnostic> {
    let with_body = |linkage| {
        let mut found = program.functions.iter_enumerated();
        found.find(|(_, f)| f.name == name && f.linkage == linkage && f.body.is_some()).map(|(id, _)| id)
    };
    with_body(Linkage::External).or_else(|| with_body(Linkage::Internal)).ok_or_else(|| {
        let diagnostic =
            Diagnostic::error("tour::entry", format!("there is no function `{name}` to start with"));
        let declared = program.functions.iter().find(|f| f.name == name);
        match declared {
            Some(f) => diagnostic.label(f.span, "it is declared here, but has no body"),
            None => diagnostic,
        }
        .help("name the function where execution begins with --entry")
    })
}

/// An array of unknown length that no one completes has one element; other objects must be complete.
fn complete_objects(program: &mut Program) -> Result<(), Diagnostic> {
    for i in 0..program.globals.len() {
        let var = program.globals[i];
        let Var { ty, storage, .. } = program.vars[var];
        if matches!(storage, Storage::Global { defined: false }) {
            continue;
        }
        match program.types[ty.ty] {
            Type::Array(of, ArrayLen::Unknown) => program.vars[var].ty.ty = program.types.array(of, 1),
            Type::Record(id) if !program.types.records[id].complete => {
                let Var { name, span, .. } = &program.vars[var];
                let shown = program.show_type(ty.ty);
                return Err(Diagnostic::error("tour::semantics", format!("`{name}` has an incomplete type"))
                    .label(*span, format!("the members of `{shown}` are not known")));
            }
            _ => {}
        }
    }
    Ok(())
}

/// Calls and addresses of the first functions are those of the second, unless they have a body.
pub(super) fn follow_aliases(program: &mut Program, aliases: &[(FnId, FnId)]) {
    if aliases.is_empty() {
        return;
    }
    let mut target: IndexVec<FnId, FnId> = program.functions.indices().collect();
    for &(function, of) in aliases {
        if program.functions[function].body.is_none() {
            target[function] = of;
        }
    }
    for edge in &mut program.cfa.edges {
        if let Op::Call(Call { callee: Callee::Direct(f), .. }) = &mut edge.op {
            *f = target[*f];
        }
    }
    for expr in &mut program.exprs {
        if let ExprKind::FnAddr(f) = &mut expr.kind {
            *f = target[*f];
        }
    }
}

/// Variables that are others: every place of one is a place of the other.
fn follow_object_aliases(program: &mut Program, aliases: &[(VarId, VarId)]) {
    if aliases.is_empty() {
        return;
    }
    let mut target: IndexVec<VarId, VarId> = program.vars.indices().collect();
    for &(var, of) in aliases {
        if program.vars[var].init.is_none() {
            target[var] = of;
        }
    }
    for var in program.vars.indices() {
        // An alias of an alias; no longer than there are aliases, should they form a ring.
        for _ in 0..aliases.len() {
            target[var] = target[target[var]];
        }
        if target[var] != var {
            let taken = program.vars[var].address_taken;
            program.vars[target[var]].address_taken |= taken;
        }
    }
    for place in &mut program.places {
        if let PlaceKind::Var(var) = &mut place.kind {
            *var = target[*var];
        }
    }
    program.globals.retain(|var| target[*var] == *var);
}

fn uses_threads(program: &Program) -> bool {
    program.functions.iter().any(|f| f.builtin == Some(Builtin::ThreadCreate))
}

/// Variables that the linker defines: the ends of sections, and of the whole program.
fn linker_symbols(program: &Program) -> Vec<(Unsupported, Span)> {
    let is_linkers = |name: &str| {
        ["__start_", "__stop_"].iter().any(|prefix| name.starts_with(prefix))
            || matches!(
                name,
                "etext"
                    | "edata"
                    | "end"
                    | "_etext"
                    | "_edata"
                    | "_end"
                    | "__bss_start"
                    | "__executable_start"
                    | "__ehdr_start"
                    | "__dso_handle"
                    | "_DYNAMIC"
                    | "_GLOBAL_OFFSET_TABLE_"
                    | "data_start"
                    | "__data_start"
                    | "__init_array_start"
                    | "__init_array_end"
                    | "__fini_array_start"
                    | "__fini_array_end"
                    | "__preinit_array_start"
                    | "__preinit_array_end"
            )
    };
    let undefined = |var: &VarId| program.vars[*var].storage == Storage::Global { defined: false };
    let found = program.globals.iter().filter(|var| undefined(var) && is_linkers(&program.vars[**var].name));
    found
        .map(|var| {
            let Var { name, span, .. } = &program.vars[*var];
            let message = format!("`{name}` is defined by the linker, which is not modelled");
            (Unsupported { kind: "symbol", message }, *span)
        })
        .collect()
}

/// The functions whose address, and the variables whose value or address, some edge or initial value uses.
struct Used {
    exprs: IndexVec<ExprId, bool>,
    places: IndexVec<PlaceId, bool>,
    functions: IndexVec<FnId, Option<Span>>,
    vars: IndexVec<VarId, Option<Span>>,
}

enum Item {
    Expr(ExprId),
    Place(PlaceId),
}

impl Used {
    fn of(program: &Program) -> Used {
        let mut used = Used {
            exprs: index_vec::index_vec![false; program.exprs.len()],
            places: index_vec::index_vec![false; program.places.len()],
            functions: index_vec::index_vec![None; program.functions.len()],
            vars: index_vec::index_vec![None; program.vars.len()],
        };
        let mut stack = Vec::new();
        for edge in &program.cfa.edges {
            match &edge.op {
                Op::Nop | Op::Declare(_) | Op::Expire(_) | Op::Return(None) | Op::Unsupported(_) => {}
                Op::Assign(place, value) => stack.extend([Item::Place(*place), Item::Expr(*value)]),
                Op::Assume { cond, .. } => stack.push(Item::Expr(*cond)),
                Op::Return(Some(value)) => stack.push(Item::Expr(*value)),
                Op::Havoc(place, _) => stack.push(Item::Place(*place)),
                Op::Call(call) => {
                    if let Callee::Indirect(pointer) = call.callee {
                        stack.push(Item::Expr(pointer));
                    }
                    stack.extend(call.args.iter().map(|arg| Item::Expr(*arg)));
                    stack.extend(call.dest.map(Item::Place));
                }
            }
            used.walk(program, &mut stack);
        }
        for var in &program.globals {
            for item in program.vars[*var].init.iter().flat_map(|init| &init.items) {
                if let InitItem::Value { value, .. } = item {
                    stack.push(Item::Expr(*value));
                }
            }
            used.walk(program, &mut stack);
        }
        used
    }

    fn walk(&mut self, program: &Program, stack: &mut Vec<Item>) {
        while let Some(item) = stack.pop() {
            match item {
                Item::Expr(id) => {
                    if std::mem::replace(&mut self.exprs[id], true) {
                        continue;
                    }
                    let node = &program.exprs[id];
                    match node.kind {
                        ExprKind::Int(_) | ExprKind::Float(_) | ExprKind::Zeroed => {}
                        ExprKind::Load(place) | ExprKind::AddrOf(place) => stack.push(Item::Place(place)),
                        ExprKind::FnAddr(f) => self.functions[f] = self.functions[f].or(Some(node.span)),
                        ExprKind::Unary(_, a) | ExprKind::Cast(a) | ExprKind::Fact(_, a) => {
                            stack.push(Item::Expr(a));
                        }
                        ExprKind::Binary(_, a, b) => stack.extend([Item::Expr(a), Item::Expr(b)]),
                    }
                }
                Item::Place(id) => {
                    if std::mem::replace(&mut self.places[id], true) {
                        continue;
                    }
                    let node = &program.places[id];
                    match node.kind {
                        PlaceKind::Var(var) => self.vars[var] = self.vars[var].or(Some(node.span)),
                        PlaceKind::Deref(pointer) => stack.push(Item::Expr(pointer)),
                        PlaceKind::Field(base, _) => stack.push(Item::Place(base)),
                        PlaceKind::Index(base, index) => {
                            stack.extend([Item::Place(base), Item::Expr(index)]);
                        }
                    }
                }
            }
        }
    }
}

fn is_undefined(program: &Program, f: FnId) -> bool {
    program.functions[f].body.is_none() && program.functions[f].builtin.is_none()
}

fn no_body(name: &str) -> Unsupported {
    Unsupported { kind: "undefined-function", message: format!("`{name}` has no body") }
}

fn assume_undefined(program: &mut Program, f: FnId, span: Span) {
    let name = &program.functions[f].name;
    let text = format!("`{name}` has no body: it returns any value and has no other effect");
    if !program.assumptions.iter().any(|assumption| assumption.text == text) {
        program.assumptions.push(Assumption { text, span });
    }
}

/// The call passes a pointer to something that the function could keep or free. One that only reads takes pointers to
/// constants, and returns something.
fn may_keep(program: &Program, edge: EdgeId, f: FnId) -> bool {
    let Op::Call(call) = &program.cfa.edges[edge].op else { return false };
    let silent = matches!(program.types[program.functions[f].sig(&program.types).ret], Type::Void);
    call.args.iter().any(|arg| {
        let to = program.types.pointee(program.exprs[*arg].ty);
        to.is_some_and(|to| match program.types[to.ty] {
            Type::Function(_) => false,
            Type::Void if silent => true,
            _ => !to.quals.constant,
        })
    })
}

/// What a call of a function without a body is taken for.
enum Meaning {
    /// It has a body now.
    Call,
    /// Any value, by assumption.
    Any,
    /// The run ends.
    End,
    Unsupported(Unsupported),
}

fn meaning(program: &mut Program, f: FnId, policy: UndefinedPolicy) -> Meaning {
    match (library::class(program, f), policy) {
        (Class::Tabled(row), _) => {
            library::build(program, f, row);
            Meaning::Call
        }
        (Class::Unsupported(what), _) => Meaning::Unsupported(what),
        (Class::Own, _) if program.functions[f].noreturn => Meaning::End,
        (Class::Own, UndefinedPolicy::Unknown) => Meaning::Unsupported(no_body(&program.functions[f].name)),
        (Class::Own, UndefinedPolicy::Nondet) => Meaning::Any,
    }
}

/// Calls of functions without a body.
fn replace_undefined(program: &mut Program, policy: UndefinedPolicy) {
    for index in 0..program.cfa.edges.len() {
        let edge = EdgeId::new(index);
        let Op::Call(Call { callee: Callee::Direct(f), dest, .. }) = program.cfa.edges[edge].op else {
            continue;
        };
        if !is_undefined(program, f) {
            continue;
        }
        let meaning = meaning(program, f, policy);
        if !matches!(meaning, Meaning::Call) {
            tour_ir::program::evaluate_arguments(program, edge);
        }
        program.cfa.edges[edge].op = match meaning {
            Meaning::Call => continue,
            Meaning::Unsupported(what) => Op::Unsupported(Box::new(what)),
            Meaning::End => {
                let function = program.cfa.locs[program.cfa.edges[edge].from].function;
                let end = program.cfa.add_loc(function, LocKind::End);
                program.cfa.redirect(edge, end);
                Op::Nop
            }
            Meaning::Any => {
                if may_keep(program, edge, f) {
                    program.entrusted.push((edge, f));
                }
                assume_undefined(program, f, program.cfa.edges[edge].span);
                match dest {
                    Some(dest) => Op::Havoc(dest, HavocOrigin::Undefined(f)),
                    None => Op::Nop,
                }
            }
        };
    }
}

/// Functions without a body that a pointer may point to get one that does the same.
fn give_bodies(program: &mut Program, policy: UndefinedPolicy, used: &Used) {
    for f in program.functions.indices() {
        let Some(used_at) = used.functions.get(f).copied().flatten().filter(|_| is_undefined(program, f))
        else {
            continue;
        };
        let meaning = meaning(program, f, policy);
        if let Meaning::Call = meaning {
            continue;
        }
        let span = program.functions[f].span;
        let Body { entry, exit } = program.add_body(f);
        match (meaning, program.functions[f].ret) {
            (Meaning::Call | Meaning::End, _) => {
                let end = program.cfa.add_loc(f, LocKind::End);
                program.cfa.add_edge(entry, end, Op::Nop, span);
            }
            (Meaning::Unsupported(what), _) => {
                let after = program.cfa.add_loc(f, LocKind::Plain);
                program.cfa.add_edge(entry, after, Op::Unsupported(Box::new(what)), span);
            }
            (Meaning::Any, None) => {
                assume_undefined(program, f, used_at);
                program.cfa.add_edge(entry, exit, Op::Return(None), span);
            }
            (Meaning::Any, Some(ret)) => {
                assume_undefined(program, f, used_at);
                let after = program.cfa.add_loc(f, LocKind::Plain);
                let any = program.add_temp(f, "$1", program.vars[ret].ty.ty, span);
                let place = program.var_place(any, span);
                program.cfa.add_edge(entry, after, Op::Havoc(place, HavocOrigin::Undefined(f)), span);
                let value = program.load(place, span);
                program.cfa.add_edge(after, exit, Op::Return(Some(value)), span);
            }
        }
    }
}

/// Variables that no unit defines.
fn assume_objects(program: &mut Program, used: &Used) {
    for &var in &program.globals {
        let Var { name, storage, .. } = &program.vars[var];
        let Some(span) = used.vars.get(var).copied().flatten() else { continue };
        if let Storage::Global { defined: false } = storage {
            let text = format!("`{name}` is declared but defined nowhere: it holds any value at the start");
            program.assumptions.push(Assumption { text, span });
        }
    }
}

/// Puts constructors, and what could not be lowered at file scope, before the entry.
fn put_first(program: &mut Program, unsupported: Vec<(Unsupported, Span)>, before: &[FnId], after: &[FnId]) {
    let f = program.entry;
    let Some(body) = program.functions[f].body else { return };
    let span = program.functions[f].span;
    let mut first: Vec<(Op, Span)> =
        unsupported.into_iter().map(|(what, span)| (Op::Unsupported(Box::new(what)), span)).collect();
    for &constructor in before {
        let at = program.functions[constructor].span;
        let op = Op::Call(Call { callee: Callee::Direct(constructor), args: Vec::new(), dest: None });
        first.push((op, at));
    }
    if first.is_empty() && after.is_empty() {
        return;
    }
    let called = program.cfa.edges.iter().any(
        |edge| matches!(&edge.op, Op::Call(Call { callee: Callee::Direct(callee), .. }) if *callee == f),
    );
    if called {
        // It would run them again.
        let message = "the entry is called by the program, and something has to run beside it".into();
        first.insert(0, (Op::Unsupported(Box::new(Unsupported { kind: "constructor", message })), span));
    }
    let Some(last) = first.len().checked_sub(1) else { return };
    program.cfa.locs[body.entry].kind = LocKind::Plain;
    let entry = program.cfa.add_loc(f, LocKind::Entry);
    let mut at = entry;
    for (i, (op, span)) in first.into_iter().enumerate() {
        let to = if i == last { body.entry } else { program.cfa.add_loc(f, LocKind::Plain) };
        program.cfa.add_edge(at, to, op, span);
        at = to;
    }
    program.functions[f].body = Some(Body { entry, ..body });
}
