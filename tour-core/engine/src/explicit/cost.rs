//! How much it costs to track a variable: how many states that may make.
//!
//! The domain types of "Sliced path prefixes": a variable that only gets constants has as many values as there are; one
//! that is computed from itself counts, and has as many as its loop has rounds.

use crate::context::Engine;
use rustc_hash::{FxHashMap, FxHashSet};
use tour_ir::program::{Callee, ExprId, ExprKind, Op, PlaceKind, Program, VarId};
use tour_logic::term::BaseId;

/// What a variable is like, the cheapest first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Cost {
    /// It gets constants and nothing else, perhaps from other such variables.
    Choice,
    /// It gets other values.
    Number,
    /// It is a pointer, or lies in memory.
    Memory,
    /// It is computed from itself.
    Counter,
}

impl Cost {
    /// One of these outweighs a few of the cheaper ones.
    pub fn weight(self) -> u64 {
        match self {
            Cost::Choice => 1,
            Cost::Number => 8,
            Cost::Memory => 8,
            Cost::Counter => 64,
        }
    }
}

/// The costs of variables.
pub struct Costs {
    of: FxHashMap<VarId, Cost>,
}

impl Costs {
    /// Of the variables of a program.
    pub fn of(program: &Program) -> Costs {
        let mut from: FxHashMap<VarId, Vec<VarId>> = FxHashMap::default();
        let mut computed: FxHashSet<VarId> = FxHashSet::default();
        let mut counters: FxHashSet<VarId> = FxHashSet::default();
        let mut assign = |var: VarId, value: ExprId| match program.exprs[value].kind {
            _ if program.const_value(value).is_some() => {}
            _ => match copied(program, value) {
                Some(other) => from.entry(other).or_default().push(var),
                // A truth value is a choice.
                None if is_truth(program, value) => {}
                None => {
                    computed.insert(var);
                    if mentions(program, value, var) {
                        counters.insert(var);
                    }
                }
            },
        };
        for edge in &program.cfa.edges {
            match &edge.op {
                Op::Assign(place, value) => {
                    if let PlaceKind::Var(var) = program.places[*place].kind {
                        assign(var, *value);
                    }
                }
                Op::Return(Some(value)) => {
                    let function = program.cfa.locs[edge.from].function;
                    if let Some(ret) = program.functions[function].ret {
                        assign(ret, *value);
                    }
                }
                Op::Call(call) => {
                    let Callee::Direct(f) = call.callee else { continue };
                    for (&param, &arg) in program.functions[f].params.iter().zip(&call.args) {
                        assign(param, arg);
                    }
                }
                _ => {}
            }
        }
        for edge in &program.cfa.edges {
            let dest = match &edge.op {
                Op::Call(call) => call.dest.map(|dest| (dest, call.callee)),
                _ => None,
            };
            if let Some((dest, callee)) = dest
                && let PlaceKind::Var(var) = program.places[dest].kind
            {
                match callee {
                    Callee::Direct(f) => match program.functions[f].ret {
                        Some(ret) => from.entry(ret).or_default().push(var),
                        None => _ = computed.insert(var),
                    },
                    Callee::Indirect(_) => _ = computed.insert(var),
                }
            }
        }
        let mut of = FxHashMap::default();
        for (seeds, cost) in [(counters, Cost::Counter), (computed, Cost::Number)] {
            // In any order: it is a closure.
            let mut work: Vec<VarId> = seeds.into_iter().collect();
            while let Some(var) = work.pop() {
                if let std::collections::hash_map::Entry::Vacant(entry) = of.entry(var) {
                    entry.insert(cost);
                    work.extend(from.get(&var).into_iter().flatten());
                }
            }
        }
        Costs { of }
    }

    /// Of a variable of the formulas.
    pub fn cost(&self, engine: &Engine, base: BaseId) -> Cost {
        match engine.blocks.encoder.scalar(base) {
            Some(var) => self.of.get(&var).copied().unwrap_or(Cost::Choice),
            None => Cost::Memory,
        }
    }
}

/// The variable whose value an expression is, conversions apart.
fn copied(program: &Program, mut value: ExprId) -> Option<VarId> {
    loop {
        match program.exprs[value].kind {
            ExprKind::Cast(inner) => value = inner,
            ExprKind::Load(place) => {
                return match program.places[place].kind {
                    PlaceKind::Var(var) => Some(var),
                    _ => None,
                };
            }
            _ => return None,
        }
    }
}

fn is_truth(program: &Program, mut value: ExprId) -> bool {
    while let ExprKind::Cast(inner) = program.exprs[value].kind {
        value = inner;
    }
    matches!(program.exprs[value].kind, ExprKind::Binary(op, ..) if op.is_comparison())
}

/// Expressions are at most as deep as the stack allows for.
fn mentions(program: &Program, value: ExprId, var: VarId) -> bool {
    match program.exprs[value].kind {
        ExprKind::Load(place) => program.root(place) == Some(var),
        ExprKind::Unary(_, a) | ExprKind::Cast(a) | ExprKind::Fact(_, a) => mentions(program, a, var),
        ExprKind::Binary(_, a, b) => mentions(program, a, var) || mentions(program, b, var),
        ExprKind::Int(_)
        | ExprKind::Float(_)
        | ExprKind::Zeroed
        | ExprKind::AddrOf(_)
        | ExprKind::FnAddr(_) => false,
    }
}
