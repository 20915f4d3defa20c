//! Assumptions: what ends runs early. No proof is wrong without them, but many need them.
//!
//! A location that is not kept may lead to where nothing is kept any more: behind `if (!x) abort();`, in a loop without an end,
//! in front of an assumption. Such a location says something about what it reads. It is kept if that has to do with data
//! that matter: if some of it was computed from such data, or is written in the same loop as such data, as the counter of its
//! rounds is; or if it stands right before a check.

use super::cone::Cone;
use super::dependence::{Dependence, Effect, Number};
use index_vec::IndexVec;
use tour_ir::cfa::{EdgeId, LocId};
use tour_ir::program::{FnId, Op};

/// The locations with assumptions about data that matter.
pub(super) fn about(of: &Dependence, cone: &Cone) -> Vec<LocId> {
    let cfa = &of.program.cfa;
    let returns = returning(of);
    let computed = computed(of, cone);
    let mut found = Vec::new();
    for &f in &of.functions {
        let locs = of.locations(f);
        let goes_on = goes_on(of, cone, &returns, &locs);
        let goes_on = |loc: LocId| of.order.number(loc).is_some_and(|number| goes_on[number as usize]);
        for &loc in &locs {
            let out = &cfa.locs[loc].out;
            let assumes = out.iter().all(|edge| matches!(cfa.edges[*edge].op, Op::Assume { .. }));
            if cone.kept[loc] || out.is_empty() || !assumes || !goes_on(loc) {
                continue;
            }
            let ends = |to: LocId| !goes_on(to);
            if out.len() > 1 && !out.iter().any(|edge| ends(cfa.edges[*edge].to)) {
                continue;
            }
            let reads = |edge| of.effect_of(edge).reads.iter().any(|datum| computed[*datum as usize]);
            let guards = cone.next[loc].is_some_and(|next| cone.is_alarm(of, next));
            if !guards && !out.iter().any(|edge| reads(*edge)) {
                continue;
            }
            found.push(loc);
            // What never returns on the way that ends is kept with it: else runs would go on there.
            let mut seen = vec![loc];
            let mut work: Vec<LocId> =
                out.iter().map(|edge| cfa.edges[*edge].to).filter(|to| ends(*to)).collect();
            while let Some(at) = work.pop() {
                if seen.contains(&at) || cone.kept[at] {
                    continue;
                }
                seen.push(at);
                let (on, calls): (Vec<&EdgeId>, Vec<&EdgeId>) =
                    cfa.locs[at].out.iter().partition(|edge| comes_back(&returns, of.effect_of(**edge)));
                if calls.is_empty() {
                    work.extend(on.into_iter().map(|edge: &EdgeId| cfa.edges[*edge].to));
                } else {
                    found.push(at);
                }
            }
        }
    }
    found
}

/// The location behind the edge can be reached by it.
fn comes_back(returns: &IndexVec<FnId, bool>, effect: &Effect) -> bool {
    match &effect.call {
        Some(call) => call.targets.is_empty() || call.targets.iter().any(|target| returns[*target]),
        None => true,
    }
}

/// For each location of a function, by its number: whether a run that is there may get to one that is kept.
fn goes_on(of: &Dependence, cone: &Cone, returns: &IndexVec<FnId, bool>, locs: &[LocId]) -> Vec<bool> {
    let cfa = &of.program.cfa;
    let mut goes: Vec<bool> = locs.iter().map(|loc| cone.kept[*loc]).collect();
    let mut work: Vec<LocId> = locs.iter().copied().filter(|loc| cone.kept[*loc]).collect();
    while let Some(loc) = work.pop() {
        for (id, edge) in cfa.predecessors(loc) {
            let Some(number) = of.order.number(edge.from) else { continue };
            let reached = comes_back(returns, of.effect_of(id));
            if reached && !std::mem::replace(&mut goes[number as usize], true) {
                work.push(edge.from);
            }
        }
    }
    goes
}

/// The functions from whose entry a way leads to their exit.
fn returning(of: &Dependence) -> IndexVec<FnId, bool> {
    let program = of.program;
    let mut returns: IndexVec<FnId, bool> = program.functions.iter().map(|f| f.body.is_none()).collect();
    loop {
        let mut news = false;
        for &f in of.functions.iter().rev() {
            let Some(body) = program.functions[f].body.filter(|_| !returns[f]) else { continue };
            let mut seen = rustc_hash::FxHashSet::default();
            let mut work = vec![body.entry];
            while let Some(loc) = work.pop() {
                for (id, edge) in program.cfa.successors(loc) {
                    if comes_back(&returns, of.effect_of(id)) && seen.insert(edge.to) {
                        work.push(edge.to);
                    }
                }
            }
            returns[f] = seen.contains(&body.exit);
            news |= returns[f];
        }
        if !news {
            return returns;
        }
    }
}

/// The data that a function of the program writes in the same loop as data that matter, these included.
fn written_alongside(of: &Dependence, cone: &Cone) -> Vec<bool> {
    let mut found = cone.matters.clone();
    for (id, of_function) in of.loops.iter() {
        if !of.functions.contains(&of_function.function) {
            continue;
        }
        let edges = of.loops.members(id).iter().flat_map(|loc| &of.program.cfa.locs[*loc].out);
        let written: Vec<Number> =
            edges.flat_map(|edge| of.effect_of(*edge).writes.iter().copied()).collect();
        if written.iter().any(|datum| cone.matters[*datum as usize]) {
            written.iter().for_each(|datum| found[*datum as usize] = true);
        }
    }
    found
}

/// The data that matter or are written alongside, and those computed from them.
fn computed(of: &Dependence, cone: &Cone) -> Vec<bool> {
    let mut computed = written_alongside(of, cone);
    let mut effects: Vec<&Effect> = Vec::new();
    for &f in &of.functions {
        for loc in of.locations(f) {
            effects.extend(of.program.cfa.locs[loc].out.iter().map(|edge| of.effect_of(*edge)));
        }
    }
    loop {
        let mut news = false;
        for effect in &effects {
            let reads =
                |data: &[Number], computed: &[bool]| data.iter().any(|datum| computed[*datum as usize]);
            let mut write = |data: &[Number], computed: &mut [bool]| {
                for &datum in data {
                    news |= !std::mem::replace(&mut computed[datum as usize], true);
                }
            };
            match &effect.call {
                None if reads(&effect.reads, &computed) => write(&effect.writes, &mut computed),
                None => {}
                Some(call) => {
                    for &target in &call.targets {
                        for (param, arg) in of.params[target].iter().zip(&call.args) {
                            if reads(arg, &computed) {
                                write(param, &mut computed);
                            }
                        }
                        if let Some((content, _)) = &call.dest
                            && reads(&of.ret[target], &computed)
                        {
                            write(content, &mut computed);
                        }
                    }
                }
            }
        }
        if !news {
            return computed;
        }
    }
}
