//! Reads of variables that were never written: a shadow of each variable that may be remembers whether it was.
//!
//! This is exact for scalar locals whose address is never taken. A variable that every path writes before it reads it
//! has no shadow.

use super::weave::{add_temp, delay, interrupt};
use crate::cfa::{Cfa, EdgeId, LocId};
use crate::program::{
    Callee, ExprId, ExprKind, FnId, IntKind, Op, PlaceId, PlaceKind, Program, Rule, Storage, VarId,
};
use rustc_hash::FxHashMap;

/// The shadows of variables.
pub(super) struct Shadows {
    shadows: FxHashMap<VarId, VarId>,
}

impl Shadows {
    /// Shadows for the variables of these functions that may be read before they are written.
    pub fn new(program: &mut Program, rules: &[Rule], functions: &[FnId]) -> Shadows {
        let mut shadows = FxHashMap::default();
        if rules.contains(&Rule::UninitialisedRead) {
            for &function in functions {
                for var in maybe_unset(program, function) {
                    let (name, span) = (format!("{}#set", program.vars[var].name), program.vars[var].span);
                    let int = program.types.int(IntKind::Int);
                    shadows.insert(var, add_temp(program, function, &name, int, span));
                }
            }
        }
        Shadows { shadows }
    }

    /// The shadow of a variable.
    pub fn of(&self, var: VarId) -> Option<VarId> {
        self.shadows.get(&var).copied()
    }

    /// Lets the automata keep the shadows.
    pub fn remember(&self, program: &mut Program, functions: &[FnId]) {
        if self.shadows.is_empty() {
            return;
        }
        for index in 0..program.cfa.edges.len() {
            let edge = EdgeId::new(index);
            let Some((var, set)) = change(program, &program.cfa.edges[edge].op) else { continue };
            if let Some(shadow) = self.of(var) {
                let (from, to) = interrupt(program, edge);
                let span = program.cfa.edges[edge].span;
                let op = assign(program, shadow, set, span);
                program.cfa.add_edge(from, to, op, span);
            }
        }
        for &function in functions {
            let Some(body) = program.functions[function].body else { continue };
            let locals = program.functions[function].locals.clone();
            // A jump can lead past a declaration.
            for shadow in locals.into_iter().filter_map(|var| self.of(var)) {
                let rest = delay(program, body.entry);
                let span = program.functions[function].span;
                let op = assign(program, shadow, false, span);
                program.cfa.add_edge(body.entry, rest, op, span);
            }
        }
    }
}

fn assign(program: &mut Program, shadow: VarId, set: bool, span: crate::source::Span) -> Op {
    let int = program.types.int(IntKind::Int);
    let value = program.int(set.into(), int, span);
    Op::Assign(program.var_place(shadow, span), value)
}

/// The variable whose value an operation sets, or makes indeterminate.
fn change(program: &Program, op: &Op) -> Option<(VarId, bool)> {
    let place = match op {
        Op::Declare(var) => return Some((*var, false)),
        Op::Assign(place, _) | Op::Havoc(place, _) => *place,
        Op::Call(call) => call.dest?,
        Op::Nop | Op::Expire(_) | Op::Assume { .. } | Op::Return(_) | Op::Unsupported(_) => return None,
    };
    match program.places[place].kind {
        PlaceKind::Var(var) => Some((var, true)),
        _ => None,
    }
}

/// The variables of a function that some path reads before it writes them.
fn maybe_unset(program: &Program, function: FnId) -> Vec<VarId> {
    let Some(body) = program.functions[function].body else { return Vec::new() };
    let candidates: Vec<VarId> = program.functions[function]
        .locals
        .iter()
        .copied()
        .filter(|&var| {
            let var = &program.vars[var];
            matches!(var.storage, Storage::Local(_))
                && !var.address_taken
                && program.types.is_scalar(var.ty.ty)
        })
        .collect();
    if candidates.is_empty() {
        return Vec::new();
    }
    let index: FxHashMap<VarId, usize> = candidates.iter().enumerate().map(|(i, &var)| (var, i)).collect();
    let unset = Flow { program, index: &index, words: candidates.len().div_ceil(64) }.solve(body.entry);
    let mut wanted = vec![false; candidates.len()];
    for (&loc, bits) in &unset {
        for (_, edge) in program.cfa.successors(loc) {
            reads(program, &edge.op, &mut |var| {
                if let Some(&i) = index.get(&var)
                    && bits[i / 64] >> (i % 64) & 1 == 1
                {
                    wanted[i] = true;
                }
            });
        }
    }
    candidates.into_iter().zip(wanted).filter(|(_, wanted)| *wanted).map(|(var, _)| var).collect()
}

