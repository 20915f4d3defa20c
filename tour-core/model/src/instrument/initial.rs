//! Reads of what was never written.
//!
//! A shadow of each scalar local whose address is never taken remembers whether the variable was written; one that every
//! path writes before it reads it has no shadow. Of arrays, records and memory a check asks whether what is read was
//! written ([`PointerFact::Written`]): the interpreter and the formulas keep marks for each scalar, or for each bit where
//! scalars overlap. A program without anything that begins unset gets no such checks.
//!
//! To copy a record, an array, or a byte from memory to memory reads nothing in this sense: what was not written of it
//! was not written in the copy either.

use super::weave::{delay, interrupt};
use crate::regions::{Regions, set_at_once};
use rustc_hash::{FxHashMap, FxHashSet};
use tour_ir::cfa::{Cfa, EdgeId, LocId};
use tour_ir::program::{
    Builtin, Callee, ExprId, ExprKind, FnId, IntKind, Op, PlaceId, PlaceKind, PointerFact, Program, Rule,
    Storage, VarId,
};

/// The shadows of variables.
pub(super) struct Shadows {
    shadows: FxHashMap<VarId, VarId>,
    /// Variables that are set as wholes when they are declared, and that nothing is copied into.
    always_set: FxHashSet<VarId>,
    /// Variables that something is copied into as it is.
    copied_into: FxHashSet<VarId>,
    /// Something is copied to where a pointer points.
    spreads: bool,
}

impl Shadows {
    /// Shadows for the variables of these functions that may be read before they are written.
    pub fn new(program: &mut Program, rules: &[Rule], functions: &[FnId]) -> Shadows {
        let mut shadows = FxHashMap::default();
        let (mut always_set, mut copied_into) = (FxHashSet::default(), FxHashSet::default());
        let mut spreads = false;
        // A number that was not set is any one; a `_Bool` may be none.
        let all = rules.contains(&Rule::UninitialisedRead);
        for &function in functions {
            for var in maybe_unset(program, function, all) {
                let (name, span) = (format!("{}#set", program.vars[var].name), program.vars[var].span);
                let int = program.types.int(IntKind::Int);
                shadows.insert(var, program.add_temp(function, name, int, span));
            }
        }
        if all {
            always_set = set_at_once(program);
            program.asks_what_is_written = begins_unset(program, functions, &always_set);
            for to in copies(program) {
                match to {
                    Some(var) => _ = copied_into.insert(var),
                    None => spreads = true,
                }
            }
            always_set.retain(|var| !copied_into.contains(var));
        }
        Shadows { shadows, always_set, copied_into, spreads }
    }

    /// Whether a scalar that is read was written must be asked.
    pub fn must_ask(&self, program: &Program, place: PlaceId) -> bool {
        program.asks_what_is_written
            && program.types.is_scalar(program.places[place].ty)
            && Regions::root(program, place).is_none_or(|var| {
                let of = &program.vars[var];
                let plain = matches!(program.places[place].kind, PlaceKind::Var(_)) && !of.address_taken;
                let begins = match of.storage {
                    Storage::Local(_) => of.address_taken || !self.always_set.contains(&var),
                    Storage::Param(_) | Storage::Temp(_) => true,
                    Storage::Return(_) | Storage::Literal => false,
                    Storage::Global { .. } | Storage::Static | Storage::StaticLocal(_) => {
                        self.copied_into.contains(&var) || self.spreads && of.address_taken
                    }
                };
                begins && !plain
            })
    }

    /// That what `load` reads was written.
    pub fn ask(program: &mut Program, load: ExprId) -> ExprId {
        let span = program.exprs[load].span;
        program.fact(PointerFact::Written, load, span)
    }

    /// The shadow of a variable.
    pub fn of(&self, var: VarId) -> Option<VarId> {
        self.shadows.get(&var).copied()
    }

