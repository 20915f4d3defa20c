//! Data races and deadlocks: no tuple that has an invariant is one.

use super::{Check, Places};
use crate::evidence::invariants::Point;
use tour_ir::program::ThreadId;
use tour_model::threads::race::{self, Poised};

impl Check<'_> {
    /// A place where a thread waits that can't go on.
    pub(super) fn is_blocked(&self, point: &Point) -> bool {
        self.graph.visible.blocked.contains(&point.loc)
    }

    /// Some thread is at such a place: what the others can do, other than wait too, was looked at before.
    pub(super) fn is_standstill(&self, places: &Places) -> bool {
        places.iter().flatten().any(|point| self.is_blocked(point))
    }

    /// The thread is not there yet, and does not wait for the end of one that has not ended.
    pub(super) fn has_to_wait(&self, places: &Places, thread: ThreadId) -> bool {
        let Some(point) = &places[thread.index()] else { return false };
        !self.is_blocked(point) && !self.joins(places, point)
    }

    /// A wait for the end of threads, one of which has not ended.
    pub(super) fn joins(&self, places: &Places, point: &Point) -> bool {
        let ended = |t: &ThreadId| places[t.index()].as_ref().is_some_and(|p| self.has_ended(p));
        self.awaited(point).is_some_and(|all| !all.iter().all(ended))
    }

    /// A rule that a tuple breaks, or may break, if a run gets there.
    pub(super) fn broken_rule(&mut self, places: &Places) -> Option<&'static str> {
        let threads = &self.program.threads;
        let running: Vec<&Point> = places.iter().flatten().filter(|p| !self.has_ended(p)).collect();
        let waits = |point: &Point| self.is_blocked(point) || self.joins(places, point);
        if threads.deadlock.is_some() && !running.is_empty() && running.iter().all(|point| waits(point)) {
            return Some("all threads wait");
        }
        if !threads.looks_at_accesses() {
            return None;
        }
        let regions = self.prints.regions();
        let mut poised: Vec<Poised> = Vec::new();
        for thread in threads.all.indices() {
            let Some(point) = places[thread.index()].as_ref().filter(|p| !self.has_ended(p)) else {
                continue;
            };
            let steps =
                self.executor.successors(point).into_iter().map(|(edge, to)| self.step(point, edge, &to));
            poised.extend(
                steps.filter_map(|step| Poised::new(self.program, thread, step, point.atomic.into())),
            );
        }
        if race::torn(self.program, &regions, &poised).is_some() {
            return Some("an access that takes several steps may race");
        }
        if !threads.races.is_empty() && !race::races(self.program, &regions, &poised).is_empty() {
            return Some("two threads may access the same memory");
        }
        None
    }
}