/// Which variables may be unset where.
struct Flow<'a> {
    program: &'a Program,
    index: &'a FxHashMap<VarId, usize>,
    words: usize,
}

impl Flow<'_> {
    fn solve(&self, entry: LocId) -> FxHashMap<LocId, Vec<u64>> {
        let cfa: &Cfa = &self.program.cfa;
        let mut unset: FxHashMap<LocId, Vec<u64>> = FxHashMap::default();
        unset.insert(entry, vec![u64::MAX; self.words]);
        let mut todo = vec![entry];
        while let Some(loc) = todo.pop() {
            for (_, edge) in cfa.successors(loc) {
                let mut bits = unset[&loc].clone();
                if let Some((var, set)) = change(self.program, &edge.op)
                    && let Some(&i) = self.index.get(&var)
                {
                    if set {
                        bits[i / 64] &= !(1 << (i % 64));
                    } else {
                        bits[i / 64] |= 1 << (i % 64);
                    }
                }
                let changed = match unset.get_mut(&edge.to) {
                    None => {
                        unset.insert(edge.to, bits);
                        true
                    }
                    Some(old) => {
                        let mut changed = false;
                        for (old, new) in old.iter_mut().zip(bits) {
                            changed |= *old | new != *old;
                            *old |= new;
                        }
                        changed
                    }
                };
                if changed {
                    todo.push(edge.to);
                }
            }
        }
        unset
    }
}

/// The variables that an operation reads whole.
fn reads(program: &Program, op: &Op, see: &mut dyn FnMut(VarId)) {
    match op {
        Op::Nop | Op::Declare(_) | Op::Expire(_) | Op::Return(None) | Op::Unsupported(_) => {}
        Op::Assign(place, value) => {
            read_expr(program, *value, see);
            read_place(program, *place, see);
        }
        Op::Assume { cond, .. } => read_expr(program, *cond, see),
        Op::Return(Some(value)) => read_expr(program, *value, see),
        Op::Havoc(place, _) => read_place(program, *place, see),
        Op::Call(call) => {
            if let Callee::Indirect(pointer) = call.callee {
                read_expr(program, pointer, see);
            }
            for &arg in &call.args {
                read_expr(program, arg, see);
            }
            if let Some(dest) = call.dest {
                read_place(program, dest, see);
            }
        }
    }
}

fn read_expr(program: &Program, expr: ExprId, see: &mut dyn FnMut(VarId)) {
    match program.exprs[expr].kind {
        ExprKind::Int(_) | ExprKind::Float(_) | ExprKind::Zeroed | ExprKind::FnAddr(_) => {}
        ExprKind::Load(place) => {
            if let PlaceKind::Var(var) = program.places[place].kind {
                see(var);
            }
            read_place(program, place, see);
        }
        ExprKind::AddrOf(place) => read_place(program, place, see),
        ExprKind::Unary(_, a) | ExprKind::Cast(a) | ExprKind::Fact(_, a) => read_expr(program, a, see),
        ExprKind::Binary(_, a, b) => {
            read_expr(program, a, see);
            read_expr(program, b, see);
        }
    }
}

/// The pointers and indices of a place.
fn read_place(program: &Program, place: PlaceId, see: &mut dyn FnMut(VarId)) {
    match program.places[place].kind {
        PlaceKind::Var(_) => {}
        PlaceKind::Deref(pointer) => read_expr(program, pointer, see),
        PlaceKind::Field(base, _) => read_place(program, base, see),
        PlaceKind::Index(base, index) => {
            read_place(program, base, see);
            read_expr(program, index, see);
        }
    }
}
