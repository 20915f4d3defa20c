//! Where the steps of a thread concern others, so that another thread may take over before them: accesses to what
//! others access too, atomic sections, the beginning and the end of threads.
//!
//! The end of the run concerns all: what a thread has done is seen by others if they are faster than its `exit`. So a
//! step that may end the run, or stop the thread forever (a failed assertion or assumption, an access through null), is
//! never part of the action that did something before which others can see.

use super::footprint::{Bits, Footprint, Footprints, Shared};
use super::graph::{Action, thread_at};
use super::{builtin_of, progress};
use crate::block::{Step, Visible};
use index_vec::IndexVec;
use rustc_hash::FxHashSet;
use tour_ir::cfa::{EdgeId, LocId, LocKind};
use tour_ir::program::{Builtin, Op, Program};

/// A step may end the run here, or stop the thread.
pub fn may_end(program: &Program, loc: LocId) -> bool {
    let ends = |loc: LocId| matches!(program.cfa.locs[loc].kind, LocKind::End | LocKind::Error(_));
    match program.cfa.locs[loc].kind {
        LocKind::End | LocKind::Error(_) | LocKind::Exit => false,
        LocKind::Plain | LocKind::Entry => {
            program.cfa.successors(loc).any(|(_, edge)| ends(edge.to)) || !progress::goes_on(program, loc)
        }
    }
}

/// Gives the end of the run a step of its own where an operation leads there.
pub(super) fn separate_ends(program: &mut Program) {
    for index in 0..program.cfa.edges.len() {
        let edge = EdgeId::new(index);
        let (end, span) = (program.cfa.edges[edge].to, program.cfa.edges[edge].span);
        let acts = !matches!(program.cfa.edges[edge].op, Op::Nop | Op::Assume { .. } | Op::Unsupported(_));
        if acts && matches!(program.cfa.locs[end].kind, LocKind::End | LocKind::Error(_)) {
            let before = program.cfa.add_loc(program.cfa.locs[end].function, LocKind::Plain);
            super::redirect(program, edge, before);
            program.cfa.add_edge(before, end, Op::Nop, span);
        }
    }
}

/// Looks at all steps of a program.
pub(super) fn visible(
    program: &Program,
    prints: &mut Footprints,
    out: &IndexVec<LocId, Vec<Action>>,
    atomic: &FxHashSet<LocId>,
    shared: &Bits,
) -> Visible {
    let mut visible = Visible {
        blocked: program.threads.blocked_at.clone(),
        inside: program.threads.looks_at_accesses(),
        ..Visible::default()
    };
    let mut published = Vec::new();
    for (loc, actions) in out.iter_enumerated() {
        for action in actions {
            let print = prints.of(action.step);
            match control(program, action.step) {
                Some(Builtin::ThreadStart | Builtin::ThreadFinished) => {
                    visible.control.insert(loc);
                    published.push(action.to);
                }
                Some(Builtin::AtomicBegin) => _ = visible.steps.insert(loc),
                _ => {
                    if print.reads.intersects(shared) || print.writes.intersects(shared) {
                        visible.steps.insert(loc);
                    }
                    if print.writes.intersects(shared) {
                        published.push(action.to);
                    }
                }
            }
        }
        if matches!(program.cfa.locs[loc].kind, LocKind::Error(_) | LocKind::End) {
            visible.steps.remove(&loc);
        }
    }
    let after = within_action(out, &visible, atomic, published);
    visible.steps.extend(after.into_iter().filter(|loc| may_end(program, *loc)));
    visible
}

/// The operation on threads that a step is.
fn control(program: &Program, step: Step) -> Option<Builtin> {
    match step {
        Step::Edge(edge) => builtin_of(program, &program.cfa.edges[edge].op),
        _ => None,
    }
}

/// What threads share: more than one accesses it, and one writes.
pub(super) fn shared(program: &Program, prints: &mut Footprints, out: &IndexVec<LocId, Vec<Action>>) -> Bits {
    let mut all = vec![Footprint::default(); program.threads.all.len()];
    for action in out.iter().flatten() {
        all[thread_at(program, action.from).index()].add(&prints.of(action.step));
    }
    // What a thread is given and returns is written before it begins and read after it has ended.
    let ordered: FxHashSet<u32> = (program.threads.all.iter())
        .flat_map(|t| [t.param, t.ret])
        .flatten()
        .map(|var| prints.number(Shared::Var(var)))
        .collect();
    let mut by: Vec<(u32, u32)> = Vec::new(); // how many threads access it, how many write it
    for print in &all {
        let accessed = print.reads.iter().chain(print.writes.iter()).collect::<FxHashSet<_>>();
        for number in accessed {
            by.resize(by.len().max(number as usize + 1), (0, 0));
            by[number as usize].0 += 1;
            by[number as usize].1 += u32::from(print.writes.contains(number));
        }
    }
    let mut shared = Bits::default();
    for (number, (accessed, written)) in (0..).zip(by) {
        if accessed > 1 && written > 0 && !ordered.contains(&number) {
            shared.insert(number);
        }
    }
    shared
}

/// Where an action may get to after it has done something at one of these locations; with where it ends.
fn within_action(
    out: &IndexVec<LocId, Vec<Action>>,
    visible: &Visible,
    atomic: &FxHashSet<LocId>,
    mut work: Vec<LocId>,
) -> FxHashSet<LocId> {
    let mut seen: FxHashSet<LocId> = work.iter().copied().collect();
    while let Some(loc) = work.pop() {
        // Inside of an atomic section nobody takes over.
        if !visible.concerns(loc, false) || atomic.contains(&loc) {
            work.extend(out[loc].iter().map(|action| action.to).filter(|to| seen.insert(*to)));
        }
    }
    seen
}

/// Locations that may lie in an atomic section.
pub(super) fn atomic_locations(program: &Program, out: &IndexVec<LocId, Vec<Action>>) -> FxHashSet<LocId> {
    depths(program, out).into_iter().filter(|(_, depth)| *depth > 0).map(|(loc, _)| loc).collect()
}

/// Locations that may lie outside of all atomic sections.
pub(super) fn plain_locations(program: &Program, out: &IndexVec<LocId, Vec<Action>>) -> FxHashSet<LocId> {
    depths(program, out).into_iter().filter(|(_, depth)| *depth == 0).map(|(loc, _)| loc).collect()
}

/// Locations, with how many atomic sections may be open there.
fn depths(program: &Program, out: &IndexVec<LocId, Vec<Action>>) -> FxHashSet<(LocId, u8)> {
    let mut seen: FxHashSet<(LocId, u8)> = FxHashSet::default();
    let mut work: Vec<(LocId, u8)> = (program.threads.all.iter())
        .filter_map(|t| program.functions[t.root].body.map(|body| (body.entry, 0)))
        .collect();
    while let Some((loc, depth)) = work.pop() {
        if !seen.insert((loc, depth)) {
            continue;
        }
        for action in &out[loc] {
            let depth = match control(program, action.step) {
                // Deep enough to know.
                Some(Builtin::AtomicBegin) => depth.saturating_add(1).min(4),
                Some(Builtin::AtomicEnd) => depth.saturating_sub(1),
                _ => depth,
            };
            work.push((action.to, depth));
        }
    }
    seen
}
