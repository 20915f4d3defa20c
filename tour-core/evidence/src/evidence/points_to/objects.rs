//! Where variables live: as cells, or as objects that are alive when their region says so, under a number that no
//! pointer of an earlier life knows.

use super::flows::Seen;
use rustc_hash::{FxHashMap, FxHashSet};
use tour_ir::cfa::{CallGraph, Cfa, LocId};
use tour_ir::program::{FnId, Op, Program, RecordKind, Storage, Type, TypeId, VarId};
use tour_model::regions::{FIRST, Heap, Home, Known, Layout, RegionId, Regions, Scalar};

pub(super) fn check(program: &Program, regions: &Regions, seen: &Seen) -> Result<(), String> {
    let lives = Lives::of(program, regions, seen);
    for (var, variable) in program.vars.iter_enumerated() {
        let size = program.types.object_size(variable.ty.ty);
        let wrong = |what: &str| Err(format!("`{}`: {what}", variable.name));
        match regions.home(var) {
            Home::Cells(_) => {
                if seen.addressed.contains(&var) || shares_bytes(program, variable.ty.ty) {
                    return wrong("is in memory, and not a cell");
                }
            }
            Home::Object(region, number) => {
                let of = &regions[region];
                let index = number.checked_sub(FIRST).ok_or("the number of no object")?;
                if of.known.get(index as usize) != Some(&(Known::Var(var), size.unwrap_or(0))) {
                    return wrong("is not the object that its region knows");
                }
                if of.size.is_some() && of.size != size || of.zeroed && !variable.is_static() {
                    return wrong("is another object than its region says");
                }
                let immortal = index < of.immortal;
                if (index < of.constants) != (immortal && variable.is_constant(&program.types)) {
                    return wrong("is constant, or its region says so");
                }
                if immortal && !lives.lives_on(var) {
                    return wrong("dies, and its region does not know");
                }
                let may_die = of.mortal && lives.is_forgotten(var, region);
                if !immortal && !may_die {
                    return wrong("is used again while a pointer to its earlier life may be left");
                }
            }
            Home::Fresh(region) => {
                let of = &regions[region];
                if !of.grows || !of.mortal || of.zeroed || of.heap == Heap::All {
                    return wrong("is a new object in each life, and its region does not know");
                }
                if of.size.is_some() && of.size != size {
                    return wrong("has another size than its region says");
                }
            }
        }
    }
    for (f, _) in program.functions.iter_enumerated() {
        let Some((region, number)) = regions.function(f) else { continue };
        let of = &regions[region];
        let index = number.checked_sub(FIRST).ok_or("the number of no object")?;
        let is_known = of.known.get(index as usize) == Some(&(Known::Function(f), 1));
        let is_constant = index < of.constants && index < of.immortal;
        if !is_known || !is_constant || of.size.is_some_and(|size| size != 1) {
            return Err(format!("`{}` is not the object that its region knows", program.functions[f].name));
        }
    }
    Ok(())
}

/// A union with several members is part of it.
fn shares_bytes(program: &Program, ty: TypeId) -> bool {
    match &program.types[ty] {
        Type::Array(of, _) => shares_bytes(program, of.ty),
        Type::Record(id) => {
            let record = &program.types.records[*id];
            record.kind == RecordKind::Union && record.fields.len() > 1
                || record.fields.iter().any(|field| shares_bytes(program, field.ty.ty))
        }
        _ => false,
    }
}

struct Lives<'a> {
    program: &'a Program,
    calls: CallGraph,
    /// Variables whose lives may end with a block.
    expiring: FxHashSet<VarId>,
    /// Variables that a run of one frame may declare more than once.
    again: FxHashSet<VarId>,
    /// What holds pointers into a region: variables, and whether blocks do.
    holders: FxHashMap<RegionId, (FxHashSet<VarId>, bool)>,
}

