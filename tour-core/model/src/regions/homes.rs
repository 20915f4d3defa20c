//! Where variables live: as cells of the formulas, or as objects in memory, with a number known beforehand or a new
//! one for each life.

use super::classes::{ClassId, Object};
use super::constraints::Constraints;
use index_vec::IndexVec;
use rustc_hash::{FxHashMap, FxHashSet};
use tour_ir::cfa::{CallGraph, Loops};
use tour_ir::program::{FnId, Op, Program, RecordKind, Storage, Type, TypeId, VarId};

/// How a variable is kept.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Keep {
    /// As cells.
    Cells,
    /// As one object that never dies.
    Immortal,
    /// As an object that is the same one in each life: no pointer to it outlives it.
    Again,
    /// As a new object in each life.
    Fresh,
}

/// Objects with more scalars than this are not made unknown one by one when they are used again.
/// The shape of regions: the checker of evidence must get the same.
const MAX_SCALARS: u64 = 32;

pub(super) struct Homes<'a> {
    program: &'a Program,
    calls: &'a CallGraph,
    constraints: &'a Constraints<'a>,
    /// Variables whose declaration lies in a loop.
    in_loop: FxHashSet<VarId>,
    /// Variables whose life may end before the frame does.
    expiring: FxHashSet<VarId>,
    /// The objects that hold pointers into a class.
    holders: FxHashMap<ClassId, Vec<Object>>,
    below: FxHashMap<FnId, FxHashSet<FnId>>,
}

impl<'a> Homes<'a> {
    pub fn new(
        program: &'a Program,
        calls: &'a CallGraph,
        loops: &Loops,
        constraints: &'a Constraints<'a>,
    ) -> Homes<'a> {
        let (mut in_loop, mut expiring) = (FxHashSet::default(), FxHashSet::default());
        for edge in &program.cfa.edges {
            match edge.op {
                Op::Declare(var) if loops.innermost(edge.from).is_some() => _ = in_loop.insert(var),
                Op::Expire(var) => _ = expiring.insert(var),
                _ => {}
            }
        }
        let mut holders: FxHashMap<ClassId, Vec<Object>> = FxHashMap::default();
        for (_, summary) in constraints.classes.roots() {
            let mut to: Vec<ClassId> = summary
                .accesses
                .values()
                .filter_map(|a| Some(constraints.classes.find(a.content?)))
                .collect();
            to.sort_unstable();
            to.dedup();
            for class in to {
                holders.entry(class).or_default().extend(summary.objects);
            }
        }
        for (var, class) in &constraints.carried {
            holders.entry(constraints.classes.find(*class)).or_default().push(Object::Var(*var));
        }
        Homes { program, calls, constraints, in_loop, expiring, holders, below: FxHashMap::default() }
    }

    /// How each variable is kept.
    pub fn keep_all(&mut self) -> IndexVec<VarId, Keep> {
        self.program.vars.indices().map(|var| self.keep(var)).collect()
    }

    fn keep(&mut self, var: VarId) -> Keep {
        let program = self.program;
        let variable = &program.vars[var];
        if !self.constraints.addressed[var] && !has_union(program, variable.ty.ty) {
            return Keep::Cells;
        }
        let Some(function) = variable.function() else {
            // What belongs to a thread ends with it.
            return if self.expiring.contains(&var) { Keep::Again } else { Keep::Immortal };
        };
        if program.types.object_size(variable.ty.ty).is_none() || self.calls.is_recursive(function) {
            return Keep::Fresh;
        }
        let in_loop = self.in_loop.contains(&var);
        if function == program.entry && !in_loop {
            // It has one life, which a block may end.
            return if self.expiring.contains(&var) { Keep::Again } else { Keep::Immortal };
        }
        if scalars(program, variable.ty.ty) > MAX_SCALARS {
            return Keep::Fresh;
        }
        let class = self.constraints.classes.find(self.constraints.vars[var]);
        let holders = self.holders.get(&class).cloned().unwrap_or_default();
        if holders.iter().all(|&holder| self.dies_first(holder, function, in_loop)) {
            Keep::Again
        } else {
            Keep::Fresh
        }
    }

    /// What `holder` holds is gone when a variable of `function` (of one iteration, if `in_loop`) begins a new life.
    fn dies_first(&mut self, holder: Object, function: FnId, in_loop: bool) -> bool {
        let Object::Var(holder) = holder else { return false };
        let storage = self.program.vars[holder].storage;
        match self.program.vars[holder].function() {
            None => false,
            Some(own) if own == function => match storage {
                Storage::Temp(_) => true,
                Storage::Local(_) | Storage::Param(_) => !in_loop,
                _ => false,
            },
            Some(other) => self.below(function).contains(&other),
        }
    }

    /// The functions that a function may call, directly or not.
    fn below(&mut self, function: FnId) -> &FxHashSet<FnId> {
        let calls = self.calls;
        self.below.entry(function).or_insert_with(|| {
            let mut seen = FxHashSet::default();
            let mut work = vec![function];
            while let Some(f) = work.pop() {
                work.extend(calls.callees(f).into_iter().map(|(f, _)| f).filter(|&f| seen.insert(f)));
            }
            seen
        })
    }
}

/// A union with several members is part of the type: its members share bytes, so it lies in memory.
pub(super) fn has_union(program: &Program, ty: TypeId) -> bool {
    let mut work = vec![ty];
    while let Some(ty) = work.pop() {
        match &program.types[ty] {
            Type::Array(of, _) => work.push(of.ty),
            Type::Record(id) => {
                let record = &program.types.records[*id];
                if record.kind == RecordKind::Union && record.fields.len() > 1 {
                    return true;
                }
                work.extend(record.fields.iter().map(|f| f.ty.ty));
            }
            _ => {}
        }
    }
    false
}

/// How many scalars an object has.
fn scalars(program: &Program, ty: TypeId) -> u64 {
    let mut count = 0u64;
    let mut work = vec![(ty, 1u64)];
    while let Some((ty, times)) = work.pop() {
        match &program.types[ty] {
            Type::Array(of, tour_ir::program::ArrayLen::Fixed(n)) => {
                work.push((of.ty, times.saturating_mul(*n)));
            }
            Type::Record(id) => {
                work.extend(program.types.records[*id].fields.iter().map(|f| (f.ty.ty, times)));
            }
            _ => count = count.saturating_add(times),
        }
    }
    count
}
