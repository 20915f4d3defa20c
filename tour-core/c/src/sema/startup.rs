//! What runs before and after the entry: `constructor` and `destructor` functions, and pointers in the sections of the
//! loader.
//!
//! `.preinit_array` comes first, then `.init_array` by ascending priority; after the entry `.fini_array`, by descending
//! priority and backwards. Functions of one unit and priority run in the order of their definitions. How they mix with
//! pointers that a program puts there itself is up to the compiler, so both at one priority are not modelled.

use super::attributes::{Attrs, LAST_PRIORITY};
use super::{Lower, Sema};
use tour_ir::cfa::{EdgeId, LocKind};
use tour_ir::program::{
    Body, Call, Callee, ExprKind, FnId, Function, InitItem, Op, Program, Type, TypeId, Unsupported, VarId,
};
use tour_ir::source::Span;

/// Before or after the entry.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum When {
    /// Before everything else.
    First,
    /// Before the entry.
    Before,
    /// After the entry.
    After,
}

/// Something that runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum What {
    Function(FnId),
    /// What a variable points to at the start.
    Pointer(VarId),
}

/// All that runs beside the entry, as it was declared.
#[derive(Debug, Default)]
pub(super) struct Startup {
    entries: Vec<(When, u16, What, Span)>,
    /// Functions in the order of their definitions.
    definitions: Vec<FnId>,
}

/// What runs beside the entry, in order.
#[derive(Debug, Default)]
pub(super) struct Order {
    /// Before it.
    pub(super) before: Vec<FnId>,
    /// After it.
    pub(super) after: Vec<FnId>,
    /// What is not modelled of it.
    pub(super) unsupported: Vec<(Unsupported, Span)>,
}

impl Startup {
    /// A function gets its body.
    pub(super) fn define(&mut self, function: FnId) {
        self.definitions.push(function);
    }

    fn add(&mut self, when: When, priority: u16, what: What, span: Span) {
        let known = |entry: &(When, u16, What, Span)| (entry.0, entry.2) == (when, what);
        match self.entries.iter_mut().find(|entry| known(entry)) {
            // The last declaration counts.
            Some(entry) => entry.1 = priority,
            None => self.entries.push((when, priority, what, span)),
        }
    }

    /// Puts everything into the order in which it runs.
    pub(super) fn order(&self, program: &Program) -> Order {
        let mut order = Order::default();
        let mut found = Vec::new();
        for &(when, priority, what, span) in &self.entries {
            match function_of(program, what) {
                Ok(function) => {
                    let position = self.definitions.iter().position(|f| *f == function);
                    found.push((when, priority, position, matches!(what, What::Pointer(_)), function, span));
                }
                Err(None) => {}
                Err(Some(message)) => order.unsupported.push((unsupported(message), span)),
            }
        }
        found.sort_by_key(|entry| (entry.0, entry.1, entry.2));
        for pair in found.windows(2) {
            let [a, b] = pair else { continue };
            if (a.0, a.1) == (b.0, b.1) && (a.3 || b.3) {
                let message = "the order of functions that run beside the entry is the compiler's choice";
                order.unsupported.push((unsupported(message), b.5));
            }
        }
        for (when, .., function, _) in found {
            match when {
                When::First | When::Before => order.before.push(function),
                When::After => order.after.insert(0, function),
            }
        }
        order
    }
}

fn unsupported(message: &str) -> Unsupported {
    Unsupported { kind: "startup", message: message.to_owned() }
}

/// The function that runs. `Err(None)` if it has no body: then nothing is in the section.
fn function_of(program: &Program, what: What) -> Result<FnId, Option<&'static str>> {
    let function = match what {
        What::Function(function) => function,
        What::Pointer(var) => {
            let items = program.vars[var].init.as_ref().map(|init| &init.items[..]);
            let Some([InitItem::Value { value, .. }]) = items else {
                return Err(Some("this section of the loader has something that is not one pointer"));
            };
            let mut value = *value;
            while let ExprKind::Cast(inner) = program.exprs[value].kind {
                value = inner;
            }
            match program.exprs[value].kind {
                ExprKind::FnAddr(function) => function,
                _ => return Err(Some("this section of the loader has something that is no function")),
            }
        }
    };
    let node = &program.functions[function];
    if node.body.is_none() {
        return Err(matches!(what, What::Pointer(_)).then_some("this function has no body"));
    }
    if !node.params.is_empty() {
        return Err(Some("a function with parameters that runs beside the entry is not modelled"));
    }
    Ok(function)
}

/// What runs when the program ends, as one function.
pub(super) const AT_END: &str = "__tour_at_end";

