//! Memory orders weaker than sequential consistency. Runs that interleave steps are sequentially consistent; what weaker
//! orders allow besides is not modelled. So where such an operation on what threads share can be reached, nothing is
//! proved; a violation that is found is one.
//!
//! The front end gives the order to the beginning of the atomic section that the operation is. Accesses that are no
//! atomic operations at all may race: that they are sequentially consistent is an assumption that the result lists, unless
//! data races are looked for.

use super::footprint::{Bits, Footprint, Footprints, Shared};
use super::graph::ThreadGraph;
use super::{builtin_of, not_modelled_as};
use crate::block::Step;
use crate::cfa::{EdgeId, LocId};
use crate::program::{Assumption, Builtin, Op, Program};
use crate::source::Span;
use rustc_hash::FxHashSet;

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
        for (id, edge) in program.cfa.edges.iter_enumerated() {
            if builtin_of(self.program, &edge.op) != Some(Builtin::AtomicBegin) {
                continue;
            }
            let Op::Call(call) = &edge.op else { continue };
            let Some(&order) = call.args.first() else { continue };
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