    /// Lets the automata keep the shadows.
    pub fn remember(&self, program: &mut Program, functions: &[FnId]) {
        if self.shadows.is_empty() && !program.asks_what_is_written {
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
            for var in passed_by(program, function) {
                let rest = delay(program, body.entry);
                let span = program.functions[function].span;
                program.cfa.add_edge(body.entry, rest, Op::Declare(var), span);
            }
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

/// Something in memory may be read before it is written: a block, or a variable.
fn begins_unset(program: &Program, functions: &[FnId], always_set: &FxHashSet<VarId>) -> bool {
    let allocates = program.functions.iter().any(|f| {
        f.body.is_none() && matches!(f.builtin, Some(Builtin::Malloc | Builtin::Realloc | Builtin::Alloca))
    });
    let in_memory = |var: &VarId| {
        let of = &program.vars[*var];
        matches!(of.storage, Storage::Local(_)) && (of.address_taken || !program.types.is_scalar(of.ty.ty))
    };
    let mut locals = functions.iter().flat_map(|f| &program.functions[*f].locals);
    allocates || locals.any(|var| in_memory(var) && !always_set.contains(var))
}

/// Where something is copied to as it is: variables; `None` is where a pointer points.
fn copies(program: &Program) -> impl Iterator<Item = Option<VarId>> + '_ {
    program.cfa.edges.iter().filter_map(|edge| match &edge.op {
        Op::Assign(place, value) => {
            let whole = !program.types.is_scalar(program.exprs[*value].ty);
            let load = matches!(program.exprs[*value].kind, ExprKind::Load(_));
            let copies = load && (whole || program.copied_byte(*place, *value).is_some());
            copies.then(|| Regions::root(program, *place))
        }
        Op::Call(call) => match (call.callee, call.dest) {
            (Callee::Direct(f), _)
                if matches!(
                    program.functions[f].builtin,
                    Some(Builtin::Memcpy | Builtin::Memmove | Builtin::Realloc)
                ) =>
            {
                Some(None)
            }
            (_, dest) => dest.map(|dest| Regions::root(program, dest)),
        },
        _ => None,
    })
}

/// Variables in memory of a function whose declaration a jump may lead past.
fn passed_by(program: &Program, function: FnId) -> Vec<VarId> {
    let Some(body) = program.functions[function].body else { return Vec::new() };
    if !program.asks_what_is_written {
        return Vec::new();
    }
    let candidates: Vec<VarId> = (program.functions[function].locals.iter().copied())
        .filter(|&var| {
            let of = &program.vars[var];
            let scalar = program.types.is_scalar(of.ty.ty);
            let sized = program.types.object_size(of.ty.ty).is_some();
            matches!(of.storage, Storage::Local(_)) && sized && (of.address_taken || !scalar)
        })
        .collect();
    let index: FxHashMap<VarId, usize> = candidates.iter().enumerate().map(|(i, &var)| (var, i)).collect();
    let words = candidates.len().div_ceil(64);
    let declares = |op: &Op| match op {
        Op::Declare(var) => Some((*var, true)),
        _ => None,
    };
    let missing = Flow { program, index: &index, words, change: &declares }.solve(body.entry);
    let mut passed = vec![false; candidates.len()];
    for (&loc, bits) in &missing {
        for (_, edge) in program.cfa.successors(loc) {
            reads(program, &edge.op, &mut |var, _| {
                if let Some(&i) = index.get(&var)
                    && bits[i / 64] >> (i % 64) & 1 == 1
                {
                    passed[i] = true;
                }
            });
        }
    }
    candidates.into_iter().zip(passed).filter(|(_, passed)| *passed).map(|(var, _)| var).collect()
}

fn assign(program: &mut Program, shadow: VarId, set: bool, span: tour_ir::source::Span) -> Op {
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

/// The variables of a function that some path reads before it writes them: all, or those that are `_Bool`.
fn maybe_unset(program: &Program, function: FnId, all: bool) -> Vec<VarId> {
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
                && (all || program.types.int_kind(var.ty.ty) == Some(IntKind::Bool))
        })
        .collect();
    if candidates.is_empty() {
        return Vec::new();
    }
    let index: FxHashMap<VarId, usize> = candidates.iter().enumerate().map(|(i, &var)| (var, i)).collect();
    let words = candidates.len().div_ceil(64);
    let changes = |op: &Op| change(program, op);
    let unset = Flow { program, index: &index, words, change: &changes }.solve(body.entry);
    let mut wanted = vec![false; candidates.len()];
    for (&loc, bits) in &unset {
        for (_, edge) in program.cfa.successors(loc) {
            reads(program, &edge.op, &mut |var, whole| {
                if let Some(&i) = index.get(&var)
                    && whole
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
    /// The variable that an operation sets (`true`) or unsets.
    change: &'a dyn Fn(&Op) -> Option<(VarId, bool)>,
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
                if let Some((var, set)) = (self.change)(&edge.op)
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

/// The variables that an operation mentions; `true` where it reads all of one.
fn reads(program: &Program, op: &Op, see: &mut dyn FnMut(VarId, bool)) {
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

fn read_expr(program: &Program, expr: ExprId, see: &mut dyn FnMut(VarId, bool)) {
    match program.exprs[expr].kind {
        ExprKind::Int(_) | ExprKind::Float(_) | ExprKind::Zeroed | ExprKind::FnAddr(_) => {}
        ExprKind::Load(place) => {
            if let PlaceKind::Var(var) = program.places[place].kind {
                see(var, true);
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

/// The variable, the pointers and the indices of a place.
fn read_place(program: &Program, place: PlaceId, see: &mut dyn FnMut(VarId, bool)) {
    match program.places[place].kind {
        PlaceKind::Var(var) => see(var, false),
        PlaceKind::Deref(pointer) => read_expr(program, pointer, see),
        PlaceKind::Field(base, _) => read_place(program, base, see),
        PlaceKind::Index(base, index) => {
            read_place(program, base, see);
            read_expr(program, index, see);
        }
    }
}
