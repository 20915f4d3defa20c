//! Memory orders weaker than sequential consistency. Runs that interleave steps are sequentially consistent; what weaker
//! orders allow besides is not modelled. So where such an operation on what threads share can be reached, nothing is
//! proved; a violation that is found is one. Where only one thread is left, orders make no difference.
//!
//! The front end gives the order to the beginning of the atomic section that the operation is. Accesses that are no
//! atomic operations at all may race: that they are sequentially consistent is an assumption that the result lists, unless
//! data races are looked for.

use super::footprint::{Bits, Footprint, Footprints, Shared};
use super::graph::{ThreadGraph, about, thread_at};
use super::{builtin_of, not_modelled_as};
use crate::block::Step;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;
use tour_ir::cfa::{EdgeId, LocId};
use tour_ir::program::{Assumption, Builtin, Op, Program, ThreadId};
use tour_ir::source::Span;

/// `memory_order_release`
const RELEASE: u128 = 3;

/// What the result says.
const ASSUMPTION: &str = "accesses of threads are sequentially consistent (`data-race` is not checked)";

/// Makes weak operations ways to what is not modelled, and notes what is assumed of other accesses.
pub(super) fn look(program: &mut Program, looks_for_races: bool) {
    let (weak, plain) = {
        let mut prints = Footprints::new(program);
        let graph = ThreadGraph::of(program, &mut prints);
        let mut seen = Orders { program, prints, graph };
        (seen.weak(), if looks_for_races { None } else { seen.plain() })
    };
    for edge in weak {
        let (from, to) = (program.cfa.edges[edge].from, program.cfa.edges[edge].to);
        let span = program.cfa.edges[edge].span;
        let message = "an atomic operation with a memory order weaker than `memory_order_seq_cst`";
        program.cfa.add_edge(from, to, not_modelled_as("memory-order", message), span);
    }
    if let Some(span) = plain {
        program.assumptions.push(Assumption { text: ASSUMPTION.to_owned(), span });
    }
}

struct Orders<'p> {
    program: &'p Program,
    prints: Footprints<'p>,
    graph: ThreadGraph,
}

impl Orders<'_> {
    /// The beginnings of weak operations on what threads share.
    fn weak(&mut self) -> Vec<EdgeId> {
        let mut found = Vec::new();
        let program = self.program;
        let alone = self.alone();
        for (id, edge) in program.cfa.edges.iter_enumerated() {
            if builtin_of(self.program, &edge.op) != Some(Builtin::AtomicBegin) {
                continue;
            }
            let Op::Call(call) = &edge.op else { continue };
            let Some(&order) = call.args.first() else { continue };
            if alone.contains(&edge.from) {
                continue;
            }
            let (print, after) = self.section(edge.to);
            let touches = |bits: &Bits| bits.intersects(&self.graph.shared);
            if !touches(&print.reads) && !touches(&print.writes) {
                continue;
            }
            // Nothing can be moved before the last access of a thread, and its own past stays before a release.
            let is_last = |loc: &LocId| {
                let future = self.graph.future(*loc);
                let data =
                    |bits: &Bits| bits.iter().any(|n| self.graph.shared.contains(n) && self.is_data(n));
                !data(&future.reads) && !data(&future.writes)
            };
            let releases = self.program.const_value(order) == Some(RELEASE);
            if releases && !touches(&print.reads) && after.iter().all(is_last) {
                continue;
            }
            found.push(id);
        }
        found
    }

    /// Where the first thread is the only one: those that were created have ended, and it has waited for them. What they
    /// did happened before, so that the last value is the only one that can be read.
    fn alone(&self) -> FxHashSet<LocId> {
        let program = self.program;
        let first = ThreadId::new(0);
        let Some(body) = program.functions[program.threads.all[first].root].body else {
            return FxHashSet::default();
        };
        let mut running: FxHashMap<LocId, BTreeSet<ThreadId>> = FxHashMap::default();
        running.insert(body.entry, BTreeSet::new());
        let mut work = vec![body.entry];
        while let Some(loc) = work.pop() {
            let here = running.get(&loc).cloned().unwrap_or_default();
            for action in &self.graph.out[loc] {
                if thread_at(program, action.to) != first {
                    continue;
                }
                let mut after = here.clone();
                if let Step::Edge(edge) = action.step {
                    let thread = about(program, edge, 0);
                    if matches!(program.cfa.edges[edge].op, Op::Unsupported(_)) {
                        continue;
                    }
                    match builtin_of(program, &program.cfa.edges[edge].op) {
                        Some(Builtin::ThreadStart) => {
                            thread.iter().for_each(|thread| after.extend(self.with_children(*thread)));
                        }
                        Some(Builtin::ThreadFinished) => {
                            thread.iter().for_each(|thread| _ = after.remove(thread));
                        }
                        _ => {}
                    }
                }
                let known = running.get(&action.to);
                if known.is_none_or(|known| !after.is_subset(known)) {
                    running.entry(action.to).or_default().extend(after);
                    work.push(action.to);
                }
            }
        }
        running.into_iter().filter(|(_, threads)| threads.is_empty()).map(|(loc, _)| loc).collect()
    }

    /// A thread, with all that it may start, and these in turn.
    fn with_children(&self, thread: ThreadId) -> BTreeSet<ThreadId> {
        let mut all = BTreeSet::from([thread]);
        loop {
            let before = all.len();
            for (child, at) in self.graph.started_at.iter_enumerated() {
                if at.iter().any(|loc| all.contains(&thread_at(self.program, *loc))) {
                    all.insert(child);
                }
            }
            if all.len() == before {
                return all;
            }
        }
    }

    fn is_data(&self, number: u32) -> bool {
        matches!(self.prints.all[number as usize], Shared::Var(_) | Shared::Region(_) | Shared::Unknown)
    }

    /// What a section that begins at a location accesses, and where it leads.
    fn section(&mut self, begin: LocId) -> (Footprint, Vec<LocId>) {
        let (mut print, mut after) = (Footprint::default(), Vec::new());
        let mut seen: FxHashSet<LocId> = FxHashSet::from_iter([begin]);
        let mut work = vec![begin];
        while let Some(loc) = work.pop() {
            for action in &self.graph.out[loc] {
                let ends = match action.step {
                    Step::Edge(edge) => {
                        let op = &self.program.cfa.edges[edge].op;
                        builtin_of(self.program, op) == Some(Builtin::AtomicEnd)
                    }
                    _ => false,
                };
                print.add(&self.prints.of(action.step));
                if ends {
                    after.push(action.to);
                } else if seen.insert(action.to) {
                    work.push(action.to);
                }
            }
        }
        (print, after)
    }

    /// Where something that threads share is accessed first that is not atomic.
    fn plain(&mut self) -> Option<Span> {
        let mut first: Option<Span> = None;
        for (loc, actions) in self.graph.out.iter_enumerated() {
            if self.graph.atomic.contains(&loc) || !self.graph.visible.steps.contains(&loc) {
                continue;
            }
            for action in actions {
                let print = self.prints.of(action.step);
                let mut accessed = print.reads.iter().chain(print.writes.iter());
                let shares = accessed.any(|n| self.graph.shared.contains(n) && self.is_data(n));
                if shares && !super::race::is_atomic(self.program, action.step) {
                    let span = self.program.cfa.edges[action.step.edge()].span;
                    let earlier = |old: &Span| (old.unit, old.start) <= (span.unit, span.start);
                    first = first.filter(earlier).or(Some(span));
                }
            }
        }
        first
    }
}