/// Runs functions after the entry: where it returns, and where [`Sema::run_end`] put a call.
pub(super) fn put_last(program: &mut Program, after: &[FnId]) {
    let end = program.function(AT_END);
    if after.is_empty() && end.is_none() {
        return;
    }
    let span = program.functions[program.entry].span;
    let end = end.unwrap_or_else(|| {
        let ty = end_type(program);
        program.functions.push(Function::new(AT_END, ty, span))
    });
    let entry = program.cfa.add_loc(end, LocKind::Entry);
    let mut at = entry;
    for &callee in after {
        let to = program.cfa.add_loc(end, LocKind::Plain);
        let span = program.functions[callee].span;
        program.cfa.add_edge(at, to, call(callee), span);
        at = to;
    }
    let exit = program.cfa.add_loc(end, LocKind::Exit);
    program.cfa.add_edge(at, exit, Op::Return(None), span);
    program.functions[end].body = Some(Body { entry, exit });
    for index in 0..program.cfa.edges.len() {
        let edge = EdgeId::new(index);
        let function = program.cfa.locs[program.cfa.edges[edge].from].function;
        if function == program.entry && matches!(program.cfa.edges[edge].op, Op::Return(_)) {
            end_before(program, edge, end);
        }
    }
}

/// Calls the end before a `return`, whose value is computed first.
fn end_before(program: &mut Program, edge: EdgeId, end: FnId) {
    let (entry, span, exit) = (program.entry, program.cfa.edges[edge].span, program.cfa.edges[edge].to);
    let [computed, ended] = [(); 2].map(|()| program.cfa.add_loc(entry, LocKind::Plain));
    let Op::Return(value) = program.cfa.edges[edge].op else { return };
    let saved = value.map(|value| {
        let var = program.add_temp(entry, "$returned", program.exprs[value].ty, span);
        (program.var_place(var, span), value)
    });
    program.cfa.edges[edge].op = saved.map_or(Op::Nop, |(place, value)| Op::Assign(place, value));
    program.cfa.redirect(edge, computed);
    program.cfa.add_edge(computed, ended, call(end), span);
    let value = saved.map(|(place, _)| program.load(place, span));
    program.cfa.add_edge(ended, exit, Op::Return(value), span);
}

fn call(function: FnId) -> Op {
    Op::Call(Call { callee: Callee::Direct(function), args: Vec::new(), dest: None })
}

fn end_type(program: &mut Program) -> TypeId {
    let ret = program.types.void();
    program.types.function(ret, Vec::new())
}

impl Sema<'_> {
    /// `exit` runs what has to run after the entry.
    pub(super) fn run_end(&mut self, span: Span) -> Lower<()> {
        if !self.shared.linkage.has_end {
            return Ok(());
        }
        let ty = end_type(self.program);
        let end = self.external_function(AT_END, ty, span);
        self.emit(call(end), span)
    }

    /// Notes what the attributes of a function say about when it runs, and where it lies.
    pub(super) fn function_runs(&mut self, function: FnId, attrs: &Attrs, span: Span) {
        let what = What::Function(function);
        let startup = &mut self.shared.symbols.startup;
        if let Some(priority) = attrs.constructor {
            startup.add(When::Before, priority, what, span);
        }
        if let Some(priority) = attrs.destructor {
            startup.add(When::After, priority, what, span);
        }
        // Code in sections that the loader runs through, or that can't be executed.
        let data =
            |name: &str| [".data", ".rodata", ".bss", ".tdata", ".tbss"].iter().any(|s| name.starts_with(s));
        if let Some(name) =
            attrs.section.as_deref().filter(|name| matches!(*name, ".init" | ".fini") || data(name))
        {
            let what = unsupported(&format!("a function in the section `{name}` is not modelled"));
            self.shared.at_start.push((what, span));
        }
    }

    /// Notes what the section of a variable means.
    pub(super) fn object_in_section(&mut self, var: VarId, attrs: &Attrs, span: Span) -> Lower<()> {
        let Some(name) = attrs.section.as_deref() else { return Ok(()) };
        let array = |prefix: &str| {
            let rest = name.strip_prefix(prefix)?;
            match rest.strip_prefix('.') {
                Some(priority) => priority.parse::<u16>().ok(),
                None => rest.is_empty().then_some(LAST_PRIORITY),
            }
        };
        let pointer = matches!(self.program.types[self.program.vars[var].ty.ty], Type::Pointer(_));
        let when = if let Some(priority) = array(".init_array") {
            Some((When::Before, priority))
        } else if let Some(priority) = array(".fini_array") {
            Some((When::After, priority))
        } else if name == ".preinit_array" {
            Some((When::First, 0))
        } else {
            None
        };
        match when {
            Some((when, priority)) if pointer => {
                self.shared.symbols.startup.add(when, priority, What::Pointer(var), span);
            }
            None if !is_special(name, self.program.vars[var].is_constant(&self.program.types)) => {}
            _ => {
                let what = unsupported(&format!("a variable in the section `{name}` is not modelled"));
                self.shared.at_start.push((what, span));
            }
        }
        Ok(())
    }
}

/// The section is not plain memory: read by the loader, read-only, or one of each thread.
fn is_special(name: &str, constant: bool) -> bool {
    let starts = |prefixes: &[&str]| prefixes.iter().any(|prefix| name.starts_with(prefix));
    starts(&[".init_array", ".fini_array", ".preinit", ".ctors", ".dtors", ".tdata", ".tbss"])
        || matches!(name, ".init" | ".fini")
        || !constant && starts(&[".rodata", ".text"])
}
