//! What is simplified and left out from a state.

use super::Explorer;
use crate::context::Engine;
use crate::domain::Domain;
use rustc_hash::FxHashMap;
use std::rc::Rc;
use tour_ir::program::{Op, Program, ThreadId};
use tour_model::block::{Block, Known, NodeId, Replaced, Replacements, Step};
use tour_model::threads::TupleId;
use tour_model::threads::footprint::{Footprint, Shared};
use tour_model::threads::por;

impl<D: Domain> Explorer<'_, '_, D> {
    /// The steps of a thread's next action that are replaced.
    pub(super) fn simplified(&mut self, tuple: TupleId, thread: ThreadId) -> Replacements {
        let places = self.threads.get(tuple);
        let (Some(flows), Some(at)) = (&mut self.flows, places[thread.index()]) else {
            return Replacements::default();
        };
        if let Some(known) = self.simplified.get(&(tuple, thread)) {
            return known.clone();
        }
        let steps = self.engine.blocks.steps(at);
        let steps = steps.iter().map(|(_, t)| t.step);
        let found = Rc::new(flows.replaced(&self.threads, &self.engine.blocks, &places, steps));
        self.simplified.insert((tuple, thread), found.clone());
        found
    }

    /// The block of an action, with what is known and replaced.
    pub(super) fn simplified_block(
        &mut self,
        at: NodeId,
        known: &Known,
        replaced: Replacements,
    ) -> Rc<Block> {
        if let Some(block) = self.engine.blocks.made_with(at, known, &replaced) {
            return block;
        }
        let clock = self.clock();
        let Engine { terms, blocks, .. } = &mut *self.engine;
        let block = blocks.block_with(terms, at, known, replaced);
        self.counts.successors += self.since(clock);
        block
    }

    /// A source set of what is left of the actions [COI §3.5, POR-COI].
    pub(super) fn explored_again(
        &mut self,
        tuple: TupleId,
        explored: &Rc<[ThreadId]>,
        replaced: &FxHashMap<ThreadId, Replacements>,
    ) -> Rc<[ThreadId]> {
        let mut left = FxHashMap::default();
        for &thread in explored.iter() {
            let Some(at) = self.threads.get(tuple)[thread.index()] else { continue };
            let replaced = &replaced[&thread];
            let atomic = self.threads.next(&mut self.engine.blocks, at);
            let steps = self.engine.blocks.steps(at);
            // Parts of an atomic section that lie in later blocks are not simplified here.
            let whole = steps.iter().all(|(_, t)| {
                t.to.is_none_or(|to| {
                    !self.engine.blocks.ends_at(to) || self.engine.blocks.unfolding.get(to).atomic == 0
                })
            });
            if replaced.is_empty() || !whole || atomic.control {
                continue;
            }
            let mut print = Footprint::default();
            for (_, transition) in steps.iter() {
                let own = self.threads.prints.of(transition.step);
                match replaced.get(&transition.step) {
                    None => _ = print.add(&own),
                    Some(Replaced::Havoc) => _ = print.writes.union(&own.writes),
                    Some(Replaced::Nop) => {}
                }
            }
            for number in atomic.print.writes.iter() {
                if matches!(self.threads.prints.all[number as usize], Shared::Ended(_)) {
                    print.writes.insert(number);
                }
            }
            left.insert(thread, print);
        }
        if left.is_empty() {
            return explored.clone();
        }
        let again = por::source_set(&mut self.threads, &mut self.engine.blocks, tuple, &left);
        if again.len() < explored.len() { again.into() } else { explored.clone() }
    }

    pub(super) fn count(&mut self, at: NodeId, replaced: &Replacements) {
        let steps = self.engine.blocks.steps(at);
        let program = self.engine.program();
        self.counts.statements += steps.iter().filter(|(_, t)| is_statement(program, t.step)).count() as u64;
        self.counts.nops += replaced.values().filter(|r| **r == Replaced::Nop).count() as u64;
        self.counts.havocs += replaced.values().filter(|r| **r == Replaced::Havoc).count() as u64;
    }
}

/// Something that a programmer would call a statement: no control of threads, no empty edge.
fn is_statement(program: &Program, step: Step) -> bool {
    match step {
        Step::Edge(edge) => match &program.cfa.edges[edge].op {
            Op::Nop | Op::Declare(_) | Op::Return(None) => false,
            op => tour_model::threads::builtin_of(program, op).is_none_or(|b| !b.is_control()),
        },
        Step::Enter { .. } | Step::Leave { .. } => false,
        Step::BadCall(_) => true,
    }
}
