//! Sleep sets `[SLEEP]`. After the actions of a thread were explored from a state, it sleeps in those that other
//! threads lead to, until one of them does something that its next action depends on: the other order was seen.
//!
//! A state can be covered only by one in which no other threads sleep. Where data races or deadlocks are checked, none
//! sleeps: these are a matter of what several threads are about to do.

use super::Explorer;
use crate::cegar::ArgId;
use crate::domain::Domain;
use tour_ir::program::ThreadId;
use tour_model::threads::Por;
use tour_model::threads::TupleId;
use tour_model::threads::footprint::Bits;

impl<D: Domain> Explorer<'_, '_, D> {
    /// The threads that sleep in a state, of those that would be explored.
    pub(super) fn asleep(&self, node: ArgId, explored: &[ThreadId]) -> Bits {
        let mut asleep = Bits::default();
        if let Some(all) = self.sleeps.get(&node) {
            explored
                .iter()
                .map(|t| t.index() as u32)
                .filter(|t| all.contains(*t))
                .for_each(|t| asleep.insert(t));
        }
        asleep
    }

    /// Who sleeps in a state that `moved` led to: those that slept before, and those explored before it, as far as their
    /// next actions are independent of what it did.
    pub(super) fn put_to_sleep(
        &mut self,
        child: ArgId,
        from: TupleId,
        explored: &[ThreadId],
        asleep: &Bits,
        moved: ThreadId,
    ) {
        if self.reductions.por != Por::Sleep || self.has_rules() {
            return;
        }
        let tuple = self.threads.get(from);
        let Some(node) = tuple[moved.index()] else { return };
        let own = self.threads.next(&mut self.engine.blocks, node);
        let mut all = Bits::default();
        let before = explored.iter().take_while(|t| **t != moved);
        let sleeping = explored.iter().filter(|t| asleep.contains(t.index() as u32));
        for &thread in before.chain(sleeping).filter(|t| **t != moved) {
            let Some(node) = tuple[thread.index()] else { continue };
            let next = self.threads.next(&mut self.engine.blocks, node);
            if !next.print.conflicts(&own.print) {
                all.insert(thread.index() as u32);
            }
        }
        if all.iter().next().is_some() {
            self.sleeps.insert(child, all);
        }
    }

    /// No thread sleeps in `one` that does not in `other`.
    pub(super) fn sleeps_less(&self, one: ArgId, other: ArgId) -> bool {
        match (self.sleeps.get(&one), self.sleeps.get(&other)) {
            (None, _) => true,
            (Some(_), None) => false,
            (Some(one), Some(other)) => one.is_subset(other),
        }
    }
}