impl<'a> Lives<'a> {
    fn of(program: &'a Program, regions: &Regions, seen: &Seen) -> Lives<'a> {
        let (mut expiring, mut again) = (FxHashSet::default(), FxHashSet::default());
        let mut turns: FxHashMap<LocId, bool> = FxHashMap::default();
        for edge in &program.cfa.edges {
            match edge.op {
                Op::Expire(var) => _ = expiring.insert(var),
                Op::Declare(var)
                    if !matches!(regions.home(var), Home::Cells(_))
                        && *turns.entry(edge.from).or_insert_with(|| comes_back(&program.cfa, edge.from)) =>
                {
                    again.insert(var);
                }
                _ => {}
            }
        }
        let mut inside: FxHashMap<RegionId, Vec<VarId>> = FxHashMap::default();
        for var in program.vars.indices() {
            let (Home::Cells(region) | Home::Object(region, _) | Home::Fresh(region)) = regions.home(var);
            inside.entry(region).or_default().push(var);
        }
        let mut holders: FxHashMap<RegionId, (FxHashSet<VarId>, bool)> = FxHashMap::default();
        for (id, region) in regions.regions.iter_enumerated() {
            for slot in &region.slots {
                let keeps =
                    matches!(slot.layout, Layout::Typed(Scalar::Pointer, _) | Layout::Word | Layout::Mixed);
                if let Some(content) = slot.content.filter(|_| keeps) {
                    let of = holders.entry(content).or_default();
                    of.0.extend(inside.get(&id).into_iter().flatten());
                    of.1 |= seen.blocks.contains(&id);
                }
            }
        }
        for var in program.vars.indices() {
            if let Some(region) = regions.carried(var) {
                holders.entry(region).or_default().0.insert(var);
            }
        }
        Lives { program, calls: CallGraph::of(program), expiring, again, holders }
    }

    /// A variable with one life, which ends with the program.
    fn lives_on(&self, var: VarId) -> bool {
        self.has_one_life(var) && !self.expiring.contains(&var)
    }

    /// A static variable, or one of the entry function.
    fn has_one_life(&self, var: VarId) -> bool {
        self.program.vars[var].is_static()
            || self.program.vars[var].function() == Some(self.program.entry)
                && !self.calls.is_recursive(self.program.entry)
                && !self.again.contains(&var)
    }

    /// When a variable begins a new life, no pointer to the one before is left.
    fn is_forgotten(&self, var: VarId, region: RegionId) -> bool {
        if self.has_one_life(var) {
            return true;
        }
        let Some(function) = self.program.vars[var].function() else { return false };
        if self.calls.is_recursive(function) {
            return false;
        }
        let Some((holders, blocks)) = self.holders.get(&region) else { return true };
        !blocks && holders.iter().all(|&holder| self.ends_before(holder, function, self.again.contains(&var)))
    }

    /// What a variable holds is gone when another one of `function` begins its next life: in the next frame, or, if
    /// `turns`, in the same.
    fn ends_before(&self, holder: VarId, function: FnId, turns: bool) -> bool {
        let holder = &self.program.vars[holder];
        match (holder.function(), holder.storage) {
            (None, _) => false,
            // It is written before each use.
            (Some(own), Storage::Temp(_)) if own == function => true,
            (Some(own), Storage::Local(_) | Storage::Param(_)) if own == function => !turns,
            (Some(own), _) if own == function => false,
            (Some(other), _) => self.may_call(function, other),
        }
    }

    /// A chain of calls leads from one function to another.
    fn may_call(&self, from: FnId, to: FnId) -> bool {
        let (mut seen, mut work) = (FxHashSet::default(), vec![from]);
        while let Some(f) = work.pop() {
            for (callee, _) in self.calls.callees(f) {
                if callee == to {
                    return true;
                }
                if seen.insert(callee) {
                    work.push(callee);
                }
            }
        }
        false
    }
}

/// A path leads from a location back to it.
fn comes_back(cfa: &Cfa, start: LocId) -> bool {
    let (mut seen, mut work) = (FxHashSet::default(), vec![start]);
    while let Some(loc) = work.pop() {
        for (_, edge) in cfa.successors(loc) {
            if edge.to == start {
                return true;
            }
            if seen.insert(edge.to) {
                work.push(edge.to);
            }
        }
    }
    false
}
