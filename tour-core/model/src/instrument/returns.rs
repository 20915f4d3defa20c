//! Results that were never returned: a function that is to give a value gets to its end, and its caller uses the value.
//!
//! Each function that may get to its end has a shadow, which tells whether its last call did. It is asked after each
//! call whose result goes somewhere. Of a call through a pointer it is not known which of the functions returned last.

use super::weave::{add_check, interrupt, unsupported};
use rustc_hash::{FxHashMap, FxHashSet};
use tour_ir::cfa::{CallGraph, EdgeId, LocKind, Targets};
use tour_ir::program::{
    BinOp, Callee, ExprKind, FnId, HavocOrigin, IntKind, Op, PlaceKind, Program, Rule, VarId,
};
use tour_ir::source::Span;

/// Checks the results of calls.
pub(super) fn watch(program: &mut Program, rules: &[Rule], reached: &[FnId]) {
    // Such a result is one that was never set, too.
    let watched = [Rule::MissingReturn, Rule::UninitialisedRead];
    let Some(rule) = watched.into_iter().find(|rule| rules.contains(rule)) else { return };
    let unset = indeterminate(program);
    let mut ends: Vec<(FnId, EdgeId, bool)> = Vec::new();
    for (id, edge) in program.cfa.edges.iter_enumerated() {
        let function = program.cfa.locs[edge.from].function;
        if let Op::Return(Some(value)) = edge.op
            && reached.binary_search(&function).is_ok()
        {
            let missing = match program.exprs[value].kind {
                ExprKind::Load(place) => match program.places[place].kind {
                    PlaceKind::Var(var) => unset.contains(&var),
                    _ => false,
                },
                _ => false,
            };
            ends.push((function, id, missing));
        }
    }
    let falling: FxHashSet<FnId> =
        ends.iter().filter(|(_, _, missing)| *missing).map(|(f, _, _)| *f).collect();
    if falling.is_empty() {
        return;
    }
    let calls = calls(program, &falling);
    let mut shadows: FxHashMap<FnId, VarId> = FxHashMap::default();
    for (function, edge, missing) in ends {
        if falling.contains(&function) {
            let shadow = *shadows.entry(function).or_insert_with(|| add_shadow(program, function));
            set_before(program, edge, shadow, missing);
        }
    }
    for (edge, functions, direct) in calls {
        let (mut at, end) = interrupt(program, edge);
        let span = program.cfa.edges[edge].span;
        let caller = program.cfa.locs[at].function;
        for f in functions {
            let Some(&shadow) = shadows.get(&f) else { continue };
            let set = program.load_var(shadow, span);
            let int = program.types.int(IntKind::Int);
            let zero = program.int(0, int, span);
            let cond = program.binary(BinOp::Ne, set, zero, int, span);
            let [yes, no] = [(); 2].map(|()| program.cfa.add_loc(caller, LocKind::Plain));
            program.cfa.add_edge(at, yes, Op::Assume { cond, truth: true }, span);
            program.cfa.add_edge(at, no, Op::Assume { cond, truth: false }, span);
            let name = &program.functions[f].name;
            let message = format!("the result of `{name}` is used, which ended without `return`");
            if direct {
                let error = add_check(program, caller, rule, message, span);
                program.cfa.add_edge(yes, error, Op::Nop, span);
            } else {
                unsupported(program, (yes, no), message, span);
            }
            at = no;
        }
        program.cfa.add_edge(at, end, Op::Nop, span);
    }
}

/// Temporaries that stand for the value of a function that has none.
fn indeterminate(program: &Program) -> FxHashSet<VarId> {
    let ops = program.cfa.edges.iter().filter_map(|edge| match edge.op {
        Op::Havoc(place, HavocOrigin::Indeterminate) => Some(place),
        _ => None,
    });
    ops.filter_map(|place| match program.places[place].kind {
        PlaceKind::Var(var) => Some(var),
        _ => None,
    })
    .collect()
}

/// Calls whose result goes somewhere and may be one of these functions'; `true` if it is just that one.
fn calls(program: &Program, falling: &FxHashSet<FnId>) -> Vec<(EdgeId, Vec<FnId>, bool)> {
    let graph = CallGraph::of(program);
    let mut found = Vec::new();
    for (id, edge) in program.cfa.edges.iter_enumerated() {
        let Op::Call(call) = &edge.op else { continue };
        if call.dest.is_none() {
            continue;
        }
        match (call.callee, graph.targets(program, call)) {
            (Callee::Direct(f), _) if falling.contains(&f) => found.push((id, vec![f], true)),
            (Callee::Indirect(_), Targets::Indirect(_, targets)) => {
                let mut some: Vec<FnId> = targets.iter().copied().filter(|f| falling.contains(f)).collect();
                some.sort_unstable();
                if !some.is_empty() {
                    found.push((id, some, false));
                }
            }
            _ => {}
        }
    }
    found
}

/// A variable of each thread that tells whether the last call of a function came to its end.
fn add_shadow(program: &mut Program, function: FnId) -> VarId {
    let (name, span) = (program.functions[function].name.clone(), program.functions[function].span);
    let ty = program.types.int(IntKind::Int);
    let var = program.add_static(format!("{name}#ended"), ty, span);
    program.vars[var].thread_local = true;
    var
}

/// Sets a shadow just before an edge.
fn set_before(program: &mut Program, edge: EdgeId, shadow: VarId, value: bool) {
    let span: Span = program.cfa.edges[edge].span;
    let from = program.cfa.edges[edge].from;
    let function = program.cfa.locs[from].function;
    let next = program.cfa.add_loc(function, LocKind::Plain);
    program.cfa.locs[from].out.retain(|other| *other != edge);
    program.cfa.edges[edge].from = next;
    program.cfa.locs[next].out.push(edge);
    let int = program.types.int(IntKind::Int);
    let value = program.int(value.into(), int, span);
    let place = program.var_place(shadow, span);
    program.cfa.add_edge(from, next, Op::Assign(place, value), span);
}
